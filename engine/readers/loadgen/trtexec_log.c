/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads logs of trtexec, and what people paste of them without the date and the level of each line:
 *
 *	[01/02/2025-10:11:12] [I] Throughput: 801.5 qps
 *	[01/02/2025-10:11:12] [I] Latency: min = 1.1 ms, max = 1.6 ms, mean = 1.2 ms, ...
 *
 * TensorRT 7 writes a block for each distribution:
 *
 *	[02/21/2021-22:49:52] [I] Host Latency
 *	[02/21/2021-22:49:52] [I] mean: 2.05 ms (end to end 2.07 ms)
 *	[02/21/2021-22:49:52] [I] percentile: 2.5 ms at 99% (end to end 2.6 ms at 99%)
 *	[02/21/2021-22:49:52] [I] throughput: 479.4 qps
 *
 * trtexec and giexec of TensorRT 4 to 6 print their options and means of some runs:
 *
 *	batch: 4
 *	Average over 10 runs is 5.12 ms (host walltime is 5.31 ms, 99% percentile time is 5.4).
 *
 * The table of layers looks as follows; up to TensorRT 8.5 the name comes first:
 *
 *	[01/02/2025-10:11:12] [I] === Profile (100 iterations ) ===
 *	[01/02/2025-10:11:12] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer
 *	[01/02/2025-10:11:12] [I]       12.50       0.1250       0.1240      62.5   conv1 + relu1
 *
 * The summaries of several runs are joined (load_join.h). Layers of several engines are not: if a
 * log has them, its first run is read.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/loadgen/trtexec_log.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/heading.h"

#define RUNNING   "&&&& RUNNING TensorRT.trtexec"
#define FAILED    "&&&& FAILED TensorRT.trtexec"
#define SUMMARY   "=== Performance summary ==="
#define MAX_MEANS 100000 /* of one result */
#define MESSAGE   120    /* bytes of an error that are kept */

static const struct {
	const char *start, *name;
} distributions[] = {
	{"Latency", "latency"},
	{"End-to-End Host Latency", "end_to_end"},
	{"Enqueue Time", "enqueue"},
	{"H2D Latency", "h2d"},
	{"GPU Compute Time", "gpu_compute"},
	{"D2H Latency", "d2h"},
};

static const struct {
	const char *label, *suffix;
} statistics[] = {
	{"min", "min"},
	{"max", "max"},
	{"mean", "mean"},
	{"median", "median"},
	{"percentile(90%)", "p90"},
	{"percentile(95%)", "p95"},
	{"percentile(99%)", "p99"},
};

/* Takes the text before the separator off the rest. Returns false if there is no separator. */
static bool take_until(struct weir_slice *rest, char separator, struct weir_slice *part)
{
	const char *at = rest->length ? memchr(rest->data, separator, rest->length) : NULL;

	if (!at)
		return false;
	*part = weir_slice_trim((struct weir_slice){rest->data, (size_t)(at - rest->data)});
	rest->length -= (size_t)(at - rest->data) + 1;
	rest->data = at + 1;
	return true;
}

/* Reads "1.2 ms" as 1.2. Returns false if the text is not a number in this unit. */
static bool read_value(struct weir_slice text, const char *unit, double *value)
{
	size_t length = strlen(unit);

	text = weir_slice_trim(text);
	if (text.length <= length || memcmp(text.data + text.length - length, unit, length) != 0)
		return false;
	text = weir_slice_trim((struct weir_slice){text.data, text.length - length});
	return weir_parse_double(text.data, text.length, value);
}

/* Adds one statistic such as "min = 1.1 ms"; ignores any other text. */
static void take_statistic(struct weir_run *run, const char *name, struct weir_slice item)
{
	struct weir_text figure = {0};
	struct weir_slice label;
	double value;

	if (!take_until(&item, '=', &label) || !read_value(item, "ms", &value))
		return;
	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++) {
		if (!weir_slice_equals(label, statistics[i].label))
			continue;
		weir_text_printf(&figure, "%s_%s_ms", name, statistics[i].suffix);
		weir_figure_add(run, figure.data, "ms", false, value);
	}
	weir_text_release(&figure);
}

/* Adds the statistics of a list such as "min = 1.1 ms, max = 1.6 ms, percentile(99%) = 1.3 ms". */
static void take_statistics(struct weir_run *run, const char *name, struct weir_slice text)
{
	struct weir_slice item;

	while (take_until(&text, ',', &item))
		take_statistic(run, name, item);
	take_statistic(run, name, text);
}

/* Titles of the blocks of TensorRT 7. `end_to_end`: the name of the times in brackets. */
static const struct block {
	const char *title, *name, *end_to_end;
} blocks[] = {
	{"Host Latency", "latency", "end_to_end"},
	{"Host latency", "latency", "end_to_end"}, /* 7.0 */
	{"Enqueue Time", "enqueue", NULL},
	{"GPU Compute", "gpu_compute", NULL},
};

/* Adds a time such as "2.05 ms" or, of a percentile, "2.5 ms at 99%". */
static void take_time(struct weir_run *run, const char *name, const char *suffix,
                      struct weir_slice text)
{
	struct weir_text figure = {0};
	struct weir_slice unit;
	double value, percent = NAN;

	text = weir_slice_trim(text);
	if (!take_until(&text, ' ', &unit) || !weir_parse_double(unit.data, unit.length, &value))
		return;
	text = weir_slice_trim(text);
	if (suffix && weir_slice_equals(text, "ms"))
		weir_text_printf(&figure, "%s_%s_ms", name, suffix);
	else if (!suffix && weir_slice_starts(text, "ms at ") &&
	         read_value((struct weir_slice){text.data + 6, text.length - 6}, "%", &percent) &&
	         percent > 0 && percent < 100)
		weir_text_printf(&figure, "%s_p%g_ms", name, percent);
	if (figure.length)
		weir_figure_add(run, figure.data, "ms", false, value);
	weir_text_release(&figure);
}

/* Adds a line of a block: a statistic, and that of the end-to-end times in brackets. */
static void take_block_line(struct weir_run *run, const struct block *block,
                            struct weir_slice label, struct weir_slice line)
{
	static const char brackets[] = "(end to end ";
	const char *suffix = NULL;
	struct weir_slice time;

	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
		if (weir_slice_equals(label, statistics[i].label))
			suffix = statistics[i].suffix;
	if (!suffix && !weir_slice_equals(label, "percentile"))
		return;
	if (!take_until(&line, '(', &time)) {
		take_time(run, block->name, suffix, line);
		return;
	}
	take_time(run, block->name, suffix, time);
	line = (struct weir_slice){line.data - 1, line.length + 1};
	if (!block->end_to_end || !weir_slice_starts(line, brackets))
		return;
	line = (struct weir_slice){line.data + sizeof(brackets) - 1,
	                           line.length - (sizeof(brackets) - 1)};
	if (take_until(&line, ')', &time))
		take_time(run, block->end_to_end, suffix, time);
}

/* Returns the block whose title the line is; NULL if it is no title. */
static const struct block *find_block(struct weir_slice line)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (weir_slice_equals(line, blocks[i].title))
			return &blocks[i];
	return NULL;
}

/* Labels the run with a number of seconds: "Total Host Walltime: 3.00186 s". */
static void take_total(struct weir_run *run, struct weir_slice label, struct weir_slice text)
{
	static const struct weir_client_label totals[] = {
		{"Total Host Walltime", WEIR_LOAD_DURATION},
		{"Total GPU Compute Time", "total_gpu_compute_s"},
		{"walltime", WEIR_LOAD_DURATION}, /* TensorRT 7 */
		{"total compute time", "total_gpu_compute_s"},
		{0},
	};
	struct weir_slice number;
	double value;

	if (!read_value(text, "s", &value) || !take_until(&text, 's', &number))
		return;
	for (const struct weir_client_label *each = totals; each->path; each++)
		if (weir_slice_equals(label, each->path) && !weir_run_label(run, each->key))
			weir_figure_label(run, each->key, number);
}

static void take_summary(struct weir_run *run, const struct block *block, struct weir_slice line)
{
	struct weir_slice label;

	if (!take_until(&line, ':', &label))
		return;
	if (block)
		take_block_line(run, block, label, line);
	take_total(run, label, line);
	for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
		if (weir_slice_equals(label, distributions[i].start))
			take_statistics(run, distributions[i].name, line);
}

/* Returns the name of the distribution whose list of statistics goes on in the next line, as pages
 * and terminals wrap it; NULL: no list is open. */
static const char *find_open_list(struct weir_slice line)
{
	struct weir_slice label;

	if (!line.length || line.data[line.length - 1] != ',' || !take_until(&line, ':', &label))
		return NULL;
	for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
		if (weir_slice_equals(label, distributions[i].start))
			return distributions[i].name;
	return NULL;
}

/* State of the parser of the table of layers. */
struct layer_table {
	enum {
		TABLE_NONE,
		TABLE_TITLE, /* the header is on the next line */
		TABLE_ROWS,
	} state;
	bool name_first;
	size_t numbers; /* in a row: total, average, median (8.4 and later), percentage */
	const struct block *block; /* of TensorRT 7, in which the line is; NULL: none */
	const char *list;          /* distribution of a list that goes on; NULL: none */
};

/* Takes a word off the front or the back of the text. */
static struct weir_slice take_word(struct weir_slice *text, bool front)
{
	struct weir_slice word = *text;
	size_t length = 0;

	if (front) {
		while (length < text->length && text->data[length] != ' ')
			length++;
		word.length = length;
		text->data += length;
	} else {
		while (length < text->length && text->data[text->length - length - 1] != ' ')
			length++;
		word.data += text->length - length;
		word.length = length;
	}
	text->length -= length;
	*text = weir_slice_trim(*text);
	return word;
}

static bool is_table(struct weir_slice line)
{
	return weir_slice_starts(line, "=== Profile (");
}

static void take_header(struct layer_table *table, struct weir_slice line)
{
	table->name_first = weir_slice_starts(line, "Layer");
	table->numbers = weir_slice_holds(line, "Median") ? 4 : 3;
	table->state =
		table->name_first || weir_slice_starts(line, "Time") ? TABLE_ROWS : TABLE_NONE;
}

void weir_trtexec_add_layer(struct weir_input *input, struct weir_slice name, double average_ms,
                            uint64_t at)
{
	struct weir_series_table *operators = &input->run->operators;
	struct weir_series *series;
	struct weir_text text = {0};

	if (!isfinite(average_ms) || average_ms < 0) {
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	if (operators->count >= WEIR_FIGURE_MAX)
		return;
	weir_text_add(&text, name.data, name.length);
	series = weir_series_get(operators, text.data);
	if (!series->count)
		weir_series_push(series, 0);
	series->value[0] += average_ms * 1e6;
	weir_text_release(&text);
}

/* Adds a layer. Returns false if the line is not a layer: the total of all, or a line after it. */
static bool take_row(struct weir_input *input, const struct layer_table *table,
                     struct weir_slice line, uint64_t at)
{
	size_t average = table->name_first ? table->numbers - 2 : 1;
	double value, average_ms = NAN;

	for (size_t i = 0; i < table->numbers; i++) {
		struct weir_slice word = take_word(&line, !table->name_first);

		if (!weir_parse_double(word.data, word.length, &value))
			return false;
		if (i == average)
			average_ms = value;
	}
	if (!line.length || weir_slice_equals(line, "Total"))
		return false;
	weir_trtexec_add_layer(input, line, average_ms, at);
	input->events++;
	return true;
}

/* ---- means of TensorRT 4 to 6 ---- */

#define MEAN_START "Average over "
#define MEAN_TIME  " runs is "
#define MEAN_HOST  "(host walltime is "

static bool is_mean(struct weir_slice line)
{
	return weir_slice_starts(line, MEAN_START) && weir_slice_holds(line, MEAN_TIME);
}

/* Reads the number between the text and " ms". Returns false if the line has no such number. */
static bool read_time_after(struct weir_slice line, const char *text, double *ms)
{
	const char *at = weir_slice_find(line, text);
	struct weir_slice number;

	if (!at)
		return false;
	at += strlen(text);
	line = (struct weir_slice){at, line.length - (size_t)(at - line.data)};
	return take_until(&line, ' ', &number) && weir_slice_starts(line, "ms") &&
	       weir_parse_double(number.data, number.length, ms);
}

/* Adds a value to those of a metric, which may be new. */
static void add_mean(struct weir_run *run, const char *name, double ms)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	if (!series)
		weir_figure_add(run, name, "ms", false, ms);
	else if (series->count < MAX_MEANS && isfinite(ms))
		weir_series_push(weir_series_get(&run->metrics, name), ms);
}

/* Adds the means of a number of runs. The 99th percentile of ten runs is nearly their maximum, and
 * no percentile of all runs: it is left out. */
static void take_mean(struct weir_run *run, struct weir_slice line)
{
	struct weir_slice number;
	double ms;

	if (read_time_after(line, MEAN_TIME, &ms) && ms >= 0)
		add_mean(run, "gpu_compute_mean_ms", ms);
	if (read_time_after(line, MEAN_HOST, &ms) && ms >= 0)
		add_mean(run, "host_walltime_mean_ms", ms);
	line = (struct weir_slice){line.data + strlen(MEAN_START),
	                           line.length - strlen(MEAN_START)};
	if (take_until(&line, ' ', &number) && !weir_run_label(run, "runs_of_a_mean"))
		weir_figure_label(run, "runs_of_a_mean", number);
}

static bool has_means(const struct weir_run *run)
{
	return weir_run_label(run, "runs_of_a_mean") != NULL;
}

/* ---- lines ---- */

/*
 * A log that ends before the summary has averages alone, and the number of queries:
 *
 *	[01/02/2025-10:11:12] [I] Average on 10 runs - GPU latency: 0.07 ms - Host latency: ...
 *	[01/02/2025-10:11:12] [I] Timing trace has 31807 queries over 3.00015 s
 */
struct remains {
	size_t averages;
	double runs;   /* of each average */
	double gpu_ms; /* sum of the averages */
	char text[64]; /* "31807 queries over 3.00015 s"; empty: not stated */
};

/* The errors of a run of trtexec that fails. */
struct failure {
	size_t count;        /* runs that failed */
	uint64_t at;         /* byte of the first of these lines */
	char first[MESSAGE]; /* its first and last error; empty: none */
	char last[MESSAGE];
};

struct log {
	struct weir_input *input; /* its run is the one that is being read */
	struct failure failure;
	struct layer_table table;
	struct remains remains;
	struct weir_heading heading, of_run; /* of this line, and of the first line of the run */
	struct weir_load_join join;
	struct weir_text command; /* of the first run */
	bool pasted;              /* the last title has no level before it */
	bool unlike;              /* some run has another command, or states none */
	bool has_command;         /* the run that is being read states it */
	bool has_throughput;      /* the run that is being read states it, if only as 0 */
	bool skipped;             /* a line says that no inference was to be run */
	bool done;                /* a line says that it has ended, as TensorRT 4 to 6 do */
	uint64_t second_at;       /* byte of the second run; 0: none */
};

/* Takes "[date] [I] " off the line, and what a container or a listing puts before it. Returns false
 * if the line is not an information message. In pasted text, each line without a level is one. */
static bool take_message(struct log *log, struct weir_slice *line)
{
	static const char level[] = "[I] ";
	const char *at = weir_slice_find(*line, level);

	if (!at) {
		*line = weir_slice_trim(*line);
		log->pasted |= weir_slice_equals(*line, SUMMARY);
		return log->pasted && !weir_slice_holds(*line, "[W] ");
	}
	at += sizeof(level) - 1;
	*line = weir_slice_trim((struct weir_slice){at, line->length - (size_t)(at - line->data)});
	log->pasted = false;
	return true;
}

/* Passes on a warning that belongs to the summary: "[W] * GPU compute time is unstable, ...". */
static void take_warning(struct log *log, const struct weir_csv_row *row)
{
	static const char *const marks[] = {"[W] * ", "* Throughput may be bound by",
	                                    "* GPU compute time is unstable"};
	struct weir_slice line = weir_slice_trim(row->line);
	struct weir_text text = {0};
	const char *at = weir_slice_find(line, marks[0]);

	if (at)
		at += strlen("[W] ");
	for (size_t i = 1; !at && log->pasted && i < sizeof(marks) / sizeof(marks[0]); i++)
		at = weir_slice_starts(line, marks[i]) ? line.data : NULL;
	if (!at)
		return;
	at += strlen("* ");
	weir_text_add(&text, at, line.length - (size_t)(at - line.data));
	if (text.length && text.data[text.length - 1] == '.')
		text.data[--text.length] = '\0';
	weir_input_warn_of_tool(log->input, row->at, text.data ? text.data : "");
	weir_text_release(&text);
}

/* Takes the text of an error, "[E] [TRT] ...", and the line "&&&& FAILED" at the end of a run. */
static void take_failure(struct failure *failure, const struct weir_csv_row *row)
{
	static const char level[] = "[E] ";
	struct weir_slice line = weir_slice_trim(row->line);
	const char *at = weir_slice_find(line, level);
	size_t length;

	if (weir_slice_holds(line, FAILED) && failure->count++ == 0)
		failure->at = row->at;
	if (!at || failure->count)
		return;
	at += strlen(level);
	length = (size_t)(line.data + line.length - at);
	length = length < MESSAGE ? length : MESSAGE - 1;
	memset(failure->last, 0, sizeof(failure->last));
	memcpy(failure->last, at, length);
	if (!*failure->first)
		memcpy(failure->first, failure->last, sizeof(failure->first));
}

static void take_remains(struct remains *remains, struct weir_slice line)
{
	static const char trace[] = "Timing trace has ", average[] = "Average on ";
	struct weir_slice part = {0}, number;
	double value;

	if (weir_slice_starts(line, trace) && line.length - strlen(trace) < sizeof(remains->text)) {
		memcpy(remains->text, line.data + strlen(trace), line.length - strlen(trace));
		remains->text[line.length - strlen(trace)] = '\0';
	}
	if (!weir_slice_starts(line, average) || !take_until(&line, ':', &part))
		return;
	line = weir_slice_trim(line);
	if (weir_slice_holds(part, "GPU latency") && take_until(&line, ' ', &number) &&
	    weir_parse_double(number.data, number.length, &value)) {
		remains->averages++;
		remains->gpu_ms += value;
		part = (struct weir_slice){part.data + strlen(average),
		                           part.length - strlen(average)};
		if (take_until(&part, ' ', &number) &&
		    weir_parse_double(number.data, number.length, &value))
			remains->runs = value;
	}
}

/* Takes "Throughput: 801.5 qps". TensorRT 7 prints 0 if it did not count the queries. */
static void take_throughput(struct log *log, struct weir_slice line, uint64_t at)
{
	struct weir_slice label;
	double value;

	if (!take_until(&line, ':', &label) ||
	    !(weir_slice_equals(label, "Throughput") || weir_slice_equals(label, "throughput")) ||
	    !read_value(line, "qps", &value))
		return;
	log->has_throughput = true;
	if (value > 0)
		weir_figure_add(log->input->run, "throughput_qps", "1/s", true, value);
	else
		weir_input_warn(log->input, WEIR_WARN_INCONSISTENT, at,
		                "throughput: trtexec printed 0 qps");
}

/* Takes an information message. */
static void take_text(struct log *log, struct weir_slice line, const struct weir_csv_row *row)
{
	struct weir_input *input = log->input;
	struct layer_table *table = &log->table;

	take_remains(&log->remains, line);
	log->skipped |= weir_slice_starts(line, "Skipped inference phase");
	table->list = find_open_list(line);
	if (find_block(line))
		table->block = find_block(line);
	else if (is_table(line)) /* later tables repeat the first or belong to another engine */
		table->state = input->run->operators.count ? TABLE_NONE : TABLE_TITLE;
	else if (table->state == TABLE_TITLE)
		take_header(table, line);
	else if (table->state == TABLE_ROWS && row->cut)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, row->at, "the file ends in this row");
	else if (table->state != TABLE_ROWS || !take_row(input, table, line, row->at)) {
		take_throughput(log, line, row->at);
		take_summary(input->run, table->block, line);
	}
}

/* ---- commands ---- */

/* Options whose values are conditions of a run. */
static const struct {
	const char *option, *key;
	bool is_path; /* of which the last part is kept */
} options[] = {
	{"--onnx=", "model", true},       {"--loadEngine=", "model", true},
	{"--uff=", "model", true},        {"--deploy=", "model", true},
	{"--batch=", "batch", false},     {"--shapes=", "shapes", false},
	{"--streams=", "streams", false}, {"--infStreams=", "streams", false},
};

static const char *const flags[] = {"--fp16", "--bf16",         "--int8",           "--fp8",
                                    "--best", "--useCudaGraph", "--noDataTransfers"};

/* Returns true for the command of a run, as trtexec repeats it or as a user typed it. */
static bool is_command(struct weir_slice line)
{
	static const char *const models[] = {"--onnx=", "--loadEngine=", "--uff=", "--deploy="};

	if (weir_slice_starts(line, RUNNING))
		return true;
	if (weir_slice_starts(line, "&&&& ") || !weir_slice_holds(line, "trtexec --"))
		return false;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (weir_slice_holds(line, models[i]))
			return true;
	return false;
}

/* Labels the run with the value of an option. */
static void take_option(struct weir_run *run, size_t option, struct weir_slice word)
{
	struct weir_slice part;

	if (!weir_slice_take(&word, options[option].option) || weir_slice_starts(word, "$"))
		return; /* a variable of a shell names nothing */
	while (options[option].is_path && take_until(&word, '/', &part))
		continue;
	weir_figure_label(run, options[option].key, word);
}

/* Labels the run with the conditions in its command: its model, batch, shapes and options. */
static void take_command(struct log *log, struct weir_slice line)
{
	struct weir_run *run = log->input->run;
	struct weir_text set = {0};

	log->has_command = true;
	if (!log->join.count && !log->command.length)
		weir_text_add(&log->command, line.data, line.length);
	else
		log->unlike |= !log->command.data || !weir_slice_equals(line, log->command.data);
	while (line.length) {
		struct weir_slice word = take_word(&line, true);

		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			take_option(run, i, word);
		for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
			if (weir_slice_equals(word, flags[i]))
				weir_text_printf(&set, "%s%s", set.length ? "+" : "", flags[i] + 2);
	}
	if (set.length)
		weir_figure_label(run, "options", (struct weir_slice){set.data, set.length});
	weir_text_release(&set);
}

/* Returns the value of an option that TensorRT 4 to 6 print as "batch: 4"; no text if the line is
 * another one. */
static struct weir_slice find_printed(struct weir_slice line, const char *option)
{
	size_t length = strlen(option) - strlen("--=");

	if (line.length < length + 3 || memcmp(line.data, option + 2, length) != 0 ||
	    line.data[length] != ':' || line.data[length + 1] != ' ')
		return (struct weir_slice){0};
	return weir_slice_trim(
		(struct weir_slice){line.data + length + 2, line.length - length - 2});
}

/* Returns true for a printed option, with which the text of a run begins. */
static bool is_printed(struct weir_slice line)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (find_printed(line, options[i].option).length)
			return true;
	return false;
}

/* Labels the run with a printed option: "batch: 4", or "fp16" alone. */
static void take_printed(struct weir_run *run, struct weir_slice line)
{
	const char *set = weir_run_label(run, "options");
	struct weir_text text = {0};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct weir_slice value = find_printed(line, options[i].option), part;

		while (options[i].is_path && take_until(&value, '/', &part))
			continue;
		if (value.length)
			weir_figure_label(run, options[i].key, value);
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (weir_slice_equals(line, flags[i] + 2) && !(set && strstr(set, flags[i] + 2)))
			weir_text_printf(&text, "%s%s%s", set ? set : "", set ? "+" : "",
			                 flags[i] + 2);
	if (text.length)
		weir_figure_label(run, "options", (struct weir_slice){text.data, text.length});
	weir_text_release(&text);
}

/* ---- runs ---- */

/* Returns true if the line begins another run of trtexec, by its command, by a further title or, in
 * an excerpt, by a further throughput. `message`: the text of an information message, or empty. */
static bool begins_next(const struct log *log, struct weir_slice line, struct weir_slice message)
{
	const struct weir_series_table *metrics = &log->input->run->metrics;

	if (is_command(line))
		return metrics->count + log->input->run->operators.count > 0;
	if (!metrics->count)
		return false;
	if (has_means(log->input->run) && (is_printed(line) || is_printed(message) ||
	                                   (log->done && (is_mean(line) || is_mean(message)))))
		return true;
	if (weir_slice_starts(message, SUMMARY))
		return true;
	return log->has_throughput &&
	       metrics->count > (weir_series_find(metrics, "throughput_qps") ? 1 : 0) &&
	       (weir_slice_starts(message, "Throughput:") ||
	        weir_slice_starts(message, "throughput:"));
}

/* Returns true if the run has a figure that makes it a result: not the times of calls or of copies
 * alone, which people quote in a line. */
static bool is_result(const struct weir_run *run)
{
	static const char *const parts[] = {"enqueue_", "h2d_", "d2h_"};
	size_t count = 0;

	for (size_t i = 0; i < run->metrics.count; i++)
		for (size_t p = 0; p < WEIR_COUNT_OF(parts); p++)
			count += !strncmp(run->metrics.items[i].name, parts[p], strlen(parts[p]));
	return run->operators.count || count < run->metrics.count;
}

/* Ends the run that is being read, if it has a result, and begins the next one. */
static enum weir_status end_run(struct log *log, struct weir_error *err)
{
	struct weir_input *input = log->input;
	struct weir_run *run = input->run;
	bool result = is_result(run);
	enum weir_status status;

	if (!run->metrics.count && !run->operators.count)
		return WEIR_OK;
	log->unlike |= result && !log->has_command;
	log->has_command = log->has_throughput = log->done = false;
	log->table = (struct layer_table){.state = TABLE_NONE};
	input->run = weir_run_new();
	if (!result) {
		weir_run_free(run);
		weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, UINT64_MAX,
		                "times of calls or copies without a result");
		return WEIR_OK;
	}
	input->events += run->metrics.count;
	status = weir_load_join_add(&log->join, run, err);
	weir_load_join_head(&log->join, &log->of_run);
	return status;
}

static enum weir_status take_line(struct log *log, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	struct weir_slice line = weir_slice_trim(row->line), message = row->line;
	bool is_message = take_message(log, &message);
	enum weir_status status = WEIR_OK;

	weir_heading_take(&log->heading, row->line);
	take_warning(log, row);
	take_failure(&log->failure, row);
	if (begins_next(log, line, is_message ? message : (struct weir_slice){0})) {
		if (!log->second_at)
			log->second_at = row->at;
		status = end_run(log, err);
	}
	if (status)
		return status;
	if (is_command(line))
		take_command(log, line);
	if (!log->input->run->metrics.count)
		log->of_run = log->heading;
	take_printed(log->input->run, is_message ? message : line);
	log->done |= weir_slice_equals(line, "Done.") || weir_slice_starts(line, "&&&& PASSED");
	if (is_mean(is_message ? message : line) && !row->cut)
		take_mean(log->input->run, is_message ? message : line);
	else if (is_message)
		take_text(log, message, row);
	else if (log->table.list)
		take_statistics(log->input->run, log->table.list, line);
	return WEIR_OK;
}

/* Fails because trtexec did, and says why by its errors. The first one is mostly the cause. */
static enum weir_status fail_as_trtexec(const struct failure *failure, struct weir_error *err)
{
	bool differ = strcmp(failure->first, failure->last) != 0;

	return weir_fail(err, WEIR_E_FORMAT,
	                 "trtexec failed (\"&&&& FAILED\" at byte %" PRIu64
	                 ") and measured nothing%s%s%s%s%s%s: correct that and run it again",
	                 failure->at, *failure->last ? "; its last error is \"" : "", failure->last,
	                 *failure->last ? "\"" : "", differ ? ", its first one is \"" : "",
	                 differ ? failure->first : "", differ ? "\"" : "");
}

/* Fails because of a log without a summary, and says what it still holds. */
static enum weir_status fail_without_summary(const struct remains *remains, struct weir_error *err)
{
	if (!remains->averages)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a log of trtexec without a summary and without times of layers: "
		                 "did trtexec end early? Run it to its end, or pass the file that "
		                 "--exportTimes=FILE writes");
	return weir_fail(err, WEIR_E_EMPTY,
	                 "a log of trtexec that ends before the summary; it holds %zu averages of "
	                 "%g runs each (mean of the GPU latency %.4g ms)%s%s, which state no "
	                 "percentile: pass the log up to its end, or the file that "
	                 "--exportTimes=FILE writes",
	                 remains->averages, remains->runs,
	                 remains->gpu_ms / (double)remains->averages, *remains->text ? " of " : "",
	                 remains->text);
}

static bool has_layers(const struct log *log)
{
	for (size_t i = 0; i < log->join.count; i++)
		if (log->join.runs[i]->operators.count)
			return true;
	return false;
}

/* Keeps the first run of several, and warns that the others are left out. */
static void keep_first(struct log *log)
{
	struct weir_text text = {0};

	weir_text_printf(&text,
	                 "the log holds %zu runs of trtexec with times of layers, and the first is "
	                 "shown: split the log to read the others",
	                 log->join.count);
	weir_input_warn(log->input, WEIR_WARN_TRAILING, log->second_at, text.data);
	weir_text_release(&text);
	while (log->join.count > 1)
		weir_run_free(log->join.runs[--log->join.count]);
}

static enum weir_status conclude(struct log *log, struct weir_error *err)
{
	struct weir_input *input = log->input;
	enum weir_status status = end_run(log, err);

	if (status)
		return status;
	if (!log->join.count && log->failure.count)
		return fail_as_trtexec(&log->failure, err);
	if (log->failure.count)
		weir_input_warn(input, WEIR_WARN_PROGRAM_FAILED, log->failure.at,
		                log->failure.last);
	if (!log->join.count && log->skipped)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "trtexec built the engine and, as --skipInference asks, ran no "
		                 "inference, so the log holds no times: run it without "
		                 "--skipInference");
	if (!log->join.count)
		return fail_without_summary(&log->remains, err);
	if (log->join.count > 1 && has_layers(log))
		keep_first(log);
	weir_run_free(input->run);
	input->run = NULL;
	log->join.unlike = log->unlike;
	status = weir_load_join_finish(&log->join, input, err);
	if (!status)
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return status;
}

enum weir_status weir_trtexec_read_log(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	static const struct weir_csv_options csv_options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &csv_options);
	struct log log = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status = WEIR_OK;

	input->run = weir_run_new();
	while (!status && !(status = weir_csv_next(csv, &row, err)) && row)
		status = take_line(&log, row, err);
	weir_csv_free(csv);
	if (!status) {
		weir_damage_of_source(input, source);
		status = conclude(&log, err);
	}
	weir_load_join_release(&log.join);
	weir_text_release(&log.command);
	return status;
}
