/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the tables that benchmarks print at their end, anywhere in a console log: `vllm bench
 * serve` (benchmark_serving.py) and SGLang's bench_serving ("Serving Benchmark Result"),
 * trtllm-bench ("PERFORMANCE OVERVIEW"), and the lines of `vllm bench throughput` and `vllm bench
 * latency`, which measure without a server. A row is "NAME: VALUE", in any line; the first versions
 * of benchmark_serving.py, and JetStream's, print no title and the unit behind the value.
 * Conditions of the run are taken from the rows and from the printed arguments, "Namespace(...)".
 * Several tables in one log become one run with the load in the names of figures (load_join.h). The
 * rows are rounded to two or four digits; the JSON results of the same programs are exact and have
 * samples.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define SERVING    "Serving Benchmark Result"
#define OVERVIEW   " OVERVIEW" /* ends the titles of trtllm-bench's tables */
#define ARGUMENTS  "Namespace("
#define TRTLLM     "trtllm-bench"
#define MAX_LABEL  256                  /* bytes of the name of a row */
#define ROUNDING   0.005                /* of rows with two digits */
#define NOWHERE    SIZE_MAX             /* slot of a row that is passed over */
#define JSON_BEGIN "<<<RESULT_START>>>" /* a log with a result in JSON is one of reader bench */

#define ERROR_TEXT 96 /* bytes with the NUL of an error that is quoted */

struct console {
	struct weir_input *input;
	struct weir_run *run; /* labels of the table that is being read, or comes next. Owned. */
	struct weir_client_summary summary;
	size_t figures;   /* numbers taken from this table */
	bool titled;      /* the table has its title */
	bool serving;     /* the table ends with a line of "=" */
	bool prefixed;    /* something stands before the "=" of its title: docker, kubectl */
	bool latency;     /* it is of trtllm-bench latency, whose total counts output alone */
	bool overview;    /* the table is trtllm-bench's, and has its title */
	bool found_title; /* some table of the log has its title */
	bool offline;     /* the result is of a benchmark without a server, and has no table */
	bool arguments;   /* the arguments of the program were printed before the result */
	size_t section;   /* slot of the times that a line of "-" names; NOWHERE: none */
	struct weir_heading heading, of_table; /* of this line, and of the table */
	char backend[32];                      /* of the last command line; "": not stated */
	char error[ERROR_TEXT];                /* the first error of the log; "": none */
	struct weir_load_join join;
};

/* ---- rows ---- */

/* Numbers by the end of their names. The first match counts. */
static const struct row {
	const char *name;
	size_t slot; /* of the summary */
} rows[] = {
	{"Successful requests", WEIR_CLIENT_SLOT(completed)},
	{"Number of requests", WEIR_CLIENT_SLOT(completed)},
	{"Failed requests", WEIR_CLIENT_SLOT(failed)},
	{"Average Output Length (tokens)", WEIR_CLIENT_SLOT(output_tokens)},
	{"Request throughput (req/s)", WEIR_CLIENT_SLOT(request_throughput)},
	{"Request Throughput (req/sec)", WEIR_CLIENT_SLOT(request_throughput)},
	{"Request goodput (req/s)", WEIR_CLIENT_SLOT(request_goodput)},
	{"Input token throughput (tok/s)", WEIR_CLIENT_SLOT(input_throughput)},
	{"Output token throughput (tok/s)", WEIR_CLIENT_SLOT(output_throughput)},
	{"Total Output Throughput (tokens/sec)", WEIR_CLIENT_SLOT(output_throughput)},
	{"Total token throughput (tok/s)", WEIR_CLIENT_SLOT(total_throughput)},
	{"Total Token throughput (tok/s)", WEIR_CLIENT_SLOT(total_throughput)},
	{"Total Token Throughput (tokens/sec)", WEIR_CLIENT_SLOT(total_throughput)},
	/* the reciprocal of the time per token */
	{"Generation Token Throughput (tokens/sec)", NOWHERE},
	/* trtllm-bench of 0.16: of output tokens */
	{"Token Throughput (tokens/sec)", WEIR_CLIENT_SLOT(output_throughput)},
	{"Per User Output Throughput [w/ ctx] (tps/user)",
         WEIR_CLIENT_SLOT(output_throughput_per_user)},
	{"Per User Output Throughput (tokens/sec/user)",
         WEIR_CLIENT_SLOT(output_throughput_per_user)},
	{"Per GPU Output Throughput (tokens/sec/gpu)", WEIR_CLIENT_SLOT(output_throughput_per_gpu)},
	{"Per GPU Output Throughput (tps/gpu)", WEIR_CLIENT_SLOT(output_throughput_per_gpu)},
	{"Per User Output Speed (tps/user)", WEIR_CLIENT_SLOT(output_speed_per_user)},
	{"Average request latency (ms)", WEIR_CLIENT_SLOT(e2e.mean)},
	{"Average time-to-first-token [TTFT] (ms)", WEIR_CLIENT_SLOT(ttft.mean)},
	{"Average time-per-output-token [TPOT] (ms)", WEIR_CLIENT_SLOT(tpot.mean)},
	{"Average time-to-first-token (ms)", WEIR_CLIENT_SLOT(ttft.mean)},
	{"Average inter-token latency (ms)", WEIR_CLIENT_SLOT(tpot.mean)},
	{"Acceptance rate (%)", WEIR_CLIENT_SLOT(acceptance_rate)},
	{"Acceptance length", WEIR_CLIENT_SLOT(acceptance_length)},
	{"Accept length", WEIR_CLIENT_SLOT(acceptance_length)}, /* SGLang */
};

/* "Mean TTFT (ms)", "P99 E2E Latency (ms)": a statistic before the subject. */
static const struct subject {
	const char *name;
	size_t slot; /* of times in the summary */
} subjects[] = {
	{" TTFT (ms)", WEIR_CLIENT_SLOT(ttft)},       {" TPOT (ms)", WEIR_CLIENT_SLOT(tpot)},
	{" ITL (ms)", WEIR_CLIENT_SLOT(itl)},         {" E2EL (ms)", WEIR_CLIENT_SLOT(e2e)},
	{" E2E Latency (ms)", WEIR_CLIENT_SLOT(e2e)},
};

/* "[TTFT] P99": a statistic behind the subject, as trtllm-bench writes it. */
static const struct subject bracketed[] = {
	{"[Latency] ", WEIR_CLIENT_SLOT(e2e)},
	{"[TTFT] ", WEIR_CLIENT_SLOT(ttft)},
	{"[TPOT] ", WEIR_CLIENT_SLOT(tpot)},
};

/* Titles of the parts of a table, "--- E2E Latency (ms) ---", whose rows may have the names of
 * statistics alone. */
static const struct subject sections[] = {
	{"E2E Latency (ms)", WEIR_CLIENT_SLOT(e2e)},
	{"End-to-End Latency (ms)", WEIR_CLIENT_SLOT(e2e)},
	{"Time to First Token (ms)", WEIR_CLIENT_SLOT(ttft)},
	{"Inter-Token Latency (ms)", WEIR_CLIENT_SLOT(itl)},
};

/* Conditions: names of rows, and the keys of their labels. */
static const struct weir_client_label conditions[] = {
	{"Backend", "backend"},
	{"Traffic request rate", "request_rate"},
	{"Request rate configured (RPS)", "request_rate"},
	{"Max request concurrency", "max_concurrency"},
	{"Maximum request concurrency", "max_concurrency"},
	{"Model", "model"},
	{"TensorRT-LLM Version", "tensorrt_llm"},
	{"Dtype", "dtype"},
	{"KV Cache Dtype", "kv_cache_dtype"},
	{"Quantization", "quantization"},
	{"TP Size", "tp_size"},
	{"PP Size", "pp_size"},
	{"EP Size", "ep_size"},
	{"Max Runtime Batch Size", "max_batch_size"},
	{"Max Runtime Tokens", "max_num_tokens"},
	{"Scheduling Policy", "scheduling_policy"},
	{"Number of requests", "num_prompts"},
	{0},
};

/* Arguments in "Namespace(backend='vllm', num_prompts=4, ...)". */
static const struct {
	const char *name, *key;
	const char *dataset; /* the dataset that it describes; of others it is unused. NULL: any */
} arguments[] = {
	{"backend=", "backend", NULL},
	{"model=", "model", NULL},
	{"num_prompts=", "num_prompts", NULL},
	{"request_rate=", "request_rate", NULL},
	{"max_concurrency=", "max_concurrency", NULL},
	{"dataset_name=", "dataset_name", NULL},
	{"random_input_len=", "random_input_len", "random"},
	{"random_output_len=", "random_output_len", "random"},
	{"sonnet_input_len=", "sonnet_input_len", "sonnet"},
	{"sonnet_output_len=", "sonnet_output_len", "sonnet"},
	/* without a server */
	{"input_len=", "input_len", NULL},
	{"output_len=", "output_len", NULL},
	{"batch_size=", "batch_size", NULL},
	{"tensor_parallel_size=", "tp_size", NULL},
	{"quantization=", "quantization", NULL},
};

/* Cuts a name off the end of a label; false unless the label ends with it as whole words. */
static bool ends_with(struct weir_slice label, const char *name, struct weir_slice *before)
{
	size_t length = strlen(name);

	if (label.length < length || memcmp(label.data + label.length - length, name, length) != 0)
		return false;
	*before = (struct weir_slice){label.data, label.length - length};
	return !before->length || *name == ' ' ||
	       !isalnum((unsigned char)label.data[before->length - 1]);
}

/* Returns the last word of a text. */
static struct weir_slice last_word(struct weir_slice text)
{
	size_t at = text.length;

	while (at && !isspace((unsigned char)text.data[at - 1]))
		at--;
	return (struct weir_slice){text.data + at, text.length - at};
}

/* True for "p50", "p99.9". */
static bool is_percentile(const char *name, size_t length)
{
	double value;

	return length > 1 && *name == 'p' && isdigit((unsigned char)name[1]) &&
	       weir_parse_double(name + 1, length - 1, &value) && value <= 100;
}

/* Returns "min" or "max" for the words of the tools, and other names as they are. */
static struct weir_slice extreme_of(struct weir_slice name)
{
	if (weir_slice_equals(name, "minimum"))
		return weir_slice_of("min");
	if (weir_slice_equals(name, "maximum") || weir_slice_equals(name, "max"))
		return weir_slice_of("max");
	return name;
}

/* Takes "Mean", "Median", "P99.9", "AVERAGE", "MAXIMUM", "Max"; others (Std) are passed over. */
static bool take_statistic(struct console *console, size_t slot, struct weir_slice word,
                           double value)
{
	struct weir_client_summary *summary = &console->summary;
	char name[WEIR_CLIENT_PERCENTILE] = "";
	struct weir_slice lower = {name, word.length};

	if (!word.length || word.length >= sizeof(name) || !(value > 0))
		return false;
	for (size_t i = 0; i < word.length; i++)
		name[i] = (char)tolower((unsigned char)word.data[i]);
	if (weir_client_is_statistic(lower) &&
	    weir_client_summary_set_statistic(summary, slot, lower, value))
		return true;
	lower = extreme_of(lower);
	return (is_percentile(name, lower.length) || lower.data != name) &&
	       summary->other_count < WEIR_CLIENT_MAX_PERCENTILES &&
	       weir_client_summary_add_percentile(summary, slot, lower, value);
}

/* Takes "Mean" or "P99" in a part of the table whose title names the times. */
static bool take_time_of_section(struct console *console, struct weir_slice label, double value)
{
	return console->section != NOWHERE && last_word(label).length == label.length &&
	       take_statistic(console, console->section, label, value);
}

static bool take_time(struct console *console, struct weir_slice label, double value)
{
	struct weir_slice before;

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		if (ends_with(label, subjects[i].name, &before))
			return take_statistic(console, subjects[i].slot,
			                      last_word(weir_slice_trim(before)), value);
	for (size_t i = 0; i < sizeof(bracketed) / sizeof(bracketed[0]); i++) {
		struct weir_slice word = last_word(label);

		before = (struct weir_slice){label.data, label.length - word.length};
		if (ends_with(before, bracketed[i].name, &before))
			return take_statistic(console, bracketed[i].slot, word, value);
	}
	return take_time_of_section(console, label, value);
}

/* Finds the row with this number; NULL if the label names no row. */
static const struct row *find_row(struct weir_slice label)
{
	struct weir_slice before;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ends_with(label, rows[i].name, &before))
			return &rows[i];
	return NULL;
}

/* ---- tables ---- */

static void begin_table(struct console *console)
{
	console->run = weir_run_new();
	weir_client_summary_init(&console->summary);
	console->summary.tpot_by_request = true;
	console->summary.rounding = ROUNDING;
	console->figures = 0;
	console->titled = console->serving = console->latency = console->prefixed = false;
	console->offline = console->arguments = console->overview = false;
	console->section = NOWHERE;
	console->of_table = console->heading;
}

/* Ends the table that is being read, if it has a figure, and begins the next. A table without a
 * completed request fails only if the log has no other one. */
static enum weir_status end_table(struct console *console, struct weir_error *err)
{
	struct weir_client_summary *summary = &console->summary;
	struct weir_run *run = console->run;
	enum weir_status status = WEIR_OK;

	if (!console->figures)
		return WEIR_OK;
	if (!console->titled && isnan(summary->completed)) {
		weir_run_free(run); /* rows that something repeats outside of a table */
	} else if (summary->completed <= 0) {
		weir_load_join_skip(&console->join, summary);
		weir_run_free(run);
	} else {
		if (!isnan(summary->total_output_tokens))
			summary->output_tokens = summary->total_output_tokens / summary->completed;
		summary->max_concurrency = weir_figure_label_number(run, "max_concurrency");
		if (*console->backend && !console->offline && !weir_run_label(run, "backend"))
			weir_run_set_label(run, "backend", console->backend);
		status = weir_client_summary_check(summary, console->input, err);
		weir_client_summary_add(summary, "", run);
		weir_client_summary_label_totals(summary, run);
		console->join.unlike |= console->offline && !console->arguments;
		if (!status && run->metrics.count) {
			status = weir_load_join_add(&console->join, run, err);
			weir_load_join_head(&console->join, &console->of_table);
		} else {
			weir_run_free(run);
		}
	}
	console->run = NULL;
	if (!status)
		begin_table(console);
	return status;
}

/* True for a line of at least ten "=", which ends a table of a serving benchmark. Where something
 * stands before the title of the table, something may stand before the line as well. */
static bool is_rule(const struct console *console, struct weir_slice line)
{
	size_t before = line.length;

	while (before && line.data[before - 1] == '=')
		before--;
	if (line.length - before < 10)
		return false;
	return !before || (console->prefixed && line.data[before - 1] == ' ' &&
	                   !weir_slice_holds((struct weir_slice){line.data, before}, "=="));
}

/* True for the title of a table of trtllm-bench. */
static bool is_overview(struct weir_slice line)
{
	return weir_slice_starts(line, "= ") && weir_slice_holds(line, OVERVIEW);
}

/* True for the title of the first table with results of a benchmark. */
static bool is_first_overview(struct weir_slice line)
{
	return weir_slice_equals(line, "= PERFORMANCE" OVERVIEW) ||
	       weir_slice_equals(line, "= GENERAL" OVERVIEW);
}

/* True for a line with which the output of a further benchmark begins. Pages show the overviews of
 * trtllm-bench alone, without the tables before them. */
static bool is_beginning(const struct console *console, struct weir_slice line)
{
	return weir_slice_holds(line, SERVING) || (console->overview && is_first_overview(line)) ||
	       weir_slice_holds(line, ARGUMENTS) || weir_slice_equals(line, "= ENGINE DETAILS") ||
	       (weir_slice_starts(line, "= ") && weir_slice_holds(line, "BACKEND"));
}

/* ---- lines ---- */

/* Returns the value of an argument up to the comma, without its quotes. */
static struct weir_slice argument_of(struct weir_slice line, const char *name)
{
	struct weir_slice rest = line;
	const char *found;

	while ((found = weir_slice_find(rest, name))) {
		const char *value = found + strlen(name), *end = line.data + line.length, *stop;
		char quote = value < end && (*value == '\'' || *value == '"') ? *value++ : ',';

		stop = memchr(value, quote, (size_t)(end - value));
		if (!stop && quote == ',')
			stop = memchr(value, ')', (size_t)(end - value));
		if (found > line.data && (found[-1] == ' ' || found[-1] == '(') && stop)
			return (struct weir_slice){value, (size_t)(stop - value)};
		rest = (struct weir_slice){value, (size_t)(end - value)};
	}
	return (struct weir_slice){0};
}

/* Keeps the backend of a command line, "python benchmark_serving.py --backend tgi ...", for the
 * tables behind it. */
static void take_command(struct console *console, struct weir_slice line)
{
	static const char option[] = "--backend";
	const char *at = weir_slice_find(line, option), *end = line.data + line.length;
	size_t length = 0;

	if (!at ||
	    !(weir_slice_holds(line, "benchmark_serving") ||
	      weir_slice_holds(line, "bench_serving") || weir_slice_holds(line, "bench serve")))
		return;
	at += strlen(option);
	if (at == end || (*at != ' ' && *at != '='))
		return;
	at++;
	while (at + length < end && !isspace((unsigned char)at[length]))
		length++;
	if (!length || length >= sizeof(console->backend))
		return;
	memcpy(console->backend, at, length);
	console->backend[length] = '\0';
}

static void take_arguments(struct console *console, struct weir_slice line)
{
	struct weir_slice dataset = argument_of(line, "dataset_name=");

	console->arguments |= weir_slice_holds(line, ARGUMENTS);
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		struct weir_slice value = argument_of(line, arguments[i].name);
		bool unused = dataset.length && arguments[i].dataset &&
		              !weir_slice_starts(dataset, arguments[i].dataset);

		if (value.length && !unused)
			weir_figure_label(console->run, arguments[i].key, value);
	}
}

/* Takes "Model:   org/m" at the start of a line, or behind the "] " or "| " of a log. */
static void take_condition(struct console *console, struct weir_slice line)
{
	for (const struct weir_client_label *each = conditions; each->path; each++) {
		const char *found = weir_slice_find(line, each->path), *colon;
		const char *end = line.data + line.length;
		struct weir_slice value;

		if (!found || (found > line.data && (found - line.data < 2 || found[-1] != ' ' ||
		                                     !strchr("]|", found[-2]))))
			continue;
		colon = found + strlen(each->path);
		while (colon < end && isspace((unsigned char)*colon))
			colon++;
		if (colon == end || *colon != ':')
			continue;
		value = weir_slice_trim((struct weir_slice){colon + 1, (size_t)(end - colon - 1)});
		if (value.length && !weir_slice_equals(value, "not set") &&
		    !weir_run_label(console->run, each->key))
			weir_figure_label(console->run, each->key, value);
	}
}

/* Returns the place of the last colon, or NULL. */
static const char *last_colon(struct weir_slice line)
{
	for (size_t i = line.length; i; i--)
		if (line.data[i - 1] == ':')
			return line.data + i - 1;
	return NULL;
}

/* Takes the number of a row. The number of requests of a further table ends the one before. */
static enum weir_status take_row(struct console *console, const struct row *row, double value,
                                 struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	size_t slot = row->slot;

	if (slot == NOWHERE)
		return WEIR_OK;
	if (slot == WEIR_CLIENT_SLOT(completed) &&
	    (console->offline || !isnan(console->summary.completed)))
		status = end_table(console, err);
	if (slot == WEIR_CLIENT_SLOT(total_throughput) && console->latency)
		slot = WEIR_CLIENT_SLOT(output_throughput);
	if (!status)
		console->figures += weir_client_summary_set(&console->summary, slot, value);
	return status;
}

/* Totals by the end of their names; they alone are no table. */
static const struct total {
	const char *name;
	size_t slot;
	double scale;
} totals[] = {
	{"Total generated tokens", WEIR_CLIENT_SLOT(total_output_tokens), 1},
	{"Total output tokens", WEIR_CLIENT_SLOT(total_output_tokens), 1},
	{"Total input tokens", WEIR_CLIENT_SLOT(total_input_tokens), 1},
	{"Total num output tokens", WEIR_CLIENT_SLOT(total_output_tokens), 1},
	{"Total num prompt tokens", WEIR_CLIENT_SLOT(total_input_tokens), 1},
	{"Max request concurrency", NOWHERE, 1},
	{"Maximum request concurrency", NOWHERE, 1},
	{"Peak concurrent requests", WEIR_CLIENT_SLOT(peak_concurrency), 1},
	{"Peak output token throughput (tok/s)", WEIR_CLIENT_SLOT(peak_output_throughput), 1},
	{"Max output tokens per second", WEIR_CLIENT_SLOT(peak_output_throughput), 1},
	{"Concurrency", WEIR_CLIENT_SLOT(concurrency), 1},
	{"Number of concurrent requests", WEIR_CLIENT_SLOT(concurrency), 1},
	{"Average Input Length (tokens)", WEIR_CLIENT_SLOT(input_tokens), 1},
	{"Total Latency (ms)", WEIR_CLIENT_SLOT(duration_s), 1e-3}, /* trtllm-bench: of the run */
	{"Benchmark duration (s)", WEIR_CLIENT_SLOT(duration_s), 1},
	{"Benchmark duration (ms)", WEIR_CLIENT_SLOT(duration_s), 1e-3}, /* "12.5 s" */
};

static bool take_total(struct console *console, struct weir_slice label, double value)
{
	struct weir_slice before;

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		if (!ends_with(label, totals[i].name, &before))
			continue;
		if (totals[i].slot != NOWHERE)
			weir_client_summary_set(&console->summary, totals[i].slot,
			                        value * totals[i].scale);
		return true;
	}
	return false;
}

static enum weir_status take_number(struct console *console, struct weir_slice label, double value,
                                    struct weir_error *err)
{
	const struct row *row = find_row(label);

	if (row)
		return take_row(console, row, value, err);
	if (!take_total(console, label, value))
		console->figures += take_time(console, label, value);
	return WEIR_OK;
}

/* Notes the title of a table. */
static void take_title(struct console *console, struct weir_slice line)
{
	bool overview = is_overview(line);

	if (weir_slice_holds(line, SERVING)) {
		console->serving = true;
		console->prefixed = *line.data != '=';
	}
	console->titled |= console->serving || overview;
	console->found_title |= console->titled;
	console->latency |= weir_slice_equals(line, "= GENERAL" OVERVIEW);
	console->overview |= overview;
	if (overview)
		weir_run_set_label(console->run, WEIR_LOAD_BENCHMARK, TRTLLM);
}

/* Takes "Mean TTFT: 20.5 ms" as "Mean TTFT (ms): 20.5": early tables have the unit behind the
 * number. Other texts are passed over. */
static enum weir_status take_number_with_unit(struct console *console, struct weir_slice label,
                                              struct weir_slice text, struct weir_error *err)
{
	static const struct {
		const char *unit, *in_label;
		double scale;
	} units[] = {
		{"ms", " (ms)", 1},
		{"s", " (ms)", 1e3},
		{"requests/s", " (req/s)", 1},
		{"req/s", " (req/s)", 1},
		{"tokens/s", " (tok/s)", 1},
		{"tok/s", " (tok/s)", 1},
	};
	struct weir_slice unit = last_word(text);
	struct weir_slice number =
		weir_slice_trim((struct weir_slice){text.data, text.length - unit.length});
	char whole[MAX_LABEL];
	double value;
	size_t i = 0, length;

	while (i < sizeof(units) / sizeof(units[0]) && !weir_slice_equals(unit, units[i].unit))
		i++;
	if (i == sizeof(units) / sizeof(units[0]))
		return WEIR_OK;
	length = strlen(units[i].in_label);
	if (label.length + length > sizeof(whole) ||
	    !weir_parse_double(number.data, number.length, &value))
		return WEIR_OK;
	memcpy(whole, label.data, label.length);
	memcpy(whole + label.length, units[i].in_label, length);
	return take_number(console, (struct weir_slice){whole, label.length + length},
	                   value * units[i].scale, err);
}

/* Notes the part of the table that a line such as "--- E2E Latency (ms) ---" begins. */
static void take_section(struct console *console, struct weir_slice line)
{
	if (!weir_slice_starts(line, "---"))
		return;
	console->section = NOWHERE;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (weir_slice_holds(line, sections[i].name))
			console->section = sections[i].slot;
}

/* ---- results without a server ---- */

/* Begins the result of a benchmark without a server, which has no title. */
static enum weir_status begin_offline(struct console *console, struct weir_error *err)
{
	enum weir_status status = end_table(console, err);

	console->offline = console->titled = true;
	return status;
}

/* Takes the rates of "30.22 requests/s, 19338.72 total tokens/s, 3867.74 output tokens/s". */
static void take_rates(struct console *console, struct weir_slice text)
{
	static const struct row units[] = {
		{" requests/s", WEIR_CLIENT_SLOT(request_throughput)},
		{" output tokens/s", WEIR_CLIENT_SLOT(output_throughput)},
		{" total tokens/s", WEIR_CLIENT_SLOT(total_throughput)},
		{" tokens/s", WEIR_CLIENT_SLOT(total_throughput)}, /* input and output */
	};

	while (text.length) {
		const char *comma = memchr(text.data, ',', text.length);
		size_t length = comma ? (size_t)(comma - text.data) : text.length, i = 0;
		struct weir_slice item = weir_slice_trim((struct weir_slice){text.data, length});
		double value;

		while (i < sizeof(units) / sizeof(units[0]) &&
		       !weir_slice_ends(item, units[i].name))
			i++;
		if (i < sizeof(units) / sizeof(units[0]) &&
		    weir_parse_double(item.data, item.length - strlen(units[i].name), &value))
			console->figures +=
				weir_client_summary_set(&console->summary, units[i].slot, value);
		length += comma != NULL;
		text = (struct weir_slice){text.data + length, text.length - length};
	}
}

/* Takes "Avg latency: 1.25 seconds" and "90% percentile latency: 1.31 seconds". */
static enum weir_status take_latency(struct console *console, struct weir_slice label,
                                     struct weir_slice text, struct weir_error *err)
{
	static const char unit[] = " seconds", percentile[] = "% percentile latency";
	enum weir_status status = WEIR_OK;
	char name[WEIR_CLIENT_PERCENTILE] = "p";
	struct weir_slice before, word;
	double value;

	if (!weir_slice_ends(text, unit) ||
	    !weir_parse_double(text.data, text.length - (sizeof(unit) - 1), &value))
		return WEIR_OK;
	if (ends_with(label, "Avg latency", &before)) {
		status = begin_offline(console, err);
		if (!status)
			weir_run_set_label(console->run, WEIR_LOAD_BENCHMARK,
			                   WEIR_LOAD_VLLM_LATENCY);
		word = weir_slice_of("mean");
	} else {
		if (!console->offline || !weir_slice_ends(label, percentile))
			return WEIR_OK;
		before = (struct weir_slice){label.data, label.length - (sizeof(percentile) - 1)};
		word = last_word(before);
		if (word.length > sizeof(name) - 2)
			return WEIR_OK;
		memcpy(name + 1, word.data, word.length);
		word = (struct weir_slice){name, word.length + 1};
	}
	if (!status)
		console->figures +=
			take_statistic(console, WEIR_CLIENT_SLOT(latency), word, value * 1e3);
	return status;
}

/* Takes a line of `vllm bench throughput` or `vllm bench latency`; passes over others. */
static enum weir_status take_offline(struct console *console, struct weir_slice label,
                                     struct weir_slice text, struct weir_error *err)
{
	enum weir_status status;
	struct weir_slice before;

	if (!ends_with(label, "Throughput", &before) || !weir_slice_holds(text, " requests/s, "))
		return take_latency(console, label, text, err);
	status = begin_offline(console, err);
	if (!status)
		take_rates(console, text);
	return status;
}

/* ---- any line ---- */

static enum weir_status take_line(struct console *console, struct weir_slice line,
                                  struct weir_error *err)
{
	const char *colon = last_colon(line);
	struct weir_slice label, text;
	enum weir_status status = WEIR_OK;
	double value;

	if (is_beginning(console, line))
		status = end_table(console, err);
	if (status)
		return status;
	take_title(console, line);
	take_section(console, line);
	if (console->serving && console->figures && is_rule(console, line))
		return end_table(console, err);
	weir_heading_take(&console->heading, line);
	if (!console->figures)
		console->of_table = console->heading;
	take_command(console, line);
	if (!colon || weir_slice_holds(line, ARGUMENTS)) {
		take_arguments(console, line);
		return WEIR_OK;
	}
	label = weir_slice_trim((struct weir_slice){line.data, (size_t)(colon - line.data)});
	text = weir_slice_trim(
		(struct weir_slice){colon + 1, line.length - (size_t)(colon + 1 - line.data)});
	if (weir_parse_double(text.data, text.length, &value))
		status = take_number(console, label, value, err);
	else
		status = take_number_with_unit(console, label, text, err);
	if (!status)
		status = take_offline(console, label, text, err);
	if (!status)
		take_condition(console, line);
	return status;
}

/* Returns the line without what a progress bar wrote before it. */
static struct weir_slice after_progress(struct weir_slice line)
{
	for (size_t i = line.length; i; i--)
		if (line.data[i - 1] == '\r')
			return (struct weir_slice){line.data + i, line.length - i};
	return line;
}

/* Keeps the text of the first error, "[TRT-LLM] [E] CUDA out of memory", "ValueError: ...". */
static void take_error(struct console *console, struct weir_slice line)
{
	static const char *const levels[] = {"[E] ", "Error: "};
	const char *at = NULL;

	for (size_t i = 0; !at && i < sizeof(levels) / sizeof(levels[0]); i++) {
		at = weir_slice_find(line, levels[i]);
		at = at ? at + strlen(levels[i]) : NULL;
	}
	if (at && !*console->error)
		snprintf(console->error, sizeof(console->error), "%.*s",
		         (int)(line.data + line.length - at), at);
}

static enum weir_status take_lines(struct console *console, struct weir_source *source,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ','};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		/* The number in a line without an end may be cut. */
		take_error(console, row->line);
		if (row->cut && console->figures && !is_rule(console, weir_slice_trim(row->line)))
			weir_input_warn(console->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		else if (row->count)
			status =
				take_line(console, weir_slice_trim(after_progress(row->line)), err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	return status;
}

/* Names the tool if all results are of trtllm-bench. */
static void name_tool(struct weir_input *input)
{
	const char *benchmark = weir_run_label(input->run, "benchmark");

	if (benchmark && strcmp(benchmark, TRTLLM) == 0)
		input->tool = TRTLLM;
}

static enum weir_status conclude(struct console *console, struct weir_error *err)
{
	struct weir_input *input = console->input;
	enum weir_status status;

	if (console->serving && console->figures)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, UINT64_MAX, NULL);
	status = end_table(console, err);
	if (status)
		return status;
	if (!console->join.count && !console->join.empty && console->found_title)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "the table of results has no known row with a number: expected "
		                 "rows such as \"Request throughput (req/s)\" and \"Mean TTFT "
		                 "(ms)\"; the log is cut, or another program wrote it, whose "
		                 "samples can be passed as CSV with the columns name,value,unit");
	if (!console->join.count && !console->join.empty && *console->error)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "the benchmark ended without a table of results; its first error "
		                 "is \"%s\": mend that and run it again",
		                 console->error);
	if (!console->join.count && !console->join.empty)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no table of results in this log: expected \"" SERVING
		                 "\" or \"PERFORMANCE OVERVIEW\"; the benchmark did not finish, or "
		                 "its log is cut");
	status = weir_load_join_finish(&console->join, input, err);
	if (status)
		return status;
	name_tool(input);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

static enum weir_status read_console(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct console console = {.input = input};
	enum weir_status status;

	begin_table(&console);
	status = take_lines(&console, source, err);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&console, err);
	weir_run_free(console.run);
	weir_load_join_release(&console.join);
	return status;
}

/* ---- the reader ---- */

/* Texts at the start of such logs; the tables may be far below. */
static const struct weir_mark marks[] = {
	{.first = "", .texts = {{SERVING, "Benchmark duration (s):"}, .all = 1}},
	{.first = "", .texts = {{"Successful requests:", "Benchmark duration (s):"}, .all = 2}},
	{.first = "",
         .texts = {{"Successful requests:", "Benchmark duration:", "Request throughput:",
                    "Output token throughput:", "Mean TTFT:"},
                   .all = 2,
                   .any = 3}},
	{.first = "", .texts = {{ARGUMENTS, "num_prompts=", "request_rate="}, .all = 3}},
	{.first = "", .texts = {{"Traffic request rate:"}, .all = 1}},
	{.first = "", .texts = {{"Throughput: ", " requests/s, ", " tokens/s"}, .all = 3}},
	{.first = "", .texts = {{"Avg latency: ", " seconds", "% percentile latency: "}, .all = 3}},
	{.first = "",
         .texts = {{"[TRT-LLM] [I]", "Preparing to run throughput benchmark",
                    "Preparing to run latency benchmark", "PERFORMANCE OVERVIEW"},
                   .all = 1,
                   .any = 3}},
	{.first = "",
         .texts = {{"Request Throughput (req/sec):", "= PERFORMANCE OVERVIEW", "= GENERAL OVERVIEW",
                    "Number of requests:"},
                   .all = 1,
                   .any = 3}},
	{0},
};

/* True for the start of a JSON document or a web page, which may quote such a log. */
static bool is_document(const char *head, size_t len)
{
	char first = weir_sniff_first(head, len);

	return first == '{' || first == '<' || (first == '[' && weir_sniff_is_json(head, len));
}

static int sniff_console(const char *head, size_t len)
{
	int best = 0;

	if (is_document(head, len) || weir_sniff_contains(head, len, JSON_BEGIN))
		return 0;
	for (const struct weir_mark *mark = marks; mark->first; mark++) {
		int bits = weir_mark_bits(mark, head, len);

		best = bits > best ? bits : best;
	}
	return best;
}

const struct weir_reader weir_reader_bench_console = {
	.name = "bench-console",
	.title = "console logs of serving benchmarks (vLLM, SGLang, trtllm-bench)",
	.gives = "native run",
	.tool = "a serving benchmark",
	.whole_run = true,
	.sniff = sniff_console,
	.read = read_console,
};
