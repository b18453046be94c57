/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/json.h"
#include "engine/report/json/gate_read.h"
#include "engine/report/json/gate_read_impl.h"

/* ---- the document ---- */

static void read_codes(struct weir_result_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->gate;
	size_t limit = sizeof(result->codes) / sizeof(result->codes[0]), count, i = 0;
	const cJSON *item, *list = weir_result_take_array(reader, document, "codes", limit, &count);

	cJSON_ArrayForEach (item, list) {
		uint64_t code = weir_result_count_of(reader, "codes", item);

		if (code > WEIR_GATE_MAX_EXIT)
			weir_result_fail(reader, WEIR_E_FORMAT, "codes", "exit codes");
		if (reader->status)
			return;
		result->codes[i++] = (int)code;
	}
	result->code_count = count;
}

static void read_verdict(struct weir_result_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->gate;
	const char *verdict = weir_result_take_text(reader, document, "verdict");
	const char *method = weir_result_take_text(reader, document, "method");
	uint64_t code = weir_result_take_count(reader, document, "exit");
	const cJSON *alpha;

	if (!verdict || !weir_gate_verdict_parse(verdict, &result->verdict))
		weir_result_fail(reader, WEIR_E_FORMAT, "verdict", "a verdict of weir.gate/1");
	if (method && !weir_method_parse(method, &result->method))
		weir_result_fail(reader, WEIR_E_FORMAT, "method", "a method of weir.gate/1");
	if (code > WEIR_GATE_MAX_EXIT || !weir_result_take(reader, document, "exit"))
		weir_result_fail(reader, WEIR_E_FORMAT, "exit", "an exit code");
	result->exit_code = (int)code;
	read_codes(reader, document);
	alpha = weir_result_take_object(reader, document, "alpha");
	result->alpha_operators = weir_result_take_number(reader, alpha, "operators");
	result->alpha_stages = weir_result_take_number(reader, alpha, "stages");
}

enum weir_status weir_gate_of(const cJSON *document, struct weir_gate_result **out,
                              struct weir_error *err)
{
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_result_reader reader = {.arena = result->arena, .gate = result, .err = err};

	*out = NULL;
	read_verdict(&reader, document);
	weir_gate_read_sides(&reader, document);
	weir_gate_read_rows(&reader, document);
	weir_gate_read_tail(&reader, document);
	if (reader.status)
		weir_gate_result_free(result);
	else
		*out = result;
	return reader.status;
}

static enum weir_status read_document(const cJSON *document, enum weir_result_kind *kind,
                                      struct weir_gate_result **out, struct weir_error *err)
{
	enum weir_status status = weir_result_kind_of(document, kind, err);

	return status || *kind == WEIR_RESULT_REPORT ? status : weir_gate_of(document, out, err);
}

enum weir_status weir_gate_parse(const char *text, size_t len, enum weir_result_kind *kind,
                                 struct weir_gate_result **out, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_parse(text, len, &document, err);

	*out = NULL;
	if (!status)
		status = read_document(document, kind, out, err);
	cJSON_Delete(document);
	return status;
}

enum weir_status weir_gate_read(struct weir_source *source, enum weir_result_kind *kind,
                                struct weir_gate_result **out, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	*out = NULL;
	if (!status)
		status = read_document(document, kind, out, err);
	if (status)
		weir_fail_in(err, "%s", weir_source_name(source));
	cJSON_Delete(document);
	return status;
}
