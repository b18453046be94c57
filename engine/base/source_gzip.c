/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes gzip (RFC 1952) with ISA-L: any number of members, with zero bytes between them as
 * padding. */
#include <stdlib.h>

#include <isa-l/igzip_lib.h>

#include "engine/base/arena.h"
#include "engine/base/source_codec.h"

struct gzip {
	struct inflate_state state;
	bool between;      /* before the first member, or after a whole one */
	uint64_t finished; /* number of whole members */
};

static bool gzip_claims(const uint8_t *data, size_t len)
{
	return len >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

static void *gzip_create(void)
{
	struct gzip *gzip = weir_alloc(sizeof(*gzip));

	isal_inflate_init(&gzip->state);
	gzip->between = true;
	return gzip;
}

static void gzip_destroy(void *decoder)
{
	free(decoder);
}

static const char *explain(int code)
{
	switch (code) {
	case ISAL_INVALID_WRAPPER:
		return "its gzip header is invalid";
	case ISAL_UNSUPPORTED_METHOD:
		return "its gzip header names an unknown method";
	case ISAL_INCORRECT_CHECKSUM:
		return "its gzip checksum does not match";
	default:
		return "its gzip data is invalid";
	}
}

/* Limits a size to the 32 bits of the library. */
static uint32_t clamp(size_t size)
{
	return size > (1u << 30) ? 1u << 30 : (uint32_t)size;
}

static void skip_padding(struct weir_codec_io *io)
{
	while (io->in_len > 0 && *io->in == 0) {
		io->in++;
		io->in_len--;
	}
}

/* Calls the library once with the available input and room. */
static int inflate_some(struct inflate_state *state, struct weir_codec_io *io)
{
	uint32_t in_len = clamp(io->in_len);
	uint32_t out_room = clamp(io->out_room);
	int code;

	state->next_in =
		(uint8_t *)(uintptr_t)io->in; /* the library only reads it, despite its type */
	state->avail_in = in_len;
	state->next_out = io->out;
	state->avail_out = out_room;
	code = isal_inflate(state);
	io->in += in_len - state->avail_in;
	io->in_len -= in_len - state->avail_in;
	io->out += out_room - state->avail_out;
	io->out_room -= out_room - state->avail_out;
	return code;
}

static enum weir_codec_state gzip_decode(void *decoder, struct weir_codec_io *io,
                                         const char **reason)
{
	struct gzip *gzip = decoder;

	while (io->out_room > 0) {
		size_t in_before = io->in_len;
		size_t room_before = io->out_room;
		int code;

		if (gzip->between) {
			if (gzip->finished > 0)
				skip_padding(io);
			if (io->in_len == 0)
				return WEIR_CODEC_BOUNDARY;
			isal_inflate_reset(&gzip->state);
			gzip->state.crc_flag = ISAL_GZIP;
			gzip->between = false;
		}
		code = inflate_some(&gzip->state, io);
		if (code < 0) {
			bool stray = code == ISAL_INVALID_WRAPPER && gzip->finished > 0;

			*reason = stray ? "bytes that are no gzip follow its last member"
			                : explain(code);
			return WEIR_CODEC_DAMAGED;
		}
		if (gzip->state.block_state == ISAL_BLOCK_FINISH) {
			gzip->between = true;
			gzip->finished++;
		} else if (io->in_len == in_before && io->out_room == room_before) {
			break;
		}
	}
	return gzip->between ? WEIR_CODEC_BOUNDARY : WEIR_CODEC_INSIDE;
}

const struct weir_codec weir_codec_gzip = {
	.claims = gzip_claims,
	.create = gzip_create,
	.destroy = gzip_destroy,
	.decode = gzip_decode,
};
