/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"
#include "tests/unit/shelf.h"

#define FOLDER  "tests/data/rocprof/"
#define SAMPLES "samples/rocm/"

#define KERNELS                                                                                    \
	"\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\","          \
	"\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","                \
	"\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\","          \
	"\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
#define KERNEL(agent, queue, name, id, start, end)                                                 \
	"\"KERNEL_DISPATCH\"," agent "," queue ",7,1,1,\"" name "\"," id "," start "," end         \
	",64,2,1,1000,4,1\n"
#define COPIES                                                                                     \
	"\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\","  \
	"\"Start_Timestamp\",\"End_Timestamp\"\n"
#define CALLS                                                                                      \
	"\"Guid\",\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","        \
	"\"Start_Timestamp\",\"End_Timestamp\"\n"

static const struct weir_reader *const reader = &weir_reader_rocprof;

static const char *name_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

static void a_dispatch_becomes_device_work(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		KERNELS KERNEL("\"Agent 4\"", "2", "mul(int*, int).kd", "9", "1550151853029637",
	                       "1550151853042437") KERNEL("5", "3", "__amd_rocclr_copyBuffer", "10",
	                                                  "1550151853050000", "1550151853051000"),
		profile);
	const struct weir_device_columns *device = &input->trace->device;

	(void)state;
	assert_int_equal(device->count, 2);
	assert_string_equal(name_of(input->trace, device->name[0]), "mul(int*, int)");
	assert_true(device->start_ns[0] == INT64_C(1550151853029637));
	assert_true(device->end_ns[0] == INT64_C(1550151853042437));
	assert_int_equal(device->correlation[0], 9);
	assert_int_equal(device->threads_per_block[0], 128);
	assert_int_equal(device->blocks[0], 16 * 2);
	assert_int_equal(device->kind[0], WEIR_DEVICE_KERNEL);
	assert_int_equal(device->kind[1], WEIR_DEVICE_COPY);
	assert_int_equal(input->trace->devices[device->device[0]].id, 4);
	assert_int_equal(input->trace->devices[device->device[1]].id, 5);
	assert_int_equal(input->trace->streams[device->stream[0]].id, 2);
	weir_profile_free(profile);
}

static void copies_belong_to_the_device_at_either_end(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		COPIES "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",\"Agent 0\",\"Agent 4\","
		       "1,100,200\n"
		       "\"MEMORY_COPY\",\"DEVICE_TO_HOST\",4,0,2,300,400\n",
		profile);
	const struct weir_trace *trace = input->trace;

	(void)state;
	assert_int_equal(trace->device.count, 2);
	assert_int_equal(trace->device_count, 1);
	assert_int_equal(trace->devices[0].id, 4);
	assert_string_equal(name_of(trace, trace->device.name[0]), "Memcpy HtoD (Host -> Device)");
	assert_string_equal(name_of(trace, trace->device.name[1]), "Memcpy DtoH (Device -> Host)");
	assert_true(trace->device.bytes[0] < 0);
	weir_profile_free(profile);
}

static void calls_and_markers_are_told_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		CALLS "\"g\",\"HIP_RUNTIME_API_EXT\",\"hipLaunchKernel\",15,16,3,1000,2000\n"
		      "\"g\",\"MARKER_CORE_API\",\"step, one\",15,16,4,900,2100\n",
		profile);
	const struct weir_host_columns *host = &input->trace->host;

	(void)state;
	assert_int_equal(host->count, 2);
	assert_int_equal(host->kind[0], WEIR_HOST_ANNOTATION);
	assert_string_equal(name_of(input->trace, host->name[0]), "step, one");
	assert_int_equal(host->correlation[0], 0);
	assert_int_equal(host->kind[1], WEIR_HOST_API);
	assert_int_equal(host->correlation[1], 3);
	assert_int_equal(input->trace->threads[host->thread[1]].pid, 15);
	weir_profile_free(profile);
}

static void times_that_the_device_never_wrote_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   KERNELS KERNEL("4", "1", "a", "1", "0", "0")
	                           KERNEL("4", "1", "b", "2", "900", "800")
	                                   KERNEL("4", "1", "c", "3", "1000", "2000")
	                                           KERNEL("4", "1", "d", "4", "1e3", "2000"),
	                   profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 1);
	assert_int_equal(input->trace->device.count, 2);
	assert_string_equal(input->warnings[WEIR_WARN_NO_TIME].detail,
	                    "line 2: start and end are 0");
	weir_profile_free(profile);
}

static void a_row_cut_short_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   CALLS "\"g\",\"HIP_RUNTIME_API\",\"hipInit\",1,1,1,1000,2000\n"
	                         "\"g\",\"HIP_RUNTIME_API\",\"hipFree\",1,1,2,3000,40",
	                   profile);

	(void)state;
	assert_int_equal(input->trace->host.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void a_header_may_come_again(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   KERNELS KERNEL("4", "1", "a", "1", "1000", "2000")
	                           KERNELS KERNEL("4", "1", "b", "2", "3000", "4000"),
	                   profile);

	(void)state;
	assert_int_equal(input->trace->device.count, 2);
	assert_int_equal(input->events, 2);
	weir_profile_free(profile);
}

static const struct weir_input *read_data(struct weir_profile *profile, const char *path)
{
	struct weir_error err = {0};

	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	return &profile->inputs[profile->input_count - 1];
}

static void the_older_profiler_is_read_alike(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_data(profile, FOLDER "results.csv")->trace;

	(void)state;
	assert_int_equal(trace->device.count, 2);
	assert_string_equal(name_of(trace, trace->device.name[0]), "void mul<float>(float*, int)");
	assert_int_equal(trace->device.blocks[0], 16);
	assert_int_equal(trace->device.threads_per_block[0], 256);
	assert_int_equal(trace->device.kind[1], WEIR_DEVICE_COPY);
	weir_profile_free(profile);
}

static void totals_are_figures_of_the_whole_run(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_data(profile, FOLDER "4711_kernel_stats.csv");
	const struct weir_series *series =
		weir_series_find(&input->run->operators, "Cijk_Ailk_Bljk_SB_MT64x64x16");

	(void)state;
	assert_null(input->trace);
	assert_string_equal(input->gives, "native run");
	assert_non_null(series);
	assert_int_equal(series->count, 1);
	assert_true(series->value[0] == 540000);
	series = weir_series_find(&input->run->calls, "Cijk_Ailk_Bljk_SB_MT64x64x16");
	assert_true(series && series->value[0] == 6);
	weir_profile_free(profile);
}

#define STATS "Name,Calls,TotalDurationNs,AverageNs,Percentage\n"

/* Shares with many places lose nothing by rounding; 0.5 percent are left. */
static void shares_below_all_tell_that_rows_are_missing(void **state)
{
	static const struct {
		const char *text, *figure;
		double total; /* 0: not stated, because no row is missing */
	} cases[] = {
		{STATS "a(int),1,500,500,50.000\nb(int),1,300,300,30.000\n", "operators/total_ns",
	         1000},
		{STATS "a(int),1,995,995,99.500\n", "operators/total_ns", 0},
		{STATS "a(int),1,9949,9949,99.490\n", "operators/total_ns", 10000},
		{STATS "a(int),1,500,500,x\n", "operators/total_ns", 0},
		{STATS "hipMalloc,1,500,500,50\n", "calls/total_ns", 1000},
		{STATS "a(int),1,500,500,50.0\n" STATS "b(int),1,400,400,100.0\n",
	         "operators/total_ns", 1400},
		{"Kernel_Name,Count,Sum(ns),Pct\na(int),1,500,25.0\n", "operators/total_ns", 2000},
		{"Name,Calls,TotalDurationNs,AverageNs\na(int),1,500,500\n", "operators/total_ns",
	         0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_of(&weir_reader_rocprof, cases[i].text, profile);
		const struct weir_series *series =
			weir_series_find(&input->run->metrics, cases[i].figure);

		assert_int_equal(series != NULL, cases[i].total > 0);
		if (series)
			assert_near(series->value[0], cases[i].total, 1e-9);
		assert_int_equal(input->warnings[WEIR_WARN_MISSING_ROWS].count, cases[i].total > 0);
		weir_profile_free(profile);
	}
}

static void totals_without_extremes_are_of_rocprof_v1(void **state)
{
	static const struct {
		const char *text, *label;
	} cases[] = {
		{STATS "a(int),1,1000,1000,100\n", "1"},
		{STATS "hipMalloc,1,1000,1000,100\n", "1"},
		{"Name,Calls,TotalDurationNs,AverageNs,Percentage,MinNs,MaxNs,StdDev\n"
	         "a(int),1,1000,1000,100,1000,1000,0\n",
	         NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		reading_expects_label(reading_of(&weir_reader_rocprof, cases[i].text, profile)->run,
		                      "rocprof", cases[i].label);
		weir_profile_free(profile);
	}
}

#define COUNTED                                                                                    \
	"\"Dispatch_Id\",\"Process_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\","       \
	"\"Start_Timestamp\",\"End_Timestamp\"\n"
#define COUNTED_1                                                                                  \
	"Index,KernelName,gpu-id,pid,tid,grd,wgr,sig,obj,Wavefronts,L2CacheHit,DispatchNs,"        \
	"BeginNs,EndNs,CompleteNs\n"

/* rocprofv3 writes a row for each counter of a dispatch: its time counts once, in any order. */
static void kernels_with_counters_are_totals(void **state)
{
	static const struct {
		const char *text, *counters, *version;
	} cases[] = {
		{COUNTED "1,9,\"a(int)\",\"Waves\",1,100,200\n1,9,\"a(int)\",\"Busy\",2,100,200\n"
	                 "2,9,\"a(int)\",\"Waves\",1,300,350\n2,9,\"a(int)\",\"Busy\",2,300,350\n",
	         "Waves, Busy", NULL},
		{COUNTED "1,9,\"a(int)\",\"Waves\",1,100,200\n2,9,\"a(int)\",\"Waves\",1,300,350\n"
	                 "1,9,\"a(int)\",\"Busy\",2,100,200\n2,9,\"a(int)\",\"Busy\",2,300,350\n",
	         "Waves, Busy", NULL},
		{COUNTED_1 "0,\"a(int) [clone .kd]\",0,9,9,64,64,0x0,0x1,2,96.5,50,100,200,210\n"
	                   "1,\"a(int) [clone .kd]\",0,9,9,64,64,0x0,0x1,2,96.5,250,300,350,360\n",
	         "Wavefronts, L2CacheHit", "1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input;
		const struct weir_series *total, *calls;

		assert_string_equal(reading_claims(cases[i].text), "rocprof");
		input = reading_of(&weir_reader_rocprof, cases[i].text, profile);
		total = weir_series_find(&input->run->operators, "a(int)");
		calls = weir_series_find(&input->run->calls, "a(int)");
		assert_null(input->trace);
		assert_true(total && total->value[0] == 150);
		assert_true(calls && calls->value[0] == 2);
		reading_expects_label(input->run, "counters", cases[i].counters);
		reading_expects_label(input->run, "rocprof", cases[i].version);
		weir_profile_free(profile);
	}
	reading_survives_damage(&weir_reader_rocprof, cases[0].text);
	reading_survives_damage(&weir_reader_rocprof, cases[2].text);
}

static void kernels_of_rocprof_compute_are_totals(void **state)
{
	static const struct {
		const char *unit, *sum;
		double ns; /* 0: not a number */
	} cases[] = {{"ns", "4500000.5", 4500001},
	             {"us", "4500.0005", 4500001},
	             {"ms", "4.5", 4500000},
	             {"s", "0.0045", 4500000},
	             {"ns", "", 0},
	             {"ns", "-1", 0},
	             {"ns", "many", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_series *series;
		const struct weir_input *input;

		weir_text_printf(
			&text,
			"Kernel_Name,Count,Sum(%s),Mean(%s),Median(%s),Pct\nfirst,1,5,5,5,1\n"
			"\"gemm<64u, 8u>(int)\",50,%s,9.5,9.5,90.1\n",
			cases[i].unit, cases[i].unit, cases[i].unit, cases[i].sum);
		assert_string_equal(reading_claims(text.data), "rocprof");
		input = reading_of(&weir_reader_rocprof, text.data, profile);
		series = weir_series_find(&input->run->operators, "gemm<64u, 8u>(int)");
		assert_int_equal(series != NULL, cases[i].ns > 0);
		assert_true(!series || series->value[0] == cases[i].ns);
		assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, !series);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

/* The operators of a run are device time. */
static void calls_of_the_host_are_no_operators(void **state)
{
	static const struct {
		const char *name;
		bool call;
	} cases[] = {{"<barrier packet>", true}, {"barrier_kernel", false},
	             {"hipMemcpy", true},        {"__hipPushCallConfiguration", true},
	             {"hsa_queue_create", true}, {"HIP_API", true},
	             {"KERNEL_DISPATCH", false}, {"hip", false},
	             {"hipster_kernel", false},  {"hipKernel(float*)", false},
	             {"hsa_fill.kd", false},     {"softmax", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0}, figure = {0};
		const struct weir_run *run;

		weir_text_printf(&text, "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"%s\",4,100\n",
		                 cases[i].name);
		weir_text_printf(&figure, "calls/%s/mean_ns", cases[i].name);
		run = reading_of(&weir_reader_rocprof, text.data, profile)->run;
		assert_int_equal(run->operators.count, !cases[i].call);
		assert_int_equal(run->calls.count, !cases[i].call);
		if (cases[i].call)
			reading_expects_figure(run, figure.data, 25, false, "ns");
		weir_text_release(&text);
		weir_text_release(&figure);
		weir_profile_free(profile);
	}
}

/* Launches, work, copies and markers of one process form one timeline, in any order of the
 * files. */
static void tables_of_one_process_are_joined(void **state)
{
	static const char *const files[] = {
		FOLDER "4711_memory_copy_trace.csv", FOLDER "4711_kernel_trace.csv",
		FOLDER "4711_marker_api_trace.csv", FOLDER "4711_hip_api_trace.csv"};
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		read_data(profile, files[i]);
	assert_int_equal(profile->input_count, 4);
	trace = profile->inputs[0].trace;
	assert_non_null(trace);
	for (size_t i = 1; i < 4; i++)
		assert_null(profile->inputs[i].trace);
	assert_int_equal(trace->device.count, 18);
	assert_int_equal(trace->host.count, 30);
	for (size_t i = 0; i < trace->device.count; i++) {
		assert_int_not_equal(trace->device.launch[i], WEIR_NONE);
		assert_int_equal(trace->host.correlation[trace->device.launch[i]],
		                 trace->device.correlation[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(profile->inputs[i].warnings[WEIR_WARN_UNLINKED].count, 0);
		assert_int_equal(profile->inputs[i].warnings[WEIR_WARN_LAUNCH_WITHOUT_WORK].count,
		                 0);
	}
	weir_profile_free(profile);
}

static void tables_of_others_stay_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	read_data(profile, FOLDER "4711_kernel_trace.csv");
	read_data(profile, FOLDER "results.csv");
	assert_non_null(profile->inputs[0].trace);
	assert_non_null(profile->inputs[1].trace);
	weir_profile_free(profile);
}

static struct weir_profile *read_two(const char *first, const char *second)
{
	const char *const paths[] = {first, second};
	const struct weir_read_options options = {0};
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	if (weir_read_paths(profile, paths, 2, &options, &err))
		fail_msg("%s", err.message);
	return profile;
}

#define AGENTS FOLDER "4711_agent_info.csv"

static void agents_name_the_devices_of_their_run(void **state)
{
	struct weir_profile *profile = read_two(AGENTS, FOLDER "4711_kernel_trace.csv");
	const struct weir_trace *trace = profile->inputs[1].trace;

	(void)state;
	assert_null(profile->inputs[0].trace);
	assert_int_equal(trace->devices[0].id, 4);
	assert_string_equal(name_of(trace, trace->devices[0].name), "Example Instinct");
	assert_int_equal(trace->devices[0].sms, 304);
	assert_int_equal(trace->devices[0].warp_size, 64);
	assert_int_equal(trace->device.count, 12);
	weir_profile_free(profile);
}

static void devices_numbered_among_gpus_are_named_by_their_order(void **state)
{
	static const char kernels[] = KERNELS KERNEL("\"GPU 0\"", "2", "m", "9", "100", "200");
	static const char agents[] =
		"\"Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n"
		"0,\"CPU\",\"a\",\"a\"\n2,\"GPU\",\"gfx90a\",\"\"\n3,\"GPU\",\"gfx90a\",\"B\"\n";
	struct weir_profile *profile;
	const struct weir_trace *trace;
	char first[256];

	(void)state;
	make_folder();
	snprintf(first, sizeof(first), "%s",
	         write_file("agent_info.csv", agents, sizeof(agents) - 1));
	profile = read_two(first, write_file("kernel_trace.csv", kernels, sizeof(kernels) - 1));
	trace = profile->inputs[1].trace;
	assert_int_equal(trace->devices[0].id, 0);
	assert_string_equal(name_of(trace, trace->devices[0].name), "gfx90a");
	weir_profile_free(profile);
	remove_folder();
}

/* Agents of another run, or without work. */
static void agents_without_their_work_name_nothing(void **state)
{
	struct weir_profile *profile = read_two(AGENTS, FOLDER "results.csv");
	struct weir_error err = {0};

	(void)state;
	assert_null(profile->inputs[0].trace);
	assert_int_not_equal(profile->inputs[1].trace->device.count, 0);
	weir_profile_free(profile);
	profile = weir_profile_new();
	assert_int_equal(weir_read_path(profile, AGENTS, NULL, &err), WEIR_E_EMPTY);
	assert_non_null(strstr(err.message, "but has no events"));
	weir_profile_free(profile);
}

static void what_has_no_rows_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, KERNELS, WEIR_E_EMPTY, "no row below the header");
	reading_refuses(reader, KERNELS KERNEL("4", "1", "a", "1", "0", "0"), WEIR_E_EMPTY,
	                "line 2: start and end are 0");
	reading_refuses(reader, "1,2,3\n", WEIR_E_FORMAT, "line 1: expected a header");
}

static void tables_are_known_by_their_headers(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(KERNELS), "rocprof");
	assert_string_equal(reading_claims(CALLS), "rocprof");
	assert_string_equal(reading_claims(COPIES), "rocprof");
	assert_string_equal(reading_claims("\"Name\",\"Calls\",\"TotalDurationNs\"\n"), "rocprof");
	assert_string_equal(reading_claims("\"Name\",\"Calls\"\n"), "none");
	assert_string_equal(reading_claims("Start_Timestamp,End_Timestamp\n"), "none");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(
		reader, KERNELS KERNEL("\"Agent 4\"", "2", "m(int*, int)", "9", "100", "200"));
	reading_survives_damage(reader, COPIES "\"MEMORY_COPY\",\"HOST_TO_DEVICE\",0,4,1,1,2\n");
	reading_survives_damage(reader, "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"a\",1,2\n");
}

static void samples_are_read_or_refused(void **state)
{
	static const struct {
		const char *file;
		bool read;
		const char *message;
	} samples[] = {
		{"rocprofv3_counter_collection.csv", true, NULL},
		{"rocprofv3_hip_api_stats.csv", true, NULL},
		{"rocprofv3_hip_domain_stats.csv", true, NULL},
		{"rocprofv3_hip_runtime_trace.csv", true, NULL},
		{"rocprofv3_hip_trace.csv", true, NULL},
		{"rocprofv3_hsa_api_trace.csv", true, NULL},
		{"rocprofv3_kernel_trace.csv", true, NULL},
		{"rocprofv3_marker_api_trace.csv", true, NULL},
		{"rocprofv3_memory_allocation_trace.csv", true, NULL},
		{"rocprofv3_memory_copy_trace.csv", true, NULL},
		{"rocprofv3_pc_sampling_host_trap.csv", false, "program counters"},
		{"rocprofv3_rccl_trace.csv", true, NULL},
		{"rocprofv3_rocpd-to-csv.csv", true, NULL},
		{"rocprofv3_scratch_memory_trace.csv", false, "scratch memory"},
		{"self_kernel_trace.csv", true, NULL},
	};

	(void)state;
	shelf_need(SAMPLES "self_kernel_trace.csv"); /* skips before anything is allocated */
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text path = {0};

		weir_text_printf(&path, SAMPLES "%s", samples[i].file);
		reading_sample(path.data, samples[i].read ? reader : NULL, samples[i].message,
		               profile);
		weir_text_release(&path);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dispatch_becomes_device_work),
		cmocka_unit_test(copies_belong_to_the_device_at_either_end),
		cmocka_unit_test(calls_and_markers_are_told_apart),
		cmocka_unit_test(times_that_the_device_never_wrote_are_counted),
		cmocka_unit_test(a_row_cut_short_is_left_out),
		cmocka_unit_test(a_header_may_come_again),
		cmocka_unit_test(the_older_profiler_is_read_alike),
		cmocka_unit_test(totals_are_figures_of_the_whole_run),
		cmocka_unit_test(shares_below_all_tell_that_rows_are_missing),
		cmocka_unit_test(totals_without_extremes_are_of_rocprof_v1),
		cmocka_unit_test(kernels_with_counters_are_totals),
		cmocka_unit_test(kernels_of_rocprof_compute_are_totals),
		cmocka_unit_test(calls_of_the_host_are_no_operators),
		cmocka_unit_test(tables_of_one_process_are_joined),
		cmocka_unit_test(tables_of_others_stay_apart),
		cmocka_unit_test(agents_name_the_devices_of_their_run),
		cmocka_unit_test(devices_numbered_among_gpus_are_named_by_their_order),
		cmocka_unit_test(agents_without_their_work_name_nothing),
		cmocka_unit_test(what_has_no_rows_is_refused),
		cmocka_unit_test(tables_are_known_by_their_headers),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(samples_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
