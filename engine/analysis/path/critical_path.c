/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/path/path_index.h"
#include "engine/analysis/timeline/idle.h"
#include "engine/base/arena.h"

/* Steps without progress before we assume a cycle caused by bad clocks. */
#define MOST_STALLED 4096
/* Rows that end after an instant among which work that runs at it is sought. */
#define MOST_RUNNING 16

enum place {
	AT_START, /* device row `at` is about to begin */
	IN_ROW,   /* device row `at` runs */
	ON_HOST,  /* on thread `at` */
	LOST,     /* the trace does not show what came before */
};

/* The cause of a stretch of time: the fields of a piece, without its time and rank. It is small
 * enough to stay in registers, since the walk makes one for each leaf of the host. */
struct use {
	uint32_t name, span;
	enum weir_path_kind kind;
};

/* A position of the walk, from which the rest follows. */
struct state {
	int64_t now_ns; /* on the path's clock */
	enum place place;
	uint32_t at;
};

struct walk {
	const struct weir_analysis *analysis;
	struct weir_path_index *indices; /* one per rank, made on first use */
	int64_t *shift_ns;               /* per rank: from the path's clock to its own */
	struct weir_path path;           /* pieces from the last to the first */
	struct weir_path_piece open;     /* the earliest piece, which may become longer */
	bool has_open;
	/* The last piece of a walk that goes on from another one, whose open piece may continue
	 * it: it is not yet part of the path. */
	struct weir_path_piece held;
	bool holds, has_held;     /* holds: the next piece that closes is that one */
	size_t window;            /* the current window; their number: none yet */
	int64_t begin_ns, now_ns; /* start of the window, and position; the path's clock */
	enum place place;
	uint32_t rank, at;
	/* Host row of this rank that waited for no device work in the rest of the path; WEIR_NONE.
	 */
	uint32_t waitless;
	size_t leaf;                 /* current leaf of the thread; SIZE_MAX: unknown */
	struct weir_span_place span; /* the last span that was found */
	unsigned stalled;
};

/* ---- position ---- */

static const struct weir_rank *rank_of(const struct walk *walk)
{
	return &walk->analysis->ranks[walk->rank];
}

static struct weir_path_index *index_of(struct walk *walk)
{
	struct weir_path_index *index = &walk->indices[walk->rank];

	if (!index->rank)
		weir_path_index_init(index, rank_of(walk));
	return index;
}

/* Returns the position on the clock of the current rank. */
static int64_t local_now(const struct walk *walk)
{
	return weir_clock_shifted(walk->now_ns, walk->shift_ns[walk->rank]);
}

static void go(struct walk *walk, enum place place, uint32_t at)
{
	walk->place = place;
	walk->at = at;
	walk->leaf = SIZE_MAX;
}

/* ---- pieces ---- */

/* Adds the open piece to the path. */
static void close_piece(struct walk *walk)
{
	struct weir_path *path = &walk->path;

	if (!walk->has_open)
		return;
	walk->has_open = false;
	if (walk->holds) {
		walk->held = walk->open;
		walk->has_held = true;
		walk->holds = false;
		return;
	}
	weir_path_sums_add(&path->sums, walk->analysis, &walk->open);
	if (!walk->analysis->options.detail)
		return;
	path->pieces =
		weir_grow(path->pieces, &path->capacity, path->count + 1, sizeof *path->pieces);
	path->pieces[path->count++] = walk->open;
}

/* Returns true if the open piece begins at end_ns and has the same use on the walk's rank. */
static bool continues(const struct walk *walk, int64_t end_ns, struct use use)
{
	const struct weir_path_piece *open = &walk->open;

	return walk->has_open && open->start_ns == end_ns && open->rank == walk->rank &&
	       open->name == use.name && open->span == use.span && open->kind == use.kind;
}

/* Assigns the time from from_ns (on the rank's clock) to the position to a use, and moves there. */
static void take(struct walk *walk, int64_t from_ns, struct use use)
{
	int64_t from = weir_clock_shifted(from_ns, -walk->shift_ns[walk->rank]);
	int64_t end_ns = walk->now_ns;

	if (from < walk->begin_ns)
		from = walk->begin_ns;
	if (from >= end_ns)
		return;
	walk->now_ns = from;
	walk->stalled = 0;
	if (continues(walk, end_ns, use)) {
		walk->open.start_ns = from;
		return;
	}
	close_piece(walk);
	walk->open.start_ns = from;
	walk->open.end_ns = end_ns;
	walk->open.rank = walk->rank;
	walk->open.name = use.name;
	walk->open.span = use.span;
	walk->open.kind = (uint8_t)use.kind;
	walk->has_open = true;
}

/* Marks the rest of the window as idle: the trace does not show what it was for. */
static void give_up(struct walk *walk)
{
	take(walk, INT64_MIN, (struct use){.span = WEIR_NONE, .kind = WEIR_PATH_IDLE});
	go(walk, LOST, WEIR_NONE);
}

/* ---- device work ---- */

static struct use use_of_row(const struct weir_rank *rank, uint32_t row, enum weir_path_kind kind)
{
	return (struct use){.span = rank->steps.row_span[row], .kind = kind};
}

/* True for a collective of which another rank was the last member: it waits until that begins. The
 * walk goes on there if that rank is analysed in detail. */
static bool waits_for_rank(const struct walk *walk, uint32_t row)
{
	const struct weir_rank *rank = rank_of(walk);
	const struct weir_waits *waits = &rank->waits;

	return waits->until_ns && waits->last && waits->last[row].rank != WEIR_NONE &&
	       waits->until_ns[row] > rank->trace->device.start_ns[row] &&
	       (waits->last[row].rank != walk->rank || waits->last[row].row != row);
}

static void walk_row(struct walk *walk)
{
	const struct weir_rank *rank = rank_of(walk);
	uint32_t row = walk->at;
	struct use use = use_of_row(rank, row, weir_path_work_kind(rank, row));

	use.name = weir_path_work_name(rank, row);
	if (waits_for_rank(walk, row) && rank->waits.until_ns[row] <= local_now(walk)) {
		take(walk, rank->waits.until_ns[row], use);
		walk->rank = rank->waits.last[row].rank;
		walk->waitless = WEIR_NONE;
		go(walk, AT_START, rank->waits.last[row].row);
		return;
	}
	take(walk, rank->trace->device.start_ns[row], use);
	go(walk, AT_START, row);
}

/* ---- what delayed device work ---- */

/* The events around the start of a device row. */
struct arrival {
	uint32_t row, launch, before;
	int64_t launched_ns; /* INT64_MIN: unknown */
	/* The later of launch and end of the row before; only work that ends later can have delayed
	 * the row. */
	int64_t floor_ns;
	const struct weir_sync_event *wait;
};

static struct arrival arrival_of(struct walk *walk, uint32_t row)
{
	const struct weir_path_index *index = index_of(walk);
	const struct weir_trace *trace = rank_of(walk)->trace;
	struct arrival out = {.row = row,
	                      .launch = trace->device.launch[row],
	                      .before = index->before[row],
	                      .launched_ns = INT64_MIN};

	if (out.launch != WEIR_NONE)
		out.launched_ns = trace->host.start_ns[out.launch];
	out.floor_ns = out.launched_ns;
	if (out.before != WEIR_NONE && trace->device.end_ns[out.before] > out.floor_ns)
		out.floor_ns = trace->device.end_ns[out.before];
	out.wait = weir_path_stream_wait(index, row);
	return out;
}

/* True if this row, which ended before the arrival, delayed it. */
static bool delayed(struct walk *walk, const struct arrival *arrival, uint32_t row)
{
	const struct weir_device_columns *device = &rank_of(walk)->trace->device;

	if (arrival->wait && arrival->wait->wait_on_stream >= 0)
		return weir_path_precedes(index_of(walk), row, arrival->wait->wait_on_stream,
		                          arrival->wait->wait_on_correlation);
	if ((device->flags[arrival->row] & WEIR_DEVICE_IN_GRAPH) && arrival->launch != WEIR_NONE &&
	    device->launch[row] == arrival->launch)
		return true;
	return device->stream[row] != device->stream[arrival->row] &&
	       weir_span_ns(arrival->floor_ns, local_now(walk)) > WEIR_INTER_KERNEL_NS &&
	       weir_span_ns(device->end_ns[row], local_now(walk)) <= WEIR_DEPENDENCY_NS;
}

/* Returns the work that ended last after floor_ns and delayed the arrival; WEIR_NONE: none. Skipped
 * rows end after the next position of the walk. */
static uint32_t find_dependency(struct walk *walk, const struct arrival *arrival)
{
	const struct weir_path_index *index = index_of(walk);
	const int64_t *end_ns = rank_of(walk)->trace->device.end_ns;
	int64_t begin_ns = weir_clock_shifted(walk->begin_ns, walk->shift_ns[walk->rank]);
	int64_t floor_ns = arrival->floor_ns > begin_ns ? arrival->floor_ns : begin_ns;

	for (size_t i = weir_path_ended(index, local_now(walk)); i-- > 0;) {
		uint32_t row = index->by_end[i];

		if (end_ns[row] <= floor_ns)
			break;
		if (row != arrival->row && delayed(walk, arrival, row))
			return row;
	}
	return WEIR_NONE;
}

static enum weir_path_kind kind_of_gap(const struct weir_rank *rank, const struct arrival *arrival,
                                       int64_t now_ns)
{
	int64_t end_ns = rank->trace->device.end_ns[arrival->before];

	if (weir_span_ns(end_ns, now_ns) <= WEIR_INTER_KERNEL_NS)
		return WEIR_PATH_KERNEL_GAP;
	if (arrival->launch != WEIR_NONE &&
	    weir_span_ns(rank->trace->host.end_ns[arrival->launch], end_ns) < WEIR_INTER_KERNEL_NS)
		return WEIR_PATH_LAUNCH;
	return WEIR_PATH_IDLE;
}

/* Returns other work of the row's device that runs at the position, else the work that ended last
 * before it, if possible on that device; WEIR_NONE: none. */
static uint32_t find_other_work(struct walk *walk, uint32_t row)
{
	const struct weir_path_index *index = index_of(walk);
	const struct weir_device_columns *rows = &rank_of(walk)->trace->device;
	size_t ended = weir_path_ended(index, local_now(walk));

	for (size_t i = ended; i < rows->count && i < ended + MOST_RUNNING; i++) {
		uint32_t other = index->by_end[i];

		if (rows->device[other] == rows->device[row] &&
		    rows->start_ns[other] < local_now(walk))
			return other;
	}
	for (size_t i = ended; i-- > 0;)
		if (index->by_end[i] != row && rows->device[index->by_end[i]] == rows->device[row])
			return index->by_end[i];
	return ended > 0 && index->by_end[ended - 1] != row ? index->by_end[ended - 1] : WEIR_NONE;
}

/* Handles queued work that starts late although its stream is empty and no recorded event holds it:
 * the path continues with other work of the device. Work that finds the device taken by other
 * streams waits without an event, and events of unlinked work may be missing. */
static void walk_waiting(struct walk *walk, uint32_t row)
{
	const struct weir_rank *rank = rank_of(walk);
	uint32_t other = find_other_work(walk, row);
	struct use use = use_of_row(rank, row, WEIR_PATH_IDLE);
	int64_t end_ns;

	if (other == WEIR_NONE) {
		give_up(walk);
		return;
	}
	end_ns = rank->trace->device.end_ns[other];
	if (weir_span_ns(end_ns, local_now(walk)) <= WEIR_INTER_KERNEL_NS)
		use.kind = WEIR_PATH_KERNEL_GAP;
	take(walk, end_ns, use);
	go(walk, IN_ROW, other);
}

static void walk_start(struct walk *walk)
{
	const struct weir_rank *rank = rank_of(walk);
	const struct weir_trace *trace = rank->trace;
	uint32_t row = walk->at, source;
	struct arrival arrival = arrival_of(walk, row);
	struct use use = use_of_row(rank, row, WEIR_PATH_KERNEL_GAP);

	source = find_dependency(walk, &arrival);
	if (source == WEIR_NONE && arrival.launch != WEIR_NONE &&
	    arrival.floor_ns == arrival.launched_ns) {
		use.kind = WEIR_PATH_LAUNCH;
		use.name = trace->host.name[arrival.launch];
		take(walk, arrival.launched_ns, use);
		go(walk, ON_HOST, trace->host.thread[arrival.launch]);
		return;
	}
	if (source == WEIR_NONE) {
		source = arrival.before;
		if (source != WEIR_NONE)
			use.kind = kind_of_gap(rank, &arrival, local_now(walk));
		if (source == WEIR_NONE || use.kind == WEIR_PATH_IDLE) {
			walk_waiting(walk, row);
			return;
		}
		if (use.kind == WEIR_PATH_LAUNCH)
			use.name = trace->host.name[arrival.launch];
	}
	take(walk, trace->device.end_ns[source], use);
	go(walk, IN_ROW, source);
}

/* ---- the host ---- */

static bool is_waited_for(struct walk *walk, uint32_t call, const struct weir_sync_event *wait,
                          uint32_t row)
{
	const struct weir_trace *trace = rank_of(walk)->trace;
	uint32_t launch = trace->device.launch[row];

	if (launch == call)
		return true;
	if (wait && wait->wait_on_stream >= 0)
		return weir_path_precedes(index_of(walk), row, wait->wait_on_stream,
		                          wait->wait_on_correlation);
	return launch != WEIR_NONE && trace->host.start_ns[launch] < trace->host.start_ns[call] &&
	       weir_path_precedes(index_of(walk), row, wait ? wait->stream : -1, 0);
}

/* Returns the work that ended last during the call and for which the call waited; WEIR_NONE: none.
 */
static uint32_t find_waited_for(struct walk *walk, uint32_t call)
{
	const struct weir_rank *rank = rank_of(walk);
	const struct weir_path_index *index = index_of(walk);
	const struct weir_trace *trace = rank->trace;
	enum weir_api_class class =
		(enum weir_api_class)rank->timeline.api_class[trace->host.name[call]];
	const struct weir_sync_event *wait = weir_path_host_wait(index, call);

	if ((class != WEIR_API_SYNC && class != WEIR_API_COPY_BLOCKING &&
	     class != WEIR_API_COPY_ASYNC) ||
	    walk->waitless == call)
		return WEIR_NONE;
	for (size_t i = weir_path_ended(index, local_now(walk)); i-- > 0;) {
		uint32_t row = index->by_end[i];

		if (trace->device.end_ns[row] <= trace->host.start_ns[call])
			break;
		if (class == WEIR_API_SYNC ? is_waited_for(walk, call, wait, row)
		                           : trace->device.launch[row] == call)
			return row;
	}
	walk->waitless = call; /* do not search the same rows again for each piece of the call */
	return WEIR_NONE;
}

static struct use use_of_host(struct walk *walk, uint32_t row, int64_t from_ns)
{
	const struct weir_rank *rank = rank_of(walk);
	const struct weir_host_columns *host = &rank->trace->host;
	enum weir_host_kind kind = (enum weir_host_kind)host->kind[row];
	struct use use = {
		.span = weir_steps_span_near(&rank->steps, walk->at, from_ns, &walk->span),
		.kind = WEIR_PATH_HOST_OP,
	};

	if (kind != WEIR_HOST_ANNOTATION) /* else the program's own code, between operators */
		use.name = host->name[row];
	if (kind == WEIR_HOST_API)
		use.kind = WEIR_PATH_HOST_API;
	else if (index_of(walk)->input[row])
		use.kind = WEIR_PATH_INPUT;
	return use;
}

/* Handles a time in which the thread has no row: the main thread may have given it its work. */
static void walk_nothing(struct walk *walk, int64_t from_ns)
{
	const struct weir_steps *steps = &rank_of(walk)->steps;
	uint32_t main_thread =
		steps->tracks.count > 0 ? steps->tracks.items[steps->tracks.main].thread : walk->at;
	struct use use = {
		.span = weir_steps_span_near(steps, walk->at, from_ns, &walk->span),
		.kind = WEIR_PATH_IDLE,
	};

	if (main_thread == walk->at)
		take(walk, from_ns, use);
	else
		go(walk, ON_HOST, main_thread);
}

/* Returns the current leaf, usually the one before the last: a thread is walked back leaf by leaf.
 */
static size_t find_leaf(struct walk *walk, const struct weir_leaves *leaves, int64_t now_ns)
{
	size_t last = walk->leaf;

	if (last != SIZE_MAX && last > 0 && leaves->time_ns[last] == now_ns)
		walk->leaf = last - 1;
	else
		walk->leaf = weir_leaves_at(leaves, now_ns > INT64_MIN ? now_ns - 1 : now_ns);
	return walk->leaf;
}

static void walk_host(struct walk *walk)
{
	const struct weir_leaves *leaves = weir_path_leaves(index_of(walk), walk->at);
	int64_t now_ns = local_now(walk);
	size_t leaf = find_leaf(walk, leaves, now_ns);
	uint32_t row, source;

	row = leaf == SIZE_MAX ? WEIR_NONE
	                       : weir_timeline_caller(&rank_of(walk)->timeline, leaves->row[leaf]);
	if (row == WEIR_NONE) {
		walk_nothing(walk, leaf == SIZE_MAX ? INT64_MIN : leaves->time_ns[leaf]);
		return;
	}
	source = find_waited_for(walk, row);
	if (source == WEIR_NONE) {
		take(walk, leaves->time_ns[leaf], use_of_host(walk, row, leaves->time_ns[leaf]));
		return;
	}
	take(walk, rank_of(walk)->trace->device.end_ns[source],
	     use_of_host(walk, row, leaves->time_ns[leaf]));
	go(walk, IN_ROW, source);
}

/* ---- windows ---- */

static uint32_t first_row_from(const struct weir_rank *rank, uint16_t device, int64_t at_ns)
{
	size_t low = rank->timeline.first_row[device], high = rank->timeline.first_row[device + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rank->trace->device.start_ns[middle] < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* Starts at an instant inside a window as at its end: the start of the next step's work if it
 * begins there, else the window's last work before it. */
static void enter_at(struct walk *walk, int64_t begin_ns, int64_t end_ns)
{
	const struct weir_rank *rank;
	const struct weir_device_columns *columns;
	uint16_t device = walk->path.device;
	uint32_t next;
	size_t ended;

	walk->rank = walk->path.rank;
	walk->waitless = WEIR_NONE;
	walk->begin_ns = begin_ns;
	walk->now_ns = end_ns;
	walk->stalled = 0;
	rank = rank_of(walk);
	columns = &rank->trace->device;
	next = first_row_from(rank, device, end_ns);
	if (next < rank->timeline.first_row[device + 1] && columns->start_ns[next] == end_ns) {
		go(walk, AT_START, next);
		return;
	}
	ended = weir_path_ended(index_of(walk), end_ns);
	while (ended > 0 && columns->device[index_of(walk)->by_end[ended - 1]] != device)
		ended--;
	if (ended == 0) {
		give_up(walk);
		return;
	}
	next = index_of(walk)->by_end[ended - 1];
	take(walk, columns->end_ns[next], (struct use){.span = WEIR_NONE, .kind = WEIR_PATH_IDLE});
	go(walk, IN_ROW, next);
}

static void walk_edge(struct walk *walk)
{
	if (++walk->stalled > MOST_STALLED)
		go(walk, LOST, WEIR_NONE);
	switch (walk->place) {
	case AT_START:
		walk_start(walk);
		break;
	case IN_ROW:
		walk_row(walk);
		break;
	case ON_HOST:
		walk_host(walk);
		break;
	case LOST:
		give_up(walk);
		break;
	}
}

static const struct weir_intervals *windows_of(const struct walk *walk)
{
	return &walk->analysis->ranks[walk->path.rank].steps.windows[walk->path.device];
}

static bool is_at(const struct walk *walk, const struct state *state)
{
	return walk->now_ns == state->now_ns && walk->place == state->place &&
	       walk->at == state->at;
}

/* Goes to the end of the window before, if the walk has come to the start of its window. Returns
 * false if that was the first one. */
static bool is_inside(struct walk *walk)
{
	while (walk->now_ns <= walk->begin_ns) {
		if (walk->window == 0)
			return false;
		walk->window--;
		enter_at(walk, windows_of(walk)->items[walk->window].start_ns,
		         windows_of(walk)->items[walk->window].end_ns);
	}
	return true;
}

/* Walks back to a state, or without one (NULL) through all windows. Returns true if the walk has
 * come to the state; false: it has come to the start of the first window. */
static bool walk_to(struct walk *walk, const struct state *end)
{
	while (is_inside(walk)) {
		if (end && is_at(walk, end))
			return true;
		walk_edge(walk);
	}
	return false;
}

/* ---- parts ----
 *
 * The rest of a walk follows from its state. A second walk therefore starts at an instant in the
 * middle, as if its window ended there. After some edges it has very likely come to a state of the
 * whole walk: to the thread that launches all work, at the end of a call. From there on it counts.
 * The first walk goes on until it comes to that very state, and the two are joined. If it never
 * does, it walks to the end by itself, and the second one is dropped: the result is the same.
 */

/* Edges that a walk goes from the instant where it starts, before it counts. */
#define FIRST_EDGES 16

struct part {
	struct walk walk;
	struct state begin;
	bool joined; /* it came to the state with which the next part begins */
};

struct weir_path_search {
	struct part *parts; /* from the last one to the first one */
	size_t count;
};

static void choose_device(const struct weir_analysis *analysis, struct weir_path *path)
{
	path->rank = WEIR_NONE;
	for (uint32_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];

		for (uint16_t d = 0; d < rank->trace->device_count; d++) {
			if (rank->activity[d].window_ns <= path->span_ns)
				continue;
			path->rank = r;
			path->device = d;
			path->span_ns = rank->activity[d].window_ns;
		}
	}
}

static void reverse(struct weir_path *path)
{
	for (size_t i = 0; i < path->count / 2; i++) {
		struct weir_path_piece swap = path->pieces[i];

		path->pieces[i] = path->pieces[path->count - 1 - i];
		path->pieces[path->count - 1 - i] = swap;
	}
}

/* Lets a walk start in the middle of the windows. Returns false if it comes to the start of the
 * first one: then it is no part. */
static bool begin_part(struct part *part, const struct walk *whole, int64_t at_ns)
{
	const struct weir_intervals *windows = windows_of(whole);
	struct walk *walk = &part->walk;
	bool inside = true;

	*walk = *whole;
	walk->window = windows->count;
	while (walk->window > 0 && windows->items[walk->window - 1].end_ns > at_ns)
		walk->window--;
	if (walk->window < windows->count && windows->items[walk->window].start_ns < at_ns)
		enter_at(walk, windows->items[walk->window].start_ns, at_ns);
	for (int i = 0; i < FIRST_EDGES && (inside = is_inside(walk)); i++)
		walk_edge(walk);
	inside = inside && is_inside(walk);
	part->begin = (struct state){walk->now_ns, walk->place, walk->at};
	weir_path_release(&walk->path);
	walk->path = whole->path;
	walk->has_open = false;
	walk->holds = true;
	return inside;
}

/* Starts up to `parts` walks, at instants that divide the windows evenly. The walks share the index
 * of the rank, so that there is one if the path may lead to other ranks. */
static void begin_parts(struct weir_path_search *search, const struct walk *whole, size_t parts)
{
	const struct weir_intervals *windows = windows_of(whole);
	int64_t start_ns = windows->items[0].start_ns;
	double length = (double)weir_span_ns(start_ns, windows->items[windows->count - 1].end_ns);

	search->parts[search->count++].walk = *whole;
	if (whole->analysis->rank_count > 1)
		return;
	for (size_t p = 1; p < parts; p++) {
		double share = (double)(parts - p) / (double)parts;
		int64_t at_ns = weir_add_ns(start_ns, (int64_t)(length * share));

		search->count += begin_part(&search->parts[search->count], whole, at_ns);
	}
}

struct weir_path_search *weir_path_search_new(const struct weir_analysis *analysis, size_t parts)
{
	struct weir_path_search *search = weir_alloc(sizeof *search);
	struct walk whole = {.analysis = analysis};

	search->parts = weir_alloc((parts + 1) * sizeof *search->parts);
	choose_device(analysis, &whole.path);
	if (whole.path.rank == WEIR_NONE) {
		search->parts[0].walk = whole;
		return search;
	}
	whole.indices = weir_alloc(analysis->rank_count * sizeof *whole.indices);
	whole.shift_ns = weir_alloc(analysis->rank_count * sizeof *whole.shift_ns);
	for (size_t r = 0; r < analysis->rank_count; r++)
		whole.shift_ns[r] = weir_clock_shift(analysis->ranks, whole.path.rank) -
		                    weir_clock_shift(analysis->ranks, r);
	whole.rank = whole.path.rank;
	index_of(&whole);
	whole.window = windows_of(&whole)->count;
	begin_parts(search, &whole, parts);
	return search;
}

size_t weir_path_search_parts(const struct weir_path_search *search)
{
	return search->count;
}

void weir_path_search_walk(struct weir_path_search *search, size_t part)
{
	struct part *parts = search->parts;
	/* On the thread's own stack: the walks of other threads lie beside it in memory, and a
	 * cache line that two threads write moves to and fro. */
	struct walk walk = parts[part].walk;
	bool is_last = part + 1 == search->count;

	parts[part].joined = walk_to(&walk, is_last ? NULL : &parts[part + 1].begin);
	parts[part].walk = walk;
}

/* Adds a piece that ends where the walk's pieces begin. */
static void add_piece(struct walk *walk, const struct weir_path_piece *piece)
{
	if (continues(walk, piece->end_ns,
	              (struct use){piece->name, piece->span, (enum weir_path_kind)piece->kind})) {
		walk->open.start_ns = piece->start_ns;
		return;
	}
	close_piece(walk);
	walk->open = *piece;
	walk->has_open = true;
}

/* Adds the pieces of the next part to a walk, in their order: the one held back, those of its path,
 * and the open one. */
static void join_part(struct walk *walk, struct walk *next)
{
	struct weir_path *path = &walk->path;

	if (next->has_held) {
		add_piece(walk, &next->held);
		close_piece(walk);
	}
	weir_path_sums_join(&path->sums, &next->path.sums, walk->analysis);
	if (next->path.count > 0) {
		path->pieces = weir_grow(path->pieces, &path->capacity,
		                         path->count + next->path.count, sizeof *path->pieces);
		memcpy(path->pieces + path->count, next->path.pieces,
		       next->path.count * sizeof *path->pieces);
		path->count += next->path.count;
	}
	if (next->has_open)
		add_piece(walk, &next->open);
}

void weir_path_search_end(struct weir_path_search *search, struct weir_path *path)
{
	struct walk *walk = &search->parts[0].walk;
	const struct weir_analysis *analysis = walk->analysis;

	for (size_t p = 0; p + 1 < search->count && search->parts[p].joined; p++)
		join_part(walk, &search->parts[p + 1].walk);
	for (size_t p = 1; p < search->count; p++)
		weir_path_release(&search->parts[p].walk.path);
	close_piece(walk);
	*path = walk->path;
	reverse(path);
	for (size_t r = 0; walk->indices && r < analysis->rank_count; r++) {
		path->approximate |=
			walk->indices[r].rank && analysis->ranks[r].trace->sync_count == 0;
		weir_path_index_release(&walk->indices[r]);
	}
	free(walk->indices);
	free(walk->shift_ns);
	free(search->parts);
	free(search);
}

void weir_path_release(struct weir_path *path)
{
	weir_path_sums_release(&path->sums);
	free(path->pieces);
	*path = (struct weir_path){0};
}
