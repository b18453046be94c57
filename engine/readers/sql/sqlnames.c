/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/sql/sqlnames.h"

enum weir_status weir_sqlnames_open(struct weir_sqlnames *names, struct weir_sqldb *db,
                                    const char *table, const char *id, const char *text,
                                    struct weir_error *err)
{
	*names = (struct weir_sqlnames){0};
	return weir_sqltexts_open(db, table, id, text, &names->texts, err);
}

void weir_sqlnames_close(struct weir_sqlnames *names)
{
	weir_sqltexts_close(names->texts);
	weir_rowmap_release(&names->by_id);
	free(names->items);
	*names = (struct weir_sqlnames){0};
}

static const struct weir_sqlname *find(const struct weir_sqlnames *names, int64_t id)
{
	uint32_t at;
	size_t probe = 0;

	while ((at = weir_rowmap_next(&names->by_id, weir_rowmap_hash((uint64_t)id), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (names->items[at].id == id)
			return &names->items[at];
	return NULL;
}

enum weir_status weir_sqlnames_find(struct weir_sqlnames *names, int64_t id,
                                    struct weir_builder *builder, uint32_t *name,
                                    struct weir_error *err)
{
	const struct weir_sqlname *met = find(names, id);
	struct weir_slice text = {"", 0};
	enum weir_status status;

	if (met) {
		*name = met->name;
		return WEIR_OK;
	}
	status = names->texts ? weir_sqltexts_find(names->texts, id, &text, err) : WEIR_OK;
	*name = weir_builder_name(builder, status ? (struct weir_slice){"", 0} : text);
	if (status)
		return status;
	names->items =
		weir_grow(names->items, &names->capacity, names->count + 1, sizeof(*names->items));
	names->items[names->count] = (struct weir_sqlname){id, *name};
	weir_rowmap_add(&names->by_id, weir_rowmap_hash((uint64_t)id), (uint32_t)names->count++);
	return WEIR_OK;
}
