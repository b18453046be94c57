/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `query`: answers SQL about a result, which may first be made from a profile. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/classify.h"
#include "engine/query/answer.h"
#include "engine/report/writer.h"

#define DEFAULT_ROWS    10000
#define DEFAULT_SECONDS 10

static const char *const formats[] = {
	[WEIR_QUERY_AS_TEXT] = "text",
	[WEIR_QUERY_AS_JSON] = "json",
	[WEIR_QUERY_AS_CSV] = "csv",
	NULL,
};

static const struct weir_option options[] = {
	{.name = "schema",
         .help = "list the tables and columns with their units; without INPUT, those of both kinds "
                 "of result"},
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_CHOICE,
         .value = "FORMAT",
         .choices = formats,
         .help = "format of the answer: text (long texts are cut), json (a list of objects) or "
                 "csv"},
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .help = "write the answer to FILE; - is standard output"},
	{.name = "limit",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "rows of the answer at most (default 10000); a remark says if there are more"},
	{.name = "seconds",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "end a query that takes longer (default 10)"},
	WEIR_SETTINGS_OPTION("for a profile: "),
	{.name = NULL},
};

static enum weir_query_form form_of(const struct weir_arguments *arguments)
{
	const char *name = weir_option_text(arguments, "format");
	unsigned form = WEIR_QUERY_AS_TEXT;

	for (unsigned i = 0; name && formats[i]; i++)
		if (strcmp(formats[i], name) == 0)
			form = i;
	return (enum weir_query_form)form;
}

/* ---- the result ---- */

/* Returns true if the first bytes name the schema of a result. */
static bool is_result(const char *head, size_t len)
{
	static const char *const names[] = {"\"weir.report/1\"", "\"weir.gate/1\""};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t size = strlen(names[i]);

		for (size_t at = 0; at + size <= len; at++)
			if (head[at] == '"' && memcmp(head + at, names[i], size) == 0)
				return true;
	}
	return false;
}

/* Reads a stored result. *out stays NULL for any other input: a profile, a folder, an address. */
static enum weir_status read_result(const char *path, cJSON **out, struct weir_error *err)
{
	struct weir_source *source;
	const char *head;
	size_t len = 0;
	enum weir_status status;

	*out = NULL;
	if (weir_source_open(path, &source, NULL))
		return WEIR_OK; /* the classification has the message */
	status = weir_source_head(source, &head, &len, err);
	if (status && strcmp(path, "-") != 0)
		status = WEIR_OK;
	else if (!status && is_result(head, len))
		status = weir_json_read(source, out, err);
	weir_source_free(source);
	return status ? weir_fail_in(err, "%s", path) : WEIR_OK;
}

/* Classifies a profile as `weir classify` does, and parses its JSON. */
static enum weir_status classify(const struct weir_arguments *arguments, cJSON **out,
                                 struct weir_error *err)
{
	const char *path = weir_arguments_at(arguments, 0);
	struct weir_progress_line line;
	struct weir_progress progress = weir_progress_of(&line);
	struct weir_classify_request request = {
		.paths = &path, .path_count = 1, .progress = &progress};
	struct weir_classification *classification;
	struct weir_settings settings;
	struct weir_policy *policy;
	struct weir_text json = {0};
	enum weir_status status =
		weir_policy_load(weir_option_text(arguments, "config"), &policy, err);

	if (status)
		return status;
	settings = weir_settings_of(policy, NAN, NULL);
	request.settings = &settings;
	weir_progress_start(&line, stderr, weir_option_given(arguments, "quiet"));
	status = weir_classify(&request, &classification, err);
	weir_progress_end(&line);
	if (!status) {
		weir_write_report_json(weir_classification_report(classification), NULL, &json);
		status = weir_json_parse(json.data, json.length, out, err);
		weir_classification_free(classification);
	}
	weir_text_release(&json);
	weir_policy_free(policy);
	return status;
}

static enum weir_status get_result(const struct weir_arguments *arguments, cJSON **out,
                                   struct weir_error *err)
{
	const char *path = weir_arguments_at(arguments, 0);
	enum weir_status status = read_result(path, out, err);

	if (status || *out)
		return status;
	if (strcmp(path, "-") == 0)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "standard input: expected a result (weir.report/1 or "
		                 "weir.gate/1); classify a profile first: weir classify - -f json");
	return classify(arguments, out, err);
}

/* ---- the answer ---- */

/* Lists the tables of a result, or of both kinds if tables is NULL. */
static enum weir_status list(const struct weir_query_tables *tables, enum weir_query_form form,
                             struct weir_text *text, struct weir_error *err)
{
	struct weir_query_tables *report = weir_query_tables_new(WEIR_RESULT_REPORT);
	struct weir_query_tables *gate = weir_query_tables_new(WEIR_RESULT_GATE);
	const struct weir_query_tables *all[] = {tables ? tables : report, gate};
	size_t count = tables ? 1 : 2;
	struct weir_query_result *result = NULL;
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; form == WEIR_QUERY_AS_TEXT && i < count; i++) {
		weir_text_puts(text, i ? "\n" : "");
		weir_query_list_text(all[i], text);
	}
	if (form != WEIR_QUERY_AS_TEXT) {
		result = weir_query_list(all, count);
		status = weir_query_answer(result, form, text, err);
	}
	weir_query_result_free(result);
	weir_query_tables_free(report);
	weir_query_tables_free(gate);
	return status;
}

static enum weir_status answer(const struct weir_arguments *arguments, struct weir_query *query,
                               struct weir_text *text, struct weir_error *err)
{
	const char *sql = weir_arguments_at(arguments, 1);
	struct weir_query_limits limits = {
		.rows = weir_option_count(arguments, "limit", DEFAULT_ROWS),
		.seconds = weir_option_count(arguments, "seconds", DEFAULT_SECONDS),
	};
	struct weir_query_result *result;
	struct weir_text remark = {0};
	enum weir_status status;

	if (!sql)
		return list(weir_query_tables_of(query), form_of(arguments), text, err);
	status = weir_query_run(query, sql, &limits, &result, err);
	if (status)
		return status;
	status = weir_query_answer(result, form_of(arguments), text, err);
	if (!status && result->is_cut) {
		weir_text_puts(&remark, "the answer has more than ");
		weir_text_count(&remark, result->row_count);
		weir_text_puts(&remark, " rows, the others are left out: see --limit");
		weir_say(remark.data);
	}
	weir_text_release(&remark);
	weir_query_result_free(result);
	return status;
}

static enum weir_status query_input(const struct weir_arguments *arguments, struct weir_text *text,
                                    struct weir_error *err)
{
	struct weir_query *query = NULL;
	cJSON *document = NULL;
	enum weir_status status = get_result(arguments, &document, err);

	if (!status) {
		status = weir_query_open(document, &query, err);
		if (status)
			weir_fail_in(err, "%s", weir_arguments_at(arguments, 0));
	}
	if (!status)
		status = answer(arguments, query, text, err);
	weir_query_free(query);
	cJSON_Delete(document);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *path = weir_option_text(arguments, "output");
	bool schema = weir_option_given(arguments, "schema");
	size_t count = weir_arguments_count(arguments);
	struct weir_text text = {0};
	enum weir_status status = weir_output_check(path, err);

	if (!status && (schema ? count > 1 : count == 0 || count > 2))
		status = weir_fail(err, WEIR_E_USAGE,
		                   schema ? "--schema takes one INPUT, or none"
		                          : "usage: weir query RESULT.json 'select * from stages'");
	if (!status && count == 0)
		status = list(NULL, form_of(arguments), &text, err);
	else if (!status)
		status = query_input(arguments, &text, err);
	if (!status)
		status = weir_output_write(path, &text, err);
	weir_text_release(&text);
	return weir_exit_of(status);
}

const struct weir_command weir_command_query = {
	.name = "query",
	.summary = "answer a SELECT about a result",
	.arguments = "INPUT [SQL]",
	.description =
		"Reads a result that another command wrote as JSON (weir.report/1 or weir.gate/1, "
		"plain or compressed, - for standard input), and answers one SELECT in the dialect "
		"of SQLite. Each object and each list of the result is a table, each member a "
		"column; times are integer nanoseconds, shares are from 0 to 1, and null is NULL. "
		"Without SQL, the tables and columns are listed with their meaning. A profile, a "
		"folder or an archive is classified first, with the defaults of weir classify.\n\n"
		"The query can only read the tables. Sums over rows are seldom a time: stages "
		"and operators overlap, so ask for the figures that the report has.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir query report.json 'select name, p50_ns, p99_ns from stages'",
	.example_shows = "prints the median and the 99th percentile of each stage",
	.run = run,
};
