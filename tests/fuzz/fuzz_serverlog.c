/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the readers of server logs: rows of existing engines with possible values,
 * or an error with a message. */
#include <math.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

static void check_share(double value)
{
	require(isnan(value) || (value >= 0 && value <= 1));
}

static void check_rate(double value)
{
	require(isnan(value) || (isfinite(value) && value >= 0));
}

static void check(const struct weir_input *input)
{
	const struct weir_server_log *log = input->server;

	require(log->count > 0 && log->count <= WEIR_MAX_SERVER_ROWS);
	for (size_t i = 0; i < log->count; i++) {
		const struct weir_server_row *row = &log->rows[i];

		require(row->engine < log->engine_count && row->duration_ns >= -1);
		require(row->running >= -1 && row->waiting >= -1 && row->preempted >= -1);
		check_share(row->kv_usage);
		check_share(row->hit_rate);
		check_rate(row->prompt_rate);
		check_rate(row->decode_rate);
		check_rate(row->accept_length);
	}
}

static void check_requests(const struct weir_input *input)
{
	const struct weir_requests *requests = input->requests;

	require(requests->count > 0 && requests->parts == 2 * requests->count);
	for (size_t i = 0; i < requests->count; i++) {
		require(requests->start_ns[i] == 0 && requests->end_ns[i] >= 0);
		require(requests->tokens[i] >= -1 && requests->output_tokens[i] >= -1);
		require(requests->first_token_ns[i] <= requests->end_ns[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_vllm_log, data, size, check);
	fuzz_reader(&weir_reader_sglang_log, data, size, check);
	fuzz_reader(&weir_reader_trtllm_log, data, size, check);
	fuzz_reader(&weir_reader_llama_log, data, size, check_requests);
	return 0;
}
