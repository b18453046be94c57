/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/loadgen/result_text.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/scan.h"

void weir_result_text_begin(struct weir_result_text *text)
{
	text->begun = true;
	text->of_result = text->heading;
}

/* Makes room for the next result. */
static void clear(struct weir_result_text *text)
{
	text->run = weir_run_new();
	weir_client_summary_init(&text->summary);
	text->begun = false;
}

enum weir_status weir_result_text_end(struct weir_result_text *text, struct weir_error *err)
{
	struct weir_client_summary *summary = &text->summary;
	struct weir_run *run = text->run;
	bool none_completed = summary->completed <= 0;
	enum weir_status status = WEIR_OK;

	if (!text->begun)
		return WEIR_OK;
	if (none_completed) {
		weir_load_join_skip(&text->join, summary);
	} else {
		status = weir_client_summary_check(summary, text->input, err);
		weir_client_summary_add(summary, "", run);
		weir_client_summary_label_totals(summary, run);
	}
	if (!status && !none_completed && run->metrics.count) {
		status = weir_load_join_add(&text->join, run, err);
		if (!status)
			weir_load_join_head(&text->join, &text->of_result);
	} else {
		weir_run_free(run);
	}
	clear(text);
	return status;
}

bool weir_result_text_number(struct weir_result_text *text, struct weir_slice *rest, double *value)
{
	const struct weir_csv_row *row = text->row;

	if (!weir_scan_number(rest, value))
		return false;
	if (!row->cut || rest->data < row->line.data + row->line.length)
		return true;
	weir_input_warn(text->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	return false;
}

void weir_result_text_time(struct weir_result_text *text, size_t slot, struct weir_slice statistic,
                           double ms)
{
	struct weir_client_summary *summary = &text->summary;

	if (!(ms > 0))
		return;
	if (weir_client_is_statistic(statistic))
		weir_client_summary_set_statistic(summary, slot, statistic, ms);
	else if (statistic.length < WEIR_CLIENT_PERCENTILE &&
	         summary->other_count < WEIR_CLIENT_MAX_PERCENTILES)
		weir_client_summary_add_percentile(summary, slot, statistic, ms);
}

static enum weir_status take_lines(const struct weir_result_form *form, void *state,
                                   struct weir_result_text *text, struct weir_csv *csv,
                                   struct weir_error *err)
{
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &text->row, err)) && text->row) {
		struct weir_slice line = weir_slice_trim(text->row->line);

		weir_heading_take(&text->heading, line);
		status = form->take(text, state, line, err);
		if (status)
			return status;
	}
	return status;
}

static enum weir_status conclude(const struct weir_result_form *form, struct weir_result_text *text,
                                 struct weir_error *err)
{
	size_t figures = 0;

	for (size_t i = 0; i < text->join.count; i++)
		figures += text->join.runs[i]->metrics.count;
	if (!figures && !text->join.empty)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no result of %s: expected %s; pass the text up to its end",
		                 form->tool, form->expected);
	return weir_load_join_finish_figures(&text->join, text->input, err);
}

enum weir_status weir_result_text_read(const struct weir_result_form *form, void *state,
                                       struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	static const struct weir_csv_options lines = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &lines);
	struct weir_result_text *text = weir_alloc(sizeof(*text));
	enum weir_status status;

	text->input = input;
	text->join.unlike = true;
	clear(text);
	status = take_lines(form, state, text, csv, err);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = form->end ? form->end(text, state, err) : weir_result_text_end(text, err);
	if (!status)
		status = conclude(form, text, err);
	weir_run_free(text->run);
	weir_load_join_release(&text->join);
	free(text);
	return status;
}
