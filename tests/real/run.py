#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the main figures that weir gives for real files with figures computed here, apart from weir.

run.py WEIR [MODULE...]: runs every figures_NAME.py beside it, or the named ones. Such a module has

    FOLDER = "bench"                     # below samples/real of the shelf
    def expected(path): ...              # returns {name: value} for a file, or a text that the refusal must hold
    def given(weir, path): ...           # returns {name: value} as weir prints them, for the same names

A value is a number, compared within one part in a thousand (or TOLERANCE of the module), or a text. Every file of the folder must be
covered. Prints one line for each file that differs. Without the shelf (WEIR_SHELF, else ../shared) it ends with 77: skipped.
"""
import glob
import importlib
import math
import os
import sys

import classified

here = os.path.dirname(os.path.abspath(__file__))


def refusal(weir, path):
    """Returns the message with which weir refuses the file; "" if it reads it."""
    result = classified.classify(weir, path)
    return result.stderr if result.returncode else ""


def same(want, have, tolerance):
    if isinstance(want, str) or want is None:
        return want == have
    return isinstance(have, (int, float)) and math.isclose(want, have, rel_tol=tolerance, abs_tol=1e-12)


def check(weir, module, path):
    """Returns what differs: a list of texts."""
    want = module.expected(path)
    if isinstance(want, str):
        said = refusal(weir, path)
        return [] if said and want in said else [f"refused with {want!r} expected; weir said {said.strip()!r}"]
    said = refusal(weir, path)
    if said:
        return [f"refused: {said.strip()}"]
    if not want:
        return ["no figure to compare"]
    have = module.given(weir, path)
    tolerance = getattr(module, "TOLERANCE", 1e-3)
    return [f"{name}: {have.get(name)!r}, expected {value!r}" for name, value in sorted(want.items())
            if not same(value, have.get(name), tolerance)]


def main():
    weir = sys.argv[1]
    shelf = os.environ.get("WEIR_SHELF", os.path.join(here, "..", "..", "..", "shared"))
    real = os.path.join(shelf, "samples", "real")
    if not os.path.isdir(real):
        print(f"skipped: no real files at {real}")
        return 77
    names = sys.argv[2:] or sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(here, "figures_*.py")))
    files = failed = 0
    for name in names:
        module = importlib.import_module(name)
        for path in sorted(glob.glob(os.path.join(real, module.FOLDER, "**"), recursive=True)):
            if not os.path.isfile(path):
                continue
            files += 1
            for text in check(weir, module, path):
                failed += 1
                print(f"{os.path.relpath(path, real)}: {text}")
    print(f"{files} files, {failed} differences")
    return failed > 0 or files == 0


if __name__ == "__main__":
    sys.exit(main())
