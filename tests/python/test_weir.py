#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test_weir.py: the module python/weir against the program that the variable WEIR names."""
import ast
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HOME = pathlib.Path("python")
sys.path.insert(0, str(HOME))

import weir  # noqa: E402
from weir import _program  # noqa: E402

PROGRAM = os.environ["WEIR"]
TRACE = "tests/data/kineto/malloc_churn.pt.trace.json.gz"
RUNS = [f"tests/data/runs/none-{number}.json" for number in ("01", "02", "03", "04", "06")]
SLOW = ["tests/data/runs/slow5-05.json", "tests/data/runs/slow5-20.json"]
DOCUMENTS = sorted(pathlib.Path("tests/data/report").glob("*.json")) + sorted(pathlib.Path("tests/data/gate").glob("*.json"))



def read_json(path):
    return json.loads(pathlib.Path(path).read_text())


def strangers(record, path=""):
    """Lists the members of a document that its class lacks."""
    keys = type(record).keys()
    found = [f"{path}.{key}" for key in record.raw if key not in keys]
    for key, entry in keys.items():
        value = getattr(record, entry.name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, weir.Record):
                found += strangers(one, f"{path}.{key}")
    return found


class Model(unittest.TestCase):
    def test_the_classes_are_those_of_the_program(self):
        made = subprocess.run([sys.executable, HOME / "generate.py", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertEqual(made, (HOME / "weir/_model.py").read_text(),
                         "run python3 python/generate.py build/dev/weir >python/weir/_model.py")

    def test_the_classes_hold_every_member_of_the_documents(self):
        self.assertEqual(strangers(weir.gate(SLOW, against=RUNS)), [])
        for trace in (TRACE, "tests/data/kineto/straggler", "tests/data/requests/served.jsonl", "tests/data/scrape/vllm-both.prom"):
            self.assertEqual(strangers(weir.classify(trace)), [], trace)

    def test_the_gate_has_the_members_of_its_schema(self):
        schema = read_json("docs/schemas/weir.gate.schema.json")
        self.assertEqual(set(weir.Gate.keys()), set(schema["properties"]))
        described = {name: schema["properties"][name] for name in ("counts", "environment", "baseline", "sessions", "alpha")}
        for name, part in {**described, "rows": schema["$defs"]["row"], "findings": schema["$defs"]["finding"]}.items():
            record = weir.Gate.keys()[name].metadata["of"]
            self.assertEqual(set(record.keys()), set(part["properties"]), name)

    def test_values_are_those_of_the_document(self):
        for path in DOCUMENTS:
            record = weir.load(path)
            for key, entry in type(record).keys().items():
                value = getattr(record, entry.name)
                if not entry.metadata:
                    self.assertEqual(value, record.raw.get(key))
        report = weir.load("tests/data/report/malloc_churn.json")
        raw = read_json("tests/data/report/malloc_churn.json")
        self.assertEqual(report.stages[0].p50_ns, raw["stages"][0]["p50_ns"])
        self.assertEqual(report.run.iteration_ns.p95, raw["run"]["iteration_ns"]["p95"])
        self.assertEqual(report.attribution, raw["attribution"])
        self.assertIsInstance(report.stages[0].p50_ns, int)

    def test_missing_is_none_and_unknown_members_are_in_raw(self):
        report = weir.from_json({"schema": "weir.report/1", "verdict": {"bound": "memory", "later": 1}, "next_year": [2]})
        self.assertIsNone(report.gpu)
        self.assertIsNone(report.stages)
        self.assertIsNone(report.verdict.share)
        self.assertEqual(report.verdict.raw["later"], 1)
        self.assertEqual(report.raw["next_year"], [2])

    def test_a_key_that_is_a_word_of_python_ends_with_an_underscore(self):
        report = weir.from_json({"schema": "weir.report/1", "what_if": [{"class": "runtime"}]})
        self.assertEqual(report.what_if[0].class_, "runtime")


class Reading(unittest.TestCase):
    def test_compressed_and_open_files_are_read(self):
        data = pathlib.Path("tests/data/gate/regression.json").read_bytes()
        expected = weir.load("tests/data/gate/regression.json")
        self.assertEqual(expected.verdict, "regression")
        self.assertEqual(weir.load(io.BytesIO(gzip.compress(data))), expected)
        self.assertEqual(weir.load(io.StringIO(data.decode())), expected)

    def test_loading_needs_no_program(self):
        with mock.patch.dict(os.environ, {"WEIR": "", "PATH": ""}):
            self.assertEqual(weir.load("tests/data/gate/pass.json").exit, 0)

    def test_what_is_no_result_is_an_error(self):
        for data in (b"", b"{", b"[]", b"{}", b'{"schema": "weir.run/1"}', b'{"schema": "weir.report/1", "stages": 5}',
                     b'{"schema": "weir.report/1", "stages": [5]}', b"\x1f\x8bdamaged", b"[" * 200000, b"\xff\xfe"):
            with self.assertRaises(weir.WeirError):
                weir.load(io.BytesIO(data))

    def test_an_archive_that_unpacks_to_too_much_is_an_error(self):
        with self.assertRaisesRegex(weir.WeirError, "larger than 64 MiB"):
            weir.load(io.BytesIO(gzip.compress(b" " * (65 << 20))))


class Running(unittest.TestCase):
    def test_classify_returns_what_the_program_writes(self):
        report = weir.classify(TRACE)
        written = subprocess.run([PROGRAM, "classify", "-q", "-f", "json", TRACE], capture_output=True, check=True).stdout
        self.assertEqual(report.raw, json.loads(written))
        self.assertEqual(report.verdict.bound, "memory")

    def test_options_reach_the_program(self):
        report = weir.classify(TRACE, window="all", percentile=90, what_if={"runtime": 0, "memory": 0.5})
        self.assertEqual([(change.class_, change.factor) for change in report.what_if], [("runtime", 0), ("memory", 0.5)])
        self.assertEqual((report.run.percentile, report.run.steady), (0.9, False))

    def test_a_failure_has_the_code_and_the_line_of_the_program(self):
        with self.assertRaises(weir.WeirError) as caught:
            weir.classify("tests/data/none.json")
        self.assertEqual(caught.exception.code, 7)
        self.assertIn("tests/data/none.json: cannot open", caught.exception.message)
        with self.assertRaises(weir.WeirError) as caught:
            weir.classify(TRACE, window="most")
        self.assertEqual(caught.exception.code, 2)
        self.assertNotIn("\n", caught.exception.message)

    def test_a_regression_is_a_result(self):
        judged = weir.gate(SLOW, against=RUNS)
        self.assertEqual((judged.exit, judged.verdict), (1, "regression"))
        self.assertEqual(judged.counts.regressions, sum(row.outcome == "regression" for row in judged.rows))

    def test_a_gate_without_a_baseline_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            judged = weir.gate(RUNS[0], baseline="none", db=f"{folder}/b.db")
            self.assertEqual((judged.exit, judged.verdict), (4, "no-baseline"))
        with self.assertRaisesRegex(weir.WeirError, "either a baseline or"):
            weir.gate(RUNS[0])
        with self.assertRaises(weir.WeirError) as caught:
            weir.gate("tests/data/none.json", against=RUNS)
        self.assertEqual(caught.exception.code, 7)

    def test_compare_never_fails_on_a_regression(self):
        compared = weir.compare(RUNS, SLOW)
        self.assertEqual(compared.exit, 0)
        self.assertEqual(compared.candidate.runs, 2)

    def test_a_path_that_begins_with_a_dash_is_no_option(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "-q.json").write_bytes(pathlib.Path(RUNS[0]).read_bytes())
            here = os.getcwd()
            os.chdir(folder)
            try:
                with mock.patch.dict(os.environ, {"WEIR": os.path.join(here, PROGRAM)}):
                    self.assertEqual(weir.classify("-q.json").run.inputs[0].path, "./-q.json")
            finally:
                os.chdir(here)

    def test_a_program_that_is_not_there_is_an_error(self):
        with mock.patch.dict(os.environ, {"WEIR": "", "PATH": "/nowhere"}):
            with self.assertRaisesRegex(weir.WeirError, "set WEIR") as caught:
                weir.classify(TRACE)
            self.assertIsNone(caught.exception.code)
        with mock.patch.dict(os.environ, {"WEIR": "/nowhere/weir"}):
            with self.assertRaisesRegex(weir.WeirError, "/nowhere/weir: No such file"):
                weir.classify(TRACE)

    def test_the_reason_is_the_line_of_weir(self):
        self.assertEqual(_program.reason("weir: 3 files\nweir: a: cannot open\n"), "a: cannot open")
        self.assertEqual(_program.reason("weir: a: cannot open\nweir: verdict=error exit=7 regressions=0 judged=0\n"), "a: cannot open")
        self.assertEqual(_program.reason(""), "weir gave no reason")


class Queries(unittest.TestCase):
    def test_a_result_a_path_and_a_profile_give_one_answer(self):
        sql = "select name, p50_ns from stages"
        report = weir.classify(TRACE)
        expected = [{"name": stage.name, "p50_ns": stage.p50_ns} for stage in report.stages]
        self.assertEqual(weir.query(report, sql), expected)
        self.assertEqual(report.query(sql), expected)
        self.assertEqual(weir.query(TRACE, sql), expected)
        self.assertEqual(weir.query(pathlib.Path("tests/data/report/malloc_churn.json"), "select name from stages"), [{"name": "allocate"}])

    def test_a_wrong_query_is_an_error(self):
        report = weir.load("tests/data/report/malloc_churn.json")
        with self.assertRaisesRegex(weir.WeirError, "did you mean name") as caught:
            report.query("select nme from stages")
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(weir.WeirError, "not allowed"):
            report.query("-- a comment\ndelete from stages")

    def test_a_table_has_a_dict_for_each_row(self):
        gate = weir.load("tests/data/gate/regression.json")
        rows = gate.table("rows")
        self.assertEqual([row["scope"] for row in rows], [row.scope for row in gate.rows])
        self.assertEqual([row["ci90_low"] for row in rows], [row.ci90[0] for row in gate.rows])
        for name in ("rows; drop table rows", "", "Rows", "a b"):
            with self.assertRaises(ValueError):
                gate.table(name)

    def test_a_frame_is_made_by_pandas(self):
        stand_in = types.ModuleType("pandas")
        stand_in.DataFrame = lambda rows: ("frame", rows)
        report = weir.load("tests/data/report/malloc_churn.json")
        with mock.patch.dict(sys.modules, {"pandas": stand_in}):
            self.assertEqual(report.to_frame("stages"), ("frame", report.table("stages")))
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaises(ImportError):
                report.to_frame()


class Source(unittest.TestCase):
    def test_it_is_python_3_9_and_needs_the_standard_library_only(self):
        for path in sorted(HOME.glob("weir/*.py")):
            tree = ast.parse(path.read_text(), feature_version=(3, 9))
            for node in ast.walk(tree):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module]
                for name in names:
                    self.assertIn(name, {*sys.stdlib_module_names, "pandas"}, path)

    def test_the_example_of_the_page_runs(self):
        page = (HOME / "README.md").read_text()
        for example in page.split("```python\n")[1:]:
            with mock.patch("builtins.print") as shown, tempfile.TemporaryDirectory() as folder:
                code = example.split("```")[0].replace('"trace.json.gz"', repr(TRACE)).replace('"report.json"', repr(f"{folder}/r.json"))
                code = code.replace('["base-1.json", "base-2.json"]', repr(RUNS)).replace('["change-1.json", "change-2.json"]', repr(SLOW))
                exec(compile(code, "README.md", "exec"), {})
                self.assertTrue(shown.called)


if __name__ == "__main__":
    unittest.main()
