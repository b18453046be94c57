/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rule out of its JSON object, checked in every detail. Private to rules/. */
#ifndef WEIR_RULES_PARSE_H
#define WEIR_RULES_PARSE_H

#include "engine/base/arena.h"
#include "engine/base/json.h"
#include "rules/ruleset.h"

/* Where the parts of a rule go; all borrowed. */
struct weir_rule_parser {
	const struct weir_feature_table *features;
	struct weir_arena *arena;  /* texts and lists */
	struct weir_clause_db *db; /* clauses */
};

/* Fills *rule but for `file`. */
enum weir_status weir_rule_parse(const struct weir_rule_parser *parser, const cJSON *node,
                                 struct weir_rule *rule, struct weir_error *err);

/* Fails on members that are not in the list or that come twice. */
enum weir_status weir_rule_check_keys(const cJSON *object, const char *const *keys,
                                      struct weir_error *err);

#endif
