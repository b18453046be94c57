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

static const char outweighed_headline[] = "more time is unattributed ({share_unattributed:share}) "
					  "than any bound explains";
static const char outweighed_next[] = "see which operators and idle causes hold the unattributed "
				      "time; record shapes, host calls and device work together";
static const char nothing_missing[] = "no rule holds, although every feature that they read was "
				      "measured: look at the largest stages and operators";

/* --- outcomes --- */

/* The rules about one subject, as parallel lists that it owns. */
struct session {
	struct weir_ruleset *set;
	const struct weir_subject *subject;
	const struct weir_rule **rules;
	struct weir_rule_outcome *outcomes;
	/* Outcomes for the choice; false for rules that may not be chosen. */
	struct weir_rule_outcome *contenders;
	size_t count;
};

static void session_init(struct session *session, struct weir_ruleset *set,
                         const struct weir_subject *subject)
{
	size_t count = weir_ruleset_count(set);

	*session = (struct session){.set = set, .subject = subject};
	session->rules = weir_alloc((count + 1) * sizeof *session->rules);
	session->outcomes = weir_alloc((count + 1) * sizeof *session->outcomes);
	session->contenders = weir_alloc((count + 1) * sizeof *session->contenders);
}

static void session_release(struct session *session)
{
	free(session->rules);
	free(session->outcomes);
	free(session->contenders);
}

static double value_of(const struct weir_subject *subject, size_t row)
{
	return row == WEIR_NO_FEATURE ? NAN : subject->values[row];
}

static void session_run(struct session *session)
{
	const struct weir_subject *subject = session->subject;

	for (size_t i = 0; i < weir_ruleset_count(session->set); i++) {
		const struct weir_rule *rule = weir_ruleset_rule(session->set, i);

		if (!(rule->subjects & (1u << subject->kind)))
			continue;
		session->rules[session->count] = rule;
		session->outcomes[session->count++] = (struct weir_rule_outcome){
			.rule = rule->id,
			.bound = rule->bound,
			.truth = weir_rule_evaluate(rule, subject->values),
			.share = value_of(subject, rule->share),
		};
	}
}

/* --- the verdict --- */

/* Chooses among the rules that have a bound and are (not) `last`; fills `contenders`. */
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

/* Chooses among the rules whose bound is `undetermined`. */
static size_t choose_reason(struct session *session)
{
	for (size_t i = 0; i < session->count; i++) {
		session->contenders[i] = session->outcomes[i];
		if (session->rules[i]->bound != WEIR_BOUND_UNDETERMINED)
			session->contenders[i].truth = WEIR_FALSE;
	}
	return weir_choice_winner(session->contenders, session->count);
}

/* Returns true if more of the subject's time is unattributed than the rule explains. Requests have
 * rules about the time that nothing explains. */
static bool is_outweighed(const struct session *session, size_t winner, const double *shares)
{
	enum weir_subject_kind kind = session->subject->kind;

	return shares && (kind == WEIR_SUBJECT_PROFILE || kind == WEIR_SUBJECT_STAGE) &&
	       weir_choice_is_outweighed(shares, session->rules[winner]->bound,
	                                 session->outcomes[winner].share);
}

/* Returns the rule that gives the verdict. *outweighed: the first choice explains less than is
 * unattributed. */
static size_t choose(struct session *session, const double *shares, bool *outweighed)
{
	size_t winner = choose_among(session, false);

	if (winner == WEIR_CHOICE_NONE)
		winner = choose_among(session, true);
	*outweighed = winner != WEIR_CHOICE_NONE && is_outweighed(session, winner, shares);
	return *outweighed ? choose_reason(session) : winner;
}

/* Lowers the confidence to the limit of the strictest rule that limits it and holds. */
static void limit_confidence(const struct session *session, struct weir_verdict *verdict)
{
	for (size_t i = 0; i < session->count; i++) {
		const struct weir_rule *rule = session->rules[i];

		if (session->outcomes[i].truth != WEIR_TRUE ||
		    rule->confidence >= verdict->confidence)
			continue;
		verdict->confidence = rule->confidence;
		verdict->doubt = rule->headline;
	}
}

static void explain(const struct session *session, const struct weir_rule *rule,
                    struct weir_verdict *verdict)
{
	verdict->evidence_count = rule->clause_count;
	for (size_t i = 0; i < rule->clause_count; i++)
		weir_clause_explain(&rule->clauses[i], weir_ruleset_features(session->set),
		                    session->subject->values, &verdict->evidence[i]);
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
	struct weir_standing standing;

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
	explain(session, rule, verdict);
	find_runner_up(shares, verdict);
	standing = (struct weir_standing){
		.share = verdict->share,
		.runner_up = verdict->runner_up_share,
		.unattributed = shares ? shares[WEIR_BOUND_UNDETERMINED] : NAN,
		.rival = weir_choice_rival(session->contenders, session->count, winner),
	};
	verdict->confidence = weir_choice_confidence(&standing);
	limit_confidence(session, verdict);
}

/* --- what to measure next --- */

/* Unmeasured features that rules need, in the order of the rules. */
struct missing {
	const char *ids[WEIR_VERDICT_MISSING_MAX]; /* pointers of the feature table */
	size_t count;
	bool more;
};

static void add_missing(struct missing *missing, const char *id)
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

static void add_missing_of(const struct session *session, const struct weir_clause *clause,
                           struct missing *missing)
{
	struct weir_evidence evidence;

	weir_clause_explain(clause, weir_ruleset_features(session->set), session->subject->values,
	                    &evidence);
	if (evidence.truth != WEIR_UNKNOWN)
		return;
	for (size_t i = 0; i < evidence.reading_count; i++) {
		if (isnan(evidence.readings[i].value))
			add_missing(missing, evidence.readings[i].feature);
	}
}

static void find_missing(const struct session *session, struct missing *missing)
{
	for (size_t i = 0; i < session->count; i++) {
		const struct weir_rule *rule = session->rules[i];
		if (rule->bound == WEIR_BOUND_NONE || session->outcomes[i].truth != WEIR_UNKNOWN)
			continue;
		for (size_t clause = 0; clause < rule->clause_count; clause++)
			add_missing_of(session, &rule->clauses[clause], missing);
	}
}

/* Returns a template that names the missing features; the set keeps it. */
static const char *describe_missing(const struct session *session, const struct missing *missing)
{
	const struct weir_feature_table *features = weir_ruleset_features(session->set);
	struct weir_text text = {0};
	const char *kept;

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
	kept = weir_ruleset_keep(session->set, text.data);
	weir_text_release(&text);
	return kept;
}

static void leave_open(const struct session *session, const double *shares, bool outweighed,
                       struct weir_verdict *verdict)
{
	struct missing missing = {0};

	*verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED,
		.confidence = WEIR_CONFIDENCE_LOW,
		.share = NAN,
		.headline = outweighed ? outweighed_headline : NULL,
		.next = outweighed_next,
	};
	if (!outweighed) {
		find_missing(session, &missing);
		verdict->next = describe_missing(session, &missing);
	}
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
		                        sizeof *list->items);
		list->items[list->count++] = more->items[i];
	}
}

static bool heavier(const struct weir_advice *a, const struct weir_advice *b)
{
	return !isnan(a->weight) && (isnan(b->weight) || a->weight > b->weight);
}

/* Inserts advice in order of weight. Of two with the same id the heavier stays, or the earlier if
 * they weigh the same. */
static void add_advice(struct weir_advice_list *list, const struct weir_advice *advice)
{
	size_t at = 0;

	while (at < list->count && strcmp(list->items[at].id, advice->id) != 0)
		at++;
	if (at < list->count && !heavier(advice, &list->items[at]))
		return;
	if (at == list->count) {
		list->items = weir_grow(list->items, &list->capacity, list->count + 1,
		                        sizeof *list->items);
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

/* Collects the advice of every rule that holds; of a `last` rule only if it gave the verdict. */
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

void weir_ruleset_judge(struct weir_ruleset *set, const struct weir_subject *subject,
                        const double *shares, struct weir_verdict *verdict,
                        struct weir_advice_list *advice)
{
	struct session session;
	bool outweighed;
	size_t winner;

	session_init(&session, set, subject);
	session_run(&session);
	winner = choose(&session, shares, &outweighed);
	if (winner == WEIR_CHOICE_NONE)
		leave_open(&session, shares, outweighed, verdict);
	else
		conclude(&session, winner, shares, verdict);
	if (advice)
		gather_advice(&session, winner != WEIR_CHOICE_NONE && session.rules[winner]->last,
		              advice);
	session_release(&session);
}
