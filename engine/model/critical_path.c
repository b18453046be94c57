/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/model/critical_path.h"

#define MAIN_SHARE 0.50
#define MARGIN     0.15

enum path_class { HOST, COMPUTE, MEMORY, COMMUNICATION, GAPS, IDLE, CLASSES };

static const char *const class_names[CLASSES] = {
	[HOST] = "host",     [COMPUTE] = "compute",
	[MEMORY] = "memory", [COMMUNICATION] = "communication",
	[GAPS] = "gaps",     [IDLE] = "idle",
};

static const struct {
	const char *name;
	enum path_class of;
} kinds[WEIR_PATH_KIND_COUNT] = {
	[WEIR_PATH_HOST_OP] = {"host_op", HOST},
	[WEIR_PATH_HOST_API] = {"host_api", HOST},
	[WEIR_PATH_LAUNCH] = {"launch", HOST},
	[WEIR_PATH_KERNEL_GAP] = {"kernel_gap", GAPS},
	[WEIR_PATH_COMPUTE] = {"compute", COMPUTE},
	[WEIR_PATH_MEMORY] = {"memory", MEMORY},
	[WEIR_PATH_MEMCPY] = {"memcpy", MEMORY},
	[WEIR_PATH_COMMUNICATION] = {"communication", COMMUNICATION},
	[WEIR_PATH_INPUT] = {"input", HOST},
	[WEIR_PATH_IDLE] = {"idle", IDLE},
};

const char *weir_path_kind_name(enum weir_path_kind kind)
{
	return (unsigned)kind < WEIR_PATH_KIND_COUNT ? kinds[kind].name : "?";
}

bool weir_path_kind_parse(const char *name, enum weir_path_kind *out)
{
	for (unsigned i = 0; i < WEIR_PATH_KIND_COUNT; i++) {
		if (strcmp(name, kinds[i].name) == 0) {
			*out = (enum weir_path_kind)i;
			return true;
		}
	}
	return false;
}

const char *weir_path_class(const int64_t ns[WEIR_PATH_KIND_COUNT])
{
	double of_class[CLASSES] = {0}, total = 0, next = 0;
	size_t top = 0;

	for (size_t i = 0; i < WEIR_PATH_KIND_COUNT; i++) {
		of_class[kinds[i].of] += (double)ns[i];
		total += (double)ns[i];
	}
	for (size_t i = 1; i < CLASSES; i++)
		if (of_class[i] > of_class[top])
			top = i;
	for (size_t i = 0; i < CLASSES; i++)
		if (i != top && of_class[i] > next)
			next = of_class[i];
	return of_class[top] >= MAIN_SHARE * total && of_class[top] - next >= MARGIN * total
	               ? class_names[top]
	               : WEIR_PATH_MIXED;
}

const char *weir_path_class_parse(const char *name)
{
	for (size_t i = 0; i < CLASSES; i++)
		if (strcmp(name, class_names[i]) == 0)
			return class_names[i];
	return strcmp(name, WEIR_PATH_MIXED) == 0 ? WEIR_PATH_MIXED : NULL;
}
