/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/scrape/scrape_pages.h"
#include "engine/model/telemetry.h"

static void add_page(struct weir_pages *pages, const struct weir_scrape *page)
{
	if (pages->count == WEIR_MAX_PAGES)
		pages->left_out++;
	else
		pages->items[pages->count++] = page;
}

/* The value of a family with one series; NAN: not there, or several. */
static double only_value(const struct weir_scrape *page, const char *name)
{
	uint32_t row = weir_scrape_find_family(page, name, strlen(name));
	const struct weir_scrape_family *family;

	if (row == WEIR_ROWMAP_NONE)
		return NAN;
	family = &page->families[row];
	return family->series_count == 1
	               ? weir_scrape_value(page, page->by_family[family->first_series],
	                                   WEIR_PART_VALUE)
	               : NAN;
}

static const char start_name[] = "process_start_time_seconds";

bool weir_pages_restarted(const struct weir_scrape *before, const struct weir_scrape *after)
{
	double was = only_value(before, start_name), is = only_value(after, start_name);

	return !isnan(was) && !isnan(is) && was != is;
}

/* How counters that both pages have moved from one to the other. */
static void count_moves(const struct weir_scrape *from, const struct weir_scrape *to, size_t *up,
                        size_t *down)
{
	*up = *down = 0;
	for (size_t i = 0; i < from->sample_count; i++) {
		const struct weir_scrape_sample *sample = &from->samples[i];
		enum weir_scrape_type type =
			(enum weir_scrape_type)from->families[from->series[sample->series].family]
				.type;
		enum weir_scrape_part part = (enum weir_scrape_part)sample->part;
		uint32_t other;
		double value;

		if (part != WEIR_PART_COUNT &&
		    !(part == WEIR_PART_VALUE && type == WEIR_SCRAPE_COUNTER))
			continue;
		other = weir_scrape_counterpart(to, from, sample->series);
		value = other == WEIR_ROWMAP_NONE ? NAN : weir_scrape_value(to, other, part);
		*up += value > sample->value;
		*down += value < sample->value;
	}
}

/* Two pages were given in the wrong order. */
static bool is_swapped(const struct weir_scrape *first, const struct weir_scrape *second)
{
	double start = only_value(first, start_name), other = only_value(second, start_name);
	size_t up, down;

	if (!isnan(start) && !isnan(other) && start != other)
		return start > other;
	count_moves(first, second, &up, &down);
	return down > 0 && up == 0;
}

static bool all_stamped(const struct weir_pages *pages)
{
	for (size_t i = 0; i < pages->count; i++)
		if (pages->items[i]->at_ns == WEIR_NO_TIME)
			return false;
	return true;
}

/* Stable, so that pages of one moment stay in the order of the arguments. */
static void sort_by_time(struct weir_pages *pages)
{
	for (size_t i = 1; i < pages->count; i++) {
		const struct weir_scrape *moved = pages->items[i];
		size_t to = i;

		for (; to > 0 && pages->items[to - 1]->at_ns > moved->at_ns; to--)
			pages->items[to] = pages->items[to - 1];
		pages->items[to] = moved;
	}
}

void weir_pages_collect(struct weir_pages *pages, const struct weir_profile *profile)
{
	pages->count = pages->left_out = 0;
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_scrape *last = profile->inputs[i].scrape;

		if (last && last->earlier)
			add_page(pages, last->earlier);
		if (last)
			add_page(pages, last);
	}
	if (all_stamped(pages)) {
		sort_by_time(pages);
	} else if (pages->count == 2 && is_swapped(pages->items[0], pages->items[1])) {
		const struct weir_scrape *first = pages->items[0];

		pages->items[0] = pages->items[1];
		pages->items[1] = first;
	}
}

int64_t weir_pages_wall_ns(const struct weir_scrape *before, const struct weir_scrape *after)
{
	double uptime_s;

	if (before->at_ns != WEIR_NO_TIME && after->at_ns != WEIR_NO_TIME &&
	    after->at_ns > before->at_ns && before->at_ns >= 0)
		return after->at_ns - before->at_ns;
	uptime_s = only_value(after, "process_uptime_seconds") -
	           only_value(before, "process_uptime_seconds");
	return uptime_s > 0 && uptime_s < 1e9 ? (int64_t)(uptime_s * 1e9) : -1;
}
