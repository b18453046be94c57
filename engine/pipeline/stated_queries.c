/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/base/text.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/stated_queries.h"
#include "engine/stats/moments.h"

#define NS_OF_MS 1e6
/* Share of the time of computation from which on the time to enqueue may bound the throughput:
 * trtexec warns from there on (TensorRT's sampleReporting.cpp, enqueueBoundReportingThreshold). */
#define ENQUEUE_BOUND 0.8

/* Median times of a query in ms; copies that are not stated take no time. */
struct query {
	double enqueue, copies, compute;
	double latency; /* as stated, or else the sum of copies and computation */
};

static double median(const struct weir_run *run, const char *name)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	return series ? weir_mean(series->value, series->count) : NAN;
}

/* Fills the times of the only run that states the time of computation. Returns false if none or
 * several do. */
static bool find_query(const struct weir_report *report, struct query *query)
{
	size_t found = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;
		double compute = run ? median(run, "gpu_compute_median_ms") : NAN;

		if (!run || !(compute > 0))
			continue;
		found += run->next ? 2 : 1;
		*query = (struct query){.enqueue = median(run, "enqueue_median_ms"),
		                        .copies = fmax(median(run, "h2d_median_ms"), 0) +
		                                  fmax(median(run, "d2h_median_ms"), 0),
		                        .compute = compute};
		query->latency =
			fmax(median(run, "latency_median_ms"), query->copies + query->compute);
	}
	return found == 1;
}

static void put_ms(struct weir_text *out, double ms)
{
	weir_text_duration(out, ms * NS_OF_MS);
}

/* Appends "copies between host and device take 62 % of a median query of 2.16 ms". */
static void put_part(const char *takes, double part_ms, const struct query *query,
                     struct weir_text *out)
{
	weir_text_puts(out, takes);
	weir_text_part(out, part_ms / query->latency);
	weir_text_puts(out, " of a median query of ");
	put_ms(out, query->latency);
}

const char *weir_describe_stated_queries(struct weir_report *report)
{
	struct weir_text text = {0};
	struct query query;

	if (!find_query(report, &query))
		return NULL;
	if (query.enqueue > ENQUEUE_BOUND * query.compute) {
		weir_text_puts(&text, "the host takes ");
		put_ms(&text, query.enqueue);
		weir_text_puts(&text, " to enqueue a query that the GPU computes in ");
		put_ms(&text, query.compute);
		weir_text_puts(&text, ", so that the GPU may wait for it");
		report->verdict.next =
			"run it with --useCudaGraph, if it did not: a query is then one launch; "
			"nsys profile -t cuda,nvtx trtexec ... shows the gaps";
	} else if (query.copies > query.compute) {
		put_part("copies between host and device take ", query.copies, &query, &text);
		report->verdict.next = "keep inputs and outputs on the device, or copy less; "
				       "--noDataTransfers measures the engine alone";
	} else {
		put_part("the GPU computes for ", query.compute, &query, &text);
		weir_text_puts(&text, "; the log does not show what bounds the computation");
	}
	return weir_keep_line(report, &text);
}

const char *weir_describe_stated_batch(struct weir_report *report)
{
	struct weir_text text = {0};
	double prefill = NAN, all = NAN;
	size_t found = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;
		double own = run ? median(run, "prefill_latency_ms") : NAN;

		if (!run || !(own > 0))
			continue;
		found += run->next ? 2 : 1;
		prefill = own;
		all = median(run, "total_latency_ms");
	}
	if (found != 1 || !(prefill <= all))
		return NULL;
	weir_text_puts(&text, "the prefill takes ");
	weir_text_part(&text, prefill / all);
	weir_text_puts(&text, " of a batch of ");
	put_ms(&text, all);
	weir_text_puts(&text, ", and decoding the rest; the times do not show what bounds either");
	return weir_keep_line(report, &text);
}
