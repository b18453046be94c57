/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

WEIR_ENUM_TEXTS(
	weir_framework, [WEIR_FRAMEWORK_OTHER] = "cuda", [WEIR_FRAMEWORK_OTHER_ROCM] = "rocm",
	[WEIR_FRAMEWORK_PYTORCH_CUDA] = "pytorch-cuda",
	[WEIR_FRAMEWORK_PYTORCH_ROCM] = "pytorch-rocm", [WEIR_FRAMEWORK_JAX] = "jax")

/* ---- the framework ---- */

static bool any_name_begins(const struct weir_names *names, const char *prefix)
{
	size_t length = strlen(prefix), count = weir_names_count(names);

	for (size_t i = 1; i < count; i++)
		if (strncmp(weir_names_text(names, (uint32_t)i), prefix, length) == 0)
			return true;
	return false;
}

static bool is_rocm(const struct weir_trace *trace, uint16_t device)
{
	const char *name = weir_names_text(trace->names, trace->devices[device].name);

	return strstr(name, "AMD") || strstr(name, "Instinct") || strstr(name, "Radeon") ||
	       strncmp(name, "gfx", 3) == 0 || any_name_begins(trace->names, "hipLaunch") ||
	       any_name_begins(trace->names, "hipModuleLaunch") ||
	       any_name_begins(trace->names, "hipExtModuleLaunch");
}

static enum weir_framework framework_of(const struct weir_trace *trace, uint16_t device)
{
	bool rocm = is_rocm(trace, device);

	if (any_name_begins(trace->names, "aten::"))
		return rocm ? WEIR_FRAMEWORK_PYTORCH_ROCM : WEIR_FRAMEWORK_PYTORCH_CUDA;
	if (any_name_begins(trace->names, "jit_") || any_name_begins(trace->names, "XlaModule"))
		return WEIR_FRAMEWORK_JAX;
	return rocm ? WEIR_FRAMEWORK_OTHER_ROCM : WEIR_FRAMEWORK_OTHER;
}

/* ---- rates ---- */

/* Kernels of this duration and more show what the memory sustains. */
#define STREAMING_NS 20000.0
/* The rate that the better half of the streaming time reaches. */
#define REACHED 0.75

/* Fills the rate of memory that streaming kernels of this run reach. */
static void fill_bandwidth(struct weir_advisor *advisor)
{
	const struct weir_rank *rank = advisor->program.rank;
	double *rates = weir_alloc((rank->groups.count + 1) * sizeof *rates);
	size_t count = 0;

	advisor->bandwidth = advisor->peaks ? advisor->peaks->bytes_per_s.sustained : NAN;
	for (size_t g = 0; g < rank->groups.count; g++) {
		const struct weir_assessment *assessment = &rank->assessments[g];

		if (rank->groups.items[g].device != advisor->program.device ||
		    rank->groups.items[g].calls == 0 || assessment->work.product ||
		    assessment->roofline.roofline != WEIR_ROOFLINE_MEMORY ||
		    (double)rank->groups.items[g].sum_ns <
		            STREAMING_NS * (double)rank->groups.items[g].calls)
			continue;
		if (assessment->roofline.gbps > 0)
			rates[count++] = assessment->roofline.gbps * 1e9;
	}
	if (count > 0) {
		advisor->bandwidth = weir_quantile_select(rates, count, REACHED);
		advisor->bandwidth_seen = true;
	}
	if (advisor->peaks)
		advisor->bandwidth =
			fmin(advisor->bandwidth, advisor->peaks->bytes_per_s.theoretical);
	free(rates);
}

double weir_advisor_kernel_ns(const struct weir_advisor *advisor, double flops,
                              enum weir_engine engine, enum weir_dtype dtype, double bytes,
                              double efficiency)
{
	double ns = bytes > 0 ? bytes / advisor->bandwidth * 1e9 : 0;

	if (flops > 0) {
		struct weir_peak peak = {NAN, NAN};

		if (advisor->peaks)
			peak = weir_device_flops(advisor->peaks, engine, dtype);
		if (isnan(peak.sustained))
			return NAN;
		ns = fmax(ns, flops / (peak.sustained * efficiency) * 1e9);
	}
	return isnan(ns) ? NAN : fmax(ns, WEIR_SHORTEST_KERNEL_NS);
}

/* ---- the run ---- */

static void fill_speed(struct weir_advisor *advisor)
{
	double inflation = advisor->report->profiler.inflation;
	struct weir_profiler_factors factors = weir_profiler_factors_of(&advisor->program);

	advisor->speed_known = inflation > 0;
	advisor->speed = weir_unprofiled_speed(&advisor->program, inflation);
	advisor->fast = advisor->slow = advisor->speed;
	if (!advisor->speed_known && advisor->program.has_host) {
		advisor->fast.dispatch = 1 / factors.high;
		advisor->slow.dispatch = 1 / factors.low;
	}
}

/* Fills the host time of one more operator: the median of those of the program that launch work. */
static void fill_operator(struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	double *ns = weir_alloc((program->issue_count + 1) * sizeof *ns);
	size_t count = 0;

	for (size_t i = 0; i < program->issue_count; i++) {
		const struct weir_issue *issue = &program->issues[i];

		if (issue->kind == WEIR_ISSUE_LAUNCH && issue->call != WEIR_NONE &&
		    issue->op != WEIR_NONE && issue->job_count > 0 && issue->until == WEIR_NONE)
			ns[count++] = issue->dispatch_ns + issue->call_ns;
	}
	advisor->operator_ns = WEIR_DISPATCH_NS;
	if (count >= WEIR_LEAST_DISPATCHED)
		advisor->operator_ns = fmin(
			WEIR_SLOWEST_DISPATCH_NS,
			fmax(WEIR_DISPATCH_NS, weir_median(ns, count) * advisor->speed.dispatch));
	free(ns);
}

#define UNSET UINT8_MAX

/* Fills the families of the program's kernels: once a name, as each takes a search in tables. */
static void fill_families(struct weir_advisor *advisor)
{
	const struct weir_trace *trace = advisor->program.rank->trace;
	size_t count = weir_names_count(trace->names);

	advisor->families = weir_alloc(count + 1);
	memset(advisor->families, UNSET, count + 1);
	for (size_t j = 0; j < advisor->program.job_count; j++) {
		const struct weir_job *job = &advisor->program.jobs[j];
		uint8_t *family = &advisor->families[trace->device.name[job->row]];

		if (*family == UNSET)
			*family = (uint8_t)weir_kernel_family(weir_advisor_kernel(advisor, job));
	}
}

bool weir_advisor_init(struct weir_advisor *advisor, const struct weir_analysis *analysis,
                       const struct weir_report *report)
{
	const struct weir_rank *rank;

	*advisor = (struct weir_advisor){.report = report};
	if (!weir_program_init(&advisor->program, analysis))
		return false;
	rank = advisor->program.rank;
	if (rank->devices[advisor->program.device].known)
		advisor->peaks = &rank->devices[advisor->program.device].peaks;
	advisor->memos = weir_alloc(WEIR_MEMO_COUNT * sizeof *advisor->memos);
	for (size_t i = 0; i < WEIR_MEMO_COUNT; i++)
		pthread_mutex_init(&advisor->memos[i].lock, NULL);
	fill_families(advisor);
	advisor->framework = framework_of(rank->trace, advisor->program.device);
	fill_bandwidth(advisor);
	fill_speed(advisor);
	fill_operator(advisor);
	advisor->before_ns = weir_replay(&advisor->program, advisor->speed, WEIR_REPLAY_TYPICAL);
	return advisor->before_ns > 0;
}

void weir_advisor_release(struct weir_advisor *advisor)
{
	for (size_t i = 0; advisor->memos && i < WEIR_MEMO_COUNT; i++) {
		pthread_mutex_destroy(&advisor->memos[i].lock);
		if (!advisor->memos[i].value)
			continue;
		advisor->memos[i].release(advisor->memos[i].value);
		free(advisor->memos[i].value);
	}
	free(advisor->memos);
	free(advisor->families);
	weir_program_release(&advisor->program);
	*advisor = (struct weir_advisor){0};
}

struct search {
	const struct weir_advisor *advisor;
	const struct weir_memo_type *type;
	struct weir_advisor_memo *memo;
};

static void run_search(void *context)
{
	const struct search *search = context;
	void *value = weir_alloc(search->type->size);

	search->type->fill(value, search->advisor);
	search->memo->release = search->type->release;
	search->memo->value = value;
}

const void *weir_advisor_recall(const struct weir_advisor *advisor,
                                const struct weir_memo_type *type)
{
	struct weir_advisor_memo *memo = &advisor->memos[type->memo];

	struct search search = {advisor, type, memo};
	bool done;

	/* Memory that runs out must not leave the lock to threads that wait for it. */
	pthread_mutex_lock(&memo->lock);
	done = memo->value || weir_memory_try(run_search, &search);
	pthread_mutex_unlock(&memo->lock);
	if (!done)
		weir_out_of_memory();
	return memo->value;
}

/* ---- jobs ---- */

const char *weir_advisor_kernel(const struct weir_advisor *advisor, const struct weir_job *job)
{
	return weir_timeline_device_name(&advisor->program.rank->timeline, job->row);
}

const char *weir_advisor_op(const struct weir_advisor *advisor, const struct weir_job *job)
{
	return job->op == WEIR_NONE
	               ? ""
	               : weir_timeline_host_name(&advisor->program.rank->timeline, job->op);
}

enum weir_family weir_advisor_family(const struct weir_advisor *advisor, const struct weir_job *job)
{
	const struct weir_device_columns *rows = &advisor->program.rank->trace->device;

	if (rows->kind[job->row] != WEIR_DEVICE_KERNEL)
		return WEIR_FAMILY_COPY;
	return (enum weir_family)advisor->families[rows->name[job->row]];
}

const struct weir_assessment *weir_advisor_assessment(const struct weir_advisor *advisor,
                                                      const struct weir_job *job)
{
	return job->group == WEIR_NONE ? NULL : &advisor->program.rank->assessments[job->group];
}

bool weir_advisor_call(const struct weir_advisor *advisor, const struct weir_job *job,
                       struct weir_call *call)
{
	return weir_call_of_op(advisor->program.rank->trace, job->op,
	                       weir_advisor_kernel(advisor, job), call);
}

bool weir_advisor_args(const struct weir_advisor *advisor, uint32_t op, struct weir_args *args)
{
	struct weir_call call;

	return weir_call_of_op(advisor->program.rank->trace, op, NULL, &call) &&
	       weir_args_parse(args, call.dims, call.types, call.scalars);
}

bool weir_advisor_transfers(const struct weir_advisor *advisor, const struct weir_job *job)
{
	return weir_rank_row_transfers(advisor->program.rank, job->row);
}
