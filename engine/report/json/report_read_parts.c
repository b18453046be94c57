/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/json/report_read_impl.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* ---- device ---- */

static void read_idle(struct weir_result_reader *reader, const cJSON *gpu)
{
	const cJSON *object = weir_result_take_object(reader, gpu, "idle_causes");

	if (reader->status)
		return;
	for (int idle = 0; idle < WEIR_IDLE_COUNT; idle++)
		reader->report->gpu.idle_share[idle] = weir_report_take_figure(
			reader, object, weir_idle_name((enum weir_idle)idle));
	weir_result_in(reader, "idle_causes");
}

static void read_launch(struct weir_result_reader *reader, const cJSON *gpu)
{
	const cJSON *object = weir_result_take_object(reader, gpu, "launch_ns");
	struct weir_launch_quantiles *launch = &reader->report->gpu.launch;
	const struct weir_report_figure figures[] = {
		{"p50", &launch->p50_ns},
		{"p90", &launch->p90_ns},
		{"p99", &launch->p99_ns},
	};

	if (reader->status)
		return;
	weir_report_take_figures(reader, object, figures, COUNT_OF(figures));
	weir_result_in(reader, "launch_ns");
}

void weir_report_read_gpu(struct weir_result_reader *reader, const cJSON *document)
{
	const cJSON *object = weir_result_take_object(reader, document, "gpu");
	struct weir_gpu_figures *gpu = &reader->report->gpu;
	const struct weir_report_figure figures[] = {
		{"active", &gpu->active},
		{"idle", &gpu->idle},
		{"compute", &gpu->compute},
		{"communication", &gpu->communication},
		{"exposed_communication", &gpu->exposed_communication},
		{"memcpy", &gpu->memcpy},
		{"exposed_memcpy", &gpu->exposed_memcpy},
		{"kernel_p50_ns", &gpu->kernel_p50_ns},
		{"graph_share", &gpu->graph_share},
		{"mfu", &gpu->mfu},
		{"mbu", &gpu->mbu},
		{"modelled_share", &gpu->modelled_share},
	};

	if (!object)
		return;
	reader->report->has_gpu = true;
	weir_report_take_figures(reader, object, figures, COUNT_OF(figures));
	gpu->kernels = weir_result_take_count(reader, object, "kernels");
	read_idle(reader, object);
	read_launch(reader, object);
	weir_report_read_launching(reader, object);
	weir_result_in(reader, "gpu");
}

/* ---- rows ---- */

static void read_rank(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_rank_row *rank = row;
	const struct weir_report_figure figures[] = {
		{"active", &rank->active},
		{"exposed_communication", &rank->exposed_communication},
		{"wait", &rank->wait},
		{"transfer", &rank->transfer},
		{"straggler_score", &rank->straggler_score},
		{"collectives", &rank->collectives},
		{"bus_bytes_per_s", &rank->bus_bytes_per_s},
		{"link_share", &rank->link_share},
		{"clock_offset_ns", &rank->clock_offset_ns},
	};

	const char *late_by;

	rank->rank = weir_result_take(reader, item, "rank")
	                     ? (int64_t)weir_result_take_count(reader, item, "rank")
	                     : -1;
	weir_report_take_figures(reader, item, figures, COUNT_OF(figures));
	late_by = weir_result_take_text(reader, item, "late_by");
	if (late_by && !weir_late_by_parse(late_by, &rank->late_by))
		weir_result_fail(reader, WEIR_E_FORMAT, "late_by", "device, host or null");
}

void weir_report_read_ranks(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {"ranks", WEIR_REPORT_MAX_ROWS,
	                                             sizeof(struct weir_rank_row), read_rank};
	struct weir_report *report = reader->report;

	report->ranks = weir_report_take_list(reader, document, &list, &report->rank_row_count);
}

static void read_distribution(struct weir_result_reader *reader, const cJSON *item,
                              struct weir_distribution *distribution)
{
	const struct weir_report_figure figures[] = {
		{"total_ns", &distribution->total_ns}, {"p50_ns", &distribution->p50_ns},
		{"p90_ns", &distribution->p90_ns},     {"p95_ns", &distribution->p95_ns},
		{"p99_ns", &distribution->p99_ns},
	};

	distribution->count = weir_result_take_count(reader, item, "count");
	weir_report_take_figures(reader, item, figures, COUNT_OF(figures));
}

/* Nothing but its bound and cause is stored of the verdict of a row. */
static void read_row_verdict(struct weir_result_reader *reader, const cJSON *item,
                             struct weir_verdict *verdict)
{
	verdict->bound = weir_report_take_bound(reader, item, "bound");
	verdict->cause = weir_result_take_text(reader, item, "cause");
	verdict->share = verdict->runner_up_share = NAN;
	verdict->runner_up = WEIR_BOUND_UNDETERMINED;
}

static void read_stage(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_stage_row *stage = row;

	stage->name = weir_result_take_text(reader, item, "name");
	stage->kind = weir_result_take_text(reader, item, "kind");
	read_distribution(reader, item, &stage->duration);
	stage->share = weir_report_take_figure(reader, item, "share");
	stage->p95_share = weir_report_take_figure(reader, item, "p95_share");
	weir_report_read_stage_more(reader, item, stage);
	read_row_verdict(reader, item, &stage->verdict);
}

void weir_report_read_stages(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {"stages", WEIR_REPORT_MAX_ROWS,
	                                             sizeof(struct weir_stage_row), read_stage};
	struct weir_report *report = reader->report;

	report->stages = weir_report_take_list(reader, document, &list, &report->stage_count);
}

static void read_operator(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_operator_row *op = row;
	const char *roofline = weir_result_take_text(reader, item, "roofline");
	const struct weir_report_figure figures[] = {
		{"share", &op->share},   {"flops", &op->flops}, {"bytes", &op->bytes},
		{"tflops", &op->tflops}, {"gbps", &op->gbps},   {"efficiency", &op->efficiency},
	};

	op->name = weir_result_take_text(reader, item, "name");
	op->stage = weir_result_take_text(reader, item, "stage");
	op->device = weir_result_take_text(reader, item, "device");
	op->kind = weir_result_take_text(reader, item, "kind");
	read_distribution(reader, item, &op->call);
	weir_report_take_figures(reader, item, figures, COUNT_OF(figures));
	op->calls_per_iteration = op->host_self_ns = op->host_total_ns = NAN;
	if (roofline && !weir_roofline_parse(roofline, &op->roofline))
		weir_result_fail(reader, WEIR_E_FORMAT, "roofline", "a class or null");
	weir_report_read_operator_counters(reader, item, op);
	read_row_verdict(reader, item, &op->verdict);
}

void weir_report_read_operators(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {
		"operators", WEIR_REPORT_MAX_ROWS, sizeof(struct weir_operator_row), read_operator};
	struct weir_report *report = reader->report;

	report->operators = weir_report_take_list(reader, document, &list, &report->operator_count);
}

static void read_recommendation(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_recommendation *recommendation = row;
	const cJSON *speedup = weir_result_take_object(reader, item, "speedup"), *saving;

	recommendation->id = weir_result_take_text(reader, item, "id");
	recommendation->title = weir_result_take_text(reader, item, "title");
	recommendation->why = weir_result_take_text(reader, item, "why");
	recommendation->effort = weir_result_take_text(reader, item, "effort");
	recommendation->low = weir_report_take_figure(reader, speedup, "low");
	recommendation->high = weir_report_take_figure(reader, speedup, "high");
	recommendation->limit = weir_report_take_figure(reader, item, "limit");
	saving = weir_result_take_object(reader, item, "saving");
	recommendation->saving_class = weir_result_take_text(reader, saving, "class");
	recommendation->saving_factor = weir_report_take_figure(reader, saving, "factor");
	recommendation->saving_step_ns = weir_report_take_figure(reader, saving, "step_ns");
	recommendation->saving_speedup = weir_report_take_figure(reader, saving, "speedup");
	if (saving && !recommendation->saving_class)
		weir_result_fail(reader, WEIR_E_FORMAT, "saving", "a class, a factor and a step");
}

void weir_report_read_advice(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {"recommendations", WEIR_REPORT_MAX_ROWS,
	                                             sizeof(struct weir_recommendation),
	                                             read_recommendation};
	struct weir_report *report = reader->report;

	report->recommendations =
		weir_report_take_list(reader, document, &list, &report->recommendation_count);
}

/* ---- what if ---- */

static void read_what_if_stage(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_what_if_stage *stage = row;

	stage->name = weir_result_take_text(reader, item, "name");
	stage->p50_ns = weir_report_take_figure(reader, item, "p50_ns");
	stage->speedup = weir_report_take_figure(reader, item, "speedup");
}

static void read_what_if(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	static const struct weir_report_list stages = {"stages", WEIR_REPORT_MAX_ROWS,
	                                               sizeof(struct weir_what_if_stage),
	                                               read_what_if_stage};
	struct weir_what_if *what_if = row;

	what_if->class_name = weir_result_take_text(reader, item, "class");
	what_if->factor = weir_report_take_figure(reader, item, "factor");
	what_if->step_ns = weir_report_take_figure(reader, item, "step_ns");
	what_if->speedup = weir_report_take_figure(reader, item, "speedup");
	what_if->stages = weir_report_take_list(reader, item, &stages, &what_if->stage_count);
}

void weir_report_read_what_ifs(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {"what_if", WEIR_REPORT_MAX_ROWS,
	                                             sizeof(struct weir_what_if), read_what_if};
	struct weir_report *report = reader->report;

	report->what_ifs = weir_report_take_list(reader, document, &list, &report->what_if_count);
}

void weir_report_read_profiler(struct weir_result_reader *reader, const cJSON *document)
{
	const cJSON *object = weir_result_take_object(reader, document, "profiler");
	struct weir_profiler_cost *profiler = &reader->report->profiler;

	profiler->inflation = weir_report_take_figure(reader, object, "inflation");
	profiler->source = weir_result_take_text(reader, object, "source");
	weir_result_in(reader, "profiler");
}
