/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/trials.h"
#include "engine/analysis/names/apis.h"
#include "engine/base/arena.h"

/* Launches between two records of events, and waits, at least: a tuner has two candidates or more,
 * times each several times, and waits for each. A program that times its own work once a step has
 * one of each. */
#define LEAST_TIMED 6
#define LEAST_WAITS 2

/* Launches of one kernel and of fills, one behind the other, on one thread. */
struct stretch {
	uint32_t kernel;           /* name of the kernel; 0: none yet */
	int64_t first_ns, last_ns; /* first launch; first launch behind the last wait */
	size_t timed, waits;
	bool recorded; /* a record of an event stands before the next launch */
	bool launched; /* the kernel behind that record */
	bool waited;   /* no launch of the kernel stands behind the last wait */
};

/* Facts of a name, which all calls or work of that name share: rows are many, names few. */
#define RECORDS 1u /* records an event */
#define FILLS   2u /* sets memory to a constant: tuners empty the cache so */

struct search {
	const struct weir_rank *rank;
	uint8_t *name_facts;  /* per name */
	uint32_t *device_row; /* per host row: the first work that it started; WEIR_NONE: none */
	struct weir_intervals *out;
	struct stretch stretch;
};

static void close_stretch(struct search *search)
{
	const struct stretch *stretch = &search->stretch;

	/* A benchmark of the kernel ends with a wait; a tuner then launches what it chose. */
	if (stretch->timed >= LEAST_TIMED && stretch->waits >= LEAST_WAITS && !stretch->waited)
		weir_intervals_push(search->out, stretch->first_ns, stretch->last_ns);
	search->stretch = (struct stretch){0};
}

static bool is_fill(const struct search *search, uint32_t device_row)
{
	const struct weir_device_columns *device = &search->rank->trace->device;

	return device->kind[device_row] == WEIR_DEVICE_SET ||
	       search->name_facts[device->name[device_row]] & FILLS;
}

/* Takes a call that starts work. */
static void take_launch(struct search *search, size_t row)
{
	const struct weir_trace *trace = search->rank->trace;
	uint32_t device_row = search->device_row[row];
	struct stretch *stretch = &search->stretch;
	bool recorded = stretch->recorded;
	bool kernel = device_row != WEIR_NONE && !is_fill(search, device_row) &&
	              trace->device.kind[device_row] == WEIR_DEVICE_KERNEL;

	if (device_row != WEIR_NONE && is_fill(search, device_row)) {
		stretch->recorded = stretch->launched = false;
		return;
	}
	if (!kernel || trace->device.name[device_row] != stretch->kernel)
		close_stretch(search);
	if (!kernel)
		return;
	if (stretch->kernel == 0) {
		stretch->kernel = trace->device.name[device_row];
		stretch->first_ns = trace->host.start_ns[row];
	}
	if (stretch->waited || stretch->waits == 0)
		stretch->last_ns = trace->host.start_ns[row];
	stretch->waited = false;
	stretch->launched = recorded;
	stretch->recorded = false;
}

static void take_record(struct stretch *stretch)
{
	stretch->timed += stretch->launched;
	stretch->launched = false;
	stretch->recorded = true;
}

static void take_row(struct search *search, size_t row)
{
	const struct weir_rank *rank = search->rank;
	const struct weir_host_columns *host = &rank->trace->host;
	enum weir_api_class class = (enum weir_api_class)rank->timeline.api_class[host->name[row]];
	struct stretch *stretch = &search->stretch;

	if (host->kind[row] != WEIR_HOST_API)
		return;
	if (class == WEIR_API_LAUNCH || class == WEIR_API_SET || class == WEIR_API_GRAPH_LAUNCH ||
	    class == WEIR_API_COPY_ASYNC || class == WEIR_API_COPY_BLOCKING) {
		take_launch(search, row);
	} else if (stretch->kernel != 0 && class == WEIR_API_SYNC) {
		stretch->waits++;
		stretch->waited = true;
	} else if (search->name_facts[host->name[row]] & RECORDS) {
		take_record(stretch);
	}
}

/* Reads the names. Returns the number of calls that record an event. */
static size_t look_at_names(struct search *search)
{
	const struct weir_timeline *timeline = &search->rank->timeline;
	const struct weir_trace *trace = search->rank->trace;
	size_t count = weir_names_count(trace->names), records = 0, rows = 0;

	search->name_facts = weir_alloc(count);
	for (size_t i = 0; i < count; i++) {
		const char *name = weir_names_text(trace->names, (uint32_t)i);
		bool is_record = timeline->api_class[i] == WEIR_API_EVENT && strstr(name, "Record");

		search->name_facts[i] = (uint8_t)((is_record ? RECORDS : 0) |
		                                  (strstr(name, "FillFunctor") ? FILLS : 0));
		records += is_record;
	}
	for (size_t row = 0; records > 0 && row < trace->host.count; row++)
		rows += search->name_facts[trace->host.name[row]] & RECORDS;
	return rows;
}

static void search_threads(struct search *search)
{
	const struct weir_rank *rank = search->rank;
	const struct weir_trace *trace = rank->trace;

	search->device_row = weir_alloc((trace->host.count + 1) * sizeof *search->device_row);
	for (size_t row = 0; row < trace->host.count; row++)
		search->device_row[row] = WEIR_NONE;
	for (size_t row = trace->device.count; row-- > 0;)
		if (trace->device.launch[row] != WEIR_NONE)
			search->device_row[trace->device.launch[row]] = (uint32_t)row;
	for (uint32_t t = 0; t < trace->thread_count; t++) {
		size_t first, end;

		weir_timeline_thread_rows(&rank->timeline, t, &first, &end);
		for (size_t row = first; row < end; row++)
			take_row(search, row);
		close_stretch(search);
	}
	free(search->device_row);
}

static void fill(void *value, const struct weir_advisor *advisor)
{
	struct weir_trials *out = value;
	struct search search = {.rank = advisor->program.rank, .out = &out->time};

	if (look_at_names(&search) >= LEAST_TIMED)
		search_threads(&search);
	weir_intervals_unite(&out->time);
	free(search.name_facts);
}

static void release(void *value)
{
	struct weir_trials *trials = value;

	weir_intervals_release(&trials->time);
}

const struct weir_trials *weir_trials_of(const struct weir_advisor *advisor)
{
	static const struct weir_memo_type type = {WEIR_MEMO_TRIALS, sizeof(struct weir_trials),
	                                           fill, release};

	return weir_advisor_recall(advisor, &type);
}
