/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/ncu.h"

#define MAX_NUMBER 64 /* bytes of a number; longer ones are none */

#define PCT(name, counter)                                                                         \
	{                                                                                          \
		NULL, name, WEIR_NCU_SHARE, counter, false                                         \
	}
#define PIPE(name)                                                                                 \
	{                                                                                          \
		NULL, name, WEIR_NCU_SHARE, WEIR_COUNTER_TENSOR, true                              \
	}
#define RAW(name, dimension, counter)                                                              \
	{                                                                                          \
		NULL, name, dimension, counter, false                                              \
	}
#define LABEL(section, name, dimension, counter)                                                   \
	{                                                                                          \
		section, name, dimension, counter, false                                           \
	}

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
};

const struct weir_ncu_metric *weir_ncu_find(struct weir_slice section, struct weir_slice name)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (weir_slice_equals(name, metrics[i].name) &&
		    (!metrics[i].section || weir_slice_starts(section, metrics[i].section)))
			return &metrics[i];
	return NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_absent(struct weir_slice text)
{
	static const char *const words[] = {"",    "n/a",  "N/A", "(!) n/a",
	                                    "nan", "-nan", "inf", "-inf"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_slice_equals(text, words[i]))
			return true;
	return false;
}

/* Groups of three digits behind a first of up to three, then perhaps a fraction. */
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

/* Nothing but digits and what languages put between them; spaces of all kinds, apostrophes. */
static bool is_of_a_language(struct weir_slice text)
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

/* The digits of a grouped number without its commas; false where they are too many. */
static bool without_commas(struct weir_slice text, char *digits, size_t *length)
{
	*length = 0;
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] == ',')
			continue;
		if (*length == MAX_NUMBER)
			return false;
		digits[(*length)++] = text.data[i];
	}
	return true;
}

/* The number's own digits, whether grouped or plain. */
static enum weir_ncu_reading plain_number(struct weir_slice text, char digits[MAX_NUMBER],
                                          size_t *length)
{
	double value;

	if (is_absent(text))
		return WEIR_NCU_NOTHING;
	if (is_grouped(text))
		return without_commas(text, digits, length) ? WEIR_NCU_VALUE : WEIR_NCU_BAD;
	if (text.length <= MAX_NUMBER && weir_parse_double(text.data, text.length, &value)) {
		memcpy(digits, text.data, text.length);
		*length = text.length;
		return isfinite(value) ? WEIR_NCU_VALUE : WEIR_NCU_NOTHING;
	}
	return is_of_a_language(text) ? WEIR_NCU_LOCALIZED : WEIR_NCU_BAD;
}

enum weir_ncu_reading weir_ncu_number(struct weir_slice text, double *out)
{
	char digits[MAX_NUMBER];
	size_t length;
	enum weir_ncu_reading reading = plain_number(text, digits, &length);

	if (reading == WEIR_NCU_VALUE && !weir_parse_double(digits, length, out))
		return WEIR_NCU_BAD;
	return reading;
}

static const struct {
	const char *unit;
	int places; /* of ten, in nanoseconds */
} times[] = {
	{"ns", 0}, {"nsecond", 0}, {"us", 3}, {"usecond", 3},
	{"ms", 6}, {"msecond", 6}, {"s", 9},  {"second", 9},
};

static enum weir_ncu_reading take_duration(struct weir_slice text, struct weir_slice unit,
                                           int64_t *out_ns)
{
	char digits[MAX_NUMBER];
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

/* Units as they are spelled, without the letter for thousands. */
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
	{"register/thread", WEIR_NCU_NUMBER, 1},
	{"register", WEIR_NCU_NUMBER, 1},
	{"SM", WEIR_NCU_NUMBER, 1},
	{"wave", WEIR_NCU_NUMBER, 1},
};

/* Thousands, never 1024; 1 for any other letter. */
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

enum weir_ncu_reading weir_ncu_take(const struct weir_ncu_metric *metric, struct weir_slice text,
                                    struct weir_slice unit, struct weir_counted_kernel *kernel)
{
	double number, factor, *value = &kernel->value[metric->counter];
	enum weir_ncu_reading reading;

	if (metric->dimension == WEIR_NCU_TIME)
		return take_duration(text, unit, &kernel->duration_ns);
	reading = weir_ncu_number(text, &number);
	if (reading != WEIR_NCU_VALUE)
		return reading;
	if (!unit_factor(unit, metric->dimension, &factor) || number < 0)
		return WEIR_NCU_BAD;
	number *= factor;
	if (isnan(*value) || (metric->largest && number > *value))
		*value = number;
	return WEIR_NCU_VALUE;
}

/* Passes over anything of `between`. */
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
