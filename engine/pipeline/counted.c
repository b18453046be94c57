/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/analysis/rank/features.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/counted.h"

#define REACHES                                                                                    \
	"the kernel with most of the counted time ({operator_share:share}) reaches "               \
	"{bytes_roof:share} of what memory and {flops_roof:share} of what multiprocessors can do"

/* Templates over the features of the kernel. */
static const struct {
	const char *headline, *next;
} texts[WEIR_BOUND_COUNT] = {
	[WEIR_BOUND_MEMORY] = {REACHES, "move fewer bytes: fuse it with its neighbours, use a "
                                        "smaller type, or share what is read across more rows"},
	[WEIR_BOUND_KERNEL] = {REACHES, "retune or replace it; Nsight Compute's own rules, where "
                                        "the details page is given, say what holds it up"},
	[WEIR_BOUND_HARDWARE] = {REACHES ": nothing cheaper is left",
                                 "use a smaller type (FP8), prune, or add devices"},
	[WEIR_BOUND_RUNTIME] =
		{"the kernel with most of the counted time ({operator_share:share}) is too short "
                 "or too small for the device ({kernel_ns:duration})",
                 "fuse it with its neighbours or give it more rows; a timeline of the device shows "
                 "the gaps between kernels"},
	[WEIR_BOUND_COMMUNICATION] = {"the kernel with most of the counted time "
                                      "({operator_share:share}) is a collective",
                                      "pass a timeline of every rank: counters do not tell "
                                      "transfer from waiting"},
	[WEIR_BOUND_UNDETERMINED] = {"the counters of the kernel with most of the time "
                                     "({operator_share:share}) do not say what limits it",
                                     "record with --set basic or more (ncu --set full --csv "
                                     "--page raw)"},
};

bool weir_counted_alone(const struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++)
		if (report->profile->inputs[i].trace)
			return false;
	return report->counter_count > 0 && report->operator_count > 0;
}

static const char *expand(struct weir_report *report, const char *template)
{
	struct weir_text text = {0}, quoted = {0};
	const char *out;

	weir_template_expand(template, report->feature_table, report->operators->features, &text);
	weir_template_quote(text.data ? text.data : "", &quoted);
	out = weir_arena_copy(report->arena, quoted.data ? quoted.data : "", quoted.length);
	weir_text_release(&text);
	weir_text_release(&quoted);
	return out;
}

void weir_judge_counted(struct weir_report *report)
{
	const struct weir_operator_row *top = report->operators;
	enum weir_bound bound = top->verdict.bound;

	report->verdict = top->verdict;
	report->verdict.share = top->share;
	if (bound != WEIR_BOUND_UNDETERMINED)
		report->verdict.confidence = WEIR_CONFIDENCE_MEDIUM;
	if (texts[bound].headline) {
		report->verdict.headline = expand(report, texts[bound].headline);
		report->verdict.next = expand(report, texts[bound].next);
	}
}
