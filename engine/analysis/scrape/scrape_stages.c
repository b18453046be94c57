/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/stages.h"
#include "engine/analysis/scrape/ensembles.h"
#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

#define MAX_STAGES 512
/* Counters on one page may differ by requests that ended while the page was written. */
#define TORN 0.01
/* A larger relative difference between a whole and its parts means different requests, or an edited
 * page. */
#define BROKEN 0.05
/* Relative width of an interval that counts as a value. */
#define NARROW 0.01

struct filling {
	const struct weir_gathering *gathering;
	const struct weir_stage_aliases *aliases;
	struct weir_scrape_figures *out;
	struct weir_ensembles ensembles;
	bool active[WEIR_MAX_SCRAPE_GROUPS]; /* groups with any observation */
	/* Among the active groups; names of stages then include the server or model. */
	bool many_servers, many_models;
};

static const double levels[WEIR_LEVEL_COUNT] = {
	[WEIR_LEVEL_P50] = 0.50,
	[WEIR_LEVEL_P90] = 0.90,
	[WEIR_LEVEL_P95] = 0.95,
	[WEIR_LEVEL_P99] = 0.99,
};

/* Returns "queue", or if there are several "MODEL/queue", "vLLM/queue" or "vLLM MODEL/queue". */
static char *name_stage(const struct filling *filling, size_t group, const char *stage)
{
	const struct weir_scrape_group *own = &filling->gathering->groups[group];
	struct weir_text name = {0};

	if (filling->many_servers || (filling->many_models && !own->model[0]))
		weir_text_puts(&name, weir_server_name(own->server));
	if (filling->many_models && own->model[0]) {
		weir_text_puts(&name, name.length ? " " : "");
		weir_text_puts(&name, own->model);
	}
	weir_text_puts(&name, name.length ? "/" : "");
	weir_text_puts(&name, stage);
	return name.data;
}

/* Adds a stage; NULL: the name is taken, or there are too many stages. */
static struct weir_scrape_stage *add_stage(struct filling *filling, size_t group, const char *stage,
                                           const char *kind)
{
	struct weir_scrape_figures *out = filling->out;
	char *name = name_stage(filling, group, stage);
	struct weir_scrape_stage *own;
	bool known = false, full = out->stage_count == MAX_STAGES;

	for (size_t i = 0; i < out->stage_count && !known; i++)
		known = strcmp(out->stages[i].name, name) == 0;
	if (known || full) {
		out->findings.left_out += full && !known;
		free(name);
		return NULL;
	}
	own = &out->stages[out->stage_count++];
	*own = (struct weir_scrape_stage){
		.name = name,
		.kind = kind ? kind : weir_stage_kind(stage, filling->aliases),
		.count = NAN,
		.total_ns = NAN,
		.mean_ns = NAN,
		.usual_ns = NAN,
		.stalled = NAN,
		.long_ns = NAN,
		.whole_request =
			strcmp(stage, "e2e") == 0 && !(filling->ensembles.repeated[group] > 0),
		.first_token = strcmp(stage, "ttft") == 0,
	};
	for (int l = 0; l < WEIR_LEVEL_COUNT; l++)
		own->at[l] =
			(struct weir_quantile_estimate){.estimate = NAN, .low = NAN, .high = NAN};
	return own;
}

/* Adds a stage of which only the mean is known; NULL: the mean is unknown or the name is taken. */
static struct weir_scrape_stage *add_mean(struct filling *filling, size_t group, const char *stage,
                                          const char *kind, double total_ns, double count)
{
	struct weir_scrape_stage *own;

	if (!(count > 0) || !(total_ns >= 0))
		return NULL;
	own = add_stage(filling, group, stage, kind);
	if (!own)
		return NULL;
	own->count = count;
	own->total_ns = total_ns;
	own->mean_ns = total_ns / count;
	return own;
}

static double of_group(const struct filling *filling, enum weir_scraped metric, size_t group)
{
	return weir_gathered_value(filling->gathering, metric, group);
}

static double or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

/*
 * Adds the stages of Triton. Triton sums durations over requests, so only their ratio to requests
 * is meaningful. Answers from the response cache count as queue and request, but not as
 * computation. Of pages that do not count requests, the times of computation are means over
 * inferences.
 */
static void add_triton(struct filling *filling, size_t group)
{
	double requests = of_group(filling, WEIR_SCRAPED_REQUESTS, group);
	double computed = requests - or_zero(of_group(filling, WEIR_SCRAPED_RESPONSE_HITS, group));
	double whole = of_group(filling, WEIR_SCRAPED_REQUEST_NS, group);
	double queue = of_group(filling, WEIR_SCRAPED_QUEUE_NS, group);
	double input = of_group(filling, WEIR_SCRAPED_INPUT_NS, group);
	double infer = of_group(filling, WEIR_SCRAPED_INFER_NS, group);
	double output = of_group(filling, WEIR_SCRAPED_OUTPUT_NS, group);
	/* Triton adds the times of the steps to those of their ensemble, but not their queues. */
	double rest =
		whole - queue - input - infer - output - filling->ensembles.steps_queue_ns[group];

	if (filling->gathering->groups[group].server != WEIR_SERVER_TRITON)
		return;
	if (isnan(requests)) /* of a page without requests, times per inference are known */
		computed = of_group(filling, WEIR_SCRAPED_INFERENCES, group);
	add_mean(filling, group, "queue", "queue", queue, requests);
	add_mean(filling, group, "compute_input", "h2d", input, computed);
	add_mean(filling, group, "compute_infer", "compute", infer, computed);
	add_mean(filling, group, "compute_output", "d2h", output, computed);
	if (rest < 0 && rest > -TORN * whole)
		rest = 0; /* the page was read between two of the counters */
	add_mean(filling, group, "overhead", "other", rest, requests);
	add_mean(filling, group, "e2e", "other", whole, requests);
}

static bool is_limited(const struct weir_quantile_estimate *p95)
{
	if (isnan(p95->low))
		return false;
	return p95->beyond || p95->high - p95->low > WEIR_RESOLUTION_LIMIT * fabs(p95->estimate);
}

/* True if all observations are in one bucket, and their sum does not locate them either. */
static bool is_one_bucket(const struct weir_scrape_stage *stage)
{
	double low = stage->at[WEIR_LEVEL_P50].low, high = stage->at[WEIR_LEVEL_P99].high;

	return stage->occupied == 1 && high - low > NARROW * high;
}

static void fill_quantiles(const struct weir_buckets *buckets, double scale,
                           struct weir_scrape_stage *stage)
{
	for (int l = 0; l < WEIR_LEVEL_COUNT; l++) {
		struct weir_quantile_estimate *at = &stage->at[l];

		weir_buckets_quantile(buckets, levels[l], at);
		/* Beyond the last bound only the bounds are honest. */
		at->estimate = at->beyond ? NAN : at->estimate * scale;
		at->low *= scale;
		at->high *= scale;
	}
	stage->resolution_limited = is_limited(&stage->at[WEIR_LEVEL_P95]);
	/* Within a single bucket, interpolation only repeats the bounds. */
	for (int l = 0; l < WEIR_LEVEL_COUNT && is_one_bucket(stage); l++)
		stage->at[l].estimate = NAN;
}

static void fill_tail(const struct weir_buckets *buckets, double scale,
                      struct weir_scrape_stage *stage)
{
	struct weir_quantile_estimate p99;
	struct weir_stalls stalls;

	weir_buckets_quantile(buckets, levels[WEIR_LEVEL_P99], &p99);
	weir_buckets_stalls(buckets, &stalls);
	stage->usual_ns = stalls.usual * scale;
	stage->stalled = stalls.share;
	stage->occupied = stalls.occupied;
	stage->long_ns = p99.low * scale;
}

static void add_histogram(struct filling *filling, const struct weir_gathered *item)
{
	const struct weir_scraped_row *row = item->row;
	double total = weir_buckets_total(&item->buckets);
	struct weir_scrape_stage *stage;

	if (!(total > 0))
		return;
	stage = add_stage(filling, item->group, item->label ? item->label : row->stage, row->kind);
	if (!stage)
		return;
	stage->count = total;
	stage->total_ns = item->buckets.sum * row->scale;
	stage->mean_ns = stage->total_ns / item->buckets.observations;
	fill_tail(&item->buckets, row->scale, stage);
	stage->smoothed = row->smoothed;
	filling->out->findings.smoothed += row->smoothed;
	if (!row->smoothed)
		fill_quantiles(&item->buckets, row->scale, stage);
	filling->out->findings.limited += stage->resolution_limited;
}

static double mean_of(const struct filling *filling, size_t group, const char *stage, double *count)
{
	const struct weir_gathering *gathering = filling->gathering;

	for (size_t i = 0; i < gathering->count; i++) {
		const struct weir_gathered *item = &gathering->items[i];

		if (item->group != group || item->row->metric != WEIR_SCRAPED_STAGE ||
		    strcmp(item->row->stage, stage) != 0 || !(item->buckets.observations > 0))
			continue;
		*count = item->buckets.observations;
		return item->buckets.sum * item->row->scale / *count;
	}
	return NAN;
}

/*
 * Adds the front end, with tokenization: the mean TTFT less the means of queue and prefill. No
 * histogram shows it directly. Requests in flight differ between the three metrics, so the result
 * is approximate.
 */
static void add_frontend(struct filling *filling, size_t group)
{
	enum weir_server server = filling->gathering->groups[group].server;
	struct weir_scrape_stage *own;
	double count = NAN, unused, mean_ns;

	if (server != WEIR_SERVER_VLLM && server != WEIR_SERVER_LMDEPLOY)
		return;
	mean_ns = mean_of(filling, group, "queue", &unused) +
	          mean_of(filling, group, "prefill", &unused);
	mean_ns = mean_of(filling, group, "ttft", &count) - mean_ns;
	own = add_mean(filling, group, "frontend", "preprocess", mean_ns * count, count);
	if (own)
		own->approximate = true;
}

/* Checks the identity prefill + decode = inference of vLLM, which observes the three together at
 * the end of a request. */
static void check_inference(struct filling *filling, size_t group)
{
	double unused, whole_ns = mean_of(filling, group, "inference", &unused);
	double parts_ns = mean_of(filling, group, "prefill", &unused) +
	                  mean_of(filling, group, "decode", &unused);

	filling->out->findings.broken_sums +=
		fabs(parts_ns - whole_ns) > BROKEN * fmax(parts_ns, whole_ns);
}

static int by_row(const void *left, const void *right)
{
	const struct weir_gathered *a = *(const struct weir_gathered *const *)left;
	const struct weir_gathered *b = *(const struct weir_gathered *const *)right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return strcmp(a->label ? a->label : "", b->label ? b->label : "");
}

static void add_stages(struct filling *filling)
{
	const struct weir_gathering *gathering = filling->gathering;
	const struct weir_gathered **order =
		weir_alloc((gathering->count + 1) * sizeof(const struct weir_gathered *));
	size_t count = 0;

	for (size_t i = 0; i < gathering->count; i++)
		if (gathering->items[i].row->metric == WEIR_SCRAPED_STAGE)
			order[count++] = &gathering->items[i];
	qsort(order, count, sizeof *order, by_row);
	for (size_t group = 0; group < gathering->group_count; group++) {
		if (!filling->active[group])
			continue;
		check_inference(filling, group);
		add_frontend(filling, group);
		add_triton(filling, group);
		for (size_t i = 0; i < count; i++)
			if (order[i]->group == group)
				add_histogram(filling, order[i]);
	}
	free(order);
}

/* Returns the server that counts tokens, of pages without requests and times; NULL: none does, or
 * several do. */
static const char *server_of_tokens(const struct weir_gathering *gathering)
{
	const struct weir_scrape_group *found = NULL;

	for (size_t i = 0; i < gathering->count; i++) {
		const struct weir_gathered *item = &gathering->items[i];
		const struct weir_scrape_group *group = &gathering->groups[item->group];

		if ((item->row->metric != WEIR_SCRAPED_PROMPT_TOKENS &&
		     item->row->metric != WEIR_SCRAPED_GENERATION_TOKENS) ||
		    !(item->value > 0))
			continue;
		if (found && found->server != group->server)
			return NULL;
		found = group;
	}
	return found ? weir_server_name(found->server) : NULL;
}

static void find_active(struct filling *filling)
{
	const struct weir_gathering *gathering = filling->gathering;
	const struct weir_scrape_group *first = NULL;

	for (size_t i = 0; i < gathering->count; i++) {
		const struct weir_gathered *item = &gathering->items[i];
		enum weir_scraped metric = item->row->metric;

		if ((metric == WEIR_SCRAPED_STAGE && weir_buckets_total(&item->buckets) > 0) ||
		    ((metric == WEIR_SCRAPED_REQUESTS || metric == WEIR_SCRAPED_INFERENCES) &&
		     item->value > 0))
			filling->active[item->group] = true;
	}
	for (size_t g = 0; g < gathering->group_count; g++) {
		const struct weir_scrape_group *group = &gathering->groups[g];

		if (!filling->active[g])
			continue;
		filling->many_servers |= first && group->server != first->server;
		filling->many_models |= first && strcmp(group->model, first->model) != 0;
		first = first ? first : group;
	}
	if (!first)
		filling->out->server = server_of_tokens(gathering);
	else if (!filling->many_servers)
		filling->out->server = weir_server_name(first->server);
}

/* Returns the sum over the histograms of a size; NAN: not given. */
static double sum_of_sizes(const struct weir_gathering *gathering, enum weir_scraped metric)
{
	double sum = NAN;

	for (size_t i = 0; i < gathering->count; i++)
		if (gathering->items[i].row->metric == metric &&
		    isfinite(gathering->items[i].buckets.sum))
			sum = or_zero(sum) + gathering->items[i].buckets.sum;
	return sum;
}

/* True if a model behind Triton forms batches itself: the pages state what its engine runs. */
static bool has_engine_batches(const struct weir_gathering *gathering)
{
	for (size_t i = 0; i < gathering->count; i++) {
		const struct weir_scraped_row *row = gathering->items[i].row;

		if (row->server == WEIR_SERVER_TRITON && (row->metric == WEIR_SCRAPED_RUNNING ||
		                                          row->metric == WEIR_SCRAPED_ENGINE_STEPS))
			return true;
	}
	return false;
}

/* Returns the mean over the histograms of a size. */
static double mean_size(const struct weir_gathering *gathering, enum weir_scraped metric)
{
	double sum = 0, count = 0;

	for (size_t i = 0; i < gathering->count; i++) {
		const struct weir_gathered *item = &gathering->items[i];

		if (item->row->metric != metric || !(item->buckets.observations > 0) ||
		    isnan(item->buckets.sum))
			continue;
		sum += item->buckets.sum;
		count += item->buckets.observations;
	}
	return count > 0 ? sum / count : NAN;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static double requests_of_stages(const struct weir_scrape_figures *figures)
{
	double sum = 0;

	for (size_t i = 0; i < figures->stage_count; i++)
		sum += figures->stages[i].whole_request ? figures->stages[i].count : 0;
	return sum > 0 ? sum : NAN;
}

/* Fills the mean batch of each model. An ensemble executes nothing itself. */
static void fill_batches(const struct filling *filling, struct weir_scrape_figures *out)
{
	const struct weir_gathering *gathering = filling->gathering;

	out->batches = weir_alloc((gathering->group_count + 1) * sizeof *out->batches);
	for (size_t g = 0; g < gathering->group_count; g++) {
		double size = ratio(of_group(filling, WEIR_SCRAPED_INFERENCES, g),
		                    of_group(filling, WEIR_SCRAPED_EXECUTIONS, g));

		if (size > 0 && !filling->ensembles.is_ensemble[g])
			out->batches[out->batch_count++] = (struct weir_scrape_batch){
				.model = weir_alloc_text(gathering->groups[g].model), .size = size};
	}
}

/* True if the steps of an ensemble, which execute the same requests, do so in different batches. */
static bool differs_by_step(const struct weir_scrape_figures *figures)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < figures->batch_count; i++) {
		least = fmin(least, figures->batches[i].size);
		most = fmax(most, figures->batches[i].size);
	}
	return figures->ensembles && most - least > TORN * most;
}

/* Returns the mean batch: inferences over executions. */
static double batch_size(const struct filling *filling)
{
	const struct weir_gathering *gathering = filling->gathering;
	double inferences = 0, executions = 0;

	if (differs_by_step(filling->out))
		return NAN;

	for (size_t g = 0; g < gathering->group_count; g++) {
		double own = of_group(filling, WEIR_SCRAPED_EXECUTIONS, g);

		if (filling->ensembles.is_ensemble[g] || isnan(own))
			continue;
		inferences += of_group(filling, WEIR_SCRAPED_INFERENCES, g);
		executions += own;
	}
	return executions > 0 ? inferences / executions : NAN;
}

/* Fills the batches of Triton, which executes them itself. */
static void fill_triton_batches(const struct filling *filling, struct weir_scrape_figures *out)
{
	fill_batches(filling, out);
	out->batch_size = batch_size(filling);
}

/* Fills the moments of a gauge. Blocks of the KV cache become a share of all its blocks. */
static void fill_moments(const struct weir_gathering *gathering, struct weir_scrape_figures *out)
{
	static const struct {
		enum weir_scraped metric;
		size_t offset;
	} gauges[] = {
		{WEIR_SCRAPED_RUNNING, offsetof(struct weir_scrape_figures, running_at)},
		{WEIR_SCRAPED_WAITING, offsetof(struct weir_scrape_figures, waiting_at)},
		{WEIR_SCRAPED_CACHE_USAGE, offsetof(struct weir_scrape_figures, cache_usage_at)},
		{WEIR_SCRAPED_CACHE_TOKENS_USED,
	         offsetof(struct weir_scrape_figures, cache_tokens_at)},
		{WEIR_SCRAPED_GENERATION_RATE,
	         offsetof(struct weir_scrape_figures, generation_rate_at)},
	};
	struct weir_scrape_moments used, blocks;

	for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
		*(struct weir_scrape_moments *)((char *)out + gauges[i].offset) =
			weir_gathered_moments(gathering, gauges[i].metric);
	out->running = out->running_at.mean;
	out->waiting = out->waiting_at.mean;
	if (isnan(out->cache_usage_at.mean)) {
		used = weir_gathered_moments(gathering, WEIR_SCRAPED_CACHE_BLOCKS_USED);
		blocks = weir_gathered_moments(gathering, WEIR_SCRAPED_CACHE_BLOCKS);
		out->cache_usage_at =
			(struct weir_scrape_moments){.mean = ratio(used.mean, blocks.mean),
		                                     .first = ratio(used.first, blocks.first),
		                                     .last = ratio(used.last, blocks.last)};
	}
	out->cache_usage = out->cache_usage_at.mean;
}

/* Returns the share of hits that a gauge states. SGLang stated percent in 2024 and a share since;
 * no share exceeds 1. NAN: no gauge states it, or it is neither. */
static double stated_hit_rate(const struct weir_gathering *gathering)
{
	double stated = weir_gathered_moments(gathering, WEIR_SCRAPED_CACHE_HIT_RATE).mean;

	if (stated > 1)
		stated /= 100;
	return stated >= 0 && stated <= 1 ? stated : NAN;
}

static void fill_scalars(const struct filling *filling, struct weir_scrape_figures *out)
{
	const struct weir_gathering *gathering = filling->gathering;
	double queries = weir_gathered_value(gathering, WEIR_SCRAPED_CACHE_QUERIES, SIZE_MAX);
	double hits = weir_gathered_value(gathering, WEIR_SCRAPED_CACHE_HITS, SIZE_MAX);

	out->requests = weir_ensembles_total(gathering, &filling->ensembles, WEIR_SCRAPED_REQUESTS);
	if (isnan(out->requests))
		out->requests = requests_of_stages(out);
	out->inferences = isnan(out->requests)
	                          ? weir_ensembles_total(gathering, &filling->ensembles,
	                                                 WEIR_SCRAPED_INFERENCES)
	                          : NAN;
	out->failed = weir_ensembles_total(gathering, &filling->ensembles, WEIR_SCRAPED_FAILED);
	out->aborted = weir_gathered_value(gathering, WEIR_SCRAPED_ABORTED, SIZE_MAX);
	out->prompt_tokens = weir_gathered_value(gathering, WEIR_SCRAPED_PROMPT_TOKENS, SIZE_MAX);
	out->prompt_ns = weir_gathered_value(gathering, WEIR_SCRAPED_PROMPT_NS, SIZE_MAX);
	out->generation_ns = weir_gathered_value(gathering, WEIR_SCRAPED_GENERATION_NS, SIZE_MAX);
	out->generation_tokens =
		weir_gathered_value(gathering, WEIR_SCRAPED_GENERATION_TOKENS, SIZE_MAX);
	out->preemptions = weir_gathered_value(gathering, WEIR_SCRAPED_PREEMPTIONS, SIZE_MAX);
	out->cache_hit_rate = ratio(hits, isnan(queries) ? out->prompt_tokens : queries);
	if (isnan(out->cache_hit_rate))
		out->cache_hit_rate = stated_hit_rate(gathering);
	if (isnan(out->prompt_tokens))
		out->prompt_tokens = sum_of_sizes(gathering, WEIR_SCRAPED_PROMPT_LENGTH);
	if (isnan(out->generation_tokens))
		out->generation_tokens = sum_of_sizes(gathering, WEIR_SCRAPED_ANSWER_LENGTH);
	out->engine_batches = has_engine_batches(gathering);
	out->engine_steps = weir_gathered_value(gathering, WEIR_SCRAPED_ENGINE_STEPS, SIZE_MAX);
	out->cache_blocks = weir_gathered_moments(gathering, WEIR_SCRAPED_CACHE_BLOCKS).last;
	if (out->engine_batches)
		out->batch_size = NAN;
	else
		fill_triton_batches(filling, out);
	if (isnan(out->batch_size))
		out->batch_size = mean_size(gathering, WEIR_SCRAPED_BATCH_SIZE);
	out->step_tokens = mean_size(gathering, WEIR_SCRAPED_STEP_TOKENS);
	fill_moments(gathering, out);
}

bool weir_scrape_figures_collect(const struct weir_profile *profile,
                                 const struct weir_stage_aliases *aliases,
                                 struct weir_scrape_figures *out)
{
	struct weir_gathering gathering;
	struct filling filling = {.gathering = &gathering, .aliases = aliases, .out = out};
	bool any;

	*out = (struct weir_scrape_figures){.wall_ns = -1};
	weir_gather(&gathering, profile);
	any = gathering.count > 0;
	if (any) {
		out->findings = gathering.findings;
		out->stages = weir_alloc(MAX_STAGES * sizeof *out->stages);
		weir_ensembles_find(&gathering, &filling.ensembles);
		out->ensembles = filling.ensembles.any;
		find_active(&filling);
		add_stages(&filling);
		fill_scalars(&filling, out);
		/* After a restart, the counted time is not the time between the pages. */
		if (gathering.before && !out->findings.resets)
			out->wall_ns = weir_gathering_wall_ns(&gathering);
	}
	weir_gathering_release(&gathering);
	return any;
}

void weir_scrape_figures_release(struct weir_scrape_figures *figures)
{
	for (size_t i = 0; i < figures->stage_count; i++)
		free(figures->stages[i].name);
	free(figures->stages);
	for (size_t i = 0; i < figures->batch_count; i++)
		free(figures->batches[i].model);
	free(figures->batches);
	*figures = (struct weir_scrape_figures){0};
}
