/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The input and output of rules. A subject (the profile, its requests, one stage, one device
 * operator) carries one double per feature; NAN is "not measured". A verdict keeps the rule, the
 * clauses that held and the values that they read. Texts are borrowed from the rule set or from the
 * report's arena, as noted.
 */
#ifndef WEIR_MODEL_FINDING_H
#define WEIR_MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/bound.h"
#include "engine/model/what_if.h"

enum weir_subject_kind {
	WEIR_SUBJECT_PROFILE,
	WEIR_SUBJECT_STAGE,
	WEIR_SUBJECT_OPERATOR,
	WEIR_SUBJECT_REQUESTS,
	WEIR_SUBJECT_SERVER, /* the state of a server over time */
	WEIR_SUBJECT_KINDS
};

#define WEIR_FOR_PROFILE  (1u << WEIR_SUBJECT_PROFILE)
#define WEIR_FOR_STAGE    (1u << WEIR_SUBJECT_STAGE)
#define WEIR_FOR_OPERATOR (1u << WEIR_SUBJECT_OPERATOR)
#define WEIR_FOR_REQUESTS (1u << WEIR_SUBJECT_REQUESTS)
#define WEIR_FOR_SERVER   (1u << WEIR_SUBJECT_SERVER)

enum weir_unit {
	WEIR_UNIT_SHARE, /* 0 to 1 */
	WEIR_UNIT_RATIO,
	WEIR_UNIT_NS,
	WEIR_UNIT_COUNT,
	WEIR_UNIT_BYTES,
	WEIR_UNIT_FLOPS,
	WEIR_UNIT_FLAG, /* 0 or 1 */
};

/* One row of the feature table (engine/analysis/rank/features.c). Ids match [a-z][a-z0-9_]*. */
struct weir_feature {
	const char *id;
	enum weir_unit unit;
	unsigned subjects;   /* WEIR_FOR_... bits: subjects that have the feature; it is NAN for
	                        others */
	const char *meaning; /* one line for docs and `weir rules show` */
	const char *phrase;  /* follows the value in evidence: "of runtime is late launches"; NULL:
	                        the id stands before it */
};

struct weir_feature_table {
	const struct weir_feature *items;
	size_t count;
};

struct weir_subject {
	enum weir_subject_kind kind;
	const char *name;     /* stage or operator; NULL for the profile */
	const double *values; /* one value per row of the feature table */
};

enum weir_truth {
	WEIR_FALSE,
	WEIR_TRUE,
	WEIR_UNKNOWN, /* depends on a feature that was not measured */
};

struct weir_reading {
	const char *feature; /* id */
	double value;        /* NAN: not measured */
};

#define WEIR_MAX_READINGS 8 /* features that one clause may read */

struct weir_evidence {
	const char *clause; /* as written in the rule */
	enum weir_truth truth;
	size_t reading_count;
	struct weir_reading readings[WEIR_MAX_READINGS];
};

#define WEIR_MAX_CLAUSES 12 /* clauses of a rule's `when` */

enum weir_confidence {
	WEIR_CONFIDENCE_LOW,
	WEIR_CONFIDENCE_MEDIUM,
	WEIR_CONFIDENCE_HIGH,
};

/* Passed by value; texts are borrowed from the rule set, which outlives it. */
struct weir_verdict {
	enum weir_bound bound;
	const char *cause; /* NULL: not stated */
	const char *rule;  /* id; NULL: undetermined without a rule */
	enum weir_confidence confidence;
	double share; /* share of the analysed time that the bound holds; NAN: unknown */
	bool of_compute, descend; /* flags of the rule, see rules/README.md */
	size_t evidence_count;
	struct weir_evidence evidence[WEIR_MAX_CLAUSES];
	bool has_runner_up;
	enum weir_bound runner_up;
	double runner_up_share;
	const char *doubt;    /* template: why the confidence is limited; NULL: no limit */
	const char *headline; /* template, see rules/README.md; NULL: none */
	const char *next;     /* template: the next action or measurement; NULL: none */
};

/* A recommendation of a rule that fired, before its speed-up is capped. Texts are borrowed. */
struct weir_advice {
	const char *id, *title, *why, *effort; /* title and why are templates */
	const char *rule;
	double low, high; /* typical speed-up in the literature; NAN: not stated */
	double share; /* largest share of the time that it can save; caps the speed-up at 1 / (1 -
	                 share); NAN: no cap */
	bool has_change;
	struct weir_change change; /* the largest change that it could make to the timeline */
	double weight;             /* sort key: the share of the rule that gave it */
};

/* Result of one evaluation of a rule: input of the choice and of `weir -v classify`. */
struct weir_rule_outcome {
	const char *rule;
	enum weir_bound bound;
	enum weir_truth truth;
	double share;
};

#endif
