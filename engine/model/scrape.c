/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"
#include "engine/model/scrape.h"
#include "engine/model/telemetry.h"

struct weir_scrape *weir_scrape_new(void)
{
	struct weir_scrape *scrape = weir_alloc(sizeof *scrape);

	scrape->names = weir_names_new();
	scrape->at_ns = WEIR_NO_TIME;
	return scrape;
}

/* Frees the scrapes between the first and this one. */
static void free_between(struct weir_scrape *scrape)
{
	for (size_t i = 0; i < scrape->between_count; i++)
		weir_scrape_free(scrape->between[i]);
	free(scrape->between);
}

void weir_scrape_free(struct weir_scrape *scrape) /* NOLINT(misc-no-recursion) */
{
	while (scrape) {
		struct weir_scrape *earlier = scrape->earlier;

		free_between(scrape);
		weir_names_free(scrape->names);
		free(scrape->families);
		free(scrape->series);
		free(scrape->labels);
		free(scrape->samples);
		free(scrape->by_family);
		weir_rowmap_release(&scrape->family_map);
		weir_rowmap_release(&scrape->series_map);
		free(scrape);
		scrape = earlier;
	}
}

static uint32_t find_family(const struct weir_scrape *scrape, uint32_t name)
{
	uint32_t hash = weir_rowmap_hash(name), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&scrape->family_map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (scrape->families[row].name == name)
			return row;
	return WEIR_ROWMAP_NONE;
}

uint32_t weir_scrape_find_family(const struct weir_scrape *scrape, const char *name, size_t len)
{
	uint32_t id = weir_names_find(scrape->names, name, len);

	return id == UINT32_MAX ? WEIR_ROWMAP_NONE : find_family(scrape, id);
}

uint32_t weir_scrape_family(struct weir_scrape *scrape, const char *name, size_t len)
{
	uint32_t id = weir_names_add(scrape->names, name, len);
	uint32_t row = find_family(scrape, id);

	if (row != WEIR_ROWMAP_NONE)
		return row;
	scrape->families = weir_grow(scrape->families, &scrape->family_capacity,
	                             scrape->family_count + 1, sizeof *scrape->families);
	scrape->families[scrape->family_count] = (struct weir_scrape_family){.name = id};
	weir_rowmap_add(&scrape->family_map, weir_rowmap_hash(id), (uint32_t)scrape->family_count);
	return (uint32_t)scrape->family_count++;
}

static uint32_t hash_series(uint32_t family, const struct weir_scrape_label *labels, size_t count)
{
	uint64_t key = family;

	for (size_t i = 0; i < count; i++)
		key = weir_hash_pair(key, (uint64_t)labels[i].name << 32 | labels[i].value);
	return weir_rowmap_hash(key);
}

static uint32_t find_series(const struct weir_scrape *scrape, uint32_t family,
                            const struct weir_scrape_label *labels, size_t count, uint32_t hash)
{
	size_t probe = 0;
	uint32_t row;

	while ((row = weir_rowmap_next(&scrape->series_map, hash, &probe)) != WEIR_ROWMAP_NONE) {
		const struct weir_scrape_series *series = &scrape->series[row];

		if (series->family == family && series->label_count == count &&
		    (!count ||
		     !memcmp(&scrape->labels[series->first_label], labels, count * sizeof *labels)))
			return row;
	}
	return WEIR_ROWMAP_NONE;
}

/* Sorts by the text of the names, so that two scrapes have the same order. */
static void sort_labels(const struct weir_scrape *scrape, struct weir_scrape_label *labels,
                        size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct weir_scrape_label moved = labels[i];
		const char *name = weir_names_text(scrape->names, moved.name);
		size_t to = i;

		for (; to > 0; to--) {
			if (strcmp(weir_names_text(scrape->names, labels[to - 1].name), name) <= 0)
				break;
			labels[to] = labels[to - 1];
		}
		labels[to] = moved;
	}
}

uint32_t weir_scrape_series(struct weir_scrape *scrape, uint32_t family,
                            struct weir_scrape_label *labels, size_t count)
{
	struct weir_scrape_series *series;
	uint32_t hash, row;

	sort_labels(scrape, labels, count);
	hash = hash_series(family, labels, count);
	row = find_series(scrape, family, labels, count, hash);
	if (row != WEIR_ROWMAP_NONE)
		return row;
	scrape->labels = weir_grow(scrape->labels, &scrape->label_capacity,
	                           scrape->label_count + count + 1, sizeof *scrape->labels);
	if (count)
		memcpy(&scrape->labels[scrape->label_count], labels, count * sizeof *labels);
	scrape->series = weir_grow(scrape->series, &scrape->series_capacity,
	                           scrape->series_count + 1, sizeof *scrape->series);
	series = &scrape->series[scrape->series_count];
	*series = (struct weir_scrape_series){
		.family = family, .first_label = scrape->label_count, .label_count = count};
	scrape->label_count += count;
	weir_rowmap_add(&scrape->series_map, hash, (uint32_t)scrape->series_count);
	return (uint32_t)scrape->series_count++;
}

void weir_scrape_add(struct weir_scrape *scrape, const struct weir_scrape_sample *sample)
{
	scrape->samples = weir_grow(scrape->samples, &scrape->sample_capacity,
	                            scrape->sample_count + 1, sizeof *scrape->samples);
	scrape->samples[scrape->sample_count++] = *sample;
}

/* Suffixes of families that are parts of another family. */
static const struct {
	const char *suffix;
	enum weir_scrape_part part;
	unsigned of; /* bits of enum weir_scrape_type */
} adoptions[] = {
	{"_sum", WEIR_PART_SUM, 1u << WEIR_SCRAPE_HISTOGRAM | 1u << WEIR_SCRAPE_SUMMARY},
	{"_count", WEIR_PART_COUNT, 1u << WEIR_SCRAPE_HISTOGRAM | 1u << WEIR_SCRAPE_SUMMARY},
	{"_created", WEIR_PART_CREATED,
         1u << WEIR_SCRAPE_HISTOGRAM | 1u << WEIR_SCRAPE_SUMMARY | 1u << WEIR_SCRAPE_COUNTER},
};

/* A counter "x_total" has its creation time in "x_created". */
static uint32_t find_parent(const struct weir_scrape *scrape, const char *name, size_t len)
{
	uint32_t parent = weir_scrape_find_family(scrape, name, len);
	struct weir_text total = {0};

	if (parent != WEIR_ROWMAP_NONE)
		return parent;
	weir_text_add(&total, name, len);
	weir_text_puts(&total, "_total");
	parent = weir_scrape_find_family(scrape, total.data, total.length);
	weir_text_release(&total);
	return parent;
}

/* Finds the family that a family is a part of; WEIR_ROWMAP_NONE: it stands alone. */
static uint32_t parent_of(const struct weir_scrape *scrape, uint32_t family,
                          enum weir_scrape_part *part)
{
	uint32_t id = scrape->families[family].name;
	struct weir_slice name = {weir_names_text(scrape->names, id),
	                          weir_names_length(scrape->names, id)};

	for (size_t i = 0; i < sizeof adoptions / sizeof *adoptions; i++) {
		size_t len = strlen(adoptions[i].suffix);
		uint32_t parent;

		if (name.length <= len ||
		    memcmp(name.data + name.length - len, adoptions[i].suffix, len) != 0)
			continue;
		parent = find_parent(scrape, name.data, name.length - len);
		if (parent == WEIR_ROWMAP_NONE ||
		    !(adoptions[i].of >> scrape->families[parent].type & 1))
			continue;
		*part = adoptions[i].part;
		return parent;
	}
	return WEIR_ROWMAP_NONE;
}

static struct weir_slice family_name(const struct weir_scrape *scrape, uint32_t family)
{
	uint32_t id = scrape->families[family].name;

	return (struct weir_slice){weir_names_text(scrape->names, id),
	                           weir_names_length(scrape->names, id)};
}

static bool has_type(const struct weir_scrape *scrape, uint32_t family)
{
	return scrape->families[family].type != WEIR_SCRAPE_UNKNOWN;
}

#define SUM "_sum"

/* Returns the family "x_count" of a family "x_sum" if neither has a type and there is no family x;
 * WEIR_ROWMAP_NONE if not. */
static uint32_t count_of(const struct weir_scrape *scrape, uint32_t family)
{
	struct weir_slice name = family_name(scrape, family);
	struct weir_text count = {0};
	uint32_t found;

	if (!weir_slice_ends(name, SUM) || has_type(scrape, family))
		return WEIR_ROWMAP_NONE;
	name.length -= strlen(SUM);
	if (weir_scrape_find_family(scrape, name.data, name.length) != WEIR_ROWMAP_NONE)
		return WEIR_ROWMAP_NONE;
	weir_text_add(&count, name.data, name.length);
	weir_text_puts(&count, "_count");
	found = weir_scrape_find_family(scrape, count.data, count.length);
	weir_text_release(&count);
	return found == WEIR_ROWMAP_NONE || has_type(scrape, found) ? WEIR_ROWMAP_NONE : found;
}

/* Families that may be a sum and a count, by row. */
struct pairing {
	uint32_t *count_of;   /* of a sum: its count; WEIR_ROWMAP_NONE: it is no sum */
	uint32_t *unanswered; /* of a count: its series less those of its sum */
	bool *is_count;       /* all values are numbers of observations */
};

/* Keeps the pairs of families that have series with the same labels. */
static void check_labels(const struct weir_scrape *scrape, const struct pairing *pairing)
{
	for (size_t i = 0; i < scrape->series_count; i++)
		pairing->unanswered[scrape->series[i].family]++;
	for (size_t i = 0; i < scrape->series_count; i++) {
		const struct weir_scrape_series *series = &scrape->series[i];
		uint32_t *count = &pairing->count_of[series->family];
		const struct weir_scrape_label *labels = &scrape->labels[series->first_label];

		if (*count == WEIR_ROWMAP_NONE)
			continue;
		if (find_series(scrape, *count, labels, series->label_count,
		                hash_series(*count, labels, series->label_count)) ==
		    WEIR_ROWMAP_NONE)
			*count = WEIR_ROWMAP_NONE;
		else
			pairing->unanswered[*count]--;
	}
}

static void check_values(const struct weir_scrape *scrape, const struct pairing *pairing)
{
	memset(pairing->is_count, true, scrape->family_count * sizeof *pairing->is_count);
	for (size_t i = 0; i < scrape->sample_count; i++) {
		double value = scrape->samples[i].value;

		if (!(value >= 0) || floor(value) != value)
			pairing->is_count[scrape->series[scrape->samples[i].series].family] = false;
	}
}

/* Adds the summary of which a family is the sum. */
static void add_summary(struct weir_scrape *scrape, uint32_t sum)
{
	struct weir_slice name = family_name(scrape, sum);
	struct weir_text copy = {0}; /* the table of names may move */
	uint32_t row;

	weir_text_add(&copy, name.data, name.length - strlen(SUM));
	row = weir_scrape_family(scrape, copy.data, copy.length);
	scrape->families[row].type = WEIR_SCRAPE_SUMMARY;
	scrape->families[row].by_name = true;
	weir_text_release(&copy);
}

/* Makes summaries of sums and counts that have no TYPE line. */
static void name_summaries(struct weir_scrape *scrape)
{
	size_t families = scrape->family_count, pairs = 0;
	struct pairing pairing = {.count_of = weir_alloc((families + 1) * sizeof(uint32_t))};

	for (uint32_t f = 0; f < families; f++) {
		pairing.count_of[f] = count_of(scrape, f);
		pairs += pairing.count_of[f] != WEIR_ROWMAP_NONE ? 1 : 0;
	}
	if (pairs) {
		pairing.unanswered = weir_alloc(families * sizeof *pairing.unanswered);
		pairing.is_count = weir_alloc(families * sizeof *pairing.is_count);
		check_labels(scrape, &pairing);
		check_values(scrape, &pairing);
	}
	for (uint32_t f = 0; pairs && f < families; f++) {
		uint32_t count = pairing.count_of[f];

		if (count != WEIR_ROWMAP_NONE && !pairing.unanswered[count] &&
		    pairing.is_count[count])
			add_summary(scrape, f);
	}
	free(pairing.count_of);
	free(pairing.unanswered);
	free(pairing.is_count);
}

struct adoption {
	uint32_t parent;
	enum weir_scrape_part part;
};

static void adopt_parts(struct weir_scrape *scrape)
{
	struct adoption *of_family = weir_alloc((scrape->family_count + 1) * sizeof *of_family);
	struct weir_scrape_label labels[WEIR_MAX_SCRAPE_LABELS];

	for (uint32_t f = 0; f < scrape->family_count; f++) {
		unsigned type = scrape->families[f].type;
		bool free_standing = type == WEIR_SCRAPE_UNKNOWN || type == WEIR_SCRAPE_GAUGE;

		of_family[f].parent =
			free_standing ? parent_of(scrape, f, &of_family[f].part) : WEIR_ROWMAP_NONE;
	}
	for (size_t i = 0; i < scrape->sample_count; i++) {
		struct weir_scrape_sample *sample = &scrape->samples[i];
		struct weir_scrape_series series = scrape->series[sample->series];
		const struct adoption *adoption = &of_family[series.family];

		if (adoption->parent == WEIR_ROWMAP_NONE || sample->part != WEIR_PART_VALUE)
			continue;
		if (series.label_count)
			memcpy(labels, &scrape->labels[series.first_label],
			       series.label_count * sizeof *labels);
		sample->series =
			weir_scrape_series(scrape, adoption->parent, labels, series.label_count);
		sample->part = (uint8_t)adoption->part;
	}
	free(of_family);
}

struct order {
	struct weir_scrape_sample sample;
	size_t arrival;
};

static int by_place(const void *left, const void *right)
{
	const struct order *a = left, *b = right;

	if (a->sample.series != b->sample.series)
		return a->sample.series < b->sample.series ? -1 : 1;
	if (a->sample.part != b->sample.part)
		return a->sample.part < b->sample.part ? -1 : 1;
	if (a->sample.bound != b->sample.bound)
		return a->sample.bound < b->sample.bound ? -1 : 1;
	return (a->arrival > b->arrival) - (a->arrival < b->arrival);
}

static bool same_place(const struct weir_scrape_sample *a, const struct weir_scrape_sample *b)
{
	return a->series == b->series && a->part == b->part && a->bound == b->bound;
}

static void sort_samples(struct weir_scrape *scrape)
{
	struct order *order = weir_alloc((scrape->sample_count + 1) * sizeof *order);
	size_t kept = 0;

	for (size_t i = 0; i < scrape->sample_count; i++)
		order[i] = (struct order){scrape->samples[i], i};
	qsort(order, scrape->sample_count, sizeof *order, by_place);
	for (size_t i = 0; i < scrape->sample_count; i++) {
		if (kept && same_place(&scrape->samples[kept - 1], &order[i].sample))
			kept--;
		scrape->samples[kept++] = order[i].sample;
	}
	scrape->sample_count = kept;
	free(order);
	for (size_t i = 0; i < kept; i++) {
		struct weir_scrape_series *series = &scrape->series[scrape->samples[i].series];

		if (!series->sample_count++)
			series->first_sample = i;
		if (scrape->samples[i].at_ns > scrape->at_ns)
			scrape->at_ns = scrape->samples[i].at_ns;
	}
}

static void index_series(struct weir_scrape *scrape)
{
	size_t first = 0;

	scrape->by_family = weir_alloc((scrape->series_count + 1) * sizeof *scrape->by_family);
	for (size_t s = 0; s < scrape->series_count; s++)
		scrape->families[scrape->series[s].family].series_count++;
	for (size_t f = 0; f < scrape->family_count; f++) {
		scrape->families[f].first_series = first;
		first += scrape->families[f].series_count;
		scrape->families[f].series_count = 0;
	}
	for (size_t s = 0; s < scrape->series_count; s++) {
		struct weir_scrape_family *family = &scrape->families[scrape->series[s].family];

		scrape->by_family[family->first_series + family->series_count++] = (uint32_t)s;
	}
}

void weir_scrape_finish(struct weir_scrape *scrape)
{
	name_summaries(scrape);
	adopt_parts(scrape);
	sort_samples(scrape);
	index_series(scrape);
}

size_t weir_scrape_base_length(const struct weir_scrape *scrape, uint32_t family)
{
	const struct weir_scrape_family *own = &scrape->families[family];
	const char *name = weir_names_text(scrape->names, own->name);
	size_t len = weir_names_length(scrape->names, own->name);

	if (own->type != WEIR_SCRAPE_COUNTER && own->type != WEIR_SCRAPE_UNKNOWN)
		return len;
	return len > 6 && !memcmp(name + len - 6, "_total", 6) ? len - 6 : len;
}

const char *weir_scrape_label(const struct weir_scrape *scrape, uint32_t series, const char *name)
{
	const struct weir_scrape_series *own = &scrape->series[series];
	uint32_t id = weir_names_find(scrape->names, name, strlen(name));

	if (id == UINT32_MAX)
		return NULL;
	for (size_t i = 0; i < own->label_count; i++) {
		const struct weir_scrape_label *label = &scrape->labels[own->first_label + i];

		if (label->name == id)
			return weir_names_text(scrape->names, label->value);
	}
	return NULL;
}

static uint32_t translate(const struct weir_scrape *other, const struct weir_scrape *scrape,
                          uint32_t name)
{
	return weir_names_find(other->names, weir_names_text(scrape->names, name),
	                       weir_names_length(scrape->names, name));
}

uint32_t weir_scrape_counterpart(const struct weir_scrape *other, const struct weir_scrape *scrape,
                                 uint32_t series)
{
	const struct weir_scrape_series *own = &scrape->series[series];
	struct weir_scrape_label labels[WEIR_MAX_SCRAPE_LABELS];
	uint32_t family = translate(other, scrape, scrape->families[own->family].name);
	uint32_t row;

	if (family == UINT32_MAX || (family = find_family(other, family)) == WEIR_ROWMAP_NONE)
		return WEIR_ROWMAP_NONE;
	for (size_t i = 0; i < own->label_count; i++) {
		const struct weir_scrape_label *label = &scrape->labels[own->first_label + i];

		labels[i].name = translate(other, scrape, label->name);
		labels[i].value = translate(other, scrape, label->value);
		if (labels[i].name == UINT32_MAX || labels[i].value == UINT32_MAX)
			return WEIR_ROWMAP_NONE;
	}
	row = find_series(other, family, labels, own->label_count,
	                  hash_series(family, labels, own->label_count));
	return row != WEIR_ROWMAP_NONE && other->series[row].sample_count ? row : WEIR_ROWMAP_NONE;
}

uint32_t weir_scrape_without_label(const struct weir_scrape *scrape, uint32_t series, size_t index)
{
	const struct weir_scrape_series *own = &scrape->series[series];
	struct weir_scrape_label labels[WEIR_MAX_SCRAPE_LABELS];
	size_t count = 0;
	uint32_t row;

	for (size_t i = 0; i < own->label_count; i++)
		if (i != index)
			labels[count++] = scrape->labels[own->first_label + i];
	row = find_series(scrape, own->family, labels, count,
	                  hash_series(own->family, labels, count));
	return row != WEIR_ROWMAP_NONE && scrape->series[row].sample_count ? row : WEIR_ROWMAP_NONE;
}

double weir_scrape_value(const struct weir_scrape *scrape, uint32_t series,
                         enum weir_scrape_part part)
{
	const struct weir_scrape_series *own = &scrape->series[series];

	for (size_t i = own->first_sample; i < own->first_sample + own->sample_count; i++)
		if (scrape->samples[i].part == part)
			return scrape->samples[i].value;
	return NAN;
}

double weir_scrape_only_value(const struct weir_scrape *scrape, const char *family)
{
	uint32_t row = weir_scrape_find_family(scrape, family, strlen(family));
	const struct weir_scrape_family *found;

	if (row == WEIR_ROWMAP_NONE)
		return NAN;
	found = &scrape->families[row];
	return found->series_count == 1
	               ? weir_scrape_value(scrape, scrape->by_family[found->first_series],
	                                   WEIR_PART_VALUE)
	               : NAN;
}
