/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/advice_writers.h"
#include "engine/report/classify/advice_text.h"
#include "engine/report/plain/escape.h"
#include "engine/report/words/advice_lines.h"
#include "engine/report/words/phrases.h"

#define MIN_WIDTH 60
#define MAX_WIDTH 120 /* longer lines are hard to read */

struct weir_layout weir_text_layout(const struct weir_write_options *options, struct weir_text *out)
{
	size_t width = options && options->width ? options->width : WEIR_WRITE_WIDTH;

	width = width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width;
	return (struct weir_layout){
		.out = out, .width = width, .colour = options && options->colour};
}

#define ADVICE_WIDTH   12 /* column behind the labels of advice */
#define PLACES_IN_TEXT 1  /* the worst; JSON and HTML have them all */

/* Writes the lines below the title: "     how    torch.compile(...)". */
static void write_advice_lines(const struct weir_recommendation *recommendation,
                               const struct weir_layout *layout)
{
	struct weir_advice_lines lines;
	struct weir_text label = {0};

	weir_advice_lines_fill(recommendation, PLACES_IN_TEXT, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		bool is_reason = lines.items[i].label[0] == '\0' && i == 0;
		struct weir_wrap wrap;

		weir_text_clear(&label);
		weir_text_printf(&label, "     %s", lines.items[i].label);
		weir_wrap_begin(&wrap, layout, label.data, is_reason ? 5 : ADVICE_WIDTH);
		weir_wrap_words(&wrap, lines.items[i].text.data ? lines.items[i].text.data : "");
		weir_wrap_end(&wrap);
	}
	weir_text_release(&label);
	weir_advice_lines_release(&lines);
}

static void write_recommendation(const struct weir_report *report, const struct weir_layout *layout,
                                 size_t index)
{
	const struct weir_recommendation *recommendation = &report->recommendations[index];
	struct weir_text text = {0};
	struct weir_wrap wrap;

	weir_text_printf(&text, "  %zu.", index + 1);
	weir_wrap_begin(&wrap, layout, text.data, 5);
	weir_text_clear(&text);
	weir_escape_plain(&text, recommendation->title ? recommendation->title : "");
	weir_wrap_words(&wrap, text.data ? text.data : "");
	weir_text_clear(&text);
	weir_phrase_speedup(report, recommendation, &text);
	if (text.length) {
		weir_text_puts(layout->out, ":");
		wrap.column++;
		weir_wrap_words(&wrap, text.data);
	}
	weir_wrap_end(&wrap);
	weir_text_release(&text);
	write_advice_lines(recommendation, layout);
}

void weir_recommendations_text(const struct weir_report *report, const struct weir_layout *layout)
{
	if (!report->recommendation_count)
		return;
	weir_layout_styled(layout, WEIR_STYLE_STRONG, "what to do");
	weir_text_puts(layout->out, "\n");
	for (size_t i = 0; i < report->recommendation_count; i++)
		write_recommendation(report, layout, i);
}

void weir_write_advice_text(const struct weir_report *report,
                            const struct weir_write_options *options, struct weir_text *out)
{
	struct weir_layout layout = weir_text_layout(options, out);

	weir_recommendations_text(report, &layout);
	if (report->recommendation_count == 0)
		weir_text_puts(out, report->has_gpu
		                            ? "no recommendation: no fix is worth 3 % of the time\n"
		                            : "no recommendation: the inputs hold no timeline of a "
		                              "device\n");
}
