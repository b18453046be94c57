/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts: convolutions that change theirs for every call, and products with unaligned rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/products.h"
#include "engine/analysis/advice/spread.h"

/* ---- channels-last ---- */

/* Convolutions took up to 11 % more without the layout changes around them, since their data is no
 * longer in the cache; other operators of the model may be slower in this layout. */
#define LAYOUT_HIGH 0.35

/* Nearest neighbours take longer with channels last: 2.1 to 2.3 times as long for 10, 39 and 157 MB
 * of bf16 (PyTorch 2.11 on an H100), since its kernel computes the place of each element. */
#define NEAREST      2.2
#define NEAREST_LOW  1.0
#define NEAREST_HIGH 2.3

/* Gives such a kernel its time with channels last. It is no place of the fix. */
static void slow_nearest(struct weir_draft *draft, uint32_t j)
{
	struct weir_job *job = &draft->program.jobs[j];

	if (!strstr(weir_advisor_kernel(draft->advisor, job), "upsample_nearest2d_out_frame"))
		return;
	job->low_ns = job->ns * NEAREST_LOW;
	job->high_ns = job->ns * NEAREST_HIGH;
	job->ns *= NEAREST;
}

/* Removes the call that starts a layout kernel. The host's time before the first call of an
 * operator belongs to the operator, which stays. */
static void remove_layout_call(struct weir_draft *draft, uint32_t issue)
{
	const struct weir_issue *issues = draft->program.issues;
	bool first = issue == 0 || issues[issue].op == WEIR_NONE ||
	             issues[issue - 1].op != issues[issue].op;

	if (first)
		weir_draft_remove_call(draft, issue);
	else
		weir_draft_remove(draft, issue);
}

bool weir_fix_channels_last(struct weir_draft *draft)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	size_t kernels = 0;
	double ns = 0;

	for (uint32_t j = 0; j < program->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];
		const struct weir_issue *issue = &draft->program.issues[job->issue];

		if (!weir_job_changes_layout(advisor, job)) {
			slow_nearest(draft, j);
			continue;
		}
		if (issue->job_count == 1 && !issue->graph)
			remove_layout_call(draft, job->issue);
		else
			weir_draft_close_gap(draft, j);
		weir_draft_set_job(draft, j, 0, 0, job->ns * LAYOUT_HIGH);
		ns += job->ns;
		kernels++;
	}
	weir_draft_basis(draft,
	                 "the step without %zu kernels of %.3f ms that change layouts around "
	                 "convolutions",
	                 kernels, ns / 1e6);
	return kernels > 0;
}

/* ---- align-sizes ---- */

#define ALIGNED 8.0 /* elements: 16 bytes of 16-bit types, which every library loads at once */
/* Unaligned products that are not slower than this have a kernel that copes. */
#define SLOW         1.4
#define ALIGNED_LOW  0.9
#define ALIGNED_HIGH 1.4

static double padded(double elements)
{
	return ceil(elements / ALIGNED) * ALIGNED;
}

/* Returns the time of the product with rows and inner dimension of the next multiple. */
static double aligned_ns(const struct weir_advisor *advisor, const struct weir_product *p,
                         double pace)
{
	struct weir_product then = *p;
	double more;

	then.n = padded(p->n);
	then.k = padded(p->k);
	more = then.n / p->n * (then.k / p->k);
	then.flops = p->flops * more;
	return pace * weir_product_ns(advisor, &then, p->engine, p->dtype, p->bytes * more);
}

/* Sizes of tensors that are padded already; the last ones are enough, as a result is read soon. */
#define MOST_PADDED 16

struct aligning {
	double flops, before_ns, after_ns, pad_ns;
	size_t products, alike, pads;
	double paces[WEIR_DTYPE_COUNT]; /* 0: not known yet */
	struct {
		double rows, columns;
	} padded[MOST_PADDED];
	size_t count; /* of tensors that were padded so far */
};

static bool is_padded(const struct aligning *sum, double rows, double columns)
{
	for (size_t i = 0; i < sum->count && i < MOST_PADDED; i++)
		if (sum->padded[i].rows == rows && sum->padded[i].columns == columns)
			return true;
	return false;
}

static void note_padded(struct aligning *sum, double rows, double columns)
{
	sum->padded[sum->count % MOST_PADDED].rows = rows;
	sum->padded[sum->count % MOST_PADDED].columns = columns;
	sum->count++;
}

/* Operators of torch.nn.functional.pad: it fills the result, and copies the input to a part of it,
 * whose places are computed (constant_pad_nd in ATen/native/PadNd.cpp). */
#define PAD_OPERATORS 2.0

/* Returns the time to pad the rows that the product multiplies; 0: they are aligned, or another
 * padded product wrote or read them. */
static double pad_ns(const struct weir_advisor *advisor, const struct weir_product *p,
                     const struct aligning *sum)
{
	double elements = p->m * p->k * p->batch;
	double stream_ns = elements * p->width / advisor->bandwidth * 1e9;

	if (padded(p->k) == p->k || is_padded(sum, p->m, p->k))
		return 0;
	return 2 * WEIR_SHORTEST_KERNEL_NS + stream_ns +
	       fmax(2 * stream_ns, weir_indexed_ns(advisor, elements));
}

static void align_product(struct weir_draft *draft, const struct weir_product *p,
                          struct aligning *sum)
{
	const struct weir_advisor *advisor = draft->advisor;
	double *pace = &sum->paces[p->dtype], ns, extra_ns;

	if (*pace == 0)
		*pace = weir_product_pace(advisor, p->engine, p->dtype, &sum->alike);
	ns = aligned_ns(advisor, p, *pace);
	extra_ns = pad_ns(advisor, p, sum);
	if (!(p->ns > SLOW * ns) || !(p->ns > ns + extra_ns))
		return;
	if (extra_ns > 0) {
		uint32_t issue = advisor->program.jobs[p->first].issue;

		if (!advisor->program.issues[issue].graph)
			weir_draft_add_operators(draft, issue, PAD_OPERATORS);
		sum->pads++;
	}
	weir_product_set(draft, p, ns + extra_ns, ns * ALIGNED_LOW,
	                 fmin(p->ns, ns * ALIGNED_HIGH + extra_ns));
	note_padded(sum, p->m, p->k);
	note_padded(sum, p->m, p->n);
	sum->products++;
	sum->flops += p->flops;
	sum->before_ns += p->ns;
	sum->after_ns += ns;
	sum->pad_ns += extra_ns;
}

static void explain_aligning(struct weir_draft *draft, const struct aligning *sum)
{
	char pads[64] = "";

	if (sum->pads > 0)
		snprintf(pads, sizeof pads, ", and %.0f us to pad %zu of their inputs",
		         sum->pad_ns / 1e3, sum->pads);
	weir_draft_basis(draft,
	                 "%zu products at %.0f TFLOP/s instead of %.0f with sizes of the next "
	                 "multiple of 8, as %s reach%s",
	                 sum->products, sum->flops / sum->after_ns / 1e3,
	                 sum->flops / sum->before_ns / 1e3,
	                 sum->alike > 0 ? "the aligned products of this run"
	                                : "aligned products of their sizes",
	                 pads);
}

bool weir_fix_align_sizes(struct weir_draft *draft)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	struct aligning sum = {0};

	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct weir_product p;

		if (weir_product_read(advisor, j, &p) && p.engine == WEIR_ENGINE_TENSOR &&
		    weir_product_misaligned(&p, p.width) > 1)
			align_product(draft, &p, &sum);
	}
	explain_aligning(draft, &sum);
	return sum.products > 0;
}
