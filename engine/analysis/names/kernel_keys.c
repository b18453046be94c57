/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One kernel under the names that two profilers print. Nsight Compute leaves out name spaces,
 * writes template parameters for types in lists of parameters, and has its own words for lambdas;
 * what it and a demangler agree in are the words of the name and of its template arguments.
 */
#include <string.h>

#include "engine/analysis/names/kernels.h"

#define MAX_KEY 4096 /* bytes of a key; what follows tells no two kernels apart */

struct scan {
	const char *at;
	struct weir_text *out;
	bool after_lambda; /* its parameters are part of the name */
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool skips(const char **at, const char *part)
{
	size_t length = strlen(part);

	if (strncmp(*at, part, length) != 0)
		return false;
	*at += length;
	return true;
}

/* Behind the bracket that closes the one at `at`, or at the end. */
static const char *behind_bracket(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			return at + 1;
	}
	return at;
}

/* "3ul" is 3, true is 1. */
static void put_word(struct weir_text *out, const char *word, size_t length)
{
	if (length == 4 && !memcmp(word, "true", 4))
		word = "1", length = 1;
	else if (length == 5 && !memcmp(word, "false", 5))
		word = "0", length = 1;
	while (length > 1 && word[0] >= '0' && word[0] <= '9' && strchr("uUlL", word[length - 1]))
		length--;
	weir_text_add(out, word, length);
	weir_text_puts(out, " ");
}

static bool is_silent(const char *word, size_t length)
{
	static const char *const silent[] = {"void", "instance"};

	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
		if (strlen(silent[i]) == length && !memcmp(word, silent[i], length))
			return true;
	return false;
}

static void take_word(struct scan *scan)
{
	const char *word = scan->at;
	size_t length;

	while (is_word(*scan->at))
		scan->at++;
	length = (size_t)(scan->at - word);
	/* What is left of an unnamed name space where names are shortened. */
	if (length == 7 && !memcmp(word, "unnamed", 7) && skips(&scan->at, ">::"))
		return;
	if (skips(&scan->at, "::") || is_silent(word, length))
		return;
	put_word(scan->out, word, length);
	scan->after_lambda = length == 6 && !memcmp(word, "lambda", 6);
}

static void take_sign(struct scan *scan)
{
	if (skips(&scan->at, "(anonymous namespace)::") || skips(&scan->at, "<unnamed>::"))
		return;
	if (*scan->at == '(' && !scan->after_lambda && strncmp(scan->at, "(instance ", 10) != 0)
		scan->at = behind_bracket(scan->at);
	else
		scan->at++;
	scan->after_lambda = false;
}

void weir_kernel_key(const char *name, struct weir_text *text)
{
	struct scan scan = {.at = name, .out = text};

	weir_text_clear(text);
	while (*scan.at && text->length < MAX_KEY) {
		if (is_word(*scan.at))
			take_word(&scan);
		else
			take_sign(&scan);
	}
}
