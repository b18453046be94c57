# SPDX-License-Identifier: GPL-3.0-or-later
"""nvidia-smi dmon: columns below two lines that begin with '#'."""
import classified

FOLDER = "nvidia-smi-dmon"


def rows_of(path):
    names = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.replace("#", " ").split()
            if line.startswith("#"):
                names = words if "gpu" in words else names
            elif words:
                yield dict(zip(names, (classified.number(word) for word in words)))


def expected(path):
    rows = list(rows_of(path))
    used = [row for row in rows if row["sm"]]

    def mean(of, name, scale):
        value = classified.mean([row.get(name) for row in of])
        return None if value is None else value * scale

    return classified.known({
        "samples": len(rows),
        "devices": len({row["gpu"] for row in rows}),
        "utilization_all": classified.mean([row["sm"] for row in rows]) / 100,
        "utilization": mean(used, "sm", 0.01),
        "power_w": mean(used, "pwr", 1),
        "power_max_w": classified.most([row["pwr"] for row in rows]),
        "temperature_max_c": classified.most([row["gtemp"] for row in rows]),
        "sm_clock_mhz": mean(used, "pclk", 1),
        "to_host_bytes_per_s": mean(rows, "txpci", 1e6),
        "from_host_bytes_per_s": mean(rows, "rxpci", 1e6),
    })


def given(weir, path):
    telemetry = classified.report(weir, path)["telemetry"]
    return telemetry | (telemetry.get("transfers") or {})
