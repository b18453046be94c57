/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/model/counters.h"

WEIR_ENUM_TEXTS(
	weir_counter, [WEIR_COUNTER_SM] = "sm", [WEIR_COUNTER_MEMORY] = "memory",
	[WEIR_COUNTER_MEMORY_ACCESS] = "memory_access",
	[WEIR_COUNTER_MEMORY_REQUEST] = "memory_request", [WEIR_COUNTER_DRAM] = "dram",
	[WEIR_COUNTER_L2] = "l2", [WEIR_COUNTER_L1] = "l1", [WEIR_COUNTER_TENSOR] = "tensor",
	[WEIR_COUNTER_ISSUE] = "issue", [WEIR_COUNTER_OCCUPANCY] = "occupancy",
	[WEIR_COUNTER_OCCUPANCY_LIMIT] = "occupancy_limit", [WEIR_COUNTER_L1_HITS] = "l1_hits",
	[WEIR_COUNTER_L2_HITS] = "l2_hits", [WEIR_COUNTER_DRAM_BYTES] = "dram_bytes",
	[WEIR_COUNTER_DRAM_READ_BYTES] = "dram_read_bytes",
	[WEIR_COUNTER_DRAM_WRITE_BYTES] = "dram_write_bytes",
	[WEIR_COUNTER_DRAM_BYTES_PER_S] = "dram_bytes_per_s", [WEIR_COUNTER_L2_BYTES] = "l2_bytes",
	[WEIR_COUNTER_BLOCKS] = "blocks", [WEIR_COUNTER_THREADS_PER_BLOCK] = "threads_per_block",
	[WEIR_COUNTER_REGISTERS] = "registers", [WEIR_COUNTER_WAVES] = "waves",
	[WEIR_COUNTER_SMS] = "sms", [WEIR_COUNTER_CYCLES] = "cycles",
	[WEIR_COUNTER_SM_HZ] = "sm_hz", [WEIR_COUNTER_SM_CYCLES] = "sm_cycles",
	[WEIR_COUNTER_SM_ACTIVE_CYCLES] = "sm_active_cycles",
	[WEIR_COUNTER_L2_SIZE] = "l2_size_bytes", [WEIR_COUNTER_VECTOR_FLOPS] = "vector_flops",
	[WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE] = "vector_flops_per_cycle",
	[WEIR_COUNTER_MATRIX_FLOPS] = "matrix_flops")

WEIR_ENUM_TEXTS(weir_finding_scope, [WEIR_FINDING_UNSTATED] = NULL, [WEIR_FINDING_LOCAL] = "local",
                [WEIR_FINDING_GLOBAL] = "global")

struct weir_counters *weir_counters_new(void)
{
	struct weir_counters *counters = weir_alloc(sizeof *counters);

	counters->names = weir_names_new();
	return counters;
}

void weir_counters_free(struct weir_counters *counters)
{
	if (!counters)
		return;
	weir_names_free(counters->names);
	free(counters->kernels);
	free(counters->findings);
	free(counters);
}

struct weir_counted_kernel *weir_counters_add(struct weir_counters *counters)
{
	struct weir_counted_kernel *kernel;

	counters->kernels = weir_grow(counters->kernels, &counters->capacity, counters->count + 1,
	                              sizeof *counters->kernels);
	kernel = &counters->kernels[counters->count++];
	*kernel = (struct weir_counted_kernel){.duration_ns = -1};
	for (size_t i = 0; i < WEIR_COUNTER_COUNT; i++)
		kernel->value[i] = NAN;
	return kernel;
}

void weir_counters_add_finding(struct weir_counters *counters,
                               const struct weir_counter_finding *finding)
{
	counters->findings = weir_grow(counters->findings, &counters->finding_capacity,
	                               counters->finding_count + 1, sizeof *counters->findings);
	counters->findings[counters->finding_count++] = *finding;
}

static void fill(double *value, double other)
{
	if (isnan(*value))
		*value = other;
}

/* Returns NAN for an unknown launch configuration, which has a 0. */
static double product(const uint32_t shape[3])
{
	double all = (double)shape[0] * (double)shape[1] * (double)shape[2];

	return all > 0 ? all : NAN;
}

void weir_counted_kernel_complete(struct weir_counted_kernel *kernel)
{
	double *value = kernel->value;
	double seconds = kernel->duration_ns > 0 ? (double)kernel->duration_ns / 1e9 : NAN;

	fill(&value[WEIR_COUNTER_MEMORY],
	     fmax(value[WEIR_COUNTER_MEMORY_ACCESS], value[WEIR_COUNTER_MEMORY_REQUEST]));
	fill(&value[WEIR_COUNTER_DRAM_BYTES],
	     value[WEIR_COUNTER_DRAM_READ_BYTES] + value[WEIR_COUNTER_DRAM_WRITE_BYTES]);
	fill(&value[WEIR_COUNTER_DRAM_BYTES], value[WEIR_COUNTER_DRAM_BYTES_PER_S] * seconds);
	fill(&value[WEIR_COUNTER_DRAM_BYTES_PER_S], value[WEIR_COUNTER_DRAM_BYTES] / seconds);
	fill(&value[WEIR_COUNTER_SM_CYCLES], value[WEIR_COUNTER_CYCLES]);
	fill(&value[WEIR_COUNTER_SM_CYCLES], value[WEIR_COUNTER_SM_HZ] * seconds);
	fill(&value[WEIR_COUNTER_VECTOR_FLOPS],
	     value[WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE] * value[WEIR_COUNTER_SM_CYCLES]);
	fill(&value[WEIR_COUNTER_BLOCKS], product(kernel->grid));
	fill(&value[WEIR_COUNTER_THREADS_PER_BLOCK], product(kernel->block));
}
