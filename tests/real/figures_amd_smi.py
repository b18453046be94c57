# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm-smi and amd-smi: JSON, CSV, and the text table, which is refused."""
import csv
import json
import re

import classified

FOLDER = "amd-smi"
USED = {"VRAM Total Used Memory (B)": 1}


def cards_of(path):
    """Returns one dictionary per device, with figures under the names of weir's report."""
    if path.endswith(".csv"):
        with open(path, encoding="utf-8", newline="") as file:
            lines = [line for line in file if "," in line]
        return [rocm(row) for row in csv.DictReader(lines)]
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if isinstance(document, dict) and "gpu_data" in document:
        document = document["gpu_data"]
    if isinstance(document, list):
        return [amd(device) for device in document]
    return [rocm(card) for name, card in sorted(document.items()) if re.match(r"card\d", name)]


def first(card, *names):
    return next((value for value in (classified.number(card.get(name, "")) for name in names)
                 if value is not None), None)


def rocm(card):
    name = next((card[key] for key in ("Card Series", "Card series", "Device Name", "Card Model", "Card model",
                                       "GFX Version")
                 if key in card and card[key] != "N/A" and not re.fullmatch("0x[0-9a-f]+", card[key])), None)
    return {
        "name": name,
        "use": first(card, "GPU use (%)"),
        "power": first(card, "Current Socket Graphics Package Power (W)", "Average Graphics Package Power (W)"),
        "memory": first(card, "VRAM Total Used Memory (B)"),
        "heat": first(card, "Temperature (Sensor junction) (C)", "Temperature (Sensor edge) (C)"),
    }


def amd(device):
    def at(*keys):
        value = device
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, dict):
            value = value.get("value")
        return classified.number(value if value is not None else "")

    used = at("mem_usage", "used_vram")
    return {
        "name": None,
        "use": at("usage", "gfx_activity"),
        "power": at("power", "socket_power"),
        "memory": None if used is None else used * 2**20,
        "heat": next((v for v in (at("temperature", "hotspot"), at("temperature", "edge")) if v is not None), None),
    }


def table_of(path):
    """The cards of the text table of rocm-smi up to ROCm 5: "0  47.0c  91.0W  800Mhz  1600Mhz  0%  auto  560.0W  0%  3%"."""
    cards = []
    with open(path, encoding="utf-8") as file:
        for words in map(str.split, file):
            if len(words) == 10 and words[0].isdigit():
                heat, power, use = (classified.number(text.rstrip("cW%")) for text in (words[1], words[2], words[9]))
                cards.append({"name": None, "use": use, "power": power, "memory": None, "heat": heat})
    return cards


def has_warning(path):
    """True if the tool itself warns in the file."""
    with open(path, encoding="utf-8") as file:
        return any(line.startswith("WARNING") for line in file)


def expected(path):
    cards = table_of(path) if path.endswith(".txt") else cards_of(path)
    names = sorted({card["name"] for card in cards if card["name"]})
    return classified.known({
        "samples": len(cards),
        "devices": len(cards),
        "device_name": ", ".join(names) or None,
        "warnings": int(has_warning(path)),
        "utilization_all": classified.mean([card["use"] for card in cards]) / 100,
        "power_max_w": classified.most([card["power"] for card in cards]),
        "memory_used_max_bytes": classified.most([card["memory"] for card in cards]),
        "temperature_max_c": classified.most([card["heat"] for card in cards]),
    })


def given(weir, path):
    report = classified.report(weir, path)
    inputs = report["run"]["inputs"] if "run" in report else report.get("inputs", [])
    warnings = sum(len(one.get("warnings") or []) for one in inputs)
    return report["telemetry"] | {"warnings": warnings}
