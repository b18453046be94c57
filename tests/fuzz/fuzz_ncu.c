/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of Nsight Compute: possible counters and findings of
 * existing kernels, or an error with a message. Then classifies the kernels. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/analysis/counters/counters.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_counters(const struct weir_counters *counters)
{
	require(counters->count > 0 && counters->count <= WEIR_MAX_COUNTED_KERNELS);
	for (size_t i = 0; i < counters->count; i++) {
		const struct weir_counted_kernel *kernel = &counters->kernels[i];

		require(kernel->name < weir_names_count(counters->names));
		require(kernel->device < weir_names_count(counters->names));
		require(kernel->duration_ns >= -1);
		for (size_t c = 0; c < WEIR_COUNTER_COUNT; c++)
			require(isnan(kernel->value[c]) || kernel->value[c] >= 0);
	}
	for (size_t i = 0; i < counters->finding_count; i++) {
		require(counters->findings[i].kernel < counters->count);
		require(counters->findings[i].text < weir_names_count(counters->names));
	}
}

static void check_groups(const struct weir_profile *profile)
{
	struct weir_counted *counted = weir_counted_new(profile);
	size_t launches = 0;

	require(counted && counted->count > 0);
	for (size_t i = 0; i < counted->count; i++) {
		require(!i || counted->items[i].sum_ns <= counted->items[i - 1].sum_ns);
		require(counted->items[i].count <= counted->items[i].launch_count);
		launches += counted->items[i].launch_count;
	}
	require(launches == counted->launch_count);
	weir_counted_free(counted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	require(weir_sniff_reader(&weir_reader_ncu, (const char *)data, size) >= 0);
	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_ncu.read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status) {
			check_counters(input->counters);
			check_groups(profile);
		}
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
