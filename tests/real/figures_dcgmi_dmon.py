# SPDX-License-Identifier: GPL-3.0-or-later
"""dcgmi dmon: instances of a divided GPU do not count beside the GPU."""
import re

import classified

FOLDER = "dcgmi-dmon"
NAMES = {
    "GRACT": ("utilization", 1), "GPUTL": ("utilization", 0.01), "SMACT": ("sm_active", 1),
    "TENSO": ("tensor_active", 1), "DRAMA": ("dram_active", 1), "POWER": ("power_w", 1),
    "NVLTX": ("link_sent_bytes_per_s", 1), "NVLRX": ("link_received_bytes_per_s", 1),
    "PCITX": ("to_host_bytes_per_s", 1), "PCIRX": ("from_host_bytes_per_s", 1),
}


def expected(path):
    names, rows = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                names = re.sub(r"^# ?Entity", "", line).split()
            row = re.match(r"\s*GPU (\d+)\s+(.*)", line)
            if row:
                cells = [classified.number(word) for word in row.group(2).split()]
                rows.append((row.group(1), dict(zip(names, cells))))
    rows = [(gpu, cells) for gpu, cells in rows if any(value is not None for value in cells.values())]
    figures = {"samples": len(rows), "devices": len({gpu for gpu, _ in rows})}
    for name in names:
        figure, scale = NAMES.get(name, (None, 1))
        value = classified.mean([cells[name] for _, cells in rows])
        if figure and value is not None:
            figures[figure] = value * scale
    return figures


def given(weir, path):
    telemetry = classified.report(weir, path)["telemetry"]
    return telemetry | (telemetry.get("transfers") or {})
