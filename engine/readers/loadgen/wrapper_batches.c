/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One record a profiled batch: its phases as stages of a run, the rest as per-run figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/readers/loadgen/wrapper.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"

#define MAX_STAGE_NS (INT64_C(1) << 53) /* 104 days: exact in a double, and no time of a batch */

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

#define STAGES (TOTAL + 1) /* the fields that are times come first */

static const char *const keys[FIELDS] = {
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

/* A mean of what batches state, by the time that it is about. */
struct mean {
	double sum, weight;
};

struct batches {
	struct weir_input *input;
	struct mean prefill_rate, decode_rate, active;
	double peak_gb;                /* NAN: unknown */
	double generated, generated_s; /* of batches that say both */
	double batch_size;             /* NAN: none so far */
	bool mixed;                    /* batches of several sizes */
	uint64_t count;
};

/* 0 is what a wrapper writes for what it could not measure; NAN here. */
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
	/* Device time over wall time: more than all of it is the skew of two timers. */
	add_to_mean(&batches->active, isnan(value[ACTIVE]) ? NAN : fmin(value[ACTIVE], 100),
	            value[TOTAL]);
	batches->peak_gb = fmax(batches->peak_gb, value[MEMORY]); /* passes over NAN */
	if (!isnan(value[GENERATED]) && !isnan(value[TOTAL])) {
		batches->generated += value[GENERATED];
		batches->generated_s += value[TOTAL] / 1e9;
	}
	note_size(batches, value[BATCH_SIZE]);
	batches->count++;
}

/* False where the record is no JSON: nothing of it is taken. */
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

		while (field < FIELDS && !weir_slice_equals(key, keys[field]))
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

/* What describes the whole report, where its writer says it. */
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
	else if (batches->count == WRAPPER_MAX_BATCHES)
		return weir_fail(err, WEIR_E_LIMIT, "traces: more than %u batches",
		                 WRAPPER_MAX_BATCHES);
	else if (!take_batch(batches, item))
		weir_jsonscan_reject(scan);
	return WEIR_OK;
}

static double mean_of(const struct mean *mean)
{
	return mean->weight > 0 ? mean->sum / mean->weight : NAN;
}

/* Totals and means in "summary" are not read: they are computed from the batches. */
static enum weir_status conclude(struct batches *batches, struct weir_error *err)
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

enum weir_status weir_wrapper_batches(struct weir_source *source, struct weir_input *input,
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
		status = conclude(&batches, err);
	}
	weir_jsonscan_free(scan);
	return status;
}
