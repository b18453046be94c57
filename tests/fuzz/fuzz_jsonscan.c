/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs any bytes through the JSON scanner: it ends, every byte of every returned text can be read,
 * and it returns no more elements than there are bytes. The first byte chooses the options and how
 * often items are rejected.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every value at any depth. */
static void walk(struct weir_jsoncursor *cursor, unsigned depth)
{
	struct weir_slice key;

	if (depth < 8 && weir_jsoncursor_peek(cursor) == '{' &&
	    weir_jsoncursor_enter(cursor, '{')) {
		while (weir_jsoncursor_key(cursor, &key))
			walk(cursor, depth + 1);
	} else if (depth < 8 && weir_jsoncursor_peek(cursor) == '[' &&
	           weir_jsoncursor_enter(cursor, '[')) {
		while (weir_jsoncursor_item(cursor))
			walk(cursor, depth + 1);
	} else {
		struct weir_text scratch = {0};
		struct weir_slice text =
			weir_jsoncursor_decode(weir_jsoncursor_scalar(cursor), &scratch, NULL);

		for (size_t i = 0; i < text.length; i++)
			if (!text.data[i] && text.data == scratch.data)
				abort(); /* a NUL from decoding */
		weir_text_release(&scratch);
	}
}

/* True if the bytes begin like gzip or zstd. */
static bool is_packed(const uint8_t *data, size_t size)
{
	return (size >= 2 && data[0] == 0x1f && data[1] == 0x8b) ||
	       (size >= 2 && data[0] == 0x28 && data[1] == 0xb5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const entered[] = {"baseTimeNanoseconds", "args", "deviceProperties",
	                                      NULL};
	struct weir_jsonscan_options options = {.array = "traceEvents",
	                                        .lines = size && (data[0] & 1),
	                                        .enter = size && (data[0] & 8) ? entered : NULL,
	                                        .first_key = "ph"};
	unsigned reject = size ? data[0] >> 1 & 3 : 0;
	struct weir_source *source;
	struct weir_jsonscan *scan;
	struct weir_jsonscan_item item;
	uint64_t items = 0;

	if (!size || weir_source_open_memory("fuzz", data + 1, size - 1, &source, NULL))
		return 0;
	scan = weir_jsonscan_new(source, &options);
	while (!weir_jsonscan_next(scan, &item, NULL) && item.kind != WEIR_JSONSCAN_END) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(item.text);

		if (item.kind != WEIR_JSONSCAN_OBJECT)
			walk(&cursor, 0);
		if (cursor.bad || (reject && items % (reject + 1) == reject))
			weir_jsonscan_reject(scan);
		/* A retry returns an item once more; compressed input holds more bytes than its
		 * size. */
		if (++items > 2 * size + 2 && !is_packed(data + 1, size - 1))
			abort();
	}
	weir_jsonscan_free(scan);
	weir_source_free(source);
	return 0;
}
