/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads both sides of an audit and finds the step of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/analysis/rank/features.h"
#include "engine/base/json.h"
#include "engine/base/source.h"
#include "engine/part/trace_pack.h"
#include "engine/pipeline/audit.h"
#include "engine/report/json/stored.h"
#include "engine/stats/quantile.h"
#include "rules/fixes.h"

/* A side as it was read. */
struct side {
	const char *path, *run_path;                /* borrowed; run_path: NULL: none */
	struct weir_classification *classification; /* NULL: a stored report */
	struct weir_stored_report *stored;          /* NULL: a classification */
	const struct weir_report *report;           /* of one of them */
	struct weir_run *run;                       /* step times; NULL: none */
};

static void side_release(struct side *side)
{
	weir_classification_free(side->classification);
	weir_stored_report_free(side->stored);
	weir_run_free(side->run);
}

/* ---- reading ---- */

/* The schema is the first member of a stored report; it stands within this many bytes. */
#define HEAD 256

static enum weir_status sniff(const char *path, bool *is_stored, struct weir_error *err)
{
	static const char schema[] = "\"weir.report/1\"";
	struct weir_source *source;
	struct stat info;
	const char *head;
	size_t length;
	enum weir_status status;

	*is_stored = false;
	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return WEIR_OK;
	status = weir_source_open(path, &source, err);
	if (status)
		return weir_fail_in(err, "%s", path);
	status = weir_source_head(source, &head, &length, err);
	length = length < HEAD ? length : HEAD;
	for (size_t i = 0; !status && i + strlen(schema) <= length && !*is_stored; i++)
		*is_stored = memcmp(head + i, schema, strlen(schema)) == 0;
	weir_source_free(source);
	return status ? weir_fail_in(err, "%s", path) : WEIR_OK;
}

static enum weir_status read_stored(struct side *side, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read_file(side->path, &document, err);

	if (!status && weir_stored_report_of(document, &weir_features, &side->stored, err))
		status = weir_fail_in(err, "%s", side->path);
	cJSON_Delete(document);
	side->report = status ? NULL : side->stored->report;
	return status;
}

static enum weir_status classify(const struct weir_classify_request *options, struct side *side,
                                 struct weir_error *err)
{
	const char *const paths[] = {side->path, side->run_path};
	struct weir_classify_request request = *options;
	enum weir_status status;

	request.paths = paths;
	request.path_count = side->run_path ? 2 : 1;
	status = weir_classify(&request, &side->classification, err);
	if (!status)
		side->report = weir_classification_report(side->classification);
	return status;
}

static enum weir_status convert(const struct weir_classify_request *options, const char *path,
                                struct side *side, struct weir_error *err)
{
	struct weir_classify_request request = *options;

	request.paths = &path;
	request.path_count = 1;
	return weir_convert(&request, &side->run, err);
}

static bool has_timeline(const struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++)
		if (weir_input_is_timeline(&report->profile->inputs[i]))
			return true;
	return false;
}

/* Fills the report, and the run with step times: run_path, else the input itself if it holds no
 * timeline. The steps of a timeline without device work are profiled, so they are not taken. */
static enum weir_status side_read(const struct weir_classify_request *options, struct side *side,
                                  struct weir_error *err)
{
	bool is_stored;
	enum weir_status status = sniff(side->path, &is_stored, err);

	if (!status)
		status = is_stored ? read_stored(side, err) : classify(options, side, err);
	if (!status && side->run_path)
		status = convert(options, side->run_path, side, err);
	else if (!status && !is_stored && !has_timeline(side->report))
		status = convert(options, side->path, side, err);
	return status;
}

/* ---- devices ---- */

static const char *known(const char *name)
{
	return name && *name ? name : NULL;
}

static const char *device_of_report(const struct side *side)
{
	return side->report->device_count > 0 ? known(side->report->devices[0].name) : NULL;
}

static const char *device_of_run(const struct side *side)
{
	return side->run ? known(weir_run_label(side->run, "gpu")) : NULL;
}

/* Fails if two of the names differ, where both are known. */
static enum weir_status check_devices(const struct side *before, const struct side *after,
                                      struct weir_error *err)
{
	const struct {
		const char *path, *device;
	} all[] = {
		{before->path, device_of_report(before)},
		{before->run_path ? before->run_path : before->path, device_of_run(before)},
		{after->path, device_of_report(after)},
		{after->run_path ? after->run_path : after->path, device_of_run(after)},
	};
	size_t first = WEIR_COUNT_OF(all);

	for (size_t i = 0; i < WEIR_COUNT_OF(all); i++) {
		if (!all[i].device)
			continue;
		if (first == WEIR_COUNT_OF(all))
			first = i;
		if (strcmp(all[i].device, all[first].device) != 0)
			return weir_fail(err, WEIR_E_OTHER_DEVICE,
			                 "%s ran on %s, %s on %s: steps of different devices are "
			                 "not compared",
			                 all[first].path, all[first].device, all[i].path,
			                 all[i].device);
	}
	return WEIR_OK;
}

/* ---- steps ---- */

/* Returns the name of the step on the before side: the only stage of its run or of its timeline;
 * NULL: none. */
static const char *step_name(const struct side *before)
{
	const char *name = NULL;

	if (before->run && before->run->stages.count == 1)
		return before->run->stages.items[0].name;
	for (size_t i = 0; i < before->report->stage_count; i++) {
		if (before->report->stages[i].view != WEIR_VIEW_TIMELINE)
			continue;
		if (name)
			return NULL;
		name = before->report->stages[i].name;
	}
	return name;
}

static enum weir_status step_of_run(const struct weir_audit *audit, const struct side *side,
                                    const char *wanted, struct weir_audit_side *out,
                                    struct weir_error *err)
{
	const char *path = side->run_path ? side->run_path : side->path;
	const struct weir_series *series = weir_audit_series(side->run, wanted);

	if (!series)
		return weir_fail(
			err, WEIR_E_NOT_COMPARED,
			"%s: expected the times of one stage, of \"%s\" or of \"step\"; it "
			"has %zu other stages",
			path, wanted ? wanted : "iteration", side->run->stages.count);
	out->step_ns = weir_median(series->value, series->count);
	out->measured = true;
	out->basis =
		weir_arena_format(audit->arena, "p50 of %zu %svalues of %s in %s", series->count,
	                          side->run_path ? "unprofiled " : "", series->name, path);
	return WEIR_OK;
}

/* Returns the step without the profiler. A report that an earlier version stored has it only beside
 * its predictions. */
static double unprofiled_ns(const struct weir_report *report)
{
	for (size_t i = 0; isnan(report->unprofiled_step_ns) && i < report->recommendation_count;
	     i++)
		if (report->recommendations[i].saving_before_ns > 0)
			return report->recommendations[i].saving_before_ns;
	return report->unprofiled_step_ns;
}

static void step_of_report(const struct weir_audit *audit, const struct side *side,
                           struct weir_audit_side *out)
{
	const char *source = side->report->profiler.source;

	out->step_ns = unprofiled_ns(side->report);
	out->measured = source != NULL;
	if (source)
		out->basis = weir_arena_format(audit->arena, "unprofiled times in %s", source);
	else
		out->basis = weir_arena_format(
			audit->arena, "estimated from %s, less the time that profilers usually add",
			side->path);
}

static enum weir_status fill_side(const struct weir_audit *audit, const struct side *side,
                                  const char *wanted, struct weir_audit_side *out,
                                  struct weir_error *err)
{
	const char *device = device_of_report(side);
	enum weir_status status = WEIR_OK;

	device = device ? device : device_of_run(side);
	out->path = weir_arena_copy(audit->arena, side->path, strlen(side->path));
	out->device = device ? weir_arena_copy(audit->arena, device, strlen(device)) : NULL;
	if (side->run)
		status = step_of_run(audit, side, wanted, out, err);
	else
		step_of_report(audit, side, out);
	if (!status && !(out->step_ns > 0))
		status =
			weir_fail(err, WEIR_E_NOT_COMPARED,
		                  "%s: its step without the profiler is not known; pass unprofiled "
		                  "step times with --before-run or --after-run",
		                  side->path);
	return status;
}

/* ---- the id of a fix ---- */

/* Fails with the nearest id if neither the catalogue nor the before side knows the fix. */
static enum weir_status check_fix(const struct weir_report *before, const char *fix,
                                  struct weir_error *err)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_fix_catalogue catalogue;
	enum weir_status status = weir_fixes_load(arena, &catalogue, err);

	if (!status && !weir_recommendation_find(before, fix) && !weir_fix_find(&catalogue, fix)) {
		const char *nearest = weir_fix_nearest(&catalogue, fix);

		status = weir_fail(err, WEIR_E_USAGE, "unknown fix \"%s\"; %s%s%s", fix,
		                   nearest ? "did you mean: --fix "
		                           : "weir rules list lists the fixes",
		                   nearest ? nearest : "", nearest ? "?" : "");
	}
	weir_arena_free(arena);
	return status;
}

/* ---- identity ---- */

static enum weir_status hash_file(const char *path, struct weir_sha256 *hash,
                                  struct weir_error *err)
{
	struct weir_source *source;
	const char *data;
	size_t length = 1;
	enum weir_status status = weir_source_open(path, &source, err);

	if (status)
		return weir_fail_in(err, "%s", path);
	while (!status && length > 0) {
		status = weir_source_next(source, &data, &length, err);
		if (!status)
			weir_sha256_add(hash, data, length);
	}
	weir_source_free(source);
	return status ? weir_fail_in(err, "%s", path) : WEIR_OK;
}

/* Adds the content of an input: its file, or its trace if `path` names no file here. */
static enum weir_status hash_input(const struct weir_input *input, struct weir_sha256 *hash,
                                   struct weir_error *err)
{
	struct weir_text columns = {0};

	if (!input->elsewhere && !input->from_part)
		return hash_file(input->path, hash, err);
	if (!input->trace)
		return weir_fail(
			err, WEIR_E_USAGE,
			"%s: the fix is identified by the file, which is in an archive, in "
			"a part or on a server: pass the file itself",
			input->path);
	weir_trace_pack(input->trace, &columns);
	weir_sha256_add(hash, columns.data, columns.length);
	weir_text_release(&columns);
	return WEIR_OK;
}

/* Adds the digest of a side's content, without its unprofiled times: other times of the same pair
 * are a better measurement, not another pair. */
static enum weir_status hash_side(const struct side *side, struct weir_sha256 *pair,
                                  struct weir_error *err)
{
	const struct weir_profile *profile = side->report->profile;
	struct weir_sha256 hash;
	uint8_t digest[WEIR_SHA256_SIZE];
	enum weir_status status = WEIR_OK;

	weir_sha256_init(&hash);
	if (side->stored)
		status = hash_file(side->path, &hash, err);
	for (size_t i = 0; !status && !side->stored && i < profile->input_count; i++)
		if (!side->run_path || strcmp(profile->inputs[i].path, side->run_path) != 0)
			status = hash_input(&profile->inputs[i], &hash, err);
	weir_sha256_end(&hash, digest);
	weir_sha256_add(pair, digest, sizeof digest);
	return status;
}

static enum weir_status identify(struct weir_audit *audit, const struct side *before,
                                 const struct side *after, struct weir_error *err)
{
	struct weir_sha256 pair;
	enum weir_status status;

	weir_sha256_init(&pair);
	status = hash_side(before, &pair, err);
	if (!status)
		status = hash_side(after, &pair, err);
	weir_sha256_end(&pair, audit->pair);
	return status;
}

/* ---- the audit ---- */

static enum weir_status compare(struct weir_audit *audit, const struct weir_audit_request *request,
                                const struct side *before, const struct side *after,
                                struct weir_error *err)
{
	const char *wanted = step_name(before);
	enum weir_status status = WEIR_OK;

	if (request->fix)
		status = check_fix(before->report, request->fix, err);
	if (!status)
		status = check_devices(before, after, err);
	if (!status)
		status = fill_side(audit, before, wanted, &audit->before, err);
	if (!status)
		status = fill_side(audit, after, wanted, &audit->after, err);
	if (!status)
		status =
			weir_audit_compare(audit, before->report, after->report, request->fix, err);
	return status;
}

enum weir_status weir_audit_run(const struct weir_audit_request *request, struct weir_audit **out,
                                struct weir_error *err)
{
	struct side before = {.path = request->before, .run_path = request->before_run};
	struct side after = {.path = request->after, .run_path = request->after_run};
	struct weir_audit *audit = weir_audit_new();
	enum weir_status status = side_read(request->options, &before, err);

	if (!status)
		status = side_read(request->options, &after, err);
	if (!status)
		status = compare(audit, request, &before, &after, err);
	if (!status && request->identify)
		status = identify(audit, &before, &after, err);
	side_release(&before);
	side_release(&after);
	if (status)
		weir_audit_free(audit);
	else
		*out = audit;
	return status;
}
