/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/gate/gate_drawing.h"

/* In pixels. */
#define MARGIN 20.0 /* what one margin takes */
#define EDGE   9.0  /* room for an arrow beyond the last margin */
#define CENTRE (EDGE + WEIR_GATE_DRAWN_MARGINS * MARGIN)
#define WIDTH  (2 * CENTRE)
#define HEIGHT 18.0
#define MIDDLE (HEIGHT / 2)
#define ARROW  5.5 /* half its height */
#define DOT    3.2

/* Where a share of the change stands; what is beyond the last margin stands at it. */
static double place(const struct weir_row *row, double share)
{
	double margins = share / row->margin;

	margins = fmax(-WEIR_GATE_DRAWN_MARGINS, fmin(WEIR_GATE_DRAWN_MARGINS, margins));
	return CENTRE + margins * MARGIN;
}

static bool is_beyond(const struct weir_row *row, double share)
{
	return fabs(share / row->margin) > WEIR_GATE_DRAWN_MARGINS;
}

static void draw_arrow(double side, struct weir_text *out)
{
	double base = CENTRE + side * (CENTRE - EDGE), tip = CENTRE + side * (CENTRE - 0.5);

	weir_text_printf(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"></path>", base,
	                 MIDDLE - ARROW, tip, MIDDLE, base, MIDDLE + ARROW);
}

static void draw_interval(const struct weir_row *row, struct weir_text *out)
{
	double low = fmin(row->low, row->high), high = fmax(row->low, row->high);

	if (!isfinite(row->low) || !isfinite(row->high))
		return;
	weir_text_printf(out,
	                 "<line class=\"range\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\">"
	                 "</line>",
	                 place(row, low), MIDDLE, place(row, high), MIDDLE);
	if (low < 0 && is_beyond(row, low))
		draw_arrow(-1, out);
	if (high > 0 && is_beyond(row, high))
		draw_arrow(1, out);
}

static void draw_change(const struct weir_row *row, struct weir_text *out)
{
	if (is_beyond(row, row->change))
		draw_arrow(row->change < 0 ? -1 : 1, out);
	else
		weir_text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"></circle>",
		                 place(row, row->change), MIDDLE, DOT);
}

void weir_gate_draw(const struct weir_row *row, struct weir_text *out)
{
	if (!isfinite(row->change) || !isfinite(row->margin) || row->margin <= 0)
		return;
	weir_text_printf(out,
	                 "<svg width=\"%.0f\" height=\"%.0f\" aria-hidden=\"true\">"
	                 "<rect x=\"%.1f\" width=\"%.1f\" height=\"%.0f\"></rect>"
	                 "<line x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%.0f\"></line>",
	                 WIDTH, HEIGHT, CENTRE - MARGIN, 2 * MARGIN, HEIGHT, CENTRE, CENTRE,
	                 HEIGHT);
	draw_interval(row, out);
	draw_change(row, out);
	weir_text_puts(out, "</svg>");
}
