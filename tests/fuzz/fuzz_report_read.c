/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as a stored classification: it is refused with a message, or read, written in
 * every format, and read again with the same result. Seeds: tests/data/report.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rank/features.h"
#include "engine/base/text.h"
#include "engine/report/json/stored.h"
#include "engine/report/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct weir_stored_report *read_report(const char *text, size_t size)
{
	struct weir_stored_report *stored = NULL;
	struct weir_error err = {0};

	if (weir_stored_report_parse(text, size, &weir_features, &stored, &err) &&
	    (stored || err.message[0] == '\0' || err.status == WEIR_OK))
		abort(); /* a refusal has a message and no result */
	return stored;
}

static void write_all(const struct weir_report *report)
{
	for (size_t i = 0; weir_writers[i].name; i++) {
		struct weir_text text = {0};

		if (weir_writers[i].report)
			weir_writers[i].report(report, NULL, &text);
		weir_text_release(&text);
	}
}

static void assert_same_again(const struct weir_report *report)
{
	struct weir_text first = {0}, second = {0};
	struct weir_stored_report *again;

	weir_write_report_json(report, NULL, &first);
	again = read_report(first.data, first.length);
	if (!again)
		goto out; /* U+FFFD in place of bad bytes may lift a text over its limit */
	weir_write_report_json(again->report, NULL, &second);
	if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
		abort();
out:
	weir_stored_report_free(again);
	weir_text_release(&first);
	weir_text_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_stored_report *stored = read_report((const char *)data, size);

	if (stored) {
		write_all(stored->report);
		assert_same_again(stored->report);
	}
	weir_stored_report_free(stored);
	return 0;
}
