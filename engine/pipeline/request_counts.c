/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "ci/policy/gate.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/request_counts.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"

/* Difference of the shares; a smaller one moves no percentile below p99. */
#define WORTH_A_REMARK 0.01
#define LISTED_RESULTS 4 /* results that a note lists */

struct weir_request_counts weir_request_counts_of(const struct weir_run *run)
{
	double completed = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	double failed = weir_figure_label_number(run, WEIR_LOAD_FAILED);
	double missing = weir_figure_label_number(run, "num_prompts") - completed;
	double incomplete = fmax(failed > 0 ? failed : 0, missing > 0 ? missing : 0);

	if (!(completed >= 0) || !isfinite(completed) || !isfinite(incomplete))
		return (struct weir_request_counts){0};
	return (struct weir_request_counts){completed + incomplete, incomplete};
}

/* Returns the number that a result states as a label under its name, "concurrency@4/failed", or
 * that all results share, "failed"; NAN: none. */
static double count_of_result(const struct weir_run *run, struct weir_slice result,
                              const char *count)
{
	struct weir_text key = {0};
	double value;

	weir_text_add(&key, result.data, result.length);
	weir_text_puts(&key, count);
	value = weir_figure_label_number(run, key.data);
	weir_text_release(&key);
	return isnan(value) ? weir_figure_label_number(run, count) : value;
}

/* Returns true for the label that counts completed requests of one of several results, and gives
 * its name. */
static bool is_count_of_result(const struct weir_run_label *label, struct weir_slice *result)
{
	*result = weir_slice_of(label->key);
	if (!weir_slice_ends(*result, "/" WEIR_LOAD_COMPLETED) ||
	    weir_slice_starts(*result, "request@"))
		return false;
	result->length -= strlen("/" WEIR_LOAD_COMPLETED);
	return true;
}

/* A result whose requests did not all complete. */
struct failed_result {
	struct weir_slice name;
	double completed, all;
};

/* Adds a result to the list. The list keeps those of which the least share completed, in the order
 * of the file. */
static void keep_worst(struct failed_result *list, size_t count, struct failed_result result)
{
	size_t best = 0;

	if (count < LISTED_RESULTS) {
		list[count] = result;
		return;
	}
	for (size_t i = 1; i < LISTED_RESULTS; i++)
		if (list[i].completed / list[i].all > list[best].completed / list[best].all)
			best = i;
	if (result.completed / result.all >= list[best].completed / list[best].all)
		return;
	memmove(list + best, list + best + 1, (LISTED_RESULTS - 1 - best) * sizeof *list);
	list[LISTED_RESULTS - 1] = result;
}

/* Appends "load#2 236 of 250", with the rate at which requests were sent if no load names it. */
static void put_result(const struct weir_run *run, const struct failed_result *result,
                       struct weir_text *out)
{
	double rate = count_of_result(run, result->name, "achieved_rate");

	weir_text_printf(out, "%s%.*s ", out->length ? ", " : "", (int)result->name.length - 1,
	                 result->name.data);
	if (rate > 0 && !weir_slice_holds(result->name, "@"))
		weir_text_printf(out, "(%.5g requests/s sent) ", rate);
	weir_text_printf(out, "%.15g of %.15g", result->completed, result->all);
}

/* Notes the results of a run whose requests did not all complete. */
static void note_failed_results(struct weir_report *report, const struct weir_run *run)
{
	struct failed_result worst[LISTED_RESULTS];
	struct weir_text list = {0};
	size_t count = 0;

	for (size_t i = 0; i < run->label_count; i++) {
		struct failed_result result;
		double failed;

		if (!is_count_of_result(&run->labels[i], &result.name))
			continue;
		result.name.length++; /* with the slash */
		result.completed = count_of_result(run, result.name, WEIR_LOAD_COMPLETED);
		failed = count_of_result(run, result.name, WEIR_LOAD_FAILED);
		result.all = result.completed + failed;
		if (failed > 0 && result.completed >= 0)
			keep_worst(worst, count++, result);
	}
	for (size_t i = 0; i < count && i < LISTED_RESULTS; i++)
		put_result(run, &worst[i], &list);
	if (count > LISTED_RESULTS)
		weir_text_printf(&list, "; more in %zu other%s", count - LISTED_RESULTS,
		                 count > LISTED_RESULTS + 1 ? "s" : "");
	if (count)
		weir_report_note(report, "request_count", "requests that completed: %s", list.data);
	weir_text_release(&list);
}

/* Notes the results without a completed request, which have no figures. */
static void note_empty_results(struct weir_report *report, const struct weir_run *run)
{
	struct weir_text list = {0};
	size_t count = 0, all = 0;

	for (size_t i = 0; i < run->label_count; i++) {
		struct weir_slice result;

		if (!is_count_of_result(&run->labels[i], &result))
			continue;
		all++;
		if (weir_figure_label_number(run, run->labels[i].key) != 0 ||
		    count++ >= LISTED_RESULTS)
			continue;
		weir_text_puts(&list, list.length ? ", " : "");
		weir_text_add(&list, result.data, result.length);
	}
	if (count)
		weir_report_note(report, "request_count",
		                 "no request completed in %zu of the %zu loads of the file, which "
		                 "have no figures: %s%s",
		                 count, all, list.data,
		                 count > LISTED_RESULTS ? ", and others" : "");
	weir_text_release(&list);
}

void weir_note_request_counts(struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];
		struct weir_request_counts counts;

		if (!input->run || (input->format && strcmp(input->format, "locust") == 0))
			continue; /* weir_note_benchmarks() notes the latter's */
		note_failed_results(report, input->run);
		note_empty_results(report, input->run);
		counts = weir_request_counts_of(input->run);
		if (counts.incomplete > 0)
			weir_report_note(report, "request_count", "%.15g of %.15g requests %s",
			                 counts.all - counts.incomplete, counts.all,
			                 input->format && strcmp(input->format, "k6") == 0
			                         ? "succeeded"
			                         : "completed");
	}
}

/* Adds the time of the parts of a stage over all requests with a number of tokens, and these. */
static void add_rate(const struct weir_requests *requests, const char *stage, const int64_t *tokens,
                     double *ns, double *count)
{
	for (size_t i = 0; i < requests->count; i++)
		for (size_t part = 0; tokens[i] > 0 && part < requests->part_count[i]; part++) {
			size_t at = requests->part_first[i] + part;

			if (strcmp(weir_requests_stage_name(requests, requests->part_stage[at]),
			           stage) != 0 ||
			    requests->part_ns[at] <= 0)
				continue;
			*ns += (double)requests->part_ns[at];
			*count += (double)tokens[i];
		}
}

void weir_note_token_rates(struct weir_report *report)
{
	double prompt_ns = 0, prompt = 0, answer_ns = 0, answer = 0, drafts = 0, accepted = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];

		if (!input->requests || !input->format ||
		    strcmp(input->format, "llama-server-log") != 0)
			continue;
		add_rate(input->requests, "prefill", input->requests->tokens, &prompt_ns, &prompt);
		add_rate(input->requests, "decode", input->requests->output_tokens, &answer_ns,
		         &answer);
		if (input->run) {
			drafts += weir_figure_label_number(input->run, "draft_tokens");
			accepted += weir_figure_label_number(input->run, "accepted_draft_tokens");
		}
	}
	if (drafts > 0)
		weir_report_note(report, "drafts", "%.15g of %.15g draft tokens were accepted",
		                 accepted, drafts);
	if (prompt > 0 && answer > 0)
		weir_report_note(report, "token_rates",
		                 "tokens per second of a request: prefill %.3g (%.15g tokens), "
		                 "decode %.3g (%.15g tokens)",
		                 prompt / prompt_ns * 1e9, prompt, answer / answer_ns * 1e9,
		                 answer);
}

const char *weir_describe_invalid_results(struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];
		bool is_test = input->run && input->format && strcmp(input->format, "mlperf") == 0;
		const char *result = is_test ? weir_run_label(input->run, "result") : NULL;
		const char *reason = is_test ? weir_run_label(input->run, "invalid_because") : NULL;
		struct weir_text text = {0};
		const char *copy;

		if (!result || strcmp(result, "VALID") == 0)
			continue;
		weir_text_puts(&text, "LoadGen calls the result ");
		weir_template_quote(result, &text);
		if (reason) {
			weir_text_puts(&text, ": ");
			weir_template_quote(reason, &text);
		}
		copy = weir_arena_copy(report->arena, text.data, text.length);
		weir_text_release(&text);
		return copy;
	}
	return NULL;
}

/* Notes what LoadGen states of a test as a whole. All queries of the scenario Offline are sent at
 * the start. */
static void note_test(struct weir_report *report, const struct weir_run *run)
{
	const char *scenario = weir_run_label(run, "scenario");
	const char *result = weir_run_label(run, "result");
	bool offline = scenario && strcmp(scenario, "Offline") == 0;

	if (!scenario && !result)
		return;
	weir_report_note(report, "test", "scenario %s, result %s%s",
	                 scenario ? scenario : "unknown", result ? result : "unknown",
	                 offline ? ": latencies count from the start of the test, at which all "
	                           "samples are sent, and are not those of a request"
	                         : "");
}

/* Notes that the row over all of Locust's statistics is left out. */
static void note_events(struct weir_report *report, const struct weir_run *run)
{
	const char *events = weir_run_label(run, "aggregated_events");

	if (events)
		weir_report_note(report, "events",
		                 "the row Aggregated adds up the times of %s requests and events, "
		                 "several of each request, and is left out: the requests are the "
		                 "rows with a method of HTTP",
		                 events);
}

/* Notes the requests that met the targets of the test. Targets are labels such as
 * "target_ttft_ms". */
static void note_good(struct weir_report *report, const struct weir_run *run)
{
	static const char target[] = "target_";
	double good = weir_figure_label_number(run, WEIR_LOAD_GOOD);
	double completed = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	struct weir_text targets = {0}, text = {0};

	if (!(good >= 0) || !(completed >= good) || !(completed > 0))
		return;
	for (size_t i = 0; i < run->label_count; i++) {
		struct weir_slice key = weir_slice_of(run->labels[i].key);

		if (weir_slice_take(&key, target))
			weir_text_printf(&targets, "%s%.*s %s", targets.length ? ", " : " (",
			                 (int)key.length, key.data, run->labels[i].value);
	}
	weir_text_printf(&text, "%.15g of %.15g requests met their targets", good, completed);
	if (targets.length)
		weir_text_printf(&text, "%s)", targets.data);
	weir_text_puts(&text, ": ");
	weir_text_share(&text, good / completed);
	weir_report_note(report, "goodput", "%s", text.data);
	weir_text_release(&targets);
	weir_text_release(&text);
}

/* Appends "12 %", and "99.8 %" rather than "100 %": answers that are all missing have no length. */
static void put_difference(double percent, struct weir_text *out)
{
	if (percent >= 99.5 && percent < 99.95)
		weir_text_printf(out, "%.1f %%", percent);
	else if (percent >= 99.95 && percent < 100)
		weir_text_puts(out, "more than 99.9 %");
	else
		weir_text_share(out, percent / 100);
}

/* Notes answers of another length than was asked for: their times are not comparable. */
static void note_lengths(struct weir_report *report, const struct weir_run *run)
{
	double missed = weir_figure_label_number(run, "output_length_missed");
	double completed = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	double percent = weir_figure_label_number(run, "output_length_difference_pct");
	struct weir_text text = {0};

	if (!(missed > 0))
		return;
	weir_text_printf(&text, "%.15g", missed);
	if (completed >= missed)
		weir_text_printf(&text, " of %.15g", completed);
	weir_text_puts(&text, " requests gave another number of output tokens than was asked for");
	if (isfinite(percent) && percent != 0) {
		weir_text_puts(&text, "; over all requests, answers were ");
		put_difference(fabs(percent), &text);
		weir_text_puts(&text, percent < 0 ? " shorter on average" : " longer on average");
	}
	weir_report_note(report, "output_length", "%s", text.data);
	weir_text_release(&text);
}

/* Notes the names of the file that other load generators use for something else. */
static void note_names(struct weir_report *report, const struct weir_run *run)
{
	bool tokens = false, chunks = false;

	for (size_t i = 0; i < run->metrics.count; i++) {
		struct weir_slice name = weir_slice_of(run->metrics.items[i].name);

		tokens |= weir_slice_ends(name, "_tpot_ms");
		chunks |= weir_slice_ends(name, "_itl_ms");
	}
	if (tokens)
		weir_report_note(report, "names",
		                 "tpot is what the file calls \"Inter Token Latency\", the mean "
		                 "interval between the tokens of each request%s",
		                 chunks ? "; itl is its \"Inter Chunk Latency\", each interval "
		                          "between two chunks of an answer"
		                        : "");
}

/* Notes the conditions on answers that a script of k6 checked. */
static void note_checks(struct weir_report *report, const struct weir_run *run)
{
	double passed = weir_figure_label_number(run, "checks_passed");
	double failed = weir_figure_label_number(run, "checks_failed");

	if (passed >= 0 && failed >= 0)
		weir_report_note(report, "checks", "%.15g of %.15g checks passed", passed,
		                 passed + failed);
}

void weir_note_results(struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];
		const char *thresholds;

		if (!input->run || !input->format)
			continue;
		thresholds = weir_run_label(input->run, "failed_thresholds");
		if (thresholds && strcmp(input->format, "k6") == 0)
			weir_report_note(report, "thresholds", "thresholds that failed: %s",
			                 thresholds);
		note_good(report, input->run);
		note_lengths(report, input->run);
		if (strcmp(input->format, "genai_perf") == 0)
			note_names(report, input->run);
		if (strcmp(input->format, "k6") == 0)
			note_checks(report, input->run);
		if (strcmp(input->format, "mlperf") == 0)
			note_test(report, input->run);
		if (strcmp(input->format, "locust") == 0)
			note_events(report, input->run);
	}
}

static struct weir_request_counts counts_of_side(const struct weir_baseline *side)
{
	struct weir_request_counts sum = {0};

	for (size_t i = 0; i < side->count; i++) {
		struct weir_request_counts counts = weir_request_counts_of(side->runs[i].run);

		if (side->runs[i].left_out)
			continue;
		sum.all += counts.all;
		sum.incomplete += counts.incomplete;
	}
	return sum;
}

/* Appends "18 % of the candidate's requests (9 of 50)", or "none of the candidate's". */
static void put_side(const struct weir_request_counts *counts, const char *side,
                     struct weir_text *out)
{
	if (counts->incomplete > 0) {
		weir_text_share(out, counts->incomplete / counts->all);
		weir_text_printf(out, " of the %s's requests (%.15g of %.15g)", side,
		                 counts->incomplete, counts->all);
	} else {
		weir_text_printf(out, "%s of the %s's",
		                 counts->all > 0 ? "none" : "an unknown number", side);
	}
}

void weir_remark_request_counts(const struct weir_baseline *baseline,
                                const struct weir_baseline *candidate,
                                struct weir_gate_result *result)
{
	struct weir_request_counts before = counts_of_side(baseline);
	struct weir_request_counts after = counts_of_side(candidate);
	double share_before = before.all > 0 ? before.incomplete / before.all : 0;
	double share_after = after.all > 0 ? after.incomplete / after.all : 0;
	struct weir_text text = {0};

	if (!(fabs(share_after - share_before) >= WORTH_A_REMARK))
		return;
	put_side(&before, "baseline", &text);
	weir_text_puts(&text, " and ");
	put_side(&after, "candidate", &text);
	weir_gate_remark(result, "%s did not complete: the sides did not serve the same load",
	                 text.data);
	weir_text_release(&text);
}
