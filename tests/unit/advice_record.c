/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/analysis/advice/advise.h"
#include "engine/analysis/advice/draft.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/places.h"
#include "engine/analysis/advice/replay.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "rules/fixes.h"
#include "tests/unit/advice_record.h"

#define FOLDER      "tests/data/advice/figures"
#define MOST_PLACES 3 /* that a block describes */

/* ---- figures ---- */

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static void add_places(struct weir_text *text, struct weir_draft *draft)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_found_fix fix = {0};

	weir_places_fill(draft, arena, &fix);
	weir_text_printf(text, "\t\t%.9g us in %.9g calls of %zu places\n", fix.places_ns / 1000,
	                 fix.calls, draft->place_count);
	for (size_t i = 0; i < fix.place_count && i < MOST_PLACES; i++) {
		const struct weir_fix_place *place = &fix.places[i];

		weir_text_printf(text, "\t\t%.9g us, %.9g, %.9g: %s %s %s %s %s\n",
		                 place->ns / 1000, place->count, place->share, or_none(place->op),
		                 or_none(place->shapes), or_none(place->kernel),
		                 or_none(place->stage), or_none(place->frame));
	}
	weir_arena_free(arena);
}

static double replayed_us(const struct weir_draft *draft, struct weir_host_speed speed,
                          enum weir_replay_end end)
{
	return weir_replay(&draft->program, speed, end) / 1000;
}

/* Adds the sums of the program's times: a replay shows only those on the longest way. */
static void add_sums(struct weir_text *text, const struct weir_program *program)
{
	double low_ns = 0, ns = 0, high_ns = 0, gap_ns = 0;
	double dispatch_ns = 0, work_ns = 0, call_ns = 0, return_ns = 0;
	size_t waits = 0;

	for (size_t j = 0; j < program->job_count; j++) {
		low_ns += program->jobs[j].low_ns;
		ns += program->jobs[j].ns;
		high_ns += program->jobs[j].high_ns;
		gap_ns += program->jobs[j].gap_ns;
	}
	for (size_t i = 0; i < program->issue_count; i++) {
		dispatch_ns += program->issues[i].dispatch_ns;
		work_ns += program->issues[i].work_ns;
		call_ns += program->issues[i].call_ns;
		return_ns += program->issues[i].return_ns;
		waits += program->issues[i].until != WEIR_NONE;
	}
	weir_text_printf(text, "\t\tdevice %.9g, %.9g to %.9g, gaps %.9g", ns, low_ns, high_ns,
	                 gap_ns);
	weir_text_printf(text, "; host %.9g, work %.9g, calls %.9g, %zu waits return in %.9g\n",
	                 dispatch_ns, work_ns, call_ns, waits, return_ns);
}

/* Adds what the fix gives if the host is faster without its profiler, at two different rates. */
static void add_fast_host(struct weir_text *text, const struct weir_fix_method *method,
                          const struct weir_advisor *advisor)
{
	struct weir_advisor other = *advisor;
	struct weir_draft draft;

	other.speed = (struct weir_host_speed){.dispatch = 0.5, .work = 0.8};
	weir_draft_init(&draft, &other);
	if (weir_draft_apply(&draft, method->apply)) {
		weir_text_printf(text, "\t\tfast host: %.9g us\n",
		                 replayed_us(&draft, other.speed, WEIR_REPLAY_TYPICAL));
		add_sums(text, &draft.program);
	}
	weir_draft_release(&draft);
}

static void add_fix(struct weir_text *text, const struct weir_fix_method *method,
                    const struct weir_advisor *advisor)
{
	const size_t items = advisor->program.job_count + advisor->program.issue_count;
	struct weir_draft draft;
	size_t touched = 0;

	weir_draft_init(&draft, advisor);
	if (weir_draft_apply(&draft, method->apply)) {
		for (size_t i = 0; i < items; i++)
			touched += draft.touched[i];
		weir_text_printf(text, "\t%s: %.9g us, %.9g to %.9g, %zu of %zu", method->id,
		                 replayed_us(&draft, advisor->speed, WEIR_REPLAY_TYPICAL),
		                 replayed_us(&draft, advisor->fast, WEIR_REPLAY_LOW),
		                 replayed_us(&draft, advisor->slow, WEIR_REPLAY_HIGH), touched,
		                 items);
		if (draft.floor_high_ns > 0)
			weir_text_printf(text, ", floor %.9g, %.9g to %.9g", draft.floor_ns / 1000,
			                 draft.floor_low_ns / 1000, draft.floor_high_ns / 1000);
		if (draft.rows > 0)
			weir_text_printf(text, ", of %.9g rows", draft.rows);
		weir_text_printf(text, "\n\t\t%s\n", or_none(draft.basis.data));
		add_places(text, &draft);
		add_sums(text, &draft.program);
		add_fast_host(text, method, advisor);
	}
	weir_draft_release(&draft);
}

/* Adds the fixes that the report names, in their order. */
static void add_advice(struct weir_text *text, const struct weir_advisor *advisor)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_fix_catalogue catalogue;
	struct weir_found_fixes found;
	struct weir_error err;

	assert_int_equal(weir_fixes_load(arena, &catalogue, &err), WEIR_OK);
	weir_advise(advisor->program.analysis, advisor->report, &catalogue, arena, &found);
	weir_text_printf(text, "\tstep %.9g, busy %.9g to %.9g, slower by %.9g to %.9g\n",
	                 found.step_ns, found.least_busy, found.most_busy, found.least_slower,
	                 found.most_slower);
	for (size_t i = 0; i < found.count; i++) {
		const struct weir_found_fix *fix = &found.items[i];

		weir_text_printf(text, "\tnames %s%s%s: %.9g -> %.9g, %.9g to %.9g, %.9g;",
		                 fix->entry->id, fix->of_trace ? " of all" : "",
		                 fix->of_row ? " of a row" : "", fix->before_ns, fix->step_ns,
		                 fix->low_ns, fix->high_ns, fix->speedup);
		for (size_t n = 0; n < fix->need_count; n++)
			weir_text_printf(text, " need %s",
			                 weir_need_state_name(fix->needs[n].state));
		for (size_t n = 0; n < WEIR_COUNT_OF(fix->instead) && fix->instead[n]; n++)
			weir_text_printf(text, " instead of %s", fix->instead[n]);
		weir_text_puts(text, "\n");
	}
	weir_arena_free(arena);
}

/* A block has a line of the run, and indented lines of the fixes that it has a place for. */
static void describe(struct weir_text *text, const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	double gap_ns = 0, host_ns = 0;

	for (size_t j = 0; j < program->job_count; j++)
		gap_ns += program->jobs[j].gap_ns;
	for (size_t i = 0; i < program->issue_count; i++)
		host_ns += program->issues[i].dispatch_ns + program->issues[i].work_ns;
	weir_text_printf(text, "%zu calls, %zu jobs, %.10g us, %.10g of the host, %.10g of gaps",
	                 program->issue_count, program->job_count, advisor->before_ns / 1000,
	                 host_ns / 1000, gap_ns / 1000);
	weir_text_printf(text, ", %.6g GB/s, %.6g us an operator\n", advisor->bandwidth / 1e9,
	                 advisor->operator_ns / 1000);
	for (const struct weir_fix_method *method = weir_fix_methods; method->id; method++)
		add_fix(text, method, advisor);
	add_advice(text, advisor);
}

/* ---- the file ---- */

/* Fills the path of the file of this program; PATH_MAX bytes. */
static void name_file(char *path)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	const char *name;

	assert_true(length > 0);
	program[length] = '\0';
	name = strrchr(program, '/') + 1;
	assert_true(strncmp(name, "test_", 5) == 0);
	(void)snprintf(path, PATH_MAX, FOLDER "/%s.txt", name + 5);
}

static void read_file(const char *path, struct weir_text *out)
{
	char buffer[4096];
	FILE *file = fopen(path, "rb");
	size_t got;

	if (!file)
		return;
	while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
		weir_text_add(out, buffer, got);
	assert_int_equal(fclose(file), 0);
}

/* Returns how many bytes two texts have in common up to the first line that differs. */
static size_t common(const char *a, const char *b)
{
	size_t line = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '\n')
			line = i + 1;
	return line;
}

/* True if a text goes on with another block, or ends. */
static bool ends(const char *text)
{
	return text[0] != '\t';
}

/* Finds the block; false: fills `same` with the bytes of it up to the first line that no block of
 * the file has there. */
static bool find(const char *file, const struct weir_text *block, size_t *same)
{
	const char *at = file;

	*same = 0;
	while (at) {
		size_t length = common(at, block->data);

		if (length == block->length && ends(at + length))
			return true;
		if (length > *same)
			*same = length;
		do {
			at = strchr(at, '\n');
			at = at ? at + 1 : NULL;
		} while (at && !ends(at));
	}
	return false;
}

/* Adds the block to the file, unless it is there; the first one of a program begins a new file. */
static void update(const char *path, const struct weir_text *block)
{
	static bool begun;
	struct weir_text content = {0};
	size_t same;

	if (begun)
		read_file(path, &content);
	if (!begun || !find(content.data, block, &same)) {
		FILE *file = fopen(path, begun ? "ab" : "wb");

		assert_non_null(file);
		assert_int_equal(fwrite(block->data, 1, block->length, file), block->length);
		assert_int_equal(fclose(file), 0);
	}
	begun = true;
	weir_text_release(&content);
}

/* Fails if the file does not have the block, and shows the first line that it does not have. */
static void compare(const char *path, const struct weir_text *block)
{
	struct weir_text content = {0};
	size_t same = 0;

	read_file(path, &content);
	if (!content.data || !find(content.data, block, &same)) {
		const char *line = block->data + same;

		fail_msg("no run in %s has the line \"%.*s\"", path, (int)strcspn(line, "\n"),
		         line);
	}
	weir_text_release(&content);
}

void advice_record_check(const struct weir_advisor *advisor)
{
	struct weir_text block = {0};
	char path[PATH_MAX];

	name_file(path);
	describe(&block, advisor);
	if (getenv("WEIR_UPDATE_ADVICE"))
		update(path, &block);
	else
		compare(path, &block);
	weir_text_release(&block);
}
