/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of tables of nvprof: a run of finite figures, or an
 * error with a message. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/parts/figures.h"
#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_nvprof.read(source, input, &err);

		require(!status == !err.message[0]);
		require(!status == (input->run != NULL));
		for (size_t i = 0; !status && i < input->run->metrics.count; i++) {
			const struct weir_series *series = &input->run->metrics.items[i];

			require(series->count == 1 && isfinite(series->value[0]));
			require(series->value[0] >= 0);
		}
		require(status || (input->run->metrics.count > 0 &&
		                   input->run->metrics.count <= WEIR_FIGURE_MAX));
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
