# SPDX-License-Identifier: GPL-3.0-or-later
"""AIPerf's records of requests."""
import json

from converted import figures_of, mean

FOLDER = "aiperf"


def expected(path):
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file if line.strip()]
    if "telemetry_data" in records[0]:
        return "profile_export.jsonl"
    records = [record["metrics"] for record in records if record["metadata"]["benchmark_phase"] == "profiling"]
    gaps = [gap for record in records for gap in record["inter_chunk_latency"]["value"]]
    return {
        "request count": len(records),
        "request mean": mean(record["request_latency"]["value"] for record in records),
        "time_to_first_token mean": mean(record["time_to_first_token"]["value"] for record in records),
        "inter_token_latency count": len(gaps),
        "inter_token_latency mean": mean(gaps),
    }


def given(weir, path):
    return figures_of(weir, path)
