/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/billing.h"

WEIR_ENUM_TEXTS(weir_charge_category, [WEIR_CHARGE_USAGE] = "Usage",
                [WEIR_CHARGE_PURCHASE] = "Purchase", [WEIR_CHARGE_TAX] = "Tax",
                [WEIR_CHARGE_CREDIT] = "Credit", [WEIR_CHARGE_ADJUSTMENT] = "Adjustment")

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
