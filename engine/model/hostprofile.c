/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/hostprofile.h"

#define MAX_NAME 4096 /* bytes kept of a function's name */

WEIR_ENUM_TEXTS(weir_host_unit, [WEIR_HOST_NS] = "ns", [WEIR_HOST_SAMPLES] = "samples",
                [WEIR_HOST_EVENTS] = "events", [WEIR_HOST_WEIGHT] = "weight")

struct weir_host_profile *weir_host_profile_new(enum weir_host_unit unit)
{
	struct weir_host_profile *profile = weir_alloc(sizeof *profile);

	profile->unit = unit;
	profile->names = weir_names_new();
	profile->nodes = weir_grow(NULL, &profile->node_capacity, 1, sizeof *profile->nodes);
	profile->nodes[profile->node_count++] =
		(struct weir_host_node){.parent = UINT32_MAX, .frame = UINT32_MAX};
	return profile;
}

void weir_host_profile_free(struct weir_host_profile *profile)
{
	if (!profile)
		return;
	weir_names_free(profile->names);
	free(profile->frames);
	free(profile->nodes);
	free(profile->functions);
	weir_rowmap_release(&profile->frame_map);
	weir_rowmap_release(&profile->node_map);
	free(profile);
}

static struct weir_slice last_part(struct weir_slice path)
{
	for (size_t i = path.length; i-- > 0;)
		if (path.data[i] == '/' || path.data[i] == '\\')
			return (struct weir_slice){path.data + i + 1, path.length - i - 1};
	return path;
}

/* Adds a name, cut between two characters and at a NUL. Returns its id. */
static uint32_t intern(struct weir_host_profile *profile, struct weir_slice text)
{
	size_t length = text.length < MAX_NAME ? text.length : MAX_NAME;
	const char *nul = length ? memchr(text.data, '\0', length) : NULL;

	if (nul)
		length = (size_t)(nul - text.data);
	while (length && length < text.length && ((unsigned char)text.data[length] & 0xc0) == 0x80)
		length--;
	return length ? weir_names_add(profile->names, text.data, length) : 0;
}

uint32_t weir_host_frame(struct weir_host_profile *profile, struct weir_slice function,
                         struct weir_slice path)
{
	return weir_host_frame_at(profile, function, last_part(path), 0);
}

uint32_t weir_host_frame_at(struct weir_host_profile *profile, struct weir_slice function,
                            struct weir_slice path, uint32_t line)
{
	const struct weir_host_frame frame = {.function = intern(profile, function),
	                                      .file = intern(profile, last_part(path)),
	                                      .path = intern(profile, path),
	                                      .line = line};
	uint64_t key = (uint64_t)frame.function << 32 | frame.path;
	uint32_t hash = weir_rowmap_hash_pair(key, (uint64_t)line), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&profile->frame_map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (profile->frames[row].function == frame.function &&
		    profile->frames[row].path == frame.path && profile->frames[row].line == line)
			return row;
	if (profile->frame_count == WEIR_MAX_HOST_FRAMES)
		return UINT32_MAX;
	profile->frames = weir_grow(profile->frames, &profile->frame_capacity,
	                            profile->frame_count + 1, sizeof *profile->frames);
	profile->frames[profile->frame_count] = frame;
	weir_rowmap_add(&profile->frame_map, hash, (uint32_t)profile->frame_count);
	return (uint32_t)profile->frame_count++;
}

uint32_t weir_host_child(struct weir_host_profile *profile, uint32_t parent, uint32_t frame)
{
	uint32_t hash = weir_rowmap_hash((uint64_t)parent << 32 | frame), row;
	size_t probe = 0;

	if (parent == UINT32_MAX || frame == UINT32_MAX)
		return UINT32_MAX;
	while ((row = weir_rowmap_next(&profile->node_map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (profile->nodes[row].parent == parent && profile->nodes[row].frame == frame)
			return row;
	if (profile->node_count == WEIR_MAX_HOST_NODES)
		return UINT32_MAX;
	profile->nodes = weir_grow(profile->nodes, &profile->node_capacity, profile->node_count + 1,
	                           sizeof *profile->nodes);
	profile->nodes[profile->node_count] =
		(struct weir_host_node){.parent = parent, .frame = frame};
	weir_rowmap_add(&profile->node_map, hash, (uint32_t)profile->node_count);
	return (uint32_t)profile->node_count++;
}

static int64_t sum(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

void weir_host_weigh(struct weir_host_profile *profile, uint32_t node, int64_t weight)
{
	profile->nodes[node].self = sum(profile->nodes[node].self, weight);
	profile->total = sum(profile->total, weight);
}

void weir_host_add_function(struct weir_host_profile *profile,
                            const struct weir_host_function *function)
{
	profile->functions = weir_grow(profile->functions, &profile->function_capacity,
	                               profile->function_count + 1, sizeof *profile->functions);
	profile->functions[profile->function_count++] = *function;
	profile->total = sum(profile->total, function->self);
}
