/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/requests/telemetry.h"
#include "engine/analysis/rows/rows.h"
#include "tests/unit/near.h"

#define S    INT64_C(1000000000)
#define HOUR (3600 * S)
#define DAY  (24 * HOUR)
#define NOON (20000 * DAY + 12 * HOUR) /* a day of 2024, UTC */
#define U    WEIR_GAUGE_UTILIZATION
#define P    WEIR_GAUGE_POWER_W

struct scene {
	struct weir_profile *profile;
	struct weir_arena *arena;
	struct weir_telemetry *telemetry; /* of the last monitor */
	struct weir_telemetry_figures figures;
};

static struct weir_telemetry *add_monitor(struct scene *scene)
{
	scene->telemetry = weir_telemetry_new();
	weir_profile_add_input(scene->profile, "test")->telemetry = scene->telemetry;
	return scene->telemetry;
}

static struct scene make_scene(void)
{
	struct scene scene = {.profile = weir_profile_new(), .arena = weir_arena_new()};

	add_monitor(&scene);
	return scene;
}

static void free_scene(struct scene *scene)
{
	weir_profile_free(scene->profile);
	weir_arena_free(scene->arena);
}

/* Adds a sample of a device, to be completed by the caller; valid until the next call. */
static struct weir_telemetry_sample *add(struct scene *scene, const char *device, int64_t at_ns,
                                         enum weir_gauge gauge, double value)
{
	uint32_t row = weir_telemetry_device(scene->telemetry, device, strlen(device));
	struct weir_telemetry_sample *sample = weir_telemetry_add(scene->telemetry);

	sample->device = row;
	sample->at_ns = at_ns;
	sample->value[gauge] = value;
	return sample;
}

static void add_reasons(struct scene *scene, int64_t at_ns, double utilization, uint32_t reasons)
{
	struct weir_telemetry_sample *sample = add(scene, "0", at_ns, U, utilization);

	sample->has_reasons = true;
	sample->reasons = reasons;
}

static const struct weir_telemetry_figures *figures(struct scene *scene, int64_t start_ns,
                                                    int64_t end_ns)
{
	memset(&scene->figures, 0xa5, sizeof(scene->figures));
	weir_telemetry_figures(scene->profile, start_ns, end_ns, scene->arena, &scene->figures);
	return &scene->figures;
}

static void figures_of_all_samples_hold_while_idle_too(void **state)
{
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *found;

	(void)state;
	add(&scene, "0", 1, U, 0)->value[WEIR_GAUGE_SM_CLOCK_MHZ] = 1200;
	add(&scene, "0", 2, U, 0)->value[WEIR_GAUGE_SM_CLOCK_MHZ] = 1400;
	add(&scene, "0", 3, WEIR_GAUGE_MEMORY_TOTAL_BYTES, 8);
	add(&scene, "0", 4, WEIR_GAUGE_MEMORY_ACTIVITY, 0.25);
	found = figures(&scene, 0, 0);
	assert_near(found->sm_clock_all_mhz, 1300, 1e-9);
	assert_near(found->memory_total_bytes, 8, 0);
	assert_near(found->memory_activity_all, 0.25, 0);
	add(&scene, "1", 3, WEIR_GAUGE_MEMORY_TOTAL_BYTES, 16);
	assert_true(isnan(figures(&scene, 0, 0)->memory_total_bytes));
	free_scene(&scene);
}

static void without_samples_nothing_is_known(void **state)
{
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *out = figures(&scene, NOON, NOON + S);

	(void)state;
	assert_int_equal(out->samples, 0);
	assert_int_equal(out->devices, 0);
	assert_null(out->device_name);
	assert_int_equal(out->span_ns, 0);
	assert_false(out->aligned);
	assert_true(isnan(out->utilization) && isnan(out->utilization_all));
	assert_true(isnan(out->power_w) && isnan(out->power_max_w) && isnan(out->power_limit_w));
	assert_true(isnan(out->power_capped) && isnan(out->thermal_capped));
	free_scene(&scene);
}

static void means_are_of_the_samples_in_use(void **state)
{
	static const double utilization[] = {0, 0.5, 1, 0}, power[] = {100, 300, 500, 120};
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *out;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct weir_telemetry_sample *sample =
			add(&scene, "0", NOON + i * S, U, utilization[i]);

		sample->value[P] = power[i];
		sample->value[WEIR_GAUGE_SM_CLOCK_MHZ] = 1000 + 100 * i;
		sample->value[WEIR_GAUGE_TEMPERATURE_C] = 40 + i;
		sample->value[WEIR_GAUGE_MEMORY_USED_BYTES] = 1e9 * i;
		sample->value[WEIR_GAUGE_TENSOR_ACTIVE] = 0.1 * i;
		sample->value[WEIR_GAUGE_POWER_LIMIT_W] = i < 2 ? 700 : 650;
	}
	out = figures(&scene, 0, 0);
	assert_int_equal(out->samples, 4);
	assert_int_equal(out->span_ns, 3 * S);
	assert_false(out->aligned);
	assert_near(out->utilization, 0.75, 1e-12);
	assert_near(out->utilization_all, 0.375, 1e-12);
	assert_near(out->power_w, 400, 1e-12);
	assert_near(out->power_max_w, 500, 0);
	assert_near(out->power_limit_w, 650, 0);
	assert_near(out->sm_clock_mhz, 1150, 1e-12);
	assert_true(isnan(out->sm_clock_max_mhz)); /* the highest seen is no maximum */
	assert_near(out->temperature_max_c, 43, 0);
	assert_near(out->memory_used_max_bytes, 3e9, 0);
	assert_near(out->tensor_active, 0.15, 1e-12);
	assert_true(isnan(out->sm_active) && isnan(out->dram_active));
	free_scene(&scene);
}

static void the_highest_clock_is_the_stated_one(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0", NOON, WEIR_GAUGE_SM_CLOCK_MHZ, 1980)->value[WEIR_GAUGE_SM_CLOCK_MAX_MHZ] =
		1755;
	assert_near(figures(&scene, 0, 0)->sm_clock_max_mhz, 1755, 0);
	free_scene(&scene);
}

static void reduced_clocks_are_a_share_of_the_samples_in_use(void **state)
{
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *out;

	(void)state;
	add_reasons(&scene, NOON, 0, WEIR_CLOCKS_POWER_CAP); /* idle: does not count */
	add_reasons(&scene, NOON + S, 1, WEIR_CLOCKS_POWER_CAP);
	add_reasons(&scene, NOON + 2 * S, 1, WEIR_CLOCKS_HW_POWER_BRAKE | WEIR_CLOCKS_HW_SLOWDOWN);
	add_reasons(&scene, NOON + 3 * S, 1, WEIR_CLOCKS_HW_THERMAL | WEIR_CLOCKS_SW_THERMAL);
	add_reasons(&scene, NOON + 4 * S, 1, WEIR_CLOCKS_APPLICATION | WEIR_CLOCKS_SYNC_BOOST);
	add(&scene, "0", NOON + 5 * S, U, 1); /* states no reasons */
	out = figures(&scene, 0, 0);
	assert_near(out->power_capped, 0.5, 1e-12);
	assert_near(out->thermal_capped, 0.25, 1e-12);
	free_scene(&scene);
}

/* Totals of two devices in turn: the total of device 0 grows by 30 % of the time, then its
 * driver is reloaded; device 1 is idle. */
static void running_totals_stand_in_for_reasons(void **state)
{
	static const double totals[] = {5e9, 5.3e9, 5.6e9, 0, 0.3e9};
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *out;

	(void)state;
	for (int i = 0; i < 5; i++) {
		add(&scene, "0", NOON + i * S, U, 1)->value[WEIR_GAUGE_POWER_CAPPED_NS] = totals[i];
		add(&scene, "1", NOON + i * S, U, 0)->value[WEIR_GAUGE_POWER_CAPPED_NS] =
			9e9 + 1e9 * i;
	}
	out = figures(&scene, 0, 0);
	assert_near(out->power_capped, 0.3, 1e-9);
	assert_true(isnan(out->thermal_capped));
	assert_int_equal(out->devices, 2);
	free_scene(&scene);
}

static void totals_without_times_are_ignored(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	for (int i = 0; i < 3; i++)
		add(&scene, "0", WEIR_NO_TIME, U, 1)->value[WEIR_GAUGE_THERMAL_NS] = 1e9 * i;
	assert_true(isnan(figures(&scene, 0, 0)->thermal_capped));
	assert_int_equal(scene.figures.span_ns, 0);
	free_scene(&scene);
}

static void without_utilization_power_above_the_idle_level_is_use(void **state)
{
	static const double power[] = {100, 130, 104, 500, 460};
	struct scene scene = make_scene();

	(void)state;
	for (int i = 0; i < 5; i++)
		add(&scene, "0", NOON + i * S, P, power[i]);
	assert_near(figures(&scene, 0, 0)->power_w, 480, 1e-12);
	free_scene(&scene);
}

static void constant_power_counts_as_use(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0", NOON, P, 438);
	add(&scene, "0", NOON + S, P, 440);
	assert_near(figures(&scene, 0, 0)->power_w, 439, 1e-12);
	free_scene(&scene);
}

static void without_utilization_the_idle_bit_decides(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct weir_telemetry_sample *sample = add(&scene, "0", NOON + i * S, P, 100 + i);

		sample->has_reasons = true;
		sample->reasons = i < 3 ? WEIR_CLOCKS_IDLE : 0;
	}
	assert_near(figures(&scene, 0, 0)->power_w, 103, 1e-12);
	free_scene(&scene);
}

static void activity_of_multiprocessors_takes_precedence_over_power(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0", NOON, P, 500)->value[WEIR_GAUGE_SM_ACTIVE] = 0;
	add(&scene, "0", NOON + S, P, 100)->value[WEIR_GAUGE_SM_ACTIVE] = 0.25;
	assert_near(figures(&scene, 0, 0)->sm_active, 0.25, 1e-12);
	assert_near(scene.figures.power_w, 100, 1e-12);
	free_scene(&scene);
}

static void only_samples_inside_the_window_count(void **state)
{
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *out;

	(void)state;
	for (int i = 0; i < 10; i++)
		add(&scene, "0", NOON + i * S, U, i / 10.0);
	out = figures(&scene, NOON + 2 * S, NOON + 5 * S); /* half-open */
	assert_true(out->aligned);
	assert_int_equal(out->samples, 3);
	assert_int_equal(out->span_ns, 2 * S);
	assert_near(out->utilization, 0.3, 1e-12);
	out = figures(&scene, NOON + 20 * S, NOON + 30 * S);
	assert_false(out->aligned);
	assert_int_equal(out->samples, 10);
	free_scene(&scene);
}

static void local_times_move_by_whole_quarters_of_an_hour(void **state)
{
	static const int64_t quarters[] = {0, 4, -20, 22, 23, 31, 51, 56, -48};
	struct scene scene = make_scene();

	(void)state;
	scene.telemetry->local_time = true;
	for (int i = 0; i < 20; i++)
		add(&scene, "0", NOON + i * S, U, i / 20.0);
	for (size_t i = 0; i < sizeof(quarters) / sizeof(quarters[0]); i++) {
		int64_t utc = NOON - quarters[i] * 900 * S;
		const struct weir_telemetry_figures *out = figures(&scene, utc, utc + 5 * S);

		assert_true(out->aligned);
		assert_int_equal(out->samples, 5);
		assert_near(out->utilization_all, 0.1, 1e-12);
	}
	/* No time zone is that far off, and no clock is wrong by minutes. */
	assert_false(figures(&scene, NOON - 15 * HOUR, NOON - 15 * HOUR + 5 * S)->aligned);
	assert_false(figures(&scene, NOON + 13 * HOUR, NOON + 13 * HOUR + 5 * S)->aligned);
	assert_false(figures(&scene, NOON + 300 * S, NOON + 305 * S)->aligned);
	free_scene(&scene);
}

static void of_equal_shifts_the_smallest_is_taken(void **state)
{
	struct scene scene = make_scene();
	const struct weir_telemetry_window window = {NOON, NOON + S};

	(void)state;
	scene.telemetry->local_time = true;
	for (int64_t i = -8; i <= 8; i++) /* a sample every quarter of an hour */
		add(&scene, "0", NOON + INT64_C(900) * i * S, U, 1);
	assert_int_equal(weir_telemetry_shift(scene.telemetry, window), 0);
	add(&scene, "0", NOON + INT64_C(3600) * S + 1, U, 1); /* one more an hour later */
	assert_int_equal(weir_telemetry_shift(scene.telemetry, window), -HOUR);
	free_scene(&scene);
}

static void times_in_utc_do_not_move(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0", NOON + HOUR, U, 1);
	assert_false(figures(&scene, NOON, NOON + S)->aligned);
	free_scene(&scene);
}

static void a_clock_without_a_date_is_tried_on_the_days_around(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	scene.telemetry->local_time = scene.telemetry->no_date = true;
	add(&scene, "0", 23 * HOUR + 3599 * S, U, 0.25);
	add(&scene, "0", DAY + S, U, 0.75); /* past midnight */
	for (int64_t zone = -12; zone <= 14; zone++) {
		int64_t midnight = NOON + 12 * HOUR - zone * HOUR;

		assert_near(figures(&scene, midnight, midnight + 2 * S)->utilization, 0.75, 0);
		assert_near(figures(&scene, midnight - 2 * S, midnight)->utilization, 0.25, 0);
		assert_true(scene.figures.aligned);
	}
	free_scene(&scene);
}

static void if_one_monitor_is_aligned_the_others_do_not_count(void **state)
{
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *out;

	(void)state;
	add(&scene, "0", WEIR_NO_TIME, U, 0.2);
	add_monitor(&scene);
	add(&scene, "0", NOON, U, 0.6);
	out = figures(&scene, NOON, NOON + S);
	assert_int_equal(out->samples, 1);
	assert_near(out->utilization, 0.6, 0);
	out = figures(&scene, 0, 0);
	assert_int_equal(out->samples, 2);
	assert_near(out->utilization, 0.4, 1e-12);
	assert_int_equal(out->devices, 1); /* both have the same id */
	free_scene(&scene);
}

static void the_device_is_named_as_the_first_that_has_a_name(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0", NOON, U, 1);
	add(&scene, "1", NOON, U, 1);
	weir_telemetry_name_device(scene.telemetry, 1, "NVIDIA H200", strlen("NVIDIA H200"));
	assert_string_equal(figures(&scene, 0, 0)->device_name, "NVIDIA H200");
	assert_int_equal(scene.figures.devices, 2);
	free_scene(&scene);
}

static void parts_do_not_repeat_what_their_device_states(void **state)
{
	const struct weir_telemetry_figures *out;
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "GPU-I 0", NOON, U, 0);
	add(&scene, "GPU-I 1", NOON, U, 0.75);
	scene.telemetry->devices[0].is_part = scene.telemetry->devices[1].is_part = true;
	out = figures(&scene, 0, 0);
	assert_near(out->utilization_all, 0.375, 1e-12);
	assert_int_equal(out->samples, 2);
	assert_int_equal(out->devices, 2);
	add(&scene, "0", NOON, U, 0.4);
	out = figures(&scene, 0, 0);
	assert_near(out->utilization_all, 0.4, 1e-12);
	assert_int_equal(out->samples, 1);
	assert_int_equal(out->devices, 1);
	add(&scene, "GPU-I 1", NOON, WEIR_GAUGE_SM_ACTIVE, 0.5);
	out = figures(&scene, 0, 0);
	assert_near(out->sm_active, 0.5, 1e-12);
	assert_near(out->utilization_all, 0.4, 1e-12);
	assert_int_equal(out->samples, 2);
	assert_int_equal(out->devices, 1);
	free_scene(&scene);
}

static void parts_of_a_known_gpu_are_one_device(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0/1", NOON, U, 0.5);
	add(&scene, "0/2", NOON, U, 0.5);
	assert_int_equal(figures(&scene, 0, 0)->devices, 2);
	scene.telemetry->devices[0].is_part = scene.telemetry->devices[1].is_part = true;
	assert_int_equal(figures(&scene, 0, 0)->devices, 1);
	free_scene(&scene);
}

static void a_part_without_the_id_of_its_gpu_is_a_device(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "/3", 0, U, 0.5);
	scene.telemetry->devices[0].is_part = true;
	assert_int_equal(figures(&scene, 0, 0)->devices, 1);
	free_scene(&scene);
}

static void devices_of_several_names_are_mixed(void **state)
{
	const struct weir_telemetry_figures *out;
	struct scene scene = make_scene();

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		add(&scene, (const char *[]){"a", "b", "c", "d", "e", "f"}[i], NOON, U, 1);
	for (uint32_t i = 0; i < 6; i++)
		weir_telemetry_name_device(scene.telemetry, i, "X", 1);
	out = figures(&scene, 0, 0);
	assert_string_equal(out->device_name, "X");
	assert_false(out->mixed_devices);
	free_scene(&scene);
	scene = make_scene();
	for (uint32_t i = 0; i < 5; i++)
		add(&scene, (const char *[]){"a", "b", "c", "d", "e"}[i], NOON, U, 1);
	for (uint32_t i = 0; i < 2; i++)
		weir_telemetry_name_device(scene.telemetry, i, i ? "Y" : "X", 1);
	out = figures(&scene, 0, 0);
	assert_string_equal(out->device_name, "X, Y");
	assert_true(out->mixed_devices);
	for (uint32_t i = 2; i < 5; i++)
		weir_telemetry_name_device(scene.telemetry, i,
		                           i == 2   ? "Z"
		                           : i == 3 ? "V"
		                                    : "W",
		                           1);
	assert_string_equal(figures(&scene, 0, 0)->device_name, "X, Y, Z, V, ...");
	free_scene(&scene);
}

static void a_name_in_another_file_names_the_same_device(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0", NOON, U, 1);
	add_monitor(&scene);
	add(&scene, "0", NOON, P, 1);
	weir_telemetry_name_device(scene.telemetry, 0, "X", 1);
	assert_string_equal(figures(&scene, 0, 0)->device_name, "X");
	assert_false(scene.figures.mixed_devices);
	free_scene(&scene);
}

static void traffic_is_a_mean_over_all_samples(void **state)
{
	const struct weir_telemetry_figures *out;
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "0", NOON, U, 1);
	assert_false(figures(&scene, 0, 0)->has_transfers);
	add(&scene, "0", NOON, U, 1)->value[WEIR_GAUGE_LINK_SENT_BYTES_PER_S] = 4e9;
	add(&scene, "0", NOON, U, 1)->value[WEIR_GAUGE_LINK_SENT_BYTES_PER_S] = 2e9;
	add(&scene, "0", NOON, U, 0)->value[WEIR_GAUGE_LINK_SENT_BYTES_PER_S] = 9e9;
	out = figures(&scene, 0, 0);
	assert_true(out->has_transfers);
	assert_near(out->transfers.link_sent_bytes_per_s, 5e9, 0);
	assert_true(isnan(out->transfers.link_received_bytes_per_s));
	free_scene(&scene);
}

static double capped(double first, double second, int64_t apart_ns, double utilization)
{
	struct scene scene = make_scene();
	double share;

	add(&scene, "0", NOON, WEIR_GAUGE_POWER_CAPPED_NS, first)->value[U] = 1;
	add(&scene, "0", NOON + apart_ns, WEIR_GAUGE_POWER_CAPPED_NS, second)->value[U] =
		utilization;
	share = figures(&scene, 0, 0)->power_capped;
	free_scene(&scene);
	return share;
}

static void two_samples_of_a_total_give_its_growth(void **state)
{
	(void)state;
	assert_near(capped(5e8, 75e7, S, 1), 0.25, 1e-12);
	assert_near(capped(5e8, 5e8, S, 1), 0, 0);
	assert_near(capped(5e8, 4e8, S, 1), NAN, 0);  /* the driver was reloaded */
	assert_near(capped(5e8, 6e8, 0, 1), NAN, 0);  /* no time has passed */
	assert_near(capped(5e8, 75e7, S, 0), NAN, 0); /* the device was idle */
	assert_near(capped(NAN, 75e7, S, 1), NAN, 0);
}

/* Expects the busiest and the idlest device; NULL: none. */
static void expect_extremes(const struct weir_telemetry_figures *out, const char *busiest,
                            const char *idlest)
{
	if (!busiest) {
		assert_null(out->busiest.id);
		assert_null(out->idlest.id);
		return;
	}
	assert_string_equal(out->busiest.id, busiest);
	assert_string_equal(out->idlest.id, idlest);
}

static void the_busiest_and_the_idlest_device_are_found(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "a", NOON, U, 0.5)->value[P] = 100;
	expect_extremes(figures(&scene, 0, 0), NULL, NULL);
	add(&scene, "b", NOON, U, 0.25)->value[P] = 300;
	expect_extremes(figures(&scene, 0, 0), "a", "b");
	add(&scene, "c", NOON, P, 50);
	expect_extremes(figures(&scene, 0, 0), "a", "b");
	add(&scene, "b", NOON + S, U, 1);
	expect_extremes(figures(&scene, 0, 0), "b", "a");
	assert_near(scene.figures.busiest.utilization, 0.625, 1e-12);
	assert_near(scene.figures.busiest.power_w, 300, 1e-12);
	assert_int_equal(scene.figures.busiest.alike, 1);
	add(&scene, "d", NOON, U, 0.625);
	assert_int_equal(figures(&scene, 0, 0)->busiest.alike, 2);
	assert_int_equal(scene.figures.idlest.alike, 1);
	free_scene(&scene);
}

static void without_utilisation_power_tells_the_busiest_device(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add(&scene, "a", NOON, P, 100);
	add(&scene, "b", NOON, P, 300);
	add(&scene, "c", NOON, U, 0.5);
	expect_extremes(figures(&scene, 0, 0), "b", "a");
	assert_true(isnan(scene.figures.busiest.utilization));
	free_scene(&scene);
}

/* Expects the notes on the samples of a scene, which it frees. */
static void expect_notes(struct scene *scene, const char *first, const char *second)
{
	struct weir_report *report = weir_report_new(scene->profile);

	report->has_telemetry = true;
	weir_telemetry_figures(scene->profile, 0, 0, report->arena, &report->telemetry);
	weir_note_telemetry(report);
	assert_int_equal(report->note_count, (first != NULL) + (second != NULL));
	if (first)
		assert_string_equal(report->notes[0].text, first);
	if (second)
		assert_string_equal(report->notes[1].text, second);
	weir_report_free(report);
	free_scene(scene);
}

static void reasons_for_the_clocks_are_noted(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	for (int i = 0; i < 100; i++)
		add_reasons(&scene, NOON + i * S, 0.5,
		            i == 0   ? WEIR_CLOCKS_IDLE | WEIR_CLOCKS_SYNC_BOOST
		            : i < 20 ? WEIR_CLOCKS_IDLE
		                     : WEIR_CLOCKS_POWER_CAP);
	assert_near(weir_reason_share(scene.profile, WEIR_CLOCKS_IDLE), 0.2, 1e-9);
	expect_notes(&scene,
	             "reasons for the clocks, of all samples: idle 20 %, boost in step with other "
	             "devices 1 %",
	             NULL);
	scene = make_scene();
	add_reasons(&scene, NOON, 0.5, 0);
	expect_notes(&scene, NULL, NULL);
	scene = make_scene();
	assert_true(isnan(weir_reason_share(scene.profile, WEIR_CLOCKS_IDLE)));
	add(&scene, "0", NOON, U, 0.5);
	expect_notes(&scene, NULL, NULL);
}

static void idle_in_all_samples_is_said(void **state)
{
	struct scene scene = make_scene();

	(void)state;
	add_reasons(&scene, NOON, NAN, WEIR_CLOCKS_IDLE);
	add(&scene, "0", NOON + S, P, 12)->value[WEIR_GAUGE_MEMORY_CLOCK_MHZ] = 400;
	scene.telemetry->samples[1].has_reasons = true;
	scene.telemetry->samples[1].reasons = WEIR_CLOCKS_IDLE;
	add_reasons(&scene, NOON + 2 * S, NAN, WEIR_CLOCKS_IDLE);
	expect_notes(&scene, "the GPU was idle in all samples, as the reasons for the clocks say",
	             "means over all samples: power 12 W, memory clock 400 MHz");
}

static void the_power_of_a_board_is_apart(void **state)
{
	struct scene scene = make_scene();
	const struct weir_telemetry_figures *out;

	(void)state;
	add(&scene, "0", NOON, U, 0)->value[WEIR_GAUGE_BOARD_POWER_W] = 9;
	add(&scene, "0", NOON + S, U, 1)->value[WEIR_GAUGE_BOARD_POWER_W] = 4;
	out = figures(&scene, 0, 0);
	assert_near(out->board_power_w, 4, 1e-12);
	assert_near(out->board_power_max_w, 9, 1e-12);
	assert_true(isnan(out->power_w) && isnan(out->power_max_w));
	free_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_all_samples_hold_while_idle_too),
		cmocka_unit_test(without_samples_nothing_is_known),
		cmocka_unit_test(means_are_of_the_samples_in_use),
		cmocka_unit_test(the_highest_clock_is_the_stated_one),
		cmocka_unit_test(reduced_clocks_are_a_share_of_the_samples_in_use),
		cmocka_unit_test(running_totals_stand_in_for_reasons),
		cmocka_unit_test(totals_without_times_are_ignored),
		cmocka_unit_test(without_utilization_power_above_the_idle_level_is_use),
		cmocka_unit_test(constant_power_counts_as_use),
		cmocka_unit_test(without_utilization_the_idle_bit_decides),
		cmocka_unit_test(activity_of_multiprocessors_takes_precedence_over_power),
		cmocka_unit_test(only_samples_inside_the_window_count),
		cmocka_unit_test(local_times_move_by_whole_quarters_of_an_hour),
		cmocka_unit_test(of_equal_shifts_the_smallest_is_taken),
		cmocka_unit_test(times_in_utc_do_not_move),
		cmocka_unit_test(a_clock_without_a_date_is_tried_on_the_days_around),
		cmocka_unit_test(if_one_monitor_is_aligned_the_others_do_not_count),
		cmocka_unit_test(the_device_is_named_as_the_first_that_has_a_name),
		cmocka_unit_test(parts_do_not_repeat_what_their_device_states),
		cmocka_unit_test(parts_of_a_known_gpu_are_one_device),
		cmocka_unit_test(a_part_without_the_id_of_its_gpu_is_a_device),
		cmocka_unit_test(devices_of_several_names_are_mixed),
		cmocka_unit_test(a_name_in_another_file_names_the_same_device),
		cmocka_unit_test(traffic_is_a_mean_over_all_samples),
		cmocka_unit_test(two_samples_of_a_total_give_its_growth),
		cmocka_unit_test(the_busiest_and_the_idlest_device_are_found),
		cmocka_unit_test(without_utilisation_power_tells_the_busiest_device),
		cmocka_unit_test(reasons_for_the_clocks_are_noted),
		cmocka_unit_test(idle_in_all_samples_is_said),
		cmocka_unit_test(the_power_of_a_board_is_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
