/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/pipeline/own_tools.h"
#include "engine/readers/reader.h"

/* A text of a rule, and the one in its place. Lists end with NULL. */
struct tool {
	const char *general, *own;
};

static const struct tool of_amd[] = {
	/* The longer text before its beginning. */
	{"ncu --set full; on AMD rocprof-compute", "rocprof-compute profile"},
	{"ncu --set full --csv --page raw", "rocprof-compute profile"},
	{"ncu --set full", "rocprof-compute profile"},
	{0},
};

static const struct tool of_llama[] = {
	{"torch.profiler, Nsight Systems",
         "nsys profile -t cuda around the program, on AMD rocprofv3; "
         "llama-bench -o json times prefill and decode alone"},
	{0},
};

static bool names_amd(const char *device)
{
	static const char *const words[] = {"AMD", "Instinct", "Radeon"};

	for (size_t i = 0; i < WEIR_COUNT_OF(words); i++)
		if (strstr(device, words[i]))
			return true;
	return strncmp(device, "gfx", 3) == 0;
}

static bool is_of_amd(const struct weir_input *input)
{
	const struct weir_reader *reader;

	return input->format && !weir_reader_find(input->format, &reader, NULL) && reader->of_amd;
}

static bool is_about_amd(const struct weir_report *report)
{
	for (size_t i = 0; i < report->device_count; i++)
		if (report->devices[i].name && names_amd(report->devices[i].name))
			return true;
	for (size_t i = 0; i < report->profile->input_count; i++)
		if (is_of_amd(&report->profile->inputs[i]))
			return true;
	return false;
}

/* True if the format holds requests to llama.cpp, which runs the models of ollama. */
static bool is_of_llama(const char *format)
{
	return format && (strcmp(format, "llama-server-log") == 0 || strcmp(format, "ollama") == 0);
}

/* True if all requests of the report went to llama.cpp. */
static bool is_about_llama(const struct weir_report *report)
{
	bool any = false;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];

		if (!input->requests)
			continue;
		if (!is_of_llama(input->format))
			return false;
		any = true;
	}
	return any;
}

/* Returns the text with the own tools, in the report's arena; the text itself if it names no
 * general one. */
static const char *translate(struct weir_report *report, const struct tool *tool, const char *text)
{
	struct weir_text out = {0};
	const char *found = NULL;

	while (text && tool->general && !(found = strstr(text, tool->general)))
		tool++;
	if (!found)
		return text;
	weir_text_add(&out, text, (size_t)(found - text));
	weir_text_puts(&out, tool->own);
	weir_text_puts(&out, found + strlen(tool->general));
	text = weir_arena_copy(report->arena, out.data, out.length);
	weir_text_release(&out);
	return text;
}

static void translate_all(struct weir_report *report, const struct tool *tools)
{
	report->verdict.next = translate(report, tools, report->verdict.next);
	for (size_t i = 0; i < report->recommendation_count; i++) {
		struct weir_recommendation *item = &report->recommendations[i];

		item->why = translate(report, tools, item->why);
		item->how = translate(report, tools, item->how);
	}
}

void weir_name_own_tools(struct weir_report *report)
{
	if (is_about_amd(report))
		translate_all(report, of_amd);
	if (is_about_llama(report))
		translate_all(report, of_llama);
}
