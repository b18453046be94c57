# SPDX-License-Identifier: GPL-3.0-or-later
"""A shape of input that can grow, and what its generators share."""
import os
import typing


class Shape(typing.NamedTuple):
    """One row of a table of shapes.

    make(n, folder) writes files of size n into the folder, and returns commands of weir as lists of arguments, `{}` for the folder.
    The last one is measured; those before it run once. Files of the folder whose names begin with `fresh` are removed before each
    measured run."""
    name: str
    grows: str  # what n counts
    make: typing.Callable
    first: int  # the first n that is tried
    limit: int = 0  # the largest n that weir reads whole; 0: no limit that matters here
    of_limit: str = ""  # the limit in words
    code: int = 0  # expected exit code
    quick: int = 0  # n of --quick; 0: not part of it
    parallel: bool = False  # may use all processors, not only one


def classify(*files, more=()):
    """Returns the command that classifies files of the folder."""
    return [["classify", "-q", *(f"{{}}/{file}" for file in files), "-f", "json", *more]]


def write(folder, name, pieces):
    """Writes texts to a file of the folder."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.writelines(pieces)


def mixed(n):
    """Yields 0 to n - 1 in an order without pattern that is the same in every run."""
    step = int(n * 0.6180339887) | 1
    while _divisor(step, n) > 1:
        step += 2
    for i in range(n):
        yield i * step % n


def _divisor(a, b):
    while b:
        a, b = b, a % b
    return a
