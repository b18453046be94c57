/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/model/feature.h"
#include "engine/model/template.h"
#include "rules/rule.h"

#define MAX_TEXT     600 /* bytes of one text */
#define MAX_ID       64
#define MAX_ADVICE   8
#define MAX_SEE      8
#define MAX_EXAMPLES 64
#define MAX_SPEEDUP  1000.0

_Static_assert(WEIR_EXPRESSION_MAX_FEATURES == WEIR_MAX_READINGS,
               "evidence has room for every feature of a clause");

/* --- clauses --- */

/* Looks up the features of the expression in the table. */
static enum weir_status bind(struct weir_clause *clause, const struct weir_feature_table *features,
                             unsigned subjects, struct weir_error *err)
{
	const struct weir_expression *expression = &clause->expression;
	enum weir_status status = WEIR_OK;

	if (!weir_node_is_condition(expression->root))
		return weir_fail(err, WEIR_E_USAGE, "gives a number: compare it with something");
	if (!expression->feature_count)
		return weir_fail(err, WEIR_E_USAGE, "reads no feature");
	for (size_t i = 0; !status && i < expression->feature_count; i++) {
		char id[WEIR_EXPRESSION_MAX_LENGTH + 1] = "";

		memcpy(id, expression->features[i].data, expression->features[i].length);
		status = weir_feature_require(features, id, subjects, &clause->rows[i], err);
	}
	return status;
}

enum weir_status weir_clause_parse(const struct weir_rule_parser *parser, const char *text,
                                   unsigned subjects, struct weir_clause *clause,
                                   struct weir_error *err)
{
	enum weir_status status;

	clause->text = weir_arena_copy(parser->arena, text, strlen(text));
	status = weir_expression_parse(parser->arena, clause->text, &clause->expression, err);
	if (!status)
		status = bind(clause, parser->features, subjects, err);
	return status ? weir_fail_in(err, "clause \"%.80s\"", text) : WEIR_OK;
}

bool weir_clause_reads(const struct weir_clause *clause, size_t row)
{
	for (size_t i = 0; i < clause->expression.feature_count; i++)
		if (clause->rows[i] == row)
			return true;
	return false;
}

enum weir_truth weir_clause_evaluate(const struct weir_clause *clause, const double *values)
{
	double read[WEIR_MAX_READINGS] = {0};
	double truth;

	for (size_t i = 0; i < clause->expression.feature_count; i++)
		read[i] = values[clause->rows[i]];
	truth = weir_node_value(clause->expression.root, read);
	if (isnan(truth))
		return WEIR_UNKNOWN;
	return truth != 0 ? WEIR_TRUE : WEIR_FALSE;
}

void weir_clause_explain(const struct weir_clause *clause,
                         const struct weir_feature_table *features, const double *values,
                         struct weir_evidence *out)
{
	*out = (struct weir_evidence){.clause = clause->text,
	                              .truth = weir_clause_evaluate(clause, values),
	                              .reading_count = clause->expression.feature_count};
	for (size_t i = 0; i < out->reading_count; i++) {
		size_t row = clause->rows[i];

		out->readings[i] = (struct weir_reading){features->items[row].id, values[row]};
	}
}

/* --- parts of any object --- */

/* A rule that is being parsed. */
struct reading {
	const struct weir_rule_parser *parser;
	struct weir_rule *rule;
	struct weir_error *err; /* never NULL; WEIR_OK until the rule is at fault */
};

#define REFUSE(reading, ...) weir_fail((reading)->err, WEIR_E_USAGE, __VA_ARGS__)

enum weir_status weir_rule_check_keys(const cJSON *object, const char *const *keys,
                                      struct weir_error *err)
{
	const cJSON *member;

	if (!cJSON_IsObject(object))
		return weir_fail(err, WEIR_E_USAGE, "expected an object");
	cJSON_ArrayForEach (member, object)
		if (cJSON_GetObjectItemCaseSensitive(object, member->string) != member)
			return weir_fail(err, WEIR_E_USAGE, "%s: comes twice", member->string);
	return weir_json_known_keys(object, keys, err);
}

/* Copies a text. It is printed on terminals, so it must be one line without control bytes. */
static enum weir_status keep_text(struct reading *reading, const char *text, const char **out)
{
	size_t length = strlen(text);

	if (length == 0)
		return REFUSE(reading, "is empty");
	if (length > MAX_TEXT)
		return REFUSE(reading, "%zu bytes, at most %d", length, MAX_TEXT);
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return REFUSE(reading, "contains a control character; write one line");
	*out = weir_arena_copy(reading->parser->arena, text, length);
	return WEIR_OK;
}

/* Reads a member that is a text; NULL if it is missing. */
static enum weir_status read_text(struct reading *reading, const cJSON *object, const char *key,
                                  const char **out)
{
	const char *text;

	*out = NULL;
	if (weir_json_text(object, key, &text, reading->err))
		return reading->err->status;
	if (text && keep_text(reading, text, out))
		return weir_fail_in(reading->err, "%s", key);
	return WEIR_OK;
}

static enum weir_status require_text(struct reading *reading, const cJSON *object, const char *key,
                                     const char **out)
{
	enum weir_status status = read_text(reading, object, key, out);

	return status || *out ? status : REFUSE(reading, "%s: is missing", key);
}

static enum weir_status read_template(struct reading *reading, const cJSON *object, const char *key,
                                      const char **out)
{
	enum weir_status status = read_text(reading, object, key, out);

	if (!status && *out &&
	    weir_template_check(*out, reading->parser->features, reading->rule->subjects,
	                        reading->err))
		return weir_fail_in(reading->err, "%s", key);
	return status;
}

/* Reads the name of a feature that is a share of the time; WEIR_NO_FEATURE if it is missing. */
static enum weir_status read_share(struct reading *reading, const cJSON *object, const char *key,
                                   size_t *row)
{
	const struct weir_feature_table *features = reading->parser->features;
	const char *id;

	*row = WEIR_NO_FEATURE;
	if (weir_json_text(object, key, &id, reading->err) || !id)
		return reading->err->status;
	if (weir_feature_require(features, id, reading->rule->subjects, row, reading->err))
		return weir_fail_in(reading->err, "%s", key);
	if (features->items[*row].unit != WEIR_UNIT_SHARE)
		return REFUSE(reading, "%s: \"%s\" is a %s, expected a share of the time", key, id,
		              weir_unit_name(features->items[*row].unit));
	return WEIR_OK;
}

/* A list of a rule. */
struct list {
	const char *key;
	size_t least, most; /* elements */
	size_t size;        /* bytes of one element */
	/* Parses one element into `item`, which is zeroed. */
	enum weir_status (*parse)(struct reading *reading, const cJSON *node, void *item);
};

/* Returns the elements of a list as an array in the arena. A list that may be empty may be missing.
 * NULL: it is at fault, and the error says why. */
static void *read_list(struct reading *reading, const cJSON *object, const struct list *list,
                       size_t *count)
{
	const cJSON *array, *node;
	size_t total;
	char *items;

	if (weir_json_array(object, list->key, &array, reading->err))
		return NULL;
	total = array ? (size_t)cJSON_GetArraySize(array) : 0;
	if (total < list->least || total > list->most) {
		REFUSE(reading, "%s: %zu elements, expected %zu to %zu", list->key, total,
		       list->least, list->most);
		return NULL;
	}
	items = weir_arena_alloc(reading->parser->arena, total * list->size + 1);
	cJSON_ArrayForEach (node, array) {
		if (list->parse(reading, node, items + *count * list->size)) {
			weir_fail_in(reading->err, "%s[%zu]", list->key, *count);
			return NULL;
		}
		++*count;
	}
	return items;
}

/* Checks that an id is made of words of lower-case letters and digits, which single characters of
 * `joints` separate. */
static enum weir_status check_id(struct reading *reading, const char *key, const char *id,
                                 const char *joints)
{
	const char *at = id;

	if (strlen(id) > MAX_ID)
		return REFUSE(reading, "%s: more than %d bytes", key, MAX_ID);
	for (;; at++) {
		size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");

		at += word;
		if (word == 0 || (*at && !strchr(joints, *at)))
			return REFUSE(reading,
			              "%s: \"%s\": expected lower-case letters, digits and single "
			              "dashes",
			              key, id);
		if (!*at)
			return WEIR_OK;
	}
}

/* --- parts of a rule, in the order in which they are read --- */

static enum weir_status parse_id(struct reading *reading, const cJSON *node)
{
	struct weir_rule *rule = reading->rule;

	if (require_text(reading, node, "id", &rule->id) ||
	    check_id(reading, "id", rule->id, "-/") ||
	    require_text(reading, node, "title", &rule->title))
		return reading->err->status;
	return WEIR_OK;
}

static enum weir_status add_subject(struct reading *reading, const cJSON *name)
{
	for (unsigned kind = 0; cJSON_IsString(name) && kind < WEIR_SUBJECT_KINDS; kind++)
		if (!strcmp(name->valuestring,
		            weir_subject_kind_name((enum weir_subject_kind)kind))) {
			reading->rule->subjects |= 1u << kind;
			return WEIR_OK;
		}
	return REFUSE(reading, "about: expected \"profile\", \"requests\", \"stage\" or "
	                       "\"operator\", one or a list");
}

static enum weir_status parse_about(struct reading *reading, const cJSON *node)
{
	const cJSON *about = cJSON_GetObjectItemCaseSensitive(node, "about");
	const cJSON *name;

	if (!cJSON_IsArray(about))
		return add_subject(reading, about);
	cJSON_ArrayForEach (name, about)
		if (add_subject(reading, name))
			return reading->err->status;
	return reading->rule->subjects ? WEIR_OK : REFUSE(reading, "about: is an empty list");
}

/* Reads the bound and its cause. `bound` must be present: null means that the rule only gives
 * advice. */
static enum weir_status parse_bound(struct reading *reading, const cJSON *node)
{
	const cJSON *bound = cJSON_GetObjectItemCaseSensitive(node, "bound");
	struct weir_rule *rule = reading->rule;

	if (read_text(reading, node, "cause", &rule->cause))
		return reading->err->status;
	if (cJSON_IsNull(bound)) {
		rule->bound = WEIR_BOUND_NONE;
		return rule->cause ? REFUSE(reading, "cause: a rule without a bound has no cause")
		                   : WEIR_OK;
	}
	if (!cJSON_IsString(bound) || !weir_bound_parse(bound->valuestring, &rule->bound))
		return REFUSE(reading, "bound: expected batching, runtime, kernel, memory, "
		                       "communication, hardware, undetermined or null");
	if (!rule->cause)
		return REFUSE(reading, "cause: is missing");
	return check_id(reading, "cause", rule->cause, "-");
}

static enum weir_status parse_clause(struct reading *reading, const cJSON *node, void *item)
{
	if (!cJSON_IsString(node))
		return REFUSE(reading, "expected text");
	return weir_clause_parse(reading->parser, node->valuestring, reading->rule->subjects, item,
	                         reading->err);
}

static enum weir_status parse_when(struct reading *reading, const cJSON *node)
{
	static const struct list when = {"when", 1, WEIR_MAX_CLAUSES, sizeof(struct weir_clause),
	                                 parse_clause};

	reading->rule->clauses = read_list(reading, node, &when, &reading->rule->clause_count);
	return reading->err->status;
}

static enum weir_status parse_share(struct reading *reading, const cJSON *node)
{
	struct weir_rule *rule = reading->rule;

	if (read_share(reading, node, "share", &rule->share) ||
	    weir_json_bool(node, "last", false, &rule->last, reading->err) ||
	    weir_json_bool(node, "of_compute", false, &rule->of_compute, reading->err) ||
	    weir_json_bool(node, "descend", false, &rule->descend, reading->err))
		return reading->err->status;
	if (rule->share == WEIR_NO_FEATURE && rule->bound != WEIR_BOUND_NONE)
		return REFUSE(reading, "share: is missing; it ranks the rules that hold");
	if ((rule->of_compute || rule->descend) && rule->subjects != WEIR_FOR_REQUESTS)
		return REFUSE(reading,
		              "of_compute, descend: only rules about requests may have them");
	if (rule->last && rule->bound == WEIR_BOUND_NONE)
		return REFUSE(reading, "last: a rule without a bound is never chosen");
	return WEIR_OK;
}

/* Reads the highest confidence that a rule allows. Such a rule has no bound. */
static enum weir_status parse_confidence(struct reading *reading, const cJSON *node)
{
	struct weir_rule *rule = reading->rule;
	const char *text;

	rule->confidence = WEIR_CONFIDENCE_HIGH;
	if (read_text(reading, node, "confidence", &text) || !text)
		return reading->err->status;
	if (rule->bound != WEIR_BOUND_NONE)
		return REFUSE(reading, "confidence: only a rule without a bound limits it");
	if (!strcmp(text, "low"))
		rule->confidence = WEIR_CONFIDENCE_LOW;
	else if (!strcmp(text, "medium"))
		rule->confidence = WEIR_CONFIDENCE_MEDIUM;
	else
		return REFUSE(reading, "confidence: expected \"low\" or \"medium\"");
	return WEIR_OK;
}

static bool limits_confidence(const struct weir_rule *rule)
{
	return rule->confidence != WEIR_CONFIDENCE_HIGH;
}

/* Reads headline and next. Only verdicts about operators can do without: they are a word in a
 * table. */
static enum weir_status parse_words(struct reading *reading, const cJSON *node)
{
	struct weir_rule *rule = reading->rule;
	bool printed = rule->bound != WEIR_BOUND_NONE && (rule->subjects & ~WEIR_FOR_OPERATOR);

	if (read_template(reading, node, "headline", &rule->headline) ||
	    read_template(reading, node, "next", &rule->next))
		return reading->err->status;
	if (printed && !(rule->headline && rule->next))
		return REFUSE(reading, "%s: is missing", rule->headline ? "next" : "headline");
	if (limits_confidence(rule) && !rule->headline)
		return REFUSE(reading, "headline: is missing; it says why confidence is limited");
	return WEIR_OK;
}

static enum weir_status parse_advice_words(struct reading *reading, const cJSON *node,
                                           struct weir_rule_advice *advice)
{
	static const char *const efforts[] = {"low", "medium", "high", NULL};
	size_t i = 0;

	if (require_text(reading, node, "id", &advice->id) ||
	    check_id(reading, "id", advice->id, "-") ||
	    require_text(reading, node, "effort", &advice->effort) ||
	    read_template(reading, node, "title", &advice->title) ||
	    read_template(reading, node, "why", &advice->why))
		return reading->err->status;
	while (efforts[i] && strcmp(efforts[i], advice->effort) != 0)
		i++;
	if (!efforts[i])
		return REFUSE(reading, "effort: expected \"low\", \"medium\" or \"high\"");
	if (!advice->title || !advice->why)
		return REFUSE(reading, "%s: is missing", advice->title ? "why" : "title");
	return WEIR_OK;
}

/* Reads the typical speed-up and its caps. */
static enum weir_status parse_gain(struct reading *reading, const cJSON *node,
                                   struct weir_rule_advice *advice)
{
	const char *change = NULL;

	if (weir_json_number(node, "low", &advice->low, reading->err) ||
	    weir_json_number(node, "high", &advice->high, reading->err) ||
	    read_share(reading, node, "saves", &advice->saves) ||
	    read_text(reading, node, "what_if", &change))
		return reading->err->status;
	if (!(isnan(advice->low) && isnan(advice->high)) &&
	    !(advice->low >= 1 && advice->low <= advice->high && advice->high <= MAX_SPEEDUP))
		return REFUSE(reading,
		              "low, high: expected two factors with 1 <= low <= high, or neither");
	advice->has_change = change != NULL;
	if (change && weir_change_parse(change, &advice->change, reading->err))
		return weir_fail_in(reading->err, "what_if");
	return WEIR_OK;
}

static enum weir_status parse_advice(struct reading *reading, const cJSON *node, void *item)
{
	static const char *const keys[] = {"id",   "title", "why",     "effort", "low",
	                                   "high", "saves", "what_if", NULL};

	if (weir_rule_check_keys(node, keys, reading->err) ||
	    parse_advice_words(reading, node, item) || parse_gain(reading, node, item))
		return reading->err->status;
	return WEIR_OK;
}

static enum weir_status parse_recommend(struct reading *reading, const cJSON *node)
{
	bool advises = reading->rule->bound == WEIR_BOUND_NONE && !limits_confidence(reading->rule);
	const struct list recommend = {"recommend", advises ? 1 : 0, MAX_ADVICE,
	                               sizeof(struct weir_rule_advice), parse_advice};

	reading->rule->advice = read_list(reading, node, &recommend, &reading->rule->advice_count);
	return reading->err->status;
}

static enum weir_status parse_source(struct reading *reading, const cJSON *node, void *item)
{
	if (!cJSON_IsString(node))
		return REFUSE(reading, "expected text");
	return keep_text(reading, node->valuestring, item);
}

static enum weir_status parse_see(struct reading *reading, const cJSON *node)
{
	static const struct list see = {"see", 1, MAX_SEE, sizeof(const char *), parse_source};

	reading->rule->see = read_list(reading, node, &see, &reading->rule->see_count);
	return reading->err->status;
}

/* --- examples --- */

static const enum weir_truth truths[] = {WEIR_TRUE, WEIR_FALSE, WEIR_UNKNOWN};

#define TRUTHS (sizeof truths / sizeof *truths)

static enum weir_status parse_expect(struct reading *reading, const cJSON *node,
                                     enum weir_truth *expect)
{
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(node, "expect");

	for (size_t i = 0; cJSON_IsString(text) && i < TRUTHS; i++)
		if (strcmp(text->valuestring, weir_truth_name(truths[i])) == 0) {
			*expect = truths[i];
			return WEIR_OK;
		}
	return REFUSE(reading, "expect: expected \"true\", \"false\" or \"unknown\"");
}

static enum weir_status set_example_value(struct reading *reading, const cJSON *member,
                                          double *values)
{
	size_t row;

	if (weir_feature_require(reading->parser->features, member->string, reading->rule->subjects,
	                         &row, reading->err))
		return reading->err->status;
	if (!isnan(values[row]))
		return REFUSE(reading, "%s: comes twice", member->string);
	if (!cJSON_IsNumber(member))
		return REFUSE(reading,
		              "%s: expected a number; leave out features that are not measured",
		              member->string);
	values[row] = member->valuedouble;
	return WEIR_OK;
}

static enum weir_status parse_example(struct reading *reading, const cJSON *node, void *item)
{
	size_t count = reading->parser->features->count;
	struct weir_example *example = item;
	const cJSON *member;

	if (!cJSON_IsObject(node))
		return REFUSE(reading, "expected an object");
	example->values = weir_arena_alloc(reading->parser->arena, count * sizeof(double));
	for (size_t i = 0; i < count; i++)
		example->values[i] = NAN;
	cJSON_ArrayForEach (member, node)
		if (strcmp(member->string, "expect") != 0 &&
		    set_example_value(reading, member, example->values))
			return reading->err->status;
	return parse_expect(reading, node, &example->expect);
}

/* Reads the examples, which must show each truth. */
static enum weir_status parse_examples(struct reading *reading, const cJSON *node)
{
	static const struct list examples = {"examples", 1, MAX_EXAMPLES,
	                                     sizeof(struct weir_example), parse_example};
	struct weir_rule *rule = reading->rule;

	rule->examples = read_list(reading, node, &examples, &rule->example_count);
	for (size_t i = 0; rule->examples && i < TRUTHS; i++) {
		size_t at = 0;

		while (at < rule->example_count && rule->examples[at].expect != truths[i])
			at++;
		if (at == rule->example_count)
			return REFUSE(reading, "examples: no example has \"expect\": \"%s\"",
			              weir_truth_name(truths[i]));
	}
	return reading->err->status;
}

/* --- rules --- */

enum weir_status weir_rule_parse(const struct weir_rule_parser *parser, const cJSON *node,
                                 struct weir_rule *rule, struct weir_error *err)
{
	static const char *const keys[] = {
		"id",        "about", "bound",      "cause",      "title",    "when",
		"share",     "last",  "of_compute", "descend",    "headline", "next",
		"recommend", "see",   "examples",   "confidence", NULL};
	static enum weir_status (*const parts[])(struct reading *, const cJSON *) = {
		parse_id,         parse_about, parse_bound, parse_when,      parse_share,
		parse_confidence, parse_words, parse_see,   parse_recommend, parse_examples};
	struct weir_error own = {0};
	struct reading reading = {parser, rule, &own};
	enum weir_status status = weir_rule_check_keys(node, keys, &own);

	*rule = (struct weir_rule){0};
	for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
		status = parts[i](&reading, node);
	if (status && err)
		*err = own;
	return status;
}

enum weir_truth weir_rule_evaluate(const struct weir_rule *rule, const double *values)
{
	enum weir_truth result = WEIR_TRUE;

	for (size_t i = 0; i < rule->clause_count && result != WEIR_FALSE; i++) {
		enum weir_truth truth = weir_clause_evaluate(&rule->clauses[i], values);

		if (truth != WEIR_TRUE)
			result = truth;
	}
	return result;
}
