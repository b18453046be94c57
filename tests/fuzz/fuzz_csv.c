/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as a delimited table: reading ends, rows follow one another in the file, every
 * byte of every cell can be read, and no cell is longer than its row. The first byte chooses the
 * options.
 */
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/parts/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static unsigned touch(struct weir_slice text)
{
	unsigned sum = 0;

	for (size_t i = 0; i < text.length; i++)
		sum += (unsigned char)text.data[i];
	return sum;
}

static void check_row(const struct weir_csv_row *row, const struct weir_csv_row *before)
{
	volatile unsigned sum = touch(row->line);

	require(row->line.length <= WEIR_CSV_MAX_LINE);
	require(row->count <= WEIR_CSV_MAX_CELLS);
	require(!before->number || row->at > before->at);
	require(row->number > before->number);
	for (size_t i = 0; i < row->count; i++) {
		require(row->cells[i].length <= row->line.length);
		sum += touch(row->cells[i]);
	}
	(void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char separators[] = {',', ';', '\t', ' '};
	struct weir_csv_row before = {0};
	const struct weir_csv_row *row;
	struct weir_csv_options options;
	struct weir_source *source;
	struct weir_csv *csv;

	if (!size)
		return 0;
	options = (struct weir_csv_options){
		.separator = separators[data[0] & 3], .quotes = data[0] & 4, .trim = data[0] & 8};
	if (weir_source_open_memory("fuzz", data + 1, size - 1, &source, NULL))
		return 0;
	csv = weir_csv_new(source, &options);
	while (!weir_csv_next(csv, &row, NULL) && row) {
		check_row(row, &before);
		before = *row;
	}
	weir_csv_free(csv);
	weir_source_free(source);
	return 0;
}
