# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of other profilers: Chrome's events, XLA, ONNX Runtime, rocprofv3; and tables of PyTorch's profiler."""
from shape import Shape, classify, write

WORK = ',\n{"name":"work","ph":"X","pid":1,"tid":2,"ts":1,"dur":8}'
NAMES = '{"name":"process_name","ph":"M","pid":1,"args":{"name":"renderer"}},\n{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"main"}}'


def chrome(folder, events):
    write(folder, "trace.json", ["[\n", NAMES, *events, "\n]\n"])
    return classify("trace.json")


def complete(n, folder):
    return chrome(folder, (f',\n{{"name":"work {i % 50}","ph":"X","pid":1,"tid":2,"ts":{10 * i},"dur":8,"cat":"x"}}' for i in range(n)))


def pairs(n, folder):
    return chrome(folder, (f',\n{{"name":"a{i % 50}","ph":"B","pid":1,"tid":2,"ts":{10 * i}}},\n{{"ph":"E","pid":1,"tid":2,"ts":{10 * i + 8}}}'
                           for i in range(n)))


def nested_pairs(n, folder):
    def events():
        yield from (f',\n{{"name":"a{i % 50}","ph":"B","pid":1,"tid":2,"ts":{i}}}' for i in range(n))
        yield from (f',\n{{"ph":"E","pid":1,"tid":2,"ts":{2 * n - i}}}' for i in reversed(range(n)))
    return chrome(folder, events())


def unended(n, folder):
    return chrome(folder, (f',\n{{"name":"a{i % 50}","ph":"B","pid":1,"tid":2,"ts":{10 * i}}},\n{{"name":"x","ph":"X","pid":1,"tid":3,"ts":{i},"dur":1}}'
                           for i in range(n)))


def async_events(n, folder):
    return chrome(folder, [WORK, *(f',\n{{"name":"r","cat":"q","id":"0x{i:x}","ph":"b","pid":1,"tid":2,"ts":{10 * i}}},\n'
                                   f'{{"name":"r","cat":"q","id":"0x{i:x}","ph":"e","pid":1,"tid":2,"ts":{10 * i + 800}}}' for i in range(n))])


def async_open(n, folder):
    """All begin before the first ends."""
    def events():
        yield WORK
        yield from (f',\n{{"name":"r","cat":"q","id":{i},"ph":"b","pid":1,"tid":2,"ts":{i}}}' for i in range(n))
        yield from (f',\n{{"name":"r","cat":"q","id":{i},"ph":"e","pid":1,"tid":2,"ts":{2 * n + i}}}' for i in range(n))
    return chrome(folder, events())


def threads(n, folder):
    return chrome(folder, (f',\n{{"name":"thread_name","ph":"M","pid":1,"tid":{i + 3},"args":{{"name":"worker {i}"}}}},\n'
                           f'{{"name":"work","ph":"X","pid":1,"tid":{i + 3},"ts":{10 * i},"dur":8}}' for i in range(n)))


def rocm(n, folder):
    """Launches and device work that arrows join, as ROCm's RPD writes them."""
    head = (',\n{"name":"process_name","ph":"M","pid":"0","args":{"name":"GPU0"}}')
    return chrome(folder, [head, *(f',\n{{"name":"hipLaunchKernel","ph":"X","pid":1,"tid":2,"ts":{10 * i},"dur":3}},\n'
                                   f'{{"name":"gemm","ph":"X","pid":"0","tid":1,"ts":{10 * i + 4},"dur":5}},\n'
                                   f'{{"name":"api_op","ph":"s","id":{i + 1},"pid":1,"tid":2,"ts":{10 * i + 1}}},\n'
                                   f'{{"name":"api_op","ph":"f","id":{i + 1},"pid":"0","tid":1,"ts":{10 * i + 4}}}' for i in range(n))])


def xla_file(n, folder, name, per_step=20):
    def events():
        yield ('{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},\n"traceEvents":[\n'
               '{"args":{"name":"/device:GPU:0"},"name":"process_name","ph":"M","pid":1},\n'
               '{"args":{"name":"Stream #17(Kernel)"},"name":"thread_name","ph":"M","pid":1,"tid":17},\n'
               '{"args":{"name":"/host:CPU"},"name":"process_name","ph":"M","pid":701},\n'
               '{"args":{"name":"python3"},"name":"thread_name","ph":"M","pid":701,"tid":9}')
        for i in range(n):
            if i % per_step == 0:
                yield (f',\n{{"args":{{"step_num":"{i // per_step}"}},"dur":{10 * per_step - 1},"name":"train","ph":"X","pid":701,"tid":9,"ts":{10 * i}}}')
            yield (f',\n{{"args":{{"correlation_id":"{i + 1}"}},"dur":2.5,"name":"{name(i)}","ph":"X","pid":701,"tid":9,"ts":{10 * i + 1}}},\n'
                   f'{{"args":{{"correlation_id":"{i + 1}","hlo_op":"{name(i)}","hlo_module":"jit_step"}},"dur":4.5,"name":"{name(i)}","ph":"X","pid":1,'
                   f'"tid":17,"ts":{10 * i + 5}}}')
        yield "]}\n"
    write(folder, "trace.json", events())
    return classify("trace.json")


def xla(n, folder):
    return xla_file(n, folder, lambda i: f"fusion.{i % 40}")


def xla_names(n, folder):
    return xla_file(n, folder, "fusion.{}".format)


def onnx(n, folder):
    head = ('[\n{"cat":"Session","pid":7,"tid":9,"dur":698,"ts":11,"ph":"X","name":"model_loading_uri","args":{}},\n'
            '{"cat":"Session","pid":7,"tid":9,"dur":1549,"ts":869,"ph":"X","name":"session_initialization","args":{}}')
    write(folder, "onnx.json", [head, *(
        f',\n{{"cat":"Node","pid":7,"tid":9,"dur":8,"ts":{5000 + 10 * i},"ph":"X","name":"conv{i % 60}_kernel_time","args":{{"op_name":"Conv",'
        f'"provider":"CPUExecutionProvider","node_index":"{i % 60}","input_type_shape":[{{"float":[1,{i % 60 + 1}]}}],"output_size":"2560"}}}}'
        for i in range(n)), "\n]\n"])
    return classify("onnx.json")


ROCM_START = 1550151853000000
AGENTS = ('"Node_Id","Logical_Node_Id","Agent_Type","Cpu_Cores_Count","Simd_Count","Wave_Front_Size","Num_Xcc","Cu_Count","Gfx_Target_Version","Name",'
          '"Vendor_Name","Product_Name","Model_Name"\n0,0,"CPU",96,0,0,1,0,0,"Example CPU","CPU","Example CPU",""\n'
          '4,1,"GPU",0,1216,64,8,304,90402,"gfx942","AMD","Example Instinct","ip discovery"\n')


def rocprof_files(n, folder, name, correlation):
    write(folder, "4711_agent_info.csv", [AGENTS])
    write(folder, "4711_hip_api_trace.csv", [
        '"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"\n',
        *(f'"HIP_RUNTIME_API_EXT","hipLaunchKernel",4711,4711,{correlation(i)},{ROCM_START + 10000 * i},{ROCM_START + 10000 * i + 3000}\n'
          for i in range(n))])
    write(folder, "4711_kernel_trace.csv", [
        '"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp",'
        '"End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y",'
        '"Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n',
        *(f'"KERNEL_DISPATCH","Agent 4",1,1,4711,{i + 1},10,"{name(i)}",{correlation(i)},{ROCM_START + 10000 * i + 4000},'
          f'{ROCM_START + 10000 * i + 9000},0,0,8,0,16,64,1,1,1024,4,1\n' for i in range(n))])
    return classify("4711_agent_info.csv", "4711_hip_api_trace.csv", "4711_kernel_trace.csv")


def rocprof(n, folder):
    return rocprof_files(n, folder, lambda i: f"gemm_{i % 40}", lambda i: i + 1)


def rocprof_names(n, folder):
    return rocprof_files(n, folder, "gemm_{}".format, lambda i: i + 1)


def rocprof_equal(n, folder):
    return rocprof_files(n, folder, lambda i: "gemm", lambda i: 7)


def timeline(n, folder):
    """A memory timeline of PyTorch's profiler: time, action, size, category."""
    write(folder, "raw.json", ["[", ",".join(f"[{1000 + i},{1 if i % 2 == 0 else 3},{512 * (i // 2 % 90 + 1) * (1 if i % 2 == 0 else -1)},{i // 2 % 7}]"
                                             for i in range(n)), "]"])
    return classify("raw.json")


def averages(n, folder):
    columns = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg",
               "# of Calls")
    widths = (40,) + (14,) * 10
    line = "  ".join("-" * width for width in widths) + "\n"

    def row(cells):
        return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths)) + "\n"
    rows = (row((f"aten::op_{i}", "0.01%", "6.000ms", "0.02%", "8.000ms", "800.000us", "3.500ms", "0.01%", "3.500ms", "350.000us", "10")) for i in range(n))
    write(folder, "table.txt", [line, row(columns), line, *rows, line, "Self CPU time total: 10.000s\nSelf CUDA time total: 4.000s\n"])
    return classify("table.txt")


SHAPES = [
    Shape("chrome-events", "complete events", complete, 8000),
    Shape("chrome-pairs", "begins and ends", pairs, 8000, quick=10000),
    Shape("chrome-nested-pairs", "begins before the first end", nested_pairs, 8000),
    Shape("chrome-unended", "begins without ends", unended, 8000),
    Shape("chrome-async", "asynchronous events", async_events, 8000),
    Shape("chrome-async-open", "asynchronous events that are all open", async_open, 8000),
    Shape("chrome-threads", "threads", threads, 8000),
    Shape("chrome-rocm", "launches that arrows join with their work", rocm, 8000),
    Shape("xla-operations", "operations", xla, 8000),
    Shape("xla-names", "distinct operations", xla_names, 8000),
    Shape("onnxruntime-nodes", "nodes", onnx, 8000),
    Shape("rocprof-kernels", "kernels", rocprof, 8000),
    Shape("rocprof-names", "distinct kernels", rocprof_names, 8000),
    Shape("rocprof-correlation-equal", "launches with one id", rocprof_equal, 8000),
    Shape("memory-timeline", "events of memory", timeline, 8000),
    Shape("key-averages", "operators", averages, 2000),
]
