# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of all classes of a document."""
from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Dict


def member(of):
    """Describes a field that holds an object of the class `of`."""
    return field(default=None, metadata={"of": of})


def members(of):
    """Describes a field that holds a list of objects of the class `of`."""
    return field(default=None, metadata={"of": of, "many": True})


@dataclass
class Record:
    """An object of a document. The value None stands for unknown. `raw` is the JSON object, with members that this version does not know."""

    raw: Dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def keys(cls):
        """Returns the fields by their key in the JSON. A key that is a word of Python, such as `class`, has the field `class_`."""
        return {entry.name.rstrip("_"): entry for entry in fields(cls) if entry.name != "raw"}

    @classmethod
    def from_json(cls, raw):
        """Makes the record of a JSON object. Raises ValueError if an object or list has another type."""
        if not isinstance(raw, dict):
            raise ValueError(f"{cls.__name__}: expected an object")
        record = cls(raw=raw)
        for key, entry in cls.keys().items():
            setattr(record, entry.name, _convert(key, entry.metadata, raw.get(key)))
        return record


def _convert(key, metadata, value):
    if value is None or not metadata:
        return value
    if not metadata.get("many"):
        return metadata["of"].from_json(value)
    if not isinstance(value, list):
        raise ValueError(f"{key}: expected a list")
    return [metadata["of"].from_json(entry) for entry in value]
