/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rocm-smi ... --csv`, `amd-smi monitor --csv` and `amd-smi metric --csv`; watched, every tick may
 * repeat its header. JSON of the same tools goes to amd_json.c. */
#include <string.h>

#include "engine/readers/monitor/amd.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_CELLS 512 /* of the lines that are sniffed */
#define LINES     16  /* in which a header must show: warnings may stand above it */

static const struct weir_csv_options table = {.separator = ',', .quotes = true, .trim = true};

/* The tables of columns, and how many of their gauges make a header: some names are short. */
static const struct {
	const struct weir_monitor_field *fields;
	size_t needed;
} families[] = {
	{weir_amd_rocm_fields, 1},
	{weir_amd_monitor_fields, 2},
	{weir_amd_metric_fields, 2},
};

/* Bits that a header of this family verifies; 0: it is none. */
static int family_bits(size_t family, const struct weir_slice *cells, size_t count)
{
	const struct weir_monitor_unit *unit;
	bool devices = false;
	size_t measures = 0;
	int bits = 0;

	for (size_t i = 0; i < count; i++) {
		const struct weir_monitor_field *field =
			weir_monitor_find(families[family].fields, cells[i], &unit);

		if (!field)
			continue;
		bits += 8 * (int)strlen(field->name);
		devices |= field->kind == WEIR_MONITOR_DEVICE;
		measures += field->kind <= WEIR_MONITOR_REASON_SHARE;
	}
	return devices && measures >= families[family].needed ? bits : 0;
}

/* The family that knows most of a header; NULL where the row is none. */
static const struct weir_monitor_field *choose_family(const struct weir_slice *cells, size_t count,
                                                      int *bits)
{
	static const char *const first[] = {"device", "gpu", "timestamp"};
	const struct weir_monitor_field *best = NULL;
	bool candidate = false;

	*bits = 0;
	for (size_t i = 0; count && i < sizeof(first) / sizeof(first[0]); i++)
		candidate |= weir_monitor_same(cells[0], first[i]);
	for (size_t i = 0; candidate && i < sizeof(families) / sizeof(families[0]); i++) {
		int found = family_bits(i, cells, count);

		if (found > *bits) {
			best = families[i].fields;
			*bits = found;
		}
	}
	return best;
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_CELLS];
	char first = weir_sniff_first(head, len);
	int bits = 0;

	if (first == '{' || first == '[')
		return weir_amd_sniff_json(head, len);
	for (int i = 0; !bits && i < LINES && weir_csv_take_line(&rest, &line); i++)
		choose_family(cells, weir_csv_split(line, &table, cells, MAX_CELLS), &bits);
	return bits;
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	const struct weir_monitor_field *fields;
	int bits;

	fields = choose_family(row->cells, row->count, &bits);
	if (fields) {
		monitor->fields = fields;
		weir_monitor_bind(monitor, row->cells, row->count);
		return WEIR_OK;
	}
	if (!weir_monitor_fits(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static enum weir_status read_amd(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	static const struct weir_monitor_table monitor = {
		.fields = weir_amd_metric_fields,
		.options = &table,
		.take = take_row,
		.header = "rocm-smi --csv, amd-smi monitor --csv or amd-smi metric --csv",
	};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	if (first == '{' || first == '[')
		return weir_amd_read_json(source, input, err);
	return weir_monitor_read(&monitor, source, input, err);
}

const struct weir_reader weir_reader_amd = {
	.name = "amd-smi",
	.title = "rocm-smi and amd-smi (monitor, metric) with --csv or --json",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_amd,
};
