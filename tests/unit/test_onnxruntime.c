/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define SAMPLE  "samples/ort/self_profile.json"
#define CAPTURE "tests/data/captures/onnxruntime.json.gz"

static const struct weir_reader *const reader = &weir_reader_onnxruntime;

static const char *name_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

static size_t count_of(const struct weir_trace *trace, enum weir_host_kind kind, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->host.count; i++)
		count += trace->host.kind[i] == kind &&
		         strcmp(name_of(trace, trace->host.name[i]), name) == 0;
	return count;
}

static void nodes_are_operators_of_their_type(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/onnxruntime/profile.json", profile);
	const struct weir_trace *trace = input->trace;

	(void)state;
	assert_int_equal(count_of(trace, WEIR_HOST_OP, "Conv"), 12);
	assert_int_equal(count_of(trace, WEIR_HOST_OP, "Relu"), 12);
	assert_int_equal(count_of(trace, WEIR_HOST_ANNOTATION, "model_run"), 12);
	assert_int_equal(count_of(trace, WEIR_HOST_ANNOTATION, "session_initialization"), 1);
	assert_int_equal(trace->host.count, 12 * 3 + 2); /* no fences, no executors */
	weir_profile_free(profile);
}

static void kernels_are_device_work(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		reading_file(reader, "tests/data/onnxruntime/profile.json", profile)->trace;

	(void)state;
	assert_int_equal(trace->device.count, 24);
	assert_int_equal(trace->device.blocks[0], 16);
	assert_int_equal(trace->device.threads_per_block[0], 256);
	assert_int_equal(trace->streams[trace->device.stream[0]].id, 7);
	weir_profile_free(profile);
}

static void shapes_are_those_of_the_inputs(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		reading_file(reader, "tests/data/onnxruntime/profile.json", profile)->trace;
	const struct weir_shape *shape =
		&trace->shapes[trace->host.shape[reading_host_row(trace, "Conv")]];

	(void)state;
	assert_string_equal(name_of(trace, shape->dims), "[[1,576],[4]]");
	assert_string_equal(name_of(trace, shape->types), "[\"float\",\"long int\"]");
	assert_int_equal(trace->host.shape[reading_host_row(trace, "model_run")], 0);
	weir_profile_free(profile);
}

#define EVENT(cat, name, args)                                                                     \
	"{\"cat\" : \"" cat                                                                        \
	"\",\"pid\" :-1,\"tid\" :-1,\"dur\" :4,\"ts\" :17,\"ph\" : \"X\",\"name\" "                \
	":\"" name "\",\"args\" : {" args "}}"

#define NODE(op, shapes)                                                                           \
	EVENT("Node", op "_kernel_time", "\"op_name\" : \"" op "\", \"input_type_shape\" : " shapes)

static void odd_shapes_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		reading_of(
			reader,
			"[" NODE("A", "[{\"float\":[]},{\"string\":[2]}]") "," NODE("B", "[]") "," NODE(
				"C", "[{\"float\":7}]") "," NODE("D", "\"\"") "," NODE("E",
	                                                                               "[[1]]") "]",
			profile)
			->trace;
	const struct weir_shape *shape =
		&trace->shapes[trace->host.shape[reading_host_row(trace, "A")]];

	(void)state;
	assert_string_equal(name_of(trace, shape->dims), "[[],[2]]");
	assert_string_equal(name_of(trace, shape->types), "[\"float\",\"\"]");
	for (const char *op = "B\0C\0D\0E\0"; *op; op += 2)
		assert_int_equal(trace->host.shape[reading_host_row(trace, op)], 0);
	weir_profile_free(profile);
}

static void copies_and_what_cupti_lost_are_told_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"[" EVENT("Kernel", "MemcpyHostToDevice", "\"grid_x\" : \"-1\"") "," EVENT(
			"Kernel", "not_available_due_to_cupti_error", "") "]",
		profile);

	(void)state;
	assert_int_equal(input->trace->device.count, 1);
	assert_int_equal(input->trace->device.kind[0], WEIR_DEVICE_COPY);
	assert_int_equal(input->trace->device.blocks[0], 0);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	weir_profile_free(profile);
}

/* A node's name may hold what JSON would escape; sessions of one file follow each other. */
static void names_without_escapes_and_several_sessions_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "[\n" EVENT("Node", "C:\\models\\a\"b_kernel_time", "") "\n]\n[\n" EVENT(
				   "Node", "plain_kernel_time", "") "\n]\n",
	                   profile);

	(void)state;
	assert_int_equal(input->trace->host.count, 2);
	assert_int_equal(count_of(input->trace, WEIR_HOST_OP, "plain"), 1);
	assert_true(input->warnings[WEIR_WARN_REPAIRED_TEXT].count > 0);
	weir_profile_free(profile);
}

static void what_is_empty_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, "[\n]\n", WEIR_E_EMPTY, "no events with times");
}

/* Lines copied out of the list lack its brackets, and end with a comma. */
static void a_list_without_its_brackets_is_a_fragment(void **state)
{
	static const char lines[] =
		EVENT("Node", "a_kernel_time", "") ",\n" EVENT("Node", "b_kernel_time", "") ",\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, lines, profile);

	(void)state;
	assert_int_equal(input->trace->host.count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_FRAGMENT].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 0);
	weir_profile_free(profile);
	reading_survives_damage(reader, lines);
}

static void profiles_are_known_by_what_only_they_say(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("[" EVENT("Session", "model_loading_uri", "") "]"),
	                    "onnxruntime");
	assert_string_equal(reading_claims("[" EVENT("Node", "a_kernel_time",
	                                             "") "," EVENT("Kernel", "k", "") "]"),
	                    "onnxruntime");
	assert_string_equal(reading_claims("[" EVENT("Other", "x", "") "]"), "chrome");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, "[\n" EVENT("Session", "model_run", "") ",\n" EVENT(
						"Kernel", "k", "\"stream\" : \"7\"") "\n]\n");
}

/* Returns true if the trace of two nodes states that its operators ran on the processor. */
static bool is_on_processor(const char *first_args, const char *second_args)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_trace *trace;
	bool found = false;

	weir_text_printf(&text,
	                 "[" EVENT("Node", "a_kernel_time", "%s") "," EVENT("Node", "b_kernel_time",
	                                                                    "%s") "]",
	                 first_args, second_args);
	trace = reading_of(reader, text.data, profile)->trace;
	for (size_t i = 0; i < trace->label_count; i++)
		found |= strcmp(name_of(trace, trace->labels[i].key), WEIR_LABEL_ON_PROCESSOR) == 0;
	weir_text_release(&text);
	weir_profile_free(profile);
	return found;
}

static void nodes_that_all_name_the_processor_ran_on_it(void **state)
{
	static const char cpu[] = "\"provider\" : \"CPUExecutionProvider\"";

	(void)state;
	assert_true(is_on_processor(cpu, cpu));
	assert_true(is_on_processor(cpu, "\"provider\" : \"DnnlExecutionProvider\""));
	assert_false(is_on_processor(cpu, "\"provider\" : \"CUDAExecutionProvider\""));
	assert_false(is_on_processor(cpu, "\"provider\" : \"\""));
	assert_false(is_on_processor(cpu, "\"provider\" : 7"));
	assert_false(is_on_processor(cpu, ""));
	assert_false(is_on_processor("", ""));
}

static void a_cut_line_of_a_list_without_its_bracket_is_named(void **state)
{
#define WHOLE                                                                                      \
	"{\"cat\" : \"Session\",\"dur\" :1,\"ts\" :1,\"ph\" : \"X\",\"name\" "                     \
	":\"model_run\",\"args\" : {}},\n"
	static const char cut[] =
		WHOLE "{\"cat\" : \"Node\",\"dur\" :1,\"args\" : {\"a\" : \"b}\n" WHOLE;

	(void)state;
	assert_string_equal(reading_claims(cut), "onnxruntime");
	reading_refuses(
		reader, cut, WEIR_E_FORMAT,
		"line 2, byte 81: an event of ONNX Runtime's profile is cut after 44 bytes");
#undef WHOLE
}

static void a_written_sample_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_sample(SAMPLE, reader, NULL, profile);

	(void)state;
	assert_int_equal(input->trace->device.count, 1);
	assert_int_equal(input->trace->host.count, 4);
	weir_profile_free(profile);
}

static void a_real_profile_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, CAPTURE, profile);

	(void)state;
	assert_int_equal(count_of(input->trace, WEIR_HOST_OP, "MatMul"), 160);
	assert_int_equal(count_of(input->trace, WEIR_HOST_ANNOTATION, "model_run"), 40);
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(input->warnings[i].count, 0);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_operators_of_their_type),
		cmocka_unit_test(kernels_are_device_work),
		cmocka_unit_test(shapes_are_those_of_the_inputs),
		cmocka_unit_test(odd_shapes_are_left_out),
		cmocka_unit_test(copies_and_what_cupti_lost_are_told_apart),
		cmocka_unit_test(names_without_escapes_and_several_sessions_are_read),
		cmocka_unit_test(what_is_empty_is_refused),
		cmocka_unit_test(a_list_without_its_brackets_is_a_fragment),
		cmocka_unit_test(profiles_are_known_by_what_only_they_say),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(nodes_that_all_name_the_processor_ran_on_it),
		cmocka_unit_test(a_cut_line_of_a_list_without_its_bracket_is_named),
		cmocka_unit_test(a_written_sample_is_read),
		cmocka_unit_test(a_real_profile_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
