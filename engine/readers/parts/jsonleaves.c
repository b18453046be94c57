/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/parts/jsonleaves.h"
#include "engine/readers/parts/wholejson.h"

/* State of a walk. lengths[] holds the length of the path at each open object. */
struct walk {
	const struct weir_jsonleaves *leaves;
	struct weir_jsoncursor cursor;
	char path[WEIR_JSONLEAF_PATH];
	size_t length;
	size_t lengths[WEIR_JSONLEAF_DEPTH];
	size_t depth;
	uint64_t at;
};

/* Appends a key to the path. Returns false if the path would be too long. */
static bool add_key(struct walk *walk, struct weir_slice key)
{
	size_t slash = walk->length > 0;

	if (key.length >= sizeof(walk->path) - walk->length - slash)
		return false;
	if (slash)
		walk->path[walk->length++] = '/';
	memcpy(walk->path + walk->length, key.data, key.length);
	walk->length += key.length;
	walk->path[walk->length] = '\0';
	return true;
}

static void cut_path(struct walk *walk, size_t length)
{
	walk->length = length;
	walk->path[length] = '\0';
}

static bool open_object(struct walk *walk)
{
	if (walk->depth == WEIR_JSONLEAF_DEPTH || !weir_jsoncursor_enter(&walk->cursor, '{'))
		return false;
	walk->lengths[walk->depth++] = walk->length;
	return true;
}

static enum weir_status visit_leaf(struct walk *walk, struct weir_error *err)
{
	struct weir_jsonleaf leaf = {.path = walk->path, .at = walk->at};
	char first = weir_jsoncursor_peek(&walk->cursor);

	leaf.quoted = first == '"';
	leaf.text = weir_jsoncursor_take(&walk->cursor);
	if (walk->cursor.bad || first == '{' || (first == '[' && !walk->leaves->lists))
		return WEIR_OK;
	return walk->leaves->leaf(walk->leaves->context, &leaf, err);
}

/* Visits members of the innermost open object, until it ends or another object opens. */
static enum weir_status walk_members(struct walk *walk, struct weir_error *err)
{
	struct weir_slice key;
	enum weir_status status = WEIR_OK;

	while (!status && weir_jsoncursor_key(&walk->cursor, &key)) {
		if (!add_key(walk, key)) {
			weir_jsoncursor_take(&walk->cursor);
			continue;
		}
		if (weir_jsoncursor_peek(&walk->cursor) == '{' && open_object(walk))
			continue;
		status = visit_leaf(walk, err);
		cut_path(walk, walk->lengths[walk->depth - 1]);
	}
	return status;
}

static enum weir_status walk_object(struct walk *walk, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	open_object(walk);
	while (!status && walk->depth && !walk->cursor.bad) {
		status = walk_members(walk, err);
		/* After the end of an object, continue with the object around it. */
		if (--walk->depth)
			cut_path(walk, walk->lengths[walk->depth - 1]);
		walk->cursor.first = false;
	}
	return status;
}

enum weir_status weir_jsonleaves_walk(const struct weir_jsonleaves *leaves,
                                      struct weir_slice prefix, struct weir_slice value,
                                      uint64_t at, struct weir_error *err)
{
	struct walk walk = {
		.leaves = leaves, .cursor = weir_jsoncursor_on(value), .at = at, .path = ""};
	enum weir_status status;

	if (prefix.length && !add_key(&walk, prefix))
		return WEIR_OK;
	weir_jsoncursor_skip_blanks(&walk.cursor);
	if (weir_jsoncursor_peek(&walk.cursor) == '{')
		status = walk_object(&walk, err);
	else
		status = visit_leaf(&walk, err);
	if (!status && walk.cursor.bad)
		return weir_fail(err, WEIR_E_FORMAT, "\"%.*s\" is not valid JSON",
		                 (int)prefix.length, prefix.data ? prefix.data : "");
	return status;
}

static enum weir_status take_member(void *context, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	return weir_jsonleaves_walk(context, item->key, item->text, item->at, err);
}

enum weir_status weir_jsonleaves_read(const struct weir_jsonleaves *leaves,
                                      struct weir_source *source, struct weir_error *err)
{
	struct weir_jsonleaves copy = *leaves; /* because a context is not const */
	const struct weir_wholejson document = {
		.member = take_member, .context = &copy, .expected = "one object"};

	return weir_wholejson_read(&document, source, err);
}

double weir_jsonleaf_number(const struct weir_jsonleaf *leaf, bool *odd)
{
	static const char *const unknown[] = {"null", "NaN", "Infinity", "-Infinity", NULL};
	double value;

	if (!leaf->quoted) {
		for (size_t i = 0; unknown[i]; i++)
			if (weir_slice_equals(leaf->text, unknown[i]))
				return NAN;
		if (leaf->text.length &&
		    weir_parse_double(leaf->text.data, leaf->text.length, &value))
			return value;
	}
	if (odd)
		*odd = true;
	return NAN;
}
