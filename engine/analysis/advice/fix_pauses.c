/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses of the launching thread in which Python collects garbage. */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/pauses.h"

/* A collection that lasts this long without the profiler visits more than a last-level cache holds,
 * at some 50 ns for each object of 64 bytes and more: the framework's code is read from memory
 * again. The same step was dispatched 2.3 times faster without a collection of 170 ms, and as fast
 * without those of 25 and 57 ms. */
#define COLD_NS 100e6
/* Collections that visit WEIR_COLD_BYTES in a step, at this pace, are a pass that displaces the
 * code of the first call of each operator behind them: in three programs that collected for 16 to
 * 33 ms these calls were dispatched 1.4, 1.9 and 2.2 times faster without it, the later ones 1.1
 * to 1.5 times; in one that collected for 7 ms 1.2 times and as fast. */
#define PASS_NS (WEIR_COLD_BYTES / 64 * 50)
/* Share of pauses that only seem too long for what is copied beside them and are other work: a fix
 * that hides them goes first if it saves half as much. An estimate. */
#define COLLECTOR_DOUBT 0.5

static bool frees(const struct weir_program *program, size_t i)
{
	return program->issues[i].kind == WEIR_ISSUE_ALLOC &&
	       strstr(weir_timeline_host_name(&program->rank->timeline, program->issues[i].call),
	              "Free");
}

/* True if the host gives memory back directly behind or before a collection, with no other call
 * between them: a clean-up, which goes as a whole. */
static bool cleans_up(const struct weir_draft *draft, const struct weir_collections *collections)
{
	const struct weir_program *program = &draft->program;
	struct weir_host_span *spans = weir_host_spans_new(program);
	bool found = false;

	for (size_t i = 0; i < program->issue_count && !found; i++)
		found = weir_intervals_meets(&collections->time, spans[i].before.start_ns,
		                             spans[i].before.end_ns) &&
		        (frees(program, i) || (i > 0 && frees(program, i - 1)));
	free(spans);
	return found;
}

bool weir_fix_collect_garbage_later(struct weir_draft *draft)
{
	const struct weir_collections *collections = weir_collections_of(draft->advisor);
	double removed_ns = 0;
	bool cleans = cleans_up(draft, collections) && weir_fix_keep_the_cache(draft);

	if (collections->time.count > 0)
		removed_ns = weir_host_spans_remove(draft, &collections->time);
	if (removed_ns * draft->advisor->speed.work >= COLD_NS)
		weir_draft_warm_host(draft);
	draft->displaced |= removed_ns * draft->advisor->speed.work >= PASS_NS;
	draft->doubt = collections->doubtful ? COLLECTOR_DOUBT : 0;
	weir_draft_basis(
		draft,
		collections->recorded
			? "the step without %.2f ms in which the collector is recorded%s"
		: collections->doubtful
			? "the step without %.2f ms in which the launching thread pauses for "
			  "similar times in several steps, far longer than programs take for what "
			  "it copies: likely the collector, if the program does not compute "
			  "there%s"
			: "the step without %.2f ms in which the launching thread pauses, "
			  "with neither operators nor calls nor copies that explain it, and "
			  "for similar times in several steps: likely the collector%s",
		removed_ns / 1e6,
		cleans ? ", and without giving memory back beside it and taking it again" : "");
	return removed_ns > 0;
}
