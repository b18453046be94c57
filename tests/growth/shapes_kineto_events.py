# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of PyTorch's profiler: number, order and times of events."""
import gzip
import os

from kineto import HEAD, TAIL, call, copy, host, kernel, launch, of_events, operator, step, stepped, trace, triple
from shape import Shape, classify, mixed


def events_gzip(n, folder):
    with gzip.open(os.path.join(folder, "trace.json.gz"), "wt", compresslevel=1) as out:
        out.write(HEAD)
        out.writelines(stepped(n, triple))
        out.write(TAIL)
    return classify("trace.json.gz")


def steps(n, folder):
    return trace(folder, (step(i, 1000 + 20 * i, 19) + triple(i, 1002 + 20 * i) for i in range(n)))


def one_step(n, folder):
    return trace(folder, [step(1, 1000, 10 * n), *(triple(i, 1001 + 10 * i) for i in range(n))])


def shaped(op, i, ts, name, dims, types, scalars):
    args = f',"Input Dims":{dims},"Input type":{types},"Concrete Inputs":{scalars}'
    return triple(i, ts, op, name, more=args)


def sorts_in_one_step(n, folder):
    """Sorts of rows of different lengths, each with a slice of one of them."""
    def events():
        yield step(1, 1000, 20 * n)
        for i in range(n):
            dims = f"[[64,{4100 + i}],[],[]]"
            yield shaped("aten::sort", i, 1001 + 20 * i, "radixSortKVInPlace", dims, '["float","Scalar","Scalar"]', '["","-1","True"]')
            yield operator("aten::slice", 1011 + 20 * i, 2, n + i, more=',"Input Dims":[[64,4],[],[],[],[]],"Input type":["float","Scalar",'
                           '"Scalar","Scalar","Scalar"],"Concrete Inputs":["","1","0","4000","1"]')

    return trace(folder, events())


KINDS = [
    ("aten::copy_", "direct_copy_kernel_cuda", "[[{0},64],[{0},64],[]]", '["float","float","Scalar"]'),
    ("aten::mul", "vectorized_elementwise_kernel", "[[{0},64],[{0},64]]", '["float","float"]'),
    ("aten::mm", "gemm", "[[{0},64],[64,64]]", '["float","float"]'),
    ("aten::index", "indexSelectLargeIndex", "[[{0},64],[]]", '["float",""]'),
    ("aten::index_add_", "indexFuncLargeIndex", "[[64,64],[],[{0}],[{0},64],[]]", '["float","Scalar","long int","float","Scalar"]'),
    ("aten::cat", "CatArrayBatchedCopy", "[[[{0},64],[1,64]],[]]", '["TensorList","Scalar"]'),
    ("aten::_softmax", "softmax_warp_forward", "[[8,{0}],[],[]]", '["float","Scalar","Scalar"]'),
    ("aten::eq", "vectorized_elementwise_kernel", "[[{0},64],[]]", '["long int","Scalar"]'),
]


def operators_in_one_step(n, folder):
    """Operators of eight kinds that fixes look at, all of different sizes, in one step."""
    def events():
        yield step(1, 1000, 10 * n)
        for i in range(n):
            op, name, dims, types = KINDS[i % len(KINDS)]
            scalars = "[" + ",".join(['"1"'] * (types.count(",") + 1)) + "]"
            yield shaped(op, i, 1001 + 10 * i, name, dims.format(4100 + i), types, scalars)

    return trace(folder, events())


def reversed_events(n, folder):
    return trace(folder, (triple(i, 1000 + 10 * i) for i in reversed(range(n))))


def shuffled(n, folder):
    return trace(folder, (triple(i, 1000 + 10 * i) for i in mixed(n)))


def same_time(n, folder):
    return trace(folder, (triple(i, 1000) for i in range(n)))


def no_duration(n, folder):
    return trace(folder, (operator("aten::mm", 10 * i, 0, i + 1) + launch(10 * i, 0, i + 1, i + 1) + kernel("gemm", 10 * i, 0, i + 1, i + 1)
                          for i in range(n)))


def overlapping(n, folder):
    """Each kernel starts after the one before it and ends before it."""
    return trace(folder, (operator("aten::mm", 2 * i, 2, i + 1) + launch(2 * i, 1, i + 1, i + 1)
                          + kernel("gemm", 2 * n + 2 * i, 4 * n - 3 * i, i + 1, i + 1) for i in range(n)))


def overlapping_streams(n, folder):
    """Kernels of 64 streams, each of which lasts as long as 64 starts."""
    return trace(folder, stepped(n, lambda i, ts: launch(ts, 1, i + 1) + kernel("gemm", ts + 2, 640, i + 1, stream=7 + i % 64)))


def kernels_alone(n, folder):
    return trace(folder, (kernel("gemm", 10 * i, 5, i + 1) for i in range(n)))


def launches_alone(n, folder):
    return trace(folder, stepped(n, lambda i, ts: operator("aten::mm", ts, 8, i + 1) + launch(ts + 1, 3, i + 1, i + 1)))


def operator_over_all(n, folder):
    def events():
        yield operator("aten::all", 0, 20 * n + 100, 1)
        for i in range(n):
            yield launch(20 * i + 1, 3, i + 1, 1)
            yield kernel("gemm", 20 * i + 8, 5, i + 1, 1)
    return trace(folder, events())


def duplicates(n, folder):
    event = triple(0, 1000)
    return trace(folder, (event for _ in range(n)))


def gaps(n, folder):
    """Steps an hour apart."""
    return trace(folder, (step(i, 3600000000 * i, 20) + triple(i, 3600000000 * i + 1) for i in range(n)))


def crossing(n, folder):
    """Each operator ends after the next one has begun and before that one ends."""
    return trace(folder, (operator("aten::mm", 10 * i, 45, i + 1) + launch(10 * i + 1, 3, i + 1, i + 1) + kernel("gemm", 10 * i + 8, 5, i + 1)
                          for i in range(n)))


def late_queue(n, folder):
    """The host launches everything before the device begins."""
    return trace(folder, (operator("aten::mm", 4 * i, 3, i + 1) + launch(4 * i + 1, 1, i + 1, i + 1)
                          + kernel("gemm", 4 * n + 6 * i, 5, i + 1, i + 1) for i in range(n)))


def early_kernels(n, folder):
    """Kernels begin before they are launched, as with clocks that differ."""
    return trace(folder, stepped(n, lambda i, ts: launch(ts + 500, 1, i + 1) + kernel("gemm", ts, 5, i + 1)))


def host_alone(n, folder):
    return trace(folder, stepped(n, lambda i, ts: operator("aten::relu", ts, 8, i + 1)))


def damaged(n, folder):
    """Two of three events have no times or damaged ones."""
    bad = '{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1},\n{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":"x","dur":NaN},\n'
    return trace(folder, (bad + triple(i, 10 * i) for i in range(n)))


def negative(n, folder):
    return trace(folder, (operator("aten::mm", 10 * i, -8, i + 1) + launch(10 * i, 2, i + 1, i + 1) + kernel("gemm", 10 * i, -5, i + 1, i + 1)
                          for i in range(n)))


def backwards_steps(n, folder):
    """Steps that overlap the next three."""
    return trace(folder, (step(i, 20 * i, 70) + triple(i, 20 * i + 2) for i in range(n)))


def synchronisations(i, ts):
    return triple(i, ts) + call("cudaStreamSynchronize", ts + 8, 1, 0) + host("cuda_sync", "Stream Sync", ts + 8, 1, 7,
                                                                             '"cuda_sync_kind":"Stream Sync","stream":7')


def copies(i, ts):
    return operator("aten::copy_", ts, 8, i + 1) + call("cudaMemcpyAsync", ts + 1, 5, i + 1, i + 1) + copy(ts + 4, 3, i + 1, 4096 + i)


def growing_steps(n, folder):
    """Each step holds one operator more than the one before."""
    def events():
        done, number = 0, 0
        while done < n:
            number += 1
            yield step(number, 1000 + 20 * done, 20 * number - 1)
            for _ in range(number):
                yield triple(done, 1000 + 20 * done)
                done += 1
    return trace(folder, events())


SHAPES = [
    Shape("kineto-sorts-one-step", "sorts of different lengths in one step", sorts_in_one_step, 2000, quick=2000),
    # Beyond 20,000 operators, batch-more does not look for runs of a model: up to there its search grows faster, for at most 2 s.
    Shape("kineto-operators-one-step", "operators of different sizes in one step", operators_in_one_step, 24000),
    Shape("kineto-events", "operators with a launch and a kernel", of_events(triple), 8000, quick=6000),
    Shape("kineto-events-parallel", "the same, on all processors", of_events(triple), 8000, parallel=True),
    Shape("kineto-events-gzip", "the same, compressed", events_gzip, 8000),
    Shape("kineto-steps", "steps with one operator", steps, 8000, quick=4000),
    Shape("kineto-one-step", "operators of one step", one_step, 8000),
    Shape("kineto-growing-steps", "operators in steps that each hold one more", growing_steps, 8000),
    Shape("kineto-overlapping-steps", "steps that begin in those before", backwards_steps, 8000),
    Shape("kineto-reversed", "events from the last to the first", reversed_events, 8000),
    Shape("kineto-shuffled", "events without order", shuffled, 8000),
    Shape("kineto-same-time", "events at one time", same_time, 8000, quick=3000),
    Shape("kineto-no-duration", "events that last 0", no_duration, 8000),
    Shape("kineto-nested-kernels", "kernels, each within the one before", overlapping, 8000, quick=4000),
    Shape("kineto-overlapping-streams", "kernels of 64 streams that overlap", overlapping_streams, 8000),
    Shape("kineto-kernels-alone", "kernels without launches", kernels_alone, 8000),
    Shape("kineto-launches-alone", "launches without kernels", launches_alone, 8000),
    Shape("kineto-operator-over-all", "launches of one operator", operator_over_all, 8000),
    Shape("kineto-duplicates", "the same event again", duplicates, 8000),
    Shape("kineto-gaps", "steps an hour apart", gaps, 8000),
    Shape("kineto-crossing", "operators that overlap without nesting", crossing, 8000),
    Shape("kineto-late-queue", "kernels that wait in the queue", late_queue, 8000),
    Shape("kineto-early-kernels", "kernels before their launches", early_kernels, 8000),
    Shape("kineto-host-alone", "operators without device", host_alone, 8000),
    Shape("kineto-damaged", "events without times", damaged, 8000),
    Shape("kineto-negative", "durations below 0", negative, 8000),
    Shape("kineto-synchronisations", "waits for a stream", of_events(synchronisations), 8000),
    Shape("kineto-copies", "copies of different sizes", of_events(copies), 8000),
]
