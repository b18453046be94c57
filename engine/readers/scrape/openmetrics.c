/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenMetrics 1.0, by the letter: a page that breaks a rule is refused with its line, for the
 * format promises that whoever reads it can tell a whole page from a damaged one. Two things are
 * let through: lines that end in CR LF, and several whole pages one behind the other, of which the
 * first and the last count.
 */
#include <string.h>

#include "engine/readers/readers.h"
#include "engine/readers/scrape/openmetrics.h"
#include "engine/readers/scrape/openmetrics_family.h"
#include "engine/readers/scrape/scrape_build.h"
#include "engine/readers/scrape/scrape_sniff.h"

struct page_reader {
	struct scrape_builder builder;
	struct openmetrics_family family;
	struct scrape_line sample;
	uint64_t line, at; /* number of the line; its first byte */
	bool ended;        /* behind "# EOF" */
};

static void begin_page(struct page_reader *reader)
{
	weir_openmetrics_family_release(&reader->family);
	weir_openmetrics_family_init(&reader->family);
	reader->ended = false;
}

/* More behind the end of a page is a page again where it has an end as well. */
static enum weir_status next_page(struct page_reader *reader, struct weir_slice rest,
                                  const char **fault, struct weir_error *err)
{
	enum weir_status status;

	if (!weir_scrape_is_openmetrics(rest.data, rest.length)) {
		*fault = "more follows \"# EOF\"";
		return WEIR_OK;
	}
	status = weir_scrape_builder_end_page(&reader->builder, err);
	if (!status)
		begin_page(reader);
	return status;
}

static const char *read_metadata(struct page_reader *reader, struct weir_slice line)
{
	struct scrape_metadata metadata;
	enum weir_scrape_type type;
	const char *fault;

	if (weir_slice_equals(line, "# EOF")) {
		reader->ended = true;
		return weir_openmetrics_family_end(&reader->family);
	}
	if (!weir_scrape_metadata_parse(line.data, line.length, SCRAPE_OPENMETRICS, &metadata))
		return OPENMETRICS_BAD_METADATA;
	fault = weir_openmetrics_family_metadata(&reader->family, &metadata);
	if (fault)
		return fault;
	if (weir_slice_equals(metadata.keyword, "TYPE") &&
	    weir_scrape_type_parse(metadata.text, &type))
		weir_scrape_builder_type(&reader->builder, metadata.name, type);
	if (weir_slice_equals(metadata.keyword, "UNIT"))
		weir_scrape_builder_unit(&reader->builder, metadata.name, metadata.text);
	return NULL;
}

static enum weir_status read_sample(struct page_reader *reader, char *line, size_t len,
                                    const char **fault, struct weir_error *err)
{
	*fault = weir_scrape_line_parse(line, len, SCRAPE_OPENMETRICS, &reader->sample);
	if (!*fault)
		*fault = weir_openmetrics_family_sample(&reader->family, &reader->sample);
	if (*fault)
		return WEIR_OK;
	return weir_scrape_builder_add(&reader->builder, &reader->sample, reader->at, fault, err);
}

static enum weir_status read_line(struct page_reader *reader, char *line, size_t len,
                                  const char **fault, struct weir_error *err)
{
	if (!len) {
		*fault = "an empty line";
		return WEIR_OK;
	}
	if (*line != '#')
		return read_sample(reader, line, len, fault, err);
	*fault = read_metadata(reader, (struct weir_slice){line, len});
	return WEIR_OK;
}

static enum weir_status read_lines(struct page_reader *reader, struct weir_text *text,
                                   struct weir_error *err)
{
	char *at = text->data, *end = at + text->length;

	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		enum weir_status status = WEIR_OK;
		const char *fault = NULL;

		reader->line++;
		reader->at = (uint64_t)(at - text->data);
		if (len && at[len - 1] == '\r') {
			weir_input_warn(reader->builder.input, WEIR_WARN_REPAIRED_TEXT, reader->at,
			                "CR LF");
			len--;
		}
		if (reader->ended)
			status = next_page(reader, (struct weir_slice){at, (size_t)(end - at)},
			                   &fault, err);
		if (!status && !fault)
			status = read_line(reader, at, len, &fault, err);
		if (status || fault)
			return status ? status
			              : weir_fail(err, WEIR_E_FORMAT,
			                          "no valid OpenMetrics: line %llu: %s",
			                          (unsigned long long)reader->line, fault);
		at = newline ? newline + 1 : end;
	}
	if (!reader->ended)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "OpenMetrics text without its last line \"# EOF\": it is cut "
		                 "short; scrape it again");
	return WEIR_OK;
}

enum weir_status weir_openmetrics_read_text(struct weir_text *text, struct weir_input *input,
                                            struct weir_error *err)
{
	struct page_reader reader = {.line = 0};
	enum weir_status status;

	weir_scrape_builder_init(&reader.builder, input);
	weir_openmetrics_family_init(&reader.family);
	status = read_lines(&reader, text, err);
	if (!status)
		weir_scrape_builder_finish(&reader.builder);
	weir_scrape_builder_release(&reader.builder);
	weir_openmetrics_family_release(&reader.family);
	return status;
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = weir_scrape_read_text(source, &text, err);

	if (!status && weir_source_damage(source))
		status =
			weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	if (!status)
		status = weir_openmetrics_read_text(&text, input, err);
	weir_text_release(&text);
	return status;
}

static int sniff(const char *head, size_t len)
{
	return weir_scrape_is_openmetrics(head, len) ? weir_scrape_sniff(head, len) : 0;
}

const struct weir_reader weir_reader_openmetrics = {
	.name = "openmetrics",
	.title = "metrics pages of a server in OpenMetrics 1.0, one or two (before and after)",
	.gives = "scrape",
	.sniff = sniff,
	.read = read,
};
