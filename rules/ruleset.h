/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of rules, loaded from JSON files. Rules are ordered by file (batching, runtime,
 * communication, memory, kernel, hardware, then the others by name), then by their position in the
 * file.
 */
#ifndef WEIR_RULES_RULESET_H
#define WEIR_RULES_RULESET_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "rules/rule.h"

#define WEIR_RULESET_MAX_FILES     64
#define WEIR_RULESET_MAX_RULES     512
#define WEIR_RULESET_MAX_FILE_SIZE (1u << 20) /* bytes of one rule file */

struct weir_ruleset; /* opaque; owns its rules and their texts */

/*
 * Loads a set. The feature table is borrowed and must outlive it. Rules are configuration, so every
 * fault, including a file that cannot be read, is WEIR_E_USAGE with file, rule and reason
 * ("runtime.json: rules[3] (runtime/host-sync): when[1]: ..."). A set serves one thread.
 */
enum weir_status weir_ruleset_load_embedded(const struct weir_feature_table *features,
                                            struct weir_ruleset **out, struct weir_error *err);
/* Loads every *.json of the folder instead of the embedded files. */
enum weir_status weir_ruleset_load_dir(const struct weir_feature_table *features, const char *dir,
                                       struct weir_ruleset **out, struct weir_error *err);
/* Loads the text of one file; `file` names it in errors. */
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

/* Returns a copy that lives as long as the set; equal texts share one copy. */
const char *weir_ruleset_keep(struct weir_ruleset *set, const char *text);

/* An example whose truth differs from what it expects; valid during the call. */
struct weir_example_failure {
	const struct weir_rule *rule;
	size_t example; /* index in the file */
	enum weir_truth expected, got;
	struct weir_evidence evidence[WEIR_MAX_CLAUSES]; /* of every clause */
	size_t evidence_count;
};

typedef void weir_example_report(void *context, const struct weir_example_failure *failure);

/* Runs the examples of all rules, calls `report` (may be NULL) for each failure in order, and
 * returns the number of failures. */
size_t weir_ruleset_check(const struct weir_ruleset *set, weir_example_report *report,
                          void *context);

#endif
