/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report for a terminal or a log: the answer on the first line, then the evidence. */
#include <math.h>
#include <string.h>

#include "engine/report/classify/advice_text.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/layout.h"
#include "engine/report/tables/grid.h"
#include "engine/report/tables/tables.h"
#include "engine/report/words/facts.h"
#include "engine/report/words/map.h"
#include "engine/report/words/phrases.h"
#include "engine/report/writer.h"

#define INDENT       2
#define LABEL_WIDTH  18 /* columns of the labels below the tables */
#define BOUND_WIDTH  15 /* columns of a bound beside its bar */
#define SHARE_WIDTH  8  /* columns of the figure after a bar */
#define NAME_COLUMNS 48 /* columns of a rule's id */

static void write_verdict(const struct weir_report *report, const struct weir_layout *layout)
{
	struct weir_text text = {0};
	struct weir_wrap wrap;

	weir_phrase_bound(report, &text);
	weir_text_puts(&text, ":");
	weir_layout_in_bound(layout, report->verdict.bound, true, text.data);
	weir_wrap_resume(&wrap, layout, weir_text_columns(text.data), 2);
	wrap.started = true;
	weir_text_clear(&text);
	weir_phrase_headline(report, &text);
	if (report->verdict.cause) {
		weir_text_puts(&text, " (");
		weir_escape_plain(&text, report->verdict.cause);
		weir_text_puts(&text, ")");
	}
	weir_wrap_words(&wrap, text.data);
	weir_wrap_end(&wrap);
	weir_text_puts(layout->out, "\n");
	weir_text_release(&text);
}

static void wrap_items(struct weir_wrap *wrap, struct weir_items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		if (items->starts_line[i])
			weir_wrap_break(wrap);
		weir_wrap_item(wrap, items->item[i].data ? items->item[i].data : "");
	}
	weir_wrap_end(wrap);
	weir_items_release(items);
}

static void write_context(const struct weir_report *report, const struct weir_layout *layout)
{
	struct weir_items items = {.count = 0};
	struct weir_wrap wrap;

	weir_items_context(report, &items);
	weir_wrap_begin(&wrap, layout, "", 2);
	wrap_items(&wrap, &items);
}

/* Writes "  rule runtime/host-dispatch   gpu active 0.13 < 0.60 · ..." */
static void write_evidence(const struct weir_report *report, const struct weir_layout *layout)
{
	struct weir_items items = {.count = 0};
	struct weir_text label = {0}, name = {0};
	struct weir_wrap wrap;

	if (!report->verdict.rule)
		return;
	weir_escape_plain(&name, report->verdict.rule);
	weir_text_puts(&label, "  rule ");
	weir_cut(&label, name.data ? name.data : "", NAME_COLUMNS);
	weir_items_evidence(report, &items);
	if (weir_text_columns(label.data) >
	    layout->width / 2) { /* the id is too long for text beside it */
		weir_wrap_begin(&wrap, layout, label.data, 7);
		wrap.started = true;
		weir_wrap_break(&wrap);
	} else {
		weir_text_puts(&label, items.count ? "   " : "");
		weir_wrap_begin(&wrap, layout, label.data, weir_text_columns(label.data));
	}
	wrap_items(&wrap, &items);
	weir_text_release(&label);
	weir_text_release(&name);
}

static void write_labelled(const struct weir_layout *layout, const char *label,
                           void (*phrase)(const struct weir_report *, struct weir_text *),
                           const struct weir_report *report)
{
	struct weir_text text = {0};
	struct weir_wrap wrap;

	phrase(report, &text);
	if (text.length) {
		weir_wrap_begin(&wrap, layout, label, 8);
		weir_wrap_words(&wrap, text.data);
		weir_wrap_end(&wrap);
	}
	weir_text_release(&text);
}

static void write_share_line(const struct weir_report *report, const struct weir_layout *layout,
                             enum weir_bound bound, bool scale)
{
	size_t room = layout->width - 2 - BOUND_WIDTH - SHARE_WIDTH, used;
	double share = weir_attribution_share(&report->attribution, bound);
	struct weir_text text = {0};
	struct weir_layout bar = {.out = &text, .width = room};

	weir_text_puts(layout->out, "  ");
	weir_layout_padded(layout, weir_attribution_label(bound), BOUND_WIDTH, false);
	used = weir_layout_bar(&bar, share, room);
	weir_layout_in_bound(layout, bound, false, text.data ? text.data : "");
	weir_text_clear(&text);
	weir_text_repeat(&text, scale ? "░" : " ", room > used ? room - used : 0);
	weir_layout_styled(layout, scale ? WEIR_STYLE_DIM : WEIR_STYLE_PLAIN,
	                   text.data ? text.data : "");
	weir_text_clear(&text);
	weir_text_share(&text, share);
	weir_layout_padded(layout, text.data, SHARE_WIDTH, true);
	weir_text_puts(layout->out, "\n");
	weir_text_release(&text);
}

static void write_attribution(const struct weir_report *report, const struct weir_layout *layout)
{
	static const char title[] = "where the time goes";
	enum weir_bound order[WEIR_BOUND_COUNT];
	struct weir_text unit = {0};
	size_t count = weir_attribution_order(&report->attribution, order);

	if (!count)
		return;
	weir_text_puts(layout->out, "\n");
	weir_layout_styled(layout, WEIR_STYLE_STRONG, title);
	weir_phrase_share_of(report, &unit);
	weir_layout_padded(layout, unit.data, layout->width - strlen(title), true);
	weir_text_puts(layout->out, "\n");
	weir_text_release(&unit);
	for (size_t i = 0; i < count; i++)
		write_share_line(report, layout, order[i], i == 0);
}

/* ---- the path of requests: names, and a bar with a part for each stage ---- */

/* One stage of the bar: columns [first, end). */
struct stretch {
	const struct weir_stage_row *stage;
	double share;
	size_t first, end;
};

/* Iterates over the stages that take at least one column. A part ends at the rounded sum of all
 * shares up to it, so that rounding errors do not add up. */
struct walk {
	const struct weir_report *report;
	size_t next; /* index of the next stage */
	size_t room; /* width of the bar */
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

/* Appends the name of the stage and its share, the name alone, or nothing, so that a blank remains
 * after it. */
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

static void write_map_labels(const struct weir_report *report, const struct weir_layout *layout,
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

static void write_map_bar(const struct weir_report *report, const struct weir_layout *layout,
                          size_t room)
{
	static const char *const fills[] = {"█", "░"}; /* neighbours differ without colour */
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

/* Writes "from arrival to response                         requests around p95, 25.1 ms". */
static void write_map_title(const struct weir_report *report, const struct weir_layout *layout)
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

static void write_map(const struct weir_report *report, const struct weir_layout *layout)
{
	size_t room = layout->width - INDENT;

	if (!(weir_map_total(report, WEIR_MAP_ASKED) > 0))
		return;
	write_map_title(report, layout);
	write_map_labels(report, layout, room);
	write_map_bar(report, layout, room);
}

/* ---- tables ---- */

static void write_table(const struct weir_report *report, const struct weir_layout *layout,
                        const struct weir_table *table, size_t top)
{
	struct weir_rows rows;
	size_t all = weir_rows_choose(table, report, top, &rows);

	if (rows.count)
		weir_grid_write(layout, table, report, &rows);
	if (rows.count < all)
		weir_text_printf(layout->out, "  ... %zu more (--top %zu)\n", all - rows.count,
		                 all);
	weir_rows_release(&rows);
}

/* Writes the path of requests, then the tables, and how many rows --top hides. */
static void write_tables(const struct weir_report *report, const struct weir_layout *layout,
                         size_t top)
{
	size_t before;

	weir_text_puts(layout->out, "\n");
	before = layout->out->length;
	write_map(report, layout);
	for (size_t i = 0; weir_tables[i]; i++)
		if (!(weir_tables[i]->left_out & WEIR_IN_TEXT))
			write_table(report, layout, weir_tables[i], top);
	if (layout->out->length == before)
		layout->out->data[--layout->out->length] = '\0';
}

static void write_fact_line(const struct weir_report *report, const struct weir_layout *layout,
                            const struct weir_fact_line *line)
{
	struct weir_items items = {.count = 0};
	struct weir_wrap wrap;

	line->fill(report, &items);
	if (!items.count && !line->none)
		return;
	weir_layout_title(layout, line->label, LABEL_WIDTH);
	weir_wrap_resume(&wrap, layout, LABEL_WIDTH, LABEL_WIDTH);
	if (!items.count)
		weir_wrap_words(&wrap, line->none);
	for (size_t i = 0; i < items.count; i++) {
		if (line->one_a_line || items.starts_line[i])
			weir_wrap_break(&wrap);
		if (line->one_a_line) {
			weir_wrap_words(&wrap, items.item[i].data ? items.item[i].data : "");
		} else {
			weir_wrap_item(&wrap, items.item[i].data ? items.item[i].data : "");
		}
	}
	weir_wrap_end(&wrap);
	weir_items_release(&items);
}

void weir_write_report_text(const struct weir_report *report,
                            const struct weir_write_options *options, struct weir_text *out)
{
	struct weir_layout layout = weir_text_layout(options, out);

	write_verdict(report, &layout);
	write_context(report, &layout);
	write_evidence(report, &layout);
	write_labelled(&layout, "  with", weir_phrase_certainty, report);
	write_labelled(&layout, "  next", weir_phrase_next, report);
	write_attribution(report, &layout);
	write_tables(report, &layout, options && options->top ? options->top : WEIR_WRITE_TOP);
	if (report->recommendation_count > 0)
		weir_text_puts(out, "\n");
	weir_recommendations_text(report, &layout);
	weir_text_puts(out, "\n");
	for (const struct weir_fact_line *line = weir_fact_lines; line->id; line++)
		write_fact_line(report, &layout, line);
}
