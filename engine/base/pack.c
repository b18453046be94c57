/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>

#include <zstd.h>

#include "engine/base/arena.h"
#include "engine/base/pack.h"

#define LEVEL       3 /* zstd's default; higher levels save only a few per cent of JSON */
#define SMALL_LEVEL 19
#define STEP_BYTES  65536

static void pack(const void *data, size_t len, int level, struct weir_text *out)
{
	size_t room = ZSTD_compressBound(len);
	char *frame = weir_alloc(room);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t size;

	if (!context ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)))
		weir_out_of_memory();
	size = ZSTD_compress2(context, frame, room, data, len);
	if (ZSTD_isError(size)) /* room and parameters are valid: memory ran out */
		weir_out_of_memory();
	weir_text_add(out, frame, size);
	ZSTD_freeCCtx(context);
	free(frame);
}

void weir_pack(const void *data, size_t len, struct weir_text *out)
{
	pack(data, len, LEVEL, out);
}

void weir_pack_small(const void *data, size_t len, struct weir_text *out)
{
	pack(data, len, SMALL_LEVEL, out);
}

void weir_pack_padding(size_t len, struct weir_text *out)
{
	size_t rest = len - WEIR_LEAST_PADDING;
	const uint32_t words[] = {ZSTD_MAGIC_SKIPPABLE_START, (uint32_t)rest};

	for (size_t i = 0; i < WEIR_LEAST_PADDING; i++) {
		char byte = (char)(words[i / 4] >> (8 * (i % 4)));

		weir_text_add(out, &byte, 1);
	}
	for (size_t i = 0; i < rest; i++)
		weir_text_add(out, "", 1);
}

/* Returns the length of the skippable frame at the beginning; 0: it has none, or a cut one. */
static size_t padding_at(const uint8_t *data, size_t len)
{
	uint64_t words[2] = {0, 0};

	for (size_t i = 0; len >= WEIR_LEAST_PADDING && i < WEIR_LEAST_PADDING; i++)
		words[i / 4] |= (uint64_t)data[i] << (8 * (i % 4));
	return words[0] == ZSTD_MAGIC_SKIPPABLE_START && words[1] <= len - WEIR_LEAST_PADDING
	               ? WEIR_LEAST_PADDING + (size_t)words[1]
	               : 0;
}

/* Decompresses in steps, and ignores the size that the frame states: it may be false. */
static enum weir_status unpack(ZSTD_DStream *stream, ZSTD_inBuffer *in, size_t limit,
                               struct weir_text *out, struct weir_error *err)
{
	const size_t start = out->length;
	char *step = weir_alloc(STEP_BYTES);
	enum weir_status status = WEIR_OK;
	size_t code = 1;

	while (!status && code != 0) {
		ZSTD_outBuffer to = {step, STEP_BYTES, 0};
		size_t before = in->pos;

		code = ZSTD_decompressStream(stream, &to, in);
		if (ZSTD_isError(code))
			status = weir_fail(err, WEIR_E_FORMAT, "%s", ZSTD_getErrorName(code));
		else if (code != 0 && to.pos == 0 && in->pos == before)
			status = weir_fail(err, WEIR_E_FORMAT, "the frame is truncated");
		else if (to.pos > limit - (out->length - start))
			status = weir_fail(err, WEIR_E_LIMIT, "more than %zu bytes", limit);
		else
			weir_text_add(out, step, to.pos);
	}
	free(step);
	return status;
}

enum weir_status weir_unpack(const void *packed, size_t len, size_t limit, struct weir_text *out,
                             struct weir_error *err)
{
	const size_t start = out->length;
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {packed, len, padding_at(packed, len)};
	enum weir_status status;

	if (!stream)
		weir_out_of_memory();
	status = unpack(stream, &in, limit, out, err);
	if (!status && in.pos != len)
		status = weir_fail(err, WEIR_E_FORMAT, "%zu bytes follow the frame", len - in.pos);
	if (status) {
		out->length = start;
		weir_text_add(out, "", 0);
	}
	ZSTD_freeDStream(stream);
	return status;
}
