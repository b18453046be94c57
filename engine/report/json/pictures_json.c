/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of pictures in weir.report/1: long lists of small rows, each list on one line. */
#include "engine/model/pictures.h"
#include "engine/report/json/document_tables.h"
#include "engine/report/json/pictures.h"

#define SIGNED(name, field)                                                                        \
	INTEGER(name, field, int64_t, WEIR_DOCUMENT_MAX_COUNT), .least = -WEIR_DOCUMENT_MAX_COUNT

/* ---- the strip of a step ---- */

#define OF struct weir_strip_name
static const struct weir_schema strip_name_schema =
	SCHEMA(BARE, {TEXT(NULL, text), .required = true});
#undef OF

#define OF struct weir_strip_span
static const struct weir_schema strip_span_schema =
	SCHEMA(TUPLE, ENTRY("start_ns", NS(NULL, start_ns)), ENTRY("end_ns", NS(NULL, end_ns)),
               ENTRY("kind", ENUM(NULL, kind, weir_strip_kind)), ENTRY("name", COUNT32(NULL, name)),
               ENTRY("count", COUNT(NULL, count)), ENTRY("time_ns", NS(NULL, time_ns)));
#undef OF

#define OF struct weir_strip_lane
static const struct weir_schema strip_lane_schema = SCHEMA(
	LINE, {ENUM("row", row, weir_strip_row), .required = true}, {SIGNED("number", number)},
	{LIST("spans", spans, span_count, strip_span_schema, WEIR_STRIP_MAX_SPANS),
         .on_line = true});
#undef OF

static bool is_inside(const struct weir_strip *strip, const struct weir_strip_span *span,
                      int64_t from_ns)
{
	return span->start_ns >= from_ns && span->end_ns > span->start_ns &&
	       span->end_ns <= strip->length_ns && span->name < strip->name_count;
}

/* Refuses spans that are not in order, lie outside the strip, or lack a name. */
static enum weir_status check_strip(struct weir_document_reader *in, const cJSON *item,
                                    void *object)
{
	const struct weir_strip *strip = object;

	(void)item;
	if (strip->length_ns <= 0)
		return weir_fail(in->err, WEIR_E_FORMAT, "length_ns: expected a duration above 0");
	for (size_t l = 0; l < strip->lane_count; l++) {
		const struct weir_strip_lane *lane = &strip->lanes[l];

		for (size_t i = 0; i < lane->span_count; i++)
			if (!is_inside(strip, &lane->spans[i],
			               i > 0 ? lane->spans[i - 1].end_ns : 0))
				return weir_fail(in->err, WEIR_E_FORMAT,
				                 "lanes[%zu]: spans[%zu]: expected a span inside "
				                 "the strip, behind the one before, with a name",
				                 l, i);
	}
	return WEIR_OK;
}

#define OF struct weir_strip
static const struct weir_schema strip_schema = SCHEMA_THEN(
	BLOCK, .check = check_strip, {TEXT("step", step), .required = true},
	{NS("rank", rank), NULL_IS(-1)}, {NS("period_ns", period_ns)}, {NS("length_ns", length_ns)},
	{SIGNED("host_start_ns", host_start_ns)}, {SIGNED("host_end_ns", host_end_ns)},
	{NS("device_start_ns", device_start_ns), NULL_IS(-1)},
	{NS("device_end_ns", device_end_ns), NULL_IS(-1)}, {NS("joined_below_ns", joined_ns)},
	{COUNT("devices", devices)}, {COUNT("streams", streams)},
	{LIST("names", names, name_count, strip_name_schema, WEIR_STRIP_MAX_SPANS + 1),
         .on_line = true},
	{LIST("lanes", lanes, lane_count, strip_lane_schema, WEIR_STRIP_MAX_LANES)});
#undef OF

/* ---- durations of steps ---- */

#define OF struct weir_step_point
static const struct weir_schema step_point_schema = SCHEMA(
	TUPLE, ENTRY("first", COUNT(NULL, first)), ENTRY("count", COUNT(NULL, count)),
	ENTRY("low_ns", WHOLE(NULL, low_ns)), ENTRY("p50_ns", WHOLE(NULL, p50_ns)),
	ENTRY("high_ns", WHOLE(NULL, high_ns)), ENTRY("mark", ENUM(NULL, mark, weir_step_mark)));
#undef OF

/* Refuses points that are not in order, lie beyond the steps, or lack a duration. */
static enum weir_status check_step_times(struct weir_document_reader *in, const cJSON *item,
                                         void *object)
{
	const struct weir_step_times *times = object;
	uint64_t next = 0;

	(void)item;
	for (size_t i = 0; i < times->point_count; i++) {
		const struct weir_step_point *point = &times->points[i];

		if (point->count == 0 || point->first != next ||
		    point->first + point->count > times->steps || !(point->low_ns >= 0) ||
		    !(point->p50_ns >= point->low_ns) || !(point->high_ns >= point->p50_ns))
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "points[%zu]: expected steps behind the point before, "
			                 "with the least, median and largest duration",
			                 i);
		next = point->first + point->count;
	}
	return WEIR_OK;
}

#define OF struct weir_step_times
static const struct weir_schema step_times_schema = SCHEMA_THEN(
	BLOCK, .check = check_step_times, {TEXT("stage", name)}, {NS("rank", rank), NULL_IS(-1)},
	{COUNT("steps", steps)}, {WHOLE("p50_ns", p50_ns)}, {WHOLE("p95_ns", p95_ns)},
	{LIST("points", points, point_count, step_point_schema, WEIR_STEP_MAX_POINTS),
         .on_line = true});
#undef OF

/* ---- histograms ---- */

#define OF struct weir_histogram_bin
static const struct weir_schema kernel_bin_schema =
	SCHEMA(TUPLE, ENTRY("low_ns", NS(NULL, low_ns)), ENTRY("high_ns", NS(NULL, high_ns)),
               ENTRY("count", COUNT(NULL, count)), ENTRY("total_ns", NS(NULL, total_ns)));

static const struct weir_schema gap_bin_schema =
	SCHEMA(TUPLE, ENTRY("low_ns", NS(NULL, low_ns)), ENTRY("high_ns", NS(NULL, high_ns)),
               ENTRY("count", COUNT(NULL, count)), ENTRY("total_ns", NS(NULL, total_ns)),
               ENTRY("cause", ENUM(NULL, cause, weir_idle)));
#undef OF

/* Refuses bins that are empty or not in order. */
static enum weir_status check_histogram(struct weir_document_reader *in, const cJSON *item,
                                        void *object)
{
	const struct weir_histogram *histogram = object;
	int64_t from_ns = 0;

	(void)item;
	for (size_t i = 0; i < histogram->bin_count; i++) {
		const struct weir_histogram_bin *bin = &histogram->bins[i];

		if (bin->count == 0 || bin->low_ns < from_ns || bin->high_ns <= bin->low_ns)
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "bins[%zu]: expected durations above the bin before, and "
			                 "a number of them",
			                 i);
		from_ns = bin->high_ns;
	}
	return WEIR_OK;
}

#define OF struct weir_histogram
static const struct weir_schema kernels_schema = SCHEMA_THEN(
	LINE, .check = check_histogram,
	{LIST("bins", bins, bin_count, kernel_bin_schema, WEIR_HISTOGRAM_BINS), .on_line = true});

static const struct weir_schema gaps_schema = SCHEMA_THEN(
	LINE, .check = check_histogram,
	{LIST("bins", bins, bin_count, gap_bin_schema, WEIR_HISTOGRAM_BINS), .on_line = true});
#undef OF

/* ---- roofs ---- */

#define OF struct weir_roof
static const struct weir_schema roof_schema =
	SCHEMA(LINE, {TEXT("name", name), .required = true}, {WHOLE("theoretical", theoretical)},
               {WHOLE("sustained", sustained)});
#undef OF

/* Refuses roofs that no axis can show. */
static enum weir_status check_roofs(struct weir_document_reader *in, const cJSON *item,
                                    void *object)
{
	const struct weir_roofs *roofs = object;
	bool known = roofs->bytes_per_s > 0 && roofs->sustained_bytes_per_s > 0;

	(void)item;
	for (size_t i = 0; i < roofs->roof_count; i++)
		known &= roofs->roofs[i].theoretical > 0 && roofs->roofs[i].sustained > 0;
	return known ? WEIR_OK : weir_fail(in->err, WEIR_E_FORMAT, "expected rates above 0");
}

#define OF struct weir_roofs
static const struct weir_schema roofs_schema = SCHEMA_THEN(
	BLOCK, .check = check_roofs, {TEXT("device", device)}, {WHOLE("bytes_per_s", bytes_per_s)},
	{WHOLE("sustained_bytes_per_s", sustained_bytes_per_s)},
	{LIST("flops_per_s", roofs, roof_count, roof_schema, WEIR_MAX_ROOFS)});
#undef OF

/* ---- the queue over time ---- */

#define OF struct weir_queue_bin
static const struct weir_schema queue_bin_schema =
	SCHEMA(TUPLE, ENTRY("analysed_ns", NS(NULL, analysed_ns)), ENTRY("mean", SHARE(NULL, mean)),
               ENTRY("most", SHARE(NULL, most)), ENTRY("empty_share", SHARE(NULL, empty_share)));
#undef OF

#define OF struct weir_queue_times
static const struct weir_schema queue_schema =
	SCHEMA(BLOCK, {NS("rank", rank), NULL_IS(-1)}, {SIGNED("device", device)},
               {NS("length_ns", length_ns)},
               {LIST("bins", bins, bin_count, queue_bin_schema, WEIR_QUEUE_BINS), .on_line = true});
#undef OF

/* ---- ranks over the steps ---- */

#define OF struct weir_rank_cell
static const struct weir_schema rank_cell_schema = SCHEMA(
	TUPLE, ENTRY("wait_ns", WHOLE(NULL, wait_ns)), ENTRY("late_ns", WHOLE(NULL, late_ns)));
#undef OF

#define OF struct weir_rank_map_row
static const struct weir_schema rank_map_row_schema =
	SCHEMA(LINE, {NS("rank", rank), NULL_IS(-1)},
               {LIST("cells", cells, cell_count, rank_cell_schema, WEIR_RANK_MAP_COLUMNS),
                .on_line = true});
#undef OF

/* Refuses rows without a cell for each column. */
static enum weir_status check_rank_map(struct weir_document_reader *in, const cJSON *item,
                                       void *object)
{
	const struct weir_rank_map *map = object;
	uint64_t per = map->steps_per_column, columns = per ? (map->steps + per - 1) / per : 0;

	(void)item;
	for (size_t r = 0; r < map->row_count; r++)
		if (columns == 0 || map->rows[r].cell_count != columns)
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "rows[%zu]: expected a cell for each column", r);
	return WEIR_OK;
}

#define OF struct weir_rank_map
static const struct weir_schema rank_map_schema = SCHEMA_THEN(
	BLOCK, .check = check_rank_map, {COUNT("ranks", ranks)}, {COUNT("first_step", first_step)},
	{COUNT("steps", steps)}, {COUNT("steps_per_column", steps_per_column)},
	{LIST("rows", rows, row_count, rank_map_row_schema, WEIR_RANK_MAP_ROWS)});
#undef OF

/* ---- all pictures ---- */

#define OF struct weir_pictures
const struct weir_schema weir_pictures_schema =
	SCHEMA(BLOCK, {POINTER("strip", strip, strip_schema), .omit = true},
               {POINTER("step_times", step_times, step_times_schema), .omit = true},
               {POINTER("kernels", kernels, kernels_schema), .omit = true},
               {POINTER("gaps", gaps, gaps_schema), .omit = true},
               {POINTER("roofs", roofs, roofs_schema), .omit = true},
               {POINTER("queue", queue, queue_schema), .omit = true},
               {POINTER("rank_steps", rank_map, rank_map_schema), .omit = true});
#undef OF
