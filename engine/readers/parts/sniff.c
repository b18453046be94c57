/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <strings.h>

#include "engine/base/slice.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/reader.h"

#define MAX_CELLS 64 /* cells of a header that are looked at */

/* ---- the outermost object of a JSON document ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

char weir_sniff_first(const char *head, size_t len)
{
	const char *at = skip_blanks(head, head + len);

	return at < head + len ? *at : '\0';
}

enum weir_status weir_sniff_source(struct weir_source *source, char *first, struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*first = status ? '\0' : weir_sniff_first(head, len);
	return status;
}

/* Returns the quote that closes the one at `at`, or end. */
static const char *find_quote(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < end;
	return at < end ? at : end;
}

static unsigned match_key(const char *key, size_t length, const char *const *keys)
{
	for (unsigned i = 0; keys[i]; i++)
		if (strlen(keys[i]) == length && !memcmp(keys[i], key, length))
			return 1u << i;
	return 0;
}

unsigned weir_sniff_keys(const char *head, size_t len, const char *const *keys)
{
	const char *at = head, *end = head + len;
	unsigned found = 0, depth = 0;
	unsigned wanted = weir_sniff_first(head, len) == '[' ? 2 : 1;
	bool any = false; /* empty objects at the start of a list are passed over */

	for (; at < end; at++) {
		const char *quote;

		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && depth-- <= wanted &&
		         (any || wanted == 1 || depth + 1 < wanted))
			break;
		if (*at != '"')
			continue;
		quote = find_quote(at, end);
		if (quote == end)
			break;
		if (depth == wanted && quote + 1 < end && *skip_blanks(quote + 1, end - 1) == ':')
			found |= match_key(at + 1, (size_t)(quote - at - 1), keys);
		any |= depth == wanted;
		at = quote;
	}
	return found;
}

/* Returns the value behind a closing quote and a colon; NULL if no colon follows. */
static const char *value_behind(const char *quote, const char *end)
{
	const char *colon = skip_blanks(quote + 1, end), *value;

	if (colon == end || *colon != ':')
		return NULL;
	value = skip_blanks(colon + 1, end);
	return value < end ? value : NULL;
}

const char *weir_sniff_member(const char *head, size_t len, const char *key, size_t *left)
{
	const char *const keys[] = {key, NULL};
	const char *at = head, *end = head + len;
	unsigned depth = 0;

	if (weir_sniff_first(head, len) != '{')
		return NULL;
	for (; at < end; at++) {
		const char *quote, *value;

		depth += *at == '{' || *at == '[';
		if ((*at == '}' || *at == ']') && depth-- <= 1)
			break;
		if (*at != '"')
			continue;
		quote = find_quote(at, end);
		value = quote < end && depth == 1 ? value_behind(quote, end) : NULL;
		if (value && (!key || match_key(at + 1, (size_t)(quote - at - 1), keys))) {
			*left = (size_t)(end - value);
			return value;
		}
		if (quote == end)
			break;
		at = quote;
	}
	return NULL;
}

int weir_sniff_bits(unsigned found, const char *const *keys)
{
	int bits = 0;

	for (unsigned i = 0; keys[i]; i++)
		if (found >> i & 1)
			bits += 8 * (int)strlen(keys[i]);
	return bits;
}

bool weir_sniff_contains(const char *head, size_t len, const char *text)
{
	return weir_slice_holds((struct weir_slice){head, len}, text);
}

/* ---- marks ---- */

/* The three ways to look for names in a stretch of the head; each returns a bit for each name. */
typedef unsigned find_names(const char *head, size_t len, const char *const *names);

static unsigned find_texts(const char *head, size_t len, const char *const *names)
{
	unsigned found = 0;

	for (unsigned i = 0; names[i]; i++)
		if (weir_sniff_contains(head, len, names[i]))
			found |= 1u << i;
	return found;
}

static unsigned find_cells(const char *head, size_t len, const char *const *names)
{
	static const struct weir_csv_options options = {
		.separator = ',', .quotes = true, .trim = true};
	struct weir_slice rest = {head, len}, line, cells[MAX_CELLS];
	size_t count = 0;
	unsigned found = 0;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &options, cells, MAX_CELLS);
	for (size_t i = 0; i < count; i++)
		found |= match_key(cells[i].data, cells[i].length, names);
	return found;
}

/* Rules out most formats without a walk through the head: a name that is in no place cannot be in
 * the right one. */
static bool may_have(const struct weir_mark_names *list, const char *head, size_t len)
{
	unsigned i = 0;

	for (; i < list->all; i++)
		if (!weir_sniff_contains(head, len, list->names[i]))
			return false;
	while (i < list->all + list->any && !weir_sniff_contains(head, len, list->names[i]))
		i++;
	return !list->any || i < list->all + list->any;
}

/* Adds the bits of the names that are found; false if required ones are missing. */
static bool verify(const struct weir_mark_names *list, find_names *find, const char *head,
                   size_t len, int *bits)
{
	unsigned all = (1u << list->all) - 1, any = ((1u << list->any) - 1) << list->all, found;

	if (!list->names[0])
		return true;
	if (!may_have(list, head, len))
		return false;
	found = find(head, len, list->names);
	*bits += weir_sniff_bits(found, list->names);
	return (found & all) == all && (!any || found & any);
}

static bool verify_member(const struct weir_mark *mark, const char *head, size_t len, int *bits)
{
	const char *member;
	size_t left = 0;

	if (!mark->within)
		return true;
	member = weir_sniff_member(head, len, mark->within, &left);
	return member && verify(&mark->inside, weir_sniff_keys, member, left, bits);
}

int weir_mark_bits(const struct weir_mark *mark, const char *head, size_t len)
{
	char first = weir_sniff_first(head, len);
	int bits = 0;

	if (*mark->first && (!first || !strchr(mark->first, first)))
		return 0;
	if (!verify(&mark->keys, weir_sniff_keys, head, len, &bits) ||
	    !verify_member(mark, head, len, &bits) ||
	    !verify(&mark->cells, find_cells, head, len, &bits) ||
	    !verify(&mark->texts, find_texts, head, len, &bits))
		return 0;
	return bits;
}

int weir_sniff_reader(const struct weir_reader *reader, const char *head, size_t len)
{
	int best = reader->sniff ? reader->sniff(head, len) : 0;

	for (const struct weir_mark *mark = reader->marks; mark && mark->first; mark++) {
		int bits = mark->refusal ? 0 : weir_mark_bits(mark, head, len);

		if (bits > best)
			best = bits;
	}
	return best;
}

const char *weir_sniff_refusal(const struct weir_reader *reader, const char *head, size_t len)
{
	for (const struct weir_mark *mark = reader->marks; mark && mark->first; mark++)
		if (mark->refusal && weir_mark_bits(mark, head, len))
			return mark->refusal;
	return reader->refuse ? reader->refuse(head, len) : NULL;
}

/* ---- files of no profiler ---- */

#define PICKLE "it is a Python pickle (a memory snapshot?): it is not read, for it could run code"
#define NO_VALUES                                                                                  \
	"it is a metrics page without values: record it after the server has served requests"
#define UNKNOWN_BENCHMARK                                                                          \
	"it is a benchmark result, but not of pytest-benchmark, Google Benchmark, hyperfine or "   \
	"criterion: write its samples as CSV with the columns name,value,unit"
#define DEVICE_LOG                                                                                 \
	"it is a table of figures of a device whose columns no reader knows: name them like "      \
	"nvidia-smi, such as timestamp, index, utilization.gpu [%], memory.used [MiB], "           \
	"power.draw [W], temperature.gpu"
#define HEADER_CELLS 64
#define HEADER_NAME  40 /* bytes of the name of a column */
#define WEB_PAGE     "it is a web page: was a sign-in or error page saved instead of the file?"

/* Beginnings of files, after blanks. */
static const struct {
	const char *start, *hint;
} starts[] = {
	{"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it, or pack it as .zip or .tar.gz"},
	{"Rar!\x1a", "it is a rar archive: unpack it, or pack it as .zip or .tar.gz"},
	{"\x80\x02", PICKLE},
	{"\x80\x03", PICKLE},
	{"\x80\x04", PICKLE},
	{"\x80\x05", PICKLE},
	{"\x7f"
         "ELF",
         "it is a program, not a profile"},
	{"%PDF", "it is a PDF document, not a profile"},
	{"\x89PNG", "it is a picture, not a profile"},
	{"\xff\xfe", "it is UTF-16 text: save it as UTF-8"},
	{"\xfe\xff", "it is UTF-16 text: save it as UTF-8"},
	{"<!DOCTYPE", WEB_PAGE},
	{"<!doctype", WEB_PAGE},
	{"<html", WEB_PAGE},
	{"<HTML", WEB_PAGE},
	{"<?xml", "it is XML, not a profile"},
	{"# HELP", NO_VALUES},
	{"# TYPE", NO_VALUES},
	{"HTTP/", "it is the answer of a web server, headers included: save the body only"},
	{"version https://git-lfs",
         "it is a Git LFS pointer: fetch the file itself with git lfs pull"},
};

/* Documents, the particular before the general. */
static const struct weir_mark documents[] = {
	{.first = "{[",
         .keys = {{"nbformat"}, .all = 1},
         .refusal = "it is a notebook, not a profile"},
	{.first = "{[", .keys = {{"benchmarks"}, .all = 1}, .refusal = UNKNOWN_BENCHMARK},
	{.first = "[", .keys = {{"jmhVersion"}, .all = 1}, .refusal = UNKNOWN_BENCHMARK},
	{0},
};

/* True if a word of JSON is at this place, or of what Python writes for numbers. */
static bool is_word(const char *at, const char *end)
{
	static const char *const words[] = {"true", "false", "null", "NaN", "Infinity"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_slice_starts((struct weir_slice){at, (size_t)(end - at)}, words[i]))
			return true;
	return false;
}

/* True if no text follows an array of one number: "[6] Invalid node" is a line of a log. */
static bool ends_document(const char *at, const char *end)
{
	at = skip_blanks(at, end);
	return at == end || *at == '[' || *at == '{';
}

bool weir_sniff_is_json(const char *head, size_t len)
{
	const char *end = head + len, *at = skip_blanks(head, end);
	size_t digits = 0;

	if (at == end || (*at != '{' && *at != '['))
		return false;
	if (*at++ == '{')
		return true;
	at = skip_blanks(at, end);
	if (at == end || strchr("[]{\"tfnNI", *at))
		return at == end || !strchr("tfnNI", *at) || is_word(at, end);
	/* A number, and then the end of the array or its next element. "[E]" is a level of a log.
	 */
	if (!strchr("-0123456789", *at))
		return false;
	while (at + digits < end && strchr("+-.0123456789eE", at[digits]))
		digits++;
	at = skip_blanks(at + digits, end);
	return at == end || *at == ',' || (*at == ']' && ends_document(at + 1, end));
}

/* Counts the kinds of figures of a device, use, power and so on, that a cell's name may mean; bits.
 */
static unsigned device_figures(struct weir_slice cell)
{
	static const char *const words[][3] = {{"util", "usage", "load"},
	                                       {"power", "watt", "_w"},
	                                       {"mem", "vram", NULL},
	                                       {"temp", NULL, NULL},
	                                       {"gpu", NULL, NULL}};
	unsigned found = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (size_t j = 0; j < 3 && words[i][j]; j++)
			for (size_t at = 0, length = strlen(words[i][j]);
			     at + length <= cell.length; at++)
				if (!strncasecmp(cell.data + at, words[i][j], length))
					found |= 1u << i;
	return found;
}

/* True if the first line is the header of a table with several figures of a device. */
static bool is_device_log(struct weir_slice rest)
{
	static const struct weir_csv_options commas = {
		.separator = ',', .quotes = true, .trim = true};
	struct weir_slice line, cells[HEADER_CELLS];
	unsigned kinds = 0, columns = 0;
	size_t count;

	if (!weir_csv_take_line(&rest, &line))
		return false;
	count = weir_csv_split(line, &commas, cells, HEADER_CELLS);
	for (size_t i = 0; i < count && i < HEADER_CELLS; i++) {
		unsigned found = device_figures(cells[i]);

		/* A name, no value: it begins with a letter and is no sentence. */
		if (cells[i].length > HEADER_NAME || !cells[i].length ||
		    !((cells[i].data[0] | 0x20) >= 'a' && (cells[i].data[0] | 0x20) <= 'z'))
			return false;
		kinds |= found;
		columns += found != 0;
	}
	return count >= 3 && columns >= 2 && (kinds & (kinds - 1)) != 0;
}

const char *weir_sniff_hint(const char *head, size_t len)
{
	const char *at = skip_blanks(head, head + len);
	struct weir_slice rest = {at, (size_t)(head + len - at)};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (weir_slice_starts(rest, starts[i].start))
			return starts[i].hint;
	for (const struct weir_mark *mark = documents; mark->first; mark++)
		if (weir_mark_bits(mark, head, len))
			return mark->refusal;
	if (weir_sniff_is_json(head, len))
		return "it is JSON that no reader knows: weir formats lists the formats; the "
		       "simplest is CSV with the columns name,value,unit";
	if (memchr(head, '\0', len))
		return "it is binary data that no reader knows";
	return is_device_log(rest) ? DEVICE_LOG
	                           : "it is text that no reader knows: weir formats lists the "
	                             "formats, --input-format NAME reads it as one of them";
}
