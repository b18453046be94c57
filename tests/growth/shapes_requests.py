# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of a server: records of their stages, and spans in the forms of OpenTelemetry, Jaeger, Zipkin and Triton."""
from shape import Shape, classify, write

START = 1767225600000000000  # ns
MS = 1000000


def record(i, start_ns, ms, stages):
    text = ",".join(f'"{name}":{us}' for name, us in stages)
    return (f'{{"request_id":"r{i}","start_ns":{start_ns},"end_ns":{start_ns + ms * MS},"batch_size":{1 + i % 8},"tokens":{100 + i % 900},'
            f'"stages_us":{{{text}}}}}\n')


STAGES = (("tokenize", 60), ("queue", 3000), ("batch_assembly", 60), ("h2d", 100), ("compute", 6000), ("d2h", 20), ("postprocess", 90))


def records(record_of):
    """Returns a generator of n records."""
    def make(n, folder):
        write(folder, "requests.jsonl", (record_of(i, n) for i in range(n)))
        return classify("requests.jsonl")
    return make


def request(i, _):
    return record(i, START + 5 * MS * i, 10 + i % 5, STAGES)


def at_once(i, _):
    """All requests are in the server at the same time."""
    return record(i, START + i, 1000000, STAGES)


def nested_requests(i, n):
    """Each request begins after the one before and ends before it."""
    return record(i, START + MS * i, 2 * (n - i) + 20, STAGES)


def same_time(i, _):
    return record(i, START, 10, STAGES)


def backwards(i, n):
    return record(i, START + 5 * MS * (n - i), 10, STAGES)


def own_stages(i, _):
    return record(i, START + 5 * MS * i, 10, (*STAGES, (f"stage {i}", 10)))


def requests_of_stages(n, folder):
    """200 requests of n stages."""
    stages = [(f"stage {k}", 20) for k in range(n)]
    write(folder, "requests.jsonl", (record(i, START + 5 * MS * i, 10 + n, stages) for i in range(200)))
    return classify("requests.jsonl")


def same_ids(i, _):
    return record(0, START + 5 * MS * i, 10, STAGES)


def one_array(n, folder):
    write(folder, "requests.json", ["[", *(request(i, n).replace("\n", ",\n") for i in range(n - 1)), request(n - 1, n), "]"])
    return classify("requests.json")


def laid_out(n, folder):
    write(folder, "requests.json", (request(i, n).replace(",", ",\n  ") for i in range(n)))
    return classify("requests.json")


def from_client(n, folder):
    """Requests that a client measured, of a slow server and in all amounts."""
    text = (f'{{"request_id":"r{i}","start_ns":{START + 5 * MS * i},"end_ns":{START + 5 * MS * i + 40 * MS},"tokens":{i % 5000},"output_tokens":{i % 700},'
            f'"first_token_us":{i % 9000},"batch_size":1,"padded_tokens":{i % 5000 + 10},"stages_us":{{"compute":35000}}}}\n' for i in range(n))
    write(folder, "requests.jsonl", text)
    return classify("requests.jsonl")


# ---- OpenTelemetry ----


def span(trace, own, parent, name, start_ns, end_ns, kind=1, more=""):
    around = f'"parentSpanId":"{parent:016x}",' if parent else ""
    return (f'{{"traceId":"{trace:032x}","spanId":"{own:016x}",{around}"name":"{name}","kind":{kind},"startTimeUnixNano":"{start_ns}",'
            f'"endTimeUnixNano":"{end_ns}"{more}}}')


def resource(service, spans, more=""):
    """Yields the texts of spans of one service."""
    yield ('{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"' + service + '"}}' + more + ']},'
           '"scopeSpans":[{"scope":{"name":"s"},"spans":[')
    for at, text in enumerate(spans):
        yield (",\n" if at else "\n") + text
    yield "]}]}"


def otlp(folder, *resources):
    def texts():
        yield '{"resourceSpans":['
        for at, pieces in enumerate(resources):
            yield ",\n" if at else ""
            yield from pieces
        yield "]}\n"
    write(folder, "spans.json", texts())
    return classify("spans.json")


def tree(i, start_ns, names=("tokenize", "queue", "prefill", "decode"), more=""):
    """Yields the spans of one request."""
    yield span(i + 1, 10 * i + 1, 0, "POST /generate", start_ns, start_ns + 9 * MS, 2, more)
    for k, name in enumerate(names):
        yield span(i + 1, 10 * i + 2 + k, 10 * i + 1, name, start_ns + 2 * k * MS, start_ns + 2 * (k + 1) * MS)


def otlp_requests(n, folder):
    return otlp(folder, resource("llm", (text for i in range(n) for text in tree(i, START + 10 * MS * i))))


def otlp_depth(n, folder):
    """Four requests of n spans, each within the one before."""
    return otlp(folder, resource("llm", (span(r + 1, r * n + i + 1, r * n + i if i else 0, f"level {i % 40}", START + r * 10000 * n + i,
                                              START + r * 10000 * n + 9000 * n - i, 2 if i == 0 else 1) for r in range(4) for i in range(n))))


def otlp_children(n, folder):
    """Four requests of n spans below one."""
    return otlp(folder, resource("llm", (span(r + 1, r * n + i + 1, r * n + 1 if i else 0, f"part {i % 40}", START + r * 10000 * n + 1000 * i,
                                              START + r * 10000 * n + (1000 * i + 900 if i else 1000 * n), 2 if i == 0 else 1)
                                         for r in range(4) for i in range(n))))


def otlp_overlapping(n, folder):
    """Four requests of n spans at the same time below one."""
    return otlp(folder, resource("llm", (span(r + 1, r * n + i + 1, r * n + 1 if i else 0, f"part {i % 40}", START + r * 10000 * n + i,
                                              START + r * 10000 * n + 9000 * n - i, 2 if i == 0 else 1) for r in range(4) for i in range(n))))


def otlp_names(n, folder):
    return otlp(folder, resource("llm", (text for i in range(n) for text in tree(i, START + 10 * MS * i, (f"name {i}", "decode")))))


def otlp_services(n, folder):
    return otlp(folder, *(resource(f"service {i}", tree(i, START + 10 * MS * i)) for i in range(n)))


def otlp_attributes(n, folder):
    values = ",".join(f'{{"key":"key {k}","value":{{"intValue":"{k}"}}}}' for k in range(n))
    return otlp(folder, resource("llm", (text for i in range(200) for text in tree(i, START + 10 * MS * i, more=f',"attributes":[{values}]'))))


def otlp_events(n, folder):
    """Ten requests whose span has n events. They begin above 1 MiB a span, see README.md."""
    events = ",".join(f'{{"timeUnixNano":"{START + k}","name":"event {k}"}}' for k in range(n))
    return otlp(folder, resource("llm", (text for i in range(10) for text in tree(i, START + 10 * MS * i, more=f',"events":[{events}]'))))


def otlp_orphans(n, folder):
    """Spans whose parents are not there."""
    return otlp(folder, resource("llm", (span(i + 1, 2 * i + 1, 2 * i + 2, "decode", START + MS * i, START + MS * i + 900, 2) for i in range(n))))


def otlp_one_trace(n, folder):
    """Requests that share one trace."""
    return otlp(folder, resource("llm", (text.replace(f'"traceId":"{i + 1:032x}"', f'"traceId":"{1:032x}"')
                                         for i in range(n) for text in tree(i, START + 10 * MS * i))))


def otlp_links(n, folder):
    """Requests of a batch: the span of its work links to all of them."""
    links = ",".join(f'{{"traceId":"{i + 1:032x}","spanId":"{10 * i + 1:016x}"}}' for i in range(n))
    work = span(n + 5, 1 << 40, 0, "batch", START, START + 5 * MS, 1, f',"links":[{links}]')
    return otlp(folder, resource("llm", [text for i in range(n) for text in tree(i, START + 10 * MS * i)] + [work]))


def otlp_ids(n, folder):
    """Ids of spans that are multiples of 2^32."""
    return otlp(folder, resource("llm", (span(i + 1 << 32, 2 * i + k + 1 << 32, 2 * i + 1 << 32 if k else 0, "POST /generate" if k == 0 else "decode",
                                              START + 10 * MS * i + k, START + 10 * MS * i + 9 * MS - k, 2 - k) for i in range(n) for k in range(2))))


def otlp_circle(n, folder):
    """Spans that are each other's parents."""
    return otlp(folder, resource("llm", [*tree(0, START), *(span(7, i + 100, (i + 1) % n + 100, "x", START + i, START + i + 500) for i in range(n))]))


# ---- Jaeger, Zipkin, Triton ----


def jaeger_span(trace, own, parent, name, start_us, duration_us, kind):
    references = f'{{"refType":"CHILD_OF","traceID":"{trace:x}","spanID":"{parent:x}"}}' if parent else ""
    return (f'{{"traceID":"{trace:x}","spanID":"{own:x}","operationName":"{name}","references":[{references}],"startTime":{start_us},'
            f'"duration":{duration_us},"tags":[{{"key":"span.kind","type":"string","value":"{kind}"}}],"logs":[],"processID":"p1"}}')


def jaeger(n, folder):
    def texts():
        yield '{"data":['
        for i in range(n):
            at, first = 1700000000000000 + 10000 * i, 10 * i + 1
            yield (",\n" if i else "\n") + f'{{"traceID":"{i + 1:x}","spans":[' + jaeger_span(i + 1, first, 0, "POST /generate", at, 9000, "server")
            for k, name in enumerate(("tokenize", "queue", "forward")):
                yield "," + jaeger_span(i + 1, first + 1 + k, first, name, at + 2000 * k, 2000, "internal")
            yield '],"processes":{"p1":{"serviceName":"front","tags":[]}}}'
        yield "]}"
    write(folder, "jaeger.json", texts())
    return classify("jaeger.json")


def jaeger_one_trace(n, folder):
    """One trace with n processes and spans."""
    def texts():
        yield '{"data":[{"traceID":"7","spans":[' + jaeger_span(7, 1, 0, "POST /generate", 1700000000000000, 20 * n, "server")
        for i in range(n):
            yield ",\n" + jaeger_span(7, i + 2, 1, "forward", 1700000000000000 + 10 * i, 9, "internal").replace('"p1"', f'"p{i}"')
        yield '],"processes":{' + ",".join(f'"p{i}":{{"serviceName":"s{i % 1000}","tags":[]}}' for i in range(n)) + "}}]}"
    write(folder, "jaeger.json", texts())
    return classify("jaeger.json")


def zipkin(n, folder):
    def one(trace, own, parent, name, at, duration, kind):
        around = f'"parentId":"{parent:016x}",' if parent else ""
        return (f'{{"traceId":"{trace:016x}","id":"{own:016x}",{around}{kind}"name":"{name}","timestamp":{at},"duration":{duration},'
                '"localEndpoint":{"serviceName":"llm"}}')

    def texts():
        yield "["
        for i in range(n):
            at, first = 1700000000000000 + 10000 * i, 10 * i + 1
            yield (",\n[" if i else "\n[") + one(i + 1, first, 0, "handle", at, 9000, '"kind":"SERVER",')
            for k, name in enumerate(("queue", "prefill", "decode")):
                yield "," + one(i + 1, first + 1 + k, first, name, at + 2000 * k, 2000, "")
            yield "]"
        yield "]"
    write(folder, "zipkin.json", texts())
    return classify("zipkin.json")


TRITON = ("HTTP_RECV_START", "HTTP_RECV_END", "REQUEST_START", "QUEUE_START", "COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START",
          "COMPUTE_END", "INFER_RESPONSE_COMPLETE", "REQUEST_END", "HTTP_SEND_START", "HTTP_SEND_END")


def triton_file(n, folder, model, order):
    def texts():
        yield "["
        for i in range(n):
            yield (",\n" if i else "\n") + f'{{"id":{i + 1},"model_name":"{model(i)}","model_version":-1,"request_id":"q{i}"}}'
            if order == "nested":
                continue
            for k, name in enumerate(TRITON):
                yield f',{{"id":{i + 1},"timestamps":[{{"name":"{name}","ns":{START + 5 * MS * i + k * MS // 2}}}]}}'
        for k, name in enumerate(TRITON if order == "nested" else ()):
            for i in range(n):
                yield f',{{"id":{i + 1},"timestamps":[{{"name":"{name}","ns":{START + 5 * MS * i + k * MS // 2}}}]}}'
        yield "]"
    write(folder, "triton.json", texts())
    return classify("triton.json")


def triton(n, folder):
    return triton_file(n, folder, lambda i: "m1", "by request")


def triton_models(n, folder):
    return triton_file(n, folder, lambda i: f"model {i}", "by request")


def triton_interleaved(n, folder):
    return triton_file(n, folder, lambda i: "m1", "nested")


def of(name, grows, make, first=4000, **more):
    return Shape(name, grows, make, first, **more)


SHAPES = [
    of("requests", "requests", records(request)),
    of("requests-at-once", "requests that are all in the server", records(at_once), quick=12000),
    of("requests-nested", "requests, each within the one before", records(nested_requests)),
    of("requests-same-time", "requests at one time", records(same_time)),
    of("requests-backwards", "requests from the last to the first", records(backwards)),
    of("requests-stage-names", "distinct stages", records(own_stages)),
    of("requests-stages", "stages of each request", requests_of_stages, 50),
    of("requests-same-id", "requests with one id", records(same_ids)),
    of("requests-array", "requests of one array", one_array),
    of("requests-laid-out", "requests of many lines", laid_out),
    of("requests-tokens", "requests with tokens, first tokens and padding", from_client),
    of("otlp-requests", "requests of five spans", otlp_requests, 1000, quick=2500),
    of("otlp-depth", "spans within each other", otlp_depth, 1000),
    of("otlp-children", "spans below one", otlp_children, 1000),
    of("otlp-overlapping", "spans below one at the same time", otlp_overlapping, 1000),
    of("otlp-names", "distinct spans", otlp_names, 1000),
    of("otlp-services", "services", otlp_services, 1000),
    of("otlp-attributes", "attributes of a span", otlp_attributes, 100),
    of("otlp-events", "events of a span", otlp_events, 50000),
    of("otlp-orphans", "spans without parents", otlp_orphans, 1000),
    of("otlp-one-trace", "requests of one trace", otlp_one_trace, 1000),
    of("otlp-links", "links of a span", otlp_links, 1000),
    of("otlp-ids-2^32", "requests whose ids are multiples of 2^32", otlp_ids, 1000),
    of("otlp-circle", "spans that are each other's parents", otlp_circle, 1000),
    of("jaeger-requests", "requests of four spans", jaeger, 1000),
    of("jaeger-processes", "processes and spans of one trace", jaeger_one_trace, 1000),
    of("zipkin-requests", "requests of four spans", zipkin, 1000),
    of("triton-requests", "requests", triton, 1000),
    of("triton-models", "models", triton_models, 1000),
    of("triton-interleaved", "requests at different times", triton_interleaved, 1000),
]
