/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/model/report.h"
#include "engine/report/json/document_tables.h"
#include "engine/report/json/ranks.h"

#define OF struct weir_rank_row
const struct weir_schema weir_rank_schema =
	SCHEMA(LINE, {NS("rank", rank), NULL_IS(-1)}, {SHARE("active", active)},
               {SHARE("exposed_communication", exposed_communication)}, {SHARE("wait", wait)},
               {SHARE("transfer", transfer)}, {SHARE("straggler_score", straggler_score)},
               {ENUM("late_by", late_by, weir_late_by)}, {WHOLE("collectives", collectives)},
               {WHOLE("bus_bytes_per_s", bus_bytes_per_s)}, {SHARE("link_share", link_share)},
               {WHOLE("clock_offset_ns", clock_offset_ns)}, {NS("device", device), NULL_IS(-1)});
#undef OF

#define OF struct weir_rank_difference
static const struct weir_schema difference_schema = SCHEMA(
	LINE, {TEXT("name", name)}, {WHOLE("slow_ns", slow_ns)}, {WHOLE("fast_ns", fast_ns)});
#undef OF

#define OF struct weir_worst_row
static const struct weir_schema worst_schema = SCHEMA(
	BLOCK, {ENUM("kind", kind, weir_worst_kind)}, {TEXT("name", name)}, {TEXT("node", node)},
	{COUNT("ranks", ranks)}, {ENUM("late_by", late_by, weir_late_by)}, {SHARE("share", share)},
	{SHARE("votes", votes)}, {SHARE("factor", factor)}, {TEXT("collective", collective)},
	{NS("fast_rank", fast_rank), NULL_IS(-1)},
	{LIST("differences", differences, difference_count, difference_schema,
              WEIR_MAX_RANK_DIFFERENCES)});
#undef OF

#define OF struct weir_job_figures
const struct weir_schema weir_job_schema =
	SCHEMA(BLOCK, {COUNT("ranks", ranks)}, {COUNT("detailed", detailed)},
               {COUNT("slow_nodes", slow_nodes)}, {COUNT("slow_ranks", slow_ranks)},
               {COUNT("slow_groups", slow_groups)},
               {LIST("worst", rows, row_count, worst_schema, WEIR_MAX_WORST)});
#undef OF
