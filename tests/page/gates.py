# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the pages of gates that the tests open, as HTML and as JSON: recorded runs, and runs that it writes."""
import json
import random
import subprocess

import pages

RUNS = "tests/data/runs"
ITERATIONS = 300
OPERATORS = {  # of decode: us an iteration, number of calls
    "aten::mm": (210.0, 96), "flash_attn::_flash_attn_forward": (120.0, 24), "aten::copy_": (30.0, 26), "aten::add": (14.0, 48),
    "aten::mul": (11.0, 48), "vllm::rms_norm": (9.0, 49), "vllm::silu_and_mul": (8.0, 24), "aten::softmax": (6.0, 1),
    "void cutlass::Kernel<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>(T::Params)": (5.0, 2),
    "aten::embedding": (2.0, 1), "aten::sort": (1.5, 1), "aten::cat": (1.0, 2), "ncclDevKernel_AllReduce_Sum_bf16_RING_LL": (12.0, 2),
    "aten::gather": (0.8, 1), "aten::exponential_": (0.7, 1), "aten::div": (0.6, 1), "aten::argmax": (0.5, 1),
}
# What a change does to an operator: a factor, or None for one that is gone; new ones have a time.
CHANGED = {"aten::copy_": 2.1, "aten::add": 1.2, "vllm::silu_and_mul": None, "aten::softmax": 0.5}
NEW = {"aten::silu": (6.0, 24), "aten::mul_": (4.0, 24)}


def write_run(path, seed, changed=False, odd=False, session=None, overlap=False):
    """Writes a run of two stages with operators; `odd` makes it slow as a whole, `changed` makes decode slower, with `overlap` it has many
    operators on two streams, so that its time is shorter than theirs."""
    chance = random.Random(seed)
    level = chance.gauss(1, 0.004) * (1.09 if odd else 1)
    operators, calls, device = {}, {}, [0.0] * ITERATIONS
    table = {name: (us, count) for name, (us, count) in OPERATORS.items() if not changed or CHANGED.get(name, 1) is not None}
    if overlap:
        table |= {f"aten::step_{i}": (3 + 0.1 * i + (0.2 * (i % 5 - 2) if changed else 0), 1) for i in range(50)}
    if changed:
        table = {name: (us * CHANGED.get(name, 1), count) for name, (us, count) in table.items()} | NEW
    for name, (us, count) in table.items():
        values = [round(us * level * chance.lognormvariate(0, 0.02), 3) for _ in range(ITERATIONS)]
        operators[f"decode/{name}"], calls[f"decode/{name}"] = values, [count] * ITERATIONS
        device = [a + b for a, b in zip(device, values)]
    idle = 160 if changed else 140
    stages = {"decode": [round(0.7 * d if overlap else d + idle * level * chance.lognormvariate(0, 0.1), 3) for d in device],
              "prefill": [round(3400 * level * chance.lognormvariate(0, 0.03), 3) for _ in range(ITERATIONS)]}
    run = {"schema": "weir.run/1", "unit": "us", "labels": {"gpu": "NVIDIA H200", **({"session": session} if session else {})},
           "stages": stages, "device": {"decode": [round(d, 3) for d in device]}, "operators": operators, "calls": calls,
           "metrics": {"tokens_per_s": {"values": [round(1e6 / (stages["decode"][0] * 1.01), 3)], "better": "higher", "unit": "1/s"}}}
    json.dump(run, open(path, "w"))
    return path


def written(folder, name, count, first, **how):
    return [write_run(folder / f"{name}-{i + 1}.json", first + i, **{key: value(i) if callable(value) else value for key, value in how.items()})
            for i in range(count)]


def compare(weir, folder, name, base, head):
    page, data = folder / f"{name}.html", folder / f"{name}.json"
    result = subprocess.run([weir, "compare", "--base", *map(str, base), "--head", *map(str, head), "-o", page, "-o", data, "-q"],
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"{name}: {result.stderr}")
    rendered = subprocess.run([weir, "report", data, "-f", "html"], capture_output=True, check=True).stdout
    if rendered != page.read_bytes():
        raise RuntimeError(f"{name}: the stored result draws another page")
    return pages.Made(name, page, json.load(open(data)))


def run(weir, words):
    result = subprocess.run([weir, *map(str, words)], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"{words}: {result.stderr}")
    return result.stdout


def gate_with_history(weir, folder, name):
    """Records 18 runs, an hour after each other, of which the last nine have another driver and are slower, and gates against them."""
    db, page, data = folder / f"{name}.db", folder / f"{name}.html", folder / f"{name}.json"
    runs = written(folder, "past", 18, 1200, odd=lambda i: i >= 9) + written(folder, "now", 3, 1300, changed=True)
    for i, path in enumerate(runs[:18]):
        run(weir, ["baseline", "record", path, "--name", "main", "--db", db, "--label", f"driver={550 if i < 9 else 570}",
                   "--recorded", f"2026-10-{i + 1:02d}T12:00:00Z"])
    run(weir, ["gate", *runs[18:], "--baseline", "main", "--db", db, "-o", page, "-o", data, "-q"])
    made = pages.Made(name, page, json.load(open(data)))
    made.series = {}
    for history in made.document["pictures"]["histories"]:
        row = made.document["rows"][history["row"]]
        series = json.loads(run(weir, ["history", "main", f"{row['scope']}:{row['metric']}", "--db", db, "-f", "json"]))
        made.series[row["scope"]] = series[0] if isinstance(series, list) else series["series"][0]
    (folder / "history.html").write_text(run(weir, ["history", "main", "--db", db, "-f", "html"]))
    return made


def make(weir, folder):
    """Returns the pages by name."""
    base = written(folder, "base", 8, 100, session=lambda i: f"job-{i // 2}", odd=lambda i: i == 5)
    recorded = gate_with_history(weir, folder, "gate-history")
    return {made.name: made for made in (
        recorded, pages.Made("history", folder / "history.html", {"schema": "none"}),
        compare(weir, folder, "gate-slower", base, written(folder, "slower", 6, 200, changed=True, session=lambda i: f"job-{4 + i // 2}")),
        compare(weir, folder, "gate-faster", written(folder, "old", 5, 300, changed=True), written(folder, "new", 5, 400)),
        compare(weir, folder, "gate-same", written(folder, "one", 6, 500), written(folder, "two", 4, 600)),
        compare(weir, folder, "gate-many", written(folder, "many", 130, 700), written(folder, "few", 3, 900, changed=True)),
        compare(weir, folder, "gate-overlap", written(folder, "serial", 5, 1000, overlap=True), written(folder, "overlap", 5, 1100, overlap=True, changed=True)),
        compare(weir, folder, "gate-recorded", [f"{RUNS}/none-0{i}.json" for i in (1, 2, 3, 4, 6)], [f"{RUNS}/slow5-05.json", f"{RUNS}/slow5-20.json"]),
        compare(weir, folder, "gate-one", [f"{RUNS}/none-0{i}.json" for i in (1, 2, 3, 4, 6)], [f"{RUNS}/slow5-05.json"]),
        compare(weir, folder, "gate-traces", [f"{pages.KINETO}/llm_decode_eager_b1.pt.trace.json.gz"], [f"{pages.KINETO}/llm_decode_graph_b8.pt.trace.json.gz"]),
    )}
