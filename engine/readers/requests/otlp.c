/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of OpenTelemetry as OTLP JSON: one object, an array of them, or one a line as the
 * Collector's file exporter writes them, plain or in records; the answers of Jaeger's v3 and
 * Tempo's interfaces; the names that fields had before 0.15.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/otlp.h"
#include "engine/readers/requests/span_requests.h"

/* What holds spans, from the outside to the inside, and what else a file of this kind may hold. */
static const char *const entered[] = {
	"result",
	"resourceSpans",
	"resource_spans",
	"batches",
	"scopeSpans",
	"scope_spans",
	"instrumentationLibrarySpans",
	"instrumentation_library_spans",
	"resourceMetrics",
	"resource_metrics",
	"resourceLogs",
	"resource_logs",
	NULL,
};

static bool is_one_of(struct weir_slice key, const char *const *names)
{
	for (; *names; names++)
		if (weir_slice_equals(key, *names))
			return true;
	return false;
}

/* The beginning of an object on the way to the spans. */
static void enter_object(struct otlp_reader *reader, struct weir_slice under)
{
	static const char *const scopes[] = {"scopeSpans", "scope_spans",
	                                     "instrumentationLibrarySpans",
	                                     "instrumentation_library_spans", NULL};
	static const char *const metrics[] = {"resourceMetrics", "resource_metrics", NULL};
	static const char *const logs[] = {"resourceLogs", "resource_logs", NULL};

	if (is_one_of(under, scopes))
		return;
	reader->resource = WEIR_NONE;
	reader->has_metrics |= is_one_of(under, metrics);
	reader->has_logs |= is_one_of(under, logs);
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct otlp_reader *reader = context;
	enum weir_status status = WEIR_OK;
	bool bad = false;

	if (item->kind == WEIR_JSONSCAN_OBJECT)
		enter_object(reader, item->key);
	else if (item->kind == WEIR_JSONSCAN_ELEMENT)
		status = weir_otlp_read_span(reader, item, &bad, err);
	else if (weir_slice_equals(item->key, "resource"))
		weir_otlp_read_resource(reader, item);
	if (!status && bad)
		weir_jsonscan_reject(scan);
	return status;
}

enum weir_status weir_otlp_read_documents(struct otlp_reader *reader, struct weir_source *source,
                                          struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {
		.array = "spans", .enter = entered, .first_key = "traceId"};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status = weir_jsonscan_each(scan, take_item, reader, err);

	if (!status)
		weir_damage_of_scan(reader->spans.input, scan, source);
	weir_jsonscan_free(scan);
	return status;
}

static const char *const span_keys[] = {"resourceSpans", "resource_spans", NULL};

/* Keys that others have as well, and what must be in such a document; metrics and logs may share a
 * file with spans. */
static const struct {
	const char *keys[2], *inside;
} wrappers[] = {
	{{"result"}, "\"resourceSpans\""},
	{{"batches"}, "\"scopeSpans\""},
	{{"batches"}, "\"instrumentationLibrarySpans\""},
	{{"resourceMetrics"}, "\"resourceSpans\""},
	{{"resourceLogs"}, "\"resourceSpans\""},
};

static int sniff(const char *head, size_t len)
{
	char first = weir_sniff_first(head, len);
	int bits = 0;

	if (weir_otlp_framing(head, len))
		return 64;
	if (first != '{' && first != '[')
		return 0;
	bits = weir_sniff_bits(weir_sniff_keys(head, len, span_keys), span_keys);
	for (size_t i = 0; !bits && i < sizeof wrappers / sizeof *wrappers; i++)
		if (weir_sniff_keys(head, len, wrappers[i].keys) &&
		    weir_sniff_contains(head, len, wrappers[i].inside))
			bits = 8 * (int)strlen(wrappers[i].inside);
	return bits;
}

/* What to do about a file without a span. */
static const char *hint_of(const struct otlp_reader *reader)
{
	if (reader->spans.input->warnings[WEIR_WARN_TRUNCATED].count)
		return "it is cut off before its first span: export it again";
	if (reader->has_metrics)
		return "it holds OpenTelemetry metrics: expected traces (resourceSpans)";
	if (reader->has_logs)
		return "it holds OpenTelemetry logs: expected traces (resourceSpans)";
	return "expected traces of OpenTelemetry: resourceSpans with scopeSpans with spans";
}

static enum weir_status read_otlp(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct otlp_reader *reader = weir_alloc(sizeof *reader);
	enum otlp_framing framing = OTLP_UNFRAMED;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (!status)
		framing = weir_otlp_framing(head, len);
	weir_spans_init(&reader->spans, input, 0);
	weir_otlp_span_init(reader);
	if (!status)
		status = framing ? weir_otlp_read_records(reader, source, framing, err)
		                 : weir_otlp_read_documents(reader, source, err);
	if (!status)
		status = weir_span_requests_build(&reader->spans, hint_of(reader), err);
	weir_spans_release(&reader->spans);
	weir_text_release(&reader->name);
	weir_text_release(&reader->stage);
	free(reader);
	return status;
}

const struct weir_reader weir_reader_otlp = {
	.name = "otlp",
	.title = "OpenTelemetry traces (OTLP JSON; one object, JSON lines, file exporter, Tempo)",
	.gives = "requests",
	.sniff = sniff,
	.read = read_otlp,
};
