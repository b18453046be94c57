#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""generate.py WEIR: prints weir/_model.py, the classes of weir.report/1 and weir.gate/1.

They are made from `weir query --schema`, which is made from the tables that write the documents: a member has one description. A test compares
the file in the tree with this output."""
import json
import keyword
import re
import subprocess
import sys

HEAD = '''# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of weir.report/1 and weir.gate/1. Written by python/generate.py: do not edit."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._record import Record, member, members
from ._result import Result
'''
RESERVED = ("raw", "keys", "from_json", "query", "table", "to_frame")
TYPES = {"text": "str", "integer": "int", "real": "float"}


class Node:
    """A member of the JSON: a value, an object, a list or a map."""

    def __init__(self):
        self.members = {}    # key: node
        self.entry = None    # of a list
        self.entries = None  # of a list of fixed length: nodes
        self.values = None   # of a map
        self.column = None   # of a value

    def at(self, steps):
        node = self
        for step in steps:
            if step == "[]":
                node.entry = node.entry or Node()
                node = node.entry
            elif step == "*":
                node.values = node.values or Node()
                node = node.values
            elif step.startswith("["):
                node.entries = node.entries or []
                while len(node.entries) <= int(step[1:-1]):
                    node.entries.append(Node())
                node = node.entries[int(step[1:-1])]
            else:
                node = node.members.setdefault(step, Node())
        return node


def steps_of(path):
    return re.findall(r"\[\d*\]|\*|[^.\[\]*]+", path)


def singular(word):
    if word.endswith("_s"):
        return word
    for end, other in (("ches", "ch"), ("xes", "x"), ("ss", "ss"), ("s", "")):
        if word.endswith(end):
            return word[:len(word) - len(end)] + other
    return word


def camel(word):
    return "".join(part.capitalize() for part in word.split("_"))


def value_type(column):
    return "bool" if column["unit"] == "0 or 1" else TYPES[column["type"]]


class Writer:
    """Collects the classes, those that are used first."""

    def __init__(self):
        self.text = []

    def describe(self, node, name, path):
        """Returns the type of a member and its default."""
        if node.entry is not None and node.entry.members:
            self.add(node.entry, name, path + "[]")
            return f"List[{name}]", f"members({name})"
        if node.entry is not None:
            return "List[Any]" if node.entry.entries else f"List[{value_type(node.entry.column)}]", "None"
        if node.members:
            self.add(node, name, path)
            return name, f"member({name})"
        if node.values is not None:
            return f"Dict[str, {value_type(node.values.column)}]", "None"
        if node.entries:
            return f"List[Optional[{value_type(node.entries[0].column)}]]", "None"
        return value_type(node.column), "None"

    def add(self, node, name, path="", base="Record", title=None):
        fields = []
        for key, child in node.members.items():
            word = singular(key) if child.entry is not None else key
            outer = "" if name == "Report" else name
            of, default = self.describe(child, outer + camel(word), f"{path}.{key}" if path else key)
            attribute = key + "_" if keyword.iskeyword(key) else key
            if attribute in RESERVED:
                sys.exit(f"generate.py: the member {key} has the name of a method")
            if child.column:
                unit = child.column["unit"]
                fields.append(f"    #: {child.column['meaning']}{f' [{unit}]' if unit else ''}")
            fields.append(f"    {attribute}: Optional[{of}] = {default}")
        self.text += ["", "", "@dataclass", f"class {name}({base}):", f'    """{title or f"`{path}`"}"""', "", *fields]


def main():
    answer = subprocess.run([sys.argv[1], "query", "--schema", "-f", "json"], capture_output=True, text=True, check=True).stdout
    writer = Writer()
    for document, name, title in (("report", "Report", "A classification: weir.report/1."), ("gate", "Gate", "A comparison: weir.gate/1.")):
        root = Node()
        for column in json.loads(answer):
            if column["document"] == document and column["path"]:
                root.at(steps_of(column["path"])).column = column
        writer.add(root, name, base="Result", title=title)
    print(HEAD + "\n".join(writer.text))


main()
