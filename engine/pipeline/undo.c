/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/undo.h"

/* The places of a fix that undoes a change take at least this part of the time that was added; a
 * report lists only the worst places. */
#define PART_OF_CHANGE 0.25
/* A fix that has at least this part of the candidate's time in places of the baseline as well is no
 * answer to the change. */
#define SAME_NEED 0.5

/* Classifies one run; NULL: it cannot be read, which the comparison has reported already. */
static struct weir_classification *classify(const struct weir_gate_request *request,
                                            const char *path)
{
	const struct weir_classify_request what = {
		.paths = &path,
		.path_count = 1,
		.input_format = request->measuring.input_format,
		.settings = request->measuring.settings,
	};
	struct weir_classification *out = NULL;
	struct weir_error err;

	return weir_classify(&what, &out, &err) ? NULL : out;
}

/* Returns the time of the places of a recommendation that belong to the row; NAN: none does. */
static double time_in_row(const struct weir_recommendation *recommendation,
                          const struct weir_row *row)
{
	const char *stage = row->kind == WEIR_SCOPE_OPERATOR ? row->stage : row->name;
	double ns = NAN;

	for (size_t i = 0; i < recommendation->place_count; i++) {
		const struct weir_fix_place *place = &recommendation->places[i];
		bool same_stage = !place->stage || !stage || strcmp(place->stage, stage) == 0;
		bool same_name = row->kind != WEIR_SCOPE_OPERATOR ||
		                 (place->op && strcmp(place->op, row->name) == 0) ||
		                 (place->kernel && strcmp(place->kernel, row->name) == 0);

		if (same_stage && same_name)
			ns = isnan(ns) ? place->ns : ns + place->ns;
	}
	return ns;
}

static double time_of_places(const struct weir_recommendation *recommendation)
{
	double ns = 0;

	for (size_t i = 0; i < recommendation->place_count; i++)
		ns += recommendation->places[i].ns;
	return ns;
}

/* True if the baseline has the same fix for about as much time. */
static bool is_needed_before(const struct weir_report *before,
                             const struct weir_recommendation *fix)
{
	for (size_t i = 0; before && i < before->recommendation_count; i++)
		if (strcmp(before->recommendations[i].id, fix->id) == 0 &&
		    time_of_places(&before->recommendations[i]) >= SAME_NEED * time_of_places(fix))
			return true;
	return false;
}

/* Returns the best fix of the candidate for the row; NULL: none. */
static const struct weir_recommendation *fix_for(const struct weir_report *after,
                                                 const struct weir_report *before,
                                                 const struct weir_row *row)
{
	for (size_t i = 0; i < after->recommendation_count; i++) {
		const struct weir_recommendation *fix = &after->recommendations[i];
		double ns = time_in_row(fix, row);

		if (fix->saving_basis && ns >= PART_OF_CHANGE * (row->candidate - row->baseline) &&
		    !is_needed_before(before, fix))
			return fix;
	}
	return NULL;
}

static bool is_work(const struct weir_row *row)
{
	return row->kind == WEIR_SCOPE_OPERATOR || row->kind == WEIR_SCOPE_STAGE ||
	       row->kind == WEIR_SCOPE_DEVICE;
}

static bool is_listed(const struct weir_gate_result *result, const char *fix)
{
	for (size_t i = 0; i < result->undo_count; i++)
		if (strcmp(result->undos[i].fix, fix) == 0)
			return true;
	return false;
}

static const char *keep(struct weir_gate_result *result, const char *text)
{
	return text ? weir_arena_copy(result->arena, text, strlen(text)) : NULL;
}

static void list_fixes(struct weir_gate_result *result, const struct weir_report *after,
                       const struct weir_report *before)
{
	result->undos = weir_arena_alloc(result->arena,
	                                 (after->recommendation_count + 1) * sizeof *result->undos);
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];
		const struct weir_recommendation *fix;

		if (row->outcome != WEIR_OUTCOME_REGRESSION || !is_work(row))
			continue;
		fix = fix_for(after, before, row);
		if (!fix || is_listed(result, fix->id))
			continue;
		result->undos[result->undo_count++] = (struct weir_undo){
			.scope = row->scope,
			.fix = keep(result, fix->id),
			.title = keep(result, fix->title),
			.how = keep(result, fix->how),
			.step_ns = fix->saving_step_ns,
			.compared = before != NULL,
		};
	}
}

void weir_name_undoing_fixes(const struct weir_gate_request *request,
                             struct weir_gate_result *result)
{
	struct weir_classification *after, *before = NULL;

	if (result->counts.regressions == 0 || request->candidate_count == 0)
		return;
	after = classify(request, request->candidate[0]);
	if (after && request->baseline_count > 0)
		before = classify(request, request->baseline[0]);
	if (after)
		list_fixes(result, weir_classification_report(after),
		           before ? weir_classification_report(before) : NULL);
	weir_classification_free(after);
	weir_classification_free(before);
}
