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

WEIR_ENUM_TEXTS(weir_path_kind, [WEIR_PATH_HOST_OP] = "host_op", [WEIR_PATH_HOST_API] = "host_api",
                [WEIR_PATH_LAUNCH] = "launch", [WEIR_PATH_KERNEL_GAP] = "kernel_gap",
                [WEIR_PATH_COMPUTE] = "compute", [WEIR_PATH_MEMORY] = "memory",
                [WEIR_PATH_MEMCPY] = "memcpy", [WEIR_PATH_COMMUNICATION] = "communication",
                [WEIR_PATH_INPUT] = "input", [WEIR_PATH_IDLE] = "idle")

static const enum path_class class_of[WEIR_PATH_KIND_COUNT] = {
	[WEIR_PATH_HOST_OP] = HOST,    [WEIR_PATH_HOST_API] = HOST,
	[WEIR_PATH_LAUNCH] = HOST,     [WEIR_PATH_KERNEL_GAP] = GAPS,
	[WEIR_PATH_COMPUTE] = COMPUTE, [WEIR_PATH_MEMORY] = MEMORY,
	[WEIR_PATH_MEMCPY] = MEMORY,   [WEIR_PATH_COMMUNICATION] = COMMUNICATION,
	[WEIR_PATH_INPUT] = HOST,      [WEIR_PATH_IDLE] = IDLE,
};

const char *weir_path_class(const int64_t ns[WEIR_PATH_KIND_COUNT])
{
	double of_class[CLASSES] = {0}, total = 0, next = 0;
	size_t top = 0;

	for (size_t i = 0; i < WEIR_PATH_KIND_COUNT; i++) {
		of_class[class_of[i]] += (double)ns[i];
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
