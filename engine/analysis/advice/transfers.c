/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/transfers.h"
#include "engine/analysis/names/apis.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Returns the way of a device row by its name, which readers write as CUPTI does. */
static enum weir_transfer_way way_of(const char *name)
{
	if (strstr(name, "HtoD"))
		return WEIR_TRANSFER_UP;
	return strstr(name, "DtoH") ? WEIR_TRANSFER_DOWN : WEIR_TRANSFER_NONE;
}

static enum weir_transfer_memory memory_of(const char *name)
{
	if (strstr(name, "Pageable"))
		return WEIR_MEMORY_PAGEABLE;
	return strstr(name, "Pinned") ? WEIR_MEMORY_PINNED : WEIR_MEMORY_UNKNOWN;
}

static struct weir_transfer transfer_of_row(const struct weir_rank *rank, size_t row)
{
	const struct weir_device_columns *rows = &rank->trace->device;
	struct weir_transfer none = {.bytes = NAN};
	const char *name;

	if (rows->kind[row] != WEIR_DEVICE_COPY)
		return none;
	name = weir_timeline_device_name(&rank->timeline, (uint32_t)row);
	return (struct weir_transfer){
		.way = way_of(name),
		.memory = memory_of(name),
		.bytes = rows->bytes[row] >= 0 ? (double)rows->bytes[row] : NAN,
	};
}

/* A copy that blocks its caller and is this much slower than the link sustains goes through
 * pageable memory: pinned copies of at least SHOWS_RATE_BYTES reach half of it everywhere. */
#define FAR_BELOW 0.4
/* Smaller copies do not reach the rate of the link. */
#define SHOWS_RATE_BYTES 1048576.0

static bool blocks_its_call(const struct weir_advisor *advisor, const struct weir_job *job)
{
	const struct weir_program *program = &advisor->program;
	const struct weir_timeline *timeline = &program->rank->timeline;
	const uint32_t *name = timeline->trace->host.name;
	uint32_t call = program->issues[job->issue].call;

	return call != WEIR_NONE && timeline->api_class[name[call]] == WEIR_API_COPY_BLOCKING;
}

struct weir_transfer weir_transfer_of(const struct weir_advisor *advisor,
                                      const struct weir_job *job)
{
	struct weir_transfer out = transfer_of_row(advisor->program.rank, job->row);
	double rate = out.bytes / job->span_ns * 1e9;

	if (out.way != WEIR_TRANSFER_NONE && out.memory == WEIR_MEMORY_UNKNOWN && advisor->peaks &&
	    out.bytes >= SHOWS_RATE_BYTES && blocks_its_call(advisor, job) &&
	    rate < FAR_BELOW * advisor->peaks->host_link_bytes_per_s.sustained)
		out.memory = WEIR_MEMORY_PAGEABLE;
	return out;
}

enum weir_transfer_memory weir_transfer_memory_of(const struct weir_advisor *advisor)
{
	double pageable = 0, pinned = 0;

	for (size_t j = 0; j < advisor->program.job_count; j++) {
		struct weir_transfer copy = weir_transfer_of(advisor, &advisor->program.jobs[j]);

		if (copy.way == WEIR_TRANSFER_NONE || !(copy.bytes > WEIR_STAGED_BYTES))
			continue;
		pageable += copy.memory == WEIR_MEMORY_PAGEABLE ? copy.bytes : 0;
		pinned += copy.memory == WEIR_MEMORY_PINNED ? copy.bytes : 0;
	}
	if (pageable == 0 && pinned == 0)
		return WEIR_MEMORY_UNKNOWN;
	return pageable >= pinned ? WEIR_MEMORY_PAGEABLE : WEIR_MEMORY_PINNED;
}

double weir_transfer_bytes(const struct weir_advisor *advisor, enum weir_transfer_way way)
{
	double bytes = 0;

	for (size_t j = 0; j < advisor->program.job_count; j++) {
		struct weir_transfer copy =
			transfer_of_row(advisor->program.rank, advisor->program.jobs[j].row);

		if (copy.way == way)
			bytes += copy.bytes;
	}
	return bytes;
}

/* The range of the device table's rate as shares of its theoretical value; see
 * WEIR_SUSTAINED_HOST_SHARE. */
#define SLOW_HOST 0.52
#define FAST_HOST 0.87

/* Fills the rate of one way; reached: rates of pinned copies of this run. */
static void fill_rate(const struct weir_advisor *advisor, double *reached, size_t count,
                      struct weir_link_rate *rate)
{
	*rate = (struct weir_link_rate){.typical = NAN};
	if (count > 0) {
		double typical = weir_median(reached, count);

		*rate = (struct weir_link_rate){typical, 0.8 * typical, 1.2 * typical, true};
	} else if (advisor->peaks) {
		struct weir_peak peak = advisor->peaks->host_link_bytes_per_s;

		*rate = (struct weir_link_rate){peak.sustained, SLOW_HOST * peak.theoretical,
		                                FAST_HOST * peak.theoretical, false};
	}
}

void weir_transfer_rates(const struct weir_advisor *advisor,
                         struct weir_link_rate rates[WEIR_TRANSFER_WAYS])
{
	const struct weir_rank *rank = advisor->program.rank;
	const struct weir_device_columns *rows = &rank->trace->device;
	double *reached[WEIR_TRANSFER_WAYS];
	size_t count[WEIR_TRANSFER_WAYS] = {0};

	for (size_t w = 0; w < WEIR_TRANSFER_WAYS; w++)
		reached[w] = weir_realloc(NULL, (rows->count + 1) * sizeof **reached);
	for (size_t row = 0; row < rows->count; row++) {
		struct weir_transfer copy = transfer_of_row(rank, row);
		int64_t ns = weir_span_ns(rows->start_ns[row], rows->end_ns[row]);

		if (copy.memory == WEIR_MEMORY_PINNED && copy.bytes >= SHOWS_RATE_BYTES && ns > 0)
			reached[copy.way][count[copy.way]++] = copy.bytes / (double)ns * 1e9;
	}
	for (size_t w = 0; w < WEIR_TRANSFER_WAYS; w++) {
		fill_rate(advisor, reached[w], count[w], &rates[w]);
		free(reached[w]);
	}
}

void weir_transfer_free_host(struct weir_draft *draft, uint32_t issue)
{
	struct weir_program *program = &draft->program;
	uint32_t outer = program->issues[issue].outer;

	for (uint32_t i = issue; i < program->issue_count; i++) {
		uint32_t until = program->issues[i].until;

		if (i > issue && (outer == WEIR_NONE || program->issues[i].outer != outer))
			break;
		if (until != WEIR_NONE && program->jobs[until].issue == issue)
			weir_draft_unwait(draft, i);
	}
	program->issues[issue].call_ns = fmin(program->issues[issue].call_ns, WEIR_COPY_CALL_NS);
}
