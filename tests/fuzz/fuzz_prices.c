/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of price lists: prices above 0 for whole GPUs within the
 * limits, or an error with a message. */
#include <math.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

static void check(const struct weir_input *input)
{
	const struct weir_billing *billing = input->billing;
	require(billing->price_count > 0 && billing->price_count <= WEIR_MAX_PRICES);
	require(billing->charge_count == 0);
	for (size_t i = 0; i < billing->price_count; i++) {
		const struct weir_instance_price *price = &billing->prices[i];

		require(price->instance_type && price->currency);
		require(price->per_hour > 0 && isfinite(price->per_hour));
		require(price->gpus >= 1 && price->gpus == floor(price->gpus));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_prices, data, size, check);
	return 0;
}
