#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds weir part and weir merge to their promise: a merge gives the bytes of weir classify.

merge.py WEIR orders [N]: N random divisions of the inputs of a run into parts, in random orders and trees of merges (default 30), over the
jobs of tests/data and, if it is there, of the shelf (WEIR_SHELF, else ../shared).
merge.py WEIR samples: the sample of every reader, alone and beside a trace.
merge.py WEIR gates: weir gate, baseline record and convert take parts as runs, and give the results of the traces.

Prints one line for each difference, and for what was skipped. WEIR_SEED sets the seed of the random numbers (default 1).
"""
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DATA = "tests/data"
STRAGGLER = f"{DATA}/kineto/straggler"
TRIALS = 30
SYNTHETIC_RANKS = (12, 20)  # of more than WEIR_DETAILED_RANKS, traces are packed while others are read
MOST_PARTS = 6


class Differences:
    def __init__(self):
        self.count = 0

    def add(self, text):
        self.count += 1
        print(text)


def run(weir, *arguments, cwd=ROOT):
    done = subprocess.run([weir, *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def files_below(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(os.path.join(ROOT, folder)) if name != "README.md")


# ---- jobs ----

def make_ranks(folder, count):
    subprocess.run([f"{ROOT}/tests/ci/ranks.py", f"{folder}/{count}", str(count)], check=True)
    return files_below(f"{folder}/{count}")


def jobs(folder):
    """Returns [(name, inputs)]: one run each."""
    shelf = os.environ.get("WEIR_SHELF", os.path.join(ROOT, "../shared"))
    found = [
        ("straggler", files_below(STRAGGLER)),
        ("ranks and other inputs", files_below(STRAGGLER) + [f"{DATA}/monitors/h200.nvidia-smi.csv.gz", f"{DATA}/runs/none-01.json"]),
        ("tables of one run", [path for path in files_below(f"{DATA}/rocprof") if "4711_" in path]),
        ("three tools", [f"{DATA}/kineto/norm_softmax.pt.trace.json.gz", f"{DATA}/ncu/beside_norm_softmax.csv",
                         f"{DATA}/host_profiles/stats.prof"]),
    ]
    found += [(f"{count} ranks", make_ranks(folder, count)) for count in SYNTHETIC_RANKS]
    profiles = os.path.join(shelf, "profiles")
    if not os.path.isdir(profiles):
        print(f"skipped: the jobs of the shelf: there is no {profiles}")
        return found
    for name in sorted(os.listdir(f"{profiles}/multi_gpu")):
        found.append((f"multi_gpu/{name}", files_below(f"{profiles}/multi_gpu/{name}")))
    for name in sorted(os.listdir(profiles)):
        if name.startswith("repeated"):
            found.append((name, files_below(f"{profiles}/{name}")))
    return found


# ---- orders ----

def make_parts(weir, inputs, folder, rng):
    """Divides the inputs at random and packs each group. Returns the parts, or the first failure."""
    inputs = list(inputs)
    rng.shuffle(inputs)
    groups = [[] for _ in range(rng.randint(1, min(MOST_PARTS, len(inputs))))]
    for path in inputs:
        rng.choice(groups).append(path)
    parts = []
    for group in filter(None, groups):
        parts.append(f"{folder}/{len(parts)}.part")
        code, _, err = run(weir, "part", *group, "-o", parts[-1])
        if code:
            return None, f"part exits with {code}: {err.decode()}"
    return parts, ""


def merge_in_tree(weir, parts, folder, rng):
    """Merges random parts until few are left. Returns what the last merge gave."""
    made = 0
    while len(parts) > 1 and rng.random() < 0.6:
        rng.shuffle(parts)
        count = rng.randint(2, len(parts))
        made += 1
        whole = f"{folder}/merged{made}.part"
        code, _, err = run(weir, "merge", *parts[:count], "-o", whole)
        if code:
            return code, b"", err
        parts = parts[count:] + [whole]
    rng.shuffle(parts)
    return run(weir, "merge", *parts, "-f", "json")


def check_orders(weir, trials, differences):
    rng = random.Random(int(os.environ.get("WEIR_SEED", "1")))
    expected = {}
    with tempfile.TemporaryDirectory() as home:
        all_jobs = jobs(home)
        for trial in range(trials):
            name, inputs = all_jobs[trial % len(all_jobs)]
            if name not in expected:
                expected[name] = run(weir, "classify", *sorted_as_folder(inputs), "-f", "json")
            with tempfile.TemporaryDirectory() as folder:
                parts, failure = make_parts(weir, inputs, folder, rng)
                if parts is None:
                    differences.add(f"trial {trial}, {name}: {failure}")
                    continue
                got = merge_in_tree(weir, parts, folder, rng)
            if got[:2] != expected[name][:2]:
                differences.add(f"trial {trial}, {name}: weir merge differs from weir classify: exit {got[0]}, {got[2].decode()!r}; "
                                f"expected exit {expected[name][0]}, {expected[name][2].decode()!r}")
        answered = sum(code == 0 for code, _, _ in expected.values())
        print(f"{trials} merges of {len(expected)} jobs, {answered} of which have a report")


def sorted_as_folder(paths):
    """Sorts paths as weir sorts a folder: numbers by their value, among other characters by their digits."""
    return sorted(paths, key=lambda path: [(ord("0"), int(word)) if word.isdigit() else (ord(word), 0) for word in re.findall(r"\d+|\D", path)])


# ---- samples ----

def samples():
    """Returns {reader: sample} of readers.def."""
    with open(f"{ROOT}/engine/readers/readers.def", encoding="utf-8") as file:
        return dict(re.findall(r'^READER\((\w+), "([^"]+)"\)', file.read(), re.M))


def is_database(path):
    with open(path, "rb") as file:
        return file.read(15) == b"SQLite format 3"


def check_samples(weir, differences):
    trace = f"{DATA}/kineto/malloc_churn.pt.trace.json.gz"
    kinds = {"kept": 0, "reports": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        part = f"{folder}/x.part"
        for reader, sample in samples().items():
            path = f"{DATA}/{sample}"
            for inputs in ([path], [path, trace]) if path != trace else ([path],):
                expected = run(weir, "classify", *sorted_as_folder(inputs), "-f", "json")
                code, _, err = run(weir, "part", *inputs, "-o", part)
                if code == 2 and is_database(path) and b"a part cannot hold a database" in err:
                    kinds["refused"] += 1
                    continue
                if code:
                    differences.add(f"{reader}: weir part exits with {code}: {err.decode()}")
                    continue
                kinds["kept"] += 1
                kinds["reports"] += expected[0] == 0
                for command in ("merge", "classify"):
                    got = run(weir, command, part, "-f", "json")
                    if got[:2] != expected[:2]:
                        differences.add(f"{reader}: weir {command} of the part of {inputs} differs: exit {got[0]}, {got[2].decode()!r}; "
                                        f"expected exit {expected[0]}, {expected[2].decode()!r}")
    if kinds["reports"] < len(samples()):
        differences.add(f"only {kinds['reports']} parts of samples have a report")
    print(f"{kinds['kept']} parts of samples give the answers of their inputs, {kinds['reports']} of them reports; "
          f"{kinds['refused']} databases are refused")


# ---- gates ----

def check_gates(weir, differences):
    """Runs the same commands beside traces and beside parts of the same names."""
    runs = [f"{STRAGGLER}/rank{i}.pt.trace.json.gz" for i in range(4)] + \
           [f"{DATA}/kineto/{name}.pt.trace.json.gz" for name in ("malloc_churn", "norm_softmax")] + \
           [f"{DATA}/runs/{name}.json" for name in ("none-01", "none-02", "none-03", "none-04", "slow5-05", "slow5-20", "sdpa_math-17")]
    commands = [
        ["baseline", "record", "0", "1", "2", "--name", "traces"],
        ["gate", "3", "--baseline", "traces", "-f", "json", "--all"],
        ["gate", "4", "5", "--baseline", "traces", "-f", "json"],
        ["gate", "-f", "json", "--all", "--against", "0", "1", "--", "2", "3"],
        ["baseline", "record", "6", "7", "8", "9", "--name", "runs"],
        ["gate", "10", "11", "12", "--baseline", "runs", "-f", "json", "--all"],
        ["compare", "--base", "6", "7", "8", "--head", "9", "10", "11", "-f", "json"],
        ["baseline", "export", "traces"],
        ["baseline", "export", "runs"],
        ["convert", "3"],
        ["convert", "12"],
    ]
    rows = 0
    with tempfile.TemporaryDirectory() as home:
        given = {}
        os.environ.update(SOURCE_DATE_EPOCH="1795000000", WEIR_SESSION="job-1")
        for kind in ("traces", "parts"):
            folder = f"{home}/{kind}"
            os.mkdir(folder)
            for i, path in enumerate(runs):
                if kind == "traces":
                    os.symlink(os.path.join(ROOT, path), f"{folder}/{i}")
                else:
                    run(weir, "part", str(i), "-o", f"{folder}/{i}", cwd=f"{home}/traces")
            given[kind] = [run(weir, *command, cwd=folder) for command in commands]
        for command, trace, part in zip(commands, given["traces"], given["parts"]):
            rows += trace[1].count(b'"scope"')
            if without_times(trace) != without_times(part):
                differences.add(f"weir {' '.join(command)} differs: exit {trace[0]} for traces, {part[0]} for parts: {part[2].decode()}")
            if trace[0] not in (0, 1, 3, 6) or not trace[1]:
                differences.add(f"weir {' '.join(command)} exits with {trace[0]}: {trace[2].decode()}")
    if rows < 100:
        differences.add(f"only {rows} rows were compared")
    print(f"{len(commands)} commands on parts give what they give on traces, {rows} rows")


def without_times(result):
    """Replaces the times at which runs were stored."""
    return result[0], re.sub(rb'"(recorded|stored|time|at)": "[^"]*"', rb'"\1": ""', result[1])


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in ("orders", "samples", "gates"):
        print(__doc__)
        return 2
    weir, differences = os.path.abspath(sys.argv[1]), Differences()
    if sys.argv[2] == "orders":
        check_orders(weir, int(sys.argv[3]) if len(sys.argv) > 3 else TRIALS, differences)
    elif sys.argv[2] == "samples":
        check_samples(weir, differences)
    else:
        check_gates(weir, differences)
    return 1 if differences.count else 0


sys.exit(main())
