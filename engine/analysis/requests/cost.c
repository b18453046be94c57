/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/requests/cost.h"

#define S_PER_HOUR 3600.0
#define MILLION    1e6

struct weir_cost_inputs weir_cost_unknown(void)
{
	return (struct weir_cost_inputs){
		.per_gpu_hour = NAN,
		.total = NAN,
		.gpus = NAN,
		.window_s = NAN,
		.requests = NAN,
		.input_tokens = NAN,
		.output_tokens = NAN,
		.cached_tokens = NAN,
		.gpu_busy = NAN,
		.padding_waste = NAN,
		.gap_share = NAN,
	};
}

double weir_cost_gpu_s(double stage_s, double gpus, double batch)
{
	return stage_s >= 0 && gpus >= 0 && batch >= 1 ? stage_s * gpus / batch : NAN;
}

/* Nothing divided by nothing, or by less, has no price. */
static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Device seconds of one request in the stages of these parts, as a set of bits; NAN where one of
 * them is unknown. */
static double gpu_s_of(const struct weir_cost_inputs *in, unsigned parts)
{
	double sum = 0;

	for (size_t i = 0; i < in->stage_count; i++)
		if (parts & 1u << in->stages[i].part)
			sum += in->stages[i].gpu_s;
	return sum;
}

#define PREFILL (1u << WEIR_COST_PREFILL)
#define DECODE  (1u << WEIR_COST_DECODE)
#define COMPUTE (1u << WEIR_COST_COMPUTE | PREFILL | DECODE)
#define ALL     (1u << WEIR_COST_OTHER | COMPUTE)

/* What one device second of a stage costs a request. */
static double stage_rate(const struct weir_cost_inputs *in, const struct weir_cost *out)
{
	double per_gpu_s = out->per_gpu_hour / S_PER_HOUR, all = gpu_s_of(in, ALL), rate;

	/* k * C/S, of which S cancels: a bill needs no count of devices. */
	rate = ratio(out->per_request_busy, all);
	if (!isnan(rate))
		return rate;
	rate = ratio(out->per_request, all);
	return rate < per_gpu_s ? rate : per_gpu_s;
}

static double prefill_share(const struct weir_cost_inputs *in)
{
	double prefill = gpu_s_of(in, PREFILL), decode = gpu_s_of(in, DECODE);

	return ratio(prefill, prefill + decode);
}

static void price_tokens(const struct weir_cost_inputs *in, struct weir_cost *out)
{
	double tokens = in->input_tokens + in->output_tokens, share = prefill_share(in);

	out->tokens_per_unit = ratio(tokens, out->total);
	out->output_tokens_per_unit = ratio(in->output_tokens, out->total);
	out->per_million_tokens = ratio(MILLION * out->total, tokens);
	out->per_million_input_tokens =
		ratio(MILLION * out->total * share, in->input_tokens - in->cached_tokens);
	out->per_million_output_tokens =
		ratio(MILLION * out->total * (1 - share), in->output_tokens);
}

/* An upper bound: fused kernels and those for lengths that vary pass padding over. Without stages
 * all busy time is taken for compute. */
static double padding_cost(const struct weir_cost_inputs *in, const struct weir_cost *out,
                           double rate)
{
	double compute = in->stage_count > 0 ? rate * gpu_s_of(in, COMPUTE) : out->per_request_busy;

	return compute * in->padding_waste;
}

void weir_cost_of(const struct weir_cost_inputs *in, struct weir_cost *out, double *stage_cost)
{
	double hours = in->gpus * in->window_s / S_PER_HOUR, rate;
	double busy = in->gpu_busy > 1 ? 1 : in->gpu_busy;
	bool billed = !isnan(in->total);

	*out = (struct weir_cost){.currency = in->currency, .source = in->source};
	out->gpus = in->gpus;
	out->total = billed ? in->total : in->per_gpu_hour * hours;
	out->per_gpu_hour = billed && hours > 0 ? in->total / hours : in->per_gpu_hour;
	out->per_request = ratio(out->total, in->requests);
	out->per_request_busy = out->per_request * busy;
	out->per_request_idle = out->per_request * (1 - busy);
	out->per_request_gaps = out->per_request_busy * in->gap_share;
	out->scale = ratio(busy * in->gpus * in->window_s, in->requests * gpu_s_of(in, ALL));
	rate = stage_rate(in, out);
	out->per_request_padding = padding_cost(in, out, rate);
	price_tokens(in, out);
	for (size_t i = 0; stage_cost && i < in->stage_count; i++)
		stage_cost[i] = rate * in->stages[i].gpu_s;
}
