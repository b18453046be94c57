/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `advise`: lists recommendations, and compares what they promised with what came. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/cli/progress.h"
#include "engine/cli/run_options.h"
#include "engine/cli/terminal.h"
#include "engine/pipeline/advice_record.h"
#include "engine/pipeline/audit.h"
#include "engine/pipeline/classify.h"
#include "engine/report/advice_writers.h"

static const char *const formats[] = {"text", "json", NULL};
static const char *const windows[] = {"steady", "all", NULL};

static const struct weir_option options[] = {
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_CHOICE,
         .value = "FORMAT",
         .choices = formats,
         .help = "text (default) or json"},
	{.name = "verify",
         .help = "compare the steps that BEFORE promises with the measured step of AFTER"},
	{.name = "fix",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_FIXES,
         .value = "ID",
         .help = "verify: only this fix (default: each with a predicted step)"},
	{.name = "before-run",
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .help = "verify: step times of BEFORE without the profiler"},
	{.name = "after-run",
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .help = "verify: step times of AFTER without the profiler"},
	{.name = "keep", .help = "verify: keep the outcome of --fix in the store, for weir doctor"},
	WEIR_DB_OPTION,
	{.name = "window",
         .kind = WEIR_OPTION_CHOICE,
         .value = "WINDOW",
         .choices = windows,
         .help = "steady: exclude warm-up and one-off steps (default); all: analyse everything"},
	{.name = "device",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_DEVICES,
         .value = "NAME",
         .help = "use the peak figures of this device, not those of the device that the input "
                 "names"},
	{.name = "rules",
         .kind = WEIR_OPTION_FOLDER,
         .value = "DIR",
         .help = "judge by the rules in this folder, not by the built-in rules"},
	{.name = "input-format",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_READERS,
         .value = "NAME",
         .help = "read every input as this format (default: recognised by content)"},
	WEIR_SETTINGS_OPTION(""),
	{.name = NULL},
};

/* ---- arguments ---- */

/* Options that --verify needs. */
static const char *const of_verify[] = {"fix", "before-run", "after-run", "keep", "db"};

static enum weir_status check_verify(const struct weir_arguments *arguments, struct weir_error *err)
{
	if (weir_arguments_count(arguments) != 2)
		return weir_fail(err, WEIR_E_USAGE, "usage: weir advise --verify BEFORE AFTER");
	for (size_t i = 0; i < 2; i++)
		if (strcmp(weir_arguments_at(arguments, i), "-") == 0)
			return weir_fail(err, WEIR_E_USAGE,
			                 "--verify reads its inputs more than once: pass files, "
			                 "not standard input");
	if (weir_option_given(arguments, "keep") && !weir_option_given(arguments, "fix"))
		return weir_fail(err, WEIR_E_USAGE,
		                 "--keep needs --fix ID: the fix that was made between BEFORE and "
		                 "AFTER");
	if (weir_option_given(arguments, "db") && !weir_option_given(arguments, "keep"))
		return weir_fail(err, WEIR_E_USAGE, "--db needs --keep");
	return WEIR_OK;
}

static enum weir_status check(const struct weir_arguments *arguments, struct weir_error *err)
{
	if (weir_option_given(arguments, "verify"))
		return check_verify(arguments, err);
	for (size_t i = 0; i < WEIR_COUNT_OF(of_verify); i++)
		if (weir_option_given(arguments, of_verify[i]))
			return weir_fail(err, WEIR_E_USAGE,
			                 "--%s needs --verify: weir advise --verify BEFORE AFTER",
			                 of_verify[i]);
	if (weir_arguments_count(arguments) == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "advise needs an input: weir advise trace.json.gz");
	return WEIR_OK;
}

/* ---- output ---- */

static bool wants_json(const struct weir_arguments *arguments)
{
	const char *format = weir_option_text(arguments, "format");

	return format && strcmp(format, "json") == 0;
}

static struct weir_write_options text_options(const struct weir_arguments *arguments)
{
	struct weir_terminal terminal = weir_terminal_of(STDOUT_FILENO);

	return (struct weir_write_options){
		.width = (size_t)weir_terminal_columns(&terminal),
		.colour = weir_terminal_color(&terminal, weir_option_text(arguments, "color")),
	};
}

/* ---- recommendations ---- */

static enum weir_status recommend(const struct weir_arguments *arguments,
                                  const struct weir_classify_request *request,
                                  struct weir_progress_line *line, struct weir_error *err)
{
	struct weir_write_options how = text_options(arguments);
	struct weir_classification *classification;
	struct weir_text text = {0};
	enum weir_status status = weir_classify(request, &classification, err);

	weir_progress_end(line);
	if (status)
		return status;
	(wants_json(arguments) ? weir_write_advice_json : weir_write_advice_text)(
		weir_classification_report(classification), &how, &text);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	weir_classification_free(classification);
	return status;
}

/* ---- verify ---- */

static enum weir_status write_audit(const struct weir_arguments *arguments,
                                    const struct weir_audit *audit, struct weir_error *err)
{
	struct weir_write_options how = text_options(arguments);
	struct weir_text text = {0};
	enum weir_status status;

	if (wants_json(arguments))
		weir_write_audit_json(audit, &text);
	else
		weir_write_audit_text(audit, &how, &text);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	return status;
}

/* Keeps the outcome and remarks on it. */
static enum weir_status keep(const struct weir_arguments *arguments, const struct weir_audit *audit,
                             struct weir_error *err)
{
	static const char *const words[] = {
		[WEIR_ADVICE_ADDED] = "kept",
		[WEIR_ADVICE_REPLACED] = "kept in place of its former outcome",
		[WEIR_ADVICE_KNOWN] = "kept already",
	};
	struct weir_text text = {0};
	enum weir_advice_kept kept;
	enum weir_status status = weir_advice_keep(audit, weir_db_path(arguments), &kept, err);

	if (status)
		return status;
	if (!weir_option_given(arguments, "quiet")) {
		char *label = weir_db_label(arguments);

		weir_text_printf(&text, "%s: %s in %s", audit->fixes[0].id, words[kept], label);
		free(label);
		weir_say(text.data);
	}
	weir_text_release(&text);
	return WEIR_OK;
}

static enum weir_status verify(const struct weir_arguments *arguments,
                               const struct weir_classify_request *request,
                               struct weir_progress_line *line, struct weir_error *err)
{
	const struct weir_audit_request wanted = {
		.before = weir_arguments_at(arguments, 0),
		.after = weir_arguments_at(arguments, 1),
		.before_run = weir_option_text(arguments, "before-run"),
		.after_run = weir_option_text(arguments, "after-run"),
		.fix = weir_option_text(arguments, "fix"),
		.identify = weir_option_given(arguments, "keep"),
		.options = request,
	};
	struct weir_audit *audit;
	enum weir_status status = weir_audit_run(&wanted, &audit, err);

	weir_progress_end(line);
	if (status)
		return status;
	status = write_audit(arguments, audit, err);
	if (!status && weir_option_given(arguments, "keep"))
		status = keep(arguments, audit, err);
	weir_audit_free(audit);
	return status;
}

/* ---- the command ---- */

static enum weir_status advise(const struct weir_arguments *arguments,
                               const struct weir_settings *settings, struct weir_error *err)
{
	const char *window = weir_option_text(arguments, "window");
	struct weir_progress_line line;
	struct weir_progress progress = weir_progress_of(&line);
	const struct weir_classify_request request = {
		.paths = weir_arguments_list(arguments),
		.path_count = weir_arguments_count(arguments),
		.input_format = weir_option_text(arguments, "input-format"),
		.rules_folder = weir_option_text(arguments, "rules"),
		.device = weir_option_text(arguments, "device"),
		.settings = settings,
		.whole_window = window && strcmp(window, "all") == 0,
		.progress = &progress,
	};

	weir_progress_start(&line, stderr, weir_option_given(arguments, "quiet"));
	if (weir_option_given(arguments, "verify"))
		return verify(arguments, &request, &line, err);
	return recommend(arguments, &request, &line, err);
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_settings settings;
	struct weir_policy *policy;
	enum weir_status status = check(arguments, err);

	if (!status)
		status = weir_policy_load(weir_option_text(arguments, "config"), &policy, err);
	if (status)
		return weir_exit_of(status);
	settings = weir_settings_of(policy, NAN, NULL);
	status = advise(arguments, &settings, err);
	weir_policy_free(policy);
	return weir_exit_of(status);
}

const struct weir_command weir_command_advise = {
	.name = "advise",
	.summary = "list what to do, or verify what it gave",
	.arguments = "INPUT... | --verify BEFORE AFTER",
	.description = "Reads the profiles of one run and lists only the recommendations of weir "
		       "classify: what to change, where, and the predicted step.\n\n"
		       "With --verify it holds a promise against its outcome. BEFORE is a profile "
		       "with a timeline, or its report (weir classify -f json); AFTER is a profile "
		       "or a run of the program after the fix was made. For each fix that BEFORE "
		       "promises a step it shows the promised step and its range, the measured "
		       "step, the error, and if AFTER still recommends the fix. The measured step "
		       "is the median of --after-run, else of AFTER if it is a run, else the step "
		       "of AFTER without the time that profilers usually add.\n\n"
		       "The exit code is 0 for every comparison, good or bad. Inputs that cannot "
		       "be compared are an error. With --keep, the outcome joins the record that "
		       "weir doctor shows.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_ENVIRONMENT) | WEIR_ENDS(WEIR_EXIT_COVERAGE) |
                 WEIR_ENDS(WEIR_EXIT_INPUT) | WEIR_ENDS(WEIR_EXIT_STORE),
	.example = "weir advise trace.json.gz",
	.example_shows = "lists what to do, with the step that each fix would give",
	.run = run,
};
