# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers and devices over time: metrics pages, logs of inference servers, monitors of devices."""
from shape import Shape, classify, write

# ---- metrics pages ----


def page(folder, texts, name="metrics.prom"):
    write(folder, name, texts)
    return classify(name)


FRAME = ('# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine="0",model_name="m"} 3\n'
         '# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting{engine="0",model_name="m"} 11\n'
         '# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.9\n')


def series(n, folder):
    return page(folder, [FRAME, "# TYPE x gauge\n", *(f'x{{pod="p{i}",zone="z{i % 7}"}} {i}\n' for i in range(n))])


def families(n, folder):
    return page(folder, [FRAME, *(f"# HELP metric_{i} words\n# TYPE metric_{i} counter\nmetric_{i} {i}\n" for i in range(n))])


def labels(n, folder):
    names = ",".join(f'label_{k}="value {k}"' for k in range(40))
    return page(folder, [FRAME, "# TYPE x gauge\n", *(f'x{{n="{i}",{names}}} 1\n' for i in range(n))])


def buckets(n, folder):
    """A histogram of n buckets."""
    texts = [FRAME, "# TYPE vllm:e2e_request_latency_seconds histogram\n"]
    texts += [f'vllm:e2e_request_latency_seconds_bucket{{engine="0",model_name="m",le="{i + 1}.5"}} {i}\n' for i in range(n)]
    texts += [f'vllm:e2e_request_latency_seconds_bucket{{engine="0",model_name="m",le="+Inf"}} {n}\n',
              f'vllm:e2e_request_latency_seconds_count{{engine="0",model_name="m"}} {n}\n',
              f'vllm:e2e_request_latency_seconds_sum{{engine="0",model_name="m"}} {n * 3}\n']
    return page(folder, texts)


def engines(n, folder):
    texts = []
    for name, value in (("num_requests_running", 3), ("num_requests_waiting", 11), ("kv_cache_usage_perc", 0.9)):
        texts.append(f"# TYPE vllm:{name} gauge\n")
        texts += [f'vllm:{name}{{engine="{i}",model_name="m"}} {value}\n' for i in range(n)]
    return page(folder, texts)


def scrapes(n, folder):
    """Pages of one server one after the other, as a loop of curl writes them."""
    def texts():
        for i in range(n):
            yield f"process_start_time_seconds 1.78e+09\nprocess_uptime_seconds {100 + i}\n" + FRAME
            yield f'# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total{{engine="0",model_name="m"}} {1000 * i}\n'
            yield f'# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total{{engine="0",model_name="m"}} {100 * i}\n'
    return page(folder, texts())


def openmetrics(n, folder):
    texts = ["# TYPE req_seconds histogram\n# UNIT req_seconds seconds\n"]
    for i in range(n):
        texts.append(f'req_seconds_bucket{{pod="p{i}",le="0.1"}} 2\nreq_seconds_bucket{{pod="p{i}",le="+Inf"}} 10 # {{trace_id="4b"}} 0.3\n'
                     f'req_seconds_count{{pod="p{i}"}} 10\nreq_seconds_sum{{pod="p{i}"}} 3.9\n')
    return page(folder, [*texts, "# EOF\n"], "metrics.om")


def page_files(n, folder):
    """A file of each page, passed as one folder."""
    for i in range(n):
        write(folder, f"page{i:05d}.prom", [f"process_start_time_seconds 1.78e+09\nprocess_uptime_seconds {100 + i}\n", FRAME])
    return [["classify", "-q", "{}", "-f", "json"]]


# ---- logs ----


def vllm_line(i, engine=0):
    at = f"07-15 12:{i // 3600 % 60:02d}:{i // 60 % 60:02d}"
    return (f"(EngineCore_DP{engine} pid={77 + engine}) INFO {at} [core.py:387] Iteration({i}): {i % 2} context requests, {i % 2 * 512} context tokens, "
            f"{i % 30} generation requests, {i % 30} generation tokens, iteration elapsed time: {20 + i % 10}.25 ms\n")


def vllm_head():
    return ["INFO 07-15 12:00:00 [api_server.py:1882] vLLM API server version 0.10.2\n",
            "INFO 07-15 12:00:00 [utils.py:328] non-default args: {'model_tag': 'org/small', 'max_num_seqs': 64}\n"]


def vllm_log(n, folder):
    write(folder, "server.log", [*vllm_head(), *(vllm_line(i) for i in range(n))])
    return classify("server.log")


def vllm_engines(n, folder):
    write(folder, "server.log", [*vllm_head(), *(vllm_line(i // n, i % n) for i in range(16 * n))])
    return classify("server.log")


def vllm_other(n, folder):
    """Lines of other programs between those of the server."""
    write(folder, "server.log", [*vllm_head(), *(vllm_line(i) if i % 20 == 0 else f"line {i} of the client: 200 OK in {i % 90} ms\n" for i in range(n))])
    return classify("server.log")


def sglang_log(n, folder):
    def line(i):
        at = f"2025-03-01 12:{i // 60 % 60:02d}:{i % 60:02d}"
        if i % 3 == 0:
            return (f"[{at} DP0 TP0] Prefill batch. #new-seq: 2, #new-token: {600 + i % 99}, #cached-token: 128, token usage: 0.01, #running-req: 0, "
                    f"#queue-req: {i % 9}, \n")
        return (f"[{at} DP0 TP0] Decode batch. #running-req: 6, #token: {1330 + i % 99}, token usage: 0.97, cuda graph: True, "
                f"gen throughput (token/s): 310.25, #queue-req: 4, \n")
    head = "[2025-03-01 12:00:00] server_args=ServerArgs(model_path='org/small', mem_fraction_static=0.88, chunked_prefill_size=8192)\n"
    write(folder, "server.log", [head, *(line(i) for i in range(n))])
    return classify("server.log")


def trtllm_log(n, folder):
    def line(i):
        at = f"{i // 3600 % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}"
        return (f"[02/14/2025-{at}] [TRT-LLM] [I] iter = {i + 1}, global_rank = 0, rank = 0, currank_total_requests = 1/1, host_step_time = 12.5ms, "
                f"prev_device_step_time = {11 + i % 3}.5ms, timestamp = 2025-02-14 {at}, num_scheduled_requests: 5, "
                "states = {'num_ctx_requests': 1, 'num_ctx_tokens': 1024, 'num_generation_tokens': 4}\n")
    write(folder, "server.log", ["[TensorRT-LLM] TensorRT-LLM version: 1.2.0\n", *(line(i) for i in range(n))])
    return classify("server.log")


# ---- monitors ----


SMI_HEAD = ("timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W], "
            "enforced.power.limit [W], clocks.current.sm [MHz], clocks.max.sm [MHz], temperature.gpu, clocks_event_reasons.active\n")


def smi(gpus, samples):
    yield SMI_HEAD
    for i in range(samples):
        at = f"{i // 36000 % 24:02d}:{i // 600 % 60:02d}:{i // 10 % 60:02d}.{i % 10}00"
        for gpu in range(gpus):
            yield (f"2026/03/02 {at}, {gpu}, NVIDIA H200, {i % 100} %, 30 %, 4000 MiB, 143771 MiB, {300 + i % 400}.59 W, 700.00 W, 1980 MHz, "
                   "1980 MHz, 38, 0x0000000000000000\n")


def smi_rows(n, folder):
    write(folder, "gpus.csv", smi(2, n))
    return classify("gpus.csv")


def smi_gpus(n, folder):
    write(folder, "gpus.csv", smi(n, 100))
    return classify("gpus.csv")


def dmon(n, folder):
    head = ("# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk  pviol  tviol     fb \n"
            "# Idx      W      C      C      %      %    MHz    MHz      %   bool     MB \n")
    write(folder, "dmon.txt", [head, *(f"    {i % 4}    {600 + i % 99}     55      -     97     30   3201   1935     80      0  10240 \n" for i in range(n))])
    return classify("dmon.txt")


def dcgmi(n, folder):
    head = "#Entity   GRACT        SMACT        TENSO        DRAMA        POWER  \nID                                                            W  \n"
    write(folder, "dcgmi.txt", [head, *(f"GPU {i % 8}     0.990        0.910        0.121        0.{i % 90 + 10}0        656.000  \n" for i in range(n))])
    return classify("dcgmi.txt")


def clock(i):
    return f"{i // 3600 % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}"


def tegrastats(n, folder):
    write(folder, "tegra.log", (
        f"01-{i // 86400 % 28 + 1:02d}-2026 {clock(i)} RAM {4000 + i % 999}/30536MB (lfb 5x4MB) CPU [12%@1510,7%@1510,off,off] EMC_FREQ 14%@2133 "
        f"GR3D_FREQ {i % 100}%@[612,0] cpu@48.5C gpu@44.2C tj@48.5C VDD_GPU_SOC 4200mW/4100mW VIN_SYS_5V0 3400mW/3390mW\n" for i in range(n)))
    return classify("tegra.log")


def gpustat(n, folder):
    write(folder, "gpustat.txt", (
        f"node3  Mon Jan {i // 86400 % 28 + 1:2d} {clock(i)} 2026  550.54.15\n"
        f"[0] NVIDIA A100-SXM4-40GB | 58'C, {i % 100:3d} % | {9000 + i % 99} / 40960 MB | ada(8104M)\n" for i in range(n)))
    return classify("gpustat.txt")


def of(name, grows, make, first=4000, **more):
    return Shape(name, grows, make, first, **more)


SHAPES = [
    of("prometheus-series", "series of one metric", series, quick=12000),
    of("prometheus-families", "metrics", families),
    of("prometheus-labels", "series with 40 labels", labels, 1000),
    of("prometheus-buckets", "buckets of a histogram", buckets, 1000),
    of("prometheus-engines", "engines of a server", engines, 1000),
    of("prometheus-scrapes", "pages of one server", scrapes, 200, limit=65536, of_limit="65,536 pages"),
    of("prometheus-files", "files of pages", page_files, 100, limit=10000, of_limit="10,000 files"),
    of("openmetrics-series", "histograms", openmetrics, 1000),
    of("vllm-log-lines", "lines", vllm_log),
    of("vllm-log-engines", "engines", vllm_engines, 100, limit=1024, of_limit="1,024 engines"),
    of("vllm-log-others", "lines, most of other programs", vllm_other),
    of("sglang-log-lines", "lines", sglang_log),
    of("trtllm-log-lines", "lines", trtllm_log),
    of("nvidia-smi-rows", "samples", smi_rows),
    of("nvidia-smi-gpus", "GPUs", smi_gpus, 64, limit=4096, of_limit="4,096 devices"),
    of("dmon-rows", "samples", dmon),
    of("dcgmi-rows", "samples", dcgmi),
    of("tegrastats-lines", "samples", tegrastats),
    of("gpustat-samples", "samples", gpustat),
]
