/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of Nsight Compute that are read, by raw name and by label. */
#include <math.h>

#include "engine/readers/nvidia/ncu.h"

/* Bits of weir_counted_kernel.parts: instructions as sums, the same as rates, types of products. */
enum part {
	FADD,
	FMUL,
	FFMA,
	HADD,
	HMUL,
	HFMA,
	DADD,
	DMUL,
	DFMA,
	RATES,
	BF16 = 2 * RATES,
	TF32,
	FP64,
	FP16,
	FP16_TO_FP16,
	FP16_TO_FP32,
	FP8,
	FP8_DENSE,
	FP8_SPARSE,
	FP6,
	FP4,
	INT8,
	INT4,
};

#define BIT(part) (UINT32_C(1) << (part))

#define RAW(raw, of, is)                                                                           \
	{                                                                                          \
		.name = (raw), .dimension = (of), .counter = (is)                                  \
	}
#define PCT(raw, is) RAW(raw, WEIR_NCU_SHARE, is)
#define PIPE(raw)                                                                                  \
	{                                                                                          \
		.name = (raw), .dimension = WEIR_NCU_SHARE, .counter = WEIR_COUNTER_TENSOR,        \
		.use = WEIR_NCU_LARGEST                                                            \
	}
#define LABEL(of_section, label, of, is)                                                           \
	{                                                                                          \
		.section = (of_section), .name = (label), .dimension = (of), .counter = (is)       \
	}
/*
 * Instructions of threads, as a sum or as a rate. A multiplication with addition is two operations;
 * an instruction in fp16 works on a pair of numbers, as the profiler's own roofline counts them.
 */
#define ADDED(raw, is, times, bit, others)                                                         \
	{                                                                                          \
		.name = (raw), .dimension = WEIR_NCU_NUMBER, .counter = (is),                      \
		.use = WEIR_NCU_ADDED, .weight = (times), .part = BIT(bit), .included = (others)   \
	}
#define INSTRUCTION(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define EXECUTED(op, times, bit)                                                                   \
	ADDED(INSTRUCTION(op), WEIR_COUNTER_VECTOR_FLOPS, times, bit, 0),                          \
		ADDED(INSTRUCTION(op) ".per_cycle_elapsed", WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE,   \
	              times, RATES + (bit), 0)
/* Operations on the path of the matrix units: the sum of all instructions of a type. */
#define MATRIX(type, bit, others)                                                                  \
	ADDED("sm__ops_path_tensor_src_" type ".sum", WEIR_COUNTER_MATRIX_FLOPS, 1, bit, others)

/* Begins "GPU Speed Of Light Throughput" and what it was called until 2021. */
#define SOL    "GPU Speed Of Light"
#define MEMORY "Memory Workload Analysis"
#define LAUNCH "Launch Statistics"

static const struct weir_ncu_metric metrics[] = {
	RAW("gpu__time_duration.sum", WEIR_NCU_TIME, 0),
	PCT("sm__throughput.avg.pct_of_peak_sustained_elapsed", WEIR_COUNTER_SM),
	PCT("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
            WEIR_COUNTER_MEMORY),
	PCT("gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed",
            WEIR_COUNTER_MEMORY_ACCESS),
	PCT("gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed",
            WEIR_COUNTER_MEMORY_REQUEST),
	PCT("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", WEIR_COUNTER_DRAM),
	PCT("dram__throughput.avg.pct_of_peak_sustained_elapsed", WEIR_COUNTER_DRAM),
	PCT("lts__throughput.avg.pct_of_peak_sustained_elapsed", WEIR_COUNTER_L2),
	PCT("l1tex__throughput.avg.pct_of_peak_sustained_active", WEIR_COUNTER_L1),
	PIPE("sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"),
	PIPE("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
	PIPE("sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active"),
	PIPE("sm__inst_executed_pipe_tensor_op_imma.avg.pct_of_peak_sustained_active"),
	PIPE("sm__inst_executed_pipe_tensor_op_dmma.avg.pct_of_peak_sustained_active"),
	PIPE("sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active"),
	PIPE("sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active"),
	PIPE("sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_active"),
	PIPE("sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_active"),
	PIPE("sm__pipe_tensor_op_gmma_cycles_active.avg.pct_of_peak_sustained_active"),
	PCT("smsp__issue_active.avg.pct_of_peak_sustained_active", WEIR_COUNTER_ISSUE),
	PCT("sm__inst_issued.avg.pct_of_peak_sustained_active", WEIR_COUNTER_ISSUE),
	PCT("sm__warps_active.avg.pct_of_peak_sustained_active", WEIR_COUNTER_OCCUPANCY),
	PCT("sm__maximum_warps_per_active_cycle_pct", WEIR_COUNTER_OCCUPANCY_LIMIT),
	PCT("l1tex__t_sector_hit_rate.pct", WEIR_COUNTER_L1_HITS),
	PCT("lts__t_sector_hit_rate.pct", WEIR_COUNTER_L2_HITS),
	RAW("dram__bytes.sum", WEIR_NCU_BYTES, WEIR_COUNTER_DRAM_BYTES),
	RAW("dram__bytes_read.sum", WEIR_NCU_BYTES, WEIR_COUNTER_DRAM_READ_BYTES),
	RAW("dram__bytes_write.sum", WEIR_NCU_BYTES, WEIR_COUNTER_DRAM_WRITE_BYTES),
	RAW("dram__bytes.sum.per_second", WEIR_NCU_BYTES_PER_S, WEIR_COUNTER_DRAM_BYTES_PER_S),
	RAW("lts__t_bytes.sum", WEIR_NCU_BYTES, WEIR_COUNTER_L2_BYTES),
	RAW("launch__grid_size", WEIR_NCU_NUMBER, WEIR_COUNTER_BLOCKS),
	RAW("launch__block_size", WEIR_NCU_NUMBER, WEIR_COUNTER_THREADS_PER_BLOCK),
	RAW("launch__registers_per_thread", WEIR_NCU_NUMBER, WEIR_COUNTER_REGISTERS),
	RAW("launch__waves_per_multiprocessor", WEIR_NCU_NUMBER, WEIR_COUNTER_WAVES),
	RAW("device__attribute_multiprocessor_count", WEIR_NCU_NUMBER, WEIR_COUNTER_SMS),
	RAW("launch__sm_count", WEIR_NCU_NUMBER, WEIR_COUNTER_SMS),
	RAW("gpc__cycles_elapsed.max", WEIR_NCU_NUMBER, WEIR_COUNTER_CYCLES),
	RAW("gpc__cycles_elapsed.avg.per_second", WEIR_NCU_HERTZ, WEIR_COUNTER_SM_HZ),
	RAW("smsp__cycles_elapsed.avg.per_second", WEIR_NCU_HERTZ, WEIR_COUNTER_SM_HZ),
	LABEL(SOL, "Duration", WEIR_NCU_TIME, 0),
	LABEL(SOL, "Compute (SM) Throughput", WEIR_NCU_SHARE, WEIR_COUNTER_SM),
	LABEL(SOL, "SM [%]", WEIR_NCU_SHARE, WEIR_COUNTER_SM),
	LABEL(SOL, "SOL SM", WEIR_NCU_SHARE, WEIR_COUNTER_SM),
	LABEL(SOL, "Memory Throughput", WEIR_NCU_SHARE, WEIR_COUNTER_MEMORY),
	LABEL(SOL, "Memory [%]", WEIR_NCU_SHARE, WEIR_COUNTER_MEMORY),
	LABEL(SOL, "SOL Memory", WEIR_NCU_SHARE, WEIR_COUNTER_MEMORY),
	LABEL(SOL, "DRAM Throughput", WEIR_NCU_SHARE, WEIR_COUNTER_DRAM),
	LABEL(SOL, "SOL DRAM", WEIR_NCU_SHARE, WEIR_COUNTER_DRAM),
	LABEL(SOL, "L2 Cache Throughput", WEIR_NCU_SHARE, WEIR_COUNTER_L2),
	LABEL(SOL, "SOL L2 Cache", WEIR_NCU_SHARE, WEIR_COUNTER_L2),
	LABEL(SOL, "L1/TEX Cache Throughput", WEIR_NCU_SHARE, WEIR_COUNTER_L1),
	LABEL(SOL, "SOL L1/TEX Cache", WEIR_NCU_SHARE, WEIR_COUNTER_L1),
	LABEL(SOL, "Elapsed Cycles", WEIR_NCU_NUMBER, WEIR_COUNTER_CYCLES),
	LABEL(SOL, "SM Frequency", WEIR_NCU_HERTZ, WEIR_COUNTER_SM_HZ),
	LABEL(MEMORY, "Memory Throughput", WEIR_NCU_BYTES_PER_S, WEIR_COUNTER_DRAM_BYTES_PER_S),
	LABEL(MEMORY, "L1/TEX Hit Rate", WEIR_NCU_SHARE, WEIR_COUNTER_L1_HITS),
	LABEL(MEMORY, "L2 Hit Rate", WEIR_NCU_SHARE, WEIR_COUNTER_L2_HITS),
	LABEL("Compute Workload Analysis", "Issue Slots Busy", WEIR_NCU_SHARE, WEIR_COUNTER_ISSUE),
	LABEL(LAUNCH, "Grid Size", WEIR_NCU_NUMBER, WEIR_COUNTER_BLOCKS),
	LABEL(LAUNCH, "Block Size", WEIR_NCU_NUMBER, WEIR_COUNTER_THREADS_PER_BLOCK),
	LABEL(LAUNCH, "Registers Per Thread", WEIR_NCU_NUMBER, WEIR_COUNTER_REGISTERS),
	LABEL(LAUNCH, "Waves Per SM", WEIR_NCU_NUMBER, WEIR_COUNTER_WAVES),
	LABEL(LAUNCH, "# SMs", WEIR_NCU_NUMBER, WEIR_COUNTER_SMS),
	LABEL("Occupancy", "Achieved Occupancy", WEIR_NCU_SHARE, WEIR_COUNTER_OCCUPANCY),
	LABEL("Occupancy", "Theoretical Occupancy", WEIR_NCU_SHARE, WEIR_COUNTER_OCCUPANCY_LIMIT),
	RAW("smsp__cycles_elapsed.avg", WEIR_NCU_NUMBER, WEIR_COUNTER_SM_CYCLES),
	RAW("device__attribute_l2_cache_size", WEIR_NCU_NUMBER, WEIR_COUNTER_L2_SIZE),
	EXECUTED("fadd", 1, FADD),
	EXECUTED("fmul", 1, FMUL),
	EXECUTED("ffma", 2, FFMA),
	EXECUTED("hadd", 2, HADD),
	EXECUTED("hmul", 2, HMUL),
	EXECUTED("hfma", 4, HFMA),
	EXECUTED("dadd", 1, DADD),
	EXECUTED("dmul", 1, DMUL),
	EXECUTED("dfma", 2, DFMA),
	MATRIX("bf16_dst_fp32", BF16, 0),
	MATRIX("tf32_dst_fp32", TF32, 0),
	MATRIX("fp64", FP64, 0),
	MATRIX("fp16", FP16, BIT(FP16_TO_FP16) | BIT(FP16_TO_FP32)),
	MATRIX("fp16_dst_fp16", FP16_TO_FP16, BIT(FP16)),
	MATRIX("fp16_dst_fp32", FP16_TO_FP32, BIT(FP16)),
	MATRIX("fp8", FP8, BIT(FP8_DENSE) | BIT(FP8_SPARSE)),
	MATRIX("fp8_sparsity_off", FP8_DENSE, BIT(FP8)),
	MATRIX("fp8_sparsity_on", FP8_SPARSE, BIT(FP8)),
	MATRIX("fp6", FP6, 0),
	MATRIX("fp4", FP4, 0),
	MATRIX("int8", INT8, 0),
	MATRIX("int4", INT4, 0),
};

const struct weir_ncu_metric *weir_ncu_find(struct weir_slice section, struct weir_slice name)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (weir_slice_equals(name, metrics[i].name) &&
		    (!metrics[i].section || weir_slice_starts(section, metrics[i].section)))
			return &metrics[i];
	return NULL;
}

/* The three instructions of each precision: all of them or none. */
static bool is_whole(uint32_t parts)
{
	static const uint32_t precisions[] = {
		BIT(FADD) | BIT(FMUL) | BIT(FFMA),
		BIT(HADD) | BIT(HMUL) | BIT(HFMA),
		BIT(DADD) | BIT(DMUL) | BIT(DFMA),
	};

	for (size_t i = 0; i < sizeof(precisions) / sizeof(precisions[0]); i++)
		if ((parts & precisions[i]) && (parts & precisions[i]) != precisions[i])
			return false;
	return (parts & precisions[0]) != 0;
}

void weir_ncu_settle(struct weir_counted_kernel *kernel)
{
	if (!is_whole(kernel->parts))
		kernel->value[WEIR_COUNTER_VECTOR_FLOPS] = NAN;
	if (!is_whole(kernel->parts >> RATES))
		kernel->value[WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE] = NAN;
}
