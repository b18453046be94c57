/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public calls of weir.h, each a few lines over the parts. */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/cli/command.h"
#include "engine/include/weir/weir.h"
#include "engine/pipeline/classify.h"
#include "engine/report/writer.h"

struct weir_result {
	struct weir_classification *classification; /* NULL: the inputs gave none */
	struct weir_text rendered;
	struct weir_error error;
};

const char *weir_version(void)
{
	return WEIR_VERSION;
}

struct weir_result *weir_classify_files(const char *const *paths, size_t count)
{
	struct weir_classify_request request = {.paths = paths, .path_count = count};
	struct weir_result *result = weir_alloc(sizeof(*result));

	if (count == 0)
		weir_fail(&result->error, WEIR_E_USAGE, "no input was given");
	else if (weir_classify(&request, &result->classification, &result->error))
		result->classification = NULL;
	return result;
}

void weir_result_free(struct weir_result *result)
{
	if (!result)
		return;
	if (result->classification)
		weir_classification_free(result->classification);
	weir_text_release(&result->rendered);
	free(result);
}

int weir_result_code(const struct weir_result *result)
{
	return (int)weir_exit_of(result->error.status);
}

const char *weir_result_error(const struct weir_result *result)
{
	return result->error.status ? result->error.message : NULL;
}

const char *weir_result_render(struct weir_result *result, const char *format)
{
	const struct weir_write_options how = {0};
	const struct weir_writer *writer;

	if (!result->classification)
		return NULL; /* error says why the inputs gave nothing */
	result->error = (struct weir_error){0};
	if (weir_writer_find(format, &writer, &result->error))
		return NULL;
	weir_text_clear(&result->rendered);
	writer->write(weir_classification_report(result->classification), &how, &result->rendered);
	return result->rendered.data;
}
