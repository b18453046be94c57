/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside report_read*.c: members that only a report has, and the parts of the document. */
#ifndef WEIR_REPORT_REPORT_READ_IMPL_H
#define WEIR_REPORT_REPORT_READ_IMPL_H

#include "engine/report/json/report_read.h"
#include "engine/report/json/result_read.h"

/* A list of objects and what makes a row, zeroed and `size` bytes long, of one. */
struct weir_report_list {
	const char *key;
	size_t limit, size;
	void (*read)(struct weir_result_reader *reader, const cJSON *item, void *row);
};

/* The rows, in the reader's arena; NULL where there is no such list. */
void *weir_report_take_list(struct weir_result_reader *reader, const cJSON *object,
                            const struct weir_report_list *list, size_t *count);

struct weir_report_figure {
	const char *key;
	double *out; /* NAN: unknown */
};

/* Each a number of at most WEIR_REPORT_MAX_FIGURE, or unknown. */
void weir_report_take_figures(struct weir_result_reader *reader, const cJSON *object,
                              const struct weir_report_figure *figures, size_t count);
double weir_report_take_figure(struct weir_result_reader *reader, const cJSON *object,
                               const char *key);
/* Missing: undetermined. */
enum weir_bound weir_report_take_bound(struct weir_result_reader *reader, const cJSON *object,
                                       const char *key);

/* The parts in report_read_parts.c; each fills reader->report. */
void weir_report_read_ranks(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_stages(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_operators(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_advice(struct weir_result_reader *reader, const cJSON *document);
/* Of the object gpu: what it holds from idle_names on. */
void weir_report_read_launching(struct weir_result_reader *reader, const cJSON *gpu);
void weir_report_read_gpu(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_requests(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_telemetry(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_host(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_graphs(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_counters(struct weir_result_reader *reader, const cJSON *document);
/* Of an operator. */
void weir_report_read_operator_counters(struct weir_result_reader *reader, const cJSON *item,
                                        struct weir_operator_row *row);
/* Of the object "run". */
void weir_report_read_notes(struct weir_result_reader *reader, const cJSON *run);
void weir_report_read_stage_more(struct weir_result_reader *reader, const cJSON *item,
                                 struct weir_stage_row *stage);
void weir_report_read_what_ifs(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_profiler(struct weir_result_reader *reader, const cJSON *document);
/* In report_read_path.c. */
void weir_report_read_critical_path(struct weir_result_reader *reader, const cJSON *document);
void weir_report_read_memory(struct weir_result_reader *reader, const cJSON *document);

#endif
