/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws how many kernels and gaps there are of each duration, upwards, and their time together,
 * downwards. */
#include <inttypes.h>
#include <math.h>

#include "engine/base/enums.h"
#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/words/facts.h"

#define EDGED  3  /* lower bars have no edge, which would hide them */
#define TOP    18 /* above the bars of the numbers: a line of text */
#define UP     95 /* longest bar of a number */
#define DOWN   75 /* longest bar of a time */
#define ZERO   (TOP + UP)
#define HEIGHT (ZERO + DOWN + 19)

/* A histogram and its words. */
struct drawing {
	const struct weir_histogram *histogram;
	const char *id, *title, *one, *many, *aid;
	bool has_causes;
	struct weir_axis x;
	uint64_t most;
	double longest_ns; /* the largest sum of a bin */
	double count, total_ns;
};

static void measure(struct drawing *drawing)
{
	const struct weir_histogram *histogram = drawing->histogram;
	double low_ns = (double)histogram->bins[0].low_ns;

	for (size_t i = 0; i < histogram->bin_count; i++) {
		const struct weir_histogram_bin *bin = &histogram->bins[i];

		drawing->most = bin->count > drawing->most ? bin->count : drawing->most;
		drawing->longest_ns = fmax(drawing->longest_ns, (double)bin->total_ns);
		drawing->count += (double)bin->count;
		drawing->total_ns += (double)bin->total_ns;
	}
	/* Durations of 0 stand where the axis begins. */
	drawing->x = (struct weir_axis){
		.low = low_ns > 0 ? low_ns : 0.5,
		.high = (double)histogram->bins[histogram->bin_count - 1].high_ns,
		.log = true};
}

/* Appends "1.02 to 1.28 us: 1,128 kernels, 1.28 ms together". */
static void add_title(const struct drawing *drawing, const struct weir_histogram_bin *bin,
                      struct weir_text *out)
{
	weir_text_duration(out, (double)bin->low_ns);
	weir_text_puts(out, " to ");
	weir_text_duration(out, (double)bin->high_ns);
	weir_text_puts(out, ": ");
	weir_text_count(out, bin->count);
	weir_text_printf(out, " %s, ", bin->count == 1 ? drawing->one : drawing->many);
	weir_text_duration(out, (double)bin->total_ns);
	weir_text_puts(out, " together");
	if (drawing->has_causes)
		weir_text_printf(out, ", most of it %s",
		                 weir_idle_words(weir_idle_name(bin->cause)));
}

static void write_bar(const struct drawing *drawing, const struct weir_histogram_bin *bin,
                      const char *what, double y, double height, struct weir_text *out)
{
	double x = 100 * weir_axis_place(&drawing->x, (double)bin->low_ns);
	double width = 100 * weir_axis_place(&drawing->x, (double)bin->high_ns) - x;
	struct weir_text title = {0};

	add_title(drawing, bin, &title);
	weir_text_printf(out,
	                 "<rect class=\"m%s %s%s\" data-what=\"%s\" x=\"%.2f%%\" y=\"%.1f\" "
	                 "width=\"%.2f%%\" "
	                 "height=\"%.1f\"",
	                 height > EDGED ? " e" : "", drawing->has_causes ? "i-" : "s-",
	                 drawing->has_causes ? weir_idle_name(bin->cause) : "compute", what, x, y,
	                 width, height);
	weir_chart_mark("rect", &title, out);
	weir_text_release(&title);
}

static void write_bars(const struct drawing *drawing, struct weir_text *out)
{
	for (size_t i = 0; i < drawing->histogram->bin_count; i++) {
		const struct weir_histogram_bin *bin = &drawing->histogram->bins[i];
		double up = UP * (double)bin->count / (double)drawing->most;
		double down = drawing->longest_ns > 0
		                      ? DOWN * (double)bin->total_ns / drawing->longest_ns
		                      : 0;

		write_bar(drawing, bin, "count", ZERO - up, up, out);
		write_bar(drawing, bin, "time", ZERO, down, out);
	}
}

static void write_scales(const struct drawing *drawing, struct weir_text *out)
{
	weir_text_puts(out, "<text class=\"lane\" x=\"0\" y=\"11\">number, at most ");
	weir_text_count(out, drawing->most);
	weir_text_printf(
		out, " a bar</text>\n<text class=\"lane\" x=\"0\" y=\"%d\">time together, at most ",
		HEIGHT - 4);
	weir_text_duration(out, drawing->longest_ns);
	weir_text_printf(out,
	                 " a bar</text>\n<line class=\"zero\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
	                 "y2=\"%d\"></line>\n",
	                 ZERO, ZERO);
}

static void write_legend(const struct drawing *drawing, struct weir_text *out)
{
	bool seen[WEIR_IDLE_COUNT] = {false};

	for (size_t i = 0; i < drawing->histogram->bin_count; i++)
		seen[drawing->histogram->bins[i].cause] = true;
	weir_text_puts(out, "<ul class=\"keys\">\n");
	for (int c = 0; c < WEIR_IDLE_COUNT; c++)
		if (seen[c])
			weir_text_printf(
				out, "<li><span class=\"swatch i-%s\"></span>most of it %s</li>\n",
				weir_idle_name((enum weir_idle)c),
				weir_idle_words(weir_idle_name((enum weir_idle)c)));
	weir_text_puts(out, "</ul>\n");
}

static void write_table(const struct drawing *drawing, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("from|to|number|time together", out);
	for (size_t i = 0; i < drawing->histogram->bin_count; i++) {
		const struct weir_histogram_bin *bin = &drawing->histogram->bins[i];

		weir_text_puts(out, "<tr>");
		weir_text_duration(&plain, (double)bin->low_ns);
		weir_chart_cell(&plain, true, out);
		weir_text_duration(&plain, (double)bin->high_ns);
		weir_chart_cell(&plain, false, out);
		weir_text_count(&plain, bin->count);
		weir_chart_cell(&plain, false, out);
		weir_text_duration(&plain, (double)bin->total_ns);
		weir_chart_cell(&plain, false, out);
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void draw(struct drawing *drawing, struct weir_text *out)
{
	struct weir_text note = {0}, description = {0};

	if (!drawing->histogram || drawing->histogram->bin_count == 0)
		return;
	measure(drawing);
	weir_text_count(&note, (uint64_t)drawing->count);
	weir_text_printf(&note, " %s, ", drawing->count > 1 ? drawing->many : drawing->one);
	weir_text_duration(&note, drawing->total_ns);
	weir_text_puts(&note, " together");
	weir_text_puts(&description, "A histogram of ");
	weir_text_puts(&description, note.data);
	weir_text_puts(&description, "; the table below has the figures of each bar.");
	weir_chart_begin(&(struct weir_chart){.id = drawing->id,
	                                      .title = drawing->title,
	                                      .note = note.data,
	                                      .aid = drawing->aid,
	                                      .description = description.data,
	                                      .height = HEIGHT,
	                                      .labels_below = true},
	                 out);
	weir_chart_x_axis(&drawing->x, 8, HEIGHT, weir_label_duration, out);
	write_bars(drawing, out);
	write_scales(drawing, out);
	weir_chart_end(out);
	if (drawing->has_causes)
		write_legend(drawing, out);
	write_table(drawing, out);
	weir_card_end(out);
	weir_text_release(&note);
	weir_text_release(&description);
}

void weir_draw_kernels(const struct weir_report *report, struct weir_text *out)
{
	draw(
		&(struct drawing){
			.histogram = report->pictures ? report->pictures->kernels : NULL,
			.id = "kernels",
			.title = "Durations of kernels",
			.one = "kernel",
			.many = "kernels",
			.aid = "A bar above the line says how many kernels are that long, the "
			       "bar below it how much time they take together."},
		out);
}

void weir_draw_gaps(const struct weir_report *report, struct weir_text *out)
{
	draw(
		&(struct drawing){
			.histogram = report->pictures ? report->pictures->gaps : NULL,
			.id = "gaps",
			.title = "Gaps between device work",
			.one = "gap",
			.many = "gaps",
			.has_causes = true,
			.aid = "A bar above the line says how many gaps are that long, the bar "
			       "below it how much idle time they are together, and its colour "
			       "the cause of most of it."},
		out);
}
