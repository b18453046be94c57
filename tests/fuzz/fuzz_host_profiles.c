/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs any bytes through every reader of host profiles: nodes have existing parents and weights
 * that add up, or there is an error with a message. Then sums by function: no function takes more
 * than the total.
 */
#include <stdint.h>
#include <stdlib.h>

#include "engine/analysis/rows/host_functions.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_profile(const struct weir_host_profile *profile)
{
	require(profile->node_count > 0 && profile->node_count <= WEIR_MAX_HOST_NODES);
	require(profile->total >= 0 && profile->idle >= 0);
	require(profile->total > 0 || profile->idle > 0);
	for (size_t i = 1; i < profile->node_count; i++) {
		require(profile->nodes[i].parent < i);
		require(profile->nodes[i].frame < profile->frame_count);
		require(profile->nodes[i].self >= 0);
	}
	for (size_t i = 0; i < profile->function_count; i++)
		require(profile->functions[i].frame < profile->frame_count);
	for (size_t i = 0; i < profile->frame_count; i++)
		require(profile->frames[i].function < weir_names_count(profile->names) &&
		        profile->frames[i].file < weir_names_count(profile->names));
}

static void check_functions(const struct weir_host_profile *profile)
{
	struct weir_host_function *functions = weir_host_functions(profile);

	for (size_t i = 0; i < profile->frame_count; i++) {
		require(functions[i].self >= 0 && functions[i].self <= profile->total);
		if (!profile->function_count)
			require(functions[i].total >= functions[i].self &&
			        functions[i].total <= profile->total);
	}
	free(functions);
}

static void read_with(const struct weir_reader *reader, const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	require(weir_sniff_reader(reader, (const char *)data, size) >= 0);
	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = reader->read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status) {
			check_profile(input->host_profile);
			check_functions(input->host_profile);
		}
		weir_source_free(source);
	}
	weir_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_with(&weir_reader_cprofile, data, size);
	read_with(&weir_reader_cprofile_text, data, size);
	read_with(&weir_reader_folded, data, size);
	read_with(&weir_reader_perf_report, data, size);
	read_with(&weir_reader_perf_script, data, size);
	read_with(&weir_reader_pprof_top, data, size);
	read_with(&weir_reader_speedscope, data, size);
	return 0;
}
