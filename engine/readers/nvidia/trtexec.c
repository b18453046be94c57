/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of TensorRT's trtexec: the times of its queries (--exportTimes), the times of an engine's
 * layers (--exportProfile), and the summary in its log.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/nvidia/trtexec.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

enum { TIMES, LAYERS, LOG };

static const struct weir_mark marks[] = {
	[TIMES] = {.first = "[", .keys = {{"computeMs", "latencyMs"}, .all = 2}},
	/* The first object may hold nothing but a count. */
	[LAYERS] = {.first = "[",
                    .keys = {{"count", "name", "timeMs", "averageMs"}, .any = 4},
                    .texts = {{"\"averageMs\"", "\"timeMs\""}, .all = 2}},
	[LOG] = {.first = "",
                 .texts = {{"] [I] === Performance summary ===", "] [I] === Trace details ===",
                            "] [I] TensorRT version:", "] [I] GPU Compute Time: ",
                            "] [I] Throughput: ", "] [I] === Profile ("},
                           .any = 6}},
	{.first = "{[",
         .keys = {{"Layers", "Bindings"}, .all = 2},
         .refusal = "it lists the layers of a TensorRT engine, which have no times: pass what "
                    "trtexec writes with --exportProfile or --exportTimes"},
	{0},
};

struct layer {
	struct weir_text name;
	double average_ms;
};

static double number(struct weir_slice text)
{
	double value;

	return text.length && weir_parse_double(text.data, text.length, &value) ? value : NAN;
}

static void read_layer(struct weir_jsoncursor *cursor, struct weir_text *scratch,
                       struct layer *layer)
{
	struct weir_slice key;

	weir_text_clear(&layer->name);
	layer->average_ms = NAN;
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice text = weir_jsoncursor_scalar(cursor);

		if (weir_slice_equals(key, "name")) {
			text = weir_jsoncursor_decode(text, scratch, NULL);
			weir_text_add(&layer->name, text.data, text.length);
		} else if (weir_slice_equals(key, "averageMs")) {
			layer->average_ms = number(text);
		}
	}
}

void weir_trtexec_add_layer(struct weir_input *input, struct weir_slice name, double average_ms,
                            uint64_t at)
{
	struct weir_series_table *operators = &input->run->operators;
	struct weir_series *series;
	struct weir_text text = {0};

	if (!isfinite(average_ms) || average_ms < 0) {
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	if (operators->count >= WEIR_FIGURE_MAX)
		return;
	weir_text_add(&text, name.data, name.length);
	series = weir_series_get(operators, text.data);
	if (!series->count)
		weir_series_push(series, 0);
	series->value[0] += average_ms * 1e6;
	weir_text_release(&text);
}

static enum weir_status read_layers(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct weir_text scratch = {0};
	struct layer layer = {0};
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	input->run = weir_run_new();
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		read_layer(&cursor, &scratch, &layer);
		weir_records_done(records, &cursor);
		if (cursor.bad || !layer.name.length) /* the count of iterations has no name */
			continue;
		input->events++;
		weir_trtexec_add_layer(input,
		                       (struct weir_slice){layer.name.data, layer.name.length},
		                       layer.average_ms, record.at);
	}
	if (!status)
		weir_records_finish(records);
	weir_records_free(records);
	weir_text_release(&layer.name);
	weir_text_release(&scratch);
	if (!status && !input->run->operators.count)
		return weir_fail(err, WEIR_E_EMPTY, "no layer with a time in it");
	return status;
}

static enum weir_status read_trtexec(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (weir_mark_bits(&marks[TIMES], head, len)) {
		input->gives = "requests, native run";
		return weir_trtexec_times(source, input, err);
	}
	if (weir_sniff_first(head, len) == '[' && !weir_mark_bits(&marks[LOG], head, len))
		return read_layers(source, input, err);
	return weir_trtexec_log(source, input, err);
}

const struct weir_reader weir_reader_trtexec = {
	.name = "trtexec",
	.title = "results of TensorRT's trtexec: times of queries, of layers, its log",
	.gives = "native run",
	.marks = marks,
	.read = read_trtexec,
};
