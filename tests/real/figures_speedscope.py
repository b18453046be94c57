# SPDX-License-Identifier: GPL-3.0-or-later
"""speedscope: sampled and evented profiles, as its file format specification describes them."""
import json

import classified

FOLDER = "speedscope"
NS = {"none": 1, "nanoseconds": 1, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9}


def stacks_of(profile, frames):
    scale = NS[profile["unit"]]
    if profile["type"] == "sampled":
        for stack, weight in zip(profile["samples"], profile["weights"]):
            yield weight * scale, [frames[frame] for frame in stack]
        return
    stack, last = [], None
    for event in profile["events"]:
        if stack:
            yield (event["at"] - last) * scale, list(stack)
        last = event["at"]
        if event["type"] == "O":
            stack.append(frames[event["frame"]])
        else:
            assert stack.pop() == frames[event["frame"]]


def expected(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    frames = [(frame["name"], frame.get("file")) for frame in document["shared"]["frames"]]
    samples = [sample for profile in document["profiles"] for sample in stacks_of(profile, frames)]
    return classified.functions(*classified.stacks(samples))


given = classified.given_functions
