/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Properties of the tables of weir.report/1 and weir.gate/1, for structs that are filled at random
 * by the same tables.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/report/json/stored.h"
#include "tests/unit/near.h"

#define ROUNDS   300
#define MAX_ROWS 3

/* ---- every field of every struct is described ---- */

/* A field that a document does not hold, or that a special member stores; and padding. */
struct unstored {
	const char *place; /* keys that lead to the struct */
	size_t offset, size;
};

#define UNSTORED(place, type, field)                                                               \
	{                                                                                          \
		(place), offsetof(type, field), sizeof(((type *)0)->field)                         \
	}

#define END(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))
#define PADDING(place, type, after, before)                                                        \
	{                                                                                          \
		(place), END(type, after), offsetof(type, before) - END(type, after)               \
	}
#define PADDING_LAST(place, type, after)                                                           \
	{                                                                                          \
		(place), END(type, after), sizeof(type) - END(type, after)                         \
	}

static const struct unstored unstored[] = {
	UNSTORED("report", struct weir_report, arena),
	UNSTORED("report", struct weir_report, profile), /* its inputs are a special member */
	UNSTORED("report", struct weir_report, attribution),
	UNSTORED("report", struct weir_report, gpu.idle_cause),
	UNSTORED("report", struct weir_report, iteration.count),
	UNSTORED("report", struct weir_report, iteration.total_ns),
	UNSTORED("report", struct weir_report, verdict.of_compute),
	UNSTORED("report", struct weir_report, verdict.descend),
	UNSTORED("report", struct weir_report, verdict.doubt), /* becomes a note */
	UNSTORED("report", struct weir_report, device_attribution),
	UNSTORED("report", struct weir_report, telemetry.board_power_w), /* these become notes */
	UNSTORED("report", struct weir_report, telemetry.board_power_max_w),
	UNSTORED("report", struct weir_report, telemetry.power_all_w),
	UNSTORED("report", struct weir_report, telemetry.memory_clock_all_mhz),
	UNSTORED("report", struct weir_report, telemetry.busiest),
	UNSTORED("report", struct weir_report, telemetry.idlest),
	UNSTORED("report", struct weir_report, gpu.window_ns),
	UNSTORED("report", struct weir_report, requests.latency.count),
	UNSTORED("report", struct weir_report, requests.latency.total_ns),
	UNSTORED("report", struct weir_report, requests.latency_ns),
	UNSTORED("report", struct weir_report, requests.first_token.count),
	UNSTORED("report", struct weir_report, requests.first_token.total_ns),
	UNSTORED("report", struct weir_report, memory.largest.rank),
	UNSTORED("report", struct weir_report, memory.largest.device_id),
	UNSTORED("report", struct weir_report, detail),
	UNSTORED("report", struct weir_report, feature_table),
	UNSTORED("report", struct weir_report, features),
	UNSTORED("report", struct weir_report, scraped_server), /* words of headline and notes */
	UNSTORED("report", struct weir_report, served_nothing),
	UNSTORED("report", struct weir_report, scraped_once),
	UNSTORED("report.server", struct weir_server_figures, queue_of_moments), /* likewise */
	PADDING("report.server", struct weir_server_figures, queue_of_moments, queue_limit),
	UNSTORED("report.server", struct weir_server_figures, queue_limit),
	UNSTORED("report.host.functions", struct weir_host_function_row, calls),
	UNSTORED("report.host.functions", struct weir_host_function_row, largest_sample),
	UNSTORED("report.host.functions", struct weir_host_function_row, line),
	PADDING_LAST("report.host.functions", struct weir_host_function_row, line),
	UNSTORED("report.evidence", struct weir_evidence, truth),
	UNSTORED("report.cost", struct weir_cost, per_request_gaps),
	PADDING_LAST("gate.fixes", struct weir_undo, compared),
	PADDING_LAST("report.host_operators", struct weir_host_operators, on_processor),
	PADDING_LAST("report.recommendations.needs", struct weir_need, state),
	UNSTORED("report.stages", struct weir_stage_row, duration_ns),
	UNSTORED("report.stages", struct weir_stage_row, attribution),
	UNSTORED("report.stages", struct weir_stage_row, verdict),
	UNSTORED("report.stages", struct weir_stage_row, features),
	UNSTORED("report.operators", struct weir_operator_row, kernel),
	UNSTORED("report.operators", struct weir_operator_row, calls_per_iteration),
	UNSTORED("report.operators", struct weir_operator_row, host_self_ns),
	UNSTORED("report.operators", struct weir_operator_row, host_total_ns),
	UNSTORED("report.operators", struct weir_operator_row, verdict),
	UNSTORED("report.operators", struct weir_operator_row, features),
	UNSTORED("report.graphs", struct weir_graph_row, span.count),
	UNSTORED("report.graphs", struct weir_graph_row, span.total_ns),
	UNSTORED("report.graphs", struct weir_graph_row, busy.count),
	UNSTORED("report.graphs", struct weir_graph_row, busy.total_ns),
	UNSTORED("report.graphs", struct weir_graph_row, idle.count),
	UNSTORED("report.graphs", struct weir_graph_row, idle.total_ns),
	UNSTORED("report.graphs.positions", struct weir_graph_position, duration.count),
	PADDING("report", struct weir_report, steady, verdict),
	PADDING("report", struct weir_report, verdict.bound, verdict.cause),
	PADDING("report", struct weir_report, verdict.confidence, verdict.share),
	PADDING("report", struct weir_report, verdict.descend, verdict.evidence_count),
	PADDING("report", struct weir_report, verdict.has_runner_up, verdict.runner_up),
	PADDING("report", struct weir_report, has_gpu, gpu),
	PADDING("report", struct weir_report, has_requests, requests),
	PADDING("report", struct weir_report, requests.client, requests.latency),
	PADDING("report", struct weir_report, has_telemetry, telemetry),
	PADDING("report", struct weir_report, telemetry.aligned, telemetry.utilization),
	PADDING("report", struct weir_report, telemetry.mixed_devices, telemetry.span_ns),
	PADDING("report", struct weir_report, telemetry.has_transfers, telemetry.transfers),
	PADDING("report", struct weir_report, has_memory, memory),
	PADDING("report", struct weir_report, memory.largest.device_id,
                memory.largest.peak_allocated_bytes),
	PADDING_LAST("report.devices", struct weir_device_summary, count),
	PADDING("report.devices", struct weir_memory_device, device_id, peak_allocated_bytes),
	PADDING("report.evidence", struct weir_evidence, truth, reading_count),
	PADDING("report.ranks", struct weir_rank_row, late_by, collectives),
	PADDING("report.stages", struct weir_stage_row, view, duration),
	PADDING_LAST("report.stages.counted", struct weir_stage_counted, resolution_limited),
	PADDING_LAST("report.latency_counted", struct weir_stage_counted, resolution_limited),
	PADDING_LAST("report.first_token_counted", struct weir_stage_counted, resolution_limited),
	PADDING("report.operators", struct weir_operator_row, roofline, efficiency),
	PADDING("report.operators", struct weir_operator_row, counted.beyond_cache,
                counted.modelled),
	PADDING("report.operators.shapes", struct weir_operator_shape, roofline, efficiency),
	PADDING("report.pictures.strip.lanes", struct weir_strip_lane, row, number),
	PADDING_LAST("report.pictures.step_times.points", struct weir_step_point, mark),
	UNSTORED("report.pictures.kernels.bins", struct weir_histogram_bin, cause), /* of gaps */
	PADDING_LAST("report.pictures.kernels.bins", struct weir_histogram_bin, cause),
	PADDING_LAST("report.pictures.gaps.bins", struct weir_histogram_bin, cause),
	PADDING("report.graphs", struct weir_graph_row, confidence, share),
	PADDING("report.graphs.positions", struct weir_graph_position, threads_per_block,
                offset_ns),
	PADDING_LAST("report.graphs.positions", struct weir_graph_position, roofline),
	PADDING("report.counters.findings", struct weir_counter_remark, scope, speedup),
	PADDING("report.host", struct weir_host_figures, unit, profiles),
	PADDING("report.critical_path", struct weir_critical_path, approximate, class_name),
	PADDING("report.critical_path.top", struct weir_path_item, kind, name),
	UNSTORED("report.server", struct weir_server_figures,
                 phases[WEIR_STEP_DECODE].duration_ns), /* of a run */
	UNSTORED("report.server", struct weir_server_figures,
                 phases[WEIR_STEP_DECODE].sample_count),
	UNSTORED("report.server", struct weir_server_figures, phases[WEIR_STEP_MIXED].duration_ns),
	UNSTORED("report.server", struct weir_server_figures, phases[WEIR_STEP_MIXED].sample_count),
	UNSTORED("report.server", struct weir_server_figures,
                 phases[WEIR_STEP_PREFILL].duration_ns),
	UNSTORED("report.server", struct weir_server_figures,
                 phases[WEIR_STEP_PREFILL].sample_count),
	/* The verdict states them. */
	UNSTORED("report.server", struct weir_server_figures, busy_intervals),
	UNSTORED("report.server", struct weir_server_figures, stalled_intervals),
	/* Notes state them. */
	UNSTORED("report.server", struct weir_server_figures, transfer_share),
	UNSTORED("report.server", struct weir_server_figures, transfer_bytes),
	UNSTORED("report.server", struct weir_server_figures, transfers_failed),
	UNSTORED("report.server", struct weir_server_figures, transfers_expired),
	UNSTORED("report.server", struct weir_server_figures, external_hit_rate),
	UNSTORED("report.server", struct weir_server_figures, media_hit_rate),
	UNSTORED("report.server", struct weir_server_figures, adapters_running),
	UNSTORED("report.server", struct weir_server_figures, adapters_waiting),
	UNSTORED("report.server", struct weir_server_figures, adapters_max),
	PADDING("report.server", struct weir_server_figures, from_pages, moments),
	PADDING("report.server", struct weir_server_figures, slots_inferred, reasons),
	PADDING("report.server", struct weir_server_figures, interference_estimated, step_growth),
	PADDING("report.server", struct weir_server_figures, speculation.estimated, speculation.at),
	PADDING("report.server", struct weir_server_figures, far_apart, longest_gap_ns),
	UNSTORED("gate", struct weir_gate_result, arena),
	UNSTORED("gate.rows", struct weir_row, kind), /* follows from the scope */
	UNSTORED("gate.rows", struct weir_row, stage_change),
	UNSTORED("gate.rows", struct weir_row, above_ceiling),
	UNSTORED("gate.rows", struct weir_row, finding), /* follows from the findings */
	PADDING("gate.rows", struct weir_row, above_ceiling, finding),
	PADDING("gate.findings", struct weir_gate_finding, outcome, alike),
	PADDING("gate", struct weir_gate_result, method, alpha_operators),
	PADDING("gate", struct weir_gate_result, environment_match, differences),
	PADDING("gate", struct weir_gate_result, has_candidate_bound, baseline_bound),
	PADDING("gate", struct weir_gate_result, candidate_bound, bound_stage),
	PADDING_LAST("gate.differences", struct weir_difference, policy),
	PADDING("gate.rows", struct weir_row, kind, scope),
	PADDING("gate.rows", struct weir_row, metric, baseline),
	PADDING("gate.rows", struct weir_row, outcome, mde),
	PADDING_LAST("gate.rows.waiver", struct weir_waiver, exceeded),
	PADDING("gate.pictures.runs", struct weir_drawn_run, candidate, name),
	PADDING("gate.pictures.histories.points", struct weir_drawn_point, candidate, value),
	PADDING("gate.pictures.stages", struct weir_drawn_stage, device_only, baseline_ns),
	PADDING("gate.pictures.stages.parts", struct weir_drawn_part, kind, name),
	{NULL, 0, 0},
};

struct coverage {
	const char *place;
	bool *seen; /* a byte of the struct */
	size_t size;
	size_t gaps; /* in this struct and in those that it leads to */
};

static void mark(struct coverage *coverage, size_t offset, size_t size)
{
	assert_true(offset + size <= coverage->size);
	memset(coverage->seen + offset, true, size);
}

static size_t count_gaps(const char *place, const char *key, const struct weir_schema *schema,
                         size_t size, bool is_map);

static void cover_member(struct coverage *coverage, const struct weir_member *member, size_t base);

static void cover(struct coverage *coverage, const struct weir_schema *schema, size_t base)
{
	for (size_t i = 0; i < schema->count; i++)
		cover_member(coverage, &schema->members[i], base);
}

static void cover_member(struct coverage *coverage, const struct weir_member *member, size_t base)
{
	size_t offset = base + member->offset;

	if (member->present == WEIR_IF_FLAG)
		mark(coverage, base + member->when, sizeof(bool));
	switch (member->kind) {
	case WEIR_MEMBER_OBJECT:
		cover(coverage, member->schema, offset);
		break;
	case WEIR_MEMBER_NAMED:
		mark(coverage, offset, member->texts->count * member->element->size);
		break;
	case WEIR_MEMBER_LIST:
	case WEIR_MEMBER_MAP:
		mark(coverage, base + member->count, sizeof(size_t));
		mark(coverage, offset,
		     member->inside ? member->limit * member->size : sizeof(void *));
		coverage->gaps += count_gaps(coverage->place, member->key, member->schema,
		                             member->size, member->kind == WEIR_MEMBER_MAP);
		break;
	case WEIR_MEMBER_POINTER:
		mark(coverage, offset, sizeof(void *));
		coverage->gaps += count_gaps(coverage->place, member->key, member->schema,
		                             member->size, false);
		break;
	case WEIR_MEMBER_LITERAL:
	case WEIR_MEMBER_SPECIAL:
		break;
	case WEIR_MEMBER_TEXT:
	case WEIR_MEMBER_BOOL:
	case WEIR_MEMBER_INTEGER:
	case WEIR_MEMBER_SHARE:
	case WEIR_MEMBER_WHOLE:
	case WEIR_MEMBER_EXACT:
	case WEIR_MEMBER_OPEN:
	case WEIR_MEMBER_ENUM:
		mark(coverage, offset, member->size);
		break;
	}
}

static size_t count_gaps(const char *place, const char *key, const struct weir_schema *schema,
                         size_t size, bool is_map)
{
	struct weir_text name = {0};
	struct coverage coverage = {.size = size, .seen = calloc(size, sizeof(bool))};
	size_t end;

	weir_text_printf(&name, "%s%s%s", place, *place ? "." : "", key);
	coverage.place = name.data;
	assert_non_null(coverage.seen);
	if (is_map)
		mark(&coverage, 0, sizeof(char *));
	cover(&coverage, schema, 0);
	for (const struct unstored *field = unstored; field->place; field++)
		if (!strcmp(field->place, name.data))
			mark(&coverage, field->offset, field->size);
	for (size_t at = 0; at < size; at = end) {
		for (end = at + 1; end < size && coverage.seen[end] == coverage.seen[at];)
			end++;
		if (!coverage.seen[at]) {
			print_error("%s: bytes %zu to %zu\n", name.data, at, end);
			coverage.gaps++;
		}
	}
	free(coverage.seen);
	weir_text_release(&name);
	return coverage.gaps;
}

static void every_field_is_described_or_known_not_to_be_stored(void **state)
{
	(void)state;
	assert_int_equal(
		count_gaps("", "report", &weir_report_schema, sizeof(struct weir_report), false),
		0);
	assert_int_equal(
		count_gaps("", "gate", &weir_gate_schema, sizeof(struct weir_gate_result), false),
		0);
}

/* ---- random structs survive ---- */

struct random {
	uint64_t state;
	struct weir_arena *arena;
	unsigned unknown; /* of 10 values */
};

static uint64_t below(struct random *random, uint64_t limit)
{
	return next_number(&random->state) % limit;
}

static bool is_unknown(struct random *random)
{
	return below(random, 10) < random->unknown;
}

static void put(void *object, size_t offset, const void *value, size_t size)
{
	memcpy((char *)object + offset, value, size);
}

static const char *random_text(struct random *random)
{
	static const char *const texts[] = {"", "decode", "aten::mm", "\"\\\n\x01", "\xe2\x82\xac"};

	return is_unknown(random)
	               ? NULL
	               : weir_arena_format(random->arena, "%s%u", texts[below(random, 5)],
	                                   (unsigned)below(random, 1000));
}

/* Returns a value that its form stores exactly. */
static double random_figure(struct random *random, enum weir_member_kind kind)
{
	double value = (double)below(random, 1000000000000);

	if (is_unknown(random))
		return kind == WEIR_MEMBER_OPEN ? INFINITY : NAN;
	return kind == WEIR_MEMBER_SHARE ? value / 1024 / 8 : value;
}

static int64_t random_integer(struct random *random, const struct weir_member *member)
{
	if (member->nullable && is_unknown(random))
		return member->none;
	return member->least < 0 ? -1 : (int64_t)below(random, (uint64_t)member->most);
}

static void fill(struct random *random, const struct weir_schema *schema, void *object);

static void fill_rows(struct random *random, const struct weir_member *member, void *object)
{
	size_t most = member->limit < MAX_ROWS ? member->limit : MAX_ROWS;
	size_t count = is_unknown(random) ? 0 : below(random, most + 1);
	char *rows = member->inside ? (char *)object + member->offset
	                            : weir_arena_alloc(random->arena, (most + 1) * member->size);

	for (size_t i = 0; i < count; i++) {
		const char *key = weir_arena_format(random->arena, "key %zu", i);

		if (member->kind == WEIR_MEMBER_MAP)
			put(rows, i * member->size, &key, sizeof key);
		fill(random, member->schema, rows + i * member->size);
	}
	if (!member->inside)
		put(object, member->offset, &rows, sizeof rows);
	put(object, member->count, &count, sizeof count);
}

static void fill_named(struct random *random, const struct weir_member *member, void *object)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the caller passes an object */
	for (size_t i = 0; i < member->texts->count; i++) {
		double figure = random_figure(random, WEIR_MEMBER_WHOLE);
		int64_t integer = (int64_t)below(random, 1000000);
		bool is_integer = member->element->kind == WEIR_MEMBER_INTEGER;

		put(object, member->offset + i * member->element->size,
		    is_integer ? (const void *)&integer : (const void *)&figure,
		    member->element->size);
	}
}

static void fill_member(struct random *random, const struct weir_member *member, void *object)
{
	const char *text = random_text(random);
	bool yes = below(random, 2), there = !is_unknown(random);
	double figure = random_figure(random, member->kind);
	unsigned choice = member->texts ? (unsigned)below(random, member->texts->count) : 0;
	int64_t integer = member->kind == WEIR_MEMBER_INTEGER ? random_integer(random, member) : 0;
	void *pointed;

	if (member->required && !text)
		text = "required";
	if (member->present == WEIR_IF_FLAG)
		put(object, member->when, &there, sizeof there);
	switch (member->kind) {
	case WEIR_MEMBER_TEXT:
		put(object, member->offset, &text, sizeof text);
		break;
	case WEIR_MEMBER_BOOL:
		put(object, member->offset, &yes, sizeof yes);
		break;
	case WEIR_MEMBER_INTEGER:
		put(object, member->offset, &integer, member->size); /* little endian, as x86 */
		break;
	case WEIR_MEMBER_SHARE:
	case WEIR_MEMBER_WHOLE:
	case WEIR_MEMBER_EXACT:
	case WEIR_MEMBER_OPEN:
		put(object, member->offset, &figure, sizeof figure);
		break;
	case WEIR_MEMBER_ENUM:
		put(object, member->offset, &choice, sizeof choice);
		break;
	case WEIR_MEMBER_NAMED:
		fill_named(random, member, object);
		break;
	case WEIR_MEMBER_OBJECT:
		fill(random, member->schema, (char *)object + member->offset);
		break;
	case WEIR_MEMBER_POINTER:
		pointed = there ? weir_arena_alloc(random->arena, member->size) : NULL;
		if (pointed)
			fill(random, member->schema, pointed);
		put(object, member->offset, &pointed, sizeof pointed);
		break;
	case WEIR_MEMBER_LIST:
	case WEIR_MEMBER_MAP:
		fill_rows(random, member, object);
		break;
	case WEIR_MEMBER_LITERAL:
	case WEIR_MEMBER_SPECIAL:
		break;
	}
}

static void fill(struct random *random, const struct weir_schema *schema, void *object)
{
	for (size_t i = 0; i < schema->count; i++)
		fill_member(random, &schema->members[i], object);
}

static void complete_strip(struct weir_strip *strip)
{
	int64_t length_ns = 1;

	for (size_t l = 0; l < strip->lane_count; l++) {
		int64_t from_ns = 0;

		/* Without a name, no span can state one. */
		strip->lanes[l].span_count *= strip->name_count > 0;
		for (size_t i = 0; i < strip->lanes[l].span_count; i++) {
			struct weir_strip_span *span = &strip->lanes[l].spans[i];

			span->start_ns = from_ns + 1;
			span->end_ns = from_ns += 10;
			span->name %= (uint32_t)strip->name_count;
		}
		length_ns = from_ns > length_ns ? from_ns : length_ns;
	}
	strip->length_ns = length_ns;
}

static void complete_steps(struct weir_step_times *times)
{
	times->steps = 0;
	for (size_t i = 0; i < times->point_count; i++) {
		struct weir_step_point *point = &times->points[i];

		point->first = times->steps;
		point->count = point->count % 5 + 1;
		point->low_ns = 1;
		point->p50_ns = 2;
		point->high_ns = 3;
		times->steps += point->count;
	}
}

static void complete_histogram(struct weir_histogram *histogram)
{
	for (size_t i = 0; i < histogram->bin_count; i++) {
		histogram->bins[i].low_ns = (int64_t)i;
		histogram->bins[i].high_ns = (int64_t)i + 1;
		histogram->bins[i].count++;
	}
}

static void complete_roofs(struct weir_roofs *roofs)
{
	roofs->bytes_per_s = roofs->sustained_bytes_per_s = 4;
	for (size_t i = 0; i < roofs->roof_count; i++)
		roofs->roofs[i].theoretical = roofs->roofs[i].sustained = 5;
}

static void complete_rank_map(struct weir_rank_map *map)
{
	size_t cells = SIZE_MAX;

	for (size_t r = 0; r < map->row_count; r++)
		if (map->rows[r].cell_count < cells)
			cells = map->rows[r].cell_count;
	if (cells == 0)
		map->row_count = 0;
	for (size_t r = 0; r < map->row_count; r++)
		map->rows[r].cell_count = cells;
	map->steps_per_column = map->row_count ? 3 : 0;
	map->steps = map->row_count ? 3 * cells : 0;
}

/* Makes the pictures such as their readers demand. */
static void complete_pictures(struct weir_pictures *pictures)
{
	if (pictures->strip)
		complete_strip((struct weir_strip *)pictures->strip);
	if (pictures->step_times)
		complete_steps((struct weir_step_times *)pictures->step_times);
	if (pictures->kernels)
		complete_histogram((struct weir_histogram *)pictures->kernels);
	if (pictures->gaps)
		complete_histogram((struct weir_histogram *)pictures->gaps);
	if (pictures->roofs)
		complete_roofs((struct weir_roofs *)pictures->roofs);
	if (pictures->rank_map)
		complete_rank_map((struct weir_rank_map *)pictures->rank_map);
}

/* Sets the members that are stored specially, and those that must be consistent in any report. */
static void complete_report(struct random *random, struct weir_report *report,
                            struct weir_profile *profile)
{
	struct weir_critical_path *path = (struct weir_critical_path *)report->critical_path;

	for (size_t i = 0; i < below(random, MAX_ROWS); i++) {
		struct weir_input *input = weir_profile_add_input(profile, "trace.json");

		input->format = random_text(random);
		input->bytes = below(random, 1000000);
		weir_input_warn(input, (enum weir_warning_code)below(random, WEIR_WARN_COUNT),
		                below(random, 100), "ts is text");
	}
	report->profile = profile;
	for (int i = 0; i < WEIR_BOUND_COUNT && !is_unknown(random); i++) {
		report->attribution.ns[i] = (int64_t)below(random, 1000000);
		report->attribution.total_ns += report->attribution.ns[i];
	}
	for (int i = 0; i < WEIR_IDLE_COUNT; i++) {
		report->gpu.idle_cause[i].total_ns = (int64_t)below(random, 3);
		report->gpu.idle_cause[i].name_count = below(random, 2);
		report->gpu.idle_cause[i].names[0].name = random_text(random);
		report->gpu.idle_share[i] =
			random->unknown ? NAN : (double)below(random, 60) / 1024;
	}
	if (report->pictures)
		complete_pictures(report->pictures);
	report->requests.first_token.count = below(random, 2) ? report->requests.count : 0;
	if (!path)
		return;
	path->ns[0] += 1;
	path->class_name = weir_path_class(path->ns);
	path->span_ns = 0;
	for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
		path->span_ns += path->ns[kind];
	for (size_t i = 0; i < path->stage_count; i++) {
		path->stages[i].total_ns = 0;
		for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
			path->stages[i].total_ns += path->stages[i].ns[kind];
	}
}

static void a_random_report_survives(struct random *random)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_stored_report *stored = NULL;
	struct weir_text first = {0}, second = {0};
	struct weir_error err = {0};

	random->arena = report->arena;
	fill(random, &weir_report_schema, report);
	complete_report(random, report, profile);
	weir_write_report_json(report, NULL, &first);
	if (weir_stored_report_parse(first.data, first.length, NULL, &stored, &err))
		fail_msg("%s in\n%s", err.message, first.data);
	weir_write_report_json(stored->report, NULL, &second);
	assert_string_equal(first.data, second.data);
	weir_text_release(&first);
	weir_text_release(&second);
	weir_stored_report_free(stored);
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Makes findings consistent: their rows exist, and no row lacks its finding. */
static void complete_findings(struct random *random, struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (weir_row_has_finding(&result->rows[i]))
			result->rows[i].outcome = WEIR_OUTCOME_NO_CHANGE;
	if (result->row_count == 0)
		result->finding_count = 0;
	for (size_t i = 0; i < result->finding_count; i++) {
		struct weir_gate_finding *finding = &result->findings[i];

		finding->scope = "stage:decode";
		if (finding->row_count == 0) {
			finding->rows = weir_arena_alloc(random->arena, sizeof *finding->rows);
			finding->row_count = 1;
		}
		for (size_t j = 0; j < finding->row_count; j++)
			finding->rows[j] %= result->row_count;
	}
}

/* Makes the pictures such as their reader demands. */
static void complete_gate_pictures(struct random *random, struct weir_gate_result *result)
{
	struct weir_gate_pictures *pictures = (struct weir_gate_pictures *)result->pictures;

	if (!pictures)
		return;
	if (result->row_count == 0)
		pictures->row_count = 0;
	for (size_t i = 0; i < pictures->row_count; i++) {
		struct weir_drawn_row *row = &pictures->rows[i];

		row->row %= result->row_count;
		row->value_count = pictures->run_count;
		row->values =
			weir_arena_alloc(random->arena, (row->value_count + 1) * sizeof(double));
		if (pictures->run_count == 0)
			row->odd_count = 0;
		for (size_t o = 0; o < row->odd_count; o++)
			row->odd[o] %= pictures->run_count;
	}
	if (result->row_count == 0)
		pictures->history_count = 0;
	for (size_t h = 0; h < pictures->history_count; h++) {
		struct weir_drawn_history *history = &pictures->histories[h];

		history->row %= result->row_count;
		if (history->point_count < 2)
			history->step_count = 0;
		history->step_count = history->step_count > 1 ? 1 : history->step_count;
		for (size_t i = 0; i < history->step_count; i++)
			history->steps[i].point = 1;
	}
	for (size_t s = 0; s < pictures->stage_count; s++) {
		struct weir_drawn_stage *stage = &pictures->stages[s];

		stage->baseline_ns = stage->candidate_ns = 0;
		for (size_t i = 0; i < stage->part_count; i++) {
			stage->baseline_ns += stage->parts[i].baseline_ns = (int64_t)(i + s);
			stage->candidate_ns += stage->parts[i].candidate_ns = (int64_t)i;
		}
	}
	for (size_t c = 0; c < pictures->curve_count; c++)
		for (size_t i = 0; i < pictures->curves[c].point_count; i++)
			pictures->curves[c].points[i].percent = 10 + 20 * i;
}

static void a_random_gate_result_survives(struct random *random)
{
	struct weir_gate_result *result = weir_gate_result_new(), *again = NULL;
	enum weir_result_kind kind = WEIR_RESULT_REPORT;
	struct weir_text first = {0}, second = {0};
	struct weir_error err = {0};

	random->arena = result->arena;
	fill(random, &weir_gate_schema, result);
	for (size_t i = 0; i < result->row_count; i++)
		result->rows[i].scope =
			below(random, 2) ? "operator:decode/aten::mm" : "all-operators";
	complete_findings(random, result);
	complete_gate_pictures(random, result);
	weir_write_gate_json(result, NULL, &first);
	if (weir_gate_parse(first.data, first.length, &kind, &again, &err))
		fail_msg("%s in\n%s", err.message, first.data);
	weir_write_gate_json(again, NULL, &second);
	assert_string_equal(first.data, second.data);
	weir_text_release(&first);
	weir_text_release(&second);
	weir_gate_result_free(result);
	weir_gate_result_free(again);
}

static void random_documents_survive_with_null_nowhere_or_everywhere(void **state)
{
	struct random random = {.state = 7};

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		random.unknown = (unsigned)(round % 11);
		a_random_report_survives(&random);
		a_random_gate_result_survives(&random);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_described_or_known_not_to_be_stored),
		cmocka_unit_test(random_documents_survive_with_null_nowhere_or_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
