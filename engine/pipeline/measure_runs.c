/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/base/regions.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/measure_runs.h"
#include "engine/pipeline/run_labels.h"
#include "engine/pipeline/session.h"

static void take(struct weir_baseline *into, struct weir_measured *measured, const char *path,
                 const struct weir_measuring *how)
{
	while (measured->run) {
		struct weir_run *next = measured->run->next;
		struct weir_baseline_run *run;

		measured->run->next = NULL;
		weir_session_label(measured->run, how->labels, how->session);
		run = weir_baseline_take(into, measured->run, how->recorded);
		measured->run = next;
		run->path = weir_baseline_text(into, path);
		if (!measured->has_bound)
			continue;
		run->bound = weir_bound_name(measured->bound);
		run->cause = *measured->cause ? weir_baseline_text(into, measured->cause) : NULL;
	}
}

static enum weir_status measure_one(const struct weir_measuring *how, struct weir_ruleset *rules,
                                    const char *const *path, struct weir_baseline *into,
                                    struct weir_error *err)
{
	const struct weir_classify_request request = {
		.paths = path,
		.path_count = 1,
		.input_format = how->input_format,
		.settings = how->settings,
		.progress = how->progress,
		.offline = how->offline,
	};
	struct weir_measured measured;
	enum weir_status status = weir_measure(&request, rules, &measured, err);

	if (status)
		return status;
	for (struct weir_run *run = measured.run; !status && run; run = run->next)
		status = weir_run_labels_read(run, *path, err);
	if (!status)
		take(into, &measured, *path, how);
	weir_measured_release(&measured);
	return status;
}

/* Returns false for an error that every run would give, such as a wrong option. */
static bool concerns_one_run(enum weir_status status)
{
	return status != WEIR_E_USAGE && status != WEIR_E_INTERNAL;
}

static enum weir_status measure_list(const struct weir_measuring *how, struct weir_ruleset *rules,
                                     const struct weir_run_list *list, struct weir_error *err)
{
	size_t failed = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct weir_error reason = {0};
		struct weir_region region = weir_region_enter("run", list->paths[i]);
		enum weir_status status =
			measure_one(how, rules, list->paths + i, list->into, &reason);

		weir_region_leave(&region, NULL, 0);
		if (status && !concerns_one_run(status)) {
			*err = reason;
			return status;
		}
		if (!status)
			continue;
		if (how->failed)
			how->failed(how->context, reason.message);
		failed++;
	}
	if (failed == 0)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "%zu of %zu run%s cannot be read; fix %s or leave %s out (%s)", failed,
	                 list->count, list->count == 1 ? "" : "s", failed == 1 ? "it" : "them",
	                 failed == 1 ? "it" : "them", how->consequence);
}

/* ---- paths that are given twice ---- */

/* A file or folder that exists. */
struct place {
	dev_t device;
	ino_t inode;
	const char *path;
	size_t order; /* position among all paths */
};

static int by_inode(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Lists the files and folders among the paths, sorted. The caller frees the list. */
static struct place *find_places(const struct weir_run_list *lists, size_t list_count,
                                 size_t *count)
{
	struct place *places = NULL;
	size_t capacity = 0, order = 0;
	struct stat found;

	*count = 0;
	for (size_t l = 0; l < list_count; l++)
		for (size_t i = 0; i < lists[l].count; i++, order++) {
			const char *path = lists[l].paths[i];

			if (stat(path, &found) != 0 ||
			    !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)))
				continue;
			places = weir_grow(places, &capacity, *count + 1, sizeof *places);
			places[(*count)++] =
				(struct place){found.st_dev, found.st_ino, path, order};
		}
	if (*count > 1)
		qsort(places, *count, sizeof *places, by_inode);
	return places;
}

/* Refuses the first path that names a file or folder which an earlier path names. */
static enum weir_status check_paths(const struct weir_run_list *lists, size_t list_count,
                                    struct weir_error *err)
{
	size_t count;
	struct place *places = find_places(lists, list_count, &count);
	const struct place *again = NULL;
	enum weir_status status = WEIR_OK;

	for (size_t i = 1; i < count; i++)
		if (places[i].device == places[i - 1].device &&
		    places[i].inode == places[i - 1].inode &&
		    (!again || places[i].order < again->order))
			again = &places[i];
	if (again)
		status = weir_fail(err, WEIR_E_USAGE, "%s is given twice; give each run once",
		                   again->path);
	free(places);
	return status;
}

enum weir_status weir_measure_runs(const struct weir_measuring *how,
                                   const struct weir_run_list *lists, size_t list_count,
                                   struct weir_error *err)
{
	struct weir_ruleset *rules = NULL;
	enum weir_status status = check_paths(lists, list_count, err);

	if (!status)
		status = weir_load_rules(NULL, &rules, err);

	for (size_t i = 0; !status && i < list_count; i++)
		status = measure_list(how, rules, &lists[i], err);
	weir_ruleset_free(rules);
	return status;
}
