/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/blends.h"

/* ---- blends ---- */

/* True if the call reads `count` tensors of this size and writes one. */
static bool takes(const struct weir_op_calls *calls, size_t c, size_t count, double bytes)
{
	struct weir_fusible tensors;

	if (!weir_is_fusible(calls, &calls->items[c], &tensors) || tensors.in_count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!weir_same_bytes(tensors.in[i], bytes))
			return false;
	return weir_same_bytes(tensors.out_bytes, bytes);
}

/* True if the call scales a tensor of this size by one value. */
static bool scales(const struct weir_op_calls *calls, size_t c, double bytes)
{
	static const char *const names[] = {"mul", "div", NULL};

	return weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), names) &&
	       takes(calls, c, 1, bytes);
}

/* True if the call is of this name and takes two tensors of this size. */
static bool joins_two(const struct weir_op_calls *calls, size_t c, const char *name, double bytes)
{
	return c < calls->count && strcmp(weir_op_calls_name(calls, &calls->items[c]), name) == 0 &&
	       takes(calls, c, 2, bytes);
}

/* True if a result of this size, apart from the last one, has no reader yet. */
static bool waits(const struct weir_chain *chain, double bytes)
{
	for (size_t i = 0; i + 1 < chain->count; i++)
		if (!chain->made[i].read && weir_same_bytes(chain->made[i].bytes, bytes))
			return true;
	return false;
}

/* Marks a call that squares the second tensor of a sum of squares, x x + y y: the first square is
 * not squared again. */
static void mark_squared(const struct weir_op_calls *calls, const struct weir_chain *chain,
                         size_t c, struct weir_fusible *tensors)
{
	double bytes = tensors->in[0];
	struct weir_fusible before;

	if (!tensors->same || chain->first + chain->count != c || waits(chain, bytes))
		return;
	if (weir_is_fusible(calls, &calls->items[c - 1], &before) && before.same &&
	    weir_same_bytes(before.in[0], bytes))
		tensors->blends |= joins_two(calls, c + 1, "add", bytes);
}

/* Marks a call that scales the second tensor of a blend: a x + b y, or a x + b y z, as moving
 * averages are. That tensor is neither the first one nor the first one scaled: the program would
 * have scaled once by a + b, or by a b. */
static void mark_blended(const struct weir_op_calls *calls, const struct weir_chain *chain,
                         size_t c, struct weir_fusible *tensors)
{
	size_t next = c + 1;
	double bytes = tensors->in[0];

	if (tensors->in_count != 1 || chain->first + chain->count != c ||
	    !scales(calls, c, bytes) || !scales(calls, c - 1, bytes))
		return;
	if (joins_two(calls, next, "mul", bytes))
		next++;
	tensors->blends =
		joins_two(calls, next, "add", bytes) || joins_two(calls, next, "sub", bytes);
}

void weir_blends_mark(const struct weir_op_calls *calls, const struct weir_chain *chain, size_t c,
                      struct weir_fusible *tensors)
{
	mark_blended(calls, chain, c, tensors);
	mark_squared(calls, chain, c, tensors);
}

/* ---- updates of parameters ---- */

/* Tensors that the update of a parameter by Adam moves (Kingma and Ba, 2015, algorithm 1): it reads
 * parameter, gradient and two averages, and writes all but the gradient. RMSprop has one average.
 */
#define ADAM_TENSORS    7.0
#define RMSPROP_TENSORS 5.0
/* The root follows its average of squares, and the division its root, behind a correction, an
 * addition and the other average: within this number of calls. A sum of squares and a norm far
 * behind it belong to another function. */
#define UPDATE_CALLS 8

/* True if the call squares a tensor of this size, or multiplies two. */
static bool squares(const struct weir_op_calls *calls, size_t c, double bytes)
{
	static const char *const names[] = {"pow", "square", NULL};

	return joins_two(calls, c, "mul", bytes) ||
	       (weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), names) &&
	        takes(calls, c, 1, bytes));
}

/* Notes the sum of two tensors as an average of values, a m + b g, or of squares, a v + b g g. */
static void note_average(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c,
                         double bytes)
{
	bool one = chain->count > 1 && scales(calls, c - 1, bytes);
	bool two = chain->count > 2 && scales(calls, c - 2, bytes);
	bool three = chain->count > 3 && scales(calls, c - 3, bytes);

	if (one && two)
		chain->averages++;
	else if (three &&
	         ((two && squares(calls, c - 1, bytes)) || (one && squares(calls, c - 2, bytes))))
		chain->squares = chain->count;
}

static void note_root(struct weir_chain *chain, double bytes)
{
	chain->root_bytes = bytes;
	chain->roots = chain->count;
}

/* Notes the parts of such an update: averages, one of squares, its root, and a division by that.
 * Averages are the state of the next step, so that each is read and written; all have the shape of
 * the parameter, so that the trace does not tell them apart. `c`: the chain's last call. */
void weir_blends_note(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c)
{
	const char *name = weir_op_calls_name(calls, &calls->items[c]);
	double bytes = chain->made[chain->count - 1].bytes;
	bool scaled = chain->count > 1 &&
	              strncmp(weir_op_calls_name(calls, &calls->items[c - 1]), "mul", 3) == 0;

	if (joins_two(calls, c, "add", bytes))
		note_average(calls, chain, c, bytes);
	else if (strncmp(name, "lerp", 4) == 0 || (scaled && joins_two(calls, c, "add_", bytes)))
		chain->averages++; /* m.mul_(a).add_(g, alpha=b) */
	else if (scaled && strncmp(name, "addcmul", 7) == 0)
		chain->squares = chain->count; /* v.mul_(a).addcmul_(g, g, value=b) */
	else if (chain->squares > 0 && chain->count <= chain->squares + UPDATE_CALLS &&
	         strcmp(name, "sqrt") == 0)
		note_root(chain, bytes);
	else if (chain->root_bytes > 0 && chain->count <= chain->roots + UPDATE_CALLS &&
	         weir_same_bytes(chain->root_bytes, bytes))
		chain->update |=
			joins_two(calls, c, "div", bytes) || strncmp(name, "addcdiv", 7) == 0;
}

double weir_blends_update_bytes(const struct weir_chain *chain)
{
	if (!chain->update)
		return 0;
	return chain->root_bytes * (chain->averages > 0 ? ADAM_TENSORS : RMSPROP_TENSORS);
}
