/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of Nsight Compute by raw name and by label, their units and their numbers. */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/ncu.h"

/* ---- metrics ---- */

/* Bits of weir_counted_kernel.parts: sums of instructions, the same instructions as rates (from
 * RATES on), and operations of the matrix units by type. */
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
	OTHER_MATRIX, /* types that are not listed here */
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
 * Instructions of threads, as a sum or as a rate. A fused multiply-add is two operations, and an
 * fp16 instruction works on two numbers; the profiler's own roofline counts the same way.
 */
#define ADDED(raw, is, times, bit, others)                                                         \
	{                                                                                          \
		.name = (raw), .dimension = WEIR_NCU_NUMBER, .counter = (is),                      \
		.use = WEIR_NCU_ADDED, .weight = (times), .part = BIT(bit), .included = (others)   \
	}
#define INSTRUCTION(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
/* The same sum over whole multiprocessors. */
#define INSTRUCTION_OF_SM(op) "sm__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define EXECUTED(op, times, bit)                                                                   \
	ADDED(INSTRUCTION(op), WEIR_COUNTER_VECTOR_FLOPS, times, bit, 0),                          \
		ADDED(INSTRUCTION_OF_SM(op), WEIR_COUNTER_VECTOR_FLOPS, times, bit, 0),            \
		ADDED(INSTRUCTION(op) ".per_cycle_elapsed", WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE,   \
	              times, RATES + (bit), 0)
/* Operations of the matrix units, summed over all instructions of a type. */
#define MATRIX_PREFIX "sm__ops_path_tensor_src_"
#define MATRIX(type, bit, others)                                                                  \
	ADDED(MATRIX_PREFIX type ".sum", WEIR_COUNTER_MATRIX_FLOPS, 1, bit, others)

/* Prefix of "GPU Speed Of Light Throughput" and of its name until 2021. */
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
	LABEL(SOL, "SOL FB", WEIR_NCU_SHARE, WEIR_COUNTER_DRAM),
	LABEL(SOL, "L2 Cache Throughput", WEIR_NCU_SHARE, WEIR_COUNTER_L2),
	LABEL(SOL, "SOL L2 Cache", WEIR_NCU_SHARE, WEIR_COUNTER_L2),
	LABEL(SOL, "SOL L2", WEIR_NCU_SHARE, WEIR_COUNTER_L2),
	LABEL(SOL, "L1/TEX Cache Throughput", WEIR_NCU_SHARE, WEIR_COUNTER_L1),
	LABEL(SOL, "SOL L1/TEX Cache", WEIR_NCU_SHARE, WEIR_COUNTER_L1),
	LABEL(SOL, "SOL TEX", WEIR_NCU_SHARE, WEIR_COUNTER_L1),
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
	RAW("sm__cycles_active.avg", WEIR_NCU_NUMBER, WEIR_COUNTER_SM_ACTIVE_CYCLES),
	LABEL(SOL, "SM Active Cycles", WEIR_NCU_NUMBER, WEIR_COUNTER_SM_ACTIVE_CYCLES),
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

/* Operations of the matrix units on types that are not listed: parts of listed ones, or types that
 * the device may lack. */
static const struct weir_ncu_metric other_matrix = {
	.name = MATRIX_PREFIX,
	.dimension = WEIR_NCU_NUMBER,
	.counter = WEIR_COUNTER_MATRIX_FLOPS,
	.use = WEIR_NCU_SIGN,
	.part = BIT(OTHER_MATRIX),
};

const struct weir_ncu_metric *weir_ncu_find(struct weir_slice section, struct weir_slice name)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (weir_slice_equals(name, metrics[i].name) &&
		    (!metrics[i].section || weir_slice_starts(section, metrics[i].section)))
			return &metrics[i];
	return weir_slice_starts(name, MATRIX_PREFIX) ? &other_matrix : NULL;
}

/* Returns true if each precision has all three instructions or no instruction, and fp32 has all. */
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

/* Returns true if a count of the matrix units is n/a, and no other count includes it or makes it
 * up. */
static bool lacks_matrix(const struct weir_counted_kernel *kernel)
{
	if (kernel->absent & BIT(OTHER_MATRIX))
		return true;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (metrics[i].counter == WEIR_COUNTER_MATRIX_FLOPS &&
		    (kernel->absent & metrics[i].part) &&
		    !(kernel->parts & (metrics[i].part | metrics[i].included)))
			return true;
	return false;
}

void weir_ncu_settle(struct weir_counted_kernel *kernel)
{
	if (lacks_matrix(kernel))
		kernel->value[WEIR_COUNTER_MATRIX_FLOPS] = NAN;
	if (!is_whole(kernel->parts))
		kernel->value[WEIR_COUNTER_VECTOR_FLOPS] = NAN;
	if (!is_whole(kernel->parts >> RATES))
		kernel->value[WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE] = NAN;
}

/* ---- numbers and units ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_absent(struct weir_slice text)
{
	static const char *const words[] = {"",    "n/a",  "N/A", "(!) n/a", "(!) nan",
	                                    "nan", "-nan", "inf", "-inf"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_slice_equals(text, words[i]))
			return true;
	return false;
}

/* Returns true if up to three digits, groups of three digits and perhaps a fraction follow each
 * other. */
static bool is_grouped(struct weir_slice text)
{
	size_t at = text.length && text.data[0] == '-', digits = 0;

	while (at < text.length && is_digit(text.data[at]))
		at++, digits++;
	if (!digits || digits > 3)
		return false;
	while (at < text.length && text.data[at] == ',') {
		for (digits = 0, at++; at < text.length && is_digit(text.data[at]); at++)
			digits++;
		if (digits != 3)
			return false;
	}
	if (at < text.length && text.data[at] == '.')
		for (at++; at < text.length && is_digit(text.data[at]);)
			at++;
	return at == text.length;
}

/* Returns true if the text has only digits and separators of any locale: commas, points, all kinds
 * of spaces, apostrophes. */
static bool is_localized(struct weir_slice text)
{
	static const char between[] = ".,' \xc2\xa0\xe2\x80\xaf\x99";
	size_t digits = 0;

	for (size_t i = text.length && text.data[0] == '-'; i < text.length; i++) {
		digits += is_digit(text.data[i]);
		if (!is_digit(text.data[i]) && !memchr(between, text.data[i], sizeof(between) - 1))
			return false;
	}
	return digits > 0;
}

/* Copies the number without its commas. Returns false if it is too long. */
static bool without_commas(struct weir_slice text, char *digits, size_t *length)
{
	*length = 0;
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] == ',')
			continue;
		if (*length == WEIR_NCU_MAX_NUMBER)
			return false;
		digits[(*length)++] = text.data[i];
	}
	return true;
}

/* Copies a number, grouped or not, in the form that weir_parse_double() takes. */
static enum weir_ncu_reading plain_number(struct weir_slice text, char digits[WEIR_NCU_MAX_NUMBER],
                                          size_t *length)
{
	double value;

	if (is_absent(text))
		return WEIR_NCU_NOTHING;
	if (is_grouped(text))
		return without_commas(text, digits, length) ? WEIR_NCU_VALUE : WEIR_NCU_BAD;
	if (text.length <= WEIR_NCU_MAX_NUMBER &&
	    weir_parse_double(text.data, text.length, &value)) {
		memcpy(digits, text.data, text.length);
		*length = text.length;
		return isfinite(value) ? WEIR_NCU_VALUE : WEIR_NCU_NOTHING;
	}
	return is_localized(text) ? WEIR_NCU_LOCALIZED : WEIR_NCU_BAD;
}

enum weir_ncu_reading weir_ncu_number(struct weir_slice text, double *out)
{
	char digits[WEIR_NCU_MAX_NUMBER];
	size_t length;
	enum weir_ncu_reading reading = plain_number(text, digits, &length);

	if (reading == WEIR_NCU_VALUE && !weir_parse_double(digits, length, out))
		return WEIR_NCU_BAD;
	return reading;
}

static const struct {
	const char *unit;
	int places; /* power of ten from the unit to nanoseconds */
} times[] = {
	{"ns", 0}, {"nsecond", 0}, {"us", 3}, {"usecond", 3},
	{"ms", 6}, {"msecond", 6}, {"s", 9},  {"second", 9},
};

static enum weir_ncu_reading take_duration(struct weir_slice text, struct weir_slice unit,
                                           int64_t *out_ns)
{
	char digits[WEIR_NCU_MAX_NUMBER];
	size_t length;
	int64_t ns;
	enum weir_ncu_reading reading = plain_number(text, digits, &length);

	if (reading != WEIR_NCU_VALUE)
		return reading;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (!weir_slice_equals(unit, times[i].unit))
			continue;
		if (!weir_parse_scaled(digits, length, times[i].places, &ns) || ns < 0)
			return WEIR_NCU_BAD;
		if (*out_ns < 0)
			*out_ns = ns;
		return WEIR_NCU_VALUE;
	}
	return WEIR_NCU_BAD;
}

/* Units in all their spellings, without the prefix of thousands. */
static const struct {
	const char *unit;
	enum weir_ncu_dimension dimension;
	double factor;
} units[] = {
	{"%", WEIR_NCU_SHARE, 0.01},
	{"byte", WEIR_NCU_BYTES, 1},
	{"byte/s", WEIR_NCU_BYTES_PER_S, 1},
	{"byte/second", WEIR_NCU_BYTES_PER_S, 1},
	{"byte/nsecond", WEIR_NCU_BYTES_PER_S, 1e9},
	{"hz", WEIR_NCU_HERTZ, 1},
	{"Hz", WEIR_NCU_HERTZ, 1},
	{"cycle/s", WEIR_NCU_HERTZ, 1},
	{"cycle/second", WEIR_NCU_HERTZ, 1},
	{"cycle/usecond", WEIR_NCU_HERTZ, 1e6},
	{"cycle/nsecond", WEIR_NCU_HERTZ, 1e9},
	{"", WEIR_NCU_NUMBER, 1},
	{"block", WEIR_NCU_NUMBER, 1},
	{"thread", WEIR_NCU_NUMBER, 1},
	{"warp", WEIR_NCU_NUMBER, 1},
	{"cycle", WEIR_NCU_NUMBER, 1},
	{"inst", WEIR_NCU_NUMBER, 1},
	{"inst/cycle", WEIR_NCU_NUMBER, 1},
	{"register/thread", WEIR_NCU_NUMBER, 1},
	{"register", WEIR_NCU_NUMBER, 1},
	{"SM", WEIR_NCU_NUMBER, 1},
	{"wave", WEIR_NCU_NUMBER, 1},
};

/* Returns the factor of a prefix, a power of 1000; 1 if the letter is not a prefix. */
static double thousands(char letter)
{
	static const char letters[] = "KMGT";
	const char *found = letter ? strchr(letters, letter) : NULL;

	return found ? pow(1000, (double)(found - letters + 1)) : 1;
}

static bool unit_factor(struct weir_slice unit, enum weir_ncu_dimension dimension, double *factor)
{
	double scale = unit.length > 1 ? thousands(unit.data[0]) : 1;

	if (scale > 1) {
		unit.data++;
		unit.length--;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].dimension != dimension || !weir_slice_equals(unit, units[i].unit))
			continue;
		*factor = scale * units[i].factor;
		return true;
	}
	return false;
}

static void put(const struct weir_ncu_metric *metric, double number,
                struct weir_counted_kernel *kernel)
{
	double *value = &kernel->value[metric->counter];

	switch (metric->use) {
	case WEIR_NCU_FIRST:
		*value = isnan(*value) ? number : *value;
		return;
	case WEIR_NCU_LARGEST:
		*value = fmax(*value, number);
		return;
	case WEIR_NCU_ADDED:
		if (kernel->parts & (metric->part | metric->included))
			return;
		kernel->parts |= metric->part;
		*value = (isnan(*value) ? 0 : *value) + metric->weight * number;
		return;
	case WEIR_NCU_SIGN:
		return;
	}
}

enum weir_ncu_reading weir_ncu_take(const struct weir_ncu_metric *metric, struct weir_slice text,
                                    struct weir_slice unit, struct weir_counted_kernel *kernel)
{
	double number, factor;
	enum weir_ncu_reading reading;

	if (metric->dimension == WEIR_NCU_TIME) {
		reading = take_duration(text, unit, &kernel->duration_ns);
		if (reading == WEIR_NCU_NOTHING)
			kernel->absent |= WEIR_NCU_NO_DURATION;
		return reading;
	}
	reading = weir_ncu_number(text, &number);
	if (reading == WEIR_NCU_NOTHING)
		kernel->absent |= metric->part;
	if (reading != WEIR_NCU_VALUE)
		return reading;
	if (!unit_factor(unit, metric->dimension, &factor) || number < 0)
		return WEIR_NCU_BAD;
	put(metric, number * factor, kernel);
	return WEIR_NCU_VALUE;
}

/* Returns the first place from `at` on that has none of the bytes of `between`. */
static size_t skip(struct weir_slice text, size_t at, const char *between)
{
	while (at < text.length && strchr(between, text.data[at]) && text.data[at])
		at++;
	return at;
}

bool weir_ncu_shape(struct weir_slice text, uint32_t shape[3])
{
	uint32_t read[3];
	size_t at = skip(text, 0, "( ");

	for (int i = 0; i < 3; i++) {
		size_t start = at;
		int64_t number;

		while (at < text.length && is_digit(text.data[at]))
			at++;
		if (!weir_parse_i64(text.data + start, at - start, &number) || number < 0 ||
		    number > UINT32_MAX)
			return false;
		read[i] = (uint32_t)number;
		at = skip(text, at, i < 2 ? ", x" : ") ");
	}
	if (at != text.length)
		return false;
	memcpy(shape, read, sizeof(read));
	return true;
}

/* ---- printed values and names ---- */

enum weir_status weir_ncu_fail_localized(const struct weir_csv_row *row, struct weir_slice text,
                                         struct weir_error *err)
{
	return weir_fail(
		err, WEIR_E_FORMAT,
		"line %llu: \"%.*s\" is a number in the style of another language, which "
		"is ambiguous: record with LC_ALL=C, on Windows with the format of numbers "
		"set to English",
		(unsigned long long)row->number, (int)(text.length < 40 ? text.length : 40),
		text.data);
}

enum weir_status weir_ncu_take_printed(struct weir_input *input, const struct weir_csv_row *row,
                                       const struct weir_ncu_printed *printed,
                                       struct weir_counted_kernel *kernel, struct weir_error *err)
{
	switch (weir_ncu_take(printed->metric, printed->text, printed->unit, kernel)) {
	case WEIR_NCU_LOCALIZED:
		return weir_ncu_fail_localized(row, printed->text, err);
	case WEIR_NCU_BAD:
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, row->at, printed->metric->name);
		break;
	case WEIR_NCU_VALUE:
	case WEIR_NCU_NOTHING:
		break;
	}
	return WEIR_OK;
}

uint32_t weir_ncu_intern(struct weir_counters *counters, struct weir_slice text, size_t limit)
{
	size_t length = text.length < limit ? text.length : limit;
	const char *nul = memchr(text.data, '\0', length);

	if (nul)
		length = (size_t)(nul - text.data);
	while (length < text.length && length && ((unsigned char)text.data[length] & 0xc0) == 0x80)
		length--;
	return weir_names_add(counters->names, text.data, length);
}
