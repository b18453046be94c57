/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rank/collective_bytes.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/ranks/ranks_match.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"

/* Further devices of a job are not compared. */
#define MAX_LANES      512
#define OUTLIER_FACTOR 5
/* A rank counts as late if the others wait at least this share of the time in its collectives. */
#define LATE_SHARE 0.10
/* Device or host must explain at least this share of the lateness. */
#define MAIN_CAUSE_SHARE 0.50

#define NOBODY SIZE_MAX
/* Clocks of one host agree to some microseconds. */
#define CLOCKS_APART_NS 100000

/* The device and rank of a lane. */
struct place {
	uint32_t rank;
	uint16_t device;
};

/* ---- collectives in the traces ---- */

/* Returns the collective of each device row; WEIR_NONE: no arguments recorded. */
static uint32_t *index_collectives(const struct weir_trace *trace)
{
	uint32_t *of_row = weir_alloc((trace->device.count + 1) * sizeof *of_row);

	for (size_t i = 0; i < trace->device.count; i++)
		of_row[i] = WEIR_NONE;
	for (size_t i = 0; i < trace->collective_count; i++)
		if (trace->collectives[i].device_row < trace->device.count)
			of_row[trace->collectives[i].device_row] = (uint32_t)i;
	return of_row;
}

/* Returns a key with the same meaning in all traces: ids of names are local to a trace, their text
 * is not. */
static uint32_t shared_key(struct weir_names *shared, const struct weir_trace *trace, uint32_t row,
                           const struct weir_collective *collective, struct weir_text *scratch)
{
	const struct weir_names *names = trace->names;

	weir_text_clear(scratch);
	if (collective)
		weir_text_printf(scratch, "%s\n%s\n%s", weir_names_text(names, collective->group),
		                 weir_names_text(names, collective->members),
		                 weir_names_text(names, collective->name));
	else
		weir_text_puts(scratch, weir_names_text(names, trace->device.name[row]));
	return weir_names_add(shared, scratch->data, scratch->length);
}

struct collecting {
	struct weir_names *shared;
	struct weir_text scratch;
	int64_t first_base_ns; /* of the first trace that states one; 0: none yet */
};

/* Returns the base of the trace's clock relative to the first one. Bases of one job are seconds
 * apart; the caller rejects differences of years. */
static int64_t base_of(struct collecting *collecting, const struct weir_trace *trace, bool *based)
{
	*based = trace->base_ns > 0;
	if (!*based)
		return 0;
	if (collecting->first_base_ns == 0)
		collecting->first_base_ns = trace->base_ns;
	return trace->base_ns - collecting->first_base_ns;
}

static void collect_device(struct collecting *collecting, const struct weir_rank *rank,
                           uint16_t device, const uint32_t *collective_of, struct weir_lane *lane)
{
	const struct weir_trace *trace = rank->trace;
	int64_t base_ns = base_of(collecting, trace, &lane->based);

	if (llabs(base_ns) > WEIR_ARRIVAL_MAX_NS)
		return;
	for (uint32_t i = rank->timeline.first_row[device];
	     i < rank->timeline.first_row[device + 1]; i++) {
		const struct weir_collective *collective =
			collective_of[i] == WEIR_NONE ? NULL
						      : &trace->collectives[collective_of[i]];
		int64_t start_ns = trace->device.start_ns[i], end_ns = trace->device.end_ns[i];

		if (rank->timeline.work[i] != WEIR_WORK_COMM || start_ns < -WEIR_ARRIVAL_MAX_NS ||
		    end_ns > WEIR_ARRIVAL_MAX_NS || start_ns > end_ns)
			continue;
		weir_lane_add(lane, &(struct weir_arrival){
					    .key = shared_key(collecting->shared, trace, i,
		                                              collective, &collecting->scratch),
					    .row = i,
					    .sequence = collective ? collective->sequence : -1,
					    .start_ns = start_ns + base_ns,
					    .end_ns = end_ns + base_ns,
					    .link_bytes = collective ? weir_collective_link_bytes(
									       trace, collective)
		                                                     : NAN,
				    });
	}
}

/* Collects the collectives of every device that has any, in order of ranks and devices. Release
 * each lane, free() both arrays. */
static size_t collect_lanes(const struct weir_rank *ranks, size_t count, struct weir_lane **lanes,
                            struct place **places)
{
	struct collecting collecting = {.shared = weir_names_new()};
	size_t found = 0;

	*lanes = weir_alloc(MAX_LANES * sizeof **lanes);
	*places = weir_alloc(MAX_LANES * sizeof **places);
	for (size_t r = 0; r < count; r++) {
		uint32_t *collective_of = index_collectives(ranks[r].trace);

		for (size_t d = 0; d < ranks[r].trace->device_count && found < MAX_LANES; d++) {
			collect_device(&collecting, &ranks[r], (uint16_t)d, collective_of,
			               &(*lanes)[found]);
			if ((*lanes)[found].count > 0)
				(*places)[found++] = (struct place){(uint32_t)r, (uint16_t)d};
		}
		free(collective_of);
	}
	weir_text_release(&collecting.scratch);
	weir_names_free(collecting.shared);
	return found;
}

/* ---- comparison ---- */

/* Sums over the collectives of one lane. */
struct lane_sums {
	struct weir_intervals busy, late; /* computing and copying; idle until the host launched */
	struct weir_measure busy_in, late_in;
	size_t last;         /* the previous meeting; NOBODY: none */
	int64_t last_end_ns; /* its own end of that meeting, on the trace's clock */

	int64_t longest_ns;     /* durations of the longest member of each collective */
	int64_t most_waited_ns; /* longest wait of each collective */
	int64_t alone_ns;       /* if it arrives last: its start less the second last start */
	int64_t caused_ns;      /* longest waits of the collectives in which it arrives last */
	int64_t judged_ns;      /* part of caused_ns with known activity before the start */
	double by_device_ns,
		by_host_ns; /* extra work and extra idle time in that part; may be negative */
	double link_bytes, link_ns;
};

/* A collective with all its members. */
struct meeting {
	size_t match;
	uint32_t first, last; /* first and last member by start, indices into matches->members */
	int64_t first_start_ns, second_start_ns, last_start_ns; /* second: the second last start */
	int64_t shortest_ns, longest_ns;
	bool counts;
};

struct comparison {
	struct weir_rank *ranks;
	struct weir_lane *lanes;
	struct place *places;
	struct lane_sums *sums; /* one per lane */
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

/* Measures the activity of a device between its collectives. */
static void measure_lane(void *context, size_t lane)
{
	const struct comparison *all = context;
	const struct weir_segments *segments = &all->ranks[all->places[lane].rank].segments;
	struct lane_sums *sums = &all->sums[lane];

	sums->last = NOBODY;
	for (size_t i = 0; i < segments->count; i++) {
		const struct weir_segment *segment = &segments->items[i];

		if (segment->device != all->places[lane].device)
			continue;
		if (segment->busy && segment->work != WEIR_WORK_COMM)
			weir_intervals_push(&sums->busy, segment->start_ns, segment->end_ns);
		else if (!segment->busy && segment->flags & WEIR_SEGMENT_LATE)
			weir_intervals_push(&sums->late, segment->start_ns, segment->end_ns);
	}
	weir_intervals_unite(&sums->busy);
	weir_intervals_unite(&sums->late);
	weir_measure_init(&sums->busy_in, &sums->busy);
	weir_measure_init(&sums->late_in, &sums->late);
}

static void find_meeting(const struct comparison *all, size_t match, struct meeting *out)
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

/* Excludes the first meeting of a lane if it lasts much longer than any later one. */
static void exclude_first(struct comparison *all)
{
	struct {
		struct meeting *first;
		int64_t longest_ns; /* of the later meetings */
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
		    lanes[l].first->longest_ns / OUTLIER_FACTOR > lanes[l].longest_ns)
			lanes[l].first->counts = false;
	free(lanes);
}

static int64_t since_last(const struct weir_measure *measure, const struct comparison *all,
                          size_t member)
{
	const struct weir_rank *rank = rank_of(all, member);

	return weir_measure_inside(measure, all->sums[lane_of(all, member)].last_end_ns,
	                           rank->trace->device.start_ns[arrival(all, member)->row]);
}

/* Explains why the last member was late. Both members left the same previous collective at the same
 * time, so the extra activity of the last member since then is the cause. */
static void explain_lateness(struct comparison *all, const struct meeting *meeting)
{
	const struct lane_sums *first = &all->sums[lane_of(all, meeting->first)];
	struct lane_sums *last = &all->sums[lane_of(all, meeting->last)];

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
	struct lane_sums *sums = &all->sums[lane_of(all, member)];
	struct weir_waits *waits = &rank_of(all, member)->waits;
	int64_t duration_ns = duration_of(all, member);
	int64_t wait_ns = weir_span_ns(start_of(all, member), meeting->last_start_ns);

	if (wait_ns > duration_ns)
		wait_ns = duration_ns;
	waits->matched++;
	waits->collective_ns = weir_add_ns(waits->collective_ns, duration_ns);
	waits->wait_ns = weir_add_ns(waits->wait_ns, wait_ns);
	waits->transfer_ns = weir_add_ns(waits->transfer_ns, meeting->shortest_ns);
	sums->longest_ns = weir_add_ns(sums->longest_ns, meeting->longest_ns);
	sums->most_waited_ns =
		weir_add_ns(sums->most_waited_ns,
	                    weir_span_ns(meeting->first_start_ns, meeting->last_start_ns));
	if (!isnan(own->link_bytes)) {
		sums->link_bytes += own->link_bytes;
		sums->link_ns += (double)meeting->shortest_ns;
	}
	waits->until_ns[own->row] =
		rank_of(all, member)->trace->device.start_ns[own->row] + wait_ns;
}

static void add_meeting(struct comparison *all, size_t index)
{
	const struct meeting *meeting = &all->meetings[index];
	size_t first = all->matches.first[meeting->match];
	size_t end = all->matches.first[meeting->match + 1];
	struct lane_sums *last = &all->sums[lane_of(all, meeting->last)];

	if (meeting->counts) {
		for (size_t m = first; m < end; m++)
			add_member(all, meeting, m);
		last->alone_ns = weir_add_ns(last->alone_ns, weir_span_ns(meeting->second_start_ns,
		                                                          meeting->last_start_ns));
		last->caused_ns =
			weir_add_ns(last->caused_ns,
		                    weir_span_ns(meeting->first_start_ns, meeting->last_start_ns));
		explain_lateness(all, meeting);
	}
	for (size_t m = first; m < end; m++) {
		struct lane_sums *sums = &all->sums[lane_of(all, m)];

		sums->last = index;
		sums->last_end_ns = rank_of(all, m)->trace->device.end_ns[arrival(all, m)->row];
	}
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
static void judge_lane(struct comparison *all, size_t lane)
{
	const struct lane_sums *sums = &all->sums[lane];
	struct weir_rank *rank = &all->ranks[all->places[lane].rank];
	const struct weir_rank_device *device = &rank->devices[all->places[lane].device];
	struct weir_waits *waits = &rank->waits;
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
	if (device->known) /* The table adds both directions. */
		waits->link_share =
			waits->bus_bytes_per_s / (device->peaks.link_bytes_per_s.theoretical / 2);
}

/* Notes for each row which rank it waits for: the one that arrived last. */
static void mark_rows(struct comparison *all)
{
	for (size_t i = 0; i < all->matches.count; i++) {
		const struct meeting *meeting = &all->meetings[i];
		size_t end = all->matches.first[meeting->match + 1];
		enum weir_late_by by = late_by(&all->sums[lane_of(all, meeting->last)]);
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
	all->sums = weir_alloc(all->lane_count * sizeof *all->sums);
	all->meetings = weir_alloc((all->matches.count + 1) * sizeof *all->meetings);
	weir_pool_run(all->lane_count, weir_pool_width(all->lane_count), measure_lane, all);
	for (size_t i = 0; i < all->matches.count; i++)
		find_meeting(all, i, &all->meetings[i]);
	qsort(all->meetings, all->matches.count, sizeof *all->meetings, by_last_start);
	exclude_first(all);
	for (size_t i = 0; i < all->matches.count; i++)
		add_meeting(all, i);
	for (size_t l = 0; l < all->lane_count; l++)
		judge_lane(all, l);
	mark_rows(all);
	for (size_t l = 0; l < all->lane_count; l++) {
		weir_measure_release(&all->sums[l].busy_in);
		weir_measure_release(&all->sums[l].late_in);
		weir_intervals_release(&all->sums[l].busy);
		weir_intervals_release(&all->sums[l].late);
	}
	free(all->sums);
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

	all.lane_count = collect_lanes(ranks, count, &all.lanes, &all.places);
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

/* ---- notes ---- */

/* Returns the number of ranks of the job: as stated in the trace, else the largest group of a
 * collective; 0: unknown. */
static int64_t job_size(const struct weir_trace *trace)
{
	int64_t size = trace->world_size;

	for (size_t i = 0; trace->world_size <= 0 && i < trace->collective_count; i++)
		if (trace->collectives[i].group_size > size)
			size = trace->collectives[i].group_size;
	return size;
}

/* Returns the number of devices with collectives: one per rank, unless one process drives several.
 */
static size_t count_members(const struct weir_rank *rank)
{
	size_t members = 0;

	for (size_t d = 0; d < rank->trace->device_count; d++)
		members += rank->activity[d].communication_ns > 0;
	return members;
}

struct census {
	size_t members,
		waiting; /* devices with communication; ranks among them with known waiting time */
	int64_t job, furthest_ns;
	int64_t furthest_rank;
};

static struct census take_census(const struct weir_rank *ranks, size_t count)
{
	struct census census = {0};

	for (size_t r = 0; r < count; r++) {
		const struct weir_waits *waits = &ranks[r].waits;
		size_t members = count_members(&ranks[r]);
		int64_t size = job_size(ranks[r].trace);

		if (members == 0)
			continue;
		census.members += members;
		census.job = size > census.job ? size : census.job;
		if (!weir_waits_known(waits))
			continue;
		census.waiting++;
		if (llabs(waits->offset_ns) > llabs(census.furthest_ns)) {
			census.furthest_ns = waits->offset_ns;
			census.furthest_rank = ranks[r].rank;
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

static void note_one(int64_t job, struct weir_report *report)
{
	static const char alone[] = "one rank alone cannot separate transfer from waiting: pass "
				    "the traces of all ranks of the job, recorded at the same time";

	if (job > 1)
		weir_report_note(report, "one_rank", "%s (%lld ranks)", alone, (long long)job);
	else
		weir_report_note(report, "one_rank", "%s", alone);
}

void weir_ranks_note(const struct weir_rank *ranks, size_t count, struct weir_report *report)
{
	struct census census = take_census(ranks, count);

	if (census.waiting == 0 && census.members == 1)
		note_one(census.job, report);
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
