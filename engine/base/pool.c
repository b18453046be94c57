/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"
#include "engine/base/sandbox.h"

struct pool {
	pthread_mutex_t lock;
	size_t next, count; /* `next` needs the lock */
	void (*work)(void *context, size_t index);
	void *context;
	unsigned depth;               /* nesting depth of the caller's regions */
	struct weir_sandbox *sandbox; /* of the caller */
	bool shared;                  /* several threads work */
	bool tried;                   /* the caller is inside weir_memory_try() */
	bool out_of_memory;           /* needs the lock */
};

/* True on a thread that works on a piece while other threads work on others. */
static _Thread_local bool in_shared_pool;

/* Returns the number of processors on which this process may run: taskset(1) and containers limit
 * it. */
static long count_processors(void)
{
#ifdef CPU_COUNT
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return CPU_COUNT(&set);
#endif
	return sysconf(_SC_NPROCESSORS_ONLN); /* also for more processors than the set holds */
}

size_t weir_pool_width(size_t count)
{
	/* The system is not asked for one piece: analyses of many small threads have one each. */
	long processors = in_shared_pool || count <= 1 ? 1 : count_processors();
	size_t width = processors > 0 ? (size_t)processors : 1;

	if (width > WEIR_POOL_MAX_WIDTH)
		width = WEIR_POOL_MAX_WIDTH;
	if (width > count)
		width = count;
	return width > 0 ? width : 1;
}

static size_t take_next(struct pool *pool)
{
	size_t index;

	pthread_mutex_lock(&pool->lock);
	index = pool->next < pool->count ? pool->next++ : pool->count;
	pthread_mutex_unlock(&pool->lock);
	return index;
}

static void take_all(void *context)
{
	struct pool *pool = context;

	for (size_t index; (index = take_next(pool)) < pool->count;)
		pool->work(pool->context, index);
}

/* Ends the work after memory ran out. Another thread cannot jump to the caller's weir_memory_try():
 * therefore no further piece starts, and the caller fails after all threads have ended. */
static void give_up(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->next = pool->count;
	pool->out_of_memory = true;
	pthread_mutex_unlock(&pool->lock);
}

static void *work_off(void *argument)
{
	struct pool *pool = argument;
	bool outer = in_shared_pool;

	weir_region_nest(pool->depth);
	weir_sandbox_join(pool->sandbox);
	in_shared_pool |= pool->shared;
	if (!pool->tried)
		take_all(pool);
	else if (!weir_memory_try(take_all, pool))
		give_up(pool);
	in_shared_pool = outer;
	return NULL;
}

void weir_pool_run(size_t count, size_t width, void (*work)(void *context, size_t index),
                   void *context)
{
	struct pool pool = {.count = count,
	                    .work = work,
	                    .context = context,
	                    .depth = weir_region_depth(),
	                    .sandbox = weir_sandbox_of_thread(),
	                    .shared = width > 1 && count > 1,
	                    .tried = weir_memory_is_tried()};
	pthread_t threads[WEIR_POOL_MAX_WIDTH];
	size_t started = 0;

	pthread_mutex_init(&pool.lock, NULL);
	while (started + 1 < width && started < WEIR_POOL_MAX_WIDTH - 1 &&
	       pthread_create(&threads[started], NULL, work_off, &pool) == 0)
		started++;
	work_off(&pool);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&pool.lock);
	if (pool.out_of_memory)
		weir_out_of_memory();
}
