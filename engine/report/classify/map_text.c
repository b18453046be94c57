/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The path of a request as two lines of a terminal: names above, below them a bar as long as each
 * stage's share. Neighbours differ in their filling, so that the bar reads without colour.
 */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/tables/map.h"
#include "engine/report/words/phrases.h"

#define INDENT 2

/* One stage of the bar: columns [first, end). */
struct stretch {
	const struct weir_stage_row *stage;
	double share;
	size_t first, end;
};

/* Walks the stages that take at least a column. Ends lie where the sum of all shares so far does,
 * so that rounding never adds up. */
struct walk {
	const struct weir_report *report;
	size_t next; /* stage */
	size_t room; /* columns */
	double total, sum;
	size_t column;
};

static struct walk walk_path(const struct weir_report *report, size_t room)
{
	return (struct walk){
		.report = report, .room = room, .total = weir_map_total(report, WEIR_MAP_ASKED)};
}

static bool walk_next(struct walk *walk, struct stretch *out)
{
	while (walk->next < walk->report->stage_count) {
		size_t stage = walk->next++, end;
		double share;

		if (!weir_map_holds(walk->report, stage))
			continue;
		share = weir_map_share(&walk->report->stages[stage], WEIR_MAP_ASKED);
		walk->sum += fmax(share, 0);
		end = (size_t)round(fmin(walk->sum / walk->total, 1) * (double)walk->room);
		if (end <= walk->column)
			continue;
		*out = (struct stretch){&walk->report->stages[stage], share, walk->column, end};
		walk->column = end;
		return true;
	}
	return false;
}

/* The stage's name and its share, the name alone, or nothing: what fits with a blank behind it. */
static void add_label(const struct stretch *stretch, struct weir_text *out)
{
	size_t room = stretch->end - stretch->first - 1;
	struct weir_text name = {0}, both = {0};

	weir_escape_name(&name, stretch->stage->name);
	weir_text_puts(&both, name.data);
	weir_text_puts(&both, " ");
	weir_text_share(&both, weir_as_stored_share(stretch->share));
	if (weir_text_columns(both.data) <= room)
		weir_text_puts(out, both.data);
	else if (weir_text_columns(name.data) <= room)
		weir_text_puts(out, name.data);
	weir_text_release(&name);
	weir_text_release(&both);
}

static void write_labels(const struct weir_report *report, const struct weir_layout *layout,
                         size_t room)
{
	struct walk walk = walk_path(report, room);
	struct stretch stretch;
	struct weir_text line = {0};

	weir_text_repeat(&line, " ", INDENT);
	while (walk_next(&walk, &stretch)) {
		size_t columns = weir_text_columns(line.data);

		weir_text_repeat(&line, " ", INDENT + stretch.first - columns);
		add_label(&stretch, &line);
	}
	while (line.length && line.data[line.length - 1] == ' ')
		line.data[--line.length] = '\0';
	if (line.length) {
		weir_text_puts(layout->out, line.data);
		weir_text_puts(layout->out, "\n");
	}
	weir_text_release(&line);
}

static void write_bar(const struct weir_report *report, const struct weir_layout *layout,
                      size_t room)
{
	static const char *const fills[] = {"█", "░"};
	struct walk walk = walk_path(report, room);
	struct stretch stretch;
	struct weir_text part = {0};

	weir_text_repeat(layout->out, " ", INDENT);
	for (size_t i = 0; walk_next(&walk, &stretch); i++) {
		weir_text_clear(&part);
		weir_text_repeat(&part, fills[i % 2], stretch.end - stretch.first);
		weir_layout_in_bound(layout, stretch.stage->verdict.bound, false, part.data);
	}
	weir_text_puts(layout->out, "\n");
	weir_text_release(&part);
}

/* "from arrival to response                         requests around p95, 25.1 ms" */
static void write_title(const struct weir_report *report, const struct weir_layout *layout)
{
	static const char title[] = "from arrival to response";
	double latency_ns = weir_map_quantile(report, &report->requests.latency, WEIR_MAP_ASKED);
	struct weir_text of = {0};

	weir_text_puts(&of, "requests around ");
	weir_map_label(report, WEIR_MAP_ASKED, &of);
	if (!isnan(latency_ns)) {
		weir_text_puts(&of, ", ");
		weir_text_duration(&of, weir_as_stored_ns(latency_ns));
	}
	weir_layout_styled(layout, WEIR_STYLE_STRONG, title);
	weir_layout_padded(layout, of.data, layout->width - strlen(title), true);
	weir_text_puts(layout->out, "\n");
	weir_text_release(&of);
}

void weir_map_write_text(const struct weir_report *report, const struct weir_layout *layout)
{
	size_t room = layout->width - INDENT;

	if (!(weir_map_total(report, WEIR_MAP_ASKED) > 0))
		return;
	write_title(report, layout);
	write_labels(report, layout, room);
	write_bar(report, layout, room);
}
