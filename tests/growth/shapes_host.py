# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles of host functions: folded stacks, speedscope, perf script, cProfile."""
import marshal
import os

import collisions
from shape import Shape, classify, write


def folded(line):
    """Returns a generator of n stacks."""
    def make(n, folder):
        write(folder, "stacks.folded", (line(i) for i in range(n)))
        return classify("stacks.folded")
    return make


def stack(i):
    return "main;" + ";".join(f"f{(i * 7 + k) % 300} (app.py:{k})" for k in range(20)) + f" {i % 9 + 1}\n"


def functions(i):
    return f"main;run;function_{i} (app.py:{i}) 3\n"


def leaves(i):
    return f"main;run;layer_{i // 100};leaf_{i % 100} 3\n"


def same_stack(_):
    return "main;run;forward;matmul 12\n"


def folded_depth(n, folder):
    deep = ";".join(f"f{k}" for k in range(n))
    write(folder, "stacks.folded", ["main;run 5\n" * 20, *(f"{deep};leaf{i} 5\n" for i in range(200))])
    return classify("stacks.folded")


def folded_recursion(n, folder):
    deep = ";".join(["walk"] * n)
    write(folder, "stacks.folded", ["main;run 5\n" * 20, *(f"{deep};leaf{i} 5\n" for i in range(200))])
    return classify("stacks.folded")


def folded_triangle(n, folder):
    """Stacks of 1 to 300 frames, again and again below other roots."""
    write(folder, "stacks.folded", (f"root{i // 300};" + ";".join(f"f{k}" for k in range(i % 300)) + " 5\n" for i in range(n)))
    return classify("stacks.folded")


def folded_collisions(n, folder):
    write(folder, "stacks.folded", (f"main;{name} 5\n" for name in collisions.fnv1a(n)))
    return classify("stacks.folded")


def speedscope_file(folder, frames, profiles):
    def texts():
        yield '{"$schema":"https://www.speedscope.app/file-format-schema.json","name":null,"activeProfileIndex":0,"shared":{"frames":['
        yield ",".join(f'{{"name":"f{i}","file":"app.py","line":{i}}}' for i in range(frames))
        yield ']},"profiles":['
        yield from profiles
        yield "]}"
    write(folder, "x.speedscope.json", texts())
    return classify("x.speedscope.json")


def sampled(samples, frames):
    """Yields a profile of sampled stacks, each a list of indices of frames."""
    yield f'{{"type":"sampled","name":"main","unit":"milliseconds","startValue":0,"endValue":{samples},"samples":['
    for i in range(samples):
        yield ("," if i else "") + str(frames(i))
    yield '],"weights":[' + ",".join(["1"] * samples) + "]}"


def speedscope_samples(n, folder):
    return speedscope_file(folder, 1000, sampled(n, lambda i: [(i * 7 + k * k) % 1000 for k in range(12)]))


def speedscope_frames(n, folder):
    return speedscope_file(folder, n, sampled(n, lambda i: [0, i]))


def speedscope_depth(n, folder):
    return speedscope_file(folder, n, sampled(10, lambda i: list(range(n))))


def speedscope_events(n, folder):
    def events():
        yield f'{{"type":"evented","name":"worker","unit":"milliseconds","startValue":0,"endValue":{2 * n},"events":['
        for i in range(n):
            yield f'{"," if i else ""}{{"type":"O","frame":{i % 500},"at":{2 * i}}},{{"type":"C","frame":{i % 500},"at":{2 * i + 1}}}'
        yield "]}"
    return speedscope_file(folder, 500, events())


def speedscope_nested(n, folder):
    """Events, each within the one before."""
    def events():
        yield f'{{"type":"evented","name":"worker","unit":"milliseconds","startValue":0,"endValue":{2 * n},"events":['
        yield ",".join(f'{{"type":"O","frame":{i % 500},"at":{i}}}' for i in range(n)) + ","
        yield ",".join(f'{{"type":"C","frame":{i % 500},"at":{2 * n - i}}}' for i in reversed(range(n)))
        yield "]}"
    return speedscope_file(folder, 500, events())


def speedscope_profiles(n, folder):
    def profiles():
        for i in range(n):
            yield ("," if i else "") + "".join(sampled(3, lambda k: [0, k + 1])).replace('"main"', f'"thread {i}"')
    return speedscope_file(folder, 10, profiles())


def perf_file(n, folder, frames, program=lambda i: "python3"):
    """Samples of a clock, with their frames from the leaf on."""
    def texts():
        for i in range(n):
            yield f"{program(i)} 19145/19146 [002]   {788 + i // 1000}.{i % 1000:03d}000:   10101010 cpu-clock:ppp: \n"
            yield "".join(f"\t            {4096 + k:x} {name}+0x2d (/opt/demo/w)\n" for k, name in enumerate(frames(i))) + "\n"
    write(folder, "perf.txt", texts())
    return classify("perf.txt")


def perf_samples(n, folder):
    return perf_file(n, folder, lambda i: [f"f{(i * 7 + k) % 300}" for k in range(12)])


def perf_functions(n, folder):
    return perf_file(n, folder, lambda i: [f"function_{i}", "main"])


def perf_depth(n, folder):
    return perf_file(20, folder, lambda i: [f"f{k}" for k in range(n)])


def perf_programs(n, folder):
    return perf_file(n, folder, lambda i: ["work", "main"], lambda i: f"p{i}")


def cprofile_stats(n, folder, callers_of):
    """Writes n functions with their callers in the form of cProfile."""
    stats = {("app.py", i, f"function_{i}"): (3, 3, 0.001, 0.002, callers_of(i)) for i in range(n)}
    with open(os.path.join(folder, "app.prof"), "wb") as out:
        marshal.dump(stats, out)
    return classify("app.prof")


def caller(i):
    return ("app.py", i, f"function_{i}")


def cprofile_functions(n, folder):
    return cprofile_stats(n, folder, lambda i: {caller(i // 2): (1, 1, 0.001, 0.002)} if i else {})


def cprofile_chain(n, folder):
    return cprofile_stats(n, folder, lambda i: {caller(i - 1): (1, 1, 0.001, 0.002)} if i else {})


def cprofile_callers(n, folder):
    """One function that n others call."""
    return cprofile_stats(n, folder, lambda i: {caller(k): (1, 1, 0.0001, 0.0002) for k in range(1, n)} if i == 0 else {})


def of(name, grows, make, first=4000, **more):
    return Shape(name, grows, make, first, **more)


SHAPES = [
    of("folded-lines", "stacks of 20 frames", folded(stack)),
    of("folded-functions", "distinct functions", folded(functions), quick=12000),
    of("folded-leaves", "functions of many callers", folded(leaves)),
    of("folded-same", "lines of one stack", folded(same_stack)),
    of("folded-depth", "frames of 200 stacks", folded_depth, 200, limit=130000, of_limit="lines of 1 MiB"),
    of("folded-recursion", "frames of one function", folded_recursion, 200, limit=200000, of_limit="lines of 1 MiB"),
    of("folded-triangle", "stacks of 1 to 300 frames", folded_triangle, 1000),
    of("folded-fnv1a", "functions with one FNV-1a hash", folded_collisions),
    of("speedscope-samples", "samples of 12 frames", speedscope_samples),
    of("speedscope-frames", "distinct frames", speedscope_frames),
    of("speedscope-depth", "frames of ten stacks", speedscope_depth, 500),
    of("speedscope-events", "events", speedscope_events, 400000, limit=900000, of_limit="profiles of 64 MiB"),
    of("speedscope-nested", "events within each other", speedscope_nested, 400000, limit=900000, of_limit="profiles of 64 MiB"),
    of("speedscope-profiles", "profiles of threads", speedscope_profiles, 500),
    of("perf-samples", "samples of 12 frames", perf_samples),
    of("perf-functions", "distinct functions", perf_functions),
    of("perf-depth", "frames of 20 samples", perf_depth, 200),
    of("perf-programs", "distinct programs", perf_programs),
    of("cprofile-functions", "functions", cprofile_functions, 2000, limit=720000, of_limit="files of 64 MiB"),
    of("cprofile-chain", "functions that each call the next", cprofile_chain, 2000, limit=720000, of_limit="files of 64 MiB"),
    of("cprofile-callers", "callers of one function", cprofile_callers, 2000, limit=720000, of_limit="files of 64 MiB"),
]
