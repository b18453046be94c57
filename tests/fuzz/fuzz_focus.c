/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of billing exports: charges with finite costs over periods of time,
 * or an error that says why. */
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
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	require(weir_reader_focus.sniff((const char *)data, size) >= 0);
	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_focus.read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status)
			check(input->billing);
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
