/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/http_names.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"

#define MAX_NAME 160 /* bytes of a name; the rest is cut */

void weir_http_names_init(struct weir_http_names *names, struct weir_input *input,
                          void (*settle)(struct weir_http_report *report))
{
	*names =
		(struct weir_http_names){.input = input, .settle = settle, .parts = weir_run_new()};
	weir_http_report_init(&names->report, input);
}

void weir_http_names_release(struct weir_http_names *names)
{
	weir_http_report_release(&names->report);
	weir_run_free(names->all);
	weir_run_free(names->parts);
	weir_text_release(&names->name);
}

void weir_http_names_call(struct weir_http_names *names, struct weir_slice name)
{
	weir_text_clear(&names->name);
	for (size_t i = 0; i < name.length && names->name.length < MAX_NAME; i++)
		weir_text_add(&names->name, (unsigned char)name.data[i] < ' ' ? "?" : &name.data[i],
		              1);
}

/* Sets a label of the name as "request@POST /generate/completed". */
static void label(struct weir_http_names *names, const char *key, const char *value)
{
	struct weir_text text = {0};

	if (value && names->parts->label_count < WEIR_FIGURE_MAX_LABELS) {
		weir_text_printf(&text, "request@%s/%s", names->name.data, key);
		weir_run_set_label(names->parts, text.data, value);
	}
	weir_text_release(&text);
}

/* Adds the figures of a name and the numbers of its requests to those of the others. */
static void add_part(struct weir_http_names *names, const struct weir_run *run)
{
	struct weir_text figure = {0};

	for (size_t i = 0; i < run->metrics.count; i++) {
		const struct weir_series *metric = &run->metrics.items[i];

		weir_text_clear(&figure);
		weir_text_printf(&figure, "request@%s/%s", names->name.data, metric->name);
		weir_figure_add(names->parts, figure.data, metric->unit, metric->higher_is_better,
		                metric->value[0]);
	}
	weir_text_release(&figure);
	label(names, WEIR_LOAD_COMPLETED, weir_run_label(run, WEIR_LOAD_COMPLETED));
	label(names, WEIR_LOAD_FAILED, weir_run_label(run, WEIR_LOAD_FAILED));
	names->count++;
}

/* Warns that all requests of a name failed: their times are not those of the service. */
static void skip(struct weir_http_names *names)
{
	struct weir_text text = {0};

	names->failed++;
	weir_text_printf(&text, "all %.0f requests of \"%s\" failed",
	                 weir_http_report_failed(&names->report),
	                 names->name.length ? names->name.data : "all names");
	weir_input_warn(names->input, WEIR_WARN_SKIPPED_EVENT, UINT64_MAX, text.data);
	weir_text_release(&text);
}

static void end_report(struct weir_http_names *names)
{
	struct weir_http_report *report = &names->report;
	bool of_all = !names->name.length;

	if (!report->has_values)
		return;
	names->settle(report);
	report->quiet = !of_all;
	if (report->completed <= 0) {
		skip(names);
	} else if (names->parts->metrics.count > WEIR_FIGURE_MAX - WEIR_HTTP_SLOTS) {
		names->too_many = true;
	} else if (!weir_http_report_settle(report, "", NULL) && !(of_all && names->all)) {
		if (!of_all) {
			add_part(names, report->run);
		} else {
			names->all = report->run;
			report->run = NULL;
		}
	}
}

void weir_http_names_begin(struct weir_http_names *names)
{
	end_report(names);
	weir_http_report_release(&names->report);
	weir_http_report_init(&names->report, names->input);
	weir_text_clear(&names->name);
}

/* Moves the figures of the names into the run over all, unless that says the same. */
static void join_parts(struct weir_http_names *names)
{
	struct weir_run *all = names->all;
	const struct weir_run *parts = names->parts;

	if (names->count < 2 && all->metrics.count)
		return;
	for (size_t i = 0; i < parts->metrics.count; i++)
		weir_figure_add(all, parts->metrics.items[i].name, parts->metrics.items[i].unit,
		                parts->metrics.items[i].higher_is_better,
		                parts->metrics.items[i].value[0]);
	for (size_t i = 0; i < parts->label_count && all->label_count < WEIR_FIGURE_MAX_LABELS; i++)
		weir_run_set_label(all, parts->labels[i].key, parts->labels[i].value);
}

enum weir_status weir_http_names_conclude(struct weir_http_names *names, const char *expected,
                                          struct weir_error *err)
{
	struct weir_input *input = names->input;

	weir_http_names_begin(names);
	if (names->too_many)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %d figures, the limit of one run: group requests by "
		                 "name in the load generator",
		                 WEIR_FIGURE_MAX);
	if (!names->all)
		names->all = weir_run_new();
	join_parts(names);
	input->run = names->all;
	names->all = NULL;
	input->events = input->run->metrics.count;
	if (!input->events && names->failed)
		return weir_client_fail_none_completed(err);
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no times and no rate in this report: expected %s", expected);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}
