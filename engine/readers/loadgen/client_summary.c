/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"

#define MAX_COUNT   1e15 /* of requests: exact in a double */
#define DIFFERENCE  0.1  /* between two statements of one figure; a larger one contradicts */
#define EQUAL       0.05 /* difference of the same quotient, with answers of one length */
#define CHUNKS      0.7  /* of the ratio of the means; a mean below it is one over chunks */
#define LOAD_SHARE  0.95 /* of the requested rate; below it the load was not reached */
#define CHUNK_SHARE 0.1  /* of the mean gap; a median below it is not a gap between tokens */
/* A share of end to end time; a first token this late came with the whole answer. */
#define WHOLE_SHARE 0.999

#define STATISTICS (sizeof(struct weir_client_times) / sizeof(double))

/* The names of statistics in reports. The first STATISTICS rows name them in figures as well. */
static const struct {
	const char *name;
	size_t slot;
} statistics[] = {
	{"mean", offsetof(struct weir_client_times, mean)},
	{"median", offsetof(struct weir_client_times, median)},
	{"p75", offsetof(struct weir_client_times, p75)},
	{"p90", offsetof(struct weir_client_times, p90)},
	{"p95", offsetof(struct weir_client_times, p95)},
	{"p99", offsetof(struct weir_client_times, p99)},
	{"average", offsetof(struct weir_client_times, mean)},
	{"avg", offsetof(struct weir_client_times, mean)},
	{"p50", offsetof(struct weir_client_times, median)},
};

static const struct subject {
	const char *name;
	size_t slot;
} subjects[] = {
	{"e2el", WEIR_CLIENT_SLOT(e2e)},
	{"ttft", WEIR_CLIENT_SLOT(ttft)},
	{"ttst", WEIR_CLIENT_SLOT(ttst)},
	{"tpot", WEIR_CLIENT_SLOT(tpot)},
	{"itl", WEIR_CLIENT_SLOT(itl)},
	{"ntpot", WEIR_CLIENT_SLOT(ntpot)},
	{"client_queue", WEIR_CLIENT_SLOT(queue)},
	{"latency", WEIR_CLIENT_SLOT(latency)},
};

static const struct {
	const char *name, *unit;
	size_t slot;
} rates[] = {
	{"request_throughput", "1/s", WEIR_CLIENT_SLOT(request_throughput)},
	{"request_goodput", "1/s", WEIR_CLIENT_SLOT(request_goodput)},
	{"input_throughput", "tokens/s", WEIR_CLIENT_SLOT(input_throughput)},
	{"output_throughput", "tokens/s", WEIR_CLIENT_SLOT(output_throughput)},
	{"total_token_throughput", "tokens/s", WEIR_CLIENT_SLOT(total_throughput)},
	{"output_throughput_per_user", "tokens/s", WEIR_CLIENT_SLOT(output_throughput_per_user)},
	{"output_throughput_per_gpu", "tokens/s", WEIR_CLIENT_SLOT(output_throughput_per_gpu)},
	{"input_throughput_per_gpu", "tokens/s", WEIR_CLIENT_SLOT(input_throughput_per_gpu)},
	{"total_token_throughput_per_gpu", "tokens/s", WEIR_CLIENT_SLOT(total_throughput_per_gpu)},
	{"output_speed_per_user", "tokens/s", WEIR_CLIENT_SLOT(output_speed_per_user)},
	{"acceptance_rate", "%", WEIR_CLIENT_SLOT(acceptance_rate)},
	{"acceptance_length", "tokens", WEIR_CLIENT_SLOT(acceptance_length)},
};

static double *place(struct weir_client_summary *summary, size_t slot)
{
	return (double *)(void *)((char *)summary + slot);
}

static double value_at(const struct weir_client_summary *summary, size_t slot)
{
	return *(const double *)(const void *)((const char *)summary + slot);
}

static void clear(double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
}

void weir_client_summary_init(struct weir_client_summary *summary)
{
	summary->other_count = 0;
	summary->tpot_by_request = summary->counts_chunks = false;
	clear(place(summary, 0), WEIR_CLIENT_SLOT(others) / sizeof(double));
}

bool weir_client_summary_set(struct weir_client_summary *summary, size_t slot, double value)
{
	double *number = place(summary, slot);
	bool is_new = isnan(*number);

	if (is_new)
		*number = value;
	return is_new;
}

bool weir_client_summary_set_statistic(struct weir_client_summary *summary, size_t slot,
                                       struct weir_slice name, double ms)
{
	for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
		if (weir_slice_equals(name, statistics[i].name))
			return weir_client_summary_set(summary, slot + statistics[i].slot, ms);
	return false;
}

bool weir_client_is_statistic(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
		if (weir_slice_equals(name, statistics[i].name))
			return true;
	return false;
}

bool weir_client_summary_add_percentile(struct weir_client_summary *summary, size_t slot,
                                        struct weir_slice name, double ms)
{
	struct weir_client_percentile *other = &summary->others[summary->other_count];

	for (size_t i = 0; i < summary->other_count; i++)
		if (summary->others[i].slot == slot &&
		    weir_slice_equals(name, summary->others[i].name))
			return false;
	*other = (struct weir_client_percentile){.slot = slot, .ms = ms};
	memcpy(other->name, name.data, name.length);
	summary->other_count++;
	return true;
}

void weir_client_summary_forget(struct weir_client_summary *summary, size_t slot)
{
	size_t kept = 0;

	clear(place(summary, slot), STATISTICS);
	for (size_t i = 0; i < summary->other_count; i++)
		if (summary->others[i].slot != slot)
			summary->others[kept++] = summary->others[i];
	summary->other_count = kept;
}

/* Returns the part of the path after "PREFIX/", or NULL if the path does not begin with it. */
static const char *path_behind(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(path, prefix, length) && path[length] == '/' ? path + length + 1 : NULL;
}

static void take_statistic(struct weir_client_summary *summary, size_t slot, const char *key,
                           double ms)
{
	const char *rest = path_behind(key, "percentiles");

	weir_client_summary_set_statistic(summary, slot, weir_slice_of(rest ? rest : key), ms);
}

void weir_client_summary_take(struct weir_client_summary *summary,
                              const struct weir_client_row *rows, const struct weir_jsonleaf *leaf,
                              bool *odd)
{
	for (; rows->path; rows++) {
		const char *key = rows->times ? path_behind(leaf->path, rows->path) : NULL;

		if (key)
			take_statistic(summary, rows->slot, key,
			               weir_jsonleaf_number(leaf, odd) * rows->scale);
		else if (!rows->times && strcmp(leaf->path, rows->path) == 0)
			weir_client_summary_set(summary, rows->slot,
			                        weir_jsonleaf_number(leaf, odd) * rows->scale);
	}
}

void weir_client_summary_label(struct weir_run *run, const struct weir_client_label *labels,
                               const struct weir_jsonleaf *leaf)
{
	for (; labels->path; labels++)
		if (strcmp(leaf->path, labels->path) == 0)
			weir_figure_label(run, labels->key, leaf->text);
}

bool weir_client_coalesced(double median_gap, double mean_gap)
{
	return median_gap < CHUNK_SHARE * mean_gap;
}

double weir_client_highest_rate(double sent, double duration_s, double longest_s)
{
	double window_s = duration_s - longest_s;

	return window_s > 0 ? (sent + 2 * sqrt(sent)) / window_s : NAN;
}

/* True if two statements of one figure contradict each other; false if one is unknown. */
static bool differs(double stated, double computed)
{
	return fabs(stated - computed) > DIFFERENCE * computed;
}

static void check_streaming(struct weir_client_summary *summary, struct weir_input *input)
{
	const char *detail = summary->ttft.mean > summary->e2e.mean
	                             ? "time to first token: it is longer than the request"
	                             : "time to first token: answers came as a whole";

	if (!(summary->output_tokens > 1 && summary->ttft.mean >= WHOLE_SHARE * summary->e2e.mean))
		return;
	weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(ttft));
	weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(ttst));
	weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(tpot));
	weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(itl));
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX, detail);
}

/* Returns the mean time per output token by samples or by the other means, or NAN. */
static double compute_tpot(const struct weir_client_summary *summary)
{
	double decode = summary->e2e.mean - summary->ttft.mean;

	if (!isnan(summary->sampled_tpot))
		return summary->sampled_tpot;
	return summary->output_tokens > 1 && summary->ttft.mean > 0 && decode >= 0
	               ? decode / (summary->output_tokens - 1)
	               : NAN;
}

/* Returns the largest percentile of the time per output token, or NAN. */
static double largest_tpot(const struct weir_client_summary *summary)
{
	const struct weir_client_times *tpot = &summary->tpot;
	double largest = fmax(fmax(fmax(tpot->median, tpot->p75), fmax(tpot->p90, tpot->p95)),
	                      tpot->p99); /* fmax() ignores NAN */

	for (size_t i = 0; i < summary->other_count; i++)
		if (summary->others[i].slot == WEIR_CLIENT_SLOT(tpot) &&
		    *summary->others[i].name == 'p')
			largest = fmax(largest, summary->others[i].ms);
	return largest;
}

/* True if the stated time per output token contradicts the ratio of the other means. That ratio is
 * the mean of the requests' ratios weighted by tokens: it cannot exceed nearly all of them, and is
 * their mean if all answers are of one length. */
static bool contradicts_tpot(const struct weir_client_summary *summary, double computed)
{
	double stated = summary->tpot.mean;

	if (!summary->tpot_by_request || !isnan(summary->sampled_tpot))
		return differs(stated, computed);
	if (summary->shortest_output >= summary->longest_output)
		return fabs(stated - computed) > EQUAL * computed;
	if (summary->counts_chunks && stated < CHUNKS * computed)
		return true;
	return largest_tpot(summary) < (1 - DIFFERENCE) * computed;
}

/* Some writers count chunks as tokens: their times per output token are too short by that ratio. */
static void check_tpot(struct weir_client_summary *summary, struct weir_input *input)
{
	double computed = compute_tpot(summary), stated = summary->tpot.mean;
	struct weir_text detail = {0};

	if (isnan(stated))
		summary->tpot.mean = computed;
	if (isnan(stated) || !contradicts_tpot(summary, computed))
		return;
	weir_text_puts(&detail, "time per output token: stated ");
	weir_text_duration(&detail, stated * 1e6);
	weir_text_puts(&detail, ", recomputed ");
	weir_text_duration(&detail, computed * 1e6);
	if (!isnan(largest_tpot(summary)))
		weir_text_puts(&detail, "; left out: its percentiles");
	if (fabs(summary->itl.mean - stated) <= DIFFERENCE * stated) {
		/* gaps between the same chunks */
		weir_text_puts(&detail, isnan(largest_tpot(summary)) ? "; left out: itl" : ", itl");
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(itl));
	}
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX, detail.data);
	weir_text_release(&detail);
	weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(tpot));
	summary->tpot.mean = computed;
}

static void check_gaps(struct weir_client_summary *summary, struct weir_input *input)
{
	double tpot = summary->tpot.mean;

	if (!weir_client_coalesced(summary->itl.median, summary->itl.mean))
		return;
	/* A gap for each token, which arrive in bursts. */
	if (!isnan(tpot) && !differs(summary->itl.mean, tpot))
		return;
	weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(itl));
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
	                "gaps between tokens: chunks hold several tokens");
}

void weir_client_summary_warn(struct weir_input *input, enum weir_warning_code code, double count)
{
	uint64_t before = input->warnings[code].count;

	if (!(count >= 1))
		return;
	weir_input_warn(input, code, UINT64_MAX, NULL);
	input->warnings[code].count = before + (uint64_t)fmin(count, MAX_COUNT);
}

enum weir_status weir_client_fail_none_completed(struct weir_error *err)
{
	return weir_fail(err, WEIR_E_FORMAT,
	                 "no request completed, so its figures mean nothing: read what the "
	                 "server said, then run the benchmark again");
}

/* Warns if the requests were sent more slowly than they should be. */
static void check_load(const struct weir_client_summary *summary, struct weir_input *input)
{
	struct weir_text detail = {0};

	if (!(summary->achieved_per_s < LOAD_SHARE * summary->requested_per_s))
		return;
	weir_text_printf(&detail, "%.5g of %.5g requests/s", summary->achieved_per_s,
	                 summary->requested_per_s);
	weir_input_warn(input, WEIR_WARN_LOAD_NOT_REACHED, UINT64_MAX, detail.data);
	weir_text_release(&detail);
}

enum weir_status weir_client_summary_check(struct weir_client_summary *summary,
                                           struct weir_input *input, struct weir_error *err)
{
	if (summary->completed <= 0)
		return weir_client_fail_none_completed(err);
	weir_client_summary_warn(input, WEIR_WARN_FAILED_REQUEST, summary->failed);
	check_streaming(summary, input);
	check_tpot(summary, input);
	check_gaps(summary, input);
	weir_client_totals_check(summary, input);
	check_load(summary, input);
	return WEIR_OK;
}

/* Returns the value of a figure, or NAN. Programs write 0 if they had nothing to take a mean of. */
static double figure_of(const struct weir_client_summary *summary, size_t slot)
{
	double value = value_at(summary, slot);

	return value > 0 ? value : NAN;
}

/* Returns a time, or NAN. The queue at the client may be 0, or below it by the timer's jitter; most
 * of it is that jitter, so only its mean and p95 are figures to compare. */
static double time_of(const struct weir_client_summary *summary, size_t times, size_t statistic)
{
	double value = value_at(summary, times + statistic);

	if (times != WEIR_CLIENT_SLOT(queue))
		return figure_of(summary, times + statistic);
	if (statistic != offsetof(struct weir_client_times, mean) &&
	    statistic != offsetof(struct weir_client_times, p95))
		return NAN;
	return value < 0 ? 0 : value;
}

static void add_time(struct weir_run *run, const char *prefix, const char *statistic,
                     const char *subject, double ms)
{
	struct weir_text name = {0};

	if (isnan(ms))
		return;
	weir_text_printf(&name, "%s%s_%s_ms", prefix, statistic, subject);
	weir_figure_add(run, name.data, "ms", false, ms);
	weir_text_release(&name);
}

/* True for a percentile that is the median again, as some programs state both. */
static bool is_median(const struct weir_client_percentile *other, double median)
{
	return strcmp(other->name, "p50") == 0 && fabs(other->ms - median) <= 0;
}

static void add_times(const struct weir_client_summary *summary, const char *prefix,
                      const struct subject *subject, struct weir_run *run)
{
	double median = time_of(summary, subject->slot, offsetof(struct weir_client_times, median));

	for (size_t i = 0; i < STATISTICS; i++)
		add_time(run, prefix, statistics[i].name, subject->name,
		         time_of(summary, subject->slot, statistics[i].slot));
	for (size_t i = 0; i < summary->other_count; i++)
		if (summary->others[i].slot == subject->slot &&
		    !is_median(&summary->others[i], median))
			add_time(run, prefix, summary->others[i].name, subject->name,
			         summary->others[i].ms);
}

void weir_client_summary_add(const struct weir_client_summary *summary, const char *prefix,
                             struct weir_run *run)
{
	struct weir_text name = {0};

	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		add_times(summary, prefix, &subjects[i], run);
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
		weir_text_clear(&name);
		weir_text_printf(&name, "%s%s", prefix, rates[i].name);
		weir_figure_add(run, name.data, rates[i].unit, true,
		                figure_of(summary, rates[i].slot));
	}
	weir_text_release(&name);
}

enum weir_status weir_client_summary_conclude(struct weir_client_summary *summary,
                                              struct weir_input *input, const char *expected,
                                              struct weir_error *err)
{
	enum weir_status status = weir_client_summary_check(summary, input, err);

	if (status)
		return status;
	weir_client_summary_add(summary, "", input->run);
	weir_client_summary_label_totals(summary, input->run);
	if (!input->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY, "no timing in this report: expected %s",
		                 expected);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

/* ---- whole reports ---- */

struct reading {
	const struct weir_client_report *report;
	struct weir_client_summary *summary;
	struct weir_input *input;
};

/* Adds a figure for each row that names the leaf, unless it is 0: the program writes 0 if it had
 * nothing to take a mean of. */
static void take_figures(struct weir_run *run, const struct weir_client_figure *figures,
                         const struct weir_jsonleaf *leaf, bool *odd)
{
	for (; figures && figures->path; figures++) {
		double value = strcmp(leaf->path, figures->path) == 0
		                       ? weir_jsonleaf_number(leaf, odd) * figures->scale
		                       : NAN;

		if (value > 0)
			weir_figure_add(run, figures->name, figures->unit,
			                figures->higher_is_better, value);
	}
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;
	bool odd = false;

	(void)err;
	weir_client_summary_take(reading->summary, reading->report->rows, leaf, &odd);
	take_figures(reading->input->run, reading->report->figures, leaf, &odd);
	weir_client_summary_label(reading->input->run, reading->report->labels, leaf);
	if (odd)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, leaf->at, NULL);
	return WEIR_OK;
}

enum weir_status weir_client_report_read(const struct weir_client_report *report,
                                         struct weir_source *source, struct weir_input *input,
                                         struct weir_error *err)
{
	struct weir_client_summary summary;
	struct reading reading = {.report = report, .summary = &summary, .input = input};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	if (first == '[' && report->requests)
		return weir_client_records_read(report->requests, source, input, err);
	weir_client_summary_init(&summary);
	summary.tpot_by_request = report->tpot_by_request;
	input->run = weir_run_new();
	status = weir_jsonleaves_read(&leaves, source, err);
	if (!status && report->check)
		status = report->check(&summary, err);
	return status ? status
	              : weir_client_summary_conclude(&summary, input, report->expected, err);
}
