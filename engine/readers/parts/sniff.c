/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/slice.h"
#include "engine/readers/amd/rocprof.h"
#include "engine/readers/monitor/smi.h"
#include "engine/readers/parts/sniff.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

char weir_sniff_first(const char *head, size_t len)
{
	const char *at = skip_blanks(head, head + len);

	return at < head + len ? *at : '\0';
}

enum weir_status weir_sniff_source(struct weir_source *source, char *first, struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*first = status ? '\0' : weir_sniff_first(head, len);
	return status;
}

/* At an opening quote: the quote that closes it, or end. */
static const char *find_quote(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < end;
	return at < end ? at : end;
}

static unsigned match_key(const char *key, size_t length, const char *const *keys)
{
	for (unsigned i = 0; keys[i]; i++)
		if (strlen(keys[i]) == length && !memcmp(keys[i], key, length))
			return 1u << i;
	return 0;
}

unsigned weir_sniff_keys(const char *head, size_t len, const char *const *keys)
{
	const char *at = head, *end = head + len;
	unsigned found = 0, depth = 0;
	unsigned wanted = weir_sniff_first(head, len) == '[' ? 2 : 1;

	for (; at < end; at++) {
		const char *quote;

		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && depth-- <= wanted)
			break;
		if (*at != '"')
			continue;
		quote = find_quote(at, end);
		if (quote == end)
			break;
		if (depth == wanted && quote + 1 < end && *skip_blanks(quote + 1, end - 1) == ':')
			found |= match_key(at + 1, (size_t)(quote - at - 1), keys);
		at = quote;
	}
	return found;
}

/* Behind a closing quote: the value where a colon follows, else NULL. */
static const char *value_behind(const char *quote, const char *end)
{
	const char *colon = skip_blanks(quote + 1, end), *value;

	if (colon == end || *colon != ':')
		return NULL;
	value = skip_blanks(colon + 1, end);
	return value < end ? value : NULL;
}

const char *weir_sniff_member(const char *head, size_t len, const char *key, size_t *left)
{
	const char *const keys[] = {key, NULL};
	const char *at = head, *end = head + len;
	unsigned depth = 0;

	if (weir_sniff_first(head, len) != '{')
		return NULL;
	for (; at < end; at++) {
		const char *quote, *value;

		depth += *at == '{' || *at == '[';
		if ((*at == '}' || *at == ']') && depth-- <= 1)
			break;
		if (*at != '"')
			continue;
		quote = find_quote(at, end);
		value = quote < end && depth == 1 ? value_behind(quote, end) : NULL;
		if (value && (!key || match_key(at + 1, (size_t)(quote - at - 1), keys))) {
			*left = (size_t)(end - value);
			return value;
		}
		if (quote == end)
			break;
		at = quote;
	}
	return NULL;
}

int weir_sniff_bits(unsigned found, const char *const *keys)
{
	int bits = 0;

	for (unsigned i = 0; keys[i]; i++)
		if (found >> i & 1)
			bits += 8 * (int)strlen(keys[i]);
	return bits;
}

bool weir_sniff_contains(const char *head, size_t len, const char *text)
{
	return weir_slice_holds((struct weir_slice){head, len}, text);
}

/* Texts that files begin with, after blanks. */
static const struct {
	const char *start;
	size_t length;
	const char *hint;
} starts[] = {
#define START(text) text, sizeof(text) - 1
	{START("SQLite format 3"),
         "it is an SQLite database that shows no table of Nsight Systems or rocprofv3"},
	{START("PK\x03\x04"), "it is a zip archive: unpack it and name the trace in it"},
	{START("NVR\0"),
         "it is a report of Nsight Compute (.ncu-rep): pass ncu --import FILE --csv --page raw"},
	{START("PERFILE2"), "it is a perf.data file: pass what perf script prints of it"},
	{START("\x80\x02"),
         "it is a Python pickle (a memory snapshot?): it is not read, for it could run code"},
	{START("\x80\x03"),
         "it is a Python pickle (a memory snapshot?): it is not read, for it could run code"},
	{START("\x80\x04"),
         "it is a Python pickle (a memory snapshot?): it is not read, for it could run code"},
	{START("\x80\x05"),
         "it is a Python pickle (a memory snapshot?): it is not read, for it could run code"},
	{START("\x7f"
               "ELF"),
         "it is a program, not a profile"},
	{START("%PDF"), "it is a PDF document, not a profile"},
	{START("\x89PNG"), "it is a picture, not a profile"},
	{START("\xff\xfe"), "it is UTF-16 text: save it as UTF-8"},
	{START("\xfe\xff"), "it is UTF-16 text: save it as UTF-8"},
	{START("<!DOCTYPE"),
         "it is a web page: was a sign-in or error page saved instead of the file?"},
	{START("<!doctype"),
         "it is a web page: was a sign-in or error page saved instead of the file?"},
	{START("<html"),
         "it is a web page: was a sign-in or error page saved instead of the file?"},
	{START("<HTML"),
         "it is a web page: was a sign-in or error page saved instead of the file?"},
	{START("<?xml"), "it is XML, not a profile"},
	{START("HTTP/"), "it is the answer of a web server, headers included: save the body only"},
	{START("version https://git-lfs"),
         "it is a Git LFS pointer: fetch the file itself with git lfs pull"},
#undef START
};

/* Documents that are something else, by keys that are all there. */
static const struct {
	const char *keys[4];
	const char *hint;
} documents[] = {
	{{"schema", "nodes"},
         "it is a PyTorch execution trace: it holds no times; pass the trace of torch.profiler"},
	{{"resourceMetrics"},
         "it holds OpenTelemetry metrics: traces (resourceSpans) are read, which --input-format "
         "otlp "
         "looks for in all of it"},
	{{"resourceLogs"},
         "it holds OpenTelemetry logs: traces (resourceSpans) are read, which --input-format otlp "
         "looks for in all of it"},
	{{"status", "data"},
         "it is an answer of a query interface (/api/v1/query?): save the page of "
         "/metrics itself"},
	{{"Layers", "Bindings"},
         "it lists the layers of a TensorRT engine, which have no times: pass what trtexec "
         "writes with --exportProfile or --exportTimes"},
	{{"nbformat"}, "it is a notebook, not a profile"},
	{{"benchmarks"}, "it is a benchmark result: this version does not read it"},
	{{"benchmark", "model", "metric"},
         "it is a list for the dashboard of a benchmark (*.pytorch.json): pass the result beside "
         "it"},
	{{"load_summary", "successes", "failures"},
         "it is what inference-perf asked the server's metrics for, over other times than its "
         "requests: pass *_lifecycle_metrics.json, and scrapes of your own"},
};

static const char *hint_by_start(const char *at, size_t len)
{
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (len >= starts[i].length && !memcmp(at, starts[i].start, starts[i].length))
			return starts[i].hint;
	return NULL;
}

static const char *hint_by_keys(const char *head, size_t len)
{
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		unsigned all = 0;

		while (all < 4 && documents[i].keys[all])
			all++;
		if (weir_sniff_keys(head, len, documents[i].keys) == (1u << all) - 1)
			return documents[i].hint;
	}
	return NULL;
}

/* A row of a table that selects counters: "DCGM_FI_DEV_SM_CLOCK, gauge, SM clock". */
static bool selects_counter(const char *at, const char *end)
{
	static const char *const types[] = {"gauge", "counter", "label"};

	if (end - at < 5 || (memcmp(at, "DCGM_", 5) != 0 && memcmp(at, "dcgm_", 5) != 0))
		return false;
	while (at < end && *at != ',' && *at != '\n')
		at++;
	if (at == end || *at != ',')
		return false;
	at = skip_blanks(at + 1, end);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((size_t)(end - at) >= strlen(types[i]) &&
		    !memcmp(at, types[i], strlen(types[i])))
			return true;
	return false;
}

static const char *hint_by_lines(const char *at, const char *end)
{
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (selects_counter(at, end))
			return "it selects what dcgm-exporter exports and holds no figure: save "
			       "the exporter's page of /metrics";
		at = newline ? newline + 1 : end;
	}
	return NULL;
}

/* Protocol buffers: field 1 first, planes of devices and of the host by name. */
static const char *hint_by_planes(const char *head, size_t len)
{
	if (!len || *head != '\n' || !memchr(head, '\0', len) ||
	    (!weir_sniff_contains(head, len, "/host:") &&
	     !weir_sniff_contains(head, len, "/device:")))
		return NULL;
	return "it is an XSpace of JAX or XLA (xplane.pb), which is not read: pass the "
	       "trace.json.gz of the same folder";
}

const char *weir_sniff_hint(const char *head, size_t len)
{
	const char *at = skip_blanks(head, head + len), *hint;
	char first = weir_sniff_first(head, len);

	hint = hint_by_start(at, (size_t)(head + len - at));
	if (!hint && (first == '{' || first == '['))
		hint = hint_by_keys(head, len);
	if (!hint)
		hint = hint_by_planes(head, len);
	if (!hint)
		hint = weir_smi_refusal(head, len);
	if (!hint)
		hint = weir_rocprof_refusal(head, len);
	if (!hint)
		hint = hint_by_lines(head, head + len);
	if (hint)
		return hint;
	if (first == '{' || first == '[')
		return "it is JSON, but neither a trace (no \"traceEvents\") nor a weir.run/1 "
		       "document";
	if (memchr(head, '\0', len))
		return "it is binary data that no reader knows";
	return "it is text that no reader knows";
}
