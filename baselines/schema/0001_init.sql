-- SPDX-License-Identifier: GPL-3.0-or-later
-- Baselines are names for sets of runs; a run is stored once, whatever number of names it has.

CREATE TABLE run (
	id INTEGER PRIMARY KEY,
	digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- SHA-256 of labels and series
	bound TEXT,                                              -- verdict of the run, where known
	cause TEXT,
	seal BLOB NOT NULL CHECK (length(seal) = 32)             -- SHA-256 of digest, verdict, labels, counts
) STRICT;

CREATE TABLE label (
	run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind IN ('stages', 'device', 'operators', 'calls', 'metrics')),
	name TEXT NOT NULL,
	unit TEXT,                                               -- of a metric, where stated
	better TEXT NOT NULL CHECK (better IN ('lower', 'higher')),
	count INTEGER NOT NULL CHECK (count > 0),
	samples BLOB NOT NULL,                                   -- see baselines/codec.h
	UNIQUE (run, kind, name)
) STRICT;

CREATE TABLE baseline (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE member (
	id INTEGER PRIMARY KEY,
	baseline INTEGER NOT NULL REFERENCES baseline (id) ON DELETE CASCADE,
	run INTEGER NOT NULL REFERENCES run (id),
	current INTEGER NOT NULL CHECK (current IN (0, 1)),      -- 0: only history, a promotion replaced it
	recorded TEXT NOT NULL,                                  -- '2026-11-20T14:00:00Z'
	UNIQUE (baseline, run)
) STRICT;

CREATE INDEX member_by_age ON member (baseline, current, recorded);
CREATE INDEX member_by_run ON member (run);
