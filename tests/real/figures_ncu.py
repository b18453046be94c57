# SPDX-License-Identifier: GPL-3.0-or-later
"""Details pages of Nsight Compute: one row for each metric of each kernel."""
import csv

import timeline

FOLDER = "ncu"
BYTES = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def expected(path):
    kernels, total_ns, dram = set(), 0, 0
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["ID"] not in kernels and row["Metric Name"] in ("Duration", "gpu__time_duration.sum"):
                kernels.add(row["ID"])
                total_ns += float(row["Metric Value"].replace(",", "")) * NS[row["Metric Unit"]]
            if row["Metric Name"] in ("dram__bytes_read.sum", "dram__bytes_write.sum"):
                dram += float(row["Metric Value"].replace(",", "")) * BYTES[row["Metric Unit"]]
    return {"kernels": len(kernels), "total_ns": total_ns, "dram_bytes": dram}


def given(weir, path):
    rows = timeline.report(weir, path)["operators"]
    return {"kernels": sum(row["count"] for row in rows), "total_ns": sum(row["total_ns"] for row in rows),
            "dram_bytes": sum(row["counters"]["dram_bytes"] * row["count"] for row in rows)}
