/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/requests/price.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"

/* Sums over usage charges, each weighted by its share inside the window. */
struct sums {
	double cost;
	double gpu_hours; /* of the charges that state them */
	uint64_t charges;
	struct weir_intervals periods; /* united if the window is known */
};

static bool has_window(const struct weir_price_window *window)
{
	return window->end_ns > window->start_ns;
}

static const char *text_of(const struct weir_billing *billing, uint32_t name)
{
	return name ? weir_names_text(billing->names, name) : "";
}

/* True if the text contains the word, in any case, with no letter or digit next to it. */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; *at; at++)
		if (strncasecmp(at, word, len) == 0 && !isalnum((unsigned char)at[len]) &&
		    (at == text || !isalnum((unsigned char)at[-1])))
			return true;
	return false;
}

static bool is_in_hours(const char *unit)
{
	static const char *const words[] = {"hour", "hours", "hr", "hrs", "h"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (has_word(unit, words[i]))
			return true;
	return false;
}

/* GPUs per instance type, over all price lists. */
struct instances {
	struct weir_names *types;
	double *gpus; /* by id of the type; NAN: no such type */
	size_t capacity;
};

static void add_instance(struct instances *instances, const char *type, double gpus)
{
	uint32_t id = weir_names_add(instances->types, type, strlen(type));
	size_t known = instances->capacity;

	instances->gpus = weir_grow(instances->gpus, &instances->capacity, (size_t)id + 1,
	                            sizeof *instances->gpus);
	for (; known < instances->capacity; known++)
		instances->gpus[known] = NAN;
	instances->gpus[id] = gpus;
}

static void instances_init(struct instances *instances, const struct weir_profile *profile)
{
	*instances = (struct instances){.types = weir_names_new()};
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_billing *list = profile->inputs[i].billing;

		for (size_t p = 0; list && p < list->price_count; p++)
			add_instance(instances, text_of(list, list->prices[p].instance_type),
			             list->prices[p].gpus);
	}
}

static void instances_release(struct instances *instances)
{
	weir_names_free(instances->types);
	free(instances->gpus);
}

/* Returns the GPUs of the first known instance type among the words of a text such as "Linux
 * p5.48xlarge Instance Hour" or "BoxUsage:p5.48xlarge". */
static double gpus_in_text(const struct instances *instances, const char *text)
{
	static const char between[] = " \t:/,;()[]\"'";

	while (*(text += strspn(text, between))) {
		size_t len = strcspn(text, between);
		uint32_t id = weir_names_find(instances->types, text, len);

		if (id < instances->capacity && !isnan(instances->gpus[id]))
			return instances->gpus[id];
		text += len;
	}
	return NAN;
}

/* Returns the number of devices that one hour of the charge pays for; NAN: not stated. */
static double gpus_of_hour(const struct instances *instances, const struct weir_billing *billing,
                           const struct weir_charge *charge)
{
	const uint32_t texts[] = {charge->sku, charge->meter, charge->description};
	const char *unit = text_of(billing, charge->unit);
	double gpus = NAN;

	if (!is_in_hours(unit))
		return NAN;
	if (has_word(unit, "gpu"))
		return 1;
	for (size_t i = 0; isnan(gpus) && i < sizeof texts / sizeof *texts; i++)
		gpus = gpus_in_text(instances, text_of(billing, texts[i]));
	return gpus;
}

/* Returns the share of the charge's period inside the window; 1 if the window is unknown. */
static double share_in(const struct weir_charge *charge, const struct weir_price_window *window)
{
	int64_t start_ns = charge->start_ns, end_ns = charge->end_ns;

	if (!has_window(window))
		return 1;
	start_ns = start_ns < window->start_ns ? window->start_ns : start_ns;
	end_ns = end_ns > window->end_ns ? window->end_ns : end_ns;
	return end_ns > start_ns ? (double)weir_span_ns(start_ns, end_ns) /
	                                   (double)weir_span_ns(charge->start_ns, charge->end_ns)
	                         : 0;
}

static void add_charges(struct sums *sums, const struct instances *instances,
                        const struct weir_billing *billing, const struct weir_price_window *window)
{
	for (size_t i = 0; i < billing->charge_count; i++) {
		const struct weir_charge *charge = &billing->charges[i];
		double share = share_in(charge, window), gpus;

		if (charge->category != WEIR_CHARGE_USAGE || !(share > 0))
			continue;
		sums->charges++;
		sums->cost += share * charge->cost;
		gpus = gpus_of_hour(instances, billing, charge);
		if (!isnan(gpus) && !isnan(charge->quantity))
			sums->gpu_hours += share * charge->quantity * gpus;
		if (has_window(window))
			weir_intervals_push(&sums->periods, charge->start_ns, charge->end_ns);
	}
}

static const char missing_currency[] =
	"the billing exports are in different currencies: pass exports of one currency";
static const char missing_period[] =
	"no usage charge covers the time of the run: charges may be exported days later";
static const char missing_devices[] =
	"the charges do not state their GPU hours, and the run has no time of day: add a price "
	"list (instance_type,gpus,price_per_hour,currency)";
static const char missing_choice[] = "the price list has several instance types, and no input says "
				     "which one ran: keep only its line";

static bool same_currency(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Sets the currency and source that all exports share; returns false if currencies differ, so that
 * costs have no sum. */
static bool agree_on_currency(const struct weir_profile *profile, struct weir_price *out)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_billing *billing = profile->inputs[i].billing;
		const char *currency;

		if (!billing || !billing->charge_count)
			continue;
		currency = billing->currency ? text_of(billing, billing->currency) : NULL;
		if (out->source && !same_currency(currency, out->currency))
			return false;
		out->source = out->source ? out->source : profile->inputs[i].path;
		out->currency = currency;
	}
	return true;
}

static void sum_exports(struct sums *sums, const struct weir_profile *profile,
                        const struct weir_price_window *window)
{
	struct instances instances;

	instances_init(&instances, profile);
	for (size_t i = 0; i < profile->input_count; i++)
		if (profile->inputs[i].billing)
			add_charges(sums, &instances, profile->inputs[i].billing, window);
	instances_release(&instances);
}

static void price_window(struct sums *sums, const struct weir_price_window *window,
                         struct weir_price *out)
{
	double all_ns = (double)weir_span_ns(window->start_ns, window->end_ns);

	weir_intervals_unite(&sums->periods);
	weir_intervals_clip(&sums->periods, window->start_ns, window->end_ns);
	out->covered = (double)weir_intervals_total(&sums->periods) / all_ns;
	out->total = sums->cost / out->covered;
}

/* Derives the prices from the sums. Returns a message about missing inputs; NULL: nothing is
 * missing. */
static const char *price_by_sums(struct sums *sums, const struct weir_price_window *window,
                                 struct weir_price *out)
{
	if (sums->charges == 0)
		return missing_period;
	if (has_window(window))
		price_window(sums, window, out);
	if (sums->gpu_hours > 0)
		out->per_gpu_hour = sums->cost / sums->gpu_hours;
	return isnan(out->total) && isnan(out->per_gpu_hour) ? missing_devices : NULL;
}

static void price_by_charges(const struct weir_profile *profile,
                             const struct weir_price_window *window, struct weir_price *out)
{
	struct sums sums = {0};

	if (!agree_on_currency(profile, out)) {
		out->missing = missing_currency;
	} else if (out->source) {
		sum_exports(&sums, profile, window);
		out->missing = price_by_sums(&sums, window, out);
		weir_intervals_release(&sums.periods);
	}
	if (out->missing)
		out->source = out->currency = NULL;
}

/* Takes the price from the price lists if they hold a single one. */
static void price_by_list(const struct weir_profile *profile, struct weir_price *out)
{
	const struct weir_instance_price *price = NULL;
	size_t count = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_billing *list = profile->inputs[i].billing;

		if (!list || !list->price_count)
			continue;
		count += list->price_count;
		price = &list->prices[0];
		out->source = profile->inputs[i].path;
		out->currency = text_of(list, price->currency);
	}
	if (count == 1) {
		out->per_gpu_hour = price->per_hour / price->gpus;
		out->missing = NULL;
		return;
	}
	out->source = out->currency = NULL;
	if (count > 1 && !out->missing)
		out->missing = missing_choice;
}

void weir_price_of(const struct weir_settings *settings, const struct weir_profile *profile,
                   const struct weir_price_window *window, struct weir_price *out)
{
	*out = (struct weir_price){.per_gpu_hour = NAN, .total = NAN, .covered = NAN};
	if (settings && !isnan(settings->cost_per_gpu_hour)) {
		out->per_gpu_hour = settings->cost_per_gpu_hour;
		out->currency = "USD";
		out->source = settings->cost_source;
		return;
	}
	price_by_charges(profile, window, out);
	if (!out->source)
		price_by_list(profile, out);
}
