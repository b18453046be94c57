/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/rank/features.h"

#define TIME     (WEIR_FOR_PROFILE | WEIR_FOR_STAGE)
#define PROFILE  WEIR_FOR_PROFILE
#define RUN      (WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS)
#define REQUESTS WEIR_FOR_REQUESTS
#define SERVER   WEIR_FOR_SERVER
#define WORK     WEIR_FOR_OPERATOR

#define FEATURE(id, name, unit, subjects, meaning, phrase)                                         \
	[WEIR_F_##id] = {#name, WEIR_UNIT_##unit, subjects, meaning, phrase},

static const struct weir_feature features[WEIR_F_COUNT] = {
#include "engine/analysis/rank/features.def"
};
#undef FEATURE

const struct weir_feature_table weir_features = {features, WEIR_F_COUNT};

void weir_features_clear(double *values)
{
	for (size_t i = 0; i < WEIR_F_COUNT; i++)
		values[i] = NAN;
}

static void set_shares(double *values, const struct weir_ledger *ledger)
{
	const int64_t *idle = ledger->idle_ns, *late = ledger->late_ns, *bound = ledger->bound_ns;
	const struct {
		enum weir_feature_id id;
		int64_t ns;
	} rows[] = {
		{WEIR_F_GPU_ACTIVE, ledger->busy_ns},
		{WEIR_F_GPU_IDLE, ledger->total_ns - ledger->busy_ns},
		{WEIR_F_IDLE_LAUNCH_LATENCY, idle[WEIR_IDLE_LAUNCH_LATENCY]},
		{WEIR_F_IDLE_INTER_KERNEL, idle[WEIR_IDLE_INTER_KERNEL]},
		{WEIR_F_IDLE_DEPENDENCY,
	         idle[WEIR_IDLE_DEPENDENCY] + idle[WEIR_IDLE_DEPENDENCY_COMM]},
		{WEIR_F_IDLE_COLLECTIVE, idle[WEIR_IDLE_DEPENDENCY_COMM]},
		{WEIR_F_IDLE_BATCH_WINDOW, idle[WEIR_IDLE_BATCH_WINDOW]},
		{WEIR_F_IDLE_PROFILER, idle[WEIR_IDLE_PROFILER]},
		{WEIR_F_IDLE_UNRECORDED, idle[WEIR_IDLE_UNRECORDED]},
		{WEIR_F_IDLE_UNEXPLAINED, idle[WEIR_IDLE_UNLINKED] + idle[WEIR_IDLE_OTHER]},
		{WEIR_F_LATE_DISPATCH, late[WEIR_LATE_DISPATCH]},
		{WEIR_F_LATE_SYNC, late[WEIR_LATE_SYNC]},
		{WEIR_F_LATE_BEFORE, late[WEIR_LATE_BEFORE]},
		{WEIR_F_LATE_AFTER, late[WEIR_LATE_AFTER]},
		{WEIR_F_LATE_LOAD, weir_add_ns(late[WEIR_LATE_LOAD], ledger->compiler_ns)},
		{WEIR_F_LATE_GARBAGE, late[WEIR_LATE_GARBAGE]},
		{WEIR_F_LIKELY_GARBAGE, idle[WEIR_IDLE_LIKELY_GARBAGE]},
		{WEIR_F_LATE_LOCK, idle[WEIR_IDLE_LOCK]},
		{WEIR_F_LATE_ALLOCATOR, late[WEIR_LATE_ALLOCATOR]},
		{WEIR_F_LATE_NO_WORK, late[WEIR_LATE_NO_WORK]},
		{WEIR_F_SHARE_BATCHING, bound[WEIR_BOUND_BATCHING]},
		{WEIR_F_SHARE_RUNTIME, bound[WEIR_BOUND_RUNTIME]},
		{WEIR_F_SHARE_KERNEL, bound[WEIR_BOUND_KERNEL]},
		{WEIR_F_SHARE_MEMORY, bound[WEIR_BOUND_MEMORY]},
		{WEIR_F_SHARE_COMMUNICATION, bound[WEIR_BOUND_COMMUNICATION]},
		{WEIR_F_SHARE_HARDWARE, bound[WEIR_BOUND_HARDWARE]},
		{WEIR_F_SHARE_UNATTRIBUTED, bound[WEIR_BOUND_UNDETERMINED]},
		{WEIR_F_COMPUTE, ledger->work_ns[WEIR_WORK_COMPUTE]},
		{WEIR_F_EXPOSED_COMMUNICATION, ledger->work_ns[WEIR_WORK_COMM]},
		{WEIR_F_EXPOSED_TRANSFER, ledger->copy_ns[WEIR_COPY_TRANSFER]},
		{WEIR_F_LOCAL_COPY, ledger->copy_ns[WEIR_COPY_LOCAL]},
		{WEIR_F_BANDWIDTH_LIMITED, ledger->bandwidth_ns},
		{WEIR_F_NEAR_ROOF, ledger->roof_ns},
		{WEIR_F_BELOW_ROOF, ledger->slow_ns},
		{WEIR_F_VECTOR_PRODUCTS, ledger->vector_ns},
		{WEIR_F_NAMED_VECTOR_PRODUCTS, ledger->named_vector_ns},
		{WEIR_F_SHORT_KERNELS, ledger->short_ns},
		{WEIR_F_UNMODELLED, ledger->unmodelled_ns},
		{WEIR_F_LIKELY_COMPUTE, ledger->likely_compute_ns},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		values[rows[i].id] = (double)rows[i].ns / (double)ledger->total_ns;
}

/* Sets the waits in collectives. They stay unknown if less than half of the exposed communication
 * is in collectives that are matched across ranks. */
static void set_waits(double *values, const struct weir_ledger *ledger)
{
	double wait_ns = 0, matched_ns = (double)ledger->matched_ns,
	       total_ns = (double)ledger->total_ns;

	if (matched_ns <= 0 || 2 * matched_ns < (double)ledger->work_ns[WEIR_WORK_COMM])
		return;
	for (size_t i = 0; i < WEIR_LATE_BY_COUNT; i++)
		wait_ns += (double)ledger->wait_ns[i];
	values[WEIR_F_EXPOSED_WAIT] = wait_ns / total_ns;
	values[WEIR_F_EXPOSED_WAIT_HOST] = (double)ledger->wait_ns[WEIR_LATE_BY_HOST] / total_ns;
	values[WEIR_F_LATE_RANK] =
		((double)ledger->wait_ns[WEIR_LATE_BY_HOST] + (double)ledger->longest_ns) /
		total_ns;
}

static double part(double ns, double of_ns)
{
	return of_ns > 0 ? ns / of_ns : 0;
}

/* Sets parts of a share. A part of a share of 0 is 0, not unknown. */
static void set_parts(double *values, const struct weir_ledger *ledger, double late_ns)
{
	double late[WEIR_LATE_COUNT];
	double memory_ns = (double)ledger->bound_ns[WEIR_BOUND_MEMORY];
	double runtime_ns = (double)ledger->bound_ns[WEIR_BOUND_RUNTIME], runtime_late_ns;

	for (size_t i = 0; i < WEIR_LATE_COUNT; i++)
		late[i] = (double)ledger->late_ns[i];
	late[WEIR_LATE_LOAD] += (double)ledger->compiler_ns;
	late_ns += (double)ledger->compiler_ns;
	runtime_late_ns = late_ns - late[WEIR_LATE_ALLOCATOR] - late[WEIR_LATE_NO_WORK];
	values[WEIR_F_LATE_OF_RUNTIME] = part(runtime_late_ns, runtime_ns);
	values[WEIR_F_BEFORE_OF_LATE] = part(late[WEIR_LATE_BEFORE], runtime_late_ns);
	values[WEIR_F_AFTER_OF_LATE] = part(late[WEIR_LATE_AFTER], runtime_late_ns);
	values[WEIR_F_LOAD_OF_LATE] = part(late[WEIR_LATE_LOAD], runtime_late_ns);
	values[WEIR_F_GARBAGE_OF_LATE] = part(late[WEIR_LATE_GARBAGE], runtime_late_ns);
	values[WEIR_F_SYNC_OF_DISPATCH] =
		part(late[WEIR_LATE_SYNC], late[WEIR_LATE_SYNC] + late[WEIR_LATE_DISPATCH]);
	values[WEIR_F_TRANSFER_OF_MEMORY] =
		part((double)ledger->copy_ns[WEIR_COPY_TRANSFER], memory_ns);
	values[WEIR_F_ALLOCATOR_OF_MEMORY] =
		part((double)ledger->idle_ns[WEIR_IDLE_ALLOCATOR], memory_ns);
}

void weir_features_from_ledger(double *values, const struct weir_ledger *ledger)
{
	double late_ns = 0;

	if (ledger->total_ns <= 0)
		return;
	set_shares(values, ledger);
	for (size_t i = 0; i < WEIR_LATE_COUNT; i++)
		late_ns += (double)ledger->late_ns[i];
	values[WEIR_F_IDLE_LATE] = late_ns / (double)ledger->total_ns;
	set_parts(values, ledger, late_ns);
	set_waits(values, ledger);
	values[WEIR_F_KERNELS] = (double)ledger->kernels;
	values[WEIR_F_DEVICE_WORKS] = (double)ledger->works;
	values[WEIR_F_BUSY_NS] = (double)ledger->busy_ns;
	if (ledger->steps > 0)
		values[WEIR_F_KERNELS_PER_STEP] = (double)ledger->kernels / (double)ledger->steps;
}
