/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/draft.h"
#include "engine/base/arena.h"

void weir_draft_init(struct weir_draft *draft, const struct weir_advisor *advisor)
{
	*draft = (struct weir_draft){.advisor = advisor};
	weir_draft_clear(draft);
}

void weir_draft_clear(struct weir_draft *draft)
{
	const struct weir_program *from = &draft->advisor->program;
	struct weir_draft old = *draft;

	*draft = (struct weir_draft){.advisor = old.advisor,
	                             .program = old.program,
	                             .places = old.places,
	                             .place_capacity = old.place_capacity,
	                             .basis = old.basis};
	free(old.touched);
	weir_text_clear(&draft->basis);
	weir_program_copy(from, &draft->program);
	draft->touched = weir_alloc(from->job_count + from->issue_count + 1);
}

void weir_draft_release(struct weir_draft *draft)
{
	weir_program_release(&draft->program);
	weir_text_release(&draft->basis);
	free(draft->touched);
	free(draft->places);
	*draft = (struct weir_draft){0};
}

/* ---- places ---- */

/* Returns the kind of a job: its group, else its kernel. */
static uint64_t key_of_job(const struct weir_draft *draft, uint32_t job)
{
	const struct weir_job *before = &draft->advisor->program.jobs[job];

	if (before->group != WEIR_NONE)
		return before->group;
	return (UINT64_C(1) << 32) | draft->program.rank->trace->device.name[before->row];
}

/* Returns the kind of a call without a job: its name and the name of its operator. */
static uint64_t key_of_issue(const struct weir_draft *draft, uint32_t issue)
{
	const struct weir_issue *before = &draft->advisor->program.issues[issue];
	const uint32_t *name = draft->program.rank->trace->host.name;
	uint64_t op = before->op != WEIR_NONE ? name[before->op] : 0;

	if (before->call == WEIR_NONE)
		return (UINT64_C(3) << 62) | before->kind;
	return (UINT64_C(1) << 63) | (op << 31) | name[before->call];
}

/* Returns the place of a kind; adds it if it is new. */
static struct weir_draft_place *place_of(struct weir_draft *draft, uint64_t key)
{
	for (size_t i = draft->place_count; i > 0; i--)
		if (draft->places[i - 1].key == key)
			return &draft->places[i - 1];
	draft->places = weir_grow(draft->places, &draft->place_capacity, draft->place_count + 1,
	                          sizeof *draft->places);
	draft->places[draft->place_count] =
		(struct weir_draft_place){.job = WEIR_NONE, .issue = WEIR_NONE, .key = key};
	return &draft->places[draft->place_count++];
}

static void touch_job(struct weir_draft *draft, uint32_t job, double after_ns)
{
	const struct weir_job *before = &draft->advisor->program.jobs[job];
	struct weir_draft_place *place = place_of(draft, key_of_job(draft, job));

	if (place->job == WEIR_NONE) {
		place->job = job;
		place->issue = before->issue;
	}
	if (!draft->touched[job]) {
		place->count++;
		place->ns += before->ns;
	} else {
		place->after_ns -= draft->program.jobs[job].ns;
	}
	place->after_ns += after_ns;
	draft->touched[job] = 1;
}

static void touch_issue(struct weir_draft *draft, uint32_t issue, double less_ns)
{
	struct weir_draft_place *place;
	uint8_t *touched = &draft->touched[draft->program.job_count + issue];
	const struct weir_issue *before = &draft->advisor->program.issues[issue];

	if (before->job_count > 0 && !before->graph) {
		*touched = 1;
		return; /* the jobs are the place */
	}
	place = place_of(draft, key_of_issue(draft, issue));
	if (place->issue == WEIR_NONE)
		place->issue = issue;
	place->count += !*touched;
	place->ns += less_ns;
	*touched = 1;
}

/* ---- changes ---- */

void weir_draft_set_job(struct weir_draft *draft, uint32_t job, double ns, double low_ns,
                        double high_ns)
{
	touch_job(draft, job, ns);
	draft->program.jobs[job].ns = ns;
	draft->program.jobs[job].low_ns = low_ns;
	draft->program.jobs[job].high_ns = high_ns;
}

void weir_draft_scale_job(struct weir_draft *draft, uint32_t job, double factor, double low,
                          double high)
{
	double ns = draft->program.jobs[job].ns;

	weir_draft_set_job(draft, job, ns * factor, ns * low, ns * high);
}

void weir_draft_close_gap(struct weir_draft *draft, uint32_t job)
{
	struct weir_job *after = &draft->program.jobs[job];

	if (after->gap_ns < WEIR_HOST_WORK_NS)
		after->gap_ns = 0;
}

void weir_draft_remove_call(struct weir_draft *draft, uint32_t issue)
{
	struct weir_issue *after = &draft->program.issues[issue];

	for (uint32_t j = after->first_job; j < after->first_job + after->job_count; j++) {
		weir_draft_set_job(draft, j, 0, 0, 0);
		weir_draft_close_gap(draft, j);
		draft->program.jobs[j].latency_ns = 0;
	}
	touch_issue(draft, issue, after->call_ns);
	after->call_ns = 0;
	after->until = WEIR_NONE;
}

void weir_draft_remove(struct weir_draft *draft, uint32_t issue)
{
	struct weir_issue *after = &draft->program.issues[issue];

	weir_draft_remove_call(draft, issue);
	after->dispatch_ns = 0;
}

void weir_draft_unwait(struct weir_draft *draft, uint32_t issue)
{
	struct weir_issue *after = &draft->program.issues[issue];

	touch_issue(draft, issue, after->return_ns);
	after->until = WEIR_NONE;
}

void weir_draft_wait(struct weir_draft *draft, uint32_t issue)
{
	struct weir_program *program = &draft->program;
	uint32_t job = program->issues[issue].first_job;
	struct weir_issue *before =
		&program->issues[issue > 0 ? issue - 1 : program->issue_count - 1];

	if (before->until != WEIR_NONE || program->job_count == 0)
		return;
	touch_issue(draft, issue, 0);
	before->until = job > 0 ? job - 1 : (uint32_t)program->job_count - 1;
	before->return_ns = 0;
}

void weir_draft_less_work(struct weir_draft *draft, uint32_t issue, double ns)
{
	struct weir_issue *after = &draft->program.issues[issue];

	if (ns > after->work_ns)
		ns = after->work_ns;
	touch_issue(draft, issue, ns);
	after->work_ns -= ns;
}

/* Allocators keep smaller tensors. */
#define FREED_BYTES 1048576.0
/* Two captures free 46 MB in 2.4 ms and 51 MB in 1.5 ms: 120 to 210 ns a page of 4 KiB. */
#define FREE_NS_PER_BYTE 0.06

/* Takes up to `ns` of the host's work before the call, and the rest from the end of the step, where
 * the last names of its tensors go. */
static void free_less(struct weir_draft *draft, uint32_t issue, double ns)
{
	for (size_t i = issue; i < draft->program.issue_count && ns > 0; i++) {
		double work_ns = fmin(ns, draft->program.issues[i].work_ns);

		if ((i > issue && draft->program.issues[i].kind != WEIR_ISSUE_OUTPUT) ||
		    work_ns <= 0)
			continue;
		weir_draft_less_work(draft, (uint32_t)i, work_ns);
		ns -= work_ns;
	}
}

void weir_draft_less_freeing(struct weir_draft *draft, uint32_t issue, double bytes)
{
	if (bytes >= FREED_BYTES)
		free_less(draft, issue, bytes * FREE_NS_PER_BYTE);
	if (bytes >= WEIR_COLD_BYTES)
		draft->displaced = true;
}

/* ---- code of the framework in the caches ---- */

/* A pass over more than WEIR_COLD_BYTES displaces the code of the framework from a core's caches.
 * The same operators were dispatched 2.5 to 3.9 times faster in three captures when the host no
 * longer filled 22, 51 and 64 MB of fresh memory a step, and 1.2 to 2.5 times faster in eight that
 * no longer tuned kernels or collected garbage in each step (median 2). */
#define WARM 0.5

void weir_draft_warm_call(struct weir_draft *draft, uint32_t issue, double factor)
{
	struct weir_issue *after = &draft->program.issues[issue];

	after->dispatch_ns *= factor;
	if (after->kind == WEIR_ISSUE_LAUNCH)
		after->call_ns *= factor;
	for (uint32_t j = after->first_job; j < after->first_job + after->job_count; j++)
		draft->program.jobs[j].latency_ns *= factor; /* most of it is the call */
}

void weir_draft_warm_host(struct weir_draft *draft)
{
	for (size_t i = 0; i < draft->program.issue_count && !draft->warm; i++)
		weir_draft_warm_call(draft, (uint32_t)i, WARM);
	draft->warm = true;
}

/* Returns the host's time for a call. While it waits in it for its own work, as for a copy of
 * pageable memory, it moves the bytes itself. */
static double host_ns(const struct weir_program *program, size_t i)
{
	const struct weir_issue *issue = &program->issues[i];
	double ns = issue->dispatch_ns + issue->work_ns + issue->call_ns;

	return issue->until != WEIR_NONE && issue->until < program->job_count &&
	                       program->jobs[issue->until].issue == i
	               ? ns + program->jobs[issue->until].ns
	               : ns;
}

/* True if the fix removes a long stretch of host time in front of the call or in it. */
static bool is_relieved(const struct weir_draft *draft, size_t issue)
{
	return host_ns(&draft->advisor->program, issue) - host_ns(&draft->program, issue) >=
	       WEIR_HOST_WORK_NS;
}

/* Behind passes over 88 and 154 MB the first call of an operator took 1.2 to 3.5 times as long as
 * the second one (median 1.6 of 17 operators), which took 1.2 times as long as the later ones
 * (median). A window without steps begins behind such a pass; a step follows itself. */
void weir_draft_warm_first_calls(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->program;
	const struct weir_trace *trace = program->rank->trace;
	size_t rounds = program->step != WEIR_NONE ? 2 : 1;
	uint32_t *seen = weir_alloc((weir_names_count(trace->names) + 1) * sizeof *seen);
	uint8_t *warmed = weir_alloc(program->issue_count + 1);
	uint32_t pass = rounds == 1;

	for (size_t at = 0; at < rounds * program->issue_count && !draft->warm; at++) {
		size_t i = at % program->issue_count;
		const struct weir_issue *issue = &program->issues[i];
		uint32_t row = issue->op != WEIR_NONE ? issue->op : issue->call;
		bool known = row != WEIR_NONE;

		pass += is_relieved(draft, i);
		if (pass == 0 || warmed[i] || (known && seen[trace->host.name[row]] == pass))
			continue;
		if (known)
			seen[trace->host.name[row]] = pass;
		warmed[i] = 1;
		weir_draft_warm_call(draft, (uint32_t)i, WARM);
	}
	free(seen);
	free(warmed);
	draft->warm = true;
}

bool weir_draft_apply(struct weir_draft *draft, bool (*apply)(struct weir_draft *))
{
	bool found = apply(draft);

	if (draft->displaced)
		weir_draft_warm_first_calls(draft);
	return found;
}

/* ---- dispatch ---- */

void weir_draft_set_dispatch(struct weir_draft *draft, uint32_t issue, double ns)
{
	struct weir_issue *after = &draft->program.issues[issue];

	touch_issue(draft, issue, after->dispatch_ns - ns);
	after->dispatch_ns = ns;
}

void weir_draft_add_operators(struct weir_draft *draft, uint32_t issue, double operators)
{
	const struct weir_advisor *advisor = draft->advisor;

	weir_draft_set_dispatch(draft, issue,
	                        draft->program.issues[issue].dispatch_ns +
	                                operators * advisor->operator_ns / advisor->speed.dispatch);
}

void weir_draft_name_host(struct weir_draft *draft, uint32_t issue, double ns)
{
	struct weir_draft_place *place = place_of(draft, key_of_issue(draft, issue));

	if (place->issue == WEIR_NONE)
		place->issue = issue;
	place->count++;
	place->ns += ns;
	draft->touched[draft->program.job_count + issue] = 1;
}

void weir_draft_basis(struct weir_draft *draft, const char *format, ...)
{
	va_list args;

	weir_text_clear(&draft->basis);
	va_start(args, format);
	weir_text_vprintf(&draft->basis, format, args);
	va_end(args);
}
