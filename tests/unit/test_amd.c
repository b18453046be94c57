/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"
#include "tests/unit/reading.h"

#define AMD (&weir_reader_amd)
#define MONITOR                                                                                    \
	"timestamp,gpu,power_usage,hotspot_temperature,memory_temperature,gfx,gfx_clock,mem,"      \
	"mem_clock,encoder,single_bit_ecc,pcie_replay,vram_used,vram_total,pcie_bw\r\n"
#define MONITOR_ROW "1767607200,0,612,71,58,97,2100,40,1300,N/A,0,0,121344,196592,N/A\r\n"
#define MONITOR_SAMPLE                                                                             \
	"0 @1767607200000000000 utilization=0.97 memory_activity=0.4 "                             \
	"memory_used_bytes=127238406144 memory_total_bytes=206141652992 power_w=612 "              \
	"sm_clock_mhz=2100 memory_clock_mhz=1300 temperature_c=71 memory_temperature_c=58\n"
#define GPU0                                                                                       \
	"{\"gpu\": 0, \"usage\": {\"gfx_activity\": {\"value\": 87, \"unit\": \"%\"}, "            \
	"\"umc_activity\": \"N/A\"}, \"power\": {\"socket_power\": {\"value\": 542, \"unit\": "    \
	"\"W\"}, \"gfx_voltage\": \"N/A\"}, \"clock\": {\"gfx_0\": {\"clk\": {\"value\": 1400, "   \
	"\"unit\": \"MHz\"}, \"max_clk\": {\"value\": 2, \"unit\": \"GHz\"}}, \"mem_0\": "         \
	"{\"clk\": {\"value\": 900, \"unit\": \"MHz\"}}}, \"temperature\": {\"edge\": \"N/A\", "   \
	"\"hotspot\": {\"value\": 71, \"unit\": \"C\"}, \"mem\": {\"value\": 50, \"unit\": "       \
	"\"C\"}}, \"mem_usage\": {\"total_vram\": {\"value\": 2, \"unit\": \"GB\"}, "              \
	"\"used_vram\": {\"value\": 1, \"unit\": \"MB\"}}, \"energy\": "                           \
	"{\"total_energy_consumption\": {\"value\": 12.5, \"unit\": \"J\"}}, \"throttle\": "       \
	"{\"ppt_violation_status\": \"ACTIVE\", \"hbm_thermal_violation_status\": \"NOT "          \
	"ACTIVE\"}, \"vcn\": [1, [2]]}"
#define GPU0_SAMPLE                                                                                \
	"0 reasons=0x4 utilization=0.87 memory_used_bytes=1048576 "                                \
	"memory_total_bytes=2147483648 power_w=542 sm_clock_mhz=1400 sm_clock_max_mhz=2000 "       \
	"memory_clock_mhz=900 temperature_c=71 memory_temperature_c=50 energy_j=12.5\n"

static void columns_of_a_monitor_are_found_by_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_samples(AMD, MONITOR MONITOR_ROW, MONITOR_SAMPLE);
	assert_false(telemetry_of(AMD, MONITOR MONITOR_ROW, profile)->local_time);
	weir_profile_free(profile);
	expect_samples(AMD, "gpu,xcp,power_usage,gfx_clk,gfx,mem,pcie_bw\n1,0,90,132,0,0,N/A\n",
	               "1 utilization=0 memory_activity=0 power_w=90 sm_clock_mhz=132\n");
}

static void a_watched_table_repeats_its_header(void **state)
{
	(void)state;
	expect_samples(AMD, MONITOR MONITOR_ROW MONITOR MONITOR_ROW "\r\n" MONITOR,
	               MONITOR_SAMPLE MONITOR_SAMPLE);
}

static void columns_of_metrics_are_known_with_lists_in_quotes(void **state)
{
	(void)state;
	expect_samples(
		AMD,
		"timestamp,gpu,gfx_activity,umc_activity,mm_activity,vcn_activity,socket_power,"
		"gfx_0_clk,gfx_0_max_clk,mem_0_clk,edge,hotspot,mem,total_vram,used_vram\n"
		"1767607201,3,95,80,N/A,\"['N/A', 'N/A']\",350,1980,2100,901,N/A,72,65,20,10\n",
		"3 @1767607201000000000 utilization=0.95 memory_activity=0.8 "
		"memory_used_bytes=10485760 memory_total_bytes=20971520 power_w=350 "
		"sm_clock_mhz=1980 sm_clock_max_mhz=2100 memory_clock_mhz=901 temperature_c=72 "
		"memory_temperature_c=65\n");
}

static void rocm_smi_may_begin_with_a_warning(void **state)
{
	static const char text[] =
		"WARNING: AMD GPU device(s) is/are in a low-power state.\n\n"
		"device,GPU use (%),Average Graphics Package Power (W),Temperature (Sensor edge) "
		"(C),Temperature (Sensor junction) (C),sclk clock speed:,sclk clock level:,VRAM "
		"Total Memory (B),VRAM Total Used Memory (B),Card Series\r\n"
		"card0,98,310.0,45.0,61.0,(1800Mhz),1,17163091968,1277042688,AMD Instinct MI300X\n"
		"card1,99%,N/A,,,,,,,\n"
		"system,,,,,,,,,\n";
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_samples(AMD, text,
	               "card0 utilization=0.98 memory_used_bytes=1277042688 "
	               "memory_total_bytes=17163091968 power_w=310 sm_clock_mhz=1800 "
	               "temperature_c=61\ncard1 utilization=0.99\n");
	expect_chosen(text, AMD, NULL);
	assert_string_equal(telemetry_of(AMD, text, profile)->devices[0].name,
	                    "AMD Instinct MI300X");
	weir_profile_free(profile);
}

/* Early versions print lists without quotes, so that a row has more cells than its header. */
static void early_metrics_have_other_names_and_lists_without_quotes(void **state)
{
	static const char text[] = "gpu,gfx_usage,mem_usage,mm_usage_list,fb_total,fb_used,"
				   "gfx_cur_clk,mem_cur_clk\n"
				   "0,98,1,[0, 0],2,1,N/A,N/A\n"
				   "1,5,0,\"[0, 0]\",2,1,1700,1000\n"
				   "2,5,0,[0, 0,2,1,1700,1000\n";

	(void)state;
	expect_samples(AMD, text,
	               "0 utilization=0.98 memory_activity=0.01 memory_used_bytes=1048576 "
	               "memory_total_bytes=2097152\n"
	               "1 utilization=0.05 memory_activity=0 memory_used_bytes=1048576 "
	               "memory_total_bytes=2097152 sm_clock_mhz=1700 memory_clock_mhz=1000\n");
	expect_warned(AMD, text, WEIR_WARN_RAGGED_ROW, 1);
	expect_chosen(text, AMD, NULL);
	reading_survives_damage(AMD, text);
}

#define PAGE_TITLES                                                                                \
	"| AMD-SMI 26.0.2      amdgpu version: 6.14.14  ROCm version: 7.0.2 |\n"                   \
	"|-------------------+-----------------------------------|\n"                              \
	"| BDF      GPU-Name | Mem-Uti   Temp   UEC  Power-Usage |\n"                              \
	"| GPU HIP-ID OAM-ID Partition-Mode | GFX-Uti  Fan  Mem-Usage |\n"                         \
	"|===================+===================================|\n"
#define PAGE_END                                                                                   \
	"+-------------------------------------------------------+\n"                              \
	"| Processes:                                             |\n"                             \
	"|  GPU   PID  Process Name  GTT_MEM  VRAM_MEM  MEM_USAGE |\n"                             \
	"|    0  1522  python3       19.6 MB  33.1 GB   33.9 GB   |\n"

static void the_page_of_amd_smi_is_a_sample_of_each_device(void **state)
{
	static const struct {
		const char *upper, *lower, *sample;
	} cases[] = {
		{"61 %  58 \xc2\xb0"
	         "C  0  702/750 W",
	         "98 %  0.0 %  1/2 MB",
	         "3 utilization=0.98 memory_activity=0.61 memory_used_bytes=1048576 "
	         "memory_total_bytes=2097152 power_w=702 power_limit_w=750 temperature_c=58\n"},
		{"N/A  N/A  0  N/A/0 W", "N/A  N/A  1/2 MB",
	         "3 memory_used_bytes=1048576 memory_total_bytes=2097152\n"},
		{"N/A  N/A  0  N/A", "N/A  N/A  1/2 MB",
	         "3 memory_used_bytes=1048576 memory_total_bytes=2097152\n"},
		{"0 %  27 \xc2\xb0"
	         "C  0  49 W",
	         "6 %  N/A  N/A",
	         "3 utilization=0.06 memory_activity=0 power_w=49 temperature_c=27\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(
			&text,
			"%s| 0000:05:00.0  AMD Instinct MI300X | %s |\n| 3 0 7 SPX/NPS1 | %s "
			"|\n%s",
			PAGE_TITLES, cases[i].upper, cases[i].lower, PAGE_END);
		expect_samples(AMD, text.data, cases[i].sample);
		expect_chosen(text.data, AMD, NULL);
		reading_survives_damage(AMD, text.data);
		weir_text_release(&text);
	}
}

static void a_page_far_inside_a_log_is_found(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "==== idle ====\n{\n");
	weir_text_repeat(&text, "    \"N/A\",\n", 100);
	weir_text_puts(&text, "\n==== now ====\n" PAGE_TITLES
	                      "| 0000:05:00.0  AMD Instinct MI300X | N/A  N/A  0  N/A |\n"
	                      "| 3 0 7 SPX/NPS1 | 98 %  N/A  1/2 MB |\n" PAGE_END);
	expect_chosen(text.data, AMD, NULL);
	expect_samples(AMD, text.data,
	               "3 utilization=0.98 memory_used_bytes=1048576 memory_total_bytes=2097152\n");
	weir_text_release(&text);
}

static void a_damaged_row_of_the_page_costs_its_device_alone(void **state)
{
	static const char text[] = PAGE_TITLES "| 0000:05:00.0  0x1586 | 0 %  27 C  0 |\n"
					       "| 0 0 N/A N/A | 6 %  N/A  1/2 MB |\n"
					       "| 0000:06:00.0  0x1586 | 0 %  27 C  0  N/A/0 W |\n"
					       "| 1 0 N/A N/A | 6 %  N/A  1/2 MB |\n" PAGE_END;

	(void)state;
	expect_samples(AMD, text,
	               "1 utilization=0.06 memory_activity=0 memory_used_bytes=1048576 "
	               "memory_total_bytes=2097152 temperature_c=27\n");
	expect_warned(AMD, text, WEIR_WARN_RAGGED_ROW, 1);
}

static void warnings_of_rocm_smi_are_warnings(void **state)
{
	static const char low[] = "WARNING: AMD GPU device(s) is/are in a low-power state.\n\n";
	static const char none[] = "WARNING: No AMD GPUs specified\n\n"
				   "==== ROCm System Management Interface ====\n"
				   "GPU  Temp  AvgPwr  SCLK  MCLK  Fan  Perf  PwrCap  VRAM%  GPU%\n"
				   "====\n";
	struct weir_text text = {0};

	(void)state;
	weir_text_printf(&text, "%sGPU  Temp  AvgPwr  SCLK  GPU%%\n0 47c 91W 800Mhz 97%%\n", low);
	expect_warned(AMD, text.data, WEIR_WARN_OF_TOOL, 1);
	weir_text_clear(&text);
	weir_text_printf(&text, "%sdevice,GPU use (%%)\ncard0,42\n", low);
	expect_warned(AMD, text.data, WEIR_WARN_OF_TOOL, 1);
	weir_text_release(&text);
	reading_refuses(AMD, none, WEIR_E_EMPTY, "No AMD GPUs specified");
}

static void tables_may_follow_one_another(void **state)
{
	(void)state;
	expect_samples(AMD,
	               "device,GPU use (%)\ncard0,42\n\ndevice,Temperature (Sensor edge) (C)\n"
	               "card0,72.5\n",
	               "card0 utilization=0.42\ncard0 temperature_c=72.5\n");
}

static void shares_of_violations_become_reasons(void **state)
{
	(void)state;
	expect_samples(AMD, "gpu,gfx,mem,pviol,tviol\n0,1,1,100,0\n0,1,1,0,N/A\n",
	               "0 reasons=0x4 utilization=0.01 memory_activity=0.01\n"
	               "0 reasons=0x0 utilization=0.01 memory_activity=0.01\n");
}

static void ragged_rows_are_left_out(void **state)
{
	static const char text[] = "gpu,gfx,mem\n0,1\n0,1,2,3\n1,5,6\n1,5,";

	(void)state;
	expect_samples(AMD, text, "1 utilization=0.05 memory_activity=0.06\n");
	expect_warned(AMD, text, WEIR_WARN_RAGGED_ROW, 2);
	expect_warned(AMD, text, WEIR_WARN_TRUNCATED, 1);
}

static void devices_are_listed_wrapped_or_alone_in_json(void **state)
{
	(void)state;
	expect_samples(AMD, "[" GPU0 ", " GPU0 "]", GPU0_SAMPLE GPU0_SAMPLE);
	expect_samples(AMD, "{\"gpu_data\": [" GPU0 "], \"version\": {\"a\": 1}}", GPU0_SAMPLE);
	expect_samples(AMD, GPU0, GPU0_SAMPLE);
	expect_samples(AMD, "[" GPU0 "]\n[" GPU0 "]\n", GPU0_SAMPLE GPU0_SAMPLE);
}

static void a_monitor_in_json_is_flat(void **state)
{
	(void)state;
	expect_samples(AMD,
	               "[{\"timestamp\": 1767607200, \"gpu\": 1, \"power_usage\": {\"value\": 90, "
	               "\"unit\": \"W\"}, \"hotspot_temperature\": {\"value\": 40, \"unit\": "
	               "\"C\"}, \"gfx\": {\"value\": \"N/A\", \"unit\": \"%\"}, \"mem\": 5}]",
	               "1 @1767607200000000000 memory_activity=0.05 power_w=90 temperature_c=40\n");
}

/* Expects the clock of the only sample, NAN if the cell has none. */
static void expect_clock(const char *cell, double mhz)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_telemetry *telemetry;
	double value;

	weir_text_printf(&text,
	                 "{\"card0\": {\"GPU use (%%)\": \"12\", \"sclk clock speed:\": \"%s\"}}",
	                 cell);
	telemetry = reading_of(&weir_reader_amd, text.data, profile)->telemetry;
	value = telemetry->samples[0].value[WEIR_GAUGE_SM_CLOCK_MHZ];
	if (isnan(mhz) ? !isnan(value) : value != mhz)
		fail_msg("%s: %g", cell, value);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void clocks_of_rocm_smi_have_many_forms(void **state)
{
	(void)state;
	expect_clock("(668Mhz)", 668);
	expect_clock("668Mhz", 668);
	expect_clock("668 MHz", 668);
	expect_clock("668 of 1300 MHz", 668);
	expect_clock("668 of 1300", 668);
	expect_clock("668 of", NAN);
	expect_clock("668 of MHz", NAN);
	expect_clock("N/A", NAN);
}

static void early_keys_of_rocm_smi_are_known(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const double *value =
		reading_of(&weir_reader_amd,
	                   "{\"card0\": {\"Average Graphics Package Power\": \"30.0W\", "
	                   "\"Temperature (Sensor #1)\": \"35.0 c\", \"GPU use\": \"97%\"}}",
	                   profile)
			->telemetry->samples[0]
			.value;

	(void)state;
	assert_true(value[WEIR_GAUGE_POWER_W] == 30);
	assert_true(value[WEIR_GAUGE_TEMPERATURE_C] == 35);
	assert_true(value[WEIR_GAUGE_UTILIZATION] == 0.97);
	weir_profile_free(profile);
}

static void cards_are_keys_in_json_of_rocm_smi(void **state)
{
	static const char text[] =
		"{\"card0\": {\"GPU use (%)\": \"37\", \"Temperature (Sensor edge) (C)\": "
		"\"44.0\", "
		"\"Temperature (Sensor junction) (C)\": \"50.0\", \"VRAM Total Used Memory (B)\": "
		"\"27262976\"}, \"system\": {\"Driver version\": \"6\"}}";

	(void)state;
	expect_samples(AMD, text,
	               "card0 utilization=0.37 memory_used_bytes=27262976 temperature_c=50\n");
	expect_chosen(text, AMD, NULL);
}

/* Expects the names of all devices, each followed by a semicolon. */
static void expect_names(const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry = telemetry_of(AMD, text, profile);
	struct weir_text out = {0};

	for (size_t i = 0; i < telemetry->device_count; i++)
		weir_text_printf(&out, "%s;",
		                 telemetry->devices[i].name ? telemetry->devices[i].name : "");
	assert_string_equal(out.data, expected);
	weir_text_release(&out);
	weir_profile_free(profile);
}

static void numbers_of_the_pci_bus_are_not_names(void **state)
{
	(void)state;
	expect_names("{\"card0\": {\"GPU use (%)\": \"3\", \"Card Model\": \"0x7551\", \"GFX "
	             "Version\": \"gfx1201\"}, \"card1\": {\"GPU use (%)\": \"0\", \"GFX "
	             "Version\": \"gfx1103\"}}",
	             "gfx1201;gfx1103;");
	expect_names("{\"card0\": {\"GPU use (%)\": \"3\", \"Card series\": \"0x1002\"}}", ";");
	expect_names("{\"card0\": {\"GPU use (%)\": \"3\", \"Card series\": \"0x1002 XT\"}}",
	             "0x1002 XT;");
}

static void a_reason_for_no_value_is_not_damage(void **state)
{
	static const char text[] =
		"{\"card1\": {\"GPU use (%)\": \"3\", \"Average Graphics Package Power (W)\": "
		"\"N/A (Secondary die)\"}}";

	(void)state;
	expect_samples(AMD, text, "card1 utilization=0.03\n");
	expect_warned(AMD, text, WEIR_WARN_BAD_NUMBER, 0);
	expect_warned(AMD, "{\"card1\": {\"GPU use (%)\": \"3\", \"Power (W)\": \"N/Ax\"}}",
	              WEIR_WARN_BAD_NUMBER, 1);
}

#define ROCM_BANNER "======== ROCm System Management Interface ========\n"
#define ROCM_END    "======== End of ROCm SMI Log ========\n"
#define ROCM_ROW                                                                                   \
	"0 utilization=0.97 power_w=91 power_limit_w=560 sm_clock_mhz=800 "                        \
	"memory_clock_mhz=1600 temperature_c=47 memory_used_share="

/* Titles and widths of the table differ between ROCm 1, 2 to 5, and 6. */
static void tables_of_rocm_smi_are_a_sample_of_each_device(void **state)
{
	(void)state;
	expect_samples(AMD,
	               ROCM_BANNER
	               "==== Concise Info ====\n"
	               "GPU  Temp   AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  "
	               "GPU%\n"
	               "0    47.0c  91.0W   800Mhz  1600Mhz  0%   auto  560.0W    0%   97%\n"
	               "1    46.0c  N/A     800Mhz  1600Mhz  0%   auto  0.0W      0%   3%\n"
	               "=====\n" ROCM_END,
	               ROCM_ROW "0\n1 utilization=0.03 sm_clock_mhz=800 memory_clock_mhz=1600 "
	                        "temperature_c=46 memory_used_share=0\n");
	expect_samples(AMD,
	               "GPU  Temp (DieEdge)  AvgPwr  SCLK  MCLK  PCLK  Fan  Perf  PwrCap  SCLK OD  "
	               "MCLK OD  GPU%\n"
	               "0 47c 91W 800Mhz 1600Mhz 5.0GB, x16 60.78% manual 560W 0% 0% 97%\n",
	               "0 utilization=0.97 power_w=91 power_limit_w=560 sm_clock_mhz=800 "
	               "memory_clock_mhz=1600 temperature_c=47\n");
	expect_samples(AMD,
	               "Device  Node  IDs  Temp  Power  Partitions  SCLK  MCLK  Fan  Perf  PwrCap  "
	               "VRAM%  GPU%\n"
	               "              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)\n"
	               "=====\n"
	               "0       2     0x74a1,   47056  47.0\xc2\xb0"
	               "C  91.0W  NPS1, SPX, 0  800Mhz  1600Mhz  0%  auto  560.0W  43%  97%\n",
	               ROCM_ROW "0.43\n");
}

#define ROCM_HEAD "GPU  Temp  AvgPwr  SCLK  MCLK  Fan  Perf  PwrCap  VRAM%  GPU%\n"

/* The utilisation of a device without a readable sensor is no measurement. */
static void a_device_that_rocm_smi_could_not_read_is_no_sample(void **state)
{
	static const char unread[] = ROCM_BANNER ROCM_HEAD
		"0 N/A N/A None None 0% unknown Unsupported 0% 0%\n"
		"1 42.0c 0.159W None 3000Mhz 0% auto Unsupported 3% 0%\n" ROCM_END;

	(void)state;
	expect_samples(AMD, unread,
	               "1 utilization=0 power_w=0.159 memory_clock_mhz=3000 temperature_c=42 "
	               "memory_used_share=0.03\n");
	expect_warned(AMD, unread, WEIR_WARN_SKIPPED_EVENT, 1);
	/* a utilisation that is not 0 was measured, and one without other figures is all there is
	 */
	expect_samples(AMD, ROCM_HEAD "0 N/A N/A None None 0% unknown 9W 0% 3%\n",
	               "0 utilization=0.03 power_limit_w=9 memory_used_share=0\n");
	expect_samples(AMD, "GPU[0] : GPU use (%): 0\n", "0 utilization=0\n");
	expect_samples(
		AMD,
		"device,Temperature (Sensor edge) (C),Power (W),GPU use (%)\ncard0,N/A,N/A,0\n"
		"card1,42.0,N/A,0\ncard2,N/A,N/A,5\ncard3,N/A,,0\n",
		"card1 utilization=0 temperature_c=42\ncard2 utilization=0.05\ncard3 "
		"utilization=0\n");
	expect_samples(AMD,
	               "{\"card0\": {\"Temperature (Sensor edge) (C)\": \"N/A\", \"Power (W)\": "
	               "\"N/A\", \"GPU use (%)\": "
	               "\"0\"}, \"card1\": {\"GPU use (%)\": \"0\"}}",
	               "card1 utilization=0\n");
	expect_samples(AMD, "GPU[0] : sclk clock level: 1: (1259Mhz)\nGPU[0] : GPU use (%): 0\n",
	               "0 utilization=0 sm_clock_mhz=1259\n");
}

static void the_model_below_a_row_of_rocm_smi_is_its_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry = telemetry_of(
		AMD,
		"Device  [Model : Revision]  Temp  Power  Partitions  SCLK  MCLK  GPU%\n"
		"        Name (20 chars)     (Junction)  (Socket)  (Mem, Compute)\n"
		"0       [0x74a1 : 0x00]     35.0\xc2\xb0"
		"C  133.0W  NPS1, SPX  131Mhz  900Mhz  4%\n"
		"        AMD Instinct MI300X\n",
		profile);

	(void)state;
	assert_string_equal(telemetry->devices[0].name, "AMD Instinct MI300X");
	weir_profile_free(profile);
}

static void lines_of_rocm_smi_are_figures_of_their_device(void **state)
{
	static const char lines[] =
		"GPU[0]\t\t: GPU use (%): 97\nGPU[0]\t\t: Temperature (Sensor edge) (C): 35.0\n"
		"GPU[0]\t\t: Temperature (Sensor junction) (C): 71.0\n"
		"GPU[0]\t\t: Temperature (Sensor memory) (C): 50.0\n"
		"GPU[0]\t\t: sclk clock level: 1: (1259Mhz)\n"
		"GPU[0]\t\t: mclk clock level: 2 (900Mhz)\nGPU[0]\t\t: 1: 1255Mhz *\n"
		"GPU[0]\t\t: \nGPU[0]\t\t: Memory Activity: N/A\n"
		"GPU[0]\t\t: Average Graphics Package Power (W): N/A (Secondary die)\n";

	(void)state;
	expect_samples(AMD, lines,
	               "0 utilization=0.97 sm_clock_mhz=1259 memory_clock_mhz=900 temperature_c=71 "
	               "memory_temperature_c=50\n");
	expect_samples(AMD,
	               ROCM_BANNER
	               "GPU[0]          : GPU use (%): 97\nGPU[1]          : GPU use (%): 2\n"
	               "=== Memory Usage ===\nGPU[0] : VRAM Total Memory (B): 2048\n"
	               "GPU[0] : VRAM Total Used Memory (B): 1024\n" ROCM_END,
	               "0 utilization=0.97 memory_used_bytes=1024 memory_total_bytes=2048\n"
	               "1 utilization=0.02\n");
	expect_warned(AMD, lines, WEIR_WARN_BAD_NUMBER, 0);
}

static void asked_figures_and_crashes_of_rocm_smi_are_told(void **state)
{
	static const char table[] = "GPU  Temp   AvgPwr  SCLK    MCLK    Fan     Perf  GPU%\n"
				    "0    31.0c  N/A     852Mhz  167Mhz  28.63%  auto  N/A\n";
	static const char dies[] =
		"GPU[0]\t\t: Average Graphics Package Power (W): 237.0\n"
		"GPU[1]\t\t: Average Graphics Package Power (W): N/A (Secondary die)\n";
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_true(telemetry_of(AMD, table, profile)->has_use_column);
	weir_profile_free(profile);
	profile = weir_profile_new();
	assert_true(telemetry_of(AMD, dies, profile)->power_of_cards);
	weir_profile_free(profile);
	expect_warned(AMD,
	              "GPU[0]\t\t: GPU use (%): 97\nTraceback (most recent call last):\n  File\n",
	              WEIR_WARN_OF_TOOL, 1);
	expect_samples(AMD, "{\"card0\": {\"Temperature (Sensor mem) (c)\": \"79.0\"}}",
	               "card0 memory_temperature_c=79\n");
}

/* A report ends with its title, or where a figure of a device comes again. */
static void reports_of_rocm_smi_follow_each_other(void **state)
{
	(void)state;
	expect_samples(AMD, "GPU[0]: GPU use (%): 98\nGPU[0]: GPU use (%): 96\n",
	               "0 utilization=0.98\n0 utilization=0.96\n");
	expect_samples(AMD,
	               ROCM_BANNER "GPU[0]: GPU use (%): 98\n" ROCM_END ROCM_BANNER
	                           "GPU[0]: Power (W): 7\n",
	               "0 utilization=0.98\n0 power_w=7\n");
}

static void damaged_rows_of_rocm_smi_are_left_out(void **state)
{
	static const char header[] = "GPU  Temp  AvgPwr  SCLK  MCLK  GPU%\n";
	struct weir_text text = {0};

	(void)state;
	weir_text_printf(&text, "%s0 47c 91W 8Mhz 9Mhz 97%%\n1 47c 8Mhz 97%%\n", header);
	expect_samples(AMD, text.data,
	               "0 utilization=0.97 power_w=91 sm_clock_mhz=8 memory_clock_mhz=9 "
	               "temperature_c=47\n");
	expect_warned(AMD, text.data, WEIR_WARN_RAGGED_ROW, 1);
	weir_text_puts(&text, "1 47c 91W 8Mhz 9Mhz 9");
	expect_warned(AMD, text.data, WEIR_WARN_TRUNCATED, 1);
	weir_text_puts(&text, "%");
	expect_warned(AMD, text.data, WEIR_WARN_TRUNCATED, 0);
	weir_text_puts(&text, "\nGPU[1]: GPU use (%): 9");
	expect_warned(AMD, text.data, WEIR_WARN_TRUNCATED, 1);
	weir_text_puts(&text, "7\n" ROCM_END);
	expect_warned(AMD, text.data, WEIR_WARN_TRUNCATED, 0);
	reading_survives_damage(AMD, text.data);
	weir_text_release(&text);
	reading_refuses(AMD, "GPU[0]: GPU use (%): N/A\n", WEIR_E_EMPTY,
	                "no line of rocm-smi with a figure of a device");
}

static void tables_for_people_are_refused_with_what_to_record(void **state)
{
	(void)state;
	expect_chosen("\n===== ROCm System Management Interface =====\n", NULL,
	              "it is text of rocm-smi without a figure of a device");
	expect_chosen("GPU[0]\t\t: GPU ID: 0x66af\n", NULL, "--showmeminfo vram --csv");
	expect_chosen("GPU[0]\t\t: GPU use (%): 0\n", AMD, NULL);
	expect_chosen("GPU  Temp  AvgPwr  SCLK  MCLK\n", AMD, NULL);
	expect_chosen("GPU  Temp  AvgPwr\n", NULL, "no reader knows");
	expect_chosen("+------+\n| AMD-SMI 26.0.2+39589fda   |\n", NULL, "amd-smi metric --json");
	expect_chosen("GPU: 0\n    USAGE:\n        GFX_ACTIVITY: 0 %\n", NULL, "--json or --csv");
	expect_chosen("a,GFX_CLOCK\n1,2\n", NULL, "no reader knows");
	expect_chosen("GPU  NAME\n0  A\n", NULL, "no reader knows");
	expect_chosen("[{\"gpu\": 0, \"process_list\": [{\"process_info\": {\"pid\": 1}}]}]", NULL,
	              "the list of processes of amd-smi process");
	expect_chosen(
		"gpu,name,pid,gtt_mem,cpu_mem,vram_mem,mem_usage,gfx,enc\n0,a,1,2,3,4,9,0,0\n",
		NULL, "the list of processes of amd-smi process");
	expect_chosen("GPU: 0\n    PROCESS_INFO:\n        NAME: a\n        PID: 1\n", NULL,
	              "the list of processes of amd-smi process");
	expect_chosen("POWER of the GPU\n", NULL, "no reader knows");
}

static void a_damaged_document_costs_what_follows_in_it(void **state)
{
	static const char text[] = "[" GPU0 "]\n[" GPU0 ", {\"gpu\" 1}]\n[" GPU0 "]\n[" GPU0;

	(void)state;
	expect_samples(AMD, text, GPU0_SAMPLE GPU0_SAMPLE GPU0_SAMPLE);
	expect_warned(AMD, text, WEIR_WARN_TRUNCATED, 1);
	expect_warned(AMD, text, WEIR_WARN_SKIPPED_EVENT, 1);
}

static void deep_nesting_is_ignored(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "[" GPU0 ", ");
	weir_text_repeat(&text, "[", 50);
	weir_text_puts(&text, GPU0);
	weir_text_repeat(&text, "]", 50);
	weir_text_puts(&text, ", {\"gpu\": 1, \"usage\": ");
	weir_text_repeat(&text, "{\"a\": ", 50);
	weir_text_puts(&text, "1");
	weir_text_repeat(&text, "}", 50);
	weir_text_puts(&text, "}, ");
	weir_text_repeat(&text, "{\"gpu_data\": [", 20);
	weir_text_puts(&text, GPU0);
	weir_text_repeat(&text, "]}", 20);
	weir_text_puts(&text, "]");
	expect_samples(AMD, text.data, GPU0_SAMPLE);
	weir_text_release(&text);
}

static void other_tables_and_documents_are_not_taken(void **state)
{
	(void)state;
	expect_chosen(MONITOR, AMD, NULL);
	expect_chosen("gpu,gfx,mem\n", AMD, NULL);
	expect_chosen("[" GPU0 "]", AMD, NULL);
	expect_chosen("gpu,mem\n", NULL, "no reader knows");
	expect_chosen("device,name\n", NULL, "no reader knows");
	expect_chosen("{\"gpu\": 0}", NULL, "JSON");
	reading_refuses(AMD, MONITOR, WEIR_E_EMPTY, "no row with a value");
	reading_refuses(AMD, "a,b\n1,2\n", WEIR_E_FORMAT, "no header");
	reading_refuses(AMD, "{\"gpu_data\": []}", WEIR_E_EMPTY, "no device with a value");
	reading_refuses(AMD, "[{\"gpu\": 0, \"process_list\": [{\"pid\": 1}]}]", WEIR_E_EMPTY,
	                "no device with a value");
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_clean_cuts(AMD, MONITOR MONITOR_ROW MONITOR_ROW);
	expect_clean_cuts(AMD, "[" GPU0 "]\n[" GPU0 "]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_a_monitor_are_found_by_name),
		cmocka_unit_test(a_watched_table_repeats_its_header),
		cmocka_unit_test(columns_of_metrics_are_known_with_lists_in_quotes),
		cmocka_unit_test(rocm_smi_may_begin_with_a_warning),
		cmocka_unit_test(early_metrics_have_other_names_and_lists_without_quotes),
		cmocka_unit_test(the_page_of_amd_smi_is_a_sample_of_each_device),
		cmocka_unit_test(a_page_far_inside_a_log_is_found),
		cmocka_unit_test(a_damaged_row_of_the_page_costs_its_device_alone),
		cmocka_unit_test(warnings_of_rocm_smi_are_warnings),
		cmocka_unit_test(tables_may_follow_one_another),
		cmocka_unit_test(shares_of_violations_become_reasons),
		cmocka_unit_test(ragged_rows_are_left_out),
		cmocka_unit_test(devices_are_listed_wrapped_or_alone_in_json),
		cmocka_unit_test(a_monitor_in_json_is_flat),
		cmocka_unit_test(clocks_of_rocm_smi_have_many_forms),
		cmocka_unit_test(early_keys_of_rocm_smi_are_known),
		cmocka_unit_test(cards_are_keys_in_json_of_rocm_smi),
		cmocka_unit_test(numbers_of_the_pci_bus_are_not_names),
		cmocka_unit_test(a_reason_for_no_value_is_not_damage),
		cmocka_unit_test(tables_of_rocm_smi_are_a_sample_of_each_device),
		cmocka_unit_test(a_device_that_rocm_smi_could_not_read_is_no_sample),
		cmocka_unit_test(the_model_below_a_row_of_rocm_smi_is_its_name),
		cmocka_unit_test(lines_of_rocm_smi_are_figures_of_their_device),
		cmocka_unit_test(asked_figures_and_crashes_of_rocm_smi_are_told),
		cmocka_unit_test(reports_of_rocm_smi_follow_each_other),
		cmocka_unit_test(damaged_rows_of_rocm_smi_are_left_out),
		cmocka_unit_test(tables_for_people_are_refused_with_what_to_record),
		cmocka_unit_test(a_damaged_document_costs_what_follows_in_it),
		cmocka_unit_test(deep_nesting_is_ignored),
		cmocka_unit_test(other_tables_and_documents_are_not_taken),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
