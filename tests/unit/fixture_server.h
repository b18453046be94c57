/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made logs and pages of a server, their figures, and the cause that the rules give. */
#ifndef WEIR_TESTS_UNIT_FIXTURE_SERVER_H
#define WEIR_TESTS_UNIT_FIXTURE_SERVER_H

#include "engine/analysis/rank/features.h"
#include "engine/analysis/server/figures.h"
#include "engine/model/server.h"
#include "rules/evaluate.h"
#include "rules/ruleset.h"

#define SECOND INT64_C(1000000000)
#define START  (INT64_C(1700000000) * SECOND)
#define TEN_S  (10 * SECOND)

struct server_bench {
	struct weir_profile *profile;
	struct weir_arena *arena;
	struct weir_ruleset *rules;
	double values[WEIR_F_COUNT];
	struct weir_verdict verdict;
};

void server_bench_init(struct server_bench *bench);
void server_bench_release(struct server_bench *bench);
/* Adds a log in Unix time with the engine "000". */
struct weir_server_log *add_server_log(struct server_bench *bench,
                                       enum weir_server_product product);
void add_server_page(struct server_bench *bench, const char *text);
/* requests: their number in the profile, or NAN. */
const struct weir_server_figures *server_figures_of(struct server_bench *bench, double requests);
/* Judges the figures by the rules about servers, and returns the cause; "": no rule holds. */
const char *server_cause_of(struct server_bench *bench, const struct weir_server_figures *figures);
/* Appends a step that ends right behind the last one; valid until the next call. */
struct weir_server_row *add_server_step(struct weir_server_log *log, int32_t prefill,
                                        int32_t decodes, double ms);
/* Appends an interval of ten seconds; valid until the next call. */
struct weir_server_row *add_server_interval(struct weir_server_log *log, uint32_t engine,
                                            int32_t running, int32_t waiting, double kv);

#endif
