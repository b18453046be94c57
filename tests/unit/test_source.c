/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/source.h"
#include "engine/base/text.h"
#include "tests/unit/packed.h"

typedef struct bytes (*pack)(const void *data, size_t len);

static const pack packers[] = {plain_bytes, gzip_bytes, zstd_bytes};

#define PACKERS (sizeof(packers) / sizeof(packers[0]))

/* Returns the rest of the source; the caller releases it. */
static struct weir_text read_all(struct weir_source *source)
{
	struct weir_text all = {0};
	const char *data;
	size_t len;

	do {
		struct weir_error err = {0};

		if (weir_source_next(source, &data, &len, &err))
			fail_msg("cannot read on: %s", err.message);
		weir_text_add(&all, data, len);
		assert_true(weir_source_position(source) == all.length);
	} while (len > 0);
	return all;
}

static struct weir_source *open_bytes(const struct bytes *bytes)
{
	struct weir_source *source = NULL;
	struct weir_error err = {0};

	if (weir_source_open_memory("memory", bytes->data, bytes->len, &source, &err))
		fail_msg("cannot open: %s", err.message);
	return source;
}

static struct weir_source *open_path(const char *path)
{
	struct weir_source *source = NULL;
	struct weir_error err = {0};

	if (weir_source_open(path, &source, &err))
		fail_msg("cannot open %s: %s", path, err.message);
	return source;
}

/* Reads to the end, compares with `expected`, with or without damage, and frees the source. */
static void assert_gives(struct weir_source *source, const void *expected, size_t len,
                         const char *damage)
{
	struct weir_text all = read_all(source);

	assert_int_equal(all.length, len);
	assert_memory_equal(all.data, expected, len);
	if (damage)
		assert_string_equal(weir_source_damage(source), damage);
	else
		assert_null(weir_source_damage(source));
	weir_text_release(&all);
	weir_source_free(source);
}

static void every_encoding_gives_the_same_bytes(void **state)
{
	struct bytes text = event_text(3500000); /* several buffers long */

	(void)state;
	for (size_t i = 0; i < PACKERS; i++) {
		struct bytes packed = packers[i](text.data, text.len);
		struct weir_source *source =
			open_path(write_file("events", packed.data, packed.len));
		const char *head;
		size_t len;

		assert_true(weir_source_stored_size(source) == packed.len);
		assert_int_equal(weir_source_head(source, &head, &len, NULL), WEIR_OK);
		assert_int_equal(len, WEIR_HEAD_SIZE);
		assert_memory_equal(head, text.data, len);
		assert_true(weir_source_position(source) == 0);
		assert_gives(source, text.data, text.len, NULL);
		source = open_bytes(&packed);
		assert_gives(source, text.data, text.len, NULL);
		free(packed.data);
	}
	free(text.data);
}

static void stored_bytes_reach_the_size_of_the_file(void **state)
{
	struct bytes text = event_text(2500000);
	struct bytes packed = gzip_bytes(text.data, text.len);
	struct weir_source *source = open_path(write_file("events.gz", packed.data, packed.len));
	struct weir_text all = read_all(source);

	(void)state;
	assert_true(weir_source_stored_bytes(source) == packed.len);
	weir_text_release(&all);
	weir_source_free(source);
	free(packed.data);
	free(text.data);
}

static void a_short_head_is_all_there_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < PACKERS; i++) {
		struct bytes packed = packers[i]("[{}]", 4);
		struct weir_source *source = open_bytes(&packed);
		const char *head;
		size_t len;

		assert_int_equal(weir_source_head(source, &head, &len, NULL), WEIR_OK);
		assert_int_equal(len, 4);
		assert_int_equal(weir_source_head(source, &head, &len, NULL), WEIR_OK);
		assert_memory_equal(head, "[{}]", 4);
		assert_gives(source, "[{}]", 4, NULL);
		free(packed.data);
	}
}

static void an_empty_input_ends_at_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < PACKERS; i++) {
		struct bytes packed = packers[i]("", 0);
		struct weir_source *source =
			open_path(write_file("empty", packed.data, packed.len));
		const char *head;
		size_t len = 1;

		assert_int_equal(weir_source_head(source, &head, &len, NULL), WEIR_OK);
		assert_int_equal(len, 0);
		assert_gives(source, "", 0, NULL);
		assert_gives(open_bytes(&packed), "", 0, NULL);
		free(packed.data);
	}
}

/* Reads to the end or to a failure, and frees the source. */
static enum weir_status read_through(struct weir_source *source, struct weir_error *err)
{
	enum weir_status status;
	const char *data;
	size_t len;

	do
		status = weir_source_next(source, &data, &len, err);
	while (!status && len > 0);
	weir_source_free(source);
	return status;
}

static void a_decompression_bomb_is_refused(void **state)
{
	size_t harmless = (size_t)WEIR_SOURCE_RATIO_FROM, len = harmless + (2u << 20);
	char *zeros = calloc(1, len);
	struct bytes packed = zstd_bytes(zeros, harmless);
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(read_through(open_bytes(&packed), &err), WEIR_OK);
	free(packed.data);
	packed = zstd_bytes(zeros, len);
	assert_int_equal(read_through(open_bytes(&packed), &err), WEIR_E_LIMIT);
	assert_non_null(strstr(err.message, "more than 500 times its size"));
	free(packed.data);
	packed = plain_bytes(zeros, len);
	assert_int_equal(read_through(open_bytes(&packed), &err), WEIR_OK);
	free(packed.data);
	free(zeros);
}

static void members_and_frames_follow_each_other(void **state)
{
	struct bytes text = event_text(700000);
	size_t half = text.len / 2;

	(void)state;
	for (size_t i = 0; i < PACKERS; i++) {
		struct bytes packed = joined_bytes(packers[i](text.data, half), packers[i]("", 0));

		packed = joined_bytes(packed, packers[i](text.data + half, text.len - half));
		assert_gives(open_bytes(&packed), text.data, text.len, NULL);
		free(packed.data);
	}
	free(text.data);
}

static void zero_bytes_may_pad_a_gzip(void **state)
{
	struct bytes packed = joined_bytes(gzip_bytes("one", 3), plain_bytes("\0\0\0\0\0", 5));

	(void)state;
	packed = joined_bytes(packed, gzip_bytes("two", 3));
	packed = joined_bytes(packed, plain_bytes("\0\0", 2));
	assert_gives(open_bytes(&packed), "onetwo", 6, NULL);
	free(packed.data);
}

static void stray_bytes_after_the_end_are_damage(void **state)
{
	struct bytes gzip = joined_bytes(gzip_bytes("[]", 2), plain_bytes("stray bytes here", 16));
	struct bytes zstd = joined_bytes(zstd_bytes("[]", 2), plain_bytes("stray bytes here", 16));

	(void)state;
	assert_gives(open_bytes(&gzip), "[]", 2, "bytes that are no gzip follow its last member");
	assert_gives(open_bytes(&zstd), "[]", 2, "bytes that are no zstd follow its last frame");
	free(gzip.data);
	free(zstd.data);
}

static void a_skippable_frame_may_come_first(void **state)
{
	struct bytes packed =
		joined_bytes(plain_bytes("\x50\x2a\x4d\x18\3\0\0\0abc", 11), zstd_bytes("[]", 2));

	(void)state;
	assert_gives(open_bytes(&packed), "[]", 2, NULL);
	free(packed.data);
}

/* Reads a stream cut at `len`, which must give a prefix of the text. Returns the length of the
 * prefix. */
static size_t read_cut(const struct bytes *packed, size_t len, const struct bytes *text)
{
	struct bytes cut = {packed->data, len};
	struct weir_source *source = open_bytes(&cut);
	struct weir_text all = read_all(source);
	size_t given = all.length;

	assert_true(given <= text->len);
	assert_memory_equal(all.data, text->data, given);
	assert_string_equal(weir_source_damage(source), "it ends inside its compressed data");
	weir_text_release(&all);
	weir_source_free(source);
	return given;
}

static void a_truncated_stream_gives_what_was_there(void **state)
{
	struct bytes text = event_text(1500000);

	(void)state;
	for (size_t i = 1; i < PACKERS; i++) {
		struct bytes packed = packers[i](text.data, text.len);
		size_t before = 0;

		for (size_t len = 4; len < packed.len; len += len < 300 ? 1 : packed.len / 37) {
			size_t given = read_cut(&packed, len, &text);

			assert_true(given >= before);
			before = given;
		}
		assert_true(read_cut(&packed, packed.len - 1, &text) == text.len);
		assert_true(read_cut(&packed, packed.len / 2, &text) > text.len / 3);
		free(packed.data);
	}
	free(text.data);
}

static void every_cut_of_a_small_stream_is_seen(void **state)
{
	struct bytes text = event_text(3000);

	(void)state;
	for (size_t i = 1; i < PACKERS; i++) {
		struct bytes packed = packers[i](text.data, text.len);

		for (size_t len = 4; len < packed.len; len++)
			read_cut(&packed, len, &text);
		free(packed.data);
	}
	free(text.data);
}

static void a_changed_bit_is_damage_or_harmless(void **state)
{
	struct bytes text = event_text(3000);

	(void)state;
	for (size_t i = 1; i < PACKERS; i++) {
		struct bytes packed = packers[i](text.data, text.len);

		for (size_t bit = 32; bit < packed.len * 8; bit++) {
			struct weir_source *source;
			struct weir_text all;

			packed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			source = open_bytes(&packed);
			all = read_all(source);
			if (!weir_source_damage(source)) {
				assert_int_equal(all.length, text.len);
				assert_memory_equal(all.data, text.data, text.len);
			}
			weir_text_release(&all);
			weir_source_free(source);
			packed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		free(packed.data);
	}
	free(text.data);
}

static void a_wrong_checksum_comes_after_the_data(void **state)
{
	struct bytes packed = gzip_bytes("[{\"ph\": \"X\"}]", 13);

	(void)state;
	packed.data[packed.len - 8] ^= 1;
	assert_gives(open_bytes(&packed), "[{\"ph\": \"X\"}]", 13,
	             "its gzip checksum does not match");
	free(packed.data);
}

static void a_byte_order_mark_is_no_content(void **state)
{
	(void)state;
	for (size_t i = 0; i < PACKERS; i++) {
		struct bytes packed = packers[i]("\xef\xbb\xbf[1]", 6);
		struct weir_source *source = open_bytes(&packed);
		const char *head;
		size_t len;

		assert_int_equal(weir_source_head(source, &head, &len, NULL), WEIR_OK);
		assert_int_equal(len, 3);
		assert_memory_equal(head, "[1]", 3);
		assert_gives(source, "[1]", 3, NULL);
		assert_gives(open_bytes(&packed), "[1]", 3, NULL);
		free(packed.data);
	}
}

static void other_encodings_of_text_are_refused_by_name(void **state)
{
	static const struct {
		const char *bytes;
		const char *name;
		size_t packer;
	} cases[] = {{"\xff\xfe[\0", "UTF-16LE", 1},
	             {"\xfe\xff\0[", "UTF-16BE", 1},
	             {"\xff\xfe\0\0", "UTF-32LE", 0},
	             {"\0\0\xfe\xff", "UTF-32BE", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes packed = packers[cases[i].packer](cases[i].bytes, 4);
		struct weir_source *source = NULL;
		struct weir_error err = {0};

		assert_int_equal(
			weir_source_open_memory("x", packed.data, packed.len, &source, &err),
			WEIR_E_FORMAT);
		assert_non_null(strstr(err.message, cases[i].name));
		free(packed.data);
	}
}

static void text_in_utf16_is_read_as_utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *text, *damage;
	} cases[] = {
		{"\xff\xfe[\0", 4, "[", NULL},
		{"\xfe\xff\0[", 4, "[", NULL},
		/* One, two, three and four bytes, and the last of each length. */
		{"\xfe\xff\0\x7f\0\x80\x07\xff\x08\0\xff\xff", 12,
	         "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", NULL},
		{"\xfe\xff\xd8\0\xdc\0\xdb\xff\xdf\xff", 10, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
	         NULL},
		/* Halves of pairs. */
		{"\xfe\xff\xd8\0\0a\xdc\0\0b", 10,
	         "\xef\xbf\xbd"
	         "a\xef\xbf\xbd"
	         "b",
	         NULL},
		{"\xfe\xff\0a\xd8\0", 6, "a", "it ends inside a character"},
		{"\xff\xfe[\0]", 5, "[", "it ends inside a character"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes bytes = packers[0](cases[i].bytes, cases[i].length);

		assert_gives(open_bytes(&bytes), cases[i].text, strlen(cases[i].text),
		             cases[i].damage);
		free(bytes.data);
	}
}

/* A buffer ends between the bytes of a unit, between two halves of a pair, or inside a character.
 */
static void long_text_in_utf16_is_read_whole(void **state)
{
	enum { PAIRS = 700000 };
	static const unsigned char start[4] = {0xfe, 0xff, 0, 'a'};
	static const unsigned char pair[4] = {0xd8, 0x3d, 0xde, 0x80};
	static const unsigned char character[4] = {0xf0, 0x9f, 0x9a, 0x80};
	char *units = weir_alloc(4 + 4 * (size_t)PAIRS), *text = weir_alloc(1 + 4 * (size_t)PAIRS);
	struct bytes bytes;

	(void)state;
	memcpy(units, start, 4);
	text[0] = 'a';
	for (size_t i = 0; i < PAIRS; i++) {
		memcpy(units + 4 + 4 * i, pair, 4);
		memcpy(text + 1 + 4 * i, character, 4);
	}
	bytes = packers[0](units, 4 + 4 * (size_t)PAIRS);
	assert_gives(open_bytes(&bytes), text, 1 + 4 * (size_t)PAIRS, NULL);
	free(bytes.data);
	free(units);
	free(text);
}

static void what_cannot_be_opened_says_why(void **state)
{
	struct weir_source *source = NULL;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_source_open(path_in_folder("missing"), &source, &err), WEIR_E_IO);
	assert_string_equal(err.message, "cannot open: No such file or directory");
	assert_int_equal(weir_source_open(path_in_folder(""), &source, &err), WEIR_E_IO);
	assert_string_equal(err.message, "cannot read: it is a directory");
	assert_null(source);
}

/* Writes the bytes one at a time into a pipe, from another process. */
static pid_t trickle(const char *path, const struct bytes *bytes)
{
	pid_t writer;

	assert_int_equal(mkfifo(path, 0600), 0);
	writer = fork();
	if (writer == 0) {
		FILE *file = fopen(path, "wb");

		setvbuf(file, NULL, _IONBF, 0);
		for (size_t i = 0; i < bytes->len; i++)
			fputc(bytes->data[i], file);
		fclose(file);
		_exit(0);
	}
	return writer;
}

static void a_pipe_that_trickles_gives_everything(void **state)
{
	struct bytes text = event_text(300000);

	(void)state;
	for (size_t i = 0; i < PACKERS; i++) {
		struct bytes packed = packers[i](text.data, text.len);
		pid_t writer = trickle(path_in_folder("pipe"), &packed);
		struct weir_source *source = open_path(path_in_folder("pipe"));

		assert_true(weir_source_stored_size(source) == 0);
		assert_gives(source, text.data, text.len, NULL);
		assert_int_equal(waitpid(writer, NULL, 0), writer);
		assert_int_equal(unlink(path_in_folder("pipe")), 0);
		free(packed.data);
	}
	free(text.data);
}

static void a_dash_is_standard_input(void **state)
{
	struct bytes packed = gzip_bytes("[2]", 3);
	struct weir_source *source;

	(void)state;
	assert_non_null(freopen(write_file("input", packed.data, packed.len), "rb", stdin));
	source = open_path("-");
	assert_string_equal(weir_source_name(source), "standard input");
	assert_true(weir_source_stored_size(source) == 0);
	assert_gives(source, "[2]", 3, NULL);
	free(packed.data);
}

static int set_up(void **state)
{
	(void)state;
	make_folder();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_encoding_gives_the_same_bytes),
		cmocka_unit_test(stored_bytes_reach_the_size_of_the_file),
		cmocka_unit_test(a_short_head_is_all_there_is),
		cmocka_unit_test(an_empty_input_ends_at_once),
		cmocka_unit_test(a_decompression_bomb_is_refused),
		cmocka_unit_test(members_and_frames_follow_each_other),
		cmocka_unit_test(zero_bytes_may_pad_a_gzip),
		cmocka_unit_test(stray_bytes_after_the_end_are_damage),
		cmocka_unit_test(a_skippable_frame_may_come_first),
		cmocka_unit_test(a_truncated_stream_gives_what_was_there),
		cmocka_unit_test(every_cut_of_a_small_stream_is_seen),
		cmocka_unit_test(a_changed_bit_is_damage_or_harmless),
		cmocka_unit_test(a_wrong_checksum_comes_after_the_data),
		cmocka_unit_test(a_byte_order_mark_is_no_content),
		cmocka_unit_test(other_encodings_of_text_are_refused_by_name),
		cmocka_unit_test(text_in_utf16_is_read_as_utf8),
		cmocka_unit_test(long_text_in_utf16_is_read_whole),
		cmocka_unit_test(what_cannot_be_opened_says_why),
		cmocka_unit_test(a_pipe_that_trickles_gives_everything),
		cmocka_unit_test(a_dash_is_standard_input),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
