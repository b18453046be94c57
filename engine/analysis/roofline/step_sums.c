/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <string.h>

#include "engine/analysis/roofline/step_sums.h"
#include "engine/base/text.h"

#define MOST 1e15 /* of a sum: more is damage */

static bool take_sum(const char **at, const char *label, double *out)
{
	size_t length = strlen(label), digits = 0;
	int64_t value;

	if (strncmp(*at, label, length) != 0)
		return false;
	*at += length;
	while ((*at)[digits] >= '0' && (*at)[digits] <= '9')
		digits++;
	if (!weir_parse_i64(*at, digits, &value) || (double)value > MOST)
		return false;
	*at += digits;
	*out = (double)value;
	return true;
}

/* "context_3(sq..sk..sqsq..sqsk..)" */
static bool take_rows(const char *name, const char *label, struct weir_row_sums *out)
{
	const char *at = strstr(name, label);

	at = at ? strchr(at, '(') : NULL;
	if (!at)
		return false;
	at++;
	return take_sum(&at, "sq", &out->q) && take_sum(&at, "sk", &out->k) &&
	       take_sum(&at, "sqsq", &out->qq) && take_sum(&at, "sqsk", &out->qk) && *at == ')' &&
	       out->qq >= out->q && out->qk >= out->q;
}

bool weir_step_sums_parse(const char *name, struct weir_step_sums *out)
{
	struct weir_step_sums read;

	if (strncmp(name, "execute_", 8) != 0 || !take_rows(name, "context_", &read.context) ||
	    !take_rows(name, "generation_", &read.generation))
		return false;
	*out = read;
	return true;
}

static void add_rows(struct weir_row_sums *to, const struct weir_row_sums *other)
{
	to->q += other->q;
	to->k += other->k;
	to->qq += other->qq;
	to->qk += other->qk;
}

void weir_step_sums_add(struct weir_step_sums *to, const struct weir_step_sums *other)
{
	add_rows(&to->context, &other->context);
	add_rows(&to->generation, &other->generation);
}

static void divide_rows(struct weir_row_sums *rows, double by)
{
	rows->q /= by;
	rows->k /= by;
	rows->qq /= by;
	rows->qk /= by;
}

void weir_step_sums_divide(struct weir_step_sums *sums, double by)
{
	divide_rows(&sums->context, by);
	divide_rows(&sums->generation, by);
}

double weir_step_sums_pairs(const struct weir_step_sums *sums)
{
	return sums->context.qk - (sums->context.qq - sums->context.q) / 2 + sums->generation.qk;
}
