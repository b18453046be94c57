/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `baseline`: records runs under a name; lists, shows, copies and checks baselines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/exchange.h"
#include "baselines/store.h"
#include "engine/base/json.h"
#include "engine/cli/baseline_copy.h"
#include "engine/cli/baseline_export.h"
#include "engine/cli/baseline_life.h"
#include "engine/cli/baseline_text.h"
#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/clock.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/plain/items.h"

static const char *const formats[] = {"text", "json", "csv", "jsonl", NULL};

static const struct weir_option options[] = {
	{.name = "name",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_BASELINES,
         .value = "N",
         .help = "record: name of the baseline that gets the runs"},
	{.name = "keep",
         .kind = WEIR_OPTION_COUNT,
         .value = "COUNT",
         .help = "record, prune: keep the samples of the newest COUNT runs, current ones first"},
	{.name = "older-than",
         .kind = WEIR_OPTION_COUNT,
         .value = "DAYS",
         .help = "prune: only runs that were recorded more than DAYS days ago"},
	{.name = "max-size",
         .kind = WEIR_OPTION_SIZE,
         .value = "SIZE",
         .help = "prune: only the oldest runs beyond this size of the stored samples, such as "
                 "500MB or 2GiB"},
	{.name = "dry-run", .help = "prune: list the runs and change nothing"},
	{.name = "yes", .help = "remove: do not ask"},
	WEIR_LABEL_OPTION("record: "),
	{.name = "recorded",
         .kind = WEIR_OPTION_TEXT,
         .value = "TIME",
         .help = "record: time of the runs, such as 2026-11-20T14:00:00Z (default: now)"},
	{.name = "input-format",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_READERS,
         .value = "NAME",
         .help = "record: read every run as this format (default: recognised by content)"},
	WEIR_COST_OPTION("record: "),
	WEIR_SETTINGS_OPTION("record: "),
	{.name = "as",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_BASELINES,
         .value = "M",
         .help = "promote: name of the baseline that gets the runs"},
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_TEXT, /* each action checks it */
         .value = "FORMAT",
         .choices = formats,
         .help = "list, show: text (default) or json; export: json (default, which import "
                 "reads), csv or jsonl, one row for each run, scope and metric"},
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .help = "export: write to FILE instead of standard output"},
	WEIR_DB_OPTION,
	{.name = NULL},
};

static const char *const words[] = {"list",   "record", "show",    "remove", "prune",
                                    "pin",    "unpin",  "promote", "export", "import",
                                    "verify", "copy",   NULL};

static bool as_json(const struct weir_baseline_call *call)
{
	const char *format = weir_option_text(call->arguments, "format");

	return format && strcmp(format, "json") == 0;
}

static enum weir_status open_store(const struct weir_baseline_call *call,
                                   enum weir_store_access access, struct weir_store **out,
                                   struct weir_error *err)
{
	return weir_store_open(weir_db_path(call->arguments), access, out, err);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* --- record --- */

static enum weir_status check_record(const struct weir_baseline_call *call, struct weir_error *err)
{
	const char *name = weir_option_text(call->arguments, "name");
	const char *recorded = weir_option_text(call->arguments, "recorded");

	if (!name)
		return weir_fail(err, WEIR_E_USAGE,
		                 "record needs a name: weir baseline record RUN... --name main");
	if (recorded && !weir_recorded_valid(recorded))
		return weir_fail(
			err, WEIR_E_USAGE,
			"--recorded is \"%s\"; expected a time such as 2026-11-20T14:00:00Z",
			recorded);
	return weir_baseline_check_name(name, err);
}

static void add_recorded(struct weir_text *text, const char *name,
                         const struct weir_store_counts *counts,
                         const struct weir_baseline_kept *kept)
{
	weir_text_printf(text, "%s: %zu run%s recorded", name, counts->added,
	                 plural(counts->added));
	if (counts->known)
		weir_text_printf(text, ", %zu already there", counts->known);
	if (kept->pruned)
		weir_text_printf(text, ", %zu older pruned", kept->pruned);
	weir_text_printf(text, "; it holds %zu\n", counts->held);
	if (kept->spared)
		weir_text_puts(text, "runs with later times are stored: check the clock of the "
		                     "machine that recorded them\n");
}

static enum weir_status store_runs(struct weir_baseline_call *call,
                                   const struct weir_baseline *baseline, struct weir_error *err)
{
	size_t keep = weir_option_count(call->arguments, "keep", 0);
	struct weir_baseline_kept kept = {0};
	struct weir_store_counts counts;
	struct weir_store *store;
	enum weir_status status = open_store(call, WEIR_STORE_WRITE, &store, err);

	if (status)
		return status;
	status = weir_store_record(store, baseline, &counts, err);
	if (!status && keep > 0)
		status = weir_baseline_keep_newest(store, baseline, keep, &kept, err);
	counts.held -= kept.current;
	if (!status)
		add_recorded(&call->text, baseline->name, &counts, &kept);
	weir_store_free(store);
	return status;
}

static enum weir_status record_under(struct weir_baseline_call *call,
                                     const struct weir_settings *settings, struct weir_error *err)
{
	const char *given = weir_option_text(call->arguments, "recorded");
	struct weir_baseline *baseline =
		weir_baseline_new(weir_option_text(call->arguments, "name"));
	const struct weir_run_list runs = {weir_arguments_list(call->arguments) + 1,
	                                   weir_arguments_count(call->arguments) - 1, baseline};
	struct weir_progress_line line;
	struct weir_progress progress;
	struct weir_measuring measuring;
	struct weir_labels labels;
	char now[WEIR_CLOCK_SIZE];
	enum weir_status status = weir_labels_given(&labels, call->arguments, true, err);

	weir_clock_now(now);
	weir_measuring_given(&measuring, call->arguments, settings, &line, &progress);
	measuring.input_format = weir_option_text(call->arguments, "input-format");
	measuring.recorded = given ? given : now;
	measuring.labels = labels.given;
	measuring.session = labels.session.data;
	measuring.consequence = "nothing was recorded";
	if (!status)
		status = weir_measure_runs(&measuring, &runs, 1, err);
	weir_progress_end(&line);
	weir_labels_release(&labels);
	if (!status)
		status = store_runs(call, baseline, err);
	weir_baseline_free(baseline);
	return status;
}

static enum weir_status record(struct weir_baseline_call *call, struct weir_error *err)
{
	struct weir_settings settings;
	struct weir_policy *policy;
	enum weir_status status = check_record(call, err);

	if (!status)
		status =
			weir_policy_load(weir_option_text(call->arguments, "config"), &policy, err);
	if (status)
		return status;
	settings = weir_settings_given(call->arguments, policy);
	status = record_under(call, &settings, err);
	weir_policy_free(policy);
	return status;
}

/* --- list and show --- */

static enum weir_status list(struct weir_baseline_call *call, struct weir_error *err)
{
	static const struct weir_store_list nothing = {0};
	struct weir_store *store = NULL;
	struct weir_store_list *found = NULL;
	char now[WEIR_CLOCK_SIZE];
	enum weir_status status = open_store(call, WEIR_STORE_READ, &store, err);

	if (!status)
		status = weir_store_list(store, &found, err);
	if (!status)
		status = weir_store_measure(store, found, err);
	if (status == WEIR_E_NO_BASELINE) {
		*err = (struct weir_error){0}; /* no store: the list is empty */
		status = WEIR_OK;
	}
	weir_clock_now(now);
	if (!status && as_json(call))
		weir_baseline_list_json(found ? found : &nothing, now, &call->text);
	else if (!status)
		weir_baseline_list_text(found ? found : &nothing, now, &call->text);
	weir_store_list_free(found);
	weir_store_free(store);
	return status;
}

static enum weir_status load(const struct weir_baseline_call *call, bool bare,
                             struct weir_baseline **out, struct weir_error *err)
{
	const struct weir_store_query query = {
		.name = call->subject, .history = true, .bare = bare};

	return weir_store_load_from(weir_db_path(call->arguments), &query, out, err);
}

static enum weir_status show(struct weir_baseline_call *call, struct weir_error *err)
{
	struct weir_baseline *baseline;
	enum weir_status status = load(call, true, &baseline, err);

	if (status)
		return status;
	if (as_json(call))
		weir_baseline_show_json(baseline, &call->text);
	else
		weir_baseline_show_text(baseline, &call->text);
	weir_baseline_free(baseline);
	return WEIR_OK;
}

/* --- promote --- */

static void add_promoted(struct weir_text *text, const char *from, const char *to,
                         const struct weir_store_counts *counts)
{
	weir_text_printf(text, "%s: now the %zu run%s of %s", to, counts->held,
	                 plural(counts->held), from);
	if (counts->retired)
		weir_text_printf(text, "; the %zu it held before %s its history", counts->retired,
		                 counts->retired == 1 ? "is" : "are");
	weir_text_puts(text, "\n");
}

static enum weir_status promote(struct weir_baseline_call *call, struct weir_error *err)
{
	const char *to = weir_option_text(call->arguments, "as");
	struct weir_store_counts counts;
	struct weir_store *store;
	enum weir_status status;

	if (!to)
		return weir_fail(
			err, WEIR_E_USAGE,
			"promote needs the name of the other baseline: weir baseline promote %s "
			"--as main",
			call->subject);
	status = weir_baseline_open_existing(call, &store, err);
	if (status)
		return status;
	status = weir_store_promote(store, call->subject, to, &counts, err);
	if (!status)
		add_promoted(&call->text, call->subject, to, &counts);
	weir_store_free(store);
	return status;
}

/* --- export, import, verify --- */

static enum weir_status export_document(struct weir_baseline_call *call, struct weir_error *err)
{
	struct weir_baseline *baseline;
	enum weir_status status = load(call, false, &baseline, err);

	if (status)
		return status;
	weir_baseline_write(baseline, &call->text);
	weir_baseline_free(baseline);
	if (call->text.length > WEIR_JSON_MAX_BYTES)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "%s has %zu MB as JSON; import accepts at most %u MB: keep fewer "
		                 "runs (weir baseline record --keep COUNT)",
		                 call->subject, call->text.length >> 20, WEIR_JSON_MAX_BYTES >> 20);
	return WEIR_OK;
}

static enum weir_status export_baseline(struct weir_baseline_call *call, struct weir_error *err)
{
	enum weir_rows_form form;
	const char *format = weir_option_text(call->arguments, "format");

	if (weir_rows_form_parse(format ? format : "json", &form))
		return weir_baseline_export_rows(call, form, err);
	return export_document(call, err);
}

static enum weir_status import_baseline(struct weir_baseline_call *call, struct weir_error *err)
{
	struct weir_baseline *baseline;
	struct weir_source *source;
	enum weir_status status = weir_source_open(call->subject, &source, err);

	if (status)
		return status;
	status = weir_baseline_read(source, &baseline, err);
	weir_source_free(source);
	if (status)
		return status;
	status = store_runs(call, baseline, err);
	weir_baseline_free(baseline);
	return status;
}

static enum weir_status verify(struct weir_baseline_call *call, struct weir_error *err)
{
	struct weir_store_health health;
	struct weir_store *store;
	enum weir_status status = open_store(call, WEIR_STORE_READ, &store, err);

	if (status)
		return status;
	status = weir_store_verify(store, &health, err);
	if (!status) {
		char *label = weir_db_label(call->arguments);

		weir_text_printf(&call->text, "%s is sound: ", label);
		free(label);
		weir_items_number(&call->text, health.baselines, "baseline");
		weir_text_puts(&call->text, ", ");
		weir_items_number(&call->text, health.runs, "run");
		weir_text_puts(&call->text, ", ");
		weir_items_number(&call->text, health.samples, "sample");
		if (health.pruned > 0) {
			weir_text_puts(&call->text, ", ");
			weir_items_number(&call->text, health.pruned, "pruned run");
		}
		if (health.advice > 0) {
			weir_text_puts(&call->text, ", ");
			weir_items_number(&call->text, health.advice, "outcome");
			weir_text_puts(&call->text, " of advice");
		}
		weir_text_puts(&call->text, "\n");
	}
	weir_store_free(store);
	return status;
}

/* --- the command --- */

struct action {
	const char *word;
	const char *usage;
	size_t least, most; /* number of arguments after the word */
	enum weir_status (*run)(struct weir_baseline_call *call, struct weir_error *err);
	const char *const *formats;     /* of --format */
	enum weir_completion completes; /* of its arguments */
};

static const char *const printed[] = {"text", "json", NULL};
static const char *const exported[] = {"json", "csv", "jsonl", NULL};

static const struct action actions[] = {
	{"record", "record RUN... --name N", 1, SIZE_MAX, record, printed, WEIR_COMPLETES_FILES},
	{"list", "list", 0, 0, list, printed, WEIR_COMPLETES_NOTHING},
	{"show", "show N", 1, 1, show, printed, WEIR_COMPLETES_BASELINES},
	{"remove", "remove N [--yes]", 1, 1, weir_baseline_remove, printed,
         WEIR_COMPLETES_BASELINES},
	{"prune", "prune N [--older-than DAYS] [--keep COUNT] [--max-size SIZE] [--dry-run]", 1, 1,
         weir_baseline_prune, printed, WEIR_COMPLETES_BASELINES},
	{"pin", "pin N [RUN]", 1, 2, weir_baseline_pin, printed, WEIR_COMPLETES_BASELINES},
	{"unpin", "unpin N [RUN]", 1, 2, weir_baseline_unpin, printed, WEIR_COMPLETES_BASELINES},
	{"promote", "promote N --as M", 1, 1, promote, printed, WEIR_COMPLETES_BASELINES},
	{"export", "export N [--format json|csv|jsonl] [-o FILE]", 1, 1, export_baseline, exported,
         WEIR_COMPLETES_BASELINES},
	{"import", "import FILE", 1, 1, import_baseline, printed, WEIR_COMPLETES_FILES},
	{"verify", "verify", 0, 0, verify, printed, WEIR_COMPLETES_NOTHING},
	{"copy", "copy FROM TO", 2, 2, weir_baseline_copy, printed, WEIR_COMPLETES_FILES},
	{NULL, NULL, 0, 0, NULL, NULL, WEIR_COMPLETES_NOTHING},
};

/* Offers words for argument `index` of an action, which `word` names; the second argument of pin
 * and unpin is a run. */
static enum weir_completion complete(const char *word, size_t index)
{
	const struct action *action = actions;

	while (action->word && strcmp(action->word, word) != 0)
		action++;
	if (!action->word || index > action->most)
		return WEIR_COMPLETES_NOTHING;
	return action->completes == WEIR_COMPLETES_BASELINES && index > 1 ? WEIR_COMPLETES_NOTHING
	                                                                  : action->completes;
}

static enum weir_status find_action(const struct weir_arguments *arguments,
                                    const struct action **out, struct weir_error *err)
{
	const char *word = weir_arguments_at(arguments, 0);
	size_t count = weir_arguments_count(arguments);
	const struct action *action = actions;

	if (!word)
		return weir_fail(
			err, WEIR_E_USAGE,
			"baseline needs an action: record, list, show, remove, prune, pin, "
			"unpin, promote, export, import, verify, copy");
	while (action->word && strcmp(action->word, word) != 0)
		action++;
	if (!action->word) {
		const char *nearest = weir_text_nearest(word, words);

		return weir_fail(err, WEIR_E_USAGE, "unknown action \"%s\"; %s%s%s", word,
		                 nearest ? "did you mean: weir baseline "
		                         : "weir help baseline lists the actions",
		                 nearest ? nearest : "", nearest ? "?" : "");
	}
	if (count - 1 < action->least || count - 1 > action->most)
		return weir_fail(err, WEIR_E_USAGE, "usage: weir baseline %s", action->usage);
	*out = action;
	return WEIR_OK;
}

static enum weir_status check_format(const struct weir_arguments *arguments,
                                     const struct action *action, struct weir_error *err)
{
	const char *format = weir_option_text(arguments, "format");
	const char *const *known = action->formats;
	struct weir_text all = {0};

	if (!format)
		return WEIR_OK;
	for (size_t i = 0; known[i]; i++) {
		if (strcmp(known[i], format) == 0) {
			weir_text_release(&all);
			return WEIR_OK;
		}
		weir_text_printf(&all, "%s%s", i ? ", " : "", known[i]);
	}
	if (action->formats == exported && strcmp(format, "parquet") == 0)
		weir_fail(err, WEIR_E_USAGE,
		          "weir writes no parquet; export CSV and load it: duckdb -c \"copy (from "
		          "'runs.csv') to 'runs.parquet'\"");
	else
		weir_fail(err, WEIR_E_USAGE, "--format of %s is \"%.40s\"; expected one of: %s",
		          action->word, format, all.data);
	weir_text_release(&all);
	return WEIR_E_USAGE;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_baseline_call call = {.arguments = arguments,
	                                  .subject = weir_arguments_at(arguments, 1)};
	const struct action *action = NULL;
	enum weir_status status = find_action(arguments, &action, err);

	if (!status)
		status = check_format(arguments, action, err);
	if (!status)
		status = action->run(&call, err);
	if (!status && !call.is_written)
		status = weir_output_write(weir_option_text(arguments, "output"), &call.text, err);
	weir_text_release(&call.text);
	return weir_exit_of(status);
}

const struct weir_command weir_command_baseline = {
	.name = "baseline",
	.summary = "record, list, promote, export and verify reference runs",
	.arguments = "ACTION [RUN... | NAME | FILE]",
	.description =
		"A baseline is a named set of reference runs, with which weir gate compares "
		"new runs. All baselines are stored with their samples in one SQLite file, or in "
		"one PostgreSQL database that several machines share.\n\n"
		"record stores each argument as one run (a folder is one run made of every "
		"profile in it); recording the same content again changes nothing. list and "
		"show print what is stored. promote N --as M makes the runs of N the runs of M; "
		"the runs that M had before become its history. Accept a new level this way, as "
		"runs of two levels in one baseline hide changes.\n\n"
		"prune N drops the samples of old runs and keeps their quantiles, so that weir "
		"history still shows them: with --older-than the runs of the history, with --keep "
		"all but the newest runs, with --max-size the oldest runs beyond a size of the "
		"stored samples, with several of them the runs to which all apply: weir baseline "
		"prune main --max-size 500MB --dry-run. list states the size. pin N RUN keeps the "
		"samples of one run for ever, pin N those of all current runs; RUN is the begin of "
		"an id that show prints. remove N deletes a baseline with its history: on a "
		"terminal it asks, elsewhere it needs --yes.\n\n"
		"export writes a baseline as one JSON document that fits into a "
		"repository, and import reads it. With --format csv or jsonl it writes a long "
		"table "
		"of all runs, also of the history, for analysis elsewhere: weir baseline export "
		"main --format csv -o runs.csv\n\n"
		"verify checks the whole store. copy FROM TO adds "
		"everything in one store to another, a file or a server, and compares both: weir "
		"baseline copy .weir/baselines.db postgresql://ci@db.example.org/weir\n\n"
		"Several jobs may record at the same time. If a call is interrupted or the "
		"disk is full, the store stays as it was.",
	.options = options,
	.words = words,
	.completes_after = complete,
	.exits = WEIR_ENDS(WEIR_EXIT_NO_BASELINE) | WEIR_ENDS(WEIR_EXIT_INPUT) |
                 WEIR_ENDS(WEIR_EXIT_STORE),
	.example = "weir baseline record run-*/ --name main",
	.example_shows = "records each folder as one run of the baseline main",
	.run = run,
};
