/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads logs of vLLM, V0 and V1: the lines about iterations (--enable-logging-iteration-details),
 * the statistics of intervals, those of speculative decoding, and warnings about preemptions.
 * The statistics of speculative decoding follow those of their interval and belong to its row.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/readers/readers.h"
#include "engine/readers/serverlog/lines.h"

#define ITERATION "Iteration("
#define PROMPT    "Avg prompt throughput:"
#define DECODE    "Avg generation throughput:"
#define PREEMPTED "total_num_cumulative_preemption="
#define NEAR      96 /* bytes between the two throughputs at most */

/* Cumulative numbers. */
enum total { TOTAL_PREEMPTED, TOTAL_DRAFTED, TOTAL_ACCEPTED, TOTAL_EMITTED };

static const struct weir_serverlog_field iteration_fields[] = {
	{"context requests", WEIR_SERVERLOG_PREFILL_REQUESTS, 0},
	{"context tokens", WEIR_SERVERLOG_PREFILL_TOKENS, 0},
	{"generation requests", WEIR_SERVERLOG_DECODE_REQUESTS, 0},
	{"generation tokens", WEIR_SERVERLOG_DECODE_TOKENS, 0},
	{"iteration elapsed time", WEIR_SERVERLOG_DURATION, 6},
	{"GPU KV cache usage", WEIR_SERVERLOG_KV_USAGE, -2},
	{"kv cache", WEIR_SERVERLOG_KV_USAGE, -2},
	{0},
};

/* V0 counts requests whose cache was swapped to the host apart from those that wait. */
static const struct weir_serverlog_field interval_fields[] = {
	{"Avg prompt throughput", WEIR_SERVERLOG_PROMPT_RATE, 0},
	{"Avg generation throughput", WEIR_SERVERLOG_DECODE_RATE, 0},
	{"Running", WEIR_SERVERLOG_RUNNING, 0},
	{"Waiting", WEIR_SERVERLOG_WAITING, 0},
	{"Pending", WEIR_SERVERLOG_WAITING, 0},
	{"Swapped", WEIR_SERVERLOG_WAITING_TOO, 0},
	{"Preemptions", WEIR_SERVERLOG_PREEMPTED, 0},
	{"GPU KV cache usage", WEIR_SERVERLOG_KV_USAGE, -2},
	{"Prefix cache hit rate", WEIR_SERVERLOG_HIT_RATE, -2},
	{0},
};

static const struct weir_serverlog_field speculation_fields[] = {
	{"Mean acceptance length", WEIR_SERVERLOG_ACCEPT_LENGTH, 0},
	{"Accepted", WEIR_SERVERLOG_ACCEPTED, 0},
	{"Drafted", WEIR_SERVERLOG_DRAFTED, 0},
	{"Number of accepted tokens", WEIR_SERVERLOG_ACCEPTED, 0},
	{"Number of draft tokens", WEIR_SERVERLOG_DRAFTED, 0},
	{"Number of draft tokens tokens", WEIR_SERVERLOG_DRAFTED, 0},
	{"Number of emitted tokens", WEIR_SERVERLOG_EMITTED, 0},
	{"Number of emitted tokens tokens", WEIR_SERVERLOG_EMITTED, 0},
	{"Number of speculative tokens", WEIR_SERVERLOG_DRAFT_LENGTH, 0},
	{"System efficiency", WEIR_SERVERLOG_EFFICIENCY, 0},
	{0},
};

static const struct weir_serverlog_field hit_fields[] = {
	{"GPU", WEIR_SERVERLOG_HIT_RATE, -2},
	{0},
};

static const struct weir_serverlog_setting settings[] = {
	{"max_num_seqs", WEIR_SERVERLOG_SET_MAX_RUNNING},
	{"max_num_batched_tokens", WEIR_SERVERLOG_SET_STEP_TOKENS},
	{"num_speculative_tokens", WEIR_SERVERLOG_SET_DRAFT_TOKENS},
	{"num_spec_tokens", WEIR_SERVERLOG_SET_DRAFT_TOKENS},
	{"gpu_memory_utilization", WEIR_SERVERLOG_SET_SHARE},
	{"enable_chunked_prefill", WEIR_SERVERLOG_SET_CHUNKED},
	{"chunked_prefill_enabled", WEIR_SERVERLOG_SET_CHUNKED},
	{0},
};

/* Texts of lines that state settings. Lines about requests quote anything and are not searched. */
static const char *const setting_lines[] = {
	"non-default args", "args: Namespace(", "EngineArgs(",        "LLM engine (",
	"vllm serve",       "api_server --",    "Chunked prefill is", NULL,
};

static struct weir_slice from(struct weir_slice line, const char *at)
{
	return (struct weir_slice){at, (size_t)(line.data + line.length - at)};
}

/* Returns the digits that a text begins with, without leading zeros. */
static struct weir_slice digits_of(struct weir_slice text)
{
	size_t length = 0;

	while (length < text.length && isdigit((unsigned char)text.data[length]))
		length++;
	text.length = length;
	while (text.length > 1 && *text.data == '0')
		text = (struct weir_slice){text.data + 1, text.length - 1};
	return text;
}

/* Finds the engine that the text before a message names: "Engine 003: ", "EngineCore_DP1". */
static uint32_t engine_of(struct weir_serverlog *reading, struct weir_slice before,
                          const char *none)
{
	static const char *const names[] = {"EngineCore_DP", "EngineCore_", "Engine "};
	struct weir_slice digits = {0};

	if (weir_slice_holds(before, "Engines Aggregated"))
		return weir_server_log_engine(reading->log, "all", strlen("all"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !digits.length; i++) {
		const char *at = weir_slice_find(before, names[i]);

		if (at)
			digits = digits_of(from(before, at + strlen(names[i])));
	}
	if (!digits.length || digits.length > 9)
		digits = weir_slice_of(none);
	return weir_server_log_engine(reading->log, digits.data, digits.length);
}

static struct weir_slice before(struct weir_slice line, const char *at)
{
	return (struct weir_slice){line.data, (size_t)(at - line.data)};
}

static void take_iteration(struct weir_serverlog *reading, struct weir_slice line, const char *at)
{
	struct weir_slice message = from(line, at);
	struct weir_serverlog_values values;
	const char *start = weir_slice_find(message, "): ");

	if (!start)
		return;
	weir_serverlog_take_fields(reading, from(line, start + 3), iteration_fields, &values);
	if (values.duration_ns < 0 && isnan(values.number[WEIR_SERVERLOG_PREFILL_TOKENS]))
		return;
	weir_serverlog_add(reading, &values, WEIR_SERVER_STEP,
	                   engine_of(reading, before(line, at), "0"));
}

static void take_interval(struct weir_serverlog *reading, struct weir_slice line, const char *at)
{
	struct weir_slice message = from(line, at), head = before(line, at);
	struct weir_serverlog_values values;
	const char *prompt, *none;

	head.data += head.length > NEAR ? head.length - NEAR : 0;
	head.length = (size_t)(at - head.data);
	prompt = weir_slice_find(head, PROMPT);
	if (prompt)
		message = from(line, prompt);
	none = weir_slice_holds(message, "Swapped:") ? "" : "0";
	weir_serverlog_take_fields(reading, message, interval_fields, &values);
	weir_serverlog_add(reading, &values, WEIR_SERVER_INTERVAL,
	                   engine_of(reading, before(line, message.data), none));
}

/* Returns the row of the last interval, if it is still without numbers of speculation. */
static struct weir_server_row *open_row(struct weir_serverlog *reading)
{
	struct weir_server_row *row;

	if (!reading->last_interval)
		return NULL;
	row = &reading->log->rows[reading->last_interval - 1];
	return row->drafted < 0 && row->accepted < 0 && isnan(row->accept_length) ? row : NULL;
}

static void set_if_known(double *to, double value)
{
	if (!isnan(value))
		*to = value;
}

/* Turns the cumulative numbers of V0 into those since the line before. */
static void take_increases(struct weir_serverlog *reading, struct weir_serverlog_values *values)
{
	double *number = values->number, length = number[WEIR_SERVERLOG_DRAFT_LENGTH];
	int64_t drafted =
		weir_serverlog_increase(reading, TOTAL_DRAFTED, number[WEIR_SERVERLOG_DRAFTED]);
	int64_t accepted =
		weir_serverlog_increase(reading, TOTAL_ACCEPTED, number[WEIR_SERVERLOG_ACCEPTED]);
	int64_t emitted =
		weir_serverlog_increase(reading, TOTAL_EMITTED, number[WEIR_SERVERLOG_EMITTED]);

	number[WEIR_SERVERLOG_DRAFTED] = drafted < 0 ? NAN : (double)drafted;
	number[WEIR_SERVERLOG_ACCEPTED] = accepted < 0 ? NAN : (double)accepted;
	if (length > 0)
		reading->log->settings.draft_tokens = (int64_t)length;
	if (length > 0 && drafted > 0 && emitted >= 0)
		number[WEIR_SERVERLOG_ACCEPT_LENGTH] = (double)emitted * length / (double)drafted;
}

/* Returns the number of items of a list such as "0.700, 0.500, Avg": those that are numbers. */
static int64_t count_numbers(struct weir_slice list)
{
	int64_t count = 0;
	size_t at = 0;

	while (at < list.length && (isdigit((unsigned char)list.data[at]))) {
		count++;
		while (at < list.length && list.data[at] != ',')
			at++;
		while (at < list.length && (list.data[at] == ',' || list.data[at] == ' '))
			at++;
	}
	return count;
}

/* Takes the number of tokens in a draft from the shares of those accepted at each position. */
static void take_positions(struct weir_serverlog *reading, struct weir_slice message)
{
	static const char label[] = "Per-position acceptance rate: ";
	const char *at = weir_slice_find(message, label);
	int64_t count = at ? count_numbers(from(message, at + strlen(label))) : 0;

	if (count > 0)
		reading->log->settings.draft_tokens = count;
}

static void take_speculation(struct weir_serverlog *reading, struct weir_slice message)
{
	struct weir_server_row *row = open_row(reading);
	struct weir_serverlog_values values;

	weir_serverlog_take_fields(reading, message, speculation_fields, &values);
	take_positions(reading, message);
	if (!isnan(values.number[WEIR_SERVERLOG_EFFICIENCY]))
		take_increases(reading, &values);
	if (!row) {
		uint32_t engine = reading->last_interval
		                          ? reading->log->rows[reading->last_interval - 1].engine
		                          : weir_server_log_engine(reading->log, "0", 1);

		weir_serverlog_add(reading, &values, WEIR_SERVER_INTERVAL, engine);
		return;
	}
	if (!isnan(values.number[WEIR_SERVERLOG_DRAFTED]))
		row->drafted = (int32_t)values.number[WEIR_SERVERLOG_DRAFTED];
	if (!isnan(values.number[WEIR_SERVERLOG_ACCEPTED]))
		row->accepted = (int32_t)values.number[WEIR_SERVERLOG_ACCEPTED];
	set_if_known(&row->accept_length, values.number[WEIR_SERVERLOG_ACCEPT_LENGTH]);
}

/* Takes the rate of hits that V0 prints in a separate line. */
static void take_hits(struct weir_serverlog *reading, struct weir_slice message)
{
	struct weir_serverlog_values values;

	weir_serverlog_take_fields(reading, message, hit_fields, &values);
	if (reading->last_interval)
		set_if_known(&reading->log->rows[reading->last_interval - 1].hit_rate,
		             values.number[WEIR_SERVERLOG_HIT_RATE]);
}

/* Counts preemptions of V0, which prints every fiftieth one with their number since the start. */
static void take_preemption(struct weir_serverlog *reading, struct weir_slice line)
{
	int64_t total = weir_serverlog_number_behind(line, PREEMPTED);
	int64_t increase;

	if (total < 0)
		return;
	increase = weir_serverlog_increase(reading, TOTAL_PREEMPTED, (double)total);
	weir_serverlog_preempt(reading, weir_server_log_engine(reading->log, "", 0),
	                       increase < 0 ? 1 : increase);
}

static void take_kv_size(struct weir_serverlog *reading, struct weir_slice line)
{
	struct weir_server_settings *to = &reading->log->settings;
	int64_t tokens = weir_serverlog_number_behind(line, "KV cache size: ");

	if (tokens > 0)
		to->kv_tokens = tokens;
}

static void take_other(struct weir_serverlog *reading, struct weir_slice line)
{
	const char *at;

	if ((at = weir_slice_find(line, "SpecDecoding metrics:")) != NULL)
		take_speculation(reading, from(line, at + strlen("SpecDecoding metrics:")));
	else if ((at = weir_slice_find(line, "Speculative metrics:")) != NULL)
		take_speculation(reading, from(line, at + strlen("Speculative metrics:")));
	else if ((at = weir_slice_find(line, "Prefix cache hit rate: GPU:")) != NULL)
		take_hits(reading, from(line, at + strlen("Prefix cache hit rate: ")));
	else if (weir_slice_holds(line, PREEMPTED))
		take_preemption(reading, line);
	if (weir_slice_holds(line, "vLLM API server version") ||
	    (weir_slice_holds(line, "Initializing a") && weir_slice_holds(line, "LLM engine (")))
		weir_serverlog_start(reading);
	take_kv_size(reading, line);
	if (weir_serverlog_take_settings(reading, line, setting_lines, settings) &&
	    weir_slice_holds(line, "Chunked prefill is enabled"))
		reading->log->settings.chunked_prefill = 1;
}

static void take(struct weir_serverlog *reading, struct weir_slice line)
{
	const char *at;

	if (weir_slice_holds(line, "Received request "))
		return;
	if ((at = weir_slice_find(line, ITERATION)) != NULL)
		take_iteration(reading, line, at);
	else if ((at = weir_slice_find(line, DECODE)) != NULL)
		take_interval(reading, line, at);
	else
		take_other(reading, line);
}

static enum weir_status read_vllm(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_serverlog_format format = {
		.product = WEIR_PRODUCT_VLLM,
		.take = take,
		.missing = "start vLLM with --enable-logging-iteration-details, or at least "
			   "without --disable-log-stats",
	};

	return weir_serverlog_read(&format, source, input, err);
}

static int sniff(const char *head, size_t len)
{
	static const char *const texts[] = {
		"vLLM API server version", "Avg generation throughput:", " generation requests, ",
		"LLM engine (v",           "GPU KV cache size:",         NULL};

	return weir_serverlog_sniff(head, len, texts);
}

const struct weir_reader weir_reader_vllm_log = {
	.name = "vllm-log",
	.title = "logs of vLLM: steps (--enable-logging-iteration-details), intervals",
	.gives = "server log",
	.sniff = sniff,
	.read = read_vllm,
};
