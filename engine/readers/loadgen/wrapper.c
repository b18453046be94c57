/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of small profiling wrappers around an engine, in the three shapes that are widely copied:
 * one record a batch, percentiles of a latency, and figures by configuration. None of them names
 * its writer, so each is known by several keys that belong together.
 */
#include "engine/readers/loadgen/wrapper.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const char *const batch_keys[] = {"prefill_ms",       "decode_ms",     "total_ms",
                                         "generated_tokens", "prompt_tokens", NULL};
static const char *const latency_keys[] = {"p50_ms",         "p99_ms", "mean_ms", "p90_ms",
                                           "p95_ms",         "min_ms", "max_ms",  "std_ms",
                                           "num_iterations", NULL};
static const char *const configuration_keys[] = {"metrics", "timestamp", NULL};
/* Its outermost keys are names that people chose; only what is inside them can be known. */
static const char *const native_keys[] = {"schema", NULL};

static int sniff_batches(const char *head, size_t len)
{
	static const char *const keys[] = {"traces", NULL};
	size_t left = 0;
	const char *traces = weir_sniff_member(head, len, keys[0], &left);
	unsigned found;

	if (!traces || *traces != '[')
		return 0;
	found = weir_sniff_keys(traces, left, batch_keys);
	if ((found & 7) != 7)
		return 0;
	return weir_sniff_bits(1, keys) + weir_sniff_bits(found, batch_keys);
}

static int sniff_latency(const char *head, size_t len)
{
	unsigned found = weir_sniff_keys(head, len, latency_keys);

	return (found & 7) == 7 ? weir_sniff_bits(found, latency_keys) : 0;
}

static int sniff_configurations(const char *head, size_t len)
{
	size_t left = 0, rest = 0;
	const char *first = weir_sniff_member(head, len, NULL, &left), *metrics;

	if (!first || *first != '{' || weir_sniff_keys(head, len, native_keys) ||
	    weir_sniff_keys(first, left, configuration_keys) != 3)
		return 0;
	metrics = weir_sniff_member(first, left, configuration_keys[0], &rest);
	return metrics && *metrics == '{' ? weir_sniff_bits(3, configuration_keys) : 0;
}

static const struct {
	int (*sniff)(const char *head, size_t len);
	enum weir_status (*read)(struct weir_source *source, struct weir_input *input,
	                         struct weir_error *err);
} shapes[] = {
	{sniff_batches, weir_wrapper_batches},
	{sniff_latency, weir_wrapper_latency},
	{sniff_configurations, weir_wrapper_configurations},
};

/* The row of `shapes` that fits best; its bits, 0: none. */
static int best_shape(const char *head, size_t len, size_t *best)
{
	int most = 0;

	if (weir_sniff_first(head, len) != '{')
		return 0;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		int bits = shapes[i].sniff(head, len);

		if (bits > most) {
			most = bits;
			*best = i;
		}
	}
	return most;
}

static int sniff(const char *head, size_t len)
{
	size_t best;

	return best_shape(head, len, &best);
}

static enum weir_status read_wrapper(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	const char *head;
	size_t len, best;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (!best_shape(head, len, &best))
		return weir_fail(
			err, WEIR_E_FORMAT,
			"no wrapper's report: expected \"traces\" with prefill_ms, decode_ms and "
			"total_ms, or p50_ms, p99_ms and mean_ms, or \"metrics\" and \"timestamp\" "
			"by configuration");
	return shapes[best].read(source, input, err);
}

const struct weir_reader weir_reader_wrapper = {
	.name = "wrapper",
	.title = "reports of profiling wrappers: batches, a latency's percentiles, figures by "
		 "configuration",
	.gives = "native run",
	.sniff = sniff,
	.read = read_wrapper,
};
