/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of price lists: prices above 0 for whole GPUs within the limits, or
 * an error that says why. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check(const struct weir_billing *billing)
{
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
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	require(weir_reader_prices.sniff((const char *)data, size) >= 0);
	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_prices.read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status)
			check(input->billing);
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
