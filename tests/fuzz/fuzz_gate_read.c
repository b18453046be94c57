/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as a result of a gate: it is refused with a message, or read, written in every
 * format, and read again with the same result. Seeds: tests/data/gate.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ci/policy/causes.h"
#include "engine/base/text.h"
#include "engine/report/json/stored.h"
#include "engine/report/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct weir_gate_result *read_gate(const char *text, size_t size)
{
	struct weir_gate_result *result = NULL;
	enum weir_result_kind kind;
	struct weir_error err = {0};

	if (weir_gate_parse(text, size, &kind, &result, &err) &&
	    (result || err.message[0] == '\0' || err.status == WEIR_OK))
		abort(); /* a refusal has a message and no result */
	if (result)
		weir_gate_complete_causes(result);
	return result;
}

static void write_all(const struct weir_gate_result *result)
{
	const struct weir_write_options options = {.all = true, .budget = 4000};

	for (size_t i = 0; weir_writers[i].name; i++) {
		struct weir_text text = {0};

		if (weir_writers[i].gate)
			weir_writers[i].gate(result, i % 2 ? NULL : &options, &text);
		weir_text_release(&text);
	}
}

static void assert_same_again(const struct weir_gate_result *result)
{
	struct weir_text first = {0}, second = {0};
	struct weir_gate_result *again;

	weir_write_gate_json(result, NULL, &first);
	again = read_gate(first.data, first.length);
	if (!again)
		goto out; /* U+FFFD in place of bad bytes may lift a text over its limit */
	weir_write_gate_json(again, NULL, &second);
	if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
		abort();
out:
	weir_gate_result_free(again);
	weir_text_release(&first);
	weir_text_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_gate_result *result = read_gate((const char *)data, size);

	if (result) {
		write_all(result);
		assert_same_again(result);
	}
	weir_gate_result_free(result);
	return 0;
}
