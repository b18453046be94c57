/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/requests/span_join.h"

/* The roots of one trace, at most WEIR_SPAN_MAX_JOINED when they are compared. */
struct family {
	const uint32_t *roots;
	size_t count;
};

/* True if a span stands for a request, whatever called it. */
static bool is_entry(const struct weir_spans *spans, uint32_t row)
{
	return spans->kind[row] == WEIR_SPAN_SERVER || spans->kind[row] == WEIR_SPAN_CONSUMER ||
	       spans->flags[row] & WEIR_SPAN_GENAI || spans->details[row] != WEIR_NONE;
}

static size_t count_entries(const struct weir_spans *spans, const struct family *family)
{
	size_t entries = 0;

	for (size_t i = 0; i < family->count; i++)
		entries += is_entry(spans, family->roots[i]) ? 1 : 0;
	return entries;
}

/* True if two roots have the same name and service, like two requests of one program. */
static bool repeats(const struct weir_spans *spans, const struct family *family)
{
	for (size_t i = 1; i < family->count; i++) {
		uint32_t a = family->roots[i];

		for (size_t j = 0; j < i; j++) {
			uint32_t b = family->roots[j];

			if (spans->name[a] == spans->name[b] &&
			    spans->resources[spans->resource[a]].service ==
			            spans->resources[spans->resource[b]].service)
				return true;
		}
	}
	return false;
}

struct extent {
	int64_t start_ns, end_ns;
};

static int by_start(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;

	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Returns true if the roots cover the time from the first start to the last end without a gap, but
 * do not merely follow each other. */
static bool overlap(const struct weir_spans *spans, const struct family *family,
                    struct extent *whole)
{
	struct extent extents[WEIR_SPAN_MAX_JOINED];
	bool covered = true;

	for (size_t i = 0; i < family->count; i++)
		extents[i] = (struct extent){spans->start_ns[family->roots[i]],
		                             spans->end_ns[family->roots[i]]};
	qsort(extents, family->count, sizeof *extents, by_start);
	*whole = extents[0];
	for (size_t i = 1; i < family->count; i++) {
		covered &= extents[i].start_ns < whole->end_ns ||
		           extents[i].start_ns == whole->start_ns;
		if (extents[i].end_ns > whole->end_ns)
			whole->end_ns = extents[i].end_ns;
	}
	return covered;
}

/* Returns a root for the roots of a family: it has the kind that all of them have, and failed if
 * one of them did. */
static struct weir_span root_of(const struct weir_spans *spans, const struct family *family,
                                struct extent whole)
{
	uint32_t first = family->roots[0];
	struct weir_span root;

	weir_span_clear(&root);
	root.trace[0] = spans->trace_high[first];
	root.trace[1] = spans->trace_low[first];
	root.id = spans->id[first]; /* unused: the tree is linked already */
	root.start_ns = whole.start_ns;
	root.end_ns = whole.end_ns;
	root.name = weir_slice_of("missing parent");
	root.kind = spans->kind[first];
	for (size_t i = 0; i < family->count; i++) {
		if (spans->kind[family->roots[i]] != root.kind)
			root.kind = WEIR_SPAN_UNSPECIFIED;
		root.outcome.error |= (spans->flags[family->roots[i]] & WEIR_SPAN_FAILED) != 0;
	}
	return root;
}

/* Adds the root of a family. Returns its row, or WEIR_NONE if there is no room for it. */
static uint32_t add_root(struct weir_spans *spans, const struct family *family, struct extent whole)
{
	struct weir_span root = root_of(spans, family, whole);
	size_t row = spans->count;

	if (row == WEIR_MAX_SPANS)
		return WEIR_NONE;
	root.resource = weir_spans_add_resource(spans);
	if (weir_spans_add(spans, &root, NULL) != WEIR_OK || spans->count == row)
		return WEIR_NONE;
	spans->found--; /* it is not in the file */
	return (uint32_t)row;
}

/* Joins the roots of a trace, or warns that it has several. Returns the row of the new root, or
 * WEIR_NONE. */
static uint32_t join(struct weir_spans *spans, const struct family *family)
{
	size_t entries = count_entries(spans, family);
	struct extent whole;
	uint32_t root = WEIR_NONE;

	if (entries == family->count)
		return WEIR_NONE;
	if (entries < 2 && family->count <= WEIR_SPAN_MAX_JOINED && !repeats(spans, family) &&
	    overlap(spans, family, &whole))
		root = add_root(spans, family, whole);
	weir_input_warn(spans->input,
	                root == WEIR_NONE ? WEIR_WARN_SHARED_TRACE : WEIR_WARN_JOINED_SPANS,
	                UINT64_MAX, NULL);
	return root;
}

static bool same_trace(const struct weir_spans *spans, uint32_t a, uint32_t b)
{
	return spans->trace_high[a] == spans->trace_high[b] &&
	       spans->trace_low[a] == spans->trace_low[b];
}

void weir_span_join_roots(struct weir_spans *spans, const uint32_t *roots, size_t count,
                          uint32_t **parent)
{
	size_t capacity = spans->count;

	for (size_t i = 0, end; i < count; i = end) {
		struct family family = {.roots = roots + i};
		uint32_t root;

		for (end = i + 1; end < count && same_trace(spans, roots[i], roots[end]);)
			end++;
		family.count = end - i;
		root = family.count > 1 ? join(spans, &family) : WEIR_NONE;
		if (root == WEIR_NONE)
			continue;
		*parent = weir_grow(*parent, &capacity, spans->count, sizeof **parent);
		(*parent)[root] = WEIR_NONE;
		for (size_t j = 0; j < family.count; j++)
			(*parent)[family.roots[j]] = root;
	}
}
