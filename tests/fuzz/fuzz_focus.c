/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of billing exports: charges with finite costs over periods
 * of time, or an error with a message. */
#include <math.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

static void check(const struct weir_input *input)
{
	const struct weir_billing *billing = input->billing;
	size_t names = weir_names_count(billing->names);

	require(billing->charge_count > 0 && billing->price_count == 0);
	require(billing->currency < names);
	for (size_t i = 0; i < billing->charge_count; i++) {
		const struct weir_charge *charge = &billing->charges[i];

		require(charge->start_ns < charge->end_ns);
		require(isfinite(charge->cost) && !isinf(charge->quantity));
		require(charge->unit < names && charge->meter < names);
		require(charge->sku < names && charge->description < names);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_focus, data, size, check);
	return 0;
}
