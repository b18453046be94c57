/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of nvidia-smi -q: a sample of each device for each report. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"
#include "tests/unit/near.h"

#define DATA   "tests/data/monitors/report.txt"
#define XML    "tests/data/monitors/report.xml"
#define REPORT (&weir_reader_smi_report)
#define LOG    "==============NVSMI LOG==============\n\nTimestamp  : Tue Jan  6 10:00:00 2026\n"
#define GPU    "GPU 00000000:86:00.0\n"
#define USE    "    Utilization\n        Gpu                   : 35 %\n"
#define AT     "00000000:86:00.0 @1767693600000000000 "

static void each_report_gives_a_sample_of_each_device(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(REPORT, DATA, profile);
	const struct weir_telemetry *telemetry = input->telemetry;
	const struct weir_telemetry_sample *sample = telemetry->samples;

	(void)state;
	assert_int_equal(telemetry->count, 4);
	assert_int_equal(telemetry->device_count, 2);
	assert_true(telemetry->local_time);
	assert_string_equal(telemetry->devices[0].name, "NVIDIA H100 80GB HBM3");
	assert_int_equal(sample[2].at_ns - sample[0].at_ns, INT64_C(10000000000));
	assert_true(sample[0].value[WEIR_GAUGE_UTILIZATION] == 0.97);
	assert_true(sample[0].value[WEIR_GAUGE_MEMORY_USED_BYTES] == 40310 * 1048576.0);
	assert_true(sample[0].value[WEIR_GAUGE_POWER_W] == 688.12);
	assert_true(sample[0].value[WEIR_GAUGE_SM_CLOCK_MAX_MHZ] == 1980);
	assert_int_equal(sample[0].reasons, WEIR_CLOCKS_POWER_CAP);
	assert_int_equal(sample[1].reasons, 0);
	assert_true(isnan(sample[3].value[WEIR_GAUGE_MEMORY_TEMPERATURE_C]));
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(input->warnings[code].count, 0);
	weir_profile_free(profile);
}

static void xml_gives_the_same(void **state)
{
	struct weir_profile *profile = weir_profile_new(), *other = weir_profile_new();
	const struct weir_telemetry_sample *text =
		reading_file(REPORT, DATA, profile)->telemetry->samples;
	const struct weir_telemetry *xml = reading_file(REPORT, XML, other)->telemetry;

	(void)state;
	assert_int_equal(xml->count, 1);
	assert_string_equal(xml->devices[0].name, "NVIDIA H100 80GB HBM3");
	assert_int_equal(xml->samples[0].at_ns, text->at_ns);
	assert_int_equal(xml->samples[0].reasons, WEIR_CLOCKS_POWER_CAP);
	for (int i = WEIR_GAUGE_UTILIZATION; i <= WEIR_GAUGE_SM_CLOCK_MHZ; i++)
		assert_true(xml->samples[0].value[i] == text->value[i]);
	weir_profile_free(profile);
	weir_profile_free(other);
}

static void displays_of_all_drivers_give_their_figures(void **state)
{
	static const struct {
		const char *lines, *sample;
	} cases[] = {
		{USE, "utilization=0.35\n"},
		{"    Utilization\n        GPU  : 35 %\n", "utilization=0.35\n"},
		{"    Memory Usage\n        Total : 2 MB\n        Used : 1 MB\n",
	         "memory_used_bytes=1048576 memory_total_bytes=2097152\n"},
		{"    Power Readings\n        Power Draw : 29.00 W\n        Power Limit : 70.00 W\n"
	         "        Default Power Limit : 75.00 W\n        Max Power Limit : 80.00 W\n",
	         "power_w=29 power_limit_w=70\n"},
		{"    GPU Power Readings\n        Average Power Draw : 29 W\n"
	         "        Instantaneous Power Draw : 31 W\n    Power Samples\n        Avg : 7 W\n",
	         "power_w=29\n"},
		{"    Temperature\n        Gpu : 60 C\n", "temperature_c=60\n"},
		{"    Clocks Throttle Reasons\n        Idle : Not Active\n        HW Slowdown : "
	         "Active\n            HW Thermal Slowdown : Active\n",
	         "reasons=0x48\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0}, expected = {0};

		weir_text_printf(&text, "%s%s%s", LOG, GPU, cases[i].lines);
		weir_text_printf(&expected, "%s%s", AT, cases[i].sample);
		expect_samples(REPORT, text.data, expected.data);
		weir_text_release(&text);
		weir_text_release(&expected);
	}
}

#define XML_LOG "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n"
#define XML_GPU(id, body)                                                                          \
	"\t<gpu id=\"" id "\">\n" body "\t\t<utilization>\n"                                       \
	"\t\t\t<gpu_util>35 %%</gpu_util>\n\t\t</utilization>\n\t</gpu>\n"
#define XML_END "</nvidia_smi_log>\n"
#define MIG(id)                                                                                    \
	"\t\t\t<mig_device>\n\t\t\t\t<index>" id "</index>\n\t\t\t\t<device_attributes>\n"         \
	"\t\t\t\t\t<shared>\n\t\t\t\t\t\t<multiprocessor_count>42</multiprocessor_count>\n"        \
	"\t\t\t\t\t</shared>\n\t\t\t\t</device_attributes>\n\t\t\t\t<fb_memory_usage>\n"           \
	"\t\t\t\t\t<total>20096 MiB</total>\n\t\t\t\t\t<used>19 MiB</used>\n"                      \
	"\t\t\t\t</fb_memory_usage>\n\t\t\t</mig_device>\n"

/* Drivers since 450 write <mig_devices> of an undivided GPU with the text None on its own line. */
static void texts_between_tags_do_not_hide_the_figures_below(void **state)
{
	static const char *const elements[] = {
		"\t\t<mig_devices>\n\t\t\tNone\n\t\t</mig_devices>\n",
		"\t\t<mig_devices>None</mig_devices>\n",
		"\t\t<mig_devices>None\n\t\t</mig_devices>\n",
		"\t\t<mig_devices>\n\t\t\tNone</mig_devices>\n",
		"\t\t<mig_devices>\n\t\t\tof GPU : 0\n\t\t</mig_devices>\n",
		"\t\t<note kind=\"x\">\n\t\t\tNone\n\t\t</note>\n",
		"\t\t<a_title_that_has_many_more_bytes_than_a_place_keeps>\n\t\t\tNone\n"
		"\t\t</a_title_that_has_many_more_bytes_than_a_place_keeps>\n",
		"\t\t<mig_devices>\n" MIG("0") MIG("1") "\t\t</mig_devices>\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(&text,
		                 "%s\t<gpu id=\"00000000:86:00.0\">\n%s%s\t</gpu>\n" XML_GPU(
					 "00000000:87:00.0", "") "%s",
		                 XML_LOG, elements[i],
		                 "\t\t<fb_memory_usage>\n\t\t\t<used>7 MiB</used>\n"
		                 "\t\t</fb_memory_usage>\n",
		                 XML_END);
		expect_samples(REPORT, text.data,
		               "00000000:86:00.0 memory_used_bytes=7340032\n"
		               "00000000:87:00.0 utilization=0.35\n");
		expect_chosen(text.data, REPORT, NULL);
		reading_survives_damage(REPORT, text.data);
		weir_text_release(&text);
	}
}

/* Indentation may be lost, and a report may begin at the line of its device. */
static void reports_that_people_pasted_are_read(void **state)
{
	(void)state;
	expect_samples(REPORT,
	               GPU "Utilization\nGpu : 35 %\nMemory : N/A\nFB Memory Usage\nUsed : 1 MiB\n",
	               "00000000:86:00.0 utilization=0.35 memory_used_bytes=1048576\n");
	expect_samples(REPORT, GPU USE "GPU 00000000:87:00.0\n" USE,
	               "00000000:86:00.0 utilization=0.35\n00000000:87:00.0 utilization=0.35\n");
}

static void parts_and_words_are_no_figures_of_the_device(void **state)
{
	static const char text[] = LOG GPU "    MIG Devices\n        MIG Device\n            FB "
					   "Memory Usage\n                Used "
					   ": 7 MiB\n    Module Power Readings\n        Power Draw "
					   ": 900 W\n    Clocks\n        SM : "
					   "Insufficient Permissions\n    Processes\n        "
					   "Process ID : 7\n            Used : 1 "
					   "MiB\n" USE;

	(void)state;
	expect_samples(REPORT, text, AT "utilization=0.35\n");
	expect_warned(REPORT, text, WEIR_WARN_BAD_NUMBER, 0);
}

static void parts_of_a_divided_gpu_are_counted_with_their_memory(void **state)
{
#define PART(total)                                                                                \
	"<mig_device>\n<fb_memory_usage>\n<total>" total                                           \
	"</total>\n</fb_memory_usage>\n</mig_device>\n"
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry = telemetry_of(
		REPORT,
		"<nvidia_smi_log>\n<attached_gpus>4</attached_gpus>\n<gpu id=\"0:1\">\n"
		"<mig_mode>\n<current_mig>Enabled</current_mig>\n</mig_mode>\n<mig_devices>\n" PART(
			"4864 MiB") PART("9856 MiB") "</mig_devices>\n<temperature>\n"
						     "<gpu_temp>30 C</gpu_temp>\n</temperature>\n"
						     "</gpu>\n",
		profile);

	(void)state;
	assert_true(telemetry->divided);
	assert_int_equal(telemetry->attached, 4);
	assert_int_equal(telemetry->part_count, 2);
	assert_near(telemetry->part_least_bytes, 4864.0 * 1024 * 1024, 0);
	assert_near(telemetry->part_most_bytes, 9856.0 * 1024 * 1024, 0);
	weir_profile_free(profile);
}

static void damage_costs_the_line_alone(void **state)
{
	static const char cut[] = LOG GPU USE "    Temperature\n        GPU Current Temp : 6";
	static const char whole[] = LOG GPU USE "    Temperature\n        GPU Current Temp : 60 C";
	static const char bad[] = LOG GPU USE "    Temperature\n        GPU Current Temp : 6x C\n";
	static const char late[] = GPU USE LOG GPU USE;

	(void)state;
	expect_samples(REPORT, cut, AT "utilization=0.35\n");
	expect_warned(REPORT, cut, WEIR_WARN_TRUNCATED, 1);
	expect_samples(REPORT, whole, AT "utilization=0.35 temperature_c=60\n");
	expect_samples(REPORT, bad, AT "utilization=0.35\n");
	expect_warned(REPORT, bad, WEIR_WARN_BAD_NUMBER, 1);
	expect_samples(REPORT, late, AT "utilization=0.35\n");
	expect_warned(REPORT, late, WEIR_WARN_NO_TIME, 1);
	expect_clean_cuts(REPORT, LOG GPU USE);
	reading_survives_damage(REPORT, LOG GPU USE);
	reading_survives_damage(REPORT, "<nvidia_smi_log>\n<gpu id=\"0:1\">\n<utilization>\n"
	                                "<gpu_util>3 %</gpu_util>\n</utilization>\n</gpu>\n");
}

static void the_report_is_recognised(void **state)
{
	(void)state;
	expect_chosen(LOG GPU USE, REPORT, NULL);
	expect_chosen(LOG GPU USE "index, temperature.gpu\n0, 50\n", &weir_reader_smi_query, NULL);
	expect_chosen(LOG GPU "    ECC Mode\n        Current : Disabled\n", NULL,
	              "run nvidia-smi -q without -d");
	expect_chosen("<nvidia_smi_log>\n\t<gpu id=\"0:1\">\n", NULL, "nvidia-smi -q -x");
	reading_refuses(REPORT, "hello\n", WEIR_E_EMPTY, "nvidia-smi -q");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_report_gives_a_sample_of_each_device),
		cmocka_unit_test(xml_gives_the_same),
		cmocka_unit_test(displays_of_all_drivers_give_their_figures),
		cmocka_unit_test(texts_between_tags_do_not_hide_the_figures_below),
		cmocka_unit_test(reports_that_people_pasted_are_read),
		cmocka_unit_test(parts_and_words_are_no_figures_of_the_device),
		cmocka_unit_test(parts_of_a_divided_gpu_are_counted_with_their_memory),
		cmocka_unit_test(damage_costs_the_line_alone),
		cmocka_unit_test(the_report_is_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
