/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration of a repository, weir.json: margins, rules, service-level ceilings, what of the
 * environment must match, waivers. Unknown keys are errors that name the nearest known one.
 * Patterns are shell patterns ("stage:decode*"), and a scope matches itself, brackets or not; the
 * first rule that matches a row counts. Changes and margins are relative; times become nanoseconds.
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
#define WEIR_POLICY_MAX_LIST 1000 /* entries of any list in it */
#define WEIR_WARMUP_AUTO     (-1)

enum weir_severity {
	WEIR_SEVERITY_FAIL,
	WEIR_SEVERITY_WARN,   /* reported, never red, even when the row is missing */
	WEIR_SEVERITY_IGNORE, /* not compared */
};

struct weir_policy_rule {
	const char *scope; /* pattern */
	bool has_metric;   /* false: every metric */
	enum weir_metric metric;
	double margin;        /* NAN: the general one */
	double min_change_ns; /* 0: none */
	enum weir_severity severity;
};

struct weir_policy_waiver {
	const char *scope; /* pattern */
	bool has_metric;
	enum weir_metric metric;
	struct weir_waiver waiver; /* expired is set by weir_policy_set_today() */
};

struct weir_policy_pair {
	const char *key, *value;
};

/* Owns everything in it through its arena. */
struct weir_policy {
	struct weir_arena *arena;
	const char *path; /* NULL: the defaults */
	int warmup;       /* leading iterations dropped of every run; WEIR_WARMUP_AUTO */
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
	struct weir_policy_pair *aliases; /* environment values that are the same */
	size_t alias_count;
	struct weir_stage_alias *stages; /* further names of stage kinds */
	size_t stage_count;
	double usd_per_gpu_hour; /* above 0; NAN: not stated */
};

/* Returns the defaults, without a file. The caller frees it with weir_policy_free(). */
struct weir_policy *weir_policy_new(void);
/* path NULL: weir.json where it is present, else the defaults. A fault is WEIR_E_USAGE with file,
 * key and reason. */
enum weir_status weir_policy_load(const char *path, struct weir_policy **out,
                                  struct weir_error *err);
enum weir_status weir_policy_parse(const char *name, const char *text, size_t len,
                                   struct weir_policy **out, struct weir_error *err);
void weir_policy_free(struct weir_policy *policy);

/* Marks the waivers that have expired by that day, "2026-11-20". */
void weir_policy_set_today(struct weir_policy *policy, const char *today);

/* The first rule for the row; NULL: none. */
const struct weir_policy_rule *weir_policy_rule_for(const struct weir_policy *policy,
                                                    const char *scope, enum weir_metric metric);
double weir_policy_margin(const struct weir_policy *policy, const char *scope,
                          enum weir_metric metric);
/* Of the waivers for the row the first that has not expired and goes up to the change; else the
 * first, which covers nothing; NULL: there is none. */
const struct weir_policy_waiver *weir_policy_waiver_for(const struct weir_policy *policy,
                                                        const char *scope, enum weir_metric metric,
                                                        double change);
/* The value that stands for it in comparisons of the environment. */
const char *weir_policy_canonical(const struct weir_policy *policy, const char *value);

#endif
