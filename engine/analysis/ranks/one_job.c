/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/one_job.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* One trace with device work. */
struct member {
	const char *path;
	uint64_t bytes; /* of its file; 0: made in memory */
	const struct weir_rank_summary *rank;
};

/* Returns the name of the first device; "": not stated. */
static const char *device_of(const struct member *member)
{
	return member->rank->device_count > 0 ? member->rank->devices[0].name : "";
}

/* Returns true if one ends long before the other begins: by more than clocks of one job differ, and
 * by more than either lasts. */
static bool is_apart(const struct weir_rank_summary *a, const struct weir_rank_summary *b)
{
	const struct weir_rank_summary *first = a->start_ns <= b->start_ns ? a : b;
	const struct weir_rank_summary *second = first == a ? b : a;
	int64_t gap_ns = second->start_ns > first->end_ns
	                         ? weir_span_ns(first->end_ns, second->start_ns)
	                         : 0;

	return gap_ns > WEIR_ONE_JOB_APART_NS &&
	       gap_ns > weir_span_ns(first->start_ns, first->end_ns) &&
	       gap_ns > weir_span_ns(second->start_ns, second->end_ns);
}

/* Returns true if both files hold the same events, such as a trace and its compressed copy. */
static bool is_same(const struct member *a, const struct member *b)
{
	const struct weir_rank_summary *one = a->rank, *other = b->rank;

	return a->bytes > 0 && b->bytes > 0 && one->stated_rank == other->stated_rank &&
	       one->base_ns == other->base_ns && one->device_rows == other->device_rows &&
	       one->host_rows == other->host_rows && one->hash == other->hash;
}

/* Returns the time from the end of the earlier one to the start of the later one. */
static double gap_of(const struct weir_rank_summary *a, const struct weir_rank_summary *b)
{
	return a->start_ns <= b->start_ns ? (double)weir_span_ns(a->end_ns, b->start_ns)
	                                  : (double)weir_span_ns(b->end_ns, a->start_ns);
}

static enum weir_status check_pair(const struct member *a, const struct member *b,
                                   struct weir_error *err)
{
	static const char advice[] = "classify each alone, or record them as runs and gate them";
	const char *one = device_of(a), *other = device_of(b);
	struct weir_text gap = {0};
	enum weir_status status = WEIR_OK;

	if (is_same(a, b))
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s and %s hold the same events; give each trace once", a->path,
		                 b->path);
	if (a->rank->stated_rank >= 0 && a->rank->stated_rank == b->rank->stated_rank)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s and %s are both of rank %lld: one job has each rank once; %s",
		                 a->path, b->path, (long long)a->rank->stated_rank, advice);
	if (weir_waits_known(&a->rank->waits) && weir_waits_known(&b->rank->waits))
		return WEIR_OK;
	if (*one && *other && strcmp(one, other) != 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s is of a %s and %s of a %s, and they share no collective: they "
		                 "are not one job; %s",
		                 a->path, one, b->path, other, advice);
	if (is_apart(a->rank, b->rank)) {
		weir_text_duration(&gap, gap_of(a->rank, b->rank));
		status = weir_fail(err, WEIR_E_USAGE,
		                   "%s and %s lie %s apart and share no collective: they are not "
		                   "one job; %s",
		                   a->path, b->path, gap.data, advice);
		weir_text_release(&gap);
	}
	return status;
}

enum weir_status weir_one_job_check(const struct weir_profile *profile,
                                    const struct weir_rank_summary *ranks, size_t count,
                                    struct weir_error *err)
{
	struct member *members = weir_alloc((count + 1) * sizeof *members);
	enum weir_status status = WEIR_OK;
	size_t filled = 0, rank = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_input *input = &profile->inputs[i];

		if (!input->trace && !input->packed_trace)
			continue;
		if (ranks[rank].device_rows > 0)
			members[filled++] =
				(struct member){input->path, input->bytes, &ranks[rank]};
		rank++;
	}
	for (size_t i = 1; !status && i < filled; i++)
		for (size_t j = 0; !status && j < i; j++)
			status = check_pair(&members[j], &members[i], err);
	free(members);
	return status;
}
