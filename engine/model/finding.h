/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rules read and what they say. A subject (the profile, its requests, one stage, one device
 * operator) carries one double a feature; NAN is "not measured" and reaches SQL as NULL. A verdict
 * keeps the rule, the clauses that held and the numbers they read. Texts are borrowed from the rule
 * set or from the report's arena, as noted.
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
	WEIR_SUBJECT_KINDS
};

#define WEIR_FOR_PROFILE  (1u << WEIR_SUBJECT_PROFILE)
#define WEIR_FOR_STAGE    (1u << WEIR_SUBJECT_STAGE)
#define WEIR_FOR_OPERATOR (1u << WEIR_SUBJECT_OPERATOR)
#define WEIR_FOR_REQUESTS (1u << WEIR_SUBJECT_REQUESTS)

enum weir_unit {
	WEIR_UNIT_SHARE, /* 0 to 1 */
	WEIR_UNIT_RATIO,
	WEIR_UNIT_NS,
	WEIR_UNIT_COUNT,
	WEIR_UNIT_BYTES,
	WEIR_UNIT_FLOPS,
	WEIR_UNIT_FLAG, /* 0 or 1 */
};

/* One row of the feature table (engine/analysis/rank/features.c); ids are SQL column names:
 * [a-z][a-z0-9_]*. */
struct weir_feature {
	const char *id;
	enum weir_unit unit;
	unsigned subjects;   /* WEIR_FOR_...: the subjects that have it; NULL for others */
	const char *meaning; /* one line for docs and `weir rules show` */
};

struct weir_feature_table {
	const struct weir_feature *items;
	size_t count;
};

struct weir_subject {
	enum weir_subject_kind kind;
	const char *name;     /* stage or operator; NULL for the profile */
	const double *values; /* one a row of the feature table */
};

enum weir_truth {
	WEIR_FALSE,
	WEIR_TRUE,
	WEIR_UNKNOWN, /* SQL NULL: a feature that was not measured decides */
};

struct weir_reading {
	const char *feature; /* id */
	double value;        /* NAN: not measured */
};

#define WEIR_MAX_READINGS 8 /* features one clause may read */

struct weir_evidence {
	const char *clause; /* as written in the rule */
	enum weir_truth truth;
	size_t reading_count;
	struct weir_reading readings[WEIR_MAX_READINGS];
};

#define WEIR_MAX_CLAUSES 12 /* a rule's `when` */

enum weir_confidence {
	WEIR_CONFIDENCE_LOW,
	WEIR_CONFIDENCE_MEDIUM,
	WEIR_CONFIDENCE_HIGH,
};

/* A plain value; texts are borrowed from the rule set, which outlives it. */
struct weir_verdict {
	enum weir_bound bound;
	const char *cause; /* NULL: none stated */
	const char *rule;  /* id; NULL when undetermined without a rule */
	enum weir_confidence confidence;
	double share;             /* of the analysed time that the bound holds; NAN: unknown */
	bool of_compute, descend; /* as the rule says, see rules/README.md */
	size_t evidence_count;
	struct weir_evidence evidence[WEIR_MAX_CLAUSES];
	bool has_runner_up;
	enum weir_bound runner_up;
	double runner_up_share;
	const char *headline; /* template, see rules/README.md; NULL: none */
	const char *next;     /* template: what to do or measure next; NULL: none */
};

/* A recommendation before its cap: from a rule that fired. Borrowed texts. */
struct weir_advice {
	const char *id, *title, *why, *effort; /* title and why are templates */
	const char *rule;
	double low, high; /* typical speed-up from the literature; NAN: none stated */
	double share; /* of the time that it can save at most; caps the speed-up at 1 / (1 - share);
	                 NAN: no cap known */
	bool has_change;
	struct weir_change change; /* what it would change in the timeline, at most */
	double weight; /* what orders it among the others: the share of the rule that gave it */
};

/* What one evaluation of a rule gave; the input of the choice and of `weir -v classify`. */
struct weir_rule_outcome {
	const char *rule;
	enum weir_bound bound;
	enum weir_truth truth;
	double share;
};

#endif
