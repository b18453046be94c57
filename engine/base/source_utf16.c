/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes UTF-16 with a byte order mark into UTF-8: text that programs on Windows write. */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/source_codec.h"

#define REPLACEMENT 0xfffd /* stands for half of a pair */

struct utf16 {
	bool known, big; /* the byte order mark was read; the higher byte comes first */
	bool odd;        /* `byte` is the first one of a unit */
	uint8_t byte;
	uint32_t high; /* first half of a pair; 0: none */
	uint8_t ready[8];
	size_t from, to; /* bytes of `ready` that are to be written */
};

/* UTF-32LE begins with the same mark and has zeros behind it. */
static bool utf16_claims(const uint8_t *data, size_t len)
{
	bool little = len >= 2 && data[0] == 0xff && data[1] == 0xfe;
	bool big = len >= 2 && data[0] == 0xfe && data[1] == 0xff;

	return big || (little && !(len >= 4 && data[2] == 0 && data[3] == 0));
}

static void *utf16_create(void)
{
	return weir_alloc(sizeof(struct utf16));
}

static void utf16_destroy(void *decoder)
{
	free(decoder);
}

/* Appends a character to the bytes that are to be written. */
static void put(struct utf16 *utf16, uint32_t rune)
{
	static const uint8_t leads[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
	size_t length = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;

	for (size_t i = length; i-- > 1; rune >>= 6)
		utf16->ready[utf16->to + i] = (uint8_t)(0x80 | (rune & 0x3f));
	utf16->ready[utf16->to] = (uint8_t)(leads[length] | rune);
	utf16->to += length;
}

/* Takes a unit of 16 bits, of which two make one character of a higher plane. */
static void take(struct utf16 *utf16, uint32_t unit)
{
	uint32_t high = utf16->high;
	bool low = unit >= 0xdc00 && unit < 0xe000;

	utf16->high = 0;
	if (high && low) {
		put(utf16, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
		return;
	}
	if (high)
		put(utf16, REPLACEMENT);
	if (unit >= 0xd800 && unit < 0xdc00)
		utf16->high = unit;
	else
		put(utf16, low ? REPLACEMENT : unit);
}

static void take_byte(struct utf16 *utf16, uint8_t byte)
{
	uint32_t unit;

	utf16->odd = !utf16->odd;
	if (utf16->odd) {
		utf16->byte = byte;
		return;
	}
	if (!utf16->known) {
		utf16->known = true;
		utf16->big = utf16->byte == 0xfe;
		return;
	}
	unit = utf16->big ? (uint32_t)utf16->byte << 8 | byte : (uint32_t)byte << 8 | utf16->byte;
	take(utf16, unit);
}

static enum weir_codec_state utf16_decode(void *decoder, struct weir_codec_io *io,
                                          const char **reason)
{
	struct utf16 *utf16 = decoder;

	(void)reason;
	while (io->out_room > 0 && (utf16->from < utf16->to || io->in_len > 0)) {
		if (utf16->from < utf16->to) {
			*io->out++ = utf16->ready[utf16->from++];
			io->out_room--;
			continue;
		}
		utf16->from = utf16->to = 0;
		take_byte(utf16, *io->in++);
		io->in_len--;
	}
	return utf16->odd || utf16->high ? WEIR_CODEC_INSIDE : WEIR_CODEC_BOUNDARY;
}

const struct weir_codec weir_codec_utf16 = {
	.claims = utf16_claims,
	.create = utf16_create,
	.destroy = utf16_destroy,
	.decode = utf16_decode,
	.cut = "it ends inside a character",
};
