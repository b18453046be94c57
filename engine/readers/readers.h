/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers there are, for the table in registry.c. */
#ifndef WEIR_READERS_READERS_H
#define WEIR_READERS_READERS_H

#include "engine/readers/reader.h"

extern const struct weir_reader weir_reader_aiperf;
extern const struct weir_reader weir_reader_amd;
extern const struct weir_reader weir_reader_bench;
extern const struct weir_reader weir_reader_chrome;
extern const struct weir_reader weir_reader_cprofile;
extern const struct weir_reader weir_reader_dcgmi;
extern const struct weir_reader weir_reader_focus;
extern const struct weir_reader weir_reader_folded;
extern const struct weir_reader weir_reader_genai_perf;
extern const struct weir_reader weir_reader_guidellm;
extern const struct weir_reader weir_reader_inference_perf;
extern const struct weir_reader weir_reader_jaeger;
extern const struct weir_reader weir_reader_key_averages;
extern const struct weir_reader weir_reader_kineto;
extern const struct weir_reader weir_reader_lmdeploy;
extern const struct weir_reader weir_reader_memory_timeline;
extern const struct weir_reader weir_reader_model_analyzer;
extern const struct weir_reader weir_reader_native;
extern const struct weir_reader weir_reader_nsys;
extern const struct weir_reader weir_reader_nsys_stats;
extern const struct weir_reader weir_reader_onnxruntime;
extern const struct weir_reader weir_reader_ncu;
extern const struct weir_reader weir_reader_otlp;
extern const struct weir_reader weir_reader_perf_analyzer;
extern const struct weir_reader weir_reader_perf_analyzer_csv;
extern const struct weir_reader weir_reader_perf_script;
extern const struct weir_reader weir_reader_prices;
extern const struct weir_reader weir_reader_requests;
extern const struct weir_reader weir_reader_rocpd;
extern const struct weir_reader weir_reader_rocprof;
extern const struct weir_reader weir_reader_rocprof_json;
extern const struct weir_reader weir_reader_smi_dmon;
extern const struct weir_reader weir_reader_smi_query;
extern const struct weir_reader weir_reader_speedscope;
extern const struct weir_reader weir_reader_triton;
extern const struct weir_reader weir_reader_trtexec;
extern const struct weir_reader weir_reader_trtllm;
extern const struct weir_reader weir_reader_wrapper;
extern const struct weir_reader weir_reader_xla;
extern const struct weir_reader weir_reader_zipkin;
extern const struct weir_reader weir_reader_openmetrics;
extern const struct weir_reader weir_reader_prometheus;

#endif
