# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of `vllm bench serve` and SGLang's bench_serving, read with a JSON decoder alone."""
import json

from converted import figures_of, mean

FOLDER = "bench"
SUBJECTS = {"ttft": ("_ttft_ms",), "tpot": ("_tpot_ms",), "itl": ("_itl_ms",), "e2el": ("_e2el_ms", "_e2e_latency_ms")}
LISTS = {"ttft": "ttfts", "tpot": "itls", "itl": "itls", "e2el": "itls"}


def documents(path):
    """Returns the JSON documents of a file that holds one, several, or a list of them."""
    decoder, text, at, found = json.JSONDecoder(), open(path, encoding="utf-8").read(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        found.extend(document if isinstance(document, list) else [document])
    return found


def stated(one):
    """Yields the figures that a result states and that have no samples."""
    for key, name in (("output_throughput",) * 2, ("input_throughput",) * 2, ("total_token_throughput",) * 2,
                      ("total_throughput", "total_token_throughput")):
        if one.get(key):
            yield name, one[key]
    yield "request_throughput", one.get("request_throughput") or one["completed"] / one["duration"]
    for subject, endings in SUBJECTS.items():
        if LISTS[subject] in one:
            continue
        for statistic in ("mean", "median", "p90", "p95", "p99"):
            for ending in endings:
                if one.get(statistic + ending):
                    yield f"{statistic}_{subject}_ms", one[statistic + ending]


def sampled(one):
    """Yields the samples of a result that lists its requests."""
    if "ttfts" not in one:
        return
    rows = [(ttft, gaps, tokens) for ttft, gaps, tokens, error in
            zip(one["ttfts"], one["itls"], one["output_lens"], one["errors"]) if not error]
    yield "ttft", mean(ttft for ttft, _, _ in rows) * 1e3
    yield "e2e", mean(ttft + sum(gaps) for ttft, gaps, _ in rows) * 1e3
    if any(sum(gaps) for _, gaps, _ in rows):
        yield "tpot", mean(sum(gaps) / (tokens - 1) for _, gaps, tokens in rows if tokens > 1 and sum(gaps)) * 1e3


def joined(pairs):
    """Makes one text of each name's values, because their names hold the loads of the results."""
    values = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: " ".join(f"{value:.6g}" for value in sorted(found)) for name, found in values.items()}


def expected(path):
    found = documents(path)
    pairs = [pair for one in found for pair in list(stated(one)) + [(n + " mean", v) for n, v in sampled(one)]]
    return dict(pairs) if len(found) == 1 else joined(pairs)


def given(weir, path):
    figures = figures_of(weir, path)
    if len(documents(path)) == 1:
        return figures
    return joined((name.rsplit("/", 1)[-1], value) for name, value in figures.items() if not isinstance(value, str))
