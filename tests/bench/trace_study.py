#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""trace_study.py WEIR FOLDER [--gates N] [--seed N] [--slow OPERATOR] [--by FACTOR]: draws gates from real traces of one program.

FOLDER holds a trace of each run, all of the same code on one machine. Each gate draws its baseline and its candidate without
replacement. With --slow (as `decode/aten::mm`) the operator takes FACTOR times as long in the candidates, and so does its part of
the stage's device time. The table gives the share of gates that were red, for --slow those with a finding of that stage or
operator, and its 95 % interval (Wilson)."""

import argparse
import collections
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

SIZES = ((5, 3), (8, 3), (10, 5))


def convert(weir, folder, out):
    """Converts each trace to a run; returns their paths."""
    runs = []
    for trace in sorted(pathlib.Path(folder).iterdir()):
        run = out / f"run-{len(runs)}.json"
        subprocess.run([weir, "convert", "-q", trace, "-o", run], check=True)
        runs.append(run)
    return runs


def slowed(path, operator, factor):
    """Writes a copy of the run in which the operator takes longer; returns its path."""
    run = json.loads(path.read_text())
    stage = operator.split("/")[0]
    more = statistics.median(run["operators"][operator]) * (factor - 1)
    run["operators"][operator] = [round(value * factor) for value in run["operators"][operator]]
    run["device"][stage] = [round(value + more) for value in run["device"][stage]]
    copy = path.with_suffix(".slow.json")
    copy.write_text(json.dumps(run))
    return copy


def gate(weir, baseline, candidate):
    """Returns the exit code of a gate, and the scopes of its findings."""
    with tempfile.TemporaryDirectory() as folder:
        store = ["--db", f"{folder}/runs.db"]
        subprocess.run([weir, "baseline", "record", "-q", *baseline, "--name", "main", *store], check=True, capture_output=True)
        done = subprocess.run([weir, "gate", "-q", *candidate, "--baseline", "main", *store, "-f", "json"],
                              check=False, capture_output=True)
    return done.returncode, [finding["scope"] for finding in json.loads(done.stdout)["findings"]]


def wilson(count, total):
    """Returns the 95 % interval of a share in per cent."""
    share, z = count / total, 1.959964
    middle, half = share + z * z / (2 * total), z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return 100 * (middle - half) / (1 + z * z / total), 100 * (middle + half) / (1 + z * z / total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("folder")
    parser.add_argument("--gates", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow")
    parser.add_argument("--by", type=float, default=1.03)
    args = parser.parse_args()
    draws = random.Random(args.seed)
    print("| runs | gates | red, % | 95 % interval | exit codes |\n|---|--:|--:|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        runs = convert(args.weir, args.folder, pathlib.Path(folder))
        after = {run: slowed(run, args.slow, args.by) if args.slow else run for run in runs}
        for before, count in SIZES:
            codes, red = collections.Counter(), 0
            for _ in range(args.gates):
                drawn = draws.sample(runs, before + count)
                code, scopes = gate(args.weir, drawn[:before], [after[run] for run in drawn[before:]])
                codes[code] += 1
                wanted = (f"operator:{args.slow}", f"device:{args.slow.split('/')[0]}") if args.slow else scopes
                red += code == 1 and any(scope in wanted for scope in scopes)
            low, high = wilson(red, args.gates)
            print(f"| ({before}, {count}) | {args.gates} | {100 * red / args.gates:.1f} | {low:.1f} to {high:.1f} | {dict(codes)} |", flush=True)


if __name__ == "__main__":
    main()
