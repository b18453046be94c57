# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the pages that the tests open: reports of files in tests/data, as HTML and as JSON."""
import json
import pathlib
import subprocess

KINETO = "tests/data/kineto"


class Made:
    """A page with the JSON document of the same report."""

    def __init__(self, name, path, document):
        self.name, self.path, self.document = name, path, document


def classify(weir, folder, name, inputs):
    page, data = folder / f"{name}.html", folder / f"{name}.json"
    result = subprocess.run([weir, "classify", *map(str, inputs), "-o", page, "-o", data, "-q"], capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"{name}: {result.stderr}")
    return Made(name, page, json.load(open(data)))


def wide_trace(path, operators=200, steps=12):
    """Writes a trace of many operators: each has three kernels in turn, three shapes and two call sites."""
    events, at = [], 1000.0

    def add(name, category, thread, start, duration, **args):
        events.append({"ph": "X", "name": name, "cat": category, "pid": 0 if category == "kernel" else 100, "tid": thread,
                       "ts": round(start, 3), "dur": round(duration, 3), "args": args})

    for step in range(steps):
        begin, number = at, 0
        for block in range(10):
            block_begin = at
            for index in range(block * operators // 10, (block + 1) * operators // 10):
                number += 1
                correlation = step * 10000 + number
                rows = 64 * (1 + (index + step) % 3)
                add(f"ops::operator_{index:03d}", "cpu_op", 100, at, 6.0, **{
                    "External id": correlation, "Input Dims": [[rows, 512 + index], [512 + index, 1024]],
                    "Input type": ["c10::BFloat16", "c10::BFloat16"]})
                add("cudaLaunchKernel", "cuda_runtime", 100, at + 1, 2.5, correlation=correlation, **{"External id": correlation})
                add(f"void library::kernel_{index:03d}_{'abc'[step % 3]}<128, 64>(float*)", "kernel", 7, at + 4, 2 + 0.02 * index,
                    correlation=correlation, device=0, stream=7, grid=[132, 1, 1], block=[256, 1, 1], **{"External id": correlation})
                at += 7 + 0.02 * index
            add(f"model.py({10 + block}): block_{block}", "python_function", 100, block_begin - 0.1, at - block_begin)
        add(f"ProfilerStep#{step}", "user_annotation", 100, begin - 5, at - begin + 6)
        at += 20
    properties = [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85899345920, "numSms": 132, "computeMajor": 9, "computeMinor": 0}]
    json.dump({"schemaVersion": 1, "deviceProperties": properties, "with_stack": 1, "record_shapes": 1, "traceEvents": events}, open(path, "w"))


def make(weir, folder):
    """Returns the pages by name."""
    folder = pathlib.Path(folder)
    wide_trace(folder / "wide.pt.trace.json")
    inputs = {
        "wide": [folder / "wide.pt.trace.json"],
        "eager": [f"{KINETO}/llm_decode_eager_b1.pt.trace.json.gz"],
        "graph": [f"{KINETO}/llm_decode_graph_b8.pt.trace.json.gz"],
        "ranks": [f"{KINETO}/straggler"],
        "large": [f"{KINETO}/large_operators.pt.trace.json.gz"],
        "requests": ["tests/data/requests/served.jsonl"],
        "native": ["tests/data/native/three_stages.json"],
        "no-device": [f"{KINETO}/written/no_device.json"],
    }
    return {name: classify(weir, folder, name, paths) for name, paths in inputs.items()}
