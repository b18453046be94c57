/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/analysis/time/histogram.h"
#include "engine/analysis/time/intervals.h"

size_t weir_bin_of(int64_t ns)
{
	unsigned shift;

	if (ns < 8)
		return ns < 0 ? 0 : (size_t)ns;
	if (ns > WEIR_LONGEST_NS)
		ns = WEIR_LONGEST_NS;
	shift = 61u - (unsigned)__builtin_clzll((unsigned long long)ns);
	return (size_t)shift * 4 + (size_t)(ns >> shift);
}

int64_t weir_bin_start(size_t bin)
{
	if (bin >= WEIR_HISTOGRAM_BINS)
		return INT64_MAX;
	return bin < 8 ? (int64_t)bin : (int64_t)(4 + bin % 4) << (bin / 4 - 1);
}

void weir_bins_add(struct weir_bins *bins, int64_t ns)
{
	size_t bin = weir_bin_of(ns);

	bins->count[bin]++;
	bins->total_ns[bin] = weir_add_ns(bins->total_ns[bin], ns > 0 ? ns : 0);
	if (bins->total_ns[bin] > WEIR_LONGEST_NS)
		bins->total_ns[bin] = WEIR_LONGEST_NS;
}

struct weir_histogram *weir_bins_finish(const struct weir_bins *bins, struct weir_arena *arena)
{
	struct weir_histogram *out = weir_arena_alloc(arena, sizeof *out);

	out->bins = weir_arena_alloc(arena, WEIR_HISTOGRAM_BINS * sizeof *out->bins);
	for (size_t i = 0; i < WEIR_HISTOGRAM_BINS; i++)
		if (bins->count[i] > 0)
			out->bins[out->bin_count++] = (struct weir_histogram_bin){
				.low_ns = weir_bin_start(i),
				.high_ns = weir_bin_start(i + 1),
				.count = bins->count[i],
				.total_ns = bins->total_ns[i],
				.cause = WEIR_IDLE_OTHER,
			};
	return out->bin_count > 0 ? out : NULL;
}

void weir_gaps_close(struct weir_gaps *gaps)
{
	int64_t total_ns = 0;
	size_t bin;

	if (!gaps->is_open)
		return;
	for (size_t c = 0; c < WEIR_IDLE_COUNT; c++)
		total_ns = weir_add_ns(total_ns, gaps->open_ns[c]);
	bin = weir_bin_of(total_ns);
	weir_bins_add(&gaps->bins, total_ns);
	for (size_t c = 0; c < WEIR_IDLE_COUNT; c++) {
		int64_t *sum_ns = &gaps->cause_ns[bin][c];

		*sum_ns = weir_add_ns(*sum_ns, gaps->open_ns[c]);
		gaps->open_ns[c] = 0;
	}
	gaps->is_open = false;
}

void weir_gaps_add(struct weir_gaps *gaps, uint32_t device, int64_t start_ns, int64_t end_ns,
                   enum weir_idle cause)
{
	if (gaps->is_open && (gaps->device != device || gaps->end_ns != start_ns))
		weir_gaps_close(gaps);
	gaps->is_open = true;
	gaps->device = device;
	gaps->end_ns = end_ns;
	gaps->open_ns[cause] = weir_add_ns(gaps->open_ns[cause], weir_span_ns(start_ns, end_ns));
}

struct weir_histogram *weir_gaps_finish(struct weir_gaps *gaps, struct weir_arena *arena)
{
	struct weir_histogram *out;

	weir_gaps_close(gaps);
	out = weir_bins_finish(&gaps->bins, arena);
	for (size_t i = 0; out && i < out->bin_count; i++) {
		const int64_t *cause_ns = gaps->cause_ns[weir_bin_of(out->bins[i].low_ns)];
		size_t most = 0;

		for (size_t c = 1; c < WEIR_IDLE_COUNT; c++)
			if (cause_ns[c] > cause_ns[most])
				most = c;
		out->bins[i].cause = (enum weir_idle)most;
	}
	return out;
}
