/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that move data and compute nothing. Their bytes are those that they touch, not those of
 * the tensor they select from. Sorting reads and writes its data once per pass. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/analysis/roofline/models.h"

/* Radix sorts process eight bits of the key in a pass. */
#define KEY_BYTES_A_PASS 1
#define SORT_INDEX_BYTES 8
#define SAMPLE_PASSES    3
/* DRAM is read in sectors: a scattered element costs a whole sector. */
#define SECTOR_BYTES 32.0

/* Returns the bytes read for selected rows. Rows selected twice come from a cache, so that at most
 * the whole tensor is read. */
static double read_once(double picked, const struct weir_arg *from)
{
	return fmin(picked, weir_arg_bytes(from));
}

static void moved(struct weir_work *work, double bytes, enum weir_dtype dtype,
                  enum weir_model_confidence confidence)
{
	weir_work_vector(work, 0, bytes, dtype);
	work->confidence = confidence;
}

/* Returns the type of the first tensor among the arguments, inside a list or alone. */
static struct weir_element element_of_any(const struct weir_args *args, const char *kernel)
{
	for (size_t i = 0; i < args->count; i++) {
		if (args->items[i].element.width > 0)
			return args->items[i].element;
	}
	return weir_element_of_kernel(kernel);
}

/*
 * cat, stack: reads and writes each tensor of a list once. Newer profiles nest the list without its
 * type, which then comes from an output or from the kernel's name. Older ones record the tensors
 * one after the other.
 */
static bool fill_cat(const struct weir_operator_model *model, const struct weir_args *args,
                     struct weir_work *work)
{
	struct weir_element element = element_of_any(args, model->kernel);
	double listed = 0, plain = 0;

	for (size_t i = 0; i < args->count; i++) {
		if (args->items[i].rank < 0)
			listed += args->items[i].elements;
		else if (weir_args_tensor(args, i))
			plain += args->items[i].elements;
	}
	if (!(element.width > 0) || listed + plain <= 0)
		return false;
	/* Beside a list, a plain tensor is the output. */
	moved(work, 2 * element.width * (listed > 0 ? listed : plain), element.dtype,
	      WEIR_MODEL_MEDIUM);
	return true;
}

/* index_select(x, dim, index): one row of x per index. */
static bool fill_index_select(const struct weir_operator_model *model, const struct weir_args *args,
                              struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0), *index = weir_args_at(args, 2);
	enum weir_model_confidence confidence = WEIR_MODEL_HIGH;
	int64_t dim = 0;
	double picked;

	(void)model;
	if (!x || !index || index->rank > 1)
		return false;
	if (!weir_args_int(args, 1, &dim))
		confidence = WEIR_MODEL_LOW;
	if (dim < 0)
		dim += x->rank;
	if (dim < 0 || dim >= x->rank)
		return false;
	picked = x->element.width * x->elements / (double)x->dims[dim] * index->elements;
	moved(work, picked + read_once(picked, x) + index->elements * index->element.width,
	      x->element.dtype, confidence);
	return true;
}

/* embedding(weight[V, E], index): one row per index. */
static bool fill_embedding(const struct weir_operator_model *model, const struct weir_args *args,
                           struct weir_work *work)
{
	const struct weir_arg *weight = weir_args_tensor(args, 0), *index = weir_args_at(args, 1);
	double picked;

	(void)model;
	if (!weight || !index || weight->rank != 2 || index->rank < 0)
		return false;
	picked = weight->element.width * (double)weight->dims[1] * index->elements;
	moved(work, picked + read_once(picked, weight) + index->elements * index->element.width,
	      weight->element.dtype, WEIR_MODEL_HIGH);
	return true;
}

/* embedding_bag(weight[V, E], index, offsets): reads and adds rows, writes one row per bag. */
static bool fill_embedding_bag(const struct weir_operator_model *model,
                               const struct weir_args *args, struct weir_work *work)
{
	const struct weir_arg *weight = weir_args_tensor(args, 0),
			      *index = weir_args_tensor(args, 1);
	const struct weir_arg *bags = weir_args_tensor(args, 2);
	double row, bytes;

	(void)model;
	if (!weight || !index || !bags || weight->rank != 2)
		return false;
	row = weight->element.width * (double)weight->dims[1];
	bytes = read_once(row * index->elements, weight) + row * bags->elements +
	        weir_arg_bytes(index) + weir_arg_bytes(bags);
	weir_work_vector(work, index->elements * (double)weight->dims[1], bytes,
	                 weight->element.dtype);
	work->confidence = WEIR_MODEL_MEDIUM;
	return true;
}

/* index(x, [index, ...]): the indices broadcast and replace the leading dimensions. Needs the list
 * of indices, which many profiles do not record. */
static bool fill_index(const struct weir_operator_model *model, const struct weir_args *args,
                       struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	const struct weir_arg *list =
		args->count > 1 && args->items[1].rank < 0 ? &args->items[1] : NULL;
	double rows, kept = 1;

	(void)model;
	if (!x || !list || list->list_count > (size_t)x->rank)
		return false;
	for (int i = (int)list->list_count; i < x->rank; i++)
		kept *= (double)x->dims[i];
	rows = list->elements / (double)list->list_count;
	moved(work, 2 * x->element.width * kept * rows + SORT_INDEX_BYTES * list->elements,
	      x->element.dtype, WEIR_MODEL_LOW);
	return true;
}

/* scatter, index_copy, index_add, index_put: the tensor of values (position `at`) is moved
 * flops_per_element times: twice for a copy, three times if it is added to the target. */
static bool fill_values(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct weir_arg *values = weir_args_tensor(args, (size_t)model->at);
	const struct weir_arg *x = weir_args_tensor(args, 0), *index = weir_args_tensor(args, 2);
	double bytes;

	if (!x || !values)
		return false;
	bytes = model->flops_per_element * values->elements * x->element.width;
	/* The index of scatter and of the index operators. */
	if (index && index->element.dtype == WEIR_DTYPE_INT)
		bytes += weir_arg_bytes(index);
	moved(work, bytes, x->element.dtype, WEIR_MODEL_MEDIUM);
	return true;
}

/* Returns the bytes of the sectors that `elements` random elements lie in: n draws among s sectors
 * hit s (1 - (1 - 1/s)^n) of them. */
static double sectors_read(double elements, const struct weir_arg *from)
{
	double sectors = fmax(1, weir_arg_bytes(from) / SECTOR_BYTES);

	return weir_arg_bytes(from) * (1 - exp(-elements / sectors));
}

/* gather(x, dim, index): one element per index. To gather whole rows, programs expand the index
 * along the row; the kernel for such calls reads it once per row. */
static bool fill_gather(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0), *index = weir_args_tensor(args, 2);
	bool rows = model->kernel && strstr(model->kernel, "vectorized_gather");
	double picked, named;

	if (!x || !index || !(index->elements > 0))
		return false;
	picked = index->elements * x->element.width;
	named = weir_arg_bytes(index) / (rows ? (double)index->dims[index->rank - 1] : 1);
	moved(work, picked + read_once(picked, x) + named, x->element.dtype, WEIR_MODEL_MEDIUM);
	if (!rows)
		work->reuse.scattered_bytes =
			sectors_read(index->elements, x) - read_once(picked, x);
	return true;
}

/* cumsum and similar scans: one pass, without the carries between blocks. */
static bool fill_scan(const struct weir_operator_model *model, const struct weir_args *args,
                      struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);

	(void)model;
	if (!x)
		return false;
	weir_work_vector(work, x->elements, 2 * weir_arg_bytes(x), x->element.dtype);
	work->confidence = WEIR_MODEL_LOW;
	return true;
}

/* sort: keys and indices move once per pass; a key takes as many passes as it has bytes. */
static bool fill_sort(const struct weir_operator_model *model, const struct weir_args *args,
                      struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);

	(void)model;
	if (!x)
		return false;
	moved(work,
	      2 * x->elements * (x->element.width + SORT_INDEX_BYTES) * x->element.width /
	              KEY_BYTES_A_PASS,
	      x->element.dtype, WEIR_MODEL_LOW);
	return true;
}

/* topk(x, k): reads x at least once; the result is small. */
static bool fill_topk(const struct weir_operator_model *model, const struct weir_args *args,
                      struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);

	if (!x)
		return false;
	weir_work_vector(work, x->elements, weir_arg_bytes(x), x->element.dtype);
	work->confidence = WEIR_MODEL_LOW;
	/* If several blocks share a row: one pass per digit of the keys, and one to collect the
	 * result. */
	if (model->kernel && strstr(model->kernel, "mbtopk"))
		work->reuse.passes_again_bytes =
			weir_arg_bytes(x) * x->element.width / KEY_BYTES_A_PASS;
	return true;
}

/* reshape_and_cache(key, value, key cache, value cache, slots): reads each new row and writes it
 * into a KV cache that is otherwise not touched. */
static bool fill_cache_rows(const struct weir_operator_model *model, const struct weir_args *args,
                            struct weir_work *work)
{
	const struct weir_arg *key = weir_args_tensor(args, 0), *value = weir_args_tensor(args, 1);
	const struct weir_arg *cache = weir_args_tensor(args, 2),
			      *slots = weir_args_tensor(args, 4);

	(void)model;
	if (!key || !value || !cache || key->rank < 2)
		return false;
	moved(work,
	      weir_arg_bytes(key) + weir_arg_bytes(value) +
	              (key->elements + value->elements) * cache->element.width +
	              weir_arg_bytes(slots),
	      key->element.dtype, WEIR_MODEL_HIGH);
	return true;
}

/* multinomial(p, n) and samplers, in three passes: a random number for each probability, the
 * quotients, the maximum of each row. */
static bool fill_sample(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct weir_arg *p = weir_args_tensor(args, 0);

	(void)model;
	if (!p)
		return false;
	moved(work, 2 * SAMPLE_PASSES * weir_arg_bytes(p), p->element.dtype, WEIR_MODEL_LOW);
	return true;
}

#define COPIED 2.0
#define ADDED  3.0

const struct weir_operator_model weir_models_index[] = {
	{.op = "cat", .fill = fill_cat},
	{.op = "_cat", .fill = fill_cat},
	{.op = "stack", .fill = fill_cat},
	{.op = "index", .fill = fill_index},
	{.op = "index_select", .fill = fill_index_select},
	{.op = "embedding", .fill = fill_embedding},
	{.op = "embedding_bag", .fill = fill_embedding_bag},
	{.op = "_embedding_bag", .fill = fill_embedding_bag},
	{.op = "_embedding_bag_forward_only", .fill = fill_embedding_bag},
	{.op = "gather", .fill = fill_gather},
	{.op = "scatter", .fill = fill_values, .at = 2, .flops_per_element = COPIED},
	{.op = "scatter_add", .fill = fill_values, .at = 3, .flops_per_element = ADDED},
	{.op = "index_copy", .fill = fill_values, .at = 3, .flops_per_element = COPIED},
	{.op = "index_add", .fill = fill_values, .at = 3, .flops_per_element = ADDED},
	{.op = "index_put", .fill = fill_values, .at = 2, .flops_per_element = COPIED},
	{.op = "_index_put_impl", .fill = fill_values, .at = 2, .flops_per_element = COPIED},
	{.op = "cumsum", .fill = fill_scan},
	{.op = "cumprod", .fill = fill_scan},
	{.op = "sort", .fill = fill_sort},
	{.op = "argsort", .fill = fill_sort},
	{.op = "topk", .fill = fill_topk},
	{.op = "multinomial", .fill = fill_sample},
	{.op = "_C_cache_ops::reshape_and_cache", .fill = fill_cache_rows},
	{.op = "_C_cache_ops::reshape_and_cache_flash", .fill = fill_cache_rows},
	{.op = NULL},
};
