/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/stated_loads.h"
#include "engine/readers/parts/figures.h"
#include "engine/stats/moments.h"

#define LISTED_LOADS  4  /* figures of several loads that a note lists */
#define LISTED_VALUES 6  /* values of a condition that a note lists */
#define VALUE_COLUMNS 24 /* of one of them at most */
#define CONCURRENCY   "concurrency@"
/* The throughput has stopped growing where it reaches this share of the highest one: results of
 * runs of a few seconds differ by about as much. */
#define GROWN        0.95
#define FALLEN       0.90 /* a share of the highest throughput below which it has fallen */
#define NS_OF_MS     1e6
#define WORTH_A_WORD 0.01 /* share of a request from which on a note names a part */

/* ---- ranges over all loads ---- */

/* Returns true for a load that has the name of a strategy of GuideLLM, "constant#2/", or none. */
static bool is_strategy(struct weir_slice load)
{
	static const char *const names[] = {"load",     "synchronous", "throughput",
	                                    "constant", "poisson",     "concurrent"};

	for (size_t i = 0; i < WEIR_COUNT_OF(names); i++) {
		struct weir_slice rest = load;

		if (weir_slice_take(&rest, names[i]) && rest.length &&
		    (*rest.data == '/' || *rest.data == '#' || *rest.data == '@'))
			return true;
	}
	return false;
}

/* Returns the figure of "concurrency@4/p99_latency_ms", "model/concurrency@4/p99_latency_ms" or
 * "load#2/p99_latency_ms"; NULL: it is not of one of several loads, like that of a kind of request,
 * "request@GET //p99_latency_ms". */
static const char *figure_of_load(const char *name)
{
	const char *slash = strrchr(name, '/'), *load = slash;

	while (load && load > name && load[-1] != '/')
		load--;
	if (!load || load == slash || strncmp(name, "request@", 8) == 0)
		return NULL;
	return memchr(load, '@', (size_t)(slash - load)) ||
	                       is_strategy((struct weir_slice){load, (size_t)(slash + 1 - load)})
	               ? slash + 1
	               : NULL;
}

/* Returns "#2" of "pp512#2_tokens_per_s", which tells results of one test apart; empty without a
 * number. */
static struct weir_slice number_in(const char *figure)
{
	const char *from = strchr(figure, '#');
	size_t length = from ? 1 + strspn(from + 1, "0123456789") : 0;

	return length > 1 ? (struct weir_slice){from, length} : (struct weir_slice){"", 0};
}

/* Returns true for the name of a figure with or without a number of the result. */
static bool is_figure(const char *own, const char *figure)
{
	struct weir_slice number = number_in(own);
	size_t before;

	if (strcmp(own, figure) == 0)
		return true;
	if (!number.length)
		return false;
	before = (size_t)(number.data - own);
	return strncmp(own, figure, before) == 0 &&
	       strcmp(number.data + number.length, figure + before) == 0;
}

/* Figures that a note names in words. */
static const struct {
	const char *figure, *words, *unit; /* NULL: the unit of the figure */
} spoken[] = {
	{"request_throughput", "request throughput", "requests/s"},
	{"request_goodput", "requests within their targets", "requests/s"},
	{"output_throughput", "output throughput", NULL},
	{"mean_ttft_ms", "mean time to first token", NULL},
	{"p99_ttft_ms", "p99 time to first token", NULL},
	{"mean_tpot_ms", "mean time per token", NULL},
	{"mean_e2el_ms", "mean request latency", NULL},
	{"throughput_qps", "throughput", "queries/s"},
	{"throughput_fps", "throughput", "frames/s"},
};

/* Ends of names that say the unit, which stands behind the values. */
static const struct {
	const char *unit, *end;
} unit_ends[] = {{"ms", "_ms"}, {"%", "_pct"}, {"MB", "_mb"},
                 {"W", "_w"},   {"GB", "_gb"}, {"tokens/s", "_tokens_per_s"}};

static struct weir_slice without_unit(const char *figure, const char *unit)
{
	struct weir_slice name = weir_slice_of(figure);

	for (size_t i = 0; unit && i < WEIR_COUNT_OF(unit_ends); i++)
		if (strcmp(unit, unit_ends[i].unit) == 0 && weir_slice_ends(name, unit_ends[i].end))
			name.length -= strlen(unit_ends[i].end);
	return name;
}

/* Appends the name of a figure, in words of the table or its own, without the unit at its end.
 * Returns the unit of its values, "" if it has none. */
static const char *put_name(const char *figure, const char *unit, struct weir_text *out)
{
	struct weir_slice name = without_unit(figure, unit);

	weir_text_puts(out, out->length ? ", " : "");
	for (size_t i = 0; i < WEIR_COUNT_OF(spoken); i++)
		if (strcmp(figure, spoken[i].figure) == 0) {
			weir_text_puts(out, spoken[i].words);
			return spoken[i].unit ? spoken[i].unit : unit ? unit : "";
		}
	for (size_t i = 0; i < name.length; i++)
		weir_text_add(out, name.data[i] == '_' ? " " : &name.data[i], 1);
	return unit ? unit : "";
}

static void put_number(double value, int digits, struct weir_text *out)
{
	if (value < 1000)
		weir_text_printf(out, "%.*g", digits, value);
	else
		weir_text_printf(out, "%.0f", value);
}

/* Appends "21 to 64.9 ms", with more digits for values that are nearly equal, and one value for
 * equal ones. Times of a second and more are in seconds. */
static void put_values(double least, double most, const char *unit, struct weir_text *out)
{
	int digits = most - least < 1e-3 * most ? 6 : 4;

	if (strcmp(unit, "ms") == 0 && least >= 1000) {
		least /= 1000;
		most /= 1000;
		unit = "s";
	}
	weir_text_puts(out, " ");
	put_number(least, digits, out);
	if (most > least) {
		weir_text_puts(out, " to ");
		put_number(most, digits, out);
	}
	weir_text_printf(out, "%s%s", *unit ? " " : "", unit);
}

/* Appends "p99_latency 21 to 64.9 ms" for a figure over its loads; false: no load states it. */
static bool add_range(const struct weir_run *run, const char *figure, struct weir_text *out)
{
	double least = INFINITY, most = -INFINITY;
	const char *unit = NULL;

	for (size_t i = 0; i < run->metrics.count; i++) {
		const struct weir_series *series = &run->metrics.items[i];
		const char *own = figure_of_load(series->name);

		if (!own || !is_figure(own, figure) ||
		    isnan(weir_mean(series->value, series->count)))
			continue;
		least = fmin(least, weir_mean(series->value, series->count));
		most = fmax(most, weir_mean(series->value, series->count));
		unit = series->unit;
	}
	if (!(most >= least))
		return false;
	unit = put_name(figure, unit ? unit : weir_figure_unit(figure), out);
	put_values(least, most, unit, out);
	return true;
}

/* Returns true if each part of a prefix such as "request_rate@4/concurrency@8/" is a load. */
static bool has_loads_alone(struct weir_slice prefix)
{
	static const char *const loads[] = {"concurrency@", "request_rate@", "rate@"};

	while (prefix.length) {
		const char *slash = memchr(prefix.data, '/', prefix.length);
		size_t length = slash ? (size_t)(slash + 1 - prefix.data) : prefix.length;
		bool is_load = is_strategy(prefix);

		for (size_t i = 0; i < WEIR_COUNT_OF(loads); i++)
			is_load |= weir_slice_starts(prefix, loads[i]);
		if (!is_load)
			return false;
		prefix = (struct weir_slice){prefix.data + length, prefix.length - length};
	}
	return true;
}

/* True if each part of a prefix such as "load/fa@0/model@m/" is a load or a condition: the name of
 * a row of a table, "kernels/NAME/", is neither. */
static bool has_conditions_alone(struct weir_slice prefix)
{
	while (prefix.length) {
		const char *slash = memchr(prefix.data, '/', prefix.length);
		size_t length = slash ? (size_t)(slash + 1 - prefix.data) : prefix.length;

		if (!weir_slice_starts(prefix, "load/") && !weir_slice_starts(prefix, "load#") &&
		    !memchr(prefix.data, '@', length))
			return false;
		prefix = (struct weir_slice){prefix.data + length, prefix.length - length};
	}
	return true;
}

/* True for the prefix of a result that a number tells apart from others, "load#2/". */
static bool is_numbered(struct weir_slice prefix)
{
	return memchr(prefix.data, '#', prefix.length) || weir_slice_holds(prefix, "/row@") ||
	       weir_slice_holds(prefix, "/table@");
}

/* Appends the ranges of the first figures, `most` at most, of a run whose figures all have
 * conditions in their names. Returns their number. */
static size_t add_first_ranges(const struct weir_run *run, size_t most, struct weir_text *out)
{
	const char *figures[LISTED_LOADS];
	size_t listed = 0;

	for (size_t i = 0; i < run->metrics.count; i++)
		if (!strchr(run->metrics.items[i].name, '/'))
			return 0; /* another note lists those without a condition */
	for (size_t i = 0; i < run->metrics.count && listed < most; i++) {
		const char *name = run->metrics.items[i].name, *own = figure_of_load(name);
		size_t at = listed;

		if (!own || !has_conditions_alone((struct weir_slice){name, (size_t)(own - name)}))
			continue;
		while (at && !is_figure(own, figures[at - 1]))
			at--;
		if (!at && add_range(run, own, out))
			figures[listed++] = own;
	}
	return listed;
}

/* The loads of the runs of a report. */
struct loads {
	size_t count;
	bool numbered, others; /* some differ by a number, some by more than the load */
};

static void count_loads(const struct weir_run *run, struct loads *loads)
{
	struct {
		struct weir_slice prefix, number;
	} *seen = weir_alloc((run->metrics.count + 1) * sizeof *seen);
	size_t count = 0;

	for (size_t i = 0; i < run->metrics.count; i++) {
		const char *name = run->metrics.items[i].name, *own = figure_of_load(name);
		struct weir_slice prefix = {name, own ? (size_t)(own - name) : 0};
		struct weir_slice number = number_in(own ? own : "");
		size_t at = count;

		while (at && !(weir_slice_same(seen[at - 1].prefix, prefix) &&
		               weir_slice_same(seen[at - 1].number, number)))
			at--;
		if (!own || at)
			continue;
		seen[count].prefix = prefix;
		seen[count++].number = number;
		loads->numbered |= is_numbered(prefix) || number.length;
		loads->others |= !has_loads_alone(prefix);
	}
	loads->count += count;
	free(seen);
}

/* Splits "load/devices@CPU/" into "load/", "devices" and "CPU". Returns false without a condition,
 * or if it is too long for a note. */
static bool split_condition(struct weir_slice prefix, struct weir_slice *before,
                            struct weir_slice *key, struct weir_slice *value)
{
	const char *end = prefix.data + prefix.length - 1, *from = end, *at;

	while (from > prefix.data && from[-1] != '/')
		from--;
	at = memchr(from, '@', (size_t)(end - from));
	if (!at || end - at - 1 > VALUE_COLUMNS)
		return false;
	*before = (struct weir_slice){prefix.data, (size_t)(from - prefix.data)};
	*key = (struct weir_slice){from, (size_t)(at - from)};
	*value = (struct weir_slice){at + 1, (size_t)(end - at) - 1};
	return true;
}

/* Appends " (devices: CPU, GPU.0)" if the results of a run differ in one condition alone, which is
 * no load. */
static void put_condition(const struct weir_run *run, struct weir_text *out)
{
	struct weir_slice before = {"", 0}, key = {"", 0}, own_before, own_key, value;
	struct weir_slice values[LISTED_VALUES];
	size_t count = 0;

	for (size_t i = 0; i < run->metrics.count; i++) {
		const char *name = run->metrics.items[i].name, *own = figure_of_load(name);
		size_t at = count;

		if (!own)
			continue;
		if (!split_condition((struct weir_slice){name, (size_t)(own - name)}, &own_before,
		                     &own_key, &value))
			return;
		if (!count) {
			before = own_before;
			key = own_key;
		}
		while (at && !weir_slice_same(values[at - 1], value))
			at--;
		if (!weir_slice_same(before, own_before) || !weir_slice_same(key, own_key) ||
		    (!at && count == LISTED_VALUES))
			return;
		if (!at)
			values[count++] = value;
	}
	if (count < 2 || weir_slice_equals(key, "concurrency") ||
	    weir_slice_holds(key, "request_rate") || weir_slice_equals(key, "result"))
		return;
	weir_text_printf(out, " (%.*s: ", (int)key.length, key.data);
	for (size_t i = 0; i < count; i++) {
		weir_text_puts(out, i ? ", " : "");
		weir_text_add(out, values[i].data, values[i].length);
	}
	weir_text_puts(out, ")");
}

/* ---- throughput over the number of concurrent requests ---- */

/* Results of one run at a number of concurrent requests. */
struct point {
	struct weir_slice load; /* "concurrency@4/", part of a name of the run */
	double concurrency;
	double rate; /* in the unit of the sweep */
	double ms;   /* mean or median time of a request; NAN: not stated */
};

struct sweep {
	const struct weir_run *run;
	const char *unit; /* of the rate */
	struct point *points;
	size_t count, capacity;
};

static const struct {
	const char *name, *unit;
} rates[] = {{"output_throughput", "output tokens/s"},
             {"inference_throughput", "inferences/s"},
             {"request_throughput", "requests/s"}};

static const char *const times[] = {"mean_e2el_ms", "mean_latency_ms", "median_e2el_ms",
                                    "median_latency_ms", "p50_latency_ms"};

/* Returns a figure of a result, "mean_queue_ms" of "concurrency@4/"; NAN: not stated. */
static double figure_at(const struct weir_run *run, struct weir_slice load, const char *figure)
{
	const struct weir_series *series;
	struct weir_text name = {0};

	weir_text_add(&name, load.data, load.length);
	weir_text_puts(&name, figure);
	series = weir_series_find(&run->metrics, name.data);
	weir_text_release(&name);
	return series ? weir_mean(series->value, series->count) : NAN;
}

/* Returns the number of concurrent requests of a load, "concurrency@4/"; NAN: it is another load,
 * or has further conditions. */
static double concurrency_of(struct weir_slice load)
{
	double value;

	if (!weir_slice_take(&load, CONCURRENCY) || load.length < 2 ||
	    !weir_parse_double(load.data, load.length - 1, &value) || !(value > 0) ||
	    !isfinite(value))
		return NAN;
	return value;
}

static int compare_points(const void *a, const void *b)
{
	const struct point *left = a, *right = b;

	return (left->concurrency > right->concurrency) - (left->concurrency < right->concurrency);
}

/* Fills the sweep with the results of a run that state this rate, in the order of their number of
 * concurrent requests. */
static void collect_points(struct sweep *sweep, size_t rate)
{
	sweep->count = 0;
	sweep->unit = rates[rate].unit;
	for (size_t i = 0; i < sweep->run->metrics.count; i++) {
		const struct weir_series *series = &sweep->run->metrics.items[i];
		const char *figure = figure_of_load(series->name);
		struct point point = {.load = {series->name, 0}, .ms = NAN};

		if (!figure || strcmp(figure, rates[rate].name) != 0)
			continue;
		point.load.length = (size_t)(figure - series->name);
		point.concurrency = concurrency_of(point.load);
		point.rate = weir_mean(series->value, series->count);
		if (isnan(point.concurrency) || !(point.rate > 0))
			continue;
		for (size_t t = 0; isnan(point.ms) && t < WEIR_COUNT_OF(times); t++)
			point.ms = figure_at(sweep->run, point.load, times[t]);
		sweep->points = weir_grow(sweep->points, &sweep->capacity, sweep->count + 1,
		                          sizeof *sweep->points);
		sweep->points[sweep->count++] = point;
	}
	if (sweep->count > 0)
		qsort(sweep->points, sweep->count, sizeof *sweep->points, compare_points);
}

/* Returns the only run among the inputs; NULL: there is not exactly one. */
static const struct weir_run *only_run(const struct weir_report *report)
{
	const struct weir_run *found = NULL;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		if (run && (found || run->next))
			return NULL;
		found = run ? run : found;
	}
	return found;
}

/* Finds two or more results of the only run. The caller frees the points. */
static bool find_sweep(const struct weir_report *report, struct sweep *sweep)
{
	*sweep = (struct sweep){.run = only_run(report)};
	for (size_t r = 0; sweep->run && r < WEIR_COUNT_OF(rates); r++) {
		collect_points(sweep, r);
		if (sweep->count >= 2)
			return true;
	}
	return false;
}

/* Appends "209 inferences/s". */
static void put_rate(const struct sweep *sweep, double rate, struct weir_text *out)
{
	weir_text_rounded(out, rate);
	weir_text_printf(out, " %s", sweep->unit);
}

/* Appends what happens from `from`, where the throughput is about the highest, to the last load. */
static void put_saturation(const struct sweep *sweep, const struct point *from, double highest,
                           struct weir_text *out)
{
	const struct point *last = &sweep->points[sweep->count - 1];

	weir_text_printf(out, "the throughput does not grow beyond %.15g concurrent request%s (",
	                 from->concurrency, from->concurrency > 1 ? "s" : "");
	put_rate(sweep, from->rate, out);
	weir_text_printf(out, "); with %.15g, ", last->concurrency);
	if (last->rate < FALLEN * highest) {
		weir_text_puts(out, "it is ");
		weir_text_share(out, 1 - last->rate / highest);
		weir_text_puts(out, " lower");
	} else if (last->ms > from->ms) {
		weir_text_printf(out, "a request takes %.2g times as long", last->ms / from->ms);
	} else {
		weir_text_puts(out, "it is about the same");
	}
}

/* Appends that the throughput grows up to the last load. */
static void put_growth(const struct sweep *sweep, struct weir_text *out)
{
	const struct point *last = &sweep->points[sweep->count - 1], *before = last - 1;

	weir_text_printf(out, "the throughput still grows at %.15g concurrent requests, by ",
	                 last->concurrency);
	weir_text_share(out, last->rate / before->rate - 1);
	weir_text_printf(out, " from that with %.15g, to ", before->concurrency);
	put_rate(sweep, last->rate, out);
	weir_text_puts(out, ": more of them would show the limit");
}

/* ---- parts of a mean request ---- */

/* The parts of a request as perf_analyzer states them. The first two tell what to do. */
enum part { QUEUE, COMPUTE, PARTS = 7 };

static const struct {
	const char *name, *words;
} part_names[PARTS] = {{"mean_queue_ms", "the server's queue"}, {"mean_compute_ms", "computation"},
                       {"mean_h2d_ms", "copies to the device"}, {"mean_d2h_ms", "copies from it"},
                       {"mean_network_ms", "network"},          {"mean_client_send_ms", "sending"},
                       {"mean_client_recv_ms", "receiving"}};

struct parts {
	double ms[PARTS]; /* 0: not stated */
	double all_ms;
	double concurrency; /* NAN: not stated */
};

/* Takes the parts that a run states of a load. Returns false if it states neither queue nor
 * computation. */
static bool take_parts(const struct weir_run *run, struct weir_slice load, struct parts *parts)
{
	parts->all_ms = 0;
	for (size_t i = 0; i < PARTS; i++) {
		double ms = figure_at(run, load, part_names[i].name);

		parts->ms[i] = ms > 0 ? ms : 0;
		parts->all_ms += parts->ms[i];
	}
	return parts->ms[QUEUE] > 0 || parts->ms[COMPUTE] > 0;
}

/* Finds the parts of the only result of the only run, if there are not several. */
static bool find_single(const struct weir_report *report, struct parts *parts)
{
	const struct weir_run *run = only_run(report);

	if (!run)
		return false;
	parts->concurrency = weir_figure_label_number(run, "concurrency");
	return take_parts(run, (struct weir_slice){"", 0}, parts);
}

/* Finds the parts at the highest number of concurrent requests, or of the only result. */
static bool find_parts(const struct weir_report *report, struct parts *parts)
{
	struct sweep sweep;
	bool found;

	if (find_sweep(report, &sweep)) {
		const struct point *last = &sweep.points[sweep.count - 1];

		parts->concurrency = last->concurrency;
		found = take_parts(sweep.run, last->load, parts);
	} else {
		found = find_single(report, parts);
	}
	free(sweep.points);
	return found;
}

/* Appends what takes most of a mean request of the only result, and sets the next step if it is the
 * queue. Appends nothing if it is another part than queue or computation. */
static void put_largest_part(struct weir_report *report, struct weir_text *out)
{
	struct parts parts;
	size_t largest = 0;

	if (!find_single(report, &parts))
		return;
	for (size_t i = 1; i < PARTS; i++)
		if (parts.ms[i] > parts.ms[largest])
			largest = i;
	if (largest != QUEUE && largest != COMPUTE)
		return;
	weir_text_printf(out, "%s takes ", part_names[largest].words);
	weir_text_part(out, parts.ms[largest] / parts.all_ms);
	weir_text_puts(out, " of a mean request of ");
	weir_text_duration(out, parts.all_ms * NS_OF_MS);
	if (largest == COMPUTE) {
		weir_text_puts(out, "; the result does not show what bounds it");
		return;
	}
	weir_text_puts(out, ": requests wait until the server begins with them");
	report->verdict.next = "let the server take more requests at a time (dynamic_batching, or "
			       "a larger count in instance_group), then measure again";
}

/* Notes the parts of a mean request. */
static void note_parts(struct weir_report *report)
{
	struct weir_text text = {0}, load = {0};
	struct parts parts;

	if (!find_parts(report, &parts))
		return;
	for (size_t i = 0; i < PARTS; i++) {
		if (!(parts.ms[i] > 0) || parts.ms[i] < WORTH_A_WORD * parts.all_ms)
			continue;
		weir_text_printf(&text, "%s%s ", text.length ? ", " : "", part_names[i].words);
		weir_text_share(&text, parts.ms[i] / parts.all_ms);
	}
	if (parts.concurrency > 0)
		weir_text_printf(&load, " with %.15g concurrent", parts.concurrency);
	weir_report_note(report, "request_parts", "parts of a mean request%s: %s",
	                 load.length ? load.data : "", text.data);
	weir_text_release(&load);
	weir_text_release(&text);
}

const char *weir_describe_stated_loads(struct weir_report *report)
{
	struct sweep sweep;
	struct weir_text text = {0};
	const char *copy = NULL;
	double highest = 0;
	size_t from = 0;

	if (find_sweep(report, &sweep)) {
		for (size_t i = 0; i < sweep.count; i++)
			highest = fmax(highest, sweep.points[i].rate);
		while (sweep.points[from].rate < GROWN * highest)
			from++;
		if (from + 1 < sweep.count)
			put_saturation(&sweep, &sweep.points[from], highest, &text);
		else
			put_growth(&sweep, &text);
	} else {
		put_largest_part(report, &text);
	}
	if (text.length)
		copy = weir_arena_copy(report->arena, text.data, text.length);
	weir_text_release(&text);
	free(sweep.points);
	return copy;
}

/* Appends the ranges of the main figures of a run over its loads, `most` at most, or else those of
 * its first figures. */
static void put_ranges(const struct weir_run *run, size_t most, struct weir_text *out)
{
	static const char *const figures[] = {
		"inference_throughput", "request_throughput", "request_goodput",
		"output_throughput", "throughput", "throughput_fps", "mean_ttft_ms",
		"median_latency_ms", "p50_latency_ms", "mean_e2el_ms", "p99_latency_ms",
		"p99_ttft_ms", "mean_tpot_ms", "throughput_qps", "latency_mean_ms",
		"latency_p99_ms", "gpu_compute_median_ms", "gpu_compute_mean_ms",
		/* of batches without a server */
		"decode_throughput", "mean_decode_token_latency_ms", "mean_prefill_latency_ms",
		"prefill_throughput", "prefill_latency_ms", "median_decode_throughput",
		/* of devices */
		"gpu_utilization_pct", "gpu_memory_mb", "gpu_power_w"};
	size_t listed = 0;

	for (size_t f = 0; f < WEIR_COUNT_OF(figures) && listed < most; f++)
		listed += add_range(run, figures[f], out);
	if (!listed)
		add_first_ranges(run, most, out);
}

/* Names the loads by how they differ. */
static const char *word_for(const struct loads *loads)
{
	return loads->numbered ? "results" : loads->others ? "configurations" : "loads";
}

const char *weir_describe_stated_ranges(struct weir_report *report)
{
	const struct weir_run *run = only_run(report);
	struct weir_text text = {0};
	struct loads loads = {0};

	if (run)
		count_loads(run, &loads);
	if (loads.count < 2)
		return NULL;
	put_ranges(run, 1, &text);
	if (!text.length)
		return NULL;
	weir_text_printf(&text,
	                 " over the %zu %s of the file; they do not show where the time goes",
	                 loads.count, word_for(&loads));
	return weir_keep_line(report, &text);
}

void weir_note_stated_loads(struct weir_report *report)
{
	const struct weir_run *only = only_run(report);
	struct weir_text text = {0}, condition = {0};
	struct loads loads = {0};

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		if (!run)
			continue;
		count_loads(run, &loads);
		put_ranges(run, LISTED_LOADS, &text);
	}
	if (only && text.length)
		put_condition(only, &condition);
	if (text.length)
		weir_report_note(report, "loads",
		                 "over the %zu %s of the file%s: %s (weir convert prints all)",
		                 loads.count, word_for(&loads),
		                 condition.data ? condition.data : "", text.data);
	weir_text_release(&condition);
	weir_text_release(&text);
	note_parts(report);
}
