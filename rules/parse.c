/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/model/feature.h"
#include "engine/model/template.h"
#include "rules/parse.h"

#define MAX_TEXT     600 /* bytes of one text */
#define MAX_ID       64
#define MAX_ADVICE   8
#define MAX_SEE      8
#define MAX_EXAMPLES 64
#define MAX_SPEEDUP  1000.0

typedef enum weir_status parse_part(const struct weir_rule_parser *parser, const cJSON *node,
                                    struct weir_rule *rule, struct weir_error *err);

/* --- parts of any object --- */

enum weir_status weir_rule_check_keys(const cJSON *object, const char *const *keys,
                                      struct weir_error *err)
{
	const cJSON *member;

	if (!cJSON_IsObject(object))
		return weir_fail(err, WEIR_E_USAGE, "expected an object");
	enum weir_status status = weir_json_known_keys(object, keys, err);
	if (status)
		return status;
	cJSON_ArrayForEach (member, object) {
		if (cJSON_GetObjectItemCaseSensitive(object, member->string) != member)
			return weir_fail(err, WEIR_E_USAGE, "%s: comes twice", member->string);
	}
	return WEIR_OK;
}

/* Texts are printed on terminals: one line, no control bytes. */
static enum weir_status check_text(const char *text, struct weir_error *err)
{
	size_t length = strlen(text);

	if (length == 0)
		return weir_fail(err, WEIR_E_USAGE, "is empty");
	if (length > MAX_TEXT)
		return weir_fail(err, WEIR_E_USAGE, "%zu bytes, at most %d", length, MAX_TEXT);
	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return weir_fail(err, WEIR_E_USAGE,
			                 "holds a control character; write one line");
	}
	return WEIR_OK;
}

/* A missing member gives NULL. The text is copied. */
static enum weir_status read_text(const struct weir_rule_parser *parser, const cJSON *object,
                                  const char *key, const char **out, struct weir_error *err)
{
	const char *text;
	enum weir_status status = weir_json_text(object, key, &text, err);

	*out = NULL;
	if (status || !text)
		return status;
	status = check_text(text, err);
	if (status)
		return weir_fail_in(err, "%s", key);
	*out = weir_arena_copy(parser->arena, text, strlen(text));
	return WEIR_OK;
}

static enum weir_status require_text(const struct weir_rule_parser *parser, const cJSON *object,
                                     const char *key, const char **out, struct weir_error *err)
{
	enum weir_status status = read_text(parser, object, key, out, err);

	if (!status && !*out)
		return weir_fail(err, WEIR_E_USAGE, "%s: is missing", key);
	return status;
}

static enum weir_status read_template(const struct weir_rule_parser *parser, const cJSON *object,
                                      const char *key, unsigned subjects, const char **out,
                                      struct weir_error *err)
{
	enum weir_status status = read_text(parser, object, key, out, err);

	if (status || !*out)
		return status;
	if (weir_template_check(*out, parser->features, subjects, err))
		return weir_fail_in(err, "%s", key);
	return WEIR_OK;
}

/* A feature that is a share of the time; a missing member gives WEIR_NO_FEATURE. */
static enum weir_status read_share(const struct weir_rule_parser *parser, const cJSON *object,
                                   const char *key, unsigned subjects, size_t *row,
                                   struct weir_error *err)
{
	const char *id;
	enum weir_status status = weir_json_text(object, key, &id, err);

	*row = WEIR_NO_FEATURE;
	if (status || !id)
		return status;
	if (weir_feature_require(parser->features, id, subjects, row, err))
		return weir_fail_in(err, "%s", key);
	if (parser->features->items[*row].unit != WEIR_UNIT_SHARE)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s: \"%s\" is a %s, expected a share of the time", key, id,
		                 weir_unit_name(parser->features->items[*row].unit));
	return WEIR_OK;
}

/* How many elements a list may have. */
struct bounds {
	size_t least, most;
};

/* A missing list is empty. */
static enum weir_status read_list(const cJSON *object, const char *key, struct bounds allowed,
                                  const cJSON **list, size_t *count, struct weir_error *err)
{
	enum weir_status status = weir_json_array(object, key, list, err);

	if (status)
		return status;
	*count = *list ? (size_t)cJSON_GetArraySize(*list) : 0;
	if (*count < allowed.least)
		return weir_fail(err, WEIR_E_USAGE, "%s: at least %zu needed", key, allowed.least);
	if (*count > allowed.most)
		return weir_fail(err, WEIR_E_USAGE, "%s: %zu elements, at most %zu", key, *count,
		                 allowed.most);
	return WEIR_OK;
}

/* "runtime/host-dispatch": words of small letters, digits and dashes, joined by slashes. */
static enum weir_status check_id(const char *key, const char *id, const char *joint,
                                 struct weir_error *err)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *at = id;

	if (strlen(id) > MAX_ID)
		return weir_fail(err, WEIR_E_USAGE, "%s: more than %d bytes", key, MAX_ID);
	for (;;) {
		size_t word = strspn(at, plain);
		if (word == 0 || (at[word] && !strchr(joint, at[word])))
			return weir_fail(err, WEIR_E_USAGE,
			                 "%s: \"%s\": small letters, digits and single dashes", key,
			                 id);
		if (!at[word])
			return WEIR_OK;
		at += word + 1;
	}
}

/* --- parts of a rule, in the order they are read --- */

static enum weir_status parse_id(const struct weir_rule_parser *parser, const cJSON *node,
                                 struct weir_rule *rule, struct weir_error *err)
{
	enum weir_status status = require_text(parser, node, "id", &rule->id, err);

	if (!status)
		status = check_id("id", rule->id, "-/", err);
	if (!status)
		status = require_text(parser, node, "title", &rule->title, err);
	return status;
}

static enum weir_status add_subject(const cJSON *name, unsigned *subjects, struct weir_error *err)
{
	for (unsigned kind = 0; cJSON_IsString(name) && kind < WEIR_SUBJECT_KINDS; kind++) {
		if (strcmp(name->valuestring, weir_subject_name((enum weir_subject_kind)kind)) ==
		    0) {
			*subjects |= 1u << kind;
			return WEIR_OK;
		}
	}
	return weir_fail(err, WEIR_E_USAGE,
	                 "about: expected \"profile\", \"requests\", \"stage\" or "
	                 "\"operator\", one or a list");
}

static enum weir_status parse_about(const struct weir_rule_parser *parser, const cJSON *node,
                                    struct weir_rule *rule, struct weir_error *err)
{
	const cJSON *about = cJSON_GetObjectItemCaseSensitive(node, "about");
	const cJSON *name;

	(void)parser;
	if (!cJSON_IsArray(about))
		return add_subject(about, &rule->subjects, err);
	if (cJSON_GetArraySize(about) == 0)
		return weir_fail(err, WEIR_E_USAGE, "about: names nothing");
	cJSON_ArrayForEach (name, about) {
		enum weir_status status = add_subject(name, &rule->subjects, err);
		if (status)
			return status;
	}
	return WEIR_OK;
}

/* `bound` must be written out: null says that the rule only gives advice. */
static enum weir_status parse_bound(const struct weir_rule_parser *parser, const cJSON *node,
                                    struct weir_rule *rule, struct weir_error *err)
{
	const cJSON *bound = cJSON_GetObjectItemCaseSensitive(node, "bound");
	enum weir_status status = read_text(parser, node, "cause", &rule->cause, err);

	if (status)
		return status;
	if (cJSON_IsNull(bound)) {
		rule->bound = WEIR_BOUND_NONE;
		if (rule->cause)
			return weir_fail(err, WEIR_E_USAGE,
			                 "cause: a rule without a bound has none");
		return WEIR_OK;
	}
	if (!cJSON_IsString(bound) || !weir_bound_parse(bound->valuestring, &rule->bound))
		return weir_fail(err, WEIR_E_USAGE,
		                 "bound: expected batching, runtime, kernel, memory, "
		                 "communication, hardware, "
		                 "undetermined or null");
	if (!rule->cause)
		return weir_fail(err, WEIR_E_USAGE, "cause: is missing");
	return check_id("cause", rule->cause, "-", err);
}

static enum weir_status parse_when(const struct weir_rule_parser *parser, const cJSON *node,
                                   struct weir_rule *rule, struct weir_error *err)
{
	const cJSON *when, *clause;
	size_t count;
	enum weir_status status =
		read_list(node, "when", (struct bounds){1, WEIR_MAX_CLAUSES}, &when, &count, err);

	if (status)
		return status;
	cJSON_ArrayForEach (clause, when) {
		struct weir_clause **slot = &rule->clauses[rule->clause_count];
		if (!cJSON_IsString(clause))
			return weir_fail(err, WEIR_E_USAGE, "when[%zu]: expected a text",
			                 rule->clause_count);
		status =
			weir_clause_new(parser->db, clause->valuestring, rule->subjects, slot, err);
		if (status)
			return weir_fail_in(err, "when[%zu]", rule->clause_count);
		rule->clause_count++;
	}
	return WEIR_OK;
}

static enum weir_status parse_share(const struct weir_rule_parser *parser, const cJSON *node,
                                    struct weir_rule *rule, struct weir_error *err)
{
	enum weir_status status =
		read_share(parser, node, "share", rule->subjects, &rule->share, err);

	if (!status && rule->share == WEIR_NO_FEATURE && rule->bound != WEIR_BOUND_NONE)
		return weir_fail(err, WEIR_E_USAGE,
		                 "share: is missing; it ranks the rules that hold");
	if (!status)
		status = weir_json_bool(node, "last", false, &rule->last, err);
	if (!status)
		status = weir_json_bool(node, "of_compute", false, &rule->of_compute, err);
	if (!status)
		status = weir_json_bool(node, "descend", false, &rule->descend, err);
	if (!status && (rule->of_compute || rule->descend) && rule->subjects != WEIR_FOR_REQUESTS)
		return weir_fail(err, WEIR_E_USAGE,
		                 "of_compute, descend: only rules about requests have them");
	if (!status && rule->last && rule->bound == WEIR_BOUND_NONE)
		return weir_fail(err, WEIR_E_USAGE, "last: a rule without a bound is never chosen");
	return status;
}

/* A verdict about a profile or a stage is printed with both; one about an operator is a word in a
 * table. */
static enum weir_status parse_words(const struct weir_rule_parser *parser, const cJSON *node,
                                    struct weir_rule *rule, struct weir_error *err)
{
	bool printed = rule->bound != WEIR_BOUND_NONE && (rule->subjects & ~WEIR_FOR_OPERATOR);
	enum weir_status status =
		read_template(parser, node, "headline", rule->subjects, &rule->headline, err);

	if (!status)
		status = read_template(parser, node, "next", rule->subjects, &rule->next, err);
	if (!status && printed && !rule->headline)
		return weir_fail(err, WEIR_E_USAGE, "headline: is missing");
	if (!status && printed && !rule->next)
		return weir_fail(err, WEIR_E_USAGE, "next: is missing");
	return status;
}

static enum weir_status check_speedup(const struct weir_rule_advice *advice, struct weir_error *err)
{
	if (isnan(advice->low) && isnan(advice->high))
		return WEIR_OK;
	if (advice->low >= 1 && advice->low <= advice->high && advice->high <= MAX_SPEEDUP)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_USAGE,
	                 "low, high: expected factors with 1 <= low <= high, or neither");
}

static enum weir_status check_effort(const char *effort, struct weir_error *err)
{
	static const char *const efforts[] = {"low", "medium", "high", NULL};

	for (const char *const *known = efforts; *known; known++) {
		if (strcmp(*known, effort) == 0)
			return WEIR_OK;
	}
	return weir_fail(err, WEIR_E_USAGE, "effort: expected \"low\", \"medium\" or \"high\"");
}

static enum weir_status parse_advice_words(const struct weir_rule_parser *parser, const cJSON *node,
                                           unsigned subjects, struct weir_rule_advice *advice,
                                           struct weir_error *err)
{
	enum weir_status status = require_text(parser, node, "id", &advice->id, err);

	if (!status)
		status = check_id("id", advice->id, "-", err);
	if (!status)
		status = require_text(parser, node, "effort", &advice->effort, err);
	if (!status)
		status = check_effort(advice->effort, err);
	if (!status)
		status = read_template(parser, node, "title", subjects, &advice->title, err);
	if (!status)
		status = read_template(parser, node, "why", subjects, &advice->why, err);
	if (!status && (!advice->title || !advice->why))
		return weir_fail(err, WEIR_E_USAGE, "%s: is missing",
		                 advice->title ? "why" : "title");
	return status;
}

static enum weir_status read_change(const struct weir_rule_parser *parser, const cJSON *node,
                                    struct weir_rule_advice *advice, struct weir_error *err)
{
	const char *text = NULL;
	enum weir_status status = read_text(parser, node, "what_if", &text, err);

	if (status || !text)
		return status;
	advice->has_change = true;
	if (weir_change_parse(text, &advice->change, err))
		return weir_fail_in(err, "what_if");
	return WEIR_OK;
}

static enum weir_status parse_one_advice(const struct weir_rule_parser *parser, const cJSON *node,
                                         unsigned subjects, struct weir_rule_advice *advice,
                                         struct weir_error *err)
{
	static const char *const keys[] = {"id",   "title", "why",     "effort", "low",
	                                   "high", "saves", "what_if", NULL};
	enum weir_status status = weir_rule_check_keys(node, keys, err);

	if (!status)
		status = parse_advice_words(parser, node, subjects, advice, err);
	if (!status)
		status = weir_json_number(node, "low", &advice->low, err);
	if (!status)
		status = weir_json_number(node, "high", &advice->high, err);
	if (!status)
		status = check_speedup(advice, err);
	if (!status)
		status = read_share(parser, node, "saves", subjects, &advice->saves, err);
	if (!status)
		status = read_change(parser, node, advice, err);
	return status;
}

static enum weir_status parse_recommend(const struct weir_rule_parser *parser, const cJSON *node,
                                        struct weir_rule *rule, struct weir_error *err)
{
	const cJSON *list, *item;
	size_t count;
	size_t least = rule->bound == WEIR_BOUND_NONE ? 1 : 0;
	enum weir_status status = read_list(node, "recommend", (struct bounds){least, MAX_ADVICE},
	                                    &list, &count, err);

	if (status || count == 0)
		return status;
	rule->advice = weir_arena_alloc(parser->arena, count * sizeof(*rule->advice));
	cJSON_ArrayForEach (item, list) {
		struct weir_rule_advice *advice = &rule->advice[rule->advice_count];
		status = parse_one_advice(parser, item, rule->subjects, advice, err);
		if (status)
			return weir_fail_in(err, "recommend[%zu]", rule->advice_count);
		rule->advice_count++;
	}
	return WEIR_OK;
}

static enum weir_status parse_see(const struct weir_rule_parser *parser, const cJSON *node,
                                  struct weir_rule *rule, struct weir_error *err)
{
	const cJSON *list, *item;
	size_t count;
	enum weir_status status =
		read_list(node, "see", (struct bounds){1, MAX_SEE}, &list, &count, err);

	if (status)
		return status;
	rule->see = weir_arena_alloc(parser->arena, count * sizeof(*rule->see));
	cJSON_ArrayForEach (item, list) {
		if (!cJSON_IsString(item))
			return weir_fail(err, WEIR_E_USAGE, "see[%zu]: expected a text",
			                 rule->see_count);
		if (check_text(item->valuestring, err))
			return weir_fail_in(err, "see[%zu]", rule->see_count);
		rule->see[rule->see_count++] = weir_arena_copy(parser->arena, item->valuestring,
		                                               strlen(item->valuestring));
	}
	return WEIR_OK;
}

/* --- examples --- */

static enum weir_status parse_expect(const cJSON *node, enum weir_truth *expect,
                                     struct weir_error *err)
{
	static const enum weir_truth truths[] = {WEIR_FALSE, WEIR_TRUE, WEIR_UNKNOWN};
	const char *text;
	enum weir_status status = weir_json_text(node, "expect", &text, err);

	for (size_t i = 0; !status && text && i < sizeof(truths) / sizeof(truths[0]); i++) {
		if (strcmp(text, weir_truth_name(truths[i])) == 0) {
			*expect = truths[i];
			return WEIR_OK;
		}
	}
	return weir_fail(err, WEIR_E_USAGE, "expect: expected \"true\", \"false\" or \"unknown\"");
}

static enum weir_status set_example_value(const struct weir_rule_parser *parser,
                                          const cJSON *member, unsigned subjects, double *values,
                                          struct weir_error *err)
{
	size_t row;
	enum weir_status status =
		weir_feature_require(parser->features, member->string, subjects, &row, err);

	if (status)
		return status;
	if (!isnan(values[row]))
		return weir_fail(err, WEIR_E_USAGE, "%s: comes twice", member->string);
	if (!cJSON_IsNumber(member))
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s: expected a number; leave out what is not measured",
		                 member->string);
	values[row] = member->valuedouble;
	return WEIR_OK;
}

static enum weir_status parse_example(const struct weir_rule_parser *parser, const cJSON *node,
                                      unsigned subjects, struct weir_example *example,
                                      struct weir_error *err)
{
	const cJSON *member;

	if (!cJSON_IsObject(node))
		return weir_fail(err, WEIR_E_USAGE, "expected an object");
	example->values = weir_arena_alloc(parser->arena, parser->features->count * sizeof(double));
	for (size_t i = 0; i < parser->features->count; i++)
		example->values[i] = NAN;
	cJSON_ArrayForEach (member, node) {
		if (strcmp(member->string, "expect") == 0)
			continue;
		enum weir_status status =
			set_example_value(parser, member, subjects, example->values, err);
		if (status)
			return status;
	}
	return parse_expect(node, &example->expect, err);
}

/* A rule shows when it holds, when it does not, and when it cannot say. */
static enum weir_status check_example_kinds(const struct weir_rule *rule, struct weir_error *err)
{
	static const enum weir_truth truths[] = {WEIR_TRUE, WEIR_FALSE, WEIR_UNKNOWN};

	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		size_t at = 0;
		while (at < rule->example_count && rule->examples[at].expect != truths[i])
			at++;
		if (at == rule->example_count)
			return weir_fail(err, WEIR_E_USAGE,
			                 "examples: none with \"expect\": \"%s\"",
			                 weir_truth_name(truths[i]));
	}
	return WEIR_OK;
}

static enum weir_status parse_examples(const struct weir_rule_parser *parser, const cJSON *node,
                                       struct weir_rule *rule, struct weir_error *err)
{
	const cJSON *list, *item;
	size_t count;
	enum weir_status status =
		read_list(node, "examples", (struct bounds){1, MAX_EXAMPLES}, &list, &count, err);

	if (status)
		return status;
	rule->examples = weir_arena_alloc(parser->arena, count * sizeof(*rule->examples));
	cJSON_ArrayForEach (item, list) {
		struct weir_example *example = &rule->examples[rule->example_count];
		status = parse_example(parser, item, rule->subjects, example, err);
		if (status)
			return weir_fail_in(err, "examples[%zu]", rule->example_count);
		rule->example_count++;
	}
	return check_example_kinds(rule, err);
}

enum weir_status weir_rule_parse(const struct weir_rule_parser *parser, const cJSON *node,
                                 struct weir_rule *rule, struct weir_error *err)
{
	static const char *const keys[] = {"id",         "about",   "bound",    "cause",
	                                   "title",      "when",    "share",    "last",
	                                   "of_compute", "descend", "headline", "next",
	                                   "recommend",  "see",     "examples", NULL};
	static parse_part *const parts[] = {parse_id,   parse_about,     parse_bound,
	                                    parse_when, parse_share,     parse_words,
	                                    parse_see,  parse_recommend, parse_examples};
	enum weir_status status = weir_rule_check_keys(node, keys, err);

	*rule = (struct weir_rule){0};
	for (size_t i = 0; !status && i < sizeof(parts) / sizeof(parts[0]); i++)
		status = parts[i](parser, node, rule, err);
	return status;
}
