/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels that change at a change point: those whose value differs between the level before and the
 * level after it. A label counts if three quarters of the runs of each level have one value, so
 * that a label that alternates does not. Commits and sessions that weir found are left out.
 */
#ifndef WEIR_PIPELINE_HISTORY_CHANGES_H
#define WEIR_PIPELINE_HISTORY_CHANGES_H

#include "baselines/baseline.h"
#include "engine/base/jsonout.h"
#include "engine/base/text.h"

/* Returns the commit that a run's labels name, or NULL. */
const char *weir_history_commit(const struct weir_run *run);

/* One label; the texts belong to the runs. */
struct weir_change {
	const char *key;
	const char *from, *to; /* NULL: the runs lack it */
};

struct weir_changes {
	struct weir_change *items; /* owned; by key */
	size_t count;
};

/* Finds the labels that change at the run `at`, which is one of the ascending change points
 * cuts[0..cut_count). Release them with weir_changes_release(). */
void weir_changes_find(struct weir_changes *changes, const struct weir_baseline *baseline,
                       const size_t *cuts, size_t cut_count, size_t at);
void weir_changes_release(struct weir_changes *changes);

/* Appends `prefix` and "driver 550 -> 570, torch (none) -> 2.11"; nothing without changes. */
void weir_changes_text(const struct weir_changes *changes, const char *prefix,
                       struct weir_text *text);
/* Writes a member "changed": {"driver": {"from": "550", "to": "570"}}. */
void weir_changes_json(const struct weir_changes *changes, struct weir_jsonout *json);

#endif
