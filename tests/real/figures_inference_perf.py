# SPDX-License-Identifier: GPL-3.0-or-later
"""inference-perf's reports. Some of a life cycle count chunks as tokens: their time per token is far below the ratio
of the other means, which then replaces it. Those of the server's own metrics have no load."""
import json

from converted import figures_of

FOLDER = "inference-perf"


def of_server(done):
    figures = {
        "request_throughput": done["rate"],
        "input_throughput": done["prompt_len"]["rate"],
        "output_throughput": done["output_len"]["rate"],
        "mean_waiting_requests": done["queue_len"]["mean"],
        "label completed": str(done["count"]),
        "label measured_by": "server",
    }
    for key, name in (("request_latency", "e2el"), ("time_to_first_token", "ttft"), ("time_per_output_token", "tpot")):
        for statistic in ("mean", "median", "p90", "p99"):
            figures[f"{statistic}_{name}_ms"] = done[key][statistic] * 1e3
    return figures


def tpot_ms(done):
    times, lengths = done["latency"], done["output_len"]
    stated = times["time_per_output_token"]["mean"]
    ratio = (times["request_latency"]["mean"] - times["time_to_first_token"]["mean"]) / (lengths["mean"] - 1)
    one_length = lengths["min"] == lengths["max"]
    replaced = abs(stated - ratio) > 0.05 * ratio if one_length else stated < 0.7 * ratio
    return (ratio if replaced else stated) * 1e3


def expected(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    load, done = report["load_summary"], report["successes"]
    if not load:
        return of_server(done)
    times, rates = done["latency"], done["throughput"]
    e2e, ttft = times["request_latency"], times["time_to_first_token"]
    return {
        "mean_e2el_ms": e2e["mean"] * 1e3,
        "p99_e2el_ms": e2e["p99"] * 1e3,
        "mean_ttft_ms": ttft["mean"] * 1e3,
        "median_ttft_ms": ttft["median"] * 1e3,
        "mean_ntpot_ms": times["normalized_time_per_output_token"]["mean"] * 1e3,
        "mean_tpot_ms": tpot_ms(done),
        "mean_client_queue_ms": max(load["schedule_delay"]["mean"], 0) * 1e3,
        "request_throughput": rates["requests_per_sec"],
        "output_throughput": rates["output_tokens_per_sec"],
        "total_token_throughput": rates["total_tokens_per_sec"],
        "label num_prompts": str(load["count"]),
    }


def given(weir, path):
    return figures_of(weir, path)
