/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws one step as a strip: a lane for each row of the host, of idle time and of a stream. */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/model/bound.h"
#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"
#include "engine/report/words/facts.h"

#define LANE       37 /* pixels from one lane to the next */
#define LABEL      11 /* baseline of the name of a lane, below its top */
#define BAR        16 /* top of the spans, below the top of the lane */
#define BAR_HEIGHT 17
#define NAMED      0.07  /* narrower spans have their name in the title only */
#define EDGED      0.004 /* narrower spans have no edge, which would hide them */
#define INSIDE     90    /* columns of a name inside a span, which is cut at its end */

static const char *name_of(const struct weir_strip *strip, const struct weir_strip_span *span)
{
	return strip->names[span->name].text;
}

static const char *shown_name(const struct weir_strip *strip, const struct weir_strip_span *span)
{
	const char *name = name_of(strip, span);

	return span->kind == WEIR_STRIP_IDLE ? weir_idle_words(name) : name;
}

/* Appends "host thread 492, operators". */
static void add_lane_name(const struct weir_strip_lane *lane, struct weir_text *out)
{
	switch (lane->row) {
	case WEIR_STRIP_STAGES:
		weir_text_puts(out, "stages");
		return;
	case WEIR_STRIP_HOST:
		weir_text_printf(out, "host thread %" PRId64 ", operators", lane->number);
		return;
	case WEIR_STRIP_CALLS:
		weir_text_printf(out, "host thread %" PRId64 ", launches and other calls",
		                 lane->number);
		return;
	case WEIR_STRIP_GAPS:
		weir_text_printf(out, "device %" PRId64 ", idle time by cause", lane->number);
		return;
	case WEIR_STRIP_STREAM:
		weir_text_printf(out, "stream %" PRId64, lane->number);
		return;
	case WEIR_STRIP_ROW_COUNT:
		return;
	}
}

/* Appends "aten::mm: 34.2 us, from 1.20 ms", or "12 in 34.2 us, the longest aten::mm, ...". */
static void add_title(const struct weir_strip *strip, const struct weir_strip_span *span,
                      struct weir_text *out)
{
	if (span->count > 1) {
		weir_text_count(out, span->count);
		weir_text_puts(out, " together, the longest ");
	}
	weir_cut_name(out, shown_name(strip, span), INSIDE);
	weir_text_puts(out, ": ");
	weir_text_duration(out, (double)span->time_ns);
	weir_text_puts(out, ", from ");
	weir_text_duration(out, (double)span->start_ns);
	if (span->kind == WEIR_STRIP_OTHER_STEP)
		weir_text_puts(out, ", launched by another step");
}

/* Writes the class of a span: its kind or, of idle time, its cause. */
static void write_class(const struct weir_strip *strip, const struct weir_strip_span *span,
                        struct weir_text *out)
{
	enum weir_idle idle;

	if (span->kind == WEIR_STRIP_IDLE && weir_idle_parse(name_of(strip, span), &idle))
		weir_text_printf(out, "i-%s", weir_idle_name(idle));
	else
		weir_text_printf(out, "s-%s", weir_strip_kind_name(span->kind));
}

/* Writes the name inside a wide span. The element around the text cuts it at the span's end. */
static void write_inside(const struct weir_strip *strip, const struct weir_strip_span *span,
                         double x, double width, double y, struct weir_text *out)
{
	struct weir_text plain = {0};

	if (width < NAMED * 100 || span->count > 1 || span->kind == WEIR_STRIP_IDLE ||
	    span->kind == WEIR_STRIP_COPY)
		return;
	weir_cut_name(&plain, shown_name(strip, span), INSIDE);
	weir_text_printf(out,
	                 "<svg class=\"inside s-%s\" x=\"%.2f%%\" y=\"%.0f\" width=\"%.2f%%\" "
	                 "height=\"%d\"><text x=\"5\" y=\"12.5\">",
	                 weir_strip_kind_name(span->kind), x, y, width, BAR_HEIGHT);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</text></svg>\n");
	weir_text_release(&plain);
}

static void write_lane(const struct weir_strip *strip, const struct weir_strip_lane *lane,
                       double top, struct weir_text *out)
{
	struct weir_text plain = {0};

	add_lane_name(lane, &plain);
	weir_text_printf(out,
	                 "<g data-lane=\"%s\" data-number=\"%" PRId64 "\">"
	                 "<text class=\"lane\" x=\"0\" y=\"%.0f\">",
	                 weir_strip_row_name(lane->row), lane->number, top + LABEL);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</text>\n");
	for (size_t i = 0; i < lane->span_count; i++) {
		const struct weir_strip_span *span = &lane->spans[i];
		double x = 100 * (double)span->start_ns / (double)strip->length_ns;
		double width = 100 * (double)span->end_ns / (double)strip->length_ns - x;

		weir_text_puts(out, "<rect class=\"m ");
		write_class(strip, span, out);
		weir_text_printf(out, "%s\" x=\"%.2f%%\" y=\"%.0f\" width=\"%.2f%%\" height=\"%d\"",
		                 width > EDGED * 100 ? " e" : "", x, top + BAR, width, BAR_HEIGHT);
		add_title(strip, span, &plain);
		weir_chart_mark("rect", &plain, out);
		write_inside(strip, span, x, width, top + BAR, out);
	}
	weir_text_puts(out, "</g>\n");
	weir_text_release(&plain);
}

/* ---- sums over the spans ---- */

/* Adds up the idle time of all devices by cause, and returns the total. */
static double sum_idle(const struct weir_strip *strip, double idle_ns[WEIR_IDLE_COUNT])
{
	double total_ns = 0;

	for (size_t l = 0; l < strip->lane_count; l++)
		for (size_t i = 0; i < strip->lanes[l].span_count; i++) {
			const struct weir_strip_span *span = &strip->lanes[l].spans[i];
			enum weir_idle idle;

			if (span->kind != WEIR_STRIP_IDLE ||
			    !weir_idle_parse(name_of(strip, span), &idle))
				continue;
			idle_ns[idle] += (double)span->time_ns;
			total_ns += (double)span->time_ns;
		}
	return total_ns;
}

static bool has_kind(const struct weir_strip *strip, enum weir_strip_kind kind)
{
	for (size_t l = 0; l < strip->lane_count; l++)
		for (size_t i = 0; i < strip->lanes[l].span_count; i++)
			if (strip->lanes[l].spans[i].kind == kind)
				return true;
	return false;
}

/* Writes the colours that occur: kinds of spans, then causes by time, largest first. */
static void write_legend(const struct weir_strip *strip, struct weir_text *out)
{
	static const struct {
		enum weir_strip_kind kind;
		const char *words;
	} kinds[] = {
		{WEIR_STRIP_OPERATOR, "operator on the host"},
		{WEIR_STRIP_LAUNCH, "launch"},
		{WEIR_STRIP_WAIT, "wait for the device"},
		{WEIR_STRIP_CALL, "other call"},
		{WEIR_STRIP_COMPUTE, "kernel"},
		{WEIR_STRIP_COMMUNICATION, "collective"},
		{WEIR_STRIP_COPY, "copy"},
		{WEIR_STRIP_OTHER_STEP, "work of another step"},
	};
	double idle_ns[WEIR_IDLE_COUNT] = {0};

	sum_idle(strip, idle_ns);
	weir_text_puts(out, "<ul class=\"keys\">\n");
	for (size_t i = 0; i < WEIR_COUNT_OF(kinds); i++)
		if (has_kind(strip, kinds[i].kind))
			weir_text_printf(out, "<li><span class=\"swatch s-%s\"></span>%s</li>\n",
			                 weir_strip_kind_name(kinds[i].kind), kinds[i].words);
	for (;;) {
		int best = 0;

		for (int c = 1; c < WEIR_IDLE_COUNT; c++)
			if (idle_ns[c] > idle_ns[best])
				best = c;
		if (!(idle_ns[best] > 0))
			break;
		weir_text_printf(out, "<li><span class=\"swatch i-%s\"></span>idle: %s ",
		                 weir_idle_name((enum weir_idle)best),
		                 weir_idle_words(weir_idle_name((enum weir_idle)best)));
		weir_text_duration(out, idle_ns[best]);
		weir_text_puts(out, "</li>\n");
		idle_ns[best] = 0;
	}
	weir_text_puts(out, "</ul>\n");
}

/* Writes the number and time of the spans of each lane. */
static void write_table(const struct weir_strip *strip, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("lane|events|time|of the drawn time", out);
	for (size_t l = 0; l < strip->lane_count; l++) {
		const struct weir_strip_lane *lane = &strip->lanes[l];
		uint64_t count = 0;
		double time_ns = 0;

		for (size_t i = 0; i < lane->span_count; i++) {
			count += lane->spans[i].count;
			time_ns += (double)lane->spans[i].time_ns;
		}
		weir_text_puts(out, "<tr>");
		add_lane_name(lane, &plain);
		weir_chart_cell(&plain, true, out);
		weir_text_count(&plain, count);
		weir_chart_cell(&plain, false, out);
		weir_text_duration(&plain, time_ns);
		weir_chart_cell(&plain, false, out);
		weir_text_share(&plain, time_ns / (double)strip->length_ns);
		weir_chart_cell(&plain, false, out);
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

/* Appends "ProfilerStep#5 of rank 0, 7.80 ms". */
static void add_note(const struct weir_report *report, const struct weir_strip *strip,
                     struct weir_text *out)
{
	weir_cut_name(out, strip->step, WEIR_NAME_COLUMNS);
	if (report->rank_count > 1 && strip->rank >= 0)
		weir_text_printf(out, " of rank %" PRId64, strip->rank);
	weir_text_puts(out, ", ");
	weir_text_duration(out, (double)strip->period_ns);
}

/* Says in words what the picture shows. */
static void add_description(const struct weir_strip *strip, struct weir_text *out)
{
	double idle_ns[WEIR_IDLE_COUNT] = {0}, total_ns = sum_idle(strip, idle_ns);
	int most = 0;

	weir_text_puts(out, "A strip of ");
	weir_text_duration(out, (double)strip->length_ns);
	weir_text_printf(out, " with %zu lanes", strip->lane_count);
	for (int c = 1; c < WEIR_IDLE_COUNT; c++)
		if (idle_ns[c] > idle_ns[most])
			most = c;
	if (total_ns > 0) {
		weir_text_puts(out, "; devices are idle for ");
		weir_text_duration(out, total_ns);
		weir_text_puts(out, ", longest because of ");
		weir_text_puts(out, weir_idle_words(weir_idle_name((enum weir_idle)most)));
		weir_text_puts(out, ", ");
		weir_text_duration(out, idle_ns[most]);
	}
	weir_text_puts(out, ". The figures of each lane are in the table below.");
}

/* Writes sentences about data that the picture lacks. */
static void write_remarks(const struct weir_strip *strip, struct weir_text *out)
{
	size_t streams = 0;

	for (size_t l = 0; l < strip->lane_count; l++)
		streams += strip->lanes[l].row == WEIR_STRIP_STREAM;
	if (strip->host_end_ns <= 0) {
		weir_text_puts(out, "<p class=\"more\">The host launched this step ");
		weir_text_duration(out, -(double)strip->host_start_ns);
		weir_text_puts(out, " earlier; the host rows show what it did meanwhile.</p>\n");
	}
	if (streams < strip->streams)
		weir_text_printf(out,
		                 "<p class=\"more\">%zu of %" PRIu64 " streams are drawn.</p>\n",
		                 streams, strip->streams);
}

void weir_draw_strip(const struct weir_report *report, struct weir_text *out)
{
	const struct weir_strip *strip = report->pictures ? report->pictures->strip : NULL;
	struct weir_text note = {0}, description = {0};
	struct weir_axis axis = {.low = 0};
	double height;

	if (!strip || strip->lane_count == 0)
		return;
	height = (double)strip->lane_count * LANE;
	axis.high = (double)strip->length_ns;
	add_note(report, strip, &note);
	add_description(strip, &description);
	weir_chart_begin(&(struct weir_chart){.id = "strip",
	                                      .title = "One median step",
	                                      .note = note.data,
	                                      .aid = "Time runs to the right: read downwards from "
	                                             "the host and its calls to the streams, and "
	                                             "find above each gap why the device is idle.",
	                                      .description = description.data,
	                                      .height = height,
	                                      .labels_below = true},
	                 out);
	weir_chart_x_axis(&axis, 8, height, weir_label_duration, out);
	for (size_t l = 0; l < strip->lane_count; l++)
		write_lane(strip, &strip->lanes[l], (double)l * LANE, out);
	weir_chart_end(out);
	write_legend(strip, out);
	write_remarks(strip, out);
	write_table(strip, out);
	weir_card_end(out);
	weir_text_release(&note);
	weir_text_release(&description);
}
