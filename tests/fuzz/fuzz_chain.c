/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through all of weir: reads them as one file or as several that belong together,
 * analyses and judges them, and writes the report in every format. Parts of the input are separated
 * by a line "%%". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/include/weir/weir.h"

#define MAX_FILES 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

/* Divides the input at its separators. Returns the number of files. */
static size_t divide(const uint8_t *data, size_t size, struct weir_buffer *files)
{
	static const char *const names[MAX_FILES] = {"first", "second", "third", "fourth"};
	size_t count = 0, from = 0;

	for (size_t i = 0; i <= size; i++) {
		bool separated = i + 4 <= size && memcmp(data + i, "\n%%\n", 4) == 0;

		if (i < size && !(separated && count + 1 < MAX_FILES))
			continue;
		files[count] = (struct weir_buffer){names[count], data + from, i - from};
		count++;
		from = i + 4;
		i += i < size ? 3 : 0;
	}
	return count;
}

static void require_json(const char *text)
{
	struct weir_error err = {0};
	cJSON *document = NULL;

	require(!weir_json_parse(text, strlen(text), &document, &err));
	cJSON_Delete(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = {"text",  "json",   "markdown",   "html",
	                                      "flame", "folded", "speedscope", "annotated"};
	struct weir_buffer files[MAX_FILES];
	struct weir_options options;
	struct weir_result *result;

	weir_options_init(&options, sizeof options);
	options.drawings = 1;
	result = weir_classify_memory(files, divide(data, size, files), &options);
	require(result != NULL);
	require((weir_result_code(result) == 0) == (weir_result_error(result) == NULL));
	for (size_t i = 0; weir_result_code(result) == 0 && i < sizeof formats / sizeof *formats;
	     i++) {
		const char *text = weir_result_render(result, formats[i]);

		/* A drawing of nothing is refused. */
		require(text || (i >= 4 && weir_result_error(result)));
		if (text && (i == 1 || i >= 6))
			require_json(text);
	}
	weir_result_free(result);
	return 0;
}
