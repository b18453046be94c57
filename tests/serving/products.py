# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a simulated run (simulator.py) in the formats of the products.

Formats follow vLLM 0.11 (v1/metrics/loggers.py, v1/spec_decode/metrics.py, and the lines of --enable-logging-iteration-details) and
SGLang 0.5 (managers/scheduler_metrics_mixin.py, metrics/collector.py): names of metrics, buckets, order and wording of lines."""
import datetime
import json
import os
import random

from engine import BLOCK, SCRAPE_S

MODEL = "meta-llama/Llama-3.1-8B-Instruct"
START = 1784118890  # Unix time at which the first run begins to serve: 15 July 2026, 12:34:50 UTC
STARTUP_S = 95.0  # from the start of the process until it serves


def begin_of(run):
    return START + run.seed * 3600


def stamp(run, at, form):
    return datetime.datetime.fromtimestamp(begin_of(run) + at, datetime.timezone.utc).strftime(form)


# server.log


def other_lines(run, draw):
    """Returns lines of other programs, and of the server about other things."""
    lines = []
    for request in run.requests:
        if draw.random() < 0.25:
            host = f"10.42.{draw.randrange(8)}.{draw.randrange(2, 250)}:{draw.randrange(32768, 60000)}"
            lines.append((request.end, "access", f'INFO:     {host} - "POST /v1/chat/completions HTTP/1.1" 200 OK'))
    at = 0.0
    while at < run.end:
        lines.append((at + 0.004, "access", 'INFO:     10.42.0.9:51034 - "GET /metrics HTTP/1.1" 200 OK'))
        at += SCRAPE_S
    for _ in range(3):
        at = draw.uniform(0, run.end)
        lines.append((at, "raw", stamp(run, at, "%b %d %H:%M:%S") + " node-7 kernel: [86342.171904] eth0: link is up at 25000 Mbps"))
        at = draw.uniform(0, run.end)
        probe = {"level": "info", "ts": round(begin_of(run) + at, 3), "msg": "health probe", "status": 200, "component": "sidecar"}
        lines.append((at, "raw", json.dumps(probe)))
    lines.append((-60.0, "raw", "Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:03<00:00,  1.21it/s]"))
    return lines


def vllm_startup(run, say):
    settings = run.settings
    engines = settings["engines"]
    given = {"model_tag": MODEL, "host": "0.0.0.0", "model": MODEL, "max_model_len": 16384}
    if engines > 1:
        given["data_parallel_size"] = engines
    given.update(max_num_batched_tokens=settings["max_step_tokens"], max_num_seqs=settings["max_seqs"])
    given["enable_prefix_caching"] = settings["prefix_cache"]
    if settings["draft"]:
        given["speculative_config"] = {"method": "draft_model", "model": "meta-llama/Llama-3.2-1B-Instruct",
                                       "num_speculative_tokens": settings["draft"]}
    say(-95.0, "api", "INFO", "api_server.py:1839", "vLLM API server version 0.11.0")
    say(-95.0, "api", "INFO", "utils.py:233", f"non-default args: {given}")
    say(-94.0, "api", "INFO", "model.py:547", "Resolved architecture: LlamaForCausalLM")
    say(-94.0, "api", "INFO", "model.py:1510", "Using max model len 16384")
    say(-94.0, "api", "INFO", "scheduler.py:205",
        f"Chunked prefill is enabled with max_num_batched_tokens={settings['max_step_tokens']}.")
    for index in range(engines):
        say(-90.0, index, "INFO", "core.py:77", f"Initializing a V1 LLM engine (v0.11.0) with config: model='{MODEL}', "
            f"tokenizer='{MODEL}', dtype=torch.bfloat16, max_seq_len=16384, tensor_parallel_size=1, pipeline_parallel_size=1, "
            f"enable_prefix_caching={settings['prefix_cache']}, chunked_prefill_enabled=True")
        say(-55.0, index, "INFO", "gpu_model_runner.py:2653", "Model loading took 14.9889 GiB and 5.912384 seconds")
        say(-30.0, index, "INFO", "gpu_worker.py:298", f"Available KV cache memory: {settings['kv_tokens'] * 131072 / 2**30:.2f} GiB")
        say(-30.0, index, "INFO", "kv_cache_utils.py:1087", f"GPU KV cache size: {settings['kv_tokens'] // BLOCK * BLOCK:,} tokens")
        say(-30.0, index, "INFO", "kv_cache_utils.py:1091",
            f"Maximum concurrency for 16,384 tokens per request: {settings['kv_tokens'] / 16384:.2f}x")
        say(-5.0, index, "INFO", "core.py:210", "init engine (profile, create kv cache, warmup model) took 48.31 seconds")
        say(-3.0, "api", "INFO", "loggers.py:147", f"Engine {index:03d}: vllm cache_config_info with initialization after "
            f"num_gpu_blocks is: {settings['kv_tokens'] // BLOCK}")
    say(-1.0, "api", "INFO", "api_server.py:1912", "Starting vLLM API server 0 on http://0.0.0.0:8000")
    say(-0.5, "access", None, None, "INFO:     Application startup complete.")


def vllm_interval(say, index, line, before):
    """Says the lines of an interval: throughput, and speculation. before: the counters at the previous line that was said."""
    _, at, running, waiting, usage, delta, positions, total = line
    hits = 100 * total.get("cache_hits", 0) / total["cache_queries"] if total.get("cache_queries") else 0.0
    prompt, generated = delta.get("prompt", 0) / 10, delta.get("generated", 0) / 10
    if prompt or generated or before:
        say(at, "api", "INFO", "loggers.py:127", f"Engine {index:03d}: Avg prompt throughput: {prompt:.1f} tokens/s, Avg generation "
            f"throughput: {generated:.1f} tokens/s, Running: {running} reqs, Waiting: {waiting} reqs, "
            f"GPU KV cache usage: {100 * usage:.1f}%, Prefix cache hit rate: {hits:.1f}%")
    drafts = delta.get("drafts", 0)
    if drafts:
        accepted, drafted = delta.get("accepted", 0), delta["drafted"]
        rates = ", ".join(f"{one / drafts:.3f}" for one in positions)
        say(at, "api", "INFO", "metrics.py:96", f"SpecDecoding metrics: Mean acceptance length: {1 + accepted / drafts:.2f}, Accepted "
            f"throughput: {accepted / 10:.2f} tokens/s, Drafted throughput: {drafted / 10:.2f} tokens/s, Accepted: {accepted} tokens, "
            f"Drafted: {drafted} tokens, Per-position acceptance rate: {rates}, Avg Draft acceptance rate: {100 * accepted / drafted:.1f}%")
    return prompt or generated


def vllm_log(run, iterations):
    prefixed = run.seed % 3 != 0  # the prefixes came with 0.11; older versions and offline programs print none
    lines = []

    def say(at, who, level, place, text):
        prefix = ""
        if prefixed and who != "raw":
            prefix = f"(EngineCore_DP{who} pid={412 + who}) " if isinstance(who, int) else "(APIServer pid=1) "
        if level:
            text = f"{level} {stamp(run, at, '%m-%d %H:%M:%S')} [{place}] {text}"
        lines.append((at, prefix + text))

    vllm_startup(run, say)
    for at, who, text in other_lines(run, random.Random(run.seed)):
        say(at, who, None, None, text)
    for index, engine in enumerate(run.engines):
        said = False
        for line in engine.lines:
            said = vllm_interval(say, index, line, said)
        for number, (end, contexts, tokens, decodes, generated, elapsed) in enumerate(engine.steps if iterations else ()):
            say(end, index, "INFO", "core.py:359", f"Iteration({number}): {contexts} context requests, {tokens} context tokens, {decodes} "
                f"generation requests, {generated} generation tokens, iteration elapsed time: {1e3 * elapsed:.2f} ms")
    return lines


def sglang_startup(run, say):
    settings = run.settings
    speculation = "speculative_algorithm=None, speculative_num_steps=None, speculative_eagle_topk=None, speculative_num_draft_tokens=None"
    if settings["draft"]:
        speculation = (f"speculative_algorithm='STANDALONE', speculative_draft_model_path='meta-llama/Llama-3.2-1B-Instruct', "
                       f"speculative_num_steps={settings['draft']}, speculative_eagle_topk=1, "
                       f"speculative_num_draft_tokens={settings['draft'] + 1}")
    share = (settings["kv_tokens"] * 131072 + 16e9) / 80e9
    say(-95.0, None, f"server_args=ServerArgs(model_path='{MODEL}', tokenizer_path='{MODEL}', tokenizer_mode='auto', host='0.0.0.0', "
        f"port=30000, dtype='auto', kv_cache_dtype='auto', mem_fraction_static={share:.3f}, max_running_requests={settings['max_seqs']}, "
        f"max_queued_requests=None, max_total_tokens=None, chunked_prefill_size={settings['max_step_tokens']}, max_prefill_tokens=16384, "
        f"schedule_policy='fcfs', schedule_conservativeness={settings['reserve']}, page_size=16, tp_size=1, pp_size=1, "
        f"dp_size={settings['engines']}, {speculation}, enable_mixed_chunk={settings['mixed']}, "
        f"disable_radix_cache={not settings['prefix_cache']}, decode_log_interval=40, enable_metrics=True)")
    for index in range(settings["engines"]):
        say(-60.0, index, "Load weight begin. avail mem=78.60 GB")
        say(-50.0, index, "Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=63.48 GB, mem usage=15.12 GB.")
        size = settings["kv_tokens"] * 65536 / 2**30
        say(-48.0, index, f"KV Cache is allocated. #tokens: {settings['kv_tokens']}, K size: {size:.2f} GB, V size: {size:.2f} GB")
        say(-20.0, index, "Capture cuda graph end. Time elapsed: 21.06 s. mem usage=1.37 GB. avail mem=7.72 GB.")
        say(-2.0, index, f"max_total_num_tokens={settings['kv_tokens']}, chunked_prefill_size={settings['max_step_tokens']}, "
            f"max_prefill_tokens=16384, max_running_requests={settings['max_seqs']}, context_len=131072, available_gpu_mem=7.72 GB")
    say(-0.5, None, "The server is fired up and ready to roll!")


def sglang_line(run, say, index, line):
    kind, at = line[:2]
    if kind == "prefill":
        sequences, tokens, cached, usage, running, waiting = line[2:]
        say(at, index, f"Prefill batch, #new-seq: {sequences}, #new-token: {tokens}, #cached-token: {cached}, token usage: {usage:.2f}, "
            f"#running-req: {running}, #queue-req: {waiting}, ")
    elif kind == "decode":
        running, used, usage, passed, waiting = line[2:]
        text = f"Decode batch, #running-req: {running}, #token: {used}, token usage: {usage:.2f}, "
        if run.settings["draft"] and passed["drafts"]:
            length = 1 + passed["accepted"] / passed["drafts"]
            text += f"accept len: {length:.2f}, accept rate: {length / (run.settings['draft'] + 1):.2f}, "
        rate = passed["generated"] / passed["seconds"]
        say(at, index, text + f"cuda graph: True, gen throughput (token/s): {rate:.2f}, #queue-req: {waiting}, ")
    else:
        retracted, gained, before, after = line[2:]
        say(at, index, f"KV cache pool is full. Retract requests. #retracted_reqs: {retracted}, #new_tokens_gained: {gained}, "
            f"#new_token_ratio: {before:.4f} -> {after:.4f}")


def sglang_log(run):
    lines, parallel = [], run.settings["engines"] > 1

    def say(at, index, text):
        rank = f" DP{index} TP0" if parallel and index is not None else ""
        lines.append((at, f"[{stamp(run, at, '%Y-%m-%d %H:%M:%S')}{rank}] {text}"))

    sglang_startup(run, say)
    for at, who, text in other_lines(run, random.Random(run.seed)):
        if who == "access":
            say(at, None, text.replace("/v1/chat/completions", "/generate"))
        else:
            lines.append((at, text))
    for index, engine in enumerate(run.engines):
        for line in engine.lines:
            sglang_line(run, say, index, line)
    return lines


# Metrics pages


def number(value):
    return repr(float(value))


class Page:
    """A page in the Prometheus text format, with a time stamp on each line."""

    def __init__(self, run, at):
        self.lines, self.stamp = [], round(1e3 * (begin_of(run) + at))
        self.created = number(begin_of(run) - STARTUP_S / 2)

    def head(self, name, kind, text):
        self.lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]

    def sample(self, name, labels, value):
        inside = ",".join(f'{key}="{text}"' for key, text in sorted(labels.items()))
        self.lines.append(f"{name}{{{inside}}} {number(value)} {self.stamp}" if inside else f"{name} {number(value)} {self.stamp}")

    def values(self, kind, name, text, rows):
        """rows: (labels, value)."""
        self.head(name, kind, text)
        for labels, value in rows:
            self.sample(name, labels, value)
        if kind == "counter":
            created = name.removesuffix("_total") + "_created"
            self.head(created, "gauge", text)
            for labels, _ in rows:
                self.lines.append(f"{created}{{{','.join(f'{key}={chr(34)}{one}{chr(34)}' for key, one in sorted(labels.items()))}}} "
                                  f"{self.created} {self.stamp}")

    def histogram(self, name, text, rows):
        self.head(name, "histogram", text)
        for labels, one in rows:
            total = 0
            for bound, count in zip([*map(number, one.bounds), "+Inf"], one.counts):
                total += count
                self.sample(f"{name}_bucket", {**labels, "le": bound}, total)
            self.sample(f"{name}_count", labels, total)
            self.sample(f"{name}_sum", labels, one.sum)

    def process(self, run, at):
        self.values("gauge", "process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
                    [({}, begin_of(run) - STARTUP_S)])
        self.values("gauge", "process_resident_memory_bytes", "Resident memory size in bytes.", [({}, 5.83e9)])
        self.head("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.")
        self.sample("process_cpu_seconds_total", {}, 40 + 1.1 * at)


VLLM_GAUGES = (("num_requests_running", "running", "Number of requests in model execution batches."),
               ("num_requests_waiting", "waiting", "Number of requests waiting to be processed."),
               ("kv_cache_usage_perc", "usage", "KV-cache usage. 1 means 100 percent usage."))
VLLM_COUNTERS = (("prefix_cache_queries", "cache_queries", "Prefix cache queries, in terms of number of queried tokens."),
                 ("prefix_cache_hits", "cache_hits", "Prefix cache hits, in terms of number of cached tokens."),
                 ("num_preemptions", "preemptions", "Cumulative number of preemption from the engine."),
                 ("prompt_tokens", "prompt", "Number of prefill tokens processed."),
                 ("generation_tokens", "generated", "Number of generation tokens processed."))
VLLM_DRAFTS = (("spec_decode_num_drafts", "drafts", "Number of spec decoding drafts."),
               ("spec_decode_num_draft_tokens", "drafted", "Number of draft tokens."),
               ("spec_decode_num_accepted_tokens", "accepted", "Number of accepted tokens."))
VLLM_HISTOGRAMS = (("iteration_tokens_total", "step_tokens", "Histogram of number of tokens per engine_step."),
                   ("request_prompt_tokens", "prompt", "Number of prefill tokens processed."),
                   ("request_generation_tokens", "output", "Number of generation tokens processed."),
                   ("time_to_first_token_seconds", "ttft", "Histogram of time to first token in seconds."),
                   ("inter_token_latency_seconds", "itl", "Histogram of inter-token latency in seconds."),
                   ("request_time_per_output_token_seconds", "tpot", "Histogram of time_per_output_token_seconds per request."),
                   ("e2e_request_latency_seconds", "e2e", "Histogram of e2e request latency in seconds."),
                   ("request_queue_time_seconds", "queue", "Histogram of time spent in WAITING phase for request."),
                   ("request_inference_time_seconds", "inference", "Histogram of time spent in RUNNING phase for request."),
                   ("request_prefill_time_seconds", "prefill", "Histogram of time spent in PREFILL phase for request."),
                   ("request_decode_time_seconds", "decode", "Histogram of time spent in DECODE phase for request."))


def vllm_page(run, page, snapshots):
    engines = [({"model_name": MODEL, "engine": str(index)}, one) for index, one in enumerate(snapshots)]
    for name, key, text in VLLM_GAUGES:
        page.values("gauge", "vllm:" + name, text, [(labels, one[key]) for labels, one in engines])
    counters = VLLM_COUNTERS + (VLLM_DRAFTS if run.settings["draft"] else ())
    for name, key, text in counters:
        page.values("counter", f"vllm:{name}_total", text, [(labels, one["count"].get(key, 0)) for labels, one in engines])
    if run.settings["draft"]:
        page.values("counter", "vllm:spec_decode_num_accepted_tokens_per_pos_total", "Accepted tokens per draft position.",
                    [({**labels, "position": str(at)}, count) for labels, one in engines for at, count in enumerate(one["positions"])])
    success = []
    for labels, one in engines:
        length = one["count"].get("length", 0)
        for reason, count in (("stop", one["count"].get("finished", 0) - length), ("length", length), ("abort", 0)):
            success.append(({**labels, "finished_reason": reason}, count))
    page.values("counter", "vllm:request_success_total", "Count of successfully processed requests.", success)
    for name, key, text in VLLM_HISTOGRAMS:
        page.histogram("vllm:" + name, text, [(labels, one["histograms"][key]) for labels, one in engines])
    page.values("gauge", "vllm:cache_config_info", "Information of the LLMEngine CacheConfig", [
        ({"block_size": str(BLOCK), "cache_dtype": "auto", "enable_prefix_caching": str(run.settings["prefix_cache"]),
          "engine": labels["engine"], "gpu_memory_utilization": "0.9", "num_gpu_blocks": str(run.settings["kv_tokens"] // BLOCK)}, 1)
        for labels, _ in engines])


def merged(histograms):
    total = histograms[0].copy()
    for one in histograms[1:]:
        total.counts = [a + b for a, b in zip(total.counts, one.counts)]
        total.sum += one.sum
    return total


def sglang_page(run, page, snapshots):
    parallel = len(snapshots) > 1
    engines = []
    for index, one in enumerate(snapshots):
        rank = {"dp_rank": str(index)} if parallel else {}
        engines.append(({"model_name": MODEL, "engine_type": "unified", "tp_rank": "0", "pp_rank": "0", **rank}, one))
    gauges = [("num_running_reqs", "The number of running requests.", lambda one: one["running"]),
              ("num_used_tokens", "The number of used tokens.", lambda one: one["used"]),
              ("token_usage", "The token usage.", lambda one: round(one["usage"], 4)),
              ("gen_throughput", "The generation throughput (token/s).", lambda one: one["count"].get("throughput", 0)),
              ("num_queue_reqs", "The number of requests in the waiting queue.", lambda one: one["waiting"]),
              ("max_total_num_tokens", "Maximum total number of tokens in the KV cache pool.", lambda one: run.settings["kv_tokens"]),
              ("new_token_ratio", "The new token ratio.", lambda one: one["ratio"])]
    if run.settings["draft"]:
        gauges.append(("spec_accept_length", "The average acceptance length of speculative decoding.",
                       lambda one: one["count"].get("accept_length", 0)))
    for name, text, value in gauges:
        page.values("gauge", "sglang:" + name, text, [(labels, value(one)) for labels, one in engines])
    page.values("counter", "sglang:num_retracted_requests_total", "Total number of retracted requests.",
                [(labels, one["count"].get("preemptions", 0)) for labels, one in engines])
    page.histogram("sglang:queue_time_seconds", "Histogram of queueing time in seconds.",
                   [(labels, one["histograms"]["queue"]) for labels, one in engines])
    server = {"model_name": MODEL}
    for name, key, text in (("prompt_tokens", "prompt", "Number of prefill tokens processed."),
                            ("generation_tokens", "generated", "Number of generation tokens processed."),
                            ("cached_tokens", "cache_hits", "Number of cached prompt tokens."),
                            ("num_requests", "finished", "Number of requests processed.")):
        page.values("counter", f"sglang:{name}_total", text, [(server, sum(one["count"].get(key, 0) for one in snapshots))])
    for name, key, text in (("time_to_first_token_seconds", "ttft", "Histogram of time to first token in seconds."),
                            ("inter_token_latency_seconds", "itl", "Histogram of inter-token latency in seconds."),
                            ("e2e_request_latency_seconds", "e2e", "Histogram of End-to-end request latency in seconds")):
        page.histogram("sglang:" + name, text, [(server, merged([one["histograms"][key] for one in snapshots]))])


def write_pages(folder, run):
    for index, taken in enumerate(zip(*(engine.pages for engine in run.engines))):
        page = Page(run, taken[0][0])
        page.process(run, taken[0][0])
        (vllm_page if run.settings["product"] == "vllm" else sglang_page)(run, page, [snapshot for _, snapshot in taken])
        with open(os.path.join(folder, "metrics", f"{index:03d}.prom"), "w", encoding="utf-8") as file:
            file.write("\n".join(page.lines) + "\n")


# requests.jsonl


def write_requests(folder, run):
    client = run.workload["client_s"] > 0
    with open(os.path.join(folder, "requests.jsonl"), "w", encoding="utf-8") as file:
        for one in run.requests:
            begin = round(1e9 * (begin_of(run) + one.due))
            if client:
                parts = {"client_queue": one.arrival - one.due, "time_to_first_token": one.first - one.arrival,
                         "decode": one.end - one.first}
            else:
                parts = {"queue": one.scheduled - one.due, "prefill": one.first - one.scheduled, "decode": one.end - one.first}
            row = {"request_id": f"cmpl-{one.id}", "start_ns": begin, "end_ns": begin + round(1e9 * (one.end - one.due)),
                   "tokens": one.prompt, "output_tokens": one.output, "first_token_us": round(1e6 * (one.first - one.due), 3),
                   "stages_us": {name: round(1e6 * seconds, 3) for name, seconds in parts.items()}}
            file.write(json.dumps(row) + "\n")


def write(folder, run, iterations):
    lines = vllm_log(run, iterations) if run.settings["product"] == "vllm" else sglang_log(run)
    lines.sort(key=lambda line: line[0])
    with open(os.path.join(folder, "server.log"), "w", encoding="utf-8") as file:
        file.write("\n".join(text for _, text in lines) + "\n")
    write_pages(folder, run)
    write_requests(folder, run)
