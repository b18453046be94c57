/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints clauses of rules in words: each value that the clause read is followed by the phrase of
 * its feature, "92 % of runtime is late launches (at least 50 %)". A feature without a phrase is
 * printed by its name, "late of runtime 0.92 >= 0.50". */
#include <math.h>
#include <string.h>

#include "engine/base/expression.h"
#include "engine/report/plain/escape.h"
#include "engine/report/words/phrases.h"

#define MAX_DECIMALS 6

/* A clause that is being written. */
struct phrase {
	const struct weir_feature_table *features;   /* NULL: units are unknown */
	double values[WEIR_EXPRESSION_MAX_FEATURES]; /* of the expression's features */
	/* Feature and threshold, if a feature is compared with a number: */
	const struct weir_feature *compared; /* NULL: not in the table */
	const struct weir_node *threshold;
	const char *whole; /* start of a phrase that was printed; not repeated in the clause */
};

/* Starts of phrases that name the whole of a share. */
static const char *const wholes[] = {"of the time ", "of latency ", "of device work "};

/* Words for a comparison; NULL: none. */
static const char *const relations[WEIR_NODE_COUNT] = {
	[WEIR_NODE_EQUAL] = "exactly",   [WEIR_NODE_UNEQUAL] = "other than",
	[WEIR_NODE_AT_MOST] = "at most", [WEIR_NODE_AT_LEAST] = "at least",
	[WEIR_NODE_LESS] = "less than",  [WEIR_NODE_MORE] = "more than",
};

static const struct weir_feature *find_feature(const struct weir_feature_table *features,
                                               struct weir_slice id)
{
	for (size_t i = 0; features && i < features->count; i++)
		if (weir_slice_equals(id, features->items[i].id))
			return &features->items[i];
	return NULL;
}

static bool ends_with(struct weir_slice text, const char *suffix)
{
	size_t size = strlen(suffix);

	return text.length > size && !memcmp(text.data + text.length - size, suffix, size);
}

/* Appends "kernel p50" for "kernel_p50_ns": the value shows its unit. */
static void add_name(struct weir_text *out, struct weir_slice id)
{
	if (ends_with(id, "_ns"))
		id.length -= strlen("_ns");
	else if (ends_with(id, "_bytes"))
		id.length -= strlen("_bytes");
	for (size_t i = 0; i < id.length; i++)
		weir_text_add(out, id.data[i] == '_' ? " " : &id.data[i], 1);
}

/* Appends a value with two decimals or those of `threshold` (may be NULL), and with more if
 * rounding would move it to the other side of the threshold. */
static void add_decimal(struct weir_text *out, double value, const struct weir_node *threshold)
{
	size_t decimals = 2;

	if (threshold) {
		const char *point = memchr(threshold->text.data, '.', threshold->text.length);
		const char *end = threshold->text.data + threshold->text.length;

		if (point && (size_t)(end - point) > decimals + 1)
			decimals = (size_t)(end - point) - 1;
	}
	for (; decimals < MAX_DECIMALS; decimals++) {
		double step = pow(10, (double)decimals), shown = round(value * step) / step;

		if (value != 0 && shown == 0)
			continue;
		if (!threshold || (shown < threshold->number) == (value < threshold->number))
			break;
	}
	weir_text_printf(out, "%.*f", (int)decimals, value);
}

static void add_count(struct weir_text *out, double value)
{
	if (value == floor(value) && value >= 0 && value < 1e15)
		weir_text_count(out, (uint64_t)value);
	else
		weir_text_printf(out, fabs(value) < 1e6 ? "%.1f" : "%.3g", value);
}

/* Appends a duration without a fraction of 0, "10 us": a threshold is exact. */
static void add_exact_duration(struct weir_text *out, double ns)
{
	struct weir_text text = {0};
	const char *point, *unit;

	weir_text_duration(&text, ns);
	point = strchr(text.data, '.');
	unit = strchr(text.data, ' ');
	if (point && unit > point && strspn(point, ".0") == (size_t)(unit - point)) {
		weir_text_add(out, text.data, (size_t)(point - text.data));
		weir_text_puts(out, unit);
	} else {
		weir_text_puts(out, text.data);
	}
	weir_text_release(&text);
}

/* Appends a value in the unit of its feature (NULL: unknown). */
static void add_value(struct weir_text *out, const struct weir_feature *feature, double value,
                      const struct weir_node *threshold)
{
	if (isnan(value)) {
		weir_text_puts(out, "?");
		return;
	}
	switch (feature ? feature->unit : WEIR_UNIT_RATIO) {
	case WEIR_UNIT_NS:
		weir_text_duration(out, value);
		return;
	case WEIR_UNIT_BYTES:
		weir_text_bytes(out, value);
		return;
	case WEIR_UNIT_COUNT:
	case WEIR_UNIT_FLOPS:
		add_count(out, value);
		return;
	case WEIR_UNIT_FLAG:
		weir_text_puts(out, value != 0 ? "yes" : "no");
		return;
	case WEIR_UNIT_SHARE:
	case WEIR_UNIT_RATIO:
		break;
	}
	add_decimal(out, value, threshold);
}

/* Returns true if `a` and `b` are on the same side of the threshold; without a threshold always. */
static bool same_side(double a, double b, const struct weir_node *threshold)
{
	return !threshold || (a < threshold->number) == (b < threshold->number);
}

/* Appends "92 %", with decimals if rounding would move it to the other side of the threshold. */
static void add_share(struct weir_text *out, double share, const struct weir_node *threshold)
{
	double step = 100;

	if (!threshold || share < 0.01 || same_side(round(share * step) / step, share, threshold)) {
		weir_text_share(out, share);
		return;
	}
	for (int decimals = 1; decimals <= MAX_DECIMALS; decimals++) {
		step *= 10;
		if (decimals < MAX_DECIMALS &&
		    !same_side(round(share * step) / step, share, threshold))
			continue;
		weir_text_printf(out, "%.*f %%", decimals, share * 100);
		return;
	}
}

/* Appends the value and the phrase of its feature; a flag has no value. */
static void add_worded(struct phrase *phrase, const struct weir_feature *feature, double value,
                       struct weir_text *out)
{
	const char *words = feature->phrase;

	if (feature->unit == WEIR_UNIT_FLAG) {
		weir_text_printf(out, "%s%s", value != 0 ? "" : "not ", words);
		return;
	}
	if (feature->unit == WEIR_UNIT_SHARE)
		add_share(out, value, phrase->threshold);
	else
		add_value(out, feature, value, phrase->threshold);
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		size_t length = strlen(wholes[i]);

		if (strncmp(words, wholes[i], length) != 0)
			continue;
		words += phrase->whole == wholes[i] ? length : 0;
		phrase->whole = wholes[i];
	}
	weir_text_printf(out, " %s", words);
}

static void add_threshold(struct weir_text *out, const struct weir_feature *feature,
                          const struct weir_node *number)
{
	if (feature && feature->unit == WEIR_UNIT_NS)
		add_exact_duration(out, number->number);
	else if (feature && feature->unit == WEIR_UNIT_BYTES)
		weir_text_bytes(out, number->number);
	else if (feature && feature->unit == WEIR_UNIT_COUNT)
		add_count(out, number->number);
	else if (feature && feature->unit == WEIR_UNIT_SHARE && feature->phrase)
		weir_text_printf(out, "%g %%", number->number * 100);
	else
		weir_text_add(out, number->text.data, number->text.length);
}

static bool write_node(void *context, const struct weir_node *node, struct weir_text *out);

static bool is_leaf(const struct weir_node *node)
{
	return node->kind == WEIR_NODE_FEATURE || node->kind == WEIR_NODE_NUMBER;
}

/* Returns the node or, for a choice between leaves, the argument that determines its value. The
 * fallback number of coalesce() is never shown; its first feature is shown instead. */
static const struct weir_node *shown(const struct phrase *phrase, const struct weir_node *node)
{
	double value = weir_node_value(node, phrase->values);
	const struct weir_node *found = NULL;

	if (node->kind != WEIR_NODE_MAX && node->kind != WEIR_NODE_MIN &&
	    node->kind != WEIR_NODE_COALESCE)
		return node;
	for (size_t i = 0; i < node->count; i++) {
		double own = weir_node_value(node->arguments[i], phrase->values);

		if (!is_leaf(node->arguments[i]))
			return node;
		if (!found && (own == value || (isnan(own) && isnan(value))))
			found = node->arguments[i];
	}
	if (!found || (node->kind == WEIR_NODE_COALESCE && found->kind == WEIR_NODE_NUMBER))
		return node->arguments[0];
	return found;
}

/* Returns the first unknown feature among the nodes shown below `node`, or NULL. */
static const struct weir_node *find_unknown(const struct phrase *phrase,
                                            const struct weir_node *node)
{
	const struct weir_node *unknown = NULL;

	node = shown(phrase, node);
	if (node->kind == WEIR_NODE_FEATURE && isnan(phrase->values[node->feature]))
		return node;
	for (size_t i = 0; i < node->count && !unknown; i++)
		unknown = find_unknown(phrase, node->arguments[i]);
	return unknown;
}

/* Returns the first feature among the nodes shown below `node` if all of them have phrases; NULL:
 * none, or one without a phrase. */
static const struct weir_feature *find_worded(const struct phrase *phrase,
                                              const struct weir_node *node)
{
	const struct weir_feature *first = NULL;

	node = shown(phrase, node);
	if (node->kind == WEIR_NODE_FEATURE) {
		first = find_feature(phrase->features, node->text);
		return first && first->phrase ? first : NULL;
	}
	for (size_t i = 0; i < node->count; i++) {
		const struct weir_node *argument = shown(phrase, node->arguments[i]);
		const struct weir_feature *found = find_worded(phrase, argument);

		if (!found && argument->kind != WEIR_NODE_NUMBER)
			return NULL;
		first = first ? first : found;
	}
	return first;
}

/* Appends "not a collective, not a copy" for a sum of flags that is 0. */
static void add_flags(struct phrase *phrase, const struct weir_node *node, struct weir_text *out)
{
	if (node->kind == WEIR_NODE_FEATURE) {
		weir_text_puts(out, out->length && out->data[out->length - 1] != ' ' ? ", " : "");
		add_worded(phrase, find_feature(phrase->features, node->text),
		           phrase->values[node->feature], out);
		return;
	}
	for (size_t i = 0; i < node->count; i++)
		add_flags(phrase, node->arguments[i], out);
}

/* Writes a comparison between features with phrases: "2 ms is the mean kernel (less than 10 us)",
 * or "47 % of the time in memory, against 30 % in the runtime". */
static void write_worded(struct phrase *phrase, const struct weir_node *node, struct weir_text *out)
{
	const struct weir_node *left = shown(phrase, node->arguments[0]);
	const struct weir_node *right = shown(phrase, node->arguments[1]);
	bool number = right->kind == WEIR_NODE_NUMBER;

	phrase->compared = find_worded(phrase, left);
	phrase->threshold = number && left->kind == WEIR_NODE_FEATURE ? right : NULL;
	phrase->whole = NULL;
	if (phrase->compared->unit == WEIR_UNIT_FLAG && left->kind != WEIR_NODE_FEATURE) {
		add_flags(phrase, left, out);
		return;
	}
	weir_node_print(left, write_node, phrase, out);
	if (phrase->compared->unit == WEIR_UNIT_FLAG)
		return;
	if (right->kind == WEIR_NODE_FEATURE &&
	    (node->kind == WEIR_NODE_AT_LEAST || node->kind == WEIR_NODE_MORE))
		weir_text_puts(out, ", against ");
	else
		weir_text_printf(out, number ? " (%s " : ", %s ", relations[node->kind]);
	phrase->threshold = NULL;
	weir_node_print(right, write_node, phrase, out);
	weir_text_puts(out, number ? ")" : "");
}

/* Writes a comparison in words, or with a flag or an unknown feature as that feature alone. Returns
 * false for any other comparison ("compute busy 0.48 < 0.90"), which weir_node_print() prints. */
static bool write_comparison(struct phrase *phrase, const struct weir_node *node,
                             struct weir_text *out)
{
	const struct weir_node *left = shown(phrase, node->arguments[0]);
	const struct weir_node *unknown = find_unknown(phrase, node);
	bool simple = node->count > 1 && left->kind == WEIR_NODE_FEATURE &&
	              node->arguments[1]->kind == WEIR_NODE_NUMBER;

	phrase->compared = simple ? find_feature(phrase->features, left->text) : NULL;
	phrase->threshold = simple ? node->arguments[1] : NULL;
	if (unknown) {
		const struct weir_feature *feature = find_feature(phrase->features, unknown->text);

		if (feature && feature->phrase) {
			/* Behind a colon, the meaning explains values of the feature. */
			weir_text_printf(out, "not known: %.*s",
			                 (int)strcspn(feature->meaning, ":"), feature->meaning);
			return true;
		}
		add_name(out, unknown->text);
		weir_text_puts(out, " not known");
		return true;
	}
	if (relations[node->kind] && find_worded(phrase, left) &&
	    (shown(phrase, node->arguments[1])->kind == WEIR_NODE_NUMBER ||
	     find_worded(phrase, node->arguments[1]))) {
		write_worded(phrase, node, out);
		return true;
	}
	if (node->count > 1 && !(phrase->compared && phrase->compared->unit == WEIR_UNIT_FLAG))
		return false;
	weir_node_print(left, write_node, phrase, out);
	return true;
}

/* Writes "half of 22 % waiting" for 0.5 * exposed_wait, and other products with an x. */
static bool write_product(struct phrase *phrase, const struct weir_node *node,
                          struct weir_text *out)
{
	const struct weir_node *first = node->arguments[0];

	if (!find_worded(phrase, node))
		return false;
	if (first->kind == WEIR_NODE_NUMBER && first->number == 0.5) {
		weir_text_puts(out, "half of ");
	} else {
		weir_node_print(first, write_node, phrase, out);
		weir_text_puts(out, " x ");
	}
	weir_node_print(node->arguments[1], write_node, phrase, out);
	return true;
}

/* Returns the first alternative that holds; NULL: none of them does. */
static const struct weir_node *find_true(const struct phrase *phrase, const struct weir_node *node)
{
	for (size_t i = 0; i < node->count; i++) {
		double value = weir_node_value(node->arguments[i], phrase->values);

		if (!isnan(value) && value != 0)
			return node->arguments[i];
	}
	return NULL;
}

static bool write_node(void *context, const struct weir_node *node, struct weir_text *out)
{
	struct phrase *phrase = context;

	node = shown(phrase, node);
	if (node->kind == WEIR_NODE_NUMBER) {
		add_threshold(out, phrase->compared, node);
		return true;
	}
	if (node->kind == WEIR_NODE_FEATURE) {
		const struct weir_feature *feature = find_feature(phrase->features, node->text);

		if (feature && feature->phrase) {
			add_worded(phrase, feature, phrase->values[node->feature], out);
			return true;
		}
		add_name(out, node->text);
		weir_text_puts(out, " ");
		add_value(out, feature, phrase->values[node->feature], phrase->threshold);
		return true;
	}
	if (node->kind == WEIR_NODE_MULTIPLY)
		return write_product(phrase, node, out);
	if (node->kind == WEIR_NODE_OR) {
		const struct weir_node *holds = find_true(phrase, node);

		if (holds)
			weir_node_print(holds, write_node, phrase, out);
		return holds != NULL;
	}
	if (weir_node_is_condition(node) && !weir_node_is_condition(node->arguments[0]))
		return write_comparison(phrase, node, out);
	return false;
}

/* Parses the clause of the evidence. Returns false for a clause of an old report that is not an
 * expression, or if the evidence lacks one of its features. */
static bool parse(struct weir_arena *arena, const struct weir_evidence *evidence,
                  struct weir_expression *expression, struct phrase *phrase)
{
	if (weir_expression_parse(arena, evidence->clause, expression, NULL))
		return false;
	for (size_t i = 0; i < expression->feature_count; i++) {
		size_t at = 0;

		while (at < evidence->reading_count &&
		       !weir_slice_equals(expression->features[i], evidence->readings[at].feature))
			at++;
		if (at == evidence->reading_count)
			return false;
		phrase->values[i] = evidence->readings[at].value;
	}
	return true;
}

/* Appends the clause as written, followed by the values that it read. */
static void add_as_written(const struct weir_feature_table *features,
                           const struct weir_evidence *evidence, struct weir_text *out)
{
	weir_escape_plain(out, evidence->clause);
	for (size_t i = 0; i < evidence->reading_count; i++) {
		struct weir_slice id = weir_slice_of(evidence->readings[i].feature);

		weir_text_puts(out, i ? ", " : " (");
		add_name(out, id);
		weir_text_puts(out, " ");
		add_value(out, find_feature(features, id), evidence->readings[i].value, NULL);
	}
	if (evidence->reading_count)
		weir_text_puts(out, ")");
}

void weir_phrase_clause(const struct weir_feature_table *features,
                        const struct weir_evidence *evidence, struct weir_text *out)
{
	struct weir_arena *arena = weir_arena_new();
	struct phrase phrase = {.features = features};
	struct weir_expression expression;

	if (parse(arena, evidence, &expression, &phrase))
		weir_node_print(expression.root, write_node, &phrase, out);
	else
		add_as_written(features, evidence, out);
	weir_arena_free(arena);
}
