/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration of a repository, weir.json: margins, rules, latency ceilings, labels of the
 * environment that must match, waivers. Unknown keys are errors that name the nearest known key.
 * Patterns are shell patterns ("stage:decode*"); a pattern equal to a scope also matches it, even
 * with brackets. The first rule that matches a row applies. Changes and margins are relative, times
 * are nanoseconds.
 */
#ifndef WEIR_CI_POLICY_POLICY_H
#define WEIR_CI_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/model/comparison.h"
#include "engine/model/settings.h"

#define WEIR_POLICY_FILE     "weir.json"
#define WEIR_POLICY_MAX_LIST 1000 /* entries of each list */
#define WEIR_WARMUP_AUTO     (-1)

enum weir_severity {
	WEIR_SEVERITY_FAIL,
	WEIR_SEVERITY_WARN,   /* reported, but never fails, even if the row is missing */
	WEIR_SEVERITY_IGNORE, /* not compared */
};

struct weir_policy_rule {
	const char *scope; /* pattern */
	bool has_metric;   /* false: every metric */
	enum weir_metric metric;
	double margin;        /* NAN: the margin of the metric */
	double min_change_ns; /* smaller changes of a time are "no change" */
	enum weir_severity severity;
};

struct weir_policy_waiver {
	const char *scope; /* pattern */
	bool has_metric;
	enum weir_metric metric;
	struct weir_waiver waiver; /* weir_policy_set_today() sets `expired` */
};

struct weir_policy_pair {
	const char *key, *value;
};

/* The arena owns all its texts and lists. */
struct weir_policy {
	struct weir_arena *arena;
	const char *path;  /* NULL: the defaults */
	const char *today; /* "2026-11-20"; NULL: not set */
	int warmup;        /* leading iterations dropped from each run, or WEIR_WARMUP_AUTO */
	double margins[WEIR_METRIC_COUNT];
	double alpha_operators, alpha_stages;
	struct weir_policy_rule *rules;
	size_t rule_count;
	struct weir_slo *slos;
	size_t slo_count;
	const char *const *must, *const *warn; /* environment keys */
	size_t must_count, warn_count;
	struct weir_policy_waiver *waivers;
	size_t waiver_count;
	struct weir_policy_pair *aliases; /* environment values that count as equal */
	size_t alias_count;
	struct weir_stage_alias *stages; /* additional names of stage kinds */
	size_t stage_count;
	double usd_per_gpu_hour; /* above 0; NAN: not stated */
	double max_age_days;     /* age from which a gate remarks that the baseline is old */
};

/* Returns the defaults, without a file. The caller frees it with weir_policy_free(). */
struct weir_policy *weir_policy_new(void);
/* Loads the file; path NULL: weir.json if it exists, otherwise the defaults. WEIR_E_USAGE: the
 * message names file, key and reason. */
enum weir_status weir_policy_load(const char *path, struct weir_policy **out,
                                  struct weir_error *err);
enum weir_status weir_policy_parse(const char *name, const char *text, size_t len,
                                   struct weir_policy **out, struct weir_error *err);
void weir_policy_free(struct weir_policy *policy);

/* Marks the waivers whose last day is before `today`, "2026-11-20". */
void weir_policy_set_today(struct weir_policy *policy, const char *today);

/* Returns the first rule that matches the row, or NULL. */
const struct weir_policy_rule *weir_policy_rule_for(const struct weir_policy *policy,
                                                    const char *scope, enum weir_metric metric);
/* Returns the margin of the row's rule, otherwise of the metric. */
double weir_policy_margin(const struct weir_policy *policy, const char *scope,
                          enum weir_metric metric);
/* Returns the first matching waiver that has not expired and has up_to >= change; otherwise the
 * first matching waiver, which then does not apply; NULL if no waiver matches. */
const struct weir_policy_waiver *weir_policy_waiver_for(const struct weir_policy *policy,
                                                        const char *scope, enum weir_metric metric,
                                                        double change);
/* Returns the value to compare in place of `value`, by the aliases. */
const char *weir_policy_canonical(const struct weir_policy *policy, const char *value);

#endif
