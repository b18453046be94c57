/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other programs: their output, exit code, variables and folder, and their end by a signal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/child.h"

/* Runs a script and checks that it could be started. */
static void run(const char *script, const char *const *settings, bool apart,
                struct weir_child_end *end)
{
	const char *const words[] = {"sh", "-c", script, NULL};
	struct weir_signals signals;
	struct weir_error err = {0};

	weir_signals_hold(&signals);
	if (weir_child_run(
		    &(struct weir_child){.words = words, .settings = settings, .apart = apart},
		    &signals, end, &err))
		fail_msg("%s", err.message);
	weir_signals_release(&signals);
}

static void the_output_and_the_exit_code_of_a_program_come_back(void **state)
{
	struct weir_child_end end;

	(void)state;
	run("echo out; echo err >&2; exit 3", NULL, false, &end);
	assert_int_equal(end.code, 3);
	assert_string_equal(end.output.data, "out\nerr\n");
	weir_child_end_release(&end);
	run("echo out; echo err >&2", NULL, true, &end);
	assert_int_equal(end.code, 0);
	assert_string_equal(end.output.data, "out\n");
	assert_string_equal(end.errors.data, "err\n");
	weir_child_end_release(&end);
}

static void a_program_that_a_signal_ends_has_128_and_its_number(void **state)
{
	struct weir_child_end end;

	(void)state;
	run("kill -TERM $$", NULL, false, &end);
	assert_int_equal(end.code, 128 + SIGTERM);
	weir_child_end_release(&end);
}

static void variables_are_set_replaced_and_removed(void **state)
{
	static const char *const settings[] = {"WEIR_TEST_A=new", "WEIR_TEST_B", "WEIR_TEST=x",
	                                       NULL};
	struct weir_child_end end;

	(void)state;
	setenv("WEIR_TEST_A", "old", 1);
	setenv("WEIR_TEST_B", "old", 1);
	setenv("WEIR_TEST_AB", "stays", 1);
	run("echo $WEIR_TEST_A ${WEIR_TEST_B-none} $WEIR_TEST $WEIR_TEST_AB", settings, false,
	    &end);
	assert_string_equal(end.output.data, "new none x stays\n");
	weir_child_end_release(&end);
}

static void a_program_runs_in_its_folder_with_an_empty_input(void **state)
{
	const char *const words[] = {"sh", "-c", "pwd; cat", NULL};
	struct weir_signals signals;
	struct weir_child_end end;
	struct weir_error err = {0};

	(void)state;
	weir_signals_hold(&signals);
	assert_int_equal(weir_child_run(&(struct weir_child){.words = words, .folder = "/"},
	                                &signals, &end, &err),
	                 WEIR_OK);
	assert_string_equal(end.output.data, "/\n");
	weir_child_end_release(&end);
	weir_signals_release(&signals);
}

static void a_program_that_cannot_be_started_is_an_error(void **state)
{
	const char *const words[] = {"./no-such-program", NULL};
	struct weir_signals signals;
	struct weir_child_end end;
	struct weir_error err = {0};

	(void)state;
	weir_signals_hold(&signals);
	assert_int_equal(weir_child_run(&(struct weir_child){.words = words}, &signals, &end, &err),
	                 WEIR_E_IO);
	assert_string_equal(err.message,
	                    "cannot start ./no-such-program: No such file or directory");
	weir_child_end_release(&end);
	weir_signals_release(&signals);
}

/* Runs a script that sends this process SIGTERM and then waits. */
static enum weir_status interrupt(bool to_the_end, const char *rest, struct weir_child_end *end,
                                  int *taken)
{
	struct weir_text script = {0};
	struct weir_signals signals;
	struct weir_error err = {0};
	enum weir_status status;

	weir_text_printf(&script, "sleep 60 & echo $!; kill -TERM %d; %s", (int)getpid(), rest);
	const char *const words[] = {"sh", "-c", script.data, NULL};

	weir_signals_hold(&signals);
	status = weir_child_run(&(struct weir_child){.words = words, .to_the_end = to_the_end},
	                        &signals, end, &err);
	*taken = signals.taken;
	assert_true(weir_signals_came(&signals));
	weir_signals_release(&signals);
	weir_text_release(&script);
	return status;
}

static void a_signal_ends_the_program_with_its_own_children(void **state)
{
	struct weir_child_end end;
	time_t before = time(NULL);
	int taken;
	pid_t child;

	(void)state;
	assert_int_equal(interrupt(false, "wait", &end, &taken), WEIR_E_IO);
	assert_int_equal(taken, SIGTERM);
	assert_int_equal(end.code, 128 + SIGTERM);
	assert_true(time(NULL) - before < 30);
	child = (pid_t)strtol(end.output.data ? end.output.data : "0", NULL, 10);
	assert_true(child > 0);
	for (int i = 0; i < 5000 && kill(child, 0) == 0; i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	assert_int_not_equal(kill(child, 0), 0);
	weir_child_end_release(&end);
}

static void a_program_that_cleans_up_outlasts_a_signal(void **state)
{
	struct weir_child_end end;
	int taken;

	(void)state;
	assert_int_equal(interrupt(true, "sleep 0.1; kill $!; echo clean", &end, &taken), WEIR_OK);
	assert_int_equal(taken, SIGTERM);
	assert_int_equal(end.code, 0);
	assert_non_null(strstr(end.output.data, "clean\n"));
	weir_child_end_release(&end);
}

static const char *last(const char *output, size_t lines)
{
	return weir_child_last_lines(
		&(struct weir_text){.data = (char *)output, .length = strlen(output)}, lines);
}

static void the_last_lines_of_an_output_are_found(void **state)
{
	(void)state;
	assert_string_equal(last("a\nb\nc\n", 1), "c\n");
	assert_string_equal(last("a\nb\nc\n", 2), "b\nc\n");
	assert_string_equal(last("a\nb\nc\n", 3), "a\nb\nc\n");
	assert_string_equal(last("a\nb\nc", 9), "a\nb\nc");
	assert_string_equal(last("\n\nc", 2), "\nc");
	assert_string_equal(last("", 2), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_output_and_the_exit_code_of_a_program_come_back),
		cmocka_unit_test(a_program_that_a_signal_ends_has_128_and_its_number),
		cmocka_unit_test(variables_are_set_replaced_and_removed),
		cmocka_unit_test(a_program_runs_in_its_folder_with_an_empty_input),
		cmocka_unit_test(a_program_that_cannot_be_started_is_an_error),
		cmocka_unit_test(a_signal_ends_the_program_with_its_own_children),
		cmocka_unit_test(a_program_that_cleans_up_outlasts_a_signal),
		cmocka_unit_test(the_last_lines_of_an_output_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
