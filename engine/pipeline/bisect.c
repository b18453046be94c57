/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/history.h"
#include "engine/pipeline/bisect.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/gating.h"
#include "engine/pipeline/worktree.h"
#include "engine/stats/step.h"

#define MOST_COMMITS  100000
#define MOST_SUSPECTS 10
#define RUNS_PER_STEP 2
#define NOWHERE       ((size_t)-1)

struct commit {
	const char *id;
	size_t runs;
	bool skipped; /* the command cannot measure it */
};

struct bisecting {
	const struct weir_bisect_request *request;
	struct weir_bisect_result *result;
	struct weir_worktree tree;
	struct commit *commits; /* the good end first, the bad end last */
	size_t count, here;     /* here: index of the commit in the worktree */
	struct weir_baseline *ends[2];
	struct weir_gate_result *gate; /* comparison of the ends; owns the name of the figure */
	struct weir_history_metric figure;
	struct weir_step_sample *samples;
	size_t sample_count, sample_capacity;
	double *probability; /* of each place of the step */
};

static void say(const struct bisecting *bisecting, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct bisecting *bisecting, const char *format, ...)
{
	struct weir_text line = {0};
	va_list args;

	va_start(args, format);
	weir_text_vprintf(&line, format, args);
	va_end(args);
	bisecting->request->say(bisecting->request->context, line.data);
	weir_text_release(&line);
}

/* ---- the commits ---- */

static enum weir_status resolve(const struct bisecting *bisecting, const char *name,
                                const char **id, struct weir_error *err)
{
	struct weir_text text = {0}, wanted = {0};
	enum weir_status status;

	weir_text_printf(&wanted, "%s^{commit}", name);
	status = weir_git(bisecting->request->signals, NULL,
	                  (const char *const[]){"rev-parse", "--verify", "--end-of-options",
	                                        wanted.data, NULL},
	                  &text, err);
	if (!status)
		*id = weir_arena_copy(bisecting->result->arena, text.data, text.length);
	else
		weir_fail_in(err, "%.100s is no commit of this repository", name);
	weir_text_release(&wanted);
	weir_text_release(&text);
	return status;
}

/* Fills the commits from the lines of git rev-list, after the good end. */
static enum weir_status take_commits(struct bisecting *bisecting, const char *good,
                                     const struct weir_text *lines, struct weir_error *err)
{
	size_t count = 1, at = 0;

	for (size_t i = 0; i < lines->length; i++)
		count += lines->data[i] == '\n';
	if (lines->length == 0 || count > MOST_COMMITS)
		return weir_fail(err, WEIR_E_USAGE,
		                 "there are %s commits from %.100s to %.100s; expected 1 to %d",
		                 lines->length ? "too many" : "no", bisecting->request->good,
		                 bisecting->request->bad, MOST_COMMITS);
	bisecting->commits = weir_arena_alloc(bisecting->result->arena,
	                                      (count + 1) * sizeof(*bisecting->commits));
	bisecting->commits[at++].id = good;
	for (const char *line = lines->data; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		bisecting->commits[at++].id =
			weir_arena_copy(bisecting->result->arena, line, strcspn(line, "\n"));
	}
	bisecting->count = at;
	bisecting->result->commits = at - 1;
	return WEIR_OK;
}

static enum weir_status list_commits(struct bisecting *bisecting, struct weir_error *err)
{
	const struct weir_bisect_request *request = bisecting->request;
	struct weir_text range = {0}, lines = {0};
	struct weir_error ancestry = {0};
	const char *good, *bad;
	enum weir_status status = resolve(bisecting, request->good, &good, err);

	if (!status)
		status = resolve(bisecting, request->bad, &bad, err);
	if (status)
		return status;
	if (weir_git(request->signals, NULL,
	             (const char *const[]){"merge-base", "--is-ancestor", good, bad, NULL}, NULL,
	             &ancestry))
		return weir_fail(
			err, WEIR_E_USAGE,
			"%.100s is not an ancestor of %.100s; GOOD has to be the older one",
			request->good, request->bad);
	weir_text_printf(&range, "%s..%s", good, bad);
	status = weir_git(
		request->signals, NULL,
		(const char *const[]){"rev-list", "--first-parent", "--reverse", range.data, NULL},
		&lines, err);
	if (!status)
		status = take_commits(bisecting, good, &lines, err);
	weir_text_release(&range);
	weir_text_release(&lines);
	return status;
}

/* ---- measuring ---- */

static void add_sample(struct bisecting *bisecting, size_t position, double value)
{
	bisecting->samples = weir_grow(bisecting->samples, &bisecting->sample_capacity,
	                               bisecting->sample_count + 1, sizeof(*bisecting->samples));
	bisecting->samples[bisecting->sample_count++] =
		(struct weir_step_sample){position, log(value)};
}

static enum weir_status read_run(const struct bisecting *bisecting, const char *path,
                                 struct weir_run **out, struct weir_error *err)
{
	const struct weir_classify_request request = {
		.paths = &path, .path_count = 1, .settings = bisecting->request->settings};

	return weir_convert(&request, out, err);
}

/* Keeps the run of an end, or the figure of any other run. A commit whose runs lack the figure
 * counts as one that cannot be measured. */
static void take_run(struct bisecting *bisecting, size_t position, struct weir_run *run)
{
	struct commit *commit = &bisecting->commits[position];
	double value;

	commit->runs++;
	bisecting->result->runs++;
	if (!bisecting->gate) {
		weir_baseline_take(bisecting->ends[position != 0], run, "");
		return;
	}
	value = weir_history_value(run, &bisecting->figure);
	if (value > 0 && isfinite(value))
		add_sample(bisecting, position, value);
	else
		commit->skipped = true;
	weir_run_free(run);
}

static enum weir_status measure_once(struct bisecting *bisecting, size_t position,
                                     struct weir_error *err)
{
	const struct weir_bisect_request *request = bisecting->request;
	struct commit *commit = &bisecting->commits[position];
	struct weir_text path = {0}, setting = {0}, name = {0};
	struct weir_run *run;
	enum weir_status status;

	weir_text_printf(&path, "%s/%.12s-%02zu.json", bisecting->tree.runs.data, commit->id,
	                 commit->runs + 1);
	weir_text_printf(&setting, "WEIR_COMMIT=%s", commit->id);
	weir_text_printf(&name, "%.12s", commit->id);
	const char *const settings[] = {weir_worktree_settings[0], weir_worktree_settings[1],
	                                weir_worktree_settings[2], setting.data, NULL};
	status =
		weir_measurement_run(&(struct weir_measurement){.name = name.data,
	                                                        .words = request->command,
	                                                        .settings = settings,
	                                                        .folder = bisecting->tree.tree.data,
	                                                        .path = path.data,
	                                                        .say = request->say,
	                                                        .context = request->context},
	                             request->signals, &commit->skipped, err);
	if (!status && !commit->skipped) {
		status = read_run(bisecting, path.data, &run, err);
		if (!status)
			take_run(bisecting, position, run);
	}
	weir_text_release(&path);
	weir_text_release(&setting);
	weir_text_release(&name);
	return status;
}

/* Measures a commit until it has a number of runs, or turns out to be one that cannot be measured.
 */
static enum weir_status measure_until(struct bisecting *bisecting, size_t position, size_t runs,
                                      struct weir_error *err)
{
	struct commit *commit = &bisecting->commits[position];
	enum weir_status status = WEIR_OK;

	if (weir_signals_came(bisecting->request->signals))
		return weir_fail(err, WEIR_E_IO, "interrupted");
	if (bisecting->here != position)
		status = weir_worktree_visit(&bisecting->tree, commit->id, err);
	bisecting->here = status ? NOWHERE : position;
	while (!status && !commit->skipped && commit->runs < runs)
		status = measure_once(bisecting, position, err);
	return status;
}

/* ---- the ends ---- */

static enum weir_status compare_ends(struct bisecting *bisecting, struct weir_gate_result **out,
                                     struct weir_error *err)
{
	const struct weir_gate_terms terms = {.policy = bisecting->request->policy,
	                                      .one_session = true};
	struct weir_gating_side good, bad;
	enum weir_status status;

	*out = weir_gate_result_new();
	weir_gating_side_init(&good, bisecting->ends[0]);
	weir_gating_side_init(&bad, bisecting->ends[1]);
	status = weir_gating_compare(*out, &terms, &good, &bad, err);
	weir_gating_side_release(&good);
	weir_gating_side_release(&bad);
	if (!status && (*out)->verdict == WEIR_GATE_ENVIRONMENT)
		status = weir_fail(err, WEIR_E_OTHER_DEVICE,
		                   "the runs of both ends differ in hardware or in a label that "
		                   "must match; measure both on one machine");
	else if (!status && (*out)->counts.judged == 0)
		status = weir_fail(err, WEIR_E_NOT_COMPARED,
		                   "nothing of both ends can be compared; expected runs with the "
		                   "same stages or figures, 10 samples or more");
	return status;
}

/* Returns true if the figure of a row is in every run of both ends, and follows it. */
static bool follow(struct bisecting *bisecting, const struct weir_row *row)
{
	if (row->outcome != WEIR_OUTCOME_REGRESSION ||
	    !weir_history_parse(row->scope, &bisecting->figure))
		return false;
	bisecting->figure.metric = row->metric;
	bisecting->sample_count = 0;
	for (size_t side = 0; side < 2; side++) {
		const struct weir_baseline *end = bisecting->ends[side];

		for (size_t i = 0; i < end->count; i++) {
			double value = weir_history_value(end->runs[i].run, &bisecting->figure);

			if (!(value > 0 && isfinite(value)))
				return false;
			add_sample(bisecting, side ? bisecting->count - 1 : 0, value);
		}
	}
	bisecting->result->figure = weir_arena_format(bisecting->result->arena, "%s %s", row->scope,
	                                              weir_metric_name(row->metric));
	bisecting->result->unit =
		row->unit ? weir_arena_format(bisecting->result->arena, "%s", row->unit) : NULL;
	return true;
}

/* Takes over the comparison of the ends if it shows a regression whose figure can be followed. */
static bool take_gate(struct bisecting *bisecting, struct weir_gate_result *gate)
{
	for (size_t i = 0; i < gate->row_count; i++)
		if (follow(bisecting, &gate->rows[i])) {
			bisecting->gate = gate;
			return true;
		}
	return false;
}

/* Returns true if more runs may still show a regression. */
static bool is_open(const struct weir_gate_result *gate)
{
	return gate->counts.inconclusive > 0 || gate->counts.suspect > 0 ||
	       gate->counts.regressions > 0;
}

/* Measures both ends by turns in blocks: each change of the commit may cost a build. */
static enum weir_status measure_ends(struct bisecting *bisecting, size_t runs, bool bad_first,
                                     struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < 2; i++) {
		bool bad = (i == 1) != bad_first;
		size_t position = bad ? bisecting->count - 1 : 0;

		status = measure_until(bisecting, position, runs, err);
		if (!status && bisecting->commits[position].skipped)
			status =
				weir_fail(err, WEIR_E_FORMAT,
			                  "%.100s cannot be measured: the command exits with 125; "
			                  "choose another commit",
			                  bad ? bisecting->request->bad : bisecting->request->good);
	}
	bisecting->result->end_runs = runs;
	return status;
}

/* Measures the ends until the gate sees a regression, or no longer expects one. */
static enum weir_status separate_ends(struct bisecting *bisecting, struct weir_error *err)
{
	static const size_t looks[] = {WEIR_BISECT_LEAST_RUNS, 8, 12, 16, 20, 30, 40};
	enum weir_status status = WEIR_OK;
	size_t runs = 0, most = bisecting->request->most_runs;
	bool open = true;

	for (size_t i = 0; !status && open && runs < most; i++) {
		struct weir_gate_result *gate;

		runs = i < sizeof(looks) / sizeof(*looks) && looks[i] < most ? looks[i] : most;
		status = measure_ends(bisecting, runs, i % 2 == 1, err);
		if (status)
			return status;
		status = compare_ends(bisecting, &gate, err);
		if (!status && take_gate(bisecting, gate)) {
			say(bisecting, "the ends differ: %s, %zu runs each",
			    bisecting->result->figure, runs);
			return WEIR_OK;
		}
		open = !status && is_open(gate);
		bisecting->result->verdict = gate->counts.improvements > 0 && !status
		                                     ? WEIR_BISECT_FASTER
		                                     : WEIR_BISECT_SAME;
		weir_gate_result_free(gate);
		if (!status)
			say(bisecting, "no regression between the ends in %zu runs each", runs);
	}
	return status;
}

/* ---- the search ---- */

/* Returns the end of the places of the step that no measurement can tell from `place`: the commits
 * between them cannot be measured. */
static size_t last_alike(const struct bisecting *bisecting, size_t place)
{
	while (place + 1 < bisecting->count && bisecting->commits[place].skipped)
		place++;
	return place;
}

/* Finds the most probable group of places, *first to *last, and returns its probability. */
static double most_probable(const struct bisecting *bisecting, size_t *first, size_t *last)
{
	double best = -1;

	for (size_t k = 1; k < bisecting->count; k++) {
		size_t end = last_alike(bisecting, k), from = k;
		double sum = 0;

		for (; k <= end; k++)
			sum += bisecting->probability[k];
		k = end;
		if (sum > best) {
			best = sum;
			*first = from;
			*last = end;
		}
	}
	return best;
}

/* Chooses the commit whose side of the step is most uncertain; 0: no measurement would help. */
static size_t choose(const struct bisecting *bisecting)
{
	double bad = 0, best = (1 - WEIR_BISECT_CERTAINTY) / 4;
	size_t chosen = 0;

	for (size_t c = 1; c + 1 < bisecting->count; c++) {
		const struct commit *commit = &bisecting->commits[c];

		bad += bisecting->probability[c];
		if (!commit->skipped && commit->runs < bisecting->request->most_runs &&
		    fmin(bad, 1 - bad) > best) {
			best = fmin(bad, 1 - bad);
			chosen = c;
		}
	}
	return chosen;
}

void weir_bisect_print_probability(double probability, struct weir_text *out)
{
	if (probability >= 0.9995)
		weir_text_puts(out, "above 99.9 %");
	else
		weir_text_printf(out, "of %.1f %%", 100 * probability);
}

static void say_step(const struct bisecting *bisecting, size_t position)
{
	const struct commit *commit = &bisecting->commits[position];
	struct weir_text text = {0};
	double bad = 0;

	if (commit->skipped) {
		say(bisecting, "%.12s (%zu of %zu): cannot be measured, skipped", commit->id,
		    position, bisecting->result->commits);
		return;
	}
	for (size_t k = 1; k <= position; k++)
		bad += bisecting->probability[k];
	weir_bisect_print_probability(fmax(bad, 1 - bad), &text);
	say(bisecting, "%.12s (%zu of %zu): %zu runs, %s with a probability %s", commit->id,
	    position, bisecting->result->commits, commit->runs, bad > 0.5 ? "bad" : "good",
	    text.data);
	weir_text_release(&text);
}

static enum weir_status describe(struct bisecting *bisecting, size_t first, size_t last,
                                 struct weir_error *err)
{
	struct weir_bisect_result *result = bisecting->result;
	enum weir_status status = WEIR_OK;

	result->candidates = last - first + 1;
	result->suspects =
		weir_arena_alloc(result->arena, MOST_SUSPECTS * sizeof(*result->suspects));
	for (size_t k = first; !status && k <= last && result->suspect_count < MOST_SUSPECTS; k++) {
		struct weir_text line = {0};

		status = weir_git(bisecting->request->signals, NULL,
		                  (const char *const[]){"log", "-1", "--no-show-signature",
		                                        "--format=%h %as %an: %s",
		                                        bisecting->commits[k].id, NULL},
		                  &line, err);
		if (!status)
			result->suspects[result->suspect_count++] =
				weir_arena_copy(result->arena, line.data, line.length);
		weir_text_release(&line);
	}
	return status;
}

static void count_commits(struct bisecting *bisecting)
{
	for (size_t i = 0; i < bisecting->count; i++) {
		bisecting->result->measured += bisecting->commits[i].runs > 0;
		bisecting->result->skipped += bisecting->commits[i].skipped;
	}
}

/* Returns the number of runs at which an undecided search ends: as many as a plain bisection with
 * the most runs of a commit at each of its steps and at both ends. */
static size_t most_in_all(const struct bisecting *bisecting)
{
	return (size_t)((double)bisecting->request->most_runs *
	                (2 + ceil(log2((double)bisecting->count))));
}

static enum weir_status search(struct bisecting *bisecting, struct weir_error *err)
{
	struct weir_bisect_result *result = bisecting->result;
	enum weir_status status = WEIR_OK;
	size_t first = 1, last = 1, next;

	bisecting->probability =
		weir_arena_alloc(result->arena, bisecting->count * sizeof(*bisecting->probability));
	for (;;) {
		weir_step_locate(bisecting->samples, bisecting->sample_count, bisecting->count,
		                 bisecting->probability);
		if (bisecting->here != 0 && bisecting->here + 1 < bisecting->count)
			say_step(bisecting, bisecting->here);
		result->probability = most_probable(bisecting, &first, &last);
		if (result->probability >= WEIR_BISECT_CERTAINTY)
			break;
		next = choose(bisecting);
		if (next == 0 || bisecting->sample_count >= most_in_all(bisecting))
			break;
		status = measure_until(bisecting, next,
		                       bisecting->commits[next].runs + RUNS_PER_STEP, err);
		if (status)
			return status;
	}
	result->verdict = first == last && result->probability >= WEIR_BISECT_CERTAINTY
	                          ? WEIR_BISECT_FOUND
	                          : WEIR_BISECT_SEVERAL;
	weir_step_levels(bisecting->samples, bisecting->sample_count, first, &result->before,
	                 &result->behind);
	result->before = exp(result->before);
	result->behind = exp(result->behind);
	return describe(bisecting, first, last, err);
}

enum weir_status weir_bisect_run(const struct weir_bisect_request *request,
                                 struct weir_bisect_result *out, struct weir_error *err)
{
	struct bisecting bisecting = {.request = request, .result = out, .here = 0};
	struct weir_error closing = {0};
	enum weir_status status;

	*out = (struct weir_bisect_result){.arena = weir_arena_new()};
	status = list_commits(&bisecting, err);
	if (status)
		return status;
	for (size_t side = 0; side < 2; side++)
		bisecting.ends[side] = weir_baseline_new("");
	status =
		weir_worktree_open(&bisecting.tree, request->signals, bisecting.commits[0].id, err);
	if (!status)
		status = separate_ends(&bisecting, err);
	if (!status && bisecting.gate)
		status = search(&bisecting, err);
	count_commits(&bisecting);
	if (weir_worktree_close(&bisecting.tree, &closing) && !status) {
		*err = closing;
		status = closing.status;
	}
	for (size_t side = 0; side < 2; side++)
		weir_baseline_free(bisecting.ends[side]);
	weir_gate_result_free(bisecting.gate);
	free(bisecting.samples);
	return status;
}

void weir_bisect_result_release(struct weir_bisect_result *result)
{
	weir_arena_free(result->arena);
	*result = (struct weir_bisect_result){0};
}
