/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "engine/report/format_name.h"
#include "engine/report/gate_writer.h"

const struct weir_gate_writer *const weir_gate_writers[] = {
	&weir_gate_writer_text,        &weir_gate_writer_json,
	&weir_gate_writer_markdown,    &weir_gate_writer_html,
	&weir_gate_writer_junit,       &weir_gate_writer_sarif,
	&weir_gate_writer_annotations, NULL,
};

#define WRITERS (sizeof(weir_gate_writers) / sizeof(weir_gate_writers[0]) - 1)

_Static_assert(WRITERS <= WEIR_FORMAT_MAX_NAMES, "an unknown name is answered with all of them");

static struct weir_format_name name_at(size_t index)
{
	return (struct weir_format_name){weir_gate_writers[index]->name,
	                                 weir_gate_writers[index]->suffix};
}

static const struct weir_format_names names = {WRITERS, name_at};

enum weir_status weir_gate_writer_find(const char *name, const struct weir_gate_writer **out,
                                       struct weir_error *err)
{
	size_t index;
	enum weir_status status = weir_format_by_name(&names, name, &index, err);

	if (!status)
		*out = weir_gate_writers[index];
	return status;
}

enum weir_status weir_gate_writer_for_path(const char *path, const struct weir_gate_writer **out,
                                           struct weir_error *err)
{
	size_t index;
	enum weir_status status = weir_format_by_path(&names, path, &index, err);

	if (!status)
		*out = weir_gate_writers[index];
	return status;
}

void weir_gate_last_line(const struct weir_gate_result *result, struct weir_text *out)
{
	weir_text_printf(out, "weir: verdict=%s exit=%d regressions=%" PRIu64 " judged=%" PRIu64,
	                 weir_gate_verdict_name(result->verdict), result->exit_code,
	                 result->counts.regressions, result->counts.judged);
}
