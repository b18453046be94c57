# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs, times and profiles of trtexec. The runs of a log of several are named after their batch."""
import json
import re
import statistics

import timeline

FOLDER = "trtexec"
NAMES = {"Latency": "latency", "Enqueue Time": "enqueue", "H2D Latency": "h2d", "GPU Compute Time": "gpu_compute",
         "D2H Latency": "d2h"}
BLOCKS = {"Host Latency": "latency", "Enqueue Time": "enqueue", "GPU Compute": "gpu_compute"}
LAYER = re.compile(r"\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+(\S.*?)\s*$")


def of_lines(text):
    """Returns the figures of a log of TensorRT 8 and later."""
    figures = {}
    for label, name in NAMES.items():
        line = re.search(rf"\] \[I\] {label}: (min = .*)", text)
        for statistic, value in re.findall(r"([\w()%]+) = ([\d.e-]+) ms", line.group(1)) if line else []:
            statistic = re.sub(r"percentile\((.*)%\)", r"p\1", statistic)
            figures[f"{name}_{statistic}_ms"] = float(value)
    return figures


def of_blocks(text):
    """Returns the figures of a log of TensorRT 7."""
    figures, block = {}, None
    for line in re.findall(r"\] \[I\] (.*)", text):
        block = BLOCKS.get(line, block)
        number = r"([\d.e-]+) ms(?: at (\d+)%)?"
        found = re.match(rf"(min|max|mean|median|percentile): {number}(?: \(end to end {number}\))?$", line)
        if not found or not block:
            continue
        statistic, value, percent, end_to_end, _ = found.groups()
        statistic = f"p{percent}" if percent else statistic
        figures[f"{block}_{statistic}_ms"] = float(value)
        if end_to_end:
            figures[f"end_to_end_{statistic}_ms"] = float(end_to_end)
    return figures


def of_log(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        runs = file.read().split("&&&& RUNNING TensorRT.trtexec")
    if len(runs) < 3:
        return of_run(runs[-1])
    figures = {}
    for text in runs[1:]:
        batch = re.search(r"--batch=(\d+)", text).group(1)
        figures.update((f"load/batch@{batch}/{name}", value) for name, value in of_run(text).items())
    return figures


def of_run(text):
    """Returns the figures of one run."""
    figures = of_lines(text) or of_blocks(text)
    throughput = re.search(r"\] \[I\] [Tt]hroughput: ([\d.]+) qps", text)
    if throughput:
        figures["throughput_qps"] = float(throughput.group(1))
    table = re.search(r"=== Profile \(.*\n.*Time\(ms\).*\n((?:.*\n)*)", text)
    for line in table.group(1).splitlines() if table else []:
        row = LAYER.match(line.partition("] [I]")[2])
        if not row or row.group(2) == "Total":
            break
        name = "layer " + row.group(2)
        figures[name] = figures.get(name, 0) + float(row.group(1)) * 1e6
    return figures


def of_json(path):
    with open(path, encoding="utf-8") as file:
        items = json.JSONDecoder().raw_decode(file.read())[0]  # concatenated results: the first one counts
    if "computeMs" not in items[0]:
        figures = {}
        for item in items:
            if "averageMs" in item:
                name = "layer " + item["name"]
                figures[name] = figures.get(name, 0) + item["averageMs"] * 1e6
        return figures
    warm = next(i for i, item in enumerate(items) if item["startComputeMs"] >= 200)
    latencies = [item["inMs"] + item["computeMs"] + item["outMs"] for item in items[warm:]]
    return {"queries": len(latencies), "median_ns": statistics.median(latencies) * 1e6}


def expected(path):
    return of_log(path) if path.endswith(".log") else of_json(path)


def given(weir, path):
    requests = timeline.report(weir, path)["requests"]
    if requests:
        return {"queries": requests["count"], "median_ns": requests["latency_ns"]["p50"]}
    run = timeline.run(weir, path)
    figures = {name: metric["values"][0] for name, metric in run.get("metrics", {}).items()}
    figures.update(("layer " + name, values[0]) for name, values in run.get("operators", {}).items())
    return figures
