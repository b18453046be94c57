/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds texts and files to a reader, and checks the result. All functions fail the running test. */
#ifndef WEIR_TESTS_UNIT_READING_H
#define WEIR_TESTS_UNIT_READING_H

#include "engine/readers/reader.h"
#include "tests/unit/packed.h"

enum weir_status reading_try(const struct weir_reader *reader, const char *data, size_t len,
                             struct weir_profile *profile, struct weir_error *err);
/* Reads a text, which must succeed. The profile frees the input. */
const struct weir_input *reading_of(const struct weir_reader *reader, const char *text,
                                    struct weir_profile *profile);
/* Reads a file, which this reader must claim. The profile frees the input. */
const struct weir_input *reading_file(const struct weir_reader *reader, const char *path,
                                      struct weir_profile *profile);
/* Expects that a text is refused with one line that contains the message. */
void reading_refuses(const struct weir_reader *reader, const char *text, enum weir_status status,
                     const char *message);
/* Expects that the bytes are read, or refused with one line. */
void reading_survives(const struct weir_reader *reader, const char *data, size_t len);
/* Expects that the text is read, or refused with one line, if it is cut at any byte or has a byte
 * replaced by one of a few special ones. */
void reading_survives_damage(const struct weir_reader *reader, const char *text);

/* Returns the name of the reader that claims the text; "none" unless exactly one does. */
const char *reading_claims(const char *text);
/* Reads a file of the shelf by content: `reader` must claim and read it, or, if reader is NULL, it
 * must be refused with a line that contains the message. The profile frees the input. Skips the
 * test if the shelf lacks the file. */
const struct weir_input *reading_sample(const char *path, const struct weir_reader *reader,
                                        const char *message, struct weir_profile *profile);

/* Returns the first row of a trace with this name. */
size_t reading_host_row(const struct weir_trace *trace, const char *name);
size_t reading_device_row(const struct weir_trace *trace, const char *name);

/* Reads a database, which must succeed, and frees the bytes. The profile frees the input. */
const struct weir_input *reading_of_bytes(const struct weir_reader *reader, struct bytes bytes,
                                          struct weir_profile *profile);
/* The same as reading_refuses() for a database; frees the bytes. */
void reading_refuses_bytes(const struct weir_reader *reader, struct bytes bytes,
                           enum weir_status status, const char *message);
/* Expects that the database is read, or refused in one line, if it is cut at any byte or has any
 * byte changed; of long runs of zeros, which are free space, every eighth byte. Frees the bytes. */
void reading_survives_damaged_bytes(const struct weir_reader *reader, struct bytes bytes);

/* Expects the samples of a stage, in nanoseconds. */
void reading_expects_stage(const struct weir_run *run, const char *name, size_t count,
                           const double *ns);
/* Expects the only value of a metric. */
void reading_expects_figure(const struct weir_run *run, const char *name, double value, bool higher,
                            const char *unit);
/* Expects a label of the run; NULL: that it has none of this key. */
void reading_expects_label(const struct weir_run *run, const char *key, const char *value);
/* Expects the parts of a request: "client_queue=0 decode=5". */
void reading_expects_parts(const struct weir_requests *requests, size_t request, const char *parts);

#endif
