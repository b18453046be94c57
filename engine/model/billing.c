/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/billing.h"

struct weir_billing *weir_billing_new(void)
{
	struct weir_billing *billing = weir_alloc(sizeof *billing);

	billing->names = weir_names_new();
	return billing;
}

void weir_billing_free(struct weir_billing *billing)
{
	if (!billing)
		return;
	weir_names_free(billing->names);
	free(billing->charges);
	free(billing->prices);
	free(billing);
}

void weir_billing_add_charge(struct weir_billing *billing, const struct weir_charge *charge)
{
	billing->charges = weir_grow(billing->charges, &billing->charge_capacity,
	                             billing->charge_count + 1, sizeof *billing->charges);
	billing->charges[billing->charge_count++] = *charge;
}

void weir_billing_add_price(struct weir_billing *billing, const struct weir_instance_price *price)
{
	billing->prices = weir_grow(billing->prices, &billing->price_capacity,
	                            billing->price_count + 1, sizeof *billing->prices);
	billing->prices[billing->price_count++] = *price;
}

bool weir_charge_category_parse(const char *name, size_t len, enum weir_charge_category *out)
{
	static const char *const names[] = {
		[WEIR_CHARGE_USAGE] = "Usage",
		[WEIR_CHARGE_PURCHASE] = "Purchase",
		[WEIR_CHARGE_TAX] = "Tax",
		[WEIR_CHARGE_CREDIT] = "Credit",
		[WEIR_CHARGE_ADJUSTMENT] = "Adjustment",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
			*out = (enum weir_charge_category)i;
			return true;
		}
	return false;
}
