# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of weir in Python: what bounds an AI-inference workload, and whether a change made it slower.

    import weir

    report = weir.classify("trace.json.gz")
    print(report.verdict.headline)
    for stage in report.stages:
        print(stage.name, stage.p50_ns, stage.bound)

The module runs the program `weir` (the variable WEIR, else PATH) and computes nothing itself. It needs the standard library only; to_frame() also
needs pandas. None is unknown, times are integer nanoseconds, shares are from 0 to 1."""
from __future__ import annotations

import gzip
import io
import json
import os

from ._model import Gate, Report
from ._program import WeirError, ask, path_word, program, run_json
from ._record import Record
from ._result import Result

__all__ = ["Gate", "Record", "Report", "Result", "WeirError", "classify", "compare", "from_json", "gate", "load", "program", "query"]

_SCHEMAS = {"weir.report/1": Report, "weir.gate/1": Gate}
_JUDGED = (0, 1, 3, 4, 5, 6)  # exit codes with a result
_MOST_BYTES = 64 << 20        # of a document, as weir


def from_json(document):
    """Returns the Report or Gate of a parsed document."""
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema not in _SCHEMAS:
        raise WeirError(f"schema: expected weir.report/1 or weir.gate/1, not {schema!r}")
    try:
        return _SCHEMAS[schema].from_json(document)
    except ValueError as error:
        raise WeirError(str(error)) from error


def load(file):
    """Reads a stored result, plain or compressed with gzip: a path, or an open file. It does not run the program."""
    if hasattr(file, "read"):
        data = file.read()
    else:
        with open(file, "rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
    if isinstance(data, str):
        data = data.encode()
    try:
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise WeirError(f"{file}: larger than 64 MiB")
        return from_json(json.loads(data))
    except (ValueError, OSError, EOFError, RecursionError) as error:
        raise WeirError(f"{file}: {error}") from error


def _words(options):
    """Returns the options of a command: None and False are left out, True is a flag, a list repeats the option."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words.append(option if one is True else f"{option}={os.fspath(one) if isinstance(one, os.PathLike) else one}")
    return words


def _paths(paths):
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    return [path_word(path) for path in paths]


def classify(*inputs, window=None, percentile=None, device=None, rules=None, what_if=None, cost_per_gpu_hour=None, config=None,
             input_format=None, max_memory=None):
    """Classifies the inputs, which are parts of one run, and returns the Report.

    `what_if` is a dict of classes and factors: {"runtime": 0}. `weir help classify` describes the other options."""
    if not inputs:
        raise WeirError("classify needs an input")
    changes = [f"{name}={factor}" for name, factor in (what_if or {}).items()]
    options = _words({"window": window, "percentile": percentile, "device": device, "rules": rules, "what_if": changes,
                      "cost_per_gpu_hour": cost_per_gpu_hour, "config": config, "input_format": input_format, "max_memory": max_memory})
    return from_json(run_json(["classify", "-q", "-f", "json", *options, "--", *_paths(inputs)]))


def gate(runs, *, baseline=None, against=None, db=None, config=None, strict=False, bootstrap=False, require_operators=False, label=None):
    """Compares runs with a stored baseline, or with the runs of `against`, and returns the Gate.

    A regression is a result, not an exception: see `exit` and `verdict`. WeirError: weir could not judge (exit code 2, 7, 8 or 9)."""
    if (baseline is None) == (against is None):
        raise WeirError("gate needs either a baseline or the runs to hold against")
    options = _words({"baseline": baseline, "db": db, "config": config, "strict": strict, "bootstrap": bootstrap,
                      "require_operators": require_operators, "label": label})
    sides = ["--against", *_paths(against)] if against is not None else []
    return from_json(run_json(["gate", "-q", "-f", "json", *options, *sides, "--", *_paths(runs)], codes=_JUDGED))


def compare(base, head, *, config=None, label=None):
    """Compares two sets of runs without a store, and returns the Gate; its exit code is 0."""
    options = _words({"config": config, "label": label})
    return from_json(run_json(["compare", "-q", "-f", "json", *options, "--base", *_paths(base), "--head", *_paths(head)], codes=_JUDGED))


def query(source, sql, *, limit=None, seconds=None):
    """Answers a SELECT about a result (a Report, a Gate or a path) or a profile: a list with a dict for each row."""
    if isinstance(source, Result):
        return source.query(sql, limit=limit, seconds=seconds)
    return ask(source, sql, limit=limit, seconds=seconds)
