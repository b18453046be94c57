#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records steps of a function under torch.profiler; pytorch.sh calls it. docs/recipes/pytorch.md explains the settings."""
import argparse
import importlib
import os
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule


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
    has_gpu = torch.cuda.is_available()

    # Outside of the profiler: compilation, autotuning and the caching allocator settle.
    for _ in range(given.warmup):
        step()
    if has_gpu:
        torch.cuda.synchronize()

    path = os.path.join(given.out, "run.pt.trace.json.gz")
    with profile(activities=[ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if has_gpu else []),
                 schedule=schedule(wait=0, warmup=5, active=given.steps, repeat=1),
                 on_trace_ready=lambda recorded: recorded.export_chrome_trace(path),
                 record_shapes=True) as profiler:
        for _ in range(5 + given.steps):
            step()
            profiler.step()
        if has_gpu:
            torch.cuda.synchronize()


if __name__ == "__main__":
    main()
