#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check.py WEIR: holds docs/schemas against the program, the pages that describe them, and the golden output."""
import concurrent.futures
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

WEIR = sys.argv[1]
RUN = json.load(open("docs/schemas/weir.run.schema.json"))
CONFIG = json.load(open("docs/schemas/weir.schema.json"))
GATE = json.load(open("docs/schemas/weir.gate.schema.json"))
# Replacements for each member: other types, and numbers and texts at the edges of limits.
VALUES = [None, True, "", "auto", "p50", "2027-13-01", "2027-02-31", "2028-02-29", -1, 0, 1.5, 0.2, 10.5, 101, 1000000, 1000001, [], [0], ["x"], {},
          {"x": "y"}, {"x": [1]}]
offences = []
pool = concurrent.futures.ThreadPoolExecutor(2)


def is_valid(schema, document):
    return jsonschema.Draft202012Validator(schema).is_valid(document)


def weir_takes(schema, document):
    """Returns whether the program takes a document as a run, or as a configuration."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        if schema is RUN:
            words = ["--input-format", "weir.run", file.name]
        else:
            words = ["tests/data/native/three_stages.json", "--config", file.name]
        return subprocess.run([WEIR, "convert", *words], capture_output=True).returncode == 0


def compare(schema, document, what, expected=None):
    """Offends if schema and program disagree, or if their answer is not the expected one."""
    ours, theirs = is_valid(schema, document), weir_takes(schema, document)
    if ours != theirs or (expected is not None and ours != expected):
        offences.append(f"{what}: schema says {ours}, program says {theirs}: {json.dumps(document)[:300]}")


def places(document, path=()):
    """Lists the paths of all members and elements."""
    found = []
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in items:
        found += [path + (key,)] + places(value, path + (key,))
    return found


def changed(document):
    """Copies the document with each member left out, renamed or replaced."""
    for path in places(document):
        for value in ["left out", "renamed", *VALUES]:
            result = copy.deepcopy(document)
            parent = result
            for key in path[:-1]:
                parent = parent[key]
            if value == "left out":
                del parent[path[-1]]
            elif value == "renamed" and isinstance(parent, dict):
                parent["unknown"] = parent.pop(path[-1])
            elif value != "renamed":
                parent[path[-1]] = value
            yield path, value, result


def examples(page):
    return [json.loads(text) for text in re.findall(r"^```json\n(.*?)^```", open(page).read(), re.S | re.M)]


def check_examples(page, schema):
    found = examples(page)
    if not found:
        sys.exit(f"{page}: no example")
    for example in found:
        compare(schema, example, page, True)
    jobs = [pool.submit(compare, schema, document, f"{page}: {'.'.join(map(str, path))}: {value!r}")
            for path, value, document in changed(found[-1])]
    for job in jobs:
        job.result()
    return len(found) + len(jobs)


def check_golden():
    found = 0
    for file in sorted(pathlib.Path("tests/golden").glob("*/stdout")):
        text = file.read_text()
        for start in re.finditer(r"^\{\n  \"schema\": \"weir.run/1\"", text, re.M):
            document = json.JSONDecoder().raw_decode(text, start.start())[0]
            found += 1
            if not is_valid(RUN, document):
                offences.append(f"{file}: a run that the schema refuses")
    if found < 20:
        offences.append(f"tests/golden: only {found} runs")
    return found


def check_gates():
    """Holds the results of gates in the golden output against their schema, and their findings against their rows."""
    found = findings = 0
    for file in sorted(pathlib.Path("tests/golden").glob("*/stdout")):
        text = file.read_text()
        for start in re.finditer(r"^\{\n  \"schema\": \"weir.gate/1\"", text, re.M):
            document = json.JSONDecoder().raw_decode(text, start.start())[0]
            found += 1
            errors = sorted(jsonschema.Draft202012Validator(GATE).iter_errors(document), key=str)
            offences.extend(f"{file}: {list(error.path)}: {error.message[:200]}" for error in errors[:3])
            bad = {i for i, row in enumerate(document["rows"]) if row["outcome"] in ("regression", "suspect", "waived")}
            listed = [row for finding in document["findings"] for row in finding["rows"]]
            findings += len(document["findings"])
            if sorted(listed) != sorted(bad):
                offences.append(f"{file}: the findings have the rows {sorted(listed)}, expected {sorted(bad)}")
    if found < 7 or findings < 8:
        offences.append(f"tests/golden: only {found} results of gates with {findings} findings")
    return found


def lists_of(path):
    """Returns the lists of keys in a C file, by the function or array that holds them."""
    found, function = {}, ""
    text = open(path).read()
    for match in re.finditer(r"^(?:static )?(?:enum weir_status|void) (\w+)\(|const char \*const (\w+)\[\] = \{([^}]*)NULL\}", text, re.M):
        if match.group(1):
            function = match.group(1)
        else:
            name = match.group(2)
            found[function if name in ("keys", "kinds") else name] = set(re.findall(r'"(\w+)"', match.group(3)))
    return found


def keys_of(schema, *path):
    for part in path:
        schema = schema["properties"][part]
        schema = schema.get("items", schema)
    if schema["additionalProperties"] is not False:
        offences.append(f"{path}: takes unknown keys")
    return set(schema["properties"])


def check_keys():
    policy = lists_of("ci/policy/policy.c")
    want = {"read_policy": (), "read_rule": ("rules",), "read_slo": ("slo",), "read_waiver": ("waivers",),
            "read_margins": ("margins",), "read_alpha": ("alpha",), "read_environment": ("environment",),
            "read_stages": ("stages",), "read_cost": ("cost",), "read_baseline": ("baseline",)}
    pairs = [(f"policy.c: {name}", policy.get(name), keys_of(CONFIG, *path)) for name, path in want.items()]
    unknown = set(policy) - set(want)
    if unknown:
        offences.append(f"ci/policy/policy.c: lists of keys that this test does not know: {sorted(unknown)}")
    metric = RUN["properties"]["metrics"]["additionalProperties"]
    pairs += [("native.c", lists_of("engine/readers/native/native.c").get("top_keys"), keys_of(RUN)),
              ("run_document.c", lists_of("engine/model/run_document.c").get("metric_keys"), set(metric["properties"]))]
    for name, parser, schema in pairs:
        if parser != schema:
            offences.append(f"{name}: the parser knows {parser}, the schema {schema}")
    for page, keys in (("docs/configuration.md", set().union(*(pair[2] for pair in pairs[:-2]))),
                       ("docs/run-format.md", pairs[-2][2] | pairs[-1][2])):
        rows = "\n".join(line for line in open(page) if line.startswith("|"))
        named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", rows))))
        if keys - named:
            offences.append(f"{page}: no row describes {sorted(keys - named)}")


def main():
    for schema in (RUN, CONFIG, GATE):
        jsonschema.Draft202012Validator.check_schema(schema)
    check_keys()
    found = check_golden()
    gates = check_gates()
    checked = check_examples("docs/run-format.md", RUN) + check_examples("docs/configuration.md", CONFIG)
    for file in sorted(pathlib.Path("tests/data/policy").glob("*.json")):
        if file.name != "twice.json":  # a schema cannot see a key that comes twice
            compare(CONFIG, json.load(file.open()), str(file))
    for offence in offences[:40]:
        print(offence)
    print(f"{found} golden runs, {gates} gates, {checked} documents compared with the program, {len(offences)} offences")
    return 1 if offences else 0


sys.exit(main())
