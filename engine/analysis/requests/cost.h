/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a request costs, and which stage pays. Elementary accounting over one window in which S =
 * gpus * window_s device seconds were paid for and N requests answered:
 *
 *	C     the window: what a bill says, else price * gpus * window
 *	U     share of S in which the devices were busy
 *	A     device seconds that the stages of all requests account for: N * sum of gpu_s
 *	C/N   a request, fully loaded: C*U/N busy and C*(1-U)/N idle, which no stage hides
 *	k     U*S / A: stages account for more or less than was busy, so that each is scaled by k;
 *	      then they sum to the busy part
 *	c_s   k * C/S * gpu_s: a stage, for one request
 *	f     gpu_s of prefill over prefill and decode: input tokens pay C*f, output C*(1-f)
 *
 * Where U or a stage is unknown, so is k, and a stage costs C/S * gpu_s as it accounts for itself;
 * no stages together cost more than C/N. Everything is a double and never rounded; unknown is NAN,
 * and so is what depends on it.
 */
#ifndef WEIR_ANALYSIS_COST_H
#define WEIR_ANALYSIS_COST_H

#include <stddef.h>

#include "engine/model/report.h"

/* Beyond these, what stages account for and what was busy do not fit together. */
#define WEIR_COST_SCALE_LOW  0.8
#define WEIR_COST_SCALE_HIGH 1.25

/* What a stage is to the price of tokens and of padding. */
enum weir_cost_part {
	WEIR_COST_OTHER,   /* queue, network, host: gpu_s is 0; copies: it is not */
	WEIR_COST_COMPUTE, /* padding is computed here and in the next two */
	WEIR_COST_PREFILL,
	WEIR_COST_DECODE,
};

struct weir_cost_stage {
	enum weir_cost_part part;
	double gpu_s; /* device seconds of one request, mean: weir_cost_gpu_s() */
};

struct weir_cost_inputs {
	const char *currency, *source; /* borrowed; NULL: not stated */
	double per_gpu_hour;           /* price of one device for an hour */
	double total;                  /* C as a bill says; NAN: from the price */
	double gpus;                   /* devices paid for, mean over the window */
	double window_s;               /* the same for everything here */
	double requests;               /* answered in it */
	double input_tokens;           /* cached ones included */
	double output_tokens;
	double cached_tokens; /* of input_tokens; 0: there is no cache */
	double gpu_busy;      /* U; above 1 is taken for 1 */
	double padding_waste; /* of the computed tokens: 1 - useful / computed */
	double gap_share;     /* of the busy time, between kernels: recoverable */
	const struct weir_cost_stage *stages;
	size_t stage_count;
};

/* Nothing known, no stages. */
struct weir_cost_inputs weir_cost_unknown(void);

/* stage_cost: one a stage, for one request, mean; may be NULL. out borrows currency and source. */
void weir_cost_of(const struct weir_cost_inputs *in, struct weir_cost *out, double *stage_cost);

/*
 * Device seconds of one request in a stage: its time on the `gpus` devices that serve it, shared
 * with the requests of its batch. NAN where a figure is unknown or below 0, or the batch below 1.
 * Queue, network and host stages hold no device: theirs are 0, whatever the batch.
 */
double weir_cost_gpu_s(double stage_s, double gpus, double batch);

#endif
