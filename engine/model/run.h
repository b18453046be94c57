/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run in the form that is recorded and compared: the document weir.run/1, with one value per
 * iteration in order of arrival. Values are double nanoseconds (calls: numbers; metrics: their own
 * unit). Series of one run may differ in length. A run owns everything in it.
 */
#ifndef WEIR_MODEL_RUN_H
#define WEIR_MODEL_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/enums.h"
#include "engine/base/rowmap.h"

struct weir_series {
	char *name; /* "decode", "decode/aten::mm", "tokens_per_s" */
	double *value;
	size_t count, capacity;
	bool higher_is_better; /* metrics only */
	char *unit;            /* metrics only; may be NULL */
	/* Quantiles by enum weir_metric of a run whose samples were dropped (`value` is NULL), and
	 * the number of samples; NULL: compute them from `value`. Owned. */
	double *quantiles;
	size_t dropped;
};

/* Series by name, sorted only when they are written. */
struct weir_series_table {
	struct weir_series *items;
	size_t count, capacity;
	struct weir_rowmap of_name;
};

/* Key of the label that tells in which session (job) a run was measured. A value that begins with
 * WEIR_RUN_DERIVED was found by weir and is no part of the content of a run. */
#define WEIR_RUN_SESSION "session"
#define WEIR_RUN_DERIVED "auto:"

#define WEIR_RUN_MAX_LABELS 256

struct weir_run_label {
	char *key, *value;
};

struct weir_run {
	struct weir_series_table stages, device, operators, calls, metrics;
	struct weir_run_label *labels;
	size_t label_count, label_capacity;
	/* The next run of the same file, which this one owns; NULL: none. Only files that state
	 * several processes have it. */
	struct weir_run *next;
};

/* Tables of a run, named as in weir.run/1 and in the store. */
enum weir_run_table {
	WEIR_RUN_STAGES,
	WEIR_RUN_DEVICE,
	WEIR_RUN_OPERATORS,
	WEIR_RUN_CALLS,
	WEIR_RUN_METRICS,
	WEIR_RUN_TABLE_COUNT
};

WEIR_ENUM_DECLARE(weir_run_table); /* "stages" */
struct weir_series_table *weir_run_table(struct weir_run *run, enum weir_run_table table);
const struct weir_series_table *weir_run_table_of(const struct weir_run *run,
                                                  enum weir_run_table table);

/* Adds a metric of one value; nothing if the value is not finite or the run has the metric. Texts
 * are copied; unit may be NULL. */
void weir_run_add_metric(struct weir_run *run, const char *name, double value, const char *unit,
                         bool higher_is_better);

struct weir_run *weir_run_new(void);
void weir_run_free(struct weir_run *run);

/* Finds or adds a series; valid until the next call on the same table. The name is copied. */
struct weir_series *weir_series_get(struct weir_series_table *table, const char *name);
const struct weir_series *weir_series_find(const struct weir_series_table *table,
                                           const char *name); /* may be NULL */
void weir_series_push(struct weir_series *series, double value);
/* Finds series by their names again after a caller changed names in place. */
void weir_series_index(struct weir_series_table *table);
/* Removes the series without values. Returns the number of values of the others. */
uint64_t weir_series_drop_empty(struct weir_series_table *table);
/* Returns the series sorted by name. They are borrowed; the caller frees the list. */
const struct weir_series **weir_series_sorted(const struct weir_series_table *table);

/* Sets a label, replacing an earlier value of the key. Both are copied. */
void weir_run_set_label(struct weir_run *run, const char *key, const char *value);
const char *weir_run_label(const struct weir_run *run, const char *key); /* NULL: none */
/* Returns true for a session that weir found by itself. */
bool weir_run_label_is_derived(const struct weir_run_label *label);
/* Returns the labels sorted by key. They are borrowed; the caller frees the list. */
const struct weir_run_label **weir_run_labels_sorted(const struct weir_run *run);

#endif
