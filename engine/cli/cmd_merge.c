/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/cli/classifying.h"
#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/pipeline/parting.h"

/* Missing ranks that a message names; it counts the others. */
#define MOST_NAMED 16

static const struct weir_option options[] = {
	WEIR_CLASSIFY_OPTIONS,
	{.name = "expect",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "number of ranks of the job: if one is missing, name it and end with 6"},
	{.name = NULL},
};

static bool is_part_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".part") == 0;
}

/* Returns the output that is a part, or NULL. */
static const char *part_of(const struct weir_arguments *arguments)
{
	const char *path;

	for (size_t i = 0; (path = weir_option_each(arguments, "output", i)) != NULL; i++)
		if (is_part_name(path))
			return path;
	return NULL;
}

/* Says each file that was left out. Returns the reason of the first one. */
static enum weir_status tell_failures(const struct weir_read_failures *failures,
                                      struct weir_error *err)
{
	if (failures->count == 0)
		return WEIR_OK;
	for (size_t i = 0; i < failures->count; i++)
		weir_say(failures->items[i].message);
	return weir_fail(err, failures->items[0].status,
	                 "%zu %s could not be read; the others were merged", failures->count,
	                 failures->count == 1 ? "file" : "files");
}

/* ---- missing ranks ---- */

/* Ranks of which a trace was found; {0} expects none. Release `present` with free(). */
struct roll {
	bool *present;
	size_t expected;
};

static struct roll roll_of(const struct weir_arguments *arguments)
{
	size_t expected = weir_option_count(arguments, "expect", 0);

	return (struct roll){weir_alloc((expected + 1) * sizeof(bool)), expected};
}

static void add_rank(struct roll *roll, int64_t rank)
{
	if (rank >= 0 && (uint64_t)rank < roll->expected)
		roll->present[rank] = true;
}

/* Lists the first MOST_NAMED ranks that are missing, and counts the others. */
static void list_missing(const struct roll *roll, struct weir_text *out)
{
	size_t missing = 0;

	for (size_t r = 0; r < roll->expected; r++) {
		if (roll->present[r] || missing++ >= MOST_NAMED)
			continue;
		weir_text_printf(out, "%s%zu", out->length > 0 ? ", " : "", r);
	}
	if (missing > MOST_NAMED)
		weir_text_printf(out, " and %zu more", missing - MOST_NAMED);
}

/* Fails if a rank from 0 to the expected number has no trace, and frees the roll. If the command
 * has failed already, with `status`, that stays its result and the ranks are only named. */
static enum weir_status close_roll(struct roll *roll, enum weir_status status,
                                   struct weir_error *err)
{
	struct weir_text missing = {0}, line = {0};

	list_missing(roll, &missing);
	if (missing.length > 0 && status) {
		weir_text_printf(&line, "of %zu ranks these are missing: %s", roll->expected,
		                 missing.data);
		weir_say(line.data);
	} else if (missing.length > 0) {
		status = weir_fail(err, WEIR_E_NOT_COMPARED, "of %zu ranks these are missing: %s",
		                   roll->expected, missing.data);
	}
	weir_text_release(&missing);
	weir_text_release(&line);
	free(roll->present);
	return status;
}

/* ---- a part of all ---- */

static enum weir_status write_part(struct weir_part_file *part, const char *path,
                                   struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status;

	weir_part_write(part, &text);
	status = weir_output_write(path, &text, err);
	weir_text_release(&text);
	return status;
}

static enum weir_status merge_into_part(const struct weir_arguments *arguments, const char *path,
                                        struct weir_error *err)
{
	struct weir_read_failures failures = {0};
	struct weir_part_file part;
	const struct weir_read_options reading = {
		.format = weir_option_text(arguments, "input-format"), .failures = &failures};
	enum weir_status status =
		weir_part_make(weir_arguments_list(arguments), weir_arguments_count(arguments),
	                       &reading, NULL, &part, err);

	if (!status && part.count == 0 && failures.count > 0) {
		*err = failures.items[0];
		status = err->status;
	} else if (!status) {
		status = write_part(&part, path, err);
		if (!status) {
			struct roll roll = roll_of(arguments);

			for (size_t i = 0; i < part.count; i++)
				add_rank(&roll, part.members[i].facts.rank);
			status = tell_failures(&failures, err);
			status = close_roll(&roll, status, err);
		}
	}
	weir_part_release(&part);
	weir_read_failures_release(&failures);
	return status;
}

/* ---- a report ---- */

static enum weir_status merge(const struct weir_arguments *arguments,
                              const struct weir_settings *settings, struct weir_error *err)
{
	struct weir_classification *classification;
	enum weir_status status =
		weir_classify_arguments(arguments, settings, true, &classification, err);

	if (status)
		return status;
	status = weir_classification_write(arguments, classification, err);
	if (!status) {
		const struct weir_profile *profile =
			weir_classification_report(classification)->profile;
		struct roll roll = roll_of(arguments);

		for (size_t i = 0; i < profile->input_count; i++)
			add_rank(&roll, weir_input_rank(&profile->inputs[i]));
		status = tell_failures(weir_classification_failures(classification), err);
		status = close_roll(&roll, status, err);
	}
	weir_classification_free(classification);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_settings settings;
	struct weir_policy *policy;
	enum weir_status status;

	if (weir_arguments_count(arguments) == 0)
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE, "merge needs parts: weir merge r*.part -o report.html"));
	if (part_of(arguments) && weir_option_each(arguments, "output", 1))
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
		                              "-o %s: merge writes either a part or reports",
		                              part_of(arguments)));
	if (part_of(arguments))
		return weir_exit_of(merge_into_part(arguments, part_of(arguments), err));
	status = weir_documents_check(arguments, WEIR_RESULT_REPORT, err);
	if (!status)
		status = weir_policy_load(weir_option_text(arguments, "config"), &policy, err);
	if (status)
		return weir_exit_of(status);
	settings = weir_settings_given(arguments, policy);
	weir_memory_reuse();
	status = merge(arguments, &settings, err);
	weir_policy_free(policy);
	return weir_exit_of(status);
}

const struct weir_command weir_command_merge = {
	.name = "merge",
	.summary = "make one report of the parts of a run, or one part of several",
	.arguments = "PART...",
	.description = "Reads the parts of one run, in any order, and writes the report that weir "
		       "classify would write from the inputs themselves. A part that is damaged "
		       "is left out, named and counted, and the exit code is then 7.\n\n"
		       "With an output whose name ends in .part it writes one part of all, so that "
		       "parts merge in a tree, or as they arrive.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_COVERAGE) | WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir merge r0.part r1.part --expect 2",
	.example_shows = "reports on the two ranks of a job, and fails if one is missing",
	.run = run,
};
