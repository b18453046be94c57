/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the table that PyTorch's profiler prints, key_averages().table(): totals of the whole run
 * by operator and kernel. The time of an operator is its self time on the device; rows without it
 * are no operators, unless the whole table has no device time: then it is the self time on the
 * host. Cells are aligned with runs of dashes; a title longer than its
 * column shifts the titles after it, but not the cells. Ranges of the program are listed like
 * kernels: those with more than 100 % of the device time are left out. A table that was cut before
 * its totals states them by the shares of its rows. A table with a negative total, as old versions
 * print, is left out.
 *
 * PyTorch 1.1 to 1.6 printed other titles, and times on the device that hold the calls inside an
 * operator: such a table gives times on the host. Versions before it printed no self times.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 64
#define MIN_SHARE   0.005 /* to derive a total within 1 %: shares have two places of a percent */

enum column {
	COLUMN_NAME,
	COLUMN_HOST,
	COLUMN_HOST_SHARE,
	COLUMN_INNER, /* time on the host with the calls inside it */
	COLUMN_INNER_SHARE,
	COLUMN_DEVICE,
	COLUMN_DEVICE_SHARE,
	COLUMN_CALLS,
	COLUMNS
};

/* The row with the largest share of a total, from which the total follows. */
struct base {
	double ns, share; /* share 0: no row states one */
};

struct span {
	size_t start, end; /* in characters */
};

struct table {
	struct weir_input *input;
	struct span spans[MAX_COLUMNS];
	size_t span_count;
	size_t column[COLUMNS]; /* index in spans; MAX_COLUMNS: missing */
	unsigned separators;    /* lines of dashes so far */
	struct weir_run *host;  /* operators and calls of rows without time on the device */
	struct weir_run *bare;  /* of rows with time on the device alone */
	struct weir_run *every; /* of all rows with time on the host */
	struct weir_run *cut;   /* calls: numbers of rows by the names that the table cut */
	bool repeats;           /* rows of one name differ in shapes or places in the source */
	double device_total_ms; /* that the table states; 0: none */
	bool has_host_total;    /* the table states it */
	struct base of_host, of_device;
	bool derived;      /* a total follows from shares */
	bool impossible;   /* it states a negative total */
	uint64_t start_at; /* byte of its first line of dashes */
	size_t others;     /* tables that are left out */
	size_t profiles;   /* those of cProfile among them */
	size_t negative;   /* those with a negative total among them */
	size_t rules;      /* lines of dashes behind it */
	uint64_t other_at; /* byte of the first table that is left out */
};

/* Finds the runs of dashes in a line. Returns their number; 0: not a line of dashes. */
static size_t read_spans(struct weir_slice line, struct span *spans)
{
	size_t count = 0, at = 0;

	while (at < line.length && count < MAX_COLUMNS) {
		size_t start = at;

		while (at < line.length && line.data[at] == '-')
			at++;
		if (at - start < 4)
			return 0;
		spans[count++] = (struct span){start, at};
		while (at < line.length && (line.data[at] == ' ' || line.data[at] == '\r'))
			at++;
	}
	return count > 3 ? count : 0;
}

/* Returns the byte at which a character begins, or the length of a shorter line. */
static size_t byte_of(struct weir_slice line, size_t character)
{
	size_t at = 0;

	for (; at < line.length; at++)
		if (((unsigned char)line.data[at] & 0xc0) != 0x80 && !character--)
			break;
	return at;
}

static struct weir_slice cell(const struct table *table, struct weir_slice line, enum column column)
{
	size_t span = table->column[column], start, end;

	if (span >= table->span_count)
		return (struct weir_slice){0};
	start = byte_of(line, table->spans[span].start);
	end = byte_of(line, table->spans[span].end);
	return weir_slice_trim((struct weir_slice){line.data + start, end - start});
}

static bool ends(struct weir_slice text, const char *ending)
{
	size_t length = strlen(ending);

	return text.length >= length && !memcmp(text.data + text.length - length, ending, length);
}

/* Returns the column of a title; "Self CUDA" and "Self XPU" are device time. COLUMNS: not used. */
static enum column column_of(struct weir_slice title)
{
	static const struct {
		const char *title;
		enum column column;
	} known[] = {
		{"Name", COLUMN_NAME},
		{"Self CPU", COLUMN_HOST},
		{"Self CPU %", COLUMN_HOST_SHARE},
		{"CPU total", COLUMN_INNER},
		{"CPU total %", COLUMN_INNER_SHARE},
		{"# of Calls", COLUMN_CALLS},
		/* until PyTorch 1.6 */
		{"Self CPU total", COLUMN_HOST},
		{"Self CPU total %", COLUMN_HOST_SHARE},
		{"Number of Calls", COLUMN_CALLS},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (weir_slice_equals(title, known[i].title))
			return known[i].column;
	if (!weir_slice_starts(title, "Self ") || weir_slice_starts(title, "Self CPU") ||
	    ends(title, "Mem"))
		return COLUMNS;
	return ends(title, "%") ? COLUMN_DEVICE_SHARE : COLUMN_DEVICE;
}

/* True for a column whose texts tell rows of one name apart. */
static bool is_of_calls(struct weir_slice title)
{
	return weir_slice_equals(title, "Input Shapes") ||
	       weir_slice_equals(title, "Source Location");
}

/* Reads the titles, which are at least two blanks apart. Returns false if it is not the header. */
static bool read_header(struct table *table, struct weir_slice line)
{
	size_t count = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		table->column[i] = MAX_COLUMNS;
	line = weir_slice_trim(line);
	for (size_t at = 0; at < line.length; count++) {
		size_t start = at;
		enum column column;

		while (at < line.length &&
		       (line.data[at] != ' ' || (at + 1 < line.length && line.data[at + 1] != ' ')))
			at++;
		column = column_of((struct weir_slice){line.data + start, at - start});
		table->repeats |= is_of_calls((struct weir_slice){line.data + start, at - start});
		if (column < COLUMNS && table->column[column] == MAX_COLUMNS)
			table->column[column] = count;
		while (at < line.length && line.data[at] == ' ')
			at++;
	}
	return count == table->span_count && table->column[COLUMN_NAME] == 0 &&
	       table->column[COLUMN_HOST] < count && table->column[COLUMN_CALLS] < count;
}

/* Parses a time such as "6.000ms" to nanoseconds; NAN: not a time. */
static double time_of(struct weir_slice text)
{
	static const struct {
		const char *unit;
		int places; /* powers of ten to nanoseconds */
	} units[] = {{"us", 3}, {"ms", 6}, {"ns", 0}, {"s", 9}};
	int64_t ns;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].unit);

		if (text.length > length && ends(text, units[i].unit) &&
		    weir_parse_scaled(text.data, text.length - length, units[i].places, &ns))
			return (double)ns;
	}
	return NAN;
}

static double share_of(struct weir_slice text)
{
	double value;

	return text.length > 1 && ends(text, "%") &&
	                       weir_parse_double(text.data, text.length - 1, &value)
	               ? value / 100
	               : NAN;
}

static void add(struct weir_series_table *series_table, const char *name, double value)
{
	struct weir_series *series;

	if (series_table->count >= WEIR_FIGURE_MAX && !weir_series_find(series_table, name))
		return;
	series = weir_series_get(series_table, name);
	if (!series->count)
		weir_series_push(series, 0);
	series->value[0] += value;
}

/* True for a row of dots, which stands for rows that somebody left out of the table. */
static bool is_ellipsis(struct weir_slice line)
{
	size_t dots = 0;

	for (size_t i = 0; i < line.length; i++) {
		if (!line.data[i] || !strchr(" .\xe2\x80\xa6", line.data[i]))
			return false;
		dots += line.data[i] != ' ';
	}
	return dots > 0;
}

static void note_share(struct base *base, double ns, double share)
{
	if (ns > 0 && share >= MIN_SHARE && share > base->share && share <= 1)
		*base = (struct base){ns, share};
}

/* Numbers a name that the table cut, "void f<int..." as "void f<int... (2)": it may be that of
 * another row. `kind` tells the runs apart. */
static void number_cut_name(struct table *table, char kind, struct weir_text *name)
{
	const struct weir_series *rows;
	struct weir_text key = {0};

	if (table->repeats || !ends((struct weir_slice){name->data, name->length}, "..."))
		return;
	weir_text_printf(&key, "%c%s", kind, name->data);
	add(&table->cut->calls, key.data, 1);
	rows = weir_series_find(&table->cut->calls, key.data);
	if (rows && rows->value[0] > 1)
		weir_text_printf(name, " (%.0f)", rows->value[0]);
	weir_text_release(&key);
}

/* Adds a row, with its time on the device if it has any. Rows with the same name, which differ in
 * shapes or stacks, are one operator. */
static void read_row(struct table *table, const struct weir_csv_row *row)
{
	struct weir_slice name = cell(table, row->line, COLUMN_NAME),
			  calls = cell(table, row->line, COLUMN_CALLS);
	double host = time_of(cell(table, row->line, COLUMN_HOST)),
	       device = time_of(cell(table, row->line, COLUMN_DEVICE)), device_share;
	struct weir_text text = {0};
	int64_t count;

	if (!name.length) /* a further line of a stack */
		return;
	if (host < 0 || device < 0) {
		weir_input_warn(table->input, WEIR_WARN_NEGATIVE_DURATION, row->at,
		                "a row of the table; such rows are left out");
		return;
	}
	if (isnan(host) || !weir_parse_i64(calls.data, calls.length, &count) || count < 0) {
		weir_input_warn(table->input, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_BAD_NUMBER,
		                row->at, NULL);
		return;
	}
	table->input->events++;
	device_share = share_of(cell(table, row->line, COLUMN_DEVICE_SHARE));
	if (device_share > 1)
		device = NAN;
	note_share(&table->of_host, host, share_of(cell(table, row->line, COLUMN_HOST_SHARE)));
	note_share(&table->of_host, time_of(cell(table, row->line, COLUMN_INNER)),
	           share_of(cell(table, row->line, COLUMN_INNER_SHARE)));
	note_share(&table->of_device, device, device_share);
	weir_text_add(&text, name.data, name.length);
	if (device > 0 || host > 0) {
		struct weir_run *run = device > 0 ? table->input->run : table->host;
		char kind = device > 0 ? 'd' : 'h';

		if (device > 0 && host == 0) {
			run = table->bare;
			kind = 'b';
		}
		number_cut_name(table, kind, &text);
		add(&run->operators, text.data, device > 0 ? device : host);
		add(&run->calls, text.data, (double)count);
	}
	if (host > 0)
		add(&table->every->operators, text.data, host);
	weir_text_release(&text);
}

/* Takes "Self CUDA time total: 5.678ms". */
static void read_footer(struct table *table, struct weir_slice line)
{
	static const char middle[] = " time total: ";
	const char *end = line.data + line.length, *at = line.data;
	bool of_host = weir_slice_starts(line, "Self CPU");
	double total_ms;

	if (!weir_slice_starts(line, "Self "))
		return;
	while (at && (size_t)(end - at) >= sizeof(middle) &&
	       memcmp(at, middle, sizeof(middle) - 1) != 0)
		at = memchr(at + 1, ' ', (size_t)(end - at - 1));
	if (!at || (size_t)(end - at) < sizeof(middle))
		return;
	at += sizeof(middle) - 1;
	total_ms = time_of(weir_slice_trim((struct weir_slice){at, (size_t)(end - at)})) / 1e6;
	if (!of_host && total_ms > 0)
		table->device_total_ms = total_ms;
	table->has_host_total |= of_host && total_ms > 0;
	table->impossible |= total_ms < 0;
	weir_figure_add(table->input->run,
	                of_host ? "self_host_time_total_ms" : "self_device_time_total_ms", "ms",
	                false, total_ms);
}

/* Adds a total by the largest share that a row has of it. */
static void add_total(struct table *table, const struct base *base, const char *figure)
{
	if (!(base->share > 0))
		return;
	table->derived = true;
	weir_figure_add(table->input->run, figure, "ms", false, base->ns / base->share / 1e6);
}

/* Adds the totals that the table does not state, because it was cut before them. */
static void derive_totals(struct table *table)
{
	if (!table->has_host_total)
		add_total(table, &table->of_host, "self_host_time_total_ms");
	if (table->device_total_ms > 0)
		return;
	add_total(table, &table->of_device, "self_device_time_total_ms");
	if (table->of_device.share > 0)
		table->device_total_ms = table->of_device.ns / table->of_device.share / 1e6;
}

static void leave_out(struct table *table, uint64_t at)
{
	if (!table->others++)
		table->other_at = at;
}

/* Counts the tables behind the one that is read: each has a header between lines of dashes. */
static void count_other(struct table *table, const struct weir_csv_row *row, size_t spans)
{
	if (spans) {
		table->rules++;
		return;
	}
	if (table->rules && weir_slice_starts(weir_slice_trim(row->line), "Name ") &&
	    (weir_slice_holds(row->line, "# of Calls") ||
	     weir_slice_holds(row->line, "Number of Calls")))
		leave_out(table, row->at);
}

/* Counts a table of cProfile before the one that is read, as torch.utils.bottleneck prints it. */
static void count_profile(struct table *table, const struct weir_csv_row *row)
{
	if (!weir_slice_holds(row->line, " function calls ") ||
	    !weir_slice_ends(weir_slice_trim(row->line), " seconds"))
		return;
	table->profiles++;
	leave_out(table, row->at);
}

/* Warns of the tables that are left out, and says which one is read. */
static void warn_of_others(struct table *table)
{
	static const char *const details[2][2] = {
		{"the first was read", "its total is negative; the next one was read"},
		{"a table of cProfile; the first of the PyTorch profiler was read",
	         "a table of cProfile, then one with a negative total; the next one was read"},
	};

	if (!table->others)
		return;
	weir_input_warn(table->input, WEIR_WARN_OTHER_TABLE, table->other_at,
	                details[table->profiles > 0][table->negative > 0]);
	table->input->warnings[WEIR_WARN_OTHER_TABLE].count = table->others;
}

static void make_runs(struct table *table)
{
	table->input->run = weir_run_new();
	table->host = weir_run_new();
	table->bare = weir_run_new();
	table->every = weir_run_new();
	table->cut = weir_run_new();
}

static void free_runs(struct table *table)
{
	weir_run_free(table->host);
	weir_run_free(table->bare);
	weir_run_free(table->every);
	weir_run_free(table->cut);
}

/* Leaves out the table with a negative total, to read the next one. */
static void start_again(struct table *table)
{
	static const enum weir_warning_code codes[] = {
		WEIR_WARN_NEGATIVE_DURATION, WEIR_WARN_BAD_NUMBER, WEIR_WARN_SKIPPED_EVENT};
	struct table next = {.input = table->input,
	                     .others = table->others,
	                     .other_at = table->other_at,
	                     .profiles = table->profiles,
	                     .negative = table->negative + 1};

	leave_out(&next, table->start_at);
	free_runs(table);
	weir_run_free(table->input->run);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		table->input->warnings[codes[i]] = (struct weir_warning){0};
	table->input->events = 0;
	*table = next;
	make_runs(table);
}

/* Takes a line. Three lines of dashes separate title, rows and footer. */
static void read_line(struct table *table, const struct weir_csv_row *row)
{
	struct span spans[MAX_COLUMNS];
	size_t count = read_spans(row->line, spans);

	if (table->separators == 3 && table->impossible && count)
		start_again(table);
	if (!table->separators && !count)
		count_profile(table, row);
	if (table->separators == 3) {
		if (!count && !table->rules)
			read_footer(table, row->line);
		count_other(table, row, count);
	} else if (count && (!table->separators || count == table->span_count)) {
		memcpy(table->spans, spans, sizeof(spans));
		table->span_count = count;
		if (!table->separators++)
			table->start_at = row->at;
	} else if (table->separators == 1 && !weir_slice_trim(row->line).length) {
		return; /* a log of Windows has blank lines between the lines of a table */
	} else if (table->separators == 1 && !read_header(table, row->line)) {
		table->separators = 0;
	} else if (table->separators == 2 && is_ellipsis(row->line)) {
		weir_input_warn(table->input, WEIR_WARN_SKIPPED_EVENT, row->at,
		                "a line of dots: rows of the table are missing");
	} else if (table->separators == 2) {
		read_row(table, row);
	}
}

/* Takes the rows with time on the device alone: kernels, and ranges of annotations, which a row of
 * the host without time on the device has the name of. Such a range takes the time of the kernels
 * inside it, which have rows as well, and is left out. */
static void take_bare(struct table *table)
{
	const struct weir_series_table *bare = &table->bare->operators;
	struct weir_run *run = table->input->run;

	for (size_t i = 0; i < bare->count; i++) {
		const char *name = bare->items[i].name;
		const struct weir_series *calls = weir_series_find(&table->bare->calls, name);

		if (weir_series_find(&table->host->operators, name))
			continue;
		add(&run->operators, name, bare->items[i].value[0]);
		add(&run->calls, name, calls ? calls->value[0] : 0);
	}
}

/* Adds the times on the host as figures beside those on the device: "host/NAME/total_ns". */
static void add_host_figures(struct table *table)
{
	struct weir_run *run = table->input->run;

	for (size_t i = 0; i < table->every->operators.count; i++) {
		const struct weir_series *row = &table->every->operators.items[i];
		struct weir_text name = {0};

		weir_text_printf(&name, "host/%s/total_ns", row->name);
		weir_figure_add(run, name.data, "ns", false, row->value[0]);
		weir_text_release(&name);
	}
}

/* Takes the times on the host as those of the operators if the table has no time on the device. */
static void choose_times(struct table *table)
{
	struct weir_run *run = table->input->run, *host = table->host;
	struct weir_series_table none = run->operators, no_calls = run->calls;

	if (run->operators.count || table->device_total_ms > 0) {
		add_host_figures(table);
		return;
	}
	run->operators = host->operators;
	run->calls = host->calls;
	host->operators = none;
	host->calls = no_calls;
}

/* Warns of a table that ended early, and of totals that follow from shares. */
static void warn_of_cut(struct table *table)
{
	if (table->separators == 2)
		weir_input_warn(table->input, WEIR_WARN_TRUNCATED, UINT64_MAX,
		                table->derived ? "totals follow from the shares of the rows"
		                               : NULL);
	else if (table->derived)
		weir_input_warn(table->input, WEIR_WARN_MISSING_ROWS, UINT64_MAX,
		                "it ends without the lines that state its totals");
}

/* Refuses a file whose tables have no row with a time, or a negative total. */
static enum weir_status check_table(const struct table *table, struct weir_error *err)
{
	if (table->impossible || (table->negative && !table->input->events))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the table states a negative total, which no run has: expected a "
		                 "positive \"Self CPU time total\"; record the run again with "
		                 "torch.profiler");
	if (table->input->run->operators.count || table->host->operators.count)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no row with a time: expected lines of dashes, a header with "
	                 "\"Self CPU\", and rows below it, as long as the dashes; pass one "
	                 "table as it was printed");
}

static enum weir_status read_table(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct table table = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status;

	make_runs(&table);
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		read_line(&table, row);
	weir_csv_free(csv);
	warn_of_others(&table);
	if (!status) {
		weir_damage_of_source(input, source);
		take_bare(&table);
		status = check_table(&table, err);
	}
	if (!status) {
		derive_totals(&table);
		choose_times(&table);
		warn_of_cut(&table);
	}
	free_runs(&table);
	return status;
}

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"------------  ------------", "  Self CPU %", "  CPU total %", "  CPU time avg",
                    "  # of Calls"},
                   .all = 5}},
	{.first = "",
         .texts = {{"------------  ------------", "Self CPU total %", "CPU time avg",
                    "Number of Calls"},
                   .all = 4}},
	{.first = "",
         .texts = {{"------------  ------------", "  CPU time ", "  CUDA time ", "  Calls ",
                    "  CPU total ", "  CUDA total"},
                   .all = 6},
         .refusal = "it is a table of torch.autograd.profiler before PyTorch 1.1: its times hold "
                    "those of the calls inside: record it with a later version, which prints "
                    "\"Self CPU\""},
	{0},
};

const struct weir_reader weir_reader_key_averages = {
	.name = "key_averages",
	.title = "tables of the PyTorch profiler, key_averages().table()",
	.gives = "native run",
	.marks = marks,
	.read = read_table,
};
