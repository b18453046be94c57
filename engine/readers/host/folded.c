/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads folded stacks, the input of flame graphs: one "root;caller;leaf 12" per line, written by
 * stackcollapse-*.pl, py-spy, async-profiler, bpftrace and PyTorch's export_stacks. The unit of the
 * numbers is unknown, and only shares are reported, unless a comment before the stacks names it:
 * "# unit: ns", "samples" or "events". If a line has two numbers (a difference), the second counts.
 * Stacks of an idle processor are idle time. Allocations that async-profiler counted end in the
 * class of the object, "byte[]_[i]", and are no time.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define ENOUGH_LINES  0.8 /* share of a head's lines that must be stacks */
#define SURE_BITS     24  /* a semicolon, a blank and a digit; formats that verify more win */
#define LEAF_BITS     8   /* a blank and a digit in each line: any other format wins */
#define FEWEST_LEAVES 3   /* lines without callers; fewer may be any text */
#define MOST_LEAVES   256 /* lines that are compared with each other */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Takes blanks off the end of the text. */
static void trim_end(struct weir_slice *text)
{
	while (text->length && is_blank(text->data[text->length - 1]))
		text->length--;
}

/* Takes the last word off the text if it is a number of at least 0, and the blanks before it. */
static bool take_number(struct weir_slice *text, int64_t *out)
{
	size_t start = text->length;

	while (start && !is_blank(text->data[start - 1]))
		start--;
	if (!start || !weir_parse_scaled(text->data + start, text->length - start, 0, out) ||
	    *out < 0)
		return false;
	text->length = start;
	trim_end(text);
	return true;
}

/* Takes the number off a stack. Returns false if the line is not a stack. */
static bool take_stack(struct weir_slice *line, int64_t *weight)
{
	int64_t before;

	while (line->length && strchr(" \t\r", line->data[line->length - 1]))
		line->length--;
	if (!line->length || strchr(" \t;", *line->data) || !take_number(line, weight))
		return false;
	take_number(line, &before);
	return line->length > 0;
}

static bool is_comment(struct weir_slice line)
{
	return !line.length || *line.data == '#' || weir_slice_starts(line, "//");
}

/* Takes "# unit: ns". */
static void take_unit(struct weir_slice line, enum weir_host_unit *unit)
{
	static const char mark[] = "# unit: ";
	char name[16];

	if (!weir_slice_starts(line, mark))
		return;
	line.data += sizeof(mark) - 1;
	line.length -= sizeof(mark) - 1;
	while (line.length && strchr(" \t\r", line.data[line.length - 1]))
		line.length--;
	if (line.length >= sizeof(name))
		return;
	memcpy(name, line.data, line.length);
	name[line.length] = '\0';
	weir_host_unit_parse(name, unit);
}

/* True if the text may be a function: no blank outside brackets, and none of the bytes behind which
 * a text states a value. */
static bool is_function(struct weir_slice text)
{
	size_t depth = 0;

	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (c && strchr("(<[", c))
			depth++;
		else if (c && strchr(")>]", c))
			depth -= depth > 0;
		else if (c == '{' || c == '"' || (!depth && (c == ' ' || c == '\t')))
			return false;
	}
	return text.length && !strchr(":=,", text.data[text.length - 1]);
}

static int by_text(const void *left, const void *right)
{
	const struct weir_slice *a = left, *b = right;
	size_t length = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->data, b->data, length);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Takes a whole number above 0 and the blanks before it off the end of the line. */
static bool take_count(struct weir_slice *line)
{
	size_t end = line->length;
	bool above = false;

	for (; end && line->data[end - 1] >= '0' && line->data[end - 1] <= '9'; end--)
		above |= line->data[end - 1] != '0';
	if (!above || !end || !strchr(" \t", line->data[end - 1]))
		return false;
	while (end && strchr(" \t", line->data[end - 1]))
		end--;
	line->length = end;
	return true;
}

/* True if the lines of the head are stacks of one frame: each a function that no other line has,
 * and a whole number above 0. A table, a log and a list of settings are not. */
static bool are_leaves(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, leaves[MOST_LEAVES];
	size_t count = 0;

	while (count < MOST_LEAVES && weir_csv_take_line(&rest, &line)) {
		if (is_comment(line) || (!rest.length && count >= FEWEST_LEAVES))
			continue;
		if (line.length && line.data[line.length - 1] == '\r')
			line.length--;
		if (!take_count(&line) || !is_function(line))
			return false;
		leaves[count++] = line;
	}
	qsort(leaves, count, sizeof(*leaves), by_text);
	for (size_t i = 1; i < count; i++)
		if (by_text(&leaves[i - 1], &leaves[i]) == 0)
			return false;
	return count >= FEWEST_LEAVES;
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	size_t lines = 0, stacks = 0, calls = 0;
	int64_t weight;

	while (weir_csv_take_line(&rest, &line)) {
		if (is_comment(line) || (!rest.length && lines > 1))
			continue;
		lines++;
		if (!take_stack(&line, &weight))
			continue;
		stacks++;
		calls += memchr(line.data, ';', line.length) != NULL;
	}
	if (!calls)
		return are_leaves(head, len) ? LEAF_BITS : 0;
	return (double)stacks >= ENOUGH_LINES * (double)lines ? SURE_BITS : 0;
}

/* ---- stacks ---- */

/* The last stack and the node of each of its frames. Neighbouring lines of sorted stacks, which
 * most tools write, begin with the same frames, which are then not looked up again. */
struct last_stack {
	struct weir_text text;
	struct known_frame {
		size_t end; /* in the text, behind the frame */
		uint32_t node;
	} * frames;
	size_t count, capacity;
};

static void last_stack_release(struct last_stack *last)
{
	weir_text_release(&last->text);
	free(last->frames);
}

/* Drops the frames that the stack does not begin with. Returns the node of the last one that is
 * left and sets *at to the place behind it. */
static uint32_t common_frames(struct last_stack *last, struct weir_slice stack, size_t *at)
{
	size_t common = 0;

	while (common < stack.length && common < last->text.length &&
	       stack.data[common] == last->text.data[common])
		common++;
	while (last->count > 0) {
		const struct known_frame *frame = &last->frames[last->count - 1];

		*at = frame->end;
		if (*at <= common && (*at == stack.length || stack.data[*at] == ';'))
			return frame->node;
		last->count--;
	}
	*at = 0;
	return WEIR_HOST_ROOT;
}

/* Functions in which a processor waits for an interrupt: of Linux, FreeBSD, FreeRTOS and ESP-IDF.
 */
static const char *const idle_functions[] = {
	"acpi_idle_do_entry",
	"acpi_idle_enter",
	"acpi_safe_halt",
	"arch_cpu_idle",
	"cpu_idle",
	"cpu_idle_poll",
	"cpu_do_idle",
	"cpuidle_enter",
	"cpuidle_enter_state",
	"cpuidle_idle_call",
	"default_idle",
	"default_idle_call",
	"do_idle",
	"esp_cpu_wait_for_intr",
	"esp_vApplicationIdleHook",
	"intel_idle",
	"intel_idle_ibrs",
	"intel_idle_irq",
	"intel_idle_xstate",
	"mwait_idle",
	"mwait_idle_with_hints",
	"mwait_idle_with_hints.constprop.0",
	"native_safe_halt",
	"poll_idle",
	"prvIdleTask",
	"pv_native_safe_halt",
	"vApplicationIdleHook",
};

/* Returns true if a processor without work runs this function. */
static bool is_idle_function(struct weir_slice function)
{
	static const char kernel[] = "_[k]"; /* of stackcollapse-perf.pl --kernel */
	const size_t length = sizeof(kernel) - 1;

	if (function.length > length &&
	    !memcmp(function.data + function.length - length, kernel, length))
		function.length -= length;
	for (size_t i = 0; i < WEIR_COUNT_OF(idle_functions); i++)
		if (weir_slice_equals(function, idle_functions[i]))
			return true;
	return false;
}

/* Returns true for a stack of the idle task, "swapper/3;...", or one that ends in a function of an
 * idle processor. */
static bool is_idle(struct weir_slice stack)
{
	size_t root = 0, leaf = stack.length;

	while (root < stack.length && !strchr(";/", stack.data[root]))
		root++;
	while (leaf && stack.data[leaf - 1] != ';')
		leaf--;
	return weir_slice_equals((struct weir_slice){stack.data, root}, "swapper") ||
	       is_idle_function((struct weir_slice){stack.data + leaf, stack.length - leaf});
}

static void add_stack(struct weir_host_profile *profile, struct last_stack *last,
                      struct weir_slice stack, int64_t weight, struct weir_input *input,
                      uint64_t position)
{
	size_t at;
	uint32_t node;

	if (is_idle(stack)) {
		profile->idle += weight < INT64_MAX - profile->idle ? weight : 0;
		return;
	}
	node = common_frames(last, stack, &at);
	while (at < stack.length) {
		const char *start = stack.data + at;
		const char *end = memchr(start, ';', stack.length - at);
		struct weir_slice frame = {start, end ? (size_t)(end - start) : stack.length - at};

		at += frame.length;
		trim_end(&frame); /* blanks behind a leaf belong to its number */
		if (frame.length) {
			node = weir_host_child(profile, node,
			                       weir_host_frame_of_text(profile, frame));
			last->frames = weir_grow(last->frames, &last->capacity, last->count + 1,
			                         sizeof *last->frames);
			last->frames[last->count++] = (struct known_frame){at, node};
		}
		at += end != NULL;
	}
	weir_text_clear(&last->text);
	weir_text_add(&last->text, stack.data, stack.length);
	if (node == UINT32_MAX)
		weir_input_warn(input, WEIR_WARN_THINNED, position, "call stacks");
	else if (node != WEIR_HOST_ROOT)
		weir_host_weigh(profile, node, weight);
}

/* Returns true if async-profiler marked the name as the class of an object: "byte[]_[i]" in a
 * buffer of a thread, "java.lang.Object_[k]" outside. Names of methods have a slash. */
static bool is_class(const char *name)
{
	size_t length = strlen(name);

	return length > 4 &&
	       (!strcmp(name + length - 4, "_[i]") || !strcmp(name + length - 4, "_[k]")) &&
	       !strpbrk(name, "/:( ");
}

/* Returns true if every stack ends in a class, and one in an array: classes alone may be locks or
 * methods. */
static bool counts_allocations(const struct weir_host_profile *profile)
{
	bool arrays = false;

	for (size_t i = 1; i < profile->node_count; i++) {
		const struct weir_host_node *node = &profile->nodes[i];
		const char *name =
			weir_names_text(profile->names, profile->frames[node->frame].function);

		if (!node->self)
			continue;
		if (!is_class(name))
			return false;
		arrays |= strstr(name, "[]_[") != NULL;
	}
	return arrays;
}

static enum weir_status read_folded(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct weir_host_profile *profile = weir_host_profile_new(WEIR_HOST_WEIGHT);
	struct weir_csv *lines = weir_csv_new(source, &weir_host_lines);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(lines);
	static const char allocations[] = "allocations";
	struct last_stack last = {0};
	const struct weir_csv_row *row;
	enum weir_status status;
	int64_t weight;

	while (!(status = weir_csv_next(lines, &row, err)) && row) {
		struct weir_slice line = row->line;

		if (!input->events)
			take_unit(line, &profile->unit);
		if (is_comment(line))
			continue;
		if (!take_stack(&line, &weight)) {
			weir_input_warn(input,
			                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_SKIPPED_EVENT,
			                row->at, NULL);
			continue;
		}
		input->events++;
		add_stack(profile, &last, line, weight, input, row->at);
	}
	if (skipped->count)
		weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, skipped->first_at,
		                "a line of more than 1 MiB");
	last_stack_release(&last);
	if (profile->unit == WEIR_HOST_WEIGHT && counts_allocations(profile))
		memcpy(profile->event, allocations, sizeof allocations);
	weir_csv_free(lines);
	weir_damage_of_source(input, source);
	return weir_host_settle(profile, input, status, err);
}

const struct weir_reader weir_reader_folded = {
	.name = "folded",
	.title = "folded stacks of a host profiler (stackcollapse, py-spy -f raw, export_stacks)",
	.gives = "host profile",
	.sniff = sniff,
	.read = read_folded,
};
