/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs any bytes through every reader of device monitors: samples of existing devices with possible
 * values, or an error with a message. Then computes the figures over the samples.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/analysis/requests/telemetry.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_telemetry(const struct weir_telemetry *telemetry)
{
	require(telemetry->count > 0 && telemetry->count <= WEIR_MONITOR_MAX_SAMPLES);
	require(telemetry->device_count > 0);
	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];

		require(sample->device < telemetry->device_count);
		require(sample->at_ns == WEIR_NO_TIME || sample->at_ns >= 0);
		for (size_t j = 0; j < WEIR_GAUGE_COUNT; j++)
			require(isnan(sample->value[j]) || isfinite(sample->value[j]));
		require(!(sample->value[WEIR_GAUGE_UTILIZATION] > 1) &&
		        !(sample->value[WEIR_GAUGE_UTILIZATION] < 0));
	}
}

static void check_figures(const struct weir_profile *profile, int64_t start_ns, int64_t end_ns)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_telemetry_figures figures;

	weir_telemetry_figures(profile, start_ns, end_ns, arena, &figures);
	require(figures.samples > 0 && figures.devices > 0);
	require(figures.span_ns >= 0);
	require(!(figures.power_capped > 1) && !(figures.power_capped < 0));
	require(!(figures.thermal_capped > 1) && !(figures.thermal_capped < 0));
	require(!(figures.utilization > 1));
	weir_arena_free(arena);
}

static void read_with(const struct weir_reader *reader, const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		const char *head = NULL;
		size_t len = 0;

		if (!weir_source_head(source, &head, &len, &err))
			require(weir_sniff_reader(reader, head, len) >= 0);
		enum weir_status status = reader->read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status) {
			check_telemetry(input->telemetry);
			check_figures(profile, 0, 0);
			check_figures(profile, INT64_C(1767600000000000000),
			              INT64_C(1767700000000000000));
		}
		weir_source_free(source);
	}
	weir_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_with(&weir_reader_smi_query, data, size);
	read_with(&weir_reader_smi_dmon, data, size);
	read_with(&weir_reader_smi_overview, data, size);
	read_with(&weir_reader_smi_pmon, data, size);
	read_with(&weir_reader_smi_report, data, size);
	read_with(&weir_reader_dcgmi, data, size);
	read_with(&weir_reader_amd, data, size);
	read_with(&weir_reader_tegrastats, data, size);
	read_with(&weir_reader_gpustat, data, size);
	read_with(&weir_reader_hl_smi, data, size);
	read_with(&weir_reader_npu_smi, data, size);
	read_with(&weir_reader_xpu_smi, data, size);
	read_with(&weir_reader_gpu_log, data, size);
	return 0;
}
