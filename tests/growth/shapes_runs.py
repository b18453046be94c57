# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs: documents of weir.run/1, results of benchmarks and load generators, and what compares and stores them."""
from shape import Shape, write


def values(count, seed, base=100000):
    """Returns a list of different numbers as text."""
    return ",".join(str(base + (i * 7919 + seed * 104729) % 9973) for i in range(count))


def document(seed, stages=1, samples=60, operators=0, metrics=0, labels=0, name="stage {}".format):
    """Yields the pieces of a run."""
    yield '{"schema":"weir.run/1","unit":"ns","labels":{"gpu":"Example GPU"'
    yield "".join(f',"label {i}":"value {i}"' for i in range(labels)) + '},"stages":{'
    for i in range(stages):
        yield f'{"," if i else ""}"{name(i)}":[{values(samples, seed + i)}]'
    yield '},"operators":{'
    for i in range(operators):
        yield f'{"," if i else ""}"stage 0/aten::op{i}":[{values(samples, seed + i, 5000)}]'
    yield '},"metrics":{'
    for i in range(metrics):
        yield f'{"," if i else ""}"figure {i}":{{"values":[{values(3, seed + i)}],"better":"lower","unit":"x"}}'
    yield "}}\n"


def runs(folder, prefix, count, **more):
    """Writes runs; returns their arguments."""
    for i in range(count):
        write(folder, f"{prefix}{i:05d}.json", document(31 * i + ord(prefix[0]), **more))
    return [f"{{}}/{prefix}{i:05d}.json" for i in range(count)]


def compared(count=5, **of_n):
    """Returns a generator of a comparison of 5 with 5 runs, in each of which n things grow."""
    def make(n, folder):
        more = {key: value(n) for key, value in of_n.items()}
        base, head = runs(folder, "base", count, **more), runs(folder, "head", count, **more)
        return [["compare", "-q", "--base", *base, "--head", *head, "-f", "json", "--all"]]
    return make


def compared_runs(n, folder):
    base, head = runs(folder, "base", n, stages=2, samples=30), runs(folder, "head", n, stages=2, samples=30)
    return [["compare", "-q", "--base", *base, "--head", *head, "-f", "json"]]


def gated(n, folder):
    base, head = runs(folder, "base", 8, stages=n), runs(folder, "head", 5, stages=n)
    return [["gate", "-q", "-f", "json", "--against", *base, "--", *head]]


def classified_run(**of_n):
    def make(n, folder):
        return [["classify", "-q", *runs(folder, "run", 1, **{key: value(n) for key, value in of_n.items()}), "-f", "json"]]
    return make


def recorded(n, folder):
    return [["baseline", "record", "-q", *runs(folder, "run", n, stages=2, samples=30), "--name", "main", "--db", "{}/fresh.db"]]


def recorded_samples(n, folder):
    return [["baseline", "record", "-q", *runs(folder, "run", 2, samples=n), "--name", "main", "--db", "{}/fresh.db"]]


def stored(n, folder, stages=2, samples=30):
    """Returns the commands that record n runs, some at a time."""
    paths = runs(folder, "run", n, stages=stages, samples=samples)
    return [["baseline", "record", "-q", *paths[at:at + 400], "--name", "main", "--db", "{}/store.db"] for at in range(0, n, 400)]


def history(n, folder):
    return [*stored(n, folder), ["history", "main", "stage:stage 0:p50", "--db", "{}/store.db", "-f", "json"]]


def history_all(n, folder):
    """The history of all metrics of 20 runs with n stages."""
    return [*stored(20, folder, n), ["history", "main", "--db", "{}/store.db", "-f", "json"]]


def exported(n, folder):
    return [*stored(n, folder), ["baseline", "export", "main", "--format", "csv", "--db", "{}/store.db"]]


def shown(n, folder):
    return [*stored(n, folder), ["baseline", "show", "main", "--db", "{}/store.db", "-f", "json"]]


def gated_stored(n, folder):
    head = runs(folder, "head", 3, stages=2, samples=30)
    return [*stored(n, folder), ["gate", "-q", *head, "--baseline", "main", "--db", "{}/store.db", "-f", "json"]]


def converted(name, texts_of, more=()):
    """Returns a generator of one file that is converted to a run."""
    def make(n, folder):
        write(folder, name, texts_of(n))
        return [["convert", "-q", f"{{}}/{name}", "-o", "{}/fresh.json", *more]]
    return make


def pytest(n, rounds):
    yield '{"machine_info":{"node":"example"},"commit_info":{"id":"0123"},"version":"3.2.2","datetime":"2026-11-22T12:00:00+00:00","benchmarks":['
    for i in range(n):
        data = ",".join(f"{0.001 + (k * 7919 + i) % 997 / 1e7:.9f}" for k in range(rounds))
        yield (f'{"," if i else ""}{{"group":null,"name":"test_{i}","fullname":"test_tok.py::test_{i}","params":null,"param":null,"extra_info":{{}},'
               f'"options":{{"disable_gc":false,"timer":"perf_counter","min_rounds":5,"max_time":1.0,"min_time":5e-06,"warmup":false}},'
               f'"stats":{{"min":0.001,"max":0.002,"mean":0.0015,"stddev":0.0001,"rounds":{rounds},"median":0.0015,"data":[{data}],"iterations":1}}}}')
    yield "]}"


def google(n, repetitions):
    yield '{"context":{"date":"2026-11-22T23:11:56+00:00","host_name":"example","executable":"./sum","num_cpus":2},"benchmarks":['
    for i in range(n):
        for k in range(repetitions):
            yield (f'{"," if i + k else ""}{{"name":"BM_Sum/{i}","family_index":{i},"per_family_instance_index":0,"run_name":"BM_Sum/{i}",'
                   f'"run_type":"iteration","repetitions":{repetitions},"repetition_index":{k},"threads":1,"iterations":1000,'
                   f'"real_time":{1.25 + k / 100},"cpu_time":1.2,"time_unit":"us"}}')
    yield "]}"


def llama_bench(n, repetitions):
    for i in range(n):
        times = ", ".join(str(50000000 + k * 7919 % 997) for k in range(repetitions))
        yield (f'{{"build_commit": "1a2b3c4d", "model_type": "example 1B", "n_gpu_layers": {i % 97}, "flash_attn": {i % 2}, "n_prompt": {i + 1}, '
               f'"n_gen": 0, "n_depth": 0, "avg_ns": 50000000, "avg_ts": 10240.5, "samples_ns": [ {times} ]}}\n')


def hyperfine(n):
    yield '{"results":[{"command":"hash","mean":0.02,"stddev":0.001,"median":0.02,"user":0.01,"system":0.0,"min":0.01,"max":0.03,"times":['
    yield ",".join(f"{0.02 + i % 97 / 10000:.6f}" for i in range(n)) + '],"exit_codes":[' + ",".join(["0"] * n) + "]}]}"


def criterion(n):
    for i in range(n):
        yield (f'{{"reason":"benchmark-complete","id":"tokenize/{i}","report_directory":"r/{i}","iteration_count":[10,20,30,40,50,60,70,80,90,100],'
               '"measured_values":[1210.0,2391.0,3608.0,4790.0,6012.0,7185.0,8420.0,9574.0,10811.0,12010.0],"unit":"ns","throughput":[],'
               '"typical":{"estimate":120.04,"lower_bound":119.8,"upper_bound":120.3,"unit":"ns"}}\n')


def samples_csv(n, row):
    yield "name,value,unit,run\n"
    for i in range(n):
        yield row(i)


def aiperf(n):
    for i in range(n):
        at = 1767225600000000000 + 5000000 * i
        yield (f'{{"metadata":{{"session_num":{i},"x_request_id":"id-{i}","turn_index":0,"request_start_ns":{at},"request_ack_ns":null,'
               f'"request_end_ns":{at + 66000000},"worker_id":"w","benchmark_phase":"profiling","was_cancelled":false,"cancellation_time_ns":null}},'
               '"metrics":{"input_sequence_length":{"value":386,"unit":"tokens"},"time_to_first_token":{"value":45.15,"unit":"ms"},'
               '"request_latency":{"value":65.19,"unit":"ms"},"output_token_count":{"value":5,"unit":"tokens"},'
               '"inter_chunk_latency":{"value":[5.29,4.8,4.63,5.3],"unit":"ms"},"output_sequence_length":{"value":5,"unit":"tokens"}},"error":null}\n')


def serve(n, gaps):
    """A result of `vllm bench serve --save-detailed`."""
    def listed(text):
        return "[" + ",".join([text] * n) + "]"
    inner = "[" + ",".join(["0.0109"] * gaps) + "]"
    yield ('{"date":"20260101-120000","endpoint_type":"openai","backend":"openai","label":null,"model_id":"org/m","tokenizer_id":"org/m",'
           f'"num_prompts":{n},"request_rate":"inf","burstiness":1.0,"max_concurrency":null,"duration":{n / 50},"completed":{n},'
           f'"total_input_tokens":{100 * n},"total_output_tokens":{(gaps + 1) * n},"request_throughput":50.0,"output_throughput":400.0,'
           '"total_token_throughput":5400.0,"mean_ttft_ms":50.6,"median_ttft_ms":51.2,"std_ttft_ms":2.9,"p99_ttft_ms":54.8,'
           '"mean_tpot_ms":11.0,"median_tpot_ms":11.0,"std_tpot_ms":0.1,"p99_tpot_ms":11.2,')
    yield f'"input_lens":{listed("100")},"output_lens":{listed(str(gaps + 1))},"ttfts":{listed("0.0527")},"itls":{listed(inner)},'
    yield f'"generated_texts":{listed(chr(34) * 2)},"errors":{listed(chr(34) * 2)}}}'


def of(name, grows, make, first, **more):
    return Shape(name, grows, make, first, **more)


def samples_of(row, more=()):
    return converted("samples.csv", lambda n: samples_csv(n, row), more)


SHAPES = [
    of("run-samples", "samples of a run", classified_run(samples=lambda n: n), 10000),
    of("run-stages", "stages of a run", classified_run(stages=lambda n: n), 500),
    of("run-metrics", "figures of a run", classified_run(metrics=lambda n: n), 1000),
    of("run-operators", "operators of a run", classified_run(operators=lambda n: n), 500),
    of("run-labels", "labels of a run", classified_run(labels=lambda n: n), 128, limit=250, of_limit="256 labels"),
    of("compare-samples", "samples of a stage", compared(samples=lambda n: n), 2000),
    of("compare-stages", "stages", compared(stages=lambda n: n), 50, quick=40),
    of("compare-operators", "operators", compared(operators=lambda n: n), 50),
    of("compare-metrics", "figures", compared(metrics=lambda n: n), 100),
    of("compare-runs", "runs of each side", compared_runs, 16),
    of("gate-stages", "stages", gated, 50),
    of("gate-stored-runs", "runs of the stored baseline", gated_stored, 50),
    of("record-runs", "runs", recorded, 50),
    of("record-samples", "samples of a run", recorded_samples, 10000),
    of("history-runs", "runs of a baseline", history, 100),
    of("history-stages", "stages of 20 runs", history_all, 50),
    of("export-runs", "runs of a baseline", exported, 100),
    of("show-runs", "runs of a baseline", shown, 100),
    of("pytest-benchmarks", "benchmarks", converted("pytest.json", lambda n: pytest(n, 12)), 500, limit=4096, of_limit="4,096 benchmarks"),
    of("pytest-rounds", "rounds of a benchmark", converted("pytest.json", lambda n: pytest(2, n)), 10000),
    of("google-benchmarks", "benchmarks", converted("google.json", lambda n: google(n, 10)), 500, limit=4096, of_limit="4,096 benchmarks"),
    of("google-repetitions", "repetitions of a benchmark", converted("google.json", lambda n: google(1, n)), 2000),
    of("llama-bench-tests", "tests", converted("llama.jsonl", lambda n: llama_bench(n, 5)), 250, limit=1024, of_limit="1,024 tests"),
    of("llama-bench-samples", "repetitions of a test", converted("llama.jsonl", lambda n: llama_bench(1, n)), 10000),
    of("hyperfine-times", "times of a command", converted("hyperfine.json", hyperfine, ["--run", "2"]), 2000, limit=10000, of_limit="10,000 runs"),
    of("criterion-benchmarks", "benchmarks", converted("criterion.jsonl", criterion), 500, limit=4096, of_limit="4,096 benchmarks"),
    of("samples-rows", "rows of two benchmarks", samples_of(lambda i: f"stage {i % 2},{100 + i % 97}.5,us,1\n"), 10000),
    of("samples-names", "benchmarks", samples_of(lambda i: f"stage {i},{100 + i % 97}.5,us,1\n"), 500, limit=4096, of_limit="4,096 benchmarks"),
    of("samples-runs", "runs", samples_of(lambda i: f"stage,{100 + i % 97}.5,us,{i // 2 + 1}\n", ["--run", "2"]), 1000, limit=20000, of_limit="10,000 runs"),
    of("aiperf-requests", "requests", converted("aiperf.jsonl", aiperf), 2000),
    of("vllm-bench-requests", "requests", converted("serve.json", lambda n: serve(n, 20)), 2000),
    of("vllm-bench-gaps", "tokens of a request", converted("serve.json", lambda n: serve(100, n)), 1000),
]
