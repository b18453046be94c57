# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates one engine with continuous batching, step by step. docs/serving.md, "The simulator", describes the model.

The device is a model of an H100-class GPU that holds 8 billion parameters in bf16. The sources of the numbers:

WEIGHT_BYTES     8e9 parameters of 2 bytes; read once in every step.
BANDWIDTH        3.35e12 bytes/s, the data sheet of an H100 SXM. Reading the weights takes 4.8 ms, the floor of a step.
KV_BYTES         one token in the cache: 2 (K and V) * 32 layers * 8 heads * 128 * 2 bytes.
TOKEN_FLOPS      2 operations per parameter and token.
ATTENTION_FLOPS  per token and token of context: 4 * 32 layers * 4096.
FLOPS            500e12 a second. The labelled capture llm_prefill_b8 reaches 580e12 on an H200, and large_matmul 650e12.
STEP_S           1.5 ms: schedule, launch of a captured graph, sample. Sampling took 0.22 ms in llm_prefill_then_decode; a whole captured
                 step of a small model took 2.1 ms in llm_decode_graph_b8, and an eager one 3.3 ms in llm_decode_eager_b1.
REQUEST_S        15 us for each decoding request: sample, update of tables, text. An assumption.
DRAFT_S          0.8 ms for each drafted position: 1e9 parameters in bf16 take 0.6 ms to read, and 0.2 ms to launch.
DRAFT_REQUEST_S  4 us for each drafted token (2 * 1e9 operations).
JITTER           standard deviation of 3 % of a step. Steps of llm_prefill_b8 varied by 4 %, those of llm_decode_eager_b1 by 8 %.
PAUSE            one step in 3,000 lasts 20 to 60 ms longer (garbage collection, another process). An assumption.
"""
import bisect
import collections
import heapq
import math
import random

WEIGHT_BYTES = 16e9
BANDWIDTH = 3.35e12
KV_BYTES = 131072
TOKEN_FLOPS = 16e9
ATTENTION_FLOPS = 4 * 32 * 4096
FLOPS = 500e12
STEP_S = 1.5e-3
REQUEST_S = 15e-6
DRAFT_S = 0.8e-3
DRAFT_REQUEST_S = 4e-6
JITTER = 0.03
PAUSE = (1 / 3000, 0.020, 0.060)

BLOCK = 16
WEIGHTS_S = WEIGHT_BYTES / BANDWIDTH
KV_S = KV_BYTES / BANDWIDTH
TOKEN_S = TOKEN_FLOPS / FLOPS
ATTENTION_S = ATTENTION_FLOPS / FLOPS

STATS_S = 10.0  # between two lines of vLLM
SCRAPE_S = 15.0
DECODE_LINE = 40  # decode steps between two lines of SGLang

# SGLang's estimate of the share of max_tokens that a running request will still generate: first, lowest, decode steps between them,
# and the further steps for which it keeps room after it retracted requests.
RATIO_FIRST, RATIO_LOWEST, RATIO_STEPS, RETRACT_STEPS = 0.7, 0.098, 600, 20

SETTINGS = {
    "product": "vllm",
    "engines": 1,
    "max_seqs": 256,  # requests that may run at once
    "max_step_tokens": 2048,
    "kv_tokens": 400_000,  # 80 GB * 0.9 - weights - activations, over KV_BYTES
    "watermark": 0.01,  # share of the blocks that admission leaves free
    "mixed": True,  # decodes share steps with prefills
    "reserve": 0.0,  # SGLang's schedule_conservativeness; 0: admission looks at prompts alone
    "clip": 4096,  # tokens that admission assumes at most for the rest of a request (SGLANG_CLIP_MAX_NEW_TOKENS_ESTIMATION)
    "draft": 0,  # speculative tokens per step
    "acceptance": 0.0,  # probability that a drafted token is accepted if those before it were
    "prefix_cache": False,
    "disaggregated": False,  # prompts are computed on another device
    "routing": "balanced",  # or "sticky"
}


def buckets(text):
    return [float(bound) for bound in text.split()]


LATENCY = buckets("0.3 0.5 0.8 1 1.5 2 2.5 5 10 15 20 30 40 50 60 120 240 480 960 1920 7680")
VLLM_BUCKETS = {
    "ttft": buckets("0.001 0.005 0.01 0.02 0.04 0.06 0.08 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 20 40 80 160 640 2560"),
    "itl": buckets("0.01 0.025 0.05 0.075 0.1 0.15 0.2 0.3 0.4 0.5 0.75 1 2.5 5 7.5 10 20 40 80"),
    "tpot": buckets("0.01 0.025 0.05 0.075 0.1 0.15 0.2 0.3 0.4 0.5 0.75 1 2.5 5 7.5 10 20 40 80"),
    "e2e": LATENCY, "queue": LATENCY, "inference": LATENCY, "prefill": LATENCY, "decode": LATENCY,
    "step_tokens": buckets("1 8 16 32 64 128 256 512 1024 2048 4096 8192 16384"),
    "prompt": buckets("1 2 5 10 20 50 100 200 500 1000 2000 5000 10000"),
    "output": buckets("1 2 5 10 20 50 100 200 500 1000 2000 5000 10000"),
}
SECONDS = "0.1 0.2 0.4 0.6 0.8 1 2 4 6 8 10 20 40 60 80 100 200 400"
SGLANG_BUCKETS = {
    "ttft": buckets(SECONDS),
    "itl": buckets("0.002 0.004 0.006 0.008 0.01 0.015 0.02 0.025 0.03 0.035 0.04 0.06 0.08 0.1 0.2 0.4 0.6 0.8 1 2 4 6 8"),
    "e2e": buckets(SECONDS + " 600 1200 1800 2400"),
    "queue": buckets("0 0.1 0.2 0.5 1 2 3 4 5 10 15 20 30 40 50 60 70 80 90 100 200 300 400 500 600 700 800 900 1000 1200 1400 1600 "
                     "1800 2000 2500 3000"),
}
BUCKETS = {"vllm": VLLM_BUCKETS, "sglang": SGLANG_BUCKETS}


class Histogram:
    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds):
        self.bounds, self.counts, self.sum = bounds, [0] * (len(bounds) + 1), 0.0

    def add(self, value, times=1):
        self.counts[bisect.bisect_left(self.bounds, value)] += times
        self.sum += value * times

    def copy(self):
        other = Histogram(self.bounds)
        other.counts, other.sum = self.counts[:], self.sum
        return other


class Request:
    __slots__ = (
        "id", "arrival", "due", "prompt", "output", "max_tokens", "prefix", "client", "prefilled",  # as drawn
        "todo", "have", "blocks", "done", "scheduled", "first", "last", "end", "preempted", "cached",
    )

    def __init__(self, name, arrival, prompt, output, max_tokens):
        self.id, self.arrival, self.due, self.prompt, self.output, self.max_tokens = name, arrival, arrival, prompt, output, max_tokens
        self.prefix, self.client, self.prefilled = 0, -1, False
        self.reset()

    def reset(self):
        self.todo = self.prompt  # tokens to compute before the next token can be generated
        self.have = self.blocks = self.done = 0  # tokens in the cache, blocks of them, generated tokens
        self.preempted = self.cached = 0
        self.scheduled = self.first = self.last = self.end = None


def prefill_seconds(tokens, before):
    """Returns the compute time of `tokens` prompt tokens that follow `before` others."""
    return tokens * (TOKEN_S + (before + tokens / 2) * ATTENTION_S)


class Engine:
    """Runs the requests of one engine. `think`: None, or the function that gives a client's next request at the end of one."""

    def __init__(self, settings, requests, seed, index, think=None):
        self.settings, self.index, self.think = settings, index, think
        self.random = random.Random(seed * 1009 + index)
        self.arrivals = [(one.arrival, one.id, one) for one in requests]
        heapq.heapify(self.arrivals)
        self.waiting, self.running, self.finished = collections.deque(), [], []
        self.capacity = self.free = settings["kv_tokens"] // BLOCK
        self.keep = int(self.capacity * settings["watermark"])
        self.prefixes = set()
        self.now = self.previous_end = 0.0
        self.count = collections.Counter()  # counters of the product
        self.seconds = collections.Counter()  # time of the simulator's truth
        self.histograms = {name: Histogram(bounds) for name, bounds in BUCKETS[settings["product"]].items()}
        self.positions = [0] * settings["draft"]
        self.ratio = RATIO_FIRST * settings["reserve"]
        self.peaks = collections.Counter()
        self.lines, self.pages, self.steps = [], [], []
        self.next_line = STATS_S if settings["product"] == "vllm" else math.inf
        self.next_page = 0.0
        self.since = collections.Counter()  # counters at the previous line
        self.since_time = 0.0
        self.decode_steps = 0

    def usage(self):
        return 1 - self.free / self.capacity

    def run(self):
        while True:
            while self.arrivals and self.arrivals[0][0] <= self.now:
                self.waiting.append(heapq.heappop(self.arrivals)[2])
            if not self.running and not self.waiting:
                if not self.arrivals:
                    break
                self.pass_time(self.arrivals[0][0])
                self.previous_end = self.now
                continue
            self.step()
        return self

    def pass_time(self, until):
        """Moves the clock and writes the lines and pages that are due before."""
        while min(self.next_line, self.next_page) <= until:
            if self.next_page <= self.next_line:
                self.pages.append((self.next_page, self.snapshot()))
                self.next_page += SCRAPE_S
            else:
                self.write_stats(self.next_line)
                self.next_line += STATS_S
        self.now = until

    def snapshot(self):
        return {
            "running": len(self.running), "waiting": len(self.waiting), "usage": self.usage(), "count": dict(self.count),
            "used": (self.capacity - self.free) * BLOCK, "positions": self.positions[:], "ratio": self.ratio,
            "histograms": {name: one.copy() for name, one in self.histograms.items()},
        }

    def write_stats(self, at):
        """Notes the figures of an interval of vLLM's statistics line."""
        delta = {name: value - self.since[name] for name, value in self.count.items()}
        positions = [self.count[f"position{i}"] - self.since[f"position{i}"] for i in range(len(self.positions))]
        self.since = collections.Counter(self.count)
        self.lines.append(("stats", at, len(self.running), len(self.waiting), self.usage(), delta, positions, dict(self.count)))

    # Scheduling

    def grow(self, request, tokens):
        """Gives a running request blocks for `tokens` more tokens; preempts the latest requests if there are too few. False: this request
        was preempted itself."""
        need = -(-(request.have + tokens) // BLOCK) - request.blocks
        while need > self.free:
            victim = self.running.pop()
            self.preempt(victim)
            if victim is request:
                return False
        if need > 0:
            self.free -= need
            request.blocks += need
        return True

    def preempt(self, victim):
        self.free += victim.blocks
        self.count["preemptions"] += 1
        self.seconds["recomputed_tokens"] += victim.have
        victim.todo, victim.have, victim.blocks = victim.prompt + victim.done, 0, 0
        victim.preempted += 1
        self.waiting.appendleft(victim)
        self.stopped.append(victim)

    def may_admit(self, request):
        free = self.free - self.keep
        need = -(-request.todo // BLOCK)
        if self.settings["reserve"]:
            clip = self.settings["clip"]
            owed = sum([min(one.max_tokens - one.done, clip) for one in self.running])
            need += (min(request.max_tokens - request.done, clip) + owed * self.ratio) / BLOCK
        return need <= free or (not self.running and need <= self.free)

    def admit(self, budget, chunks):
        limit = self.settings["max_seqs"]
        while self.waiting and budget > 0 and len(self.running) < limit:
            request = self.waiting[0]
            hit = request.prefix if request.prefix and request.client in self.prefixes else 0
            if not self.may_admit(request):
                break
            todo = request.todo - hit
            self.waiting.popleft()
            self.running.append(request)
            if request.scheduled is None:
                request.scheduled = self.now
                request.cached = hit
                self.count["cache_queries"] += request.prompt if self.settings["prefix_cache"] else 0
                self.count["cache_hits"] += hit
            if request.prefilled and not request.done:  # its cache arrives from the other device
                todo = min(todo, 1)
            request.have, request.blocks = request.todo - todo, -(-request.todo // BLOCK)
            self.free -= request.blocks
            if self.settings["prefix_cache"] and request.prefix:
                self.prefixes.add(request.client)
            request.todo = todo
            take = min(todo, budget)
            budget -= take
            chunks.append((request, take))

    def schedule(self):
        """Returns the decoding requests and the chunks of prompts of a step."""
        budget, width = self.settings["max_step_tokens"], 1 + self.settings["draft"]
        running, decodes, chunks = self.running, [], []
        self.stopped = []
        mixed = self.settings["mixed"]
        if not mixed:  # prompts first, alone
            for request in running:
                if request.todo and budget:
                    take = min(request.todo, budget)
                    budget -= take
                    chunks.append((request, take))
            self.admit(budget, chunks)
            if chunks:
                return decodes, chunks
        at = 0
        while at < len(running):
            request = running[at]
            if request.todo:
                take = min(request.todo, budget)
                if take:
                    budget -= take
                    chunks.append((request, take))
            elif budget < width:
                break
            else:
                if request.have + width > request.blocks * BLOCK and not self.grow(request, width):
                    break
                budget -= width
                decodes.append(request)
            at += 1
        if self.stopped:
            gone = set(self.stopped)
            chunks = [one for one in chunks if one[0] not in gone]
        elif mixed:
            self.admit(budget, chunks)
        return decodes, chunks

    # Execution

    def duration(self, decodes, kv_read, prefill_s, drafted):
        """Returns the time of a step without jitter, and whether computation takes longer than memory."""
        width = 1 + self.settings["draft"]
        memory = WEIGHTS_S + kv_read * KV_S
        compute = decodes * width * TOKEN_S + prefill_s
        draft = self.settings["draft"] * DRAFT_S + drafted * DRAFT_REQUEST_S if drafted else 0
        return max(memory, compute) + STEP_S + decodes * REQUEST_S + draft, compute > memory

    def step(self):
        decodes, chunks = self.schedule()
        count, begin = len(decodes), self.now
        prefill_s = prefill_tokens = extra = 0
        for request, take in chunks:
            prefill_tokens += take
            if not request.prefilled:
                prefill_s += prefill_seconds(take, request.have)
            extra += request.have
        kv_read = sum([one.have for one in decodes])
        drafted = count * self.settings["draft"]
        clean, bound = self.duration(count, kv_read + extra, prefill_s, drafted)
        noise = self.random.lognormvariate(0, JITTER)
        pause = self.random.uniform(*PAUSE[1:]) if self.random.random() < PAUSE[0] else 0
        elapsed = clean * noise + pause
        end = begin + elapsed
        self.account(decodes, chunks, elapsed, clean, kv_read, drafted, bound)
        self.pass_time(end)
        tokens = self.generate(decodes, end)
        self.compute_prompts(chunks, end)
        self.count["generated"] += tokens
        self.count["steps"] += 1
        if "step_tokens" in self.histograms:
            self.histograms["step_tokens"].add(prefill_tokens + count)
        self.note_step(begin, end, decodes, chunks, prefill_tokens, tokens)
        self.previous_end = end

    def account(self, decodes, chunks, elapsed, clean, kv_read, drafted, bound):
        """Keeps the simulator's own figures."""
        usage, running = 1 - self.free / self.capacity, len(self.running)
        peaks, seconds = self.peaks, self.seconds
        if usage > peaks["usage"]:
            peaks["usage"] = usage
        if running > peaks["running"]:
            peaks["running"] = running
        seconds["busy"] += elapsed
        seconds["usage"] += usage * elapsed
        seconds["running"] += running * elapsed
        if bound:
            seconds["compute_bound"] += elapsed
        if self.waiting:
            seconds["waiting"] += elapsed
            if running >= self.settings["max_seqs"]:
                seconds["waiting_for_slot"] += elapsed
        waiting_decodes = len(decodes) if decodes else sum([1 for one in self.running if not one.todo])
        if waiting_decodes:
            seconds["decoding"] += elapsed
            if chunks:
                alone = self.duration(len(decodes), kv_read, 0, drafted)[0] if decodes else 0
                seconds["prefill_in_decode"] += elapsed * (1 - alone / clean)

    def generate(self, decodes, end):
        """Adds the tokens of the decoding requests. Returns their number."""
        previous, same, total = self.previous_end, 0, 0
        draft, itl = self.settings["draft"], self.histograms["itl"]
        done = False
        for request in decodes:
            tokens = 1
            if draft:
                accepted = self.draw_accepted()
                self.count["accepted"] += accepted
                for position in range(accepted):
                    self.positions[position] += 1
                    self.count[f"position{position}"] += 1
                tokens = min(1 + accepted, request.output - request.done)
            request.have += tokens
            request.done += tokens
            total += tokens
            if request.last == previous:
                same += 1
            else:
                itl.add(end - request.last)
            request.last = end
            if request.done >= request.output:
                done = True
        if same:
            itl.add(end - previous, same)
        if draft:
            self.count["drafts"] += len(decodes)
            self.count["drafted"] += len(decodes) * draft
        if done:
            for request in decodes:
                if request.done >= request.output:
                    self.finish(request, end)
            self.running = [one for one in self.running if one.done < one.output]
        return total

    def draw_accepted(self):
        accepted, rate, draw = 0, self.settings["acceptance"], self.random.random
        while accepted < self.settings["draft"] and draw() < rate:
            accepted += 1
        return accepted

    def compute_prompts(self, chunks, end):
        for request, take in chunks:
            request.have += take
            request.todo -= take
            if request.todo:
                continue
            request.done += 1
            self.count["generated"] += 1
            if request.first is None:
                request.first = end
                self.count["prompt"] += request.prompt
                self.histograms["ttft"].add(end - request.arrival)
            else:
                self.histograms["itl"].add(end - request.last)
            request.last = end
            if request.done >= request.output:
                self.finish(request, end)
                self.running.remove(request)

    def finish(self, request, end):
        self.free += request.blocks
        request.blocks, request.end = 0, end
        self.finished.append(request)
        self.count["finished"] += 1
        if request.output >= request.max_tokens:
            self.count["length"] += 1
        values = {
            "e2e": end - request.arrival, "queue": request.scheduled - request.arrival, "inference": end - request.scheduled,
            "prefill": request.first - request.scheduled, "decode": end - request.first, "prompt": request.prompt, "output": request.output,
        }
        if request.output > 1:
            values["tpot"] = (end - request.first) / (request.output - 1)
        for name, value in values.items():
            if name in self.histograms:
                self.histograms[name].add(value)
        if self.think:
            following = self.think(request, end)
            if following:
                heapq.heappush(self.arrivals, (following.arrival, following.id, following))

    def note_step(self, begin, end, decodes, chunks, prefill_tokens, tokens):
        """Keeps the figures of the lines that a product prints for steps. SGLang counts a mixed step as a batch of prompts."""
        if self.settings["product"] == "vllm":
            self.steps.append((end, len(chunks), prefill_tokens, len(decodes), len(decodes) * (1 + self.settings["draft"]), end - begin))
            return
        if self.stopped:
            before = self.ratio
            running = self.running
            most = sum(one.max_tokens for one in running) or 1
            wanted = (sum(one.done for one in running) + RETRACT_STEPS * len(running)) / most
            self.ratio = min(1.0, wanted)
            gained = sum(one.prompt + one.done for one in self.stopped)
            self.lines.append(("retract", begin, len(self.stopped), gained, before, self.ratio))
        elif decodes:
            lowest = RATIO_LOWEST * self.settings["reserve"]
            first = RATIO_FIRST * self.settings["reserve"]
            self.ratio = max(lowest, self.ratio - (first - lowest) / RATIO_STEPS)
        if chunks:
            cached = sum(one.cached for one, take in chunks if one.have <= take + one.cached)
            others = len(self.running) - sum(1 for one, _ in chunks if one.end is None)
            self.lines.append(("prefill", begin, len(chunks), prefill_tokens, cached, self.usage(), others, len(self.waiting)))
        elif decodes:
            self.decode_steps += 1
            if self.decode_steps % DECODE_LINE == 0:
                passed = {name: self.count[name] - self.since[name] for name in ("generated", "accepted", "drafts")}
                passed["seconds"] = end - self.since_time
                self.since, self.since_time = collections.Counter(self.count), end
                used = (self.capacity - self.free) * BLOCK
                self.count["throughput"] = passed["generated"] / passed["seconds"]
                self.count["accept_length"] = 1 + passed["accepted"] / passed["drafts"] if passed["drafts"] else 0
                self.lines.append(("decode", end, len(self.running), used, self.usage(), passed, len(self.waiting)))


def prefill_elsewhere(requests):
    """Computes the prompts one after the other on another device; the requests arrive here with their cache."""
    free = 0.0
    for request in sorted(requests, key=lambda one: one.arrival):
        free = max(free, request.arrival) + prefill_seconds(request.prompt, 0) + STEP_S
        request.arrival, request.prefilled = free, True
    return requests


def quantile(values, share):
    """Returns a quantile by linear interpolation."""
    values = sorted(values)
    if not values:
        return math.nan
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)
