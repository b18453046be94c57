/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the traces of a job leave open about its collectives, and which files would tell. */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/requests/joining.h"
#include "engine/base/text.h"

/* Clocks of one host agree to some microseconds. */
#define CLOCKS_APART_NS 100000

/* Of its ranks: as the trace says, else the largest group that its collectives name; 0: unknown. */
static int64_t job_size(const struct weir_trace *trace)
{
	int64_t size = trace->world_size;

	for (size_t i = 0; trace->world_size <= 0 && i < trace->collective_count; i++)
		if (trace->collectives[i].group_size > size)
			size = trace->collectives[i].group_size;
	return size;
}

/* Devices with collectives: one a rank, but where one process drives several. */
static size_t count_members(const struct weir_rank *rank)
{
	size_t members = 0;

	for (size_t d = 0; d < rank->trace->device_count; d++)
		members += rank->activity[d].communication_ns > 0;
	return members;
}

struct census {
	size_t members, waiting; /* devices that communicate; ranks of them with known waiting */
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
		"collectives end together when the clocks of the ranks are shifted, that of "
		"rank %lld most (by %s): waiting is measured so",
		(long long)census->furthest_rank, apart.data);
	weir_text_release(&apart);
}

static void note_one(int64_t job, struct weir_report *report)
{
	static const char alone[] =
		"one rank alone cannot tell transfer from waiting: pass the traces "
		"of all ranks of the job, taken at the same time";

	if (job > 1)
		weir_report_note(report, "one_rank", "%s (%lld of them)", alone, (long long)job);
	else
		weir_report_note(report, "one_rank", "%s", alone);
}

void weir_ranks_note(const struct weir_rank *ranks, size_t count, struct weir_report *report)
{
	struct census census = take_census(ranks, count);

	if (census.waiting == 0 && census.members == 1)
		note_one(census.job, report);
	else if (census.waiting == 0 && census.members > 1)
		weir_report_note(report, "unmatched",
		                 "the collectives of the %zu ranks do not match: transfer and "
		                 "waiting need traces of one job over the same steps",
		                 census.members);
	else if (census.waiting > 0 && (int64_t)census.members < census.job)
		weir_report_note(report, "missing_ranks",
		                 "traces of %zu of the %lld ranks: who waits for the others is not "
		                 "known, so waiting is at least what is shown",
		                 census.members, (long long)census.job);
	note_clocks(&census, report);
}
