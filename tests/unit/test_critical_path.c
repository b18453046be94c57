/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path, instant by instant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

#define NCCL "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
	struct weir_path path;
};

static void find_path(const struct weir_analysis *analysis, size_t parts, struct weir_path *path)
{
	struct weir_path_search *search = weir_path_search_new(analysis, parts);

	for (size_t p = weir_path_search_parts(search); p-- > 0;)
		weir_path_search_walk(search, p);
	weir_path_search_end(search, path);
}

static void desk_open(struct desk *desk, struct weir_trace *const *traces, size_t count,
                      bool steady)
{
	struct weir_analysis_options options = {
		.steady = steady, .percentile = 0.95, .detail = true};
	struct weir_error err;

	desk->profile = weir_profile_new();
	for (size_t i = 0; i < count; i++)
		weir_profile_add_input(desk->profile, "trace")->trace = traces[i];
	assert_int_equal(weir_analysis_new(desk->profile, &options, &desk->analysis, &err),
	                 WEIR_OK);
	desk->report = weir_report_new(desk->profile);
	weir_analysis_report(desk->analysis, desk->report);
	find_path(desk->analysis, 1, &desk->path);
}

static void desk_close(struct desk *desk)
{
	weir_path_release(&desk->path);
	weir_report_free(desk->report);
	weir_analysis_free(desk->analysis);
	weir_profile_free(desk->profile);
}

/* ---- invariants of any trace ---- */

/* Checks that the path covers each window from start to end without a gap. */
static void assert_covers(const struct desk *desk)
{
	const struct weir_path *path = &desk->path;
	const struct weir_intervals *windows =
		&desk->analysis->ranks[path->rank].steps.windows[path->device];
	size_t at = 0;

	for (size_t w = 0; w < windows->count; w++) {
		int64_t now_ns = windows->items[w].start_ns;

		while (at < path->count && path->pieces[at].start_ns == now_ns &&
		       now_ns < windows->items[w].end_ns) {
			assert_true(path->pieces[at].end_ns > now_ns);
			now_ns = path->pieces[at++].end_ns;
		}
		assert_int_equal(now_ns, windows->items[w].end_ns);
	}
	assert_int_equal(at, path->count);
}

static void assert_adds_up(const struct desk *desk)
{
	const struct weir_critical_path *path = desk->report->critical_path;
	int64_t sum_ns = 0, stages_ns = 0, longest_ns = 0;

	/* The idle time between copies is unknown if kernels were not recorded. */
	assert_true(!path == weir_report_lacks_kernels(desk->report));
	if (!path)
		return;
	for (size_t r = 0; r < desk->analysis->rank_count; r++)
		for (size_t d = 0; d < desk->analysis->ranks[r].trace->device_count; d++)
			if (desk->analysis->ranks[r].activity[d].window_ns > longest_ns)
				longest_ns = desk->analysis->ranks[r].activity[d].window_ns;
	assert_int_equal(path->span_ns, longest_ns);
	for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
		sum_ns += path->ns[kind];
	assert_int_equal(sum_ns, path->span_ns);
	for (size_t i = 0; i < path->stage_count; i++) {
		int64_t stage_ns = 0;

		for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
			stage_ns += path->stages[i].ns[kind];
		assert_int_equal(stage_ns, path->stages[i].total_ns);
		assert_true(stage_ns > 0);
		stages_ns += stage_ns;
	}
	assert_true(stages_ns <= path->span_ns);
	for (size_t i = 0; i < path->item_count; i++) {
		assert_true(path->items[i].ns <= path->ns[path->items[i].kind]);
		assert_true(i == 0 || path->items[i].ns <= path->items[i - 1].ns);
	}
}

/* Checks that a path without pieces has the same sums as the pieces. */
static void assert_sums(const struct desk *desk)
{
	struct weir_analysis without = *desk->analysis;
	struct weir_path path, sums = desk->path;
	struct weir_path_sums again = {0};

	without.options.detail = false;
	find_path(&without, 1, &path);
	assert_null(path.pieces);
	assert_int_equal(path.sums.pieces, sums.count);
	for (size_t i = sums.count; i-- > 0;)
		weir_path_sums_add(&again, desk->analysis, &sums.pieces[i]);
	assert_memory_equal(path.sums.ns, again.ns, sizeof again.ns);
	assert_int_equal(path.sums.count, again.count);
	for (size_t i = 0; i < again.count; i++) {
		assert_int_equal(path.sums.items[i].rank, again.items[i].rank);
		assert_int_equal(path.sums.items[i].name, again.items[i].name);
		assert_int_equal(path.sums.items[i].kind, again.items[i].kind);
		assert_int_equal(path.sums.items[i].ns, again.items[i].ns);
		assert_int_equal(path.sums.items[i].count, again.items[i].count);
	}
	for (size_t r = 0; again.first && r < desk->analysis->rank_count; r++) {
		size_t stages = desk->analysis->ranks[r].steps.stage_count;

		assert_int_equal(path.sums.stages[r] == NULL, again.stages[r] == NULL);
		if (again.stages[r])
			assert_memory_equal(path.sums.stages[r], again.stages[r],
			                    stages * sizeof *again.stages[r]);
	}
	weir_path_sums_release(&again);
	weir_path_release(&path);
}

static void assert_same_sums(const struct weir_path_sums *sums,
                             const struct weir_path_sums *expected,
                             const struct weir_analysis *analysis)
{
	assert_int_equal(sums->pieces, expected->pieces);
	assert_memory_equal(sums->ns, expected->ns, sizeof expected->ns);
	assert_int_equal(sums->count, expected->count);
	for (size_t i = 0; i < expected->count; i++) {
		assert_int_equal(sums->items[i].name, expected->items[i].name);
		assert_int_equal(sums->items[i].kind, expected->items[i].kind);
		assert_int_equal(sums->items[i].ns, expected->items[i].ns);
		assert_int_equal(sums->items[i].count, expected->items[i].count);
	}
	for (size_t r = 0; expected->first && r < analysis->rank_count; r++)
		if (expected->stages[r])
			assert_memory_equal(sums->stages[r], expected->stages[r],
			                    analysis->ranks[r].steps.stage_count *
			                            sizeof *expected->stages[r]);
}

static void assert_same_path(const struct weir_path *path, const struct weir_path *expected)
{
	assert_int_equal(path->span_ns, expected->span_ns);
	assert_int_equal(path->approximate, expected->approximate);
	assert_int_equal(path->count, expected->count);
	for (size_t i = 0; i < expected->count; i++) {
		assert_int_equal(path->pieces[i].start_ns, expected->pieces[i].start_ns);
		assert_int_equal(path->pieces[i].end_ns, expected->pieces[i].end_ns);
		assert_int_equal(path->pieces[i].name, expected->pieces[i].name);
		assert_int_equal(path->pieces[i].span, expected->pieces[i].span);
		assert_int_equal(path->pieces[i].kind, expected->pieces[i].kind);
	}
}

/* Walks the path of random traces in parts, whose walks are joined or, if they do not meet,
 * dropped.
 */
static void a_path_in_parts_is_the_path_in_one(void **state)
{
	uint64_t seed = 78;
	size_t divided = 0;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct weir_trace *trace = random_trace(&seed);
		struct desk desk;

		desk_open(&desk, &trace, 1, round % 2);
		for (size_t parts = 2; parts < 9; parts += 3) {
			struct weir_path_search *search =
				weir_path_search_new(desk.analysis, parts);
			struct weir_path path;

			divided += weir_path_search_parts(search) > 1;
			for (size_t p = weir_path_search_parts(search); p-- > 0;)
				weir_path_search_walk(search, p);
			weir_path_search_end(search, &path);
			assert_same_path(&path, &desk.path);
			assert_same_sums(&path.sums, &desk.path.sums, desk.analysis);
			weir_path_release(&path);
		}
		desk_close(&desk);
	}
	assert_true(divided > 200);
}

static void every_nanosecond_of_any_trace_has_one_cause(void **state)
{
	uint64_t seed = 77;
	size_t walked = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct weir_trace *traces[3];
		size_t count = 1 + (size_t)(next_number(&seed) % 3);
		struct desk desk;

		for (size_t i = 0; i < count; i++)
			traces[i] = random_trace(&seed);
		desk_open(&desk, traces, count, round % 2);
		if (desk.path.rank != WEIR_NONE) {
			assert_covers(&desk);
			assert_adds_up(&desk);
			assert_sums(&desk);
			walked++;
		} else {
			assert_null(desk.report->critical_path);
		}
		desk_close(&desk);
	}
	assert_true(walked > 200);
}

/* Checks that a slice begins inside the open slices and ends no later. */
static void assert_nested(const struct weir_detail *detail, size_t *open_most)
{
	int64_t open_ns[512];
	size_t open = 0;

	for (size_t i = 0; i < detail->span_count; i++) {
		const struct weir_detail_span *span = &detail->spans[i];

		assert_true(span->track < detail->track_count);
		assert_true(span->start_ns <= span->end_ns);
		if (i == 0 || span->track != span[-1].track)
			open = 0;
		else
			assert_true(span->start_ns >= span[-1].start_ns);
		while (open > 0 && open_ns[open - 1] <= span->start_ns)
			open--;
		assert_true(open == 0 || span->end_ns <= open_ns[open - 1]);
		if (detail->tracks[span->track].kind == WEIR_DETAIL_PATH)
			assert_int_equal(open, 0);
		assert_true(open < sizeof open_ns / sizeof *open_ns);
		open_ns[open++] = span->end_ns;
		*open_most = open > *open_most ? open : *open_most;
	}
}

static void slices_of_a_track_nest_and_those_of_the_path_follow_each_other(void **state)
{
	uint64_t seed = 4;
	size_t open_most = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct weir_trace *traces[2] = {random_trace(&seed), random_trace(&seed)};
		struct desk desk;

		desk_open(&desk, traces, 2, round % 2);
		assert_nested(desk.report->detail, &open_most);
		desk_close(&desk);
	}
	assert_true(open_most > 1);
}

static void work_that_overlaps_on_its_stream_is_drawn_beside_it(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_detail *detail;
	struct weir_trace *trace;
	struct desk desk;
	size_t beside = 0, open_most = 0;

	(void)state;
	make_kernel(make, 0, "first", 0, 1000, 0);
	make_kernel(make, 0, "second", 940, 2000, 0);
	make_kernel(make, 0, "third", 2000, 3000, 0);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, false);
	detail = desk.report->detail;
	assert_nested(detail, &open_most);
	for (size_t i = 0; i < detail->span_count; i++) {
		const char *track = detail->tracks[detail->spans[i].track].name;

		if (!strstr(track, "overlapping"))
			continue;
		assert_string_equal(detail->spans[i].name, "second");
		assert_int_equal(detail->spans[i].end_ns - detail->spans[i].start_ns, 1060);
		beside++;
	}
	assert_int_equal(beside, 1);
	desk_close(&desk);
}

/* ---- edges ---- */

struct expected {
	int64_t start_ns, end_ns;
	enum weir_path_kind kind;
	const char *name; /* NULL: none */
};

static void assert_path(const struct desk *desk, const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < count && i < desk->path.count; i++) {
		const struct weir_path_piece *piece = &desk->path.pieces[i];
		const char *name = weir_path_piece_name(desk->analysis, piece);

		assert_int_equal(piece->start_ns, expected[i].start_ns);
		assert_int_equal(piece->end_ns, expected[i].end_ns);
		assert_string_equal(weir_path_kind_name((enum weir_path_kind)piece->kind),
		                    weir_path_kind_name(expected[i].kind));
		if (expected[i].name)
			assert_string_equal(name, expected[i].name);
		else
			assert_null(name);
	}
	assert_int_equal(desk->path.count, count);
}

#define ASSERT_PATH(desk, expected)                                                                \
	assert_path(desk, expected, sizeof(expected) / sizeof *(expected))

static void a_late_launch_leads_through_the_host(void **state)
{
	static const struct expected expected[] = {
		{200, 1000, WEIR_PATH_HOST_OP, "aten::mm"},
		{1000, 1400, WEIR_PATH_HOST_OP, NULL},
		{1400, 2000, WEIR_PATH_HOST_OP, "aten::add"},
		{2000, 2100, WEIR_PATH_LAUNCH, "cudaLaunchKernel"},
		{2100, 2500, WEIR_PATH_COMPUTE, "aten::add"},
	};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", 0, 3000);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 10, 1000);
	make_call(make, 0, "cudaLaunchKernel", 100, 150, 1);
	make_kernel(make, 0, "gemm", 200, 900, 1);
	make_host(make, WEIR_HOST_OP, 0, "aten::add", 1400, 2060);
	make_call(make, 0, "cudaLaunchKernel", 2000, 2050, 2);
	make_kernel(make, 0, "add", 2100, 2500, 2);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, false);
	ASSERT_PATH(&desk, expected);
	assert_true(desk.path.approximate);
	assert_string_equal(desk.report->critical_path->class_name, "host");
	desk_close(&desk);
}

static void a_wait_has_no_weight_except_its_return(void **state)
{
	static const struct expected expected[] = {
		{100, 5000, WEIR_PATH_COMPUTE, "gemm"},
		{5000, 5200, WEIR_PATH_KERNEL_GAP, NULL},
		{5200, 9000, WEIR_PATH_COMPUTE, "gemm"},
		{9000, 9300, WEIR_PATH_HOST_API, "cudaStreamSynchronize"},
		{9300, 9500, WEIR_PATH_HOST_OP, "aten::item"},
		{9500, 9600, WEIR_PATH_LAUNCH, "cudaLaunchKernel"},
		{9600, 9700, WEIR_PATH_COMPUTE, "aten::item"},
	};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_call(make, 0, "cudaLaunchKernel", 50, 60, 1);
	make_kernel(make, 0, "gemm", 100, 5000, 1);
	make_call(make, 0, "cudaLaunchKernel", 70, 80, 2);
	make_kernel(make, 0, "gemm", 5200, 9000, 2);
	make_host(make, WEIR_HOST_OP, 0, "aten::item", 100, 9800);
	make_call(make, 0, "cudaStreamSynchronize", 150, 9300, 0);
	make_call(make, 0, "cudaLaunchKernel", 9500, 9550, 3);
	make_kernel(make, 0, "copy", 9600, 9700, 3);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, false);
	ASSERT_PATH(&desk, expected);
	desk_close(&desk);
}

static void a_replay_has_one_launch(void **state)
{
	static const struct expected expected[] = {
		{100, 900, WEIR_PATH_IDLE, NULL}, /* its host does nothing */
		{900, 1000, WEIR_PATH_LAUNCH, "cudaGraphLaunch"},
		{1000, 2000, WEIR_PATH_COMPUTE, "a"},
		{2000, 2300, WEIR_PATH_KERNEL_GAP, NULL},
		{2300, 3300, WEIR_PATH_COMPUTE, "b"},
	};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_call(make, 0, "cudaLaunchKernel", 40, 50, 1);
	make_kernel(make, 0, "before", 100, 200, 1);
	make_call(make, 0, "cudaGraphLaunch", 900, 950, 2);
	/* b follows a on another stream. */
	make_device(make, &(struct make_device_row){.name = "a",
	                                            .stream = 1,
	                                            .start_ns = 1000,
	                                            .end_ns = 2000,
	                                            .correlation = 2,
	                                            .flags = WEIR_DEVICE_IN_GRAPH});
	make_device(make, &(struct make_device_row){.name = "b",
	                                            .start_ns = 2300,
	                                            .end_ns = 3300,
	                                            .correlation = 2,
	                                            .flags = WEIR_DEVICE_IN_GRAPH});
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, false);
	ASSERT_PATH(&desk, expected);
	desk_close(&desk);
}

/* Stream 1 waits for the work submitted to stream 0 up to correlation 2, which ends long before the
 * waiting work begins. */
static struct weir_trace *two_streams(bool recorded)
{
	const struct weir_sync_event wait = {.start_ns = 90,
	                                     .end_ns = 95,
	                                     .stream = 1,
	                                     .wait_on_stream = 0,
	                                     .correlation = 3,
	                                     .wait_on_correlation = 2};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	make_call(make, 0, "cudaLaunchKernel", 50, 60, 1);
	make_kernel(make, 0, "producer", 100, 8000, 1);
	make_call(make, 0, "cudaStreamWaitEvent", 89, 96, 3);
	make_call(make, 0, "cudaLaunchKernel", 100, 110, 4);
	make_kernel(make, 1, "consumer", 28000, 30000, 4);
	make_call(make, 0, "cudaLaunchKernel", 120, 130, 5);
	make_kernel(make, 0, "unrelated", 8000, 27000, 5);
	trace = make_trace_finish(make);
	if (recorded) {
		trace->syncs = weir_grow(NULL, &trace->sync_capacity, 1, sizeof *trace->syncs);
		trace->syncs[0] = wait;
		trace->syncs[0].kind_name = weir_names_add(trace->names, "Stream Wait Event", 17);
		trace->sync_count = 1;
	}
	return trace;
}

static void records_show_the_work_a_stream_waited_for(void **state)
{
	static const struct expected recorded[] = {
		{100, 8000, WEIR_PATH_COMPUTE, "producer"},
		{8000, 28000, WEIR_PATH_KERNEL_GAP, NULL},
		{28000, 30000, WEIR_PATH_COMPUTE, "consumer"},
	};
	static const struct expected guessed[] = {
		{100, 8000, WEIR_PATH_COMPUTE, "producer"},
		{8000, 27000, WEIR_PATH_COMPUTE, "unrelated"},
		{27000, 28000, WEIR_PATH_KERNEL_GAP, NULL},
		{28000, 30000, WEIR_PATH_COMPUTE, "consumer"},
	};
	struct weir_trace *trace = two_streams(true);
	struct desk desk;

	(void)state;
	desk_open(&desk, &trace, 1, false);
	assert_false(desk.path.approximate);
	ASSERT_PATH(&desk, recorded);
	desk_close(&desk);
	trace = two_streams(false);
	desk_open(&desk, &trace, 1, false);
	assert_true(desk.path.approximate);
	ASSERT_PATH(&desk, guessed);
	desk_close(&desk);
}

static void input_loading_and_copies_have_separate_kinds(void **state)
{
	static const struct expected expected[] = {
		{100, 9000, WEIR_PATH_INPUT, "torch/utils/data/fetch.py(3): fetch"},
		{9000, 9100, WEIR_PATH_LAUNCH, "cudaMemcpyAsync"},
		{9100, 9500, WEIR_PATH_MEMCPY, "Memcpy HtoD (Pinned -> Device)"},
	};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_call(make, 0, "cudaLaunchKernel", 40, 50, 1);
	make_kernel(make, 0, "gemm", 100, 200, 1);
	make_host(make, WEIR_HOST_PYTHON, 0, "torch/utils/data/fetch.py(3): fetch", 60, 9050);
	make_call(make, 0, "cudaMemcpyAsync", 9000, 9040, 2);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy HtoD (Pinned -> Device)",
	                                            .start_ns = 9100,
	                                            .end_ns = 9500,
	                                            .correlation = 2});
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, false);
	ASSERT_PATH(&desk, expected);
	desk_close(&desk);
}

/* ---- ranks ---- */

/* Steps of 100 us that end with a collective and a host wait for it; the host of the late rank
 * launches 40 us later. */
static struct weir_trace *member(bool late)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int64_t i = 0; i < 12; i++) {
		int64_t begin_ns = i * 100000 + i * i * 7919 % 977 * 20;
		int64_t start_ns = begin_ns + (late ? 40000 : 0);
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(make, WEIR_HOST_OP, 0, "aten::mm", begin_ns - 200, start_ns - 10);
		make_call(make, 0, "cudaLaunchKernel", start_ns - 100, start_ns - 90, id);
		make_call(make, 0, "cudaLaunchKernel", start_ns - 80, start_ns - 70, id + 1);
		make_call(make, 0, "cudaStreamSynchronize", start_ns, begin_ns + 61100, 0);
		make_kernel(make, 0, "gemm", start_ns, start_ns + 20000, id);
		make_kernel(make, 0, NCCL, start_ns + 20000, begin_ns + 61000, id + 1);
	}
	trace = make_trace_finish(make);
	trace->base_ns = 1700000000000000000;
	return trace;
}

static void a_collective_leads_to_the_rank_that_came_last(void **state)
{
	struct weir_trace *traces[2] = {member(false), member(true)};
	const struct weir_critical_path *path;
	struct desk desk;
	size_t elsewhere = 0;

	(void)state;
	desk_open(&desk, traces, 2, false);
	path = desk.report->critical_path;
	assert_int_equal(desk.path.rank, 0);
	assert_covers(&desk);
	for (size_t i = 0; i < desk.path.count; i++)
		elsewhere += desk.path.pieces[i].rank == 1;
	assert_true(elsewhere > 12);
	/* 12 transfers of 1 us: the rest of rank 0's time in collectives is due to rank 1's host.
	 */
	assert_int_equal(path->ns[WEIR_PATH_COMMUNICATION], 12000);
	assert_true(path->ns[WEIR_PATH_HOST_OP] > INT64_C(11) * 39000);
	desk_close(&desk);
}

/* The straggler changes in the middle, so that the path runs through both hosts. */
static void one_name_on_two_ranks_is_one_item(void **state)
{
	struct weir_trace *traces[2];
	const struct weir_critical_path *path;
	struct desk desk;
	size_t gemms = 0;

	(void)state;
	for (int64_t r = 0; r < 2; r++) {
		struct make_trace *make = make_trace_new();

		for (int64_t i = 0; i < 12; i++) {
			int64_t begin_ns = i * 100000 + i * i * 7919 % 977 * 20;
			int64_t start_ns = begin_ns + ((i < 6) == (r == 0) ? 40000 : 0);
			uint64_t id = (uint64_t)i * 2 + 1;

			make_call(make, 0, "cudaLaunchKernel", start_ns - 100, start_ns - 90, id);
			make_call(make, 0, "cudaLaunchKernel", start_ns - 80, start_ns - 70,
			          id + 1);
			make_call(make, 0, "cudaStreamSynchronize", start_ns, begin_ns + 61100, 0);
			make_kernel(make, 0, "gemm", start_ns, start_ns + 20000, id);
			make_kernel(make, 0, NCCL, start_ns + 20000, begin_ns + 61000, id + 1);
		}
		traces[r] = make_trace_finish(make);
		traces[r]->base_ns = 1700000000000000000;
	}
	desk_open(&desk, traces, 2, false);
	path = desk.report->critical_path;
	for (size_t i = 0; i < path->item_count; i++) {
		if (strcmp(path->items[i].name, "gemm") != 0)
			continue;
		gemms++;
		assert_int_equal(path->items[i].count, 12);
		assert_int_equal(path->items[i].ns, 12 * 20000);
	}
	assert_int_equal(gemms, 1);
	desk_close(&desk);
}

static void most_of_the_path_and_a_margin_make_its_class(void **state)
{
	int64_t ns[WEIR_PATH_KIND_COUNT] = {0};

	(void)state;
	ns[WEIR_PATH_HOST_OP] = 300;
	ns[WEIR_PATH_LAUNCH] = 250;
	ns[WEIR_PATH_COMPUTE] = 395;
	ns[WEIR_PATH_IDLE] = 55;
	assert_string_equal(weir_path_class(ns), "host"); /* 55 % against 39.5 % */
	ns[WEIR_PATH_COMPUTE] = 410;
	ns[WEIR_PATH_IDLE] = 40;
	assert_string_equal(weir_path_class(ns), "mixed"); /* 14 points */
	ns[WEIR_PATH_COMPUTE] = 0;
	ns[WEIR_PATH_MEMORY] = 200;
	ns[WEIR_PATH_MEMCPY] = 200;
	ns[WEIR_PATH_IDLE] = 160;
	assert_string_equal(weir_path_class(ns), "mixed"); /* 49.5 % */
}

static void a_copy_that_blocks_leads_to_the_device(void **state)
{
	static const struct expected expected[] = {
		{100, 5000, WEIR_PATH_COMPUTE, "gemm"},
		{5000, 5100, WEIR_PATH_KERNEL_GAP, NULL},
		{5100, 5300, WEIR_PATH_MEMCPY, "aten::item"},
		{5300, 5400, WEIR_PATH_HOST_API, "cudaMemcpyAsync"},
		{5400, 5500, WEIR_PATH_HOST_OP, "aten::item"},
		{5500, 5600, WEIR_PATH_LAUNCH, "cudaLaunchKernel"},
		{5600, 5700, WEIR_PATH_COMPUTE, "aten::item"},
	};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_call(make, 0, "cudaLaunchKernel", 50, 60, 1);
	make_kernel(make, 0, "gemm", 100, 5000, 1);
	make_host(make, WEIR_HOST_OP, 0, "aten::item", 140, 5800);
	make_call(make, 0, "cudaMemcpyAsync", 150, 5400, 2);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy DtoH (Device -> Pageable)",
	                                            .start_ns = 5100,
	                                            .end_ns = 5300,
	                                            .correlation = 2});
	make_call(make, 0, "cudaLaunchKernel", 5500, 5550, 3);
	make_kernel(make, 0, "last", 5600, 5700, 3);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, false);
	ASSERT_PATH(&desk, expected);
	desk_close(&desk);
}

/* Two pieces of work overlap on one stream. The longer one ends just before the next begins, but
 * work of one stream starts in order: it is no dependency. */
static void work_of_the_same_stream_is_no_dependency(void **state)
{
	static const struct expected same[] = {
		{100, 400, WEIR_PATH_IDLE, NULL}, /* its host does nothing */
		{400, 50000, WEIR_PATH_LAUNCH, "cudaLaunchKernel"},
		{50000, 51000, WEIR_PATH_COMPUTE, "next"},
	};
	static const struct expected other[] = {
		{100, 49000, WEIR_PATH_COMPUTE, "long"},
		{49000, 50000, WEIR_PATH_KERNEL_GAP, NULL},
		{50000, 51000, WEIR_PATH_COMPUTE, "next"},
	};

	(void)state;
	for (uint32_t stream = 0; stream < 2; stream++) {
		struct make_trace *make = make_trace_new();
		struct weir_trace *trace;
		struct desk desk;

		make_call(make, 0, "cudaLaunchKernel", 50, 60, 1);
		make_kernel(make, stream, "long", 100, 49000, 1);
		make_call(make, 0, "cudaLaunchKernel", 70, 80, 2);
		make_kernel(make, 0, "short", 200, 300, 2);
		make_call(make, 0, "cudaLaunchKernel", 400, 410, 3);
		make_kernel(make, 0, "next", 50000, 51000, 3);
		trace = make_trace_finish(make);
		desk_open(&desk, &trace, 1, false);
		assert_path(&desk, stream == 1 ? other : same, 3);
		desk_close(&desk);
	}
}

/* Work is queued behind short work of its stream, but starts late. The other kernel, of another
 * stream, runs until shortly after that, or ends long before it; or another device runs it. */
static void queued_work_waits_for_what_holds_its_device(void **state)
{
	static const struct {
		int64_t other_end_ns;
		uint16_t device;
		struct expected expected[3];
	} cases[] = {
		{49001,
	         0,
	         {{100, 49000, WEIR_PATH_COMPUTE, "other"},
	          {49000, 51000, WEIR_PATH_COMPUTE, "next"}}},
		{39000,
	         0,
	         {{100, 39000, WEIR_PATH_COMPUTE, "other"},
	          {39000, 49000, WEIR_PATH_KERNEL_GAP, NULL},
	          {49000, 51000, WEIR_PATH_COMPUTE, "next"}}},
		{38999,
	         0,
	         {{100, 38999, WEIR_PATH_COMPUTE, "other"},
	          {38999, 49000, WEIR_PATH_IDLE, NULL},
	          {49000, 51000, WEIR_PATH_COMPUTE, "next"}}},
		{49001,
	         1,
	         {{100, 20300, WEIR_PATH_COMPUTE, "short"},
	          {20300, 49000, WEIR_PATH_IDLE, NULL},
	          {49000, 51000, WEIR_PATH_COMPUTE, "next"}}},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct make_trace *make = make_trace_new();
		struct make_device_row other = {.kind = WEIR_DEVICE_KERNEL,
		                                .name = "other",
		                                .start_ns = 100,
		                                .end_ns = cases[i].other_end_ns,
		                                .device = cases[i].device,
		                                .stream = 7,
		                                .correlation = 1};
		struct weir_trace *trace;
		struct desk desk;

		make_call(make, 0, "cudaLaunchKernel", 50, 60, 1);
		make_device(make, &other);
		make_call(make, 0, "cudaLaunchKernel", 70, 80, 2);
		make_kernel(make, 0, "short", 100, 20300, 2);
		make_call(make, 0, "cudaLaunchKernel", 90, 95, 3);
		make_kernel(make, 0, "next", 49000, 51000, 3);
		trace = make_trace_finish(make);
		desk_open(&desk, &trace, 1, false);
		assert_path(&desk, cases[i].expected, cases[i].expected[2].name ? 3 : 2);
		desk_close(&desk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_in_parts_is_the_path_in_one),
		cmocka_unit_test(every_nanosecond_of_any_trace_has_one_cause),
		cmocka_unit_test(slices_of_a_track_nest_and_those_of_the_path_follow_each_other),
		cmocka_unit_test(work_that_overlaps_on_its_stream_is_drawn_beside_it),
		cmocka_unit_test(a_late_launch_leads_through_the_host),
		cmocka_unit_test(a_wait_has_no_weight_except_its_return),
		cmocka_unit_test(a_replay_has_one_launch),
		cmocka_unit_test(records_show_the_work_a_stream_waited_for),
		cmocka_unit_test(input_loading_and_copies_have_separate_kinds),
		cmocka_unit_test(a_collective_leads_to_the_rank_that_came_last),
		cmocka_unit_test(one_name_on_two_ranks_is_one_item),
		cmocka_unit_test(most_of_the_path_and_a_margin_make_its_class),
		cmocka_unit_test(a_copy_that_blocks_leads_to_the_device),
		cmocka_unit_test(work_of_the_same_stream_is_no_dependency),
		cmocka_unit_test(queued_work_waits_for_what_holds_its_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
