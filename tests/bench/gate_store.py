#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""gate_store.py PROGRAM FOLDER SERVER CEILING [ROUNDS]: compares the time of a gate with a baseline in a file and on a server.

Records the same 10 runs of 40 operators with 300 samples each into FOLDER/speed.db and into the store SERVER, then gates 3 runs
against both by turns. Prints the medians; ends with 1 if their ratio exceeds CEILING. tests/postgresql/run.sh starts the server.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import time

program, folder, server = sys.argv[1:4]
ceiling = float(sys.argv[4])
rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 15
draw = random.Random(7)


def write_run(path):
    """Writes a run of one stage and 40 operators with 300 samples each."""
    level = draw.gauss(1, 0.003)

    def series(base):
        return [round(base * level * draw.gauss(1, 0.02)) for _ in range(300)]

    operators = {f"decode/aten::op{i}": series(2000 + 977 * i) for i in range(40)}
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schema": "weir.run/1", "unit": "ns", "labels": {"gpu": "G"}, "stages": {"decode": series(900000)},
                   "operators": operators}, out)


def weir(*words):
    """Runs weir and returns its wall time in milliseconds."""
    start = time.perf_counter()
    code = subprocess.run([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    if code not in (0, 3):
        sys.exit(f"weir {' '.join(words)}: exit {code}")
    return 1000 * (time.perf_counter() - start)


runs = [os.path.join(folder, f"speed-{i}.json") for i in range(13)]
for run in runs:
    write_run(run)
stores = [os.path.join(folder, "speed.db"), server]
for store in stores:
    weir("baseline", "record", *runs[:10], "--name", "main", "--db", store, "-q")
times = [[], []]
for _ in range(rounds):
    for side, store in enumerate(stores):
        times[side].append(weir("gate", *runs[10:], "--baseline", "main", "--db", store, "-q"))
file_ms, server_ms = (statistics.median(side) for side in times)
print(f"a gate of 10 + 3 runs: {file_ms:.1f} ms with a file, {server_ms:.1f} ms with a server, ratio {server_ms / file_ms:.2f}")
sys.exit(server_ms / file_ms > ceiling)
