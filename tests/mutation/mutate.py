#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what the tests notice: changes one place of the sources at a time and runs the tests that could see it.

See README.md. Needs Python 3, CMake and Ninja.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import sites  # pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["engine/analysis", "engine/stats", "rules"]
EQUIVALENT = ROOT / "tests/mutation/equivalent.txt"
MEMORY = 4 << 30  # bytes of address space a test may use; a mutant may allocate without end
SKIPPED = 77  # exit code of a test program that could not run any of its tests
PROGRAM = "weir"  # target of the program
SLOW = ("golden/stored-results",)  # runs the golden cases again
FIRST = 6  # test programs that are linked and run before all others
SANITIZED = 20  # test programs that are also run under the address sanitizer
LOCKING = re.compile(r"\b(?:pthread|atomic)_\w+\(")  # a mutant of such a line also meets the thread sanitizer


class Mutant:
    """One changed place and what became of it."""

    def __init__(self, path, text, site):
        self.path = path
        self.text = text
        self.site = site
        self.before, self.after = sites.describe(text, site)
        self.line = text.count("\n", 0, site.start) + 1
        self.verdict = None
        self.test = ""
        self.seconds = 0.0


def sources(places):
    """Lists the C sources at or below the places, sorted, as paths from the root."""
    found = set()
    for place in places:
        path = ROOT / place
        found.update([path] if path.is_file() else path.rglob("*.c"))
    return sorted(str(path.relative_to(ROOT)) for path in found)


def all_mutants(places):
    """Lists every mutant of the sources in a fixed order."""
    mutants = []
    for path in sources(places):
        text = (ROOT / path).read_text(encoding="utf-8")
        mutants += [Mutant(path, text, site) for site in sites.find(text)]
    return mutants


def read_equivalent():
    """Returns the reviewed list of mutants that change nothing: {(path, before, after): reason}."""
    listed = {}
    for number, line in enumerate(EQUIVALENT.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+): `(.+)` -> `(.*)`: (.+)", line)
        if not match:
            sys.exit(f"{EQUIVALENT.name}:{number}: expected FILE: `BEFORE` -> `AFTER`: REASON")
        listed[match.group(1, 2, 3)] = match.group(4)
    return listed


def copy_tree(tree):
    """Brings the copy of the working tree up to date; unchanged files keep their time."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    names = {name for name in listing.split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        source, target = ROOT / name, tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copy(source, target)
    for old in tree.rglob("*"):
        name = str(old.relative_to(tree))
        if old.is_file() and name not in names and not name.startswith("build/"):
            old.unlink()


def command(arguments, check=False):
    """Runs a command of the build; returns whether it succeeded."""
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}:\n{done.stdout[-4000:]}")
    return done.returncode == 0


def our_names(file):
    """Returns the names of ours that an object or a program defines. Linkers may make hidden names of a program local."""
    out = subprocess.run(["nm", "--defined-only", file], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r" [TDBRtdbr] (weir_\w+)$", out, re.M))


class Build:
    """A build of the copied tree with its tests."""

    def __init__(self, tree, name, jobs, *options):
        self.tree = tree
        self.folder = tree / "build" / name
        self.jobs = jobs
        self.memory = MEMORY
        self.label = ""  # of its tests in the table
        command(["cmake", "-G", "Ninja", "-S", tree, "-B", self.folder, "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DBUILD_TESTING=ON", *options], check=True)
        self.tests = {}
        self.environment = {}

    def make(self, targets):
        """Builds the targets; returns whether they compile."""
        return command(["ninja", "-C", self.folder, "-j", str(self.jobs), *targets])

    def target(self, test):
        """Returns the target that a test needs."""
        return pathlib.Path(self.tests[test][0]).name if test.startswith("unit/") else PROGRAM

    def link(self, tests):
        """Builds the programs of the tests; returns whether the sources compile."""
        return self.make(sorted({self.target(test) for test in tests}))

    def read_tests(self):
        """Reads the tests that judge a mutant, with the environment that ctest would give them: {name: command}."""
        shown = subprocess.run(["ctest", "--test-dir", self.folder, "--show-only=json-v1"],
                               check=True, capture_output=True, text=True).stdout
        tests = [test for test in json.loads(shown)["tests"]
                 if re.match("unit/|rules/|golden/", test["name"]) and test["name"] not in SLOW and "command" in test]
        self.tests = {test["name"]: test["command"] for test in tests}
        self.environment = {test["name"]: dict(pair.split("=", 1) for pair in entry["value"])
                            for test in tests for entry in test["properties"] if entry["name"] == "ENVIRONMENT"}

    def run(self, test, limit):
        """Runs a test; returns whether it passes within the limit in seconds, and the seconds it took."""
        start = time.monotonic()
        process = subprocess.Popen(
            self.tests[test], cwd=self.tree, env=dict(os.environ, WEIR_GOLDEN_LOCALES="C", **self.environment.get(test, {})),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory)))
        try:
            passed = process.wait(limit) in (0, SKIPPED)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            passed = False
        return passed, time.monotonic() - start

    def first_failure(self, tests, limits, seconds=None):
        """Runs tests until one fails; returns its name, or None. Notes the seconds of each."""
        waiting = list(reversed(tests))
        failed = []

        def work():
            while not failed:
                try:
                    test = waiting.pop()
                except IndexError:
                    return
                passed, took = self.run(test, limits[test])
                if seconds is not None:
                    seconds[test] = took
                if not passed:
                    failed.append(test)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for worker in [pool.submit(work) for _ in range(self.jobs)]:
                worker.result()
        return failed[0] if failed else None

    def limits(self, unit_only):
        """Runs every test on the sources as they are; returns a limit in seconds for each."""
        tests = [test for test in self.tests if not unit_only or test.startswith("unit/")]
        seconds = {}
        failed = self.first_failure(tests, dict.fromkeys(tests, 300), seconds)
        if failed:
            sys.exit(f"{failed} fails without any mutation")
        return {test: 5 + 10 * took for test, took in seconds.items()}


class Plain(Build):
    """The build without sanitizers. It knows which unit tests hold a source's object."""

    def __init__(self, tree, jobs):
        super().__init__(tree, "plain", jobs)
        listed = subprocess.run(["ninja", "-C", self.folder, "-t", "targets", "all"],
                                check=True, capture_output=True, text=True).stdout
        if not self.make([PROGRAM, *sorted(set(re.findall(r"^(test_\w+): phony", listed, re.M)))]):
            sys.exit(f"the sources do not compile: ninja -C {self.folder}")
        self.read_tests()
        self.commands = {str(pathlib.Path(entry["file"]).relative_to(tree)): entry
                         for entry in json.loads((self.folder / "compile_commands.json").read_text(encoding="utf-8"))
                         if pathlib.Path(entry["file"]).is_relative_to(tree)}
        self.users = {}
        for test, arguments in self.tests.items():
            if test.startswith("unit/"):
                for name in our_names(arguments[0]):
                    self.users.setdefault(name, set()).add(test)
        if not self.users:
            sys.exit("nm finds no object of ours in any test program")

    def affected(self, path):
        """Lists the unit tests that hold the object of a source, the most special ones first."""
        entry = self.commands[path]
        written = re.search(r" -o (\S+)", entry["command"]).group(1)
        names = our_names(pathlib.Path(entry["directory"]) / written)
        tests = set().union(*(self.users.get(name, set()) for name in names))
        stem = pathlib.Path(path).stem
        sizes = {test: os.path.getsize(self.tests[test][0]) for test in tests}
        return sorted(tests, key=lambda test: (test != f"unit/{stem}", stem not in test, sizes[test], test))

    def same_code(self, mutant):
        """True if the optimizer makes the same machine code of the mutant as of the original."""
        file = self.tree / mutant.path
        entry = self.commands[mutant.path]
        assembly = []
        for text in (mutant.text, sites.apply(mutant.text, mutant.site)):
            file.write_text(text, encoding="utf-8")
            arguments = re.sub(r" -o \S+", " -o -", entry["command"].replace(" -g ", " -O2 -g0 ").replace(" -c ", " -S "))
            done = subprocess.run(arguments, shell=True, cwd=entry["directory"], capture_output=True, text=True, check=False)
            assembly.append(done.stdout)
        return assembly[0] != "" and assembly[0] == assembly[1]


class Sanitized(Build):
    """The build with sanitizers, which sees reads and writes out of bounds. Built as far as it is needed."""

    def __init__(self, plain):
        super().__init__(plain.tree, "asan", plain.jobs, "-DWEIR_SANITIZE=address,undefined")
        self.memory = resource.RLIM_INFINITY
        self.environment = plain.environment
        self.label = " (asan)"
        self.tests = {test: [str(self.folder / "tests" / pathlib.Path(arguments[0]).name)]
                      for test, arguments in plain.tests.items() if test.startswith("unit/")}


class Threaded(Build):
    """The build with the thread sanitizer, which sees a missing lock. It has only the tests in which several threads run."""

    def __init__(self, plain):
        super().__init__(plain.tree, "tsan", plain.jobs, "-DWEIR_SANITIZE=thread")
        self.memory = resource.RLIM_INFINITY
        self.label = " (tsan)"
        if not self.make(["all"]):
            sys.exit(f"the sources do not compile: ninja -C {self.folder}")
        self.read_tests()
        self.seconds = self.limits(False)


class Builds:
    """The builds that judge mutants. That with the thread sanitizer is made for the first mutant that needs it."""

    def __init__(self, tree, jobs):
        self.plain = Plain(tree, jobs)
        self.asan = Sanitized(self.plain)
        self.tsan = None

    def batches(self, mutant, limits, unit_only):
        """Lists what to run for a mutant, in this order: [(build, tests, limits)]. Compiles the sources as they are."""
        units = self.plain.affected(mutant.path)
        others = [] if unit_only else [test for test in self.plain.tests if not test.startswith("unit/")]
        batches = [(self.plain, units[:FIRST], limits), (self.plain, units[FIRST:] + others, limits)]
        if LOCKING.search(mutant.before):
            self.tsan = self.tsan or Threaded(self.plain)
            threaded = [test for test in units + others if test in self.tsan.tests]
            batches.append((self.tsan, threaded, self.tsan.seconds))
        return batches + [(self.asan, units[:SANITIZED], limits)]


def judge(builds, mutant, limits, unit_only):
    """Sets the verdict of a mutant, and the test that noticed it."""
    plain = builds.plain
    batches = builds.batches(mutant, limits, unit_only)
    file = plain.tree / mutant.path
    if plain.same_code(mutant):
        mutant.verdict = "equivalent"
        return
    file.write_text(sites.apply(mutant.text, mutant.site), encoding="utf-8")
    try:
        for build, batch, seconds in batches:
            if not batch:
                continue
            if not build.link(batch):
                mutant.verdict = "no-build"
                return
            failed = build.first_failure(batch, seconds)
            if failed:
                mutant.verdict = "killed"
                mutant.test = failed + build.label
                return
        mutant.verdict = "survived"
    finally:
        file.write_text(mutant.text, encoding="utf-8")


def draw(mutants, seed, count):
    """Draws mutants; the same seed draws the same ones."""
    return random.Random(seed).sample(mutants, min(count, len(mutants)))


def choose(options):
    """Returns the mutants to try."""
    if options.at:
        lines = {tuple(place.rsplit(":", 1)) for place in options.at}
        mutants = [mutant for mutant in all_mutants({path for path, _ in lines}) if (mutant.path, str(mutant.line)) in lines]
    else:
        mutants = draw(all_mutants(options.places or FOLDERS), options.seed, options.count)
    if not mutants:
        sys.exit("no place to mutate there")
    return sorted(mutants, key=lambda mutant: (mutant.path, mutant.site))


def show(mutant):
    """Prints the row of a mutant."""
    print(f"{mutant.verdict:<10} {mutant.seconds:5.1f} s  {mutant.path}:{mutant.line}  {mutant.site.kind}  {mutant.test}")
    if mutant.verdict in ("survived", "listed"):
        print(f"             {mutant.before}\n          -> {mutant.after}")
    sys.stdout.flush()


def summarize(mutants, seed):
    """Prints the score; returns the number of survivors."""
    counts = {verdict: sum(mutant.verdict == verdict for mutant in mutants)
              for verdict in ("killed", "survived", "equivalent", "listed", "no-build")}
    judged = counts["killed"] + counts["survived"]
    print(f"\nseed {seed}: {len(mutants)} mutants, " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n))
    if judged:
        print(f"score {counts['killed']} of {judged}: {100 * counts['killed'] / judged:.0f} %")
    kinds = sorted({mutant.site.kind for mutant in mutants})
    for kind in kinds:
        mine = [mutant.verdict for mutant in mutants if mutant.site.kind == kind]
        print(f"  {kind:<11} {mine.count('killed'):3} killed {mine.count('survived'):3} survived")
    return counts["survived"]


def stale_lines():
    """Returns the entries of equivalent.txt that no longer match a place in the sources."""
    known = {}
    stale = []
    for path, before, after in read_equivalent():
        if path not in known:
            known[path] = {(m.before, m.after) for m in all_mutants([path])} if (ROOT / path).is_file() else set()
        if (before, after) not in known[path]:
            stale.append((path, before, after))
    return stale


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="*", help=f"files and folders to mutate (default: {' '.join(FOLDERS)})")
    parser.add_argument("--seed", type=int, default=1, help="draws the same mutants of the same sources")
    parser.add_argument("--count", type=int, default=60, help="mutants to draw")
    parser.add_argument("--at", metavar="FILE:LINE", action="append", help="try every mutant of this line instead; may be repeated")
    parser.add_argument("--unit", action="store_true", help="run unit tests only")
    parser.add_argument("--list", action="store_true", help="list the mutants and try none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/mutation", help="folder of the copied tree")
    return parser.parse_args()


def main():
    options = parse()
    mutants = choose(options)
    if options.list:
        for mutant in mutants:
            print(f"{mutant.path}:{mutant.line}  {mutant.site.kind}\n    {mutant.before}\n    {mutant.after}")
        return 0
    listed = read_equivalent()
    tree = options.work.resolve()
    copy_tree(tree)
    builds = Builds(tree, options.jobs)
    limits = builds.plain.limits(options.unit)
    for mutant in mutants:
        start = time.monotonic()
        if (mutant.path, mutant.before, mutant.after) in listed:
            mutant.verdict = "listed"
        else:
            judge(builds, mutant, limits, options.unit)
        mutant.seconds = time.monotonic() - start
        show(mutant)
    return 1 if summarize(mutants, options.seed) else 0


if __name__ == "__main__":
    sys.exit(main())
