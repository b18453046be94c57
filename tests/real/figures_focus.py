# SPDX-License-Identifier: GPL-3.0-or-later
"""FOCUS: a bill alone says what was paid, not what ran."""
FOLDER = "focus"


def expected(_path):
    return "pass them together with requests"
