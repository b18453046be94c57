/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ci/policy/causes.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

#define NO_FINDING SIZE_MAX
#define UP_TO_STEP 0.01 /* waivers are advised in whole per cent */
#define MOST_RANKS 1000 /* more findings than this are not joined by rank */

/* All rows of one scope. */
struct subject {
	enum weir_scope_kind kind;
	const char *scope, *stage;
	const struct weir_row *lead; /* the row to quote; NULL: none is bad */
	double change;               /* logarithm, at shift or p50; NAN: unknown */
	double added_ns;
	size_t first, count; /* of its rows in `order` */
	size_t finding;      /* NO_FINDING: none yet */
};

struct draft {
	const char *scope;
	const struct subject *cause; /* NULL: all alike, and no row stands for all */
	double alike;
	size_t alike_count;
	double added_ns;
	size_t into; /* the draft that took its rows; NO_FINDING: it stands */
};

struct causes {
	struct weir_gate_result *result;
	size_t *order; /* rows, by scope, then metric */
	struct subject *subjects;
	size_t subject_count;
	struct draft *drafts;
	size_t draft_count;
};

static bool is_of_stage(enum weir_scope_kind kind)
{
	return kind == WEIR_SCOPE_DEVICE || kind == WEIR_SCOPE_OPERATOR;
}

/* Returns the stage of a row; readers of JSON leave it out for stages. */
static const char *stage_of(const struct weir_row *row)
{
	bool is_stage = row->kind == WEIR_SCOPE_STAGE || row->kind == WEIR_SCOPE_DEVICE;
	const char *stage = row->stage || !is_stage ? row->stage : row->name;

	return stage ? stage : "";
}

/* ---- subjects ---- */

struct placed {
	const struct weir_row *row;
	size_t index;
};

static int by_scope(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = strcmp(a->row->scope, b->row->scope);

	if (order == 0)
		order = (int)a->row->metric - (int)b->row->metric;
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static size_t sort_rows(struct causes *causes)
{
	const struct weir_gate_result *result = causes->result;
	struct placed *placed = weir_alloc((result->row_count + 1) * sizeof *placed);
	size_t count = 0;

	for (size_t i = 0; i < result->row_count; i++)
		if (result->rows[i].scope)
			placed[count++] = (struct placed){&result->rows[i], i};
	if (count > 1)
		qsort(placed, count, sizeof *placed, by_scope);
	causes->order = weir_alloc((count + 1) * sizeof *causes->order);
	for (size_t i = 0; i < count; i++)
		causes->order[i] = placed[i].index;
	free(placed);
	return count;
}

static const struct weir_row *row_at(const struct causes *causes, size_t place)
{
	return &causes->result->rows[causes->order[place]];
}

/* Returns the row of a subject at a metric; NULL: none. */
static const struct weir_row *row_of(const struct causes *causes, const struct subject *subject,
                                     enum weir_metric metric)
{
	for (size_t i = 0; i < subject->count; i++)
		if (row_at(causes, subject->first + i)->metric == metric)
			return row_at(causes, subject->first + i);
	return NULL;
}

/* Returns the bad row to quote: of the worst outcome, p50 first. */
static const struct weir_row *lead_of(const struct causes *causes, const struct subject *subject)
{
	static const enum weir_outcome outcomes[] = {WEIR_OUTCOME_REGRESSION, WEIR_OUTCOME_SUSPECT,
	                                             WEIR_OUTCOME_WAIVED};
	static const enum weir_metric metrics[] = {WEIR_METRIC_P50,   WEIR_METRIC_SHIFT,
	                                           WEIR_METRIC_VALUE, WEIR_METRIC_P90,
	                                           WEIR_METRIC_P95,   WEIR_METRIC_P99};

	for (size_t o = 0; o < WEIR_COUNT_OF(outcomes); o++)
		for (size_t m = 0; m < WEIR_COUNT_OF(metrics); m++) {
			const struct weir_row *row = row_of(causes, subject, metrics[m]);

			if (row && row->outcome == outcomes[o])
				return row;
		}
	return NULL;
}

/* Returns the time that the subject adds to an iteration. */
static double added_by(const struct causes *causes, const struct subject *subject)
{
	static const struct {
		enum weir_metric metric;
		double share; /* of the iterations that the change concerns */
	} sources[] = {{WEIR_METRIC_P50, 1},
	               {WEIR_METRIC_SHIFT, 1},
	               {WEIR_METRIC_P90, 0.1},
	               {WEIR_METRIC_P95, 0.05},
	               {WEIR_METRIC_P99, 0.01}};
	double added = NAN;

	for (size_t i = 0; i < WEIR_COUNT_OF(sources) && isnan(added); i++) {
		const struct weir_row *row = row_of(causes, subject, sources[i].metric);

		if (row && weir_row_has_finding(row))
			added = row->contributed_ns * sources[i].share;
	}
	return added;
}

static double change_of(const struct causes *causes, const struct subject *subject)
{
	static const enum weir_metric metrics[] = {WEIR_METRIC_SHIFT, WEIR_METRIC_P50,
	                                           WEIR_METRIC_VALUE};

	for (size_t i = 0; i < WEIR_COUNT_OF(metrics); i++) {
		const struct weir_row *row = row_of(causes, subject, metrics[i]);

		if (row && isfinite(row->change))
			return log1p(row->change);
	}
	return subject->lead ? log1p(subject->lead->change) : NAN;
}

static void collect_subjects(struct causes *causes, size_t rows)
{
	causes->subjects = weir_alloc((rows + 1) * sizeof *causes->subjects);
	for (size_t i = 0, end; i < rows; i = end) {
		const struct weir_row *row = row_at(causes, i);
		struct subject *subject = &causes->subjects[causes->subject_count++];

		for (end = i + 1; end < rows && !strcmp(row_at(causes, end)->scope, row->scope);)
			end++;
		*subject = (struct subject){.kind = row->kind,
		                            .scope = row->scope,
		                            .stage = stage_of(row),
		                            .first = i,
		                            .count = end - i,
		                            .finding = NO_FINDING};
		subject->lead = lead_of(causes, subject);
		subject->change = change_of(causes, subject);
		subject->added_ns = added_by(causes, subject);
	}
}

/* ---- drafts ---- */

static size_t add_draft(struct causes *causes, const char *scope, const struct subject *cause)
{
	causes->drafts[causes->draft_count] = (struct draft){
		.scope = scope,
		.cause = cause,
		.alike = NAN,
		.added_ns = cause ? cause->added_ns : NAN,
		.into = NO_FINDING,
	};
	return causes->draft_count++;
}

static bool is_open(const struct subject *subject)
{
	return subject && subject->lead && subject->finding == NO_FINDING;
}

static void make_cause(struct causes *causes, struct subject *subject)
{
	subject->finding = add_draft(causes, subject->scope, subject);
}

/* ---- all alike ---- */

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool is_alike(double change, double common)
{
	return change >= WEIR_CAUSES_LEAST * common && change <= WEIR_CAUSES_MOST * common;
}

/* Returns the common change of the subjects of a kind, and the number that share it; NAN: they have
 * none, or at most half of those that share it regressed. */
static double common_change(const struct causes *causes, enum weir_scope_kind kind, size_t *sharing)
{
	double *changes = weir_alloc((causes->subject_count + 1) * sizeof *changes), common;
	size_t count = 0, bad = 0;

	*sharing = 0;
	for (size_t i = 0; i < causes->subject_count; i++)
		if (causes->subjects[i].kind == kind && isfinite(causes->subjects[i].change))
			changes[count++] = causes->subjects[i].change;
	if (count > 1)
		qsort(changes, count, sizeof *changes, by_value);
	common = count ? (changes[(count - 1) / 2] + changes[count / 2]) / 2 : NAN;
	free(changes);
	for (size_t i = 0; i < causes->subject_count; i++) {
		const struct subject *subject = &causes->subjects[i];

		if (subject->kind != kind || !is_alike(subject->change, common))
			continue;
		++*sharing;
		bad += subject->lead != NULL;
	}
	return count >= WEIR_CAUSES_ALIKE && common > 0 && 2 * bad > *sharing &&
	                       (double)*sharing >= WEIR_CAUSES_SHARE * (double)count
	               ? common
	               : NAN;
}

static bool is_clock(const struct subject *subject)
{
	return subject->kind == WEIR_SCOPE_METRIC && strstr(subject->scope, "clock");
}

/* Gives the open subjects of stages, devices and operators that changed by the factor to a draft.
 */
static void take_alike(struct causes *causes, size_t draft, double common)
{
	double time = 0, of_operators = 0;

	for (size_t i = 0; i < causes->subject_count; i++) {
		struct subject *subject = &causes->subjects[i];
		bool is_stage = subject->kind == WEIR_SCOPE_STAGE;

		if (!is_open(subject) || subject->kind == WEIR_SCOPE_ALL_OPERATORS ||
		    (subject->kind == WEIR_SCOPE_METRIC ? !is_clock(subject)
		                                        : !is_alike(subject->change, common)))
			continue;
		subject->finding = draft;
		time += is_stage && isfinite(subject->added_ns) ? subject->added_ns : 0;
		of_operators += subject->kind == WEIR_SCOPE_OPERATOR && isfinite(subject->added_ns)
		                        ? subject->added_ns
		                        : 0;
	}
	if (time > 0 || of_operators > 0)
		causes->drafts[draft].added_ns = time > 0 ? time : of_operators;
}

/* Makes the finding of a common factor: of all operators as the statistics found it, or of the
 * operators, stages or device times that changed alike. */
static void find_alike(struct causes *causes)
{
	static const enum weir_scope_kind kinds[] = {WEIR_SCOPE_OPERATOR, WEIR_SCOPE_STAGE,
	                                             WEIR_SCOPE_DEVICE};
	size_t draft = NO_FINDING, sharing = 0;
	double common = NAN;

	for (size_t i = 0; i < causes->subject_count; i++)
		if (causes->subjects[i].kind == WEIR_SCOPE_ALL_OPERATORS &&
		    is_open(&causes->subjects[i])) {
			common = causes->subjects[i].change;
			make_cause(causes, &causes->subjects[i]);
			draft = causes->subjects[i].finding;
		}
	for (size_t i = 0; i < causes->subject_count && draft != NO_FINDING; i++)
		sharing += causes->subjects[i].kind == WEIR_SCOPE_OPERATOR &&
		           is_alike(causes->subjects[i].change, common);
	for (size_t k = 0; k < WEIR_COUNT_OF(kinds) && draft == NO_FINDING; k++) {
		common = common_change(causes, kinds[k], &sharing);
		if (!isnan(common))
			draft = add_draft(causes,
			                  kinds[k] == WEIR_SCOPE_OPERATOR
			                          ? WEIR_SCOPE_OF_ALL_OPERATORS
			                          : WEIR_SCOPE_OF_ALL_STAGES,
			                  NULL);
	}
	if (draft == NO_FINDING)
		return;
	causes->drafts[draft].alike = expm1(common);
	causes->drafts[draft].alike_count = sharing;
	take_alike(causes, draft, common);
}

/* ---- stages and operators ---- */

/* The subjects of one stage. */
struct family {
	struct subject *stage, *device; /* NULL: none */
	struct subject **operators;     /* open ones, the largest addition first */
	size_t count;
};

static int by_stage(const void *left, const void *right)
{
	const struct subject *const *a = left, *const *b = right;
	int order = strcmp((*a)->stage, (*b)->stage);

	if (order == 0)
		order = (int)(*a)->kind - (int)(*b)->kind;
	if (order == 0 && (*a)->added_ns != (*b)->added_ns)
		order = (*a)->added_ns > (*b)->added_ns ? -1 : 1;
	return order ? order : strcmp((*a)->scope, (*b)->scope);
}

static double positive(const struct subject *subject)
{
	return subject && subject->added_ns > 0 ? subject->added_ns : 0;
}

static void each_alone(struct causes *causes, const struct family *family)
{
	for (size_t i = 0; i < family->count; i++)
		make_cause(causes, family->operators[i]);
}

/* Gives the rows of a stage to the finding that explains `explained_ns` of it, or to its own. */
static void place_stage(struct causes *causes, struct subject *stage, size_t finding,
                        double explained_ns)
{
	if (!is_open(stage))
		return;
	if (explained_ns >= WEIR_CAUSES_EXPLAINED * positive(stage))
		stage->finding = finding;
	else
		make_cause(causes, stage);
}

/* Makes the finding of a stage with its device time and operators. */
static void stage_is_cause(struct causes *causes, const struct family *family)
{
	struct subject *cause = is_open(family->stage) ? family->stage : family->device;

	make_cause(causes, cause);
	if (is_open(family->device))
		family->device->finding = cause->finding;
	for (size_t i = 0; i < family->count; i++)
		family->operators[i]->finding = cause->finding;
}

static void explain_stage(struct causes *causes, const struct family *family)
{
	bool open = is_open(family->stage) || is_open(family->device);
	double slower = positive(is_open(family->device) ? family->device : family->stage), sum = 0;

	for (size_t i = 0; i < family->count; i++)
		sum += positive(family->operators[i]);
	/* The device time of the stage is part of the common factor already. */
	if (family->device && family->device->finding != NO_FINDING)
		place_stage(causes, family->stage, family->device->finding,
		            positive(family->device));
	if (open && sum > 0 && family->count <= WEIR_CAUSES_OPERATORS &&
	    sum >= WEIR_CAUSES_EXPLAINED * slower) {
		each_alone(causes, family);
		place_stage(causes, family->device, family->operators[0]->finding, sum);
		place_stage(causes, family->stage, family->operators[0]->finding,
		            fmax(sum, positive(family->device)));
	} else if (is_open(family->stage) || is_open(family->device)) {
		stage_is_cause(causes, family);
	} else {
		each_alone(causes, family);
	}
}

/* Explains the stages one by one; `by` has the subjects of stages, devices and operators. */
static void explain_stages(struct causes *causes, struct subject **by, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		struct family family = {.operators = NULL};

		for (end = i; end < count && !strcmp(by[end]->stage, by[i]->stage); end++) {
			struct subject *subject = by[end];

			family.stage = subject->kind == WEIR_SCOPE_STAGE ? subject : family.stage;
			family.device =
				subject->kind == WEIR_SCOPE_DEVICE ? subject : family.device;
			if (subject->kind != WEIR_SCOPE_OPERATOR || !is_open(subject))
				continue;
			family.operators = family.operators ? family.operators : &by[end];
			family.count++;
		}
		explain_stage(causes, &family);
	}
}

static void find_by_stage(struct causes *causes)
{
	struct subject **by = weir_alloc((causes->subject_count + 1) * sizeof(struct subject *));
	size_t count = 0;

	for (size_t i = 0; i < causes->subject_count; i++) {
		struct subject *subject = &causes->subjects[i];
		bool is_stage =
			subject->kind == WEIR_SCOPE_STAGE || subject->kind == WEIR_SCOPE_DEVICE;

		/* Operators without an open row would stand between the open ones. */
		if (is_stage || (subject->kind == WEIR_SCOPE_OPERATOR && is_open(subject)))
			by[count++] = subject;
	}
	if (count > 1)
		qsort(by, count, sizeof *by, by_stage);
	explain_stages(causes, by, count);
	for (size_t i = 0; i < causes->subject_count; i++)
		if (is_open(&causes->subjects[i]))
			make_cause(causes, &causes->subjects[i]);
	free(by);
}

/* ---- ranks ---- */

/* Appends the scope with the number behind "rank" as "*". Returns false if it has none. */
static bool without_rank(const char *scope, struct weir_text *out)
{
	static const char word[] = "rank";
	const char *at = scope, *digit = NULL;

	while (!digit && (at = strstr(at, word))) {
		at += sizeof word - 1;
		digit = at + (*at && strchr(" _-:=", *at) ? 1 : 0);
		digit = isdigit((unsigned char)*digit) ? digit : NULL;
	}
	if (!digit)
		return false;
	weir_text_add(out, scope, (size_t)(digit - scope));
	weir_text_puts(out, "*");
	weir_text_puts(out, digit + strspn(digit, "0123456789"));
	return true;
}

static bool same_rank_scope(const char *scope, const char *pattern)
{
	struct weir_text own = {0};
	bool same = without_rank(scope, &own) && !strcmp(own.data, pattern);

	weir_text_release(&own);
	return same;
}

/* True if all subjects of the pattern regressed by a similar change, and there are two or more. */
static bool ranks_are_alike(const struct causes *causes, const char *pattern, double common)
{
	size_t count = 0;

	for (size_t i = 0; i < causes->subject_count; i++) {
		const struct subject *subject = &causes->subjects[i];

		if (!same_rank_scope(subject->scope, pattern))
			continue;
		if (!subject->lead || !is_alike(fabs(subject->change), fabs(common)))
			return false;
		count++;
	}
	return count > 1;
}

/* Joins the findings that differ only in the rank. Ranks work at the same time, so the slowest adds
 * its time. */
static void join_ranks(struct causes *causes)
{
	for (size_t i = 0; i < causes->draft_count && causes->draft_count <= MOST_RANKS; i++) {
		struct draft *draft = &causes->drafts[i];
		struct weir_text pattern = {0};

		if (draft->into == NO_FINDING && draft->cause &&
		    without_rank(draft->scope, &pattern) &&
		    ranks_are_alike(causes, pattern.data, draft->cause->change)) {
			draft->scope = weir_arena_copy(causes->result->arena, pattern.data,
			                               pattern.length);
			for (size_t j = i + 1; j < causes->draft_count; j++) {
				if (!same_rank_scope(causes->drafts[j].scope, pattern.data))
					continue;
				causes->drafts[j].into = i;
				draft->added_ns = fmax(draft->added_ns, causes->drafts[j].added_ns);
			}
		}
		weir_text_release(&pattern);
	}
}

/* ---- findings ---- */

/* Sets the change of the stage's time by each bad device and operator row. */
static void relate_to_stages(struct causes *causes)
{
	const struct subject *stages = causes->subjects;

	for (size_t i = 0; i < causes->subject_count; i++) {
		const struct subject *subject = &causes->subjects[i], *stage = NULL;
		struct weir_text scope = {0};
		size_t low = 0, high = causes->subject_count;

		if (!subject->lead || !is_of_stage(subject->kind))
			continue;
		weir_text_printf(&scope, "%s%s", weir_scope_word(WEIR_SCOPE_STAGE), subject->stage);
		while (low < high && !stage) {
			size_t middle = low + (high - low) / 2;
			int order = strcmp(stages[middle].scope, scope.data);

			stage = order == 0 ? &stages[middle] : NULL;
			low = order < 0 ? middle + 1 : low;
			high = order > 0 ? middle : high;
		}
		for (size_t j = 0; stage && j < subject->count; j++) {
			struct weir_row *row =
				&causes->result->rows[causes->order[subject->first + j]];
			const struct weir_row *whole = row_of(causes, stage, row->metric);

			if (whole && whole->baseline > 0)
				row->stage_change = row->contributed_ns / whole->baseline;
		}
		weir_text_release(&scope);
	}
}

static size_t final_draft(const struct causes *causes, size_t draft)
{
	while (draft != NO_FINDING && causes->drafts[draft].into != NO_FINDING)
		draft = causes->drafts[draft].into;
	return draft;
}

static enum weir_outcome worse(enum weir_outcome a, enum weir_outcome b)
{
	static const enum weir_outcome order[] = {WEIR_OUTCOME_REGRESSION, WEIR_OUTCOME_SUSPECT,
	                                          WEIR_OUTCOME_WAIVED};

	for (size_t i = 0; i < WEIR_COUNT_OF(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a;
}

static bool names_stage(const char *scope)
{
	const char *word = weir_scope_word(WEIR_SCOPE_STAGE);

	return strncmp(scope, word, strlen(word)) == 0;
}

/* Adds a bad row to a finding, and what a waiver must then cover. */
static void add_row(struct weir_gate_result *result, struct weir_gate_finding *finding,
                    size_t index)
{
	const struct weir_row *row = &result->rows[index];
	double size = weir_gate_worsening(row, names_stage(finding->scope)) +
	              (isfinite(row->margin) ? row->margin : 0);

	finding->rows[finding->row_count++] = index;
	finding->outcome =
		finding->row_count == 1 ? row->outcome : worse(finding->outcome, row->outcome);
	finding->up_to = row->above_ceiling || finding->up_to < 0
	                         ? -1
	                         : fmax(finding->up_to, ceil(size / UP_TO_STEP) * UP_TO_STEP);
}

/* A subject and the draft that has its rows. */
struct member {
	size_t draft, subject;
	bool is_cause;
};

static int by_draft(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->draft != b->draft)
		return a->draft < b->draft ? -1 : 1;
	if (a->is_cause != b->is_cause)
		return a->is_cause ? -1 : 1;
	return (a->subject > b->subject) - (a->subject < b->subject);
}

static size_t sort_members(const struct causes *causes, struct member *members)
{
	size_t count = 0;

	for (size_t i = 0; i < causes->subject_count; i++) {
		size_t draft = final_draft(causes, causes->subjects[i].finding);

		if (draft != NO_FINDING)
			members[count++] = (struct member){
				draft, i, causes->drafts[draft].cause == &causes->subjects[i]};
	}
	if (count > 1)
		qsort(members, count, sizeof *members, by_draft);
	return count;
}

/* Adds the bad rows of a subject; of the cause, the one to quote first. */
static void add_subject(const struct causes *causes, const struct member *member,
                        struct weir_gate_finding *finding)
{
	const struct subject *subject = &causes->subjects[member->subject];
	size_t lead = (size_t)(subject->lead - causes->result->rows);

	add_row(causes->result, finding, lead);
	for (size_t i = 0; i < subject->count; i++)
		if (weir_row_has_finding(row_at(causes, subject->first + i)) &&
		    causes->order[subject->first + i] != lead)
			add_row(causes->result, finding, causes->order[subject->first + i]);
}

static int most_first(const void *left, const void *right)
{
	static const int rank[WEIR_OUTCOME_COUNT] = {
		[WEIR_OUTCOME_SUSPECT] = 1, [WEIR_OUTCOME_WAIVED] = 2};
	const struct weir_gate_finding *a = left, *b = right;
	int order = rank[a->outcome] - rank[b->outcome];

	if (order == 0)
		order = isnan(a->added_ns) - isnan(b->added_ns);
	if (order == 0 && a->added_ns != b->added_ns && !isnan(a->added_ns))
		order = a->added_ns > b->added_ns ? -1 : 1;
	return order ? order : strcmp(a->scope, b->scope);
}

/* Makes the finding of the subjects first..end. */
static void write_finding(struct causes *causes, const struct member *first,
                          const struct member *end)
{
	struct weir_gate_result *result = causes->result;
	struct weir_gate_finding *finding = &result->findings[result->finding_count++];
	const struct draft *draft = &causes->drafts[first->draft];
	size_t rows = 0;

	for (const struct member *at = first; at < end; at++)
		rows += causes->subjects[at->subject].count;
	*finding = (struct weir_gate_finding){
		.scope = draft->scope,
		.alike = draft->alike,
		.alike_count = draft->alike_count,
		.added_ns = draft->added_ns,
		.rows = weir_arena_alloc(result->arena, rows * sizeof *finding->rows),
	};
	for (const struct member *at = first; at < end; at++)
		add_subject(causes, at, finding);
	finding->up_to = finding->up_to > 0 ? finding->up_to : NAN;
}

static void write_findings(struct causes *causes)
{
	struct weir_gate_result *result = causes->result;
	struct member *members = weir_alloc((causes->subject_count + 1) * sizeof *members);
	size_t count = sort_members(causes, members);

	result->findings = weir_arena_alloc(result->arena,
	                                    (causes->draft_count + 1) * sizeof *result->findings);
	result->finding_count = 0;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && members[end].draft == members[i].draft;)
			end++;
		write_finding(causes, &members[i], &members[end]);
	}
	if (result->finding_count > 1)
		qsort(result->findings, result->finding_count, sizeof *result->findings,
		      most_first);
	free(members);
}

void weir_gate_find_causes(struct weir_gate_result *result)
{
	struct causes causes = {.result = result};

	for (size_t i = 0; i < result->row_count; i++)
		result->rows[i].stage_change = NAN;
	collect_subjects(&causes, sort_rows(&causes));
	causes.drafts = weir_alloc((causes.subject_count + 1) * sizeof *causes.drafts);
	relate_to_stages(&causes);
	find_alike(&causes);
	find_by_stage(&causes);
	join_ranks(&causes);
	write_findings(&causes);
	weir_gate_index_findings(result);
	free(causes.drafts);
	free(causes.subjects);
	free(causes.order);
}

void weir_gate_complete_causes(struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (weir_row_has_finding(&result->rows[i]) && !result->rows[i].finding) {
			weir_gate_find_causes(result);
			return;
		}
}
