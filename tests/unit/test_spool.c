/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/source.h"
#include "engine/base/spool.h"
#include "tests/unit/packed.h"

/* ---- the spool ---- */

/* The folder of temporary files. */
static const char *folder;

static int set_up(void **state)
{
	(void)state;
	folder = make_folder();
	return setenv("TMPDIR", folder, 1);
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder();
	return 0;
}

/* Returns the number of entries of that folder. */
static size_t entries(void)
{
	DIR *stream = opendir(folder);
	size_t count = 0;

	assert_non_null(stream);
	while (readdir(stream))
		count++;
	closedir(stream);
	return count - 2; /* "." and ".." */
}

/* Fills a spool with bytes that count up, in pieces, and expects to get them back. */
static void expect_bytes(size_t length, size_t piece, bool in_file)
{
	struct weir_spool spool = WEIR_SPOOL_EMPTY;
	char *bytes = test_malloc(length + 1), *held;
	size_t len;

	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)(i * 7 + i / 251);
	for (size_t at = 0; at < length; at += piece)
		assert_int_equal(weir_spool_add(&spool, bytes + at,
		                                length - at < piece ? length - at : piece, NULL),
		                 WEIR_OK);
	assert_int_equal(spool.fd >= 0, in_file);
	assert_int_equal(weir_spool_bytes(&spool, &held, &len, NULL), WEIR_OK);
	assert_int_equal(len, length);
	assert_memory_equal(held, bytes, length);
	weir_spool_release(&spool);
	assert_int_equal(spool.length, 0);
	test_free(bytes);
}

static void bytes_come_back_from_memory_and_from_a_file(void **state)
{
	(void)state;
	expect_bytes(0, 1, false);
	expect_bytes(1, 1, false);
	expect_bytes(WEIR_SPOOL_IN_MEMORY, 1 << 20, false);
	expect_bytes(WEIR_SPOOL_IN_MEMORY + 1, 1 << 20, true);
	expect_bytes(WEIR_SPOOL_IN_MEMORY * 3 + 5, 3000001, true);
	assert_int_equal(entries(), 0);
}

static void the_file_has_no_name(void **state)
{
	struct weir_spool spool = WEIR_SPOOL_EMPTY;
	char *zeros = test_calloc(1, WEIR_SPOOL_IN_MEMORY + 1);

	(void)state;
	assert_int_equal(weir_spool_add(&spool, zeros, WEIR_SPOOL_IN_MEMORY + 1, NULL), WEIR_OK);
	assert_true(spool.fd >= 0);
	assert_int_equal(entries(), 0);
	weir_spool_release(&spool);
	test_free(zeros);
}

static void bytes_can_be_added_after_a_look(void **state)
{
	struct weir_spool spool = WEIR_SPOOL_EMPTY;
	char *zeros = test_calloc(1, WEIR_SPOOL_IN_MEMORY + 1), *held;
	size_t len;

	(void)state;
	assert_int_equal(weir_spool_add(&spool, zeros, WEIR_SPOOL_IN_MEMORY + 1, NULL), WEIR_OK);
	assert_int_equal(weir_spool_bytes(&spool, &held, &len, NULL), WEIR_OK);
	held[0] = 'x'; /* not in the file */
	assert_int_equal(weir_spool_add(&spool, "end", 3, NULL), WEIR_OK);
	assert_int_equal(weir_spool_bytes(&spool, &held, &len, NULL), WEIR_OK);
	assert_int_equal(len, WEIR_SPOOL_IN_MEMORY + 4);
	assert_int_equal(held[0], 0);
	assert_memory_equal(held + len - 3, "end", 3);
	weir_spool_release(&spool);
	test_free(zeros);
}

static void a_folder_that_is_missing_is_named(void **state)
{
	struct weir_spool spool = WEIR_SPOOL_EMPTY;
	char *zeros = test_calloc(1, WEIR_SPOOL_IN_MEMORY + 1);
	struct weir_error err = {0};

	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(weir_spool_add(&spool, zeros, WEIR_SPOOL_IN_MEMORY, &err), WEIR_OK);
	assert_int_equal(weir_spool_add(&spool, zeros, 1, &err), WEIR_E_IO);
	assert_non_null(strstr(err.message, "/nonexistent"));
	assert_non_null(strstr(err.message, "set TMPDIR"));
	weir_spool_release(&spool);
	test_free(zeros);
	setenv("TMPDIR", folder, 1);
}

/* ---- a source that is held ---- */

/* Expects to get the text from a source twice, and then by reading it. Frees the bytes. */
static void expect_held(struct bytes bytes, const char *text)
{
	struct weir_source *source;
	const char *read;
	char *data;
	size_t len;

	assert_int_equal(weir_source_open_memory("test", bytes.data, bytes.len, &source, NULL),
	                 WEIR_OK);
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(weir_source_hold(source, strlen(text), &data, &len, NULL),
		                 WEIR_OK);
		assert_int_equal(len, strlen(text));
		assert_memory_equal(data, text, len);
		assert_int_equal(weir_source_position(source), 0);
		assert_int_equal(weir_source_head(source, &read, &len, NULL), WEIR_OK);
		assert_int_equal(len, strlen(text));
	}
	assert_int_equal(weir_source_next(source, &read, &len, NULL), WEIR_OK);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(read, text, len);
	assert_int_equal(weir_source_next(source, &read, &len, NULL), WEIR_OK);
	assert_int_equal(len, 0);
	weir_source_free(source);
	free(bytes.data);
}

static void a_source_can_be_held_and_read_again(void **state)
{
	(void)state;
	expect_held(plain_bytes("some text", 9), "some text");
	expect_held(gzip_bytes("some text", 9), "some text");
	expect_held(zstd_bytes("some text", 9), "some text");
	expect_held(plain_bytes("", 0), "");
}

static void held_bytes_have_a_limit(void **state)
{
	struct weir_source *source;
	struct weir_error err = {0};
	char *data;
	size_t len;

	(void)state;
	assert_int_equal(weir_source_open_memory("test", "some text", 9, &source, NULL), WEIR_OK);
	assert_int_equal(weir_source_hold(source, 8, &data, &len, &err), WEIR_E_LIMIT);
	assert_non_null(strstr(err.message, "more than 8 bytes"));
	weir_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_come_back_from_memory_and_from_a_file),
		cmocka_unit_test(the_file_has_no_name),
		cmocka_unit_test(bytes_can_be_added_after_a_look),
		cmocka_unit_test(a_folder_that_is_missing_is_named),
		cmocka_unit_test(a_source_can_be_held_and_read_again),
		cmocka_unit_test(held_bytes_have_a_limit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
