/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/drawing/stacks.h"
#include "engine/analysis/names/frames.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/timeline/leaves.h"
#include "engine/model/bound.h"

static uint32_t root_of(struct weir_flame_builder *builder, const struct weir_rank *rank,
                        bool several, const char *side)
{
	uint32_t root = weir_flame_child(builder, WEIR_FLAME_NOBODY, WEIR_FLAME_ROOT, side);
	struct weir_text name = {0};

	if (!several)
		return root;
	weir_text_printf(&name, "rank %" PRId64, rank->rank);
	root = weir_flame_child(builder, root, WEIR_FLAME_RANK, name.data);
	weir_text_release(&name);
	return root;
}

static uint32_t work_frame(struct weir_flame_builder *builder, const struct weir_rank *rank,
                           uint32_t stage, uint32_t row)
{
	const struct weir_timeline *timeline = &rank->timeline;
	uint32_t op = timeline->op[row], frame = stage;
	struct weir_text name = {0};

	if (op != WEIR_NONE)
		frame = weir_flame_child(builder, frame, WEIR_FLAME_OPERATOR,
		                         weir_timeline_host_name(timeline, op));
	weir_kernel_display(weir_timeline_device_name(timeline, row), &name);
	frame = weir_flame_child(builder, frame, WEIR_FLAME_KERNEL,
	                         name.data ? name.data : "(no name)");
	weir_text_release(&name);
	return frame;
}

static uint32_t idle_frame(struct weir_flame_builder *builder, uint32_t stage, enum weir_idle idle)
{
	struct weir_text name = {0};
	uint32_t frame;

	weir_text_printf(&name, "idle: %s", weir_idle_name(idle));
	frame = weir_flame_child(builder, stage, WEIR_FLAME_IDLE, name.data);
	weir_text_release(&name);
	return frame;
}

static void add_device(struct weir_flame_builder *builder, const struct weir_rank *rank,
                       uint32_t root)
{
	for (size_t i = 0; i < rank->segments.count; i++) {
		const struct weir_segment *segment = &rank->segments.items[i];
		uint32_t frame = root;

		if (segment->span != WEIR_NONE) {
			uint32_t stage = rank->steps.spans[segment->span].stage;

			frame = weir_flame_child(builder, root, WEIR_FLAME_STAGE,
			                         rank->steps.stages[stage].name);
		}
		frame = segment->busy ? work_frame(builder, rank, frame, segment->row)
		                      : idle_frame(builder, frame, segment->idle);
		weir_flame_add(builder, frame, weir_segment_ns(segment));
	}
}

static uint32_t thread_frame(struct weir_flame_builder *builder, const struct weir_trace *trace,
                             uint32_t root, uint32_t thread)
{
	const struct weir_thread *row = &trace->threads[thread];
	const char *given = weir_names_text(trace->names, row->name);
	struct weir_text number = {0}, name = {0};
	uint32_t frame;

	weir_text_printf(&number, "%" PRId64, row->tid);
	if (strstr(given, number.data)) /* "thread 492 (python3)" holds its number already */
		weir_text_puts(&name, given);
	else
		weir_text_printf(&name, "%s %s", *given ? given : "thread", number.data);
	weir_text_release(&number);
	frame = weir_flame_child(builder, root, WEIR_FLAME_THREAD, name.data);
	weir_text_release(&name);
	return frame;
}

static const enum weir_flame_kind kinds[] = {
	[WEIR_HOST_OP] = WEIR_FLAME_OPERATOR,   [WEIR_HOST_ANNOTATION] = WEIR_FLAME_STAGE,
	[WEIR_HOST_PYTHON] = WEIR_FLAME_PYTHON, [WEIR_HOST_API] = WEIR_FLAME_CALL,
	[WEIR_HOST_OVERHEAD] = WEIR_FLAME_CALL,
};

static uint32_t host_frame(struct weir_flame_builder *builder, const struct weir_timeline *timeline,
                           uint32_t parent, uint32_t row, const struct weir_stage_aliases *aliases)
{
	const char *name = weir_timeline_host_name(timeline, row);
	uint8_t kind = timeline->trace->host.kind[row];
	struct weir_stage_name stage;

	if (kind == WEIR_HOST_PYTHON)
		name = weir_frame_without_folders(name);
	if (kind != WEIR_HOST_ANNOTATION)
		return weir_flame_child(builder, parent, kinds[kind], name);
	weir_stage_name_parse(name, aliases, &stage);
	if (stage.role == WEIR_ROLE_STEP)
		name = "step";
	else if (stage.role != WEIR_ROLE_IGNORED)
		name = stage.name;
	return weir_flame_child(builder, parent, WEIR_FLAME_STAGE, name);
}

/* Sets the frame of each host row of the thread. Parents precede their children. */
static void find_frames(struct weir_flame_builder *builder, const struct weir_timeline *timeline,
                        uint32_t root, uint32_t thread, const struct weir_stage_aliases *aliases,
                        uint32_t *frame_of)
{
	uint32_t top = thread_frame(builder, timeline->trace, root, thread);
	size_t first, end;

	weir_timeline_thread_rows(timeline, thread, &first, &end);
	for (size_t i = first; i < end; i++) {
		uint32_t parent = timeline->parent[i];

		frame_of[i] =
			host_frame(builder, timeline, parent == WEIR_NONE ? top : frame_of[parent],
		                   (uint32_t)i, aliases);
	}
}

static void add_thread(struct weir_flame_builder *builder, const struct weir_timeline *timeline,
                       uint32_t thread, const struct weir_measure *windows,
                       const uint32_t *frame_of)
{
	struct weir_leaves leaves;

	weir_leaves_init(&leaves, timeline, thread);
	for (size_t i = 0; i + 1 < leaves.count; i++) {
		int64_t start_ns = leaves.time_ns[i], end_ns = leaves.time_ns[i + 1];

		if (leaves.row[i] == WEIR_NONE)
			continue;
		weir_flame_add(builder, frame_of[leaves.row[i]],
		               windows->set->count > 0
		                       ? weir_measure_inside(windows, start_ns, end_ns)
		                       : weir_span_ns(start_ns, end_ns));
	}
	weir_leaves_release(&leaves);
}

static void unite_windows(const struct weir_steps *steps, struct weir_intervals *out)
{
	for (size_t d = 0; d < steps->device_count; d++)
		for (size_t w = 0; w < steps->windows[d].count; w++)
			weir_intervals_push(out, steps->windows[d].items[w].start_ns,
			                    steps->windows[d].items[w].end_ns);
	weir_intervals_unite(out);
}

void weir_stacks_add(struct weir_flame_builder *builder, const struct weir_rank *rank, bool several,
                     const struct weir_stage_aliases *aliases)
{
	const struct weir_trace *trace = rank->trace;
	uint32_t *frame_of = weir_alloc((trace->host.count + 1) * sizeof *frame_of);
	uint32_t device = root_of(builder, rank, several, "device");
	uint32_t host = root_of(builder, rank, several, "host");
	struct weir_intervals all = {0};
	struct weir_measure windows;

	unite_windows(&rank->steps, &all);
	weir_measure_init(&windows, &all);
	add_device(builder, rank, device);
	for (uint32_t t = 0; t < trace->thread_count; t++) {
		find_frames(builder, &rank->timeline, host, t, aliases, frame_of);
		add_thread(builder, &rank->timeline, t, &windows, frame_of);
	}
	weir_measure_release(&windows);
	weir_intervals_release(&all);
	free(frame_of);
}
