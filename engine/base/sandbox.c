/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/regions.h"
#include "engine/base/sandbox.h"
#include "engine/base/sandbox_rights.h"

/* A thread without rights, and the one outside that waits for it and creates its temporary files.
 */
struct weir_sandbox {
	void (*work)(void *context);
	void *context;
	unsigned depth;     /* nesting depth of the caller's regions */
	bool tried;         /* the caller is inside weir_memory_try() */
	bool out_of_memory; /* read after the thread has ended */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ended;     /* these need the lock */
	char *template; /* of the file that is asked for; NULL: none */
	bool answered;
	int fd, failure; /* the answer; failure: errno */
};

/* The switch concerns the process. */
static struct {
	unsigned allowed;
	atomic_uint used;
} sandboxes;

static _Thread_local struct weir_sandbox *of_thread;

void weir_sandbox_allow(unsigned layers)
{
	sandboxes.allowed = layers;
	atomic_store(&sandboxes.used, layers);
}

unsigned weir_sandbox_used(void)
{
	return atomic_load(&sandboxes.used);
}

struct weir_sandbox *weir_sandbox_of_thread(void)
{
	return of_thread;
}

void weir_sandbox_join(struct weir_sandbox *sandbox)
{
	of_thread = sandbox;
}

/* ---- inside ---- */

static void end(struct weir_sandbox *sandbox)
{
	pthread_mutex_lock(&sandbox->lock);
	sandbox->ended = true;
	pthread_cond_broadcast(&sandbox->changed);
	pthread_mutex_unlock(&sandbox->lock);
}

static void *work_inside(void *argument)
{
	struct weir_sandbox *sandbox = argument;

	weir_region_nest(sandbox->depth);
	of_thread = sandbox;
	atomic_fetch_and(&sandboxes.used, weir_rights_drop(sandboxes.allowed));
	if (sandbox->tried)
		sandbox->out_of_memory = !weir_memory_try(sandbox->work, sandbox->context);
	else
		sandbox->work(sandbox->context);
	end(sandbox);
	return NULL;
}

static int create(char *template)
{
	int fd = mkstemp(template);

	if (fd >= 0)
		unlink(template);
	return fd;
}

/* Several threads of one sandbox may ask; they take turns. */
static int ask(struct weir_sandbox *sandbox, char *template)
{
	int fd;

	pthread_mutex_lock(&sandbox->lock);
	while (sandbox->template)
		pthread_cond_wait(&sandbox->changed, &sandbox->lock);
	sandbox->template = template;
	pthread_cond_broadcast(&sandbox->changed);
	while (!sandbox->answered)
		pthread_cond_wait(&sandbox->changed, &sandbox->lock);
	fd = sandbox->fd;
	if (fd < 0)
		errno = sandbox->failure;
	sandbox->template = NULL;
	sandbox->answered = false;
	pthread_cond_broadcast(&sandbox->changed);
	pthread_mutex_unlock(&sandbox->lock);
	return fd;
}

int weir_sandbox_temporary(char *template)
{
	return of_thread ? ask(of_thread, template) : create(template);
}

/* ---- outside ---- */

/* Creates the files that are asked for, until the thread ends. */
static void serve(struct weir_sandbox *sandbox)
{
	pthread_mutex_lock(&sandbox->lock);
	while (!sandbox->ended) {
		if (sandbox->template && !sandbox->answered) {
			sandbox->fd = create(sandbox->template);
			sandbox->failure = errno;
			sandbox->answered = true;
			pthread_cond_broadcast(&sandbox->changed);
		}
		pthread_cond_wait(&sandbox->changed, &sandbox->lock);
	}
	pthread_mutex_unlock(&sandbox->lock);
}

void weir_sandbox_run(void (*work)(void *context), void *context)
{
	struct weir_sandbox sandbox = {.work = work,
	                               .context = context,
	                               .depth = weir_region_depth(),
	                               .tried = weir_memory_is_tried()};
	pthread_t thread;

	if (!sandboxes.allowed || of_thread) {
		work(context);
		return;
	}
	pthread_mutex_init(&sandbox.lock, NULL);
	pthread_cond_init(&sandbox.changed, NULL);
	if (pthread_create(&thread, NULL, work_inside, &sandbox) == 0) {
		serve(&sandbox);
		pthread_join(thread, NULL);
	} else {
		atomic_store(&sandboxes.used, 0);
		work(context);
	}
	pthread_cond_destroy(&sandbox.changed);
	pthread_mutex_destroy(&sandbox.lock);
	if (sandbox.out_of_memory)
		weir_out_of_memory();
}
