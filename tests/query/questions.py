# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions about bundled inputs: the words of a user, the query that answers them, and the same answer from the JSON or the text of the
report. An answer is a list of rows; `report` is the JSON, `text` the lines of the text report joined by blanks."""
import re

K = "tests/data/kineto/"
EAGER = K + "llm_decode_eager_b1.pt.trace.json.gz"
GRAPH = K + "llm_decode_graph_b8.pt.trace.json.gz"
CHURN = K + "malloc_churn.pt.trace.json.gz"
COPIES = K + "h2d_pageable.pt.trace.json.gz"
NORM = K + "norm_softmax.pt.trace.json.gz"
RANKS = K + "straggler"
SERVED = "tests/data/requests/served.jsonl"
TOKENIZER = "tests/data/requests/slow_tokenizer.jsonl"
MONITOR = "tests/data/monitors/capped.csv"
COUNTERS = "tests/data/ncu/h200_gemm.csv"
SERVER = "tests/data/server/requests.jsonl"
PAGES = "tests/data/scrape/vllm-both.prom"
REGRESSED = "tests/data/gate/regression.json"
COVERAGE = "tests/data/gate/coverage.json"
ELSEWHERE = "tests/data/gate/environment.json"


def largest(rows, key, count=1):
    """Returns the rows with the largest values, the first of equal ones first."""
    return sorted((row for row in rows if row[key] is not None), key=lambda row: -row[key])[:count]


def printed(pattern, text, scale=1.0):
    """Returns a number as the text report prints it."""
    return [[float(re.search(pattern, text).group(1).replace(",", "")) * scale]]


# (question, input, SQL, answer from report and text, tolerance relative to the answer)
EXACT = 1e-12
QUESTIONS = [
    ("What bounds the decode of one sequence?", EAGER,
     "select bound, cause, confidence from verdict",
     lambda report, text: [[report["verdict"][key] for key in ("bound", "cause", "confidence")]], EXACT),
    ("In which words does the report say it?", EAGER,
     "select headline from verdict",
     lambda report, text: [[report["verdict"]["headline"]]] if report["verdict"]["headline"] in text else [], EXACT),
    ("How long is the median step?", EAGER,
     "select iteration_ns_p50 from run",
     lambda report, text: [[report["run"]["iteration_ns"]["p50"]]], EXACT),
    ("How many steady steps are analysed, and over what time?", EAGER,
     "select iterations, span_ns from run",
     lambda report, text: [[report["run"]["iterations"], report["run"]["span_ns"]]], EXACT),
    ("Which share of the time does the GPU wait for the host, as printed?", EAGER,
     "select round(100 * value) from attribution where name = 'runtime'",
     lambda report, text: printed(r" runtime\s+\S*\s*(\d+) %", text), EXACT),
    ("Which three causes of idle time are the largest?", EAGER,
     "select name, value from gpu_idle_causes order by value desc limit 3",
     lambda report, text: sorted(([name, value] for name, value in report["gpu"]["idle_causes"].items()), key=lambda row: -row[1])[:3],
     EXACT),
    ("Do the causes of idle time add up to the idle share?", EAGER,
     "select abs(sum(value) - (select idle from gpu)) < 0.00001 from gpu_idle_causes",
     lambda report, text: [[int(abs(sum(report["gpu"]["idle_causes"].values()) - report["gpu"]["idle"]) < 1e-5)]], EXACT),
    ("What should I do first, and which step is promised?", EAGER,
     "select id, saving_before_ns, saving_step_ns, saving_speedup from recommendations order by row_id limit 1",
     lambda report, text: [[row["id"], row["saving"]["before_ns"], row["saving"]["step_ns"], row["saving"]["speedup"]]
                           for row in report["recommendations"][:1]], EXACT),
    ("What does the first change need?", EAGER,
     "select n.what, n.state from recommendations_needs n where n.parent_id = 0 order by n.row_id",
     lambda report, text: [[need["what"], need["state"]] for need in report["recommendations"][0]["needs"]], EXACT),
    ("Which rule decided, on which clauses?", EAGER,
     "select v.rule, e.clause from verdict v, verdict_evidence e order by e.row_id",
     lambda report, text: [[report["verdict"]["rule"], clause["clause"]] for clause in report["verdict"]["evidence"]], EXACT),
    ("Which numbers stood in the first clause?", EAGER,
     "select name, value from verdict_evidence_values where parent_id = 0 order by row_id",
     lambda report, text: [[name, value] for name, value in report["verdict"]["evidence"][0]["values"].items()], EXACT),
    ("Which launch call is used most often?", EAGER,
     "select api, sum(count) total from gpu_launches group by api order by total desc limit 1",
     lambda report, text: [list(max(((api, sum(row["count"] for row in report["gpu"]["launches"] if row["api"] == api))
                                     for api in {row["api"] for row in report["gpu"]["launches"]}), key=lambda row: row[1]))], EXACT),
    ("Which three operators take the most device time?", GRAPH,
     "select name, count, total_ns from operators order by total_ns desc limit 3",
     lambda report, text: [[row["name"], row["count"], row["total_ns"]] for row in largest(report["operators"], "total_ns", 3)], EXACT),
    ("How many operators are bound by memory?", GRAPH,
     "select count(*) from operators where bound = 'memory'",
     lambda report, text: [[sum(row["bound"] == "memory" for row in report["operators"])]], EXACT),
    ("Which share of the busy time is in graph replays?", GRAPH,
     "select graph_share, active from gpu",
     lambda report, text: [[report["gpu"]["graph_share"], report["gpu"]["active"]]], EXACT),
    ("How many nodes does the graph have, and how often was it replayed?", GRAPH,
     "select nodes, replays, span_ns_p50 from graphs order by row_id",
     lambda report, text: [[row["nodes"], row["replays"], row["span_ns"]["p50"]] for row in report["graphs"]], EXACT),
    ("Which position of the graph takes the longest?", GRAPH,
     "select p.\"index\", p.kernel, p.p50_ns from graphs_positions p where p.parent_id = 0 order by p.p50_ns desc, p.row_id limit 1",
     lambda report, text: [[row["index"], row["kernel"], row["p50_ns"]] for row in largest(report["graphs"][0]["positions"], "p50_ns")],
     EXACT),
    ("How many calls does the allocator get, and which share of the time?", CHURN,
     "select allocator_calls, allocator_share, slow_allocations from memory",
     lambda report, text: [[report["memory"][key] for key in ("allocator_calls", "allocator_share", "slow_allocations")]], EXACT),
    ("What is the median duration of the stage, as printed in milliseconds?", CHURN,
     "select round(p50_ns / 1e6, 2) from stages where name = 'allocate'",
     lambda report, text: printed(r"allocate\s+\d+\s+([\d.]+) ms", text), EXACT),
    ("Which step was set apart?", CHURN,
     "select name, reason, duration_ns from run_set_apart order by row_id",
     lambda report, text: [[row["name"], row["reason"], row["duration_ns"]] for row in report["run"]["set_apart"]], EXACT),
    ("How much of the time do copies take that nothing hides?", COPIES,
     "select exposed_memcpy, memcpy from gpu",
     lambda report, text: [[report["gpu"]["exposed_memcpy"], report["gpu"]["memcpy"]]], EXACT),
    ("Which operators are far below what the device can do?", NORM,
     "select name, efficiency from operators where roofline = 'inefficient' order by row_id",
     lambda report, text: [[row["name"], row["efficiency"]] for row in report["operators"] if row["roofline"] == "inefficient"], EXACT),
    ("Which kernels are in the largest operator?", NORM,
     "select k.name, k.count, k.total_ns from operators_kernels k where k.parent_id = (select row_id from operators order by total_ns desc "
     "limit 1) order by k.row_id",
     lambda report, text: [[row["name"], row["count"], row["total_ns"]]
                           for row in largest(report["operators"], "total_ns")[0].get("kernels", [])], EXACT),
    ("How does the critical path split?", NORM,
     "select name, value from critical_path_ns order by row_id",
     lambda report, text: [[name, value] for name, value in report["critical_path"]["ns"].items()], EXACT),
    ("Which rank arrives last, and why?", RANKS,
     "select rank, straggler_score, late_by from ranks order by straggler_score desc limit 1",
     lambda report, text: [[row["rank"], row["straggler_score"], row["late_by"]]
                           for row in largest(report["ranks"], "straggler_score")], EXACT),
    ("How long does each rank wait in collectives?", RANKS,
     "select rank, wait, transfer from ranks order by rank",
     lambda report, text: [[row["rank"], row["wait"], row["transfer"]] for row in sorted(report["ranks"], key=lambda row: row["rank"])],
     EXACT),
    ("From how many files was the report made?", RANKS,
     "select count(*), sum(events) from run_inputs",
     lambda report, text: [[len(report["run"]["inputs"]), sum(row["events"] for row in report["run"]["inputs"])]], EXACT),
    ("What is the latency of requests?", SERVED,
     "select count, latency_ns_p50, latency_ns_p95, latency_ns_p99 from requests",
     lambda report, text: [[report["requests"]["count"]] + [report["requests"]["latency_ns"][key] for key in ("p50", "p95", "p99")]], EXACT),
    ("Where do slow requests spend their time, from arrival to response?", SERVED,
     "select name, p95_share from stages where view = 'request' order by row_id",
     lambda report, text: [[row["name"], row["p95_share"]] for row in report["stages"] if row["view"] == "request"], EXACT),
    ("How full are the batches, and how much is padding?", SERVED,
     "select batch_size_mean, batch_fill, padding_waste from requests",
     lambda report, text: [[report["requests"]["batch_size"]["mean"], report["requests"]["batch_fill"],
                            report["requests"]["padding_waste"]]], EXACT),
    ("Which stage of a request is the slowest at p95?", TOKENIZER,
     "select name, kind, bound from stages order by p95_share desc limit 1",
     lambda report, text: [[row["name"], row["kind"], row["bound"]] for row in largest(report["stages"], "p95_share")], EXACT),
    ("How often was the power limit the reason of low clocks?", MONITOR,
     "select power_capped, sm_clock_mhz, power_max_w from telemetry",
     lambda report, text: [[report["telemetry"][key] for key in ("power_capped", "sm_clock_mhz", "power_max_w")]], EXACT),
    ("What did the counters say of each kernel?", COUNTERS,
     "select c.kernel, c.count, c.mean_ns, c.grid_x, v.value from counters c join counters_values v on v.parent_id = c.row_id where v.name = "
     "'dram_bytes' order by c.row_id",
     lambda report, text: [[row["kernel"], row["count"], row["mean_ns"], row["grid"][0], row["values"]["dram_bytes"]]
                           for row in report["counters"]], EXACT),
    ("How full was the KV cache at its peak, and how many requests waited?", PAGES,
     "select kv_cache_max, waiting_mean, preemptions from server",
     lambda report, text: [[report["server"]["kv_cache"]["max"], report["server"]["waiting"]["mean"], report["server"]["preemptions"]]],
     EXACT),
    ("Which quantiles of the server are known by bounds only?", PAGES,
     "select name, counted_p95_low_ns, counted_p95_high_ns from stages where counted_p95_low_ns is not null order by row_id",
     lambda report, text: [[row["name"]] + row["counted"]["p95"] for row in report["stages"]
                           if row["counted"] and row["counted"]["p95"]], EXACT),
    ("Is there a GPU in a log of requests?", SERVER,
     "select (select count(*) from gpu), (select count(*) from requests)",
     lambda report, text: [[int(report["gpu"] is not None), int(report["requests"] is not None)]], EXACT),
    ("Which rows regressed, and by how much?", REGRESSED,
     "select scope, metric, change, ci90_low, ci90_high from rows where outcome = 'regression' order by row_id",
     lambda report, text: [[row["scope"], row["metric"], row["change"]] + row["ci90"] for row in report["rows"]
                           if row["outcome"] == "regression"], EXACT),
    ("How many comparisons were made, and what is the exit code?", REGRESSED,
     "select judged, regressions, exit, verdict from counts, gate",
     lambda report, text: [[report["counts"]["judged"], report["counts"]["regressions"], report["exit"], report["verdict"]]], EXACT),
    ("Which operators made the stage slower?", REGRESSED,
     "select stage, operator, delta_ns from contributions order by row_id",
     lambda report, text: [[row["stage"], row["operator"], row["delta_ns"]] for row in report["contributions"]], EXACT),
    ("Which stages does the candidate lack?", COVERAGE,
     "select scope from rows where outcome = 'missing' order by row_id",
     lambda report, text: [[row["scope"]] for row in report["rows"] if row["outcome"] == "missing"], EXACT),
    ("Which labels differ between baseline and candidate?", ELSEWHERE,
     "select key, baseline, candidate, policy from environment_differences order by row_id",
     lambda report, text: [[row["key"], row["baseline"], row["candidate"], row["policy"]] for row in report["environment"]["differences"]],
     EXACT),
]
