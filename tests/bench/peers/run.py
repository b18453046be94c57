#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures weir classify beside programs that only parse: Python's json and, where g++ and libsimdjson-dev are installed, simdjson.

run.py WEIR TRACE [--copies N...] [--rounds N]

TRACE is a trace of PyTorch's profiler (plain or gzip), whose events are repeated N times with shifted times. Each input is read plain and
with gzip (not by simdjson, which reads plain JSON), in turns, on one core. Prints a table of the least processor time and the peak of memory of each. A
parser that does not see the events of the others is an error.
"""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEYS = ("correlation", "External id", "Ev Idx", "Record function id")


def repeat(source, target, copies):
    """Writes the events `copies` times, with unique correlation and flow ids; returns the number of events."""
    raw = source.read_bytes()
    document = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    events = document.pop("traceEvents")
    once = [event for event in events if event.get("ph") == "M"]
    rest = [event for event in events if event.get("ph") != "M"]
    begin = min(event["ts"] for event in rest if "ts" in event)
    span = max(event["ts"] + event.get("dur", 0) for event in rest if "ts" in event) - begin + 1000
    ids = [event["args"][key] for event in rest for key in KEYS if isinstance(event.get("args", {}).get(key), int)]
    step = 1 + max(ids + [event["id"] for event in rest if isinstance(event.get("id"), int)])
    with open(target, "w", encoding="utf-8") as out:
        out.write(json.dumps(document)[:-1] + ', "traceEvents": [\n' + ",\n".join(json.dumps(event) for event in once))
        for copy in range(copies):
            for event in rest:
                moved = dict(event)
                if "ts" in moved:
                    moved["ts"] = round(moved["ts"] + copy * span, 3)
                if isinstance(moved.get("id"), int):
                    moved["id"] += copy * step
                moved["args"] = {key: value + copy * step if key in KEYS and isinstance(value, int) else value
                                 for key, value in event.get("args", {}).items()}
                out.write(",\n" + json.dumps(moved))
        out.write("\n]}\n")
    return len(once) + copies * len(rest)


def measure(command):
    """Runs a command on one core; processor seconds, peak of memory in MB, standard output."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def simdjson(folder):
    """Builds the parser; None, said aloud, where it cannot be."""
    program = folder / "parse"
    if not shutil.which("g++"):
        print("simdjson is left out: install g++ and libsimdjson-dev")
        return None
    built = subprocess.run(["g++", "-O3", "-march=native", "-o", program, HERE / "parse.cpp", "-lsimdjson"], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        print(f"simdjson is left out: {built.stderr.strip().splitlines()[0]}")
        return None
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir", type=pathlib.Path)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        parse = simdjson(folder)
        print("| input | events | program | processor, s | memory, MB | ns an event |\n|---|--:|---|--:|--:|--:|")
        for copies in args.copies:
            plain, packed = folder / "trace.json", folder / "trace.json.gz"
            events = repeat(args.trace, plain, copies)
            packed.write_bytes(gzip.compress(plain.read_bytes(), 6))
            commands = [("weir classify", plain, [args.weir, "classify", "-q", plain, "-o", folder / "report.json"]),
                        ("weir classify", packed, [args.weir, "classify", "-q", packed, "-o", folder / "report.json"]),
                        ("Python json", plain, [sys.executable, HERE / "parse.py", plain]),
                        ("Python json", packed, [sys.executable, HERE / "parse.py", packed])]
            if parse:
                commands += [("simdjson, a tree of all values", plain, [parse, "tree", plain]),
                             ("simdjson, one look at each value", plain, [parse, "stream", plain])]
            results = [[measure(command) for _, _, command in commands] for _ in range(args.rounds)]
            seen = {text for (name, _, _), (_, _, text) in zip(commands, results[0]) if name != "weir classify"}
            if len(seen) != 1 or not seen.pop().startswith(f"{events} events"):
                sys.exit("the parsers do not agree on the events")
            for at, (name, path, _) in enumerate(commands):
                seconds = min(round_[at][0] for round_ in results)
                print(f"| {plain.stat().st_size / 1e6:.0f} MB{' as gzip' if path == packed else ''} | {events:,} | {name} | {seconds:.2f} | "
                      f"{max(round_[at][1] for round_ in results):.0f} | {seconds / events * 1e9:.0f} |", flush=True)


if __name__ == "__main__":
    main()
