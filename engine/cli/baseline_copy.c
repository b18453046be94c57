/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/address.h"
#include "baselines/store_copy.h"
#include "engine/cli/baseline_copy.h"
#include "engine/cli/output.h"
#include "engine/report/plain/items.h"

#define SHOWN_BYTES 8 /* of a checksum */

static void add_sum(struct weir_text *text, const struct weir_store_sum *sum)
{
	weir_text_printf(text, "  %8" PRIu64 "  ", sum->rows);
	for (size_t i = 0; i < SHOWN_BYTES; i++)
		weir_text_printf(text, "%02x", sum->checksum[i]);
}

static void add_sums(struct weir_text *text, const struct weir_store_copied *copied)
{
	weir_text_printf(text, "%-10s  %8s  %-16s  %8s  %s\n", "table", "FROM", "checksum", "TO",
	                 "checksum");
	for (size_t i = 0; i < WEIR_STORE_TABLES; i++) {
		weir_text_printf(text, "%-10s", copied->tables[i].name);
		add_sum(text, &copied->tables[i].from);
		add_sum(text, &copied->tables[i].to);
		weir_text_puts(text, weir_store_sums_agree(copied, i) ? "\n" : "  not equal\n");
	}
}

static enum weir_status copy_into(struct weir_store *from, const char *path, struct weir_text *text,
                                  struct weir_error *err)
{
	struct weir_store_copied copied;
	struct weir_store *to;
	char *label = weir_address_label(path);
	enum weir_status status = weir_store_open(path, WEIR_STORE_WRITE, &to, err);

	if (!status) {
		status = weir_store_copy(from, to, &copied, err);
		if (copied.tables[WEIR_STORE_TABLES - 1].name)
			add_sums(text, &copied);
		weir_store_free(to);
	}
	if (!status) {
		weir_text_printf(text, "%s: ", label);
		weir_items_number(text, copied.added, "row");
		weir_text_puts(text, " added; both stores hold the same\n");
	}
	free(label);
	return status;
}

enum weir_status weir_baseline_copy(struct weir_baseline_call *call, struct weir_error *err)
{
	const char *to = weir_arguments_at(call->arguments, 2);
	struct weir_store *from;
	enum weir_status status;

	if (strcmp(call->subject, to) == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "a store cannot be copied into itself: name another one");
	status = weir_store_open(call->subject, WEIR_STORE_READ, &from, err);
	if (status)
		return status;
	status = copy_into(from, to, &call->text, err);
	weir_store_free(from);
	/* The sums say what differs, therefore they are printed after a failure as well. */
	if (status == WEIR_E_STORE && call->text.length > 0)
		weir_output_write(NULL, &call->text, NULL);
	return status;
}
