/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text that perf_analyzer and perf_client print, a block for each load:
 *
 *	Request concurrency: 4
 *	  Client:
 *	    Request count: 600
 *	    Throughput: 120 infer/sec
 *	    p95 latency: 35000 usec
 *	  Server:
 *	    Avg request latency: 31000 usec (overhead 10 usec + queue 900 usec + compute input ...)
 *
 * The server's times describe the whole model; composing models, which follow, are passed over. The
 * numbers are whole microseconds; the file of --profile-export-file has each request.
 */
#include <math.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/loadgen/perf_console.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"

#define MAX_NAME 48 /* bytes of "p99.9" in the name of a figure */

const struct weir_mark weir_perf_console_mark = {
	.first = "",
	.texts = {{"Request count:", "Throughput:", " infer/sec",
                   "Request concurrency:", "Request Rate:"},
                  .all = 3,
                  .any = 2}};

struct console {
	struct weir_input *input;
	struct weir_run *run; /* of the block that is being read; NULL: none. Owned. */
	bool composing;       /* the lines are of a composing model */
	struct weir_load_join join;
};

/* Takes the text before the separator off the rest, or all of it; trimmed. */
static struct weir_slice take_until(struct weir_slice *rest, char separator)
{
	const char *at = rest->length ? memchr(rest->data, separator, rest->length) : NULL;
	struct weir_slice part = {rest->data, at ? (size_t)(at - rest->data) : rest->length};
	size_t taken = part.length + (at != NULL);

	*rest = (struct weir_slice){rest->data + taken, rest->length - taken};
	return weir_slice_trim(part);
}

/* Parses "35000 usec" with this unit, of which other words may follow. */
static bool read_value(struct weir_slice text, const char *unit, double *value)
{
	struct weir_slice number = take_until(&text, ' ');

	text = weir_slice_trim(text);
	return number.length && weir_slice_starts(text, unit) &&
	       weir_parse_double(number.data, number.length, value) && *value >= 0;
}

static void add_ms(struct console *console, const char *name, double us)
{
	weir_figure_add(console->run, name, "ms", false, us / 1e3);
}

/* Takes "p95 latency" or "Avg latency" of the client. */
static void take_latency(struct console *console, struct weir_slice statistic, double us)
{
	char name[MAX_NAME];
	struct weir_text figure = {0};
	double percent;

	if (weir_slice_equals(statistic, "Avg"))
		add_ms(console, "mean_latency_ms", us);
	if (statistic.length < 2 || statistic.length >= sizeof(name) || *statistic.data != 'p' ||
	    !weir_parse_double(statistic.data + 1, statistic.length - 1, &percent) ||
	    !(percent > 0 && percent < 100))
		return;
	memcpy(name, statistic.data, statistic.length);
	name[statistic.length] = '\0';
	weir_text_printf(&figure, "%s_latency_ms", name);
	add_ms(console, figure.data, us);
	weir_text_release(&figure);
}

/* Splits "compute infer 90 usec" into name and time; false: it has another form. */
static bool split_part(struct weir_slice part, struct weir_slice *name, double *us)
{
	static const char unit[] = " usec";
	size_t end = part.length, start;

	if (end && part.data[end - 1] == ')')
		end--;
	if (end < sizeof(unit) - 1 ||
	    memcmp(part.data + end - (sizeof(unit) - 1), unit, sizeof(unit) - 1) != 0)
		return false;
	end -= sizeof(unit) - 1;
	for (start = end; start && part.data[start - 1] != ' ';)
		start--;
	*name = weir_slice_trim((struct weir_slice){part.data, start});
	return name->length && weir_parse_double(part.data + start, end - start, us) && *us >= 0;
}

/* Adds a part without a known name: "cache hit/miss" becomes "mean_cache_hit_miss_ms". */
static void add_unknown(struct console *console, struct weir_slice name, double us)
{
	struct weir_text figure = {0};

	weir_text_puts(&figure, "mean_");
	for (size_t i = 0; i < name.length; i++) {
		char c = name.data[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (c >= 'A' && c <= 'Z')
			weir_text_printf(&figure, "%c", c - 'A' + 'a');
		else if (plain)
			weir_text_printf(&figure, "%c", c);
		else if (figure.data[figure.length - 1] != '_')
			weir_text_puts(&figure, "_");
	}
	weir_text_puts(&figure, figure.data[figure.length - 1] == '_' ? "ms" : "_ms");
	add_ms(console, figure.data, us);
	weir_text_release(&figure);
}

/* Takes the parts of "31000 usec (overhead 10 usec + queue 900 usec + compute infer 90 usec)", of
 * the server or the client. A server without times of copies has one part "compute". */
static void take_parts(struct console *console, struct weir_slice text, uint64_t at)
{
	static const struct {
		const char *name, *figure;
	} parts[] = {
		{"queue", "mean_queue_ms"},
		{"compute input", "mean_h2d_ms"},
		{"compute infer", "mean_compute_ms"},
		{"compute", "mean_compute_ms"},
		{"compute output", "mean_d2h_ms"},
		{"(un)marshal request/response", "mean_request_response_ms"},
		{"send/recv", "mean_request_response_ms"},
	};
	struct weir_slice name;
	double us;

	take_until(&text, '(');
	while (text.length) {
		struct weir_slice part = take_until(&text, '+');
		size_t i = 0;

		if (!split_part(part, &name, &us) || name.length > MAX_NAME) {
			weir_input_warn(console->input, WEIR_WARN_BAD_NUMBER, at,
			                "a part of a latency that is not \"NAME N usec\"");
			continue;
		}
		while (i < WEIR_COUNT_OF(parts) && !weir_slice_equals(name, parts[i].name))
			i++;
		if (i < WEIR_COUNT_OF(parts))
			add_ms(console, parts[i].figure, us);
		else
			add_unknown(console, name, us);
	}
}

/* Takes the time of a request as the server or the client counts it, and its parts. */
static void take_average(struct console *console, struct weir_slice label, struct weir_slice text,
                         uint64_t at)
{
	double us;

	if (read_value(text, "usec", &us))
		add_ms(console,
		       weir_slice_equals(label, "Avg request latency") ? "mean_server_request_ms"
		                                                       : "mean_client_request_ms",
		       us);
	take_parts(console, text, at);
}

/* Takes the number of requests that the client measured, and of those that the server counted: it
 * also counts requests before and after the window of measurement. False for other lines. */
static bool take_count(struct console *console, struct weir_slice label, struct weir_slice text)
{
	static const char *const counts[][2] = {
		{"Request count", WEIR_LOAD_COMPLETED},
		{"Successful request count", "server_requests"},
		{"Inference count", "server_inferences"},
		{"Execution count", "server_executions"},
	};

	for (size_t i = 0; i < WEIR_COUNT_OF(counts); i++)
		if (weir_slice_equals(label, counts[i][0])) {
			weir_figure_label(console->run, counts[i][1], take_until(&text, ' '));
			return true;
		}
	return false;
}

/* Takes a line of a block. Without a completed inference the block has no figures. */
static void take_figure(struct console *console, struct weir_slice label, struct weir_slice text,
                        uint64_t at)
{
	static const char latency[] = " latency";
	size_t tail = sizeof(latency) - 1;
	double value;

	if (take_count(console, label, text))
		return;
	if (weir_slice_equals(label, "Throughput") && read_value(text, "infer/sec", &value) &&
	    value > 0)
		weir_figure_add(console->run, "inference_throughput", "inferences/s", true, value);
	else if (weir_slice_equals(label, "Response Throughput") &&
	         read_value(text, "infer/sec", &value) && value > 0)
		weir_figure_add(console->run, "response_throughput", "responses/s", true, value);
	else if (weir_slice_equals(label, "Avg request latency") ||
	         weir_slice_equals(label, "Avg HTTP time") ||
	         weir_slice_equals(label, "Avg gRPC time"))
		take_average(console, label, text, at);
	else if (label.length > tail && !memcmp(label.data + label.length - tail, latency, tail) &&
	         read_value(text, "usec", &value))
		take_latency(console,
		             weir_slice_trim((struct weir_slice){label.data, label.length - tail}),
		             value);
}

/* Ends the block that is being read, if there is one. */
static enum weir_status end_block(struct console *console, uint64_t at, struct weir_error *err)
{
	struct weir_run *run = console->run;

	console->run = NULL;
	console->composing = false;
	if (!run)
		return WEIR_OK;
	if (weir_series_find(&run->metrics, "inference_throughput"))
		return weir_load_join_add(&console->join, run, err);
	weir_run_free(run);
	weir_input_warn(console->input, WEIR_WARN_SKIPPED_EVENT, at,
	                "a load under which no request completed");
	return WEIR_OK;
}

/* True if the line begins the block of a load, "Request concurrency: 4" or "Request Rate: 20
 * inference requests per seconds", and gives the key of its label. A line of the list at the end,
 * "Request Rate: 20, throughput: 17 infer/sec", begins none. */
static bool begins_block(struct weir_slice label, struct weir_slice text, const char **key)
{
	static const char *const loads[][2] = {
		{"Request concurrency", "concurrency"},
		{"Request Rate", "request_rate"},
	};

	if (weir_slice_holds(text, ", throughput:"))
		return false;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (weir_slice_equals(label, loads[i][0])) {
			*key = loads[i][1];
			return true;
		}
	return false;
}

static enum weir_status take_line(struct console *console, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	struct weir_slice text = row->line, label = take_until(&text, ':');
	enum weir_status status;
	const char *key;

	text = weir_slice_trim(text);
	if (begins_block(label, text, &key)) {
		status = end_block(console, row->at, err);
		if (status)
			return status;
		console->run = weir_run_new();
		weir_figure_label(console->run, key, take_until(&text, ' '));
		return WEIR_OK;
	}
	if (!console->run)
		return WEIR_OK;
	/* The number in a line without an end may be cut. */
	if (row->cut)
		weir_input_warn(console->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else if (weir_slice_starts(label, "Inferences/Second vs"))
		return end_block(console, row->at, err);
	else if (weir_slice_equals(label, "Composing models"))
		console->composing = true;
	else if (!console->composing)
		take_figure(console, label, text, row->at);
	return WEIR_OK;
}

static enum weir_status conclude(struct console *console, struct weir_error *err)
{
	struct weir_input *input = console->input;
	enum weir_status status = end_block(console, UINT64_MAX, err);

	if (status)
		return status;
	if (!console->join.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no load with a throughput: expected \"Request concurrency: N\" "
		                 "and \"Throughput: N infer/sec\" below it; perf_analyzer did not "
		                 "finish, or its text is cut");
	status = weir_load_join_finish(&console->join, input, err);
	if (status)
		return status;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

enum weir_status weir_perf_console_read(struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\0'};
	struct console console = {.input = input};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_line(&console, row, err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&console, err);
	weir_run_free(console.run);
	weir_load_join_release(&console.join);
	return status;
}
