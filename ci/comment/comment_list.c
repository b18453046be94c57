/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ci/comment/comment_list.h"
#include "ci/comment/comment_text.h"
#include "engine/base/arena.h"
#include "engine/base/json.h"

#define MAX_ID 9007199254740992.0 /* 2^53: above it a double does not hold every whole number */

void weir_comment_list_release(struct weir_comment_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->comment[i].body);
	free(list->comment);
	*list = (struct weir_comment_list){NULL, 0, 0};
}

static const char *text_of(const cJSON *object, const char *key)
{
	const char *text = NULL;

	(void)weir_json_text(object, key, &text, NULL);
	return text;
}

/* Returns a positive whole number, 0 if the member is not one. */
static int64_t whole_of(const cJSON *object, const char *key)
{
	double value;

	if (weir_json_number(object, key, &value, NULL) || !(value >= 1 && value < MAX_ID) ||
	    value != floor(value))
		return 0;
	return (int64_t)value;
}

static const char *author_of(const struct weir_provider *provider, const cJSON *comment)
{
	const cJSON *author = cJSON_GetObjectItemCaseSensitive(comment, provider->author);

	return text_of(author, provider->author_name);
}

static bool is_ours(const struct weir_comment_sign *sign, const cJSON *comment)
{
	const char *author = author_of(sign->provider, comment);
	const char *body = text_of(comment, "body");

	return author && body && whole_of(comment, "id") && strcasecmp(author, sign->author) == 0 &&
	       weir_comment_is_marked(body, sign->marker);
}

static bool holds(const struct weir_comment_list *list, int64_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->comment[i].id == id)
			return true;
	return false;
}

/* Inserts in order of the numbers, which both services assign in order of creation. A comment is
 * listed twice if another one was deleted between two pages. */
static void insert(struct weir_comment_list *list, int64_t id, const char *body)
{
	struct weir_text copy = {0};
	size_t at;

	if (holds(list, id))
		return;
	list->comment =
		weir_grow(list->comment, &list->capacity, list->count + 1, sizeof(*list->comment));
	for (at = list->count; at > 0 && list->comment[at - 1].id > id; at--)
		list->comment[at] = list->comment[at - 1];
	weir_text_puts(&copy, body);
	list->comment[at] = (struct weir_found_comment){id, copy.data};
	list->count++;
}

/* Replaces each \u0000 by \ufffd: cJSON would end the text there, so that "me\u0000x" were "me". */
static void replace_nul(char *json, size_t len)
{
	for (size_t at = 0; at + 6 <= len; at++) {
		if (json[at] != '\\')
			continue;
		if (memcmp(json + at + 1, "u0000", 5) == 0)
			memcpy(json + at + 2, "fffd", 4);
		at++; /* the escaped character, which may be a backslash */
	}
}

static enum weir_status parse_answer(const char *json, size_t len, cJSON **out,
                                     struct weir_error *err)
{
	struct weir_text copy = {0};
	enum weir_status status;

	weir_text_add(&copy, json, len);
	if (copy.data)
		replace_nul(copy.data, copy.length);
	status = weir_json_parse(copy.data ? copy.data : "", copy.length, out, err);
	weir_text_release(&copy);
	return status;
}

static enum weir_status add_all(struct weir_comment_list *list,
                                const struct weir_comment_sign *sign, const cJSON *page,
                                struct weir_error *err)
{
	const cJSON *comment;

	cJSON_ArrayForEach (comment, page) {
		if (!is_ours(sign, comment))
			continue;
		if (list->count == WEIR_COMMENT_MAX_FOUND)
			return weir_fail(err, WEIR_E_LIMIT, "more than %d comments of weir",
			                 WEIR_COMMENT_MAX_FOUND);
		insert(list, whole_of(comment, "id"), text_of(comment, "body"));
	}
	return WEIR_OK;
}

enum weir_status weir_comment_list_add(struct weir_comment_list *list,
                                       const struct weir_comment_sign *sign, const char *json,
                                       size_t len, struct weir_error *err)
{
	cJSON *page = NULL;
	enum weir_status status = parse_answer(json, len, &page, err);

	if (!status)
		status = cJSON_IsArray(page)
		                 ? add_all(list, sign, page, err)
		                 : weir_fail(err, WEIR_E_FORMAT, "expected a list of comments");
	cJSON_Delete(page);
	return status;
}

static cJSON *parse_or_none(const char *json, size_t len)
{
	cJSON *document = NULL;

	(void)parse_answer(json, len, &document, NULL);
	return document;
}

int64_t weir_comment_read(const struct weir_provider *provider, const char *json, size_t len,
                          struct weir_text *author)
{
	cJSON *comment = parse_or_none(json, len);
	const char *name = author_of(provider, comment);
	int64_t id = whole_of(comment, "id");

	if (name)
		weir_text_puts(author, name);
	cJSON_Delete(comment);
	return id;
}

void weir_comment_user(const struct weir_provider *provider, const char *json, size_t len,
                       struct weir_text *out)
{
	cJSON *user = parse_or_none(json, len);
	const char *name = text_of(user, provider->author_name);

	if (name)
		weir_text_puts(out, name);
	cJSON_Delete(user);
}

int64_t weir_pull_of_commit(const char *commit, const char *json, size_t len)
{
	cJSON *page = parse_or_none(json, len);
	const cJSON *pull;
	int64_t best = 0;

	cJSON_ArrayForEach (pull, page) {
		const cJSON *head = cJSON_GetObjectItemCaseSensitive(pull, "head");
		const char *sha = text_of(head, "sha");
		int64_t number = whole_of(pull, "number");

		if (sha && number && strcmp(sha, commit) == 0 && (best == 0 || number < best))
			best = number;
	}
	cJSON_Delete(page);
	return best;
}
