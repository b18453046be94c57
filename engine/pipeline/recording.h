/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says how to record what an input lacks, in the terms of the tool that wrote it. */
#ifndef WEIR_PIPELINE_RECORDING_H
#define WEIR_PIPELINE_RECORDING_H

#include "engine/model/report.h"

/* All texts are static. */
struct weir_recording {
	const char *reader; /* name of the input's reader; "": any other */
	const char
		*device;   /* how to record device work; NULL: nothing better than a general text */
	const char *host;  /* how to record launch calls; never NULL */
	const char *model; /* how to make the work of kernels known; never NULL */
	/* what to record to learn the reason behind totals and durations; NULL as for `device` */
	const char *cause;
};

/* Returns the entry for the first input that has one, else the general entry. Never NULL; static.
 */
const struct weir_recording *weir_recording_of(const struct weir_report *report);

#endif
