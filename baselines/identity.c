/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/identity.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* --- limits --- */

/* Returns true for well-formed UTF-8 (RFC 3629): shortest forms, no surrogates, at most U+10FFFF.
 */
static bool is_utf8(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		unsigned more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
		unsigned low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
		unsigned high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;

		if ((*at >= 0x80 && *at < 0xc2) || *at > 0xf4)
			return false;
		for (at++; more > 0; more--, at++) {
			if (*at < low || *at > high)
				return false;
			low = 0x80;
			high = 0xbf;
		}
	}
	return true;
}

static enum weir_status check_text(const char *what, const char *text, size_t most,
                                   struct weir_error *err)
{
	size_t length = strlen(text);

	if (length > most)
		return weir_fail(err, WEIR_E_LIMIT, "%s of %zu bytes, at most %zu", what, length,
		                 most);
	if (!is_utf8(text))
		return weir_fail(err, WEIR_E_FORMAT, "%s is not UTF-8", what);
	return WEIR_OK;
}

static enum weir_status check_labels(const struct weir_run *run, struct weir_error *err)
{
	if (run->label_count > WEIR_RUN_MAX_LABELS)
		return weir_fail(err, WEIR_E_LIMIT, "%zu labels, at most %d", run->label_count,
		                 WEIR_RUN_MAX_LABELS);
	for (size_t i = 0; i < run->label_count; i++) {
		enum weir_status status =
			check_text("a label's key", run->labels[i].key, WEIR_RUN_MAX_LABEL, err);

		if (!status)
			status = check_text("a label's value", run->labels[i].value,
			                    WEIR_RUN_MAX_LABEL, err);
		if (status)
			return weir_fail_in(err, "labels");
	}
	return WEIR_OK;
}

static enum weir_status check_values(const struct weir_series *series, bool negative,
                                     struct weir_error *err)
{
	if (series->count == 0)
		return weir_fail(err, WEIR_E_EMPTY, "no values");
	for (size_t i = 0; i < series->count; i++)
		if (!isfinite(series->value[i]) || (!negative && series->value[i] < 0))
			return weir_fail(err, WEIR_E_FORMAT, "[%zu]: expected a %s", i,
			                 negative ? "number" : "number from 0");
	return WEIR_OK;
}

static enum weir_status check_series(const struct weir_series *series, bool metric,
                                     struct weir_error *err)
{
	enum weir_status status = check_text("a name", series->name, WEIR_RUN_MAX_NAME, err);

	if (!status && series->unit)
		status = check_text("a unit", series->unit, WEIR_RUN_MAX_NAME, err);
	if (!status)
		status = check_values(series, metric, err);
	return status ? weir_fail_in(err, "%.200s", series->name) : WEIR_OK;
}

static enum weir_status check_table(const struct weir_run *run, enum weir_run_table table,
                                    size_t *values, struct weir_error *err)
{
	const struct weir_series_table *series = weir_run_table_of(run, table);

	if (series->count > WEIR_RUN_MAX_SERIES)
		return weir_fail(err, WEIR_E_LIMIT, "%s: %zu series, at most %d",
		                 weir_run_table_name(table), series->count, WEIR_RUN_MAX_SERIES);
	for (size_t i = 0; i < series->count; i++) {
		if (check_series(&series->items[i], table == WEIR_RUN_METRICS, err))
			return weir_fail_in(err, "%s", weir_run_table_name(table));
		*values += series->items[i].count;
		if (*values > WEIR_RUN_MAX_VALUES)
			return weir_fail(err, WEIR_E_LIMIT, "more than %u values",
			                 WEIR_RUN_MAX_VALUES);
	}
	return WEIR_OK;
}

enum weir_status weir_run_check(const struct weir_run *run, struct weir_error *err)
{
	enum weir_status status = check_labels(run, err);
	size_t values = 0;

	for (unsigned t = 0; !status && t < WEIR_RUN_TABLE_COUNT; t++)
		status = check_table(run, (enum weir_run_table)t, &values, err);
	if (!status && values == 0)
		status = weir_fail(err, WEIR_E_EMPTY, "a run without samples");
	return status;
}

enum weir_status weir_baseline_check_name(const char *name, struct weir_error *err)
{
	size_t length;

	if (!*name || *name == '-')
		return weir_fail(err, WEIR_E_USAGE, "\"%s\" is no name for a baseline", name);
	if (check_text("the name of a baseline", name, WEIR_BASELINE_MAX_NAME, err)) {
		if (err)
			err->status = WEIR_E_USAGE;
		return WEIR_E_USAGE;
	}
	for (const char *at = name; *at; at += length)
		if (!weir_text_is_printable(at, &length))
			return weir_fail(err, WEIR_E_USAGE,
			                 "the name of a baseline holds an unprintable character");
	return WEIR_OK;
}

/* Returns the value of `len` characters, which the caller has checked to be digits. */
static int number_of(const char *digits, size_t len)
{
	int number = 0;

	for (size_t i = 0; i < len; i++)
		number = 10 * number + (digits[i] - '0');
	return number;
}

static int days_of(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool weir_recorded_valid(const char *recorded)
{
	static const char shape[] = "dddd-dd-ddTdd:dd:ddZ";
	int year, month, day;

	for (size_t i = 0; i <= WEIR_RECORDED_LENGTH; i++) {
		bool digit = recorded[i] >= '0' && recorded[i] <= '9';

		if (shape[i] == 'd' ? !digit : recorded[i] != shape[i])
			return false;
	}
	year = number_of(recorded, 4);
	month = number_of(recorded + 5, 2);
	day = number_of(recorded + 8, 2);
	return month >= 1 && month <= 12 && day >= 1 && day <= days_of(year, month) &&
	       number_of(recorded + 11, 2) < 24 && number_of(recorded + 14, 2) < 60 &&
	       number_of(recorded + 17, 2) < 60;
}

/* --- digest --- */

static void put_number(uint8_t bytes[8], uint64_t number)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
}

static void add_number(struct weir_sha256 *hash, uint64_t number)
{
	uint8_t bytes[8];

	put_number(bytes, number);
	weir_sha256_add(hash, bytes, sizeof(bytes));
}

/* Adds the length before the text, so that different lists of texts never hash alike; NULL differs
 * from every text. */
static void add_text(struct weir_sha256 *hash, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	add_number(hash, text ? length : UINT64_MAX);
	weir_sha256_add(hash, text, length);
}

#define BATCH 64 /* values hashed at once */

static void add_values(struct weir_sha256 *hash, const double *values, size_t count)
{
	uint8_t bytes[8 * BATCH];
	size_t filled = 0;

	for (size_t i = 0; i < count; i++) {
		double value = values[i] + 0.0; /* -0 becomes 0 */
		uint64_t pattern;

		memcpy(&pattern, &value, sizeof(pattern));
		put_number(bytes + filled, pattern);
		filled += 8;
		if (filled == sizeof(bytes) || i + 1 == count) {
			weir_sha256_add(hash, bytes, filled);
			filled = 0;
		}
	}
}

static void add_series(struct weir_sha256 *hash, const struct weir_series *series, bool metric)
{
	add_text(hash, series->name);
	if (metric) {
		add_text(hash, series->unit);
		add_number(hash, series->higher_is_better);
	}
	add_number(hash, series->count);
	add_values(hash, series->value, series->count);
}

static void add_table(struct weir_sha256 *hash, const struct weir_series_table *table, bool metrics)
{
	const struct weir_series **sorted = weir_series_sorted(table);

	add_number(hash, table->count);
	for (size_t i = 0; i < table->count; i++)
		add_series(hash, sorted[i], metrics);
	free(sorted);
}

/* all: also a session that weir found, which is no part of the content. */
static void add_labels(struct weir_sha256 *hash, const struct weir_run *run, bool all)
{
	const struct weir_run_label **sorted = weir_run_labels_sorted(run);
	size_t count = run->label_count;

	for (size_t i = 0; !all && i < run->label_count; i++)
		count -= weir_run_label_is_derived(sorted[i]);
	add_number(hash, count);
	for (size_t i = 0; i < run->label_count; i++) {
		if (!all && weir_run_label_is_derived(sorted[i]))
			continue;
		add_text(hash, sorted[i]->key);
		add_text(hash, sorted[i]->value);
	}
	free(sorted);
}

void weir_run_digest(const struct weir_run *run, uint8_t digest[WEIR_SHA256_SIZE])
{
	struct weir_sha256 hash;

	weir_sha256_init(&hash);
	add_text(&hash, "weir.run/1");
	add_labels(&hash, run, false);
	for (unsigned t = 0; t < WEIR_RUN_TABLE_COUNT; t++)
		add_table(&hash, weir_run_table_of(run, (enum weir_run_table)t),
		          t == WEIR_RUN_METRICS);
	weir_sha256_end(&hash, digest);
}

uint64_t weir_series_salt(enum weir_run_table table, const struct weir_series *series)
{
	uint8_t digest[WEIR_SHA256_SIZE];
	struct weir_sha256 hash;
	uint64_t salt = 0;

	weir_sha256_init(&hash);
	add_text(&hash, weir_run_table_name(table));
	add_text(&hash, series->name);
	add_text(&hash, series->unit);
	add_number(&hash, series->higher_is_better);
	weir_sha256_end(&hash, digest);
	for (unsigned i = 0; i < 8; i++)
		salt |= (uint64_t)digest[i] << (8 * i);
	return salt;
}

void weir_run_seal(const struct weir_baseline_run *run, const uint8_t digest[WEIR_SHA256_SIZE],
                   uint8_t seal[WEIR_SHA256_SIZE])
{
	struct weir_sha256 hash;

	weir_sha256_init(&hash);
	weir_sha256_add(&hash, digest, WEIR_SHA256_SIZE);
	add_text(&hash, run->bound);
	add_text(&hash, run->cause);
	add_labels(&hash, run->run, true);
	add_number(&hash, run->series);
	add_number(&hash, run->samples);
	weir_sha256_end(&hash, seal);
}

void weir_run_count(struct weir_baseline_run *run)
{
	run->stages = run->run->stages.count;
	run->operators = run->run->operators.count;
	run->series = run->samples = 0;
	for (unsigned t = 0; t < WEIR_RUN_TABLE_COUNT; t++) {
		const struct weir_series_table *table =
			weir_run_table_of(run->run, (enum weir_run_table)t);

		run->series += table->count;
		for (size_t i = 0; i < table->count; i++)
			run->samples += table->items[i].count + table->items[i].dropped;
	}
}
