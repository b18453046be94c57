/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/scrape/scrape_line.h"
#include "engine/readers/scrape/scrape_sniff.h"

#define LOOKED_AT 256  /* samples */
#define LINE_MAX  4096 /* longer lines count for nothing */

struct looks {
	int metadata, samples; /* bits verified */
	size_t lines, faults, labels;
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

/* The bits of a line of metadata; other comments have none. */
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

static void look_at_sample(struct looks *looks, const char *line, size_t len)
{
	struct scrape_line sample;
	char copy[LINE_MAX];

	if (looks->lines == LOOKED_AT || len > sizeof copy)
		return;
	looks->lines++;
	memcpy(copy, line, len);
	if (weir_scrape_line_parse(copy, len, SCRAPE_PROMETHEUS, &sample)) {
		looks->faults++;
		return;
	}
	looks->labels += sample.label_count;
	/* Braces, and of each label "=" and two quotes. */
	looks->samples += sample.label_count ? 8 * (2 + 3 * (int)sample.label_count) : 0;
}

int weir_scrape_sniff(const char *head, size_t len)
{
	const char *at = head, *end = head + len;
	struct looks looks = {0};

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		while (length && (at[length - 1] == '\r' || at[length - 1] == ' '))
			length--;
		if (length && *at == '#')
			looks.metadata += metadata_bits(at, length);
		else if (length && newline)
			look_at_sample(&looks, at, length);
		at = newline ? newline + 1 : end;
	}
	if (looks.metadata)
		return looks.metadata + looks.samples;
	/* Without metadata every line must be a sample, and labels must be among them: "name 12" is
	 * much else as well. */
	return looks.faults || !looks.labels ? 0 : looks.samples;
}
