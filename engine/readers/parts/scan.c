/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/scan.h"

bool weir_scan_behind(struct weir_slice line, const char *part, struct weir_slice *rest)
{
	const char *found = weir_slice_find(line, part);

	if (!found)
		return false;
	found += strlen(part);
	*rest = (struct weir_slice){found, (size_t)(line.data + line.length - found)};
	return true;
}

bool weir_scan_word(struct weir_slice *text, struct weir_slice *word)
{
	size_t length = 0;

	*text = weir_slice_trim(*text);
	while (length < text->length && !isspace((unsigned char)text->data[length]))
		length++;
	*word = (struct weir_slice){text->data, length};
	text->data += length;
	text->length -= length;
	return length > 0;
}

bool weir_scan_number(struct weir_slice *text, double *value)
{
	struct weir_slice number;

	*text = weir_slice_trim(*text);
	number = (struct weir_slice){text->data, 0};
	while (number.length < text->length && text->data[number.length] &&
	       strchr("0123456789.+-eE", text->data[number.length]))
		number.length++;
	text->data += number.length;
	text->length -= number.length;
	return weir_parse_double(number.data, number.length, value) && isfinite(*value) &&
	       *value >= 0;
}
