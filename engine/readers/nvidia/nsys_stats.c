/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of `nsys stats` as CSV, or as text with columns separated by blanks or by the lines
 * of a table ("| Time (%) | Total Time (ns) | ... |"): one or several
 * in a file, perhaps with messages of the program between them. Each becomes figures of the run:
 * the total of all its rows, and the total and mean of each of the largest names. A table states
 * the share of each row: if the shares add up to less than all, rows are missing, and the total is
 * the one that the shares are of. Calls of the OS runtime and of CUDA are separate groups: a
 * thread is in both at the same time, so that they have no sum.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/totals.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/shares.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define LINES     256 /* lines of the head in which a header must appear */
#define MAX_CELLS 64
#define MAX_VALUE 1e18

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

/* The known reports. Sums come before traces, which may repeat the same figures. */
static const struct report {
	const char *figures; /* prefix of the names of its figures */
	const char *first;   /* first cell of the header, like all names here without the unit */
	const char *name, *total;
	const char *count; /* NULL: each row counts as one */
	const char *also;  /* a cell that no similar report has; NULL: not needed */
	bool bytes;        /* totals are sizes; else times */
	bool nested;       /* a row may hold the time of other rows */
} reports[] = {
	{"kernels", "Time", "Name", "Total Time", "Instances", NULL, false, false},
	{"calls", "Time", "Name", "Total Time", "Num Calls", NULL, false, false},
	{"copies", "Time", "Operation", "Total Time", "Count", NULL, false, false},
	{"copied", "Total", "Operation", "Total", "Count", NULL, true, false},
	{"ranges", "Time", "Range", "Total Time", "Instances", NULL, false, true},
	{"range_kernels", "NVTX Range", "Kernel Name", "Total Time", "Kern Inst", NULL, false,
         false},
	{"kernels", "Start", "Name", "Duration", NULL, "CorrId", false, false},
	{"ranges", "Start", "Name", "Duration", NULL, "DurNonChild", false, true},
	{"projected_ranges", "Name", "Name", "Projected Duration", NULL, "NumGPUOps", false, true},
};

#define GROUPS  3 /* of the rows of a report */
#define REPORTS (sizeof(reports) / sizeof(reports[0]))

/* The columns of a header that the reader uses. */
struct columns {
	size_t width, name, total, number;
	double scale; /* from the unit of totals to ns or bytes */
	bool text;    /* columns are separated by blanks or lines; the name is the last one */
};

/* The library whose calls a table with the column "Num Calls" lists. */
enum library {
	LIBRARY_UNKNOWN, /* no title above the table */
	LIBRARY_OS,      /* the C library and system calls */
	LIBRARY_OTHER,   /* CUDA or another API */
};

struct stats_reader {
	struct weir_input *input;
	struct weir_totals totals;
	const struct report *report; /* the one being read; NULL between reports */
	struct columns columns;      /* of that report */
	enum library title;          /* that the lines since the last table name */
	enum library library;        /* of that report, from its title or its first row */
	struct weir_shares shares;   /* of the rows of that table */
};

/* Splits a cell such as "Total Time (ns)" or "Time(%)" into the name, which it returns, and the
 * unit. */
static struct weir_slice cut_unit(struct weir_slice cell, struct weir_slice *unit)
{
	const char *open = cell.length ? memchr(cell.data, '(', cell.length) : NULL;
	size_t length = open ? (size_t)(open - cell.data) : cell.length;

	*unit = (struct weir_slice){"", 0};
	if (open && cell.data[cell.length - 1] == ')')
		*unit = (struct weir_slice){open + 1, cell.length - length - 2};
	while (length && cell.data[length - 1] == ' ')
		length--;
	return (struct weir_slice){cell.data, length};
}

static size_t find_cell(const struct weir_slice *cells, size_t count, const char *name,
                        struct weir_slice *unit)
{
	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(cut_unit(cells[i], unit), name))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

/* Returns the factor from a unit to ns or bytes; NAN: unknown unit. */
static double scale_of(const struct report *report, struct weir_slice unit)
{
	static const struct {
		const char *name;
		double scale;
		bool bytes;
	} units[] = {
		{"ns", 1, false},   {"us", 1e3, false},    {"\xc2\xb5s", 1e3, false},
		{"ms", 1e6, false}, {"s", 1e9, false},     {"sec", 1e9, false},
		{"B", 1, true},     {"KB", 1e3, true},     {"MB", 1e6, true},
		{"GB", 1e9, true},  {"KiB", 0x1p10, true}, {"MiB", 0x1p20, true},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].bytes == report->bytes && weir_slice_equals(unit, units[i].name))
			return units[i].scale;
	return NAN;
}

/* Returns the report that has this header, and its columns; NULL if the row is not a header. */
static const struct report *match_header(const struct weir_slice *cells, size_t count,
                                         struct columns *table)
{
	struct weir_slice unit, ignored;

	for (size_t i = 0; count > 2 && i < REPORTS; i++) {
		const struct report *report = &reports[i];

		if (!weir_slice_equals(cut_unit(cells[0], &ignored), report->first))
			continue;
		table->name = find_cell(cells, count, report->name, &ignored);
		table->total = find_cell(cells, count, report->total, &unit);
		table->number = report->count ? find_cell(cells, count, report->count, &ignored)
		                              : WEIR_CSV_NO_COLUMN;
		if (table->name >= count || table->total >= count ||
		    (report->count && table->number >= count) ||
		    (report->also && find_cell(cells, count, report->also, &ignored) >= count))
			continue;
		table->scale = scale_of(report, unit);
		table->width = count;
		table->text = false;
		return isnan(table->scale) ? NULL : report;
	}
	return NULL;
}

/* ---- tables of text ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Takes a cell off the text, up to a gap of at least this many blanks; a tab is a gap. */
static struct weir_slice take_cell(struct weir_slice *rest, size_t gap)
{
	struct weir_slice cell = weir_slice_trim(*rest);
	size_t length = 0, end;

	for (; length < cell.length; length = end + 1) {
		for (end = length; end < cell.length && !is_blank(cell.data[end]);)
			end++;
		length = end;
		while (end < cell.length && is_blank(cell.data[end]))
			end++;
		if (end == cell.length || end - length >= gap || cell.data[length] == '\t')
			break;
		end = length;
	}
	*rest = (struct weir_slice){cell.data + length, cell.length - length};
	cell.length = length;
	return cell;
}

static bool is_drawn(struct weir_slice line)
{
	return weir_slice_starts(line, "| ");
}

/* Splits a row of a drawn table: "| 1.5 | 20 | name |". The last of at most `width` cells is the
 * rest of the row. Returns the number of its cells; 0: a line is open at its end. */
static size_t split_drawn(struct weir_slice line, size_t width, struct weir_slice *cells)
{
	size_t count = 0;

	line = weir_slice_trim(line);
	if (line.length < 2 || line.data[line.length - 1] != '|')
		return 0;
	line = (struct weir_slice){line.data + 1, line.length - 2};
	while (count < width) {
		const char *bar = count + 1 < width ? memchr(line.data, '|', line.length) : NULL;
		size_t length = bar ? (size_t)(bar - line.data) : line.length;

		cells[count++] = weir_slice_trim((struct weir_slice){line.data, length});
		if (!bar)
			break;
		line = (struct weir_slice){bar + 1, line.length - length - 1};
	}
	return count;
}

/* Returns the report that has this header in a table of text; NULL if the line is no
 * header. Only sums are read, whose columns before the name hold numbers or single words, so that
 * rows can be split at blanks. */
static const struct report *match_text_header(struct weir_slice line, struct columns *table)
{
	struct weir_slice cells[MAX_CELLS], unit;
	const struct report *report;
	size_t count = 0;

	if (is_drawn(line))
		count = split_drawn(line, MAX_CELLS, cells);
	while (!is_drawn(line) && count < MAX_CELLS && weir_slice_trim(line).length)
		cells[count++] = take_cell(&line, 2);
	if (count < 3)
		return NULL;
	report = match_header(cells, count, table);
	table->text = true;
	if (!report || !report->count || table->name + 1 != count)
		return NULL;
	cut_unit(cells[0], &unit);
	return unit.length ? report : NULL;
}

/* Splits a row of a table of text. Returns the number of its cells. */
static size_t split_text_row(struct weir_slice line, size_t width, struct weir_slice *cells)
{
	size_t count = 0;

	if (is_drawn(line))
		return split_drawn(line, width, cells);
	while (count + 1 < width && weir_slice_trim(line).length)
		cells[count++] = take_cell(&line, 1);
	line = weir_slice_trim(line);
	if (line.length)
		cells[count++] = line;
	return count;
}

/* True for a line of dashes, dots or the like, which is no row. */
static bool is_rule(struct weir_slice line)
{
	for (size_t i = 0; i < line.length; i++)
		if ((unsigned char)line.data[i] >= '0')
			return false;
	return true;
}

/* Parses a number with commas between its groups of three digits: "24,472,143.5". */
static bool parse_grouped(struct weir_slice cell, double *out)
{
	char digits[32];
	size_t length = 0, group = 0;
	bool grouped = false, whole = true;

	for (size_t i = 0; i < cell.length; i++) {
		char c = cell.data[i];

		if (c == ',' && (!whole || !group || group > 3 || (grouped && group != 3)))
			return false;
		if (length == sizeof(digits))
			return false;
		whole &= c != '.';
		grouped |= c == ',';
		if (c != ',')
			digits[length++] = c;
		group = c == ',' ? 0 : group + whole;
	}
	return length && (!grouped || group == 3) && weir_parse_double(digits, length, out);
}

/* ---- recognition ---- */

static int header_bits(const struct report *report)
{
	size_t bytes = strlen(report->first) + strlen(report->name) + strlen(report->total) +
	               strlen(report->count ? report->count : "") +
	               strlen(report->also ? report->also : "");

	return 8 * (int)bytes;
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_CELLS];
	struct columns table;

	for (int i = 0; i < LINES && weir_csv_take_line(&rest, &line); i++) {
		size_t count = weir_csv_split(line, &options, cells, MAX_CELLS);
		const struct report *report = match_header(cells, count, &table);

		if (!report && count == 1)
			report = match_text_header(line, &table);
		if (report)
			return header_bits(report);
	}
	return 0;
}

/* Tables of text that lack the units of their columns. */
static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"Time(%)", "CUDA API Statistics", "CUDA Kernel Statistics",
                    "CUDA Memory Operation Statistics"},
                   .all = 1,
                   .any = 3},
         .refusal = "it is a table of an early Nsight Systems without units: pass what nsys stats "
                    "--format csv writes, or the database of nsys export --type sqlite"},
	{0},
};

/* Parts of "SKIPPED: run.sqlite does not contain CUDA trace data.", which nsys stats prints in
 * place of a table, and what to record. The last one holds for all. */
static const struct {
	const char *data, *reason;
} skipped_reports[] = {
	{" does not contain CUDA trace data",
         "it is the output of nsys stats without a table (SKIPPED: the recording does not contain "
         "CUDA trace data): record the program anew with nsys profile -t cuda,nvtx, and check that "
         "it runs on the device"},
	{" does not contain CUDA kernel data",
         "it is the output of nsys stats without a table (SKIPPED: the recording does not contain "
         "CUDA kernel data): record with nsys profile -t cuda,nvtx a time in which kernels run"},
	{" does not contain GPU memory data",
         "it is the output of nsys stats without a table (SKIPPED: the recording does not contain "
         "GPU memory data): pass a report of kernels (cuda_gpu_kern_sum), or record with nsys "
         "profile -t cuda,nvtx a time with copies"},
	{"NVTX",
         "it is the output of nsys stats without a table (SKIPPED: the recording does not contain "
         "NVTX data): pass a report of kernels (cuda_gpu_kern_sum), or record with nsys profile -t "
         "cuda,nvtx a program that marks ranges"},
	{"other data",
         "it is the output of nsys stats without a table (SKIPPED: the recording lacks the data of "
         "the report): record the program anew with nsys profile -t cuda,nvtx,osrt"},
};

/* Returns what to record if the line says that nsys stats skipped a report; NULL: another line. */
static const char *reason_of_skipped(struct weir_slice line)
{
	size_t i = 0;

	line = weir_slice_trim(line);
	if (!weir_slice_starts(line, "SKIPPED: ") || !weir_slice_holds(line, " does not contain "))
		return NULL;
	while (i + 1 < sizeof(skipped_reports) / sizeof(skipped_reports[0]) &&
	       !weir_slice_holds(line, skipped_reports[i].data))
		i++;
	return skipped_reports[i].reason;
}

/* Returns what the first skipped report lacks; NULL: no report was skipped. */
static const char *refuse(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	const char *reason = NULL;

	while (!reason && weir_csv_take_line(&rest, &line))
		reason = reason_of_skipped(line);
	return reason;
}

/* ---- rows ---- */

static bool ends(struct weir_slice text, const char *ending)
{
	size_t length = strlen(ending);

	return text.length > length && !memcmp(text.data + text.length - length, ending, length);
}

/* True if nsys shortened the name of a row to the width of its column. */
static bool is_cut_by_table(const struct stats_reader *reader, struct weir_slice name)
{
	return reader->columns.text && (ends(name, "\xe2\x80\xa6") || ends(name, "..."));
}

static bool read_value(struct weir_slice cell, bool grouped, double *out)
{
	return cell.length &&
	       (grouped ? parse_grouped(cell, out)
	                : weir_parse_double(cell.data, cell.length, out)) &&
	       *out >= 0 && *out <= MAX_VALUE;
}

/* Returns true for a call that nsys traces as one of the OS runtime. */
static bool is_os_call(struct weir_slice name)
{
	static const char *const starts[] = {"pthread_", "sem_", "epoll_", "sig",   "sched_",
	                                     "fork",     "wait", "mmap",   "munmap"};
	static const char *const names[] = {
		"poll",      "ppoll",  "select",  "pselect", "ioctl",          "read",
		"pread",     "readv",  "write",   "pwrite",  "writev",         "open",
		"openat",    "close",  "fopen",   "fclose",  "fread",          "fwrite",
		"fgets",     "fflush", "fcntl",   "connect", "accept",         "accept4",
		"recv",      "send",   "recvmsg", "sendmsg", "sleep",          "usleep",
		"nanosleep", "futex",  "socket",  "pipe",    "pipe2",          "dup",
		"fputs",     "putc",   "syscall", "open64",  "fopen64",        "open64at",
		"openat64",  "getc",   "bind",    "listen",  "clock_nanosleep"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (weir_slice_starts(name, starts[i]))
			return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (weir_slice_equals(name, names[i]))
			return true;
	return false;
}

/* Takes the library that a title names: " ** OS Runtime Summary (osrt_sum):", "Processing [x] with
 * [osrt_sum.py]". */
static void take_title(struct stats_reader *reader, struct weir_slice line)
{
	if (weir_slice_find(line, "osrt") || weir_slice_find(line, "OS Runtime") ||
	    weir_slice_find(line, "Operating System Runtime"))
		reader->title = LIBRARY_OS;
	else if (weir_slice_find(line, " ** ") || weir_slice_find(line, "Processing ["))
		reader->title = LIBRARY_OTHER;
}

/* Returns the group of a row: lists of device work hold copies and memsets beside kernels, tables
 * of copies hold memsets. `*number` is its place among the groups of a report. */
static const char *group_of(struct stats_reader *reader, struct weir_slice name, unsigned *number)
{
	const struct report *report = reader->report;
	bool copies = !strcmp(report->name, "Operation"),
	     work = report->also && !strcmp(report->figures, "kernels");

	*number = 0;
	if ((copies || work) && weir_slice_starts(name, "[CUDA memset")) {
		*number = 2;
		return report->bytes ? "memset_sizes" : "memsets";
	}
	if (!strcmp(report->figures, "calls") && reader->library == LIBRARY_UNKNOWN)
		reader->library = is_os_call(name) ? LIBRARY_OS : LIBRARY_OTHER;
	if (!strcmp(report->figures, "calls") && reader->library == LIBRARY_OS) {
		*number = 1;
		return "os_calls";
	}
	if (!work || !weir_slice_starts(name, "[CUDA mem"))
		return report->figures;
	*number = 1;
	return "copies";
}

/* True for tables whose first column is the share of a row in the time of all rows. */
static bool has_shares(const struct report *report)
{
	return !report->bytes && !strcmp(report->first, "Time");
}

static void take_values(struct stats_reader *reader, const struct weir_slice *cells, uint64_t at)
{
	const struct columns *columns = &reader->columns;
	const struct report *report = reader->report;
	struct weir_slice name = cells[columns->name];
	unsigned number;
	const char *group = group_of(reader, name, &number);
	struct weir_total total = {
		.order = GROUPS * (unsigned)(report - reports) + number,
		.group = group,
		.bytes = report->bytes,
		.nested = report->nested,
		.name = name,
		.apart = is_cut_by_table(reader, name),
		.count = 1,
	};

	if (!read_value(cells[columns->total], columns->text, &total.sum) ||
	    (report->count && !read_value(cells[columns->number], columns->text, &total.count))) {
		weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	total.sum *= columns->scale;
	if (has_shares(report))
		weir_shares_add(&reader->shares, cells[0], total.sum);
	if (weir_totals_add(&reader->totals, &total))
		reader->input->events++;
	else
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, at, NULL);
}

/* Returns true if the row ends a report: a message of the program, or a blank line. */
static bool ends_report(const struct weir_csv_row *row)
{
	static const char *const starts[] = {"Processing [", "SKIPPED:", "NOTICE:", "Generating ",
	                                     "WARNING:",     "ERROR:",   " ** "};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (weir_slice_starts(row->line, starts[i]))
			return true;
	return row->count == 0;
}

/* Ends a table. Counts the time of its missing rows, if its shares tell that there are any. */
static void end_table(struct stats_reader *reader)
{
	struct weir_total missing = {.apart = true, .missing = true, .name = weir_slice_of("")};

	if (!reader->report)
		return;
	missing.order = GROUPS * (unsigned)(reader->report - reports);
	missing.group = reader->report->figures;
	if (reader->library == LIBRARY_OS && !strcmp(missing.group, "calls")) {
		missing.order++;
		missing.group = "os_calls";
	}
	missing.sum = weir_shares_end(&reader->shares, reader->input, missing.group);
	if (missing.sum > 0)
		weir_totals_add(&reader->totals, &missing);
	reader->report = NULL;
}

/* Returns true if the file ends within the row. If its last cell is the name, a row without a line
 * break can be whole: a line or quote ends it, nsys shortened it, or the name seems complete. */
static bool is_cut(const struct stats_reader *reader, const struct weir_csv_row *row,
                   const struct weir_slice *cells)
{
	const struct columns *columns = &reader->columns;

	if (!row->cut || (columns->text && is_drawn(row->line)))
		return false;
	if (columns->name + 1 != columns->width || (row->odd && !columns->text))
		return true;
	return !is_cut_by_table(reader, cells[columns->name]) &&
	       !weir_total_name_is_whole(cells[columns->name]);
}

static void take_row(struct stats_reader *reader, const struct weir_csv_row *row)
{
	struct columns columns;
	const struct report *report = match_header(row->cells, row->count, &columns);
	struct weir_slice text[MAX_CELLS] = {0};
	const struct weir_slice *cells = row->cells;
	size_t count = row->count;

	if (!report && count == 1)
		report = match_text_header(row->line, &columns);
	if (report) {
		end_table(reader);
		reader->report = report;
		reader->columns = columns;
		reader->library = reader->title;
		reader->title = LIBRARY_UNKNOWN;
		return;
	}
	if (ends_report(row)) {
		end_table(reader);
		take_title(reader, row->line);
	}
	if (!reader->report || (reader->columns.text && is_rule(row->line)))
		return;
	if (reader->columns.text) {
		count = split_text_row(row->line, reader->columns.width, text);
		cells = text;
	}
	if (count == reader->columns.width && !is_cut(reader, row, cells))
		take_values(reader, cells, row->at);
	else
		weir_input_warn(reader->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, row->at,
		                NULL);
}

static enum weir_status read_rows(struct stats_reader *reader, struct weir_source *source,
                                  struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	const struct weir_csv_skipped *skipped;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row)
		take_row(reader, row);
	end_table(reader);
	skipped = weir_csv_skipped(csv);
	if (skipped->count) {
		weir_input_warn(reader->input, WEIR_WARN_RAGGED_ROW, skipped->first_at,
		                "a row of more than 1 MiB");
		reader->input->warnings[WEIR_WARN_RAGGED_ROW].count += skipped->count - 1;
	}
	weir_damage_of_source(reader->input, source);
	weir_csv_free(csv);
	return status;
}

static enum weir_status read_stats(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct stats_reader reader = {.input = input, .totals = weir_totals_new()};
	const char *skipped = NULL, *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (!status) {
		skipped = refuse(head, len);
		status = read_rows(&reader, source, err);
	}
	if (!status && !reader.totals.count && skipped)
		status = weir_fail(err, WEIR_E_EMPTY, "%s", skipped);
	else if (!status && !reader.totals.count)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no row of a report of nsys stats: expected a header such as "
		                   "\"Time (%%),Total Time (ns),Instances,...,Name\" and rows "
		                   "below it (nsys stats --format csv)");
	if (!status) {
		input->run = weir_run_new();
		weir_totals_write(&reader.totals, input->run);
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	}
	weir_totals_release(&reader.totals);
	return status;
}

const struct weir_reader weir_reader_nsys_stats = {
	.name = "nsys-stats",
	.title = "tables of nsys stats, as CSV (--format csv) or text",
	.gives = "native run",
	.marks = marks,
	.sniff = sniff,
	.refuse = refuse,
	.read = read_stats,
};
