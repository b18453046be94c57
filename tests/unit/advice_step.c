/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/draft.h"
#include "engine/analysis/advice/places.h"
#include "engine/analysis/analyze.h"
#include "engine/base/arena.h"
#include "tests/unit/advice_record.h"
#include "tests/unit/advice_step.h"
#include "tests/unit/make_trace.h"

#define TURNS   8
#define NESTED  8
#define CALL_NS 1000 /* of a launch */
/* Time from the launch of a kernel to its start, and of an operator around it. */
#define LATENCY_NS 3000
#define OP_NS      1000

enum item_kind { BEGIN, END, KERNEL, COPY, WAIT, PASS, FRAME, GRAPH };

struct item {
	enum item_kind kind;
	const char *name, *dims, *types, *scalars, *strides;
	int64_t ns, bytes; /* bytes 0: not recorded */
	uint32_t blocks;
	int count;
};

/* A host row that has a shape, found again by its start. */
struct shaped {
	int64_t start_ns;
	const struct item *item;
};

struct advice_step {
	struct item *items;
	size_t count, capacity;
	struct make_trace *make;
	int64_t host_ns, device_ns;
	int64_t return_ns; /* of copies, from the end of their work */
	uint64_t correlation;
	struct {
		const struct item *item;
		int64_t start_ns;
	} open[NESTED];
	size_t depth;
	struct shaped *shaped;
	size_t shaped_count, shaped_capacity;
};

/* ---- writing ---- */

struct advice_step *advice_step_new(void)
{
	struct advice_step *step = weir_alloc(sizeof *step);

	step->return_ns = CALL_NS;
	return step;
}

static void add(struct advice_step *step, struct item item)
{
	step->items = weir_grow(step->items, &step->capacity, step->count + 1, sizeof *step->items);
	step->items[step->count++] = item;
}

void advice_step_begin(struct advice_step *step, const char *op, const char *dims,
                       const char *types, const char *scalars)
{
	add(step,
	    (struct item){
		    .kind = BEGIN, .name = op, .dims = dims, .types = types, .scalars = scalars});
}

void advice_step_strides(struct advice_step *step, const char *strides)
{
	step->items[step->count - 1].strides = strides;
}

void advice_step_end(struct advice_step *step)
{
	add(step, (struct item){.kind = END});
}

void advice_step_kernel(struct advice_step *step, const char *kernel, double us, uint32_t blocks)
{
	add(step,
	    (struct item){
		    .kind = KERNEL, .name = kernel, .ns = (int64_t)(us * 1000), .blocks = blocks});
}

void advice_step_copy(struct advice_step *step, const char *name, double us)
{
	advice_step_copy_bytes(step, name, us, 0);
}

void advice_step_copy_bytes(struct advice_step *step, const char *name, double us, int64_t bytes)
{
	add(step,
	    (struct item){.kind = COPY, .name = name, .ns = (int64_t)(us * 1000), .bytes = bytes});
}

void advice_step_returns(struct advice_step *step, double us)
{
	step->return_ns = (int64_t)(us * 1000);
}

void advice_step_wait(struct advice_step *step)
{
	add(step, (struct item){.kind = WAIT});
}

void advice_step_pass(struct advice_step *step, double us)
{
	add(step, (struct item){.kind = PASS, .ns = (int64_t)(us * 1000)});
}

void advice_step_frame(struct advice_step *step, const char *name, double us)
{
	add(step, (struct item){.kind = FRAME, .name = name, .ns = (int64_t)(us * 1000)});
}

void advice_step_graph(struct advice_step *step, int kernels, double kernel_us, uint32_t blocks)
{
	add(step, (struct item){.kind = GRAPH,
	                        .ns = (int64_t)(kernel_us * 1000),
	                        .blocks = blocks,
	                        .count = kernels});
}

void advice_step_op(struct advice_step *step, const char *op, const char *dims, const char *types,
                    const char *kernel, double us)
{
	advice_step_begin(step, op, dims, types, NULL);
	advice_step_kernel(step, kernel, us, 1000);
	advice_step_end(step);
}

void advice_step_view(struct advice_step *step, const char *op, const char *dims, const char *types,
                      const char *scalars)
{
	advice_step_begin(step, op, dims, types, scalars);
	advice_step_end(step);
}

/* ---- playing ---- */

static void run_device(struct advice_step *step, enum weir_device_kind kind, const char *name,
                       const struct item *item)
{
	int64_t start_ns = step->host_ns + LATENCY_NS, ns = item->ns;

	if (start_ns < step->device_ns)
		start_ns = step->device_ns;
	step->device_ns = start_ns + ns;
	make_device(step->make,
	            &(struct make_device_row){.kind = kind,
	                                      .name = name,
	                                      .start_ns = start_ns,
	                                      .end_ns = start_ns + ns,
	                                      .bytes = item->bytes > 0 ? item->bytes : -1,
	                                      .blocks = item->blocks,
	                                      .correlation = step->correlation});
}

static void play_call(struct advice_step *step, const char *name, int64_t ns)
{
	make_call(step->make, 0, name, step->host_ns, step->host_ns + ns, step->correlation);
	step->host_ns += ns;
}

/* Calls what waits for the device up to the end of its work. */
static void play_waiting_call(struct advice_step *step, const char *name, int64_t return_ns)
{
	int64_t ns = return_ns;

	if (step->device_ns > step->host_ns)
		ns += step->device_ns - step->host_ns;
	play_call(step, name, ns);
}

static void play_graph(struct advice_step *step, const struct item *item)
{
	for (int k = 0; k < item->count; k++)
		run_device(step, WEIR_DEVICE_KERNEL, k % 2 ? "vectorized_kernel" : "nvjet_gemm",
		           item);
	play_call(step, "cudaGraphLaunch", CALL_NS);
}

static void close_op(struct advice_step *step)
{
	const struct item *item = step->open[--step->depth].item;
	int64_t start_ns = step->open[step->depth].start_ns;

	step->host_ns += OP_NS;
	make_host(step->make, WEIR_HOST_OP, 0, item->name, start_ns, step->host_ns);
	if (!item->dims)
		return;
	step->shaped = weir_grow(step->shaped, &step->shaped_capacity, step->shaped_count + 1,
	                         sizeof *step->shaped);
	step->shaped[step->shaped_count++] = (struct shaped){start_ns, item};
}

static void play(struct advice_step *step, const struct item *item)
{
	step->correlation++;
	switch (item->kind) {
	case BEGIN:
		step->open[step->depth].item = item;
		step->open[step->depth++].start_ns = step->host_ns;
		step->host_ns += OP_NS;
		return;
	case END:
		close_op(step);
		return;
	case KERNEL:
		run_device(step, WEIR_DEVICE_KERNEL, item->name, item);
		play_call(step, "cudaLaunchKernel", CALL_NS);
		return;
	case COPY:
		run_device(step, WEIR_DEVICE_COPY, item->name, item);
		play_waiting_call(step, "cudaMemcpyAsync", step->return_ns);
		return;
	case WAIT:
		play_waiting_call(step, "cudaStreamSynchronize", CALL_NS);
		return;
	case PASS:
		step->host_ns += item->ns;
		return;
	case FRAME:
		make_host(step->make, WEIR_HOST_PYTHON, 0, item->name, step->host_ns,
		          step->host_ns + item->ns);
		step->host_ns += item->ns;
		return;
	case GRAPH:
		play_graph(step, item);
		return;
	}
}

static uint32_t add_text(struct weir_trace *trace, const char *text)
{
	return text ? weir_names_add(trace->names, text, strlen(text)) : 0;
}

/* Gives the operators their shapes; equal shapes share a row, as readers do it. */
static void give_shapes(struct advice_step *step, struct weir_trace *trace)
{
	trace->shapes = weir_grow(trace->shapes, &trace->shape_capacity, step->count + 1,
	                          sizeof *trace->shapes);
	for (size_t i = 0; i < step->count; i++)
		trace->shapes[i + 1] =
			(struct weir_shape){.dims = add_text(trace, step->items[i].dims),
		                            .types = add_text(trace, step->items[i].types),
		                            .scalars = add_text(trace, step->items[i].scalars),
		                            .strides = add_text(trace, step->items[i].strides)};
	trace->shape_count = step->count + 1;
	trace->has_shapes = true;
	for (size_t row = 0; row < trace->host.count; row++)
		for (size_t s = 0; s < step->shaped_count; s++)
			if (trace->host.kind[row] == WEIR_HOST_OP &&
			    step->shaped[s].start_ns == trace->host.start_ns[row])
				trace->host.shape[row] =
					(uint32_t)(step->shaped[s].item - step->items) + 1;
}

static struct weir_trace *play_all(struct advice_step *step)
{
	struct weir_trace *trace;

	step->make = make_trace_new();
	for (int turn = 0; turn < TURNS; turn++) {
		int64_t start_ns = step->host_ns;
		char name[32];

		step->host_ns += OP_NS;
		for (size_t i = 0; i < step->count; i++)
			play(step, &step->items[i]);
		step->host_ns += OP_NS;
		snprintf(name, sizeof name, "ProfilerStep#%d", turn);
		make_host(step->make, WEIR_HOST_ANNOTATION, 0, name, start_ns, step->host_ns);
	}
	trace = make_trace_finish(step->make);
	give_shapes(step, trace);
	trace->devices[0].name = add_text(trace, "NVIDIA H100 80GB HBM3");
	trace->devices[0].memory_bytes = UINT64_C(85017493504);
	trace->devices[0].sms = 132;
	return trace;
}

/* ---- judging ---- */

/* Fills the places of the fix. */
static void name_places(struct weir_draft *draft, struct advice_result *out)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_found_fix fix = {0};

	weir_places_fill(draft, arena, &fix);
	out->places_us = fix.places_ns / 1000;
	snprintf(out->worst_op, sizeof out->worst_op, "%s",
	         fix.place_count > 0 && fix.places[0].op ? fix.places[0].op : "");
	weir_arena_free(arena);
}

static void apply_to(const struct weir_analysis *analysis, const struct weir_report *report,
                     weir_fix_apply *apply, struct advice_result *out)
{
	const struct weir_host_speed plain = {1, 1, 1};
	struct weir_advisor advisor;
	struct weir_draft draft;

	assert_true(weir_advisor_init(&advisor, analysis, report));
	advice_record_check(&advisor);
	advisor.speed = advisor.fast = advisor.slow = plain;
	out->before_us = weir_replay(&advisor.program, plain, WEIR_REPLAY_TYPICAL) / 1000;
	weir_draft_init(&draft, &advisor);
	out->found = weir_draft_apply(&draft, apply);
	out->after_us = weir_replay(&draft.program, plain, WEIR_REPLAY_TYPICAL) / 1000;
	out->low_us = weir_replay(&draft.program, plain, WEIR_REPLAY_LOW) / 1000;
	out->high_us = weir_replay(&draft.program, plain, WEIR_REPLAY_HIGH) / 1000;
	out->rows = draft.rows;
	out->supposed = draft.doubt > 0;
	if (out->found)
		assert_true(draft.basis.length > 0);
	name_places(&draft, out);
	weir_draft_release(&draft);
	weir_advisor_release(&advisor);
}

void advice_step_apply(struct advice_step *step, weir_fix_apply *apply, struct advice_result *out)
{
	struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis;
	struct weir_report *report;
	struct weir_error err;

	weir_profile_add_input(profile, "trace")->trace = play_all(step);
	assert_int_equal(weir_analysis_new(profile, &options, &analysis, &err), WEIR_OK);
	report = weir_report_new(profile);
	weir_analysis_report(analysis, report);
	apply_to(analysis, report, apply, out);
	weir_report_free(report);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
	free(step->items);
	free(step->shaped);
	free(step);
}
