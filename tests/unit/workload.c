/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/pipeline/classify.h"
#include "tests/unit/workload.h"

#define DEPTH   8
#define STREAMS 4

struct open {
	const char *cat, *name;
	int64_t start_us;
};

struct workload {
	struct weir_text json;
	int64_t now_us, free_us[STREAMS], allocated;
	int stream;
	uint64_t correlation;
	struct open open[DEPTH];
	int depth;
};

struct workload *workload_new(void)
{
	struct workload *workload = weir_alloc(sizeof *workload);

	workload->now_us = 1000;
	weir_text_puts(
		&workload->json,
		"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H200\","
		"\"totalGlobalMem\":150754820096,\"numSms\":132,\"computeMajor\":9,"
		"\"computeMinor\":0,\"warpSize\":32}],\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":10,\"tid\":1,\"ts\":0,"
		"\"args\":{\"name\":\"python\"}}");
	return workload;
}

static void put_host(struct workload *workload, const char *cat, const char *name, int64_t start_us,
                     int64_t end_us, uint64_t correlation)
{
	weir_text_printf(&workload->json,
	                 ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":10,\"tid\":1,"
	                 "\"ts\":%lld,\"dur\":%lld,\"args\":{",
	                 cat, name, (long long)start_us, (long long)(end_us - start_us));
	if (correlation)
		weir_text_printf(&workload->json, "\"correlation\":%llu",
		                 (unsigned long long)correlation);
	weir_text_puts(&workload->json, "}}");
}

static void put_work(struct workload *workload, const char *cat, const char *name, int64_t start_us,
                     int64_t end_us, int64_t bytes)
{
	weir_text_printf(&workload->json,
	                 ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,"
	                 "\"ts\":%lld,\"dur\":%lld,\"args\":{\"device\":0,\"stream\":%d,"
	                 "\"correlation\":%llu,\"bytes\":%lld,\"grid\":[1000,1,1],"
	                 "\"block\":[256,1,1]}}",
	                 cat, name, 7 + workload->stream, (long long)start_us,
	                 (long long)(end_us - start_us), 7 + workload->stream,
	                 (unsigned long long)workload->correlation, (long long)bytes);
}

void workload_begin(struct workload *workload, const char *cat, const char *name)
{
	assert_true(workload->depth < DEPTH);
	workload->open[workload->depth++] = (struct open){cat, name, workload->now_us};
}

void workload_end(struct workload *workload)
{
	const struct open *open = &workload->open[--workload->depth];

	put_host(workload, open->cat, open->name, open->start_us, workload->now_us, 0);
}

void workload_pass(struct workload *workload, const char *frame, int64_t us)
{
	if (frame)
		put_host(workload, "python_function", frame, workload->now_us,
		         workload->now_us + us, 0);
	workload->now_us += us;
}

void workload_call(struct workload *workload, const char *api, int64_t us)
{
	put_host(workload, "cuda_runtime", api, workload->now_us, workload->now_us + us, 0);
	workload->now_us += us;
}

void workload_wait(struct workload *workload, const char *api)
{
	int64_t end_us = workload->now_us + 2;

	for (int s = 0; s < STREAMS; s++)
		if (workload->free_us[s] + 3 > end_us)
			end_us = workload->free_us[s] + 3;
	workload_call(workload, api, end_us - workload->now_us);
}

/* At least some microseconds after the return of its call. */
static int64_t next_start(const struct workload *workload)
{
	int64_t free_us = workload->free_us[workload->stream] + 1;

	return free_us > workload->now_us + 12 ? free_us : workload->now_us + 12;
}

static int64_t launch(struct workload *workload, const char *cat, const char *name, int64_t us,
                      int64_t bytes)
{
	int64_t start_us = next_start(workload);

	workload->correlation++;
	put_work(workload, cat, name, start_us, start_us + us, bytes);
	return workload->free_us[workload->stream] = start_us + us;
}

void workload_launch(struct workload *workload, const char *kernel, int64_t host_us,
                     int64_t device_us)
{
	int64_t start_us = workload->now_us;

	workload->now_us += host_us / 2;
	launch(workload, "kernel", kernel, device_us, 0);
	put_host(workload, "cuda_runtime", "cudaLaunchKernel", workload->now_us,
	         workload->now_us + 5, workload->correlation);
	workload->now_us = start_us + host_us;
}

void workload_operator(struct workload *workload, const char *name, const char *kernel,
                       int64_t host_us, int64_t device_us)
{
	int64_t start_us = workload->now_us;

	workload_launch(workload, kernel, host_us, device_us);
	put_host(workload, "cpu_op", name, start_us, workload->now_us, 0);
}

void workload_copy(struct workload *workload, const char *name, int64_t bytes, int64_t us,
                   int blocking)
{
	int64_t start_us = workload->now_us, call_us, end_us;

	workload->now_us += 3;
	end_us = launch(workload, "gpu_memcpy", name, us, bytes);
	call_us = blocking ? end_us + 2 - workload->now_us : 6;
	put_host(workload, "cuda_runtime", "cudaMemcpyAsync", workload->now_us,
	         workload->now_us + call_us, workload->correlation);
	workload->now_us += call_us + 2;
	put_host(workload, "cpu_op", "aten::copy_", start_us, workload->now_us, 0);
}

void workload_graph(struct workload *workload, int64_t kernels, int64_t device_us)
{
	int64_t at_us = next_start(workload) + 20;

	workload->correlation++;
	put_host(workload, "cuda_runtime", "cudaGraphLaunch", workload->now_us,
	         workload->now_us + 20, workload->correlation);
	workload->now_us += 20;
	for (int64_t k = 0; k < kernels; k++, at_us += device_us + 1)
		put_work(workload, "kernel", "void at::native::elementwise_kernel<128, 4, int>",
		         at_us, at_us + device_us, 0);
	workload->free_us[workload->stream] = at_us;
}

void workload_stream(struct workload *workload, int stream)
{
	workload->stream = stream;
}

void workload_depend(struct workload *workload, int on_stream)
{
	workload_call(workload, "cudaEventRecord", 2);
	workload_call(workload, "cudaStreamWaitEvent", 2);
	if (workload->free_us[on_stream] > workload->free_us[workload->stream])
		workload->free_us[workload->stream] = workload->free_us[on_stream];
}

void workload_memory(struct workload *workload, int64_t bytes)
{
	int64_t reserved;

	workload->allocated += bytes;
	reserved = workload->allocated + (2 << 20);
	weir_text_printf(
		&workload->json,
		",\n{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
		"\"pid\":10,\"tid\":1,\"ts\":%lld,\"args\":{\"Total Reserved\":%lld,"
		"\"Total Allocated\":%lld,\"Bytes\":%lld,\"Addr\":1,\"Device Id\":0,"
		"\"Device Type\":1}}",
		(long long)workload->now_us, (long long)reserved, (long long)workload->allocated,
		(long long)bytes);
}

static void write_file(const struct workload *workload, const char *path)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(workload->json.data, 1, workload->json.length, file),
	                 workload->json.length);
	assert_int_equal(fclose(file), 0);
}

static void add_word(char *words, size_t size, const char *word)
{
	size_t length = strlen(words);

	snprintf(words + length, size - length, "%s%s ", length ? "" : " ", word);
}

static void take(const struct weir_report *report, struct workload_verdict *out)
{
	*out = (struct workload_verdict){.host_idle = report->gpu.idle_share[WEIR_IDLE_HOST_IDLE]};
	snprintf(out->bound, sizeof out->bound, "%s", weir_bound_name(report->verdict.bound));
	snprintf(out->cause, sizeof out->cause, "%s",
	         report->verdict.cause ? report->verdict.cause : "");
	for (size_t i = 0; i < report->recommendation_count; i++)
		add_word(out->advice, sizeof out->advice, report->recommendations[i].id);
	for (size_t i = 0; i < report->set_apart_count; i++)
		add_word(out->apart, sizeof out->apart, report->set_apart[i].name);
}

/* A gate judges without a report and must come to the same verdict. */
static void assert_measured(const struct weir_classify_request *request,
                            const struct workload_verdict *classified)
{
	struct weir_measured measured;
	struct weir_ruleset *rules;
	struct weir_error err = {0};

	assert_int_equal(weir_load_rules(NULL, &rules, &err), WEIR_OK);
	if (weir_measure(request, rules, &measured, &err))
		fail_msg("%s", err.message);
	assert_string_equal(measured.has_bound ? weir_bound_name(measured.bound) : "undetermined",
	                    classified->bound);
	assert_string_equal(measured.cause, measured.has_bound ? classified->cause : "");
	weir_measured_release(&measured);
	weir_ruleset_free(rules);
}

void workload_judge(struct workload *workload, struct workload_verdict *out)
{
	char path[] = "/tmp/weir-workload-XXXXXX";
	const char *const paths[] = {path};
	const struct weir_classify_request request = {.paths = paths, .path_count = 1};
	struct weir_classification *classification;
	struct weir_error err = {0};
	int descriptor = mkstemp(path);

	assert_true(descriptor >= 0);
	close(descriptor);
	weir_text_puts(&workload->json, "\n]}\n");
	write_file(workload, path);
	if (weir_classify(&request, &classification, &err))
		fail_msg("%s", err.message);
	take(weir_classification_report(classification), out);
	weir_classification_free(classification);
	assert_measured(&request, out);
	unlink(path);
	weir_text_release(&workload->json);
	free(workload);
}
