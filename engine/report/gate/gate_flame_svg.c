/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws a differential flame graph of a stage: the stage, families of operators, operators. The
 * width of an operator is its time on the side on which it is longer, so that one that is gone is
 * seen as well; other frames are as wide as what is below them. Colour and sign are the change.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/report/drawing/chart.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define ROW      25 /* pixels from one row to the next */
#define FRAME    24
#define NAMED    0.08 /* narrower frames have their name in the title only */
#define INSIDE   90   /* columns of a name inside a frame, which is cut at its end */
#define SHADES   4
#define NO_SHADE 0.02 /* of the largest change of an operator: smaller changes have no colour */
#define OTHERS   "other"

/* The operators of one family, or a part of another kind. */
struct group {
	const char *name;                   /* of the family; NULL: another kind of part */
	const struct weir_drawn_part *part; /* the first one */
	int64_t baseline_ns, candidate_ns, width_ns;
	uint64_t operators;
};

struct flame {
	const struct weir_drawn_stage *stage;
	struct group groups[WEIR_DRAWN_PARTS];
	size_t count;
	const struct weir_drawn_part *parts[WEIR_DRAWN_PARTS]; /* the widest first */
	int64_t width_ns;                                      /* of the stage */
	int64_t largest_ns;                                    /* change of a part */
};

static int64_t width_of(const struct weir_drawn_part *part)
{
	int64_t width =
		part->candidate_ns > part->baseline_ns ? part->candidate_ns : part->baseline_ns;

	return width > 0 ? width : 0;
}

static const char *family_of(const struct weir_drawn_part *part)
{
	if (part->kind > WEIR_DRAWN_OPERATORS)
		return NULL;
	return part->family ? part->family : OTHERS;
}

static bool is_in(const struct weir_drawn_part *part, const struct group *group)
{
	const char *family = family_of(part);

	return family && group->name ? strcmp(family, group->name) == 0 : part == group->part;
}

/* Sorts the widest first; parts that are no operators are last. */
static int by_width(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (!a->name != !b->name)
		return a->name ? -1 : 1;
	if (a->width_ns != b->width_ns)
		return a->width_ns > b->width_ns ? -1 : 1;
	return (a->part > b->part) - (a->part < b->part);
}

/* Lists the parts; equal widths keep their order. */
static void sort_parts(struct flame *flame)
{
	for (size_t i = 0; i < flame->stage->part_count; i++) {
		const struct weir_drawn_part *part = &flame->stage->parts[i];
		size_t at = i;

		for (; at > 0 && width_of(flame->parts[at - 1]) < width_of(part); at--)
			flame->parts[at] = flame->parts[at - 1];
		flame->parts[at] = part;
	}
}

static void list_groups(struct flame *flame)
{
	for (size_t i = 0; i < flame->stage->part_count; i++) {
		const struct weir_drawn_part *part = &flame->stage->parts[i];
		int64_t change = llabs(part->candidate_ns - part->baseline_ns);
		size_t g = 0;

		while (g < flame->count && !is_in(part, &flame->groups[g]))
			g++;
		if (g == flame->count)
			flame->groups[flame->count++] =
				(struct group){.name = family_of(part), .part = part};
		flame->groups[g].baseline_ns += part->baseline_ns;
		flame->groups[g].candidate_ns += part->candidate_ns;
		flame->groups[g].width_ns += width_of(part);
		flame->groups[g].operators += part->operators;
		flame->width_ns += width_of(part);
		flame->largest_ns = change > flame->largest_ns ? change : flame->largest_ns;
	}
	if (flame->count > 1)
		qsort(flame->groups, flame->count, sizeof *flame->groups, by_width);
}

/* ---- frames ---- */

struct frame {
	int row;
	int64_t x_ns, width_ns, change_ns;
	bool leaf;
};

/* Writes the classes of a frame: its change as a share of the largest one of a part. */
static void write_class(const struct flame *flame, const struct frame *frame, struct weir_text *out)
{
	double share = flame->largest_ns > 0
	                       ? (double)llabs(frame->change_ns) / (double)flame->largest_ns
	                       : 0;
	int shade = (int)fmin(ceil(share * SHADES), SHADES);

	if (share < NO_SHADE)
		weir_text_puts(out, "d-same");
	else
		weir_text_printf(out, "%s d-%d", frame->change_ns > 0 ? "w-added" : "w-removed",
		                 shade);
}

/* Writes a frame; the label and the title are cleared. */
static void write_frame(const struct flame *flame, const struct frame *frame,
                        struct weir_text *label, struct weir_text *title, struct weir_text *out)
{
	double x = 100 * (double)frame->x_ns / (double)flame->width_ns;
	double width = 100 * (double)(frame->x_ns + frame->width_ns) / (double)flame->width_ns - x;

	weir_text_puts(out, "<rect class=\"m d-frame ");
	write_class(flame, frame, out);
	weir_text_printf(
		out,
		"\" x=\"%.2f%%\" y=\"%d\" width=\"%.2f%%\" height=\"%d\"%s data-change=\"%" PRId64
		"\"",
		x, frame->row * ROW, width, FRAME, frame->leaf ? " data-leaf=\"\"" : "",
		frame->change_ns);
	weir_chart_mark("rect", title, out);
	if (width >= NAMED * 100) {
		weir_text_printf(out,
		                 "<svg class=\"inside d-label\" x=\"%.2f%%\" y=\"%d\" "
		                 "width=\"%.2f%%\" height=\"%d\"><text x=\"5\" y=\"16\">",
		                 x, frame->row * ROW, width, FRAME);
		weir_escape_html(out, label->data);
		weir_text_puts(out, "</text></svg>\n");
	}
	weir_text_clear(label);
}

/* Writes an operator, or another part of the stage. */
static void write_part(const struct flame *flame, const struct weir_drawn_part *part,
                       struct frame frame, struct weir_text *out)
{
	struct weir_text label = {0}, title = {0};

	frame.change_ns = part->candidate_ns - part->baseline_ns;
	frame.width_ns = width_of(part);
	frame.leaf = true;
	weir_gate_print_time_change((double)frame.change_ns, &label);
	weir_text_puts(&label, " ");
	weir_gate_print_part(flame->stage, part, INSIDE, &label);
	weir_text_printf(&title, "%s, ", label.data);
	weir_gate_print_part_detail(part, &title);
	if (frame.width_ns > 0)
		write_frame(flame, &frame, &label, &title, out);
	weir_text_release(&label);
	weir_text_release(&title);
}

static void write_group(const struct flame *flame, const struct group *group, int64_t x_ns,
                        struct weir_text *out)
{
	struct frame frame = {.row = 1,
	                      .x_ns = x_ns,
	                      .width_ns = group->width_ns,
	                      .change_ns = group->candidate_ns - group->baseline_ns};
	struct weir_text label = {0}, title = {0};

	weir_gate_print_time_change((double)frame.change_ns, &label);
	weir_text_puts(&label, " ");
	weir_cut_name(&label, group->name, INSIDE);
	weir_text_printf(&title, "%s, ", label.data);
	weir_items_number(&title, group->operators, "operator");
	weir_text_puts(&title, ", ");
	weir_gate_print_value((double)group->baseline_ns, "ns", &title);
	weir_text_puts(&title, " to ");
	weir_gate_print_value((double)group->candidate_ns, "ns", &title);
	if (group->width_ns > 0)
		write_frame(flame, &frame, &label, &title, out);
	weir_text_release(&label);
	weir_text_release(&title);
}

static void write_stage(const struct flame *flame, struct weir_text *out)
{
	struct frame frame = {.width_ns = flame->width_ns,
	                      .change_ns = flame->stage->candidate_ns - flame->stage->baseline_ns};
	struct weir_text label = {0}, title = {0};

	weir_gate_print_time_change((double)frame.change_ns, &label);
	weir_text_puts(&label, " ");
	weir_cut_name(&label, flame->stage->name, INSIDE);
	weir_gate_print_stage_change(flame->stage, &title);
	write_frame(flame, &frame, &label, &title, out);
	weir_text_release(&label);
	weir_text_release(&title);
}

static void write_frames(const struct flame *flame, struct weir_text *out)
{
	int64_t x_ns = 0;

	write_stage(flame, out);
	for (size_t g = 0; g < flame->count; g++) {
		const struct group *group = &flame->groups[g];

		if (!group->name) {
			write_part(flame, group->part, (struct frame){.row = 1, .x_ns = x_ns}, out);
			x_ns += group->width_ns;
			continue;
		}
		write_group(flame, group, x_ns, out);
		for (size_t i = 0; i < flame->stage->part_count; i++) {
			const struct weir_drawn_part *part = flame->parts[i];

			if (!is_in(part, group))
				continue;
			write_part(flame, part, (struct frame){.row = 2, .x_ns = x_ns}, out);
			x_ns += width_of(part);
		}
	}
}

/* ---- the card ---- */

/* Appends the parts that have no width, since both of their times are negative. */
static void add_undrawn(const struct flame *flame, struct weir_text *out)
{
	for (size_t i = 0; i < flame->stage->part_count; i++) {
		const struct weir_drawn_part *part = &flame->stage->parts[i];

		if (width_of(part) > 0)
			continue;
		weir_text_puts(out, out->length ? "; " : "Not drawn, since it is negative: ");
		weir_gate_print_time_change((double)(part->candidate_ns - part->baseline_ns), out);
		weir_text_puts(out, " ");
		weir_gate_print_part(flame->stage, part, WEIR_NAME_COLUMNS, out);
		weir_text_puts(out, ", ");
		weir_gate_print_part_detail(part, out);
	}
}

static void write_flame(const struct weir_drawn_stage *stage, size_t index, struct weir_text *out)
{
	struct flame *flame = weir_alloc(sizeof(*flame));
	struct weir_text id = {0}, title = {0}, plain = {0};

	flame->stage = stage;
	list_groups(flame);
	sort_parts(flame);
	weir_text_printf(&id, "flame-%zu", index + 1);
	weir_gate_print_stage_change(stage, &title);
	weir_text_puts(out, "<h3>");
	weir_escape_html(out, title.data);
	weir_text_puts(out, "</h3>\n");
	weir_text_printf(&plain, "%s; the changes of its %zu parts add up to it.", title.data,
	                 stage->part_count);
	weir_drawing_begin(&(struct weir_chart){.id = id.data,
	                                        .title = title.data,
	                                        .description = plain.data,
	                                        .height = 3 * ROW},
	                   out);
	write_frames(flame, out);
	weir_chart_end(out);
	weir_text_clear(&plain);
	add_undrawn(flame, &plain);
	if (plain.length) {
		weir_text_puts(out, "<p class=\"soft undrawn\">");
		weir_flush_html(out, &plain);
		weir_text_puts(out, "</p>\n");
	}
	weir_text_release(&id);
	weir_text_release(&title);
	weir_text_release(&plain);
	free(flame);
}

static void write_legend(struct weir_text *out)
{
	weir_text_puts(out, "<ul class=\"keys\">\n<li>");
	for (int shade = SHADES; shade > 0; shade--)
		weir_text_printf(out, "<span class=\"swatch d-frame w-removed d-%d\"></span>",
		                 shade);
	weir_text_puts(out, "removed</li>\n<li><span class=\"swatch d-frame d-same\"></span>the "
	                    "same</li>\n<li>");
	for (int shade = 1; shade <= SHADES; shade++)
		weir_text_printf(out, "<span class=\"swatch d-frame w-added d-%d\"></span>", shade);
	weir_text_puts(out, "added, as a share of the largest change</li>\n</ul>\n");
}

void weir_draw_flame(const struct weir_gate_result *result, struct weir_text *out)
{
	if (!weir_draw_stages(result, "flame", "Difference by operator",
	                      "A frame is a stage, a family of its operators, or an operator, as "
	                      "wide as its time on the slower side, and its colour is the change, "
	                      "which adds up downwards.",
	                      write_flame, out))
		return;
	write_legend(out);
	weir_card_end(out);
}
