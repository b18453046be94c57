/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/serverlog/lines.h"
#include "engine/readers/serverlog/times.h"

#define MAX_RATE   1e15
#define MAX_TOKENS (INT64_C(1) << 50)

static struct weir_slice between(const char *start, const char *end)
{
	return (struct weir_slice){start, (size_t)(end - start)};
}

/* Removes blanks, and the quotes and brackets that surround names and values. */
static struct weir_slice trimmed(struct weir_slice text)
{
	while (text.length && strchr(" \t\r\"'\\{}[]", *text.data)) {
		text.data++;
		text.length--;
	}
	while (text.length && strchr(" \t\r\"'\\{}[]", text.data[text.length - 1]))
		text.length--;
	return text;
}

static void warn_number(struct weir_serverlog *reading)
{
	weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, reading->at, NULL);
}

/* ---- fields ---- */

/* Returns the number that a text begins with. */
static struct weir_slice leading_number(struct weir_slice text)
{
	size_t length = 0;

	while (length < text.length && text.data[length] &&
	       strchr("+-.0123456789eE", text.data[length]))
		length++;
	return (struct weir_slice){text.data, length};
}

/* True for words that servers print in place of a number that they do not have. */
static bool is_nothing(struct weir_slice text)
{
	static const char *const words[] = {"nan", "N/A", "None", "null", "inf", "NaN"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_slice_starts(text, words[i]))
			return true;
	return !text.length;
}

static bool is_valid(enum weir_serverlog_slot slot, double *value)
{
	if (slot <= WEIR_SERVERLOG_ENGINE)
		return *value >= 0 && *value <= INT32_MAX && *value == floor(*value);
	if (slot > WEIR_SERVERLOG_HIT_RATE)
		return *value >= 0 && *value <= MAX_RATE;
	if (*value < 0 || *value > 1.05)
		return false;
	*value = *value > 1 ? 1 : *value;
	return true;
}

static bool take_text(const struct weir_serverlog_field *field, struct weir_slice text,
                      struct weir_serverlog_values *values)
{
	struct weir_slice number = leading_number(text);
	int64_t ns;

	if (field->slot == WEIR_SERVERLOG_TIME) {
		values->time = text;
		return true;
	}
	if (!weir_parse_scaled(number.data, number.length, field->places, &ns) || ns < 0)
		return false;
	if (field->slot == WEIR_SERVERLOG_DURATION_BEST || values->duration_ns < 0)
		values->duration_ns = ns;
	return true;
}

static void take_value(struct weir_serverlog *reading, const struct weir_serverlog_field *field,
                       struct weir_slice text, struct weir_serverlog_values *values)
{
	struct weir_slice number = leading_number(text);
	double value;

	if (is_nothing(text))
		return;
	if (field->slot > WEIR_SERVERLOG_SLOTS) {
		if (!take_text(field, text, values))
			warn_number(reading);
		return;
	}
	if (!isnan(values->number[field->slot]))
		return;
	if (!weir_parse_double(number.data, number.length, &value)) {
		warn_number(reading);
		return;
	}
	for (int i = field->places; i < 0; i++)
		value /= 10;
	if (is_valid(field->slot, &value))
		values->number[field->slot] = value;
	else
		warn_number(reading);
}

static void take_field(struct weir_serverlog *reading, struct weir_slice text,
                       const struct weir_serverlog_field *fields,
                       struct weir_serverlog_values *values)
{
	struct weir_slice name, value;
	size_t cut = 0;

	while (cut < text.length && text.data[cut] != ':' && text.data[cut] != '=')
		cut++;
	name = trimmed((struct weir_slice){text.data, cut});
	if (cut < text.length) {
		value = (struct weir_slice){text.data + cut + 1, text.length - cut - 1};
		while (value.length && *value.data == ' ')
			value = (struct weir_slice){value.data + 1, value.length - 1};
		if (value.length && *value.data == '{') {
			take_field(reading, (struct weir_slice){value.data + 1, value.length - 1},
			           fields, values);
			return;
		}
	} else {
		value = leading_number(name);
		name = trimmed(
			(struct weir_slice){name.data + value.length, name.length - value.length});
	}
	for (; fields->name; fields++)
		if (weir_slice_equals(name, fields->name)) {
			take_value(reading, fields, trimmed(value), values);
			return;
		}
}

void weir_serverlog_take_fields(struct weir_serverlog *reading, struct weir_slice message,
                                const struct weir_serverlog_field *fields,
                                struct weir_serverlog_values *values)
{
	const char *at = message.data, *end = message.data + message.length;

	for (size_t i = 0; i < WEIR_SERVERLOG_SLOTS; i++)
		values->number[i] = NAN;
	values->duration_ns = -1;
	values->time = (struct weir_slice){"", 0};
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));

		comma = comma ? comma : end;
		take_field(reading, between(at, comma), fields, values);
		at = comma < end ? comma + 1 : end;
	}
}

/* ---- settings ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool matches(const char *text, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != name[i] && !(text[i] == '-' && name[i] == '_'))
			return false;
	return true;
}

/* Returns the text behind a name as a whole word; false if the line lacks it from *at on. */
static bool find_value(struct weir_slice line, const char *name, size_t *at,
                       struct weir_slice *value)
{
	size_t length = strlen(name);

	for (; *at + length <= line.length; ++*at) {
		const char *text = memchr(line.data + *at, *name, line.length - *at);

		if (!text)
			return false;
		*at = (size_t)(text - line.data);
		if (*at + length > line.length)
			return false;
		if (!matches(text, name, length) || (*at && is_word(text[-1])) ||
		    (*at + length < line.length && is_word(text[length])))
			continue;
		*at += length;
		*value = (struct weir_slice){text + length, line.length - *at};
		while (value->length && strchr("'\"\\:= ", *value->data))
			*value = (struct weir_slice){value->data + 1, value->length - 1};
		return true;
	}
	return false;
}

static void set_chunked(struct weir_server_settings *to, struct weir_slice value)
{
	if (weir_slice_starts(value, "False") || weir_slice_starts(value, "false"))
		to->chunked_prefill = 0;
	else if (!weir_slice_starts(value, "None") && !weir_slice_starts(value, "null"))
		to->chunked_prefill = 1;
}

static void set_share(struct weir_server_settings *to, struct weir_slice text)
{
	double value;

	if (weir_parse_double(text.data, text.length, &value) && value > 0 && value <= 1)
		to->memory_share = value;
}

static void set_count(struct weir_server_settings *to, enum weir_serverlog_setting_kind kind,
                      struct weir_slice text)
{
	int64_t value;

	while (text.length && text.data[text.length - 1] == '.')
		text.length--; /* the end of a sentence */
	if (!weir_parse_i64(text.data, text.length, &value) || value > MAX_TOKENS)
		return;
	if (kind == WEIR_SERVERLOG_SET_CHUNK)
		to->chunked_prefill = value > 0;
	if (value <= 0)
		return;
	if (kind == WEIR_SERVERLOG_SET_MAX_RUNNING)
		to->max_running = value;
	else if (kind == WEIR_SERVERLOG_SET_KV_TOKENS)
		to->kv_tokens = value;
	else if (kind == WEIR_SERVERLOG_SET_DRAFT_TOKENS)
		to->draft_tokens = value;
	else
		to->max_step_tokens = value;
}

bool weir_serverlog_take_settings(struct weir_serverlog *reading, struct weir_slice line,
                                  const char *const *texts,
                                  const struct weir_serverlog_setting *settings)
{
	struct weir_server_settings *to = &reading->log->settings;

	while (*texts && !weir_slice_holds(line, *texts))
		texts++;
	if (!*texts)
		return false;
	for (; settings->name; settings++) {
		struct weir_slice value;

		for (size_t at = 0; find_value(line, settings->name, &at, &value);) {
			if (settings->kind == WEIR_SERVERLOG_SET_CHUNKED)
				set_chunked(to, value);
			else if (settings->kind == WEIR_SERVERLOG_SET_SHARE)
				set_share(to, leading_number(value));
			else
				set_count(to, settings->kind, leading_number(value));
		}
	}
	return true;
}

int64_t weir_serverlog_number_behind(struct weir_slice line, const char *text)
{
	const char *at = weir_slice_find(line, text), *end = line.data + line.length;
	int64_t value = 0;
	bool any = false;

	if (!at)
		return -1;
	for (at += strlen(text); at < end && (isdigit((unsigned char)*at) || *at == ','); at++)
		if (*at != ',') {
			value = value * 10 + (*at - '0');
			any = true;
			if (value > MAX_TOKENS)
				return -1;
		}
	return any ? value : -1;
}

/* ---- rows ---- */

static int32_t count_of(const struct weir_serverlog_values *values, enum weir_serverlog_slot slot)
{
	return isnan(values->number[slot]) ? -1 : (int32_t)values->number[slot];
}

/* Adds counts, of which one may be unknown. */
static int32_t sum_of(int32_t a, int32_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a > INT32_MAX - b ? INT32_MAX : a + b;
}

static double usage_of(const struct weir_serverlog_values *values)
{
	double used = values->number[WEIR_SERVERLOG_USED_BLOCKS];
	double most = values->number[WEIR_SERVERLOG_MAX_BLOCKS];

	if (most > 0 && used <= most)
		return used / most;
	return fmax(values->number[WEIR_SERVERLOG_KV_USAGE],
	            values->number[WEIR_SERVERLOG_KV_USAGE_TOO]);
}

static struct weir_server_row row_of(const struct weir_serverlog_values *values,
                                     enum weir_server_kind kind)
{
	struct weir_server_row row = weir_server_row_unknown(kind);
	int32_t active = count_of(values, WEIR_SERVERLOG_ACTIVE), idle = -1;

	row.duration_ns = values->duration_ns;
	row.prefill_requests = count_of(values, WEIR_SERVERLOG_PREFILL_REQUESTS);
	row.prefill_tokens = count_of(values, WEIR_SERVERLOG_PREFILL_TOKENS);
	row.decode_requests = count_of(values, WEIR_SERVERLOG_DECODE_REQUESTS);
	row.decode_tokens = count_of(values, WEIR_SERVERLOG_DECODE_TOKENS);
	row.cached_tokens = count_of(values, WEIR_SERVERLOG_CACHED_TOKENS);
	row.running = count_of(values, WEIR_SERVERLOG_RUNNING);
	if (active >= 0 && row.running >= 0 && active >= row.running)
		idle = active - row.running;
	row.waiting = sum_of(sum_of(count_of(values, WEIR_SERVERLOG_WAITING),
	                            count_of(values, WEIR_SERVERLOG_WAITING_TOO)),
	                     idle);
	row.preempted = count_of(values, WEIR_SERVERLOG_PREEMPTED);
	row.drafted = count_of(values, WEIR_SERVERLOG_DRAFTED);
	row.accepted = count_of(values, WEIR_SERVERLOG_ACCEPTED);
	row.kv_usage = usage_of(values);
	row.prompt_rate = values->number[WEIR_SERVERLOG_PROMPT_RATE];
	row.decode_rate = values->number[WEIR_SERVERLOG_DECODE_RATE];
	row.accept_length = values->number[WEIR_SERVERLOG_ACCEPT_LENGTH];
	row.hit_rate = values->number[WEIR_SERVERLOG_HIT_RATE];
	return row;
}

void weir_serverlog_add(struct weir_serverlog *reading, const struct weir_serverlog_values *values,
                        enum weir_server_kind kind, uint32_t engine)
{
	struct weir_server_log *log = reading->log;
	struct weir_server_row row = row_of(values, kind);
	size_t count = log->count;

	row.engine = engine;
	row.at_ns = weir_serverlog_time(reading, values->time);
	if (reading->pending[engine] > 0 || row.preempted >= 0)
		row.preempted = sum_of(row.preempted, reading->pending[engine]);
	reading->pending[engine] = 0;
	reading->booting = false;
	weir_server_log_add(log, &row);
	if (log->count == count)
		return;
	reading->last_row[engine] = log->count;
	if (kind == WEIR_SERVER_INTERVAL)
		reading->last_interval = log->count;
}

void weir_serverlog_start(struct weir_serverlog *reading)
{
	if (!reading->booting)
		reading->log->starts++;
	reading->booting = true;
	for (size_t i = 0; i < sizeof(reading->known) / sizeof(reading->known[0]); i++) {
		reading->totals[i] = 0;
		reading->known[i] = true;
	}
}

void weir_serverlog_preempt(struct weir_serverlog *reading, uint32_t engine, int64_t count)
{
	int32_t *pending = &reading->pending[engine];

	if (count > 0)
		*pending = sum_of(*pending, count > INT32_MAX ? INT32_MAX : (int32_t)count);
}

int64_t weir_serverlog_increase(struct weir_serverlog *reading, size_t which, double total)
{
	uint64_t now, before = reading->totals[which];
	bool known = reading->known[which];

	if (isnan(total))
		return -1;
	now = (uint64_t)total;
	reading->totals[which] = now;
	reading->known[which] = true;
	if (known && now < before)
		weir_input_warn(reading->input, WEIR_WARN_COUNTER_RESET, reading->at, NULL);
	return known && now >= before ? (int64_t)(now - before) : -1;
}

/* ---- lines ---- */

/* Returns the line without the escape sequences of a terminal. */
static struct weir_slice without_colours(struct weir_serverlog *reading, struct weir_slice line)
{
	const char *at = line.data, *end = line.data + line.length;

	if (!memchr(line.data, '\x1b', line.length))
		return line;
	weir_text_clear(&reading->bare);
	while (at < end) {
		const char *escape = memchr(at, '\x1b', (size_t)(end - at));

		escape = escape ? escape : end;
		weir_text_add(&reading->bare, at, (size_t)(escape - at));
		at = escape < end ? escape + 1 : end;
		if (at < end && *at == '[')
			for (at++; at < end && !isalpha((unsigned char)*at);)
				at++;
		at += at < end && escape < end;
	}
	return (struct weir_slice){reading->bare.data ? reading->bare.data : "",
	                           reading->bare.length};
}

/* Takes the parts of a line that progress bars divide by carriage returns. */
static void take_line(struct weir_serverlog *reading, const struct weir_serverlog_format *format,
                      struct weir_slice line)
{
	const char *at, *end;

	line = without_colours(reading, line);
	at = line.data;
	end = line.data + line.length;
	while (at < end) {
		const char *stop = memchr(at, '\r', (size_t)(end - at));

		stop = stop ? stop : end;
		reading->line = between(at, stop);
		if (at < stop)
			format->take(reading, reading->line);
		at = stop < end ? stop + 1 : end;
	}
}

/* Returns true if a line without an end is whole, or says nothing about the server: an access line
 * with the phrase of its status, "POST /v1/completions HTTP/1.1" 200 OK. The number in any other
 * line may be cut. */
static bool is_access_line(struct weir_slice line)
{
	char last;

	line = weir_slice_trim(line);
	last = line.length ? line.data[line.length - 1] : '0';
	return weir_slice_holds(line, " HTTP/1.") &&
	       ((last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z'));
}

static enum weir_status take_lines(struct weir_serverlog *reading,
                                   const struct weir_serverlog_format *format,
                                   struct weir_source *source, struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		reading->at = row->at;
		if (row->cut && row->count && !is_access_line(row->line))
			weir_input_warn(reading->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		else if (row->count)
			take_line(reading, format, row->line);
	}
	for (uint64_t i = 0; i < weir_csv_skipped(csv)->count; i++)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT,
		                weir_csv_skipped(csv)->first_at, "a line of 1 MiB");
	weir_csv_free(csv);
	return status;
}

/* Adds preemptions after the last row of an engine to that row. */
static void settle(struct weir_serverlog *reading)
{
	struct weir_server_log *log = reading->log;

	for (size_t i = 0; i < log->engine_count; i++)
		if (reading->pending[i] > 0 && reading->last_row[i]) {
			struct weir_server_row *row = &log->rows[reading->last_row[i] - 1];

			row->preempted = sum_of(row->preempted, reading->pending[i]);
		}
}

enum weir_status weir_serverlog_read(const struct weir_serverlog_format *format,
                                     struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct weir_serverlog *reading = weir_alloc(sizeof *reading);
	enum weir_status status;

	reading->input = input;
	reading->log = input->server = weir_server_log_new(format->product);
	reading->last_ns = INT64_MIN;
	status = take_lines(reading, format, source, err);
	weir_damage_of_source(input, source);
	settle(reading);
	if (!status && !input->server->count)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no line about a step or an interval in this server log: the "
		                   "server got no request, or does not print such lines: %s",
		                   format->missing);
	input->events = input->server->count + input->server->left_out;
	weir_text_release(&reading->bare);
	free(reading);
	return status;
}

/* ---- recognition ---- */

int weir_serverlog_sniff(const char *head, size_t len, const char *const *texts)
{
	static const char *const others[] = {"Serving Benchmark Result",
	                                     "Traffic request rate:",
	                                     "<<<RESULT_START>>>",
	                                     "Preparing to run throughput benchmark",
	                                     "Preparing to run latency benchmark",
	                                     "PERFORMANCE OVERVIEW",
	                                     "&&&& RUNNING TensorRT",
	                                     "Prefill. latency:"};
	char first = weir_sniff_first(head, len);
	int bits = 0;

	if (first == '<' || (weir_sniff_is_json(head, len) &&
	                     !weir_sniff_contains(head, len < 256 ? len : 256, "{\"log\":\"")))
		return 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (weir_sniff_contains(head, len, others[i]))
			return 0;
	for (; *texts; texts++)
		if (weir_sniff_contains(head, len, *texts))
			bits += 8 * (int)strlen(*texts);
	return bits;
}
