/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws how much work waits for a device over time, upwards, and how often its queue is empty,
 * downwards. */
#include <inttypes.h>
#include <math.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define TOP        18  /* a line of text */
#define LINE       1.5 /* height of the line at the largest number */
#define MOST_WORKS 1e15
#define UP         95
#define DOWN       45
#define ZERO       (TOP + UP)
#define HEIGHT     (ZERO + DOWN + 19)

struct drawing {
	const struct weir_queue_times *times;
	double most;
	double analysed_ns, waiting, empty_ns; /* over all parts */
};

static bool is_known(const struct weir_queue_bin *bin)
{
	return bin->analysed_ns > 0 && bin->mean >= 0 && bin->most >= 0 && bin->empty_share >= 0;
}

static void measure(struct drawing *drawing)
{
	for (size_t i = 0; i < drawing->times->bin_count; i++) {
		const struct weir_queue_bin *bin = &drawing->times->bins[i];

		if (!is_known(bin))
			continue;
		drawing->most = fmax(drawing->most, bin->most);
		drawing->analysed_ns += (double)bin->analysed_ns;
		drawing->waiting += bin->mean * (double)bin->analysed_ns;
		drawing->empty_ns += bin->empty_share * (double)bin->analysed_ns;
	}
}

/* Appends "from 12.0 ms: 0.42 works wait, at most 3; the queue is empty 62 % of the time". */
static void add_title(const struct drawing *drawing, size_t i, struct weir_text *out)
{
	const struct weir_queue_bin *bin = &drawing->times->bins[i];

	weir_text_puts(out, "from ");
	weir_text_duration(out, (double)drawing->times->length_ns * (double)i /
	                                (double)drawing->times->bin_count);
	weir_text_puts(out, ": ");
	weir_label_figure(bin->mean, out);
	weir_text_puts(out, " works wait, at most ");
	weir_text_count(out, (uint64_t)fmin(bin->most, MOST_WORKS));
	weir_text_puts(out, "; the queue is empty ");
	weir_text_share(out, weir_as_stored_share(bin->empty_share));
	weir_text_puts(out, " of the time");
}

static void write_bar(const char *what, double y, double height, struct weir_text *out)
{
	weir_text_printf(out,
	                 "<rect class=\"q-%s\" y=\"%.1f\" width=\"100%%\" height=\"%.1f\"></rect>",
	                 what, y, height);
}

/* Draws one part of the time as one mark with all of its bars. */
static void write_part(const struct drawing *drawing, size_t i, struct weir_text *out)
{
	const struct weir_queue_bin *bin = &drawing->times->bins[i];
	double width = 100.0 / (double)drawing->times->bin_count;
	struct weir_text title = {0};

	weir_text_printf(out, "<svg class=\"m part\" x=\"%.2f%%\" width=\"%.2f%%\"><title>",
	                 width * (double)i, width);
	add_title(drawing, i, &title);
	weir_flush_html(out, &title);
	weir_text_puts(out, "</title>");
	if (drawing->most > 0) {
		double most = UP * bin->most / drawing->most, mean = UP * bin->mean / drawing->most;

		write_bar("mean", ZERO - mean, mean, out);
		write_bar("most", ZERO - most, fmin(most, LINE), out);
	}
	write_bar("empty", ZERO, DOWN * bin->empty_share, out);
	weir_text_puts(out, "</svg>\n");
	weir_text_release(&title);
}

/* Draws the parts of the time; parts without a figure stay blank. */
static void write_parts(const struct drawing *drawing, struct weir_text *out)
{
	for (size_t i = 0; i < drawing->times->bin_count; i++)
		if (is_known(&drawing->times->bins[i]))
			write_part(drawing, i, out);
}

static void write_scales(const struct drawing *drawing, struct weir_text *out)
{
	weir_text_puts(out, "<text class=\"lane\" x=\"0\" y=\"11\">waiting works, at most ");
	weir_text_count(out, (uint64_t)fmin(drawing->most, MOST_WORKS));
	weir_text_printf(
		out,
		"</text>\n<text class=\"lane\" x=\"0\" y=\"%d\">empty queue, up to all of the "
		"time</text>\n<line class=\"zero\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
		"y2=\"%d\"></line>\n",
		HEIGHT - 4, ZERO, ZERO);
}

static void write_table(const struct drawing *drawing, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("over the analysed time|works|of the time", out);
	weir_text_puts(out, "<tr><td>waiting, mean</td>");
	weir_label_figure(drawing->waiting / drawing->analysed_ns, &plain);
	weir_chart_cell(&plain, false, out);
	weir_text_puts(out, "<td></td></tr>\n<tr><td>waiting, at most</td>");
	weir_text_count(&plain, (uint64_t)fmin(drawing->most, MOST_WORKS));
	weir_chart_cell(&plain, false, out);
	weir_text_puts(out, "<td></td></tr>\n<tr><td>empty queue</td><td></td>");
	weir_text_share(&plain, drawing->empty_ns / drawing->analysed_ns);
	weir_chart_cell(&plain, false, out);
	weir_text_puts(out, "</tr>\n");
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void add_note(const struct weir_report *report, const struct weir_queue_times *times,
                     struct weir_text *out)
{
	weir_text_printf(out, "device %" PRId64, times->device);
	if (report->rank_count > 1 && times->rank >= 0)
		weir_text_printf(out, " of rank %" PRId64, times->rank);
}

void weir_draw_queue(const struct weir_report *report, struct weir_text *out)
{
	struct drawing drawing = {.times = report->pictures ? report->pictures->queue : NULL};
	struct weir_text note = {0}, description = {0};

	if (!drawing.times || drawing.times->bin_count == 0 || drawing.times->length_ns <= 0)
		return;
	measure(&drawing);
	if (!(drawing.analysed_ns > 0))
		return;
	add_note(report, drawing.times, &note);
	weir_text_puts(&description, "The number of works that wait for the device over ");
	weir_text_duration(&description, (double)drawing.times->length_ns);
	weir_text_puts(&description,
	               ", and the share of the time without any; the queue is empty ");
	weir_text_share(&description, drawing.empty_ns / drawing.analysed_ns);
	weir_text_puts(&description, " of the time.");
	weir_chart_begin(&(struct weir_chart){.id = "queue",
	                                      .title = "Work that waits for the device",
	                                      .note = note.data,
	                                      .aid = "Above the line is work that was launched and "
	                                             "waits, and below it the time in which the "
	                                             "device has nothing to do because the host is "
	                                             "late.",
	                                      .description = description.data,
	                                      .height = HEIGHT,
	                                      .labels_below = true},
	                 out);
	weir_chart_x_axis(&(struct weir_axis){.low = 0, .high = (double)drawing.times->length_ns},
	                  8, HEIGHT, weir_label_duration, out);
	write_parts(&drawing, out);
	write_scales(&drawing, out);
	weir_chart_end(out);
	weir_text_puts(out,
	               "<ul class=\"keys\">\n<li><span class=\"swatch q-mean\"></span>mean</li>\n"
	               "<li><span class=\"swatch q-most\"></span>at most</li>\n"
	               "<li><span class=\"swatch q-empty\"></span>empty queue</li>\n</ul>\n");
	write_table(&drawing, out);
	weir_card_end(out);
	weir_text_release(&note);
	weir_text_release(&description);
}
