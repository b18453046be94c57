/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One rule: parsed from its JSON object and checked in every detail, then evaluated against rows of
 * features. rules/README.md describes the format. A row holds one double for each feature of the
 * table; NAN: not measured.
 */
#ifndef WEIR_RULES_RULE_H
#define WEIR_RULES_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/expression.h"
#include "engine/base/json.h"
#include "engine/model/finding.h"
#include "engine/model/what_if.h"

#define WEIR_BOUND_NONE WEIR_BOUND_COUNT /* bound of a rule that only gives advice */

/* A condition over features. */
struct weir_clause {
	const char *text; /* as written */
	struct weir_expression expression;
	size_t rows[WEIR_MAX_READINGS]; /* of the feature table, for each feature of the expression
	                                 */
};

/* An element of a rule's "recommend". low and high are both NAN if no speed-up is stated. */
struct weir_rule_advice {
	const char *id, *title, *why, *effort;
	double low, high;
	size_t saves; /* row of the feature table; WEIR_NO_FEATURE: no cap */
	bool has_change;
	struct weir_change change; /* its "what_if" */
};

struct weir_example {
	double *values; /* a row of features */
	enum weir_truth expect;
};

/* Everything in it belongs to the arena. */
struct weir_rule {
	const char *id, *file;
	const char *title;
	unsigned subjects;           /* WEIR_FOR_... */
	enum weir_bound bound;       /* WEIR_BOUND_NONE: advice only */
	const char *cause;           /* NULL: advice only */
	const char *headline, *next; /* templates; NULL: none */
	size_t share; /* row of the feature table: how much of the time it explains */
	/* Highest confidence of a verdict on a subject for which this rule holds; HIGH: no limit.
	 * The headline is the reason. Only rules without a bound limit it. */
	enum weir_confidence confidence;
	bool last;                   /* considered only if no other rule with a bound holds */
	bool of_compute;             /* requests: the share is a part of the time in computation */
	bool descend;                /* requests: the device's timeline decides, if there is one */
	struct weir_clause *clauses; /* at most WEIR_MAX_CLAUSES */
	size_t clause_count;
	struct weir_rule_advice *advice;
	size_t advice_count;
	const char **see; /* sources of the thresholds */
	size_t see_count;
	struct weir_example *examples;
	size_t example_count;
};

struct weir_rule_parser {
	const struct weir_feature_table *features;
	struct weir_arena *arena; /* of everything that is parsed */
};

/* Fills *clause with `text`, which is copied. Fails with WEIR_E_USAGE and the reason if it is not a
 * condition, or reads no feature or one that a subject of `subjects` (WEIR_FOR_... bits) lacks. */
enum weir_status weir_clause_parse(const struct weir_rule_parser *parser, const char *text,
                                   unsigned subjects, struct weir_clause *clause,
                                   struct weir_error *err);

/* True if the clause reads this row of the feature table. */
bool weir_clause_reads(const struct weir_clause *clause, size_t row);

enum weir_truth weir_clause_evaluate(const struct weir_clause *clause, const double *values);

/* Fills *out with the clause's text, its truth and the values that it reads. */
void weir_clause_explain(const struct weir_clause *clause,
                         const struct weir_feature_table *features, const double *values,
                         struct weir_evidence *out);

/* Fills *rule except for `file`. */
enum weir_status weir_rule_parse(const struct weir_rule_parser *parser, const cJSON *node,
                                 struct weir_rule *rule, struct weir_error *err);

/* Returns true if all clauses are true, false as soon as one is false, else unknown. */
enum weir_truth weir_rule_evaluate(const struct weir_rule *rule, const double *values);

/* Fails on members that are not in the list or that occur twice. */
enum weir_status weir_rule_check_keys(const cJSON *object, const char *const *keys,
                                      struct weir_error *err);

#endif
