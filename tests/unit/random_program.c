/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_program.h"

#define MOST_STEPS 12
#define MOST_PARTS 14
#define STREAMS    3 /* two of device 0, one of device 1 */
#define MOST_SYNCS 64
#define CALL_NS    5000

struct program {
	struct make_trace *make;
	uint64_t lengths;           /* state of their random numbers */
	int64_t now_ns, other_ns;   /* of the main thread, and of the other one */
	int64_t stream_ns[STREAMS]; /* ends of the last works */
	uint64_t last[STREAMS];     /* their correlations */
	int64_t allocated_bytes;
	uint64_t id; /* correlation of the last call */
	int step;
	struct weir_sync_event syncs[MOST_SYNCS];
	size_t sync_count;
};

static size_t below(uint64_t *state, uint64_t limit)
{
	return (size_t)(next_number(state) % limit);
}

/* Returns a length: mostly a few microseconds, often exactly a limit of the analysis. */
static int64_t length(struct program *program)
{
	static const int64_t lengths[] = {0,       1000,    2000,   3000,   4000,   5000,
	                                  6000,    8000,    10000,  10001,  20000,  50000,
	                                  100000,  100001,  200000, 200001, 300000, 999999,
	                                  1000000, 1000001, 2000000};
	size_t all = sizeof lengths / sizeof *lengths;

	return lengths[below(&program->lengths, below(&program->lengths, 3) ? all / 2 : all)];
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Adds a range of the main thread from an earlier time to now. */
static void close_range(struct program *program, enum weir_host_kind kind, const char *name,
                        int64_t start_ns)
{
	make_host(program->make, kind, 0, name, start_ns, program->now_ns);
}

static void call(struct program *program, const char *name, int64_t ns)
{
	make_call(program->make, 0, name, program->now_ns, program->now_ns + ns, ++program->id);
	program->now_ns += ns;
}

/* Adds device work of the last call to a stream. */
static void add_work(struct program *program, struct make_device_row row, int64_t ns)
{
	size_t stream = row.stream;

	row.start_ns = later(program->now_ns + length(program) / 2, program->stream_ns[stream]);
	row.end_ns = row.start_ns + ns;
	row.device = stream == STREAMS - 1;
	row.correlation = program->id;
	program->stream_ns[stream] = row.end_ns;
	program->last[stream] = program->id;
	make_device(program->make, &row);
}

static void add_kernel(struct program *program, uint32_t stream, const char *name)
{
	const struct make_device_row row = {.kind = WEIR_DEVICE_KERNEL,
	                                    .stream = stream,
	                                    .name = name,
	                                    .bytes = -1,
	                                    .blocks = (uint32_t)below(&program->lengths, 300),
	                                    .threads_per_block = 128};

	add_work(program, row, length(program));
}

static void add_copy(struct program *program, const char *name, int64_t bytes)
{
	const struct make_device_row row = {.kind = WEIR_DEVICE_COPY, .name = name, .bytes = bytes};

	add_work(program, row, length(program));
}

static void add_sync(struct program *program, const char *kind, int64_t start_ns, int64_t stream,
                     int64_t wait_on)
{
	static const char *const names[] = {"Stream Synchronize", "Stream Wait Event"};

	if (program->sync_count == MOST_SYNCS)
		return;
	program->syncs[program->sync_count++] = (struct weir_sync_event){
		.start_ns = start_ns,
		.end_ns = program->now_ns,
		.kind_name = strcmp(kind, names[1]) == 0,
		.stream = stream,
		.wait_on_stream = wait_on,
		.correlation = program->id,
		.wait_on_correlation = wait_on < 0 ? 0 : program->last[wait_on],
	};
}

/* ---- parts of a step ---- */

/* An operator inside another one, whose runtime call may hold the driver's call. */
static void multiply(struct program *program)
{
	int64_t outer_ns = program->now_ns, inner_ns, call_ns;

	program->now_ns += 1000;
	inner_ns = program->now_ns;
	program->now_ns += length(program) / 4;
	call_ns = program->now_ns;
	call(program, "cudaLaunchKernel", CALL_NS);
	if (below(&program->lengths, 2))
		make_call(program->make, 0, "cuLaunchKernel", call_ns + 1000,
		          program->now_ns - 1000, 0);
	add_kernel(program, 0, "gemm");
	close_range(program, WEIR_HOST_OP, "aten::mm", inner_ns);
	program->now_ns += 1000;
	close_range(program, WEIR_HOST_OP, "aten::linear", outer_ns);
}

static void add(struct program *program)
{
	int64_t start_ns = program->now_ns;

	program->now_ns += 1000;
	call(program, "cudaLaunchKernel", CALL_NS + length(program) / 8);
	add_kernel(program, 0, below(&program->lengths, 2) ? "elementwise_kernel" : "add_kernel");
	if (below(&program->lengths, 3) == 0) {
		call(program, "cudaLaunchKernel", CALL_NS);
		add_kernel(program, 0, "second_kernel");
	}
	close_range(program, WEIR_HOST_OP, "aten::add", start_ns);
}

static void upload(struct program *program)
{
	static const int64_t sizes[] = {-1, 0, 64, 4096, 1048576};
	bool pinned = below(&program->lengths, 2) > 0;

	call(program, pinned ? "cudaMemcpyAsync" : "cudaMemcpy", CALL_NS);
	add_copy(program,
	         pinned ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD (Pageable -> Device)",
	         sizes[below(&program->lengths, 5)]);
	if (!pinned)
		program->now_ns = later(program->now_ns, program->stream_ns[0]);
}

static void wait_for_stream(struct program *program, const char *name)
{
	int64_t start_ns = program->now_ns;
	int64_t end_ns = later(start_ns + 1000, program->stream_ns[0]);

	if (below(&program->lengths, 2))
		end_ns += length(program);
	call(program, name, end_ns - start_ns);
	add_sync(program, "Stream Synchronize", start_ns, 0, -1);
}

/* Reads a number, or a large result that the program works on in silence. */
static void read_result(struct program *program)
{
	static const int64_t sizes[] = {4, 63, 64, 1048575, 1048576, 4194304};
	int64_t start_ns = program->now_ns, bytes = sizes[below(&program->lengths, 6)];

	program->now_ns += 1000;
	call(program, "cudaMemcpyAsync", CALL_NS);
	add_copy(program, "Memcpy DtoH (Device -> Pageable)", bytes);
	wait_for_stream(program, "cudaStreamSynchronize");
	close_range(program, WEIR_HOST_OP, bytes < 64 ? "aten::_local_scalar_dense" : "aten::copy_",
	            start_ns);
	program->now_ns += length(program);
}

static void replay(struct program *program)
{
	call(program, "cudaGraphLaunch", CALL_NS);
	for (uint64_t node = 1; node <= 3; node++) {
		const struct make_device_row row = {
			.kind = node == 3 ? WEIR_DEVICE_SET : WEIR_DEVICE_KERNEL,
			.name = node == 1 ? "gemm" : "elementwise_kernel",
			.bytes = -1,
			.graph_node = UINT64_C(1) << 32 | node,
			.flags = WEIR_DEVICE_IN_GRAPH};

		add_work(program, row, length(program) / 4);
	}
}

static void allocate(struct program *program)
{
	int64_t bytes = (int64_t)(1 + below(&program->lengths, 4)) << 20;

	call(program, below(&program->lengths, 2) ? "cudaMalloc" : "cudaMallocAsync",
	     length(program));
	if (below(&program->lengths, 3) == 0)
		bytes = -program->allocated_bytes / 2;
	program->allocated_bytes += bytes;
	make_memory(program->make, program->now_ns, bytes, program->allocated_bytes,
	            program->allocated_bytes + 1048576);
}

/* Does something that launches nothing. */
static void be_silent(struct program *program)
{
	static const struct {
		enum weir_host_kind kind;
		const char *name;
	} silences[] = {
		{WEIR_HOST_PYTHON, "model.py(12): forward"},
		{WEIR_HOST_PYTHON, "<built-in function collect>"},
		{WEIR_HOST_PYTHON, "<built-in method acquire of _thread.lock object at 0x1>"},
		{WEIR_HOST_PYTHON, "torch/utils/data/fetch.py(3): fetch"},
		{WEIR_HOST_PYTHON, "torch/_inductor/compile_fx.py(9): compile_fx"},
		{WEIR_HOST_PYTHON, "queue.py(154): get"},
		{WEIR_HOST_API, "pthread_cond_wait"},
		{WEIR_HOST_API, "poll"},
		{WEIR_HOST_API, "cudaEventQuery"},
		{WEIR_HOST_OP, "aten::empty"},
		{WEIR_HOST_OP, "aten::sort"},
		{WEIR_HOST_OVERHEAD, "Activity Buffer Request"},
		{WEIR_HOST_OVERHEAD, "Lazy Function Loading"}};
	size_t which = below(&program->lengths, 1 + sizeof silences / sizeof *silences);
	int64_t start_ns = program->now_ns;

	program->now_ns += length(program);
	if (which < sizeof silences / sizeof *silences)
		close_range(program, silences[which].kind, silences[which].name, start_ns);
}

/* Lets the second stream wait for the first one. */
static void change_stream(struct program *program)
{
	call(program, "cudaEventRecord", 1000);
	call(program, "cudaStreamWaitEvent", 1000);
	add_sync(program, "Stream Wait Event", program->now_ns - 1000, 1, 0);
	program->stream_ns[1] = later(program->stream_ns[1], program->stream_ns[0]);
	call(program, "cudaLaunchKernel", CALL_NS);
	add_kernel(program, 1, "gemm");
}

static void load(struct program *program)
{
	if (below(&program->lengths, 2))
		call(program, "cuModuleLoadData", length(program));
	call(program, "cudaLaunchKernel", CALL_NS); /* a graph is captured: no work */
	call(program, "cudaMemsetAsync", CALL_NS);
	add_work(program,
	         (struct make_device_row){
			 .kind = WEIR_DEVICE_SET, .name = "Memset (Device)", .bytes = 4096},
	         length(program));
}

/* Lets another thread launch, as the one of the backward pass does. */
static void launch_elsewhere(struct program *program)
{
	int64_t start_ns = later(program->other_ns, program->now_ns);

	make_host(program->make, WEIR_HOST_OP, 1, "aten::mm_backward", start_ns, start_ns + 20000);
	make_call(program->make, 1, "cudaLaunchKernel", start_ns + 5000, start_ns + 10000,
	          ++program->id);
	program->other_ns = start_ns + 20000 + length(program) / 4;
	add_kernel(program, 0, "gemm");
}

/* Works on the other device, and exchanges data. */
static void exchange(struct program *program)
{
	call(program, "cudaLaunchKernel", CALL_NS);
	add_kernel(program, STREAMS - 1, "gemm");
	call(program, "cudaLaunchKernel", CALL_NS);
	add_kernel(program, below(&program->lengths, 2) ? 1 : STREAMS - 1,
	           "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
}

static void wait_for_device(struct program *program)
{
	wait_for_stream(program, "cudaDeviceSynchronize");
}

/* ---- steps ---- */

typedef void part_fn(struct program *program);

static part_fn *const kinds[] = {
	multiply,       multiply,  add,       add,           upload, read_result,      replay,
	allocate,       be_silent, be_silent, change_stream, load,   launch_elsewhere, exchange,
	wait_for_device};

/* The plan of a step: parts, and stages around some of them. */
struct plan {
	part_fn *parts[MOST_PARTS];
	size_t part_count;
	size_t first, middle, last; /* parts at which stages begin, change and end */
	size_t stages[2];
};

static void draw_plan(struct plan *plan, uint64_t *state)
{
	plan->part_count = 4 + below(state, MOST_PARTS - 3);
	for (size_t p = 0; p < plan->part_count; p++)
		plan->parts[p] = kinds[below(state, sizeof kinds / sizeof *kinds)];
	plan->parts[below(state, plan->part_count)] = multiply;
	plan->first = below(state, 3);
	plan->middle = plan->first + 1 + below(state, 3);
	plan->last = plan->middle + below(state, plan->part_count);
	for (size_t s = 0; s < 2; s++)
		plan->stages[s] = below(state, 5);
}

static void close_stage(struct program *program, size_t stage, int64_t start_ns)
{
	char name[64];

	switch (stage) {
	case 0:
		(void)snprintf(name, sizeof name, "prefill");
		break;
	case 1:
		(void)snprintf(name, sizeof name, "decode[bs=%d/8 tok=%d]",
		               program->step % 3 ? 8 : 4, program->step);
		break;
	case 2:
		(void)snprintf(name, sizeof name, "batch_window");
		break;
	case 3:
		(void)snprintf(name, sizeof name, "tokenize_%d", program->step);
		break;
	default:
		return;
	}
	close_range(program, WEIR_HOST_ANNOTATION, name, start_ns);
}

static void run_step(struct program *program, const struct plan *plan)
{
	int64_t stage_ns = program->now_ns;

	for (size_t p = 0; p < plan->part_count; p++) {
		if (p == plan->middle)
			close_stage(program, plan->stages[0], stage_ns);
		if (p == plan->last)
			close_stage(program, plan->stages[1], stage_ns);
		if (p == plan->first || p == plan->middle)
			stage_ns = program->now_ns;
		plan->parts[p](program);
		program->now_ns += (int64_t)below(&program->lengths, 3) * 1000;
	}
}

/* Runs the steps. All draw the same lengths, but for every fourth one. */
static void run_steps(struct program *program, uint64_t *state)
{
	const size_t steps = 1 + below(state, MOST_STEPS);
	const bool slow_start = below(state, 2) > 0, named = below(state, 3) > 0;
	const uint64_t lengths = next_number(state);
	struct plan plan;

	draw_plan(&plan, state);
	for (size_t i = 0; i < steps; i++) {
		int64_t start_ns = program->now_ns;
		char name[32];

		program->step = (int)i;
		program->lengths = lengths + (i % 4 == 3 ? i : 0);
		if (slow_start && (i == 0 || i == 7)) {
			call(program, "cuModuleLoadData", 3000000);
			program->now_ns += 1000000;
		}
		run_step(program, &plan);
		(void)snprintf(name, sizeof name, "ProfilerStep#%d", (int)i);
		if (named)
			close_range(program, WEIR_HOST_ANNOTATION, name, start_ns);
		program->now_ns += (int64_t)(i % 3) * 5000;
	}
}

static void add_label(struct weir_trace *trace, const char *key, const char *value)
{
	trace->labels = weir_grow(trace->labels, &trace->label_capacity, trace->label_count + 1,
	                          sizeof *trace->labels);
	trace->labels[trace->label_count++] =
		(struct weir_label){weir_names_add(trace->names, key, strlen(key)),
	                            weir_names_add(trace->names, value, strlen(value))};
}

struct weir_trace *random_program(uint64_t *state)
{
	static const char *const sync_names[] = {"Stream Synchronize", "Stream Wait Event"};
	struct program program = {.make = make_trace_new()};
	struct weir_trace *trace;

	run_steps(&program, state);
	trace = make_trace_finish(program.make);
	trace->syncs = weir_grow(trace->syncs, &trace->sync_capacity, program.sync_count + 1,
	                         sizeof *trace->syncs);
	for (size_t i = 0; i < program.sync_count && below(state, 8); i++) {
		const char *name = sync_names[program.syncs[i].kind_name];

		program.syncs[i].kind_name = weir_names_add(trace->names, name, strlen(name));
		trace->syncs[trace->sync_count++] = program.syncs[i];
	}
	if (below(state, 2))
		add_label(trace, "profiler", "of a test");
	if (below(state, 3) == 0)
		add_label(trace, WEIR_LABEL_LAUNCH_BLOCKING, "1");
	advice_give_shape(trace, "aten::mm", "[[512, 512], [512, 512]]", "[\"float\", \"float\"]");
	advice_give_shape(trace, "aten::add", "[[64, 512], [512], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	return trace;
}
