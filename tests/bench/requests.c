/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_requests PROGRAM [COUNT [SECONDS MEGABYTES]]: measures the time of `weir classify` on COUNT
 * requests of seven stages each (default: a million), as a ratio to one bare pass over their bytes,
 * and its memory. It makes the requests itself, the same ones each time. Fails if SECONDS or
 * MEGABYTES is exceeded. To use one core: taskset -c 0.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "tests/bench/measure.h"

#define STAGES    7
#define COMPUTE   4
#define QUEUE     1
#define MAX_BATCH 16
#define START_NS  INT64_C(1767225600000000000)

static const char *const names[STAGES] = {"tokenize", "queue", "batch_assembly", "h2d",
                                          "compute",  "d2h",   "postprocess"};

/* Shortest time of a stage, and the width of its variation. */
static const struct {
	int64_t least_ns, range_ns;
} stages[STAGES] = {{30000, 90000}, {0, 0},          {20000, 80000}, {100000, 900000},
                    {0, 0},         {30000, 200000}, {50000, 60000}};

/* A server that takes all waiting requests as one batch. */
struct server {
	uint64_t random;
	int64_t now_ns;  /* arrival of the next request */
	int64_t free_ns; /* time at which the device is free */
};

struct request {
	int64_t start_ns, tokens;
	int64_t stage_ns[STAGES];
};

/* xorshift64* (Vigna, An experimental exploration of Marsaglia's xorshift generators, 2016). */
static int64_t draw(struct server *server, int64_t below)
{
	server->random ^= server->random >> 12;
	server->random ^= server->random << 25;
	server->random ^= server->random >> 27;
	return below ? (int64_t)(server->random * UINT64_C(2685821657736338717) >> 33) % below : 0;
}

static void write_request(FILE *file, int64_t number, const struct request *request, int batch,
                          int64_t padded)
{
	int64_t end_ns = request->start_ns;

	for (int i = 0; i < STAGES; i++)
		end_ns += request->stage_ns[i];
	fprintf(file,
	        "{\"request_id\": \"r%06" PRId64 "\", \"start_ns\": %" PRId64
	        ", \"end_ns\": %" PRId64 ", \"batch_size\": %d, \"tokens\": %" PRId64
	        ", \"padded_tokens\": %" PRId64 ", \"stages_us\": {",
	        number, request->start_ns, end_ns, batch, request->tokens, padded);
	for (int i = 0; i < STAGES; i++)
		fprintf(file, "%s\"%s\": %" PRId64 ".%03d", i ? ", " : "", names[i],
		        request->stage_ns[i] / 1000, (int)(request->stage_ns[i] % 1000));
	fputs("}}\n", file);
}

static void write_batch(FILE *file, struct server *server, int64_t first, int batch)
{
	struct request requests[MAX_BATCH];
	int64_t padded = 0, compute_ns;

	for (int i = 0; i < batch; i++) {
		struct request *request = &requests[i];

		request->start_ns = server->now_ns;
		request->tokens = 16 + draw(server, 496);
		for (int j = 0; j < STAGES; j++)
			request->stage_ns[j] =
				stages[j].least_ns + draw(server, stages[j].range_ns);
		padded = request->tokens > padded ? request->tokens : padded;
		server->now_ns += draw(server, 2000000);
	}
	if (server->free_ns < server->now_ns)
		server->free_ns = server->now_ns;
	compute_ns = 900000 + padded * batch * 1200;
	for (int i = 0; i < batch; i++) {
		requests[i].stage_ns[QUEUE] = server->free_ns - requests[i].start_ns;
		requests[i].stage_ns[COMPUTE] = compute_ns;
		write_request(file, first + i, &requests[i], batch, padded);
	}
	server->free_ns += compute_ns;
}

/* Makes the file; replaces the template by its name. */
static bool write_requests(char *template, int64_t count)
{
	struct server server = {.random = 1, .now_ns = START_NS, .free_ns = START_NS};
	int fd = mkstemp(template);
	FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;

	if (!file)
		return false;
	for (int64_t done = 0; done < count;) {
		int64_t batch = 1 + draw(&server, MAX_BATCH);

		batch = batch < count - done ? batch : count - done;
		write_batch(file, &server, done, (int)batch);
		done += batch;
	}
	return fclose(file) == 0;
}

static int measure(char *program, char *path, double most_s, double most_mb)
{
	double pass_s = pass_seconds(path), took_s = classify_seconds(program, path);
	double peak_mb = peak_megabytes();

	if (took_s < 0) {
		fprintf(stderr, "%s classify %s failed\n", program, path);
		return 1;
	}
	printf("requests      %8.1f MB\n", megabytes(path));
	printf("bare pass     %8.3f s\n", pass_s);
	printf("classify      %8.3f s, %.1f times the pass\n", took_s, took_s / pass_s);
	printf("memory        %8.1f MB at most\n", peak_mb);
	if (took_s <= most_s && peak_mb <= most_mb)
		return 0;
	fprintf(stderr, "above the ceiling of %.1f s and %.0f MB\n", most_s, most_mb);
	return 1;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/weir-bench-XXXXXX";
	double most_s = 1e9, most_mb = 1e9;
	int64_t count = 1000000;
	int code;

	if (argc < 2 || argc > 5 || argc == 4 ||
	    (argc > 2 && (!weir_parse_i64(argv[2], strlen(argv[2]), &count) || count < 1)) ||
	    (argc > 3 && (!weir_parse_double(argv[3], strlen(argv[3]), &most_s) ||
	                  !weir_parse_double(argv[4], strlen(argv[4]), &most_mb)))) {
		fprintf(stderr, "usage: %s PROGRAM [COUNT [SECONDS MEGABYTES]]\n", argv[0]);
		return 2;
	}
	code = write_requests(path, count) ? measure(argv[1], path, most_s, most_mb) : 1;
	unlink(path);
	return code;
}
