/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/requests.h"

static const char overflow_stage[] = "other stages";

struct weir_requests *weir_requests_new(void)
{
	struct weir_requests *requests = weir_alloc(sizeof *requests);

	requests->names = weir_names_new();
	requests->requested_per_s = requests->duration_s = NAN;
	return requests;
}

void weir_requests_free(struct weir_requests *requests)
{
	if (!requests)
		return;
	free(requests->start_ns);
	free(requests->end_ns);
	free(requests->batch_size);
	free(requests->tokens);
	free(requests->padded_tokens);
	free(requests->output_tokens);
	free(requests->first_token_ns);
	free(requests->part_first);
	free(requests->part_count);
	free(requests->part_stage);
	free(requests->part_ns);
	free(requests->part_offset_ns);
	weir_names_free(requests->names);
	free(requests);
}

struct weir_request weir_request_unknown(void)
{
	return (struct weir_request){
		.batch_size = WEIR_UNKNOWN_COUNT,
		.tokens = WEIR_UNKNOWN_COUNT,
		.padded_tokens = WEIR_UNKNOWN_COUNT,
		.output_tokens = WEIR_UNKNOWN_COUNT,
		.first_token_ns = WEIR_UNKNOWN_COUNT,
	};
}

uint8_t weir_requests_stage(struct weir_requests *requests, const char *name, size_t len)
{
	bool full = requests->stage_count == WEIR_MAX_REQUEST_STAGES;
	/* names beyond the limit are not kept */
	uint32_t id = full ? weir_names_find(requests->names, name, len)
	                   : weir_names_add(requests->names, name, len);

	for (size_t i = 0; i < requests->stage_count; i++)
		if (requests->stages[i] == id)
			return (uint8_t)i;
	if (full)
		return (uint8_t)(requests->stage_count - 1);
	if (requests->stage_count == WEIR_MAX_REQUEST_STAGES - 1)
		id = weir_names_add(requests->names, overflow_stage, strlen(overflow_stage));
	requests->stages[requests->stage_count] = id;
	return (uint8_t)requests->stage_count++;
}

const char *weir_requests_stage_name(const struct weir_requests *requests, size_t stage)
{
	return weir_names_text(requests->names, requests->stages[stage]);
}

/* Returns the number of parts that belong to a request. */
static uint64_t owned_parts(const struct weir_requests *requests)
{
	size_t last = requests->count;

	return last ? requests->part_first[last - 1] + requests->part_count[last - 1] : 0;
}

static bool reserve_part(struct weir_requests *requests)
{
	size_t need = requests->parts + 1, capacity = requests->part_capacity;

	if (requests->parts - owned_parts(requests) >= WEIR_MAX_REQUEST_PARTS)
		return false;
	if (need <= capacity)
		return true;
	requests->part_stage =
		weir_grow(requests->part_stage, &capacity, need, sizeof *requests->part_stage);
	requests->part_ns = weir_realloc(requests->part_ns, capacity * sizeof *requests->part_ns);
	requests->part_capacity = capacity;
	return true;
}

void weir_requests_add_part(struct weir_requests *requests, uint8_t stage, int64_t duration_ns)
{
	if (!reserve_part(requests))
		return;
	requests->part_stage[requests->parts] = stage;
	requests->part_ns[requests->parts++] = duration_ns;
}

void weir_requests_add_part_at(struct weir_requests *requests, uint8_t stage, int64_t offset_ns,
                               int64_t duration_ns)
{
	if (!reserve_part(requests))
		return;
	requests->part_offset_ns = weir_grow(requests->part_offset_ns, &requests->offset_capacity,
	                                     requests->part_capacity, sizeof(int64_t));
	requests->part_offset_ns[requests->parts] = offset_ns;
	weir_requests_add_part(requests, stage, duration_ns);
}

static void reserve_rows(struct weir_requests *requests, size_t need)
{
	size_t capacity = requests->capacity;

	if (need <= capacity)
		return;
	requests->start_ns = weir_grow(requests->start_ns, &capacity, need, sizeof(int64_t));
	requests->end_ns = weir_realloc(requests->end_ns, capacity * sizeof(int64_t));
	requests->batch_size = weir_realloc(requests->batch_size, capacity * sizeof(int32_t));
	requests->tokens = weir_realloc(requests->tokens, capacity * sizeof(int64_t));
	requests->padded_tokens = weir_realloc(requests->padded_tokens, capacity * sizeof(int64_t));
	requests->output_tokens = weir_realloc(requests->output_tokens, capacity * sizeof(int64_t));
	requests->first_token_ns =
		weir_realloc(requests->first_token_ns, capacity * sizeof(int64_t));
	requests->part_first = weir_realloc(requests->part_first, capacity * sizeof(uint64_t));
	requests->part_count = weir_realloc(requests->part_count, capacity * sizeof(uint16_t));
	requests->capacity = capacity;
}

void weir_requests_add(struct weir_requests *requests, const struct weir_request *request)
{
	uint64_t first = owned_parts(requests);
	size_t row = requests->count;

	reserve_rows(requests, row + 1);
	requests->start_ns[row] = request->start_ns;
	requests->end_ns[row] = request->end_ns;
	requests->batch_size[row] =
		request->batch_size > INT32_MAX ? WEIR_UNKNOWN_COUNT : (int32_t)request->batch_size;
	requests->tokens[row] = request->tokens;
	requests->padded_tokens[row] = request->padded_tokens;
	requests->output_tokens[row] = request->output_tokens;
	requests->first_token_ns[row] = request->first_token_ns;
	requests->part_first[row] = first;
	requests->part_count[row] = (uint16_t)(requests->parts - first);
	requests->count++;
}

void weir_requests_drop_parts(struct weir_requests *requests)
{
	requests->parts = owned_parts(requests);
}

void weir_requests_append(struct weir_requests *requests, const struct weir_requests *from)
{
	uint8_t stage_of[WEIR_MAX_REQUEST_STAGES];

	requests->time_base = from->time_base;
	requests->client = from->client;
	requests->sampled |= from->sampled;
	requests->failed += from->failed;
	if (from->all_failed && !requests->all_failed) {
		requests->failed += from->count;
		return;
	}
	for (size_t s = 0; s < from->stage_count; s++) {
		const char *name = weir_requests_stage_name(from, s);

		stage_of[s] = weir_requests_stage(requests, name, strlen(name));
	}
	for (size_t i = 0; i < from->count; i++) {
		const struct weir_request request = {
			.start_ns = from->start_ns[i],
			.end_ns = from->end_ns[i],
			.batch_size = from->batch_size[i],
			.tokens = from->tokens[i],
			.padded_tokens = from->padded_tokens[i],
			.output_tokens = from->output_tokens[i],
			.first_token_ns = from->first_token_ns[i],
		};

		for (uint64_t p = from->part_first[i];
		     p < from->part_first[i] + from->part_count[i]; p++) {
			uint8_t stage = stage_of[from->part_stage[p]];

			if (from->part_offset_ns)
				weir_requests_add_part_at(requests, stage, from->part_offset_ns[p],
				                          from->part_ns[p]);
			else
				weir_requests_add_part(requests, stage, from->part_ns[p]);
		}
		weir_requests_add(requests, &request);
	}
}

/* Key of a row, for sorting. */
struct place {
	int64_t start_ns, end_ns;
	size_t row;
};

static int by_start(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static bool is_sorted(const struct weir_requests *requests)
{
	for (size_t i = 1; i < requests->count; i++)
		if (requests->start_ns[i] < requests->start_ns[i - 1] ||
		    (requests->start_ns[i] == requests->start_ns[i - 1] &&
		     requests->end_ns[i] < requests->end_ns[i - 1]))
			return false;
	return true;
}

/* Reorders one column by the places, using scratch memory. */
#define PERMUTE(column, places, count, scratch)                                                    \
	do {                                                                                       \
		for (size_t p_ = 0; p_ < (count); p_++)                                            \
			memcpy((char *)(scratch) + p_ * sizeof *(column),                          \
			       &(column)[(places)[p_].row], sizeof *(column));                     \
		memcpy((column), (scratch), (count) * sizeof *(column));                           \
	} while (0)

void weir_requests_finish(struct weir_requests *requests)
{
	size_t count = requests->count;
	struct place *places;
	void *scratch;

	if (is_sorted(requests))
		return;
	places = weir_alloc(count * sizeof *places);
	scratch = weir_alloc(count * sizeof(int64_t));
	for (size_t i = 0; i < count; i++)
		places[i] = (struct place){requests->start_ns[i], requests->end_ns[i], i};
	qsort(places, count, sizeof *places, by_start);
	PERMUTE(requests->start_ns, places, count, scratch);
	PERMUTE(requests->end_ns, places, count, scratch);
	PERMUTE(requests->batch_size, places, count, scratch);
	PERMUTE(requests->tokens, places, count, scratch);
	PERMUTE(requests->padded_tokens, places, count, scratch);
	PERMUTE(requests->output_tokens, places, count, scratch);
	PERMUTE(requests->first_token_ns, places, count, scratch);
	PERMUTE(requests->part_first, places, count, scratch);
	PERMUTE(requests->part_count, places, count, scratch);
	free(scratch);
	free(places);
}
