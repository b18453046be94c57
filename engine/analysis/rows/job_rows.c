/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the ranks, nodes and groups of a job that stand out, and compares a slow rank with a fast
 * one, operator by operator and cause by cause. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/stats/quantile.h"

/* A difference is listed if it is at least this share of the largest one. */
#define DIFFERENCE_SHARE 0.2
/* Ranks of a group that its name lists. */
#define MOST_LISTED 8

/* ---- slow rank against fast rank ---- */

struct differences {
	struct weir_rank_difference items[64];
	size_t count;
};

static int by_excess(const void *left, const void *right)
{
	const struct weir_rank_difference *a = left, *b = right;
	double of_a = a->slow_ns - a->fast_ns, of_b = b->slow_ns - b->fast_ns;

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Adds a difference in which the slow rank takes longer. If there is no room, the smallest one
 * goes. */
static void add_difference(struct differences *all, const char *name, double slow_ns,
                           double fast_ns)
{
	const struct weir_rank_difference one = {name, slow_ns, fast_ns};

	if (!(slow_ns > fast_ns))
		return;
	if (all->count == WEIR_COUNT_OF(all->items)) {
		qsort(all->items, all->count, sizeof *all->items, by_excess);
		if (by_excess(&all->items[all->count - 1], &one) < 0)
			return;
		all->count--;
	}
	all->items[all->count++] = one;
}

static double steps_of(const struct weir_rank *rank)
{
	double steps = 0;

	for (size_t i = 0; i < rank->steps.step_count; i++)
		steps += rank->steps.steps[i].state == WEIR_STEP_STEADY;
	return steps;
}

/* Returns the device time of a rank's work with this name. */
static double work_ns(const struct weir_rank *rank, const char *name)
{
	double ns = 0;

	for (size_t g = 0; g < rank->groups.count; g++)
		if (strcmp(weir_group_name(&rank->groups.items[g], rank->trace->names), name) == 0)
			ns += (double)rank->groups.items[g].owned_ns;
	return ns;
}

static void compare_work(struct differences *all, const struct weir_rank *slow,
                         const struct weir_rank *fast)
{
	double slow_steps = steps_of(slow), fast_steps = steps_of(fast);

	for (size_t g = 0; g < slow->groups.count; g++) {
		const struct weir_group *group = &slow->groups.items[g];
		const char *name = weir_group_name(group, slow->trace->names);
		bool seen = group->work == WEIR_WORK_COMM;

		for (size_t i = 0; i < all->count && !seen; i++)
			seen = strcmp(all->items[i].name, name) == 0;
		if (!seen)
			add_difference(all, name, work_ns(slow, name) / slow_steps,
			               work_ns(fast, name) / fast_steps);
	}
}

static void sum_ledgers(const struct weir_rank *rank, struct weir_ledger *out)
{
	struct weir_ledger *stages = weir_alloc((rank->steps.stage_count + 1) * sizeof *stages);

	*out = (struct weir_ledger){0};
	weir_attribute(rank, stages, out);
	for (size_t s = 0; s < rank->steps.stage_count; s++)
		weir_ledger_add(out, &stages[s]);
	free(stages);
}

static void compare_idle(struct differences *all, const struct weir_rank *slow,
                         const struct weir_rank *fast)
{
	double slow_steps = steps_of(slow), fast_steps = steps_of(fast);
	struct weir_ledger of_slow, of_fast;

	sum_ledgers(slow, &of_slow);
	sum_ledgers(fast, &of_fast);
	for (size_t i = 0; i < WEIR_IDLE_COUNT; i++)
		add_difference(all, weir_idle_name((enum weir_idle)i),
		               (double)of_slow.idle_ns[i] / slow_steps,
		               (double)of_fast.idle_ns[i] / fast_steps);
}

/* Fills the largest differences of a row from those of the work or of the idle time, by what makes
 * the rank late. */
static void compare(const struct weir_rank *slow, const struct weir_rank *fast,
                    struct weir_report *report, struct weir_worst_row *row)
{
	struct differences all = {.count = 0};
	double largest;

	if (!(steps_of(slow) > 0 && steps_of(fast) > 0))
		return;
	if (row->late_by != WEIR_LATE_BY_HOST)
		compare_work(&all, slow, fast);
	if (row->late_by != WEIR_LATE_BY_DEVICE)
		compare_idle(&all, slow, fast);
	qsort(all.items, all.count, sizeof *all.items, by_excess);
	largest = all.count > 0 ? all.items[0].slow_ns - all.items[0].fast_ns : 0;
	row->differences = weir_arena_alloc(report->arena,
	                                    WEIR_MAX_RANK_DIFFERENCES * sizeof *row->differences);
	for (size_t i = 0; i < all.count && i < WEIR_MAX_RANK_DIFFERENCES; i++) {
		struct weir_rank_difference *out = &row->differences[row->difference_count];

		*out = all.items[i];
		if (out->slow_ns - out->fast_ns < DIFFERENCE_SHARE * largest)
			break;
		out->name = weir_arena_copy(report->arena, out->name, strlen(out->name));
		row->difference_count++;
	}
	row->fast_rank = fast->rank;
}

static bool is_slow(const struct weir_analysis *analysis, size_t summary)
{
	const char *node = analysis->summaries[summary].node;

	for (size_t i = 0; node && i < analysis->worst.node_count; i++)
		if (strcmp(analysis->worst.nodes[i].name, node) == 0)
			return true;
	for (size_t i = 0; i < analysis->worst.rank_count; i++)
		if (analysis->worst.ranks[i].summary == summary)
			return true;
	return false;
}

/* Returns the detailed rank that waits longest in collectives, so does its own work fastest; NULL:
 * all stand out. */
static const struct weir_rank *find_fast(const struct weir_analysis *analysis)
{
	const struct weir_rank *fast = NULL;
	double most = -1;

	for (size_t s = 0; s < analysis->summary_count; s++) {
		const struct weir_waits *waits = &analysis->summaries[s].waits;
		double wait = waits->collective_ns > 0
		                      ? (double)waits->wait_ns / (double)waits->collective_ns
		                      : 0;

		if (analysis->detailed[s] == WEIR_NONE || is_slow(analysis, s) || wait <= most)
			continue;
		most = wait;
		fast = &analysis->ranks[analysis->detailed[s]];
	}
	return fast;
}

/* ---- rows ---- */

struct listing {
	const struct weir_analysis *analysis;
	struct weir_report *report;
	const struct weir_rank *fast;
};

static struct weir_worst_row *add_row(struct listing *listing, enum weir_worst_kind kind)
{
	struct weir_job_figures *job = listing->report->job;
	struct weir_worst_row *row = &job->rows[job->row_count];

	if (job->row_count == WEIR_MAX_WORST)
		return NULL;
	job->row_count++;
	*row = (struct weir_worst_row){
		.kind = kind, .share = NAN, .votes = NAN, .factor = NAN, .fast_rank = -1};
	return row;
}

static const char *copy(const struct listing *listing, const char *text)
{
	return text ? weir_arena_copy(listing->report->arena, text, strlen(text)) : NULL;
}

static void add_differences(const struct listing *listing, size_t summary,
                            struct weir_worst_row *row)
{
	uint32_t detailed = listing->analysis->detailed[summary];

	if (listing->fast && detailed != WEIR_NONE)
		compare(&listing->analysis->ranks[detailed], listing->fast, listing->report, row);
}

static void add_rank(struct listing *listing, const struct weir_worst_rank *worst)
{
	const struct weir_rank_summary *summary = &listing->analysis->summaries[worst->summary];
	struct weir_worst_row *row = add_row(listing, WEIR_WORST_RANK);

	if (!row)
		return;
	row->name =
		weir_arena_format(listing->report->arena, "rank %lld", (long long)summary->rank);
	row->node = copy(listing, summary->node);
	row->ranks = 1;
	row->late_by = worst->by;
	row->share = worst->share;
	row->votes = worst->votes;
	add_differences(listing, worst->summary, row);
}

static void add_node(struct listing *listing, const struct weir_worst_node *worst)
{
	struct weir_worst_row *row = add_row(listing, WEIR_WORST_NODE);

	if (!row)
		return;
	row->name = weir_arena_format(listing->report->arena, "node %s", worst->name);
	row->node = copy(listing, worst->name);
	row->ranks = worst->ranks;
	row->late_by = worst->by;
	row->share = worst->share;
	add_differences(listing, worst->summary, row);
}

static bool is_on(const struct weir_rank_summary *summary, const char *node)
{
	return summary->node && strcmp(summary->node, node) == 0;
}

/* Lists the members of a group, and the nodes that they are on. */
static void name_group(const struct listing *listing, const struct weir_worst_group *group,
                       struct weir_worst_row *row)
{
	const struct weir_rank_summary *summaries = listing->analysis->summaries;
	struct weir_text ranks = {0}, nodes = {0};

	for (size_t m = 0; m < group->member_count; m++) {
		const struct weir_rank_summary *member = &summaries[group->summaries[m]];
		bool first = member->node != NULL;

		if (m < MOST_LISTED)
			weir_text_printf(&ranks, "%s%lld", m > 0 ? ", " : "ranks ",
			                 (long long)member->rank);
		for (size_t n = 0; n < m && first; n++)
			first = !is_on(&summaries[group->summaries[n]], member->node);
		if (first && m < MOST_LISTED)
			weir_text_printf(&nodes, "%s%s", nodes.length > 0 ? ", " : "",
			                 member->node);
	}
	if (group->member_count > MOST_LISTED)
		weir_text_printf(&ranks, " and %zu more", group->member_count - MOST_LISTED);
	row->name = copy(listing, ranks.data);
	row->node = copy(listing, nodes.data);
	weir_text_release(&ranks);
	weir_text_release(&nodes);
}

static void add_group(struct listing *listing, const struct weir_worst_group *group)
{
	struct weir_worst_row *row = add_row(listing, WEIR_WORST_GROUP);
	const char *name = strrchr(group->key, '\n');

	if (!row)
		return;
	name_group(listing, group, row);
	row->ranks = group->member_count;
	row->share = group->share;
	row->factor = group->factor;
	row->collective = copy(listing, name ? name + 1 : group->key);
}

static void add_experts(struct listing *listing, const struct weir_experts *experts)
{
	const struct weir_rank_summary *summary = &listing->analysis->summaries[experts->summary];
	struct weir_worst_row *row = add_row(listing, WEIR_WORST_EXPERTS);
	const char *name = strrchr(experts->key, '\n');

	if (!row)
		return;
	row->name = weir_arena_format(listing->report->arena, "experts of rank %lld",
	                              (long long)summary->rank);
	row->node = copy(listing, summary->node);
	row->ranks = experts->members;
	row->factor = experts->imbalance;
	row->collective = copy(listing, name ? name + 1 : experts->key);
}

/* Sorts by share, those without one last. */
static int by_share(const void *left, const void *right)
{
	const struct weir_worst_row *a = left, *b = right;

	if (isnan(a->share) != isnan(b->share))
		return isnan(a->share) ? 1 : -1;
	if (!isnan(a->share) && a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Notes how many ranks are analysed in detail, so that no figure is taken for one of all. */
static void note_detail(struct weir_report *report)
{
	const struct weir_job_figures *job = report->job;

	if (job->detailed < job->ranks)
		weir_report_note(
			report, "detailed_ranks",
			"attribution, device time, ranks and waiting are of all %llu ranks; "
			"durations of steps, stages and operators, the critical path and "
			"advice are of %llu of them: the ones that stand out, and every n-th",
			(unsigned long long)job->ranks, (unsigned long long)job->detailed);
}

void weir_fill_job(const struct weir_analysis *analysis, struct weir_report *report)
{
	const struct weir_worst *worst = &analysis->worst;
	struct listing listing = {analysis, report, NULL};

	if (worst->rank_count == 0 && worst->node_count == 0 && worst->group_count == 0 &&
	    analysis->experts.count == 0 && analysis->rank_count == analysis->summary_count)
		return;
	listing.fast = find_fast(analysis);
	report->job = weir_arena_alloc(report->arena, sizeof *report->job);
	*report->job = (struct weir_job_figures){
		.ranks = analysis->summary_count,
		.detailed = analysis->rank_count,
		.slow_nodes = worst->node_count,
		.slow_ranks = worst->rank_count,
		.slow_groups = worst->group_count,
		.rows = weir_arena_alloc(report->arena, WEIR_MAX_WORST * sizeof *report->job->rows),
	};
	for (size_t i = 0; i < worst->node_count; i++)
		add_node(&listing, &worst->nodes[i]);
	for (size_t i = 0; i < worst->rank_count; i++)
		add_rank(&listing, &worst->ranks[i]);
	for (size_t i = 0; i < worst->group_count; i++)
		add_group(&listing, &worst->groups[i]);
	for (size_t i = 0; i < analysis->experts.count; i++)
		add_experts(&listing, &analysis->experts.items[i]);
	qsort(report->job->rows, report->job->row_count, sizeof *report->job->rows, by_share);
	note_detail(report);
}
