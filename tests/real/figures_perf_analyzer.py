# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of perf_analyzer and its ancestor perf_client: microseconds, one row for each load."""
import csv

from converted import figures_of

FOLDER = "perf_analyzer"
COLUMNS = {"Client Send": "mean_client_send_ms", "Network+Server Send/Recv": "mean_network_ms",
           "Server Queue": "mean_queue_ms", "Server Compute": "mean_compute_ms",
           "Server Compute Infer": "mean_compute_ms", "Server Compute Input": "mean_h2d_ms",
           "Server Compute Output": "mean_d2h_ms", "Client Recv": "mean_client_recv_ms",
           "p50 latency": "p50_latency_ms", "p90 latency": "p90_latency_ms", "p95 latency": "p95_latency_ms",
           "p99 latency": "p99_latency_ms"}


def expected(path):
    want = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            prefix = f"concurrency@{row['Concurrency']}/"
            want[prefix + "inference_throughput"] = float(row["Inferences/Second"])
            want.update({prefix + COLUMNS[name]: float(cell) / 1e3 for name, cell in row.items() if name in COLUMNS})
    return want


def given(weir, path):
    return figures_of(weir, path)
