/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

#define THREADS 3
#define DEVICES 2
#define SPAN_NS 3000000

static int64_t below(uint64_t *state, uint64_t limit)
{
	return (int64_t)(next_number(state) % limit);
}

/* Returns the time on the grid at or before a time. */
static int64_t on_grid(int64_t ns, int64_t grid_ns)
{
	return ns >= 0 ? ns - ns % grid_ns : -on_grid(-ns, grid_ns);
}

/* Mostly short, sometimes longer than every threshold of the analysis, sometimes 0. */
static int64_t duration(uint64_t *state)
{
	static const int64_t most[] = {1, 2000, 20000, 20000, 300000};

	return below(state, (uint64_t)most[below(state, 5)]);
}

static void add_work(struct make_trace *make, uint64_t *state, int64_t grid_ns, int64_t at_ns,
                     uint64_t correlation)
{
	static const struct {
		const char *name;
		enum weir_device_kind kind;
	} work[] = {{"gemm", WEIR_DEVICE_KERNEL},
	            {"elementwise_kernel", WEIR_DEVICE_KERNEL},
	            {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", WEIR_DEVICE_KERNEL},
	            {"Memcpy HtoD (Pageable -> Device)", WEIR_DEVICE_COPY},
	            {"Memcpy DtoD (Device -> Device)", WEIR_DEVICE_COPY},
	            {"Memset (Device)", WEIR_DEVICE_SET}};
	int64_t kind = below(state, sizeof work / sizeof *work), device = below(state, DEVICES);
	int64_t start_ns = on_grid(at_ns - 1000 + duration(state), grid_ns),
		stream = below(state, 2);
	int64_t end_ns = start_ns + on_grid(duration(state), grid_ns), blocks = below(state, 300);

	make_device(make, &(struct make_device_row){
				  .kind = work[kind].kind,
				  .device = (uint16_t)device,
				  .stream = (uint32_t)(device * 2 + stream),
				  .name = work[kind].name,
				  .start_ns = start_ns,
				  .end_ns = end_ns,
				  .bytes = -1,
				  .correlation = correlation,
				  .blocks = (uint32_t)blocks,
				  .flags = (uint8_t)below(state, 2),
			  });
}

static void add_calls(struct make_trace *make, uint64_t *state, int64_t grid_ns, int64_t count)
{
	static const char *const calls[] = {
		"cudaLaunchKernel", "cudaLaunchKernel", "cudaGraphLaunch", "cudaStreamSynchronize",
		"cudaMalloc",       "cuModuleLoadData", "cudaMemcpyAsync"};

	for (int64_t i = 0; i < count; i++) {
		int64_t at_ns = on_grid(below(state, SPAN_NS), grid_ns), call = below(state, 7);
		int64_t ns = on_grid(duration(state), grid_ns);

		make_call(make, (uint32_t)below(state, THREADS), calls[call], at_ns, at_ns + ns,
		          (uint64_t)i + 1);
		for (int64_t rows = call == 2 ? below(state, 5) : below(state, 3) > 0; rows > 0;
		     rows--)
			add_work(make, state, grid_ns, at_ns,
			         below(state, 8) ? (uint64_t)i + 1 : 0);
	}
}

static void add_ranges(struct make_trace *make, uint64_t *state, int64_t grid_ns, int64_t count)
{
	static const struct {
		enum weir_host_kind kind;
		const char *name;
	} ranges[] = {{WEIR_HOST_OP, "aten::mm"},
	              {WEIR_HOST_OP, "aten::add"},
	              {WEIR_HOST_OP, "c10d::allreduce_"},
	              {WEIR_HOST_PYTHON, "model.py(12): forward"},
	              {WEIR_HOST_PYTHON, "torch/utils/data/fetch.py(3): fetch"},
	              {WEIR_HOST_ANNOTATION, "decode_7"},
	              {WEIR_HOST_ANNOTATION, "prefill"},
	              {WEIR_HOST_ANNOTATION, "tokenize"},
	              {WEIR_HOST_OVERHEAD, "Activity Buffer Request"},
	              {WEIR_HOST_OVERHEAD, "Lazy Function Loading"}};

	for (int64_t i = 0; i < count; i++) {
		int64_t at_ns = on_grid(below(state, SPAN_NS), grid_ns), which = below(state, 10);
		int64_t ns = on_grid(duration(state), grid_ns);

		make_host(make, ranges[which].kind, (uint32_t)below(state, THREADS),
		          ranges[which].name, at_ns, at_ns + ns);
	}
}

/* No call draws two of its arguments: compilers evaluate them in any order. */
struct weir_trace *random_trace_on_grid(uint64_t *state, int64_t grid_ns)
{
	struct make_trace *make = make_trace_new();
	int64_t steps = below(state, 12);

	for (int64_t i = 0; i < steps; i++) {
		char name[32];

		snprintf(name, sizeof name, "ProfilerStep#%d", (int)i);
		make_host(make, WEIR_HOST_ANNOTATION, 0, name,
		          on_grid(i * SPAN_NS / steps, grid_ns),
		          on_grid(i * SPAN_NS / steps + SPAN_NS / (steps + below(state, 2)),
		                  grid_ns));
	}
	add_ranges(make, state, grid_ns, below(state, 60));
	add_calls(make, state, grid_ns, below(state, 60));
	return make_trace_finish(make);
}

struct weir_trace *random_trace(uint64_t *state)
{
	return random_trace_on_grid(state, 1);
}
