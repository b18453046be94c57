/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/scripted_api.h"

static void check_request(struct script *script, const struct weir_http_request *request)
{
	const struct script_step *step = &script->step[script->at];
	struct weir_text line = {0};
	bool with_token = false;

	weir_text_printf(&line, "%s %s", request->method, request->url);
	if (!step->expect ||
	    strncmp(line.data, step->expect, strcspn(step->expect, " ") + 1) != 0 ||
	    !strstr(line.data, strchr(step->expect, ' ') + 1)) {
		print_error("step %zu: expected %s, got %s\n", script->at,
		            step->expect ? step->expect : "no more requests", line.data);
		fail();
	}
	for (size_t i = 0; request->headers[i]; i++)
		with_token = with_token || strstr(request->headers[i], SCRIPT_TOKEN);
	script->lacked_token = script->lacked_token || !with_token;
	weir_text_printf(&script->log, "%s %s\n", line.data, request->body ? request->body : "");
	weir_text_release(&line);
}

static enum weir_http_result answer_step(void *context, const struct weir_http_request *request,
                                         struct weir_http_answer *answer)
{
	struct script *script = context;
	const struct script_step *step;

	check_request(script, request);
	step = &script->step[script->at++];
	weir_http_answer_clear(answer);
	for (const char *line = step->head; line && *line; line += strcspn(line, "\n") + 1)
		weir_http_answer_head_line(answer, line, strcspn(line, "\n") + 1);
	weir_text_puts(&answer->body, step->body ? step->body : "");
	answer->status = step->status;
	answer->reason = step->reason;
	if (step->result == WEIR_HTTP_UNSURE)
		script->now_ms += request->timeout_ms;
	return step->result;
}

static int64_t now(void *context)
{
	return ((struct script *)context)->now_ms;
}

static void wait(void *context, int64_t ms)
{
	struct script *script = context;

	script->now_ms += ms;
	script->waited_ms += ms;
	script->waits++;
}

static int64_t date(void *context)
{
	return SCRIPT_DATE_S + ((struct script *)context)->now_ms / 1000;
}

void script_init(struct script *script, const struct script_step *steps)
{
	*script = (struct script){.step = steps};
}

void script_end(struct script *script)
{
	if (script->step[script->at].expect)
		print_error("never asked: %s\n", script->step[script->at].expect);
	assert_null(script->step[script->at].expect);
	assert_false(script->lacked_token);
	weir_text_release(&script->log);
}

struct weir_api script_api(struct script *script, const struct weir_provider *provider)
{
	return (struct weir_api){
		.provider = provider,
		.url = SCRIPT_URL,
		.token = SCRIPT_TOKEN,
		.transport = {.context = script, .send = answer_step},
		.clock = {.context = script, .now_ms = now, .sleep_ms = wait, .date_s = date},
		.deadline_ms = 120000,
		.request_ms = 15000,
	};
}
