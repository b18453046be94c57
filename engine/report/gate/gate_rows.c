/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_rows.h"

/* Parts of the sentence BEFORE subject VERB change UP or DOWN. */
struct wording {
	const char *before, *verb, *doubtful, *up, *down;
};

static const struct wording wordings[] = {
	[WEIR_SCOPE_STAGE] = {"", "got", "looks", "slower", "faster"},
	[WEIR_SCOPE_DEVICE] = {"device time of ", "is", "looks", "longer", "shorter"},
	[WEIR_SCOPE_OPERATOR] = {"", "takes", "seems to take", "more device time",
                                 "less device time"},
	[WEIR_SCOPE_METRIC] = {"", "is", "looks", "higher", "lower"},
	[WEIR_SCOPE_ALL_OPERATORS] = {"", "got", "look", "slower", "faster"},
};

static void add_subject(const struct weir_row *row, struct weir_text *out)
{
	if (row->kind == WEIR_SCOPE_ALL_OPERATORS) {
		weir_text_puts(out, "all operators together");
		return;
	}
	weir_gate_print_name(row->name, out);
	if (row->kind == WEIR_SCOPE_OPERATOR && row->stage) {
		weir_text_puts(out, " in ");
		weir_gate_print_name(row->stage, out);
	}
}

static void add_place(enum weir_metric metric, struct weir_text *out)
{
	switch (metric) {
	case WEIR_METRIC_P50:
	case WEIR_METRIC_P90:
	case WEIR_METRIC_P95:
	case WEIR_METRIC_P99:
		weir_text_printf(out, " at %s", weir_metric_name(metric));
		return;
	case WEIR_METRIC_SHIFT:
		weir_text_puts(out, " overall");
		return;
	case WEIR_METRIC_VALUE:
	case WEIR_METRIC_DRIFT:
	case WEIR_METRIC_COUNT:
		return;
	}
}

void weir_gate_phrase_proof(const struct weir_row *row, struct weir_text *out)
{
	bool valued = isfinite(row->baseline) && isfinite(row->candidate);
	bool sure = isfinite(row->low) && isfinite(row->high);

	weir_gate_say(row,
	              valued && sure ? " ({pair}, 90 % interval {interval})"
	              : valued       ? " ({pair})"
	              : sure         ? " (90 % interval {interval})"
	                             : "",
	              out);
}

void weir_gate_phrase_row(const struct weir_row *row, struct weir_text *out)
{
	const struct wording *words = &wordings[row->kind];
	bool doubtful = row->outcome == WEIR_OUTCOME_SUSPECT;

	weir_text_puts(out, words->before);
	add_subject(row, out);
	weir_text_printf(out, " %s ", doubtful ? words->doubtful : words->verb);
	weir_gate_print_size(row->change, out);
	weir_text_printf(out, " %s", row->change < 0 ? words->down : words->up);
	add_place(row->metric, out);
	weir_gate_phrase_proof(row, out);
}
