/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the times that Ollama states of each answer: the JSON of its API, whole or streamed, in
 * nanoseconds, and the text of `ollama run --verbose`, anywhere in a log:
 *
 *	{"model":"m","created_at":"2026-01-31T10:00:00.5Z","done":true,"total_duration":...}
 *
 *	total duration:       2m43.589481292s
 *	prompt eval count:    21 token(s)
 *	prompt eval duration: 1.346030951s
 *
 * An answer is a request with the parts load, prefill and decode; the rest of its total is time
 * that Ollama does not explain, waiting included. created_at of the last object is its end; the
 * text has no times of day. The time to the first token is not stated.
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/jsonleaves.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define UNKNOWN      (-1)
#define MAX_NS       (INT64_C(1) << 50) /* 13 days: a longer time is a damaged one */
#define MAX_TOKENS   (INT64_C(1) << 40)
#define MAX_REQUESTS (1u << 22)

static const struct weir_mark marks[] = {
	{.first = "{[", .keys = {{"model", "total_duration", "load_duration"}, .all = 3}},
	{.first = "{[",
         .keys = {{"model", "created_at", "done", "response", "message"}, .all = 3, .any = 2}},
	{.first = "",
         .texts = {{"total duration: ", "load duration: ", "eval duration: ", " token(s)"},
                   .all = 4}},
	{0},
};

/* The numbers of an answer. */
enum number { TOTAL, LOAD, PROMPT, EVAL, PROMPT_COUNT, EVAL_COUNT, NUMBERS };

static const struct {
	const char *json, *text;
	bool count; /* else a time */
} numbers[NUMBERS] = {
	[TOTAL] = {"total_duration", "total duration:", false},
	[LOAD] = {"load_duration", "load duration:", false},
	[PROMPT] = {"prompt_eval_duration", "prompt eval duration:", false},
	[EVAL] = {"eval_duration", "eval duration:", false},
	[PROMPT_COUNT] = {"prompt_eval_count", "prompt eval count:", true},
	[EVAL_COUNT] = {"eval_count", "eval count:", true},
};

struct answer {
	int64_t value[NUMBERS]; /* ns and tokens; UNKNOWN: not stated */
	struct weir_slice created, done, error;
	unsigned bad; /* malformed numbers */
	bool any;     /* a number was read */
};

struct reading {
	struct weir_input *input;
	struct answer answer;
	bool opened; /* an answer was added */
};

static struct answer no_answer(void)
{
	struct answer answer = {.any = false};

	for (size_t i = 0; i < NUMBERS; i++)
		answer.value[i] = UNKNOWN;
	return answer;
}

static void take_value(struct answer *answer, size_t number, bool parsed, int64_t value)
{
	answer->any = true;
	if (parsed && value >= 0 && value <= (numbers[number].count ? MAX_TOKENS : MAX_NS))
		answer->value[number] = value;
	else
		answer->bad++;
}

static int64_t add_part(struct weir_requests *requests, const char *name, int64_t ns)
{
	if (ns <= 0)
		return 0;
	weir_requests_add_part(requests, weir_requests_stage(requests, name, strlen(name)), ns);
	return ns;
}

/* Gives the start and end of an answer. All answers of a file have a date or none has. */
static bool set_times(struct reading *reading, struct weir_request *request, int64_t total_ns)
{
	const struct answer *answer = &reading->answer;
	struct weir_requests *requests = reading->input->requests;
	int64_t end_ns = 0;
	bool dated = answer->created.length &&
	             weir_parse_iso_ns(answer->created.data, answer->created.length, &end_ns) &&
	             end_ns > MAX_NS;

	if (!reading->opened)
		requests->time_base = dated ? WEIR_TIME_UNIX : WEIR_TIME_NONE;
	reading->opened = true;
	if (requests->time_base == WEIR_TIME_NONE)
		end_ns = total_ns;
	else if (!dated)
		return false;
	request->start_ns = end_ns - total_ns;
	request->end_ns = end_ns;
	return true;
}

/* Adds the answer that was read. The sum of its parts exceeds the total if one of them is wrong:
 * then it has the total alone. */
static void flush(struct reading *reading, uint64_t at)
{
	struct weir_requests *requests = reading->input->requests;
	const struct answer *answer = &reading->answer;
	struct weir_request request = weir_request_unknown();
	int64_t parts_ns, total_ns = answer->value[TOTAL];

	if (!answer->any)
		return;
	for (unsigned i = 0; i < answer->bad; i++)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	parts_ns = add_part(requests, "load", answer->value[LOAD]);
	parts_ns += add_part(requests, "prefill", answer->value[PROMPT]);
	parts_ns += add_part(requests, "decode", answer->value[EVAL]);
	if (total_ns >= 0 && parts_ns > total_ns) {
		weir_input_warn(reading->input, WEIR_WARN_INCONSISTENT, at,
		                "a total below the sum of its parts");
		weir_requests_drop_parts(requests);
	}
	if (total_ns < 0)
		total_ns = parts_ns;
	if (total_ns <= 0 || requests->count == MAX_REQUESTS ||
	    !set_times(reading, &request, total_ns)) {
		weir_requests_drop_parts(requests);
		weir_input_warn(reading->input, WEIR_WARN_NO_TIME, at, NULL);
	} else {
		request.tokens = answer->value[PROMPT_COUNT];
		request.output_tokens = answer->value[EVAL_COUNT];
		weir_requests_add(requests, &request);
	}
	reading->answer = no_answer();
}

/* ---- JSON ---- */

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct answer *answer = context;
	int64_t value = 0;

	(void)err;
	if (strcmp(leaf->path, "created_at") == 0)
		answer->created = leaf->text;
	else if (strcmp(leaf->path, "done") == 0)
		answer->done = leaf->text;
	else if (strcmp(leaf->path, "error") == 0)
		answer->error = leaf->text;
	for (size_t i = 0; i < NUMBERS; i++)
		if (strcmp(leaf->path, numbers[i].json) == 0) {
			bool parsed = weir_parse_i64(leaf->text.data, leaf->text.length, &value);

			take_value(answer, i, parsed, value);
		}
	return WEIR_OK;
}

/* Takes an object: an answer, or a part of a streamed one, which has no times. */
static void take_object(void *context, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct reading *reading = context;
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading->answer};
	struct weir_slice object = weir_jsoncursor_take(cursor);

	reading->answer = no_answer();
	if (cursor->bad ||
	    weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, object, at, NULL)) {
		cursor->bad = true;
	} else if (reading->answer.error.length) {
		weir_input_warn(reading->input, WEIR_WARN_FAILED_REQUEST, at, NULL);
		reading->input->requests->failed++;
	} else if (!weir_slice_equals(reading->answer.done, "false")) {
		flush(reading, at);
	}
}

static enum weir_status read_json(struct reading *reading, struct weir_source *source,
                                  struct weir_error *err)
{
	return weir_records_each(source, reading->input, take_object, reading, err);
}

/* ---- text ---- */

/* Parses a duration as Go writes it: "2m43.589481292s", "97.885315ms". */
static bool parse_duration(struct weir_slice text, int64_t *ns)
{
	/* The unit that others begin with comes after them. */
	static const struct {
		const char *unit;
		int places;
		int64_t times;
	} units[] = {{"h", 9, 3600}, {"ms", 6, 1}, {"m", 9, 60},       {"s", 9, 1},
	             {"ns", 0, 1},   {"us", 3, 1}, {"\xc2\xb5s", 3, 1}};
	int64_t part;

	*ns = 0;
	while (text.length) {
		struct weir_slice number = {text.data, 0};
		size_t unit = 0;

		while (number.length < text.length && text.data[number.length] &&
		       strchr("0123456789.", text.data[number.length]))
			number.length++;
		text.data += number.length;
		text.length -= number.length;
		while (unit < sizeof units / sizeof *units &&
		       !weir_slice_take(&text, units[unit].unit))
			unit++;
		if (unit == sizeof units / sizeof *units ||
		    !weir_parse_scaled(number.data, number.length, units[unit].places, &part) ||
		    part > MAX_NS || *ns > MAX_NS)
			return false;
		*ns += part > MAX_NS / units[unit].times ? MAX_NS : part * units[unit].times;
	}
	return true;
}

/* Finds a name such as "eval duration:" in a line, and gives the text behind it. Only marks of a
 * list or quotation ("- ", "> ") or the beginning of a line of a log ("ollama-1  | ") may come
 * before it: "prompt eval duration:" is another name, and so are words of an answer. */
static bool find_behind(struct weir_slice line, const char *name, struct weir_slice *text)
{
	static const char before_it[] = {'-', '*', '+', '>', '|', ':', ']', '`'};
	const char *found = weir_slice_find(line, name);
	struct weir_slice before;

	if (!found)
		return false;
	before = weir_slice_trim((struct weir_slice){line.data, (size_t)(found - line.data)});
	found += strlen(name);
	*text = weir_slice_trim(
		(struct weir_slice){found, (size_t)(line.data + line.length - found)});
	return !before.length ||
	       memchr(before_it, before.data[before.length - 1], sizeof before_it);
}

static void take_line(struct reading *reading, struct weir_slice line, uint64_t at)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		struct weir_slice text;
		int64_t value = 0;
		bool parsed;

		if (!find_behind(line, numbers[i].text, &text))
			continue;
		if (i == TOTAL)
			flush(reading, at);
		if (numbers[i].count && weir_slice_ends(text, " token(s)"))
			text.length -= strlen(" token(s)");
		parsed = numbers[i].count ? weir_parse_i64(text.data, text.length, &value)
		                          : text.length && parse_duration(text, &value);
		take_value(&reading->answer, i, parsed, value);
	}
}

static enum weir_status read_text(struct reading *reading, struct weir_source *source,
                                  struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	uint64_t at = 0;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		at = row->at;
		take_line(reading, weir_slice_trim(row->line), at);
	}
	flush(reading, at);
	weir_csv_free(csv);
	weir_damage_of_source(reading->input, source);
	return status;
}

/* ---- the reader ---- */

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	struct reading reading = {.input = input, .answer = no_answer()};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	input->requests = weir_requests_new();
	if (!status)
		status = weir_sniff_is_json(head, len) ? read_json(&reading, source, err)
		                                       : read_text(&reading, source, err);
	weir_requests_finish(input->requests);
	input->events = input->requests->count;
	if (!status && !input->events)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no answer with its times: expected total_duration and "
		                   "eval_duration in the last object of an answer, or the lines "
		                   "of ollama run --verbose");
	return status;
}

const struct weir_reader weir_reader_ollama = {
	.name = "ollama",
	.title = "answers of Ollama (JSON of its API, ollama run --verbose)",
	.gives = "requests",
	.marks = marks,
	.read = read,
};
