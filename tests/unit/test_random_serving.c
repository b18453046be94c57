/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of the requests of pseudo-random servers, against tests/data/random_serving: batches that
 * a simulated server forms under loads near and beyond its limits, and tables with parts of any
 * kind, order and length. `WEIR_UPDATE_SERVING=1 test_random_serving` rewrites the files. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/analysis/rank/features.h"
#include "engine/analysis/requests/serving.h"
#include "tests/unit/make_server.h"
#include "tests/unit/near.h"
#include "tests/unit/record.h"

#define ROUNDS 40
#define MS     INT64_C(1000000)

static int64_t any(uint64_t *seed, const int *list, size_t count)
{
	return list[next_number(seed) % count];
}

#define ANY(...)                                                                                   \
	any(seed, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static struct weir_requests *draw_server(uint64_t *seed)
{
	struct server_load load = {0};

	/* One statement each: the order of initializers is not defined. */
	load.requests = (size_t)ANY(1, 7, 40, 150, 150, 300);
	load.interval_ns = MS * ANY(1, 2, 4, 40, 200) / 10;
	load.burst = (size_t)ANY(0, 0, 2, 8);
	load.window_ns = MS * ANY(0, 0, 1, 20);
	load.largest = ANY(1, 4, 8, 32);
	load.before_ns = MS * ANY(0, 1, 10) / 10;
	load.after_ns = MS * ANY(0, 1, 10) / 10;
	load.assembly_ns = MS * ANY(0, 1, 5) / 10;
	load.copy_ns = MS * ANY(0, 1, 30) / 10;
	load.interference = ANY(0, 0, 0, 2, 4);
	load.step_ns = MS * ANY(1, 2, 5);
	load.row_ns = MS * ANY(0, 1, 5) / 10;
	load.offsets = ANY(0, 1) == 1;
	load.unstated_batches = ANY(0, 0, 1) == 1;
	if (ANY(0, 1)) {
		load.tokens = ANY(10, 100);
		load.padded_tokens = load.tokens + ANY(0, 4, 60);
	}
	return make_server(&load);
}

static void draw_parts(uint64_t *seed, struct weir_requests *table, int64_t latency_ns,
                       bool offsets)
{
	static const char *const names[] = {"parse",   "queue", "batch_assembly", "h2d",
	                                    "compute", "d2h",   "postprocess",    "secret"};
	int64_t parts = ANY(0, 1, 3, 8);

	for (int64_t p = 0; p < parts; p++) {
		const char *name = names[next_number(seed) % 8];
		uint8_t stage = weir_requests_stage(table, name, strlen(name));
		int64_t share = ANY(0, 1, 2, 5), ns = share * latency_ns / ANY(4, 10, 20);

		if (offsets)
			weir_requests_add_part_at(table, stage, ANY(0, 1, 3) * latency_ns / 4, ns);
		else
			weir_requests_add_part(table, stage, ns);
	}
}

static struct weir_requests *draw_table(uint64_t *seed)
{
	struct weir_requests *table = weir_requests_new();
	int64_t count = ANY(1, 2, 20, 60), now_ns = 5000 * MS;
	bool offsets = ANY(0, 1), batched = ANY(0, 1);

	table->time_base = (enum weir_time_base)ANY(WEIR_TIME_NONE, WEIR_TIME_UNIX, WEIR_TIME_UNIX,
	                                            WEIR_TIME_MONOTONIC);
	table->client = ANY(0, 0, 0, 1);
	table->sampled = ANY(0, 0, 0, 1);
	table->failed = (uint64_t)ANY(0, 0, 3);
	for (int64_t i = 0; i < count; i++) {
		struct weir_request request = weir_request_unknown();

		now_ns += ANY(0, 1, 5, 20) * MS / 2;
		request.start_ns = now_ns;
		request.end_ns = now_ns + ANY(0, 4, 8, 8, 9, 80) * MS;
		request.batch_size = batched ? ANY(1, 2, 4) : -1;
		request.tokens = ANY(-1, 10, 100);
		request.padded_tokens = ANY(-1, 100, 128);
		request.output_tokens = ANY(-1, 5);
		draw_parts(seed, table, request.end_ns - request.start_ns, offsets);
		weir_requests_add(table, &request);
	}
	weir_requests_finish(table);
	return table;
}

/* ---- the record ---- */

static void add_stages(struct weir_text *out, const struct weir_serving *serving)
{
	const struct weir_requests *requests = serving->requests;

	for (size_t s = 0; s < requests->stage_count; s++) {
		size_t stage = serving->order[s];

		weir_text_printf(out, "stage %s: %s, class %d, %.9g ns\n",
		                 weir_requests_stage_name(requests, stage), serving->kinds[stage],
		                 (int)serving->classes[stage], serving->total_ns[stage]);
	}
	weir_text_printf(out, "outside: %.9g ns\n", serving->total_ns[requests->stage_count]);
}

static void add_load(struct weir_text *out, const struct weir_load *load)
{
	int64_t span_ns = load->end_ns - load->start_ns;

	weir_text_printf(out, "load of %" PRId64 " ns:", span_ns);
	for (int r = 0; r < WEIR_RESOURCES; r++)
		weir_text_printf(out, " %d %.9g", (int)load->order[r], load->share[r]);
	for (int tenth = 0; tenth < 10; tenth += 3) {
		struct weir_wait wait =
			weir_load_split(load, load->start_ns + span_ns * tenth / 10,
		                        load->start_ns + span_ns * (tenth + 2) / 10);

		weir_text_printf(out, "; %" PRId64, wait.idle_ns);
		for (int r = 0; r < WEIR_RESOURCES; r++)
			weir_text_printf(out, " %" PRId64, wait.behind_ns[r]);
	}
	weir_text_puts(out, "\n");
}

static void add_batches(struct weir_text *out, const struct weir_serving *serving)
{
	const struct weir_batch_figures *all = &serving->batches;

	weir_text_printf(out, "sizes %.9g %.9g %.9g %.9g %.9g %.9g\n", all->sizes.mean,
	                 all->sizes.p50, all->sizes.p90, all->sizes.p95, all->sizes.p99,
	                 all->sizes.max);
	weir_text_printf(out, "fill %.9g, flat %.9g, tokens %.9g, waste %.9g, coverage %.9g\n",
	                 all->fill, all->flat_step_ratio, all->step_tokens, all->padding_waste,
	                 all->coverage);
	weir_text_printf(out, "slowdown %.9g, stolen %.9g\n", serving->contention.slowdown,
	                 serving->contention.stolen);
}

static void add_bands(struct weir_text *out, const struct weir_serving *serving)
{
	for (int b = 0; b < WEIR_AT_COUNT; b++) {
		const struct weir_band *band = &serving->band[b];

		weir_text_printf(out, "band %g: %" PRIu64 " of %.9g ns\n", band->percentile,
		                 band->requests, band->total_ns);
		for (size_t s = 0; s <= serving->requests->stage_count; s++) {
			if (!(weir_band_stage_share(band, s) > 0))
				continue;
			weir_text_printf(out, "  %zu:", s);
			for (int i = 0; i < WEIR_SPENT_COUNT; i++)
				weir_text_printf(out, " %.9g", band->spent_ns[s][i]);
			weir_text_puts(out, "\n");
		}
	}
}

static void describe(unsigned round, struct weir_text *out)
{
	static const struct weir_slo limits[] = {{"stage:request", WEIR_METRIC_P99, 8e6},
	                                         {"stage:compute", WEIR_METRIC_P99, 4e6},
	                                         {"stage:comp*", WEIR_METRIC_P99, 6e6}};
	uint64_t state = 300 + round, *seed = &state;
	struct weir_profile *profile = weir_profile_new();
	struct weir_settings settings = weir_no_settings;
	double values[WEIR_F_COUNT];
	struct weir_serving *serving;

	for (int64_t inputs = ANY(1, 1, 1, 2); inputs > 0; inputs--)
		weir_profile_add_input(profile, "requests")->requests =
			round % 2 ? draw_table(seed) : draw_server(seed);
	settings.slos = limits;
	settings.slo_count = (size_t)ANY(0, 1, 3);
	serving = weir_serving_new(profile, (double)ANY(50, 90, 95, 99) / 100, &settings);
	assert_non_null(serving);
	weir_text_printf(out, "%zu requests, %zu left out, %d sampled, %d known, good %.9g, %.9g\n",
	                 serving->requests->count, serving->left_out, serving->sampled,
	                 serving->waiting_known, serving->goodput,
	                 weir_serving_concurrency(serving));
	add_stages(out, serving);
	add_load(out, &serving->load);
	add_batches(out, serving);
	add_bands(out, serving);
	weir_features_clear(values);
	weir_serving_features(serving, values);
	for (size_t f = 0; f < WEIR_F_COUNT; f++)
		if (!isnan(values[f]))
			weir_text_printf(out, "%s %.9g\n", weir_features.items[f].id, values[f]);
	weir_serving_free(serving);
	weir_profile_free(profile);
}

static void random_requests_keep_every_figure(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct weir_text text = {0};
		char path[64];

		(void)snprintf(path, sizeof path, "tests/data/random_serving/%u.txt", round);
		describe(round, &text);
		record_check(path, &text, "WEIR_UPDATE_SERVING");
		weir_text_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_requests_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
