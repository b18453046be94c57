/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weir as a library: profiles of one run in, a report out.
 *
 *	struct weir_result *result = weir_classify_files(paths, count);
 *	const char *json = weir_result_render(result, "json");
 *	if (!json)
 *		fprintf(stderr, "%s\n", weir_result_error(result));
 *	weir_result_free(result);
 *
 * A result is used by one thread at a time; different results are independent. Out of memory ends
 * the process.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_API __attribute__((visibility("default")))

WEIR_API const char *weir_version(void); /* "0.1.0" */

struct weir_result;

/* Reads the files (formats are recognised by content) as parts of one run and judges it. Never
 * NULL; the caller frees it with weir_result_free(). */
WEIR_API struct weir_result *weir_classify_files(const char *const *paths, size_t count);
WEIR_API void weir_result_free(struct weir_result *result); /* NULL is nothing to free */

/* 0, or the exit code that `weir classify` would end with: 2 usage, 7 input, 9 internal. */
WEIR_API int weir_result_code(const struct weir_result *result);
/* Why the last call failed, in one line; NULL where it did not. Borrowed until the next call. */
WEIR_API const char *weir_result_error(const struct weir_result *result);
/* The report as "text", "json", "markdown" or "html"; NULL where there is none. Borrowed until the
 * next call. */
WEIR_API const char *weir_result_render(struct weir_result *result, const char *format);

#ifdef __cplusplus
}
#endif

#endif
