/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/json/document_tables.h"
#include "engine/report/json/server.h"
#include "engine/report/json/stored.h"

#define OF struct weir_gauge_figures
static const struct weir_schema gauge_schema = SCHEMA(
	LINE, {SHARE("mean", mean)}, {SHARE("p50", p50)}, {SHARE("p95", p95)}, {SHARE("max", max)});
#undef OF

#define OF struct weir_phase_figures
static const struct weir_schema phase_schema =
	SCHEMA(LINE, {COUNT("count", count)}, {WHOLE("total_ns", total_ns)},
               {WHOLE("p50_ns", p50_ns)}, {WHOLE("p95_ns", p95_ns)}, {SHARE("tokens", tokens)});
#undef OF

#define OF struct weir_engine_figures
static const struct weir_schema engine_schema =
	SCHEMA(LINE, {TEXT("name", name), .required = true}, {SHARE("running", running)},
               {SHARE("waiting", waiting)}, {SHARE("kv_p50", kv_p50)}, {SHARE("kv_peak", kv_peak)},
               {SHARE("tokens_per_s", tokens_per_s)}, {SHARE("load", load)},
               {WHOLE("preemptions", preemptions)}, {COUNT("restarts", restarts)});
#undef OF

#define OF struct weir_wait_reason
static const struct weir_schema reason_schema =
	SCHEMA(LINE, {TEXT("reason", name), .required = true}, {SHARE("mean", mean)});
#undef OF

#define OF struct weir_draft_position
static const struct weir_schema draft_position_schema = SCHEMA(LINE, {SHARE("accepted", accepted)});
#undef OF

#define OF struct weir_speculation_figures
static const struct weir_schema speculation_schema =
	SCHEMA(BLOCK, {WHOLE("drafted", drafted)}, {WHOLE("accepted", accepted)},
               {SHARE("acceptance", acceptance)}, {SHARE("accepted_length", accepted_length)},
               {SHARE("profit", profit)}, {BOOL("estimated", estimated)},
               {LIST("positions", at, positions, draft_position_schema, INSIDE(at))});
#undef OF

#define OF struct weir_joined_figures
static const struct weir_schema joined_schema =
	SCHEMA(LINE, {SHARE("covered", covered)}, {SHARE("in_mixed_steps", in_mixed)},
               {SHARE("in_kv_wait", in_kv_wait)}, {SHARE("in_preemption", in_preemption)});
#undef OF

#define OF struct weir_server_figures
static const struct weir_schema settings_schema = SCHEMA(
	BLOCK, {WHOLE("max_running", max_running)}, {WHOLE("max_step_tokens", max_step_tokens)},
	{WHOLE("kv_tokens", kv_tokens)}, {SHARE("memory_share", memory_share)},
	{WHOLE("draft_tokens", draft_tokens)}, {WHOLE("chunked_prefill", chunked_prefill)});

static const struct weir_schema steps_schema =
	SCHEMA(BLOCK, {OBJECT("decode", phases[WEIR_STEP_DECODE], phase_schema)},
               {OBJECT("mixed", phases[WEIR_STEP_MIXED], phase_schema)},
               {OBJECT("prefill", phases[WEIR_STEP_PREFILL], phase_schema)});

const struct weir_schema weir_server_schema = SCHEMA(
	BLOCK, {TEXT("product", product), .required = true}, {BOOL("log", from_log)},
	{BOOL("pages", from_pages)}, {COUNT("moments", moments)},
	{NS("span_ns", span_ns), NULL_IS(-1)}, {PART("settings", settings_schema)},
	{OBJECT("running", running, gauge_schema)}, {OBJECT("waiting", waiting, gauge_schema)},
	{OBJECT("kv_cache", kv, gauge_schema)}, {SHARE("waiting_share", waiting_share)},
	{SHARE("queue_of_latency", queue_of_latency)}, {SHARE("kv_full_share", kv_full_share)},
	{SHARE("slots_share", slots_share)}, {WHOLE("slot_limit", slot_limit)},
	{BOOL("slots_inferred", slots_inferred)}, {SHARE("full_steps", full_steps)},
	{LIST("waiting_for", reasons, reason_count, reason_schema, INSIDE(reasons))},
	{SHARE("transfer_waiting", transfer_waiting)}, {WHOLE("transfer_ns", transfer_ns)},
	{WHOLE("requests", requests)}, {WHOLE("prompt_tokens", prompt_tokens)},
	{WHOLE("output_tokens", output_tokens)},
	{SHARE("prompt_tokens_per_s", prompt_tokens_per_s)},
	{SHARE("output_tokens_per_s", output_tokens_per_s)}, {WHOLE("preemptions", preemptions)},
	{SHARE("preemptions_per_thousand", preemptions_per_thousand)},
	{SHARE("recomputed_share", recomputed_share)}, {SHARE("hit_rate", hit_rate)},
	{PART("steps", steps_schema)}, {SHARE("prefill_interference", prefill_interference)},
	{SHARE("stall_ratio", stall_ratio)},
	{BOOL("interference_estimated", interference_estimated)},
	{SHARE("step_growth", step_growth)}, {SHARE("throughput_plateau", throughput_plateau)},
	{SHARE("waiting_growth", waiting_growth)}, {SHARE("imbalance", imbalance)},
	{SHARE("unbalanced_wait", unbalanced_wait)},
	{LIST("engines", engines, engine_count, engine_schema, WEIR_REPORT_MAX_ROWS)},
	{OBJECT("speculation", speculation, speculation_schema),
         WHEN(KNOWN, speculation.accepted_length)},
	{OBJECT("slow_requests", joined, joined_schema), WHEN(KNOWN, joined.in_kv_wait),
         .omit = true},
	{SHARE("joules_per_token", joules_per_token)}, {COUNT("restarts", restarts)},
	{COUNT("gaps", gaps)}, {NS("longest_gap_ns", longest_gap_ns)},
	{BOOL("far_apart", far_apart)}, {BOOL("single", single)}, {COUNT("left_out", left_out)});
#undef OF
