/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/window.h"

#define FIRST_STEP 4096 /* bytes copied at a seam at once; more if more bytes are kept */

static const char nothing[] = ""; /* target of pointers to an empty range */

void weir_window_init(struct weir_window *window, struct weir_source *source)
{
	*window = (struct weir_window){.source = source,
	                               .at = nothing,
	                               .stop = nothing,
	                               .rest = nothing,
	                               .stretch_end = nothing};
}

void weir_window_release(struct weir_window *window)
{
	free(window->own);
	*window = (struct weir_window){0};
}

static bool next_stretch(struct weir_window *window)
{
	const char *data = NULL;
	size_t length = 0;

	if (window->ended)
		return false;
	window->status = weir_source_next(window->source, &data, &length, window->err);
	if (window->status)
		length = 0;
	window->ended = !length;
	window->rest = length ? data : nothing;
	window->stretch_end = length ? data + length : nothing;
	return length > 0;
}

/* Moves [at, stop) to the start of `own`, with room for `more` bytes and the padding. */
static void keep(struct weir_window *window, size_t more)
{
	size_t length = (size_t)(window->stop - window->at);
	size_t offset = window->in_own ? (size_t)(window->at - window->own) : 0;

	if (window->capacity < length + more + WEIR_WINDOW_PADDING || !window->own)
		window->own = weir_grow(window->own, &window->capacity,
		                        offset + length + more + WEIR_WINDOW_PADDING, 1);
	if (window->in_own)
		memmove(window->own, window->own + offset, length);
	else if (length)
		memcpy(window->own, window->at, length);
	memset(window->own + length, 0, WEIR_WINDOW_PADDING);
	window->at = window->own;
	window->stop = window->own + length;
	window->in_own = true;
}

/* Copies the next bytes of the source's buffer after the kept bytes. */
static void append(struct weir_window *window)
{
	size_t length = (size_t)(window->stop - window->at);
	size_t step = length > FIRST_STEP ? length : FIRST_STEP;
	size_t left = (size_t)(window->stretch_end - window->rest);
	size_t gone = window->in_own ? (size_t)(window->at - window->own) : 0;

	step = step < left ? step : left;
	window->kept -= gone < window->kept ? gone : window->kept;
	keep(window, step);
	memcpy(window->own + length, window->rest, step);
	memset(window->own + length + step, 0, WEIR_WINDOW_PADDING);
	window->rest += step;
	window->stop += step;
}

bool weir_window_more(struct weir_window *window)
{
	weir_window_settle(window);
	if (window->in_own && window->rest < window->stretch_end) {
		append(window);
		return true;
	}
	if (window->at == window->stop) {
		if (!next_stretch(window))
			return false;
		window->at = window->rest;
		window->stop = window->stretch_end;
		window->rest = window->stretch_end;
		window->in_own = false;
		return true;
	}
	keep(window, 0); /* before the source reuses its buffer */
	window->kept = (size_t)(window->stop - window->own);
	if (!next_stretch(window))
		return false;
	append(window);
	return true;
}

bool weir_window_is_drained(const struct weir_window *window)
{
	return window->rest == window->stretch_end;
}

void weir_window_settle(struct weir_window *window)
{
	size_t ahead;

	if (!window->in_own || window->ended || window->at < window->own + window->kept)
		return;
	ahead = (size_t)(window->stop - window->at); /* bytes that were copied and are still in the
	                                                source's buffer */
	window->at = window->rest - ahead;
	window->stop = window->stretch_end;
	window->rest = window->stretch_end;
	window->in_own = false;
}

void weir_window_pad(struct weir_window *window, size_t length)
{
	if (window->in_own || (size_t)(window->stop - window->at) - length >= WEIR_WINDOW_PADDING)
		return;
	keep(window, 0);
	window->kept = 0; /* all of them are still in the source's buffer */
}

uint64_t weir_window_position(const struct weir_window *window)
{
	uint64_t behind = (uint64_t)(window->stop - window->at) +
	                  (uint64_t)(window->stretch_end - window->rest);

	return weir_source_position(window->source) - behind;
}
