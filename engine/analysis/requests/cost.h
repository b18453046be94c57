/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of a request, and of each stage. Elementary accounting over one window, in which S =
 * gpus * window_s device seconds were paid for and N requests answered:
 *
 * 	C     cost of the window: the amount of a bill, else price * gpus * window
 * 	U     share of S in which the devices were busy
 * 	A     device seconds accounted for by the stages of all requests: N * sum of gpu_s
 * 	C/N   fully loaded cost of a request: C*U/N busy and C*(1-U)/N idle, no stage's cost
 * 	k     U*S / A: scales the stages, which account for more or less than the busy time, so
 * 	      that they sum to the busy part
 * 	c_s   k * C/S * gpu_s: cost of a stage for one request
 * 	f     gpu_s of prefill over prefill and decode: input tokens pay C*f, output C*(1-f)
 *
 * If U or the gpu_s of a stage is unknown, so is k, and a stage costs C/S * gpu_s without scaling;
 * all stages together never cost more than C/N. All figures are doubles and never rounded; an
 * unknown figure is NAN, and so are all that depend on it.
 */
#ifndef WEIR_ANALYSIS_REQUESTS_COST_H
#define WEIR_ANALYSIS_REQUESTS_COST_H

#include <stddef.h>

#include "engine/analysis/requests/price.h"
#include "engine/analysis/requests/serving.h"
#include "engine/model/report.h"

/* If k lies outside, the stages and the busy time do not match. */
#define WEIR_COST_SCALE_LOW  0.8
#define WEIR_COST_SCALE_HIGH 1.25

/* The part that a stage plays in the prices of tokens and padding. */
enum weir_cost_part {
	WEIR_COST_OTHER,   /* queue, network and host with gpu_s 0; copies with gpu_s */
	WEIR_COST_COMPUTE, /* stages that compute padding: this one and the next two */
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
	double total;                  /* C from a bill; NAN: derived from the price */
	double gpus;                   /* devices paid for, mean over the window */
	double window_s;               /* length of the window of all figures here */
	double requests;               /* answered in the window */
	double input_tokens;           /* including cached tokens */
	double output_tokens;
	double cached_tokens; /* part of input_tokens; 0: no prefix cache */
	double gpu_busy;      /* U; above 1 counts as 1 */
	double padding_waste; /* share of the computed tokens: 1 - useful / computed */
	double gap_share;     /* share of the busy time between kernels, which could be saved */
	const struct weir_cost_stage *stages;
	size_t stage_count;
};

/* Returns inputs with every figure unknown and no stages. */
struct weir_cost_inputs weir_cost_unknown(void);

/* Computes the costs. stage_cost: one entry per stage, mean cost for one request; may be NULL. out
 * borrows currency and source. */
void weir_cost_of(const struct weir_cost_inputs *in, struct weir_cost *out, double *stage_cost);

/*
 * Returns the device seconds of one request in a stage: its time on the `gpus` devices that serve
 * it, divided by the requests of its batch. NAN: a figure is unknown or below 0, or the batch is
 * below 1. Queue, network and host stages occupy no device: their device seconds are 0 for any
 * batch.
 */
double weir_cost_gpu_s(double stage_s, double gpus, double batch);

/* Number of devices paid for. */
struct weir_serving_devices {
	double count;
	bool assumed; /* no input states it: assume one */
};

/* Computes the cost of the requests of a run. A request occupies the device during computation and
 * copies, shared with the requests of its batch. stage_cost: cost of one request by stage number,
 * not in order; room for WEIR_MAX_REQUEST_STAGES. Returns false if the price or the share of device
 * time that each request used is unknown. */
bool weir_serving_cost(const struct weir_serving *serving, const struct weir_price *price,
                       double devices, struct weir_cost *out, double *stage_cost);

/* Fills report->requests.cost and the cost of its stages; notes assumptions about price and
 * devices. */
void weir_serving_price(const struct weir_serving *serving, const struct weir_profile *profile,
                        const struct weir_settings *settings, struct weir_report *report);

/* Returns the number of devices that monitors saw, else that of the timelines, else 1. */
struct weir_serving_devices weir_serving_devices_of(const struct weir_profile *profile);

#endif
