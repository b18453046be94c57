/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"

enum { GPU_ACTIVE, IDLE_LATE, KERNEL_P50, KERNELS_A_STEP, GRAPHS, FEATURES };

static const struct weir_feature feature_rows[FEATURES] = {
	[GPU_ACTIVE] = {"gpu_active", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                        "share of time with device work", NULL},
	[IDLE_LATE] = {"idle_host_late", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                       "share of time that waits for the host", NULL},
	[KERNEL_P50] = {"kernel_p50_ns", WEIR_UNIT_NS, WEIR_FOR_PROFILE, "median kernel", NULL},
	[KERNELS_A_STEP] = {"kernels_per_step", WEIR_UNIT_COUNT, WEIR_FOR_PROFILE, "kernels a step",
                            NULL},
	[GRAPHS] = {"has_graphs", WEIR_UNIT_FLAG, WEIR_FOR_PROFILE, "any graph replay", NULL},
};

static const struct weir_feature_table feature_table = {feature_rows, FEATURES};

static struct weir_distribution spread(uint64_t count, double p50_ns)
{
	return (struct weir_distribution){.count = count,
	                                  .total_ns = p50_ns * (double)count,
	                                  .p50_ns = p50_ns,
	                                  .p90_ns = p50_ns * 1.12,
	                                  .p95_ns = p50_ns * 1.21,
	                                  .p99_ns = p50_ns * 1.46};
}

static struct weir_verdict bound_to(enum weir_bound bound, const char *cause)
{
	return (struct weir_verdict){
		.bound = bound, .cause = cause, .share = NAN, .runner_up_share = NAN};
}

static void add_clause(struct weir_verdict *verdict, const char *clause, const char *feature,
                       double value)
{
	verdict->evidence[verdict->evidence_count++] = (struct weir_evidence){
		.clause = clause,
		.truth = WEIR_TRUE,
		.reading_count = 1,
		.readings = {{feature, value}},
	};
}

static void fill_verdict(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	struct weir_evidence *last;

	*verdict = bound_to(WEIR_BOUND_RUNTIME, "host-dispatch");
	verdict->rule = "runtime/host-dispatch";
	verdict->confidence = WEIR_CONFIDENCE_HIGH;
	verdict->share = 0.862;
	verdict->has_runner_up = true;
	verdict->runner_up = WEIR_BOUND_MEMORY;
	verdict->runner_up_share = 0.121;
	verdict->headline = "the GPU waits for the host {idle_host_late} of the time";
	verdict->next = "capture the decode step in a CUDA graph, {kernels_per_step} kernels "
			"become one launch";
	add_clause(verdict, "gpu_active < 0.60", "gpu_active", 0.1334);
	add_clause(verdict, "idle_host_late > 0.50", "idle_host_late", 0.864);
	add_clause(verdict, "kernel_p50_ns < 10000", "kernel_p50_ns", 2612);
	add_clause(verdict, "kernels_per_step > 100", "kernels_per_step", 243);
	add_clause(verdict, "kernels_per_step * gpu_active > 5 OR has_graphs", "kernels_per_step",
	           243);
	last = &verdict->evidence[verdict->evidence_count - 1];
	last->reading_count = 2;
	last->readings[1] = (struct weir_reading){"gpu_active", 0.1334};
}

static void fill_profile(struct weir_report *report, struct weir_profile *profile)
{
	struct weir_input *input =
		weir_profile_add_input(profile, "runs/decode-3.pt.trace.json.gz");

	input->format = "kineto";
	input->bytes = 1204113;
	input->events = 41206;
	input->trace = weir_trace_new();
	input->warnings[WEIR_WARN_TRUNCATED] =
		(struct weir_warning){.count = 1, .first_at = 11930113};
	input->warnings[WEIR_WARN_SKIPPED_EVENT] =
		(struct weir_warning){.count = 1204, .first_at = 88120, .detail = "ts is text"};
	report->devices = weir_arena_alloc(report->arena, sizeof(*report->devices));
	report->devices[0] = (struct weir_device_summary){"NVIDIA H200", 1};
	report->device_count = 1;
	report->rank_count = 1;
	report->iteration_count = 30;
	report->iteration = spread(30, 3352410);
	report->span_ns = 101883004;
	report->steady = true;
}

static void fill_launching(struct weir_report *report)
{
	static struct weir_launch_row launches[] = {{.api = "cudaLaunchKernel",
	                                             .work = "elementwise",
	                                             .count = 4890,
	                                             .early = 3,
	                                             .call = {5100, 7210, 12044, 88123},
	                                             .delay = {2210, 2602, 3551, -12},
	                                             .queue = {2210, 2602, 3551, 9004}}};
	struct weir_gpu_figures *gpu = &report->gpu;

	gpu->idle_cause[WEIR_IDLE_DISPATCH] = (struct weir_idle_cause){
		.names = {{"aten::mm", "aten::linear", 2400, 0.31},
	                  {"aten::empty", NULL, 990, 0.02}},
		.name_count = 2,
		.total_ns = 72336933,
	};
	gpu->idle_cause[WEIR_IDLE_PYTHON] =
		(struct weir_idle_cause){.names = {{"decode.py(7): step", NULL, 2401, 0.11}},
	                                 .name_count = 1,
	                                 .total_ns = 1};
	gpu->inter_kernel_limit_ns = 10000;
	gpu->queue = (struct weir_queue_figures){.waiting = {0.24, 0, 1, 12},
	                                         .in_flight = {0.37, 0, 1, 13},
	                                         .starved_share = 0.75,
	                                         .launches = 7290,
	                                         .full_launches = 2};
	gpu->launches = launches;
	gpu->launch_count = 1;
	gpu->waits = (struct weir_host_waits){.sync_share = 0.0712,
	                                      .launch_call_share = 1.26,
	                                      .syncs = 60,
	                                      .blocking_copies = 1,
	                                      .scalar_reads = 30};
}

static void fill_memory(struct weir_report *report)
{
	static struct weir_memory_device devices[2];
	struct weir_memory_device device = {.rank = 0,
	                                    .device_id = 0,
	                                    .peak_allocated_bytes = 65713209344.0,
	                                    .peak_reserved_bytes = 66571993088.0,
	                                    .fragmentation = 0.013,
	                                    .leak_bytes_per_step = NAN,
	                                    .allocations_per_step = 132.5,
	                                    .used_share = 0.4416};

	devices[0] = devices[1] = device;
	devices[1].rank = -1;
	devices[1].device_id = 3;
	devices[1].peak_reserved_bytes = NAN;
	report->has_memory = true;
	report->memory = (struct weir_memory_figures){.largest = device,
	                                              .devices = devices,
	                                              .device_count = 2,
	                                              .allocator_calls = 31,
	                                              .allocator_share = 0.021,
	                                              .allocator_of_late = 0.018,
	                                              .slow_allocations = 2,
	                                              .slow_allocation_ns = 2510000,
	                                              .slow_share = 0.0246};
}

static void fill_gpu(struct weir_report *report)
{
	struct weir_gpu_figures *gpu = &report->gpu;

	report->has_gpu = true;
	*gpu = (struct weir_gpu_figures){.window_ns = 101883004,
	                                 .active = 0.1334,
	                                 .idle = 0.8666,
	                                 .compute = 0.121,
	                                 .communication = 0,
	                                 .exposed_communication = 0,
	                                 .memcpy = 0.0124,
	                                 .exposed_memcpy = 0.0119,
	                                 .kernel_p50_ns = 2612,
	                                 .kernels = 7290,
	                                 .launch = {4180, 5210, 11903},
	                                 .graph_share = 0,
	                                 .mfu = 0.021,
	                                 .mbu = 0.109,
	                                 .modelled_share = 0.91};
	gpu->idle_share[WEIR_IDLE_DISPATCH] = 0.71;
	gpu->idle_share[WEIR_IDLE_PYTHON] = 0.14;
	gpu->idle_share[WEIR_IDLE_LAUNCH_LATENCY] = 0.012;
	gpu->idle_share[WEIR_IDLE_OTHER] = 0.0046;
	report->attribution.ns[WEIR_BOUND_RUNTIME] = 87823149;
	report->attribution.ns[WEIR_BOUND_MEMORY] = 12327843;
	report->attribution.ns[WEIR_BOUND_KERNEL] = 1018830;
	report->attribution.ns[WEIR_BOUND_UNDETERMINED] = 713182;
	report->attribution.total_ns = 101883004;
	fill_launching(report);
	fill_memory(report);
}

static void fill_stages(struct weir_report *report)
{
	static const double offsets[] = {0, 1, 1, 2,  2, 2,  2, 3, 3, 3, 4,
	                                 4, 5, 9, 10, 9, 11, 2, 2, 3, 1, 30};
	enum { SAMPLES = sizeof(offsets) / sizeof(offsets[0]) };
	struct weir_stage_row *rows = weir_arena_alloc(report->arena, 2 * sizeof(*rows));

	rows[0] = (struct weir_stage_row){.name = "decode",
	                                  .kind = "compute",
	                                  .duration = spread(SAMPLES, 3352410),
	                                  .share = 0.982,
	                                  .p95_share = 0.991,
	                                  .verdict = bound_to(WEIR_BOUND_RUNTIME, "host-dispatch")};
	rows[0].duration_ns = weir_arena_alloc(report->arena, SAMPLES * sizeof(double));
	for (size_t i = 0; i < SAMPLES; i++)
		rows[0].duration_ns[i] = 3200000 + offsets[i] * 100000;
	rows[1] = (struct weir_stage_row){.name = "sample",
	                                  .kind = "postprocess",
	                                  .duration = spread(30, 61200),
	                                  .share = 0.018,
	                                  .p95_share = 0.009,
	                                  .verdict = bound_to(WEIR_BOUND_UNDETERMINED, NULL)};
	rows[1].duration.p99_ns = NAN;
	report->stages = rows;
	report->stage_count = 2;
}

static struct weir_operator_row make_operator(const char *name, const char *kernel, uint64_t count,
                                              double p50_ns, enum weir_bound bound)
{
	return (struct weir_operator_row){.name = name,
	                                  .kernel = kernel,
	                                  .stage = "decode",
	                                  .device = "NVIDIA H200",
	                                  .kind = "gemm",
	                                  .call = spread(count, p50_ns),
	                                  .share = p50_ns * (double)count / 46e6,
	                                  .calls_per_iteration = 80,
	                                  .host_self_ns = NAN,
	                                  .host_total_ns = NAN,
	                                  .flops = NAN,
	                                  .bytes = NAN,
	                                  .tflops = NAN,
	                                  .gbps = NAN,
	                                  .roofline = WEIR_ROOFLINE_LATENCY,
	                                  .efficiency = NAN,
	                                  .verdict = bound_to(bound, NULL)};
}

static void fill_operators(struct weir_report *report)
{
	enum { ROWS = 14 };
	struct weir_operator_row *rows = weir_arena_alloc(report->arena, ROWS * sizeof(*rows));

	rows[0] = make_operator("aten::mm", "nvjet_tst_64x8_64x16_4x1_v_bz_TNT", 2400, 11200,
	                        WEIR_BOUND_MEMORY);
	rows[0].flops = 33554432;
	rows[0].bytes = 33570816;
	rows[0].tflops = 2.996;
	rows[0].gbps = 3888.21;
	rows[0].roofline = WEIR_ROOFLINE_MEMORY;
	rows[0].efficiency = 0.81;
	rows[1] = make_operator("aten::_scaled_dot_product_flash_attention",
	                        "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, "
	                        "64, 128, 4, false>>",
	                        960, 6100, WEIR_BOUND_KERNEL);
	rows[1].roofline = WEIR_ROOFLINE_INEFFICIENT;
	rows[1].efficiency = 0.034;
	for (int i = 2; i < ROWS; i++) {
		rows[i] = make_operator(weir_arena_format(report->arena, "aten::elementwise_%d", i),
		                        "void at::native::vectorized_elementwise_kernel<4, "
		                        "at::native::BUnaryFunctor>",
		                        900, 2400.0 - i * 100,
		                        i % 2 ? WEIR_BOUND_RUNTIME : WEIR_BOUND_UNDETERMINED);
	}
	rows[2].roofline = WEIR_ROOFLINE_UNKNOWN;
	report->operators = rows;
	report->operator_count = ROWS;
}

static struct weir_recommendation recommend_graph(void)
{
	static const struct weir_fix_place places[] = {
		{"aten::mm", "[[8, 4096], [4096, 4096]]", "[\"float\", \"float\"]", "sgemm",
	         "decode", "model.py(12): forward", 410000, 0.05, 96},
		{NULL, NULL, NULL, "fill", NULL, NULL, 20000, NAN, 1},
	};
	static const struct weir_need needs[] = {
		{"a step without synchronisation", "remove-syncs", WEIR_NEED_NOT_MET},
		{"the same kernels in each step", NULL, WEIR_NEED_UNKNOWN},
	};

	return (struct weir_recommendation){
		.id = "cuda-graph",
		.title = "capture the decode step in a CUDA graph",
		.why = "243 kernels of 2.61 us are launched one by one, and "
		       "each launch costs the "
		       "host longer than the kernel runs",
		.effort = "days",
		.low = 1.5,
		.high = 2.3,
		.limit = 7.25,
		.how = "torch.compile(model, mode=\"reduce-overhead\")",
		.numerics = "none",
		.saving_basis = "the step's 243 kernels with 0.5 us between them",
		.saving_step_ns = 1350000,
		.saving_low_ns = 1200000,
		.saving_high_ns = 1500000,
		.saving_before_ns = 8100000,
		.saving_speedup = 6,
		.places = places,
		.place_count = 2,
		.needs = needs,
		.need_count = 2,
		.instead = "compile",
		.saving_of = "step",
	};
}

static void fill_advice(struct weir_report *report)
{
	struct weir_recommendation *rows = weir_arena_alloc(report->arena, 3 * sizeof(*rows));

	rows[0] = recommend_graph();
	rows[1] = (struct weir_recommendation){
		.id = "compile",
		.title = "fuse small operators (torch.compile)",
		.why = "fewer, longer kernels {{as written}}",
		.effort = "hours",
		.low = 1.1,
		.high = 1.3,
		.limit = NAN,
	};
	rows[2] = (struct weir_recommendation){
		.id = "pin", .title = "pin the host thread", .low = NAN, .high = NAN, .limit = NAN};
	report->recommendations = rows;
	report->recommendation_count = 3;
}

static void fill_what_ifs(struct weir_report *report)
{
	static struct weir_what_if_stage stages[] = {{"decode", 1310000, 6.18}};
	static struct weir_what_if what_ifs[] = {
		{"runtime", 0, 1350000, 6, stages, 1},
		{"batching", 0.5, NAN, NAN, NULL, 0},
	};

	report->what_ifs = what_ifs;
	report->what_if_count = 2;
	report->profiler = (struct weir_profiler_cost){2.42, "run/latency.json"};
}

static void set_steps_apart(struct weir_report *report)
{
	struct weir_set_apart *apart = weir_arena_alloc(report->arena, 2 * sizeof(*apart));

	apart[0] = (struct weir_set_apart){
		"ProfilerStep#4", "warm-up: 9.6 ms against a median of 2.9 ms", 1, 9600000};
	apart[1] =
		(struct weir_set_apart){"ProfilerStep#35", "without its last kernels", 1, 1200000};
	report->set_apart = apart;
	report->set_apart_count = 2;
}

/* Adds a critical path of 10,000 us; its second item is the device time of the operator in the
 * first. */
static void fill_path(struct weir_report *report, const char *operator)
{
	struct weir_critical_path *path = weir_arena_alloc(report->arena, sizeof *path);

	path->span_ns = 10000000;
	path->approximate = true;
	path->class_name = weir_path_class_parse("host");
	path->ns[WEIR_PATH_HOST_OP] = 6000000;
	path->ns[WEIR_PATH_LAUNCH] = 1000000;
	path->ns[WEIR_PATH_MEMORY] = 2960000;
	path->ns[WEIR_PATH_IDLE] = 40000;
	path->item_count = 3;
	path->items = weir_arena_alloc(report->arena, 3 * sizeof *path->items);
	path->items[0] = (struct weir_path_item){WEIR_PATH_HOST_OP, operator, 4000000, 30};
	path->items[1] = (struct weir_path_item){WEIR_PATH_MEMORY, operator, 1500000, 20};
	path->items[2] = (struct weir_path_item){WEIR_PATH_LAUNCH, "cudaLaunchKernel", 1000000, 30};
	path->stage_count = 1;
	path->stages = weir_arena_alloc(report->arena, sizeof *path->stages);
	path->stages[0].name = "decode";
	path->stages[0].total_ns = 7000000;
	path->stages[0].ns[WEIR_PATH_HOST_OP] = 6000000;
	path->stages[0].ns[WEIR_PATH_LAUNCH] = 1000000;
	report->critical_path = path;
}

struct weir_report *fixture_report_typical(void)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);

	report->feature_table = &feature_table;
	report->features = weir_arena_alloc(report->arena, FEATURES * sizeof(double));
	memcpy(report->features, (double[FEATURES]){0.1334, 0.864, 2612, 243, 0},
	       FEATURES * sizeof(double));
	fill_profile(report, profile);
	fill_verdict(report);
	fill_gpu(report);
	fill_stages(report);
	fill_operators(report);
	fill_advice(report);
	fill_what_ifs(report);
	set_steps_apart(report);
	fill_path(report, "aten::mm");
	return report;
}

struct weir_report *fixture_report_minimal(void)
{
	struct weir_report *report = weir_report_new(weir_profile_new());

	report->verdict = bound_to(WEIR_BOUND_UNDETERMINED, NULL);
	report->verdict.next = "record the device as well: activities=[CPU, CUDA]";
	return report;
}

/* Returns a name of `count` bytes without a place to break. */
static const char *long_name(struct weir_report *report, size_t count)
{
	char *name = weir_arena_alloc(report->arena, count + 1);

	memset(name, 'k', count);
	return name;
}

static void fill_ranks(struct weir_report *report)
{
	struct weir_rank_row *rows = weir_arena_alloc(report->arena, 2 * sizeof(*rows));

	rows[0] = (struct weir_rank_row){0,  0.61,   0.12, 0.09, 0.03, 0.02, WEIR_LATE_BY_UNKNOWN,
	                                 40, 1.5e11, 0.33, 0,    -1};
	rows[1] = (struct weir_rank_row){-1,  0.74, 0.02, NAN, 0.02, 1.31, WEIR_LATE_BY_HOST,
	                                 NAN, NAN,  NAN,  NAN, 3};
	report->ranks = rows;
	report->rank_row_count = 2;
	report->rank_count = 2;
}

struct weir_report *fixture_report_hostile(void)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_input *input =
		weir_profile_add_input((struct weir_profile *)report->profile,
	                               "../\033]0;owned\007<script>alert(1)</script>.json");

	input->format = "kineto";
	input->warnings[WEIR_WARN_BAD_NUMBER] = (struct weir_warning){
		.count = 2, .first_at = UINT64_MAX, .detail = "| @everyone `\n# x"};
	fill_path(report, "\033[31m<b>`|\n");
	report->devices[0].name = "GPU\xe2\x80\xae@all <b>";
	report->stages[0].name =
		"a|b`c`<img src=x onerror=alert(1)> @octocat #1 & \"q\" 'q' [x](http://y)";
	report->stages[1].name = "";
	report->stages[1].kind = "\033[31mred\033[0m";
	report->operators[0].name = long_name(report, 10000);
	report->operators[1].name =
		"\033[2J\033[H\xff\xfe\xc0\xaf two\nlines\r\ttabs \xe2\x80\xae reversed \xc2\x9b";
	report->operators[1].verdict.bound = WEIR_BOUND_COMMUNICATION;
	report->operators[1].call.count = 123456789;
	report->stages[0].verdict.bound = WEIR_BOUND_COMMUNICATION;
	report->operators[2].name = NULL;
	report->operators[2].stage = NULL;
	report->operators[3].name =
		"@@@ ### ___ *** ~~~ $x$ www.example.org https://example.org \\ {gpu_active}";
	report->operators[3].kernel =
		"</code></td><script>alert(2)</script>\xed\xa0\x80\xf4\x90\x80\x80";
	report->set_apart[0].name = long_name(report, 3000);
	report->set_apart[0].reason = "\xe2\x80\xa8line | separator </details>";
	report->verdict.cause = "x|y<z>";
	fill_ranks(report);
	return report;
}

void fixture_report_free(struct weir_report *report)
{
	struct weir_profile *profile = (struct weir_profile *)report->profile;

	weir_report_free(report);
	weir_profile_free(profile);
}

struct weir_text fixture_write(const char *format, const struct weir_report *report, size_t width,
                               size_t top)
{
	const struct weir_write_options options = {.width = width, .top = top};
	const struct weir_writer *writer = NULL;
	struct weir_text out = {0};

	assert_int_equal(weir_writer_find(WEIR_RESULT_REPORT, format, &writer, NULL), WEIR_OK);
	writer->report(report, &options, &out);
	return out;
}
