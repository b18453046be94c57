#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a few steps of a PyTorch trace, for tests that need a real program in a small file.

    tests/advice/trim.py TRACE.json.gz OUT.json.gz [--steps 3] [--share 0.2]

Keeps the steps in the middle of those that ProfilerStep ranges mark, or with --share a share of the time
from two fifths of it on: the host rows, the device rows that calls among them launched, and the flows
between both. A trace with fewer marks is written whole. The trace's name, which is a path, is left out.
"""
import argparse
import gzip
import json


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def find_window(events, steps):
    """Returns the start and end of the steps in the middle; None without marks."""
    marks = sorted(
        (e["ts"], e["ts"] + e["dur"])
        for e in events
        if e.get("ph") == "X" and e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")
    )
    if len(marks) <= steps:
        return None
    first = (len(marks) - steps) // 2
    return marks[first][0], marks[first + steps - 1][1]


def find_share(events, share):
    """Returns the start and end of a share of the time of operators and calls."""
    rows = [(e["ts"], e["ts"] + e["dur"]) for e in events if e.get("ph") == "X" and e.get("cat") in ("cpu_op", "cuda_runtime")]
    begin, end = min(rows)[0], max(row[1] for row in rows)
    first = begin + 0.4 * (end - begin)
    return first, first + share * (end - begin)


def is_host(event):
    return event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation")


def trim(events, window):
    begin, end = window
    kept, launched = [], set()
    for event in events:
        if event.get("ph") == "X" and is_host(event) and event["ts"] >= begin and event["ts"] + event["dur"] <= end:
            launched.add(event.get("args", {}).get("correlation"))
            kept.append(event)
        elif event.get("ph") == "i" and begin <= event["ts"] <= end:
            kept.append(event)
        elif event.get("ph") == "M":
            kept.append(event)
    launched.discard(None)
    inside = [e for e in events if e.get("ph") == "X" and not is_host(e)]
    for event in inside:
        if event.get("args", {}).get("correlation") in launched:
            kept.append(event)
        elif event.get("cat") == "gpu_user_annotation" and begin <= event["ts"] <= end:
            kept.append(event)
    times = {(e.get("pid"), e.get("tid"), e.get("ts")) for e in kept}
    kept += [e for e in events if e.get("ph") in ("s", "f", "t") and (e.get("pid"), e.get("tid"), e.get("ts")) in times]
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--share", type=float)
    args = parser.parse_args()

    trace = read(args.trace)
    events = trace["traceEvents"]
    window = find_share(events, args.share) if args.share else find_window(events, args.steps)
    if window:
        trace["traceEvents"] = trim(events, window)
    trace.pop("traceName", None)
    text = json.dumps(trace, separators=(",", ":"), sort_keys=False).encode()
    with open(args.out, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as file:
        file.write(text)


main()
