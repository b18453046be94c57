/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells in which style ncu wrote the numbers of a table. On Windows, ncu follows the language
 * of the user: "27.595.520" and "65,77" for 27595520 and 65.77. A number such as "117.344" fits
 * both styles, so that one number which fits a single style decides for the whole file.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/nvidia/ncu.h"

#define GROUP 3 /* digits between two separators of groups */

static const struct weir_csv_options table = {.separator = ',', .quotes = true};

/* The styles that a number fits. */
enum style { STYLE_EITHER, STYLE_POINT, STYLE_COMMA };

/* The digits and separators of a number. */
struct shape {
	size_t points, commas;
	size_t before, after; /* digits before the first separator, and behind the last one */
	bool point_last;      /* the last separator is a point */
	bool grouped;         /* all digits between separators, and those behind, are in groups */
	bool zero;            /* the first digit is 0 */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Measures a number. Returns false for other texts. */
static bool measure(struct weir_slice text, struct shape *shape)
{
	size_t digits = 0;
	bool separated = false;

	*shape = (struct shape){.grouped = true};
	if (text.length && text.data[0] == '-')
		text = (struct weir_slice){text.data + 1, text.length - 1};
	shape->zero = text.length && text.data[0] == '0';
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (is_digit(c)) {
			digits++;
			continue;
		}
		if (c != '.' && c != ',')
			return false;
		shape->points += c == '.';
		shape->commas += c == ',';
		shape->point_last = c == '.';
		if (!separated)
			shape->before = digits;
		else
			shape->grouped &= digits == GROUP;
		separated = true;
		digits = 0;
	}
	shape->after = digits;
	return separated && shape->before > 0 && digits > 0;
}

/* Returns the style of a number with one separator: digits that are no group follow a decimal one.
 */
static enum style style_of_one(const struct shape *shape)
{
	if (shape->after == GROUP && shape->before <= GROUP && !shape->zero)
		return STYLE_EITHER;
	return shape->point_last ? STYLE_POINT : STYLE_COMMA;
}

static enum style style_of(struct weir_slice text)
{
	struct shape shape;

	if (!measure(text, &shape) || !shape.grouped)
		return STYLE_EITHER;
	if (shape.points + shape.commas == 1)
		return style_of_one(&shape);
	if (!shape.points || !shape.commas) /* groups alone */
		return shape.after != GROUP ? STYLE_EITHER
		       : shape.points       ? STYLE_COMMA
		                            : STYLE_POINT;
	if (shape.point_last)
		return shape.points == 1 ? STYLE_POINT : STYLE_EITHER;
	return shape.commas == 1 ? STYLE_COMMA : STYLE_EITHER;
}

/* True for the name of a column that holds numbers of metrics. */
static bool holds_numbers(struct weir_slice name)
{
	return weir_slice_equals(name, "Metric Value") ||
	       weir_ncu_find((struct weir_slice){"", 0}, name) != NULL;
}

bool weir_ncu_has_decimal_comma(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	struct weir_slice *header = weir_alloc(WEIR_CSV_MAX_CELLS * sizeof *header);
	struct weir_slice *cells = weir_alloc(WEIR_CSV_MAX_CELLS * sizeof *cells);
	size_t columns = 0;
	bool found[] = {[STYLE_EITHER] = false, [STYLE_POINT] = false, [STYLE_COMMA] = false};

	while (weir_csv_take_line(&rest, &line)) {
		size_t count;

		if (weir_slice_starts(line, "\"ID\",") || weir_slice_starts(line, "ID,")) {
			columns = weir_csv_split(line, &table, header, WEIR_CSV_MAX_CELLS);
			continue;
		}
		if (!columns || !rest.length) /* the last line of the head may be cut */
			continue;
		count = weir_csv_split(line, &table, cells, WEIR_CSV_MAX_CELLS);
		for (size_t i = 0; i < count && i < columns; i++)
			if (holds_numbers(header[i]))
				found[style_of(cells[i])] = true;
	}
	free(header);
	free(cells);
	return found[STYLE_COMMA] && !found[STYLE_POINT];
}

struct weir_slice weir_ncu_with_point(struct weir_slice text, char number[WEIR_NCU_MAX_NUMBER])
{
	struct shape shape;
	size_t length = 0;

	if (text.length > WEIR_NCU_MAX_NUMBER || !measure(text, &shape))
		return text;
	if (!shape.grouped || shape.commas > 1 ||
	    (shape.point_last && (shape.commas || shape.after != GROUP)) ||
	    (shape.points && (shape.before > GROUP || shape.zero)))
		return (struct weir_slice){"?", 1};
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] != '.')
			number[length++] = text.data[i] == ',' ? '.' : text.data[i];
	return (struct weir_slice){number, length};
}
