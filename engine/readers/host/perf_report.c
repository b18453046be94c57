/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text of `perf report --stdio`: a table of functions for each event, with the share of
 * the event's count that is their own (Self, or Overhead without call graphs) and that of their
 * callees as well (Children). Call graphs below the rows are left out.
 *
 *	# Samples: 12K of event 'cycles'
 *	# Event count (approx.): 9000000000
 *	# Children      Self  Command  Shared Object  Symbol
 *	# ........  ........  .......  .............  ..................
 *	    98.10%    61.20%  serve    libops.so      [.] matmul_kernel
 *
 * Columns depend on options. A row is known by its shares and by the privilege of the function
 * ("[.]", "[k]"). Of several events, the first that is a time is read, or else the first.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/host/perf_event.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define SURE_BITS  96 /* the lines of an event and of the titles */
#define MAX_COUNT  INT64_C(1000000000000000000)
#define MAX_WORDS  16
#define MARKER     4       /* bytes of "[.] " */
#define OF_SHARES  1000000 /* total if the count of the event is missing */
#define ROW_LENGTH 3       /* words of the shortest row: share, privilege, function */

static const struct weir_csv_options blanks = {.separator = ' '};

struct table {
	bool has_children; /* the second share of a row is the own share of the function */
	bool has_object;
	size_t symbol_end; /* byte of a row behind the function; SIZE_MAX: the end of the line */
};

struct reading {
	struct weir_input *input;
	struct weir_host_profile *profile; /* of the event that is read; NULL: none so far */
	struct weir_slice event;           /* of the table; borrowed from `name` */
	char name[WEIR_MAX_HOST_EVENT];
	bool timed;       /* the event that is read is a time */
	int64_t count;    /* of the event; 0: not stated */
	int64_t samples;  /* 0: not stated, or rounded ("12K") */
	uint64_t at;      /* of the line about the event */
	uint64_t read_at; /* of that of the event that is read */
	bool skip;        /* the table is not read */
	bool has_titles;  /* rows may follow */
	struct table table;
};

/* ---- lines ---- */

/* Takes "43.01%". Returns false for other words and impossible shares. */
static bool parse_share(struct weir_slice word, double *share)
{
	return word.length > 1 && weir_slice_ends(word, "%") &&
	       weir_parse_double(word.data, word.length - 1, share) && *share >= 0 && *share <= 100;
}

/* Takes "# Samples: 12K of event 'cycles'" or "... of events 'a, b'" of a group. */
static bool parse_event(struct weir_slice line, struct weir_slice *samples,
                        struct weir_slice *event, bool *group)
{
	const char *of, *quote, *end;

	line = weir_slice_trim(line);
	if (!weir_slice_take(&line, "# Samples: "))
		return false;
	of = weir_slice_find(line, " of event");
	quote = of ? memchr(of, '\'', (size_t)(line.data + line.length - of)) : NULL;
	if (!quote)
		return false;
	*samples = weir_slice_trim((struct weir_slice){line.data, (size_t)(of - line.data)});
	*group = of[strlen(" of event")] == 's';
	end = line.data + line.length;
	while (end > quote + 1 && end[-1] != '\'')
		end--;
	*event = (struct weir_slice){quote + 1, end > quote + 1 ? (size_t)(end - quote - 2) : 0};
	return event->length > 0;
}

/* Takes the titles: "# Overhead  Command  Shared Object  Symbol". Returns false for other lines. */
static bool parse_titles(struct weir_slice line, struct table *table)
{
	struct weir_slice titles = weir_slice_trim(line), rest;
	const char *symbol = weir_slice_find(line, " Symbol");

	if (!symbol || !weir_slice_take(&titles, "# "))
		return false;
	titles = weir_slice_trim(titles);
	table->has_children =
		weir_slice_starts(titles, "Children") && weir_slice_holds(titles, " Self ");
	if (!table->has_children && !weir_slice_starts(titles, "Overhead"))
		return false;
	rest = (struct weir_slice){line.data, (size_t)(symbol - line.data)};
	table->has_object = weir_slice_holds(rest, "Shared Object");
	symbol += strlen(" Symbol");
	rest = (struct weir_slice){symbol, (size_t)(line.data + line.length - symbol)};
	rest = weir_slice_trim(rest);
	table->symbol_end = rest.length ? (size_t)(rest.data - line.data) : SIZE_MAX;
	return true;
}

/* Returns the byte of a row where the privilege of its function begins: "[.] ", "[k] "; the length
 * of the line for other lines. */
static size_t find_marker(struct weir_slice line)
{
	for (size_t i = 1; i + MARKER < line.length; i++)
		if (line.data[i - 1] == ' ' && line.data[i] == '[' && line.data[i + 2] == ']' &&
		    line.data[i + 3] == ' ' && strchr(".kguH", line.data[i + 1]) &&
		    line.data[i + 1])
			return i;
	return line.length;
}

/* ---- rows ---- */

/* The parts of a row; texts are borrowed. */
struct row {
	double self, total; /* in percent */
	struct weir_slice function, file;
	bool idle;
};

/* Parses a row of words; false if it is damaged. */
static bool parse_row(const struct table *table, struct weir_slice line,
                      const struct weir_slice *words, size_t count, struct row *row)
{
	size_t marker = find_marker(line), end = line.length;
	const char *known = line.data + marker;

	if (marker == line.length || !parse_share(words[0], &row->total))
		return false;
	row->self = row->total;
	if (table->has_children && !parse_share(words[1], &row->self))
		return false;
	if (table->symbol_end < end && table->symbol_end > marker + MARKER)
		end = table->symbol_end;
	row->function = weir_slice_trim((struct weir_slice){known + MARKER, end - marker - MARKER});
	row->file = (struct weir_slice){"", 0};
	row->idle = false;
	for (size_t i = 1 + table->has_children; i < count && words[i].data < known; i++) {
		row->idle |= weir_slice_equals(words[i], "swapper");
		if (table->has_object)
			row->file = words[i];
	}
	return row->function.length > 0;
}

/* Converts a share into a part of the count of the event. */
static int64_t part_of(int64_t count, double percent)
{
	return (int64_t)llround((double)count * percent / 100);
}

static void add_row(struct reading *reading, const struct row *row, uint64_t at)
{
	int64_t count = reading->count ? reading->count : OF_SHARES;
	struct weir_host_function function = {.self = part_of(count, row->self),
	                                      .total = part_of(count, fmax(row->total, row->self))};

	reading->input->events++;
	if (row->idle && weir_perf_event_tells_idle(reading->event)) {
		if (function.self < INT64_MAX - reading->profile->idle)
			reading->profile->idle += function.self;
		return;
	}
	function.frame = weir_host_frame(reading->profile, row->function, row->file);
	if (function.frame == UINT32_MAX)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT, at, NULL);
	else
		weir_host_add_function(reading->profile, &function);
}

/* ---- tables ---- */

/* Completes the profile of the table that ends here: rows that are not listed belong to it. */
static void end_table(struct reading *reading)
{
	struct weir_host_profile *profile = reading->profile;

	if (reading->has_titles && !reading->skip && profile && profile->total > 0) {
		int64_t whole = (reading->count ? reading->count : OF_SHARES) - profile->idle;

		profile->total = profile->total > whole ? profile->total : whole;
	}
	reading->has_titles = false;
}

static void take_event(struct reading *reading, struct weir_slice samples, struct weir_slice event,
                       bool group, uint64_t at)
{
	end_table(reading);
	reading->at = at;
	reading->count = 0;
	if (!weir_parse_i64(samples.data, samples.length, &reading->samples) ||
	    reading->samples < 0)
		reading->samples = 0;
	reading->event = (struct weir_slice){reading->name, event.length};
	if (event.length > sizeof(reading->name))
		reading->event.length = sizeof(reading->name);
	memcpy(reading->name, event.data, reading->event.length);
	reading->skip = group;
	if (group)
		weir_input_warn(reading->input, WEIR_WARN_OTHER_TABLE, at,
		                "it is of a group of events; run perf report --stdio without "
		                "--group");
}

/* Begins the rows of an event: chooses between it and the event that was read before. */
static void take_titles(struct reading *reading)
{
	bool timed = weir_perf_event_is_time(reading->event);
	struct weir_host_profile *before = reading->profile;
	static const char other[] = "the table of the first event that is a time was read";

	reading->has_titles = true;
	if (reading->skip)
		return;
	if (before && before->total > 0 && (reading->timed || !timed)) {
		weir_input_warn(reading->input, WEIR_WARN_OTHER_TABLE, reading->at, other);
		reading->skip = true;
		return;
	}
	if (before && before->total > 0)
		weir_input_warn(reading->input, WEIR_WARN_OTHER_TABLE, reading->read_at, other);
	weir_host_profile_free(before);
	reading->profile = weir_host_profile_new(WEIR_HOST_WEIGHT);
	weir_perf_event_set(reading->profile, reading->event, reading->count > 0);
	if (!reading->count)
		reading->profile->unit = WEIR_HOST_WEIGHT;
	reading->profile->samples = (uint64_t)reading->samples;
	reading->timed = timed;
	reading->read_at = reading->at;
}

static void take_row(struct reading *reading, const struct weir_csv_row *line)
{
	struct weir_slice words[MAX_WORDS] = {{"", 0}};
	size_t count = weir_csv_split(line->line, &blanks, words, MAX_WORDS);
	struct row row;
	double share;

	/* Lines of call graphs begin with other words, or hold a share alone. */
	if (count < ROW_LENGTH || !parse_share(words[0], &share))
		return;
	if (line->cut)
		weir_input_warn(reading->input, WEIR_WARN_TRUNCATED, line->at, NULL);
	else if (parse_row(&reading->table, line->line, words, count, &row))
		add_row(reading, &row, line->at);
	else
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, line->at, NULL);
}

static void take_line(struct reading *reading, const struct weir_csv_row *line)
{
	struct weir_slice text = weir_slice_trim(line->line), samples, event;
	bool group;

	if (!weir_slice_starts(text, "#")) {
		if (reading->has_titles && !reading->skip)
			take_row(reading, line);
		return;
	}
	if (parse_event(text, &samples, &event, &group)) {
		take_event(reading, samples, event, group, line->at);
	} else if (weir_slice_take(&text, "# Event count (approx.): ")) {
		if (!weir_parse_i64(text.data, text.length, &reading->count) ||
		    reading->count < 0 || reading->count > MAX_COUNT)
			reading->count = 0;
	} else if (reading->event.length && !reading->has_titles &&
	           parse_titles(line->line, &reading->table)) {
		take_titles(reading);
	}
}

/* ---- the reader ---- */

static enum weir_status read_report(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct reading reading = {.input = input};
	struct weir_csv *lines = weir_csv_new(source, &weir_host_lines);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(lines);
	const struct weir_csv_row *line;
	enum weir_status status;

	while (!(status = weir_csv_next(lines, &line, err)) && line)
		take_line(&reading, line);
	end_table(&reading);
	if (skipped->count)
		weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, skipped->first_at,
		                "a line of more than 1 MiB");
	weir_csv_free(lines);
	weir_damage_of_source(input, source);
	if (!status && !input->events)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no function in this text of perf report: expected rows such as "
		                   "\"43.01%%  serve  libops.so  [.] matmul\" below \"# Overhead  "
		                   "Command  Shared Object  Symbol\"; run perf report --stdio");
	if (!reading.profile)
		return status;
	return weir_host_settle(reading.profile, input, status, err);
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, samples, event;
	struct table table;
	bool has_event = false, group;

	while (weir_csv_take_line(&rest, &line)) {
		has_event |= parse_event(line, &samples, &event, &group);
		if (has_event && parse_titles(line, &table))
			return SURE_BITS;
	}
	return 0;
}

const struct weir_reader weir_reader_perf_report = {
	.name = "perf-report",
	.title = "perf report --stdio: functions of a host profile",
	.gives = "host profile",
	.sniff = sniff,
	.read = read_report,
};
