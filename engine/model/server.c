/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/model/server.h"
#include "engine/model/telemetry.h"

struct weir_server_log *weir_server_log_new(enum weir_server_product product)
{
	struct weir_server_log *log = weir_alloc(sizeof *log);

	log->product = product;
	log->names = weir_names_new();
	log->settings = (struct weir_server_settings){-1, -1, -1, -1, -1, NAN};
	return log;
}

void weir_server_log_free(struct weir_server_log *log)
{
	if (!log)
		return;
	weir_names_free(log->names);
	free(log->rows);
	free(log);
}

struct weir_server_row weir_server_row_unknown(enum weir_server_kind kind)
{
	return (struct weir_server_row){
		.at_ns = WEIR_NO_TIME,
		.duration_ns = -1,
		.kind = (uint8_t)kind,
		.prefill_requests = -1,
		.prefill_tokens = -1,
		.decode_requests = -1,
		.decode_tokens = -1,
		.cached_tokens = -1,
		.running = -1,
		.waiting = -1,
		.preempted = -1,
		.drafted = -1,
		.accepted = -1,
		.kv_usage = NAN,
		.prompt_rate = NAN,
		.decode_rate = NAN,
		.accept_length = NAN,
		.hit_rate = NAN,
	};
}

void weir_server_log_add(struct weir_server_log *log, const struct weir_server_row *row)
{
	if (log->count >= WEIR_MAX_SERVER_ROWS) {
		log->left_out++;
		return;
	}
	log->rows = weir_grow(log->rows, &log->capacity, log->count + 1, sizeof *log->rows);
	log->rows[log->count++] = *row;
}

uint32_t weir_server_log_engine(struct weir_server_log *log, const char *name, size_t len)
{
	uint32_t id = weir_names_add(log->names, name, len);

	for (size_t i = 0; i < log->engine_count; i++)
		if (log->engines[i] == id)
			return (uint32_t)i;
	if (log->engine_count < WEIR_MAX_SERVER_ENGINES)
		log->engines[log->engine_count++] = id;
	return (uint32_t)(log->engine_count - 1);
}

const char *weir_server_log_engine_name(const struct weir_server_log *log, size_t engine)
{
	return weir_names_text(log->names, log->engines[engine]);
}
