/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares figures of real traces to the nanosecond. Another program computed the figures in
 * tests/vectors from the same files, which are in tests/data/kineto or on the shelf.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/timeline/activity.h"
#include "engine/base/arena.h"
#include "engine/base/json.h"
#include "engine/readers/reader.h"
#include "tests/unit/shelf.h"

/* Vectors and the folder of their traces. */
struct corpus {
	const char *vectors, *folder;
	bool shelved;
};

static struct corpus captures = {"tests/vectors/kineto_captures.json", "tests/data/kineto", false};
static struct corpus samples = {"tests/vectors/kineto_activity.json", "samples/kineto", true};

struct figure {
	const char *name;
	double value;
};

/* The rows of one device and their classes of work. */
struct rows {
	const struct weir_trace *trace;
	size_t first, last;
	uint8_t *work;
};

static void find_rows(const struct weir_trace *trace, int64_t device_id, struct rows *rows)
{
	const struct weir_device_columns *device = &trace->device;

	*rows = (struct rows){.trace = trace, .work = weir_alloc(device->count + 1)};
	while (rows->first < device->count &&
	       trace->devices[device->device[rows->first]].id != device_id)
		rows->first++;
	for (rows->last = rows->first; rows->last < device->count; rows->last++)
		if (device->device[rows->last] != device->device[rows->first])
			break;
	for (size_t i = rows->first; i < rows->last; i++) {
		const char *name = weir_names_text(trace->names, device->name[i]);

		rows->work[i] = WEIR_WORK_COPY;
		if (device->kind[i] == WEIR_DEVICE_KERNEL)
			rows->work[i] = weir_kernel_is_communication(name) ? WEIR_WORK_COMM
			                                                   : WEIR_WORK_COMPUTE;
	}
}

static void span_of(const struct rows *rows, struct weir_intervals *windows)
{
	const struct weir_device_columns *device = &rows->trace->device;
	int64_t end = INT64_MIN;

	for (size_t i = rows->first; i < rows->last; i++)
		end = device->end_ns[i] > end ? device->end_ns[i] : end;
	if (rows->first < rows->last)
		weir_intervals_push(windows, device->start_ns[rows->first], end);
}

static size_t count_linked(const struct rows *rows, bool in_graphs)
{
	const struct weir_trace *trace = rows->trace;
	size_t count = 0;

	for (size_t i = rows->first; i < rows->last; i++) {
		uint32_t launch = trace->device.launch[i];
		const char *name;

		if (launch == WEIR_NONE)
			continue;
		name = weir_names_text(trace->names, trace->host.name[launch]);
		if (strncmp(name, "cu", 2) != 0 && strncmp(name, "hip", 3) != 0)
			continue; /* the vectors count links to CUDA and HIP calls */
		count += !in_graphs || weir_api_class(name) == WEIR_API_GRAPH_LAUNCH;
	}
	return count;
}

static void compare(const char *file, const cJSON *expected, const struct figure *figures,
                    int *wrong)
{
	for (; figures->name; figures++) {
		double want = NAN;

		weir_json_number(expected, figures->name, &want, NULL);
		if (want == figures->value)
			continue;
		print_error("%s: %s is %.0f, expected %.0f\n", file, figures->name, figures->value,
		            want);
		++*wrong;
	}
}

static void check_device(const char *file, const struct weir_trace *trace, const cJSON *expected,
                         int *wrong)
{
	struct weir_intervals windows = {0};
	struct weir_activity got;
	struct rows rows;
	double id = NAN;

	weir_json_number(expected, "device", &id, NULL);
	find_rows(trace, (int64_t)id, &rows);
	span_of(&rows, &windows);
	weir_activity_measure(trace, rows.first, rows.last, rows.work, &windows, &got);
	compare(file, expected,
	        (const struct figure[]){
			{"gpu_events", (double)(rows.last - rows.first)},
			{"span_ns", (double)got.window_ns},
			{"active_ns", (double)got.active_ns},
			{"idle_ns", (double)got.idle_ns},
			{"compute_ns", (double)got.compute_ns},
			{"communication_ns", (double)got.communication_ns},
			{"exposed_communication_ns", (double)got.exposed_communication_ns},
			{"memcpy_ns", (double)got.copy_ns},
			{"exposed_memcpy_ns", (double)got.exposed_copy_ns},
			{"sum_ns", (double)got.sum_ns},
			{"same_stream_overlaps", (double)got.stream_overlaps},
			{"linked", (double)count_linked(&rows, false)},
			{"graph_launched", (double)count_linked(&rows, true)},
			{NULL, 0},
		},
	        wrong);
	weir_intervals_release(&windows);
	free(rows.work);
}

static void check_case(const struct corpus *corpus, const cJSON *expected, int *wrong)
{
	const cJSON *devices = NULL, *device;
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	const char *file = NULL;
	char path[512];

	weir_json_text(expected, "file", &file, NULL);
	weir_json_array(expected, "devices", &devices, NULL);
	assert_non_null(file);
	assert_non_null(devices);
	snprintf(path, sizeof(path), "%s/%s", corpus->folder, file);
	if (weir_read_path(profile, corpus->shelved ? shelf_need(path) : path, NULL, &err)) {
		/* Only a trace without device work may be refused. */
		if (cJSON_GetArraySize(devices) > 0 || err.status != WEIR_E_EMPTY) {
			print_error("%s\n", err.message);
			++*wrong;
		}
	} else {
		const struct weir_trace *trace = profile->inputs[0].trace;

		assert_non_null(trace);
		if (cJSON_GetArraySize(devices) == 0)
			assert_int_equal(trace->device.count, 0);
		cJSON_ArrayForEach (device, devices)
			check_device(file, trace, device, wrong);
	}
	weir_profile_free(profile);
}

static void every_figure_is_exact(void **state)
{
	const struct corpus *corpus = *state;
	const cJSON *cases = NULL, *item;
	struct weir_error err = {0};
	cJSON *document = NULL;
	int wrong = 0;

	if (corpus->shelved)
		shelf_need(corpus->folder);
	if (weir_json_read_file(corpus->vectors, &document, &err))
		fail_msg("%s", err.message);
	weir_json_array(document, "cases", &cases, NULL);
	assert_true(cJSON_GetArraySize(cases) > 0);
	cJSON_ArrayForEach (item, cases)
		check_case(corpus, item, &wrong);
	cJSON_Delete(document);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(every_figure_is_exact, &captures),
		cmocka_unit_test_prestate(every_figure_is_exact, &samples),
	};

	return shelf_run_group_tests(tests);
}
