/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/jsonout.h"
#include "engine/base/regions.h"

/* Only open and close write to it, while one thread runs; any thread writes the atomic members. */
static struct {
	int fd; /* valid if `on` */
	bool on;
	int64_t start_ns;
	atomic_int failed; /* errno of the first failed line; 0: no failure */
	atomic_uint threads;
} trace;

/* Number of this thread, from 1, in the order of their first regions; 0: not assigned yet. */
static _Thread_local unsigned thread_number;
static _Thread_local unsigned depth; /* open regions of this thread */

static int64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Writes the line with one write(), so that lines of several threads and processes do not mix. */
static void write_line(struct weir_text *line)
{
	ssize_t count;

	weir_text_puts(line, "\n");
	do
		count = write(trace.fd, line->data, line->length);
	while (count < 0 && errno == EINTR);
	if (count != (ssize_t)line->length) {
		int none = 0;

		atomic_compare_exchange_strong(&trace.failed, &none, count < 0 ? errno : ENOSPC);
	}
	weir_text_release(line);
}

static void write_start(void)
{
	struct weir_text line = {0};
	struct weir_jsonout json;

	weir_jsonout_init(&json, &line, false);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.trace/1");
	weir_jsonout_text(&json, "weir", WEIR_VERSION);
	weir_jsonout_int(&json, "pid", getpid());
	weir_jsonout_end(&json);
	write_line(&line);
}

enum weir_status weir_regions_open(const char *path, struct weir_error *err)
{
	trace.fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (trace.fd < 0)
		return weir_fail(err, WEIR_E_IO, "cannot write %s: %s", path, strerror(errno));
	trace.on = true;
	trace.start_ns = now_ns();
	atomic_store(&trace.failed, 0);
	write_start();
	return WEIR_OK;
}

enum weir_status weir_regions_close(struct weir_error *err)
{
	int failed = atomic_load(&trace.failed);

	if (!trace.on)
		return WEIR_OK;
	trace.on = false;
	if (close(trace.fd) != 0 && !failed)
		failed = errno;
	return failed ? weir_fail(err, WEIR_E_IO, "cannot write: %s", strerror(failed)) : WEIR_OK;
}

struct weir_region weir_region_enter(const char *name, const char *subject)
{
	if (!trace.on)
		return (struct weir_region){0};
	if (!thread_number)
		thread_number = atomic_fetch_add(&trace.threads, 1) + 1;
	depth++;
	return (struct weir_region){name, subject, now_ns()};
}

unsigned weir_region_depth(void)
{
	return depth;
}

void weir_region_nest(unsigned outer)
{
	depth = outer;
}

void weir_region_leave(const struct weir_region *region, const char *counted, uint64_t count)
{
	struct weir_text line = {0};
	struct weir_jsonout json;
	int64_t end_ns;

	if (!region->name || !trace.on)
		return;
	end_ns = now_ns();
	depth--;
	weir_jsonout_init(&json, &line, false);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "region", region->name);
	if (region->subject)
		weir_jsonout_text(&json, "subject", region->subject);
	weir_jsonout_int(&json, "thread", thread_number);
	weir_jsonout_int(&json, "depth", depth);
	weir_jsonout_int(&json, "start_ns", region->start_ns - trace.start_ns);
	weir_jsonout_int(&json, "ns", end_ns - region->start_ns);
	if (counted)
		weir_jsonout_int(&json, counted, (int64_t)count);
	weir_jsonout_end(&json);
	write_line(&line);
}
