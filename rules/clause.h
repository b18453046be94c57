/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clauses: SQL expressions over one row of features, evaluated by a private in-memory SQLite
 * database.
 *
 * What a rule file says is data from outside, so the database is a closed room: one STRICT table
 * `feature` with one REAL column a feature and one row; an authorizer that allows one SELECT, reads
 * of that table and the functions abs, min, max, coalesce, nullif, round and iif; no quoted names
 * as text, no schema changes, no attaching, no parameters; limits on length, depth and operations;
 * a budget on the work of one evaluation. A clause gives an integer or NULL: zero is false, other
 * integers are true, NULL is unknown (Kleene's logic, as SQL has it).
 *
 * This is the only file of rules/ that knows SQLite. One database serves one thread.
 */
#ifndef WEIR_RULES_CLAUSE_H
#define WEIR_RULES_CLAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"

#define WEIR_CLAUSE_MAX_FEATURES 500 /* columns of the one table */

struct weir_clause_db; /* opaque; owns its clauses */
struct weir_clause;    /* opaque; prepared once, evaluated for every subject */

/* Borrows the feature table, which must outlive the database. WEIR_E_INTERNAL where an id is no
 * column name. */
enum weir_status weir_clause_db_new(const struct weir_feature_table *features,
                                    struct weir_clause_db **out, struct weir_error *err);
void weir_clause_db_free(struct weir_clause_db *db);

/* Makes `values` (one a feature, NAN: not measured) the row that clauses see; they are copied. */
enum weir_status weir_clause_db_set(struct weir_clause_db *db, const double *values,
                                    struct weir_error *err);
/* The same value in every column. */
enum weir_status weir_clause_db_fill(struct weir_clause_db *db, double value,
                                     struct weir_error *err);

/*
 * Checks the text and prepares it. WEIR_E_USAGE with the reason where it is no clause: it reads no
 * feature, more than WEIR_MAX_READINGS or one that a subject of `subjects` lacks, or asks for
 * anything but those. The text is copied. That a clause gives a number that is no integer shows
 * when it is evaluated.
 */
enum weir_status weir_clause_new(struct weir_clause_db *db, const char *text, unsigned subjects,
                                 struct weir_clause **out, struct weir_error *err);

const char *weir_clause_text(const struct weir_clause *clause);
bool weir_clause_reads(const struct weir_clause *clause,
                       size_t row); /* this row of the feature table */

/* Against the present row. WEIR_E_USAGE where the result is neither an integer nor NULL. */
enum weir_status weir_clause_evaluate(struct weir_clause *clause, enum weir_truth *truth,
                                      struct weir_error *err);

/* The clause's text, `truth`, and the features it reads with their values in the present row. */
void weir_clause_explain(const struct weir_clause *clause, enum weir_truth truth,
                         struct weir_evidence *out);

#endif
