/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/query/meanings.h"
#include "engine/query/tables.h"
#include "engine/report/json/stored.h"

/* The place that the members of a schema go to. */
struct place {
	struct weir_query_tables *tables;
	struct weir_query_table *table;
	const struct weir_query_table *owner; /* nearest table that is a list; NULL: none */
	const char *prefix;                   /* of names of columns: "", "launch_ns_" */
	struct weir_query_path path;          /* from the row of `owner` to the members */
	struct weir_query_path in_row;        /* from the row of `table` to the members */
	bool is_document;                     /* the members of the whole document */
};

static void add_members(const struct place *place, const struct weir_schema *schema);

/* Words of SQL that are also keys of the documents: they are quoted in a query. */
static bool is_reserved(const char *name)
{
	static const char *const words[] = {"in", "index", "limit", NULL};

	for (size_t i = 0; words[i]; i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return false;
}

static void add_column(struct weir_query_tables *tables, struct weir_query_table *table,
                       const char *name, enum weir_query_type type,
                       const struct weir_query_path *path)
{
	struct weir_query_column *column;
	const struct weir_query_meaning *meaning = weir_query_meaning_of(table->name, name);

	table->columns = weir_grow(table->columns, &table->column_room, table->column_count + 1,
	                           sizeof *table->columns);
	column = &table->columns[table->column_count++];
	memset(column, 0, sizeof *column);
	column->name = is_reserved(name) ? weir_arena_format(tables->arena, "\"%s\"", name)
	                                 : weir_arena_copy(tables->arena, name, strlen(name));
	column->type = type;
	column->unit = meaning ? meaning->unit : "";
	column->meaning = meaning ? meaning->text : "";
	if (path)
		column->path = *path;
}

static struct weir_query_table *add_table(const struct place *place, const char *key,
                                          enum weir_query_shape shape,
                                          const struct weir_query_path *path)
{
	struct weir_query_tables *tables = place->tables;
	struct weir_query_table *table = weir_alloc(sizeof *table);

	tables->items =
		weir_grow(tables->items, &tables->room, tables->count + 1, sizeof *tables->items);
	tables->items[tables->count++] = table;
	table->name = place->is_document
	                      ? weir_arena_copy(tables->arena, key, strlen(key))
	                      : weir_arena_format(tables->arena, "%s_%s%s", place->table->name,
	                                          place->prefix, key);
	table->shape = shape;
	table->parent = place->owner;
	if (path)
		table->path = *path;
	add_column(tables, table, "row_id", WEIR_QUERY_INTEGER, NULL);
	if (table->parent)
		add_column(tables, table, "parent_id", WEIR_QUERY_INTEGER, NULL);
	table->own = table->column_count;
	return table;
}

/* Appends a key, or the number of an entry if key is NULL. */
static struct weir_query_path extended(const struct weir_query_path *path, const char *key,
                                       size_t index)
{
	struct weir_query_path longer = *path;

	assert(longer.count < WEIR_QUERY_MAX_DEPTH);
	longer.steps[longer.count].key = key;
	longer.steps[longer.count++].index = index;
	return longer;
}

/* Returns the type of the values of a kind; false for kinds that hold others. */
static bool type_of(enum weir_member_kind kind, enum weir_query_type *type)
{
	switch (kind) {
	case WEIR_MEMBER_TEXT:
	case WEIR_MEMBER_ENUM:
	case WEIR_MEMBER_LITERAL:
		*type = WEIR_QUERY_TEXT;
		return true;
	case WEIR_MEMBER_BOOL:
	case WEIR_MEMBER_INTEGER:
	case WEIR_MEMBER_WHOLE:
	case WEIR_MEMBER_OPEN:
		*type = WEIR_QUERY_INTEGER;
		return true;
	case WEIR_MEMBER_SHARE:
	case WEIR_MEMBER_EXACT:
		*type = WEIR_QUERY_REAL;
		return true;
	case WEIR_MEMBER_NAMED:
	case WEIR_MEMBER_OBJECT:
	case WEIR_MEMBER_POINTER:
	case WEIR_MEMBER_LIST:
	case WEIR_MEMBER_MAP:
	case WEIR_MEMBER_SPECIAL:
		break;
	}
	return false;
}

static void add_map(const struct place *place, const char *key, const struct weir_query_path *path,
                    const struct weir_member *value)
{
	struct weir_query_table *table = add_table(place, key, WEIR_QUERY_MAP, path);
	enum weir_query_type type = WEIR_QUERY_TEXT;
	bool plain = type_of(value->kind, &type);

	assert(plain);
	(void)plain;
	add_column(place->tables, table, "name", WEIR_QUERY_TEXT, NULL);
	add_column(place->tables, table, "value", type, NULL);
}

static void add_list(const struct place *place, const char *key, const struct weir_query_path *path,
                     const struct weir_schema *schema)
{
	struct place inside = {.tables = place->tables, .prefix = ""};

	inside.table = add_table(place, key, WEIR_QUERY_LIST, path);
	inside.owner = inside.table;
	add_members(&inside, schema);
}

/* Adds the members of an object inside the document or inside a row. */
static void add_object(const struct place *place, const char *key, size_t index,
                       const struct weir_schema *schema)
{
	struct place inside = *place;

	inside.path = extended(&place->path, key, index);
	inside.is_document = false;
	if (place->is_document) {
		inside.table = add_table(place, key, WEIR_QUERY_OBJECT, &inside.path);
	} else {
		inside.in_row = extended(&place->in_row, key, index);
		inside.prefix =
			weir_arena_format(place->tables->arena, "%s%s_", place->prefix, key);
	}
	add_members(&inside, schema);
}

/* Returns the name of member `index`; an entry of a tuple without a label has its number. */
static const char *name_of(const struct place *place, const struct weir_member *member,
                           size_t index)
{
	if (member->key)
		return member->key;
	return member->label ? member->label
	                     : weir_arena_format(place->tables->arena, "value_%zu", index + 1);
}

/* Adds member `index`; `form` is its description, which differs for a special member. */
static void add_member(const struct place *place, const struct weir_member *member, size_t index,
                       const struct weir_member *form)
{
	const char *name = name_of(place, member, index);
	struct weir_query_path path = extended(&place->path, member->key, index);
	struct weir_query_path in_row = extended(&place->in_row, member->key, index);
	enum weir_query_type type;

	if (type_of(form->kind, &type)) {
		const char *joined =
			weir_arena_format(place->tables->arena, "%s%s", place->prefix, name);

		add_column(place->tables, place->table, joined, type, &in_row);
	} else if (form->kind == WEIR_MEMBER_OBJECT || form->kind == WEIR_MEMBER_POINTER) {
		add_object(place, name, index, form->schema);
	} else if (form->kind == WEIR_MEMBER_LIST) {
		add_list(place, name, &path, form->schema);
	} else if (form->kind == WEIR_MEMBER_MAP) {
		add_map(place, name, &path, form->schema->members);
	} else {
		assert(form->kind == WEIR_MEMBER_NAMED);
		add_map(place, name, &path, form->element);
	}
}

/* A row of a bare schema is the value itself: the path to it is empty. */
static void add_bare(const struct place *place, const struct weir_member *member)
{
	enum weir_query_type type = WEIR_QUERY_TEXT;
	bool plain = type_of(member->kind, &type);

	assert(plain);
	(void)plain;
	add_column(place->tables, place->table, "value", type, &place->in_row);
}

static void add_members(const struct place *place, const struct weir_schema *schema)
{
	if (schema->form == WEIR_FORM_BARE) {
		add_bare(place, schema->members);
		return;
	}
	for (size_t i = 0; i < schema->count; i++) {
		const struct weir_member *member = &schema->members[i];
		bool special = member->kind == WEIR_MEMBER_SPECIAL;

		add_member(place, member, i, special ? member->element : member);
	}
}

struct weir_query_tables *weir_query_tables_new(enum weir_result_kind kind)
{
	struct weir_query_tables *tables = weir_alloc(sizeof *tables);
	struct place place = {.tables = tables, .prefix = "", .is_document = true};
	bool gate = kind == WEIR_RESULT_GATE;

	tables->arena = weir_arena_new();
	place.table = add_table(&place, gate ? "gate" : "report", WEIR_QUERY_OBJECT, NULL);
	add_members(&place, gate ? &weir_gate_schema : &weir_report_schema);
	return tables;
}

void weir_query_tables_free(struct weir_query_tables *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < tables->count; i++) {
		free(tables->items[i]->columns);
		free(tables->items[i]);
	}
	free(tables->items);
	weir_arena_free(tables->arena);
	free(tables);
}

const struct weir_query_table *weir_query_table_find(const struct weir_query_tables *tables,
                                                     const char *name)
{
	for (size_t i = 0; i < tables->count; i++)
		if (strcmp(tables->items[i]->name, name) == 0)
			return tables->items[i];
	return NULL;
}

const char *weir_query_type_name(enum weir_query_type type)
{
	switch (type) {
	case WEIR_QUERY_TEXT:
		return "text";
	case WEIR_QUERY_INTEGER:
		return "integer";
	case WEIR_QUERY_REAL:
		return "real";
	}
	return "?";
}
