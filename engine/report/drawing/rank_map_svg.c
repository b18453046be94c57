/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws two maps of ranks and steps, one of waiting and one of lateness, in the same shades. */
#include <inttypes.h>
#include <math.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define ROW    13 /* height of a row */
#define HEAD   20 /* heading of a map */
#define SPACE  10 /* between two maps */
#define SHADES 8
#define LAYERS 2

struct drawing {
	const struct weir_rank_map *map;
	size_t columns;
	double most_ns;
};

/* One of the two maps. */
struct layer {
	const char *id, *heading;
	double (*value)(const struct weir_rank_cell *cell);
};

static double wait_of(const struct weir_rank_cell *cell)
{
	return cell->wait_ns;
}

static double late_of(const struct weir_rank_cell *cell)
{
	return cell->late_ns;
}

static const struct layer layers[LAYERS] = {
	{"wait", "waits for other ranks", wait_of},
	{"late", "arrives after the median rank", late_of},
};

static double most_of(const struct drawing *drawing, const struct layer *layer)
{
	double most_ns = 0;

	for (size_t r = 0; r < drawing->map->row_count; r++)
		for (size_t c = 0; c < drawing->columns; c++)
			most_ns = fmax(most_ns, layer->value(&drawing->map->rows[r].cells[c]));
	return most_ns;
}

/* Appends "step 12", or "steps 12 to 15". */
static void add_steps(const struct drawing *drawing, size_t column, struct weir_text *out)
{
	const struct weir_rank_map *map = drawing->map;
	uint64_t first = map->first_step + column * map->steps_per_column + 1;
	uint64_t last = first + map->steps_per_column - 1;

	if (last > map->first_step + map->steps)
		last = map->first_step + map->steps;
	if (first == last)
		weir_text_printf(out, "step %" PRIu64, first);
	else
		weir_text_printf(out, "steps %" PRIu64 " to %" PRIu64, first, last);
}

/* Returns the shade of a value, from 0 for nothing to SHADES for the largest. */
static unsigned shade_of(const struct drawing *drawing, double ns)
{
	return drawing->most_ns > 0 ? (unsigned)ceil(SHADES * fmin(ns / drawing->most_ns, 1)) : 0;
}

static void write_cell(const struct drawing *drawing, const struct layer *layer, size_t r, size_t c,
                       struct weir_text *out)
{
	const struct weir_rank_map_row *row = &drawing->map->rows[r];
	double ns = layer->value(&row->cells[c]);
	struct weir_text title = {0};

	if (!(ns >= 0))
		return;
	weir_text_printf(&title, "rank %" PRId64 ", ", row->rank);
	add_steps(drawing, c, &title);
	weir_text_printf(&title, ": %s ", layer->value == wait_of ? "waits" : "late by");
	weir_text_duration(&title, weir_as_stored_ns(ns));
	weir_text_printf(out, "<rect class=\"m h%u\" x=\"%zu\" y=\"%zu\" width=\"1\" height=\"1\"",
	                 shade_of(drawing, ns), c, r);
	weir_chart_mark("rect", &title, out);
	weir_text_release(&title);
}

static void write_layer(const struct drawing *drawing, const struct layer *layer, double top,
                        struct weir_text *out)
{
	const struct weir_rank_map *map = drawing->map;
	double height = (double)map->row_count * ROW;
	double most_ns = most_of(drawing, layer);

	weir_text_printf(out, "<text class=\"lane\" x=\"-57\" y=\"%.0f\">%s, at most ", top + 11,
	                 layer->heading);
	weir_text_duration(out, weir_as_stored_ns(most_ns));
	weir_text_puts(out, "</text>\n<g class=\"axis y\">");
	for (size_t r = 0; r < map->row_count; r++)
		weir_text_printf(out, "<text x=\"-8\" y=\"%.0f\">rank %" PRId64 "</text>",
		                 top + HEAD + (double)r * ROW + 10, map->rows[r].rank);
	weir_text_printf(
		out,
		"</g>\n<svg class=\"cells %s\" data-layer=\"%s\" y=\"%.0f\" width=\"100%%\" "
		"height=\"%.0f\" viewBox=\"0 0 %zu %zu\" preserveAspectRatio=\"none\">\n",
		layer->id, layer->id, top + HEAD, height, drawing->columns, map->row_count);
	for (size_t r = 0; r < map->row_count; r++)
		for (size_t c = 0; c < drawing->columns; c++)
			write_cell(drawing, layer, r, c, out);
	weir_text_puts(out, "</svg>\n");
}

static void write_legend(const struct drawing *drawing, struct weir_text *out)
{
	weir_text_puts(out, "<ul class=\"keys\">\n");
	for (size_t l = 0; l < LAYERS; l++) {
		weir_text_printf(out, "<li class=\"shades %s\">", layers[l].id);
		for (unsigned shade = 0; shade <= SHADES; shade += 2)
			weir_text_printf(out, "<span class=\"shade h%u\"></span>", shade);
		weir_text_printf(out, " %s, from 0 to ", layers[l].heading);
		weir_text_duration(out, weir_as_stored_ns(drawing->most_ns));
		weir_text_puts(out, "</li>\n");
	}
	weir_text_puts(out, "</ul>\n");
	if (drawing->map->row_count < drawing->map->ranks)
		weir_text_printf(out,
		                 "<p class=\"more\">%zu of %" PRIu64
		                 " ranks are drawn: those that stand "
		                 "out, and others among them.</p>\n",
		                 drawing->map->row_count, drawing->map->ranks);
}

/* Writes the sums of each rank over all columns. */
static void write_table(const struct drawing *drawing, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("rank|waits|arrives after the median rank", out);
	for (size_t r = 0; r < drawing->map->row_count; r++) {
		const struct weir_rank_map_row *row = &drawing->map->rows[r];

		weir_text_puts(out, "<tr>");
		weir_text_printf(&plain, "%" PRId64, row->rank);
		weir_chart_cell(&plain, true, out);
		for (size_t l = 0; l < LAYERS; l++) {
			double sum_ns = NAN;

			for (size_t c = 0; c < drawing->columns; c++) {
				double ns = layers[l].value(&row->cells[c]);

				if (ns >= 0)
					sum_ns = (isnan(sum_ns) ? 0 : sum_ns) + ns;
			}
			weir_text_duration(&plain, sum_ns);
			weir_chart_cell(&plain, false, out);
		}
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void draw(const struct drawing *drawing, struct weir_text *out)
{
	const struct weir_rank_map *map = drawing->map;
	double block = HEAD + (double)map->row_count * ROW + SPACE;
	struct weir_axis steps = {.low = (double)map->first_step + 0.5};
	struct weir_text note = {0}, description = {0};

	/* The last column may have fewer steps than the others. */
	steps.high = steps.low + (double)(drawing->columns * map->steps_per_column);
	weir_items_number(&note, map->ranks, "rank");
	weir_text_puts(&note, ", ");
	weir_items_number(&note, map->steps, "step");
	weir_text_puts(&description,
	               "Two maps of ranks and steps, one of waiting in collectives and one "
	               "of late arrival; the table below has the sums of each rank.");
	weir_chart_begin(
		&(struct weir_chart){.id = "rank-steps",
	                             .title = "Waiting and lateness of ranks",
	                             .note = note.data,
	                             .aid = "A strong cell below is a rank that comes "
	                                    "late in that step, and strong cells above are "
	                                    "the ranks that wait for it.",
	                             .description = description.data,
	                             .height = LAYERS * block - SPACE,
	                             .labels_below = true,
	                             .labels_beside = true},
		out);
	weir_chart_x_axis(&steps, drawing->columns < 8 ? drawing->columns : 8,
	                  LAYERS * block - SPACE, weir_label_number, out);
	for (size_t l = 0; l < LAYERS; l++)
		write_layer(drawing, &layers[l], (double)l * block, out);
	weir_chart_end(out);
	write_legend(drawing, out);
	write_table(drawing, out);
	weir_card_end(out);
	weir_text_release(&note);
	weir_text_release(&description);
}

void weir_draw_rank_map(const struct weir_report *report, struct weir_text *out)
{
	struct drawing drawing = {.map = report->pictures ? report->pictures->rank_map : NULL};

	if (!drawing.map || drawing.map->row_count == 0 || drawing.map->rows->cell_count == 0)
		return;
	drawing.columns = drawing.map->rows->cell_count;
	for (size_t l = 0; l < LAYERS; l++)
		drawing.most_ns = fmax(drawing.most_ns, most_of(&drawing, &layers[l]));
	draw(&drawing, out);
}
