/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the pages of Nsight Compute as text: a line for each launch, and below it sections with
 * tables and the advice of rules. Until 2021 tables have no line of names, and the line of a launch
 * has a date in place of the shapes:
 *
 *	[812] app@127.0.0.1
 *	  scale(float *, int) (128, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6
 *	    Section: GPU Speed Of Light Throughput
 *	    ----------------------- ----------- ------------
 *	    Metric Name             Metric Unit Metric Value
 *	    ----------------------- ----------- ------------
 *	    Duration                         us        12.35
 *	    ----------------------- ----------- ------------
 *
 *	    OPT   Est. Speedup: 12.5%
 *	          This kernel grid is too small to fill the available resources on this device.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/ncu.h"

#define CONTEXT   ", Context "
#define SECTION   "Section: "
#define MAX_WORDS 16
#define DATE      20 /* bytes of "2020-Oct-28 10:36:31" */
#define MAX_KIND  3  /* bytes of "OPT" */

static const struct weir_csv_options blanks = {.separator = ' '};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct weir_slice tail(struct weir_slice text, size_t from)
{
	return (struct weir_slice){text.data + from, text.length - from};
}

/* ---- launches ---- */

/* Cuts the text before the last occurrence of a part; returns false if it has none. */
static bool cut_at_last(struct weir_slice text, const char *part, struct weir_slice *before,
                        struct weir_slice *after)
{
	const char *found = NULL, *next;
	struct weir_slice rest = text;

	while ((next = weir_slice_find(rest, part))) {
		found = next;
		rest = tail(text, (size_t)(next - text.data) + 1);
	}
	if (!found)
		return false;
	*before = (struct weir_slice){text.data, (size_t)(found - text.data)};
	*after = tail(text, before->length + strlen(part));
	return true;
}

/* Cuts the shapes off "name(...) (32, 1, 1)x(256, 1, 1)". Returns false without shapes. */
static bool take_shapes(struct weir_slice *name, uint32_t grid[3], uint32_t block[3])
{
	struct weir_slice before, of_block, of_grid, rest;

	if (!cut_at_last(*name, ")x(", &before, &of_block) ||
	    !cut_at_last(before, "(", &rest, &of_grid) || !rest.length)
		return false;
	if (!weir_ncu_shape(of_grid, grid) || !weir_ncu_shape(of_block, block))
		return false;
	*name = weir_slice_trim(rest);
	return name->length > 0;
}

/* Cuts a date off "name(...), 2020-Oct-28 10:36:31". */
static void drop_date(struct weir_slice *name)
{
	struct weir_slice before, date;

	if (cut_at_last(*name, ", ", &before, &date) && date.length == DATE &&
	    is_digit(date.data[0]) && date.data[4] == '-' && date.data[8] == '-' &&
	    date.data[14] == ':' && date.data[17] == ':')
		*name = before;
}

/* The line of a launch. */
struct launch {
	struct weir_slice name;
	uint32_t grid[3], block[3];
};

/* Takes the line of a launch. Returns false for other lines. */
static bool take_launch(struct weir_slice line, struct launch *launch)
{
	struct weir_slice after;
	bool shapes;

	line = weir_slice_trim(line);
	*launch = (struct launch){.name = line};
	if (!cut_at_last(line, CONTEXT, &launch->name, &after))
		return take_shapes(&launch->name, launch->grid, launch->block);
	if (!after.length || !is_digit(*after.data) || !memchr(after.data, ',', after.length))
		return false;
	shapes = take_shapes(&launch->name, launch->grid, launch->block);
	if (!shapes)
		drop_date(&launch->name);
	launch->name = weir_slice_trim(launch->name);
	return launch->name.length > 0;
}

/* Returns true for "name (8, 1, 1)x(256, 1, 1), Device 0, CC 8.7, Invocations 3". */
static bool is_summary(struct weir_slice line)
{
	struct weir_slice before, after;

	return cut_at_last(line, ", Invocations ", &before, &after) && after.length &&
	       is_digit(*after.data) && weir_slice_holds(before, ", Device ");
}

/* Takes "[812] app@127.0.0.1", the process of the launches below. */
static bool take_process(struct weir_ncu_text *text, struct weir_slice line)
{
	const char *end;
	int64_t process;

	line = weir_slice_trim(line);
	if (!weir_slice_take(&line, "[") || !memchr(line.data, '@', line.length))
		return false;
	end = memchr(line.data, ']', line.length);
	if (!end || !weir_parse_i64(line.data, (size_t)(end - line.data), &process) || process < 0)
		return false;
	text->process = process;
	return true;
}

static enum weir_status add_launch(struct weir_ncu_text *text, const struct launch *launch,
                                   const struct weir_csv_row *row, struct weir_error *err)
{
	struct weir_counted_kernel *kernel;

	if (text->counters->count == WEIR_MAX_COUNTED_KERNELS)
		return weir_fail(err, WEIR_E_LIMIT, "line %llu: more than %u launches",
		                 (unsigned long long)row->number, WEIR_MAX_COUNTED_KERNELS);
	kernel = weir_counters_add(text->counters);
	kernel->name = weir_ncu_intern(text->counters, launch->name, WEIR_NCU_MAX_NAME);
	kernel->launch = (int64_t)text->counters->count - 1;
	kernel->process = text->process;
	kernel->rounded = true;
	memcpy(kernel->grid, launch->grid, sizeof(kernel->grid));
	memcpy(kernel->block, launch->block, sizeof(kernel->block));
	text->has_launch = true;
	text->open = false;
	weir_text_clear(&text->section);
	text->input->events++;
	return WEIR_OK;
}

/* ---- advice of rules ---- */

static struct weir_slice slice_of(const struct weir_text *text)
{
	return (struct weir_slice){text->data ? text->data : "", text->length};
}

/* Returns the name of the rule that gave the advice, if its words show it; else the section. */
static struct weir_slice name_rule(const struct weir_ncu_text *text)
{
	static const char *const bottleneck[] = {"latency issues", "too small to fill",
	                                         "of the available compute or memory"};
	struct weir_slice section = slice_of(&text->section), advice = slice_of(&text->advice);

	if (weir_slice_starts(section, "GPU Speed Of Light"))
		for (size_t i = 0; i < sizeof(bottleneck) / sizeof(bottleneck[0]); i++)
			if (weir_slice_holds(advice, bottleneck[i]))
				return weir_slice_of("SOLBottleneck");
	return section;
}

/* Takes "Est. Local Speedup: 12.5%" off the start of an advice. */
static void take_speedup(struct weir_slice *advice, struct weir_counter_finding *finding)
{
	static const struct {
		const char *text;
		enum weir_finding_scope scope;
	} forms[] = {{"Est. Speedup: ", WEIR_FINDING_GLOBAL},
	             {"Est. Global Speedup: ", WEIR_FINDING_GLOBAL},
	             {"Est. Local Speedup: ", WEIR_FINDING_LOCAL}};
	const char *sign;
	double percent;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!weir_slice_take(advice, forms[i].text))
			continue;
		sign = memchr(advice->data, '%', advice->length);
		if (!sign || weir_ncu_number((struct weir_slice){advice->data,
		                                                 (size_t)(sign - advice->data)},
		                             &percent) != WEIR_NCU_VALUE)
			return;
		finding->speedup = percent / 100;
		finding->scope = forms[i].scope;
		*advice = weir_slice_trim(tail(*advice, (size_t)(sign - advice->data) + 1));
		return;
	}
}

/* Adds the advice that has been collected, if any. */
static void end_advice(struct weir_ncu_text *text, uint64_t at)
{
	struct weir_counter_finding finding = {.speedup = NAN};
	struct weir_slice advice = slice_of(&text->advice);

	if (!text->kind.length)
		return;
	if (text->counters->finding_count == WEIR_MAX_COUNTER_FINDINGS) {
		weir_input_warn(text->input, WEIR_WARN_THINNED, at, "findings of rules");
	} else {
		finding.kernel = text->counters->count - 1;
		take_speedup(&advice, &finding);
		finding.rule = weir_ncu_intern(text->counters, name_rule(text), WEIR_NCU_MAX_NAME);
		finding.kind =
			weir_ncu_intern(text->counters, slice_of(&text->kind), WEIR_NCU_MAX_NAME);
		finding.text = weir_ncu_intern(text->counters, advice, WEIR_MAX_FINDING_TEXT);
		weir_counters_add_finding(text->counters, &finding);
	}
	weir_text_clear(&text->kind);
	weir_text_clear(&text->advice);
}

/* Takes "    OPT   Est. Speedup: 12.5%", or a further line below it. Returns false for other lines.
 */
static bool take_advice(struct weir_ncu_text *text, const struct weir_csv_row *row)
{
	static const char *const kinds[] = {"OPT", "INF", "WRN", "ERR", "OK "};
	struct weir_slice line = weir_slice_trim(row->line);
	size_t column = (size_t)(line.data - row->line.data);

	if (!line.length)
		return false;
	if (text->kind.length && column == text->advice_column) {
		if (text->advice.length < WEIR_MAX_FINDING_TEXT) {
			weir_text_puts(&text->advice, " ");
			weir_text_add(&text->advice, line.data, line.length);
		}
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct weir_slice rest = line;

		if (!weir_slice_take(&rest, kinds[i]) || !weir_slice_take(&rest, "  "))
			continue;
		rest = weir_slice_trim(rest);
		end_advice(text, row->at);
		weir_text_add(&text->kind, line.data, line.data[MAX_KIND - 1] == ' ' ? 2 : 3);
		weir_text_add(&text->advice, rest.data, rest.length);
		text->advice_column = (size_t)(rest.data - row->line.data);
		return true;
	}
	return false;
}

/* ---- tables ---- */

/* Takes a line of dashes, above or below the rows of a table. Returns false for other lines. */
static bool take_rule_line(struct weir_ncu_text *text, struct weir_slice line)
{
	size_t starts[WEIR_NCU_TEXT_COLUMNS], ends[WEIR_NCU_TEXT_COLUMNS], count = 0;

	for (size_t i = 0; i < line.length; i++) {
		if (line.data[i] == ' ')
			continue;
		if (line.data[i] != '-' || count == WEIR_NCU_TEXT_COLUMNS)
			return false;
		starts[count] = i;
		while (i < line.length && line.data[i] == '-')
			i++;
		ends[count++] = i;
		i--;
	}
	if (count != WEIR_NCU_TEXT_COLUMNS)
		return false;
	text->open = !text->open || !text->has_rows;
	text->has_rows = false;
	memcpy(text->starts, starts, sizeof(starts));
	memcpy(text->ends, ends, sizeof(ends));
	return true;
}

/* Splits a row by the columns of its table. Returns false if it does not fit. */
static bool split_columns(const struct weir_ncu_text *text, struct weir_slice line,
                          struct weir_slice cells[WEIR_NCU_TEXT_COLUMNS])
{
	const size_t last = WEIR_NCU_TEXT_COLUMNS - 1;

	if (line.length <= text->starts[last])
		return false;
	for (size_t i = 0; i <= last; i++) {
		size_t end = text->ends[i] < line.length ? text->ends[i] : line.length;

		if ((end < line.length && line.data[end] != ' ') ||
		    (text->starts[i] && line.data[text->starts[i] - 1] != ' '))
			return false;
		cells[i] = weir_slice_trim(
			(struct weir_slice){line.data + text->starts[i], end - text->starts[i]});
	}
	return cells[0].length && cells[last].length;
}

/* Finds the metric of a row whose columns were moved, by words: its name, a unit or none, and the
 * value. */
static bool split_words(const struct weir_ncu_text *text, struct weir_slice line,
                        struct weir_ncu_printed *printed)
{
	struct weir_slice words[MAX_WORDS], trimmed = weir_slice_trim(line);
	size_t count = weir_csv_split(trimmed, &blanks, words, MAX_WORDS);

	for (size_t after = 1; after <= 2 && after < count; after++) {
		const struct weir_slice *last = &words[count - 1 - after];

		printed->metric = weir_ncu_find(
			slice_of(&text->section),
			(struct weir_slice){trimmed.data,
		                            (size_t)(last->data + last->length - trimmed.data)});
		printed->unit = after == 2 ? words[count - 2] : (struct weir_slice){"", 0};
		printed->text = words[count - 1];
		if (printed->metric)
			return true;
	}
	return false;
}

/* Takes a row of an open table. */
static enum weir_status take_metric(struct weir_ncu_text *text, const struct weir_csv_row *row,
                                    struct weir_error *err)
{
	struct weir_slice cells[WEIR_NCU_TEXT_COLUMNS];
	struct weir_ncu_printed printed = {0};
	bool fits = split_columns(text, row->line, cells);

	text->has_rows |= !weir_slice_starts(weir_slice_trim(row->line), "Metric Name");
	if (row->cut && row->line.length < text->ends[WEIR_NCU_TEXT_COLUMNS - 1]) {
		weir_input_warn(text->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	if (fits) {
		printed.metric = weir_ncu_find(slice_of(&text->section), cells[0]);
		printed.unit = cells[1];
		printed.text = cells[2];
	} else if (!split_words(text, row->line, &printed)) {
		return WEIR_OK;
	}
	if (!printed.metric)
		return WEIR_OK;
	return weir_ncu_take_printed(text->input, row, &printed,
	                             &text->counters->kernels[text->counters->count - 1], err);
}

/* ---- lines ---- */

/* Takes the line of a section. Returns false for other lines. */
static bool take_section(struct weir_ncu_text *text, struct weir_slice line)
{
	line = weir_slice_trim(line);
	if (!weir_slice_take(&line, SECTION))
		return false;
	weir_text_clear(&text->section);
	weir_text_add(&text->section, line.data,
	              line.length < WEIR_NCU_MAX_NAME ? line.length : WEIR_NCU_MAX_NAME);
	text->open = false;
	return true;
}

void weir_ncu_text_open(struct weir_ncu_text *text, struct weir_input *input,
                        struct weir_counters *counters)
{
	*text = (struct weir_ncu_text){.input = input, .counters = counters, .process = -1};
}

enum weir_status weir_ncu_text_take(struct weir_ncu_text *text, const struct weir_csv_row *row,
                                    struct weir_error *err)
{
	struct launch launch;
	bool section;

	if (text->has_launch && !text->open && take_advice(text, row))
		return WEIR_OK;
	end_advice(text, row->at);
	if (is_summary(row->line))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: a summary of several launches: run ncu without "
		                 "--print-summary, weir adds up launches itself",
		                 (unsigned long long)row->number);
	if (take_launch(row->line, &launch)) {
		if (!row->cut)
			return add_launch(text, &launch, row, err);
		weir_input_warn(text->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	section = take_section(text, row->line);
	if (section && !text->has_launch) {
		text->orphans = true;
		weir_input_warn(text->input, WEIR_WARN_SKIPPED_EVENT, row->at,
		                "a section without the line of its launch");
	}
	if (section || take_process(text, row->line) || !text->has_launch ||
	    take_rule_line(text, row->line) || !text->open)
		return WEIR_OK;
	return take_metric(text, row, err);
}

void weir_ncu_text_close(struct weir_ncu_text *text)
{
	end_advice(text, UINT64_MAX);
	weir_text_release(&text->section);
	weir_text_release(&text->kind);
	weir_text_release(&text->advice);
}

int weir_ncu_text_sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	struct weir_ncu_text text = {0};
	struct launch launch;
	bool launched = false;

	while (weir_csv_take_line(&rest, &line)) {
		if (take_launch(line, &launch) || is_summary(line))
			launched = true;
		else if (launched && (weir_slice_starts(weir_slice_trim(line), SECTION) ||
		                      take_rule_line(&text, line)))
			return 8 * (int)strlen("Context Stream Section: ");
	}
	return 0;
}
