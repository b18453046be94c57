# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles of ONNX Runtime: the kernel time of each operator on the host."""
import timeline

FOLDER = "onnxruntime"


def expected(path):
    figures = {}
    for event in timeline.events_of(path):
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            name = event["args"]["op_name"]
            figures[f"{name} ns"] = figures.get(f"{name} ns", 0) + event["dur"] * 1000
            figures[f"{name} calls"] = figures.get(f"{name} calls", 0) + 1
    return figures


def given(weir, path):
    figures = {}
    for row in timeline.report(weir, path)["operators"]:
        figures[f"{row['name']} ns"] = row["total_ns"]
        figures[f"{row['name']} calls"] = row["count"]
    return figures
