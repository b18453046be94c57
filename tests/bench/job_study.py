#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""job_study.py WEIR MAKE_JOB TRACE [--ranks N] [--seeds N] [--first SEED] [--slow-nodes N] [--slow-ranks N] [--slow-links N]:
counts in how many simulated jobs weir names the slow nodes, ranks and links, and nothing else.

MAKE_JOB is bench_make_job, which makes the parts of a job from TRACE and prints what it slowed down. A job without slow nodes,
ranks and links is right if nothing stands out. Prints, for each job, the time and memory of weir merge as well."""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def merge(weir, folder, report):
    """Merges the parts; returns the seconds of wall time and of processors, and the most memory in MB."""
    parts = sorted(folder.glob("*.part"))
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen([weir, "merge", "-q", *parts, "--expect", str(len(parts)), "-o", report])
    _, status, usage = os.wait4(child.pid, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status != 0:
        sys.exit(f"weir merge ended with {os.waitstatus_to_exitcode(status)}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, cpu, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("make_job")
    parser.add_argument("trace")
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    for name in ("--slow-nodes", "--slow-ranks", "--slow-links"):
        parser.add_argument(name, type=int, default=0)
    parser.add_argument("--fast", action="store_true", help="compress the parts less, to make them sooner")
    args = parser.parse_args()
    right, largest = 0, 0
    print("| seed | right | missed | named without cause | wall, s | processors, s | memory, MB |\n|--:|---|---|---|--:|--:|--:|")
    for seed in range(args.first, args.first + args.seeds):
        folder = pathlib.Path(tempfile.mkdtemp())
        made = subprocess.run(
            [args.make_job, args.trace, folder, "--ranks", str(args.ranks), "--seed", str(seed), "--slow-nodes", str(args.slow_nodes),
             "--slow-ranks", str(args.slow_ranks), "--slow-links", str(args.slow_links)]
            + (["--fast"] if args.fast else []), check=True, capture_output=True, text=True)
        truth = set(made.stdout.split("\n")) - {""}
        largest = max([largest, *(part.stat().st_size for part in folder.glob("*.part"))])
        wall, cpu, memory = merge(args.weir, folder, folder / "report.json")
        job = json.loads((folder / "report.json").read_text()).get("job") or {"worst": []}
        named = {row["name"] for row in job["worst"]}
        right += named == truth
        print(f"| {seed} | {'yes' if named == truth else 'no'} | {', '.join(sorted(truth - named)) or '-'} | "
              f"{', '.join(sorted(named - truth)) or '-'} | {wall:.1f} | {cpu:.1f} | {memory:.0f} |", flush=True)
        shutil.rmtree(folder)
    print(f"\n{right} of {args.seeds} right; the largest part has {largest:,} bytes")


if __name__ == "__main__":
    main()
