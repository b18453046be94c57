/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/fix_examples.h"

#define START_US          1000000.0
#define BASE_NS           1700000000000000000
#define PROCESS           100
#define STREAM            7
#define LATENCY_US        1.0 /* from the return of a launch to the start of its work */
#define GAP_US            1.0 /* between two pieces of work in the device's queue */
#define RETURN_US         1.0 /* from the end of the work to the return of a wait */
#define STEP_GAP_US       2.0 /* between two steps */
#define BEFORE_LAUNCH     0.5 /* share of an operator's host time before its launch */
#define LAUNCH            0.3 /* share of the launch */
#define LONGEST_LAUNCH_US 5.0
#define AROUND_US         1.0 /* from an operator to a call of the driver that fills it, both sides */

/* ---- events ---- */

/* The clocks of a trace that is made. */
struct clocks {
	struct weir_jsonout json;
	size_t rank;
	size_t turn;               /* of the repeated call that is made */
	double host_us, device_us; /* end of the host's and of the device's work so far */
	int64_t correlation;       /* of the last launch */
};

/* Begins an event and its args. */
static void begin(struct clocks *clocks, const char *category, const char *name, double start_us,
                  double us)
{
	weir_jsonout_begin_object(&clocks->json, NULL);
	weir_jsonout_text(&clocks->json, "ph", "X");
	weir_jsonout_text(&clocks->json, "cat", category);
	weir_jsonout_text(&clocks->json, "name", name);
	weir_jsonout_double(&clocks->json, "ts", round(start_us * 1000) / 1000);
	weir_jsonout_double(&clocks->json, "dur", round(us * 1000) / 1000);
}

static void begin_on_host(struct clocks *clocks, const char *category, const char *name,
                          double start_us, double us)
{
	begin(clocks, category, name, start_us, us);
	weir_jsonout_int(&clocks->json, "pid", PROCESS);
	weir_jsonout_int(&clocks->json, "tid", PROCESS);
	weir_jsonout_begin_object(&clocks->json, "args");
}

static void end(struct clocks *clocks)
{
	weir_jsonout_end(&clocks->json);
	weir_jsonout_end(&clocks->json);
}

static void put_text(struct weir_jsonout *json, const char *key, const char *text, size_t turn)
{
	struct weir_text number = {0};

	weir_text_printf(&number, "%zu", turn);
	weir_jsonout_text(json, key, strcmp(text, WEIR_EXAMPLE_TURN) == 0 ? number.data : text);
	weir_text_release(&number);
}

static void put_node(struct weir_jsonout *json, const char *key, const cJSON *node, size_t turn)
{
	const char *text = cJSON_GetStringValue(node);
	const cJSON *item;

	if (cJSON_IsArray(node)) {
		weir_jsonout_begin_array(json, key);
		cJSON_ArrayForEach (item, node)
			put_node(json, NULL, item, turn);
		weir_jsonout_end(json);
	} else if (cJSON_IsNumber(node)) {
		weir_jsonout_double(json, key, node->valuedouble);
	} else {
		put_text(json, key, text ? text : "", turn);
	}
}

static void put_op(struct clocks *clocks, const struct weir_fix_call *call, double start_us)
{
	const struct {
		const char *key;
		const cJSON *node;
	} args[] = {{"Input Dims", call->dims},
	            {"Input Strides", call->strides},
	            {"Input type", call->types},
	            {"Concrete Inputs", call->scalars}};

	begin_on_host(clocks, "cpu_op", call->op, start_us, clocks->host_us - start_us);
	for (size_t i = 0; i < WEIR_COUNT_OF(args); i++)
		if (args[i].node)
			put_node(&clocks->json, args[i].key, args[i].node, clocks->turn);
	end(clocks);
}

static void put_api(struct clocks *clocks, const char *name, double start_us, double us)
{
	begin_on_host(clocks, "cuda_runtime", name, start_us, us);
	weir_jsonout_int(&clocks->json, "correlation", clocks->correlation);
	end(clocks);
}

static void put_extent(struct weir_jsonout *json, const char *key, int64_t x)
{
	weir_jsonout_begin_array(json, key);
	weir_jsonout_int(json, NULL, x);
	weir_jsonout_int(json, NULL, 1);
	weir_jsonout_int(json, NULL, 1);
	weir_jsonout_end(json);
}

/* Writes the members of a collective as the profiler does. */
static void put_message(struct weir_jsonout *json, const struct weir_fix_call *call)
{
	if (!call->collective)
		return;
	weir_jsonout_text(json, "Collective name", call->collective);
	weir_jsonout_text(json, "dtype", call->dtype);
	weir_jsonout_int(json, "In msg nelems", (int64_t)call->elements);
	weir_jsonout_int(json, "Out msg nelems", (int64_t)call->elements);
	weir_jsonout_int(json, "Group size", (int64_t)call->ranks);
}

static void put_work(struct clocks *clocks, const struct weir_fix_call *call, double start_us,
                     double us)
{
	static const char *const categories[WEIR_CALL_COUNT] = {
		[WEIR_CALL_KERNEL] = "kernel",
		[WEIR_CALL_MEMCPY] = "gpu_memcpy",
		[WEIR_CALL_MEMSET] = "gpu_memset",
	};

	begin(clocks, categories[call->kind], call->kernel, start_us, us);
	weir_jsonout_int(&clocks->json, "pid", 0);
	weir_jsonout_int(&clocks->json, "tid", STREAM);
	weir_jsonout_begin_object(&clocks->json, "args");
	weir_jsonout_int(&clocks->json, "device", 0);
	weir_jsonout_int(&clocks->json, "stream", STREAM);
	weir_jsonout_int(&clocks->json, "correlation", clocks->correlation);
	if (!isnan(call->bytes))
		weir_jsonout_rounded(&clocks->json, "bytes", call->bytes);
	if (call->kind == WEIR_CALL_KERNEL) {
		put_extent(&clocks->json, "grid", 1024);
		put_extent(&clocks->json, "block", 256);
	}
	put_message(&clocks->json, call);
	end(clocks);
}

/* ---- the program ---- */

/* Times of a launch. */
struct launch {
	double call_us, return_us; /* start and end of the launch call */
	double start_us;           /* of its work */
};

static struct launch launch_of(const struct clocks *clocks, const struct weir_fix_call *call)
{
	double host_us = call->host_us[clocks->rank];
	struct launch out = {.call_us = clocks->host_us + BEFORE_LAUNCH * host_us};

	out.return_us = out.call_us + fmin(LAUNCH * host_us, LONGEST_LAUNCH_US);
	out.start_us = fmax(out.return_us + LATENCY_US, clocks->device_us + GAP_US);
	return out;
}

/* Returns the time at which the work of a call ends on a rank: a collective ends on all ranks when
 * the last one has taken part. */
static double work_end(const struct clocks *all, size_t ranks, size_t rank,
                       const struct weir_fix_call *call)
{
	double end_us = launch_of(&all[rank], call).start_us + call->us[rank];

	for (size_t r = 0; call->collective && r < ranks; r++)
		end_us = fmax(end_us, launch_of(&all[r], call).start_us + call->us[r]);
	return end_us;
}

/* Launches the work of a call; returns the time at which the host goes on. */
static double put_launch(struct clocks *clocks, const struct weir_fix_call *call, double end_us)
{
	static const char *const names[WEIR_CALL_COUNT] = {
		[WEIR_CALL_KERNEL] = "cudaLaunchKernel",
		[WEIR_CALL_MEMCPY] = "cudaMemcpyAsync",
		[WEIR_CALL_MEMSET] = "cudaMemsetAsync",
	};
	struct launch launch = launch_of(clocks, call);

	clocks->correlation++;
	put_api(clocks, names[call->kind], launch.call_us, launch.return_us - launch.call_us);
	put_work(clocks, call, launch.start_us, end_us - launch.start_us);
	clocks->device_us = end_us;
	if (!call->sync)
		return launch.return_us;
	clocks->correlation++;
	put_api(clocks, "cudaStreamSynchronize", launch.return_us,
	        clocks->device_us + RETURN_US - launch.return_us);
	return clocks->device_us + RETURN_US;
}

/* Makes a call on one rank, whose work ends at work_end_us. */
static void make_call(struct clocks *clocks, const struct weir_fix_call *call, double work_end_us)
{
	double host_us = call->host_us[clocks->rank];
	double start_us = clocks->host_us, end_us = start_us + host_us;

	if (call->kernel)
		end_us = fmax(end_us, put_launch(clocks, call, work_end_us));
	clocks->host_us = end_us;
	if (call->inside) {
		begin_on_host(clocks, "cpu_op", call->inside, start_us, end_us - start_us);
		end(clocks);
	}
	put_op(clocks, call, start_us);
	if (call->api) {
		clocks->correlation++;
		put_api(clocks, call->api, start_us + AROUND_US, host_us - 2 * AROUND_US);
	}
}

/* Makes a call on all ranks. */
static void make_calls(struct clocks *all, size_t ranks, const struct weir_fix_call *call)
{
	double end_us[WEIR_EXAMPLE_RANKS];

	for (size_t i = 0; i < call->repeat; i++) {
		for (size_t r = 0; r < ranks; r++) {
			all[r].turn = call->repeat > 1 ? i : call->turn;
			end_us[r] = call->kernel ? work_end(all, ranks, r, call) : 0;
		}
		for (size_t r = 0; r < ranks; r++)
			make_call(&all[r], call, end_us[r]);
	}
}

/* Writes the mark of a step up to now. A program of one step has none: it is a whole run. */
static void put_step(struct clocks *clocks, const struct weir_fix_example *example,
                     const char *name, double start_us)
{
	if (example->steps == 1)
		return;
	begin_on_host(clocks, "user_annotation", name, start_us, clocks->host_us - start_us);
	end(clocks);
}

static void make_step(struct clocks *all, const struct weir_fix_example *example, size_t number)
{
	double start_us[WEIR_EXAMPLE_RANKS];
	struct weir_text name = {0};

	for (size_t r = 0; r < example->ranks; r++) {
		start_us[r] = all[r].host_us;
		all[r].host_us += STEP_GAP_US / 2;
	}
	for (size_t c = 0; c < example->call_count; c++)
		make_calls(all, example->ranks, &example->calls[c]);
	weir_text_printf(&name, "ProfilerStep#%zu", number);
	for (size_t r = 0; r < example->ranks; r++) {
		all[r].host_us += STEP_GAP_US / 2;
		put_step(&all[r], example, name.data, start_us[r]);
		all[r].host_us += STEP_GAP_US;
	}
	weir_text_release(&name);
}

/* Begins the trace of a rank, up to its events. */
static void begin_trace(struct clocks *clocks, const struct weir_fix_example *example)
{
	weir_jsonout_begin_object(&clocks->json, NULL);
	weir_jsonout_int(&clocks->json, "schemaVersion", 1);
	if (example->ranks > 1) {
		weir_jsonout_int(&clocks->json, "baseTimeNanoseconds", BASE_NS);
		weir_jsonout_begin_object(&clocks->json, "distributedInfo");
		weir_jsonout_text(&clocks->json, "backend", "nccl");
		weir_jsonout_int(&clocks->json, "rank", (int64_t)clocks->rank);
		weir_jsonout_int(&clocks->json, "world_size", (int64_t)example->ranks);
		weir_jsonout_end(&clocks->json);
	}
	weir_jsonout_begin_array(&clocks->json, "deviceProperties");
	weir_jsonout_begin_object(&clocks->json, NULL);
	weir_jsonout_int(&clocks->json, "id", 0);
	weir_jsonout_text(&clocks->json, "name", example->device);
	weir_jsonout_end(&clocks->json);
	weir_jsonout_end(&clocks->json);
	weir_jsonout_begin_array(&clocks->json, "traceEvents");
}

void weir_fix_example_traces(const struct weir_fix_example *example, struct weir_text *out)
{
	struct clocks all[WEIR_EXAMPLE_RANKS];

	for (size_t r = 0; r < example->ranks; r++) {
		all[r] = (struct clocks){.rank = r, .host_us = START_US, .device_us = START_US};
		weir_jsonout_init(&all[r].json, &out[r], false);
		begin_trace(&all[r], example);
	}
	for (size_t i = 0; i < example->steps; i++)
		make_step(all, example, i + 1);
	for (size_t r = 0; r < example->ranks; r++) {
		weir_jsonout_end(&all[r].json);
		weir_jsonout_end(&all[r].json);
	}
}

/* ---- the trial ---- */

static void judge(const struct weir_fix_example *example, const struct weir_report *report,
                  struct weir_fix_trial *out)
{
	const struct weir_recommendation *advice = weir_recommendation_find(report, example->fix);

	if (!advice)
		advice = weir_recommendation_instead(report, example->fix);
	out->found = advice != NULL;
	out->step_ns = advice ? advice->saving_step_ns : NAN;
	out->passed = out->found == example->found &&
	              (isnan(example->low_us) || (out->step_ns >= example->low_us * 1e3 &&
	                                          out->step_ns <= example->high_us * 1e3));
}

enum weir_status weir_fix_example_run(const struct weir_fix_example *example,
                                      struct weir_fix_trial *out, struct weir_error *err)
{
	struct weir_text traces[WEIR_EXAMPLE_RANKS] = {0};
	struct weir_buffer buffers[WEIR_EXAMPLE_RANKS] = {0};
	const struct weir_classify_request request = {.buffers = buffers,
	                                              .buffer_count = example->ranks};
	struct weir_classification *classification;
	enum weir_status status;

	weir_fix_example_traces(example, traces);
	for (size_t r = 0; r < example->ranks; r++)
		buffers[r] = (struct weir_buffer){
			.name = "example.json", .data = traces[r].data, .size = traces[r].length};
	status = weir_classify(&request, &classification, err);
	if (status) {
		weir_fail_in(err, "%s: %s: examples[%zu]", example->file, example->fix,
		             example->index);
	} else {
		judge(example, weir_classification_report(classification), out);
		weir_classification_free(classification);
	}
	for (size_t r = 0; r < example->ranks; r++)
		weir_text_release(&traces[r]);
	return status;
}
