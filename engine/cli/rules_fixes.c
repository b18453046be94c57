/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/cli/help.h"
#include "engine/cli/rules_fixes.h"
#include "engine/pipeline/fix_examples.h"
#include "rules/fix_examples.h"
#include "rules/fixes.h"

#define LABEL_COLUMNS 14

void weir_rules_entry(struct weir_text *text, const char *label, const char *words)
{
	struct weir_text wrapped = {0};

	weir_help_wrap(&wrapped, words, LABEL_COLUMNS, WEIR_HELP_COLUMNS);
	if (wrapped.length > LABEL_COLUMNS) {
		weir_text_printf(text, "  %-*s", LABEL_COLUMNS - 2, label);
		weir_text_puts(text, wrapped.data + LABEL_COLUMNS);
	}
	weir_text_release(&wrapped);
}

/* ---- list ---- */

size_t weir_fixes_width(const struct weir_fix_catalogue *fixes)
{
	size_t width = 0;

	for (size_t i = 0; i < fixes->count; i++) {
		size_t length = strlen(fixes->items[i].id);

		width = length > width ? length : width;
	}
	return width;
}

void weir_fixes_list(const struct weir_fix_catalogue *fixes, size_t width, struct weir_text *text)
{
	for (size_t i = 0; i < fixes->count; i++)
		weir_text_printf(text, "%-*s  %-13s  %s\n", (int)width, fixes->items[i].id, "fix",
		                 fixes->items[i].title);
}

/* ---- show ---- */

static void add_needs(const struct weir_fix_entry *fix, struct weir_text *text)
{
	struct weir_text entry = {0};

	for (size_t i = 0; i < fix->need_count; i++) {
		weir_text_clear(&entry);
		weir_text_puts(&entry, fix->needs[i].what);
		if (fix->needs[i].first)
			weir_text_printf(&entry, "; else first %s", fix->needs[i].first);
		if (!fix->needs[i].check)
			weir_text_puts(&entry, " (a profile does not show it)");
		weir_rules_entry(text, "needs", entry.data);
	}
	weir_text_release(&entry);
}

void weir_fixes_show(const struct weir_fix_entry *fix, struct weir_text *text)
{
	struct weir_text entry = {0};

	weir_text_printf(text, "%s: %s\n\n", fix->id, fix->title);
	weir_rules_entry(text, "because", fix->why);
	for (size_t i = 0; i < fix->how_count; i++) {
		weir_text_clear(&entry);
		weir_text_printf(&entry, "%s: %s", fix->hows[i].framework, fix->hows[i].text);
		weir_rules_entry(text, "how", entry.data);
	}
	add_needs(fix, text);
	weir_text_clear(&entry);
	weir_text_printf(&entry, "effort %s, change of results: %s", weir_effort_name(fix->effort),
	                 fix->numerics);
	weir_rules_entry(text, "costs", entry.data);
	weir_text_release(&entry);
}

/* ---- check ---- */

static void add_expected(const struct weir_fix_example *example, struct weir_text *text)
{
	if (!example->found)
		weir_text_puts(text, "no recommendation");
	else if (isnan(example->low_us))
		weir_text_puts(text, "a recommendation");
	else
		weir_text_printf(text, "a step of %g to %g us", example->low_us, example->high_us);
}

static void add_failure(const struct weir_fix_example *example, const struct weir_fix_trial *trial,
                        struct weir_text *text)
{
	weir_text_printf(text, "%s: %s: examples[%zu]: expected ", example->file, example->fix,
	                 example->index);
	add_expected(example, text);
	if (!trial->found)
		weir_text_puts(text, ", got no recommendation\n");
	else if (isnan(trial->step_ns))
		weir_text_puts(text, ", got a recommendation without a step\n");
	else
		weir_text_printf(text, ", got a step of %.1f us\n", trial->step_ns / 1e3);
}

static enum weir_status check_examples(const struct weir_fix_examples *examples,
                                       struct weir_text *text, struct weir_fixes_checked *checked,
                                       struct weir_error *err)
{
	for (size_t i = 0; i < examples->count; i++) {
		struct weir_fix_trial trial;
		enum weir_status status = weir_fix_example_run(&examples->items[i], &trial, err);

		if (status)
			return status;
		checked->examples++;
		if (trial.passed)
			continue;
		checked->failed++;
		add_failure(&examples->items[i], &trial, text);
	}
	return WEIR_OK;
}

/* Adds the ids of the fixes without an example; none is skipped silently. */
static void add_missing(const struct weir_fix_catalogue *fixes,
                        const struct weir_fix_examples *examples, struct weir_text *text)
{
	struct weir_text ids = {0};
	size_t missing = 0;

	for (size_t i = 0; i < fixes->count; i++) {
		size_t e = 0;

		while (e < examples->count &&
		       strcmp(examples->items[e].fix, fixes->items[i].id) != 0)
			e++;
		if (e < examples->count)
			continue;
		weir_text_printf(&ids, "%s%s", missing ? ", " : "", fixes->items[i].id);
		missing++;
	}
	if (missing > 0)
		weir_text_printf(text, "fixes without an example: %zu (%s)\n", missing, ids.data);
	weir_text_release(&ids);
}

enum weir_status weir_fixes_check(struct weir_text *text, struct weir_fixes_checked *checked,
                                  struct weir_error *err)
{
	struct weir_fix_examples *examples = weir_fix_examples_new();
	struct weir_arena *arena = weir_arena_new();
	struct weir_fix_catalogue fixes;
	enum weir_status status = weir_fixes_load(arena, &fixes, err);

	*checked = (struct weir_fixes_checked){0};
	if (!status)
		status = weir_fix_examples_load(examples, err);
	if (!status)
		status = check_examples(examples, text, checked, err);
	if (!status) {
		add_missing(&fixes, examples, text);
		weir_text_printf(text, "fixes %zu, examples %zu, failed %zu\n", fixes.count,
		                 checked->examples, checked->failed);
	}
	weir_fix_examples_free(examples);
	weir_arena_free(arena);
	return status;
}
