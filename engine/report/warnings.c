/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/escape.h"
#include "engine/report/warnings.h"

struct warning_text {
	const char *code;
	const char *one;  /* the whole sentence for one of them, or for any number where `many` is
	                     NULL */
	const char *many; /* what follows the count; NULL: the count says nothing to people */
};

static const struct warning_text warning_texts[WEIR_WARN_COUNT] = {
	[WEIR_WARN_TRUNCATED] = {"truncated",
                                 "the input ends in the middle; what was there is used", NULL},
	[WEIR_WARN_REPAIRED_TEXT] = {"repaired_text", "1 text with stray bytes was repaired",
                                     "texts with stray bytes were repaired"},
	[WEIR_WARN_BAD_NUMBER] = {"bad_number", "1 value is no number where one belongs",
                                  "values are no numbers where one belongs"},
	[WEIR_WARN_SKIPPED_EVENT] = {"skipped_event",
                                     "1 element that cannot be read as an event was skipped",
                                     "elements that cannot be read as events were skipped"},
	[WEIR_WARN_TOO_DEEP] = {"too_deep", "1 element is nested beyond the limit and was skipped",
                                "elements are nested beyond the limit and were skipped"},
	[WEIR_WARN_TRAILING] = {"trailing", "bytes after the end of the document were left out",
                                NULL},
	[WEIR_WARN_NO_TIME] = {"no_time", "1 event has no usable time stamp and was left out",
                               "events have no usable time stamp and were left out"},
	[WEIR_WARN_NEGATIVE_DURATION] = {"negative_duration", "1 event lasts less than nothing",
                                         "events last less than nothing"},
	[WEIR_WARN_UNLINKED] = {"unlinked", "1 piece of device work has no launch in the trace",
                                "pieces of device work have no launch in the trace"},
	[WEIR_WARN_LAUNCH_WITHOUT_WORK] = {"launch_without_work",
                                           "1 launch has no device work in the trace",
                                           "launches have no device work in the trace"},
	[WEIR_WARN_STREAM_OVERLAP] =
		{"stream_overlap", "1 piece of device work overlaps its predecessor on its stream",
                 "pieces of device work overlap their predecessor on their stream"},
	[WEIR_WARN_BEFORE_LAUNCH] = {"before_launch",
                                     "1 piece of device work starts over 1 ms before its launch",
                                     "pieces of device work start over 1 ms before their launch"},
	[WEIR_WARN_DUPLICATE_LAUNCH] = {"duplicate_launch",
                                        "1 launch repeats the id of another; the first counts",
                                        "launches repeat the id of another; the first counts"},
	[WEIR_WARN_UNKNOWN_CATEGORY] = {"unknown_category",
                                        "1 event is of a category that is not read",
                                        "events are of a category that is not read"},
	[WEIR_WARN_MISNESTED] = {"misnested",
                                 "1 host range overlaps another without being inside it",
                                 "host ranges overlap others without being inside them"},
	[WEIR_WARN_GRAPH_HIDDEN] =
		{"graph_hidden",
                 "most device time is graph replay, which carries no operator names", NULL},
	[WEIR_WARN_PROFILER_OVERHEAD] = {"profiler_overhead",
                                         "the profiler's own work holds more than 5 % of the span",
                                         NULL},
	[WEIR_WARN_CLOCKS] = {"clocks",
                              "traces of one job share no clock; ranks are not compared in time",
                              NULL},
	[WEIR_WARN_FRACTION_PADDING] =
		{"fraction_padding",
                 "fractions of time stamps may lack leading zeros: times may be off by 1 us", NULL},
	[WEIR_WARN_MERGED_STEPS] = {"merged_steps", "1 step was left out of the steady state",
                                    "steps were left out of the steady state"},
	[WEIR_WARN_FAILED_REQUEST] = {"failed_request", "1 request failed and was left out",
                                      "requests failed and were left out"},
	[WEIR_WARN_THINNED] = {"thinned",
                               "more samples than are kept: an even selection stands for them",
                               NULL},
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

/* " (first at byte 88,120: ts is text)", either part alone, or nothing. */
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
