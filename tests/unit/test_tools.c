/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/tools.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

/* The beginning of a report, a word of the description and one of the advice. */
static const struct {
	const char *head, *what, *advice;
} rows[] = {
	{"Running 30s test @ http://localhost:8000/\n  4 threads and 100 connections\n",
         "report of wrk, without results", "until it ends"},
	{"       Value   Percentile   TotalCount 1/(1-Percentile)\n", "HdrHistogram",
         "name,value,unit"},
	{"starttime\tseconds\tctime\tdtime\tttime\twait\n", "ab -g", "ab -e FILE"},
	{"This is ApacheBench, Version 2.3 <$Revision: 1 $>\n\nBenchmarking a (be patient)...",
         "ApacheBench (ab) without results", "until it prints"},
	{"<p>\n This is ApacheBench, Version 2.3 <i>&lt;$Revision$&gt;</i><br>\n", "ab -w",
         "without -w"},
	{"{\"metrics\": {\"iterations\": {}}, \"root_group\": {}}", "k6", "--summary-export"},
	{"     iteration_duration...: avg=1.5ms min=1ms med=1ms max=2ms p(90)=2ms p(95)=2ms\n",
         "k6", "--summary-export"},
	{"Bucket         #     %       Histogram\n[0s,     2ms]  60    60.00%  ####\n"
         "[2ms,    +Inf]  40   40.00%  ###\n",
         "a histogram by vegeta", "-type=json"},
	{"\x7f\xff\x81\x03\x01\x01\x06Result\x01\xff\x82 \x01\x0b\x01\x06"
         "Attack\x01\x0c \x01\x03Seq\x01\x06 \x01\x09Timestamp\x01\xff\x84 \x01\x07Latency\x01\x04",
         "binary form", "vegeta encode"},
	{"{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"output\",\"Package\":\"a\",\"Output\":"
         "\"goos: linux\\n\"}\n",
         "go test -json", "without -json"},
	{"<torch.utils.benchmark.utils.common.Measurement object at 0x7fb1>\nmul_sum(x, x)\n  "
         "111.92 us\n",
         "torch.utils.benchmark", "measurement.times"},
	{"[------- dot -------]\n      |  a  |  b\n1 threads: ---------\n\nTimes are in "
         "microseconds (us).\n",
         "torch.utils.benchmark", "measurement.times"},
	{"{\"commit_hash\": \"abc\", \"env_name\": \"conda\", \"result_columns\": [\"result\"], "
         "\"results\": {}}",
         "asv", "name,value,unit"},
	{"Epoch: [0][ 10/100]\tTime  0.123 ( 0.150)\tData  0.010 ( 0.020)\tLoss 1.2e+00\n",
         "a log of training", "torch.profiler"},
	{"got prompt\n100%| 20/20 [00:04<00:00,  4.35it/s]\nPrompt executed in 6.12 seconds\n",
         "ComfyUI", "torch.profiler"},
	{"------ DeepSpeed Flops Profiler ------\nProfile Summary at step 10:\n", "DeepSpeed",
         "torch.profiler"},
	{"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n",
         "vmstat", "nvidia-smi"},
	{"\"pcp-dstat 5.0\"\n\"usr\",\"sys\",\"idl\",\"wai\",\"stl\",\"read\",\"writ\"\n", "dstat",
         "nvidia-smi"},
	{"10:00:00 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal\n", "mpstat",
         "nvidia-smi"},
	{"\"Time\",\"GPU 0\",\"GPU 1\"\n\"2026-01-31 10:00:00\",\"45\",\"52\"\n", "Grafana",
         "/metrics"},
	{"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"hitCount\":0}]}",
         "cpuprofile", "speedscope"},
	{"PeriodType: cpu nanoseconds\nPeriod: 10000000\nSamples:\nsamples/count cpu/nanoseconds\n",
         "pprof", "stackcollapse-go.pl"},
	{"% time     seconds  usecs/call     calls    errors syscall\n------ ----------- "
         "----------- --------- --------- ----------------\n",
         "strace -c", "perf record"},
	{"{\"alloc_samples\":0,\"args\":[\"a.py\"],\"elapsed_time_sec\":3.2,\"files\":{}}",
         "Scalene", "py-spy"},
	{"{\"LimitExceeded\":false,\"Duration\":0.5,\"Id\":\"1-5759e988\",\"Segments\":[]}",
         "X-Ray", "OTLP"},
	{"{\"Traces\":[],\"UnprocessedTraceIds\":[]}", "X-Ray", "OTLP"},
	{"# nThread 1 nGpus 1 minBytes 8 maxBytes 16\n#       size         count      type   redop "
         "   root     time   algbw   busbw #wrong\n#        (B)    (elements)            (us)\n",
         "nccl-tests", "a trace of each rank"},
	{"# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 2 minBytes 8 maxBytes 64 "
         "step: 2(factor)\n#\n# Using devices\n",
         "nccl-tests", "a trace of each rank"},
	{"Command line parameters\nm;model.xml\n\nExecution results\n"
         "total number of iterations;500\n",
         "benchmark_app", "the log of benchmark_app"},
	{"0.00.002.264 I srv  llama_server: initializing ...\n0.02.996.596 I srv    load_model: "
         "loading model 'a.gguf'\n",
         "no request", "after llama-server has answered requests"},
	{"build: 8121 (a0c91e8f9)\nllama_model_loader: loaded meta data with 23 key-value pairs "
         "and "
         "201 tensors from a.gguf\n",
         "no request", "after llama-server has answered requests"},
	{"ggml_cuda_init: found 1 ROCm devices:\nHW Exception by GPU node-1\n", "llama.cpp",
         "why it stopped"},
	{"ggml_vulkan: Found 1 Vulkan devices:\n", "printed no result", "prints its table"},
	{"CREATE TABLE IF NOT EXISTS llama_bench (\n  n_prompt INTEGER,\n  avg_ts REAL\n);\n"
         "INSERT INTO llama_bench (n_prompt, avg_ts) VALUES ('1', '2');\n",
         "SQL of llama-bench", "llama-bench -o json"},
	{"ggml_cuda_init: found 1 CUDA devices:\n[\n  {\n    \"n_prompt\": 1,\n    \"n_gen\": 0,\n"
         "    \"avg_ts\": 2.5\n  }\n]\n",
         "between other lines", "without the lines"},
	{"|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |\n",
         "llama-batched-bench", "llama-bench -o json"},
	{"prompt eval time =     115.66 ms /    14 tokens (    8.26 ms per token,   121.04 tokens "
         "per second)\n",
         "llama.cpp", "--metrics"},
	{"llama_perf_context_print: prompt eval time =  9.00 ms /   14 tokens\n", "llama.cpp",
         "llama-bench -o json"},
	{"slot      release: id  0 | task 7 | stop processing: n_tokens = 51, truncated = 0\n",
         "llama.cpp", "--metrics"},
	{"| Command | Mean [s] | Min [s] | Max [s] | Relative |\n", "mean, minimum and maximum",
         "--export-json"},
	{"command,mean,stddev,median,user,system,min,max\n", "deviation, median", "--export-json"},
	{"  Time (mean \xc2\xb1 \xcf\x83):  1.0 s \xc2\xb1  0.1 s\n  Range (min \xe2\x80\xa6 max): "
         " 1 s\n",
         "what hyperfine prints", "--export-json"},
	{"==7== NVPROF is profiling process 7\n==7== Profiling result:\n\"Device\",\"Context\","
         "\"Stream\",\"Kernel\",\"Correlation_ID\",\"ipc\"\n",
         "metrics or events by nvprof", "nvprof without --metrics"},
	{"==7== NVPROF is profiling process 7\n==7== Profiling result:\nNo kernels were "
         "profiled.\n",
         "which profiled nothing", "nsys profile"},
	{"Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,wave_size,sig,obj,"
         "LDSBankConflict\n0,\"scale\",0,0,0,7,7,1024,256,0,0,64,0x0,0x7f00,0.0\n",
         "rocprof", "--timestamp on"},
	{"type,time ms,percent\ncomputation_time,12.5,80.0\nbusy_time,14.5,92.8\n", "TraceLens",
         "pass the trace"},
	{"op category,Count,total_direct_kernel_time_ms,Percentage (%),Cumulative Percentage (%)\n"
         "GEMM,12,3.5,70.0,70.0\n",
         "TraceLens", "pass the trace"},
	{"Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,"
         "Stage,Bubble\n,rank,0,10.5,2.5,0.5,3.0,7.0,20.0,0.0\n",
         "step_trace_time.csv", "trace_view.json"},
	{"======== Warning: No profile data collected.\n", "which profiled nothing",
         "nsys profile"},
	{"TRITON KERNELS BANDWIDTH INFO (./a.py)\n0.160ms    \t0.453 GB \t 2826.25GB/s \t 10.80% "
         "\t triton_red_fused_5\n",
         "PyTorch Inductor", "export_chrome_trace()"},
	{"0.160ms    \t0.453 GB \t 2826.25GB/s \t triton_red_fused_5\n", "PyTorch Inductor",
         "key_averages()"},
	{"0.011ms    \t0.005 GB \t 826.25GB/s \t triton_poi_fused_add_0\n", "PyTorch Inductor",
         "key_averages()"},
	{"Timer unit: 1e-06 s\n\nTotal time: 0.5 s\nFile: a.py\nFunction: f at line 3\n\n"
         "Line #      Hits         Time  Per Hit   % Time  Line Contents\n",
         "line_profiler", "cProfile -o FILE"},
	{"FIT Profiler Report\n\n-----\n|  Action  |  Mean duration (s)\t|  Num calls      \t|  "
         "Total "
         "time (s)  |  Percentage %    |\n",
         "Lightning", "profiler=\"pytorch\""},
	{"FIT Profiler Report\n\nProfile stats for: run_training_epoch\n         197 function "
         "calls "
         "in 0.002 seconds\n\n   ncalls  tottime  percall  cumtime\n",
         "Lightning", "profiler=\"pytorch\""},
	{"Flat profile:\n\nEach sample counts as 0.01 seconds.\n  %   cumulative   self            "
         "  "
         "self     total\n",
         "gprof", "perf script"},
	{"==71== Metric result:\nInvocations                               Metric Name           "
         "             Metric Description         Min         Max         Avg\n",
         "nvprof", "ncu --csv"},
	{"==71== Event result:\n\"Device\",\"Kernel\",\"Invocations\",\"Event "
         "Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n",
         "nvprof", "ncu --csv"},
	{"Processing [x.sqlite] with [/opt/rules/cuda_memcpy_async.py]...\n\n ** CUDA Async Memcpy "
         "with Pageable Memory (cuda_memcpy_async):\n\nThere were no problems detected\n",
         "nsys analyze", "nsys export"},
	{"node3  CPU:  1.0%   3/ 126 GB Sun Jan  4 10:00:00 2026  575.51.03\n[0] NVIDIA A100 | "
         "33\xc2\xb0"
         "C,   0 % |    1 /  40 GB | ada(1G)\n",
         "gpustat", "--query-gpu"},
	{"[0] NVIDIA A100 | 33'C,   0 % |    1 /  40 GB | ada(1G)\n", "gpustat", "--query-gpu"},
	{"Dumping to -, until termination.\n1767607200.263: bus 01, gpu 4.17%, ee 0.00%, vgt "
         "1.67%, "
         "ta 4.17%, sx 4.17%, vram 10.17% 207.81mb\n",
         "radeontop", "--csv"},
	{" Freq MHz      IRQ RC6     Power W             RCS\n req  act       /s   %   gpu   pkg   "
         "    "
         "%  se  wa\n  500  498      120  10  1.50  9.00   40.00   0   0\n",
         "intel_gpu_top", "xpu-smi dump"},
	{"[\n{\"period\": {\"duration\": 16.1}, \"frequency\": {}, \"interrupts\": {}, \"rc6\": "
         "{}, "
         "\"engines\": {}}\n",
         "intel_gpu_top", "xpu-smi dump"},
	{"Machine model: Mac14,6\n\n*** Sampled system activity (Mon Jan  5 10:00:00 2026 +0000) "
         "(1005.53ms elapsed) ***\n",
         "powermetrics", "name,value,unit"},
	{"         197 function calls (192 primitive calls) in 0.002 seconds\n\n   Ordered by: "
         "cumulative time\n\nFunction                 was called by...\n"
         "                             ncalls  tottime  cumtime\n",
         "cProfile", "cProfile -o FILE"},
	{"Process 4711: python serve.py\nPython v3.11.2 (/usr/bin/python3.11)\n\nThread 4711 "
         "(idle): "
         "\"MainThread\"\n    wait (threading.py:320)\n",
         "py-spy dump", "py-spy record"},
	{"\n  _     ._   __/__   _ _  _  _ _/_   Recorded: 12:00:00  Samples:  100\n"
         " /_//_/// /_\\ / //_// / //_'/ //     Duration: 1.0       CPU time: 0.9\n",
         "pyinstrument", "-r speedscope"},
	{"{\"start_time\": 1.0, \"duration\": 1.0, \"sample_count\": 9, \"root_frame\": {}}",
         "pyinstrument", "-r speedscope"},
	{"\n Performance counter stats for 'python serve.py':\n\n          1,024.50 msec "
         "task-clock\n",
         "perf stat", "perf script"},
	{"# started on Sun Jan  4 10:00:00 "
         "2026\n\n1024.50,msec,task-clock,1024500000,100.00,0.9,CPUs "
         "utilized\n20,,context-switches,1024500000,100.00,0.02,K/sec\n",
         "names no functions", "perf script"},
	{"20,,cycles:u,1024500000,66.13,3.6,GHz\n", "perf stat", "perf script"},
	{"{\"counter-value\" : \"1024.5\", \"unit\" : \"msec\", \"event\" : \"task-clock\"}\n",
         "perf stat", "perf script"},
	{"# To display the perf.data header info, please use --header/--header-only options.\n#\n"
         "# Samples: 1K of event 'cycles'\n# Event count (approx.): 100\n#\n"
         "# Overhead  Command  Shared Object\n",
         "perf report", "perf script"},
	{"# Total Lost Samples: 0\n#\n# Samples: 263  of event 'cycles:P'\n#\n"
         "# Children      Self  Command  Shared Object\n"
         "# ........  ........  .......  .............\n",
         "perf report", "perf script"},
	{"| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n"
         "| `a` | 1.0 \xc2\xb1 0.3 | 0.4 | 1.9 | 1.00 |\n",
         "hyperfine", "--export-json"},
	{"Benchmark 1: a\n  Time (mean \xc2\xb1 \xcf\x83):     511.5 ms \xc2\xb1  19.2 ms    "
         "[User: 509.3 ms, "
         "System: 2.1 ms]\n  Range (min \xe2\x80\xa6 max):   485.9 ms \xe2\x80\xa6 540.4 ms    10 "
         "runs\n",
         "hyperfine", "--export-json"},
	{"nvbandwidth Version: v0.8\n\nRunning host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> "
         "GPU(column) bandwidth (GB/s)\n",
         "nvbandwidth", "trace of the program"},
	{"command,mean,stddev,median,user,system,min,max\na,1,0,1,0.5,0.1,1,1\n", "hyperfine",
         "--export-json"},
	{"{\n  resource: { attributes: {} },\n  traceId: '5af7',\n  traceState: undefined,\n"
         "  name: 'a',\n  id: '35',\n  kind: 0,\n  timestamp: 17,\n  duration: 5,\n",
         "ConsoleSpanExporter", "OTLP"},
	{"{\"Name\": \"a\", \"SpanContext\": {\"TraceID\": \"1\"}, \"Parent\": {}, \"SpanKind\": "
         "1}",
         "OpenTelemetry", "OTLP"},
	{"run,Kernel ID,Theoretical occupancy,Achieved occupancy,time\na,0,50.0,43.1,24000.0\n",
         "Nsight Compute's metrics", "ncu --import"},
	{"kernel,gpu__time_duration.sum\nadd,24000\n", "Nsight Compute's metrics", "ncu --import"},
};

static void each_report_is_refused_with_what_to_pass_instead(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_read_options options = {0};
		struct weir_error err = {0};

		assert_int_equal(weir_read_memory(profile, "report", rows[i].head,
		                                  strlen(rows[i].head), &options, &err),
		                 WEIR_E_FORMAT);
		if (!strstr(err.message, rows[i].what) || !strstr(err.message, rows[i].advice) ||
		    strchr(err.message, '\n'))
			fail_msg("\"%s\" and \"%s\" are not in: %s", rows[i].what, rows[i].advice,
			         err.message);
		weir_profile_free(profile);
	}
}

/* Each mark of the table is the one that finds some report of the list above. */
static void each_mark_of_the_table_is_shown(void **state)
{
	(void)state;
	for (const struct weir_tool *tool = weir_tools; tool->what; tool++)
		for (const struct weir_mark *mark = tool->marks; mark->first; mark++) {
			bool shown = false;

			for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
				shown |= weir_tools_find(rows[i].head, strlen(rows[i].head)) ==
				                 tool &&
				         weir_mark_bits(mark, rows[i].head, strlen(rows[i].head));
			if (!shown)
				fail_msg("%s: a mark without a report", tool->what);
		}
}

static void a_part_of_a_mark_is_not_enough(void **state)
{
	static const char *const others[] = {
		"Thread Stats   Avg      Stdev\n",
		"algbw is a column of a table\n",
		"Timer unit: 1e-06 s\n",
		"FIT Profiler Report\n",
		"Each sample counts as 0.01 seconds.\n",
		"Invocations  Metric Name\n",
		" ** CUDA Async Memcpy:\n",
		"[0] NVIDIA A100 | 33'C,   0 % |    1 /  40 MB | ada(1M)\n",
		"gpu 4.17%, ee 0.00%\n",
		"{\"period\": {}, \"frequency\": {}, \"rc6\": {}}",
		"Machine model: Mac14,6\n",
		"{\"metrics\": {}}",
		"{\"latencies\": [1, 2]}",
		"Process 4711: python serve.py\n",
		"x Process 4711\n\nPython v3\n\nThread 1\n",
		"the summary shows ncalls and tottime\n",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_null(weir_tools_find(others[i], strlen(others[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_report_is_refused_with_what_to_pass_instead),
		cmocka_unit_test(each_mark_of_the_table_is_shown),
		cmocka_unit_test(a_part_of_a_mark_is_not_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
