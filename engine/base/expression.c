/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "engine/base/expression.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS  "0123456789"

/* Precedences, the loosest first. Operators of equal precedence associate to the left. */
enum precedence {
	LOOSEST = 1,
	JUNCTION, /* AND */
	NEGATION, /* NOT */
	COMPARISON,
	SUM,
	PRODUCT,
	SIGN,
	TIGHTEST, /* numbers, features and calls */
};

enum form {
	LEAF,
	PREFIX,
	INFIX, /* one argument before the symbol; the others follow it, joined by "and" */
	CALL,
};

struct row {
	const char *symbol; /* lower case; a blank stands for any number of blanks */
	enum form form;
	enum precedence precedence;
	size_t least, most; /* arguments */
	size_t conditions;  /* leading arguments that are conditions; the others are numbers */
	bool gives_condition;
	bool takes_unknown; /* false: any unknown argument makes the result unknown */
};

#define MANY WEIR_EXPRESSION_MAX_ARGUMENTS

/* The first match is taken, so "<=" precedes "<". */
static const struct row rows[WEIR_NODE_COUNT] = {
	[WEIR_NODE_NUMBER] = {NULL, LEAF, TIGHTEST, 0, 0, 0, false, false},
	[WEIR_NODE_FEATURE] = {NULL, LEAF, TIGHTEST, 0, 0, 0, false, false},
	[WEIR_NODE_OR] = {"or", INFIX, LOOSEST, 2, 2, 2, true, true},
	[WEIR_NODE_AND] = {"and", INFIX, JUNCTION, 2, 2, 2, true, true},
	[WEIR_NODE_NOT] = {"not", PREFIX, NEGATION, 1, 1, 1, true, false},
	[WEIR_NODE_EQUAL] = {"=", INFIX, COMPARISON, 2, 2, 0, true, false},
	[WEIR_NODE_UNEQUAL] = {"!=", INFIX, COMPARISON, 2, 2, 0, true, false},
	[WEIR_NODE_AT_MOST] = {"<=", INFIX, COMPARISON, 2, 2, 0, true, false},
	[WEIR_NODE_AT_LEAST] = {">=", INFIX, COMPARISON, 2, 2, 0, true, false},
	[WEIR_NODE_LESS] = {"<", INFIX, COMPARISON, 2, 2, 0, true, false},
	[WEIR_NODE_MORE] = {">", INFIX, COMPARISON, 2, 2, 0, true, false},
	[WEIR_NODE_BETWEEN] = {"between", INFIX, COMPARISON, 3, 3, 0, true, true},
	[WEIR_NODE_IS_NULL] = {"is null", INFIX, COMPARISON, 1, 1, 0, true, true},
	[WEIR_NODE_IS_NOT_NULL] = {"is not null", INFIX, COMPARISON, 1, 1, 0, true, true},
	[WEIR_NODE_ADD] = {"+", INFIX, SUM, 2, 2, 0, false, false},
	[WEIR_NODE_SUBTRACT] = {"-", INFIX, SUM, 2, 2, 0, false, false},
	[WEIR_NODE_MULTIPLY] = {"*", INFIX, PRODUCT, 2, 2, 0, false, false},
	[WEIR_NODE_DIVIDE] = {"/", INFIX, PRODUCT, 2, 2, 0, false, false},
	[WEIR_NODE_NEGATE] = {"-", PREFIX, SIGN, 1, 1, 0, false, false},
	[WEIR_NODE_ABS] = {"abs", CALL, TIGHTEST, 1, 1, 0, false, false},
	[WEIR_NODE_MIN] = {"min", CALL, TIGHTEST, 2, MANY, 0, false, false},
	[WEIR_NODE_MAX] = {"max", CALL, TIGHTEST, 2, MANY, 0, false, false},
	[WEIR_NODE_COALESCE] = {"coalesce", CALL, TIGHTEST, 2, MANY, 0, false, true},
	[WEIR_NODE_NULLIF] = {"nullif", CALL, TIGHTEST, 2, 2, 0, false, true},
	[WEIR_NODE_ROUND] = {"round", CALL, TIGHTEST, 1, 1, 0, false, false},
	[WEIR_NODE_IIF] = {"iif", CALL, TIGHTEST, 3, 3, 1, false, true},
};

/* --- parsing --- */

struct parser {
	struct weir_arena *arena;
	struct weir_expression *out;
	const char *text, *at; /* `at` never points to a blank */
	unsigned depth;
	struct weir_error *err;
};

#define COUNT(array)        (sizeof(array) / sizeof *(array))
#define REFUSE(parser, ...) (weir_fail((parser)->err, WEIR_E_USAGE, __VA_ARGS__), NULL)

struct hint {
	const char *text, *why;
};

/* Syntax of SQL and C that users may try. */
static const struct hint characters[] = {
	{"'", "a text literal; features are numbers"},
	{"\"", "a quoted name; write the feature without quotes"},
	{";", "a semicolon; a clause is one expression"},
	{"--", "a comment; put it into the rule's \"see\""},
	{"/*", "a comment; put it into the rule's \"see\""},
	{"%", "the remainder operator, which clauses do not have"},
	{"|", "a bit operator; write OR"},
	{"&", "a bit operator; write AND"},
};
static const struct hint words[] = {
	{"case", "write iif(condition, a, b)"},
	{"in", "write a = 1 OR a = 2"},
	{"select", "a clause is one expression over features"},
};

static enum weir_status check_characters(const char *text, struct weir_error *err)
{
	size_t length = strlen(text), good = strspn(text, LETTERS DIGITS " .,()+-*/<>=!");

	if (strspn(text, " ") == length)
		return weir_fail(err, WEIR_E_USAGE, "an empty clause");
	if (length > WEIR_EXPRESSION_MAX_LENGTH)
		return weir_fail(err, WEIR_E_USAGE, "%zu characters, at most %d", length,
		                 WEIR_EXPRESSION_MAX_LENGTH);
	for (size_t i = 0; i < COUNT(characters); i++)
		if (strstr(text, characters[i].text))
			return weir_fail(err, WEIR_E_USAGE, "%s is %s", characters[i].text,
			                 characters[i].why);
	if (text[good])
		return weir_fail(err, WEIR_E_USAGE, "byte 0x%02x at character %zu is not allowed",
		                 (unsigned)(unsigned char)text[good], good + 1);
	return WEIR_OK;
}

/* Returns the name or number at `at`, otherwise the single character there; empty at the end. */
static struct weir_slice token_at(const char *at)
{
	size_t length = strspn(at, LETTERS DIGITS);

	return (struct weir_slice){at, length || !*at ? length : 1};
}

/* Skips `length` bytes and the blanks after them. */
static void advance(struct parser *parser, size_t length)
{
	parser->at += length;
	parser->at += strspn(parser->at, " ");
}

/* Returns the length of the symbol at `at`, in upper or lower case; 0 if another text is there. */
static size_t match(const char *at, const char *symbol)
{
	const char *start = at;

	for (; *symbol; symbol++) {
		size_t length = *symbol == ' ' ? strspn(at, " ") : !strncasecmp(at, symbol, 1);

		if (!length)
			return 0;
		at += length;
	}
	if (strchr(LETTERS, symbol[-1]) && *at && strchr(LETTERS DIGITS, *at))
		return 0;
	return (size_t)(at - start);
}

static bool take(struct parser *parser, const char *symbol)
{
	size_t length = match(parser->at, symbol);

	advance(parser, length);
	return length > 0;
}

/* Returns the operator of this form at `at`, or WEIR_NODE_COUNT. */
static enum weir_node_kind kind_at(const char *at, enum form form)
{
	size_t i = 0;

	while (i < WEIR_NODE_COUNT && (rows[i].form != form || !match(at, rows[i].symbol)))
		i++;
	return (enum weir_node_kind)i;
}

/* Refuses the token at the current position. */
static const struct weir_node *unexpected(struct parser *parser, const char *expected)
{
	struct weir_slice found = token_at(parser->at);

	for (size_t i = 0; i < COUNT(words); i++)
		if (match(parser->at, words[i].text))
			return REFUSE(parser, "%s is not supported; %s", words[i].text,
			              words[i].why);
	if (!found.length)
		return REFUSE(parser, "expected %s at the end", expected);
	return REFUSE(parser, "expected %s at character %zu, found \"%.*s\"", expected,
	              (size_t)(parser->at - parser->text) + 1, (int)found.length, found.data);
}

/* Makes an inner node; checks the types of its arguments and its height. */
static const struct weir_node *make(struct parser *parser, enum weir_node_kind kind,
                                    const struct weir_node *const *arguments, size_t count)
{
	const struct row *row = &rows[kind];
	struct weir_node *node = weir_arena_alloc(parser->arena, sizeof *node);
	size_t size = count * sizeof *arguments;

	*node = (struct weir_node){kind, .height = 1, .count = count};
	node->arguments = memcpy(weir_arena_alloc(parser->arena, size), arguments, size);
	for (size_t i = 0; i < count; i++) {
		bool wanted = i < row->conditions;

		if (wanted != weir_node_is_condition(arguments[i]))
			return REFUSE(
				parser,
				wanted ? "\"%s\" takes a condition, found a number: compare it "
					 "with something"
				       : "\"%s\" takes a number, found a condition",
				row->symbol);
		if (node->height <= arguments[i]->height)
			node->height = arguments[i]->height + 1;
	}
	if (node->height > WEIR_EXPRESSION_MAX_DEPTH)
		return REFUSE(parser, "more than %d levels deep", WEIR_EXPRESSION_MAX_DEPTH);
	return node;
}

static struct weir_node *make_leaf(struct parser *parser, enum weir_node_kind kind, size_t length)
{
	struct weir_node *node = weir_arena_alloc(parser->arena, sizeof *node);

	*node = (struct weir_node){kind, .height = 1, .text = {parser->at, length}};
	advance(parser, length);
	return node;
}

static const struct weir_node *parse_number(struct parser *parser)
{
	size_t length = strspn(parser->at, DIGITS ".");
	struct weir_node *node;

	if (parser->at[length] == 'e' || parser->at[length] == 'E')
		length += 1 + strspn(parser->at + length + 1, "+-");
	length += strspn(parser->at + length, LETTERS DIGITS ".");
	node = make_leaf(parser, WEIR_NODE_NUMBER, length);
	if (!weir_parse_double(node->text.data, length, &node->number) || !isfinite(node->number))
		return REFUSE(parser, "\"%.*s\" is not a number", (int)length, node->text.data);
	return node;
}

static const struct weir_node *parse_feature(struct parser *parser)
{
	struct weir_expression *out = parser->out;
	struct weir_node *node = make_leaf(parser, WEIR_NODE_FEATURE, token_at(parser->at).length);

	while (node->feature < out->feature_count &&
	       !weir_slice_same(out->features[node->feature], node->text))
		node->feature++;
	if (node->feature == WEIR_EXPRESSION_MAX_FEATURES)
		return REFUSE(parser, "reads more than %d features; split it",
		              WEIR_EXPRESSION_MAX_FEATURES);
	out->features[node->feature] = node->text;
	if (node->feature == out->feature_count)
		out->feature_count++;
	return node;
}

static const struct weir_node *parse_level(struct parser *parser, enum precedence loosest);

static const struct weir_node *parse_call(struct parser *parser, enum weir_node_kind function)
{
	const struct weir_node *arguments[WEIR_EXPRESSION_MAX_ARGUMENTS];
	const struct row *row = &rows[function];
	size_t count = 0;

	advance(parser, strlen(row->symbol));
	if (!take(parser, "("))
		return unexpected(parser, "\"(\"");
	do {
		if (count == row->most)
			return REFUSE(parser, "too many arguments of %s(), at most %zu",
			              row->symbol, row->most);
		arguments[count] = parse_level(parser, LOOSEST);
		if (!arguments[count++])
			return NULL;
	} while (take(parser, ","));
	if (!take(parser, ")"))
		return unexpected(parser, "\",\" or \")\"");
	if (count < row->least)
		return REFUSE(parser, "too few arguments of %s(), at least %zu", row->symbol,
		              row->least);
	return make(parser, function, arguments, count);
}

static const struct weir_node *parse_bracket(struct parser *parser)
{
	const struct weir_node *node = parse_level(parser, LOOSEST);

	return !node || take(parser, ")") ? node : unexpected(parser, "\")\"");
}

/* Parses a number, a feature, a call or a bracket, with any prefixes. */
static const struct weir_node *parse_operand(struct parser *parser)
{
	enum weir_node_kind prefix = kind_at(parser->at, PREFIX);
	enum weir_node_kind function = kind_at(parser->at, CALL);
	bool reserved = kind_at(parser->at, INFIX) != WEIR_NODE_COUNT;

	for (size_t i = 0; i < COUNT(words); i++)
		reserved |= match(parser->at, words[i].text) > 0;
	if (prefix != WEIR_NODE_COUNT) {
		const struct weir_node *node;

		(void)take(parser, rows[prefix].symbol);
		node = parse_level(parser, rows[prefix].precedence);
		return node ? make(parser, prefix, &node, 1) : NULL;
	}
	if (take(parser, "("))
		return parse_bracket(parser);
	if (function != WEIR_NODE_COUNT)
		return parse_call(parser, function);
	if (*parser->at && strchr(DIGITS ".", *parser->at))
		return parse_number(parser);
	if (*parser->at && strchr(LETTERS, *parser->at) && !reserved)
		return parse_feature(parser);
	return unexpected(parser, "a number or a feature");
}

/* Parses the infix operators after `first` that bind at least as tightly as `loosest`, by
 * precedence climbing. */
static const struct weir_node *parse_operators(struct parser *parser, const struct weir_node *first,
                                               enum precedence loosest)
{
	for (;;) {
		enum weir_node_kind kind = kind_at(parser->at, INFIX);
		const struct weir_node *arguments[3] = {first};

		if (kind == WEIR_NODE_COUNT || rows[kind].precedence < loosest)
			return first;
		(void)take(parser, rows[kind].symbol);
		for (size_t i = 1; i < rows[kind].most; i++) {
			if (i == 2 && !take(parser, "and"))
				return unexpected(parser, "AND");
			arguments[i] = parse_level(parser, rows[kind].precedence + 1);
			if (!arguments[i])
				return NULL;
		}
		first = make(parser, kind, arguments, rows[kind].most);
		if (!first)
			return NULL;
	}
}

/* Parses an expression whose operators bind at least as tightly as `loosest`. */
static const struct weir_node *parse_level(struct parser *parser, enum precedence loosest)
{
	const struct weir_node *node;

	if (parser->depth == WEIR_EXPRESSION_MAX_DEPTH)
		return REFUSE(parser, "more than %d levels deep", WEIR_EXPRESSION_MAX_DEPTH);
	parser->depth++;
	node = parse_operand(parser);
	if (node)
		node = parse_operators(parser, node, loosest);
	parser->depth--;
	return node;
}

enum weir_status weir_expression_parse(struct weir_arena *arena, const char *text,
                                       struct weir_expression *out, struct weir_error *err)
{
	struct weir_error own = {0};
	struct parser parser = {arena, out, text, text, 0, err ? err : &own};
	enum weir_status status = check_characters(text, err);

	*out = (struct weir_expression){0};
	if (status)
		return status;
	advance(&parser, 0);
	out->root = parse_level(&parser, LOOSEST);
	if (out->root && *parser.at)
		out->root = unexpected(&parser, "an operator or the end");
	return out->root ? WEIR_OK : parser.err->status;
}

/* --- evaluation --- */

bool weir_node_is_condition(const struct weir_node *node)
{
	return rows[node->kind].gives_condition;
}

/* Kleene's AND: false if one operand is false, even if the other is unknown. */
static double both(double a, double b)
{
	return a == 0 || b == 0 ? 0 : a * b;
}

static double at_most(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : a <= b;
}

static double first_known(const double *values, size_t count)
{
	while (count > 1 && isnan(*values)) {
		values++;
		count--;
	}
	return *values;
}

static double extreme(const double *values, size_t count, double sign)
{
	double best = values[0];

	for (size_t i = 1; i < count; i++)
		if (values[i] * sign > best * sign)
			best = values[i];
	return best;
}

/* Applies an operator to values that are known, unless it takes unknown ones. */
static double compute(enum weir_node_kind kind, const double *value, size_t count)
{
	switch (kind) {
	case WEIR_NODE_OR:
		return 1 - both(1 - value[0], 1 - value[1]);
	case WEIR_NODE_AND:
		return both(value[0], value[1]);
	case WEIR_NODE_NOT:
		return 1 - value[0];
	case WEIR_NODE_EQUAL:
		return value[0] == value[1];
	case WEIR_NODE_UNEQUAL:
		return value[0] != value[1];
	case WEIR_NODE_AT_MOST:
		return value[0] <= value[1];
	case WEIR_NODE_AT_LEAST:
		return value[0] >= value[1];
	case WEIR_NODE_LESS:
		return value[0] < value[1];
	case WEIR_NODE_MORE:
		return value[0] > value[1];
	case WEIR_NODE_BETWEEN:
		return both(at_most(value[1], value[0]), at_most(value[0], value[2]));
	case WEIR_NODE_IS_NULL:
		return isnan(value[0]);
	case WEIR_NODE_IS_NOT_NULL:
		return !isnan(value[0]);
	case WEIR_NODE_ADD:
		return value[0] + value[1];
	case WEIR_NODE_SUBTRACT:
		return value[0] - value[1];
	case WEIR_NODE_MULTIPLY:
		return value[0] * value[1];
	case WEIR_NODE_DIVIDE:
		return value[1] == 0 ? NAN : value[0] / value[1];
	case WEIR_NODE_NEGATE:
		return -value[0];
	case WEIR_NODE_ABS:
		return fabs(value[0]);
	case WEIR_NODE_MIN:
		return extreme(value, count, -1);
	case WEIR_NODE_MAX:
		return extreme(value, count, 1);
	case WEIR_NODE_COALESCE:
		return first_known(value, count);
	case WEIR_NODE_NULLIF:
		return value[0] == value[1] ? NAN : value[0];
	case WEIR_NODE_ROUND:
		return round(value[0]);
	case WEIR_NODE_IIF:
		return isnan(value[0]) ? NAN : value[value[0] != 0 ? 1 : 2];
	case WEIR_NODE_NUMBER:
	case WEIR_NODE_FEATURE:
	case WEIR_NODE_COUNT:
		break;
	}
	return NAN;
}

double weir_node_value(const struct weir_node *node, const double *values)
{
	double arguments[WEIR_EXPRESSION_MAX_ARGUMENTS] = {0};
	bool unknown = false;

	if (node->kind == WEIR_NODE_NUMBER)
		return node->number;
	if (node->kind == WEIR_NODE_FEATURE)
		return values[node->feature];
	for (size_t i = 0; i < node->count; i++) {
		arguments[i] = weir_node_value(node->arguments[i], values);
		unknown |= isnan(arguments[i]);
	}
	if (unknown && !rows[node->kind].takes_unknown)
		return NAN;
	return compute(node->kind, arguments, node->count);
}

/* --- printing --- */

struct printer {
	weir_node_writer *writer;
	void *context;
	struct weir_text *out;
};

static void print(const struct printer *printer, const struct weir_node *node,
                  enum precedence loosest);

/* Prints the arguments from `first` on, in brackets if they bind less tightly than `loosest`. */
static void print_arguments(const struct printer *printer, const struct weir_node *node,
                            size_t first, enum precedence loosest, const char *separator)
{
	for (size_t i = first; i < node->count; i++) {
		weir_text_puts(printer->out, i > first ? separator : "");
		print(printer, node->arguments[i], loosest);
	}
}

static void print_plain(const struct printer *printer, const struct weir_node *node)
{
	const struct row *row = &rows[node->kind];
	struct weir_text *out = printer->out;

	switch (row->form) {
	case LEAF:
		weir_text_add(out, node->text.data, node->text.length);
		return;
	case PREFIX:
		weir_text_printf(out, row->precedence == SIGN ? "%s" : "%s ", row->symbol);
		print_arguments(printer, node, 0, row->precedence + 1, "");
		return;
	case INFIX:
		print(printer, node->arguments[0], row->precedence);
		weir_text_printf(out, node->count > 1 ? " %s " : " %s", row->symbol);
		print_arguments(printer, node, 1, row->precedence + 1, " and ");
		return;
	case CALL:
		weir_text_printf(out, "%s(", row->symbol);
		print_arguments(printer, node, 0, LOOSEST, ", ");
		weir_text_puts(out, ")");
	}
}

/* Prints a node, in brackets if it binds less tightly than `loosest`. */
static void print(const struct printer *printer, const struct weir_node *node,
                  enum precedence loosest)
{
	bool bracket = rows[node->kind].precedence < loosest;

	if (printer->writer && printer->writer(printer->context, node, printer->out))
		return;
	weir_text_puts(printer->out, bracket ? "(" : "");
	print_plain(printer, node);
	weir_text_puts(printer->out, bracket ? ")" : "");
}

void weir_node_print(const struct weir_node *node, weir_node_writer *writer, void *context,
                     struct weir_text *out)
{
	const struct printer printer = {writer, context, out};

	print(&printer, node, LOOSEST);
}
