/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profiles of ONNX Runtime (enable_profiling): a bare array of complete events. A run of the
 * model becomes an annotation, a node an operator named after its type, a kernel device work. Times
 * are whole microseconds, so shorter work has a duration of 0. Lines out of the array are read as a
 * fragment.
 */
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/trace/rocm.h"

#define MAX_FRAGMENT (UINT64_C(64) << 20) /* bytes of a list without its brackets */

static const struct weir_keyindex_entry args[] = {
	{"op_name", ARG_OP_NAME},
	{"input_type_shape", ARG_DIMS},
	{"stream", ARG_STREAM},
	{"grid_x", ARG_GRID_X},
	{"grid_y", ARG_GRID_Y},
	{"grid_z", ARG_GRID_Z},
	{"block_x", ARG_BLOCK_X},
	{"block_y", ARG_BLOCK_Y},
	{"block_z", ARG_BLOCK_Z},
	{"provider", ARG_PROVIDER},
	{0},
};

static bool ends(struct weir_slice text, const char *ending)
{
	size_t length = strlen(ending);

	return text.length >= length && !memcmp(text.data + text.length - length, ending, length);
}

/* Names of tensor types in ONNX Runtime and in PyTorch. */
static const struct {
	const char *name, *type;
} type_names[] = {
	{"float", "float"},         {"float16", "c10::Half"},   {"bfloat16", "c10::BFloat16"},
	{"double", "double"},       {"int64", "long int"},      {"int32", "int"},
	{"int16", "short"},         {"int8", "signed char"},    {"uint64", "unsigned long"},
	{"uint32", "unsigned int"}, {"uint8", "unsigned char"}, {"bool", "bool"},
};

/* Shapes of a node's inputs, whose memory is reused for all nodes, and counts of nodes. */
struct shapes {
	struct weir_text dims, types;
	uint64_t nodes, on_processor; /* all nodes, and nodes that compute on the processor */
};

/* Returns PyTorch's name of a type; empty if unknown. */
static const char *type_of(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (weir_slice_equals(name, type_names[i].name))
			return type_names[i].type;
	return "";
}

/* Turns [{"float":[1,576]},{"int64":[4]}] into a list of dimensions, [[1,576],[4]], and a list of
 * types. Weights, which belong to the model, are not among the inputs. Returns false if the value
 * has another form. */
static bool read_shapes(struct weir_slice value, struct shapes *shapes)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(value);
	struct weir_text *dims = &shapes->dims, *names = &shapes->types;
	struct weir_slice key;

	weir_text_clear(dims);
	weir_text_clear(names);
	weir_text_puts(dims, "[");
	weir_text_puts(names, "[");
	if (!weir_jsoncursor_enter(&cursor, '['))
		return false;
	while (weir_jsoncursor_item(&cursor)) {
		if (!weir_jsoncursor_enter(&cursor, '{'))
			return false;
		while (weir_jsoncursor_key(&cursor, &key)) {
			struct weir_slice shape = weir_jsoncursor_take(&cursor);

			if (!shape.length || *shape.data != '[')
				return false;
			weir_text_puts(dims, dims->length > 1 ? "," : "");
			weir_text_add(dims, shape.data, shape.length);
			weir_text_printf(names, "%s\"%s\"", names->length > 1 ? "," : "",
			                 type_of(key));
		}
	}
	weir_text_puts(dims, "]");
	weir_text_puts(names, "]");
	return !cursor.bad && dims->length > 2;
}

static void add_host(struct kineto_reader *reader, enum weir_host_kind kind, struct weir_slice name)
{
	struct weir_host_event host = {.kind = kind, .name = name, .at = reader->event.at};
	struct weir_slice value = weir_kineto_value(&reader->event, ARG_DIMS);
	struct shapes *shapes = reader->context;

	if (!weir_kineto_times(reader, &host.start_ns, &host.end_ns))
		return;
	host.pid = weir_kineto_place(&reader->event, KEY_PID);
	host.tid = weir_kineto_place(&reader->event, KEY_TID);
	if (kind == WEIR_HOST_OP && value.length && read_shapes(value, shapes)) {
		host.dims = (struct weir_slice){shapes->dims.data, shapes->dims.length};
		host.types = (struct weir_slice){shapes->types.data, shapes->types.length};
	}
	weir_builder_add_host(reader->builder, &host);
}

/* Adds a run. The executor's range is left out, since it only lacks the preparation of the run. */
static void emit_session(struct kineto_reader *reader)
{
	struct weir_slice name = weir_kineto_text(reader, KEY_NAME);

	if (!ends(name, "Executor::Execute"))
		add_host(reader, WEIR_HOST_ANNOTATION, name);
}

/* Returns true if the node states an execution provider that computes on the processor. */
static bool runs_on_processor(const struct kineto_event *event)
{
	static const char *const providers[] = {"CPUExecutionProvider", "DnnlExecutionProvider",
	                                        "XnnpackExecutionProvider", "ACLExecutionProvider"};
	struct weir_slice provider = weir_kineto_value(event, ARG_PROVIDER);

	for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
		if (weir_slice_equals(provider, providers[i]))
			return true;
	return false;
}

/* Adds a node. Up to 1.12, fences of duration 0 surround each node; they are left out. */
static void emit_node(struct kineto_reader *reader)
{
	static const char ending[] = "_kernel_time";
	struct weir_slice name = weir_kineto_text(reader, KEY_NAME);
	struct shapes *shapes = reader->context;

	if (ends(name, "_fence_before") || ends(name, "_fence_after"))
		return;
	shapes->nodes++;
	shapes->on_processor += runs_on_processor(&reader->event);
	if (weir_kineto_value(&reader->event, ARG_OP_NAME).length)
		name = weir_kineto_text(reader, ARG_OP_NAME);
	else if (ends(name, ending))
		name.length -= sizeof(ending) - 1;
	add_host(reader, WEIR_HOST_OP, name);
}

/* Returns the product of the keys of x, y and z, which follow each other; 0: unknown. */
static uint32_t product(const struct kineto_event *event, enum kineto_key x)
{
	uint64_t all = 1;

	for (unsigned i = 0; i < 3; i++) {
		int64_t size = weir_kineto_int(event, (enum kineto_key)((unsigned)x + i), 0);

		if (size <= 0) /* copies have -1 */
			return 0;
		all = weir_rocm_clamp(all) * (uint64_t)weir_rocm_clamp((uint64_t)size);
	}
	return weir_rocm_clamp(all);
}

static enum weir_device_kind kind_of(struct weir_slice name)
{
	if (weir_slice_starts(name, "Memcpy") || weir_slice_starts(name, "memcpy"))
		return WEIR_DEVICE_COPY;
	if (weir_slice_starts(name, "Memset") || weir_slice_starts(name, "memset"))
		return WEIR_DEVICE_SET;
	return weir_rocm_kernel_kind(name);
}

static void emit_kernel(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_device_event work = {.bytes = -1, .at = event->at};

	work.name = weir_kineto_text(reader, KEY_NAME);
	if (weir_slice_starts(work.name, "not_available_due_to_cupti_error")) {
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT,
		                   "device work that CUPTI could not record");
		return;
	}
	if (!weir_kineto_times(reader, &work.start_ns, &work.end_ns))
		return;
	work.kind = kind_of(work.name);
	work.stream = weir_kineto_place(event, ARG_STREAM);
	work.blocks = product(event, ARG_GRID_X);
	work.threads_per_block = product(event, ARG_BLOCK_X);
	weir_builder_add_device(reader->builder, &work);
}

static void emit_api(struct kineto_reader *reader)
{
	add_host(reader, WEIR_HOST_API, weir_kineto_text(reader, KEY_NAME));
}

static const struct {
	const char *category;
	void (*emit)(struct kineto_reader *reader);
} categories[] = {
	{"Session", emit_session},
	{"Node", emit_node},
	{"Kernel", emit_kernel},
	{"Api", emit_api},
};

static void emit(struct kineto_reader *reader)
{
	struct weir_slice category = weir_kineto_value(&reader->event, KEY_CAT);

	if (!weir_slice_equals(weir_kineto_value(&reader->event, KEY_PH), "X")) {
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT, "expected \"ph\" to be \"X\"");
		return;
	}
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		if (category.length && weir_slice_equals(category, categories[i].category)) {
			categories[i].emit(reader);
			return;
		}
	weir_input_warn(reader->input, WEIR_WARN_UNKNOWN_CATEGORY, reader->event.at, NULL);
}

static const struct weir_mark marks[] = {
	{.first = "[{",
         .keys = {{"ph", "cat", "ts"}, .all = 2},
         .texts = {{"\"model_loading", "\"session_initialization\"", "_kernel_time\"",
                    "\"model_run\"", "\"thread_scheduling_stats\""},
                   .any = 5}},
	{0},
};

static enum weir_status conclude(struct kineto_reader *reader, struct weir_error *err)
{
	const struct shapes *shapes = reader->context;

	if (shapes->nodes > 0 && shapes->on_processor == shapes->nodes)
		weir_builder_add_label(reader->builder, weir_slice_of(WEIR_LABEL_ON_PROCESSOR),
		                       weir_slice_of("1"));
	return weir_kineto_conclude(reader, err);
}

/* Returns true if every bracket and text of the line is closed in it. */
static bool is_whole(struct weir_slice line)
{
	size_t depth = 0;
	bool text = false;

	for (size_t i = 0; i < line.length; i++) {
		char c = line.data[i];

		if (text && c == '\\')
			i++;
		else if (c == '"')
			text = !text;
		else if (!text && (c == '{' || c == '['))
			depth++;
		else if (!text && (c == '}' || c == ']'))
			depth -= depth > 0;
	}
	return !text && depth == 0;
}

/* Fails if a line of the text is cut, and names the first one. */
static enum weir_status refuse_cut_lines(struct weir_source *source, struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\0'};
	struct weir_csv *lines = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(lines, &row, err)) && row)
		if (!is_whole(row->line)) {
			status = weir_fail(err, WEIR_E_FORMAT,
			                   "line %llu, byte %llu: an event of ONNX Runtime's "
			                   "profile is cut after %zu bytes, and the list lacks its "
			                   "\"[\": pass the file as ONNX Runtime wrote it",
			                   (unsigned long long)row->number,
			                   (unsigned long long)row->at, row->line.length);
			break;
		}
	weir_csv_free(lines);
	return status;
}

static enum weir_status read_list(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct kineto_dialect dialect = {
		.args = args, .emit = emit, .conclude = conclude, .arrays = true};
	struct shapes shapes = {0};
	enum weir_status status = weir_kineto_read(&dialect, &shapes, source, input, err);

	weir_text_release(&shapes.dims);
	weir_text_release(&shapes.types);
	return status;
}

/* Lines out of the list of a profile, and the brackets around them. */
struct fragment {
	struct weir_slice parts[3];
	size_t next;
};

static enum weir_status feed_fragment(void *context, const char **data, size_t *len,
                                      struct weir_error *err)
{
	struct fragment *fragment = context;

	(void)err;
	*len = 0;
	while (fragment->next < WEIR_COUNT_OF(fragment->parts) && *len == 0) {
		*data = fragment->parts[fragment->next].data;
		*len = fragment->parts[fragment->next++].length;
	}
	return WEIR_OK;
}

/* Reads events without the brackets of their list as if they had them. */
static enum weir_status read_fragment(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct weir_source *lines = NULL, *whole;
	struct fragment fragment = {.parts = {{"[", 1}, {"", 0}, {"]", 1}}};
	enum weir_status status;
	size_t length;
	char *data;

	status = weir_source_hold(source, MAX_FRAGMENT, &data, &length, err);
	if (!status)
		status = weir_source_open_memory(weir_source_name(source), data, length, &lines,
		                                 err);
	if (!status)
		status = refuse_cut_lines(lines, err);
	weir_source_free(lines);
	if (status)
		return status;
	fragment.parts[1] = (struct weir_slice){data, length};
	whole = weir_source_new_fed(weir_source_name(source), feed_fragment, &fragment);
	weir_source_note_damage(whole, weir_source_damage(source));
	status = read_list(whole, input, err);
	weir_source_free(whole);
	if (!status)
		weir_input_warn(input, WEIR_WARN_FRAGMENT, UINT64_MAX, NULL);
	return status;
}

static enum weir_status read_profile(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	return first == '{' ? read_fragment(source, input, err) : read_list(source, input, err);
}

const struct weir_reader weir_reader_onnxruntime = {
	.name = "onnxruntime",
	.title = "profiles of ONNX Runtime (enable_profiling)",
	.gives = "timeline",
	.marks = marks,
	.read = read_profile,
};
