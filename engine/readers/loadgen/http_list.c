/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the lists of responses by hey (-o csv) and oha (--output-format csv), one row each:
 *
 *	response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset
 *	0.0153,0.0011,0.0000,0.0001,0.0139,0.0002,200,0.0004
 *
 *	request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status
 *	0.000413,0.000011,0.0011,0.0148,0.015312,812,200
 *
 * Times are seconds since the start of the test. Requests without a response are not in these
 * lists. The first byte of a response need not be a token, so that requests have no parts.
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define S_TO_NS 9 /* power of ten */

static const struct weir_mark marks[] = {
	{.first = "r",
         .cells = {{"response-time", "status-code", "offset", "DNS+dialup", "Response-delay"},
                   .all = 5}},
	{.first = "r",
         .cells = {{"request-start", "request-duration", "status", "DNS+dialup", "Response-delay"},
                   .all = 5}},
	{0},
};

enum column { START, DURATION, STATUS, COLUMNS };

/* Names of the columns in each list. */
static const char *const names[][COLUMNS] = {
	{[START] = "offset", [DURATION] = "response-time", [STATUS] = "status-code"},
	{[START] = "request-start", [DURATION] = "request-duration", [STATUS] = "status"},
};

#define LISTS (sizeof(names) / sizeof(names[0]))

struct list {
	struct weir_client_requests client;
	size_t columns[COLUMNS];
	size_t width; /* of the header; 0: not met */
};

/* Takes the columns from a header. Returns false for other rows. */
static bool take_header(struct list *list, const struct weir_csv_row *row)
{
	for (size_t i = 0; i < LISTS; i++) {
		size_t columns[COLUMNS], found = 0;

		for (size_t j = 0; j < COLUMNS; j++) {
			columns[j] = weir_csv_find(row, names[i][j]);
			found += columns[j] != WEIR_CSV_NO_COLUMN;
		}
		if (found == COLUMNS) {
			memcpy(list->columns, columns, sizeof(columns));
			list->width = row->count;
			return true;
		}
	}
	return false;
}

static void take_row(struct list *list, const struct weir_csv_row *row)
{
	struct weir_client_request request = weir_client_request_unknown();
	struct weir_input *input = list->client.input;
	struct weir_slice status = weir_csv_cell(row, list->columns[STATUS]);
	int64_t code, duration_ns;

	if (row->cut || row->count != list->width) {
		weir_input_warn(input, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		                row->at, NULL);
		return;
	}
	input->events++;
	if (!weir_parse_i64(status.data, status.length, &code)) {
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		return;
	}
	if (code <= 0 || code >= WEIR_HTTP_FIRST_FAILURE) {
		weir_client_requests_fail(&list->client, row->at);
		return;
	}
	request.sent_ns =
		weir_client_time(input, weir_csv_cell(row, list->columns[START]), S_TO_NS, row->at);
	duration_ns = weir_client_time(input, weir_csv_cell(row, list->columns[DURATION]), S_TO_NS,
	                               row->at);
	if (request.sent_ns > WEIR_CLIENT_MAX_NS || duration_ns > WEIR_CLIENT_MAX_NS) {
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		return;
	}
	if (request.sent_ns != WEIR_CLIENT_UNKNOWN && duration_ns != WEIR_CLIENT_UNKNOWN)
		request.end_ns = request.sent_ns + duration_ns;
	weir_client_requests_add(&list->client, &request, row->at);
}

static enum weir_status read_list(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ',', .trim = true};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct list list = {.width = 0};
	const struct weir_csv_row *row;
	enum weir_status status;

	weir_client_requests_init(&list.client, input);
	input->requests = list.client.requests;
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		if (row->count && !take_header(&list, row) && list.width)
			take_row(&list, row);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = weir_client_requests_finish(&list.client, err);
	weir_client_requests_release(&list.client);
	return status;
}

const struct weir_reader weir_reader_http_list = {
	.name = "http-list",
	.title = "lists of responses by hey (-o csv) and oha (--output-format csv)",
	.gives = "requests",
	.marks = marks,
	.read = read_list,
};
