/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/ranks/ranks_match.h"
#include "engine/analysis/timeline/steady.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* Further devices of a job are not compared. */
#define MAX_LANES 65536
/* A rank counts as late if the others wait at least this share of the time in its collectives. */
#define LATE_SHARE 0.10
/* Device or host must explain at least this share of the lateness. */
#define MAIN_CAUSE_SHARE 0.50

#define NOBODY     SIZE_MAX
#define NO_MEETING UINT32_MAX
/* Clocks of one host agree to some microseconds. */
#define CLOCKS_APART_NS 100000

/* The rank and device of a lane, and what was added to its clock. */
struct place {
	uint32_t rank;
	uint16_t device;
	int64_t base_ns;
};

/* Sums over the collectives of one lane. */
struct lane_sums {
	size_t last;        /* the previous meeting; NOBODY: none */
	uint32_t last_item; /* its own part in that meeting */
	int64_t inside_ns;  /* duration of the meetings so far */

	int64_t longest_ns;     /* durations of the longest member of each collective */
	int64_t most_waited_ns; /* longest wait of each collective */
	int64_t alone_ns;       /* if it arrives last: its start less the second last start */
	int64_t caused_ns;      /* longest waits of the collectives in which it arrives last */
	int64_t judged_ns;      /* part of caused_ns with known activity before the start */
	double by_device_ns,
		by_host_ns; /* extra work and extra idle time in that part; may be negative */
	double link_bytes, link_ns;
};

/* A collective with all its members. A large job has millions of them: what extent_of() computes
 * from the members is not stored. */
struct meeting {
	int64_t last_start_ns;
	uint32_t match;
	uint32_t first, last; /* first and last member by start, indices into matches.members */
	bool counts;
};

/* The figures of a collective. */
struct extent {
	int64_t first_start_ns, second_start_ns, last_start_ns; /* second: the second last start */
	int64_t shortest_ns, longest_ns;
};

/* The collectives of the arrivals of one lane. */
struct trail {
	uint32_t *meeting;            /* per arrival: index of the matched one, or NO_MEETING */
	struct weir_narrow inside_ns; /* per arrival: duration of the earlier ones of its lane */
};

struct weir_meetings {
	struct weir_names *keys;
	struct weir_lane *lanes; /* sorted, aligned */
	struct place *places;
	struct lane_sums *sums; /* one per lane */
	struct trail *trails;   /* one per lane; NULL: nothing is matched */
	size_t lane_count, lane_capacity;
	struct weir_matches matches;
	struct meeting *meetings; /* in order of their last start */
	uint32_t *counted;        /* the meetings that count */
	size_t counted_count;
	size_t *first_lane; /* per rank, and one more: its lanes */
};

/* ---- lanes ---- */

/* Returns the base of the rank's clock relative to the first stated one. Bases of one job are
 * seconds apart; the caller rejects differences of years. */
static int64_t base_of(const struct weir_rank_summary *summary, int64_t *first_base_ns)
{
	if (summary->base_ns <= 0)
		return 0;
	if (*first_base_ns == 0)
		*first_base_ns = summary->base_ns;
	return summary->base_ns - *first_base_ns;
}

/* Moves the collectives of a device to a lane of the job, with keys that mean the same in all
 * lanes. */
static void take_lane(struct weir_meetings *all, struct weir_lane *from, const uint32_t *key_of,
                      const struct place *place, bool based)
{
	struct weir_lane *lane;

	all->lanes = weir_realloc(all->lanes, (all->lane_count + 1) * sizeof *all->lanes);
	all->places = weir_realloc(all->places, (all->lane_count + 1) * sizeof *all->places);
	all->places[all->lane_count] = *place;
	lane = &all->lanes[all->lane_count++];
	*lane = *from;
	lane->based = based;
	*from = (struct weir_lane){0};
	weir_lane_settle(lane);
	weir_lane_rename(lane, key_of, place->base_ns);
}

static void collect_lanes(struct weir_meetings *all, struct weir_rank_summary *summaries,
                          size_t count)
{
	int64_t first_base_ns = 0;

	all->keys = weir_names_new();
	all->first_lane = weir_alloc((count + 1) * sizeof *all->first_lane);
	for (size_t r = 0; r < count; r++) {
		struct weir_rank_summary *summary = &summaries[r];
		size_t keys = weir_names_count(summary->keys);
		uint32_t *key_of = weir_alloc((keys + 1) * sizeof *key_of);
		int64_t base_ns = base_of(summary, &first_base_ns);

		all->first_lane[r] = all->lane_count;
		for (uint32_t k = 0; k < keys; k++)
			key_of[k] = weir_names_add(all->keys, weir_names_text(summary->keys, k),
			                           weir_names_length(summary->keys, k));
		for (size_t d = 0; d < summary->device_count && all->lane_count < MAX_LANES; d++)
			if (summary->devices[d].lane.count > 0 &&
			    llabs(base_ns) <= WEIR_ARRIVAL_MAX_NS)
				take_lane(all, &summary->devices[d].lane, key_of,
				          &(struct place){(uint32_t)r, (uint16_t)d, base_ns},
				          summary->base_ns > 0);
		free(key_of);
	}
	all->first_lane[count] = all->lane_count;
}

/* ---- meetings ---- */

static uint32_t lane_of(const struct weir_meetings *all, size_t member)
{
	return all->matches.members[member].lane;
}

static struct weir_arrival arrival(const struct weir_meetings *all, size_t member)
{
	const struct weir_member *at = &all->matches.members[member];

	return weir_lane_arrival(&all->lanes[at->lane], at->item);
}

static int64_t start_of(const struct weir_meetings *all, size_t member)
{
	const struct weir_member *at = &all->matches.members[member];

	return weir_lane_start_ns(&all->lanes[at->lane], at->item) + all->lanes[at->lane].offset_ns;
}

static int64_t duration_of(const struct weir_meetings *all, size_t member)
{
	const struct weir_member *at = &all->matches.members[member];

	return weir_lane_at(&all->lanes[at->lane], WEIR_LANE_DURATION_NS, at->item);
}

static bool is_steady(const struct weir_meetings *all, size_t member)
{
	const struct weir_member *at = &all->matches.members[member];

	return weir_lane_at(&all->lanes[at->lane], WEIR_LANE_STEADY, at->item) != 0;
}

/* Returns the duration of the shortest member. */
static int64_t shortest_of(const struct weir_meetings *all, const struct meeting *meeting)
{
	int64_t shortest_ns = INT64_MAX;

	for (size_t m = all->matches.first[meeting->match];
	     m < all->matches.first[meeting->match + 1]; m++) {
		int64_t duration_ns = duration_of(all, m);

		shortest_ns = duration_ns < shortest_ns ? duration_ns : shortest_ns;
	}
	return shortest_ns;
}

static struct extent extent_of(const struct weir_meetings *all, const struct meeting *meeting)
{
	struct extent extent = {
		.first_start_ns = start_of(all, meeting->first),
		.second_start_ns = INT64_MIN,
		.last_start_ns = meeting->last_start_ns,
		.shortest_ns = INT64_MAX,
	};

	for (size_t m = all->matches.first[meeting->match];
	     m < all->matches.first[meeting->match + 1]; m++) {
		int64_t start_ns = start_of(all, m), duration_ns = duration_of(all, m);

		if (m != meeting->last && start_ns > extent.second_start_ns)
			extent.second_start_ns = start_ns;
		if (duration_ns < extent.shortest_ns)
			extent.shortest_ns = duration_ns;
		if (duration_ns > extent.longest_ns)
			extent.longest_ns = duration_ns;
	}
	return extent;
}

static void find_meeting(const struct weir_meetings *all, size_t match, struct meeting *out)
{
	size_t first = all->matches.first[match], end = all->matches.first[match + 1];
	int64_t first_start_ns = INT64_MAX;

	*out = (struct meeting){.match = (uint32_t)match,
	                        .first = (uint32_t)first,
	                        .last = (uint32_t)first,
	                        .last_start_ns = INT64_MIN,
	                        .counts = true};
	for (size_t m = first; m < end; m++) {
		int64_t start_ns = start_of(all, m);

		if (start_ns < first_start_ns) {
			first_start_ns = start_ns;
			out->first = (uint32_t)m;
		}
		if (start_ns > out->last_start_ns) {
			out->last_start_ns = start_ns;
			out->last = (uint32_t)m;
		}
		if (!is_steady(all, m))
			out->counts = false; /* outside the steady steps of that rank */
	}
}

static int by_last_start(const void *left, const void *right)
{
	const struct meeting *a = left, *b = right;

	if (a->last_start_ns != b->last_start_ns)
		return a->last_start_ns < b->last_start_ns ? -1 : 1;
	return (a->match > b->match) - (a->match < b->match);
}

/* Excludes the first meeting of a lane if it lasts much longer than any later one. */
static void exclude_first(struct weir_meetings *all)
{
	struct {
		struct meeting *first;
		int64_t longest_ns; /* of the later meetings */
	} *lanes = weir_alloc(all->lane_count * sizeof *lanes);

	for (size_t i = 0; i < all->matches.count; i++) {
		struct meeting *meeting = &all->meetings[i];
		size_t end = all->matches.first[meeting->match + 1];
		int64_t longest_ns = meeting->counts ? extent_of(all, meeting).longest_ns : 0;

		for (size_t m = all->matches.first[meeting->match]; meeting->counts && m < end;
		     m++) {
			uint32_t lane = lane_of(all, m);

			if (!lanes[lane].first)
				lanes[lane].first = meeting;
			else if (longest_ns > lanes[lane].longest_ns)
				lanes[lane].longest_ns = longest_ns;
		}
	}
	for (size_t l = 0; l < all->lane_count; l++)
		if (lanes[l].first && lanes[l].longest_ns > 0 &&
		    extent_of(all, lanes[l].first).longest_ns / WEIR_FIRST_WAIT_FACTOR >
		            lanes[l].longest_ns)
			lanes[l].first->counts = false;
	free(lanes);
}

/* ---- waiting ---- */

/* Returns the part of the time from the end of one collective of a lane to the start of another
 * that the sums, taken before start and end of each, account for. */
static int64_t between_ns(const struct weir_arrival *from, const struct weir_arrival *to,
                          const int64_t from_ns[2], const int64_t to_ns[2])
{
	return to->start_ns > from->end_ns ? to_ns[0] - from_ns[1] : 0;
}

/* Explains why the last member was late. Both members left the same previous collective at the same
 * time, so the extra activity of the last member since then is the cause. */
static void explain_lateness(struct weir_meetings *all, const struct meeting *meeting,
                             int64_t most_waited_ns)
{
	const struct lane_sums *first = &all->sums[lane_of(all, meeting->first)];
	struct lane_sums *last = &all->sums[lane_of(all, meeting->last)];
	struct weir_arrival a, b, before_a, before_b;

	if (first == last || last->last == NOBODY || first->last != last->last)
		return;
	a = arrival(all, meeting->last);
	b = arrival(all, meeting->first);
	before_a = weir_lane_arrival(&all->lanes[lane_of(all, meeting->last)], last->last_item);
	before_b = weir_lane_arrival(&all->lanes[lane_of(all, meeting->first)], first->last_item);
	last->judged_ns = weir_add_ns(last->judged_ns, most_waited_ns);
	last->by_device_ns += (double)(between_ns(&before_a, &a, before_a.busy_ns, a.busy_ns) -
	                               between_ns(&before_b, &b, before_b.busy_ns, b.busy_ns));
	last->by_host_ns += (double)(between_ns(&before_a, &a, before_a.late_ns, a.late_ns) -
	                             between_ns(&before_b, &b, before_b.late_ns, b.late_ns));
}

/* Returns how long a member waits for the last one; at most its duration. */
static int64_t wait_of(const struct weir_meetings *all, const struct meeting *meeting,
                       size_t member)
{
	int64_t duration_ns = duration_of(all, member);
	int64_t wait_ns = weir_span_ns(start_of(all, member), meeting->last_start_ns);

	return wait_ns > duration_ns ? duration_ns : wait_ns;
}

static void add_member(struct weir_meetings *all, const struct meeting *meeting,
                       const struct extent *extent, size_t member, struct weir_waits *waits)
{
	const struct weir_member *at = &all->matches.members[member];
	const struct weir_lane *lane = &all->lanes[at->lane];
	double link_bytes = lane->links[weir_lane_at(lane, WEIR_LANE_LINK, at->item)];
	struct lane_sums *sums = &all->sums[at->lane];

	waits->matched++;
	waits->collective_ns = weir_add_ns(waits->collective_ns, duration_of(all, member));
	waits->wait_ns = weir_add_ns(waits->wait_ns, wait_of(all, meeting, member));
	waits->transfer_ns = weir_add_ns(waits->transfer_ns, extent->shortest_ns);
	sums->longest_ns = weir_add_ns(sums->longest_ns, extent->longest_ns);
	sums->most_waited_ns = weir_add_ns(
		sums->most_waited_ns, weir_span_ns(extent->first_start_ns, extent->last_start_ns));
	if (!isnan(link_bytes)) {
		sums->link_bytes += link_bytes;
		sums->link_ns += (double)extent->shortest_ns;
	}
}

static void add_counting(struct weir_meetings *all, const struct meeting *meeting,
                         struct weir_rank_summary *summaries)
{
	struct lane_sums *last = &all->sums[lane_of(all, meeting->last)];
	struct extent extent = extent_of(all, meeting);
	int64_t most_waited_ns = weir_span_ns(extent.first_start_ns, extent.last_start_ns);

	for (size_t m = all->matches.first[meeting->match];
	     m < all->matches.first[meeting->match + 1]; m++)
		add_member(all, meeting, &extent, m,
		           &summaries[all->places[lane_of(all, m)].rank].waits);
	last->alone_ns = weir_add_ns(last->alone_ns,
	                             weir_span_ns(extent.second_start_ns, extent.last_start_ns));
	last->caused_ns = weir_add_ns(last->caused_ns, most_waited_ns);
	explain_lateness(all, meeting, most_waited_ns);
}

/* Adds a collective to the sums of its lanes. `inside_ns` has, per lane and arrival, the duration
 * of the collectives before. */
static void add_meeting(struct weir_meetings *all, size_t index,
                        struct weir_rank_summary *summaries, int64_t **inside_ns)
{
	const struct meeting *meeting = &all->meetings[index];

	if (meeting->counts) {
		add_counting(all, meeting, summaries);
		all->counted[all->counted_count++] = (uint32_t)index;
	}
	for (size_t m = all->matches.first[meeting->match];
	     m < all->matches.first[meeting->match + 1]; m++) {
		uint32_t lane = lane_of(all, m), item = all->matches.members[m].item;
		struct lane_sums *sums = &all->sums[lane];

		sums->last = index;
		sums->last_item = item;
		all->trails[lane].meeting[item] = (uint32_t)index;
		inside_ns[lane][item] = sums->inside_ns;
		sums->inside_ns = weir_add_ns(sums->inside_ns, duration_of(all, m));
	}
}

/* Adds all collectives to the sums of their lanes. */
static void add_meetings(struct weir_meetings *all, struct weir_rank_summary *summaries)
{
	int64_t **inside_ns = weir_alloc(all->lane_count * sizeof *inside_ns);

	all->trails = weir_alloc(all->lane_count * sizeof *all->trails);
	for (size_t l = 0; l < all->lane_count; l++) {
		size_t count = all->lanes[l].count;

		inside_ns[l] = weir_alloc((count + 1) * sizeof **inside_ns);
		all->trails[l].meeting = weir_alloc((count + 1) * sizeof(uint32_t));
		memset(all->trails[l].meeting, 0xff, count * sizeof(uint32_t)); /* NO_MEETING */
	}
	for (size_t i = 0; i < all->matches.count; i++)
		add_meeting(all, i, summaries, inside_ns);
	for (size_t l = 0; l < all->lane_count; l++) {
		weir_narrow_init(&all->trails[l].inside_ns, inside_ns[l], all->lanes[l].count);
		free(inside_ns[l]);
	}
	free(inside_ns);
}

static enum weir_late_by late_by(const struct lane_sums *sums)
{
	double enough = MAIN_CAUSE_SHARE * (double)sums->judged_ns;
	double device = sums->by_device_ns, host = sums->by_host_ns;

	if (!((double)sums->caused_ns >= LATE_SHARE * (double)sums->longest_ns) ||
	    sums->judged_ns <= 0 || fmax(device, host) < enough)
		return WEIR_LATE_BY_UNKNOWN;
	return host > device ? WEIR_LATE_BY_HOST : WEIR_LATE_BY_DEVICE;
}

/* Fills the figures of a rank; with several devices, those of the worst one. */
static void judge_lane(const struct weir_meetings *all, size_t lane,
                       struct weir_rank_summary *summary)
{
	const struct lane_sums *sums = &all->sums[lane];
	double link_bytes_per_s = summary->devices[all->places[lane].device].link_bytes_per_s;
	struct weir_waits *waits = &summary->waits;
	double score = sums->most_waited_ns > 0
	                       ? (double)sums->alone_ns / (double)sums->most_waited_ns
	                       : 0;

	waits->aligned = true;
	waits->offset_ns = all->lanes[lane].offset_ns;
	if (!weir_waits_known(waits))
		return;
	if (isnan(waits->straggler_score) || score > waits->straggler_score) {
		waits->straggler_score = score;
		waits->late_by = late_by(sums);
	}
	if (sums->link_ns > 0)
		waits->bus_bytes_per_s = sums->link_bytes / (sums->link_ns / 1e9);
	if (!isnan(link_bytes_per_s)) /* The table adds both directions. */
		waits->link_share = waits->bus_bytes_per_s / (link_bytes_per_s / 2);
}

static void compare(struct weir_meetings *all, struct weir_rank_summary *summaries)
{
	all->sums = weir_alloc(all->lane_count * sizeof *all->sums);
	for (size_t l = 0; l < all->lane_count; l++)
		all->sums[l].last = NOBODY;
	all->meetings = weir_alloc((all->matches.count + 1) * sizeof *all->meetings);
	all->counted = weir_alloc((all->matches.count + 1) * sizeof *all->counted);
	for (size_t i = 0; i < all->matches.count; i++)
		find_meeting(all, i, &all->meetings[i]);
	qsort(all->meetings, all->matches.count, sizeof *all->meetings, by_last_start);
	exclude_first(all);
	add_meetings(all, summaries);
	for (size_t l = 0; l < all->lane_count; l++)
		judge_lane(all, l, &summaries[all->places[l].rank]);
}

struct weir_meetings *weir_meetings_new(struct weir_rank_summary *summaries, size_t count)
{
	struct weir_meetings *all = weir_alloc(sizeof *all);

	collect_lanes(all, summaries, count);
	if (all->lane_count > 1) {
		weir_lanes_align(all->lanes, all->lane_count);
		weir_lanes_match(all->lanes, all->lane_count, &all->matches);
	}
	for (size_t r = 0; r < count; r++)
		summaries[r].waits = (struct weir_waits){
			.straggler_score = NAN, .bus_bytes_per_s = NAN, .link_share = NAN};
	if (all->matches.count > 0)
		compare(all, summaries);
	return all;
}

void weir_meetings_drop(struct weir_meetings *meetings)
{
	for (size_t l = 0; l < meetings->lane_count; l++) {
		weir_lane_release(&meetings->lanes[l]);
		if (meetings->trails) {
			free(meetings->trails[l].meeting);
			weir_narrow_release(&meetings->trails[l].inside_ns);
		}
	}
	weir_matches_release(&meetings->matches);
	free(meetings->lanes);
	free(meetings->places);
	free(meetings->sums);
	free(meetings->trails);
	free(meetings->meetings);
	free(meetings->counted);
	free(meetings->first_lane);
	*meetings = (struct weir_meetings){.keys = meetings->keys};
}

void weir_meetings_free(struct weir_meetings *meetings)
{
	if (!meetings)
		return;
	weir_meetings_drop(meetings);
	weir_names_free(meetings->keys);
	free(meetings);
}

bool weir_waits_known(const struct weir_waits *waits)
{
	return waits->matched >= WEIR_FEWEST_MATCHES && waits->collective_ns > 0;
}

/* ---- rows of a rank ---- */

/* Finds the member of a lane; the members of a match are in the order of their lanes. */
static size_t member_of(const struct weir_meetings *all, const struct meeting *meeting,
                        uint32_t lane)
{
	size_t low = all->matches.first[meeting->match];
	size_t end = all->matches.first[meeting->match + 1];

	while (end - low > 1) {
		size_t middle = low + (end - low) / 2;

		if (lane_of(all, middle) <= lane)
			low = middle;
		else
			end = middle;
	}
	return low;
}

/* Notes for the row of an arrival until when its rank waits, and for whom: the member that arrived
 * last. */
static void mark_row(const struct weir_meetings *all, uint32_t lane, size_t item,
                     struct weir_waits *waits)
{
	const struct meeting *meeting = &all->meetings[all->trails[lane].meeting[item]];
	size_t member = member_of(all, meeting, lane);
	const struct weir_member *last = &all->matches.members[meeting->last];
	size_t row = (size_t)weir_lane_at(&all->lanes[lane], WEIR_LANE_ROW, item);

	if (!meeting->counts)
		return;
	waits->until_ns[row] = weir_lane_start_ns(&all->lanes[lane], item) -
	                       all->places[lane].base_ns + wait_of(all, meeting, member);
	waits->by[row] = (uint8_t)late_by(&all->sums[last->lane]);
	waits->last[row] = (struct weir_last_member){
		.rank = all->places[last->lane].rank,
		.row = (uint32_t)weir_lane_at(&all->lanes[last->lane], WEIR_LANE_ROW, last->item),
	};
	waits->longest[row] = meeting->first == member;
}

void weir_meetings_rows(const struct weir_meetings *meetings, size_t rank,
                        const struct weir_rank_summary *summary, struct weir_rank *out)
{
	size_t rows = out->trace->device.count;
	struct weir_waits *waits = &out->waits;

	*waits = summary->waits;
	if (!weir_waits_known(waits))
		return;
	waits->until_ns = weir_alloc((rows + 1) * sizeof *waits->until_ns);
	waits->by = weir_alloc((rows + 1) * sizeof *waits->by);
	waits->longest = weir_alloc((rows + 1) * sizeof *waits->longest);
	waits->last = weir_alloc((rows + 1) * sizeof *waits->last);
	for (size_t i = 0; i < rows; i++)
		waits->until_ns[i] = INT64_MIN;
	for (size_t l = meetings->first_lane[rank]; l < meetings->first_lane[rank + 1]; l++)
		for (size_t i = 0; i < meetings->lanes[l].count; i++)
			if (meetings->trails[l].meeting[i] != NO_MEETING)
				mark_row(meetings, (uint32_t)l, i, waits);
}

/* ---- one collective after another ---- */

size_t weir_meetings_count(const struct weir_meetings *meetings)
{
	return meetings->counted_count;
}

void weir_meetings_view(const struct weir_meetings *meetings, size_t index,
                        struct weir_meeting_view *out)
{
	const struct meeting *meeting = &meetings->meetings[meetings->counted[index]];
	size_t first = meetings->matches.first[meeting->match];
	const struct weir_member *at = &meetings->matches.members[first];
	uint32_t key = weir_lane_run_of(&meetings->lanes[at->lane], at->item)->key;

	*out = (struct weir_meeting_view){
		.key = weir_names_text(meetings->keys, key),
		.members = meetings->matches.first[meeting->match + 1] - first,
		.shortest_ns = shortest_of(meetings, meeting),
	};
}

/* Measures the time since the previous collective with the same key, which precedes this one in its
 * run. */
static void measure_own(const struct weir_lane *lane, const struct trail *trail, size_t item,
                        struct weir_own_time *out)
{
	struct weir_arrival to, from;
	int64_t between;

	if (item == weir_lane_run_of(lane, item)->first || trail->meeting[item - 1] == NO_MEETING)
		return;
	to = weir_lane_arrival(lane, item);
	from = weir_lane_arrival(lane, item - 1);
	between = weir_narrow_at(&trail->inside_ns, item) -
	          weir_narrow_at(&trail->inside_ns, item - 1) - (from.end_ns - from.start_ns);
	out->ns = (double)weir_span_ns(from.end_ns, to.start_ns) - (double)between;
	out->busy_ns = (double)between_ns(&from, &to, from.busy_ns, to.busy_ns);
	out->late_ns = (double)between_ns(&from, &to, from.late_ns, to.late_ns);
}

void weir_meetings_member(const struct weir_meetings *meetings, size_t index, size_t member,
                          struct weir_meeting_member *out)
{
	const struct meeting *meeting = &meetings->meetings[meetings->counted[index]];
	size_t own = meetings->matches.first[meeting->match] + member;
	const struct weir_member *at = &meetings->matches.members[own];
	const struct weir_lane *lane = &meetings->lanes[at->lane];

	*out = (struct weir_meeting_member){
		.rank = meetings->places[at->lane].rank,
		.step = (uint32_t)weir_lane_at(lane, WEIR_LANE_STEP, at->item) - UINT32_C(1),
		.start_ns = start_of(meetings, own),
		.wait_ns = wait_of(meetings, meeting, own),
		.link_bytes = lane->links[weir_lane_at(lane, WEIR_LANE_LINK, at->item)],
		.received = weir_lane_at(lane, WEIR_LANE_RECEIVED, at->item),
	};
}

void weir_meetings_own(const struct weir_meetings *meetings, size_t index, size_t member,
                       struct weir_own_time *out)
{
	const struct meeting *meeting = &meetings->meetings[meetings->counted[index]];
	size_t own = meetings->matches.first[meeting->match] + member;
	const struct weir_member *at = &meetings->matches.members[own];

	*out = (struct weir_own_time){meetings->places[at->lane].rank, NAN, NAN, NAN};
	measure_own(&meetings->lanes[at->lane], &meetings->trails[at->lane], at->item, out);
}

/* ---- ranks in memory ---- */

void weir_ranks_compare(struct weir_rank *ranks, size_t count)
{
	struct weir_rank_summary *summaries = weir_alloc((count + 1) * sizeof *summaries);
	struct weir_meetings *meetings;

	for (size_t r = 0; r < count; r++)
		weir_rank_summary_init(&summaries[r], &ranks[r], true);
	meetings = weir_meetings_new(summaries, count);
	for (size_t r = 0; r < count; r++) {
		weir_meetings_rows(meetings, r, &summaries[r], &ranks[r]);
		weir_rank_summary_release(&summaries[r]);
	}
	weir_meetings_free(meetings);
	free(summaries);
}

/* ---- notes ---- */

struct census {
	size_t members,
		waiting; /* devices with communication; ranks among them with known waiting time */
	int64_t job, furthest_ns;
	int64_t furthest_rank;
};

static struct census take_census(const struct weir_rank_summary *summaries, size_t count)
{
	struct census census = {0};

	for (size_t r = 0; r < count; r++) {
		const struct weir_rank_summary *summary = &summaries[r];

		if (summary->members == 0)
			continue;
		census.members += summary->members;
		if (summary->job_size > census.job)
			census.job = summary->job_size;
		if (!weir_waits_known(&summary->waits))
			continue;
		census.waiting++;
		if (llabs(summary->waits.offset_ns) > llabs(census.furthest_ns)) {
			census.furthest_ns = summary->waits.offset_ns;
			census.furthest_rank = summary->rank;
		}
	}
	return census;
}

static void note_clocks(const struct census *census, struct weir_report *report)
{
	struct weir_text apart = {0};

	if (llabs(census->furthest_ns) < CLOCKS_APART_NS)
		return;
	weir_text_duration(&apart, (double)llabs(census->furthest_ns));
	weir_report_note(
		report, "clock_offset",
		"the clocks of the ranks were shifted so that collectives end together, that of "
		"rank %lld most (by %s): waiting times are measured on the shifted clocks",
		(long long)census->furthest_rank, apart.data);
	weir_text_release(&apart);
}

/* Says why transfer and waiting stay together when one of `count` traces holds collectives; `job`
 * is the size of its job. */
static void note_one(size_t count, int64_t job, struct weir_report *report)
{
	static const char alone[] = "one rank alone cannot separate transfer from waiting: pass "
				    "the traces of all ranks of the job, recorded at the same time";

	if (count > 1)
		weir_report_note(report, "one_rank",
		                 "only one of the %zu traces holds collectives: transfer and "
		                 "waiting can only be separated in traces of one job over the "
		                 "same steps",
		                 count);
	else if (job > 1)
		weir_report_note(report, "one_rank", "%s (%lld ranks)", alone, (long long)job);
	else
		weir_report_note(report, "one_rank", "%s", alone);
}

void weir_ranks_note(const struct weir_rank_summary *summaries, size_t count,
                     struct weir_report *report)
{
	struct census census = take_census(summaries, count);

	if (census.waiting == 0 && census.members == 1)
		note_one(count, census.job, report);
	else if (census.waiting == 0 && census.members > 1)
		weir_report_note(
			report, "unmatched",
			"the collectives of the %zu ranks do not match: transfer and waiting can "
			"only be separated in traces of one job over the same steps",
			census.members);
	else if (census.waiting > 0 && (int64_t)census.members < census.job)
		weir_report_note(report, "missing_ranks",
		                 "traces of only %zu of the %lld ranks: a missing rank may be the "
		                 "straggler, so waiting is at least as long as shown",
		                 census.members, (long long)census.job);
	note_clocks(&census, report);
}
