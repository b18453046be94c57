/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads real output of nvidia-smi on the shelf: tables of samples must be read without a warning,
 * everything else must be refused with its reason. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/reader.h"
#include "tests/unit/shelf.h"

#define SECTIONS "samples/nvidia_smi/sections"
#define CAPTURES "samples/nvidia_smi/captures"
#define PROFILES "profiles/telemetry"

/* The expected result by the end of a file's name; reason NULL: the file is read. */
static const struct {
	const char *ending, *format, *reason;
} kinds[] = {
	{"query_gpu.csv", "nvidia-smi", NULL},
	{"nvidia-smi.csv.gz", "nvidia-smi", NULL},
	{"dmon.txt", "nvidia-smi-dmon", NULL},
	{"mig_590.48.01__load__pmon.txt", NULL, "pmon"},
	{"load__pmon.txt", "nvidia-smi-pmon", NULL},
	{"pmon.txt", NULL, "pmon"},
	{"compute_apps.csv", NULL, "--query-compute-apps"},
	{"591.86_win__capabilities__topo_m.txt", NULL, "did not understand its options"},
	{"topo_m.txt", NULL, "topology"},
	{".txt", NULL, "transcript"},
};

static bool ends_with(const char *name, const char *ending)
{
	size_t length = strlen(name), tail = strlen(ending);

	return length >= tail && !strcmp(name + length - tail, ending);
}

static void check_samples(const char *path, const struct weir_input *input, const char *format)
{
	const struct weir_telemetry *telemetry = input->telemetry;

	assert_string_equal(input->format, format);
	if (telemetry->count == 0)
		fail_msg("%s: no sample", path);
	for (size_t i = 0; i < WEIR_WARN_COUNT; i++)
		if (input->warnings[i].count)
			fail_msg("%s: warning %zu", path, i);
	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];

		if (!strcmp(format, "nvidia-smi-pmon")) { /* states use alone */
			if (isnan(sample->value[WEIR_GAUGE_UTILIZATION]))
				fail_msg("%s: sample %zu lacks use", path, i);
			continue;
		}
		if (isnan(sample->value[WEIR_GAUGE_POWER_W]) ||
		    isnan(sample->value[WEIR_GAUGE_SM_CLOCK_MHZ]) ||
		    isnan(sample->value[WEIR_GAUGE_TEMPERATURE_C]))
			fail_msg("%s: sample %zu lacks power, clock or temperature", path, i);
	}
}

static void check_file(const char *path)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	enum weir_status status = weir_read_path(profile, path, NULL, &err);
	size_t kind = 0;

	while (!ends_with(path, kinds[kind].ending))
		kind++;
	if (kinds[kind].reason) {
		assert_int_equal(status, WEIR_E_FORMAT);
		if (!strstr(err.message, kinds[kind].reason))
			fail_msg("\"%s\" is not in: %s", kinds[kind].reason, err.message);
	} else {
		if (status)
			fail_msg("%s", err.message);
		check_samples(path, &profile->inputs[0], kinds[kind].format);
	}
	weir_profile_free(profile);
}

static void check_folder(const char *name)
{
	const char *folder = shelf_need(name);
	DIR *stream = opendir(folder);
	struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream)) != NULL) {
		struct weir_text path = {0};

		if (entry->d_name[0] == '.')
			continue;
		weir_text_printf(&path, "%s/%s", folder, entry->d_name);
		check_file(path.data);
		weir_text_release(&path);
	}
	closedir(stream);
}

static void sections_read_or_are_refused_with_their_reason(void **state)
{
	(void)state;
	check_folder(SECTIONS);
}

static void transcripts_are_refused(void **state)
{
	(void)state;
	check_folder(CAPTURES);
}

static void our_recordings_read_without_a_warning(void **state)
{
	(void)state;
	check_file("tests/data/monitors/h200.nvidia-smi.csv.gz");
	check_file("tests/data/monitors/h200.dmon.txt");
}

static void recorded_profiles_read_without_a_warning(void **state)
{
	(void)state;
	check_folder(PROFILES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_read_or_are_refused_with_their_reason),
		cmocka_unit_test(transcripts_are_refused),
		cmocka_unit_test(our_recordings_read_without_a_warning),
		cmocka_unit_test(recorded_profiles_read_without_a_warning),
	};

	return shelf_run_group_tests(tests);
}
