/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/parts/wholejson.h"

enum weir_status weir_wholejson_check(const struct weir_jsonscan *scan,
                                      const struct weir_source *source, struct weir_error *err)
{
	const struct weir_jsonscan_fault *faults = weir_jsonscan_faults(scan);

	if (weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	if (faults[WEIR_JSONSCAN_TRUNCATED].count)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the report ends in the middle: copy it again, or have it written "
		                 "again");
	if (faults[WEIR_JSONSCAN_TRAILING].count)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "more data follows the first report, but one input is one run: "
		                 "keep one report in each file");
	if (faults[WEIR_JSONSCAN_SKIPPED].count || faults[WEIR_JSONSCAN_TOO_DEEP].count ||
	    faults[WEIR_JSONSCAN_REPAIRED].count)
		return weir_fail(
			err, WEIR_E_FORMAT,
			"not valid JSON, or a part of it is larger than %u MiB: copy it again, or "
			"have it written again",
			WEIR_JSONSCAN_MAX_VALUE >> 20);
	return WEIR_OK;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	const struct weir_wholejson *document = context;

	if (weir_jsonscan_is_bare(scan))
		return weir_fail(err, WEIR_E_FORMAT, "a list, expected %s", document->expected);
	return document->member(document->context, item, err);
}

enum weir_status weir_wholejson_read(const struct weir_wholejson *document,
                                     struct weir_source *source, struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {0};
	struct weir_wholejson copy = *document; /* because a context is not const */
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status = weir_jsonscan_each(scan, take_item, &copy, err);

	if (!status)
		status = weir_wholejson_check(scan, source, err);
	weir_jsonscan_free(scan);
	return status;
}
