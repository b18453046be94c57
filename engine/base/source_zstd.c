/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes zstd (RFC 8878): any number of frames, skippable ones included. */
#include <stdlib.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "engine/base/arena.h"
#include "engine/base/source_codec.h"

struct zstd {
	ZSTD_DStream *stream;
	bool between;      /* before the first frame, or after a whole one */
	uint64_t finished; /* number of whole frames */
};

static bool zstd_claims(const uint8_t *data, size_t len)
{
	uint32_t magic;

	if (len < 4)
		return false;
	magic = data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
	        (uint32_t)data[3] << 24;
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static void *zstd_create(void)
{
	struct zstd *zstd = weir_alloc(sizeof(*zstd));

	zstd->stream = ZSTD_createDStream();
	if (!zstd->stream)
		weir_out_of_memory();
	zstd->between = true;
	return zstd;
}

static void zstd_destroy(void *decoder)
{
	struct zstd *zstd = decoder;

	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

static const char *explain(const struct zstd *zstd, size_t code)
{
	switch ((int)ZSTD_getErrorCode(code)) {
	case ZSTD_error_prefix_unknown:
		return zstd->finished ? "bytes that are no zstd follow its last frame"
		                      : "its zstd header is invalid";
	case ZSTD_error_checksum_wrong:
		return "its zstd checksum does not match";
	case ZSTD_error_frameParameter_windowTooLarge:
		return "its zstd window is larger than 128 MiB";
	case ZSTD_error_dictionary_wrong:
		return "its zstd data needs a dictionary";
	default:
		return "its zstd data is invalid";
	}
}

static enum weir_codec_state zstd_decode(void *decoder, struct weir_codec_io *io,
                                         const char **reason)
{
	struct zstd *zstd = decoder;
	ZSTD_inBuffer in = {io->in, io->in_len, 0};
	ZSTD_outBuffer out = {io->out, io->out_room, 0};
	size_t code = 0;

	while (out.pos < out.size && !(zstd->between && in.pos == in.size)) {
		size_t in_before = in.pos;
		size_t out_before = out.pos;

		code = ZSTD_decompressStream(zstd->stream, &out, &in);
		if (ZSTD_isError(code))
			break;
		zstd->between = code == 0;
		zstd->finished += code == 0;
		if (in.pos == in_before && out.pos == out_before)
			break;
	}
	io->in += in.pos;
	io->in_len -= in.pos;
	io->out += out.pos;
	io->out_room -= out.pos;
	if (ZSTD_isError(code)) {
		*reason = explain(zstd, code);
		return WEIR_CODEC_DAMAGED;
	}
	return zstd->between ? WEIR_CODEC_BOUNDARY : WEIR_CODEC_INSIDE;
}

const struct weir_codec weir_codec_zstd = {
	.claims = zstd_claims,
	.create = zstd_create,
	.destroy = zstd_destroy,
	.decode = zstd_decode,
};
