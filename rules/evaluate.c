/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/feature.h"
#include "engine/model/template.h"
#include "rules/choice.h"
#include "rules/evaluate.h"

static const char nothing_missing[] = "no rule holds, and nothing that the rules read is missing: "
				      "look at the largest stages and operators";

/* --- outcomes --- */

enum weir_status weir_rule_evaluate(const struct weir_rule *rule, enum weir_truth *truths,
                                    enum weir_truth *out, struct weir_error *err)
{
	enum weir_truth truth;

	*out = WEIR_TRUE;
	for (size_t i = 0; i < rule->clause_count; i++) {
		enum weir_status status = weir_clause_evaluate(rule->clauses[i], &truth, err);
		if (status)
			return weir_fail_in(err, "rule %s", rule->id);
		if (truths)
			truths[i] = truth;
		if (truth != WEIR_TRUE)
			*out = truth;
		if (truth == WEIR_FALSE)
			return WEIR_OK;
	}
	return WEIR_OK;
}

/* The rules about one subject: parallel lists, all owned. */
struct session {
	struct weir_ruleset *set;
	const struct weir_subject *subject;
	const struct weir_rule **rules;
	struct weir_rule_outcome *outcomes;
	enum weir_truth (*truths)[WEIR_MAX_CLAUSES]; /* up to the first that is false */
	/* The outcomes that a choice may look at; the others are made false. */
	struct weir_rule_outcome *contenders;
	size_t count;
};

static void session_init(struct session *session, struct weir_ruleset *set,
                         const struct weir_subject *subject)
{
	size_t count = weir_ruleset_count(set);

	*session = (struct session){.set = set, .subject = subject};
	session->rules = weir_alloc((count + 1) * sizeof(*session->rules));
	session->outcomes = weir_alloc((count + 1) * sizeof(*session->outcomes));
	session->truths = weir_alloc((count + 1) * sizeof(*session->truths));
	session->contenders = weir_alloc((count + 1) * sizeof(*session->contenders));
}

static void session_release(struct session *session)
{
	free(session->rules);
	free(session->outcomes);
	free(session->truths);
	free(session->contenders);
}

static double value_of(const struct weir_subject *subject, size_t row)
{
	return row == WEIR_NO_FEATURE ? NAN : subject->values[row];
}

static enum weir_status session_run(struct session *session, struct weir_error *err)
{
	const struct weir_subject *subject = session->subject;
	enum weir_status status =
		weir_clause_db_set(weir_ruleset_db(session->set), subject->values, err);

	for (size_t i = 0; !status && i < weir_ruleset_count(session->set); i++) {
		const struct weir_rule *rule = weir_ruleset_rule(session->set, i);
		if (!(rule->subjects & (1u << subject->kind)))
			continue;
		struct weir_rule_outcome *outcome = &session->outcomes[session->count];
		outcome->rule = rule->id;
		outcome->bound = rule->bound;
		outcome->share = value_of(subject, rule->share);
		session->rules[session->count] = rule;
		status = weir_rule_evaluate(rule, session->truths[session->count], &outcome->truth,
		                            err);
		session->count++;
	}
	return status;
}

enum weir_status weir_ruleset_outcomes(struct weir_ruleset *set, const struct weir_subject *subject,
                                       struct weir_rule_outcome *outcomes, size_t *count,
                                       struct weir_error *err)
{
	struct session session;

	session_init(&session, set, subject);
	enum weir_status status = session_run(&session, err);
	if (!status) {
		memcpy(outcomes, session.outcomes, session.count * sizeof(*outcomes));
		*count = session.count;
	}
	session_release(&session);
	return status;
}

/* --- the verdict --- */

/* Among the rules with a bound that are (not) `last`; contenders are left for the rival. */
static size_t choose_among(struct session *session, bool last)
{
	for (size_t i = 0; i < session->count; i++) {
		const struct weir_rule *rule = session->rules[i];
		session->contenders[i] = session->outcomes[i];
		if (rule->bound == WEIR_BOUND_NONE || rule->last != last)
			session->contenders[i].truth = WEIR_FALSE;
	}
	return weir_choice_winner(session->contenders, session->count);
}

static size_t choose(struct session *session)
{
	size_t winner = choose_among(session, false);

	return winner == WEIR_CHOICE_NONE ? choose_among(session, true) : winner;
}

static void explain(const struct weir_rule *rule, struct weir_verdict *verdict)
{
	verdict->evidence_count = rule->clause_count;
	for (size_t i = 0; i < rule->clause_count; i++)
		weir_clause_explain(rule->clauses[i], WEIR_TRUE, &verdict->evidence[i]);
}

static void find_runner_up(const double *shares, struct weir_verdict *verdict)
{
	verdict->has_runner_up = false;
	verdict->runner_up_share = NAN;
	if (shares)
		verdict->has_runner_up = weir_choice_runner_up(
			shares, verdict->bound, &verdict->runner_up, &verdict->runner_up_share);
}

static void conclude(const struct session *session, size_t winner, const double *shares,
                     struct weir_verdict *verdict)
{
	const struct weir_rule *rule = session->rules[winner];

	*verdict = (struct weir_verdict){
		.bound = rule->bound,
		.cause = rule->cause,
		.rule = rule->id,
		.share = session->outcomes[winner].share,
		.of_compute = rule->of_compute,
		.descend = rule->descend,
		.headline = rule->headline,
		.next = rule->next,
	};
	explain(rule, verdict);
	find_runner_up(shares, verdict);
	struct weir_standing standing = {
		.share = verdict->share,
		.runner_up = verdict->runner_up_share,
		.unattributed = shares ? shares[WEIR_BOUND_UNDETERMINED] : NAN,
		.rival = weir_choice_rival(session->contenders, session->count, winner),
	};
	verdict->confidence = weir_choice_confidence(&standing);
}

/* --- what to measure next --- */

/* Features that were not measured and that a rule needs, in order of the rules. */
struct missing {
	const char *ids[WEIR_VERDICT_MISSING_MAX]; /* the table's own pointers */
	size_t count;
	bool more;
};

static void miss(struct missing *missing, const char *id)
{
	for (size_t i = 0; i < missing->count; i++) {
		if (missing->ids[i] == id)
			return;
	}
	if (missing->count < WEIR_VERDICT_MISSING_MAX)
		missing->ids[missing->count++] = id;
	else
		missing->more = true;
}

static void miss_of_clause(const struct weir_clause *clause, struct missing *missing)
{
	struct weir_evidence evidence;

	weir_clause_explain(clause, WEIR_UNKNOWN, &evidence);
	for (size_t i = 0; i < evidence.reading_count; i++) {
		if (isnan(evidence.readings[i].value))
			miss(missing, evidence.readings[i].feature);
	}
}

static void find_missing(const struct session *session, struct missing *missing)
{
	for (size_t i = 0; i < session->count; i++) {
		const struct weir_rule *rule = session->rules[i];
		if (rule->bound == WEIR_BOUND_NONE || session->outcomes[i].truth != WEIR_UNKNOWN)
			continue;
		for (size_t clause = 0; clause < rule->clause_count; clause++) {
			if (session->truths[i][clause] == WEIR_UNKNOWN)
				miss_of_clause(rule->clauses[clause], missing);
		}
	}
}

/* A template, kept by the set. */
static const char *word_missing(const struct session *session, const struct missing *missing)
{
	const struct weir_feature_table *features = weir_ruleset_features(session->set);
	struct weir_text text = {0};

	if (missing->count == 0)
		return nothing_missing;
	weir_text_puts(&text, "to decide, measure: ");
	for (size_t i = 0; i < missing->count; i++) {
		const char *id = missing->ids[i];
		size_t row = weir_feature_find(features, id, strlen(id));
		weir_text_puts(&text, i > 0 ? "; " : "");
		weir_text_printf(&text, "%s (", id);
		weir_template_quote(features->items[row].meaning, &text);
		weir_text_puts(&text, ")");
	}
	if (missing->more)
		weir_text_puts(&text, "; and more");
	const char *kept = weir_ruleset_keep(session->set, text.data);
	weir_text_release(&text);
	return kept;
}

static void leave_open(const struct session *session, const double *shares,
                       struct weir_verdict *verdict)
{
	struct missing missing = {0};

	find_missing(session, &missing);
	*verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED,
		.confidence = WEIR_CONFIDENCE_LOW,
		.share = NAN,
		.next = word_missing(session, &missing),
	};
	find_runner_up(shares, verdict);
}

/* --- advice --- */

void weir_advice_list_release(struct weir_advice_list *list)
{
	free(list->items);
	*list = (struct weir_advice_list){0};
}

static bool has_advice(const struct weir_advice_list *list, const char *id)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].id, id) == 0)
			return true;
	return false;
}

void weir_advice_list_append(struct weir_advice_list *list, const struct weir_advice_list *more)
{
	for (size_t i = 0; i < more->count; i++) {
		if (has_advice(list, more->items[i].id))
			continue;
		list->items = weir_grow(list->items, &list->capacity, list->count + 1,
		                        sizeof(*list->items));
		list->items[list->count++] = more->items[i];
	}
}

static bool heavier(const struct weir_advice *a, const struct weir_advice *b)
{
	return !isnan(a->weight) && (isnan(b->weight) || a->weight > b->weight);
}

/* Keeps the list in order and one advice an id: the heavier, at equal weight the earlier. */
static void add_advice(struct weir_advice_list *list, const struct weir_advice *advice)
{
	size_t at = 0;

	while (at < list->count && strcmp(list->items[at].id, advice->id) != 0)
		at++;
	if (at < list->count && !heavier(advice, &list->items[at]))
		return;
	if (at == list->count) {
		list->items = weir_grow(list->items, &list->capacity, list->count + 1,
		                        sizeof(*list->items));
		list->count++;
	}
	for (; at > 0 && heavier(advice, &list->items[at - 1]); at--)
		list->items[at] = list->items[at - 1];
	list->items[at] = *advice;
}

static void add_rule_advice(const struct session *session, size_t index,
                            struct weir_advice_list *list)
{
	const struct weir_rule *rule = session->rules[index];

	for (size_t i = 0; i < rule->advice_count; i++) {
		const struct weir_rule_advice *from = &rule->advice[i];
		add_advice(list, &(struct weir_advice){
					 .id = from->id,
					 .title = from->title,
					 .why = from->why,
					 .effort = from->effort,
					 .rule = rule->id,
					 .low = from->low,
					 .high = from->high,
					 .share = value_of(session->subject, from->saves),
					 .has_change = from->has_change,
					 .change = from->change,
					 .weight = session->outcomes[index].share,
				 });
	}
}

/* From every rule that holds; from a `last` one only where it gave the verdict. */
static void gather_advice(const struct session *session, bool last_won,
                          struct weir_advice_list *list)
{
	list->count = 0;
	for (size_t i = 0; i < session->count; i++) {
		if (session->outcomes[i].truth == WEIR_TRUE &&
		    (!session->rules[i]->last || last_won))
			add_rule_advice(session, i, list);
	}
}

enum weir_status weir_ruleset_judge(struct weir_ruleset *set, const struct weir_subject *subject,
                                    const double *shares, struct weir_verdict *verdict,
                                    struct weir_advice_list *advice, struct weir_error *err)
{
	struct session session;
	size_t winner = WEIR_CHOICE_NONE;

	session_init(&session, set, subject);
	enum weir_status status = session_run(&session, err);
	if (!status) {
		winner = choose(&session);
		if (winner == WEIR_CHOICE_NONE)
			leave_open(&session, shares, verdict);
		else
			conclude(&session, winner, shares, verdict);
	}
	if (!status && advice)
		gather_advice(&session, winner != WEIR_CHOICE_NONE && session.rules[winner]->last,
		              advice);
	session_release(&session);
	return status;
}
