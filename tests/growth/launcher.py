# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts programs for measure.py: reads one command a line and answers with one line: wait status, seconds, kilobytes.

A command is its folder, a file for its messages, the seconds it may use, and its words, with tabs between them. The peak memory of a
program as the kernel states it is never below that of the process that started it. Therefore this one is small: it loads next to no
module, and runs with `python3 -I -S`."""
import _signal
import posix
import resource
import sys

MAX_WALL_S = 600


def start(folder, errors, seconds, words):
    """Replaces this process by the program."""
    posix.chdir(folder)
    posix.dup2(posix.open("/dev/null", posix.O_RDWR), 0)
    posix.dup2(posix.open("/dev/null", posix.O_RDWR), 1)
    posix.dup2(posix.open(errors, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o600), 2)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    _signal.alarm(MAX_WALL_S)
    posix.execve(words[0], words, {b"LC_ALL": b"C", b"SOURCE_DATE_EPOCH": b"1767225600", b"HOME": folder.encode()})


def main():
    for line in sys.stdin:
        folder, errors, seconds, *words = line.rstrip("\n").split("\t")
        child = posix.fork()
        if child == 0:
            try:
                start(folder, errors, int(seconds), words)
            finally:
                posix._exit(127)
        _, status, used = posix.wait4(child, 0)
        print(status, used.ru_utime + used.ru_stime, used.ru_maxrss, flush=True)


main()
