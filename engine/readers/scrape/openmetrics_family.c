/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/scrape/openmetrics_family.h"

/* What the names of a type's samples end with behind the family's name. */
static const char *const suffixes[][5] = {
	[WEIR_SCRAPE_UNKNOWN] = {""},
	[WEIR_SCRAPE_COUNTER] = {"_total", "_created"},
	[WEIR_SCRAPE_GAUGE] = {""},
	[WEIR_SCRAPE_HISTOGRAM] = {"_bucket", "_count", "_sum", "_created"},
	[WEIR_SCRAPE_GAUGE_HISTOGRAM] = {"_bucket", "_gcount", "_gsum"},
	[WEIR_SCRAPE_SUMMARY] = {"", "_count", "_sum", "_created"},
	[WEIR_SCRAPE_STATE_SET] = {""},
	[WEIR_SCRAPE_INFO] = {"_info"},
};

void weir_openmetrics_family_init(struct openmetrics_family *family)
{
	*family = (struct openmetrics_family){.taken = weir_names_new()};
}

void weir_openmetrics_family_release(struct openmetrics_family *family)
{
	free(family->groups);
	weir_rowmap_release(&family->group_map);
	weir_names_free(family->taken);
}

static void begin(struct openmetrics_family *family, struct weir_slice name)
{
	family->name = name;
	family->unit = (struct weir_slice){0};
	family->type = WEIR_SCRAPE_UNKNOWN;
	family->has_help = family->has_type = family->has_unit = family->has_samples = false;
	family->in_group = false;
	family->group_count = 0;
	weir_rowmap_release(&family->group_map);
	family->histogram.open = false;
}

static bool same(struct weir_slice a, struct weir_slice b)
{
	return a.length == b.length && !memcmp(a.data, b.data, a.length);
}

static bool ends_with_unit(struct weir_slice name, struct weir_slice unit)
{
	size_t at = name.length - unit.length;

	return name.length > unit.length && name.data[at - 1] == '_' &&
	       !memcmp(name.data + at, unit.data, unit.length);
}

/* True where the name was free. */
static bool take_name(struct openmetrics_family *family, const char *suffix)
{
	size_t count = weir_names_count(family->taken);
	struct weir_text name = {0};

	weir_text_add(&name, family->name.data, family->name.length);
	weir_text_puts(&name, suffix);
	weir_names_add(family->taken, name.data, name.length);
	weir_text_release(&name);
	return weir_names_count(family->taken) > count;
}

static const char *take_names(struct openmetrics_family *family)
{
	bool is_free = take_name(family, "");

	for (size_t i = 0; i < 5 && suffixes[family->type][i]; i++)
		if (*suffixes[family->type][i] && !take_name(family, suffixes[family->type][i]))
			is_free = false;
	return is_free ? NULL
	               : "a name that belongs to a family before, or a family that is parted";
}

const char *weir_openmetrics_family_end(struct openmetrics_family *family)
{
	const char *fault;

	if (!family->name.data)
		return NULL;
	fault = take_names(family);
	if (!fault && family->unit.length && !ends_with_unit(family->name, family->unit))
		fault = "a unit that its metric's name does not end with";
	if (!fault && family->unit.length &&
	    (family->type == WEIR_SCRAPE_INFO || family->type == WEIR_SCRAPE_STATE_SET))
		fault = "a unit of a type that has none";
	if (!fault)
		fault = weir_openmetrics_histogram_end(&family->histogram);
	family->name.data = NULL;
	return fault;
}

static const char *set_help(struct openmetrics_family *family, struct weir_slice text)
{
	(void)text;
	if (family->has_help)
		return "a second HELP of one metric";
	family->has_help = true;
	return NULL;
}

static const char *set_type(struct openmetrics_family *family, struct weir_slice text)
{
	if (family->has_type)
		return "a second TYPE of one metric";
	family->has_type = true;
	if (weir_slice_equals(text, "untyped") || !weir_scrape_type_parse(text, &family->type))
		return "no such type in OpenMetrics";
	return NULL;
}

static const char *set_unit(struct openmetrics_family *family, struct weir_slice text)
{
	if (family->has_unit)
		return "a second UNIT of one metric";
	family->has_unit = true;
	family->unit = text;
	return NULL;
}

static const struct {
	const char *keyword;
	const char *(*set)(struct openmetrics_family *, struct weir_slice);
} keywords[] = {
	{"HELP", set_help},
	{"TYPE", set_type},
	{"UNIT", set_unit},
};

const char *weir_openmetrics_family_metadata(struct openmetrics_family *family,
                                             const struct scrape_metadata *metadata)
{
	if (!metadata->complete || !weir_scrape_is_metric_name(metadata->name))
		return OPENMETRICS_BAD_METADATA;
	if (!family->name.data || !same(family->name, metadata->name)) {
		const char *fault = weir_openmetrics_family_end(family);

		if (fault)
			return fault;
		begin(family, metadata->name);
	} else if (family->has_samples) {
		return "metadata behind samples of its metric";
	}
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (weir_slice_equals(metadata->keyword, keywords[i].keyword))
			return keywords[i].set(family, metadata->text);
	return OPENMETRICS_BAD_METADATA;
}

/* What follows the family's name in the sample's; false: the sample is of another family. */
static bool find_suffix(const struct openmetrics_family *family, const struct scrape_line *line,
                        struct weir_slice *out)
{
	size_t len = family->name.length;

	if (!family->name.data || line->name.length < len ||
	    memcmp(line->name.data, family->name.data, len) != 0)
		return false;
	*out = (struct weir_slice){line->name.data + len, line->name.length - len};
	for (size_t i = 0; i < 5 && suffixes[family->type][i]; i++)
		if (weir_slice_equals(*out, suffixes[family->type][i]))
			return true;
	return false;
}

/* The label that tells samples of one metric apart; NULL: none. */
static const struct scrape_text_label *inner_label(const struct openmetrics_family *family,
                                                   struct weir_slice suffix,
                                                   const struct scrape_line *line)
{
	if (weir_slice_equals(suffix, "_bucket"))
		return weir_scrape_line_label(line, "le");
	if (family->type == WEIR_SCRAPE_SUMMARY && !suffix.length)
		return weir_scrape_line_label(line, "quantile");
	if (family->type != WEIR_SCRAPE_STATE_SET)
		return NULL;
	for (size_t i = 0; i < line->label_count; i++)
		if (same(line->labels[i].name, family->name))
			return &line->labels[i];
	return NULL;
}

/* Independent of the order of labels. Infos of one family are one group. */
static uint64_t hash_group(const struct openmetrics_family *family, const struct scrape_line *line,
                           const struct scrape_text_label *inner)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < line->label_count && family->type != WEIR_SCRAPE_INFO; i++) {
		const struct scrape_text_label *label = &line->labels[i];

		if (label != inner)
			sum += weir_rowmap_hash_text(
				label->value.data, label->value.length,
				weir_rowmap_hash_text(label->name.data, label->name.length, 1));
	}
	return sum;
}

/* False: the group has been there before. */
static bool add_group(struct openmetrics_family *family, uint64_t group)
{
	uint32_t hash = weir_rowmap_hash(group), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&family->group_map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (family->groups[row] == group)
			return false;
	weir_rowmap_add(&family->group_map, hash, (uint32_t)family->group_count);
	family->groups = weir_grow(family->groups, &family->group_capacity, family->group_count + 1,
	                           sizeof *family->groups);
	family->groups[family->group_count++] = group;
	return true;
}

static const char *check_group(struct openmetrics_family *family, uint64_t group,
                               const struct scrape_line *line)
{
	bool same_group = family->in_group && group == family->group;
	bool same_time = line->stamped == family->group_stamped &&
	                 (!line->stamped || line->stamp == family->group_stamp);
	const char *fault = NULL;

	if (!same_group && !add_group(family, group))
		return "samples of one metric that others part";
	if (same_group && line->stamped != family->group_stamped)
		return "samples of one metric with and without time stamps";
	if (same_group && line->stamped && line->stamp < family->group_stamp &&
	    family->type != WEIR_SCRAPE_INFO)
		return "time stamps of one metric that go back";
	if (!same_group || !same_time)
		fault = weir_openmetrics_histogram_end(&family->histogram);
	family->in_group = true;
	family->group = group;
	family->group_stamped = line->stamped;
	family->group_stamp = line->stamp;
	return fault;
}

static const char *check_summary(const struct scrape_line *line,
                                 const struct scrape_text_label *quantile)
{
	double level;

	if (!quantile || !weir_scrape_number_parse(quantile->value, SCRAPE_OPENMETRICS, &level) ||
	    !(level >= 0 && level <= 1))
		return "a summary's \"quantile\" is not between 0 and 1";
	return line->value < 0 ? "a quantile below zero" : NULL;
}

/* Samples that count or add up. */
static const struct {
	const char *suffix;
	bool whole, may_be_negative;
} running[] = {
	{"_total", false, false}, {"_sum", false, false},   {"_count", true, false},
	{"_bucket", true, false}, {"_gcount", true, false}, {"_gsum", false, true},
};

static const char *check_running(struct weir_slice suffix, const struct scrape_line *line)
{
	for (size_t i = 0; i < sizeof running / sizeof *running; i++) {
		if (!weir_slice_equals(suffix, running[i].suffix))
			continue;
		if (isnan(line->value))
			return "a count or sum that is no number";
		if (line->value < 0 && !running[i].may_be_negative)
			return "a count or sum below zero";
		if (running[i].whole && line->value != floor(line->value))
			return "a count that is no whole number";
	}
	return NULL;
}

static const char *check_type(const struct openmetrics_family *family, struct weir_slice suffix,
                              const struct scrape_line *line, const struct scrape_text_label *inner)
{
	bool histogram = family->type == WEIR_SCRAPE_HISTOGRAM ||
	                 family->type == WEIR_SCRAPE_GAUGE_HISTOGRAM;

	if (family->type == WEIR_SCRAPE_STATE_SET && !inner)
		return "a state without the label of its set";
	if (family->type == WEIR_SCRAPE_STATE_SET && line->value != 0 && line->value != 1)
		return "a state that is neither 0 nor 1";
	if (family->type == WEIR_SCRAPE_INFO && line->value != 1)
		return "an info that is not 1";
	if (line->exemplar && !(histogram && weir_slice_equals(suffix, "_bucket")) &&
	    !(family->type == WEIR_SCRAPE_COUNTER && weir_slice_equals(suffix, "_total")))
		return "an exemplar of what can have none";
	if (family->type == WEIR_SCRAPE_SUMMARY && !suffix.length)
		return check_summary(line, inner);
	return check_running(suffix, line);
}

const char *weir_openmetrics_family_sample(struct openmetrics_family *family,
                                           const struct scrape_line *line)
{
	const struct scrape_text_label *inner;
	struct weir_slice suffix = {0};
	const char *fault;

	if (!find_suffix(family, line, &suffix)) {
		fault = weir_openmetrics_family_end(family);
		if (fault)
			return fault;
		begin(family, line->name); /* a metric without metadata */
		suffix = (struct weir_slice){line->name.data + line->name.length, 0};
	}
	family->has_samples = true;
	inner = inner_label(family, suffix, line);
	fault = check_type(family, suffix, line, inner);
	if (!fault)
		fault = check_group(family, hash_group(family, line, inner), line);
	if (!fault &&
	    (family->type == WEIR_SCRAPE_HISTOGRAM || family->type == WEIR_SCRAPE_GAUGE_HISTOGRAM))
		fault = weir_openmetrics_histogram_sample(&family->histogram, suffix, line);
	return fault;
}
