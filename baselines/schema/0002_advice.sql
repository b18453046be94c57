-- SPDX-License-Identifier: GPL-3.0-or-later
-- Outcomes of fixes: the step that was promised and the step that was measured, in nanoseconds.

CREATE TABLE advice (
	id INTEGER PRIMARY KEY,
	fix TEXT NOT NULL,
	device TEXT,                                             -- where known
	promised_ns REAL NOT NULL CHECK (promised_ns > 0),
	low_ns REAL NOT NULL,                                    -- range of the promise
	high_ns REAL NOT NULL,
	before_ns REAL,                                          -- step before the fix, where known
	measured_ns REAL NOT NULL CHECK (measured_ns > 0),
	recorded TEXT NOT NULL,                                  -- '2026-11-20T14:00:00Z'
	before TEXT NOT NULL,                                    -- names of the inputs
	after TEXT NOT NULL,
	pair BLOB NOT NULL CHECK (length(pair) = 32),            -- SHA-256 of the content of both inputs
	seal BLOB NOT NULL CHECK (length(seal) = 32),            -- SHA-256 of all other columns
	UNIQUE (fix, pair)
) STRICT;
