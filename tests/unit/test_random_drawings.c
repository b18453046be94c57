/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole drawings of random traces and jobs, against tests/data/random_drawings: flame graph,
 * tracks, counters, and the map of ranks. `WEIR_UPDATE_DRAWINGS=1 test_random_drawings` rewrites
 * the files. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/model/pictures.h"
#include "engine/model/timeline_detail.h"
#include "engine/part/part.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/record.h"

#define ROUNDS     10
#define EXACT      5 /* the first round on a grid */
#define MOST_RANKS 64
#define MOST_STEPS 90
#define PERIOD     INT64_C(200000)
#define TRANSFER   INT64_C(1000)

/* ---- the record ---- */

static void add_flame(struct weir_text *out, const struct weir_flame *flame)
{
	for (size_t i = 0; i < flame->count; i++) {
		const struct weir_flame_frame *frame = &flame->frames[i];

		weir_text_printf(out, "%*s%s %d: %" PRId64 " self %" PRId64 " below %d\n",
		                 (int)frame->depth, "", frame->name, (int)frame->kind,
		                 frame->total_ns, frame->self_ns, (int)frame->parent);
	}
}

static void add_tracks(struct weir_text *out, const struct weir_detail *detail)
{
	for (size_t i = 0; i < detail->track_count; i++)
		weir_text_printf(out, "track %s: kind %d rank %d row %d\n", detail->tracks[i].name,
		                 (int)detail->tracks[i].kind, (int)detail->tracks[i].rank,
		                 (int)detail->tracks[i].number);
	for (size_t i = 0; i < detail->span_count; i++) {
		const struct weir_detail_span *span = &detail->spans[i];

		weir_text_printf(out, "%d: %" PRId64 " +%" PRId64 " %s", (int)span->track,
		                 span->start_ns, span->end_ns - span->start_ns, span->name);
		if (span->note)
			weir_text_printf(out, " (%s)", span->note);
		if (span->stage != UINT32_MAX)
			weir_text_printf(out, " stage %d", (int)span->stage);
		if (span->flow)
			weir_text_printf(out, " launch %d", (int)span->flow);
		weir_text_puts(out, "\n");
	}
	weir_text_printf(out, "%d launches, %d spans left out\n", (int)detail->flow_count,
	                 (int)detail->left_out);
}

/* Adds sums of the values that tell where each of them lies. */
static void add_counters(struct weir_text *out, const struct weir_detail *detail)
{
	for (size_t i = 0; i < detail->counter_count; i++) {
		const struct weir_detail_counter *counter = &detail->counters[i];
		double sum = 0, moment = 0, squares = 0, most = 0;

		for (size_t w = 0; w < WEIR_DETAIL_WINDOWS; w++) {
			double value = counter->value[w];

			sum += value;
			moment += value * (double)w;
			squares += value * value;
			most = fmax(most, value);
		}
		weir_text_printf(out, "counter %s in %s, rank %d: from %" PRId64 " by %" PRId64,
		                 counter->name, counter->unit, (int)counter->rank,
		                 counter->start_ns, counter->width_ns);
		weir_text_printf(out, ", sum %.9g, moment %.9g, squares %.9g, most %.9g\n", sum,
		                 moment, squares, most);
	}
}

static void add_map(struct weir_text *out, const struct weir_rank_map *map)
{
	weir_text_printf(out, "map of %d ranks: %d steps from %d, %d a column\n", (int)map->ranks,
	                 (int)map->steps, (int)map->first_step, (int)map->steps_per_column);
	for (size_t r = 0; r < map->row_count; r++) {
		const struct weir_rank_map_row *row = &map->rows[r];

		weir_text_printf(out, "rank %d:", (int)row->rank);
		for (size_t c = 0; c < row->cell_count; c++)
			weir_text_printf(out, " %.0f/%.0f", row->cells[c].wait_ns,
			                 row->cells[c].late_ns);
		weir_text_puts(out, "\n");
	}
}

/* Analyses the profile, frees it, and compares its drawings with the file. */
static void check(const char *kind, int round, struct weir_profile *profile, bool detail)
{
	const struct weir_analysis_options options = {.percentile = 0.95, .detail = detail};
	struct weir_report *report = weir_report_new(profile);
	struct weir_analysis *analysis = NULL;
	struct weir_text text = {0};
	struct weir_error err = {0};
	char path[64];

	if (weir_analysis_new(profile, &options, &analysis, &err))
		fail_msg("%s", err.message);
	weir_analysis_report(analysis, report);
	if (detail) {
		add_flame(&text, &report->detail->flame);
		add_tracks(&text, report->detail);
		add_counters(&text, report->detail);
	}
	if (report->pictures && report->pictures->rank_map)
		add_map(&text, report->pictures->rank_map);
	(void)snprintf(path, sizeof path, "tests/data/random_drawings/%s%d.txt", kind, round);
	record_check(path, &text, "WEIR_UPDATE_DRAWINGS");
	weir_text_release(&text);
	weir_report_free(report);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
}

/* ---- random traces ---- */

static void drawings_of_random_traces_keep_every_figure(void **state)
{
	static const int64_t grids[] = {500, 1000, 5000, 10000};
	uint64_t seed = 61;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_profile *profile = weir_profile_new();

		for (int rank = 0; rank <= round % 2; rank++)
			weir_profile_add_input(profile, "trace")->trace =
				random_trace_on_grid(&seed, round < EXACT ? 1 : grids[round % 4]);
		check("trace", round, profile, true);
	}
}

/* ---- jobs ---- */

/* Ranks that meet in their steps. 0 of `slow`, `twice`, `without` and `alone` stands for none.
 */
struct shape {
	size_t ranks, steps;
	size_t first;    /* step of the first collective */
	size_t slow;     /* of each group of this many ranks, the last one is late */
	size_t twice;    /* of this many steps, the last one has a second collective */
	size_t without;  /* of this many steps, the last one has no collective */
	size_t alone;    /* of this many ranks, the last one has no collectives */
	bool whole_step; /* the collective is inside the annotation of a step */
};

struct job {
	struct shape shape;
	int64_t ready_ns[MOST_RANKS][2 * MOST_STEPS]; /* when a rank comes to a collective */
};

/* True if `number` is one of every `each`. */
static bool is_one_of(size_t number, size_t each)
{
	return each > 0 && number % each == each - 1;
}

static int64_t begin_of(size_t step)
{
	return (int64_t)step * PERIOD + (int64_t)(step * step * 7919 % 977) * 20;
}

static void draw_times(struct job *job, uint64_t *seed)
{
	for (size_t r = 0; r < job->shape.ranks; r++)
		for (size_t i = 0; i < 2 * job->shape.steps; i++)
			job->ready_ns[r][i] = begin_of(i / 2) + (i % 2 ? 110000 : 20000) +
			                      (int64_t)(next_number(seed) % 20000) +
			                      (is_one_of(r, job->shape.slow) ? 40000 : 0);
}

/* Returns the end of a collective: the transfer begins when the last rank is ready. */
static int64_t end_of(const struct job *job, size_t i)
{
	int64_t last_ns = 0;

	for (size_t r = 0; r < job->shape.ranks; r++)
		if (job->ready_ns[r][i] > last_ns)
			last_ns = job->ready_ns[r][i];
	return last_ns + TRANSFER;
}

static void add_meeting(struct make_trace *make, const struct job *job, size_t rank, size_t i)
{
	int64_t ready_ns = job->ready_ns[rank][i], begin_ns = begin_of(i / 2);
	int64_t call_ns = begin_ns + (i % 2 ? 100000 : 10);
	uint64_t id = (uint64_t)i * 2 + 1;

	make_host(make, WEIR_HOST_OP, 0, "aten::mm", call_ns, call_ns + 2000);
	make_call(make, 0, "cudaLaunchKernel", call_ns + 20, call_ns + 300, id);
	make_call(make, 0, "cudaLaunchKernel", call_ns + 2100, call_ns + 2300, id + 1);
	make_kernel(make, 0, "gemm", call_ns + 2500, ready_ns, id);
	make_kernel(make, 0, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", ready_ns, end_of(job, i),
	            id + 1);
}

/* Moves all rows, as a clock that is ahead does. */
static void move(struct weir_trace *trace, int64_t ns)
{
	for (size_t i = 0; i < trace->host.count; i++) {
		trace->host.start_ns[i] += ns;
		trace->host.end_ns[i] += ns;
	}
	for (size_t i = 0; i < trace->device.count; i++) {
		trace->device.start_ns[i] += ns;
		trace->device.end_ns[i] += ns;
	}
}

/* The clock of each rank is a little ahead of that of the one before. */
static struct weir_trace *trace_of(const struct job *job, size_t rank)
{
	const struct shape *shape = &job->shape;
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (size_t step = 0; step < shape->steps; step++) {
		char name[32];

		(void)snprintf(name, sizeof name, "ProfilerStep#%d", (int)step + 5);
		make_host(make, WEIR_HOST_ANNOTATION, 0, name, begin_of(step),
		          begin_of(step) + (shape->whole_step ? PERIOD - 30000 : 50000));
		if (step < shape->first || is_one_of(step, shape->without) ||
		    is_one_of(rank, shape->alone))
			continue;
		add_meeting(make, job, rank, 2 * step);
		if (is_one_of(step, shape->twice))
			add_meeting(make, job, rank, 2 * step + 1);
	}
	trace = make_trace_finish(make);
	move(trace, (int64_t)rank * 700);
	trace->base_ns = 1700000000000000000;
	trace->rank = (int64_t)rank;
	return trace;
}

static struct weir_profile *profile_of(const struct job *job)
{
	struct weir_profile *profile = weir_profile_new();

	for (size_t r = 0; r < job->shape.ranks; r++) {
		struct weir_input *input = weir_profile_add_input(profile, "rank");

		input->trace = trace_of(job, job->shape.ranks - 1 - r);
		if (job->shape.ranks > WEIR_DETAILED_RANKS)
			weir_input_pack(input);
	}
	return profile;
}

/* Ranks come in another order than their numbers; many of them are packed, as readers do. */
static void drawings_of_random_jobs_keep_every_figure(void **state)
{
	static const struct shape shapes[] = {
		{.ranks = 2, .steps = 12, .twice = 1, .whole_step = true},
		{.ranks = 3, .steps = 12, .slow = 3, .without = 5},
		{.ranks = 4, .steps = 40, .slow = 2, .twice = 3, .without = 4},
		{.ranks = 4, .steps = 41, .slow = 4, .first = 1, .whole_step = true},
		{.ranks = 4, .steps = 41, .slow = 4, .twice = 41},
		{.ranks = 5, .steps = 81, .twice = 2, .without = 3, .whole_step = true},
		{.ranks = 24, .steps = 8, .slow = 6},
		{.ranks = 25, .steps = 8, .slow = 5, .twice = 4},
		{.ranks = 52, .steps = 8, .slow = 4, .first = 2},
		{.ranks = 52, .steps = 8, .slow = 5, .alone = 2},
		{.ranks = 26, .steps = 8, .slow = 2, .alone = 3},
	};
	uint64_t seed = 67;

	(void)state;
	for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++) {
		struct job job = {.shape = shapes[j]};

		draw_times(&job, &seed);
		check("job", (int)j, profile_of(&job), job.shape.ranks <= 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawings_of_random_traces_keep_every_figure),
		cmocka_unit_test(drawings_of_random_jobs_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
