/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An audit of advice: for each fix that was promised a step, the step that was measured after it
 * was made. Texts and rows belong to the arena. Times are of one step, in nanoseconds; NAN: not
 * known.
 */
#ifndef WEIR_MODEL_AUDIT_H
#define WEIR_MODEL_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/sha256.h"

/* The recommendation of a fix after it was made. */
enum weir_audit_seen {
	WEIR_SEEN_UNKNOWN, /* the after side holds no recommendations */
	WEIR_SEEN_GONE,
	WEIR_SEEN_SMALLER,   /* still recommended, and it would save less */
	WEIR_SEEN_UNCHANGED, /* still recommended */
	WEIR_SEEN_COUNT
};

WEIR_ENUM_DECLARE(weir_audit_seen); /* "gone"; unknown: NULL */

/* One side of the comparison. */
struct weir_audit_side {
	const char *path;
	const char *device; /* NULL: not recorded */
	double step_ns;     /* without the profiler */
	const char *basis; /* origin of step_ns in words: "p50 of 300 values of step in run.json" */
	bool measured;     /* false: step_ns is an estimate of weir from a profiled step */
};

struct weir_audit_fix {
	const char *id, *title;
	double step_ns, low_ns, high_ns;      /* promised */
	double before_ns;                     /* the step from which it was promised */
	double speedup;                       /* promised */
	double measured_ns, measured_speedup; /* of the after side against the before side */
	double error; /* of the promise: 0.02 if it was 2 % above the measured step */
	bool within;  /* the measured step lies in the promised range */
	enum weir_audit_seen seen;
};

struct weir_audit {
	struct weir_arena *arena;
	struct weir_audit_side before, after;
	struct weir_audit_fix *fixes; /* in the order of the recommendations */
	size_t fix_count;
	uint8_t pair[WEIR_SHA256_SIZE]; /* SHA-256 of both inputs; only filled on request */
};

struct weir_audit *weir_audit_new(void);
void weir_audit_free(struct weir_audit *audit); /* NULL is fine */

#endif
