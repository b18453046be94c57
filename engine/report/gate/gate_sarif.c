/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SARIF 2.1.0 for code scanning: one result for each finding that failed or is suspected, and for
 * each row that could not be judged. The fingerprint of a finding is the scope of its cause, so
 * that it keeps its history.
 */
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
#include "engine/report/gate/gate_phrases.h"
#include "engine/report/plain/escape.h"
#include "engine/report/writer.h"

#define MOST_RESULTS 5000 /* more results are left out */
#define KEY_COLUMNS  1000

enum rule {
	RULE_REGRESSION,
	RULE_SUSPECT,
	RULE_COVERAGE,
	RULE_ENVIRONMENT,
	RULE_NO_BASELINE,
	RULE_COUNT
};

static const struct {
	const char *id, *name, *text, *level;
} rules[] = {
	[RULE_REGRESSION] = {"WEIR001", "PerformanceRegression",
                             "Slower than the baseline by more than the margin and the noise",
                             "error"},
	[RULE_SUSPECT] = {"WEIR002", "SuspectedRegression",
                          "Looks slower, with too few runs to prove it", "warning"},
	[RULE_COVERAGE] = {"WEIR003", "MissingMeasurement",
                           "Measured in the baseline, gone from the candidate", "error"},
	[RULE_ENVIRONMENT] = {"WEIR004", "DifferentEnvironment",
                              "Baseline and candidate come from different machines", "error"},
	[RULE_NO_BASELINE] = {"WEIR005", "NoBaseline", "There is no baseline run to compare with",
                              "error"},
};

static void put_text_object(struct weir_jsonout *json, const char *key, const char *text)
{
	weir_jsonout_begin_object_inline(json, key);
	weir_jsonout_text(json, "text", text);
	weir_jsonout_end(json);
}

static void put_driver(struct weir_jsonout *json)
{
	weir_jsonout_begin_object(json, "tool");
	weir_jsonout_begin_object(json, "driver");
	weir_jsonout_text(json, "name", "weir");
	weir_jsonout_text(json, "version", WEIR_VERSION);
	weir_jsonout_begin_array(json, "rules");
	for (size_t i = 0; i < RULE_COUNT; i++) {
		weir_jsonout_begin_object(json, NULL);
		weir_jsonout_text(json, "id", rules[i].id);
		weir_jsonout_text(json, "name", rules[i].name);
		put_text_object(json, "shortDescription", rules[i].text);
		weir_jsonout_begin_object_inline(json, "defaultConfiguration");
		weir_jsonout_text(json, "level", rules[i].level);
		weir_jsonout_end(json);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

/* Writes the location of a result: the configuration, which holds margins and waivers. */
static void put_location(struct weir_jsonout *json)
{
	weir_jsonout_begin_array_inline(json, "locations");
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_begin_object(json, "physicalLocation");
	weir_jsonout_begin_object(json, "artifactLocation");
	weir_jsonout_text(json, "uri", "weir.json");
	weir_jsonout_end(json);
	weir_jsonout_begin_object(json, "region");
	weir_jsonout_int(json, "startLine", 1);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

static void put_result(struct weir_jsonout *json, enum rule rule, const char *level,
                       const char *message, const char *fingerprint)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "ruleId", rules[rule].id);
	weir_jsonout_int(json, "ruleIndex", (int64_t)rule);
	weir_jsonout_text(json, "level", level);
	put_text_object(json, "message", message);
	put_location(json);
	weir_jsonout_begin_object_inline(json, "partialFingerprints");
	weir_jsonout_text(json, "weir/v1", fingerprint);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

static void print_fingerprint(const char *scope, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_escape_name(&plain, scope);
	weir_cut(out, plain.data, KEY_COLUMNS);
	weir_text_release(&plain);
}

static void put_finding(struct weir_jsonout *json, const struct weir_gate_result *result,
                        const struct weir_gate_finding *finding)
{
	enum rule rule =
		finding->outcome == WEIR_OUTCOME_REGRESSION ? RULE_REGRESSION : RULE_SUSPECT;
	struct weir_text message = {0}, fingerprint = {0};

	weir_gate_phrase_finding(result, finding, &message);
	weir_gate_say(weir_gate_lead(result, finding), ", margin {margin}", &message);
	print_fingerprint(finding->scope, &fingerprint);
	put_result(json, rule, rules[rule].level, message.data, fingerprint.data);
	weir_text_release(&message);
	weir_text_release(&fingerprint);
}

static void put_missing(struct weir_jsonout *json, const struct weir_row *row)
{
	struct weir_text message = {0}, fingerprint = {0};

	weir_gate_say(row, "{row} is in the baseline but not in the candidate", &message);
	print_fingerprint(row->scope, &fingerprint);
	put_result(json, RULE_COVERAGE,
	           row->kind == WEIR_SCOPE_OPERATOR ? "note" : rules[RULE_COVERAGE].level,
	           message.data, fingerprint.data);
	weir_text_release(&message);
	weir_text_release(&fingerprint);
}

/* Writes a verdict that does not come from a row. */
static void put_verdict(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	enum rule rule = result->verdict == WEIR_GATE_ENVIRONMENT   ? RULE_ENVIRONMENT
	                 : result->verdict == WEIR_GATE_NO_BASELINE ? RULE_NO_BASELINE
	                 : result->verdict == WEIR_GATE_COVERAGE &&
	                                 !weir_gate_first(result, WEIR_OUTCOME_MISSING)
	                         ? RULE_COVERAGE
	                         : RULE_COUNT;
	struct weir_text message = {0}, fingerprint = {0};

	if (rule == RULE_COUNT)
		return;
	weir_gate_phrase_headline(result, &message);
	weir_text_printf(&fingerprint, "verdict:%s", weir_gate_verdict_name(result->verdict));
	put_result(json, rule, rules[rule].level, message.data, fingerprint.data);
	weir_text_release(&message);
	weir_text_release(&fingerprint);
}

static void put_results(struct weir_jsonout *json, const struct weir_gate_result *result)
{
	size_t count = 0;

	weir_jsonout_begin_array(json, "results");
	put_verdict(json, result);
	for (size_t i = 0; i < result->finding_count && count < MOST_RESULTS; i++) {
		const struct weir_gate_finding *finding = &result->findings[i];

		if (finding->outcome == WEIR_OUTCOME_WAIVED)
			continue;
		put_finding(json, result, finding);
		count++;
	}
	for (size_t i = 0; i < result->row_count && count < MOST_RESULTS; i++) {
		if (result->rows[i].outcome != WEIR_OUTCOME_MISSING)
			continue;
		put_missing(json, &result->rows[i]);
		count++;
	}
	weir_jsonout_end(json);
}

void weir_write_sarif(const struct weir_gate_result *result,
                      const struct weir_write_options *options, struct weir_text *out)
{
	struct weir_jsonout json;

	(void)options;
	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	weir_jsonout_text(&json, "version", "2.1.0");
	weir_jsonout_begin_array(&json, "runs");
	weir_jsonout_begin_object(&json, NULL);
	put_driver(&json);
	put_results(&json, result);
	weir_jsonout_end(&json);
	weir_jsonout_end(&json);
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}
