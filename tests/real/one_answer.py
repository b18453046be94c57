#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the figures of one report against each other: a reader must find one answer on the page.

one_answer.py WEIR data: judges every file of tests/data.
one_answer.py WEIR shelf: judges the profiles and samples of the shelf (WEIR_SHELF, else ../shared), one by one, the ranks of a job
together, and each pair's trace with its unprofiled run. Without the shelf it ends with 77: skipped.
one_answer.py WEIR PATH...: judges these files together.

A file that weir refuses is left out. Prints one line for each contradiction.
"""
import concurrent.futures
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CLOSE = 6e-3            # of shares: two figures that are printed alike
STEP_SLACK = 1.02       # a stage may be longer than the step by the rounding of quantiles
WORTH_LISTING = 1.03    # a smaller speed-up is not listed
PROFILER = 2.6 * 1.02   # a profiler makes a step at most this many times longer
REPLAYED = 1.2          # a replayed step is at most this many times the recorded one
PER_STEP = 0.02         # relative: step time before over after, against the speed-up
HIDDEN = 0.05           # of the path on the host: more than the device is idle needs a word
LABELS = ("batching", "runtime", "kernel", "memory", "communication", "hardware", "unattributed")


def known(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def bars_of(text):
    """Returns the bars as printed: {"runtime": "86 %"}."""
    bars, inside = {}, False
    for line in text.splitlines():
        if line.startswith("where the time goes"):
            inside = True
        elif inside and not line.strip():
            break
        elif inside:
            match = re.match(r"\s+([a-z]+)\s.*?(<?[\d.]+ %)\s*$", line)
            if match:
                bars[match.group(1)] = match.group(2)
    return bars


def sections_of(text):
    """Returns the text with its wrapped lines joined, so that a phrase can be searched."""
    return re.sub(r"\s+", " ", text)


def sentences_of(report):
    """Returns what weir itself says, as opposed to the names that it copies from an input."""
    verdict = report["verdict"]
    out = [verdict.get("headline"), verdict.get("next")]
    for item in report["recommendations"]:
        out += [item.get("title"), item.get("why")]
    out += [note.get("text") for note in report["run"].get("notes", [])]
    return [text for text in out if text]


def check_bars(report, text):
    """The bars split the whole."""
    shares = [s for s in (report["attribution"] or {}).values() if known(s)]
    if shares and abs(sum(shares) - 1) > 2e-3:
        yield f"the bars sum to {sum(shares):.3f}"


def check_headline(report, text):
    """The headline, the verdict's share and the bars speak of one whole."""
    verdict, shares = report["verdict"], report["attribution"] or {}
    bound, bars = verdict["bound"], bars_of(text)
    shares = {name: share for name, share in shares.items() if known(share)}
    headline = verdict.get("headline") or ""
    if bound == "undetermined" or not bars or not shares or sum(shares.values()) == 0:
        return
    own, longest = shares.get(bound, 0), max(shares, key=shares.get)
    if own > 0 and known(verdict["share"]) and abs(verdict["share"] - own) > CLOSE:
        yield f"verdict.share {verdict['share']:.3f}, bar of {bound} {own:.3f}"
    if own > 0 and bars.get(bound, "") not in headline:
        yield f"headline \"{headline}\", bar of {bound} {bars.get(bound)}"
    if shares[longest] - own > CLOSE and (longest not in headline or bars.get(longest, "") not in headline):
        yield f"headline \"{headline}\" does not say why the longest bar, {longest} {bars.get(longest)}, is not the bound"


def check_stages(report, text):
    """A stage of a step is not longer than the step, unless the report says that it waits in a queue."""
    step = (report["run"].get("iteration_ns") or {}).get("p50")
    for stage in report["stages"]:
        if known(step) and stage.get("view") == "timeline" and known(stage["p50_ns"]) and stage["p50_ns"] > step * STEP_SLACK:
            if "longer than a step" not in sections_of(text):
                yield f"stage {stage['name']} p50 {stage['p50_ns']:.4g} ns, step p50 {step:.4g} ns"


def check_device(report, text):
    """Parts of the device's time add up, and the critical path does not deny them."""
    gpu, path = report.get("gpu"), report.get("critical_path")
    if not gpu:
        return
    idle = sum(share for share in gpu["idle_causes"].values() if known(share))
    if known(gpu["idle"]) and abs(idle - gpu["idle"]) > 2e-3:
        yield f"idle {gpu['idle']:.3f}, its causes {idle:.3f}"
    if known(gpu["idle"]) and abs(gpu["idle"] + gpu["active"] - 1) > 2e-3:
        yield f"active {gpu['active']:.3f} and idle {gpu['idle']:.3f}"
    for part, whole in (("exposed_communication", "communication"), ("exposed_memcpy", "memcpy"), ("compute", "active")):
        if known(gpu[part]) and known(gpu[whole]) and gpu[part] > gpu[whole] + 1e-3:
            yield f"{part} {gpu[part]:.3f} of {whole} {gpu[whole]:.3f}"
    if not path:
        return
    shares = {kind: share for kind, share in path["shares"].items() if known(share)}
    if shares and abs(sum(shares.values()) - 1) > 5e-3:
        yield f"the critical path sums to {sum(shares.values()):.3f}"
    host = shares.get("host_op", 0) + shares.get("host_api", 0)
    if known(gpu["idle"]) and host > gpu["idle"] + HIDDEN and "while the device works" not in sections_of(text):
        yield f"device active {gpu['active']:.2f}, critical path on the host {host:.2f}"


def check_ranks(report, text):
    """The whole lies among its ranks."""
    ranks, gpu = report.get("ranks") or [], report.get("gpu")
    for name in ("active", "exposed_communication"):
        values = [rank[name] for rank in ranks if known(rank.get(name))]
        if gpu and len(values) > 1 and len(values) == len(ranks) and known(gpu[name]):
            if not min(values) - CLOSE <= gpu[name] <= max(values) + CLOSE:
                yield f"{name} {gpu[name]:.3f}, of the ranks {min(values):.3f} to {max(values):.3f}"


def check_speedup(report, item):
    """The figures of one recommendation agree."""
    speedup, saving, limit = item.get("speedup") or {}, item.get("saving") or {}, item.get("limit")
    low, high, name = speedup.get("low"), speedup.get("high"), item["id"]
    caps = [cap for cap in (limit, saving.get("speedup")) if known(cap)]
    if caps and min(caps) < WORTH_LISTING:
        yield f"{name} is listed for at most {min(caps):.2f}x"
    if known(low) and known(high) and low > high + CLOSE:
        yield f"{name}: from {low} to {high}"
    if known(high) and caps and high > min(caps) + CLOSE:
        yield f"{name}: up to {high}, at most {min(caps):.3f}"
    step = (report["run"].get("iteration_ns") or {}).get("p50")
    inflated = (report.get("profiler") or {}).get("inflation")
    yield from check_saving(report, name, saving, None if known(inflated) else step)


def check_saving(report, name, saving, step):
    """A predicted step, its range, the step before it and the speed-up agree; the step before is the recorded one without
    what a profiler adds at most."""
    after, before = saving.get("step_ns"), saving.get("before_ns")
    if not known(after) or after <= 0:
        return
    if not known(before) or not known(saving.get("speedup")):
        yield f"{name}: a step of {after:.4g} ns without the step before or the speed-up"
        return
    if abs(before / after / saving["speedup"] - 1) > PER_STEP:
        yield f"{name}: step {before:.4g} to {after:.4g} ns, speedup {saving['speedup']:.3f}"
    if not saving["low_ns"] <= after <= saving["high_ns"]:
        yield f"{name}: step {after:.4g} ns outside {saving['low_ns']:.4g} to {saving['high_ns']:.4g}"
    if known(step) and saving.get("of") == "step" and len(report.get("ranks") or []) < 2 and not step / PROFILER <= before <= step * REPLAYED:
        yield f"{name}: step {before:.4g} ns before the change, {step:.4g} ns in the trace"


def check_advice(report, text):
    """Recommendations are consistent, worth listing, and fit the inputs."""
    joined = sections_of(text)
    for item in report["recommendations"]:
        yield from check_speedup(report, item)
    for match in re.finditer(r"at most 1\.0[0-2]?x|, 1\.0[0-2]?x faster|at most [\d.]+x faster here \(typical", joined):
        yield f"\"{match.group(0)}\""
    for said in set(re.findall(r"predicted step [\d.]+ \w+, [\d.]+x faster", joined)):
        if joined.count(said) > 1:
            yield f"two recommendations for one gain: \"{said}\""
    if (report["run"].get("ranks") or 0) > 1:
        for said in sentences_of(report):
            if re.search(r"traces? of (all|every) ranks?", said):
                yield f"{report['run']['ranks']} ranks were given: \"{said}\""


def check_words(report, text):
    """Sentences hold words and figures: no `?`, no NaN, no name of a feature, no bare comparison."""
    for said in sentences_of(report):
        if re.search(r"\?|\bnan\b|\binf\b", said):
            yield f"\"{said}\""
        if "to decide, measure" in said:
            yield f"\"{said[:60]}...\""
    names = {name for proof in report["verdict"].get("evidence", []) for name in proof.get("values", {})}
    parts = text.split("\n\nwhere the time goes")
    # Without that section, a table of stages follows the verdict; its cells may hold a bound such as "<= 109 ms".
    head = parts[0] if len(parts) > 1 else "\n\n".join(text.split("\n\n")[:2])
    if report["verdict"].get("rule") and re.search(r"\s(<=|>=|<|>|=)\s", head):
        yield "the evidence is a bare comparison"
    for name in sorted(names):
        if re.search(rf"\b{name}\b", head) and "_" in name:
            yield f"the feature {name} is named"
    if "the evidence is insufficient" in head:
        yield "the headline does not say which evidence is missing"


CHECKS = (check_bars, check_headline, check_stages, check_device, check_ranks, check_advice, check_words)


def judge(weir, paths):
    """Returns the contradictions of the report, which one call writes as JSON and as text; None if weir refuses the files."""
    with tempfile.TemporaryDirectory() as folder:
        stored = os.path.join(folder, "report.json")
        made = subprocess.run([weir, "classify", "--color", "never", "-o", "-", "-o", stored, *paths], capture_output=True,
                              text=True, check=False, timeout=120)
        if made.returncode:
            return None
        with open(stored, encoding="utf-8") as file:
            report = json.load(file)
    return [said for check in CHECKS for said in check(report, made.stdout)]


def files_below(*roots):
    out = []
    for root in roots:
        out += [path for path in glob.glob(os.path.join(root, "**"), recursive=True) if os.path.isfile(path)]
    return sorted(out)


def groups_of_shelf(shelf):
    """Returns the lists of files to judge together."""
    profiles, samples = os.path.join(shelf, "profiles"), os.path.join(shelf, "samples")
    groups = [[path] for path in files_below(profiles, os.path.join(samples, "wild"), os.path.join(samples, "real"))]
    groups += [files_below(job) for job in sorted(glob.glob(os.path.join(profiles, "multi_gpu", "*", "")))]
    for trace in sorted(glob.glob(os.path.join(profiles, "pairs", "*.pt.trace.json.gz"))):
        run = trace.replace(".pt.trace.json.gz", ".run.json")
        if os.path.isfile(run):
            groups.append([trace, run])
    groups += [files_below(served) for served in sorted(glob.glob(os.path.join(profiles, "serving", "*", "")))]
    return groups


def main():
    weir, what = sys.argv[1], sys.argv[2:]
    data = os.path.join(HERE, "..", "data")
    shelf = os.environ.get("WEIR_SHELF", os.path.join(HERE, "..", "..", "..", "shared"))
    if what == ["data"]:
        groups, root = [[path] for path in files_below(data)], data
    elif what == ["shelf"]:
        if not os.path.isdir(os.path.join(shelf, "profiles")):
            print(f"skipped: no profiles at {shelf}")
            return 77
        groups, root = groups_of_shelf(shelf), shelf
    else:
        groups, root = [what], "."
    judged = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for paths, found in zip(groups, pool.map(lambda paths: judge(weir, paths), groups)):
            judged += found is not None
            failed += bool(found)
            for said in found or []:
                print(f"{' '.join(os.path.relpath(path, root) for path in paths[:2])}: {said}")
    print(f"{judged} reports, {failed} contradict themselves")
    return failed > 0 or judged == 0


if __name__ == "__main__":
    sys.exit(main())
