/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/gaps.h"
#include "engine/analysis/advice/opcalls.h"

/* Memory is read in sectors of this size, at the least. */
#define SECTOR_BYTES 32.0

/* ---- forms ---- */

static uint64_t mix(uint64_t hash, int64_t value)
{
	return (hash ^ (uint64_t)value) * UINT64_C(1099511628211); /* FNV-1a, by values */
}

static uint64_t form_of(const int64_t *dims, const int64_t *strides, size_t rank)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < rank; i++)
		hash = mix(mix(hash, dims[i]), strides[i]);
	return hash | 1; /* never 0 */
}

static bool has_gaps(const struct weir_arg *arg)
{
	return arg->strided && arg->rank > 0 && arg->extent > arg->distinct;
}

uint64_t weir_gap_form(const struct weir_arg *arg)
{
	return has_gaps(arg) ? form_of(arg->dims, arg->strides, (size_t)arg->rank) : 0;
}

double weir_gap_span(const struct weir_arg *arg)
{
	return arg->extent * arg->element.width;
}

bool weir_gap_is_part(const struct weir_arg *arg, double bytes)
{
	int64_t longest = 0;

	for (int i = 0; i < arg->rank; i++)
		longest = arg->strides[i] > longest ? arg->strides[i] : longest;
	return bytes >= weir_gap_span(arg) &&
	       bytes < weir_gap_span(arg) + (double)longest * arg->element.width;
}

/* ---- views ---- */

/* True if the view is one of all parts into which an operator divides a tensor. */
static bool is_division(const struct weir_timeline *timeline, uint32_t row)
{
	static const char *const names[] = {"unbind", "chunk", "split", "split_with_sizes", NULL};

	for (row = timeline->parent[row]; row != WEIR_NONE; row = timeline->parent[row])
		if (weir_op_is_one_of(weir_op_plain_name(weir_timeline_host_name(timeline, row)),
		                      names))
			return true;
	return false;
}

/* Adds a view. A program divides a tensor once, so that the same part again is one of another
 * tensor, but selects the same part as often as it needs it. */
static void add_view(struct weir_gaps *gaps, uint64_t form, int64_t offset, bool division)
{
	unsigned layer = 0;

	for (size_t i = 0; i < gaps->view_count; i++)
		layer += gaps->views[i].form == form && gaps->views[i].offset == offset;
	if (gaps->view_count < WEIR_MOST_VIEWS && (layer == 0 || division))
		gaps->views[gaps->view_count++] = (struct weir_view){form, offset, layer};
}

void weir_gaps_see(struct weir_gaps *gaps, const struct weir_advisor *advisor, uint32_t row)
{
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;
	int64_t dims[WEIR_MAX_INTS], strides[WEIR_MAX_INTS], offset = 0;
	size_t rank, count;
	struct weir_args args;

	/* as_strided(x, sizes, strides, offset) is a part of all of them */
	if (strcmp(weir_op_plain_name(weir_timeline_host_name(timeline, row)), "as_strided") != 0 ||
	    !weir_advisor_args(advisor, row, &args) || !weir_args_ints(&args, 1, dims, &rank) ||
	    !weir_args_ints(&args, 2, strides, &count) || rank != count || rank == 0)
		return;
	weir_args_int(&args, 3, &offset);
	add_view(gaps, form_of(dims, strides, rank), offset, is_division(timeline, row));
}

/* ---- bytes ---- */

static int by_place(const void *a, const void *b)
{
	const struct weir_view *left = a, *right = b;

	if (left->layer != right->layer)
		return left->layer < right->layer ? -1 : 1;
	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Returns the elements that all views of the form cover; *count: of them. */
static double covered(const struct weir_gaps *gaps, uint64_t form, double extent, size_t *count)
{
	struct weir_view found[WEIR_MOST_VIEWS];
	double elements = 0;

	*count = 0;
	for (size_t i = 0; i < gaps->view_count; i++)
		if (gaps->views[i].form == form)
			found[(*count)++] = gaps->views[i];
	qsort(found, *count, sizeof *found, by_place);
	for (size_t i = 0; i < *count; i++) {
		bool last = i + 1 == *count || found[i + 1].layer != found[i].layer;
		double step = last ? extent : (double)(found[i + 1].offset - found[i].offset);

		elements += fmin(extent, step);
	}
	return elements;
}

/* Returns how often the bytes of a tensor with gaps are moved, because sectors hold the gaps as
 * well. */
static double sector_factor(const struct weir_arg *arg)
{
	double run = arg->element.width;

	for (int i = arg->rank; i-- > 0 && (double)arg->strides[i] * arg->element.width == run;)
		run *= (double)arg->dims[i];
	return fmax(1, fmin(SECTOR_BYTES / run, weir_gap_span(arg) / weir_arg_bytes(arg)));
}

static struct weir_form *find(struct weir_gaps *gaps, uint64_t form)
{
	for (size_t i = 0; i < gaps->form_count; i++)
		if (gaps->forms[i].form == form)
			return &gaps->forms[i];
	if (gaps->form_count == WEIR_MOST_FORMS)
		return NULL;
	gaps->forms[gaps->form_count] = (struct weir_form){.form = form};
	return &gaps->forms[gaps->form_count++];
}

bool weir_gaps_has_read(const struct weir_gaps *gaps, uint64_t form)
{
	for (size_t i = 0; i < gaps->form_count; i++)
		if (gaps->forms[i].form == form)
			return true;
	return false;
}

double weir_gaps_read(struct weir_gaps *gaps, const struct weir_arg *arg)
{
	struct weir_form *form = find(gaps, weir_gap_form(arg));
	double one = weir_arg_bytes(arg) * sector_factor(arg), most, bytes;
	size_t views;

	if (!form)
		return one;
	most = covered(gaps, form->form, arg->extent, &views) * arg->element.width;
	if (views == 0) { /* taken before: parts of one tensor */
		most = fmax(weir_gap_span(arg), one);
		views = (size_t)floor(most / weir_arg_bytes(arg) + 0.5);
	}
	form->reads++;
	bytes = fmin(most, one * (double)(form->reads < views ? form->reads : views));
	bytes = fmax(bytes, form->bytes);
	most = bytes - form->bytes;
	form->bytes = bytes;
	return most;
}
