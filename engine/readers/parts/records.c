/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsonrepair.h"
#include "engine/base/jsonscan.h"
#include "engine/base/window.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/records.h"

/* The next treatment of the last record that was returned. */
enum fate {
	FATE_NONE, /* it was read, or there is no record */
	FATE_REPAIR,
	FATE_DROP,
};

struct weir_records {
	struct weir_source *source;
	struct weir_input *input;
	struct weir_jsonscan *scan; /* NULL: JSON lines */

	struct weir_window window;
	size_t used;            /* bytes of the line in the window */
	struct weir_slice rest; /* of the line, from the last record on, or after it */
	uint64_t at;            /* byte of the line in the file */
	const char *line;       /* its first byte; moves with the window */
	bool cut;               /* no newline ends the line: it is the last one */
	bool truncated;         /* the end of the input was counted as truncated */
	bool repaired;          /* the last record is in `repair` */
	enum fate fate;
	struct weir_text repair;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static struct weir_slice trim(struct weir_slice text)
{
	while (text.length && is_blank(*text.data)) {
		text.data++;
		text.length--;
	}
	while (text.length && is_blank(text.data[text.length - 1]))
		text.length--;
	return text;
}

/* Returns the next line of the head that is not blank; empty at the end. */
static struct weir_slice next_head_line(const char **at, const char *end)
{
	struct weir_slice line = {0};

	while (*at < end && !line.length) {
		const char *stop = memchr(*at, '\n', (size_t)(end - *at));

		stop = stop ? stop : end;
		line = trim((struct weir_slice){*at, (size_t)(stop - *at)});
		*at = stop < end ? stop + 1 : end;
	}
	return line;
}

/* Returns true if the head looks like JSON lines: the first object ends on its line, or the next
 * line begins with another object. */
static bool is_lines(const char *head, size_t len)
{
	const char *at = head, *end = head + len;
	struct weir_slice first = next_head_line(&at, end), second = next_head_line(&at, end);

	if (!first.length || !second.length)
		return !first.length || *first.data != '[';
	return *first.data != '[' && (first.data[first.length - 1] == '}' || *second.data == '{');
}

enum weir_status weir_records_new(struct weir_source *source, struct weir_input *input,
                                  struct weir_records **out, struct weir_error *err)
{
	struct weir_records *records;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*out = NULL;
	if (status)
		return status;
	records = *out = weir_alloc(sizeof *records);
	records->source = source;
	records->input = input;
	if (is_lines(head, len)) {
		weir_window_init(&records->window, source);
	} else {
		struct weir_slice start = trim((struct weir_slice){head, len});
		struct weir_jsonscan_options options = {.lines = *start.data != '['};

		records->scan = weir_jsonscan_new(source, &options);
	}
	return WEIR_OK;
}

void weir_records_free(struct weir_records *records)
{
	if (!records)
		return;
	weir_jsonscan_free(records->scan);
	weir_window_release(&records->window);
	weir_text_release(&records->repair);
	free(records);
}

static size_t available(const struct weir_window *window)
{
	return (size_t)(window->stop - window->at);
}

/* Skips a line that is longer than a record may be. */
static void drop_line(struct weir_records *records)
{
	struct weir_window *window = &records->window;
	const char *newline = NULL;

	weir_input_warn(records->input, WEIR_WARN_SKIPPED_EVENT, records->at, "a line of 64 MiB");
	while (!newline) {
		newline = memchr(window->at, '\n', available(window));
		window->at = newline ? newline + 1 : window->stop;
		if (!newline && !weir_window_more(window))
			return;
	}
}

/* Measures the line at the beginning of the window. Returns false at the end of the input. */
static bool measure_line(struct weir_records *records, size_t *length)
{
	struct weir_window *window = &records->window;
	size_t done = 0;

	for (;;) {
		const char *newline = memchr(window->at + done, '\n', available(window) - done);

		*length = newline ? (size_t)(newline - window->at) : available(window);
		if (newline || *length > WEIR_JSONSCAN_MAX_VALUE)
			return true;
		done = *length;
		if (!weir_window_more(window)) {
			records->cut = true;
			return done > 0;
		}
	}
}

/* Makes the next line that is not blank the rest. Returns false at the end of the input. */
static bool take_line(struct weir_records *records)
{
	struct weir_window *window = &records->window;
	size_t length;

	do {
		window->at += records->used;
		records->used = 0;
		weir_window_settle(window);
		if (records->cut || !measure_line(records, &length))
			return false;
		records->at = weir_window_position(window);
		if (length > WEIR_JSONSCAN_MAX_VALUE) {
			drop_line(records);
			continue;
		}
		weir_window_pad(window, length);
		records->line = window->at;
		records->used = length + !records->cut;
		records->rest = trim((struct weir_slice){window->at, length});
	} while (!records->rest.length);
	return true;
}

static uint64_t rest_at(const struct weir_records *records)
{
	return records->at + (uint64_t)(records->rest.data - records->line);
}

/* Drops the rest of the line, and counts it: as truncated if the input ends in it, else as skipped.
 */
static void leave_out(struct weir_records *records)
{
	bool truncated = records->cut && *records->rest.data == '{';

	weir_input_warn(records->input, truncated ? WEIR_WARN_TRUNCATED : WEIR_WARN_SKIPPED_EVENT,
	                rest_at(records), truncated ? weir_source_damage(records->source) : NULL);
	records->truncated |= truncated;
	records->rest.length = 0;
	records->fate = FATE_NONE;
}

static bool repair(struct weir_records *records)
{
	size_t used = 0;

	if (weir_jsonrepair(records->rest, true, &records->repair, &used) != WEIR_JSONREPAIR_DONE)
		return false;
	weir_input_warn(records->input, WEIR_WARN_REPAIRED_TEXT, rest_at(records), NULL);
	weir_text_repeat(&records->repair, " ", WEIR_JSONSCAN_PADDING);
	records->repaired = true;
	records->fate = FATE_NONE;
	return true;
}

static enum weir_status next_of_lines(struct weir_records *records, struct weir_record *record)
{
	if (records->fate == FATE_REPAIR && repair(records)) {
		*record = (struct weir_record){
			{records->repair.data, records->repair.length - WEIR_JSONSCAN_PADDING},
			rest_at(records)};
		return WEIR_OK;
	}
	if (records->fate != FATE_NONE)
		leave_out(records);
	while (records->rest.length || take_line(records)) {
		if (*records->rest.data == '{') {
			*record = (struct weir_record){records->rest, rest_at(records)};
			return WEIR_OK;
		}
		leave_out(records);
	}
	return records->window.status;
}

static enum weir_status next_of_scan(struct weir_records *records, struct weir_record *record,
                                     struct weir_error *err)
{
	struct weir_jsonscan_item item;
	enum weir_status status;

	while (!(status = weir_jsonscan_next(records->scan, &item, err)) &&
	       item.kind != WEIR_JSONSCAN_END) {
		if (*item.text.data == '{') {
			*record = (struct weir_record){item.text, item.at};
			return WEIR_OK;
		}
		weir_input_warn(records->input, WEIR_WARN_SKIPPED_EVENT, item.at, NULL);
	}
	return status;
}

enum weir_status weir_records_next(struct weir_records *records, struct weir_record *record,
                                   struct weir_error *err)
{
	*record = (struct weir_record){0};
	if (records->scan)
		return next_of_scan(records, record, err);
	records->window.err = err;
	return next_of_lines(records, record);
}

void weir_records_done(struct weir_records *records, const struct weir_jsoncursor *cursor)
{
	if (records->scan) {
		if (cursor->bad)
			weir_jsonscan_reject(records->scan);
		return;
	}
	if (cursor->bad) {
		records->fate = records->repaired ? FATE_DROP : FATE_REPAIR;
		records->repaired = false;
		return;
	}
	if (records->repaired) {
		records->rest.length = 0;
	} else {
		const char *end = records->rest.data + records->rest.length;

		records->rest = trim((struct weir_slice){cursor->at, (size_t)(end - cursor->at)});
	}
	records->repaired = false;
}

void weir_records_finish(struct weir_records *records)
{
	if (records->scan)
		weir_damage_of_scan(records->input, records->scan, records->source);
	else if (!records->truncated)
		weir_damage_of_source(records->input, records->source);
}

enum weir_status weir_records_each(struct weir_source *source, struct weir_input *input,
                                   void (*take)(void *context, struct weir_jsoncursor *cursor,
                                                uint64_t at),
                                   void *context, struct weir_error *err)
{
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		take(context, &cursor, record.at);
		weir_records_done(records, &cursor);
	}
	if (!status)
		weir_records_finish(records);
	weir_records_free(records);
	return status;
}
