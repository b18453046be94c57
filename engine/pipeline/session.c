/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "engine/pipeline/session.h"

#define MOST_VALUE 300 /* bytes of one variable that enter the name */

/* A service and the variables whose values name a job and its attempt. The first must be set. */
static const struct {
	const char *service;
	const char *variables[4];
} services[] = {
	{"", {"WEIR_SESSION"}},
	{"github:", {"GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB", "RUNNER_NAME"}},
	{"gitlab:", {"CI_JOB_ID"}}, /* a retried job has a new id */
	{"buildkite:", {"BUILDKITE_JOB_ID"}},
	{"jenkins:", {"BUILD_TAG", "STAGE_NAME", "NODE_NAME"}},
	{"slurm:", {"SLURM_JOB_ID", "SLURM_RESTART_COUNT"}},
};

static const char *value_of(const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;

	return value && *value ? value : NULL;
}

bool weir_session_of_job(struct weir_text *out)
{
	for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
		if (!value_of(services[i].variables[0]))
			continue;
		weir_text_printf(out, "%s%s", WEIR_RUN_DERIVED, services[i].service);
		for (size_t v = 0; v < sizeof services->variables / sizeof *services->variables;
		     v++) {
			const char *value = value_of(services[i].variables[v]);

			if (value)
				weir_text_printf(out, "%s%.*s", v > 0 ? "/" : "", MOST_VALUE,
				                 value);
		}
		return true;
	}
	return false;
}

/* Reads the first line of a file of the kernel; false: it cannot be read. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "r");
	bool read = file && fgets(line, (int)size, file);

	if (file)
		fclose(file);
	return read;
}

/* Appends the start time of the first process in ticks since boot: field 22 of its stat (proc(5)).
 * The name of the program, field 2, may hold blanks and ends with the last bracket. */
static void add_start(struct weir_text *out)
{
	char line[1024];
	const char *at;

	if (!read_line("/proc/1/stat", line, sizeof line))
		return;
	at = strrchr(line, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		weir_text_add(out, at + 1, strcspn(at + 1, " \n"));
}

bool weir_session_derive(struct weir_text *out)
{
	uint8_t digest[WEIR_SHA256_SIZE];
	struct weir_text place = {0};
	struct weir_sha256 hash;
	char boot[64];
	bool known;

	if (weir_session_of_job(out))
		return true;
	known = read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	if (known) {
		weir_text_puts(&place, boot);
		add_start(&place);
		weir_sha256_init(&hash);
		weir_sha256_add(&hash, place.data, place.length);
		weir_sha256_end(&hash, digest);
		weir_text_printf(out, "%slocal:", WEIR_RUN_DERIVED);
		for (int i = 0; i < 8; i++)
			weir_text_printf(out, "%02x", digest[i]);
	}
	weir_text_release(&place);
	return known;
}

void weir_session_label(struct weir_run *run, const char *const *labels, const char *session)
{
	if (session && !weir_run_label(run, WEIR_RUN_SESSION))
		weir_run_set_label(run, WEIR_RUN_SESSION, session);
	for (; labels && *labels; labels++) {
		const char *equals = strchr(*labels, '=');
		struct weir_text key = {0};

		if (!equals)
			continue; /* the command has checked them */
		weir_text_add(&key, *labels, (size_t)(equals - *labels));
		weir_run_set_label(run, key.data, equals + 1);
		weir_text_release(&key);
	}
}
