/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"
#include "engine/report/words/warnings.h"

struct warning_text {
	const char *code;
	const char *one;  /* sentence for one occurrence; for any number if `many` is NULL */
	const char *many; /* sentence after the count; NULL: the count is not shown */
};

static const struct warning_text warning_texts[WEIR_WARN_COUNT] = {
	[WEIR_WARN_TRUNCATED] = {"truncated",
                                 "the input is truncated; the part before the cut is used", NULL},
	[WEIR_WARN_REPAIRED_TEXT] = {"repaired_text", "1 text with invalid bytes was repaired",
                                     "texts with invalid bytes were repaired"},
	[WEIR_WARN_BAD_NUMBER] = {"bad_number", "1 value is not a finite number",
                                  "values are not finite numbers"},
	[WEIR_WARN_SKIPPED_EVENT] = {"skipped_event",
                                     "1 element that cannot be read as an event was skipped",
                                     "elements that cannot be read as events were skipped"},
	[WEIR_WARN_TOO_DEEP] = {"too_deep", "1 element is nested beyond the limit and was skipped",
                                "elements are nested beyond the limit and were skipped"},
	[WEIR_WARN_TRAILING] = {"trailing", "bytes after the end of the document were left out",
                                NULL},
	[WEIR_WARN_NO_TIME] = {"no_time", "1 event has no usable time stamp and was left out",
                               "events have no usable time stamp and were left out"},
	[WEIR_WARN_NEGATIVE_DURATION] = {"negative_duration", "1 event has a negative duration",
                                         "events have negative durations"},
	[WEIR_WARN_UNLINKED] = {"unlinked", "1 device event has no launch in the trace",
                                "device events have no launch in the trace"},
	[WEIR_WARN_LAUNCH_WITHOUT_WORK] = {"launch_without_work",
                                           "1 launch has no device work in the trace",
                                           "launches have no device work in the trace"},
	[WEIR_WARN_STREAM_OVERLAP] =
		{"stream_overlap", "1 device event overlaps its predecessor on the same stream",
                 "device events overlap their predecessors on the same stream"},
	[WEIR_WARN_BEFORE_LAUNCH] = {"before_launch",
                                     "1 device event starts more than 1 ms before its launch",
                                     "device events start more than 1 ms before their launch"},
	[WEIR_WARN_DUPLICATE_LAUNCH] = {"duplicate_launch",
                                        "1 launch repeats the id of another; the first one is used",
                                        "launches repeat the id of another; the first one is used"},
	[WEIR_WARN_UNKNOWN_CATEGORY] = {"unknown_category",
                                        "1 event of an unknown category was ignored",
                                        "events of unknown categories were ignored"},
	[WEIR_WARN_MISNESTED] = {"misnested", "1 host range partly overlaps another",
                                 "host ranges partly overlap others"},
	[WEIR_WARN_GRAPH_HIDDEN] =
		{"graph_hidden",
                 "most device time is graph replay, which carries no operator names", NULL},
	[WEIR_WARN_PROFILER_OVERHEAD] = {"profiler_overhead",
                                         "the profiler's own work takes more than 5 % of the span",
                                         NULL},
	[WEIR_WARN_CLOCKS] = {"clocks",
                              "the traces of this job have no common clock; arrival times of ranks "
                              "are not compared",
                              NULL},
	[WEIR_WARN_FRACTION_PADDING] =
		{"fraction_padding",
                 "fractions of time stamps may lack leading zeros: times may be off by 1 us", NULL},
	[WEIR_WARN_MERGED_STEPS] = {"merged_steps", "1 step was excluded from the steady state",
                                    "steps were excluded from the steady state"},
	[WEIR_WARN_FAILED_REQUEST] = {"failed_request", "1 request failed and was left out",
                                      "requests failed and were left out"},
	[WEIR_WARN_THINNED] = {"thinned", "too many samples: an evenly spaced subset is kept",
                               NULL},
	[WEIR_WARN_DUPLICATE] = {"duplicate", "1 repeated element was left out",
                                 "repeated elements were left out"},
	[WEIR_WARN_ORPHAN_SPAN] = {"orphan_span",
                                   "1 span names a missing parent and is treated as a root",
                                   "spans name missing parents and are treated as roots"},
	[WEIR_WARN_JOINED_SPANS] =
		{"joined_spans",
                 "1 trace is counted as one request although the file lacks its root: its spans "
                 "without a parent overlap",
                 "traces are counted as one request each although the file lacks their roots: "
                 "their spans without a parent overlap"},
	[WEIR_WARN_SHARED_TRACE] =
		{"shared_trace",
                 "1 trace has several spans without a parent in the file, which are counted as one "
                 "request each: the trace may be a single request, also record its root",
                 "traces have several spans without a parent in the file, which are counted as one "
                 "request each: a trace may be a single request, also record its root"},
	[WEIR_WARN_CLOCK_SKEW] =
		{"clock_skew", "1 span was moved into its parent: the clocks of their hosts differ",
                 "spans were moved into their parents: the clocks of their hosts differ"},
	[WEIR_WARN_COUNTER_RESET] =
		{"counter_reset", "1 counter decreased: the server restarted between the scrapes",
                 "counters decreased: the server restarted between the scrapes"},
	[WEIR_WARN_NEW_SERIES] = {"new_series",
                                  "1 series is only in the second scrape and counts from 0",
                                  "series are only in the second scrape and count from 0"},
	[WEIR_WARN_FORCED_MONOTONIC] = {"forced_monotonic",
                                        "1 histogram with non-cumulative buckets was corrected: it "
                                        "changed during the scrape",
                                        "histograms with non-cumulative buckets were corrected: "
                                        "they changed during the scrape"},
	[WEIR_WARN_RESOLUTION_LIMITED] =
		{"resolution_limited", "1 histogram has buckets too wide to locate its percentiles",
                 "histograms have buckets too wide to locate their percentiles"},
	[WEIR_WARN_UNKNOWN_COLUMN] = {"unknown_column", "1 column is not known and was left out",
                                      "columns are not known and were left out"},
	[WEIR_WARN_ASSUMED_DATE] = {"assumed_date",
                                    "no row shows if the day or the month of its date is first: "
                                    "the day is assumed",
                                    NULL},
	[WEIR_WARN_UNTYPED_METRIC] = {"untyped_metric",
                                      "1 metric has no TYPE line and is read as its series are "
                                      "named, as a histogram or a summary",
                                      "metrics have no TYPE line and are read as their series are "
                                      "named, as histograms or summaries"},
	[WEIR_WARN_ONE_SCRAPE] =
		{"one_scrape",
                 "a single scrape counts from the start of the server: also pass one "
                 "from before the load",
                 NULL},
	[WEIR_WARN_MEANS_ONLY] = {"means_only",
                                  "the file holds means and percentiles but no samples: weir gate "
                                  "compares them without a statistical test",
                                  NULL},
	[WEIR_WARN_INCONSISTENT] =
		{"inconsistent",
                 "1 figure contradicts the others of its file and was recomputed or left out",
                 "figures contradict the others of their file and were recomputed or left out"},
	[WEIR_WARN_CONTRADICTION] = {"contradiction",
                                     "2 figures of the file contradict each other; both are kept",
                                     "pairs of figures of the file contradict each other; all are "
                                     "kept"},
	[WEIR_WARN_LOAD_NOT_REACHED] = {"load_not_reached",
                                        "the load generator did not reach the requested rate: "
                                        "requests waited at the client before they were sent",
                                        NULL},
	[WEIR_WARN_RAGGED_ROW] =
		{"ragged_row", "1 row does not match the columns of its header and was left out",
                 "rows do not match the columns of their header and were left out"},
	[WEIR_WARN_DEVICE_ERROR] = {"device_error", "1 value reports a device error",
                                    "values report device errors"},
	[WEIR_WARN_CLOCK_BACKWARDS] = {"clock_backwards",
                                       "1 row has an earlier time than the row before it",
                                       "rows have earlier times than the rows before them"},
	[WEIR_WARN_UNFINISHED] = {"unfinished", "1 request has no end and was left out",
                                  "requests have no end and were left out"},
	[WEIR_WARN_OF_TOOL] = {"tool_warning",
                               "the program that wrote the file warns of its "
                               "figures",
                               "warnings by the program that wrote the file"},
	[WEIR_WARN_PROGRAM_FAILED] = {"program_failed",
                                      "the program failed while it measured: results may be "
                                      "missing",
                                      "lines say that the program failed while it measured: "
                                      "results may be missing"},
	[WEIR_WARN_FAILED_COUNTED] = {"failed_counted", "the file counts failed requests", NULL},
	[WEIR_WARN_OTHER_PROCESS] =
		{"other_process",
                 "the tables of 1 further process were left out: pass each process in its own file",
                 "further processes have tables that were left out: pass each process in its own "
                 "file"},
	[WEIR_WARN_CUT_VALUE] =
		{"cut_value",
                 "1 value is cut by an ellipsis and was left out: pass a file that the program "
                 "wrote, or print on a wider terminal",
                 "values are cut by an ellipsis and were left out: pass a file that the program "
                 "wrote, or print on a wider terminal"},
	[WEIR_WARN_OTHER_TABLE] = {"other_table",
                                   "1 further table was left out: pass each table in its own file",
                                   "further tables were left out: pass each table in its own file"},
	[WEIR_WARN_OTHER_SAMPLES] = {"other_samples", "1 sample of another event was left out",
                                     "samples of other events were left out"},
	[WEIR_WARN_FRAGMENT] = {"fragment",
                                "the list lacks its brackets: it is read as a part of a profile",
                                NULL},
	[WEIR_WARN_OTHER_TEXT] = {"other_text", "1 line around the output of the tool was left out",
                                  "lines around the output of the tool were left out"},
	[WEIR_WARN_MISSING_ROWS] =
		{"missing_rows",
                 "1 list of the file is cut: the time of all of its rows follows from their shares",
                 "lists of the file are cut: the time of all of their rows follows from the "
                 "shares"},
	[WEIR_WARN_ASYNCHRONOUS] =
		{"asynchronous", "1 asynchronous event, which is no time of a thread, was left out",
                 "asynchronous events, which are no time of a thread, were left out"},
	[WEIR_WARN_ZERO_TIME] = {"zero_time",
                                 "1 time is 0: it is too short for the tool to measure",
                                 "times are 0: they are too short for the tool to measure"},
	[WEIR_WARN_UNNAMED_DEVICES] =
		{"unnamed_devices",
                 "rows with equal or close times name no device and are read as one device: record "
                 "its index as well",
                 "files have rows with equal or close times that name no device and are read as "
                 "one device: record its index as well"},
	[WEIR_WARN_FAILED_MEASUREMENT] = {"failed_measurement",
                                          "1 measurement failed and was left out",
                                          "measurements failed and were left out"},
	[WEIR_WARN_EMPTY_ANSWER] = {"empty_answer",
                                    "1 request was answered without a token and is not among the "
                                    "times: the file states no error "
                                    "for it",
                                    "requests were answered without a token and are not among the "
                                    "times: the file states no error "
                                    "for them"},
};

const char *weir_warning_code_text(enum weir_warning_code code)
{
	return code < WEIR_WARN_COUNT ? warning_texts[code].code : "unknown";
}

bool weir_warning_code_parse(const char *text, enum weir_warning_code *out)
{
	for (int code = 0; code < WEIR_WARN_COUNT; code++) {
		if (strcmp(text, warning_texts[code].code) == 0) {
			*out = (enum weir_warning_code)code;
			return true;
		}
	}
	return false;
}

/* Appends " (first at byte 88,120: ts is text)", or the part of it that is known. */
static void add_place(const struct weir_warning *warning, struct weir_text *out)
{
	bool placed = warning->first_at != UINT64_MAX && warning->first_at != 0;

	if (!placed && !warning->detail[0])
		return;
	weir_text_puts(out, " (");
	if (placed) {
		weir_text_puts(out, warning->count > 1 ? "first at byte " : "at byte ");
		weir_text_count(out, warning->first_at);
	}
	if (placed && warning->detail[0])
		weir_text_puts(out, ": ");
	weir_escape_plain(out, warning->detail);
	weir_text_puts(out, ")");
}

void weir_warning_sentence(const struct weir_warning *warning, enum weir_warning_code code,
                           struct weir_text *out)
{
	const struct warning_text *text;

	if (code >= WEIR_WARN_COUNT)
		return;
	if (warning->message) {
		weir_escape_plain(out, warning->message);
		return;
	}
	text = &warning_texts[code];
	if (warning->count > 1 && text->many) {
		weir_text_count(out, warning->count);
		weir_text_puts(out, " ");
		weir_text_puts(out, text->many);
	} else {
		weir_text_puts(out, text->one);
	}
	add_place(warning, out);
}

void weir_warning_of_input(const struct weir_input *input, enum weir_warning_code code, bool named,
                           struct weir_text *out)
{
	const char *file = input->path ? strrchr(input->path, '/') : NULL;

	if (named && input->path) {
		weir_cut_name(out, file && file[1] ? file + 1 : input->path, WEIR_NAME_COLUMNS);
		weir_text_puts(out, ": ");
	}
	weir_warning_sentence(&input->warnings[code], code, out);
}
