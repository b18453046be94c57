/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the history of rows over the recorded runs, which ends with the candidates. */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/report/drawing/history.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define DAY_COLUMNS    10 /* "2026-11-20" */
#define COMMIT_COLUMNS 16

struct panel {
	const struct weir_drawn_history *history;
	const struct weir_row *row;
};

/* Appends "2026-11-20 14:00" for "2026-11-20T14:00:00Z"; another text is cut. */
static void add_time(const char *recorded, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_escape_plain(&plain, recorded);
	weir_text_printf(out, "%.10s", plain.data ? plain.data : "");
	if (plain.length >= 16)
		weir_text_printf(out, " %.5s", plain.data + 11);
	weir_text_release(&plain);
}

static void add_run(const struct weir_drawn_point *point, struct weir_text *out)
{
	weir_text_puts(out, point->candidate ? "candidate " : "run ");
	weir_cut_name(out, point->name, WEIR_NAME_COLUMNS);
	if (point->recorded) {
		weir_text_puts(out, ", ");
		add_time(point->recorded, out);
	}
	if (point->commit) {
		weir_text_puts(out, ", commit ");
		weir_cut_name(out, point->commit, COMMIT_COLUMNS);
	}
}

static void name_run(const void *context, size_t run, struct weir_text *out)
{
	const struct panel *panel = context;

	weir_gate_print_value(panel->history->points[run].value, panel->row->unit, out);
	weir_text_puts(out, ", ");
	add_run(&panel->history->points[run], out);
}

static void name_step(const void *context, size_t index, struct weir_text *out)
{
	const struct panel *panel = context;
	const struct weir_drawn_step *step = &panel->history->steps[index];

	weir_gate_print_change(step->change, out);
	weir_text_puts(out, " at ");
	add_run(&panel->history->points[step->point], out);
	if (step->labels) {
		weir_text_puts(out, "; labels that change there: ");
		weir_gate_print_text(step->labels, out);
	}
}

/* Writes the steps as a list. */
static void write_steps(const struct panel *panel, struct weir_text *out)
{
	struct weir_text plain = {0};

	if (panel->history->step_count == 0) {
		weir_text_puts(out, "<p class=\"soft undrawn\">No change point.</p>\n");
		return;
	}
	weir_text_puts(out, "<ul class=\"steps\">\n");
	for (size_t i = 0; i < panel->history->step_count; i++) {
		weir_text_puts(out, "<li>");
		name_step(panel, i, &plain);
		weir_flush_html(out, &plain);
		weir_text_puts(out, "</li>\n");
	}
	weir_text_puts(out, "</ul>\n");
	weir_text_release(&plain);
}

/* Appends "decode p50 over 12 runs"; a row that drifts shows its median. */
static void add_title(const struct panel *panel, struct weir_text *out)
{
	struct weir_row row = *panel->row;

	if (row.metric == WEIR_METRIC_DRIFT)
		row.metric = row.kind == WEIR_SCOPE_METRIC ? WEIR_METRIC_VALUE : WEIR_METRIC_P50;
	weir_gate_print_row(&row, out);
	weir_text_puts(out, " over ");
	weir_items_number(out, panel->history->point_count, "run");
	if (panel->history->older > 0) {
		weir_text_puts(out, ", the newest of ");
		weir_text_count(out, panel->history->older + panel->history->point_count);
	}
}

/* Draws the data of a panel; false: there is nothing to draw. */
static bool write_drawing(const struct panel *panel, size_t index, const char *title,
                          struct weir_text *out)
{
	const struct weir_drawn_history *history = panel->history;
	const struct weir_drawn_point *last = &history->points[history->point_count - 1];
	double *values = weir_alloc((history->point_count + 1) * sizeof(*values));
	size_t *steps = weir_alloc((history->step_count + 1) * sizeof(*steps));
	struct weir_text id = {0}, first_day = {0}, description = {0};
	struct weir_history_drawing drawing = {
		.title = title,
		.values = values,
		.count = history->point_count,
		.steps = steps,
		.step_count = history->step_count,
		.is_time = panel->row->kind != WEIR_SCOPE_METRIC,
		.last = last->candidate ? "candidate" : NULL,
		.name_run = name_run,
		.name_step = name_step,
		.context = panel,
	};
	size_t before = out->length;

	for (size_t i = 0; i < history->point_count; i++) {
		values[i] = history->points[i].value;
		drawing.candidates += history->points[i].candidate;
	}
	for (size_t i = 0; i < history->step_count; i++)
		steps[i] = (size_t)history->steps[i].point;
	weir_text_printf(&id, "history-%zu", index + 1);
	if (history->points[0].recorded)
		add_time(history->points[0].recorded, &first_day);
	if (first_day.length > DAY_COLUMNS)
		first_day.data[DAY_COLUMNS] = '\0';
	weir_text_printf(&description, "%s, with ", title);
	weir_items_number(&description, history->step_count, "change point");
	weir_text_puts(&description, ".");
	drawing.id = id.data;
	drawing.first = first_day.data;
	drawing.description = description.data;
	weir_draw_history(&drawing, out);
	weir_text_release(&id);
	weir_text_release(&first_day);
	weir_text_release(&description);
	free(values);
	free(steps);
	return out->length > before;
}

static void write_panel(const struct panel *panel, size_t index, struct weir_text *out)
{
	struct weir_text title = {0}, drawn = {0};

	add_title(panel, &title);
	if (write_drawing(panel, index, title.data, &drawn)) {
		weir_text_puts(out, "<h3>");
		weir_escape_html(out, title.data);
		weir_text_puts(out, "</h3>\n");
		weir_text_puts(out, drawn.data);
		write_steps(panel, out);
	}
	weir_text_release(&title);
	weir_text_release(&drawn);
}

void weir_draw_gate_history(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_gate_pictures *pictures = result->pictures;
	struct weir_text body = {0};

	for (size_t i = 0; pictures && i < pictures->history_count; i++) {
		const struct panel panel = {&pictures->histories[i],
		                            &result->rows[pictures->histories[i].row]};

		if (panel.history->point_count > 0)
			write_panel(&panel, i, &body);
	}
	if (body.length == 0)
		return;
	weir_text_puts(out, "<section class=\"card picture\" id=\"history\">\n<h2>History</h2>\n");
	weir_chart_aid(
		"Each dot is a run, recorded ones first and the candidate last, and a line is "
		"a change point, at which a new level begins.",
		out);
	weir_text_puts(out, body.data);
	weir_text_puts(out, "<ul class=\"keys\">\n<li><span class=\"swatch dot g-baseline\"></span>"
	                    "recorded</li>\n<li><span class=\"swatch dot full g-candidate\"></span>"
	                    "candidate</li>\n<li><span class=\"swatch bar-key h-step\"></span>"
	                    "change point</li>\n</ul>\n");
	weir_card_end(out);
	weir_text_release(&body);
}
