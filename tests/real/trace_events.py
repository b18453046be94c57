#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""trace_events.py WEIR: writes the annotated trace of bundled profiles and holds it against the Trace Event Format, as viewers read
it: fields of each event, slices that nest, flows whose ends lie in slices, numeric counters, names of processes and threads; and
against the source: the same kernels, and launches from the call that the source links."""
import collections
import decimal
import gzip
import json
import os
import subprocess
import sys
import tempfile

TRACES = ["tests/data/kineto/malloc_churn.pt.trace.json.gz", "tests/data/kineto/llm_decode_eager_b1.pt.trace.json.gz",
          "tests/data/kineto/llm_decode_graph_b8.pt.trace.json.gz", "tests/data/kineto/decode_fork_graph.pt.trace.json.gz",
          "tests/data/kineto/straggler", "tests/data/nsys/export.sqlite", "tests/data/captures/nsys_decode.sqlite",
          "tests/data/captures/jax.trace.json.gz", "tests/data/rocpd/run.db", "tests/data/kineto/written/gc_events.json"]
FIELDS = {"X": {"name", "cat", "ts", "dur", "pid", "tid", "args"}, "M": {"name", "pid", "tid", "args"},
          "C": {"name", "ts", "pid", "tid", "args"}, "s": {"name", "cat", "id", "ts", "pid", "tid"},
          "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"}}
faults = []


def require(condition, what):
    if not condition:
        faults.append(what)


def is_time(value):
    """True for microseconds with at most three decimals, which are whole nanoseconds."""
    return isinstance(value, (int, decimal.Decimal)) and value >= 0 and value * 1000 == int(value * 1000)


def check_fields(event):
    kind = event.get("ph")
    require(kind in FIELDS, f"phase {kind}")
    if kind not in FIELDS:
        return
    require(FIELDS[kind] | {"ph"} == set(event), f"{kind}: fields {sorted(event)}")
    require(all(isinstance(event[key], int) for key in ("pid", "tid")), f"{kind}: pid and tid are whole numbers")
    require(event["pid"] > 0, "process 0 is not shown")
    require(isinstance(event["name"], str) and event["name"], f"{kind}: a name")
    require(kind == "M" or is_time(event["ts"]), f"{kind}: ts {event.get('ts')}")
    require(kind != "X" or is_time(event["dur"]), f"X: dur {event.get('dur')}")
    if kind == "C":
        require(event["args"] and all(isinstance(v, (int, decimal.Decimal)) and not isinstance(v, bool) and v >= 0 for v in event["args"].values()),
                f"counter {event['name']}: {event['args']}")


def check_nesting(slices):
    """Slices of one track follow each other or nest. Returns them by track, each sorted by start."""
    tracks = collections.defaultdict(list)
    for event in slices:
        tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"], event["name"]))
    for track, spans in tracks.items():
        spans.sort(key=lambda span: (span[0], -span[1]))
        opened = []
        for start, end, name in spans:
            while opened and opened[-1] <= start:
                opened.pop()
            require(not opened or end <= opened[-1], f"track {track}: {name} at {start} outlives the slice around it")
            opened.append(end)
    return tracks


def check_flows(events, tracks):
    """Each flow has one begin and one end, alike in id, category and name, not back in time, and each at the start of a slice."""
    starts = {track: {span[0] for span in spans} for track, spans in tracks.items()}
    ends = collections.defaultdict(lambda: {"s": [], "f": []})
    for event in events:
        if event["ph"] in "sf":
            ends[event["cat"], event["name"], event["id"]][event["ph"]].append(event)
            require(event["ts"] in starts[event["pid"], event["tid"]], f"flow {event['id']}: no slice at {event['ts']}")
    for key, pair in ends.items():
        require(len(pair["s"]) == len(pair["f"]) == 1, f"flow {key}: {len(pair['s'])} begins, {len(pair['f'])} ends")
        if pair["s"] and pair["f"]:
            require(pair["s"][0]["ts"] <= pair["f"][0]["ts"], f"flow {key} goes back in time")
            require(pair["f"][0]["bp"] == "e", f"flow {key} binds to the slice around its end")
    return len(ends)


def check_names(events):
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["args"]["name"]}
    processes = [e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name" and e["args"]["name"]]
    require(len(processes) == len(set(processes)), "a process has one name")
    for event in events:
        require(event["pid"] in processes, f"process {event['pid']} has no name")
        require(event["ph"] in "MC" or (event["pid"], event["tid"]) in named, f"track {event['pid']}/{event['tid']} has no name")


def check_counters(events):
    values = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            values[event["pid"], event["name"]].append((event["ts"], *event["args"].items()))
    for (_, name), points in values.items():
        times = [point[0] for point in points]
        require(times == sorted(set(times)), f"{name}: times increase")
        require(len({point[1][0] for point in points}) == 1, f"{name}: one series")
        require(points[-1][1][1] == 0, f"{name}: ends with 0")
        require(not name.startswith("active share") or all(point[1][1] <= 1 for point in points), f"{name}: at most 1")
    return values


def integral(points):
    return sum((after[0] - point[0]) * point[1][1] for point, after in zip(points, points[1:]))


def check_source(path, document, counters, flows):
    """A Kineto trace of one rank: the same kernels, and of them those that a call in the trace launched have a flow."""
    with gzip.open(path) as file:
        source = json.load(file, parse_float=decimal.Decimal)["traceEvents"]
    work = [e for e in source if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    drawn = [e for e in document["traceEvents"] if e["ph"] == "X" and e["cat"] == "device"]
    require(len(work) == len(drawn), f"{len(drawn)} pieces of work, {len(work)} in the source")
    calls = {e["args"]["correlation"]: e for e in source if e.get("cat") in ("cuda_runtime", "cuda_driver") and e.get("args", {}).get("correlation")}
    launched = {e["args"]["correlation"] for e in work if e["args"].get("correlation") in calls
                and calls[e["args"]["correlation"]]["ts"] <= e["ts"]}
    require(flows == len(launched), f"{flows} flows, {len(launched)} launches in the source")
    operators = sum(e.get("ph") == "X" and e.get("cat") == "cpu_op" for e in source)
    host = sum(e["ph"] == "X" and e["cat"] == "host" for e in document["traceEvents"])
    require(host >= operators, f"{host} calls of the host, {operators} operators in the source")
    # The active share over time is the union of the work.
    union, until = decimal.Decimal(0), decimal.Decimal(0)
    for start, end in sorted((e["ts"], e["ts"] + e["dur"]) for e in work):
        union += max(decimal.Decimal(0), end - max(start, until))
        until = max(until, end)
    share = sum(integral(points) for (_, name), points in counters.items() if name.startswith("active share"))
    require(abs(share - union) <= union / 500, f"active share adds up to {share} us, the work to {union} us")


def check(weir, path, folder):
    out = os.path.join(folder, "annotated.json")
    subprocess.run([weir, "classify", "-q", path, "-o", out], check=True)
    with open(out, encoding="utf-8") as file:
        document = json.load(file, parse_float=decimal.Decimal)
    events = document["traceEvents"]
    for event in events:
        check_fields(event)
    if faults:
        return
    tracks = check_nesting([event for event in events if event["ph"] == "X"])
    flows = check_flows(events, tracks)
    check_names(events)
    counters = check_counters(events)
    has_work = any(event["ph"] == "X" and event["cat"] == "device" for event in events)
    require(bool(counters) == has_work, f"{len(counters)} counters")
    require(min(event["ts"] for event in events if event["ph"] == "X") == 0, "times count from the first slice")
    if path.endswith(".pt.trace.json.gz"):
        check_source(path, document, counters, flows)
    print(f"{path}: {len(events)} events, {len(tracks)} tracks, {flows} flows, {len(counters)} counters")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for path in TRACES:
            check(sys.argv[1], path, folder)
            for fault in faults[:10]:
                print(f"{path}: {fault}", file=sys.stderr)
            if faults:
                sys.exit(1)


if __name__ == "__main__":
    main()
