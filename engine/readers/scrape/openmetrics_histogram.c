/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/readers/scrape/openmetrics_family.h"

static const char *add_bucket(struct openmetrics_histogram *histogram,
                              const struct scrape_line *line)
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

const char *weir_openmetrics_histogram_sample(struct openmetrics_histogram *histogram,
                                              struct weir_slice suffix,
                                              const struct scrape_line *line)
{
	if (!histogram->open)
		*histogram =
			(struct openmetrics_histogram){.open = true, .bound = NAN, .count = NAN};
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

const char *weir_openmetrics_histogram_end(struct openmetrics_histogram *histogram)
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
