# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of Nsight Systems."""
import sqlite3

import timeline

FOLDER = "nsys"
WORK = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")


def expected(path):
    work = []
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in WORK:
            if table in tables:
                work += [(device, start, end, table == WORK[0]) for device, start, end in database.execute(
                    f'SELECT deviceId, start, "end" FROM {table}')]
        if not work:  # a trace without device work
            return {"kernels": None}
    return timeline.figures(work)


given = timeline.given
