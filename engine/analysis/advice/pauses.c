/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/pauses.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/frames.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* ---- names ---- */

static const char *const collector_names[] = {"gc.collect",
                                              "garbage",
                                              "gc.py(",
                                              "gc_collect",
                                              "collect of module gc",
                                              "<built-in function collect>"};

static bool is_collector(const char *name)
{
	if (strcmp(name, "gc") == 0 || strcmp(name, "GC") == 0)
		return true;
	for (size_t i = 0; i < WEIR_COUNT_OF(collector_names); i++)
		if (strstr(name, collector_names[i]))
			return true;
	return false;
}

/* ---- recorded collections ---- */

/* Returns the thread that makes most calls of the program; WEIR_NONE: no calls are recorded. */
static uint32_t launching_thread(const struct weir_program *program)
{
	const struct weir_trace *trace = program->rank->trace;
	size_t *calls = weir_alloc((trace->thread_count + 1) * sizeof *calls);
	uint32_t best = WEIR_NONE;

	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call == WEIR_NONE)
			continue;
		calls[trace->host.thread[call]]++;
		if (best == WEIR_NONE || calls[trace->host.thread[call]] > calls[best])
			best = trace->host.thread[call];
	}
	free(calls);
	return best;
}

/* Adds the recorded collections of one thread. */
static void add_of_thread(const struct weir_program *program, uint32_t thread,
                          struct weir_collections *out)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t first, end;

	weir_timeline_thread_rows(&program->rank->timeline, thread, &first, &end);
	for (size_t row = first; row < end; row++) {
		if (host->kind[row] == WEIR_HOST_API || host->kind[row] == WEIR_HOST_OVERHEAD ||
		    host->end_ns[row] <= program->host_start_ns ||
		    host->start_ns[row] >= program->host_end_ns)
			continue;
		if (is_collector(weir_timeline_host_name(&program->rank->timeline, (uint32_t)row)))
			weir_intervals_push(&out->time, host->start_ns[row], host->end_ns[row]);
	}
}

/* Adds the recorded collections of all threads that make calls of the program: a backward pass
 * launches most work on its own thread, while the collector runs on that of the program. */
static void add_recorded(const struct weir_program *program, struct weir_collections *out)
{
	const struct weir_trace *trace = program->rank->trace;
	uint8_t *seen = weir_alloc(trace->thread_count + 1);

	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call == WEIR_NONE || seen[trace->host.thread[call]])
			continue;
		seen[trace->host.thread[call]] = 1;
		add_of_thread(program, trace->host.thread[call], out);
	}
	free(seen);
	weir_intervals_unite(&out->time);
	out->recorded = out->time.count > 0;
}

/* ---- silent pauses ---- */

/* A stretch without an event between two rows of the thread. */
struct pause {
	int64_t start_ns, end_ns;
	uint32_t in;            /* innermost row around it; WEIR_NONE: none */
	uint32_t before, after; /* rows that end and begin it; WEIR_NONE: none */
	uint32_t step;
	/* The last call with device work before it copies to the host, and the first one behind it
	 * to the device. */
	bool reads, prepares;
};

struct pauses {
	const struct weir_program *program;
	struct pause *items;
	size_t count, capacity;
	double *gaps_ns; /* of all stretches without an event */
	size_t gap_count, gap_capacity;
	/* Calls of the step that list values: their starts, ascending, and the values up to each.
	 */
	int64_t *listed_ns;
	double *listed;
	size_t listed_count;
	double down_bytes, up_bytes;     /* that the step copies; NAN: not recorded */
	double reading_ns, preparing_ns; /* of its longest pauses that read and prepare */
};

/* Adds the stretch from the end or start of a row to the next event. */
static void add_stretch(struct pauses *pauses, const struct pause *pause)
{
	int64_t ns = weir_span_ns(pause->start_ns, pause->end_ns);

	if (pause->start_ns >= pause->end_ns)
		return;
	pauses->gaps_ns = weir_grow(pauses->gaps_ns, &pauses->gap_capacity, pauses->gap_count + 1,
	                            sizeof *pauses->gaps_ns);
	pauses->gaps_ns[pauses->gap_count++] = (double)ns;
	if (ns < WEIR_COLLECTION_LEAST_NS)
		return;
	pauses->items = weir_grow(pauses->items, &pauses->capacity, pauses->count + 1,
	                          sizeof *pauses->items);
	pauses->items[pauses->count] = *pause;
	pauses->items[pauses->count++].step =
		weir_steps_step_at(&pauses->program->rank->steps, pause->start_ns);
}

/* Closes the rows that end by at_ns, innermost first; returns the row that is open then. */
static uint32_t close_rows(struct pauses *pauses, uint32_t open, int64_t at_ns, int64_t *from_ns,
                           uint32_t *before)
{
	const struct weir_timeline *timeline = &pauses->program->rank->timeline;
	const int64_t *end_ns = timeline->trace->host.end_ns;

	while (open != WEIR_NONE && end_ns[open] <= at_ns) {
		add_stretch(pauses, &(struct pause){*from_ns, end_ns[open], open, *before,
		                                    WEIR_NONE, WEIR_NONE, false, false});
		*from_ns = end_ns[open] > *from_ns ? end_ns[open] : *from_ns;
		*before = open;
		open = timeline->parent[open];
	}
	return open;
}

/* Walks over the rows of the thread and collects all stretches without an event. */
static void find_stretches(struct pauses *pauses, uint32_t thread)
{
	const struct weir_timeline *timeline = &pauses->program->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	uint32_t open = WEIR_NONE, before = WEIR_NONE;
	size_t first, end;
	int64_t from_ns;

	weir_timeline_thread_rows(timeline, thread, &first, &end);
	from_ns = first < end ? host->start_ns[first] : 0;
	for (size_t row = first; row < end; row++) {
		if (host->kind[row] == WEIR_HOST_OVERHEAD)
			continue;
		open = close_rows(pauses, open, host->start_ns[row], &from_ns, &before);
		add_stretch(pauses, &(struct pause){from_ns, host->start_ns[row], open, before,
		                                    (uint32_t)row, WEIR_NONE, false, false});
		if (host->start_ns[row] > from_ns)
			from_ns = host->start_ns[row];
		before = WEIR_NONE;
		open = (uint32_t)row;
	}
	close_rows(pauses, open, INT64_MAX, &from_ns, &before);
}

/* ---- other explanations ---- */

/* True if the row has a launch of device work inside, so that its name says little about a pause in
 * it. */
static bool holds_launches(const struct weir_timeline *timeline, uint32_t row)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t first, end;

	weir_timeline_thread_rows(timeline, host->thread[row], &first, &end);
	for (size_t r = (size_t)row + 1; r < end && host->start_ns[r] < host->end_ns[row]; r++) {
		enum weir_api_class class = (enum weir_api_class)timeline->api_class[host->name[r]];

		if (host->kind[r] == WEIR_HOST_API &&
		    (class == WEIR_API_LAUNCH || class == WEIR_API_GRAPH_LAUNCH))
			return true;
	}
	return false;
}

bool weir_pause_is_anonymous(const struct weir_timeline *timeline, uint32_t in)
{
	const uint8_t *kind = timeline->trace->host.kind;

	if (in == WEIR_NONE)
		return false; /* between steps a thread may wait for its caller */
	for (uint32_t row = in; row != WEIR_NONE; row = timeline->parent[row])
		if (weir_frame_class(weir_timeline_host_name(timeline, row)) != WEIR_FRAME_PLAIN)
			return false;
	return kind[in] == WEIR_HOST_ANNOTATION && holds_launches(timeline, in);
}

/* Returns the name of the first device work that a call starts, "Memcpy HtoD" for a copy; "": it
 * starts none of the program's. */
static const char *work_of(const struct weir_program *program, uint32_t call)
{
	for (size_t j = 0; j < program->job_count; j++) {
		uint32_t row = program->jobs[j].row;

		if (program->rank->trace->device.launch[row] == call)
			return weir_timeline_device_name(&program->rank->timeline, row);
	}
	return "";
}

/* The time that the host may take to process what it copies, in ns. */
struct pace {
	double value;         /* for a value of which Python makes an object */
	double byte;          /* for a byte of a copy whose values are listed */
	double unlisted_byte; /* for a byte of another copy */
};

/* No program takes longer. Python executes some ten million simple operations a second, and
 * formatting a number or storing a row takes it 1 to 50 us; an operation of NumPy takes 1 to 10 ns
 * for a byte, and deflate 20 to 50 ns. Where no values are listed, each byte may be one. */
static const struct pace slowest = {50e3, 50, 50e3 + 50};
/* Hardly a program takes longer. In 27 programs that prepared inputs or processed results, it took
 * up to 113 ns for a byte (text), and up to 400 ns for a listed value in transcripts and JSON, or
 * 4.1 us where each box was compared with the others. In three that collected garbage beside a
 * copy, it took 1500 ns for a byte and more. */
static const struct pace slow = {5e3, 50, 200};

/* Returns the Python objects that a row makes of values on the device: PyTorch's tolist() resolves
 * its tensor, item() reads one value. */
static double values_of_row(const struct weir_advisor *advisor, size_t row)
{
	const char *name = weir_op_plain_name(
		weir_timeline_host_name(&advisor->program.rank->timeline, (uint32_t)row));
	struct weir_args args;

	if (strcmp(name, "item") == 0)
		return 1;
	return strcmp(name, "resolve_conj") == 0 &&
	                       weir_advisor_args(advisor, (uint32_t)row, &args) &&
	                       weir_args_tensor(&args, 0)
	               ? args.items[0].elements
	               : 0;
}

/* Notes where the thread lists values in the step, and how many up to there. */
static void find_listed(const struct weir_advisor *advisor, uint32_t thread, struct pauses *pauses)
{
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;
	const int64_t *start_ns = timeline->trace->host.start_ns;
	size_t first, end, capacity[2] = {0, 0};
	double sum = 0;

	weir_timeline_thread_rows(timeline, thread, &first, &end);
	while (first < end && start_ns[first] < advisor->program.host_start_ns)
		first++;
	for (size_t row = first; row < end && start_ns[row] < advisor->program.host_end_ns; row++) {
		double values = values_of_row(advisor, row);

		if (!(values > 0))
			continue;
		sum += values;
		pauses->listed_ns = weir_grow(pauses->listed_ns, &capacity[0],
		                              pauses->listed_count + 1, sizeof *pauses->listed_ns);
		pauses->listed = weir_grow(pauses->listed, &capacity[1], pauses->listed_count + 1,
		                           sizeof *pauses->listed);
		pauses->listed_ns[pauses->listed_count] = start_ns[row];
		pauses->listed[pauses->listed_count++] = sum;
	}
}

/* Returns the values that the step lists before the pause; 0: no such call is recorded. */
static double listed_before(const struct pauses *pauses, const struct pause *pause)
{
	int64_t at_ns = pause->start_ns > INT64_MIN ? pause->start_ns - 1 : pause->start_ns;
	size_t calls = weir_instants_until(pauses->listed_ns, pauses->listed_count, at_ns);

	return calls > 0 ? pauses->listed[calls - 1] : 0;
}

/* True if the host may process this many bytes, of which it lists values, in this time. */
static bool explains(double ns, double values, double bytes, const struct pace *pace)
{
	double most_ns = values > 0 ? values * pace->value + bytes * pace->byte
	                            : bytes * pace->unlisted_byte;

	return !(ns > most_ns);
}

/* Finds the copies beside a pause. */
static void find_copies(const struct weir_program *program, struct pause *pause)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	uint32_t before = WEIR_NONE, after = WEIR_NONE;

	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call == WEIR_NONE || program->issues[i].job_count == 0)
			continue;
		if (host->start_ns[call] < pause->start_ns)
			before = call;
		else if (after == WEIR_NONE)
			after = call;
	}
	/* Behind the last call comes the first one of the next step, which begins like this one. */
	for (size_t i = 0; after == WEIR_NONE && i < program->issue_count; i++)
		if (program->issues[i].call != WEIR_NONE && program->issues[i].job_count > 0)
			after = program->issues[i].call;
	pause->reads = before != WEIR_NONE && strstr(work_of(program, before), "DtoH");
	pause->prepares = after != WEIR_NONE && strstr(work_of(program, after), "HtoD");
}

/* True if the pause lies in the step and has no name. */
static bool is_of_step(const struct weir_program *program, const struct pause *pause)
{
	return pause->start_ns >= program->host_start_ns && pause->end_ns <= program->host_end_ns &&
	       weir_pause_is_anonymous(&program->rank->timeline, pause->in);
}

static double length_of(const struct pause *pause)
{
	return (double)weir_span_ns(pause->start_ns, pause->end_ns);
}

/* Finds the copies beside the step's pauses that have no name. */
static void find_all_copies(struct pauses *pauses)
{
	for (size_t i = 0; i < pauses->count; i++) {
		struct pause *pause = &pauses->items[i];

		if (!is_of_step(pauses->program, pause))
			continue;
		find_copies(pauses->program, pause);
		if (pause->reads)
			pauses->reading_ns = fmax(pauses->reading_ns, length_of(pause));
		if (pause->prepares)
			pauses->preparing_ns = fmax(pauses->preparing_ns, length_of(pause));
	}
}

/* Returns the time of the pause with the step's other pauses of its kind, if it and they are at
 * least half as long as the longest: they share the bytes that the step copies. */
static double shared_ns(const struct pauses *pauses, const struct pause *pause, bool reading)
{
	double least_ns = (reading ? pauses->reading_ns : pauses->preparing_ns) / 2, ns = 0;

	if (length_of(pause) < least_ns)
		return length_of(pause);
	for (size_t i = 0; i < pauses->count; i++)
		if ((reading ? pauses->items[i].reads : pauses->items[i].prepares) &&
		    length_of(&pauses->items[i]) >= least_ns)
			ns += length_of(&pauses->items[i]);
	return ns;
}

/* True if the pause reads a result or prepares an input, of enough bytes for its time. */
static bool is_beside_copy(const struct pauses *pauses, const struct pause *pause,
                           const struct pace *pace)
{
	double values = listed_before(pauses, pause);
	double reading_ns = values > 0 ? length_of(pause) : shared_ns(pauses, pause, true);

	return (pause->reads && explains(reading_ns, values, pauses->down_bytes, pace)) ||
	       (pause->prepares &&
	        explains(shared_ns(pauses, pause, false), 0, pauses->up_bytes, pace));
}

/* True if the device works for half of the pause: the host may wait for it in a call that is not
 * recorded. */
static bool is_beside_work(const struct weir_program *program, const struct pause *pause)
{
	const struct weir_rank *rank = program->rank;
	const struct weir_device_columns *rows = &rank->trace->device;
	struct weir_intervals busy = {0};
	int64_t busy_ns;

	for (uint32_t row = rank->timeline.first_row[program->device];
	     row < rank->timeline.first_row[program->device + 1] &&
	     rows->start_ns[row] < pause->end_ns;
	     row++)
		if (rows->end_ns[row] > pause->start_ns)
			weir_intervals_push(&busy, rows->start_ns[row], rows->end_ns[row]);
	weir_intervals_unite(&busy);
	weir_intervals_clip(&busy, pause->start_ns, pause->end_ns);
	busy_ns = weir_intervals_total(&busy);
	weir_intervals_release(&busy);
	return busy_ns > weir_span_ns(pause->start_ns, pause->end_ns) / 2;
}

/* ---- the pattern ---- */

/* Returns the name id of a row; the same for all steps, which have different names. */
static uint32_t name_of(const struct weir_program *program, uint32_t row)
{
	const struct weir_trace *trace = program->rank->trace;
	uint32_t step;

	if (row == WEIR_NONE)
		return 0;
	step = weir_steps_step_at(&program->rank->steps, trace->host.start_ns[row]);
	if (step != WEIR_NONE && program->rank->steps.steps[step].host_row == row)
		return UINT32_MAX;
	return trace->host.name[row];
}

static bool is_same_place(const struct weir_program *program, const struct pause *a,
                          const struct pause *b)
{
	return name_of(program, a->in) == name_of(program, b->in) &&
	       name_of(program, a->before) == name_of(program, b->before) &&
	       name_of(program, a->after) == name_of(program, b->after);
}

/* True if the lengths are similar but not as exact as a timer's. */
static bool is_collection_like(double *lengths_ns, size_t count)
{
	double low_ns = weir_quantile_select(lengths_ns, count, 0.25);
	double high_ns = weir_quantile_select(lengths_ns, count, 0.75);

	return high_ns <= WEIR_COLLECTION_SPREAD * low_ns && high_ns - low_ns > WEIR_TIMER_NS &&
	       high_ns - low_ns > 0.01 * low_ns;
}

/* True if pauses like this one come in several steps, for similar times. */
static bool is_regular(const struct pauses *pauses, const struct pause *pause)
{
	double *lengths_ns = weir_alloc((pauses->count + 1) * sizeof *lengths_ns);
	uint32_t last = WEIR_NONE;
	size_t count = 0, steps = 0;
	bool regular;

	for (size_t i = 0; i < pauses->count; i++) {
		const struct pause *other = &pauses->items[i];

		if (other->step == WEIR_NONE || !is_same_place(pauses->program, pause, other))
			continue;
		lengths_ns[count++] = (double)weir_span_ns(other->start_ns, other->end_ns);
		steps += other->step != last;
		last = other->step;
	}
	regular = steps >= WEIR_COLLECTION_STEPS && is_collection_like(lengths_ns, count);
	free(lengths_ns);
	return regular;
}

static bool is_conjectured(const struct pauses *pauses, const struct pause *pause, double usual_ns,
                           const struct pace *pace)
{
	const struct weir_program *program = pauses->program;

	return is_of_step(program, pause) &&
	       length_of(pause) >= WEIR_COLLECTION_FACTOR * usual_ns &&
	       !is_beside_copy(pauses, pause, pace) && !is_beside_work(program, pause) &&
	       is_regular(pauses, pause);
}

/* Adds the pauses that nothing explains for a host of this pace. */
static void add_unexplained(const struct pauses *pauses, double usual_ns, const struct pace *pace,
                            struct weir_collections *out)
{
	for (size_t i = 0; i < pauses->count; i++)
		if (is_conjectured(pauses, &pauses->items[i], usual_ns, pace))
			weir_intervals_push(&out->time, pauses->items[i].start_ns,
			                    pauses->items[i].end_ns);
}

static void add_conjectured(const struct weir_advisor *advisor, uint32_t thread,
                            struct weir_collections *out)
{
	struct pauses pauses = {.program = &advisor->program,
	                        .down_bytes = weir_transfer_bytes(advisor, WEIR_TRANSFER_DOWN),
	                        .up_bytes = weir_transfer_bytes(advisor, WEIR_TRANSFER_UP)};
	double usual_ns;

	find_stretches(&pauses, thread);
	find_listed(advisor, thread, &pauses);
	find_all_copies(&pauses);
	usual_ns = pauses.gap_count > 0 ? weir_median(pauses.gaps_ns, pauses.gap_count) : 0;
	add_unexplained(&pauses, usual_ns, &slowest, out);
	if (out->time.count == 0) {
		add_unexplained(&pauses, usual_ns, &slow, out);
		out->doubtful = out->time.count > 0;
	}
	weir_intervals_unite(&out->time);
	free(pauses.items);
	free(pauses.gaps_ns);
	free(pauses.listed_ns);
	free(pauses.listed);
}

/* True if the host has a stretch between two calls in which a collection would fit: most programs
 * have none, and need no search of the whole thread. */
static bool could_pause(const struct weir_program *program)
{
	for (size_t i = 0; i < program->issue_count; i++)
		if (program->issues[i].work_ns >= WEIR_COLLECTION_LEAST_NS &&
		    weir_pause_is_anonymous(&program->rank->timeline, program->issues[i].work_row))
			return true;
	return false;
}

static void fill(void *value, const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	struct weir_collections *out = value;
	uint32_t thread = launching_thread(program);

	if (thread == WEIR_NONE)
		return;
	add_recorded(program, out);
	if (!out->recorded && program->step != WEIR_NONE && could_pause(program))
		add_conjectured(advisor, thread, out);
}

static void release(void *value)
{
	struct weir_collections *collections = value;

	weir_intervals_release(&collections->time);
}

const struct weir_collections *weir_collections_of(const struct weir_advisor *advisor)
{
	static const struct weir_memo_type type = {WEIR_MEMO_COLLECTIONS,
	                                           sizeof(struct weir_collections), fill, release};

	return weir_advisor_recall(advisor, &type);
}
