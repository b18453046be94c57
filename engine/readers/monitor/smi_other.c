/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/monitor/monitor.h"
#include "engine/readers/monitor/smi.h"
#include "engine/readers/parts/csv.h"

#define MAX_CELLS 512 /* --query-gpu with every field has 240 */

/* What lines that are errors begin with. */
static const struct {
	const char *text, *reason;
} failures[] = {
	{"No devices were found", "nvidia-smi found no device"},
	{"Failed to initialize NVML", "nvidia-smi could not initialise NVML: is the driver loaded, "
                                      "and of the library's version?"},
	{"NVIDIA-SMI has failed because", "nvidia-smi could not reach the driver"},
	{"Unable to determine the device handle", "nvidia-smi could not reach a device"},
	{"Field \"", "nvidia-smi does not know a field that was asked for"},
	{"Not supported on the device(s)", "the device does not support this monitor"},
	{"Insufficient Permissions", "nvidia-smi was not allowed to ask the device"},
	{"Failed to process command line", "nvidia-smi did not understand its options"},
	{"Invalid combination of input arguments", "nvidia-smi did not understand its options"},
	{"ERROR: Option", "nvidia-smi did not understand its options"},
};

/* What outputs without samples begin with, after blanks. */
static const struct {
	const char *start, *reason;
} outputs[] = {
	{"\x1b[4mGPU0", "it is the topology of nvidia-smi topo: links between devices, no samples"},
	{"==============NVSMI LOG",
         "it is the report of nvidia-smi -q: record a table with --query-gpu=... --format=csv -lms "
         "200"},
	{"+----------------------------------------------------------------------------------------"
         "-+",
         "it is the overview of nvidia-smi: record a table with --query-gpu=... --format=csv -lms "
         "200"},
	{"+-----------------------------------------------------------------------------+",
         "it is the overview of nvidia-smi: record a table with --query-gpu=... --format=csv -lms "
         "200"},
	{"List of valid properties to query",
         "it is the help of nvidia-smi --help-query-gpu, not a recording"},
};

const char *weir_smi_failure(struct weir_slice line)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (weir_slice_starts(line, failures[i].text))
			return failures[i].reason;
	return NULL;
}

static bool has_cell(const struct weir_slice *cells, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(cells[i], name))
			return true;
	return false;
}

/* The header of a list of processes: --query-compute-apps, --query-accounted-apps, pmon. */
static const char *refuse_header(struct weir_slice line)
{
	static const struct weir_csv_options commas = {.separator = ',', .trim = true};
	static const struct weir_csv_options blanks = {.separator = ' '};
	struct weir_slice cells[MAX_CELLS];
	size_t count = weir_csv_split(line, &commas, cells, MAX_CELLS);

	if (has_cell(cells, count, "pid") &&
	    (has_cell(cells, count, "process_name") || has_cell(cells, count, "gpu_uuid") ||
	     has_cell(cells, count, "used_gpu_memory [MiB]")))
		return "it is a list of processes (nvidia-smi --query-compute-apps): it says "
		       "nothing "
		       "of what a device did; record --query-gpu=...";
	if (count < 2)
		count = weir_csv_split(line, &blanks, cells, MAX_CELLS);
	if (weir_slice_starts(line, "#") && has_cell(cells, count, "pid") &&
	    has_cell(cells, count, "command"))
		return "it is a list of processes (nvidia-smi pmon): record nvidia-smi dmon "
		       "instead";
	return NULL;
}

static const char *refuse_start(struct weir_slice head)
{
	while (head.length && (*head.data == ' ' || *head.data == '\t' || *head.data == '\n' ||
	                       *head.data == '\r'))
		head = (struct weir_slice){head.data + 1, head.length - 1};
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		if (weir_slice_starts(head, outputs[i].start))
			return outputs[i].reason;
	return NULL;
}

#define LINES 16 /* in which a header, an error or the head of a transcript must show */

const char *weir_smi_refusal(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	const char *reason = refuse_start(rest);

	for (int i = 0; !reason && i < LINES && weir_csv_take_line(&rest, &line); i++) {
		if (weir_slice_holds(line, "nvidia_gpu_exporter GPU capture") ||
		    weir_slice_starts(line, "# $ nvidia-smi"))
			return "it is a transcript of several nvidia-smi calls: keep the table of "
			       "one "
			       "of them";
		reason = refuse_header(line);
		if (!reason)
			reason = weir_smi_failure(line);
	}
	return reason;
}
