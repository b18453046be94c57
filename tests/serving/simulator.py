#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""simulator.py FOLDER --state STATE [--load low|medium|high] [--seed N] [--product vllm|sglang] [--iterations] [--no-check]:
simulates an inference server with continuous batching and writes what a real one leaves behind: server.log, metrics/NNN.prom and
requests.jsonl, and truth.json with the state that was induced.

simulator.py --table [--first SEED] [--seeds N]: prints the gain by the remedy for each state and load.

engine.py holds the model of one engine, products.py the formats. A state is induced by settings and load alone. It is verified by a
counterfactual: the same requests again, with the cause removed (`remedy` in truth.json), must gain at least GAIN, and more than any other
remedy that needs no further device; and `conditions` must hold, which distinguish the state from its neighbours by figures of the
simulator. Workloads were chosen by these criteria only, never by answers of weir.
"""
import argparse
import json
import math
import os
import random
import sys

sys.dont_write_bytecode = True  # the project's folder stays as it is
import products
from engine import SCRAPE_S, SETTINGS, Engine, Request, prefill_elsewhere, quantile

GAIN = 0.20  # share of the metric that the remedy must save
HEALTHY_GAIN = 0.10  # share that no remedy may save in a healthy run
ATTEMPTS = 5  # draws of a case before a state counts as not induced
LOADS = ("low", "medium", "high")
WORKLOAD = {"kind": "poisson", "rate": 1.0, "seconds": 75.0, "prompt": (500, 0.5), "output": (200, 0.5), "max_tokens": 1024, "prefix": 0,
            "groups": 1, "clients": 0, "think": 0.0, "hot": 0.0, "client_s": 0.0}


# Requests


def draw_length(draw, shape, least, most):
    return int(min(max(draw.lognormvariate(math.log(shape[0]), shape[1]), least), most))


def draw_request(draw, workload, number, at):
    prompt = draw_length(draw, workload["prompt"], 16, 8 * workload["prompt"][0]) + workload["prefix"]
    output = draw_length(draw, workload["output"], 4, workload["max_tokens"])
    request = Request(number, at, prompt, output, workload["max_tokens"])
    request.prefix, request.client = workload["prefix"], draw.randrange(workload["groups"])
    return request


def draw_times(draw, workload):
    """Returns times of arrival. Bursty: the rate alternates between 1.6 and 0.4 of the mean, 4 s each on average."""
    at, times, factor, until = 0.0, [], 1.0, math.inf
    if workload["kind"] == "bursty":
        factor, until = 1.6, draw.expovariate(1 / 4)
    while True:
        gap = draw.expovariate(workload["rate"] * factor)
        if at + gap > until:
            at, factor = until, 2.0 - factor
            until = at + draw.expovariate(1 / 4)
            continue
        at += gap
        if at >= workload["seconds"]:
            return times
        times.append(at)


def draw_requests(workload, seed):
    """Returns the requests in order of arrival, which depend on the workload and the seed alone."""
    draw = random.Random(seed * 7919 + 17)
    if workload["clients"]:
        times = [0.2 + 0.05 * index for index in range(workload["clients"])]
    else:
        times = draw_times(draw, workload)
    requests = [draw_request(draw, workload, number, at) for number, at in enumerate(times)]
    if workload["clients"]:
        for number, request in enumerate(requests):
            request.client = number
    if workload["client_s"]:  # one thread of the client sends them one after the other
        free = 0.0
        for request in requests:
            free = max(free, request.due) + workload["client_s"] * draw.lognormvariate(0, 0.2)
            request.arrival = free
    return requests


def route(requests, settings, workload, seed):
    """Returns the requests of each engine. Sticky: one engine gets the share `hot`, the others share the rest."""
    count = settings["engines"]
    parts = [[] for _ in range(count)]
    if settings["routing"] == "balanced" or count == 1:
        for number, request in enumerate(requests):
            parts[number % count].append(request)
        return parts
    draw, hot = random.Random(seed * 31 + 5), seed % count
    others = [index for index in range(count) if index != hot]
    for request in requests:
        parts[hot if draw.random() < workload["hot"] else draw.choice(others)].append(request)
    return parts


class Clients:
    """Closed loop: each client sends its next request `think` seconds after the end of the last one, on average. The requests of a client
    do not depend on the engine that serves it."""

    def __init__(self, workload, seed):
        self.workload = workload
        self.draws = [random.Random(seed * 104729 + client) for client in range(workload["clients"])]
        self.counts = [0] * workload["clients"]

    def __call__(self, request, end):
        client = request.client
        at = end + self.draws[client].expovariate(1 / self.workload["think"])
        if at >= self.workload["seconds"]:
            return None
        self.counts[client] += 1
        following = draw_request(self.draws[client], self.workload, 1_000_000 * (client + 1) + self.counts[client], at)
        following.client = client
        return following


# Runs


class Run:
    """A simulated run of all engines."""

    def __init__(self, settings, workload, seed):
        self.settings, self.workload, self.seed = {**SETTINGS, **settings}, {**WORKLOAD, **workload}, seed
        requests = draw_requests(self.workload, seed)
        if self.settings["disaggregated"]:
            requests = prefill_elsewhere(requests)
        self.engines = []
        think = Clients(self.workload, seed) if self.workload["clients"] else None
        for index, part in enumerate(route(requests, self.settings, self.workload, seed)):
            self.engines.append(Engine(self.settings, part, seed, index, think).run())
        self.requests = sorted((one for engine in self.engines for one in engine.finished), key=lambda one: (one.due, one.id))
        self.end = max(engine.now for engine in self.engines)
        last = SCRAPE_S * math.ceil(self.end / SCRAPE_S)
        for engine in self.engines:
            engine.pass_time(last)

    def figures(self):
        """Returns the simulator's own figures, by the names of truth.json."""
        requests = self.requests
        e2e = [one.end - one.due for one in requests]
        queue = [one.scheduled - one.due for one in requests]
        tpot = [(one.end - one.first) / (one.output - 1) for one in requests if one.output > 1]
        times = ("busy", "usage", "running", "compute_bound", "waiting", "waiting_for_slot", "decoding", "prefill_in_decode",
                 "recomputed_tokens")
        total = {key: sum(engine.seconds[key] for engine in self.engines) for key in times}
        busy = total["busy"]
        count = {key: sum(engine.count[key] for engine in self.engines) for key in ("preemptions", "generated", "drafted", "accepted")}
        work = [engine.count["prompt"] + engine.count["generated"] for engine in self.engines]
        return {
            "requests": len(requests), "seconds": self.end, "output_tokens_per_s": count["generated"] / self.end,
            "p50_e2e_s": quantile(e2e, 0.5), "p95_e2e_s": quantile(e2e, 0.95), "p95_queue_s": quantile(queue, 0.95),
            "p50_tpot_s": quantile(tpot, 0.5), "p95_tpot_s": quantile(tpot, 0.95),
            "queue_share": sum(queue) / sum(e2e), "busy_share": busy / self.end / len(self.engines),
            "kv_peak": max(engine.peaks["usage"] for engine in self.engines), "kv_mean": total["usage"] / busy,
            "running_peak": max(engine.peaks["running"] for engine in self.engines), "running_mean": total["running"] / busy,
            "preemptions": count["preemptions"], "preemptions_per_request": count["preemptions"] / len(requests),
            "recomputed_tokens": total["recomputed_tokens"], "compute_bound_share": total["compute_bound"] / busy,
            "waiting_share": total["waiting"] / busy,
            "slot_share_of_waiting": total["waiting_for_slot"] / total["waiting"] if total["waiting"] else 0.0,
            "decode_time_lost_to_prefill": total["prefill_in_decode"] / total["decoding"],
            "acceptance": count["accepted"] / count["drafted"] if count["drafted"] else None,
            "busiest_engine_share": max(work) / sum(work),
            "flat_step_ratio": self.flat_step_ratio(total["running"] / busy, total["usage"] / busy),
        }

    def flat_step_ratio(self, running, usage):
        """Returns the time of a decode step with the mean batch over that of a step with twice as many requests."""
        engine, running = self.engines[0], max(running, 1)
        read = usage * self.settings["kv_tokens"]
        width = self.settings["draft"]
        once = engine.duration(running, read, 0, running * width)[0]
        return once / engine.duration(2 * running, 2 * read, 0, 2 * running * width)[0]


# States: settings and workload by load, the remedy, the metric that it improves, and the conditions that distinguish the state from others.

REMEDIES = {
    "double-kv": lambda settings: {"kv_tokens": 2 * settings["kv_tokens"]},
    "double-slots": lambda settings: {"max_seqs": 2 * settings["max_seqs"]},
    "double-engines": lambda settings: {"engines": 2 * settings["engines"]},
    "balance": lambda settings: {"routing": "balanced"},
    "no-draft": lambda settings: {"draft": 0},
    "prefill-elsewhere": lambda settings: {"disaggregated": True},
}


def by_load(load, low, medium, high):
    return {"low": low, "medium": medium, "high": high}[load]


def kv_capacity(load, product):
    settings = {"kv_tokens": 36_000, "max_seqs": 128, "watermark": 0.1 if product == "vllm" else 0.01}
    return settings, {"rate": by_load(load, 3.3, 3.7, 4.2), "prompt": (2400, 0.3), "output": (380, 0.3), "max_tokens": 800}


def preemption(load, product):
    settings = {"kv_tokens": 60_000, "clip": 64 if product == "sglang" else 4096}
    return settings, {"rate": by_load(load, 11.0, 12.0, 13.5), "prompt": (150, 0.4), "output": (900, 0.5), "max_tokens": 3000,
                      "seconds": 60.0}


def prefill_interference(load, _):
    return {"max_step_tokens": 8192}, {"rate": by_load(load, 1.0, 1.3, 1.6), "prompt": (7000, 0.4), "output": (300, 0.4)}


def slots(load, _):
    return {"max_seqs": 16}, {"rate": by_load(load, 10.0, 11.0, 12.5), "prompt": (250, 0.5), "output": (220, 0.5)}


def queue_saturated(load, _):
    return {"max_seqs": 512}, {"rate": by_load(load, 20.0, 23.0, 27.0), "prompt": (1300, 0.4), "output": (80, 0.4), "max_tokens": 400,
                               "seconds": 60.0}


def engine_imbalance(load, _):
    settings = {"engines": 4, "routing": "sticky", "max_seqs": 64}
    return settings, {"rate": 34.0, "hot": by_load(load, 0.62, 0.68, 0.76), "prompt": (700, 0.5), "output": (180, 0.5),
                      "seconds": 60.0}


def speculation_unprofitable(load, _):
    settings = {"draft": by_load(load, 4, 5, 5), "acceptance": by_load(load, 0.12, 0.15, 0.2)}
    return settings, {"rate": by_load(load, 4.0, 6.0, 9.0), "prompt": (400, 0.5), "output": (350, 0.5)}


def healthy(load, _):
    return {}, {"rate": by_load(load, 1.5, 3.0, 4.5), "prompt": (350, 0.5), "output": (200, 0.5)}


def client_overload(load, _):
    return {}, {"rate": 4.0, "prompt": (350, 0.5), "output": (200, 0.5), "client_s": by_load(load, 0.26, 0.3, 0.4)}


STATES = {
    "kv-capacity": {
        "draw": kv_capacity, "bound": "memory", "remedy": "double-kv", "metric": "p95_e2e_s",
        "conditions": {"kv_peak": (0.85, 1), "queue_share": (0.1, 1), "preemptions_per_request": (0, 0.1),
                       "slot_share_of_waiting": (0, 0.01)},
    },
    "preemption": {
        "draw": preemption, "bound": "memory", "remedy": "double-kv", "metric": "p95_e2e_s",
        "conditions": {"kv_peak": (0.97, 1), "preemptions_per_request": (0.2, math.inf), "slot_share_of_waiting": (0, 0.01)},
    },
    "prefill-interference": {
        "draw": prefill_interference, "bound": "batching", "remedy": "prefill-elsewhere", "metric": "p95_tpot_s",
        "conditions": {"queue_share": (0, 0.1), "decode_time_lost_to_prefill": (0.15, 1), "kv_peak": (0, 0.8)},
    },
    "slots": {
        "draw": slots, "bound": "batching", "remedy": "double-slots", "metric": "p95_e2e_s",
        "conditions": {"kv_peak": (0, 0.6), "flat_step_ratio": (0.75, 1), "slot_share_of_waiting": (0.8, 1), "preemptions": (0, 0)},
    },
    "queue-saturated": {
        "draw": queue_saturated, "bound": "hardware", "remedy": "double-engines", "metric": "p95_e2e_s",
        "conditions": {"kv_peak": (0, 0.9), "compute_bound_share": (0.8, 1), "slot_share_of_waiting": (0, 0.01)},
        "useless": ("double-kv", "double-slots"),
    },
    "engine-imbalance": {
        "draw": engine_imbalance, "bound": "communication", "remedy": "balance", "metric": "p95_e2e_s",
        "conditions": {"busiest_engine_share": (0.45, 1), "queue_share": (0.05, 1), "kv_peak": (0, 0.9)},
    },
    "speculation-unprofitable": {
        "draw": speculation_unprofitable, "bound": "kernel", "remedy": "no-draft", "metric": "p95_tpot_s",
        "conditions": {"queue_share": (0, 0.1), "kv_peak": (0, 0.8)},
    },
    "healthy": {
        "draw": healthy, "bound": None, "remedy": None, "metric": "p95_e2e_s",
        "conditions": {"queue_share": (0, 0.05), "preemptions": (0, 0)},
        "useless": ("double-kv", "double-slots", "double-engines", "prefill-elsewhere"),
    },
    "client-overload": {
        "draw": client_overload, "bound": None, "remedy": "second-client", "metric": "p95_e2e_s",
        "conditions": {"waiting_share": (0, 0.1)},
    },
}
STUDIED = [name for name in STATES if name != "client-overload"]


class Case:
    """A state at a load: its run, and the counterfactuals that verify it."""

    def __init__(self, state, load, seed, product=None):
        self.state, self.load, self.seed, self.rule = state, load, seed, STATES[state]
        turn = seed + LOADS.index(load)
        self.product = product or ("vllm", "sglang")[turn % 2]
        self.iterations = self.product == "vllm" and turn % 4 == 0
        settings, workload = self.rule["draw"](load, self.product)
        self.settings = {**SETTINGS, "product": self.product, **settings}
        self.workload = {**WORKLOAD, **workload}
        self.vary(random.Random(seed * 613 + len(state)))
        self.run = Run(self.settings, self.workload, seed)
        self.figures = self.run.figures()

    def vary(self, draw):
        """Lets seeds differ in more than noise: lengths by 8 %, and the kind of arrivals."""
        for name in ("prompt", "output"):
            median, sigma = self.workload[name]
            self.workload[name] = (int(median * draw.uniform(0.92, 1.08)), sigma)
        if draw.random() < 0.4 and not self.workload["client_s"]:
            self.workload["kind"] = "bursty"
        if self.product == "sglang" and self.state == "queue-saturated":
            self.settings["mixed"] = True  # --enable-mixed-chunk; prompts would else go first until the cache is full
        elif self.product == "sglang":
            self.settings["mixed"] = False
            self.settings["reserve"] = self.settings["reserve"] or 1.0
        if self.state == "healthy":
            self.vary_healthy(self.seed % 5)

    def vary_healthy(self, variant):
        """Makes healthy runs of several kinds: with more engines, a draft that pays, a prefix cache, a closed loop of clients."""
        settings, workload = self.settings, self.workload
        if variant == 0:  # a small cache that is well used
            settings["kv_tokens"] = by_load(self.load, 6_000, 10_000, 14_000)
            workload["max_tokens"] = 600
        elif variant == 1:
            settings["engines"] = 4
            workload["rate"] *= 3
        elif variant == 2:
            settings.update(draft=3, acceptance=0.8)
        elif variant == 3:
            settings["prefix_cache"] = True
            workload.update(prefix=512, groups=3)
        elif variant == 4:
            workload.update(clients=by_load(self.load, 3, 5, 8), think=0.8)

    def again(self, remedy):
        if remedy == "second-client":
            return Run(self.settings, {**self.workload, "client_s": self.workload["client_s"] / 2}, self.seed).figures()
        return Run({**self.settings, **REMEDIES[remedy](self.settings)}, self.workload, self.seed).figures()

    def rivals(self):
        """Returns the other remedies that need no further device and could change something."""
        settings, own = self.settings, self.rule["remedy"]
        sticky, drafts = settings["routing"] == "sticky", settings["draft"] > 0
        possible = {"double-kv": True, "double-slots": True, "balance": sticky, "no-draft": drafts}
        return [remedy for remedy, can in possible.items() if can and remedy != own]

    def verify(self):
        """Runs the counterfactuals; returns what contradicts the label, and keeps the gains."""
        metric, own, useless, wrong = self.rule["metric"], self.rule["remedy"], self.rule.get("useless", ()), []
        remedies = [own] * bool(own) + self.rivals()
        remedies += [one for one in useless if one not in remedies and not (one == "prefill-elsewhere" and self.workload["clients"])]
        self.gains = {remedy: 1 - self.again(remedy)[metric] / self.figures[metric] for remedy in remedies}
        for remedy, gain in self.gains.items():
            low = GAIN if remedy == own else -math.inf
            high = HEALTHY_GAIN if remedy in useless or not own else math.inf if remedy == own else self.gains[own]
            if not low <= gain <= high:
                wrong.append(f"{remedy} gains {gain:.0%} of {metric}")
        for name, (low, high) in self.rule["conditions"].items():
            if not low <= self.figures[name] <= high:
                wrong.append(f"{name} is {self.figures[name]:.3g}, not {low} to {high}")
        return wrong

    def truth(self, wrong=None):
        remedy = self.rule["remedy"]
        return {
            "state": self.state, "bound": self.rule["bound"], "cause": None if self.rule["bound"] is None else self.state,
            "load": self.load, "seed": self.seed, "settings": self.settings, "workload": self.workload, "remedy": remedy,
            "metric": self.rule["metric"], "gain": getattr(self, "gains", {}).get(remedy), "gains": getattr(self, "gains", None),
            "verified": None if wrong is None else not wrong, "contradictions": wrong, "figures": self.figures,
        }

    def write(self, folder, wrong=None):
        os.makedirs(os.path.join(folder, "metrics"), exist_ok=True)
        products.write(folder, self.run, self.iterations)
        with open(os.path.join(folder, "truth.json"), "w", encoding="utf-8") as file:
            json.dump(self.truth(wrong), file, indent=1)
            file.write("\n")


def verified_case(state, load, seed):
    """Returns the first case of a seed that its counterfactuals confirm: that of the seed itself, else of seed + 1000 and so on."""
    wrong = []
    for attempt in range(ATTEMPTS):
        case = Case(state, load, seed + 1000 * attempt)
        wrong = case.verify()
        if not wrong:
            return case
    raise RuntimeError(f"{state}, {load}, seed {seed}: {'; '.join(wrong)}")


def print_table(first, seeds, only):
    print("| state | load | remedy | gain, lowest to highest | best other | contradictions |\n|---|---|---|---|--:|---|")
    failed = 0
    for state in STATES:
        for load in LOADS if only in state else ():
            gains, rivals, wrong = [], [], []
            for seed in range(first, first + seeds):
                case = Case(state, load, seed)
                wrong += [f"seed {seed} ({case.product}): {one}" for one in case.verify()]
                gains.append(case.gains[case.rule["remedy"]] if case.rule["remedy"] else max(case.gains.values()))
                rivals.append(max((gain for name, gain in case.gains.items() if name != case.rule["remedy"]), default=0))
            failed += bool(wrong)
            remedy = case.rule["remedy"] or "best of all"
            shares = f"{min(gains):.0%} to {max(gains):.0%} | {max(rivals):.0%}"
            print(f"| {state} | {load} | {remedy} | {shares} | {'; '.join(wrong)} |", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--state", choices=STATES)
    parser.add_argument("--load", choices=LOADS, default="medium")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--product", choices=("vllm", "sglang"))
    parser.add_argument("--iterations", action="store_true", help="a line for each step (vLLM)")
    parser.add_argument("--no-check", action="store_true", help="leave the counterfactuals out")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="states whose name contains this (--table)")
    options = parser.parse_args()
    if options.table:
        sys.exit(print_table(options.first, options.seeds, options.only) > 0)
    if not options.folder or not options.state:
        parser.error("FOLDER and --state are needed")
    case = Case(options.state, options.load, options.seed, options.product)
    case.iterations = case.iterations or options.iterations
    wrong = None if options.no_check else case.verify()
    case.write(options.folder, wrong)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
