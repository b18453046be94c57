/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/names/stages.h"

#define MAX_COUNT INT64_C(1000000000000000) /* of rows or tokens: sums of a few stay in range */

/* The stage kinds of weir.requests and the words that name them. */
static const struct weir_stage_alias known_aliases[] = {
	{"queue", "queue"},
	{"queuing", "queue"},
	{"queueing", "queue"},
	{"wait", "queue"},
	{"pending", "queue"},
	{"scheduled", "queue"},
	{"scheduling", "queue"},
	{"schedule", "queue"},
	{"waiting", "queue"},
	{"queue+prefill", "other"}, /* one figure for both: SGLang */
	{"batch_assembly", "batch_assembly"},
	{"batch", "batch_assembly"},
	{"batching", "batch_assembly"},
	{"collate", "batch_assembly"},
	{"preprocess", "preprocess"},
	{"preprocessing", "preprocess"},
	{"tokenize", "preprocess"},
	{"tokenization", "preprocess"},
	{"tokenizer", "preprocess"},
	{"decode_input", "preprocess"},
	{"validate", "preprocess"},
	{"validation", "preprocess"},
	{"parse", "preprocess"},
	{"parsing", "preprocess"},
	{"dataloader", "preprocess"},
	{"h2d", "h2d"},
	{"upload", "h2d"},
	{"host_to_device", "h2d"},
	{"htod", "h2d"},
	{"copy_in", "h2d"},
	{"compute", "compute"},
	{"forward", "compute"},
	{"infer", "compute"},
	{"inference", "compute"},
	{"prefill", "compute"},
	{"decode", "compute"},
	{"generate", "compute"},
	{"generation", "compute"},
	{"execute", "compute"},
	{"execution", "compute"},
	{"model", "compute"},
	{"d2h", "d2h"},
	{"download", "d2h"},
	{"device_to_host", "d2h"},
	{"dtoh", "d2h"},
	{"copy_out", "d2h"},
	{"postprocess", "postprocess"},
	{"postprocessing", "postprocess"},
	{"detokenize", "postprocess"},
	{"detokenization", "postprocess"},
	{"detokenizer", "postprocess"},
	{"serialize", "postprocess"},
	{"serialization", "postprocess"},
	{"response", "postprocess"},
};

static const char *const kinds[] = {"queue", "batch_assembly", "preprocess", "h2d", "compute",
                                    "d2h",   "postprocess",    "other",      NULL};

static bool word_boundary(char c)
{
	return !isalnum((unsigned char)c);
}

static bool stands_at(const char *at, const char *word)
{
	size_t len = strlen(word);

	return len > 0 && tolower((unsigned char)*at) == tolower((unsigned char)*word) &&
	       strncasecmp(at, word, len) == 0 && word_boundary(at[len]);
}

/* The longest alias that begins at `at` and ends with a word; NULL: none. */
static const struct weir_stage_alias *alias_at(const struct weir_stage_aliases *aliases,
                                               const char *at)
{
	const struct weir_stage_alias *found = NULL;

	for (size_t i = 0; i < aliases->count; i++)
		if (stands_at(at, aliases->items[i].name) &&
		    (!found || strlen(aliases->items[i].name) > strlen(found->name)))
			found = &aliases->items[i];
	return found;
}

/* The longest alias in the name; of several, the one that the table names first; NULL: none. */
static const struct weir_stage_alias *alias_in(const struct weir_stage_aliases *aliases,
                                               const char *name)
{
	const struct weir_stage_alias *best = NULL;

	for (const char *at = name; *at; at++) {
		const struct weir_stage_alias *found;
		size_t len;

		if (at != name && !word_boundary(at[-1]))
			continue;
		found = alias_at(aliases, at);
		len = best ? strlen(best->name) : 0;
		if (found &&
		    (strlen(found->name) > len || (strlen(found->name) == len && found < best)))
			best = found;
	}
	return best;
}

/* The user's kind as a static text; NULL where no alias of his is in the name. */
static const char *own_kind(const char *name, const struct weir_stage_aliases *own)
{
	const struct weir_stage_alias *alias = own ? alias_in(own, name) : NULL;

	for (size_t i = 0; alias && kinds[i]; i++)
		if (strcmp(kinds[i], alias->kind) == 0)
			return kinds[i];
	return NULL;
}

const char *weir_stage_kind(const char *name, const struct weir_stage_aliases *own)
{
	static const struct weir_stage_aliases known = {
		known_aliases, sizeof known_aliases / sizeof *known_aliases};
	const char *kind = own_kind(name, own);
	const struct weir_stage_alias *alias;

	if (kind)
		return kind;
	alias = alias_in(&known, name);
	return alias ? alias->kind : "other";
}

/* The number at *at, at most MAX_COUNT, *at moved behind it; -1 and no move where there is none. */
static int64_t take_number(const char **at)
{
	int64_t value = 0;
	const char *start = *at;

	while (isdigit((unsigned char)**at)) {
		value = value * 10 + (**at - '0');
		if (value > MAX_COUNT)
			value = MAX_COUNT;
		(*at)++;
	}
	return *at == start ? -1 : value;
}

/* The number behind "key=" or "key", where key begins a word; -1: none. */
static int64_t number_after(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
		const char *digits = at + len;

		if (at != text && isalnum((unsigned char)at[-1]))
			continue;
		return take_number(&digits);
	}
	return -1;
}

static void set_name(struct weir_stage_name *out, const char *name)
{
	snprintf(out->name, sizeof out->name, "%s", name);
}

/* Context tokens alone are a prefill, generation alone a decode, both are mixed. */
static void name_by_counts(struct weir_stage_name *out, int64_t context, int64_t generation)
{
	set_name(out, context > 0 && generation > 0 ? "mixed" : context > 0 ? "prefill" : "decode");
	out->kind = "compute";
	out->rows = context + generation;
}

/* execute[_T]_context_R(...)_generation_R(...): vLLM, plain and detailed. */
static bool parse_vllm(const char *text, struct weir_stage_name *out)
{
	int64_t context = number_after(text, "context_"),
		generation = number_after(text, "generation_");

	if (context < 0 || generation < 0)
		return false;
	name_by_counts(out, context, generation);
	out->tokens = number_after(text, "execute_");
	return true;
}

/* step[DECODE bs=32 toks=1024]: SGLang. */
static bool parse_sglang(const char *text, struct weir_stage_name *out)
{
	static const struct {
		const char *mode, *stage;
	} modes[] = {{"EXTEND", "prefill"},
	             {"PREFILL", "prefill"},
	             {"DECODE", "decode"},
	             {"MIXED", "mixed"}};
	const char *mode = text + strlen("step[");

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (strncmp(mode, modes[i].mode, strlen(modes[i].mode)) != 0)
			continue;
		set_name(out, modes[i].stage);
		out->kind = "compute";
		out->rows = number_after(text, "bs=");
		out->tokens = number_after(text, "toks=");
		return true;
	}
	return false;
}

/* prefill[bs=2 tok=14721 ctx=..], decode[bs=117/128 tok=117]: ATOM; the second number is the padded
 * batch. */
static bool parse_atom(const char *text, struct weir_stage_name *out)
{
	const char *rows = strstr(text, "bs=");

	set_name(out, strncmp(text, "prefill[", 8) == 0 ? "prefill" : "decode");
	out->kind = "compute";
	out->tokens = number_after(text, "tok=");
	if (!rows)
		return true;
	rows += strlen("bs=");
	out->rows = take_number(&rows);
	if (*rows == '/') {
		rows++;
		out->padded_rows = take_number(&rows);
	}
	return true;
}

static bool parse_diffusion(const char *text, struct weir_stage_name *out)
{
	const char *at = text + strlen("execute_diffusion_");

	set_name(out, "diffusion");
	out->kind = "compute";
	out->rows = take_number(&at);
	return true;
}

static bool parse_loader(const char *text, struct weir_stage_name *out)
{
	(void)text;
	set_name(out, "dataloader");
	out->kind = "preprocess";
	return true;
}

struct grammar {
	const char *prefix;
	enum weir_stage_role role;
	bool (*parse)(const char *text,
	              struct weir_stage_name *out); /* NULL: the role says it all */
};

/* The first prefix that fits and whose parser agrees wins; no match: a stage of the user's own. */
static const struct grammar grammars[] = {
	{"ProfilerStep", WEIR_ROLE_STEP, NULL},
	{"execute_diffusion_", WEIR_ROLE_STEP_STAGE, parse_diffusion},
	{"execute_", WEIR_ROLE_STEP_STAGE, parse_vllm},
	{"step[", WEIR_ROLE_STEP_STAGE, parse_sglang},
	{"prefill[", WEIR_ROLE_STEP_STAGE, parse_atom},
	{"decode[", WEIR_ROLE_STEP_STAGE, parse_atom},
	{"enumerate(DataLoader)", WEIR_ROLE_STAGE, parse_loader},
	{"nccl:", WEIR_ROLE_IGNORED, NULL},
	{"gloo:", WEIR_ROLE_IGNORED, NULL},
	{"mpi:", WEIR_ROLE_IGNORED, NULL},
	{"ucc:", WEIR_ROLE_IGNORED, NULL},
	{"capture_", WEIR_ROLE_IGNORED, NULL},
	{"## Call CompiledFxGraph", WEIR_ROLE_IGNORED, NULL},
	{"Torch-Compiled Region", WEIR_ROLE_IGNORED, NULL},
	{"TorchDynamo Cache Lookup", WEIR_ROLE_IGNORED, NULL},
	{"Pregraph bytecode", WEIR_ROLE_IGNORED, NULL},
	{"AOTDispatcher", WEIR_ROLE_IGNORED, NULL},
	{"CompiledFunction", WEIR_ROLE_IGNORED, NULL},
	{"PyTorch Profiler", WEIR_ROLE_IGNORED, NULL},
	{"record_param_comms", WEIR_ROLE_IGNORED, NULL},
};

/* Up to the counters at the end: "decode_17", "step 12". Digits right behind a letter belong to the
 * name: "h2", "conv1". */
static size_t length_without_counter(const char *text)
{
	size_t len = strlen(text);

	for (;;) {
		size_t end;

		while (len > 0 && strchr("#_-: ./", text[len - 1]))
			len--;
		for (end = len; end > 0 && isdigit((unsigned char)text[end - 1]);)
			end--;
		if (end == len || (end > 0 && isalpha((unsigned char)text[end - 1])))
			return len;
		len = end;
	}
}

/* The user's own name without its counter and its frame: "## forward ##". */
static void clean_name(const char *text, struct weir_stage_name *out)
{
	size_t len;

	while (*text == '#' || isspace((unsigned char)*text))
		text++;
	len = length_without_counter(text);
	if (len == 0)
		len = strlen(text); /* nothing but a counter */
	if (len < sizeof out->name) {
		memcpy(out->name, text, len);
		return;
	}
	len = sizeof out->name - sizeof "...";
	while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--; /* whole characters of UTF-8 only */
	memcpy(out->name, text, len);
	memcpy(out->name + len, "...", sizeof "...");
}

/* By the grammars; a stage of the user's own where none fits. */
static void parse_annotation(const char *annotation, struct weir_stage_name *out)
{
	for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
		if (strncmp(annotation, grammars[i].prefix, strlen(grammars[i].prefix)) != 0)
			continue;
		if (grammars[i].parse && !grammars[i].parse(annotation, out))
			continue;
		out->role = grammars[i].role;
		return;
	}
	if (strstr(annotation,
	           "compile_id=")) { /* records of the compiler's own, one name a pass */
		out->role = WEIR_ROLE_IGNORED;
		return;
	}
	clean_name(annotation, out);
	out->kind = weir_stage_kind(out->name, NULL);
	if (out->name[0] == '\0')
		out->role = WEIR_ROLE_IGNORED;
}

void weir_stage_name_parse(const char *annotation, const struct weir_stage_aliases *own,
                           struct weir_stage_name *out)
{
	const char *kind;

	*out = (struct weir_stage_name){.role = WEIR_ROLE_STAGE,
	                                .kind = "other",
	                                .rows = -1,
	                                .padded_rows = -1,
	                                .tokens = -1};
	parse_annotation(annotation, out);
	kind = own_kind(out->name, own);
	if (kind)
		out->kind = kind;
}
