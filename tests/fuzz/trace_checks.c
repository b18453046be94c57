/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>

#include "tests/fuzz/trace_checks.h"

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_host(const struct weir_trace *trace)
{
	const struct weir_host_columns *host = &trace->host;

	for (size_t i = 0; i < host->count; i++) {
		require(host->start_ns[i] <= host->end_ns[i]);
		require(host->thread[i] < trace->thread_count);
		require(host->shape[i] < trace->shape_count);
		require(host->name[i] < weir_names_count(trace->names));
		if (!i || host->thread[i] != host->thread[i - 1]) {
			require(!i || host->thread[i] > host->thread[i - 1]);
			continue;
		}
		require(host->start_ns[i - 1] <= host->start_ns[i]);
		require(host->start_ns[i - 1] < host->start_ns[i] ||
		        host->end_ns[i - 1] >= host->end_ns[i]);
	}
}

static void check_device(const struct weir_trace *trace)
{
	const struct weir_device_columns *rows = &trace->device;

	for (size_t i = 0; i < rows->count; i++) {
		require(rows->start_ns[i] <= rows->end_ns[i]);
		require(rows->stream[i] < trace->stream_count);
		require(rows->device[i] < trace->device_count);
		require(trace->streams[rows->stream[i]].device == rows->device[i]);
		require(rows->launch[i] == WEIR_NONE || rows->launch[i] < trace->host.count);
		require(rows->launch[i] == WEIR_NONE ||
		        trace->host.kind[rows->launch[i]] == WEIR_HOST_API);
		if (i && rows->device[i] == rows->device[i - 1])
			require(rows->start_ns[i - 1] <= rows->start_ns[i]);
		else
			require(!i || rows->device[i] > rows->device[i - 1]);
	}
}

static void check_rest(const struct weir_input *input)
{
	const struct weir_trace *trace = input->trace;

	for (size_t i = 0; i < trace->collective_count; i++)
		require(trace->collectives[i].device_row == WEIR_NONE ||
		        trace->collectives[i].device_row < trace->device.count);
	for (size_t i = 0; i < trace->flow_count; i++)
		require(trace->flows[i].thread < trace->thread_count);
	for (size_t i = 0; i < trace->sync_count; i++)
		require(trace->syncs[i].kind_name < weir_names_count(trace->names));
	for (size_t i = 0; input->telemetry && i < input->telemetry->count; i++)
		require(input->telemetry->samples[i].device < input->telemetry->device_count);
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		require(input->warnings[i].detail[sizeof(input->warnings[i].detail) - 1] == '\0');
}

void trace_checks_input(const struct weir_input *input)
{
	check_host(input->trace);
	check_device(input->trace);
	check_rest(input);
}

void trace_checks_run(const struct weir_reader *reader, const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = reader->read(source, input, &err);

		require(!status == !err.message[0]);
		require(status || input->trace || input->run || input->requests);
		if (!status && input->trace)
			trace_checks_input(input);
		weir_source_free(source);
	}
	weir_profile_free(profile);
}
