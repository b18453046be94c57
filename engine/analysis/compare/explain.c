/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/explain.h"
#include "engine/base/arena.h"
#include "engine/stats/multiple.h"
#include "engine/stats/oneway.h"

/* Runs with the figure, and one label while its groups are found. */
struct runs {
	const struct weir_run **run;
	double *log;
	size_t count;
};

/* Division of the runs by a label: group[i] of run i, numbered by first appearance. */
struct partition {
	size_t *group;
	size_t groups;
};

/* ---- partitions ---- */

struct valued {
	const char *value; /* NULL: the run lacks the label */
	size_t run;
};

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int by_value(const void *a, const void *b)
{
	const struct valued *left = a, *right = b;
	int order = compare_texts(left->value, right->value);

	return order ? order : (left->run > right->run) - (left->run < right->run);
}

static struct partition divide(const struct runs *runs, const char *key)
{
	struct valued *sorted = weir_alloc((runs->count + 1) * sizeof *sorted);
	size_t *first = weir_alloc((runs->count + 1) * sizeof *first);
	struct partition partition = {.group = weir_alloc((runs->count + 1) * sizeof(size_t))};

	for (size_t i = 0; i < runs->count; i++)
		sorted[i] = (struct valued){weir_run_label(runs->run[i], key), i};
	qsort(sorted, runs->count, sizeof *sorted, by_value);
	/* Within one value the runs ascend, so that its first run stands for it. */
	for (size_t i = 0; i < runs->count; i++)
		first[sorted[i].run] =
			i > 0 && compare_texts(sorted[i - 1].value, sorted[i].value) == 0
				? first[sorted[i - 1].run]
				: sorted[i].run;
	for (size_t i = 0; i < runs->count; i++)
		partition.group[i] = first[i] == i ? partition.groups++ : partition.group[first[i]];
	free(sorted);
	free(first);
	return partition;
}

static bool is_same(const struct partition *a, const struct partition *b, size_t count)
{
	return a->groups == b->groups && memcmp(a->group, b->group, count * sizeof *a->group) == 0;
}

/* ---- keys ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the sorted keys of all labels of the runs. The caller frees the list. */
static const char **keys_of(const struct runs *runs, size_t *count)
{
	const char **keys = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < runs->count; i++)
		for (size_t l = 0; l < runs->run[i]->label_count; l++) {
			const char *key = runs->run[i]->labels[l].key;

			if (*count > 0 && bsearch(&key, keys, *count, sizeof *keys, by_text))
				continue;
			keys = weir_grow(keys, &capacity, *count + 1, sizeof *keys);
			keys[(*count)++] = key;
			qsort(keys, *count, sizeof *keys, by_text);
		}
	return keys;
}

/* ---- groups of labels ---- */

static enum weir_explain_state state_of(const struct partition *partition, size_t runs)
{
	if (partition->groups < 2)
		return WEIR_EXPLAIN_ONE_VALUE;
	return partition->groups < runs ? WEIR_EXPLAIN_TESTED : WEIR_EXPLAIN_VALUE_PER_RUN;
}

static void add_key(struct weir_explain_group *group, const char *key)
{
	size_t capacity = group->key_count;

	group->keys = weir_grow(group->keys, &capacity, group->key_count + 1, sizeof *group->keys);
	group->keys[group->key_count++] = key;
}

static struct weir_explain_group test(const struct runs *runs, const struct partition *partition)
{
	struct weir_explain_group group = {.values = partition->groups,
	                                   .state = state_of(partition, runs->count)};
	struct weir_oneway result =
		weir_oneway(runs->log, partition->group, runs->count, partition->groups);

	if (group.state == WEIR_EXPLAIN_TESTED && isnan(result.p))
		group.state = WEIR_EXPLAIN_EQUAL_FIGURES;
	group.share = result.share;
	group.p = group.p_adjusted = result.p;
	return group;
}

static void find_groups(const struct runs *runs, struct weir_explain *out)
{
	size_t count;
	const char **keys = keys_of(runs, &count);
	struct partition *partitions = weir_alloc((count + 1) * sizeof *partitions);

	out->groups = weir_alloc((count + 1) * sizeof *out->groups);
	for (size_t k = 0; k < count; k++) {
		struct partition partition = divide(runs, keys[k]);
		size_t same = 0;

		while (same < out->count && !is_same(&partitions[same], &partition, runs->count))
			same++;
		if (same == out->count) {
			partitions[same] = partition;
			out->groups[out->count++] = test(runs, &partition);
		} else {
			free(partition.group);
		}
		add_key(&out->groups[same], keys[k]);
	}
	for (size_t g = 0; g < out->count; g++)
		free(partitions[g].group);
	free(partitions);
	free(keys);
}

static int by_share(const void *a, const void *b)
{
	const struct weir_explain_group *left = a, *right = b;

	if (left->state != right->state)
		return left->state < right->state ? -1 : 1;
	if (left->state == WEIR_EXPLAIN_TESTED && left->share != right->share)
		return left->share > right->share ? -1 : 1;
	return strcmp(left->keys[0], right->keys[0]);
}

static void adjust(struct weir_explain *explain)
{
	double *p = weir_alloc((explain->count + 1) * sizeof *p);

	for (size_t g = 0; g < explain->count; g++)
		p[g] = explain->groups[g].p;
	weir_holm(p, explain->count, p);
	for (size_t g = 0; g < explain->count; g++)
		explain->groups[g].p_adjusted = p[g];
	free(p);
}

void weir_explain(const struct weir_run *const *runs, const double *values, size_t count,
                  struct weir_explain *out)
{
	struct runs known = {.run = weir_alloc((count + 1) * sizeof *known.run),
	                     .log = weir_alloc((count + 1) * sizeof *known.log)};

	for (size_t i = 0; i < count; i++)
		if (values[i] > 0) {
			known.run[known.count] = runs[i];
			known.log[known.count++] = log(values[i]);
		}
	*out = (struct weir_explain){.runs = known.count};
	find_groups(&known, out);
	adjust(out);
	if (out->count > 0)
		qsort(out->groups, out->count, sizeof *out->groups, by_share);
	free(known.run);
	free(known.log);
}

void weir_explain_release(struct weir_explain *explain)
{
	for (size_t g = 0; g < explain->count; g++)
		free(explain->groups[g].keys);
	free(explain->groups);
	*explain = (struct weir_explain){0};
}
