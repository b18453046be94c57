/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/cli/baseline_export.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"

#define PIECE_BYTES (1u << 20) /* bytes of rows that are written together */

struct exporting {
	struct weir_output *output;
	enum weir_rows_form form;
	struct weir_text text;
};

static enum weir_status flush(struct exporting *exporting, struct weir_error *err)
{
	enum weir_status status = weir_output_add(exporting->output, &exporting->text, err);

	weir_text_clear(&exporting->text);
	return status;
}

static enum weir_status add_run(void *context, struct weir_baseline_run *run, bool *enough,
                                struct weir_error *err)
{
	struct exporting *exporting = context;
	enum weir_status status = WEIR_OK;

	weir_rows_add(exporting->form, run, &exporting->text);
	if (exporting->text.length >= PIECE_BYTES)
		status = flush(exporting, err);
	*enough = weir_output_stops(exporting->output);
	return status;
}

enum weir_status weir_baseline_export_rows(struct weir_baseline_call *call,
                                           enum weir_rows_form form, struct weir_error *err)
{
	struct exporting exporting = {.form = form};
	struct weir_store *store;
	enum weir_status closed, status = weir_store_open(weir_db_path(call->arguments),
	                                                  WEIR_STORE_READ, &store, err);

	if (status)
		return status;
	status = weir_output_open(weir_option_text(call->arguments, "output"), &exporting.output,
	                          err);
	if (status) {
		weir_store_free(store);
		return status;
	}
	weir_rows_begin(form, &exporting.text);
	status = weir_store_each(store, call->subject, add_run, &exporting, err);
	if (!status)
		status = flush(&exporting, err);
	closed = weir_output_close(exporting.output, !status, err);
	weir_text_release(&exporting.text);
	weir_store_free(store);
	call->is_written = true;
	return status ? status : closed;
}
