/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_store FOLDER [RUNS [CEILING_MS]]: measures the time of recording a run, beyond reading it,
 * and of reading a baseline back. A run has 200 operators with 1,000 samples each, times and calls,
 * and 4 stages. Fails if recording takes longer than the ceiling on average.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baselines/store.h"
#include "engine/base/text.h"

#define OPERATORS 200
#define STAGES    4
#define SAMPLES   1000

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* A linear congruential generator (D. E. Knuth, MMIX): noise of about 3 % on whole nanoseconds. */
static void fill(struct weir_series *series, double base, uint64_t *seed)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		weir_series_push(series, base + (double)(*seed >> 33) * base * 0.03 / 2147483648.0);
		series->value[i] = (double)(int64_t)series->value[i];
	}
}

static struct weir_run *make_run(uint64_t number)
{
	struct weir_run *run = weir_run_new();
	uint64_t seed = number;
	char name[32];

	for (int i = 0; i < STAGES; i++) {
		snprintf(name, sizeof(name), "stage%d", i);
		fill(weir_series_get(&run->stages, name), 3e6, &seed);
	}
	for (int i = 0; i < OPERATORS; i++) {
		snprintf(name, sizeof(name), "stage%d/operator%d", i % STAGES, i);
		fill(weir_series_get(&run->operators, name), 20000 + i * 500, &seed);
		fill(weir_series_get(&run->calls, name), 12, &seed);
	}
	weir_run_set_label(run, "gpu", "NVIDIA H200");
	return run;
}

static int say(const struct weir_error *err)
{
	fprintf(stderr, "%s\n", err->message);
	return 1;
}

/* Records each run by a separate call, as a CI job does; *mean_ms is the mean time of a call. */
static enum weir_status record(struct weir_store *store, size_t runs, double *mean_ms,
                               struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	double total = 0;

	for (size_t i = 0; !status && i < runs; i++) {
		struct weir_baseline *baseline = weir_baseline_new("bench");
		struct weir_store_counts counts;
		double start;

		weir_baseline_take(baseline, make_run(i), "2026-11-20T14:00:00Z");
		start = now_ms();
		status = weir_store_record(store, baseline, &counts, err);
		total += now_ms() - start;
		weir_baseline_free(baseline);
	}
	*mean_ms = total / (double)runs;
	return status;
}

static enum weir_status load(struct weir_store *store, double *ms, struct weir_error *err)
{
	struct weir_store_query query = {.name = "bench", .newest = 10};
	struct weir_baseline *baseline;
	double start = now_ms();
	enum weir_status status = weir_store_load(store, &query, &baseline, err);

	*ms = now_ms() - start;
	if (!status)
		weir_baseline_free(baseline);
	return status;
}

static bool parse(const char *text, int64_t *out)
{
	return weir_parse_i64(text, strlen(text), out) && *out > 0;
}

int main(int argc, char **argv)
{
	int64_t runs = 20, ceiling_ms = 0;
	double record_ms = 0, load_ms = 0;
	struct weir_text path = {0};
	struct weir_error err = {0};
	struct weir_store *store;

	if (argc < 2 || (argc > 2 && !parse(argv[2], &runs)) ||
	    (argc > 3 && !parse(argv[3], &ceiling_ms))) {
		fprintf(stderr, "usage: %s FOLDER [RUNS [CEILING_MS]]\n", argv[0]);
		return 2;
	}
	weir_text_printf(&path, "%s/bench-store.db", argv[1]);
	remove(path.data);
	if (weir_store_open(path.data, WEIR_STORE_WRITE, &store, &err))
		return say(&err);
	if (record(store, (size_t)runs, &record_ms, &err) || load(store, &load_ms, &err))
		return say(&err);
	weir_store_free(store);
	remove(path.data);
	weir_text_release(&path);
	printf("recording a run %.1f ms (mean of %" PRId64
	       "), reading its newest 10 back %.1f ms\n",
	       record_ms, runs, load_ms);
	return ceiling_ms && record_ms > (double)ceiling_ms;
}
