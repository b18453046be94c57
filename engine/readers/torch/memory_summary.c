/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what torch.cuda.memory_summary() prints, alone or inside a log whose lines begin with other
 * text, and the message of the failed allocation before it:
 *
 *	CUDA out of memory. Tried to allocate 62.00 MiB (GPU 0; 15.90 GiB total capacity; ...)
 *	|                  PyTorch CUDA memory summary, device ID 0                 |
 *	|            CUDA OOMs: 58           |        cudaMalloc retries: 66        |
 *	|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
 *	| Allocated memory      |   14935 MB |   15377 MB |     995 GB |     980 GB |
 *	|       from large pool |   14932 MB | ...
 *
 * Units are powers of 1024, also where early versions write KB. The rows of the pools are parts of
 * the row above them and are left out. A log may hold several summaries: the first is read.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define TITLE     "memory summary, device ID "
#define MAX_VALUE 1e18

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{TITLE, "cudaMalloc retries: ", " Cur Usage ", " Peak Usage ",
                    "| Allocated memory "},
                   .all = 5}},
	{0},
};

/* The rows that are read, and the names of their figures; `bytes`: sizes, else counts. */
static const struct row {
	const char *title, *now, *peak;
	bool bytes;
} rows[] = {
	{"| Allocated memory ", "allocated_bytes", "peak_allocated_bytes", true},
	{"| Requested memory ", "requested_bytes", "peak_requested_bytes", true},
	{"| GPU reserved memory ", "reserved_bytes", "peak_reserved_bytes", true},
	{"| Non-releasable memory ", "non_releasable_bytes", "peak_non_releasable_bytes", true},
	{"| Allocations ", "allocations", "peak_allocations", false},
	{"| GPU reserved segments ", "segments", "peak_segments", false},
};

struct summary {
	struct weir_input *input;
	size_t tables;    /* summaries so far */
	uint64_t next_at; /* byte of the second one */
};

/* ---- values ---- */

/* Returns the factor of a unit to bytes; NAN: no unit of a size. */
static double unit_of(struct weir_slice word)
{
	static const struct {
		const char *name;
		double scale;
	} units[] = {{"B", 1},        {"KB", 0x1p10},  {"KiB", 0x1p10},
	             {"MB", 0x1p20},  {"MiB", 0x1p20}, {"GB", 0x1p30},
	             {"GiB", 0x1p30}, {"TB", 0x1p40},  {"TiB", 0x1p40}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (weir_slice_equals(word, units[i].name))
			return units[i].scale;
	return NAN;
}

/* Takes the next word off a text, up to a blank or one of ";.,|)" behind which a sentence goes on.
 * A point inside a number is a part of it. */
static struct weir_slice take_word(struct weir_slice *text)
{
	struct weir_slice word;
	size_t end = 0;

	*text = weir_slice_trim(*text);
	while (end < text->length && text->data[end] && !strchr(" ;,|)", text->data[end]))
		end++;
	word = (struct weir_slice){text->data, end};
	*text = (struct weir_slice){text->data + end, text->length - end};
	if (word.length > 1 && word.data[word.length - 1] == '.')
		word.length--;
	return word;
}

/* Parses "14935 MB", or a count without a unit; NAN: it is neither. */
static double value_of(struct weir_slice text, bool bytes)
{
	struct weir_slice number = take_word(&text);
	double value, scale = bytes ? unit_of(take_word(&text)) : 1;

	if (!number.length || !weir_parse_double(number.data, number.length, &value) || value < 0)
		return NAN;
	return value * scale <= MAX_VALUE ? value * scale : NAN;
}

/* Returns the text behind a phrase; empty: the line does not hold it. */
static struct weir_slice behind(struct weir_slice line, const char *phrase)
{
	const char *found = weir_slice_find(line, phrase);

	if (!found)
		return (struct weir_slice){"", 0};
	found += strlen(phrase);
	return (struct weir_slice){found, (size_t)(line.data + line.length - found)};
}

/* Takes the cell up to the next line of the table off a row. */
static struct weir_slice take_cell(struct weir_slice *rest)
{
	const char *bar = rest->length ? memchr(rest->data, '|', rest->length) : NULL;
	size_t length = bar ? (size_t)(bar - rest->data) : rest->length;
	struct weir_slice cell = {rest->data, length};

	length += bar != NULL;
	*rest = (struct weir_slice){rest->data + length, rest->length - length};
	return cell;
}

/* ---- lines ---- */

static void add(struct summary *summary, const char *figure, bool bytes, double value)
{
	weir_figure_add(summary->input->run, figure, bytes ? "B" : NULL, false, value);
}

/* Takes a row of the table: its present and its largest value. */
static void take_row(struct summary *summary, const struct weir_csv_row *line)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_slice rest = behind(line->line, rows[i].title);
		double now, peak;

		if (!rest.length)
			continue;
		take_cell(&rest); /* the rest of the title */
		now = value_of(take_cell(&rest), rows[i].bytes);
		peak = value_of(take_cell(&rest), rows[i].bytes);
		if (isnan(now) || isnan(peak) || (line->cut && !rest.length)) {
			weir_input_warn(summary->input,
			                line->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_BAD_NUMBER,
			                line->at, NULL);
			return;
		}
		add(summary, rows[i].now, rows[i].bytes, now);
		add(summary, rows[i].peak, rows[i].bytes, peak);
		summary->input->events++;
		return;
	}
}

/* Takes the message of the first failed allocation. Versions since 2.1 say "GPU 0 has a total
 * capacity of 79.15 GiB of which 4.00 MiB is free". */
static void take_failure(struct summary *summary, struct weir_slice line)
{
	static const struct {
		const char *before, *figure;
	} behind_words[] = {{"Tried to allocate ", "failed_allocation_bytes"},
	                    {"total capacity of ", "device_memory_bytes"},
	                    {" of which ", "device_free_bytes"}},
	  parts[] = {{" total capacity", "device_memory_bytes"}, {" free", "device_free_bytes"}};
	struct weir_slice rest = behind(line, "Tried to allocate "), part = {0};

	if (!rest.length)
		return;
	for (size_t i = 0; i < sizeof(behind_words) / sizeof(behind_words[0]); i++)
		add(summary, behind_words[i].figure, true,
		    value_of(behind(line, behind_words[i].before), true));
	while (rest.length) {
		const char *end = memchr(rest.data, ';', rest.length);
		size_t length = end ? (size_t)(end - rest.data) : rest.length;

		part = weir_slice_trim((struct weir_slice){rest.data, length});
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			if (weir_slice_ends(part, parts[i].before))
				add(summary, parts[i].figure, true, value_of(part, true));
		length += end != NULL;
		rest = (struct weir_slice){rest.data + length, rest.length - length};
	}
}

static void take_line(struct summary *summary, const struct weir_csv_row *line)
{
	struct weir_slice device = behind(line->line, TITLE);

	if (device.length) {
		if (++summary->tables == 2)
			summary->next_at = line->at;
		device = take_word(&device);
		if (summary->tables == 1 && device.length < 8)
			weir_figure_label(summary->input->run, "device", device);
		return;
	}
	if (summary->tables > 1)
		return;
	if (!summary->tables) {
		take_failure(summary, line->line);
		return;
	}
	add(summary, "out_of_memory_errors", false,
	    value_of(behind(line->line, "CUDA OOMs: "), false));
	add(summary, "cudamalloc_retries", false,
	    value_of(behind(line->line, "cudaMalloc retries: "), false));
	take_row(summary, line);
}

static enum weir_status read_summary(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct summary summary = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		take_line(&summary, row);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (status)
		return status;
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no row of a memory summary of PyTorch: expected \"| Allocated "
		                 "memory | 100 MB | 120 MB | ...\"; pass what "
		                 "torch.cuda.memory_summary() prints");
	if (summary.tables > 1) {
		weir_input_warn(input, WEIR_WARN_OTHER_TABLE, summary.next_at,
		                "the first summary was read");
		input->warnings[WEIR_WARN_OTHER_TABLE].count = summary.tables - 1;
	}
	return WEIR_OK;
}

const struct weir_reader weir_reader_memory_summary = {
	.name = "memory_summary",
	.title = "memory summaries of PyTorch, torch.cuda.memory_summary(), also inside a log",
	.gives = "native run",
	.marks = marks,
	.read = read_summary,
};
