#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""study.py WEIR [--first SEED] [--seeds 5] [--inputs log|pages|all|each] [--only STATE] [--smoke] [--keep FOLDER]: counts how often weir
names the state of a simulated inference server.

Each state of simulator.py is induced at three loads with several seeds (five seeds: 105 cases of seven states) and verified by its
counterfactual. weir reads the log alone, the metrics pages alone, or log, pages and requests together (`each`, the default: one after
the other). A case is right if the verdict has the bound and the cause of the truth. Healthy runs come on top: an alarm is a verdict on
one of them that names a state. Prints a table for each input, and exits with 1 if fewer than 100 of 105 are right, a healthy run raises
an alarm, or weir fails on it. --smoke: one seed, medium load."""
import argparse
import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the project's folder stays as it is
import simulator

INPUTS = ("log", "pages", "all")
WRONG_OF = (5, 105)  # wrong answers that are accepted


def files_of(folder, inputs):
    log, pages = [os.path.join(folder, "server.log")], sorted(glob.glob(os.path.join(folder, "metrics", "*.prom")))
    return {"log": log, "pages": pages, "all": log + pages + [os.path.join(folder, "requests.jsonl")]}[inputs]


def classify(weir, files):
    """Returns bound and cause of the verdict, or "error" and the first line of the message."""
    result = subprocess.run([weir, "classify", "-f", "json", *files], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1) or not result.stdout:
        return "error", (result.stderr.strip().splitlines() or ["no output"])[0].split(": ")[-1]
    verdict = json.loads(result.stdout).get("verdict") or {}
    return verdict.get("bound"), verdict.get("cause")


def is_right(truth, answer):
    if truth["cause"] is None:
        return answer[1] not in simulator.STUDIED and answer[0] != "error"
    return answer == (truth["bound"], truth["cause"])


class Tally:
    """Answers for one kind of input."""

    def __init__(self):
        self.right, self.count = collections.Counter(), collections.Counter()
        self.wrong = self.wrong_healthy = self.alarms = 0
        self.others = collections.defaultdict(collections.Counter)

    def add(self, truth, answer):
        state = truth["state"]
        self.count[state] += 1
        if is_right(truth, answer):
            self.right[state] += 1
        else:
            self.others[state]["/".join(str(part) for part in answer)] += 1
            self.alarms += truth["cause"] is None and answer[0] != "error"
            self.wrong += truth["cause"] is not None
            self.wrong_healthy += truth["cause"] is None

    def show(self, inputs):
        print(f"\n{inputs}\n\n| state | right | of | the others said |\n|---|--:|--:|---|")
        for state, count in self.count.items():
            said = ", ".join(f"{name} {times}" for name, times in self.others[state].most_common())
            print(f"| {state} | {self.right[state]} | {count} | {said} |")
        count = sum(self.count.values()) - self.count["healthy"]
        print(f"| all but healthy | {count - self.wrong} | {count} | alarms on healthy runs: {self.alarms} |", flush=True)
        return self.wrong > WRONG_OF[0] * count // WRONG_OF[1] or self.wrong_healthy > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--inputs", choices=(*INPUTS, "each"), default="each")
    parser.add_argument("--only", default="", help="states whose name contains this")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the files of each case here, as STATE-LOAD-SEED")
    options = parser.parse_args()
    loads, seeds = (("medium",), 1) if options.smoke else (simulator.LOADS, options.seeds)
    wanted = INPUTS if options.inputs == "each" else (options.inputs,)
    tallies, spent = {inputs: Tally() for inputs in wanted}, 0.0
    with tempfile.TemporaryDirectory() as temporary:
        for state in simulator.STUDIED:
            for load in loads if options.only in state else ():
                for seed in range(options.first, options.first + seeds):
                    folder = os.path.join(options.keep or temporary, f"{state}-{load}-{seed}" if options.keep else "case")
                    begin = time.process_time()
                    shutil.rmtree(folder, ignore_errors=True)
                    case = simulator.verified_case(state, load, seed)
                    case.write(folder, [])
                    spent += time.process_time() - begin
                    for inputs, tally in tallies.items():
                        tally.add(case.truth(), classify(options.weir, files_of(folder, inputs)))
    failed = [tally.show(inputs) for inputs, tally in tallies.items()]
    print(f"\nThe simulations took {spent:.0f} s.")
    sys.exit(any(failed))


if __name__ == "__main__":
    main()
