/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/stated_memory.h"
#include "engine/stats/moments.h"

/* Share of the reserved memory without an allocation, from which on it is called fragmentation:
 * rounding to blocks of 2 MiB explains a few percent. */
#define FRAGMENTED 0.1

/* Figures of a summary; NAN: not stated. */
struct stated {
	double allocated, peak_allocated, reserved, peak_reserved; /* bytes */
	double failures, retries, wanted, device;                  /* wanted, device: bytes */
};

static double figure(const struct weir_run *run, const char *name)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	return series ? weir_mean(series->value, series->count) : NAN;
}

/* Returns the run of the only memory summary; NULL: no input is one, or several are. */
static const struct weir_run *find_run(const struct weir_report *report)
{
	const struct weir_run *found = NULL;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];

		if (!input->run || !input->format || strcmp(input->format, "memory_summary") != 0)
			continue;
		if (found)
			return NULL;
		found = input->run;
	}
	return found;
}

static struct stated stated_of(const struct weir_run *run)
{
	return (struct stated){
		.allocated = figure(run, "allocated_bytes"),
		.peak_allocated = figure(run, "peak_allocated_bytes"),
		.reserved = figure(run, "reserved_bytes"),
		.peak_reserved = figure(run, "peak_reserved_bytes"),
		.failures = figure(run, "out_of_memory_errors"),
		.retries = figure(run, "cudamalloc_retries"),
		.wanted = figure(run, "failed_allocation_bytes"),
		.device = figure(run, "device_memory_bytes"),
	};
}

static void put_bytes(struct weir_text *out, const char *before, double bytes, const char *behind)
{
	weir_text_puts(out, before);
	weir_text_bytes(out, bytes);
	weir_text_puts(out, behind);
}

/* Appends "PyTorch ran out of memory 58 times" or "PyTorch did not run out of memory". */
static void put_failures(const struct stated *stated, struct weir_text *out)
{
	if (!(stated->failures > 0) || stated->failures >= 1e15) {
		weir_text_puts(out, "PyTorch did not run out of memory");
		return;
	}
	weir_text_puts(out, "PyTorch ran out of memory ");
	weir_text_count(out, (uint64_t)stated->failures);
	weir_text_puts(out, stated->failures > 1 ? " times" : " time");
}

/* Notes the figures that the headline leaves out. */
static void note_figures(struct weir_report *report, const struct stated *stated)
{
	struct weir_text text = {0};

	if (stated->peak_allocated > 0)
		put_bytes(&text, "at most ", stated->peak_allocated, " were allocated");
	if (stated->peak_reserved > 0)
		put_bytes(&text, text.length ? ", and " : "at most ", stated->peak_reserved,
		          " reserved");
	if (stated->wanted > 0)
		put_bytes(&text,
		          text.length ? "; the allocation that failed is of "
		                      : "the allocation that failed is of ",
		          stated->wanted, "");
	if (stated->device > 0)
		put_bytes(&text, text.length ? "; the device has " : "the device has ",
		          stated->device, "");
	if (stated->retries >= 0 && stated->retries < 1e15) {
		weir_text_puts(&text, text.length ? "; cudaMalloc was retried "
		                                  : "cudaMalloc was retried ");
		weir_text_count(&text, (uint64_t)stated->retries);
		weir_text_puts(&text, stated->retries == 1 ? " time" : " times");
	}
	if (text.length)
		weir_report_note(report, "memory_summary", "%s", text.data);
	weir_text_release(&text);
}

static const char *next_of(const struct stated *stated, double unused)
{
	if (unused >= FRAGMENTED)
		return "reduce fragmentation: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, "
		       "and no large allocations of changing sizes";
	if (stated->failures > 0)
		return "use less memory: a smaller batch or KV cache, a smaller type, or more "
		       "devices; torch.cuda.memory._record_memory_history() shows what holds it";
	return "pass a timeline of the device: a summary of memory shows no times";
}

const char *weir_describe_stated_memory(struct weir_report *report)
{
	const struct weir_run *run = find_run(report);
	struct weir_text text = {0}, quoted = {0};
	struct stated stated;
	double unused;

	if (!run)
		return NULL;
	stated = stated_of(run);
	unused = 1 - stated.allocated / stated.reserved;
	put_failures(&stated, &text);
	if (stated.allocated > 0 && stated.reserved >= stated.allocated) {
		put_bytes(&text, ": ", stated.allocated, " are allocated of ");
		put_bytes(&text, "", stated.reserved, " that it reserves; ");
		put_bytes(&text, "", stated.reserved - stated.allocated, " (");
		weir_text_share(&text, unused);
		weir_text_puts(&text, unused >= FRAGMENTED ? ") of them are free but in pieces"
		                                           : ") of them are free");
		if (unused < FRAGMENTED && stated.failures > 0)
			weir_text_puts(&text, ": fragmentation is not the cause");
	}
	note_figures(report, &stated);
	report->verdict.next = next_of(&stated, unused);
	weir_template_quote(text.data, &quoted);
	weir_text_release(&text);
	return weir_keep_line(report, &quoted);
}
