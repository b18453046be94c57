/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SARIF 2.1.0 for code scanning: one result for each row that failed, is suspected or could not be
 * judged. Fingerprints consist of scope and metric, so that a finding keeps its history.
 */
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/report/gate/gate_figures.h"
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

static void print_fingerprint(const struct weir_row *row, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_escape_name(&plain, row->scope);
	weir_cut(out, plain.data, KEY_COLUMNS);
	weir_text_printf(out, ":%s", weir_metric_name(row->metric));
	weir_text_release(&plain);
}

static void print_message(const struct weir_row *row, enum rule rule, struct weir_text *out)
{
	if (rule == RULE_COVERAGE) {
		weir_gate_say(row, "{row} is in the baseline but not in the candidate", out);
		return;
	}
	weir_gate_phrase_row(row, out);
	weir_gate_say(row, ", margin {margin}", out);
}

static void put_row(struct weir_jsonout *json, const struct weir_row *row, enum rule rule)
{
	struct weir_text message = {0}, fingerprint = {0};
	bool minor = rule == RULE_COVERAGE && row->kind == WEIR_SCOPE_OPERATOR;

	print_message(row, rule, &message);
	print_fingerprint(row, &fingerprint);
	put_result(json, rule, minor ? "note" : rules[rule].level, message.data, fingerprint.data);
	weir_text_release(&message);
	weir_text_release(&fingerprint);
}

/* Returns the rule of a row; RULE_COUNT: nothing to report. */
static enum rule rule_of(const struct weir_row *row)
{
	switch (row->outcome) {
	case WEIR_OUTCOME_REGRESSION:
		return RULE_REGRESSION;
	case WEIR_OUTCOME_SUSPECT:
		return RULE_SUSPECT;
	case WEIR_OUTCOME_MISSING:
		return RULE_COVERAGE;
	case WEIR_OUTCOME_IMPROVEMENT:
	case WEIR_OUTCOME_NO_CHANGE:
	case WEIR_OUTCOME_INCONCLUSIVE:
	case WEIR_OUTCOME_INFORMATIONAL:
	case WEIR_OUTCOME_NEW:
	case WEIR_OUTCOME_MOVED:
	case WEIR_OUTCOME_WAIVED:
	case WEIR_OUTCOME_COUNT:
		break;
	}
	return RULE_COUNT;
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
	for (size_t i = 0; i < result->row_count && count < MOST_RESULTS; i++) {
		enum rule rule = rule_of(&result->rows[i]);

		if (rule == RULE_COUNT)
			continue;
		put_row(json, &result->rows[i], rule);
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
