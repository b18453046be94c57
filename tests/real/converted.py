# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the figures of `weir convert` as a flat dictionary, for the modules figures_*.py of load generators."""
import json
import subprocess


def run_of(weir, path):
    """Returns the converted run as a dictionary of JSON."""
    return json.loads(subprocess.run([weir, "convert", path], capture_output=True, text=True, check=True).stdout)


def figures_of(weir, path):
    """Returns each metric under its name, and of each stage "NAME count" and "NAME mean" in milliseconds."""
    run = run_of(weir, path)
    figures = {name: metric["values"][0] for name, metric in run["metrics"].items()}
    for name, values in run["stages"].items():
        figures[name + " count"] = len(values)
        figures[name + " mean"] = sum(values) / len(values) / 1e6
    figures.update({"label " + key: value for key, value in run.get("labels", {}).items()})
    return figures


def mean(values):
    values = list(values)
    return sum(values) / len(values)
