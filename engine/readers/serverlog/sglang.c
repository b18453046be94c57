/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads logs of SGLang: a line for each batch of prompts and one for every few decode steps
 * (--decode-log-interval), both rows of an interval, and retractions, which count as preemptions of
 * the next row. SGLang warns about each retraction; a row without one has 0.
 */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "engine/readers/readers.h"
#include "engine/readers/serverlog/lines.h"

#define PREFILL   "Prefill batch"
#define DECODE    "Decode batch"
#define RETRACTED "#retracted_reqs: "
#define TAG       48 /* bytes of the ranks in a prefix at most */

/* With separate servers for prompts and decoding, requests without a place in the other server's
 * cache wait apart: #prealloc-req, #unbootstrapped-req. Some versions end a line with its time in
 * microseconds; that in the prefix has whole seconds. */
static const struct weir_serverlog_field prefill_fields[] = {
	{"#new-seq", WEIR_SERVERLOG_PREFILL_REQUESTS, 0},
	{"#new-token", WEIR_SERVERLOG_PREFILL_TOKENS, 0},
	{"#cached-token", WEIR_SERVERLOG_CACHED_TOKENS, 0},
	{"cache hit rate", WEIR_SERVERLOG_HIT_RATE, -2},
	{"token usage", WEIR_SERVERLOG_KV_USAGE, 0},
	{"full token usage", WEIR_SERVERLOG_KV_USAGE, 0},
	{"swa token usage", WEIR_SERVERLOG_KV_USAGE_TOO, 0},
	{"#running-req", WEIR_SERVERLOG_RUNNING, 0},
	{"#queue-req", WEIR_SERVERLOG_WAITING, 0},
	{"#prealloc-req", WEIR_SERVERLOG_WAITING_TOO, 0},
	{"#unbootstrapped-req", WEIR_SERVERLOG_WAITING_TOO, 0},
	{"input throughput (token/s)", WEIR_SERVERLOG_PROMPT_RATE, 0},
	{"timestamp", WEIR_SERVERLOG_TIME, 0},
	{0},
};

static const struct weir_serverlog_field decode_fields[] = {
	{"#running-req", WEIR_SERVERLOG_DECODE_REQUESTS, 0},
	{"token usage", WEIR_SERVERLOG_KV_USAGE, 0},
	{"full token usage", WEIR_SERVERLOG_KV_USAGE, 0},
	{"swa token usage", WEIR_SERVERLOG_KV_USAGE_TOO, 0},
	{"accept len", WEIR_SERVERLOG_ACCEPT_LENGTH, 0},
	{"gen throughput (token/s)", WEIR_SERVERLOG_DECODE_RATE, 0},
	{"#queue-req", WEIR_SERVERLOG_WAITING, 0},
	{"#prealloc-req", WEIR_SERVERLOG_WAITING_TOO, 0},
	{"timestamp", WEIR_SERVERLOG_TIME, 0},
	{0},
};

static const struct weir_serverlog_setting settings[] = {
	{"max_running_requests", WEIR_SERVERLOG_SET_MAX_RUNNING},
	{"chunked_prefill_size", WEIR_SERVERLOG_SET_CHUNK},
	{"max_total_num_tokens", WEIR_SERVERLOG_SET_KV_TOKENS},
	{"speculative_num_draft_tokens", WEIR_SERVERLOG_SET_DRAFT_TOKENS},
	{"mem_fraction_static", WEIR_SERVERLOG_SET_SHARE},
	{0},
};

static const char *const setting_lines[] = {
	"ServerArgs(", "max_total_num_tokens=", "sglang.launch_server", "sglang serve", NULL,
};

static bool is_tag(char c)
{
	return isalnum((unsigned char)c) || c == ' ' || c == '_';
}

/* Finds the ranks in "[2025-03-01 12:00:00 DP0 TP0] ": the words between the time and the bracket
 * that closes before the message. Empty: no ranks. */
static struct weir_slice ranks_of(struct weir_slice line, const char *at)
{
	const char *end = at, *start;

	while (end > line.data && end[-1] == ' ')
		end--;
	if (end == line.data || end[-1] != ']')
		return (struct weir_slice){"", 0};
	start = --end;
	while (start > line.data && end - start < TAG && is_tag(start[-1]))
		start--;
	while (start < end && (isdigit((unsigned char)*start) || *start == ' '))
		start++;
	return (struct weir_slice){start, (size_t)(end - start)};
}

/* Returns what Ray puts before the lines of an actor: "pid=123, ip=10.0.0.1" of "(SGLangEngine
 * pid=123, ip=10.0.0.1) ". Empty: no actor wrote the line. */
static struct weir_slice actor_of(struct weir_slice line)
{
	const char *at = line.length && *line.data == '(' ? weir_slice_find(line, " pid=") : NULL;
	const char *end = line.data + line.length, *close;

	if (!at || !(close = memchr(at, ')', (size_t)(end - at))) ||
	    close - line.data > 2 * (ptrdiff_t)TAG)
		return (struct weir_slice){"", 0};
	return (struct weir_slice){at + 1, (size_t)(close - at) - 1};
}

/* Returns the engine of a line by its ranks. One log of Ray holds several engines with the same
 * ranks, so that the actor is a part of the name. */
static uint32_t engine_of(struct weir_serverlog *reading, struct weir_slice line, const char *at)
{
	struct weir_slice ranks = ranks_of(line, at), actor = actor_of(line);
	struct weir_text name = {0};
	uint32_t engine;

	if (!actor.length)
		return weir_server_log_engine(reading->log, ranks.data, ranks.length);
	weir_text_add(&name, ranks.data, ranks.length);
	weir_text_puts(&name, ranks.length ? " " : "");
	weir_text_add(&name, actor.data, actor.length);
	engine = weir_server_log_engine(reading->log, name.data, name.length);
	weir_text_release(&name);
	return engine;
}

/* Returns the fields behind "Prefill batch" and its number: ". ", ", " or " [12], ". */
static struct weir_slice fields_behind(struct weir_slice line, const char *at)
{
	const char *end = line.data + line.length;

	if (end - at > 1 && at[0] == ' ' && at[1] == '[')
		while (at < end && *at != ']')
			at++;
	while (at < end && strchr("]., ", *at))
		at++;
	return (struct weir_slice){at, (size_t)(end - at)};
}

static void take_batch(struct weir_serverlog *reading, struct weir_slice line, const char *at,
                       bool decode)
{
	struct weir_slice fields = fields_behind(line, at + strlen(decode ? DECODE : PREFILL));
	struct weir_serverlog_values values;
	double *number = values.number;

	if (!fields.length || *fields.data != '#')
		return;
	weir_serverlog_take_fields(reading, fields, decode ? decode_fields : prefill_fields,
	                           &values);
	if (decode)
		number[WEIR_SERVERLOG_RUNNING] = number[WEIR_SERVERLOG_DECODE_REQUESTS];
	number[WEIR_SERVERLOG_PREEMPTED] = 0;
	weir_serverlog_add(reading, &values, WEIR_SERVER_INTERVAL, engine_of(reading, line, at));
}

/* Returns the place behind the prefix of a line, "[...] ". */
static const char *behind_prefix(struct weir_slice line)
{
	const char *close = weir_slice_find(line, "] ");

	return close ? close + 2 : line.data;
}

static void take_other(struct weir_serverlog *reading, struct weir_slice line)
{
	if (weir_slice_holds(line, RETRACTED)) {
		weir_serverlog_preempt(reading, engine_of(reading, line, behind_prefix(line)),
		                       weir_serverlog_number_behind(line, RETRACTED));
		return;
	}
	if (weir_slice_holds(line, "server_args=ServerArgs("))
		weir_serverlog_start(reading);
	weir_serverlog_take_settings(reading, line, setting_lines, settings);
}

static void take(struct weir_serverlog *reading, struct weir_slice line)
{
	const char *at;

	if ((at = weir_slice_find(line, DECODE)) != NULL)
		take_batch(reading, line, at, true);
	else if ((at = weir_slice_find(line, PREFILL)) != NULL)
		take_batch(reading, line, at, false);
	else
		take_other(reading, line);
}

static enum weir_status read_sglang(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_serverlog_format format = {
		.product = WEIR_PRODUCT_SGLANG,
		.take = take,
		.missing = "start SGLang with --log-level info; --decode-log-interval says after "
			   "how many decode steps it prints one",
	};

	return weir_serverlog_read(&format, source, input, err);
}

static int sniff(const char *head, size_t len)
{
	static const char *const texts[] = {"server_args=ServerArgs(",
	                                    "max_total_num_tokens=",
	                                    "Prefill batch",
	                                    "Decode batch",
	                                    "#running-req: ",
	                                    "#queue-req: ",
	                                    NULL};

	return weir_serverlog_sniff(head, len, texts);
}

const struct weir_reader weir_reader_sglang_log = {
	.name = "sglang-log",
	.title = "logs of SGLang: batches of prompts, decode steps, retractions",
	.gives = "server log",
	.sniff = sniff,
	.read = read_sglang,
};
