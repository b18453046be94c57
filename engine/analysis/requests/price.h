/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The price of the devices of a run, from the first of these sources: the option or the
 * configuration, the charges of billing exports among the inputs, price lists.
 *
 * Charges of the category Usage count, each by the share of its period inside the analysed window;
 * if they cover only part of the window, the rest is assumed to cost as much. The price of a device
 * hour is the sum of the charges over the device hours that they consumed. Device hours are known
 * if the quantity is in hours and the charge states the number of devices: by its unit ("GPU
 * Hours"), or by an instance type of a price list in one of its texts.
 */
#ifndef WEIR_ANALYSIS_REQUESTS_PRICE_H
#define WEIR_ANALYSIS_REQUESTS_PRICE_H

#include <stdint.h>

#include "engine/model/profile.h"
#include "engine/model/settings.h"

/* The analysed window in Unix time; start_ns == end_ns: unknown. */
struct weir_price_window {
	int64_t start_ns, end_ns;
};

/* Texts are borrowed from settings and profile, or static. */
struct weir_price {
	const char *currency; /* NULL: not stated */
	const char *source;   /* NULL: no price */
	double per_gpu_hour;  /* NAN: unknown */
	double total;         /* charged for the window; NAN: unknown */
	double covered;       /* share of the window with charges; NAN: no charges were used */
	/* One sentence: why inputs about cost gave no price; NULL: they did, or there are no such
	 * inputs. */
	const char *missing;
};

/* Finds the price; settings may be NULL. */
void weir_price_of(const struct weir_settings *settings, const struct weir_profile *profile,
                   const struct weir_price_window *window, struct weir_price *out);

#endif
