#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""growth.py WEIR [--quick] [--only SHAPE...]: bounds the growth of time and memory of weir with the size of its input.

A shape of input grows until a run takes 0.15 s of the processor, its input has 64 MB or weir's own limit is near. Then the runs of n and 2n
are compared, the least of three each, interleaved; rounds are added while the ratio is above the bound. Time and memory
count beyond those of an empty run. If memory alone is above the bound and below 32 MB, the next doubling decides. Each shape is a row:
n, milliseconds and megabytes at n, and both ratios. Ends with 1 if one is above 2.3, or if a run does not end with the expected
exit code.

  --quick        few shapes at fixed sizes, 4n against n, bound 5.5
  --only SHAPE   shapes whose names begin with SHAPE; may be repeated
  --list         prints the shapes and what grows in them
  --selftest     shows, with a program that is not weir, what is refused"""
import argparse
import importlib
import os
import pathlib
import sys
import tempfile

import measure
from shape import Shape, classify, write

BOUND, QUICK_BOUND = 2.3, 5.5
WANTED_S = 0.15  # of the processor, at n
MAX_BYTES = 64 << 20  # of the input at n
ROUNDS, MORE_ROUNDS = 3, 5
# Smaller costs say nothing about growth: buffers and pages that are touched once, ticks of the clock.
LEAST_S, LEAST_BYTES = 0.02, 4 << 20
STEP_BYTES = 32 << 20  # beyond an empty run; below it, steps of whole pages hide how memory grows

here = pathlib.Path(__file__).resolve().parent


def shapes_of(only):
    """Returns the shapes of all modules, or those whose names begin with one of `only`."""
    found = []
    for path in sorted(here.glob("shapes_*.py")):
        found += importlib.import_module(path.stem).SHAPES
    names = [shape.name for shape in found]
    assert len(set(names)) == len(names), "two shapes have one name"
    for prefix in only:
        if not any(name.startswith(prefix) for name in names):
            sys.exit(f"growth.py: no shape begins with {prefix}")
    return [shape for shape in found if not only or shape.name.startswith(tuple(only))]


class Bench:
    """The program and what its runs share."""

    def __init__(self, program, work, quick=False):
        self.program, self.work, self.quick = program, work, quick
        self.bound, self.times, self.rounds = (QUICK_BOUND, 4, (2, 8)) if quick else (BOUND, 2, (ROUNDS, ROUNDS + MORE_ROUNDS))
        self.launcher = measure.Launcher()
        self.processors, self.turn = sorted(os.sched_getaffinity(0)), 0
        self.empty = self.empty_run(empty_trace)
        self.empty_of = {"convert": self.empty_run(empty_table)}

    def next_processor(self, parallel=False):
        """Gives the next runs another processor: one, so that time and memory do not depend on what else runs; all if `parallel`."""
        self.turn += 1
        one = {self.processors[self.turn % len(self.processors)]}
        os.sched_setaffinity(self.launcher.pid(), self.processors if parallel else one)

    def input(self, shape, n):
        return measure.Input(self.launcher, self.program, shape, n, self.work)

    def empty_run(self, make):
        """Returns the cost of a run whose input holds next to nothing."""
        self.next_processor()
        files = self.input(Shape("empty", "nothing", make, 1), 1)
        cost = least([files.measure() for _ in range(5)])
        files.remove()
        return cost


def empty_trace(_, folder):
    write(folder, "empty.json", ['{"schemaVersion": 1, "traceEvents": [',
                                 '{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}'])
    return classify("empty.json")


def empty_table(_, folder):
    write(folder, "empty.csv", ["name,value,unit\n", "a,1,us\n"])
    return [["convert", "-q", "{}/empty.csv", "-o", "{}/fresh.json"]]


class Row:
    """The result of one shape; `empty` is the cost of an empty run of its command."""

    def __init__(self, shape, empty):
        self.shape, self.empty, self.n = shape, empty, 0
        self.small, self.large, self.note, self.why = None, None, "", ""

    def ratios(self):
        """Returns how often the cost beyond an empty run fits into that of the larger input: time, memory."""
        def beyond(cost):
            return max(cost.seconds - self.empty.seconds, LEAST_S), max(cost.peak - self.empty.peak, LEAST_BYTES)
        (small_s, small_bytes), (large_s, large_bytes) = beyond(self.small), beyond(self.large)
        return large_s / small_s, large_bytes / small_bytes

    def text(self):
        if self.why:
            return f"{self.shape.name:34} {self.n:9}  FAILED: {self.why}"
        time, memory = self.ratios()
        return (f"{self.shape.name:34} {self.n:9} {1000 * self.small.seconds:8.0f} {self.small.peak / 1e6:8.1f} {time:6.2f} {memory:6.2f}"
                f"  {self.note}").rstrip()


def least(costs):
    return measure.Cost(min(cost.seconds for cost in costs), min(cost.peak for cost in costs))


def grow(bench, shape, row):
    """Returns an input that is large enough to be measured."""
    n = min(shape.first, shape.limit // 2) if shape.limit else shape.first
    while True:
        row.n = n
        files = bench.input(shape, n)
        try:
            seconds = files.measure().seconds - bench.empty.seconds
            if seconds >= WANTED_S:
                seconds = min(seconds, files.measure().seconds - bench.empty.seconds)
        except BaseException:
            files.remove()
            raise
        if seconds >= WANTED_S:
            return files
        if files.bytes >= MAX_BYTES:
            row.note = "64 MB of input"
            return files
        if shape.limit and n >= shape.limit // 2:
            row.note = f"limit: {shape.of_limit}"
            return files
        files.remove()
        n *= 4 if seconds < WANTED_S / 5 and files.bytes < MAX_BYTES / 4 else 2
        n = min(n, shape.limit // 2) if shape.limit else n


def compare(bench, row, small, large):
    """Measures both inputs by turns into the row, until both ratios are below the bound or the rounds are used up."""
    costs = [], []
    row.why = ""
    for done in range(1, bench.rounds[1] + 1):
        bench.next_processor(row.shape.parallel)
        for files, list_of in zip((small, large), costs):
            list_of.append(files.measure())
        row.small, row.large = least(costs[0]), least(costs[1])
        if done >= bench.rounds[0] and max(row.ratios()) < bench.bound:
            return
    row.why = "time and memory grow by %.2f and %.2f for %d times the input, at %.0f ms and %.1f MB" % (
        *row.ratios(), bench.times, 1000 * row.small.seconds, row.small.peak / 1e6)


def is_step(bench, row, large):
    """Returns whether memory alone is above the bound while it is small, and a larger input can show whether it goes on growing so.
    A table that passes 1 MB lies in whole pages of 2 MB, and several tables pass it at one size."""
    time, memory = row.ratios()
    return (not bench.quick and row.why and time < bench.bound <= memory and row.small.peak - row.empty.peak < STEP_BYTES
            and large.bytes <= MAX_BYTES and not (row.shape.limit and 4 * row.n > row.shape.limit))


def study(bench, shape):
    """Measures one shape; returns its row."""
    row, small, large = Row(shape, bench.empty), None, None
    bench.next_processor(shape.parallel)
    try:
        if bench.quick:
            row.n = shape.quick
            small = bench.input(shape, row.n)
        else:
            small = grow(bench, shape, row)
        row.empty = bench.empty_of.get(small.command[len(bench.program)], bench.empty)
        large = bench.input(shape, row.n * bench.times)
        compare(bench, row, small, large)
        while is_step(bench, row, large):
            small.remove()
            row.n, small, large = row.n * bench.times, large, None
            large = bench.input(shape, row.n * bench.times)
            compare(bench, row, small, large)
    except measure.Failed as why:
        row.why = str(why)
    for files in (small, large):
        if files:
            files.remove()
    return row


def study_all(program, shapes, quick=False):
    """Prints a row for each shape; returns the rows."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="growth-") as work:
        bench = Bench(program, work, quick)
        print(f"{'shape':34} {'n':>9} {'ms':>8} {'MB':>8} {'time':>6} {'memory':>6}")
        for shape in shapes:
            rows.append(study(bench, shape))
            print(rows[-1].text(), flush=True)
        bench.launcher.close()
    failed = [row.shape.name for row in rows if row.why]
    print(f"{len(rows)} shapes, {len(failed)} failed{': ' if failed else ''}{', '.join(failed)}")
    return rows


def selftest():
    """Measures a program of known growth, in fewer rounds since most of it is refused after the last one; returns whether exactly the
    right shapes are refused."""
    global MORE_ROUNDS
    MORE_ROUNDS = 2
    def make_for(kind):
        def make(n, _):
            return [[kind, str(n)]]
        return make
    program = [sys.executable, str(here / "known_growth.py")]
    wanted = {"linear": "", "quadratic": "time and memory grow", "hungry": "time and memory grow", "refusing": "exit code 5",
              "killed": "more than"}
    first = {"linear": 40000, "quadratic": 800, "hungry": 2000, "refusing": 1, "killed": 1}
    measure.MAX_CPU_S = 3
    rows = study_all(program, [Shape(kind, "a number", make_for(kind), first[kind]) for kind in wanted])
    right = all(row.why.startswith(wanted[row.shape.name]) and bool(row.why) == bool(wanted[row.shape.name]) for row in rows)
    print("selftest passed" if right else "selftest FAILED")
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir", nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", action="extend", default=[], metavar="SHAPE")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    args = parser.parse_args()
    if args.selftest:
        sys.exit(0 if selftest() else 1)
    shapes = [shape for shape in shapes_of(args.only) if shape.quick or not args.quick]
    if args.list:
        for shape in shapes:
            print(f"{shape.name:34} {shape.grows}")
        return
    if not args.weir:
        parser.error("WEIR is missing")
    rows = study_all([os.path.abspath(args.weir)], shapes, args.quick)
    sys.exit(1 if any(row.why for row in rows) else 0)


if __name__ == "__main__":
    main()
