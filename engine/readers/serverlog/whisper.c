/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the times that whisper.cpp prints when a program ends, anywhere in a log:
 *
 *	whisper_print_timings:     load time =   123.45 ms
 *	whisper_print_timings:   encode time =   520.33 ms /     1 runs (  520.33 ms per run)
 *	whisper_print_timings:    total time =  1120.99 ms
 *
 * A program is a request, with its total from the start of the program on, or, if it has reset its
 * times since, from there on without the load. Its parts are sums over the whole audio. Runs are
 * calls of a stage, and not tokens; they are not read.
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define PREFIX   "whisper_print_timings:"
#define UNKNOWN  (-1)
#define MAX_NS   (INT64_C(1) << 50) /* 13 days: a longer time is a damaged one */
#define MAX_RUNS (1u << 20)         /* programs of a log */

static const struct weir_mark marks[] = {
	{.first = "", .texts = {{PREFIX, " time = "}, .all = 2}},
	{0},
};

enum label { LOAD, MEL, ENCODE, PROMPT, DECODE, BATCHED, SAMPLE, TOTAL, LABELS };

/* Texts of the log, and names of stages in the order of the work. */
static const struct {
	const char *text, *stage;
} labels[LABELS] = {
	[LOAD] = {"load time =", "load"},
	[MEL] = {"mel time =", "mel preprocessing"},
	[ENCODE] = {"encode time =", "encoder inference"},
	[PROMPT] = {"prompt time =", "prompt inference"},
	[DECODE] = {"decode time =", "decode"},
	[BATCHED] = {"batchd time =", "batched decode"},
	[SAMPLE] = {"sample time =", "sampling"},
	[TOTAL] = {"total time =", NULL},
};

struct reading {
	struct weir_input *input;
	int64_t ns[LABELS]; /* UNKNOWN: not printed */
};

static void forget(struct reading *reading)
{
	for (size_t i = 0; i < LABELS; i++)
		reading->ns[i] = UNKNOWN;
}

/* Forgets the load if the total only holds the other parts: it lies before the start of the times,
 * which whisper_reset_timings() sets. */
static void check_load(struct reading *reading)
{
	int64_t others_ns = 0;

	for (size_t i = LOAD + 1; i < TOTAL; i++)
		others_ns += reading->ns[i] > 0 ? reading->ns[i] : 0;
	if (others_ns <= reading->ns[TOTAL] && reading->ns[LOAD] > reading->ns[TOTAL] - others_ns)
		reading->ns[LOAD] = UNKNOWN;
}

/* Adds the program whose total was read. Programs with several processors print sums over them,
 * which may exceed the total: then it has the total alone. */
static void flush(struct reading *reading, uint64_t at)
{
	struct weir_requests *requests = reading->input->requests;
	struct weir_request request = weir_request_unknown();
	int64_t sum_ns = 0;

	check_load(reading);
	for (size_t i = 0; i < TOTAL; i++) {
		if (reading->ns[i] <= 0)
			continue;
		sum_ns += reading->ns[i];
		weir_requests_add_part(
			requests,
			weir_requests_stage(requests, labels[i].stage, strlen(labels[i].stage)),
			reading->ns[i]);
	}
	if (sum_ns > reading->ns[TOTAL]) {
		weir_input_warn(reading->input, WEIR_WARN_INCONSISTENT, at,
		                "a total below the sum of its parts");
		weir_requests_drop_parts(requests);
	}
	request.end_ns = reading->ns[TOTAL];
	if (request.end_ns > 0 && requests->count < MAX_RUNS) {
		weir_requests_add(requests, &request);
	} else {
		weir_requests_drop_parts(requests);
		weir_input_warn(reading->input, WEIR_WARN_NO_TIME, at, NULL);
	}
	forget(reading);
}

/* Takes "encode time = 520.33 ms / 1 runs (...)". */
static void take_line(struct reading *reading, struct weir_slice line, uint64_t at)
{
	for (size_t i = 0; i < LABELS; i++) {
		struct weir_slice text = line;
		const char *unit;
		int64_t ns;

		if (!weir_slice_take(&text, labels[i].text))
			continue;
		unit = weir_slice_find(text, " ms");
		if (unit)
			text.length = (size_t)(unit - text.data);
		text = weir_slice_trim(text);
		if (!unit || !weir_parse_scaled(text.data, text.length, 6, &ns) || ns < 0 ||
		    ns > MAX_NS) {
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, NULL);
			continue;
		}
		reading->ns[i] = ns;
		if (i == TOTAL)
			flush(reading, at);
	}
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct reading reading = {.input = input};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	forget(&reading);
	input->requests = weir_requests_new();
	input->requests->time_base = WEIR_TIME_NONE;
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		const char *found = weir_slice_find(row->line, PREFIX);
		struct weir_slice line = row->line;

		if (!found)
			continue;
		line.data = found + strlen(PREFIX);
		line.length = (size_t)(row->line.data + row->line.length - line.data);
		take_line(&reading, weir_slice_trim(line), row->at);
	}
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	weir_requests_finish(input->requests);
	input->events = input->requests->count;
	if (!status && !input->events)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no total of times in this log of whisper.cpp: expected "
		                   "\"whisper_print_timings: total time = 1120.99 ms\"");
	return status;
}

const struct weir_reader weir_reader_whisper = {
	.name = "whisper-log",
	.title = "times that whisper.cpp prints (whisper_print_timings)",
	.gives = "requests",
	.marks = marks,
	.read = read,
};
