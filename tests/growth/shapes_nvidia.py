# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of Nsight Systems and Nsight Compute, and logs of TensorRT."""
import os
import sqlite3

from shape import Shape, classify, write

TID, PID = 281641842910938, 281641842900992
TABLES = """
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION','2025.3.1.90'), ('EXPORT_SCHEMA_VERSION','3.20.2');
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1,'gemm'), (2,'cudaLaunchKernel_v7000'), (3,'decode'), (4,'cudaStreamSynchronize_v3020');
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, totalMemory INTEGER, smCount INTEGER, computeMajor INTEGER,
  computeMinor INTEGER, threadsPerWarp INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (281474976710656,0,'Example GPU',85018279936,132,9,0,32);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,9946);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL,
  shortName INTEGER NOT NULL, mangledName INTEGER, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER,
  domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  syncType INTEGER);
"""


def nsys(folder, n, kernel=lambda i: (7, 1, i + 1), ranges=(), strings=(), thread=lambda i: TID, waits=False):
    """Writes an export of n launches; kernel(i) returns stream, name and correlation."""
    store = sqlite3.connect(os.path.join(folder, "export.sqlite"))
    store.executescript("PRAGMA synchronous = OFF;" + TABLES)
    store.executemany("INSERT INTO StringIds VALUES (?,?)", strings)
    store.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,2,0,NULL)",
                      ((10000 * i, 10000 * i + 3000, thread(i), kernel(i)[2]) for i in range(n)))
    store.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,NULL,?,?,?,?,?,NULL,132,2,1,256,1,1,NULL)",
                      ((10000 * i + 4000, 10000 * i + 9000, kernel(i)[0], kernel(i)[2], PID, kernel(i)[1], kernel(i)[1]) for i in range(n)))
    store.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,?,?,0)", ranges)
    if waits:
        store.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?,?,7,?,?,3)",
                          ((10000 * i + 5000, 10000 * i + 9000, kernel(i)[2], PID) for i in range(n)))
    store.commit()
    store.close()
    return classify("export.sqlite")


def kernels(n, folder):
    return nsys(folder, n)


def ranges(n, folder):
    return nsys(folder, n, ranges=((10000 * i, 10000 * i + 9900, None, TID, 3) for i in range(n)))


def range_depth(n, folder):
    return nsys(folder, n, ranges=((i, 10000 * n - i, f"range {i % 50}", TID, None) for i in range(n)))


def range_names(n, folder):
    return nsys(folder, n, ranges=((10000 * i, 10000 * i + 9900, f"range {i}", TID, None) for i in range(n)))


def names(n, folder):
    return nsys(folder, n, lambda i: (7, 10 + i, i + 1), strings=((10 + i, f"void gemm_{i}<float>(int)") for i in range(n)))


def streams(n, folder):
    return nsys(folder, n, lambda i: (7 + i, 1, i + 1))


def same_correlation(n, folder):
    return nsys(folder, n, lambda i: (7, 1, 5))


def threads(n, folder):
    return nsys(folder, n, thread=lambda i: TID + i)


def waits(n, folder):
    return nsys(folder, n, waits=True)


NCU_HEAD = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",'
            '"dram__bytes_read.sum","gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",'
            '"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed",'
            '"sm__warps_active.avg.pct_of_peak_sustained_active"')


def ncu_file(n, folder, name, more=0):
    head = NCU_HEAD + "".join(f',"smsp__metric_{k}.sum"' for k in range(more)) + "\n"
    units = '"","","","","","","","","","","","byte","%","%","ns","%","%"' + ',""' * more + "\n"
    row = '"1","7","(256, 1, 1)","(32, 24, 1)","0","9.0","1048576","81.5","60.25","12500","70.5","40.5"' + ',"7"' * more + "\n"
    write(folder, "raw.csv", [head, units, *(f'"{i}","4242","python3","127.0.0.1","{name(i)}",{row}' for i in range(n))])
    return classify("raw.csv")


def ncu_kernels(n, folder):
    return ncu_file(n, folder, lambda i: "gemm")


def ncu_names(n, folder):
    return ncu_file(n, folder, lambda i: f"void gemm_{i}<float>(int)")


def ncu_metrics(n, folder):
    return ncu_file(100, folder, lambda i: "gemm", n)


def ncu_details(n, folder):
    head = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name",'
            '"Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"\n')

    def rows():
        for i in range(n):
            for name, value in (("Duration", "1.25"), ("Memory Throughput", "91.25"), ("DRAM Throughput", "18.50")):
                yield (f'"{i}","4242","python3","127.0.0.1","gemm_{i % 100}","1","7","(256, 1, 1)","(32, 24, 1)","0","9.0",'
                       f'"GPU Speed Of Light Throughput","{name}","{"ms" if name == "Duration" else "%"}","{value}","","","","",""\n')
    write(folder, "details.csv", [head, *rows()])
    return classify("details.csv")


def trtexec(n, folder):
    write(folder, "layers.json", ['[\n  { "count" : 100 }\n', *(f', {{ "name" : "layer {i}", "timeMs" : 12.5, "averageMs" : 0.125, "medianMs" : 0.124, '
                                                              f'"percentage" : {100 / n:.6f} }}\n' for i in range(n)), "]\n"])
    return classify("layers.json")


def nvprof_names(n, folder):
    head = ('==4711== Profiling result:\n"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,ms,,us,us,us,\n')
    write(folder, "nvprof.csv", [head, *(f'"GPU activities",{100 / n:.6f},5.000000,20,250.000000,240.100000,270.300000,"gemm_{i}(float*, int)"\n' for i in range(n))])
    return classify("nvprof.csv")


def nvprof_rows(n, folder):
    head = ('==4711== Profiling result:\n"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem",'
            '"Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"\ns,us,,,,,,,,KB,KB,MB,GB/s,,,,,,\n')
    write(folder, "trace.csv", [head, *(f'{i / 1000:.6f},250.000000,64,1,1,256,1,1,32,0.000000,0.000000,,,,,"Tesla V100-SXM2-32GB (0)","1","7","gemm_{i % 50}(float*, int) [{i + 100}]"\n'
                                        for i in range(n))])
    return classify("trace.csv")


SHAPES = [
    Shape("nsys-kernels", "kernels", kernels, 5000, quick=8000),
    Shape("nsys-ranges", "ranges", ranges, 5000),
    Shape("nsys-range-depth", "ranges within each other", range_depth, 5000),
    Shape("nsys-range-names", "distinct ranges", range_names, 5000),
    Shape("nsys-names", "distinct kernels", names, 5000),
    Shape("nsys-streams", "streams", streams, 5000),
    Shape("nsys-correlation-equal", "launches with one id", same_correlation, 5000),
    Shape("nsys-threads", "host threads", threads, 5000),
    Shape("nsys-waits", "waits for a stream", waits, 5000),
    Shape("ncu-kernels", "launches of one kernel", ncu_kernels, 2000),
    Shape("ncu-names", "distinct kernels", ncu_names, 2000),
    Shape("ncu-metrics", "metrics of each launch", ncu_metrics, 16, limit=32768, of_limit="a head of 1 MiB"),
    Shape("ncu-details", "launches of 100 kernels", ncu_details, 2000),
    Shape("trtexec-layers", "layers of an engine", trtexec, 2000),
    Shape("nvprof-names", "distinct kernels", nvprof_names, 2000),
    Shape("nvprof-rows", "launches of 50 kernels", nvprof_rows, 2000),
]
