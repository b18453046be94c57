/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies to the device of values in more bits than the step needs. */
#ifndef WEIR_ANALYSIS_ADVICE_UPLOADS_H
#define WEIR_ANALYSIS_ADVICE_UPLOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/advice/draft.h"

/* Copies the tensor of a job in the type that the device casts it to, or a picture in bytes;
 * returns false if the step needs its bits, and changes nothing. */
bool weir_upload_narrow(struct weir_draft *draft, uint32_t job);

/* Copies only the rows by which a window of the host's memory moves on from step to step, such as
 * the history of a series: the others were copied before. Returns false, and changes nothing, if no
 * slices of the same tensor in other steps show such a window. */
bool weir_upload_new_rows(struct weir_draft *draft, uint32_t job);

#endif
