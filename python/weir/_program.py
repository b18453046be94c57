# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds and runs the program."""
from __future__ import annotations

import json
import os
import shutil
import subprocess


class WeirError(Exception):
    """weir ended without a result. `code` is its exit code (None: it could not be started), `message` its reason in one line."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.message = message
        self.code = code


def program():
    """Returns the path of the program: the variable WEIR, else `weir` of PATH."""
    path = os.environ.get("WEIR") or shutil.which("weir")
    if not path:
        raise WeirError("weir was not found: install it, or set WEIR to its path")
    return path


def reason(stderr):
    """Returns the last line of standard error that begins with "weir: ", without the summary of a gate."""
    lines = [line[6:] for line in stderr.splitlines() if line.startswith("weir: ")]
    lines = [line for line in lines if not line.startswith("verdict=")] or lines
    return lines[-1] if lines else stderr.strip() or "weir gave no reason"


def run(words, *, stdin=None):
    """Runs weir; its exit code, standard output and standard error. A surrogate of a file name passes through."""
    command = [program(), *words]
    try:
        done = subprocess.run(command, input=(stdin or "").encode(), capture_output=True, check=False)
    except OSError as error:
        raise WeirError(f"{command[0]}: {error.strerror}") from error
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def run_json(words, *, codes=(0,), stdin=None):
    """Runs weir and parses its standard output. Raises WeirError for a code that is not listed."""
    code, out, err = run(words, stdin=stdin)
    if code not in codes or not out.strip():
        raise WeirError(reason(err), code)
    return json.loads(out)


def path_word(path):
    """Returns a path as an argument that is no option."""
    word = os.fspath(path)
    return "./" + word if word.startswith("-") and word != "-" else word


def ask(source, sql, *, limit=None, seconds=None, stdin=None):
    """Runs weir query; a list of dicts."""
    words = ["query", "-q", "-f", "json"]
    if limit is not None:
        words += ["--limit", str(limit)]
    if seconds is not None:
        words += ["--seconds", str(seconds)]
    return run_json([*words, "--", path_word(source), sql], stdin=stdin)
