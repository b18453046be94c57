/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "engine/report/gate_writer.h"

const struct weir_gate_writer *const weir_gate_writers[] = {
	&weir_gate_writer_text,
	&weir_gate_writer_json,
	&weir_gate_writer_markdown,
	&weir_gate_writer_junit,
	&weir_gate_writer_sarif,
	&weir_gate_writer_annotations,
	NULL,
};

#define WRITERS (sizeof(weir_gate_writers) / sizeof(weir_gate_writers[0]) - 1)

/* "text, json, ..." or, by suffix, ".txt, .json, ..."; a writer without a suffix is left out. */
static void list_writers(struct weir_text *out, bool by_suffix)
{
	for (size_t i = 0; i < WRITERS; i++) {
		const struct weir_gate_writer *writer = weir_gate_writers[i];
		const char *text = by_suffix ? writer->suffix : writer->name;

		if (text)
			weir_text_printf(out, "%s%s", out->length ? ", " : "", text);
	}
}

static enum weir_status fail_unknown_name(const char *name, struct weir_error *err)
{
	const char *names[WRITERS + 1] = {NULL};
	struct weir_text known = {0};
	const char *nearest;
	enum weir_status status;

	for (size_t i = 0; i < WRITERS; i++)
		names[i] = weir_gate_writers[i]->name;
	nearest = weir_text_nearest(name, names);
	list_writers(&known, false);
	status = weir_fail(err, WEIR_E_USAGE, "no format \"%.60s\"%s%s%s; known: %s", name,
	                   nearest ? ", did you mean \"" : "", nearest ? nearest : "",
	                   nearest ? "\"?" : "", known.data);
	weir_text_release(&known);
	return status;
}

enum weir_status weir_gate_writer_find(const char *name, const struct weir_gate_writer **out,
                                       struct weir_error *err)
{
	for (size_t i = 0; i < WRITERS; i++) {
		if (!strcmp(weir_gate_writers[i]->name, name)) {
			*out = weir_gate_writers[i];
			return WEIR_OK;
		}
	}
	return fail_unknown_name(name, err);
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t path_length = strlen(path), length = suffix ? strlen(suffix) : 0;

	return length && path_length > length && !strcmp(path + path_length - length, suffix);
}

enum weir_status weir_gate_writer_for_path(const char *path, const struct weir_gate_writer **out,
                                           struct weir_error *err)
{
	struct weir_text known = {0};
	enum weir_status status;

	for (size_t i = 0; i < WRITERS; i++) {
		if (has_suffix(path, weir_gate_writers[i]->suffix)) {
			*out = weir_gate_writers[i];
			return WEIR_OK;
		}
	}
	list_writers(&known, true);
	status = weir_fail(err, WEIR_E_USAGE, "%.200s: the suffix picks the format; known: %s",
	                   path, known.data);
	weir_text_release(&known);
	return status;
}

void weir_gate_last_line(const struct weir_gate_result *result, struct weir_text *out)
{
	weir_text_printf(out, "weir: verdict=%s exit=%d regressions=%" PRIu64 " judged=%" PRIu64,
	                 weir_gate_verdict_name(result->verdict), result->exit_code,
	                 result->counts.regressions, result->counts.judged);
}
