/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was damaged in a stream of JSON, as warnings of the input. */
#ifndef WEIR_READERS_PARTS_DAMAGE_H
#define WEIR_READERS_PARTS_DAMAGE_H

#include "engine/base/jsonscan.h"
#include "engine/model/profile.h"

/* What the scanner left out or repaired, and where the compressed stream broke off; once, at the
 * end. */
void weir_damage_of_scan(struct weir_input *input, const struct weir_jsonscan *scan,
                         const struct weir_source *source);
/* Where only the compressed stream broke off. */
void weir_damage_of_source(struct weir_input *input, const struct weir_source *source);

#endif
