# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of PyTorch's profiler: the text itself, which may be long, nested, escaped or laid out in any way.

Events of more than 1 MiB are searched for a stray quote that joins them with their successors, which takes ten times as long for each
byte. A shape stays on one side of that size: many events below it, or one far above it."""
from kineto import HEAD, TAIL, of_events, stepped, trace, triple
from shape import Shape, classify, write


def with_args(more):
    """Returns a generator of 1,000 operators whose arguments hold more(n)."""
    def make(n, folder):
        text = more(n)
        return trace(folder, stepped(1000, lambda i, ts: triple(i, ts, more="," + text)))
    return make


def one_event(more):
    """Returns a generator of ten operators the first of which has arguments with more(n)."""
    def make(n, folder):
        return trace(folder, stepped(10, lambda i, ts: triple(i, ts, more="," + more(n) if i == 0 else "")))
    return make


def tensors(n):
    dims = ",".join(["[8,64]"] * n)
    types = ",".join(['"float"'] * n)
    return f'"Input Dims":[{dims}],"Input type":[{types}],"Input Strides":[{dims}],"Concrete Inputs":[{types}]'


def dimensions(n):
    return '"Input Dims":[[' + ",".join(["2"] * n) + ']],"Input type":["float"]'


def nested(n):
    return '"x":' + '{"a":[' * n + "1" + "]}" * n


def keys(n):
    return ",".join(f'"key {i}":{i}' for i in range(n))


def same_keys(n):
    return ",".join(['"correlation":1,"grid":[1,2,3]'] * n)


def escaped(n):
    return '"x":"' + "\\u00e9\\n" * n + '"'


def blanks(n, folder):
    return trace(folder, (event.replace(",", "," + " " * n).replace(":", ":" + "\t" * n) for event in stepped(1000, triple)))


def lines(n, folder):
    return trace(folder, (event + "\n" * n for event in stepped(1000, triple)))


def numbers(n, folder):
    zeros, threes = "0" * n, "3" * n
    return trace(folder, (f'{{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":{10 * i}.{zeros},"dur":8.{threes},"args":{{"External id":{i}}}}},\n'
                          for i in range(1000)))


def escaped_names(i, ts):
    return triple(i, ts, f"aten::\\u00e9\\u4e2d\\ud83d\\ude00{i % 100}", f"k\\n\\t\\\"{i % 100}")


def surrogates(i, ts):
    """Names that the reader must repair: halves of pairs, bytes that are no text."""
    return triple(i, ts, f"aten::\\ud83d{i % 100}", f"k\\q\x01{i % 100}")


def quotes(n, folder):
    """Names with quotes that are not escaped."""
    return trace(folder, (triple(i, 10 * i, 'a"b' if i % 10 == 0 else "aten::mm") for i in range(n)))


def unknown_members(i, ts):
    return triple(i, ts).replace('"ph"', '"sf":1,"extra":{"a":[1,2,{"b":"c"}],"d":null},"ph"')


def laid_out(n, folder):
    """One member a line, as the profiler itself writes it."""
    return trace(folder, (event.replace(",", ",\n    ").replace("{", "{\n    ") for event in stepped(n, triple)))


def after_end(n, folder):
    """Text behind the end of the document."""
    write(folder, "trace.json", [HEAD, *stepped(1000, triple), TAIL, "log line\n" * n])
    return classify("trace.json")


def not_events(n, folder):
    return trace(folder, (triple(i, 10 * i) + '17, null, "x", [], {},\n' for i in range(n)))


def cut(n, folder):
    write(folder, "trace.json", [HEAD, *stepped(n, triple), '{"ph": "X", "cat": "cpu_op", "name": "cut'])
    return classify("trace.json")


SHAPES = [
    Shape("kineto-tensors", "tensors of each operator", with_args(tensors), 16),
    Shape("kineto-dimensions", "dimensions of one tensor", with_args(dimensions), 16),
    Shape("kineto-args-nested", "arguments within each other", with_args(nested), 16),
    Shape("kineto-args-keys", "keys of the arguments", with_args(keys), 16),
    Shape("kineto-args-repeated", "the same keys again", with_args(same_keys), 16),
    Shape("kineto-args-escaped", "escaped letters of an argument", with_args(escaped), 16),
    Shape("kineto-args-string", "bytes of an argument", with_args(lambda n: '"x":"' + "y" * n + '"'), 1000),
    Shape("kineto-args-one-event", "tensors of one operator", one_event(tensors), 200000),
    Shape("kineto-nested-one-event", "arguments within each other, in one event", one_event(nested), 500000),
    Shape("kineto-blanks", "blanks between the members", blanks, 16),
    Shape("kineto-lines", "empty lines between the events", lines, 64),
    Shape("kineto-digits", "digits of a number", numbers, 64),
    Shape("kineto-escaped-names", "operators whose names are escaped", of_events(escaped_names), 8000),
    Shape("kineto-repaired-names", "operators whose names are no text", of_events(surrogates), 8000),
    Shape("kineto-quotes", "operators, with quotes in each tenth name", quotes, 8000),
    Shape("kineto-unknown-members", "events with members that nothing reads", of_events(unknown_members), 8000),
    Shape("kineto-laid-out", "events of one line a member", laid_out, 8000),
    Shape("kineto-after-end", "lines behind the document", after_end, 10000),
    Shape("kineto-not-events", "values that are no events", not_events, 8000),
    Shape("kineto-cut", "events of a trace without end", cut, 8000),
]
