/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/measure.h"

#define ROUNDS 3

extern char **environ;

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double megabytes(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? (double)info.st_size / 1e6 : 0;
}

/* Reads every byte as the simplest scanner does: counts the bytes between quotes. */
static uint64_t bare_pass(const char *path)
{
	static unsigned char block[1 << 20];
	int fd = open(path, O_RDONLY);
	uint64_t inside = 0;
	unsigned quoted = 0;
	ssize_t count;

	while (fd >= 0 && (count = read(fd, block, sizeof(block))) > 0) {
		for (ssize_t i = 0; i < count; i++) {
			quoted ^= block[i] == '"';
			inside += quoted;
		}
	}
	if (fd >= 0)
		close(fd);
	return inside;
}

double pass_seconds(const char *path)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_s(), took;
		uint64_t inside = bare_pass(path);

		took = now_s() - start;
		if (inside > 0 && took < best)
			best = took;
	}
	return best;
}

static bool run_once(char *program, char *path)
{
	char classify[] = "classify", format[] = "--format=json";
	char *words[] = {program, classify, format, path, NULL};
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&child, program, &actions, NULL, words, environ) == 0)
		waitpid(child, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

double classify_seconds(char *program, char *path)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_s(), took;

		if (!run_once(program, path))
			return -1;
		took = now_s() - start;
		if (took < best)
			best = took;
	}
	return best;
}

double peak_megabytes(void)
{
	struct rusage children;

	getrusage(RUSAGE_CHILDREN, &children);
	return (double)children.ru_maxrss * 1024 / 1e6;
}
