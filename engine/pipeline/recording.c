/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <string.h>

#include "engine/pipeline/recording.h"
#include "engine/readers/loadgen/load_join.h"

#define ANY_HOST "pass a timeline that also holds the host's launch calls"
#define ANY_MODEL                                                                                  \
	"pass a timeline with the shapes of its operators, or hardware counters of these kernels"
#define NCU_MODEL   "pass hardware counters of these kernels (ncu --set full --csv --page raw)"
#define ROCM_DEVICE "record kernels as well: rocprofv3 --kernel-trace --hip-runtime-trace"
#define ROCPD_DATABASE                                                                             \
	"pass the database that the summary was made of (*_results.db of rocprofv3), or record "   \
	"kernels: rocprofv3 --kernel-trace --hip-runtime-trace"
#define ROCM_HOST  "trace the HIP API as well: rocprofv3 --kernel-trace --hip-runtime-trace"
#define ROCM_MODEL "pass a torch.profiler trace with record_shapes=True, so that shapes are known"
#define ROCPROF_1                                                                                  \
	"pass results.csv (its kernels) or results.json (rocprof --hip-trace --hsa-trace) of the " \
	"same run, or record anew with rocprofv3 --kernel-trace --hip-runtime-trace"
#define ROCPROF_COUNTERS                                                                           \
	"record the same run without counters (rocprofv3 --kernel-trace --hip-runtime-trace) and " \
	"pass its *_kernel_trace.csv and *_hip_api_trace.csv"
#define ROCPROF_COMPUTE                                                                            \
	"record a timeline as well (rocprofv3 --kernel-trace --hip-runtime-trace): the times of "  \
	"rocprof-compute (Omniperf) are of runs that count"
#define SERVER_TRACE                                                                               \
	"profile the server under this load (vLLM: --profiler-config and bench serve --profile; "  \
	"SGLang: bench_serving --profile) and pass that trace as well; weir gate compares two "    \
	"such files"
#define NSYS_SERVER                                                                                \
	"profile the server under this load (nsys profile -t cuda,nvtx) and pass that file as "    \
	"well; weir gate compares two such files"
#define ANY_SERVER_TRACE                                                                           \
	"profile the server under this load (vLLM: --profiler-config; SGLang: /start_profile; "    \
	"any on a GPU of NVIDIA: nsys profile -t cuda,nvtx) and pass that trace as well; weir "    \
	"gate compares two such results"
#define TRITON_TRACE                                                                               \
	"pass the server's trace of the same requests (tritonserver --trace-config "               \
	"level=TIMESTAMPS), or nsys profile of the server under this load"

static const struct weir_recording recordings[] = {
	{"kineto",
         "record the device: torch.profiler activities=[ProfilerActivity.CPU, "
         "ProfilerActivity.CUDA], which needs CUPTI (NVIDIA) or roctracer (AMD) on the machine",
         "record host activity as well (torch.profiler with ProfilerActivity.CPU)",
         "record input shapes (record_shapes=True), or pass hardware counters of these kernels",
         NULL},
	{"nsys",
         "record the device: nsys profile -t cuda,nvtx, without --cuda-graph-trace or capture "
         "ranges that end before the work; nsys status -e shows what the machine permits",
         "trace the CUDA API as well (nsys profile -t cuda,nvtx)", NCU_MODEL, NULL},
	{"nsys-stats",
         "pass the recording that the table was made of (nsys export --type sqlite FILE); if nsys "
         "skipped CUDA in it, record the device: nsys profile -t cuda,nvtx",
         ANY_HOST, NCU_MODEL,
         "pass the recording that the table was made of: nsys export --type sqlite FILE"},
	{"nvprof",
         "record the device: nsys profile -t cuda,nvtx, and nsys export --type sqlite FILE",
         ANY_HOST, NCU_MODEL,
         "record a timeline: nsys profile -t cuda,nvtx, and nsys export --type sqlite FILE"},
	{"rocprof",
         "pass the *_kernel_trace.csv of the same run as well (rocprofv3 --kernel-trace "
         "--hip-runtime-trace)",
         ROCM_HOST, ROCM_MODEL,
         "pass the *_kernel_trace.csv of the same run as well (rocprofv3 --kernel-trace "
         "--hip-runtime-trace)"},
	{"rocprof_summary", ROCPD_DATABASE, ROCM_HOST, ROCM_MODEL, ROCPD_DATABASE},
	{"rocprof 1", ROCPROF_1, ROCM_HOST, ROCM_MODEL, ROCPROF_1},
	{"rocprof compute", ROCPROF_COMPUTE, ROCM_HOST, ROCM_MODEL, ROCPROF_COMPUTE},
	{"rocprof counters", ROCPROF_COUNTERS, ROCPROF_COUNTERS, ROCM_MODEL, ROCPROF_COUNTERS},
	{"rocprof_json", ROCM_DEVICE, ROCM_HOST, ROCM_MODEL, NULL},
	{"rocpd", ROCM_DEVICE, ROCM_HOST, ROCM_MODEL, NULL},
	{"onnxruntime",
         "pass a timeline of the device as well: nsys profile -t cuda,nvtx around the same run",
         ANY_HOST, ANY_MODEL,
         "pass a timeline of the device: nsys profile -t cuda,nvtx around the same run"},
	{"xla", "record the device: jax.profiler.trace() around steps that run on it", ANY_HOST,
         ANY_MODEL, NULL},
	{"bench", NULL, ANY_HOST, ANY_MODEL, SERVER_TRACE},
	{"bench-console", NULL, ANY_HOST, ANY_MODEL, SERVER_TRACE},
	{"bench-inferencex", NULL, ANY_HOST, ANY_MODEL, SERVER_TRACE},
	{"aiperf-sweep", NULL, ANY_HOST, ANY_MODEL, ANY_SERVER_TRACE},
	{"bench-table", NULL, ANY_HOST, ANY_MODEL, SERVER_TRACE},
	{"tgi", NULL, ANY_HOST, ANY_MODEL,
         "pass pages of the server's /metrics from the same load (tgi_request_queue_duration and "
         "the like), or profile it (nsys profile -t cuda,nvtx); weir gate compares two such "
         "files"},
	{"tgi-benchmark", NULL, ANY_HOST, ANY_MODEL, NSYS_SERVER},
	{"inference-benchmarker", NULL, ANY_HOST, ANY_MODEL, ANY_SERVER_TRACE},
	{"evalscope", NULL, ANY_HOST, ANY_MODEL, ANY_SERVER_TRACE},
	{"trtllm-cpp", NULL, ANY_HOST, ANY_MODEL,
         "profile the same benchmark (nsys profile -t cuda,nvtx ...) and pass that file as well; "
         "weir gate compares two such results"},
	{"nsys-server", NULL, ANY_HOST, ANY_MODEL, NSYS_SERVER},
	{"lmdeploy", NULL, ANY_HOST, ANY_MODEL, NSYS_SERVER},
	{"trtllm-bench", NULL, ANY_HOST, ANY_MODEL,
         "profile the same benchmark (nsys profile -t cuda,nvtx -c cudaProfilerApi trtllm-bench "
         "..., with TLLM_PROFILE_START_STOP=100-150 for some of its iterations) and pass that "
         "file as well; weir gate compares two such results"},
	{"vllm-engine", NULL, ANY_HOST, ANY_MODEL,
         "profile the engine in the same benchmark (vllm bench latency --profile, with "
         "--profiler-config in newer versions) and pass that trace as well; weir gate compares "
         "two such results"},
	{"sglang-one-batch", NULL, ANY_HOST, ANY_MODEL,
         "run the same batch with --profile and pass the trace that it writes; weir gate compares "
         "two such results"},
	{"trtexec", NULL, ANY_HOST, NCU_MODEL,
         "profile the same engine (nsys profile -t cuda,nvtx trtexec ..., with "
         "--profilingVerbosity=detailed) and pass that file; weir gate compares two such files"},
	{"any-server", NULL, ANY_HOST, ANY_MODEL, ANY_SERVER_TRACE},
	{"genai_perf", NULL, ANY_HOST, ANY_MODEL, ANY_SERVER_TRACE},
	{"perf_analyzer", NULL, ANY_HOST, ANY_MODEL, TRITON_TRACE},
	{"perf_analyzer_csv", NULL, ANY_HOST, ANY_MODEL, TRITON_TRACE},
	{"model_analyzer", NULL, ANY_HOST, ANY_MODEL, TRITON_TRACE},
	{"", NULL, ANY_HOST, ANY_MODEL, NULL},
};
#define GENERAL (&recordings[sizeof recordings / sizeof *recordings - 1])

/* Entries by the server that a client of several servers states as its backend. */
static const struct {
	const char *backend, *reader;
} servers[] = {
	{"tensorrt-llm", "nsys-server"}, {"trt", "nsys-server"}, {"lmdeploy", "nsys-server"},
	{"llama.cpp", "nsys-server"},    {"tgi", "tgi"},
};

/* Entries by the benchmark that a reader of several benchmarks names in a label. */
static const struct {
	const char *benchmark, *reader;
} benchmarks[] = {
	{"trtllm-bench", "trtllm-bench"},
	{"llmperf", "any-server"},
	{WEIR_LOAD_VLLM_LATENCY, "vllm-engine"},
};

/* Returns the entry for the server of a load generator's result; NULL: the run states none. */
static const char *server_of(const struct weir_run *run)
{
	const char *backend = weir_run_label(run, "backend");
	const char *benchmark = weir_run_label(run, WEIR_LOAD_BENCHMARK);

	for (size_t i = 0; benchmark && i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++)
		if (strcmp(benchmark, benchmarks[i].benchmark) == 0)
			return benchmarks[i].reader;
	for (size_t i = 0; backend && i < sizeof(servers) / sizeof(servers[0]); i++)
		if (strcmp(backend, servers[i].backend) == 0)
			return servers[i].reader;
	return weir_run_label(run, "tensorrt_llm") ? "trtllm-bench" : NULL;
}

/* True if the run states that its server is Triton. */
static bool is_triton(const struct weir_run *run)
{
	const char *service = weir_run_label(run, "service_kind");

	return service && strcmp(service, "triton") == 0;
}

/* Returns the reader whose advice fits the input; NULL: no reader is known. */
static const char *reader_of(const struct weir_input *input)
{
	const char *format = input->format;

	if (!format || !input->run)
		return format;
	if (strcmp(format, "rocprof") == 0 && weir_run_label(input->run, "counters"))
		return "rocprof counters";
	if (strcmp(format, "rocprof") == 0 && weir_run_label(input->run, "rocprof"))
		return strcmp(weir_run_label(input->run, "rocprof"), "1") == 0 ? "rocprof 1"
		                                                               : "rocprof compute";
	if (strcmp(format, "genai_perf") == 0 && is_triton(input->run))
		return "perf_analyzer";
	if (strncmp(format, "bench", 5) == 0 && server_of(input->run))
		return server_of(input->run);
	return format;
}

const struct weir_recording *weir_recording_of(const struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const char *reader = reader_of(&report->profile->inputs[i]);

		for (const struct weir_recording *row = recordings; reader && row < GENERAL; row++)
			if (strcmp(reader, row->reader) == 0)
				return row;
	}
	return GENERAL;
}
