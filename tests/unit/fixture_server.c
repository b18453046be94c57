/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/fixture_server.h"
#include "tests/unit/make_scrape.h"

void server_bench_init(struct server_bench *bench)
{
	*bench = (struct server_bench){.profile = weir_profile_new(), .arena = weir_arena_new()};
}

void server_bench_release(struct server_bench *bench)
{
	weir_ruleset_free(bench->rules);
	weir_profile_free(bench->profile);
	weir_arena_free(bench->arena);
}

struct weir_server_log *add_server_log(struct server_bench *bench, enum weir_server_product product)
{
	struct weir_server_log *log = weir_server_log_new(product);

	weir_profile_add_input(bench->profile, "log")->server = log;
	log->clock = WEIR_SERVER_CLOCK_UNIX;
	weir_server_log_engine(log, "000", 3);
	return log;
}

void add_server_page(struct server_bench *bench, const char *text)
{
	scrape_of(&weir_reader_prometheus, bench->profile, text);
}

const struct weir_server_figures *server_figures_of(struct server_bench *bench, double requests)
{
	const struct weir_server_figures *figures =
		weir_server_figures_of(bench->profile, requests, bench->arena);

	assert_non_null(figures);
	return figures;
}

/* Judges the figures by the rules about servers, and returns the cause; "": no rule holds. */
const char *server_cause_of(struct server_bench *bench, const struct weir_server_figures *figures)
{
	const struct weir_subject subject = {WEIR_SUBJECT_SERVER, NULL, bench->values};
	const double shares[WEIR_BOUND_COUNT] = {0};
	struct weir_error err = {0};

	if (!bench->rules &&
	    weir_ruleset_load_embedded(&weir_features, &bench->rules, &err) != WEIR_OK)
		fail_msg("%s", err.message);
	weir_features_clear(bench->values);
	weir_server_features(figures, bench->values);
	weir_ruleset_judge(bench->rules, &subject, shares, &bench->verdict, NULL);
	return bench->verdict.cause ? bench->verdict.cause : "";
}

/* Appends an interval of ten seconds. */
struct weir_server_row *add_server_interval(struct weir_server_log *log, uint32_t engine,
                                            int32_t running, int32_t waiting, double kv)
{
	struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_INTERVAL);

	row.at_ns = START + (int64_t)log->count * TEN_S;
	row.engine = engine;
	row.running = running;
	row.waiting = waiting;
	row.kv_usage = kv;
	row.prompt_rate = 1000;
	row.decode_rate = 500;
	weir_server_log_add(log, &row);
	return &log->rows[log->count - 1];
}

struct weir_server_row *add_server_step(struct weir_server_log *log, int32_t prefill,
                                        int32_t decodes, double ms)
{
	struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_STEP);

	row.duration_ns = (int64_t)(ms * 1e6);
	row.at_ns = (log->count ? log->rows[log->count - 1].at_ns : START) + row.duration_ns;
	row.prefill_tokens = prefill;
	row.prefill_requests = prefill > 0;
	row.decode_requests = row.decode_tokens = decodes;
	row.running = decodes + row.prefill_requests;
	row.waiting = 0;
	row.kv_usage = 0.3;
	weir_server_log_add(log, &row);
	return &log->rows[log->count - 1];
}
