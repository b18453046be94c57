/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a cloud charged, and what instances cost: rows of a billing export, and a list of prices.
 * Costs are doubles as the file states them, never rounded. Who was charged and which machine ran
 * are private: resources are told apart by number. A billing table owns everything in it.
 */
#ifndef WEIR_MODEL_BILLING_H
#define WEIR_MODEL_BILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"

#define WEIR_MAX_CHARGES (4u << 20)
#define WEIR_MAX_PRICES  4096u

/* ChargeCategory of FOCUS. Usage alone says what running cost; the others are paid beside it. */
enum weir_charge_category {
	WEIR_CHARGE_USAGE,
	WEIR_CHARGE_PURCHASE,
	WEIR_CHARGE_TAX,
	WEIR_CHARGE_CREDIT,
	WEIR_CHARGE_ADJUSTMENT,
};

struct weir_charge {
	int64_t start_ns, end_ns; /* Unix time, [start, end); start < end */
	double cost;              /* effective; negative where something is given back */
	double quantity;          /* consumed, in `unit`; NAN: not stated */
	uint32_t unit, meter, sku, description; /* names; 0: not stated */
	uint32_t resource; /* equal for charges on one resource; 0: not stated */
	enum weir_charge_category category;
};

struct weir_instance_price {
	uint32_t instance_type, currency; /* names */
	double gpus;                      /* of one instance: 1 or more */
	double per_hour;                  /* of one instance */
};

struct weir_billing {
	struct weir_names *names;
	uint32_t currency; /* of all charges; 0: not stated */
	/* The file has no effective cost: costs are what was invoiced, without the share of
	 * commitments that were paid before. */
	bool invoiced;
	struct weir_charge *charges; /* in order of the file */
	size_t charge_count, charge_capacity;
	struct weir_instance_price *prices;
	size_t price_count, price_capacity;
};

struct weir_billing *weir_billing_new(void);
void weir_billing_free(struct weir_billing *billing);

/* At the end; the caller keeps to the limits above. */
void weir_billing_add_charge(struct weir_billing *billing, const struct weir_charge *charge);
void weir_billing_add_price(struct weir_billing *billing, const struct weir_instance_price *price);

/* "Usage"; false: no such category. */
bool weir_charge_category_parse(const char *name, size_t len, enum weir_charge_category *out);

#endif
