/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/inside.h"
#include "engine/readers/parts/excerpt.h"
#include "engine/readers/readers.h"

#define TRIED_BLOCKS 8 /* of which the first that is read is taken */

/* A page that is searched. */
struct search {
	const char *name; /* of the file */
	struct weir_slice page;
	weir_inside_read *read;
	void *context;
	struct weir_profile *profile;
};

static bool is_text(const char *head, size_t len)
{
	return len > 0 && !memchr(head, '\0', len);
}

bool weir_inside_has_margin(struct weir_source *source)
{
	struct weir_error ignored = {0};
	struct weir_slice page;
	const char *head;
	char *data;
	size_t len;

	if (!weir_source_seeks(source) || weir_source_stored_size(source) > WEIR_INSIDE_MAX_PAGE ||
	    weir_source_head(source, &head, &len, &ignored) || !is_text(head, len))
		return false;
	page = (struct weir_slice){head, len};
	while (len == WEIR_HEAD_SIZE && page.length && page.data[page.length - 1] != '\n')
		page.length--; /* the head may end inside a line */
	return weir_excerpt_margin(page) &&
	       !weir_source_hold(source, WEIR_INSIDE_MAX_PAGE, &data, &len, &ignored);
}

/* Opens a text and chooses its reader. Returns NULL if no reader claims it; else the caller frees
 * the source. */
static struct weir_source *open_text(const struct search *search, struct weir_slice text,
                                     const struct weir_reader **reader)
{
	struct weir_source *source = NULL;
	struct weir_error ignored = {0};

	if (weir_source_open_memory(search->name, text.data, text.length, &source, &ignored))
		return NULL;
	if (!weir_reader_choose(source, reader, &ignored))
		return source;
	weir_source_free(source);
	return NULL;
}

static bool read_text(const struct search *search, struct weir_slice text)
{
	const struct weir_reader *reader;
	struct weir_source *source = open_text(search, text, &reader);
	struct weir_error ignored = {0};
	bool done = source && !search->read(search->context, source, reader, &ignored);

	weir_source_free(source);
	return done;
}

/* Reads the text, or the text without its margin. */
static bool read_either(const struct search *search, struct weir_slice text, bool whole)
{
	size_t margin = weir_excerpt_margin(text);
	struct weir_text cut = {0};
	bool done = !whole && read_text(search, text);

	if (!done && margin) {
		weir_excerpt_cut(text, margin, &cut);
		done = cut.length && read_text(search, (struct weir_slice){cut.data, cut.length});
		weir_text_release(&cut);
	}
	return done;
}

/* ---- notes on the rest of the page ---- */

static void note_left_out(const struct search *search, uint64_t lines)
{
	struct weir_input *input = &search->profile->inputs[search->profile->input_count - 1];

	if (!lines)
		return;
	weir_input_warn(input, WEIR_WARN_OTHER_TEXT, UINT64_MAX, NULL);
	input->warnings[WEIR_WARN_OTHER_TEXT].count = lines;
}

/* Counts the further blocks that a reader claims. */
static void note_other_blocks(const struct search *search, size_t taken)
{
	struct weir_input *input = &search->profile->inputs[search->profile->input_count - 1];
	struct weir_excerpt block;

	for (size_t i = taken + 1;
	     i < WEIR_EXCERPT_BLOCKS && weir_excerpt_block(search->page, i, &block); i++) {
		const struct weir_reader *reader;
		struct weir_source *source = open_text(search, block.text, &reader);

		if (source)
			weir_input_warn(input, WEIR_WARN_OTHER_TABLE,
			                (uint64_t)(block.text.data - search->page.data),
			                "the first block of code with a table was read");
		weir_source_free(source);
	}
}

/* ---- the search ---- */

static bool search_blocks(const struct search *search)
{
	struct weir_excerpt block;

	for (size_t i = 0; i < TRIED_BLOCKS && weir_excerpt_block(search->page, i, &block); i++) {
		if (!read_either(search, block.text, false))
			continue;
		note_left_out(search, block.left_out);
		note_other_blocks(search, i);
		return true;
	}
	return false;
}

static bool search_lines(const struct search *search)
{
	struct weir_excerpt behind;

	for (size_t i = 1; i <= WEIR_EXCERPT_LINES; i++) {
		if (!weir_excerpt_behind(search->page, i, &behind))
			return false;
		if (!read_either(search, behind.text, false))
			continue;
		note_left_out(search, behind.left_out);
		return true;
	}
	return false;
}

bool weir_inside_find(struct weir_source *source, bool whole, weir_inside_read *read, void *context,
                      struct weir_profile *profile)
{
	struct search search = {weir_source_name(source), {0}, read, context, profile};
	struct weir_error ignored = {0};
	char *data;
	size_t len;

	if (weir_source_hold(source, WEIR_INSIDE_MAX_PAGE, &data, &len, &ignored) ||
	    !is_text(data, len))
		return false;
	search.page = (struct weir_slice){data, len};
	return read_either(&search, search.page, true) ||
	       (!whole && (search_blocks(&search) || search_lines(&search)));
}
