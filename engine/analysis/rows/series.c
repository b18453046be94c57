/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts a profile to one run (weir.run/1). An iteration is one occurrence of a stage or, for
 * work outside every stage, one step. The value of an occurrence comes from the slowest rank if all
 * ranks have the same number of occurrences; otherwise only the first rank is used. Only the
 * largest operators are kept, within the limits below.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/requests/cost.h"
#include "engine/analysis/requests/joining.h"
#include "engine/analysis/requests/telemetry.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/base/text.h"

#define WEIR_MAX_OPERATOR_SERIES 1024
#define WEIR_MAX_OPERATOR_VALUES (1u << 24) /* over all series of one rank */

/* Index into the series of each span and step of one rank. */
struct positions {
	uint32_t *of_span, *of_step; /* WEIR_NONE: not analysed */
	size_t *stage_counts;        /* by stage of the rank */
	size_t step_count;
};

static void positions_init(struct positions *out, const struct weir_rank *rank, bool steady)
{
	const struct weir_steps *steps = &rank->steps;

	out->of_span = weir_alloc((steps->span_count + 1) * sizeof *out->of_span);
	out->of_step = weir_alloc((steps->step_count + 1) * sizeof *out->of_step);
	out->stage_counts = weir_alloc((steps->stage_count + 1) * sizeof *out->stage_counts);
	out->step_count = 0;
	for (size_t i = 0; i < steps->span_count; i++)
		out->of_span[i] = weir_steps_span_counts(steps, &steps->spans[i], steady)
		                          ? (uint32_t)out->stage_counts[steps->spans[i].stage]++
		                          : WEIR_NONE;
	for (size_t i = 0; i < steps->step_count; i++)
		out->of_step[i] = !steady || steps->steps[i].state == WEIR_STEP_STEADY
		                          ? (uint32_t)out->step_count++
		                          : WEIR_NONE;
}

static void positions_release(struct positions *positions)
{
	free(positions->of_span);
	free(positions->of_step);
	free(positions->stage_counts);
}

/* Returns the values of a series, extended with zeros to `count` values. */
static double *series_values(struct weir_series_table *table, const char *name, size_t count)
{
	struct weir_series *series = weir_series_get(table, name);

	while (series->count < count)
		weir_series_push(series, 0);
	return series->value;
}

/* Formats the name of an operator's series: "decode/aten::mm"; "/aten::mm" outside every stage. */
static void operator_name(const struct weir_rank *rank, const struct weir_group *group,
                          struct weir_text *text)
{
	weir_text_clear(text);
	if (group->stage != WEIR_NONE)
		weir_text_puts(text, rank->steps.stages[group->stage].name);
	weir_text_puts(text, "/");
	if (group->op_name != 0 || group->kernel == 0)
		weir_text_puts(text, weir_group_name(group, rank->trace->names));
	else
		weir_kernel_display(weir_names_text(rank->trace->names, group->kernel), text);
}

/* The series of one operator: groups that differ only by shape or device share it. */
struct operator_series {
	char *name;
	double device_ns;
	size_t length;         /* number of values */
	double *times, *calls; /* borrowed from the run; NULL: operator is not among the largest */
};

struct catalog {
	struct operator_series *items; /* capacity: one per group */
	size_t count;
	struct weir_rowmap map; /* name to item */
	uint32_t *of_group;     /* by group; WEIR_NONE: its stage has no analysed occurrence */
};

static uint32_t catalog_find(struct catalog *catalog, const struct weir_text *name)
{
	uint32_t hash = weir_rowmap_hash(weir_hash_text(name->data, name->length, 0)), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&catalog->map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (strcmp(catalog->items[row].name, name->data) == 0)
			return row;
	catalog->items[catalog->count] =
		(struct operator_series){.name = weir_alloc_text(name->data)};
	weir_rowmap_add(&catalog->map, hash, (uint32_t)catalog->count);
	return (uint32_t)catalog->count++;
}

static void catalog_init(struct catalog *catalog, const struct weir_rank *rank,
                         const struct positions *positions)
{
	struct weir_text name = {0};

	*catalog = (struct catalog){
		.items = weir_alloc((rank->groups.count + 1) * sizeof *catalog->items)};
	catalog->of_group = weir_alloc(rank->groups.count * sizeof *catalog->of_group);
	for (size_t g = 0; g < rank->groups.count; g++) {
		const struct weir_group *group = &rank->groups.items[g];
		size_t length = group->stage != WEIR_NONE ? positions->stage_counts[group->stage]
		                                          : positions->step_count;
		struct operator_series *series;

		catalog->of_group[g] = WEIR_NONE;
		if (length == 0)
			continue;
		operator_name(rank, group, &name);
		catalog->of_group[g] = catalog_find(catalog, &name);
		series = &catalog->items[catalog->of_group[g]];
		series->device_ns += (double)group->sum_ns;
		series->length = length > series->length ? length : series->length;
	}
	weir_text_release(&name);
}

static void catalog_release(struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->count; i++)
		free(catalog->items[i].name);
	free(catalog->items);
	free(catalog->of_group);
	weir_rowmap_release(&catalog->map);
}

static int by_device_time(const void *left, const void *right)
{
	const struct operator_series *a = *(struct operator_series *const *)left;
	const struct operator_series *b = *(struct operator_series *const *)right;

	if (a->device_ns != b->device_ns)
		return a->device_ns > b->device_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Adds the series of the largest operators to the run, within the limits. */
static void choose_largest(struct weir_run *run, struct catalog *catalog)
{
	struct operator_series **order =
		weir_alloc(catalog->count * sizeof(struct operator_series *));
	size_t room = WEIR_MAX_OPERATOR_VALUES;

	for (size_t i = 0; i < catalog->count; i++)
		order[i] = &catalog->items[i];
	qsort(order, catalog->count, sizeof *order, by_device_time);
	for (size_t i = 0; i < catalog->count && i < WEIR_MAX_OPERATOR_SERIES; i++) {
		if (order[i]->length > room)
			break;
		room -= order[i]->length;
		order[i]->times = series_values(&run->operators, order[i]->name, order[i]->length);
		order[i]->calls = series_values(&run->calls, order[i]->name, order[i]->length);
	}
	free(order);
}

static void add_operators(struct weir_run *run, const struct weir_rank *rank,
                          const struct positions *positions)
{
	const struct weir_groups *groups = &rank->groups;
	struct catalog catalog;

	catalog_init(&catalog, rank, positions);
	choose_largest(run, &catalog);
	for (size_t c = 0; c < groups->call_count; c++) {
		const struct weir_group_call *call = &groups->calls[c];
		uint32_t series = catalog.of_group[call->group], at = WEIR_NONE;

		if (series == WEIR_NONE || !catalog.items[series].times)
			continue;
		if (groups->items[call->group].stage != WEIR_NONE)
			at = positions->of_span[call->span];
		else if (call->step != WEIR_NONE)
			at = positions->of_step[call->step];
		if (at == WEIR_NONE)
			continue;
		catalog.items[series].times[at] += (double)call->device_ns;
		catalog.items[series].calls[at] += 1;
	}
	catalog_release(&catalog);
}

/* Returns the values of each wanted stage's series in `table`; NULL for other stages. The caller
 * frees the array, not the values. */
static double **stage_values(struct weir_series_table *table, const struct weir_rank *rank,
                             const struct positions *positions, const uint8_t *wanted)
{
	double **values = weir_alloc(rank->steps.stage_count * sizeof *values);

	for (size_t s = 0; s < rank->steps.stage_count; s++)
		if (wanted[s])
			values[s] = series_values(table, rank->steps.stages[s].name,
			                          positions->stage_counts[s]);
	return values;
}

static void add_stages(struct weir_run *run, const struct weir_rank *rank,
                       const struct positions *positions)
{
	const struct weir_steps *steps = &rank->steps;
	uint8_t *counts = weir_alloc(steps->stage_count), *works = weir_alloc(steps->stage_count);
	double **durations, **device;

	for (size_t i = 0; i < steps->span_count; i++) {
		if (positions->of_span[i] == WEIR_NONE)
			continue;
		counts[steps->spans[i].stage] = 1;
		works[steps->spans[i].stage] |= steps->spans[i].device_rows > 0;
	}
	durations = stage_values(&run->stages, rank, positions, counts);
	device = stage_values(&run->device, rank, positions, works);
	for (size_t i = 0; i < steps->span_count; i++) {
		const struct weir_span *span = &steps->spans[i];
		uint32_t at = positions->of_span[i];

		if (at == WEIR_NONE)
			continue;
		durations[span->stage][at] = (double)weir_span_duration(span);
		if (works[span->stage])
			device[span->stage][at] = (double)span->device_ns;
	}
	free(durations);
	free(device);
	free(counts);
	free(works);
}

/* Adds the steps as a stage "step", for a rank without stages. */
static void add_steps(struct weir_run *run, const struct weir_rank *rank,
                      const struct positions *positions)
{
	double *values;

	if (positions->step_count == 0)
		return;
	values = series_values(&run->stages, "step", positions->step_count);
	for (size_t i = 0; i < rank->steps.step_count; i++)
		if (positions->of_step[i] != WEIR_NONE)
			values[positions->of_step[i]] = (double)rank->steps.steps[i].period_ns;
}

static void take_slower(struct weir_series_table *into, const struct weir_series_table *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct weir_series *series = weir_series_get(into, from->items[i].name);

		for (size_t v = 0; v < from->items[i].count; v++) {
			if (v < series->count)
				series->value[v] = fmax(series->value[v], from->items[i].value[v]);
			else if (v == series->count)
				weir_series_push(series, from->items[i].value[v]);
		}
	}
}

static bool same_lengths(const struct weir_series_table *a, const struct weir_series_table *b)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct weir_series *other = weir_series_find(b, a->items[i].name);

		if (other && other->count != a->items[i].count)
			return false;
	}
	return true;
}

/* True if the trace holds one piece of device work, whose window is the work itself. */
static bool is_one_work(const struct weir_rank *rank)
{
	return rank->trace->device.count == 1 && rank->groups.count == 1 &&
	       rank->steps.step_count == 0 && rank->steps.span_count == 0;
}

/* Adds the only piece of work as a call of its operator. */
static void add_one_work(struct weir_run *run, const struct weir_rank *rank)
{
	struct weir_text name = {0};

	operator_name(rank, &rank->groups.items[0], &name);
	weir_series_push(weir_series_get(&run->operators, name.data),
	                 (double)rank->groups.items[0].sum_ns);
	weir_series_push(weir_series_get(&run->calls, name.data), 1);
	weir_text_release(&name);
}

static void add_rank(struct weir_run *run, const struct weir_rank *rank, bool steady)
{
	struct positions positions;

	positions_init(&positions, rank, steady);
	add_stages(run, rank, &positions);
	if (rank->steps.span_count == 0)
		add_steps(run, rank, &positions);
	add_operators(run, rank, &positions);
	if (is_one_work(rank))
		add_one_work(run, rank);
	positions_release(&positions);
}

static void merge_rank(struct weir_run *run, const struct weir_run *other)
{
	if (!same_lengths(&run->stages, &other->stages))
		return;
	take_slower(&run->stages, &other->stages);
	take_slower(&run->device, &other->device);
	take_slower(&run->operators, &other->operators);
	take_slower(&run->calls, &other->calls);
}

/* Labels of a trace that identify the environment; names of files and captures do not. */
static const struct {
	const char *key, *label;
} version_labels[] = {
	{"cuda_runtime_version", "cuda"},
	{"cuda_driver_version", "driver"},
	{"hip_runtime_version", "hip"},
	{"hip_driver_version", "driver"},
};

/* Sets a label with a version. CUDA encodes 13.0 as "13000": 1000 x major + 10 x minor. Other
 * values stay unchanged. */
static void set_version(struct weir_run *run, const char *label, const char *value)
{
	struct weir_text text = {0};
	int64_t number;

	if (weir_parse_i64(value, strlen(value), &number) && number >= 1000 && number < 100000)
		weir_text_printf(&text, "%lld.%lld", (long long)(number / 1000),
		                 (long long)(number % 1000 / 10));
	else
		weir_text_puts(&text, value);
	weir_run_set_label(run, label, text.data);
	weir_text_release(&text);
}

static void set_versions(struct weir_run *run, const struct weir_trace *trace)
{
	for (size_t i = 0; i < trace->label_count; i++)
		for (size_t v = 0; v < sizeof version_labels / sizeof *version_labels; v++)
			if (strcmp(weir_names_text(trace->names, trace->labels[i].key),
			           version_labels[v].key) == 0)
				set_version(run, version_labels[v].label,
				            weir_names_text(trace->names, trace->labels[i].value));
}

static void set_labels(struct weir_run *run, const struct weir_analysis *analysis)
{
	const struct weir_trace *trace = analysis->ranks[0].trace;
	size_t devices = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		for (size_t d = 0; d < analysis->ranks[r].trace->device_count; d++)
			devices += analysis->ranks[r].timeline.first_row[d] <
			           analysis->ranks[r].timeline.first_row[d + 1];
	if (trace->device_count > 0 && trace->devices[0].name != 0)
		weir_run_set_label(run, "gpu",
		                   weir_names_text(trace->names, trace->devices[0].name));
	if (devices > 0) {
		struct weir_text text = {0};

		weir_text_printf(&text, "%zu", devices);
		weir_run_set_label(run, "gpu_count", text.data);
		weir_text_release(&text);
	}
	set_versions(run, trace);
}

/* Counts the devices of a monitor, without the instances of divided devices. */
static size_t count_whole(const struct weir_telemetry *telemetry)
{
	size_t count = 0;

	for (size_t d = 0; d < telemetry->device_count; d++)
		count += !telemetry->devices[d].is_part;
	return count;
}

/* Sets the label "gpu" to the different names of the devices of a monitor: "A, B". */
static void set_monitor_names(struct weir_run *run, const struct weir_telemetry *telemetry)
{
	struct weir_names *names = weir_names_new();
	size_t none = weir_names_count(names);
	struct weir_text text = {0};

	for (size_t d = 0; d < telemetry->device_count; d++)
		if (telemetry->devices[d].name)
			weir_names_add(names, telemetry->devices[d].name,
			               strlen(telemetry->devices[d].name));
	weir_join_device_names(names, none, &text);
	if (text.length)
		weir_run_set_label(run, "gpu", text.data);
	weir_text_release(&text);
	weir_names_free(names);
}

/* Sets the labels of the devices from the first monitor, for profiles without a timeline. */
static void set_monitor_labels(struct weir_run *run, const struct weir_profile *profile)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_telemetry *telemetry = profile->inputs[i].telemetry;
		struct weir_text text = {0};

		if (!telemetry || telemetry->device_count == 0)
			continue;
		set_monitor_names(run, telemetry);
		/* Rows that do not name their devices, or name instances alone, do not state
		 * the number of devices. */
		if (profile->inputs[i].warnings[WEIR_WARN_UNNAMED_DEVICES].count ||
		    !count_whole(telemetry))
			return;
		weir_text_printf(&text, "%zu", count_whole(telemetry));
		weir_run_set_label(run, "gpu_count", text.data);
		weir_text_release(&text);
		return;
	}
}

static void copy_table(struct weir_series_table *into, const struct weir_series_table *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct weir_series *series = weir_series_get(into, from->items[i].name);

		series->higher_is_better = from->items[i].higher_is_better;
		if (from->items[i].unit && !series->unit)
			series->unit = weir_alloc_text(from->items[i].unit);
		for (size_t v = 0; v < from->items[i].count; v++)
			weir_series_push(series, from->items[i].value[v]);
	}
}

static void copy_run(struct weir_run *into, const struct weir_run *from)
{
	copy_table(&into->stages, &from->stages);
	copy_table(&into->device, &from->device);
	copy_table(&into->operators, &from->operators);
	copy_table(&into->calls, &from->calls);
	copy_table(&into->metrics, &from->metrics);
	for (size_t i = 0; i < from->label_count; i++)
		weir_run_set_label(into, from->labels[i].key, from->labels[i].value);
}

/* Counts device work up to the first kernel. */
static struct weir_ledger first_works(const struct weir_analysis *analysis)
{
	struct weir_ledger found = {0};

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_device_columns *device = &analysis->ranks[r].trace->device;

		for (size_t i = 0; i < device->count && !found.kernels; i++) {
			found.kernels += device->kind[i] == WEIR_DEVICE_KERNEL;
			found.works++;
		}
	}
	return found;
}

static void add_metrics(struct weir_run *run, const struct weir_analysis *analysis)
{
	const struct weir_ledger works = first_works(analysis);
	double active_ns = 0, window_ns = 0;

	if (weir_kernels_unrecorded(analysis, &works) ||
	    (analysis->rank_count == 1 && is_one_work(&analysis->ranks[0])))
		return;
	for (size_t r = 0; r < analysis->rank_count; r++)
		for (size_t d = 0; d < analysis->ranks[r].trace->device_count; d++) {
			active_ns += (double)analysis->ranks[r].activity[d].active_ns;
			window_ns += (double)analysis->ranks[r].activity[d].window_ns;
		}
	if (window_ns > 0) {
		struct weir_series *series = weir_series_get(&run->metrics, "gpu_active");

		series->higher_is_better = true;
		weir_series_push(series, active_ns / window_ns);
	}
}

/* Labels the numbers of answered and failed requests, if some failed. */
static void label_failed(struct weir_run *run, const struct weir_requests *requests)
{
	struct weir_text text = {0};

	if (!requests->failed)
		return;
	weir_text_printf(&text, "%zu", requests->count);
	weir_run_set_label(run, "completed", text.data);
	weir_text_clear(&text);
	weir_text_printf(&text, "%" PRIu64, requests->failed);
	weir_run_set_label(run, "failed", text.data);
	weir_text_release(&text);
}

static void add_serving(struct weir_run *run, const struct weir_analysis *analysis)
{
	const struct weir_stretch stretch = weir_requests_stretch(analysis->serving);
	const struct weir_price_window window = {stretch.start_ns, stretch.end_ns};
	double stage_cost[WEIR_MAX_REQUEST_STAGES],
		devices = weir_serving_devices_of(analysis->profile).count;
	struct weir_price price;
	struct weir_cost cost;
	bool known;

	weir_price_of(analysis->options.settings, analysis->profile, &window, &price);
	known = weir_serving_cost(analysis->serving, &price, devices, &cost, stage_cost);
	weir_serving_run(analysis->serving, known ? &cost : NULL, run);
	label_failed(run, analysis->serving->requests);
}

bool weir_run_has_values(const struct weir_run *run)
{
	return run->stages.count || run->device.count || run->operators.count || run->metrics.count;
}

void weir_analysis_run(const struct weir_analysis *analysis, struct weir_run *run)
{
	if (analysis->rank_count > 0)
		add_rank(run, &analysis->ranks[0], analysis->options.steady);
	for (size_t r = 1; r < analysis->rank_count; r++) {
		struct weir_run *other = weir_run_new();

		add_rank(other, &analysis->ranks[r], analysis->options.steady);
		merge_rank(run, other);
		weir_run_free(other);
	}
	if (analysis->rank_count > 0) {
		set_labels(run, analysis);
		add_metrics(run, analysis);
	} else {
		set_monitor_labels(run, analysis->profile);
		if (analysis->counted)
			weir_counted_run(analysis->counted, run);
	}
	if (analysis->serving)
		add_serving(run, analysis);
	weir_run_add_scrapes(analysis, run);
	weir_run_add_server(analysis, run);
	for (size_t i = 0; i < analysis->profile->input_count; i++)
		if (analysis->profile->inputs[i].run)
			copy_run(run, analysis->profile->inputs[i].run);
	/* Beside other figures, samples of devices and of the host are evidence only. */
	if (!weir_run_has_values(run))
		weir_run_add_monitors(analysis->profile, run);
	if (!weir_run_has_values(run))
		weir_run_add_host_operators(analysis, run);
}
