/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/ranks.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"

#define ODD_FACTOR 5
/* Others wait at least so much of the time in its collectives before a rank is called late. */
#define LATE_SHARE 0.10
/* So much of the lateness has to lie in one thing. */
#define MAIN_SHARE 0.50

#define NOBODY SIZE_MAX

/* One lane among the others. */
struct standing {
	struct weir_intervals busy, late; /* computing and copying; idle until the host launched */
	struct weir_measure busy_in, late_in;
	size_t last;         /* the meeting before; NOBODY: none */
	int64_t last_end_ns; /* its own end of that, on the trace's clock */

	int64_t longest_ns;              /* durations of its collectives' longest members */
	int64_t most_waited_ns;          /* their longest waits */
	int64_t alone_ns;                /* its start over the second last, where it is last */
	int64_t caused_ns;               /* longest waits of those in which it is last */
	int64_t judged_ns;               /* caused, and what it did meanwhile is known */
	double by_device_ns, by_host_ns; /* of that: more work, more idling; may be negative */
	double link_bytes, link_ns;
};

/* A collective in which all members met. */
struct meeting {
	size_t match;
	uint32_t first, last; /* members by start, indices into matches->members */
	int64_t first_start_ns, second_start_ns, last_start_ns; /* second: from behind */
	int64_t shortest_ns, longest_ns;
	bool counts;
};

struct comparison {
	struct weir_rank *ranks;
	struct weir_lane *lanes;
	struct weir_lane_place *places;
	struct standing *standings; /* one a lane */
	size_t lane_count;
	struct weir_matches matches;
	struct meeting *meetings; /* in order of their last start */
};

static const struct weir_arrival *arrival(const struct comparison *all, size_t member)
{
	const struct weir_member *at = &all->matches.members[member];

	return &all->lanes[at->lane].items[at->item];
}

static uint32_t lane_of(const struct comparison *all, size_t member)
{
	return all->matches.members[member].lane;
}

static int64_t start_of(const struct comparison *all, size_t member)
{
	return arrival(all, member)->start_ns + all->lanes[lane_of(all, member)].offset_ns;
}

static struct weir_rank *rank_of(const struct comparison *all, size_t member)
{
	return &all->ranks[all->places[lane_of(all, member)].rank];
}

static int64_t duration_of(const struct comparison *all, size_t member)
{
	return arrival(all, member)->end_ns - arrival(all, member)->start_ns;
}

/* What happened on the device of a lane between its collectives. */
static void measure_lane(void *context, size_t lane)
{
	const struct comparison *all = context;
	const struct weir_segments *segments = &all->ranks[all->places[lane].rank].segments;
	struct standing *standing = &all->standings[lane];

	standing->last = NOBODY;
	for (size_t i = 0; i < segments->count; i++) {
		const struct weir_segment *segment = &segments->items[i];

		if (segment->device != all->places[lane].device)
			continue;
		if (segment->busy && segment->work != WEIR_WORK_COMM)
			weir_intervals_push(&standing->busy, segment->start_ns, segment->end_ns);
		else if (!segment->busy && segment->flags & WEIR_SEGMENT_LATE)
			weir_intervals_push(&standing->late, segment->start_ns, segment->end_ns);
	}
	weir_intervals_unite(&standing->busy);
	weir_intervals_unite(&standing->late);
	weir_measure_init(&standing->busy_in, &standing->busy);
	weir_measure_init(&standing->late_in, &standing->late);
}

static void meet(const struct comparison *all, size_t match, struct meeting *out)
{
	size_t first = all->matches.first[match], end = all->matches.first[match + 1];

	*out = (struct meeting){.match = match,
	                        .first = (uint32_t)first,
	                        .last = (uint32_t)first,
	                        .first_start_ns = INT64_MAX,
	                        .second_start_ns = INT64_MIN,
	                        .last_start_ns = INT64_MIN,
	                        .shortest_ns = INT64_MAX,
	                        .counts = true};
	for (size_t m = first; m < end; m++) {
		int64_t start_ns = start_of(all, m), duration_ns = duration_of(all, m);

		if (start_ns < out->first_start_ns) {
			out->first_start_ns = start_ns;
			out->first = (uint32_t)m;
		}
		if (start_ns > out->last_start_ns) {
			out->second_start_ns = out->last_start_ns;
			out->last_start_ns = start_ns;
			out->last = (uint32_t)m;
		} else if (start_ns > out->second_start_ns) {
			out->second_start_ns = start_ns;
		}
		if (duration_ns < out->shortest_ns)
			out->shortest_ns = duration_ns;
		if (duration_ns > out->longest_ns)
			out->longest_ns = duration_ns;
		if (rank_of(all, m)->groups.row_call[arrival(all, m)->row] == WEIR_NONE)
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

/* The first meeting of a lane that lasts much longer than any later one. */
static void drop_odd(struct comparison *all)
{
	struct {
		struct meeting *first;
		int64_t longest_ns; /* of the others */
	} *lanes = weir_alloc(all->lane_count * sizeof *lanes);

	for (size_t i = 0; i < all->matches.count; i++) {
		struct meeting *meeting = &all->meetings[i];
		size_t end = all->matches.first[meeting->match + 1];

		for (size_t m = all->matches.first[meeting->match]; meeting->counts && m < end;
		     m++) {
			uint32_t lane = lane_of(all, m);

			if (!lanes[lane].first)
				lanes[lane].first = meeting;
			else if (meeting->longest_ns > lanes[lane].longest_ns)
				lanes[lane].longest_ns = meeting->longest_ns;
		}
	}
	for (size_t l = 0; l < all->lane_count; l++)
		if (lanes[l].first && lanes[l].longest_ns > 0 &&
		    lanes[l].first->longest_ns / ODD_FACTOR > lanes[l].longest_ns)
			lanes[l].first->counts = false;
	free(lanes);
}

static int64_t since_last(const struct weir_measure *measure, const struct comparison *all,
                          size_t member)
{
	const struct weir_rank *rank = rank_of(all, member);

	return weir_measure_inside(measure, all->standings[lane_of(all, member)].last_end_ns,
	                           rank->trace->device.start_ns[arrival(all, member)->row]);
}

/* Both have left the same collective before, at the same time: what the last did more since then
 * than the first is why it is late. */
static void blame(struct comparison *all, const struct meeting *meeting)
{
	const struct standing *first = &all->standings[lane_of(all, meeting->first)];
	struct standing *last = &all->standings[lane_of(all, meeting->last)];

	if (first == last || last->last == NOBODY || first->last != last->last)
		return;
	last->judged_ns = weir_add_ns(
		last->judged_ns, weir_span_ns(meeting->first_start_ns, meeting->last_start_ns));
	last->by_device_ns += (double)(since_last(&last->busy_in, all, meeting->last) -
	                               since_last(&first->busy_in, all, meeting->first));
	last->by_host_ns += (double)(since_last(&last->late_in, all, meeting->last) -
	                             since_last(&first->late_in, all, meeting->first));
}

static void add_member(struct comparison *all, const struct meeting *meeting, size_t member)
{
	const struct weir_arrival *own = arrival(all, member);
	struct standing *standing = &all->standings[lane_of(all, member)];
	struct weir_waits *waits = &rank_of(all, member)->waits;
	int64_t duration_ns = duration_of(all, member);
	int64_t wait_ns = weir_span_ns(start_of(all, member), meeting->last_start_ns);

	if (wait_ns > duration_ns)
		wait_ns = duration_ns;
	waits->matched++;
	waits->collective_ns = weir_add_ns(waits->collective_ns, duration_ns);
	waits->wait_ns = weir_add_ns(waits->wait_ns, wait_ns);
	waits->transfer_ns = weir_add_ns(waits->transfer_ns, meeting->shortest_ns);
	standing->longest_ns = weir_add_ns(standing->longest_ns, meeting->longest_ns);
	standing->most_waited_ns =
		weir_add_ns(standing->most_waited_ns,
	                    weir_span_ns(meeting->first_start_ns, meeting->last_start_ns));
	if (!isnan(own->link_bytes)) {
		standing->link_bytes += own->link_bytes;
		standing->link_ns += (double)meeting->shortest_ns;
	}
	waits->until_ns[own->row] =
		rank_of(all, member)->trace->device.start_ns[own->row] + wait_ns;
}

static void add_meeting(struct comparison *all, size_t index)
{
	const struct meeting *meeting = &all->meetings[index];
	size_t first = all->matches.first[meeting->match];
	size_t end = all->matches.first[meeting->match + 1];
	struct standing *last = &all->standings[lane_of(all, meeting->last)];

	if (meeting->counts) {
		for (size_t m = first; m < end; m++)
			add_member(all, meeting, m);
		last->alone_ns = weir_add_ns(last->alone_ns, weir_span_ns(meeting->second_start_ns,
		                                                          meeting->last_start_ns));
		last->caused_ns =
			weir_add_ns(last->caused_ns,
		                    weir_span_ns(meeting->first_start_ns, meeting->last_start_ns));
		blame(all, meeting);
	}
	for (size_t m = first; m < end; m++) {
		struct standing *standing = &all->standings[lane_of(all, m)];

		standing->last = index;
		standing->last_end_ns = rank_of(all, m)->trace->device.end_ns[arrival(all, m)->row];
	}
}

static enum weir_late_by late_by(const struct standing *standing)
{
	double enough = MAIN_SHARE * (double)standing->judged_ns;
	double device = standing->by_device_ns, host = standing->by_host_ns;

	if (!((double)standing->caused_ns >= LATE_SHARE * (double)standing->longest_ns) ||
	    standing->judged_ns <= 0 || fmax(device, host) < enough)
		return WEIR_LATE_BY_UNKNOWN;
	return host > device ? WEIR_LATE_BY_HOST : WEIR_LATE_BY_DEVICE;
}

/* A rank of several devices has the figures of the worst of them. */
static void judge_lane(struct comparison *all, size_t lane)
{
	const struct standing *standing = &all->standings[lane];
	struct weir_rank *rank = &all->ranks[all->places[lane].rank];
	const struct weir_rank_device *device = &rank->devices[all->places[lane].device];
	struct weir_waits *waits = &rank->waits;
	double score = standing->most_waited_ns > 0
	                       ? (double)standing->alone_ns / (double)standing->most_waited_ns
	                       : 0;

	waits->aligned = true;
	waits->offset_ns = all->lanes[lane].offset_ns;
	if (!weir_waits_known(waits))
		return;
	if (isnan(waits->straggler_score) || score > waits->straggler_score) {
		waits->straggler_score = score;
		waits->late_by = late_by(standing);
	}
	if (standing->link_ns > 0)
		waits->bus_bytes_per_s = standing->link_bytes / (standing->link_ns / 1e9);
	if (device->known) /* the table adds both directions */
		waits->link_share =
			waits->bus_bytes_per_s / (device->peaks.link_bytes_per_s.theoretical / 2);
}

/* Whom each row waits for: the rank that came last. */
static void mark_rows(struct comparison *all)
{
	for (size_t i = 0; i < all->matches.count; i++) {
		const struct meeting *meeting = &all->meetings[i];
		size_t end = all->matches.first[meeting->match + 1];
		enum weir_late_by by = late_by(&all->standings[lane_of(all, meeting->last)]);
		const struct weir_last_member last = {
			.rank = all->places[lane_of(all, meeting->last)].rank,
			.row = arrival(all, meeting->last)->row,
		};

		for (size_t m = all->matches.first[meeting->match]; meeting->counts && m < end;
		     m++) {
			rank_of(all, m)->waits.by[arrival(all, m)->row] = (uint8_t)by;
			rank_of(all, m)->waits.last[arrival(all, m)->row] = last;
		}
		rank_of(all, meeting->first)->waits.longest[arrival(all, meeting->first)->row] =
			true;
	}
}

static void compare(struct comparison *all)
{
	all->standings = weir_alloc(all->lane_count * sizeof *all->standings);
	all->meetings = weir_alloc((all->matches.count + 1) * sizeof *all->meetings);
	weir_pool_run(all->lane_count, weir_pool_width(all->lane_count), measure_lane, all);
	for (size_t i = 0; i < all->matches.count; i++)
		meet(all, i, &all->meetings[i]);
	qsort(all->meetings, all->matches.count, sizeof *all->meetings, by_last_start);
	drop_odd(all);
	for (size_t i = 0; i < all->matches.count; i++)
		add_meeting(all, i);
	for (size_t l = 0; l < all->lane_count; l++)
		judge_lane(all, l);
	mark_rows(all);
	for (size_t l = 0; l < all->lane_count; l++) {
		weir_measure_release(&all->standings[l].busy_in);
		weir_measure_release(&all->standings[l].late_in);
		weir_intervals_release(&all->standings[l].busy);
		weir_intervals_release(&all->standings[l].late);
	}
	free(all->standings);
	free(all->meetings);
}

static void drop_rows(struct weir_waits *waits)
{
	free(waits->until_ns);
	free(waits->by);
	free(waits->last);
	free(waits->longest);
	waits->until_ns = NULL;
	waits->by = NULL;
	waits->last = NULL;
	waits->longest = NULL;
}

static void clear_waits(struct weir_rank *rank, bool with_rows)
{
	size_t rows = rank->trace->device.count;

	rank->waits = (struct weir_waits){
		.straggler_score = NAN, .bus_bytes_per_s = NAN, .link_share = NAN};
	if (!with_rows)
		return;
	rank->waits.until_ns = weir_alloc((rows + 1) * sizeof *rank->waits.until_ns);
	rank->waits.by = weir_alloc((rows + 1) * sizeof *rank->waits.by);
	rank->waits.longest = weir_alloc((rows + 1) * sizeof *rank->waits.longest);
	rank->waits.last = weir_alloc((rows + 1) * sizeof *rank->waits.last);
	for (size_t i = 0; i < rows; i++)
		rank->waits.until_ns[i] = INT64_MIN;
}

void weir_ranks_compare(struct weir_rank *ranks, size_t count)
{
	struct comparison all = {.ranks = ranks};

	all.lane_count = weir_lanes_collect(ranks, count, &all.lanes, &all.places);
	if (all.lane_count > 1) {
		weir_lanes_align(all.lanes, all.lane_count);
		weir_lanes_match(all.lanes, all.lane_count, &all.matches);
	}
	for (size_t r = 0; r < count; r++)
		clear_waits(&ranks[r], all.matches.count > 0);
	if (all.matches.count > 0)
		compare(&all);
	for (size_t r = 0; r < count; r++)
		if (!weir_waits_known(&ranks[r].waits))
			drop_rows(&ranks[r].waits);
	for (size_t l = 0; l < all.lane_count; l++)
		weir_lane_release(&all.lanes[l]);
	weir_matches_release(&all.matches);
	free(all.lanes);
	free(all.places);
}

bool weir_waits_known(const struct weir_waits *waits)
{
	return waits->matched >= WEIR_FEWEST_MATCHES && waits->collective_ns > 0;
}
