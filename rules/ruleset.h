/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of rules, read from JSON files and checked in every detail: rules/README.md describes the
 * format. Rules keep one order throughout: files top-down (batching, runtime, communication,
 * memory, kernel, hardware, then others by name), then their place in the file.
 */
#ifndef WEIR_RULES_RULESET_H
#define WEIR_RULES_RULESET_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "engine/model/what_if.h"
#include "rules/clause.h"

#define WEIR_RULESET_MAX_FILES     64
#define WEIR_RULESET_MAX_RULES     512
#define WEIR_RULESET_MAX_FILE_SIZE (1u << 20) /* bytes of one rule file */

#define WEIR_BOUND_NONE WEIR_BOUND_COUNT /* bound of a rule that only gives advice */

/* A row of a rule's "recommend". low and high are both NAN where no speed-up is stated. */
struct weir_rule_advice {
	const char *id, *title, *why, *effort;
	double low, high;
	size_t saves; /* row of the feature table; WEIR_NO_FEATURE: no cap */
	bool has_change;
	struct weir_change change; /* its "what_if" */
};

struct weir_example {
	double *values; /* one a feature; NAN where the example names none */
	enum weir_truth expect;
};

/* Everything in it belongs to the set. Rows are rows of the feature table or WEIR_NO_FEATURE. */
struct weir_rule {
	const char *id, *file;
	const char *title;
	unsigned subjects;           /* WEIR_FOR_... */
	enum weir_bound bound;       /* WEIR_BOUND_NONE: advice only */
	const char *cause;           /* NULL: advice only */
	const char *headline, *next; /* templates; NULL: none */
	size_t share;                /* how much of the time it explains */
	bool last;                   /* considered only when no other rule fired */
	bool of_compute;             /* requests: the share is a part of the time in computation */
	bool descend; /* requests: what the device did decides, where that is known */
	struct weir_clause *clauses[WEIR_MAX_CLAUSES];
	size_t clause_count;
	struct weir_rule_advice *advice;
	size_t advice_count;
	const char **see; /* where the thresholds come from */
	size_t see_count;
	struct weir_example *examples;
	size_t example_count;
};

struct weir_ruleset; /* opaque; owns its rules, their texts and the clause database */

/*
 * The feature table is borrowed and must outlive the set. Any fault is WEIR_E_USAGE with file, rule
 * and reason
 * ("runtime.json: rules[3] (runtime/host-sync): when[1]: ..."), a folder or file that cannot be
 * read included: rules are configuration. A set serves one thread.
 */
enum weir_status weir_ruleset_load_embedded(const struct weir_feature_table *features,
                                            struct weir_ruleset **out, struct weir_error *err);
/* Every *.json of the folder, in place of the embedded ones. */
enum weir_status weir_ruleset_load_dir(const struct weir_feature_table *features, const char *dir,
                                       struct weir_ruleset **out, struct weir_error *err);
/* One file's text; `file` names it in errors. */
enum weir_status weir_ruleset_load_text(const struct weir_feature_table *features, const char *file,
                                        const char *text, size_t length, struct weir_ruleset **out,
                                        struct weir_error *err);
void weir_ruleset_free(struct weir_ruleset *set);

size_t weir_ruleset_count(const struct weir_ruleset *set);
const struct weir_rule *weir_ruleset_rule(const struct weir_ruleset *set, size_t index);
const struct weir_rule *weir_ruleset_find(const struct weir_ruleset *set,
                                          const char *id); /* NULL: none */
const char *weir_ruleset_nearest(const struct weir_ruleset *set,
                                 const char *id); /* an id, or NULL */

const struct weir_feature_table *weir_ruleset_features(const struct weir_ruleset *set);
struct weir_clause_db *weir_ruleset_db(const struct weir_ruleset *set);

/* A copy that lives as long as the set; equal texts share one. */
const char *weir_ruleset_keep(struct weir_ruleset *set, const char *text);

#endif
