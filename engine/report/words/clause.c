/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clauses of rules as people read them: what was measured stands beside what it was compared with.
 */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/words/phrases.h"

#define MAX_DECIMALS 6
#define MAX_FACTORS  6 /* of one comparison */

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

/* One side of a comparison or a part of it: a feature with what it read, or a number. */
struct factor {
	const char *text; /* id or number, as written */
	size_t length;
	const struct weir_reading *reading; /* NULL: a number */
};

/* "path_assembly < 0.5 * path_batching": factors with what stands between two; texts are borrowed
 * from the clause. */
struct term {
	struct factor factor[MAX_FACTORS];
	const char *operator[MAX_FACTORS]; /* behind the factor of the same index */
	size_t operator_length[MAX_FACTORS];
	size_t count;
};

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " ");
}

static bool take_word(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) != 0)
		return false;
	*at = skip_blanks(*at + length);
	return true;
}

static bool take_number(const char **at, struct factor *factor)
{
	double value;

	factor->text = *at;
	factor->length = strspn(*at, "0123456789.");
	factor->reading = NULL;
	if (!factor->length || !weir_parse_double(factor->text, factor->length, &value))
		return false;
	*at = skip_blanks(*at + factor->length);
	return true;
}

static bool take_feature(const char **at, const struct weir_evidence *evidence,
                         struct factor *factor)
{
	factor->text = *at;
	factor->length = strspn(*at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	for (size_t i = 0; i < evidence->reading_count; i++) {
		const struct weir_reading *reading = &evidence->readings[i];

		if (strlen(reading->feature) != factor->length ||
		    memcmp(reading->feature, factor->text, factor->length) != 0)
			continue;
		factor->reading = reading;
		*at = skip_blanks(*at + factor->length);
		return true;
	}
	return false;
}

/* "max(a, b)" is the larger one: that is what the other side was compared with. */
static bool take_extreme(const char **at, const struct weir_evidence *evidence, bool largest,
                         struct factor *factor)
{
	struct factor next;

	if (!take_feature(at, evidence, factor))
		return false;
	while (take_word(at, ",")) {
		double value = factor->reading->value, other;

		if (!take_feature(at, evidence, &next))
			return false;
		other = next.reading->value;
		if (!isnan(value) && (isnan(other) || (largest ? other > value : other < value)))
			*factor = next;
	}
	return take_word(at, ")");
}

/* "coalesce(x, 0)" is x: what stands for an unknown one is said in words. */
static bool take_factor(const char **at, const struct weir_evidence *evidence,
                        struct factor *factor)
{
	struct factor instead;

	if (**at >= '0' && **at <= '9')
		return take_number(at, factor);
	if (take_word(at, "max("))
		return take_extreme(at, evidence, true, factor);
	if (take_word(at, "min("))
		return take_extreme(at, evidence, false, factor);
	if (!take_word(at, "coalesce("))
		return take_feature(at, evidence, factor);
	return take_feature(at, evidence, factor) && take_word(at, ",") &&
	       take_number(at, &instead) && take_word(at, ")");
}

/* Up to the end of the clause or to what joins it with the next; false: of another shape. */
static bool take_term(const char **at, const struct weir_evidence *evidence, struct term *term)
{
	for (term->count = 0; term->count < MAX_FACTORS;) {
		size_t length;

		if (!take_factor(at, evidence, &term->factor[term->count]))
			return false;
		length = strspn(*at, "<>=!*/+-");
		term->operator[term->count] = * at;
		term->operator_length[term->count++] = length;
		if (!length)
			return true;
		*at = skip_blanks(*at + length);
	}
	return false;
}

static void add_feature(const struct weir_feature_table *features, const struct factor *factor,
                        const struct comparison *against, struct weir_text *out)
{
	add_words(out, factor->text, factor->length);
	weir_text_puts(out, " ");
	add_value(out, find_feature(features, factor->text, factor->length), factor->reading->value,
	          against);
}

/* The number that a lone feature is compared with; false: there is none. */
static bool find_threshold(const struct term *term, struct comparison *against)
{
	const struct factor *number = &term->factor[1];

	if (term->count != 2 || number->reading)
		return false;
	against->number = number->text;
	against->number_length = number->length;
	return weir_parse_double(number->text, number->length, &against->threshold);
}

static void add_term(const struct weir_feature_table *features, const struct term *term,
                     struct weir_text *out)
{
	struct comparison against;
	bool compared = find_threshold(term, &against);

	for (size_t i = 0; i < term->count; i++) {
		const struct factor *factor = &term->factor[i];

		if (!factor->reading || !isnan(factor->reading->value))
			continue;
		add_words(out, factor->text, factor->length);
		weir_text_puts(out, " not known");
		return;
	}
	for (size_t i = 0; i < term->count; i++) {
		const struct factor *factor = &term->factor[i];

		if (factor->reading)
			add_feature(features, factor, compared ? &against : NULL, out);
		else
			weir_text_add(out, factor->text, factor->length);
		if (!term->operator_length[i])
			continue;
		weir_text_puts(out, " ");
		weir_text_add(out, term->operator[i], term->operator_length[i]);
		weir_text_puts(out, " ");
	}
}

/* A term that says only that its feature is not known, as it says by itself. */
static bool is_unknown(const struct term *term)
{
	const struct weir_reading *reading = term->factor[0].reading;

	return term->count == 1 && reading && isnan(reading->value);
}

/* "path compute 0.98 >= path max 0.98", "compute busy 0.48 < 0.90 or batch fill not known"; false:
 * the clause holds more than comparisons of features. */
static bool add_terms(const struct weir_feature_table *features,
                      const struct weir_evidence *evidence, struct weir_text *out)
{
	const char *at = skip_blanks(evidence->clause);
	struct term term;

	while (take_term(&at, evidence, &term)) {
		add_term(features, &term, out);
		if (take_word(&at, "IS NULL") && !is_unknown(&term))
			return false;
		if (!*at)
			return true;
		if (take_word(&at, "OR "))
			weir_text_puts(out, " or ");
		else if (take_word(&at, "AND "))
			weir_text_puts(out, " and ");
		else
			return false;
	}
	return false;
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

static void phrase_compound(const struct weir_feature_table *features,
                            const struct weir_evidence *evidence, struct weir_text *out)
{
	struct weir_text words = {0};

	if (add_terms(features, evidence, &words))
		weir_text_add(out, words.data, words.length);
	else
		add_as_written(features, evidence, out);
	weir_text_release(&words);
}

void weir_phrase_clause(const struct weir_feature_table *features,
                        const struct weir_evidence *evidence, struct weir_text *out)
{
	const struct weir_feature *feature;
	struct comparison parts;

	if (!split(evidence->clause, &parts) || evidence->reading_count != 1) {
		phrase_compound(features, evidence, out);
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
