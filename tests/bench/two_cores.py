#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""two_cores.py WEIR TRACE... [--rounds N] [--cores A,B] [--least RATIO] [--most-mb MB]: measures how much faster weir classify
is on two cores than on one.

A round runs the program on core A, on both, on core B and on both again, so that a load which comes and goes meets both sides.
Prints, for each trace, the medians, lower quartiles and fastest runs of both sides with their ratios, processor time, and the
most memory of a run on two cores. Fails if the ratio of the medians is below RATIO or the memory above MB."""

import argparse
import os
import statistics
import subprocess
import sys
import time


def run(weir, trace, cores):
    """Classifies on these cores; returns the seconds of wall time and of processors, and the most memory in MB."""
    began = time.monotonic()
    child = subprocess.Popen(["taskset", "-c", cores, weir, "classify", "-q", trace, "-f", "json"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"weir classify {trace} ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(weir, trace, cores, rounds):
    """Returns the runs on one core, those on both, and the ratio of each round."""
    one, both, ratios = [], [], []
    for _ in range(rounds):
        first, second, third, fourth = (run(weir, trace, c) for c in (cores[0], ",".join(cores), cores[1], ",".join(cores)))
        one += [first, third]
        both += [second, fourth]
        ratios.append((first[0] + third[0]) / (second[0] + fourth[0]))
    return one, both, ratios


def figures(runs):
    times = sorted(r[0] for r in runs)
    return statistics.median(times), times[len(times) // 4], times[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--cores", default="0,1")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--most-mb", type=float, default=float("inf"))
    args = parser.parse_args()
    cores = args.cores.split(",")
    if len(cores) != 2 or args.rounds < 1:
        parser.error("two cores and at least one round are needed")
    failed = False
    for trace in args.traces:
        one, both, ratios = measure(args.weir, trace, cores, args.rounds)
        memory = max(r[2] for r in both)
        print(f"{trace}: {len(one)} runs on one core, {len(both)} on two")
        for name, a, b in zip(("median", "lower quartile", "fastest"), figures(one), figures(both)):
            print(f"  {name}: {a:.2f} s against {b:.2f} s, {a / b:.2f} times")
        print(f"  median of the rounds' ratios: {statistics.median(ratios):.2f}")
        cpu = [statistics.median(r[1] for r in runs) for runs in (one, both)]
        print(f"  processor time: {cpu[0]:.2f} s against {cpu[1]:.2f} s; memory on two cores: {memory:.0f} MB", flush=True)
        failed |= figures(one)[0] / figures(both)[0] < args.least or memory > args.most_mb
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
