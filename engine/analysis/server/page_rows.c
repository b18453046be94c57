/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes rows of metrics pages: one row of each engine for each page, with the counts since the page
 * before it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/scrape/scrape_metrics.h"
#include "engine/analysis/server/engines.h"
#include "engine/base/text.h"
#include "engine/model/telemetry.h"

#define MAX_PAGES 4096 /* further pages are left out */

/* A value of one engine on one page. */
enum cell {
	CELL_RUNNING,
	CELL_WAITING,
	CELL_KV,
	CELL_BLOCKS_USED,
	CELL_BLOCKS,
	CELL_TRANSFER_WAITING,
	CELL_ACCEPT_LENGTH,
	CELL_KV_TOKENS,
	CELL_MAX_RUNNING,
	CELL_MEMORY_SHARE,
	CELL_TOTALS, /* running totals follow, in the order of enum weir_engine_total */
	CELL_COUNT = CELL_TOTALS + WEIR_TOTAL_COUNT
};

struct page_cells {
	double value[CELL_COUNT];
	const struct weir_scraped_row *row[CELL_COUNT]; /* of several names the first counts */
	double position[WEIR_MAX_DRAFT_POSITIONS];
	double reason[WEIR_MAX_WAIT_REASONS];
	double adapters_at; /* time of the newest statement about LoRA adapters; 0: none */
	double adapters_running, adapters_waiting, adapters_max;
	bool present;
};

/* Labels that distinguish engines and replicas. */
static const char *const identities[] = {WEIR_SCRAPED_IDENTITIES};

/* An engine as its labels identify it, and its cells on each page. */
struct track {
	const char *name, *product;
	const char *labels[WEIR_COUNT_OF(identities)]; /* NULL: the series have no such label */
	bool sglang;
	struct page_cells *cells; /* one per page */
	const char *reasons[WEIR_MAX_WAIT_REASONS];
	size_t reason_count, positions;
	bool has_state; /* other tracks are no engines */
	bool is_shared; /* the totals of a server with several engines */
};

struct collecting {
	struct weir_arena *arena;
	const struct weir_scrape **pages;
	size_t page_count, page_capacity;
	struct page_cells *adapters; /* one per page, of which the LoRA adapters are set */
	struct track *tracks;
	size_t track_count, track_capacity;
	uint64_t left_out;
};

/* ---- pages in order ---- */

static double start_of(const struct weir_scrape *page)
{
	return weir_scrape_only_value(page, "process_start_time_seconds");
}

/* Sums all counters: they only grow while a process lives. */
static double counted(const struct weir_scrape *page)
{
	double sum = 0;

	for (size_t i = 0; i < page->sample_count; i++) {
		const struct weir_scrape_sample *sample = &page->samples[i];
		uint8_t type = page->families[page->series[sample->series].family].type;
		bool counter = type == WEIR_SCRAPE_COUNTER && sample->part == WEIR_PART_VALUE;

		if ((counter || sample->part == WEIR_PART_COUNT) && isfinite(sample->value))
			sum += sample->value;
	}
	return sum;
}

struct ordered {
	const struct weir_scrape *page;
	int64_t at_ns;
	double start, counted;
	size_t arrival;
};

static int by_moment(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (!isnan(a->start) && !isnan(b->start) && a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->counted != b->counted)
		return a->counted < b->counted ? -1 : 1;
	return (a->arrival > b->arrival) - (a->arrival < b->arrival);
}

/* Sorts by time stamps if all pages have one, else by the start of the process and by counters. */
static void sort_pages(struct collecting *all)
{
	struct ordered *order = weir_arena_alloc(all->arena, (all->page_count + 1) * sizeof *order);
	bool stamped = true;

	for (size_t i = 0; i < all->page_count; i++)
		stamped &= all->pages[i]->at_ns != WEIR_NO_TIME;
	for (size_t i = 0; i < all->page_count; i++)
		order[i] = (struct ordered){all->pages[i],
		                            stamped ? all->pages[i]->at_ns : WEIR_NO_TIME,
		                            start_of(all->pages[i]), counted(all->pages[i]), i};
	qsort(order, all->page_count, sizeof *order, by_moment);
	for (size_t i = 0; i < all->page_count; i++)
		all->pages[i] = order[i].page;
}

static void add_page(struct collecting *all, const struct weir_scrape *page)
{
	if (all->page_count == MAX_PAGES) {
		all->left_out++;
		return;
	}
	all->pages = (const struct weir_scrape **)weir_grow((void *)all->pages, &all->page_capacity,
	                                                    all->page_count + 1,
	                                                    sizeof(struct weir_scrape *));
	all->pages[all->page_count++] = page;
}

static void collect_pages(struct collecting *all, const struct weir_profile *profile)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_scrape *last = profile->inputs[i].scrape;

		if (!last)
			continue;
		if (last->earlier)
			add_page(all, last->earlier);
		for (size_t p = 0; p < last->between_count; p++)
			add_page(all, last->between[p]);
		add_page(all, last);
	}
	sort_pages(all);
}

/* ---- engines on a page ---- */

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* True if the series has the labels of the track. */
static bool has_labels(const struct track *track, const struct weir_scrape *page, uint32_t series)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(identities); i++)
		if (!is_same_text(track->labels[i], weir_scrape_label(page, series, identities[i])))
			return false;
	return true;
}

static void copy_labels(struct collecting *all, const struct weir_scrape *page, uint32_t series,
                        struct track *track)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(identities); i++) {
		const char *value = weir_scrape_label(page, series, identities[i]);

		track->labels[i] = value ? weir_arena_copy(all->arena, value, strlen(value)) : NULL;
	}
}

static const char *name_of(const struct weir_scrape *page, uint32_t series)
{
	const char *engine = weir_scrape_label(page, series, "engine");

	if (!engine)
		engine = weir_scrape_label(page, series, "dp_rank");
	return engine ? engine : "";
}

static struct track *find_track(struct collecting *all, const struct weir_scrape *page,
                                uint32_t series, enum weir_server server)
{
	const char *product =
		server == WEIR_SERVER_TRITON ? "TensorRT-LLM" : weir_server_name(server);
	struct track *track;

	for (size_t i = 0; i < all->track_count; i++)
		if (strcmp(all->tracks[i].product, product) == 0 &&
		    has_labels(&all->tracks[i], page, series))
			return &all->tracks[i];
	if (all->track_count == WEIR_MAX_ENGINES) {
		all->left_out++;
		return NULL;
	}
	all->tracks = weir_grow(all->tracks, &all->track_capacity, all->track_count + 1,
	                        sizeof *all->tracks);
	track = &all->tracks[all->track_count++];
	*track = (struct track){
		.name = name_of(page, series),
		.product = product,
		.sglang = server == WEIR_SERVER_SGLANG,
		.cells = weir_arena_alloc(all->arena, (all->page_count + 1) * sizeof *track->cells),
	};
	copy_labels(all, page, series, track);
	for (size_t p = 0; p < all->page_count; p++) {
		for (size_t c = 0; c < CELL_COUNT; c++)
			track->cells[p].value[c] = NAN;
		for (size_t c = 0; c < WEIR_MAX_DRAFT_POSITIONS; c++)
			track->cells[p].position[c] = NAN;
	}
	return track;
}

static const struct {
	enum weir_scraped metric;
	enum cell cell;
} scalars[] = {
	{WEIR_SCRAPED_RUNNING, CELL_RUNNING},
	{WEIR_SCRAPED_WAITING, CELL_WAITING},
	{WEIR_SCRAPED_CACHE_USAGE, CELL_KV},
	{WEIR_SCRAPED_CACHE_BLOCKS_USED, CELL_BLOCKS_USED},
	{WEIR_SCRAPED_CACHE_BLOCKS, CELL_BLOCKS},
	{WEIR_SCRAPED_TRANSFER_WAITING, CELL_TRANSFER_WAITING},
	{WEIR_SCRAPED_ACCEPT_LENGTH, CELL_ACCEPT_LENGTH},
	{WEIR_SCRAPED_CACHE_TOKENS, CELL_KV_TOKENS},
	{WEIR_SCRAPED_MAX_RUNNING, CELL_MAX_RUNNING},
	{WEIR_SCRAPED_REQUESTS, CELL_TOTALS + WEIR_TOTAL_REQUESTS},
	{WEIR_SCRAPED_PROMPT_TOKENS, CELL_TOTALS + WEIR_TOTAL_PROMPT},
	{WEIR_SCRAPED_GENERATION_TOKENS, CELL_TOTALS + WEIR_TOTAL_OUTPUT},
	{WEIR_SCRAPED_PREEMPTIONS, CELL_TOTALS + WEIR_TOTAL_PREEMPTED},
	{WEIR_SCRAPED_CACHE_QUERIES, CELL_TOTALS + WEIR_TOTAL_QUERIES},
	{WEIR_SCRAPED_CACHE_HITS, CELL_TOTALS + WEIR_TOTAL_HITS},
	{WEIR_SCRAPED_DRAFTS, CELL_TOTALS + WEIR_TOTAL_DRAFTS},
	{WEIR_SCRAPED_DRAFTED, CELL_TOTALS + WEIR_TOTAL_DRAFTED},
	{WEIR_SCRAPED_ACCEPTED, CELL_TOTALS + WEIR_TOTAL_ACCEPTED},
	{WEIR_SCRAPED_TRANSFERS_FAILED, CELL_TOTALS + WEIR_TOTAL_TRANSFERS_FAILED},
	{WEIR_SCRAPED_TRANSFERS_EXPIRED, CELL_TOTALS + WEIR_TOTAL_TRANSFERS_EXPIRED},
	{WEIR_SCRAPED_EXTERNAL_QUERIES, CELL_TOTALS + WEIR_TOTAL_EXTERNAL_QUERIES},
	{WEIR_SCRAPED_EXTERNAL_HITS, CELL_TOTALS + WEIR_TOTAL_EXTERNAL_HITS},
	{WEIR_SCRAPED_MEDIA_QUERIES, CELL_TOTALS + WEIR_TOTAL_MEDIA_QUERIES},
	{WEIR_SCRAPED_MEDIA_HITS, CELL_TOTALS + WEIR_TOTAL_MEDIA_HITS},
};

/* Adds a value to a cell. A share is the largest of several; others are summed. */
static void put(struct page_cells *cells, enum cell cell, const struct weir_scraped_row *row,
                double value)
{
	if (!isfinite(value) || value < 0 || (cells->row[cell] && row > cells->row[cell]))
		return;
	if (cells->row[cell] != row)
		cells->value[cell] = NAN;
	cells->row[cell] = row;
	cells->present = true;
	if (cell == CELL_KV || cell == CELL_ACCEPT_LENGTH || cell == CELL_MEMORY_SHARE)
		cells->value[cell] =
			fmax(isnan(cells->value[cell]) ? 0 : cells->value[cell], value);
	else
		weir_add_known(&cells->value[cell], value);
}

static double label_number(const struct weir_scrape *page, uint32_t series, const char *label)
{
	const char *text = weir_scrape_label(page, series, label);
	double value;

	return text && weir_parse_double(text, strlen(text), &value) ? value : NAN;
}

static void put_position(struct track *track, size_t at, const struct weir_scrape *page,
                         uint32_t series)
{
	double position = label_number(page, series, "position");

	if (!(position >= 0 && position < WEIR_MAX_DRAFT_POSITIONS))
		return;
	weir_add_known(&track->cells[at].position[(size_t)position],
	               weir_scrape_value(page, series, WEIR_PART_VALUE));
	if ((size_t)position >= track->positions)
		track->positions = (size_t)position + 1;
}

static void put_reason(struct track *track, size_t at, const struct weir_scraped_row *row,
                       const struct weir_scrape *page, uint32_t series)
{
	const char *reason = row->reason ? row->reason : weir_scrape_label(page, series, "reason");
	double value = weir_scrape_value(page, series, WEIR_PART_VALUE);
	size_t i = 0;

	while (reason && i < track->reason_count && strcmp(track->reasons[i], reason) != 0)
		i++;
	if (!reason || i == WEIR_MAX_WAIT_REASONS || !isfinite(value))
		return;
	if (i == track->reason_count)
		track->reasons[track->reason_count++] = reason;
	track->cells[at].reason[i] += value;
}

/* Returns the number of names in a list "a,b"; NAN: no list. */
static double count_names(const char *list)
{
	double count = 0;

	if (!list)
		return NAN;
	for (const char *at = list; *at; at++)
		count += *at != ',' && (at == list || at[-1] == ',');
	return count;
}

/* A page keeps a series for every set of adapters that ever ran or waited; the newest holds. */
static void put_adapters(struct page_cells *cells, const struct weir_scrape *page, uint32_t series)
{
	double at = weir_scrape_value(page, series, WEIR_PART_VALUE);

	if (!(at > cells->adapters_at))
		return;
	cells->adapters_at = at;
	cells->adapters_running =
		count_names(weir_scrape_label(page, series, "running_lora_adapters"));
	cells->adapters_waiting =
		count_names(weir_scrape_label(page, series, "waiting_lora_adapters"));
	cells->adapters_max = label_number(page, series, "max_lora");
}

static void put_stage(struct page_cells *cells, const struct weir_scraped_row *row,
                      const struct weir_scrape *page, uint32_t series)
{
	double sum = weir_scrape_value(page, series, WEIR_PART_SUM) * row->scale;
	double count = weir_scrape_value(page, series, WEIR_PART_COUNT);

	if (row->metric == WEIR_SCRAPED_TRANSFER) {
		put(cells, CELL_TOTALS + WEIR_TOTAL_TRANSFER_NS, row, sum);
		put(cells, CELL_TOTALS + WEIR_TOTAL_TRANSFERS, row, count);
	} else if (row->metric == WEIR_SCRAPED_TRANSFER_BYTES) {
		put(cells, CELL_TOTALS + WEIR_TOTAL_TRANSFER_BYTES, row, sum);
	} else if (row->metric == WEIR_SCRAPED_PROMPT_LENGTH) {
		put(cells, CELL_TOTALS + WEIR_TOTAL_PROMPT, row, sum);
	} else if (row->metric == WEIR_SCRAPED_ANSWER_LENGTH) {
		put(cells, CELL_TOTALS + WEIR_TOTAL_OUTPUT, row, sum);
	} else if (row->stage && !row->stage_label && strcmp(row->stage, "queue") == 0) {
		put(cells, CELL_TOTALS + WEIR_TOTAL_QUEUE_NS, row, sum);
	} else if (row->stage && !row->stage_label && strcmp(row->stage, "e2e") == 0) {
		put(cells, CELL_TOTALS + WEIR_TOTAL_LATENCY_NS, row, sum);
		put(cells, CELL_TOTALS + WEIR_TOTAL_LATENCIES, row, count);
	} else if (row->stage && !row->stage_label && strcmp(row->stage, "ttft") == 0) {
		put(cells, CELL_TOTALS + WEIR_TOTAL_FIRST_NS, row, sum);
		put(cells, CELL_TOTALS + WEIR_TOTAL_FIRSTS, row, count);
	}
}

static void put_scalar(struct page_cells *cells, const struct weir_scraped_row *row,
                       const struct weir_scrape *page, uint32_t series)
{
	if (row->metric == WEIR_SCRAPED_CACHE_CONFIG) {
		put(cells, CELL_KV_TOKENS, row,
		    label_number(page, series, "block_size") *
		            label_number(page, series, "num_gpu_blocks"));
		put(cells, CELL_MEMORY_SHARE, row,
		    label_number(page, series, "gpu_memory_utilization"));
		return;
	}
	for (size_t i = 0; i < WEIR_COUNT_OF(scalars); i++)
		if (scalars[i].metric == row->metric)
			put(cells, scalars[i].cell, row,
			    weir_scrape_value(page, series, WEIR_PART_VALUE));
}

static void read_series(struct collecting *all, size_t at, const struct weir_scraped_row *family,
                        uint32_t series)
{
	const struct weir_scrape *page = all->pages[at];
	const struct weir_scraped_row *row = weir_scraped_of_series(family, page, series);
	struct track *track;

	if (!row || row->server == WEIR_SERVER_GENAI)
		return;
	if (row->metric == WEIR_SCRAPED_ADAPTERS) { /* of the page: it names no engine */
		put_adapters(&all->adapters[at], page, series);
		return;
	}
	track = find_track(all, page, series, row->server);
	if (!track)
		return;
	if (row->metric == WEIR_SCRAPED_ACCEPTED_AT)
		put_position(track, at, page, series);
	else if (row->metric == WEIR_SCRAPED_WAITING_FOR)
		put_reason(track, at, row, page, series);
	else if (row->metric < WEIR_SCRAPED_SCALARS)
		put_scalar(&track->cells[at], row, page, series);
	else
		put_stage(&track->cells[at], row, page, series);
}

static void read_page(struct collecting *all, size_t at)
{
	const struct weir_scrape *page = all->pages[at];

	for (uint32_t f = 0; f < page->family_count; f++) {
		const struct weir_scrape_family *family = &page->families[f];
		const struct weir_scraped_row *row = weir_scraped_of_family(page, f);

		for (size_t i = 0; row && i < family->series_count; i++)
			read_series(all, at, row, page->by_family[family->first_series + i]);
	}
}

/* ---- rows ---- */

static int32_t whole(double value)
{
	return value >= 0 ? (int32_t)fmin(value, INT32_MAX) : -1;
}

/* True if the process started anew between two pages, or a total of the engine shrank. */
static bool is_restarted(const struct collecting *all, const struct track *track, size_t before,
                         size_t after)
{
	double was = start_of(all->pages[before]), is = start_of(all->pages[after]);

	if (!isnan(was) && !isnan(is) && was != is)
		return true;
	for (size_t i = CELL_TOTALS; i < CELL_COUNT; i++)
		if (track->cells[after].value[i] < track->cells[before].value[i])
			return true;
	return false;
}

/* Returns the growth of a total; after a restart it counts from 0. */
static double growth(const struct page_cells *before, const struct page_cells *after, size_t cell,
                     bool restarted)
{
	double was = before && !restarted ? before->value[cell] : 0;

	return after->value[cell] - (isnan(was) ? 0 : was);
}

static double kv_of(const struct page_cells *cells)
{
	double kv = cells->value[CELL_KV];

	if (isnan(kv) && cells->value[CELL_BLOCKS] > 0)
		kv = cells->value[CELL_BLOCKS_USED] / cells->value[CELL_BLOCKS];
	return kv >= 0 && kv <= 1 ? kv : kv > 1 && kv < 1.5 ? 1 : NAN;
}

static void fill_row(const struct page_cells *before, const struct page_cells *now, bool restarted,
                     double interval_s, struct weir_server_row *row)
{
	*row = weir_server_row_unknown(WEIR_SERVER_INTERVAL);
	row->running = whole(now->value[CELL_RUNNING]);
	row->waiting = whole(now->value[CELL_WAITING]);
	row->kv_usage = kv_of(now);
	row->accept_length = now->value[CELL_ACCEPT_LENGTH];
	if (!before)
		return;
	row->preempted = whole(growth(before, now, CELL_TOTALS + WEIR_TOTAL_PREEMPTED, restarted));
	if (!(interval_s > 0))
		return;
	row->prompt_rate =
		growth(before, now, CELL_TOTALS + WEIR_TOTAL_PROMPT, restarted) / interval_s;
	row->decode_rate =
		growth(before, now, CELL_TOTALS + WEIR_TOTAL_OUTPUT, restarted) / interval_s;
}

static void add_totals(struct weir_server_engine *engine, const struct track *track,
                       const struct page_cells *before, const struct page_cells *now,
                       bool restarted)
{
	for (size_t i = 0; i < WEIR_TOTAL_COUNT; i++)
		weir_add_known(&engine->total[i], growth(before, now, CELL_TOTALS + i, restarted));
	for (size_t i = 0; i < track->positions; i++) {
		double was = before && !restarted ? before->position[i] : 0;

		if (now->position[i] >= 0)
			engine->position[i] += now->position[i] - (isnan(was) ? 0 : was);
	}
}

static int64_t setting_of(double value, int64_t old)
{
	return value > 0 && value < 1e15 ? (int64_t)value : old;
}

/* Takes gauges that have no row, and settings; `pages` is the number of pages with the engine. */
static void take_page(struct weir_server_engine *engine, const struct track *track,
                      const struct page_cells *now)
{
	weir_add_known(&engine->transfer_waiting, now->value[CELL_TRANSFER_WAITING]);
	weir_add_known(&engine->accept_length, now->value[CELL_ACCEPT_LENGTH]);
	engine->settings.kv_tokens =
		setting_of(now->value[CELL_KV_TOKENS], engine->settings.kv_tokens);
	engine->settings.max_running =
		setting_of(now->value[CELL_MAX_RUNNING], engine->settings.max_running);
	if (now->value[CELL_MEMORY_SHARE] > 0 && now->value[CELL_MEMORY_SHARE] <= 1)
		engine->settings.memory_share = now->value[CELL_MEMORY_SHARE];
	for (size_t i = 0; i < track->reason_count; i++)
		engine->reasons[i].mean += now->reason[i];
}

static void finish_means(struct weir_server_engine *engine, const struct track *track)
{
	double pages = (double)engine->count;

	engine->transfer_waiting /= pages;
	engine->accept_length /= pages;
	for (size_t i = 0; i < track->reason_count; i++) {
		engine->reasons[i].name = track->reasons[i];
		engine->reasons[i].mean /= pages;
	}
	engine->reason_count = track->reason_count;
	engine->positions = track->positions;
}

/* Gives the first engine the LoRA adapters of the last page that states them. */
static void take_adapters(struct weir_engines *engines, const struct collecting *all)
{
	for (size_t p = all->page_count; engines->count && p-- > 0;)
		if (all->adapters[p].adapters_at > 0) {
			engines->items[0].adapters_running = all->adapters[p].adapters_running;
			engines->items[0].adapters_waiting = all->adapters[p].adapters_waiting;
			engines->items[0].adapters_max = all->adapters[p].adapters_max;
			return;
		}
}

/* With a single page, totals count from the start of the server; with several, from the first. */
static void add_engine(struct weir_engines *engines, const struct collecting *all,
                       const struct track *track)
{
	struct weir_server_engine *engine = weir_engines_add(engines);
	size_t last = SIZE_MAX;
	struct weir_server_row *rows =
		weir_arena_alloc(engines->arena, (all->page_count + 1) * sizeof *rows);

	if (!engine)
		return;
	engine->name = track->name;
	engine->product = track->product;
	engine->sglang = track->sglang;
	engine->pages = true;
	engine->clock = WEIR_SERVER_CLOCK_UNIX;
	engine->rows = (const struct weir_server_row **)weir_arena_alloc(
		engines->arena, (all->page_count + 1) * sizeof(struct weir_server_row *));
	for (size_t p = 0; p < all->page_count; p++) {
		const struct page_cells *now = &track->cells[p], *before;
		bool restarted = last != SIZE_MAX && is_restarted(all, track, last, p);
		int64_t from = last == SIZE_MAX ? WEIR_NO_TIME : all->pages[last]->at_ns;
		int64_t to = all->pages[p]->at_ns;
		double interval_s = from == WEIR_NO_TIME || to == WEIR_NO_TIME
		                            ? NAN
		                            : ((double)to - (double)from) / 1e9;

		if (!now->present)
			continue;
		before = last == SIZE_MAX ? NULL : &track->cells[last];
		fill_row(before, now, restarted, interval_s, &rows[p]);
		rows[p].at_ns = to;
		if (before)
			add_totals(engine, track, before, now, restarted);
		take_page(engine, track, now);
		engine->restarts += restarted;
		engine->rows[engine->count++] = &rows[p];
		last = p;
	}
	if (engine->count == 1)
		add_totals(engine, track, NULL, &track->cells[last], false);
	finish_means(engine, track);
}

/* True if a page states how many requests run or how much of the KV cache is in use. */
static bool has_state(const struct collecting *all, const struct track *track)
{
	for (size_t p = 0; p < all->page_count; p++)
		if (track->cells[p].value[CELL_RUNNING] >= 0 || !isnan(kv_of(&track->cells[p])))
			return true;
	return false;
}

/* ---- totals of a server ---- */

static bool has_no_labels(const struct track *track)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(identities); i++)
		if (track->labels[i])
			return false;
	return true;
}

/* True if the series of a server, which state no engine, are about this engine as well. `pair`: the
 * pages have no further series, so that an engine without labels is the one of the server. */
static bool covers(const struct track *server, const struct track *engine, bool pair)
{
	if (strcmp(server->product, engine->product) != 0)
		return false;
	if (pair && has_no_labels(engine))
		return true;
	for (size_t i = 0; i < WEIR_COUNT_OF(identities); i++)
		if (server->labels[i] && !is_same_text(server->labels[i], engine->labels[i]))
			return false;
	return true;
}

/* Gives an engine the values that it lacks. */
static void take_cells(const struct collecting *all, const struct track *from, struct track *to)
{
	for (size_t p = 0; p < all->page_count; p++) {
		to->cells[p].present |= from->cells[p].present;
		for (size_t c = 0; c < CELL_COUNT; c++)
			if (isnan(to->cells[p].value[c]))
				to->cells[p].value[c] = from->cells[p].value[c];
	}
}

/* Gives the totals of a server to its engine if it has one only. Returns the number of its engines.
 * SGLang, for one, counts tokens and requests in another process than the one that states which
 * requests run, and with fewer labels. */
static size_t fold_server(struct collecting *all, const struct track *server)
{
	struct track *only = NULL;
	size_t count = 0;

	for (size_t i = 0; i < all->track_count; i++) {
		if (!all->tracks[i].has_state ||
		    !covers(server, &all->tracks[i], all->track_count == 2))
			continue;
		only = &all->tracks[i];
		count++;
	}
	if (count == 1)
		take_cells(all, server, only);
	return count;
}

/* Adds the totals that several engines share, behind the engines. */
static void add_shared(struct weir_engines *engines, const struct collecting *all)
{
	size_t own = engines->count;

	for (size_t i = 0; i < all->track_count; i++)
		if (all->tracks[i].is_shared)
			add_engine(engines, all, &all->tracks[i]);
	engines->shared_count = engines->count - own;
	engines->count = own;
}

void weir_engines_of_pages(struct weir_engines *engines, const struct weir_profile *profile,
                           struct weir_arena *arena)
{
	struct collecting all = {.arena = arena};

	*engines = (struct weir_engines){.arena = arena};
	collect_pages(&all, profile);
	all.adapters = weir_arena_alloc(arena, (all.page_count + 1) * sizeof *all.adapters);
	for (size_t p = 0; p < all.page_count; p++)
		read_page(&all, p);
	for (size_t i = 0; i < all.track_count; i++)
		all.tracks[i].has_state = has_state(&all, &all.tracks[i]);
	for (size_t i = 0; i < all.track_count; i++)
		if (!all.tracks[i].has_state)
			all.tracks[i].is_shared = fold_server(&all, &all.tracks[i]) > 1;
	for (size_t i = 0; i < all.track_count; i++)
		if (all.tracks[i].has_state)
			add_engine(engines, &all, &all.tracks[i]);
	engines->left_out = all.left_out;
	weir_engines_sort(engines);
	take_adapters(engines, &all);
	add_shared(engines, &all);
	for (size_t i = 0; i < engines->count + engines->shared_count; i++)
		weir_engine_weigh(&engines->items[i], arena);
	free((void *)all.pages);
	free(all.tracks);
}
