/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of device memory and of the calls that allocate it. NAN is unknown. */
#ifndef WEIR_MODEL_MEMORY_H
#define WEIR_MODEL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* One device, from the framework's memory events. Peaks are over the whole trace. */
struct weir_memory_device {
	int64_t rank;      /* -1: not stated */
	int32_t device_id; /* as in the events; -1: not known */
	double peak_allocated_bytes, peak_reserved_bytes;
	double fragmentation;        /* 1 - allocated / reserved at the peak of allocated memory */
	double leak_bytes_per_step;  /* growth of what is allocated at the ends of steady steps */
	double allocations_per_step; /* by the framework, not the driver */
	double used_share;           /* the larger peak, of the device's memory */
};

struct weir_memory_figures {
	struct weir_memory_device largest; /* the device with the largest peak */
	struct weir_memory_device *devices;
	size_t device_count;

	/* Calls of the driver that allocate or free; a call inside another one is part of it. */
	double allocator_calls;
	double allocator_share;    /* of the analysed time: any launching thread is in one */
	double allocator_of_late;  /* of the idle time before launches that came late */
	double slow_allocations;   /* calls above 1 ms */
	double slow_allocation_ns; /* in them */
	double slow_share;         /* of the analysed time, threads added */
};

#endif
