/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions over a few named features, such as "share > 0.5 AND max(a, b) / c < 4": parsed into a
 * tree, evaluated and printed. rules/README.md describes the language.
 *
 * A number is a double; NAN means unknown, and so does a division by zero. A condition is 0
 * (false), 1 (true) or NAN (unknown) in Kleene's three-valued logic: an unknown operand makes the
 * result unknown unless the other operand alone decides it. Numbers and conditions do not mix.
 *
 * The text may come from outside. Its length, its nesting and the number of its features are
 * limited.
 */
#ifndef WEIR_BASE_EXPRESSION_H
#define WEIR_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"

#define WEIR_EXPRESSION_MAX_LENGTH    400 /* bytes of the text */
#define WEIR_EXPRESSION_MAX_DEPTH     40  /* levels of brackets, and of the tree */
#define WEIR_EXPRESSION_MAX_FEATURES  8
#define WEIR_EXPRESSION_MAX_ARGUMENTS 8 /* arguments of one call */

enum weir_node_kind {
	WEIR_NODE_NUMBER,
	WEIR_NODE_FEATURE,
	WEIR_NODE_OR,
	WEIR_NODE_AND,
	WEIR_NODE_NOT,
	WEIR_NODE_EQUAL,
	WEIR_NODE_UNEQUAL,
	WEIR_NODE_AT_MOST,
	WEIR_NODE_AT_LEAST,
	WEIR_NODE_LESS,
	WEIR_NODE_MORE,
	WEIR_NODE_BETWEEN,
	WEIR_NODE_IS_NULL,
	WEIR_NODE_IS_NOT_NULL,
	WEIR_NODE_ADD,
	WEIR_NODE_SUBTRACT,
	WEIR_NODE_MULTIPLY,
	WEIR_NODE_DIVIDE,
	WEIR_NODE_NEGATE,
	WEIR_NODE_ABS,
	WEIR_NODE_MIN,
	WEIR_NODE_MAX,
	WEIR_NODE_COALESCE,
	WEIR_NODE_NULLIF,
	WEIR_NODE_ROUND,
	WEIR_NODE_IIF,
	WEIR_NODE_COUNT
};

struct weir_node {
	enum weir_node_kind kind;
	unsigned height;        /* levels below and including this node; 1: a leaf */
	struct weir_slice text; /* text of a leaf; borrowed from the expression's text */
	double number;          /* value of a number */
	size_t feature;         /* index into the expression's features */
	size_t count;
	const struct weir_node *const *arguments;
};

struct weir_expression {
	const struct weir_node *root;
	struct weir_slice features[WEIR_EXPRESSION_MAX_FEATURES]; /* in order of first use */
	size_t feature_count;
};

/* Parses all of `text`, which must outlive *out; nodes live in the arena. Fails with WEIR_E_USAGE
 * and the reason. */
enum weir_status weir_expression_parse(struct weir_arena *arena, const char *text,
                                       struct weir_expression *out, struct weir_error *err);

/* True if the node gives a condition, false if it gives a number. */
bool weir_node_is_condition(const struct weir_node *node);

/* Returns the node's value; `values` holds one value for each feature of the expression. */
double weir_node_value(const struct weir_node *node, const double *values);

/* Writes a node in a special form and returns true; returns false for the usual form. */
typedef bool weir_node_writer(void *context, const struct weir_node *node, struct weir_text *out);

/*
 * Appends the node as text, with keywords in lower case and as few brackets as possible; parsing it
 * gives the same tree. `writer` (may be NULL) is called for every node first.
 */
void weir_node_print(const struct weir_node *node, weir_node_writer *writer, void *context,
                     struct weir_text *out);

#endif
