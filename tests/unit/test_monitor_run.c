/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monitors and profiles of the host as one run: figures instead of samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rows/rows.h"
#include "tests/unit/near.h"

static struct weir_slice slice(const char *text)
{
	return (struct weir_slice){text, strlen(text)};
}

static struct weir_telemetry *add_monitor(struct weir_profile *profile)
{
	struct weir_telemetry *telemetry = weir_telemetry_new();

	weir_profile_add_input(profile, "monitor")->telemetry = telemetry;
	return telemetry;
}

static void add_power(struct weir_telemetry *telemetry, const char *id, double power_w)
{
	uint32_t device = weir_telemetry_device(telemetry, id, strlen(id));
	struct weir_telemetry_sample *sample = weir_telemetry_add(telemetry);

	sample->device = device;
	sample->at_ns = WEIR_NO_TIME;
	sample->value[WEIR_GAUGE_POWER_W] = power_w;
}

/* Writes the profile into a run, and frees the profile. */
static struct weir_run *run_of(struct weir_profile *profile)
{
	struct weir_run *run = weir_run_new();

	weir_run_add_monitors(profile, run);
	weir_profile_free(profile);
	return run;
}

static void expect_figure(const struct weir_run *run, const char *name, double value)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	if (!series)
		fail_msg("no %s", name);
	else
		assert_near(series->value[0], value, 1e-12);
}

static void a_monitor_gives_means_and_peaks_of_what_it_states(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_telemetry *telemetry = add_monitor(profile);
	struct weir_run *run;

	(void)state;
	add_power(telemetry, "0", 100);
	add_power(telemetry, "0", 200);
	run = run_of(profile);
	expect_figure(run, "power_mean_w", 150);
	expect_figure(run, "power_max_w", 200);
	assert_int_equal(run->metrics.count, 2);
	assert_true(weir_run_has_values(run));
	weir_run_free(run);
}

static void several_devices_have_figures_of_their_own(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_telemetry *telemetry = add_monitor(profile);
	struct weir_run *run;

	(void)state;
	add_power(telemetry, "3", 100);
	add_power(telemetry, "1", 300);
	run = run_of(profile);
	expect_figure(run, "power_mean_w", 200);
	expect_figure(run, "device@3/power_mean_w", 100);
	expect_figure(run, "device@1/power_max_w", 300);
	weir_run_free(run);
}

/* A UUID differs from host to host, so that no two runs would share a figure. */
static void devices_without_numbers_have_their_position(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_telemetry *telemetry = add_monitor(profile);
	struct weir_run *run;

	(void)state;
	add_power(telemetry, "GPU-5a3c", 100);
	add_power(telemetry, "GPU-77f0", 300);
	run = run_of(profile);
	expect_figure(run, "device@0/power_mean_w", 100);
	expect_figure(run, "device@1/power_mean_w", 300);
	weir_run_free(run);
}

static void instances_do_not_count_beside_their_device(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_telemetry *telemetry = add_monitor(profile);
	struct weir_run *run;

	(void)state;
	add_power(telemetry, "0", 100);
	add_power(telemetry, "0/1", 40);
	telemetry->devices[1].is_part = true;
	run = run_of(profile);
	expect_figure(run, "power_mean_w", 100);
	assert_null(weir_series_find(&run->metrics, "device@1/power_mean_w"));
	weir_run_free(run);
}

static void a_host_profile_gives_its_total_and_the_shares_of_large_functions(void **state)
{
	static const struct {
		const char *name;
		int64_t weight;
	} functions[] = {{"attend", 60}, {"sample", 36}, {"small", 4}};
	struct weir_profile *profile = weir_profile_new();
	struct weir_host_profile *host = weir_host_profile_new(WEIR_HOST_SAMPLES);
	struct weir_run *run;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		uint32_t frame = weir_host_frame(host, slice(functions[i].name), slice("x.py"));

		weir_host_weigh(host, weir_host_child(host, WEIR_HOST_ROOT, frame),
		                functions[i].weight);
	}
	weir_profile_add_input(profile, "host")->host_profile = host;
	run = run_of(profile);
	expect_figure(run, "host_total_samples", 100);
	expect_figure(run, "attend (x.py)/self_share", 0.6);
	expect_figure(run, "sample (x.py)/self_share", 0.36);
	assert_int_equal(run->metrics.count, 3);
	weir_run_free(run);
}

static void a_profile_without_samples_gives_no_value(void **state)
{
	struct weir_run *run = run_of(weir_profile_new());

	(void)state;
	assert_false(weir_run_has_values(run));
	weir_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_monitor_gives_means_and_peaks_of_what_it_states),
		cmocka_unit_test(several_devices_have_figures_of_their_own),
		cmocka_unit_test(devices_without_numbers_have_their_position),
		cmocka_unit_test(instances_do_not_count_beside_their_device),
		cmocka_unit_test(a_host_profile_gives_its_total_and_the_shares_of_large_functions),
		cmocka_unit_test(a_profile_without_samples_gives_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
