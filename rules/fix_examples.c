/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/embed.h"
#include "rules/fix_examples.h"
#include "rules/fixes.h"

#define STEPS      6 /* of an example that does not say */
#define MAX_STEPS  1000
#define MAX_CALLS  1000
#define MAX_REPEAT 1000
#define MAX_US     1e8 /* duration of a call: 100 s */
#define HOST_US    10  /* of a call that does not say */
#define MAX_RANKS  100000

WEIR_ENUM_TEXTS(weir_call_kind, [WEIR_CALL_KERNEL] = "kernel", [WEIR_CALL_MEMCPY] = "memcpy",
                [WEIR_CALL_MEMSET] = "memset")

/* ---- members ---- */

struct limits {
	double least, most, fallback; /* fallback: of a missing number */
};

static enum weir_status read_number(const cJSON *node, const char *key, struct limits limits,
                                    double *out, struct weir_error *err)
{
	if (weir_json_number(node, key, out, err))
		return err->status;
	if (isnan(*out))
		*out = limits.fallback;
	if (!isnan(*out) && !(*out >= limits.least && *out <= limits.most))
		return weir_fail(err, WEIR_E_FORMAT, "%s: expected a number from %g to %g", key,
		                 limits.least, limits.most);
	return WEIR_OK;
}

static enum weir_status read_count(const cJSON *node, const char *key, size_t most, size_t fallback,
                                   size_t *out, struct weir_error *err)
{
	double number;

	if (read_number(node, key, (struct limits){1, (double)most, (double)fallback}, &number,
	                err))
		return err->status;
	if (number != floor(number))
		return weir_fail(err, WEIR_E_FORMAT, "%s: expected a whole number", key);
	*out = (size_t)number;
	return WEIR_OK;
}

static enum weir_status read_text(const cJSON *node, const char *key, bool required,
                                  const char **out, struct weir_error *err)
{
	if (weir_json_text(node, key, out, err))
		return err->status;
	return *out || !required ? WEIR_OK : weir_fail(err, WEIR_E_FORMAT, "%s: is missing", key);
}

/* ---- calls ---- */

static enum weir_status read_arrays(const cJSON *node, struct weir_fix_call *call,
                                    struct weir_error *err)
{
	const struct {
		const char *key;
		const cJSON **out;
	} arrays[] = {{"dims", &call->dims},
	              {"strides", &call->strides},
	              {"types", &call->types},
	              {"scalars", &call->scalars}};
	int length = -1;

	for (size_t i = 0; i < WEIR_COUNT_OF(arrays); i++) {
		if (weir_json_array(node, arrays[i].key, arrays[i].out, err))
			return err->status;
		if (!*arrays[i].out)
			continue;
		if (length >= 0 && cJSON_GetArraySize(*arrays[i].out) != length)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "%s: expected %d entries, one per input", arrays[i].key,
			                 length);
		length = cJSON_GetArraySize(*arrays[i].out);
	}
	return WEIR_OK;
}

/* Gets a duration: one number for all ranks, or a list with one for each. */
static enum weir_status read_times(const cJSON *node, const char *key, size_t ranks,
                                   double fallback, double *out, struct weir_error *err)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(node, key), *item = NULL;
	double number = fallback;

	if (!cJSON_IsArray(list) &&
	    read_number(node, key, (struct limits){0, MAX_US, fallback}, &number, err))
		return err->status;
	if (cJSON_IsArray(list)) {
		if ((size_t)cJSON_GetArraySize(list) != ranks)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "%s: expected %zu numbers, one per rank", key, ranks);
		item = list->child;
	}
	for (size_t r = 0; r < WEIR_EXAMPLE_RANKS; r++) {
		if (item && !(cJSON_IsNumber(item) && item->valuedouble >= 0 &&
		              item->valuedouble <= MAX_US))
			return weir_fail(err, WEIR_E_FORMAT, "%s: expected numbers from 0 to %g",
			                 key, MAX_US);
		out[r] = item ? item->valuedouble : number;
		item = item ? item->next : NULL;
	}
	return WEIR_OK;
}

static enum weir_status read_work(const cJSON *node, size_t ranks, struct weir_fix_call *call,
                                  struct weir_error *err)
{
	const char *kind = NULL;

	if (read_text(node, "kernel", false, &call->kernel, err) ||
	    read_text(node, "kind", false, &kind, err) ||
	    read_times(node, "us", ranks, NAN, call->us, err) ||
	    read_number(node, "bytes", (struct limits){0, 1e15, NAN}, &call->bytes, err) ||
	    weir_json_bool(node, "sync", false, &call->sync, err))
		return err->status;
	if (kind && !weir_call_kind_parse(kind, &call->kind))
		return weir_fail(err, WEIR_E_FORMAT, "kind: expected kernel, memcpy or memset");
	if (!call->kernel && (kind || call->sync || !isnan(call->us[0])))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "kernel: is missing, so there is no device work");
	if (call->kernel && isnan(call->us[0]))
		return weir_fail(err, WEIR_E_FORMAT, "us: is missing");
	return WEIR_OK;
}

static enum weir_status read_message(const cJSON *node, struct weir_fix_call *call,
                                     struct weir_error *err)
{
	static const char *const keys[] = {"name", "dtype", "elements", "ranks", NULL};
	const cJSON *message = NULL;

	if (weir_json_object(node, "collective", &message, err) || !message)
		return err->status;
	if (!call->kernel)
		return weir_fail(err, WEIR_E_FORMAT, "collective: only with a kernel");
	if (weir_json_known_keys(message, keys, err) ||
	    read_text(message, "name", true, &call->collective, err) ||
	    read_text(message, "dtype", true, &call->dtype, err) ||
	    read_count(message, "elements", (size_t)1 << 40, 1, &call->elements, err) ||
	    read_count(message, "ranks", MAX_RANKS, 2, &call->ranks, err))
		return weir_fail_in(err, "collective");
	return WEIR_OK;
}

/* A call of the driver is shorter than its operator, so that it lies inside. */
#define LEAST_API_US 4

static enum weir_status read_around(const cJSON *node, struct weir_fix_call *call,
                                    struct weir_error *err)
{
	if (read_text(node, "inside", false, &call->inside, err) ||
	    read_text(node, "api", false, &call->api, err))
		return err->status;
	if (call->api && (call->kernel || call->host_us[0] < LEAST_API_US))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "api: only without a kernel, and with host_us of at least %d",
		                 LEAST_API_US);
	return WEIR_OK;
}

static enum weir_status read_call(const cJSON *node, size_t ranks, struct weir_fix_call *call,
                                  struct weir_error *err)
{
	static const char *const keys[] = {
		"op",   "kernel",  "kind",  "us",     "host_us", "bytes",      "sync",    "repeat",
		"dims", "strides", "types", "inside", "api",     "collective", "scalars", NULL};

	if (weir_json_known_keys(node, keys, err) || read_text(node, "op", true, &call->op, err) ||
	    read_work(node, ranks, call, err) || read_message(node, call, err) ||
	    read_times(node, "host_us", ranks, HOST_US, call->host_us, err) ||
	    read_around(node, call, err) ||
	    read_count(node, "repeat", MAX_REPEAT, 1, &call->repeat, err))
		return err->status;
	return read_arrays(node, call, err);
}

/* Gets the list of calls of an example or a group. */
static enum weir_status read_list(const cJSON *node, const cJSON **out, struct weir_error *err)
{
	*out = NULL;
	if (weir_json_array(node, "calls", out, err))
		return err->status;
	if (cJSON_GetArraySize(*out) < 1 || cJSON_GetArraySize(*out) > MAX_CALLS)
		return weir_fail(err, WEIR_E_FORMAT, "calls: expected 1 to %d", MAX_CALLS);
	return WEIR_OK;
}

static enum weir_status add_call(const cJSON *item, struct weir_fix_example *example,
                                 struct weir_error *err)
{
	if (example->call_count == MAX_CALLS)
		return weir_fail(err, WEIR_E_FORMAT, "expected at most %d calls in all", MAX_CALLS);
	return read_call(item, example->ranks, &example->calls[example->call_count++], err);
}

/* Adds the calls of a group as often as it says. */
static enum weir_status add_group(const cJSON *node, struct weir_fix_example *example,
                                  struct weir_error *err)
{
	static const char *const keys[] = {"calls", "repeat", NULL};
	const cJSON *list = NULL, *item;
	size_t repeat = 1;

	if (weir_json_known_keys(node, keys, err) || read_list(node, &list, err) ||
	    read_count(node, "repeat", MAX_REPEAT, 1, &repeat, err))
		return err->status;
	for (size_t i = 0; i < repeat; i++)
		cJSON_ArrayForEach (item, list) {
			if (add_call(item, example, err))
				return err->status;
			example->calls[example->call_count - 1].turn = i;
		}
	return WEIR_OK;
}

static enum weir_status read_calls(const cJSON *node, struct weir_arena *arena,
                                   struct weir_fix_example *example, struct weir_error *err)
{
	const cJSON *list = NULL, *item;
	size_t index = 0;

	if (read_list(node, &list, err))
		return err->status;
	example->calls = weir_arena_alloc(arena, MAX_CALLS * sizeof *example->calls);
	cJSON_ArrayForEach (item, list) {
		bool group = cJSON_GetObjectItemCaseSensitive(item, "calls") != NULL;

		if (group ? add_group(item, example, err) : add_call(item, example, err))
			return weir_fail_in(err, "calls[%zu]", index);
		index++;
	}
	return WEIR_OK;
}

/* ---- examples ---- */

static enum weir_status read_range(const cJSON *node, struct weir_fix_example *example,
                                   struct weir_error *err)
{
	const cJSON *range = NULL, *low, *high;

	example->low_us = example->high_us = NAN;
	if (weir_json_array(node, "step_us", &range, err) || !range)
		return err->status;
	low = cJSON_GetArrayItem(range, 0);
	high = cJSON_GetArrayItem(range, 1);
	if (!example->found)
		return weir_fail(err, WEIR_E_FORMAT, "step_us: only with \"found\": true");
	if (cJSON_GetArraySize(range) != 2 || !cJSON_IsNumber(low) || !cJSON_IsNumber(high) ||
	    !(low->valuedouble <= high->valuedouble))
		return weir_fail(err, WEIR_E_FORMAT, "step_us: expected [low, high]");
	example->low_us = low->valuedouble;
	example->high_us = high->valuedouble;
	return WEIR_OK;
}

static enum weir_status read_expect(const cJSON *node, struct weir_fix_example *example,
                                    struct weir_error *err)
{
	static const char *const keys[] = {"found", "step_us", NULL};
	const cJSON *expect = NULL;

	if (weir_json_object(node, "expect", &expect, err))
		return err->status;
	if (!expect || !cJSON_GetObjectItemCaseSensitive(expect, "found"))
		return weir_fail(err, WEIR_E_FORMAT, "expect.found: is missing");
	if (weir_json_known_keys(expect, keys, err) ||
	    weir_json_bool(expect, "found", false, &example->found, err) ||
	    read_range(expect, example, err))
		return weir_fail_in(err, "expect");
	return WEIR_OK;
}

static enum weir_status read_example(const cJSON *node, struct weir_arena *arena,
                                     struct weir_fix_example *example, struct weir_error *err)
{
	static const char *const keys[] = {"device", "steps", "ranks", "calls", "expect", NULL};

	if (weir_json_known_keys(node, keys, err) ||
	    read_text(node, "device", true, &example->device, err) ||
	    read_count(node, "steps", MAX_STEPS, STEPS, &example->steps, err) ||
	    read_count(node, "ranks", WEIR_EXAMPLE_RANKS, 1, &example->ranks, err) ||
	    read_calls(node, arena, example, err))
		return err->status;
	return read_expect(node, example, err);
}

/* ---- files ---- */

static enum weir_status read_fix(struct weir_fix_examples *examples, const char *file,
                                 const cJSON *fix, struct weir_error *err)
{
	const cJSON *list = NULL, *item;
	const char *id = NULL;
	size_t index = 0;

	if (read_text(fix, "id", true, &id, err) || weir_json_array(fix, "examples", &list, err))
		return err->status;
	cJSON_ArrayForEach (item, list) {
		struct weir_fix_example *example;

		examples->items = weir_grow(examples->items, &examples->capacity,
		                            examples->count + 1, sizeof *examples->items);
		example = &examples->items[examples->count];
		*example = (struct weir_fix_example){.fix = id, .file = file, .index = index};
		if (read_example(item, examples->arena, example, err))
			return weir_fail_in(err, "%s: examples[%zu]", id, index);
		examples->count++;
		index++;
	}
	return WEIR_OK;
}

static enum weir_status read_fixes(struct weir_fix_examples *examples, const char *file,
                                   const cJSON *root, struct weir_error *err)
{
	const cJSON *list = NULL, *item;

	if (weir_json_array(root, "fixes", &list, err))
		return err->status;
	cJSON_ArrayForEach (item, list)
		if (read_fix(examples, file, item, err))
			return err->status;
	return WEIR_OK;
}

enum weir_status weir_fix_examples_parse(struct weir_fix_examples *examples, const char *file,
                                         const char *text, size_t length, struct weir_error *err)
{
	cJSON *root = NULL;
	enum weir_status status = weir_json_parse(text, length, &root, err);

	if (!status) {
		examples->documents =
			weir_grow(examples->documents, &examples->document_capacity,
		                  examples->document_count + 1, sizeof *examples->documents);
		examples->documents[examples->document_count++] = root;
		status = read_fixes(examples, weir_arena_copy(examples->arena, file, strlen(file)),
		                    root, err);
	}
	if (!status)
		return WEIR_OK;
	weir_fail_in(err, "%s", file);
	return err->status = WEIR_E_USAGE;
}

enum weir_status weir_fix_examples_load(struct weir_fix_examples *examples, struct weir_error *err)
{
	const struct weir_embedded *file = weir_embedded_files;

	for (; file->name; file++)
		if (strncmp(file->name, WEIR_FIXES_FOLDER, strlen(WEIR_FIXES_FOLDER)) == 0 &&
		    weir_fix_examples_parse(examples, file->name, file->data, file->length, err))
			return err->status;
	return WEIR_OK;
}

struct weir_fix_examples *weir_fix_examples_new(void)
{
	struct weir_fix_examples *examples = weir_alloc(sizeof *examples);

	examples->arena = weir_arena_new();
	return examples;
}

void weir_fix_examples_free(struct weir_fix_examples *examples)
{
	if (!examples)
		return;
	for (size_t i = 0; i < examples->document_count; i++)
		cJSON_Delete(examples->documents[i]);
	free(examples->documents);
	free(examples->items);
	weir_arena_free(examples->arena);
	free(examples);
}
