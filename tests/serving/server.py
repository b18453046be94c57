# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves random requests on one accelerator, to compare weir's diagnosis with a state that the settings induce.

A transformer of Llama's shape with random weights, a paged KV cache in device memory, and continuous batching: running
requests decode one token a step, prompts are computed in chunks within a token budget, and the latest request is preempted
and computed again if no block is left. Writes into a folder what a server exports: a log with a line per step and one per
interval (in the form of vLLM's), metrics pages, and a request log. Needs PyTorch and an accelerator.

    server.py OUT --rate 4 --seconds 45 --prompt 1500 --output 60 --max-num-seqs 64 --gpu-memory-utilization 0.3
"""
import argparse
import collections
import json
import math
import os
import random
import time

import torch
import torch.nn.functional as F

BLOCK = 16
LAYERS, DIM, HEADS, KV_HEADS, HEAD, HIDDEN, VOCAB = 16, 2048, 16, 4, 128, 8192, 32000


class Model:
    def __init__(self, blocks, device):
        torch.manual_seed(0)

        def weight(rows, columns):
            return torch.randn(rows, columns, device=device, dtype=torch.bfloat16) / math.sqrt(rows)

        self.embed = weight(VOCAB, DIM)
        self.layers = [{
            "qkv": weight(DIM, (HEADS + 2 * KV_HEADS) * HEAD), "out": weight(HEADS * HEAD, DIM),
            "up": weight(DIM, 2 * HIDDEN), "down": weight(HIDDEN, DIM)} for _ in range(LAYERS)]
        self.head = weight(DIM, VOCAB)
        shape = (LAYERS, blocks, BLOCK, KV_HEADS, HEAD)
        self.k = torch.zeros(shape, device=device, dtype=torch.bfloat16)
        self.v = torch.zeros(shape, device=device, dtype=torch.bfloat16)
        self.frequency = 10000.0 ** (-torch.arange(0, HEAD, 2, device=device).float() / HEAD)

    def rotate(self, x, positions):
        angle = positions[..., None].float() * self.frequency
        cos, sin = angle.cos()[:, :, None].to(x.dtype), angle.sin()[:, :, None].to(x.dtype)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)

    def forward(self, tokens, positions, tables, last):
        """tokens, positions: [requests, new tokens]; tables: [requests, blocks]; last: [requests], the place of the last new
        token. Returns the next token of each request."""
        rows, new = tokens.shape
        block = tables.gather(1, positions // BLOCK)
        offset = positions % BLOCK
        length = tables.shape[1] * BLOCK
        mask = (torch.arange(length, device=tokens.device)[None, None] <= positions[:, :, None])[:, None]
        x = self.embed[tokens]
        for i, layer in enumerate(self.layers):
            h = F.rms_norm(x, (DIM,))
            q, k, v = (h @ layer["qkv"]).view(rows, new, -1, HEAD).split((HEADS, KV_HEADS, KV_HEADS), 2)
            self.k[i][block, offset] = self.rotate(k, positions)
            self.v[i][block, offset] = v
            keys = self.k[i][tables].view(rows, length, KV_HEADS, HEAD).transpose(1, 2)
            values = self.v[i][tables].view(rows, length, KV_HEADS, HEAD).transpose(1, 2)
            repeat = HEADS // KV_HEADS
            a = F.scaled_dot_product_attention(
                self.rotate(q, positions).transpose(1, 2), keys.repeat_interleave(repeat, 1),
                values.repeat_interleave(repeat, 1), attn_mask=mask)
            x = x + a.transpose(1, 2).reshape(rows, new, HEADS * HEAD) @ layer["out"]
            gate, up = (F.rms_norm(x, (DIM,)) @ layer["up"]).chunk(2, -1)
            x = x + (F.silu(gate) * up) @ layer["down"]
        x = x.gather(1, last[:, None, None].expand(-1, 1, DIM))[:, 0]
        return (F.rms_norm(x, (DIM,)) @ self.head).argmax(-1)


class Request:
    def __init__(self, number, due, prompt, output):
        self.number, self.due, self.prompt, self.output = number, due, prompt, output
        self.computed = self.produced = 0
        self.table = []
        self.scheduled = self.first = self.end = None
        self.queued_s = 0.0

    @property
    def target(self):
        """Tokens whose keys and values the next token needs."""
        return self.prompt + self.produced


class Server:
    def __init__(self, options):
        self.options = options
        block_bytes = LAYERS * BLOCK * KV_HEADS * HEAD * 2 * 2
        weights = 2 * (2 * VOCAB * DIM + LAYERS * (DIM * (HEADS + 2 * KV_HEADS) * HEAD + HEADS * HEAD * DIM + 3 * DIM * HIDDEN))
        self.blocks = int((options.gpu_memory_utilization * options.device_gb * 1e9 - weights) / block_bytes)
        self.model = Model(self.blocks, "cuda")
        self.free = list(range(1, self.blocks))  # block 0 takes the keys and values of padding
        self.waiting, self.running = collections.deque(), []
        self.done, self.preemptions, self.iteration = [], 0, 0
        self.prompt_tokens = self.generated = 0
        self.ttft, self.itl = [], []
        self.log = open(os.path.join(options.out, "server.log"), "w")

    def say(self, text, source="core.py:417"):
        self.log.write(time.strftime("INFO %m-%d %H:%M:%S", time.gmtime()) + f" [{source}] {text}\n")

    def describe(self):
        o = self.options
        self.say("vLLM API server version 0.11.0", "api_server.py:1839")
        self.say(f"non-default args: {{'model': 'random-1b', 'max_num_seqs': {o.max_num_seqs}, 'max_num_batched_tokens': "
                 f"{o.max_num_batched_tokens}, 'gpu_memory_utilization': {o.gpu_memory_utilization}}}", "utils.py:233")
        self.say(f"Chunked prefill is enabled with max_num_batched_tokens={o.max_num_batched_tokens}.", "scheduler.py:222")
        self.say(f"GPU KV cache size: {self.blocks * BLOCK:,} tokens", "kv_cache_utils.py:1087")

    def reserve(self, request, tokens):
        need = -(-(request.computed + tokens) // BLOCK) - len(request.table)
        if need > len(self.free):
            return False
        for _ in range(max(need, 0)):
            request.table.append(self.free.pop())
        return True

    def release(self, request):
        self.free.extend(request.table)
        request.table = []

    def preempt(self):
        request = self.running.pop()
        self.release(request)
        request.computed = 0
        request.wait_from = time.time()
        self.waiting.appendleft(request)
        self.preemptions += 1
        return request

    def schedule(self):
        budget, decodes, chunks = self.options.max_num_batched_tokens, [], []
        preempted = False
        for request in list(self.running):
            if request not in self.running:
                continue
            tokens = min(request.target - request.computed, budget) if request.computed < request.target else 0
            if tokens == 0:
                continue
            while not self.reserve(request, tokens):
                preempted = True
                if self.preempt() is request:
                    tokens = 0
                    break
            if tokens:
                budget -= tokens
                (decodes if tokens == 1 and request.produced else chunks).append((request, tokens))
        decodes = [d for d in decodes if d[0] in self.running]
        chunks = [c for c in chunks if c[0] in self.running]
        while self.waiting and budget > 0 and not preempted and len(self.running) < self.options.max_num_seqs:
            request = self.waiting[0]
            tokens = min(request.target, budget)
            if not self.reserve(request, tokens):
                break
            self.waiting.popleft()
            now = time.time()
            request.queued_s += now - request.wait_from
            request.scheduled = request.scheduled or now
            self.running.append(request)
            chunks.append((request, tokens))
            budget -= tokens
        return decodes, chunks

    def compute(self, batch):
        columns = -(-max(len(request.table) for request, _ in batch) // 16) * 16
        longest = max(count for _, count in batch)
        longest = -(-longest // 128) * 128 if longest > 1 else 1  # few shapes, so that their kernels and memory are there
        tokens, positions, tables, last = [], [], [], []
        for request, count in batch:
            padding = [columns * BLOCK] * (longest - count)
            positions.append(list(range(request.computed, request.computed + count)) + padding)
            tokens.append([random.randrange(VOCAB) for _ in range(longest)])
            tables.append(request.table + [0] * (columns + 1 - len(request.table)))
            last.append(count - 1)
        return self.model.forward(*(torch.tensor(x, device="cuda") for x in (tokens, positions, tables, last)))

    @staticmethod
    def groups(chunks):
        """Splits chunks of prompts into batches of similar lengths, so that padding is less than half."""
        batch = []
        for chunk in sorted(chunks, key=lambda item: -item[1]):
            if batch and (chunk[1] * 2 < batch[0][1] or batch[0][1] * (len(batch) + 1) > 8192):
                yield batch
                batch = []
            batch.append(chunk)
        if batch:
            yield batch

    def step(self):
        decodes, chunks = self.schedule()
        if not decodes and not chunks:
            return False
        start = time.time()
        with torch.inference_mode():
            out = [self.compute(decodes)] if decodes else []
            out += [self.compute(batch) for batch in self.groups(chunks)]
            for tokens in out:
                tokens.tolist()
        end = time.time()
        for request, count in decodes + chunks:
            request.computed += count
            if request.computed < request.target:
                continue
            request.produced += 1
            self.generated += 1
            if request.first is None:
                request.first = end
                self.ttft.append(end - request.due)
            else:
                self.itl.append(end - request.last)
            request.last = end
            if request.produced == request.output:
                request.end = end
                self.running.remove(request)
                self.release(request)
                self.done.append(request)
        context = sum(count for _, count in chunks)
        self.prompt_tokens += context
        self.iteration += 1
        self.say(f"Iteration({self.iteration}): {len(chunks)} context requests, {context} context tokens, {len(decodes)} generation "
                 f"requests, {len(decodes)} generation tokens, iteration elapsed time: {(end - start) * 1e3:.2f} ms", "core.py:399")
        return True

    def usage(self):
        return 1 - len(self.free) / self.blocks

    def statistics(self, span, before):
        self.say(f"Engine 000: Avg prompt throughput: {(self.prompt_tokens - before[0]) / span:.1f} tokens/s, Avg generation "
                 f"throughput: {(self.generated - before[1]) / span:.1f} tokens/s, Running: {len(self.running)} reqs, Waiting: "
                 f"{len(self.waiting)} reqs, GPU KV cache usage: {100 * self.usage():.1f}%, Prefix cache hit rate: 0.0%",
                 "loggers.py:161")

    def page(self, number):
        lines = []

        def metric(name, kind, value):
            lines.extend((f"# TYPE vllm:{name} {kind}", f'vllm:{name}{{engine="0",model_name="random-1b"}} {value}'))

        def histogram(name, bounds, values):
            lines.append(f"# TYPE vllm:{name} histogram")
            for bound in bounds + [math.inf]:
                le = "+Inf" if bound == math.inf else bound
                lines.append(f'vllm:{name}_bucket{{engine="0",le="{le}",model_name="random-1b"}} {sum(v <= bound for v in values)}')
            lines.append(f'vllm:{name}_sum{{engine="0",model_name="random-1b"}} {sum(values)}')
            lines.append(f'vllm:{name}_count{{engine="0",model_name="random-1b"}} {len(values)}')

        metric("num_requests_running", "gauge", len(self.running))
        metric("num_requests_waiting", "gauge", len(self.waiting))
        metric("kv_cache_usage_perc", "gauge", self.usage())
        metric("num_preemptions_total", "counter", self.preemptions)
        metric("prompt_tokens_total", "counter", self.prompt_tokens)
        metric("generation_tokens_total", "counter", self.generated)
        metric("request_success_total", "counter", len(self.done))
        wide = [0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0]
        histogram("e2e_request_latency_seconds", wide, [r.end - r.due for r in self.done])
        histogram("request_queue_time_seconds", wide, [r.queued_s for r in self.done])
        histogram("time_to_first_token_seconds", [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
                                                  10.0, 20.0, 40.0, 80.0], self.ttft)
        histogram("inter_token_latency_seconds", [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0], self.itl)
        stamp = int(time.time() * 1000)
        text = "\n".join(line if line[0] == "#" else f"{line} {stamp}" for line in lines) + "\n"
        with open(os.path.join(self.options.out, "metrics", f"{number:03d}.prom"), "w") as file:
            file.write(text)

    def requests(self):
        with open(os.path.join(self.options.out, "requests.jsonl"), "w") as file:
            for r in self.done:
                queue = r.queued_s * 1e6
                prefill = (r.first - r.due) * 1e6 - queue
                file.write(json.dumps({
                    "request_id": f"r{r.number}", "start_ns": int(r.due * 1e9), "end_ns": int(r.end * 1e9), "tokens": r.prompt,
                    "output_tokens": r.output, "stages_us": {
                        "queue": round(queue, 3), "prefill": round(max(prefill, 0), 3),
                        "decode": round((r.end - r.first) * 1e6 + min(prefill, 0), 3)}}) + "\n")


def serve(options):
    os.makedirs(os.path.join(options.out, "metrics"), exist_ok=True)
    random.seed(options.seed)
    server = Server(options)
    server.describe()
    warm = Request(-1, time.time(), 64, 8)
    warm.wait_from = warm.due
    server.waiting.append(warm)
    while server.waiting or server.running:
        server.step()
    # Kernels of the sizes to come are loaded before the load begins.
    for prompt in range(64, min(2 * options.prompt, server.blocks * BLOCK // 2), 128):
        again = Request(-1, time.time(), prompt, 3)
        again.wait_from = again.due
        server.waiting.append(again)
        while server.waiting or server.running:
            server.step()
    server.done.clear(), server.ttft.clear(), server.itl.clear()
    server.prompt_tokens = server.generated = 0
    start = last = time.time()
    before, number, due, page = (0, 0), 0, start, 0
    server.page(page)
    while time.time() < start + options.seconds:
        while due <= time.time():
            request = Request(number, due, max(8, int(random.lognormvariate(math.log(options.prompt), 0.3))),
                              max(4, int(random.lognormvariate(math.log(options.output), 0.3))))
            request.wait_from = due
            server.waiting.append(request)
            number += 1
            due += random.expovariate(options.rate)
        if not server.step():
            time.sleep(0.001)
        if time.time() - last >= options.interval:
            server.statistics(time.time() - last, before)
            before, last, page = (server.prompt_tokens, server.generated), time.time(), page + 1
            server.page(page)
    server.requests()
    server.log.close()

    def quantile(values, share):
        return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else None

    print(json.dumps({
        "out": options.out, "requests": len(server.done), "arrived": number, "waiting at the end": len(server.waiting),
        "preemptions": server.preemptions, "iterations": server.iteration, "kv tokens": server.blocks * BLOCK,
        "tokens/s": round(server.generated / options.seconds, 1),
        "queue p50/p95 s": [quantile([r.queued_s for r in server.done], q) for q in (0.5, 0.95)],
        "ttft p50/p95 s": [quantile(server.ttft, q) for q in (0.5, 0.95)],
        "itl p50/p95/p99 s": [quantile(server.itl, q) for q in (0.5, 0.95, 0.99)],
        "e2e p50/p95 s": [quantile([r.end - r.due for r in server.done], q) for q in (0.5, 0.95)]}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--rate", type=float, default=4, help="requests a second")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--interval", type=float, default=5, help="seconds between lines of statistics and between pages")
    parser.add_argument("--prompt", type=int, default=500, help="median tokens of a prompt")
    parser.add_argument("--output", type=int, default=100, help="median tokens of an answer")
    parser.add_argument("--max-num-seqs", type=int, default=64)
    parser.add_argument("--max-num-batched-tokens", type=int, default=2048)
    parser.add_argument("--gpu-memory-utilization", type=float, default=0.5)
    parser.add_argument("--device-gb", type=float, default=40, help="memory of the device that the share refers to")
    parser.add_argument("--seed", type=int, default=1)
    serve(parser.parse_args())


main()
