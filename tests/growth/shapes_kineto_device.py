# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of PyTorch's profiler: devices, streams, graphs, collectives, and the ranks of a job."""
import os

from kineto import HEAD, TAIL, call, copy, host, kernel, launch, of_events, operator, step, stepped, trace, triple
from shape import Shape, classify, write


def streams(n, folder):
    return trace(folder, stepped(n, lambda i, ts: triple(i, ts, stream=7 + i)))


def busy_streams(n, folder):
    """Streams that all work at once, each with eight kernels."""
    return trace(folder, (launch(2 * i, 1, i + 1) + kernel("gemm", 3 * n + (i // n) * 1000 + i % n, 900, i + 1, stream=7 + i % n)
                          for i in range(8 * n)))


def devices(n, folder):
    """A number of kernels, divided among the devices."""
    return trace(folder, stepped(4096, lambda i, ts: launch(ts, 3, i + 1) + kernel("gemm", ts + 5, 5, i + 1, device=i % n)))


def graph(i, ts, kernels, number):
    """Returns a launch of a graph and its kernels."""
    run = call("cudaGraphLaunch", ts, 4, i + 1)
    for k in range(kernels):
        run += kernel(f"k{k % 20}", ts + 6 + 3 * k, 2, i + 1, more=f',"graph id":{number},"graph node id":{(number << 32) + k + 1}')
    return run


def graph_launches(n, folder):
    return trace(folder, (step(i, 100 * i, 99) + graph(i, 100 * i + 2, 10, 1) for i in range(n)))


def graph_kernels(n, folder):
    return trace(folder, (step(i, 4 * n * i, 4 * n - 1) + graph(i, 4 * n * i + 2, n, 1) for i in range(4)))


def graphs(n, folder):
    return trace(folder, (step(i, 100 * i, 99) + graph(i, 100 * i + 2, 10, i + 1) for i in range(n)))


def graphs_of_lengths(n, folder):
    """Graphs that each hold one kernel more."""
    def events():
        done, number = 0, 0
        while done < n:
            number += 1
            yield step(number, 4 * done + 10 * number, 4 * number + 8) + graph(number, 4 * done + 10 * number + 1, number, number)
            done += number
    return trace(folder, events())


def captured(n, folder):
    """The kernels of one graph with the operators that it was captured from."""
    def events():
        for i in range(n):
            yield triple(i, 10 * i, f"aten::op{i % 10}", f"k{i % 20}", correlation=100 + i)
        for k in range(3):
            at = 10 * n + 100 + k * 4 * n
            yield step(k, at, 4 * n - 1) + graph(k, at + 1, n, 1)
    return trace(folder, events())


def collective(i, ts, group="0", members="[0, 1]", name="allreduce", size=None):
    size = 2048 if size is None else size
    more = (f'"Collective name":"{name}","In msg nelems":{size},"Out msg nelems":{size},"Group size":2,"dtype":"BFloat16",'
            f'"Process Group Name":"{group}","Process Group Ranks":"{members}"')
    return (operator("record_param_comms", ts, 8, i + 1, 2, f',{more},"Seq":{i + 1}') + launch(ts + 1, 2, i + 1, i + 1, 2)
            + kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", ts + 5, 4, i + 1, i + 1, 20, more=f",{more}"))


JOB = HEAD.replace('"traceEvents"', '"distributedInfo":{"backend":"nccl","rank":0,"world_size":2},"traceEvents"')


def collectives(event):
    return lambda n, folder: trace(folder, stepped(n, event), head=JOB)


def members(n, folder):
    """Collectives of a group of n ranks."""
    ranks = str(list(range(n)))
    return trace(folder, stepped(200, lambda i, ts: collective(i, ts, members=ranks)), head=JOB)


def ranks(n, folder):
    """A file of each rank of a job."""
    for rank in range(n):
        head = HEAD.replace('"traceEvents"', f'"distributedInfo":{{"backend":"nccl","rank":{rank},"world_size":{n}}},"traceEvents"')
        events = stepped(40, lambda i, ts: triple(1000 + i, ts) + collective(i, ts + 9), 10, 20)
        write(folder, f"rank{rank}.json", [head, *events, TAIL])
    return [["classify", "-q", "{}", "-f", "json"]]


def ranks_of_events(n, folder):
    """Two ranks of n events each."""
    for rank in range(2):
        head = HEAD.replace('"traceEvents"', f'"distributedInfo":{{"backend":"nccl","rank":{rank},"world_size":2}},"traceEvents"')
        events = stepped(n, lambda i, ts: triple(n + i, ts) + collective(i, ts + 9), 100, 20)
        write(folder, f"rank{rank}.json", [head, *events, TAIL])
    return classify("rank0.json", "rank1.json")


def properties(n, folder):
    """A device that the head describes n times, and members that nothing reads."""
    words = ",".join(f'{{"id":{i % 8},"name":"NVIDIA H200","totalGlobalMem":150109880320,"numSms":132}}' for i in range(n))
    head = '{"schemaVersion":1,"deviceProperties":[' + words + "]," + ",".join(f'"key{i}":[{i},"x"]' for i in range(n)) + ',"traceEvents":[\n'
    return trace(folder, stepped(100, triple), head=head)


def copies_apart(i, ts):
    """Copies that overlap kernels."""
    return triple(2 * i, ts) + call("cudaMemcpyAsync", ts + 4, 2, 2 * i + 2) + copy(ts + 6, 3, 2 * i + 2, stream=8)


def sets(i, ts):
    return call("cudaMemsetAsync", ts, 2, i + 1) + (f'{{"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":{ts + 4},'
                                                    f'"dur":2,"args":{{"device":0,"stream":7,"correlation":{i + 1},"bytes":64}}}},\n')


def annotations_of_device(i, ts):
    return triple(i, ts) + host("gpu_user_annotation", f"phase {i % 5}", ts + 5, 5, 7, pid=0)


SHAPES = [
    Shape("kineto-streams", "streams", streams, 8000),
    Shape("kineto-busy-streams", "streams that work at once", busy_streams, 200),
    Shape("kineto-devices", "devices", devices, 100, limit=1024, of_limit="1,024 devices"),
    Shape("kineto-graph-launches", "launches of a graph of ten kernels", graph_launches, 500, quick=1000),
    Shape("kineto-graph-kernels", "kernels of one graph", graph_kernels, 1000),
    Shape("kineto-graphs", "distinct graphs of ten kernels", graphs, 500),
    Shape("kineto-graph-lengths", "kernels of graphs of different lengths", graphs_of_lengths, 8000),
    Shape("kineto-graph-captured", "kernels of a graph and of its capture", captured, 1000),
    Shape("kineto-collectives", "collectives", collectives(collective), 8000),
    Shape("kineto-collective-groups", "process groups", collectives(lambda i, ts: collective(i, ts, str(i), f"[{i}, {i + 1}]")), 8000),
    Shape("kineto-collective-names", "distinct collectives", collectives(lambda i, ts: collective(i, ts, name=f"op{i}")), 8000),
    Shape("kineto-collective-sizes", "collectives of distinct sizes", collectives(lambda i, ts: collective(i, ts, size=i + 1)), 8000),
    Shape("kineto-collective-members", "ranks of a process group", members, 100),
    Shape("kineto-ranks", "files of the ranks of a job", ranks, 24, quick=24),
    Shape("kineto-ranks-events", "events of two ranks", ranks_of_events, 8000),
    Shape("kineto-ranks-parallel", "the same, on all processors", ranks_of_events, 8000, parallel=True),
    Shape("kineto-properties", "devices and other members of the head", properties, 8000),
    Shape("kineto-copies-beside", "copies beside kernels", of_events(copies_apart), 8000),
    Shape("kineto-sets", "memory that is set", of_events(sets), 8000),
    Shape("kineto-device-annotations", "annotations of the device", of_events(annotations_of_device), 8000),
]
