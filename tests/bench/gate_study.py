#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""gate_study.py WEIR [--part alarms|power|single|follow|sessions|drift|all] [--gates N] [--seed N] [--only TEXT]: measures how often the gate
is wrong and how often it sees a change, on simulated runs.

Each gate draws its own runs from a family, writes them as weir.run/1 files, and reads the rows of `weir compare -f json`. The table
gives the share of gates in per cent and its 95 % interval (Wilson). Needs numpy. docs/statistics.md quotes its figures."""

import argparse
import collections
import json
import math
import os
import subprocess
import tempfile

import numpy

SCALE_NS = (600e3, 3.4e6, 570e3, 200e3)  # typical medians of stages; further stages repeat them
SLOW_MODE = math.log(1.08)  # a run in the other mode of a family is 8 % slower
TARGET = 2  # index of the stage that gets slower


def family(sd, **more):
    """Returns a family of runs. sd: between runs; the other keys: see draw_run()."""
    known = {
        "samples": 300, "within": 0.03, "correlation": 0.3, "tail": 0.02, "factor": 1.5, "pareto": False, "varying": 0,
        "slow": 0, "heavy": False, "unequal": False, "common": 0, "drift": 0, "effect": 0, "tail_effect": 0, "stages": 4,
    }
    return {**known, "sd": sd, **more}


FAMILIES = {
    "sd 0 %": family(0), "sd 0.5 %": family(0.005), "sd 1 %": family(0.01), "sd 2 %": family(0.02), "sd 3 %": family(0.03),
    "sd 5 %": family(0.05),
    "correlated iterations": family(0.01, correlation=0.98, within=0.05),
    "Pareto tail 3 %": family(0.01, tail=0.03, pareto=True),
    "tail rate varies": family(0.01, varying=0.7, factor=2),
    "10 % of runs 8 % slower": family(0.005, slow=0.1),
    "30 % of runs 8 % slower": family(0.005, slow=0.3),
    "t(3) between runs": family(0.01, heavy=True),
    "sd 0.5 to 3 %, by stage": family(0.03, unequal=True),
    "stages move together": family(0.005, common=0.02),
    "tail of 1 %, x 1.5": family(0.01, tail=0.01),
    "tail of 1 %, x 3": family(0.01, tail=0.01, factor=3),
    "1,000 against 200 samples": family(0.01, samples=(1000, 200), tail=0.03, pareto=True),
    "drift 1 %": family(0.005, drift=0.01), "drift 2 %": family(0.005, drift=0.02), "drift 3 %": family(0.005, drift=0.03),
}


def draw_samples(random, one, side):
    """Draws the iterations of one stage, of median 1: correlated, log-normal, with a tail."""
    count = one["samples"][side] if isinstance(one["samples"], tuple) else one["samples"]
    steps = random.standard_normal(count)
    rho = one["correlation"]
    if rho:
        steps[1:] *= math.sqrt(1 - rho * rho)
        for i in range(1, count):
            steps[i] += rho * steps[i - 1]
    rate = one["tail"] * (math.exp(one["varying"] * random.standard_normal()) if one["varying"] else 1)
    hit = random.random(count) < min(rate, 0.5)
    values = numpy.exp(one["within"] * steps)
    values[hit] *= 1 + random.pareto(1.5, hit.sum()) if one["pareto"] else one["factor"]
    return values


def draw_run(random, one, side, drift):
    """Draws a run: {stage: iterations in ns}. side: 0 baseline, 1 candidate."""
    shared = SLOW_MODE if one["slow"] and random.random() < one["slow"] else 0
    shared += one["common"] * random.standard_normal() + drift * side
    stages = {}
    for index in range(one["stages"]):
        noise = random.standard_t(3) if one["heavy"] else random.standard_normal()
        share = (1, 1 / 6, 1 / 2, 1 / 3)[index % 4] if one["unequal"] else 1
        values = draw_samples(random, one, side) * SCALE_NS[index % 4] * math.exp(shared + one["sd"] * share * noise)
        if side and index == min(TARGET, one["stages"] - 1):
            values *= 1 + one["effect"]
            if one["tail_effect"]:
                values[random.random(len(values)) < 0.04] *= one["tail_effect"]
        stages[f"stage{index:03d}"] = values
    return stages


class Gate:
    """Runs gates in a separate folder."""

    def __init__(self, weir, folder, seed):
        self.weir, self.folder, self.random = weir, folder, numpy.random.default_rng(seed)

    def write(self, name, stages, session=None):
        path = os.path.join(self.folder, name)
        series = {stage: values.round().astype(int).tolist() for stage, values in stages.items()}
        with open(path, "w", encoding="utf-8") as file:
            labels = {"gpu": "simulated", **({"session": session} if session else {})}
            json.dump({"schema": "weir.run/1", "unit": "ns", "labels": labels, "stages": series}, file)
        return path

    def runs(self, one, side, count, drift=0):
        return [self.write(f"{'bc'[side]}{i}.json", draw_run(self.random, one, side, drift)) for i in range(count)]

    def compare(self, before, after):
        command = [self.weir, "compare", "--base", *before, "--head", *after, "-f", "json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def play(self, one, baseline, candidate):
        drift = one["drift"] * self.random.standard_normal() if one["drift"] else 0
        return self.compare(self.runs(one, 0, baseline), self.runs(one, 1, candidate, drift))


def wilson(hits, count):
    """Returns the 95 % interval of a share, in per cent."""
    z, share = 1.96, hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return 100 * (middle - half), 100 * (middle + half)


def show(name, runs, hits, count, note=""):
    low, high = wilson(hits, count)
    print(f"| {name} | {runs} | {count} | {100 * hits / count:.1f} | {max(low, 0):.1f} .. {high:.1f} |{note}", flush=True)


def has(result, outcomes, scope=None):
    return any(row["outcome"] in outcomes and scope in (None, row["scope"]) for row in result["rows"])


def target_of(one):
    return f"stage:stage{min(TARGET, one['stages'] - 1):03d}"


def many(stages):
    return family(0.01, stages=stages, samples=100, correlation=0)


def alarms(gate, gates, only):
    cells = [(name, one, runs) for name, one in FAMILIES.items() for runs in ((5, 3), (8, 3), (10, 5))]
    cells += [(f"{stages} stages", many(stages), runs) for stages in (1, 20, 100, 500) for runs in ((5, 3), (8, 3), (10, 5))]
    for name, one, runs in cells:
        if only in name:
            few = gates if one["stages"] <= 20 else max(gates // 4, 20)
            show(name, runs, sum(has(gate.play(one, *runs), ("regression",)) for _ in range(few)), few)


POWER = [
    (family(0.02, effect=0.05), (10, 5)), (family(0.01, effect=0.05), (5, 3)), (family(0.01, effect=0.05), (8, 3)),
    (family(0.03, effect=0.06), (5, 3)), (family(0.03, effect=0.06), (10, 5)), (family(0.03, effect=0.06), (10, 10)),
    (family(0.03, effect=0.06), (20, 20)), (family(0.05, effect=0.10), (10, 5)), (family(0.05, effect=0.10), (20, 20)),
    (family(0.005, effect=0.02), (8, 3)), (family(0.005, effect=0.03), (8, 3)),
    *((family(sd, tail_effect=1.5, tail=0.002), runs) for sd in (0.005, 0.02) for runs in ((5, 3), (10, 5))),
]


def power(gate, gates, only):
    for one, runs in POWER:
        change = "4 % of iterations x 1.5" if one["tail_effect"] else f"+{100 * one['effect']:g} %"
        name = f"sd {100 * one['sd']:g} %, {change}"
        if only in name:
            show(name, runs, sum(has(gate.play(one, *runs), ("regression",), target_of(one)) for _ in range(gates)), gates)


def single(gate, gates, only):
    cells = list(FAMILIES.items()) + [(f"{stages} stages", many(stages)) for stages in (1, 20, 100, 500)]
    cells += [(f"{stages} stages, t(3)", {**many(stages), "heavy": True}) for stages in (20, 100, 500)]
    for name, one in cells:
        if only in name:
            few = gates if one["stages"] <= 20 else max(gates // 4, 20)
            show(name, (10, 1), sum(has(gate.play(one, 10, 1), ("suspect",)) for _ in range(few)), few)


def follow(gate, gates, only):
    """Follows "N more runs would show X": new gates of N candidates with that change."""
    for sd in (0.015, 0.02, 0.025):
        one, found, tried = family(sd), 0, 0
        for _ in range(gates if only in "follow" else 0):
            before = gate.runs(one, 0, 5)
            row = next(
                row for row in gate.compare(before, gate.runs(one, 1, 3))["rows"]
                if row["scope"] == target_of(one) and row["metric"] == "p50"
            )
            needed, wanted = row["runs_needed"], 2 * row["margin"]
            if row["outcome"] != "inconclusive" or not needed or needed <= 3 or row["mde"] <= wanted:
                continue
            tried += 1
            found += has(gate.play({**one, "effect": wanted}, 5, int(needed)), ("regression",), target_of(one))
        if tried:
            show(f"sd {100 * sd:g} %, promised 80 %", "(5, N)", found, tried)


def write_jobs(gate, one, sides, each, session_sd, apart, first):
    """Measures one job after the other: sides[job] lists the sides that the job measures, each time `each` runs. Returns the
    paths of both sides. apart: each stage has its own deviation in a job, else all share it."""
    paths = ([], [])
    for job, measured in enumerate(sides):
        shifts = gate.random.standard_normal(one["stages"]) if apart else [gate.random.standard_normal()] * one["stages"]
        for side in measured:
            for run in range(each):
                stages = draw_run(gate.random, one, side, 0)
                moved = {name: values * math.exp(session_sd * shift) for (name, values), shift in zip(stages.items(), shifts)}
                paths[side].append(gate.write(f"{side}-{job}-{run}.json", moved, f"{first}{job}"))
    return paths


def sessions(gate, gates, only):
    """Jobs of several runs: a deviation of the job beside that of the run."""
    quick, cells = {"samples": 100, "correlation": 0}, []
    for jobs in (1, 2, 4, 6, 10):
        for apart in (False, True):
            shape = "stages apart" if apart else "stages together"
            cells.append((f"{jobs} jobs against 1, {shape}", family(0.005, **quick), [[0]] * jobs + [[1]], 3, 0.02, apart))
    cells += [
        ("4 jobs against 1, job sd 0 %", family(0.01, **quick), [[0]] * 4 + [[1]], 3, 0, True),
        ("6 interleaved, unchanged", family(0.005, **quick), [[0, 1]] * 6, 1, 0.02, False),
        ("6 interleaved, +5 %", family(0.005, effect=0.05, **quick), [[0, 1]] * 6, 1, 0.02, False),
        ("6 interleaved, run sd 1 %, +5 %", family(0.01, effect=0.05, **quick), [[0, 1]] * 6, 1, 0.02, False),
        ("1 job interleaved, unchanged", family(0.005, **quick), [[0, 1]], 5, 0.02, False),
        ("1 job interleaved, +5 %", family(0.005, effect=0.05, **quick), [[0, 1]], 5, 0.02, False),
        ("4 jobs against 1, job sd 0 %, +10 %", family(0.01, effect=0.1, **quick), [[0]] * 4 + [[1]], 3, 0, True),
        ("6 jobs against 3, job sd 1 %, +10 %", family(0.005, effect=0.1, **quick), [[0]] * 6 + [[1]] * 3, 3, 0.01, True),
    ]
    for name, one, sides, each, session_sd, apart in cells:
        if only not in name:
            continue
        red = open_with_reason = 0
        for _ in range(gates):
            result = gate.compare(*write_jobs(gate, one, sides, each, session_sd, apart, "job"))
            scope = target_of(one) if one["effect"] else None
            red += has(result, ("regression",), scope)
            open_with_reason += result["verdict"] == "inconclusive" and any(row.get("reason") == "sessions" for row in result["rows"])
        show(name, f"{each} a job", red, gates, f" inconclusive, by sessions: {100 * open_with_reason / gates:.1f} |")


def play_history(gate, sd, step, changes, first=8, each=3):
    """Gates changes of `step` one after the other, recording each that passes; returns the number of the first red gate and its
    cumulative change, or None."""
    database = os.path.join(gate.folder, "history.db")
    if os.path.exists(database):
        os.unlink(database)

    def act(command, level, count):
        one = family(sd, samples=60, correlation=0, tail=0)
        paths = []
        for run in range(count):
            stages = {name: values * level for name, values in draw_run(gate.random, one, 0, 0).items()}
            paths.append(gate.write(f"h{run}.json", stages))
        return subprocess.run([gate.weir, *command, *paths, "--db", database], capture_output=True, check=False, text=True), paths

    act(["baseline", "record", "--name", "main"], 1, first)
    for change in range(1, changes + 1):
        level = (1 + step) ** change
        result, paths = act(["gate", "--baseline", "main"], level, each)
        if result.returncode == 1:
            return change, 100 * (level - 1), "drift" in result.stdout
        subprocess.run([gate.weir, "baseline", "record", "--name", "main", *paths, "--db", database], capture_output=True, check=True)
    return None


def drift(gate, gates, only):
    """Histories: changes of +1 % that are accepted one by one, and unchanged ones of 200 runs. The fourth change passes 4 % (+4.06 %)."""
    few = max(gates // 10, 10)
    for sd in (0.003, 0.01):
        name = f"20 changes of +1 %, sd {100 * sd:g} %: red when 4 % is passed"
        if only in name:
            found = [play_history(gate, sd, 0.01, 20) for _ in range(few)]
            first = collections.Counter(f"+{one[1]:.2f} %" if one else "never" for one in found)
            show(name, "8, then 3 each", sum(bool(one) and 1.01 ** (one[0] - 1) < 1.04 for one in found), few, f" first red at {dict(first)} |")
        name = f"200 unchanged runs, sd {100 * sd:g} %: red"
        if only in name:
            found = [play_history(gate, sd, 0, 64) for _ in range(few)]
            show(name, "8, then 3 each", sum(bool(one) and one[2] for one in found), few, " by drift |")


PARTS = {"alarms": alarms, "power": power, "single": single, "follow": follow, "sessions": sessions, "drift": drift}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--gates", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cells whose name contains this")
    options = parser.parse_args()
    for index, (name, part) in enumerate(PARTS.items()):
        if options.part in (name, "all"):
            print(f"\n{name}\n\n| case | runs | gates | % | 95 % interval |\n|---|---|--:|--:|---|", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                part(Gate(options.weir, folder, options.seed + index), options.gates, options.only)


if __name__ == "__main__":
    main()
