/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/cli/baseline_text.h"
#include "engine/pipeline/clock.h"
#include "engine/report/plain/escape.h"

#define NAME_COLUMNS  22
#define RUNS_COLUMNS  6
#define AGE_COLUMNS   8
#define GPU_COLUMNS   16
#define LABEL_COLUMNS 76 /* width of a line of labels */
#define ID_DIGITS     12 /* shown digits of the id of a run */
#define DAY_LENGTH    10 /* bytes of "2026-11-20" */
#define SHOWN_RUNS    20 /* newest runs that the text lists */

/* Appends a name, cut or padded to `columns` columns. */
static void add_cell(struct weir_text *text, const char *name, size_t columns)
{
	struct weir_text plain = {0}, cell = {0};
	size_t width;

	weir_escape_name(&plain, name);
	weir_cut(&cell, plain.data, columns);
	width = weir_text_columns(cell.data);
	weir_text_puts(text, cell.data);
	weir_text_repeat(text, " ", width < columns ? columns - width : 0);
	weir_text_release(&plain);
	weir_text_release(&cell);
}

/* Appends a count, right-aligned in `columns` columns. */
static void add_count(struct weir_text *text, uint64_t count, size_t columns)
{
	struct weir_text cell = {0};

	weir_text_count(&cell, count);
	weir_text_repeat(text, " ", cell.length < columns ? columns - cell.length : 0);
	weir_text_puts(text, cell.data);
	weir_text_release(&cell);
}

/* Appends "2026-11-18" or "2026-11-18 to 2026-11-20". */
static void add_days(struct weir_text *text, const char *first, const char *last)
{
	if (!first || !last) {
		weir_text_puts(text, "-");
		return;
	}
	weir_text_printf(text, "%.*s", DAY_LENGTH, first);
	if (strncmp(first, last, DAY_LENGTH) != 0)
		weir_text_printf(text, " to %.*s", DAY_LENGTH, last);
}

/* Ends a line without trailing blanks. */
static void end_line(struct weir_text *text)
{
	while (text->length > 0 && text->data[text->length - 1] == ' ')
		text->length--;
	weir_text_puts(text, "\n");
}

/* --- list --- */

/* Returns the age of the newest current run in days; NAN: no current run. */
static double age_of(const struct weir_store_row *row, const char *now)
{
	return row->newest ? fmax(floor(weir_clock_days(row->newest, now)), 0) : NAN;
}

/* Appends "    12 d". */
static void add_age(struct weir_text *text, const struct weir_store_row *row, const char *now)
{
	double days = age_of(row, now);
	struct weir_text cell = {0};

	if (isnan(days))
		weir_text_puts(&cell, "-");
	else
		weir_text_printf(&cell, "%.0f d", days);
	weir_text_repeat(text, " ", cell.length < AGE_COLUMNS ? AGE_COLUMNS - cell.length : 1);
	weir_text_puts(text, cell.data);
	weir_text_release(&cell);
}

void weir_baseline_list_text(const struct weir_store_list *list, const char *now,
                             struct weir_text *text)
{
	if (list->count == 0) {
		weir_text_puts(text, "no baselines yet; record one: weir baseline record RUN... "
		                     "--name main\n");
		return;
	}
	weir_text_printf(text, "%-*s  runs     age  device            recorded\n", NAME_COLUMNS,
	                 "baseline");
	for (size_t i = 0; i < list->count; i++) {
		const struct weir_store_row *row = &list->rows[i];

		add_cell(text, row->name, NAME_COLUMNS);
		add_count(text, row->runs, RUNS_COLUMNS);
		add_age(text, row, now);
		weir_text_puts(text, "  ");
		add_cell(text, row->gpu, GPU_COLUMNS);
		weir_text_puts(text, "  ");
		add_days(text, row->first, row->last);
		end_line(text);
	}
	weir_text_puts(text, "samples of all runs: ");
	weir_text_bytes(text, (double)list->sample_bytes);
	weir_text_puts(text, "\n");
}

void weir_baseline_list_json(const struct weir_store_list *list, const char *now,
                             struct weir_text *text)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, text, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.baseline-list/1");
	weir_jsonout_begin_array(&json, "baselines");
	for (size_t i = 0; i < list->count; i++) {
		const struct weir_store_row *row = &list->rows[i];

		weir_jsonout_begin_object_inline(&json, NULL);
		weir_jsonout_text(&json, "name", row->name);
		weir_jsonout_int(&json, "runs", (int64_t)row->runs);
		weir_jsonout_int(&json, "history", (int64_t)row->history);
		weir_jsonout_int(&json, "pinned", (int64_t)row->pinned);
		weir_jsonout_int(&json, "pruned", (int64_t)row->pruned);
		weir_jsonout_int(&json, "sample_bytes", (int64_t)row->sample_bytes);
		weir_jsonout_text(&json, "first", row->first);
		weir_jsonout_text(&json, "last", row->last);
		weir_jsonout_double(&json, "age_days", age_of(row, now));
		weir_jsonout_text(&json, "gpu", row->gpu);
		weir_jsonout_end(&json);
	}
	weir_jsonout_end(&json);
	weir_jsonout_int(&json, "sample_bytes", (int64_t)list->sample_bytes);
	weir_jsonout_end(&json);
	weir_text_puts(text, "\n");
}

/* --- show --- */

static size_t count_history(const struct weir_baseline *baseline)
{
	size_t count = 0;

	for (size_t i = 0; i < baseline->count; i++)
		count += baseline->runs[i].history;
	return count;
}

/* Returns the value of a label if it is the same in all current runs, else NULL. */
static const char *shared_value(const struct weir_baseline *baseline, const char *key)
{
	const char *shared = NULL;

	for (size_t i = 0; i < baseline->count; i++) {
		const char *value = weir_run_label(baseline->runs[i].run, key);

		if (baseline->runs[i].history)
			continue;
		if (!value || (shared && strcmp(shared, value) != 0))
			return NULL;
		shared = value;
	}
	return shared;
}

static const struct weir_run *newest_run(const struct weir_baseline *baseline)
{
	for (size_t i = baseline->count; i-- > 0;)
		if (!baseline->runs[i].history)
			return baseline->runs[i].run;
	return baseline->runs[baseline->count - 1].run;
}

/* Appends the labels that are the same in all current runs: "  gpu NVIDIA H200 · torch 2.11.0". */
static void add_shared_labels(struct weir_text *text, const struct weir_baseline *baseline)
{
	const struct weir_run *newest = newest_run(baseline);
	struct weir_text plain = {0}, label = {0};
	size_t columns = 0;

	for (size_t i = 0; i < newest->label_count; i++) {
		const char *value = shared_value(baseline, newest->labels[i].key);
		size_t width;

		if (!value || weir_run_label_is_derived(&newest->labels[i]))
			continue;
		weir_text_clear(&plain);
		weir_text_clear(&label);
		weir_escape_plain(&plain, newest->labels[i].key);
		weir_text_puts(&plain, " ");
		weir_escape_plain(&plain, value);
		weir_cut(&label, plain.data, LABEL_COLUMNS);
		width = weir_text_columns(label.data);
		if (columns > 0 && columns + width + 3 > LABEL_COLUMNS) {
			weir_text_puts(text, "\n");
			columns = 0;
		}
		weir_text_printf(text, "%s%s", columns ? " · " : "  ", label.data);
		columns += width + 3;
	}
	if (columns > 0)
		weir_text_puts(text, "\n");
	weir_text_release(&plain);
	weir_text_release(&label);
}

/* Appends the keys of the labels that differ between current runs. */
static void add_differences(struct weir_text *text, const struct weir_baseline *baseline)
{
	const struct weir_run *newest = newest_run(baseline);
	struct weir_text keys = {0};

	for (size_t i = 0; i < newest->label_count; i++) {
		if (shared_value(baseline, newest->labels[i].key))
			continue;
		weir_text_puts(&keys, keys.length ? ", " : "");
		weir_escape_plain(&keys, newest->labels[i].key);
	}
	if (keys.length) {
		weir_text_puts(text, "  not the same in all runs: ");
		weir_cut(text, keys.data, LABEL_COLUMNS - 28);
		weir_text_puts(text, "\n");
	}
	weir_text_release(&keys);
}

static void add_labels(struct weir_text *text, const struct weir_baseline *baseline)
{
	struct weir_text labels = {0};

	add_shared_labels(&labels, baseline);
	add_differences(&labels, baseline);
	if (labels.length)
		weir_text_printf(text, "\n%s", labels.data);
	weir_text_release(&labels);
}

static void add_run(struct weir_text *text, const struct weir_baseline_run *run)
{
	weir_text_printf(text, "%.*s  %s  ", ID_DIGITS, run->id, run->recorded);
	add_cell(text, run->bound ? run->bound : "-", 13);
	add_count(text, run->stages, 7);
	add_count(text, run->operators, 10);
	add_count(text, run->samples, 11);
	weir_text_puts(text, run->pruned ? "  (pruned)" : run->history ? "  (history)" : "");
	weir_text_puts(text, run->pinned ? "  (pinned)\n" : "\n");
}

void weir_baseline_show_text(const struct weir_baseline *baseline, struct weir_text *text)
{
	size_t history = count_history(baseline), runs = baseline->count - history;
	size_t skipped = baseline->count > SHOWN_RUNS ? baseline->count - SHOWN_RUNS : 0;

	weir_escape_name(text, baseline->name);
	weir_text_printf(text, ": %zu run%s", runs, runs == 1 ? "" : "s");
	if (history)
		weir_text_printf(text, ", and %zu in its history", history);
	weir_text_puts(text, "; recorded ");
	add_days(text, baseline->runs[0].recorded, baseline->runs[baseline->count - 1].recorded);
	weir_text_puts(text, "\n");
	add_labels(text, baseline);
	weir_text_printf(text, "\n%-*s  %-20s  %-13s%7s%10s%11s\n", ID_DIGITS, "run", "recorded",
	                 "bound", "stages", "operators", "samples");
	if (skipped)
		weir_text_printf(text, "... %zu older (-f json has them)\n", skipped);
	for (size_t i = skipped; i < baseline->count; i++)
		add_run(text, &baseline->runs[i]);
}

static void write_run(struct weir_jsonout *json, const struct weir_baseline_run *run)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "id", run->id);
	weir_jsonout_text(json, "recorded", run->recorded);
	weir_jsonout_bool(json, "history", run->history);
	weir_jsonout_bool(json, "pinned", run->pinned);
	weir_jsonout_bool(json, "pruned", run->pruned);
	weir_jsonout_text(json, "bound", run->bound);
	weir_jsonout_text(json, "cause", run->cause);
	weir_jsonout_int(json, "stages", (int64_t)run->stages);
	weir_jsonout_int(json, "operators", (int64_t)run->operators);
	weir_jsonout_int(json, "samples", (int64_t)run->samples);
	weir_jsonout_begin_object(json, "labels");
	for (size_t i = 0; i < run->run->label_count; i++)
		weir_jsonout_text(json, run->run->labels[i].key, run->run->labels[i].value);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

void weir_baseline_show_json(const struct weir_baseline *baseline, struct weir_text *text)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, text, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.baseline-show/1");
	weir_jsonout_text(&json, "name", baseline->name);
	weir_jsonout_begin_array(&json, "runs");
	for (size_t i = 0; i < baseline->count; i++)
		write_run(&json, &baseline->runs[i]);
	weir_jsonout_end(&json);
	weir_jsonout_end(&json);
	weir_text_puts(text, "\n");
}
