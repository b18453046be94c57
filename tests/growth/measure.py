# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes inputs and runs programs on them, and measures time of the processor and memory."""
import json
import os
import subprocess
import sys
import tempfile
import typing

MAX_CPU_S = 20  # of one run


class Failed(Exception):
    """A run that measures nothing, with the reason."""


class Cost(typing.NamedTuple):
    """Seconds of the processor (user and system) and peak bytes of one run."""
    seconds: float
    peak: int


def make(shape, n, folder):
    """Writes the input of size n into an empty folder; returns the commands. Runs in another process: what it leaves in memory
    would count as memory of the programs that are started after it."""
    read, send = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            commands = shape.make(n, folder)
            with os.fdopen(send, "w") as out:
                json.dump(commands, out)
            code = 0
        except BaseException as why:  # the parent reports it
            print(f"growth: {shape.name}, n = {n}: {why!r}", file=sys.stderr, flush=True)
        os._exit(code)
    os.close(send)
    with os.fdopen(read) as answer:
        text = answer.read()
    if os.waitpid(child, 0)[1]:
        raise Failed("the generator failed")
    return [[word.replace("{}", folder) for word in command] for command in json.loads(text)]


def size(folder):
    """Returns the bytes of all files below the folder."""
    return sum(os.path.getsize(os.path.join(path, file)) for path, _, files in os.walk(folder) for file in files)


def _remove_fresh(folder):
    for name in os.listdir(folder):
        if name.startswith("fresh"):
            os.remove(os.path.join(folder, name))


class Launcher:
    """A small process that starts programs, see launcher.py."""

    def __init__(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher.py")
        self.process = subprocess.Popen([sys.executable, "-I", "-S", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        bufsize=1)

    def pid(self):
        return self.process.pid

    def run(self, command, folder, code=0):
        """Runs a command once; returns its cost. Raises Failed on any exit code but the expected one."""
        _remove_fresh(folder)
        errors = os.path.join(os.path.dirname(folder), "errors")
        self.process.stdin.write("\t".join([folder, errors, str(MAX_CPU_S), *command]) + "\n")
        status, seconds, kilobytes = self.process.stdout.readline().split()
        ended = os.waitstatus_to_exitcode(int(status))
        if ended != code:
            with open(errors, encoding="utf-8", errors="replace") as said:
                last = said.read().strip().splitlines()[-1:]
            what = f"exit code {ended}"
            if ended < 0:
                what = f"more than {MAX_CPU_S} s of the processor" if float(seconds) > MAX_CPU_S - 1 else f"signal {-ended}"
            raise Failed(f"{what}: {' '.join(last)[:300]}")
        return Cost(float(seconds), int(kilobytes) * 1024)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Input:
    """Files of a shape at one size, in a folder below `work`, and the command to measure on them."""

    def __init__(self, launcher, program, shape, n, work):
        self.launcher, self.shape, self.n = launcher, shape, n
        self.place = tempfile.TemporaryDirectory(dir=work)
        try:
            *first, self.command = [[*program, *command] for command in make(shape, n, self.place.name)]
            for command in first:
                launcher.run(command, self.place.name)
            self.bytes = size(self.place.name)
        except BaseException:
            self.place.cleanup()
            raise

    def measure(self):
        return self.launcher.run(self.command, self.place.name, self.shape.code)

    def remove(self):
        self.place.cleanup()
