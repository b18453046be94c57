/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Charges of a cloud provider and prices of instances: rows of a billing export, and a price list.
 * Costs are doubles as stated in the file, never rounded. Account names and machine ids are
 * private: resources are distinguished by number. A billing table owns everything in it.
 */
#ifndef WEIR_MODEL_BILLING_H
#define WEIR_MODEL_BILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"
#include "engine/base/names.h"

#define WEIR_MAX_CHARGES (4u << 20)
#define WEIR_MAX_PRICES  4096u

/* ChargeCategory of FOCUS. Only usage counts as the cost of running; the others are reported beside
 * it. */
enum weir_charge_category {
	WEIR_CHARGE_USAGE,
	WEIR_CHARGE_PURCHASE,
	WEIR_CHARGE_TAX,
	WEIR_CHARGE_CREDIT,
	WEIR_CHARGE_ADJUSTMENT,
};

struct weir_charge {
	int64_t start_ns, end_ns;               /* Unix time, [start, end); start < end */
	double cost;                            /* effective cost; negative for a refund */
	double quantity;                        /* consumed quantity in `unit`; NAN: not stated */
	uint32_t unit, meter, sku, description; /* name ids; 0: not stated */
	uint32_t resource; /* the same number for charges on one resource; 0: not stated */
	enum weir_charge_category category;
};

struct weir_instance_price {
	uint32_t instance_type, currency; /* name ids */
	double gpus;                      /* GPUs of one instance, 1 or more */
	double per_hour;                  /* price of one instance */
};

struct weir_billing {
	struct weir_names *names;
	uint32_t currency; /* name id of the currency of all charges; 0: not stated */
	/* The file has no effective cost: costs are the invoiced amounts, without the share of
	 * commitments that were paid earlier. */
	bool invoiced;
	struct weir_charge *charges; /* in file order */
	size_t charge_count, charge_capacity;
	struct weir_instance_price *prices;
	size_t price_count, price_capacity;
};

struct weir_billing *weir_billing_new(void);
void weir_billing_free(struct weir_billing *billing);

/* Appends a row; the caller keeps to the limits above. */
void weir_billing_add_charge(struct weir_billing *billing, const struct weir_charge *charge);
void weir_billing_add_price(struct weir_billing *billing, const struct weir_instance_price *price);

WEIR_ENUM_DECLARE(weir_charge_category); /* "Usage" */

#endif
