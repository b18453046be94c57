/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies between host and device: memory that is not pinned, and copies beside no work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* ---- pinned-copies ---- */

/* Changes one copy; returns its bytes, 0 if it is not pageable or not slower than pinned ones. */
static double pin(struct weir_draft *draft, uint32_t j, const struct weir_link_rate *rates)
{
	const struct weir_job *job = &draft->program.jobs[j];
	struct weir_transfer copy = weir_transfer_of(draft->advisor, job);
	const struct weir_link_rate *rate = &rates[copy.way];
	double ns = copy.bytes / rate->typical * 1e9;

	if (copy.way == WEIR_TRANSFER_NONE || copy.memory != WEIR_MEMORY_PAGEABLE ||
	    !(copy.bytes > WEIR_STAGED_BYTES) || !(ns < job->ns))
		return 0;
	weir_draft_set_job(draft, j, ns, copy.bytes / rate->high * 1e9,
	                   fmin(copy.bytes / rate->low * 1e9, job->ns));
	if (copy.way == WEIR_TRANSFER_UP) {
		weir_transfer_free_host(draft, job->issue);
	} else {
		/* The driver copies nothing behind the end of the transfer. */
		struct weir_issue *issue = &draft->program.issues[job->issue];

		issue->call_ns = fmin(issue->call_ns, WEIR_COPY_CALL_NS);
		issue->return_ns = fmin(issue->return_ns, WEIR_COPY_CALL_NS);
		if (copy.bytes > WEIR_MAPPED_BYTES)
			weir_draft_less_freeing(draft, job->issue + 1, copy.bytes);
	}
	return copy.bytes;
}

bool weir_fix_pinned_copies(struct weir_draft *draft)
{
	struct weir_link_rate rates[WEIR_TRANSFER_WAYS];
	double bytes = 0, before_ns = 0, after_ns = 0;
	bool seen = false;

	weir_transfer_rates(draft->advisor, rates);
	for (uint32_t j = 0; j < draft->program.job_count; j++) {
		double ns = draft->program.jobs[j].ns, copied = pin(draft, j, rates);

		if (copied == 0)
			continue;
		bytes += copied;
		before_ns += ns;
		after_ns += draft->program.jobs[j].ns;
		seen |= rates[weir_transfer_of(draft->advisor, &draft->program.jobs[j]).way].seen;
	}
	weir_draft_basis(
		draft, "%.2f MB at %.1f GB/s, %s, instead of %.1f GB/s through pageable memory",
		bytes / 1e6, bytes / after_ns,
		seen ? "as pinned copies of this run reach" : "as the link to the host sustains",
		bytes / before_ns);
	return bytes > 0;
}

/* ---- overlap-copies ---- */

/* Kernels beside a copy or a collective ran 14 to 20 % longer than alone (products of bfloat16 on
 * H100 and H200, at their power limit). */
#define SLOWED 0.15
/* Without steps, copies and kernels must alternate: one upload before all work is a start. */
#define FEWEST_TURNS 4

/* Device time as unions: of the program's long copies by way, of its other work, and of other work
 * in the whole trace, which may run beside copies of other steps. */
struct occupation {
	struct weir_intervals way[3], copies, compute, anywhere;
};

/* Returns the kind of host memory whose copies do not hide: where most bytes are in pinned memory,
 * the others stay where they are; where most are pageable, all are taken to be pinned first. */
static enum weir_transfer_memory kept_memory(const struct weir_advisor *advisor)
{
	return weir_transfer_memory_of(advisor) == WEIR_MEMORY_PINNED ? WEIR_MEMORY_PAGEABLE
	                                                              : WEIR_MEMORY_UNKNOWN;
}

/* True for a large copy between host and device that is not in this kind of memory. */
static bool is_hidden(const struct weir_advisor *advisor, const struct weir_job *job,
                      enum weir_transfer_memory kept)
{
	struct weir_transfer copy = weir_transfer_of(advisor, job);

	return copy.way != WEIR_TRANSFER_NONE && copy.bytes > WEIR_STAGED_BYTES &&
	       (kept == WEIR_MEMORY_UNKNOWN || copy.memory != kept);
}

static void push_row(const struct weir_rank *rank, uint32_t row, struct weir_intervals *set)
{
	weir_intervals_push(set, rank->trace->device.start_ns[row],
	                    rank->trace->device.end_ns[row]);
}

static void occupy(const struct weir_draft *draft, enum weir_transfer_memory kept,
                   struct occupation *out)
{
	const struct weir_program *program = &draft->program;
	const struct weir_rank *rank = program->rank;

	*out = (struct occupation){0};
	for (size_t j = 0; j < program->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];
		enum weir_transfer_way way = weir_transfer_of(draft->advisor, job).way;

		if (is_hidden(draft->advisor, job, kept)) {
			push_row(rank, job->row, &out->way[way]);
			push_row(rank, job->row, &out->copies);
		} else {
			push_row(rank, job->row, &out->compute);
		}
	}
	for (uint32_t row = rank->timeline.first_row[program->device];
	     row < rank->timeline.first_row[program->device + 1]; row++)
		if (!weir_rank_row_transfers(rank, row))
			push_row(rank, row, &out->anywhere);
	weir_intervals_unite(&out->copies);
	weir_intervals_unite(&out->compute);
	weir_intervals_unite(&out->anywhere);
	for (size_t w = 0; w < WEIR_COUNT_OF(out->way); w++)
		weir_intervals_unite(&out->way[w]);
}

static void occupation_release(struct occupation *occupation)
{
	weir_intervals_release(&occupation->copies);
	weir_intervals_release(&occupation->compute);
	weir_intervals_release(&occupation->anywhere);
	for (size_t w = 0; w < WEIR_COUNT_OF(occupation->way); w++)
		weir_intervals_release(&occupation->way[w]);
}

/* Copies of one size differ by what else uses the memory of the host at that moment, and by a link
 * that first wakes up: without the profiler, all of them took what the fastest quarter took in
 * captures whose slowest copies took 1.9 and 2.3 times as long. */
#define UNDISTURBED 0.25
/* Fewer copies have no quarter. */
#define FEWEST_ALIKE 8

/* Copies of more kinds are taken as they are. */
#define MOST_KINDS 16

/* Copies of one name and size. */
struct alike {
	uint32_t name;
	int64_t bytes;
	double ns; /* undisturbed; 0: too few of them */
};

struct all_alike {
	struct alike items[MOST_KINDS];
	size_t count;
};

static double quickest_quarter_ns(const struct weir_device_columns *rows, uint32_t name,
                                  int64_t bytes)
{
	double *ns = weir_alloc((rows->count + 1) * sizeof *ns), then_ns = 0;
	size_t count = 0;

	for (size_t row = 0; row < rows->count; row++)
		if (rows->name[row] == name && rows->bytes[row] == bytes)
			ns[count++] = (double)weir_span_ns(rows->start_ns[row], rows->end_ns[row]);
	if (count >= FEWEST_ALIKE)
		then_ns = weir_quantile_select(ns, count, UNDISTURBED);
	free(ns);
	return then_ns;
}

/* Returns the time that the copy takes if nothing disturbs it, at most its own. */
static double undisturbed_ns(const struct weir_draft *draft, const struct weir_job *job,
                             struct all_alike *kinds)
{
	const struct weir_device_columns *rows = &draft->program.rank->trace->device;
	uint32_t name = rows->name[job->row];
	int64_t bytes = rows->bytes[job->row];
	size_t i = 0;

	while (i < kinds->count && (kinds->items[i].name != name || kinds->items[i].bytes != bytes))
		i++;
	if (i == MOST_KINDS)
		return job->span_ns;
	if (i == kinds->count)
		kinds->items[kinds->count++] =
			(struct alike){name, bytes, quickest_quarter_ns(rows, name, bytes)};
	return kinds->items[i].ns > 0 ? fmin(kinds->items[i].ns, job->span_ns) : job->span_ns;
}

/* Times of a step whose copies run beside its other work. */
struct overlapped {
	double compute_ns;          /* the other work */
	double copies_ns;           /* what copies add to it now */
	double hidden_ns;           /* of that, what can hide */
	double low_ns, ns, high_ns; /* what copies add then */
};

/* Returns the share of their time that the program's copies take if nothing disturbs them. */
static double undisturbed_share(const struct weir_draft *draft, enum weir_transfer_memory kept,
                                double *copies_ns)
{
	struct all_alike kinds = {.count = 0};
	double span_ns = 0, then_ns = 0;

	*copies_ns = 0;
	for (size_t j = 0; j < draft->program.job_count; j++) {
		const struct weir_job *job = &draft->program.jobs[j];

		if (!is_hidden(draft->advisor, job, kept))
			continue;
		*copies_ns += job->ns;
		span_ns += job->span_ns;
		then_ns += undisturbed_ns(draft, job, &kinds);
	}
	return span_ns > 0 ? then_ns / span_ns : 1;
}

/* The longest of the other work and each direction stays. The other work runs longer beside copies,
 * which matters only where the copies do not take longer still. False: nothing can hide. */
static bool overlap(const struct weir_draft *draft, enum weir_transfer_memory kept,
                    struct overlapped *out)
{
	struct occupation occupation;
	double exposed_ns, link_ns = 0, most_ns, rest_ns;
	double share = undisturbed_share(draft, kept, &out->copies_ns);

	if (out->copies_ns == 0)
		return false;
	occupy(draft, kept, &occupation);
	exposed_ns = (double)weir_intervals_outside_ns(&occupation.copies, &occupation.anywhere);
	exposed_ns = fmin(exposed_ns, out->copies_ns);
	out->compute_ns = (double)weir_intervals_total(&occupation.compute);
	for (size_t w = 0; w < WEIR_COUNT_OF(occupation.way); w++)
		link_ns = fmax(link_ns, (double)weir_intervals_total(&occupation.way[w]));
	occupation_release(&occupation);
	most_ns = fmin(exposed_ns, exposed_ns + out->compute_ns - fmax(out->compute_ns, link_ns));
	out->hidden_ns =
		share * exposed_ns + out->compute_ns - fmax(out->compute_ns, share * link_ns);
	out->hidden_ns = fmin(share * exposed_ns, out->hidden_ns);
	rest_ns = share * (out->copies_ns - exposed_ns);
	out->low_ns = rest_ns + fmax(0, share * link_ns - out->compute_ns);
	out->ns = rest_ns + fmax(SLOWED * out->hidden_ns, share * link_ns - out->compute_ns);
	out->high_ns = fmax(out->ns, out->copies_ns - WEIR_HIDDEN_LEAST * most_ns);
	return most_ns > 0 && out->hidden_ns > 0;
}

/* True if the program repeats, or if copies and other work alternate in it. */
static bool repeats(const struct weir_draft *draft, enum weir_transfer_memory kept)
{
	const struct weir_program *program = &draft->program;
	size_t turns = 0;

	if (program->turns > 1)
		return true;
	for (size_t j = 1; j < program->job_count; j++)
		turns += is_hidden(draft->advisor, &program->jobs[j], kept) &&
		         !is_hidden(draft->advisor, &program->jobs[j - 1], kept);
	return turns >= FEWEST_TURNS;
}

bool weir_fix_overlap_copies(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->program;
	enum weir_transfer_memory kept = kept_memory(draft->advisor);
	struct overlapped then = {0};

	if (!repeats(draft, kept) || !overlap(draft, kept, &then))
		return false;
	for (uint32_t j = 0; j < program->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];

		if (!is_hidden(draft->advisor, job, kept))
			continue;
		weir_draft_scale_job(draft, j, then.ns / then.copies_ns,
		                     then.low_ns / then.copies_ns, then.high_ns / then.copies_ns);
		weir_transfer_free_host(draft, job->issue);
	}
	weir_draft_basis(draft,
	                 "%.2f of %.2f ms of copies hidden behind %.2f ms of other device work, "
	                 "which runs %.0f %% longer meanwhile",
	                 then.hidden_ns / 1e6, then.copies_ns / 1e6, then.compute_ns / 1e6,
	                 100 * SLOWED);
	return true;
}
