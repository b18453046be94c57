/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/source.h"
#include "engine/model/telemetry.h"
#include "engine/readers/scrape/scrape_build.h"

enum weir_status weir_scrape_read_text(struct weir_source *source, struct weir_text *out,
                                       struct weir_error *err)
{
	const char *data;
	size_t len;

	do {
		enum weir_status status = weir_source_next(source, &data, &len, err);

		if (status)
			return status;
		if (len > SCRAPE_MAX_BYTES - out->length)
			return weir_fail(err, WEIR_E_LIMIT,
			                 "more than %zu MiB of metrics: keep the page from before "
			                 "the load and the one from behind it",
			                 SCRAPE_MAX_BYTES >> 20);
		weir_text_add(out, data, len);
	} while (len);
	return WEIR_OK;
}

static void start_page(struct scrape_builder *builder)
{
	builder->page = weir_scrape_new();
	builder->open = WEIR_ROWMAP_NONE;
	builder->block = 1;
	builder->block_start = 0;
	weir_rowmap_release(&builder->places);
	if (builder->block_of)
		memset(builder->block_of, 0, builder->block_capacity * sizeof(uint32_t));
}

void weir_scrape_builder_init(struct scrape_builder *builder, struct weir_input *input)
{
	*builder = (struct scrape_builder){.input = input, .pages = 1};
	start_page(builder);
}

void weir_scrape_builder_release(struct scrape_builder *builder)
{
	weir_scrape_free(builder->first);
	weir_scrape_free(builder->page);
	weir_scrape_free(builder->oldest);
	free(builder->has_oldest);
	free(builder->block_of);
	weir_rowmap_release(&builder->places);
	*builder = (struct scrape_builder){0};
}

/* The family stands in the block that is being read. */
static void join_block(struct scrape_builder *builder, uint32_t family)
{
	size_t before = builder->block_capacity;

	builder->block_of = weir_grow(builder->block_of, &builder->block_capacity,
	                              (size_t)family + 1, sizeof(uint32_t));
	if (builder->block_capacity > before)
		memset(builder->block_of + before, 0,
		       (builder->block_capacity - before) * sizeof(uint32_t));
	builder->block_of[family] = builder->block;
}

void weir_scrape_builder_type(struct scrape_builder *builder, struct weir_slice name,
                              enum weir_scrape_type type)
{
	uint32_t family = weir_scrape_family(builder->page, name.data, name.length);

	if (family != builder->open && family < builder->block_capacity &&
	    builder->block_of[family] == builder->block) {
		builder->block++;
		builder->block_start = builder->page->sample_count;
	}
	join_block(builder, family);
	builder->open = family;
	builder->page->families[family].type = (uint8_t)type;
}

void weir_scrape_builder_unit(struct scrape_builder *builder, struct weir_slice name,
                              struct weir_slice unit)
{
	uint32_t family = weir_scrape_family(builder->page, name.data, name.length);

	builder->page->families[family].unit =
		weir_names_add(builder->page->names, unit.data, unit.length);
}

#define HISTOGRAMS (1u << WEIR_SCRAPE_HISTOGRAM | 1u << WEIR_SCRAPE_GAUGE_HISTOGRAM)

static const struct {
	const char *suffix;
	enum weir_scrape_part part;
	unsigned of; /* bits of enum weir_scrape_type */
} suffixes[] = {
	{"_bucket", WEIR_PART_BUCKET, HISTOGRAMS},
	{"_sum", WEIR_PART_SUM, 1u << WEIR_SCRAPE_HISTOGRAM | 1u << WEIR_SCRAPE_SUMMARY},
	{"_count", WEIR_PART_COUNT, 1u << WEIR_SCRAPE_HISTOGRAM | 1u << WEIR_SCRAPE_SUMMARY},
	{"_gsum", WEIR_PART_SUM, 1u << WEIR_SCRAPE_GAUGE_HISTOGRAM},
	{"_gcount", WEIR_PART_COUNT, 1u << WEIR_SCRAPE_GAUGE_HISTOGRAM},
	{"_total", WEIR_PART_VALUE, 1u << WEIR_SCRAPE_COUNTER},
	{"_created", WEIR_PART_CREATED,
         1u << WEIR_SCRAPE_COUNTER | 1u << WEIR_SCRAPE_HISTOGRAM | 1u << WEIR_SCRAPE_SUMMARY},
	{"_info", WEIR_PART_VALUE, 1u << WEIR_SCRAPE_INFO},
};

struct place {
	uint32_t family;
	enum weir_scrape_part part;
};

/* A sample under the family's own name. Triton's manual shows buckets without "_bucket". */
static enum weir_scrape_part own_part(const struct weir_scrape_family *family,
                                      const struct scrape_line *line)
{
	if (HISTOGRAMS >> family->type & 1 && weir_scrape_line_label(line, "le"))
		return WEIR_PART_BUCKET;
	if (family->type == WEIR_SCRAPE_SUMMARY && weir_scrape_line_label(line, "quantile"))
		return WEIR_PART_QUANTILE;
	return WEIR_PART_VALUE;
}

/* The family whose name and a suffix make the sample's name; false: none of that type. */
static bool find_by_suffix(struct weir_scrape *page, const struct scrape_line *line,
                           struct place *out)
{
	struct weir_slice name = line->name;

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t len = strlen(suffixes[i].suffix);

		if (name.length <= len ||
		    memcmp(name.data + name.length - len, suffixes[i].suffix, len) != 0)
			continue;
		out->part = suffixes[i].part;
		out->family = weir_scrape_find_family(page, name.data, name.length - len);
		if (out->family != WEIR_ROWMAP_NONE &&
		    suffixes[i].of >> page->families[out->family].type & 1)
			return true;
		if (out->part != WEIR_PART_BUCKET || !weir_scrape_line_label(line, "le"))
			continue;
		/* Buckets without a TYPE line: the page was filtered. */
		out->family = weir_scrape_family(page, name.data, name.length - len);
		if (page->families[out->family].type != WEIR_SCRAPE_UNKNOWN)
			continue;
		page->families[out->family].type = WEIR_SCRAPE_HISTOGRAM;
		return true;
	}
	return false;
}

static struct place find_place(struct weir_scrape *page, const struct scrape_line *line)
{
	struct place place;

	place.family = weir_scrape_find_family(page, line->name.data, line->name.length);
	if (place.family == WEIR_ROWMAP_NONE && find_by_suffix(page, line, &place))
		return place;
	place.family = weir_scrape_family(page, line->name.data, line->name.length);
	if (page->families[place.family].type == WEIR_SCRAPE_UNKNOWN &&
	    weir_scrape_line_label(line, "quantile"))
		page->families[place.family].type = WEIR_SCRAPE_SUMMARY;
	place.part = own_part(&page->families[place.family], line);
	return place;
}

/* Labels whose text the analysis reads: names of models, methods, stages and devices. */
static bool is_read(struct weir_slice name)
{
	static const char *const read[] = {
		"model_name", "model", "method", "stage",    "gen_ai_request_model",
		"gpu",        "UUID",  "uuid",   "gpu_uuid", "GPU_I_ID",
		"modelName"};

	for (size_t i = 0; i < sizeof read / sizeof *read; i++)
		if (weir_slice_equals(name, read[i]))
			return true;
	return false;
}

static uint32_t keep_value(struct weir_names *names, const struct scrape_text_label *label)
{
	char digest[24];
	int len;

	if (is_read(label->name))
		return weir_names_add(names, label->value.data, label->value.length);
	len = snprintf(digest, sizeof digest, "#%016llx",
	               (unsigned long long)weir_rowmap_hash_text(label->value.data,
	                                                         label->value.length, 0));
	return weir_names_add(names, digest, (size_t)len);
}

static uint32_t find_series(struct weir_scrape *page, const struct scrape_line *line,
                            struct place place)
{
	struct weir_scrape_label labels[WEIR_MAX_SCRAPE_LABELS];
	const char *bound = place.part == WEIR_PART_BUCKET     ? "le"
	                    : place.part == WEIR_PART_QUANTILE ? "quantile"
	                                                       : NULL;
	size_t count = 0;

	for (size_t i = 0; i < line->label_count; i++) {
		const struct scrape_text_label *label = &line->labels[i];

		/* An empty label is no label. */
		if (!label->value.length || (bound && weir_slice_equals(label->name, bound)))
			continue;
		labels[count].name =
			weir_names_add(page->names, label->name.data, label->name.length);
		labels[count++].value = keep_value(page->names, label);
	}
	return weir_scrape_series(page, place.family, labels, count);
}

/* The upper end of a bucket or the level of a quantile; NULL: read. */
static const char *read_bound(const struct scrape_line *line, struct place place, double *out)
{
	const struct scrape_text_label *label;

	*out = 0;
	if (place.part != WEIR_PART_BUCKET && place.part != WEIR_PART_QUANTILE)
		return NULL;
	label = weir_scrape_line_label(line, place.part == WEIR_PART_BUCKET ? "le" : "quantile");
	if (!label)
		return "a bucket without \"le\"";
	if (!weir_scrape_number_parse(label->value, SCRAPE_PROMETHEUS, out) || isnan(*out))
		return place.part == WEIR_PART_BUCKET ? "\"le\" is no number"
		                                      : "\"quantile\" is no number";
	return NULL;
}

static uint32_t hash_place(const struct weir_scrape_sample *sample)
{
	uint64_t bits;

	memcpy(&bits, &sample->bound, sizeof bits);
	return weir_rowmap_hash(bits ^ ((uint64_t)sample->series << 8 | sample->part));
}

/* The sample that is at the same place already; NULL: none, and this one is from now on. */
static struct weir_scrape_sample *find_double(struct scrape_builder *builder,
                                              const struct weir_scrape_sample *sample)
{
	uint32_t hash = hash_place(sample), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&builder->places, hash, &probe)) != WEIR_ROWMAP_NONE) {
		struct weir_scrape_sample *other = &builder->page->samples[row];

		if (other->series == sample->series && other->part == sample->part &&
		    other->bound == sample->bound)
			return other;
	}
	weir_rowmap_add(&builder->places, hash, (uint32_t)builder->page->sample_count);
	return NULL;
}

/* The series of one page in another, its family with type and unit. */
static uint32_t copy_series(struct weir_scrape *to, const struct weir_scrape *from, uint32_t row)
{
	const struct weir_scrape_series *series = &from->series[row];
	const struct weir_scrape_family *family = &from->families[series->family];
	struct weir_scrape_label labels[WEIR_MAX_SCRAPE_LABELS];
	uint32_t copy = weir_scrape_family(to, weir_names_text(from->names, family->name),
	                                   weir_names_length(from->names, family->name));

	to->families[copy].type = family->type;
	to->families[copy].unit =
		weir_names_add(to->names, weir_names_text(from->names, family->unit),
	                       weir_names_length(from->names, family->unit));
	for (size_t i = 0; i < series->label_count; i++) {
		const struct weir_scrape_label *label = &from->labels[series->first_label + i];

		labels[i].name =
			weir_names_add(to->names, weir_names_text(from->names, label->name),
		                       weir_names_length(from->names, label->name));
		labels[i].value =
			weir_names_add(to->names, weir_names_text(from->names, label->value),
		                       weir_names_length(from->names, label->value));
	}
	return weir_scrape_series(to, copy, labels, series->label_count);
}

/* The oldest points are a page of their own, older than the one they come from. */
static struct weir_scrape *take_oldest(struct scrape_builder *builder)
{
	struct weir_scrape *oldest = builder->oldest;

	builder->oldest = NULL;
	weir_scrape_finish(oldest);
	return oldest;
}

/* Keeps the first page and drops those between it and the last. */
static void close_page(struct scrape_builder *builder, struct weir_scrape *page)
{
	builder->input->events += page->sample_count;
	if (builder->first || builder->oldest) {
		weir_scrape_free(page);
	} else {
		weir_scrape_finish(page);
		builder->first = page;
	}
	if (!builder->first)
		builder->first = take_oldest(builder);
	weir_scrape_free(builder->oldest);
	builder->oldest = NULL;
	if (builder->has_oldest)
		memset(builder->has_oldest, 0, builder->oldest_capacity);
}

enum weir_status weir_scrape_builder_end_page(struct scrape_builder *builder,
                                              struct weir_error *err)
{
	if (builder->pages == SCRAPE_MAX_PAGES)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %u pages of metrics in one file: keep the first and "
		                 "the last",
		                 SCRAPE_MAX_PAGES);
	builder->pages++;
	close_page(builder, builder->page);
	start_page(builder);
	return WEIR_OK;
}

/* The block of metadata that is being read turns out to begin a new page: its samples go there. */
static enum weir_status split_page(struct scrape_builder *builder, struct weir_error *err)
{
	struct weir_scrape *old = builder->page;
	const struct weir_scrape_family *open = &old->families[builder->open];
	size_t start = builder->block_start, count = old->sample_count;

	if (builder->pages == SCRAPE_MAX_PAGES)
		return weir_scrape_builder_end_page(builder, err);
	builder->pages++;
	start_page(builder);
	for (size_t i = start; i < count; i++) {
		struct weir_scrape_sample sample = old->samples[i];

		sample.series = copy_series(builder->page, old, sample.series);
		join_block(builder, builder->page->series[sample.series].family);
		if (!find_double(builder, &sample))
			weir_scrape_add(builder->page, &sample);
	}
	builder->open = weir_scrape_family(builder->page, weir_names_text(old->names, open->name),
	                                   weir_names_length(old->names, open->name));
	join_block(builder, builder->open);
	builder->page->families[builder->open].type = open->type;
	old->sample_count = start;
	close_page(builder, old);
	return WEIR_OK;
}

/* A later point of the same place follows: this one is the oldest where none was before it. */
static void keep_oldest(struct scrape_builder *builder, const struct weir_scrape_sample *sample)
{
	size_t row = (size_t)(sample - builder->page->samples), before = builder->oldest_capacity;
	struct weir_scrape_sample copy = *sample;

	builder->has_oldest = weir_grow(builder->has_oldest, &builder->oldest_capacity, row + 1, 1);
	if (builder->oldest_capacity > before)
		memset(builder->has_oldest + before, 0, builder->oldest_capacity - before);
	if (builder->has_oldest[row])
		return;
	builder->has_oldest[row] = 1;
	if (!builder->oldest)
		builder->oldest = weir_scrape_new();
	copy.series = copy_series(builder->oldest, builder->page, sample->series);
	weir_scrape_add(builder->oldest, &copy);
}

enum weir_status weir_scrape_builder_add(struct scrape_builder *builder,
                                         const struct scrape_line *line, uint64_t at,
                                         const char **fault, struct weir_error *err)
{
	struct place place = find_place(builder->page, line);
	struct weir_scrape_sample sample = {
		.part = (uint8_t)place.part, .value = line->value, .at_ns = line->at_ns};
	struct weir_scrape_sample *twin;
	enum weir_status status;

	*fault = read_bound(line, place, &sample.bound);
	if (*fault)
		return WEIR_OK;
	if (builder->page->sample_count == WEIR_MAX_SCRAPE_SAMPLES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u samples in one scrape",
		                 WEIR_MAX_SCRAPE_SAMPLES);
	sample.series = find_series(builder->page, line, place);
	twin = find_double(builder, &sample);
	if (twin && twin < builder->page->samples + builder->block_start) {
		status = split_page(builder, err); /* begins at block 1: no second split */
		return status ? status : weir_scrape_builder_add(builder, line, at, fault, err);
	}
	if (!twin) {
		weir_scrape_add(builder->page, &sample);
		return WEIR_OK;
	}
	if (twin->at_ns != WEIR_NO_TIME && line->at_ns > twin->at_ns)
		keep_oldest(builder, twin);
	else if (line->at_ns == WEIR_NO_TIME || line->at_ns < twin->at_ns)
		weir_input_warn(builder->input, WEIR_WARN_DUPLICATE, at, NULL);
	twin->value = sample.value;
	twin->at_ns = sample.at_ns;
	return WEIR_OK;
}

void weir_scrape_builder_finish(struct scrape_builder *builder)
{
	struct weir_input *input = builder->input;

	input->events += builder->page->sample_count;
	weir_scrape_finish(builder->page);
	if (!builder->first && builder->oldest)
		builder->first = take_oldest(builder);
	input->scrape = builder->page;
	input->scrape->earlier = builder->first;
	builder->page = builder->first = NULL;
	weir_scrape_fill_telemetry(input);
}
