/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/base/arena.h"
#include "tests/unit/advice_record.h"
#include "tests/unit/advice_run.h"

void advice_make_copy(struct make_trace *make, const struct advice_copy *copy)
{
	make_host(make, WEIR_HOST_OP, 0, "aten::copy_", copy->call_ns - 2000,
	          copy->return_ns + 6000);
	make_call(make, 0, "cudaMemcpyAsync", copy->call_ns, copy->return_ns, copy->correlation);
	make_device(make, &(struct make_device_row){
				  .kind = WEIR_DEVICE_COPY,
				  .name = copy->name,
				  .start_ns = copy->start_ns,
				  .end_ns = copy->end_ns,
				  .bytes = copy->bytes,
				  .correlation = copy->correlation,
			  });
}

void advice_make_step(struct make_trace *make, int number, int64_t start_ns, int64_t end_ns)
{
	char name[32];

	snprintf(name, sizeof name, "ProfilerStep#%d", number);
	make_host(make, WEIR_HOST_ANNOTATION, 0, name, start_ns, end_ns);
}

void advice_give_shape(struct weir_trace *trace, const char *op, const char *dims,
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
		if (strcmp(weir_names_text(trace->names, trace->host.name[i]), op) == 0)
			trace->host.shape[i] = (uint32_t)trace->shape_count;
	trace->shape_count++;
	trace->has_shapes = true;
}

void advice_run_init(struct advice_run *run, struct weir_trace *const *traces, size_t count,
                     const char *device)
{
	struct weir_analysis_options options = {.steady = true, .device_name = device};
	struct weir_error err = {0};

	*run = (struct advice_run){.profile = weir_profile_new()};
	for (size_t i = 0; i < count; i++)
		weir_profile_add_input(run->profile, "trace")->trace = traces[i];
	if (weir_analysis_new(run->profile, &options, &run->analysis, &err))
		fail_msg("%s", err.message);
	run->report.profiler.inflation = NAN;
	assert_true(weir_advisor_init(&run->advisor, run->analysis, &run->report));
	weir_draft_init(&run->draft, &run->advisor);
}

void advice_run_release(struct advice_run *run)
{
	weir_draft_release(&run->draft);
	weir_advisor_release(&run->advisor);
	weir_analysis_free(run->analysis);
	weir_profile_free(run->profile);
}

bool advice_run_apply(struct advice_run *run, weir_fix_apply *fix)
{
	advice_record_check(&run->advisor);
	weir_draft_release(&run->draft);
	weir_draft_init(&run->draft, &run->advisor);
	return weir_draft_apply(&run->draft, fix);
}

double advice_run_step_ns(const struct advice_run *run)
{
	return weir_replay(&run->draft.program, (struct weir_host_speed){1, 1, 1},
	                   WEIR_REPLAY_TYPICAL);
}
