/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads blocks of a trace on several threads. A thread assumes that its block begins between two
 * elements of the array of events, and reads the block into its own builder. The scan of the
 * document checks the assumption: it arrives between two elements at the start of the block, or it
 * reads the block itself. A block without any doubt consists of whole events and nothing else;
 * wherever the scan would repair, refuse or warn of something for the first time, it reads the
 * block itself, too. The result is therefore that of one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/blocks.h"
#include "engine/base/jsonmeasure.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/chrome/kineto_patterns.h"

/* The scan takes a longer element for several that a stray quote joined. */
#define LONGEST_ELEMENT 65536
#define SAMPLE_BYTES    ((uint64_t)8 << 20) /* read before the rest is extrapolated from them */
#define NEXT_SAMPLE     4                   /* times as many bytes for the next extrapolation */
#define MOST_EXPECTED   ((size_t)1 << 24)   /* rows that this sample makes room for */
#define RESERVE         1.1                 /* times the extrapolated rows */
#define MOST_USUAL      40                  /* bytes for each stored one, see source.h */

_Static_assert(WEIR_BLOCKS_PADDING >= WEIR_JSONSCAN_PADDING &&
                       WEIR_BLOCKS_PADDING >= KINETO_PATTERNS_PADDING,
               "texts of a block are padded");

/* The events that a thread read from a block. */
struct part {
	struct kineto_reader *reader; /* fills `input` */
	struct weir_input input;
	uint64_t elements;
	struct kineto_patterns *patterns; /* borrowed while a block is read */
};

static void *new_part(void *context)
{
	const struct kineto_reader *reader = context;
	struct part *part = weir_alloc(sizeof(*part));

	part->reader = weir_kineto_reader_new(reader->dialect, NULL, &part->input);
	return part;
}

static void free_part(void *result)
{
	struct part *part = result;

	weir_kineto_reader_free(part->reader);
	weir_input_release(&part->input);
	free(part);
}

static void clear_part(struct part *part)
{
	struct kineto_reader *reader = part->reader;

	weir_builder_clear(reader->builder);
	weir_kineto_rows_clear(reader->rows);
	memset(part->input.warnings, 0, sizeof(part->input.warnings));
	part->input.events = part->elements = 0;
	reader->timed = reader->known = reader->unpadded = reader->padded = 0;
	reader->legacy = false;
	reader->first_problem[0] = '\0';
}

/* Reads the element at `offset`. Returns the offset after it; 0 if there is any doubt. */
static size_t read_element(struct part *part, const struct weir_block *block, size_t offset)
{
	struct kineto_reader *reader = part->reader;
	const char *start = block->data + offset;
	size_t left = block->length - offset,
	       most = left < LONGEST_ELEMENT ? left : LONGEST_ELEMENT;
	struct weir_jsonmeasure measure = {0};
	const char *end = weir_jsonmeasure_feed(&measure, start, start + most);
	struct weir_jsonscan_item item = {.kind = WEIR_JSONSCAN_ELEMENT, .number = UINT64_MAX};

	if (!end || measure.too_deep || measure.control)
		return 0;
	item.text = (struct weir_slice){start, (size_t)(end - start)};
	item.at = block->at + offset;
	item.plain = !measure.escapes;
	if (weir_kineto_event_read(&reader->keys, &item, &reader->event) != KINETO_READ_EVENT)
		return 0;
	if (reader->event.sloppy)
		weir_input_warn(reader->input, WEIR_WARN_REPAIRED_TEXT, item.at, "empty members");
	reader->input->events++;
	reader->dialect->emit(reader);
	weir_kineto_patterns_learn(part->patterns, reader, &item);
	return (size_t)(end - block->data);
}

/* Reads the event at `offset`, by a pattern if it repeats one. Returns as read_element(). */
static size_t read_event(struct part *part, const struct weir_block *block, size_t offset)
{
	const char *end = weir_kineto_patterns_read(part->patterns, part->reader,
	                                            block->data + offset, block->at + offset);

	part->elements++;
	return end ? (size_t)(end - block->data) : read_element(part, block, offset);
}

static bool read_events(struct part *part, const struct weir_block *block)
{
	size_t at = 0;

	while (at < block->length) {
		char byte = block->data[at];

		if (byte == ',' || byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t') {
			at++;
			continue;
		}
		if (byte == '{')
			at = read_event(part, block, at);
		if (byte != '{' || !at || part->reader->legacy)
			return false;
	}
	return !weir_kineto_rows_clear(part->reader->rows);
}

static bool read_block(void *context, const struct weir_block *block)
{
	const struct kineto_reader *reader = context;
	struct part *part = block->result;
	bool whole;

	clear_part(part);
	part->patterns = weir_kineto_pattern_sets_take(reader->patterns);
	whole = read_events(part, block);
	weir_kineto_pattern_sets_give(reader->patterns, part->patterns);
	return whole;
}

struct weir_blocks *weir_kineto_blocks_new(struct kineto_reader *reader, struct weir_source *source)
{
	const struct weir_blocks_options options = {
		.context = reader, .create = new_part, .destroy = free_part, .work = read_block};

	reader->patterns = weir_kineto_pattern_sets_new();
	reader->expected_bytes = weir_source_expected_bytes(source);
	reader->sample_bytes = SAMPLE_BYTES;
	reader->usual_bytes = MOST_USUAL * weir_source_stored_size(source);
	return weir_blocks_new(source, &options);
}

void weir_kineto_blocks_free(struct kineto_reader *reader, struct weir_blocks *blocks)
{
	weir_blocks_free(blocks); /* stops the threads */
	weir_kineto_pattern_sets_free(reader->patterns);
	reader->patterns = NULL;
}

/* Returns true if each warning of the part was given before: the first one of a kind has details
 * that only the scan knows. */
static bool warns_again(const struct kineto_reader *reader, const struct part *part)
{
	if (part->reader->first_problem[0] && !reader->first_problem[0])
		return false;
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		if (part->input.warnings[i].count && !reader->input->warnings[i].count)
			return false;
	return true;
}

/* Makes room for the rest of the file once enough is read to know about how many rows it has, and
 * again later: a file may begin with one kind of rows. Columns that do not move while they grow are
 * written once, and the other threads need not wait for them. Pages that are never written take no
 * memory. */
static void reserve_rows(struct kineto_reader *reader, const struct weir_block *block)
{
	uint64_t bytes = block->at + block->length;

	/* A stream that decodes to more bytes than traces do may be a bomb. */
	if (bytes < reader->sample_bytes || reader->expected_bytes <= bytes ||
	    reader->expected_bytes > reader->usual_bytes)
		return;
	weir_builder_expect(reader->builder,
	                    RESERVE * (double)reader->expected_bytes / (double)bytes,
	                    MOST_EXPECTED);
	reader->sample_bytes *= NEXT_SAMPLE;
}

static bool add_part(struct kineto_reader *reader, const struct part *part)
{
	if (!warns_again(reader, part) ||
	    !weir_builder_append(reader->builder, part->reader->builder))
		return false;
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		reader->input->warnings[i].count += part->input.warnings[i].count;
	reader->input->events += part->input.events;
	reader->timed += part->reader->timed;
	reader->known += part->reader->known;
	reader->unpadded += part->reader->unpadded;
	reader->padded += part->reader->padded;
	return true;
}

void weir_kineto_blocks_add(struct kineto_reader *reader, struct weir_blocks *blocks,
                            struct weir_jsonscan *scan, struct weir_source *fed)
{
	const struct weir_block *block;

	while ((block = weir_blocks_ready(blocks))) {
		const struct part *part = block->result;

		if (!add_part(reader, part))
			return;
		reserve_rows(reader, block);
		weir_jsonscan_skip(scan, part->elements);
		weir_source_skip(fed, block->length);
		weir_blocks_drop(blocks);
	}
}
