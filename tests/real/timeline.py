# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a timeline, computed from its device work and taken from weir's report."""
import gzip
import json
import subprocess


def load(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        return json.load(file)


def events_of(path):
    """Returns the events of a Chrome trace."""
    document = load(path)
    return [e for e in (document if isinstance(document, list) else document["traceEvents"]) if e]


def union_ns(intervals):
    """Returns the length of the union of intervals."""
    total, until = 0, None
    for start, end in sorted(intervals):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total


def figures(work):
    """Returns the figures of device work: tuples (device, start_ns, end_ns, is_kernel)."""
    devices = {}
    for device, start, end, _ in work:
        devices.setdefault(device, []).append((start, end))
    spans = {d: max(e for _, e in rows) - min(s for s, _ in rows) for d, rows in devices.items()}
    busy = sum(union_ns(rows) for rows in devices.values())
    return {"kernels": sum(1 for w in work if w[3]),
            "work_ns": sum(end - start for _, start, end, _ in work),
            "span_ns": max(spans.values()),
            "active": busy / sum(spans.values())}


def report(weir, path):
    result = subprocess.run([weir, "classify", path, "--window", "all", "-f", "json"], capture_output=True, text=True,
                            check=True)
    return json.loads(result.stdout)


def given(weir, path):
    """Returns the same figures as weir gives them for the whole trace."""
    document = report(weir, path)
    gpu = document["gpu"]
    return {"kernels": gpu and gpu["kernels"],
            "work_ns": sum(row["total_ns"] for row in document["operators"]),
            "span_ns": document["run"]["span_ns"],
            "active": gpu and gpu["active"]}


def run(weir, path):
    """Returns the run document that weir makes of a file."""
    result = subprocess.run([weir, "convert", path], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)
