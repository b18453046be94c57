/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a small trace in a few lines of a test. Rows come in any order; make_trace_finish() sorts
 * them as a reader would and joins device rows with their calls by correlation.
 *
 *	struct make_trace *make = make_trace_new();
 *	make_call(make, 0, "cudaLaunchKernel", 100, 110, 7);
 *	make_kernel(make, 0, "gemm", 112, 150, 7);
 *	struct weir_trace *trace = make_trace_finish(make); (weir_trace_free() it)
 */
#ifndef WEIR_TESTS_UNIT_MAKE_TRACE_H
#define WEIR_TESTS_UNIT_MAKE_TRACE_H

#include <stdint.h>

#include "engine/model/trace.h"

struct make_trace;

struct make_device_row {
	enum weir_device_kind kind;
	uint16_t device;
	uint32_t stream;
	const char *name;
	int64_t start_ns, end_ns, bytes;
	uint64_t correlation; /* 0: unlinked */
	uint32_t blocks, threads_per_block;
	uint64_t graph_node;
	uint8_t flags;
};

/* Returns a trace with one device of 100 SMs and 1,000,000 bytes of memory. */
struct make_trace *make_trace_new(void);

void make_host(struct make_trace *make, enum weir_host_kind kind, uint32_t thread, const char *name,
               int64_t start_ns, int64_t end_ns);
/* Adds a driver or runtime call; correlation 0: no correlation. */
void make_call(struct make_trace *make, uint32_t thread, const char *name, int64_t start_ns,
               int64_t end_ns, uint64_t correlation);
void make_device(struct make_trace *make, const struct make_device_row *row);
void make_kernel(struct make_trace *make, uint32_t stream, const char *name, int64_t start_ns,
                 int64_t end_ns, uint64_t correlation);
/* Adds a launch call and its kernel. */
void make_launch(struct make_trace *make, int64_t call_ns, int64_t return_ns, int64_t start_ns,
                 int64_t end_ns);
void make_memory(struct make_trace *make, int64_t at_ns, int64_t bytes, int64_t allocated_bytes,
                 int64_t reserved_bytes);

struct weir_trace *make_trace_finish(struct make_trace *make);

#endif
