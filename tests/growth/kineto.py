# SPDX-License-Identifier: GPL-3.0-or-later
"""Events in the form of PyTorch's profiler, one line each. Times are microseconds."""
import itertools

from shape import classify, write

DEVICE = '"deviceProperties":[{"id":0,"name":"NVIDIA H200","totalGlobalMem":150109880320,"computeMajor":9,"computeMinor":0,"numSms":132}]'
HEAD = '{"schemaVersion":1,' + DEVICE + ',"traceEvents":[\n'
TAIL = '{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0,"args":{"name":"python"}}\n]}\n'


def operator(name, ts, dur, external, tid=1, more="", pid=1):
    return (f'{{"ph":"X","cat":"cpu_op","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},'
            f'"args":{{"External id":{external}{more}}}}},\n')


def host(category, name, ts, dur, tid=1, more="", pid=1):
    return f'{{"ph":"X","cat":"{category}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{more}}}}},\n'


def call(name, ts, dur, correlation, external=0, tid=1, pid=1):
    return (f'{{"ph":"X","cat":"cuda_runtime","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},'
            f'"args":{{"External id":{external},"correlation":{correlation}}}}},\n')


def launch(ts, dur, correlation, external=0, tid=1, pid=1):
    return call("cudaLaunchKernel", ts, dur, correlation, external, tid, pid)


def kernel(name, ts, dur, correlation, external=0, stream=7, device=0, grid="8,16,1", more=""):
    return (f'{{"ph":"X","cat":"kernel","name":"{name}","pid":{device},"tid":{stream},"ts":{ts},"dur":{dur},"args":{{"External id":{external},'
            f'"device":{device},"stream":{stream},"correlation":{correlation},"grid":[{grid}],"block":[128,1,1]{more}}}}},\n')


def copy(ts, dur, correlation, size=4096, kind="Memcpy HtoD (Pageable -> Device)", stream=7):
    return (f'{{"ph":"X","cat":"gpu_memcpy","name":"{kind}","pid":0,"tid":{stream},"ts":{ts},"dur":{dur},"args":{{"device":0,'
            f'"stream":{stream},"correlation":{correlation},"bytes":{size}}}}},\n')


def step(number, ts, dur, tid=1):
    return host("user_annotation", f"ProfilerStep#{number}", ts, dur, tid)


def triple(i, ts, op="aten::mm", name="gemm", tid=1, stream=7, correlation=None, more="", grid="8,16,1"):
    """Returns an operator of 8 us, its launch, and a kernel of 5 us that starts 4 us after the launch."""
    correlation = i + 1 if correlation is None else correlation
    return (operator(op, ts, 8, i + 1, tid, more) + launch(ts + 1, 3, correlation, i + 1, tid)
            + kernel(name, ts + 5, 5, correlation, i + 1, stream, grid=grid))


def stepped(n, event, per_step=200, spacing=10, at=1000):
    """Yields event(i, ts) for each i, `spacing` apart, and steps around them."""
    for i in range(n):
        if i % per_step == 0:
            yield step(i // per_step, at + i * spacing, min(per_step, n - i) * spacing - 1)
        yield event(i, at + i * spacing)


def trace(folder, events, name="trace.json", head=HEAD):
    write(folder, name, itertools.chain([head], events, [TAIL]))
    return classify(name)


def of_events(event, per_step=200, spacing=10):
    """Returns a generator of a trace of event(i, ts) in steps."""
    return lambda n, folder: trace(folder, stepped(n, event, per_step, spacing))
