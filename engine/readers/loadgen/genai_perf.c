/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Summaries of GenAI-Perf and AIPerf: one run of a load generator as means and percentiles, in JSON
 * or CSV. They have no samples, so they become figures of the run.
 */
#include <math.h>

#include "engine/base/jsoncursor.h"
#include "engine/readers/loadgen/genai_perf.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/jsonleaves.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

/* The first is needed, and one of the others. */
static const char *const metric_keys[] = {
	"request_latency",         "request_throughput",  "request_count", "time_to_first_token",
	"output_token_throughput", "inter_token_latency", "input_config",  NULL};

static int sniff(const char *head, size_t len)
{
	unsigned found;

	if (weir_sniff_first(head, len) != '{')
		return weir_genai_sniff_csv(head, len);
	found = weir_sniff_keys(head, len, metric_keys);
	return found & 1 && found > 1 ? weir_sniff_bits(found, metric_keys) : 0;
}

/* Under what the run was: what was asked for, by the one program and by the other. */
static const struct {
	const char *path, *label;
} labels[] = {
	{"input_config/formatted_model_name", "model"},
	{"input_config/model", "model"},
	{"input_config/backend", "backend"},
	{"input_config/endpoint_type", "endpoint_type"},
	{"input_config/concurrency", "concurrency"},
	{"input_config/request_rate", "request_rate"},
	{"input_config/streaming", "streaming"},
	{"input_config/endpoint/type", "endpoint_type"},
	{"input_config/endpoint/streaming", "streaming"},
	{"input_config/loadgen/concurrency", "concurrency"},
	{"input_config/loadgen/request_rate", "request_rate"},
	{"was_cancelled", "was_cancelled"},
};

static enum weir_status take_label(void *context, const struct weir_jsonleaf *leaf,
                                   struct weir_error *err)
{
	struct genai_summary *summary = context;

	(void)err;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		if (!weir_slice_equals(leaf->text, "false") &&
		    weir_slice_equals(weir_slice_of(leaf->path), labels[i].path))
			weir_figure_label(summary->input->run, labels[i].label, leaf->text);
	return WEIR_OK;
}

/* {"unit": "ms", "avg": 1.5, "p99": 2.0}; the unit may come last. */
static struct weir_slice find_unit(struct weir_slice object)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(object);
	struct weir_slice key, value, unit = {"", 0};

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return unit;
	while (weir_jsoncursor_key(&cursor, &key)) {
		value = weir_jsoncursor_scalar(&cursor);
		if (weir_slice_equals(key, "unit"))
			unit = value;
	}
	return unit;
}

static enum weir_status take_metric(struct genai_summary *summary,
                                    const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct genai_value value = {.metric = weir_genai_metric(item->key), .at = item->at};

	value.unit = find_unit(item->text);
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return WEIR_OK; /* null: not measured */
	while (weir_jsoncursor_key(&cursor, &value.statistic)) {
		struct weir_jsonleaf leaf = {.quoted = weir_jsoncursor_peek(&cursor) == '"'};
		bool odd = false;

		leaf.text = weir_jsoncursor_scalar(&cursor);
		if (!weir_genai_is_statistic(value.statistic))
			continue;
		value.value = weir_jsonleaf_number(&leaf, &odd);
		if (odd)
			weir_input_warn(summary->input, WEIR_WARN_BAD_NUMBER, item->at,
			                "a statistic");
		weir_genai_take(summary, &value);
	}
	if (cursor.bad)
		return weir_fail(err, WEIR_E_FORMAT, "no valid JSON in \"%.*s\"",
		                 (int)item->key.length, item->key.data);
	return WEIR_OK;
}

/* [{"error_details": {...}, "count": 3}]: the kinds of failures. */
static void take_errors(struct genai_summary *summary, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;
	double sum = 0;

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor)) {
		if (!weir_jsoncursor_enter(&cursor, '{'))
			continue;
		while (weir_jsoncursor_key(&cursor, &key)) {
			struct weir_jsonleaf leaf = {.text = weir_jsoncursor_scalar(&cursor)};

			if (weir_slice_equals(key, "count"))
				sum += fmax(0, weir_jsonleaf_number(&leaf, NULL));
		}
	}
	if (sum > 0)
		summary->failed = fmax(summary->failed, sum);
}

static enum weir_status take_member(void *context, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	struct genai_summary *summary = context;
	const struct weir_jsonleaves leaves = {.leaf = take_label, .context = summary};

	summary->input->events++;
	if (weir_genai_metric(item->key))
		return take_metric(summary, item, err);
	if (weir_slice_equals(item->key, "error_summary"))
		take_errors(summary, item);
	else if (weir_slice_equals(item->key, "input_config") ||
	         weir_slice_equals(item->key, "was_cancelled"))
		return weir_jsonleaves_walk(&leaves, item->key, item->text, item->at, err);
	return WEIR_OK;
}

static enum weir_status read_json(struct genai_summary *summary, struct weir_source *source,
                                  struct weir_error *err)
{
	const struct weir_wholejson document = {
		.member = take_member, .context = summary, .expected = "one object"};

	return weir_wholejson_read(&document, source, err);
}

static enum weir_status conclude(struct genai_summary *summary, struct weir_error *err)
{
	struct weir_input *input = summary->input;

	if (summary->requests <= 0)
		return weir_fail(
			err, WEIR_E_FORMAT,
			"no request completed, so its figures are of nothing: see what the "
			"server said, then run the benchmark again");
	if (!input->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no figure in this summary: expected request_latency, "
		                 "time_to_first_token, request_throughput or the like");
	if (summary->failed >= 1) {
		weir_input_warn(input, WEIR_WARN_FAILED_REQUEST, UINT64_MAX, NULL);
		input->warnings[WEIR_WARN_FAILED_REQUEST].count =
			(uint64_t)fmin(summary->failed, 1e15);
	}
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

static enum weir_status read_summary(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct genai_summary summary = {.input = input, .requests = NAN, .failed = NAN};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	input->run = weir_run_new();
	if (first == '{' || first == '[')
		status = read_json(&summary, source, err);
	else
		status = weir_genai_read_csv(&summary, source, err);
	return status ? status : conclude(&summary, err);
}

const struct weir_reader weir_reader_genai_perf = {
	.name = "genai_perf",
	.title = "summaries of GenAI-Perf and AIPerf (JSON, CSV)",
	.gives = "native run",
	.sniff = sniff,
	.read = read_summary,
};
