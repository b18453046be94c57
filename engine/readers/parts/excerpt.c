/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/parts/excerpt.h"

/* Takes the first line off the rest of a page, with the end of the line. Returns false at the end.
 */
static bool take_line(struct weir_slice *rest, struct weir_slice *line)
{
	const char *end;

	if (!rest->length)
		return false;
	end = memchr(rest->data, '\n', rest->length);
	*line = (struct weir_slice){rest->data,
	                            end ? (size_t)(end + 1 - rest->data) : rest->length};
	rest->data += line->length;
	rest->length -= line->length;
	return true;
}

static bool is_blank(struct weir_slice line)
{
	if (weir_slice_ends(line, "\n"))
		line.length--;
	return !weir_slice_trim(line).length;
}

static uint64_t count_lines(struct weir_slice page)
{
	struct weir_slice line;
	uint64_t count = 0;

	while (take_line(&page, &line))
		count += !is_blank(line);
	return count;
}

/* ---- blocks of code ---- */

static bool is_fence(struct weir_slice line)
{
	line = weir_slice_trim(line);
	return weir_slice_starts(line, "```") || weir_slice_starts(line, "~~~");
}

bool weir_excerpt_block(struct weir_slice page, size_t index, struct weir_excerpt *out)
{
	struct weir_slice rest = page, line;
	const char *begin = NULL, *end = NULL;
	bool inside = false;

	while (!end && take_line(&rest, &line)) {
		if (!is_fence(line))
			continue;
		inside = !inside;
		if (inside && !index--)
			begin = rest.data;
		else if (!inside && begin)
			end = line.data;
	}
	if (!begin)
		return false;
	if (!end)
		end = page.data + page.length;
	out->text = (struct weir_slice){begin, (size_t)(end - begin)};
	out->left_out = count_lines(page) - count_lines(out->text);
	return true;
}

/* ---- the lines behind a command ---- */

/* Returns the bytes of the prompt in front of a command: "$ ", "root@host:~# "; 0: none. */
static size_t prompt_of(struct weir_slice line)
{
	static const char ends[] = {'$', '#', '%', '>'};

	for (size_t i = 0; i + 1 < line.length; i++)
		if (memchr(ends, line.data[i], sizeof ends) && line.data[i + 1] == ' ')
			return i + 1;
	return 0;
}

/* Leaves the last line that is not blank out of the text, if it begins with the prompt. */
static void cut_prompt(struct weir_slice *text, struct weir_slice first)
{
	struct weir_slice rest = *text, line, last = {0};
	size_t prompt = prompt_of(first);

	while (take_line(&rest, &line))
		if (!is_blank(line))
			last = line;
	if (prompt && last.length >= prompt && !memcmp(last.data, first.data, prompt))
		text->length = (size_t)(last.data - text->data);
}

bool weir_excerpt_behind(struct weir_slice page, size_t lines, struct weir_excerpt *out)
{
	struct weir_slice rest = page, line, first = {0};

	for (size_t passed = 0; passed < lines;) {
		if (!take_line(&rest, &line))
			return false;
		if (!is_blank(line) && !passed++)
			first = line;
	}
	cut_prompt(&rest, first);
	out->text = rest;
	out->left_out = count_lines(page) - count_lines(rest);
	return !is_blank(rest);
}

/* ---- margins ---- */

/* Returns the bytes that two texts begin with alike. */
static size_t same_bytes(struct weir_slice a, struct weir_slice b)
{
	size_t i = 0;

	while (i < a.length && i < b.length && a.data[i] == b.data[i])
		i++;
	return i;
}

size_t weir_excerpt_margin(struct weir_slice page)
{
	static const char marks[] = {' ', '\t', '>'};
	struct weir_slice line, margin = {0};
	size_t lines = 0;

	while (take_line(&page, &line)) {
		if (is_blank(line))
			continue;
		if (!lines++)
			margin = line;
		else
			margin.length = same_bytes(margin, line);
	}
	for (size_t end = lines > 1 ? margin.length : 0; end > 2; end--)
		if (margin.data[end - 2] == '|' && margin.data[end - 1] == ' ')
			return end;
	for (size_t end = 0; end < margin.length; end++)
		if (!memchr(marks, margin.data[end], sizeof marks))
			return end;
	return margin.length;
}

void weir_excerpt_cut(struct weir_slice page, size_t margin, struct weir_text *out)
{
	struct weir_slice line;

	while (take_line(&page, &line)) {
		if (is_blank(line))
			weir_text_puts(out, "\n");
		else
			weir_text_add(out, line.data + margin, line.length - margin);
	}
}
