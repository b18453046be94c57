/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/pack.h"
#include "engine/base/sha256.h"

#define LIMIT 1000000

static void what_is_packed_comes_back(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 65535, 65536, 65537, 300000};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *data = malloc(sizes[i] + 1);
		struct weir_text frame = {0}, back = {0};
		struct weir_error err = {0};

		assert_non_null(data);
		for (size_t b = 0; b < sizes[i]; b++)
			data[b] = (char)(b * 2654435761u >> 13);
		weir_text_puts(&back, "before");
		weir_pack(data, sizes[i], &frame);
		assert_int_equal(weir_unpack(frame.data, frame.length, LIMIT, &back, &err),
		                 WEIR_OK);
		assert_int_equal(back.length, 6 + sizes[i]);
		assert_memory_equal(back.data, "before", 6);
		assert_memory_equal(back.data + 6, data, sizes[i]);
		weir_text_release(&frame);
		weir_text_release(&back);
		free(data);
	}
}

static void more_than_the_limit_is_refused(void **state)
{
	char zeros[5000] = {0};
	struct weir_text frame = {0}, back = {0};
	struct weir_error err = {0};

	(void)state;
	weir_pack(zeros, sizeof(zeros), &frame);
	weir_text_puts(&back, "kept");
	assert_int_equal(weir_unpack(frame.data, frame.length, 4999, &back, &err), WEIR_E_LIMIT);
	assert_string_equal(back.data, "kept");
	assert_int_equal(weir_unpack(frame.data, frame.length, 5000, &back, &err), WEIR_OK);
	assert_int_equal(back.length, 5004);
	weir_text_release(&frame);
	weir_text_release(&back);
}

static void every_cut_and_every_flipped_byte_is_seen(void **state)
{
	const char data[] = "0123456789 0123456789 0123456789 and what does not repeat";
	struct weir_text frame = {0}, back = {0};

	(void)state;
	weir_pack(data, sizeof(data), &frame);
	for (size_t cut = 0; cut < frame.length; cut++)
		assert_int_not_equal(weir_unpack(frame.data, cut, LIMIT, &back, NULL), WEIR_OK);
	for (size_t at = 0; at < frame.length; at++) {
		enum weir_status status;

		frame.data[at] ^= 0x10;
		weir_text_clear(&back);
		status = weir_unpack(frame.data, frame.length, LIMIT, &back, NULL);
		/* A bit of the header that means nothing may change; the content may not. */
		if (!status) {
			assert_int_equal(back.length, sizeof(data));
			assert_memory_equal(back.data, data, sizeof(data));
		}
		frame.data[at] ^= 0x10;
	}
	weir_text_add(&frame, "x", 1);
	assert_int_equal(weir_unpack(frame.data, frame.length, LIMIT, &back, NULL), WEIR_E_FORMAT);
	weir_text_release(&frame);
	weir_text_release(&back);
}

static void padding_before_a_frame_is_skipped(void **state)
{
	static const size_t lengths[] = {WEIR_LEAST_PADDING, WEIR_LEAST_PADDING + 1, 70000};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct weir_text frame = {0}, back = {0};

		weir_pack_padding(lengths[i], &frame);
		assert_int_equal(frame.length, lengths[i]);
		assert_int_not_equal(weir_unpack(frame.data, frame.length, LIMIT, &back, NULL),
		                     WEIR_OK);
		weir_pack("content", 7, &frame);
		assert_int_equal(weir_unpack(frame.data, frame.length, LIMIT, &back, NULL),
		                 WEIR_OK);
		assert_int_equal(back.length, 7);
		assert_memory_equal(back.data, "content", 7);
		/* A padding that claims more bytes than there are is refused. */
		frame.data[4] = (char)0xff;
		frame.data[7] = (char)0xff;
		assert_int_not_equal(weir_unpack(frame.data, frame.length, LIMIT, &back, NULL),
		                     WEIR_OK);
		weir_text_release(&frame);
		weir_text_release(&back);
	}
}

static void assert_digest(const char *text, size_t times, const char *hex)
{
	uint8_t digest[WEIR_SHA256_SIZE];
	struct weir_text shown = {0};
	struct weir_sha256 hash;

	weir_sha256_init(&hash);
	for (size_t i = 0; i < times; i++)
		weir_sha256_add(&hash, text, strlen(text));
	weir_sha256_end(&hash, digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		weir_text_printf(&shown, "%02x", digest[i]);
	assert_string_equal(shown.data, hex);
	weir_text_release(&shown);
}

/* The examples of FIPS 180-2, appendix B, and of NIST's example page. */
static void sha256_gives_the_digests_of_the_standard(void **state)
{
	(void)state;
	assert_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	assert_digest("a", 1000000,
	              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_comes_back),
		cmocka_unit_test(more_than_the_limit_is_refused),
		cmocka_unit_test(every_cut_and_every_flipped_byte_is_seen),
		cmocka_unit_test(padding_before_a_frame_is_skipped),
		cmocka_unit_test(sha256_gives_the_digests_of_the_standard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
