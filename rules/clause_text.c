/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "rules/clause_text.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS  "0123456789"

struct refusal {
	const char *what; /* as it stands in a clause */
	const char *why;
};

static const struct refusal refusals[] = {
	{"'", "a text literal; features are numbers"},
	{"\"", "a quoted name; write the feature without quotes"},
	{"`", "a quoted name; write the feature without quotes"},
	{"[", "a quoted name; write the feature without brackets"},
	{";", "a semicolon; a clause is one expression"},
	{"--", "a comment; put it into the rule's \"see\""},
	{"/*", "a comment; put it into the rule's \"see\""},
	{"?", "a parameter; write the figure"},
	{":", "a parameter; write the figure"},
	{"@", "a parameter; write the figure"},
	{"$", "a parameter; write the figure"},
	{"||", "a text operator; features are numbers"},
	{"->", "a text operator; features are numbers"},
	{"|", "a bit operator; use OR"},
	{"&", "a bit operator; use AND"},
	{"~", "a bit operator; use NOT"},
	{"<<", "a bit operator"},
	{">>", "a bit operator"},
	{"%", "the remainder operator, which drops fractions; shares are 0 to 1"},
	{NULL, NULL},
};

static const char *const refused_words[] = {"cast", "collate", NULL};

static enum weir_status check_characters(const char *clause, struct weir_error *err)
{
	static const char plain[] = LETTERS DIGITS " .,()+-*/<>=!";

	for (const struct refusal *refusal = refusals; refusal->what; refusal++) {
		if (strstr(clause, refusal->what))
			return weir_fail(err, WEIR_E_USAGE, "%s is %s", refusal->what,
			                 refusal->why);
	}
	size_t good = strspn(clause, plain);
	if (clause[good])
		return weir_fail(err, WEIR_E_USAGE,
		                 "byte 0x%02x at character %zu has no place in a clause",
		                 (unsigned)(unsigned char)clause[good], good + 1);
	return WEIR_OK;
}

static enum weir_status check_brackets(const char *clause, struct weir_error *err)
{
	size_t open = 0;

	for (const char *at = clause; *at; at++) {
		if (*at == '(')
			open++;
		if (*at == ')' && open-- == 0)
			return weir_fail(err, WEIR_E_USAGE,
			                 "a closing bracket without its opening one");
	}
	if (open > 0)
		return weir_fail(err, WEIR_E_USAGE, "a bracket that is not closed");
	return WEIR_OK;
}

enum token_kind {
	TOKEN_WHOLE, /* a literal without fraction and exponent */
	TOKEN_OTHER,
};

struct token {
	enum token_kind kind;
	const char *text;
	size_t length;
};

/* The length of the literal at `at`, which begins with a digit or with "." and a digit. */
static size_t literal_length(const char *at)
{
	size_t len = strspn(at, DIGITS ".");

	if (at[len] != 'e' && at[len] != 'E')
		return len + strspn(at + len, LETTERS DIGITS); /* hexadecimal */
	len++;
	len += strspn(at + len, "+-");
	return len + strspn(at + len, DIGITS);
}

static bool is_whole(const struct token *token)
{
	bool hexadecimal = token->length > 1 && (token->text[1] == 'x' || token->text[1] == 'X');

	for (size_t i = 0; i < token->length && !hexadecimal; i++) {
		if (strchr(".eE", token->text[i]))
			return false;
	}
	return true;
}

/* The token at or behind *at; length 0 at the end. Operators come one character at a time. */
static struct token next_token(const char **at)
{
	const char *text = *at + strspn(*at, " ");
	struct token token = {TOKEN_OTHER, text, *text ? 1 : 0};
	bool number = *text && (strchr(DIGITS, *text) ||
	                        (*text == '.' && text[1] && strchr(DIGITS, text[1])));

	if (number) {
		token.length = literal_length(text);
		token.kind = is_whole(&token) ? TOKEN_WHOLE : TOKEN_OTHER;
	} else if (*text && strchr(LETTERS, *text)) {
		token.length = strspn(text, LETTERS DIGITS);
	}
	*at = text + token.length;
	return token;
}

static bool is_operator(const struct token *token, char operator)
{
	return token->length == 1 && token->text[0] == operator;
}

static bool is_refused_word(const struct token *token)
{
	for (const char *const *word = refused_words; *word; word++) {
		if (strlen(*word) == token->length &&
		    strncasecmp(*word, token->text, token->length) == 0)
			return true;
	}
	return false;
}

/* `at` is behind a "/": is the operand a whole literal, signs aside? */
static bool whole_follows(const char *at)
{
	struct token token = next_token(&at);

	while (is_operator(&token, '-') || is_operator(&token, '+'))
		token = next_token(&at);
	return token.kind == TOKEN_WHOLE;
}

static enum weir_status check_tokens(const char *clause, struct weir_error *err)
{
	const char *at = clause;
	bool after_whole = false;

	for (struct token token = next_token(&at); token.length > 0; token = next_token(&at)) {
		if (is_refused_word(&token))
			return weir_fail(err, WEIR_E_USAGE,
			                 "%.*s has no place in a clause; features are numbers",
			                 (int)token.length, token.text);
		if (is_operator(&token, '/') && after_whole && whole_follows(at))
			return weir_fail(err, WEIR_E_USAGE,
			                 "whole numbers on both sides of / drop the fraction; "
			                 "write 1.0 / 2");
		after_whole = token.kind == TOKEN_WHOLE;
	}
	return WEIR_OK;
}

enum weir_status weir_clause_check_text(const char *clause, struct weir_error *err)
{
	size_t length = strlen(clause);

	if (strspn(clause, " ") == length)
		return weir_fail(err, WEIR_E_USAGE, "an empty clause");
	if (length > WEIR_CLAUSE_MAX_LENGTH)
		return weir_fail(err, WEIR_E_USAGE, "%zu characters, at most %d", length,
		                 WEIR_CLAUSE_MAX_LENGTH);
	enum weir_status status = check_characters(clause, err);
	if (!status)
		status = check_brackets(clause, err);
	if (!status)
		status = check_tokens(clause, err);
	return status;
}
