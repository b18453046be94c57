/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/parts/damage.h"

static const enum weir_warning_code codes[WEIR_JSONSCAN_FAULTS] = {
	[WEIR_JSONSCAN_TRUNCATED] = WEIR_WARN_TRUNCATED,
	[WEIR_JSONSCAN_REPAIRED] = WEIR_WARN_REPAIRED_TEXT,
	[WEIR_JSONSCAN_SKIPPED] = WEIR_WARN_SKIPPED_EVENT,
	[WEIR_JSONSCAN_TOO_DEEP] = WEIR_WARN_TOO_DEEP,
	[WEIR_JSONSCAN_TRAILING] = WEIR_WARN_TRAILING,
};

void weir_damage_of_source(struct weir_input *input, const struct weir_source *source)
{
	const char *damage = weir_source_damage(source);

	if (damage)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, weir_source_position(source), damage);
}

void weir_damage_of_scan(struct weir_input *input, const struct weir_jsonscan *scan,
                         const struct weir_source *source)
{
	const struct weir_jsonscan_fault *faults = weir_jsonscan_faults(scan);

	for (int i = 0; i < WEIR_JSONSCAN_FAULTS; i++) {
		const char *detail =
			i == WEIR_JSONSCAN_TRUNCATED ? weir_source_damage(source) : NULL;

		if (!faults[i].count)
			continue;
		weir_input_warn(input, codes[i], faults[i].first_at, detail);
		input->warnings[codes[i]].count += faults[i].count - 1;
	}
	if (!faults[WEIR_JSONSCAN_TRUNCATED].count)
		weir_damage_of_source(input, source);
}
