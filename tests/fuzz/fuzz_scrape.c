/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through both readers of metrics pages: scrapes whose rows are consistent, or an
 * error with a message. What the strict reader takes, the other reader passes on to it. Stages
 * made of a scrape have estimates within their bounds. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_page(const struct weir_scrape *scrape)
{
	size_t counted = 0;

	require(scrape->sample_count <= WEIR_MAX_SCRAPE_SAMPLES);
	for (uint32_t s = 0; s < scrape->series_count; s++) {
		const struct weir_scrape_series *series = &scrape->series[s];

		require(series->family < scrape->family_count);
		require(series->first_label + series->label_count <= scrape->label_count);
		if (series->sample_count)
			require(weir_scrape_counterpart(scrape, scrape, s) == s);
		counted += series->sample_count;
	}
	require(counted == scrape->sample_count);
	for (size_t i = 1; i < scrape->sample_count; i++) {
		const struct weir_scrape_sample *a = &scrape->samples[i - 1], *b = a + 1;

		require(a->series < b->series || a->part < b->part || a->bound < b->bound);
		require(!isnan(b->bound));
	}
}

static void check_stages(const struct weir_profile *profile)
{
	static const struct weir_stage_aliases no_aliases;
	struct weir_scrape_figures figures;

	weir_scrape_figures_collect(profile, &no_aliases, &figures);
	for (size_t i = 0; i < figures.stage_count; i++) {
		const struct weir_scrape_stage *stage = &figures.stages[i];

		require(stage->name && stage->name[0] && stage->kind && stage->count > 0);
		for (int l = 0; l < WEIR_LEVEL_COUNT; l++) {
			const struct weir_quantile_estimate *at = &stage->at[l];

			require(isnan(at->estimate) ||
			        (at->low <= at->estimate && at->estimate <= at->high));
		}
	}
	weir_scrape_figures_release(&figures);
}

static int read_with(const struct weir_reader *reader, const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};
	int read = 0;

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = reader->read(source, input, &err);

		read = !status;
		require(read == !err.message[0]);
		if (read) {
			check_page(input->scrape);
			if (input->scrape->earlier)
				check_page(input->scrape->earlier);
			check_stages(profile);
		}
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int strict = read_with(&weir_reader_openmetrics, data, size);
	int tolerant = read_with(&weir_reader_prometheus, data, size);

	require(!strict || tolerant);
	return 0;
}
