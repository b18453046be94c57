/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the summaries that AMD's profilers print: totals by name.
 *
 * - `rocpd summary`: a table for each kind of event, with blanks between the columns, below a title
 *   such as "KERNELS_SUMMARY:". Tables by process ("KERNELS_SUMMARY_BY_RANK:") state the same times
 *   again, and a table of whole kinds ("DOMAIN_SUMMARY:") does too: both are left out.
 * - `rocprofv3 --summary`: tables with bars, whose rows name their kind in a column DOMAIN. A table
 *   of one kind repeats rows of the table of all kinds: the first row of a name counts.
 *
 * Kernels and copies become operators of a run, calls of HIP, HSA and RCCL its calls. Ranges of the
 * program and allocations hold time of others and are left out.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/amd/rocm_totals.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/trace/rocm.h"

#define TOLERANCE 0.01 /* between a total and calls times their mean, which has four digits */

enum kind { KIND_NONE, KIND_WORK, KIND_CALL };

/* A table of the text. */
struct block {
	bool in_rows;   /* its header was read */
	bool bars;      /* its columns are between bars */
	enum kind kind; /* of its rows, if they do not name their own */
	int places;     /* powers of ten from its times to nanoseconds */
	size_t length;  /* of its header in bytes; whole rows are as long */
};

struct reader {
	struct weir_input *input;
	struct block block;
};

struct row {
	struct weir_slice name, domain;
	int64_t calls;
	double total_ns, mean_ns;
};

/* Returns the kind of the events of a domain, "HIP_API", or of a title, "KERNELS". */
static enum kind kind_of(struct weir_slice domain)
{
	static const struct {
		const char *start;
		enum kind kind;
	} kinds[] = {
		{"KERNEL", KIND_WORK}, {"MEMORY_COP", KIND_WORK}, {"HIP", KIND_CALL},
		{"HSA", KIND_CALL},    {"RCCL", KIND_CALL},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (weir_slice_starts(domain, kinds[i].start))
			return kinds[i].kind;
	return KIND_NONE;
}

/* Begins a table at its title. Returns false for another line. */
static bool take_title(struct reader *reader, struct weir_slice line)
{
	static const char end[] = "SUMMARY:", by_rank[] = "_SUMMARY_BY_RANK:";

	if (weir_slice_ends(line, by_rank)) {
		reader->block = (struct block){0};
		return true;
	}
	if (!weir_slice_ends(line, end))
		return false;
	reader->block = (struct block){.kind = kind_of(line)};
	return true;
}

/* Takes the header of a table. Returns false for another line. */
static bool take_header(struct reader *reader, struct weir_slice line)
{
	static const struct {
		const char *title;
		int places;
	} units[] = {{"DURATION (nsec)", 0},
	             {"DURATION (usec)", 3},
	             {"DURATION (msec)", 6},
	             {"DURATION (sec)", 9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!weir_slice_holds(line, units[i].title))
			continue;
		reader->block.in_rows = true;
		reader->block.bars = weir_slice_starts(line, "|");
		reader->block.places = units[i].places;
		reader->block.length = line.length;
		if (weir_slice_holds(line, "ProcessID"))
			reader->block.in_rows = false;
		return true;
	}
	return false;
}

/* Takes the last cell off *rest. */
static struct weir_slice take_last(struct weir_slice *rest, char separator)
{
	struct weir_slice text = weir_slice_trim(*rest);
	size_t start = text.length;

	while (start && text.data[start - 1] != separator)
		start--;
	*rest = (struct weir_slice){text.data, start ? start - 1 : 0};
	return weir_slice_trim((struct weir_slice){text.data + start, text.length - start});
}

/* Parses a time in the unit of the table; NAN: not a time. */
static double time_of(struct weir_slice text, int places)
{
	double value;
	int64_t ns;

	if (weir_parse_scaled(text.data, text.length, places, &ns))
		return (double)ns;
	if (!weir_parse_double(text.data, text.length, &value))
		return NAN;
	return value * pow(10, places);
}

/* Splits a row from its right end, because a name may hold blanks and bars. Returns false if it is
 * not whole, or its figures contradict each other. */
static bool split_row(const struct block *block, struct weir_slice line, struct row *row)
{
	char separator = block->bars ? '|' : ' ';
	struct weir_slice rest = weir_slice_trim(line), total, calls;

	if (block->bars && (!weir_slice_ends(rest, "|") || rest.length < 2))
		return false;
	if (block->bars)
		rest = (struct weir_slice){rest.data + 1, rest.length - 2};
	for (int i = 0; i < 4; i++) /* deviation, maximum, minimum, share */
		take_last(&rest, separator);
	row->mean_ns = time_of(take_last(&rest, separator), block->places);
	total = take_last(&rest, separator);
	calls = take_last(&rest, separator);
	row->domain = block->bars ? take_last(&rest, separator) : (struct weir_slice){"", 0};
	row->name = weir_slice_trim(rest);
	row->total_ns = time_of(total, block->places);
	return row->name.length && weir_parse_i64(calls.data, calls.length, &row->calls) &&
	       row->calls > 0 && row->total_ns >= 0 &&
	       fabs(row->total_ns - row->mean_ns * (double)row->calls) <=
	               TOLERANCE * row->total_ns + 1;
}

/* Adds a row to the totals of the run. */
static void add_row(struct reader *reader, const struct row *row)
{
	enum kind kind = row->domain.length ? kind_of(row->domain) : reader->block.kind;
	struct weir_run *run = reader->input->run;
	struct weir_slice name = weir_rocm_kernel_name(row->name);
	struct weir_text text = {0};

	if (kind == KIND_NONE || weir_slice_same(row->name, row->domain) ||
	    run->operators.count >= WEIR_FIGURE_MAX)
		return;
	weir_text_add(&text, name.data, name.length);
	if (kind == KIND_WORK)
		weir_rocm_add_work(run, text.data, row->total_ns, row->calls);
	else
		weir_rocm_add_call(run, text.data, row->total_ns, row->calls);
	weir_text_release(&text);
}

static void take_row(struct reader *reader, const struct weir_csv_row *csv)
{
	struct row row;

	reader->input->events++;
	if (csv->cut && csv->line.length < reader->block.length)
		weir_input_warn(reader->input, WEIR_WARN_TRUNCATED, csv->at,
		                "the last row is cut and left out");
	else if (!split_row(&reader->block, csv->line, &row))
		weir_input_warn(reader->input, WEIR_WARN_RAGGED_ROW, csv->at, NULL);
	else
		add_row(reader, &row);
}

/* Takes a line. A table ends at the first blank line below its rows. */
static void take_line(struct reader *reader, const struct weir_csv_row *csv)
{
	struct weir_slice line = weir_slice_trim(csv->line);

	if (take_title(reader, line) || take_header(reader, line))
		return;
	if (!line.length)
		reader->block.in_rows = false;
	else if (reader->block.in_rows && !weir_slice_starts(line, "|--") &&
	         (!reader->block.bars || weir_slice_starts(line, "|")))
		take_row(reader, csv);
}

static enum weir_status read_summary(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct reader reader = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		take_line(&reader, row);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (status || input->run->operators.count || input->run->metrics.count)
		return status;
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no row of kernels, copies or calls: expected a title such as "
	                 "KERNELS_SUMMARY:, a header with \"DURATION (nsec)\" and rows below it");
}

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"SUMMARY:", "DURATION (", "AVERAGE (", "PERCENT (INC)", "MIN (", "MAX ("},
                   .all = 6}},
	{0},
};

const struct weir_reader weir_reader_rocprof_summary = {
	.name = "rocprof_summary",
	.title = "summaries printed by rocpd summary and rocprofv3 --summary",
	.gives = "native run",
	.of_amd = true,
	.marks = marks,
	.read = read_summary,
};
