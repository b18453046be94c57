# SPDX-License-Identifier: GPL-3.0-or-later
"""trtllm-bench: reports in JSON, and the tables in its console logs."""
import json
import re

from converted import figures_of

FOLDER = "trtllm-bench"
ROWS = {"Request Throughput (req/sec)": "request_throughput", "Token Throughput (tokens/sec)": "output_throughput",
        "Total Output Throughput (tokens/sec)": "output_throughput",
        "Total Token Throughput (tokens/sec)": "total_token_throughput",
        "Average request latency (ms)": "mean_e2el_ms", "[Latency] P50": "median_e2el_ms",
        "[Latency] P90": "p90_e2el_ms", "[Latency] P99": "p99_e2el_ms",
        "Per User Output Throughput [w/ ctx] (tps/user)": "output_throughput_per_user"}
TEXTS = {"Model": "label model", "TP Size": "label tp_size", "Quantization": "label quantization"}


def of_log(text):
    want = {}
    for line in text.splitlines():
        match = re.match(r"(.*?)\s*:\s+(\S+)\s*$", line)
        if match and match[1] in ROWS:
            want[ROWS[match[1]]] = float(match[2])
        elif match and match[1] in TEXTS:
            want[TEXTS[match[1]]] = match[2]
    return want


def expected(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not path.endswith(".json"):
        return of_log(text)
    report = json.loads(text)
    times, streaming = report["performance"], report["streaming_metrics"]
    return {
        "request_throughput": times["request_throughput_req_s"],
        "output_throughput": times["system_output_throughput_tok_s"],
        "total_token_throughput": times["system_total_throughput_tok_s"],
        "mean_e2el_ms": times["avg_request_latency_ms"],
        "p99_e2el_ms": times["request_latency_percentiles_ms"]["p99"],
        "mean_ttft_ms": streaming["avg_ttft_ms"],
        "median_ttft_ms": streaming["ttft_percentiles"]["p50"],
        "mean_tpot_ms": streaming["avg_tpot_ms"],
        "p95_tpot_ms": streaming["tpot_percentiles"]["p95"],
        "label model": report["engine"]["model"],
    }


def given(weir, path):
    return figures_of(weir, path)
