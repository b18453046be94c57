/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result in the log of the job that ran the benchmark, between two markers. */
#include <string.h>

#include "engine/readers/loadgen/bench.h"
#include "engine/readers/parts/sniff.h"

static const char begin_marker[] = BENCH_LOG_BEGIN;
static const char end_marker[] = BENCH_LOG_END;

bool weir_bench_is_log(const char *head, size_t len)
{
	return weir_sniff_contains(head, len, begin_marker);
}

/* How much of the marker is matched after one more byte; its beginning may repeat inside it. */
static size_t match_byte(const char *marker, size_t matched, char byte)
{
	while (matched && marker[matched] != byte) {
		size_t length = matched - 1;

		while (length && memcmp(marker, marker + matched - length, length) != 0)
			length--;
		matched = length;
	}
	return matched + (marker[matched] == byte);
}

struct extraction {
	struct weir_text *result;
	size_t matched;
	bool inside, done;
};

static enum weir_status take_byte(struct extraction *extraction, char byte, struct weir_error *err)
{
	const char *marker = extraction->inside ? end_marker : begin_marker;

	if (extraction->inside)
		weir_text_add(extraction->result, &byte, 1);
	if (extraction->result->length > BENCH_MAX_LOG_RESULT)
		return weir_fail(err, WEIR_E_LIMIT, "the result in it is larger than %u MiB",
		                 BENCH_MAX_LOG_RESULT >> 20);
	extraction->matched = match_byte(marker, extraction->matched, byte);
	if (marker[extraction->matched])
		return WEIR_OK;
	if (extraction->done)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "several results in one log, but one input is one run: keep one "
		                 "result a file");
	if (extraction->inside)
		extraction->result->length -= sizeof(end_marker) - 1;
	extraction->done = extraction->inside;
	extraction->inside = !extraction->inside;
	extraction->matched = 0;
	return WEIR_OK;
}

enum weir_status weir_bench_extract(struct weir_source *source, struct weir_text *result,
                                    struct weir_error *err)
{
	struct extraction extraction = {.result = result};
	const char *data;
	size_t len;
	enum weir_status status;

	while (!(status = weir_source_next(source, &data, &len, err)) && len)
		for (size_t i = 0; i < len; i++) {
			status = take_byte(&extraction, data[i], err);
			if (status)
				return status;
		}
	if (status)
		return status;
	if (weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	if (extraction.inside)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the result in it ends in the middle: there is no " BENCH_LOG_END);
	if (!extraction.done)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected a JSON object, or one between " BENCH_LOG_BEGIN
		                 " and " BENCH_LOG_END " in a log");
	return WEIR_OK;
}
