/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "tests/unit/fixture_report.h"
#include "tests/unit/fixture_requests.h"

enum { PATH_HOST, PATH_MAX, PATH_COPY, FLAT_STEP_RATIO, FEATURES };

static const struct weir_feature feature_rows[FEATURES] = {
	[PATH_HOST] = {"path_host", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS, "host work", NULL},
	[PATH_MAX] = {"path_max", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS, "the largest of them", NULL},
	[PATH_COPY] = {"path_copy", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS, "copies", NULL},
	[FLAT_STEP_RATIO] = {"flat_step_ratio", WEIR_UNIT_RATIO, WEIR_FOR_REQUESTS, "steps", NULL},
};

static const struct weir_feature_table feature_table = {feature_rows, FEATURES};

static struct weir_distribution spread(uint64_t count, double p50_ns, double p95_ns, double p99_ns)
{
	return (struct weir_distribution){.count = count,
	                                  .total_ns = p50_ns * (double)count,
	                                  .p50_ns = p50_ns,
	                                  .p90_ns = (p50_ns + p95_ns) / 2,
	                                  .p95_ns = p95_ns,
	                                  .p99_ns = p99_ns};
}

/* A part of every request, with its shares of p50, p95 and p99. */
static struct weir_stage_row make_stage(const char *name, const char *kind,
                                        struct weir_distribution duration, const double share[3],
                                        enum weir_bound bound)
{
	return (struct weir_stage_row){
		.name = name,
		.kind = kind,
		.view = WEIR_VIEW_REQUEST,
		.duration = duration,
		.share = share[1],
		.p50_share = share[0],
		.p95_share = share[1],
		.p99_share = share[2],
		.cost_usd = NAN,
		.verdict = {.bound = bound, .share = NAN, .runner_up_share = NAN}};
}

static void fill_stages(struct weir_report *report)
{
	static const double shares[][3] = {
		{0.41, 0.17, 0.11},
		{0.33, 0.61, 0.78},
		{0.2595, 0.2195, 0.1096},
		{0.0005, 0.0005, 0.0004},
	};
	struct weir_stage_row *rows = weir_arena_alloc(report->arena, 4 * sizeof *rows);

	rows[0] = make_stage("tokenize", "preprocess", spread(479, 4.01e6, 4.47e6, 4.68e6),
	                     shares[0], WEIR_BOUND_RUNTIME);
	rows[1] = make_stage("queue", "queue", spread(479, 2.54e6, 17.5e6, 31.1e6), shares[1],
	                     WEIR_BOUND_RUNTIME);
	rows[2] = make_stage("compute", "compute", spread(479, 1.72e6, 6.17e6, 14.7e6), shares[2],
	                     WEIR_BOUND_UNDETERMINED);
	rows[3] = make_stage("between stages", "other", spread(0, NAN, NAN, NAN), shares[3],
	                     WEIR_BOUND_UNDETERMINED);
	rows[0].cost_usd = 0;
	rows[1].cost_usd = 0;
	rows[2].cost_usd = 0.0000142;
	report->stages = rows;
	report->stage_count = 4;
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
	struct weir_evidence *clause;

	*verdict = (struct weir_verdict){.bound = WEIR_BOUND_RUNTIME,
	                                 .cause = "host-preprocess",
	                                 .rule = "requests/host-preprocess",
	                                 .confidence = WEIR_CONFIDENCE_HIGH,
	                                 .share = 0.663,
	                                 .headline = "{path_host:share} of p95 is host work",
	                                 .runner_up = WEIR_BOUND_UNDETERMINED,
	                                 .runner_up_share = NAN};
	add_clause(verdict, "path_host >= 0.33", "path_host", 0.663);
	add_clause(verdict, "path_host >= path_max", "path_host", 0.663);
	clause = &verdict->evidence[1];
	clause->readings[clause->reading_count++] = (struct weir_reading){"path_max", 0.663};
	add_clause(verdict, "coalesce(flat_step_ratio, 0) < 0.80", "flat_step_ratio", NAN);
	report->feature_table = &feature_table;
	report->features = weir_arena_alloc(report->arena, FEATURES * sizeof(double));
	memcpy(report->features, (double[FEATURES]){0.663, 0.663, 0.02, NAN},
	       FEATURES * sizeof(double));
	report->attribution.ns[WEIR_BOUND_RUNTIME] = 663000;
	report->attribution.ns[WEIR_BOUND_UNDETERMINED] = 337000;
	report->attribution.total_ns = 1000000;
}

static void fill_cost(struct weir_report *report)
{
	struct weir_cost *cost = weir_arena_alloc(report->arena, sizeof *cost);

	*cost = (struct weir_cost){.currency = "USD",
	                           .source = "weir.json",
	                           .per_gpu_hour = 3.2,
	                           .gpus = 1,
	                           .total = 0.00711,
	                           .per_request = 0.00001484,
	                           .per_request_busy = 0.0000142,
	                           .per_request_idle = 0.00000064,
	                           .per_request_padding = 0.0000037,
	                           .per_million_tokens = 0.1158,
	                           .per_million_input_tokens = NAN,
	                           .per_million_output_tokens = NAN,
	                           .tokens_per_unit = 8636112,
	                           .output_tokens_per_unit = NAN,
	                           .scale = 1.31};
	report->requests.cost = cost;
}

static void fill_requests(struct weir_report *report)
{
	struct weir_request_figures *requests = &report->requests;

	report->has_requests = true;
	requests->count = 479;
	requests->failed = 3;
	report->percentile = 0.95;
	requests->latency = spread(479, 9271544, 25146166, 39268999);
	requests->first_token = spread(479, 4.2e6, 9.1e6, 12.5e6);
	requests->batch = (struct weir_batch_sizes){1.421, 1, 2, 2.2, 4, 8};
	requests->padding_waste = 0.264;
	requests->flat_step_ratio = 0.972;
	requests->throughput_per_s = 59.866615;
	requests->requested_per_s = 60;
	requests->tokens_per_s = 7676.55;
	requests->concurrency = 0.69;
	requests->compute_busy = 0.098;
	requests->host_busy = 0.21;
	requests->wait_compute = 0.063;
	requests->wait_copy = 0.013;
	requests->wait_host = 0.81;
	requests->wait_idle = 0.114;
	requests->batch_fill = 0.234;
	requests->goodput_per_s = 57.2;
	requests->goodput_share = 0.955;
	report->span_ns = 8001120500;
	report->steady = true;
}

static void fill_telemetry(struct weir_report *report)
{
	struct weir_telemetry_figures *telemetry = &report->telemetry;

	report->has_telemetry = true;
	telemetry->samples = 152;
	telemetry->devices = 1;
	telemetry->device_name = "NVIDIA H200";
	telemetry->span_ns = 7800000000;
	telemetry->aligned = true;
	telemetry->utilization = 0.99;
	telemetry->utilization_all = 0.98;
	telemetry->power_w = 694;
	telemetry->power_max_w = 699.5;
	telemetry->power_limit_w = 700;
	telemetry->sm_clock_mhz = 1680;
	telemetry->sm_clock_max_mhz = 1980;
	telemetry->temperature_max_c = 71;
	telemetry->memory_used_max_bytes = 68719476736.0;
	telemetry->power_capped = 0.97;
}

static void fill_inputs(struct weir_report *report, struct weir_profile *profile)
{
	struct weir_input *input = weir_profile_add_input(profile, "runs/requests.jsonl.gz");

	input->format = "weir.requests";
	input->gives = "requests";
	input->bytes = 24765;
	input->events = 479;
	input->warnings[WEIR_WARN_FAILED_REQUEST].count = 3;
	input->warnings[WEIR_WARN_FAILED_REQUEST].first_at = UINT64_MAX;
	input = weir_profile_add_input(profile, "runs/nvidia-smi.csv");
	input->format = "nvidia-smi";
	input->gives = "telemetry";
	report->notes = weir_arena_alloc(report->arena, 2 * sizeof *report->notes);
	report->notes[0] =
		(struct weir_note){"clock_offset", "the monitor's clock was moved by -2 h"};
	report->notes[1] = (struct weir_note){"contradiction", "the monitor saw an idle device"};
	report->note_count = 2;
}

struct weir_report *fixture_requests_typical(void)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);

	fill_verdict(report);
	fill_stages(report);
	fill_requests(report);
	fill_cost(report);
	fill_telemetry(report);
	fill_inputs(report, profile);
	return report;
}

struct weir_report *fixture_requests_with_timeline(void)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_stage_row *timeline = report->stages, *all;
	size_t timeline_count = report->stage_count;

	fill_stages(report);
	fill_requests(report);
	report->span_ns = 101883004; /* of the timeline */
	all = weir_arena_alloc(report->arena, (report->stage_count + timeline_count) * sizeof *all);
	memcpy(all, report->stages, report->stage_count * sizeof *all);
	memcpy(all + report->stage_count, timeline, timeline_count * sizeof *all);
	report->stages = all;
	report->stage_count += timeline_count;
	return report;
}

struct weir_report *fixture_requests_bare(void)
{
	struct weir_report *report = weir_report_new(weir_profile_new());

	report->has_requests = true;
	report->requests.count = 1;
	report->requests.sampled = true;
	report->requests.client = true;
	report->requests.requested_per_s = 12.5;
	report->percentile = 0.99;
	report->requests.latency = spread(1, 2.5e9, NAN, NAN);
	return report;
}

struct weir_report *fixture_requests_counted(void)
{
	static const double unknown[3] = {NAN, NAN, NAN};
	struct weir_report *report = weir_report_new(weir_profile_new());
	struct weir_stage_row *rows = weir_arena_alloc(report->arena, 2 * sizeof *rows);
	struct weir_stage_counted *counted = weir_arena_alloc(report->arena, 2 * sizeof *counted);

	rows[0] = make_stage("queue", "queue", spread(8120, 411e6, 1.2e9, NAN), unknown,
	                     WEIR_BOUND_UNDETERMINED);
	rows[1] = make_stage("prefill", "compute", spread(8120, NAN, NAN, NAN), unknown,
	                     WEIR_BOUND_UNDETERMINED);
	counted[0] = (struct weir_stage_counted){.mean_ns = 433.2e6,
	                                         .p50 = {300e6, 500e6},
	                                         .p90 = {800e6, 1e9},
	                                         .p95 = {0.8e9, 2.5e9},
	                                         .p99 = {2.5e9, INFINITY},
	                                         .resolution_limited = true};
	counted[1] = (struct weir_stage_counted){.mean_ns = 12.4e6,
	                                         .p50 = {0, 10e6},
	                                         .p90 = {NAN, NAN},
	                                         .p95 = {NAN, NAN},
	                                         .p99 = {NAN, NAN}};
	for (int i = 0; i < 2; i++) {
		rows[i].view = WEIR_VIEW_COUNTED;
		rows[i].counted = &counted[i];
	}
	report->stages = rows;
	report->stage_count = 2;
	return report;
}

struct weir_report *fixture_requests_hostile(void)
{
	static const char markup[] = "a|b`c`<img src=x onerror=alert(1)> @octocat [x](http://y)";
	static const char escapes[] = "\033[2J\xff\xfe two\nlines \xe2\x80\xae reversed \xc2\x9b";
	struct weir_report *report = fixture_requests_typical();
	struct weir_cost *cost = (struct weir_cost *)report->requests.cost;
	char *name = weir_arena_alloc(report->arena, 10001);

	memset(name, 'k', 10000);
	report->stages[0].name = markup;
	report->stages[0].kind = escapes;
	report->stages[1].name = name;
	report->stages[2].name = escapes;
	cost->currency = "<b>|\033[31m@octocat";
	cost->source = markup;
	report->telemetry.device_name = escapes;
	report->notes[0].text = markup;
	report->notes[1].text = escapes;
	report->verdict.evidence[0].clause = "<script>alert(1)</script> >= 0.33 | @octocat";
	return report;
}
