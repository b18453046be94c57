/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/worst.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"
#include "engine/stats/trimmed.h"

/* Parts of a run. */
#define LEAST_BLOCKS 16
#define MOST_BLOCKS  64
/* Fewer collectives of a group show nothing. */
#define FEWEST_MEETINGS 8
/* A standard deviation of a normal distribution over its MAD. */
#define MAD_SCALE 1.4826
/* Deviations are no smaller than this share of the analysed time, or this factor, so that equal
 * copies of a trace have no outlier of nanoseconds. */
#define LEAST_SHARE  0.0005
#define LEAST_FACTOR 0.01
/* The smallest p whose normal deviate is taken. */
#define LEAST_P 1e-300

/* ---- collectives by kind and group ---- */

/* One collective, by its kind and its group. */
struct transfer {
	const char *key, *name; /* of the collective; the name is the end of the key */
	double bytes;           /* over the link; NAN: not recorded */
	double ns;              /* duration of its last member */
	uint32_t members, first_rank, index;
};

static int compare_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(b) - isnan(a);
	return (a > b) - (a < b);
}

/* Compares the kinds: what moves as many bytes between as many members. */
static int compare_kinds(const struct transfer *a, const struct transfer *b)
{
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = (a->members > b->members) - (a->members < b->members);
	return order != 0 ? order : compare_doubles(a->bytes, b->bytes);
}

static int compare_groups(const struct transfer *a, const struct transfer *b)
{
	int order = strcmp(a->key, b->key);

	return order != 0 ? order
	                  : (a->first_rank > b->first_rank) - (a->first_rank < b->first_rank);
}

static int by_kind_and_group(const void *left, const void *right)
{
	const struct transfer *a = left, *b = right;
	int order = compare_kinds(a, b);

	if (order == 0)
		order = compare_groups(a, b);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorts collectives of one group in the order of time, regardless of what they move. */
static int by_group(const void *left, const void *right)
{
	const struct transfer *a = left, *b = right;
	int order = compare_groups(a, b);

	if (order == 0)
		order = (a->members > b->members) - (a->members < b->members);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static struct transfer *list_transfers(const struct weir_meetings *meetings)
{
	size_t count = weir_meetings_count(meetings);
	struct transfer *all = weir_alloc((count + 1) * sizeof *all);

	for (size_t i = 0; i < count; i++) {
		struct weir_meeting_view view;
		struct weir_meeting_member first;
		const char *name;

		weir_meetings_view(meetings, i, &view);
		weir_meetings_member(meetings, i, 0, &first);
		name = strrchr(view.key, '\n');
		all[i] = (struct transfer){
			.key = view.key,
			.name = name ? name + 1 : view.key,
			.members = (uint32_t)view.members,
			.bytes = first.link_bytes,
			.first_rank = (uint32_t)first.rank,
			.index = (uint32_t)i,
			.ns = (double)view.shortest_ns,
		};
	}
	return all;
}

/* ---- ranks ---- */

/* The sums of one member of a group. */
struct tally {
	/* By part of the run: excess, and those of work and of idle time until the host launched,
	 * in ns. */
	double all[MOST_BLOCKS], by_device[MOST_BLOCKS], by_host[MOST_BLOCKS];
	double own_ns; /* its votes */
};

/* The collectives of one group, and its members. */
struct group {
	const struct transfer *first;
	size_t count;
	size_t blocks; /* parts into which they are cut */
	struct weir_own_time *members;
	struct tally *tallies;
	double votes_ns; /* of all members */
};

/* Reads the members of a collective. Returns false if one of them was in no such one before. */
static bool read_members(const struct weir_meetings *meetings, size_t index, struct group *group)
{
	bool known = true;

	for (size_t m = 0; m < group->first->members; m++) {
		weir_meetings_own(meetings, index, m, &group->members[m]);
		known &= !isnan(group->members[m].ns);
	}
	return known;
}

/* Returns the mean over the members of one of their times. */
static double mean_of(const struct group *group, size_t offset)
{
	double sum = 0, value;

	for (size_t m = 0; m < group->first->members; m++) {
		memcpy(&value, (const char *)&group->members[m] + offset, sizeof value);
		sum += value;
	}
	return sum / (double)group->first->members;
}

static void add_excesses(struct group *group, size_t block)
{
	double own = mean_of(group, offsetof(struct weir_own_time, ns));
	double busy = mean_of(group, offsetof(struct weir_own_time, busy_ns));
	double late = mean_of(group, offsetof(struct weir_own_time, late_ns));
	double largest = 0;
	size_t last = 0;

	for (size_t m = 0; m < group->first->members; m++) {
		const struct weir_own_time *member = &group->members[m];
		double excess = member->ns - own;

		group->tallies[m].all[block] += excess;
		group->tallies[m].by_device[block] += member->busy_ns - busy;
		group->tallies[m].by_host[block] += member->late_ns - late;
		if (excess > largest) {
			largest = excess;
			last = m;
		}
	}
	group->tallies[last].own_ns += largest;
	group->votes_ns += largest;
}

/* Returns what a usual part of the run adds, times their number. */
static double usual_sum(double *blocks, size_t count)
{
	return weir_trimmed_test(blocks, count).mean * (double)count;
}

static enum weir_late_by cause_of(struct tally *tally, size_t blocks, double late_ns)
{
	double by_device = usual_sum(tally->by_device, blocks);
	double by_host = usual_sum(tally->by_host, blocks);

	if (fmax(by_device, by_host) < late_ns / 2)
		return WEIR_LATE_BY_UNKNOWN;
	return by_host > by_device ? WEIR_LATE_BY_HOST : WEIR_LATE_BY_DEVICE;
}

/* Gives each member the figures of this group if it is later here than elsewhere. */
static void settle_members(const struct group *group, const struct weir_rank_summary *summaries,
                           struct weir_worst_rank *ranks)
{
	for (size_t m = 0; m < group->first->members; m++) {
		struct tally *tally = &group->tallies[m];
		size_t rank = group->members[m].rank;
		struct weir_trimmed usual = weir_trimmed_test(tally->all, group->blocks);
		double late_ns = usual.mean * (double)group->blocks;
		double share = late_ns / (double)summaries[rank].span_ns;

		if (summaries[rank].span_ns <= 0 ||
		    (!isnan(ranks[rank].share) && share <= ranks[rank].share))
			continue;
		ranks[rank].share = share;
		ranks[rank].p = usual.p;
		ranks[rank].votes = tally->own_ns / group->votes_ns;
		ranks[rank].by = cause_of(tally, group->blocks, late_ns);
	}
}

/* Returns the number of parts for a group: one a step, if it has as many collectives. */
static size_t blocks_of(const struct transfer *first, size_t count,
                        const struct weir_rank_summary *summaries)
{
	uint64_t steps = summaries[first->first_rank].steps;
	size_t blocks = steps < LEAST_BLOCKS  ? LEAST_BLOCKS
	                : steps > MOST_BLOCKS ? MOST_BLOCKS
	                                      : (size_t)steps;

	return blocks < count ? blocks : count;
}

/* Judges the members of a group. Returns the number of tests. */
static size_t judge_group(const struct weir_meetings *meetings,
                          const struct weir_rank_summary *summaries, const struct transfer *first,
                          size_t count, struct weir_worst_rank *ranks)
{
	size_t members = first->members;
	struct group group = {
		.first = first,
		.count = count,
		.blocks = blocks_of(first, count, summaries),
		.members = weir_alloc(members * sizeof *group.members),
		.tallies = weir_alloc(members * sizeof *group.tallies),
	};
	bool any = false;

	for (size_t i = 0; count >= FEWEST_MEETINGS && i < count; i++) {
		if (!read_members(meetings, first[i].index, &group))
			continue;
		add_excesses(&group, i * group.blocks / count);
		any = true;
	}
	if (any)
		settle_members(&group, summaries, ranks);
	free(group.members);
	free(group.tallies);
	return any ? members : 0;
}

/* Fills the figures of every rank; share is NAN if it is in no group with enough collectives. */
static struct weir_worst_rank *measure_ranks(const struct weir_meetings *meetings,
                                             const struct weir_rank_summary *summaries,
                                             size_t count, struct transfer *all, size_t *tests)
{
	struct weir_worst_rank *ranks = weir_alloc((count + 1) * sizeof *ranks);
	size_t transfers = weir_meetings_count(meetings);

	for (size_t r = 0; r < count; r++)
		ranks[r] = (struct weir_worst_rank){.summary = r, .share = NAN, .votes = NAN};
	*tests = 0;
	qsort(all, transfers, sizeof *all, by_group);
	for (size_t i = 0, end; i < transfers; i = end) {
		for (end = i + 1; end < transfers && compare_groups(&all[i], &all[end]) == 0 &&
		                  all[i].members == all[end].members;)
			end++;
		*tests += judge_group(meetings, summaries, &all[i], end - i, ranks);
	}
	return ranks;
}

static int by_share(const void *left, const void *right)
{
	const struct weir_worst_rank *a = left, *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return (a->summary > b->summary) - (a->summary < b->summary);
}

/* ---- nodes ---- */

/* The limits that a rank or a node must reach. */
struct limits {
	double middle, deviation; /* of the shares of all ranks */
	size_t tests;             /* of ranks in groups */
};

static bool is_late(double share, const struct limits *limits)
{
	return share >= WEIR_WORST_SHARE &&
	       (share - limits->middle) / limits->deviation >= WEIR_WORST_DEVIATIONS;
}

/* Returns true if a rank stands out alone. */
static bool stands_out(const struct weir_worst_rank *rank, const struct limits *limits)
{
	return is_late(rank->share, limits) && rank->p * (double)limits->tests < WEIR_WORST_ALPHA;
}

/* A rank on a node. */
struct place {
	const char *node;
	const struct weir_worst_rank *rank;
};

static int by_node(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->node, b->node);

	return order != 0 ? order
	                  : (a->rank->summary > b->rank->summary) -
	                            (a->rank->summary < b->rank->summary);
}

/* Returns the p of the ranks together. */
static double combined_p(const struct place *places, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += weir_normal_quantile_upper(fmax(places[i].rank->p, LEAST_P));
	return weir_normal_upper(sum / sqrt((double)count));
}

/* Returns the median share of the ranks, or of those that stand out alone. */
static double share_of_ranks(const struct place *places, size_t count, const struct limits *limits,
                             bool alone)
{
	double *shares = weir_alloc((count + 1) * sizeof *shares), share;
	size_t taken = 0;

	for (size_t i = 0; i < count; i++)
		if (!alone || stands_out(places[i].rank, limits))
			shares[taken++] = places[i].rank->share;
	share = weir_median(shares, taken);
	free(shares);
	return share;
}

/* Adds the node of these ranks if they are late together, or if half of them stand out alone. */
static void judge_node(struct weir_worst *worst, const struct place *places, size_t count,
                       size_t nodes, const struct limits *limits)
{
	const struct weir_worst_rank *latest = places[0].rank;
	double share = share_of_ranks(places, count, limits, false);
	bool together = count >= 2 && is_late(share, limits) &&
	                combined_p(places, count) * (double)nodes < WEIR_WORST_ALPHA;
	size_t alone = 0;

	for (size_t i = 0; i < count; i++) {
		alone += stands_out(places[i].rank, limits);
		if (places[i].rank->share > latest->share)
			latest = places[i].rank;
	}
	if (!together && (alone < 2 || 2 * alone < count))
		return;
	worst->nodes[worst->node_count++] = (struct weir_worst_node){
		.name = places[0].node,
		.ranks = count,
		.summary = latest->summary,
		.share = together ? share : share_of_ranks(places, count, limits, true),
		.by = latest->by,
	};
}

static int by_node_share(const void *left, const void *right)
{
	const struct weir_worst_node *a = left, *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return strcmp(a->name, b->name);
}

static size_t end_of_node(const struct place *places, size_t count, size_t first)
{
	size_t end = first + 1;

	while (end < count && strcmp(places[end].node, places[first].node) == 0)
		end++;
	return end;
}

static void find_nodes(struct weir_worst *worst, const struct weir_worst_rank *ranks,
                       const struct weir_rank_summary *summaries, size_t count,
                       const struct limits *limits)
{
	struct place *places = weir_alloc((count + 1) * sizeof *places);
	size_t known = 0, nodes = 0;

	worst->nodes = weir_alloc((count + 1) * sizeof *worst->nodes);
	for (size_t r = 0; r < count; r++)
		if (summaries[r].node && !isnan(ranks[r].share))
			places[known++] = (struct place){summaries[r].node, &ranks[r]};
	qsort(places, known, sizeof *places, by_node);
	for (size_t i = 0; i < known; i = end_of_node(places, known, i))
		nodes++;
	for (size_t i = 0, end; i < known; i = end) {
		end = end_of_node(places, known, i);
		judge_node(worst, places + i, end - i, nodes, limits);
	}
	qsort(worst->nodes, worst->node_count, sizeof *worst->nodes, by_node_share);
	free(places);
}

static bool is_on_slow_node(const struct weir_worst *worst, const char *node)
{
	for (size_t i = 0; node && i < worst->node_count; i++)
		if (strcmp(worst->nodes[i].name, node) == 0)
			return true;
	return false;
}

/* ---- all ranks ---- */

static void find_ranks(struct weir_worst *worst, const struct weir_meetings *meetings,
                       const struct weir_rank_summary *summaries, size_t count,
                       struct transfer *all)
{
	double *known = weir_alloc((count + 1) * sizeof *known);
	size_t known_count = 0;
	struct limits limits;
	struct weir_worst_rank *ranks =
		measure_ranks(meetings, summaries, count, all, &limits.tests);

	for (size_t r = 0; r < count; r++)
		if (!isnan(ranks[r].share))
			known[known_count++] = ranks[r].share;
	limits.middle = weir_median(known, known_count);
	limits.deviation = fmax(MAD_SCALE * weir_mad(known, known_count), LEAST_SHARE);
	free(known);
	if (known_count >= WEIR_WORST_FEWEST)
		find_nodes(worst, ranks, summaries, count, &limits);
	worst->ranks = ranks;
	for (size_t r = 0; known_count >= WEIR_WORST_FEWEST && r < count; r++) {
		struct weir_worst_rank one = ranks[r];

		one.deviations = (one.share - limits.middle) / limits.deviation;
		if (stands_out(&one, &limits) && !is_on_slow_node(worst, summaries[r].node))
			worst->ranks[worst->rank_count++] = one;
	}
	qsort(worst->ranks, worst->rank_count, sizeof *worst->ranks, by_share);
}

/* ---- groups ---- */

/* The collectives of one kind in one group. */
struct cell {
	const struct transfer *first;
	size_t count;
	double ns; /* median */
};

static struct cell cell_of(const struct transfer *first, size_t count)
{
	double *values = weir_alloc((count + 1) * sizeof *values);
	struct cell cell = {first, count, NAN};

	for (size_t i = 0; i < count; i++)
		values[i] = first[i].ns;
	cell.ns = weir_quantile_select(values, count, 0.5);
	free(values);
	return cell;
}

static void add_group(struct weir_worst *worst, const struct weir_meetings *meetings,
                      const struct cell *cell, double factor, double share)
{
	struct weir_worst_group *group;

	worst->groups = weir_grow(worst->groups, &worst->group_capacity, worst->group_count + 1,
	                          sizeof *worst->groups);
	group = &worst->groups[worst->group_count++];
	*group = (struct weir_worst_group){
		.key = cell->first->key,
		.summaries = weir_alloc(cell->first->members * sizeof *group->summaries),
		.member_count = cell->first->members,
		.collectives = cell->count,
		.factor = factor,
		.share = share,
	};
	for (size_t m = 0; m < cell->first->members; m++) {
		struct weir_meeting_member member;

		weir_meetings_member(meetings, cell->first->index, m, &member);
		group->summaries[m] = member.rank;
	}
}

/* Judges the groups of one kind. */
static void judge_kind(struct weir_worst *worst, const struct weir_meetings *meetings,
                       const struct weir_rank_summary *summaries, const struct cell *cells,
                       size_t count)
{
	double *logs = weir_alloc((count + 1) * sizeof *logs), middle, deviation;

	for (size_t c = 0; c < count; c++)
		logs[c] = log(fmax(cells[c].ns, 1));
	middle = weir_median(logs, count);
	deviation = fmax(MAD_SCALE * weir_mad(logs, count), LEAST_FACTOR);
	for (size_t c = 0; count >= WEIR_WORST_FEWEST && c < count; c++) {
		const struct weir_rank_summary *first = &summaries[cells[c].first->first_rank];
		double more_ns = (cells[c].ns - exp(middle)) * (double)cells[c].count;
		double factor = exp(logs[c] - middle), share = more_ns / (double)first->span_ns;

		if (factor >= WEIR_WORST_FACTOR && share >= WEIR_WORST_SHARE &&
		    (logs[c] - middle) / deviation >= WEIR_WORST_DEVIATIONS)
			add_group(worst, meetings, &cells[c], factor, share);
	}
	free(logs);
}

static int by_group_share(const void *left, const void *right)
{
	const struct weir_worst_group *a = left, *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (a->summaries[0] != b->summaries[0])
		return a->summaries[0] < b->summaries[0] ? -1 : 1;
	return strcmp(a->key, b->key);
}

static void find_groups(struct weir_worst *worst, const struct weir_meetings *meetings,
                        const struct weir_rank_summary *summaries, struct transfer *all)
{
	size_t count = weir_meetings_count(meetings), cell_count = 0;
	struct cell *cells = weir_alloc((count + 1) * sizeof *cells);

	qsort(all, count, sizeof *all, by_kind_and_group);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && compare_kinds(&all[i], &all[end]) == 0 &&
		                  compare_groups(&all[i], &all[end]) == 0;)
			end++;
		if (cell_count > 0 && compare_kinds(cells[0].first, &all[i]) != 0) {
			judge_kind(worst, meetings, summaries, cells, cell_count);
			cell_count = 0;
		}
		cells[cell_count++] = cell_of(&all[i], end - i);
	}
	if (cell_count > 0)
		judge_kind(worst, meetings, summaries, cells, cell_count);
	if (worst->group_count > 0)
		qsort(worst->groups, worst->group_count, sizeof *worst->groups, by_group_share);
	free(cells);
}

void weir_worst_find(struct weir_worst *worst, const struct weir_meetings *meetings,
                     const struct weir_rank_summary *summaries, size_t count)
{
	struct transfer *all;

	*worst = (struct weir_worst){0};
	if (weir_meetings_count(meetings) == 0)
		return;
	all = list_transfers(meetings);
	find_ranks(worst, meetings, summaries, count, all);
	find_groups(worst, meetings, summaries, all);
	free(all);
}

void weir_worst_release(struct weir_worst *worst)
{
	for (size_t i = 0; i < worst->group_count; i++)
		free(worst->groups[i].summaries);
	free(worst->groups);
	free(worst->ranks);
	free(worst->nodes);
	*worst = (struct weir_worst){0};
}
