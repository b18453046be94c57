/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts: convolutions that change theirs for every call, and products with unaligned rows. */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/products.h"

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

bool weir_fix_align_sizes(struct weir_draft *draft)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	double paces[WEIR_DTYPE_COUNT] = {0}; /* 0: not known yet */
	double flops = 0, before_ns = 0, after_ns = 0;
	size_t products = 0, alike = 0;

	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct weir_product p;
		double ns;

		if (!weir_product_read(advisor, j, &p) || p.engine != WEIR_ENGINE_TENSOR ||
		    weir_product_misaligned(&p, p.width) <= 1)
			continue;
		if (paces[p.dtype] == 0)
			paces[p.dtype] = weir_product_pace(advisor, p.engine, p.dtype, &alike);
		ns = aligned_ns(advisor, &p, paces[p.dtype]);
		if (!(p.ns > SLOW * ns))
			continue;
		weir_product_set(draft, &p, ns, ns * ALIGNED_LOW, fmin(p.ns, ns * ALIGNED_HIGH));
		products++;
		flops += p.flops;
		before_ns += p.ns;
		after_ns += ns;
	}
	weir_draft_basis(draft,
	                 "%zu products at %.0f TFLOP/s instead of %.0f with sizes of the next "
	                 "multiple of 8, as %s reach",
	                 products, flops / after_ns / 1e3, flops / before_ns / 1e3,
	                 alike > 0 ? "the aligned products of this run"
	                           : "aligned products of their sizes");
	return products > 0;
}
