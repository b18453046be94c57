/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cli/command.h"
#include "engine/cli/interruption.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/interleave.h"
#include "engine/pipeline/repeat.h"
#include "engine/pipeline/run_labels.h"
#include "engine/report/gate/gate_figures.h"

#define DEFAULT_RUNS   10
#define DEFAULT_FOLDER "weir-ab"
#define REPEAT_FOLDER  "weir-runs"

static const struct weir_option options[] = {
	{.name = "interleave",
         .kind = WEIR_OPTION_TEXT,
         .value = "A B",
         .repeatable = true,
         .collects = true,
         .help = "the commands that measure the base and the change, each in one word for sh -c; "
                 "replaces -- COMMAND"},
	{.name = "runs",
         .letter = 'n',
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "runs of each command (default 10)"},
	{.name = "warmup",
         .kind = WEIR_OPTION_TEXT,
         .value = "N",
         .help = "executions before the first run, which are not kept (default 1; 0: none)"},
	{.name = "result",
         .kind = WEIR_OPTION_TEXT,
         .value = "PATTERN",
         .help = "move the files that match PATTERN, and that the command wrote, to the run"},
	{.name = "time", .help = "record how long the command takes, as the figure wall_time"},
	{.name = "label",
         .kind = WEIR_OPTION_TEXT,
         .value = "KEY=VALUE",
         .repeatable = true,
         .help = "write this label beside each run, with those that are found"},
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FOLDER,
         .value = "FOLDER",
         .help = "folder that gets the runs (default: " REPEAT_FOLDER "; of --interleave: "
                 "" DEFAULT_FOLDER ", with folders a and b in it)"},
	{.name = NULL},
};

static void say_run(void *context, const char *line)
{
	if (!*(const bool *)context)
		weir_say(line);
}

/* ---- two versions by turns ---- */

static enum weir_status check_interleaved(const struct weir_arguments *arguments, size_t count,
                                          struct weir_error *err)
{
	static const char *const others[] = {"warmup", "result", "time", "label"};

	if (weir_arguments_count(arguments) > 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%.200s belongs to no option: weir record --interleave 'COMMAND "
		                 "A' 'COMMAND B' -n 10",
		                 weir_arguments_at(arguments, 0));
	if (count != 2)
		return weir_fail(err, WEIR_E_USAGE,
		                 "record needs two commands, and %zu %s given: weir record "
		                 "--interleave 'COMMAND A' 'COMMAND B' -n 10",
		                 count, count == 1 ? "was" : "were");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (weir_option_given(arguments, others[i]))
			return weir_fail(err, WEIR_E_USAGE,
			                 "--%s is for one command; it cannot be combined with "
			                 "--interleave",
			                 others[i]);
	return WEIR_OK;
}

static enum weir_status print_made(const struct weir_interleave *made, struct weir_error *err)
{
	struct weir_text text = {0}, folder = {0};
	enum weir_status status;

	weir_gate_print_shell_word(made->folder, &folder);
	weir_text_printf(&text, "%zu run%s of each side, in the order A B B A\n", made->runs,
	                 made->runs == 1 ? "" : "s");
	for (size_t side = 0; side < 2; side++)
		weir_text_printf(&text, "  %c  %s/%c/run-*.json  %s\n", "AB"[side], folder.data,
		                 "ab"[side], made -> commands[side]);
	weir_text_printf(&text,
	                 "compare them: weir gate --against %s/a/run-*.json -- %s/b/run-*.json\n",
	                 folder.data, folder.data);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&folder);
	weir_text_release(&text);
	return status;
}

static enum weir_status interleave(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *folder = weir_option_text(arguments, "output");
	bool quiet = weir_option_given(arguments, "quiet");
	struct weir_signals signals;
	const struct weir_interleave interleave = {
		.commands = {weir_option_each(arguments, "interleave", 0),
	                     weir_option_each(arguments, "interleave", 1)},
		.folder = folder ? folder : DEFAULT_FOLDER,
		.runs = weir_option_count(arguments, "runs", DEFAULT_RUNS),
		.signals = &signals,
		.say = say_run,
		.context = &quiet,
	};
	enum weir_status status;

	weir_signals_hold(&signals);
	status = weir_interleave_run(&interleave, err);
	weir_end_if_interrupted(&signals);
	return status ? status : print_made(&interleave, err);
}

/* ---- one command ---- */

static enum weir_status read_warmups(const struct weir_arguments *arguments, size_t *out,
                                     struct weir_error *err)
{
	const char *given = weir_option_text(arguments, "warmup");
	int64_t count = 1;

	if (given && (!weir_parse_i64(given, strlen(given), &count) || count < 0 ||
	              count > WEIR_REPEAT_MOST))
		return weir_fail(err, WEIR_E_USAGE, "--warmup is %.100s; expected 0 to %d", given,
		                 WEIR_REPEAT_MOST);
	*out = (size_t)count;
	return WEIR_OK;
}

static enum weir_status print_repeated(const struct weir_repeat *made, size_t kept,
                                       struct weir_error *err)
{
	const struct weir_run_label **sorted = weir_run_labels_sorted(made->labels);
	struct weir_text text = {0}, folder = {0};
	enum weir_status status;

	weir_gate_print_shell_word(made->folder, &folder);
	weir_text_printf(&text, "%zu run%s in %s\n", kept, kept == 1 ? "" : "s", folder.data);
	for (size_t i = 0; i < made->labels->label_count; i++)
		weir_text_printf(&text, "  %s = %s\n", sorted[i]->key, sorted[i]->value);
	weir_text_printf(&text,
	                 "the reference: weir baseline record %s/run-*/ --name main\n"
	                 "a change:      weir gate %s/run-*/ --baseline main\n",
	                 folder.data, folder.data);
	status = weir_output_write(NULL, &text, err);
	free(sorted);
	weir_text_release(&folder);
	weir_text_release(&text);
	return status;
}

static enum weir_status repeat_with(const struct weir_arguments *arguments, size_t warmups,
                                    const char *const *labels, struct weir_error *err)
{
	const char *folder = weir_option_text(arguments, "output");
	bool quiet = weir_option_given(arguments, "quiet");
	struct weir_run *found = weir_run_new();
	struct weir_signals signals;
	const struct weir_repeat repeat = {
		.words = weir_arguments_list(arguments),
		.folder = folder ? folder : REPEAT_FOLDER,
		.results = weir_option_text(arguments, "result"),
		.time = weir_option_given(arguments, "time"),
		.runs = weir_option_count(arguments, "runs", DEFAULT_RUNS),
		.warmups = warmups,
		.labels = found,
		.signals = &signals,
		.say = say_run,
		.context = &quiet,
	};
	size_t kept = 0;
	enum weir_status status;

	weir_signals_hold(&signals);
	status = weir_run_labels_find(found, labels, &signals, err);
	if (!status)
		status = weir_repeat_run(&repeat, &kept, err);
	weir_end_if_interrupted(&signals);
	if (!status)
		status = print_repeated(&repeat, kept, err);
	weir_run_free(found);
	return status;
}

static enum weir_status repeat(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_labels labels = {0};
	size_t warmups = 0;
	enum weir_status status = read_warmups(arguments, &warmups, err);

	if (!status && weir_arguments_count(arguments) == 0)
		status =
			weir_fail(err, WEIR_E_USAGE,
		                  "record needs a command: weir record -n 10 -- COMMAND..., or two "
		                  "of them with --interleave");
	if (!status)
		status = weir_labels_given(&labels, arguments, false, err);
	if (!status)
		status = repeat_with(arguments, warmups, labels.given, err);
	weir_labels_release(&labels);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	size_t count = 0;
	enum weir_status status = WEIR_OK;

	free(weir_option_list(arguments, "interleave", &count));
	if (count > 0)
		status = check_interleaved(arguments, count, err);
	if (!status && weir_option_count(arguments, "runs", DEFAULT_RUNS) > WEIR_INTERLEAVE_MOST)
		status = weir_fail(err, WEIR_E_USAGE, "--runs is too large; expected at most %d",
		                   WEIR_INTERLEAVE_MOST);
	if (!status)
		status = count > 0 ? interleave(arguments, err) : repeat(arguments, err);
	return weir_exit_of(status);
}

const struct weir_command weir_command_record = {
	.name = "record",
	.summary = "measure runs: one command many times, or two versions by turns",
	.arguments = "-- COMMAND...",
	.description =
		"Executes a command in separate processes, without a shell, and keeps what each "
		"one wrote as one run: FOLDER/run-01 and so on. A warm-up run comes first and "
		"is not kept. In the environment of the command, WEIR_RUN_DIR is the folder of the "
		"run, "
		"WEIR_RUN_FILE a path in it, for which {} in the words stands too, and "
		"WEIR_RUN_NUMBER the number of the run, 0 for a warm-up. With --result, weir "
		"moves the files that the command wrote elsewhere; with --time, the run is the "
		"duration of the command. Beside each run weir writes " WEIR_RUN_LABELS
		" with host, gpu, driver, commit and session, which gate, compare and baseline "
		"record read.\n\n"
		"A run that fails, or that cannot be read, is named with its exit code and the "
		"last lines of its output; the other runs are kept, and record ends with 7. The "
		"folder of a run appears only when the run is complete.\n\n"
		"With --interleave, two commands are executed by turns, in the order A B B A, so "
		"that drift of the machine hits both sides alike: the way to compare two versions. "
		"Each execution gets the variable WEIR_RUN with the path of the file or folder "
		"that "
		"it has to write, in any format that weir reads, and WEIR_SIDE, which is a or b. "
		"The commands are passed to sh -c; everything else is passed without a shell. An "
		"even number of runs cancels linear drift. A command that fails, or writes no run, "
		"ends the measurement. The runs of both sides come from one session: compare them "
		"with weir gate --against.",
	.options = options,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir record --interleave './a.sh \"$WEIR_RUN\"' './b.sh \"$WEIR_RUN\"' -n 10",
	.example_shows = "makes weir-ab/a/run-01.json to weir-ab/b/run-10.json and prints the "
			 "command that compares them",
	.run = run,
};
