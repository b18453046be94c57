/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/shares.h"

/* Left beyond rounding: other tables of a tool may round differently. */
#define SLACK_PERCENT 0.5
#define MAX_PERCENT   100.5

/* Returns half of the last place of a decimal number: 0.05 for "58.4". */
static double rounding_of(struct weir_slice number)
{
	const char *point = memchr(number.data, '.', number.length);
	size_t places = point ? number.length - (size_t)(point - number.data) - 1 : 0;

	return 0.5 * pow(10, -(double)places);
}

void weir_shares_add(struct weir_shares *shares, struct weir_slice cell, double value)
{
	double percent;

	if (cell.length && cell.data[cell.length - 1] == '%')
		cell.length--;
	if (!cell.length || !weir_parse_double(cell.data, cell.length, &percent) ||
	    !(percent >= 0 && percent <= MAX_PERCENT))
		return;
	shares->percent += percent;
	shares->sum += value;
	shares->rounding += rounding_of(cell);
	shares->rows++;
}

double weir_shares_end(struct weir_shares *shares, struct weir_input *input, const char *what)
{
	double percent = shares->percent, missing = 0;
	struct weir_text detail = {0};

	if (shares->rows && percent > 0 && percent < 100 - SLACK_PERCENT - shares->rounding) {
		missing = shares->sum * (100 / percent - 1);
		weir_text_printf(&detail, "%s: the %zu row%s in the file hold%s %.1f %%", what,
		                 shares->rows, shares->rows == 1 ? "" : "s",
		                 shares->rows == 1 ? "s" : "", percent);
		weir_input_warn(input, WEIR_WARN_MISSING_ROWS, UINT64_MAX, detail.data);
		weir_text_release(&detail);
	}
	*shares = (struct weir_shares){0};
	return missing;
}
