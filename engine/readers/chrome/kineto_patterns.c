/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/pool.h"
#include "engine/base/rowmap.h"
#include "engine/readers/chrome/kineto_patterns.h"

#define MAX_PATTERNS   16384u
#define MAX_TEXTS      ((size_t)4 << 20) /* bytes of all patterns */
#define MAX_LENGTH     4096u             /* bytes of a pattern */
#define MAX_HOLES      20u
#define LONGEST_NUMBER 32     /* bytes; longer ones are no holes */
#define PREDICTIONS    16384u /* a power of two */
#define BEGINNINGS     512u   /* a power of two */
#define ALIKE          16u    /* patterns with one beginning that are tried */
#define FIRST_LESSONS  1024u  /* patterns that are learned before any event repeats one */
#define NO_PATTERN     UINT32_MAX
#define NOT_READ       KINETO_KEYS /* key of a number that nobody reads */

/* The bytes between two holes, and the hole after them. */
struct piece {
	uint16_t length;
	uint16_t hole; /* bytes of the number in the pattern's text; 0: the event ends */
	uint8_t key;   /* enum kineto_key of the number, or NOT_READ */
};

/* A value of the pattern that is the same in all its events. */
struct constant {
	uint16_t offset, length; /* in the pattern's text */
	uint8_t key;
};

/* Kind of row that an event of a pattern adds, if it adds only this row. */
enum repeat {
	REPEAT_UNKNOWN, /* the event is added as any other */
	REPEAT_HOST,
	REPEAT_DEVICE,
	REPEAT_FLOW,
};

struct pattern {
	uint32_t text;        /* offset in `texts` */
	uint32_t first_piece; /* up to the piece without a hole */
	uint32_t first_constant, constants;
	uint32_t length;
	uint64_t present; /* as in struct kineto_event */
	bool plain;
	uint8_t repeat;      /* enum repeat */
	uint32_t generation; /* `repeat` and `row` are valid in it */
	uint32_t row;
	struct weir_flow_event flow; /* of REPEAT_FLOW */
	uint32_t successors[2];      /* the pattern that followed last, and the one before it */
};

struct kineto_patterns {
	char *texts;
	size_t text_length, text_capacity;
	struct pattern *patterns;
	size_t count, capacity;
	struct piece *pieces;
	size_t piece_count, piece_capacity;
	struct constant *constants;
	size_t constant_count, constant_capacity;
	struct weir_rowmap by_text;
	uint32_t generation;
	uint32_t previous;                        /* pattern of the last event, or NO_PATTERN */
	uint64_t history;                         /* hash of the patterns of the last events */
	uint32_t predictions[PREDICTIONS];        /* by history */
	uint32_t by_beginning[BEGINNINGS][ALIKE]; /* the last one that was found comes first */
	uint64_t hits, lessons;
};

static void clear(struct kineto_patterns *patterns)
{
	patterns->text_length = patterns->count = 0;
	patterns->piece_count = patterns->constant_count = 0;
	weir_rowmap_clear(&patterns->by_text);
	patterns->previous = NO_PATTERN;
	patterns->history = 0;
	memset(patterns->predictions, 0xff, sizeof(patterns->predictions));
	memset(patterns->by_beginning, 0xff, sizeof(patterns->by_beginning));
}

struct kineto_patterns *weir_kineto_patterns_new(void)
{
	struct kineto_patterns *patterns = weir_alloc(sizeof(*patterns));

	clear(patterns);
	return patterns;
}

void weir_kineto_patterns_free(struct kineto_patterns *patterns)
{
	if (!patterns)
		return;
	free(patterns->texts);
	free(patterns->patterns);
	free(patterns->pieces);
	free(patterns->constants);
	weir_rowmap_release(&patterns->by_text);
	free(patterns);
}

void weir_kineto_patterns_begin(struct kineto_patterns *patterns)
{
	patterns->generation++;
	patterns->previous = NO_PATTERN;
	patterns->history = 0;
}

/* ---- prediction ---- */

static uint32_t *prediction_of(struct kineto_patterns *patterns)
{
	return &patterns->predictions[patterns->history * UINT64_C(0x9e3779b97f4a7c15) >> 50 &
	                              (PREDICTIONS - 1)];
}

/* Notes the pattern of an event, which predicts the events after it. The history keeps the last
 * three patterns. */
static void note(struct kineto_patterns *patterns, uint32_t index)
{
	*prediction_of(patterns) = index;
	if (patterns->previous != NO_PATTERN) {
		uint32_t *successors = patterns->patterns[patterns->previous].successors;

		if (successors[0] != index) {
			successors[1] = successors[0];
			successors[0] = index;
		}
	}
	patterns->previous = index;
	patterns->history = patterns->history << 21 ^ index;
}

/* Bytes at the start of an event by which patterns are found that prediction missed: the name of
 * an operator is among the first, an arrow begins with its id. */
static const size_t beginnings[] = {48, 12};

static uint32_t *patterns_beginning(struct kineto_patterns *patterns, const char *text,
                                    size_t length)
{
	return patterns->by_beginning[weir_hash_text(text, length, 0) & (BEGINNINGS - 1)];
}

/* Puts a pattern before those that were at `at` and before. */
static void move_to_front(uint32_t alike[ALIKE], size_t at, uint32_t index)
{
	memmove(alike + 1, alike, at * sizeof(*alike));
	alike[0] = index;
}

/* ---- comparison ---- */

/* Returns true if the texts agree in `length` bytes. May read up to 15 bytes after them. */
static inline bool agree(const char *a, const char *b, size_t length)
{
#ifdef WEIR_JSONBLOCK_SSE2
	for (;;) {
		__m128i left = _mm_loadu_si128((const __m128i *)(const void *)a);
		__m128i right = _mm_loadu_si128((const __m128i *)(const void *)b);
		uint64_t same = weir_jsonblock_bits(_mm_cmpeq_epi8(left, right));

		if (length <= 16)
			return !(~same & (UINT64_C(0xffff) >> (16 - length)));
		if (same != 0xffff)
			return false;
		a += 16;
		b += 16;
		length -= 16;
	}
#else
	return !memcmp(a, b, length);
#endif
}

/* Returns the first byte from `at` on that is no digit, minus or point. Looks at no more than
 * LONGEST_NUMBER bytes. */
static inline const char *end_of_number(const char *at)
{
#ifdef WEIR_JSONBLOCK_SSE2
	const __m128i first = _mm_set1_epi8('-'), last = _mm_set1_epi8('9' - '-'),
		      slash = _mm_set1_epi8('/' - '-');

	for (const char *end = at + LONGEST_NUMBER; at < end; at += 16) {
		__m128i bytes =
			_mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)at), first);
		__m128i inside = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, slash),
		                                  _mm_cmpeq_epi8(_mm_min_epu8(bytes, last), bytes));
		uint64_t outside = weir_jsonblock_bits(inside) ^ 0xffff;

		if (outside)
			return at + weir_bits_first(outside);
	}
#else
	for (const char *end = at + LONGEST_NUMBER; at < end; at++)
		if ((unsigned)*at - '0' >= 10 && *at != '-' && *at != '.')
			break;
#endif
	return at;
}

/* Compares the event at `text` with a pattern and takes its numbers. Returns the byte after the
 * event, NULL if it differs. The bytes after the block are 0, which no pattern holds, so that
 * nothing beyond them is read. */
static const char *match(const struct kineto_patterns *patterns, const struct pattern *pattern,
                         const char *text, struct weir_slice *numbers)
{
	const struct piece *piece = &patterns->pieces[pattern->first_piece];
	const char *known = patterns->texts + pattern->text;

	for (;; piece++) {
		const char *end;

		if (!agree(text, known, piece->length))
			return NULL;
		text += piece->length;
		if (!piece->hole)
			return text;
		known += piece->length + piece->hole;
		end = end_of_number(text);
		if (end == text)
			return NULL;
		*numbers++ = (struct weir_slice){text, (size_t)(end - text)};
		text = end;
	}
}

/* ---- adding events ---- */

/* Fills in the numbers of an event, which are all that a repeated row needs. */
static void set_numbers(const struct kineto_patterns *patterns, const struct pattern *pattern,
                        const struct weir_slice *numbers, struct kineto_event *event)
{
	const struct piece *piece = &patterns->pieces[pattern->first_piece];

	event->present = pattern->present;
	event->plain = pattern->plain;
	event->sloppy = false;
	event->number = UINT64_MAX;
	for (; piece->hole; piece++, numbers++)
		if (piece->key != NOT_READ)
			event->value[piece->key] = *numbers;
}

static void set_constants(const struct kineto_patterns *patterns, const struct pattern *pattern,
                          struct kineto_event *event)
{
	const struct constant *constant = &patterns->constants[pattern->first_constant];
	const char *text = patterns->texts + pattern->text;

	for (uint32_t i = 0; i < pattern->constants; i++)
		event->value[constant[i].key] =
			(struct weir_slice){text + constant[i].offset, constant[i].length};
}

/* Sizes of all that an event may add to. */
struct sizes {
	size_t host, device, launch_flows, others;
	uint64_t warnings;
};

static struct sizes sizes_of(const struct kineto_reader *reader)
{
	const struct weir_trace *trace = reader->input->trace;
	struct sizes sizes = {
		.host = trace->host.count,
		.device = trace->device.count,
		.launch_flows = weir_builder_launch_flows(reader->builder),
		.others = trace->collective_count + trace->memory_count + trace->sync_count +
	                  trace->flow_count,
	};

	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		sizes.warnings += reader->input->warnings[i].count;
	return sizes;
}

/* Returns the kind of the only row that was added since; REPEAT_UNKNOWN for anything else. */
static enum repeat kind_of_row(const struct sizes *before, const struct sizes *after)
{
	size_t host = after->host - before->host, device = after->device - before->device;
	size_t flows = after->launch_flows - before->launch_flows;

	if (after->warnings != before->warnings || after->others != before->others ||
	    host + device + flows != 1)
		return REPEAT_UNKNOWN;
	return host ? REPEAT_HOST : device ? REPEAT_DEVICE : REPEAT_FLOW;
}

/* Adds an event as any other, and notes which row it made. */
static void add_first(struct kineto_patterns *patterns, struct pattern *pattern,
                      struct kineto_reader *reader)
{
	struct sizes before = sizes_of(reader), after;

	set_constants(patterns, pattern, &reader->event);
	reader->dialect->emit(reader);
	after = sizes_of(reader);
	pattern->generation = patterns->generation;
	pattern->repeat = (uint8_t)kind_of_row(&before, &after);
	pattern->row = (uint32_t)(pattern->repeat == REPEAT_HOST ? before.host : before.device);
	if (pattern->repeat == REPEAT_FLOW)
		pattern->flow = *weir_builder_last_launch_flow(reader->builder);
}

static void repeat_row(const struct pattern *pattern, struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_repeated_event repeated = {.row = pattern->row, .at = event->at};

	if (!weir_kineto_times(reader, &repeated.start_ns, &repeated.end_ns))
		return;
	repeated.correlation = weir_kineto_id(event, ARG_CORRELATION);
	repeated.external = weir_kineto_id(event, ARG_EXTERNAL);
	if (pattern->repeat == REPEAT_HOST)
		weir_builder_repeat_host(reader->builder, &repeated);
	else
		weir_builder_repeat_device(reader->builder, &repeated);
}

static void repeat_flow(const struct pattern *pattern, struct kineto_reader *reader)
{
	struct weir_flow_event flow = pattern->flow;

	if (!weir_kineto_start(reader, &flow.at_ns))
		return;
	flow.id = weir_kineto_id(&reader->event, KEY_ID);
	weir_builder_add_flow(reader->builder, &flow);
}

/* Adds an event that matches the pattern. */
static void add(struct kineto_patterns *patterns, struct pattern *pattern,
                struct kineto_reader *reader)
{
	reader->input->events++;
	if (pattern->generation != patterns->generation) {
		add_first(patterns, pattern, reader);
		return;
	}
	switch ((enum repeat)pattern->repeat) {
	case REPEAT_UNKNOWN:
		set_constants(patterns, pattern, &reader->event);
		reader->dialect->emit(reader);
		return;
	case REPEAT_HOST:
	case REPEAT_DEVICE:
		reader->known++;
		repeat_row(pattern, reader);
		return;
	case REPEAT_FLOW:
		reader->known++;
		repeat_flow(pattern, reader);
		return;
	}
}

/* Reads the event if it matches the pattern; NULL: it does not. */
static const char *try_pattern(struct kineto_patterns *patterns, uint32_t index,
                               struct kineto_reader *reader, const char *text, uint64_t at)
{
	struct weir_slice numbers[MAX_HOLES];
	struct pattern *pattern;
	const char *end;

	if (index == NO_PATTERN)
		return NULL;
	pattern = &patterns->patterns[index];
	end = match(patterns, pattern, text, numbers);
	if (!end)
		return NULL;
	set_numbers(patterns, pattern, numbers, &reader->event);
	reader->event.at = at;
	add(patterns, pattern, reader);
	note(patterns, index);
	patterns->hits++;
	return end;
}

/* Tries the patterns that begin like the event. */
static const char *try_alike(struct kineto_patterns *patterns, size_t length,
                             struct kineto_reader *reader, const char *text, uint64_t at)
{
	uint32_t *alike = patterns_beginning(patterns, text, length);

	for (size_t i = 0; i < ALIKE && alike[i] != NO_PATTERN; i++) {
		const char *end = try_pattern(patterns, alike[i], reader, text, at);

		if (!end)
			continue;
		move_to_front(alike, i, alike[i]);
		return end;
	}
	return NULL;
}

const char *weir_kineto_patterns_read(struct kineto_patterns *patterns,
                                      struct kineto_reader *reader, const char *text, uint64_t at)
{
	const char *end = try_pattern(patterns, *prediction_of(patterns), reader, text, at);
	uint32_t successors[2];

	if (!end && patterns->previous != NO_PATTERN) {
		memcpy(successors, patterns->patterns[patterns->previous].successors,
		       sizeof(successors));
		end = try_pattern(patterns, successors[0], reader, text, at);
		if (!end)
			end = try_pattern(patterns, successors[1], reader, text, at);
	}
	for (size_t i = 0; !end && i < WEIR_COUNT_OF(beginnings); i++)
		end = try_alike(patterns, beginnings[i], reader, text, at);
	return end;
}

/* ---- learning ---- */

/* An event that is being divided into pieces. */
struct lesson {
	const struct kineto_keys *keys;
	const char *text, *end; /* end: of the last hole */
	struct piece pieces[MAX_HOLES + 1];
	size_t count;
	uint64_t holes; /* a bit for each key of a hole */
	bool refused;
};

#define BIT(key) (UINT64_C(1) << (key))

/* Keys of the numbers that make a repeated row differ from its pattern's. */
static const uint64_t row_keys =
	BIT(KEY_TS) | BIT(KEY_DUR) | BIT(KEY_ID) | BIT(ARG_CORRELATION) | BIT(ARG_EXTERNAL);
/* Keys of further numbers that differ from event to event. No host row, device row or flow depends
 * on them. */
static const uint64_t other_keys = BIT(ARG_MEMORY_BYTES) | BIT(ARG_ALLOCATED) | BIT(ARG_RESERVED) |
                                   BIT(ARG_SEQUENCE) | BIT(ARG_WAIT_CORRELATION);

/* Makes the number a hole. Two numbers of one key are refused: only the last one counts. */
static void add_hole(struct lesson *lesson, int key, struct weir_slice number)
{
	uint64_t bit = key < 0 ? 0 : BIT(key);

	if (lesson->count == MAX_HOLES || lesson->holes & bit) {
		lesson->refused = true;
		return;
	}
	lesson->holes |= bit;
	lesson->pieces[lesson->count++] = (struct piece){
		.length = (uint16_t)(number.data - lesson->end),
		.hole = (uint16_t)number.length,
		.key = (uint8_t)(key < 0 ? NOT_READ : key),
	};
	lesson->end = number.data + number.length;
}

static void take_value(struct lesson *lesson, struct weir_jsoncursor *cursor, int key)
{
	struct weir_slice value = weir_jsoncursor_take(cursor);
	bool word = value.length && value.length < LONGEST_NUMBER &&
	            value.data + value.length == cursor->at;

	if (word && end_of_number(value.data) == cursor->at &&
	    (key < 0 || (row_keys | other_keys) >> key & 1))
		add_hole(lesson, key, value);
}

static void divide_args(struct lesson *lesson, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key))
		take_value(lesson, cursor, weir_keyindex_find(&lesson->keys->args, key));
}

/* Divides the text of an event into pieces. */
static void divide(struct lesson *lesson, struct weir_slice text)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(text);
	struct weir_slice key;

	lesson->text = lesson->end = text.data;
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key)) {
		int field = weir_keyindex_find(&lesson->keys->fields, key);

		if (field == KEY_ARGS)
			divide_args(lesson, &cursor);
		else
			take_value(lesson, &cursor, field);
	}
	lesson->pieces[lesson->count++] =
		(struct piece){.length = (uint16_t)(text.data + text.length - lesson->end)};
}

/* Hashes the pieces without the holes. */
static uint32_t hash_pieces(const struct lesson *lesson)
{
	const char *at = lesson->text;
	uint64_t hash = 0;

	for (size_t i = 0; i < lesson->count; i++) {
		hash = weir_hash_text(at, lesson->pieces[i].length, hash);
		at += lesson->pieces[i].length + lesson->pieces[i].hole;
	}
	return (uint32_t)(hash >> 32);
}

static uint32_t find_pattern(const struct kineto_patterns *patterns, const struct lesson *lesson,
                             uint32_t hash)
{
	struct weir_slice numbers[MAX_HOLES];
	size_t probe = 0;
	uint32_t index;

	while ((index = weir_rowmap_next(&patterns->by_text, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (match(patterns, &patterns->patterns[index], lesson->text, numbers))
			return index;
	return NO_PATTERN;
}

static void keep_text(struct kineto_patterns *patterns, struct weir_slice text)
{
	size_t need = patterns->text_length + text.length + KINETO_PATTERNS_PADDING;

	patterns->texts = weir_grow(patterns->texts, &patterns->text_capacity, need, 1);
	memcpy(patterns->texts + patterns->text_length, text.data, text.length);
	patterns->text_length += text.length;
	memset(patterns->texts + patterns->text_length, 0, KINETO_PATTERNS_PADDING);
}

static void keep_pieces(struct kineto_patterns *patterns, const struct lesson *lesson)
{
	patterns->pieces = weir_grow(patterns->pieces, &patterns->piece_capacity,
	                             patterns->piece_count + lesson->count, sizeof(struct piece));
	memcpy(patterns->pieces + patterns->piece_count, lesson->pieces,
	       lesson->count * sizeof(struct piece));
	patterns->piece_count += lesson->count;
}

/* Keeps the values of the event that are no holes. */
static void keep_constants(struct kineto_patterns *patterns, const struct kineto_event *event,
                           const struct lesson *lesson)
{
	uint64_t keys = event->present & ~lesson->holes;

	patterns->constants =
		weir_grow(patterns->constants, &patterns->constant_capacity,
	                  patterns->constant_count + KINETO_KEYS, sizeof(struct constant));
	for (; keys; keys &= keys - 1) {
		unsigned key = weir_bits_first(keys);

		patterns->constants[patterns->constant_count++] = (struct constant){
			.offset = (uint16_t)(event->value[key].data - lesson->text),
			.length = (uint16_t)event->value[key].length,
			.key = (uint8_t)key,
		};
	}
}

static uint32_t add_pattern(struct kineto_patterns *patterns, const struct kineto_event *event,
                            const struct lesson *lesson, struct weir_slice text)
{
	uint32_t index = (uint32_t)patterns->count++;
	struct pattern *pattern;

	patterns->patterns = weir_grow(patterns->patterns, &patterns->capacity, patterns->count,
	                               sizeof(struct pattern));
	pattern = &patterns->patterns[index];
	*pattern = (struct pattern){
		.text = (uint32_t)patterns->text_length,
		.first_piece = (uint32_t)patterns->piece_count,
		.first_constant = (uint32_t)patterns->constant_count,
		.length = (uint32_t)text.length,
		.present = event->present,
		.plain = event->plain,
		.successors = {NO_PATTERN, NO_PATTERN},
	};
	keep_text(patterns, text);
	keep_pieces(patterns, lesson);
	keep_constants(patterns, event, lesson);
	pattern->constants = (uint32_t)patterns->constant_count - pattern->first_constant;
	for (size_t i = 0; i < WEIR_COUNT_OF(beginnings); i++)
		if (lesson->pieces[0].length >= beginnings[i]) {
			move_to_front(patterns_beginning(patterns, text.data, beginnings[i]),
			              ALIKE - 1, index);
			break;
		}
	return index;
}

/* Returns false once events are learned in vain: their texts do not repeat. */
static bool is_worthwhile(struct kineto_patterns *patterns)
{
	return patterns->lessons++ < FIRST_LESSONS + patterns->hits;
}

void weir_kineto_patterns_learn(struct kineto_patterns *patterns,
                                const struct kineto_reader *reader,
                                const struct weir_jsonscan_item *item)
{
	struct lesson lesson = {.keys = &reader->keys};
	uint32_t hash, index;

	if (item->text.length > MAX_LENGTH || reader->event.sloppy || !is_worthwhile(patterns))
		return;
	divide(&lesson, item->text);
	if (lesson.refused || reader->event.present & row_keys & ~lesson.holes ||
	    memchr(item->text.data, '\0', item->text.length))
		return;
	if (patterns->count == MAX_PATTERNS || patterns->text_length > MAX_TEXTS)
		clear(patterns);
	hash = hash_pieces(&lesson);
	index = find_pattern(patterns, &lesson, hash);
	if (index == NO_PATTERN) {
		index = add_pattern(patterns, &reader->event, &lesson, item->text);
		weir_rowmap_add(&patterns->by_text, hash, index);
	}
	note(patterns, index);
}

/* ---- sets for several threads ---- */

struct kineto_pattern_sets {
	pthread_mutex_t lock;
	struct kineto_patterns *sets[WEIR_POOL_MAX_WIDTH];
	bool used[WEIR_POOL_MAX_WIDTH];
};

struct kineto_pattern_sets *weir_kineto_pattern_sets_new(void)
{
	struct kineto_pattern_sets *sets = weir_alloc(sizeof(*sets));

	pthread_mutex_init(&sets->lock, NULL);
	return sets;
}

void weir_kineto_pattern_sets_free(struct kineto_pattern_sets *sets)
{
	if (!sets)
		return;
	for (size_t i = 0; i < WEIR_COUNT_OF(sets->sets); i++)
		weir_kineto_patterns_free(sets->sets[i]);
	pthread_mutex_destroy(&sets->lock);
	free(sets);
}

struct kineto_patterns *weir_kineto_pattern_sets_take(struct kineto_pattern_sets *sets)
{
	struct kineto_patterns *taken;
	size_t i = 0;

	pthread_mutex_lock(&sets->lock);
	while (sets->used[i]) /* there are no more threads than sets */
		i++;
	sets->used[i] = true;
	taken = sets->sets[i];
	pthread_mutex_unlock(&sets->lock);
	if (!taken) {
		taken = weir_kineto_patterns_new(); /* without the lock: memory may run out */
		pthread_mutex_lock(&sets->lock);
		sets->sets[i] = taken;
		pthread_mutex_unlock(&sets->lock);
	}
	weir_kineto_patterns_begin(taken);
	return taken;
}

void weir_kineto_pattern_sets_give(struct kineto_pattern_sets *sets,
                                   const struct kineto_patterns *patterns)
{
	pthread_mutex_lock(&sets->lock);
	for (size_t i = 0; i < WEIR_COUNT_OF(sets->sets); i++)
		if (sets->sets[i] == patterns)
			sets->used[i] = false;
	pthread_mutex_unlock(&sets->lock);
}
