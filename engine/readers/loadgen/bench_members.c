/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of a benchmark's result object: labels, figures over all requests, lists. */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/readers/loadgen/bench.h"

void weir_bench_odd(struct bench_reader *reader, uint64_t at)
{
	weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, at, NULL);
}

/* NAN where it is not known: null, NaN, Infinity, or no number at all, which is counted. */
static double number_of(struct bench_reader *reader, struct weir_slice text, uint64_t at)
{
	static const char *const unknown[] = {"null", "NaN", "Infinity", "-Infinity", NULL};
	double value;

	for (size_t i = 0; unknown[i]; i++)
		if (weir_slice_equals(text, unknown[i]))
			return NAN;
	if (text.length && weir_parse_double(text.data, text.length, &value))
		return value;
	weir_bench_odd(reader, at);
	return NAN;
}

struct member {
	const char *key;
	enum weir_status (*take)(struct bench_reader *reader, const struct member *member,
	                         const struct weir_jsonscan_item *item, struct weir_error *err);
	const char *name; /* of the label or metric; NULL: the key */
	const char *unit;
	enum bench_list_id list;
	size_t slot; /* of a total, in the reader */
};

/* A run in which nothing completed has rates of 0, and so has what an endpoint does not do: neither
 * is a measurement. */
static enum weir_status take_rate(struct bench_reader *reader, const struct member *member,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	const char *name = member->name ? member->name : member->key;
	double value = number_of(reader, item->text, item->at);
	struct weir_series *series;

	if (!(value > 0))
		return WEIR_OK;
	if (weir_series_find(&reader->run->metrics, name))
		return weir_fail(err, WEIR_E_FORMAT, "given twice");
	series = weir_series_get(&reader->run->metrics, name);
	series->higher_is_better = true;
	series->unit = weir_alloc_text(member->unit);
	weir_series_push(series, value);
	return WEIR_OK;
}

/* What is about the whole run and no figure of it. */
static enum weir_status take_total(struct bench_reader *reader, const struct member *member,
                                   const struct weir_jsonscan_item *item, struct weir_error *err)
{
	double *total = (double *)(void *)((char *)reader + member->slot);

	(void)err;
	*total = number_of(reader, item->text, item->at);
	return WEIR_OK;
}

static enum weir_status take_list(struct bench_reader *reader, const struct member *member,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	return weir_bench_list(reader, member->list, item, err);
}

/* Texts and numbers alike; what is longer than a label says nothing to people. */
static void add_label(struct bench_reader *reader, const char *key, struct weir_slice raw)
{
	struct weir_text scratch = {0}, value = {0};
	struct weir_slice text = weir_jsoncursor_decode(raw, &scratch, NULL);

	weir_text_add(&value, text.data, text.length);
	if (value.length && value.length <= BENCH_LABEL_TEXT &&
	    (reader->run->label_count < BENCH_MAX_LABELS || weir_run_label(reader->run, key)))
		weir_run_set_label(reader->run, key, value.data);
	weir_text_release(&scratch);
	weir_text_release(&value);
}

static enum weir_status take_label(struct bench_reader *reader, const struct member *member,
                                   const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice value = weir_jsoncursor_scalar(&cursor);

	(void)err;
	/* One engine writes the text "inf" where the other writes the number. */
	if (weir_slice_equals(item->text, "Infinity"))
		value = weir_slice_of("inf");
	if (!weir_slice_equals(item->text, "null") && !weir_slice_equals(item->text, "NaN"))
		add_label(reader, member->name ? member->name : member->key, value);
	return WEIR_OK;
}

/* A label and a total: a number, one as text (--metadata), or "inf", which asks for no rate. */
static enum weir_status take_load(struct bench_reader *reader, const struct member *member,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice value = weir_jsoncursor_scalar(&cursor);
	double rate;

	if (value.length && weir_parse_double(value.data, value.length, &rate))
		reader->requested_per_s = rate;
	return take_label(reader, member, item, err);
}

/* Arguments of the server that was asked: too many to keep, but the model is among them. */
static enum weir_status take_server(struct bench_reader *reader, const struct member *member,
                                    const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	(void)member;
	(void)err;
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return WEIR_OK;
	while (weir_jsoncursor_key(&cursor, &key)) {
		bool quoted = weir_jsoncursor_peek(&cursor) == '"';
		struct weir_slice value = weir_jsoncursor_take(&cursor);

		if (quoted && weir_slice_equals(key, "model_path") &&
		    !weir_run_label(reader->run, "model"))
			add_label(reader, "model", value);
	}
	return WEIR_OK;
}

static enum weir_status add_scalar(struct bench_reader *reader, struct weir_slice name,
                                   const struct bench_scalar *about, struct weir_error *err)
{
	struct bench_scalar *scalar = &reader->scalars[reader->scalar_count];

	/* 0 is what these programs write where there was nothing to take a mean of. */
	if (!(about->value > 0))
		return WEIR_OK;
	for (size_t i = 0; i < reader->scalar_count; i++)
		if (weir_slice_equals(name, reader->scalars[i].name))
			return weir_fail(err, WEIR_E_FORMAT, "given twice");
	if (reader->scalar_count == BENCH_MAX_SCALARS)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d means and percentiles",
		                 BENCH_MAX_SCALARS);
	*scalar = *about;
	memcpy(scalar->name, name.data, name.length);
	scalar->name[name.length] = '\0';
	reader->scalar_count++;
	return WEIR_OK;
}

static enum weir_status take_average(struct bench_reader *reader, const struct member *member,
                                     const struct weir_jsonscan_item *item, struct weir_error *err)
{
	const struct bench_scalar about = {
		.stage = "latency", .unit = "s", .value = number_of(reader, item->text, item->at)};

	(void)member;
	return add_scalar(reader, weir_slice_of("mean_latency_s"), &about, err);
}

/* "50", "99", "99.9". */
static bool is_percentile(struct weir_slice text)
{
	double value;

	for (size_t i = 0; i < text.length; i++)
		if ((text.data[i] < '0' || text.data[i] > '9') && text.data[i] != '.')
			return false;
	return text.length && text.length <= 8 &&
	       weir_parse_double(text.data, text.length, &value) && value <= 100;
}

static enum weir_status take_percentiles(struct bench_reader *reader, const struct member *member,
                                         const struct weir_jsonscan_item *item,
                                         struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_text name = {0};
	struct weir_slice key;
	enum weir_status status = WEIR_OK;

	(void)member;
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return WEIR_OK;
	while (!status && weir_jsoncursor_key(&cursor, &key)) {
		struct bench_scalar about = {.stage = "latency", .unit = "s"};
		struct weir_slice value = weir_jsoncursor_take(&cursor);

		if (cursor.bad || !is_percentile(key))
			continue;
		about.value = number_of(reader, value, item->at);
		weir_text_clear(&name);
		weir_text_printf(&name, "p%.*s_latency_s", (int)key.length, key.data);
		status = add_scalar(reader, (struct weir_slice){name.data, name.length}, &about,
		                    err);
	}
	weir_text_release(&name);
	return status;
}

/* How loads were told is kept as labels: runs under different load are not one population, and
 * weir.json can make any label a condition. */
static const struct member members[] = {
	{.key = "model_id", .take = take_label, .name = "model"},
	{.key = "tokenizer_id", .take = take_label, .name = "tokenizer"},
	{.key = "num_prompts", .take = take_label},
	{.key = "request_rate", .take = take_load},
	{.key = "burstiness", .take = take_label},
	{.key = "max_concurrency", .take = take_label},
	{.key = "sharegpt_output_len", .take = take_label},
	{.key = "random_input_len", .take = take_label},
	{.key = "random_output_len", .take = take_label},
	{.key = "random_range_ratio", .take = take_label},
	{.key = "server_info", .take = take_server},
	{.key = "completed", .take = take_total, .slot = offsetof(struct bench_reader, completed)},
	{.key = "failed", .take = take_total, .slot = offsetof(struct bench_reader, failed)},
	{.key = "duration", .take = take_total, .slot = offsetof(struct bench_reader, duration_s)},
	{.key = "total_output_tokens",
         .take = take_total,
         .slot = offsetof(struct bench_reader, output_tokens)},
	{.key = "request_throughput", .take = take_rate, .unit = "1/s"},
	{.key = "request_goodput", .take = take_rate, .unit = "1/s"},
	/* Older writers misspelt their own key. */
	{.key = "request_goodput:", .take = take_rate, .name = "request_goodput", .unit = "1/s"},
	{.key = "input_throughput", .take = take_rate, .unit = "tokens/s"},
	{.key = "output_throughput", .take = take_rate, .unit = "tokens/s"},
	{.key = "total_throughput", .take = take_rate, .unit = "tokens/s"},
	{.key = "total_token_throughput", .take = take_rate, .unit = "tokens/s"},
	{.key = "requests_per_second", .take = take_rate, .unit = "1/s"},
	{.key = "tokens_per_second", .take = take_rate, .unit = "tokens/s"},
	{.key = "avg_latency", .take = take_average},
	{.key = "percentiles", .take = take_percentiles},
	{.key = "latencies", .take = take_list, .list = BENCH_LATENCIES},
	{.key = "ttfts", .take = take_list, .list = BENCH_TTFTS},
	{.key = "start_times", .take = take_list, .list = BENCH_STARTS},
	{.key = "output_lens", .take = take_list, .list = BENCH_OUTPUTS},
	{.key = "errors", .take = take_list, .list = BENCH_ERRORS},
	{.key = "itls", .take = take_list, .list = BENCH_GAPS},
};

/* What the means and percentiles are about, and the stage that makes them superfluous. */
static const struct {
	const char *ending, *stage;
} subjects[] = {
	{"_ttft_ms", "ttft"}, {"_tpot_ms", "tpot"},       {"_itl_ms", "itl"},
	{"_e2el_ms", "e2e"},  {"_e2e_latency_ms", "e2e"},
};

/* The stage of "mean_ttft_ms", "median_itl_ms", "p99.9_e2el_ms"; NULL for other keys. A spread
 * (std) is neither better nor worse. */
static const char *scalar_stage(struct weir_slice key)
{
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		size_t length = strlen(subjects[i].ending);
		struct weir_slice rest = {key.data, key.length - length};

		if (key.length <= length || key.length >= BENCH_SCALAR_NAME ||
		    memcmp(key.data + rest.length, subjects[i].ending, length) != 0)
			continue;
		if (weir_slice_equals(rest, "mean") || weir_slice_equals(rest, "median"))
			return subjects[i].stage;
		if (*rest.data == 'p' &&
		    is_percentile((struct weir_slice){rest.data + 1, rest.length - 1}))
			return subjects[i].stage;
	}
	return NULL;
}

/* Whatever else is text is a label: what --metadata adds is text and has names of its own. */
static enum weir_status take_other(struct bench_reader *reader,
                                   const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_text scratch = {0}, key = {0};
	struct weir_slice name = weir_jsoncursor_decode(item->key, &scratch, NULL);
	struct member member = {.take = take_label};
	struct bench_scalar about = {.stage = scalar_stage(item->key), .unit = "ms"};
	enum weir_status status = WEIR_OK;

	if (about.stage) {
		about.value = number_of(reader, item->text, item->at);
		status = add_scalar(reader, item->key, &about, err);
	} else if (item->text.data[0] == '"' && name.length && name.length <= BENCH_LABEL_KEY) {
		weir_text_add(&key, name.data, name.length);
		member.key = key.data;
		status = take_label(reader, &member, item, err);
	}
	weir_text_release(&scratch);
	weir_text_release(&key);
	return status;
}

enum weir_status weir_bench_member(struct bench_reader *reader,
                                   const struct weir_jsonscan_item *item, struct weir_error *err)
{
	const struct member *member = NULL;
	enum weir_status status;

	for (size_t i = 0; !member && i < sizeof(members) / sizeof(members[0]); i++)
		if (weir_slice_equals(item->key, members[i].key))
			member = &members[i];
	status = member ? member->take(reader, member, item, err) : take_other(reader, item, err);
	if (!status)
		return WEIR_OK;
	return weir_fail_in(err, "%.*s", (int)item->key.length, item->key.data);
}
