/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/enums.h"
#include "engine/report/writer.h"

const struct weir_writer weir_writers[] = {
	{.name = "text",
         .suffix = ".txt",
         .title = "for people, on a terminal or in a log",
         .report = weir_write_report_text,
         .gate = weir_write_gate_text},
	{.name = "json",
         .suffix = ".json",
         .title = "for programs: weir.report/1 or weir.gate/1",
         .report = weir_write_report_json,
         .gate = weir_write_gate_json},
	{.name = "markdown",
         .suffix = ".md",
         .title = "for a comment on a change",
         .report = weir_write_report_markdown,
         .gate = weir_write_gate_markdown},
	{.name = "html",
         .suffix = ".html",
         .title = "one page for a browser, which loads nothing",
         .report = weir_write_report_html,
         .gate = weir_write_gate_html},
	{.name = "flame",
         .suffix = ".svg",
         .title = "a flame graph of host and device time, for a browser",
         .detail = true,
         .report = weir_write_flame},
	{.name = "folded",
         .suffix = ".folded",
         .title = "stacks of host and device time, one per line, in nanoseconds",
         .detail = true,
         .report = weir_write_folded},
	{.name = "speedscope",
         .suffix = ".speedscope.json",
         .title = "the same stacks for speedscope",
         .detail = true,
         .report = weir_write_speedscope},
	{.name = "annotated",
         .suffix = ".annotated.json",
         .other_suffix = ".perfetto.json",
         .title = "a trace for Perfetto (also .perfetto.json): critical path, gaps by cause, "
                  "stages with verdicts, waits "
                  "in collectives",
         .detail = true,
         .report = weir_write_annotated},
	{.name = "junit",
         .suffix = ".xml",
         .title = "for the test reports of GitLab, Jenkins and Buildkite",
         .gate = weir_write_junit},
	{.name = "sarif",
         .suffix = ".sarif",
         .title = "SARIF 2.1.0, for code scanning",
         .gate = weir_write_sarif},
	{.name = "annotations",
         .title = "workflow commands that GitHub shows on a change",
         .gate = weir_write_annotations},
	{.name = NULL},
};

bool weir_writer_takes(const struct weir_writer *writer, enum weir_result_kind kind)
{
	return kind == WEIR_RESULT_GATE ? writer->gate != NULL : writer->report != NULL;
}

static enum weir_status fail_unknown_name(enum weir_result_kind kind, const char *name,
                                          struct weir_error *err)
{
	const char *names[WEIR_COUNT_OF(weir_writers)] = {NULL}, *nearest;
	struct weir_text known = {0};
	enum weir_status status;
	size_t count = 0;

	for (const struct weir_writer *writer = weir_writers; writer->name; writer++) {
		if (!weir_writer_takes(writer, kind))
			continue;
		weir_text_printf(&known, "%s%s", count ? ", " : "", writer->name);
		names[count++] = writer->name;
	}
	nearest = weir_text_nearest(name, names);
	status = weir_fail(err, WEIR_E_USAGE, "no format \"%.60s\"%s%s%s; known: %s", name,
	                   nearest ? ", did you mean \"" : "", nearest ? nearest : "",
	                   nearest ? "\"?" : "", known.data);
	weir_text_release(&known);
	return status;
}

enum weir_status weir_writer_find(enum weir_result_kind kind, const char *name,
                                  const struct weir_writer **out, struct weir_error *err)
{
	for (const struct weir_writer *writer = weir_writers; writer->name; writer++) {
		if (weir_writer_takes(writer, kind) && !strcmp(writer->name, name)) {
			*out = writer;
			return WEIR_OK;
		}
	}
	return fail_unknown_name(kind, name, err);
}

static const char gzip_suffix[] = ".gz";

bool weir_writer_compresses(const char *path)
{
	size_t length = strlen(path), suffix = sizeof gzip_suffix - 1;

	return length > suffix && strcmp(path + length - suffix, gzip_suffix) == 0;
}

/* Returns the length of the suffix if the path ends with it, else 0. A suffix of two parts also
 * matches a file without a stem: "speedscope.json". */
static size_t suffix_length(const char *path, const char *suffix)
{
	size_t path_length = strlen(path), length = suffix ? strlen(suffix) : 0;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (weir_writer_compresses(path))
		path_length -= sizeof gzip_suffix - 1;
	if (!length)
		return 0;
	if (path_length > length && !strncmp(path + path_length - length, suffix, length))
		return length;
	return strchr(suffix + 1, '.') && path_length == (size_t)(name - path) + length - 1 &&
	                       !strncmp(name, suffix + 1, length - 1)
	               ? length
	               : 0;
}

enum weir_status weir_writer_for_path(enum weir_result_kind kind, const char *path,
                                      const struct weir_writer **out, struct weir_error *err)
{
	struct weir_text known = {0};
	enum weir_status status = WEIR_OK;
	size_t longest = 0;

	for (const struct weir_writer *writer = weir_writers; writer->name; writer++) {
		size_t length, other;

		if (!weir_writer_takes(writer, kind) || !writer->suffix)
			continue;
		weir_text_printf(&known, "%s%s", known.length ? ", " : "", writer->suffix);
		length = suffix_length(path, writer->suffix);
		other = suffix_length(path, writer->other_suffix);
		length = other > length ? other : length;
		if (length > longest) {
			longest = length;
			*out = writer;
		}
	}
	if (!longest)
		status = weir_fail(
			err, WEIR_E_USAGE,
			"%.200s: the suffix picks the format; known: %s; .gz after it compresses",
			path, known.data);
	weir_text_release(&known);
	return status;
}

enum weir_status weir_writer_choose(enum weir_result_kind kind, const char *format,
                                    const char *path, const struct weir_writer **out,
                                    struct weir_error *err)
{
	if (path && strcmp(path, "-") != 0)
		return weir_writer_for_path(kind, path, out, err);
	return weir_writer_find(kind, format ? format : "text", out, err);
}
