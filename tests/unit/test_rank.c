/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results derived from one trace: assessments of groups of device work, and figures of the whole
 * rank. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rank/rank.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define EXACT 1e-14
#define MM    "[[1024,1024],[1024,1024]]"
#define BF16  "[\"c10::BFloat16\",\"c10::BFloat16\"]"

/* Round figures: 100 SMs, 100 and 50 TFLOP/s in bf16, 1,000 and 800 GB/s, 1 MB of cache. */
static const char device_table[] =
	"{\"schema\": \"weir.devices/1\", \"devices\": [{\"name\": \"Round 100\", \"match\": "
	"[\"round 100\"], "
	"\"sms\": 100, \"numbers\": ["
	"{\"what\": \"matrix.bf16\", \"theoretical\": 100, \"sustained\": 50, \"source\": \"s\"},"
	"{\"what\": \"matrix.tf32\", \"theoretical\": 40, \"sustained\": 20, \"source\": \"s\"},"
	"{\"what\": \"vector.fp32\", \"theoretical\": 10, \"sustained\": 5, \"source\": \"s\"},"
	"{\"what\": \"memory_gb_per_s\", \"theoretical\": 1000, \"sustained\": 800, \"source\": "
	"\"s\"},"
	"{\"what\": \"l2_mb\", \"theoretical\": 1, \"source\": \"s\"}]}]}";

struct work {
	struct weir_trace *trace;
	struct weir_device_table table;
	struct weir_rank rank;
};

/* Gives the operators of that name a shape. */
static void give_shape(struct weir_trace *trace, const char *op, const char *dims,
                       const char *types)
{
	trace->shapes = weir_grow(trace->shapes, &trace->shape_capacity, trace->shape_count + 2,
	                          sizeof *trace->shapes);
	if (trace->shape_count == 0)
		trace->shapes[trace->shape_count++] = (struct weir_shape){0};
	trace->shapes[trace->shape_count] = (struct weir_shape){
		.dims = weir_names_add(trace->names, dims, strlen(dims)),
		.types = weir_names_add(trace->names, types, strlen(types)),
	};
	for (size_t i = 0; i < trace->host.count; i++)
		if (trace->host.kind[i] == WEIR_HOST_OP &&
		    !strcmp(weir_names_text(trace->names, trace->host.name[i]), op))
			trace->host.shape[i] = (uint32_t)trace->shape_count;
	trace->shape_count++;
}

static void work_init(struct work *work, struct weir_trace *trace, bool steady, const char *device)
{
	struct weir_error err = {0};
	struct weir_rank_options options = {.steady = steady, .device_name = device};

	*work = (struct work){.trace = trace};
	if (weir_device_table_parse(&work->table, device_table, strlen(device_table), &err))
		fail_msg("%s", err.message);
	options.table = &work->table;
	weir_rank_init(&work->rank, trace, &options);
}

static void work_release(struct work *work)
{
	weir_rank_release(&work->rank);
	weir_device_table_release(&work->table);
	weir_trace_free(work->trace);
}

/* The assessment of the only group with that name. */
static const struct weir_assessment *assessment(const struct work *work, const char *name)
{
	const struct weir_groups *groups = &work->rank.groups;

	for (size_t i = 0; i < groups->count; i++)
		if (!strcmp(weir_group_name(&groups->items[i], work->trace->names), name))
			return &work->rank.assessments[i];
	fail_msg("no group %s", name);
	return NULL;
}

/* NOLINTNEXTLINE(readability-function-size): one row for each family */
static void kernel_of(struct make_trace *make, const char *name, int64_t call_ns, int64_t start_ns,
                      int64_t end_ns, uint32_t blocks, uint8_t flags)
{
	static uint64_t correlation = 50;

	make_call(make, 0, "cudaLaunchKernel", call_ns, call_ns + 1, ++correlation);
	make_device(make, &(struct make_device_row){.name = name,
	                                            .start_ns = start_ns,
	                                            .end_ns = end_ns,
	                                            .bytes = -1,
	                                            .correlation = correlation,
	                                            .blocks = blocks,
	                                            .threads_per_block = 128,
	                                            .flags = flags});
}

/* Two runs of mm: 60 us in one kernel, then 40 + 20 us in two; and 80 us of something else, from a
 * graph. */
static struct weir_trace *two_products(int64_t unit_ns)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	int64_t u = unit_ns;

	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 10);
	kernel_of(make, "nvjet_tst", 1, 100 * u, 160 * u, 150, 0);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 20, 40);
	kernel_of(make, "nvjet_tst", 21, 160 * u, 200 * u, 50, 0);
	kernel_of(make, "splitk", 31, 200 * u, 220 * u, 10, 0);
	kernel_of(make, "mystery", 50, 220 * u, 300 * u, 0, WEIR_DEVICE_IN_GRAPH);
	trace = make_trace_finish(make);
	give_shape(trace, "aten::mm", MM, BF16);
	return trace;
}

static void a_group_is_judged_by_the_mean_of_its_calls(void **state)
{
	const double flops = 2. * 1024 * 1024 * 1024, bytes = 3. * 2 * 1024 * 1024;
	const struct weir_assessment *mm;
	struct work work;

	(void)state;
	work_init(&work, two_products(1000), true, "round 100");
	mm = assessment(&work, "aten::mm");
	assert_near(mm->work.flops, flops, EXACT);
	assert_near(mm->tensor_bytes, bytes, EXACT);
	assert_true(mm->traffic_bytes >= bytes);
	assert_near(mm->values[WEIR_F_CALL_NS], 60000, EXACT);
	assert_near(mm->values[WEIR_F_KERNEL_NS], 40000, EXACT);
	assert_near(mm->values[WEIR_F_GRAPH_SHARE], 0, 0);
	assert_near(mm->values[WEIR_F_OPERATOR_SHARE], 0.6, EXACT);
	assert_near(mm->values[WEIR_F_WAVES], 1.5, EXACT);
	assert_near(mm->values[WEIR_F_GRID_FILL], 1.5, EXACT);
	assert_near(mm->values[WEIR_F_FLOPS_ROOF], flops / 50e12 / 60e-6, EXACT);
	assert_near(mm->values[WEIR_F_BYTES_ROOF], bytes / 800e9 / 60e-6, EXACT);
	assert_near(mm->values[WEIR_F_INTENSITY_RATIO], flops / 50e12 / (bytes / 800e9), EXACT);
	assert_near(mm->values[WEIR_F_IMPLAUSIBLE], 0, 0);
	assert_near(mm->values[WEIR_F_CACHED], 0, 0);
	assert_near(mm->values[WEIR_F_MATRIX_UNITS_IDLE], 0, 0);
	assert_near(mm->roofline.tflops, flops / 60e-6 / 1e12, EXACT);
	assert_int_equal(mm->verdict.bound, WEIR_BOUND_UNDETERMINED);
	assert_true(isnan(mm->verdict.share) && isnan(mm->values[WEIR_F_LAUNCH_P50_NS]));
	work_release(&work);
}

static void work_without_shapes_has_no_roofs(void **state)
{
	const struct weir_assessment *mystery;
	struct work work;

	(void)state;
	work_init(&work, two_products(1000), true, "round 100");
	mystery = assessment(&work, "mystery");
	assert_int_equal(mystery->work.confidence, WEIR_MODEL_NONE);
	assert_near(mystery->values[WEIR_F_CALL_NS], 80000, EXACT);
	assert_near(mystery->values[WEIR_F_OPERATOR_SHARE], 0.4, EXACT);
	assert_near(mystery->values[WEIR_F_GRAPH_SHARE], 1, 0);
	assert_true(isnan(mystery->values[WEIR_F_WAVES])); /* its grid is not known */
	assert_true(isnan(mystery->values[WEIR_F_GRID_FILL]));
	assert_near(mystery->values[WEIR_F_BLOCK_THREADS], 128, 0);
	assert_near(mystery->values[WEIR_F_KERNEL_SHARE], 1, 0);
	assert_true(isnan(mystery->values[WEIR_F_FLOPS_ROOF]));
	assert_true(isnan(mystery->values[WEIR_F_IMPLAUSIBLE]));
	assert_true(isnan(mystery->values[WEIR_F_OPERANDS_ROOF]));
	assert_true(isnan(mystery->tensor_bytes) && isnan(mystery->traffic_bytes));
	work_release(&work);
}

/* Returns the share of two launches of one operator in the usual limit of the longer kernel: 60 of
 * 100 us in a narrow product, the rest in a kernel of that name, grid and block. */
static double family_share_beside(const char *name, uint32_t blocks, uint32_t threads)
{
	struct make_trace *make = make_trace_new();
	struct work work;
	double share;

	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 10);
	kernel_of(make, "nvjet_sm90_tst_128x64_64x8", 1, 100, 60100, 100, 0);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 20, 40);
	make_call(make, 0, "cudaLaunchKernel", 21, 22, 7);
	make_device(make, &(struct make_device_row){.name = name,
	                                            .start_ns = 60100,
	                                            .end_ns = 100100,
	                                            .bytes = -1,
	                                            .correlation = 7,
	                                            .blocks = blocks,
	                                            .threads_per_block = threads});
	work_init(&work, make_trace_finish(make), false, "Round 100");
	share = assessment(&work, "aten::mm")->values[WEIR_F_FAMILY_SHARE];
	assert_near(assessment(&work, "aten::mm")->values[WEIR_F_KERNEL_SHARE], 0.6, EXACT);
	work_release(&work);
	return share;
}

/* An unknown device has no more multiprocessors than the largest known one, for all that is known.
 */
static double fill_of_unknown(uint32_t blocks)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct work work;
	double fill;

	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 10);
	kernel_of(make, "nvjet_tst", 1, 100, 60100, blocks, 0);
	trace = make_trace_finish(make);
	trace->devices[0].sms = 0;
	work_init(&work, trace, false, "nothing known");
	fill = assessment(&work, "aten::mm")->values[WEIR_F_GRID_FILL];
	work_release(&work);
	return fill;
}

static void a_grid_that_fills_every_known_device_fills_an_unknown_one(void **state)
{
	(void)state;
	assert_true(isnan(fill_of_unknown(99)));
	assert_near(fill_of_unknown(100), 1, 0);
	assert_near(fill_of_unknown(250), 2.5, 0);
	assert_true(isnan(fill_of_unknown(0)));
}

static void kernels_of_one_usual_limit_that_fill_the_device_count_together(void **state)
{
	(void)state;
	assert_near(family_share_beside("nvjet_sm90_tst_256x64_64x5", 50, 64), 1, EXACT);
	assert_near(family_share_beside("nvjet_sm90_tst_256x64_64x5", 49, 64), 0.6, EXACT);
	assert_near(family_share_beside("nvjet_sm90_tst_256x64_64x5", 50, 63), 0.6, EXACT);
	assert_near(family_share_beside("nvjet_sm90_tst_256x64_64x5", 0, 64), 0.6, EXACT);
	assert_near(family_share_beside("nvjet_sm90_tst_256x128_64x4", 50, 64), 0.6, EXACT);
	assert_near(family_share_beside("nvjet_sm90_tst_64x64_64x13", 50, 64), 0.6, EXACT);
}

/* Returns a product without shapes: 60 us in one kernel, 40 us in another one. */
static struct weir_trace *product_of(const char *longer, const char *shorter)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 10);
	kernel_of(make, longer, 1, 100, 60100, 100, 0);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 20, 40);
	kernel_of(make, shorter, 21, 60100, 100100, 100, 0);
	return make_trace_finish(make);
}

static void names_show_products_that_leave_the_matrix_units_idle(void **state)
{
	static const char vector[] = "ampere_sgemm_128x64_tn", tensor[] = "nvjet_sm90_tst_128x64";
	struct work work;

	(void)state;
	work_init(&work, product_of(vector, tensor), false, "Round 100");
	assert_near(assessment(&work, "aten::mm")->values[WEIR_F_VECTOR_PRODUCT_SHARE], 0.6, EXACT);
	assert_near(assessment(&work, "aten::mm")->values[WEIR_F_FAMILY_COMPUTE], 1, 0);
	work_release(&work);
	work_init(&work, product_of(tensor, vector), false, "Round 100");
	assert_near(assessment(&work, "aten::mm")->values[WEIR_F_VECTOR_PRODUCT_SHARE], 0.4, EXACT);
	assert_near(assessment(&work, "aten::mm")->values[WEIR_F_FAMILY_MEMORY], 1, 0);
	work_release(&work);
	work_init(&work, product_of(vector, "ampere_sgemm_64x128_nn"), false, "Round 100");
	assert_near(assessment(&work, "aten::mm")->values[WEIR_F_VECTOR_PRODUCT_SHARE], 1, EXACT);
	assert_near(assessment(&work, "aten::mm")->values[WEIR_F_FAMILY_SHARE], 1, EXACT);
	work_release(&work);
	work_init(&work, product_of(vector, tensor), false, NULL);
	assert_true(isnan(assessment(&work, "aten::mm")->values[WEIR_F_VECTOR_PRODUCT_SHARE]));
	work_release(&work);
}

static void a_model_beyond_the_peak_gives_no_roofs(void **state)
{
	const struct weir_assessment *mm;
	struct work work;

	(void)state;
	work_init(&work, two_products(100), true, "round 100"); /* 6 us are too short */
	mm = assessment(&work, "aten::mm");
	assert_near(mm->values[WEIR_F_IMPLAUSIBLE], 1, 0);
	assert_true(isnan(mm->values[WEIR_F_FLOPS_ROOF]) && isnan(mm->values[WEIR_F_BYTES_ROOF]));
	assert_true(isnan(mm->values[WEIR_F_INTENSITY_RATIO]));
	work_release(&work);
}

static void an_unknown_device_has_no_roofs(void **state)
{
	const struct weir_assessment *mm;
	struct work work;

	(void)state;
	work_init(&work, two_products(1000), true, "square 100");
	mm = assessment(&work, "aten::mm");
	assert_int_equal(mm->work.confidence, WEIR_MODEL_HIGH);
	assert_true(isnan(mm->values[WEIR_F_FLOPS_ROOF]) && isnan(mm->values[WEIR_F_IMPLAUSIBLE]));
	assert_near(mm->traffic_bytes, mm->tensor_bytes, EXACT);
	work_release(&work);
}

static void the_expected_traffic_of_a_product_exceeds_its_tensors(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	const struct weir_assessment *mm;
	struct work work;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 10);
	kernel_of(make, "nvjet_tst", 1, 100, 100000000, 150, 0);
	trace = make_trace_finish(make);
	give_shape(trace, "aten::mm", "[[8192,8192],[8192,8192]]", BF16);
	work_init(&work, trace, true, "round 100");
	mm = assessment(&work, "aten::mm");
	assert_true(mm->traffic_bytes > 1.1 * mm->tensor_bytes);
	assert_near(mm->roofline.traffic_ns, mm->traffic_bytes / 1000e9 * 1e9, EXACT);
	work_release(&work);
}

/* Its arguments are 4 MiB: at 800 GB/s they take 5.24 of 100 us. */
static void an_operator_without_a_model_is_judged_by_its_operands(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct work work;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "custom::op", 0, 10);
	kernel_of(make, "k", 1, 1000, 101000, 1, 0);
	trace = make_trace_finish(make);
	give_shape(trace, "custom::op", MM, BF16);
	work_init(&work, trace, true, "round 100");
	assert_near(assessment(&work, "custom::op")->values[WEIR_F_OPERANDS_ROOF],
	            4. * 1024 * 1024 / 800e9 / 100e-6, EXACT);
	work_release(&work);
}

static void kinds_follow_the_work_and_the_name(void **state)
{
	static const struct {
		enum weir_device_kind kind;
		const char *name;
		double communication, transfer, local, memory, compute;
	} rows[] = {
		{WEIR_DEVICE_KERNEL, "ncclDevKernel_AllReduce", 1, 0, 0, NAN, NAN},
		{WEIR_DEVICE_COPY, "Memcpy HtoD (Pageable -> Device)", 0, 1, 0, 1, 0},
		{WEIR_DEVICE_COPY, "Memcpy DtoH (Device -> Pageable)", 0, 1, 0, 1, 0},
		{WEIR_DEVICE_COPY, "Memcpy PtoP (Device -> Device)", 0, 1, 0, 1, 0},
		{WEIR_DEVICE_COPY, "CopyHostToDevice", 0, 1, 0, 1, 0},
		{WEIR_DEVICE_COPY, "CopyDeviceToHost", 0, 1, 0, 1, 0},
		{WEIR_DEVICE_COPY, "Memcpy HtoA", 0, 1, 0, 1, 0},
		{WEIR_DEVICE_COPY, "Memcpy AtoH", 0, 1, 0, 1, 0},
		{WEIR_DEVICE_COPY, "Memcpy DtoD (Device -> Device)", 0, 0, 1, 1, 0},
		{WEIR_DEVICE_SET, "Memset (Device)", 0, 0, 1, 1, 0},
		{WEIR_DEVICE_KERNEL, "vectorized_elementwise_kernel", 0, 0, 0, 1, 0},
		{WEIR_DEVICE_KERNEL, "gemm_128x128", 0, 0, 0, 0, 1},
		{WEIR_DEVICE_KERNEL, "mystery HtoD", 0, 0, 0, NAN, NAN},
	};
	struct make_trace *make = make_trace_new();
	struct work work;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		make_device(make, &(struct make_device_row){.kind = rows[i].kind,
		                                            .name = rows[i].name,
		                                            .start_ns = (int64_t)i * 10,
		                                            .end_ns = (int64_t)i * 10 + 10,
		                                            .bytes = 100});
	work_init(&work, make_trace_finish(make), true, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const double *values = assessment(&work, rows[i].name)->values;

		print_message("%s\n", rows[i].name);
		assert_near(values[WEIR_F_IS_COMMUNICATION], rows[i].communication, 0);
		assert_near(values[WEIR_F_IS_TRANSFER], rows[i].transfer, 0);
		assert_near(values[WEIR_F_IS_LOCAL_COPY], rows[i].local, 0);
		assert_near(values[WEIR_F_FAMILY_MEMORY], rows[i].memory, 0);
		assert_near(values[WEIR_F_FAMILY_COMPUTE], rows[i].compute, 0);
		assert_int_equal(weir_rank_row_transfers(&work.rank, (uint32_t)i),
		                 strstr(rows[i].name, "toH") || strstr(rows[i].name, "Hto") ||
		                         strstr(rows[i].name, "PtoP") ||
		                         strstr(rows[i].name, "HostTo") ||
		                         strstr(rows[i].name, "ToHost"));
	}
	work_release(&work);
}

#define SERVED "vllm::unified_attention"
#define TOKENS "[[4,8,32],[4,2,32],[4,2,32]]"
#define THREE  "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]"

/* Attention of a server in steps with the given names. */
static struct weir_trace *served(const char *const *steps, size_t count)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (size_t i = 0; i < count; i++) {
		int64_t at = (int64_t)i * 100000;

		make_host(make, WEIR_HOST_ANNOTATION, 0, steps[i], at, at + 90000);
		make_host(make, WEIR_HOST_OP, 0, SERVED, at + 10, at + 20);
		kernel_of(make, "attention", at + 11, at + 1000, at + 21000, 1, 0);
	}
	trace = make_trace_finish(make);
	give_shape(trace, SERVED, TOKENS, THREE);
	return trace;
}

static void attention_of_a_server_takes_the_mean_sums_of_its_steps(void **state)
{
	static const char *const steps[] = {
		"execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk400sqsq4sqsk400)",
		"execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk600sqsq4sqsk600)",
	};
	const struct weir_assessment *attention;
	struct work work;

	(void)state;
	work_init(&work, served(steps, 2), false, "round 100");
	attention = assessment(&work, SERVED);
	assert_int_equal(attention->work.confidence, WEIR_MODEL_MEDIUM);
	assert_near(attention->work.flops, 2. * 8 * 500 * 64, EXACT);
	assert_near(attention->work.bytes, 2. * (4 * 8 * 64 + 500 * 2 * 64), EXACT);
	assert_true(isnan(attention->values[WEIR_F_OPERANDS_ROOF]));
	work_release(&work);
}

static void attention_is_unknown_when_a_step_does_not_state_its_sums(void **state)
{
	static const char *const steps[] = {
		"execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk400sqsq4sqsk400)",
		"execute_4_context_0()_generation_4()",
	};
	struct work work;

	(void)state;
	work_init(&work, served(steps, 2), false, "round 100");
	assert_int_equal(assessment(&work, SERVED)->work.confidence, WEIR_MODEL_NONE);
	work_release(&work);
}

/* Steps 0 to 5; the first is warm-up. Allocated memory grows by 1,000 bytes a step, but by a lot in
 * the first one. */
static void memory_is_measured_at_the_ends_of_steady_steps(void **state)
{
	struct make_trace *make = make_trace_new();
	struct work work;

	(void)state;
	for (int64_t i = 0; i < 6; i++) {
		int64_t at = i == 0 ? -900000 : i * 100000;
		char name[32];

		(void)snprintf(name, sizeof name, "ProfilerStep#%d", (int)i);
		make_host(make, WEIR_HOST_ANNOTATION, 0, name, at, (i + 1) * 100000 - 1000);
		kernel_of(make, "k", at + 10, at + 1000, (i + 1) * 100000 - 5000, 1, 0);
		make_memory(make, (i + 1) * 100000 - 6000, 10, i == 0 ? 5 : 100000 + i * 1000, -1);
	}
	work_init(&work, make_trace_finish(make), true, NULL);
	assert_int_equal(work.rank.steps.steps[0].state, WEIR_STEP_WARM_UP);
	assert_near(work.rank.memory.devices[0].leak_bytes_per_step, 1000, EXACT);
	assert_near(work.rank.memory.devices[0].allocations_per_step, 1, EXACT);
	assert_int_equal(work.rank.launches.kernels, 5);
	work_release(&work);
}

/* Device 1 works before device 0: both have their windows, and both count. */
static void figures_cover_all_devices(void **state)
{
	struct make_trace *make = make_trace_new();
	struct work work;

	(void)state;
	for (uint16_t d = 0; d < 2; d++)
		for (int64_t i = 0; i < 3; i++)
			make_device(make, &(struct make_device_row){
						  .name = "k",
						  .device = d,
						  .stream = d,
						  .start_ns = i * 100 + (d ? 0 : 1000),
						  .end_ns = i * 100 + 50 + (d ? 0 : 1000),
						  .bytes = -1});
	work_init(&work, make_trace_finish(make), true, NULL);
	assert_int_equal(work.rank.launches.kernels, 6);
	assert_int_equal(work.rank.busy_ns, 300);
	assert_int_equal(work.rank.activity[0].active_ns, 150);
	assert_int_equal(work.rank.activity[1].active_ns, 150);
	assert_near(assessment(&work, "k")->values[WEIR_F_OPERATOR_SHARE], 0.5, EXACT);
	assert_near(work.rank.assessments[1].values[WEIR_F_OPERATOR_SHARE], 0.5, EXACT);
	work_release(&work);
}

/* ---- waits in collectives ---- */

/* A collective of 100 ns that a kernel overlaps from 40 to 70, so that it owns 0 to 40 and 70 to
 * 100. It waits until the given time. */
static void a_wait_counts_where_its_collective_is_exposed(void **state)
{
	static const int64_t until_ns[] = {INT64_MIN, 0, 39, 40, 41, 70, 71, 100, 101};
	static const int64_t wait_ns[] = {0, 0, 39, 40, 40, 40, 41, 70, 70};

	(void)state;
	for (size_t i = 0; i < sizeof until_ns / sizeof *until_ns; i++) {
		struct make_trace *make = make_trace_new();
		struct weir_ledger outside = {0}, stages[1];
		int64_t until[2] = {until_ns[i], INT64_MIN};
		uint8_t by[2] = {WEIR_LATE_BY_HOST, WEIR_LATE_BY_HOST};
		bool longest[2] = {i % 2 == 0, false};
		struct work work;

		make_kernel(make, 0, "ncclDevKernel_AllReduce", 0, 100, 0);
		make_kernel(make, 1, "gemm", 40, 70, 0);
		work_init(&work, make_trace_finish(make), false, NULL);
		work.rank.waits =
			(struct weir_waits){.until_ns = until, .by = by, .longest = longest};
		weir_attribute(&work.rank, stages, &outside);
		work.rank.waits = (struct weir_waits){0};
		assert_int_equal(outside.work_ns[WEIR_WORK_COMM], 70);
		assert_int_equal(outside.matched_ns, until_ns[i] == INT64_MIN ? 0 : 70);
		assert_int_equal(outside.wait_ns[WEIR_LATE_BY_HOST], wait_ns[i]);
		assert_int_equal(outside.longest_ns, i % 2 == 0 ? wait_ns[i] : 0);
		work_release(&work);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_is_judged_by_the_mean_of_its_calls),
		cmocka_unit_test(work_without_shapes_has_no_roofs),
		cmocka_unit_test(a_grid_that_fills_every_known_device_fills_an_unknown_one),
		cmocka_unit_test(kernels_of_one_usual_limit_that_fill_the_device_count_together),
		cmocka_unit_test(names_show_products_that_leave_the_matrix_units_idle),
		cmocka_unit_test(a_model_beyond_the_peak_gives_no_roofs),
		cmocka_unit_test(an_unknown_device_has_no_roofs),
		cmocka_unit_test(the_expected_traffic_of_a_product_exceeds_its_tensors),
		cmocka_unit_test(an_operator_without_a_model_is_judged_by_its_operands),
		cmocka_unit_test(kinds_follow_the_work_and_the_name),
		cmocka_unit_test(attention_of_a_server_takes_the_mean_sums_of_its_steps),
		cmocka_unit_test(attention_is_unknown_when_a_step_does_not_state_its_sums),
		cmocka_unit_test(memory_is_measured_at_the_ends_of_steady_steps),
		cmocka_unit_test(figures_cover_all_devices),
		cmocka_unit_test(a_wait_counts_where_its_collective_is_exposed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
