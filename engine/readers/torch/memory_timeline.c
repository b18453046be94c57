/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads memory timelines of the PyTorch profiler, export_memory_timeline(): changes of each
 * category in bytes (*.raw.json), or totals of each category over time (*.json). Keeps the totals
 * at the start, the peak and the end, and the categories at the peak.
 */
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_BYTES (INT64_C(1) << 55) /* of one change */
#define MAX_SUM   (INT64_C(1) << 60)

enum action { ACTION_PREEXISTING = 1, ACTION_CREATE, ACTION_NEW_VERSION, ACTION_DESTROY };

static const char *const categories[] = {
	"parameter",  "optimizer_state", "input",           "temporary",
	"activation", "gradient",        "autograd_detail", "unknown",
};

#define CATEGORIES (sizeof(categories) / sizeof(categories[0]))

struct totals {
	int64_t of[CATEGORIES];
	int64_t all;
};

struct memory {
	struct weir_input *input;
	struct totals now, peak; /* bytes */
	int64_t first, last;     /* bytes */
	uint64_t points;
	bool started;
};

static bool take_number(struct weir_jsoncursor *cursor, int64_t *out)
{
	struct weir_slice text = weir_jsoncursor_scalar(cursor);

	return text.length && weir_parse_i64(text.data, text.length, out);
}

static void keep_point(struct memory *memory)
{
	memory->points++;
	if (memory->now.all > memory->peak.all)
		memory->peak = memory->now;
	memory->last = memory->now.all;
	if (!memory->started)
		memory->first = memory->now.all;
}

/* Adds to a sum. Returns false, and leaves it alone, beyond MAX_SUM. */
static bool add_bytes(int64_t *sum, int64_t bytes)
{
	if (*sum + bytes > MAX_SUM || *sum + bytes < -MAX_SUM)
		return false;
	*sum += bytes;
	return true;
}

/* Takes a change: time, action, bytes, category. Memory from before the start has a negative time;
 * the run starts with its sum. Returns false if the change is malformed. */
static bool take_change(struct memory *memory, const int64_t *fields)
{
	struct totals now = memory->now;
	int64_t bytes = fields[2];

	if (fields[1] < ACTION_PREEXISTING || fields[1] > ACTION_DESTROY || fields[3] < 0 ||
	    fields[3] >= (int64_t)CATEGORIES || bytes > MAX_BYTES || bytes < -MAX_BYTES)
		return false;
	if (!add_bytes(&now.all, bytes) || !add_bytes(&now.of[fields[3]], bytes))
		return false;
	memory->now = now;
	memory->started |= fields[0] >= 0;
	keep_point(memory);
	return true;
}

/* Takes the totals at one time: 0, then one per category. Returns false if they are malformed. */
static bool take_totals(struct memory *memory, struct weir_jsoncursor *cursor)
{
	struct totals now = {0};
	size_t count = 0;
	int64_t value;
	bool good = true;

	if (!weir_jsoncursor_enter(cursor, '['))
		return false;
	for (; weir_jsoncursor_item(cursor); count++) {
		good &= take_number(cursor, &value) && value >= 0 && value <= MAX_BYTES;
		if (!good || !count || count > CATEGORIES)
			continue;
		now.of[count - 1] = value;
		now.all += value;
	}
	if (!good || count != CATEGORIES + 1)
		return false;
	memory->now = now;
	keep_point(memory);
	memory->started = true;
	return true;
}

static void refuse(struct memory *memory, uint64_t at, const char *detail)
{
	weir_input_warn(memory->input, WEIR_WARN_SKIPPED_EVENT, at, detail);
}

/* Takes the list of totals, which follows the list of times; drops changes that were misread from
 * the times. */
static void take_list(struct memory *memory, struct weir_jsoncursor *cursor, uint64_t at)
{
	*memory = (struct memory){.input = memory->input};
	do {
		if (!take_totals(memory, cursor))
			refuse(memory, at, "totals: expected 0 and 8 numbers of bytes");
	} while (!cursor->bad && weir_jsoncursor_item(cursor));
}

/* Takes a change or the list of totals. Returns false if the element is not valid JSON. */
static bool take_element(struct memory *memory, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	int64_t fields[4];
	size_t count = 0;
	bool good = true;

	if (!weir_jsoncursor_enter(&cursor, '[')) {
		refuse(memory, item->at, "an element that is not a list");
		return true;
	}
	while (weir_jsoncursor_item(&cursor)) {
		int64_t value = 0;

		if (weir_jsoncursor_peek(&cursor) == '[') {
			take_list(memory, &cursor, item->at);
			return !cursor.bad;
		}
		good &= take_number(&cursor, &value);
		if (count < 4)
			fields[count] = value;
		count += good;
	}
	if (cursor.bad)
		return false;
	if (count == 4 && good && take_change(memory, fields))
		return true;
	if (item->number > 1 || count == 4) /* the first may be the list of times */
		refuse(memory, item->at, "a change: expected time, action, bytes and category");
	return true;
}

static enum weir_status conclude(struct memory *memory, struct weir_error *err)
{
	struct weir_run *run;

	if (!memory->points)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no change of memory: expected lists of time, action, bytes and "
		                 "category, or a list of times and a list of totals");
	memory->input->run = run = weir_run_new();
	memory->input->events = memory->points;
	weir_figure_add(run, "memory_start_bytes", "B", false, (double)memory->first);
	weir_figure_add(run, "memory_end_bytes", "B", false, (double)memory->last);
	weir_figure_add(run, "memory_peak_bytes", "B", false, (double)memory->peak.all);
	for (size_t i = 0; i < CATEGORIES; i++) {
		struct weir_text name = {0};

		weir_text_printf(&name, "memory_at_peak_%s_bytes", categories[i]);
		weir_figure_add(run, name.data, "B", false, (double)memory->peak.of[i]);
		weir_text_release(&name);
	}
	return WEIR_OK;
}

static enum weir_status read_memory(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {0};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	struct memory memory = {.input = input};
	struct weir_jsonscan_item item;
	enum weir_status status;

	while (!(status = weir_jsonscan_next(scan, &item, err)) && item.kind != WEIR_JSONSCAN_END)
		if (item.kind == WEIR_JSONSCAN_ELEMENT && !take_element(&memory, &item))
			weir_jsonscan_reject(scan);
	if (!status) {
		weir_damage_of_scan(input, scan, source);
		status = conclude(&memory, err);
	}
	weir_jsonscan_free(scan);
	return status;
}

static const char *skip(const char *at, const char *end, const char *characters)
{
	while (at < end && *at && strchr(characters, *at))
		at++;
	return at;
}

/* Looks for two brackets and four integers, with which no other format begins. */
static int sniff(const char *head, size_t len)
{
	static const char blanks[] = " \t\r\n";
	const char *at = head, *end = head + len;
	int bits = 0;

	for (int i = 0; i < 2; i++) {
		at = skip(at, end, blanks);
		if (at == end || *at++ != '[')
			return 0;
		bits += 8;
	}
	for (int i = 0; i < 4; i++) {
		const char *digits;

		at = skip(at, end, blanks);
		at += at < end && *at == '-';
		digits = at;
		at = skip(at, end, "0123456789");
		if (at == digits)
			return 0;
		at = skip(at, end, blanks);
		if (at == end || *at != (i < 3 || *at != ']' ? ',' : ']'))
			return 0;
		at++;
		bits += 8 * (int)(at - digits);
	}
	return bits;
}

const struct weir_reader weir_reader_memory_timeline = {
	.name = "memory_timeline",
	.title = "memory timelines of the PyTorch profiler (JSON, raw JSON)",
	.gives = "native run",
	.sniff = sniff,
	.read = read_memory,
};
