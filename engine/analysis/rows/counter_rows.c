/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the rows about counted kernels, with the findings of the profiler's own rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/counters/counted_row.h"
#include "engine/analysis/counters/counters.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/requests/joining.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/distribution.h"
#include "engine/base/arena.h"

static const char *copy(struct weir_report *report, const char *text)
{
	return weir_arena_copy(report->arena, text, strlen(text));
}

/* ---- names ---- */

/* A group and the name under which it is shown. */
struct named {
	const struct weir_counted_group *group;
	struct weir_text shown;
};

static const char *text_of(const struct weir_text *text)
{
	return text->data ? text->data : "";
}

static void put_shape(const uint32_t shape[3], struct weir_text *text)
{
	weir_text_printf(text, "%u", shape[0]);
	for (int i = 1; i < 3; i++)
		if (shape[1] > 1 || shape[2] > 1)
			weir_text_printf(text, "x%u", shape[i]);
}

/* Appends the shape of a launch, " <<<132x2x1, 256>>>", if it is known. */
static void put_launch_shape(const struct weir_counted_group *group, struct weir_text *text)
{
	if (!group->grid[0] || !group->block[0])
		return;
	weir_text_puts(text, " <<<");
	put_shape(group->grid, text);
	weir_text_puts(text, ", ");
	put_shape(group->block, text);
	weir_text_puts(text, ">>>");
}

static int by_shown(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(text_of(&a->shown), text_of(&b->shown));

	return order ? order : strcmp(a->group->name, b->group->name);
}

static int by_place(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	return (a->group > b->group) - (a->group < b->group);
}

static void show_instance(struct named *named)
{
	weir_text_clear(&named->shown);
	weir_kernel_instance(named->group->name, &named->shown);
}

static void show_whole(struct named *named)
{
	weir_text_clear(&named->shown);
	weir_text_puts(&named->shown, named->group->name);
}

/* Spells out the names that different kernels share. */
static void part_names(struct named *names, size_t count, void (*spell_out)(struct named *named))
{
	qsort(names, count, sizeof *names, by_shown);
	for (size_t at = 0, end; at < count; at = end) {
		for (end = at + 1; end < count && strcmp(text_of(&names[at].shown),
		                                         text_of(&names[end].shown)) == 0;)
			end++;
		/* The ends of the range differ first, since it is sorted by the whole name. */
		if (strcmp(names[at].group->name, names[end - 1].group->name) == 0)
			continue;
		for (size_t i = at; i < end; i++)
			spell_out(&names[i]);
	}
}

/* Appends their shapes to the names of groups of one kernel. */
static void add_shapes(struct named *names, size_t count)
{
	qsort(names, count, sizeof *names, by_shown);
	for (size_t at = 0, end; at < count; at = end) {
		for (end = at + 1; end < count && by_shown(&names[at], &names[end]) == 0;)
			end++;
		for (size_t i = at; i < end && end - at > 1; i++)
			put_launch_shape(names[i].group, &names[i].shown);
	}
}

/* Returns the names of the groups, in their order: those for display, with template arguments if
 * these tell kernels apart or the name says nothing, and whole if only the parameters differ.
 * `shapes`: launches of one kernel differ as well. The caller frees them. */
static struct named *name_groups(const struct weir_counted *counted, bool shapes)
{
	struct named *names = weir_alloc((counted->count + 1) * sizeof *names);

	for (size_t i = 0; i < counted->count; i++) {
		names[i] = (struct named){.group = &counted->items[i]};
		weir_kernel_display(names[i].group->name, &names[i].shown);
		if (!names[i].shown.length)
			weir_text_puts(&names[i].shown, "(unnamed kernel)");
		if (weir_kernel_is_nameless(names[i].shown.data))
			show_instance(&names[i]);
	}
	part_names(names, counted->count, show_instance);
	part_names(names, counted->count, show_whole);
	if (shapes)
		add_shapes(names, counted->count);
	qsort(names, counted->count, sizeof *names, by_place);
	return names;
}

static void free_names(struct named *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		weir_text_release(&names[i].shown);
	free(names);
}

static const char *copy_name(struct weir_report *report, const struct named *named)
{
	return copy(report, text_of(&named->shown));
}

/* ---- operators ---- */

static void fill_operator(const struct named *named, struct weir_report *report)
{
	const struct weir_counted_group *group = named->group;
	struct weir_operator_row *row = &report->operators[report->operator_count++];

	*row = (struct weir_operator_row){
		.name = copy_name(report, named),
		.device = group->device ? copy(report, group->device) : NULL,
		.kind = weir_family_name(weir_kernel_family(group->name)),
		.call = weir_distribution_of(group->durations_ns, group->count),
		.share = group->features[WEIR_F_OPERATOR_SHARE],
		.calls_per_iteration = NAN,
		.host_self_ns = NAN,
		.host_total_ns = NAN,
		.flops = NAN,
		.bytes = group->value[WEIR_COUNTER_DRAM_BYTES],
		.tflops = NAN,
		.gbps = group->value[WEIR_COUNTER_DRAM_BYTES_PER_S] / 1e9,
		.roofline = group->roofline,
		.efficiency = group->efficiency,
		.verdict = group->verdict,
	};
	weir_counted_row_init(&row->counted);
	row->counted.share = 1;
	row->counted.dram_bytes = group->value[WEIR_COUNTER_DRAM_BYTES];
	row->counted.vector_flops = group->value[WEIR_COUNTER_VECTOR_FLOPS];
	row->counted.matrix_flops = group->value[WEIR_COUNTER_MATRIX_FLOPS];
	weir_counted_row_complete(&row->counted);
	row->flops = row->counted.flops;
	row->tflops = row->flops * (double)row->call.count / row->call.total_ns / 1e3;
	row->kernel = row->name;
	row->features = weir_arena_alloc(report->arena, sizeof group->features);
	memcpy(row->features, group->features, sizeof group->features);
}

void weir_fill_counted_operators(const struct weir_counted *counted, struct weir_report *report)
{
	struct named *names = name_groups(counted, true);

	report->operators =
		weir_arena_alloc(report->arena, counted->count * sizeof *report->operators);
	for (size_t i = 0; i < counted->count; i++)
		fill_operator(&names[i], report);
	free_names(names, counted->count);
}

/* ---- findings of the profiler's rules ---- */

struct remark {
	size_t group;
	const char *rule, *kind, *text;
	enum weir_finding_scope scope;
	double speedup;
};

/* Sorts by kernel and rule, within a rule by estimated speed-up, the largest first and unknown
 * ones last. */
static int by_rule(const void *left, const void *right)
{
	const struct remark *a = left, *b = right;
	double x = isnan(a->speedup) ? -1 : a->speedup, y = isnan(b->speedup) ? -1 : b->speedup;
	int order;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	order = strcmp(a->rule, b->rule);
	if (order)
		return order;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* Returns the index of the group of each kernel of `counters`. The caller frees the array. */
static size_t *groups_of(const struct weir_counted *counted, const struct weir_counters *counters)
{
	size_t *groups = weir_alloc((counters->count + 1) * sizeof *groups);

	for (size_t g = 0; g < counted->count; g++)
		for (size_t i = 0; i < counted->items[g].launch_count; i++) {
			const struct weir_counted_launch *launch =
				&counted->launches[counted->items[g].first_launch + i];

			if (launch->counters == counters)
				groups[launch->kernel] = g;
		}
	return groups;
}

static struct remark *collect_remarks(const struct weir_counted *counted,
                                      const struct weir_profile *profile, size_t *count)
{
	struct remark *remarks = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_counters *counters = profile->inputs[i].counters;
		size_t *groups;

		if (!counters || !counters->finding_count)
			continue;
		groups = groups_of(counted, counters);
		for (size_t f = 0; f < counters->finding_count; f++) {
			const struct weir_counter_finding *finding = &counters->findings[f];

			remarks = weir_grow(remarks, &capacity, *count + 1, sizeof *remarks);
			remarks[(*count)++] = (struct remark){
				.group = groups[finding->kernel],
				.rule = weir_names_text(counters->names, finding->rule),
				.kind = weir_names_text(counters->names, finding->kind),
				.text = weir_names_text(counters->names, finding->text),
				.scope = finding->scope,
				.speedup = finding->speedup,
			};
		}
		free(groups);
	}
	if (*count)
		qsort(remarks, *count, sizeof *remarks, by_rule);
	return remarks;
}

static void fill_remarks(struct weir_counter_row *row, const struct remark *remarks, size_t count,
                         struct weir_report *report)
{
	row->remarks = weir_arena_alloc(report->arena, (count + 1) * sizeof *row->remarks);
	for (size_t i = 0; i < count; i++) {
		struct weir_counter_remark *last =
			row->remark_count ? &row->remarks[row->remark_count - 1] : NULL;

		if (last && strcmp(last->rule, remarks[i].rule) == 0) {
			last->count++;
			continue;
		}
		row->remarks[row->remark_count++] = (struct weir_counter_remark){
			.rule = copy(report, remarks[i].rule),
			.kind = copy(report, remarks[i].kind),
			.text = copy(report, remarks[i].text),
			.scope = remarks[i].scope,
			.speedup = remarks[i].speedup,
			.count = 1,
		};
	}
}

static void fill_row(const struct named *named, struct weir_counter_row *row,
                     struct weir_report *report)
{
	const struct weir_counted_group *group = named->group;

	*row = (struct weir_counter_row){
		.kernel = copy_name(report, named),
		.count = group->count,
		.mean_ns = group->sum_ns / (double)group->count,
	};
	memcpy(row->grid, group->grid, sizeof row->grid);
	memcpy(row->block, group->block, sizeof row->block);
	memcpy(row->value, group->value, sizeof row->value);
}

/* Fills report->devices from the counters if no timeline names a device. */
static void fill_devices(const struct weir_counted *counted, struct weir_report *report)
{
	if (report->device_count)
		return;
	for (size_t g = 0; g < counted->count && !report->device_count; g++) {
		if (!counted->items[g].device)
			continue;
		report->devices = weir_arena_alloc(report->arena, sizeof *report->devices);
		report->devices[0].name = copy(report, counted->items[g].device);
		report->devices[0].count = 1;
		report->device_count = 1;
	}
}

void weir_fill_counters(const struct weir_counted *counted, struct weir_report *report)
{
	size_t rows = counted->count < WEIR_MAX_COUNTER_ROWS ? counted->count
	                                                     : WEIR_MAX_COUNTER_ROWS,
	       count;
	struct remark *remarks = collect_remarks(counted, report->profile, &count);
	struct named *names = name_groups(counted, false);

	fill_devices(counted, report);
	report->counters = weir_arena_alloc(report->arena, rows * sizeof *report->counters);
	report->counter_count = rows;
	for (size_t g = 0, at = 0, end; g < rows; g++, at = end) {
		for (end = at; end < count && remarks[end].group == g;)
			end++;
		fill_row(&names[g], &report->counters[g], report);
		fill_remarks(&report->counters[g], remarks + at, end - at, report);
	}
	weir_report_note(report, "counters",
	                 "counters were collected kernel by kernel at base clocks: their shares "
	                 "refer to kernel time, and gaps between kernels are not visible");
	free_names(names, counted->count);
	free(remarks);
}

/* Formats the name of a series, "/scale_kernel <<<132x2x1, 256>>>": one kernel in one launch
 * shape. The empty text before "/" stands for "outside every stage". */
static void series_name(const struct weir_counted_group *group, struct weir_text *text)
{
	weir_text_clear(text);
	weir_text_puts(text, "/");
	weir_kernel_display(group->name, text);
	put_launch_shape(group, text);
}

void weir_counted_run(const struct weir_counted *counted, struct weir_run *run)
{
	struct weir_text name = {0};

	for (size_t i = 0; i < counted->count && i < WEIR_MAX_COUNTER_ROWS; i++) {
		const struct weir_counted_group *group = &counted->items[i];

		series_name(group, &name);
		for (size_t v = 0; v < group->count; v++) {
			weir_series_push(weir_series_get(&run->operators, name.data),
			                 group->durations_ns[v]);
			weir_series_push(weir_series_get(&run->calls, name.data), 1);
		}
		if (group->device)
			weir_run_set_label(run, "gpu", group->device);
	}
	weir_text_release(&name);
}
