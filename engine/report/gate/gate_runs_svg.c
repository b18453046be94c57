/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the figure of every run as a dot: one drawing for each row, the baseline on the left and
 * the candidate on the right. */
#include <inttypes.h>
#include <math.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define HEIGHT       130
#define LEFT_END     0.48 /* of the baseline's part */
#define RIGHT_START  0.52 /* of the candidate's part */
#define LEAST_RANGE  0.06 /* of the middle, so that noise looks as small as it is */
#define ROOM         0.08 /* above and below, as a share of the range */
#define LABEL_HEIGHT 13
#define LABEL_WIDTH  0.17 /* share of a narrow page that a label takes */
#define MAX_LABELS   6
#define TICKS        4
#define MANY         80 /* more runs are drawn smaller */

/* Shapes of sessions; further sessions use them again. */
static const char *const shapes[] = {
	"M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
	"M-3.3 -3.3h6.6v6.6h-6.6z",
	"M0 -4.4L4.4 3.4h-8.8z",
	"M0 -4.8L4.8 0L0 4.8L-4.8 0z",
	"M0 4.4L4.4 -3.4h-8.8z",
	"M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
};

struct panel {
	const struct weir_gate_pictures *pictures;
	const struct weir_drawn_row *drawn;
	const struct weir_row *row;
	struct weir_axis y;
};

static const char *side_name(bool candidate)
{
	return candidate ? "candidate" : "baseline";
}

static const char *shape_of(uint64_t session)
{
	return shapes[session > 0 ? (session - 1) % WEIR_COUNT_OF(shapes) : 0];
}

static size_t count_side(const struct weir_gate_pictures *pictures, bool candidate)
{
	size_t count = 0;

	for (size_t i = 0; i < pictures->run_count; i++)
		count += pictures->runs[i].candidate == candidate;
	return count;
}

static uint64_t older_of(const struct weir_gate_pictures *pictures, bool candidate)
{
	return candidate ? pictures->older_candidate : pictures->older_baseline;
}

/* Returns the number of a run on its side, from 1, with those that are not drawn. */
static uint64_t number_of(const struct weir_gate_pictures *pictures, size_t run)
{
	bool candidate = pictures->runs[run].candidate;
	uint64_t number = 1 + older_of(pictures, candidate);

	for (size_t i = 0; i < run; i++)
		number += pictures->runs[i].candidate == candidate;
	return number;
}

/* ---- places ---- */

/* Returns the place of a run from 0 to 1. */
static double place_of(const struct weir_gate_pictures *pictures, size_t run)
{
	bool candidate = pictures->runs[run].candidate;
	double number = (double)(number_of(pictures, run) - older_of(pictures, candidate)) - 0.5;
	double share = number / (double)count_side(pictures, candidate);

	return candidate ? RIGHT_START + (1 - RIGHT_START) * share : LEFT_END * share;
}

static double y_of(const struct panel *panel, double value)
{
	return HEIGHT * (1 - weir_axis_place(&panel->y, value));
}

/* Sets the axis to the range of all values; false: no run has the figure. */
static bool set_axis(struct panel *panel)
{
	double low = INFINITY, high = -INFINITY, range, least;

	for (size_t i = 0; i < panel->drawn->value_count; i++) {
		if (isnan(panel->drawn->values[i]))
			continue;
		low = fmin(low, panel->drawn->values[i]);
		high = fmax(high, panel->drawn->values[i]);
	}
	least = LEAST_RANGE * fabs((low + high) / 2);
	range = fmax(high - low, least > 0 ? least : 1);
	panel->y.low = (low + high - range) / 2 - ROOM * range;
	panel->y.high = (low + high + range) / 2 + ROOM * range;
	return isfinite(low) && isfinite(range) && isfinite(panel->y.low) &&
	       isfinite(panel->y.high) && panel->y.high > panel->y.low;
}

/* ---- one drawing ---- */

/* Appends "baseline run 3 of 5, base-3.json, session 2: 572 us, odd". */
static void add_title(const struct panel *panel, size_t run, struct weir_text *out)
{
	const struct weir_gate_pictures *pictures = panel->pictures;
	const struct weir_drawn_run *drawn = &pictures->runs[run];

	weir_text_printf(out, "%s run %" PRIu64 " of %" PRIu64, side_name(drawn->candidate),
	                 number_of(pictures, run),
	                 count_side(pictures, drawn->candidate) +
	                         older_of(pictures, drawn->candidate));
	if (drawn->name) {
		weir_text_puts(out, ", ");
		weir_cut_name(out, drawn->name, WEIR_NAME_COLUMNS);
	}
	if (drawn->session > 0)
		weir_text_printf(out, ", session %" PRIu64, drawn->session);
	weir_text_puts(out, ": ");
	weir_gate_print_value(panel->drawn->values[run], panel->row->unit, out);
}

static bool is_odd(const struct panel *panel, size_t run)
{
	for (size_t i = 0; i < panel->drawn->odd_count; i++)
		if (panel->drawn->odd[i] == run)
			return true;
	return false;
}

static void write_dot(const struct panel *panel, size_t run, struct weir_text *out)
{
	const struct weir_drawn_run *drawn = &panel->pictures->runs[run];
	double value = panel->drawn->values[run];
	struct weir_text title = {0};

	if (isnan(value))
		return;
	add_title(panel, run, &title);
	if (is_odd(panel, run))
		weir_text_puts(&title, ", far from the others");
	weir_text_printf(out, "<svg x=\"%.2f%%\" y=\"%.1f\" overflow=\"visible\" data-run=\"%zu\">",
	                 100 * place_of(panel->pictures, run), y_of(panel, value), run);
	if (is_odd(panel, run))
		weir_text_puts(out, "<circle class=\"ring\" r=\"8\"></circle>");
	weir_text_printf(out, "<path class=\"m g-%s\"%s d=\"%s\"", side_name(drawn->candidate),
	                 panel->pictures->run_count > MANY ? " transform=\"scale(.65)\"" : "",
	                 shape_of(drawn->session));
	weir_chart_mark("path", &title, out);
	weir_text_puts(out, "</svg>\n");
	weir_text_release(&title);
}

/* Writes the numbers of odd runs beside their dots, except where they would overlap. */
static void write_odd(const struct panel *panel, struct weir_text *out)
{
	double x[MAX_LABELS], y[MAX_LABELS];
	size_t count = 0;

	for (size_t i = 0; i < panel->drawn->odd_count && count < MAX_LABELS; i++) {
		size_t run = (size_t)panel->drawn->odd[i];
		double at = place_of(panel->pictures, run), down;
		bool left = at > 1 - LABEL_WIDTH, free = !isnan(panel->drawn->values[run]);

		down = free ? y_of(panel, panel->drawn->values[run]) : 0;
		at -= left ? LABEL_WIDTH : 0;
		for (size_t other = 0; other < count; other++)
			free = free && (fabs(x[other] - at) > LABEL_WIDTH ||
			                fabs(y[other] - down) > LABEL_HEIGHT);
		if (!free)
			continue;
		x[count] = at;
		y[count++] = down;
		weir_text_printf(out,
		                 "<svg x=\"%.2f%%\" overflow=\"visible\"><text class=\"odd%s\" "
		                 "x=\"%d\" y=\"%.1f\">run %" PRIu64 "</text></svg>\n",
		                 100 * place_of(panel->pictures, run), left ? " left" : "",
		                 left ? -11 : 11, down + 4, number_of(panel->pictures, run));
	}
}

/* Draws a mean as a line over the part of its side; the baseline's goes on, dashed. */
static void write_mean(const struct panel *panel, bool candidate, struct weir_text *out)
{
	double value = candidate ? panel->row->candidate : panel->row->baseline;
	double from = candidate ? 100 * RIGHT_START : 0, to = candidate ? 100 : 100 * LEFT_END;

	if (!(value >= panel->y.low && value <= panel->y.high))
		return;
	weir_text_printf(out,
	                 "<line class=\"g-mean\" data-mean=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" "
	                 "y1=\"%.1f\" y2=\"%.1f\"></line>\n",
	                 side_name(candidate), from, to, y_of(panel, value), y_of(panel, value));
	if (!candidate)
		weir_text_printf(out,
		                 "<line class=\"g-before\" x1=\"%.2f%%\" x2=\"100%%\" y1=\"%.1f\" "
		                 "y2=\"%.1f\"></line>\n",
		                 to, y_of(panel, value), y_of(panel, value));
}

/* Draws the margin around the baseline's mean as a band. */
static void write_margin(const struct panel *panel, struct weir_text *out)
{
	double low = panel->row->baseline * (1 - panel->row->margin);
	double high = panel->row->baseline * (1 + panel->row->margin);

	if (!isfinite(low) || !isfinite(high) || high <= panel->y.low || low >= panel->y.high)
		return;
	weir_text_printf(out,
	                 "<rect class=\"g-margin\" x=\"0\" width=\"100%%\" y=\"%.1f\" "
	                 "height=\"%.1f\"></rect>\n",
	                 y_of(panel, high), y_of(panel, low) - y_of(panel, high));
}

static void write_side_name(const struct panel *panel, bool candidate, struct weir_text *out)
{
	struct weir_text plain = {0};
	uint64_t older = older_of(panel->pictures, candidate);

	weir_text_printf(&plain, "%s, ", side_name(candidate));
	weir_items_number(&plain, count_side(panel->pictures, candidate), "run");
	if (older > 0)
		weir_text_printf(&plain, " of %" PRIu64,
		                 older + count_side(panel->pictures, candidate));
	weir_text_printf(out, "<text%s x=\"%d%%\" y=\"%d\">", candidate ? " class=\"end\"" : "",
	                 candidate ? 100 : 0, HEIGHT + 16);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</text>\n");
	weir_text_release(&plain);
}

static void write_table(const struct panel *panel, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("run|name|session|figure", out);
	for (size_t i = 0; i < panel->pictures->run_count; i++) {
		const struct weir_drawn_run *run = &panel->pictures->runs[i];

		weir_text_puts(out, "<tr>");
		weir_text_printf(&plain, "%s %" PRIu64, side_name(run->candidate),
		                 number_of(panel->pictures, i));
		weir_chart_cell(&plain, true, out);
		weir_cut_name(&plain, run->name, WEIR_NAME_COLUMNS);
		weir_chart_cell(&plain, false, out);
		weir_text_printf(&plain, run->session ? "%" PRIu64 : "-", run->session);
		weir_chart_cell(&plain, false, out);
		weir_gate_print_value(panel->drawn->values[i], panel->row->unit, &plain);
		weir_chart_cell(&plain, false, out);
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void add_description(const struct panel *panel, struct weir_text *out)
{
	weir_gate_say(panel->row,
	              "{row} of each run: the baseline's mean is {baseline}, the "
	              "candidate's {candidate}",
	              out);
	if (panel->drawn->odd_count > 0) {
		weir_text_puts(out, "; ");
		weir_items_number(out, panel->drawn->odd_count, "run");
		weir_text_printf(out, " %s far from the others of %s side",
		                 panel->drawn->odd_count > 1 ? "lie" : "lies",
		                 panel->drawn->odd_count > 1 ? "their" : "its");
	}
	weir_text_puts(out, ".");
}

static void write_panel(struct panel *panel, size_t index, struct weir_text *out)
{
	struct weir_text plain = {0}, description = {0}, id = {0};
	bool is_time = panel->row->unit && panel->row->unit[0] == 'n' &&
	               panel->row->unit[1] == 's' && panel->row->unit[2] == '\0';

	weir_text_printf(out, "<h3 class=\"%s\"><span class=\"swatch\"></span>",
	                 weir_outcome_name(panel->row->outcome));
	weir_gate_say(panel->row, "{row}: {change}, ", &plain);
	weir_text_puts(&plain, weir_outcome_name(panel->row->outcome));
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</h3>\n");
	weir_gate_say(panel->row, "{row} of each run", &plain);
	add_description(panel, &description);
	weir_text_printf(&id, "runs-%zu", index + 1);
	weir_drawing_begin(&(struct weir_chart){.id = id.data,
	                                        .title = plain.data,
	                                        .description = description.data,
	                                        .height = HEIGHT,
	                                        .labels_below = true,
	                                        .labels_beside = true},
	                   out);
	write_margin(panel, out);
	weir_chart_y_axis(&panel->y, TICKS, HEIGHT,
	                  is_time ? weir_label_duration : weir_label_number, out);
	write_side_name(panel, false, out);
	write_side_name(panel, true, out);
	write_mean(panel, false, out);
	write_mean(panel, true, out);
	for (size_t i = 0; i < panel->drawn->value_count; i++)
		write_dot(panel, i, out);
	write_odd(panel, out);
	weir_chart_end(out);
	write_table(panel, out);
	weir_text_release(&plain);
	weir_text_release(&description);
	weir_text_release(&id);
}

/* ---- the card ---- */

static void write_key(const char *class, const char *shape, const char *words,
                      struct weir_text *out)
{
	weir_text_printf(out,
	                 "<li><svg class=\"shape\" width=\"12\" height=\"12\" viewBox=\"-6 -6 12 "
	                 "12\" aria-hidden=\"true\"><path class=\"%s\" d=\"%s\"></path></svg>%s"
	                 "</li>\n",
	                 class, shape, words);
}

static void write_legend(const struct weir_gate_pictures *pictures, struct weir_text *out)
{
	struct weir_text words = {0};
	uint64_t sessions = 0;

	for (size_t i = 0; i < pictures->run_count; i++)
		if (pictures->runs[i].session > sessions)
			sessions = pictures->runs[i].session;
	weir_text_puts(out, "<ul class=\"keys\">\n");
	write_key("g-baseline", shapes[0], "baseline", out);
	write_key("g-candidate", shapes[0], "candidate", out);
	weir_text_puts(out, "<li><span class=\"swatch solid\"></span>mean</li>\n"
	                    "<li><span class=\"swatch g-margin\"></span>margin</li>\n");
	for (uint64_t s = 1; sessions > 1 && s <= sessions && s <= WEIR_COUNT_OF(shapes); s++) {
		weir_text_clear(&words);
		weir_text_printf(
			&words, "session %" PRIu64 "%s", s,
			s == WEIR_COUNT_OF(shapes) && sessions > s ? ", and the shapes again" : "");
		write_key("g-shape", shape_of(s), words.data, out);
	}
	weir_text_puts(out, "</ul>\n");
	weir_text_release(&words);
}

void weir_draw_runs(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_gate_pictures *pictures = result->pictures;
	bool open = false;

	for (size_t i = 0; pictures && i < pictures->row_count; i++) {
		struct panel panel = {.pictures = pictures,
		                      .drawn = &pictures->rows[i],
		                      .row = &result->rows[pictures->rows[i].row]};

		if (!set_axis(&panel))
			continue;
		if (!open) {
			weir_text_puts(out, "<section class=\"card picture\" id=\"runs\">\n"
			                    "<h2>Every run</h2>\n");
			weir_chart_aid("Each mark is a run, in the order of the comparison: a "
			               "change stands out if no run of one side reaches the "
			               "other, and a ring marks a run that lies far from the "
			               "others of its side.",
			               out);
			open = true;
		}
		write_panel(&panel, i, out);
	}
	if (!open)
		return;
	write_legend(pictures, out);
	weir_card_end(out);
}
