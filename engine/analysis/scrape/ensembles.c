/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/scrape/ensembles.h"

/* Relative difference between counters of an ensemble and its steps, which are not read at the same
 * instant. */
#define TORN 0.01

struct search {
	const struct weir_gathering *gathering;
	double requests[WEIR_MAX_SCRAPE_GROUPS]; /* 0: not a model of Triton, or without requests */
	double computed[WEIR_MAX_SCRAPE_GROUPS]; /* nanoseconds; NAN: not given */
	double whole[WEIR_MAX_SCRAPE_GROUPS];    /* time from arrival to response; likewise */
};

static bool close_to(double a, double b)
{
	return fabs(a - b) <= TORN * fmax(a, b);
}

double weir_ensembles_requests(const struct weir_gathering *gathering, size_t group)
{
	double requests = weir_gathered_value(gathering, WEIR_SCRAPED_REQUESTS, group);

	return isnan(requests) ? weir_gathered_value(gathering, WEIR_SCRAPED_INFERENCES, group)
	                       : requests;
}

static void fill_search(struct search *search, const struct weir_gathering *gathering)
{
	search->gathering = gathering;
	for (size_t g = 0; g < gathering->group_count; g++) {
		double requests = weir_ensembles_requests(gathering, g);
		bool known = gathering->groups[g].server == WEIR_SERVER_TRITON && requests > 0;

		search->requests[g] = known ? requests : 0;
		search->computed[g] = weir_gathered_value(gathering, WEIR_SCRAPED_INFER_NS, g);
		search->whole[g] = weir_gathered_value(gathering, WEIR_SCRAPED_REQUEST_NS, g);
	}
}

/* True if `word` is a part of the name between its ends, '_', '-', '.', '/' or digits. */
static bool has_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(name, word); at; at = strstr(at + 1, word))
		if ((at == name || !((at[-1] | 32) >= 'a' && (at[-1] | 32) <= 'z')) &&
		    !((at[length] | 32) >= 'a' && (at[length] | 32) <= 'z'))
			return true;
	return false;
}

/* True if a model may be a step of the ensemble: its requests take less time, or as much if the
 * step is the only one. */
static bool may_be_below(const struct search *search, size_t ensemble, size_t step)
{
	const struct weir_scrape_group *groups = search->gathering->groups;

	if (search->whole[step] != search->whole[ensemble])
		return !(search->whole[step] > search->whole[ensemble]);
	return !has_word(groups[step].model, "ensemble") && !has_word(groups[step].model, "bls");
}

/* Marks the models that may be steps: with as many requests as the ensemble, or at least as many.
 */
static size_t mark_steps(const struct search *search, size_t ensemble, bool same_count, bool *steps)
{
	double own = search->requests[ensemble];
	size_t count = 0;

	for (size_t g = 0; g < search->gathering->group_count; g++) {
		double requests = search->requests[g];

		steps[g] = g != ensemble && requests > 0 && may_be_below(search, ensemble, g) &&
		           (close_to(requests, own) || (!same_count && requests > own));
		count += steps[g];
	}
	return count;
}

static bool times_add_up(const struct search *search, size_t ensemble, const bool *steps)
{
	double sum = 0;

	for (size_t g = 0; g < search->gathering->group_count; g++)
		sum += steps[g] ? search->computed[g] : 0;
	return sum > 0 && close_to(sum, search->computed[ensemble]);
}

/* True if the models have no times and their names tell the ensemble from its steps. */
static bool is_named_ensemble(const struct search *search, size_t ensemble, const bool *steps)
{
	const struct weir_scrape_group *groups = search->gathering->groups;

	if (!has_word(groups[ensemble].model, "ensemble") &&
	    !has_word(groups[ensemble].model, "bls"))
		return false;
	for (size_t g = 0; g < search->gathering->group_count; g++)
		if (steps[g] && (has_word(groups[g].model, "ensemble") || search->computed[g] > 0))
			return false;
	return !(search->computed[ensemble] > 0);
}

/* Returns the part of the queue of a step that requests of the ensemble waited in. */
static double queue_of_step(const struct search *search, size_t ensemble, size_t step)
{
	double queue = weir_gathered_value(search->gathering, WEIR_SCRAPED_QUEUE_NS, step);
	double share = fmin(search->requests[ensemble] / search->requests[step], 1);

	return queue > 0 ? queue * share : 0;
}

static void add_ensemble(const struct search *search, size_t ensemble, const bool *steps,
                         struct weir_ensembles *out)
{
	for (size_t g = 0; g < search->gathering->group_count; g++)
		if (steps[g])
			out->steps_queue_ns[ensemble] += queue_of_step(search, ensemble, g);
	out->any = out->is_ensemble[ensemble] = true;
	for (size_t g = 0; g < search->gathering->group_count; g++)
		if (steps[g])
			out->repeated[g] = fmin(search->requests[g],
			                        out->repeated[g] + search->requests[ensemble]);
}

void weir_ensembles_find(const struct weir_gathering *gathering, struct weir_ensembles *out)
{
	bool steps[WEIR_MAX_SCRAPE_GROUPS];
	struct search search = {0};

	*out = (struct weir_ensembles){.any = false};
	fill_search(&search, gathering);
	for (size_t g = 0; g < gathering->group_count; g++) {
		if (!(search.requests[g] > 0))
			continue;
		if ((mark_steps(&search, g, true, steps) &&
		     (times_add_up(&search, g, steps) || is_named_ensemble(&search, g, steps))) ||
		    (mark_steps(&search, g, false, steps) && times_add_up(&search, g, steps)))
			add_ensemble(&search, g, steps, out);
	}
}

double weir_ensembles_total(const struct weir_gathering *gathering,
                            const struct weir_ensembles *ensembles, enum weir_scraped metric)
{
	double sum = NAN;

	if (!ensembles->any)
		return weir_gathered_value(gathering, metric, SIZE_MAX);
	for (size_t g = 0; g < gathering->group_count; g++) {
		double own = weir_gathered_value(gathering, metric, g);
		double requests = weir_ensembles_requests(gathering, g);

		if (isnan(own) || gathering->groups[g].server != WEIR_SERVER_TRITON)
			continue;
		/* Failures of a step fail its ensemble; they scale like its requests. */
		if (ensembles->repeated[g] > 0)
			own *= 1 - ensembles->repeated[g] / requests;
		sum = isnan(sum) ? own : sum + own;
	}
	return sum;
}
