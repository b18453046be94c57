/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel names for display and for comparison. Brackets are balanced in one pass with a stack of
 * fixed size; a name nested more deeply ends there. */
#include <string.h>

#include "engine/analysis/names/kernels.h"

#define MAX_BRACKETS 64
#define MAX_WRAPPERS 4
#define MAX_MANGLED  512 /* bytes of an identifier in a mangled name */
#define MIN_HEX      8   /* digits of a trailing hash */

struct span {
	const char *at;
	size_t len;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static bool starts(struct span s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && !memcmp(s.at, prefix, len);
}

static bool equals(struct span s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.at, text, s.len);
}

static void cut(struct span *s, size_t from_front)
{
	s->at += from_front;
	s->len -= from_front;
}

struct brackets {
	char open[MAX_BRACKETS];
	size_t depth;
};

static char closing(char open)
{
	return (char)(open == '(' ? ')' : open == '<' ? '>' : open == '{' ? '}' : ']');
}

/* Follows one character of a name; false: nested too deeply. A ">" closes only a "<", since inside
 * parentheses it is an operator. */
static bool follow(struct brackets *b, char c)
{
	if (c == '(' || c == '<' || c == '{' || c == '[') {
		if (b->depth == MAX_BRACKETS)
			return false;
		b->open[b->depth++] = c;
	} else if (b->depth && c == closing(b->open[b->depth - 1])) {
		b->depth--;
	}
	return true;
}

/* Unnamed name spaces as demanglers and Nsight Compute write them. */
static const char *const anonymous[] = {"(anonymous namespace)::", "<unnamed>::", NULL};

/* Returns the length of an unnamed name space at the start of s; 0: none starts there. */
static size_t anonymous_length(struct span s)
{
	for (size_t i = 0; anonymous[i]; i++) {
		if (starts(s, anonymous[i]))
			return strlen(anonymous[i]);
	}
	return 0;
}

/*
 * Adds the qualified name of a function without template arguments to `name`; `arguments` becomes
 * the text inside its last list of template arguments. A space outside all brackets ends a return
 * type.
 */
static void strip(struct span full, struct weir_text *name, struct span *arguments)
{
	struct brackets b = {{0}, 0};
	size_t opened = 0;

	*arguments = (struct span){full.at, 0};
	for (size_t i = 0; i < full.len; i++) {
		char c = full.at[i];
		bool outside = b.depth == 0;
		size_t unnamed =
			outside ? anonymous_length((struct span){full.at + i, full.len - i}) : 0;

		if (unnamed) {
			i += unnamed - 1;
			continue;
		}
		if (outside && c == '(' && name->length)
			return; /* the parameters begin */
		if (!follow(&b, c))
			return;
		if (outside && b.depth)
			opened = i + 1;
		else if (!outside && !b.depth && c == '>')
			*arguments = (struct span){full.at + opened, i - opened};
		else if (outside && c == ' ')
			weir_text_clear(name);
		else if (outside)
			weir_text_add(name, &c, 1);
	}
}

/* Returns template argument `index` of a list; empty if there are fewer. */
static struct span argument_at(struct span list, size_t index)
{
	struct brackets b = {{0}, 0};
	size_t start = 0, seen = 0;

	for (size_t i = 0; i < list.len; i++) {
		if (!follow(&b, list.at[i]))
			break;
		if (b.depth || list.at[i] != ',')
			continue;
		if (seen++ == index)
			return (struct span){list.at + start, i - start};
		start = i + 1;
		while (start < list.len && list.at[start] == ' ')
			start++;
	}
	while (list.len > start && list.at[list.len - 1] == ' ')
		list.len--;
	return (struct span){list.at + start, seen == index ? list.len - start : 0};
}

/* Kernels that only run the functor of their first template argument. */
static const char *const wrappers[] = {
	"cutlass::",      "cutlass_80::",    "cutlass_cudnn", "at::cuda::detail::enable_",
	"flash::enable_", "ck_tile::kentry", "ck::kernel_",   NULL};
static const char *const wrapper_ends[] = {"Kernel", "Kernel2", "device_kernel", "kentry", NULL};

static bool is_wrapper(const struct weir_text *name)
{
	struct span all = {name->data, name->length};
	const char *last = NULL;

	if (!name->length)
		return false;
	if (starts(all, "at::cuda::detail::enable_") || starts(all, "flash::enable_"))
		return true;
	for (size_t i = 0; wrappers[i] && !last; i++)
		last = starts(all, wrappers[i]) ? strrchr(name->data, ':') : NULL;
	for (size_t i = 0; last && wrapper_ends[i]; i++) {
		if (!strcmp(last + 1, wrapper_ends[i]))
			return true;
	}
	return false;
}

/* Generic kernels and the word under which they are shown. */
static const struct {
	const char *kernel, *shown;
} generics[] = {
	{"vectorized_elementwise_kernel", "elementwise"},
	{"elementwise_kernel", "elementwise"},
	{"unrolled_elementwise_kernel", "elementwise"},
	{"elementwise_kernel_manual_unroll", "elementwise"},
	{"vectorized_templated_elementwise_kernel", "elementwise"},
	{"legacy_elementwise_kernel", "elementwise"},
	{"unrolled_elementwise_kernel_for_multi_outputs", "elementwise"},
	{"index_elementwise_kernel", "index"},
	{"_scatter_gather_elementwise_kernel", "scatter_gather"},
	{"reduce_kernel", "reduce"},
	{"multi_tensor_apply_kernel", "multi_tensor"},
	{"distribution_elementwise_grid_stride_kernel", "random"},
};

/* Words that many functors have in their spelling, so that they do not distinguish one. */
static const char *const empty_words[] = {"gpu_kernel_impl_nocast",
                                          "gpu_kernel_impl",
                                          "BinaryFunctor",
                                          "AUnaryFunctor",
                                          "BUnaryFunctor",
                                          "ReduceOp",
                                          "func_wrapper_t",
                                          "TensorListMetadata",
                                          "TensorListScalarListMetadata",
                                          "FusedOptimizerTensorListMetadata",
                                          "BinaryOpListAlphaFunctor",
                                          "BinaryOpScalarFunctor",
                                          "UnaryOpFunctor",
                                          "OpaqueType",
                                          "anonymous",
                                          "unnamed",
                                          "namespace",
                                          "at",
                                          "native",
                                          "c10",
                                          "detail",
                                          "std",
                                          "binary_internal",
                                          "void",
                                          "const",
                                          "unsigned",
                                          "char",
                                          "float",
                                          "double",
                                          "int",
                                          "long",
                                          "short",
                                          "bool",
                                          "true",
                                          "false",
                                          "BFloat16",
                                          "Half",
                                          "complex",
                                          "Float8_e4m3fn",
                                          "Float8_e5m2",
                                          "array",
                                          "Array",
                                          "lambda",
                                          "operator",
                                          "TensorIteratorBase",
                                          "fbgemm_gpu",
                                          "templates",
                                          "cuda",
                                          "TensorIterator",
                                          NULL};

static bool is_empty_word(struct span word)
{
	if (is_digit(*word.at))
		return true;
	for (size_t i = 0; empty_words[i]; i++) {
		if (equals(word, empty_words[i]))
			return true;
	}
	return false;
}

/* Returns the first word of the template arguments that distinguishes the functor. */
static struct span functor_of(struct span arguments)
{
	size_t i = 0;

	while (i < arguments.len) {
		struct span word = {arguments.at + i, 0};

		while (i < arguments.len && is_word(arguments.at[i]))
			i++;
		word.len = (size_t)(arguments.at + i - word.at);
		if (word.len && !is_empty_word(word))
			return word;
		if (!word.len)
			i++;
	}
	return (struct span){arguments.at, 0};
}

/* Replaces the name of a generic kernel by "elementwise FillFunctor". */
static void show_generic(struct weir_text *name, struct span arguments)
{
	const char *last = strrchr(name->data, ':');
	struct span functor = functor_of(arguments);

	last = last ? last + 1 : name->data;
	for (size_t i = 0; functor.len && i < sizeof(generics) / sizeof(generics[0]); i++) {
		if (strcmp(last, generics[i].kernel) != 0)
			continue;
		weir_text_clear(name);
		weir_text_puts(name, generics[i].shown);
		weir_text_puts(name, " ");
		weir_text_add(name, functor.at, functor.len);
		return;
	}
}

/* Reads one identifier of a mangled name: its length in decimal, then its text. False: there is
 * none here. */
static bool take_mangled(struct span *s, struct span *identifier)
{
	size_t len = 0;

	if (!s->len || !is_digit(*s->at))
		return false;
	while (s->len && is_digit(*s->at) && len <= MAX_MANGLED) {
		len = len * 10 + (size_t)(*s->at - '0');
		cut(s, 1);
	}
	if (!len || len > s->len)
		return false;
	*identifier = (struct span){s->at, len};
	cut(s, len);
	return true;
}

/* Adds the qualified name of a function in the Itanium mangling without its template arguments:
 * "_ZN5aiter7add_rms..." gives "aiter::add_rms". Substitutions and operators end the name. */
static bool show_mangled(struct span s, struct weir_text *name)
{
	struct span part;
	bool nested = starts(s, "_ZN");

	if (!starts(s, "_Z"))
		return false;
	cut(&s, nested ? 3 : 2);
	while (take_mangled(&s, &part)) {
		if (starts(part, "_GLOBAL__N"))
			continue;
		if (name->length)
			weir_text_puts(name, "::");
		weir_text_add(name, part.at, part.len);
		if (!nested)
			break;
	}
	return name->length > 0;
}

static void drop_prefix(struct weir_text *name, const char *prefix)
{
	size_t len = strlen(prefix);

	if (name->length <= len || memcmp(name->data, prefix, len) != 0)
		return;
	memmove(name->data, name->data + len, name->length - len + 1);
	name->length -= len;
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/*
 * Removes an address or hash at the end, which changes with every build: "_0x7f00dead1234",
 * "_1f00dead1234ab". After two underscores such digits are Triton's list of argument kinds
 * ("__0d1d2d") and stay.
 */
static void drop_hash(struct weir_text *name)
{
	size_t end = name->length, digits;
	bool prefixed, mixed = false;

	while (end && is_hex(name->data[end - 1])) {
		end--;
		mixed = mixed || is_digit(name->data[end]);
	}
	digits = name->length - end;
	prefixed = end >= 2 && digits && !memcmp(name->data + end - 2, "0x", 2);
	if (prefixed)
		end -= 2;
	if (end < 2 || name->data[end - 1] != '_' || name->data[end - 2] == '_')
		return;
	if (!prefixed && (digits < MIN_HEX || !mixed))
		return;
	name->length = end - 1;
	name->data[name->length] = '\0';
}

static void strip_wrapped(struct span full, struct weir_text *name)
{
	struct span arguments;

	strip(full, name, &arguments);
	for (int i = 0; i < MAX_WRAPPERS && is_wrapper(name) && arguments.len; i++) {
		struct span inner = argument_at(arguments, is_digit(*arguments.at) ? 1 : 0);

		if (!inner.len)
			break;
		weir_text_clear(name);
		strip(inner, name, &arguments);
	}
	if (name->length)
		show_generic(name, arguments);
}

/* Copies a name without remnants of unnamed name spaces, which shortened names contain ("kernel<8,
 * unnamed>::functor>"): the ">" would close a list that was never opened. */
static void drop_remnants(const char *name, struct weir_text *out)
{
	static const char remnant[] = "unnamed>::";

	for (const char *at = name; *at;) {
		const char *found = strstr(at, remnant);

		while (found && found > name && found[-1] == '<')
			found = strstr(found + 1, remnant);
		if (!found) {
			weir_text_puts(out, at);
			return;
		}
		weir_text_add(out, at, (size_t)(found - at));
		at = found + sizeof(remnant) - 1;
	}
}

static void show(const char *name, struct weir_text *text)
{
	struct span full = {name, strlen(name)};
	struct weir_text shown = {0};

	if (starts(full, "Memcpy") || starts(full, "Memset")) {
		weir_text_puts(text, name);
		return;
	}
	if (!show_mangled(full, &shown))
		strip_wrapped(full, &shown);
	if (shown.length) {
		drop_prefix(&shown, "at::native::");
		drop_hash(&shown);
		weir_text_add(text, shown.data, shown.length);
	} else {
		weir_text_puts(text, name);
	}
	weir_text_release(&shown);
}

void weir_kernel_display(const char *name, struct weir_text *text)
{
	struct weir_text whole = {0};

	drop_remnants(name, &whole);
	show(whole.length ? whole.data : name, text);
	weir_text_release(&whole);
}

void weir_kernel_instance(const char *name, struct weir_text *text)
{
	struct span full = {name, strlen(name)};
	struct brackets b = {{0}, 0};
	size_t begin = 0, end = 0;

	for (; end < full.len; end++) {
		size_t unnamed =
			b.depth ? 0
				: anonymous_length((struct span){full.at + end, full.len - end});
		bool outside = b.depth == 0;
		char c = full.at[end];

		if (unnamed) {
			end += unnamed - 1;
			continue;
		}
		if ((outside && c == '(' && end > begin) || !follow(&b, c))
			break;
		if (outside && c == ' ')
			begin = end + 1;
	}
	weir_text_add(text, full.at + begin, end - begin);
}

bool weir_kernel_is_nameless(const char *display)
{
	static const char *const names[] = {"kernel", "Kernel", "_kernel", NULL};

	for (size_t i = 0; names[i]; i++)
		if (strcmp(display, names[i]) == 0)
			return true;
	return false;
}

/*
 * Keys for comparison. Nsight Compute leaves out name spaces, prints the types of template
 * parameters in parameter lists and has its own spelling of lambdas. The words of the name and of
 * its template arguments are the same as those of a demangler.
 */

#define MAX_KEY 4096 /* bytes of a key; longer names are compared by their beginning */

struct scan {
	const char *at;
	struct weir_text *out;
	bool after_lambda; /* the parameters of a lambda are a part of the name */
};

static bool skips(const char **at, const char *part)
{
	size_t length = strlen(part);

	if (strncmp(*at, part, length) != 0)
		return false;
	*at += length;
	return true;
}

/* Returns the position after the bracket that closes the one at `at`, or the end of the text. */
static const char *behind_bracket(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			return at + 1;
	}
	return at;
}

/* Adds one word in its normal form: "3ul" becomes 3, true becomes 1. */
static void put_word(struct weir_text *out, const char *word, size_t length)
{
	if (length == 4 && !memcmp(word, "true", 4))
		word = "1", length = 1;
	else if (length == 5 && !memcmp(word, "false", 5))
		word = "0", length = 1;
	while (length > 1 && word[0] >= '0' && word[0] <= '9' && strchr("uUlL", word[length - 1]))
		length--;
	weir_text_add(out, word, length);
	weir_text_puts(out, " ");
}

static bool is_silent(const char *word, size_t length)
{
	static const char *const silent[] = {"void", "instance"};

	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
		if (strlen(silent[i]) == length && !memcmp(word, silent[i], length))
			return true;
	return false;
}

static void take_word(struct scan *scan)
{
	const char *word = scan->at;
	size_t length;

	while (is_word(*scan->at))
		scan->at++;
	length = (size_t)(scan->at - word);
	/* A remnant of an unnamed name space in a shortened name. */
	if (length == 7 && !memcmp(word, "unnamed", 7) && skips(&scan->at, ">::"))
		return;
	if (skips(&scan->at, "::") || is_silent(word, length))
		return;
	put_word(scan->out, word, length);
	scan->after_lambda = length == 6 && !memcmp(word, "lambda", 6);
}

static void take_sign(struct scan *scan)
{
	if (skips(&scan->at, "(anonymous namespace)::") || skips(&scan->at, "<unnamed>::"))
		return;
	if (*scan->at == '(' && !scan->after_lambda && strncmp(scan->at, "(instance ", 10) != 0)
		scan->at = behind_bracket(scan->at);
	else
		scan->at++;
	scan->after_lambda = false;
}

void weir_kernel_key(const char *name, struct weir_text *text)
{
	struct scan scan = {.at = name, .out = text};

	weir_text_clear(text);
	while (*scan.at && text->length < MAX_KEY) {
		if (is_word(*scan.at))
			take_word(&scan);
		else
			take_sign(&scan);
	}
}
