/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions give Kleene's truth, print as what they are, and hostile ones are refused with a
 * reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/features.h"
#include "engine/base/expression.h"
#include "engine/base/splitmix.h"

/* Values of the features a, b, ... */
struct given {
	double value[WEIR_EXPRESSION_MAX_FEATURES];
};

static int open_arena(void **state)
{
	*state = weir_arena_new();
	return 0;
}

static int close_arena(void **state)
{
	weir_arena_free(*state);
	return 0;
}

static struct weir_expression parse(void **state, const char *text)
{
	struct weir_expression expression;
	struct weir_error err = {0};

	if (weir_expression_parse(*state, text, &expression, &err))
		fail_msg("\"%s\": %s", text, err.message);
	return expression;
}

/* The value of a text over the features a, b, ... */
static double value_with(void **state, const char *text, struct given given)
{
	struct weir_expression expression = parse(state, text);
	double values[WEIR_EXPRESSION_MAX_FEATURES];

	for (size_t i = 0; i < expression.feature_count; i++)
		values[i] = given.value[expression.features[i].data[0] - 'a'];
	return weir_node_value(expression.root, values);
}

static bool same_value(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void assert_value(void **state, const char *text, struct given given, double expected)
{
	double value = value_with(state, text, given);

	if (!same_value(value, expected))
		fail_msg("\"%s\" gives %g, expected %g", text, value, expected);
}

static void assert_refused(void **state, const char *text, const char *reason)
{
	struct weir_expression expression;
	struct weir_error err = {0};

	if (weir_expression_parse(*state, text, &expression, &err) != WEIR_E_USAGE)
		fail_msg("\"%s\" is not refused", text);
	if (!strstr(err.message, reason))
		fail_msg("\"%s\" says \"%s\", expected \"%s\" in it", text, err.message, reason);
	assert_int_equal(weir_expression_parse(*state, text, &expression, NULL), WEIR_E_USAGE);
}

/* --- operators --- */

/* An operator with its result for each truth of its operands: a is x = 1, b is y = 1. */
struct truth_row {
	const char *text;
	double expected[9]; /* a, b: FF FT FU TF TT TU UF UT UU */
};

static void logic_is_that_of_kleene(void **state)
{
	static const struct truth_row table[] = {
		{"a = 1 AND b = 1", {0, 0, 0, 0, 1, NAN, 0, NAN, NAN}},
		{"a = 1 OR b = 1", {0, 1, NAN, 1, 1, 1, NAN, 1, NAN}},
		{"NOT a = 1", {1, 1, 1, 0, 0, 0, NAN, NAN, NAN}},
		{"a IS NULL", {0, 0, 0, 0, 0, 0, 1, 1, 1}},
		{"a IS NOT NULL", {1, 1, 1, 1, 1, 1, 0, 0, 0}},
		{"iif(a = 1, b, 7)", {7, 7, 7, 0, 1, NAN, NAN, NAN, NAN}},
		{"coalesce(a, b)", {0, 0, 0, 1, 1, 1, 0, 1, NAN}},
		{"nullif(a, b)", {NAN, 0, 0, 1, NAN, 1, NAN, NAN, NAN}},
		{"0.5 BETWEEN a AND b", {0, 1, NAN, 0, 0, 0, 0, NAN, NAN}},
	};
	static const double truths[] = {0, 1, NAN};

	for (size_t row = 0; row < sizeof table / sizeof *table; row++)
		for (size_t i = 0; i < 9; i++)
			assert_value(state, table[row].text,
			             (struct given){{truths[i / 3], truths[i % 3]}},
			             table[row].expected[i]);
}

struct strict_row {
	const char *text;
	double expected[3]; /* for a = 1, b = 2; a = 2, b = 2; a = -3, b = 2 */
};

static void numbers_are_unknown_as_soon_as_one_is(void **state)
{
	static const struct strict_row table[] = {
		{"a = b", {0, 1, 0}},          {"a != b", {1, 0, 1}},
		{"a < b", {1, 0, 1}},          {"a <= b", {1, 1, 1}},
		{"a > b", {0, 0, 0}},          {"a >= b", {0, 1, 0}},
		{"a + b", {3, 4, -1}},         {"a - b", {-1, 0, -5}},
		{"a * b", {2, 4, -6}},         {"a / b", {0.5, 1, -1.5}},
		{"-a * b", {-2, -4, 6}},       {"min(a, b)", {1, 2, -3}},
		{"max(a, b, 1.5)", {2, 2, 2}}, {"abs(a) + b", {3, 4, 5}},
		{"round(a / b)", {1, 1, -2}},
	};
	static const double values[] = {1, 2, -3};

	for (size_t row = 0; row < sizeof table / sizeof *table; row++) {
		for (size_t i = 0; i < 3; i++)
			assert_value(state, table[row].text, (struct given){{values[i], 2}},
			             table[row].expected[i]);
		assert_value(state, table[row].text, (struct given){{NAN, 2}}, NAN);
		assert_value(state, table[row].text, (struct given){{1, NAN}}, NAN);
	}
}

static void a_division_by_zero_is_unknown(void **state)
{
	assert_value(state, "a / b > 1", (struct given){{7, 0}}, NAN);
	assert_value(state, "a / -b > 1", (struct given){{7, 0}}, NAN);
	assert_value(state, "a / b > 1 OR a > 5", (struct given){{7, 0}}, 1);
}

static void division_keeps_its_fraction(void **state)
{
	assert_value(state, "a > 1 / 2", (struct given){{0.4}}, 0);
	assert_value(state, "a > 1 / 2", (struct given){{0.6}}, 1);
	assert_value(state, "7 / 2 / 2 = a", (struct given){{1.75}}, 1);
}

static void between_takes_both_ends_in(void **state)
{
	assert_value(state, "a BETWEEN 1 AND 2", (struct given){{1}}, 1);
	assert_value(state, "a BETWEEN 1 AND 2", (struct given){{2}}, 1);
	assert_value(state, "a BETWEEN 1 AND 2", (struct given){{2.5}}, 0);
	assert_value(state, "a BETWEEN 1 AND 2 AND b = 1", (struct given){{1.5, 0}}, 0);
	assert_value(state, "a BETWEEN 1 AND b", (struct given){{0, NAN}}, 0);
}

static void numbers_come_in_every_usual_form(void **state)
{
	assert_value(state, "a = .5", (struct given){{0.5}}, 1);
	assert_value(state, "a = 5e-1", (struct given){{0.5}}, 1);
	assert_value(state, "a = 0.05E+1", (struct given){{0.5}}, 1);
	assert_value(state, "a = - -0.5", (struct given){{0.5}}, 1);
}

static void features_are_listed_in_order_of_first_mention(void **state)
{
	struct weir_expression expression = parse(state, "  b1 / a > 4 and (c_2 < b1 OR a < 1)  ");

	assert_int_equal(expression.feature_count, 3);
	assert_true(weir_slice_equals(expression.features[0], "b1"));
	assert_true(weir_slice_equals(expression.features[1], "a"));
	assert_true(weir_slice_equals(expression.features[2], "c_2"));
	assert_true(weir_node_is_condition(expression.root));
	assert_false(weir_node_is_condition(parse(state, "a + 1").root));
}

static void every_feature_of_the_table_can_be_named(void **state)
{
	for (size_t i = 0; i < weir_features.count; i++) {
		struct weir_text text = {0};
		struct weir_expression expression;

		weir_text_printf(&text, "%s > 0", weir_features.items[i].id);
		expression = parse(state, text.data);
		assert_int_equal(expression.feature_count, 1);
		assert_true(weir_slice_equals(expression.features[0], weir_features.items[i].id));
		weir_text_release(&text);
	}
}

/* --- trees --- */

static bool same_tree(const struct weir_node *a, const struct weir_node *b)
{
	if (a->kind != b->kind || a->count != b->count || a->feature != b->feature ||
	    a->number != b->number)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!same_tree(a->arguments[i], b->arguments[i]))
			return false;
	return true;
}

static void operators_bind_as_in_sql(void **state)
{
	static const char *const pairs[][2] = {
		{"a + b * c > 1", "(a + (b * c)) > 1"},
		{"a - b - c > 1", "((a - b) - c) > 1"},
		{"a / b * c > 1", "((a / b) * c) > 1"},
		{"-a + b > 1", "((-a) + b) > 1"},
		{"-a * b > 1", "((-a) * b) > 1"},
		{"a > 1 OR b > 1 AND c > 1", "(a > 1) OR ((b > 1) AND (c > 1))"},
		{"NOT a > 1 AND b > 1", "(NOT (a > 1)) AND (b > 1)"},
		{"NOT NOT a > 1", "NOT (NOT (a > 1))"},
		{"a + b IS NULL OR c = 1", "((a + b) IS NULL) OR (c = 1)"},
		{"a BETWEEN b AND c + 1 AND b > 1", "(a BETWEEN b AND (c + 1)) AND (b > 1)"},
		{"a<1 or b>=2 and not c!=3", "(a < 1) OR ((b >= 2) AND (NOT (c != 3)))"},
		{"a is  not  null", "(a IS NOT NULL)"},
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!same_tree(parse(state, pairs[i][0]).root, parse(state, pairs[i][1]).root))
			fail_msg("\"%s\" is not \"%s\"", pairs[i][0], pairs[i][1]);
}

static void assert_printed(void **state, const char *text, const char *expected)
{
	struct weir_text out = {0};

	weir_node_print(parse(state, text).root, NULL, NULL, &out);
	assert_string_equal(out.data, expected);
	weir_text_release(&out);
}

static void brackets_are_printed_where_they_are_needed(void **state)
{
	assert_printed(state, "((a)+(b*c))>0.50", "a + b * c > 0.50");
	assert_printed(state, "(a+b)*c/(a/b) > 1", "(a + b) * c / (a / b) > 1");
	assert_printed(state, "a-(b-c) > 1", "a - (b - c) > 1");
	assert_printed(state, "NOT (a>1 AND (b IS NULL OR c BETWEEN 1 AND 2))",
	               "not (a > 1 and (b is null or c between 1 and 2))");
	assert_printed(state, "- -a > -max(a,b , 1)", "-(-a) > -max(a, b, 1)");
}

static bool shout(void *context, const struct weir_node *node, struct weir_text *out)
{
	(void)context;
	if (node->kind != WEIR_NODE_FEATURE)
		return false;
	weir_text_printf(out, "<%.*s>", (int)node->text.length, node->text.data);
	return true;
}

static void a_writer_can_write_nodes_in_its_own_way(void **state)
{
	struct weir_text out = {0};

	weir_node_print(parse(state, "max(a, b + 1) > 2").root, shout, NULL, &out);
	assert_string_equal(out.data, "max(<a>, <b> + 1) > 2");
	weir_text_release(&out);
}

/* --- properties of random expressions --- */

/* A random expression as text, with brackets around every part, and its value, which is worked out
 * while the text is written and shares no code with the evaluation. */
struct maker {
	uint64_t random;
	struct given given;
	struct weir_text text;
};

static size_t pick(struct maker *maker, size_t count)
{
	maker->random = weir_splitmix64(maker->random);
	return (size_t)(maker->random % count);
}

static double make_number(struct maker *maker, unsigned depth);
static double make_condition(struct maker *maker, unsigned depth);

static double make_leaf(struct maker *maker)
{
	static const char *const numbers[] = {"0", "1", "2", "0.5", ".25", "1e1"};
	size_t i = pick(maker, 10);

	if (i < 6) {
		weir_text_puts(&maker->text, numbers[i]);
		return strtod(numbers[i], NULL);
	}
	i = pick(maker, 4);
	weir_text_printf(&maker->text, "%c", 'a' + (int)i);
	return maker->given.value[i];
}

static double make_arithmetic(struct maker *maker, unsigned depth)
{
	char sign = "+-*/"[pick(maker, 4)];
	double left, right;

	weir_text_puts(&maker->text, "(");
	left = make_number(maker, depth - 1);
	weir_text_printf(&maker->text, " %c ", sign);
	right = make_number(maker, depth - 1);
	weir_text_puts(&maker->text, ")");
	if (sign == '/')
		return right != 0 ? left / right : NAN;
	return sign == '+' ? left + right : sign == '-' ? left - right : left * right;
}

/* max(), min() or coalesce() of two to four numbers. */
static double make_choice(struct maker *maker, unsigned depth)
{
	static const char *const names[] = {"max(", "MIN(", "coalesce("};
	size_t which = pick(maker, 3), count = 2 + pick(maker, 3);
	double result = NAN;
	bool unknown = false;

	weir_text_puts(&maker->text, names[which]);
	for (size_t i = 0; i < count; i++) {
		double value;

		weir_text_puts(&maker->text, i ? "," : "");
		value = make_number(maker, depth - 1);
		unknown = unknown || isnan(value);
		if (isnan(result) || (which == 0 && value > result) ||
		    (which == 1 && value < result))
			result = value;
	}
	weir_text_puts(&maker->text, ")");
	return unknown && which < 2 ? NAN : result;
}

static double make_pair(struct maker *maker, unsigned depth)
{
	bool is_iif = pick(maker, 2);
	double condition = 0, left, right;

	weir_text_puts(&maker->text, is_iif ? "iif(" : "nullif(");
	if (is_iif) {
		condition = make_condition(maker, depth - 1);
		weir_text_puts(&maker->text, ", ");
	}
	left = make_number(maker, depth - 1);
	weir_text_puts(&maker->text, " , ");
	right = make_number(maker, depth - 1);
	weir_text_puts(&maker->text, ")");
	if (is_iif)
		return isnan(condition) ? NAN : condition == 1 ? left : right;
	return left == right ? NAN : left;
}

static double make_single(struct maker *maker, unsigned depth)
{
	static const char *const names[] = {"(- ", "abs(", "round("};
	size_t which = pick(maker, 3);
	double value;

	weir_text_puts(&maker->text, names[which]);
	value = make_number(maker, depth - 1);
	weir_text_puts(&maker->text, ")");
	return which == 0 ? -value : which == 1 ? fabs(value) : round(value);
}

static double make_number(struct maker *maker, unsigned depth)
{
	static double (*const makers[])(struct maker *, unsigned) = {make_arithmetic, make_choice,
	                                                             make_pair, make_single};

	return depth && pick(maker, 4) ? makers[pick(maker, 4)](maker, depth) : make_leaf(maker);
}

/* -1, 0 or 1 as left is less, equal or more; NAN: one is unknown. */
static double order(double left, double right)
{
	if (isnan(left) || isnan(right))
		return NAN;
	return (left > right) - (left < right);
}

static double make_comparison(struct maker *maker, unsigned depth)
{
	static const char *const signs[] = {"<", "=", ">", "<=", "!=", ">="};
	static const int accepted[][2] = {{-1, -1}, {0, 0}, {1, 1}, {-1, 0}, {-1, 1}, {0, 1}};
	size_t which = pick(maker, 6);
	double relation;

	weir_text_puts(&maker->text, "(");
	relation = make_number(maker, depth - 1);
	weir_text_printf(&maker->text, " %s ", signs[which]);
	relation = order(relation, make_number(maker, depth - 1));
	weir_text_puts(&maker->text, ")");
	return isnan(relation) ? NAN
	                       : relation == accepted[which][0] || relation == accepted[which][1];
}

/* The result of a connective in every world that the unknown operands allow: known if all agree. */
static double in_all_worlds(double left, double right, bool is_and)
{
	bool seen[2] = {false, false};

	for (int l = 0; l < 2; l++)
		for (int r = 0; r < 2; r++)
			if ((isnan(left) || l == (int)left) && (isnan(right) || r == (int)right))
				seen[is_and ? l && r : l || r] = true;
	return seen[0] && seen[1] ? NAN : seen[1];
}

static double make_connective(struct maker *maker, unsigned depth)
{
	bool is_and = pick(maker, 2);
	double left, right;

	weir_text_puts(&maker->text, "(");
	left = make_condition(maker, depth - 1);
	weir_text_puts(&maker->text, is_and ? " And " : " OR ");
	right = make_condition(maker, depth - 1);
	weir_text_puts(&maker->text, ")");
	return in_all_worlds(left, right, is_and);
}

static double make_negation(struct maker *maker, unsigned depth)
{
	double value;

	weir_text_puts(&maker->text, "(not ");
	value = make_condition(maker, depth - 1);
	weir_text_puts(&maker->text, ")");
	return isnan(value) ? NAN : value == 0;
}

static double make_null_test(struct maker *maker, unsigned depth)
{
	bool negative = pick(maker, 2);
	double value;

	weir_text_puts(&maker->text, "(");
	value = make_number(maker, depth - 1);
	weir_text_puts(&maker->text, negative ? " IS NOT NULL)" : " is null)");
	return isnan(value) != negative;
}

static double make_between(struct maker *maker, unsigned depth)
{
	double value, low, high;

	weir_text_puts(&maker->text, "(");
	value = make_number(maker, depth - 1);
	weir_text_puts(&maker->text, " between ");
	low = order(value, make_number(maker, depth - 1));
	weir_text_puts(&maker->text, " and ");
	high = order(value, make_number(maker, depth - 1));
	weir_text_puts(&maker->text, ")");
	return in_all_worlds(isnan(low) ? low : low >= 0, isnan(high) ? high : high <= 0, true);
}

static double make_condition(struct maker *maker, unsigned depth)
{
	static double (*const makers[])(struct maker *, unsigned) = {
		make_comparison, make_connective, make_connective,
		make_negation,   make_null_test,  make_between};

	return makers[depth < 2 ? 0 : pick(maker, 6)](maker, depth ? depth : 1);
}

static void check_random(void **state, struct maker *maker)
{
	static const double values[] = {0, 1, 2, 0.5, -1, 10, NAN};
	struct weir_expression first, second;
	struct weir_text printed = {0};
	double expected;

	for (size_t i = 0; i < 4; i++)
		maker->given.value[i] = values[pick(maker, 7)];
	weir_text_clear(&maker->text);
	expected = make_condition(maker, 4);
	if (maker->text.length > WEIR_EXPRESSION_MAX_LENGTH)
		return;
	assert_value(state, maker->text.data, maker->given, expected);
	first = parse(state, maker->text.data);
	weir_node_print(first.root, NULL, NULL, &printed);
	second = parse(state, printed.data);
	if (!same_tree(first.root, second.root) || printed.length > maker->text.length + 40)
		fail_msg("\"%s\" is printed as \"%s\"", maker->text.data, printed.data);
	assert_value(state, printed.data, maker->given, expected);
	weir_text_release(&printed);
}

static void random_expressions_keep_value_and_tree(void **state)
{
	struct maker maker = {.random = 2024};

	for (int round = 0; round < 20000; round++)
		check_random(state, &maker);
	weir_text_release(&maker.text);
}

/* --- refusals --- */

static void parts_of_sql_and_c_are_refused_with_a_reason(void **state)
{
	assert_refused(state, "a > 'abc'", "a text literal");
	assert_refused(state, "\"a\" > 3", "a quoted name");
	assert_refused(state, "a > 1; DROP TABLE feature", "a semicolon");
	assert_refused(state, "a > 1 -- always", "a comment");
	assert_refused(state, "a > 1 /* always */", "a comment");
	assert_refused(state, "a || 1 > 2", "a bit operator; write OR");
	assert_refused(state, "a & 1 > 2", "a bit operator; write AND");
	assert_refused(state, "a % 2 > 0", "remainder");
	assert_refused(state, "a IN (1, 2)", "in is not supported; write a = 1 OR a = 2");
	assert_refused(state, "CASE WHEN a > 1 THEN 2 END > 1", "write iif(condition, a, b)");
	assert_refused(state, "(SELECT 1) > a", "select is not supported");
	assert_refused(state, "a == 1", "found \"=\"");
	assert_refused(state, "a <> 1", "found \">\"");
	assert_refused(state, "a > +1", "found \"+\"");
	assert_refused(state, "a > 1\n", "byte 0x0a at character 6");
	assert_refused(state, "a > \xc2\xbd", "byte 0xc2 at character 5");
	assert_refused(state, "a > ?2", "byte 0x3f");
	assert_refused(state, "", "an empty clause");
	assert_refused(state, "   ", "an empty clause");
}

static void faults_name_the_place(void **state)
{
	assert_refused(state, "a >", "expected a number or a feature at the end");
	assert_refused(state, "a > 0, b > 1", "expected an operator or the end at character 6");
	assert_refused(state, "(a > 0", "expected \")\" at the end");
	assert_refused(state, "a > 0)", "at character 6, found \")\"");
	assert_refused(state, "a > 0 or and b",
	               "expected a number or a feature at character 10, "
	               "found \"and\"");
	assert_refused(state, "max(a, 1 > 2", "expected \",\" or \")\"");
	assert_refused(state, "max a > 2", "expected \"(\" at character 5, found \"a\"");
	assert_refused(state, "a BETWEEN 1 OR 2", "expected AND at character 13");
	assert_refused(state, "a > 1.2.3", "\"1.2.3\" is not a number");
	assert_refused(state, "a > 10ms", "\"10ms\" is not a number");
	assert_refused(state, "a > 0x10", "\"0x10\" is not a number");
	assert_refused(state, "a > 1e999", "\"1e999\" is not a number");
	assert_refused(state, "a > 1e", "\"1e\" is not a number");
	assert_refused(state, "a > .", "\".\" is not a number");
	assert_refused(state, "sum(a) > 0", "found \"(\"");
}

static void numbers_and_conditions_do_not_mix(void **state)
{
	assert_refused(state, "a AND b > 1", "\"and\" takes a condition, found a number");
	assert_refused(state, "NOT a", "\"not\" takes a condition, found a number");
	assert_refused(state, "(a > 1) + 1 > 1", "\"+\" takes a number, found a condition");
	assert_refused(state, "1 < a < 2", "\"<\" takes a number, found a condition");
	assert_refused(state, "(a > 1) IS NULL", "\"is null\" takes a number");
	assert_refused(state, "iif(a, b, 1) > 1", "\"iif\" takes a condition");
	assert_refused(state, "iif(a > 1, b > 1, 1) > 1", "\"iif\" takes a number");
	assert_refused(state, "max(a > 1, 2) > 1", "\"max\" takes a number");
}

static void functions_take_their_number_of_arguments(void **state)
{
	assert_refused(state, "max(a) > 1", "too few arguments of max(), at least 2");
	assert_refused(state, "abs(a, 1) > 1", "too many arguments of abs(), at most 1");
	assert_refused(state, "iif(a > 1, 2) > 1", "too few arguments of iif(), at least 3");
	assert_refused(state, "max(a,1,2,3,4,5,6,7,8) > 0",
	               "too many arguments of max(), at most 8");
	assert_refused(state, "max() > 1", "found \")\"");
	(void)parse(state, "max(a,1,2,3,4,5,6,7) > 0");
}

static void assert_repeated(void **state, const char *before, const char *part, size_t times,
                            const char *after, const char *reason)
{
	struct weir_text text = {0};

	weir_text_puts(&text, before);
	weir_text_repeat(&text, part, times);
	weir_text_puts(&text, after);
	if (*after == ')')
		weir_text_repeat(&text, ")", times - 1);
	if (reason)
		assert_refused(state, text.data, reason);
	else
		(void)parse(state, text.data);
	weir_text_release(&text);
}

static void long_and_deep_expressions_meet_a_limit(void **state)
{
	assert_repeated(state, "a > 0", " OR a > 0", 1000, "", "at most 400");
	assert_repeated(state, "a > 1000", " ", 392, "", NULL);
	assert_repeated(state, "a > 1000", " ", 393, "", "401 characters, at most 400");
	assert_repeated(state, "a > 1", "+1", 100, "", "more than 40 levels");
	assert_repeated(state, "a > 1", "+1", 38, "", NULL);
	assert_repeated(state, "a > 1", "+1", 39, "", "more than 40 levels");
	assert_repeated(state, "", "NOT ", 80, "a > 1", "more than 40 levels");
	assert_repeated(state, "a > 1 OR ", "(", 180, "", "more than 40 levels");
	assert_repeated(state, "a > ", "- ", 180, "1", "more than 40 levels");
	assert_repeated(state, "a > ", "abs(", 60, "", "more than 40 levels");
}

static void an_expression_reads_eight_features_at_most(void **state)
{
	(void)parse(state, "a+b+c+d+e+f+g+h+a+h > 0");
	assert_refused(state, "a+b+c+d+e+f+g+h+i > 0", "more than 8 features");
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ARENA(logic_is_that_of_kleene),
		WITH_ARENA(numbers_are_unknown_as_soon_as_one_is),
		WITH_ARENA(a_division_by_zero_is_unknown),
		WITH_ARENA(division_keeps_its_fraction),
		WITH_ARENA(between_takes_both_ends_in),
		WITH_ARENA(numbers_come_in_every_usual_form),
		WITH_ARENA(features_are_listed_in_order_of_first_mention),
		WITH_ARENA(every_feature_of_the_table_can_be_named),
		WITH_ARENA(operators_bind_as_in_sql),
		WITH_ARENA(brackets_are_printed_where_they_are_needed),
		WITH_ARENA(a_writer_can_write_nodes_in_its_own_way),
		WITH_ARENA(random_expressions_keep_value_and_tree),
		WITH_ARENA(parts_of_sql_and_c_are_refused_with_a_reason),
		WITH_ARENA(faults_name_the_place),
		WITH_ARENA(numbers_and_conditions_do_not_mix),
		WITH_ARENA(functions_take_their_number_of_arguments),
		WITH_ARENA(long_and_deep_expressions_meet_a_limit),
		WITH_ARENA(an_expression_reads_eight_features_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
