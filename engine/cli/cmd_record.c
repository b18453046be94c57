/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <stdlib.h>

#include "engine/cli/command.h"
#include "engine/cli/interruption.h"
#include "engine/cli/output.h"
#include "engine/pipeline/interleave.h"
#include "engine/report/gate/gate_figures.h"

#define DEFAULT_RUNS   10
#define DEFAULT_FOLDER "weir-ab"

static const struct weir_option options[] = {
	{.name = "interleave",
         .kind = WEIR_OPTION_TEXT,
         .value = "A B",
         .repeatable = true,
         .collects = true,
         .help = "the commands that measure the base and the change, each in one word for sh -c "
                 "(required)"},
	{.name = "runs",
         .letter = 'n',
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "runs of each command (default 10)"},
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FOLDER,
         .value = "FOLDER",
         .help = "folder that gets the runs, in a and b (default: " DEFAULT_FOLDER ")"},
	{.name = NULL},
};

static void say_run(void *context, const char *line)
{
	if (!*(const bool *)context)
		weir_say(line);
}

static enum weir_status check_arguments(const struct weir_arguments *arguments,
                                        struct weir_error *err)
{
	size_t count = 0;

	free(weir_option_list(arguments, "interleave", &count));
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
	if (weir_option_count(arguments, "runs", DEFAULT_RUNS) > WEIR_INTERLEAVE_MOST)
		return weir_fail(err, WEIR_E_USAGE, "--runs is too large; expected at most %d",
		                 WEIR_INTERLEAVE_MOST);
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

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *folder = weir_option_text(arguments, "output");
	bool quiet = weir_option_given(arguments, "quiet");
	struct weir_signals signals;
	enum weir_status status = check_arguments(arguments, err);

	if (status)
		return weir_exit_of(status);
	weir_signals_hold(&signals);
	const struct weir_interleave interleave = {
		.commands = {weir_option_each(arguments, "interleave", 0),
	                     weir_option_each(arguments, "interleave", 1)},
		.folder = folder ? folder : DEFAULT_FOLDER,
		.runs = weir_option_count(arguments, "runs", DEFAULT_RUNS),
		.signals = &signals,
		.say = say_run,
		.context = &quiet,
	};
	status = weir_interleave_run(&interleave, err);
	weir_end_if_interrupted(&signals);
	if (!status)
		status = print_made(&interleave, err);
	return weir_exit_of(status);
}

const struct weir_command weir_command_record = {
	.name = "record",
	.summary = "measure two versions by turns, for weir gate --against",
	.arguments = "--interleave A B",
	.description =
		"Runs two commands by turns, in the order A B B A, so that drift of the machine "
		"hits both sides alike. Each execution is one run: it gets the variable WEIR_RUN "
		"with the path of the file or folder that it has to write, in any format that weir "
		"reads, and WEIR_SIDE, which is a or b. The commands are passed to sh -c; "
		"everything else is passed without a shell. An even number of runs cancels linear "
		"drift.\n\n"
		"A command that fails, or writes no run, ends the measurement; the last lines of "
		"its output are shown. The runs of both sides come from one session: compare them "
		"with weir gate --against. To store runs, see weir help baseline.",
	.options = options,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir record --interleave './a.sh \"$WEIR_RUN\"' './b.sh \"$WEIR_RUN\"' -n 10",
	.example_shows = "makes weir-ab/a/run-01.json to weir-ab/b/run-10.json and prints the "
			 "command that compares them",
	.run = run,
};
