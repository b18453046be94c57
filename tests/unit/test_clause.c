/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Good clauses give Kleene's truth and their readings; hostile ones are refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "rules/clause.h"
#include "tests/unit/rule_features.h"

static int open_db(void **state)
{
	struct weir_clause_db *db = NULL;
	struct weir_error err = {0};

	if (weir_clause_db_new(&rule_features, &db, &err))
		fail_msg("%s", err.message);
	*state = db;
	return 0;
}

static int close_db(void **state)
{
	weir_clause_db_free(*state);
	return 0;
}

static struct weir_clause *clause_of(struct weir_clause_db *db, const char *text)
{
	struct weir_clause *clause = NULL;
	struct weir_error err = {0};

	if (weir_clause_new(db, text, WEIR_FOR_PROFILE, &clause, &err))
		fail_msg("%s", err.message);
	return clause;
}

static enum weir_truth truth_of(struct weir_clause *clause)
{
	enum weir_truth truth = WEIR_FALSE;
	struct weir_error err = {0};

	if (weir_clause_evaluate(clause, &truth, &err))
		fail_msg("%s", err.message);
	return truth;
}

static enum weir_truth truth_with(struct weir_clause_db *db, const char *text, const double *values)
{
	assert_int_equal(weir_clause_db_set(db, values, NULL), WEIR_OK);
	return truth_of(clause_of(db, text));
}

static void assert_refused(struct weir_clause_db *db, const char *text, const char *reason)
{
	struct weir_clause *clause = NULL;
	struct weir_error err = {0};

	if (weir_clause_new(db, text, WEIR_FOR_PROFILE, &clause, &err) != WEIR_E_USAGE)
		fail_msg("\"%s\" is not refused", text);
	if (!strstr(err.message, reason))
		fail_msg("\"%s\" says \"%s\", expected \"%s\" in it", text, err.message, reason);
	assert_null(clause);
}

static void arithmetic_and_logic_are_those_of_sql(void **state)
{
	struct weir_clause_db *db = *state;
	double values[F_COUNT];

	all_unknown(values);
	values[F_SHARE] = 0.6;
	values[F_P50_US] = 10;
	values[F_P99_US] = 41;
	assert_int_equal(truth_with(db, "share > 0.5 AND p99_us / p50_us > 4", values), WEIR_TRUE);
	assert_int_equal(truth_with(db, "share > 0.5 AND p99_us / p50_us > 5", values), WEIR_FALSE);
	assert_int_equal(truth_with(db, "NOT (share > 0.5) OR p50_us = 10", values), WEIR_TRUE);
	assert_int_equal(truth_with(db, "p50_us BETWEEN 9 AND 11", values), WEIR_TRUE);
	assert_int_equal(truth_with(db, "p50_us IN (1, 2, 3)", values), WEIR_FALSE);
	assert_int_equal(
		truth_with(db, "CASE WHEN share > 0.5 THEN p99_us ELSE p50_us END > 40", values),
		WEIR_TRUE);
	assert_int_equal(truth_with(db, "SHARE >= .6", values), WEIR_TRUE);
	assert_int_equal(truth_with(db, "kernels IS NULL", values), WEIR_TRUE);
}

static void division_keeps_its_fraction(void **state)
{
	double values[F_COUNT];

	all_unknown(values);
	values[F_KERNELS] = 1;
	assert_int_equal(truth_with(*state, "kernels / 2 > 0.4", values), WEIR_TRUE);
	assert_int_equal(truth_with(*state, "kernels > 1.0 / 2", values), WEIR_TRUE);
	assert_int_equal(truth_with(*state, "kernels / 2e0 / 4 < 0.2", values), WEIR_TRUE);
}

static void every_allowed_function_works(void **state)
{
	double values[F_COUNT];

	all_unknown(values);
	values[F_SHARE] = -0.4;
	values[F_P50_US] = 3;
	assert_int_equal(truth_with(*state, "abs(share) = 0.4", values), WEIR_TRUE);
	assert_int_equal(truth_with(*state, "min(share, p50_us) < 0", values), WEIR_TRUE);
	assert_int_equal(truth_with(*state, "max(share, p50_us) = 3", values), WEIR_TRUE);
	assert_int_equal(truth_with(*state, "coalesce(p99_us, p50_us) = 3", values), WEIR_TRUE);
	assert_int_equal(truth_with(*state, "nullif(p50_us, 3) > 1", values), WEIR_UNKNOWN);
	assert_int_equal(truth_with(*state, "round(p50_us / 2) = 2", values), WEIR_TRUE);
	assert_int_equal(truth_with(*state, "iif(share < 0, p50_us, p99_us) = 3", values),
	                 WEIR_TRUE);
}

static void unknown_stays_unknown_unless_the_rest_decides(void **state)
{
	struct weir_clause_db *db = *state;
	double values[F_COUNT];

	all_unknown(values);
	values[F_SHARE] = 0.6;
	assert_int_equal(truth_with(db, "share > 0.5 AND gpu_active < 0.3", values), WEIR_UNKNOWN);
	assert_int_equal(truth_with(db, "share > 0.5 OR gpu_active < 0.3", values), WEIR_TRUE);
	assert_int_equal(truth_with(db, "gpu_active < 0.3", values), WEIR_UNKNOWN);
	values[F_SHARE] = 0.1;
	assert_int_equal(truth_with(db, "share > 0.5 AND gpu_active < 0.3", values), WEIR_FALSE);
	values[F_P50_US] = 7;
	assert_int_equal(truth_with(db, "p50_us / 0 > 1", values), WEIR_UNKNOWN);
}

static void one_clause_serves_every_row(void **state)
{
	struct weir_clause *clause = clause_of(*state, "share > 0.5");
	double values[F_COUNT];

	all_unknown(values);
	for (int round = 0; round < 3000; round++) {
		values[F_SHARE] = round % 3 == 2 ? NAN : (double)(round % 3);
		assert_int_equal(weir_clause_db_set(*state, values, NULL), WEIR_OK);
		assert_int_equal(truth_of(clause), round % 3);
	}
}

static void the_features_read_are_the_evidence(void **state)
{
	struct weir_evidence evidence;
	double values[F_COUNT];
	struct weir_clause *clause =
		clause_of(*state, "p99_us / p50_us > 4 AND (gpu_active < 0.3 OR p50_us < 1)");

	all_unknown(values);
	values[F_P99_US] = 9;
	values[F_P50_US] = 2;
	assert_int_equal(weir_clause_db_set(*state, values, NULL), WEIR_OK);
	weir_clause_explain(clause, truth_of(clause), &evidence);
	assert_string_equal(evidence.clause,
	                    "p99_us / p50_us > 4 AND (gpu_active < 0.3 OR p50_us < 1)");
	assert_int_equal(evidence.truth, WEIR_UNKNOWN);
	assert_int_equal(evidence.reading_count, 3);
	assert_string_equal(evidence.readings[0].feature, "p99_us");
	assert_true(evidence.readings[0].value == 9);
	assert_string_equal(evidence.readings[1].feature, "p50_us");
	assert_true(evidence.readings[1].value == 2);
	assert_string_equal(evidence.readings[2].feature, "gpu_active");
	assert_true(isnan(evidence.readings[2].value));
}

static void an_unknown_feature_names_the_nearest(void **state)
{
	assert_refused(*state, "p99us > 3", "the nearest is \"p99_us\"");
	assert_refused(*state, "gpu_activ < 0.5", "the nearest is \"gpu_active\"");
	assert_refused(*state, "xyzzyxyzzy < 0.5", "no feature \"xyzzyxyzzy\"");
}

static void a_feature_that_the_subject_lacks_is_refused(void **state)
{
	struct weir_clause *clause = NULL;
	struct weir_error err = {0};

	assert_int_equal(weir_clause_new(*state, "share > 0 AND gpu_active < 0.3",
	                                 WEIR_FOR_STAGE | WEIR_FOR_OPERATOR, &clause, &err),
	                 WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "not measured per operator"));
}

static void other_tables_are_out_of_reach(void **state)
{
	assert_refused(*state, "(SELECT rootpage FROM sqlite_master) > share",
	               "reads features and nothing else");
	assert_refused(*state, "share IN sqlite_master", "reads features and nothing else");
	assert_refused(*state, "share IN feature", "more than 8");
	assert_refused(*state, "sqlite_master.rootpage > 0", "no feature");
	assert_refused(*state, "rowid > 0", "no feature");
	assert_refused(*state, "feature.rowid > share", "no feature");
	assert_refused(*state, "share IN pragma_function_list", "one expression over features");
}

static void a_second_select_is_refused(void **state)
{
	assert_refused(*state, "(SELECT max(share) FROM feature) > share", "without a SELECT");
	assert_refused(*state, "(SELECT 1) > share", "without a SELECT");
	assert_refused(*state, "EXISTS (SELECT share FROM feature)", "without a SELECT");
	assert_refused(*state, "share > 1) UNION SELECT (1", "closing bracket");
	assert_refused(*state, "share IN (VALUES (1), (2))", "without a SELECT");
	assert_refused(*state,
	               "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n "
	               "FROM r) > share",
	               "compound SELECT");
	assert_refused(*state, "(WITH r(n) AS (SELECT 1) SELECT n FROM r) > share",
	               "without a SELECT");
}

static void functions_beyond_the_list_are_refused(void **state)
{
	assert_refused(*state, "load_extension(share) > 0", "load_extension");
	assert_refused(*state, "randomblob(1000000000) > share",
	               "function randomblob is not allowed");
	assert_refused(*state, "zeroblob(1000000000) > share", "function zeroblob is not allowed");
	assert_refused(*state, "random() > share", "function random is not allowed");
	assert_refused(*state, "sum(share) > 0", "function sum is not allowed");
	assert_refused(*state, "count(*) > share", "count");
	assert_refused(*state, "typeof(share) = share", "function typeof is not allowed");
	assert_refused(*state, "share LIKE 5", "function like is not allowed");
	assert_refused(*state, "CURRENT_TIMESTAMP > share", "current_timestamp");
	assert_refused(*state, "nosuchfunction(share) > 0", "nosuchfunction");
	assert_refused(*state, "max(share) OVER () > 0", "without a SELECT");
	assert_refused(*state, "row_number() OVER (ORDER BY share) > 0",
	               "function row_number is not allowed");
}

static void the_text_alone_gives_some_away(void **state)
{
	assert_refused(*state, "share > 'abc'", "a text literal");
	assert_refused(*state, "\"p99us\" > 3", "a quoted name");
	assert_refused(*state, "`share` > 3", "a quoted name");
	assert_refused(*state, "[share] > 3", "a quoted name");
	assert_refused(*state, "share > ?2", "a parameter");
	assert_refused(*state, "share > :x", "a parameter");
	assert_refused(*state, "share > @x", "a parameter");
	assert_refused(*state, "share > $x", "a parameter");
	assert_refused(*state, "share > 1; DROP TABLE feature", "a semicolon");
	assert_refused(*state, "share > 1 -- always", "a comment");
	assert_refused(*state, "share > 1 /* always */", "a comment");
	assert_refused(*state, "share || 1 > 2", "a text operator");
	assert_refused(*state, "share % 2 > 0", "remainder");
	assert_refused(*state, "CAST(share AS TEXT) > 3", "CAST has no place");
	assert_refused(*state, "share > 3 collate nocase", "collate has no place");
	assert_refused(*state, "share > 1\n", "byte 0x0a");
	assert_refused(*state, "share > \xc2\xbd", "byte 0xc2");
	assert_refused(*state, "", "an empty clause");
	assert_refused(*state, "   ", "an empty clause");
}

static void whole_numbers_on_both_sides_of_a_division_are_refused(void **state)
{
	assert_refused(*state, "share > 1/2", "drop the fraction");
	assert_refused(*state, "share > 1 / -2", "drop the fraction");
	assert_refused(*state, "share > 0x10 / 3", "drop the fraction");
	(void)clause_of(*state, "share > 1/2.0");
	(void)clause_of(*state, "share > 1.0/2");
	(void)clause_of(*state, "share > 1e0/2");
	(void)clause_of(*state, "share / 2 > 1");
	(void)clause_of(*state, "(share + 1) / 2 > 1");
}

static void one_expression_and_no_more(void **state)
{
	assert_refused(*state, "share > 0, share > 1", "row value misused");
	assert_refused(*state, "share > 0 AS x", "syntax error");
	assert_refused(*state, "share > 0) , (share > 1", "closing bracket");
	assert_refused(*state, "(share > 0", "not closed");
	assert_refused(*state, "share > 0)", "closing bracket");
	assert_refused(*state, "share >", "syntax error");
	assert_refused(*state, "1 > 0", "reads no feature");
}

static void long_and_deep_clauses_meet_a_limit(void **state)
{
	struct weir_text text = {0};

	weir_text_puts(&text, "share > 0");
	weir_text_repeat(&text, " OR share > 0", 1000);
	assert_refused(*state, text.data, "at most 400");
	weir_text_clear(&text);
	weir_text_repeat(&text, "(", 150);
	weir_text_puts(&text, "share > 0");
	weir_text_repeat(&text, ")", 150);
	assert_refused(*state, text.data, "stack overflow");
	weir_text_clear(&text);
	weir_text_puts(&text, "share > 1");
	weir_text_repeat(&text, "+1", 100);
	assert_refused(*state, text.data, "depth");
	weir_text_clear(&text);
	weir_text_repeat(&text, "NOT ", 80);
	weir_text_puts(&text, "share");
	assert_refused(*state, text.data, "depth");
	weir_text_clear(&text);
	weir_text_puts(&text, "max(share,1,2,3,4,5,6,7,8) > 0");
	assert_refused(*state, text.data, "too many arguments");
	weir_text_release(&text);
}

static void a_clause_reads_eight_features_at_most(void **state)
{
	(void)clause_of(
		*state,
		"share+gpu_active+idle_host+kernel_p50_ns+kernels+p50_us+p99_us+peak_bytes > 0");
	assert_refused(*state,
	               "share+gpu_active+idle_host+kernel_p50_ns+kernels+p50_us+p99_us+peak_bytes+"
	               "padding > 0",
	               "more than 8 features");
}

static void a_result_that_is_no_truth_is_an_error(void **state)
{
	struct weir_clause *clause = clause_of(*state, "share");
	enum weir_truth truth;
	struct weir_error err = {0};

	assert_int_equal(weir_clause_db_fill(*state, 0.5, &err), WEIR_OK);
	assert_int_equal(weir_clause_evaluate(clause, &truth, &err), WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "gives a number"));
	assert_int_equal(weir_clause_db_fill(*state, NAN, &err), WEIR_OK);
	assert_int_equal(truth_of(clause), WEIR_UNKNOWN);
}

static void a_refused_clause_leaves_the_others_working(void **state)
{
	struct weir_clause *clause = clause_of(*state, "share > 0.5");

	assert_refused(*state, "(SELECT 1) > share", "without a SELECT");
	assert_int_equal(weir_clause_db_fill(*state, 1, NULL), WEIR_OK);
	assert_int_equal(truth_of(clause), WEIR_TRUE);
	assert_int_equal(truth_of(clause_of(*state, "share < 0.5")), WEIR_FALSE);
}

static void an_id_that_is_no_column_name_is_a_defect(void **state)
{
	static const char *const ids[] = {"", "Share", "a b", "a\"b", "1a", "_a"};

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct weir_feature row = {ids[i], WEIR_UNIT_SHARE, EVERYWHERE, "x"};
		const struct weir_feature_table table = {&row, 1};
		struct weir_clause_db *db = NULL;
		assert_int_equal(weir_clause_db_new(&table, &db, NULL), WEIR_E_INTERNAL);
		assert_null(db);
	}
}

static void features_named_like_keywords_are_columns_still(void **state)
{
	const struct weir_feature rows[] = {{"a", WEIR_UNIT_SHARE, EVERYWHERE, "x"},
	                                    {"share", WEIR_UNIT_SHARE, EVERYWHERE, "x"},
	                                    {"order", WEIR_UNIT_SHARE, EVERYWHERE, "x"}};
	const struct weir_feature_table table = {rows, 3};
	struct weir_clause_db *db = NULL;

	(void)state;
	assert_int_equal(weir_clause_db_new(&table, &db, NULL), WEIR_OK);
	assert_refused(db, "order > 1", "syntax error");
	weir_clause_db_free(db);
}

#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, open_db, close_db)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DB(arithmetic_and_logic_are_those_of_sql),
		WITH_DB(division_keeps_its_fraction),
		WITH_DB(every_allowed_function_works),
		WITH_DB(unknown_stays_unknown_unless_the_rest_decides),
		WITH_DB(one_clause_serves_every_row),
		WITH_DB(the_features_read_are_the_evidence),
		WITH_DB(an_unknown_feature_names_the_nearest),
		WITH_DB(a_feature_that_the_subject_lacks_is_refused),
		WITH_DB(other_tables_are_out_of_reach),
		WITH_DB(a_second_select_is_refused),
		WITH_DB(functions_beyond_the_list_are_refused),
		WITH_DB(the_text_alone_gives_some_away),
		WITH_DB(whole_numbers_on_both_sides_of_a_division_are_refused),
		WITH_DB(one_expression_and_no_more),
		WITH_DB(long_and_deep_clauses_meet_a_limit),
		WITH_DB(a_clause_reads_eight_features_at_most),
		WITH_DB(a_result_that_is_no_truth_is_an_error),
		WITH_DB(a_refused_clause_leaves_the_others_working),
		cmocka_unit_test(an_id_that_is_no_column_name_is_a_defect),
		cmocka_unit_test(features_named_like_keywords_are_columns_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
