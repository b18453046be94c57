/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
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
			                 "the load and the one from after it",
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
	*builder = (struct scrape_builder){.input = input, .pages = 1, .stride = 1};
	start_page(builder);
}

void weir_scrape_builder_release(struct scrape_builder *builder)
{
	weir_scrape_free(builder->first);
	weir_scrape_free(builder->page);
	weir_scrape_free(builder->oldest);
	for (size_t i = 0; i < builder->between_count; i++)
		weir_scrape_free(builder->between[i]);
	free(builder->between);
	free(builder->has_oldest);
	free(builder->block_of);
	weir_rowmap_release(&builder->places);
	*builder = (struct scrape_builder){0};
}

/* Adds the family to the block that is being read. */
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
	builder->page->families[family].by_name = false;
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

/* Returns the part of a sample under the family's name. Triton's manual shows buckets without
 * "_bucket". */
static enum weir_scrape_part own_part(const struct weir_scrape_family *family,
                                      const struct scrape_line *line)
{
	if (HISTOGRAMS >> family->type & 1 && weir_scrape_line_label(line, "le"))
		return WEIR_PART_BUCKET;
	if (family->type == WEIR_SCRAPE_SUMMARY && weir_scrape_line_label(line, "quantile"))
		return WEIR_PART_QUANTILE;
	return WEIR_PART_VALUE;
}

/* Finds the family whose name plus a suffix is the sample's name; false if none has the type. */
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
		/* Buckets without a TYPE line: somebody filtered the page. */
		out->family = weir_scrape_family(page, name.data, name.length - len);
		if (page->families[out->family].type != WEIR_SCRAPE_UNKNOWN)
			continue;
		page->families[out->family].type = WEIR_SCRAPE_HISTOGRAM;
		page->families[out->family].by_name = true;
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
	    weir_scrape_line_label(line, "quantile")) {
		page->families[place.family].type = WEIR_SCRAPE_SUMMARY;
		page->families[place.family].by_name = true;
	}
	place.part = own_part(&page->families[place.family], line);
	return place;
}

/* True for labels that the analysis reads: names of models, methods, stages and devices. */
static bool is_read(struct weir_slice name)
{
	static const char *const read[] = {"model_name",
	                                   "model",
	                                   "method",
	                                   "stage",
	                                   "gen_ai_request_model",
	                                   "gpu",
	                                   "UUID",
	                                   "uuid",
	                                   "gpu_uuid",
	                                   "GPU_I_ID",
	                                   "modelName",
	                                   "request_type",
	                                   "kv_cache_block_type",
	                                   "general_type",
	                                   "response_metric_type",
	                                   "engine",
	                                   "dp_rank",
	                                   "tp_rank",
	                                   "pp_rank",
	                                   "reason",
	                                   "position",
	                                   "block_size",
	                                   "num_gpu_blocks",
	                                   "max_lora",
	                                   "running_lora_adapters",
	                                   "waiting_lora_adapters",
	                                   "gpu_memory_utilization"};

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
	len = snprintf(
		digest, sizeof digest, "#%016llx",
		(unsigned long long)weir_hash_stable(label->value.data, label->value.length, 0));
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

		/* An empty label equals a missing one. */
		if (!label->value.length || (bound && weir_slice_equals(label->name, bound)))
			continue;
		labels[count].name =
			weir_names_add(page->names, label->name.data, label->name.length);
		labels[count++].value = keep_value(page->names, label);
	}
	return weir_scrape_series(page, place.family, labels, count);
}

/* Reads the upper end of a bucket or the level of a quantile. Returns NULL or the fault. */
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
		return place.part == WEIR_PART_BUCKET ? "\"le\" is not a number"
		                                      : "\"quantile\" is not a number";
	return NULL;
}

static uint32_t hash_place(const struct weir_scrape_sample *sample)
{
	uint64_t bits;

	memcpy(&bits, &sample->bound, sizeof bits);
	return weir_rowmap_hash_pair(bits, (uint64_t)sample->series << 8 | sample->part);
}

/* Finds the sample of the page with the same series, part and bound. NULL: not found, and the new
 * sample takes the place. */
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

/* Copies a series, and type and unit of its family, to another page. */
static uint32_t copy_series(struct weir_scrape *to, const struct weir_scrape *from, uint32_t row)
{
	const struct weir_scrape_series *series = &from->series[row];
	const struct weir_scrape_family *family = &from->families[series->family];
	struct weir_scrape_label labels[WEIR_MAX_SCRAPE_LABELS];
	uint32_t copy = weir_scrape_family(to, weir_names_text(from->names, family->name),
	                                   weir_names_length(from->names, family->name));

	to->families[copy].type = family->type;
	to->families[copy].by_name = family->by_name;
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

/* Returns the page of the oldest points, which precedes the page that they come from. */
static struct weir_scrape *take_oldest(struct scrape_builder *builder)
{
	struct weir_scrape *oldest = builder->oldest;

	builder->oldest = NULL;
	weir_scrape_finish(oldest);
	return oldest;
}

/* Returns a copy of the values, sums and counts of a page, which is a small part of it. */
static struct weir_scrape *reduce(const struct weir_scrape *page)
{
	struct weir_scrape *copy = weir_scrape_new();

	for (size_t i = 0; i < page->sample_count; i++) {
		struct weir_scrape_sample sample = page->samples[i];

		if (sample.part != WEIR_PART_VALUE && sample.part != WEIR_PART_SUM &&
		    sample.part != WEIR_PART_COUNT)
			continue;
		sample.series = copy_series(copy, page, sample.series);
		weir_scrape_add(copy, &sample);
	}
	weir_scrape_finish(copy);
	return copy;
}

/* Keeps every other page. */
static void halve_between(struct scrape_builder *builder)
{
	size_t kept = 0;

	for (size_t i = 0; i < builder->between_count; i++) {
		if (i % 2)
			builder->between[kept++] = builder->between[i];
		else
			weir_scrape_free(builder->between[i]);
	}
	builder->between_count = kept;
	builder->stride *= 2;
}

static void keep_between(struct scrape_builder *builder, const struct weir_scrape *page)
{
	if (++builder->passed % builder->stride)
		return;
	if (builder->between_count == WEIR_MAX_SCRAPES_BETWEEN)
		halve_between(builder);
	builder->between = weir_grow(builder->between, &builder->between_capacity,
	                             builder->between_count + 1, sizeof(struct weir_scrape *));
	builder->between[builder->between_count++] = reduce(page);
}

/* Keeps the first page whole, and later ones but the last reduced. */
static void close_page(struct scrape_builder *builder, struct weir_scrape *page)
{
	builder->input->events += page->sample_count;
	if (builder->first || builder->oldest) {
		keep_between(builder, page);
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

/* Begins a new page with the current block of metadata, and moves its samples there. */
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

/* Keeps the sample, which a later point replaces, if it is the first of its series. */
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
		status = split_page(builder, err); /* cannot split again: begins at block 1 */
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

/*
 * ---- devices on metrics pages ----
 *
 * dcgm-exporter (DCGM_FI_..., and dcgm_... in version 1), Triton's nv_gpu_... One row of telemetry
 * per device and page.
 */

#define MIB      (1024.0 * 1024.0)
#define MILLI    1e-3
#define PER_CENT 1e-2

/* PCIe from the side of the device: it transmits to the host. Of two names for one gauge, the last
 * one on a page counts: a device in MIG mode has no GPU_UTIL. */
static const struct {
	const char *name;
	enum weir_gauge gauge;
	double scale;
} gauges[] = {
	{"DCGM_FI_DEV_SM_CLOCK", WEIR_GAUGE_SM_CLOCK_MHZ, 1},
	{"DCGM_FI_DEV_MEM_CLOCK", WEIR_GAUGE_MEMORY_CLOCK_MHZ, 1},
	{"DCGM_FI_DEV_MAX_SM_CLOCK", WEIR_GAUGE_SM_CLOCK_MAX_MHZ, 1},
	{"DCGM_FI_DEV_MEMORY_TEMP", WEIR_GAUGE_MEMORY_TEMPERATURE_C, 1},
	{"DCGM_FI_DEV_GPU_TEMP", WEIR_GAUGE_TEMPERATURE_C, 1},
	{"DCGM_FI_DEV_POWER_USAGE", WEIR_GAUGE_POWER_W, 1},
	{"DCGM_FI_DEV_POWER_MGMT_LIMIT", WEIR_GAUGE_POWER_LIMIT_W, 1},
	{"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", WEIR_GAUGE_POWER_LIMIT_W, 1},
	{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", WEIR_GAUGE_ENERGY_J, MILLI},
	{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", WEIR_GAUGE_ENGINE_ACTIVE, 1},
	{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", WEIR_GAUGE_UTILIZATION, 1},
	{"DCGM_FI_DEV_GPU_UTIL", WEIR_GAUGE_UTILIZATION, PER_CENT},
	{"DCGM_FI_DEV_MEM_COPY_UTIL", WEIR_GAUGE_MEMORY_ACTIVITY, PER_CENT},
	{"DCGM_FI_DEV_FB_USED", WEIR_GAUGE_MEMORY_USED_BYTES, MIB},
	{"DCGM_FI_DEV_FB_TOTAL", WEIR_GAUGE_MEMORY_TOTAL_BYTES, MIB},
	{"DCGM_FI_DEV_POWER_VIOLATION", WEIR_GAUGE_POWER_CAPPED_NS, 1},
	{"DCGM_FI_DEV_THERMAL_VIOLATION", WEIR_GAUGE_THERMAL_NS, 1},
	{"DCGM_FI_PROF_SM_ACTIVE", WEIR_GAUGE_SM_ACTIVE, 1},
	{"DCGM_FI_PROF_SM_OCCUPANCY", WEIR_GAUGE_SM_OCCUPANCY, 1},
	{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", WEIR_GAUGE_TENSOR_ACTIVE, 1},
	{"DCGM_FI_PROF_DRAM_ACTIVE", WEIR_GAUGE_DRAM_ACTIVE, 1},
	{"DCGM_FI_PROF_PCIE_TX_BYTES", WEIR_GAUGE_TO_HOST_BYTES_PER_S, 1},
	{"DCGM_FI_PROF_PCIE_RX_BYTES", WEIR_GAUGE_FROM_HOST_BYTES_PER_S, 1},
	{"DCGM_FI_PROF_NVLINK_TX_BYTES", WEIR_GAUGE_LINK_SENT_BYTES_PER_S, 1},
	{"DCGM_FI_PROF_NVLINK_RX_BYTES", WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S, 1},
	{"dcgm_sm_clock", WEIR_GAUGE_SM_CLOCK_MHZ, 1},
	{"dcgm_memory_clock", WEIR_GAUGE_MEMORY_CLOCK_MHZ, 1},
	{"dcgm_memory_temp", WEIR_GAUGE_MEMORY_TEMPERATURE_C, 1},
	{"dcgm_gpu_temp", WEIR_GAUGE_TEMPERATURE_C, 1},
	{"dcgm_power_usage", WEIR_GAUGE_POWER_W, 1},
	{"dcgm_total_energy_consumption", WEIR_GAUGE_ENERGY_J, MILLI},
	{"dcgm_fi_prof_gr_engine_active", WEIR_GAUGE_ENGINE_ACTIVE, 1},
	{"dcgm_fi_prof_gr_engine_active", WEIR_GAUGE_UTILIZATION, 1},
	{"dcgm_gpu_utilization", WEIR_GAUGE_UTILIZATION, PER_CENT},
	{"dcgm_mem_copy_utilization", WEIR_GAUGE_MEMORY_ACTIVITY, PER_CENT},
	{"dcgm_fb_used", WEIR_GAUGE_MEMORY_USED_BYTES, MIB},
	{"dcgm_power_violation", WEIR_GAUGE_POWER_CAPPED_NS, 1},
	{"dcgm_thermal_violation", WEIR_GAUGE_THERMAL_NS, 1},
	{"dcgm_fi_prof_sm_active", WEIR_GAUGE_SM_ACTIVE, 1},
	{"dcgm_fi_prof_sm_occupancy", WEIR_GAUGE_SM_OCCUPANCY, 1},
	{"dcgm_fi_prof_pipe_tensor_active", WEIR_GAUGE_TENSOR_ACTIVE, 1},
	{"dcgm_fi_prof_dram_active", WEIR_GAUGE_DRAM_ACTIVE, 1},
	{"dcgm_fi_prof_pcie_tx_bytes", WEIR_GAUGE_TO_HOST_BYTES_PER_S, 1},
	{"dcgm_fi_prof_pcie_rx_bytes", WEIR_GAUGE_FROM_HOST_BYTES_PER_S, 1},
	{"nv_gpu_utilization", WEIR_GAUGE_UTILIZATION, 1},
	{"nv_gpu_power_usage", WEIR_GAUGE_POWER_W, 1},
	{"nv_gpu_power_limit", WEIR_GAUGE_POWER_LIMIT_W, 1},
	{"nv_gpu_memory_total_bytes", WEIR_GAUGE_MEMORY_TOTAL_BYTES, 1},
	{"nv_gpu_memory_used_bytes", WEIR_GAUGE_MEMORY_USED_BYTES, 1},
	{"nv_energy_consumption", WEIR_GAUGE_ENERGY_J, 1},
};

/* The reasons that hold clocks down, as a number of bits. */
static const char *const reason_names[] = {"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
                                           "DCGM_FI_DEV_CLOCKS_EVENT_REASONS"};

/* True for DCGM's marks for "no value" (dcgm_structs.h): those of 64-bit integers all round to
 * 2^63; doubles and 32-bit integers have four each. */
static bool is_blank(double value)
{
	return isnan(value) || value >= 9223372036854775792.0 ||
	       (value >= 140737488355328.0 && value <= 140737488355331.0) ||
	       (value >= 2147483632.0 && value <= 2147483635.0);
}

/* True for the temperature that DCGM states for memory without a sensor, such as that of a T4. */
static bool is_without_sensor(enum weir_gauge gauge, double value)
{
	return gauge == WEIR_GAUGE_MEMORY_TEMPERATURE_C && value == 0;
}

/* One page that is turned into telemetry. */
struct filling {
	struct weir_telemetry *telemetry;
	const struct weir_scrape *scrape;
	size_t *row_of; /* per device: its row + 1; 0: not added yet */
};

/* Finds the device of a series: "0", "0/3" for a part of a divided device, or its UUID. */
static uint32_t find_device(struct filling *filling, uint32_t series)
{
	static const char *const id_labels[] = {"gpu", "UUID", "uuid", "gpu_uuid"};
	const char *part = weir_scrape_label(filling->scrape, series, "GPU_I_ID");
	const char *name = weir_scrape_label(filling->scrape, series, "modelName");
	struct weir_text id = {0};
	uint32_t device;

	for (size_t i = 0; i < sizeof id_labels / sizeof *id_labels && !id.length; i++) {
		const char *text = weir_scrape_label(filling->scrape, series, id_labels[i]);

		weir_text_puts(&id, text ? text : "");
	}
	if (!id.length)
		weir_text_puts(&id, "0");
	if (part && *part)
		weir_text_printf(&id, "/%s", part);
	device = weir_telemetry_device(filling->telemetry, id.data, id.length);
	filling->telemetry->devices[device].is_part = part && *part;
	if (name)
		weir_telemetry_name_device(filling->telemetry, device, name, strlen(name));
	weir_text_release(&id);
	return device;
}

static struct weir_telemetry_sample *find_row(struct filling *filling, uint32_t series)
{
	uint32_t device = find_device(filling, series);

	if (!filling->row_of[device]) {
		struct weir_telemetry_sample *sample = weir_telemetry_add(filling->telemetry);

		sample->device = device;
		sample->at_ns = filling->scrape->at_ns;
		filling->row_of[device] = filling->telemetry->count;
	}
	return &filling->telemetry->samples[filling->row_of[device] - 1];
}

/* Takes the samples of a family as a gauge, or as reasons if the gauge is WEIR_GAUGE_COUNT. */
static void fill_family(struct filling *filling, uint32_t row, enum weir_gauge gauge, double scale)
{
	const struct weir_scrape *scrape = filling->scrape;
	const struct weir_scrape_family *family = &scrape->families[row];

	for (size_t i = 0; i < family->series_count; i++) {
		uint32_t series = scrape->by_family[family->first_series + i];
		double value = weir_scrape_value(scrape, series, WEIR_PART_VALUE);
		struct weir_telemetry_sample *sample;

		if (!scrape->series[series].sample_count)
			continue;
		sample = find_row(filling, series);
		if (is_blank(value) || value < 0 || is_without_sensor(gauge, value))
			continue;
		if (gauge != WEIR_GAUGE_COUNT) {
			sample->value[gauge] = value * scale;
		} else if (value <= UINT32_MAX) {
			sample->has_reasons = true;
			sample->reasons = (uint32_t)value;
		}
	}
}

/* Takes the samples of a family as memory that, with the gauge `rest`, is all of a device. */
static void add_memory(struct filling *filling, const char *name, enum weir_gauge rest)
{
	const struct weir_scrape *scrape = filling->scrape;
	uint32_t row = weir_scrape_find_family(scrape, name, strlen(name));
	const struct weir_scrape_family *family;

	if (row == WEIR_ROWMAP_NONE)
		return;
	family = &scrape->families[row];
	for (size_t i = 0; i < family->series_count; i++) {
		uint32_t series = scrape->by_family[family->first_series + i];
		double value = weir_scrape_value(scrape, series, WEIR_PART_VALUE);
		struct weir_telemetry_sample *sample;

		if (!scrape->series[series].sample_count || is_blank(value) || value < 0)
			continue;
		sample = find_row(filling, series);
		sample->value[WEIR_GAUGE_MEMORY_TOTAL_BYTES] = sample->value[rest] + value * MIB;
	}
}

/* Takes used, free and reserved memory as the memory of a device that states no total. */
static void fill_memory(struct filling *filling)
{
	static const struct {
		const char *total, *free, *reserved;
	} names[] = {
		{"DCGM_FI_DEV_FB_TOTAL", "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_FB_RESERVED"},
		{"dcgm_fb_total", "dcgm_fb_free", "dcgm_fb_reserved"},
	};
	const struct weir_scrape *scrape = filling->scrape;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (weir_scrape_find_family(scrape, names[i].total, strlen(names[i].total)) !=
		    WEIR_ROWMAP_NONE)
			continue;
		add_memory(filling, names[i].free, WEIR_GAUGE_MEMORY_USED_BYTES);
		add_memory(filling, names[i].reserved, WEIR_GAUGE_MEMORY_TOTAL_BYTES);
	}
}

/* Clears the activity of the engine where it stands for the utilisation of a device that states
 * none. */
static void clear_repeated_activity(struct filling *filling)
{
	for (size_t device = 0; device < filling->telemetry->device_count; device++) {
		double *value;

		if (!filling->row_of[device])
			continue;
		value = filling->telemetry->samples[filling->row_of[device] - 1].value;
		if (value[WEIR_GAUGE_ENGINE_ACTIVE] == value[WEIR_GAUGE_UTILIZATION])
			value[WEIR_GAUGE_ENGINE_ACTIVE] = NAN;
	}
}

static void fill_page(struct filling *filling, const struct weir_scrape *scrape)
{
	filling->scrape = scrape;
	memset(filling->row_of, 0, WEIR_MAX_TELEMETRY_DEVICES * sizeof *filling->row_of);
	for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++) {
		uint32_t family =
			weir_scrape_find_family(scrape, gauges[i].name, strlen(gauges[i].name));

		if (family != WEIR_ROWMAP_NONE)
			fill_family(filling, family, gauges[i].gauge, gauges[i].scale);
	}
	fill_memory(filling);
	clear_repeated_activity(filling);
	for (size_t i = 0; i < sizeof reason_names / sizeof *reason_names; i++) {
		uint32_t family =
			weir_scrape_find_family(scrape, reason_names[i], strlen(reason_names[i]));

		if (family != WEIR_ROWMAP_NONE)
			fill_family(filling, family, WEIR_GAUGE_COUNT, 1);
	}
}

static void fill_telemetry(struct weir_input *input)
{
	struct filling filling = {.telemetry = weir_telemetry_new()};

	filling.row_of = weir_alloc(WEIR_MAX_TELEMETRY_DEVICES * sizeof *filling.row_of);
	if (input->scrape->earlier)
		fill_page(&filling, input->scrape->earlier);
	fill_page(&filling, input->scrape);
	free(filling.row_of);
	if (filling.telemetry->count)
		input->telemetry = filling.telemetry;
	else
		weir_telemetry_free(filling.telemetry);
}

/* Counts the metrics whose type follows from their names. */
static void warn_named(struct weir_input *input)
{
	const struct weir_scrape *scrape = input->scrape;

	for (size_t i = 0; i < scrape->family_count; i++) {
		const struct weir_scrape_family *family = &scrape->families[i];

		if (family->by_name)
			weir_input_warn(input, WEIR_WARN_UNTYPED_METRIC, UINT64_MAX,
			                weir_names_text(scrape->names, family->name));
	}
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
	input->scrape->between = builder->between;
	input->scrape->between_count = builder->between_count;
	builder->page = builder->first = NULL;
	builder->between = NULL;
	builder->between_count = 0;
	warn_named(input);
	fill_telemetry(input);
}
