# SPDX-License-Identifier: GPL-3.0-or-later
"""GuideLLM's reports: times from the listed requests, or the stated means alone where only some are listed."""
import json

from converted import figures_of, mean

FOLDER = "guidellm"


def expected(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    (point,) = report["benchmarks"]
    metrics = {name: values["successful"] for name, values in point["metrics"].items()}
    rows = point["requests"]["successful"]
    want = {
        "request count": len(rows),
        "time_to_first_token mean": mean(row["first_token_time"] - row["start_time"] for row in rows) * 1e3,
        "decode mean": mean(row["last_token_time"] - row["first_token_time"] for row in rows) * 1e3,
        "request_throughput": metrics["requests_per_second"]["mean"],
        "output_throughput": metrics["output_tokens_per_second"]["mean"],
        "label strategy": point["args"]["strategy"]["type_"],
        "label model": point["worker"]["backend_model"],
    }
    if point["request_totals"]["successful"] > len(rows):
        for name in ("request count", "time_to_first_token mean", "decode mean"):
            want[name] = None
        want["mean_e2el_ms"] = metrics["request_latency"]["mean"] * 1e3
        want["p95_ttft_ms"] = metrics["time_to_first_token_ms"]["percentiles"]["p95"]
        want["median_itl_ms"] = metrics["inter_token_latency_ms"]["median"]
    tokens = metrics["prompt_token_count"]["mean"] + metrics["output_token_count"]["mean"]
    total = metrics["requests_per_second"]["mean"] * tokens
    stated = metrics["tokens_per_second"]["mean"]
    want["total_token_throughput"] = stated if abs(stated - total) < 0.1 * total else None
    return want


def given(weir, path):
    return figures_of(weir, path)
