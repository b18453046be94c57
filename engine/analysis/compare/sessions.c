/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/sessions.h"
#include "engine/base/arena.h"

/* ---- finding them ---- */

/* Numbers the runs first..end by their session, from `sessions` on; returns the number afterwards.
 * Sessions seen in the runs of this call or, with `known` set, of all runs before keep their
 * number.
 */
static size_t number_runs(const struct weir_comparing *comparing, size_t first, size_t end,
                          size_t known, size_t sessions, size_t *session)
{
	for (size_t r = first; r < end; r++) {
		const char *own = weir_run_label(comparing->runs[r], WEIR_RUN_SESSION);
		size_t other = known;

		while (other < r &&
		       strcmp(weir_run_label(comparing->runs[other], WEIR_RUN_SESSION), own) != 0)
			other++;
		session[r] = other < r ? session[other] : sessions++;
	}
	return sessions;
}

static bool all_have_sessions(const struct weir_comparing *comparing)
{
	for (size_t r = 0; r < comparing->run_count; r++)
		if (!weir_run_label(comparing->runs[r], WEIR_RUN_SESSION))
			return false;
	return true;
}

/* Chooses the design by the numbers of sessions: `all` of both sides together. */
static enum weir_session_design choose_design(const struct weir_gate_sessions *sessions, size_t all,
                                              size_t runs)
{
	if (all == 1)
		return WEIR_SESSIONS_ONE;
	if (sessions->shared > 0 && runs > all + 1)
		return WEIR_SESSIONS_BLOCKS;
	return sessions->baseline + sessions->candidate > 2 ? WEIR_SESSIONS_NESTED
	                                                    : WEIR_SESSIONS_CONFOUNDED;
}

void weir_comparing_find_sessions(struct weir_comparing *comparing)
{
	struct weir_gate_sessions *found = &comparing->result->sessions;
	struct weir_session_layout *layout = &comparing->sessions;
	size_t split = comparing->input->baseline_count, runs = comparing->run_count, all;

	*found = (struct weir_gate_sessions){.design = WEIR_SESSIONS_UNKNOWN};
	if (comparing->input->one_session) {
		*found = (struct weir_gate_sessions){WEIR_SESSIONS_ONE, 1, 1, 1};
		return;
	}
	if (!all_have_sessions(comparing))
		return;
	comparing->session = weir_alloc((runs + 1) * sizeof(*comparing->session));
	found->baseline = number_runs(comparing, 0, split, 0, 0, comparing->session);
	all = number_runs(comparing, split, runs, 0, found->baseline, comparing->session);
	*layout = (struct weir_session_layout){runs, split, all, comparing->session};
	/* Numbered anew, a session that holds both sides counts twice. */
	layout->sessions =
		number_runs(comparing, split, runs, split, found->baseline, comparing->session);
	found->candidate = layout->sessions - found->baseline;
	found->shared = layout->sessions - all;
	found->design = choose_design(found, all, runs);
	if (found->design == WEIR_SESSIONS_BLOCKS)
		layout->sessions =
			number_runs(comparing, split, runs, 0, found->baseline, comparing->session);
}

/* ---- reducing runs ---- */

/* Returns the mean number of runs of a session, by which chance in the tail of one run shrinks. */
static double runs_of_session(const struct weir_session_layout *layout)
{
	return (double)layout->runs / (double)layout->sessions;
}

static void reduce_set(const struct weir_comparing *comparing, struct weir_compared_set *set)
{
	const struct weir_session_layout *layout = &comparing->sessions;
	size_t cells = set->rows * set->count;
	double *means = weir_alloc((cells * layout->sessions + 1) * sizeof(*means));
	double *tails =
		set->tail ? weir_alloc((cells * layout->sessions + 1) * sizeof(*tails)) : NULL;
	struct weir_session_error unused;

	set->errors = weir_alloc((cells + 1) * sizeof(*set->errors));
	for (size_t at = 0; at < cells; at++) {
		weir_session_reduce(layout, set->y + at * layout->runs,
		                    means + at * layout->sessions, &set->errors[at]);
		if (!tails)
			continue;
		weir_session_reduce(layout, set->tail + at * layout->runs,
		                    tails + at * layout->sessions, &unused);
		set->tail_floor[at] /= runs_of_session(layout);
	}
	free(set->y);
	free(set->tail);
	set->y = means;
	set->tail = tails;
}

void weir_comparing_keep_by_run(struct weir_comparing *comparing)
{
	struct weir_compared_set *sets[] = {&comparing->stages, &comparing->devices,
	                                    &comparing->operators, &comparing->metrics};

	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
		size_t cells = sets[s]->rows * sets[s]->count;

		sets[s]->by_run = weir_alloc((cells + 1) * sizeof(*sets[s]->by_run));
		if (cells > 0)
			memcpy(sets[s]->by_run, sets[s]->cells, cells * sizeof(*sets[s]->cells));
	}
	memcpy(comparing->all_by_run, comparing->all, sizeof comparing->all);
}

void weir_comparing_reduce_sessions(struct weir_comparing *comparing)
{
	struct weir_compared_set *sets[] = {&comparing->stages, &comparing->devices,
	                                    &comparing->operators, &comparing->metrics};

	weir_comparing_keep_by_run(comparing);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
		reduce_set(comparing, sets[s]);
	comparing->columns = comparing->sessions.sessions;
	comparing->baseline_columns = (size_t)comparing->result->sessions.baseline;
}
