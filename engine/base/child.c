/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled with _GNU_SOURCE: posix_spawn_file_actions_addchdir_np() is newer than POSIX.1-2008.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/budget.h"
#include "engine/base/child.h"

#define GRACE_S 5 /* time from SIGTERM to SIGKILL */

extern char **environ;

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define ENDING_COUNT (sizeof(ending_signals) / sizeof(*ending_signals))

/* ---- signals ---- */

static sigset_t with_children(const sigset_t *ending)
{
	sigset_t set = *ending;

	sigaddset(&set, SIGCHLD);
	return set;
}

void weir_signals_hold(struct weir_signals *signals)
{
	sigset_t set;

	*signals = (struct weir_signals){0};
	sigemptyset(&signals->ending);
	for (size_t i = 0; i < ENDING_COUNT; i++) {
		struct sigaction action;

		if (sigaction(ending_signals[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&signals->ending, ending_signals[i]);
	}
	set = with_children(&signals->ending);
	pthread_sigmask(SIG_BLOCK, &set, &signals->before);
}

bool weir_signals_came(struct weir_signals *signals)
{
	const struct timespec now = {0};
	int number = sigtimedwait(&signals->ending, NULL, &now);

	if (number > 0 && !signals->taken)
		signals->taken = number;
	return signals->taken != 0;
}

void weir_signals_release(struct weir_signals *signals)
{
	pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

/* ---- environment ---- */

static size_t name_length(const char *setting)
{
	return strcspn(setting, "=");
}

static bool sets(const char *const *settings, const char *variable)
{
	size_t length = name_length(variable);

	for (; *settings; settings++)
		if (name_length(*settings) == length && memcmp(*settings, variable, length) == 0)
			return true;
	return false;
}

/* Returns weir's environment with the settings applied. The caller frees the list alone. */
static char **environment_with(const char *const *settings)
{
	static const char *const none[] = {NULL};
	size_t count = 0, more = 0, kept = 0;
	char **list;

	settings = settings ? settings : none;
	while (environ[count])
		count++;
	while (settings[more])
		more++;
	list = weir_alloc((count + more + 1) * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		if (!sets(settings, environ[i]))
			list[kept++] = environ[i];
	for (size_t i = 0; i < more; i++)
		if (strchr(settings[i], '='))
			list[kept++] = (char *)settings[i];
	return list;
}

/* ---- start ---- */

static void set_attributes(posix_spawnattr_t *attributes, const struct weir_signals *signals)
{
	sigset_t usual;

	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE); /* main ignores it */
	posix_spawnattr_init(attributes);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
	                                             POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setsigmask(attributes, &signals->before);
	posix_spawnattr_setsigdefault(attributes, &usual);
}

/* Starts the program with its output in two open files. Returns 0 or an errno. */
static int start(const struct weir_child *child, const struct weir_signals *signals,
                 const int files[2], pid_t *out)
{
	char **environment = environment_with(child->settings);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int failure;

	set_attributes(&attributes, signals);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, files[0], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, files[1], STDERR_FILENO);
	if (child->folder)
		posix_spawn_file_actions_addchdir_np(&actions, child->folder);
	weir_budget_lift(); /* the program inherits limits */
	failure = posix_spawnp(out, child->words[0], &actions, &attributes,
	                       (char *const *)child->words, environment);
	weir_budget_restore();
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(environment);
	return failure;
}

/* ---- wait ---- */

/* Waits for the end of the program. A signal ends its process group, first gently. */
static int wait_for(pid_t id, bool to_the_end, struct weir_signals *signals)
{
	const struct timespec second = {.tv_sec = 1};
	const sigset_t set = with_children(&signals->ending);
	bool asked = false;
	int state = 0;
	time_t deadline = 0;

	while (waitpid(id, &state, WNOHANG) == 0) {
		int number = sigtimedwait(&set, NULL, &second);

		if (number > 0 && number != SIGCHLD && !signals->taken)
			signals->taken = number;
		if (to_the_end || !signals->taken)
			continue;
		if (!asked) {
			kill(-id, SIGTERM);
			deadline = time(NULL) + GRACE_S;
		} else if (time(NULL) >= deadline) {
			kill(-id, SIGKILL);
		}
		asked = true;
	}
	if (asked)
		kill(-id, SIGKILL); /* members of the group that outlived its leader */
	return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

static void read_back(FILE *file, struct weir_text *out)
{
	char block[4096];
	size_t count;
	off_t size;

	fseeko(file, 0, SEEK_END);
	size = ftello(file);
	fseeko(file, size > WEIR_CHILD_MOST_OUTPUT ? size - WEIR_CHILD_MOST_OUTPUT : 0, SEEK_SET);
	while ((count = fread(block, 1, sizeof(block), file)) > 0)
		weir_text_add(out, block, count);
}

static enum weir_status run_into(const struct weir_child *child, struct weir_signals *signals,
                                 FILE *const files[2], struct weir_child_end *end,
                                 struct weir_error *err)
{
	const int numbers[2] = {fileno(files[0]), fileno(files[1])};
	pid_t id;
	int failure;

	for (size_t i = 0; i < 2; i++)
		fcntl(numbers[i], F_SETFD, FD_CLOEXEC);
	failure = start(child, signals, numbers, &id);
	if (failure)
		return weir_fail(err, WEIR_E_IO, "cannot start %.200s: %s", child->words[0],
		                 strerror(failure));
	end->code = wait_for(id, child->to_the_end, signals);
	read_back(files[0], &end->output);
	if (child->apart)
		read_back(files[1], &end->errors);
	if (signals->taken && !child->to_the_end)
		return weir_fail(err, WEIR_E_IO, "interrupted by signal %d", signals->taken);
	return WEIR_OK;
}

enum weir_status weir_child_run(const struct weir_child *child, struct weir_signals *signals,
                                struct weir_child_end *end, struct weir_error *err)
{
	FILE *output = tmpfile(), *errors = child->apart ? tmpfile() : output;
	enum weir_status status;

	*end = (struct weir_child_end){0};
	if (output && errors)
		status = run_into(child, signals, (FILE *const[2]){output, errors}, end, err);
	else
		status = weir_fail(err, WEIR_E_IO, "cannot make a temporary file: %s",
		                   strerror(errno));
	if (errors && errors != output)
		fclose(errors);
	if (output)
		fclose(output);
	return status;
}

void weir_child_end_release(struct weir_child_end *end)
{
	weir_text_release(&end->output);
	weir_text_release(&end->errors);
}

const char *weir_child_last_lines(const struct weir_text *output, size_t lines)
{
	const char *at;

	if (output->length == 0)
		return "";
	at = output->data + output->length - 1;
	while (at > output->data && (at[-1] != '\n' || --lines > 0))
		at--;
	return at;
}
