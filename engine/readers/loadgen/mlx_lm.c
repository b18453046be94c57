/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what MLX LM prints, anywhere in a log: mlx_lm.benchmark, which repeats a test and prints
 * the means of its trials,
 *
 *	Timing with prompt_tokens=512, generation_tokens=64, batch_size=1.
 *	Trial 1:  prompt_tps=900.000, generation_tps=50.000, peak_memory=4.100, total_time=1.900
 *	Averages: prompt_tps=900.000, generation_tps=50.000, peak_memory=4.100
 *
 * and mlx_lm.generate, behind the text that it generates:
 *
 *	Prompt: 20 tokens, 300.000 tokens-per-sec
 *	Generation: 100 tokens, 40.000 tokens-per-sec
 *	Peak memory: 4.200 GB
 *
 * The memory is in units of 10^9 bytes.
 */
#include <stdio.h>

#include "engine/readers/loadgen/result_text.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/scan.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define TIMING   "Timing with "
#define AVERAGES "Averages: "
#define UNIT     "tokens-per-sec"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct weir_mark marks[] = {
	{.first = "", .texts = {{"prompt_tps=", "generation_tps=", "peak_memory="}, .all = 3}},
	{.first = "",
         .texts = {{"Prompt: ", " tokens-per-sec", "Generation: ", "Peak memory: "}, .all = 4}},
	{0},
};

struct log {
	size_t trials; /* of the test that is being read */
};

/* Numbers of a line of mlx_lm.benchmark. */
static const struct {
	const char *before, *label;
} conditions[] = {
	{"prompt_tokens=", "input_len"},
	{"generation_tokens=", "output_len"},
	{"batch_size=", "batch_size"},
};

static const struct {
	const char *before, *figure, *unit;
	bool higher; /* is better */
} means[] = {
	{"prompt_tps=", "prefill_throughput", "tokens/s", true},
	{"generation_tps=", "decode_throughput", "tokens/s", true},
	{"peak_memory=", "peak_memory_gb", "GB", false},
};

/* Lines of mlx_lm.generate. */
static const struct {
	const char *before, *figure;
	size_t tokens; /* slot of their number */
} phases[] = {
	{"Prompt: ", "prefill_throughput", WEIR_CLIENT_SLOT(total_input_tokens)},
	{"Generation: ", "decode_throughput", WEIR_CLIENT_SLOT(total_output_tokens)},
};

/* ---- mlx_lm.benchmark ---- */

static void take_conditions(struct weir_result_text *text, struct weir_slice line)
{
	struct weir_slice rest;
	char value[32];
	double number;

	for (size_t i = 0; i < COUNT(conditions); i++)
		if (weir_scan_behind(line, conditions[i].before, &rest)) {
			size_t length = 0;

			while (length < rest.length && rest.data[length] >= '0' &&
			       rest.data[length] <= '9')
				length++;
			rest.length = length;
			if (!weir_result_text_number(text, &rest, &number))
				continue;
			snprintf(value, sizeof(value), "%.0f", number);
			weir_run_set_label(text->run, conditions[i].label, value);
		}
}

/* Takes the means of a test, which end its result. */
static enum weir_status take_means(struct weir_result_text *text, struct log *log,
                                   struct weir_slice line, struct weir_error *err)
{
	struct weir_slice rest;
	char trials[24];
	double value;

	if (!text->begun)
		weir_result_text_begin(text);
	for (size_t i = 0; i < COUNT(means); i++)
		if (weir_scan_behind(line, means[i].before, &rest) &&
		    weir_result_text_number(text, &rest, &value) && value > 0)
			weir_figure_add(text->run, means[i].figure, means[i].unit, means[i].higher,
			                value);
	snprintf(trials, sizeof(trials), "%zu", log->trials);
	if (log->trials)
		weir_run_set_label(text->run, "trials", trials);
	log->trials = 0;
	return weir_result_text_end(text, err);
}

/* ---- mlx_lm.generate ---- */

/* Takes "20 tokens, 300.000 tokens-per-sec", or the rate alone. Each is of one result: a second one
 * begins the next. */
static enum weir_status take_phase(struct weir_result_text *text, struct weir_slice rest,
                                   size_t phase, struct weir_error *err)
{
	double tokens, rate;
	bool has_tokens;

	if (!weir_result_text_number(text, &rest, &rate))
		return WEIR_OK;
	tokens = rate;
	rest = weir_slice_trim(rest);
	has_tokens = weir_slice_take(&rest, "tokens,");
	if (has_tokens && !weir_result_text_number(text, &rest, &rate))
		return WEIR_OK;
	if (!weir_slice_starts(weir_slice_trim(rest), UNIT) || !(rate > 0))
		return WEIR_OK;
	if (weir_series_find(&text->run->metrics, phases[phase].figure) &&
	    weir_result_text_end(text, err))
		return err->status;
	if (!text->begun)
		weir_result_text_begin(text);
	if (has_tokens)
		weir_client_summary_set(&text->summary, phases[phase].tokens, tokens);
	weir_figure_add(text->run, phases[phase].figure, "tokens/s", true, rate);
	return WEIR_OK;
}

/* Takes the memory, in the last line of a result. */
static enum weir_status take_memory(struct weir_result_text *text, struct weir_slice rest,
                                    struct weir_error *err)
{
	double gb;

	if (!text->run->metrics.count || !weir_result_text_number(text, &rest, &gb) ||
	    !weir_slice_starts(weir_slice_trim(rest), "GB"))
		return WEIR_OK;
	if (gb > 0)
		weir_figure_add(text->run, "peak_memory_gb", "GB", false, gb);
	return weir_result_text_end(text, err);
}

/* ---- the reader ---- */

/* Begins a test. One before it without its means is left out. */
static enum weir_status begin_test(struct weir_result_text *text, struct log *log,
                                   struct weir_error *err)
{
	if (log->trials)
		weir_input_warn(text->input, WEIR_WARN_SKIPPED_EVENT, text->row ? text->row->at : 0,
		                "trials without their averages");
	log->trials = 0;
	return weir_result_text_end(text, err);
}

static enum weir_status take_line(struct weir_result_text *text, void *state,
                                  struct weir_slice line, struct weir_error *err)
{
	struct log *log = state;
	struct weir_slice rest;

	if (weir_scan_behind(line, TIMING, &rest)) {
		if (begin_test(text, log, err))
			return err->status;
		weir_result_text_begin(text);
		take_conditions(text, rest);
	} else if (weir_scan_behind(line, AVERAGES, &rest)) {
		return take_means(text, log, rest, err);
	} else if (weir_slice_holds(line, "Trial ") && weir_slice_holds(line, "prompt_tps=")) {
		log->trials++;
	} else if (weir_scan_behind(line, "Peak memory: ", &rest)) {
		return take_memory(text, rest, err);
	}
	for (size_t i = 0; i < COUNT(phases); i++)
		if (weir_scan_behind(line, phases[i].before, &rest))
			return take_phase(text, rest, i, err);
	return WEIR_OK;
}

static enum weir_status end(struct weir_result_text *text, void *state, struct weir_error *err)
{
	return begin_test(text, state, err);
}

static enum weir_status read_mlx_lm(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_result_form form = {
		.take = take_line,
		.end = end,
		.tool = "MLX LM",
		.expected =
			"the line \"" AVERAGES "prompt_tps=...\" behind the trials, or \"Prompt: "
			"20 tokens, 300.000 " UNIT "\"",
	};
	struct log log = {0};

	return weir_result_text_read(&form, &log, source, input, err);
}

const struct weir_reader weir_reader_mlx_lm = {
	.name = "mlx-lm",
	.title = "lines of mlx_lm.benchmark and mlx_lm.generate",
	.gives = "native run",
	.tool = "MLX LM",
	.whole_run = true,
	.marks = marks,
	.read = read_mlx_lm,
};
