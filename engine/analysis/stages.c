/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/stages.h"

struct kind_alias {
	const char *word, *kind;
};

/* The stage kinds of weir.requests and the words that name them. */
static const struct kind_alias kind_aliases[] = {
	{"queue", "queue"},
	{"queuing", "queue"},
	{"queueing", "queue"},
	{"wait", "queue"},
	{"pending", "queue"},
	{"scheduled", "queue"},
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
	{"dataloader", "preprocess"},
	{"h2d", "h2d"},
	{"upload", "h2d"},
	{"host_to_device", "h2d"},
	{"compute", "compute"},
	{"forward", "compute"},
	{"infer", "compute"},
	{"inference", "compute"},
	{"prefill", "compute"},
	{"decode", "compute"},
	{"generate", "compute"},
	{"model", "compute"},
	{"d2h", "d2h"},
	{"download", "d2h"},
	{"device_to_host", "d2h"},
	{"postprocess", "postprocess"},
	{"postprocessing", "postprocess"},
	{"detokenize", "postprocess"},
	{"detokenization", "postprocess"},
	{"serialize", "postprocess"},
	{"response", "postprocess"},
};

static bool word_boundary(char c)
{
	return !isalnum((unsigned char)c);
}

static bool holds_word(const char *name, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = name; *at; at++)
		if (strncasecmp(at, word, len) == 0 && (at == name || word_boundary(at[-1])) &&
		    word_boundary(at[len]))
			return true;
	return false;
}

const char *weir_stage_kind(const char *name)
{
	size_t best = 0;
	const char *kind = "other";

	for (size_t i = 0; i < sizeof kind_aliases / sizeof *kind_aliases; i++) {
		size_t len = strlen(kind_aliases[i].word);

		if (strcasecmp(name, kind_aliases[i].word) == 0)
			return kind_aliases[i].kind;
		if (len > best && holds_word(name, kind_aliases[i].word)) {
			best = len;
			kind = kind_aliases[i].kind;
		}
	}
	return kind;
}

/* Digits at *at into *out, *at moved behind them; -1 and no move where there are none. */
static int64_t take_number(const char **at)
{
	int64_t value = 0;
	const char *start = *at;

	while (isdigit((unsigned char)**at)) {
		if (value < INT64_MAX / 10 - 9)
			value = value * 10 + (**at - '0');
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

/* The user's own name without its counter: "decode_17", "Optimizer.step#SGD.step", "## forward ##",
 * "step 12". */
static void clean_name(const char *text, struct weir_stage_name *out)
{
	size_t len;

	while (*text == '#' || isspace((unsigned char)*text))
		text++;
	snprintf(out->name, sizeof out->name, "%s", text);
	if (strlen(text) >= sizeof out->name)
		memcpy(out->name + sizeof out->name - 4, "...", 4);
	len = strlen(out->name);
	while (len > 0 && (isdigit((unsigned char)out->name[len - 1]) ||
	                   strchr("#_-: ./", out->name[len - 1])))
		len--;
	if (len > 0 && isdigit((unsigned char)out->name[len]) &&
	    isalpha((unsigned char)out->name[len - 1]))
		return; /* "h2", "conv1": the digit belongs to the name */
	if (len > 0)
		out->name[len] = '\0';
}

void weir_stage_name_parse(const char *annotation, struct weir_stage_name *out)
{
	*out = (struct weir_stage_name){.role = WEIR_ROLE_STAGE,
	                                .kind = "other",
	                                .rows = -1,
	                                .padded_rows = -1,
	                                .tokens = -1};
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
	out->kind = weir_stage_kind(out->name);
	if (out->name[0] == '\0')
		out->role = WEIR_ROLE_IGNORED;
}
