/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/json/document.h"

/* ---- members of structs: they have different types, and are copied as bytes ---- */

#define DEFINE_GET(name, type)                                                                     \
	static type name(const void *object, size_t offset)                                        \
	{                                                                                          \
		type value;                                                                        \
                                                                                                   \
		memcpy(&value, (const char *)object + offset, sizeof value);                       \
		return value;                                                                      \
	}

DEFINE_GET(double_at, double)
DEFINE_GET(pointer_at, const void *)
DEFINE_GET(size_at, size_t)
DEFINE_GET(bool_at, bool)
DEFINE_GET(unsigned_at, unsigned)

static void set(void *object, size_t offset, const void *value, size_t size)
{
	memcpy((char *)object + offset, value, size);
}

/* Returns an integer of 8 or 4 bytes; one of 4 bytes is signed if the member can be negative. */
static int64_t integer_at(const void *object, const struct weir_member *member)
{
	unsigned narrow;

	if (member->size == sizeof(int64_t))
		return (int64_t)size_at(object, member->offset);
	narrow = unsigned_at(object, member->offset);
	return member->least < 0 ? (int32_t)narrow : (int64_t)narrow;
}

static void set_integer(void *object, const struct weir_member *member, int64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (member->size == sizeof value)
		set(object, member->offset, &value, sizeof value);
	else
		set(object, member->offset, &narrow, sizeof narrow);
}

static const char *rows_at(const void *object, const struct weir_member *member)
{
	return member->inside ? (const char *)object + member->offset
	                      : pointer_at(object, member->offset);
}

/* Returns the member that describes one element of an array. */
static struct weir_member element_of(const struct weir_member *member, size_t index)
{
	struct weir_member element = *member->element;

	element.key = member->texts->texts[index];
	element.offset = member->offset + index * element.size;
	return element;
}

/* ---- writing ---- */

static bool is_present(const struct weir_member *member, const void *object)
{
	switch (member->present) {
	case WEIR_ALWAYS:
		return true;
	case WEIR_IF_FLAG:
		return bool_at(object, member->when);
	case WEIR_IF_COUNT:
		return size_at(object, member->when) > 0;
	case WEIR_IF_POINTER:
		return pointer_at(object, member->when) != NULL;
	case WEIR_IF_KNOWN:
		return !isnan(double_at(object, member->when));
	case WEIR_IF_POSITIVE:
		return double_at(object, member->when) > 0;
	}
	return true;
}

static void put_member(struct weir_document_writer *out, const struct weir_member *member,
                       const void *object);

static void put_object(struct weir_document_writer *out, const char *key,
                       const struct weir_schema *schema, const void *object)
{
	if (schema->form == WEIR_FORM_BLOCK)
		weir_jsonout_begin_object(out->json, key);
	else if (schema->form == WEIR_FORM_LINE)
		weir_jsonout_begin_object_inline(out->json, key);
	else if (schema->form == WEIR_FORM_TUPLE)
		weir_jsonout_begin_array_inline(out->json, key);
	weir_document_put(out, schema, object);
	if (schema->form != WEIR_FORM_BARE)
		weir_jsonout_end(out->json);
}

static void put_list(struct weir_document_writer *out, const struct weir_member *member,
                     const void *object)
{
	const char *rows = rows_at(object, member);
	size_t count = size_at(object, member->count), outer = out->row;

	if (member->on_line)
		weir_jsonout_begin_array_inline(out->json, member->key);
	else
		weir_jsonout_begin_array(out->json, member->key);
	for (out->row = 0; out->row < count; out->row++)
		put_object(out, NULL, member->schema, rows + out->row * member->size);
	out->row = outer;
	weir_jsonout_end(out->json);
}

static void put_map(struct weir_document_writer *out, const struct weir_member *member,
                    const void *object)
{
	const char *rows = rows_at(object, member);
	size_t count = size_at(object, member->count);

	weir_jsonout_begin_object(out->json, member->key);
	for (size_t i = 0; i < count; i++) {
		const char *row = rows + i * member->size;
		struct weir_member value = *member->schema->members;

		value.key = pointer_at(row, 0);
		put_member(out, &value, row);
	}
	weir_jsonout_end(out->json);
}

static void put_named(struct weir_document_writer *out, const struct weir_member *member,
                      const void *object)
{
	if (member->on_line)
		weir_jsonout_begin_object_inline(out->json, member->key);
	else
		weir_jsonout_begin_object(out->json, member->key);
	for (size_t i = 0; i < member->texts->count; i++) {
		struct weir_member element = element_of(member, i);

		put_member(out, &element, object);
	}
	weir_jsonout_end(out->json);
}

static void put_integer(struct weir_document_writer *out, const struct weir_member *member,
                        const void *object)
{
	int64_t value = integer_at(object, member);

	if (member->nullable && value == member->none)
		weir_jsonout_null(out->json, member->key);
	else
		weir_jsonout_int(out->json, member->key, value);
}

static void put_enum(struct weir_document_writer *out, const struct weir_member *member,
                     const void *object)
{
	unsigned value = unsigned_at(object, member->offset);
	bool none = member->nullable && (int64_t)value == member->none;

	weir_jsonout_text(out->json, member->key,
	                  none ? NULL : weir_enum_name(member->texts, value));
}

static void put_value(struct weir_document_writer *out, const struct weir_member *member,
                      const void *object)
{
	const char *key = member->key;
	size_t at = member->offset;

	switch (member->kind) {
	case WEIR_MEMBER_TEXT:
		weir_jsonout_text(out->json, key, pointer_at(object, at));
		break;
	case WEIR_MEMBER_BOOL:
		weir_jsonout_bool(out->json, key, bool_at(object, at));
		break;
	case WEIR_MEMBER_INTEGER:
		put_integer(out, member, object);
		break;
	case WEIR_MEMBER_SHARE:
		weir_jsonout_share(out->json, key, double_at(object, at));
		break;
	case WEIR_MEMBER_WHOLE:
	case WEIR_MEMBER_OPEN:
		weir_jsonout_rounded(out->json, key, double_at(object, at));
		break;
	case WEIR_MEMBER_EXACT:
		weir_jsonout_double(out->json, key, double_at(object, at));
		break;
	case WEIR_MEMBER_ENUM:
		put_enum(out, member, object);
		break;
	case WEIR_MEMBER_NAMED:
		put_named(out, member, object);
		break;
	case WEIR_MEMBER_OBJECT:
		put_object(out, key, member->schema, (const char *)object + at);
		break;
	case WEIR_MEMBER_POINTER:
		put_object(out, key, member->schema, pointer_at(object, at));
		break;
	case WEIR_MEMBER_LIST:
		put_list(out, member, object);
		break;
	case WEIR_MEMBER_MAP:
		put_map(out, member, object);
		break;
	case WEIR_MEMBER_LITERAL:
		weir_jsonout_text(out->json, key, member->literal);
		break;
	case WEIR_MEMBER_SPECIAL:
		break; /* has a `put` function */
	}
}

static void put_member(struct weir_document_writer *out, const struct weir_member *member,
                       const void *object)
{
	if (!is_present(member, object)) {
		if (!member->omit)
			weir_jsonout_null(out->json, member->key);
	} else if (member->put) {
		member->put(out, member, object);
	} else {
		put_value(out, member, object);
	}
}

void weir_document_put(struct weir_document_writer *out, const struct weir_schema *schema,
                       const void *object)
{
	for (size_t i = 0; i < schema->count; i++)
		put_member(out, &schema->members[i], object);
}

void weir_document_write(const struct weir_schema *schema, const void *root, struct weir_text *out)
{
	struct weir_jsonout json;
	struct weir_document_writer writer = {.json = &json, .root = root};

	weir_jsonout_init(&json, out, true);
	put_object(&writer, NULL, schema, root);
	weir_text_puts(out, "\n");
}

/* ---- reading ---- */

static enum weir_status take_member(struct weir_document_reader *in,
                                    const struct weir_member *member, const cJSON *item,
                                    void *object);

static enum weir_status expected(struct weir_document_reader *in, const char *what)
{
	return weir_fail(in->err, WEIR_E_FORMAT, "expected %s", what);
}

static enum weir_status take_text(struct weir_document_reader *in, const struct weir_member *member,
                                  const cJSON *item, void *object)
{
	const char *text = NULL;

	if (item) {
		if (!cJSON_IsString(item))
			return expected(in, "a text or null");
		if (strlen(item->valuestring) > WEIR_DOCUMENT_MAX_TEXT)
			return weir_fail(in->err, WEIR_E_LIMIT, "expected at most 65,536 bytes");
		text = weir_arena_copy(in->arena, item->valuestring, strlen(item->valuestring));
	}
	set(object, member->offset, &text, sizeof text);
	return WEIR_OK;
}

static enum weir_status take_bool(struct weir_document_reader *in, const struct weir_member *member,
                                  const cJSON *item, void *object)
{
	bool value = item ? cJSON_IsTrue(item) : member->fallback;

	set(object, member->offset, &value, sizeof value);
	return !item || cJSON_IsBool(item) ? WEIR_OK : expected(in, "true or false");
}

static enum weir_status take_integer(struct weir_document_reader *in,
                                     const struct weir_member *member, const cJSON *item,
                                     void *object)
{
	double value = (double)member->none;

	if (item) {
		value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
		if (!(value >= (double)member->least) || value != floor(value))
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "expected a whole number from %lld on",
			                 (long long)member->least);
		if (value > (double)member->most)
			return weir_fail(in->err, WEIR_E_LIMIT,
			                 "expected a whole number up to %lld",
			                 (long long)member->most);
	}
	set_integer(object, member, (int64_t)value);
	return WEIR_OK;
}

static enum weir_status take_figure(struct weir_document_reader *in,
                                    const struct weir_member *member, const cJSON *item,
                                    void *object)
{
	double value = member->kind == WEIR_MEMBER_OPEN ? INFINITY : NAN;

	if (item) {
		value = item->valuedouble;
		if (!cJSON_IsNumber(item) || !isfinite(value))
			return expected(in, "a number or null");
		if (fabs(value) > in->max_figure)
			return weir_fail(in->err, WEIR_E_LIMIT, "expected a number of at most %g",
			                 in->max_figure);
	}
	set(object, member->offset, &value, sizeof value);
	return WEIR_OK;
}

static enum weir_status fail_enum(struct weir_document_reader *in, const struct weir_enum *texts)
{
	struct weir_text known = {0};
	enum weir_status status;

	for (size_t i = 0; i < texts->count; i++)
		if (texts->texts[i])
			weir_text_printf(&known, "%s%s", known.length ? ", " : "", texts->texts[i]);
	status = weir_fail(in->err, WEIR_E_FORMAT, "expected one of: %s", known.data);
	weir_text_release(&known);
	return status;
}

static enum weir_status take_enum(struct weir_document_reader *in, const struct weir_member *member,
                                  const cJSON *item, void *object)
{
	unsigned value = (unsigned)member->none;
	const char *text = cJSON_GetStringValue(item);

	if (item && (!text || !weir_enum_parse(member->texts, text, strlen(text), &value)))
		return fail_enum(in, member->texts);
	set(object, member->offset, &value, sizeof value);
	return WEIR_OK;
}

static enum weir_status take_named(struct weir_document_reader *in,
                                   const struct weir_member *member, const cJSON *item,
                                   void *object)
{
	enum weir_status status = WEIR_OK;

	if (item && !cJSON_IsObject(item))
		return expected(in, "an object");
	for (size_t i = 0; i < member->texts->count && !status; i++) {
		struct weir_member element = element_of(member, i);

		status = take_member(in, &element,
		                     cJSON_GetObjectItemCaseSensitive(item, element.key), object);
	}
	return status;
}

static enum weir_status check_entries(struct weir_document_reader *in, const cJSON *item,
                                      enum weir_member_kind kind, size_t limit, size_t *count)
{
	*count = 0;
	if (!item)
		return WEIR_OK;
	if (kind == WEIR_MEMBER_MAP && !cJSON_IsObject(item))
		return expected(in, "an object");
	if (kind == WEIR_MEMBER_LIST && !cJSON_IsArray(item))
		return expected(in, "a list");
	*count = (size_t)cJSON_GetArraySize(item);
	return *count <= limit ? WEIR_OK
	                       : weir_fail(in->err, WEIR_E_LIMIT, "%zu entries, at most %zu",
	                                   *count, limit);
}

/* Makes room for the rows of a list or map, and zeroes it. A missing list is NULL. */
static enum weir_status make_rows(struct weir_document_reader *in, const struct weir_member *member,
                                  const cJSON *item, void *object, char **out)
{
	size_t count;
	enum weir_status status = check_entries(in, item, member->kind, member->limit, &count);

	if (status)
		return status;
	if (member->inside) {
		*out = (char *)object + member->offset;
	} else {
		*out = item ? weir_arena_alloc(in->arena, (count + 1) * member->size) : NULL;
		set(object, member->offset, out, sizeof *out);
	}
	set(object, member->count, &count, sizeof count);
	return WEIR_OK;
}

static enum weir_status take_list(struct weir_document_reader *in, const struct weir_member *member,
                                  const cJSON *item, void *object)
{
	const cJSON *entry;
	char *rows;
	size_t i = 0;
	enum weir_status status = make_rows(in, member, item, object, &rows);

	if (status)
		return weir_fail_in(in->err, "%s", member->key);
	cJSON_ArrayForEach (entry, item) {
		if (weir_document_take(in, member->schema, entry, rows + i * member->size))
			return weir_fail_in(in->err, "%s[%zu]", member->key, i);
		i++;
	}
	return WEIR_OK;
}

static enum weir_status take_map(struct weir_document_reader *in, const struct weir_member *member,
                                 const cJSON *item, void *object)
{
	const cJSON *entry;
	char *row;
	enum weir_status status = make_rows(in, member, item, object, &row);

	if (status)
		return status;
	cJSON_ArrayForEach (entry, item) {
		size_t length = strlen(entry->string);
		const char *key;

		if (length > WEIR_DOCUMENT_MAX_TEXT)
			return weir_fail(in->err, WEIR_E_LIMIT, "expected shorter keys");
		key = weir_arena_copy(in->arena, entry->string, length);
		set(row, 0, &key, sizeof key);
		status = take_member(in, member->schema->members, entry, row);
		if (status)
			return weir_fail_in(in->err, "%.80s", key);
		row += member->size;
	}
	return WEIR_OK;
}

static enum weir_status take_pointer(struct weir_document_reader *in,
                                     const struct weir_member *member, const cJSON *item,
                                     void *object)
{
	void *target = item ? weir_arena_alloc(in->arena, member->size) : NULL;

	set(object, member->offset, &target, sizeof target);
	return item ? weir_document_take(in, member->schema, item, target) : WEIR_OK;
}

static enum weir_status take_value(struct weir_document_reader *in,
                                   const struct weir_member *member, const cJSON *item,
                                   void *object)
{
	switch (member->kind) {
	case WEIR_MEMBER_TEXT:
		return take_text(in, member, item, object);
	case WEIR_MEMBER_BOOL:
		return take_bool(in, member, item, object);
	case WEIR_MEMBER_INTEGER:
		return take_integer(in, member, item, object);
	case WEIR_MEMBER_SHARE:
	case WEIR_MEMBER_WHOLE:
	case WEIR_MEMBER_EXACT:
	case WEIR_MEMBER_OPEN:
		return take_figure(in, member, item, object);
	case WEIR_MEMBER_ENUM:
		return take_enum(in, member, item, object);
	case WEIR_MEMBER_NAMED:
		return take_named(in, member, item, object);
	case WEIR_MEMBER_OBJECT:
		return weir_document_take(in, member->schema, item,
		                          (char *)object + member->offset);
	case WEIR_MEMBER_POINTER:
		return take_pointer(in, member, item, object);
	case WEIR_MEMBER_LIST:
		return take_list(in, member, item, object);
	case WEIR_MEMBER_MAP:
		return take_map(in, member, item, object);
	case WEIR_MEMBER_LITERAL:
	case WEIR_MEMBER_SPECIAL:
		return WEIR_OK; /* only written */
	}
	return WEIR_OK;
}

static enum weir_status take_member(struct weir_document_reader *in,
                                    const struct weir_member *member, const cJSON *item,
                                    void *object)
{
	const cJSON *value = item && !cJSON_IsNull(item) ? item : NULL;
	bool found = value != NULL;
	enum weir_status status;

	if (member->present == WEIR_IF_FLAG)
		set(object, member->when, &found, sizeof found);
	status = member->take ? member->take(in, value, object)
	                      : take_value(in, member, value, object);
	if (!status || !member->key || member->kind == WEIR_MEMBER_LIST ||
	    member->kind == WEIR_MEMBER_SPECIAL)
		return status; /* these two kinds name their place themselves */
	return weir_fail_in(in->err, "%s", member->key);
}

static enum weir_status take_tuple(struct weir_document_reader *in,
                                   const struct weir_schema *schema, const cJSON *item,
                                   void *object)
{
	const cJSON *entry = item ? item->child : NULL;
	enum weir_status status = WEIR_OK;

	if (item && (!cJSON_IsArray(item) || (size_t)cJSON_GetArraySize(item) != schema->count))
		return weir_fail(in->err, WEIR_E_FORMAT, "expected a list of %zu", schema->count);
	for (size_t i = 0; i < schema->count && !status; i++) {
		status = take_member(in, &schema->members[i], entry, object);
		entry = entry ? entry->next : NULL;
	}
	return status;
}

static enum weir_status fail_missing(struct weir_document_reader *in,
                                     const struct weir_member *member)
{
	if (member->kind == WEIR_MEMBER_ENUM)
		fail_enum(in, member->texts);
	else
		expected(in, member->kind == WEIR_MEMBER_TEXT ? "a text" : "a whole number");
	return weir_fail_in(in->err, "%s", member->key);
}

static enum weir_status take_keys(struct weir_document_reader *in, const struct weir_schema *schema,
                                  const cJSON *item, void *object)
{
	enum weir_status status = WEIR_OK;

	if (item && !cJSON_IsObject(item))
		return expected(in, "an object");
	for (size_t i = 0; i < schema->count && !status; i++) {
		const struct weir_member *member = &schema->members[i];
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, member->key);

		status = item && member->required && (!value || cJSON_IsNull(value))
		                 ? fail_missing(in, member)
		                 : take_member(in, member, value, object);
	}
	return status;
}

enum weir_status weir_document_take(struct weir_document_reader *in,
                                    const struct weir_schema *schema, const cJSON *item,
                                    void *object)
{
	enum weir_status status;

	if (schema->form == WEIR_FORM_BARE)
		return take_member(in, schema->members, item, object);
	status = schema->form == WEIR_FORM_TUPLE ? take_tuple(in, schema, item, object)
	                                         : take_keys(in, schema, item, object);
	if (status || !item)
		return status;
	if (schema->complete)
		schema->complete(object);
	return schema->check ? schema->check(in, item, object) : WEIR_OK;
}

enum weir_status weir_document_take_each(struct weir_document_reader *in, const char *key,
                                         const cJSON *list, size_t limit,
                                         enum weir_status (*take)(struct weir_document_reader *in,
                                                                  const cJSON *item, void *context),
                                         void *context)
{
	const cJSON *entry;
	size_t count, i = 0;

	if (check_entries(in, list, WEIR_MEMBER_LIST, limit, &count))
		return weir_fail_in(in->err, "%s", key);
	cJSON_ArrayForEach (entry, list) {
		enum weir_status status = cJSON_IsObject(entry) ? take(in, entry, context)
		                                                : expected(in, "an object");

		if (status)
			return weir_fail_in(in->err, "%s[%zu]", key, i);
		i++;
	}
	return WEIR_OK;
}

enum weir_status weir_document_read(struct weir_document_reader *in,
                                    const struct weir_schema *schema, const cJSON *document)
{
	return weir_document_take(in, schema, document, in->root);
}
