/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/pipeline/amd_tools.h"
#include "engine/readers/reader.h"

static const struct {
	const char *of_nvidia, *of_amd;
} tools[] = {
	/* The longer text before its beginning. */
	{"ncu --set full; on AMD rocprof-compute", "rocprof-compute profile"},
	{"ncu --set full --csv --page raw", "rocprof-compute profile"},
	{"ncu --set full", "rocprof-compute profile"},
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

/* Returns the text with AMD's tools, in the report's arena; the text itself if it names none. */
static const char *translate(struct weir_report *report, const char *text)
{
	struct weir_text out = {0};
	const char *found = NULL;
	size_t tool = 0;

	for (; text && tool < WEIR_COUNT_OF(tools); tool++)
		if ((found = strstr(text, tools[tool].of_nvidia)))
			break;
	if (!found)
		return text;
	weir_text_add(&out, text, (size_t)(found - text));
	weir_text_puts(&out, tools[tool].of_amd);
	weir_text_puts(&out, found + strlen(tools[tool].of_nvidia));
	text = weir_arena_copy(report->arena, out.data, out.length);
	weir_text_release(&out);
	return text;
}

void weir_name_amd_tools(struct weir_report *report)
{
	if (!is_about_amd(report))
		return;
	report->verdict.next = translate(report, report->verdict.next);
	for (size_t i = 0; i < report->recommendation_count; i++) {
		struct weir_recommendation *item = &report->recommendations[i];

		item->why = translate(report, item->why);
		item->how = translate(report, item->how);
	}
}
