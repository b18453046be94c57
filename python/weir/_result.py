# SPDX-License-Identifier: GPL-3.0-or-later
"""What a classification and a comparison have in common."""
from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ._program import ask
from ._record import Record


@dataclass
class Result(Record):
    """A result of weir. `weir query --schema` lists its tables."""

    def query(self, sql, *, limit=None, seconds=None):
        """Answers a SELECT about this result: a list with a dict for each row."""
        return ask("-", sql, limit=limit, seconds=seconds, stdin=json.dumps(self.raw))

    def table(self, name):
        """Returns a table as a list with a dict for each row: table("stages")."""
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise ValueError(f"{name!r} is not the name of a table")
        return self.query(f"select * from {name} order by row_id", limit=1000000)

    def to_frame(self, name="stages"):
        """Returns a table as a pandas DataFrame. Raises ImportError if pandas is missing."""
        import pandas

        return pandas.DataFrame(self.table(name))
