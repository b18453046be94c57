/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a row of a rocprof table to the builder's call, by what the table holds. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "engine/readers/amd/rocprof.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/trace/rocm.h"

static struct weir_slice cell(const struct rocprof_reader *reader, const struct weir_csv_row *row,
                              enum rocprof_column column)
{
	return weir_csv_cell(row, reader->columns.column[column]);
}

static bool has(const struct rocprof_reader *reader, enum rocprof_column column)
{
	return reader->columns.column[column] != WEIR_CSV_NO_COLUMN;
}

static int64_t number(const struct rocprof_reader *reader, const struct weir_csv_row *row,
                      enum rocprof_column column, int64_t fallback)
{
	struct weir_slice text = cell(reader, row, column);
	int64_t value;

	return text.length && weir_parse_i64(text.data, text.length, &value) ? value : fallback;
}

static uint64_t correlation(const struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	int64_t id = number(reader, row, COLUMN_CORRELATION, 0);

	return id > 0 ? (uint64_t)id : 0;
}

/* "Agent 4", "GPU 0" or 4; -1: unknown. */
static int64_t agent(const struct rocprof_reader *reader, const struct weir_csv_row *row,
                     enum rocprof_column column)
{
	struct weir_slice text = cell(reader, row, column);
	size_t digits = 0;
	int64_t id;

	while (digits < text.length && text.data[text.length - digits - 1] >= '0' &&
	       text.data[text.length - digits - 1] <= '9')
		digits++;
	return digits && weir_parse_i64(text.data + text.length - digits, digits, &id) ? id : -1;
}

static void refuse(struct rocprof_reader *reader, const struct weir_csv_row *row,
                   enum weir_warning_code code, const char *expected)
{
	char detail[sizeof(((struct weir_warning *)0)->detail)];

	snprintf(detail, sizeof(detail), "line %" PRIu64 ": %s", row->number, expected);
	if (!reader->first_problem[0])
		snprintf(reader->first_problem, sizeof(reader->first_problem), "%s", detail);
	weir_input_warn(reader->input, code, row->at, detail);
}

static bool read_times(struct rocprof_reader *reader, const struct weir_csv_row *row,
                       int64_t *start_ns, int64_t *end_ns)
{
	const char *problem;
	bool turned;

	*start_ns = number(reader, row, COLUMN_START, -1);
	*end_ns = number(reader, row, COLUMN_END, -1);
	if (*end_ns >= 0 && *end_ns < *start_ns && row->cut) {
		refuse(reader, row, WEIR_WARN_TRUNCATED, "the file ends in this row");
		return false;
	}
	problem = weir_rocm_times(*start_ns, end_ns, &turned);
	if (turned)
		weir_input_warn(reader->input, WEIR_WARN_NEGATIVE_DURATION, row->at, NULL);
	if (problem)
		refuse(reader, row, WEIR_WARN_NO_TIME, problem);
	else
		reader->timed++;
	return !problem;
}

/* The product over the dimensions there are, and of blocks where grids are counted in work items.
 */
static uint64_t dimensions(const struct rocprof_reader *reader, const struct weir_csv_row *row,
                           bool blocks)
{
	static const enum rocprof_column groups[] = {COLUMN_GROUP_X, COLUMN_GROUP_Y,
	                                             COLUMN_GROUP_Z},
					 grids[] = {COLUMN_GRID_X, COLUMN_GRID_Y, COLUMN_GRID_Z};
	uint64_t product = 1;

	if (has(reader, COLUMN_GROUP)) {
		int64_t group = number(reader, row, COLUMN_GROUP, 0);

		if (blocks)
			return weir_rocm_blocks(number(reader, row, COLUMN_GRID, 0), group);
		return group > 0 ? (uint64_t)group : 0;
	}
	for (size_t i = 0; i < 3; i++) {
		int64_t group = number(reader, row, groups[i], 0);
		uint64_t size = group > 0 ? (uint64_t)group : 0;

		if (blocks)
			size = weir_rocm_blocks(number(reader, row, grids[i], 0), group);
		product = weir_rocm_clamp(product) * (uint64_t)weir_rocm_clamp(size);
	}
	return product;
}

static void take_kernel(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	struct weir_device_event work = {.bytes = -1, .at = row->at};

	if (!read_times(reader, row, &work.start_ns, &work.end_ns))
		return;
	work.name = weir_rocm_kernel_name(cell(reader, row, COLUMN_KERNEL));
	if (!work.name.length)
		work.name = weir_slice_of("(unnamed kernel)");
	work.kind = weir_rocm_kernel_kind(work.name);
	work.device = agent(reader, row, COLUMN_AGENT);
	work.stream =
		number(reader, row, has(reader, COLUMN_STREAM) ? COLUMN_STREAM : COLUMN_QUEUE, -1);
	work.correlation = correlation(reader, row);
	work.blocks = weir_rocm_clamp(dimensions(reader, row, true));
	work.threads_per_block = weir_rocm_clamp(dimensions(reader, row, false));
	weir_builder_add_device(reader->builder, &work);
}

static void take_copy(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice direction = cell(reader, row, COLUMN_DIRECTION);
	struct weir_device_event work = {
		.kind = WEIR_DEVICE_COPY, .bytes = -1, .at = row->at, .stream = -1};

	if (!read_times(reader, row, &work.start_ns, &work.end_ns))
		return;
	work.name = weir_rocm_copy_name(direction);
	work.device =
		agent(reader, row,
	              weir_rocm_copies_to_host(direction) ? COLUMN_SOURCE : COLUMN_DESTINATION);
	work.stream = number(reader, row, COLUMN_STREAM, -1);
	work.correlation = correlation(reader, row);
	weir_builder_add_device(reader->builder, &work);
}

/* Ranges that the program marked; ROCTx is what markers are called before they are one domain. */
static bool is_marker(struct weir_slice domain)
{
	return weir_slice_starts(domain, "MARKER_") || weir_slice_starts(domain, "ROCTX");
}

static void take_call(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	struct weir_host_event host = {.kind = WEIR_HOST_API, .at = row->at};

	if (!read_times(reader, row, &host.start_ns, &host.end_ns))
		return;
	host.name = cell(reader, row, COLUMN_FUNCTION);
	host.pid = number(reader, row, COLUMN_PROCESS, -1);
	host.tid = number(reader, row, COLUMN_THREAD, -1);
	if (is_marker(cell(reader, row, COLUMN_DOMAIN)))
		host.kind = WEIR_HOST_ANNOTATION;
	else
		host.correlation = correlation(reader, row);
	weir_builder_add_host(reader->builder, &host);
}

/* A release does not say how much it gives back: totals are not to be had from these rows. */
static void take_allocation(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	struct weir_host_event host = {.kind = WEIR_HOST_API, .pid = -1, .tid = -1, .at = row->at};

	if (!read_times(reader, row, &host.start_ns, &host.end_ns))
		return;
	host.name = cell(reader, row, COLUMN_OPERATION);
	weir_builder_add_host(reader->builder, &host);
}

/* The whole run is the one iteration that the figures are of. */
static void take_total(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice name = cell(reader, row, COLUMN_NAME);
	int64_t calls = number(reader, row, COLUMN_CALLS, -1),
		total_ns = number(reader, row, COLUMN_TOTAL, -1);
	struct weir_text text = {0};

	if (!name.length || calls < 0 || total_ns < 0) {
		refuse(reader, row, WEIR_WARN_BAD_NUMBER, "no name, or no calls and nanoseconds");
		return;
	}
	if (!reader->input->run) {
		reader->input->run = weir_run_new();
		reader->input->gives = "native run";
	}
	if (reader->input->run->operators.count >= WEIR_FIGURE_MAX)
		return;
	weir_text_add(&text, name.data, name.length);
	if (!weir_series_find(&reader->input->run->operators, text.data)) {
		weir_series_push(weir_series_get(&reader->input->run->operators, text.data),
		                 (double)total_ns);
		weir_series_push(weir_series_get(&reader->input->run->calls, text.data),
		                 (double)calls);
		reader->timed++;
	}
	weir_text_release(&text);
}

/* A product without a name is one by the name of its architecture: gfx942. */
static void take_agent(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	struct weir_trace_device device = {.id = number(reader, row, COLUMN_NODE, -1)};
	struct weir_slice name = cell(reader, row, COLUMN_PRODUCT);
	int64_t units = number(reader, row, COLUMN_UNITS, 0);
	int64_t wave = number(reader, row, COLUMN_WAVE, 0);

	reader->timed++;
	if (device.id < 0 || !weir_slice_equals(cell(reader, row, COLUMN_AGENT_TYPE), "GPU"))
		return;
	device.name = weir_builder_name(reader->builder,
	                                name.length ? name : cell(reader, row, COLUMN_NAME));
	device.sms = units > 0 ? weir_rocm_clamp((uint64_t)units) : 0;
	device.warp_size = wave > 0 ? weir_rocm_clamp((uint64_t)wave) : 0;
	weir_builder_describe_device(reader->builder, &device);
}

void weir_rocprof_row(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	static void (*const takers[])(struct rocprof_reader *, const struct weir_csv_row *) = {
		[ROCPROF_KERNELS] = take_kernel,
		[ROCPROF_CALLS] = take_call,
		[ROCPROF_COPIES] = take_copy,
		[ROCPROF_TOTALS] = take_total,
		[ROCPROF_ALLOCATIONS] = take_allocation,
		[ROCPROF_AGENTS] = take_agent,
	};

	if (row->count != reader->columns.count) {
		refuse(reader, row, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		       row->cut ? "the file ends in this row" : "other columns than the header");
		return;
	}
	takers[reader->columns.table](reader, row);
}
