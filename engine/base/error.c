/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

#undef weir_fail /* macros for the analyser, see error.h */
#undef weir_fail_in

/* Replaces every unprintable character by "?", in place: a path or an input may put any bytes into
 * a message, which must remain one line without terminal codes. */
static void replace_unprintable(char *message)
{
	char *out = message;
	size_t length;

	for (const char *in = message; *in; in += length) {
		if (weir_text_is_printable(in, &length)) {
			memmove(out, in, length);
			out += length;
		} else {
			*out++ = '?';
		}
	}
	*out = '\0';
}

enum weir_status weir_fail(struct weir_error *err, enum weir_status status, const char *format, ...)
{
	char message[WEIR_ERROR_TEXT]; /* the arguments may point into err */
	va_list args;

	if (!err)
		return status;
	va_start(args, format);
	if (vsnprintf(message, sizeof(message), format, args) < 0)
		message[0] = '\0';
	va_end(args);
	replace_unprintable(message);
	memcpy(err->message, message, sizeof(message));
	err->status = status;
	return status;
}

enum weir_status weir_fail_in(struct weir_error *err, const char *format, ...)
{
	char context[WEIR_ERROR_TEXT];
	va_list args;

	if (!err)
		return WEIR_E_INTERNAL;
	va_start(args, format);
	if (vsnprintf(context, sizeof(context), format, args) < 0)
		context[0] = '\0';
	va_end(args);
	return weir_fail(err, err->status, "%s: %s", context, err->message);
}
