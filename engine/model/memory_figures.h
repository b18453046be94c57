/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device memory and the calls that allocate it. NAN is unknown. */
#ifndef WEIR_MODEL_MEMORY_FIGURES_H
#define WEIR_MODEL_MEMORY_FIGURES_H

#include <stddef.h>
#include <stdint.h>

/* Memory of one device, from the framework's memory events. Peaks cover the whole trace. */
struct weir_memory_device {
	int64_t rank;      /* -1: not stated */
	int32_t device_id; /* id in the events; -1: not known */
	double peak_allocated_bytes, peak_reserved_bytes;
	double fragmentation;        /* 1 - allocated / reserved at the peak of allocated memory */
	double leak_bytes_per_step;  /* growth of allocated memory between the ends of steady steps
	                              */
	double allocations_per_step; /* allocations by the framework, not by the driver */
	double used_share;           /* larger peak over the device's memory */
};

struct weir_memory_figures {
	struct weir_memory_device largest; /* the device with the largest peak */
	struct weir_memory_device *devices;
	size_t device_count;

	/* Driver calls that allocate or free memory; nested calls count once. */
	double allocator_calls;
	double allocator_share;    /* share of the analysed time with any launching thread in such a
	                              call */
	double allocator_of_late;  /* share of the idle time caused by late launches */
	double slow_allocations;   /* calls longer than 1 ms */
	double slow_allocation_ns; /* time in these calls */
	double slow_share;         /* share of the analysed time, sum over threads */
};

#endif
