/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many small copies between host and device that become one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/base/arena.h"

#define FEWEST_COPIES 8
/* No single copy of a run is larger; the mean must be at most WEIR_STAGED_BYTES. */
#define LARGEST_SMALL 1048576.0

/* More work between two copies belongs to different stages of the step: a layer launches 10 to 15
 * kernels. */
#define MOST_BETWEEN 16

/* Copies in one direction that one copy could replace. */
struct run {
	enum weir_transfer_way way;
	uint32_t first, last; /* calls */
	size_t copies;
	double bytes, pinned_bytes; /* pinned: of these, from or to pinned memory */
};

/* Returns the small copy that is the only job of a call; no way: the call has none. */
static struct weir_transfer small_copy(const struct weir_draft *draft, uint32_t i)
{
	const struct weir_issue *issue = &draft->program.issues[i];
	struct weir_transfer none = {.bytes = NAN}, copy;

	if (issue->job_count != 1 || issue->graph || issue->call == WEIR_NONE)
		return none;
	copy = weir_transfer_of(draft->advisor, &draft->program.jobs[issue->first_job]);
	return copy.bytes <= LARGEST_SMALL ? copy : none;
}

/* True if no run reaches over the call. Values that come from the device decide later copies, and
 * results that are not computed yet cannot be copied. */
static bool ends_run(const struct weir_draft *draft, const struct run *run, uint32_t i)
{
	const struct weir_issue *issue = &draft->program.issues[i];
	const struct weir_program *program = &draft->program;

	for (uint32_t j = issue->first_job; j < issue->first_job + issue->job_count; j++) {
		enum weir_transfer_way way =
			weir_transfer_of(draft->advisor, &program->jobs[j]).way;

		if (run->way == WEIR_TRANSFER_UP ? way == WEIR_TRANSFER_DOWN : way != run->way)
			return true;
	}
	return false;
}

/* Finds the run that begins with the copy of this call. */
static struct run find_run(const struct weir_draft *draft, uint32_t first)
{
	struct run run = {.way = small_copy(draft, first).way, .first = first, .last = first};
	size_t between = 0;

	for (uint32_t i = first; i < draft->program.issue_count; i++) {
		struct weir_transfer copy = small_copy(draft, i);

		if (ends_run(draft, &run, i) || between > MOST_BETWEEN)
			break;
		if (copy.way != run.way) {
			between += draft->program.issues[i].job_count;
			continue;
		}
		between = 0;
		run.last = i;
		run.copies++;
		run.bytes += copy.bytes;
		run.pinned_bytes += copy.memory == WEIR_MEMORY_PINNED ? copy.bytes : 0;
	}
	return run;
}

static bool is_worth_packing(const struct run *run)
{
	return run->copies >= FEWEST_COPIES &&
	       run->bytes <= WEIR_STAGED_BYTES * (double)run->copies;
}

/* Removes a call of a run with its dispatch; the host's own work before it stays. */
static void drop_call(struct weir_draft *draft, uint32_t i)
{
	weir_draft_remove_call(draft, i);
	weir_draft_set_dispatch(draft, i, 0);
}

/* A view that an operator takes of each row at once (unbind, split) took PyTorch 1.2 us without the
 * profiler: 130 rows in three parts each. */
#define ROW_VIEW_NS 1200.0

/* The host's work before a copy besides its operator. */
enum before_copy {
	BEFORE_NOTHING, /* that is left behind one copy */
	BEFORE_VIEW,    /* it takes a view, as it does of the packed result */
	BEFORE_OTHER,   /* work was launched since the copy before it: the rest belongs to that */
};

/* Removes a copy with the dispatch of its operator. */
static void drop_copy(struct weir_draft *draft, uint32_t i, enum before_copy before)
{
	const struct weir_issue *issue = &draft->program.issues[i];
	const int64_t *start_ns = draft->program.rank->trace->host.start_ns;
	double dispatch_ns = issue->dispatch_ns, rest_ns;

	if (before != BEFORE_NOTHING && issue->outer != WEIR_NONE)
		dispatch_ns = fmin(dispatch_ns, (double)weir_span_ns(start_ns[issue->outer],
		                                                     start_ns[issue->call]));
	rest_ns = issue->dispatch_ns - dispatch_ns;
	if (before == BEFORE_VIEW)
		rest_ns = fmin(rest_ns, ROW_VIEW_NS / draft->advisor->speed.dispatch);
	weir_draft_remove_call(draft, i);
	weir_draft_set_dispatch(draft, i, rest_ns);
}

/* Freeing a tensor takes an eager framework 0.5 to 1 us: a pool of memory and a Python object. */
#define FREE_NS 500.0
/* Longest time of a piece: its tensor on the host and that on the device. Three programs that freed
 * 150 to 360 pieces behind the last copy took 0.8 to 2.3 us for each under the profiler. */
#define FREE_PIECE_NS 2000.0

/* Returns true if the outermost operator of the call has this name. */
static bool is_in(const struct weir_draft *draft, uint32_t i, const char *name)
{
	uint32_t outer = draft->program.issues[i].outer;

	return outer != WEIR_NONE &&
	       strcmp(weir_timeline_host_name(&draft->program.rank->timeline, outer), name) == 0;
}

static bool joins(const struct weir_draft *draft, uint32_t i)
{
	return is_in(draft, i, "aten::stack") || is_in(draft, i, "aten::cat");
}

/* Removes what many tensors cost behind a run: the operator that joins them, and freeing them. */
static void drop_rest(struct weir_draft *draft, const struct run *run, uint32_t next)
{
	const struct weir_program *program = &draft->program;
	double free_ns = FREE_NS * (double)run->copies / draft->advisor->speed.dispatch;

	while (next < program->issue_count && joins(draft, next))
		drop_call(draft, next++);
	if (next == program->issue_count || program->issues[next].call == WEIR_NONE)
		return;
	/* Many tensors are a stretch that is long enough to be taken for work. */
	weir_draft_less_work(
		draft, next,
		fmin(program->issues[next].work_ns, FREE_PIECE_NS * (double)run->copies));
	weir_draft_set_dispatch(draft, next,
	                        fmax(program->issues[next].dispatch_ns - free_ns,
	                             fmin(program->issues[next].dispatch_ns, WEIR_COPY_CALL_NS)));
}

/* Returns the operator that takes one tensor apart into as many parts as the run copies, before its
 * first copy; WEIR_NONE: none. One copy takes the tensor as it is. */
static uint32_t taking_apart(const struct weir_draft *draft, const struct run *run)
{
	const struct weir_program *program = &draft->program;
	const struct weir_timeline *timeline = &program->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	const struct weir_issue *first = &program->issues[run->first];
	uint32_t before = run->first > 0 ? program->issues[run->first - 1].call : WEIR_NONE;
	uint32_t row = first->outer;

	if (row == WEIR_NONE || before == WEIR_NONE)
		return WEIR_NONE;
	while (row > 0 && host->thread[row - 1] == host->thread[first->call] &&
	       host->start_ns[row - 1] >= host->end_ns[before]) {
		const struct weir_arg *x;
		struct weir_args args;
		int64_t dim = 0;

		row--;
		if (strcmp(weir_timeline_host_name(timeline, row), "aten::unbind") != 0 ||
		    !weir_advisor_args(draft->advisor, row, &args) ||
		    !(x = weir_args_tensor(&args, 0)))
			continue;
		weir_args_int(&args, 1, &dim);
		dim += dim < 0 ? x->rank : 0;
		if (dim >= 0 && dim < x->rank && x->dims[dim] == (int64_t)run->copies)
			return row;
	}
	return WEIR_NONE;
}

/* Removes the operator that takes the tensor apart; returns false without one. */
static bool keep_whole(struct weir_draft *draft, const struct run *run)
{
	const struct weir_host_columns *host = &draft->program.rank->trace->host;
	uint32_t row = taking_apart(draft, run);

	if (row == WEIR_NONE)
		return false;
	weir_draft_set_dispatch(
		draft, run->first,
		fmax(0, draft->program.issues[run->first].dispatch_ns -
	                        (double)weir_span_ns(host->start_ns[row], host->end_ns[row])));
	return true;
}

/* Assigning to a slice of an array on the host took Python 0.7 and 1.1 us, for pieces of 300 values
 * with NumPy, measured in a loop over the pieces and alone. NumPy stacks arrays by a view of
 * each, which takes as long: np.stack of 192 pieces took 1 us for each beyond the gather, while
 * np.concatenate of 288 pieces took 0.3 us. Tensors are stacked without Python. */
#define PASTE_NS 1000.0

/* The calls that put the uploaded pieces of a run in a tensor on the device, one by one. */
struct pastes {
	uint8_t *is_paste; /* per call of the program */
	uint32_t first, last;
	size_t count; /* 0: the run's pieces are used as they are */
};

/* Fills the arguments of the operator whose only job the call starts, if it has this name. */
static bool args_of(const struct weir_draft *draft, uint32_t i, const char *const *names,
                    struct weir_args *args)
{
	const struct weir_issue *issue = &draft->program.issues[i];

	return issue->job_count == 1 && !issue->graph && issue->op != WEIR_NONE &&
	       weir_op_is_one_of(weir_op_plain_name(weir_advisor_op(
					 draft->advisor, &draft->program.jobs[issue->first_job])),
	                         names) &&
	       weir_advisor_args(draft->advisor, issue->op, args) && weir_args_tensor(args, 0);
}

/* Fills the arguments of the copying operator whose only job the call starts. */
static bool copying_args(const struct weir_draft *draft, uint32_t i, struct weir_args *args)
{
	static const char *const names[] = {"copy_", NULL};

	return args_of(draft, i, names, args) && weir_args_tensor(args, 1);
}

static bool is_same_tensor(const struct weir_arg *a, const struct weir_arg *b)
{
	if (a->rank != b->rank || a->element.dtype != b->element.dtype)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->dims[d] != b->dims[d])
			return false;
	return true;
}

/* True if the call copies the piece that another call uploaded, into a tensor of its type. */
static bool pastes(const struct weir_draft *draft, uint32_t i, uint32_t upload)
{
	const struct weir_job *jobs = draft->program.jobs;
	const struct weir_issue *issue = &draft->program.issues[i];
	struct weir_args from, to;

	return upload < i && copying_args(draft, i, &to) && copying_args(draft, upload, &from) &&
	       weir_transfer_of(draft->advisor, &jobs[issue->first_job]).way ==
	               WEIR_TRANSFER_NONE &&
	       is_same_tensor(&to.items[1], &from.items[0]) &&
	       to.items[0].element.dtype == to.items[1].element.dtype;
}

/* True if the call changes the values of the piece that another call uploaded by a number, as by
 * the place of its first row in the tensor of all pieces. */
static bool shifts(const struct weir_draft *draft, uint32_t i, uint32_t upload)
{
	static const char *const names[] = {"add", "add_", "sub", "sub_", "mul", "mul_", NULL};
	struct weir_args from, to;

	return upload < i && args_of(draft, i, names, &to) && copying_args(draft, upload, &from) &&
	       is_same_tensor(&to.items[0], &from.items[0]) && !weir_args_tensor(&to, 1);
}

/* Returns the run's next upload behind this one; issue_count: it is the last. */
static uint32_t next_upload(const struct weir_draft *draft, const struct run *run, uint32_t upload)
{
	while (++upload <= run->last)
		if (small_copy(draft, upload).way == run->way)
			return upload;
	return (uint32_t)draft->program.issue_count;
}

/* Marks the other calls of operators that paste several pieces: they fill the padded tensor. */
static void add_enclosing(const struct weir_program *program, struct pastes *pastes)
{
	uint32_t outer = WEIR_NONE, before = WEIR_NONE;

	for (uint32_t i = pastes->first; i <= pastes->last && outer == WEIR_NONE; i++) {
		if (!pastes->is_paste[i])
			continue;
		if (before != WEIR_NONE && program->issues[i].outer == before)
			outer = before;
		before = program->issues[i].outer;
	}
	for (uint32_t i = pastes->first; outer != WEIR_NONE && i > 0; i--) {
		if (program->issues[i - 1].outer != outer)
			break;
		pastes->is_paste[i - 1] = 1;
		pastes->first = i - 1;
	}
}

/* Finds the calls that `does` recognises as work on each piece, in the order of their uploads, each
 * behind its own upload or all of them behind the run. Release `is_paste`. */
static struct pastes find_each(const struct weir_draft *draft, const struct run *run,
                               bool (*does)(const struct weir_draft *, uint32_t, uint32_t))
{
	const struct weir_program *program = &draft->program;
	struct pastes out = {.is_paste = weir_alloc(program->issue_count + 1)};
	uint32_t upload = run->first;
	size_t between = 0;

	if (run->way != WEIR_TRANSFER_UP)
		return out;
	for (uint32_t i = run->first; i < program->issue_count && upload <= run->last; i++) {
		if (does(draft, i, upload)) {
			out.is_paste[i] = 1;
			out.first = out.count++ == 0 ? i : out.first;
			out.last = i;
			upload = next_upload(draft, run, upload);
			between = 0;
		} else if (i > run->last) {
			between += program->issues[i].job_count;
			if (between > MOST_BETWEEN)
				break;
		}
	}
	if (out.count < run->copies) {
		memset(out.is_paste, 0, program->issue_count);
		out.count = out.last = 0;
	}
	return out;
}

/* Finds the calls that paste the pieces, or change each of them by a number before they are joined:
 * the host does so as it fills the buffer. Release `is_paste`. */
static struct pastes find_pastes(const struct weir_draft *draft, const struct run *run)
{
	struct pastes out = find_each(draft, run, pastes);

	if (out.count > 0) {
		add_enclosing(&draft->program, &out);
		return out;
	}
	free(out.is_paste);
	out = find_each(draft, run, shifts);
	if (out.count > 0 &&
	    (out.last + 1 == draft->program.issue_count || !joins(draft, out.last + 1))) {
		memset(out.is_paste, 0, draft->program.issue_count);
		out.count = out.last = 0;
	}
	return out;
}

/* True if the call computes a pointwise operator on the piece that another call uploaded, and on no
 * other tensor. */
static bool maps(const struct weir_draft *draft, uint32_t i, uint32_t upload)
{
	const struct weir_issue *issue = &draft->program.issues[i];
	struct weir_args args, from;

	if (issue->job_count != 1 || issue->graph || issue->op == WEIR_NONE ||
	    weir_advisor_family(draft->advisor, &draft->program.jobs[issue->first_job]) !=
	            WEIR_FAMILY_ELEMENTWISE ||
	    !weir_advisor_args(draft->advisor, issue->op, &args) || !weir_args_tensor(&args, 0) ||
	    !copying_args(draft, upload, &from) || !is_same_tensor(&args.items[0], &from.items[0]))
		return false;
	for (size_t a = 1; a < args.count; a++)
		if (weir_args_tensor(&args, a))
			return false;
	return true;
}

/* Returns the type of the piece that the call uploads. */
static enum weir_dtype type_of(const struct weir_draft *draft, uint32_t upload)
{
	struct weir_args args;

	return copying_args(draft, upload, &args) ? args.items[0].element.dtype
	                                          : WEIR_DTYPE_UNKNOWN;
}

/* Uploaded pieces of one type, and the calls that compute on each of them alone. */
struct mapped {
	enum weir_dtype dtype;
	uint8_t *is_map; /* per call of the program */
	uint32_t first, last;
	size_t count, pieces;
	double ns, bytes; /* bytes: of the pieces */
};

/* Fills the first calls that compute on pieces of the type, each directly behind the upload of its
 * own. */
static void find_maps(const struct weir_draft *draft, const struct run *run, struct mapped *out)
{
	uint32_t upload = run->first;
	bool waits = type_of(draft, upload) == out->dtype;

	out->pieces = waits;
	for (uint32_t i = run->first + 1; i < draft->program.issue_count; i++) {
		if (i <= run->last && small_copy(draft, i).way == run->way) {
			upload = i;
			waits = type_of(draft, i) == out->dtype;
			out->pieces += waits;
		} else if (waits && maps(draft, i, upload)) {
			out->is_map[i] = 1;
			out->first = out->count++ == 0 ? i : out->first;
			out->last = i;
			out->ns += draft->program.jobs[draft->program.issues[i].first_job].ns;
			out->bytes += small_copy(draft, upload).bytes;
			waits = false;
		} else if (i > run->last && draft->program.issues[i].job_count > 0) {
			return;
		}
	}
}

/* Removes the calls that compute on each uploaded piece of a type alone before all are joined, but
 * the first of them: it computes on all pieces at once then. They are marked as work that goes with
 * the copies. */
static void join_maps(struct weir_draft *draft, const struct run *run, struct pastes *pastes)
{
	struct mapped mapped = {.is_map = weir_alloc(draft->program.issue_count + 1)};

	for (uint32_t i = run->first; i <= run->last; i++) {
		enum weir_dtype dtype = type_of(draft, i);
		uint32_t job, behind;
		double ns;

		if (small_copy(draft, i).way != run->way || dtype == mapped.dtype)
			continue;
		memset(mapped.is_map, 0, draft->program.issue_count);
		mapped = (struct mapped){.dtype = dtype, .is_map = mapped.is_map};
		find_maps(draft, run, &mapped);
		behind = (mapped.last > run->last ? mapped.last : run->last) + 1;
		if (mapped.count < FEWEST_COPIES || mapped.count < mapped.pieces ||
		    behind == draft->program.issue_count || !joins(draft, behind))
			continue;
		job = draft->program.issues[mapped.first].first_job;
		/* All pieces are read and written once. */
		ns = fmax(draft->program.jobs[job].ns,
		          2 * mapped.bytes / draft->advisor->bandwidth * 1e9);
		weir_draft_set_job(draft, job, ns, ns, fmax(ns, mapped.ns));
		for (uint32_t m = mapped.first + 1; m <= mapped.last; m++)
			pastes->is_paste[m] |= mapped.is_map[m];
		pastes->last = mapped.last > pastes->last ? mapped.last : pastes->last;
		break;
	}
	free(mapped.is_map);
}

/* Adds the operator that joins the tensors of a run. For a copy to the device the host itself moves
 * their bytes to one buffer; where the device pasted them, the host does it one by one. Tensors in
 * pinned memory are made once, and can be made as parts of one. */
static void join_tensors(struct weir_draft *draft, const struct run *run, size_t pasted,
                         double stacked)
{
	struct weir_issue *issue = &draft->program.issues[run->first];

	weir_draft_add_operators(draft, run->first, 1);
	if (run->pinned_bytes > 0)
		stacked = 0;
	if (run->way == WEIR_TRANSFER_UP)
		issue->dispatch_ns += ((run->bytes - run->pinned_bytes) / WEIR_GATHER_RATE * 1e9 +
		                       PASTE_NS * ((double)pasted + stacked)) /
		                      draft->advisor->speed.dispatch;
}

/* Rows of a copying operator, at most. */
#define OPERATOR_ROWS 64

/* True if the operator of the host row directly follows a view, and the program does not make
 * Python's values of its result (PyTorch's tolist() resolves that first). */
static bool copies_view(const struct weir_timeline *timeline, uint32_t outer)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t first, end, row = outer;

	weir_timeline_thread_rows(timeline, host->thread[outer], &first, &end);
	if (row == first ||
	    strcmp(weir_timeline_host_name(timeline, outer - 1), "aten::as_strided") != 0)
		return false;
	while (row < end && row - outer < OPERATOR_ROWS &&
	       host->start_ns[row] < host->end_ns[outer])
		row++;
	return row == end ||
	       strcmp(weir_timeline_host_name(timeline, (uint32_t)row), "aten::resolve_conj") != 0;
}

/* True if the host takes this result of a run as a view of the device's tensor: then it takes one
 * of the packed result. Values are elements of one list instead, and a program that copies to a
 * tensor that exists (copy_) has its rows. */
static bool keeps_view(const struct weir_draft *draft, uint32_t i)
{
	const struct weir_issue *issue = &draft->program.issues[i];
	const struct weir_job *job = &draft->program.jobs[issue->first_job];

	return weir_transfer_of(draft->advisor, job).way == WEIR_TRANSFER_DOWN &&
	       strcmp(weir_advisor_op(draft->advisor, job), "aten::copy_") == 0 &&
	       issue->outer != WEIR_NONE && issue->outer != issue->op &&
	       copies_view(&draft->program.rank->timeline, issue->outer);
}

/* True for a wait of this outermost operator. */
static bool is_wait_in(const struct weir_issue *issue, uint32_t outer)
{
	return issue->kind == WEIR_ISSUE_WAIT && outer != WEIR_NONE && issue->outer == outer;
}

/* Uploaded pieces of a run. */
struct pieces {
	size_t alone, arrays; /* since the last operator that joined some; arrays: among them */
	size_t joins, stacks; /* operators that join them; stacks: among them */
	double stacked;       /* arrays that the device stacks */
};

/* Rows of the host before a copy, frames of Python among them, in which an array becomes a tensor.
 */
#define ARRAY_WITHIN 4

/* True if the program made the tensor that the call copies of an array, as PyTorch's from_numpy()
 * records it in front of the copy. */
static bool copies_array(const struct weir_draft *draft, uint32_t i)
{
	uint32_t outer = draft->program.issues[i].outer;

	for (uint32_t back = 1; outer != WEIR_NONE && back <= ARRAY_WITHIN && back <= outer;
	     back++) {
		const char *name = weir_op_plain_name(
			weir_timeline_host_name(&draft->program.rank->timeline, outer - back));

		if (*name)
			return strcmp(name, "lift_fresh") == 0;
	}
	return false;
}

/* Divides the pieces among the operators that joined them: lists of them are joined behind all
 * copies as well. */
static void settle_pieces(struct pieces *pieces)
{
	if (pieces->joins > 0)
		pieces->stacked +=
			(double)pieces->arrays * (double)pieces->stacks / (double)pieces->joins;
	*pieces = (struct pieces){.stacked = pieces->stacked};
}

/* Counts the piece that the call copies. */
static void count_piece(const struct weir_draft *draft, uint32_t i, struct pieces *pieces)
{
	if (pieces->joins > 0)
		settle_pieces(pieces);
	pieces->alone++;
	pieces->arrays += copies_array(draft, i);
}

/* Returns what the host does before a copy of a run. */
static enum before_copy before_copy(const struct weir_draft *draft, uint32_t i, bool is_next,
                                    bool whole)
{
	if (!is_next)
		return BEFORE_OTHER;
	return whole || !keeps_view(draft, i) ? BEFORE_NOTHING : BEFORE_VIEW;
}

/* True if the call behind a copy of a run joins the tensors of several: they are parts of one
 * tensor behind one copy. */
static bool joins_several(const struct weir_draft *draft, uint32_t i, struct pieces *pieces)
{
	bool goes_on = draft->program.issues[i].outer == draft->program.issues[i - 1].outer;

	if (!joins(draft, i) || pieces->alone < 2)
		return false;
	pieces->joins += !goes_on;
	pieces->stacks += !goes_on && is_in(draft, i, "aten::stack");
	return true;
}

/* Removes the copies of a run but the first, with their waits, and the calls that paste the pieces.
 * Returns the call behind them; *stacked: pieces that the device stacks. */
static uint32_t drop_copies(struct weir_draft *draft, const struct run *run,
                            const struct pastes *pastes, double *stacked)
{
	const struct weir_program *program = &draft->program;
	uint32_t last = pastes->last > run->last ? pastes->last : run->last;
	uint32_t outer = program->issues[run->first].outer, i;
	bool whole = taking_apart(draft, run) != WEIR_NONE, is_next = true;
	struct pieces pieces = {0};

	count_piece(draft, run->first, &pieces);
	for (i = run->first + 1; i < program->issue_count; i++) {
		const struct weir_issue *issue = &program->issues[i];

		if (pastes->is_paste[i] || is_wait_in(issue, outer) ||
		    (i < run->last && is_next && run->way == WEIR_TRANSFER_UP &&
		     joins_several(draft, i, &pieces))) {
			drop_call(draft, i);
		} else if (i <= run->last && small_copy(draft, i).way == run->way) {
			outer = issue->outer;
			drop_copy(draft, i, before_copy(draft, i, is_next, whole));
			is_next = true;
			count_piece(draft, i, &pieces);
		} else if (i > last) {
			break;
		} else {
			is_next = false;
		}
	}
	for (uint32_t next = i; next < program->issue_count; next++)
		if (!joins_several(draft, next, &pieces))
			break;
	settle_pieces(&pieces);
	*stacked = pieces.stacked;
	return i;
}

/* Leaves the first copy of a run with all bytes, and removes the others. */
static void pack(struct weir_draft *draft, const struct run *run, const struct weir_link_rate *rate)
{
	uint32_t job = draft->program.issues[run->first].first_job, behind;
	double least_ns = draft->program.jobs[job].span_ns;
	struct pastes pastes = find_pastes(draft, run);
	double stacked;
	bool whole;

	if (run->way == WEIR_TRANSFER_UP && pastes.count == 0)
		join_maps(draft, run, &pastes);
	behind = drop_copies(draft, run, &pastes, &stacked);
	weir_draft_set_job(draft, job, least_ns + run->bytes / rate->typical * 1e9,
	                   run->bytes / rate->high * 1e9,
	                   least_ns + run->bytes / (WEIR_HIDDEN_LEAST * rate->low) * 1e9);
	whole = keep_whole(draft, run);
	if (!whole)
		join_tensors(draft, run, pastes.count, stacked);
	if (run->way == WEIR_TRANSFER_UP)
		weir_transfer_free_host(draft, run->first);
	if (whole || run->way == WEIR_TRANSFER_UP)
		drop_rest(draft, run, behind);
	free(pastes.is_paste);
}

bool weir_fix_pack_copies(struct weir_draft *draft)
{
	struct weir_link_rate rates[WEIR_TRANSFER_WAYS];
	size_t copies = 0, packed = 0;
	double bytes = 0;

	weir_transfer_rates(draft->advisor, rates);
	for (uint32_t i = 0; i < draft->program.issue_count; i++) {
		struct run run;

		if (small_copy(draft, i).way == WEIR_TRANSFER_NONE)
			continue;
		run = find_run(draft, i);
		i = run.last;
		if (!is_worth_packing(&run) || isnan(rates[run.way].typical))
			continue;
		pack(draft, &run, &rates[run.way]);
		copies += run.copies;
		bytes += run.bytes;
		packed++;
	}
	weir_draft_basis(draft,
	                 "%.0f kB in %zu instead of %zu copies, each with one latency and at the "
	                 "rate of pinned memory",
	                 bytes / 1e3, packed, copies);
	return copies > 0;
}
