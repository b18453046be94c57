/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of the decoders: decompressors, and one for texts. Only source*.c include it. */
#ifndef WEIR_BASE_SOURCE_CODEC_H
#define WEIR_BASE_SOURCE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Input and output of a decoder, which advances both. */
struct weir_codec_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_room;
};

enum weir_codec_state {
	WEIR_CODEC_INSIDE,   /* inside a member or frame: needs more input or more room */
	WEIR_CODEC_BOUNDARY, /* after a whole member or frame: the input may end here */
	WEIR_CODEC_DAMAGED,  /* the rest cannot be decoded */
};

struct weir_codec {
	bool (*claims)(const uint8_t *data, size_t len);
	void *(*create)(void); /* NULL for plain bytes, which need no decoder */
	void (*destroy)(void *decoder);
	/* Decodes until the input is consumed, the room is full or the stream is damaged; *reason
	 * is then a static text. */
	enum weir_codec_state (*decode)(void *decoder, struct weir_codec_io *io,
	                                const char **reason);
	const char *cut; /* damage of an input that ends in the state INSIDE; NULL: as usual */
};

extern const struct weir_codec weir_codec_gzip;
extern const struct weir_codec weir_codec_zstd;
extern const struct weir_codec weir_codec_utf16;

#endif
