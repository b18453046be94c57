/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the Prometheus text format 0.0.4 as it occurs in practice: with CR LF, cut, filtered,
 * concatenated, with texts instead of numbers. Damaged lines are dropped and counted as warnings.
 * OpenMetrics text, whole or cut, goes to the other reader: the head of a large page does not show
 * which of the two it is.
 */
#include <ctype.h>
#include <string.h>

#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/scrape/openmetrics.h"
#include "engine/readers/scrape/scrape_build.h"

struct page_reader {
	struct scrape_builder builder;
	struct scrape_line sample;
	uint64_t line, at;   /* number of the line; its first byte */
	uint64_t kept;       /* samples */
	uint64_t plain;      /* lines of samples that end with an integer */
	const char *foreign; /* a feature that only OpenMetrics has; NULL: not found */
};

static void warn_line(struct page_reader *reader, enum weir_warning_code code, const char *fault)
{
	struct weir_text detail = {0};

	weir_text_printf(&detail, "line %llu: %s", (unsigned long long)reader->line, fault);
	weir_input_warn(reader->builder.input, code, reader->at, detail.data);
	weir_text_release(&detail);
}

static bool only_openmetrics(enum weir_scrape_type type)
{
	return type == WEIR_SCRAPE_GAUGE_HISTOGRAM || type == WEIR_SCRAPE_STATE_SET ||
	       type == WEIR_SCRAPE_INFO;
}

static void read_metadata(struct page_reader *reader, const char *line, size_t len)
{
	struct scrape_metadata metadata;
	enum weir_scrape_type type;

	if (!weir_scrape_metadata_parse(line, len, SCRAPE_PROMETHEUS, &metadata) ||
	    !weir_slice_equals(metadata.keyword, "TYPE"))
		return; /* HELP, or a comment */
	if (!weir_scrape_type_parse(metadata.text, &type)) {
		warn_line(reader, WEIR_WARN_SKIPPED_EVENT, "unknown type");
		return;
	}
	if (only_openmetrics(type))
		reader->foreign = "the types info, stateset and gaugehistogram";
	weir_scrape_builder_type(&reader->builder, metadata.name, type);
}

static struct weir_slice last_word(const char *line, size_t len)
{
	size_t start = len;

	while (start && line[start - 1] != ' ' && line[start - 1] != '\t')
		start--;
	return (struct weir_slice){line + start, len - start};
}

/* True for "12"; false for "12.0", "1e3" and "NaN". */
static bool is_plain(struct weir_slice number)
{
	for (size_t i = 0; i < number.length; i++)
		if (!isdigit((unsigned char)number.data[i]))
			return false;
	return number.length > 0;
}

static enum weir_status read_sample(struct page_reader *reader, char *line, size_t len,
                                    struct weir_error *err)
{
	const char *fault = weir_scrape_line_parse(line, len, SCRAPE_PROMETHEUS, &reader->sample);
	bool plain = is_plain(last_word(line, len));
	enum weir_status status = WEIR_OK;

	if (!fault && reader->sample.missing) {
		warn_line(reader, WEIR_WARN_BAD_NUMBER, "not available");
		return WEIR_OK;
	}
	if (!fault && reader->sample.exemplar)
		reader->foreign = "exemplars";
	if (!fault)
		status = weir_scrape_builder_add(&reader->builder, &reader->sample, reader->at,
		                                 &fault, err);
	if (fault)
		warn_line(reader, WEIR_WARN_SKIPPED_EVENT, fault);
	reader->kept += !fault;
	reader->plain += !fault && plain;
	return status;
}

static enum weir_status read_line(struct page_reader *reader, char *line, size_t len,
                                  struct weir_error *err)
{
	while (len && (line[len - 1] == '\r' || line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (len && *line == '#')
		read_metadata(reader, line, len);
	else if (len)
		return read_sample(reader, line, len, err);
	return WEIR_OK;
}

/* True if the number that ends a page without LF can be whole: it does not stop at a point, a sign
 * or an exponent, and it has a fraction if all numbers before it have one, as some clients write
 * them.
 */
static bool may_be_whole(const struct page_reader *reader, struct weir_slice line)
{
	struct weir_slice number = last_word(line.data, line.length);

	if (!number.length || strchr(".eE+-", number.data[number.length - 1]))
		return false;
	return reader->kept == 0 || reader->plain > 0 || !is_plain(number);
}

/* Reads a last line without LF, or leaves it out with a warning if it is cut: it has no value, or
 * one that the other lines show to be cut. */
static enum weir_status read_last(struct page_reader *reader, char *line, size_t len,
                                  struct weir_error *err)
{
	struct weir_slice all = weir_slice_trim((struct weir_slice){line, len});
	struct weir_text copy = {0};
	struct scrape_line sample;
	bool whole = !all.length || *all.data == '#';

	if (!whole) {
		weir_text_add(&copy, all.data, all.length);
		whole = may_be_whole(reader, all) &&
		        !weir_scrape_line_parse(copy.data, copy.length, SCRAPE_PROMETHEUS, &sample);
		weir_text_release(&copy);
	}
	if (whole)
		return read_line(reader, line, len, err);
	warn_line(reader, WEIR_WARN_TRUNCATED, "the last line is cut and left out");
	return WEIR_OK;
}

static enum weir_status read_lines(struct page_reader *reader, struct weir_text *text,
                                   struct weir_error *err)
{
	char *at = text->data, *end = at + text->length;

	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		enum weir_status status;

		reader->line++;
		reader->at = (uint64_t)(at - text->data);
		if (!newline) {
			return read_last(reader, at, (size_t)(end - at), err);
		}
		status = read_line(reader, at, (size_t)(newline - at), err);
		if (status)
			return status;
		at = newline + 1;
	}
	return WEIR_OK;
}

static enum weir_status conclude(const struct page_reader *reader, const struct weir_text *hint,
                                 struct weir_error *err)
{
	if (reader->foreign)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "OpenMetrics text (%s) without its last line \"# EOF\": it is cut "
		                 "short; scrape it again",
		                 reader->foreign);
	if (!reader->kept)
		return weir_fail(
			err, WEIR_E_FORMAT,
			"no sample found, expected lines such as name{label=\"value\"} 1: %s",
			hint->data);
	return WEIR_OK;
}

/* Returns what a text without samples is. */
static const char *describe(const char *text, size_t length)
{
	const char *refusal = weir_sniff_refusal(&weir_reader_prometheus, text, length);

	return refusal ? refusal : weir_sniff_hint(text, length);
}

static enum weir_status read_text(struct weir_text *text, struct weir_input *input,
                                  struct weir_error *err)
{
	struct page_reader reader = {.line = 0};
	struct weir_text hint = {0};
	enum weir_status status;

	weir_text_puts(&hint, describe(text->data, text->length));
	weir_scrape_builder_init(&reader.builder, input);
	status = read_lines(&reader, text, err);
	if (!status)
		status = conclude(&reader, &hint, err);
	if (!status)
		weir_scrape_builder_finish(&reader.builder);
	weir_scrape_builder_release(&reader.builder);
	weir_text_release(&hint);
	return status;
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = weir_scrape_read_text(source, &text, err);

	if (!status && !text.length)
		status = weir_fail(err, WEIR_E_EMPTY, "the file is empty");
	if (!status && weir_source_damage(source))
		weir_input_warn(input, WEIR_WARN_TRUNCATED, UINT64_MAX, weir_source_damage(source));
	if (!status && weir_scrape_is_openmetrics(text.data, text.length)) {
		input->format = weir_reader_openmetrics.name;
		status = weir_openmetrics_read_text(&text, input, err);
	} else if (!status) {
		status = read_text(&text, input, err);
	}
	weir_text_release(&text);
	return status;
}

static int sniff(const char *head, size_t len)
{
	return weir_scrape_is_openmetrics(head, len) ? 0 : weir_scrape_sniff(head, len);
}

static const struct weir_mark marks[] = {
	{.first = "{[",
         .keys = {{"status", "data"}, .all = 2},
         .refusal = "it is an answer of a query interface (/api/v1/query?): save the page of "
                    "/metrics itself"},
	{0},
};

static bool starts_with_type(struct weir_slice text)
{
	return weir_slice_starts(text, "gauge") || weir_slice_starts(text, "counter") ||
	       weir_slice_starts(text, "label");
}

/* A row of a table that selects counters: "DCGM_FI_DEV_SM_CLOCK, gauge, SM clock". */
static bool selects_counter(struct weir_slice line)
{
	static const struct weir_csv_options commas = {.separator = ',', .trim = true};
	struct weir_slice cells[2];

	return (weir_slice_starts(line, "DCGM_") || weir_slice_starts(line, "dcgm_")) &&
	       weir_csv_split(line, &commas, cells, 2) == 2 && starts_with_type(cells[1]);
}

static const char *refuse(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;

	while (weir_csv_take_line(&rest, &line))
		if (selects_counter(line))
			return "it is the list of fields that dcgm-exporter exports, without "
			       "values: save the exporter's page of /metrics";
	return NULL;
}

const struct weir_reader weir_reader_prometheus = {
	.name = "prometheus",
	.title = "metrics pages of a server in the Prometheus text format, one or two (before and "
		 "after)",
	.gives = "scrape",
	.marks = marks,
	.sniff = sniff,
	.refuse = refuse,
	.read = read,
};
