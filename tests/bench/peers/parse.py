#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""parse.py FILE: parses a trace, plain or gzip, with Python's json and sums the durations of its events."""
import gzip
import json
import sys

with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1], "rb") as stream:
    events = json.load(stream)["traceEvents"]
print(f"{len(events)} events, {sum(event.get('dur', 0) for event in events):.3f} us")
