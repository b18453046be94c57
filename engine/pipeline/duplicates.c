/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/base/hash.h"
#include "engine/part/part.h"
#include "engine/part/trace_pack.h"
#include "engine/pipeline/duplicates.h"

#define BLOCK 65536

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool are_equal(FILE *one, FILE *other)
{
	char a[BLOCK], b[BLOCK];
	size_t length;

	do {
		length = fread(a, 1, sizeof a, one);
		if (fread(b, 1, sizeof b, other) != length || memcmp(a, b, length) != 0)
			return false;
	} while (length == sizeof a);
	return !ferror(one) && !ferror(other);
}

static bool has_same_content(const char *one, const char *other)
{
	FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
	bool same = a && b && are_equal(a, b);

	if (a)
		fclose(a);
	if (b)
		fclose(b);
	return same;
}

/* Returns true if the trace, packed, has these bytes. */
static bool is_packed_as(const struct weir_trace *trace, const struct weir_packed *packed)
{
	struct weir_text columns = {0}, other = {0};
	bool same;

	weir_trace_pack(trace, &columns);
	same = columns.length == packed->unpacked &&
	       weir_packed_content(packed, &other, NULL) == WEIR_OK &&
	       memcmp(columns.data, other.data, columns.length) == 0;
	weir_text_release(&columns);
	weir_text_release(&other);
	return same;
}

static bool has_same_trace(const struct weir_trace *one, const struct weir_trace *other)
{
	struct weir_text a = {0}, b = {0};
	bool same;

	weir_trace_pack(one, &a);
	weir_trace_pack(other, &b);
	same = a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
	weir_text_release(&a);
	weir_text_release(&b);
	return same;
}

/* Compares inputs of which one has no file here: it came in a part or an archive. Equal contents
 * are packed alike. */
static bool has_same_packed(const struct weir_input *a, const struct weir_input *b)
{
	if (a->trace && b->trace)
		return has_same_trace(a->trace, b->trace);
	if (a->packed.data && b->packed.data)
		return a->packed.length == b->packed.length &&
		       memcmp(a->packed.data, b->packed.data, a->packed.length) == 0;
	if (a->trace && b->packed_trace)
		return is_packed_as(a->trace, &b->packed);
	return b->trace && a->packed_trace && is_packed_as(b->trace, &a->packed);
}

/* Returns true if the path of the input names no file on this machine. */
static bool has_no_file(const struct weir_input *input)
{
	return input->from_part || input->elsewhere;
}

/* Inputs are compared only if the size, format and number of events of their files agree. */
static bool may_be_same(const struct weir_input *a, const struct weir_input *b)
{
	return a->path && b->path && a->bytes > 0 && a->bytes == b->bytes &&
	       a->format == b->format && a->events == b->events;
}

static enum weir_status check_pair(const struct weir_input *a, const struct weir_input *b,
                                   struct weir_error *err)
{
	bool here = !has_no_file(a) && !has_no_file(b);

	if (!may_be_same(a, b))
		return WEIR_OK;
	if (here && is_same_file(a->path, b->path))
		return weir_fail(err, WEIR_E_USAGE, "%s is given twice; give each file once",
		                 b->path);
	if (!a->scrape && (here ? has_same_content(a->path, b->path) : has_same_packed(a, b)))
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s and %s have the same content; give each file once", a->path,
		                 b->path);
	return WEIR_OK;
}

/* ---- pairs that may be equal ---- */

/* The part of the content that tells inputs of one size apart; each round reads only those that the
 * one before found alike. */
enum round { ROUND_HEAD, ROUND_WHOLE, ROUNDS };

/* An input, and a hash of its content that is the same for equal inputs. */
struct candidate {
	uint64_t print;
	size_t input;
};

/* The duplicate that comes first in the order of the inputs. */
struct finding {
	size_t earlier, later; /* inputs; later is SIZE_MAX: none */
};

struct search {
	const struct weir_profile *profile;
	bool packed; /* compares contents as parts pack them, not files */
	struct finding found;
};

/* Hashes a file, or its first block. A file that cannot be read is like no other one. */
static uint64_t print_of_file(const char *path, bool whole, size_t input)
{
	FILE *file = fopen(path, "rb");
	char block[BLOCK];
	uint64_t hash = 0;
	size_t length;

	if (!file)
		return weir_hash_word(input);
	do {
		length = fread(block, 1, sizeof block, file);
		hash = weir_hash_text(block, length, hash);
	} while (whole && length == sizeof block);
	fclose(file);
	return hash;
}

/* Hashes the content as a part packs it. An input without one is like no other one. */
static uint64_t print_of_packed(const struct weir_input *input, size_t number)
{
	struct weir_text columns = {0};
	uint64_t hash = weir_hash_word(number);

	if (input->trace)
		weir_trace_pack(input->trace, &columns);
	else if (input->packed_trace)
		weir_packed_content(&input->packed, &columns, NULL);
	if (columns.length > 0)
		hash = weir_hash_text(columns.data, columns.length, 0);
	else if (input->packed.data)
		hash = weir_hash_text(input->packed.data, input->packed.length, 1);
	weir_text_release(&columns);
	return hash;
}

static uint64_t print_of(const struct search *search, size_t number, enum round round)
{
	const struct weir_input *input = &search->profile->inputs[number];
	struct stat file;

	if (search->packed)
		return print_of_packed(input, number);
	if (!input->scrape)
		return print_of_file(input->path, round == ROUND_WHOLE, number);
	return stat(input->path, &file) == 0
	               ? weir_hash_pair((uint64_t)file.st_dev, (uint64_t)file.st_ino)
	               : weir_hash_word(number);
}

static int by_print(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->print != b->print)
		return a->print < b->print ? -1 : 1;
	return (a->input > b->input) - (a->input < b->input);
}

/* Notes a pair of inputs with equal hashes if it is one of duplicates. */
static void check_found(struct search *search, size_t earlier, size_t later)
{
	const struct weir_input *inputs = search->profile->inputs;
	struct weir_error ignored;

	if (later < search->found.later && check_pair(&inputs[earlier], &inputs[later], &ignored))
		search->found = (struct finding){earlier, later};
}

/* Finds duplicates among candidates that agree so far. Recursion: at most ROUNDS deep. */
static void search_among(struct search *search, struct candidate *items, size_t count,
                         enum round round)
{
	if (count < 2)
		return;
	if (round == ROUNDS) {
		for (size_t i = 1; i < count; i++)
			check_found(search, items[i - 1].input, items[i].input);
		return;
	}
	for (size_t i = 0; i < count; i++)
		items[i].print = print_of(search, items[i].input, round);
	qsort(items, count, sizeof *items, by_print);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && items[end].print == items[first].print;)
			end++;
		search_among(search, items + first, end - first, round + 1);
	}
}

/* Finds duplicates among the candidates of one size and format: files by their content, and all by
 * their packed content if one of them has no file. Keeps the items. */
static void search_group(struct search *search, const struct candidate *items, size_t count)
{
	struct candidate *some = weir_alloc(count * sizeof *some);
	size_t files = 0;

	for (size_t i = 0; i < count; i++)
		if (!has_no_file(&search->profile->inputs[items[i].input]))
			some[files++] = items[i];
	search->packed = false;
	search_among(search, some, files, ROUND_HEAD);
	if (files < count) {
		memcpy(some, items, count * sizeof *some);
		search->packed = true;
		search_among(search, some, count, ROUND_WHOLE);
	}
	free(some);
}

static bool may_differ_only_in_content(const struct weir_profile *profile,
                                       const struct candidate *one, const struct candidate *other)
{
	return may_be_same(&profile->inputs[one->input], &profile->inputs[other->input]);
}

enum weir_status weir_duplicates_check(const struct weir_profile *profile, struct weir_error *err)
{
	struct search search = {.profile = profile, .found = {0, SIZE_MAX}};
	struct candidate *items = weir_alloc((profile->input_count + 1) * sizeof *items);

	for (size_t i = 0; i < profile->input_count; i++)
		items[i] = (struct candidate){
			weir_hash_pair(profile->inputs[i].bytes, profile->inputs[i].events), i};
	qsort(items, profile->input_count, sizeof *items, by_print);
	for (size_t first = 0, end; first < profile->input_count; first = end) {
		for (end = first + 1;
		     end < profile->input_count &&
		     may_differ_only_in_content(profile, &items[first], &items[end]);)
			end++;
		search_group(&search, items + first, end - first);
	}
	free(items);
	return search.found.later == SIZE_MAX
	               ? WEIR_OK
	               : check_pair(&profile->inputs[search.found.earlier],
	                            &profile->inputs[search.found.later], err);
}
