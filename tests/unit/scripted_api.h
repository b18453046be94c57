/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A transport that answers from a list, and a clock that only counts. A test lists the answers of
 * the service, request by request, and checks the log of requests and the time waited.
 */
#ifndef WEIR_TESTS_UNIT_SCRIPTED_API_H
#define WEIR_TESTS_UNIT_SCRIPTED_API_H

#include "ci/comment/api.h"
#include "engine/base/text.h"

#define SCRIPT_TOKEN  "tok_0123456789abcdef"
#define SCRIPT_DATE_S 1795000000 /* when the script begins */
#define SCRIPT_URL    "https://api.example.org/v3"

/* One answer; a step with expect NULL ends the script. */
struct script_step {
	const char *expect; /* "GET /user": method, and the end of the URL */
	enum weir_http_result result;
	int status;
	const char *head; /* header lines that end with \r\n; NULL: no header */
	const char *body;
	const char *reason;
};

struct script {
	const struct script_step *step;
	size_t at;
	int64_t now_ms;
	int64_t waited_ms;
	size_t waits;
	struct weir_text log; /* "METHOD URL BODY\n" per request */
	bool lacked_token;    /* a request came without it */
};

void script_init(struct script *script, const struct script_step *steps);
/* Fails the test if steps are left over; releases the log. */
void script_end(struct script *script);
struct weir_api script_api(struct script *script, const struct weir_provider *provider);

#endif
