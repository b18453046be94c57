/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an export says beside its events: devices, clock, versions, and what its numbers mean. */
#include "engine/base/text.h"
#include "engine/readers/nvidia/nsys.h"

#define LABEL_SIZE 256 /* longer texts are no labels */

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

const struct nsys_table weir_nsys_gpus = {"TARGET_INFO_GPU", gpu_columns, take_gpu, false};

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

const struct nsys_table weir_nsys_ordinals = {"TARGET_INFO_CUDA_DEVICE", ordinal_columns,
                                              take_ordinal, false};

static const char *const start_columns[] = {"utcEpochNs", NULL};

static void take_start(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	int64_t base_ns;

	if (weir_sqlscan_int(row, 0, &base_ns) && base_ns > 0 && base_ns < WEIR_MAX_TIME_NS)
		reader->input->trace->base_ns = base_ns;
}

const struct nsys_table weir_nsys_start = {"TARGET_INFO_SESSION_START_TIME", start_columns,
                                           take_start, false};

/* Rows of (name, value) that are labels; the rest, an environment among them, is private. */
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

const struct nsys_table weir_nsys_export = {"META_DATA_EXPORT", pair_columns, take_export, false};

static void take_system(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	static const struct label_row labels[] = {
		{"CudaDriverVersion", "cuda_driver_version"},
		{"NvDriverVersion", "nvidia_driver_version"},
		{NULL, NULL},
	};

	take_label(reader, row, labels);
}

const struct nsys_table weir_nsys_system = {"TARGET_INFO_SYSTEM_ENV", pair_columns, take_system,
                                            false};

static const char *const diagnostic_columns[] = {"severity", NULL};

/* Their texts name paths and hosts: they are counted only. */
static void take_diagnostic(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	int64_t severity;

	if (weir_sqlscan_int(row, 0, &severity) && (severity == 2 || severity == 3))
		reader->diagnosed++;
}

const struct nsys_table weir_nsys_diagnostics = {"DIAGNOSTIC_EVENT", diagnostic_columns,
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

const struct nsys_table weir_nsys_threads = {"ThreadNames", thread_columns, take_thread, false};

/* A value of an enumeration: its label in the file, its number where the file has no table of them,
 * and its name in CUPTI, which other traces of CUDA use. */
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

void weir_nsys_kinds_init(struct nsys_reader *reader)
{
	set_defaults(copy_kinds, reader->copy_kinds);
	set_defaults(memory_kinds, reader->memory_kinds);
	set_defaults(sync_kinds, reader->sync_kinds);
	set_defaults(memory_operations, reader->memory_operations);
}

static const char *const kind_columns[] = {"id", "label", NULL};

/* What the file says of a number stands; a label that is not known means nothing here. */
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

const struct nsys_table weir_nsys_copy_kinds = {"ENUM_CUDA_MEMCPY_OPER", kind_columns,
                                                take_copy_kind, false};
const struct nsys_table weir_nsys_memory_kinds = {"ENUM_CUDA_MEM_KIND", kind_columns,
                                                  take_memory_kind, false};
const struct nsys_table weir_nsys_sync_kinds = {"ENUM_CUPTI_SYNC_TYPE", kind_columns,
                                                take_sync_kind, false};
const struct nsys_table weir_nsys_memory_operations = {"ENUM_CUDA_DEV_MEM_EVENT_OPER", kind_columns,
                                                       take_memory_operation, false};
