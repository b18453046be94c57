# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of PyTorch's profiler: distinct names, names and numbers chosen to collide in tables, and shapes."""
import collisions
from kineto import host, kernel, launch, of_events, operator, stepped, trace, triple
from shape import Shape


def named(name_of_operator, name_of_kernel):
    """Returns a generator of a trace whose i-th operator and kernel have these names."""
    return of_events(lambda i, ts: triple(i, ts, name_of_operator(i), name_of_kernel(i)))


def from_texts(texts):
    """Returns a generator of a trace whose operators and kernels have the texts of texts(n) as names."""
    def make(n, folder):
        names = list(texts(n))
        return trace(folder, stepped(n, lambda i, ts: triple(i, ts, names[i], names[n - 1 - i])))
    return make


def long_names(n, folder):
    return trace(folder, stepped(1000, lambda i, ts: triple(i, ts, f"aten::{i:03d}" + "m" * n, f"k{i:03d}" + "e" * n)))


def long_template(n, folder):
    """Names of kernels with n template arguments, each of which holds the next one."""
    name = "void k<" + "T<int, " * n + "int" + ">" * n + ">(Params)"
    return trace(folder, stepped(1000, lambda i, ts: triple(i, ts, "aten::mm", name)))


def long_arguments(n, folder):
    name = "void k<" + "int, " * n + "int>(" + "float*, " * n + "int)"
    return trace(folder, stepped(1000, lambda i, ts: triple(i, ts, "aten::mm", name)))


def correlations(correlation):
    return of_events(lambda i, ts: triple(i, ts, correlation=correlation(i)))


def backwards(n, folder):
    return trace(folder, stepped(n, lambda i, ts: triple(i, ts, correlation=n - i)))


def externals(external):
    return of_events(lambda i, ts: operator("aten::mm", ts, 8, external(i)) + launch(ts + 1, 3, i + 1, external(i))
                     + kernel("gemm", ts + 5, 5, i + 1, external(i)))


def shapes(i, ts):
    return triple(i, ts, more=f',"Input Dims":[[{i + 1},64],[64,32]],"Input type":["float","float"],"Concrete Inputs":["",""]')


def strides(i, ts):
    return triple(i, ts, more=f',"Input Dims":[[8,64],[64,32]],"Input Strides":[[64,{i}],[0,1]],"Input type":["float","float"]')


def scalars(i, ts):
    return triple(i, ts, "aten::add", more=f',"Input Dims":[[8,64],[]],"Concrete Inputs":["","{i}"],"Input type":["float","Scalar"]')


def grids(i, ts):
    return triple(i, ts, grid=f"{i + 1},1,1")


def annotations(i, ts):
    return host("user_annotation", f"phase {i}", ts, 9) + triple(i, ts + 1)


def steps_of_stages(n, folder):
    """Annotations that make a stage each, of a step each."""
    return trace(folder, (host("user_annotation", f"stage_{i}_decode", 20 * i, 19) + triple(i, 20 * i + 2) for i in range(n)))


def function(i, ts):
    return host("python_function", f"model.py({i}): forward_{i}", ts, 9, more=f'"Python id":{i + 1},"Python parent id":0') + triple(i, ts + 1)


def module(i, ts):
    return host("python_function", f"nn.Module: Linear_{i}", ts, 9, more=f'"Python id":{i + 1},"Python module id":{i}') + triple(i, ts + 1)


def calls(i, ts):
    return host("cuda_runtime", f"cudaCall{i}", ts, 2, more=f'"correlation":{i + 1}') + triple(i, ts + 2)


def categories(i, ts):
    return host(f"category{i}", "x", ts, 2) + triple(i, ts + 2)


SHAPES = [
    Shape("kineto-operator-names", "distinct operators", named(lambda i: f"aten::op_{i}", lambda i: "gemm"), 8000),
    Shape("kineto-kernel-names", "distinct kernels", named(lambda i: "aten::mm", lambda i: f"void gemm_{i}<float>(int)"), 8000),
    Shape("kineto-pairs-of-names", "distinct operators with distinct kernels", named(lambda i: f"ns::op{i}", lambda i: f"gemm{i}"), 8000),
    Shape("kineto-name-length", "bytes of 2,000 names", long_names, 64),
    Shape("kineto-template-depth", "template arguments within each other", long_template, 16),
    Shape("kineto-template-arguments", "template and function arguments", long_arguments, 16),
    Shape("kineto-names-fnv1a", "names with one FNV-1a hash", from_texts(collisions.fnv1a), 8000, quick=1500),
    Shape("kineto-names-times-31", "names with one hash h * 31 + byte", from_texts(lambda n: collisions.times(31, n)), 8000),
    Shape("kineto-names-times-33", "names with one hash h * 33 + byte", from_texts(lambda n: collisions.times(33, n)), 8000),
    Shape("kineto-names-same-sum", "names of the same bytes", from_texts(collisions.same_sum), 8000),
    Shape("kineto-names-crc32", "names with one CRC-32", from_texts(collisions.crc32), 8000),
    Shape("kineto-names-same-ends", "names that differ in the middle", from_texts(collisions.same_ends), 8000),
    Shape("kineto-correlation-2^16", "launches whose ids are multiples of 2^16", correlations(lambda i: (i + 1) << 16), 8000),
    Shape("kineto-correlation-2^20", "launches whose ids are multiples of 2^20", correlations(lambda i: (i + 1) << 20), 8000, quick=6000),
    Shape("kineto-correlation-2^32", "launches whose ids are multiples of 2^32", correlations(lambda i: (i + 1) << 32), 8000),
    Shape("kineto-correlation-backwards", "launches whose ids fall", backwards, 8000),
    Shape("kineto-correlation-equal", "launches with one id", correlations(lambda i: 77), 8000),
    Shape("kineto-correlation-missing", "launches without id", correlations(lambda i: 0), 8000),
    Shape("kineto-correlation-pairs", "launches of which each two have one id", correlations(lambda i: i // 2 + 1), 8000),
    Shape("kineto-external-equal", "operators with one id", externals(lambda i: 5), 8000),
    Shape("kineto-external-2^20", "operators whose ids are multiples of 2^20", externals(lambda i: (i + 1) << 20), 8000),
    Shape("kineto-shapes", "distinct shapes of one operator", of_events(shapes), 8000),
    Shape("kineto-strides", "distinct strides of one operator", of_events(strides), 8000),
    Shape("kineto-scalars", "distinct scalars of one operator", of_events(scalars), 8000),
    Shape("kineto-grids", "distinct grids of one kernel", of_events(grids), 8000),
    Shape("kineto-annotation-names", "distinct annotations", of_events(annotations), 8000),
    Shape("kineto-stage-names", "distinct stages", steps_of_stages, 8000),
    Shape("kineto-python-functions", "distinct Python functions", of_events(function), 8000),
    Shape("kineto-python-modules", "distinct modules", of_events(module), 8000),
    Shape("kineto-call-names", "distinct calls of the runtime", of_events(calls), 8000),
    Shape("kineto-category-names", "distinct categories", of_events(categories), 8000),
]
