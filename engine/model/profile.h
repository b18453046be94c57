/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all inputs of one run held. An input gives one or more kinds of content; what it does not
 * give is NULL. The profile owns everything reachable from it.
 */
#ifndef WEIR_MODEL_PROFILE_H
#define WEIR_MODEL_PROFILE_H

#include "engine/model/billing.h"
#include "engine/model/counters.h"
#include "engine/model/hostprofile.h"
#include "engine/model/requests.h"
#include "engine/model/run.h"
#include "engine/model/scrape.h"
#include "engine/model/telemetry.h"
#include "engine/model/trace.h"

struct weir_input {
	char *path;         /* as given */
	const char *format; /* name of the reader that claimed it; static */
	const char *gives;  /* "timeline", "requests": what it contributes; static */
	uint64_t bytes;     /* stored size */
	uint64_t events;    /* elements read */
	struct weir_warning warnings[WEIR_WARN_COUNT];
	struct weir_trace *trace; /* a device timeline */
	struct weir_run *run;     /* samples and figures that are already those of a run */
	struct weir_requests *requests;
	struct weir_telemetry *telemetry;
	struct weir_billing *billing;
	struct weir_counters *counters;
	struct weir_host_profile *host_profile;
	struct weir_scrape *scrape; /* the last page of the file, the first one behind `earlier` */
};

struct weir_profile {
	struct weir_input *inputs;
	size_t input_count, input_capacity;
};

/* Frees the contents, not the input itself. */
void weir_input_release(struct weir_input *input);

struct weir_profile *weir_profile_new(void);
void weir_profile_free(struct weir_profile *profile);
/* A fresh input at the end; valid until the next call. path is copied. */
struct weir_input *weir_profile_add_input(struct weir_profile *profile, const char *path);

/* Moves the inputs of `from` behind those of the profile. */
void weir_profile_take(struct weir_profile *profile, struct weir_profile *from);

/* Counts one warning; `at` is the byte after decompression (UINT64_MAX: none); detail may be NULL.
 */
void weir_input_warn(struct weir_input *input, enum weir_warning_code code, uint64_t at,
                     const char *detail);

#endif
