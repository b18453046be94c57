/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the rows of a server log, and compares them with a text. */
#ifndef WEIR_TESTS_UNIT_SERVER_ROWS_H
#define WEIR_TESTS_UNIT_SERVER_ROWS_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/model/telemetry.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

static inline void server_rows_count(struct weir_text *text, const char *name, int64_t value)
{
	if (value >= 0)
		weir_text_printf(text, " %s=%" PRId64, name, value);
}

static inline void server_rows_figure(struct weir_text *text, const char *name, double value)
{
	if (!isnan(value))
		weir_text_printf(text, " %s=%g", name, value);
}

static inline void server_rows_print(struct weir_text *text, const struct weir_server_log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		const struct weir_server_row *row = &log->rows[i];

		weir_text_printf(text, "%s \"%s\"",
		                 row->kind == WEIR_SERVER_STEP ? "step" : "interval",
		                 weir_server_log_engine_name(log, row->engine));
		if (row->at_ns != WEIR_NO_TIME)
			weir_text_printf(text, " at=%" PRId64, row->at_ns / 1000000);
		server_rows_count(text, "ns", row->duration_ns);
		server_rows_count(text, "prefills", row->prefill_requests);
		server_rows_count(text, "prompt", row->prefill_tokens);
		server_rows_count(text, "decodes", row->decode_requests);
		server_rows_count(text, "tokens", row->decode_tokens);
		server_rows_count(text, "cached", row->cached_tokens);
		server_rows_count(text, "running", row->running);
		server_rows_count(text, "waiting", row->waiting);
		server_rows_count(text, "preempted", row->preempted);
		server_rows_count(text, "drafted", row->drafted);
		server_rows_count(text, "accepted", row->accepted);
		server_rows_figure(text, "kv", row->kv_usage);
		server_rows_figure(text, "in", row->prompt_rate);
		server_rows_figure(text, "out", row->decode_rate);
		server_rows_figure(text, "length", row->accept_length);
		server_rows_figure(text, "hits", row->hit_rate);
		weir_text_puts(text, "\n");
	}
}

static inline void server_rows_expect(const struct weir_reader *reader, const char *log,
                                      const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	server_rows_print(&text, reading_of(reader, log, profile)->server);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static inline void server_rows_expect_warned(const struct weir_reader *reader, const char *log,
                                             enum weir_warning_code code, uint64_t count)
{
	struct weir_profile *profile = weir_profile_new();

	assert_int_equal(reading_of(reader, log, profile)->warnings[code].count, count);
	weir_profile_free(profile);
}

/* Expects "running,step_tokens,kv_tokens,draft,chunked,share,starts,clock". */
static inline void server_rows_expect_settings(const struct weir_reader *reader, const char *log,
                                               const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_server_log *server = reading_of(reader, log, profile)->server;
	const struct weir_server_settings *settings = &server->settings;
	struct weir_text text = {0};

	weir_text_printf(&text, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%g,%d,%d",
	                 settings->max_running, settings->max_step_tokens, settings->kv_tokens,
	                 settings->draft_tokens, settings->chunked_prefill,
	                 isnan(settings->memory_share) ? -1 : settings->memory_share,
	                 (int)server->starts, (int)server->clock);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
	weir_profile_free(profile);
}

#endif
