/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <cjson/cJSON.h>

#include "engine/report/words/warnings.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"

/* Writes the report as JSON, frees it and parses the text; fails if the text is not JSON. */
static cJSON *write_json(struct weir_report *report)
{
	struct weir_text text = fixture_write("json", report, 80, 1);
	const char *end = NULL;
	cJSON *document = cJSON_ParseWithOpts(text.data, &end, true);

	if (!document)
		print_error("no JSON from here on: %.60s\n", cJSON_GetErrorPtr());
	assert_non_null(document);
	fixture_report_free(report);
	weir_text_release(&text);
	return document;
}

/* Returns the member at a path such as "run.inputs.0.bytes"; fails if there is no such member. */
static const cJSON *at(const cJSON *node, const char *path)
{
	char part[64];

	while (*path) {
		size_t length = strcspn(path, ".");

		assert_true(length < sizeof(part));
		memcpy(part, path, length);
		part[length] = '\0';
		node = cJSON_IsArray(node) ? cJSON_GetArrayItem(node, part[0] - '0')
		                           : cJSON_GetObjectItemCaseSensitive(node, part);
		if (!node)
			print_error("no member \"%s\"\n", part);
		assert_non_null(node);
		path += length + (path[length] == '.');
	}
	return node;
}

static void assert_keys(const cJSON *object, const char *expected)
{
	struct weir_text keys = {0};

	for (const cJSON *member = object->child; member; member = member->next) {
		weir_text_puts(&keys, keys.length ? " " : "");
		weir_text_puts(&keys, member->string);
	}
	assert_string_equal(keys.data, expected);
	weir_text_release(&keys);
}

static void assert_text(const cJSON *document, const char *path, const char *expected)
{
	assert_true(cJSON_IsString(at(document, path)));
	assert_string_equal(at(document, path)->valuestring, expected);
}

static void assert_number(const cJSON *document, const char *path, double expected)
{
	assert_true(cJSON_IsNumber(at(document, path)));
	assert_near(at(document, path)->valuedouble, expected, 1e-12);
}

static void assert_unknown(const cJSON *document, const char *path)
{
	assert_true(cJSON_IsNull(at(document, path)));
}

static void keys_stand_in_the_order_of_the_contract(void **state)
{
	cJSON *document = write_json(fixture_report_typical());

	(void)state;
	assert_keys(document,
	            "schema weir run verdict attribution gpu requests ranks stages operators "
	            "recommendations what_if profiler memory telemetry "
	            "critical_path");
	assert_keys(at(document, "run"), "inputs devices ranks iterations span_ns set_apart "
	                                 "iteration_ns steady percentile notes");
	assert_keys(at(document, "run.inputs.0"), "path format bytes events warnings gives");
	assert_keys(at(document, "run.inputs.0.warnings.0"), "code count message");
	assert_keys(at(document, "verdict"),
	            "bound cause confidence share rule evidence runner_up next headline");
	assert_keys(at(document, "attribution"),
	            "batching runtime kernel memory communication hardware unattributed");
	assert_keys(
		at(document, "gpu"),
		"active idle compute communication exposed_communication memcpy exposed_memcpy "
		"kernel_p50_ns kernels idle_causes launch_ns graph_share mfu mbu modelled_share "
		"idle_names inter_kernel_limit_ns queue launches host_waits");
	assert_keys(at(document, "gpu.idle_names.0"), "cause total_ns names");
	assert_keys(at(document, "gpu.idle_names.0.names.0"), "name in count share");
	assert_keys(at(document, "gpu.queue"),
	            "waiting in_flight starved_of_idle launches full_launches");
	assert_keys(at(document, "gpu.launches.0"),
	            "api work count early call_ns delay_ns queue_ns");
	assert_keys(at(document, "gpu.host_waits"),
	            "sync_share launch_call_share syncs blocking_copies scalar_reads");
	assert_keys(
		at(document, "stages.0"),
		"name kind count total_ns share p50_ns p90_ns p95_ns p99_ns p95_share bound cause "
		"view p50_share p99_share cost counted");
	assert_keys(at(document, "operators.0"), "name stage device kind count total_ns share "
	                                         "p50_ns p90_ns p95_ns p99_ns flops bytes "
	                                         "tflops gbps roofline efficiency bound kernel");
	assert_keys(at(document, "recommendations.0"),
	            "id title why where how saving needs costs speedup limit instead");
	assert_keys(at(document, "memory"),
	            "peak_allocated_bytes peak_reserved_bytes fragmentation "
	            "leak_bytes_per_step slow_allocations allocations_per_step used_share "
	            "slow_allocation_ns slow_share allocator_calls allocator_share "
	            "allocator_of_host devices");
	assert_keys(at(document, "memory.devices.0"),
	            "rank device peak_allocated_bytes peak_reserved_bytes fragmentation "
	            "leak_bytes_per_step allocations_per_step used_share");
	cJSON_Delete(document);
}

static void values_are_those_of_the_report(void **state)
{
	cJSON *document = write_json(fixture_report_typical());

	(void)state;
	assert_text(document, "schema", "weir.report/1");
	assert_text(document, "run.inputs.0.warnings.1.code", "skipped_event");
	assert_number(document, "run.inputs.0.warnings.1.count", 1204);
	assert_number(document, "run.span_ns", 101883004);
	assert_text(document, "verdict.bound", "runtime");
	assert_text(document, "verdict.confidence", "high");
	assert_text(document, "verdict.next",
	            "capture the decode step in a CUDA graph, 243 kernels become one launch");
	assert_text(document, "verdict.evidence.0.clause", "gpu_active < 0.60");
	assert_number(document, "verdict.evidence.0.values.gpu_active", 0.1334);
	assert_number(document, "verdict.runner_up.share", 0.121);
	assert_number(document, "gpu.idle_causes.dispatch", 0.71);
	assert_number(document, "gpu.launch_ns.p90", 5210);
	assert_text(document, "gpu.idle_names.0.names.0.in", "aten::linear");
	assert_number(document, "gpu.queue.waiting.p95", 1);
	assert_number(document, "gpu.launches.0.delay_ns.max", -12);
	assert_number(document, "gpu.host_waits.scalar_reads", 30);
	assert_number(document, "memory.slow_allocation_ns", 2510000);
	assert_number(document, "memory.devices.1.device", 3);
	assert_number(document, "stages.0.p50_ns", 3352410);
	assert_number(document, "operators.0.gbps", 3888.21);
	assert_text(document, "operators.0.roofline", "memory");
	assert_number(document, "recommendations.0.speedup.high", 2.3);
	assert_text(document, "what_if.0.class", "runtime");
	assert_number(document, "what_if.0.factor", 0);
	assert_number(document, "what_if.0.step_ns", 1350000);
	assert_text(document, "what_if.0.stages.0.name", "decode");
	assert_number(document, "what_if.0.stages.0.speedup", 6.18);
	assert_number(document, "profiler.inflation", 2.42);
	assert_text(document, "profiler.source", "run/latency.json");
	assert_int_equal(cJSON_GetArraySize(at(document, "operators")),
	                 14); /* regardless of --top */
	cJSON_Delete(document);
}

static void unknown_is_null(void **state)
{
	cJSON *document = write_json(fixture_report_typical());
	cJSON *minimal = write_json(fixture_report_minimal());

	(void)state;
	assert_unknown(document, "requests");
	assert_unknown(document, "ranks");
	assert_unknown(document, "what_if.1.step_ns");
	assert_unknown(document, "what_if.1.speedup");
	assert_unknown(minimal, "what_if");
	assert_unknown(minimal, "profiler");
	assert_unknown(minimal, "run.span_ns");
	assert_unknown(document, "stages.1.p99_ns");
	assert_unknown(document, "operators.1.flops");
	assert_unknown(document, "operators.2.roofline");
	assert_unknown(document, "operators.2.bound");
	assert_unknown(document, "recommendations.2.speedup");
	assert_unknown(document, "memory.leak_bytes_per_step");
	assert_unknown(document, "memory.devices.1.rank");
	assert_unknown(document, "gpu.idle_names.0.names.1.in");
	assert_unknown(minimal, "gpu");
	assert_unknown(minimal, "memory");
	assert_unknown(minimal, "verdict.share");
	assert_unknown(minimal, "verdict.runner_up");
	assert_unknown(minimal, "attribution.runtime");
	assert_text(minimal, "verdict.bound", "undetermined");
	cJSON_Delete(document);
	cJSON_Delete(minimal);
}

static void shares_of_the_attribution_add_up_to_one(void **state)
{
	struct weir_report *report = fixture_report_typical();
	double sum = 0;
	cJSON *document;

	(void)state;
	report->attribution = (struct weir_attribution){{1, 1, 1, 1, 1, 1, 1}, 7};
	document = write_json(report);
	for (const cJSON *share = at(document, "attribution")->child; share; share = share->next) {
		assert_true(share->valuedouble > 0.142856 && share->valuedouble < 0.142859);
		sum += share->valuedouble;
	}
	assert_near(sum, 1, 1e-12);
	cJSON_Delete(document);
}

static void hostile_names_come_back_as_text(void **state)
{
	cJSON *document = write_json(fixture_report_hostile());

	(void)state;
	assert_text(document, "stages.0.name",
	            "a|b`c`<img src=x onerror=alert(1)> @octocat #1 & \"q\" 'q' [x](http://y)");
	assert_text(document, "stages.1.name", "");
	assert_text(document, "stages.1.kind", "\033[31mred\033[0m");
	assert_int_equal(strlen(at(document, "operators.0.name")->valuestring), 10000);
	assert_unknown(document, "operators.2.name");
	assert_text(document, "operators.3.name",
	            "@@@ ### ___ *** ~~~ $x$ www.example.org https://example.org \\ {gpu_active}");
	assert_number(document, "ranks.0.wait", 0.09);
	assert_unknown(document, "ranks.1.rank");
	assert_unknown(document, "ranks.1.wait");
	cJSON_Delete(document);
}

static void every_warning_has_a_code_and_a_sentence(void **state)
{
	(void)state;
	for (int code = 0; code < WEIR_WARN_COUNT; code++) {
		for (uint64_t count = 1; count <= 2; count++) {
			const struct weir_warning warning = {.count = count,
			                                     .first_at = UINT64_MAX};
			struct weir_text text = {0};

			weir_warning_sentence(&warning, (enum weir_warning_code)code, &text);
			assert_true(text.length > 10);
			assert_non_null(weir_warning_code_text((enum weir_warning_code)code));
			weir_text_release(&text);
		}
		for (int other = 0; other < code; other++)
			assert_string_not_equal(
				weir_warning_code_text((enum weir_warning_code)code),
				weir_warning_code_text((enum weir_warning_code)other));
	}
}

static void the_same_report_gives_the_same_bytes(void **state)
{
	struct weir_report *report = fixture_report_hostile();
	struct weir_text first = fixture_write("json", report, 80, 0);
	struct weir_text second = fixture_write("json", report, 120, 3);

	(void)state;
	assert_string_equal(first.data, second.data);
	weir_text_release(&first);
	weir_text_release(&second);
	fixture_report_free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_stand_in_the_order_of_the_contract),
		cmocka_unit_test(values_are_those_of_the_report),
		cmocka_unit_test(unknown_is_null),
		cmocka_unit_test(shares_of_the_attribution_add_up_to_one),
		cmocka_unit_test(hostile_names_come_back_as_text),
		cmocka_unit_test(every_warning_has_a_code_and_a_sentence),
		cmocka_unit_test(the_same_report_gives_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
