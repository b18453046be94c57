/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/plain/escape.h"
#include "engine/report/words/facts_what_if.h"

#define STAGES 4 /* of a change that are listed */

static void add_time(struct weir_text *out, double ns, double speedup)
{
	weir_text_duration(out, weir_as_stored_ns(ns));
	if (!isnan(speedup))
		weir_text_printf(out, " (%.2fx)", weir_as_stored_share(speedup));
}

static void add_stages(struct weir_text *out, const struct weir_what_if *what_if)
{
	for (size_t i = 0; i < what_if->stage_count && i < STAGES; i++) {
		weir_text_puts(out, i ? ", " : "; ");
		weir_escape_name(out, what_if->stages[i].name);
		weir_text_puts(out, " ");
		add_time(out, what_if->stages[i].p50_ns, what_if->stages[i].speedup);
	}
	if (what_if->stage_count > STAGES)
		weir_text_printf(out, ", ... %zu more", what_if->stage_count - STAGES);
}

void weir_fill_what_if(const struct weir_report *report, struct weir_items *items)
{
	for (size_t i = 0; i < report->what_if_count; i++) {
		const struct weir_what_if *what_if = &report->what_ifs[i];
		struct weir_text *out = weir_items_add(items);

		weir_text_clear(out);
		weir_escape_name(out, what_if->class_name);
		if (what_if->factor > 0)
			weir_text_printf(out, " times %g: ", what_if->factor);
		else
			weir_text_puts(out, " removed: ");
		if (isnan(what_if->step_ns)) {
			weir_text_puts(out, "not known from these inputs");
			continue;
		}
		weir_text_puts(out, report->iteration_count ? "a step of " : "the window in ");
		add_time(out, what_if->step_ns, what_if->speedup);
		add_stages(out, what_if);
	}
}

void weir_fill_profiler(const struct weir_report *report, struct weir_items *items)
{
	struct weir_text *out, plain = {0};

	if (!report->profiler.source || isnan(report->profiler.inflation))
		return;
	out = weir_items_add(items);
	weir_text_printf(out, "this run took %.2fx the time without it, by ",
	                 weir_as_stored_share(report->profiler.inflation));
	weir_escape_name(&plain, report->profiler.source);
	weir_cut(out, plain.data ? plain.data : "", 60);
	weir_text_release(&plain);
}
