/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/stats/moments.h"
#include "engine/stats/special.h"
#include "engine/stats/student.h"

/* error: standard error of the change. 0/0 gives NAN, and NAN p-values. */
static struct weir_t_test test_of(double change, double error, double df)
{
	struct weir_t_test test = {.change = change, .t = change / error, .df = df};

	test.p_greater = weir_t_upper(test.t, df);
	test.p_less = weir_t_lower(test.t, df);
	test.p_two = 2 * fmin(test.p_greater, test.p_less);
	return test;
}

static double change_of(struct weir_group baseline, struct weir_group candidate)
{
	return weir_mean(candidate.values, candidate.count) -
	       weir_mean(baseline.values, baseline.count);
}

struct weir_t_test weir_student_test(struct weir_group baseline, struct weir_group candidate)
{
	double squares = weir_squares(baseline.values, baseline.count) +
	                 weir_squares(candidate.values, candidate.count);
	double df = (double)baseline.count + (double)candidate.count - 2;
	double width = 1 / (double)baseline.count + 1 / (double)candidate.count;

	return test_of(change_of(baseline, candidate), sqrt(squares / df * width), df);
}

struct weir_t_test weir_welch_test(struct weir_group baseline, struct weir_group candidate)
{
	double vb = weir_variance(baseline.values, baseline.count) / (double)baseline.count;
	double vc = weir_variance(candidate.values, candidate.count) / (double)candidate.count;
	/* Satterthwaite's degrees of freedom. */
	double df =
		(vb + vc) * (vb + vc) /
		(vb * vb / ((double)baseline.count - 1) + vc * vc / ((double)candidate.count - 1));

	return test_of(change_of(baseline, candidate), sqrt(vb + vc), df);
}

static double prediction_error(struct weir_group baseline)
{
	return sqrt(weir_variance(baseline.values, baseline.count) *
	            (1 + 1 / (double)baseline.count));
}

struct weir_t_test weir_prediction_test(struct weir_group baseline, double candidate)
{
	return test_of(candidate - weir_mean(baseline.values, baseline.count),
	               prediction_error(baseline), (double)baseline.count - 1);
}

double weir_prediction_limit(struct weir_group baseline, double alpha)
{
	double t = weir_t_quantile_upper(alpha, (double)baseline.count - 1);

	return weir_mean(baseline.values, baseline.count) + t * prediction_error(baseline);
}
