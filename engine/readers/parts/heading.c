/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/heading.h"

#define LEVELS 6 /* of titles in Markdown */

/* Takes punctuation and marks of emphasis off both ends: "**main**:" is "main". */
static struct weir_slice strip(struct weir_slice text)
{
	static const char around[] = "*_`:# \t-=";

	while (text.length && strchr(around, text.data[text.length - 1]))
		text.length--;
	while (text.length && strchr("*_`# \t", *text.data)) {
		text.data++;
		text.length--;
	}
	return text;
}

/* True for "Run 2", "#3" or "trial": a number of a repeat, which describes no condition. */
static bool is_count(struct weir_slice text)
{
	static const char *const words[] = {"run",    "trial", "repeat", "attempt", "iteration",
	                                    "result", "round", "test",   "results", "output"};
	struct weir_slice word = text;
	size_t letters = 0;

	while (letters < text.length && isalpha((unsigned char)text.data[letters]))
		letters++;
	for (size_t i = letters; i < text.length; i++)
		if (!isdigit((unsigned char)text.data[i]) && !strchr(" #.:)", text.data[i]))
			return false;
	word.length = letters;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (letters == strlen(words[i]) &&
		    tolower((unsigned char)*word.data) == *words[i] &&
		    memcmp(word.data + 1, words[i] + 1, letters - 1) == 0)
			return true;
	return letters == 0;
}

/* Stores the text if it can be a heading, with "_" for the characters that separate the parts of a
 * figure's name. Returns false, and stores nothing, for other texts. */
static bool store(char *to, struct weir_slice text)
{
	text = strip(text);
	if (!text.length || text.length >= WEIR_HEADING || is_count(text))
		return false;
	for (size_t i = 0; i < text.length; i++) {
		bool separates = strchr("/#@", text.data[i]) || (unsigned char)text.data[i] < ' ';

		to[i] = separates ? '_' : text.data[i];
	}
	to[text.length] = '\0';
	return true;
}

/* Takes "## TITLE" off its marks. Returns false for another line. In a block of code, "# TEXT" is a
 * comment; further marks are a title even there, as a fence may be missing. */
static bool take_title(struct weir_slice *line, bool in_block)
{
	size_t level = 0;

	while (level < line->length && line->data[level] == '#')
		level++;
	if (level < (in_block ? 2 : 1) || level > LEVELS || level == line->length ||
	    line->data[level] != ' ')
		return false;
	*line = (struct weir_slice){line->data + level, line->length - level};
	return true;
}

/* Takes the text out of "<summary>TEXT</summary>". Returns false for another line. */
static bool take_summary(struct weir_slice *line)
{
	static const char begin[] = "<summary>", end[] = "</summary>";
	const char *from = weir_slice_find(*line, begin), *to = weir_slice_find(*line, end);

	if (!from || !to || to < from + sizeof(begin) - 1)
		return false;
	from += sizeof(begin) - 1;
	*line = (struct weir_slice){from, (size_t)(to - from)};
	return true;
}

/* True for the fence of a block with the name of a language: "```bash". */
static bool is_opening(struct weir_slice fence)
{
	size_t length = 0;

	while (length < fence.length && fence.data[length] == *fence.data)
		length++;
	return length < fence.length;
}

void weir_heading_take(struct weir_heading *heading, struct weir_slice line)
{
	line = weir_slice_trim(line);
	if (!line.length)
		return;
	if (weir_slice_starts(line, "```") || weir_slice_starts(line, "~~~")) {
		/* A fence with a language always opens a block. */
		heading->in_block = !heading->in_block || is_opening(line);
		if (heading->in_block && *heading->line)
			memcpy(heading->text, heading->line, sizeof(heading->text));
		heading->line[0] = '\0';
	} else if (take_title(&line, heading->in_block) || take_summary(&line)) {
		store(heading->text, line);
		heading->line[0] = '\0';
	} else if (heading->in_block || !store(heading->line, line)) {
		heading->line[0] = '\0';
	}
}
