/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <unistd.h>

#include "engine/base/pool.h"

struct pool {
	pthread_mutex_t lock;
	size_t next, count; /* next: under the lock */
	void (*work)(void *context, size_t index);
	void *context;
};

size_t weir_pool_width(size_t count)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
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

static void *work_off(void *argument)
{
	struct pool *pool = argument;

	for (size_t index; (index = take_next(pool)) < pool->count;)
		pool->work(pool->context, index);
	return NULL;
}

void weir_pool_run(size_t count, size_t width, void (*work)(void *context, size_t index),
                   void *context)
{
	struct pool pool = {.count = count, .work = work, .context = context};
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
}
