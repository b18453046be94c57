/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as an input of any format, such as an archive with members of any format: inputs
 * with a path below that of the file, or an error with a message of one line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct weir_read_options options = {0};
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	enum weir_status status = weir_read_memory(profile, "fuzz", data, size, &options, &err);

	require(!status == !err.message[0]);
	require(!strchr(err.message, '\n'));
	require(!status == (profile->input_count > 0));
	for (size_t i = 0; i < profile->input_count; i++) {
		require(strncmp(profile->inputs[i].path, "fuzz", 4) == 0);
		require(profile->inputs[i].format != NULL);
	}
	weir_profile_free(profile);
	return 0;
}
