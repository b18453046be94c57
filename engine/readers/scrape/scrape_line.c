/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "engine/base/text.h"
#include "engine/model/telemetry.h"
#include "engine/readers/scrape/scrape_line.h"

#define MAX_EXEMPLAR_CHARACTERS 128 /* OpenMetrics 1.0: names and values of its labels together */

/* Time stamps of Prometheus text are whole milliseconds. From FIRST_MS on they are after 1973. A
 * smaller number from FIRST_S on is a time in seconds, written by mistake. */
#define FIRST_MS 1e11
#define FIRST_S  1e8

/* ---- numbers ---- */

static const struct {
	const char *text;
	double value;
} words[] = {
	{"nan", NAN},
	{"inf", INFINITY},
	{"+inf", INFINITY},
	{"-inf", -INFINITY},
	{"infinity", INFINITY},
	{"+infinity", INFINITY},
	{"-infinity", -INFINITY},
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#define EXPONENT_LIMIT 100000 /* far beyond that of any double; sums fit an int */

/* Parses "0x1.8p3", with or without a sign; the exponent is required. Digits beyond the 53 bits of
 * a double are rounded. */
static bool parse_hexadecimal(struct weir_slice text, double *out)
{
	const char *at = text.data, *end = at + text.length;
	bool negative = at < end && *at == '-', fraction = false;
	double value = 0;
	int64_t exponent;
	int digits = 0, places = 0;

	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (end - at < 3 || at[0] != '0' || (at[1] | 0x20) != 'x')
		return false;
	for (at += 2; at < end && digits < EXPONENT_LIMIT; at++) {
		if (*at == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (hex_digit(*at) < 0)
			break;
		value = value * 16 + hex_digit(*at);
		places += fraction ? 4 : 0;
		digits++;
	}
	if (!digits || at == end || (*at | 0x20) != 'p')
		return false;
	at++;
	if (!weir_parse_i64(at, (size_t)(end - at), &exponent) || exponent > EXPONENT_LIMIT ||
	    exponent < -EXPONENT_LIMIT)
		return false;
	value = ldexp(value, (int)exponent - places);
	*out = negative ? -value : value;
	return isfinite(value);
}

bool weir_scrape_number_parse(struct weir_slice text, enum scrape_grammar grammar, double *out)
{
	if (weir_parse_double(text.data, text.length, out))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i].text) != text.length ||
		    strncasecmp(words[i].text, text.data, text.length) != 0)
			continue;
		*out = words[i].value;
		return true;
	}
	return grammar == SCRAPE_PROMETHEUS && parse_hexadecimal(text, out);
}

/* ---- samples ---- */

struct cursor {
	char *at, *end;
	enum scrape_grammar grammar;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips blanks, in Prometheus text only. */
static void skip_blanks(struct cursor *in)
{
	while (in->grammar == SCRAPE_PROMETHEUS && in->at < in->end && is_blank(*in->at))
		in->at++;
}

static bool take(struct cursor *in, char c)
{
	if (in->at == in->end || *in->at != c)
		return false;
	in->at++;
	return true;
}

/* Takes what separates two tokens: one blank in OpenMetrics, any number in Prometheus text. */
static bool take_gap(struct cursor *in)
{
	const char *before = in->at;

	if (in->grammar == SCRAPE_OPENMETRICS)
		return take(in, ' ');
	skip_blanks(in);
	return in->at > before;
}

/* Takes a name; it is empty if no name follows. */
static struct weir_slice take_name(struct cursor *in, bool colons)
{
	struct weir_slice name = {in->at, 0};

	while (in->at < in->end && (is_letter(*in->at) || (colons && *in->at == ':') ||
	                            (in->at > name.data && is_digit(*in->at))))
		in->at++;
	name.length = (size_t)(in->at - name.data);
	return name;
}

bool weir_scrape_is_metric_name(struct weir_slice name)
{
	for (size_t i = 0; i < name.length; i++)
		if (!is_letter(name.data[i]) && name.data[i] != ':' &&
		    !(i > 0 && is_digit(name.data[i])))
			return false;
	return name.length > 0;
}

/* Takes a quoted text. Resolves escapes in place; an unknown escape keeps both characters. */
static bool take_quoted(struct cursor *in, struct weir_slice *out)
{
	char *to;

	if (!take(in, '"'))
		return false;
	to = in->at;
	out->data = to;
	for (; in->at < in->end && *in->at != '"'; in->at++) {
		char next = in->end - in->at > 1 ? in->at[1] : '\0';

		if (*in->at == '\\' && (next == '\\' || next == '"' || next == 'n')) {
			*to++ = (char)(next == 'n' ? '\n' : next);
			in->at++;
		} else if (*in->at == '\\' && in->end - in->at > 1) {
			*to++ = *in->at++;
			*to++ = next;
		} else {
			*to++ = *in->at;
		}
	}
	out->length = (size_t)(to - out->data);
	return take(in, '"');
}

static bool is_given(const struct scrape_line *line, struct weir_slice name)
{
	for (size_t i = 0; i < line->label_count; i++)
		if (line->labels[i].name.length == name.length &&
		    !memcmp(line->labels[i].name.data, name.data, name.length))
			return true;
	return false;
}

/* Takes name="value". In Prometheus text the name may be quoted, and a single quoted text is the
 * metric's name. */
static const char *take_label(struct cursor *in, struct scrape_line *out)
{
	struct scrape_text_label label;
	bool quoted = in->grammar == SCRAPE_PROMETHEUS && in->at < in->end && *in->at == '"';

	if (quoted && !take_quoted(in, &label.name))
		return "a quote is not closed";
	if (!quoted)
		label.name = take_name(in, false);
	if (!label.name.length)
		return "the name of a label is malformed";
	skip_blanks(in);
	if (quoted && !out->name.length && (in->at == in->end || *in->at != '=')) {
		out->name = label.name;
		return NULL;
	}
	if (!take(in, '='))
		return "a label has no \"=\"";
	skip_blanks(in);
	if (!take_quoted(in, &label.value))
		return "a label's value is not in double quotes";
	if (is_given(out, label.name))
		return "a label is given twice";
	if (out->label_count == WEIR_MAX_SCRAPE_LABELS)
		return "more than 64 labels";
	out->labels[out->label_count++] = label;
	return NULL;
}

/* Takes labels after the opening brace. */
static const char *take_labels(struct cursor *in, struct scrape_line *out)
{
	for (bool first = true;; first = false) {
		const char *fault;

		skip_blanks(in);
		if ((first || in->grammar == SCRAPE_PROMETHEUS) && take(in, '}'))
			return NULL;
		fault = take_label(in, out);
		if (fault)
			return fault;
		skip_blanks(in);
		if (take(in, '}'))
			return NULL;
		if (!take(in, ','))
			return "labels are not separated by commas";
	}
}

static struct weir_slice take_token(struct cursor *in)
{
	struct weir_slice token = {in->at, 0};

	while (in->at < in->end && !is_blank(*in->at))
		in->at++;
	token.length = (size_t)(in->at - token.data);
	return token;
}

/* True for what exporters print if they have no number. */
static bool is_missing(struct weir_slice token)
{
	static const char *const spellings[] = {"N/A", "[N/A]", "NA", "null", "None", "-"};

	for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
		if (strlen(spellings[i]) == token.length &&
		    !strncasecmp(spellings[i], token.data, token.length))
			return true;
	return false;
}

static int64_t seconds_ns(struct weir_slice token)
{
	int64_t ns;

	return weir_parse_s_as_ns(token.data, token.length, &ns) ? ns : WEIR_NO_TIME;
}

/* Takes a time stamp: seconds in OpenMetrics, milliseconds in Prometheus text unless the number
 * cannot be. */
static bool take_stamp(struct cursor *in, struct scrape_line *out)
{
	struct weir_slice token = take_token(in);
	int64_t ms;

	if (!weir_parse_double(token.data, token.length, &out->stamp))
		return false;
	out->stamped = true;
	out->at_ns = seconds_ns(token);
	if (in->grammar == SCRAPE_OPENMETRICS || memchr(token.data, '.', token.length))
		return true;
	if (fabs(out->stamp) >= FIRST_S && fabs(out->stamp) < FIRST_MS)
		return true;
	if (!weir_parse_i64(token.data, token.length, &ms) || ms > INT64_MAX / 1000000 ||
	    ms < -(INT64_MAX / 1000000))
		out->at_ns = WEIR_NO_TIME;
	else
		out->at_ns = ms * 1000000;
	return true;
}

static size_t count_characters(struct weir_slice text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	return count;
}

/* Takes an exemplar after " # ": labels, a value, perhaps a time stamp. */
static const char *take_exemplar(struct cursor *in)
{
	struct scrape_line exemplar = {.label_count = 0};
	size_t characters = 0;
	const char *fault;

	if (!take(in, '{'))
		return "an exemplar without labels in braces";
	fault = take_labels(in, &exemplar);
	if (fault)
		return fault;
	for (size_t i = 0; i < exemplar.label_count; i++)
		characters += count_characters(exemplar.labels[i].name) +
		              count_characters(exemplar.labels[i].value);
	if (characters > MAX_EXEMPLAR_CHARACTERS)
		return "the labels of an exemplar are longer than 128 characters";
	if (!take_gap(in) ||
	    !weir_scrape_number_parse(take_token(in), in->grammar, &exemplar.value))
		return "an exemplar without a number";
	if (in->at == in->end)
		return NULL;
	if (!take_gap(in))
		return "an exemplar without a number";
	if (in->at == in->end)
		return in->grammar == SCRAPE_OPENMETRICS ? "a blank at the end of the line" : NULL;
	if (!take_stamp(in, &exemplar))
		return "the time stamp of an exemplar is not a number";
	return in->at < in->end ? "more follows the exemplar" : NULL;
}

/* Takes what follows the value: nothing, a time stamp, an exemplar. */
static const char *take_rest(struct cursor *in, struct scrape_line *out)
{
	if (in->at == in->end)
		return NULL;
	if (!take_gap(in))
		return "the value is not a number";
	if (in->at == in->end)
		return in->grammar == SCRAPE_OPENMETRICS ? "a blank at the end of the line" : NULL;
	if (*in->at != '#') {
		if (!take_stamp(in, out))
			return "the time stamp is not a number";
		if (in->at == in->end)
			return NULL;
		if (!take_gap(in))
			return "the time stamp is not a number";
		if (in->at == in->end)
			return in->grammar == SCRAPE_OPENMETRICS ? "a blank at the end of the line"
			                                         : NULL;
	}
	if (!take(in, '#') || !take_gap(in))
		return "more than a value and a time stamp";
	out->exemplar = true;
	return take_exemplar(in);
}

static const char *take_sample(struct cursor *in, struct scrape_line *out)
{
	const char *fault;
	struct weir_slice token;

	out->name = take_name(in, true);
	if (!out->name.length &&
	    (in->grammar == SCRAPE_OPENMETRICS || in->at == in->end || *in->at != '{'))
		return "the name of the metric is malformed";
	if (in->grammar == SCRAPE_PROMETHEUS)
		skip_blanks(in);
	if (take(in, '{')) {
		fault = take_labels(in, out);
		if (fault)
			return fault;
		if (!out->name.length)
			return "a metric without a name";
		if (!take_gap(in) && in->grammar == SCRAPE_OPENMETRICS)
			return "no blank before the value";
	} else if (in->grammar == SCRAPE_OPENMETRICS ? !take(in, ' ') : !is_blank(in->at[-1])) {
		return in->at == in->end ? "no value" : "the name of the metric is malformed";
	}
	token = take_token(in);
	if (!token.length)
		return "no value";
	if (weir_scrape_number_parse(token, in->grammar, &out->value))
		return take_rest(in, out);
	out->missing = in->grammar == SCRAPE_PROMETHEUS && is_missing(token);
	return out->missing ? take_rest(in, out) : "the value is not a number";
}

const char *weir_scrape_line_parse(char *line, size_t len, enum scrape_grammar grammar,
                                   struct scrape_line *out)
{
	struct cursor in = {line, line + len, grammar};

	out->name = (struct weir_slice){line, 0};
	out->label_count = 0;
	out->value = NAN;
	out->stamp = NAN;
	out->at_ns = WEIR_NO_TIME;
	out->missing = out->stamped = out->exemplar = false;
	skip_blanks(&in);
	return take_sample(&in, out);
}

const struct scrape_text_label *weir_scrape_line_label(const struct scrape_line *line,
                                                       const char *name)
{
	for (size_t i = 0; i < line->label_count; i++)
		if (weir_slice_equals(line->labels[i].name, name))
			return &line->labels[i];
	return NULL;
}

/* ---- metadata ---- */

/* Takes a word and the blank after it; in Prometheus text, all blanks after it. */
static struct weir_slice take_word(const char **at, const char *end, enum scrape_grammar grammar,
                                   bool *more)
{
	struct weir_slice word = {*at, 0};

	while (*at < end && *(*at) != ' ' && (grammar == SCRAPE_OPENMETRICS || *(*at) != '\t'))
		++*at;
	word.length = (size_t)(*at - word.data);
	*more = *at < end;
	*at += *at < end;
	while (grammar == SCRAPE_PROMETHEUS && *at < end && is_blank(*(*at)))
		++*at;
	return word;
}

bool weir_scrape_metadata_parse(const char *line, size_t len, enum scrape_grammar grammar,
                                struct scrape_metadata *out)
{
	const char *at = line, *end = line + len;
	bool more;

	*out = (struct scrape_metadata){0};
	if (take_word(&at, end, grammar, &more).length != 1 || !more)
		return false;
	out->keyword = take_word(&at, end, grammar, &more);
	if (!more)
		return false;
	out->name = take_word(&at, end, grammar, &more);
	out->complete = more;
	out->text = (struct weir_slice){at, (size_t)(end - at)};
	while (grammar == SCRAPE_PROMETHEUS && out->text.length &&
	       is_blank(out->text.data[out->text.length - 1]))
		out->text.length--;
	return out->name.length > 0;
}

static const struct {
	const char *name;
	enum weir_scrape_type type;
} types[] = {
	{"counter", WEIR_SCRAPE_COUNTER},     {"gauge", WEIR_SCRAPE_GAUGE},
	{"histogram", WEIR_SCRAPE_HISTOGRAM}, {"gaugehistogram", WEIR_SCRAPE_GAUGE_HISTOGRAM},
	{"summary", WEIR_SCRAPE_SUMMARY},     {"stateset", WEIR_SCRAPE_STATE_SET},
	{"info", WEIR_SCRAPE_INFO},           {"unknown", WEIR_SCRAPE_UNKNOWN},
	{"untyped", WEIR_SCRAPE_UNKNOWN},
};

bool weir_scrape_type_parse(struct weir_slice text, enum weir_scrape_type *out)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (!weir_slice_equals(text, types[i].name))
			continue;
		*out = types[i].type;
		return true;
	}
	return false;
}

/* ---- recognition ---- */

#define SAMPLES_SNIFFED 256  /* at most */
#define LEAST_BEHIND    2    /* samples behind a first line of another kind */
#define LINE_SNIFFED    4096 /* bytes; longer lines are ignored */

struct findings {
	int metadata, samples; /* bits verified */
	size_t lines, faults, labels;
	bool begins_otherwise; /* the first line is no sample */
};

bool weir_scrape_is_openmetrics(const char *text, size_t len)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		struct weir_slice rest = {at, (size_t)(end - at)};
		const char *newline = memchr(at, '\n', rest.length);

		if (weir_slice_starts(rest, "# EOF") || weir_slice_starts(rest, "# UNIT "))
			return true;
		at = newline ? newline + 1 : end;
	}
	return false;
}

/* Returns the bits that a line of metadata verifies; 0: another comment. */
static int metadata_bits(const char *line, size_t len)
{
	struct weir_slice all = {line, len};
	struct scrape_metadata metadata;
	enum weir_scrape_type type;

	if (weir_slice_starts(all, "# EOF"))
		return 8 * 5;
	if (!weir_scrape_metadata_parse(line, len, SCRAPE_PROMETHEUS, &metadata) ||
	    !weir_scrape_is_metric_name(metadata.name))
		return 0;
	if (weir_slice_equals(metadata.keyword, "HELP") ||
	    weir_slice_equals(metadata.keyword, "UNIT"))
		return 8 * 7;
	if (weir_slice_equals(metadata.keyword, "TYPE") &&
	    weir_scrape_type_parse(metadata.text, &type))
		return 8 * (7 + (int)metadata.text.length);
	return 0;
}

/* True for "llamacpp:requests_deferred"; false for "key:", which is a line of YAML. */
static bool has_inner_colon(struct weir_slice name)
{
	const char *colon = name.length ? memchr(name.data, ':', name.length) : NULL;

	return colon && colon > name.data && colon + 1 < name.data + name.length;
}

static void sniff_sample(struct findings *found, const char *line, size_t len)
{
	struct scrape_line sample;
	char copy[LINE_SNIFFED];

	if (found->lines == SAMPLES_SNIFFED || len > sizeof copy)
		return;
	found->lines++;
	memcpy(copy, line, len);
	if (weir_scrape_line_parse(copy, len, SCRAPE_PROMETHEUS, &sample)) {
		found->begins_otherwise |= found->lines == 1;
		found->faults++;
		return;
	}
	found->labels += sample.label_count + has_inner_colon(sample.name);
	/* Braces, and for each label "=" and two quotes; the prefix of a server. */
	found->samples += sample.label_count ? 8 * (2 + 3 * (int)sample.label_count) : 0;
	found->samples += has_inner_colon(sample.name) ? 8 : 0;
}

/* True if the first line alone is no sample: a command before the page. */
static bool is_command_before(const struct findings *found)
{
	return found->begins_otherwise && found->faults == 1 && found->lines > LEAST_BEHIND;
}

int weir_scrape_sniff(const char *head, size_t len)
{
	const char *at = head, *end = head + len;
	struct findings found = {0};

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		while (length && (at[length - 1] == '\r' || at[length - 1] == ' '))
			length--;
		if (length && *at == '#')
			found.metadata += metadata_bits(at, length);
		else if (length && newline)
			sniff_sample(&found, at, length);
		at = newline ? newline + 1 : end;
	}
	if (found.metadata)
		return found.metadata + found.samples;
	/* Without metadata, each line but a command before the page must be a sample, and one must
	 * have labels or the prefix of a server: many other files have lines such as "name 12". */
	if (found.faults && !is_command_before(&found))
		return 0;
	return found.labels ? found.samples : 0;
}
