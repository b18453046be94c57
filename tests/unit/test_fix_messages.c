/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages along the edges of a graph, which a product with a sparse matrix sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define TABLE "[[200000, 128], []]"
#define SUM   "[[200000, 128], [], [400000], [400000, 128], []]"
#define EDGES "[[400000, 128], [400000, 1]]"

/* A step that gathers a row of a table for each edge, scales it, and adds it to a row. */
struct graph {
	const char *gather, *table; /* operator and its arguments */
	const char *scale, *by;     /* NULL: none */
	int scalings;
	const char *sum, *into;
};

static struct advice_result joined(const struct graph *graph, const char *dim)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;
	const char *types = strcmp(graph->gather, "aten::index") == 0
	                            ? "[\"float\", \"\"]"
	                            : "[\"float\", \"Scalar\", \"long int\"]";

	advice_step_begin(step, graph->gather, graph->table, types, "[\"\", \"0\", \"\"]");
	advice_step_kernel(step, "vectorized_gather_kernel", 300, 1000);
	advice_step_end(step);
	for (int i = 0; i < graph->scalings; i++)
		advice_step_op(step, graph->scale, graph->by, "[\"float\", \"float\"]",
		               "elementwise_kernel", 200);
	advice_step_begin(step, graph->sum, graph->into,
	                  "[\"float\", \"Scalar\", \"long int\", \"float\", \"Scalar\"]", dim);
	advice_step_kernel(step, "indexFuncLargeIndex", 500, 1000);
	advice_step_end(step);
	advice_step_apply(step, weir_fix_avoid_copies, &result);
	return result;
}

static const char rows[] = "[\"\", \"0\", \"\", \"\", \"1\"]";

/* 524 bytes of each edge are read and 102 MB of results written, as fast as the scaling moves 411
 * MB in 200 us. */
static void messages_become_a_product_that_reads_a_row_for_each_edge(void **state)
{
	static const struct graph graph = {"aten::index",      TABLE, "aten::mul", EDGES, 1,
	                                   "aten::index_add_", SUM};
	struct advice_result result = joined(&graph, rows);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 1000 - 200 * (209.6 + 102.4) / 411.2,
	            0.001);
}

/* A row of 16 bytes is read in a sector of 32. */
static void narrow_rows_are_read_in_sectors(void **state)
{
	static const struct graph graph = {"aten::index_select",
	                                   "[[200000, 4], [], [400000]]",
	                                   NULL,
	                                   NULL,
	                                   0,
	                                   "aten::index_add_",
	                                   "[[200000, 4], [], [400000], [400000, 4], []]"};
	struct advice_result result = joined(&graph, rows);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 800 - (400000 * 44 + 3200000) / 3.015e6,
	            0.01);
}

static void only_scaled_rows_of_a_smaller_table_are_such_messages(void **state)
{
	static const struct {
		struct graph graph;
		const char *dim;
		bool found;
	} cases[] = {
		{{"aten::index", TABLE, NULL, NULL, 0, "aten::index_add_", SUM}, rows, true},
		{{"aten::index", TABLE, NULL, NULL, 0, "aten::scatter_add_",
	          "[[200000, 128], [], [400000, 128], [400000, 128]]"},
	         rows,
	         true},
		{{"aten::index", TABLE, "aten::mul", "[[400000, 128], []]", 4, "aten::index_add_",
	          SUM},
	         rows,
	         true},
		/* more operators than are searched */
		{{"aten::index", TABLE, "aten::mul", EDGES, 5, "aten::index_add_", SUM},
	         rows,
	         false},
		/* numbers of an edge for each column */
		{{"aten::index", TABLE, "aten::mul", "[[400000, 128], [400000, 128]]", 1,
	          "aten::index_add_", SUM},
	         rows,
	         false},
		{{"aten::index", TABLE, "aten::add", EDGES, 1, "aten::index_add_", SUM},
	         rows,
	         false},
		/* a table, and a result, of half as many rows as edges, and of more */
		{{"aten::index", "[[200001, 128], []]", NULL, NULL, 0, "aten::index_add_", SUM},
	         rows,
	         false},
		{{"aten::index", TABLE, NULL, NULL, 0, "aten::index_add_",
	          "[[200001, 128], [], [400000], [400000, 128], []]"},
	         rows,
	         false},
		{{"aten::index", "[[200000, 64], []]", NULL, NULL, 0, "aten::index_add_", SUM},
	         rows,
	         false},
		{{"aten::index_select", "[[200000, 128], [], [399999]]", NULL, NULL, 0,
	          "aten::index_add_", SUM},
	         rows,
	         false},
		{{"aten::gather", TABLE, NULL, NULL, 0, "aten::index_add_", SUM}, rows, false},
		/* a sum of columns */
		{{"aten::index", TABLE, NULL, NULL, 0, "aten::index_add_", SUM},
	         "[\"\", \"1\", \"\", \"\", \"1\"]",
	         false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (joined(&cases[i].graph, cases[i].dim).found != cases[i].found)
			fail_msg("case %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_become_a_product_that_reads_a_row_for_each_edge),
		cmocka_unit_test(narrow_rows_are_read_in_sectors),
		cmocka_unit_test(only_scaled_rows_of_a_smaller_table_are_such_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
