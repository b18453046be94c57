/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/format_name.h"
#include "engine/report/writer.h"

const struct weir_writer *const weir_writers[] = {
	&weir_writer_text,       &weir_writer_json,      &weir_writer_markdown,
	&weir_writer_html,       &weir_writer_flame,     &weir_writer_folded,
	&weir_writer_speedscope, &weir_writer_annotated, NULL,
};

#define WRITERS (sizeof(weir_writers) / sizeof(weir_writers[0]) - 1)

_Static_assert(WRITERS <= WEIR_FORMAT_MAX_NAMES, "an unknown name is answered with all of them");

static struct weir_format_name name_at(size_t index)
{
	return (struct weir_format_name){weir_writers[index]->name, weir_writers[index]->suffix};
}

static const struct weir_format_names names = {WRITERS, name_at};

enum weir_status weir_writer_find(const char *name, const struct weir_writer **out,
                                  struct weir_error *err)
{
	size_t index;
	enum weir_status status = weir_format_by_name(&names, name, &index, err);

	if (!status)
		*out = weir_writers[index];
	return status;
}

enum weir_status weir_writer_for_path(const char *path, const struct weir_writer **out,
                                      struct weir_error *err)
{
	size_t index;
	enum weir_status status = weir_format_by_path(&names, path, &index, err);

	if (!status)
		*out = weir_writers[index];
	return status;
}
