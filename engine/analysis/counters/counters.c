/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/counters/counters.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/roofline/roofline.h"
#include "engine/base/arena.h"

/* Counters print hundredths of a percent; smaller shares count as this. */
#define LEAST_SHARE 1e-4
/* A product with less use of the matrix pipe does not use it: conversions and loads leave traces
 * there. */
#define MATRIX_IDLE 0.01

/* ---- one kernel ---- */

/* Returns the use of device memory, or of the memory system with its caches if that exceeds
 * computation. */
static double memory_side(const double *value)
{
	double sm = value[WEIR_COUNTER_SM], memory = value[WEIR_COUNTER_MEMORY],
	       dram = value[WEIR_COUNTER_DRAM];

	if (isnan(memory) || (!isnan(dram) && !(memory >= sm + WEIR_SOL_GAP)))
		return dram;
	return memory;
}

enum weir_roofline weir_counted_class(const double value[WEIR_COUNTER_COUNT], double call_ns)
{
	double sm = value[WEIR_COUNTER_SM], memory = memory_side(value);
	double highest = fmax(memory, value[WEIR_COUNTER_MEMORY]);

	if (isnan(sm) || isnan(memory))
		return WEIR_ROOFLINE_UNKNOWN;
	if (sm < WEIR_SOL_LOW && highest < WEIR_SOL_LOW)
		return value[WEIR_COUNTER_WAVES] < 1 || call_ns < WEIR_SHORT_NS
		               ? WEIR_ROOFLINE_LATENCY
		               : WEIR_ROOFLINE_INEFFICIENT;
	if (sm >= memory + WEIR_SOL_GAP)
		return WEIR_ROOFLINE_COMPUTE;
	return memory >= sm + WEIR_SOL_GAP ? WEIR_ROOFLINE_MEMORY : WEIR_ROOFLINE_BALANCED;
}

double weir_counted_efficiency(const double value[WEIR_COUNTER_COUNT])
{
	double memory = memory_side(value);

	if (isnan(value[WEIR_COUNTER_SM]) || isnan(memory))
		return NAN;
	return fmax(value[WEIR_COUNTER_SM], memory);
}

static bool is_product(const char *name)
{
	switch (weir_kernel_family(name)) {
	case WEIR_FAMILY_GEMM:
	case WEIR_FAMILY_ATTENTION:
	case WEIR_FAMILY_CONVOLUTION:
		return true;
	case WEIR_FAMILY_OTHER:
	case WEIR_FAMILY_COMMUNICATION:
	case WEIR_FAMILY_COPY:
	case WEIR_FAMILY_GEMV:
	case WEIR_FAMILY_NORM:
	case WEIR_FAMILY_SOFTMAX:
	case WEIR_FAMILY_ELEMENTWISE:
	case WEIR_FAMILY_REDUCE:
	case WEIR_FAMILY_INDEX:
	case WEIR_FAMILY_SORT:
	case WEIR_FAMILY_FFT:
	case WEIR_FAMILY_COUNT:
		break;
	}
	return false;
}

static bool leaves_matrix_units(const double *value, const char *name)
{
	double tensor = value[WEIR_COUNTER_TENSOR];

	if (!is_product(name))
		return false;
	return isnan(tensor) ? weir_engine_from_kernel(name).engine == WEIR_ENGINE_VECTOR
	                     : tensor < MATRIX_IDLE;
}

void weir_counted_features(const double value[WEIR_COUNTER_COUNT], const char *name,
                           double *features)
{
	double sm = value[WEIR_COUNTER_SM], memory = memory_side(value);

	if (!isnan(value[WEIR_COUNTER_WAVES]))
		features[WEIR_F_WAVES] = value[WEIR_COUNTER_WAVES];
	if (isnan(sm) || isnan(memory))
		return;
	features[WEIR_F_BYTES_ROOF] = memory;
	features[WEIR_F_FLOPS_ROOF] = sm;
	features[WEIR_F_INTENSITY_RATIO] = fmax(sm, LEAST_SHARE) / fmax(memory, LEAST_SHARE);
	features[WEIR_F_MATRIX_UNITS_IDLE] = leaves_matrix_units(value, name);
	features[WEIR_F_IMPLAUSIBLE] = 0;
}

/* ---- launches and their pages ---- */

/* One page about one launch. */
struct page {
	const struct weir_counters *counters;
	const struct weir_counted_kernel *kernel;
	const char *name;
	size_t input;
};

static int compare_shapes(const uint32_t *a, const uint32_t *b)
{
	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int by_kind(const struct page *a, const struct page *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = compare_shapes(a->kernel->grid, b->kernel->grid);
	return order ? order : compare_shapes(a->kernel->block, b->kernel->block);
}

static int by_launch(const struct page *a, const struct page *b)
{
	int order = by_kind(a, b);

	if (order)
		return order;
	if (a->kernel->process != b->kernel->process)
		return a->kernel->process < b->kernel->process ? -1 : 1;
	return (a->kernel->launch > b->kernel->launch) - (a->kernel->launch < b->kernel->launch);
}

/* Sorts pages with all digits before pages with rounded figures. */
static int by_page(const void *left, const void *right)
{
	const struct page *a = left, *b = right;
	int order = by_launch(a, b);

	if (order)
		return order;
	if (a->kernel->rounded != b->kernel->rounded)
		return a->kernel->rounded ? 1 : -1;
	if (a->input != b->input)
		return a->input < b->input ? -1 : 1;
	return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

static struct page *collect_pages(const struct weir_profile *profile, size_t *count)
{
	struct page *pages;
	size_t total = 0;

	*count = 0;
	for (size_t i = 0; i < profile->input_count; i++)
		total += profile->inputs[i].counters ? profile->inputs[i].counters->count : 0;
	pages = weir_alloc((total + 1) * sizeof *pages);
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_counters *counters = profile->inputs[i].counters;

		for (size_t k = 0; counters && k < counters->count; k++)
			pages[(*count)++] = (struct page){
				.counters = counters,
				.kernel = &counters->kernels[k],
				.name = weir_names_text(counters->names, counters->kernels[k].name),
				.input = i,
			};
	}
	qsort(pages, *count, sizeof *pages, by_page);
	return pages;
}

/* Returns the number of pages about the first page's launch, one per input. */
static size_t pages_of_launch(const struct page *pages, size_t count)
{
	size_t same = 1;

	while (same < count && pages->kernel->process >= 0 && pages->kernel->launch >= 0 &&
	       by_launch(&pages[0], &pages[same]) == 0 &&
	       pages[same].counters != pages[same - 1].counters)
		same++;
	return same;
}

/* Sums of the known figures over the launches of a group. */
struct sums {
	double value[WEIR_COUNTER_COUNT];
	uint64_t count[WEIR_COUNTER_COUNT];
};

static void add_launch(struct weir_counted_group *group, struct sums *sums,
                       const struct page *pages, size_t count)
{
	int64_t duration_ns = -1;

	for (size_t p = count; p-- > 0;) {
		if (pages[p].kernel->duration_ns >= 0)
			duration_ns = pages[p].kernel->duration_ns;
		if (pages[p].kernel->device)
			group->device =
				weir_names_text(pages[p].counters->names, pages[p].kernel->device);
	}
	if (duration_ns >= 0)
		group->durations_ns[group->count++] = (double)duration_ns;
	for (int c = 0; c < WEIR_COUNTER_COUNT; c++)
		for (size_t p = 0; p < count; p++) {
			double value = pages[p].kernel->value[c];

			if (isnan(value))
				continue;
			sums->value[c] += value;
			sums->count[c]++;
			break;
		}
}

static void describe(struct weir_counted_group *group)
{
	enum weir_family_limit limit = weir_kernel_limit(group->name);
	double *features = group->features, call_ns = group->sum_ns / (double)group->count;

	weir_features_clear(features);
	features[WEIR_F_CALL_NS] = features[WEIR_F_KERNEL_NS] = call_ns;
	features[WEIR_F_IS_COMMUNICATION] = weir_kernel_is_communication(group->name);
	features[WEIR_F_IS_TRANSFER] = 0;
	features[WEIR_F_IS_LOCAL_COPY] = weir_kernel_is_driver_copy(group->name);
	if (limit != WEIR_LIMIT_UNKNOWN) {
		features[WEIR_F_FAMILY_MEMORY] = limit == WEIR_LIMIT_MEMORY;
		features[WEIR_F_FAMILY_STREAMS] = weir_kernel_streams(group->name);
		features[WEIR_F_FAMILY_COMPUTE] = limit == WEIR_LIMIT_COMPUTE;
	}
	weir_counted_features(group->value, group->name, features);
	group->roofline = weir_counted_class(group->value, call_ns);
	group->efficiency = weir_counted_efficiency(group->value);
	group->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
}

static void make_group(struct weir_counted *counted, const struct page *pages, size_t count)
{
	struct weir_counted_group *group = &counted->items[counted->count++];
	struct sums sums = {.count = {0}};

	*group = (struct weir_counted_group){
		.name = pages->name,
		.durations_ns = weir_alloc((count + 1) * sizeof *group->durations_ns),
		.first_launch = counted->launch_count,
		.launch_count = count,
	};
	memcpy(group->grid, pages->kernel->grid, sizeof group->grid);
	memcpy(group->block, pages->kernel->block, sizeof group->block);
	for (size_t i = 0, same; i < count; i += same) {
		same = pages_of_launch(&pages[i], count - i);
		add_launch(group, &sums, &pages[i], same);
	}
	for (size_t i = 0; i < count; i++)
		counted->launches[counted->launch_count++] = (struct weir_counted_launch){
			pages[i].counters, (size_t)(pages[i].kernel - pages[i].counters->kernels)};
	for (size_t i = 0; i < group->count; i++)
		group->sum_ns += group->durations_ns[i];
	for (int c = 0; c < WEIR_COUNTER_COUNT; c++)
		group->value[c] = sums.value[c] / (double)sums.count[c];
	counted->total_ns += group->sum_ns;
	describe(group);
}

static int by_time(const void *left, const void *right)
{
	const struct weir_counted_group *a = left, *b = right;

	if (a->sum_ns != b->sum_ns)
		return a->sum_ns > b->sum_ns ? -1 : 1;
	return (a->first_launch > b->first_launch) - (a->first_launch < b->first_launch);
}

struct weir_counted *weir_counted_new(const struct weir_profile *profile)
{
	struct weir_counted *counted;
	size_t count;
	struct page *pages = collect_pages(profile, &count);

	if (!count) {
		free(pages);
		return NULL;
	}
	counted = weir_alloc(sizeof *counted);
	counted->items = weir_alloc(count * sizeof *counted->items);
	counted->launches = weir_alloc(count * sizeof *counted->launches);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && by_kind(&pages[i], &pages[end]) == 0;)
			end++;
		make_group(counted, &pages[i], end - i);
	}
	qsort(counted->items, counted->count, sizeof *counted->items, by_time);
	for (size_t i = 0; i < counted->count; i++)
		counted->items[i].features[WEIR_F_OPERATOR_SHARE] =
			counted->items[i].sum_ns / counted->total_ns;
	free(pages);
	return counted;
}

void weir_counted_free(struct weir_counted *counted)
{
	if (!counted)
		return;
	for (size_t i = 0; i < counted->count; i++)
		free(counted->items[i].durations_ns);
	free(counted->items);
	free(counted->launches);
	free(counted);
}
