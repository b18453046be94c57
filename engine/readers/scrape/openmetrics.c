/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads OpenMetrics 1.0 strictly: a page that breaks a rule is refused with its line, because the
 * format promises that every reader can tell a whole page from a damaged one. There are two
 * exceptions: lines may end in CR LF, and several whole pages may follow each other, of which the
 * first and the last count.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/readers.h"
#include "engine/readers/scrape/openmetrics.h"
#include "engine/readers/scrape/scrape_build.h"

/*
 * ---- families ----
 *
 * Checks that OpenMetrics demands beyond the syntax of lines: metadata come once and before
 * samples, families do not interleave or clash, labels and values fit the type, histograms are
 * complete. Checks have the order of the specification's test cases. They return NULL, or the
 * fault in a few words; static.
 */

#define BAD_METADATA                                                                               \
	"expected \"# HELP name text\", \"# TYPE name type\", \"# UNIT name unit\" or \"# EOF\""

/* One metric of a histogram at one time, while its samples are read. */
struct histogram {
	bool open, negative_bounds, has_sum;
	bool only_grows;          /* the sum is a _sum, which negative observations would reduce */
	bool negative_sum;        /* the sum is a _gsum below zero */
	double bound, cumulative; /* of the last bucket; bound NAN: no bucket yet */
	double count;             /* NAN: not given */
};

struct family {
	struct weir_slice name, unit; /* name.data NULL: no family yet */
	enum weir_scrape_type type;
	bool has_help, has_type, has_unit, has_samples;

	uint64_t group; /* hash of the labels that distinguish metrics */
	bool in_group, group_stamped;
	double group_stamp;
	uint64_t *groups; /* all groups of the family */
	size_t group_count, group_capacity;
	struct weir_rowmap group_map;
	struct histogram histogram;

	struct weir_names *taken; /* names of samples of earlier families */
};

static const char *add_bucket(struct histogram *histogram, const struct scrape_line *line)
{
	const struct scrape_text_label *label = weir_scrape_line_label(line, "le");
	double bound;

	if (!label || !weir_scrape_number_parse(label->value, SCRAPE_OPENMETRICS, &bound) ||
	    isnan(bound))
		return "a bucket without a number as \"le\"";
	if (isinf(bound) && !weir_slice_equals(label->value, bound > 0 ? "+Inf" : "-Inf"))
		return "infinity in \"le\" is not written +Inf";
	if (bound <= histogram->bound)
		return "buckets are not in ascending order";
	if (line->value < histogram->cumulative)
		return "a bucket holds less than the one before it";
	histogram->negative_bounds = histogram->negative_bounds || bound < 0;
	histogram->bound = bound;
	histogram->cumulative = line->value;
	return NULL;
}

static const char *add_to_histogram(struct histogram *histogram, struct weir_slice suffix,
                                    const struct scrape_line *line)
{
	if (!histogram->open)
		*histogram = (struct histogram){.open = true, .bound = NAN, .count = NAN};
	if (weir_slice_equals(suffix, "_bucket"))
		return add_bucket(histogram, line);
	if (weir_slice_equals(suffix, "_count") || weir_slice_equals(suffix, "_gcount"))
		histogram->count = line->value;
	if (weir_slice_equals(suffix, "_sum"))
		histogram->has_sum = histogram->only_grows = true;
	if (weir_slice_equals(suffix, "_gsum")) {
		histogram->has_sum = true;
		histogram->negative_sum = line->value < 0;
	}
	return NULL;
}

static const char *end_histogram(struct histogram *histogram)
{
	bool counted = !isnan(histogram->count);

	if (!histogram->open)
		return NULL;
	histogram->open = false;
	if (!isinf(histogram->bound) || histogram->bound < 0)
		return "a histogram without its +Inf bucket";
	if (counted && histogram->count != histogram->cumulative)
		return "a histogram's count differs from its +Inf bucket";
	if (histogram->has_sum && !counted)
		return "a histogram with a sum and no count";
	if (!histogram->has_sum && counted)
		return "a histogram with a count and no sum";
	if (histogram->negative_bounds && histogram->only_grows)
		return "a histogram with negative buckets and a sum";
	if (histogram->negative_sum && !histogram->negative_bounds)
		return "a histogram with a negative sum and no negative bucket";
	return NULL;
}

/* The endings of the names of a type's samples after the family's name. */
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

static void release_family(struct family *family)
{
	free(family->groups);
	weir_rowmap_release(&family->group_map);
	weir_names_free(family->taken);
}

static void begin_family(struct family *family, struct weir_slice name)
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

/* Takes a name of samples. Returns false if another family has it. */
static bool take_name(struct family *family, const char *suffix)
{
	size_t count = weir_names_count(family->taken);
	struct weir_text name = {0};

	weir_text_add(&name, family->name.data, family->name.length);
	weir_text_puts(&name, suffix);
	weir_names_add(family->taken, name.data, name.length);
	weir_text_release(&name);
	return weir_names_count(family->taken) > count;
}

static const char *take_names(struct family *family)
{
	bool is_free = take_name(family, "");

	for (size_t i = 0; i < 5 && suffixes[family->type][i]; i++)
		if (*suffixes[family->type][i] && !take_name(family, suffixes[family->type][i]))
			is_free = false;
	return is_free ? NULL : "a name of an earlier family, or a family in several places";
}

static const char *end_family(struct family *family)
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
		fault = end_histogram(&family->histogram);
	family->name.data = NULL;
	return fault;
}

static const char *set_help(struct family *family, struct weir_slice text)
{
	(void)text;
	if (family->has_help)
		return "a second HELP of one metric";
	family->has_help = true;
	return NULL;
}

static const char *set_type(struct family *family, struct weir_slice text)
{
	if (family->has_type)
		return "a second TYPE of one metric";
	family->has_type = true;
	if (weir_slice_equals(text, "untyped") || !weir_scrape_type_parse(text, &family->type))
		return "not a type of OpenMetrics";
	return NULL;
}

static const char *set_unit(struct family *family, struct weir_slice text)
{
	if (family->has_unit)
		return "a second UNIT of one metric";
	family->has_unit = true;
	family->unit = text;
	return NULL;
}

static const struct {
	const char *keyword;
	const char *(*set)(struct family *, struct weir_slice);
} keywords[] = {
	{"HELP", set_help},
	{"TYPE", set_type},
	{"UNIT", set_unit},
};

static const char *add_metadata(struct family *family, const struct scrape_metadata *metadata)
{
	if (!metadata->complete || !weir_scrape_is_metric_name(metadata->name))
		return BAD_METADATA;
	if (!family->name.data || !same(family->name, metadata->name)) {
		const char *fault = end_family(family);

		if (fault)
			return fault;
		begin_family(family, metadata->name);
	} else if (family->has_samples) {
		return "metadata after samples of its metric";
	}
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (weir_slice_equals(metadata->keyword, keywords[i].keyword))
			return keywords[i].set(family, metadata->text);
	return BAD_METADATA;
}

/* Finds the ending of the sample's name after the family's; false: it is of another family. */
static bool find_suffix(const struct family *family, const struct scrape_line *line,
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

/* Returns the label that distinguishes samples of one metric, or NULL. */
static const struct scrape_text_label *
inner_label(const struct family *family, struct weir_slice suffix, const struct scrape_line *line)
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

/* Hashes the labels of a metric, in any order. Infos of one family are one group. */
static uint64_t hash_group(const struct family *family, const struct scrape_line *line,
                           const struct scrape_text_label *inner)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < line->label_count && family->type != WEIR_SCRAPE_INFO; i++) {
		const struct scrape_text_label *label = &line->labels[i];

		if (label != inner)
			sum += weir_hash_text(
				label->value.data, label->value.length,
				weir_hash_text(label->name.data, label->name.length, 1));
	}
	return sum;
}

/* Adds a group. Returns false if it exists. */
static bool add_group(struct family *family, uint64_t group)
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

static const char *check_group(struct family *family, uint64_t group,
                               const struct scrape_line *line)
{
	bool same_group = family->in_group && group == family->group;
	bool same_time = line->stamped == family->group_stamped &&
	                 (!line->stamped || line->stamp == family->group_stamp);
	const char *fault = NULL;

	if (!same_group && !add_group(family, group))
		return "samples of one metric with others between them";
	if (same_group && line->stamped != family->group_stamped)
		return "samples of one metric with and without time stamps";
	if (same_group && line->stamped && line->stamp < family->group_stamp &&
	    family->type != WEIR_SCRAPE_INFO)
		return "time stamps of one metric that go back";
	if (!same_group || !same_time)
		fault = end_histogram(&family->histogram);
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

/* Samples that are counts or sums. */
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
			return "a count or sum that is not a number";
		if (line->value < 0 && !running[i].may_be_negative)
			return "a count or sum below zero";
		if (running[i].whole && line->value != floor(line->value))
			return "a count that is not a whole number";
	}
	return NULL;
}

static const char *check_type(const struct family *family, struct weir_slice suffix,
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
		return "an exemplar of a sample that cannot have one";
	if (family->type == WEIR_SCRAPE_SUMMARY && !suffix.length)
		return check_summary(line, inner);
	return check_running(suffix, line);
}

static const char *check_sample(struct family *family, const struct scrape_line *line)
{
	const struct scrape_text_label *inner;
	struct weir_slice suffix = {0};
	const char *fault;

	if (!find_suffix(family, line, &suffix)) {
		fault = end_family(family);
		if (fault)
			return fault;
		begin_family(family, line->name); /* a metric without metadata */
		suffix = (struct weir_slice){line->name.data + line->name.length, 0};
	}
	family->has_samples = true;
	inner = inner_label(family, suffix, line);
	fault = check_type(family, suffix, line, inner);
	if (!fault)
		fault = check_group(family, hash_group(family, line, inner), line);
	if (!fault &&
	    (family->type == WEIR_SCRAPE_HISTOGRAM || family->type == WEIR_SCRAPE_GAUGE_HISTOGRAM))
		fault = add_to_histogram(&family->histogram, suffix, line);
	return fault;
}

/* ---- pages ---- */

struct page_reader {
	struct scrape_builder builder;
	struct family family;
	struct scrape_line sample;
	uint64_t line, at; /* number of the line; its first byte */
	bool ended;        /* after "# EOF" */
};

static void begin_page(struct page_reader *reader)
{
	release_family(&reader->family);
	reader->family = (struct family){.taken = weir_names_new()};
	reader->ended = false;
}

/* Begins another page if the text after the end of a page has an end as well. */
static enum weir_status next_page(struct page_reader *reader, struct weir_slice rest,
                                  const char **fault, struct weir_error *err)
{
	enum weir_status status;

	if (!weir_scrape_is_openmetrics(rest.data, rest.length)) {
		*fault = "more follows \"# EOF\"";
		return WEIR_OK;
	}
	status = weir_scrape_builder_end_page(&reader->builder, err);
	if (!status)
		begin_page(reader);
	return status;
}

static const char *read_metadata(struct page_reader *reader, struct weir_slice line)
{
	struct scrape_metadata metadata;
	enum weir_scrape_type type;
	const char *fault;

	if (weir_slice_equals(line, "# EOF")) {
		reader->ended = true;
		return end_family(&reader->family);
	}
	if (!weir_scrape_metadata_parse(line.data, line.length, SCRAPE_OPENMETRICS, &metadata))
		return BAD_METADATA;
	fault = add_metadata(&reader->family, &metadata);
	if (fault)
		return fault;
	if (weir_slice_equals(metadata.keyword, "TYPE") &&
	    weir_scrape_type_parse(metadata.text, &type))
		weir_scrape_builder_type(&reader->builder, metadata.name, type);
	if (weir_slice_equals(metadata.keyword, "UNIT"))
		weir_scrape_builder_unit(&reader->builder, metadata.name, metadata.text);
	return NULL;
}

static enum weir_status read_sample(struct page_reader *reader, char *line, size_t len,
                                    const char **fault, struct weir_error *err)
{
	*fault = weir_scrape_line_parse(line, len, SCRAPE_OPENMETRICS, &reader->sample);
	if (!*fault)
		*fault = check_sample(&reader->family, &reader->sample);
	if (*fault)
		return WEIR_OK;
	return weir_scrape_builder_add(&reader->builder, &reader->sample, reader->at, fault, err);
}

static enum weir_status read_line(struct page_reader *reader, char *line, size_t len,
                                  const char **fault, struct weir_error *err)
{
	if (!len) {
		*fault = "an empty line";
		return WEIR_OK;
	}
	if (*line != '#')
		return read_sample(reader, line, len, fault, err);
	*fault = read_metadata(reader, (struct weir_slice){line, len});
	return WEIR_OK;
}

static enum weir_status read_lines(struct page_reader *reader, struct weir_text *text,
                                   struct weir_error *err)
{
	char *at = text->data, *end = at + text->length;

	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		enum weir_status status = WEIR_OK;
		const char *fault = NULL;

		reader->line++;
		reader->at = (uint64_t)(at - text->data);
		if (len && at[len - 1] == '\r') {
			weir_input_warn(reader->builder.input, WEIR_WARN_REPAIRED_TEXT, reader->at,
			                "CR LF");
			len--;
		}
		if (reader->ended)
			status = next_page(reader, (struct weir_slice){at, (size_t)(end - at)},
			                   &fault, err);
		if (!status && !fault)
			status = read_line(reader, at, len, &fault, err);
		if (status || fault)
			return status ? status
			              : weir_fail(err, WEIR_E_FORMAT,
			                          "not valid OpenMetrics: line %llu: %s",
			                          (unsigned long long)reader->line, fault);
		at = newline ? newline + 1 : end;
	}
	if (!reader->ended)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "OpenMetrics text without its last line \"# EOF\": it is cut "
		                 "short; scrape it again");
	return WEIR_OK;
}

enum weir_status weir_openmetrics_read_text(struct weir_text *text, struct weir_input *input,
                                            struct weir_error *err)
{
	struct page_reader reader = {.line = 0};
	enum weir_status status;

	weir_scrape_builder_init(&reader.builder, input);
	reader.family = (struct family){.taken = weir_names_new()};
	status = read_lines(&reader, text, err);
	if (!status)
		weir_scrape_builder_finish(&reader.builder);
	weir_scrape_builder_release(&reader.builder);
	release_family(&reader.family);
	return status;
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = weir_scrape_read_text(source, &text, err);

	if (!status && weir_source_damage(source))
		status =
			weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	if (!status)
		status = weir_openmetrics_read_text(&text, input, err);
	weir_text_release(&text);
	return status;
}

static int sniff(const char *head, size_t len)
{
	return weir_scrape_is_openmetrics(head, len) ? weir_scrape_sniff(head, len) : 0;
}

const struct weir_reader weir_reader_openmetrics = {
	.name = "openmetrics",
	.title = "metrics pages of a server in OpenMetrics 1.0, one or two (before and after)",
	.gives = "scrape",
	.sniff = sniff,
	.read = read,
};
