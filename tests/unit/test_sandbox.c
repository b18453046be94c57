/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test prints that it is skipped if the kernel lacks the mechanism. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/sandbox.h"
#include "engine/base/spool.h"
#include "engine/base/text.h"

extern char **environ;

/* A folder with the file `old`, and the number of forbidden deeds that were possible. */
struct place {
	char folder[64], file[96], fresh[96];
	unsigned written, reached, started; /* deeds that were not refused */
	bool read;
};

static void place_init(struct place *place)
{
	int fd;

	*place = (struct place){.folder = "/tmp/weir-sandbox.XXXXXX"};
	assert_non_null(mkdtemp(place->folder));
	snprintf(place->file, sizeof place->file, "%s/old", place->folder);
	snprintf(place->fresh, sizeof place->fresh, "%s/fresh", place->folder);
	fd = open(place->file, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
}

/* Fails unless the folder holds the file `old` alone, as it was. */
static void place_release(struct place *place)
{
	struct stat about;

	assert_int_equal(stat(place->file, &about), 0);
	assert_int_equal(about.st_size, 4);
	assert_int_equal(about.st_mode & 0777, 0600);
	assert_int_equal(unlink(place->file), 0);
	assert_int_equal(rmdir(place->folder), 0);
}

static bool is_refused(bool done)
{
	return !done && (errno == EPERM || errno == EACCES);
}

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void try_files(struct place *place)
{
	place->written += !is_refused(opens(place->file, O_WRONLY));
	place->written += !is_refused(opens(place->file, O_RDWR));
	place->written += !is_refused(opens(place->fresh, O_WRONLY | O_CREAT));
	place->written += !is_refused(opens(place->fresh, O_RDONLY | O_CREAT));
	place->written += !is_refused(unlink(place->file) == 0);
	place->written += !is_refused(rename(place->file, place->fresh) == 0);
	place->written += !is_refused(link(place->file, place->fresh) == 0);
	place->written += !is_refused(symlink(place->file, place->fresh) == 0);
	place->written += !is_refused(mkdir(place->fresh, 0700) == 0);
	place->written += !is_refused(mkfifo(place->fresh, 0600) == 0);
	place->written += !is_refused(rmdir(place->folder) == 0);
	place->read = opens(place->file, O_RDONLY);
}

/* Connects to a port at which nobody listens: a connection that is not refused by the kernel's
 * rules ends with ECONNREFUSED. */
static void try_network(struct place *place)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0) {
		place->reached += !is_refused(false);
		return;
	}
	place->reached +=
		!is_refused(connect(fd, (const struct sockaddr *)&address, sizeof address) == 0);
	close(fd);
}

static void try_program(struct place *place)
{
	char *words[] = {"/bin/true", NULL};
	pid_t child;
	int failure = posix_spawn(&child, words[0], NULL, NULL, words, environ), end;

	if (failure == 0)
		waitpid(child, &end, 0);
	place->started += failure != EPERM && failure != EACCES;
}

static void try_all(void *context)
{
	try_files(context);
	try_network(context);
	try_program(context);
}

static void do_nothing(void *context)
{
	(void)context;
}

/* Allows one mechanism; prints that the test is skipped, and skips it, if the kernel lacks it. */
static void allow_or_skip(unsigned layer, const char *name)
{
	weir_sandbox_allow(layer);
	weir_sandbox_run(do_nothing, NULL);
	if (weir_sandbox_used() == layer)
		return;
	print_message("skipped: this kernel has no %s\n", name);
	skip();
}

/* Landlock knows them since Linux 6.2, or not at all. */
static void try_truncation_and_modes(void *context)
{
	struct place *place = context;

	place->written += !is_refused(opens(place->file, O_RDONLY | O_TRUNC));
	place->written += !is_refused(truncate(place->file, 0) == 0);
	place->written += !is_refused(chmod(place->file, 0777) == 0);
}

static void seccomp_refuses_writes_sockets_and_programs(void **state)
{
	struct place place;

	(void)state;
	allow_or_skip(WEIR_SANDBOX_SECCOMP, "seccomp");
	place_init(&place);
	weir_sandbox_run(try_all, &place);
	weir_sandbox_run(try_truncation_and_modes, &place);
	assert_int_equal(place.written, 0);
	assert_int_equal(place.reached, 0);
	assert_int_equal(place.started, 0);
	assert_true(place.read);
	place_release(&place);
}

/* Sockets are refused since Linux 6.7 only, and seccomp refuses all of them. */
static void landlock_refuses_writes_and_programs(void **state)
{
	struct place place;

	(void)state;
	allow_or_skip(WEIR_SANDBOX_LANDLOCK, "Landlock");
	place_init(&place);
	weir_sandbox_run(try_all, &place);
	assert_int_equal(place.written, 0);
	assert_int_equal(place.started, 0);
	assert_true(place.read);
	place_release(&place);
}

static void try_index(void *context, size_t index)
{
	try_all((struct place *)context + index);
}

static void try_in_pool(void *context)
{
	weir_pool_run(4, 4, try_index, context);
}

static void threads_of_a_sandbox_lack_the_rights_too(void **state)
{
	struct place places[4];

	(void)state;
	allow_or_skip(WEIR_SANDBOX_ALL, "Landlock or no seccomp");
	for (size_t i = 0; i < 4; i++)
		place_init(&places[i]);
	weir_sandbox_run(try_in_pool, places);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(places[i].written + places[i].reached + places[i].started, 0);
		place_release(&places[i]);
	}
}

/* Removes a file, which is refused inside. */
static void remove_file(void *context)
{
	struct place *place = context;

	place->written = unlink(place->fresh) == 0;
}

static void the_rights_of_the_caller_stay(void **state)
{
	struct place place;

	(void)state;
	place_init(&place);
	weir_sandbox_allow(WEIR_SANDBOX_ALL);
	weir_sandbox_run(do_nothing, NULL);
	assert_true(opens(place.fresh, O_WRONLY | O_CREAT));
	remove_file(&place);
	assert_true(place.written);
	try_network(&place);
	try_program(&place);
	assert_int_equal(place.reached, 1);
	assert_int_equal(place.started, 1);
	place_release(&place);
}

static void nothing_is_refused_unless_it_is_allowed(void **state)
{
	struct place place;

	(void)state;
	place_init(&place);
	weir_sandbox_allow(0);
	assert_true(opens(place.fresh, O_WRONLY | O_CREAT));
	weir_sandbox_run(remove_file, &place);
	assert_true(place.written);
	assert_int_equal(weir_sandbox_used(), 0);
	place_release(&place);
}

/* Keeps more bytes than a spool holds in memory; sets *context to whether they came back. */
static void spool_much(void *context)
{
	struct weir_spool spool = WEIR_SPOOL_EMPTY;
	size_t size = WEIR_SPOOL_IN_MEMORY / 2 + 1, len = 0;
	char *block = weir_alloc(size), *data = NULL;
	enum weir_status status = WEIR_OK;
	struct weir_error err;
	bool *done = context;

	memset(block, 'x', size);
	for (unsigned i = 0; !status && i < 3; i++)
		status = weir_spool_add(&spool, block, size, &err);
	*done = !status && spool.fd >= 0 && !weir_spool_bytes(&spool, &data, &len, &err) &&
	        len == 3 * size && data[len - 1] == 'x';
	weir_spool_release(&spool);
	free(block);
}

static void spool_index(void *context, size_t index)
{
	spool_much((bool *)context + index);
}

static void spool_in_pool(void *context)
{
	weir_pool_run(4, 4, spool_index, context);
}

static void temporary_files_come_from_outside(void **state)
{
	bool done[4] = {false};

	(void)state;
	weir_sandbox_allow(WEIR_SANDBOX_ALL);
	weir_sandbox_run(spool_much, done);
	assert_true(done[0]);
	done[0] = false;
	weir_sandbox_run(spool_in_pool, done);
	assert_true(done[0] && done[1] && done[2] && done[3]);
}

static void a_temporary_file_that_cannot_be_made_has_a_reason(void **state)
{
	char template[] = "/nowhere/weir.XXXXXX";

	(void)state;
	errno = 0;
	assert_int_equal(weir_sandbox_temporary(template), -1);
	assert_int_equal(errno, ENOENT);
}

static void run_out(void *context)
{
	(void)context;
	weir_out_of_memory();
}

static void run_out_inside(void *context)
{
	weir_sandbox_run(run_out, context);
}

static void memory_that_runs_out_inside_ends_the_try_of_the_caller(void **state)
{
	(void)state;
	weir_sandbox_allow(WEIR_SANDBOX_ALL);
	assert_false(weir_memory_try(run_out_inside, NULL));
	assert_true(weir_memory_try(do_nothing, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seccomp_refuses_writes_sockets_and_programs),
		cmocka_unit_test(landlock_refuses_writes_and_programs),
		cmocka_unit_test(threads_of_a_sandbox_lack_the_rights_too),
		cmocka_unit_test(the_rights_of_the_caller_stay),
		cmocka_unit_test(nothing_is_refused_unless_it_is_allowed),
		cmocka_unit_test(temporary_files_come_from_outside),
		cmocka_unit_test(a_temporary_file_that_cannot_be_made_has_a_reason),
		cmocka_unit_test(memory_that_runs_out_inside_ends_the_try_of_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
