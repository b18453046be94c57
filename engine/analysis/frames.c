/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <string.h>

#include "engine/analysis/frames.h"
#include "engine/base/arena.h"

struct fragment {
	const char *text;
	uint8_t class; /* enum weir_frame_class */
};

/* Parts of the names that frameworks give; frames look like "path/file.py(123): function". */
static const struct fragment fragments[] = {
	{"DataLoader", WEIR_FRAME_INPUT},
	{"torch/utils/data/", WEIR_FRAME_INPUT},
	{"tokenization_", WEIR_FRAME_INPUT},
	{"tokenizers/", WEIR_FRAME_INPUT},
	{"tiktoken/", WEIR_FRAME_INPUT},
	{"sentencepiece/", WEIR_FRAME_INPUT},
	{"torch/_dynamo/convert_frame.py", WEIR_FRAME_COMPILE},
	{"torch/_inductor/compile_fx.py", WEIR_FRAME_COMPILE},
	{"torch/_inductor/codecache.py", WEIR_FRAME_COMPILE},
	{"torch/utils/cpp_extension.py", WEIR_FRAME_COMPILE},
	{"triton/compiler/", WEIR_FRAME_COMPILE},
	{"triton/backends/", WEIR_FRAME_COMPILE},
	{"_compile.compile_inner", WEIR_FRAME_COMPILE},
	{"compile_fx_inner", WEIR_FRAME_COMPILE},
	{"(dynamo_timed)", WEIR_FRAME_COMPILE},
};

static const char *const loading_records[] = {"Lazy Function Loading", "Module Loading",
                                              "Driver Compiler"};

enum weir_frame_class weir_frame_class(const char *name)
{
	for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++)
		if (strstr(name, fragments[i].text))
			return (enum weir_frame_class)fragments[i].class;
	return WEIR_FRAME_PLAIN;
}

uint8_t *weir_frame_class_of_names(const struct weir_names *names)
{
	size_t count = weir_names_count(names);
	uint8_t *classes = weir_alloc(count);

	for (size_t i = 0; i < count; i++)
		classes[i] = (uint8_t)weir_frame_class(weir_names_text(names, (uint32_t)i));
	return classes;
}

const char *weir_frame_without_folders(const char *name)
{
	size_t path = strcspn(name, "(");

	if (name[0] != '/' && !(name[0] && name[1] == ':'))
		return name;
	while (path > 0 && name[path - 1] != '/' && name[path - 1] != '\\')
		path--;
	return name + path;
}

bool weir_overhead_is_loading(const char *name)
{
	for (size_t i = 0; i < sizeof loading_records / sizeof *loading_records; i++)
		if (strstr(name, loading_records[i]))
			return true;
	return false;
}
