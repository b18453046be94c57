/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit of advice for a terminal: both sides, then a block for each fix. */
#include <math.h>

#include "engine/report/advice_writers.h"
#include "engine/report/classify/advice_text.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define SIDE_WIDTH 9  /* column behind "before" and "after" */
#define FIX_WIDTH  14 /* column behind "promised" and "measured" */

static void write_line(const struct weir_layout *layout, const char *label, size_t indent,
                       struct weir_text *text)
{
	struct weir_wrap wrap;

	weir_wrap_begin(&wrap, layout, label, indent);
	weir_wrap_words(&wrap, text->data ? text->data : "");
	weir_wrap_end(&wrap);
	weir_text_release(text);
}

static void write_device(const struct weir_audit *audit, const struct weir_layout *layout)
{
	const char *device = audit->before.device ? audit->before.device : audit->after.device;
	struct weir_text text = {0};

	weir_escape_plain(&text, device ? device : "not recorded");
	if (device && (!audit->before.device || !audit->after.device))
		weir_text_printf(&text, " (%s: not recorded)",
		                 audit->before.device ? "after" : "before");
	write_line(layout, "device", SIDE_WIDTH, &text);
}

/* Writes "before   4.60 ms: p50 of 257 unprofiled values of step in run.json". */
static void write_side(const struct weir_audit_side *side, const char *label,
                       const struct weir_layout *layout)
{
	struct weir_text text = {0};

	weir_text_duration(&text, weir_as_stored_ns(side->step_ns));
	weir_text_puts(&text, ": ");
	weir_escape_plain(&text, side->basis);
	write_line(layout, label, SIDE_WIDTH, &text);
}

/* Appends "3.4x faster" or "1.10x slower". */
static void add_speedup(struct weir_text *out, double speedup)
{
	double factor = speedup < 1 ? 1 / speedup : speedup;

	weir_text_printf(out, factor < 1.095 ? "%.2fx" : "%.1fx", factor);
	weir_text_puts(out, speedup < 1 ? " slower" : " faster");
}

/* A narrower range is not printed. */
#define NARROWEST 0.005

static bool has_range(const struct weir_audit_fix *fix)
{
	return fix->high_ns - fix->low_ns > NARROWEST * fix->step_ns;
}

static void write_promise(const struct weir_audit_fix *fix, const struct weir_layout *layout)
{
	struct weir_text text = {0};

	weir_text_duration(&text, weir_as_stored_ns(fix->step_ns));
	if (has_range(fix)) {
		weir_text_puts(&text, " (");
		weir_text_duration(&text, weir_as_stored_ns(fix->low_ns));
		weir_text_puts(&text, " to ");
		weir_text_duration(&text, weir_as_stored_ns(fix->high_ns));
		weir_text_puts(&text, ")");
	}
	weir_text_puts(&text, ", ");
	add_speedup(&text, fix->speedup);
	weir_text_puts(&text, " than ");
	weir_text_duration(&text, weir_as_stored_ns(fix->before_ns));
	write_line(layout, "  promised", FIX_WIDTH, &text);
}

static void write_measured(const struct weir_audit_fix *fix, const struct weir_layout *layout)
{
	struct weir_text text = {0};
	double percent = round(100 * fabs(fix->error));

	weir_text_duration(&text, weir_as_stored_ns(fix->measured_ns));
	weir_text_puts(&text, ", ");
	add_speedup(&text, fix->measured_speedup);
	if (percent > 0)
		weir_text_printf(&text, ": the promise was %.0f %% %s", percent,
		                 fix->error > 0 ? "too slow" : "too fast");
	else
		weir_text_puts(&text, ": as promised");
	if (has_range(fix))
		weir_text_printf(&text, ", %s its range", fix->within ? "within" : "outside");
	write_line(layout, "  measured", FIX_WIDTH, &text);
}

static void write_seen(const struct weir_audit_fix *fix, const struct weir_layout *layout)
{
	static const char *const words[WEIR_SEEN_COUNT] = {
		[WEIR_SEEN_UNKNOWN] = "not known: the after side holds no timeline",
		[WEIR_SEEN_GONE] = "no longer recommended",
		[WEIR_SEEN_SMALLER] = "still recommended, for a smaller saving",
		[WEIR_SEEN_UNCHANGED] =
			"still recommended: the fix does not show on the after side",
	};
	struct weir_text text = {0};

	weir_text_puts(&text, (unsigned)fix->seen < WEIR_SEEN_COUNT ? words[fix->seen] : "?");
	write_line(layout, "  after it", FIX_WIDTH, &text);
}

static void write_fix(const struct weir_audit_fix *fix, const struct weir_layout *layout)
{
	struct weir_text text = {0};
	struct weir_wrap wrap;

	weir_text_puts(layout->out, "\n");
	weir_escape_plain(&text, fix->id);
	weir_layout_styled(layout, WEIR_STYLE_STRONG, text.data ? text.data : "");
	weir_wrap_resume(&wrap, layout, weir_text_columns(text.data ? text.data : ""), 2);
	weir_text_puts(layout->out, ":");
	wrap.column++;
	wrap.started = true;
	weir_text_clear(&text);
	weir_escape_plain(&text, fix->title ? fix->title : "");
	weir_wrap_words(&wrap, text.data ? text.data : "");
	weir_wrap_end(&wrap);
	weir_text_release(&text);
	write_promise(fix, layout);
	write_measured(fix, layout);
	write_seen(fix, layout);
}

void weir_write_audit_text(const struct weir_audit *audit, const struct weir_write_options *options,
                           struct weir_text *out)
{
	struct weir_layout layout = weir_text_layout(options, out);

	write_device(audit, &layout);
	write_side(&audit->before, "before", &layout);
	write_side(&audit->after, "after", &layout);
	for (size_t i = 0; i < audit->fix_count; i++)
		write_fix(&audit->fixes[i], &layout);
	if (audit->fix_count > 1) {
		struct weir_text text = {0};

		weir_text_puts(&text, "each promise is for its fix alone; pass --fix ID to judge "
		                      "only the one that was made");
		weir_text_puts(out, "\n");
		write_line(&layout, "", 0, &text);
	}
}
