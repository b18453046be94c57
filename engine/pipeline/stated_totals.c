/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/recording.h"
#include "engine/pipeline/stated_totals.h"
#include "engine/report/plain/distinct.h"
#include "engine/report/plain/escape.h"
#include "engine/stats/moments.h"

#define NAME_COLUMNS  48 /* of an operator */
#define LISTED_TOTALS 3  /* largest rows of a table that a note lists */

bool weir_is_key_averages(const struct weir_input *input)
{
	return input->run && input->format && strcmp(input->format, "key_averages") == 0;
}

/* A row of a table: a kernel with its time in the whole run. */
struct total {
	struct weir_slice name;
	double ns;
};

/* The rows of the tables among the inputs, the largest first. */
struct totals {
	struct total largest[LISTED_TOTALS];
	size_t count;       /* all rows with a time */
	size_t idle;        /* rows with a time of 0 */
	const char *means;  /* iterations that the times are means of; NULL: not stated */
	double ns;          /* of all rows; NAN: unknown */
	const char *things; /* "kernels" */
	const char *time;   /* the time that the rows divide: "of the table" */
	const char *aside;  /* a remark on the largest rows; "": none */
	double copies_ns;   /* of copies, in a table of kernels; NAN: not stated */
	double memsets_ns;  /* of memsets, like copies */
	double calls;       /* of all rows; 0: not stated */
	bool on_host;       /* the rows are calls of the host, and no other rows are known */
	bool unstated;      /* the table has device times without their total */
};

static void add_total(struct totals *totals, struct weir_slice name, double ns)
{
	size_t at = totals->count < LISTED_TOTALS ? totals->count : LISTED_TOTALS;

	totals->idle += ns == 0;
	if (!(ns > 0))
		return;
	totals->count++;
	totals->ns += ns;
	for (; at > 0 && totals->largest[at - 1].ns < ns; at--)
		if (at < LISTED_TOTALS)
			totals->largest[at] = totals->largest[at - 1];
	if (at < LISTED_TOTALS)
		totals->largest[at] = (struct total){name, ns};
}

static double metric_of(const struct weir_run *run, const char *name)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	return series ? weir_mean(series->value, series->count) : NAN;
}

/* Takes "kernels/NAME/total_ns" of the group "kernels/". */
static void add_figure(struct totals *totals, const struct weir_series *series, const char *group)
{
	static const char figure[] = "/total_ns";
	size_t length = strlen(series->name), before = strlen(group),
	       around = before + sizeof figure - 1;

	if (length > around && strncmp(series->name, group, before) == 0 &&
	    strcmp(series->name + length - (sizeof figure - 1), figure) == 0)
		add_total(totals, (struct weir_slice){series->name + before, length - around},
		          weir_mean(series->value, series->count));
}

/* Takes a group of figures of all inputs, and the time of copies and memsets beside it. */
static void add_figures(const struct weir_report *report, struct totals *totals, const char *group)
{
	struct weir_text total = {0};
	double stated_ns = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		for (size_t m = 0; run && m < run->metrics.count; m++)
			add_figure(totals, &run->metrics.items[m], group);
		weir_text_clear(&total);
		weir_text_printf(&total, "%stotal_ns", group);
		if (run && metric_of(run, total.data) > 0)
			stated_ns += metric_of(run, total.data);
		if (run && isnan(totals->copies_ns))
			totals->copies_ns = metric_of(run, "copies/total_ns");
		if (run && isnan(totals->memsets_ns))
			totals->memsets_ns = metric_of(run, "memsets/total_ns");
	}
	/* Only the largest rows are figures, and a file may lack rows. */
	if (totals->count)
		totals->ns = fmax(totals->ns, stated_ns);
	weir_text_release(&total);
}

/* Takes copies and memsets as the rows of a table that holds no others. */
static void collect_moves(const struct weir_report *report, struct totals *totals)
{
	double copies_ns;

	add_figures(report, totals, "copies/");
	copies_ns = totals->ns;
	totals->ns = 0;
	add_figures(report, totals, "memsets/");
	totals->ns += copies_ns;
	totals->things = "kinds of copies and memsets";
	totals->time = "of copies and memsets";
	totals->copies_ns = totals->memsets_ns = NAN; /* they are the rows */
}

/* True if the operators of an input are parts of one time. Those of a profiler's table are not: it
 * lists calls of the host, operators and the kernels that they launch. */
static bool divides_time(const struct weir_input *input)
{
	static const char *const formats[] = {"rocprof", "rocprof_summary", "trtexec", "tfprof"};

	for (size_t i = 0; input->format && i < WEIR_COUNT_OF(formats); i++)
		if (strcmp(input->format, formats[i]) == 0)
			return true;
	return false;
}

/* True if a row of a table of the PyTorch profiler is an operator, not a kernel. */
static bool has_operator(const struct weir_run *run)
{
	for (size_t m = 0; m < run->operators.count; m++)
		if (strncmp(run->operators.items[m].name, "aten::", strlen("aten::")) == 0)
			return true;
	return false;
}

/* True if a table of the PyTorch profiler has device times: only then host times are figures. */
static bool has_device_times(const struct weir_run *run)
{
	for (size_t m = 0; m < run->metrics.count; m++)
		if (strncmp(run->metrics.items[m].name, "host/", strlen("host/")) == 0)
			return true;
	return metric_of(run, "self_device_time_total_ms") > 0;
}

/* Takes the operators of a table of the PyTorch profiler. They are shares of the total that the
 * table states, not of their sum: an operator and its kernels have separate rows. */
static void add_key_averages(const struct weir_run *run, struct totals *totals)
{
	double device_ms = metric_of(run, "self_device_time_total_ms"),
	       host_ms = metric_of(run, "self_host_time_total_ms");
	bool on_device = has_device_times(run);

	for (size_t m = 0; m < run->operators.count; m++)
		add_total(totals, weir_slice_of(run->operators.items[m].name),
		          weir_mean(run->operators.items[m].value, run->operators.items[m].count));
	totals->ns = (on_device ? device_ms : host_ms) * 1e6;
	totals->things = on_device     ? "rows with device time"
	                 : host_ms > 0 ? "rows with host time"
	                               : "rows with a time";
	totals->aside = on_device && has_operator(run)
	                        ? " (an operator and its kernels have separate rows)"
	                        : "";
	totals->time = on_device ? "of device time" : "of host time";
	totals->unstated = on_device && !(device_ms > 0);
}

/* Returns the number of calls in a group of figures, as the run states it or by totals and means;
 * 0: rows are missing. */
static double count_calls_of(const struct weir_run *run, const char *group)
{
	struct weir_text name = {0};
	double stated, total, count = 0;

	weir_text_printf(&name, "%scount", group);
	stated = metric_of(run, name.data);
	weir_text_clear(&name);
	weir_text_printf(&name, "%stotal_ns", group);
	total = metric_of(run, name.data);
	for (size_t m = 0; !(stated > 0) && isnan(total) && m < run->metrics.count; m++) {
		const struct weir_series *series = &run->metrics.items[m];
		struct weir_slice mean = weir_slice_of(series->name);

		if (!weir_slice_starts(mean, group) || !weir_slice_ends(mean, "/mean_ns"))
			continue;
		weir_text_clear(&name);
		weir_text_add(&name, mean.data, mean.length - strlen("mean_ns"));
		weir_text_puts(&name, "total_ns");
		if (weir_mean(series->value, series->count) > 0 && metric_of(run, name.data) > 0)
			count += round(metric_of(run, name.data) /
			               weir_mean(series->value, series->count));
	}
	weir_text_release(&name);
	return stated > 0 ? stated : count;
}

static double count_calls(const struct weir_report *report, const char *group)
{
	double count = 0;

	for (size_t i = 0; i < report->profile->input_count; i++)
		if (report->profile->inputs[i].run)
			count += count_calls_of(report->profile->inputs[i].run, group);
	return count;
}

/* Names the rows of a table of operators as its tool does. */
static void name_operators(const struct weir_input *input, struct totals *totals)
{
	if (input->format && strcmp(input->format, "trtexec") == 0) {
		totals->things = "layers";
		totals->means = weir_run_label(input->run, "iterations");
	} else if (input->format && strcmp(input->format, "tfprof") == 0) {
		totals->time = "of execution time, on host and accelerator";
	}
}

static void collect_totals(const struct weir_report *report, struct totals *totals)
{
	double stated_ns = 0;

	*totals = (struct totals){.things = "operators",
	                          .time = "of GPU time",
	                          .aside = "",
	                          .copies_ns = NAN,
	                          .memsets_ns = NAN};
	if (report->profile->input_count == 1 && weir_is_key_averages(report->profile->inputs)) {
		add_key_averages(report->profile->inputs->run, totals);
		return;
	}
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		for (size_t m = 0;
		     run && divides_time(&report->profile->inputs[i]) && m < run->operators.count;
		     m++)
			add_total(totals, weir_slice_of(run->operators.items[m].name),
			          weir_mean(run->operators.items[m].value,
			                    run->operators.items[m].count));
		if (run && metric_of(run, "operators/total_ns") > 0)
			stated_ns += metric_of(run, "operators/total_ns");
		if (run)
			name_operators(&report->profile->inputs[i], totals);
	}
	if (totals->count) {
		totals->ns = fmax(totals->ns, stated_ns); /* a file may lack rows */
		return;
	}
	add_figures(report, totals, "kernels/");
	totals->things = "kernels";
	if (totals->count) {
		totals->time = "of kernel time"; /* a table may hold copies beside it */
		return;
	}
	add_figures(report, totals, "calls/");
	totals->calls = count_calls(report, totals->count ? "calls/" : "os_calls/");
	if (!totals->count)
		add_figures(report, totals, "os_calls/");
	totals->things = "host functions";
	totals->time = "that host API calls take";
	totals->on_host =
		totals->count > 0 && !(totals->copies_ns > 0) && !(totals->memsets_ns > 0);
	if (!totals->count)
		collect_moves(report, totals);
}

/* Cuts the names of the largest rows so that they stay distinct. Returns their number. */
static size_t cut_totals(const struct totals *totals, struct weir_text cut[LISTED_TOTALS])
{
	size_t listed = totals->count < LISTED_TOTALS ? totals->count : LISTED_TOTALS;
	struct weir_slice names[LISTED_TOTALS] = {{"", 0}};

	for (size_t i = 0; i < listed; i++)
		names[i] = totals->largest[i].name;
	weir_cut_names_distinct(names, listed, NAME_COLUMNS, cut);
	return listed;
}

/* Appends copies or memsets if they take longer than all rows. */
static void put_longer(const struct totals *totals, const char *what, double ns,
                       struct weir_text *out)
{
	if (!(ns > totals->ns))
		return;
	weir_text_printf(out, "%s take ", what);
	weir_text_duration(out, ns);
	weir_text_printf(out, ", longer than all %s together; ", totals->things);
}

/* Appends the times of copies and memsets to the list of the largest rows. */
static void put_beside(const struct totals *totals, struct weir_text *out)
{
	bool copies = totals->copies_ns > 0, memsets = totals->memsets_ns > 0;

	if (copies) {
		weir_text_puts(out, "; beside them copies take ");
		weir_text_duration(out, totals->copies_ns);
	}
	if (memsets) {
		weir_text_puts(out, copies ? " and memsets " : "; beside them memsets take ");
		weir_text_duration(out, totals->memsets_ns);
	}
}

/* Appends the largest row and its share, behind copies that take longer than all rows. A headline
 * is a template. */
static void put_headline(const struct totals *totals, const struct weir_text *name,
                         struct weir_text *out)
{
	put_longer(totals, "copies", totals->copies_ns, out);
	put_longer(totals, "memsets", totals->memsets_ns, out);
	weir_template_quote(name->data ? name->data : "?", out);
	weir_text_puts(out, " holds ");
	weir_text_share(out, totals->largest[0].ns / totals->ns);
	weir_text_puts(out, " of the ");
	weir_text_duration(out, totals->ns);
	weir_text_printf(out, " %s; %s", totals->time,
	                 totals->on_host ? "the table holds no work of a device"
	                                 : "totals do not show what limits it, nor what the "
	                                   "device waits for");
}

/* Appends the calls of the rows, the rows without time, and the iterations of a mean. */
static void put_counts(const struct totals *totals, struct weir_text *out)
{
	if (totals->calls > 0)
		weir_text_printf(out, " (%.0f call%s)", totals->calls,
		                 totals->calls > 1 ? "s" : "");
	if (totals->idle)
		weir_text_printf(out, " (%zu with a time of 0)", totals->idle);
	if (totals->means)
		weir_text_printf(out, ", means of %s iterations", totals->means);
}

/* Notes the counters of kernels that a table holds beside their times. */
static void note_counters(struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		if (run && divides_time(&report->profile->inputs[i]) &&
		    weir_run_label(run, "counters"))
			weir_report_note(report, "counters",
			                 "counters of the kernels are left out: %s; to read them, "
			                 "the profiler runs one kernel at a time, so that times of "
			                 "kernels count, but neither gaps nor overlap",
			                 weir_run_label(run, "counters"));
	}
}

/* Notes rows that are no shares because the table does not state their total. Returns true if the
 * row with the most device time is the headline. */
static bool explain_unstated(struct weir_report *report, const struct totals *totals)
{
	struct weir_text headline = {0}, cut[LISTED_TOTALS] = {{0}};
	size_t listed;

	weir_report_note(report, "totals",
	                 "%s in the table: %zu; it does not state the time of all", totals->things,
	                 totals->count);
	if (!totals->unstated)
		return false;
	listed = cut_totals(totals, cut);
	weir_template_quote(cut[0].data ? cut[0].data : "?", &headline);
	weir_text_puts(&headline, " has the most device time of the rows in the table, ");
	weir_text_duration(&headline, totals->largest[0].ns);
	weir_text_puts(&headline, "; the table does not state the device time of the run");
	report->verdict.headline = weir_keep_line(report, &headline);
	report->verdict.next = "print the whole table with its last lines, which state the totals: "
			       "table(row_limit=-1)";
	for (size_t i = 0; i < listed; i++)
		weir_text_release(&cut[i]);
	return true;
}

/* Makes the largest row of the tables the headline, and notes the next ones. Returns false if there
 * are no tables, or their time is not known. */
static bool explain_totals(struct weir_report *report)
{
	struct weir_text headline = {0}, list = {0}, calls = {0}, cut[LISTED_TOTALS] = {{0}};
	struct totals totals;
	size_t listed;

	collect_totals(report, &totals);
	if (!totals.count)
		return false;
	note_counters(report);
	if (!(totals.ns >= totals.largest[0].ns))
		return explain_unstated(report, &totals);
	listed = cut_totals(&totals, cut);
	put_headline(&totals, &cut[0], &headline);
	report->verdict.headline = weir_keep_line(report, &headline);
	for (size_t i = 0; i < listed; i++) {
		weir_text_printf(&list, "%s%s ", i ? ", " : "", cut[i].data ? cut[i].data : "?");
		weir_text_share(&list, totals.largest[i].ns / totals.ns);
		weir_text_release(&cut[i]);
	}
	put_beside(&totals, &list);
	put_counts(&totals, &calls);
	weir_report_note(report, totals.on_host ? "calls" : "totals",
	                 "%s in the table: %zu%s; most of the time: %s%s", totals.things,
	                 totals.count + totals.idle, calls.data ? calls.data : "", list.data,
	                 totals.aside);
	weir_text_release(&calls);
	weir_text_release(&list);
	if (totals.on_host && weir_recording_of(report)->device)
		report->verdict.next = weir_recording_of(report)->device;
	return true;
}

/* Notes the totals of a table of the PyTorch profiler, and the rows with the most time of the host
 * in a table with device time. */
static void note_host_rows(struct weir_report *report)
{
	struct totals rows = {.count = 0};
	struct weir_text list = {0}, cut[LISTED_TOTALS] = {{0}};
	const struct weir_run *run;
	double host_ms, device_ms;
	size_t listed;

	if (report->profile->input_count != 1 || !weir_is_key_averages(report->profile->inputs))
		return;
	run = report->profile->inputs->run;
	host_ms = metric_of(run, "self_host_time_total_ms");
	device_ms = metric_of(run, "self_device_time_total_ms");
	for (size_t m = 0; m < run->metrics.count; m++)
		add_figure(&rows, &run->metrics.items[m], "host/");
	listed = cut_totals(&rows, cut);
	weir_text_puts(&list, host_ms > 0 ? "host time of all rows " : "");
	if (host_ms > 0)
		weir_text_duration(&list, host_ms * 1e6);
	if (device_ms > 0) {
		weir_text_puts(&list, list.length ? ", device time " : "device time of all rows ");
		weir_text_duration(&list, device_ms * 1e6);
	}
	for (size_t i = 0; i < listed; i++) {
		weir_text_printf(&list, "%s%s ",
		                 i ? ", " : "; most host time: ", cut[i].data ? cut[i].data : "?");
		weir_text_duration(&list, rows.largest[i].ns);
		weir_text_release(&cut[i]);
	}
	if (list.length)
		weir_report_note(report, "host_rows", "%s", list.data);
	weir_text_release(&list);
}

bool weir_explain_stated_totals(struct weir_report *report)
{
	bool explained = explain_totals(report);

	note_host_rows(report);
	return explained;
}
