/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/opcalls.h"
#include "engine/base/arena.h"

/* ---- the list ---- */

static void begin(struct weir_op_calls *calls, uint32_t index)
{
	const struct weir_job *job = &calls->advisor->program.jobs[index];

	calls->items[calls->count++] = (struct weir_op_call){.op = job->op,
	                                                     .first_job = index,
	                                                     .end_job = index,
	                                                     .first_issue = job->issue,
	                                                     .longest_job = index};
}

static void extend(struct weir_op_calls *calls, uint32_t index)
{
	const struct weir_job *jobs = calls->advisor->program.jobs;
	struct weir_op_call *call = &calls->items[calls->count - 1];

	call->end_job = index + 1;
	call->end_issue = jobs[index].issue + 1;
	call->ns += jobs[index].ns;
	call->transfers |= weir_advisor_transfers(calls->advisor, &jobs[index]);
	if (jobs[index].ns > jobs[call->longest_job].ns)
		call->longest_job = index;
}

static void describe(struct weir_op_calls *calls, struct weir_op_call *call)
{
	const struct weir_job *longest = &calls->advisor->program.jobs[call->longest_job];
	struct weir_call recorded;

	call->family = weir_advisor_family(calls->advisor, longest);
	call->has_args = weir_advisor_call(calls->advisor, longest, &recorded);
	if (call->has_args)
		call->work = weir_work_of_call(&recorded);
}

static void fill(void *value, const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	struct weir_op_calls *calls = value;

	*calls = (struct weir_op_calls){.advisor = advisor};
	calls->items = weir_alloc((program->job_count + 1) * sizeof *calls->items);
	for (uint32_t j = 0; j < program->job_count; j++) {
		uint32_t op = program->jobs[j].op;

		if (calls->count == 0 || op == WEIR_NONE || op != calls->items[calls->count - 1].op)
			begin(calls, j);
		extend(calls, j);
	}
	for (size_t c = 0; c < calls->count; c++)
		describe(calls, &calls->items[c]);
}

static void release(void *value)
{
	struct weir_op_calls *calls = value;

	free(calls->items);
}

const struct weir_op_calls *weir_op_calls_of(const struct weir_advisor *advisor)
{
	static const struct weir_memo_type type = {WEIR_MEMO_CALLS, sizeof(struct weir_op_calls),
	                                           fill, release};

	return weir_advisor_recall(advisor, &type);
}

/* ---- questions ---- */

const char *weir_op_plain_name(const char *name)
{
	static const char space[] = "aten::";

	return name && strncmp(name, space, sizeof space - 1) == 0 ? name + sizeof space - 1 : "";
}

bool weir_op_is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

const char *weir_op_calls_name(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	if (call->op == WEIR_NONE)
		return "";
	return weir_op_plain_name(
		weir_timeline_host_name(&calls->advisor->program.rank->timeline, call->op));
}

bool weir_op_calls_args(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        struct weir_args *args)
{
	struct weir_call recorded;

	if (!weir_call_of_op(calls->advisor->program.rank->trace, call->op, NULL, &recorded) ||
	    !weir_args_parse(args, recorded.dims, recorded.types, recorded.scalars))
		return false;
	weir_args_stride(args, recorded.strides);
	return true;
}

bool weir_op_calls_wait(const struct weir_op_calls *calls, uint32_t first, uint32_t end)
{
	const struct weir_program *program = &calls->advisor->program;

	for (uint32_t i = first; i < end && i < program->issue_count; i++)
		if (program->issues[i].until != WEIR_NONE)
			return true;
	return false;
}

bool weir_op_calls_within(const struct weir_op_calls *calls, const struct weir_op_call *call,
                          const char *name)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;

	for (uint32_t row = call->op; row != WEIR_NONE; row = timeline->parent[row])
		if (strcmp(weir_timeline_host_name(timeline, row), name) == 0)
			return true;
	return false;
}

bool weir_op_calls_alike(const struct weir_op_calls *calls, size_t a, size_t b)
{
	const struct weir_trace *trace = calls->advisor->program.rank->trace;
	uint32_t left = calls->items[a].op, right = calls->items[b].op;

	return left != WEIR_NONE && right != WEIR_NONE &&
	       trace->host.name[left] == trace->host.name[right] &&
	       trace->shapes[trace->host.shape[left]].dims ==
	               trace->shapes[trace->host.shape[right]].dims;
}

bool weir_op_calls_looks_up(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	return call->family == WEIR_FAMILY_INDEX &&
	       weir_op_calls_within(calls, call, "aten::embedding");
}

bool weir_op_calls_recurs(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	/* (input, weights, stride of weights, buffer of weights, state, cell, ...) */
	static const char *const names[] = {"_cudnn_rnn", NULL};

	return weir_op_is_one_of(weir_op_calls_name(calls, call), names);
}

/* ---- changes ---- */

void weir_op_call_set(struct weir_draft *draft, const struct weir_op_call *call, double ns,
                      double low_ns, double high_ns)
{
	for (uint32_t j = call->first_job; j < call->end_job; j++) {
		double share = call->ns > 0 ? draft->advisor->program.jobs[j].ns / call->ns
		                            : 1.0 / (call->end_job - call->first_job);

		weir_draft_set_job(draft, j, ns * share, low_ns * share, high_ns * share);
	}
}

void weir_op_call_remove(struct weir_draft *draft, const struct weir_op_call *call)
{
	for (uint32_t i = call->first_issue; i < call->end_issue; i++) {
		weir_draft_remove_call(draft, i);
		weir_draft_set_dispatch(draft, i, 0);
	}
}
