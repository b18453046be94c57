/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads billing exports in FOCUS 1.x (FinOps Open Cost and Usage Specification, FOCUS_Spec
 * specification/columns), which AWS, Azure, GCP and OCI write, as CSV with a header. Columns are
 * found by name. The clouds' older formats are recognised and refused: the cost of their rows
 * depends on the kind of discount, in a different way in each cloud.
 */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/cost/money.h"
#include "engine/readers/readers.h"

#define MAX_NAME       256  /* bytes that are kept of a text */
#define MAX_RESOURCE   2048 /* bytes of a resource's id; an AWS resource name is not longer */
#define MAX_CURRENCY   16
#define HEADER_CELLS   512 /* that the sniffer looks at */
#define MARKS_TO_CLAIM 2

enum column {
	START,
	END,
	CATEGORY,
	EFFECTIVE_COST,
	BILLED_COST,
	CURRENCY,
	CONSUMED_QUANTITY,
	CONSUMED_UNIT,
	PRICING_QUANTITY,
	PRICING_UNIT,
	METER,
	SKU,
	DESCRIPTION,
	RESOURCE,
};

static const char *const column_names[] = {
	[START] = "ChargePeriodStart",
	[END] = "ChargePeriodEnd",
	[CATEGORY] = "ChargeCategory",
	[EFFECTIVE_COST] = "EffectiveCost",
	[BILLED_COST] = "BilledCost",
	[CURRENCY] = "BillingCurrency",
	[CONSUMED_QUANTITY] = "ConsumedQuantity",
	[CONSUMED_UNIT] = "ConsumedUnit",
	[PRICING_QUANTITY] = "PricingQuantity",
	[PRICING_UNIT] = "PricingUnit",
	[METER] = "SkuMeter",
	[SKU] = "SkuId",
	[DESCRIPTION] = "ChargeDescription",
	[RESOURCE] = "ResourceId",
	NULL,
};

/* The cells of a header of each dialect. A mark that ends in a slash or an underscore is the start
 * of a cell, others are whole cells. */
static const struct dialect {
	const char *marks[8];
	const char *refusal; /* NULL: it is read */
} dialects[] = {
	{{"ChargePeriodStart", "ChargePeriodEnd", "ChargeCategory", "EffectiveCost", "BilledCost",
          "BillingCurrency", "ConsumedQuantity"},
         NULL},
	{{"identity/", "lineItem/", "bill/"},
         "a legacy AWS Cost and Usage Report: export it as FOCUS"},
	{{"identity_", "line_item_", "bill_billing_"},
         "an AWS Cost and Usage Report 2.0: export it as FOCUS"},
	{{"billing_account_id", "service.id", "sku.id", "usage_start_time", "usage_end_time",
          "cost_type"},
         "a GCP billing export: export it as FOCUS"},
};

struct reading {
	struct weir_money money;
	struct weir_billing *billing;
	struct weir_names *resources; /* by id; private, freed after reading */
	enum column cost;             /* EFFECTIVE_COST, else BILLED_COST */
};

static bool is_prefix(const char *mark)
{
	size_t length = strlen(mark);

	return mark[length - 1] == '/' || mark[length - 1] == '_';
}

/* Returns the length of the mark if a cell has it, else 0. */
static size_t find_mark(const char *mark, const struct weir_slice *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_prefix(mark) ? weir_slice_starts(cells[i], mark)
		                    : weir_slice_equals(cells[i], mark))
			return strlen(mark);
	return 0;
}

/* Returns the bits that verify the dialect; 0: the header is not of this dialect. */
static int dialect_bits(const struct dialect *dialect, const struct weir_slice *cells, size_t count)
{
	size_t marks = 0, bytes = 0;

	for (size_t i = 0; i < sizeof dialect->marks / sizeof *dialect->marks; i++) {
		size_t found = dialect->marks[i] ? find_mark(dialect->marks[i], cells, count) : 0;

		marks += found > 0;
		bytes += found;
	}
	return marks >= MARKS_TO_CLAIM ? (int)(8 * bytes) : 0;
}

static const struct dialect *choose_dialect(const struct weir_slice *cells, size_t count, int *bits)
{
	const struct dialect *best = NULL;

	*bits = 0;
	for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
		int found = dialect_bits(&dialects[i], cells, count);

		if (found > *bits) {
			*bits = found;
			best = &dialects[i];
		}
	}
	return best;
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[HEADER_CELLS];
	int bits = 0;

	while (weir_csv_take_line(&rest, &line)) {
		size_t count = weir_csv_split(line, &weir_money_csv, cells, HEADER_CELLS);

		if (!count)
			continue;
		choose_dialect(cells, count, &bits);
		break;
	}
	return bits;
}

/* Checks that the header has the needed columns, and chooses the column of costs. */
static enum weir_status check_header(struct reading *reading, struct weir_error *err)
{
	static const enum column needed[] = {START, END, CATEGORY};
	const struct weir_money *money = &reading->money;
	const struct dialect *dialect;
	enum weir_status status = WEIR_OK;
	int bits;

	dialect = choose_dialect(money->row->cells, money->row->count, &bits);
	if (dialect && dialect->refusal)
		return weir_fail(err, WEIR_E_FORMAT, "%s", dialect->refusal);
	for (size_t i = 0; !status && i < sizeof needed / sizeof *needed; i++)
		status = weir_money_need(money, needed[i], err);
	reading->cost = EFFECTIVE_COST;
	if (!weir_money_has(money, EFFECTIVE_COST) && weir_money_has(money, BILLED_COST)) {
		reading->cost = BILLED_COST;
		reading->billing->invoiced = true;
	}
	return status ? status : weir_money_need(money, reading->cost, err);
}

static enum weir_status read_period(struct reading *reading, struct weir_charge *charge,
                                    struct weir_error *err)
{
	enum weir_status status = weir_money_time(&reading->money, START, &charge->start_ns, err);

	if (!status)
		status = weir_money_time(&reading->money, END, &charge->end_ns, err);
	if (status)
		return status;
	if (charge->end_ns <= charge->start_ns)
		return weir_money_refuse(&reading->money, END, "a time after ChargePeriodStart",
		                         err);
	return WEIR_OK;
}

static enum weir_status read_category(struct reading *reading, struct weir_charge *charge,
                                      struct weir_error *err)
{
	struct weir_slice cell = weir_money_cell(&reading->money, CATEGORY);
	unsigned category;

	if (!weir_enum_parse(&weir_charge_category_texts, cell.data, cell.length, &category))
		return weir_money_refuse(&reading->money, CATEGORY,
		                         "Usage, Purchase, Tax, Credit or Adjustment", err);
	charge->category = (enum weir_charge_category)category;
	return WEIR_OK;
}

static enum weir_status read_cost(struct reading *reading, struct weir_charge *charge,
                                  struct weir_error *err)
{
	enum weir_status status =
		weir_money_number(&reading->money, reading->cost, &charge->cost, err);

	if (!status && isnan(charge->cost))
		return weir_money_refuse(&reading->money, reading->cost, "a cost", err);
	return status;
}

/* Refuses a second currency: amounts in two currencies cannot be added. */
static enum weir_status read_currency(struct reading *reading, struct weir_error *err)
{
	const struct weir_money *money = &reading->money;
	struct weir_slice cell = weir_money_cell(money, CURRENCY);
	uint32_t currency;

	if (!weir_money_has(money, CURRENCY))
		return WEIR_OK;
	if (!cell.length || cell.length > MAX_CURRENCY)
		return weir_money_refuse(money, CURRENCY, "a currency such as USD", err);
	currency = weir_money_name(money, CURRENCY, reading->billing->names, MAX_CURRENCY);
	if (reading->billing->currency && currency != reading->billing->currency)
		return weir_money_refuse(money, CURRENCY,
		                         "the currency of the rows before: export one currency",
		                         err);
	reading->billing->currency = currency;
	return WEIR_OK;
}

/* Reads the consumed quantity, or else the priced one: the same amount, perhaps in another unit. */
static enum weir_status read_quantity(struct reading *reading, struct weir_charge *charge,
                                      struct weir_error *err)
{
	const struct weir_money *money = &reading->money;
	double priced = NAN;
	enum weir_status status =
		weir_money_number(money, CONSUMED_QUANTITY, &charge->quantity, err);

	if (!status)
		status = weir_money_number(money, PRICING_QUANTITY, &priced, err);
	charge->unit =
		weir_money_name(money, isnan(charge->quantity) ? PRICING_UNIT : CONSUMED_UNIT,
	                        reading->billing->names, MAX_NAME);
	if (isnan(charge->quantity))
		charge->quantity = priced;
	return status;
}

static enum weir_status read_charge(struct reading *reading, struct weir_error *err)
{
	const struct weir_money *money = &reading->money;
	struct weir_names *names = reading->billing->names;
	struct weir_charge charge = {0};
	enum weir_status status;

	if (reading->billing->charge_count == WEIR_MAX_CHARGES)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %u charges: export only the time and the resources of "
		                 "the run",
		                 WEIR_MAX_CHARGES);
	status = read_period(reading, &charge, err);
	if (!status)
		status = read_category(reading, &charge, err);
	if (!status)
		status = read_cost(reading, &charge, err);
	if (!status)
		status = read_currency(reading, err);
	if (!status)
		status = read_quantity(reading, &charge, err);
	if (status)
		return status;
	charge.meter = weir_money_name(money, METER, names, MAX_NAME);
	charge.sku = weir_money_name(money, SKU, names, MAX_NAME);
	charge.description = weir_money_name(money, DESCRIPTION, names, MAX_NAME);
	charge.resource = weir_money_name(money, RESOURCE, reading->resources, MAX_RESOURCE);
	weir_billing_add_charge(reading->billing, &charge);
	return WEIR_OK;
}

static enum weir_status read_rows(struct reading *reading, struct weir_error *err)
{
	enum weir_status status;

	while (!(status = weir_money_next(&reading->money, err)) && reading->money.row) {
		status = read_charge(reading, err);
		if (status)
			return status;
	}
	if (!status && !reading->billing->charge_count)
		return weir_fail(err, WEIR_E_EMPTY, "no charges: there is a header and no row");
	return status;
}

static enum weir_status read_focus(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct reading reading = {.billing = weir_billing_new()};
	enum weir_status status;

	input->billing = reading.billing;
	reading.resources = weir_names_new();
	status = weir_money_open(&reading.money, source, column_names, err);
	if (!status)
		status = check_header(&reading, err);
	if (!status)
		status = read_rows(&reading, err);
	input->events = reading.billing->charge_count;
	weir_names_free(reading.resources);
	weir_money_release(&reading.money);
	return status;
}

const struct weir_reader weir_reader_focus = {
	.name = "focus",
	.title = "billing exports in FOCUS 1.x (CSV)",
	.gives = "cost",
	.sniff = sniff,
	.read = read_focus,
};
