# SPDX-License-Identifier: GPL-3.0-or-later
"""Chrome traces of RPD, whose processes GPU<n> are devices, and of VizTracer, which has none."""
import re

import timeline

FOLDER = "chrome"


def devices_of(events):
    """Returns the number of the device of each process that is one."""
    names = {str(e["pid"]): e["args"]["name"] for e in events if e.get("ph") == "M" and e["name"] == "process_name"}
    return {pid: int(name[3:]) for pid, name in names.items() if re.fullmatch(r"GPU\d+", name)}


def work_of(events):
    devices = devices_of(events)
    for e in events:
        if e.get("ph") == "X" and str(e["pid"]) in devices:
            start, length = (round(float(e[key]) * 1000) for key in ("ts", "dur"))
            kernel = not e["name"].startswith(("Copy", "FillBuffer"))
            yield devices[str(e["pid"])], start, start + length, kernel


def expected(path):
    events = timeline.events_of(path)
    work = list(work_of(events))
    if work:
        return timeline.figures(work)
    # Functions of the host: recursive calls count once.
    ranges = [(float(e["ts"]) * 1000, (float(e["ts"]) + float(e["dur"])) * 1000) for e in events if e.get("ph") == "X"]
    return {"kernels": None, "span_ns": max(e for _, e in ranges) - min(s for s, _ in ranges),
            "work_ns": timeline.union_ns(ranges)}


given = timeline.given
