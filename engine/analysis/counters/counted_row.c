/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares measured and modelled figures of an operator, and reports where they disagree. */
#include <math.h>

#include "engine/analysis/counters/counted_row.h"
#include "engine/base/text.h"

/* Modelled and measured traffic differ by less if both are right: the last writes stay in the
 * cache, and the cache serves repeated reads. */
#define BYTES_APART  1.25
#define BYTES_NOTES  4 /* rows with a note, the largest time first */
#define CLASS_WANTED 0.90

struct sums {
	double joined_ns, compared_ns, calls, compared_calls, longest_ns;
	double dram_bytes, vector_flops, matrix_flops; /* of all calls with counters */
	double compared_bytes, expected_bytes, tensor_bytes, l2_bytes;
};

static double cache_of(const struct weir_rank *rank, const struct weir_group *group,
                       const struct weir_assessment *assessment)
{
	const struct weir_rank_device *device = &rank->devices[group->device];

	if (!isnan(assessment->counted.l2_bytes))
		return assessment->counted.l2_bytes;
	return device->known ? device->peaks.l2_bytes : NAN;
}

static void add_group(struct sums *sums, const struct weir_rank *rank,
                      const struct weir_group *group, const struct weir_assessment *assessment)
{
	const struct weir_counted_work *counted = &assessment->counted;
	double calls = (double)group->calls, ns = (double)group->sum_ns;

	sums->joined_ns += ns;
	sums->calls += calls;
	sums->dram_bytes += counted->dram_bytes * calls;
	sums->vector_flops += counted->vector_flops * calls;
	sums->matrix_flops += counted->matrix_flops * calls;
	if (isnan(assessment->traffic_bytes) || isnan(counted->dram_bytes))
		return;
	sums->compared_ns += ns;
	sums->compared_calls += calls;
	sums->compared_bytes += counted->dram_bytes * calls;
	sums->expected_bytes += assessment->traffic_bytes * calls;
	sums->tensor_bytes += assessment->tensor_bytes * calls;
	sums->l2_bytes += cache_of(rank, group, assessment) * calls;
}

static double per(double amount, double count)
{
	return count > 0 ? amount / count : NAN;
}

void weir_counted_row_init(struct weir_operator_counted *counted)
{
	*counted = (struct weir_operator_counted){
		.dram_bytes = NAN,
		.vector_flops = NAN,
		.matrix_flops = NAN,
		.flops = NAN,
		.intensity = NAN,
		.expected_bytes = NAN,
		.bytes_ratio = NAN,
	};
}

/* If only some calls of a row have a model, both sides of the comparison cover just these. */
void weir_counted_row_fill(struct weir_operator_counted *counted,
                           const struct weir_row_group *groups, size_t count)
{
	struct sums sums = {0};
	double all_ns = 0, longest_ns = 0;

	weir_counted_row_init(counted);
	for (size_t i = 0; i < count; i++) {
		const struct weir_group *group = &groups[i].rank->groups.items[groups[i].group];
		const struct weir_assessment *assessment =
			&groups[i].rank->assessments[groups[i].group];

		all_ns += (double)group->sum_ns;
		if (!assessment->counted.known)
			continue;
		add_group(&sums, groups[i].rank, group, assessment);
		if ((double)group->sum_ns > longest_ns) {
			longest_ns = (double)group->sum_ns;
			counted->modelled = assessment->counted.modelled;
		}
	}
	if (!(sums.joined_ns > 0))
		return;
	counted->share = sums.joined_ns / all_ns;
	counted->dram_bytes = per(sums.dram_bytes, sums.calls);
	counted->vector_flops = per(sums.vector_flops, sums.calls);
	counted->matrix_flops = per(sums.matrix_flops, sums.calls);
	weir_counted_row_complete(counted);
	counted->expected_bytes = per(sums.expected_bytes, sums.compared_calls);
	counted->bytes_ratio =
		sums.compared_bytes > 0 ? sums.expected_bytes / sums.compared_bytes : NAN;
	counted->beyond_cache = sums.compared_ns > 0 && sums.tensor_bytes > sums.l2_bytes;
}

void weir_counted_row_complete(struct weir_operator_counted *counted)
{
	counted->flops = counted->vector_flops + counted->matrix_flops;
	counted->intensity = counted->dram_bytes > 0 ? counted->flops / counted->dram_bytes : NAN;
}

static bool is_apart(const struct weir_operator_counted *counted)
{
	return counted->beyond_cache &&
	       (counted->bytes_ratio > BYTES_APART || counted->bytes_ratio < 1 / BYTES_APART);
}

static void note_bytes(const struct weir_operator_row *row, struct weir_report *report)
{
	const struct weir_operator_counted *counted = &row->counted;
	struct weir_text measured = {0}, expected = {0};

	weir_text_bytes(&measured, counted->expected_bytes / counted->bytes_ratio);
	weir_text_bytes(&expected, counted->expected_bytes);
	if (counted->bytes_ratio < 1)
		weir_report_note(
			report, "counters_bytes",
			"%s moves %s of DRAM per call, but its shapes predict %s: it reads data "
			"again that the cache evicted, or makes several passes",
			row->name, measured.data, expected.data);
	else
		weir_report_note(report, "counters_bytes",
		                 "%s moves %s of DRAM per call, but its shapes predict %s: its "
		                 "operands share memory, or the model overestimates it",
		                 row->name, measured.data, expected.data);
	weir_text_release(&measured);
	weir_text_release(&expected);
}

void weir_note_counted_join(const struct weir_counted_join *join, struct weir_report *report)
{
	size_t told = 0;

	weir_report_note(report, "counters_joined",
	                 "counters replace models for %.0f %% of the device's busy time (same "
	                 "kernel, blocks and threads, similar duration)",
	                 100 * join->share);
	if (join->agree_share < CLASS_WANTED)
		weir_report_note(report, "counters_class",
		                 "for %.0f %% of that time, models from shapes name another limit "
		                 "than the counters: expect similar errors elsewhere",
		                 100 * (1 - join->agree_share));
	for (size_t i = 0; i < report->operator_count && told < BYTES_NOTES; i++) {
		if (!is_apart(&report->operators[i].counted))
			continue;
		note_bytes(&report->operators[i], report);
		told++;
	}
}
