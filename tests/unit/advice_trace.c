/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/base/arena.h"
#include "tests/unit/advice_record.h"
#include "tests/unit/advice_trace.h"

#define OP_NS    1000 /* host time of an operator with one launch */
#define AHEAD_NS 1000000

struct advice_trace *advice_trace_new(void)
{
	struct advice_trace *run = weir_alloc(sizeof *run);

	run->make = make_trace_new();
	run->device_ns = AHEAD_NS;
	run->correlation = 1;
	return run;
}

static void end_draft(struct advice_trace *run)
{
	if (run->has_draft)
		weir_draft_release(&run->draft);
	run->has_draft = false;
}

void advice_trace_free(struct advice_trace *run)
{
	end_draft(run);
	weir_advisor_release(&run->advisor);
	weir_analysis_free(run->analysis);
	weir_profile_free(run->profile);
	free(run);
}

static void remember(struct advice_trace *run, const char *name, const char *dims,
                     const char *types)
{
	assert_true(run->op_count < ADVICE_MAX_OPS);
	run->ops[run->op_count++] = (struct advice_op){
		.name = name, .dims = dims, .types = types, .start_ns = run->host_ns};
}

void advice_trace_op(struct advice_trace *run, const char *name, const char *dims,
                     const char *types)
{
	run->host_ns += OP_NS;
	remember(run, name, dims, types);
	make_host(run->make, WEIR_HOST_OP, 0, name, run->host_ns, run->host_ns + OP_NS - 1);
}

void advice_trace_around(struct advice_trace *run, const char *name, const char *dims,
                         const char *types, int count)
{
	run->host_ns += OP_NS;
	remember(run, name, dims, types);
	make_host(run->make, WEIR_HOST_OP, 0, name, run->host_ns,
	          run->host_ns + (int64_t)(count + 1) * OP_NS);
}

void advice_trace_kernel(struct advice_trace *run, const char *name, int64_t ns)
{
	advice_trace_blocks(run, name, ns, 0, 0);
}

void advice_trace_blocks(struct advice_trace *run, const char *name, int64_t ns, uint32_t blocks,
                         uint32_t threads)
{
	int64_t call_ns = run->host_ns + 10 * (int64_t)(run->correlation % 50) + 10;

	make_call(run->make, 0, "cudaLaunchKernel", call_ns, call_ns + 5, run->correlation);
	make_device(run->make, &(struct make_device_row){.kind = WEIR_DEVICE_KERNEL,
	                                                 .name = name,
	                                                 .start_ns = run->device_ns,
	                                                 .end_ns = run->device_ns + ns,
	                                                 .bytes = -1,
	                                                 .correlation = run->correlation,
	                                                 .blocks = blocks,
	                                                 .threads_per_block = threads});
	run->device_ns += ns;
	run->correlation++;
}

void advice_trace_graph(struct advice_trace *run, const char *kernel, int64_t ns, int count)
{
	run->host_ns += OP_NS;
	make_call(run->make, 0, "cudaGraphLaunch", run->host_ns, run->host_ns + 5,
	          run->correlation);
	for (int i = 0; i < count; i++) {
		make_device(run->make, &(struct make_device_row){
					       .name = kernel,
					       .start_ns = run->device_ns,
					       .end_ns = run->device_ns + ns,
					       .bytes = -1,
					       .correlation = run->correlation,
					       .graph_node = (uint64_t)i + 1,
					       .flags = WEIR_DEVICE_IN_GRAPH,
				       });
		run->device_ns += ns;
	}
	run->correlation++;
}

void advice_trace_idle(struct advice_trace *run, int64_t ns)
{
	run->host_ns = run->device_ns + ns - OP_NS;
	run->device_ns += ns;
}

static uint32_t add_shape(struct weir_trace *trace, const struct advice_op *op)
{
	trace->shapes = weir_grow(trace->shapes, &trace->shape_capacity, trace->shape_count + 2,
	                          sizeof *trace->shapes);
	if (trace->shape_count == 0)
		trace->shapes[trace->shape_count++] = (struct weir_shape){0};
	trace->shapes[trace->shape_count] = (struct weir_shape){
		.dims = weir_names_add(trace->names, op->dims, strlen(op->dims)),
		.types = weir_names_add(trace->names, op->types, strlen(op->types)),
	};
	return (uint32_t)trace->shape_count++;
}

static void give_shapes(struct advice_trace *run, struct weir_trace *trace)
{
	for (size_t o = 0; o < run->op_count; o++) {
		uint32_t shape = add_shape(trace, &run->ops[o]);

		for (size_t i = 0; i < trace->host.count; i++)
			if (trace->host.kind[i] == WEIR_HOST_OP &&
			    trace->host.start_ns[i] == run->ops[o].start_ns)
				trace->host.shape[i] = shape;
	}
	trace->has_shapes = true;
}

void advice_trace_finish(struct advice_trace *run, const char *device)
{
	struct weir_analysis_options options = {.steady = true, .device_name = device};
	struct weir_trace *trace = make_trace_finish(run->make);
	struct weir_error err = {0};

	give_shapes(run, trace);
	run->profile = weir_profile_new();
	weir_profile_add_input(run->profile, "trace")->trace = trace;
	if (weir_analysis_new(run->profile, &options, &run->analysis, &err))
		fail_msg("%s", err.message);
	run->report.profiler.inflation = NAN;
	assert_true(weir_advisor_init(&run->advisor, run->analysis, &run->report));
}

bool advice_trace_apply(struct advice_trace *run, weir_fix_apply *fix)
{
	end_draft(run);
	advice_record_check(&run->advisor);
	weir_draft_init(&run->draft, &run->advisor);
	run->has_draft = true;
	return weir_draft_apply(&run->draft, fix);
}
