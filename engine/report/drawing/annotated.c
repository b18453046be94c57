/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Chrome trace for Perfetto: device work, host calls, launches as flows between them, counters
 * and the tracks of the analysis, with a process for each rank and a thread for each track. Times
 * count from the first span. */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/jsonout.h"
#include "engine/report/plain/escape.h"
#include "engine/report/writer.h"

static void write_text(struct weir_jsonout *json, const char *key, const char *name)
{
	struct weir_text plain = {0};

	weir_escape_name(&plain, name);
	weir_jsonout_text(json, key, plain.data);
	weir_text_release(&plain);
}

/* Writes "process_name" of a rank, or "thread_name" and the position of a track. */
static void write_label(struct weir_jsonout *json, const char *what, int64_t pid, int64_t tid,
                        const char *name)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "ph", "M");
	weir_jsonout_text(json, "name", what);
	weir_jsonout_int(json, "pid", pid);
	weir_jsonout_int(json, "tid", tid);
	weir_jsonout_begin_object(json, "args");
	if (name)
		write_text(json, "name", name);
	else
		weir_jsonout_int(json, "sort_index", tid);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

/* Returns a process id above 0 for the rank, since viewers ignore process 0. */
static int64_t pid_of_rank(int64_t rank)
{
	return rank < INT64_MAX ? rank + 1 : INT64_MAX;
}

static int64_t pid_of(const struct weir_detail_track *track)
{
	return pid_of_rank(track->rank);
}

static void write_tracks(const struct weir_detail *detail, struct weir_jsonout *json)
{
	for (size_t i = 0; i < detail->track_count; i++) {
		const struct weir_detail_track *track = &detail->tracks[i];
		struct weir_text name = {0};

		weir_text_printf(&name, "rank %" PRId64, track->rank);
		if (i == 0 || track->rank != detail->tracks[i - 1].rank)
			write_label(json, "process_name", pid_of(track), 0, name.data);
		write_label(json, "thread_name", pid_of(track), (int64_t)i + 1, track->name);
		write_label(json, "thread_sort_index", pid_of(track), (int64_t)i + 1, NULL);
		weir_text_release(&name);
	}
}

static const char *const categories[WEIR_DETAIL_KIND_COUNT] = {
	[WEIR_DETAIL_STEPS] = "step",         [WEIR_DETAIL_STAGES] = "stage",
	[WEIR_DETAIL_PATH] = "critical path", [WEIR_DETAIL_IDLE] = "idle",
	[WEIR_DETAIL_WAITS] = "collective",   [WEIR_DETAIL_WORK] = "device",
	[WEIR_DETAIL_HOST] = "host",
};

/* Key under which the note of a span is written, by kind of track. */
static const char *const note_keys[WEIR_DETAIL_KIND_COUNT] = {
	[WEIR_DETAIL_STEPS] = "state",      [WEIR_DETAIL_STAGES] = "note",
	[WEIR_DETAIL_PATH] = "kind",        [WEIR_DETAIL_IDLE] = "note",
	[WEIR_DETAIL_WAITS] = "collective", [WEIR_DETAIL_WORK] = "operator",
	[WEIR_DETAIL_HOST] = "note",
};

static void write_verdict(const struct weir_stage_row *stage, bool is_stage,
                          struct weir_jsonout *json)
{
	write_text(json, "stage", stage->name);
	if (!is_stage)
		return;
	weir_jsonout_text(json, "bound", weir_bound_name(stage->verdict.bound));
	if (stage->verdict.cause)
		write_text(json, "cause", stage->verdict.cause);
	weir_jsonout_share(json, "share_of_bound", stage->verdict.share);
}

/* Writes a difference of times in microseconds with three decimals, computed from integers: a
 * double would round the times of long runs. */
static void write_us(const char *key, int64_t from_ns, int64_t to_ns, struct weir_text *out)
{
	uint64_t ns = to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;

	weir_text_printf(out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void write_span(const struct weir_report *report, const struct weir_detail_span *span,
                       int64_t origin_ns, struct weir_text *out)
{
	const struct weir_detail_track *track = &report->detail->tracks[span->track];
	struct weir_jsonout json;
	struct weir_text name = {0};

	weir_escape_name(&name, span->name);
	weir_text_printf(out,
	                 ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRIu32,
	                 categories[track->kind], pid_of(track), span->track + 1);
	write_us("ts", origin_ns, span->start_ns, out);
	write_us("dur", span->start_ns, span->end_ns, out);
	weir_text_puts(out, ",\"name\":");
	weir_jsonout_init(&json, out, false);
	weir_jsonout_text(&json, NULL, name.data);
	weir_text_puts(out, ",\"args\":");
	weir_jsonout_init(&json, out, false);
	weir_jsonout_begin_object(&json, NULL);
	if (span->note)
		write_text(&json, note_keys[track->kind], span->note);
	if (span->stage < report->stage_count)
		write_verdict(&report->stages[span->stage], track->kind == WEIR_DETAIL_STAGES,
		              &json);
	weir_jsonout_end(&json);
	weir_text_puts(out, "}");
	weir_text_release(&name);
}

/* ---- launches ---- */

/* Returns the number of spans of each launch, up to 255, by its number. The caller frees it. */
static uint8_t *count_ends(const struct weir_detail *detail)
{
	uint8_t *ends = weir_alloc((size_t)detail->flow_count + 1);

	for (size_t i = 0; i < detail->span_count; i++)
		if (detail->spans[i].flow <= detail->flow_count &&
		    ends[detail->spans[i].flow] < UINT8_MAX)
			ends[detail->spans[i].flow]++;
	return ends;
}

/* Writes a launch as a flow from the begin of the call to the begin of the work, unless the limit
 * of spans took one of them. */
static void write_flows(const struct weir_detail *detail, int64_t origin_ns, struct weir_text *out)
{
	uint8_t *ends = count_ends(detail);

	for (size_t i = 0; i < detail->span_count; i++) {
		const struct weir_detail_span *span = &detail->spans[i];
		const struct weir_detail_track *track = &detail->tracks[span->track];
		bool begins = track->kind == WEIR_DETAIL_HOST;

		if (span->flow == 0 || span->flow > detail->flow_count || ends[span->flow] != 2)
			continue;
		weir_text_printf(
			out,
			",\n{\"ph\":\"%s\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":%" PRIu32
			",\"pid\":%" PRId64 ",\"tid\":%" PRIu32 "%s",
			begins ? "s" : "f", span->flow, pid_of(track), span->track + 1,
			begins ? "" : ",\"bp\":\"e\"");
		write_us("ts", origin_ns, span->start_ns, out);
		weir_text_puts(out, "}");
	}
	free(ends);
}

/* ---- counters ---- */

static void write_value(const struct weir_detail_counter *counter, size_t window, int64_t origin_ns,
                        struct weir_text *out)
{
	int64_t at_ns = counter->start_ns + (int64_t)window * counter->width_ns;
	struct weir_jsonout json;

	weir_text_puts(out, ",\n{\"ph\":\"C\",\"name\":");
	weir_jsonout_init(&json, out, false);
	weir_jsonout_text(&json, NULL, counter->name);
	weir_text_printf(out, ",\"pid\":%" PRId64 ",\"tid\":0", pid_of_rank(counter->rank));
	write_us("ts", origin_ns, at_ns, out);
	weir_text_puts(out, ",\"args\":");
	weir_jsonout_init(&json, out, false);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_share(&json, counter->unit,
	                   window < WEIR_DETAIL_WINDOWS ? counter->value[window] : 0);
	weir_jsonout_end(&json);
	weir_text_puts(out, "}");
}

/* Writes the values of each window that differ from the one before, and 0 after the last. */
static void write_counters(const struct weir_detail *detail, int64_t origin_ns,
                           struct weir_text *out)
{
	for (size_t c = 0; c < detail->counter_count; c++) {
		const struct weir_detail_counter *counter = &detail->counters[c];

		for (size_t i = 0; i <= WEIR_DETAIL_WINDOWS; i++)
			if (i == 0 || i == WEIR_DETAIL_WINDOWS ||
			    counter->value[i] > counter->value[i - 1] ||
			    counter->value[i] < counter->value[i - 1])
				write_value(counter, i, origin_ns, out);
	}
}

static void write_other(const struct weir_report *report, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, false);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "writer", "weir");
	weir_jsonout_text(&json, "bound", weir_bound_name(report->verdict.bound));
	if (report->verdict.cause)
		write_text(&json, "cause", report->verdict.cause);
	weir_jsonout_int(&json, "spans_left_out",
	                 report->detail ? (int64_t)report->detail->left_out : 0);
	weir_jsonout_end(&json);
}

/* Writes the labels of tracks without the "]", so that each span begins with a comma. */
static void write_head(const struct weir_detail *detail, struct weir_text *out)
{
	struct weir_jsonout json;
	struct weir_text events = {0};

	weir_jsonout_init(&json, &events, false);
	weir_jsonout_begin_array(&json, NULL);
	if (detail)
		write_tracks(detail, &json);
	weir_jsonout_end(&json);
	weir_text_add(out, events.data, events.length - 1); /* the "]" follows the spans */
	weir_text_release(&events);
}

void weir_write_annotated(const struct weir_report *report,
                          const struct weir_write_options *options, struct weir_text *out)
{
	const struct weir_detail *detail = report->detail;
	int64_t origin_ns = INT64_MAX;

	(void)options;
	weir_text_puts(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":");
	write_other(report, out);
	weir_text_puts(out, ",\n\"traceEvents\":");
	write_head(detail, out);
	for (size_t i = 0; detail && i < detail->span_count; i++)
		if (detail->spans[i].start_ns < origin_ns)
			origin_ns = detail->spans[i].start_ns;
	for (size_t i = 0; detail && i < detail->span_count; i++)
		write_span(report, &detail->spans[i], origin_ns, out);
	if (detail) {
		write_flows(detail, origin_ns, out);
		write_counters(detail, origin_ns, out);
	}
	weir_text_puts(out, "\n]}\n");
}
