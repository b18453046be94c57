/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of small profiling wrappers around an engine, in three shapes that are widely
 * copied: one record per batch, percentiles of a latency, and figures by configuration. None of
 * them names its writer, so each is recognised by several keys that occur together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

/* ---- {"traces": [...]}: phases of batches as stages, everything else as figures of the run ----
 */

#define MAX_BATCHES (1u << 22) /* the store takes this number of values of one series */
/* 104 days: exact in a double; a longer time is a damaged one. */
#define MAX_STAGE_NS (INT64_C(1) << 53)

enum field {
	PREFILL, /* ns */
	DECODE,
	TOTAL,
	GENERATED, /* tokens */
	PREFILL_RATE,
	DECODE_RATE, /* tokens/s */
	MEMORY,      /* GB */
	ACTIVE,      /* % */
	BATCH_SIZE,
	FIELDS
};

#define STAGES (TOTAL + 1) /* the first fields are times */

static const char *const field_keys[FIELDS] = {
	[PREFILL] = "prefill_ms",
	[DECODE] = "decode_ms",
	[TOTAL] = "total_ms",
	[GENERATED] = "generated_tokens",
	[PREFILL_RATE] = "prefill_tokens_per_sec",
	[DECODE_RATE] = "decode_tokens_per_sec",
	[MEMORY] = "peak_memory_gb",
	[ACTIVE] = "gpu_active_pct",
	[BATCH_SIZE] = "batch_size",
};

static const char *const stages[STAGES] = {
	[PREFILL] = "prefill", [DECODE] = "decode", [TOTAL] = "total"};

/* A mean over batches, weighted by time. */
struct mean {
	double sum, weight;
};

struct batches {
	struct weir_input *input;
	struct mean prefill_rate, decode_rate, active;
	double peak_gb;                /* NAN: unknown */
	double generated, generated_s; /* of batches that state both */
	double batch_size;             /* NAN: not met yet */
	bool mixed;                    /* batch sizes differ */
	uint64_t count;
};

/* Returns NAN for 0, which wrappers write for what they could not measure. */
static double take_field(struct batches *batches, enum field field, struct weir_jsoncursor *cursor,
                         uint64_t at)
{
	bool quoted = weir_jsoncursor_peek(cursor) == '"';
	struct weir_slice text = weir_jsoncursor_scalar(cursor);
	double value;
	int64_t ns;

	if (!quoted && (weir_slice_equals(text, "null") || weir_slice_equals(text, "NaN")))
		return NAN;
	if (!quoted && text.length && field < STAGES &&
	    weir_parse_scaled(text.data, text.length, 6, &ns) && ns >= 0 && ns <= MAX_STAGE_NS)
		return ns > 0 ? (double)ns : NAN;
	if (!quoted && text.length && field >= STAGES &&
	    weir_parse_double(text.data, text.length, &value) && value >= 0)
		return value > 0 ? value : NAN;
	weir_input_warn(batches->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return NAN;
}

static void add_to_mean(struct mean *mean, double value, double weight)
{
	if (isnan(value) || isnan(weight))
		return;
	mean->sum += value * weight;
	mean->weight += weight;
}

static void note_size(struct batches *batches, double size)
{
	if (!isnan(batches->batch_size) && !(size == batches->batch_size))
		batches->mixed = true;
	batches->batch_size = isnan(size) ? batches->batch_size : size;
}

static void add_batch(struct batches *batches, const double value[FIELDS])
{
	struct weir_run *run = batches->input->run;

	for (int i = 0; i < STAGES; i++)
		if (!isnan(value[i]))
			weir_series_push(weir_series_get(&run->stages, stages[i]), value[i]);
	add_to_mean(&batches->prefill_rate, value[PREFILL_RATE], value[PREFILL]);
	add_to_mean(&batches->decode_rate, value[DECODE_RATE], value[DECODE]);
	/* Device time over wall time: values above 100 % come from the skew of two timers. */
	add_to_mean(&batches->active, isnan(value[ACTIVE]) ? NAN : fmin(value[ACTIVE], 100),
	            value[TOTAL]);
	batches->peak_gb = fmax(batches->peak_gb, value[MEMORY]); /* ignores NAN */
	if (!isnan(value[GENERATED]) && !isnan(value[TOTAL])) {
		batches->generated += value[GENERATED];
		batches->generated_s += value[TOTAL] / 1e9;
	}
	note_size(batches, value[BATCH_SIZE]);
	batches->count++;
}

/* Returns false, without an effect, if the record is not valid JSON. */
static bool take_batch(struct batches *batches, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	double value[FIELDS];
	struct weir_slice key;

	for (int i = 0; i < FIELDS; i++)
		value[i] = NAN;
	if (!weir_jsoncursor_enter(&cursor, '{')) {
		weir_input_warn(batches->input, WEIR_WARN_SKIPPED_EVENT, item->at, NULL);
		return true;
	}
	while (weir_jsoncursor_key(&cursor, &key)) {
		int field = 0;

		while (field < FIELDS && !weir_slice_equals(key, field_keys[field]))
			field++;
		if (field == FIELDS)
			weir_jsoncursor_take(&cursor);
		else
			value[field] = take_field(batches, (enum field)field, &cursor, item->at);
	}
	if (cursor.bad)
		return false;
	add_batch(batches, value);
	return true;
}

/* Takes a label of the whole report. */
static void take_label(struct batches *batches, const struct weir_jsonscan_item *item)
{
	static const char *const labels[][2] = {
		{"model", "model"},    {"model_name", "model"}, {"model_id", "model"},
		{"engine", "backend"}, {"backend", "backend"},  {"dtype", "dtype"},
		{"gpu", "gpu"},        {"gpu_name", "gpu"},     {"device_name", "gpu"},
	};
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);

	if (item->text.data[0] != '"')
		return;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (weir_slice_equals(item->key, labels[i][0])) {
			weir_figure_label(batches->input->run, labels[i][1],
			                  weir_jsoncursor_text(&cursor));
			return;
		}
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct batches *batches = context;

	if (item->kind == WEIR_JSONSCAN_MEMBER)
		take_label(batches, item);
	else if (batches->count == MAX_BATCHES)
		return weir_fail(err, WEIR_E_LIMIT, "traces: more than %u batches", MAX_BATCHES);
	else if (!take_batch(batches, item))
		weir_jsonscan_reject(scan);
	return WEIR_OK;
}

static double mean_of(const struct mean *mean)
{
	return mean->weight > 0 ? mean->sum / mean->weight : NAN;
}

/* Does not use the totals and means in "summary", which are computed from the batches. */
static enum weir_status conclude_batches(struct batches *batches, struct weir_error *err)
{
	struct weir_run *run = batches->input->run;
	struct weir_text size = {0};

	if (!run->stages.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no timing in this report: expected batches with prefill_ms, "
		                 "decode_ms or total_ms above 0");
	weir_figure_add(run, "prefill_tokens_per_sec", "tokens/s", true,
	                mean_of(&batches->prefill_rate));
	weir_figure_add(run, "decode_tokens_per_sec", "tokens/s", true,
	                mean_of(&batches->decode_rate));
	weir_figure_add(run, "output_throughput", "tokens/s", true,
	                batches->generated_s > 0 ? batches->generated / batches->generated_s : NAN);
	weir_figure_add(run, "gpu_active_pct", "%", true, mean_of(&batches->active));
	weir_figure_add(run, "peak_memory_gb", "GB", false, batches->peak_gb);
	if (!batches->mixed && !isnan(batches->batch_size)) {
		weir_text_printf(&size, "%.0f", batches->batch_size);
		weir_run_set_label(run, "batch_size", size.data);
		weir_text_release(&size);
	}
	batches->input->events = batches->count;
	return WEIR_OK;
}

static enum weir_status read_batches(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {.array = "traces"};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	struct batches batches = {.input = input, .peak_gb = NAN, .batch_size = NAN};
	enum weir_status status;

	input->run = weir_run_new();
	status = weir_jsonscan_each(scan, take_item, &batches, err);
	if (!status) {
		weir_damage_of_scan(input, scan, source);
		status = conclude_batches(&batches, err);
	}
	weir_jsonscan_free(scan);
	return status;
}

/* ---- {"p50_ms": ..., "mean_ms": ...}: percentiles of one latency, without its samples ---- */

/* A spread is neither better nor worse, and extremes are single iterations. */
static const struct weir_client_row latency_rows[] = {
	WEIR_CLIENT_NUMBER(latency.mean, "mean_ms"),
	WEIR_CLIENT_NUMBER(latency.median, "p50_ms"),
	WEIR_CLIENT_NUMBER(latency.p75, "p75_ms"),
	WEIR_CLIENT_NUMBER(latency.p90, "p90_ms"),
	WEIR_CLIENT_NUMBER(latency.p95, "p95_ms"),
	WEIR_CLIENT_NUMBER(latency.p99, "p99_ms"),
	{0},
};

static const struct weir_client_label latency_labels[] = {{"num_iterations", "num_iterations"},
                                                          {0}};

static enum weir_status read_latency(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	static const struct weir_client_report report = {
		.rows = latency_rows,
		.labels = latency_labels,
		.expected = "numbers above 0 as mean_ms, p50_ms, p99_ms",
	};

	return weir_client_report_read(&report, source, input, err);
}

/* ---- {CONFIG: {"metrics": {NAME: VALUE}, "timestamp": ISO}}: figures by configuration ---- */

#define MAX_CONFIGURATION 128 /* bytes of its name */

struct configurations {
	struct weir_input *input;
	struct weir_text prefix; /* "CONFIG/" of the configuration that is read */
	struct weir_text date;   /* of the configuration read last */
	size_t count;
};

static enum weir_status take_figure(void *context, const struct weir_jsonleaf *leaf,
                                    struct weir_error *err)
{
	struct configurations *all = context;
	struct weir_run *run = all->input->run;
	const char *metric =
		strncmp(leaf->path, "metrics/", 8) == 0 ? leaf->path + strlen("metrics/") : NULL;
	struct weir_text name = {0};
	bool odd = false;
	double value;

	if (strcmp(leaf->path, "timestamp") == 0) {
		weir_text_clear(&all->date);
		weir_text_add(&all->date, leaf->text.data, leaf->text.length);
	}
	if (!metric || !*metric || leaf->quoted)
		return WEIR_OK;
	if (run->metrics.count == WEIR_FIGURE_MAX)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d figures", WEIR_FIGURE_MAX);
	value = weir_jsonleaf_number(leaf, &odd);
	if (odd)
		weir_input_warn(all->input, WEIR_WARN_BAD_NUMBER, leaf->at, NULL);
	weir_text_printf(&name, "%s%s", all->prefix.data, metric);
	weir_figure_add(run, name.data, weir_figure_unit(metric),
	                weir_figure_higher_is_better(metric), value);
	weir_text_release(&name);
	return WEIR_OK;
}

static enum weir_status take_configuration(void *context, const struct weir_jsonscan_item *item,
                                           struct weir_error *err)
{
	struct configurations *all = context;
	const struct weir_jsonleaves leaves = {.leaf = take_figure, .context = all};
	struct weir_text scratch = {0};
	struct weir_slice name = weir_jsoncursor_decode(item->key, &scratch, NULL);
	enum weir_status status = WEIR_OK;

	if (item->text.data[0] != '{' || !name.length || name.length > MAX_CONFIGURATION) {
		weir_input_warn(all->input, WEIR_WARN_SKIPPED_EVENT, item->at, NULL);
	} else {
		all->count++;
		weir_text_clear(&all->prefix);
		weir_text_add(&all->prefix, name.data, name.length);
		weir_text_puts(&all->prefix, "/");
		status = weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, item->text, item->at,
		                              err);
		if (status)
			status = weir_fail_in(err, "%s", all->prefix.data);
	}
	weir_text_release(&scratch);
	return status;
}

/* Turns the prefix of the only configuration into a label. */
static void drop_prefix(struct configurations *all)
{
	struct weir_run *run = all->input->run;
	size_t length = all->prefix.length;

	for (size_t i = 0; i < run->metrics.count; i++) {
		char *name = run->metrics.items[i].name;

		memmove(name, name + length, strlen(name + length) + 1);
	}
	weir_series_index(&run->metrics);
	all->prefix.data[length - 1] = '\0';
	weir_run_set_label(run, "config", all->prefix.data);
	weir_figure_label(run, "date", (struct weir_slice){all->date.data, all->date.length});
}

/* Reads a file of configurations as one run: one run wrote it. Figures are named "CONFIG/NAME". */
static enum weir_status read_configurations(struct weir_source *source, struct weir_input *input,
                                            struct weir_error *err)
{
	struct configurations all = {.input = input};
	const struct weir_wholejson document = {.member = take_configuration,
	                                        .context = &all,
	                                        .expected = "one object per configuration"};
	enum weir_status status;

	input->run = weir_run_new();
	status = weir_wholejson_read(&document, source, err);
	if (!status && !input->run->metrics.count)
		status = weir_fail(err, WEIR_E_EMPTY, "no figure in this report is a number");
	if (!status && all.count == 1)
		drop_prefix(&all);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	weir_text_release(&all.prefix);
	weir_text_release(&all.date);
	return status;
}

/* ---- the reader ---- */

enum { BATCHES, LATENCY };

static const struct weir_mark marks[] = {
	[BATCHES] = {.first = "{",
                     .keys = {{"traces"}, .all = 1},
                     .within = "traces",
                     .inside = {{"prefill_ms", "decode_ms", "total_ms", "generated_tokens",
                                 "prompt_tokens"},
                                .all = 3}},
	[LATENCY] = {.first = "{",
                     .keys = {{"p50_ms", "p99_ms", "mean_ms", "p90_ms", "p95_ms", "min_ms",
                               "max_ms", "std_ms", "num_iterations"},
                              .all = 3}},
	{0},
};

/* The outermost keys are names that people chose; only those inside the first one are known. */
static int sniff_configurations(const char *head, size_t len)
{
	static const char *const schema[] = {"schema", NULL};
	static const char *const keys[] = {"metrics", "timestamp", NULL};
	size_t left = 0, rest = 0;
	const char *first = weir_sniff_member(head, len, NULL, &left), *metrics;

	if (!first || *first != '{' || weir_sniff_keys(head, len, schema) ||
	    weir_sniff_keys(first, left, keys) != 3)
		return 0;
	metrics = weir_sniff_member(first, left, keys[0], &rest);
	return metrics && *metrics == '{' ? weir_sniff_bits(3, keys) : 0;
}

static enum weir_status read_wrapper(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (weir_mark_bits(&marks[BATCHES], head, len))
		return read_batches(source, input, err);
	if (weir_mark_bits(&marks[LATENCY], head, len))
		return read_latency(source, input, err);
	if (sniff_configurations(head, len))
		return read_configurations(source, input, err);
	return weir_fail(
		err, WEIR_E_FORMAT,
		"not a wrapper's report: expected \"traces\" with prefill_ms, decode_ms and "
		"total_ms, or p50_ms, p99_ms and mean_ms, or \"metrics\" and \"timestamp\" "
		"by configuration");
}

const struct weir_reader weir_reader_wrapper = {
	.name = "wrapper",
	.title = "reports of profiling wrappers: batches, a latency's percentiles, figures by "
		 "configuration",
	.gives = "native run",
	.marks = marks,
	.sniff = sniff_configurations,
	.read = read_wrapper,
};
