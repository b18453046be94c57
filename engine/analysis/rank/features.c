/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/rank/features.h"

#define TIME (WEIR_FOR_PROFILE | WEIR_FOR_STAGE)
#define WORK WEIR_FOR_OPERATOR

/* Shares without "of" are of the subject's analysed wall time. */
static const struct weir_feature features[WEIR_F_COUNT] = {
	[WEIR_F_GPU_ACTIVE] = {"gpu_active", WEIR_UNIT_SHARE, TIME, "the device does any work"},
	[WEIR_F_GPU_IDLE] = {"gpu_idle", WEIR_UNIT_SHARE, TIME, "the device does nothing"},
	[WEIR_F_IDLE_LATE] = {"idle_late", WEIR_UNIT_SHARE, TIME,
                              "idle, and the next launch came after the device ran dry"},
	[WEIR_F_IDLE_LAUNCH_LATENCY] = {"idle_launch_latency", WEIR_UNIT_SHARE, TIME,
                                        "idle between a launch call and the start of its work"},
	[WEIR_F_IDLE_INTER_KERNEL] =
		{"idle_inter_kernel", WEIR_UNIT_SHARE, TIME,
                 "idle between two kernels although work was queued, each gap up to 10 us"},
	[WEIR_F_IDLE_DEPENDENCY] = {"idle_dependency", WEIR_UNIT_SHARE, TIME,
                                    "idle waiting for another device's work"},
	[WEIR_F_IDLE_PROFILER] = {"idle_profiler", WEIR_UNIT_SHARE, TIME,
                                  "idle while the profiler worked"},
	[WEIR_F_IDLE_UNEXPLAINED] =
		{"idle_unexplained", WEIR_UNIT_SHARE, TIME,
                 "idle without a cause: launches not in the trace, long gaps with queued work"},
	[WEIR_F_LATE_DISPATCH] =
		{"late_dispatch", WEIR_UNIT_SHARE, TIME,
                 "idle while the host ran operators, calls and the glue between them"},
	[WEIR_F_LATE_SYNC] =
		{"late_sync", WEIR_UNIT_SHARE, TIME,
                 "idle because the host had waited for the device before it could launch again"},
	[WEIR_F_LATE_BEFORE] = {"late_before", WEIR_UNIT_SHARE, TIME,
                                "idle during host work before the device work of its step "
                                "(loading, tokenization)"},
	[WEIR_F_LATE_AFTER] = {"late_after", WEIR_UNIT_SHARE, TIME,
                               "idle during host work behind the device work of its step "
                               "(detokenization, serialization)"},
	[WEIR_F_LATE_LOAD] = {"late_load", WEIR_UNIT_SHARE, TIME,
                              "idle during module loading or compilation, or busy trying "
                              "kernels out for a compiler"},
	[WEIR_F_LATE_ALLOCATOR] = {"late_allocator", WEIR_UNIT_SHARE, TIME,
                                   "idle during allocation calls of the driver"},
	[WEIR_F_LATE_NO_WORK] =
		{"late_no_work", WEIR_UNIT_SHARE, TIME,
                 "idle while the launching thread did nothing that the trace shows"},
	[WEIR_F_LATE_OF_RUNTIME] = {"late_of_runtime", WEIR_UNIT_SHARE, TIME,
                                    "of the runtime's share: idle before a launch that came late"},
	[WEIR_F_BEFORE_OF_LATE] =
		{"before_of_late", WEIR_UNIT_SHARE, TIME,
                 "of that late time: host work before the device work of its step"},
	[WEIR_F_AFTER_OF_LATE] =
		{"after_of_late", WEIR_UNIT_SHARE, TIME,
                 "of that late time: host work behind the device work of its step"},
	[WEIR_F_LOAD_OF_LATE] = {"load_of_late", WEIR_UNIT_SHARE, TIME,
                                 "of that late time: module loading and compilation"},
	[WEIR_F_SYNC_OF_DISPATCH] =
		{"sync_of_dispatch", WEIR_UNIT_SHARE, TIME,
                 "of late time in dispatch and synchronisation: gaps that began with the host "
                 "waiting for the device"},
	[WEIR_F_SHARE_BATCHING] = {"share_batching", WEIR_UNIT_SHARE, TIME,
                                   "attributed to batching"},
	[WEIR_F_SHARE_RUNTIME] = {"share_runtime", WEIR_UNIT_SHARE, TIME,
                                  "attributed to the runtime"},
	[WEIR_F_SHARE_KERNEL] = {"share_kernel", WEIR_UNIT_SHARE, TIME,
                                 "attributed to slow kernels"},
	[WEIR_F_SHARE_MEMORY] = {"share_memory", WEIR_UNIT_SHARE, TIME, "attributed to memory"},
	[WEIR_F_SHARE_COMMUNICATION] = {"share_communication", WEIR_UNIT_SHARE, TIME,
                                        "attributed to communication"},
	[WEIR_F_SHARE_HARDWARE] = {"share_hardware", WEIR_UNIT_SHARE, TIME,
                                   "attributed to the device's limits"},
	[WEIR_F_SHARE_UNATTRIBUTED] = {"share_unattributed", WEIR_UNIT_SHARE, TIME,
                                       "not attributed to any bound"},
	[WEIR_F_COMPUTE] = {"compute", WEIR_UNIT_SHARE, TIME, "computing kernels run"},
	[WEIR_F_EXPOSED_COMMUNICATION] = {"exposed_communication", WEIR_UNIT_SHARE, TIME,
                                          "a collective runs and no computation hides it"},
	[WEIR_F_EXPOSED_WAIT] = {"exposed_wait", WEIR_UNIT_SHARE, TIME,
                                 "of that: a rank waits inside the collective for the last one"},
	[WEIR_F_EXPOSED_WAIT_HOST] = {"exposed_wait_host", WEIR_UNIT_SHARE, TIME,
                                      "of that: the last one is late because its host launched "
                                      "late"},
	[WEIR_F_LATE_RANK] = {"late_rank", WEIR_UNIT_SHARE, TIME,
                              "ranks wait for one whose host launched late, and that one is "
                              "late"},
	[WEIR_F_EXPOSED_TRANSFER] = {"exposed_transfer", WEIR_UNIT_SHARE, TIME,
                                     "a copy between host and device runs and nothing hides it"},
	[WEIR_F_LOCAL_COPY] = {"local_copy", WEIR_UNIT_SHARE, TIME,
                               "copies and sets within the device, exposed"},
	[WEIR_F_TRANSFER_OF_MEMORY] =
		{"transfer_of_memory", WEIR_UNIT_SHARE, TIME,
                 "of the share of memory: exposed copies between host and device"},
	[WEIR_F_ALLOCATOR_OF_MEMORY] = {"allocator_of_memory", WEIR_UNIT_SHARE, TIME,
                                        "of the share of memory: allocation calls of the driver"},
	[WEIR_F_BANDWIDTH_LIMITED] = {"bandwidth_limited", WEIR_UNIT_SHARE, TIME,
                                      "kernels limited by memory bandwidth run"},
	[WEIR_F_NEAR_ROOF] = {"near_roof", WEIR_UNIT_SHARE, TIME,
                              "kernels near the arithmetic roof of the fastest unit run"},
	[WEIR_F_BELOW_ROOF] = {"below_roof", WEIR_UNIT_SHARE, TIME,
                               "kernels far below both roofs run, not short ones"},
	[WEIR_F_SHORT_KERNELS] = {"short_kernels", WEIR_UNIT_SHARE, TIME,
                                  "kernels too short or too small for the device run"},
	[WEIR_F_UNMODELLED] = {"unmodelled", WEIR_UNIT_SHARE, TIME,
                               "kernels without shapes, a model or a known family run"},
	[WEIR_F_KERNELS] = {"kernels", WEIR_UNIT_COUNT, TIME, "kernels in the analysed time"},
	[WEIR_F_KERNELS_PER_STEP] = {"kernels_per_step", WEIR_UNIT_COUNT, TIME,
                                     "kernels in one step, mean"},
	[WEIR_F_KERNEL_P50_NS] = {"kernel_p50_ns", WEIR_UNIT_NS, TIME,
                                  "median duration of a kernel"},
	[WEIR_F_GRAPH_SHARE] = {"graph_share", WEIR_UNIT_SHARE, TIME | WORK,
                                "share of device work replayed from graphs"},
	[WEIR_F_TOP_OPERATOR_SHARE] = {"top_operator_share", WEIR_UNIT_SHARE, TIME,
                                       "share of device work in the largest operator"},
	[WEIR_F_TOP_OPERATOR_MODELLED] = {"top_operator_modelled", WEIR_UNIT_FLAG, TIME,
                                          "the limit of the largest operator is known"},
	[WEIR_F_LAUNCH_P50_NS] =
		{"launch_p50_ns", WEIR_UNIT_NS, WEIR_FOR_PROFILE,
                 "median time from the launch call's return to the kernel's start, nothing queued"},
	[WEIR_F_SYNCS_PER_STEP] = {"syncs_per_step", WEIR_UNIT_COUNT, WEIR_FOR_PROFILE,
                                   "synchronisations and blocking copies in one step, mean"},
	[WEIR_F_STEPS] = {"steps", WEIR_UNIT_COUNT, WEIR_FOR_PROFILE, "steady steps"},
	[WEIR_F_RANKS] = {"ranks", WEIR_UNIT_COUNT, WEIR_FOR_PROFILE, "traces with device work"},
	[WEIR_F_LINK_SHARE] = {"link_share", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                               "bus bandwidth of the transfers, of what the link carries in one "
                               "direction"},
	[WEIR_F_SCALAR_READS_PER_STEP] =
		{"scalar_reads_per_step", WEIR_UNIT_COUNT, WEIR_FOR_PROFILE,
                 "copies of less than 64 bytes to the host that are waited for, in one step, mean"},
	[WEIR_F_SYNC_DENSITY] = {"sync_density", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                                 "a launching thread waits for a device in a call that says so"},
	[WEIR_F_LAUNCH_CALL_SHARE] = {"launch_call_share", WEIR_UNIT_RATIO, WEIR_FOR_PROFILE,
                                      "time in launch calls over device busy time"},
	[WEIR_F_STARVED_OF_IDLE] = {"starved_of_idle", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                                    "of the idle time: no work was submitted"},
	[WEIR_F_SLOW_ALLOCATIONS] = {"slow_allocations", WEIR_UNIT_COUNT, WEIR_FOR_PROFILE,
                                     "allocation calls of more than 1 ms"},
	[WEIR_F_ALLOCATOR_OF_HOST] =
		{"allocator_of_host", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                 "of the idle time before late launches: allocation calls of the driver"},
	[WEIR_F_FRAGMENTATION] =
		{"fragmentation", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                 "of the memory that the allocator holds at the peak: not allocated"},
	[WEIR_F_MEMORY_USED] = {"memory_used", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                                "peak of the allocator's memory, of the device's"},
	[WEIR_F_GROWTH_PER_STEP] = {"growth_per_step", WEIR_UNIT_BYTES, WEIR_FOR_PROFILE,
                                    "growth of what is allocated when steps end"},
	[WEIR_F_GROWTH_OF_PEAK] = {"growth_of_peak", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                                   "growth over all steady steps, of the peak"},
	[WEIR_F_PADDING_WASTE] = {"padding_waste", WEIR_UNIT_SHARE,
                                  WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                                  "computed rows or tokens that are padding"},
	[WEIR_F_FLAT_STEP_RATIO] =
		{"flat_step_ratio", WEIR_UNIT_RATIO, WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                 "step time at up to half of the largest batch over that at the largest batch"},
	[WEIR_F_POWER_CAPPED] =
		{"power_capped", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                 "clocks held down by power, of the time the monitor saw the device in use"},
	[WEIR_F_THERMAL_CAPPED] =
		{"thermal_capped", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                 "clocks held down by heat, of the time the monitor saw the device in use"},
	[WEIR_F_UTILIZATION] = {"utilization", WEIR_UNIT_SHARE,
                                WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                                "mean utilisation that the monitor shows while the device is in "
                                "use: a check, no verdict"},
	[WEIR_F_SM_ACTIVE] =
		{"sm_active", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                 "multiprocessors with a warp, mean that the monitor shows while in use"},
	[WEIR_F_TENSOR_ACTIVE] = {"tensor_active", WEIR_UNIT_SHARE,
                                  WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                                  "matrix pipes at work, mean that the monitor shows while in use"},
	[WEIR_F_DRAM_ACTIVE] =
		{"dram_active", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                 "device memory's bandwidth in use, mean that the monitor shows while in use"},
	[WEIR_F_MONITOR_SAMPLES] = {"monitor_samples", WEIR_UNIT_COUNT,
                                    WEIR_FOR_PROFILE | WEIR_FOR_REQUESTS,
                                    "samples of a monitor in the analysed time"},
	[WEIR_F_PERCENTILE] = {"percentile", WEIR_UNIT_COUNT, WEIR_FOR_REQUESTS,
                               "percentile of latency that the shares below are of: 95"},
	[WEIR_F_PATH_BATCHING] =
		{"path_batching", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of latency: waiting while nothing works, and assembling batches"},
	[WEIR_F_PATH_ASSEMBLY] = {"path_assembly", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                                  "of latency: assembling batches"},
	[WEIR_F_PATH_HOST] =
		{"path_host", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of latency: own host stages, and waiting while the host works for others"},
	[WEIR_F_PATH_COPY] =
		{"path_copy", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of latency: own copies between host and device, and waiting for those of others"},
	[WEIR_F_PATH_COMPUTE] =
		{"path_compute", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of latency: own computation, and waiting while the device computes for others"},
	[WEIR_F_PATH_PADDING] =
		{"path_padding", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of latency: the part of path_compute that padding is of the computation"},
	[WEIR_F_PATH_OTHER] = {"path_other", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                               "of latency: stages of no known kind, and time between stages"},
	[WEIR_F_PATH_UNKNOWN_WAIT] = {"path_unknown_wait", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                                      "of latency: waiting, where what others did is not known"},
	[WEIR_F_PATH_MAX] = {"path_max", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                             "the largest of these shares"},
	[WEIR_F_QUEUE_SHARE] = {"queue_share", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                                "of latency: waiting of every kind"},
	[WEIR_F_WAIT_IDLE] = {"wait_idle", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                              "of the waiting: nothing worked"},
	[WEIR_F_WAIT_COMPUTE] = {"wait_compute", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                                 "of the waiting: the device computed for others"},
	[WEIR_F_WAIT_COPY] = {"wait_copy", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                              "of the waiting: data of others were copied"},
	[WEIR_F_WAIT_HOST] =
		{"wait_host", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of the waiting: the host worked for others, as many at once as it can"},
	[WEIR_F_AFTER_OF_HOST] = {"after_of_host", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                                  "of all time in host stages: behind the device work"},
	[WEIR_F_COMPUTE_BUSY] =
		{"compute_busy", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of the time from first arrival to last response: any request computes"},
	[WEIR_F_HOST_BUSY] =
		{"host_busy", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                 "of the same: as many requests in host stages as the host takes at once"},
	[WEIR_F_HOST_SLOWDOWN] = {"host_slowdown", WEIR_UNIT_RATIO, WEIR_FOR_REQUESTS,
                                  "time of executions that begin beside host work over that of "
                                  "their like that do not"},
	[WEIR_F_BATCH_MAX] = {"batch_max", WEIR_UNIT_COUNT, WEIR_FOR_REQUESTS,
                              "requests in the largest batch"},
	[WEIR_F_BATCH_FILL] = {"batch_fill", WEIR_UNIT_SHARE, WEIR_FOR_REQUESTS,
                               "batches that left others waiting, mean, over the largest batch"},
	[WEIR_F_STEP_TOKENS] = {"step_tokens", WEIR_UNIT_COUNT, WEIR_FOR_REQUESTS,
                                "tokens with padding in one execution, median"},
	[WEIR_F_OPERATOR_SHARE] = {"operator_share", WEIR_UNIT_SHARE, WORK, "share of device work"},
	[WEIR_F_CALL_NS] = {"call_ns", WEIR_UNIT_NS, WORK, "device time of one call, mean"},
	[WEIR_F_KERNEL_NS] = {"kernel_ns", WEIR_UNIT_NS, WORK, "duration of one kernel, mean"},
	[WEIR_F_BYTES_ROOF] = {"bytes_roof", WEIR_UNIT_SHARE, WORK,
                               "modelled bytes over time, of the sustained bandwidth"},
	[WEIR_F_FLOPS_ROOF] =
		{"flops_roof", WEIR_UNIT_SHARE, WORK,
                 "modelled arithmetic over time, of the sustained rate of the unit it ran on"},
	[WEIR_F_OPERANDS_ROOF] =
		{"operands_roof", WEIR_UNIT_SHARE, WORK,
                 "bytes of all recorded arguments over time, of the sustained bandwidth, for an "
                 "operator without a model"},
	[WEIR_F_INTENSITY_RATIO] = {"intensity_ratio", WEIR_UNIT_RATIO, WORK,
                                    "time at the arithmetic roof over time at the bandwidth roof"},
	[WEIR_F_IMPLAUSIBLE] = {"implausible", WEIR_UNIT_FLAG, WORK,
                                "the model says more than the device can do"},
	[WEIR_F_CACHED] = {"cached", WEIR_UNIT_FLAG, WORK,
                           "all of its data fits in the last-level cache"},
	[WEIR_F_MATRIX_UNITS_IDLE] =
		{"matrix_units_idle", WEIR_UNIT_FLAG, WORK,
                 "a product runs on the vector units although the device has matrix units"},
	[WEIR_F_IS_COMMUNICATION] = {"is_communication", WEIR_UNIT_FLAG, WORK,
                                     "a collective or point-to-point transfer"},
	[WEIR_F_IS_TRANSFER] = {"is_transfer", WEIR_UNIT_FLAG, WORK,
                                "a copy between host and device or between devices"},
	[WEIR_F_IS_LOCAL_COPY] = {"is_local_copy", WEIR_UNIT_FLAG, WORK,
                                  "a copy or set within the device"},
	[WEIR_F_FAMILY_MEMORY] = {"family_memory", WEIR_UNIT_FLAG, WORK,
                                  "kernels of this family are normally limited by bandwidth"},
	[WEIR_F_FAMILY_COMPUTE] = {"family_compute", WEIR_UNIT_FLAG, WORK,
                                   "kernels of this family are normally limited by arithmetic"},
	[WEIR_F_WAVES] = {"waves", WEIR_UNIT_RATIO, WORK,
                          "thread blocks of the kernel over multiprocessors"},
};

const struct weir_feature_table weir_feature_table = {features, WEIR_F_COUNT};

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
		{WEIR_F_IDLE_PROFILER, idle[WEIR_IDLE_PROFILER]},
		{WEIR_F_IDLE_UNEXPLAINED, idle[WEIR_IDLE_UNLINKED] + idle[WEIR_IDLE_OTHER]},
		{WEIR_F_LATE_DISPATCH, late[WEIR_LATE_DISPATCH]},
		{WEIR_F_LATE_SYNC, late[WEIR_LATE_SYNC]},
		{WEIR_F_LATE_BEFORE, late[WEIR_LATE_BEFORE]},
		{WEIR_F_LATE_AFTER, late[WEIR_LATE_AFTER]},
		{WEIR_F_LATE_LOAD, weir_add_ns(late[WEIR_LATE_LOAD], ledger->compiler_ns)},
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
		{WEIR_F_SHORT_KERNELS, ledger->short_ns},
		{WEIR_F_UNMODELLED, ledger->unmodelled_ns},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		values[rows[i].id] = (double)rows[i].ns / (double)ledger->total_ns;
}

/* Of matched collectives: with less than half of the exposed ones matched, waiting is not known. */
static void set_waits(double *values, const struct weir_ledger *ledger)
{
	double wait_ns = 0, met_ns = (double)ledger->met_ns, total_ns = (double)ledger->total_ns;

	if (met_ns <= 0 || 2 * met_ns < (double)ledger->work_ns[WEIR_WORK_COMM])
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

/* Parts of a share; of nothing they are 0, since the whole is known to be nothing. */
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
	if (ledger->steps > 0)
		values[WEIR_F_KERNELS_PER_STEP] = (double)ledger->kernels / (double)ledger->steps;
}
