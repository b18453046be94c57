/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of the PyTorch profiler (Kineto), 1.8 to today, from NVIDIA, AMD, Intel, MTIA devices or
 * the host alone. */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const char *const object_keys[] = {"traceEvents", "schemaVersion", "deviceProperties", NULL};
static const char *const event_keys[] = {"ph", "cat", "ts", NULL};

/* What only the PyTorch profiler writes must show: traces of others are read as plain Chrome
 * traces. */
static int sniff(const char *head, size_t len)
{
	char first = weir_sniff_first(head, len);
	unsigned found;
	int bits, own;

	if (first != '{' && first != '[')
		return 0;
	found = weir_sniff_keys(head, len, first == '{' ? object_keys : event_keys);
	if (!(found & (first == '{' ? 3 : 1)))
		return 0;
	bits = weir_sniff_bits(found, first == '{' ? object_keys : event_keys);
	own = weir_kineto_sniff(head, len);
	return own || (first == '{' && found & 6) ? bits + own : 0;
}

static const struct weir_mark marks[] = {
	{.first = "{[",
         .keys = {{"schema", "nodes"}, .all = 2},
         .refusal = "it is a PyTorch execution trace: it holds no times; pass the trace of "
                    "torch.profiler"},
	{0},
};

static void read_element(struct kineto_reader *reader, struct weir_jsonscan *scan,
                         const struct weir_jsonscan_item *item)
{
	switch (weir_kineto_event_read(&reader->keys, item, &reader->event)) {
	case KINETO_READ_BROKEN:
		weir_jsonscan_reject(scan);
		return;
	case KINETO_READ_OTHER:
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element that is no object");
		return;
	case KINETO_READ_EVENT:
		if (reader->event.sloppy)
			weir_input_warn(reader->input, WEIR_WARN_REPAIRED_TEXT, item->at,
			                "empty members");
		reader->input->events++;
		reader->dialect->emit(reader);
		return;
	}
}

static enum weir_status read_items(struct kineto_reader *reader, struct weir_jsonscan *scan,
                                   struct weir_error *err)
{
	struct weir_jsonscan_item item;
	enum weir_status status;

	for (;;) {
		status = weir_jsonscan_next(scan, &item, err);
		if (status || item.kind == WEIR_JSONSCAN_END || reader->legacy)
			return status;
		if (item.kind == WEIR_JSONSCAN_MEMBER)
			weir_kineto_head_member(reader, &item);
		else
			read_element(reader, scan, &item);
	}
}

/* Writers of spring 2024 printed 47 ns as ".47"; no writer but them mixes short fractions with ones
 * that end in 0. */
static void check_fractions(struct kineto_reader *reader)
{
	if (reader->input->trace->base_ns || !reader->unpadded || !reader->padded)
		return;
	weir_input_warn(reader->input, WEIR_WARN_FRACTION_PADDING, UINT64_MAX, NULL);
	reader->input->warnings[WEIR_WARN_FRACTION_PADDING].count = reader->unpadded;
}

enum weir_status weir_kineto_check_legacy(const struct kineto_reader *reader,
                                          struct weir_error *err)
{
	if (!reader->legacy)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "a trace of the profiler that PyTorch had before 1.8.1 (or "
	                 "use_kineto=False): it names no launches; record it with "
	                 "torch.profiler.profile");
}

enum weir_status weir_kineto_nothing_left(const struct kineto_reader *reader,
                                          struct weir_error *err)
{
	if (reader->first_problem[0])
		return weir_fail(err, WEIR_E_EMPTY, "%s; no event with a time is left",
		                 reader->first_problem);
	if (reader->input->warnings[WEIR_WARN_TRUNCATED].count)
		return weir_fail(
			err, WEIR_E_EMPTY,
			"cut off or damaged before its first complete event: record it again");
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no events with times in this trace (%" PRIu64
	                 " read); was the profiler stopped before it was exported?",
	                 reader->input->events);
}

static enum weir_status conclude(struct kineto_reader *reader, struct weir_error *err)
{
	const struct weir_input *input = reader->input;
	const char *first = input->warnings[WEIR_WARN_UNKNOWN_CATEGORY].detail;
	struct weir_trace *trace = input->trace;
	enum weir_status status = weir_kineto_check_legacy(reader, err);

	if (status)
		return status;
	if (!reader->known && !reader->head && input->events)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "a Chrome trace, but none of its %" PRIu64
		                 " events has a category of the PyTorch "
		                 "profiler%s%s%s",
		                 input->events, *first ? " (the first: " : "", first,
		                 *first ? ")" : "");
	if (!reader->timed)
		return weir_kineto_nothing_left(reader, err);
	trace->has_shapes |= trace->shape_count > 1;
	trace->has_memory |= trace->memory_count > 0;
	check_fractions(reader);
	if (reader->agents)
		weir_builder_match_devices_by_order(reader->builder);
	return weir_builder_finish(reader->builder, err);
}

enum weir_status weir_kineto_read(const struct kineto_dialect *dialect, void *context,
                                  struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	const struct weir_jsonscan_options options = {.array = "traceEvents",
	                                              .arrays = dialect->arrays};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	struct kineto_reader *reader = weir_alloc(sizeof(*reader));
	enum weir_status status;

	reader->dialect = dialect;
	reader->context = context;
	reader->input = input;
	reader->builder = weir_builder_new(input);
	weir_kineto_keys_init(&reader->keys, dialect->args);
	weir_kineto_emit_init(reader);
	weir_kineto_head_init(reader);
	status = read_items(reader, scan, err);
	if (!status) {
		weir_damage_of_scan(input, scan, source);
		status = dialect->conclude(reader, err);
	}
	weir_builder_free(reader->builder);
	weir_text_release(&reader->scratch);
	free(reader);
	weir_jsonscan_free(scan);
	return status;
}

static enum weir_status read_trace(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct kineto_dialect dialect = {.emit = weir_kineto_emit,
	                                              .conclude = conclude};

	return weir_kineto_read(&dialect, NULL, source, input, err);
}

const struct weir_reader weir_reader_kineto = {
	.name = "kineto",
	.title = "PyTorch profiler traces (Kineto, Chrome trace JSON; plain, gzip or zstd)",
	.gives = "timeline",
	.marks = marks,
	.sniff = sniff,
	.read = read_trace,
};
