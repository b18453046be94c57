/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of a source, and a Kineto trace that several threads read in blocks. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/blocks.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/fuzz/same_input.h"
#include "tests/unit/near.h"
#include "tests/unit/packed.h"

/* ---- boundaries ---- */

static void a_block_ends_after_the_last_whole_element(void **state)
{
	static const struct {
		const char *text;
		size_t end;
	} cases[] = {
		{"", 0},
		{"{\"a\":1}", 0}, /* the next element is not there */
		{"{\"a\":1},", 0},
		{"{\"a\":1},{", 0}, /* its key is not there */
		{"{\"a\":1},{\"", 7},
		{"{\"a\":1} \n , { \t\"b", 7},
		{"{\"a\":1},{\"b\":{}}, {\"c\":", 16},
		{"{\"a\":1}]", 0},
		{"{\"a\":1},[{\"b", 0},
		{"{\"a\":1},{},{\"", 10},
		{"{\"a\":1},{\"b\":2},{}", 7},                  /* the last one has no key */
		{"{\"a\":1},{\"b\":[[1,2],[3,4],{},{},[{}", 7}, /* commas within it */
		{",{\"a\":1", 0},
		{"\"}, {\\\"", 0},
		{"\"}, {\"", 2}, /* inside a text: only a reader can see that */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (weir_blocks_cut(cases[i].text, strlen(cases[i].text)) != cases[i].end)
			fail_msg("%s: %zu", cases[i].text,
			         weir_blocks_cut(cases[i].text, strlen(cases[i].text)));
}

/* Looks at every comma, the last one first. */
static size_t cut_by_every_comma(const char *text, size_t length)
{
	static const char blanks[] = " \n\r\t";

	for (size_t comma = length; comma-- > 0;) {
		size_t end = comma, next = comma + 1;

		if (text[comma] != ',')
			continue;
		while (end > 0 && strchr(blanks, text[end - 1]))
			end--;
		next += strspn(text + next, blanks);
		if (end == 0 || text[end - 1] != '}' || text[next] != '{')
			continue;
		next++;
		next += strspn(text + next, blanks);
		if (text[next] == '"')
			return end;
	}
	return 0;
}

static void any_text_is_cut_where_a_look_at_every_comma_cuts_it(void **state)
{
	uint64_t seed = 12;
	size_t cuts = 0;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		char text[320];
		size_t length = (size_t)(next_number(&seed) % (round % 8 == 0 ? 300 : 24));

		for (size_t i = 0; i < length; i++)
			text[i] = "},{\"},{\" a\n"[next_number(&seed) % (round % 2 ? 11 : 4)];
		text[length] = '\0';
		if (weir_blocks_cut(text, length) != cut_by_every_comma(text, length))
			fail_msg("%s: %zu", text, weir_blocks_cut(text, length));
		cuts += weir_blocks_cut(text, length) > 0;
	}
	assert_true(cuts > 1000);
}

/* The boundary may lie far before the end, and braces without a boundary behind it. */
static void a_long_rest_is_cut_at_the_last_boundary(void **state)
{
	static char text[100000];
	static const char begin[] = "{\"a\":1},{\"b\":[";

	(void)state;
	memset(text, '}', sizeof text);
	memcpy(text, begin, sizeof begin - 1);
	for (size_t length = sizeof begin; length < sizeof text; length += 4093)
		assert_int_equal(weir_blocks_cut(text, length), 7);
	assert_int_equal(weir_blocks_cut(text + 7, sizeof text - 7), 0);
}

/* Blanks are skipped together if they are alike; none of them may hide what follows. */
static void any_number_of_blanks_may_lie_at_a_boundary(void **state)
{
	static const char *const blanks[] = {"\n", " ", "\t ", "\r\n"};
	char text[600];

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(blanks); i++)
		for (size_t count = 0; count < 260; count++) {
			size_t at = (size_t)snprintf(text, sizeof text, "{\"a\":1},"), begin;

			for (size_t n = 0; n < count; n++)
				text[at++] = blanks[i][n % strlen(blanks[i])];
			begin = at;
			at += (size_t)snprintf(text + at, sizeof text - at, "{\"b\":2");
			assert_int_equal(weir_blocks_cut(text, at), 7);
			text[begin] = '[';
			assert_int_equal(weir_blocks_cut(text, at), 0);
			assert_int_equal(weir_blocks_cut(text, begin), 0);
		}
}

static void *no_result(void *context)
{
	return context;
}

static void no_destroy(void *result)
{
	(void)result;
}

/* Accepts every second block by its offset. */
static bool accept_some(void *context, const struct weir_block *block)
{
	(void)context;
	return block->at % 2 == 0;
}

/* Joins the blocks of a text, taken or ready, and checks their offsets. */
static void expect_joined(const char *text, struct weir_source_division division)
{
	const struct weir_blocks_options options = {.context = &division,
	                                            .create = no_result,
	                                            .destroy = no_destroy,
	                                            .work = accept_some};
	struct weir_source *source;
	struct weir_blocks *blocks;
	struct weir_text joined = {0};
	struct weir_error err = {0};
	const char *data;
	size_t length = 1;

	assert_int_equal(weir_source_open_memory("t", text, strlen(text), &source, &err), WEIR_OK);
	weir_source_divide(source, division);
	blocks = weir_blocks_new(source, &options);
	while (length > 0) {
		const struct weir_block *block = weir_blocks_ready(blocks);

		if (block) {
			assert_int_equal(block->at, joined.length);
			weir_text_add(&joined, block->data, block->length);
			weir_blocks_drop(blocks);
			continue;
		}
		assert_int_equal(weir_blocks_take(blocks, &data, &length, &err), WEIR_OK);
		for (size_t i = 0; i < WEIR_BLOCKS_PADDING; i++)
			assert_int_equal(length ? data[length + i] : 0, 0);
		weir_text_add(&joined, data, length);
	}
	assert_int_equal(joined.length, strlen(text));
	assert_memory_equal(joined.data, text, joined.length);
	weir_blocks_free(blocks);
	weir_source_free(source);
	weir_text_release(&joined);
}

static void blocks_hold_every_byte_once_and_in_order(void **state)
{
	struct bytes text = event_text(5000);
	char *string = weir_alloc(text.len + 1);

	(void)state;
	memcpy(string, text.data, text.len);
	for (size_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5)
		for (size_t block = 1; block < 8000; block = block * 3 + 1)
			expect_joined(string, (struct weir_source_division){threads, block});
	free(string);
	free(text.data);
}

/* ---- traces ---- */

struct outcome {
	struct weir_profile *profile;
	struct weir_error err;
	enum weir_status status;
	uint64_t stored;
};

static struct outcome read_divided(const void *data, size_t size,
                                   struct weir_source_division division)
{
	struct outcome out = {.profile = weir_profile_new()};
	struct weir_input *input = weir_profile_add_input(out.profile, "test");
	struct weir_source *source;

	out.status = weir_source_open_memory("test", data, size, &source, &out.err);
	if (out.status)
		return out;
	weir_source_divide(source, division);
	out.status = weir_reader_kineto.read(source, input, &out.err);
	out.stored = weir_source_stored_bytes(source);
	weir_source_free(source);
	return out;
}

static void expect_same(const struct outcome *a, const struct outcome *b, const char *name,
                        struct weir_source_division division)
{
	const char *part = NULL;

	if (a->status != b->status || strcmp(a->err.message, b->err.message) != 0)
		part = "error";
	else if (a->stored != b->stored)
		part = "stored bytes";
	else if (!a->status)
		part = different_part(&a->profile->inputs[0], &b->profile->inputs[0]);
	if (part)
		fail_msg("%s: other %s with %zu threads and blocks of %zu bytes", name, part,
		         division.threads, division.block);
}

/* Expects the same result for any number of threads. */
static void expect_any_width(const void *data, size_t size, const char *name, size_t block)
{
	static const size_t widths[] = {2, 3, 8};
	struct outcome one = read_divided(data, size, (struct weir_source_division){1, block});

	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		struct weir_source_division division = {widths[i], block};
		struct outcome many = read_divided(data, size, division);

		expect_same(&one, &many, name, division);
		weir_profile_free(many.profile);
	}
	weir_profile_free(one.profile);
}

/* Expects the same result as from one block for any division. */
static void expect_any_division(const char *text)
{
	static const struct weir_source_division one_block = {1, 1 << 20};
	struct outcome whole = read_divided(text, strlen(text), one_block);

	for (size_t block = 1; block < 2 * strlen(text); block += 1 + block / 8)
		for (size_t threads = 1; threads < 4; threads++) {
			struct weir_source_division division = {threads, block};
			struct outcome parts = read_divided(text, strlen(text), division);

			/* A text that is cut inside its last block counts fewer bytes. */
			parts.stored = whole.stored;
			expect_same(&whole, &parts, text, division);
			weir_profile_free(parts.profile);
		}
	weir_profile_free(whole.profile);
}

#define OP(name, ts)                                                                               \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" #ts   \
	",\"dur\":5,\"args\":{\"External id\":" #ts "}}"
#define CALL(id, ts)                                                                               \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":"  \
	"2,"                                                                                       \
	"\"ts\":" #ts ",\"dur\":1,\"args\":{\"correlation\":" #id "}}"
#define KERNEL(id, ts)                                                                             \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k" #id "\",\"pid\":0,\"tid\":7,\"ts\":" #ts   \
	",\"dur\":3,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #id "}}"

static void a_wrong_boundary_does_not_change_the_trace(void **state)
{
	(void)state;
	/* Texts with braces, commas, quotes and escapes; the first one looks like two elements. */
	expect_any_division("{\"schemaVersion\":1,\"traceEvents\":[" OP("a}, {b", 10) "," OP(
		"}, {\\\"c", 20) "," OP("\\\\", 30) "," OP("]}", 40) "," OP("{[{", 50) "]}");
	/* Objects in arrays inside an element look like elements. */
	expect_any_division("{\"schemaVersion\":1,\"traceEvents\":[" OP(
		"a",
		10) ",{\"ph\":\"X\","
	            "\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":20,\"dur\":1,"
	            "\"args\":{\"x\":[{\"y\":1},{\"y\":2},{\"y\":{\"z\":3}},{\"y\":4}]}}," OP(
			    "c", 30) "]}");
	/* Devices in the head look like elements, too. */
	expect_any_division(
		"{\"deviceProperties\":[{\"id\":0,\"name\":\"A\"},{\"id\":1,\"name\":\"B\"},"
		"{\"id\":2,\"name\":\"C\"}],\"traceEvents\":[" CALL(1, 10) "," KERNEL(1, 20) "]}");
}

static void members_may_follow_the_events(void **state)
{
	(void)state;
	expect_any_division(
		"{\"schemaVersion\":1,\"traceEvents\":[" CALL(1, 10) "," KERNEL(1, 20) "," OP(
			"a", 30) "," OP("b", 40) "],\"distributedInfo\":{\"rank\":3,"
						 "\"world_size\":4},\"x\":[{\"a\":1},{\"b\":2}]}");
	expect_any_division("{\"schemaVersion\":1,\"traceEvents\":[" OP("a", 10) "," OP(
		"b", 20) "],\"other\":[1,2],\"traceEvents\":[" OP("c", 30) "," OP("d", 40) "]}");
	expect_any_division("[" OP("a", 10) "," OP("b", 20) "," OP("c", 30) "]");
	expect_any_division("[" OP("a", 10) "," OP("b", 20) "] [" OP("c", 30) "]");
}

static void damage_is_found_and_counted_as_by_one_thread(void **state)
{
	(void)state;
	expect_any_division("{\"schemaVersion\":1,\"traceEvents\":[" OP("a", 10) ",,{},7,\"x\"," OP(
		"b\"c", 20) "," OP("d\te", 30) ",[1]," OP("f", NaN) "," OP("g", 40) "," OP("h",
	                                                                                   50));
	expect_any_division(
		"{\"schemaVersion\":1,\"traceEvents\":[" OP("a", NaN) "," OP("b", NaN) "," OP(
			"c", 30) ",{\"ph\":\"Q\"},{\"ph\":\"Q\"}," OP("d", 40) ",{\"cat\":1}]} x");
	expect_any_division("{\"traceEvents\":[" OP("a", 10) "," OP(
		"b", 20) ",{\"ph\":\"X\",\"cat\":\"new\",\"name\":\"n\",\"ts\":1,"
	                 "\"dur\":1}," OP("c", 30) "]}");
	expect_any_division(
		"{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"o\",\"pid\":\"CPU functions\"},"
		"{\"ph\":\"X\",\"pid\":\"CPU functions\",\"ts\":1,\"dur\":2}]}");
	expect_any_division("");
	expect_any_division("{\"traceEvents\":[");
	expect_any_division("{\"traceEvents\":[]}");
}

/* ---- events that repeat ---- */

/* Events of every kind; %s is replaced by a number. */
static const char *const repeated[] = {
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":2,\"ts\":%s,"
	"\"dur\":%s,\"args\":{\"External id\":%s,\"Input Dims\":[[4,2],[2,4]],\"Input type\":"
	"[\"float\",\"float\"],\"Ev Idx\":%s}}",
	"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, "
	"\"tid\": "
	"2,\n  \"ts\": %s, \"dur\": %s, \"args\": {\"correlation\": %s, \"External id\": %s}}",
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%s,\"dur\":%"
	"s,"
	"\"args\":{\"device\":0,\"stream\":7,\"correlation\":%s,\"grid\":[2,3,1],\"queued\":%s}}",
	"{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"pid\":1,\"tid\":2,\"ts\":%s,\"id\":%s,"
	"\"x\":%s,\"y\":%s}",
	"{\"ph\":\"f\",\"cat\":\"fwdbwd\",\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":%s,\"id\":%s,"
	"\"x\":%s,\"y\":%s}",
	"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,"
	"\"tid\":2,"
	"\"ts\":%s,\"args\":{\"Bytes\":%s,\"Total Allocated\":%s,\"Device Id\":0,\"Device Type\":1,"
	"\"Addr\":%s}}",
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\\\"b\\q\",\"pid\":1,\"tid\":2,\"ts\":%s,"
	"\"dur\":%s,"
	"\"args\":{\"Collective name\":\"allreduce\",\"External id\":%s,\"In msg "
	"nelems\":4,\"Seq\":%s}}",
	"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream "
	"Wait\",\"pid\":0,\"tid\":7,\"ts\":%s,"
	"\"dur\":%s,\"args\":{\"cuda_sync_kind\":\"w\",\"stream\":7,\"correlation\":%s,\"n\":%s}}",
	"{\"ph\":\"X\",\"cat\":\"new\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":%s,\"dur\":%s,"
	"\"id\":%s,"
	"\"z\":%s}",
};

/* Numbers that writers have written, and texts that only look like the start of one. */
static const char *const odd_numbers[] = {
	"0",
	"-1",
	"-",
	"7.5",
	".5",
	"5.",
	"1.2345",
	"007",
	"1e3",
	"1E-2",
	"+4",
	"NaN",
	"null",
	"true",
	"\"6\"",
	"[1]",
	"{}",
	"",
	"1 2",
	"12\"ab",
	"12\"",
	"1{",
	"3}",
	"4]",
	"5,",
	"6 ",
	"7\t",
	"8\n",
	"9\\",
	"10:1",
	"1/2",
	"99999999999999999999",
	"9223372036854775807",
	"-9223372036854775808",
	"123456789012345678",
	"11111111111111111111111111111111111111111111",
	"1.0,\"ts\":2.0",
	"3,\"args\":{\"correlation\":9}",
};

/* Adds event `kind`, whose number `place` is replaced by `odd`. */
static void add_repeated(struct weir_text *text, size_t kind, size_t event, size_t place,
                         const char *odd)
{
	const char *from = repeated[kind], *hole;

	for (size_t n = 0; (hole = strstr(from, "%s")); n++, from = hole + 2) {
		weir_text_add(text, from, (size_t)(hole - from));
		if (n == place)
			weir_text_puts(text, odd);
		else
			weir_text_printf(text, "%zu", 100 * event + n);
	}
	weir_text_puts(text, from);
}

/* Reads a document as one block, event by event, and in blocks whose events repeat. */
static void expect_no_effect_of_repetition(const struct weir_text *text)
{
	static const struct weir_source_division divisions[] = {{1, 700}, {1, 1500}, {2, 900}};
	struct outcome whole =
		read_divided(text->data, text->length, (struct weir_source_division){1, 1 << 20});

	for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++) {
		struct outcome parts = read_divided(text->data, text->length, divisions[i]);

		parts.stored = whole.stored;
		expect_same(&whole, &parts, text->data, divisions[i]);
		weir_profile_free(parts.profile);
	}
	weir_profile_free(whole.profile);
}

static void an_event_that_repeats_is_read_as_any_other(void **state)
{
	struct weir_text text = {0};

	(void)state;
	for (size_t kind = 0; kind < sizeof repeated / sizeof *repeated; kind++)
		for (size_t i = 0; i < sizeof odd_numbers / sizeof *odd_numbers; i++) {
			weir_text_clear(&text);
			weir_text_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[");
			for (size_t event = 0; event < 24; event++) {
				bool odd = event % 6 == 5;

				weir_text_puts(&text, event ? "," : "");
				add_repeated(&text, kind, event, odd ? event / 6 : SIZE_MAX,
				             odd_numbers[i]);
			}
			weir_text_puts(&text, "]}");
			expect_no_effect_of_repetition(&text);
		}
	weir_text_release(&text);
}

/* Names and arguments that change among repeated events, and a part of an event at the end. */
static void events_of_several_patterns_keep_their_order(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[");
	for (size_t event = 0; event < 400; event++) {
		size_t kind = event * event / 3 % (sizeof repeated / sizeof *repeated);

		weir_text_puts(&text, event ? ",\n" : "");
		add_repeated(&text, kind, event, SIZE_MAX, "");
	}
	for (size_t cut = 0; cut < 200; cut += 9) {
		text.length -= cut;
		expect_no_effect_of_repetition(&text);
	}
	weir_text_release(&text);
}

/* Bytes; larger files take long under a sanitizer. A race shows as well in a file of some blocks.
 */
#ifdef __SANITIZE_THREAD__
#define LARGEST_FILE 25000
#else
#define LARGEST_FILE 50000
#endif

/* Reads a file whole, cut short, and with a byte replaced. */
static void expect_file(const char *folder, const char *name)
{
	struct weir_text path = {0};
	uint64_t random = 15;
	FILE *file;
	uint8_t *data = weir_alloc(8 << 20);
	size_t size;

	weir_text_printf(&path, "%s/%s", folder, name);
	file = fopen(path.data, "rb");
	size = file ? fread(data, 1, 8 << 20, file) : 0;
	if (file)
		fclose(file);
	if (size > LARGEST_FILE)
		size = 0;
	for (int i = 0; size > 0 && i < (size < 20000 ? 2 : 1); i++) {
		size_t at = (size_t)(next_number(&random) % size);
		uint8_t byte = data[at];

		expect_any_width(data, size, path.data, 300 + size / 2);
		expect_any_width(data, at, path.data, 300 + at / 2);
		data[at] = (uint8_t) "\"{},\\]0\n"[i * 2 % 8];
		expect_any_width(data, size, path.data, 5000);
		data[at] = byte;
	}
	free(data);
	weir_text_release(&path);
}

static void files_are_read_alike_by_any_number_of_threads(void **state)
{
	static const char *const folders[] = {
		"tests/data/kineto/written", "tests/data/kineto",
		"tests/data/chrome",         "tests/data/xla",
		"tests/data/onnxruntime",    "tests/data/memory_timeline"};
	size_t files = 0;

	(void)state;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		DIR *folder = opendir(folders[i]);
		struct dirent *entry;

		assert_non_null(folder);
		while ((entry = readdir(folder)) != NULL) {
			if (entry->d_name[0] == '.')
				continue;
			expect_file(folders[i], entry->d_name);
			files++;
		}
		closedir(folder);
	}
	assert_true(files > 40);
}

/* ---- random documents ---- */

static void add_event(struct weir_text *text, uint64_t *random)
{
	static const char *const names[] = {"aten::mm", "aten::add",        "x}, {",
	                                    "\\\"",     "k\\u00e9",         "a\\\\",
	                                    "",         "cudaLaunchKernel", "ncclKernel"};
	static const char *const categories[] = {"cpu_op",    "kernel", "cuda_runtime",
	                                         "fwdbwd",    "ac2g",   "python_function",
	                                         "cuda_sync", "odd"};
	static const char *const phases[] = {"X", "X", "X", "s", "f", "i", "M", "Q"};
	uint64_t n = next_number(random);

	weir_text_printf(
		text,
		"{\"ph\":\"%s\",%s\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
		"\"ts\":%d.%03d,\"dur\":%s,\"id\":%d,\"args\":{\"correlation\":%d,"
		"\"External id\":%d,\"stream\":%d,\"device\":%d,\"Input Dims\":[[%d,2]],"
		"\"Input type\":[\"float\"],\"name\":\"t%d\",\"Collective name\":\"c\","
		"\"Process Group Name\":\"g%d\"}}",
		phases[n % 8], n >> 3 & 15 ? "" : "\n", categories[n >> 8 & (n >> 60 ? 3 : 7)],
		names[(n >> 12 & 15) % 9], (int)(n >> 16 & 3), (int)(n >> 18 & 3),
		(int)(n >> 20 & 1023), (int)(n >> 30 & 511), n >> 40 & 63 ? "5" : "\"x\"",
		(int)(n >> 46 & 7), (int)(n >> 20 & 31), (int)(n >> 25 & 31), (int)(n >> 50 & 3),
		(int)(n >> 52 & 1), (int)(n >> 54 & 3), (int)(n >> 56 & 3), (int)(n >> 58 & 1));
}

static void random_documents_do_not_depend_on_the_division(void **state)
{
	static const char *const between[] = {",", ",\n  ", " , ", ",,", "", ",\t", ",7,", ",\n"};
	uint64_t random = 2026;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct weir_text text = {0};
		size_t events = next_number(&random) % 200;
		struct weir_source_division divisions[4] = {{1, 1 << 20}};
		struct outcome outcomes[4];

		weir_text_puts(&text, "{\"schemaVersion\": 1, \"traceEvents\": [");
		for (size_t e = 0; e < events; e++) {
			size_t odd = next_number(&random) % 64;

			add_event(&text, &random);
			weir_text_puts(&text, between[odd < 8 ? odd : 1]);
		}
		add_event(&text, &random);
		weir_text_puts(&text, i % 5 ? "]}" : "");
		for (size_t d = 0; d < 4; d++) {
			if (d > 0)
				divisions[d] = (struct weir_source_division){
					d, 1 + next_number(&random) % 4096};
			outcomes[d] = read_divided(text.data, text.length, divisions[d]);
			outcomes[d].stored = text.length;
			expect_same(&outcomes[0], &outcomes[d], "a random document", divisions[d]);
		}
		for (size_t d = 0; d < 4; d++)
			weir_profile_free(outcomes[d].profile);
		weir_text_release(&text);
	}
}

/* Returns a trace of `events` operators, calls and kernels. */
static struct weir_text long_trace(size_t events)
{
	struct weir_text text = {0};

	weir_text_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[");
	for (size_t i = 0; i < events; i++)
		weir_text_printf(
			&text,
			"%s"
			"{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"n%zu\",\"pid\":0,\"tid\":7,"
			"\"ts\":%zu,\"dur\":1,\"args\":{\"correlation\":%zu}}",
			i ? "," : "", i % 3 ? "kernel" : "cuda_runtime", i % 50, i * 2, 1 + i / 2);
	weir_text_puts(&text, "]}");
	return text;
}

static void compressed_traces_are_read_alike(void **state)
{
	struct weir_text text = long_trace(3000);
	struct bytes gzip = gzip_bytes(text.data, text.length),
		     zstd = zstd_bytes(text.data, text.length);

	(void)state;
	expect_any_width(gzip.data, gzip.len, "gzip", 10000);
	expect_any_width(zstd.data, zstd.len, "zstd", 10000);
	expect_any_width(gzip.data, gzip.len / 2, "half of gzip", 10000);
	gzip.data[gzip.len / 2] ^= 0x55;
	expect_any_width(gzip.data, gzip.len, "damaged gzip", 10000);
	gzip.data[gzip.len / 2] ^= 0x55;
	gzip = joined_bytes(gzip, plain_bytes("trailing", 8));
	expect_any_width(gzip.data, gzip.len, "gzip and other bytes", 10000);
	free(gzip.data);
	free(zstd.data);
	weir_text_release(&text);
}

/* Reads a trace of some 20 blocks that 1 MB of other bytes, more than is read ahead, follows.
 * Returns the bytes that count as read. */
static uint64_t stored_bytes_of(const char *path, size_t threads)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, path);
	struct weir_source *source;
	struct weir_error err = {0};
	uint64_t stored;

	assert_int_equal(weir_source_open(path, &source, &err), WEIR_OK);
	weir_source_divide(source, (struct weir_source_division){threads, 20000});
	assert_int_equal(weir_reader_kineto.read(source, input, &err), WEIR_OK);
	assert_int_equal(input->warnings[WEIR_WARN_TRAILING].count, 1);
	stored = weir_source_stored_bytes(source);
	weir_source_free(source);
	weir_profile_free(profile);
	return stored;
}

static void bytes_that_were_read_ahead_do_not_count(void **state)
{
	struct weir_text text = long_trace(4000);
	const char *path;
	uint64_t one;

	(void)state;
	weir_text_repeat(&text, "x", 1000000);
	make_folder();
	path = write_file("trace.json", text.data, text.length);
	one = stored_bytes_of(path, 1);
	assert_true(one < text.length);
	for (int i = 0; i < 5; i++)
		assert_int_equal(stored_bytes_of(path, 4), one);
	remove_folder();
	weir_text_release(&text);
}

static void a_long_trace_loses_no_event(void **state)
{
	struct weir_text text = long_trace(3000);
	struct outcome out =
		read_divided(text.data, text.length, (struct weir_source_division){4, 4096});
	const struct weir_trace *trace = out.profile->inputs[0].trace;

	(void)state;
	assert_int_equal(out.status, WEIR_OK);
	assert_int_equal(out.profile->inputs[0].events, 3000);
	assert_int_equal(trace->host.count, 1000);
	assert_int_equal(trace->device.count, 2000);
	assert_int_equal(out.profile->inputs[0].warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
	weir_profile_free(out.profile);
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_text_is_cut_where_a_look_at_every_comma_cuts_it),
		cmocka_unit_test(a_long_rest_is_cut_at_the_last_boundary),
		cmocka_unit_test(any_number_of_blanks_may_lie_at_a_boundary),
		cmocka_unit_test(a_block_ends_after_the_last_whole_element),
		cmocka_unit_test(blocks_hold_every_byte_once_and_in_order),
		cmocka_unit_test(a_wrong_boundary_does_not_change_the_trace),
		cmocka_unit_test(members_may_follow_the_events),
		cmocka_unit_test(damage_is_found_and_counted_as_by_one_thread),
		cmocka_unit_test(an_event_that_repeats_is_read_as_any_other),
		cmocka_unit_test(events_of_several_patterns_keep_their_order),
		cmocka_unit_test(files_are_read_alike_by_any_number_of_threads),
		cmocka_unit_test(random_documents_do_not_depend_on_the_division),
		cmocka_unit_test(compressed_traces_are_read_alike),
		cmocka_unit_test(bytes_that_were_read_ahead_do_not_count),
		cmocka_unit_test(a_long_trace_loses_no_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
