/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws where the change of a stage went: its time in the baseline, the operators that added or
 * removed time, and its time in the candidate. Each bar begins where the one before ends. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/report/drawing/chart.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define STEP       31 /* pixels from one bar to the next */
#define LABEL      11 /* baseline of a label, below the top of its step */
#define BAR        15 /* top of a bar, below the top of its step */
#define BAR_HEIGHT 11
#define MOST_BARS  12   /* operators; the others share a bar */
#define LEAST      0.01 /* of the largest change: smaller ones share a bar */
#define ROOM       0.25 /* left of the least time, as a share of the range */
#define FROM_ZERO  0.4  /* of the largest time: with a lower least time the axis begins at 0 */
#define NAME       28   /* columns of a name beside its figure */
#define TICKS      6

/* One bar; the totals reach from the edge of the picture. */
struct bar {
	const struct weir_drawn_part *part; /* NULL: a total, or the operators that share a bar */
	int64_t from_ns, to_ns;
	uint64_t operators; /* that share it */
	bool total;
};

struct fall {
	const struct weir_drawn_stage *stage;
	struct bar bars[WEIR_DRAWN_PARTS + 3];
	size_t count;
	struct weir_axis x;
};

/* ---- words ---- */

static bool is_drawn(const struct weir_drawn_stage *stage)
{
	for (size_t i = 0; i < stage->part_count; i++)
		if (stage->parts[i].baseline_ns > 0 || stage->parts[i].candidate_ns > 0)
			return true;
	return false;
}

bool weir_draw_stages(const struct weir_gate_result *result, const char *id, const char *title,
                      const char *aid, weir_draw_stage *draw, struct weir_text *out)
{
	const struct weir_gate_pictures *pictures = result->pictures;
	bool open = false;

	for (size_t i = 0; pictures && i < pictures->stage_count; i++) {
		if (!is_drawn(&pictures->stages[i]))
			continue;
		if (!open) {
			weir_text_printf(
				out, "<section class=\"card picture\" id=\"%s\">\n<h2>%s</h2>\n",
				id, title);
			weir_chart_aid(aid, out);
			open = true;
		}
		draw(&pictures->stages[i], i, out);
	}
	return open;
}

void weir_gate_print_stage_change(const struct weir_drawn_stage *stage, struct weir_text *out)
{
	weir_cut_name(out, stage->name, WEIR_NAME_COLUMNS);
	weir_text_puts(out, stage->device_only ? " (device): " : ": ");
	weir_gate_print_value((double)stage->baseline_ns, "ns", out);
	weir_text_puts(out, " to ");
	weir_gate_print_value((double)stage->candidate_ns, "ns", out);
	weir_text_puts(out, ", ");
	weir_gate_print_time_change((double)(stage->candidate_ns - stage->baseline_ns), out);
}

void weir_gate_print_part(const struct weir_drawn_stage *stage, const struct weir_drawn_part *part,
                          size_t columns, struct weir_text *out)
{
	bool operators = stage->part_count > 0 && stage->parts[0].kind == WEIR_DRAWN_OPERATOR;
	bool device = false;

	for (size_t i = 0; i < stage->part_count; i++)
		device = device || stage->parts[i].kind == WEIR_DRAWN_DEVICE;
	switch (part->kind) {
	case WEIR_DRAWN_OPERATOR:
		weir_cut_name(out, part->name, columns);
		break;
	case WEIR_DRAWN_OPERATORS:
		weir_items_number(out, part->operators, "other operator");
		break;
	case WEIR_DRAWN_DEVICE:
		weir_text_puts(out, operators ? "other device time" : "device time");
		break;
	case WEIR_DRAWN_REST:
		weir_text_puts(out, !device ? "not explained"
		                    : part->baseline_ns < 0 && part->candidate_ns < 0
		                            ? "device work that overlaps"
		                            : "time without device work");
		break;
	case WEIR_DRAWN_KIND_COUNT:
		break;
	}
}

void weir_gate_print_part_detail(const struct weir_drawn_part *part, struct weir_text *out)
{
	weir_gate_print_value((double)part->baseline_ns, "ns", out);
	weir_text_puts(out, " to ");
	weir_gate_print_value((double)part->candidate_ns, "ns", out);
	if (!isnan(part->baseline_calls) || !isnan(part->candidate_calls)) {
		weir_text_puts(out, ", ");
		weir_gate_print_calls(part->baseline_calls, part->candidate_calls, out);
	}
	if (part->renamed) {
		weir_text_puts(out, ", renamed to ");
		weir_cut_name(out, part->renamed, WEIR_NAME_COLUMNS);
	}
}

/* Appends "decode, baseline: 572 us", or "+32.6 us aten::copy_". */
static void add_label(const struct fall *fall, const struct bar *bar, size_t columns,
                      struct weir_text *out)
{
	if (bar->total) {
		weir_cut_name(out, fall->stage->name, columns);
		weir_text_puts(out, bar == fall->bars ? ", baseline: " : ", candidate: ");
		weir_gate_print_value((double)bar->to_ns, "ns", out);
		return;
	}
	weir_gate_print_time_change((double)(bar->to_ns - bar->from_ns), out);
	weir_text_puts(out, " ");
	if (bar->part)
		weir_gate_print_part(fall->stage, bar->part, columns, out);
	else
		weir_items_number(out, bar->operators, "other operator");
}

/* ---- bars ---- */

static void add_bar(struct fall *fall, const struct weir_drawn_part *part, int64_t change_ns,
                    uint64_t operators)
{
	int64_t from_ns = fall->count > 0 ? fall->bars[fall->count - 1].to_ns : 0;

	fall->bars[fall->count++] =
		(struct bar){part, from_ns, from_ns + change_ns, operators, false};
}

static int64_t change_of(const struct weir_drawn_part *part)
{
	return part->candidate_ns - part->baseline_ns;
}

/* Returns the least change that has a bar: the MOST_BARS-th of the operators, or a share of the
 * largest. */
static int64_t least_change(const struct weir_drawn_stage *stage)
{
	int64_t largest = 0, least = 1;

	for (size_t i = 0; i < stage->part_count; i++)
		if (llabs(change_of(&stage->parts[i])) > largest)
			largest = llabs(change_of(&stage->parts[i]));
	if ((double)largest * LEAST > 1)
		least = (int64_t)((double)largest * LEAST);
	for (;;) {
		int64_t next = INT64_MAX;
		size_t above = 0;

		for (size_t i = 0; i < stage->part_count; i++) {
			int64_t size = llabs(change_of(&stage->parts[i]));

			if (stage->parts[i].kind != WEIR_DRAWN_OPERATOR || size < least)
				continue;
			above++;
			next = size < next ? size : next;
		}
		if (above <= MOST_BARS)
			return least;
		least = next + 1;
	}
}

/* Lists the bars: the baseline, large changes of operators, the sum of the small ones, the
 * remainders, and the candidate. */
static void list_bars(struct fall *fall)
{
	const struct weir_drawn_stage *stage = fall->stage;
	int64_t least = least_change(stage), shared_ns = 0;
	uint64_t shared = 0;

	add_bar(fall, NULL, stage->baseline_ns, 0);
	for (size_t i = 0; i < stage->part_count; i++) {
		const struct weir_drawn_part *part = &stage->parts[i];

		if (part->kind > WEIR_DRAWN_OPERATORS)
			continue;
		if (part->kind == WEIR_DRAWN_OPERATOR && llabs(change_of(part)) >= least) {
			add_bar(fall, part, change_of(part), 0);
			continue;
		}
		shared_ns += change_of(part);
		shared += part->operators;
	}
	if (shared_ns != 0)
		add_bar(fall, NULL, shared_ns, shared);
	for (size_t i = 0; i < stage->part_count; i++)
		if (stage->parts[i].kind > WEIR_DRAWN_OPERATORS && change_of(&stage->parts[i]) != 0)
			add_bar(fall, &stage->parts[i], change_of(&stage->parts[i]), 0);
	add_bar(fall, NULL, 0, 0);
	fall->bars[0].total = fall->bars[fall->count - 1].total = true;
	fall->bars[fall->count - 1].from_ns = fall->bars[0].from_ns = 0;
}

static void set_axis(struct fall *fall)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < fall->count; i++) {
		low = fmin(low, (double)fall->bars[i].to_ns);
		high = fmax(high, (double)fall->bars[i].to_ns);
	}
	if (low > FROM_ZERO * high)
		low = fmax(low - ROOM * fmax(high - low, high * LEAST), 0);
	else
		low = fmin(low, 0);
	fall->x = (struct weir_axis){.low = low, .high = high > low ? high : low + 1};
}

static double x_of(const struct fall *fall, int64_t ns)
{
	return 100 * weir_axis_place(&fall->x, (double)ns);
}

/* Writes the line from the end of a bar to the next one. */
static void write_link(const struct fall *fall, size_t index, struct weir_text *out)
{
	double x = x_of(fall, fall->bars[index].to_ns);

	if (index + 1 < fall->count)
		weir_text_printf(out,
		                 "<line class=\"w-link\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%zu\" "
		                 "y2=\"%zu\"></line>\n",
		                 x, x, index * STEP + BAR + BAR_HEIGHT, (index + 1) * STEP + BAR);
}

static void write_bar(const struct fall *fall, size_t index, struct weir_text *out)
{
	const struct bar *bar = &fall->bars[index];
	double from = bar->total ? 0 : x_of(fall, bar->from_ns), to = x_of(fall, bar->to_ns);
	const char *class = bar->to_ns >= bar->from_ns ? "w-added" : "w-removed pale";
	struct weir_text plain = {0};

	if (bar->total)
		class = index == 0 ? "w-before" : "w-after";
	write_link(fall, index, out);
	add_label(fall, bar, NAME, &plain);
	weir_text_printf(out, "<text class=\"lane w-label\" x=\"0\" y=\"%zu\">",
	                 index * STEP + LABEL);
	weir_flush_html(out, &plain);
	weir_text_printf(out,
	                 "</text>\n<rect class=\"m %s\" x=\"%.2f%%\" y=\"%zu\" width=\"%.2f%%\" "
	                 "height=\"%d\"",
	                 class, fmin(from, to), index * STEP + BAR, fabs(to - from), BAR_HEIGHT);
	add_label(fall, bar, 90, &plain);
	if (bar->part) {
		weir_text_puts(&plain, ", ");
		weir_gate_print_part_detail(bar->part, &plain);
	}
	weir_chart_mark("rect", &plain, out);
	weir_text_release(&plain);
}

/* ---- the card ---- */

static void write_table(const struct fall *fall, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("part|baseline|candidate|change", out);
	for (size_t i = 0; i < fall->stage->part_count; i++) {
		const struct weir_drawn_part *part = &fall->stage->parts[i];

		weir_text_puts(out, "<tr>");
		weir_gate_print_part(fall->stage, part, 90, &plain);
		weir_chart_cell(&plain, true, out);
		weir_gate_print_value((double)part->baseline_ns, "ns", &plain);
		weir_chart_cell(&plain, false, out);
		weir_gate_print_value((double)part->candidate_ns, "ns", &plain);
		weir_chart_cell(&plain, false, out);
		weir_gate_print_time_change((double)change_of(part), &plain);
		weir_chart_cell(&plain, false, out);
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void write_fall(const struct weir_drawn_stage *stage, size_t index, struct weir_text *out)
{
	struct fall *fall = weir_alloc(sizeof(*fall));
	struct weir_text id = {0}, title = {0}, description = {0};
	double height;

	fall->stage = stage;
	list_bars(fall);
	set_axis(fall);
	height = (double)(fall->count * STEP);
	weir_text_printf(&id, "waterfall-%zu", index + 1);
	weir_gate_print_stage_change(stage, &title);
	weir_text_puts(out, "<h3>");
	weir_escape_html(out, title.data);
	weir_text_puts(out, "</h3>\n");
	for (size_t i = 0; i < fall->count; i++) {
		weir_text_puts(&description, i > 0 ? "; " : "");
		add_label(fall, &fall->bars[i], NAME, &description);
	}
	weir_text_puts(&description, ".");
	weir_drawing_begin(&(struct weir_chart){.id = id.data,
	                                        .title = title.data,
	                                        .description = description.data,
	                                        .height = height,
	                                        .labels_below = true},
	                   out);
	weir_chart_x_axis(&fall->x, TICKS, height, weir_label_duration, out);
	for (size_t i = 0; i < fall->count; i++)
		write_bar(fall, i, out);
	weir_chart_end(out);
	if (fall->x.low > 0)
		weir_text_puts(out,
		               "<p class=\"soft undrawn\">The axis does not begin at 0.</p>\n");
	write_table(fall, out);
	weir_text_release(&id);
	weir_text_release(&title);
	weir_text_release(&description);
	free(fall);
}

void weir_draw_waterfall(const struct weir_gate_result *result, struct weir_text *out)
{
	if (!weir_draw_stages(result, "waterfall", "Where the change went",
	                      "Each bar begins where the one before it ends and adds or removes "
	                      "time of an iteration, from the baseline at the top to the "
	                      "candidate at the bottom.",
	                      write_fall, out))
		return;
	weir_text_puts(out, "<ul class=\"keys\">\n<li><span class=\"swatch w-added\"></span>added"
	                    "</li>\n<li><span class=\"swatch w-removed hollow\"></span>removed"
	                    "</li>\n<li>means over the runs of medians, which do not add up: "
	                    "the last bars are the remainder</li>\n</ul>\n");
	weir_card_end(out);
}
