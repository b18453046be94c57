/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through `weir baseline import`: a document is refused, or read, written and
 * read again with the same result. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct weir_baseline *read_bytes(const void *data, size_t size)
{
	struct weir_baseline *baseline = NULL;
	struct weir_source *source;
	struct weir_error err = {0};

	if (weir_source_open_memory("input", data, size, &source, &err))
		return NULL;
	if (weir_baseline_read(source, &baseline, &err) && (baseline || !err.message[0]))
		abort();
	weir_source_free(source);
	return baseline;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_baseline *baseline = read_bytes(data, size), *again;
	struct weir_text first = {0}, second = {0};

	if (!baseline)
		return 0;
	weir_baseline_write(baseline, &first);
	again = read_bytes(first.data, first.length);
	if (!again)
		abort();
	weir_baseline_write(again, &second);
	if (strcmp(first.data, second.data) != 0)
		abort();
	weir_text_release(&first);
	weir_text_release(&second);
	weir_baseline_free(again);
	weir_baseline_free(baseline);
	return 0;
}
