/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weir.gate/1: for programs, and for gate_read.c, which makes the same result of it. Keys in the
 * order of the contract; what the contract does not name stands at the end of its object. Figures
 * keep all their digits, so that a report made from the file reads as the one made at once.
 */
#include "engine/base/jsonout.h"
#include "engine/report/gate_writer.h"

static void put_labels(struct weir_jsonout *json, const struct weir_side *side)
{
	weir_jsonout_begin_object(json, "labels");
	for (size_t i = 0; i < side->label_count; i++)
		weir_jsonout_text(json, side->labels[i].key, side->labels[i].value);
	weir_jsonout_end(json);
}

static void put_baseline(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	weir_jsonout_begin_object(json, "baseline");
	weir_jsonout_text(json, "name", result->baseline_name);
	weir_jsonout_int(json, "runs", (int64_t)result->baseline.runs);
	put_labels(json, &result->baseline);
	weir_jsonout_begin_array_inline(json, "recorded");
	weir_jsonout_text(json, NULL, result->recorded_first);
	weir_jsonout_text(json, NULL, result->recorded_last);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

static void put_candidate(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	weir_jsonout_begin_object(json, "candidate");
	weir_jsonout_int(json, "runs", (int64_t)result->candidate.runs);
	put_labels(json, &result->candidate);
	weir_jsonout_end(json);
}

static void put_environment(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	weir_jsonout_begin_object(json, "environment");
	weir_jsonout_bool(json, "match", result->environment_match);
	weir_jsonout_begin_array(json, "differences");
	for (size_t i = 0; i < result->difference_count; i++) {
		const struct weir_difference *difference = &result->differences[i];
		bool must = difference->policy == WEIR_ENVIRONMENT_MUST;

		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "key", difference->key);
		weir_jsonout_text(json, "baseline", difference->baseline);
		weir_jsonout_text(json, "candidate", difference->candidate);
		weir_jsonout_text(json, "policy", must ? "must" : "warn");
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

static void put_counts(struct weir_jsonout *json, const struct weir_gate_counts *counts)
{
	weir_jsonout_begin_object(json, "counts");
	weir_jsonout_int(json, "judged", (int64_t)counts->judged);
	weir_jsonout_int(json, "regressions", (int64_t)counts->regressions);
	weir_jsonout_int(json, "improvements", (int64_t)counts->improvements);
	weir_jsonout_int(json, "no_change", (int64_t)counts->no_change);
	weir_jsonout_int(json, "inconclusive", (int64_t)counts->inconclusive);
	weir_jsonout_int(json, "informational", (int64_t)counts->informational);
	weir_jsonout_int(json, "waived", (int64_t)counts->waived);
	weir_jsonout_int(json, "missing", (int64_t)counts->missing);
	weir_jsonout_int(json, "new", (int64_t)counts->added);
	weir_jsonout_int(json, "suspect", (int64_t)counts->suspect);
	weir_jsonout_int(json, "moved", (int64_t)counts->moved);
	weir_jsonout_end(json);
}

static void put_pair(struct weir_jsonout *json, const char *key, double first, double second)
{
	weir_jsonout_begin_array_inline(json, key);
	weir_jsonout_double(json, NULL, first);
	weir_jsonout_double(json, NULL, second);
	weir_jsonout_end(json);
}

static void put_waiver(struct weir_jsonout *json, const struct weir_waiver *waiver)
{
	if (!waiver) {
		weir_jsonout_null(json, "waiver");
		return;
	}
	weir_jsonout_begin_object_inline(json, "waiver");
	weir_jsonout_double(json, "up_to", waiver->up_to);
	weir_jsonout_text(json, "reason", waiver->reason);
	weir_jsonout_text(json, "issue", waiver->issue);
	weir_jsonout_text(json, "expires", waiver->expires);
	weir_jsonout_bool(json, "expired", waiver->expired);
	weir_jsonout_bool(json, "exceeded", waiver->exceeded);
	weir_jsonout_end(json);
}

static void put_row(struct weir_jsonout *json, const struct weir_row *row)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "scope", row->scope);
	weir_jsonout_text(json, "metric", weir_metric_name(row->metric));
	weir_jsonout_double(json, "baseline", row->baseline);
	weir_jsonout_double(json, "candidate", row->candidate);
	weir_jsonout_text(json, "unit", row->unit);
	weir_jsonout_double(json, "change", row->change);
	put_pair(json, "ci90", row->low, row->high);
	weir_jsonout_double(json, "p", row->p);
	weir_jsonout_double(json, "p_adjusted", row->p_adjusted);
	weir_jsonout_double(json, "margin", row->margin);
	weir_jsonout_text(json, "outcome", weir_outcome_name(row->outcome));
	weir_jsonout_double(json, "mde", row->mde);
	weir_jsonout_double(json, "runs_needed", row->runs_needed);
	weir_jsonout_begin_array_inline(json, "samples");
	weir_jsonout_int(json, NULL, (int64_t)row->baseline_samples);
	weir_jsonout_int(json, NULL, (int64_t)row->candidate_samples);
	weir_jsonout_end(json);
	put_waiver(json, row->waiver);
	weir_jsonout_text(json, "note", row->note);
	weir_jsonout_text(json, "stage", row->stage);
	weir_jsonout_text(json, "name", row->name);
	weir_jsonout_double(json, "contributed_ns", row->contributed_ns);
	put_pair(json, "calls", row->baseline_calls, row->candidate_calls);
	weir_jsonout_end(json);
}

static void put_bound(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	bool before = result->has_baseline_bound, after = result->has_candidate_bound;

	weir_jsonout_begin_object(json, "bound");
	weir_jsonout_text(json, "baseline",
	                  before ? weir_bound_name(result->baseline_bound) : NULL);
	weir_jsonout_text(json, "candidate",
	                  after ? weir_bound_name(result->candidate_bound) : NULL);
	weir_jsonout_bool(json, "moved",
	                  before && after && result->baseline_bound != result->candidate_bound);
	weir_jsonout_text(json, "stage", result->bound_stage);
	weir_jsonout_begin_array_inline(json, "cause");
	weir_jsonout_text(json, NULL, result->baseline_cause);
	weir_jsonout_text(json, NULL, result->candidate_cause);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

static void put_contributions(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	weir_jsonout_begin_array(json, "contributions");
	for (size_t i = 0; i < result->contribution_count; i++) {
		const struct weir_contribution *part = &result->contributions[i];

		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "stage", part->stage);
		weir_jsonout_text(json, "operator", part->operator);
		weir_jsonout_double(json, "delta_ns", part->delta_ns);
		put_pair(json, "calls", part->baseline_calls, part->candidate_calls);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void put_verdict(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	weir_jsonout_text(json, "schema", "weir.gate/1");
	weir_jsonout_text(json, "weir", WEIR_VERSION);
	weir_jsonout_text(json, "verdict", weir_gate_verdict_name(result->verdict));
	weir_jsonout_int(json, "exit", result->exit_code);
	weir_jsonout_begin_array_inline(json, "codes");
	for (size_t i = 0; i < result->code_count; i++)
		weir_jsonout_int(json, NULL, result->codes[i]);
	weir_jsonout_end(json);
	weir_jsonout_text(json, "method", weir_method_name(result->method));
	weir_jsonout_begin_object_inline(json, "alpha");
	weir_jsonout_double(json, "operators", result->alpha_operators);
	weir_jsonout_double(json, "stages", result->alpha_stages);
	weir_jsonout_end(json);
}

static void write_json(const struct weir_gate_result *result,
                       const struct weir_gate_write_options *options, struct weir_text *out)
{
	struct weir_jsonout json;

	(void)options; /* programs get everything */
	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_object(&json, NULL);
	put_verdict(&json, result);
	put_baseline(&json, result);
	put_candidate(&json, result);
	put_environment(&json, result);
	put_counts(&json, &result->counts);
	weir_jsonout_begin_array(&json, "rows");
	for (size_t i = 0; i < result->row_count; i++)
		put_row(&json, &result->rows[i]);
	weir_jsonout_end(&json);
	put_bound(&json, result);
	put_contributions(&json, result);
	weir_jsonout_begin_array(&json, "remarks");
	for (size_t i = 0; i < result->remark_count; i++)
		weir_jsonout_text(&json, NULL, result->remarks[i]);
	weir_jsonout_end(&json);
	weir_jsonout_text(&json, "since", result->since);
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}

const struct weir_gate_writer weir_gate_writer_json = {
	.name = "json",
	.suffix = ".json",
	.title = "weir.gate/1, for programs",
	.write = write_json,
};
