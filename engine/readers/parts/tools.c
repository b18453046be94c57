/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/parts/tools.h"

#define AS_SAMPLES                                                                                 \
	"write times as CSV with the columns name,value,unit (docs/formats.md), or figures as "    \
	"weir.run/1"
#define OF_SERVER   AS_SAMPLES "; the server's log or metrics pages say why requests wait"
#define HYPERFINE   "run hyperfine with --export-json FILE and pass that file"
#define LLAMA_BENCH "run llama-bench -o json and pass what it writes to its standard output"

#define OF_STACKS "record stacks: perf record -g COMMAND, then perf script > FILE"
#define OF_PYTHON "run py-spy record -f speedscope -o FILE -- python SCRIPT and pass that file"
#define OF_PROGRAM                                                                                 \
	"record the program with torch.profiler and pass the trace that export_chrome_trace() "    \
	"writes"

/* The sign for degrees in UTF-8. */
#define DEGREES                                                                                    \
	"\xc2\xb0"                                                                                 \
	"C"

const struct weir_tool weir_tools[] = {
	/* load generators */
	{.what = "a table of percentiles by HdrHistogram, which wrk2 and others print",
         .advice = OF_SERVER,
         .marks = {{.first = "",
                    .texts = {{"Percentile", "TotalCount", "1/(1-Percentile)"}, .all = 3}}}},
	{.what = "the start of a report of wrk, without results",
         .advice = "run wrk until it ends: its results are in its last lines",
         .marks = {{.first = "R",
                    .texts = {{"Running ", " test @ ", " threads and ", " connections"},
                              .all = 4}}}},
	{.what = "a list of the requests by ApacheBench (ab -g), which is sorted by their times "
                 "and states "
                 "no status",
         .advice = "pass the report that ab prints, or the table of its percentiles (ab -e FILE)",
         .marks = {{.first = "s",
                    .texts = {{"starttime\tseconds\tctime\tdtime\tttime\twait"}, .all = 1}}}},
	{.what = "a report of ApacheBench as HTML (ab -w)",
         .advice = "run ab without -w and pass its text",
         .marks = {{.first = "<", .texts = {{"This is ApacheBench, Version"}, .all = 1}}}},
	{.what = "the output of ApacheBench (ab) without results",
         .advice = "read why ab stopped, and run it until it prints its report",
         .marks = {{.first = "", .texts = {{"This is ApacheBench, Version"}, .all = 1}}}},
	{.what = "a summary of k6 without times of requests (http_req_duration)",
         .advice = "run k6 run --summary-export FILE with requests by k6/http or k6/net/grpc, or "
                   "--out json=FILE; else " AS_SAMPLES,
         .marks = {{.first = "{", .keys = {{"metrics", "root_group"}, .all = 2}},
                   {.first = "", .texts = {{"iteration_duration", "p(95)="}, .all = 2}}}},
	{.what = "a histogram by vegeta, which states no percentiles",
         .advice = "run vegeta report -type=json, or vegeta encode --to json for every request",
         .marks = {{.first = "B",
                    .texts = {{"Bucket ", " #  ", " %  ", "Histogram", "+Inf]"}, .all = 5}}}},
	{.what = "results of vegeta in its binary form",
         .advice = "write them as text: vegeta encode --to json FILE > results.jsonl",
         .marks = {{.first = "",
                    .texts = {{"\x06"
                               "Result",
                               "\x06"
                               "Attack",
                               "\x09"
                               "Timestamp",
                               "\x07"
                               "Latency"},
                              .all = 4}}}},
	/* benchmarks */
	{.what = "a table of nccl-tests or rccl-tests, the times and bandwidths of single "
                 "collectives",
         .advice = "pass a trace of each rank of the program (torch.profiler, nsys), in which weir "
                   "measures its own collectives",
         .marks = {{.first = "", .texts = {{"algbw", "busbw", "(us)"}, .all = 3}},
                   {.first = "#",
                    .texts = {{"# nThread ", " minBytes ", " maxBytes "}, .all = 3}}}},
	{.what = "a statistics report of OpenVINO's benchmark_app",
         .advice = "pass the log of benchmark_app, which ends with the same figures",
         .marks = {{.first = "",
                    .texts = {{"Execution results", "total number of iterations;"}, .all = 2}}}},
	{.what = "SQL of llama-bench (-o sql)",
         .advice = LLAMA_BENCH,
         .marks = {{.first = "", .texts = {{"INSERT INTO ", "n_prompt", "avg_ts"}, .all = 3}}}},
	{.what = "JSON of llama-bench between other lines",
         .advice = LLAMA_BENCH ", without the lines of its standard error",
         .marks = {{.first = "", .texts = {{"\"n_gen\":", "\"avg_ts\":"}, .all = 2}}}},
	{.what = "a table of llama-batched-bench",
         .advice = LLAMA_BENCH,
         .marks = {{.first = "", .texts = {{" S_PP t/s ", " S_TG t/s "}, .all = 2}}}},
	{.what = "a log of llama.cpp without the times of both the prompt and the answer of a "
                 "request (prompt eval time, eval time)",
         .advice = "pass the whole log, record pages of /metrics under load (llama-server "
                   "--metrics), or "
                   "run llama-bench -o json",
         .marks = {{.first = "", .texts = {{"prompt eval time =", " tokens per second"}, .all = 2}},
                   {.first = "",
                    .texts = {{"prompt eval time", " ms / ", "llama_perf_context_print",
                               "llama_print_timings", "print_timing", "print_timings"},
                              .all = 2,
                              .any = 4}},
                   {.first = "",
                    .texts = {{"slot ", "release: id ", "task ", "n_tokens = ", "n_past = "},
                              .all = 3,
                              .any = 2}}}},
	/* devices */
	{.what = "a log of llama.cpp that shows how the program started, and no request",
         .advice = "pass the log after llama-server has answered requests, which it prints with "
                   "\"prompt eval time\" and \"eval time\"",
         .marks = {{.first = "",
                    .texts = {{"srv  llama_server: ", "load_model: loading model '",
                               "llama_model_loader: loaded meta data with ",
                               "main: server is listening on ", "main: HTTP server is listening",
                               "llama server listening at ", "llama_model_load_from_file",
                               "llama_load_model_from_file"},
                              .any = 8}}}},
	{.what = "the start of a program of llama.cpp, which found its devices and printed no "
                 "result",
         .advice = "read in its last lines why it stopped, and run it until it prints its table "
                   "(llama-bench) or the times of a request",
         .marks = {{.first = "",
                    .texts = {{"ggml_cuda_init: ", "ggml_vulkan: Found ",
                               "ggml_metal_init: ", "ggml_sycl_init: ", "ggml_opencl: selected "},
                              .any = 5}}}},
	{.what = "a table that a script made of Nsight Compute's metrics, with names and units of "
                 "its own",
         .advice = "pass what ncu itself prints: ncu --import FILE --csv --page raw",
         .marks = {{.first = "",
                    .cells = {{"Kernel ID", "Theoretical occupancy", "Achieved occupancy"},
                              .all = 3}},
                   {.first = "",
                    .cells = {{"gpu__time_duration.sum", "gpu__time_duration.avg",
                               "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                               "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
                              .any = 4}}}},
	{.what = "metrics or events by nvprof, counters of kernels without their times",
         .advice = "record counters with ncu --csv --page raw, and times with nvprof without "
                   "--metrics and --events",
         .marks = {{.first = "",
                    .texts = {{"Invocations", "Metric Name", "Metric Description"}, .all = 3}},
                   {.first = "", .texts = {{"Invocations", "Event Name", "Device"}, .all = 3}},
                   {.first = "",
                    .texts = {{"Correlation_ID", "Kernel", "Context", "Stream", "Device"},
                              .all = 5}}}},
	{.what = "counters of kernels by rocprof, without their times",
         .advice = "record rocprof --timestamp on with the same counters (-i FILE), or rocprof "
                   "--stats",
         .marks = {{.first = "",
                    .cells = {{"KernelName", "gpu-id", "queue-id", "queue-index", "grd", "wgr"},
                              .all = 6}}}},
	{.what = "a sheet of a report by TraceLens",
         .advice = "pass the trace that it was made of",
         .marks = {{.first = "t", .cells = {{"type", "time ms", "percent"}, .all = 3}},
                   {.first = "",
                    .cells = {{"op category", "total_direct_kernel_time_ms"}, .all = 2}}}},
	{.what = "a table of times of steps by Ascend's profiler (step_trace_time.csv), or by "
                 "msprof-analyze over its ranks",
         .advice = "pass the trace_view.json of each rank",
         .marks = {{.first = "",
                    .cells = {{"Step", "Computing", "Communication(Not Overlapped)", "Free",
                               "Bubble"},
                              .all = 5}}}},
	{.what = "the output of nvprof, which profiled nothing",
         .advice = "record the program with nsys profile, which knows newer devices and versions "
                   "of CUDA, and check that it runs on the device",
         .marks = {{.first = "", .texts = {{"No kernels were profiled.", "NVPROF"}, .all = 2}},
                   {.first = "", .texts = {{"Warning: No profile data collected."}, .all = 1}}}},
	{.what = "a matrix of bandwidths by nvbandwidth",
         .advice = "pass a trace of the program (torch.profiler, nsys), in which weir measures its "
                   "own copies",
         .marks = {{.first = "",
                    .texts = {{"nvbandwidth Version:", "memcpy "}, .all = 1, .any = 1}}}},
	{.what = "a report of nsys analyze",
         .advice = "pass the recording that it was made of: nsys export --type sqlite FILE",
         .marks = {{.first = "",
                    .texts = {{" ** ", "(cuda_memcpy_async):", "(cuda_memcpy_sync):",
                               "(cuda_memset_sync):", "(cuda_api_sync):", "(gpu_gaps):",
                               "(gpu_time_util):", "(dx12_mem_ops):"},
                              .all = 1,
                              .any = 7}}}},
	{.what = "the text of a variant of gpustat, with memory in GB",
         .advice = "pass the text of gpustat itself, or record nvidia-smi --query-gpu=... "
                   "--format=csv",
         .marks = {{.first = "", .texts = {{"[0] ", DEGREES ",", " % |", " GB |"}, .all = 4}},
                   {.first = "", .texts = {{"[0] ", "'C,", " % |", " GB |"}, .all = 4}}}},
	{.what = "a list of samples by radeontop",
         .advice = "record rocm-smi or amd-smi monitor with --csv",
         .marks = {{.first = "", .texts = {{"gpu ", ", ee ", ", vgt ", ", ta "}, .all = 4}}}},
	{.what = "samples of intel_gpu_top",
         .advice = "record xpu-smi dump -d 0 -m 0,1,2 if it knows the device; else " AS_SAMPLES,
         .marks = {{.first = "", .texts = {{"Freq MHz", "IRQ", "RC6", "req", "act"}, .all = 5}},
                   {.first = "{[", .keys = {{"period", "frequency", "rc6", "engines"}, .all = 4}}}},
	{.what = "samples of powermetrics (macOS)",
         .advice = AS_SAMPLES,
         .marks = {{.first = "", .texts = {{"*** Sampled system activity ("}, .all = 1}}}},
	{.what = "a table of kernels by PyTorch Inductor (TORCHINDUCTOR_PROFILE or a benchmark of "
                 "its kernels), which holds Triton kernels alone",
         .advice = "record the program with torch.profiler and pass the trace that "
                   "export_chrome_trace() writes, or the text of key_averages().table()",
         .marks = {{.first = "", .texts = {{"TRITON KERNELS BANDWIDTH INFO"}, .all = 1}},
                   {.first = "",
                    .texts = {{"ms ", "GB/s", " GB ", "triton_poi_", "triton_red_", "triton_per_",
                               "triton_tem_"},
                              .all = 3,
                              .any = 4}}}},
	/* profiles of the host */
	{.what = "a text of line_profiler",
         .advice = "run python -m cProfile -o FILE SCRIPT and pass that file",
         .marks = {{.first = "", .texts = {{"Timer unit: ", "Line #", "% Time"}, .all = 3}}}},
	{.what = "a report of Lightning's profiler",
         .advice = "run Trainer(profiler=\"pytorch\") and pass the trace that it writes",
         .marks = {{.first = "",
                    .texts = {{"Profiler Report", "Mean duration (s)", "Num calls"}, .all = 3}},
                   {.first = "", .texts = {{"Profiler Report", "Profile stats for: "}, .all = 2}}}},
	{.what = "a profile of V8 (.cpuprofile of Node.js or Chrome)",
         .advice = "open it in speedscope, export it from there and pass that file",
         .marks = {{.first = "{",
                    .keys = {{"nodes"}, .all = 1},
                    .texts = {{"\"callFrame\"", "\"hitCount\"", "\"functionName\""}, .all = 3}}}},
	{.what = "the raw text of pprof",
         .advice = "fold the stacks: go tool pprof -raw PROFILE | stackcollapse-go.pl > FILE (of "
                   "FlameGraph), and pass that file",
         .marks = {{.first = "",
                    .texts = {{"PeriodType: ", "\nPeriod: ", "\nSamples:\n"}, .all = 3}}}},
	{.what = "a table of system calls by strace -c",
         .advice = OF_STACKS,
         .marks = {{.first = "%",
                    .texts = {{"% time", "usecs/call", "calls", "errors", "syscall"}, .all = 5}}}},
	{.what = "a profile of Scalene",
         .advice = OF_PYTHON,
         .marks = {{.first = "{", .keys = {{"alloc_samples", "elapsed_time_sec"}, .all = 2}}}},
	{.what = "a profile by gprof",
         .advice = "record stacks: perf record -g COMMAND, then perf script > FILE",
         .marks = {{.first = "",
                    .texts = {{"Each sample counts as ", "cumulative", "self"}, .all = 3}}}},
	{.what = "callers or callees by cProfile, without the table of its functions",
         .advice = "pass the text of print_stats(), or write the profile itself with python -m "
                   "cProfile -o FILE SCRIPT",
         .marks = {{.first = "",
                    .texts = {{" function calls", "ncalls", "tottime", "cumtime"}, .all = 4}}}},
	{.what = "a list of stacks at one moment (py-spy dump)",
         .advice = "record over time: py-spy record --pid PID -f speedscope -o FILE, or -f raw",
         .marks = {{.first = "P", .texts = {{"Process ", "\nPython v", "\nThread "}, .all = 3}}}},
	{.what = "a profile of pyinstrument",
         .advice = "write it with pyinstrument -r speedscope -o FILE",
         .marks = {{.first = "",
                    .texts = {{"Recorded: ", "Samples: ", "Duration: ", "CPU time: "}, .all = 4}},
                   {.first = "{", .keys = {{"root_frame", "sample_count"}, .all = 2}}}},
	{.what = "a table of counters by perf stat, which counts events and names no functions",
         .advice = "record stacks: perf record -g COMMAND, then perf script > FILE; for times of a "
                   "command that a gate can compare, " HYPERFINE,
         .marks = {{.first = "", .texts = {{"Performance counter stats for "}, .all = 1}},
                   {.first = "",
                    .texts = {{",msec,task-clock", ";msec;task-clock", ",msec,cpu-clock",
                               ",,cycles", ",,instructions", ",,context-switches", ",,page-faults",
                               ",,cache-misses", ",,branch-misses"},
                              .any = 9}},
                   {.first = "{", .keys = {{"counter-value", "event"}, .all = 2}}}},
	{.what = "a table of perf report without functions (the column Symbol) or without the line "
                 "of its event (# Samples: ... of event ...)",
         .advice = "run perf report --stdio, or perf script -i perf.data > FILE and pass that "
                   "file",
         .marks = {{.first = "#", .texts = {{"# Overhead ", "# Samples: "}, .all = 2}},
                   {.first = "#", .texts = {{"# Children ", " Self ", "# Samples: "}, .all = 3}}}},
	/* benchmarks */
	{.what = "what hyperfine prints: mean, minimum and maximum of each command, without the "
                 "single "
                 "times that tell a change from noise",
         .advice = HYPERFINE,
         .marks = {{.first = "",
                    .texts = {{"  Time (mean \xc2\xb1 ", "  Range (min "}, .all = 2}}}},
	{.what = "a table of hyperfine (--export-markdown): mean, minimum and maximum of each "
                 "command, "
                 "without the single times that tell a change from noise",
         .advice = HYPERFINE,
         .marks = {{.first = "|", .texts = {{"| Command | Mean ["}, .all = 1}}}},
	{.what = "a table of hyperfine (--export-csv): mean, deviation, median, minimum and "
                 "maximum of "
                 "each command, without the single times that tell a change from noise",
         .advice = HYPERFINE,
         .marks = {{.first = "",
                    .cells = {{"command", "mean", "stddev", "median", "user", "system"},
                              .all = 6}}}},
	{.what = "what go test -json prints, in which a result is spread over several events",
         .advice = "run go test -bench . without -json and pass what it prints",
         .marks = {{.first = "{",
                    .keys = {{"Time", "Action", "Package", "Output"}, .all = 3},
                    .texts = {{"\"Output\":\""}, .all = 1}}}},
	{.what = "measurements of torch.utils.benchmark as text",
         .advice = "write each of measurement.times as CSV with the columns name,value,unit "
                   "(docs/formats.md)",
         .marks = {{.first = "",
                    .texts = {{"<torch.utils.benchmark.utils.common.Measurement object"},
                              .all = 1}},
                   {.first = "", .texts = {{" threads: --", "Times are in "}, .all = 2}}}},
	{.what = "a result of asv (airspeed velocity), which holds medians of benchmarks",
         .advice = AS_SAMPLES,
         .marks = {{.first = "{",
                    .keys = {{"commit_hash", "env_name", "result_columns"}, .all = 3}}}},
	{.what = "a log of training with the times of batches so far",
         .advice = OF_PROGRAM "; or write the time of each batch as CSV with the columns "
                              "name,value,unit (docs/formats.md)",
         .marks = {{.first = "", .texts = {{"Epoch: [", "\tTime ", "\tData "}, .all = 3}}}},
	{.what = "a log of ComfyUI with the time of each prompt",
         .advice = OF_PROGRAM "; or write the time of each prompt as CSV with the columns "
                              "name,value,unit (docs/formats.md)",
         .marks = {{.first = "", .texts = {{"got prompt", "Prompt executed in "}, .all = 2}}}},
	{.what = "a report of DeepSpeed's flops profiler, which counts operations of a model",
         .advice = OF_PROGRAM,
         .marks = {{.first = "", .texts = {{"DeepSpeed Flops Profiler"}, .all = 1}}}},
	/* machines */
	{.what = "samples of a whole machine (vmstat, dstat, sar, mpstat, iostat), which name no "
                 "program and no device",
         .advice = OF_STACKS "; or record nvidia-smi --query-gpu=... --format=csv",
         .marks = {{.first = "p", .texts = {{"procs -", "memory-", "swap-", "cpu-"}, .all = 4}},
                   {.first = "",
                    .texts = {{"\"usr\",\"sys\",\"idl\",\"wai\"", "usr sys idl wai"}, .any = 2}},
                   {.first = "",
                    .texts = {{"%nice", "%iowait", "%steal", "%usr", "%user"},
                              .all = 3,
                              .any = 2}}}},
	{.what = "a table that Grafana exported, with a column Time",
         .advice = "pass pages of /metrics themselves, or record nvidia-smi --query-gpu=... "
                   "--format=csv",
         .marks = {{.first = "\"", .cells = {{"Time"}, .all = 1}}}},
	/* spans */
	{.what = "a list of spans by OpenTelemetry's stdout exporter",
         .advice = "export them as OTLP (the collector's file exporter writes JSON)",
         .marks = {{.first = "{[",
                    .keys = {{"Name", "SpanContext", "SpanKind", "Parent"}, .all = 3}}}},
	{.what = "spans by ConsoleSpanExporter of OpenTelemetry for JavaScript, which is no JSON",
         .advice = "export them as OTLP (the collector's file exporter writes JSON)",
         .marks = {{.first = "{",
                    .texts = {{"\n  traceId: '", "\n  kind: ", "\n  timestamp: ", "\n  duration: "},
                              .all = 4}}}},
	{.what = "traces of AWS X-Ray",
         .advice = "export the spans as OTLP (the collector's file exporter writes JSON)",
         .marks = {{.first = "{", .keys = {{"Id", "Duration", "Segments"}, .all = 3}},
                   {.first = "{", .keys = {{"Traces", "UnprocessedTraceIds"}, .all = 2}}}},
	{0},
};

const struct weir_tool *weir_tools_find(const char *head, size_t len)
{
	for (const struct weir_tool *tool = weir_tools; tool->what; tool++)
		for (const struct weir_mark *mark = tool->marks; mark->first; mark++)
			if (weir_mark_bits(mark, head, len))
				return tool;
	return NULL;
}
