/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts and files through a reader, and what must come of it; all fail the test that is running. */
#ifndef WEIR_TESTS_READING_H
#define WEIR_TESTS_READING_H

#include "engine/readers/reader.h"
#include "tests/unit/packed.h"

enum weir_status reading_try(const struct weir_reader *reader, const char *data, size_t len,
                             struct weir_profile *profile, struct weir_error *err);
/* A text that must be read; belongs to the profile. */
const struct weir_input *reading_of(const struct weir_reader *reader, const char *text,
                                    struct weir_profile *profile);
/* A file that must be read, and be claimed by this reader; belongs to the profile. */
const struct weir_input *reading_file(const struct weir_reader *reader, const char *path,
                                      struct weir_profile *profile);
/* A text that must be refused with one line that holds the message. */
void reading_refuses(const struct weir_reader *reader, const char *text, enum weir_status status,
                     const char *message);
/* The bytes are read, or refused with one line. */
void reading_survives(const struct weir_reader *reader, const char *data, size_t len);
/* The text cut at each of its bytes is read, or refused with one line; and so it is with each byte
 * set to each of a few that mean something. */
void reading_survives_damage(const struct weir_reader *reader, const char *text);

/* Name of the reader that claims the text; "none" where there is none, or more than one. */
const char *reading_claims(const char *text);
/* A third party's sample beside the project: its text's reader must be `reader` (NULL: it must be
 * refused with a line that holds the message). Returns the input, which the caller's profile owns;
 * skips the test with a message where the file is not there. */
const struct weir_input *reading_sample(const char *path, const struct weir_reader *reader,
                                        const char *message, struct weir_profile *profile);

/* The first row of a trace with this name. */
size_t reading_host_row(const struct weir_trace *trace, const char *name);
size_t reading_device_row(const struct weir_trace *trace, const char *name);

/* A database that must be read; belongs to the profile. Takes the bytes. */
const struct weir_input *reading_of_bytes(const struct weir_reader *reader, struct bytes bytes,
                                          struct weir_profile *profile);
/* One that must be refused, as reading_refuses(). */
void reading_refuses_bytes(const struct weir_reader *reader, struct bytes bytes,
                           enum weir_status status, const char *message);
/* Cut at every byte, and with every byte changed: read, or refused in one line. */
void reading_survives_damaged_bytes(const struct weir_reader *reader, struct bytes bytes);

/* The samples of a stage, in nanoseconds. */
void reading_expects_stage(const struct weir_run *run, const char *name, size_t count,
                           const double *ns);
/* The one value of a metric. */
void reading_expects_figure(const struct weir_run *run, const char *name, double value, bool higher,
                            const char *unit);
/* The parts of a request: "client_queue=0 decode=5". */
void reading_expects_parts(const struct weir_requests *requests, size_t request, const char *parts);

#endif
