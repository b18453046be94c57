# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of PyTorch's profiler: threads, nesting, frames, memory and calls of the host."""
import itertools

from kineto import call, host, kernel, launch, of_events, operator, step, stepped, trace, triple
from shape import Shape


def threads(n, folder):
    return trace(folder, (triple(i, 1000 + 10 * (i // 8), tid=1 + i) for i in range(n)))


def threads_wide_ids(n, folder):
    return trace(folder, (triple(i, 1000 + 10 * (i // 8), tid=(1 + i) << 16) for i in range(n)))


def processes(n, folder):
    return trace(folder, (operator("aten::mm", 10 * i, 8, i + 1, pid=i + 1) + launch(10 * i + 1, 3, i + 1, i + 1, pid=i + 1)
                          + kernel("gemm", 10 * i + 5, 5, i + 1, i + 1) for i in range(n)))


def other_thread(n, folder):
    """Operators of one thread whose launches come from another one, as in a backward pass."""
    return trace(folder, stepped(n, lambda i, ts: operator("aten::mm", ts, 8, i + 1) + launch(ts + 1, 3, i + 1, i + 1, tid=2)
                                 + kernel("gemm", ts + 5, 5, i + 1, i + 1)))


def nested(category, name, launches=True):
    """Returns a generator of a tower of n events, each within the one before."""
    def make(n, folder):
        def events():
            for i in range(n):
                more = f'"External id":{i + 1},"Python id":{i + 1},"Python parent id":{i}'
                yield host(category, name(i), 2 * i, 20 * n - 4 * i, more=more)
                if launches:
                    yield launch(2 * i + 1, 1, i + 1, i + 1)
                    yield kernel("gemm", 20 * n + 10 * i, 5, i + 1, i + 1)
        return trace(folder, events())
    return make


def towers(depth, category="cpu_op"):
    """Returns a generator of n towers of nested events with a launch at the top."""
    def make(n, folder):
        def events():
            for i in range(n):
                at = 1000 + 10 * depth * i
                yield step(i, at, 10 * depth - 1)
                for level in range(depth):
                    yield host(category, f"level {level}", at + level + 1, 8 * depth - 2 * level, more=f'"External id":{depth * i + level + 1}')
                yield launch(at + 2 * depth, 1, i + 1)
                yield kernel("gemm", at + 2 * depth + 4, 5, i + 1)
        return trace(folder, events())
    return make


def stacks(n, folder):
    """Steps with a stack of 100 Python frames, each stack from other places of a program."""
    def events():
        for i in range(n):
            at = 1000 + 1000 * i
            yield step(i, at, 999)
            for level in range(100):
                yield host("python_function", f"file_{(i * 31 + level) % 997}.py({level}): call", at + level + 1, 900 - 2 * level)
            yield triple(i, at + 200)
    return trace(folder, events())


def children(n, folder):
    """One operator with n operators in it."""
    return trace(folder, itertools.chain([operator("aten::all", 0, 10 * n + 20, 1)], (triple(i + 1, 10 * i + 1, f"aten::op{i % 50}")
                                                                                      for i in range(n))))


def annotation_tower_on_steps(n, folder):
    def events():
        for i in range(n):
            at = 1000 + 100 * i
            yield step(i, at, 99)
            for level, name in enumerate(("prefill", "layer", "attention", "softmax")):
                yield host("user_annotation", name, at + level, 90 - 2 * level)
            yield triple(i, at + 10)
    return trace(folder, events())


def memory(i, ts):
    return triple(i, ts) + (f'{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{ts + 2},"args":{{'
                            f'"Total Reserved":{1 << 30},"Total Allocated":{i % 1000 << 12},"Bytes":{4096 if i % 2 == 0 else -4096},'
                            f'"Addr":{140000000000000 + (i // 2 << 12)},"Device Id":0,"Device Type":1}}}},\n')


def live_memory(i, ts):
    """Allocations that are never freed."""
    return triple(i, ts) + (f'{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{ts + 2},"args":{{'
                            f'"Total Reserved":{i + 1 << 12},"Total Allocated":{i + 1 << 12},"Bytes":4096,"Addr":{i + 1 << 20},'
                            f'"Device Id":0,"Device Type":1}}}},\n')


def mallocs(i, ts):
    return call("cudaMalloc" if i % 2 == 0 else "cudaFree", ts, 3, i + 1) + triple(i, ts + 3, correlation=i + 1)


def device_waits(i, ts):
    return triple(i, ts) + call("cudaDeviceSynchronize", ts + 8, 2, 0)


def events_of_cuda(i, ts):
    return triple(i, ts) + call("cudaEventRecord", ts + 8, 1, 0) + call("cudaStreamWaitEvent", ts + 9, 1, 0)


def waits_of_streams(n, folder):
    """Each kernel waits for the one before it on another stream."""
    def event(i, ts):
        wait = host("cuda_sync", "Stream Wait Event", ts + 4, 0, 7 + i % 8, f'"stream":{7 + i % 8},"wait_on_stream":{7 + (i + 1) % 8},'
                    f'"wait_on_cuda_event_record_corr_id":{i},"correlation":{i + 1}', pid=0)
        return wait + triple(i, ts, stream=7 + i % 8)
    return trace(folder, stepped(n, event))


def flows(i, ts):
    return triple(i, ts) + (f'{{"ph":"s","id":{i + 1},"pid":1,"tid":1,"ts":{ts + 1},"cat":"ac2g","name":"ac2g"}},\n'
                            f'{{"ph":"f","id":{i + 1},"pid":0,"tid":7,"ts":{ts + 5},"cat":"ac2g","name":"ac2g","bp":"e"}},\n')


def flows_unmatched(i, ts):
    return triple(i, ts) + f'{{"ph":"s","id":{i + 1},"pid":1,"tid":1,"ts":{ts},"cat":"fwdbwd","name":"fwdbwd"}},\n'


def flows_equal(i, ts):
    return triple(i, ts) + (f'{{"ph":"s","id":5,"pid":1,"tid":1,"ts":{ts},"cat":"fwdbwd","name":"fwdbwd"}},\n'
                            f'{{"ph":"f","id":5,"pid":1,"tid":1,"ts":{ts + 5},"cat":"fwdbwd","name":"fwdbwd","bp":"e"}},\n')


def metadata(i, ts):
    return triple(i, ts) + (f'{{"ph":"M","name":"process_name","pid":{i + 10},"tid":0,"ts":0,"args":{{"name":"python {i}"}}}},\n'
                            f'{{"ph":"M","name":"thread_name","pid":{i + 10},"tid":{i},"ts":0,"args":{{"name":"thread {i}"}}}},\n')


def unknown_phases(i, ts):
    return triple(i, ts) + (f'{{"ph":"C","name":"counter {i % 7}","pid":1,"tid":1,"ts":{ts},"args":{{"value":{i}}}}},\n'
                            f'{{"ph":"?","name":"x","pid":1,"tid":1,"ts":{ts},"dur":1}},\n')


def overheads(i, ts):
    return triple(i, ts) + host("overhead", "Activity Buffer Request", ts + 2, 5)


def pauses(n, folder):
    """Silent pauses of the host between the steps."""
    return trace(folder, (step(i, 30000 * i, 900) + "".join(triple(20 * i + k, 30000 * i + 1 + 40 * k) for k in range(20)) for i in range(n // 20)))


def loop(i, ts):
    """A turn of a loop over the rows of a tensor."""
    return (operator("aten::select", ts, 1, 0, more=f',"Input Dims":[[4096,64],[],[]],"Input type":["float","Scalar","Scalar"],'
                                                    f'"Concrete Inputs":["","0","{i}"]')
            + triple(i, ts + 1, more=',"Input Dims":[[1,64],[64,64]],"Input type":["float","float"],"Concrete Inputs":["",""]'))


def one_loop(n, folder):
    return trace(folder, itertools.chain([step(1, 999, 10 * n + 2)], (loop(i, 1000 + 10 * i) for i in range(n))))


def shape_of(name, grows, make, **more):
    return Shape(name, grows, make, 8000, **more)


SHAPES = [
    shape_of("kineto-threads", "host threads", threads, quick=4000),
    shape_of("kineto-thread-ids-2^16", "host threads whose ids are multiples of 2^16", threads_wide_ids),
    shape_of("kineto-processes", "host processes", processes),
    shape_of("kineto-other-thread", "launches from another thread", other_thread),
    shape_of("kineto-operator-depth", "operators within each other, each with a launch", nested("cpu_op", lambda i: "aten::op"), quick=3000),
    shape_of("kineto-operator-depth-names", "distinct operators within each other", nested("cpu_op", "aten::op{}".format, False)),
    shape_of("kineto-python-depth", "Python frames within each other, each with a launch",
             nested("python_function", "model.py({}): forward".format)),
    shape_of("kineto-annotation-depth", "annotations within each other", nested("user_annotation", "phase {}".format)),
    Shape("kineto-towers", "towers of 64 operators", towers(64), 100),
    Shape("kineto-python-towers", "towers of 64 Python frames", towers(64, "python_function"), 100),
    Shape("kineto-stacks", "stacks of 100 Python frames", stacks, 50),
    shape_of("kineto-children", "operators within one", children),
    shape_of("kineto-annotation-towers", "steps with four annotations", annotation_tower_on_steps),
    shape_of("kineto-memory", "allocations and releases", of_events(memory)),
    shape_of("kineto-memory-kept", "allocations that are kept", of_events(live_memory)),
    shape_of("kineto-mallocs", "cudaMalloc and cudaFree", of_events(mallocs)),
    shape_of("kineto-device-waits", "waits for the device", of_events(device_waits)),
    shape_of("kineto-events-of-streams", "cudaEventRecord and cudaStreamWaitEvent", of_events(events_of_cuda)),
    shape_of("kineto-stream-waits", "waits of streams for each other", waits_of_streams),
    shape_of("kineto-flows", "arrows from launches to kernels", of_events(flows)),
    shape_of("kineto-flows-unmatched", "arrows without ends", of_events(flows_unmatched)),
    shape_of("kineto-flows-equal", "arrows with one id", of_events(flows_equal)),
    shape_of("kineto-metadata", "names of processes and threads", of_events(metadata)),
    shape_of("kineto-unknown-phases", "counters and unknown phases", of_events(unknown_phases)),
    shape_of("kineto-overheads", "overheads of the profiler", of_events(overheads)),
    shape_of("kineto-loop", "turns of one loop over the rows of a tensor", one_loop),
    shape_of("kineto-loops", "turns of loops over the rows of a tensor", of_events(loop)),
    shape_of("kineto-pauses", "operators, with a silent pause after each 20", pauses),
]
