/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs any text as a query of a fixed report: it is refused with a message, or answered within the
 * limits; the tables stay as they were. Seeds: tests/data/query.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query/answer.h"
#include "engine/query/database.h"

#define ROWS 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char report[] =
	"{\"schema\": \"weir.report/1\", \"weir\": \"0\", \"verdict\": {\"bound\": \"memory\"},"
	"\"attribution\": null, \"stages\": [{\"name\": \"prefill\", \"p50_ns\": 7, \"share\": "
	"0.5},"
	"{\"name\": \"decode\", \"p50_ns\": 3, \"share\": 0.25}], \"operators\": [{\"name\": "
	"\"aten::mm\", \"count\": 2, \"kernels\": [{\"name\": \"gemm\", \"count\": 2}]}]}";

/* Returns a number for the content of the tables. */
static int64_t content(struct weir_query *query)
{
	static const char sql[] = "select (select count(*) + sum(p50_ns) + length(group_concat("
				  "name)) from stages) + (select count(*) from operators_kernels)";
	const struct weir_query_limits limits = {.rows = 1, .seconds = 60};
	struct weir_query_result *result = NULL;
	int64_t number;

	if (weir_query_run(query, sql, &limits, &result, NULL))
		abort();
	number = result->cells[0].as.integer;
	weir_query_result_free(result);
	return number;
}

static void answer(const struct weir_query_result *result)
{
	if (result->row_count > ROWS)
		abort();
	for (int form = WEIR_QUERY_AS_TEXT; form <= WEIR_QUERY_AS_CSV; form++) {
		struct weir_error err = {0};
		struct weir_text text = {0};

		if (weir_query_answer(result, (enum weir_query_form)form, &text, &err) &&
		    err.message[0] == '\0')
			abort();
		weir_text_release(&text);
	}
}

static struct weir_query *open_report(void)
{
	struct weir_query *query = NULL;
	struct weir_error err = {0};
	cJSON *document = NULL;

	if (weir_json_parse(report, sizeof report - 1, &document, &err) ||
	    weir_query_open(document, &query, &err))
		abort();
	cJSON_Delete(document);
	return query;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct weir_query *query; /* one for all inputs, which must not change it */
	const struct weir_query_limits limits = {.rows = ROWS, .seconds = 1};
	struct weir_query_result *result = NULL;
	struct weir_error err = {0};
	char *sql = weir_alloc(size + 1);
	int64_t before;

	memcpy(sql, data, size);
	if (!query)
		query = open_report();
	before = content(query);
	if (!weir_query_run(query, sql, &limits, &result, &err))
		answer(result);
	else if (result || err.message[0] == '\0')
		abort(); /* a refusal has a message and no result */
	if (content(query) != before)
		abort();
	weir_query_result_free(result);
	free(sql);
	return 0;
}
