/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "engine/analysis/ranks/one_job.h"
#include "engine/base/text.h"
#include "engine/pipeline/one_run.h"
#include "engine/readers/reader.h"

static const char advice[] = "classify each alone, or record them as runs and gate them";

/* ---- times ---- */

/* A stretch of Unix time; equal ends: not known. */
struct stretch {
	int64_t start_ns, end_ns;
};

static struct stretch stretch_of_requests(const struct weir_input *input)
{
	const struct weir_requests *requests = input->requests;
	struct stretch stretch = {0, 0};

	if (!requests || requests->count == 0 || requests->time_base != WEIR_TIME_UNIX)
		return stretch;
	stretch = (struct stretch){requests->start_ns[0], requests->end_ns[0]};
	for (size_t i = 1; i < requests->count; i++)
		if (requests->end_ns[i] > stretch.end_ns)
			stretch.end_ns = requests->end_ns[i];
	return stretch;
}

static struct stretch stretch_of_trace(const struct weir_input *input)
{
	struct weir_trace_facts facts = weir_input_facts(input);

	return (struct stretch){facts.start_ns, facts.end_ns};
}

/* Returns the time between two stretches if it is longer than `least_ns` and than each of them;
 * else 0. */
static int64_t gap_between(struct stretch a, struct stretch b, int64_t least_ns)
{
	struct stretch first = a.start_ns <= b.start_ns ? a : b;
	struct stretch second = a.start_ns <= b.start_ns ? b : a;
	int64_t gap_ns;

	if (a.start_ns == a.end_ns || b.start_ns == b.end_ns || first.start_ns < 0 ||
	    second.start_ns <= first.end_ns)
		return 0;
	gap_ns = second.start_ns - first.end_ns;
	return gap_ns > least_ns && gap_ns > first.end_ns - first.start_ns &&
	                       gap_ns > second.end_ns - second.start_ns
	               ? gap_ns
	               : 0;
}

static enum weir_status fail_apart(const struct weir_input *a, const struct weir_input *b,
                                   int64_t gap_ns, const char *what, struct weir_error *err)
{
	struct weir_text gap = {0};

	weir_text_duration(&gap, (double)gap_ns);
	weir_fail(err, WEIR_E_USAGE, "%s of %s and %s lie %s apart: they are not one run; %s", what,
	          a->path, b->path, gap.data, advice);
	weir_text_release(&gap);
	return WEIR_E_USAGE;
}

static enum weir_status check_times(const struct weir_input *a, const struct weir_input *b,
                                    struct weir_error *err)
{
	int64_t gap_ns = 0;

	if (a->requests && b->requests && a->format == b->format)
		gap_ns = gap_between(stretch_of_requests(a), stretch_of_requests(b),
		                     WEIR_ONE_RUN_APART_NS);
	if (gap_ns > 0)
		return fail_apart(a, b, gap_ns, "the requests", err);
	/* Traces with device work may share collectives, so their check comes later. */
	if (a->trace && b->trace && (a->trace->device.count == 0 || b->trace->device.count == 0))
		gap_ns = gap_between(stretch_of_trace(a), stretch_of_trace(b),
		                     WEIR_ONE_JOB_APART_NS);
	return gap_ns > 0 ? fail_apart(a, b, gap_ns, "the events", err) : WEIR_OK;
}

/* ---- results ---- */

/* Returns the name of a series that both tables hold; NULL if they share no name. */
static const char *shared_name(const struct weir_run *a, const struct weir_run *b)
{
	for (enum weir_run_table t = 0; t < WEIR_RUN_TABLE_COUNT; t++) {
		const struct weir_series_table *one = weir_run_table_of(a, t);
		const struct weir_series_table *other = weir_run_table_of(b, t);

		for (size_t i = 0; i < one->count; i++)
			if (weir_series_find(other, one->items[i].name))
				return one->items[i].name;
	}
	return NULL;
}

static bool is_whole_run(const struct weir_input *input)
{
	const struct weir_reader *reader;

	return input->format && !weir_reader_find(input->format, &reader, NULL) &&
	       reader->whole_run;
}

static enum weir_status check_labels(const struct weir_input *a, const struct weir_input *b,
                                     struct weir_error *err)
{
	static const char *const keys[] = {"gpu", "model", "model_id", "session"};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const char *one = weir_run_label(a->run, keys[i]);
		const char *other = weir_run_label(b->run, keys[i]);

		if (one && other && strcmp(one, other) != 0)
			return weir_fail(err, WEIR_E_USAGE,
			                 "%s states %s \"%s\" and %s \"%s\": they are not one run; "
			                 "%s",
			                 a->path, keys[i], one, b->path, other, advice);
	}
	return WEIR_OK;
}

static enum weir_status check_results(const struct weir_input *a, const struct weir_input *b,
                                      struct weir_error *err)
{
	const char *shared;

	if (!a->run || !b->run || a->format != b->format)
		return WEIR_OK;
	shared = is_whole_run(a) ? shared_name(a->run, b->run) : NULL;
	if (shared)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s and %s are results of two runs (both measure %s): %s; a "
		                 "folder stands for one run, so name the files",
		                 a->path, b->path, shared, advice);
	return check_labels(a, b, err);
}

enum weir_status weir_one_run_check(const struct weir_profile *profile, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 1; !status && i < profile->input_count; i++)
		for (size_t j = 0; !status && j < i; j++) {
			const struct weir_input *a = &profile->inputs[j], *b = &profile->inputs[i];

			status = check_times(a, b, err);
			if (!status)
				status = check_results(a, b, err);
		}
	return status;
}
