/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a database of Nsight Systems: a trace whose rows refer to what is there, or an error
 * that says why. */
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_trace(const struct weir_trace *trace)
{
	const struct weir_device_columns *device = &trace->device;
	const struct weir_host_columns *host = &trace->host;
	size_t names = weir_names_count(trace->names);

	for (size_t i = 0; i < device->count; i++) {
		require(device->start_ns[i] <= device->end_ns[i]);
		require(device->name[i] < names && device->device[i] < trace->device_count);
		require(device->stream[i] < trace->stream_count);
		require(device->launch[i] == WEIR_NONE || device->launch[i] < host->count);
	}
	for (size_t i = 0; i < host->count; i++) {
		require(host->start_ns[i] <= host->end_ns[i]);
		require(host->name[i] < names && host->thread[i] < trace->thread_count);
	}
	for (size_t i = 0; i < trace->sync_count; i++)
		require(trace->syncs[i].kind_name < names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_nsys.read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status)
			check_trace(input->trace);
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
