/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rank/collective_bytes.h"
#include "engine/analysis/ranks/summary.h"
#include "engine/base/arena.h"
#include "engine/base/splitmix.h"
#include "engine/base/text.h"

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */
#define HASH_CHAINS 4

/* ---- collectives ---- */

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

/* Returns a key by the text of a collective: ids of names are local to a trace, their text is not.
 */
static uint32_t key_of(struct weir_names *keys, const struct weir_trace *trace, uint32_t row,
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
	return weir_names_add(keys, scratch->data, scratch->length);
}

/* The activity of one device between its collectives. */
struct between {
	struct weir_intervals busy, late; /* computing and copying; idle until the host launched */
	struct weir_measure busy_in, late_in;
};

static void measure_between(struct between *between, const struct weir_rank *rank, size_t device)
{
	*between = (struct between){0};
	for (size_t i = weir_segments_after(&rank->segments, device, INT64_MIN);
	     i < rank->segments.count && rank->segments.items[i].device == device; i++) {
		const struct weir_segment *segment = &rank->segments.items[i];

		if (segment->busy && segment->work != WEIR_WORK_COMM)
			weir_intervals_push(&between->busy, segment->start_ns, segment->end_ns);
		else if (!segment->busy && segment->flags & WEIR_SEGMENT_LATE)
			weir_intervals_push(&between->late, segment->start_ns, segment->end_ns);
	}
	weir_intervals_unite(&between->busy);
	weir_intervals_unite(&between->late);
	weir_measure_init(&between->busy_in, &between->busy);
	weir_measure_init(&between->late_in, &between->late);
}

static void release_between(struct between *between)
{
	weir_measure_release(&between->busy_in);
	weir_measure_release(&between->late_in);
	weir_intervals_release(&between->busy);
	weir_intervals_release(&between->late);
}

static struct weir_arrival arrival_of(const struct weir_rank *rank, uint32_t row,
                                      const struct weir_collective *collective,
                                      const struct between *between)
{
	int64_t start_ns = rank->trace->device.start_ns[row];
	int64_t end_ns = rank->trace->device.end_ns[row];

	return (struct weir_arrival){
		.row = row,
		.sequence = collective ? collective->sequence : -1,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.link_bytes =
			collective ? weir_collective_link_bytes(rank->trace, collective) : NAN,
		.received = collective ? collective->elements_out : -1,
		.step = rank->steps.row_step[row],
		.steady = rank->groups.row_call[row] != WEIR_NONE,
		.busy_ns = {weir_measure_inside(&between->busy_in, INT64_MIN, start_ns),
	                    weir_measure_inside(&between->busy_in, INT64_MIN, end_ns)},
		.late_ns = {weir_measure_inside(&between->late_in, INT64_MIN, start_ns),
	                    weir_measure_inside(&between->late_in, INT64_MIN, end_ns)},
	};
}

/* Returns the first row of communication on the device; WEIR_NONE: there are no such rows. */
static uint32_t first_collective(const struct weir_timeline *timeline, size_t device)
{
	for (uint32_t i = timeline->first_row[device]; i < timeline->first_row[device + 1]; i++)
		if (timeline->work[i] == WEIR_WORK_COMM)
			return i;
	return WEIR_NONE;
}

static void collect_device(struct weir_rank_summary *summary, const struct weir_rank *rank,
                           size_t device, const uint32_t *collective_of)
{
	const struct weir_trace *trace = rank->trace;
	struct weir_lane *lane = &summary->devices[device].lane;
	struct weir_text scratch = {0};
	struct between between;
	uint32_t first = first_collective(&rank->timeline, device);

	if (first == WEIR_NONE) {
		weir_lane_settle(lane);
		return;
	}
	measure_between(&between, rank, device);
	for (uint32_t i = first; i < rank->timeline.first_row[device + 1]; i++) {
		const struct weir_collective *collective =
			collective_of[i] == WEIR_NONE ? NULL
						      : &trace->collectives[collective_of[i]];
		struct weir_arrival arrival;

		if (rank->timeline.work[i] != WEIR_WORK_COMM)
			continue;
		arrival = arrival_of(rank, i, collective, &between);
		arrival.key = key_of(summary->keys, trace, i, collective, &scratch);
		weir_lane_add(lane, &arrival);
	}
	weir_lane_settle(lane);
	release_between(&between);
	weir_text_release(&scratch);
}

/* ---- the rank ---- */

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

/* Adds times to a hash, in several chains of products side by side: within one chain, each product
 * waits for the one before. */
static void add_times(uint64_t *hash, const int64_t *times, size_t count)
{
	uint64_t chains[HASH_CHAINS];
	size_t i = 0;

	for (size_t c = 0; c < HASH_CHAINS; c++)
		chains[c] = *hash + c;
	for (; i + HASH_CHAINS <= count; i += HASH_CHAINS)
		for (size_t c = 0; c < HASH_CHAINS; c++)
			chains[c] = (chains[c] ^ (uint64_t)times[i + c]) * HASH_FACTOR;
	for (; i < count; i++)
		chains[0] = (chains[0] ^ (uint64_t)times[i]) * HASH_FACTOR;
	for (size_t c = 0; c < HASH_CHAINS; c++)
		*hash = weir_splitmix64(*hash ^ chains[c]);
}

static void find_extent(struct weir_rank_summary *summary, const struct weir_rank *rank)
{
	const struct weir_host_columns *host = &rank->trace->host;
	const struct weir_device_columns *device = &rank->trace->device;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	summary->start_ns = INT64_MAX;
	summary->end_ns = INT64_MIN;
	for (size_t i = 0; i < device->count; i++) {
		if (device->start_ns[i] < summary->start_ns)
			summary->start_ns = device->start_ns[i];
		if (device->end_ns[i] > summary->end_ns)
			summary->end_ns = device->end_ns[i];
	}
	for (size_t d = 0; d < rank->trace->device_count; d++)
		if (rank->activity[d].window_ns > summary->span_ns)
			summary->span_ns = rank->activity[d].window_ns;
	for (size_t i = 0; device->count == 0 && i < host->count; i++) {
		first_ns = host->start_ns[i] < first_ns ? host->start_ns[i] : first_ns;
		last_ns = host->end_ns[i] > last_ns ? host->end_ns[i] : last_ns;
	}
	if (weir_span_ns(first_ns, last_ns) > summary->span_ns)
		summary->span_ns = weir_span_ns(first_ns, last_ns);
}

static void describe_device(struct weir_device_record *out, const struct weir_rank *rank,
                            size_t device)
{
	const struct weir_trace_device *stated = &rank->trace->devices[device];
	const struct weir_rank_device *known = &rank->devices[device];

	out->name = weir_alloc_text(weir_names_text(rank->trace->names, stated->name));
	out->id = stated->id;
	out->works = rank->timeline.first_row[device] < rank->timeline.first_row[device + 1];
	out->activity = rank->activity[device];
	out->link_bytes_per_s = known->known ? known->peaks.link_bytes_per_s.theoretical : NAN;
}

void weir_rank_summary_init(struct weir_rank_summary *summary, const struct weir_rank *rank,
                            bool steady)
{
	const struct weir_trace *trace = rank->trace;
	uint32_t *collective_of = index_collectives(trace);

	*summary = (struct weir_rank_summary){
		.rank = rank->rank,
		.stated_rank = trace->rank,
		.base_ns = trace->base_ns,
		.job_size = job_size(trace),
		.host_rows = trace->host.count,
		.device_rows = trace->device.count,
		.busy_ns = rank->busy_ns,
		.devices = weir_alloc((trace->device_count + 1) * sizeof *summary->devices),
		.device_count = trace->device_count,
		.keys = weir_names_new(),
	};
	add_times(&summary->hash, trace->device.start_ns, trace->device.count);
	add_times(&summary->hash, trace->device.end_ns, trace->device.count);
	add_times(&summary->hash, trace->host.start_ns, trace->host.count);
	find_extent(summary, rank);
	for (size_t i = 0; i < rank->steps.step_count; i++)
		summary->steps += !steady || rank->steps.steps[i].state == WEIR_STEP_STEADY;
	for (size_t d = 0; d < trace->device_count; d++) {
		describe_device(&summary->devices[d], rank, d);
		collect_device(summary, rank, d, collective_of);
		summary->members += rank->activity[d].communication_ns > 0;
	}
	free(collective_of);
}

/* Returns the number of analysed spans of a stage. */
static uint64_t count_spans(const struct weir_steps *steps, size_t stage, bool steady)
{
	uint64_t count = 0;

	for (size_t i = steps->first_span[stage]; i < steps->first_span[stage + 1]; i++)
		count += weir_steps_span_counts(steps, &steps->spans[steps->spans_by_stage[i]],
		                                steady);
	return count;
}

void weir_rank_summary_attribute(struct weir_rank_summary *summary, const struct weir_rank *rank,
                                 bool steady)
{
	size_t count = rank->steps.stage_count;
	struct weir_ledger *ledgers = weir_alloc((count + 1) * sizeof *ledgers);

	weir_attribute(rank, ledgers, &summary->outside);
	summary->stages = weir_alloc((count + 1) * sizeof *summary->stages);
	summary->stage_count = count;
	for (size_t s = 0; s < count; s++) {
		ledgers[s].steps += count_spans(&rank->steps, s, steady);
		summary->stages[s] = (struct weir_stage_record){
			.name = weir_alloc_text(rank->steps.stages[s].name),
			.kind = rank->steps.stages[s].kind,
			.ledger = ledgers[s],
		};
	}
	free(ledgers);
}

void weir_rank_summary_release(struct weir_rank_summary *summary)
{
	for (size_t d = 0; d < summary->device_count; d++) {
		free(summary->devices[d].name);
		weir_lane_release(&summary->devices[d].lane);
	}
	for (size_t s = 0; s < summary->stage_count; s++)
		free(summary->stages[s].name);
	free(summary->devices);
	free(summary->stages);
	weir_names_free(summary->keys);
	*summary = (struct weir_rank_summary){0};
}
