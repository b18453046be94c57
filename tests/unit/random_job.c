/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_job.h"

#define STEPS      24
#define JITTER_NS  1000
#define EXTRA_NS   30000 /* of a fault */
#define MOVE_NS    5000
#define AHEAD_NS   INT64_C(3000) /* from a launch to its kernel */
#define ELEMENTS   1000000
#define MORE       3000000 /* elements of a busy expert */
#define FAULT_RANK 2

struct job {
	struct make_trace *make[JOB_RANKS];
	int64_t now_ns[JOB_RANKS];
	uint64_t *state;
	unsigned faults;
	uint64_t id; /* correlation of the last launch */
};

static bool has_more_work(unsigned faults, size_t rank)
{
	return (faults & JOB_LATE_DEVICE && rank == FAULT_RANK) ||
	       (faults & JOB_LATE_NODE && rank / JOB_LOCAL == 1);
}

static void launch(struct job *job, size_t rank, const char *kernel, int64_t call_ns,
                   int64_t start_ns, int64_t end_ns)
{
	make_call(job->make[rank], 0, "cudaLaunchKernel", call_ns, call_ns + 5, ++job->id);
	make_kernel(job->make[rank], 0, kernel, start_ns, end_ns, job->id);
}

/* Lets a rank compute until its next collective. */
static void work(struct job *job, size_t rank)
{
	static const struct {
		const char *op, *kernel;
		int64_t ns, extra_ns; /* on a rank with more work */
	} works[] = {{"aten::mm", "gemm", 40000, EXTRA_NS},
	             {"aten::add", "elementwise_kernel", 8000, EXTRA_NS / 3},
	             {"aten::relu", "relu_kernel", 3000, EXTRA_NS / 10}};
	bool late = job->faults & JOB_LATE_HOST && rank == FAULT_RANK;

	job->now_ns[rank] += late ? EXTRA_NS : 100;
	for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
		int64_t start_ns = job->now_ns[rank];
		int64_t call_ns = start_ns - (late && w == 0 ? 20 : AHEAD_NS);
		int64_t jitter_ns = (int64_t)(next_number(job->state) % JITTER_NS);
		int64_t extra_ns = has_more_work(job->faults, rank) ? works[w].extra_ns : 0;

		make_host(job->make[rank], WEIR_HOST_OP, 0, works[w].op, call_ns - 5, call_ns + 10);
		job->now_ns[rank] += works[w].ns + jitter_ns + extra_ns;
		launch(job, rank, works[w].kernel, call_ns, start_ns, job->now_ns[rank]);
	}
}

/* Lets a rank meet the others: the members are those at the same distance from each other. */
static void meet(struct job *job, size_t first, size_t count, size_t distance, const char *kernel)
{
	int64_t last_ns = 0, move_ns = MOVE_NS;

	for (size_t m = 0; m < count; m++)
		if (job->now_ns[first + m * distance] > last_ns)
			last_ns = job->now_ns[first + m * distance];
	if (job->faults & JOB_SLOW_LINK && distance > 1 && first == FAULT_RANK)
		move_ns *= 4;
	if (job->faults & JOB_EXPERTS && distance == 1 && first == 0)
		move_ns *= 2;
	for (size_t m = 0; m < count; m++) {
		size_t rank = first + m * distance;
		int64_t start_ns = job->now_ns[rank];

		launch(job, rank, kernel, start_ns - AHEAD_NS, start_ns, last_ns + move_ns);
		job->now_ns[rank] = last_ns + move_ns;
	}
}

static const char *local_kernel(unsigned faults)
{
	return faults & JOB_EXPERTS ? "ncclDevKernel_SendRecv"
	                            : "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
}

static void make_steps(struct job *job)
{
	for (int step = 0; step < STEPS; step++) {
		int64_t begin_ns[JOB_RANKS];
		char name[32];

		memcpy(begin_ns, job->now_ns, sizeof begin_ns);
		for (size_t r = 0; r < JOB_RANKS; r++)
			work(job, r);
		for (size_t r = 0; r < JOB_RANKS; r += JOB_LOCAL)
			meet(job, r, JOB_LOCAL, 1, local_kernel(job->faults));
		for (size_t r = 0; step % 2 > 0 && r < JOB_LOCAL; r++)
			meet(job, r, JOB_NODES, JOB_LOCAL, "ncclDevKernel_AllGather_RING_LL");
		(void)snprintf(name, sizeof name, "ProfilerStep#%d", step);
		for (size_t r = 0; r < JOB_RANKS; r++)
			make_host(job->make[r], WEIR_HOST_ANNOTATION, 0, name,
			          begin_ns[r] - AHEAD_NS, job->now_ns[r] - 2 * AHEAD_NS);
	}
}

static uint32_t name_of(struct weir_trace *trace, const char *text)
{
	return weir_names_add(trace->names, text, strlen(text));
}

/* Describes a collective as profilers do: those of all nodes gather. */
static void describe(struct weir_trace *trace, size_t rank, uint32_t row, unsigned faults)
{
	const char *kernel = weir_names_text(trace->names, trace->device.name[row]);
	bool place = strstr(kernel, "AllGather") != NULL, busy;
	struct weir_collective *out;
	char group[32];

	busy = faults & JOB_EXPERTS && !place && rank == FAULT_RANK;
	(void)snprintf(group, sizeof group, "%s %zu", place ? "place" : "node",
	               place ? rank % JOB_LOCAL : rank / JOB_LOCAL);
	trace->collectives = weir_grow(trace->collectives, &trace->collective_capacity,
	                               trace->collective_count + 1, sizeof *trace->collectives);
	out = &trace->collectives[trace->collective_count++];
	*out = (struct weir_collective){
		.device_row = row,
		.elements_in = ELEMENTS,
		.elements_out = busy ? MORE : ELEMENTS,
		.group_size = place ? JOB_NODES : JOB_LOCAL,
		.sequence = -1,
	};
	out->group = name_of(trace, group);
	out->dtype = name_of(trace, "BFloat16");
	out->name = name_of(trace, place                  ? "_allgather_base"
	                           : faults & JOB_EXPERTS ? "all_to_allv"
	                                                  : "allreduce");
}

static struct weir_trace *finish(struct job *job, size_t rank)
{
	struct weir_trace *trace = make_trace_finish(job->make[rank]);

	for (uint32_t i = 0; i < trace->device.count; i++)
		if (strncmp(weir_names_text(trace->names, trace->device.name[i]), "nccl", 4) == 0)
			describe(trace, rank, i, job->faults);
	trace->devices[0].name = name_of(trace, "NVIDIA H100 80GB HBM3");
	trace->devices[0].memory_bytes = 0;
	trace->devices[0].sms = 0;
	trace->base_ns = INT64_C(1700000000000000000);
	trace->rank = (int64_t)rank;
	trace->world_size = JOB_RANKS;
	return trace;
}

void random_job(uint64_t *state, unsigned faults, struct weir_trace **traces)
{
	struct job job = {.state = state, .faults = faults};

	for (size_t r = 0; r < JOB_RANKS; r++)
		job.make[r] = make_trace_new();
	make_steps(&job);
	for (size_t r = 0; r < JOB_RANKS; r++)
		traces[r] = finish(&job, r);
}
