# SPDX-License-Identifier: GPL-3.0-or-later
"""PyTorch profiler traces, and those of Ascend, whose device work has a process and no category."""
from decimal import Decimal

import timeline

FOLDER = "kineto"
WORK = {"kernel": True, "gpu_memcpy": False, "gpu_memset": False}


def expected(path):
    events = timeline.events_of(path)
    names = {e["pid"]: e["args"]["name"] for e in events if e.get("ph") == "M" and e["name"] == "process_name"}
    work = []
    for e in events:
        if e.get("ph") != "X":
            continue
        kind = WORK.get(e.get("cat"))
        device = e.get("args", {}).get("device", e["pid"])
        if names.get(e["pid"]) == "Ascend Hardware":
            kind = e["name"] != "MEMCPY_ASYNC"
        if kind is None:
            continue
        if "__amd_rocclr_" in e["name"]:
            kind = False
        start = int(Decimal(str(e["ts"])) * 1000)
        work.append((device, start, start + int(Decimal(str(e["dur"])) * 1000), kind))
    return timeline.figures(work)


given = timeline.given
