/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/classify.h"

const char *const weir_gate_formats[] = {"text",  "json",  "markdown",    "html",
                                         "junit", "sarif", "annotations", NULL};

const char *weir_db_path(const struct weir_arguments *arguments)
{
	const char *given = weir_option_text(arguments, "db");
	const char *environment = getenv("WEIR_DB");

	if (given)
		return given;
	return environment && *environment ? environment : WEIR_DEFAULT_DB;
}

struct weir_settings weir_settings_given(const struct weir_arguments *arguments,
                                         const struct weir_policy *policy)
{
	return weir_settings_of(policy, weir_option_number(arguments, "cost-per-gpu-hour", NAN),
	                        "--cost-per-gpu-hour");
}

static void say_failure(void *context, const char *message)
{
	weir_progress_clear(context);
	weir_say(message);
}

void weir_measuring_given(struct weir_measuring *out, const struct weir_arguments *arguments,
                          const struct weir_settings *settings, struct weir_progress_line *line,
                          struct weir_progress *progress)
{
	*progress = (struct weir_progress){weir_progress_report, line};
	weir_progress_start(line, stderr, weir_option_given(arguments, "quiet"));
	*out = (struct weir_measuring){
		.settings = settings,
		.progress = progress,
		.failed = say_failure,
		.context = line,
	};
}
