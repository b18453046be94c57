/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "tests/unit/make_server.h"
#include "tests/unit/near.h"

struct visit {
	int64_t arrival_ns, before_ns,
		ready_ns; /* arrival, start of host work, entry into the queue */
};

struct kitchen {
	const struct server_load *load;
	struct weir_requests *out;
	struct visit *visits;
	int64_t device_free_ns, after_free_ns;
	uint64_t random;
};

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void arrive(struct kitchen *kitchen)
{
	const struct server_load *load = kitchen->load;
	size_t burst = load->burst ? load->burst : 1;
	int64_t now_ns = INT64_C(1700000000000000000), host_free_ns = 0;

	for (size_t i = 0; i < load->requests; i++) {
		struct visit *visit = &kitchen->visits[i];

		if (i % burst == 0) {
			double u =
				(double)(next_number(&kitchen->random) >> 11) / 9007199254740992.0;

			now_ns += (int64_t)(-log1p(-u) * (double)load->interval_ns) + 1;
		}
		visit->arrival_ns = now_ns;
		visit->before_ns = later_of(now_ns, host_free_ns);
		visit->ready_ns = visit->before_ns + load->before_ns;
		if (load->before_ns > 0)
			host_free_ns = visit->ready_ns;
	}
}

static void add_part(struct weir_requests *out, const char *name, const struct visit *visit,
                     int64_t from_ns, int64_t to_ns, bool offsets)
{
	uint8_t stage = weir_requests_stage(out, name, strlen(name));

	if (offsets)
		weir_requests_add_part_at(out, stage, from_ns - visit->arrival_ns, to_ns - from_ns);
	else
		weir_requests_add_part(out, stage, to_ns - from_ns);
}

/* Returns true if the host works on a request at that time. */
static bool host_works(const struct kitchen *kitchen, int64_t at_ns)
{
	for (size_t i = 0; i < kitchen->load->requests; i++)
		if (kitchen->visits[i].before_ns <= at_ns && at_ns < kitchen->visits[i].ready_ns)
			return true;
	return false;
}

static int64_t step_time(const struct kitchen *kitchen, int64_t size, int64_t start_ns)
{
	const struct server_load *load = kitchen->load;
	int64_t step_ns = load->step_ns + size * load->row_ns;

	return load->interference > 1 && host_works(kitchen, start_ns)
	               ? step_ns * load->interference
	               : step_ns;
}

/* Serves the batch [first, first + size) that leaves the queue at that time. */
static void serve(struct kitchen *kitchen, size_t first, int64_t size, int64_t dispatch_ns)
{
	const struct server_load *load = kitchen->load;
	int64_t copy_ns = dispatch_ns + load->assembly_ns, compute_ns = copy_ns + load->copy_ns;
	int64_t back_ns = compute_ns + step_time(kitchen, size, compute_ns);
	int64_t done_ns = back_ns + load->copy_ns / 10;

	kitchen->device_free_ns = done_ns;
	for (int64_t i = 0; i < size; i++) {
		const struct visit *visit = &kitchen->visits[first + (size_t)i];
		struct weir_request request = weir_request_unknown();
		int64_t after_ns = later_of(done_ns, kitchen->after_free_ns);
		const struct {
			const char *name;
			int64_t from_ns, to_ns;
		} parts[] = {
			{"queue", visit->arrival_ns, visit->before_ns},
			{"tokenize", visit->before_ns, visit->ready_ns},
			{"queue", visit->ready_ns, dispatch_ns},
			{"batch_assembly", dispatch_ns, copy_ns},
			{"h2d", copy_ns, compute_ns},
			{"compute", compute_ns, back_ns},
			{"d2h", back_ns, done_ns},
			{"queue", done_ns, after_ns},
			{"postprocess", after_ns, after_ns + load->after_ns},
		};

		for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
			add_part(kitchen->out, parts[p].name, visit, parts[p].from_ns,
			         parts[p].to_ns, load->offsets);
		request.start_ns = visit->arrival_ns;
		request.end_ns = kitchen->after_free_ns = after_ns + load->after_ns;
		if (load->after_ns == 0)
			kitchen->after_free_ns = 0;
		request.batch_size = load->unstated_batches ? WEIR_UNKNOWN_COUNT : size;
		request.tokens = load->tokens ? load->tokens : WEIR_UNKNOWN_COUNT;
		request.padded_tokens =
			load->padded_tokens ? load->padded_tokens : WEIR_UNKNOWN_COUNT;
		weir_requests_add(kitchen->out, &request);
	}
}

struct weir_requests *make_server(const struct server_load *load)
{
	struct kitchen kitchen = {.load = load, .out = weir_requests_new(), .random = 7};

	kitchen.visits = weir_alloc((load->requests + 1) * sizeof *kitchen.visits);
	kitchen.out->time_base = WEIR_TIME_UNIX;
	arrive(&kitchen);
	for (size_t first = 0; first < load->requests;) {
		int64_t dispatch_ns = later_of(kitchen.device_free_ns,
		                               kitchen.visits[first].ready_ns + load->window_ns);
		size_t full = first + (size_t)load->largest - 1;
		int64_t size = 0;

		if (full < load->requests && kitchen.visits[full].ready_ns < dispatch_ns)
			dispatch_ns =
				later_of(kitchen.device_free_ns, kitchen.visits[full].ready_ns);
		while (size < load->largest && first + (size_t)size < load->requests &&
		       kitchen.visits[first + (size_t)size].ready_ns <= dispatch_ns)
			size++;
		serve(&kitchen, first, size, dispatch_ns);
		first += (size_t)size;
	}
	weir_requests_finish(kitchen.out);
	free(kitchen.visits);
	return kitchen.out;
}
