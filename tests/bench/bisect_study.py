#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bisect_study.py WEIR [--histories N] [--commits N] [--step SHARE] [--noise SHARE] [--seed N] [--show]: measures how often
`weir bisect` names the right commit, and in how many runs.

Each history is a git repository with one commit after another. From a random one on, the stage `decode` is slower by the
step (0: never, and a refusal is right). The measured command is this file with --measure: it draws the deviation of the run
from a normal distribution and writes a weir.run/1 file. docs/statistics.md quotes the result."""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

SAMPLES = 60  # iterations of a run
WITHIN = 0.02  # deviation of the iterations of a run


def measure(noise, counter, seed):
    """Writes one run of the version in the current folder. counter: a file that gets a byte per run."""
    with open(counter, "ab") as file:
        file.write(b".")
        number = file.tell()
    with open("cost", encoding="utf-8") as file:
        cost = float(file.read())
    draw = random.Random(f"{seed} {number}")
    stages = {}
    for name, level in (("prefill", 3.4e6), ("decode", 5.7e5 * cost)):
        level *= 1 + noise * draw.gauss(0, 1)
        stages[name] = [round(level * (1 + WITHIN * draw.gauss(0, 1))) for _ in range(SAMPLES)]
    with open(os.environ["WEIR_RUN"], "w", encoding="utf-8") as file:
        json.dump({"schema": "weir.run/1", "unit": "ns", "labels": {"gpu": "simulated"}, "stages": stages}, file)


def make_history(folder, commits, first_bad, step):
    """Makes a repository whose commits are called c0, c1 and so on."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    lines = []
    for index in range(commits):
        cost = f"{1 + step if index >= first_bad else 1}\n"
        subject = f"c{index}"
        lines += [f"commit refs/heads/study\ncommitter Study <study@example.org> {1700000000 + index} +0000",
                  f"data {len(subject)}\n{subject}", f"M 100644 inline cost\ndata {len(cost)}\n{cost}"]
    subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input="\n".join(lines) + "\n", text=True, check=True)


def play(options, index, folder):
    """Bisects one history. Returns the kind of the answer and the number of runs."""
    first_bad = random.Random(f"{options.seed} {index}").randrange(1, options.commits)
    repository, counter = os.path.join(folder, "repository"), os.path.join(folder, f"runs-{options.seed}-{index}")
    os.mkdir(repository)
    make_history(repository, options.commits, first_bad, options.step)
    command = [os.path.abspath(options.weir), "bisect", f"study~{options.commits - 1}", "study", "--", sys.executable, "-I", "-S",
               os.path.abspath(__file__), "--measure", str(options.noise), counter, f"{options.seed} {index}"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    left = subprocess.run(["git", "worktree", "list"], cwd=repository, capture_output=True, text=True, check=True).stdout
    if left.count("\n") != 1:
        sys.exit(f"a worktree was left behind:\n{left}")
    if options.show:
        print(done.stderr, done.stdout, sep="", flush=True)
    if done.returncode == 0:
        named = done.stdout.splitlines()[0].rsplit(" ", 1)[1]
        kind = "right" if options.step and named == f"c{first_bad}" else "wrong"
    elif done.returncode == 3:
        kind = "several" if "one of these" in done.stdout else "refused"
    else:
        sys.exit(f"history {index}: exit code {done.returncode}\n{done.stderr}")
    return kind, os.path.getsize(counter)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--histories", type=int, default=100)
    parser.add_argument("--commits", type=int, default=64)
    parser.add_argument("--step", type=float, default=0.05)
    parser.add_argument("--noise", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the output of each bisection")
    options = parser.parse_args()
    kinds, runs = collections.Counter(), []
    for index in range(options.histories):
        with tempfile.TemporaryDirectory() as folder:
            kind, count = play(options, index, folder)
        kinds[kind] += 1
        runs.append(count)
    answers = ", ".join(f"{kinds[kind]} {kind}" for kind in ("right", "wrong", "several", "refused"))
    print(f"{options.histories} histories of {options.commits} commits, step {100 * options.step:g} %, noise "
          f"{100 * options.noise:g} %: {answers}; runs: mean {sum(runs) / len(runs):.1f}, most {max(runs)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(float(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        main()
