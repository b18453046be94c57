#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes single calls below weir fail, one after the other, and checks what weir makes of it.

interposed.py WEIR INTERPOSE MODE [SCENARIO...] [--every N]
  alloc   one allocation of each call site fails: exit 9 with one line, or the same results as without the fault
  reads   reads are short or interrupted: the same results
  writes  writes are short or interrupted: the same results; the N-th fails with a full disk: one line, files whole or absent
  clock   clocks jump back by an hour: the same results

INTERPOSE is the library of interpose.c. Each scenario is a command in its own folder, on one processor, so that calls come in
the same order. --every N takes every N-th call site of `alloc`.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data"
OUT_OF_MEMORY = 9
SECONDS = 60
# libarchive 3.6 ends the process, and the loader of libraries does not always say that memory was the reason.
OTHERS = ("libarchive.so", "ld-linux", "libxml2.so", "libnettle.so", "libicu", "libstdc++.so")
WRITES = (1, 2, 3, 5, 8, 13, 21, 34, 55)

# Name, arguments, files that the command writes, whether it works on a store with runs of the baseline "main".
SCENARIOS = [
    ("kineto", ["classify", DATA / "kineto/llm_decode_eager_b1.pt.trace.json.gz", "-q", "-o", "out.json", "-o", "out.html", "-o", "out.txt"],
     ["out.json", "out.html", "out.txt"], False),
    ("ranks", ["classify", DATA / "kineto/straggler", "-q", "-o", "out.json"], ["out.json"], False),
    ("spans", ["classify", DATA / "spans/slow_tokenizer.otlp.json.gz", "-q", "-o", "out.json"], ["out.json"], False),
    ("server", ["classify", DATA / "serverlog/vllm.log", "-q", "-o", "out.json"], ["out.json"], False),
    ("archive", ["classify", "runs.tar", "-q", "-o", "out.json"], ["out.json"], False),
    ("part", ["part", DATA / "kineto/llm_decode_eager_b1.pt.trace.json.gz", "-q", "-o", "out.part"], ["out.part"], False),
    ("record", ["baseline", "record", "run-3.json", "--name", "main", "--db", "store.db", "--recorded", "2026-11-20T14:00:00Z"], [], True),
    ("gate", ["gate", "run-3.json", "run-4.json", "run-5.json", "--baseline", "main", "--db", "store.db", "-q", "-o", "out.json", "-o", "out.html",
              "-o", "out.xml"], ["out.json", "out.html", "out.xml"], True),
    ("history", ["history", "main", "--db", "store.db", "-f", "json"], [], True),
    ("export", ["baseline", "export", "main", "--db", "store.db", "-q", "-o", "out.jsonl"], ["out.jsonl"], True),
]
complaints = []


class Outcome:
    """Exit code, standard output, lines on standard error, and the contents of the written files (None: absent)."""

    def __init__(self, run, files, folder):
        self.code = run.returncode
        self.out = run.stdout
        self.err = run.stderr.decode("utf-8", "replace")
        self.files = {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in files}
        self.left = sorted(path.name for path in folder.iterdir())

    def same_as(self, other):
        return (self.code, self.out, self.files) == (other.code, other.out, other.files)


def run_document(number):
    values = [500000 + number * 1000 + (i * 7919) % 997 for i in range(100)]
    return f'{{"schema":"weir.run/1","unit":"ns","labels":{{"gpu":"G"}},"stages":{{"decode":{values}}},"operators":{{"decode/aten::mm":[{number + 1}]}}}}'


class Bench:
    """Runs scenarios in fresh copies of a prepared folder."""

    def __init__(self, weir, library, base):
        self.weir = weir
        self.library = library
        self.base = base
        self.ready = base / "ready"
        self.ready.mkdir()
        for number in range(6):
            (self.ready / f"run-{number}.json").write_text(run_document(number))
        subprocess.run(["tar", "-C", DATA / "kineto/straggler", "-cf", self.ready / "runs.tar", "."], check=True)
        subprocess.run([weir, "baseline", "record", *[self.ready / f"run-{i}.json" for i in range(3)], "--name", "main", "--db",
                        self.ready / "store.db", "--recorded", "2026-11-20T14:00:00Z", "-q"], check=True, stdout=subprocess.DEVNULL)

    def run(self, scenario, fault, key):
        _, arguments, files, stored = scenario
        folder, rows = self.base / f"run-{key}", self.base / f"rows-{key}"
        shutil.copytree(self.ready, folder)
        environment = dict(os.environ, LC_ALL="C", SOURCE_DATE_EPOCH="1790000000", HOME=str(folder), WEIR_SESSION="s")
        if fault:
            environment.update(LD_PRELOAD=str(self.library), WEIR_FAULT=fault, WEIR_FAULT_FILE=str(rows))
        run = subprocess.run([self.weir, *arguments], cwd=folder, env=environment, capture_output=True, timeout=SECONDS,
                             preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}), check=False)
        outcome = Outcome(run, files, folder)
        outcome.rows = [line.split() for line in rows.read_text().splitlines()] if rows.exists() else []
        if stored:
            verified = subprocess.run([self.weir, "baseline", "verify", "--db", folder / "store.db"], capture_output=True, check=False)
            outcome.sound = verified.returncode == 0
            listed = subprocess.run([self.weir, "baseline", "export", "main", "--db", folder / "store.db"], capture_output=True, check=False)
            outcome.runs = listed.stdout
        else:
            outcome.sound, outcome.runs = True, b""
        shutil.rmtree(folder)
        return outcome


def complain(scenario, fault, sentence, outcome):
    complaints.append(f"{scenario[0]}, {fault}: {sentence}; exit {outcome.code}, says {outcome.err[-300:]!r}")


def says_out_of_memory(outcome):
    """Exit 9, or 7 with the limit: if an allocation succeeds when it is tried again without the limit, weir blames the limit."""
    first = outcome.err.partition("\n")[0]
    return is_one_line(outcome.err) and ((outcome.code == OUT_OF_MEMORY and first == "weir: out of memory") or
                                         (outcome.code == 7 and "need more memory than the limit of" in first))


def is_one_line(text):
    """One message, behind which a gate states its verdict."""
    lines = [line for line in text.splitlines() if not line.startswith("weir: verdict=error ")]
    return text.endswith("\n") and len(lines) == 1 and lines[0].startswith("weir: ")


def check_whole(scenario, fault, outcome, plain, before):
    """Files are whole or absent, and a store is sound, with what it held before or holds after the command."""
    for name, content in outcome.files.items():
        if content is not None and content != plain.files[name]:
            complain(scenario, fault, f"{name} is neither whole nor absent ({len(content)} of {len(plain.files[name])} bytes)", outcome)
    left = set(outcome.left) - set(plain.left) - {"store.db-wal", "store.db-shm"}  # SQLite finds these at the next start
    if left:
        complain(scenario, fault, f"leaves {', '.join(left)}", outcome)
    if not outcome.sound or outcome.runs not in (plain.runs, before.runs):
        complain(scenario, fault, "the store is not what it was before or is after", outcome)


def each(bench, scenario, faults):
    """Yields a fault and its outcome for all faults, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(bench.run, scenario, fault, f"{scenario[0]}-{number}"): fault for number, fault in enumerate(faults)}
        for job in concurrent.futures.as_completed(jobs):
            yield jobs[job], job.result()


def try_alloc(bench, scenario, plain, before, every):
    listed = bench.run(scenario, "sites", "sites")
    if not listed.same_as(plain):
        complain(scenario, "sites", "results differ", listed)
    numbers = [int(number) for number, _ in listed.rows]
    if len(numbers) < 50:
        complain(scenario, "sites", f"only {len(numbers)} call sites: the library is not in effect", listed)
    codes, others = {}, 0
    for fault, outcome in each(bench, scenario, [f"alloc={number}" for number in sorted(numbers)[::every]]):
        codes[outcome.code] = codes.get(outcome.code, 0) + 1
        check_whole(scenario, fault, outcome, plain, before)
        if outcome.same_as(plain) and outcome.runs == plain.runs:
            continue
        maker = outcome.rows[0][1] if outcome.rows else "no library"
        if maker.startswith(OTHERS):
            others += 1
        elif not says_out_of_memory(outcome):
            complain(scenario, fault, f"an allocation of {maker}: expected exit 9, or the results without the fault", outcome)
    return f"{len(numbers)} call sites, {sum(codes.values())} failed: " + ", ".join(
        f"{n} exit {code}" for code, n in sorted(codes.items())) + f"; {others} of them in a library that ends the process or hides the reason"


def try_reads(bench, scenario, plain, _before, _every):
    for fault, outcome in each(bench, scenario, ["read=short", "read=eintr"]):
        if not outcome.same_as(plain) or outcome.runs != plain.runs:
            complain(scenario, fault, "results differ", outcome)
    return "short and interrupted reads"


def try_writes(bench, scenario, plain, before, _every):
    for fault, outcome in each(bench, scenario, ["write=short", "write=eintr"]):
        if not outcome.same_as(plain) or outcome.runs != plain.runs:
            complain(scenario, fault, "results differ", outcome)
    full = 0
    for fault, outcome in each(bench, scenario, [f"write={number}" for number in WRITES]):
        check_whole(scenario, fault, outcome, plain, before)
        if outcome.same_as(plain) and outcome.runs == plain.runs:
            continue
        full += 1
        if outcome.code in (0, 1) or outcome.code < 0 or not is_one_line(outcome.err):
            complain(scenario, fault, "expected one line and the exit code of an error", outcome)
    if not full:
        complain(scenario, "write=1", "no write failed: the library is not in effect", plain)
    return f"short and interrupted writes, {full} full disks"


def try_clock(bench, scenario, plain, _before, _every):
    for fault, outcome in each(bench, scenario, ["clock=back"]):
        if not outcome.same_as(plain) or outcome.runs != plain.runs:
            complain(scenario, fault, "results differ", outcome)
    return "clocks that jump back"


MODES = {"alloc": try_alloc, "reads": try_reads, "writes": try_writes, "clock": try_clock}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir", type=pathlib.Path)
    parser.add_argument("interpose", type=pathlib.Path)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("scenario", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=int, default=40, help="complaints to print")
    args = parser.parse_args()
    unknown = set(args.scenario) - {scenario[0] for scenario in SCENARIOS}
    if unknown:
        sys.exit(f"no scenario {', '.join(unknown)}")
    with tempfile.TemporaryDirectory() as base:
        bench = Bench(args.weir.resolve(), args.interpose.resolve(), pathlib.Path(base))
        for scenario in SCENARIOS:
            if args.scenario and scenario[0] not in args.scenario:
                continue
            plain = bench.run(scenario, None, "plain")
            if plain.code not in (0, 1):
                sys.exit(f"{scenario[0]} ends with {plain.code} without any fault: {plain.err}")
            before = bench.run(("before", ["version"], [], scenario[3]), None, "before")
            print(f"{scenario[0]:8} {MODES[args.mode](bench, scenario, plain, before, args.every)}", flush=True)
    for complaint in complaints[:args.most]:
        print(complaint, file=sys.stderr)
    if len(complaints) > args.most:
        print(f"... {len(complaints) - args.most} more", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
