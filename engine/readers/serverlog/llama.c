/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads logs and replies of llama-server. The log states the times of each request when its slot
 * is done:
 *
 *	slot print_timing: id  0 | task 7 | prompt eval time = 203.15 ms /  31 tokens (...)
 *	slot print_timing: id  0 | task 7 |        eval time = 836.56 ms / 155 tokens (...)
 *	slot print_timing: id  0 | task 7 |       total time = 1039.71 ms / 186 tokens
 *
 * Earlier versions print the first part alone and the times in lines below it. llama-cli and other
 * programs of llama.cpp print the times of one request when they end, behind any prefix:
 *
 *	0.01.352 I llama_perf_context_print: prompt eval time = 45.63 ms /  7 tokens (...)
 *	0.01.352 I llama_perf_context_print:        eval time = 636.73 ms / 63 runs (...)
 *	0.01.352 I llama_perf_context_print:       total time = 685.76 ms / 70 tokens
 *
 * Their times of loading and sampling are left out.
 *
 * A reply of the server in JSON, of any of its APIs, states the same times:
 *
 *	{"choices":[...],"timings":{"prompt_n":31,"prompt_ms":203.15,"predicted_n":155,
 *	 "predicted_ms":836.56,"draft_n":90,"draft_n_accepted":40}}
 *
 * A request has the parts prefill and decode. Its prompt tokens are those that were computed:
 * tokens in the cache of the slot are not among them. Neither lines nor replies state the arrival
 * of a request or its wait. Accepted draft tokens of all replies are a figure.
 */
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/jsonleaves.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define TIMING    "print_timing: "
#define EVAL_TIME "eval time ="

#define UNKNOWN      (-1)
#define MAX_NS       (INT64_C(1) << 50) /* 13 days: a longer time is a damaged one */
#define MAX_TOKENS   (INT64_C(1) << 40)
#define MAX_REQUESTS (1u << 22)

/* The times of a request, the label that holds another one first. */
enum label {
	PROMPT,
	EVAL,
	TOTAL,
	NO_LABEL,
};

static const char *const labels[NO_LABEL] = {("prompt " EVAL_TIME), EVAL_TIME, "total time ="};

static const struct weir_mark marks[] = {
	{.first = "", .texts = {{"slot ", TIMING "id ", EVAL_TIME, " ms / "}, .all = 4}},
	{.first = "{[",
         .keys = {{"timings"}, .all = 1},
         .within = "timings",
         .inside = {{"prompt_n", "prompt_ms", "predicted_n", "predicted_ms"}, .all = 4}},
	{0},
};

/* The request that the last lines are about. */
struct pending {
	int64_t slot, task; /* UNKNOWN: no line named them */
	int64_t prompt_ns, decode_ns, prompt_tokens, decode_tokens;
};

struct reading {
	struct weir_input *input;
	struct pending pending;
	uint8_t prefill, decode;  /* stages */
	double drafted, accepted; /* tokens of all replies */
};

static struct pending no_request(int64_t slot, int64_t task)
{
	return (struct pending){slot, task, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
}

/* Takes a number off a line, behind blanks. Returns false without one. `places`: power of ten of
 * the result. */
static bool take_number(struct weir_slice *line, int places, int64_t most, int64_t *out)
{
	size_t length = 0;

	*line = weir_slice_trim(*line);
	while (length < line->length && ((line->data[length] >= '0' && line->data[length] <= '9') ||
	                                 line->data[length] == '.'))
		length++;
	if (!length || !weir_parse_scaled(line->data, length, places, out) || *out < 0 ||
	    *out > most)
		return false;
	line->data += length;
	line->length -= length;
	return true;
}

/* Takes "203.15 ms /  31 tokens" behind a label. Returns false for other texts. */
static bool take_times(struct weir_slice text, int64_t *ns, int64_t *tokens)
{
	int64_t time_ns, count;

	if (!take_number(&text, 6, MAX_NS, &time_ns) || !weir_slice_take(&text, " ms / ") ||
	    !take_number(&text, 0, MAX_TOKENS, &count))
		return false;
	*ns = time_ns;
	*tokens = time_ns ? count : 0; /* llama-cli prints "0.00 ms / 1 runs" if there were none */
	return true;
}

/* Adds the request that the last lines, or a reply, are about; one that decoded nothing, or lacks
 * its prompt, is left out. */
static void flush(struct reading *reading, uint64_t at)
{
	struct weir_requests *requests = reading->input->requests;
	struct pending *pending = &reading->pending;
	struct weir_request request = weir_request_unknown();
	bool any = pending->prompt_ns >= 0 || pending->decode_ns >= 0;

	if (any &&
	    (pending->prompt_ns < 0 || pending->decode_ns < 0 || requests->count == MAX_REQUESTS)) {
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT, at,
		                "a request without the time of its prompt or of its answer");
	} else if (any) {
		request.end_ns = pending->prompt_ns + pending->decode_ns;
		request.tokens = pending->prompt_tokens;
		request.output_tokens = pending->decode_tokens;
		if (pending->prompt_ns > 0)
			request.first_token_ns = pending->prompt_ns;
		weir_requests_add_part(requests, reading->prefill, pending->prompt_ns);
		weir_requests_add_part(requests, reading->decode, pending->decode_ns);
		weir_requests_add(requests, &request);
	}
	*pending = no_request(pending->slot, pending->task);
}

/* Takes "id  0 | task 7 | " off a line; times of another request end the one before. */
static void take_slot(struct reading *reading, struct weir_slice *line, uint64_t at)
{
	int64_t slot = UNKNOWN, task = UNKNOWN;

	if (!weir_slice_take(line, "id ") || !take_number(line, 0, INT32_MAX, &slot) ||
	    !weir_slice_take(line, " | task ") || !take_number(line, 0, INT64_MAX, &task))
		return;
	weir_slice_take(line, " |");
	if (slot == reading->pending.slot && task == reading->pending.task)
		return;
	flush(reading, at);
	reading->pending = no_request(slot, task);
}

static struct weir_slice behind(struct weir_slice line, const char *found, const char *text)
{
	const char *from = found + strlen(text);

	return (struct weir_slice){from, (size_t)(line.data + line.length - from)};
}

/* Finds the label of a time at the start of a line, or behind a prefix that ends in a colon, and
 * gives the text behind it. */
static enum label label_of(struct weir_slice line, struct weir_slice *times)
{
	for (int label = 0; label < NO_LABEL; label++) {
		const char *found = weir_slice_find(line, labels[label]);
		struct weir_slice prefix;

		if (!found)
			continue;
		prefix = weir_slice_trim(
			(struct weir_slice){line.data, (size_t)(found - line.data)});
		if (prefix.length && !weir_slice_ends(prefix, ":"))
			continue;
		*times = behind(line, found, labels[label]);
		return (enum label)label;
	}
	return NO_LABEL;
}

static void take_line(struct reading *reading, struct weir_slice line, uint64_t at)
{
	struct pending *pending = &reading->pending;
	const char *timing = weir_slice_find(line, TIMING);
	struct weir_slice times;
	bool bad = false;

	if (timing) {
		line = behind(line, timing, TIMING);
		take_slot(reading, &line, at);
	}
	switch (label_of(line, &times)) {
	case PROMPT:
		if (pending->prompt_ns >= 0)
			flush(reading, at);
		bad = !take_times(times, &pending->prompt_ns, &pending->prompt_tokens);
		break;
	case EVAL:
		bad = !take_times(times, &pending->decode_ns, &pending->decode_tokens);
		break;
	case TOTAL:
		flush(reading, at);
		break;
	case NO_LABEL:
		break;
	}
	if (bad)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, NULL);
}

static enum weir_status read_lines(struct reading *reading, struct weir_source *source,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	uint64_t at = 0;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		at = row->at;
		if (row->cut &&
		    (weir_slice_holds(row->line, EVAL_TIME) || weir_slice_holds(row->line, TIMING)))
			weir_input_warn(reading->input, WEIR_WARN_TRUNCATED, at, NULL);
		else if (row->count)
			take_line(reading, row->line, at);
	}
	flush(reading, at);
	if (weir_csv_skipped(csv)->count)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT,
		                weir_csv_skipped(csv)->first_at, "a line of 1 MiB");
	weir_csv_free(csv);
	weir_damage_of_source(reading->input, source);
	return status;
}

/* ---- replies ---- */

/* Times and tokens of a reply. */
struct reply {
	struct pending times;
	int64_t drafted, accepted; /* tokens; UNKNOWN: none */
	bool failed;
	unsigned bad; /* malformed numbers */
};

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reply *reply = context;
	const struct {
		const char *path;
		int places; /* power of ten of the number */
		int64_t most;
		int64_t *value;
	} numbers[] = {
		{"timings/prompt_ms", 6, MAX_NS, &reply->times.prompt_ns},
		{"timings/predicted_ms", 6, MAX_NS, &reply->times.decode_ns},
		{"timings/prompt_n", 0, MAX_TOKENS, &reply->times.prompt_tokens},
		{"timings/predicted_n", 0, MAX_TOKENS, &reply->times.decode_tokens},
		{"timings/draft_n", 0, MAX_TOKENS, &reply->drafted},
		{"timings/draft_n_accepted", 0, MAX_TOKENS, &reply->accepted},
	};

	(void)err;
	reply->failed |= strcmp(leaf->path, "error") == 0 || strcmp(leaf->path, "error/code") == 0;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int64_t value;

		if (strcmp(leaf->path, numbers[i].path) != 0)
			continue;
		if (weir_parse_scaled(leaf->text.data, leaf->text.length, numbers[i].places,
		                      &value) &&
		    value >= 0 && value <= numbers[i].most)
			*numbers[i].value = value;
		else
			reply->bad++;
	}
	return WEIR_OK;
}

/* Takes an object: a reply, or a part of a streamed one, which has no times. */
static void take_reply(void *context, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct reading *reading = context;
	struct reply reply = {
		.times = no_request(UNKNOWN, UNKNOWN), .drafted = UNKNOWN, .accepted = UNKNOWN};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reply};
	struct weir_slice object = weir_jsoncursor_take(cursor);

	if (cursor->bad ||
	    weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, object, at, NULL)) {
		cursor->bad = true;
		return;
	}
	for (unsigned i = 0; i < reply.bad; i++)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	if (reply.failed && reply.times.decode_ns < 0) {
		weir_input_warn(reading->input, WEIR_WARN_FAILED_REQUEST, at, NULL);
		reading->input->requests->failed++;
		return;
	}
	if (reply.drafted > 0 && reply.accepted >= 0 && reply.accepted <= reply.drafted) {
		reading->drafted += (double)reply.drafted;
		reading->accepted += (double)reply.accepted;
	}
	reading->pending = reply.times;
	flush(reading, at);
}

/* Adds the share of draft tokens that the model accepted, over all replies. */
static void add_drafts(struct reading *reading)
{
	const struct {
		const char *key;
		double tokens;
	} counts[] = {{"draft_tokens", reading->drafted},
	              {"accepted_draft_tokens", reading->accepted}};
	char text[32];

	if (!(reading->drafted > 0))
		return;
	reading->input->run = weir_run_new();
	weir_figure_add(reading->input->run, "acceptance_rate", "%", true,
	                100 * reading->accepted / reading->drafted);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(text, sizeof(text), "%.15g", counts[i].tokens);
		weir_run_set_label(reading->input->run, counts[i].key, text);
	}
}

static enum weir_status read_replies(struct reading *reading, struct weir_source *source,
                                     struct weir_error *err)
{
	enum weir_status status =
		weir_records_each(source, reading->input, take_reply, reading, err);

	if (!status)
		add_drafts(reading);
	return status;
}

/* ---- the reader ---- */

static enum weir_status read_llama(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct reading reading = {.input = input, .pending = no_request(UNKNOWN, UNKNOWN)};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	input->requests = weir_requests_new();
	input->requests->time_base = WEIR_TIME_NONE;
	reading.prefill = weir_requests_stage(input->requests, "prefill", strlen("prefill"));
	reading.decode = weir_requests_stage(input->requests, "decode", strlen("decode"));
	status = weir_sniff_is_json(head, len) ? read_replies(&reading, source, err)
	                                       : read_lines(&reading, source, err);
	weir_requests_finish(input->requests);
	input->events = input->requests->count;
	if (!status && !input->events)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no request with the times of its prompt and of its answer in "
		                   "this file of llama.cpp: expected lines such as \"prompt "
		                   "eval time = 9.00 ms / 14 tokens\" and \"eval time = "
		                   "...\", or replies with \"timings\"");
	return status;
}

/* Returns true if the head is full of how the program started, so that requests may follow it. */
static bool is_long_start(const char *head, size_t len)
{
	return len >= WEIR_HEAD_SIZE && (weir_sniff_contains(head, len, "llama_model_loader: ") ||
	                                 weir_sniff_contains(head, len, "srv  llama_server: "));
}

/* Looks for the times of a prompt and of an answer, whichever program printed them. A long start
 * counts little: any reader that recognises more in it is chosen. */
static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, times;
	bool found[NO_LABEL + 1] = {false};

	while (!(found[PROMPT] && found[EVAL]) && weir_csv_take_line(&rest, &line)) {
		enum label label = label_of(line, &times);
		int64_t ns, tokens;

		found[label] |= label < TOTAL && take_times(times, &ns, &tokens);
	}
	if (found[PROMPT] && found[EVAL])
		return 8 * (int)(strlen(labels[PROMPT]) + strlen(EVAL_TIME));
	return is_long_start(head, len) ? 8 : 0;
}

const struct weir_reader weir_reader_llama_log = {
	.name = "llama-server-log",
	.title = "logs of llama.cpp (llama-server, llama-cli) and replies of llama-server",
	.gives = "requests",
	.marks = marks,
	.sniff = sniff,
	.read = read_llama,
};
