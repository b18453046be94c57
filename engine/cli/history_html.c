/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the page of a history: a card with a drawing and its change points for each figure. */
#include <math.h>

#include "engine/cli/history_series.h"
#include "engine/report/drawing/history.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"

#define DAY_SIZE 10 /* "2026-11-20" */

static const char style[] = "<style>\n.lead { margin-bottom: 1rem; }\n</style>\n";

void weir_history_html_begin(struct weir_text *text, const char *name)
{
	struct weir_text title = {0};

	weir_escape_plain(&title, name);
	weir_text_puts(&title, ": history");
	weir_page_open(&title, text);
	weir_text_puts(text, style);
	weir_text_puts(text, "<h1>");
	weir_escape_html(text, name);
	weir_text_puts(text, "</h1>\n<p class=\"soft lead\">");
	weir_text_puts(text,
	               "Each dot is a run, the newest on the right. A vertical line is a change "
	               "point.</p>\n");
	weir_text_release(&title);
}

void weir_history_html_end(struct weir_text *text)
{
	weir_text_puts(text, "<footer>weir " WEIR_VERSION);
	weir_page_close(text);
}

static void name_run(const void *context, size_t run, struct weir_text *out)
{
	const struct weir_history_series *series = context;

	weir_history_value_text(out, series, series->values[run]);
	weir_text_puts(out, ", ");
	weir_history_place(out, &series->baseline->runs[run]);
}

static void name_step(const void *context, size_t step, struct weir_text *out)
{
	const struct weir_history_series *series = context;
	size_t run = series->cuts[step];

	weir_text_printf(out, "%+.1f %% at ", 100 * weir_history_step(series, run));
	weir_history_place(out, &series->baseline->runs[run]);
	weir_history_changed(out, "; labels that change there: ", series, run);
}

static void add_list(struct weir_text *text, const struct weir_history_series *series)
{
	struct weir_text plain = {0};

	if (series->cut_count == 0 && !series->drift)
		return;
	weir_text_puts(text, "<ul class=\"steps\">");
	for (size_t i = 0; i < series->cut_count; i++) {
		weir_text_puts(text, "<li>");
		name_step(series, i, &plain);
		weir_flush_html(text, &plain);
		weir_text_puts(text, "</li>");
	}
	if (series->drift) {
		weir_text_puts(text, "<li>");
		weir_history_drift(text, series);
		weir_text_puts(text, "</li>");
	}
	weir_text_puts(text, "</ul>\n");
	weir_text_release(&plain);
}

/* Appends the least and the largest value. */
static void add_range(struct weir_text *text, const struct weir_history_series *series)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < series->baseline->count; i++)
		if (!isnan(series->values[i])) {
			least = fmin(least, series->values[i]);
			most = fmax(most, series->values[i]);
		}
	weir_history_value_text(text, series, least);
	weir_text_puts(text, " to ");
	weir_history_value_text(text, series, most);
}

static void add_day(struct weir_text *text, const struct weir_baseline_run *run)
{
	weir_text_printf(text, "%.*s", DAY_SIZE, run->recorded);
}

void weir_history_html(struct weir_text *text, const struct weir_history_series *series,
                       size_t index)
{
	const struct weir_baseline *baseline = series->baseline;
	struct weir_text title = {0}, id = {0}, first = {0}, last = {0}, range = {0};

	weir_history_title(&title, series);
	weir_text_printf(&id, "history-%zu", index + 1);
	add_day(&first, &baseline->runs[0]);
	add_day(&last, &baseline->runs[baseline->count - 1]);
	weir_text_printf(&range, "%zu runs, ", baseline->count);
	add_range(&range, series);
	weir_text_puts(text, "<section class=\"card\">\n<h2>");
	weir_escape_html(text, title.data);
	weir_text_printf(text, "<span class=\"soft\">%s</span></h2>\n", range.data);
	weir_draw_history(
		&(struct weir_history_drawing){
			.id = id.data,
			.title = title.data,
			.description = range.data,
			.values = series->values,
			.count = baseline->count,
			.steps = series->cuts,
			.step_count = series->cut_count,
			.is_time = series->metric.metric != WEIR_METRIC_VALUE,
			.first = first.data,
			.last = last.data,
			.name_run = name_run,
			.name_step = name_step,
			.context = series,
		},
		text);
	add_list(text, series);
	weir_text_puts(text, "</section>\n");
	weir_text_release(&title);
	weir_text_release(&id);
	weir_text_release(&first);
	weir_text_release(&last);
	weir_text_release(&range);
}
