/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a list of prices of instances, for users without a billing export: CSV with the columns
 * instance_type,gpus,price_per_hour,currency.
 */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/cost/money.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_NAME 256 /* bytes that are kept of a text */
#define MAX_GPUS 1e6 /* of one instance */

enum column { INSTANCE_TYPE, GPUS, PRICE, CURRENCY, COLUMNS };

static const char *const column_names[] = {
	[INSTANCE_TYPE] = "instance_type",
	[GPUS] = "gpus",
	[PRICE] = "price_per_hour",
	[CURRENCY] = "currency",
	NULL,
};

struct reading {
	struct weir_money money;
	struct weir_billing *billing;
};

/* The two names that no other format has are required. */
static const struct weir_mark marks[] = {
	{.first = "", .cells = {{"instance_type", "price_per_hour", "gpus", "currency"}, .all = 2}},
	{0},
};

static bool is_known(const struct weir_billing *billing, uint32_t instance_type)
{
	for (size_t i = 0; i < billing->price_count; i++)
		if (billing->prices[i].instance_type == instance_type)
			return true;
	return false;
}

static enum weir_status read_names(struct reading *reading, struct weir_instance_price *price,
                                   struct weir_error *err)
{
	const struct weir_money *money = &reading->money;
	struct weir_names *names = reading->billing->names;

	price->instance_type = weir_money_name(money, INSTANCE_TYPE, names, MAX_NAME);
	price->currency = weir_money_name(money, CURRENCY, names, MAX_NAME);
	if (!price->instance_type)
		return weir_money_refuse(money, INSTANCE_TYPE, "the name of an instance", err);
	if (is_known(reading->billing, price->instance_type))
		return weir_money_refuse(money, INSTANCE_TYPE,
		                         "one row per instance: this one has a price already", err);
	return price->currency ? WEIR_OK
	                       : weir_money_refuse(money, CURRENCY, "a currency such as USD", err);
}

static enum weir_status read_price(struct reading *reading, struct weir_error *err)
{
	const struct weir_money *money = &reading->money;
	struct weir_instance_price price = {0};
	enum weir_status status;

	if (reading->billing->price_count == WEIR_MAX_PRICES)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %u prices: keep those of the instances that ran",
		                 WEIR_MAX_PRICES);
	status = read_names(reading, &price, err);
	if (!status)
		status = weir_money_number(money, GPUS, &price.gpus, err);
	if (!status)
		status = weir_money_number(money, PRICE, &price.per_hour, err);
	if (status)
		return status;
	if (!(price.gpus >= 1 && price.gpus <= MAX_GPUS && price.gpus == floor(price.gpus)))
		return weir_money_refuse(money, GPUS, "a whole number of GPUs, at least 1", err);
	if (!(price.per_hour > 0))
		return weir_money_refuse(money, PRICE, "a price above 0, such as 98.32", err);
	weir_billing_add_price(reading->billing, &price);
	return WEIR_OK;
}

static enum weir_status read_rows(struct reading *reading, struct weir_error *err)
{
	enum weir_status status;

	while (!(status = weir_money_next(&reading->money, err)) && reading->money.row) {
		status = read_price(reading, err);
		if (status)
			return status;
	}
	if (!status && !reading->billing->price_count)
		return weir_fail(err, WEIR_E_EMPTY, "no prices: there is a header and no row");
	return status;
}

static enum weir_status read_prices(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct reading reading = {.billing = weir_billing_new()};
	enum weir_status status;

	input->billing = reading.billing;
	status = weir_money_open(&reading.money, source, column_names, err);
	for (size_t c = 0; !status && c < COLUMNS; c++)
		status = weir_money_need(&reading.money, c, err);
	if (!status)
		status = read_rows(&reading, err);
	input->events = reading.billing->price_count;
	weir_money_release(&reading.money);
	return status;
}

const struct weir_reader weir_reader_prices = {
	.name = "prices",
	.title = "prices of instances (CSV: instance_type,gpus,price_per_hour,currency)",
	.gives = "cost",
	.marks = marks,
	.read = read_prices,
};
