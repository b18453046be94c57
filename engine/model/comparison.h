/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The finished result of `weir gate` and `weir compare`: the content of weir.gate/1.
 * engine/analysis/compare fills the rows, ci/policy the policy and the verdict; writers only read
 * it. `weir report` and `weir comment` read it back from JSON. Changes, margins and intervals are
 * relative (0.05 is 5 %). NAN is unknown. Texts live in the result's arena.
 */
#ifndef WEIR_MODEL_COMPARISON_H
#define WEIR_MODEL_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/model/bound.h"
#include "engine/model/gate_pictures.h"

enum weir_scope_kind {
	WEIR_SCOPE_STAGE,    /* "stage:NAME": duration of a stage */
	WEIR_SCOPE_DEVICE,   /* "device:STAGE": device time of a stage, per iteration */
	WEIR_SCOPE_OPERATOR, /* "operator:STAGE/NAME": device time of an operator, per iteration */
	WEIR_SCOPE_METRIC,   /* "metric:NAME": one value per run */
	WEIR_SCOPE_ALL_OPERATORS, /* "all-operators": the change that all operators share */
};

enum weir_metric {
	WEIR_METRIC_P50,
	WEIR_METRIC_P90,
	WEIR_METRIC_P95,
	WEIR_METRIC_P99,
	WEIR_METRIC_SHIFT, /* mean of the log deciles */
	WEIR_METRIC_VALUE, /* value of a per-run metric */
	WEIR_METRIC_DRIFT, /* cumulative change against the oldest runs: engine/stats/drift.h */
	WEIR_METRIC_COUNT
};

/* Metrics below this one are figures of a single run. */
#define WEIR_METRIC_RUN_COUNT WEIR_METRIC_DRIFT

enum weir_outcome {
	WEIR_OUTCOME_REGRESSION,
	WEIR_OUTCOME_IMPROVEMENT,
	WEIR_OUTCOME_NO_CHANGE,
	WEIR_OUTCOME_INCONCLUSIVE,
	WEIR_OUTCOME_SUSPECT,
	WEIR_OUTCOME_INFORMATIONAL, /* too few samples to judge, or excluded by the configuration */
	WEIR_OUTCOME_MISSING,       /* in the baseline only */
	WEIR_OUTCOME_NEW,           /* in the candidate only */
	WEIR_OUTCOME_MOVED,         /* a cost shift inside a stage: never a failure */
	WEIR_OUTCOME_WAIVED,        /* a regression that a waiver covers */
	WEIR_OUTCOME_COUNT
};

/* The test that the number of runs allows: docs/statistics.md, "the ladder". */
enum weir_method {
	WEIR_METHOD_FULL,
	WEIR_METHOD_TWO_RUN,
	WEIR_METHOD_SINGLE_RUN,
	WEIR_METHOD_OUTLIER,
	WEIR_METHOD_NONE,
};

/* Design of the test by sessions: engine/stats/sessions.h. */
enum weir_session_design {
	WEIR_SESSIONS_UNKNOWN,    /* a run does not name its session: each run stands for itself */
	WEIR_SESSIONS_ONE,        /* all runs come from one session */
	WEIR_SESSIONS_BLOCKS,     /* sessions hold runs of both sides */
	WEIR_SESSIONS_NESTED,     /* no session holds both sides: sessions are the unit */
	WEIR_SESSIONS_CONFOUNDED, /* one session a side: session and code are confounded */
};

struct weir_gate_sessions {
	enum weir_session_design design;
	uint64_t baseline, candidate, shared; /* numbers of sessions; 0: not known */
};

enum weir_gate_verdict {
	WEIR_GATE_PASS,
	WEIR_GATE_REGRESSION,
	WEIR_GATE_IMPROVEMENT,
	WEIR_GATE_INCONCLUSIVE,
	WEIR_GATE_SUSPECT,
	WEIR_GATE_NO_BASELINE,
	WEIR_GATE_ENVIRONMENT,
	WEIR_GATE_COVERAGE,
};

#define WEIR_REASON_SESSIONS "sessions"

struct weir_waiver {
	const char *reason, *issue, *expires; /* expires: "2027-01-31"; each may be NULL */
	double up_to;                         /* the largest change that the waiver covers */
	bool expired, exceeded;
};

struct weir_row {
	enum weir_scope_kind kind;
	const char *scope; /* "stage:decode", as in the JSON */
	const char *stage; /* NULL: none */
	const char *name;  /* of the stage, operator or metric */
	enum weir_metric metric;
	double baseline, candidate; /* mean of the quantile over runs, computed on logarithms; ns,
	                               or the metric's unit */
	const char *unit;           /* "ns" or the unit of the metric; NULL: none */
	double change;              /* candidate over baseline, minus 1 */
	double low, high;           /* 90 % interval of the change */
	double p, p_adjusted; /* one-sided: of an improvement that it is faster, else slower */
	double margin;
	enum weir_outcome outcome;
	double mde; /* minimum detectable effect: the smallest change found with 80 % power */
	double runs_needed; /* candidate runs that would detect a change of twice the margin; NAN:
	                       more than 20 */
	uint64_t baseline_samples, candidate_samples; /* smallest number of samples in a run */
	double contributed_ns; /* candidate minus baseline, per iteration; rows are ordered by it;
	                          NAN: not a time */
	const struct weir_waiver *waiver; /* NULL: no waiver applies */
	const char *note;                 /* one line; NULL: none */
	/* Why the row is undecided: "sessions" if the runs alone would decide it, but the
	 * difference may be that of sessions. NULL: no such reason. */
	const char *reason;
	double baseline_calls, candidate_calls; /* calls of an operator per iteration, mean of the
	                                           medians of the runs; NAN: unknown */
	double spread;       /* slowest over fastest run of the baseline, minus 1; NAN: unknown */
	const char *renamed; /* the operator's name in the candidate; NULL: the same name */
	const char *family;  /* "2 -> 3 kernels": the row sums a family; NULL: it does not */
	double stage_change; /* change of the stage's time by a device or operator row alone; NAN:
	                        unknown, or another kind of row. Not part of the JSON */
	bool above_ceiling;  /* no waiver applies. Not part of the JSON */
	const struct weir_gate_finding *finding; /* NULL: none. Not part of the JSON */
};

/* Rows that one cause explains: see ci/policy/causes.h. */
struct weir_gate_finding {
	const char *scope;         /* of the cause, a key; "all-stages" and patterns are possible */
	enum weir_outcome outcome; /* the worst of its rows: regression, suspect or waived */
	double alike;              /* change that all operators or stages share; NAN: none */
	uint64_t alike_count;      /* number of operators or stages that share it */
	double added_ns;           /* time added per iteration; NAN: not a time */
	uint64_t *rows;            /* indices of rows: the one to quote, then by scope and metric */
	size_t row_count;
	double up_to;         /* change that a waiver must cover; NAN: none can cover it */
	const char *until;    /* last day of such a waiver, "2027-01-31"; NULL: not known */
	const char *sentence; /* as in the text output; NULL: not written yet */
	const char *fix;      /* id of a fix that would undo it; NULL: none known */
};

enum weir_environment_policy {
	WEIR_ENVIRONMENT_MUST,
	WEIR_ENVIRONMENT_WARN,
};

struct weir_difference {
	const char *key, *baseline, *candidate; /* the values; NULL: not stated */
	enum weir_environment_policy policy;
};

struct weir_gate_label {
	const char *key, *value;
};

struct weir_side {
	uint64_t runs;
	struct weir_gate_label *labels; /* labels that all runs of the side share */
	size_t label_count;
};

/* The share of one operator in the change of a regressed stage. */
struct weir_contribution {
	const char *stage, *operator;
	double delta_ns; /* change of the device time per iteration */
	double baseline_calls, candidate_calls;
	const char *renamed; /* the operator's name in the candidate; NULL: the same name */
};

/* A fix that undoes a regression: the candidate has places for it in the regressed row. */
struct weir_undo {
	const char *scope;       /* of the worst row that it would undo: "stage:prefill" */
	const char *fix;         /* id: "fused-attention" */
	const char *title, *how; /* how: the call or setting; NULL: the title says it */
	double step_ns;          /* predicted step of the candidate with the fix */
	bool compared; /* true: the baseline was classified too and does not need the fix */
};

/* The next step after a verdict. `RUN...` in a command stands for runs that have to be measured. */
struct weir_gate_advice {
	const char *id;        /* "promote", "measure", "leave-out"; docs/ci.md lists them */
	const char *label;     /* "to settle it" */
	const char *text;      /* one line for people, with the commands in brief */
	const char **commands; /* for a shell, in order, with the paths of the runs */
	size_t command_count;
};

struct weir_gate_counts {
	uint64_t judged, regressions, improvements, no_change, inconclusive, suspect, informational,
		waived, missing, added, moved;
};

struct weir_gate_result {
	struct weir_arena *arena;
	enum weir_gate_verdict verdict;
	int exit_code;
	int codes[16]; /* every code that applies, in order of precedence */
	size_t code_count;
	enum weir_method method;
	struct weir_gate_sessions sessions;
	const char *reason; /* for which the verdict is inconclusive: "sessions"; NULL: none */
	double alpha_operators, alpha_stages;
	const char *baseline_name;                  /* NULL for compare */
	const char *recorded_first, *recorded_last; /* "2026-11-20T14:00:00Z"; NULL: not known */
	struct weir_side baseline, candidate;
	bool environment_match;
	struct weir_difference *differences;
	size_t difference_count;
	struct weir_gate_counts counts;
	struct weir_undo *undos; /* at most one per fix, worst row first */
	size_t undo_count;
	struct weir_gate_advice *advice; /* the most useful first */
	size_t advice_count;
	struct weir_row *rows; /* worst row first */
	size_t row_count;
	struct weir_gate_finding *findings; /* regressions first, then what adds the most time */
	size_t finding_count;
	const char *command; /* the command line that made the result; NULL: not known */
	bool has_baseline_bound, has_candidate_bound;
	enum weir_bound baseline_bound, candidate_bound;
	const char *bound_stage; /* the stage that both bounds describe; NULL: the whole run */
	const char *baseline_cause, *candidate_cause; /* NULL: none */
	struct weir_contribution *contributions; /* operators of regressed stages, largest first */
	size_t contribution_count;
	const char **remarks; /* one line each: patterns without a match, expired waivers, recorded
	                         runs */
	size_t remark_count;
	const char *incomplete; /* first fault of a candidate run that lacks iterations or a stage;
	                           NULL: none */
	const char
		*since; /* first recorded run in which the worst row is slower; NULL: not known */
	struct weir_gate_pictures *pictures; /* NULL: nothing was compared */
};

struct weir_gate_result *weir_gate_result_new(void);
void weir_gate_result_free(struct weir_gate_result *result);

/* True if the row belongs to a finding: it regressed, is suspected or waived. */
bool weir_row_has_finding(const struct weir_row *row);
/* Sets the rows' pointers to findings; their indices of rows must be valid. */
void weir_gate_index_findings(struct weir_gate_result *result);
/* Returns the size of the row's change where a waiver names the row's own scope, or, with
 * `by_stage`, its stage: then as a share of the stage's time. */
double weir_gate_worsening(const struct weir_row *row, bool by_stage);

/* Returns the prefix of scopes of that kind: "stage:"; "all-operators" is the whole scope. */
const char *weir_scope_word(enum weir_scope_kind kind);
/* Finds the kind of a scope and sets *name to the text behind its prefix, borrowed from the scope.
 * False: unknown prefix. */
bool weir_scope_parse(const char *scope, enum weir_scope_kind *kind, const char **name);
/* Matches a scope with a shell pattern ("stage:decode*"). A scope matches itself even if it
 * contains brackets. */
bool weir_scope_matches(const char *pattern, const char *scope);

/* Texts of weir.gate/1. */
WEIR_ENUM_DECLARE(weir_metric);             /* "p50" */
WEIR_ENUM_DECLARE(weir_outcome);            /* "no-change" */
WEIR_ENUM_DECLARE(weir_method);             /* "two-run" */
WEIR_ENUM_DECLARE(weir_gate_verdict);       /* "no-baseline" */
WEIR_ENUM_DECLARE(weir_session_design);     /* "nested" */
WEIR_ENUM_DECLARE(weir_environment_policy); /* "must" */

#endif
