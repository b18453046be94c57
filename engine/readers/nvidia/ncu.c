/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads CSV of Nsight Compute: the details page (one row for each metric) and the raw page (one row
 * for each launch, and a row of units below the header). Lines that the profiler and the program
 * print may come before and between rows. Columns are found by name. The same pages as text, with a
 * line for each launch and tables below it, are in ncu_text.c. Names of hosts and programs are
 * private and are not read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/nvidia/ncu.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define ID_COLUMNS 11  /* a row with at least this number of cells belongs to the table */
#define MAX_ERROR  200 /* bytes of the profiler's own error that are reported */

static const struct weir_csv_options table = {.separator = ',', .quotes = true};

enum column {
	COLUMN_ID,
	COLUMN_PROCESS,
	COLUMN_KERNEL,
	COLUMN_BLOCK,
	COLUMN_GRID,
	COLUMN_SECTION,
	COLUMN_METRIC,
	COLUMN_UNIT,
	COLUMN_VALUE,
	COLUMN_RULE,
	COLUMN_RULE_TYPE,
	COLUMN_RULE_TEXT,
	COLUMN_SCOPE,
	COLUMN_SPEEDUP,
	COLUMN_DEVICE_NAME,
	COLUMN_AVERAGE,
	COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {
	[COLUMN_ID] = "ID",
	[COLUMN_PROCESS] = "Process ID",
	[COLUMN_KERNEL] = "Kernel Name",
	[COLUMN_BLOCK] = "Block Size",
	[COLUMN_GRID] = "Grid Size",
	[COLUMN_SECTION] = "Section Name",
	[COLUMN_METRIC] = "Metric Name",
	[COLUMN_UNIT] = "Metric Unit",
	[COLUMN_VALUE] = "Metric Value",
	[COLUMN_RULE] = "Rule Name",
	[COLUMN_RULE_TYPE] = "Rule Type",
	[COLUMN_RULE_TEXT] = "Rule Description",
	[COLUMN_SCOPE] = "Estimated Speedup Type",
	[COLUMN_SPEEDUP] = "Estimated Speedup",
	[COLUMN_DEVICE_NAME] = "device__attribute_display_name",
	[COLUMN_AVERAGE] = "Average",
};

/* A column of the raw page that holds a metric. */
struct bound {
	const struct weir_ncu_metric *metric;
	size_t column;
	struct weir_text unit;
};

struct ncu {
	struct weir_input *input;
	struct weir_counters *counters;
	struct weir_names *keys; /* texts "PROCESS LAUNCH"; their id - 1 is the row of the kernel */
	size_t columns[COLUMN_COUNT], column_count;
	struct bound *bounds; /* columns of the raw page */
	size_t bound_count, bound_capacity;
	bool has_header, details, units_read;
	bool decimal_comma;        /* numbers are written "1.234,5" */
	size_t longest;            /* cells of the longest row with more than the header; 0: none */
	struct weir_text error;    /* the first error that the profiler printed */
	struct weir_ncu_text text; /* of files without a header */
};

static bool is_number(struct weir_slice text)
{
	if (!text.length)
		return false;
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	return true;
}

static struct weir_slice cell(const struct ncu *ncu, const struct weir_csv_row *row,
                              enum column column)
{
	return weir_csv_cell(row, ncu->columns[column]);
}

/* Returns the number in a cell with a decimal point; the buffer holds it if the file has commas. */
static struct weir_slice number_in(const struct ncu *ncu, struct weir_slice text,
                                   char buffer[WEIR_NCU_MAX_NUMBER])
{
	return ncu->decimal_comma ? weir_ncu_with_point(text, buffer) : text;
}

/* ---- header ---- */

static void drop_bounds(struct ncu *ncu)
{
	for (size_t i = 0; i < ncu->bound_count; i++)
		weir_text_release(&ncu->bounds[i].unit);
	ncu->bound_count = 0;
}

static void bind(struct ncu *ncu, const struct weir_csv_row *row)
{
	const struct weir_slice raw_page = {"", 0};

	drop_bounds(ncu);
	for (size_t i = 0; i < row->count; i++) {
		const struct weir_ncu_metric *metric = weir_ncu_find(raw_page, row->cells[i]);

		if (!metric)
			continue;
		ncu->bounds = weir_grow(ncu->bounds, &ncu->bound_capacity, ncu->bound_count + 1,
		                        sizeof *ncu->bounds);
		ncu->bounds[ncu->bound_count++] = (struct bound){.metric = metric, .column = i};
	}
}

static enum weir_status take_header(struct ncu *ncu, const struct weir_csv_row *row,
                                    struct weir_error *err)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		ncu->columns[i] = weir_csv_find(row, column_names[i]);
	ncu->column_count = row->count;
	ncu->has_header = true;
	ncu->details = ncu->columns[COLUMN_METRIC] != WEIR_CSV_NO_COLUMN;
	ncu->units_read = false;
	if (ncu->columns[COLUMN_KERNEL] == WEIR_CSV_NO_COLUMN)
		return weir_fail(err, WEIR_E_FORMAT, "line %llu: a header without \"Kernel Name\"",
		                 (unsigned long long)row->number);
	if (ncu->details && ncu->columns[COLUMN_VALUE] == WEIR_CSV_NO_COLUMN)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: %s instead of \"Metric Value\": record without "
		                 "--print-summary, weir adds up launches itself",
		                 (unsigned long long)row->number,
		                 ncu->columns[COLUMN_AVERAGE] != WEIR_CSV_NO_COLUMN ? "a summary"
		                                                                    : "no value");
	drop_bounds(ncu);
	if (!ncu->details)
		bind(ncu, row);
	return WEIR_OK;
}

/* ---- rows ---- */

static int64_t whole_number(struct weir_slice text)
{
	int64_t number;

	return weir_parse_i64(text.data, text.length, &number) ? number : -1;
}

/* Finds the launch that the row describes, and adds it if it is new. */
static enum weir_status find_kernel(struct ncu *ncu, const struct weir_csv_row *row, size_t *index,
                                    struct weir_error *err)
{
	int64_t launch = whole_number(cell(ncu, row, COLUMN_ID));
	int64_t process = whole_number(cell(ncu, row, COLUMN_PROCESS));
	struct weir_counted_kernel *kernel;
	struct weir_text key = {0};

	weir_text_printf(&key, "%lld %lld", (long long)process, (long long)launch);
	*index = weir_names_add(ncu->keys, key.data, key.length) - 1;
	weir_text_release(&key);
	if (*index < ncu->counters->count)
		return WEIR_OK;
	if (ncu->counters->count == WEIR_MAX_COUNTED_KERNELS)
		return weir_fail(err, WEIR_E_LIMIT, "line %llu: more than %u launches",
		                 (unsigned long long)row->number, WEIR_MAX_COUNTED_KERNELS);
	kernel = weir_counters_add(ncu->counters);
	kernel->name =
		weir_ncu_intern(ncu->counters, cell(ncu, row, COLUMN_KERNEL), WEIR_NCU_MAX_NAME);
	kernel->launch = launch;
	kernel->process = process;
	kernel->rounded = ncu->details;
	weir_ncu_shape(cell(ncu, row, COLUMN_BLOCK), kernel->block);
	weir_ncu_shape(cell(ncu, row, COLUMN_GRID), kernel->grid);
	ncu->input->events++;
	return WEIR_OK;
}

static enum weir_finding_scope scope_of(struct weir_slice text)
{
	if (weir_slice_equals(text, "local"))
		return WEIR_FINDING_LOCAL;
	return weir_slice_equals(text, "global") ? WEIR_FINDING_GLOBAL : WEIR_FINDING_UNSTATED;
}

static enum weir_status take_finding(struct ncu *ncu, const struct weir_csv_row *row, size_t kernel,
                                     struct weir_error *err)
{
	char buffer[WEIR_NCU_MAX_NUMBER];
	struct weir_slice speedup = number_in(ncu, cell(ncu, row, COLUMN_SPEEDUP), buffer);
	struct weir_counter_finding finding = {.kernel = kernel, .speedup = NAN};
	double percent;

	if (ncu->counters->finding_count == WEIR_MAX_COUNTER_FINDINGS) {
		weir_input_warn(ncu->input, WEIR_WARN_THINNED, row->at, "findings of rules");
		return WEIR_OK;
	}
	finding.rule =
		weir_ncu_intern(ncu->counters, cell(ncu, row, COLUMN_RULE), WEIR_NCU_MAX_NAME);
	finding.kind =
		weir_ncu_intern(ncu->counters, cell(ncu, row, COLUMN_RULE_TYPE), WEIR_NCU_MAX_NAME);
	finding.text = weir_ncu_intern(ncu->counters, cell(ncu, row, COLUMN_RULE_TEXT),
	                               WEIR_MAX_FINDING_TEXT);
	finding.scope = scope_of(cell(ncu, row, COLUMN_SCOPE));
	switch (weir_ncu_number(speedup, &percent)) {
	case WEIR_NCU_VALUE:
		finding.speedup = percent / 100;
		break;
	case WEIR_NCU_LOCALIZED:
		return weir_ncu_fail_localized(row, speedup, err);
	case WEIR_NCU_BAD:
		weir_input_warn(ncu->input, WEIR_WARN_BAD_NUMBER, row->at, "Estimated Speedup");
		break;
	case WEIR_NCU_NOTHING:
		break;
	}
	weir_counters_add_finding(ncu->counters, &finding);
	return WEIR_OK;
}

static enum weir_status take_metric_row(struct ncu *ncu, const struct weir_csv_row *row,
                                        struct weir_error *err)
{
	char buffer[WEIR_NCU_MAX_NUMBER];
	const struct weir_ncu_printed printed = {
		.metric = weir_ncu_find(cell(ncu, row, COLUMN_SECTION),
	                                cell(ncu, row, COLUMN_METRIC)),
		.text = number_in(ncu, cell(ncu, row, COLUMN_VALUE), buffer),
		.unit = cell(ncu, row, COLUMN_UNIT),
	};
	size_t index;
	enum weir_status status = find_kernel(ncu, row, &index, err);

	if (!status && printed.metric)
		status = weir_ncu_take_printed(ncu->input, row, &printed,
		                               &ncu->counters->kernels[index], err);
	if (!status && cell(ncu, row, COLUMN_RULE).length)
		status = take_finding(ncu, row, index, err);
	return status;
}

static enum weir_status take_launch_row(struct ncu *ncu, const struct weir_csv_row *row,
                                        struct weir_error *err)
{
	struct weir_slice device = cell(ncu, row, COLUMN_DEVICE_NAME);
	struct weir_counted_kernel *kernel;
	size_t index;
	enum weir_status status = find_kernel(ncu, row, &index, err);

	if (status)
		return status;
	kernel = &ncu->counters->kernels[index];
	kernel->rounded = false;
	if (device.length)
		kernel->device = weir_ncu_intern(ncu->counters, device, WEIR_NCU_MAX_NAME);
	for (size_t i = 0; !status && i < ncu->bound_count; i++) {
		const struct bound *bound = &ncu->bounds[i];
		char buffer[WEIR_NCU_MAX_NUMBER];
		const struct weir_ncu_printed printed = {
			.metric = bound->metric,
			.text = number_in(ncu, weir_csv_cell(row, bound->column), buffer),
			.unit = {bound->unit.data ? bound->unit.data : "", bound->unit.length},
		};

		status = weir_ncu_take_printed(ncu->input, row, &printed, kernel, err);
	}
	return status;
}

/* Takes the row of units, below the header of the raw page. */
static void take_units(struct ncu *ncu, const struct weir_csv_row *row)
{
	for (size_t i = 0; i < ncu->bound_count; i++) {
		struct weir_slice unit = weir_csv_cell(row, ncu->bounds[i].column);

		weir_text_clear(&ncu->bounds[i].unit);
		weir_text_add(&ncu->bounds[i].unit, unit.data, unit.length);
	}
	ncu->units_read = true;
}

/* Returns true if the file ends within the row: complete rows end in a quoted or an empty cell. */
static bool is_cut(const struct ncu *ncu, const struct weir_csv_row *row)
{
	char last = row->line.length ? row->line.data[row->line.length - 1] : '\0';

	if (!row->cut)
		return false;
	return row->odd || (last != '"' && last != ',') ||
	       (!ncu->details && row->count < ncu->column_count);
}

static enum weir_status take_row(struct ncu *ncu, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	if (is_cut(ncu, row)) {
		weir_input_warn(ncu->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	if (row->count > ncu->column_count || (!ncu->details && row->count < ncu->column_count)) {
		weir_input_warn(ncu->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		if (row->count > ncu->column_count && row->count > ncu->longest)
			ncu->longest = row->count;
		return WEIR_OK;
	}
	return ncu->details ? take_metric_row(ncu, row, err) : take_launch_row(ncu, row, err);
}

/* Takes a line that is not part of the table. Keeps the profiler's first error, and counts rows of
 * the table that other output has damaged. */
static void take_other(struct ncu *ncu, const struct weir_csv_row *row)
{
	static const char mark[] = "==ERROR== ";
	struct weir_slice line = row->line;

	if (weir_slice_starts(line, mark) && !ncu->error.length) {
		line.data += strlen(mark);
		line.length -= strlen(mark);
		for (size_t i = 0; i < line.length && i < MAX_ERROR; i++)
			weir_text_add(&ncu->error,
			              (unsigned char)line.data[i] < ' ' ? " " : &line.data[i], 1);
	} else if (ncu->has_header && row->count >= ID_COLUMNS) {
		weir_input_warn(ncu->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_SKIPPED_EVENT, row->at,
		                NULL);
	}
}

static bool is_header(const struct weir_slice *cells, size_t count)
{
	return count > 2 && weir_slice_equals(cells[0], column_names[COLUMN_ID]) &&
	       weir_slice_equals(cells[1], column_names[COLUMN_PROCESS]);
}

static enum weir_status take_line(struct ncu *ncu, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	if (is_header(row->cells, row->count))
		return take_header(ncu, row, err);
	if (ncu->has_header && !ncu->details && !ncu->units_read && row->count > 2 &&
	    !row->cells[0].length) {
		take_units(ncu, row);
		return WEIR_OK;
	}
	if (ncu->has_header && row->count > 2 && is_number(row->cells[0]))
		return take_row(ncu, row, err);
	take_other(ncu, row);
	return ncu->has_header ? WEIR_OK : weir_ncu_text_take(&ncu->text, row, err);
}

/*
 * Reads a row of several lines again, line by line: if a line of the program begins with a quote,
 * it seems to extend to the next quote and hides the header.
 */
static enum weir_status take_lines(struct ncu *ncu, const struct weir_csv_row *row,
                                   struct weir_error *err)
{
	struct weir_slice rest = row->line;
	struct weir_csv_row part = *row;
	struct weir_slice *cells = weir_alloc(WEIR_CSV_MAX_CELLS * sizeof *cells);
	enum weir_status status = WEIR_OK;

	part.cells = cells;
	part.odd = false;
	while (!status && weir_csv_take_line(&rest, &part.line)) {
		part.count = weir_csv_split(part.line, &table, cells, WEIR_CSV_MAX_CELLS);
		part.cut = row->cut && !rest.length;
		status = take_line(ncu, &part, err);
		part.number++;
	}
	free(cells);
	return status;
}

static enum weir_status read_rows(struct ncu *ncu, struct weir_source *source,
                                  struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &table);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		bool several = row->odd && memchr(row->line.data, '\n', row->line.length);

		status = several ? take_lines(ncu, row, err) : take_line(ncu, row, err);
		if (status)
			break;
	}
	if (skipped->count)
		weir_input_warn(ncu->input, WEIR_WARN_SKIPPED_EVENT, skipped->first_at,
		                "a line of more than 1 MiB");
	weir_csv_free(csv);
	weir_damage_of_source(ncu->input, source);
	return status;
}

/* ---- the whole file ---- */

static enum weir_status explain_nothing(const struct ncu *ncu, struct weir_error *err)
{
	if (ncu->error.length && strstr(ncu->error.data, "ERR_NVGPUCTRPERM"))
		return weir_fail(
			err, WEIR_E_EMPTY,
			"ncu may not read counters here (ERR_NVGPUCTRPERM): record as "
			"root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0");
	if (ncu->error.length)
		return weir_fail(err, WEIR_E_EMPTY, "ncu reports: %s", ncu->error.data);
	if (!ncu->has_header)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "%s: expected what ncu prints for a kernel, or ncu --csv with "
		                 "--page raw or --page details",
		                 ncu->text.orphans
		                         ? "tables without the line of their launch (\"name(...) "
		                           "(32, 1, 1)x(256, 1, 1), Context 1, Stream 7\") above "
		                           "them"
		                         : "no header (\"ID\",\"Process ID\",...)");
	if (ncu->longest)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the header has %zu fields, and rows of kernels below it up to "
		                 "%zu: the quotes around fields with commas are lost; pass the "
		                 "file as ncu --csv wrote it, or export it again (ncu --import "
		                 "FILE --csv --page raw)",
		                 ncu->column_count, ncu->longest);
	return weir_fail(err, WEIR_E_EMPTY, "no kernel below the header");
}

/* Fails because no kernel has a duration: the launches failed, or it was not recorded. */
static enum weir_status explain_untimed(const struct ncu *ncu, struct weir_error *err)
{
	bool unmeasured = false;

	for (size_t i = 0; i < ncu->counters->count; i++)
		unmeasured |= (ncu->counters->kernels[i].absent & WEIR_NCU_NO_DURATION) != 0;
	if (unmeasured && ncu->error.length)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no duration is a number, because the profile failed; ncu "
		                 "reports: %s: make the program run without ncu, then record it "
		                 "again",
		                 ncu->error.data);
	if (unmeasured)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no duration is a number (nan or n/a): ncu could not measure the "
		                 "kernels, and what it printed while it recorded says why");
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no kernel has a duration: record with --set basic, or with "
	                 "--metrics gpu__time_duration.sum among others");
}

static enum weir_status complete(struct ncu *ncu, struct weir_error *err)
{
	bool timed = false;

	if (!ncu->counters->count)
		return explain_nothing(ncu, err);
	for (size_t i = 0; i < ncu->counters->count; i++) {
		weir_ncu_settle(&ncu->counters->kernels[i]);
		weir_counted_kernel_complete(&ncu->counters->kernels[i]);
		timed |= ncu->counters->kernels[i].duration_ns >= 0;
	}
	return timed ? WEIR_OK : explain_untimed(ncu, err);
}

static enum weir_status read_ncu(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct ncu ncu = {
		.input = input,
		.counters = weir_counters_new(),
		.keys = weir_names_new(),
	};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	weir_ncu_text_open(&ncu.text, input, ncu.counters);
	if (!status) {
		ncu.decimal_comma = weir_ncu_has_decimal_comma(head, len);
		status = read_rows(&ncu, source, err);
	}
	weir_ncu_text_close(&ncu.text);
	if (!status)
		status = complete(&ncu, err);
	if (status)
		weir_counters_free(ncu.counters);
	else
		input->counters = ncu.counters;
	drop_bounds(&ncu);
	free(ncu.bounds);
	weir_names_free(ncu.keys);
	weir_text_release(&ncu.error);
	return status;
}

/* Looks for the header, which has no quotes once a spreadsheet has written it, and for the tables
 * of a launch; if output of the program hides them, for lines of the profiler. */
static int sniff(const char *head, size_t len)
{
	static const char *const marks[] = {"==PROF== ", "==ERROR== ", "==WARNING== "};
	struct weir_slice rest = {head, len}, line, cells[3];
	int marked = weir_ncu_text_sniff(head, len);

	if (marked)
		return marked;
	while (weir_csv_take_line(&rest, &line)) {
		if ((weir_slice_starts(line, "\"ID\",") || weir_slice_starts(line, "ID,")) &&
		    is_header(cells, weir_csv_split(line, &table, cells, 3)))
			return 8 * (int)strlen("\"ID\",\"Process ID\",");
		for (size_t i = 0; !marked && i < sizeof(marks) / sizeof(marks[0]); i++)
			if (weir_slice_starts(line, marks[i]))
				marked = 8 * (int)strlen(marks[i]);
	}
	return marked;
}

const struct weir_reader weir_reader_ncu = {
	.name = "ncu",
	.title = "ncu, --page raw or --page details, as CSV (--csv) or text",
	.gives = "counters",
	.sniff = sniff,
	.read = read_ncu,
};
