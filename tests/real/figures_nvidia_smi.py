# SPDX-License-Identifier: GPL-3.0-or-later
"""nvidia-smi --query-gpu=... --format=csv."""
import csv

import classified

FOLDER = "nvidia-smi"


def expected(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    use = [classified.number(row["utilization.gpu [%]"]) for row in rows]
    used = [classified.number(row["memory.used [MiB]"]) for row in rows]
    return {
        "samples": len(rows),
        "utilization_all": classified.mean(use) / 100,
        "utilization": classified.mean([value for value in use if value]) / 100,
        "memory_used_max_bytes": classified.most(used) * 2**20,
    }


def given(weir, path):
    return classified.report(weir, path)["telemetry"]
