/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query/answer.h"
#include "engine/query/database.h"
#include "engine/query/meanings.h"
#include "tests/unit/near.h"

static const struct weir_query_limits usual = {.rows = 1000, .seconds = 20};

static struct weir_query *opened(const char *path)
{
	struct weir_error err = {0};
	struct weir_query *query = NULL;
	cJSON *document = NULL;

	assert_int_equal(weir_json_read_file(path, &document, &err), WEIR_OK);
	if (weir_query_open(document, &query, &err))
		fail_msg("%s: %s", path, err.message);
	cJSON_Delete(document);
	return query;
}

static struct weir_query *opened_text(const char *json)
{
	struct weir_error err = {0};
	struct weir_query *query = NULL;
	cJSON *document = NULL;

	assert_int_equal(weir_json_parse(json, strlen(json), &document, &err), WEIR_OK);
	if (weir_query_open(document, &query, &err))
		fail_msg("%s", err.message);
	cJSON_Delete(document);
	return query;
}

static struct weir_query_result *answered(struct weir_query *query, const char *sql)
{
	struct weir_query_result *result = NULL;
	struct weir_error err = {0};

	if (weir_query_run(query, sql, &usual, &result, &err))
		fail_msg("%s: %s", sql, err.message);
	return result;
}

/* Runs a statement that must fail, and checks status and a part of the message. */
static void assert_refused(struct weir_query *query, const char *sql, enum weir_status status,
                           const char *message)
{
	struct weir_query_result *result = NULL;
	struct weir_error err = {0};

	if (weir_query_run(query, sql, &usual, &result, &err) != status || result)
		fail_msg("%s: status %d, message %s", sql, (int)err.status, err.message);
	if (!strstr(err.message, message))
		fail_msg("%s: the message is %s", sql, err.message);
}

/* ---- the tables ---- */

static bool is_column(const struct weir_query_tables *tables, const char *table, const char *column)
{
	const struct weir_query_table *found = weir_query_table_find(tables, table);

	for (size_t i = 0; found && i < found->column_count; i++)
		if (strcmp(found->columns[i].name, column) == 0)
			return true;
	return false;
}

static void test_objects_lists_and_maps_become_tables(void **state)
{
	struct weir_query_tables *tables = weir_query_tables_new(WEIR_RESULT_REPORT);
	const struct weir_query_table *kernels = weir_query_table_find(tables, "operators_kernels");

	(void)state;
	assert_non_null(kernels);
	assert_string_equal(kernels->parent->name, "operators");
	assert_true(is_column(tables, "operators_kernels", "parent_id"));
	assert_false(is_column(tables, "operators", "parent_id"));
	assert_true(is_column(tables, "run", "iteration_ns_p50"));
	assert_true(is_column(tables, "attribution", "value"));
	assert_true(is_column(tables, "gpu_queue_waiting", "mean") == false);
	assert_true(is_column(tables, "gpu", "queue_waiting_mean"));
	assert_true(is_column(tables, "run_inputs_warnings", "code"));
	assert_true(is_column(tables, "recommendations", "\"limit\""));
	weir_query_tables_free(tables);
}

/* A table of the fixed part: `used` counts how often each meaning is the first that matches. */
static void count_meanings(enum weir_result_kind kind, size_t *used)
{
	struct weir_query_tables *tables = weir_query_tables_new(kind);

	for (size_t t = 0; t < tables->count; t++)
		for (size_t c = 0; c < tables->items[t]->column_count; c++) {
			const char *quoted = tables->items[t]->columns[c].name;
			char name[100];
			const struct weir_query_meaning *meaning;

			snprintf(name, sizeof name, "%s", quoted + (*quoted == '"'));
			name[strcspn(name, "\"")] = '\0';
			meaning = weir_query_meaning_of(tables->items[t]->name, name);
			if (!meaning)
				fail_msg("no meaning: %s.%s", tables->items[t]->name, name);
			else
				used[meaning - weir_query_meanings]++;
		}
	weir_query_tables_free(tables);
}

static void test_each_column_has_a_meaning_and_each_meaning_a_column(void **state)
{
	size_t used[1000] = {0}, i;

	(void)state;
	count_meanings(WEIR_RESULT_REPORT, used);
	count_meanings(WEIR_RESULT_GATE, used);
	for (i = 0; weir_query_meanings[i].text; i++) {
		assert_true(i < WEIR_COUNT_OF(used));
		if (!used[i])
			fail_msg("no column: %s.%s", weir_query_meanings[i].table,
			         weir_query_meanings[i].column);
	}
}

static bool is_time(const char *name)
{
	return fnmatch("*_ns", name, 0) == 0 || fnmatch("*_ns_p[0-9]*", name, 0) == 0;
}

static void test_times_are_in_ns_and_names_are_distinct(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct weir_query_tables *tables =
			weir_query_tables_new((enum weir_result_kind)kind);

		for (size_t t = 0; t < tables->count; t++) {
			const struct weir_query_table *table = tables->items[t];

			assert_ptr_equal(weir_query_table_find(tables, table->name), table);
			for (size_t c = 0; c < table->column_count; c++) {
				const struct weir_query_column *column = &table->columns[c];

				if (is_time(column->name))
					assert_string_equal(column->unit, "ns");
				for (size_t i = 0; i < c; i++)
					assert_string_not_equal(table->columns[i].name,
					                        column->name);
			}
		}
		weir_query_tables_free(tables);
	}
}

static void select_each_column(const char *path)
{
	struct weir_query *query = opened(path);
	const struct weir_query_tables *tables = weir_query_tables_of(query);

	for (size_t t = 0; t < tables->count; t++)
		for (size_t c = 0; c < tables->items[t]->column_count; c++) {
			struct weir_text sql = {0};

			weir_text_printf(&sql, "select %s from %s",
			                 tables->items[t]->columns[c].name, tables->items[t]->name);
			weir_query_result_free(answered(query, sql.data));
			weir_text_release(&sql);
		}
	weir_query_free(query);
}

static void test_each_column_can_be_selected_by_the_name_that_is_listed(void **state)
{
	(void)state;
	select_each_column("tests/data/report/graphs.json");
	select_each_column("tests/data/gate/regression.json");
}

/* ---- values ---- */

#define REPORT                                                                                     \
	"{\"schema\": \"weir.report/1\", \"weir\": \"0.0.7\", \"verdict\": {\"bound\": "           \
	"\"memory\"}, \"run\": {\"span_ns\": 9007199254740991, \"steady\": true, \"inputs\": ["    \
	"{\"path\": \"a\", \"warnings\": []}, {\"path\": \"b\", \"warnings\": [{\"code\": "        \
	"\"truncated\", \"count\": 3}]}]}, \"stages\": [{\"name\": \"x\", \"share\": 0.25, "       \
	"\"p50_ns\": null, \"counted\": {\"mean_ns\": 5, \"p95\": [7, null]}}, {\"name\": \"y\", " \
	"\"kind\": \"later\", \"unknown\": 1}]}"

static void test_values_are_those_of_the_document(void **state)
{
	struct weir_query *query = opened_text(REPORT);
	struct weir_query_result *result = answered(query, "select span_ns, steady from run");

	(void)state;
	assert_int_equal(result->cells[0].kind, WEIR_QUERY_IS_INTEGER);
	assert_true(result->cells[0].as.integer == 9007199254740991);
	assert_true(result->cells[1].as.integer == 1);
	weir_query_result_free(result);
	result = answered(query, "select share, p50_ns, counted_mean_ns, counted_p95_low_ns, "
	                         "counted_p95_high_ns, counted_p50_low_ns from stages");
	assert_int_equal(result->row_count, 2);
	assert_int_equal(result->cells[0].kind, WEIR_QUERY_IS_REAL);
	assert_near(result->cells[0].as.real, .25, 0);
	assert_int_equal(result->cells[1].kind, WEIR_QUERY_NULL);
	assert_true(result->cells[2].as.integer == 5);
	assert_true(result->cells[3].as.integer == 7);
	assert_int_equal(result->cells[4].kind, WEIR_QUERY_NULL);
	assert_int_equal(result->cells[5].kind, WEIR_QUERY_NULL);
	weir_query_result_free(result);
	result = answered(query, "select weir from report");
	assert_string_equal(result->cells[0].as.text, "0.0.7");
	weir_query_result_free(result);
	weir_query_free(query);
}

static void test_rows_inside_rows_are_joined_by_parent_id(void **state)
{
	struct weir_query *query = opened_text(REPORT);
	struct weir_query_result *result =
		answered(query, "select i.path, w.count from run_inputs_warnings w join run_inputs "
	                        "i on i.row_id = w.parent_id");

	(void)state;
	assert_int_equal(result->row_count, 1);
	assert_string_equal(result->cells[0].as.text, "b");
	assert_true(result->cells[1].as.integer == 3);
	weir_query_result_free(result);
	weir_query_free(query);
}

static void test_an_object_that_is_null_has_no_row(void **state)
{
	struct weir_query *query = opened_text(REPORT);
	struct weir_query_result *result = answered(query, "select * from gpu");

	(void)state;
	assert_int_equal(result->row_count, 0);
	weir_query_result_free(result);
	weir_query_free(query);
}

static void test_a_document_that_is_no_result_is_refused(void **state)
{
	static const char *const documents[] = {
		"{}", "[]", "{\"schema\": \"weir.run/1\"}",
		"{\"schema\": \"weir.report/1\", \"stages\": 5}",
		"{\"schema\": \"weir.gate/1\", \"verdict\": \"good\", \"exit\": 0}"};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(documents); i++) {
		struct weir_query *query = NULL;
		struct weir_error err = {0};
		cJSON *document = cJSON_Parse(documents[i]);

		assert_int_equal(weir_query_open(document, &query, &err), WEIR_E_FORMAT);
		assert_null(query);
		cJSON_Delete(document);
	}
}

/* ---- what a statement may not do ---- */

static void test_statements_that_do_more_than_read_the_tables_are_refused(void **state)
{
	static const char *const statements[] = {
		"insert into stages (name) values ('x')",
		"update stages set name = 'x'",
		"delete from stages",
		"drop table stages",
		"create table t (a)",
		"create temp table t (a)",
		"create view v as select 1",
		"attach 'other.db' as other",
		"detach main",
		"vacuum into 'copy.db'",
		"pragma query_only = 0",
		"pragma table_info(stages)",
		"begin",
		"explain select 1",
		"analyze",
		"reindex",
		"select 1; select 2",
		"select * from sqlite_master",
		"select count(*) from sqlite_schema",
		"select * from pragma_table_info('stages')",
		"select * from json_each('[1]')",
		"select load_extension('x')",
		"select random()",
		"select hex(randomblob(4))",
		"select ?",
		"select :name",
		"selec 1",
		"select name from stages where name = \"x\"",
		"",
		" -- nothing",
	};
	struct weir_query *query = opened("tests/data/report/malloc_churn.json");
	struct weir_query_result *before =
		answered(query, "select count(*), max(name) from stages");
	struct weir_query_result *after;

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(statements); i++)
		assert_refused(query, statements[i], WEIR_E_USAGE, "");
	after = answered(query, "select count(*), max(name) from stages");
	assert_true(before->cells[0].as.integer == after->cells[0].as.integer);
	assert_string_equal(before->cells[1].as.text, after->cells[1].as.text);
	weir_query_result_free(before);
	weir_query_result_free(after);
	weir_query_free(query);
}

static void test_selects_of_every_kind_are_answered(void **state)
{
	static const char *const statements[] = {
		"select 1;;  -- the end",
		"with t as (select name from stages) select count(*) from t",
		"with recursive c(x) as (select 1 union select x+1 from c) select x from c limit 9",
		"select name, rank() over (order by share desc) from stages",
		"select kind, count(*), max(p50_ns) from stages group by kind having count(*) > 0",
		"select * from stages s left join operators o on o.stage = s.name",
		"select (select bound from verdict), 1.5, 'text', null, x'00ff'",
		"values (1, 2)",
	};
	struct weir_query *query = opened("tests/data/report/malloc_churn.json");

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(statements); i++)
		weir_query_result_free(answered(query, statements[i]));
	weir_query_free(query);
}

static void test_a_mistyped_name_gets_the_nearest_one(void **state)
{
	struct weir_query *query = opened("tests/data/report/malloc_churn.json");

	(void)state;
	assert_refused(query, "select nme from stages", WEIR_E_USAGE, "did you mean name?");
	assert_refused(query, "select s.p50 from stages s", WEIR_E_USAGE, "did you mean p50_ns?");
	assert_refused(query, "select 1 from stage", WEIR_E_USAGE, "did you mean stages?");
	assert_refused(query, "select qqqqqqqqq from stages", WEIR_E_USAGE,
	               "no column qqqqqqqqq (weir query --schema");
	weir_query_free(query);
}

/* ---- limits ---- */

#define ENDLESS                                                                                    \
	"with recursive c (x) as (select 1 union all select x + 1 from c) select count(*) from c"

static void test_time_memory_and_size_have_limits(void **state)
{
	struct weir_query *query = opened("tests/data/report/malloc_churn.json");
	struct weir_query_limits brief = {.rows = 10, .seconds = 0};
	struct weir_query_result *result = NULL;
	struct weir_error err = {0};
	struct weir_text sql = {0};

	(void)state;
	assert_int_equal(weir_query_run(query, ENDLESS, &brief, &result, &err), WEIR_E_LIMIT);
	assert_non_null(strstr(err.message, "takes longer than 0 s"));
	assert_refused(query, "select zeroblob(2000000)", WEIR_E_LIMIT, "larger than 256 KiB");
	weir_text_puts(&sql, "select 1");
	weir_text_repeat(&sql, " ", WEIR_QUERY_MAX_SQL);
	assert_refused(query, sql.data, WEIR_E_LIMIT, "longer than 64 KiB");
	assert_refused(query,
	               "with recursive c (x) as (select 1 union all select x + 1 from c where x < "
	               "400) select hex(zeroblob(100000)) || x from c",
	               WEIR_E_LIMIT, "larger than 64 MiB");
	weir_text_release(&sql);
	weir_query_free(query);
}

static void test_rows_beyond_the_limit_are_left_out_and_told(void **state)
{
	static const char numbers[] = "with recursive c (x) as (select 1 union all select x + 1 "
				      "from c where x < 5) select x from c";
	struct weir_query *query = opened("tests/data/report/malloc_churn.json");
	struct weir_error err = {0};

	(void)state;
	for (size_t rows = 4; rows <= 5; rows++) {
		struct weir_query_limits limits = {.rows = rows, .seconds = 20};
		struct weir_query_result *result = NULL;

		assert_int_equal(weir_query_run(query, numbers, &limits, &result, &err), WEIR_OK);
		assert_int_equal(result->row_count, rows);
		assert_int_equal(result->is_cut, rows == 4);
		weir_query_result_free(result);
	}
	weir_query_free(query);
}

/* ---- answers ---- */

static void assert_answer(const char *sql, enum weir_query_form form, const char *expected)
{
	struct weir_query *query = opened_text(REPORT);
	struct weir_query_result *result = answered(query, sql);
	struct weir_error err = {0};
	struct weir_text text = {0};

	assert_int_equal(weir_query_answer(result, form, &text, &err), WEIR_OK);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
	weir_query_result_free(result);
	weir_query_free(query);
}

static void test_answers_in_each_form(void **state)
{
	static const char sql[] = "select name, share, p50_ns, kind from stages order by row_id";

	(void)state;
	assert_answer(sql, WEIR_QUERY_AS_TEXT,
	              "name  share  p50_ns  kind\n"
	              "x      0.25       -  -\n"
	              "y         -       -  later\n");
	assert_answer(
		sql, WEIR_QUERY_AS_JSON,
		"[\n  {\"name\": \"x\", \"share\": 0.25, \"p50_ns\": null, \"kind\": null},\n"
		"  {\"name\": \"y\", \"share\": null, \"p50_ns\": null, \"kind\": \"later\"}\n]\n");
	assert_answer(sql, WEIR_QUERY_AS_CSV, "name,share,p50_ns,kind\nx,0.25,,\ny,,,later\n");
	assert_answer("select 'a,\"b' q, 9e999 inf, x'0aff' blob", WEIR_QUERY_AS_CSV,
	              "q,inf,blob\n\"a,\"\"b\",,0aff\n");
	assert_answer("select 1 a where 0", WEIR_QUERY_AS_JSON, "[]\n");
}

static void test_two_columns_of_one_name_are_no_object(void **state)
{
	struct weir_query *query = opened_text(REPORT);
	struct weir_query_result *result = answered(query, "select name, name from stages");
	struct weir_error err = {0};
	struct weir_text text = {0};

	(void)state;
	assert_int_equal(weir_query_answer(result, WEIR_QUERY_AS_JSON, &text, &err), WEIR_E_USAGE);
	assert_string_equal(err.message, "two columns are named name: rename one with AS");
	weir_text_release(&text);
	weir_query_result_free(result);
	weir_query_free(query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects_lists_and_maps_become_tables),
		cmocka_unit_test(test_each_column_has_a_meaning_and_each_meaning_a_column),
		cmocka_unit_test(test_times_are_in_ns_and_names_are_distinct),
		cmocka_unit_test(test_each_column_can_be_selected_by_the_name_that_is_listed),
		cmocka_unit_test(test_values_are_those_of_the_document),
		cmocka_unit_test(test_rows_inside_rows_are_joined_by_parent_id),
		cmocka_unit_test(test_an_object_that_is_null_has_no_row),
		cmocka_unit_test(test_a_document_that_is_no_result_is_refused),
		cmocka_unit_test(test_statements_that_do_more_than_read_the_tables_are_refused),
		cmocka_unit_test(test_selects_of_every_kind_are_answered),
		cmocka_unit_test(test_a_mistyped_name_gets_the_nearest_one),
		cmocka_unit_test(test_time_memory_and_size_have_limits),
		cmocka_unit_test(test_rows_beyond_the_limit_are_left_out_and_told),
		cmocka_unit_test(test_answers_in_each_form),
		cmocka_unit_test(test_two_columns_of_one_name_are_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
