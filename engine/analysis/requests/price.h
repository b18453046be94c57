/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the devices of a run cost, from whoever says it first: the option or the configuration, then
 * the charges of billing exports among the inputs, then lists of prices.
 *
 * Of charges, those of the category Usage count, by the share of their period that lies in the
 * analysed window; where they cover only a part of it, the rest is taken to cost as much. A
 * device's hour costs what they sum to over the device hours that they consumed, where their
 * quantities are hours and say of how many devices: by their unit ("GPU Hours"), or by an instance
 * type of a list of prices in their texts.
 */
#ifndef WEIR_ANALYSIS_PRICE_H
#define WEIR_ANALYSIS_PRICE_H

#include <stdint.h>

#include "engine/model/profile.h"
#include "engine/model/settings.h"

/* The analysed window in Unix time; start_ns == end_ns: not known. */
struct weir_price_window {
	int64_t start_ns, end_ns;
};

/* Texts are borrowed of settings and profile, or static. */
struct weir_price {
	const char *currency; /* NULL: not stated */
	const char *source;   /* NULL: there is no price */
	double per_gpu_hour;  /* NAN: unknown */
	double total;         /* charged for the window; NAN: unknown */
	double covered; /* share of the window that charges cover; NAN: no charges were taken */
	const char *missing; /* why inputs about cost gave no price: one sentence; NULL: they did,
	                        or there are none */
};

/* settings may be NULL. */
void weir_price_of(const struct weir_settings *settings, const struct weir_profile *profile,
                   const struct weir_price_window *window, struct weir_price *out);

#endif
