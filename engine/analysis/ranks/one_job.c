/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/one_job.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* One trace with device work. */
struct member {
	const char *path;
	uint64_t bytes; /* of its file; 0: made in memory */
	const struct weir_rank *rank;
	int64_t start_ns, end_ns; /* of its device work */
};

static struct member member_of(const struct weir_input *input, const struct weir_rank *rank)
{
	const struct weir_device_columns *device = &rank->trace->device;
	struct member out = {input->path, input->bytes, rank, INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < device->count; i++) {
		if (device->start_ns[i] < out.start_ns)
			out.start_ns = device->start_ns[i];
		if (device->end_ns[i] > out.end_ns)
			out.end_ns = device->end_ns[i];
	}
	return out;
}

/* Returns the name of the first device with work; "": not stated. */
static const char *device_of(const struct member *member)
{
	const struct weir_trace *trace = member->rank->trace;
	const char *name = trace->device_count > 0
	                           ? weir_names_text(trace->names, trace->devices[0].name)
	                           : NULL;

	return name ? name : "";
}

/* Returns true if one ends long before the other begins: by more than clocks of one job differ, and
 * by more than either lasts. */
static bool is_apart(const struct member *a, const struct member *b)
{
	const struct member *first = a->start_ns <= b->start_ns ? a : b;
	const struct member *second = first == a ? b : a;
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
	const struct weir_trace *one = a->rank->trace, *other = b->rank->trace;
	const size_t rows = one->device.count, calls = one->host.count;

	return a->bytes > 0 && b->bytes > 0 && one->rank == other->rank &&
	       one->base_ns == other->base_ns && rows == other->device.count &&
	       calls == other->host.count &&
	       memcmp(one->device.start_ns, other->device.start_ns,
	              rows * sizeof *one->device.start_ns) == 0 &&
	       memcmp(one->device.end_ns, other->device.end_ns,
	              rows * sizeof *one->device.end_ns) == 0 &&
	       (calls == 0 || memcmp(one->host.start_ns, other->host.start_ns,
	                             calls * sizeof *one->host.start_ns) == 0);
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
	if (a->rank->trace->rank >= 0 && a->rank->trace->rank == b->rank->trace->rank)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s and %s are both of rank %lld: one job has each rank once; %s",
		                 a->path, b->path, (long long)a->rank->trace->rank, advice);
	if (weir_waits_known(&a->rank->waits) && weir_waits_known(&b->rank->waits))
		return WEIR_OK;
	if (*one && *other && strcmp(one, other) != 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s is of a %s and %s of a %s, and they share no collective: they "
		                 "are not one job; %s",
		                 a->path, one, b->path, other, advice);
	if (is_apart(a, b)) {
		weir_text_duration(&gap, a->start_ns <= b->start_ns
		                                 ? (double)weir_span_ns(a->end_ns, b->start_ns)
		                                 : (double)weir_span_ns(b->end_ns, a->start_ns));
		status = weir_fail(err, WEIR_E_USAGE,
		                   "%s and %s lie %s apart and share no collective: they are not "
		                   "one job; %s",
		                   a->path, b->path, gap.data, advice);
		weir_text_release(&gap);
	}
	return status;
}

enum weir_status weir_one_job_check(const struct weir_profile *profile,
                                    const struct weir_rank *ranks, size_t count,
                                    struct weir_error *err)
{
	struct member *members = weir_alloc(count * sizeof *members);
	enum weir_status status = WEIR_OK;
	size_t filled = 0, rank = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		if (!profile->inputs[i].trace)
			continue;
		if (profile->inputs[i].trace->device.count > 0)
			members[filled++] = member_of(&profile->inputs[i], &ranks[rank]);
		rank++;
	}
	for (size_t i = 1; !status && i < filled; i++)
		for (size_t j = 0; !status && j < i; j++)
			status = check_pair(&members[j], &members[i], err);
	free(members);
	return status;
}
