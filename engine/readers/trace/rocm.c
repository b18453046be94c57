/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/trace/builder.h"
#include "engine/readers/trace/rocm.h"

enum weir_device_kind weir_rocm_kernel_kind(struct weir_slice name)
{
	if (weir_slice_starts(name, "__amd_rocclr_copyBuffer"))
		return WEIR_DEVICE_COPY;
	return weir_slice_starts(name, "__amd_rocclr_fillBuffer") ? WEIR_DEVICE_SET
	                                                          : WEIR_DEVICE_KERNEL;
}

struct weir_slice weir_rocm_kernel_name(struct weir_slice name)
{
	static const char *const endings[] = {" [clone .kd]", ".kd"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t length = strlen(endings[i]);

		if (name.length > length &&
		    !memcmp(name.data + name.length - length, endings[i], length)) {
			name.length -= length;
			break;
		}
	}
	return name;
}

static const struct {
	const char *direction, *name;
	bool to_host;
} copies[] = {
	{"HOST_TO_DEVICE", "Memcpy HtoD (Host -> Device)", false},
	{"DEVICE_TO_HOST", "Memcpy DtoH (Device -> Host)", true},
	{"DEVICE_TO_DEVICE", "Memcpy DtoD (Device -> Device)", false},
	{"HOST_TO_HOST", "Memcpy HtoH (Host -> Host)", true},
};

/* Returns the index in `copies`; -1: unknown direction. */
static int find_copy(struct weir_slice direction)
{
	static const char prefix[] = "MEMORY_COPY_";

	if (weir_slice_starts(direction, prefix)) {
		direction.data += sizeof(prefix) - 1;
		direction.length -= sizeof(prefix) - 1;
	}
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (weir_slice_equals(direction, copies[i].direction))
			return (int)i;
	return -1;
}

struct weir_slice weir_rocm_copy_name(struct weir_slice direction)
{
	int copy = find_copy(direction);

	return copy < 0 ? direction : weir_slice_of(copies[copy].name);
}

bool weir_rocm_copies_to_host(struct weir_slice direction)
{
	int copy = find_copy(direction);

	return copy >= 0 && copies[copy].to_host;
}

const char *weir_rocm_times(int64_t start_ns, int64_t *end_ns, bool *turned)
{
	*turned = false;
	if (start_ns < 0 || *end_ns < 0)
		return "no start or end in whole nanoseconds";
	if (!start_ns && !*end_ns)
		return "start and end are 0";
	if (*end_ns < start_ns) {
		*turned = true;
		*end_ns = start_ns;
	}
	return *end_ns >= WEIR_MAX_TIME_NS || *end_ns - start_ns > WEIR_MAX_DURATION_NS
	               ? "time or duration out of range"
	               : NULL;
}

uint64_t weir_rocm_blocks(int64_t grid, int64_t workgroup)
{
	if (grid <= 0 || workgroup <= 0)
		return 0;
	return (uint64_t)grid / (uint64_t)workgroup + (grid % workgroup > 0);
}

uint32_t weir_rocm_clamp(uint64_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}
