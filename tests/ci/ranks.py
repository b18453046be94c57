#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ranks.py FOLDER COUNT: writes a job of COUNT ranks into FOLDER: the four traces of tests/data/kineto/straggler with other rank numbers."""
import gzip
import json
import os
import sys

STRAGGLER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/kineto/straggler")


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    traces = []
    for rank in range(4):
        with gzip.open(f"{STRAGGLER}/rank{rank}.pt.trace.json.gz") as file:
            traces.append(json.load(file))
    for rank in range(count):
        trace = traces[rank % 4]
        trace["distributedInfo"].update(rank=rank, world_size=count)
        with gzip.GzipFile(f"{folder}/rank{rank:03}.json.gz", "wb", compresslevel=1, mtime=0) as file:
            file.write(json.dumps(trace).encode())


main()
