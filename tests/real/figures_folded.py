# SPDX-License-Identifier: GPL-3.0-or-later
"""Folded stacks: "root;caller;leaf 12". A frame without a name counts for its caller."""
import classified

FOLDER = "folded"


def samples(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            stack, _, count = line.rstrip().rpartition(" ")
            if stack and not line.startswith("#"):
                yield int(count), [frame for frame in stack.split(";") if frame.strip()]


def expected(path):
    return classified.functions(*classified.stacks(samples(path)))


given = classified.given_functions
