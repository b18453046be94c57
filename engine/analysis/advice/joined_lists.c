/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/joined_lists.h"

/* Longest text of the dimensions of a tensor. */
#define MOST_TEXT 160

/* Reads the dimensions "[1, 16, 1023, 128]" at `at`; returns their end, NULL: damaged. */
static const char *read_dims(const char *at, struct weir_arg *out)
{
	size_t length = strcspn(at, "]") + 1;
	char text[MOST_TEXT] = "[";
	struct weir_args args;

	if (length + 3 > sizeof text || at[length - 1] != ']')
		return NULL;
	memcpy(text + 1, at, length);
	memcpy(text + 1 + length, "]", 2);
	if (!weir_args_parse(&args, text, "[\"float\"]", NULL) || args.items[0].rank < 1)
		return NULL;
	*out = args.items[0];
	return at + length;
}

/* True if the next of a list of strides repeats elements, "[49152, 256, 0, 1]"; moves on to the one
 * behind it. NULL: not recorded. */
static bool next_is_expanded(const char **strides)
{
	const char *at = *strides;
	size_t length = at ? strcspn(at, "]") : 0;
	bool found = false;

	if (!at || *at != '[' || at[length] == '\0')
		return false;
	for (size_t i = 1; i < length; i++)
		found |= at[i] == '0' && (at[i - 1] == '[' || at[i - 1] == ' ' || at[i - 1] == ',');
	at += length + 1;
	*strides = at + strspn(at, ", ");
	return found;
}

bool weir_joined_list_read(const struct weir_op_calls *calls, const struct weir_op_call *call,
                           struct weir_joined_list *list)
{
	struct weir_call recorded;
	const char *at, *strides;

	list->count = 0;
	if (strcmp(weir_op_calls_name(calls, call), "cat") != 0 ||
	    !weir_call_of_op(calls->advisor->program.rank->trace, call->op, NULL, &recorded) ||
	    strncmp(recorded.dims, "[[[", 3) != 0)
		return false;
	strides = recorded.strides && strncmp(recorded.strides, "[[[", 3) == 0
	                  ? recorded.strides + 2
	                  : NULL;
	for (at = recorded.dims + 2; *at == '['; at += strspn(at, ", ")) {
		struct weir_joined_tensor *item = &list->items[list->count];

		if (list->count == WEIR_MOST_JOINED || !(at = read_dims(at, &item->tensor)))
			return false;
		item->expanded = next_is_expanded(&strides);
		list->count++;
	}
	return *at == ']' && list->count > 0;
}

bool weir_joined_by_columns(const struct weir_joined_list *list, double *rows, double *columns)
{
	*columns = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct weir_arg *x = &list->items[i].tensor;
		double width = (double)x->dims[x->rank - 1];

		if (x->rank < 2 || !(x->elements > 0))
			return false;
		if (i > 0 && x->elements / width != *rows)
			return false;
		*rows = x->elements / width;
		*columns += width;
	}
	return list->count >= 2;
}
