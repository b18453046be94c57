# SPDX-License-Identifier: GPL-3.0-or-later
"""perf script: a line about each sample, then its stack from the leaf on. Samples of the first event count."""
import re

import classified

FOLDER = "perf-script"
HEADER = re.compile(r"(?P<comm>\S.*?)\s+(?P<pid>-?\d+)(?:/\d+)?\s+(?:\[\d+\]\s+)?(?:\d+\.\d+:\s+)?"
                    r"(?:(?P<period>\d+)\s+)?(?P<event>\S*[A-Za-z]\S*?):?\s*(?P<rest>[0-9a-f]+ .*)?$")
FRAME = re.compile(r"\s*[0-9a-f]+ (?P<name>.*?)(?:\+0x[0-9a-f]+)?(?: \((?P<file>[^()]*|\[[^\]]*\][^()]*)\))?$")


def frame_of(line):
    match = FRAME.match(line.rstrip("\n"))
    file = (match.group("file") or "").rsplit("/", 1)[-1]
    return match.group("name"), file


def expected(path):
    samples, first, idle, keep = [], None, 0, False
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            if line[0] in " \t":
                if keep:
                    samples[-1][1].append(frame_of(line))
                continue
            header = HEADER.match(line.rstrip())
            assert header, line
            first = first or header.group("event")
            keep = header.group("event") == first
            if not keep:
                continue
            weight = int(header.group("period") or 1)
            if header.group("pid") == "0" and header.group("comm").startswith("swapper"):
                idle, keep = idle + weight, False
                continue
            samples.append((weight, [(header.group("comm"), "")]))
            leaf = [] if not header.group("rest") else [frame_of(header.group("rest"))]
            samples[-1] = (weight, leaf, header.group("comm"))
    return classified.functions(*classified.stacks((weight, [(comm, "")] + frames[::-1])
                                                   for weight, frames, comm in samples), idle)


given = classified.given_functions
