# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs of large reports, parts and archives, folders, rules and configurations."""
import json
import os
import tarfile

import kineto
import shapes_runs
from shape import Shape, write


def written(suffix):
    """Returns a generator of a trace whose report is written to a file."""
    def make(n, folder):
        kineto.trace(folder, kineto.stepped(n, lambda i, ts: kineto.triple(i, ts, f"aten::op{i % 500}", f"gemm_{i % 700}")))
        return [["classify", "-q", "{}/trace.json", "-o", f"{{}}/fresh{suffix}"]]
    return make


def named(suffix):
    """Returns a generator of a trace of distinct names whose report is written to a file."""
    def make(n, folder):
        kineto.trace(folder, kineto.stepped(n, lambda i, ts: kineto.triple(i, ts, f"aten::op{i}", f"gemm_{i}")))
        return [["classify", "-q", "{}/trace.json", "-o", f"{{}}/fresh{suffix}", "--top", "50000"]]
    return make


def stored(n, folder):
    """A stored classification of n operators as a page."""
    kineto.trace(folder, kineto.stepped(n, lambda i, ts: kineto.triple(i, ts, f"aten::op{i}", f"gemm_{i}")))
    return [["classify", "-q", "{}/trace.json", "-o", "{}/stored.json"], ["report", "-q", "{}/stored.json", "-o", "{}/fresh.html"]]


def stored_gate(suffix):
    """Returns a generator of a stored comparison of n stages in another format."""
    def make(n, folder):
        base, head = shapes_runs.runs(folder, "base", 5, stages=n), shapes_runs.runs(folder, "head", 5, stages=n)
        return [["compare", "-q", "--base", *base, "--head", *head, "-o", "{}/stored.json"],
                ["report", "-q", "{}/stored.json", "--all", "-o", f"{{}}/fresh{suffix}"]]
    return make


def comment(n, folder):
    return [stored_gate(".html")(n, folder)[0], ["comment", "{}/stored.json", "--dry-run", "--provider", "github", "--pr", "1"]]


def rank_files(folder, n, events=60):
    """Writes the traces of n ranks; returns their names."""
    for rank in range(n):
        head = kineto.HEAD.replace('"traceEvents"', f'"distributedInfo":{{"backend":"nccl","rank":{rank},"world_size":{n}}},"traceEvents"')
        write(folder, f"rank{rank:05d}.json", [head, *kineto.stepped(events, kineto.triple, 20, 20), kineto.TAIL])
    return [f"rank{rank:05d}.json" for rank in range(n)]


def parted(n, folder):
    kineto.trace(folder, kineto.stepped(n, kineto.triple))
    return [["part", "-q", "{}/trace.json", "-o", "{}/fresh.part"]]


def parted_files(n, folder):
    return [["part", "-q", *(f"{{}}/{name}" for name in rank_files(folder, n)), "-o", "{}/fresh.part"]]


def merged(n, folder):
    names = rank_files(folder, n)
    return [*(["part", "-q", f"{{}}/{name}", "-o", f"{{}}/{name}.part"] for name in names),
            ["merge", "-q", *(f"{{}}/{name}.part" for name in names), "-f", "json"]]


def tar(n, folder):
    names = rank_files(folder, n)
    with tarfile.open(os.path.join(folder, "job.tar"), "w") as out:
        for name in names:
            out.add(os.path.join(folder, name), arcname=name)
            os.remove(os.path.join(folder, name))
    return [["classify", "-q", "{}/job.tar", "-f", "json"]]


def tar_others(n, folder):
    """One trace among n members that no reader knows."""
    rank_files(folder, 1)
    write(folder, "note.txt", ["nothing to read here\n"])
    with tarfile.open(os.path.join(folder, "job.tar"), "w") as out:
        out.add(os.path.join(folder, "rank00000.json"), arcname="rank.json")
        for i in range(n):
            out.add(os.path.join(folder, "note.txt"), arcname=f"notes/{i}.txt")
    return [["classify", "-q", "{}/job.tar", "-f", "json"]]


def folder_others(n, folder):
    """One trace among n files that no reader knows."""
    os.mkdir(os.path.join(folder, "job"))
    rank_files(os.path.join(folder, "job"), 1)
    for i in range(n):
        write(folder, f"job/{i}.txt", ["nothing to read here\n"])
    return [["classify", "-q", "{}/job", "-f", "json"]]


def rules(n, folder):
    """A catalogue of n rules with examples."""
    def rule(i):
        return {"id": f"kernel/rule-{i}", "about": ["profile"], "bound": "kernel", "cause": "inefficient-kernel", "title": f"Rule {i}",
                "when": ["share_kernel >= 0.30", f"share_hardware < 0.{i + 1:07d}"], "share": "share_kernel", "headline": "kernels", "next": "retune",
                "recommend": [], "see": ["x"], "examples": [{"share_kernel": 0.7, "share_hardware": 0, "expect": "true"}, {"share_kernel": 0, "share_hardware": 0, "expect": "false"},
                             {"share_hardware": 0, "expect": "unknown"}]}
    os.mkdir(os.path.join(folder, "rules"))
    write(folder, "rules/rules.json", [json.dumps({"rules": [rule(i) for i in range(n)]})])
    return [["rules", "check", "{}/rules"]]


def rules_applied(n, folder):
    """The same catalogue, applied to a trace."""
    rules(n, folder)
    kineto.trace(folder, kineto.stepped(200, kineto.triple))
    return [["classify", "-q", "{}/trace.json", "--rules", "{}/rules", "-f", "json"]]


def policy(n, folder):
    """A configuration of n rules, and runs of n stages to which they apply."""
    rules = [{"scope": f"stage:stage {i}", "metric": "p50", "margin": 0.05} for i in range(n)]
    write(folder, "weir.json", [json.dumps({"version": 1, "rules": rules})])
    base, head = shapes_runs.runs(folder, "base", 4, samples=30), shapes_runs.runs(folder, "head", 4, samples=30)
    return [["compare", "-q", "--config", "{}/weir.json", "--base", *base, "--head", *head, "-f", "json"]]


def patterns(n, folder):
    """A pattern of n stars, and a name that it does not match."""
    rules = [{"scope": "stage:" + "a*" * n + "b", "metric": "p50", "margin": 0.05}]
    write(folder, "weir.json", [json.dumps({"version": 1, "rules": rules})])
    more = {"stages": 50, "samples": 30, "name": lambda i: "a" * 400 + str(i)}
    base, head = shapes_runs.runs(folder, "base", 4, **more), shapes_runs.runs(folder, "head", 4, **more)
    return [["compare", "-q", "--config", "{}/weir.json", "--base", *base, "--head", *head, "-f", "json"]]


SHAPES = [
    Shape("output-html", "operators of a trace, as a page", written(".html"), 4000),
    Shape("output-markdown", "the same as Markdown", written(".md"), 4000),
    Shape("output-flame", "the same as a flame graph", written(".flame.html"), 4000),
    Shape("output-folded", "the same as folded stacks", written(".folded"), 4000),
    Shape("output-speedscope", "the same for speedscope", written(".speedscope.json"), 4000),
    Shape("output-annotated", "the same as an annotated trace", written(".annotated.json"), 4000),
    Shape("output-annotated-gzip", "the same, compressed", written(".annotated.json.gz"), 4000),
    Shape("output-html-names", "distinct operators, as a page", named(".html"), 2000),
    Shape("output-text-names", "distinct operators, as text", named(".txt"), 2000),
    Shape("output-flame-names", "distinct operators, as a flame graph", named(".flame.html"), 2000),
    Shape("report-operators", "operators of a stored result", stored, 2000, limit=50000, of_limit="50,000 rows"),
    Shape("report-gate-html", "stages of a stored comparison, as a page", stored_gate(".html"), 50),
    Shape("report-gate-junit", "the same as JUnit", stored_gate(".junit.xml"), 50),
    Shape("report-gate-sarif", "the same as SARIF", stored_gate(".sarif"), 50),
    Shape("comment-stages", "stages of a stored comparison, as a comment", comment, 50),
    Shape("part-events", "operators of a trace, packed", parted, 4000),
    Shape("part-files", "files, packed", parted_files, 16),
    Shape("merge-parts", "parts", merged, 16, quick=24),
    Shape("tar-members", "traces in an archive", tar, 16),
    Shape("tar-others", "other members of an archive", tar_others, 500, limit=100000, of_limit="100,000 members"),
    Shape("folder-others", "other files of a folder", folder_others, 500, limit=9998, of_limit="10,000 files"),
    Shape("rules-check", "rules of a catalogue", rules, 100, limit=512, of_limit="512 rules"),
    Shape("rules-applied", "rules that are applied to a trace", rules_applied, 100, limit=512, of_limit="512 rules"),
    Shape("policy-rules", "rules of a configuration", policy, 100, limit=1000, of_limit="1,000 rules"),
    Shape("policy-stars", "stars of a pattern", patterns, 4),
]
