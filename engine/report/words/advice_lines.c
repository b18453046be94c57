/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/plain/escape.h"
#include "engine/report/words/advice_lines.h"

static struct weir_text *add_line(struct weir_advice_lines *lines, const char *label)
{
	struct weir_advice_line *line = &lines->items[lines->count++];

	line->label = label;
	line->text = (struct weir_text){0};
	return &line->text;
}

/* Drops the last line if nothing was written. */
static void end_line(struct weir_advice_lines *lines)
{
	struct weir_advice_line *line = &lines->items[lines->count - 1];

	if (line->text.length > 0)
		return;
	weir_text_release(&line->text);
	lines->count--;
}

static void add_text(struct weir_advice_lines *lines, const char *label, const char *text)
{
	weir_escape_plain(add_line(lines, label), text ? text : "");
	end_line(lines);
}

/* Appends "aten::mm [[64, 2048], [2048, 2048]] (kernel_name) in decode: 3 calls, 42 us a step". */
static void put_place(const struct weir_fix_place *place, struct weir_text *out)
{
	const char *in = place->frame ? place->frame : place->stage;

	weir_escape_plain(out, place->op ? place->op : place->kernel ? place->kernel : "host code");
	if (place->shapes) {
		weir_text_puts(out, " ");
		weir_escape_plain(out, place->shapes);
	}
	if (place->op && place->kernel) {
		weir_text_puts(out, " (");
		weir_escape_plain(out, place->kernel);
		weir_text_puts(out, ")");
	}
	if (in) {
		weir_text_puts(out, " in ");
		weir_escape_plain(out, in);
	}
	weir_text_puts(out, ": ");
	if (place->count > 1) {
		weir_text_count(out, (uint64_t)place->count);
		weir_text_puts(out, " calls, ");
	}
	weir_text_duration(out, place->ns);
	if (!isnan(place->share)) {
		weir_text_puts(out, ", ");
		weir_text_share(out, place->share);
	}
}

static void add_need(struct weir_advice_lines *lines, const struct weir_need *need, bool first)
{
	struct weir_text *out = add_line(lines, first ? "needs" : "");

	weir_escape_plain(out, need->what);
	weir_text_puts(out, ": ");
	weir_text_puts(out, weir_need_state_name(need->state));
	if (need->first) {
		weir_text_puts(out, ", first ");
		weir_escape_plain(out, need->first);
	}
}

/* Appends "effort medium, results: rounding". */
static void add_costs(struct weir_advice_lines *lines,
                      const struct weir_recommendation *recommendation)
{
	struct weir_text *out = add_line(lines, "costs");

	if (recommendation->effort) {
		weir_text_puts(out, "effort ");
		weir_escape_plain(out, recommendation->effort);
	}
	if (recommendation->numerics) {
		weir_text_puts(out, out->length ? ", change of results: " : "change of results: ");
		weir_escape_plain(out, recommendation->numerics);
	}
	end_line(lines);
}

void weir_advice_lines_fill(const struct weir_recommendation *recommendation, size_t places,
                            struct weir_advice_lines *out)
{
	out->count = 0;
	add_text(out, "", recommendation->why);
	for (size_t i = 0; i < recommendation->place_count && i < places && i < WEIR_MAX_PLACES;
	     i++)
		put_place(&recommendation->places[i], add_line(out, i == 0 ? "where" : ""));
	add_text(out, "how", recommendation->how);
	add_text(out, "basis", recommendation->saving_basis);
	for (size_t i = 0; i < recommendation->need_count && i < WEIR_MAX_NEEDS; i++)
		add_need(out, &recommendation->needs[i], i == 0);
	add_costs(out, recommendation);
	add_text(out, "or", recommendation->instead);
}

void weir_advice_lines_release(struct weir_advice_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		weir_text_release(&lines->items[i].text);
	lines->count = 0;
}
