/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * make_job TRACE FOLDER [--ranks N] [--seed N] [--slow-nodes N] [--slow-ranks N] [--slow-links N]:
 * writes the parts of a simulated job, one a rank, made from the trace of one rank.
 *
 * A node has eight ranks. The collectives of the trace become those of three kinds of groups in
 * turn: of the four ranks of half a node (most of them), of two ranks in neighbouring nodes, and of
 * sixteen ranks in as many nodes. The time from one collective to the next varies by 3 % (sd), and
 * one in two hundred has a pause of 0.5 ms; a collective ends for all members when the last one has
 * arrived and the bytes are moved, in a time that varies by 10 %. A slow host launches 0.15 ms late
 * before every sixth collective, on all ranks of the node or on one. A slow link moves the bytes of
 * one pair six times slower. All other events follow the collectives around them. Prints what is
 * slow, one name a line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/base/pack.h"
#include "engine/base/splitmix.h"
#include "engine/part/part.h"
#include "engine/part/trace_pack.h"
#include "engine/readers/reader.h"

#define NODE_RANKS  8
#define LOCAL_RANKS 4
#define WIDE_RANKS  16
#define JITTER      0.03
#define PAUSE_ODDS  200
#define PAUSE_NS    500000
#define LATE_NS     150000
#define LATE_EVERY  6
#define SLOW_FACTOR 6

enum group_kind { LOCAL, PAIR, WIDE };

/* A collective of the trace. */
struct meeting {
	uint32_t row;
	int64_t start_ns, end_ns;
	int64_t launch_ns; /* first launch call after the previous one ended; INT64_MAX: none */
	enum group_kind kind;
	int64_t transfer_ns;
};

struct options {
	const char *trace, *folder;
	size_t ranks, slow_nodes, slow_ranks, slow_links;
	bool fast; /* compress less */
	uint64_t seed;
};

struct job {
	struct options options;
	struct weir_profile *profile;
	struct weir_trace *trace;
	struct meeting *meetings;
	size_t count;
	bool *slow_rank;    /* per rank */
	bool *slow_pair;    /* per rank: the lower one of a slow pair */
	int64_t *starts_ns; /* per meeting and rank */
	int64_t *ends_ns;
	uint64_t state; /* of the random numbers */
};

/* ---- random numbers ---- */

static uint64_t draw(struct job *job)
{
	job->state += UINT64_C(0x9e3779b97f4a7c15);
	return weir_splitmix64(job->state);
}

static double uniform(struct job *job)
{
	return ((double)(draw(job) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct job *job)
{
	return sqrt(-2 * log(uniform(job))) * cos(2 * 3.14159265358979323846 * uniform(job));
}

/* ---- the trace ---- */

static int by_start(const void *left, const void *right)
{
	const struct meeting *a = left, *b = right;

	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static enum group_kind kind_of(size_t index)
{
	if (index % 26 == 12)
		return PAIR;
	return index % 26 == 25 ? WIDE : LOCAL;
}

static int64_t transfer_of(enum group_kind kind)
{
	static const int64_t ns[] = {[LOCAL] = 9000, [PAIR] = 40000, [WIDE] = 60000};

	return ns[kind];
}

/* Finds the first launch call at or after each collective's predecessor, in one walk over the calls
 * of all threads. */
static void find_launches(struct job *job)
{
	const struct weir_host_columns *host = &job->trace->host;

	for (size_t m = 0; m < job->count; m++)
		job->meetings[m].launch_ns = INT64_MAX;
	for (size_t i = 0; i < host->count; i++) {
		size_t low = 0, high = job->count;

		if (host->kind[i] != WEIR_HOST_API || host->correlation[i] == 0)
			continue;
		while (low < high) { /* the first collective that starts after the call */
			size_t middle = (low + high) / 2;

			if (job->meetings[middle].start_ns > host->start_ns[i])
				high = middle;
			else
				low = middle + 1;
		}
		if (low < job->count && low > 0 &&
		    host->start_ns[i] >= job->meetings[low - 1].end_ns &&
		    host->start_ns[i] < job->meetings[low].launch_ns)
			job->meetings[low].launch_ns = host->start_ns[i];
	}
}

static int find_meetings(struct job *job)
{
	struct weir_trace *trace = job->trace;

	job->meetings = weir_alloc((trace->collective_count + 1) * sizeof *job->meetings);
	for (size_t i = 0; i < trace->collective_count; i++) {
		uint32_t row = trace->collectives[i].device_row;

		if (row == WEIR_NONE)
			continue;
		job->meetings[job->count++] = (struct meeting){
			.row = row,
			.start_ns = trace->device.start_ns[row],
			.end_ns = trace->device.end_ns[row],
		};
	}
	qsort(job->meetings, job->count, sizeof *job->meetings, by_start);
	for (size_t m = 0; m < job->count; m++) {
		job->meetings[m].kind = kind_of(m);
		if (m > 0 && job->meetings[m].start_ns < job->meetings[m - 1].end_ns)
			return fprintf(stderr, "make_job: collectives of the trace overlap\n"), 1;
	}
	find_launches(job);
	return job->count < 2 ? (fprintf(stderr, "make_job: no collectives in the trace\n"), 1) : 0;
}

/* ---- the job ---- */

/* Returns the first member of the rank's group, and the distance between its members and their
 * number. */
static void group_of(const struct job *job, enum group_kind kind, size_t rank, size_t *first,
                     size_t *stride, size_t *count)
{
	size_t node = rank / NODE_RANKS, wide = (size_t)NODE_RANKS * WIDE_RANKS, left;

	*stride = kind == LOCAL ? 1 : NODE_RANKS;
	*first = rank - rank % LOCAL_RANKS;
	*count = LOCAL_RANKS;
	if (kind == PAIR) {
		*first = (node - node % 2) * NODE_RANKS + rank % NODE_RANKS;
		*count = 2;
	} else if (kind == WIDE) {
		*first = rank - rank % wide + rank % NODE_RANKS;
		*count = WIDE_RANKS;
	}
	left = (job->options.ranks - *first + *stride - 1) / *stride;
	*count = *count < left ? *count : left;
}

static int64_t own_time(struct job *job, size_t rank, size_t m)
{
	int64_t base_ns = m == 0 ? job->meetings[0].start_ns
	                         : job->meetings[m].start_ns - job->meetings[m - 1].end_ns;
	double factor = fmax(1 + JITTER * normal(job), 0.5);
	int64_t own_ns = m == 0 ? base_ns : (int64_t)((double)base_ns * factor);

	if (m > 0 && draw(job) % PAUSE_ODDS == 0)
		own_ns += PAUSE_NS;
	if (m > 0 && m % LATE_EVERY == 0 && job->slow_rank[rank])
		own_ns += LATE_NS;
	return own_ns;
}

/* Plays the collectives of all ranks. */
static void play(struct job *job)
{
	size_t ranks = job->options.ranks;

	for (size_t m = 0; m < job->count; m++) {
		int64_t *starts = &job->starts_ns[m * ranks], *ends = &job->ends_ns[m * ranks];

		for (size_t r = 0; r < ranks; r++)
			starts[r] = (m > 0 ? job->ends_ns[(m - 1) * ranks + r] : 0) +
			            own_time(job, r, m);
		for (size_t r = 0; r < ranks; r++) {
			size_t first, stride, count;
			double ns =
				(double)transfer_of(job->meetings[m].kind) * exp(0.1 * normal(job));
			int64_t last = INT64_MIN;

			group_of(job, job->meetings[m].kind, r, &first, &stride, &count);
			if (first != r)
				continue;
			for (size_t i = 0; i < count; i++)
				if (starts[first + i * stride] > last)
					last = starts[first + i * stride];
			if (job->meetings[m].kind == PAIR && job->slow_pair[first])
				ns *= SLOW_FACTOR;
			for (size_t i = 0; i < count; i++)
				ends[first + i * stride] = last + (int64_t)ns;
		}
	}
}

/* ---- the trace of a rank ---- */

/* Returns where an instant of the trace lies on the rank: between the collectives in proportion,
 * and after a late launch that much later. The end of the collective before it stays: without a
 * launch call in between, the lateness begins behind that end. */
static int64_t moved(const struct job *job, size_t rank, int64_t at_ns)
{
	size_t ranks = job->options.ranks, low = 0, high = job->count;
	const struct meeting *meeting;
	int64_t from_ns, to_ns, new_from_ns, new_to_ns, late_ns = 0;

	while (low < high) { /* the first collective that ends after the instant */
		size_t middle = (low + high) / 2;

		if (job->meetings[middle].end_ns > at_ns)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == job->count)
		return at_ns - job->meetings[low - 1].end_ns +
		       job->ends_ns[(low - 1) * ranks + rank];
	meeting = &job->meetings[low];
	if (at_ns >= meeting->start_ns) {
		from_ns = meeting->start_ns;
		to_ns = meeting->end_ns;
		new_from_ns = job->starts_ns[low * ranks + rank];
		new_to_ns = job->ends_ns[low * ranks + rank];
	} else {
		if (low == 0)
			return at_ns - meeting->start_ns + job->starts_ns[rank];
		from_ns = job->meetings[low - 1].end_ns;
		to_ns = meeting->start_ns;
		new_from_ns = job->ends_ns[(low - 1) * ranks + rank];
		new_to_ns = job->starts_ns[low * ranks + rank];
		if (low % LATE_EVERY == 0 && job->slow_rank[rank])
			late_ns = LATE_NS;
	}
	new_to_ns -= late_ns;
	if (late_ns > 0 &&
	    (at_ns <= from_ns || (meeting->launch_ns < to_ns && at_ns < meeting->launch_ns)))
		late_ns = 0;
	return new_from_ns + late_ns +
	       (int64_t)((double)(at_ns - from_ns) *
	                 ((double)(new_to_ns - new_from_ns) /
	                  (double)(to_ns > from_ns ? to_ns - from_ns : 1)));
}

static void name_group(struct job *job, struct weir_trace *trace, size_t m, size_t rank,
                       struct weir_collective *out)
{
	static const char *const kinds[] = {[LOCAL] = "local", [PAIR] = "pair", [WIDE] = "wide"};
	size_t first, stride, count;
	struct weir_text text = {0};

	group_of(job, job->meetings[m].kind, rank, &first, &stride, &count);
	weir_text_printf(&text, "%s %zu", kinds[job->meetings[m].kind], first);
	out->group = weir_names_add(trace->names, text.data, text.length);
	weir_text_clear(&text);
	for (size_t i = 0; i < count; i++)
		weir_text_printf(&text, "%s%zu", i ? ", " : "[", first + i * stride);
	weir_text_puts(&text, "]");
	out->members = weir_names_add(trace->names, text.data, text.length);
	out->group_size = (int64_t)count;
	out->sequence = (int64_t)m;
	weir_text_release(&text);
}

static size_t meeting_of_row(const struct job *job, uint32_t row)
{
	for (size_t m = 0; m < job->count; m++)
		if (job->meetings[m].row == row)
			return m;
	return 0;
}

/* Restores the order of host rows in which rounding made two starts equal: the longer one first. */
static void order_host(struct weir_host_columns *host)
{
	for (size_t i = 1; i < host->count; i++) {
		int64_t before_ns = host->start_ns[i - 1];

		if (host->thread[i] != host->thread[i - 1] || host->start_ns[i] > before_ns)
			continue;
		host->start_ns[i] = before_ns + (host->end_ns[i] > host->end_ns[i - 1]);
		if (host->end_ns[i] < host->start_ns[i])
			host->end_ns[i] = host->start_ns[i];
	}
}

/* Makes the trace of a rank from packed columns of the original. */
static struct weir_trace *trace_of_rank(struct job *job, const struct weir_text *columns,
                                        size_t rank)
{
	struct weir_trace *trace;

	if (weir_trace_unpack(columns->data, columns->length, &trace, NULL))
		exit(1);
	trace->rank = (int64_t)rank;
	trace->world_size = (int64_t)job->options.ranks;
	for (size_t i = 0; i < trace->host.count; i++) {
		trace->host.start_ns[i] = moved(job, rank, trace->host.start_ns[i]);
		trace->host.end_ns[i] = moved(job, rank, trace->host.end_ns[i]);
	}
	order_host(&trace->host);
	for (size_t i = 0; i < trace->device.count; i++) {
		trace->device.start_ns[i] = moved(job, rank, trace->device.start_ns[i]);
		trace->device.end_ns[i] = moved(job, rank, trace->device.end_ns[i]);
	}
	for (size_t i = 0; i < trace->sync_count; i++) {
		trace->syncs[i].start_ns = moved(job, rank, trace->syncs[i].start_ns);
		trace->syncs[i].end_ns = moved(job, rank, trace->syncs[i].end_ns);
	}
	for (size_t i = 0; i < trace->collective_count; i++)
		if (trace->collectives[i].device_row != WEIR_NONE)
			name_group(job, trace,
			           meeting_of_row(job, trace->collectives[i].device_row), rank,
			           &trace->collectives[i]);
	return trace;
}

/* Packs the trace of an input as weir part does or, if time matters more, less tightly. */
static void pack(const struct job *job, struct weir_input *input)
{
	struct weir_text columns = {0}, frame = {0};

	if (!job->options.fast) {
		weir_input_pack(input);
		return;
	}
	input->packed_facts = weir_input_facts(input);
	weir_trace_pack(input->trace, &columns);
	weir_pack(columns.data, columns.length, &frame);
	input->packed = (struct weir_packed){frame.data, frame.length, columns.length};
	weir_trace_free(input->trace);
	weir_text_release(&columns);
}

static int write_rank(struct job *job, const struct weir_text *columns, size_t rank)
{
	struct weir_text path = {0}, node = {0}, text = {0};
	struct weir_part_file part = {0};
	struct weir_part_member *member;
	struct weir_input input = {.trace = trace_of_rank(job, columns, rank)};
	FILE *file;
	int failed;

	weir_text_printf(&path, "rank%zu.pt.trace.json", rank);
	weir_text_printf(&node, "n%zu", rank / NODE_RANKS);
	member = weir_part_add(&part, path.data, "kineto", node.data);
	pack(job, &input);
	member->facts = input.packed_facts;
	member->packed = input.packed;
	member->bytes = job->profile->inputs[0].bytes;
	member->events = job->profile->inputs[0].events;
	weir_part_write(&part, &text);
	weir_text_clear(&path);
	weir_text_printf(&path, "%s/rank%zu.part", job->options.folder, rank);
	file = fopen(path.data, "wb");
	failed = !file || fwrite(text.data, 1, text.length, file) != text.length;
	failed |= file && fclose(file) != 0;
	weir_part_release(&part);
	weir_text_release(&path);
	weir_text_release(&node);
	weir_text_release(&text);
	return failed;
}

/* ---- what is slow ---- */

static void choose_slow(struct job *job)
{
	size_t ranks = job->options.ranks, nodes = (ranks + NODE_RANKS - 1) / NODE_RANKS;

	for (size_t i = 0; i < job->options.slow_nodes;) {
		size_t node = draw(job) % nodes;

		if (job->slow_rank[node * NODE_RANKS])
			continue;
		for (size_t r = node * NODE_RANKS; r < (node + 1) * NODE_RANKS && r < ranks; r++)
			job->slow_rank[r] = true;
		printf("node n%zu\n", node);
		i++;
	}
	for (size_t i = 0; i < job->options.slow_ranks;) {
		size_t rank = draw(job) % ranks;

		if (job->slow_rank[rank])
			continue;
		job->slow_rank[rank] = true;
		printf("rank %zu\n", rank);
		i++;
	}
	for (size_t i = 0; i < job->options.slow_links;) {
		size_t rank = draw(job) % ranks, first, stride, count;

		group_of(job, PAIR, rank, &first, &stride, &count);
		if (count < 2 || job->slow_pair[first])
			continue;
		job->slow_pair[first] = true;
		printf("ranks %zu, %zu\n", first, first + stride);
		i++;
	}
}

static size_t number(const char *text)
{
	int64_t value;

	if (!text || !weir_parse_i64(text, strlen(text), &value) || value < 0) {
		fprintf(stderr, "make_job: %s: expected a number\n", text ? text : "nothing");
		exit(2);
	}
	return (size_t)value;
}

static int parse(int argc, char **argv, struct options *out)
{
	*out = (struct options){.ranks = 1024, .seed = 1};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--ranks") == 0)
			out->ranks = number(argv[++i]);
		else if (strcmp(argv[i], "--seed") == 0)
			out->seed = number(argv[++i]);
		else if (strcmp(argv[i], "--slow-nodes") == 0)
			out->slow_nodes = number(argv[++i]);
		else if (strcmp(argv[i], "--slow-ranks") == 0)
			out->slow_ranks = number(argv[++i]);
		else if (strcmp(argv[i], "--slow-links") == 0)
			out->slow_links = number(argv[++i]);
		else if (strcmp(argv[i], "--fast") == 0)
			out->fast = true;
		else if (!out->trace)
			out->trace = argv[i];
		else
			out->folder = argv[i];
	}
	if (out->folder)
		return 0;
	fprintf(stderr, "usage: make_job TRACE FOLDER [--ranks N] [--seed N] [--slow-nodes N] "
	                "[--slow-ranks N] [--slow-links N] [--fast]\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct job job = {.profile = weir_profile_new()};
	struct weir_text columns = {0};
	struct weir_error err;
	int failed = parse(argc, argv, &job.options);

	if (failed)
		return failed;
	if (weir_read_path(job.profile, job.options.trace, NULL, &err))
		return fprintf(stderr, "make_job: %s\n", err.message), 1;
	job.trace = job.profile->inputs[0].trace;
	if (!job.trace || find_meetings(&job))
		return 1;
	job.state = job.options.seed;
	job.slow_rank = weir_alloc(job.options.ranks + NODE_RANKS);
	job.slow_pair = weir_alloc(job.options.ranks + NODE_RANKS);
	job.starts_ns = weir_alloc(job.count * job.options.ranks * sizeof *job.starts_ns);
	job.ends_ns = weir_alloc(job.count * job.options.ranks * sizeof *job.ends_ns);
	choose_slow(&job);
	play(&job);
	weir_trace_pack(job.trace, &columns);
	mkdir(job.options.folder, 0777);
	for (size_t r = 0; !failed && r < job.options.ranks; r++)
		failed = write_rank(&job, &columns, r);
	weir_text_release(&columns);
	weir_profile_free(job.profile);
	free(job.meetings);
	free(job.slow_rank);
	free(job.slow_pair);
	free(job.starts_ns);
	free(job.ends_ns);
	return failed;
}
