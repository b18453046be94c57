/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session of a process: by the variables of CI services, else by the container or the machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/pipeline/session.h"

static const char *const variables[] = {"WEIR_SESSION",     "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT",
                                        "GITHUB_JOB",       "RUNNER_NAME",   "CI_JOB_ID",
                                        "BUILDKITE_JOB_ID", "BUILD_TAG",     "STAGE_NAME",
                                        "NODE_NAME",        "SLURM_JOB_ID",  "SLURM_RESTART_COUNT"};

static int forget(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	return 0;
}

static void expect(const char *session)
{
	struct weir_text text = {0};

	assert_true(weir_session_derive(&text));
	assert_string_equal(text.data, session);
	weir_text_release(&text);
}

static void each_service_names_a_job_and_its_attempt(void **state)
{
	(void)state;
	setenv("SLURM_JOB_ID", "811", 1);
	setenv("SLURM_RESTART_COUNT", "1", 1);
	expect("auto:slurm:811/1");
	setenv("BUILD_TAG", "jenkins-perf-7", 1);
	setenv("NODE_NAME", "gpu-2", 1);
	expect("auto:jenkins:jenkins-perf-7/gpu-2");
	setenv("BUILDKITE_JOB_ID", "0190", 1);
	expect("auto:buildkite:0190");
	setenv("CI_JOB_ID", "42", 1);
	expect("auto:gitlab:42");
	setenv("GITHUB_RUN_ID", "17", 1);
	setenv("GITHUB_RUN_ATTEMPT", "2", 1);
	setenv("GITHUB_JOB", "gate", 1);
	expect("auto:github:17/2/gate");
	setenv("WEIR_SESSION", "night-3", 1);
	expect("auto:night-3");
	setenv("WEIR_SESSION", "", 1);
	expect("auto:github:17/2/gate");
}

/* Derives the session in a process that leads a session of the kernel; returns 0 if it is
 * `expected`.
 */
static int in_another_session(const char *expected)
{
	struct weir_text text = {0};
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		setsid();
		_exit(!(weir_session_derive(&text) && strcmp(text.data, expected) == 0));
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void outside_of_ci_a_container_is_a_session(void **state)
{
	struct weir_text first = {0}, second = {0};

	(void)state;
	assert_false(weir_session_of_job(&first));
	assert_int_equal(first.length, 0);
	assert_true(weir_session_derive(&first));
	assert_true(weir_session_derive(&second));
	assert_int_equal(strncmp(first.data, "auto:local:", 11), 0);
	assert_int_equal(first.length, 11 + 16);
	assert_string_equal(first.data, second.data);
	/* Another terminal on the machine. */
	assert_int_equal(in_another_session(first.data), 0);
	weir_text_release(&first);
	weir_text_release(&second);
}

static void a_label_of_the_file_wins_and_a_given_label_beats_both(void **state)
{
	static const char *const given[] = {"session=c", "gpu=A=B", NULL};
	struct weir_run *run = weir_run_new();

	(void)state;
	weir_session_label(run, NULL, NULL);
	assert_null(weir_run_label(run, "session"));
	weir_session_label(run, NULL, "auto:a");
	assert_string_equal(weir_run_label(run, "session"), "auto:a");
	weir_session_label(run, NULL, "auto:b");
	assert_string_equal(weir_run_label(run, "session"), "auto:a");
	weir_session_label(run, given, "auto:b");
	assert_string_equal(weir_run_label(run, "session"), "c");
	assert_string_equal(weir_run_label(run, "gpu"), "A=B");
	weir_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_service_names_a_job_and_its_attempt, forget),
		cmocka_unit_test_setup(outside_of_ci_a_container_is_a_session, forget),
		cmocka_unit_test(a_label_of_the_file_wins_and_a_given_label_beats_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
