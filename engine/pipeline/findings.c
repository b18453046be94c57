/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/pipeline/findings.h"
#include "engine/report/gate/gate_findings.h"

/* True if the fix was found for a row of the finding. */
static bool undoes(const struct weir_gate_result *result, const struct weir_undo *undo,
                   const struct weir_gate_finding *finding)
{
	for (size_t i = 0; undo->scope && i < finding->row_count; i++)
		if (strcmp(result->rows[finding->rows[i]].scope, undo->scope) == 0)
			return true;
	return false;
}

void weir_word_findings(struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->finding_count; i++) {
		struct weir_gate_finding *finding = &result->findings[i];
		struct weir_text text = {0};

		weir_gate_phrase_finding(result, finding, &text);
		finding->sentence = weir_arena_copy(result->arena, text.data, text.length);
		weir_text_release(&text);
		for (size_t j = 0; j < result->undo_count && !finding->fix; j++)
			if (undoes(result, &result->undos[j], finding))
				finding->fix = result->undos[j].fix;
	}
}
