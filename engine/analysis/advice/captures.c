/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/captures.h"
#include "engine/analysis/advice/retraces.h"
#include "engine/analysis/names/apis.h"
#include "engine/base/arena.h"

/* One capture; rows of its thread. */
struct capture {
	size_t begin, end;      /* the calls that begin and end it */
	int64_t from_ns, to_ns; /* with preparation and instantiation */
};

struct search {
	const struct weir_program *program;
	struct capture *items;
	size_t count, capacity;
	struct weir_intervals *time;
	int64_t wait_ns; /* start of the last wait since the last graph; INT64_MAX: none */
	bool open;       /* inside a capture */
	bool fresh;      /* behind a capture, before its first launch */
};

static void begin(struct search *search, size_t row)
{
	int64_t start_ns = search->program->rank->trace->host.start_ns[row];
	struct capture *capture;

	search->items = weir_grow(search->items, &search->capacity, search->count + 1,
	                          sizeof *search->items);
	capture = &search->items[search->count++];
	*capture = (struct capture){row, row, start_ns, start_ns};
	if (search->wait_ns < start_ns)
		capture->from_ns = search->wait_ns;
	search->open = true;
	search->fresh = false;
}

/* Takes a call behind the begin of a capture. */
static void take_call(struct search *search, size_t row, enum weir_api_class class)
{
	const struct weir_rank *rank = search->program->rank;
	const struct weir_host_columns *host = &rank->trace->host;
	const char *name = weir_timeline_host_name(&rank->timeline, (uint32_t)row);
	struct capture *last;

	if (strstr(name, "GraphExecDestroy")) {
		weir_intervals_push(search->time, host->start_ns[row], host->end_ns[row]);
		return;
	}
	if (search->count == 0)
		return;
	last = &search->items[search->count - 1];
	if (search->open && class == WEIR_API_CAPTURE_END) {
		last->end = row;
		search->open = false;
		search->fresh = true;
	} else if (!search->fresh ||
	           !(strstr(name, "GraphInstantiate") || strstr(name, "GraphDestroy"))) {
		return;
	}
	last->to_ns = host->end_ns[row];
}

static void take_row(struct search *search, size_t row)
{
	const struct weir_rank *rank = search->program->rank;
	const struct weir_host_columns *host = &rank->trace->host;
	enum weir_api_class class = (enum weir_api_class)rank->timeline.api_class[host->name[row]];

	if (host->kind[row] != WEIR_HOST_API)
		return;
	if (class == WEIR_API_CAPTURE_BEGIN) {
		begin(search, row);
	} else if (class == WEIR_API_GRAPH_LAUNCH) {
		search->wait_ns = INT64_MAX;
		search->fresh = false;
	} else if (class == WEIR_API_SYNC && !search->open) {
		search->wait_ns = host->start_ns[row];
	} else {
		take_call(search, row, class);
	}
}

/* ---- operators of captures ---- */

static size_t next_operator(const struct weir_host_columns *host, size_t row, size_t end)
{
	while (row < end && host->kind[row] != WEIR_HOST_OP)
		row++;
	return row;
}

/* True if both captures record the same operators with the same, known shapes. */
static bool is_like(const struct weir_host_columns *host, const struct capture *a,
                    const struct capture *b)
{
	size_t left = next_operator(host, a->begin, a->end);
	size_t right = next_operator(host, b->begin, b->end);
	bool shapes = false;

	while (left < a->end && right < b->end) {
		if (host->name[left] != host->name[right] ||
		    host->shape[left] != host->shape[right])
			return false;
		shapes |= host->shape[left] != 0;
		left = next_operator(host, left + 1, a->end);
		right = next_operator(host, right + 1, b->end);
	}
	return shapes && left >= a->end && right >= b->end;
}

/* Returns the last operator in [first, row); SIZE_MAX: none. */
static size_t operator_before(const struct weir_host_columns *host, size_t first, size_t row)
{
	while (row > first && host->kind[row - 1] != WEIR_HOST_OP)
		row--;
	return row > first ? row - 1 : SIZE_MAX;
}

/* Returns the first operator of a run of the captured operators that ends before `row`, so that it
 * prepares the capture; SIZE_MAX: none. first: row of the thread. */
static size_t warm_up_before(const struct weir_host_columns *host, const struct capture *capture,
                             size_t first, size_t row)
{
	size_t own = operator_before(host, capture->begin, capture->end), other = row;
	bool shapes = false;

	while (own != SIZE_MAX) {
		other = operator_before(host, first, other);
		if (other == SIZE_MAX || host->name[other] != host->name[own] ||
		    host->shape[other] != host->shape[own])
			return SIZE_MAX;
		shapes |= host->shape[own] != 0;
		own = operator_before(host, capture->begin, own);
	}
	return shapes ? other : SIZE_MAX;
}

/* Adds the runs of the captured operators just before the capture: frameworks demand some, since a
 * first run loads and allocates. */
static void add_warm_ups(const struct weir_host_columns *host, size_t first,
                         struct capture *capture)
{
	size_t row = capture->begin;

	while (row > first && host->start_ns[row - 1] >= capture->from_ns)
		row--;
	row = warm_up_before(host, capture, first, row);
	for (; row != SIZE_MAX; row = warm_up_before(host, capture, first, row))
		if (host->start_ns[row] < capture->from_ns)
			capture->from_ns = host->start_ns[row];
}

/* ---- the search ---- */

static bool is_inside(const struct weir_program *program, const struct capture *capture)
{
	return capture->to_ns > program->host_start_ns && capture->from_ns < program->host_end_ns;
}

/* Returns true if a capture of the program is like another one of its thread. */
static bool repeats(const struct search *search)
{
	const struct weir_host_columns *host = &search->program->rank->trace->host;

	for (size_t a = 0; a < search->count; a++)
		for (size_t b = 0;
		     is_inside(search->program, &search->items[a]) && b < search->count; b++)
			if (a != b && is_like(host, &search->items[a], &search->items[b]))
				return true;
	return false;
}

static void search_thread(const struct weir_program *program, uint32_t thread,
                          struct weir_captures *out)
{
	struct search search = {.program = program, .time = &out->time, .wait_ns = INT64_MAX};
	size_t first, end;

	weir_timeline_thread_rows(&program->rank->timeline, thread, &first, &end);
	for (size_t row = first; row < end; row++)
		take_row(&search, row);
	for (size_t i = 0; i < search.count; i++) {
		add_warm_ups(&program->rank->trace->host, first, &search.items[i]);
		weir_intervals_push(&out->time, search.items[i].from_ns, search.items[i].to_ns);
	}
	out->repeats |= repeats(&search);
	/* A traced network serves inputs of all sizes. */
	out->repeats |= weir_retraces_find(program, thread, &out->time);
	free(search.items);
}

static void fill(void *value, const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	struct weir_captures *out = value;
	const struct weir_trace *trace = program->rank->trace;
	uint8_t *threads = weir_alloc(trace->thread_count + 1);

	for (size_t i = 0; i < program->issue_count; i++)
		if (program->issues[i].call != WEIR_NONE)
			threads[trace->host.thread[program->issues[i].call]] = 1;
	for (uint32_t t = 0; t < trace->thread_count; t++)
		if (threads[t])
			search_thread(program, t, out);
	free(threads);
	weir_intervals_unite(&out->time);
	weir_intervals_clip(&out->time, program->host_start_ns, program->host_end_ns);
}

static void release(void *value)
{
	struct weir_captures *captures = value;

	weir_intervals_release(&captures->time);
}

const struct weir_captures *weir_captures_of(const struct weir_advisor *advisor)
{
	static const struct weir_memo_type type = {WEIR_MEMO_CAPTURES, sizeof(struct weir_captures),
	                                           fill, release};

	return weir_advisor_recall(advisor, &type);
}
