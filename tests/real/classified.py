# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the report that weir gives for a file, and numbers out of what other tools wrote."""
import functools
import json
import re
import subprocess


@functools.lru_cache(maxsize=1)
def classify(weir, path):
    """Runs `weir classify -f json` on a file, once for the callers that ask one after the other."""
    return subprocess.run([weir, "classify", path, "--format", "json"], capture_output=True, text=True, check=False)


def report(weir, path):
    """Returns the report of a file."""
    result = classify(weir, path)
    result.check_returncode()
    return json.loads(result.stdout)


def number(text):
    """Returns the number at the start of a cell, "(800Mhz)" or "79 %"; None if it has none."""
    match = re.match(r"\(?\s*(-?\d+(?:\.\d*)?(?:e[+-]?\d+)?)", str(text).strip(), re.IGNORECASE)
    return float(match.group(1)) if match else None


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def most(values):
    return max((value for value in values if value is not None), default=None)


def known(figures):
    """Drops figures that a file does not state."""
    return {name: value for name, value in figures.items() if value is not None}


def functions(total, self_of, whole_of, idle=0):
    """Names the figures of a host profile: its total, and the self and the whole time of its ten largest functions.
    Reports have six decimals."""
    figures = {"total": total, "idle": idle / (idle + total)}
    for at, value in enumerate(sorted(self_of.values(), reverse=True)[:10]):
        figures[f"self {at}"] = round(value / total, 6)
    largest = sorted(self_of, key=lambda key: (-self_of[key], -whole_of[key]))[:10]
    for at, key in enumerate(largest):
        if figures[f"self {at}"] > 0:
            figures[f"whole {at}"] = round(whole_of[key] / total, 6)
    return figures


def given_functions(weir, path):
    host = report(weir, path)["host"]
    figures = {"total": host["total"], "idle": host["idle"] or 0}
    for at, row in enumerate(host["functions"][:10]):
        figures[f"self {at}"] = row["self"]
        figures[f"whole {at}"] = row["total"]
    return figures


def stacks(samples):
    """Adds up stacks: (weight, frames from the root). A function that calls itself counts once."""
    total, self_of, whole_of = 0, {}, {}
    for weight, frames in samples:
        if not frames:
            continue
        total += weight
        self_of[frames[-1]] = self_of.get(frames[-1], 0) + weight
        for frame in set(frames):
            whole_of[frame] = whole_of.get(frame, 0) + weight
            self_of.setdefault(frame, 0)
    return total, self_of, whole_of
