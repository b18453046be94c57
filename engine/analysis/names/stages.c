/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/names/stages.h"
#include "engine/base/text.h"

#define MAX_COUNT INT64_C(1000000000000000) /* rows or tokens; sums of a few stay in range */

/* The words that name the stage kinds of weir.requests. */
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
	{"queue+prefill", "other"}, /* SGLang has one figure for both */
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
	/* who gets a response waits for it, and does not make it */
	{"get_response", "other"},
	{"get response", "other"},
	{"fetch_response", "other"},
	{"receive_response", "other"},
	{"read_response", "other"},
	{"await_response", "other"},
	{"wait_for_response", "other"},
	{"wait for response", "other"},
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

/* Returns the longest alias that begins at `at` and ends at a word boundary; NULL: none. */
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

/* Returns the longest alias in the name, the first in the table among equals; NULL: none. */
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

/* Returns the kind that the user's own aliases give the name, as a static text; NULL: none
 * matches. */
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

enum window_word {
	OTHER_WORD,
	LINK_WORD,   /* may stand beside the others */
	BATCH_WORD,  /* the batch, or the queue that it is taken from */
	SERVER_WORD, /* the same, and no data loader has it */
	WAIT_WORD,
	WINDOW_WORD, /* a wait that begins with a request and is limited */
};

static enum window_word window_word(const char *word, size_t length)
{
	static const struct {
		const char *word;
		enum window_word is;
	} words[] = {
		{"batch", BATCH_WORD},     {"batches", BATCH_WORD},    {"queue", BATCH_WORD},
		{"queueing", BATCH_WORD},  {"queuing", BATCH_WORD},    {"batching", SERVER_WORD},
		{"batcher", SERVER_WORD},  {"wait", WAIT_WORD},        {"waiting", WAIT_WORD},
		{"window", WINDOW_WORD},   {"delay", WINDOW_WORD},     {"timeout", WINDOW_WORD},
		{"linger", WINDOW_WORD},   {"lingering", WINDOW_WORD}, {"dynamic", LINK_WORD},
		{"continuous", LINK_WORD}, {"max", LINK_WORD},         {"request", LINK_WORD},
		{"requests", LINK_WORD},   {"server", LINK_WORD},      {"in", LINK_WORD},
		{"for", LINK_WORD},        {"the", LINK_WORD},         {"of", LINK_WORD},
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == length &&
		    strncasecmp(word, words[i].word, length) == 0)
			return words[i].is;
	return strspn(word, "0123456789") >= length ? LINK_WORD : OTHER_WORD;
}

/* Returns the length of the word at `at`, which ends before a capital behind a small letter. */
static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) &&
	       (length == 0 || !islower((unsigned char)at[length - 1]) ||
	        !isupper((unsigned char)at[length])))
		length++;
	return length;
}

bool weir_stage_is_batch_window(const char *name)
{
	unsigned seen = 0;

	while (*name) {
		size_t length = word_length(name);
		enum window_word word = length > 0 ? window_word(name, length) : LINK_WORD;

		if (word == OTHER_WORD)
			return false;
		seen |= 1u << word;
		name += length > 0 ? length : 1;
	}
	if (seen & 1u << WINDOW_WORD)
		return (seen & (1u << BATCH_WORD | 1u << SERVER_WORD)) != 0;
	return seen & 1u << WAIT_WORD && seen & 1u << SERVER_WORD;
}

/* Reads the number at *at, at most MAX_COUNT, and moves *at behind it; -1 if there is no digit. */
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

/* Returns the number after `key` ("bs=", "context_"), which must begin a word; -1: there is
 * none. */
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

/* Names a step: context tokens alone are a prefill, generation alone is a decode, both are
 * mixed. */
static void name_by_counts(struct weir_stage_name *out, int64_t context, int64_t generation)
{
	set_name(out, context > 0 && generation > 0 ? "mixed" : context > 0 ? "prefill" : "decode");
	out->kind = "compute";
	out->rows = context + generation;
}

/* vLLM, plain and detailed: execute[_T]_context_R(...)_generation_R(...) */
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

/* SGLang: step[DECODE bs=32 toks=1024] */
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

/* ATOM: prefill[bs=2 tok=14721 ctx=..], decode[bs=117/128 tok=117]; 128 is the padded batch. */
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
	/* NULL: the prefix alone decides. */
	bool (*parse)(const char *text, struct weir_stage_name *out);
};

/* The first prefix that matches and whose parser accepts the text decides. Any other annotation is
 * a stage that the user has named. */
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

/* Returns the length without the counters at the end: "decode_17", "step 12". Digits right after a
 * letter belong to the name: "h2", "conv1". */
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

/* Copies a user's name without its counter and its frame: "## forward ##". */
static void clean_name(const char *text, struct weir_stage_name *out)
{
	size_t len;

	while (*text == '#' || isspace((unsigned char)*text))
		text++;
	len = length_without_counter(text);
	if (len == 0)
		len = strlen(text); /* the name is nothing but a counter */
	if (len < sizeof out->name) {
		memcpy(out->name, text, len);
		return;
	}
	len = sizeof out->name - sizeof "...";
	while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--; /* cut only between UTF-8 characters */
	memcpy(out->name, text, len);
	memcpy(out->name + len, "...", sizeof "...");
}

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
	/* Records of the compiler have a new name for each pass. */
	if (strstr(annotation, "compile_id=")) {
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
	else
		out->is_batch_window =
			out->role == WEIR_ROLE_STAGE && weir_stage_is_batch_window(out->name);
}

#define MAX_SUM 1e15 /* larger sums are damaged */

static bool take_sum(const char **at, const char *label, double *out)
{
	size_t length = strlen(label), digits = 0;
	int64_t value;

	if (strncmp(*at, label, length) != 0)
		return false;
	*at += length;
	while ((*at)[digits] >= '0' && (*at)[digits] <= '9')
		digits++;
	if (!weir_parse_i64(*at, digits, &value) || (double)value > MAX_SUM)
		return false;
	*at += digits;
	*out = (double)value;
	return true;
}

/* Reads "context_3(sq..sk..sqsq..sqsk..)". */
static bool take_rows(const char *name, const char *label, struct weir_row_sums *out)
{
	const char *at = strstr(name, label);

	at = at ? strchr(at, '(') : NULL;
	if (!at)
		return false;
	at++;
	return take_sum(&at, "sq", &out->q) && take_sum(&at, "sk", &out->k) &&
	       take_sum(&at, "sqsq", &out->qq) && take_sum(&at, "sqsk", &out->qk) && *at == ')' &&
	       out->qq >= out->q && out->qk >= out->q;
}

bool weir_step_sums_parse(const char *name, struct weir_step_sums *out)
{
	struct weir_step_sums read;

	if (strncmp(name, "execute_", 8) != 0 || !take_rows(name, "context_", &read.context) ||
	    !take_rows(name, "generation_", &read.generation))
		return false;
	*out = read;
	return true;
}

static void add_rows(struct weir_row_sums *to, const struct weir_row_sums *other)
{
	to->q += other->q;
	to->k += other->k;
	to->qq += other->qq;
	to->qk += other->qk;
}

void weir_step_sums_add(struct weir_step_sums *to, const struct weir_step_sums *other)
{
	add_rows(&to->context, &other->context);
	add_rows(&to->generation, &other->generation);
}

static void divide_rows(struct weir_row_sums *rows, double by)
{
	rows->q /= by;
	rows->k /= by;
	rows->qq /= by;
	rows->qk /= by;
}

void weir_step_sums_divide(struct weir_step_sums *sums, double by)
{
	divide_rows(&sums->context, by);
	divide_rows(&sums->generation, by);
}

double weir_step_sums_pairs(const struct weir_step_sums *sums)
{
	return sums->context.qk - (sums->context.qq - sums->context.q) / 2 + sums->generation.qk;
}
