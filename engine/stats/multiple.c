/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/multiple.h"

struct ranked {
	double p;
	size_t index;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *left = a;
	const struct ranked *right = b;

	if (left->p != right->p)
		return left->p < right->p ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

/* Returns the tests in order of p without NANs, and their number in *tests. The caller frees it. */
static struct ranked *rank_tests(const double *p, size_t count, size_t *tests)
{
	struct ranked *order = weir_alloc((count + 1) * sizeof(*order));

	*tests = 0;
	for (size_t i = 0; i < count; i++) {
		if (!isnan(p[i]))
			order[(*tests)++] = (struct ranked){p[i], i};
	}
	qsort(order, *tests, sizeof(*order), by_p);
	return order;
}

static void copy_untested(const double *p, size_t count, double *adjusted)
{
	for (size_t i = 0; i < count; i++) {
		if (isnan(p[i]))
			adjusted[i] = NAN;
	}
}

void weir_holm(const double *p, size_t count, double *adjusted)
{
	size_t tests;
	struct ranked *order = rank_tests(p, count, &tests);
	double largest = 0;

	copy_untested(p, count, adjusted);
	for (size_t i = 0; i < tests; i++) {
		largest = fmax(largest, (double)(tests - i) * order[i].p);
		adjusted[order[i].index] = fmin(largest, 1);
	}
	free(order);
}
