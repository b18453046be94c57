/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"

#define KEY_TEXT 64  /* bytes of a label in a name; the rest is cut */
#define NAME     200 /* bytes of a name; further labels are left out */

enum weir_status weir_load_join_add(struct weir_load_join *join, struct weir_run *run,
                                    struct weir_error *err)
{
	if (join->count == WEIR_LOAD_JOIN_MAX) {
		weir_run_free(run);
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %d results in one file: split it, as split -l %d does",
		                 WEIR_LOAD_JOIN_MAX, WEIR_LOAD_JOIN_MAX);
	}
	join->runs =
		weir_grow(join->runs, &join->capacity, join->count + 1, sizeof(struct weir_run *));
	join->headings = weir_grow(join->headings, &join->heading_capacity, join->count + 1,
	                           sizeof(*join->headings));
	join->headings[join->count] = (struct weir_heading){.text = ""};
	join->runs[join->count++] = run;
	return WEIR_OK;
}

void weir_load_join_head(struct weir_load_join *join, const struct weir_heading *heading)
{
	if (join->count)
		join->headings[join->count - 1] = *heading;
}

/* ---- names ---- */

/* The labels that name a load, whether or not others have another load. */
static const struct {
	const char *label, *name, *unlimited;
} loads[] = {
	{"request_rate", "request_rate", "inf"},
	{"max_concurrency", "concurrency", NULL},
	{"concurrency", "concurrency", NULL},
};

static bool is_load(const char *key)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (strcmp(loads[i].label, key) == 0)
			return true;
	return false;
}

/* Appends "NAME@VALUE/"; a number loses the zeros after its point. */
static void add_part(struct weir_text *name, const char *key, const char *value)
{
	size_t length = strlen(value);
	double number;

	if (name->length > NAME)
		return;
	weir_text_printf(name, "%s@", key);
	if (weir_parse_double(value, length, &number))
		weir_text_printf(name, "%.6g", number);
	else
		for (size_t i = 0; i < length && i < KEY_TEXT; i++)
			weir_text_add(name, (unsigned char)value[i] < ' ' ? "?" : &value[i], 1);
	weir_text_puts(name, "/");
}

static void name_load(struct weir_text *name, const struct weir_run *run)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		const char *value = weir_run_label(run, loads[i].label);

		if (value && (!loads[i].unlimited || strcmp(value, loads[i].unlimited) != 0))
			add_part(name, loads[i].name, value);
	}
	if (!name->length)
		weir_text_puts(name,
		               weir_run_label(run, "request_rate") ? "request_rate@inf/" : "load/");
}

static bool are_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* True if runs with the same name, or any two of them if all labels are wanted, have different
 * values of a label. */
static bool distinguishes(const struct weir_load_join *join, const struct weir_text *names,
                          const char *key)
{
	for (size_t i = 0; i < join->count; i++)
		for (size_t j = 0; j < i; j++)
			if ((join->all_labels || strcmp(names[i].data, names[j].data) == 0) &&
			    !are_equal(weir_run_label(join->runs[i], key),
			               weir_run_label(join->runs[j], key)))
				return true;
	return false;
}

struct keys {
	const char *key[WEIR_FIGURE_MAX_LABELS];
	size_t count;
};

static bool has_key(const struct keys *keys, const char *key)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strcmp(keys->key[i], key) == 0)
			return true;
	return false;
}

/* True for labels that a result measured, such as its duration: they are no conditions. */
static bool is_measured(const char *key)
{
	return strcmp(key, WEIR_LOAD_ITERATIONS) == 0 || strcmp(key, WEIR_LOAD_COMPILE) == 0 ||
	       weir_client_is_total(key);
}

/* True for labels that differ between repeats under the same conditions. */
static bool is_of_time(const char *key)
{
	return strcmp(key, "date") == 0 || is_measured(key);
}

/* Collects the keys of labels that may distinguish results: of each run in turn, sorted. */
static void collect_keys(const struct weir_load_join *join, struct keys *keys)
{
	for (size_t i = 0; i < join->count; i++) {
		const struct weir_run_label **labels = weir_run_labels_sorted(join->runs[i]);

		for (size_t j = 0; j < join->runs[i]->label_count; j++) {
			const char *key = labels[j]->key;

			if (keys->count < WEIR_FIGURE_MAX_LABELS && !is_load(key) &&
			    !is_of_time(key) && !has_key(keys, key))
				keys->key[keys->count++] = key;
		}
		free(labels);
	}
}

/* Returns true if all runs have a label of this key. */
static bool all_have(const struct weir_load_join *join, const char *key)
{
	for (size_t i = 0; i < join->count; i++)
		if (!weir_run_label(join->runs[i], key))
			return false;
	return true;
}

/* Adds the labels that distinguish runs of the same name. `common`: those that all runs have. */
static void distinguish(const struct weir_load_join *join, bool common, struct weir_text *names)
{
	struct keys keys = {.count = 0};

	collect_keys(join, &keys);
	for (size_t i = 0; i < keys.count; i++) {
		if (all_have(join, keys.key[i]) != common ||
		    !distinguishes(join, names, keys.key[i]))
			continue;
		for (size_t j = 0; j < join->count; j++) {
			const char *value = weir_run_label(join->runs[j], keys.key[i]);

			if (value)
				add_part(&names[j], keys.key[i], value);
		}
	}
}

/* Adds the headings if they distinguish runs of the same name. */
static void distinguish_by_heading(const struct weir_load_join *join, struct weir_text *names)
{
	bool differ = false;

	for (size_t i = 0; i < join->count; i++)
		for (size_t j = 0; j < i; j++)
			differ |= strcmp(names[i].data, names[j].data) == 0 &&
			          strcmp(join->headings[i].text, join->headings[j].text) != 0;
	for (size_t i = 0; differ && i < join->count; i++)
		if (*join->headings[i].text)
			add_part(&names[i], "heading", join->headings[i].text);
}

/* Appends "#2" to the name of the second of two runs with equal names. */
static void number_equals(const struct weir_load_join *join, struct weir_text *names)
{
	size_t *same = weir_alloc(join->count * sizeof(*same));

	for (size_t i = 0; i < join->count; i++)
		for (size_t j = 0; j < i; j++)
			same[i] += strcmp(names[i].data, names[j].data) == 0;
	for (size_t i = 0; i < join->count; i++)
		if (same[i]) {
			names[i].data[--names[i].length] = '\0';
			weir_text_printf(&names[i], "#%zu/", same[i] + 1);
		}
	free(same);
}

/* ---- the joined run ---- */

static void add_series(struct weir_series_table *table, const char *prefix,
                       const struct weir_series *from)
{
	struct weir_text name = {0};
	struct weir_series *to;

	weir_text_printf(&name, "%s%s", prefix, from->name);
	to = weir_series_get(table, name.data);
	for (size_t i = 0; i < from->count; i++)
		weir_series_push(to, from->value[i]);
	weir_text_release(&name);
}

/* Adds a metric, which the run does not have, with all of its values. */
static void add_metric(struct weir_run *all, const char *name, const struct weir_series *metric)
{
	struct weir_series *to;

	weir_figure_add(all, name, metric->unit, metric->higher_is_better, metric->value[0]);
	if (metric->count < 2 || !weir_series_find(&all->metrics, name))
		return;
	to = weir_series_get(&all->metrics, name);
	for (size_t i = 1; i < metric->count; i++)
		weir_series_push(to, metric->value[i]);
}

static void add_run(struct weir_run *all, const char *prefix, const struct weir_run *run)
{
	for (size_t i = 0; i < run->stages.count; i++)
		add_series(&all->stages, prefix, &run->stages.items[i]);
	for (size_t i = 0; i < run->metrics.count; i++) {
		const struct weir_series *metric = &run->metrics.items[i];
		struct weir_text name = {0};

		weir_text_printf(&name, "%s%s", prefix, metric->name);
		add_metric(all, name.data, metric);
		weir_text_release(&name);
	}
}

/* Keeps the labels that all runs share. */
static void share_labels(const struct weir_load_join *join, struct weir_run *all)
{
	const struct weir_run *first = join->runs[0];

	for (size_t i = 0; i < first->label_count; i++) {
		const struct weir_run_label *label = &first->labels[i];
		bool shared = true;

		for (size_t j = 1; j < join->count; j++)
			shared &=
				are_equal(weir_run_label(join->runs[j], label->key), label->value);
		if (shared)
			weir_run_set_label(all, label->key, label->value);
	}
}

/* Keeps what a result measured and others did not, such as its failed requests, as labels under its
 * name: "request_rate@4/failed". */
static void add_measured(struct weir_run *all, const char *prefix, const struct weir_run *run)
{
	struct weir_text key = {0};

	for (size_t i = 0; i < run->label_count; i++) {
		const struct weir_run_label *label = &run->labels[i];

		if (!is_measured(label->key) || weir_run_label(all, label->key) ||
		    all->label_count >= WEIR_FIGURE_MAX_LABELS)
			continue;
		weir_text_clear(&key);
		weir_text_printf(&key, "%s%s", prefix, label->key);
		weir_run_set_label(all, key.data, label->value);
	}
	weir_text_release(&key);
}

/* ---- repeated results ---- */

/* Returns the number of results with the name of result `index`, up to and with it, or of all. */
static size_t count_equals(const struct weir_load_join *join, const struct weir_text *names,
                           size_t index, bool all)
{
	size_t count = 0;

	for (size_t i = 0; i < (all ? join->count : index + 1); i++)
		count += strcmp(names[i].data, names[index].data) == 0;
	return count;
}

/* Returns how often each result is repeated under the same conditions; 1: once, or not equally
 * often. */
static size_t count_repeats(const struct weir_load_join *join, const struct weir_text *names)
{
	size_t repeats = count_equals(join, names, 0, true);

	for (size_t i = 1; i < join->count; i++)
		if (count_equals(join, names, i, true) != repeats)
			return 1;
	return repeats;
}

/* Makes the run of one repeat: the result itself if there is one load, else those of all loads. */
static struct weir_run *make_repeat(struct weir_load_join *join, const struct weir_text *names,
                                    size_t repeat, size_t count)
{
	struct weir_load_join part = {.runs = weir_alloc(count * sizeof *part.runs)};
	struct weir_text *part_names = weir_alloc(count * sizeof *part_names);
	struct weir_run *run;

	for (size_t i = 0; i < join->count; i++)
		if (count_equals(join, names, i, false) == repeat) {
			part_names[part.count] = names[i];
			part.runs[part.count++] = join->runs[i];
		}
	run = weir_run_new();
	if (count == 1)
		add_run(run, "", part.runs[0]);
	else
		for (size_t i = 0; i < count; i++)
			add_run(run, part_names[i].data, part.runs[i]);
	share_labels(&part, run);
	free(part.runs);
	free(part_names);
	return run;
}

/* Gives the input a run for each time that all loads were measured. */
static void add_repeats(struct weir_load_join *join, const struct weir_text *names,
                        struct weir_input *input)
{
	size_t repeats = count_repeats(join, names);
	struct weir_run **next = &input->repeats;

	for (size_t repeat = 1; repeats > 1 && repeat <= repeats; repeat++) {
		*next = make_repeat(join, names, repeat, join->count / repeats);
		next = &(*next)->next;
	}
}

static void fill_input(struct weir_load_join *join, struct weir_input *input)
{
	struct weir_text *names = weir_alloc(join->count * sizeof(*names));

	for (size_t i = 0; i < join->count; i++)
		name_load(&names[i], join->runs[i]);
	distinguish(join, true, names);
	distinguish_by_heading(join, names);
	distinguish(join, false, names);
	if (!join->unlike)
		add_repeats(join, names, input);
	number_equals(join, names);
	input->run = weir_run_new();
	for (size_t i = 0; i < join->count; i++)
		add_run(input->run, names[i].data, join->runs[i]);
	share_labels(join, input->run);
	for (size_t i = 0; i < join->count; i++) {
		add_measured(input->run, names[i].data, join->runs[i]);
		weir_text_release(&names[i]);
	}
	free(names);
}

void weir_load_join_skip(struct weir_load_join *join, const struct weir_client_summary *summary)
{
	join->failed += summary->failed >= 1 ? summary->failed : 0;
	join->empty++;
}

enum weir_status weir_load_join_end(struct weir_load_join *join,
                                    struct weir_client_summary *summary, struct weir_run *run,
                                    struct weir_input *input, struct weir_error *err)
{
	enum weir_status status;

	if (summary->completed <= 0) {
		weir_load_join_skip(join, summary);
		weir_run_free(run);
		return WEIR_OK;
	}
	if (isnan(summary->output_tokens))
		summary->output_tokens = summary->total_output_tokens / summary->completed;
	summary->max_concurrency = weir_figure_label_number(run, "max_concurrency");
	status = weir_client_summary_check(summary, input, err);
	if (!status) {
		weir_client_summary_add(summary, "", run);
		weir_client_summary_label_totals(summary, run);
	}
	if (!status && run->metrics.count)
		return weir_load_join_add(join, run, err);
	weir_run_free(run);
	return status;
}

/* Names the program that measured all results, if it is no benchmark of a server. */
static void name_tool(struct weir_input *input)
{
	const char *benchmark = weir_run_label(input->run, WEIR_LOAD_BENCHMARK);

	if (benchmark && strcmp(benchmark, WEIR_LOAD_VLLM_LATENCY) == 0)
		input->tool = WEIR_LOAD_VLLM_LATENCY;
}

enum weir_status weir_load_join_finish(struct weir_load_join *join, struct weir_input *input,
                                       struct weir_error *err)
{
	size_t figures = 0;

	if (!join->count)
		return weir_client_fail_none_completed(err);
	weir_client_summary_warn(input, WEIR_WARN_FAILED_REQUEST, join->failed);
	if (join->count == 1) {
		input->run = join->runs[0];
		join->count = 0;
		name_tool(input);
		return WEIR_OK;
	}
	for (size_t i = 0; i < join->count; i++)
		figures += join->runs[i]->metrics.count + join->runs[i]->stages.count;
	if (figures > WEIR_FIGURE_MAX)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %d figures of %zu results, the limit of one run: split "
		                 "the file, as split -l 1 does",
		                 WEIR_FIGURE_MAX, join->count);
	fill_input(join, input);
	name_tool(input);
	return WEIR_OK;
}

void weir_load_join_number(struct weir_load_join *join)
{
	char number[24];

	for (size_t i = 0; join->count > 1 && i < join->count; i++) {
		snprintf(number, sizeof(number), "%zu", i + 1);
		weir_run_set_label(join->runs[i], "result", number);
	}
}

enum weir_status weir_load_join_finish_figures(struct weir_load_join *join,
                                               struct weir_input *input, struct weir_error *err)
{
	enum weir_status status = weir_load_join_finish(join, input, err);

	if (status)
		return status;
	input->events = input->run->metrics.count;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

void weir_load_join_release(struct weir_load_join *join)
{
	for (size_t i = 0; i < join->count; i++)
		weir_run_free(join->runs[i]);
	free(join->runs);
	free(join->headings);
	*join = (struct weir_load_join){0};
}
