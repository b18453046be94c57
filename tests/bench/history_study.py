#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""history_study.py PROGRAM FOLDER [RUNS]: measures histories in a store of 10,000 runs (or RUNS) under 100 names, and what they find.

Each name holds 100 runs of 4 stages and 20 operators with 50 samples each; run to run the level varies by 1 % (normal, independent). 80 names
never change, 10 change by +5 % at run 60, 10 drift by +8 % from the first to the last run. The name `long` holds another 10,000 runs of one stage
and 8 operators with 100 samples, with steps of +3 % and -3 %. The draws have fixed seeds. Times are wall times, memory is the largest resident size of one process. Ends with 1 if a
bound is not met.
"""
import csv
import json
import os
import random
import subprocess
import sys
import time

program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
total = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
NAMES = 100
SD, STEP, DRIFT, LONG_STEP = 0.01, 0.05, 0.08, 0.03
per_name = total // NAMES
store = os.path.join(folder, "history.db")
failures = 0


# Starts the program from a small process: the resident size of a process begins with that of the one that starts it.
LAUNCH = """import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "w")).returncode
print(code, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"""


def weir(*words):
    """Runs weir; returns its output, wall time in seconds and largest resident size in MiB."""
    path = os.path.join(folder, "out")
    said = subprocess.run([sys.executable, "-S", "-c", LAUNCH, path, program, *words, "--db", store], capture_output=True, text=True, check=True)
    code, seconds, resident = said.stdout.split()
    if code != "0":
        sys.exit(f"weir {' '.join(words)}: exit {code}: {said.stderr}")
    with open(path, encoding="utf-8") as out:
        return out.read(), float(seconds), float(resident)


def hold(what, value, bound, unit):
    """Prints a figure with its bound."""
    global failures
    failures += value > bound
    print(f"{what}: {value:.4g} {unit} (at most {bound:g}){'' if value <= bound else ' NOT MET'}", flush=True)


def recorded(run):
    """Returns a time, one hour after the one of the run before."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1700000000 + 3600 * run))


def series(draw, level, base, samples):
    return [round(base * level * draw.gauss(1, 0.02)) for _ in range(samples)]


def save(name, runs):
    path = os.path.join(folder, "import.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schema": "weir.baseline/1", "name": name, "unit": "ns", "runs": runs}, out)
    weir("baseline", "import", path)
    os.unlink(path)


def level_of(kind, run):
    if kind == "step":
        return 1 + STEP * (run >= per_name * 6 // 10)
    return 1 + DRIFT * run / (per_name - 1) if kind == "drift" else 1


def make_name(number, kind):
    """Stores one of the 100 names; its labels change with the level of a step."""
    draw = random.Random(1000 + number)
    runs = []
    for run in range(per_name):
        level = level_of(kind, run) * draw.gauss(1, SD)
        new = kind == "step" and run >= per_name * 6 // 10
        runs.append({"recorded": recorded(run),
                     "labels": {"commit": f"{number:03d}{run:05d}", "driver": "570" if new else "550"},
                     "stages": {f"s{i}": series(draw, level, 5e5 * (i + 1), 50) for i in range(4)},
                     "operators": {f"s{i % 4}/op{i}": series(draw, level, 9000 + 977 * i, 50) for i in range(20)}})
    save(f"{kind}-{number:03d}", runs)
    return f"{kind}-{number:03d}"


def make_long():
    """Stores the long history in ten parts: 72 MB of samples for 10,000 runs."""
    draw = random.Random(7)
    for part in range(10):
        runs = []
        for run in range(total * part // 10, total * (part + 1) // 10):
            level = (1 + LONG_STEP * (total * 3 // 10 <= run < total * 7 // 10)) * draw.gauss(1, SD)
            runs.append({"recorded": recorded(run), "labels": {"commit": f"{run:08d}"}, "stages": {"decode": series(draw, level, 5e5, 100)},
                         "operators": {f"decode/op{i}": series(draw, level, 9000 + 977 * i, 100) for i in range(8)}})
        save("long", runs)


def study_names():
    kinds = ["same"] * 80 + ["step"] * 10 + ["drift"] * 10
    names = [make_name(number, kind) for number, kind in enumerate(kinds)]
    print(f"store: {total} runs, {os.path.getsize(store) / 2**20:.0f} MiB", flush=True)
    cuts, drifts, found_steps, found_drifts, seconds, most = 0, 0, 0, 0, [], 0
    for name, kind in zip(names, kinds):
        text, took, resident = weir("history", name, "stage:s1", "-f", "json")
        (figure,) = json.loads(text)
        seconds.append(took)
        most = max(most, resident)
        at = [cut["run"] for cut in figure["change_points"]]
        if kind == "same":
            cuts += bool(at)
            drifts += figure["drift"] is not None
        elif kind == "step":
            found_steps += any(abs(cut - per_name * 6 // 10) <= 2 for cut in at)
        else:
            found_drifts += figure["drift"] is not None
    hold("history of one name, slowest of 100", max(seconds), 3, "s")
    hold("history of one name, memory", most, 128, "MiB")
    hold("unchanged names with a change point, of 80", cuts, 4, "names")
    hold("unchanged names with drift, of 80", drifts, 1, "names")
    hold(f"missed steps of {100 * STEP:.0f} %, of 10", 10 - found_steps, 0, "names")
    hold(f"missed drifts of {100 * DRIFT:.0f} %, of 10", 10 - found_drifts, 0, "names")
    _, took, _ = weir("baseline", "list")
    hold("baseline list", took, 2, "s")


def study_long():
    make_long()
    text, took, resident = weir("history", "long", "-f", "json")
    hold(f"history of {total} runs", took, 15, "s")
    hold(f"history of {total} runs, memory", resident, 256, "MiB")
    (figure,) = json.loads(text)
    at = [cut["run"] for cut in figure["change_points"]]
    missed = sum(not any(abs(cut - step) <= total // 500 + 2 for cut in at) for step in (total * 3 // 10, total * 7 // 10))
    hold("missed steps of 3 %, of 2", missed, 0, "steps")
    hold("change points beside them", len(at) - 2 + missed, 1, "points")
    text, took, resident = weir("baseline", "export", "long", "--format", "csv")
    hold(f"export of {total} runs", took, 15, "s")
    hold(f"export of {total} runs, memory", resident, 32, "MiB")
    rows = list(csv.DictReader(text.splitlines()))
    hold("exported rows that are missing", abs(9 * total - len(rows)), 0, "rows")


study_names()
study_long()
sys.exit(failures > 0)
