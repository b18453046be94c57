/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels far below both roofs that no other fix explains, and steps that leave nothing to do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/products.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* ---- retune-kernel ---- */

/* Shorter calls are limited by launch and size. */
#define LEAST_NS 20000.0
/* A call is slow below this share of the sustained rate, and then reaches the usual share. */
#define SLOW_SHARE  0.40
#define USUAL_SHARE 0.60
/* As many calls of the same family show what such kernels reach. */
#define LEAST_ALIKE 3
/* Nobody knows what a new kernel gives. */
#define RETUNED_LOW  0.7
#define RETUNED_HIGH 1.6

/* True for families that the roofline explains: scattered reads, sorts and copies that change
 * the layout are far below a roof by nature. */
static bool is_judged(enum weir_family family)
{
	switch (family) {
	case WEIR_FAMILY_GEMM:
	case WEIR_FAMILY_GEMV:
	case WEIR_FAMILY_ATTENTION:
	case WEIR_FAMILY_CONVOLUTION:
	case WEIR_FAMILY_NORM:
	case WEIR_FAMILY_SOFTMAX:
	case WEIR_FAMILY_ELEMENTWISE:
	case WEIR_FAMILY_REDUCE:
		return true;
	case WEIR_FAMILY_OTHER:
	case WEIR_FAMILY_COMMUNICATION:
	case WEIR_FAMILY_COPY:
	case WEIR_FAMILY_INDEX:
	case WEIR_FAMILY_SORT:
	case WEIR_FAMILY_FFT:
	case WEIR_FAMILY_COUNT:
		return false;
	}
	return false;
}

/* A call with all its kernels. */
struct call {
	uint32_t first, end, longest;
	double ns;
	enum weir_family family; /* of the longest kernel */
	const struct weir_assessment *assessment;
};

/* Reads a call that the roofline judges; false: it has no figures. */
static bool read_call(const struct weir_advisor *advisor, uint32_t first, struct call *call)
{
	const struct weir_program *program = &advisor->program;

	*call = (struct call){.first = first,
	                      .end = weir_call_end(program, first),
	                      .longest = first,
	                      .assessment =
	                              weir_advisor_assessment(advisor, &program->jobs[first])};
	for (uint32_t j = first; j < call->end; j++) {
		call->ns += program->jobs[j].ns;
		if (program->jobs[j].ns > program->jobs[call->longest].ns)
			call->longest = j;
	}
	call->family = weir_advisor_family(advisor, &program->jobs[call->longest]);
	return call->assessment && is_judged(call->family) &&
	       call->assessment->work.confidence >= WEIR_MODEL_MEDIUM &&
	       call->assessment->roofline.efficiency > 0;
}

/* A product is slow if it takes this many times the time of the model. FlashAttention-2 and masks
 * take up to 2.3 times that of the attention model, and short causal calls as long as full ones. */
#define SLOW_PRODUCT   2.0
#define SLOW_ATTENTION 5.0

/* True for products that the model explains, or that another fix is for: idle matrix units, sizes
 * that do not fit, few channels. */
static bool is_explained(const struct weir_advisor *advisor, const struct call *call)
{
	struct weir_product p;
	double slow, model_ns;

	if (call->assessment->roofline.matrix_units_idle)
		return true;
	if (!weir_product_read(advisor, call->first, &p))
		return false;
	slow = p.kind == WEIR_PRODUCT_ATTENTION ? SLOW_ATTENTION : SLOW_PRODUCT;
	model_ns = weir_product_ns(advisor, &p, p.engine, p.dtype, p.bytes);
	return p.irregular || p.dtype == WEIR_DTYPE_FP64 ||
	       weir_product_misaligned(&p, p.width) > 1 || p.ns < slow * model_ns;
}

/* True for kernels that draw random numbers: each costs tens of instructions, whose number no model
 * has, so that their traffic says nothing about what they could reach. */
static bool draws_numbers(const struct weir_advisor *advisor, const struct call *call)
{
	static const char *const words[] = {"normal_",    "uniform_", "exponential_", "bernoulli",
	                                    "geometric_", "cauchy_",  "random_",      "rand",
	                                    "poisson",    "dropout"};
	const char *op = weir_advisor_op(advisor, &advisor->program.jobs[call->longest]);

	for (size_t i = 0; i < WEIR_COUNT_OF(words); i++)
		if (strstr(op, words[i]))
			return true;
	return strstr(weir_advisor_kernel(advisor, &advisor->program.jobs[call->longest]),
	              "distribution_elementwise") != NULL;
}

static bool is_slow(const struct weir_advisor *advisor, const struct call *call)
{
	return !draws_numbers(advisor, call) && call->ns >= LEAST_NS &&
	       call->assessment->roofline.efficiency < SLOW_SHARE &&
	       call->assessment->roofline.roofline == WEIR_ROOFLINE_INEFFICIENT &&
	       !is_explained(advisor, call);
}

/* The share of the roof that calls of a family reach which are not slow. */
struct usual {
	double share;
	size_t alike; /* calls that show it; 0: the usual share of all kernels */
};

static struct usual usual_of(const struct weir_advisor *advisor, enum weir_family family)
{
	const struct weir_program *program = &advisor->program;
	double *shares = weir_alloc((program->job_count + 1) * sizeof *shares);
	struct usual usual = {USUAL_SHARE, 0};
	size_t count = 0;
	struct call call;

	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j))
		if (read_call(advisor, j, &call) && call.family == family && call.ns >= LEAST_NS &&
		    call.assessment->roofline.roofline != WEIR_ROOFLINE_IMPLAUSIBLE &&
		    call.assessment->roofline.efficiency >= SLOW_SHARE)
			shares[count++] = call.assessment->roofline.efficiency;
	if (count >= LEAST_ALIKE)
		usual = (struct usual){fmin(1, weir_median(shares, count)), count};
	free(shares);
	return usual;
}

/* Returns the time of the call at the usual share of its roof; for a product no less than the model
 * of its size gives. */
static double retuned_ns(const struct weir_advisor *advisor, const struct call *call, double usual)
{
	double ns = call->ns * call->assessment->roofline.efficiency / usual;
	struct weir_product p;

	if (weir_product_read(advisor, call->first, &p)) {
		double model_ns = weir_product_ns(advisor, &p, p.engine, p.dtype, p.bytes);

		return model_ns > ns ? model_ns : ns;
	}
	return ns;
}

/* Scales the kernels of a call; the longest first, so that it names the place. */
static void scale_call(struct weir_draft *draft, const struct call *call, double factor, double low,
                       double high)
{
	weir_draft_scale_job(draft, call->longest, factor, low, high);
	for (uint32_t j = call->first; j < call->end; j++)
		if (j != call->longest)
			weir_draft_scale_job(draft, j, factor, low, high);
}

/* ---- blocks of one warp ---- */

#define ONE_WARP 32u
/* A device starts about one block a clock: 1.66 a ns at most on an H100, where blocks of one warp
 * that start as fast move a few hundred GB/s. */
#define MOST_BLOCKS_PER_NS 1.0
/* Bytes that a thread of a pointwise kernel moves: one or two operands and a result of 2 to 4
 * bytes. */
#define THREAD_BYTES      7.0
#define THREAD_BYTES_LOW  4.0
#define THREAD_BYTES_HIGH 12.0

/* True for a kernel without a model that is limited by how fast blocks start. */
static bool starts_tiny_blocks(const struct weir_advisor *advisor, const struct call *call)
{
	const struct weir_device_columns *rows = &advisor->program.rank->trace->device;
	uint32_t row = advisor->program.jobs[call->longest].row;
	uint32_t threads = rows->threads_per_block[row];

	return call->ns >= LEAST_NS && threads > 0 && threads <= ONE_WARP &&
	       rows->blocks[row] >= MOST_BLOCKS_PER_NS * call->ns &&
	       !(call->assessment && call->assessment->work.confidence >= WEIR_MODEL_LOW);
}

/* Gives the call the time of its memory traffic, which large blocks reach; false: not shorter. */
static bool enlarge_blocks(struct weir_draft *draft, const struct call *call)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_device_columns *rows = &advisor->program.rank->trace->device;
	uint32_t row = advisor->program.jobs[call->longest].row;
	double threads = (double)rows->blocks[row] * rows->threads_per_block[row], ns;

	ns = weir_advisor_kernel_ns(advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_UNKNOWN,
	                            threads * THREAD_BYTES, 1);
	if (!(ns < call->ns))
		return false;
	scale_call(draft, call, ns / call->ns, ns / call->ns * THREAD_BYTES_LOW / THREAD_BYTES,
	           fmin(1, ns / call->ns * THREAD_BYTES_HIGH / THREAD_BYTES));
	return true;
}

/* ---- long blocks of one warp ---- */

/* A multiprocessor holds at most 32 blocks, and 64 warps (CUDA C Programming Guide, compute
 * capabilities 7.0 to 9.0 but for those of small devices): blocks of one warp leave half empty. */
#define BLOCKS_PER_SM 32.0
/*
 * A block that runs for 30 times the 0.6 us that a read of memory takes goes through its data in a
 * loop, which more warps would share. Kernels of rows, products and attention in Triton on an H100
 * whose blocks of one warp ran for 20 us and more took 1.0 to 3 times as long as with 4 to 8 warps
 * and wide tiles, products 4 to 20 times; those of 3 to 10 us 1.0 to 1.4 times. PyTorch's gather
 * of rows, whose blocks of one warp keep the memory busy, runs for 2.5 us.
 */
#define LONG_BLOCK_NS 20000.0
/* Marks these kernels in the draft as changed. The fix states no time (draft->unpredicted): the
 * trace does not show what other blocks gain. */
#define SOME_GAIN 0.5

/* True for a kernel of the program itself: no operator of the framework starts it, and its name has
 * no template or name space, as those of libraries do. */
static bool is_own(const struct weir_advisor *advisor, const struct weir_job *job)
{
	const char *name = weir_advisor_kernel(advisor, job);

	return strncmp(weir_advisor_op(advisor, job), "aten::", 6) != 0 && !strchr(name, '<') &&
	       !strstr(name, "::");
}

/* Returns how long one block of the job runs if each multiprocessor has as many as it can hold; 0:
 * not known. */
static double block_ns(const struct weir_advisor *advisor, const struct weir_job *job)
{
	double blocks = advisor->program.rank->trace->device.blocks[job->row];
	double held = advisor->peaks ? BLOCKS_PER_SM * advisor->peaks->sms : 0;

	return blocks > 0 ? job->ns * fmin(1, held / blocks) : 0;
}

/* True for an own kernel without a model, one warp of which works alone for long in each block. */
static bool has_lone_warps(const struct weir_advisor *advisor, const struct call *call)
{
	const struct weir_job *job = &advisor->program.jobs[call->longest];
	uint32_t threads = advisor->program.rank->trace->device.threads_per_block[job->row];

	return threads > 0 && threads <= ONE_WARP && job->ns >= LEAST_NS &&
	       call->family != WEIR_FAMILY_COMMUNICATION && is_own(advisor, job) &&
	       block_ns(advisor, job) >= LONG_BLOCK_NS &&
	       !(call->assessment && call->assessment->work.confidence >= WEIR_MODEL_LOW);
}

/* Names the kernels of lone warps. What other blocks give depends on their work, which is not
 * recorded. */
static bool name_lone_warps(struct weir_draft *draft)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	const struct weir_job *worst = NULL;
	struct call call;

	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		read_call(advisor, j, &call);
		if (!has_lone_warps(advisor, &call))
			continue;
		weir_draft_scale_job(draft, call.longest, SOME_GAIN, SOME_GAIN, 1);
		if (!worst || program->jobs[call.longest].ns > worst->ns)
			worst = &program->jobs[call.longest];
	}
	if (!worst)
		return false;
	draft->unpredicted = true;
	weir_draft_basis(draft,
	                 "blocks of one warp fill at most half of a multiprocessor, and here each "
	                 "runs for about %.0f us, through a loop that more warps or wider tiles "
	                 "would shorten; its work is not recorded, so that counters must say how "
	                 "far it is from a roof",
	                 block_ns(advisor, worst) / 1e3);
	return true;
}

/* ---- the fix ---- */

struct slowest {
	struct call call;
	struct usual usual;
	size_t calls;
};

static void describe_tiny_blocks(struct weir_draft *draft, const struct slowest *worst)
{
	const struct weir_device_columns *rows = &draft->advisor->program.rank->trace->device;
	uint32_t row = draft->advisor->program.jobs[worst->call.longest].row;

	weir_draft_basis(
		draft,
		"%zu calls, the slowest with %.3g million blocks of %u threads, which start "
		"at %.2g a ns, hardly slower than any do; in larger blocks %.0f to %.0f "
		"bytes a thread at %.0f GB/s, since its sizes are not recorded",
		worst->calls, rows->blocks[row] / 1e6, rows->threads_per_block[row],
		rows->blocks[row] / worst->call.ns, THREAD_BYTES_LOW, THREAD_BYTES_HIGH,
		draft->advisor->bandwidth / 1e9);
}

static void describe_slowest(struct weir_draft *draft, const struct slowest *worst)
{
	const struct weir_roofline_result *roofline = &worst->call.assessment->roofline;
	bool compute = roofline->side == WEIR_ROOFLINE_COMPUTE;
	double rate = compute ? roofline->tflops : roofline->gbps;

	weir_draft_basis(
		draft,
		"%zu calls, the slowest at %.3g %s, %.0f %% of its roof of %.3g; at %.0f %% "
		"of it, as %s reach",
		worst->calls, rate, compute ? "TFLOP/s" : "GB/s", 100 * roofline->efficiency,
		rate / roofline->efficiency, 100 * worst->usual.share,
		worst->usual.alike > 0 ? "like kernels of this run" : "such kernels usually");
}

/* Gives a slow call the time at the usual share of its roof; false: it is not slow. */
static bool retune(struct weir_draft *draft, const struct call *call, struct usual *usual)
{
	double factor;

	if (!is_slow(draft->advisor, call))
		return false;
	if (usual->share == 0)
		*usual = usual_of(draft->advisor, call->family);
	factor = retuned_ns(draft->advisor, call, usual->share) / call->ns;
	if (!(factor < 1))
		return false;
	scale_call(draft, call, factor, factor * RETUNED_LOW, fmin(1, factor * RETUNED_HIGH));
	return true;
}

bool weir_fix_retune_kernel(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->advisor->program;
	struct usual usual[WEIR_FAMILY_COUNT] = {0}; /* share 0: not known yet */
	struct slowest worst = {0};
	struct call call;

	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		bool judged = read_call(draft->advisor, j, &call);
		bool tiny =
			starts_tiny_blocks(draft->advisor, &call) && enlarge_blocks(draft, &call);

		if (!tiny && !(judged && retune(draft, &call, &usual[call.family])))
			continue;
		if (call.ns > worst.call.ns) {
			worst.call = call;
			worst.usual = tiny ? (struct usual){0} : usual[call.family];
		}
		worst.calls++;
	}
	if (worst.call.assessment && worst.usual.share > 0)
		describe_slowest(draft, &worst);
	else if (worst.calls > 0)
		describe_tiny_blocks(draft, &worst);
	return worst.calls > 0 || name_lone_warps(draft);
}

/* ---- none ---- */

/* Nothing is left to do if kernels near a roof take this share of the step. */
#define MOST_OF_STEP 0.75

static bool is_near_roof(const struct weir_assessment *assessment)
{
	switch (assessment->roofline.roofline) {
	case WEIR_ROOFLINE_COMPUTE:
	case WEIR_ROOFLINE_MEMORY:
	case WEIR_ROOFLINE_BALANCED:
		return assessment->work.confidence >= WEIR_MODEL_LOW;
	case WEIR_ROOFLINE_UNKNOWN:
	case WEIR_ROOFLINE_LATENCY:
	case WEIR_ROOFLINE_INEFFICIENT:
	case WEIR_ROOFLINE_IMPLAUSIBLE:
		return false;
	}
	return false;
}

bool weir_fix_none(struct weir_draft *draft)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	double near_ns = 0, reached_ns = 0;

	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct call call;

		read_call(advisor, j, &call);
		if (!call.assessment || !is_near_roof(call.assessment))
			continue;
		scale_call(draft, &call, 1, 1, 1);
		near_ns += call.ns;
		reached_ns += call.ns * fmin(1, call.assessment->roofline.peak_share);
	}
	if (near_ns < MOST_OF_STEP * advisor->before_ns)
		return false;
	weir_draft_basis(
		draft,
		"kernels that reach %.0f %% of the device's peak on average take %.0f %% of "
		"the step",
		100 * reached_ns / near_ns, 100 * fmin(1, near_ns / advisor->before_ns));
	return true;
}
