/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clauses of rules as people read them: what was measured stands beside what it was compared with.
 */
#include <math.h>
#include <string.h>

#include "engine/report/escape.h"
#include "engine/report/phrases.h"

#define MAX_DECIMALS 6

/* "gpu_active < 0.60" in its parts; texts are borrowed from the clause. */
struct comparison {
	const char *feature, *operator, * number;
	size_t feature_length, operator_length, number_length;
	double threshold;
};

/* True where the clause is exactly one feature, one comparison and one number. */
static bool split(const char *clause, struct comparison *parts)
{
	const char *at = clause + strspn(clause, " ");

	parts->feature = at;
	parts->feature_length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	at += parts->feature_length;
	at += strspn(at, " ");
	parts->operator= at;
	parts->operator_length = strspn(at, "<>=!");
	at += parts->operator_length;
	at += strspn(at, " ");
	parts->number = at;
	parts->number_length = strcspn(at, " ");
	at += parts->number_length;
	return parts->feature_length && parts->operator_length && !at[strspn(at, " ")] &&
	       weir_parse_double(parts->number, parts->number_length, &parts->threshold);
}

static const struct weir_feature *find_feature(const struct weir_feature_table *features,
                                               const char *id, size_t length)
{
	for (size_t i = 0; features && i < features->count; i++) {
		if (strlen(features->items[i].id) == length &&
		    !memcmp(features->items[i].id, id, length))
			return &features->items[i];
	}
	return NULL;
}

static bool ends_with(const char *text, size_t length, const char *suffix)
{
	size_t size = strlen(suffix);

	return length > size && !memcmp(text + length - size, suffix, size);
}

/* "kernel_p50_ns" -> "kernel p50": the figure beside it shows its unit. */
static void add_words(struct weir_text *out, const char *id, size_t length)
{
	if (ends_with(id, length, "_ns"))
		length -= 3;
	else if (ends_with(id, length, "_bytes"))
		length -= 6;
	for (size_t i = 0; i < length; i++)
		weir_text_add(out, id[i] == '_' ? " " : &id[i], 1);
}

static size_t decimals_of(const char *number, size_t length)
{
	const char *point = memchr(number, '.', length);

	return point ? length - (size_t)(point - number) - 1 : 0;
}

/* Two decimals, and as many more as it takes to see on which side of the threshold the value lies.
 */
static void add_decimal(struct weir_text *out, double value, const struct comparison *against)
{
	size_t decimals = against ? decimals_of(against->number, against->number_length) : 0;
	double shown, step;

	for (decimals = decimals < 2 ? 2 : decimals; decimals < MAX_DECIMALS; decimals++) {
		step = pow(10, (double)decimals);
		shown = round(value * step) / step;
		if (value != 0 && shown == 0)
			continue;
		if (!against || (shown < against->threshold) == (value < against->threshold))
			break;
	}
	weir_text_printf(out, "%.*f", (int)decimals, value);
}

static void add_count(struct weir_text *out, double value)
{
	if (value == floor(value) && value >= 0 && value < 1e15)
		weir_text_count(out, (uint64_t)value);
	else
		weir_text_printf(out, fabs(value) < 1e6 ? "%.1f" : "%.3g", value);
}

/* "10.0 us" -> "10 us": a threshold is exact. */
static void add_exact_duration(struct weir_text *out, double ns)
{
	struct weir_text text = {0};
	const char *point, *unit;

	weir_text_duration(&text, ns);
	point = strchr(text.data, '.');
	unit = strchr(text.data, ' ');
	if (point && unit > point && strspn(point, ".0") == (size_t)(unit - point)) {
		weir_text_add(out, text.data, (size_t)(point - text.data));
		weir_text_puts(out, unit);
	} else {
		weir_text_puts(out, text.data);
	}
	weir_text_release(&text);
}

static void add_value(struct weir_text *out, const struct weir_feature *feature, double value,
                      const struct comparison *against)
{
	if (isnan(value)) {
		weir_text_puts(out, "?");
		return;
	}
	switch (feature ? feature->unit : WEIR_UNIT_RATIO) {
	case WEIR_UNIT_NS:
		weir_text_duration(out, value);
		return;
	case WEIR_UNIT_BYTES:
		weir_text_bytes(out, value);
		return;
	case WEIR_UNIT_COUNT:
	case WEIR_UNIT_FLOPS:
		add_count(out, value);
		return;
	case WEIR_UNIT_FLAG:
		weir_text_puts(out, value != 0 ? "yes" : "no");
		return;
	case WEIR_UNIT_SHARE:
	case WEIR_UNIT_RATIO:
		break;
	}
	add_decimal(out, value, against);
}

static void add_threshold(struct weir_text *out, const struct weir_feature *feature,
                          const struct comparison *parts)
{
	if (feature && feature->unit == WEIR_UNIT_NS)
		add_exact_duration(out, parts->threshold);
	else if (feature && feature->unit == WEIR_UNIT_BYTES)
		weir_text_bytes(out, parts->threshold);
	else if (feature && feature->unit == WEIR_UNIT_COUNT)
		add_count(out, parts->threshold);
	else
		weir_text_add(out, parts->number, parts->number_length);
}

/* A clause of another shape stays as it is written; the figures it read follow it. */
static void add_as_written(const struct weir_feature_table *features,
                           const struct weir_evidence *evidence, struct weir_text *out)
{
	weir_escape_plain(out, evidence->clause);
	for (size_t i = 0; i < evidence->reading_count; i++) {
		const struct weir_reading *reading = &evidence->readings[i];

		weir_text_puts(out, i ? ", " : " (");
		add_words(out, reading->feature, strlen(reading->feature));
		weir_text_puts(out, " ");
		add_value(out, find_feature(features, reading->feature, strlen(reading->feature)),
		          reading->value, NULL);
	}
	if (evidence->reading_count)
		weir_text_puts(out, ")");
}

void weir_phrase_clause(const struct weir_feature_table *features,
                        const struct weir_evidence *evidence, struct weir_text *out)
{
	const struct weir_feature *feature;
	struct comparison parts;

	if (!split(evidence->clause, &parts) || evidence->reading_count != 1) {
		add_as_written(features, evidence, out);
		return;
	}
	feature = find_feature(features, parts.feature, parts.feature_length);
	add_words(out, parts.feature, parts.feature_length);
	weir_text_puts(out, " ");
	add_value(out, feature, evidence->readings[0].value, &parts);
	if (feature && feature->unit == WEIR_UNIT_FLAG)
		return;
	weir_text_puts(out, " ");
	weir_text_add(out, parts.operator, parts.operator_length);
	weir_text_puts(out, " ");
	add_threshold(out, feature, &parts);
}
