#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py WEIR: asks the questions of questions.py with weir query, and compares each answer with one that Python takes from the report.

It fails if fewer than 30 questions were answered, or if an answer is empty. Then it compares every value of each document with the cells of
its tables: each is there, and nothing else."""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from questions import QUESTIONS  # noqa: E402

LEAST = 30
BASE = [f"tests/data/runs/none-{number}.json" for number in ("01", "02", "03", "04", "06")]
HEAD = ["tests/data/runs/slow5-05.json", "tests/data/runs/slow5-20.json"]
WEIR = sys.argv[1]
failures = []


def weir(*words, **options):
    """Runs weir; its standard output. A failure ends the test."""
    done = subprocess.run([WEIR, *words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"weir {' '.join(words)} ends with {done.returncode}: {done.stderr}")
    return done.stdout


def gate_of(folder):
    """Writes a gate of this version; its path."""
    path = f"{folder}/gate.json"
    subprocess.run([WEIR, "gate", "-q", "-o", path, "--against", *BASE, "--", *HEAD], capture_output=True)
    return path


class Document:
    """The report of an input: a stored one, or the classification of a profile."""

    def __init__(self, path, folder):
        self.input = path
        self.path = path
        if not path.startswith("tests/data/gate/") and not path.endswith("/gate.json"):
            self.path = f"{folder}/{len(os.listdir(folder))}.json"
            weir("classify", "-q", path, "-o", self.path)
        self.json = json.load(open(self.path))
        self.text = " ".join(weir("report", self.path, "-f", "text").split())

    def ask(self, sql, path=None):
        rows = json.loads(weir("query", "-q", path or self.path, sql, "-f", "json", "--limit", "1000000"))
        return [list(row.values()) for row in rows]


def are_equal(ours, theirs, tolerance):
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return abs(ours - theirs) <= tolerance * abs(theirs)
    return type(ours) is type(theirs) and ours == theirs


def compare(question, ours, theirs, tolerance):
    same = len(ours) == len(theirs) and all(
        len(a) == len(b) and all(are_equal(x, y, tolerance) for x, y in zip(a, b)) for a, b in zip(ours, theirs))
    if not same:
        failures.append(f"{question}\n  weir query: {ours}\n  the report: {theirs}")
    if not theirs:
        failures.append(f"{question}\n  the report has no answer: ask about another input")


def leaves(value):
    """Lists the values inside a JSON value, but null."""
    if isinstance(value, dict):
        return [leaf for entry in value.values() for leaf in leaves(entry)]
    if isinstance(value, list):
        return [leaf for entry in value for leaf in leaves(entry)]
    return [] if value is None else [value]


def plain(value):
    return float(value) if isinstance(value, (bool, int, float)) else value


def compare_all(document):
    """Compares the values of a document with the cells of its tables."""
    schema = json.loads(weir("query", document.path, "--schema", "-f", "json"))
    columns = collections.defaultdict(list)
    for column in schema:
        if column["column_name"] not in ("row_id", "parent_id"):
            columns[column["table_name"]].append(column["column_name"])
    cells = collections.Counter()
    for table, names in columns.items():
        is_map = names == ["name", "value"] and table in MAPS
        for row in document.ask(f"select {'value' if is_map else ', '.join(names)} from {table}"):
            cells.update(plain(value) for value in row if value is not None)
    values = collections.Counter(plain(value) for value in leaves(document.json))
    if cells != values:
        failures.append(f"{document.input}: only in the tables {cells - values}; only in the document {values - cells}")
    return sum(values.values())


# Tables whose names are keys of the document, not values.
MAPS = {line.split(" ")[0] for line in weir("query", "--schema").splitlines() if "(a row for each name)" in line}

with tempfile.TemporaryDirectory() as work:
    folder = os.path.join(work, "reports")
    os.mkdir(folder)
    documents = {}
    for question, path, sql, answer, tolerance in QUESTIONS:
        if path not in documents:
            documents[path] = Document(path, folder)
        document = documents[path]
        compare(question, document.ask(sql), answer(document.json, document.text), tolerance)
    # A profile in place of a result, and a compressed result, give the same answer.
    first = documents[QUESTIONS[0][1]]
    packed = os.path.join(work, "packed.json.gz")
    with gzip.open(packed, "wb") as file:
        file.write(pathlib.Path(first.path).read_bytes())
    for path in (first.input, packed):
        compare(f"{path}: {QUESTIONS[0][0]}", first.ask(QUESTIONS[0][2], path), first.ask(QUESTIONS[0][2]), tolerance)
    fresh = gate_of(work)
    documents[fresh] = Document(fresh, folder)
    total = sum(compare_all(document) for document in documents.values())

print(f"{len(QUESTIONS)} questions about {len(documents)} inputs, and {total} values of their documents")
if len(QUESTIONS) < LEAST:
    failures.append(f"{LEAST} questions are promised")
print("\n".join(failures))
sys.exit(1 if failures else 0)
