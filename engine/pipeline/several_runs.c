/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/pipeline/several_runs.h"

static size_t count_runs(const struct weir_run *run)
{
	size_t count = 0;

	for (; run; run = run->next)
		count++;
	return count;
}

/* Returns the first input that holds several runs, or NULL. */
static struct weir_input *find_several(struct weir_profile *profile)
{
	for (size_t i = 0; i < profile->input_count; i++)
		if (profile->inputs[i].run && profile->inputs[i].run->next)
			return &profile->inputs[i];
	return NULL;
}

/* Replaces the joined run of an input by the runs that it joins, which the file holds one after
 * another. */
static void take_repeats(struct weir_input *input)
{
	weir_run_free(input->run);
	input->run = input->repeats;
	input->repeats = NULL;
}

enum weir_status weir_several_runs_take(struct weir_profile *profile, struct weir_run **out,
                                        struct weir_error *err)
{
	struct weir_input *input;

	*out = NULL;
	/* Beside other inputs, the repeats are parts of one run with them. */
	if (profile->input_count == 1 && profile->inputs[0].repeats)
		take_repeats(&profile->inputs[0]);
	input = find_several(profile);
	if (!input)
		return WEIR_OK;
	if (profile->input_count > 1)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "%s: holds %zu runs, so it cannot be a part of one run: pass it "
		                 "alone",
		                 input->path, count_runs(input->run));
	*out = input->run->next;
	input->run->next = NULL;
	return WEIR_OK;
}

static enum weir_status keep_one(struct weir_input *input, size_t number, struct weir_error *err)
{
	struct weir_run **at = &input->run, *chosen;
	size_t count = count_runs(input->run);

	if (number > count)
		return weir_fail(err, WEIR_E_USAGE, "--run %zu: %s holds %zu run%s", number,
		                 input->path, count, count == 1 ? "" : "s");
	for (size_t i = 1; i < number; i++)
		at = &(*at)->next;
	chosen = *at;
	*at = chosen->next;
	chosen->next = NULL;
	weir_run_free(input->run);
	input->run = chosen;
	return WEIR_OK;
}

bool weir_several_runs_are_repeats(const struct weir_profile *profile)
{
	return profile->input_count == 1 && profile->inputs->format &&
	       strcmp(profile->inputs->format, "hyperfine") == 0;
}

enum weir_status weir_several_runs_choose(struct weir_profile *profile, size_t number,
                                          struct weir_error *err)
{
	struct weir_input *input;

	if (number > 0 && profile->input_count == 1 && profile->inputs[0].repeats)
		take_repeats(&profile->inputs[0]);
	input = find_several(profile);
	if (!input && number <= 1)
		return WEIR_OK;
	if (!input)
		return weir_fail(err, WEIR_E_USAGE, "--run %zu: the input is one run", number);
	if (!number)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s: holds %zu runs, but this command takes one: weir gate, weir "
		                 "compare and weir baseline record take all of them, and weir "
		                 "convert --run N writes one",
		                 input->path, count_runs(input->run));
	return keep_one(input, number, err);
}
