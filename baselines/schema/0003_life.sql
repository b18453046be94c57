-- SPDX-License-Identifier: GPL-3.0-or-later
-- Pins, and the quantiles of runs whose samples were dropped.

CREATE TABLE pin (
	member INTEGER PRIMARY KEY REFERENCES member (id) ON DELETE CASCADE -- is never pruned
) STRICT;

CREATE TABLE pruned (
	id INTEGER PRIMARY KEY,
	baseline INTEGER NOT NULL REFERENCES baseline (id) ON DELETE CASCADE,
	digest BLOB NOT NULL CHECK (length(digest) = 32),        -- of the run
	recorded TEXT NOT NULL,                                  -- '2026-11-20T14:00:00Z'
	summary TEXT NOT NULL,                                   -- JSON, see baselines/summary.h
	seal BLOB NOT NULL CHECK (length(seal) = 32),            -- SHA-256 of digest, time and summary
	UNIQUE (baseline, digest)
) STRICT;
