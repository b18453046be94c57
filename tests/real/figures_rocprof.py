# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of rocprofv3, and traces and tables of rocprof v1."""
import csv

import timeline

FOLDER = "rocprof"


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of_kernels(path):
    return timeline.figures([(row["Agent_Id"], int(row["Start_Timestamp"]), int(row["End_Timestamp"]),
                             "__amd_rocclr_" not in row["Kernel_Name"]) for row in table(path)])


def of_calls(path):
    rows = table(path)
    return {"kernels": None,
            "span_ns": max(int(r["End_Timestamp"]) for r in rows) - min(int(r["Start_Timestamp"]) for r in rows)}


def of_trace(path):
    """Returns the figures of v1's trace: "dev-id" names the device of copies, and exact times stand in the arguments."""
    events = timeline.events_of(path)
    names = {str(e["pid"]): e["args"]["name"] for e in events if e["ph"] == "M"}
    work = []
    for e in events:
        if e["ph"] == "X" and names[e["pid"]].startswith(("GPU", "COPY")):
            args = e["args"]
            work.append((args["dev-id"], int(args["BeginNs"]), int(args["EndNs"]), names[e["pid"]] != "COPY"))
    return timeline.figures(work)


def of_totals(path):
    return {"total of " + row["Name"]: int(row["TotalDurationNs"]) for row in table(path)}


def of_counters(path):
    """Returns the time of each kernel: a dispatch has a row for each counter."""
    dispatches = {row["Dispatch_Id"]: (row["Kernel_Name"], int(row["End_Timestamp"]) - int(row["Start_Timestamp"]))
                  for row in table(path)}
    totals = {}
    for name, ns in dispatches.values():
        totals["total of " + name] = totals.get("total of " + name, 0) + ns
    return totals


ENDINGS = {"kernel_trace.csv": of_kernels, "hip_api_trace.csv": of_calls, "results.json": of_trace, "stats.csv": of_totals,
           "counter_collection.csv": of_counters,
           "results.db": lambda path: "rocprof v1, which is not read: pass its *.json"}


def expected(path):
    return next(compute for ending, compute in ENDINGS.items() if path.endswith(ending))(path)


def given(weir, path):
    if path.endswith(("stats.csv", "counter_collection.csv")):
        run = timeline.run(weir, path)
        calls = {name[len("calls/"):-len("/total_ns")]: metric["values"] for name, metric in run.get("metrics", {}).items()
                 if name.startswith("calls/") and name.endswith("/total_ns")}
        return {"total of " + name: sum(values) for name, values in {**run.get("operators", {}), **calls}.items()}
    return timeline.given(weir, path)
