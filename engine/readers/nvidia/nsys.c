/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads SQLite exports of Nsight Systems (nsys export --type sqlite) of every schema version: the
 * tables that describe the recording are read here, those of events in the other files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/nsys.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

/* ---- tables that describe the recording ---- */

#define LABEL_SIZE 256 /* bytes; longer texts are left out */

enum gpu_column {
	GPU_ID,
	GPU_NAME,
	GPU_MEMORY,
	GPU_SMS,
	GPU_MAJOR,
	GPU_MINOR,
	GPU_WARP,
};

static const char *const gpu_columns[] = {
	"id",           "name",         "totalMemory",    "smCount",
	"computeMajor", "computeMinor", "threadsPerWarp", NULL};

static uint32_t as_u32(const struct weir_sqlscan *row, int column)
{
	int64_t value;

	return weir_sqlscan_int(row, column, &value) && value > 0 && value < UINT32_MAX
	               ? (uint32_t)value
	               : 0;
}

static void take_gpu(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_trace_device device = {0};
	int64_t bytes;

	if (!weir_sqlscan_int(row, GPU_ID, &device.id) || device.id < 0)
		return;
	device.name = weir_builder_name(reader->builder, weir_sqlscan_text(row, GPU_NAME));
	if (weir_sqlscan_int(row, GPU_MEMORY, &bytes) && bytes > 0)
		device.memory_bytes = (uint64_t)bytes;
	device.sms = as_u32(row, GPU_SMS);
	device.compute_major = as_u32(row, GPU_MAJOR);
	device.compute_minor = as_u32(row, GPU_MINOR);
	device.warp_size = as_u32(row, GPU_WARP);
	weir_builder_describe_device(reader->builder, &device);
}

static const struct nsys_table gpus_table = {"TARGET_INFO_GPU", gpu_columns, take_gpu, false};

enum ordinal_column {
	ORDINAL_GPU,
	ORDINAL_CUDA,
	ORDINAL_PID,
};

static const char *const ordinal_columns[] = {"gpuId", "cudaId", "pid", NULL};

static void take_ordinal(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct nsys_device device;

	if (weir_sqlscan_int(row, ORDINAL_GPU, &device.gpu) &&
	    weir_sqlscan_int(row, ORDINAL_CUDA, &device.ordinal) &&
	    weir_sqlscan_int(row, ORDINAL_PID, &device.pid))
		weir_nsys_add_device(reader, &device);
}

static const struct nsys_table ordinals_table = {"TARGET_INFO_CUDA_DEVICE", ordinal_columns,
                                                 take_ordinal, false};

static const char *const start_columns[] = {"utcEpochNs", NULL};

static void take_start(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	int64_t base_ns;

	if (weir_sqlscan_int(row, 0, &base_ns) && base_ns > 0 && base_ns < WEIR_MAX_TIME_NS)
		reader->input->trace->base_ns = base_ns;
}

static const struct nsys_table start_table = {"TARGET_INFO_SESSION_START_TIME", start_columns,
                                              take_start, false};

/* Returns true if the text, a variable or several with semicolons between them, sets
 * CUDA_LAUNCH_BLOCKING to anything but 0. Values may be in quotes. */
static bool sets_blocking(struct weir_slice text)
{
	static const char name[] = "CUDA_LAUNCH_BLOCKING=";
	const size_t length = sizeof name - 1;

	for (size_t i = 0; i + length < text.length; i++) {
		size_t value = i + length;

		if ((i > 0 && text.data[i - 1] != ';') || memcmp(text.data + i, name, length) != 0)
			continue;
		value += text.data[value] == '"' && value + 1 < text.length;
		return text.data[value] != '0' && text.data[value] != '"' &&
		       text.data[value] != ';';
	}
	return false;
}

/* Adds a label if the environment makes launch calls wait. Everything else in it is private. */
static void take_environment(struct nsys_reader *reader, struct weir_slice text)
{
	if (sets_blocking(text))
		weir_builder_add_label(reader->builder, weir_slice_of(WEIR_LABEL_LAUNCH_BLOCKING),
		                       weir_slice_of("1"));
}

/* A row of (name, value) that becomes a label. Other rows are private. */
struct label_row {
	const char *name, *label;
};

static void take_label(struct nsys_reader *reader, const struct weir_sqlscan *row,
                       const struct label_row *labels)
{
	struct weir_slice name = weir_sqlscan_text(row, 0), value = weir_sqlscan_text(row, 1);

	if (!value.length || value.length > LABEL_SIZE)
		return;
	for (; labels->name; labels++)
		if (weir_slice_equals(name, labels->name))
			weir_builder_add_label(reader->builder, weir_slice_of(labels->label),
			                       value);
}

static const char *const pair_columns[] = {"name", "value", NULL};

static void take_export(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	static const struct label_row labels[] = {
		{"EXPORT_PRODUCT_VERSION", "nsys_version"},
		{"EXPORT_SCHEMA_VERSION", "nsys_schema_version"},
		{NULL, NULL},
	};

	take_label(reader, row, labels);
}

static const struct nsys_table export_table = {"META_DATA_EXPORT", pair_columns, take_export,
                                               false};

static void take_system(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	static const struct label_row labels[] = {
		{"CudaDriverVersion", "cuda_driver_version"},
		{"NvDriverVersion", "nvidia_driver_version"},
		{NULL, NULL},
	};

	take_label(reader, row, labels);
	if (weir_slice_equals(weir_sqlscan_text(row, 0), "DeviceEnvironment"))
		take_environment(reader, weir_sqlscan_text(row, 1));
}

static const struct nsys_table system_table = {"TARGET_INFO_SYSTEM_ENV", pair_columns, take_system,
                                               false};

/* The environment of the profiled process: PROCESS_0:ENVIRONMENT_VARIABLE, 'NAME="value"'. */
static void take_capture(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	static const char end[] = ":ENVIRONMENT_VARIABLE";
	struct weir_slice name = weir_sqlscan_text(row, 0);
	const size_t length = sizeof end - 1;

	if (name.length >= length && memcmp(name.data + name.length - length, end, length) == 0)
		take_environment(reader, weir_sqlscan_text(row, 1));
}

static const struct nsys_table capture_table = {"META_DATA_CAPTURE", pair_columns, take_capture,
                                                false};

static const char *const diagnostic_columns[] = {"severity", NULL};

/* Counts a diagnostic. Its text is not kept, because it names paths and hosts. */
static void take_diagnostic(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	int64_t severity;

	if (weir_sqlscan_int(row, 0, &severity) && (severity == 2 || severity == 3))
		reader->diagnosed++;
}

static const struct nsys_table diagnostics_table = {"DIAGNOSTIC_EVENT", diagnostic_columns,
                                                    take_diagnostic, false};

enum thread_column {
	THREAD_NAME,
	THREAD_GLOBAL,
};

static const char *const thread_columns[] = {"nameId", "globalTid", NULL};

static void take_thread(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	int64_t global;

	if (weir_sqlscan_int(row, THREAD_GLOBAL, &global))
		weir_builder_name_thread(reader->builder, weir_nsys_pid(global),
		                         weir_nsys_tid(global),
		                         weir_nsys_name(reader, row, THREAD_NAME));
}

static const struct nsys_table threads_table = {"ThreadNames", thread_columns, take_thread, false};

/* A value of an enumeration: its label in the file, its number in files without a table of the
 * enumeration, and its name in CUPTI, which other CUDA traces use. */
struct kind {
	const char *label;
	int number;
	const char *name;
};

static const struct kind copy_kinds[] = {
	{"Host-to-Device", 1, "HtoD"},
	{"Device-to-Host", 2, "DtoH"},
	{"Host-to-Array", 3, "HtoA"},
	{"Array-to-Host", 4, "AtoH"},
	{"Array-to-Array", 5, "AtoA"},
	{"Array-to-Device", 6, "AtoD"},
	{"Device-to-Array", 7, "DtoA"},
	{"Device-to-Device", 8, "DtoD"},
	{"Host-to-Host", 9, "HtoH"},
	{"Peer-to-Peer", 10, "PtoP"},
	{"Unified Host-to-Device", 11, "unified HtoD"},
	{"Unified Device-to-Host", 12, "unified DtoH"},
	{"Unified Device-to-Device", 13, "unified DtoD"},
	{NULL, 0, NULL},
};

static const struct kind memory_kinds[] = {
	{"Pageable", 0, "Pageable"},
	{"Pinned", 1, "Pinned"},
	{"Device", 2, "Device"},
	{"Array", 3, "Array"},
	{"Managed", 4, "Managed"},
	{"Device Static", 5, "Device Static"},
	{"Managed Static", 6, "Managed Static"},
	{NULL, 0, NULL},
};

static const struct kind sync_kinds[] = {
	{"Event sync", 1, "Event Sync"},
	{"Stream wait sync", 2, "Stream Wait Event"},
	{"Stream sync", 3, "Stream Sync"},
	{"Context sync", 4, "Context Sync"},
	{NULL, 0, NULL},
};

static const struct kind memory_operations[] = {
	{"Allocation", 0, "allocation"},
	{"Deallocation", 1, "release"},
	{NULL, 0, NULL},
};

static void set_defaults(const struct kind *kinds, const char **names)
{
	for (; kinds->label; kinds++)
		names[kinds->number] = kinds->name;
}

/* Sets the meanings that numbers have if the file has no table of the enumeration. */
static void set_default_kinds(struct nsys_reader *reader)
{
	set_defaults(copy_kinds, reader->copy_kinds);
	set_defaults(memory_kinds, reader->memory_kinds);
	set_defaults(sync_kinds, reader->sync_kinds);
	set_defaults(memory_operations, reader->memory_operations);
}

static const char *const kind_columns[] = {"id", "label", NULL};

/* Takes the label of a number from the file. It overrides the default; an unknown label makes the
 * number unknown. */
static void take_kind(const struct weir_sqlscan *row, const struct kind *kinds, const char **names)
{
	struct weir_slice label = weir_sqlscan_text(row, 1);
	int64_t id;

	if (!weir_sqlscan_int(row, 0, &id) || id < 0 || id >= NSYS_KINDS || !label.length)
		return;
	names[id] = NULL;
	for (; kinds->label; kinds++)
		if (weir_slice_equals(label, kinds->label))
			names[id] = kinds->name;
}

static void take_copy_kind(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	take_kind(row, copy_kinds, reader->copy_kinds);
}

static void take_memory_kind(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	take_kind(row, memory_kinds, reader->memory_kinds);
}

static void take_sync_kind(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	take_kind(row, sync_kinds, reader->sync_kinds);
}

static void take_memory_operation(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	take_kind(row, memory_operations, reader->memory_operations);
}

static const struct nsys_table copy_kinds_table = {"ENUM_CUDA_MEMCPY_OPER", kind_columns,
                                                   take_copy_kind, false};
static const struct nsys_table memory_kinds_table = {"ENUM_CUDA_MEM_KIND", kind_columns,
                                                     take_memory_kind, false};
static const struct nsys_table sync_kinds_table = {"ENUM_CUPTI_SYNC_TYPE", kind_columns,
                                                   take_sync_kind, false};
static const struct nsys_table memory_operations_table = {
	"ENUM_CUDA_DEV_MEM_EVENT_OPER", kind_columns, take_memory_operation, false};

/* ---- the whole file ---- */

/* In reading order: enumerations before the rows that use their numbers, calls before the work that
 * they launch. */
static const struct nsys_table *const tables[] = {
	&export_table,       &start_table,
	&system_table,       &capture_table,
	&gpus_table,         &ordinals_table,
	&copy_kinds_table,   &memory_kinds_table,
	&sync_kinds_table,   &diagnostics_table,
	&threads_table,      &weir_nsys_calls,
	&weir_nsys_ranges,   &weir_nsys_system_calls,
	&weir_nsys_overhead, &weir_nsys_cupti_overhead,
	&weir_nsys_kernels,  &weir_nsys_copies,
	&weir_nsys_sets,     &weir_nsys_graphs,
	&weir_nsys_syncs,    &memory_operations_table,
	&weir_nsys_memory,   &weir_nsys_metric_names,
	&weir_nsys_metrics,
};

/* Recognises databases that cannot be opened, by their head; otherwise owns() decides. */
static const struct weir_mark marks[] = {
	{.first = "S",
         .texts = {{WEIR_SQL_MAGIC, "CUPTI_ACTIVITY_KIND_", "META_DATA_EXPORT"},
                   .all = 1,
                   .any = 2}},
	{.first = "S",
         .texts = {{WEIR_SQL_MAGIC}, .all = 1},
         .refusal = "it is an SQLite database that shows no table of " WEIR_SQL_PROFILERS},
	{0},
};

static bool owns(const struct weir_sqldb *db)
{
	return weir_sqldb_has(db, "META_DATA_EXPORT") ||
	       (weir_sqldb_has(db, "StringIds") &&
	        (weir_sqldb_has(db, "CUPTI_ACTIVITY_KIND_RUNTIME") ||
	         weir_sqldb_has(db, "CUPTI_ACTIVITY_KIND_KERNEL")));
}

static enum weir_status identify(const struct weir_sqldb *db, struct weir_error *err)
{
	return owns(db) ? WEIR_OK
	                : weir_fail(err, WEIR_E_FORMAT,
	                            "no tables of Nsight Systems (META_DATA_EXPORT, "
	                            "CUPTI_ACTIVITY_KIND_RUNTIME with StringIds): %s",
	                            weir_sqldb_hint(db));
}

static enum weir_status read_table(struct nsys_reader *reader, const struct nsys_table *table)
{
	struct weir_sqlscan scan;
	bool more;
	enum weir_status status =
		weir_sqlscan_open(&scan, reader->db, table->name, table->columns, reader->err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) && more) {
		reader->input->events += table->events;
		table->take(reader, &scan);
		status = reader->status;
	}
	weir_sqlscan_close(&scan);
	return status;
}

static enum weir_status read_tables(struct nsys_reader *reader)
{
	enum weir_status status = identify(reader->db, reader->err);

	if (!status)
		status = weir_sqlnames_open(&reader->names, reader->db, "StringIds", "id", "value",
		                            reader->err);
	for (size_t i = 0; !status && i < sizeof(tables) / sizeof(tables[0]); i++)
		status = read_table(reader, tables[i]);
	if (!status) {
		weir_nsys_metrics_finish(reader);
		status = reader->status;
	}
	return status;
}

static enum weir_status conclude(struct nsys_reader *reader)
{
	if (reader->timed) {
		weir_allocations_finish(&reader->allocations, reader->builder);
		return weir_builder_finish(reader->builder, reader->err);
	}
	if (reader->input->events)
		return weir_fail(reader->err, WEIR_E_EMPTY,
		                 "%" PRIu64 " rows, but no row has a usable time",
		                 reader->input->events);
	return weir_fail(reader->err, WEIR_E_EMPTY,
	                 "no CUDA call, no device work and no NVTX range was recorded (%" PRIu64
	                 " warnings of the profiler in DIAGNOSTIC_EVENT may say why): record with "
	                 "nsys profile --trace=cuda,nvtx,osrt",
	                 reader->diagnosed);
}

static void release(struct nsys_reader *reader)
{
	weir_rowmap_release(&reader->by_process);
	weir_rowmap_release(&reader->by_ordinal);
	free(reader->processes);
	free(reader->devices);
	weir_sqlnames_close(&reader->names);
	weir_allocations_release(&reader->allocations);
	weir_nsys_metrics_release(reader);
}

static enum weir_status read_export(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct nsys_reader reader = {.input = input, .err = err};
	enum weir_status status = weir_sqldb_open(source, &reader.db, err);

	if (status)
		return status;
	reader.builder = weir_builder_new(input);
	set_default_kinds(&reader);
	status = read_tables(&reader);
	if (!status)
		status = conclude(&reader);
	release(&reader);
	weir_builder_free(reader.builder);
	weir_sqldb_close(reader.db);
	return status;
}

const struct weir_reader weir_reader_nsys = {
	.name = "nsys",
	.title = "Nsight Systems SQLite exports (nsys export --type sqlite), device metrics "
		 "included",
	.gives = "timeline",
	.marks = marks,
	.owns = owns,
	.read = read_export,
};
