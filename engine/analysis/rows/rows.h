/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fills a report from an analysis, one part per function. weir_analysis_report() calls them in the
 * order of this page: later parts read what earlier ones filled. All texts and arrays live in the
 * report's arena.
 */
#ifndef WEIR_ANALYSIS_ROWS_ROWS_H
#define WEIR_ANALYSIS_ROWS_ROWS_H

#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/rows/median_step.h"
#include "engine/analysis/rows/stage_rows.h"
#include "engine/analysis/whole/analysis.h"
#include "engine/model/report.h"
#include "engine/model/run.h"

/* Fills devices, ranks, steps, steps set apart, device time, idle causes, queue, memory and
 * attribution. */
void weir_fill_summary(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                       struct weir_report *report);
/* Returns true if the device work is copies alone, and the calls of the host do not show that no
 * kernel ran: calls that launch kernels are among them, or none was recorded. total: all analysed
 * time. */
bool weir_kernels_unrecorded(const struct weir_analysis *analysis, const struct weir_ledger *total);
/* Makes the device time of such a report unknown, apart from its copies. */
void weir_withdraw_idle(struct weir_report *report);
/* Makes the features of such a profile unknown, apart from those that tell of its copies. */
void weir_withdraw_idle_features(const struct weir_report *report, double *values);
/* Fills figures about delays of device work: names behind idle time, waits of the host and, unless
 * only the verdict is wanted, the queue and the launches by call. total: all analysed time. Queue
 * and launches come from the first rank with device work, as ranks run the same program. */
void weir_fill_launching(const struct weir_analysis *analysis, const struct weir_ledger *total,
                         struct weir_report *report);
/* Fills report->memory over all ranks and inputs; report->has_memory stays false without memory
 * events and allocation calls. */
void weir_fill_memory(const struct weir_analysis *analysis, const struct weir_ledger *total,
                      struct weir_report *report);
/* Sets the features about memory in `values` (WEIR_F_COUNT of them). */
void weir_memory_features(const struct weir_report *report, double *values);

/* Fills report->job with the ranks, nodes and groups that stand out, if there are any or if some
 * ranks are not analysed in detail, and notes the latter. */
void weir_fill_job(const struct weir_analysis *analysis, struct weir_report *report);

/* Fills report->stages and their attribution: stages of requests, of timelines, of native runs. */
void weir_fill_stages(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      struct weir_report *report);
/* Appends the stages of metrics pages, notes on what the pages hold, and the figures of requests if
 * no input holds requests. */
void weir_fill_scrapes(const struct weir_analysis *analysis, struct weir_report *report);
/* Fills report->server, its features and, unless only the verdict is wanted, notes on it. Needs the
 * figures of requests and monitors. */
void weir_fill_server(const struct weir_analysis *analysis, struct weir_report *report);
/* Fills report->operators, the largest device time first; without device work, by self time on the
 * host. median: the step in which call sites are looked for. */
void weir_fill_operators(const struct weir_analysis *analysis,
                         const struct weir_median_step *median, struct weir_report *report);
/* Adds the self time of the operators of timelines without device work to a run, in the form of
 * profiles of the host: the whole, and the shares of the largest operators. */
void weir_run_add_host_operators(const struct weir_analysis *analysis, struct weir_run *run);
/* Adds the whole weight of profiles of the host to a run: "host_total_ns". */
void weir_run_add_host_total(struct weir_run *run, enum weir_host_unit unit, double total);
/* Adds the share of a function, "rebuild (basis.py)/self_share", if it is large and among the
 * largest; place: its index among them. file: NULL: not known. */
void weir_run_add_host_share(struct weir_run *run, size_t place, const char *function,
                             const char *file, double share);
/* Fills report->host_operators for timelines without device work. */
void weir_fill_host_operators(const struct weir_analysis *analysis, struct weir_report *report);
/* Sets the features about host operators in `values` (WEIR_F_COUNT of them). */
void weir_host_operator_features(const struct weir_report *report, double *values);
/* Fills report->graphs and notes about them. Bodies that are equal on several ranks share a row. */
void weir_fill_graphs(const struct weir_analysis *analysis, struct weir_report *report);

/* Fills report->operators from counters, for a profile without a timeline. */
void weir_fill_counted_operators(const struct weir_counted *counted, struct weir_report *report);
/* Fills report->counters: each kernel with its measured figures and the rules of Nsight Compute
 * about it. */
void weir_fill_counters(const struct weir_counted *counted, struct weir_report *report);

/* Fills the features of the profile and of the stages. */
void weir_fill_features(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report);

/*
 * Fills report->profiler: the time of a profiled run over that of the same program without the
 * profiler. The first comparable native run among the inputs decides. Stages of the same name are
 * compared by the sums of their p50. If none match, a native run with a single stage is compared
 * with the step, or with the only stage of the timeline.
 */
void weir_fill_inflation(const struct weir_analysis *analysis,
                         const struct weir_stage_merges *merges, struct weir_report *report);

/* Fills report->critical_path; nothing if no device has a window. */
void weir_fill_critical_path(const struct weir_analysis *analysis,
                             const struct weir_stage_merges *merges, const struct weir_path *path,
                             struct weir_report *report);

/* Returns the name of the operator (for device work, the one that launched it), call or kernel of
 * the piece; NULL: it has no name. Borrowed from the trace. */
const char *weir_path_piece_name(const struct weir_analysis *analysis,
                                 const struct weir_path_piece *piece);

/* Returns the number of rows that weir_serving_rows() writes: one per stage, and one for the time
 * between them. */
size_t weir_serving_row_count(const struct weir_serving *serving);
/* Fills rows in order from arrival to response. */
void weir_serving_rows(const struct weir_serving *serving, struct weir_report *report,
                       struct weir_stage_row *rows);
/* Fills report->requests, and report->attribution with the time of the requests around the
 * percentile. */
void weir_serving_figures(const struct weir_serving *serving, struct weir_report *report);
/*
 * Completes the attribution after the verdict about the requests: time in computation goes to the
 * verdict's bound if its rule has `of_compute`, or is split as the device's time if the device
 * decides. Sets the verdict of each stage of requests by the largest part of its time. device: the
 * verdict about the timeline; NULL: none.
 */
void weir_serving_settle(const struct weir_serving *serving, const struct weir_verdict *requests,
                         const struct weir_verdict *device, struct weir_report *report);

/* Notes the busiest and the idlest of several monitored devices, and the power of the whole board.
 */
void weir_note_telemetry(struct weir_report *report);
/* Returns the share of all samples of monitors that state a reason for their clocks,
 * WEIR_CLOCKS_...; NAN: no sample states reasons. */
double weir_reason_share(const struct weir_profile *profile, uint32_t reason);

/*
 * Adds the profile to a run (weir.run/1), one value per occurrence of a stage and, for work outside
 * every stage, per step. Operators get their device time in it.
 */
void weir_analysis_run(const struct weir_analysis *analysis, struct weir_run *run);
/* Adds a value per request to the stages of a run, and the figures of the requests; cost: NULL if
 * no price is known. */
void weir_serving_run(const struct weir_serving *serving, const struct weir_cost *cost,
                      struct weir_run *run);
/* Adds the means of stages and the rates of metrics pages to a run, unless it has a figure of the
 * name. */
void weir_run_add_scrapes(const struct weir_analysis *analysis, struct weir_run *run);
/* Adds the state of the server to a run: peaks and rates, and one stage for each phase of steps. */
void weir_run_add_server(const struct weir_analysis *analysis, struct weir_run *run);
/* Adds the figures of monitors and of profiles of the host to a run: means and peaks over all
 * samples, of each device as well if there are several; the total and the shares of the largest
 * functions. */
void weir_run_add_monitors(const struct weir_profile *profile, struct weir_run *run);
/* Returns true if a run has a value: a document without one is not valid. */
bool weir_run_has_values(const struct weir_run *run);
/* Adds one operator per counted kernel and launch shape to a run, one value per launch: the largest
 * WEIR_MAX_COUNTER_ROWS. */
void weir_counted_run(const struct weir_counted *counted, struct weir_run *run);

#endif
