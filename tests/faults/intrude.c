/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into weir, for sandbox.sh: stands for code that a hostile file brings to run. At the
 * first read() of a file whose path contains "hostile", it tries to write $INTRUDE, to open a
 * socket and to start a program, and prints what was refused. $LACKS names mechanisms that the
 * kernel then seems to lack: "Landlock", "seccomp" or both.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *outcome(int failure)
{
	if (failure == 0)
		return "done";
	return failure == EPERM || failure == EACCES ? "refused" : strerror(failure);
}

static int try_write(void)
{
	const char *path = getenv("INTRUDE");
	int fd = open(path ? path : "/nowhere/file", O_WRONLY | O_CREAT, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int try_socket(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int try_program(void)
{
	char *words[] = {"/bin/true", NULL}, *none[] = {NULL};
	pid_t child;
	int failure = posix_spawn(&child, words[0], NULL, NULL, words, none);

	if (failure == 0)
		waitpid(child, NULL, 0);
	return failure;
}

static void intrude(void)
{
	const char *writing = outcome(try_write()), *reaching = outcome(try_socket());

	dprintf(STDERR_FILENO, "intruder: write %s, socket %s, program %s\n", writing, reaching,
	        outcome(try_program()));
}

static int is_hostile(int fd)
{
	char link[64], path[512];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	return strstr(path, "hostile") != NULL;
}

static int is_lacking(const char *name)
{
	const char *lacks = getenv("LACKS");

	return lacks && strstr(lacks, name) != NULL;
}

/* The call through which weir uses both mechanisms, because libc has none for them. */
long syscall(long number, ...)
{
	void *address = dlsym(RTLD_NEXT, "syscall");
	long (*next)(long, ...), with[6];
	va_list list;

	if ((number == SYS_seccomp && is_lacking("seccomp")) ||
	    (number == SYS_landlock_create_ruleset && is_lacking("Landlock"))) {
		errno = ENOSYS;
		return -1;
	}
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		with[i] = va_arg(list, long);
	va_end(list);
	memcpy(&next, &address, sizeof next);
	return next(number, with[0], with[1], with[2], with[3], with[4], with[5]);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	static atomic_flag intruded = ATOMIC_FLAG_INIT;
	ssize_t (*next)(int, void *, size_t);
	void *address = dlsym(RTLD_NEXT, "read");

	if (is_hostile(fd) && !atomic_flag_test_and_set(&intruded))
		intrude();
	memcpy(&next, &address, sizeof next);
	return next(fd, buffer, size);
}
