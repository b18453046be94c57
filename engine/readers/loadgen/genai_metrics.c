/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/genai_metrics.h"

#define MAX_NUMBER 64

/* Both programs call the time per output token after the first "inter token latency"; other load
 * generators call it tpot. The gaps between outputs are AIPerf's "inter chunk latency". */
static const struct weir_genai_metric metrics[] = {
	{"request_latency", WEIR_GENAI_TIMES, WEIR_CLIENT_SLOT(e2e)},
	{"time_to_first_token", WEIR_GENAI_TIMES, WEIR_CLIENT_SLOT(ttft)},
	{"time_to_second_token", WEIR_GENAI_TIMES, WEIR_CLIENT_SLOT(ttst)},
	{"inter_token_latency", WEIR_GENAI_TIMES, WEIR_CLIENT_SLOT(tpot)},
	{"inter_chunk_latency", WEIR_GENAI_TIMES, WEIR_CLIENT_SLOT(itl)},
	{"request_throughput", WEIR_GENAI_RATE, WEIR_CLIENT_SLOT(request_throughput)},
	{"request_goodput", WEIR_GENAI_RATE, WEIR_CLIENT_SLOT(request_goodput)},
	{"goodput", WEIR_GENAI_RATE, WEIR_CLIENT_SLOT(request_goodput)},
	{"output_token_throughput", WEIR_GENAI_RATE, WEIR_CLIENT_SLOT(output_throughput)},
	{"total_token_throughput", WEIR_GENAI_RATE, WEIR_CLIENT_SLOT(total_throughput)},
	{"output_token_throughput_per_user", WEIR_GENAI_RATE,
         WEIR_CLIENT_SLOT(output_throughput_per_user)},
	{"input_sequence_length", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(input_tokens)},
	{"output_sequence_length", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(output_tokens)},
	{"request_count", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(completed)},
	{"error_request_count", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(failed)},
	/* of AIPerf: answers of another length than was asked for, and by how many percent */
	{"osl_mismatch_count", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(missed_length)},
	{"osl_mismatch_diff_%", WEIR_GENAI_SIGNED, WEIR_CLIENT_SLOT(length_difference)},
	{"osl_mismatch_diff_pct", WEIR_GENAI_SIGNED, WEIR_CLIENT_SLOT(length_difference)},
	/* of AIPerf, for the checks of its totals */
	{"good_request_count", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(good)},
	{"benchmark_duration", WEIR_GENAI_SECONDS, WEIR_CLIENT_SLOT(duration_s)},
	{"total_isl", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(total_input_tokens)},
	{"total_input_sequence_length", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(total_input_tokens)},
	{"total_osl", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(total_output_tokens)},
	{"total_output_sequence_length", WEIR_GENAI_COUNT, WEIR_CLIENT_SLOT(total_output_tokens)},
};

static const struct {
	const char *unit;
	double multiplier, divisor; /* to ms; both, because powers of ten below 1 are not exact */
} time_units[] = {
	{"ns", 1, 1e6},           {"nanoseconds", 1, 1e6},
	{"us", 1, 1e3},           {"\xc2\xb5s", 1, 1e3},
	{"microseconds", 1, 1e3}, {"ms", 1, 1},
	{"milliseconds", 1, 1},   {"s", 1e3, 1},
	{"sec", 1e3, 1},          {"seconds", 1e3, 1},
};

/* Returns a character of a name as it is in the key: in lower case, "_" for a blank. */
static char fold(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return (char)(letter - 'A' + 'a');
	return letter == ' ' ? '_' : letter;
}

/* True if the name is the key of a metric, with blanks for "_" and in any case. */
static bool is_name(struct weir_slice name, const char *key)
{
	size_t at = 0;

	while (at < name.length && key[at] && fold(name.data[at]) == key[at])
		at++;
	return at == name.length && !key[at];
}

const struct weir_genai_metric *weir_genai_metric_find(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		if (is_name(name, metrics[i].name))
			return &metrics[i];
	return NULL;
}

bool weir_genai_is_statistic(struct weir_slice name)
{
	static const char *const others[] = {"min", "max", "std", "sum",   "p1",
	                                     "p5",  "p10", "p25", "count", NULL};

	for (size_t i = 0; others[i]; i++)
		if (weir_slice_equals(name, others[i]))
			return true;
	return weir_client_is_statistic(name);
}

/* Returns the value in the unit of the summary, NAN if the unit does not measure the metric. */
static double convert(const struct weir_genai_statistic *statistic)
{
	struct weir_slice unit = statistic->unit;

	if (statistic->metric->kind == WEIR_GENAI_RATE)
		return weir_slice_holds(unit, "sec") || weir_slice_holds(unit, "/s")
		               ? statistic->value
		               : NAN;
	if (statistic->metric->kind == WEIR_GENAI_COUNT ||
	    statistic->metric->kind == WEIR_GENAI_SIGNED)
		return statistic->value;
	for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++)
		if (weir_slice_equals(unit, time_units[i].unit))
			return statistic->value * time_units[i].multiplier / time_units[i].divisor /
			       (statistic->metric->kind == WEIR_GENAI_SECONDS ? 1e3 : 1);
	return NAN;
}

static void warn(struct weir_genai_reading *reading, enum weir_warning_code code,
                 const struct weir_genai_statistic *statistic, const char *fault)
{
	struct weir_text detail = {0};

	weir_text_printf(&detail, "%s%s", statistic->metric->name, fault);
	weir_input_warn(reading->input, code, statistic->at, detail.data);
	weir_text_release(&detail);
}

/* Both programs print a goodput of -1 if its targets made no sense. */
void weir_genai_take_statistic(struct weir_genai_reading *reading,
                               const struct weir_genai_statistic *statistic)
{
	const struct weir_genai_metric *metric = statistic->metric;
	double value = convert(statistic);
	bool is_new;

	if (isnan(statistic->value) || !weir_client_is_statistic(statistic->name) ||
	    (metric->kind != WEIR_GENAI_TIMES && !weir_slice_equals(statistic->name, "avg")))
		return;
	if (isnan(value) || (value < 0 && metric->kind != WEIR_GENAI_SIGNED)) {
		warn(reading, WEIR_WARN_BAD_NUMBER, statistic,
		     isnan(value) ? ": unknown unit" : ": below 0");
		return;
	}
	if (metric->slot == WEIR_CLIENT_SLOT(failed)) { /* beside "error_summary" */
		reading->summary.failed = fmax(reading->summary.failed, value);
		return;
	}
	is_new = metric->kind == WEIR_GENAI_TIMES
	                 ? weir_client_summary_set_statistic(&reading->summary, metric->slot,
	                                                     statistic->name, value)
	                 : weir_client_summary_set(&reading->summary, metric->slot, value);
	if (!is_new)
		warn(reading, WEIR_WARN_DUPLICATE, statistic, "");
}

double weir_genai_parse_number(struct weir_slice cell, bool *odd)
{
	static const char *const none[] = {"", "None", "N/A", "n/a", "nan", "NaN", "-", NULL};
	char digits[MAX_NUMBER];
	size_t length = 0;
	double value;

	*odd = false;
	for (size_t i = 0; none[i]; i++)
		if (weir_slice_equals(cell, none[i]))
			return NAN;
	for (size_t i = 0; i < cell.length && length < MAX_NUMBER; i++)
		if (cell.data[i] != ',')
			digits[length++] = cell.data[i];
	if (length < MAX_NUMBER && weir_parse_double(digits, length, &value) && isfinite(value))
		return value;
	*odd = true;
	return NAN;
}

struct weir_slice weir_genai_split_unit(struct weir_slice *name)
{
	struct weir_slice unit = {"", 0};
	size_t open = name->length;

	if (!name->length || name->data[name->length - 1] != ')')
		return unit;
	while (open && name->data[open - 1] != '(')
		open--;
	if (!open)
		return unit;
	unit = (struct weir_slice){name->data + open, name->length - open - 1};
	name->length = open - 1;
	while (name->length && name->data[name->length - 1] == ' ')
		name->length--;
	return unit;
}

bool weir_genai_find_load(struct weir_slice command, const char **label, struct weir_slice *value)
{
	static const struct {
		const char *option, *label;
	} options[] = {
		{"--concurrency-range", "concurrency"},
		{"--concurrency", "concurrency"},
		{"--request-rate-range", "request_rate"},
		{"--request-rate", "request_rate"},
	};
	const char *end = command.data + command.length;

	for (size_t i = 0; i < WEIR_COUNT_OF(options); i++) {
		const char *at = weir_slice_find(command, options[i].option), *start;

		if (!at)
			continue;
		at += strlen(options[i].option);
		if (at == end || (*at != ' ' && *at != '='))
			continue;
		while (at < end && (*at == ' ' || *at == '=' || *at == '\'' || *at == '"'))
			at++;
		start = at;
		while (at < end && ((*at >= '0' && *at <= '9') || *at == '.'))
			at++;
		if (at == start || (at < end && !strchr(" \t'\"`\\", *at)))
			continue;
		*label = options[i].label;
		*value = (struct weir_slice){start, (size_t)(at - start)};
		return true;
	}
	return false;
}
