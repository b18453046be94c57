/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports damage of a stream as warnings of the input. Call one of these once, at the end. */
#ifndef WEIR_READERS_PARTS_DAMAGE_H
#define WEIR_READERS_PARTS_DAMAGE_H

#include "engine/base/jsonscan.h"
#include "engine/model/profile.h"

/* Reports what the scanner left out or repaired, and a compressed stream that ended early. */
void weir_damage_of_scan(struct weir_input *input, const struct weir_jsonscan *scan,
                         const struct weir_source *source);
/* Reports a compressed stream that ended early, for readers without a scanner. */
void weir_damage_of_source(struct weir_input *input, const struct weir_source *source);

#endif
