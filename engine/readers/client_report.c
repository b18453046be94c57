/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/client_report.h"

struct reading {
	const struct weir_client_report *report;
	struct weir_client_summary *summary;
	struct weir_input *input;
};

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;
	bool odd = false;

	(void)err;
	weir_client_summary_take(reading->summary, reading->report->rows, leaf, &odd);
	weir_client_summary_label(reading->input->run, reading->report->labels, leaf);
	if (odd)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, leaf->at, NULL);
	return WEIR_OK;
}

enum weir_status weir_client_report_read(const struct weir_client_report *report,
                                         struct weir_source *source, struct weir_input *input,
                                         struct weir_client_summary *summary,
                                         struct weir_error *err)
{
	struct reading reading = {.report = report, .summary = summary, .input = input};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading};

	weir_client_summary_init(summary);
	input->run = weir_run_new();
	return weir_jsonleaves_read(&leaves, source, err);
}

enum weir_status weir_client_report_conclude(const struct weir_client_report *report,
                                             struct weir_client_summary *summary,
                                             struct weir_input *input, struct weir_error *err)
{
	enum weir_status status = weir_client_summary_check(summary, input, err);

	if (status)
		return status;
	weir_client_summary_add(summary, "", input->run);
	if (!input->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY, "no timing in this report: expected %s",
		                 report->expected);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}
