/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

void weir_text_release(struct weir_text *text)
{
	free(text->data);
	*text = (struct weir_text){0};
}

void weir_text_clear(struct weir_text *text)
{
	text->length = 0;
	if (text->data)
		text->data[0] = '\0';
}

/* Makes room for `more` bytes and the final NUL; returns the end of the text. */
static char *reserve(struct weir_text *text, size_t more)
{
	if (more >= SIZE_MAX - text->length)
		weir_out_of_memory();
	text->data = weir_grow(text->data, &text->capacity, text->length + more + 1, 1);
	return text->data + text->length;
}

void weir_text_add(struct weir_text *text, const char *data, size_t len)
{
	char *end = reserve(text, len);

	if (len)
		memcpy(end, data, len);
	end[len] = '\0';
	text->length += len;
}

void weir_text_puts(struct weir_text *text, const char *string)
{
	weir_text_add(text, string, strlen(string));
}

void weir_text_repeat(struct weir_text *text, const char *string, size_t times)
{
	size_t len = strlen(string);

	while (times-- > 0)
		weir_text_add(text, string, len);
}

void weir_text_percent(struct weir_text *text, const char *value, const char *plain)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	for (; *value; value++)
		if (strchr(letters, *value) || strchr(plain, *value))
			weir_text_add(text, value, 1);
		else
			weir_text_printf(text, "%%%02X", (unsigned char)*value);
}

void weir_text_printf(struct weir_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	weir_text_vprintf(text, format, args);
	va_end(args);
}

/* Formats after the text as far as the room allows. Returns the length of the whole output, or -1.
 */
static int format_after(struct weir_text *text, const char *format, va_list args)
{
	va_list copy;
	int len;

	va_copy(copy, args);
	len = vsnprintf(text->data + text->length, text->capacity - text->length, format, copy);
	va_end(copy);
	return len;
}

/* Uses the "C" locale, because the program around the library may have set another decimal point.
 */
void weir_text_vprintf(struct weir_text *text, const char *format, va_list args)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = plain ? uselocale(plain) : (locale_t)0;
	int len;

	reserve(text, 0);
	len = format_after(text, format, args);
	if (len > 0 && (size_t)len >= text->capacity - text->length) {
		reserve(text, (size_t)len);
		len = format_after(text, format, args);
	}
	if (len > 0)
		text->length += (size_t)len;
	text->data[text->length] = '\0';
	if (plain) {
		uselocale(before);
		freelocale(plain);
	}
}
