# SPDX-License-Identifier: GPL-3.0-or-later
"""Databases of rocprofv3."""
import sqlite3

import timeline

FOLDER = "rocpd"


def expected(path):
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        work = []
        for table in tables:
            if table.startswith("rocpd_kernel_dispatch"):
                symbols = table.replace("rocpd_kernel_dispatch", "rocpd_info_kernel_symbol")
                work += [(agent, start, end, "__amd_rocclr_" not in name) for agent, start, end, name in database.execute(
                    f'SELECT d.agent_id, d.start, d.end, s.kernel_name FROM "{table}" d '
                    f'JOIN "{symbols}" s ON s.id = d.kernel_id')]
            if table.startswith("rocpd_memory_copy"):
                work += [(agent, start, end, False) for agent, start, end in database.execute(
                    f'SELECT dst_agent_id, start, end FROM "{table}"')]
    return timeline.figures(work)


given = timeline.given
