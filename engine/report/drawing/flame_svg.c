/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flame graph as an SVG for a browser: roots on top, device above host. It loads nothing;
 * without its script it is the same picture without search and zoom. Frames are drawn in the order
 * of the tree, which the search relies on. Names are escaped and never part of the script.
 */
#include "engine/base/embed.h"
#include "engine/report/plain/escape.h"
#include "engine/report/words/phrases.h"
#include "engine/report/writer.h"

#define WIDTH     1200
#define MARGIN    16 /* flame.js uses these two values */
#define INNER     (WIDTH - 2 * MARGIN)
#define ROW       18
#define LETTER    7.3
#define HEAD      104
#define SIDE_HEAD 30
#define SMALLEST  0.1 /* narrower frames are not drawn */
#define CUT       240 /* columns of a name in its tooltip */

static const char *const classes[WEIR_FLAME_KIND_COUNT] = {
	[WEIR_FLAME_ROOT] = "root",         [WEIR_FLAME_RANK] = "rank",
	[WEIR_FLAME_THREAD] = "thread",     [WEIR_FLAME_STAGE] = "stage",
	[WEIR_FLAME_OPERATOR] = "operator", [WEIR_FLAME_PYTHON] = "python",
	[WEIR_FLAME_CALL] = "call",         [WEIR_FLAME_KERNEL] = "kernel",
	[WEIR_FLAME_IDLE] = "idle",         [WEIR_FLAME_OTHER] = "other",
};

/* One root with its frames [first, end), drawn from y downwards. */
struct side {
	const struct weir_flame *flame;
	size_t first, end;
	double y;
	size_t hidden; /* number of frames that are too narrow */
};

static double width_of(const struct side *side, size_t frame)
{
	return (double)side->flame->frames[frame].total_ns /
	       (double)side->flame->frames[side->first].total_ns * INNER;
}

static uint32_t depth_of(const struct side *side)
{
	uint32_t deepest = 0;

	for (size_t i = side->first; i < side->end; i++)
		if (width_of(side, i) >= SMALLEST && side->flame->frames[i].depth > deepest)
			deepest = side->flame->frames[i].depth;
	return deepest + 1;
}

static void write_embedded(const char *name, struct weir_text *out)
{
	const struct weir_embedded *file = weir_embedded_find(name);

	if (file)
		weir_text_add(out, file->data, file->length);
}

/* Appends the first `columns` of a name, escaped. */
static void write_name(const char *name, size_t columns, struct weir_text *out)
{
	struct weir_text plain = {0}, cut = {0};

	weir_escape_name(&plain, name);
	weir_cut(&cut, plain.data, columns);
	if (cut.data)
		weir_escape_html(out, cut.data);
	weir_text_release(&cut);
	weir_text_release(&plain);
}

static void write_frame(const struct side *side, size_t index, double x, struct weir_text *out)
{
	const struct weir_flame_frame *frame = &side->flame->frames[index];
	double width = width_of(side, index), y = side->y + frame->depth * ROW;
	size_t room = width > 6 ? (size_t)((width - 6) / LETTER) : 0;
	struct weir_text figures = {0};

	weir_text_printf(out, "<g class=\"f %s\"><title>", classes[frame->kind]);
	write_name(frame->name, CUT, out);
	weir_text_puts(out, "\n");
	weir_text_duration(&figures, (double)frame->total_ns);
	weir_text_puts(&figures, ", ");
	weir_text_share(&figures, width / INNER);
	weir_text_puts(&figures, "; itself ");
	weir_text_duration(&figures, (double)frame->self_ns);
	weir_escape_html(out, figures.data); /* "< 0.1 %" */
	weir_text_release(&figures);
	weir_text_printf(out, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>",
	                 MARGIN + x, y, width, ROW);
	if (room >= 3) {
		weir_text_printf(out, "<text x=\"%.2f\" y=\"%.0f\">", MARGIN + x + 4, y + 13);
		write_name(frame->name, room, out);
		weir_text_puts(out, "</text>");
	}
	weir_text_puts(out, "</g>\n");
}

static void write_side(struct side *side, struct weir_text *out)
{
	const struct weir_flame_frame *frames = side->flame->frames;
	double next[WEIR_FLAME_MAX_DEPTH + 1] = {0}; /* x of the next frame, by depth */

	weir_text_puts(out, "<g id=\"");
	write_name(frames[side->first].name, CUT, out);
	weir_text_puts(out, "\">\n");
	for (size_t i = side->first; i < side->end; i++) {
		double x = next[frames[i].depth];

		next[frames[i].depth] = x + width_of(side, i);
		next[frames[i].depth + 1] = x;
		if (width_of(side, i) >= SMALLEST)
			write_frame(side, i, x, out);
		else
			side->hidden++;
	}
	weir_text_puts(out, "</g>\n");
}

static void write_side_head(const struct side *side, struct weir_text *out)
{
	const struct weir_flame_frame *root = &side->flame->frames[side->first];

	weir_text_printf(out, "<text class=\"p\" x=\"%d\" y=\"%.0f\"><tspan class=\"b\">", MARGIN,
	                 side->y - 9);
	write_name(root->name, CUT, out);
	weir_text_puts(out, "</tspan>  ");
	weir_text_duration(out, (double)root->total_ns);
	weir_text_printf(out, ", %zu frames</text>\n", side->end - side->first);
}

static void write_head(const struct weir_report *report, double height, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_printf(out,
	                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
	                 "width=\"%d\" height=\"%.0f\">\n<style>\n",
	                 WIDTH, height, WIDTH, height);
	write_embedded("engine/report/drawing/flame.css", out);
	weir_text_printf(out,
	                 "</style>\n<rect width=\"%d\" height=\"%.0f\" fill=\"var(--page)\"/>\n",
	                 WIDTH, height);
	weir_text_printf(out, "<text class=\"h\" x=\"%d\" y=\"34\">", MARGIN);
	weir_phrase_bound(report, &plain);
	weir_text_puts(&plain, ": ");
	weir_phrase_headline(report, &plain);
	write_name(plain.data, 96, out);
	weir_text_printf(
		out,
		"</text>\n<text class=\"p\" x=\"%d\" y=\"57\">Width is time. Click a frame "
		"to widen it, its root to go back.</text>\n"
		"<text class=\"p\" id=\"found\" x=\"%d\" y=\"57\" "
		"text-anchor=\"end\"></text>\n"
		"<foreignObject x=\"%d\" y=\"14\" width=\"240\" height=\"30\">"
		"<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" "
		"type=\"search\" placeholder=\"search names\" aria-label=\"search "
		"names\"/></foreignObject>\n",
		MARGIN, WIDTH - MARGIN, WIDTH - MARGIN - 240);
	weir_text_release(&plain);
}

/* Returns the next root, starting at `first`. */
static struct side side_at(const struct weir_flame *flame, size_t first, double y)
{
	struct side side = {.flame = flame, .first = first, .end = first + 1, .y = y};

	while (side.end < flame->count && flame->frames[side.end].depth > 0)
		side.end++;
	return side;
}

static double height_of(const struct weir_flame *flame)
{
	double height = HEAD;

	for (size_t i = 0; i < flame->count;) {
		struct side side = side_at(flame, i, height);

		height += depth_of(&side) * ROW + SIDE_HEAD;
		i = side.end;
	}
	return height + SIDE_HEAD;
}

void weir_write_flame(const struct weir_report *report, const struct weir_write_options *options,
                      struct weir_text *out)
{
	static const struct weir_flame none = {NULL, 0};
	const struct weir_flame *flame = report->detail ? &report->detail->flame : &none;
	double y = HEAD;
	size_t hidden = 0;

	(void)options;
	write_head(report, height_of(flame), out);
	for (size_t i = 0; i < flame->count;) {
		struct side side = side_at(flame, i, y);

		write_side_head(&side, out);
		write_side(&side, out);
		y += depth_of(&side) * ROW + SIDE_HEAD;
		hidden += side.hidden;
		i = side.end;
	}
	if (hidden > 0)
		weir_text_printf(out,
		                 "<text class=\"p\" x=\"%d\" y=\"%.0f\">%zu frames of less than a "
		                 "tenth of a pixel are not drawn.</text>\n",
		                 MARGIN, y, hidden);
	weir_text_puts(out, "<script><![CDATA[\n");
	write_embedded("engine/report/drawing/flame.js", out);
	weir_text_puts(out, "]]></script>\n</svg>\n");
}
