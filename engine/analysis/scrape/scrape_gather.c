/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/scrape/scrape_gather.h"
#include "engine/base/arena.h"
#include "engine/model/telemetry.h"

#define MAX_PAGES 256 /* further pages are left out */

/* The metrics pages of a profile in chronological order. */
struct pages {
	const struct weir_scrape *items[MAX_PAGES]; /* borrowed from the profile */
	size_t count;
};

/* ---- pages ---- */

static void add_page(struct weir_gathering *gathering, struct pages *pages,
                     const struct weir_scrape *page)
{
	if (pages->count == MAX_PAGES)
		gathering->findings.left_out++;
	else
		pages->items[pages->count++] = page;
}

static const char start_name[] = "process_start_time_seconds";

static bool is_restarted(const struct weir_scrape *before, const struct weir_scrape *after)
{
	double was = weir_scrape_only_value(before, start_name),
	       is = weir_scrape_only_value(after, start_name);

	return !isnan(was) && !isnan(is) && was != is;
}

/* Counts how many of the counters on both pages grew and how many shrank. */
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

/* True if two pages were given in the wrong order. */
static bool is_swapped(const struct weir_scrape *first, const struct weir_scrape *second)
{
	double start = weir_scrape_only_value(first, start_name),
	       other = weir_scrape_only_value(second, start_name);
	size_t up, down;

	if (!isnan(start) && !isnan(other) && start != other)
		return start > other;
	count_moves(first, second, &up, &down);
	return down > 0 && up == 0;
}

static bool all_stamped(const struct pages *pages)
{
	for (size_t i = 0; i < pages->count; i++)
		if (pages->items[i]->at_ns == WEIR_NO_TIME)
			return false;
	return true;
}

/* Stable, so that pages with equal time stamps stay in the order of the arguments. */
static void sort_by_time(struct pages *pages)
{
	for (size_t i = 1; i < pages->count; i++) {
		const struct weir_scrape *moved = pages->items[i];
		size_t to = i;

		for (; to > 0 && pages->items[to - 1]->at_ns > moved->at_ns; to--)
			pages->items[to] = pages->items[to - 1];
		pages->items[to] = moved;
	}
}

/*
 * Collects and orders all pages. If every page has a time stamp, time stamps decide; for two pages
 * without, the start of their process decides, else their counters, which can only grow; otherwise
 * the given order stays.
 */
static void collect_pages(struct weir_gathering *gathering, const struct weir_profile *profile,
                          struct pages *pages)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_scrape *last = profile->inputs[i].scrape;

		if (last && last->earlier)
			add_page(gathering, pages, last->earlier);
		if (last)
			add_page(gathering, pages, last);
	}
	if (all_stamped(pages)) {
		sort_by_time(pages);
	} else if (pages->count == 2 && is_swapped(pages->items[0], pages->items[1])) {
		const struct weir_scrape *first = pages->items[0];

		pages->items[0] = pages->items[1];
		pages->items[1] = first;
	}
}

/* ---- metrics ---- */

/* One metric family on the first and on the last page that has it. */
struct pair {
	const struct weir_scrape *before, *after; /* before NULL: on one page only */
	const struct weir_scraped_row *row;
	size_t used; /* series of page `after` that count */
	bool restarted;
};

static const char *model_of(const struct weir_scrape *page, uint32_t series)
{
	static const char *const labels[] = {"model_name", "model", "gen_ai_request_model"};

	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		const char *model = weir_scrape_label(page, series, labels[i]);

		if (model)
			return model;
	}
	return "";
}

static size_t find_group(struct weir_gathering *gathering, enum weir_server server,
                         const char *model)
{
	for (size_t i = 0; i < gathering->group_count; i++)
		if (gathering->groups[i].server == server &&
		    strcmp(gathering->groups[i].model, model) == 0)
			return i;
	if (gathering->group_count == WEIR_MAX_SCRAPE_GROUPS) {
		gathering->findings.left_out++;
		return gathering->group_count - 1;
	}
	gathering->groups[gathering->group_count] = (struct weir_scrape_group){server, model};
	return gathering->group_count++;
}

static bool same_label(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns the entry of a metric, new or known; NULL: there is no more room. */
static struct weir_gathered *find_item(struct weir_gathering *gathering,
                                       const struct weir_scraped_row *row, size_t group,
                                       const char *label)
{
	uint64_t key = weir_hash_text(row->name, strlen(row->name), group);
	uint32_t hash = weir_rowmap_hash(
		weir_hash_text(label ? label : "", label ? strlen(label) : 0, key));
	size_t probe = 0;
	uint32_t at;

	while ((at = weir_rowmap_next(&gathering->map, hash, &probe)) != WEIR_ROWMAP_NONE) {
		struct weir_gathered *item = &gathering->items[at];

		if (item->row == row && item->group == group && same_label(item->label, label))
			return item;
	}
	if (gathering->count == WEIR_MAX_GATHERED) {
		gathering->findings.left_out++;
		return NULL;
	}
	gathering->items = weir_grow(gathering->items, &gathering->capacity, gathering->count + 1,
	                             sizeof *gathering->items);
	gathering->items[gathering->count] = (struct weir_gathered){.row = row,
	                                                            .group = group,
	                                                            .label = label,
	                                                            .value = NAN,
	                                                            .first = NAN,
	                                                            .last = NAN};
	weir_rowmap_add(&gathering->map, hash, (uint32_t)gathering->count);
	return &gathering->items[gathering->count++];
}

static void add_to(double *sum, double value)
{
	if (isfinite(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

static void add_value(struct weir_gathered *item, double value)
{
	add_to(&item->value, value);
}

/* True if the time of creation differs, so that the series started anew. */
static bool is_recreated(const struct pair *pair, uint32_t series, uint32_t before)
{
	double is = weir_scrape_value(pair->after, series, WEIR_PART_CREATED);
	double was = weir_scrape_value(pair->before, before, WEIR_PART_CREATED);

	return !isnan(is) && !isnan(was) && is != was;
}

/* Returns the same series on page `before`; WEIR_ROWMAP_NONE: no such series, so it counts from 0.
 */
static uint32_t find_before(struct weir_gathering *gathering, const struct pair *pair,
                            uint32_t series, double counted)
{
	uint32_t before;

	if (!pair->before)
		return WEIR_ROWMAP_NONE;
	before = weir_scrape_counterpart(pair->before, pair->after, series);
	if (before == WEIR_ROWMAP_NONE && counted > 0)
		gathering->findings.new_series++;
	return before;
}

static void gather_total(struct weir_gathering *gathering, const struct pair *pair, uint32_t series,
                         struct weir_gathered *item)
{
	double value = weir_scrape_value(pair->after, series, WEIR_PART_VALUE), was = NAN;
	uint32_t before = find_before(gathering, pair, series, value);
	bool restarted = pair->restarted;

	if (before != WEIR_ROWMAP_NONE) {
		was = weir_scrape_value(pair->before, before, WEIR_PART_VALUE);
		restarted = restarted || is_recreated(pair, series, before);
	}
	if (was > value || (restarted && !isnan(was))) {
		gathering->findings.resets++;
		was = NAN;
	}
	add_value(item, item->row->scale * (isnan(was) ? value : value - was));
}

/* Averages a gauge over the two pages; a share is also averaged over its series. */
static void gather_gauge(const struct pair *pair, uint32_t series, struct weir_gathered *item)
{
	bool is_share = item->row->metric == WEIR_SCRAPED_CACHE_USAGE ||
	                item->row->metric == WEIR_SCRAPED_CACHE_HIT_RATE;
	double weight = is_share ? 1.0 / (double)pair->used : 1.0;
	double is = weir_scrape_value(pair->after, series, WEIR_PART_VALUE), was = NAN;
	uint32_t before;

	if (pair->before) {
		before = weir_scrape_counterpart(pair->before, pair->after, series);
		if (before != WEIR_ROWMAP_NONE)
			was = weir_scrape_value(pair->before, before, WEIR_PART_VALUE);
	}
	add_value(item, weight * (isnan(was) ? is : (is + was) / 2));
	add_to(&item->first, weight * (isnan(was) ? is : was));
	add_to(&item->last, weight * is);
}

/* True if the quantiles of a summary contradict its sum: quantiles without observations, or all
 * equal and far below the mean. Such quantiles are never used, but they cast doubt on the page. */
static bool contradicts_sum(const struct weir_scrape *page, uint32_t series)
{
	const struct weir_scrape_series *own = &page->series[series];
	double count = weir_scrape_value(page, series, WEIR_PART_COUNT);
	double sum = weir_scrape_value(page, series, WEIR_PART_SUM);
	double least = INFINITY, most = -INFINITY;

	for (size_t i = own->first_sample; i < own->first_sample + own->sample_count; i++) {
		if (page->samples[i].part != WEIR_PART_QUANTILE || isnan(page->samples[i].value))
			continue;
		least = fmin(least, page->samples[i].value);
		most = fmax(most, page->samples[i].value);
	}
	if (!(most > 0))
		return false;
	return count == 0 || (least == most && count > 0 && sum / count > 10 * most);
}

static void gather_histogram(struct weir_gathering *gathering, const struct pair *pair,
                             uint32_t series, struct weir_gathered *item)
{
	struct weir_scrape_findings *findings = &gathering->findings;
	struct weir_buckets after, before = {0};
	struct weir_counting counting;
	uint32_t other;

	weir_buckets_read(&after, pair->after, series);
	other = find_before(gathering, pair, series, weir_buckets_total(&after));
	if (other != WEIR_ROWMAP_NONE)
		weir_buckets_read(&before, pair->before, other);
	weir_buckets_subtract(
		&after, other == WEIR_ROWMAP_NONE ? NULL : &before,
		pair->restarted || (other != WEIR_ROWMAP_NONE && is_recreated(pair, series, other)),
		&counting);
	findings->resets += counting.reset;
	findings->unaligned += counting.unaligned;
	findings->forced += counting.largest_dip > 0;
	findings->largest_dip = fmax(findings->largest_dip, counting.largest_dip);
	findings->inconsistent += !weir_buckets_consistent(&after);
	findings->absurd_summaries += contradicts_sum(pair->after, series);
	weir_buckets_add(&item->buckets, &after);
	weir_buckets_release(&after);
	weir_buckets_release(&before);
}

static void gather_series(struct weir_gathering *gathering, const struct pair *pair,
                          uint32_t series)
{
	const struct weir_scraped_row *row = weir_scraped_of_series(pair->row, pair->after, series);
	const char *label;
	struct weir_gathered *item;
	size_t group;

	if (!row)
		return;
	group = find_group(gathering, row->server, model_of(pair->after, series));
	label = row->stage_label ? weir_scrape_label(pair->after, series, row->stage_label) : NULL;

	if (row->stage_label && !label)
		return;
	item = find_item(gathering, row, group, label);
	if (!item)
		return;
	if (row->metric < WEIR_SCRAPED_TOTALS)
		gather_total(gathering, pair, series, item);
	else if (row->metric < WEIR_SCRAPED_SCALARS)
		gather_gauge(pair, series, item);
	else
		gather_histogram(gathering, pair, series, item);
}

static uint32_t same_family(const struct weir_scrape *other, const struct weir_scrape *page,
                            uint32_t family)
{
	uint32_t name = page->families[family].name;
	uint32_t found = weir_scrape_find_family(other, weir_names_text(page->names, name),
	                                         weir_names_length(page->names, name));

	return found != WEIR_ROWMAP_NONE && other->families[found].series_count ? found
	                                                                        : WEIR_ROWMAP_NONE;
}

static bool is_on_later_page(const struct pages *pages, size_t page, uint32_t family)
{
	for (size_t i = page + 1; i < pages->count; i++)
		if (same_family(pages->items[i], pages->items[page], family) != WEIR_ROWMAP_NONE)
			return true;
	return false;
}

static void gather_family(struct weir_gathering *gathering, const struct pages *pages, size_t page,
                          uint32_t family)
{
	struct pair pair = {.after = pages->items[page]};
	const struct weir_scrape_family *own = &pair.after->families[family];

	pair.row = weir_scraped_of_family(pair.after, family);
	if (!pair.row || is_on_later_page(pages, page, family))
		return;
	for (size_t i = 0; i < page && !pair.before; i++)
		if (same_family(pages->items[i], pair.after, family) != WEIR_ROWMAP_NONE)
			pair.before = pages->items[i];
	if (pair.before) {
		pair.restarted = is_restarted(pair.before, pair.after);
		gathering->before = pair.before;
		gathering->after = pair.after;
	} else {
		gathering->unpaired++;
	}
	for (size_t i = 0; i < own->series_count; i++)
		pair.used += weir_scraped_of_series(pair.row, pair.after,
		                                    pair.after->by_family[own->first_series + i]) !=
		             NULL;
	for (size_t i = 0; i < own->series_count; i++)
		gather_series(gathering, &pair, pair.after->by_family[own->first_series + i]);
}

void weir_gather(struct weir_gathering *gathering, const struct weir_profile *profile)
{
	struct pages pages = {.count = 0};

	*gathering = (struct weir_gathering){0};
	collect_pages(gathering, profile, &pages);
	for (size_t page = 0; page < pages.count; page++)
		for (uint32_t f = 0; f < pages.items[page]->family_count; f++)
			if (pages.items[page]->families[f].series_count)
				gather_family(gathering, &pages, page, f);
	gathering->findings.one_page = !gathering->before;
	if (gathering->before)
		gathering->findings.new_series += gathering->unpaired;
}

void weir_gathering_release(struct weir_gathering *gathering)
{
	for (size_t i = 0; i < gathering->count; i++)
		weir_buckets_release(&gathering->items[i].buckets);
	free(gathering->items);
	weir_rowmap_release(&gathering->map);
}

int64_t weir_gathering_wall_ns(const struct weir_gathering *gathering)
{
	const struct weir_scrape *before = gathering->before, *after = gathering->after;
	double uptime_s;

	if (before->at_ns != WEIR_NO_TIME && after->at_ns != WEIR_NO_TIME &&
	    after->at_ns > before->at_ns && before->at_ns >= 0)
		return after->at_ns - before->at_ns;
	uptime_s = weir_scrape_only_value(after, "process_uptime_seconds") -
	           weir_scrape_only_value(before, "process_uptime_seconds");
	return uptime_s > 0 && uptime_s < 1e9 ? (int64_t)(uptime_s * 1e9) : -1;
}

/* Returns the sum of one of an item's values, which begins `offset` bytes into it. */
static double sum_of(const struct weir_gathering *gathering, enum weir_scraped metric, size_t group,
                     size_t offset)
{
	const struct weir_scraped_row *first = NULL;
	double sum = NAN;

	for (size_t i = 0; i < gathering->count; i++) {
		const struct weir_gathered *item = &gathering->items[i];
		double value = *(const double *)((const char *)item + offset);

		if (item->row->metric != metric || isnan(value) ||
		    (group != SIZE_MAX && item->group != group) || (first && item->row > first))
			continue;
		/* An earlier row has the better name, or a server closer to the client. */
		if (item->row != first)
			sum = 0;
		first = item->row;
		sum += value;
	}
	return sum;
}

double weir_gathered_value(const struct weir_gathering *gathering, enum weir_scraped metric,
                           size_t group)
{
	return sum_of(gathering, metric, group, offsetof(struct weir_gathered, value));
}

struct weir_scrape_moments weir_gathered_moments(const struct weir_gathering *gathering,
                                                 enum weir_scraped metric)
{
	return (struct weir_scrape_moments){
		.mean = sum_of(gathering, metric, SIZE_MAX, offsetof(struct weir_gathered, value)),
		.first = sum_of(gathering, metric, SIZE_MAX, offsetof(struct weir_gathered, first)),
		.last = sum_of(gathering, metric, SIZE_MAX, offsetof(struct weir_gathered, last)),
	};
}
