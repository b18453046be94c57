# SPDX-License-Identifier: GPL-3.0-or-later
"""cProfile: functions by file, line and name, as marshal gives them."""
import marshal

import classified

FOLDER = "cprofile"


def expected(path):
    with open(path, "rb") as file:
        statistics = marshal.load(file)
    self_of = {key: value[2] * 1e9 for key, value in statistics.items()}
    whole_of = {key: value[3] * 1e9 for key, value in statistics.items()}
    return classified.functions(sum(self_of.values()), self_of, whole_of)


given = classified.given_functions
TOLERANCE = 1e-3
