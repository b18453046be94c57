/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "engine/cli/output.h"
#include "engine/cli/progress.h"
#include "engine/cli/recording.h"
#include "engine/pipeline/classify.h"

const char *weir_db_path(const struct weir_arguments *arguments)
{
	const char *given = weir_option_text(arguments, "db");
	const char *environment = getenv("WEIR_DB");

	if (given)
		return given;
	return environment && *environment ? environment : WEIR_DEFAULT_DB;
}

static void take(struct weir_baseline *into, struct weir_measured *measured, const char *recorded)
{
	struct weir_baseline_run *run = weir_baseline_take(into, measured->run, recorded);

	measured->run = NULL;
	if (!measured->has_bound)
		return;
	run->bound = weir_bound_name(measured->bound);
	run->cause = *measured->cause ? weir_baseline_text(into, measured->cause) : NULL;
}

static enum weir_status read_one(const struct weir_recording_request *request,
                                 const char *const *path, struct weir_progress_line *line,
                                 struct weir_baseline *into, struct weir_error *err)
{
	struct weir_progress progress = {weir_progress_report, line};
	struct weir_classify_request one = {
		.paths = path,
		.path_count = 1,
		.input_format = request->input_format,
		.settings = request->settings,
		.progress = &progress,
	};
	struct weir_measured measured;
	enum weir_status status = weir_measure(&one, &measured, err);

	if (status)
		return status;
	take(into, &measured, request->recorded);
	weir_measured_release(&measured);
	return WEIR_OK;
}

/* What is the same for every run, like a wrong option, is told once. */
static bool concerns_one_run(enum weir_status status)
{
	return status != WEIR_E_USAGE && status != WEIR_E_INTERNAL;
}

enum weir_status weir_recording_read(const struct weir_recording_request *request,
                                     struct weir_baseline *into, struct weir_error *err)
{
	struct weir_progress_line line;
	size_t failed = 0;

	for (size_t i = 0; i < request->count; i++) {
		struct weir_error reason = {0};
		enum weir_status status;

		weir_progress_start(&line, stderr, request->quiet);
		status = read_one(request, request->paths + i, &line, into, &reason);
		weir_progress_end(&line);
		if (status && !concerns_one_run(status)) {
			*err = reason;
			return status;
		}
		if (!status)
			continue;
		weir_say(reason.message);
		failed++;
	}
	if (failed == 0)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "%zu of %zu run%s cannot be read; fix or leave %s out (%s)", failed,
	                 request->count, request->count == 1 ? "" : "s",
	                 failed == 1 ? "it" : "them", request->consequence);
}
