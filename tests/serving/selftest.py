#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""selftest.py: holds the simulator of an inference server to its promises. Prints what fails; exits with 1 then."""
import filecmp
import glob
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the project's folder stays as it is
import engine
import simulator

FAILURES = []


def check(holds, text):
    if not holds:
        FAILURES.append(text)
        print(f"selftest: {text}", flush=True)


class Watched(engine.Engine):
    """An engine that counts its blocks in every step."""

    def account(self, *rest):
        held = sum(one.blocks for one in self.running)
        short = sum(1 for one in self.running if one.have > one.blocks * engine.BLOCK)
        if not (0 <= self.free <= self.capacity and held == self.capacity - self.free and not short):
            check(False, f"{held} blocks are held, {self.free} of {self.capacity} are free, {short} requests exceed their blocks")
        if len(self.running) > self.settings["max_seqs"]:
            check(False, f"{len(self.running)} requests run in {self.settings['max_seqs']} slots")
        super().account(*rest)


def small_batches_are_free_and_large_ones_are_not():
    one = engine.Engine({**engine.SETTINGS}, [], 1, 0)
    step = {count: one.duration(count, count * 200, 0, 0)[0] for count in (1, 16, 256, 512)}
    check(step[16] < 1.1 * step[1], f"a step of 16 requests takes {step[16] / step[1]:.2f} times that of one")
    check(step[512] > 1.6 * step[256], f"a step of 512 requests takes {step[512] / step[256]:.2f} times that of 256")


def every_request_finishes(case, name):
    drawn = simulator.draw_requests(case.workload, case.seed)
    requests = case.run.requests
    if not case.workload["clients"]:
        check(len(drawn) == len(requests), f"{name}: {len(drawn)} requests arrive, {len(requests)} finish")
    generated = sum(one.count["generated"] for one in case.run.engines)
    wanted = sum(one.output for one in requests)
    check(generated == wanted, f"{name}: {generated} tokens are generated, {wanted} are requested")
    check(all(one.due <= one.arrival <= one.scheduled <= one.first <= one.end for one in requests), f"{name}: times are out of order")
    check(all(one.free == one.capacity for one in case.run.engines), f"{name}: blocks are held at the end")


def value_of(page, name):
    return sum(float(match[1]) for match in re.finditer(rf"^{re.escape(name)}(?:{{.*}})? (\S+) \d+$", page, re.MULTILINE))


def files_agree_with_the_run(case, folder, name):
    """The last page, the requests and the lines of steps have the totals of the run."""
    pages = []
    for path in sorted(glob.glob(os.path.join(folder, "metrics", "*.prom"))):
        with open(path, encoding="utf-8") as file:
            pages.append(file.read())
    prefix = case.product + ":"
    totals = [value_of(page, prefix + "generation_tokens_total") for page in pages]
    wanted = sum(one.output for one in case.run.requests)
    rising = totals[0] == 0 and totals == sorted(totals)
    check(totals[-1] == wanted and rising, f"{name}: pages count {totals}, not {wanted} tokens at the end")
    count = value_of(pages[-1], prefix + "e2e_request_latency_seconds_count")
    check(count == len(case.run.requests), f"{name}: the last page counts {count} requests")
    with open(os.path.join(folder, "requests.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    off = max(abs(row["end_ns"] - row["start_ns"] - 1e3 * sum(row["stages_us"].values())) for row in rows)
    check(len(rows) == len(case.run.requests) and off < 1e4, f"{name}: {len(rows)} requests in the log, parts differ by {off} ns")
    with open(os.path.join(folder, "server.log"), encoding="utf-8") as file:
        log = file.read()
    lines = len(re.findall(r" Iteration\(\d+\): ", log))
    steps = sum(one.count["steps"] for one in case.run.engines)
    check(lines == (steps if case.iterations else 0), f"{name}: {lines} lines of {steps} steps")
    retracted = sum(int(found) for found in re.findall(r"#retracted_reqs: (\d+)", log))
    if case.product == "sglang":
        check(retracted == case.figures["preemptions"], f"{name}: {retracted} retractions in the log, not {case.figures['preemptions']}")


def same_files(one, other, name):
    compared = filecmp.dircmp(one, other)
    _, different, failed = filecmp.cmpfiles(one, other, compared.common_files, shallow=False)
    check(not (different or failed or compared.left_only or compared.right_only), f"{name}: two runs of a seed differ in {different}")


def main():
    small_batches_are_free_and_large_ones_are_not()
    simulator.Engine = Watched
    with tempfile.TemporaryDirectory() as folder:
        for number, state in enumerate(simulator.STATES):
            seed = 1 + number % 2  # both products
            case = simulator.Case(state, "medium", seed)
            case.iterations = state == "slots" and case.product == "vllm"
            name = f"{state}, seed {seed}, {case.product}"
            for one in case.verify():
                check(False, f"{name}: {one}")
            every_request_finishes(case, name)
            first, second = os.path.join(folder, state), os.path.join(folder, state + "-again")
            case.write(first, [])
            files_agree_with_the_run(case, first, name)
            again = simulator.Case(state, "medium", seed)
            again.iterations, again.gains = case.iterations, case.gains
            again.write(second, [])
            same_files(first, second, name)
            same_files(os.path.join(first, "metrics"), os.path.join(second, "metrics"), name)
    print(f"selftest: {len(simulator.STATES)} states, {len(FAILURES)} failures")
    sys.exit(bool(FAILURES))


if __name__ == "__main__":
    main()
