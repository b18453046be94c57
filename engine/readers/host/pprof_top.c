/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text of `go tool pprof -top` of a CPU profile: a table of functions with their own time
 * (flat) and that with their callees (cum).
 *
 *	File: serve
 *	Type: cpu
 *	Duration: 30s, Total samples = 12.30s (41.00%)
 *	Showing nodes accounting for 11.84s, 96.26% of 12.30s total
 *	      flat  flat%   sum%        cum   cum%
 *	     7.10s 57.72% 57.72%      9.80s 79.67%  main.forward
 *
 * Profiles of memory, of locks and of goroutines, and differences of profiles, are no time: they
 * are refused by their type.
 */
#include <math.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define TITLES    "flat  flat%   sum%        cum   cum%"
#define CELLS     5 /* of a row, before its function */
#define MAX_WORDS 8
#define MAX_NS    1e18

static const struct weir_csv_options blanks = {.separator = ' '};

/* ---- types that are not read ---- */

#define RECORD_CPU                                                                                 \
	"record a CPU profile (go test -cpuprofile FILE, or the page /debug/pprof/profile) and "   \
	"pass what go tool pprof -top prints of it"
#define DIFFERENCE                                                                                 \
	"the difference of two profiles (negative values): pass what go tool pprof -top prints "   \
	"of each profile alone, without -base and -diff_base"
#define NOT_TIME(type, what)                                                                       \
	{                                                                                          \
		type,                                                                              \
			"it is a text of pprof of " what " (Type: " type                           \
			"), not of time: " RECORD_CPU,                                             \
			"it is a text of pprof of " what " (Type: " type                           \
			"), not of time, and the difference of two profiles (negative "            \
			"values): " RECORD_CPU                                                     \
	}

static const struct {
	const char *type, *reason, *of_difference;
} refusals[] = {
	NOT_TIME("alloc_space", "allocated bytes"),
	NOT_TIME("alloc_objects", "allocated objects"),
	NOT_TIME("inuse_space", "bytes in use"),
	NOT_TIME("inuse_objects", "objects in use"),
	NOT_TIME("contentions", "waits for locks"),
	NOT_TIME("delay", "the delay by locks"),
	NOT_TIME("goroutine", "goroutines at one moment"),
	NOT_TIME("threadcreate", "created threads"),
};

/* ---- lines ---- */

/* Parses "1.20s", "340ms", "2.50mins", "-10ms" or "0" into nanoseconds. */
static bool parse_time(struct weir_slice word, double *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{"ns", 1},      {"us", 1e3},     {"\xc2\xb5s", 1e3}, {"ms", 1e6},
		{"mins", 6e10}, {"hrs", 3.6e12}, {"days", 8.64e13},  {"s", 1e9},
	};
	double value;

	for (size_t i = 0; i < WEIR_COUNT_OF(units); i++)
		if (weir_slice_ends(word, units[i].name) &&
		    weir_parse_double(word.data, word.length - strlen(units[i].name), &value)) {
			*ns = value * units[i].ns;
			return fabs(*ns) <= MAX_NS;
		}
	*ns = 0;
	return weir_slice_equals(word, "0");
}

/* Parses "57.72%". */
static bool is_share(struct weir_slice word)
{
	double share;

	return weir_slice_ends(word, "%") && weir_parse_double(word.data, word.length - 1, &share);
}

/* The figures of a function in nanoseconds; its name is borrowed. */
struct row {
	double flat, cum;
	struct weir_slice name;
};

/* Takes the words of a row and its name. Returns false for a line that has not the form of a row,
 * with any unit. */
static bool split_row(struct weir_slice line, struct weir_slice *words, struct weir_slice *name)
{
	static const char *const notes[] = {" (inline)", " (partial-inline)"};

	line = weir_slice_trim(line);
	if (weir_csv_split(line, &blanks, words, MAX_WORDS) <= CELLS || !is_share(words[1]) ||
	    !is_share(words[2]) || !is_share(words[4]))
		return false;
	*name = (struct weir_slice){words[CELLS].data,
	                            (size_t)(line.data + line.length - words[CELLS].data)};
	for (size_t i = 0; i < WEIR_COUNT_OF(notes); i++)
		if (weir_slice_ends(*name, notes[i]))
			name->length -= strlen(notes[i]);
	return name->length > 0;
}

static bool parse_row(struct weir_slice line, struct row *row)
{
	struct weir_slice words[MAX_WORDS] = {{"", 0}};

	return split_row(line, words, &row->name) && parse_time(words[0], &row->flat) &&
	       parse_time(words[3], &row->cum);
}

/* Takes the time of the profile: "Showing nodes accounting for 11.84s, 96.26% of 12.30s total" or
 * "Duration: 30s, Total samples = 12.30s (41.00%)". Returns false for other lines. */
static bool parse_total(struct weir_slice line, double *ns)
{
	static const struct {
		const char *start, *before;
	} forms[] = {
		{"Showing nodes accounting for ", " of "},
		{"Duration: ", "Total samples = "},
	};
	struct weir_slice words[1] = {{"", 0}};

	for (size_t i = 0; i < WEIR_COUNT_OF(forms); i++) {
		const char *found = weir_slice_find(line, forms[i].before);

		if (!weir_slice_starts(line, forms[i].start) || !found)
			continue;
		found += strlen(forms[i].before);
		weir_csv_split(
			(struct weir_slice){found, (size_t)(line.data + line.length - found)},
			&blanks, words, 1);
		return parse_time(words[0], ns) && *ns > 0;
	}
	return false;
}

/* ---- the reader ---- */

struct reading {
	struct weir_input *input;
	struct weir_host_profile *profile;
	double stated_ns; /* of the profile; 0: not stated */
	bool has_titles;
	uint64_t negative_at; /* line of the first negative value; 0: none */
};

static void take_row(struct reading *reading, const struct weir_csv_row *line)
{
	const struct weir_slice no_file = {"", 0};
	struct row row;

	if (line->cut || !parse_row(line->line, &row)) {
		weir_input_warn(reading->input,
		                line->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, line->at,
		                NULL);
		return;
	}
	if (row.flat < 0 || row.cum < 0) {
		reading->negative_at = reading->negative_at ? reading->negative_at : line->number;
		return;
	}
	struct weir_host_function function = {
		.frame = weir_host_frame(reading->profile, row.name, no_file),
		.self = (int64_t)llround(row.flat),
		.total = (int64_t)llround(fmax(row.flat, row.cum))};

	reading->input->events++;
	if (function.frame == UINT32_MAX)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT, line->at, NULL);
	else
		weir_host_add_function(reading->profile, &function);
}

static void take_line(struct reading *reading, const struct weir_csv_row *line)
{
	struct weir_slice text = weir_slice_trim(line->line);
	double ns;

	if (weir_slice_starts(text, TITLES))
		reading->has_titles = true;
	else if (parse_total(text, &ns))
		reading->stated_ns = ns;
	else if (!text.length || weir_slice_starts(text, "```") ||
	         weir_slice_starts(text, "(pprof)"))
		reading->has_titles = reading->has_titles && !reading->input->events;
	else if (reading->has_titles)
		take_row(reading, line);
}

static enum weir_status read_top(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct reading reading = {.input = input, .profile = weir_host_profile_new(WEIR_HOST_NS)};
	struct weir_csv *lines = weir_csv_new(source, &weir_host_lines);
	const struct weir_csv_row *line;
	enum weir_status status;

	while (!(status = weir_csv_next(lines, &line, err)) && line)
		take_line(&reading, line);
	if (weir_csv_skipped(lines)->count)
		weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, weir_csv_skipped(lines)->first_at,
		                "a line of more than 1 MiB");
	weir_csv_free(lines);
	weir_damage_of_source(input, source);
	if (!status && reading.negative_at)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "line %llu: the table of pprof is " DIFFERENCE,
		                   (unsigned long long)reading.negative_at);
	if (!status && !input->events)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no function in this text of pprof: expected rows such as "
		                   "\"7.10s 57.72%% 57.72%% 9.80s 79.67%% main.forward\" below "
		                   "\""
		                   "flat  flat%%"
		                   "\"");
	if (!status && reading.stated_ns > (double)reading.profile->total)
		reading.profile->total = (int64_t)llround(reading.stated_ns);
	return weir_host_settle(reading.profile, input, status, err);
}

/* The table in a head, and the type that a line before it states; empty: none. */
struct head {
	struct weir_slice type;
	bool has_titles;
	bool negative; /* a row has a negative value */
};

static struct head look(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, words[MAX_WORDS] = {{"", 0}}, name;
	struct head found = {.type = {"", 0}};

	while (weir_csv_take_line(&rest, &line)) {
		line = weir_slice_trim(line);
		if (!found.has_titles && weir_slice_take(&line, "Type: "))
			found.type = weir_slice_trim(line);
		found.has_titles |= weir_slice_starts(line, TITLES);
		if (found.has_titles && split_row(line, words, &name))
			found.negative |= *words[0].data == '-' || *words[3].data == '-';
	}
	return found;
}

static int sniff(const char *head, size_t len)
{
	struct head found = look(head, len);

	return found.has_titles && weir_slice_equals(found.type, "cpu")
	               ? 8 * (int)strlen("Type: cpu" TITLES)
	               : 0;
}

static const char *refuse(const char *head, size_t len)
{
	struct head found = look(head, len);

	if (!found.has_titles)
		return NULL;
	for (size_t i = 0; i < WEIR_COUNT_OF(refusals); i++)
		if (weir_slice_equals(found.type, refusals[i].type))
			return found.negative ? refusals[i].of_difference : refusals[i].reason;
	if (!found.type.length)
		return "it is a table of pprof without the line \"Type: \" above it, which "
		       "names the unit of the table: pass the whole text of go tool pprof -top";
	return "it is a text of pprof of another type than cpu: " RECORD_CPU;
}

const struct weir_reader weir_reader_pprof_top = {
	.name = "pprof-top",
	.title = "go tool pprof -top of a CPU profile: functions of a host profile",
	.gives = "host profile",
	.sniff = sniff,
	.refuse = refuse,
	.read = read_top,
};
