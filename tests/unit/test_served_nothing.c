/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server that served nothing differs from one that nothing limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/include/weir/weir.h"

#define NOTHING  "served no request"
#define NO_LIMIT "no state of the server limits its requests"

/* Expects the beginning of the headline for a page of vLLM. */
static void expect(int running, int waiting, int served, int tokens, const char *headline)
{
	char page[1024];
	struct weir_buffer buffer = {.name = "page.prom", .data = page};
	struct weir_result *result;

	buffer.size = (size_t)snprintf(page, sizeof page,
	                               "# TYPE vllm:num_requests_running gauge\n"
	                               "vllm:num_requests_running{engine=\"0\"} %d\n"
	                               "# TYPE vllm:num_requests_waiting gauge\n"
	                               "vllm:num_requests_waiting{engine=\"0\"} %d\n"
	                               "# TYPE vllm:kv_cache_usage_perc gauge\n"
	                               "vllm:kv_cache_usage_perc{engine=\"0\"} 0\n"
	                               "# TYPE vllm:generation_tokens counter\n"
	                               "vllm:generation_tokens_total{engine=\"0\"} %d\n"
	                               "# TYPE vllm:request_success counter\n"
	                               "vllm:request_success_total{engine=\"0\"} %d\n",
	                               running, waiting, tokens, served);
	result = weir_classify_memory(&buffer, 1, NULL);
	if (weir_result_error(result))
		fail_msg("%s", weir_result_error(result));
	if (!strstr(weir_result_headline(result), headline))
		fail_msg("\"%s\" is not in: %s", headline, weir_result_headline(result));
	weir_result_free(result);
}

static void a_server_without_requests_has_served_nothing(void **state)
{
	(void)state;
	expect(0, 0, 0, 0, NOTHING);
}

static void any_request_or_token_is_something(void **state)
{
	(void)state;
	expect(0, 0, 1, 0, NO_LIMIT);
	expect(0, 0, 0, 1, NO_LIMIT);
	expect(1, 0, 0, 0, NO_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_without_requests_has_served_nothing),
		cmocka_unit_test(any_request_or_token_is_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
