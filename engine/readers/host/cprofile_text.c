/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text of cProfile (python -m cProfile, pstats.print_stats): the number of calls and the
 * time of the whole profile, and a row for each function.
 *
 *	         197 function calls (192 primitive calls) in 0.002 seconds
 *	   Ordered by: cumulative time
 *	   List reduced from 900 to 20 due to restriction <20>
 *	   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
 *	    12/3     0.001    0.000    0.002    0.001 model.py:44(forward)
 *
 * The rows may be a part of the functions, so the total is the stated time unless the rows hold
 * more. The binary form is read by cprofile.c. Profiles that follow each other add up; a
 * table that repeats a profile in another order adds the functions that were missing.
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define CALLS    " function calls"
#define SECONDS  " seconds"
#define PLACE    "filename:lineno(function)"
#define MAX_HEAD 160 /* bytes of the line with the time of a profile */

/* The reports of Lightning's profiler hold such tables of actions that are parts of each other. */
#define OF_LIGHTNING "Profile stats for: "

static const struct weir_mark mark = {
	.first = "",
	.texts = {{CALLS, " in ", SECONDS, "ncalls", "tottime", "cumtime", PLACE}, .all = 7},
};

/* The figures of a function and its place: "model.py:44(forward)". */
struct row {
	int64_t calls, self_ns, total_ns;
	struct weir_slice place;
};

struct reading {
	struct weir_input *input;
	struct weir_host_profile *profile;
	struct weir_rowmap known; /* frames of the present profile */
	char head[MAX_HEAD];      /* of the present profile: "197 function calls ... seconds" */
	size_t head_length;
	int64_t stated_ns; /* sum over all profiles */
	bool rows;         /* the header of a table was read */
	uint64_t lines_at; /* byte of the text of line_profiler behind the tables; 0: none so far */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Takes the next word off a line. */
static struct weir_slice take_word(struct weir_slice *line)
{
	struct weir_slice word;
	size_t end = 0;

	*line = weir_slice_trim(*line);
	while (end < line->length && !is_blank(line->data[end]))
		end++;
	word = (struct weir_slice){line->data, end};
	*line = (struct weir_slice){line->data + end, line->length - end};
	return word;
}

/* Parses "12" or "12/3", all calls and those that are not recursive. */
static bool parse_calls(struct weir_slice word, int64_t *calls)
{
	const char *slash = word.length ? memchr(word.data, '/', word.length) : NULL;
	size_t length = slash ? (size_t)(slash - word.data) : word.length;
	int64_t primitive = 0;

	if (!weir_parse_i64(word.data, length, calls) || *calls < 0)
		return false;
	return !slash || (weir_parse_i64(slash + 1, word.length - length - 1, &primitive) &&
	                  primitive >= 0 && primitive <= *calls);
}

static bool take_seconds(struct weir_slice *line, int64_t *ns)
{
	struct weir_slice word = take_word(line);

	return word.length && weir_parse_s_as_ns(word.data, word.length, ns) && *ns >= 0;
}

/* Parses a row. The times per call are missing for a function that was not called. */
static bool parse_row(struct weir_slice line, struct row *row)
{
	struct weir_slice count = take_word(&line);
	int64_t per_call;

	if (!parse_calls(count, &row->calls) || !take_seconds(&line, &row->self_ns) ||
	    (row->calls && !take_seconds(&line, &per_call)) ||
	    !take_seconds(&line, &row->total_ns) || (row->calls && !take_seconds(&line, &per_call)))
		return false;
	row->place = weir_slice_trim(line);
	return row->place.length > 0;
}

/* Splits "model.py:44(forward)" at the last ":LINE(". Returns false for other texts. */
static bool split_place(struct weir_slice place, struct weir_slice *file, int64_t *number,
                        struct weir_slice *function)
{
	size_t open = place.length;

	if (!weir_slice_ends(place, ")"))
		return false;
	while (open-- > 0) {
		size_t from = open;

		if (place.data[open] != '(')
			continue;
		while (from && place.data[from - 1] >= '0' && place.data[from - 1] <= '9')
			from--;
		if (from == open || !from || place.data[from - 1] != ':' ||
		    !weir_parse_i64(place.data + from, open - from, number))
			continue;
		*file = (struct weir_slice){place.data, from - 1};
		*function = (struct weir_slice){place.data + open + 1, place.length - open - 2};
		return true;
	}
	return false;
}

/* Returns the frame of "model.py:44(forward)", or of a built-in function, which the binary form
 * calls "<method 'join' of 'str' objects>" and the text "{method 'join' of 'str' objects}". */
static uint32_t frame_of(struct weir_host_profile *profile, struct weir_slice place)
{
	struct weir_slice file = {"", 0}, function = place;
	struct weir_text name = {0};
	int64_t number = 0;
	uint32_t frame;

	if (split_place(place, &file, &number, &function)) {
		if (weir_slice_equals(file, "~"))
			file.length = 0;
		return weir_host_frame_at(profile, function, file,
		                          number > 0 && number < UINT32_MAX ? (uint32_t)number : 0);
	}
	if (place.length < 2 || *place.data != '{' || !weir_slice_ends(place, "}"))
		return weir_host_frame_at(profile, place, file, 0);
	weir_text_puts(&name, "<");
	weir_text_add(&name, place.data + 1, place.length - 2);
	weir_text_puts(&name, ">");
	frame = weir_host_frame_at(profile, (struct weir_slice){name.data, name.length}, file, 0);
	weir_text_release(&name);
	return frame;
}

/* Returns true if the present profile has the function already; else remembers it. */
static bool is_known(struct reading *reading, uint32_t frame)
{
	size_t probe = 0;
	uint32_t hash = weir_rowmap_hash(frame), row;

	while ((row = weir_rowmap_next(&reading->known, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (row == frame)
			return true;
	weir_rowmap_add(&reading->known, hash, frame);
	return false;
}

static void add_row(struct reading *reading, const struct row *row, uint64_t at)
{
	struct weir_host_function function = {
		.self = row->self_ns, .total = row->total_ns, .calls = row->calls};

	function.frame = frame_of(reading->profile, row->place);
	if (function.frame == UINT32_MAX) {
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT, at, NULL);
		return;
	}
	if (is_known(reading, function.frame))
		return;
	weir_host_add_function(reading->profile, &function);
	reading->input->events++;
}

/* Takes "197 function calls (192 primitive calls) in 0.002 seconds". Returns false for other lines.
 */
static bool take_head(struct reading *reading, struct weir_slice line)
{
	struct weir_slice calls, rest;
	const char *found;
	int64_t count, ns;

	line = weir_slice_trim(line);
	found = weir_slice_find(line, CALLS);
	if (!found || line.length >= MAX_HEAD)
		return false;
	calls = (struct weir_slice){line.data, (size_t)(found - line.data)};
	rest = (struct weir_slice){found, (size_t)(line.data + line.length - found)};
	found = weir_slice_find(rest, " in ");
	if (!found || !weir_parse_i64(calls.data, calls.length, &count))
		return false;
	rest = (struct weir_slice){found + 4, (size_t)(line.data + line.length - found - 4)};
	if (!take_seconds(&rest, &ns) || !weir_slice_ends(rest, SECONDS))
		return false;
	reading->rows = false;
	if (reading->head_length == line.length && !memcmp(reading->head, line.data, line.length))
		return true;
	memcpy(reading->head, line.data, line.length);
	reading->head_length = line.length;
	reading->stated_ns =
		ns > INT64_MAX - reading->stated_ns ? INT64_MAX : reading->stated_ns + ns;
	if (count > 0 && count < INT64_MAX - reading->profile->calls)
		reading->profile->calls += count;
	weir_rowmap_release(&reading->known);
	return true;
}

static bool is_header(struct weir_slice line)
{
	return weir_slice_starts(weir_slice_trim(line), "ncalls") &&
	       weir_slice_holds(line, "tottime") && weir_slice_holds(line, "cumtime") &&
	       weir_slice_holds(line, PLACE);
}

/* Counts the functions of a text of line_profiler, which kernprof prints behind the tables:
 * "Timer unit: 1e-06 s", and "Line #      Hits         Time  Per Hit" for each function. */
static void skip_lines(struct reading *reading, const struct weir_csv_row *line)
{
	if (weir_slice_starts(line->line, "Timer unit: ") && !reading->lines_at)
		reading->lines_at = line->at;
	else if (reading->lines_at && weir_slice_starts(line->line, "Line #") &&
	         weir_slice_holds(line->line, "Per Hit"))
		weir_input_warn(reading->input, WEIR_WARN_OTHER_TABLE, reading->lines_at,
		                "a text of line_profiler follows; the table of cProfile was read");
}

static void take_line(struct reading *reading, const struct weir_csv_row *line)
{
	struct row row;

	if (take_head(reading, line->line))
		return;
	if (is_header(line->line)) {
		reading->rows = reading->head_length > 0;
		return;
	}
	if (!reading->rows) {
		skip_lines(reading, line);
		return;
	}
	if (line->cut && !weir_slice_ends(line->line, ")") && !weir_slice_ends(line->line, "}"))
		weir_input_warn(reading->input, WEIR_WARN_TRUNCATED, line->at, NULL);
	else if (parse_row(line->line, &row))
		add_row(reading, &row, line->at);
	else
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, line->at, NULL);
}

static enum weir_status read_lines(struct reading *reading, struct weir_source *source,
                                   struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &weir_host_lines);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (weir_slice_trim(row->line).length)
			take_line(reading, row);
		else if (reading->input->events)
			reading->rows = false;
	}
	if (weir_csv_skipped(csv)->count)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT,
		                weir_csv_skipped(csv)->first_at, "a line of 1 MiB");
	weir_csv_free(csv);
	return status;
}

static enum weir_status read_text(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct reading reading = {.input = input, .profile = weir_host_profile_new(WEIR_HOST_NS)};
	enum weir_status status = read_lines(&reading, source, err);

	weir_damage_of_source(input, source);
	weir_rowmap_release(&reading.known);
	if (!status && !input->events)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no function in this text of cProfile: expected rows below "
		                   "\"ncalls  tottime  percall  cumtime  percall " PLACE "\"");
	if (!status && reading.profile->total < reading.stated_ns)
		reading.profile->total = reading.stated_ns;
	return weir_host_settle(reading.profile, input, status, err);
}

static int sniff(const char *head, size_t len)
{
	return weir_sniff_contains(head, len, OF_LIGHTNING) ? 0 : weir_mark_bits(&mark, head, len);
}

const struct weir_reader weir_reader_cprofile_text = {
	.name = "cprofile-text",
	.title = "cProfile, as text (python -m cProfile SCRIPT)",
	.gives = "host profile",
	.sniff = sniff,
	.read = read_text,
};
