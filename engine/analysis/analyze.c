/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/counters/counted_row.h"
#include "engine/analysis/drawing/pictures.h"
#include "engine/analysis/drawing/tracks.h"
#include "engine/analysis/job.h"
#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/requests/cost.h"
#include "engine/analysis/requests/joining.h"
#include "engine/analysis/requests/telemetry.h"
#include "engine/analysis/rows/host_functions.h"
#include "engine/analysis/rows/median_step.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/rows/what_if.h"
#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"

/* Sorts the largest subject first, then by rank and group, so that the order is the same on every
 * machine. */
static int by_owned_time(const void *left, const void *right)
{
	const struct weir_subject_ref *a = left, *b = right;

	if (a->owned_ns != b->owned_ns)
		return a->owned_ns > b->owned_ns ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

static void collect_subjects(struct weir_analysis *analysis)
{
	size_t count = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		count += analysis->ranks[r].groups.count;
	analysis->subjects = weir_alloc((count + 1) * sizeof *analysis->subjects);
	for (uint32_t r = 0; r < analysis->rank_count; r++)
		for (uint32_t g = 0; g < analysis->ranks[r].groups.count; g++)
			analysis->subjects[analysis->subject_count++] = (struct weir_subject_ref){
				analysis->ranks[r].groups.items[g].owned_ns, r, g};
	qsort(analysis->subjects, count, sizeof *analysis->subjects, by_owned_time);
	if (analysis->subject_count > WEIR_MAX_SUBJECTS)
		analysis->subject_count = WEIR_MAX_SUBJECTS;
}

static enum weir_status check_device(const struct weir_analysis *analysis, struct weir_error *err)
{
	const char *name = analysis->options.device_name;
	struct weir_device device;

	if (!name || weir_device_find(&analysis->table, name, 0, 0, &device))
		return WEIR_OK;
	return weir_fail(err, WEIR_E_USAGE, "%s is not in the device table (rules/devices.json)",
	                 name);
}

static bool holds_timing(const struct weir_input *input)
{
	const struct weir_trace *trace = input->trace;

	return input->run || (trace && (trace->host.count > 0 || trace->device.count > 0)) ||
	       input->packed_trace || (input->requests && input->requests->count > 0) ||
	       (input->server && input->server->count > 0) ||
	       (input->telemetry && input->telemetry->count > 0) || input->scrape ||
	       input->counters || input->host_profile;
}

static enum weir_status check_timing(const struct weir_profile *profile, struct weir_error *err)
{
	bool paid = false;

	for (size_t i = 0; i < profile->input_count; i++)
		if (holds_timing(&profile->inputs[i]))
			return WEIR_OK;
	for (size_t i = 0; i < profile->input_count; i++)
		paid |= profile->inputs[i].billing != NULL;
	return paid ? weir_fail(err, WEIR_E_EMPTY,
	                        "bills and prices say what was paid, not what ran: pass them "
	                        "together with requests")
	            : weir_fail(err, WEIR_E_EMPTY, "no input holds any timing");
}

/* True if an input holds nothing but a metrics page. */
static bool is_page_alone(const struct weir_input *input)
{
	return input->scrape && !input->run && !input->trace && !input->packed_trace &&
	       !input->requests && !input->server && !input->telemetry && !input->counters &&
	       !input->host_profile;
}

/* Fails if the inputs are metrics pages without a metric of a known server or device. */
static enum weir_status check_pages(const struct weir_profile *profile,
                                    const struct weir_stage_aliases *aliases,
                                    struct weir_error *err)
{
	struct weir_scrape_figures figures;

	for (size_t i = 0; i < profile->input_count; i++)
		if (!is_page_alone(&profile->inputs[i]))
			return WEIR_OK;
	if (weir_scrape_figures_collect(profile, aliases, &figures)) {
		weir_scrape_figures_release(&figures);
		return WEIR_OK;
	}
	return weir_fail(err, WEIR_E_EMPTY,
	                 "%s: no metric of a known server (" WEIR_KNOWN_SERVERS
	                 ") or of a monitor of devices (dcgm-exporter) "
	                 "is on %s: pass the page of the inference server (curl "
	                 "http://HOST:PORT/metrics)",
	                 profile->inputs[0].path,
	                 profile->input_count == 1 ? "the metrics page" : "these metrics pages");
}

enum weir_status weir_analysis_new(const struct weir_profile *profile,
                                   const struct weir_analysis_options *options,
                                   struct weir_analysis **out, struct weir_error *err)
{
	struct weir_analysis *analysis = weir_alloc(sizeof *analysis);
	enum weir_status status;

	analysis->profile = profile;
	analysis->options = *options;
	if (!options->settings)
		analysis->options.settings = &weir_no_settings;
	status = check_timing(profile, err);
	if (!status)
		status = check_pages(profile, &analysis->options.settings->aliases, err);
	if (!status)
		status = weir_device_table_load(&analysis->table, err);
	if (!status)
		status = check_device(analysis, err);
	if (status) {
		weir_analysis_free(analysis);
		return status;
	}
	status = weir_job_init(analysis, err);
	if (status) {
		weir_analysis_free(analysis);
		return status;
	}
	collect_subjects(analysis);
	analysis->counted = weir_counted_new(profile);
	analysis->join =
		weir_counted_overrule(analysis->counted, analysis->ranks, analysis->rank_count);
	analysis->serving =
		weir_serving_new(profile, options->percentile, analysis->options.settings);
	*out = analysis;
	return WEIR_OK;
}

void weir_analysis_drop_collectives(struct weir_analysis *analysis)
{
	weir_meetings_drop(analysis->meetings);
	weir_memory_return();
}

void weir_analysis_free(struct weir_analysis *analysis)
{
	if (!analysis)
		return;
	weir_job_release(analysis);
	weir_serving_free(analysis->serving);
	weir_counted_free(analysis->counted);
	free(analysis->subjects);
	weir_device_table_release(&analysis->table);
	free(analysis);
}

/* Returns the number of counted kernels that are subjects; they follow the groups of the
 * timelines. */
static size_t counted_subjects(const struct weir_analysis *analysis)
{
	size_t count = analysis->counted ? analysis->counted->count : 0;

	return count < WEIR_MAX_SUBJECTS ? count : WEIR_MAX_SUBJECTS;
}

size_t weir_analysis_subject_count(const struct weir_analysis *analysis)
{
	return analysis->subject_count + counted_subjects(analysis);
}

void weir_analysis_subject(const struct weir_analysis *analysis, size_t index,
                           struct weir_subject *out)
{
	const struct weir_subject_ref *ref;
	const struct weir_rank *rank;
	const struct weir_group *group;

	out->kind = WEIR_SUBJECT_OPERATOR;
	if (index >= analysis->subject_count) {
		out->name = analysis->counted->items[index - analysis->subject_count].name;
		out->values = analysis->counted->items[index - analysis->subject_count].features;
		return;
	}
	ref = &analysis->subjects[index];
	rank = &analysis->ranks[ref->rank];
	group = &rank->groups.items[ref->group];
	out->name = weir_group_name(group, rank->trace->names);
	out->values = rank->assessments[ref->group].values;
}

void weir_analysis_set_verdict(struct weir_analysis *analysis, size_t index,
                               const struct weir_verdict *verdict)
{
	const struct weir_subject_ref *ref;

	if (index >= analysis->subject_count) {
		analysis->counted->items[index - analysis->subject_count].verdict = *verdict;
		return;
	}
	ref = &analysis->subjects[index];
	analysis->ranks[ref->rank].assessments[ref->group].verdict = *verdict;
}

/* Fills the figures of monitors over the interval of the requests or, without requests, of the
 * timelines. */
static void fill_telemetry(const struct weir_analysis *analysis, struct weir_report *report)
{
	struct weir_stretch window = weir_requests_stretch(analysis->serving);

	if (window.start_ns == window.end_ns)
		window = weir_traces_stretch(analysis->profile);
	weir_telemetry_figures(analysis->profile, window.start_ns, window.end_ns, report->arena,
	                       &report->telemetry);
	report->has_telemetry = report->telemetry.samples > 0;
	if (!analysis->options.verdict_only)
		weir_note_telemetry(report);
	report->features[WEIR_F_UTILIZATION] = report->telemetry.utilization;
	if (report->has_telemetry)
		report->features[WEIR_F_MONITOR_SAMPLES] = (double)report->telemetry.samples;
	report->features[WEIR_F_POWER_CAPPED] = report->telemetry.power_capped;
	report->features[WEIR_F_THERMAL_CAPPED] = report->telemetry.thermal_capped;
	report->features[WEIR_F_SM_ACTIVE] = report->telemetry.sm_active;
	report->features[WEIR_F_TENSOR_ACTIVE] = report->telemetry.tensor_active;
	report->features[WEIR_F_DRAM_ACTIVE] = report->telemetry.dram_active;
}

/* Fills the rows about counters. Counted kernels become operators only without a timeline, which
 * has its own. */
static void fill_counters(const struct weir_analysis *analysis, struct weir_report *report)
{
	if (!analysis->rank_count)
		weir_fill_counted_operators(analysis->counted, report);
	weir_fill_counters(analysis->counted, report);
	if (analysis->rank_count && !analysis->options.verdict_only)
		weir_note_counted_join(&analysis->join, report);
}

static void fill_serving(const struct weir_analysis *analysis, struct weir_report *report)
{
	weir_serving_figures(analysis->serving, report);
	weir_serving_features(analysis->serving, report->features);
	if (!analysis->options.verdict_only)
		weir_serving_price(analysis->serving, analysis->profile, analysis->options.settings,
		                   report);
}

/* The figures of the report. Other threads find the critical path meanwhile. */
struct derived {
	const struct weir_analysis *analysis;
	struct weir_report *report; /* of fill_figures() and fill_changes() only */
	struct weir_stage_shares shares;
	struct weir_stage_merges merges;
	struct weir_median_step median;
	/* The search and the path are empty if only the verdict is wanted. */
	struct weir_path_search *search;
	struct weir_path path;
	size_t width; /* threads that may find the path */
};

/* Fills the figures that decide the verdict. */
static void fill_figures(struct derived *derived)
{
	const struct weir_analysis *analysis = derived->analysis;
	const struct weir_stage_merges *merges = &derived->merges;
	struct weir_report *report = derived->report;
	bool whole = !analysis->options.verdict_only;
	struct weir_region region = weir_region_enter("figures", NULL);

	report->feature_table = &weir_features;
	report->steady = analysis->options.steady;
	report->percentile = analysis->options.percentile;
	weir_fill_summary(analysis, merges, report);
	if (whole) {
		weir_fill_stages(analysis, merges, report);
		weir_fill_scrapes(analysis, report);
	}
	weir_region_leave(&region, "stages", report->stage_count);
	region = weir_region_enter("operators", NULL);
	if (whole)
		weir_median_step_find(analysis, report, &derived->median);
	weir_fill_operators(analysis, &derived->median, report);
	weir_region_leave(&region, "operators", report->operator_count);
	region = weir_region_enter("graphs", NULL);
	if (whole)
		weir_fill_graphs(analysis, report);
	weir_region_leave(&region, "graphs", report->graph_count);
	region = weir_region_enter("features", NULL);
	if (whole)
		weir_fill_host_operators(analysis, report);
	if (analysis->counted)
		fill_counters(analysis, report);
	if (whole)
		weir_fill_host_functions(analysis->profile, report);
	weir_fill_features(analysis, merges, report);
	weir_region_leave(&region, "counters", report->counter_count);
}

static void fill_changes(const struct derived *derived)
{
	struct weir_region region = weir_region_enter("what_if", NULL);

	weir_fill_inflation(derived->analysis, &derived->merges, derived->report);
	weir_fill_what_ifs(derived->analysis, &derived->merges, derived->report);
	weir_region_leave(&region, "changes", derived->report->what_if_count);
}

static void fill_pictures(const struct derived *derived)
{
	struct weir_region region = weir_region_enter("pictures", NULL);

	weir_fill_pictures(derived->analysis, &derived->median, derived->report);
	weir_region_leave(&region, "steps", derived->report->iteration_count);
}

/* With several parts a thread, all threads end at about the same time. */
#define PARTS_OF_THREAD  16 /* of the path */
#define SHARES_OF_THREAD 4  /* of the attributed time; each has the ledgers of all stages */

static void begin_path(struct derived *derived)
{
	struct weir_region region = weir_region_enter("path_index", NULL);
	size_t width = derived->width;

	derived->search =
		weir_path_search_new(derived->analysis, width > 1 ? width * PARTS_OF_THREAD : 1);
	weir_region_leave(&region, "parts", weir_path_search_parts(derived->search));
}

static void walk_path(struct derived *derived, size_t part)
{
	struct weir_region region = weir_region_enter("path", NULL);

	weir_path_search_walk(derived->search, part);
	weir_region_leave(&region, "part", part + 1);
}

static void attribute(struct derived *derived, size_t share)
{
	struct weir_region region = weir_region_enter("attribution", NULL);

	weir_stage_shares_fill(&derived->shares, share);
	weir_region_leave(&region, "share", share + 1);
}

/* Begins the path, which takes as long as all shares, or attributes one share of the time. */
static void prepare(void *context, size_t index)
{
	if (index == 0)
		begin_path(context);
	else
		attribute(context, index - 1);
}

/* Adds the time of all shares up by stage. */
static void merge_stages(struct derived *derived)
{
	weir_stage_merges_init(&derived->merges, &derived->shares);
	weir_stage_shares_release(&derived->shares);
}

/* Fills all figures, which takes longest, or walks a part of the path. */
static void derive(void *context, size_t index)
{
	struct derived *derived = context;

	if (index > 0) {
		walk_path(derived, index - 1);
		return;
	}
	fill_figures(derived);
	if (derived->analysis->options.verdict_only)
		return;
	fill_changes(derived);
	fill_pictures(derived);
}

/* Finds the critical path, and fills the figures that do not rest on it. */
static void derive_all(struct derived *derived)
{
	size_t shares = derived->width > 1 ? derived->width * SHARES_OF_THREAD : 1, parts;

	weir_stage_shares_init(&derived->shares, derived->analysis, shares);
	weir_pool_run(1 + shares, weir_pool_width(1 + shares), prepare, derived);
	merge_stages(derived);
	parts = weir_path_search_parts(derived->search);
	if (derived->width > 1) {
		weir_pool_run(1 + parts, derived->width, derive, derived);
		weir_path_search_end(derived->search, &derived->path);
		return;
	}
	/* One after the other: the figures need the memory of the search. */
	for (size_t p = 0; p < parts; p++)
		walk_path(derived, p);
	weir_path_search_end(derived->search, &derived->path);
	derive(derived, 0);
}

/* Fills the parts of the report that rest on the critical path. */
static void fill_path(const struct derived *derived, struct weir_report *report)
{
	const struct weir_analysis *analysis = derived->analysis;
	struct weir_region region = weir_region_enter("path_rows", NULL);

	weir_fill_critical_path(analysis, &derived->merges, &derived->path, report);
	weir_region_leave(&region, "pieces", derived->path.sums.pieces);
	if (!analysis->options.detail)
		return;
	region = weir_region_enter("drawing", NULL);
	weir_fill_detail(analysis, &derived->merges, &derived->path, report);
	weir_region_leave(&region, "spans", report->detail->span_count);
}

void weir_analysis_report(const struct weir_analysis *analysis, struct weir_report *report)
{
	bool whole = !analysis->options.verdict_only;
	struct derived derived = {.analysis = analysis,
	                          .report = report,
	                          .width = weir_pool_width(WEIR_POOL_MAX_WIDTH)};

	if (whole) {
		derive_all(&derived);
		fill_path(&derived, report);
	} else {
		weir_stage_shares_init(&derived.shares, analysis, 1);
		attribute(&derived, 0);
		merge_stages(&derived);
		derive(&derived, 0);
	}
	weir_path_release(&derived.path);
	weir_stage_merges_release(&derived.merges);
	weir_median_step_release(&derived.median);
	if (analysis->serving)
		fill_serving(analysis, report);
	fill_telemetry(analysis, report);
	weir_fill_server(analysis, report);
	if (whole) {
		weir_ranks_note(analysis->summaries, analysis->summary_count, report);
		weir_join(analysis->profile, analysis->serving, report);
	}
}

void weir_analysis_settle(const struct weir_analysis *analysis, const struct weir_verdict *requests,
                          const struct weir_verdict *device, struct weir_report *report)
{
	if (analysis->serving)
		weir_serving_settle(analysis->serving, requests, device, report);
}
