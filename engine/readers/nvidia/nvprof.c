/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the tables of nvprof, as text or as CSV (--csv): its summary, and the list of device work
 * (--print-gpu-trace, CSV only). Between them are messages that begin with "==".
 *
 *	==71== Profiling result:
 *	            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 *	 GPU activities:   90.00%  1.8000ms         2  900.00us  800.00us  1.0000ms  gemm(float*,
 * int)
 *
 * Early versions have no type, and a message before each table: "==71== API calls:". In CSV units
 * are in a row below the header, or in the cells. Migrations of unified memory have a table with
 * sizes, whose units are powers of 1024, and page faults of the host have a line of text.
 *
 * A file may hold the output of several processes, "==71==" and "==72==". They are different
 * measurements: the first process with device work is read, and a warning counts the others.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/totals.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/shares.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define LINES       256 /* lines of the head in which a header must appear */
#define MAX_CELLS   64
#define MAX_VALUE   1e18
#define MESSAGE     "=="
#define NO_PROCESS  (-1)
#define MAX_COMMAND 64 /* bytes of a command in a warning */

static const struct weir_csv_options commas = {.separator = ',', .quotes = true, .trim = true};
static const struct weir_csv_options blanks = {.separator = ' '};

/* The names of a header; all are required but "Type". */
static const char *const summary[] = {"Time(%)", "Time", "Calls", "Avg",
                                      "Min",     "Max",  "Name",  NULL};
static const char *const work[] = {"Start",  "Duration", "Device", "Context",
                                   "Stream", "Name",     NULL};

enum form { FORM_NONE, FORM_SUMMARY, FORM_WORK, FORM_UNIFIED };

/* The groups of figures, in their order. */
enum group { GROUP_KERNELS, GROUP_COPIES, GROUP_SETS, GROUP_CALLS, GROUP_OTHER };

#define ORDER_MIGRATED (2 * GROUP_OTHER) /* behind the groups of both forms */

/* Page faults of unified memory; NAN: not stated. */
struct faults {
	double host, device_groups;
};

/* A process that nvprof profiled. */
struct process {
	int64_t id;    /* NO_PROCESS: not stated */
	size_t number; /* of the output in the file, which tells processes with one id apart */
	char command[MAX_COMMAND];
};

static const char *const group_names[] = {"kernels", "copies", "memsets", "calls"};

struct nvprof {
	struct weir_input *input;
	struct weir_totals totals;
	enum form form; /* of the table being read */
	bool text;      /* columns are separated by blanks; the name is the last one */
	/* Columns; WEIR_CSV_NO_COLUMN: missing. */
	size_t width, type, share, time, calls, name;
	double scale;              /* from the unit of times to ns; NAN: cells have units */
	bool fresh;                /* the next row may hold units */
	enum group group;          /* of the rows that follow */
	struct weir_shares shares; /* of the rows of one type */
	struct faults faults;
	size_t outputs;           /* of nvprof, up to the line */
	struct process now, kept; /* of the line; of the totals, once they have a row */
	bool has_kept, worked;    /* worked: the totals hold device work */
	uint64_t kept_at;         /* byte of the first row in the totals */
	bool told;                /* the process of the line was counted as left out */
	size_t left_out;          /* processes whose tables are not in the totals */
	uint64_t left_out_at;     /* byte of the first row of them */
};

/* ---- headers ---- */

static size_t find_cell(const struct weir_slice *cells, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(cells[i], name))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

/* Returns the number of bits of the names if the cells have all of them; otherwise 0. */
static int match_names(const struct weir_slice *cells, size_t count, const char *const *names)
{
	int bits = 0;

	for (size_t i = 0; names[i]; i++) {
		if (find_cell(cells, count, names[i]) == WEIR_CSV_NO_COLUMN)
			return 0;
		bits += 8 * (int)strlen(names[i]);
	}
	return bits;
}

/* Takes the columns of a header. Returns the bits that verify it; 0: the line is not a header. */
static int match_header(struct weir_slice line, struct nvprof *out)
{
	struct weir_slice cells[MAX_CELLS];
	size_t count = weir_csv_split(line, &commas, cells, MAX_CELLS);
	bool text = count == 1;
	int bits;

	if (text)
		count = weir_csv_split(line, &blanks, cells, MAX_CELLS);
	bits = match_names(cells, count, summary);
	out->form = FORM_SUMMARY;
	if (!bits && !text) {
		bits = match_names(cells, count, work);
		out->form = FORM_WORK;
	}
	if (!bits)
		return 0;
	out->text = text;
	out->width = count;
	out->type = find_cell(cells, count, "Type");
	out->share = find_cell(cells, count, "Time(%)");
	out->time = find_cell(cells, count, out->form == FORM_WORK ? "Duration" : "Time");
	out->calls = find_cell(cells, count, "Calls");
	out->name = find_cell(cells, count, "Name");
	out->scale = NAN;
	out->fresh = !text;
	/* Blanks in the name of a text row make it the rest of the row. */
	return text && out->name + 1 != count ? 0 : bits;
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	struct nvprof ignored;
	int bits = 0;

	for (int i = 0; !bits && i < LINES && weir_csv_take_line(&rest, &line); i++)
		bits = match_header(line, &ignored);
	return bits;
}

/* ---- cells ---- */

/* Splits a number from its unit and returns the factor of the unit to ns; NAN: no known unit. */
static double take_unit(struct weir_slice *cell)
{
	static const struct {
		const char *name;
		double scale;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].name);

		if (cell->length < length ||
		    memcmp(cell->data + cell->length - length, units[i].name, length) != 0)
			continue;
		cell->length -= length;
		return units[i].scale;
	}
	return NAN;
}

/* Parses "1.8000ms", or a number in the unit of its column; NAN: it is neither. */
static double time_of(const struct nvprof *nvprof, struct weir_slice cell)
{
	double scale = take_unit(&cell), value;

	if (isnan(scale))
		scale = nvprof->scale;
	if (!cell.length || !weir_parse_double(cell.data, cell.length, &value))
		return NAN;
	value *= scale;
	return value >= 0 && value <= MAX_VALUE ? value : NAN;
}

static double count_of(struct weir_slice cell)
{
	int64_t count;

	return cell.length && weir_parse_i64(cell.data, cell.length, &count) && count >= 0
	               ? (double)count
	               : NAN;
}

/* Takes the row below a header of CSV, ",%,ms,,us,us,us,". */
static bool take_units(struct nvprof *nvprof, const struct weir_slice *cells, size_t count)
{
	struct weir_slice unit;
	double scale;

	if (count != nvprof->width || cells[nvprof->name].length)
		return false;
	unit = cells[nvprof->time];
	scale = take_unit(&unit);
	if (isnan(scale) || unit.length)
		return false;
	nvprof->scale = scale;
	return true;
}

/* Returns the group of a type such as "GPU activities:". */
static enum group group_of(struct weir_slice type)
{
	if (weir_slice_starts(type, "GPU activities"))
		return GROUP_KERNELS;
	return weir_slice_starts(type, "API calls") ? GROUP_CALLS : GROUP_OTHER;
}

/* Removes the number of a launch that follows its name in a list of work: "gemm(int) [115]". */
static struct weir_slice without_number(struct weir_slice name)
{
	size_t at = name.length;

	if (!at || name.data[at - 1] != ']')
		return name;
	at--;
	while (at && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
		at--;
	if (at < 2 || at + 1 == name.length || name.data[at - 1] != '[' || name.data[at - 2] != ' ')
		return name;
	return (struct weir_slice){name.data, at - 2};
}

/* ---- processes ---- */

/* Keeps the command of "Profiling application: ./app 15" or "..., command: ./app 15". */
static void take_command(struct process *process, struct weir_slice message)
{
	static const char *const marks[] = {"Profiling application: ", ", command: "};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *found = weir_slice_find(message, marks[i]);
		struct weir_slice command;

		if (!found)
			continue;
		found += strlen(marks[i]);
		command = weir_slice_trim((struct weir_slice){
			found, (size_t)(message.data + message.length - found)});
		if (command.length >= MAX_COMMAND)
			command.length = MAX_COMMAND - 1;
		memcpy(process->command, command.data, command.length);
		process->command[command.length] = '\0';
	}
}

/* Takes the process of "==71== Profiling result:". Containers repeat its number: the line that
 * begins an output tells them apart. */
static void take_process(struct nvprof *nvprof, struct weir_slice message)
{
	bool begins = weir_slice_holds(message, "NVPROF is profiling process");
	struct weir_slice rest = message;
	const char *end;
	int64_t id;

	if (!weir_slice_take(&rest, MESSAGE))
		return;
	end = weir_slice_find(rest, MESSAGE);
	if (!end || !weir_parse_i64(rest.data, (size_t)(end - rest.data), &id) || id < 0)
		return;
	if (nvprof->now.id == NO_PROCESS && !begins)
		nvprof->now.id = id; /* the tables above lack a message */
	if (begins || id != nvprof->now.id) {
		bool again = !begins && nvprof->has_kept && id == nvprof->kept.id;
		size_t number = nvprof->outputs += !again;

		nvprof->now = again ? nvprof->kept : (struct process){.id = id, .number = number};
		nvprof->told = false;
	}
	take_command(&nvprof->now, message);
}

/* Counts a process whose tables are left out. */
static void leave_out(struct nvprof *nvprof, uint64_t at)
{
	if (!nvprof->left_out++)
		nvprof->left_out_at = at;
}

/* True if the row is one of the process that is read. Device work of a process replaces the calls
 * of those before it, which are left out. */
static bool is_of_kept(struct nvprof *nvprof, bool of_device, uint64_t at)
{
	if (nvprof->has_kept && nvprof->kept.number == nvprof->now.number) {
		nvprof->worked |= of_device;
		return true;
	}
	if (nvprof->has_kept && (nvprof->worked || !of_device)) {
		if (!nvprof->told)
			leave_out(nvprof, at);
		nvprof->told = true;
		return false;
	}
	if (nvprof->has_kept) {
		weir_totals_release(&nvprof->totals);
		nvprof->totals = weir_totals_new();
		nvprof->faults = (struct faults){NAN, NAN};
		nvprof->input->events = 0;
		if (!nvprof->told)
			leave_out(nvprof, nvprof->kept_at);
		nvprof->told = true;
	}
	nvprof->kept = nvprof->now;
	nvprof->kept_at = at;
	nvprof->has_kept = true;
	nvprof->worked = of_device;
	return true;
}

/* Warns of processes that were left out, and names the one that was read. */
static void warn_of_others(const struct nvprof *nvprof)
{
	struct weir_text detail = {0};

	if (!nvprof->left_out)
		return;
	weir_text_printf(&detail, "process %lld%s%s was read", (long long)nvprof->kept.id,
	                 *nvprof->kept.command ? " of " : "", nvprof->kept.command);
	weir_input_warn(nvprof->input, WEIR_WARN_OTHER_PROCESS, nvprof->left_out_at, detail.data);
	nvprof->input->warnings[WEIR_WARN_OTHER_PROCESS].count = nvprof->left_out;
	weir_text_release(&detail);
}

/* ---- rows ---- */

static void add_row(struct nvprof *nvprof, const struct weir_slice *cells, uint64_t at)
{
	bool is_work = nvprof->form == FORM_WORK;
	enum group group = nvprof->group;
	struct weir_total total = {
		.name = is_work ? without_number(cells[nvprof->name]) : cells[nvprof->name],
		.sum = time_of(nvprof, cells[nvprof->time]),
		.count = is_work ? 1 : count_of(cells[nvprof->calls]),
	};

	if (isnan(total.sum) || isnan(total.count)) {
		weir_input_warn(nvprof->input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	if (group == GROUP_OTHER || !is_of_kept(nvprof, group == GROUP_KERNELS, at))
		return;
	if (!is_work)
		weir_shares_add(&nvprof->shares, cells[nvprof->share], total.sum);
	if (group == GROUP_KERNELS && weir_slice_starts(total.name, "[CUDA memset"))
		group = GROUP_SETS;
	else if (group == GROUP_KERNELS && weir_slice_starts(total.name, "[CUDA mem"))
		group = GROUP_COPIES;
	total.group = group_names[group];
	total.order = (unsigned)group + (is_work ? GROUP_OTHER : 0);
	if (weir_totals_add(&nvprof->totals, &total))
		nvprof->input->events++;
	else
		weir_input_warn(nvprof->input, WEIR_WARN_SKIPPED_EVENT, at, NULL);
}

/* ---- unified memory ---- */

/* Takes the columns of a header of unified memory; false: the line is not such a header. */
static bool match_unified(struct weir_slice line, struct nvprof *out)
{
	struct weir_slice cells[MAX_CELLS];
	size_t count = weir_csv_split(line, &commas, cells, MAX_CELLS);

	*out = (struct nvprof){.form = FORM_UNIFIED, .type = WEIR_CSV_NO_COLUMN};
	if (count == 1) {
		line = weir_slice_trim(line);
		out->text = true;
		out->width = 7;
		out->name = 6;
		out->time = 4; /* the total size */
		return weir_slice_starts(line, "Count ") && weir_slice_holds(line, "Total Size");
	}
	out->width = count;
	out->calls = find_cell(cells, count, "Count");
	out->time = find_cell(cells, count, "Total Size");
	out->name = count - 1;
	return out->calls < count && out->time < count && !cells[out->name].length;
}

/* Returns the bytes of "6.304688MB"; NAN: it is no size. */
static double bytes_of(struct weir_slice cell)
{
	static const struct {
		const char *name;
		double scale;
	} units[] = {{"KB", 0x1p10}, {"MB", 0x1p20}, {"GB", 0x1p30}, {"B", 1}};
	double value;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!weir_slice_ends(cell, units[i].name))
			continue;
		cell.length -= strlen(units[i].name);
		if (!weir_parse_double(cell.data, cell.length, &value))
			return NAN;
		value *= units[i].scale;
		return value >= 0 && value <= MAX_VALUE ? value : NAN;
	}
	return NAN;
}

/* Adds a row: migrations in one direction, or groups of page faults of the device, which CSV prints
 * as a size. */
static void add_migrations(struct nvprof *nvprof, const struct weir_slice *cells, uint64_t at)
{
	double bytes = bytes_of(cells[nvprof->time]), count = count_of(cells[nvprof->calls]);
	struct weir_total total = {.order = ORDER_MIGRATED,
	                           .group = "migrated",
	                           .bytes = true,
	                           .name = cells[nvprof->name],
	                           .sum = bytes,
	                           .count = count};

	if (!is_of_kept(nvprof, true, at))
		return;
	if (weir_slice_starts(total.name, "Gpu page fault")) {
		count = isnan(count) ? bytes : count;
		if (!isnan(count))
			nvprof->faults.device_groups =
				fmax(nvprof->faults.device_groups, 0) + count;
		return;
	}
	if (isnan(bytes) || isnan(count)) {
		weir_input_warn(nvprof->input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	if (weir_totals_add(&nvprof->totals, &total))
		nvprof->input->events++;
}

/* Takes "Total CPU Page faults: 49", which are no work of a device; false for other lines. */
static bool take_faults(struct nvprof *nvprof, struct weir_slice line, uint64_t at)
{
	double count;

	line = weir_slice_trim(line);
	if (!weir_slice_take(&line, "Total CPU Page faults:"))
		return false;
	count = count_of(weir_slice_trim(line));
	if (!isnan(count) && is_of_kept(nvprof, false, at))
		nvprof->faults.host = fmax(nvprof->faults.host, 0) + count;
	return true;
}

/* Ends the rows of one type, whose shares add up to all. Time of missing rows counts as that of
 * kernels or calls. */
static void end_type(struct nvprof *nvprof)
{
	struct weir_total missing = {
		.group = group_names[nvprof->group == GROUP_CALLS ? GROUP_CALLS : GROUP_KERNELS],
		.order = nvprof->group == GROUP_CALLS ? GROUP_CALLS : GROUP_KERNELS,
		.apart = true,
		.missing = true,
		.name = weir_slice_of(""),
	};

	missing.sum = weir_shares_end(&nvprof->shares, nvprof->input, missing.group);
	if (missing.sum > 0)
		weir_totals_add(&nvprof->totals, &missing);
}

/* Splits a row of a table of text into the cells of its header. A type ends with a colon before the
 * share, and holds for the rows below as well. */
static size_t split_text(struct nvprof *nvprof, struct weir_slice line, struct weir_slice *cells)
{
	const char *share = memchr(line.data, '%', line.length);
	const char *colon = memchr(line.data, ':', line.length);
	size_t count = 0;

	line = weir_slice_trim(line);
	if (nvprof->type != WEIR_CSV_NO_COLUMN) {
		cells[count++] = (struct weir_slice){"", 0};
		if (colon && share && colon < share) {
			cells[0] = (struct weir_slice){line.data, (size_t)(colon - line.data)};
			line.length -= cells[0].length + 1;
			line.data = colon + 1;
		}
	}
	for (; count + 1 < nvprof->width; count++) {
		line = weir_slice_trim(line);
		if (!line.length)
			return count;
		cells[count] = (struct weir_slice){line.data, 0};
		while (cells[count].length < line.length && line.data[cells[count].length] != ' ')
			cells[count].length++;
		line.data += cells[count].length;
		line.length -= cells[count].length;
	}
	cells[count] = weir_slice_trim(line);
	return cells[count].length ? count + 1 : count;
}

/* Returns the rest of a line behind a number of commas. */
static struct weir_slice behind_commas(struct weir_slice line, size_t commas_before)
{
	for (; commas_before > 0; commas_before--) {
		const char *comma = line.length ? memchr(line.data, ',', line.length) : NULL;

		if (!comma)
			return (struct weir_slice){"", 0};
		line.length -= (size_t)(comma - line.data) + 1;
		line.data = comma + 1;
	}
	return weir_slice_trim(line);
}

/* Gives the cells of a row. Early versions do not quote names: a comma in one splits it, and the
 * rest of the line is the name. Returns the number of cells. */
static size_t split_row(struct nvprof *nvprof, const struct weir_csv_row *row,
                        struct weir_slice *cells)
{
	size_t count = row->count < MAX_CELLS ? row->count : MAX_CELLS;

	if (nvprof->text)
		return split_text(nvprof, row->line, cells);
	memcpy(cells, row->cells, count * sizeof(*cells));
	if (count <= nvprof->width || nvprof->name + 1 != nvprof->width ||
	    memchr(row->line.data, '"', row->line.length))
		return count;
	cells[nvprof->name] = behind_commas(row->line, nvprof->name);
	return nvprof->width;
}

/* Returns true if the file ends within the row, whose last cell is the name. */
static bool is_cut(const struct nvprof *nvprof, const struct weir_csv_row *row,
                   const struct weir_slice *cells, size_t count)
{
	if (!row->cut)
		return false;
	if ((row->odd && !nvprof->text) || count != nvprof->width || nvprof->name + 1 != count)
		return true;
	return !weir_total_name_is_whole(cells[nvprof->name]);
}

static void take_cells(struct nvprof *nvprof, const struct weir_csv_row *row)
{
	struct weir_slice cells[MAX_CELLS] = {0};
	size_t count = split_row(nvprof, row, cells);
	bool fresh = nvprof->fresh;

	nvprof->fresh = false;
	if (fresh && take_units(nvprof, cells, count))
		return;
	if (is_cut(nvprof, row, cells, count))
		weir_input_warn(nvprof->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else if (count != nvprof->width)
		weir_input_warn(nvprof->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
	if (count != nvprof->width) /* a cut row with all cells ends in the name */
		return;
	if (nvprof->form == FORM_UNIFIED) {
		add_migrations(nvprof, cells, row->at);
		return;
	}
	if (nvprof->type != WEIR_CSV_NO_COLUMN && cells[nvprof->type].length &&
	    group_of(cells[nvprof->type]) != nvprof->group) {
		end_type(nvprof);
		nvprof->group = group_of(cells[nvprof->type]);
	}
	add_row(nvprof, cells, row->at);
}

/* Begins the table of a header. */
static void begin_table(struct nvprof *nvprof, const struct nvprof *header)
{
	end_type(nvprof);
	nvprof->form = header->form;
	nvprof->text = header->text;
	nvprof->width = header->width;
	nvprof->type = header->type;
	nvprof->share = header->share;
	nvprof->time = header->time;
	nvprof->calls = header->calls;
	nvprof->name = header->name;
	nvprof->scale = header->scale;
	nvprof->fresh = header->fresh;
}

static void take_row(struct nvprof *nvprof, const struct weir_csv_row *row)
{
	struct nvprof header = {0};

	if (take_faults(nvprof, row->line, row->at))
		return;
	if (!row->count || weir_slice_starts(row->line, MESSAGE)) {
		end_type(nvprof);
		nvprof->form = FORM_NONE;
		take_process(nvprof, row->line);
		if (weir_slice_holds(row->line, "API calls:"))
			nvprof->group = GROUP_CALLS;
		else if (row->count)
			nvprof->group = GROUP_KERNELS;
	} else if (match_header(row->line, &header) || match_unified(row->line, &header)) {
		begin_table(nvprof, &header);
	} else if (nvprof->form == FORM_UNIFIED && weir_slice_starts(row->line, "Device \"")) {
		nvprof->form = FORM_NONE; /* of the next device */
	} else if (nvprof->form != FORM_NONE) {
		take_cells(nvprof, row);
	}
}

static enum weir_status read_rows(struct nvprof *nvprof, struct weir_source *source,
                                  struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &commas);
	const struct weir_csv_row *row;
	const struct weir_csv_skipped *skipped;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row)
		take_row(nvprof, row);
	end_type(nvprof);
	skipped = weir_csv_skipped(csv);
	if (skipped->count) {
		weir_input_warn(nvprof->input, WEIR_WARN_RAGGED_ROW, skipped->first_at,
		                "a row of more than 1 MiB");
		nvprof->input->warnings[WEIR_WARN_RAGGED_ROW].count += skipped->count - 1;
	}
	weir_damage_of_source(nvprof->input, source);
	weir_csv_free(csv);
	return status;
}

static enum weir_status read_nvprof(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct nvprof nvprof = {.input = input,
	                        .totals = weir_totals_new(),
	                        .faults = {NAN, NAN},
	                        .now.id = NO_PROCESS};
	enum weir_status status = read_rows(&nvprof, source, err);

	if (!status && !nvprof.totals.count)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no row of a table of nvprof: expected a header such as "
		                   "\"Type,Time(%%),Time,Calls,Avg,Min,Max,Name\" and rows with "
		                   "times below it");
	if (!status) {
		input->run = weir_run_new();
		weir_totals_write(&nvprof.totals, input->run);
		weir_figure_add(input->run, "cpu_page_faults", NULL, false, nvprof.faults.host);
		weir_figure_add(input->run, "gpu_page_fault_groups", NULL, false,
		                nvprof.faults.device_groups);
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
		warn_of_others(&nvprof);
	}
	weir_totals_release(&nvprof.totals);
	return status;
}

const struct weir_reader weir_reader_nvprof = {
	.name = "nvprof",
	.title = "tables of nvprof, as text or CSV (--csv)",
	.gives = "native run",
	.sniff = sniff,
	.read = read_nvprof,
};
