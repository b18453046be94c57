#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""damaged_inputs.py WEIR [--count N] [--every N] [--only READER...] [--keep FOLDER]: reads damaged inputs of every reader.

The sample of each reader in engine/readers/readers.def is damaged in N ways (default 200): cut, bits flipped, pieces removed, repeated,
exchanged or replaced, numbers set to extremes. weir must end within 20 s of the processor, either with 0 and a JSON document, or with 7 and one line. Each damage is
drawn from the name of the reader and its number, so that a failure can be repeated. With a build of the sanitizers, a finding of theirs
or a leak is another exit code. --every 67 reads every 67th of them, other ones for each reader. --keep FOLDER keeps the inputs that failed."""
import argparse
import gzip
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import typing

SECONDS = 20  # of the processor, so that a busy machine is no fault
WALL_SECONDS = 300  # a program that waits for ever
EXTREMES = [b"0", b"-1", b"-0.0", b"1e308", b"-1e308", b"1e-320", b"1e999999999", b"9223372036854775807", b"-9223372036854775808",
            b"18446744073709551616", b"4294967296", b"2147483648", b"99999999999999999999999999999999", b"0.00000000000000000001", b"NaN",
            b"Infinity", b"null", b"true", b'""', b"[]", b"{}", b"0x7fffffff", b"1,5", b" ", b""]
PIECES = [b"\0", b"\xff\xfe", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b"\n", b"\r\n", b"\t", b":", b"\xc2", b"\xed\xa0\x80", b"\\u0000",
          b"\\ud800", b"A" * 5000, b"[" * 3000, b"\n" * 300]
NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent


def place(draw, data, longest=4096):
    """Returns the start and end of a piece of the data."""
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.randrange(1, longest))


def cut(draw, data):
    return data[:draw.randrange(len(data) + 1)]


def flip(draw, data):
    damaged = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 8, 64])):
        if damaged:
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    return bytes(damaged)


def remove(draw, data):
    start, end = place(draw, data)
    return data[:start] + data[end:]


def repeat(draw, data):
    start, end = place(draw, data)
    return data[:end] + data[start:end] * draw.choice([1, 2, 50]) + data[end:]


def exchange(draw, data):
    first, second = sorted([place(draw, data), place(draw, data)])
    if first[1] > second[0]:
        return data[second[0]:] + data[:second[0]]
    return data[:first[0]] + data[second[0]:second[1]] + data[first[1]:second[0]] + data[first[0]:first[1]] + data[second[1]:]


def insert(draw, data):
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(PIECES) + data[at:]


def overwrite(draw, data):
    """Sets a few bytes to 0, 255 or other bytes, as in fields of binary formats."""
    start, end = place(draw, data, 9)
    return data[:start] + draw.choice([b"\0", b"\xff", b"\x7f", b"\x80"]) * (end - start) + data[end:]


def numbers(draw, data):
    """Replaces some numbers of a text by extremes."""
    found = list(NUMBER.finditer(data))
    damaged, behind = [], 0
    for one in sorted(draw.sample(found, min(len(found), draw.choice([1, 2, 10]))), key=lambda match: match.start()):
        damaged += [data[behind:one.start()], draw.choice(EXTREMES)]
        behind = one.end()
    return b"".join(damaged) + data[behind:]


DAMAGES = [cut, flip, numbers, remove, repeat, insert, exchange, overwrite, numbers]


def damage(reader, number, data):
    """Returns the data with damage `number`; compressed data are damaged as they are, or before they are compressed."""
    draw = random.Random(f"{reader} {number}")
    packed = data[:2] == b"\x1f\x8b" and number % 3 > 0
    if packed:
        data = gzip.decompress(data)
    damaged = DAMAGES[number % len(DAMAGES)](draw, data)
    if number % 5 == 4:
        damaged = draw.choice(DAMAGES)(draw, damaged)
    return gzip.compress(damaged, 1, mtime=0) if packed else damaged


def command_for(sample, path, number):
    """Returns the arguments of weir; every other command names the format. A file of benchmarks may hold several runs."""
    command = ["convert", "-q", path, "--run", "1"] if sample.path.parent.name == "benchmarks" else ["classify", "-q", "-f", "json", path]
    return command + (["--input-format", sample.format] if number % 2 else [])


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def fault_of(command):
    """Runs weir; returns what is wrong, or None."""
    try:
        ended = subprocess.run(command, capture_output=True, timeout=WALL_SECONDS, check=False, preexec_fn=limit_time)
    except subprocess.TimeoutExpired:
        return f"does not end within {WALL_SECONDS} s"
    said = ended.stderr.decode(errors="replace").splitlines()
    if ended.returncode == 7:
        return None if len(said) == 1 and said[0].startswith("weir: ") and not ended.stdout else f"exit 7, not with one line: {said}"
    if ended.returncode != 0:
        return f"exit {ended.returncode}: {said[:12]}"
    try:
        json.loads(ended.stdout)
    except ValueError as why:
        return f"exit 0 and no JSON: {why}"
    return None if not said else f"exit 0, and said {said}"


class Sample(typing.NamedTuple):
    """The sample of a reader: its symbol, its name for --input-format, and a path."""
    reader: str
    format: str
    path: pathlib.Path


def samples():
    """Returns the samples of all readers."""
    text = (root / "engine/readers/readers.def").read_text()
    found = re.findall(r'^READER\((\w+), "([^"]+)"\)$', text, re.M)
    code = "".join(path.read_text() for path in (root / "engine/readers").rglob("*.c"))
    formats = dict(re.findall(r'^const struct weir_reader weir_reader_(\w+) = \{\s*\.name = "([^"]+)"', code, re.M))
    assert len(found) == text.count("\nREADER("), "a line of readers.def was not understood"
    return [Sample(name, formats[name], root / "tests/data" / path) for name, path in found]


def study(args, sample, first):
    """Reads every n-th damaged input of a reader from the first on; returns the number of faults."""
    data, faults = sample.path.read_bytes(), 0
    path = os.path.join(args.work, "damaged" + "".join(sample.path.suffixes))
    for number in range(first, args.count, args.every):
        with open(path, "wb") as out:
            out.write(damage(sample.reader, number, data))
        fault = fault_of([os.path.abspath(args.weir), *command_for(sample, path, number)])
        if fault:
            faults += 1
            print(f"{sample.reader}, damage {number}: {fault}", flush=True)
            if args.keep:
                os.replace(path, os.path.join(args.keep, f"{sample.reader}-{number}" + "".join(sample.path.suffixes)))
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[], metavar="READER")
    parser.add_argument("--keep", metavar="FOLDER")
    args = parser.parse_args()
    os.environ["ASAN_OPTIONS"] = "exitcode=99:detect_leaks=1"
    os.environ["UBSAN_OPTIONS"] = "exitcode=98"
    os.environ["TZ"] = "UTC"
    chosen = [sample for sample in samples() if not args.only or sample.reader in args.only]
    if not set(args.only) <= {sample.reader for sample in chosen}:
        sys.exit("damaged_inputs.py: no such reader")
    with tempfile.TemporaryDirectory(prefix="damaged-") as args.work:
        faults = sum(study(args, sample, i % args.every) for i, sample in enumerate(chosen))
    print(f"{len(chosen)} readers, {-(-args.count // args.every)} damaged inputs of each, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
