#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the advice of weir against fixes that were really made.

FOLDER has pairs.json and, for each case, CASE.before.pt.trace.json.gz and CASE.before.run.json (step times without the
profiler). For each case the fix that was made must be among the first three recommendations, and the predicted step
within 20 % of the measured one: between the step with a synchronisation and back to back. A fix that did not help may be
promised at most 1.15x, and a program with nothing to gain nothing.
"""

import argparse
import json
import pathlib
import subprocess
import sys

NEAR = 0.20
FIRST = 3
HELPED = 1.10  # a fix that gained less did not help
MOST = 1.15  # promised at most where the fix did not help


def recommendations(weir, inputs):
    """Returns the recommendations of one classification."""
    done = subprocess.run([weir, "classify", "-q", "--format", "json", *inputs], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"pairs: {inputs[0]}: exit {done.returncode}: {done.stderr.decode().strip()}")
    return json.loads(done.stdout)["recommendations"]


def error_of(step_ms, measured):
    """Returns the relative distance of a step from the measured range; 0 inside."""
    low, high = sorted((measured["step_ms"], measured["back_to_back_ms"]))
    if low <= step_ms <= high:
        return 0.0
    return (step_ms - high) / high if step_ms > high else (step_ms - low) / low


def judge(case, advice):
    """Returns (is among the first, prediction in ms, its error, speed-up promised at most)."""
    place, step_ms, error, most = None, None, None, 1.0
    for i, item in enumerate(advice):
        saving = item["saving"]
        if saving and saving["speedup"]:
            most = max(most, saving["speedup"])
        if item["id"] not in case["fix"] or place is not None and step_ms is not None:
            continue
        place = i + 1 if place is None else place
        if saving and saving["step_ns"]:
            step_ms = saving["step_ns"] / 1e6
            error = error_of(step_ms, case["after"]) if "after" in case else None
    return place, step_ms, error, most


def check(weir, folder, with_run):
    """Prints a line per case; returns (helped, named, near, wrongly promised)."""
    cases = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))
    helped = named = near = wrong = 0
    for name, case in sorted(cases.items()):
        inputs = [str(folder / f"{name}.before.pt.trace.json.gz")]
        if with_run:
            inputs.append(str(folder / f"{name}.before.run.json"))
        advice = recommendations(weir, inputs)
        place, step_ms, error, most = judge(case, advice)
        gain = case["before"]["step_ms"] / case["after"]["step_ms"] if "after" in case else None
        listed = ", ".join(item["id"] for item in advice[:FIRST])
        if gain is not None and gain <= HELPED or not case["fix"]:
            fine = most <= MOST
            wrong += not fine
            print(f"{name:28} no gain: promised {most:.2f}x {'ok' if fine else 'WRONG'}; {listed}")
            continue
        helped += 1
        named += place is not None and place <= FIRST
        near += error is not None and abs(error) <= NEAR
        step = "-" if step_ms is None else f"{step_ms:.3f}"
        off = "-" if error is None else f"{100 * error:+.0f} %"
        after = f"{case['after']['step_ms']:.3f}/{case['after']['back_to_back_ms']:.3f}" if "after" in case else "-"
        mark = "ok" if place and place <= FIRST and error is not None and abs(error) <= NEAR else "MISS"
        print(f"{name:28} {'+'.join(case['fix'])}: place {place}, {step} ms predicted, {after} measured, {off} {mark}; {listed}")
    print(f"{'with' if with_run else 'without'} the unprofiled run: {named} of {helped} named, {near} of {helped} near, {wrong} wrongly promised")
    return helped, named, near, wrong


def main():
    """Checks a folder both ways."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weir")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--named", type=float, default=0.9, help="least share of fixes among the first three")
    parser.add_argument("--near", type=float, default=0.8, help="least share of predictions within 20 %%")
    options = parser.parse_args()
    if not (options.folder / "pairs.json").is_file():
        print(f"SKIPPED: {options.folder}/pairs.json is absent: advice is not held against real fixes")
        return 77
    failed = False
    for with_run in (False, True):
        helped, named, near, wrong = check(options.weir, options.folder, with_run)
        failed |= wrong > 0 or named < options.named * helped or near < options.near * helped
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
