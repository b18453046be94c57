/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/amd/rocprof_join.h"
#include "engine/readers/trace/builder.h"

/* Warnings that the builder raises about a whole timeline: those of the parts are cleared. */
static const enum weir_warning_code recounted[] = {
	WEIR_WARN_GRAPH_HIDDEN,     WEIR_WARN_UNLINKED,  WEIR_WARN_BEFORE_LAUNCH,
	WEIR_WARN_STREAM_OVERLAP,   WEIR_WARN_MISNESTED, WEIR_WARN_LAUNCH_WITHOUT_WORK,
	WEIR_WARN_DUPLICATE_LAUNCH,
};

/* Drops one of the words, and the '_' before it, from the end of the name of a file. */
static bool drop_word(const char *name, size_t *length)
{
	static const char *const words[] = {
		"kernel",   "memory", "copy",      "allocation", "hip",     "hsa", "api",
		"marker",   "rccl",   "core",      "runtime",    "amd",     "ext", "image",
		"compiler", "roctx",  "finalizer", "rocdecode",  "rocjpeg",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t size = strlen(words[i]);

		if (*length < size || memcmp(name + *length - size, words[i], size) != 0)
			continue;
		if (*length > size && name[*length - size - 1] != '_')
			continue;
		*length -= size + (*length > size);
		return true;
	}
	return false;
}

/* Returns the number of bytes of a path that the tables of one process share, which is all up to
 * "kernel_trace.csv.gz", "agent_info.csv" and similar names; 0: unknown. */
static size_t shared_part(const char *path)
{
	static const char ending[] = "_trace.csv", agents[] = "agent_info.csv";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *found = NULL;
	size_t length;
	bool any = false;

	for (const char *at = strstr(name, ending); at; at = strstr(at + 1, ending))
		found = at;
	if (!found) {
		found = strstr(name, agents);
		length = found ? (size_t)(found - name) : 0;
		return found ? (size_t)(name - path) + length + !length : 0;
	}
	length = (size_t)(found - name);
	while (drop_word(name, &length))
		any = true;
	return any ? (size_t)(name - path) + length + 1 : 0;
}

static bool is_table(const struct weir_input *input)
{
	return input->trace && strcmp(input->format, "rocprof") == 0;
}

static bool is_part(const struct weir_input *input)
{
	return is_table(input) && shared_part(input->path) > 0;
}

static bool belong_together(const struct weir_input *left, const struct weir_input *right)
{
	size_t length = shared_part(left->path);

	return shared_part(right->path) == length && !memcmp(left->path, right->path, length - 1);
}

static struct weir_slice text_of(const struct weir_trace *trace, uint32_t name)
{
	return (struct weir_slice){weir_names_text(trace->names, name),
	                           weir_names_length(trace->names, name)};
}

static void add_host(struct weir_builder *builder, const struct weir_trace *trace)
{
	const struct weir_host_columns *host = &trace->host;

	for (size_t i = 0; i < host->count; i++) {
		const struct weir_thread *thread = &trace->threads[host->thread[i]];

		weir_builder_add_host(builder, &(struct weir_host_event){
						       .kind = (enum weir_host_kind)host->kind[i],
						       .start_ns = host->start_ns[i],
						       .end_ns = host->end_ns[i],
						       .pid = thread->pid,
						       .tid = thread->tid,
						       .name = text_of(trace, host->name[i]),
						       .correlation = host->correlation[i],
						       .at = UINT64_MAX,
					       });
	}
}

static void add_device(struct weir_builder *builder, const struct weir_trace *trace)
{
	const struct weir_device_columns *device = &trace->device;

	for (size_t i = 0; i < device->count; i++)
		weir_builder_add_device(builder,
		                        &(struct weir_device_event){
						.kind = (enum weir_device_kind)device->kind[i],
						.start_ns = device->start_ns[i],
						.end_ns = device->end_ns[i],
						.device = trace->devices[device->device[i]].id,
						.stream = trace->streams[device->stream[i]].id,
						.name = text_of(trace, device->name[i]),
						.correlation = device->correlation[i],
						.bytes = device->bytes[i],
						.blocks = device->blocks[i],
						.threads_per_block = device->threads_per_block[i],
						.at = UINT64_MAX,
					});
}

/* Returns true if the trace describes devices but has no events. */
static bool lists_agents(const struct weir_trace *trace)
{
	return !trace->host.count && !trace->device.count;
}

/* Adds the descriptions of devices. */
static void add_agents(struct weir_builder *builder, const struct weir_trace *trace)
{
	for (size_t i = 0; i < trace->device_count; i++) {
		struct weir_trace_device device = trace->devices[i];

		if (!device.described)
			continue;
		device.name = weir_builder_name(builder, text_of(trace, device.name));
		weir_builder_describe_device(builder, &device);
	}
}

static bool is_described(const struct weir_profile *profile, const size_t *parts, size_t count,
                         int64_t id)
{
	for (size_t i = 0; i < count; i++) {
		const struct weir_trace *trace = profile->inputs[parts[i]].trace;

		for (size_t d = 0; d < trace->device_count; d++)
			if (trace->devices[d].described && trace->devices[d].id == id)
				return true;
	}
	return false;
}

/* Returns true if a device with events has the number of a description: both then count nodes, CPUs
 * included. With --agent-index=type-relative events count GPUs only. */
static bool numbers_nodes(const struct weir_profile *profile, const size_t *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct weir_trace *trace = profile->inputs[parts[i]].trace;

		for (size_t d = 0; d < trace->device_count; d++)
			if (!trace->devices[d].described &&
			    is_described(profile, parts, count, trace->devices[d].id))
				return true;
	}
	return false;
}

/* Puts an input with events first, because the first input keeps the timeline. */
static void put_work_first(const struct weir_profile *profile, size_t *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t part = parts[i];

		if (lists_agents(profile->inputs[part].trace))
			continue;
		parts[i] = parts[0];
		parts[0] = part;
		return;
	}
}

/* Joins the timelines of the parts into one, which the first part keeps. */
static enum weir_status join_parts(struct weir_profile *profile, const size_t *parts, size_t count,
                                   struct weir_error *err)
{
	struct weir_input *first = &profile->inputs[parts[0]];
	struct weir_trace *trace = first->trace;
	bool by_node = numbers_nodes(profile, parts, count);
	struct weir_builder *builder;
	enum weir_status status;

	first->trace = NULL; /* else the builder would free it */
	builder = weir_builder_new(first);
	if (!by_node)
		weir_builder_match_devices_by_order(builder);
	for (size_t i = 0; i < count; i++) {
		struct weir_input *input = &profile->inputs[parts[i]];

		if (i) {
			trace = input->trace;
			input->trace = NULL;
		}
		add_host(builder, trace);
		add_device(builder, trace);
		add_agents(builder, trace);
		weir_trace_free(trace);
		for (size_t j = 0; j < sizeof(recounted) / sizeof(recounted[0]); j++)
			input->warnings[recounted[j]] = (struct weir_warning){0};
	}
	status = weir_builder_finish(builder, err);
	weir_builder_free(builder);
	return status;
}

/* Drops traces of agents that no timeline has taken. Fails if the profile has nothing else. */
static enum weir_status drop_agents(struct weir_profile *profile, struct weir_error *err)
{
	const struct weir_input *alone = NULL;
	size_t others = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		struct weir_input *input = &profile->inputs[i];

		if (!is_table(input) || !lists_agents(input->trace)) {
			others++;
			continue;
		}
		weir_trace_free(input->trace);
		input->trace = NULL;
		alone = input;
	}
	if (!alone || others)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_EMPTY,
	                 "%s: it lists the agents of a machine but has no events: pass "
	                 "*_kernel_trace.csv of the same run",
	                 alone->path);
}

enum weir_status weir_rocprof_join(struct weir_profile *profile, struct weir_error *err)
{
	size_t *parts = weir_alloc((profile->input_count + 1) * sizeof(*parts));
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < profile->input_count; i++) {
		size_t count = 0;

		if (!is_part(&profile->inputs[i]))
			continue;
		parts[count++] = i;
		for (size_t j = i + 1; j < profile->input_count; j++)
			if (is_part(&profile->inputs[j]) &&
			    belong_together(&profile->inputs[i], &profile->inputs[j]))
				parts[count++] = j;
		put_work_first(profile, parts, count);
		if (count > 1)
			status = join_parts(profile, parts, count, err);
	}
	free(parts);
	return status ? status : drop_agents(profile, err);
}
