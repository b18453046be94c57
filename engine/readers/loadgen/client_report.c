/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/loadgen/client_report.h"
#include "engine/readers/parts/sniff.h"

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

static enum weir_status read_summary(const struct weir_client_report *report,
                                     struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct weir_client_summary summary;
	struct reading reading = {.report = report, .summary = &summary, .input = input};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading};
	enum weir_status status;

	weir_client_summary_init(&summary);
	input->run = weir_run_new();
	status = weir_jsonleaves_read(&leaves, source, err);
	if (!status && report->check)
		status = report->check(&summary, err);
	return status ? status
	              : weir_client_summary_conclude(&summary, input, report->expected, err);
}

enum weir_status weir_client_report_read(const struct weir_client_report *report,
                                         struct weir_source *source, struct weir_input *input,
                                         struct weir_error *err)
{
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	return first == '[' ? report->read_requests(source, input, err)
	                    : read_summary(report, source, input, err);
}
