/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads weir.requests: one JSON object per request, with the stages of its time. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_PART_NS    (INT64_C(1) << 50) /* 13 days: a longer stage is damaged; all sum to 2^62 */
#define MAX_TOKENS     (INT64_C(1) << 40)
#define EPOCH_NS       INT64_C(100000000000000000) /* 1973; later starts are Unix time */
#define MAX_STAGE_NAME 128                         /* longer names are cut */
#define GUESSES        32
#define GUESS_NAME     48

#define UNKNOWN (-1)

/* The name of a stage as written, and its row. Lines name the same stages in the same order, so the
 * i-th name is nearly always that of the previous line. */
struct guess {
	char name[GUESS_NAME];
	size_t length; /* 0: no guess */
	uint8_t stage;
};

/* The members of one object; UNKNOWN: not given. */
struct line {
	int64_t start_ns, end_ns, first_token_ns;
	int64_t batch_size, tokens, padded_tokens, output_tokens;
	int64_t parts_ns; /* sum of the stages */
	unsigned given;   /* a bit per row of `fields` */
	unsigned bad;     /* malformed values */
	unsigned twice;   /* repeated keys */
	unsigned surplus; /* stages beyond the limit */
	uint64_t stages[WEIR_MAX_REQUEST_STAGES / 64];
};

struct requests_reader {
	struct weir_input *input;
	struct weir_requests *requests;
	struct weir_text scratch;
	struct guess guesses[GUESSES];
	struct line line;
	uint64_t dates; /* starts in Unix time */
	bool timed;     /* the first request has a time, so all must have one */
};

struct field {
	const char *key;
	void (*take)(struct requests_reader *reader, const struct field *field,
	             struct weir_jsoncursor *cursor);
	size_t offset;           /* of the value in struct line */
	int64_t lowest, highest; /* of valid values */
	int places;              /* from its unit to that of struct line, as a power of ten */
};

static bool parse(struct weir_slice text, int places, int64_t *out)
{
	return places == 3 ? weir_parse_us_as_ns(text.data, text.length, out)
	                   : weir_parse_scaled(text.data, text.length, places, out);
}

/* Takes a number, also one written as text: writers without 64-bit integers keep nanoseconds so. */
static void take_number(struct requests_reader *reader, const struct field *field,
                        struct weir_jsoncursor *cursor)
{
	struct weir_slice text = weir_jsoncursor_scalar(cursor);
	int64_t value;

	if (weir_slice_equals(text, "null"))
		return;
	if (!text.length || !parse(text, field->places, &value) || value < field->lowest ||
	    value > field->highest)
		reader->line.bad++;
	else
		memcpy((char *)&reader->line + field->offset, &value, sizeof value);
}

static void take_nothing(struct requests_reader *reader, const struct field *field,
                         struct weir_jsoncursor *cursor)
{
	(void)reader;
	(void)field;
	weir_jsoncursor_take(cursor);
}

/* Looks up a stage that is not at the place of the previous line. */
static uint8_t find_stage(struct requests_reader *reader, struct weir_slice raw, size_t place)
{
	struct weir_slice name = weir_jsoncursor_decode(raw, &reader->scratch, NULL);
	uint8_t stage;

	if (name.length > MAX_STAGE_NAME) {
		name.length = MAX_STAGE_NAME;
		while (name.length && ((unsigned char)name.data[name.length] & 0xc0) == 0x80)
			name.length--;
	}
	if (!name.length)
		name = weir_slice_of("unnamed");
	stage = weir_requests_stage(reader->requests, name.data, name.length);
	if (place < GUESSES && raw.length && raw.length <= GUESS_NAME) {
		struct guess *guess = &reader->guesses[place];

		memcpy(guess->name, raw.data, raw.length);
		guess->length = raw.length;
		guess->stage = stage;
	}
	return stage;
}

static bool is_guessed(const struct guess *guess, struct weir_slice raw)
{
	return raw.length && guess->length == raw.length &&
	       !memcmp(guess->name, raw.data, raw.length);
}

static uint8_t stage_of(struct requests_reader *reader, struct weir_slice raw, size_t place)
{
	if (place < GUESSES && is_guessed(&reader->guesses[place], raw))
		return reader->guesses[place].stage;
	return find_stage(reader, raw, place);
}

/* True if the object names the stage for the first time. Stages beyond the limit share a row. */
static bool is_new_stage(struct requests_reader *reader, uint8_t stage)
{
	uint64_t *word = &reader->line.stages[stage / 64], bit = UINT64_C(1) << stage % 64;
	bool given = (*word & bit) != 0;

	*word |= bit;
	return !given || stage == WEIR_MAX_REQUEST_STAGES - 1;
}

static void add_part(struct requests_reader *reader, struct weir_slice name, size_t place,
                     int64_t ns)
{
	struct line *line = &reader->line;
	uint8_t stage = stage_of(reader, name, place);

	if (!is_new_stage(reader, stage)) {
		line->twice++;
		return;
	}
	weir_requests_add_part(reader->requests, stage, ns);
	line->parts_ns = (line->parts_ns == UNKNOWN ? 0 : line->parts_ns) + ns;
}

static void take_parts(struct requests_reader *reader, const struct field *field,
                       struct weir_jsoncursor *cursor)
{
	struct weir_slice name;

	if (weir_jsoncursor_peek(cursor) != '{') {
		struct weir_slice text = weir_jsoncursor_take(cursor);

		reader->line.bad += !weir_slice_equals(text, "null");
		return;
	}
	weir_jsoncursor_enter(cursor, '{');
	for (size_t place = 0; weir_jsoncursor_key(cursor, &name); place++) {
		struct weir_slice text = weir_jsoncursor_scalar(cursor);
		int64_t ns;

		if (!text.length || !parse(text, field->places, &ns) || ns < 0 || ns > MAX_PART_NS)
			reader->line.bad++;
		else if (place < WEIR_MAX_REQUEST_PARTS)
			add_part(reader, name, place, ns);
		else
			reader->line.surplus++;
	}
}

#define VALUE(key, member, lowest, highest, places)                                                \
	{                                                                                          \
		key, take_number, offsetof(struct line, member), lowest, highest, places           \
	}
#define PARTS(key, places)                                                                         \
	{                                                                                          \
		key, take_parts, 0, 0, 0, places                                                   \
	}

/* In the order in which writers put them. */
static const struct field fields[] = {
	{"request_id", take_nothing, 0, 0, 0, 0}, /* private */
	VALUE("start_ns", start_ns, 0, INT64_MAX, 0),
	VALUE("end_ns", end_ns, 0, INT64_MAX, 0),
	VALUE("batch_size", batch_size, 1, INT32_MAX, 0),
	VALUE("tokens", tokens, 0, MAX_TOKENS, 0),
	VALUE("padded_tokens", padded_tokens, 0, MAX_TOKENS, 0),
	VALUE("output_tokens", output_tokens, 0, MAX_TOKENS, 0),
	VALUE("first_token_us", first_token_ns, 0, MAX_PART_NS, 3),
	PARTS("stages_us", 3),
	PARTS("stages_ns", 0),
	PARTS("stages_ms", 6),
};

#define FIELDS (sizeof fields / sizeof fields[0])

/* Finds a field, beginning at the expected one; NULL: it is not read. */
static const struct field *find_field(struct weir_slice key, size_t expected)
{
	for (size_t i = 0; i < FIELDS; i++) {
		const struct field *field = &fields[(expected + i) % FIELDS];

		if (weir_slice_equals(key, field->key))
			return field;
	}
	return NULL;
}

static void take_line(struct requests_reader *reader, struct weir_jsoncursor *cursor)
{
	const struct field *expected = fields;
	struct line *line = &reader->line;
	struct weir_slice key;

	*line = (struct line){
		.start_ns = UNKNOWN,
		.end_ns = UNKNOWN,
		.first_token_ns = UNKNOWN,
		.batch_size = UNKNOWN,
		.tokens = UNKNOWN,
		.padded_tokens = UNKNOWN,
		.output_tokens = UNKNOWN,
		.parts_ns = UNKNOWN,
	};
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		const struct field *field = find_field(key, (size_t)(expected - fields));
		unsigned bit = field ? 1u << (field - fields) : 0;

		if (field && !(line->given & bit))
			field->take(reader, field, cursor);
		else
			weir_jsoncursor_take(cursor);
		line->twice += (line->given & bit) != 0;
		line->given |= bit;
		expected = field ? field + 1 : expected;
	}
}

/*
 * Computes a missing start or end from the stages, which lie end to end. Returns false, and the
 * warning in *why, if the request has no usable time. If the first request has a time, all must
 * have one: the others would lie at 0, far away.
 */
static bool complete_times(struct requests_reader *reader, enum weir_warning_code *why)
{
	struct line *line = &reader->line;
	bool starts = line->start_ns != UNKNOWN, ends = line->end_ns != UNKNOWN;

	*why = WEIR_WARN_SKIPPED_EVENT;
	if (!(starts && ends) && line->parts_ns == UNKNOWN)
		return false;
	if (!reader->requests->count)
		reader->timed = starts || ends;
	*why = WEIR_WARN_NO_TIME;
	if (reader->timed && !starts && !ends)
		return false;
	if (!starts)
		line->start_ns = ends ? line->end_ns - line->parts_ns : 0;
	*why = WEIR_WARN_BAD_NUMBER;
	if (!ends && line->start_ns > INT64_MAX - line->parts_ns)
		return false;
	if (!ends)
		line->end_ns = line->start_ns + line->parts_ns;
	*why = WEIR_WARN_NEGATIVE_DURATION;
	return line->end_ns >= line->start_ns;
}

static void warn(struct requests_reader *reader, enum weir_warning_code code, uint64_t at,
                 unsigned count)
{
	if (!count)
		return;
	weir_input_warn(reader->input, code, at, NULL);
	reader->input->warnings[code].count += count - 1;
}

static void add_request(struct requests_reader *reader, uint64_t at)
{
	struct line *line = &reader->line;
	enum weir_warning_code why;
	struct weir_request request;
	bool late;

	reader->input->events++;
	warn(reader, WEIR_WARN_BAD_NUMBER, at, line->bad);
	warn(reader, WEIR_WARN_DUPLICATE, at, line->twice);
	warn(reader, WEIR_WARN_SKIPPED_EVENT, at, line->surplus);
	if (!complete_times(reader, &why)) {
		weir_requests_drop_parts(reader->requests);
		warn(reader, why, at, 1);
		return;
	}
	late = line->first_token_ns > line->end_ns - line->start_ns;
	warn(reader, WEIR_WARN_INCONSISTENT, at, late);
	request = (struct weir_request){
		.start_ns = line->start_ns,
		.end_ns = line->end_ns,
		.batch_size = line->batch_size,
		.tokens = line->tokens,
		.padded_tokens = line->padded_tokens,
		.output_tokens = line->output_tokens,
		.first_token_ns = late ? WEIR_UNKNOWN_COUNT : line->first_token_ns,
	};
	reader->dates += request.start_ns > EPOCH_NS;
	weir_requests_add(reader->requests, &request);
}

static enum weir_status read_records(struct requests_reader *reader, struct weir_records *records,
                                     struct weir_error *err)
{
	struct weir_record record;
	enum weir_status status;

	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		take_line(reader, &cursor);
		if (cursor.bad)
			weir_requests_drop_parts(reader->requests);
		else
			add_request(reader, record.at);
		weir_records_done(records, &cursor);
	}
	return status;
}

static enum weir_status conclude(struct requests_reader *reader, struct weir_error *err)
{
	struct weir_requests *requests = reader->requests;

	if (!requests->count && reader->input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no request has a time: expected start_ns with end_ns or "
		                 "stages_us in every line");
	if (!requests->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no complete request: expected one JSON object per line, with "
		                 "start_ns, end_ns and stages_us");
	if (reader->timed)
		requests->time_base =
			reader->dates > requests->count / 2 ? WEIR_TIME_UNIX : WEIR_TIME_MONOTONIC;
	weir_requests_finish(requests);
	return WEIR_OK;
}

static enum weir_status read_requests(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct requests_reader *reader;
	struct weir_records *records;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	reader = weir_alloc(sizeof *reader);
	reader->input = input;
	reader->requests = input->requests = weir_requests_new();
	status = read_records(reader, records, err);
	if (!status) {
		weir_records_finish(records);
		status = conclude(reader, err);
	}
	weir_text_release(&reader->scratch);
	free(reader);
	weir_records_free(records);
	return status;
}

/* Stages with an id or a time; or all keys of a request without stages. A damaged line may come
 * first. */
#define STAGES(unit)                                                                               \
	{                                                                                          \
		.first = "", .keys = {                                                             \
			{"stages_" unit, "start_ns", "end_ns", "request_id", "tokens",             \
			 "batch_size"},                                                            \
			.all = 1,                                                                  \
			.any = 3                                                                   \
		}                                                                                  \
	}

static const struct weir_mark marks[] = {
	/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the macro joins one literal */
	STAGES("us"),
	/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the macro joins one literal */
	STAGES("ns"),
	/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the macro joins one literal */
	STAGES("ms"),
	{.first = "",
         .keys = {{"start_ns", "end_ns", "request_id", "tokens", "batch_size"}, .all = 3}},
	{0},
};

const struct weir_reader weir_reader_requests = {
	.name = "weir.requests",
	.title = "JSON lines, one request with its stages per line",
	.gives = "requests",
	.marks = marks,
	.read = read_requests,
};
