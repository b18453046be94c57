/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weir.report/1 for writing and reading. Keys are in the order of the contract; keys that the
 * contract does not name are at the end of their object.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/feature.h"
#include "engine/report/json/advice.h"
#include "engine/report/json/document_tables.h"
#include "engine/report/json/operators.h"
#include "engine/report/json/pictures.h"
#include "engine/report/json/ranks.h"
#include "engine/report/json/server.h"
#include "engine/report/json/stored.h"
#include "engine/report/words/phrases.h"
#include "engine/report/words/warnings.h"

#define MICRO         1000000    /* shares have six decimals */
#define NATIVE_FORMAT "weir.run" /* inputs of any other format are timelines */
#define MAX_ROWS      WEIR_REPORT_MAX_ROWS

static const struct weir_member share_element = {.kind = WEIR_MEMBER_SHARE, .size = sizeof(double)};
static const struct weir_member ns_element = {
	.kind = WEIR_MEMBER_INTEGER, .size = sizeof(int64_t), .most = WEIR_DOCUMENT_MAX_COUNT};

/* ---- distributions ---- */

#define OF struct weir_distribution
static const struct weir_schema quantiles =
	SCHEMA(LINE, {WHOLE("p50", p50_ns)}, {WHOLE("p90", p90_ns)}, {WHOLE("p95", p95_ns)},
               {WHOLE("p99", p99_ns)});
#undef OF

/* ---- inputs ---- */

static void put_warnings(struct weir_document_writer *out, const struct weir_member *member,
                         const void *object)
{
	const struct weir_input *input = object;

	weir_jsonout_begin_array(out->json, member->key);
	for (int i = 0; i < WEIR_WARN_COUNT; i++) {
		const struct weir_warning *warning = &input->warnings[i];
		struct weir_text sentence = {0};

		if (!warning->count)
			continue;
		weir_warning_sentence(warning, (enum weir_warning_code)i, &sentence);
		weir_jsonout_begin_object_inline(out->json, NULL);
		weir_jsonout_text(out->json, "code",
		                  weir_warning_code_text((enum weir_warning_code)i));
		weir_jsonout_int(out->json, "count", (int64_t)warning->count);
		weir_jsonout_text(out->json, "message", sentence.data);
		weir_jsonout_end(out->json);
		weir_text_release(&sentence);
	}
	weir_jsonout_end(out->json);
}

#define OF struct weir_warning
static const struct weir_schema warning_schema =
	SCHEMA(LINE, {SPECIAL("code", NULL, NULL, FORM(TEXT))}, {COUNT("count", count)},
               {TEXT("message", message)});
#undef OF

static enum weir_status take_warning(struct weir_document_reader *in, const cJSON *item,
                                     void *context)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "code");
	struct weir_input *input = context;
	enum weir_warning_code code;
	struct weir_warning *warning;
	enum weir_status status;

	if (!cJSON_IsString(name) || !weir_warning_code_parse(name->valuestring, &code))
		return weir_fail(in->err, WEIR_E_FORMAT,
		                 "code: expected a warning of weir.report/1");
	warning = &input->warnings[code];
	status = weir_document_take(in, &warning_schema, item, warning);
	if (!status && warning->message && !*warning->message)
		warning->message = NULL; /* the code alone says as much */
	return status;
}

static enum weir_status take_warnings(struct weir_document_reader *in, const cJSON *item,
                                      void *object)
{
	return weir_document_take_each(in, "warnings", item, MAX_ROWS, take_warning, object);
}

/* Reads the path, which the profile owns: it is not in the arena. */
static enum weir_status take_path(struct weir_document_reader *in, const cJSON *item, void *object)
{
	struct weir_input *input = object;

	free(input->path);
	input->path = NULL;
	if (item && !cJSON_IsString(item))
		return weir_fail(in->err, WEIR_E_FORMAT, "expected a text or null");
	if (item && strlen(item->valuestring) > WEIR_DOCUMENT_MAX_TEXT)
		return weir_fail(in->err, WEIR_E_LIMIT, "expected at most 65,536 bytes");
	input->path = item ? weir_alloc_text(item->valuestring) : NULL;
	return WEIR_OK;
}

#define OF struct weir_input
static const struct weir_schema input_schema = SCHEMA(
	BLOCK,
	{.key = "path", .kind = WEIR_MEMBER_TEXT, .offset = offsetof(OF, path), .take = take_path},
	{TEXT("format", format)}, {COUNT("bytes", bytes)}, {COUNT("events", events)},
	{SPECIAL("warnings", put_warnings, take_warnings, FORM_LIST(warning_schema))},
	{TEXT("gives", gives)});
#undef OF

static void put_inputs(struct weir_document_writer *out, const struct weir_member *member,
                       const void *object)
{
	const struct weir_report *report = object;

	weir_jsonout_begin_array(out->json, member->key);
	for (size_t i = 0; report->profile && i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];

		weir_jsonout_begin_object(out->json, NULL);
		weir_document_put(out, &input_schema, input);
		weir_jsonout_end(out->json);
	}
	weir_jsonout_end(out->json);
}

/* Returns true if the input had this content. Without the key `gives` the format decides. */
static bool holds(const struct weir_input *input, const char *content, const char *format)
{
	if (!input->format)
		return false;
	return input->gives ? strstr(input->gives, content) != NULL
	                    : strcmp(input->format, format) == 0;
}

/* Creates an empty timeline or run, which tells writers the content of the input. */
static enum weir_status take_input(struct weir_document_reader *in, const cJSON *item,
                                   void *context)
{
	struct weir_input *input = weir_profile_add_input(context, "");
	enum weir_status status = weir_document_take(in, &input_schema, item, input);

	if (holds(input, "native run", NATIVE_FORMAT))
		input->run = weir_run_new();
	else if (holds(input, "timeline", input->format))
		input->trace = weir_trace_new();
	return status;
}

static enum weir_status take_inputs(struct weir_document_reader *in, const cJSON *item,
                                    void *object)
{
	(void)object; /* inputs are rows of the profile */
	return weir_document_take_each(in, "inputs", item, WEIR_REPORT_MAX_INPUTS, take_input,
	                               in->context);
}

/* ---- run ---- */

#define OF struct weir_device_summary
static const struct weir_schema device_schema =
	SCHEMA(LINE, {TEXT("name", name)}, {COUNT32("count", count)});
#undef OF

#define OF struct weir_set_apart
static const struct weir_schema set_apart_schema =
	SCHEMA(LINE, {TEXT("name", name)}, {TEXT("reason", reason)}, {COUNT("count", count)},
               {NS("duration_ns", duration_ns)});
#undef OF

#define OF struct weir_note
static const struct weir_schema note_schema =
	SCHEMA(LINE, {TEXT("code", code)}, {TEXT("text", text), .required = true});
#undef OF

static void complete_run(void *object)
{
	struct weir_report *report = object;

	report->iteration.count = report->iteration_count;
}

#define OF struct weir_report
static const struct weir_schema run_schema =
	SCHEMA_THEN(BLOCK, .complete = complete_run,
                    {SPECIAL("inputs", put_inputs, take_inputs, FORM_LIST(input_schema))},
                    {LIST("devices", devices, device_count, device_schema, MAX_ROWS)},
                    {COUNT("ranks", rank_count)}, {COUNT("iterations", iteration_count)},
                    {NS("span_ns", span_ns), NULL_IS(0)},
                    {LIST("set_apart", set_apart, set_apart_count, set_apart_schema, MAX_ROWS)},
                    {OBJECT("iteration_ns", iteration, quantiles), WHEN(COUNT, iteration_count)},
                    {BOOL("steady", steady), .fallback = true}, {SHARE("percentile", percentile)},
                    {LIST("notes", notes, note_count, note_schema, MAX_ROWS)},
                    {WHOLE("unprofiled_step_ns", unprofiled_step_ns),
                     WHEN(KNOWN, unprofiled_step_ns), .omit = true});
#undef OF

/* ---- verdict and attribution ---- */

static void put_reading(struct weir_document_writer *out, const struct weir_member *member,
                        const void *object)
{
	const struct weir_feature_table *features =
		((const struct weir_report *)out->root)->feature_table;
	double value = ((const struct weir_reading *)object)->value;
	size_t row = features ? weir_feature_find(features, member->key, strlen(member->key))
	                      : WEIR_NO_FEATURE;

	if (row != WEIR_NO_FEATURE && features->items[row].unit == WEIR_UNIT_NS)
		weir_jsonout_rounded(out->json, member->key, value);
	else
		weir_jsonout_share(out->json, member->key, value);
}

#define OF struct weir_reading
static const struct weir_schema reading_schema =
	SCHEMA(BARE, {SHARE(NULL, value), .put = put_reading});
#undef OF

static void complete_evidence(void *object)
{
	((struct weir_evidence *)object)->truth = WEIR_TRUE;
}

#define OF struct weir_evidence
static const struct weir_schema evidence_schema =
	SCHEMA_THEN(LINE, .complete = complete_evidence, {TEXT("clause", clause), .required = true},
                    {MAP("values", readings, reading_count, reading_schema, INSIDE(readings))});
#undef OF

static void put_phrase(struct weir_document_writer *out, const struct weir_member *member,
                       const void *object)
{
	const struct weir_verdict *verdict = object;
	bool next = member->offset == offsetof(struct weir_verdict, next);
	struct weir_text text = {0};

	weir_phrase_unescaped(out->root, next ? verdict->next : verdict->headline, &text);
	weir_jsonout_text(out->json, member->key, text.length ? text.data : NULL);
	weir_text_release(&text);
}

#define OF struct weir_verdict
static const struct weir_schema runner_up_schema =
	SCHEMA(LINE, {ENUM("bound", runner_up, weir_bound), .none = WEIR_BOUND_UNDETERMINED},
               {SHARE("share", runner_up_share)});

static const struct weir_schema verdict_schema = SCHEMA(
	BLOCK, {ENUM("bound", bound, weir_bound), .required = true}, {TEXT("cause", cause)},
	{ENUM("confidence", confidence, weir_confidence)}, {SHARE("share", share)},
	{TEXT("rule", rule)},
	{LIST("evidence", evidence, evidence_count, evidence_schema, INSIDE(evidence))},
	{PART("runner_up", runner_up_schema), WHEN(FLAG, has_runner_up)},
	{TEXT("next", next), .put = put_phrase}, {TEXT("headline", headline), .put = put_phrase});
#undef OF

/* Rounds the running sum instead of each share, so that rounded shares have the same sum as exact
 * ones. */
static double share_step(double sum, double *before)
{
	double after = round(sum * MICRO), step = (after - *before) / MICRO;

	*before = after;
	return step;
}

static void put_attribution(struct weir_document_writer *out, const struct weir_member *member,
                            const void *object)
{
	const struct weir_attribution *attribution =
		&((const struct weir_report *)object)->attribution;
	int64_t sum = 0;
	double before = 0;

	weir_jsonout_begin_object(out->json, member->key);
	for (int bound = 0; bound < WEIR_BOUND_COUNT; bound++) {
		double share;

		sum += attribution->ns[bound];
		share = attribution->total_ns > 0 ? (double)sum / (double)attribution->total_ns
		                                  : NAN;
		weir_jsonout_share(out->json, weir_attribution_label((enum weir_bound)bound),
		                   share_step(share, &before));
	}
	weir_jsonout_end(out->json);
}

static enum weir_status take_share(struct weir_document_reader *in, const cJSON *item,
                                   const char *key, int64_t *ns, int *known)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, key);

	if (!value || cJSON_IsNull(value))
		return WEIR_OK;
	if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= 1))
		return weir_fail(in->err, WEIR_E_FORMAT, "%s: expected a share from 0 to 1", key);
	*ns = (int64_t)round(value->valuedouble * MICRO);
	++*known;
	return WEIR_OK;
}

/* Reads shares as nanoseconds of a total of 1,000,000, from which writers compute exactly the
 * shares that were read. */
static enum weir_status take_attribution(struct weir_document_reader *in, const cJSON *item,
                                         void *object)
{
	struct weir_attribution *attribution = &((struct weir_report *)object)->attribution;
	int known = 0;
	enum weir_status status = WEIR_OK;

	if (item && !cJSON_IsObject(item))
		return weir_fail(in->err, WEIR_E_FORMAT, "attribution: expected an object");
	for (int bound = 0; bound < WEIR_BOUND_COUNT && !status; bound++)
		status = take_share(in, item, weir_attribution_label((enum weir_bound)bound),
		                    &attribution->ns[bound], &known);
	if (!status && known && known < WEIR_BOUND_COUNT)
		status = weir_fail(in->err, WEIR_E_FORMAT, "expected a share for all or for none");
	attribution->total_ns = known ? MICRO : 0;
	return status ? weir_fail_in(in->err, "attribution") : WEIR_OK;
}

/* ---- device ---- */

static void put_idle_causes(struct weir_document_writer *out, const struct weir_member *member,
                            const void *object)
{
	const struct weir_gpu_figures *gpu = object;
	double sum = 0, before = 0;

	weir_jsonout_begin_object(out->json, member->key);
	for (int idle = 0; idle < WEIR_IDLE_COUNT; idle++) {
		sum += gpu->idle_share[idle];
		weir_jsonout_share(out->json, weir_idle_name((enum weir_idle)idle),
		                   share_step(sum, &before));
	}
	weir_jsonout_end(out->json);
}

#define OF struct weir_idle_name
static const struct weir_schema idle_name_schema =
	SCHEMA(LINE, {TEXT("name", name)}, {TEXT("in", in)}, {COUNT("count", count)},
               {SHARE("share", share)});
#undef OF

#define OF struct weir_idle_cause
static const struct weir_schema idle_cause_schema =
	SCHEMA(BLOCK, {SPECIAL("cause", NULL, NULL, FORM(TEXT))}, {NS("total_ns", total_ns)},
               {LIST("names", names, name_count, idle_name_schema, INSIDE(names))});
#undef OF

static void put_idle_names(struct weir_document_writer *out, const struct weir_member *member,
                           const void *object)
{
	const struct weir_gpu_figures *gpu = object;

	weir_jsonout_begin_array(out->json, member->key);
	for (int idle = 0; idle < WEIR_IDLE_COUNT; idle++) {
		if (gpu->idle_cause[idle].total_ns == 0)
			continue;
		weir_jsonout_begin_object(out->json, NULL);
		weir_jsonout_text(out->json, "cause", weir_idle_name((enum weir_idle)idle));
		weir_document_put(out, &idle_cause_schema, &gpu->idle_cause[idle]);
		weir_jsonout_end(out->json);
	}
	weir_jsonout_end(out->json);
}

static enum weir_status take_idle_cause(struct weir_document_reader *in, const cJSON *item,
                                        void *context)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "cause");
	struct weir_gpu_figures *gpu = context;
	enum weir_idle idle;

	if (!cJSON_IsString(name) || !weir_idle_parse(name->valuestring, &idle))
		return weir_fail(in->err, WEIR_E_FORMAT, "cause: expected a cause of idle time");
	return weir_document_take(in, &idle_cause_schema, item, &gpu->idle_cause[idle]);
}

static enum weir_status take_idle_names(struct weir_document_reader *in, const cJSON *item,
                                        void *object)
{
	return weir_document_take_each(in, "idle_names", item, WEIR_IDLE_COUNT, take_idle_cause,
	                               object);
}

#define OF struct weir_launch_quantiles
static const struct weir_schema launch_quantiles =
	SCHEMA(LINE, {WHOLE("p50", p50_ns)}, {WHOLE("p90", p90_ns)}, {WHOLE("p99", p99_ns)});
#undef OF

#define OF struct weir_depth
static const struct weir_schema depth_schema = SCHEMA(
	LINE, {SHARE("mean", mean)}, {WHOLE("p50", p50)}, {WHOLE("p95", p95)}, {WHOLE("max", max)});
#undef OF

#define OF struct weir_queue_figures
static const struct weir_schema queue_schema = SCHEMA(
	BLOCK, {OBJECT("waiting", waiting, depth_schema)},
	{OBJECT("in_flight", in_flight, depth_schema)}, {SHARE("starved_of_idle", starved_share)},
	{COUNT("launches", launches)}, {COUNT("full_launches", full_launches)});
#undef OF

#define OF struct weir_delay_figures
static const struct weir_schema delay_schema =
	SCHEMA(LINE, {WHOLE("p50", p50_ns)}, {WHOLE("p90", p90_ns)}, {WHOLE("p99", p99_ns)},
               {WHOLE("max", max_ns)});
#undef OF

#define OF struct weir_launch_row
static const struct weir_schema launch_schema = SCHEMA(
	BLOCK, {TEXT("api", api)}, {TEXT("work", work)}, {COUNT("count", count)},
	{COUNT("early", early)}, {OBJECT("call_ns", call, delay_schema)},
	{OBJECT("delay_ns", delay, delay_schema)}, {OBJECT("queue_ns", queue, delay_schema)});
#undef OF

#define OF struct weir_host_waits
static const struct weir_schema host_waits_schema =
	SCHEMA(LINE, {SHARE("sync_share", sync_share)},
               {SHARE("launch_call_share", launch_call_share)}, {COUNT("syncs", syncs)},
               {COUNT("blocking_copies", blocking_copies)}, {COUNT("scalar_reads", scalar_reads)});
#undef OF

#define OF struct weir_gpu_figures
static const struct weir_schema gpu_schema = SCHEMA(
	BLOCK, {SHARE("active", active)}, {SHARE("idle", idle)}, {SHARE("compute", compute)},
	{SHARE("communication", communication)},
	{SHARE("exposed_communication", exposed_communication)}, {SHARE("memcpy", memcpy)},
	{SHARE("exposed_memcpy", exposed_memcpy)}, {WHOLE("kernel_p50_ns", kernel_p50_ns)},
	{COUNT("kernels", kernels)},
	{NAMED("idle_causes", idle_share, weir_idle, share_element), .put = put_idle_causes},
	{OBJECT("launch_ns", launch, launch_quantiles)}, {SHARE("graph_share", graph_share)},
	{SHARE("mfu", mfu)}, {SHARE("mbu", mbu)}, {SHARE("modelled_share", modelled_share)},
	{SPECIAL("idle_names", put_idle_names, take_idle_names, FORM_LIST(idle_cause_schema))},
	{WHOLE("inter_kernel_limit_ns", inter_kernel_limit_ns)},
	{OBJECT("queue", queue, queue_schema)},
	{LIST("launches", launches, launch_count, launch_schema, WEIR_MAX_LAUNCH_ROWS)},
	{OBJECT("host_waits", waits, host_waits_schema)});
#undef OF

#define OF struct weir_memory_device
static const struct weir_schema memory_device_schema = SCHEMA(
	LINE, {NS("rank", rank), NULL_IS(-1)},
	{INTEGER("device", device_id, int32_t, INT32_MAX), .least = INT32_MIN, .required = true},
	{WHOLE("peak_allocated_bytes", peak_allocated_bytes)},
	{WHOLE("peak_reserved_bytes", peak_reserved_bytes)},
	{SHARE("fragmentation", fragmentation)},
	{WHOLE("leak_bytes_per_step", leak_bytes_per_step)},
	{SHARE("allocations_per_step", allocations_per_step)}, {SHARE("used_share", used_share)});
#undef OF

#define OF struct weir_memory_figures
static const struct weir_schema memory_schema = SCHEMA(
	BLOCK, {WHOLE("peak_allocated_bytes", largest.peak_allocated_bytes)},
	{WHOLE("peak_reserved_bytes", largest.peak_reserved_bytes)},
	{SHARE("fragmentation", largest.fragmentation)},
	{WHOLE("leak_bytes_per_step", largest.leak_bytes_per_step)},
	{WHOLE("slow_allocations", slow_allocations)},
	{SHARE("allocations_per_step", largest.allocations_per_step)},
	{SHARE("used_share", largest.used_share)},
	{WHOLE("slow_allocation_ns", slow_allocation_ns)}, {SHARE("slow_share", slow_share)},
	{WHOLE("allocator_calls", allocator_calls)}, {SHARE("allocator_share", allocator_share)},
	{SHARE("allocator_of_host", allocator_of_late)},
	{LIST("devices", devices, device_count, memory_device_schema, MAX_ROWS)});
#undef OF

/* ---- requests and monitors ---- */

#define OF struct weir_batch_sizes
static const struct weir_schema batch_schema =
	SCHEMA(LINE, {SHARE("mean", mean)}, {SHARE("p50", p50)}, {SHARE("p90", p90)},
               {SHARE("p95", p95)}, {SHARE("p99", p99)}, {SHARE("max", max)});
#undef OF

#define OF struct weir_cost
static const struct weir_schema cost_schema = SCHEMA(
	BLOCK, {TEXT("currency", currency)}, {TEXT("source", source)},
	{EXACT("per_gpu_hour", per_gpu_hour)}, {EXACT("gpus", gpus)}, {EXACT("total", total)},
	{EXACT("per_request", per_request)}, {EXACT("per_request_busy", per_request_busy)},
	{EXACT("per_request_idle", per_request_idle)},
	{EXACT("per_request_padding", per_request_padding)},
	{EXACT("per_million_tokens", per_million_tokens)},
	{EXACT("per_million_input_tokens", per_million_input_tokens)},
	{EXACT("per_million_output_tokens", per_million_output_tokens)},
	{EXACT("tokens_per_unit", tokens_per_unit)},
	{EXACT("output_tokens_per_unit", output_tokens_per_unit)}, {EXACT("scale", scale)});
#undef OF

static enum weir_status check_requests(struct weir_document_reader *in, const cJSON *item,
                                       void *object)
{
	struct weir_request_figures *requests = object;

	(void)in;
	requests->latency.count = requests->count;
	if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(item, "first_token_ns")))
		requests->first_token.count = requests->count;
	return WEIR_OK;
}

#define OF struct weir_quantile_bounds
static const struct weir_schema bounds =
	SCHEMA(TUPLE, ENTRY("low_ns", WHOLE(NULL, low_ns)), ENTRY("high_ns", OPEN(NULL, high_ns)));
#undef OF

#define OF struct weir_stage_counted
static const struct weir_schema stage_counted_schema = SCHEMA(
	LINE, {WHOLE("mean_ns", mean_ns)}, {OBJECT("p50", p50, bounds), WHEN(KNOWN, p50.low_ns)},
	{OBJECT("p90", p90, bounds), WHEN(KNOWN, p90.low_ns)},
	{OBJECT("p95", p95, bounds), WHEN(KNOWN, p95.low_ns)},
	{OBJECT("p99", p99, bounds), WHEN(KNOWN, p99.low_ns)},
	{BOOL("resolution_limited", resolution_limited)});
#undef OF

#define OF struct weir_request_figures
static const struct weir_schema wait_schema =
	SCHEMA(LINE, {SHARE("idle", wait_idle)}, {SHARE("compute", wait_compute)},
               {SHARE("copy", wait_copy)}, {SHARE("host", wait_host)});

static const struct weir_schema request_schema = SCHEMA_THEN(
	BLOCK, .check = check_requests, {COUNT("count", count)},
	{OBJECT("latency_ns", latency, quantiles)}, {OBJECT("batch_size", batch, batch_schema)},
	{SHARE("padding_waste", padding_waste)}, {SHARE("throughput_per_s", throughput_per_s)},
	{POINTER("cost", cost, cost_schema)}, {COUNT("failed", failed)},
	{BOOL("all_failed", all_failed)}, {BOOL("sampled", sampled)}, {BOOL("client", client)},
	{PART("wait", wait_schema)},
	{OBJECT("first_token_ns", first_token, quantiles), WHEN(COUNT, first_token.count)},
	{POINTER("latency_counted", latency_counted, stage_counted_schema), .omit = true},
	{POINTER("first_token_counted", first_token_counted, stage_counted_schema), .omit = true},
	{SHARE("requested_per_s", requested_per_s)}, {SHARE("tokens_per_s", tokens_per_s)},
	{SHARE("output_tokens_per_s", output_tokens_per_s)}, {SHARE("concurrency", concurrency)},
	{SHARE("compute_busy", compute_busy)}, {SHARE("host_busy", host_busy)},
	{SHARE("batch_fill", batch_fill)}, {SHARE("flat_step_ratio", flat_step_ratio)},
	{SHARE("goodput_per_s", goodput_per_s)}, {SHARE("goodput_share", goodput_share)});
#undef OF

#define OF struct weir_transfer_figures
static const struct weir_schema transfer_schema =
	SCHEMA(LINE, {WHOLE("to_host_bytes_per_s", to_host_bytes_per_s)},
               {WHOLE("from_host_bytes_per_s", from_host_bytes_per_s)},
               {WHOLE("link_sent_bytes_per_s", link_sent_bytes_per_s)},
               {WHOLE("link_received_bytes_per_s", link_received_bytes_per_s)});
#undef OF

#define OF struct weir_telemetry_figures
static const struct weir_schema telemetry_schema = SCHEMA(
	BLOCK, {COUNT("samples", samples)}, {COUNT("devices", devices)},
	{TEXT("device_name", device_name)},
	{BOOL("mixed_devices", mixed_devices), WHEN(FLAG, mixed_devices), .omit = true},
	{NS("span_ns", span_ns), NULL_IS(0)}, {BOOL("aligned", aligned)},
	{SHARE("utilization", utilization)}, {SHARE("utilization_all", utilization_all)},
	{SHARE("power_w", power_w)}, {SHARE("power_max_w", power_max_w)},
	{SHARE("power_limit_w", power_limit_w)}, {SHARE("sm_clock_mhz", sm_clock_mhz)},
	{SHARE("sm_clock_max_mhz", sm_clock_max_mhz)},
	{SHARE("temperature_max_c", temperature_max_c)},
	{WHOLE("memory_used_max_bytes", memory_used_max_bytes)},
	{WHOLE("memory_total_bytes", memory_total_bytes), WHEN(KNOWN, memory_total_bytes),
         .omit = true},
	{SHARE("memory_activity_all", memory_activity_all), WHEN(KNOWN, memory_activity_all),
         .omit = true},
	{SHARE("sm_clock_all_mhz", sm_clock_all_mhz), WHEN(KNOWN, sm_clock_all_mhz), .omit = true},
	{SHARE("power_capped", power_capped)}, {SHARE("thermal_capped", thermal_capped)},
	{SHARE("sm_active", sm_active)}, {SHARE("tensor_active", tensor_active)},
	{SHARE("dram_active", dram_active)},
	{SHARE("engine_active", engine_active), WHEN(KNOWN, engine_active), .omit = true},
	{OBJECT("transfers", transfers, transfer_schema), WHEN(FLAG, has_transfers), .omit = true});
#undef OF

/* ---- rows ---- */

static void complete_stage(void *object)
{
	weir_row_verdict_complete(&((struct weir_stage_row *)object)->verdict);
}

#define OF struct weir_stage_row
static const struct weir_schema stage_schema =
	SCHEMA_THEN(BLOCK, .complete = complete_stage, {TEXT("name", name)}, {TEXT("kind", kind)},
                    {COUNT("count", duration.count)}, {WHOLE("total_ns", duration.total_ns)},
                    {SHARE("share", share)}, QUANTILES(duration), {SHARE("p95_share", p95_share)},
                    {ENUM("bound", verdict.bound, weir_bound), .none = WEIR_BOUND_UNDETERMINED},
                    {TEXT("cause", verdict.cause)}, {ENUM("view", view, weir_stage_view)},
                    {SHARE("p50_share", p50_share)}, {SHARE("p99_share", p99_share)},
                    {EXACT("cost", cost_usd)}, {POINTER("counted", counted, stage_counted_schema)});
#undef OF

#define OF struct weir_what_if_stage
static const struct weir_schema what_if_stage_schema =
	SCHEMA(LINE, {TEXT("name", name)}, {WHOLE("p50_ns", p50_ns)}, {SHARE("speedup", speedup)});
#undef OF

#define OF struct weir_what_if
static const struct weir_schema what_if_schema =
	SCHEMA(BLOCK, {TEXT("class", class_name)}, {EXACT("factor", factor)},
               {WHOLE("step_ns", step_ns)}, {SHARE("speedup", speedup)},
               {LIST("stages", stages, stage_count, what_if_stage_schema, MAX_ROWS)});
#undef OF

#define OF struct weir_profiler_cost
static const struct weir_schema profiler_schema =
	SCHEMA(BLOCK, {SHARE("inflation", inflation)}, {TEXT("source", source)});
#undef OF

/* ---- graphs ---- */

static void put_index(struct weir_document_writer *out, const struct weir_member *member,
                      const void *object)
{
	(void)object;
	weir_jsonout_int(out->json, member->key, (int64_t)out->row);
}

#define OF struct weir_graph_position
static const struct weir_schema position_schema = SCHEMA(
	LINE, {SPECIAL("index", put_index, NULL, FORM(INTEGER))},
	{TEXT("kernel", kernel), .required = true}, {TEXT("kind", kind)}, {TEXT("operator", op)},
	{COUNT32("stream", stream)}, {COUNT32("blocks", blocks), NULL_IS(0)},
	{COUNT32("threads_per_block", threads_per_block), NULL_IS(0)},
	{WHOLE("offset_ns", offset_ns)}, {WHOLE("gap_ns", gap_ns)},
	{WHOLE("total_ns", duration.total_ns)}, QUANTILES(duration), {SHARE("share", share)},
	{WHOLE("flops", flops)}, {WHOLE("bytes", bytes)}, {SHARE("tflops", tflops)},
	{SHARE("gbps", gbps)}, {ENUM("roofline", roofline, weir_roofline)},
	{SHARE("efficiency", efficiency)});
#undef OF

static void complete_graph(void *object)
{
	struct weir_graph_row *graph = object;
	struct weir_distribution *const parts[] = {&graph->span, &graph->busy, &graph->idle};

	for (size_t i = 0; i < WEIR_COUNT_OF(parts); i++) {
		parts[i]->count = graph->replays;
		parts[i]->total_ns = NAN;
	}
	for (size_t i = 0; i < graph->position_count; i++)
		graph->positions[i].duration.count = graph->replays;
}

#define OF struct weir_graph_row
static const struct weir_schema graph_schema = SCHEMA_THEN(
	BLOCK, .complete = complete_graph, {TEXT("signature", signature), .required = true},
	{TEXT("stage", stage)}, {COUNT("replays", replays)}, {COUNT("nodes", nodes)},
	{COUNT("streams", streams)}, {SHARE("share", share)}, {OBJECT("span_ns", span, quantiles)},
	{OBJECT("busy_ns", busy, quantiles)}, {OBJECT("idle_ns", idle, quantiles)},
	{WHOLE("gap_p50_ns", gap_p50_ns)}, {WHOLE("unrecorded_ns", unrecorded_ns)},
	{WHOLE("widest_gap_before", widest)}, {COUNT("matched", matched)},
	{ENUM("confidence", confidence, weir_confidence), WHEN(COUNT, matched)},
	{TEXT("source", source)},
	{LIST("positions", positions, position_count, position_schema,
              WEIR_MAX_GRAPH_POSITION_ROWS)});
#undef OF

/* ---- counters ---- */

#define OF struct weir_counter_remark
static const struct weir_schema remark_schema =
	SCHEMA(BLOCK, {TEXT("rule", rule), .required = true}, {TEXT("kind", kind)},
               {TEXT("text", text)}, {ENUM("scope", scope, weir_finding_scope)},
               {SHARE("estimated_saving", speedup)}, {COUNT("count", count)});
#undef OF

static void put_counter_values(struct weir_document_writer *out, const struct weir_member *member,
                               const void *object)
{
	const struct weir_counter_row *row = object;

	weir_jsonout_begin_object(out->json, member->key);
	for (int i = 0; i < WEIR_COUNTER_COUNT; i++) {
		const char *name = weir_counter_name((enum weir_counter)i);

		if (i < WEIR_COUNTER_DRAM_BYTES || i == WEIR_COUNTER_WAVES)
			weir_jsonout_share(out->json, name, row->value[i]);
		else
			weir_jsonout_rounded(out->json, name, row->value[i]);
	}
	weir_jsonout_end(out->json);
}

#define OF struct weir_counter_row
static const struct weir_schema grid_schema =
	SCHEMA(TUPLE, ENTRY("x", COUNT32(NULL, grid[0])), ENTRY("y", COUNT32(NULL, grid[1])),
               ENTRY("z", COUNT32(NULL, grid[2])));

static const struct weir_schema block_schema =
	SCHEMA(TUPLE, ENTRY("x", COUNT32(NULL, block[0])), ENTRY("y", COUNT32(NULL, block[1])),
               ENTRY("z", COUNT32(NULL, block[2])));

static const struct weir_schema counter_schema =
	SCHEMA(BLOCK, {TEXT("kernel", kernel), .required = true}, {PART("grid", grid_schema)},
               {PART("block", block_schema)}, {COUNT("count", count)}, {WHOLE("mean_ns", mean_ns)},
               {NAMED("values", value, weir_counter, share_element), .put = put_counter_values},
               {LIST("findings", remarks, remark_count, remark_schema, MAX_ROWS)});
#undef OF

/* ---- host functions ---- */

#define OF struct weir_host_function_row
static const struct weir_schema function_schema =
	SCHEMA(LINE, {TEXT("function", function)}, {TEXT("file", file)}, {SHARE("self", self)},
               {SHARE("total", total)});
#undef OF

#define OF struct weir_host_figures
static const struct weir_schema host_schema = SCHEMA(
	BLOCK, {ENUM("unit", unit, weir_host_unit), .required = true},
	{TEXT("event", event), WHEN(POINTER, event), .omit = true}, {COUNT("profiles", profiles)},
	{COUNT("threads", threads), WHEN(COUNT, threads), .omit = true}, {WHOLE("total", total)},
	{SHARE("idle", idle)},
	{LIST("functions", functions, function_count, function_schema,
              WEIR_MAX_HOST_FUNCTION_ROWS)});
#undef OF

#define OF struct weir_host_operators
static const struct weir_schema host_operators_schema = SCHEMA(
	BLOCK, {COUNT("calls", calls)}, {COUNT("threads", threads)}, {COUNT("launches", launches)},
	{SHARE("busy", busy)}, {SHARE("parallel", parallel)}, {SHARE("loading", loading)},
	{SHARE("communication", communication)}, {SHARE("cold", cold)}, {SHARE("waiting", waiting)},
	{SHARE("short_operators", short_operators)}, {SHARE("dispatch", dispatch)},
	{SHARE("between_runs", between_runs)}, {SHARE("idle_in_runs", idle_in_runs)},
	{SHARE("run_ends", run_ends)}, {BOOL("on_processor", on_processor)});
#undef OF

/* ---- critical path ---- */

static enum weir_status take_path_class(struct weir_document_reader *in, const cJSON *item,
                                        void *object)
{
	struct weir_critical_path *path = object;

	path->class_name = cJSON_IsString(item) ? weir_path_class_parse(item->valuestring) : NULL;
	return path->class_name
	               ? WEIR_OK
	               : weir_fail(in->err, WEIR_E_FORMAT, "expected host, compute, ... or mixed");
}

static double share_of_path(const struct weir_document_writer *out, int64_t ns)
{
	const struct weir_report *report = out->root;

	return (double)ns / (double)report->critical_path->span_ns;
}

static void put_path_shares(struct weir_document_writer *out, const struct weir_member *member,
                            const void *object)
{
	const struct weir_critical_path *path = object;

	weir_jsonout_begin_object_inline(out->json, member->key);
	for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
		weir_jsonout_share(out->json, weir_path_kind_name((enum weir_path_kind)kind),
		                   share_of_path(out, path->ns[kind]));
	weir_jsonout_end(out->json);
}

static void put_item_share(struct weir_document_writer *out, const struct weir_member *member,
                           const void *object)
{
	weir_jsonout_share(out->json, member->key,
	                   share_of_path(out, ((const struct weir_path_item *)object)->ns));
}

static int64_t sum_of_kinds(const int64_t ns[WEIR_PATH_KIND_COUNT])
{
	int64_t sum = 0;

	for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
		sum += ns[kind];
	return sum;
}

#define OF struct weir_path_item
static const struct weir_schema path_item_schema =
	SCHEMA(LINE, {ENUM("kind", kind, weir_path_kind), .required = true},
               {TEXT("name", name), .required = true}, {COUNT("count", count)}, {NS("ns", ns)},
               {SPECIAL("share", put_item_share, NULL, FORM(SHARE))});
#undef OF

static void complete_path_stage(void *object)
{
	struct weir_path_stage *stage = object;

	stage->total_ns = sum_of_kinds(stage->ns);
}

#define OF struct weir_path_stage
static const struct weir_schema path_stage_schema = SCHEMA_THEN(
	BLOCK, .complete = complete_path_stage, {TEXT("name", name), .required = true},
	{NS("total_ns", total_ns)}, {NAMED("ns", ns, weir_path_kind, ns_element), .on_line = true});
#undef OF

static enum weir_status check_path(struct weir_document_reader *in, const cJSON *item, void *object)
{
	struct weir_critical_path *path = object;

	(void)item;
	path->span_ns = sum_of_kinds(path->ns);
	return path->span_ns > 0 ? WEIR_OK
	                         : weir_fail(in->err, WEIR_E_FORMAT, "ns: expected any time");
}

#define OF struct weir_critical_path
static const struct weir_schema path_schema = SCHEMA_THEN(
	BLOCK, .check = check_path, {NS("span_ns", span_ns)}, {BOOL("approximate", approximate)},
	{TEXT("class", class_name), .take = take_path_class},
	{SPECIAL("shares", put_path_shares, NULL, FORM_NAMED(share_element))},
	{NAMED("ns", ns, weir_path_kind, ns_element), .on_line = true},
	{LIST("top", items, item_count, path_item_schema, WEIR_PATH_ITEMS)},
	{LIST("stages", stages, stage_count, path_stage_schema, MAX_ROWS)});
#undef OF

/* ---- the document ---- */

#define OF struct weir_report
const struct weir_schema weir_report_schema = SCHEMA(
	BLOCK, {LITERAL("schema", "weir.report/1")}, {LITERAL("weir", WEIR_VERSION)},
	{PART("run", run_schema)}, {OBJECT("verdict", verdict, verdict_schema)},
	{SPECIAL("attribution", put_attribution, take_attribution, FORM_NAMED(share_element))},
	{OBJECT("gpu", gpu, gpu_schema), WHEN(FLAG, has_gpu)},
	{OBJECT("requests", requests, request_schema), WHEN(FLAG, has_requests)},
	{LIST("ranks", ranks, rank_row_count, weir_rank_schema, MAX_ROWS), WHEN(POINTER, ranks)},
	{LIST("stages", stages, stage_count, stage_schema, MAX_ROWS)},
	{LIST("operators", operators, operator_count, weir_operator_schema, MAX_ROWS)},
	{LIST("recommendations", recommendations, recommendation_count, weir_recommendation_schema,
              MAX_ROWS)},
	{LIST("what_if", what_ifs, what_if_count, what_if_schema, MAX_ROWS),
         WHEN(COUNT, what_if_count)},
	{OBJECT("profiler", profiler, profiler_schema), WHEN(POINTER, profiler.source)},
	{OBJECT("memory", memory, memory_schema), WHEN(FLAG, has_memory)},
	{OBJECT("telemetry", telemetry, telemetry_schema), WHEN(FLAG, has_telemetry)},
	{LIST("graphs", graphs, graph_count, graph_schema, WEIR_MAX_GRAPH_ROWS),
         WHEN(COUNT, graph_count), .omit = true},
	{LIST("counters", counters, counter_count, counter_schema, WEIR_MAX_COUNTER_ROWS),
         WHEN(COUNT, counter_count), .omit = true},
	{POINTER("host", host, host_schema), .omit = true},
	{POINTER("host_operators", host_operators, host_operators_schema), .omit = true},
	{POINTER("critical_path", critical_path, path_schema)},
	{POINTER("job", job, weir_job_schema), .omit = true},
	{POINTER("server", server, weir_server_schema), .omit = true},
	{POINTER("pictures", pictures, weir_pictures_schema), .omit = true});
#undef OF

void weir_write_report_json(const struct weir_report *report,
                            const struct weir_write_options *options, struct weir_text *out)
{
	(void)options; /* JSON holds everything */
	weir_document_write(&weir_report_schema, report, out);
}
