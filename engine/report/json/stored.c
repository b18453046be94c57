/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/report/json/stored.h"

enum weir_status weir_result_kind_of(const cJSON *document, enum weir_result_kind *kind,
                                     struct weir_error *err)
{
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(document, "schema");
	const char *name = cJSON_GetStringValue(schema);

	if (!cJSON_IsObject(document))
		return weir_fail(err, WEIR_E_FORMAT, "expected an object: a result of weir");
	if (!name || (strcmp(name, "weir.report/1") != 0 && strcmp(name, "weir.gate/1") != 0))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "schema: expected weir.gate/1 or weir.report/1%s%.60s",
		                 name ? ", not " : "", name ? name : "");
	*kind = strcmp(name, "weir.gate/1") ? WEIR_RESULT_REPORT : WEIR_RESULT_GATE;
	return WEIR_OK;
}

/* ---- weir.report/1 ---- */

enum weir_status weir_stored_report_of(const cJSON *document,
                                       const struct weir_feature_table *features,
                                       struct weir_stored_report **out, struct weir_error *err)
{
	struct weir_stored_report *stored = weir_alloc(sizeof(*stored));
	struct weir_document_reader reader = {.max_figure = WEIR_REPORT_MAX_FIGURE, .err = err};
	enum weir_status status;

	*out = NULL;
	stored->profile = weir_profile_new();
	stored->report = weir_report_new(stored->profile);
	stored->report->feature_table = features;
	reader.arena = stored->report->arena;
	reader.root = stored->report;
	reader.context = stored->profile;
	status = weir_document_read(&reader, &weir_report_schema, document);
	if (status)
		weir_stored_report_free(stored);
	else
		*out = stored;
	return status;
}

enum weir_status weir_stored_report_parse(const char *text, size_t len,
                                          const struct weir_feature_table *features,
                                          struct weir_stored_report **out, struct weir_error *err)
{
	enum weir_result_kind kind = WEIR_RESULT_REPORT;
	cJSON *document = NULL;
	enum weir_status status = weir_json_parse(text, len, &document, err);

	*out = NULL;
	if (!status)
		status = weir_result_kind_of(document, &kind, err);
	if (!status && kind != WEIR_RESULT_REPORT)
		status = weir_fail(err, WEIR_E_FORMAT, "schema: expected weir.report/1");
	if (!status)
		status = weir_stored_report_of(document, features, out, err);
	cJSON_Delete(document);
	return status;
}

void weir_stored_report_free(struct weir_stored_report *stored)
{
	if (!stored)
		return;
	weir_report_free(stored->report);
	weir_profile_free(stored->profile);
	free(stored);
}

/* ---- weir.gate/1 ---- */

enum weir_status weir_gate_of(const cJSON *document, struct weir_gate_result **out,
                              struct weir_error *err)
{
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_document_reader reader = {
		.arena = result->arena, .root = result, .max_figure = INFINITY, .err = err};
	enum weir_status status = weir_document_read(&reader, &weir_gate_schema, document);

	*out = status ? NULL : result;
	if (status)
		weir_gate_result_free(result);
	return status;
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
