/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "engine/base/arena.h"
#include "tests/bench/simulate.h"

#define COMMON_SHARE 0.5 /* share of the variance of the run effects */
#define SPREAD       0.5 /* log-normal heterogeneity of the operators' own part */

struct simulation {
	gsl_rng *rng;
	size_t runs, samples;
	double sigma;
	double *common; /* [run] */
};

enum shape {
	LOGNORMAL,
	SPIKED, /* lognormal with Pareto spikes */
	GAMMA,  /* Wilson-Hilferty */
	TWO_MODES,
	SHAPES
};

struct operator_shape {
	enum shape shape;
	double spread; /* spread of one sample, within a run */
	double phi;    /* autocorrelation */
	double slow_share, gap;
	double warm_up, decay; /* excess of the first sample; factor per sample */
	double level_us, tick_us;
	double own_spread; /* spread of the operator's own run effects */
};

struct simulation *simulation_new(uint64_t seed, size_t runs, size_t samples, double sigma)
{
	struct simulation *simulation = weir_alloc(sizeof(*simulation));

	*simulation = (struct simulation){gsl_rng_alloc(gsl_rng_mt19937), runs, samples, sigma,
	                                  weir_alloc(runs * sizeof(double))};
	if (!simulation->rng)
		weir_out_of_memory();
	gsl_rng_set(simulation->rng, (unsigned long)(seed & UINT32_MAX));
	for (size_t r = 0; r < runs; r++)
		simulation->common[r] =
			sigma * sqrt(COMMON_SHARE) * gsl_ran_gaussian_ziggurat(simulation->rng, 1);
	return simulation;
}

void simulation_free(struct simulation *simulation)
{
	gsl_rng_free(simulation->rng);
	free(simulation->common);
	free(simulation);
}

static struct operator_shape draw_operator(gsl_rng *rng)
{
	static const double phis[] = {0, 0.3, 0.6, 0.8};
	struct operator_shape shape;

	shape.shape = (enum shape)gsl_rng_uniform_int(rng, SHAPES);
	shape.spread = gsl_ran_flat(rng, 0.02, 0.08);
	shape.phi = phis[gsl_rng_uniform_int(rng, 4)];
	shape.slow_share = gsl_ran_flat(rng, 0.1, 0.35);
	shape.gap = gsl_ran_flat(rng, 0.08, 0.3);
	shape.warm_up = gsl_ran_flat(rng, 0, 0.4);
	shape.decay = exp(-1 / gsl_ran_flat(rng, 1, 6));
	shape.level_us = exp(gsl_ran_flat(rng, log(20), log(20000)));
	shape.tick_us = gsl_rng_uniform(rng) < 0.5 ? 0.1 : 1;
	shape.own_spread = exp(SPREAD * gsl_ran_gaussian_ziggurat(rng, 1) - SPREAD * SPREAD);
	return shape;
}

/* Draws standard normal values with first-order autocorrelation. */
static void draw_normals(gsl_rng *rng, double phi, double *out, size_t count)
{
	double fresh = sqrt(1 - phi * phi);

	out[0] = gsl_ran_gaussian_ziggurat(rng, 1);
	for (size_t i = 1; i < count; i++)
		out[i] = phi * out[i - 1] + fresh * gsl_ran_gaussian_ziggurat(rng, 1);
}

/* Gives one sample in fifty a spike: the gaps between spikes are geometric. */
static void add_spikes(gsl_rng *rng, double *x, size_t count)
{
	const double share = 0.02;

	for (size_t i = gsl_ran_geometric(rng, share) - 1; i < count;
	     i += gsl_ran_geometric(rng, share))
		x[i] += 0.3 * (gsl_ran_pareto(rng, 2.5, 1) - 1 + 0.2);
}

/* Draws from two modes; the weight of the slow mode varies by run. */
static void add_mode(const struct simulation *simulation, const struct operator_shape *shape,
                     double *x)
{
	gsl_rng *rng = simulation->rng;
	double odds =
		log(shape->slow_share / (1 - shape->slow_share)) +
		fmin(simulation->sigma, 0.02) / 0.02 * 0.25 * gsl_ran_gaussian_ziggurat(rng, 1);
	double share = 1 / (1 + exp(-odds));

	for (size_t i = 0; i < simulation->samples; i++) {
		if (gsl_rng_uniform(rng) < share)
			x[i] *= 1 + shape->gap;
	}
}

static void draw_shape(const struct simulation *simulation, const struct operator_shape *shape,
                       double *x)
{
	size_t count = simulation->samples;
	double k = 1 / (1.5 * shape->spread * 1.5 * shape->spread);
	double spread = shape->shape == TWO_MODES ? shape->spread / 2 : shape->spread;

	draw_normals(simulation->rng, shape->phi, x, count);
	for (size_t i = 0; i < count; i++) {
		if (shape->shape == GAMMA) {
			double root = fmax(1 - 1 / (9 * k) + x[i] / (3 * sqrt(k)), 0.05);

			x[i] = root * root * root;
		} else {
			x[i] = exp(spread * x[i]);
		}
	}
	if (shape->shape == SPIKED)
		add_spikes(simulation->rng, x, count);
	if (shape->shape == TWO_MODES)
		add_mode(simulation, shape, x);
}

/* Slows a stretch of 3 % of the samples by a factor of 1.5 to 3, in 2 % of the runs. */
static void add_burst(gsl_rng *rng, double *x, size_t count)
{
	size_t length = (size_t)fmax(1, floor(0.03 * (double)count));
	size_t start;
	double factor;

	if (gsl_rng_uniform(rng) >= 0.02)
		return;
	start = gsl_rng_uniform_int(rng, count - length + 1);
	factor = gsl_ran_flat(rng, 1.5, 3);
	for (size_t i = start; i < start + length; i++)
		x[i] *= factor;
}

static void draw_run(const struct simulation *simulation, const struct operator_shape *shape,
                     size_t run, double *x)
{
	double own = simulation->sigma * sqrt(1 - COMMON_SHARE) * shape->own_spread *
	             gsl_ran_gaussian_ziggurat(simulation->rng, 1);
	double level = shape->level_us * exp(simulation->common[run] + own);
	double warm = shape->warm_up;

	draw_shape(simulation, shape, x);
	add_burst(simulation->rng, x, simulation->samples);
	for (size_t i = 0; i < simulation->samples; i++) {
		double value = level * x[i] * (1 + warm);

		x[i] = fmax(rint(value / shape->tick_us), 1) * shape->tick_us;
		warm *= shape->decay;
	}
}

double simulation_next(struct simulation *simulation, double *out)
{
	struct operator_shape shape = draw_operator(simulation->rng);

	for (size_t r = 0; r < simulation->runs; r++)
		draw_run(simulation, &shape, r, out + r * simulation->samples);
	return shape.tick_us;
}
