#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records steps of a function under jax.profiler; jax.sh calls it. docs/recipes/jax.md explains the settings."""
import argparse
import importlib
import os
import sys

import jax


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--warmup", type=int, default=20)
    parser.add_argument("-C", dest="folder", default=".")
    parser.add_argument("function", metavar="MODULE:FUNCTION")
    given = parser.parse_args()

    sys.path.insert(0, os.path.abspath(given.folder))
    module, _, name = given.function.partition(":")
    step = getattr(importlib.import_module(module), name)

    # Outside of the profiler: XLA compiles.
    for _ in range(given.warmup):
        jax.block_until_ready(step())

    with jax.profiler.trace(given.out):
        for number in range(given.steps):
            with jax.profiler.StepTraceAnnotation("step", step_num=number):
                jax.block_until_ready(step())


if __name__ == "__main__":
    main()
