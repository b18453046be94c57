#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""finding_study.py WEIR [--gates N] [--seed N] [--only TEXT]: measures whether a gate names one finding for each cause, on simulated
runs of one stage with many operators.

Each case slows known operators. A gate is right if `weir compare -f json` has exactly the expected findings.
The table gives the share of gates that are right and its 95 % interval (Wilson)."""

import argparse
import json
import math
import os
import random
import subprocess
import tempfile

SAMPLES = 60
HOST_NS = 150e3  # time of the stage on the host, in addition to its operators


def draw_run(draws, levels, factors):
    """Draws a run: operators around their levels, the stage as their sum with the time on the host."""
    shared = math.exp(draws.gauss(0, NOISE["run"]))
    times = []
    for level, factor in zip(levels, factors):
        own = level * factor * shared * math.exp(draws.gauss(0, NOISE["operator"]))
        times.append([own * math.exp(draws.gauss(0, NOISE["within"])) for _ in range(SAMPLES)])
    device = [sum(values) for values in zip(*times)]
    return times, device, [value + HOST_NS * math.exp(draws.gauss(0, NOISE["within"])) for value in device]


def write_run(path, run, names):
    times, device, stage = run
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "weir.run/1", "unit": "ns", "labels": {"gpu": "simulated"},
                   "stages": {"decode": [round(value) for value in stage]},
                   "device": {"decode": [round(value) for value in device]},
                   "operators": {f"decode/{name}": [round(value) for value in row] for name, row in zip(names, times)},
                   "calls": {f"decode/{name}": [4 + i % 7] * SAMPLES for i, name in enumerate(names)}}, file)


NOISE = {"run": 0.003, "operator": 0.004, "within": 0.02}


def draw_case(draws, case):
    """Returns levels, the names on both sides, the factors of the candidate, and the scopes that slowed down."""
    count = case["operators"]
    levels = [math.exp(draws.gauss(math.log(12e3), 0.9)) for _ in range(count)]
    names = ["op" + "".join(chr(ord("a") + i // 26**digit % 26) for digit in range(3)) for i in range(count)]
    factors = [case.get("all", 1.0)] * count
    by_level = sorted(range(count), key=lambda i: -levels[i])
    chosen = by_level[:case["largest"]] if "largest" in case else draws.sample(range(count), case.get("slow", 0))
    for i in chosen:
        factors[i] *= case["factor"]
    after = [f"triton_{name}" for name in names] if case.get("renamed") else names
    return levels, names, after, factors, [f"operator:decode/{names[i]}" for i in sorted(chosen, key=lambda i: -levels[i])]


def play(weir, draws, folder, case):
    """Returns the scopes of the findings and those that are right, in any order."""
    levels, before, after, factors, expected = draw_case(draws, case)
    sides = []
    for side, (names, slow) in enumerate(((before, [1.0] * len(levels)), (after, factors))):
        paths = []
        for i in range(case["runs"][side]):
            paths.append(os.path.join(folder, f"{'bc'[side]}{i}.json"))
            write_run(paths[-1], draw_run(draws, levels, slow), names)
        sides.append(paths)
    command = [weir, "compare", "--base", *sides[0], "--head", *sides[1], "-f", "json"]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found = [finding["scope"] for finding in result["findings"]]
    return found, ["all-operators"] if "all" in case else expected


CASES = {
    "nothing changed": {"operators": 200, "runs": (5, 3)},
    "one of 200 slower by 10 %": {"operators": 200, "runs": (5, 3), "slow": 1, "factor": 1.10},
    "two of 200 slower by 10 %": {"operators": 200, "runs": (5, 3), "slow": 2, "factor": 1.10},
    "the largest of 8 slower by 30 %, and so the stage": {"operators": 8, "runs": (5, 3), "largest": 1, "factor": 1.30},
    "the two largest of 8 slower by 30 %": {"operators": 8, "runs": (5, 3), "largest": 2, "factor": 1.30},
    "all 200 slower by 8 %": {"operators": 200, "runs": (5, 3), "all": 1.08},
    "all 16 slower by 8 %": {"operators": 16, "runs": (5, 3), "all": 1.08},
    "all 16 slower by 8 %, 10 against 5": {"operators": 16, "runs": (10, 5), "all": 1.08},
    "all 16 renamed": {"operators": 16, "runs": (5, 3), "renamed": True},
    "all 16 renamed, one slower by 10 %": {"operators": 16, "runs": (5, 3), "renamed": True, "slow": 1, "factor": 1.10},
}


def wilson(hits, count):
    """Returns the 95 % interval of a share, in per cent."""
    z, share = 1.96, hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return 100 * (middle - half), 100 * (middle + half)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weir")
    parser.add_argument("--gates", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true", help="show the findings of gates that are wrong")
    given = parser.parse_args()
    print("| case | runs | gates | right, % | 95 % interval |\n|---|---|--:|--:|---|")
    for number, (name, case) in enumerate(CASES.items()):
        if given.only not in name:
            continue
        draws, hits = random.Random(given.seed + number), 0
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(given.gates):
                found, expected = play(given.weir, draws, folder, case)
                hits += sorted(found) == sorted(expected)
                if sorted(found) != sorted(expected) and given.verbose:
                    print("  found", found[:6], len(found), "expected", expected)
        low, high = wilson(hits, given.gates)
        print(f"| {name} | {case['runs']} | {given.gates} | {100 * hits / given.gates:.0f} | {max(low, 0):.0f} .. {high:.0f} |",
              flush=True)


if __name__ == "__main__":
    main()
