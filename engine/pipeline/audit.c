/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/pipeline/audit.h"

const struct weir_series *weir_audit_series(const struct weir_run *run, const char *wanted)
{
	const struct weir_series *series = NULL;

	if (run->stages.count == 1)
		return &run->stages.items[0];
	if (wanted)
		series = weir_series_find(&run->stages, wanted);
	if (!series)
		series = weir_series_find(&run->stages, "iteration");
	return series ? series : weir_series_find(&run->stages, "step");
}

/* ---- recommendations ---- */

static bool promises(const struct weir_recommendation *recommendation)
{
	return recommendation->id && recommendation->saving_basis &&
	       recommendation->saving_step_ns > 0;
}

/* ---- the recommendation after the fix ---- */

/* A recommendation that still saves more than this share of its former saving is unchanged. */
#define UNCHANGED 0.90

static double saved_ns(const struct weir_recommendation *recommendation)
{
	return recommendation->saving_before_ns - recommendation->saving_step_ns;
}

static enum weir_audit_seen see(const struct weir_report *after,
                                const struct weir_recommendation *before)
{
	const struct weir_recommendation *still;

	if (!after || !after->has_gpu)
		return WEIR_SEEN_UNKNOWN;
	still = weir_recommendation_find(after, before->id);
	if (!still)
		still = weir_recommendation_instead(after, before->id);
	if (!still)
		return WEIR_SEEN_GONE;
	return saved_ns(still) < UNCHANGED * saved_ns(before) ? WEIR_SEEN_SMALLER
	                                                      : WEIR_SEEN_UNCHANGED;
}

/* True if both sides have the time of a step, or both are traces without steps. */
static bool is_comparable(const struct weir_recommendation *promise,
                          const struct weir_report *after)
{
	bool of_trace = promise->saving_of && strcmp(promise->saving_of, "trace") == 0;

	return !of_trace || (after && after->iteration_count == 0);
}

/* ---- rows ---- */

static const char *copy(const struct weir_audit *audit, const char *text)
{
	return text ? weir_arena_copy(audit->arena, text, strlen(text)) : NULL;
}

static void add(struct weir_audit *audit, const struct weir_recommendation *promise,
                const struct weir_report *after)
{
	double before_ns = audit->before.step_ns, after_ns = audit->after.step_ns;

	audit->fixes[audit->fix_count++] = (struct weir_audit_fix){
		.id = copy(audit, promise->id),
		.title = copy(audit, promise->title),
		.step_ns = promise->saving_step_ns,
		.low_ns = promise->saving_low_ns,
		.high_ns = promise->saving_high_ns,
		.before_ns = promise->saving_before_ns,
		.speedup = promise->saving_speedup,
		.measured_ns = after_ns,
		.measured_speedup = before_ns / after_ns,
		.error = (promise->saving_step_ns - after_ns) / after_ns,
		.within = after_ns >= promise->saving_low_ns && after_ns <= promise->saving_high_ns,
		.seen = see(after, promise),
	};
}

/* Says why one fix was not promised. */
static enum weir_status fail_one(const struct weir_audit *audit, const struct weir_report *before,
                                 const char *fix, struct weir_error *err)
{
	const struct weir_recommendation *other = weir_recommendation_instead(before, fix);

	if (weir_recommendation_find(before, fix))
		return weir_fail(err, WEIR_E_NOT_COMPARED,
		                 "%s recommends %s without a predicted step: there is nothing to "
		                 "compare",
		                 audit->before.path, fix);
	if (other)
		return weir_fail(err, WEIR_E_NOT_COMPARED,
		                 "%s names %s only as an alternative to %s: compare with --fix %s",
		                 audit->before.path, fix, other->id, other->id);
	return weir_fail(err, WEIR_E_NOT_COMPARED, "%s does not recommend %s", audit->before.path,
	                 fix);
}

static enum weir_status fail_all(const struct weir_audit *audit, const struct weir_report *before,
                                 struct weir_error *err)
{
	return weir_fail(err, WEIR_E_NOT_COMPARED,
	                 "%s promises nothing: %s, so there is nothing to compare",
	                 audit->before.path,
	                 before->has_gpu ? "no recommendation has a predicted step"
	                                 : "it holds no timeline of a device");
}

enum weir_status weir_audit_compare(struct weir_audit *audit, const struct weir_report *before,
                                    const struct weir_report *after, const char *fix,
                                    struct weir_error *err)
{
	audit->fixes = weir_arena_alloc(audit->arena,
	                                (before->recommendation_count + 1) * sizeof *audit->fixes);
	for (size_t i = 0; i < before->recommendation_count; i++) {
		const struct weir_recommendation *promise = &before->recommendations[i];

		if (promises(promise) && is_comparable(promise, after) &&
		    (!fix || strcmp(promise->id, fix) == 0))
			add(audit, promise, after);
	}
	if (audit->fix_count > 0)
		return WEIR_OK;
	return fix ? fail_one(audit, before, fix, err) : fail_all(audit, before, err);
}
