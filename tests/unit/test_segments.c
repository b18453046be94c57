/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every instant of a device's windows has one owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scene.h"

static void assert_segment(const struct scene *scene, size_t index, int64_t start_ns,
                           int64_t end_ns, uint32_t row)
{
	assert_true(index < scene->segments.count);
	assert_int_equal(scene->segments.items[index].start_ns, start_ns);
	assert_int_equal(scene->segments.items[index].end_ns, end_ns);
	assert_int_equal(scene->segments.items[index].row, row);
}

static void make_work(struct make_trace *make, const char *name, enum weir_device_kind kind,
                      int64_t start_ns, int64_t end_ns)
{
	make_device(make,
	            &(struct make_device_row){
			    .kind = kind, .name = name, .start_ns = start_ns, .end_ns = end_ns});
}

static void computation_hides_communication_and_communication_hides_copies(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_work(make, "Memcpy HtoD", WEIR_DEVICE_COPY, 0, 100);
	make_work(make, "ncclDevKernel_AllReduce", WEIR_DEVICE_KERNEL, 20, 80);
	make_work(make, "gemm", WEIR_DEVICE_KERNEL, 40, 60);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.segments.count, 5);
	assert_segment(&scene, 0, 0, 20, 0);
	assert_segment(&scene, 1, 20, 40, 1);
	assert_segment(&scene, 2, 40, 60, 2);
	assert_segment(&scene, 3, 60, 80, 1);
	assert_segment(&scene, 4, 80, 100, 0);
	assert_int_equal(scene.segments.items[2].work, WEIR_WORK_COMPUTE);
	scene_release(&scene);
}

static void within_a_class_a_row_keeps_its_time_and_the_furthest_takes_over(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_work(make, "a", WEIR_DEVICE_KERNEL, 0, 50);
	make_work(make, "b", WEIR_DEVICE_KERNEL, 10, 60);
	make_work(make, "c", WEIR_DEVICE_KERNEL, 20, 90);
	make_work(make, "d", WEIR_DEVICE_KERNEL, 30, 40);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.segments.count, 2);
	assert_segment(&scene, 0, 0, 50, 0);
	assert_segment(&scene, 1, 50, 90, 2);
	scene_release(&scene);
}

static void rows_without_length_own_nothing(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_kernel(make, 0, "instant", 10, 10, 0);
	make_kernel(make, 0, "instant", 20, 20, 0);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.segments.count, 1);
	assert_int_equal(scene.segments.items[0].busy, 0);
	assert_segment(&scene, 0, 10, 20, 1);
	scene_release(&scene);
}

static void a_trace_of_the_host_alone_has_no_segments(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 10);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.segments.count, 0);
	assert_int_equal(scene.groups.count, 0);
	scene_release(&scene);
}

static void devices_follow_each_other(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_work(make, "a", WEIR_DEVICE_KERNEL, 0, 50);
	make_device(make,
	            &(struct make_device_row){
			    .device = 1, .stream = 1, .name = "b", .start_ns = 20, .end_ns = 30});
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.segments.count, 2);
	assert_segment(&scene, 1, 20, 30, 1);
	assert_int_equal(scene.segments.items[1].device, 1);
	scene_release(&scene);
}

static void stretches_with_the_same_owner_are_one(void **state)
{
	struct weir_segments segments = {0};
	struct weir_segment segment = {.start_ns = 0, .end_ns = 10, .row = 1, .idle = 2};

	(void)state;
	weir_segments_push(&segments, &segment);
	segment = (struct weir_segment){.start_ns = 10, .end_ns = 20, .row = 1, .idle = 2};
	weir_segments_push(&segments, &segment);
	segment = (struct weir_segment){.start_ns = 20, .end_ns = 20, .row = 1, .idle = 3};
	weir_segments_push(&segments, &segment); /* nothing */
	segment = (struct weir_segment){.start_ns = 20, .end_ns = 30, .row = 1, .idle = 3};
	weir_segments_push(&segments, &segment);
	segment = (struct weir_segment){.start_ns = 31, .end_ns = 40, .row = 1, .idle = 3};
	weir_segments_push(&segments, &segment); /* behind a hole */
	assert_int_equal(segments.count, 3);
	assert_int_equal(segments.items[0].end_ns, 20);
	weir_segments_release(&segments);
}

/* The segments of one device: sorted, disjoint, and exactly its windows. */
static void assert_cover(const struct scene *scene, size_t device)
{
	struct weir_intervals covered = {0};
	const struct weir_intervals *windows = &scene->steps.windows[device];
	const struct weir_segment *before = NULL;

	for (size_t i = 0; i < scene->segments.count; i++) {
		const struct weir_segment *segment = &scene->segments.items[i];

		if (segment->device != device)
			continue;
		assert_true(segment->end_ns > segment->start_ns);
		assert_true(!before || before->end_ns <= segment->start_ns);
		weir_intervals_push(&covered, segment->start_ns, segment->end_ns);
		before = segment;
	}
	assert_int_equal(covered.count, windows->count);
	for (size_t i = 0; i < covered.count; i++) {
		assert_int_equal(covered.items[i].start_ns, windows->items[i].start_ns);
		assert_int_equal(covered.items[i].end_ns, windows->items[i].end_ns);
	}
	weir_intervals_release(&covered);
}

static void assert_owner(const struct scene *scene, const struct weir_segment *segment)
{
	const struct weir_device_columns *device = &scene->trace->device;

	assert_int_equal(device->device[segment->row], segment->device);
	assert_int_equal(scene->timeline.work[segment->row], segment->work);
	assert_true(device->start_ns[segment->row] <= segment->start_ns);
	assert_true(device->end_ns[segment->row] >= segment->end_ns);
	assert_int_equal(scene->steps.row_span[segment->row], segment->span);
}

/* Idle segments meet no work of their device; busy ones add up to what the sweep measures. */
static void assert_agrees(const struct scene *scene, size_t device)
{
	int64_t work_ns[WEIR_WORK_COUNT] = {0}, idle_ns = 0;
	struct weir_intervals busy = {0};
	struct weir_activity activity;
	size_t first = scene->timeline.first_row[device],
	       end = scene->timeline.first_row[device + 1];

	for (size_t i = first; i < end; i++)
		weir_intervals_push(&busy, scene->trace->device.start_ns[i],
		                    scene->trace->device.end_ns[i]);
	weir_activity_measure(scene->trace, first, end, scene->timeline.work,
	                      &scene->steps.windows[device], &activity);
	for (size_t i = 0; i < scene->segments.count; i++) {
		const struct weir_segment *segment = &scene->segments.items[i];
		struct weir_interval one = {segment->start_ns, segment->end_ns};

		if (segment->device != device)
			continue;
		if (segment->busy) {
			assert_owner(scene, segment);
			work_ns[segment->work] += weir_segment_ns(segment);
		} else {
			assert_int_equal(weir_intervals_common_ns(
						 &busy, &(struct weir_intervals){&one, 1, 1}),
			                 0);
			assert_true(segment->idle < WEIR_IDLE_COUNT);
			idle_ns += weir_segment_ns(segment);
		}
	}
	assert_int_equal(work_ns[WEIR_WORK_COMPUTE], activity.compute_ns);
	assert_int_equal(work_ns[WEIR_WORK_COMM], activity.exposed_communication_ns);
	assert_int_equal(work_ns[WEIR_WORK_COPY], activity.exposed_copy_ns);
	assert_int_equal(idle_ns, activity.idle_ns);
	weir_intervals_release(&busy);
}

static void random_segments_cover_the_windows_and_agree_with_the_activity(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct scene scene;

		scene_init(&scene, random_trace(&seed), round % 3 > 0);
		for (size_t d = 0; d < scene.trace->device_count; d++) {
			assert_cover(&scene, d);
			assert_agrees(&scene, d);
		}
		scene_release(&scene);
	}
}

/* Segments that one thread cuts, because other threads have pieces of work, too. */
struct alone {
	const struct scene *scene;
	struct weir_segments segments[2];
};

static void cut_alone(void *context, size_t index)
{
	struct alone *alone = context;

	scene_cut(alone->scene, &alone->segments[index]);
}

static void assert_same_segments(const struct weir_segments *a, const struct weir_segments *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct weir_segment *x = &a->items[i], *y = &b->items[i];

		assert_int_equal(x->start_ns, y->start_ns);
		assert_int_equal(x->end_ns, y->end_ns);
		assert_int_equal(x->row, y->row);
		assert_int_equal(x->span, y->span);
		assert_int_equal(x->device, y->device);
		assert_int_equal(x->busy, y->busy);
		assert_int_equal(x->work, y->work);
		assert_int_equal(x->idle, y->idle);
		assert_int_equal(x->flags, y->flags);
	}
	assert_int_equal(a->idle_names.count, b->idle_names.count);
	for (size_t i = 0; i < a->idle_names.count; i++) {
		const struct weir_idle_entry *x = &a->idle_names.entries[i],
					     *y = &b->idle_names.entries[i];

		assert_int_equal(x->name, y->name);
		assert_int_equal(x->in, y->in);
		assert_int_equal(x->idle, y->idle);
		assert_int_equal(x->count, y->count);
		assert_int_equal(x->ns, y->ns);
	}
}

static void several_threads_cut_the_same_segments_as_one(void **state)
{
	uint64_t seed = 4711;
	size_t compared = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct alone alone = {0};
		struct scene scene;

		scene_init(&scene, random_trace(&seed), round % 3 > 0);
		alone.scene = &scene;
		weir_pool_run(2, 2, cut_alone, &alone);
		for (int i = 0; i < 2; i++) {
			assert_same_segments(&scene.segments, &alone.segments[i]);
			weir_segments_release(&alone.segments[i]);
		}
		compared += scene.segments.count;
		scene_release(&scene);
	}
	assert_true(compared > 1000);
}

static void the_ends_of_the_clock_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", INT64_MIN, INT64_MAX);
	make_launch(make, INT64_MIN, INT64_MIN + 1, INT64_MIN, INT64_MIN + 10);
	make_launch(make, INT64_MIN + 2, INT64_MAX, INT64_MAX - 1, INT64_MAX);
	scene_init(&scene, make_trace_finish(make), true);
	assert_cover(&scene, 0);
	scene_release(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computation_hides_communication_and_communication_hides_copies),
		cmocka_unit_test(within_a_class_a_row_keeps_its_time_and_the_furthest_takes_over),
		cmocka_unit_test(rows_without_length_own_nothing),
		cmocka_unit_test(a_trace_of_the_host_alone_has_no_segments),
		cmocka_unit_test(devices_follow_each_other),
		cmocka_unit_test(stretches_with_the_same_owner_are_one),
		cmocka_unit_test(random_segments_cover_the_windows_and_agree_with_the_activity),
		cmocka_unit_test(several_threads_cut_the_same_segments_as_one),
		cmocka_unit_test(the_ends_of_the_clock_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
