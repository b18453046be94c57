/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Short names for the tables of document.h. Define OF as the struct that a table describes before
 * the table, and undefine it after. A field of another type than its macro states does not compile.
 *
 *	#define OF struct weir_what_if_stage
 *	static const struct weir_schema what_if_stage_schema =
 *		SCHEMA(LINE, {TEXT("name", name)}, {WHOLE("p50_ns", p50_ns)});
 *	#undef OF
 */
#ifndef WEIR_REPORT_JSON_DOCUMENT_TABLES_H
#define WEIR_REPORT_JSON_DOCUMENT_TABLES_H

#include "engine/report/json/document.h"

/* clang-format off */
#define FIELD(field)     (((OF *)0)->field)
/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names of members and types */
#define AT(field, type)  _Generic(&FIELD(field), type *: offsetof(OF, field))
/* NOLINTEND(bugprone-macro-parentheses) */
#define VALUE(how, name, field, type) \
	.key = (name), .kind = WEIR_MEMBER_##how, .offset = AT(field, type), .size = sizeof(type)

#define TEXT(name, field)    VALUE(TEXT, name, field, const char *)
#define BOOL(name, field)    VALUE(BOOL, name, field, bool)
#define SHARE(name, field)   VALUE(SHARE, name, field, double)
#define WHOLE(name, field)   VALUE(WHOLE, name, field, double)
#define EXACT(name, field)   VALUE(EXACT, name, field, double)
#define OPEN(name, field)    VALUE(OPEN, name, field, double)
#define INTEGER(name, field, type, highest) VALUE(INTEGER, name, field, type), .most = (highest)
#define COUNT(name, field)   INTEGER(name, field, uint64_t, WEIR_DOCUMENT_MAX_COUNT)
#define COUNT32(name, field) INTEGER(name, field, uint32_t, UINT32_MAX)
#define NS(name, field)      INTEGER(name, field, int64_t, WEIR_DOCUMENT_MAX_COUNT)
/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names of members and types */
#define ENUM(name, field, what) VALUE(ENUM, name, field, enum what), .texts = &what##_texts
/* NOLINTEND(bugprone-macro-parentheses) */
#define NULL_IS(value)       .nullable = true, .none = (value) /* integers and enums */

#define PLACE(how, name, field) .key = (name), .kind = WEIR_MEMBER_##how, .offset = offsetof(OF, field)
#define NAMED(name, field, what, one) PLACE(NAMED, name, field), .texts = &what##_texts, .element = &(one)
#define OBJECT(name, field, of) PLACE(OBJECT, name, field), .schema = &(of)
#define POINTER(name, field, of) \
	PLACE(POINTER, name, field), .size = sizeof(*FIELD(field)), .schema = &(of), \
	.present = WEIR_IF_POINTER, .when = offsetof(OF, field)
#define ROWS(how, name, field, number, of, ...) \
	PLACE(how, name, field), .size = sizeof(*FIELD(field)), .count = AT(number, size_t), \
	.schema = &(of), .limit = __VA_ARGS__
#define LIST(name, field, number, of, ...) ROWS(LIST, name, field, number, of, __VA_ARGS__)
#define MAP(name, field, number, of, ...) ROWS(MAP, name, field, number, of, __VA_ARGS__)
#define INSIDE(field)        WEIR_COUNT_OF(FIELD(field)), .inside = true /* instead of a limit */
#define PART(name, of)       .key = (name), .kind = WEIR_MEMBER_OBJECT, .schema = &(of) /* same struct */
#define LITERAL(name, text)  .key = (name), .kind = WEIR_MEMBER_LITERAL, .literal = (text)
/* `form` is a member that describes the JSON: one of the FORM_ macros. */
#define SPECIAL(name, write, read, form) \
	.key = (name), .kind = WEIR_MEMBER_SPECIAL, .put = (write), .take = (read), .element = (form)
#define FORM(how)        &(const struct weir_member){.kind = WEIR_MEMBER_##how}
#define FORM_LIST(of)    &(const struct weir_member){.kind = WEIR_MEMBER_LIST, .schema = &(of)}
#define FORM_NAMED(one)  &(const struct weir_member){.kind = WEIR_MEMBER_NAMED, .element = &(one)}

#define ENTRY(name, ...) {__VA_ARGS__, .label = (name)} /* of a tuple */

#define WHEN(condition, field) .present = WEIR_IF_##condition, .when = offsetof(OF, field)

#define MEMBERS(...)     (const struct weir_member[]){__VA_ARGS__}
#define SCHEMA(how, ...) \
	{.form = WEIR_FORM_##how, .members = MEMBERS(__VA_ARGS__), .count = WEIR_COUNT_OF(MEMBERS(__VA_ARGS__))}
/* A schema that completes or checks the struct after reading: `then` sets .complete or .check. */
#define SCHEMA_THEN(how, then, ...) \
	{.form = WEIR_FORM_##how, .members = MEMBERS(__VA_ARGS__), .count = WEIR_COUNT_OF(MEMBERS(__VA_ARGS__)), then}
/* clang-format on */

#endif
