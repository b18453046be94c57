# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics pages: counts, means, PromQL's quantiles below the last bound, gauges, and devices."""
import math
import os
import re

import classified

FOLDER = "prometheus"
LINE = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)")
STAGES = {
    "ttft": "time_to_first_token_seconds", "e2e": "e2e_request_latency_seconds",
    "itl": "inter_token_latency_seconds", "queue": "waiting_request_latency_seconds",
}


def page_of(path):
    """Returns [(name without its server's prefix, labels, value)]."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = LINE.match(line)
            if match and not line.startswith("#"):
                labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match.group("labels") or ""))
                rows.append((re.sub(r"^(vllm|sglang):", "", match.group("name")), labels, float(match.group("value"))))
    return rows


def total(rows, name, **labels):
    values = [value for own, has, value in rows
              if own == name and all(has.get(key) == text for key, text in labels.items())]
    return sum(values) if values else None


def quantile(rows, name, q):
    """PromQL's histogram_quantile, but not beyond what the sum of all observations allows: those above it are
    at least as large, and all others at least as large as their buckets' lower bounds. None in the last bucket,
    which has no upper bound, and if all observations are in one bucket."""
    sums = {}
    for own, labels, value in rows:
        if own == name + "_bucket":
            bound = float(labels["le"].replace("+Inf", "inf"))
            sums[bound] = sums.get(bound, 0) + value
    buckets = sorted(sums.items())
    if not buckets or not buckets[-1][1]:
        return None
    if len({count for _, count in buckets} - {0}) == 1:
        return None
    rank = q * buckets[-1][1]
    low, before, least = 0, 0, 0
    for at, (bound, count) in enumerate(buckets):
        if count < rank:
            least += (count - before) * low
            low, before = bound, count
            continue
        if math.isinf(bound):
            return None
        for (under, lower), (_, upper) in zip(buckets[at:], buckets[at + 1:]):
            least += (upper - lower) * under
        place = math.ceil(rank) - before
        highest = (total(rows, name + "_sum") - least - (place - 1) * low) / (count - before - place + 1)
        return min(low + (bound - low) * (rank - before) / (count - before), highest)
    return None


def stages(rows, is_sglang):
    figures = {}
    names = STAGES | ({"tpot": "time_per_output_token_seconds"} if is_sglang else
                      {"itl": "time_per_output_token_seconds"})
    for stage, name in names.items():
        count = total(rows, name + "_count")
        if not count:
            continue
        figures[stage + " count"] = count
        figures[stage + " mean"] = total(rows, name + "_sum") / count * 1e9
        if stage != "tpot":
            p50 = quantile(rows, name, 0.5)
            figures[stage + " p50"] = "none" if p50 is None else p50 * 1e9
    return figures


def gauges(rows):
    running = total(rows, "num_running_reqs") or total(rows, "num_requests_running")
    waiting = total(rows, "num_queue_reqs") or total(rows, "num_requests_waiting")
    if total(rows, "nv_trt_llm_request_metrics") is not None:
        running = total(rows, "nv_trt_llm_request_metrics", request_type="scheduled")
        waiting = total(rows, "nv_trt_llm_request_metrics", request_type="waiting")
    return {"running": running, "waiting": waiting}


def expected(path):
    rows = page_of(path)
    if not rows:
        return "no sample found"
    if total(rows, "DCGM_FI_DEV_GPU_UTIL") is not None:
        return {
            "samples": 1,
            "device_name": next(labels["modelName"] for _, labels, _ in rows),
            "utilization_all": total(rows, "DCGM_FI_DEV_GPU_UTIL") / 100,
            "power_max_w": total(rows, "DCGM_FI_DEV_POWER_USAGE"),
            "temperature_max_c": total(rows, "DCGM_FI_DEV_GPU_TEMP"),
            "memory_used_max_bytes": total(rows, "DCGM_FI_DEV_FB_USED") * 2**20,
        }
    is_sglang = "sglang" in os.path.basename(path)
    figures = stages(rows, is_sglang) | gauges(rows)
    figures["requests"] = total(rows, "request_success_total") or total(rows, "e2e_request_latency_seconds_count")
    return classified.known(figures)


def given(weir, path):
    report = classified.report(weir, path)
    figures = dict(report.get("telemetry") or {})
    for stage in report.get("stages") or []:
        figures[stage["name"] + " count"] = stage["count"]
        figures[stage["name"] + " mean"] = stage["counted"]["mean_ns"]
        figures[stage["name"] + " p50"] = "none" if stage["p50_ns"] is None else stage["p50_ns"]
    if report.get("requests"):
        figures["requests"] = report["requests"]["count"]
    for note in report["run"]["notes"]:
        for word in ("running", "waiting"):
            match = re.search(rf"(\d[\d.,]*) (?:requests )?{word}", note["text"])
            if match:
                figures[word] = float(match.group(1).replace(",", ""))
    return figures
