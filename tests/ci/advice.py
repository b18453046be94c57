#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""advice.py PROGRAM SCENARIO: executes the advice of a gate and gates again.

Each scenario makes runs that lead to one verdict, takes the commands from the gate's own JSON, checks that the text says
the same, executes them, and checks that the next gate ends as the advice promises.
"""
import json
import os
import pty
import random
import re
import shlex
import subprocess
import sys
import tempfile

WEIR = os.path.abspath(sys.argv[1])
NOW = 1795000000  # 2026-11-18
DAY = 86400
PLACEHOLDER = "RUN..."


def fail(message):
    sys.exit(f"{sys.argv[2]}: {message}")


class Place:
    """A folder with a store, in which runs are measured and commands executed."""

    def __init__(self, folder):
        self.folder, self.random, self.count = folder, random.Random(7), 0

    def execute(self, command, now=NOW):
        environment = {"PATH": os.path.dirname(WEIR) + ":" + os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C",
                       "SOURCE_DATE_EPOCH": str(now), "COLUMNS": "80",
                       **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
        return subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True)

    def need(self, command, now=NOW):
        done = self.execute(command, now)
        if done.returncode != 0:
            fail(f"{command} exits with {done.returncode}: {done.stderr}")
        return done.stdout

    def runs(self, number, decode=1.0, stages=("decode", "prefill"), gpu="NVIDIA H200", scatter=0.003, count=300):
        """Measures runs and returns their paths. Times are in microseconds; `decode` scales the stage decode."""
        paths = []
        for _ in range(number):
            self.count += 1
            path = f"run {self.count}.json"  # a blank has to be quoted
            level = {"decode": 500 * decode, "prefill": 2000, "tokenize": 90}
            document = {"schema": "weir.run/1", "unit": "us", "labels": {"gpu": gpu}, "stages": {
                name: self.series(level[name], scatter, count) for name in stages}}
            with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
                json.dump(document, file)
            paths.append(path)
        return paths

    def series(self, level, scatter, count):
        level *= 1 + self.random.gauss(0, scatter)
        return [round(level * (1 + abs(self.random.gauss(0, 0.01))), 3) for _ in range(count)]

    def record(self, paths, name="main", now=NOW):
        self.need(f"weir baseline record {quoted(paths)} --name {name}", now)

    def gate(self, paths, code, verdict, options="--baseline main", now=NOW):
        """Gates, checks exit code and verdict, and returns the result."""
        done = self.execute(f"weir gate {quoted(paths)} {options} -o text.txt -o result.json", now)
        with open(os.path.join(self.folder, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        if done.returncode != code or verdict not in (None, result["verdict"]):
            fail(f"expected {code} {verdict}, got {done.returncode} {result['verdict']}: {done.stderr}")
        with open(os.path.join(self.folder, "text.txt"), encoding="utf-8") as file:
            result["printed"] = " ".join(file.read().split())
        return result

    def history(self):
        """Returns how many runs main holds, and how many are history."""
        rows = {row["name"]: row for row in json.loads(self.need("weir baseline list -f json"))["baselines"]}
        return rows["main"]["runs"], rows["main"]["history"], sorted(rows)


def quoted(paths):
    return " ".join(shlex.quote(path) for path in paths)


def commands_of(result, what, new_runs=()):
    """Returns the commands of one advice. The placeholder becomes the paths of new runs."""
    for advice in result["advice"]:
        if advice["id"] == what:
            if not advice["commands"]:
                fail(f"{what} has no command")
            return [command.replace(PLACEHOLDER, quoted(new_runs)) for command in advice["commands"]]
    fail(f"no advice {what} in {[advice['id'] for advice in result['advice']]}")


def check_text(result, what):
    """Checks that the text of an advice is printed, and that it names the same commands as the list."""
    advice = next(advice for advice in result["advice"] if advice["id"] == what)
    if advice["text"] not in result["printed"]:
        fail(f"not printed: {advice['text']}\n{result['printed']}")
    brief = re.sub(r"('[^']*\.json'|\S*run \d+\.json)", PLACEHOLDER, " && ".join(advice["commands"]))
    brief = re.sub(r"RUN\.\.\.( RUN\.\.\.)+", PLACEHOLDER, brief)
    for command in brief.split(" && "):
        if command not in advice["text"]:
            fail(f"the text has another command than \"{command}\": {advice['text']}")


def follow(place, result, what, new_runs=(), printed=True, now=NOW):
    if printed:
        check_text(result, what)
    for command in commands_of(result, what, new_runs):
        place.need(command, now)


# --- scenarios ---

def improvement(place):
    """The new level becomes the reference: equal runs pass, and the old level is a regression."""
    place.record(place.runs(8))
    result = place.gate(place.runs(5, decode=0.85), 0, "improvement")
    follow(place, result, "promote")
    if place.history() != (5, 8, ["main"]):
        fail(f"runs, history and names are {place.history()}")
    place.gate(place.runs(5, decode=0.85), 0, "pass")
    place.gate(place.runs(5), 1, "regression")
    place.gate(place.runs(5, decode=0.85 * 1.089), 1, "regression")  # what a mixed baseline would let through


def regression(place):
    """A slower version that is accepted becomes the reference."""
    place.record(place.runs(8))
    result = place.gate(place.runs(5, decode=1.1), 1, "regression")
    follow(place, result, "promote", printed=False)
    place.gate(place.runs(5, decode=1.1), 0, "pass")
    place.gate(place.runs(5), 0, "improvement")


def promotion_beside_an_old_attempt(place):
    """A name that holds runs already is not used, as its runs would be mixed with the new ones."""
    place.record(place.runs(8))
    place.record(place.runs(5, decode=1.5), name="main-next")
    result = place.gate(place.runs(5, decode=0.85), 0, "improvement")
    follow(place, result, "promote")
    if place.history() != (5, 8, ["main", "main-next"]):
        fail(f"runs, history and names are {place.history()}")
    place.gate(place.runs(5, decode=0.85), 0, "pass")


def stage_gone(place):
    place.record(place.runs(8, stages=("decode", "prefill", "tokenize")))
    result = place.gate(place.runs(5), 6, "coverage")
    follow(place, result, "promote")
    place.gate(place.runs(5), 0, "pass")


def run_incomplete(place):
    """One run lacks a stage, or is cut short: the advice names the others."""
    place.record(place.runs(8))
    result = place.gate(place.runs(4) + place.runs(1, stages=("decode",)), 6, "coverage")
    check_text(result, "leave-out")
    done = place.execute(commands_of(result, "leave-out")[0])
    if done.returncode != 0:
        fail(f"without the incomplete run: {done.returncode}: {done.stderr}")
    result = place.gate(place.runs(4) + place.runs(1, count=5), 6, "coverage")
    if not any("has 5 iterations of" in remark for remark in result["remarks"]):
        fail(f"the short run is not named: {result['remarks']}")
    if min(row["samples"][1] for row in result["rows"] if row["samples"][1]) != 300:
        fail("the short run cut the others")
    done = place.execute(commands_of(result, "leave-out")[0])
    if done.returncode != 0 or "verdict=pass" not in done.stderr:
        fail(f"without the short run: {done.returncode}: {done.stderr}")


def suspect(place):
    """One slower run is suspect; more of them are a regression."""
    place.record(place.runs(8))
    result = place.gate(place.runs(1, decode=1.1), 3, "suspect", "--baseline main --strict")
    check_text(result, "measure")
    done = place.execute(commands_of(result, "measure", place.runs(4, decode=1.1))[0])
    if done.returncode != 1:
        fail(f"more runs exit with {done.returncode}, not 1: {done.stderr}")


def undecided(place):
    """Three runs that scatter around the old level leave a row open; more runs of an unchanged version pass."""
    place.record(place.runs(8))
    scattered = [path for decode in (0.93, 1.0, 1.08) for path in place.runs(1, decode=decode)]
    result = place.gate(scattered, 3, None, "--baseline main --strict")
    check_text(result, "measure")
    done = place.execute(commands_of(result, "measure", place.runs(12))[0])
    if done.returncode != 0 or "verdict=pass" not in done.stderr:
        fail(f"more runs exit with {done.returncode}, not 0: {done.stderr}")


def sessions(place):
    """One job against another decides nothing; both versions by turns in one job do."""
    place.need(f"weir baseline record {quoted(place.runs(8))} --name main --label session=a")
    options = "--baseline main --label session=b"
    result = place.gate(place.runs(3, decode=1.08), 0, "inconclusive", options)
    if result["reason"] != "sessions" or "decode" not in result["printed"].split("weir")[0]:
        fail(f"the reason is {result['reason']}: {result['printed']}")
    check_text(result, "interleave")
    for side, decode in (("a", 1), ("b", 1.08)):
        place.need(f"mkdir side-{side} && mv {quoted(place.runs(10, decode=decode))} side-{side}")
    record, gate = commands_of(result, "interleave")
    for side in "ab":
        record = record.replace(f"CMD_{side.upper()}", f'mv "$(find side-{side} -type f | head -n 1)" "$WEIR_RUN"')
    place.need(record)
    done = place.execute(gate)
    if done.returncode != 1 or "regression: decode" not in done.stdout:
        fail(f"{gate} exits with {done.returncode}, not 1: {done.stdout}{done.stderr}")


def too_few(place):
    """Too few runs of the reference version: record more, then gate with more."""
    place.record(place.runs(1))
    result = place.gate(place.runs(2), 6, "inconclusive")
    follow(place, result, "record", place.runs(5))
    done = place.execute(commands_of(result, "measure", place.runs(3))[0])
    if done.returncode != 0 or "verdict=pass" not in done.stderr:
        fail(f"with enough runs: {done.returncode}: {done.stderr}")


def no_baseline(place):
    result = place.gate(place.runs(5), 4, "no-baseline")
    follow(place, result, "record", place.runs(8))
    place.gate(place.runs(5), 0, "pass")
    place.gate(place.runs(5, decode=1.1), 1, "regression")


def bootstrap(place):
    """The first gate records, and ends with 0; the next one compares."""
    result = place.gate(place.runs(5), 4, "no-baseline")
    follow(place, result, "bootstrap", printed=False)
    result = place.gate(place.runs(5), 0, "pass")
    if result["baseline"]["runs"] != 5:
        fail(f"the baseline has {result['baseline']['runs']} runs")
    place.gate(place.runs(5, decode=1.1), 1, "regression")


def environment(place):
    place.record(place.runs(8))
    change = place.runs(5, decode=1.4, gpu="NVIDIA A100")
    result = place.gate(change, 5, "environment")
    check_text(result, "record-elsewhere")
    record, gate = commands_of(result, "record-elsewhere", place.runs(8, decode=1.4, gpu="NVIDIA A100"))
    place.need(record)
    done = place.execute(gate)
    if done.returncode != 0 or "verdict=pass" not in done.stderr:
        fail(f"the gate on the other machine: {done.returncode}: {done.stderr}")
    place.gate(place.runs(5), 0, "pass")  # the baseline of the first machine is as it was


def old_baseline(place):
    """A baseline is remarked when its newest run is older than the limit, which weir.json sets."""
    place.record(place.runs(8))
    for days, limit, old in ((90, None, False), (91, None, True), (91, 91, False), (8, 7, True)):
        with open(os.path.join(place.folder, "weir.json"), "w", encoding="utf-8") as file:
            json.dump({"baseline": {"max_age_days": limit}} if limit else {}, file)
        result = place.gate(place.runs(5), 0, "pass", now=NOW + days * DAY)
        said = [remark for remark in result["remarks"] if f"is {days} days old" in remark]
        if bool(said) != old or bool(result["advice"]) != old:
            fail(f"{days} days, limit {limit}: {result['remarks']}")
    follow(place, result, "renew", place.runs(8), printed=False, now=NOW + 8 * DAY)
    result = place.gate(place.runs(5), 0, "pass", now=NOW + 8 * DAY)
    if result["remarks"]:
        fail(f"after the renewal: {result['remarks']}")


def same_runs(place):
    """A run counts once, and the baseline's own runs are no candidates."""
    own = place.runs(8)
    place.record(own)
    change = place.runs(2)
    with open(os.path.join(place.folder, change[0]), encoding="utf-8") as file:
        copied = file.read()
    with open(os.path.join(place.folder, "copy.json"), "w", encoding="utf-8") as file:
        file.write(copied)
    for paths, words in ((change + change[:1], "given twice"), (change + ["copy.json"], "same run"),
                         (change + own[:1], "of the baseline main itself"), (own, "of the baseline main itself")):
        done = place.execute(f"weir gate {quoted(paths)} --baseline main")
        if done.returncode != 2 or words not in done.stderr:
            fail(f"{paths}: {done.returncode}: {done.stderr}")
    place.gate(change + place.runs(3), 0, "pass")


def hostile_name(place):
    """A name with quotes and semicolons stays one word of each command."""
    name = "x; touch owned; echo 'y' $(touch owned) #"
    result = place.gate(place.runs(5), 4, "no-baseline", f"--baseline {shlex.quote(name)}")
    follow(place, result, "record", place.runs(8), printed=False)
    result = place.gate(place.runs(5, decode=0.85), 0, "improvement", f"--baseline {shlex.quote(name)}")
    follow(place, result, "promote", printed=False)
    place.gate(place.runs(5, decode=0.85), 0, "pass", f"--baseline {shlex.quote(name)}")
    if os.path.exists(os.path.join(place.folder, "owned")):
        fail("a part of the name was executed")


def closed_pipe(place):
    """A reader that stops early leaves the exit code of the verdict as it is."""
    place.record(place.runs(8))
    for decode, code in ((1.0, 0), (1.1, 1)):
        read, write = os.pipe()
        os.close(read)
        environment = {"PATH": os.environ["PATH"], "HOME": place.folder}
        done = subprocess.run([WEIR, "gate", *place.runs(5, decode=decode), "--baseline", "main", "--all"], cwd=place.folder,
                              env=environment, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
        os.close(write)
        if done.returncode != code or f"exit={code}" not in done.stderr:
            fail(f"expected {code}, got {done.returncode}: {done.stderr}")


def remove_asks(place):
    """Without a terminal, remove needs --yes; on a terminal, only an answer that begins with y removes."""
    def held():
        return [row["name"] for row in json.loads(place.need("weir baseline list -f json"))["baselines"]]

    def answer(text):
        """Runs remove on its own terminal, and types the answer."""
        ours, theirs = pty.openpty()
        environment = {"PATH": os.path.dirname(WEIR) + ":" + os.environ["PATH"], "HOME": place.folder}
        child = subprocess.Popen(["weir", "baseline", "remove", "main"], cwd=place.folder, env=environment, stdin=theirs,
                                 stdout=theirs, stderr=theirs)
        os.close(theirs)
        os.write(ours, (text + "\n").encode())
        said = b""
        while True:
            try:
                part = os.read(ours, 1024)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            said += part
        os.close(ours)
        if b"8 runs, 0 runs of its history" not in said or b"[y/N]" not in said:
            fail(f"asked: {said}")
        return child.wait()

    place.record(place.runs(8))
    done = place.execute("weir baseline remove main </dev/null")
    if done.returncode != 2 or "8 runs" not in done.stderr or held() != ["main"]:
        fail(f"without a terminal: {done.returncode}: {done.stderr}")
    for text, code, left in (("n", 2, ["main"]), ("", 2, ["main"]), ("y", 0, [])):
        if answer(text) != code or held() != left:
            fail(f"answer \"{text}\" leaves {held()}")
    place.record(place.runs(8))
    place.need("weir baseline remove main --yes")
    if held():
        fail("--yes did not remove")


def main():
    with tempfile.TemporaryDirectory() as folder:
        globals()[sys.argv[2]](Place(folder))


if __name__ == "__main__":
    main()
