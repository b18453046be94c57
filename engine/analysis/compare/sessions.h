/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the sessions of the runs of a comparison by their label `session`, and reduces runs to
 * means of sessions. engine/stats/sessions.h has the designs. Runs without the label have no
 * session: the comparison is then as if each run stood for itself.
 */
#ifndef WEIR_ANALYSIS_COMPARE_SESSIONS_H
#define WEIR_ANALYSIS_COMPARE_SESSIONS_H

#include "engine/analysis/compare/compared.h"

/* Sets comparing->sessions and result->sessions. Release them with weir_comparing_release(). */
void weir_comparing_find_sessions(struct weir_comparing *comparing);

/*
 * Replaces the values of runs by means of sessions in all sets, and the numbers of columns. Keeps
 * the cells of the test by runs in the members `by_run` of the sets. Only for the design `nested`.
 */
void weir_comparing_reduce_sessions(struct weir_comparing *comparing);

/* Keeps copies of the decided cells in the members `by_run`. */
void weir_comparing_keep_by_run(struct weir_comparing *comparing);

#endif
