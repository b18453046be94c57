/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests attributes and events of spans that describe a request and its parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/request_lines.h"
#include "tests/unit/span_lines.h"

static void expect_spans_warned(const char *spans, const char *requests,
                                enum weir_warning_code code, uint64_t count)
{
	struct weir_text text = spans_as_otlp(spans);

	expect_requests_warned(&weir_reader_otlp, text.data, requests, code, count);
	weir_text_release(&text);
}

static void expect_spans(const char *spans, const char *requests)
{
	expect_spans_warned(spans, requests, WEIR_WARN_COUNT, 0);
}

static void old_and_new_names_of_figures_are_known(void **state)
{
	(void)state;
	expect_spans("1 0 request 0 100 request.id=r0 batch.size=4 tokens.effective=98 "
	             "tokens.padded=256\n",
	             "0+100 batch=4 tokens=98 padded=256: request@0+100\n");
	expect_spans("1 0 request 0 100\n"
	             "2 1 chat 10 100 batch_size=8.0 gen_ai.usage.prompt_tokens=5 "
	             "gen_ai.usage.completion_tokens=7 "
	             "gen_ai.response.time_to_first_chunk=3e-08\n",
	             "0+100 batch=8 tokens=5 out=7 first=40: chat@10+90\n");
	expect_spans("1 0 request 0 100 gen_ai.usage.input_tokens=5 "
	             "gen_ai.usage.output_tokens=7 batch.size=-3 tokens.padded=many\n",
	             "0+100 tokens=5 out=7: request@0+100\n");
}

static void the_first_span_with_a_figure_counts(void **state)
{
	(void)state;
	expect_spans("3 1 second 50 100 batch.size=2 gen_ai.usage.input_tokens=20\n"
	             "2 1 first 0 50 batch.size=1 gen_ai.usage.input_tokens=10\n"
	             "1 0 request 0 100 batch.size=4\n",
	             "0+100 batch=4 tokens=10: first@0+50 second@50+50\n");
}

static void a_stage_attribute_names_the_part(void **state)
{
	(void)state;
	expect_spans("1 0 request 0 100\n2 1 Step-1 0 100 stage=tok\\u0065nize\n",
	             "0+100: tokenize@0+100\n");
}

static void phases_of_vllm_become_parts(void **state)
{
	(void)state;
	expect_spans("1 0 llm_request 0 100 gen_ai.latency.time_in_queue=2e-08 "
	             "gen_ai.latency.time_in_model_prefill=3e-08 "
	             "gen_ai.latency.time_in_model_decode=4e-08 gen_ai.latency.e2e=1e-07 "
	             "gen_ai.latency.time_to_first_token=5.5e-08\n",
	             "0+100 first=55: queue@0+20 prefill@20+30 decode@50+40 frontend@90+10\n");
	/* The first engine stated the queue and the first token. */
	expect_spans("1 0 llm_request 0 100 gen_ai.latency.time_in_queue=2e-08 "
	             "gen_ai.latency.time_to_first_token=5e-08 gen_ai.latency.e2e=9e-08\n",
	             "0+100 first=50: queue@0+20 prefill@20+30 decode@50+40 frontend@90+10\n");
	expect_spans("1 0 llm_request 0 100 gen_ai.latency.time_in_queue=2e-08 "
	             "gen_ai.latency.time_in_model_inference=5e-08\n",
	             "0+100: queue@0+20 inference@20+50 frontend@70+30\n");
}

static void prefill_of_sglang_includes_its_queue(void **state)
{
	(void)state;
	expect_spans("1 0 request 0 100 gen_ai.latency.time_in_model_prefill=3e-08 "
	             "gen_ai.latency.time_in_model_decode=6e-08\n",
	             "0+100: queue+prefill@0+30 decode@30+60 frontend@90+10\n");
}

static void phases_in_milliseconds_are_recognised(void **state)
{
	(void)state;
	expect_spans_warned("1 0 llm_request 0 100 gen_ai.latency.time_in_queue=2e-05 "
	                    "gen_ai.latency.time_in_model_prefill=3e-05 "
	                    "gen_ai.latency.time_in_model_decode=4e-05\n",
	                    "0+100: queue@0+20 prefill@20+30 decode@50+40 frontend@90+10\n",
	                    WEIR_WARN_INCONSISTENT, 1);
}

/* Figures of Triton's documented sample: total 53508, receive 50, send 100, handler 53200, queue
 * 10000, input 2000, infer 40000, output 1000, overheads 158 and 200. */
static void time_stamps_of_triton_become_parts(void **state)
{
	(void)state;
	expect_spans("1 0 InferRequest 700 60000 HTTP_RECV_START@992 HTTP_RECV_END@1042 "
	             "HTTP_SEND_START@54400 INFER_RESPONSE_COMPLETE@54350 HTTP_SEND_END@54500\n"
	             "2 1 resnet 1100 54300 REQUEST_START@1100 QUEUE_START@1200 "
	             "REQUEST_END@54300\n"
	             "3 2 compute 11200 54200 COMPUTE_START@11200 COMPUTE_END@54200 "
	             "COMPUTE_INPUT_END@13200 COMPUTE_OUTPUT_START@53200\n",
	             "992+53508: preprocess@0+50 postprocess@53408+100 http_overhead@50+58 "
	             "http_overhead@53308+100 queue@208+10000 handler_overhead@108+100 "
	             "handler_overhead@53208+100 h2d@10208+2000 compute@12208+40000 "
	             "d2h@52208+1000\n");
}

/* By default, Triton traces one of 1000 requests. */
static void traces_of_triton_are_a_sample(void **state)
{
	static const char *const spans[] = {"1 0 request 0 9\n",
	                                    "1 0 compute 0 9 COMPUTE_START@1 COMPUTE_END@9\n"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_text text = spans_as_otlp(spans[i]);
		struct reading reading = read_bytes(&weir_reader_otlp, text.data, text.length);

		assert_int_equal(reading.status, WEIR_OK);
		assert_int_equal(reading.input->requests->sampled, i == 1);
		reading_free(&reading);
		weir_text_release(&text);
	}
}

static void waiting_for_a_request_is_not_part_of_it(void **state)
{
	(void)state;
	expect_spans("1 0 InferRequest 100 60000 GRPC_WAITREAD_START@100 "
	             "GRPC_WAITREAD_END@10000 REQUEST_START@10100 QUEUE_START@10200 "
	             "COMPUTE_START@11000 COMPUTE_INPUT_END@13000 COMPUTE_OUTPUT_START@53000 "
	             "COMPUTE_END@54000 REQUEST_END@55000 GRPC_SEND_START@55100 "
	             "GRPC_SEND_END@55300\n",
	             "10000+45300: queue@200+800 h2d@1000+2000 compute@3000+40000 "
	             "d2h@43000+1000 handler_overhead@100+100 handler_overhead@44000+1000 "
	             "postprocess@45100+200 grpc_overhead@0+100 grpc_overhead@45000+100\n");
}

static void streams_send_from_their_first_start_to_their_last_end(void **state)
{
	(void)state;
	expect_spans("1 0 InferRequest 0 90000 HTTP_RECV_START@0 HTTP_RECV_END@50 "
	             "HTTP_SEND_START@5000 HTTP_SEND_END@6000 HTTP_SEND_START@8000 "
	             "HTTP_SEND_END@9000\n",
	             "0+9000: preprocess@0+50 postprocess@5000+4000 http_overhead@50+4950\n");
}

static void the_time_between_models_belongs_to_the_ensemble(void **state)
{
	(void)state;
	expect_spans("1 0 ensemble 10000 20000 REQUEST_START@10000 REQUEST_END@20000\n"
	             "2 1 step 12000 18000 REQUEST_START@12000 REQUEST_END@18000\n",
	             "10000+10000: ensemble_scheduler@0+2000 ensemble_scheduler@8000+2000 "
	             "handler_overhead@2000+6000\n");
}

static void a_startup_is_not_a_request(void **state)
{
	static const char startup[] =
		"9 0 Loading 0 900000 code.function=load_model code.namespace=vllm\n";
	struct weir_text text = spans_as_otlp(startup);

	(void)state;
	reading_refuses(&weir_reader_otlp, text.data, WEIR_E_EMPTY, "start-up spans only");
	weir_text_release(&text);
	expect_spans("9 0 Loading 0 900000 code.function=load_model\n1 0 request 5 100\n",
	             "5+95: request@0+95\n");
	/* A span with tokens is a request, also in a trace of functions. */
	expect_spans("1 0 chat 0 5000 code.function=chat gen_ai.usage.output_tokens=4\n",
	             "0+5000 out=4: chat@0+5000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_and_new_names_of_figures_are_known),
		cmocka_unit_test(the_first_span_with_a_figure_counts),
		cmocka_unit_test(a_stage_attribute_names_the_part),
		cmocka_unit_test(phases_of_vllm_become_parts),
		cmocka_unit_test(prefill_of_sglang_includes_its_queue),
		cmocka_unit_test(phases_in_milliseconds_are_recognised),
		cmocka_unit_test(time_stamps_of_triton_become_parts),
		cmocka_unit_test(traces_of_triton_are_a_sample),
		cmocka_unit_test(waiting_for_a_request_is_not_part_of_it),
		cmocka_unit_test(streams_send_from_their_first_start_to_their_last_end),
		cmocka_unit_test(the_time_between_models_belongs_to_the_ensemble),
		cmocka_unit_test(a_startup_is_not_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
