/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/roofline/args.h"
#include "engine/base/text.h"

struct cursor {
	const char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at)
		c->at++;
}

static bool take(struct cursor *c, char wanted)
{
	skip_blanks(c);
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

/* Needs a text that ends with a NUL. */
static bool sees(struct cursor *c, char wanted)
{
	skip_blanks(c);
	return *c->at == wanted;
}

/* Reads a dimension: digits only, since a sign, a fraction or a symbol has no size. */
static bool take_dim(struct cursor *c, int64_t *out)
{
	int64_t value = 0;
	const char *start;

	skip_blanks(c);
	start = c->at;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
		value = value * 10 + (*c->at - '0');
		if (value > WEIR_MAX_DIM)
			return false;
	}
	*out = value;
	return c->at > start;
}

/* Reads "2, 3]", behind the opening bracket. */
static bool take_entries(struct cursor *c, struct weir_arg *arg)
{
	if (take(c, ']'))
		return true;
	do {
		int64_t dim;

		if (arg->rank == WEIR_MAX_RANK || !take_dim(c, &dim))
			return false;
		arg->dims[arg->rank++] = dim;
	} while (take(c, ','));
	return take(c, ']');
}

/* Reads "[2, 3]" after its opening bracket. */
static bool take_tensor(struct cursor *c, struct weir_arg *arg)
{
	if (!take_entries(c, arg))
		return false;
	arg->elements = 1;
	for (int i = 0; i < arg->rank; i++)
		arg->elements *= (double)arg->dims[i];
	return arg->elements <= WEIR_MAX_ELEMS;
}

/* Reads "[[2, 3], [4]]" after its opening bracket: a list of tensors, folded into its totals. */
static bool take_list(struct cursor *c, struct weir_arg *arg)
{
	do {
		struct weir_arg one = {0};

		if (!take(c, '[') || !take_tensor(c, &one))
			return false;
		arg->elements += one.elements;
		arg->list_count++;
		if (arg->elements > WEIR_MAX_ELEMS)
			return false;
		/* Models that need dimensions use those of the first tensor. */
		if (arg->list_count == 1)
			memcpy(arg->dims, one.dims, sizeof(arg->dims));
	} while (take(c, ','));
	arg->rank = -1;
	return take(c, ']');
}

static bool parse_dims(struct weir_args *args, const char *text)
{
	struct cursor c = {text, text + strlen(text)};

	if (!take(&c, '['))
		return false;
	if (take(&c, ']'))
		return true;
	do {
		struct weir_arg *arg = &args->items[args->count];

		if (args->count == WEIR_MAX_ARGS || !take(&c, '['))
			return false;
		if (!(sees(&c, '[') ? take_list(&c, arg) : take_tensor(&c, arg)))
			return false;
		arg->distinct = arg->elements;
		args->count++;
	} while (take(&c, ','));
	return take(&c, ']');
}

/* Skips a list with any content; false: it does not end. */
static bool skip_list(struct cursor *c)
{
	for (size_t depth = 0; c->at < c->end; c->at++) {
		depth += *c->at == '[';
		if (*c->at == ']' && --depth == 0) {
			c->at++;
			return true;
		}
	}
	return false;
}

/* Returns the elements from the first to the last one of a tensor in memory. Windows that overlap,
 * as those of unfold(), have more elements than that. */
static double extent_of(const struct weir_arg *arg, const struct weir_arg *strides)
{
	double extent = 1;

	for (int i = 0; i < arg->rank; i++)
		if (arg->dims[i] > 0)
			extent += (double)(arg->dims[i] - 1) * (double)strides->dims[i];
	return extent;
}

/* Reads the strides of one argument; applies them if there is one per dimension. */
static bool take_strides(struct cursor *c, struct weir_arg *arg)
{
	struct cursor list = *c;
	struct weir_arg strides = {0};
	double distinct = arg->elements;

	if (!sees(c, '[') || !skip_list(c))
		return false;
	if (!take(&list, '[') || arg->rank <= 0 || sees(&list, '[') ||
	    !take_entries(&list, &strides) || strides.rank != arg->rank)
		return true;
	for (int i = 0; i < arg->rank; i++)
		if (!strides.dims[i] && arg->dims[i] > 1)
			distinct /= (double)arg->dims[i];
	arg->strided = true;
	memcpy(arg->strides, strides.dims, sizeof arg->strides);
	arg->extent = extent_of(arg, &strides);
	arg->overlaps = arg->extent < distinct;
	arg->distinct = fmin(distinct, arg->extent);
	return true;
}

void weir_args_stride(struct weir_args *args, const char *strides)
{
	struct cursor c = {strides, strides ? strides + strlen(strides) : NULL};

	if (!strides || !take(&c, '['))
		return;
	for (size_t i = 0; i < args->count; i++)
		if (!take_strides(&c, &args->items[i]) || !take(&c, ','))
			return;
}

/* Reads the next text of a JSON list, with its escapes unchanged. */
static bool take_text(struct cursor *c, const char **text, size_t *len)
{
	if (!take(c, '"'))
		return false;
	*text = c->at;
	while (c->at < c->end && *c->at != '"')
		c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
	*len = (size_t)(c->at - *text);
	return take(c, '"');
}

/* Passes each text of a list to `put`, one per argument; false: the list is damaged. */
static bool each_text(const char *list, struct weir_args *args,
                      void (*put)(struct weir_arg *arg, const char *text, size_t len))
{
	struct cursor c = {list, list + strlen(list)};
	size_t i = 0;

	if (!take(&c, '['))
		return false;
	if (take(&c, ']'))
		return true;
	do {
		const char *text;
		size_t len;

		if (!take_text(&c, &text, &len))
			return false;
		if (i < args->count)
			put(&args->items[i++], text, len);
	} while (take(&c, ','));
	return take(&c, ']');
}

static void put_type(struct weir_arg *arg, const char *text, size_t len)
{
	arg->element = weir_element_of_name(text, len);
	if (arg->rank < 0 && arg->element.width <= 0)
		arg->element.width = NAN; /* "TensorList" names no type */
}

static void put_scalar(struct weir_arg *arg, const char *text, size_t len)
{
	arg->scalar = text;
	arg->scalar_len = len;
}

bool weir_args_parse(struct weir_args *args, const char *dims, const char *types,
                     const char *scalars)
{
	memset(args, 0, sizeof(*args));
	if (!dims || !*dims || !types || !*types || !parse_dims(args, dims))
		return false;
	if (!each_text(types, args, put_type))
		return false;
	/* Damaged scalars count as missing: dims and types are valid without them. */
	args->has_scalars = scalars && *scalars && each_text(scalars, args, put_scalar);
	for (size_t i = 0; !args->has_scalars && i < args->count; i++)
		args->items[i].scalar = NULL;
	return args->count > 0;
}

const struct weir_arg *weir_args_at(const struct weir_args *args, size_t index)
{
	const struct weir_arg *arg = &args->items[index];

	if (index >= args->count)
		return NULL;
	/* The unknown width (NAN) of a list counts as a tensor. */
	return arg->element.width <= 0 ? NULL : arg;
}

const struct weir_arg *weir_args_tensor(const struct weir_args *args, size_t index)
{
	const struct weir_arg *arg = weir_args_at(args, index);

	return arg && arg->rank > 0 ? arg : NULL;
}

double weir_arg_bytes(const struct weir_arg *arg)
{
	return arg && arg->rank ? arg->distinct * arg->element.width : 0;
}

static const char *scalar_at(const struct weir_args *args, size_t index, size_t *len)
{
	if (index >= args->count || !args->items[index].scalar || !args->items[index].scalar_len)
		return NULL;
	*len = args->items[index].scalar_len;
	return args->items[index].scalar;
}

bool weir_args_bool(const struct weir_args *args, size_t index, bool *out)
{
	size_t len;
	const char *text = scalar_at(args, index, &len);

	if (!text)
		return false;
	*out = len == 4 && !memcmp(text, "True", 4);
	return *out || (len == 5 && !memcmp(text, "False", 5));
}

bool weir_args_int(const struct weir_args *args, size_t index, int64_t *out)
{
	size_t len;
	const char *text = scalar_at(args, index, &len);

	return text && weir_parse_i64(text, len, out);
}

bool weir_args_number(const struct weir_args *args, size_t index, double *out)
{
	size_t len;
	const char *text = scalar_at(args, index, &len);

	return text && weir_parse_double(text, len, out);
}

bool weir_args_ints(const struct weir_args *args, size_t index, int64_t out[WEIR_MAX_INTS],
                    size_t *count)
{
	size_t len = 0;
	const char *text = scalar_at(args, index, &len);
	struct cursor c = {text, text ? text + len : NULL};

	*count = 0;
	if (!text)
		return false;
	if (!take(&c, '[')) {
		*count = 1;
		return weir_parse_i64(text, len, out);
	}
	if (take(&c, ']'))
		return true;
	do {
		const char *start;

		skip_blanks(&c);
		start = c.at;
		while (c.at < c.end && *c.at != ',' && *c.at != ']')
			c.at++;
		if (*count == WEIR_MAX_INTS ||
		    !weir_parse_i64(start, (size_t)(c.at - start), &out[*count]))
			return false;
		++*count;
	} while (take(&c, ','));
	return take(&c, ']');
}

bool weir_args_flags(const struct weir_args *args, size_t index, unsigned *out)
{
	size_t len = 0;
	const char *text = scalar_at(args, index, &len);
	struct cursor c = {text, text ? text + len : NULL};

	*out = 0;
	if (!text || !take(&c, '['))
		return false;
	for (unsigned bit = 0; bit < WEIR_MAX_INTS; bit++) {
		skip_blanks(&c);
		if (c.end - c.at >= 4 && !memcmp(c.at, "True", 4))
			*out |= 1u << bit, c.at += 4;
		else if (c.end - c.at >= 5 && !memcmp(c.at, "False", 5))
			c.at += 5;
		else
			return false;
		if (!take(&c, ','))
			return take(&c, ']');
	}
	return false;
}

/* Element types by the three spellings in profiles: C++ type names, codes of c10::ScalarType,
 * kernel names. */

struct type_name {
	const char *name;
	struct weir_element element;
	bool prefix; /* matches every name with this beginning */
};

static const struct type_name type_names[] = {
	{"float", {WEIR_DTYPE_FP32, 4}, false},
	{"double", {WEIR_DTYPE_FP64, 8}, false},
	{"c10::BFloat16", {WEIR_DTYPE_BF16, 2}, false},
	{"c10::Half", {WEIR_DTYPE_FP16, 2}, false},
	{"c10::Float8_", {WEIR_DTYPE_FP8, 1}, true},
	{"c10::Float4_",
         {WEIR_DTYPE_FP4, 1},
         true}, /* a byte holds two elements; dims count bytes */
	{"long int", {WEIR_DTYPE_INT, 8}, false},
	{"long", {WEIR_DTYPE_INT, 8}, false},
	{"unsigned long", {WEIR_DTYPE_INT, 8}, true},
	{"int", {WEIR_DTYPE_INT, 4}, false},
	{"unsigned int", {WEIR_DTYPE_INT, 4}, false},
	{"short", {WEIR_DTYPE_INT, 2}, true},
	{"unsigned short", {WEIR_DTYPE_INT, 2}, true},
	{"signed char", {WEIR_DTYPE_INT8, 1}, false},
	{"char", {WEIR_DTYPE_INT8, 1}, false},
	{"unsigned char", {WEIR_DTYPE_INT8, 1}, false},
	{"bool", {WEIR_DTYPE_INT, 1}, false},
	{"c10::complex<float>", {WEIR_DTYPE_FP32, 8}, false},
	{"c10::complex<double>", {WEIR_DTYPE_FP64, 16}, false},
	{"c10::complex<c10::Half>", {WEIR_DTYPE_FP16, 4}, false},
	{"c10::qint8", {WEIR_DTYPE_INT8, 1}, false},
	{"c10::quint8", {WEIR_DTYPE_INT8, 1}, false},
	{NULL, {WEIR_DTYPE_UNKNOWN, 0}, false},
};

struct weir_element weir_element_of_name(const char *name, size_t len)
{
	for (const struct type_name *row = type_names; row->name; row++) {
		size_t known = strlen(row->name);

		if ((row->prefix ? len >= known : len == known) && !memcmp(name, row->name, known))
			return row->element;
	}
	return (struct weir_element){WEIR_DTYPE_UNKNOWN, 0};
}

/* In the order of c10::ScalarType. Types without ordinary elements stay {0}. */
static const struct weir_element codes[] = {
	[0] = {WEIR_DTYPE_INT8, 1},  [1] = {WEIR_DTYPE_INT8, 1},   [2] = {WEIR_DTYPE_INT, 2},
	[3] = {WEIR_DTYPE_INT, 4},   [4] = {WEIR_DTYPE_INT, 8},    [5] = {WEIR_DTYPE_FP16, 2},
	[6] = {WEIR_DTYPE_FP32, 4},  [7] = {WEIR_DTYPE_FP64, 8},   [8] = {WEIR_DTYPE_FP16, 4},
	[9] = {WEIR_DTYPE_FP32, 8},  [10] = {WEIR_DTYPE_FP64, 16}, [11] = {WEIR_DTYPE_INT, 1},
	[12] = {WEIR_DTYPE_INT8, 1}, [13] = {WEIR_DTYPE_INT8, 1},  [14] = {WEIR_DTYPE_INT, 4},
	[15] = {WEIR_DTYPE_BF16, 2}, [23] = {WEIR_DTYPE_FP8, 1},   [24] = {WEIR_DTYPE_FP8, 1},
	[25] = {WEIR_DTYPE_FP8, 1},  [26] = {WEIR_DTYPE_FP8, 1},   [27] = {WEIR_DTYPE_INT, 2},
	[28] = {WEIR_DTYPE_INT, 4},  [29] = {WEIR_DTYPE_INT, 8},   [44] = {WEIR_DTYPE_FP8, 1},
	[45] = {WEIR_DTYPE_FP4, 1},
};

struct weir_element weir_element_of_code(int64_t code)
{
	if (code < 0 || (size_t)code >= sizeof(codes) / sizeof(codes[0]))
		return (struct weir_element){WEIR_DTYPE_UNKNOWN, 0};
	return codes[code];
}

/* Types that only copy bytes, then the ordinary ones. Of several, the first in the template
 * arguments decides. */
static const struct type_name kernel_types[] = {
	{"OpaqueType<1", {WEIR_DTYPE_INT8, 1}, false},
	{"OpaqueType<2", {WEIR_DTYPE_BF16, 2}, false},
	{"OpaqueType<4", {WEIR_DTYPE_FP32, 4}, false},
	{"OpaqueType<8", {WEIR_DTYPE_FP64, 8}, false},
	{"OpaqueType<16", {WEIR_DTYPE_FP64, 16}, false},
	{"<c10::BFloat16", {WEIR_DTYPE_BF16, 2}, false},
	{"<c10::Half", {WEIR_DTYPE_FP16, 2}, false},
	{"<float", {WEIR_DTYPE_FP32, 4}, false},
	{"<double", {WEIR_DTYPE_FP64, 8}, false},
	{"<long", {WEIR_DTYPE_INT, 8}, false},
	{"<int", {WEIR_DTYPE_INT, 4}, false},
	{"<bool", {WEIR_DTYPE_INT, 1}, false},
	{NULL, {WEIR_DTYPE_UNKNOWN, 0}, false},
};

struct weir_element weir_element_of_kernel(const char *kernel)
{
	const char *first = NULL;
	struct weir_element found = {WEIR_DTYPE_UNKNOWN, 0};

	for (const struct type_name *row = kernel_types; kernel && row->name; row++) {
		const char *at = strstr(kernel, row->name);

		/* "<1" must not match "<16". */
		if (!at || (at[strlen(row->name)] >= '0' && at[strlen(row->name)] <= '9'))
			continue;
		if (!first || at < first) {
			first = at;
			found = row->element;
		}
	}
	return found;
}
