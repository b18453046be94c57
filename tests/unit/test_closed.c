/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/closed.h"
#include "tests/unit/shelf.h"

/* Copies the bytes to the heap, where reading behind them is noticed. */
static const char *describe(const char *data, size_t len, const char *name)
{
	char *copy = test_malloc(len + !len);
	const char *text;

	memcpy(copy, data, len);
	text = weir_closed_describe(copy, len, name);
	test_free(copy);
	return text;
}

static void expect(const char *data, size_t len, const char *name, const char *command)
{
	const char *text = describe(data, len, name);

	if (!text || !strstr(text, command))
		fail_msg("\"%s\" is not in: %s", command, text ? text : "no description");
}

/* A packet with a clock snapshot (6), the user (3) and the sequence (10) of its writer. */
#define PACKET  "\x0a\x0c\x32\x04\x0a\x02\x08\x06\x18\x8f\x4e\x50\x01"
#define PLANE   "\x0a\x0d\x08\x01\x12\x09/host:CPU"
#define UNKNOWN "\x0a\x04\x08\x01\x10\x02"

static void each_file_is_known_by_its_name(void **state)
{
	static const struct {
		const char *name, *command;
	} names[] = {
		{"a/report1.nsys-rep", "nsys export --type sqlite FILE"},
		{"report1.qdrep", "nsys export --type sqlite FILE"},
		{"report1.qdstrm", "QdstrmImporter -i FILE"},
		{"k.ncu-rep", "ncu --import FILE --csv --page raw"},
		{"t.pftrace", "traceconv json FILE"},
		{"t.perfetto-trace", "traceconv json FILE"},
		{"host.xplane.pb", "trace.json.gz"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect("??", 2, names[i].name, names[i].command);
	assert_null(describe("??", 2, "report1.json"));
	assert_null(describe("??", 2, "nsys-rep"));
	assert_null(describe("??", 2, NULL));
}

static void content_decides_without_a_name(void **state)
{
	(void)state;
	expect("NVR\0\x01", 5, NULL, "ncu --import FILE");
	expect(PACKET, sizeof(PACKET) - 1, "trace.bin", "traceconv json FILE");
	expect(PLANE, sizeof(PLANE) - 1, "trace.bin", "trace.json.gz");
	expect(UNKNOWN PLANE, sizeof(UNKNOWN PLANE) - 1, NULL, "trace.json.gz");
	expect(UNKNOWN PACKET, sizeof(UNKNOWN PACKET) - 1, NULL, "traceconv json FILE");
}

static void content_is_stronger_than_the_name(void **state)
{
	(void)state;
	expect("NVR\0\x01", 5, "wrong.nsys-rep", "ncu --import FILE");
}

static void other_bytes_are_not_claimed(void **state)
{
	(void)state;
	assert_null(describe("", 0, NULL));
	assert_null(describe("NVR", 3, NULL));
	assert_null(describe("NVRA\x01", 5, NULL));
	assert_null(describe(UNKNOWN, sizeof(UNKNOWN) - 1, NULL));
	assert_null(describe("\nsome text that follows an empty line\n", 39, NULL));
	/* The sequence in field 9 instead of 10, a field without a number, and an unknown wire. */
	assert_null(describe("\x0a\x02\x48\x01", 4, NULL));
	assert_null(describe("\x0a\x04\x50\x01\x00\x01", 6, NULL));
	assert_null(describe("\x0a\x04\x50\x01\x0b\x01", 6, NULL));
	/* A plane with another name. */
	assert_null(describe("\x0a\x08\x12\x06/other", 10, NULL));
}

static void a_head_that_ends_in_a_message_is_enough(void **state)
{
	(void)state;
	/* The first packet is longer than the head, and states its writer before the end. */
	expect("\x0a\x90\x4e\x18\x8f\x4e\x32\x88\x4e\x0a", 10, NULL, "traceconv json FILE");
	expect("\x0a\x90\x4e\x12\x09/host:CP", 13, NULL, "trace.json.gz");
}

static void a_real_xspace_is_known_by_its_content(void **state)
{
	static char head[65536];
	FILE *file = fopen(shelf_need("samples/jax/tl_jax_conv_minimal_08_tw003.xplane.pb"), "rb");
	size_t len;

	(void)state;
	assert_non_null(file);
	len = fread(head, 1, sizeof head, file);
	fclose(file);
	expect(head, len, NULL, "trace.json.gz");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_known_by_its_name),
		cmocka_unit_test(content_decides_without_a_name),
		cmocka_unit_test(content_is_stronger_than_the_name),
		cmocka_unit_test(other_bytes_are_not_claimed),
		cmocka_unit_test(a_head_that_ends_in_a_message_is_enough),
		cmocka_unit_test(a_real_xspace_is_known_by_its_content),
	};

	return shelf_run_group_tests(tests);
}
