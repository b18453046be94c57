/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives: transfer that computation could hide, small messages, bytes, and the waits for
 * another rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/rank/collective_bytes.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"

/* ---- the collectives of a program ---- */

/* Messages below this size are limited by latency: NCCL's own tests reach less than a quarter of
 * the bus bandwidth there. */
#define SMALL_MESSAGE 1048576.0

/* A collective, with the time in which no computation runs beside it. */
struct part {
	uint32_t job;
	double wait_ns, transfer_ns; /* exposed */
	double link_bytes;           /* NAN: not recorded */
};

struct parts {
	struct part *items;
	size_t count;
	struct weir_intervals compute; /* of the whole trace */
	struct weir_measure measure;   /* of `compute` */
	uint32_t *of_row;              /* per device row: its arguments; WEIR_NONE: none */
	double wait_ns, transfer_ns;   /* sums */
	double compute_ns;             /* of the program, without a collective beside it */
};

static bool has_work(const struct weir_rank *rank, uint32_t row, enum weir_work_class class)
{
	return rank->timeline.work[row] == class;
}

static void push_row(const struct weir_rank *rank, uint32_t row, struct weir_intervals *set)
{
	weir_intervals_push(set, rank->trace->device.start_ns[row],
	                    rank->trace->device.end_ns[row]);
}

/* Fills the computation of the trace, and that of the program which no collective overlaps. */
static void find_compute(const struct weir_program *program, struct parts *out)
{
	const struct weir_rank *rank = program->rank;
	struct weir_intervals comm = {0}, own = {0};

	for (uint32_t row = rank->timeline.first_row[program->device];
	     row < rank->timeline.first_row[program->device + 1]; row++) {
		if (has_work(rank, row, WEIR_WORK_COMPUTE))
			push_row(rank, row, &out->compute);
		if (has_work(rank, row, WEIR_WORK_COMM))
			push_row(rank, row, &comm);
	}
	for (size_t j = 0; j < program->job_count; j++)
		if (has_work(rank, program->jobs[j].row, WEIR_WORK_COMPUTE))
			push_row(rank, program->jobs[j].row, &own);
	weir_intervals_unite(&out->compute);
	weir_intervals_unite(&comm);
	weir_intervals_unite(&own);
	out->compute_ns = (double)weir_intervals_outside_ns(&own, &comm);
	weir_intervals_release(&comm);
	weir_intervals_release(&own);
}

static double exposed_ns(const struct parts *parts, int64_t start_ns, int64_t end_ns)
{
	return (double)(weir_span_ns(start_ns, end_ns) -
	                weir_measure_inside(&parts->measure, start_ns, end_ns));
}

/* Returns the collective of each device row; WEIR_NONE: no arguments recorded. */
static uint32_t *index_collectives(const struct weir_trace *trace)
{
	uint32_t *of_row = weir_alloc((trace->device.count + 1) * sizeof *of_row);

	for (size_t row = 0; row < trace->device.count; row++)
		of_row[row] = WEIR_NONE;
	for (size_t i = 0; i < trace->collective_count; i++)
		if (trace->collectives[i].device_row < trace->device.count)
			of_row[trace->collectives[i].device_row] = (uint32_t)i;
	return of_row;
}

/* Without the other ranks, a collective that takes longer than the link needs at this share of its
 * rate, and than this latency, is taken to wait for them. */
#define LINK_LEAST   0.25
#define LATENCY_MOST 30000.0

/* Returns the time until which the collective waits. */
static int64_t wait_end_ns(const struct weir_advisor *advisor, const struct part *part,
                           uint32_t row)
{
	const struct weir_rank *rank = advisor->program.rank;
	int64_t start_ns = rank->trace->device.start_ns[row];
	int64_t end_ns = rank->trace->device.end_ns[row];
	double rate = advisor->peaks ? advisor->peaks->link_bytes_per_s.theoretical / 2 : NAN;
	double most_ns = LATENCY_MOST + part->link_bytes / (LINK_LEAST * rate) * 1e9;

	if (rank->waits.until_ns && rank->waits.until_ns[row] != INT64_MIN)
		return rank->waits.until_ns[row];
	if (rank->waits.matched > 0 || isnan(most_ns) ||
	    !(most_ns < (double)weir_span_ns(start_ns, end_ns)))
		return start_ns;
	return end_ns - (int64_t)most_ns;
}

static void fill_part(const struct weir_advisor *advisor, const struct parts *parts,
                      struct part *part)
{
	const struct weir_job *job = &advisor->program.jobs[part->job];
	const struct weir_trace *trace = advisor->program.rank->trace;
	int64_t until_ns;

	part->link_bytes = parts->of_row[job->row] == WEIR_NONE
	                           ? NAN
	                           : weir_collective_link_bytes(
					     trace, &trace->collectives[parts->of_row[job->row]]);
	until_ns = wait_end_ns(advisor, part, job->row);
	part->wait_ns = exposed_ns(parts, trace->device.start_ns[job->row], until_ns);
	part->transfer_ns = exposed_ns(parts, until_ns, trace->device.end_ns[job->row]);
	/* A job has only the time that it adds to the work before it. */
	part->wait_ns = fmin(part->wait_ns, job->ns);
	part->transfer_ns = fmin(part->transfer_ns, job->ns - part->wait_ns);
}

/* Fills the collectives of the program; it may have none. */
static void parts_init(struct parts *parts, const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	size_t collectives = 0;

	*parts = (struct parts){0};
	for (size_t j = 0; j < program->job_count; j++)
		collectives += has_work(program->rank, program->jobs[j].row, WEIR_WORK_COMM);
	if (collectives == 0)
		return;
	parts->items = weir_alloc(collectives * sizeof *parts->items);
	find_compute(program, parts);
	weir_measure_init(&parts->measure, &parts->compute);
	parts->of_row = index_collectives(program->rank->trace);
	for (uint32_t j = 0; j < program->job_count; j++) {
		struct part *part = &parts->items[parts->count];

		if (!has_work(program->rank, program->jobs[j].row, WEIR_WORK_COMM))
			continue;
		part->job = j;
		fill_part(advisor, parts, part);
		parts->wait_ns += part->wait_ns;
		parts->transfer_ns += part->transfer_ns;
		parts->count++;
	}
}

static void parts_release(struct parts *parts)
{
	weir_measure_release(&parts->measure);
	weir_intervals_release(&parts->compute);
	free(parts->of_row);
	free(parts->items);
}

/* Takes time from a collective: typical value and range. */
static void shorten(struct weir_draft *draft, uint32_t job, double less_ns, double most_ns,
                    double least_ns)
{
	double ns = draft->program.jobs[job].ns;

	weir_draft_set_job(draft, job, fmax(ns - less_ns, 0), fmax(ns - most_ns, 0),
	                   fmax(ns - least_ns, 0));
}

/* ---- work between collectives ---- */

/* Fewer messages are neither a chain nor worth a bucket. */
#define FEWEST_MESSAGES 8
/* Kernels between two messages of a bucket: scaling or casting of a gradient. */
#define SHORT_BETWEEN_NS 20000.0

/* True if the job may run between two messages of one bucket. */
static bool may_be_between(const struct weir_draft *draft, const struct weir_job *job)
{
	enum weir_family family = weir_advisor_family(draft->advisor, job);

	return (family == WEIR_FAMILY_ELEMENTWISE || family == WEIR_FAMILY_COPY) &&
	       job->span_ns < SHORT_BETWEEN_NS;
}

/* True if only short pointwise work lies between two collectives. */
static bool follows(const struct weir_draft *draft, const struct part *a, const struct part *b)
{
	for (uint32_t j = a->job + 1; j < b->job; j++)
		if (!may_be_between(draft, &draft->program.jobs[j]))
			return false;
	return true;
}

/* ---- overlap-communication ---- */

/* Parts of the hidden transfer that are saved: kernels beside a collective ran 20 % longer
 * (products of bfloat16 beside an all-reduce on H200). */
struct hiding {
	double typical, most, least;
};

/* Gradients: the last bucket stays exposed. */
static const struct hiding independent = {0.8, 1, 0.5};
/* Messages between dependent kernels, and small ones, hide only if the batch is split, which makes
 * the kernels less efficient; an assumption, with its range down to nothing. */
static const struct hiding chained = {0.3, 0.6, 0};

static bool is_small(const struct part *part, const struct weir_job *job)
{
	if (isnan(part->link_bytes))
		return job->span_ns - part->wait_ns < LATENCY_MOST;
	return part->link_bytes < SMALL_MESSAGE;
}

/* The part of the transfer that is exposed if computation before and behind it depends on it. */
#define CHAINED_EXPOSED 0.9

/* True if the collectives alternate with other work that does not run beside them: each needs the
 * work before it, and the work behind it needs the collective. */
static bool is_chain(const struct weir_draft *draft, const struct parts *parts)
{
	double spans_ns = 0;
	size_t apart = 0;

	for (size_t i = 0; i < parts->count; i++) {
		spans_ns += draft->program.jobs[parts->items[i].job].span_ns;
		apart += i > 0 && !follows(draft, &parts->items[i - 1], &parts->items[i]);
	}
	return parts->count >= FEWEST_MESSAGES && 2 * apart >= parts->count &&
	       parts->wait_ns + parts->transfer_ns >= CHAINED_EXPOSED * spans_ns;
}

bool weir_fix_overlap_communication(struct weir_draft *draft)
{
	struct parts parts;
	double share = 0;
	bool chain;

	parts_init(&parts, draft->advisor);
	chain = is_chain(draft, &parts);
	if (parts.transfer_ns > 0)
		share = fmin(parts.compute_ns / parts.transfer_ns, 1);
	for (size_t i = 0; share > 0 && i < parts.count; i++) {
		const struct part *part = &parts.items[i];
		const struct weir_job *job = &draft->program.jobs[part->job];
		const struct hiding *hiding =
			chain || is_small(part, job) ? &chained : &independent;
		double ns = share * part->transfer_ns;

		if (ns > 0)
			shorten(draft, part->job, hiding->typical * ns, hiding->most * ns,
			        hiding->least * ns);
	}
	weir_draft_basis(draft,
	                 "%.2f ms of transfer without computation beside it, of which %.2f ms of "
	                 "computation can hide a part; waiting for other ranks (%.2f ms) stays",
	                 parts.transfer_ns / 1e6, parts.compute_ns / 1e6, parts.wait_ns / 1e6);
	parts_release(&parts);
	return share > 0;
}

/* ---- bucket-collectives ---- */

/* The part of the link's rate that messages of a few megabytes reach: a quarter to a half in NCCL's
 * own tests. */
#define BUCKET_RATE 0.35

/* A run of collectives that one message could replace. */
struct bucket {
	size_t first, end;
	size_t small;       /* messages limited by latency */
	double shortest_ns; /* of the small ones */
};

static bool is_small_part(const struct weir_draft *draft, const struct part *part)
{
	return is_small(part, &draft->program.jobs[part->job]);
}

static struct bucket find_bucket(const struct weir_draft *draft, const struct parts *parts,
                                 size_t first)
{
	struct bucket out = {first, first, 0, INFINITY};

	for (; out.end < parts->count; out.end++) {
		const struct part *part = &parts->items[out.end];

		if (out.end > first && !follows(draft, &parts->items[out.end - 1], part))
			break;
		if (!is_small_part(draft, part))
			continue;
		out.small++;
		out.shortest_ns = fmin(out.shortest_ns, part->transfer_ns);
	}
	return out;
}

/* Returns the time of a small message inside a bucket: its bytes, or its time without the latency
 * that the shortest one shows. */
static double bucketed_ns(const struct weir_draft *draft, const struct part *part,
                          double shortest_ns)
{
	double rate = draft->advisor->peaks
	                      ? draft->advisor->peaks->link_bytes_per_s.theoretical / 2
	                      : NAN;
	double ns = part->link_bytes / (BUCKET_RATE * rate) * 1e9;

	return fmin(isnan(ns) ? part->transfer_ns - shortest_ns : ns, part->transfer_ns);
}

/* Lets all small messages but the first cost only their bytes, and no dispatch. */
static void fill_bucket(struct weir_draft *draft, const struct parts *parts,
                        const struct bucket *bucket)
{
	bool is_first = true;

	for (size_t i = bucket->first; i < bucket->end; i++) {
		const struct part *part = &parts->items[i];
		double less_ns;
		uint32_t issue;

		if (!is_small_part(draft, part))
			continue;
		less_ns = part->transfer_ns - bucketed_ns(draft, part, bucket->shortest_ns);
		issue = draft->program.jobs[part->job].issue;
		if (!is_first) {
			shorten(draft, part->job, less_ns, part->transfer_ns, less_ns / 2);
			weir_draft_set_dispatch(draft, issue, 0);
			draft->program.issues[issue].call_ns = 0;
			draft->program.jobs[part->job].gap_ns = 0;
		}
		is_first = false;
	}
}

bool weir_fix_bucket_collectives(struct weir_draft *draft)
{
	struct parts parts;
	size_t messages = 0, buckets = 0;

	parts_init(&parts, draft->advisor);
	for (size_t first = 0; first < parts.count;) {
		struct bucket bucket = find_bucket(draft, &parts, first);

		first = bucket.end;
		if (bucket.small < FEWEST_MESSAGES)
			continue;
		fill_bucket(draft, &parts, &bucket);
		messages += bucket.small;
		buckets++;
	}
	weir_draft_basis(draft,
	                 "%zu messages that their latency limits joined to %zu, with one latency "
	                 "and one dispatch each",
	                 messages, buckets);
	parts_release(&parts);
	return messages > 0;
}

/* ---- fewer-bytes ---- */

/* Casting a message to half its width and back reads and writes it three times altogether; a ring
 * sends it up to twice. */
#define CAST_PASSES 2.0

bool weir_fix_fewer_bytes(struct weir_draft *draft)
{
	struct parts parts;
	double bytes = 0, saved_ns = 0;

	parts_init(&parts, draft->advisor);
	for (size_t i = 0; i < parts.count; i++) {
		const struct part *part = &parts.items[i];
		double half_ns = part->transfer_ns / 2;
		double cast_ns = CAST_PASSES * part->link_bytes / draft->advisor->bandwidth * 1e9;

		if (!(part->link_bytes >= SMALL_MESSAGE) || !(half_ns > cast_ns))
			continue;
		shorten(draft, part->job, half_ns - cast_ns, half_ns, (half_ns - cast_ns) / 2);
		bytes += part->link_bytes;
		saved_ns += half_ns - cast_ns;
	}
	weir_draft_basis(
		draft,
		"half of %.1f MB over the link of each device, less the time to cast them: "
		"%.2f ms",
		bytes / 1e6, saved_ns / 1e6);
	parts_release(&parts);
	return bytes > 0;
}

/* ---- waits for another rank ---- */

/* True if enough collectives are matched for a waiting time. */
static bool waits_known(const struct weir_waits *waits)
{
	return waits->until_ns && !isnan(waits->straggler_score);
}

/* Returns the exposed waits of the program for ranks that are late for this reason. */
static double waits_by(const struct weir_draft *draft, const struct parts *parts,
                       enum weir_late_by by)
{
	const struct weir_program *program = &draft->program;
	double ns = 0;

	for (size_t i = 0; program->rank->waits.by && i < parts->count; i++)
		if (program->rank->waits.by[program->jobs[parts->items[i].job].row] == by)
			ns += parts->items[i].wait_ns;
	return ns;
}

/* Removes a share of these waits; low and high: range of the share. */
static void cut_waits(struct weir_draft *draft, const struct parts *parts, enum weir_late_by by,
                      double share, double most, double least)
{
	const struct weir_program *program = &draft->program;

	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];

		if (part->wait_ns > 0 &&
		    program->rank->waits.by[program->jobs[part->job].row] == by)
			shorten(draft, part->job, share * part->wait_ns, most * part->wait_ns,
			        least * part->wait_ns);
	}
}

/* ---- balance-ranks ---- */

/* Returns the device time of computation of a rank in a steady step; NAN: it has none. */
static double work_of(const struct weir_rank *rank)
{
	const struct weir_steps *steps = &rank->steps;
	const struct weir_device_columns *rows = &rank->trace->device;
	double ns = 0;
	size_t count = 0;

	for (size_t s = 0; s < steps->step_count; s++)
		count += steps->steps[s].state == WEIR_STEP_STEADY;
	for (size_t row = 0; row < rows->count; row++) {
		uint32_t step = steps->row_step[row];

		if (step != WEIR_NONE && steps->steps[step].state == WEIR_STEP_STEADY &&
		    has_work(rank, (uint32_t)row, WEIR_WORK_COMPUTE))
			ns += (double)weir_span_ns(rows->start_ns[row], rows->end_ns[row]);
	}
	return count > 0 ? ns / (double)count : NAN;
}

/* The device work of the ranks in a step. */
struct loads {
	double mean_ns, most_ns, own_ns;
};

static bool find_loads(const struct weir_program *program, struct loads *out)
{
	const struct weir_analysis *analysis = program->analysis;

	*out = (struct loads){.own_ns = work_of(program->rank)};
	for (size_t r = 0; r < analysis->rank_count; r++) {
		double ns = work_of(&analysis->ranks[r]);

		if (isnan(ns))
			return false;
		out->mean_ns += ns / (double)analysis->rank_count;
		out->most_ns = fmax(out->most_ns, ns);
	}
	return analysis->rank_count > 1 && out->most_ns > out->mean_ns;
}

/* Scales the computation of the rank with most work. */
static void lighten(struct weir_draft *draft, const struct loads *loads)
{
	double factor = loads->mean_ns / loads->own_ns;

	for (uint32_t j = 0; j < draft->program.job_count; j++)
		if (has_work(draft->program.rank, draft->program.jobs[j].row, WEIR_WORK_COMPUTE))
			weir_draft_scale_job(draft, j, factor, factor, (1 + factor) / 2);
}

bool weir_fix_balance_ranks(struct weir_draft *draft)
{
	const struct weir_waits *waits = &draft->program.rank->waits;
	struct loads loads;
	struct parts parts;
	double waits_ns;
	bool found = false;

	if (!waits_known(waits) || !find_loads(&draft->program, &loads))
		return false;
	parts_init(&parts, draft->advisor);
	waits_ns = waits_by(draft, &parts, WEIR_LATE_BY_DEVICE);
	if (waits->late_by == WEIR_LATE_BY_DEVICE && loads.own_ns > loads.mean_ns) {
		lighten(draft, &loads);
		found = true;
	} else if (waits_ns > 0) {
		double share = fmin((loads.most_ns - loads.mean_ns) / waits_ns, 1);

		cut_waits(draft, &parts, WEIR_LATE_BY_DEVICE, share, share, share / 2);
		found = true;
	}
	weir_draft_basis(
		draft,
		"the mean of the ranks' device work, %.2f ms a step, instead of %.2f ms on "
		"the rank with most",
		loads.mean_ns / 1e6, loads.most_ns / 1e6);
	parts_release(&parts);
	return found;
}

/* ---- fix-late-host ---- */

/* Returns the time a step that another rank waits for this one. */
static double awaited_by(const struct weir_rank *other, size_t own)
{
	const struct weir_waits *waits = &other->waits;
	double ns = 0;
	size_t count = 0;

	for (size_t s = 0; s < other->steps.step_count; s++)
		count += other->steps.steps[s].state == WEIR_STEP_STEADY;
	for (size_t row = 0; waits->until_ns && row < other->trace->device.count; row++)
		if (waits->until_ns[row] != INT64_MIN && waits->last[row].rank == own &&
		    waits->by[row] == WEIR_LATE_BY_HOST)
			ns += (double)weir_span_ns(other->trace->device.start_ns[row],
			                           waits->until_ns[row]);
	return count > 0 ? ns / (double)count : 0;
}

/* Returns the mean time a step that the other ranks wait for this one's host. */
static double awaited_ns(const struct weir_program *program)
{
	const struct weir_analysis *analysis = program->analysis;
	size_t own = (size_t)(program->rank - analysis->ranks);
	double ns = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		if (r != own)
			ns += awaited_by(&analysis->ranks[r], own);
	return analysis->rank_count > 1 ? ns / (double)(analysis->rank_count - 1) : 0;
}

/* Returns the call with most work of the host before it. */
static uint32_t most_work(const struct weir_program *program)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < program->issue_count; i++)
		if (program->issues[i].work_ns > program->issues[best].work_ns)
			best = i;
	return best;
}

/* Removes host work of the late rank itself, up to ns; returns what was removed. */
static double hurry_host(struct weir_draft *draft, double ns)
{
	double removed_ns = 0;

	while (removed_ns < ns) {
		uint32_t i = most_work(&draft->program);
		double work_ns = fmin(draft->program.issues[i].work_ns, ns - removed_ns);

		if (!(work_ns > 0))
			break;
		weir_draft_less_work(draft, i, work_ns);
		removed_ns += work_ns;
	}
	return removed_ns;
}

bool weir_fix_late_host(struct weir_draft *draft)
{
	const struct weir_waits *waits = &draft->program.rank->waits;
	struct parts parts;
	double waits_ns, removed_ns = 0;

	if (!waits_known(waits) || draft->program.issue_count == 0)
		return false;
	parts_init(&parts, draft->advisor);
	waits_ns = waits_by(draft, &parts, WEIR_LATE_BY_HOST);
	if (waits->late_by == WEIR_LATE_BY_HOST) {
		removed_ns = hurry_host(draft, awaited_ns(&draft->program));
	} else if (waits_ns > 0) {
		cut_waits(draft, &parts, WEIR_LATE_BY_HOST, 1, 1, 0.5);
		removed_ns = waits_ns;
	}
	weir_draft_basis(draft,
	                 "the step without %.2f ms in which ranks wait in collectives while the "
	                 "last rank's device idles for its host",
	                 removed_ns / 1e6);
	parts_release(&parts);
	return removed_ns > 0;
}
