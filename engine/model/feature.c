/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/feature.h"

WEIR_ENUM_TEXTS(weir_subject_kind, [WEIR_SUBJECT_PROFILE] = "profile",
                [WEIR_SUBJECT_STAGE] = "stage", [WEIR_SUBJECT_OPERATOR] = "operator",
                [WEIR_SUBJECT_REQUESTS] = "requests", [WEIR_SUBJECT_SERVER] = "server")
WEIR_ENUM_TEXTS(
	weir_truth, [WEIR_FALSE] = "false", [WEIR_TRUE] = "true", [WEIR_UNKNOWN] = "unknown")
WEIR_ENUM_TEXTS(weir_unit, [WEIR_UNIT_SHARE] = "share", [WEIR_UNIT_RATIO] = "ratio",
                [WEIR_UNIT_NS] = "ns", [WEIR_UNIT_COUNT] = "count", [WEIR_UNIT_BYTES] = "bytes",
                [WEIR_UNIT_FLOPS] = "flops", [WEIR_UNIT_FLAG] = "flag")

size_t weir_feature_find(const struct weir_feature_table *features, const char *id, size_t len)
{
	for (size_t i = 0; i < features->count; i++) {
		const char *known = features->items[i].id;
		if (strncmp(known, id, len) == 0 && known[len] == '\0')
			return i;
	}
	return WEIR_NO_FEATURE;
}

enum weir_status weir_feature_unknown(const struct weir_feature_table *features, const char *id,
                                      struct weir_error *err)
{
	const char **ids = weir_alloc((features->count + 1) * sizeof(*ids));

	for (size_t i = 0; i < features->count; i++)
		ids[i] = features->items[i].id;
	const char *nearest = weir_text_nearest(id, ids);
	free(ids);
	if (nearest)
		return weir_fail(err, WEIR_E_USAGE, "no feature \"%s\"; the nearest is \"%s\"", id,
		                 nearest);
	return weir_fail(err, WEIR_E_USAGE, "no feature \"%s\"", id);
}

enum weir_status weir_feature_require(const struct weir_feature_table *features, const char *id,
                                      unsigned subjects, size_t *row, struct weir_error *err)
{
	size_t found = weir_feature_find(features, id, strlen(id));

	if (found == WEIR_NO_FEATURE)
		return weir_feature_unknown(features, id, err);
	unsigned lacking = subjects & ~features->items[found].subjects;
	for (unsigned kind = 0; kind < WEIR_SUBJECT_KINDS; kind++) {
		if (lacking & (1u << kind))
			return weir_fail(err, WEIR_E_USAGE, "feature \"%s\" is not measured per %s",
			                 id, weir_subject_kind_name((enum weir_subject_kind)kind));
	}
	*row = found;
	return WEIR_OK;
}
