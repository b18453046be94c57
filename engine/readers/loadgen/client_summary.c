/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/figures.h"

#define MAX_COUNT   1e15 /* of requests: exact in a double */
#define DIFFERENCE  0.1  /* of figures that are to be the same */
#define LOAD_SHARE  0.95 /* of the requested rate */
#define CHUNK_SHARE 0.1  /* of the mean gap: below it, the median is no gap between tokens */
/* First token and end of an answer of several tokens that did not come at once. */
#define WHOLE_SHARE 0.999

static const struct weir_client_times unknown_times = {NAN, NAN, NAN, NAN, NAN};

void weir_client_summary_init(struct weir_client_summary *summary)
{
	*summary = (struct weir_client_summary){
		.e2e = unknown_times,
		.ttft = unknown_times,
		.tpot = unknown_times,
		.itl = unknown_times,
		.ntpot = unknown_times,
		.queue = unknown_times,
		.sent = NAN,
		.completed = NAN,
		.failed = NAN,
		.output_tokens = NAN,
		.requested_per_s = NAN,
		.achieved_per_s = NAN,
		.request_throughput = NAN,
		.request_goodput = NAN,
		.input_throughput = NAN,
		.output_throughput = NAN,
		.total_throughput = NAN,
		.output_throughput_per_user = NAN,
		.output_throughput_per_gpu = NAN,
	};
}

/* What a statistic is called, and where it is in struct weir_client_times. */
static const struct {
	const char *key;
	size_t slot;
} statistics[] = {
	{"mean", offsetof(struct weir_client_times, mean)},
	{"average", offsetof(struct weir_client_times, mean)},
	{"avg", offsetof(struct weir_client_times, mean)},
	{"median", offsetof(struct weir_client_times, median)},
	{"p50", offsetof(struct weir_client_times, median)},
	{"p90", offsetof(struct weir_client_times, p90)},
	{"p95", offsetof(struct weir_client_times, p95)},
	{"p99", offsetof(struct weir_client_times, p99)},
};

/* The rest of path behind "PREFIX/", NULL where it does not begin so. */
static const char *path_behind(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(path, prefix, length) && path[length] == '/' ? path + length + 1 : NULL;
}

static void set(void *base, size_t slot, double value)
{
	double *place = (double *)(void *)((char *)base + slot);

	if (isnan(*place))
		*place = value;
}

static void take_statistic(struct weir_client_times *times, const char *key, double value)
{
	const char *rest = path_behind(key, "percentiles");

	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
		if (strcmp(rest ? rest : key, statistics[i].key) == 0)
			set(times, statistics[i].slot, value);
}

void weir_client_summary_take(struct weir_client_summary *summary,
                              const struct weir_client_row *rows, const struct weir_jsonleaf *leaf,
                              bool *odd)
{
	for (; rows->path; rows++) {
		const char *key = rows->times ? path_behind(leaf->path, rows->path) : NULL;

		if (key)
			take_statistic(
				(struct weir_client_times *)(void *)((char *)summary + rows->slot),
				key, weir_jsonleaf_number(leaf, odd) * rows->scale);
		else if (!rows->times && strcmp(leaf->path, rows->path) == 0)
			set(summary, rows->slot, weir_jsonleaf_number(leaf, odd) * rows->scale);
	}
}

void weir_client_summary_label(struct weir_run *run, const struct weir_client_label *labels,
                               const struct weir_jsonleaf *leaf)
{
	for (; labels->path; labels++)
		if (strcmp(leaf->path, labels->path) == 0)
			weir_figure_label(run, labels->key, leaf->text);
}

double weir_client_tpot(double e2e, double ttft, double output_tokens)
{
	return output_tokens > 1 && e2e >= ttft ? (e2e - ttft) / (output_tokens - 1) : NAN;
}

bool weir_client_differs(double stated, double computed)
{
	return fabs(stated - computed) > DIFFERENCE * computed;
}

bool weir_client_missed_load(double requested_per_s, double achieved_per_s)
{
	return achieved_per_s < LOAD_SHARE * requested_per_s;
}

bool weir_client_is_whole(double ttft, double e2e, double output_tokens)
{
	return output_tokens > 1 && ttft >= WHOLE_SHARE * e2e;
}

bool weir_client_coalesced(double median_gap, double mean_gap)
{
	return median_gap < CHUNK_SHARE * mean_gap;
}

static void check_streaming(struct weir_client_summary *summary, struct weir_input *input)
{
	if (!weir_client_is_whole(summary->ttft.mean, summary->e2e.mean, summary->output_tokens))
		return;
	summary->ttft = unknown_times;
	summary->tpot = unknown_times;
	summary->itl = unknown_times;
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
	                "time to first token: it is that of the whole answer");
}

/* Some writers count chunks for tokens: their times an output token are too short by as much. */
static void check_tpot(struct weir_client_summary *summary, struct weir_input *input)
{
	double computed =
		weir_client_tpot(summary->e2e.mean, summary->ttft.mean, summary->output_tokens);
	struct weir_text detail = {0};

	if (isnan(computed) || !weir_client_differs(summary->tpot.mean, computed)) {
		if (isnan(summary->tpot.mean))
			summary->tpot.mean = computed;
		return;
	}
	weir_text_puts(&detail, "time per output token: stated ");
	weir_text_duration(&detail, summary->tpot.mean * 1e6);
	weir_text_puts(&detail, ", ");
	weir_text_duration(&detail, computed * 1e6);
	weir_text_puts(&detail, " by the other times");
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX, detail.data);
	weir_text_release(&detail);
	if (!weir_client_differs(summary->itl.mean, summary->tpot.mean))
		summary->itl = unknown_times; /* of the same chunks */
	summary->tpot = unknown_times;
	summary->tpot.mean = computed;
}

static void check_gaps(struct weir_client_summary *summary, struct weir_input *input)
{
	if (!weir_client_coalesced(summary->itl.median, summary->itl.mean))
		return;
	summary->itl = unknown_times;
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

enum weir_status weir_client_summary_check(struct weir_client_summary *summary,
                                           struct weir_input *input, struct weir_error *err)
{
	if (summary->completed <= 0)
		return weir_fail(
			err, WEIR_E_FORMAT,
			"no request completed, so its figures are of nothing: see what the "
			"server said, then run the benchmark again");
	weir_client_summary_warn(input, WEIR_WARN_FAILED_REQUEST, summary->failed);
	check_streaming(summary, input);
	check_tpot(summary, input);
	check_gaps(summary, input);
	if (weir_client_missed_load(summary->requested_per_s, summary->achieved_per_s))
		weir_input_warn(input, WEIR_WARN_LOAD_NOT_REACHED, UINT64_MAX, NULL);
	return WEIR_OK;
}

static const struct subject {
	const char *name;
	size_t slot;
	/* Waiting at the client may be 0; most of it is the timer's jitter, and its tail is no
	 * figure to compare. */
	bool is_queue;
} subjects[] = {
	{"e2el", offsetof(struct weir_client_summary, e2e), false},
	{"ttft", offsetof(struct weir_client_summary, ttft), false},
	{"tpot", offsetof(struct weir_client_summary, tpot), false},
	{"itl", offsetof(struct weir_client_summary, itl), false},
	{"ntpot", offsetof(struct weir_client_summary, ntpot), false},
	{"client_queue", offsetof(struct weir_client_summary, queue), true},
};

static const struct {
	const char *name, *unit;
	size_t slot;
} rates[] = {
	{"request_throughput", "1/s", offsetof(struct weir_client_summary, request_throughput)},
	{"request_goodput", "1/s", offsetof(struct weir_client_summary, request_goodput)},
	{"input_throughput", "tokens/s", offsetof(struct weir_client_summary, input_throughput)},
	{"output_throughput", "tokens/s", offsetof(struct weir_client_summary, output_throughput)},
	{"total_token_throughput", "tokens/s",
         offsetof(struct weir_client_summary, total_throughput)},
	{"output_throughput_per_user", "tokens/s",
         offsetof(struct weir_client_summary, output_throughput_per_user)},
	{"output_throughput_per_gpu", "tokens/s",
         offsetof(struct weir_client_summary, output_throughput_per_gpu)},
};

static double slot_value(const void *base, size_t slot)
{
	return *(const double *)(const void *)((const char *)base + slot);
}

/* 0 is what programs write where there was nothing to take a mean of. */
static double positive(double value)
{
	return value > 0 ? value : NAN;
}

/* But a request that is sent when it is due, or by the timer's jitter before, waited for 0. */
static double time_of(const struct weir_client_times *times, size_t slot, bool is_queue)
{
	double value = slot_value(times, slot);

	if (!is_queue)
		return positive(value);
	if (slot != offsetof(struct weir_client_times, mean) &&
	    slot != offsetof(struct weir_client_times, p95))
		return NAN;
	return value < 0 ? 0 : value;
}

static void add_times(const struct weir_client_times *times, const char *prefix,
                      const struct subject *subject, struct weir_run *run)
{
	static const struct {
		const char *name;
		size_t slot;
	} order[] = {
		{"mean", offsetof(struct weir_client_times, mean)},
		{"median", offsetof(struct weir_client_times, median)},
		{"p90", offsetof(struct weir_client_times, p90)},
		{"p95", offsetof(struct weir_client_times, p95)},
		{"p99", offsetof(struct weir_client_times, p99)},
	};
	struct weir_text name = {0};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		weir_text_clear(&name);
		weir_text_printf(&name, "%s%s_%s_ms", prefix, order[i].name, subject->name);
		weir_figure_add(run, name.data, "ms", false,
		                time_of(times, order[i].slot, subject->is_queue));
	}
	weir_text_release(&name);
}

void weir_client_summary_add(const struct weir_client_summary *summary, const char *prefix,
                             struct weir_run *run)
{
	struct weir_text name = {0};

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		add_times((const void *)((const char *)summary + subjects[i].slot), prefix,
		          &subjects[i], run);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		weir_text_clear(&name);
		weir_text_printf(&name, "%s%s", prefix, rates[i].name);
		weir_figure_add(run, name.data, rates[i].unit, true,
		                positive(slot_value(summary, rates[i].slot)));
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
	if (!input->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY, "no timing in this report: expected %s",
		                 expected);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}
