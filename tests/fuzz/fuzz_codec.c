/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes and encodes samples. The input as a blob is refused or decoded; the input as doubles
 * comes back bit for bit. The first two bytes are the number of values that the blob claims to
 * hold.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/codec.h"
#include "engine/base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(const uint8_t *data, size_t size)
{
	size_t count = data[0] | (size_t)data[1] << 8;
	double *values = weir_alloc((count + 1) * sizeof(*values));

	(void)weir_codec_decode(data + 2, size - 2, 0, values, count, NULL);
	free(values);
}

static void round_trip(const uint8_t *data, size_t size)
{
	size_t count = size / sizeof(double);
	double *values = weir_alloc((count + 1) * sizeof(*values));
	double *back = weir_alloc((count + 1) * sizeof(*back));
	struct weir_text blob = {0};

	memcpy(values, data, count * sizeof(*values));
	if (weir_codec_encode(values, count, size, &blob, NULL) ||
	    weir_codec_decode(blob.data, blob.length, size, back, count, NULL) ||
	    memcmp(values, back, count * sizeof(*values)) != 0)
		abort();
	weir_text_release(&blob);
	free(values);
	free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	decode(data, size);
	round_trip(data, size);
	return 0;
}
