# SPDX-License-Identifier: GPL-3.0-or-later
"""GenAI-Perf's tables, read with a CSV reader alone."""
import csv

from converted import figures_of

FOLDER = "genai_perf"
TIMES = {"Time To First Token (ms)": "ttft", "Time To Second Token (ms)": "ttst", "Request Latency (ms)": "e2el",
         "Inter Token Latency (ms)": "tpot"}
RATES = {"Output Token Throughput (per sec)": "output_throughput", "Request Throughput (per sec)": "request_throughput"}
STATISTICS = {"avg": "mean", "p50": "median", "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99"}


def expected(path):
    want, header = {}, []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            if row and row[0] == "Metric":
                header = row
            elif row and row[0] in TIMES:
                want.update({f"{STATISTICS[name]}_{TIMES[row[0]]}_ms": float(cell.replace(",", ""))
                             for name, cell in zip(header[1:], row[1:]) if name in STATISTICS})
            elif row and row[0] in RATES:
                want[RATES[row[0]]] = float(row[1].replace(",", ""))
    return want


def given(weir, path):
    return figures_of(weir, path)
