/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between source.c and the decompressors: nobody else includes this. */
#ifndef WEIR_BASE_SOURCE_CODEC_H
#define WEIR_BASE_SOURCE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a decoder may take from and write to; it moves both on. */
struct weir_codec_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_room;
};

enum weir_codec_state {
	WEIR_CODEC_INSIDE,   /* needs more input, or more room */
	WEIR_CODEC_BOUNDARY, /* whole so far: the input may end here */
	WEIR_CODEC_DAMAGED,  /* nothing more can be decoded */
};

struct weir_codec {
	const char *name; /* "gzip" */
	bool (*claims)(const uint8_t *data, size_t len);
	void *(*create)(void); /* NULL for plain bytes, which need no decoder */
	void (*destroy)(void *decoder);
	/* Decodes until the input is used up, the room is full or the stream is damaged; then
	 * *reason says why (static). */
	enum weir_codec_state (*decode)(void *decoder, struct weir_codec_io *io,
	                                const char **reason);
};

extern const struct weir_codec weir_codec_gzip;
extern const struct weir_codec weir_codec_zstd;

#endif
