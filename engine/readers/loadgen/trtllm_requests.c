/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of trtllm-bench, --request_json: nanoseconds of a monotonic clock, -1 where unset.
 */
#include "engine/readers/loadgen/client_records.h"
#include "engine/readers/loadgen/trtllm.h"

static const struct weir_client_field fields[] = {
	WEIR_CLIENT_WHOLE(sent_ns, "start_timestamp"),
	WEIR_CLIENT_WHOLE(first_token_ns, "first_token_timestamp"),
	WEIR_CLIENT_WHOLE(end_ns, "end_timestamp"),
	WEIR_CLIENT_WHOLE(input_tokens, "num_input_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "num_output_tokens"),
	{0},
};

enum weir_status weir_trtllm_requests(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	static const struct weir_client_format format = {.fields = fields};

	return weir_client_records_read(&format, source, input, err);
}
