/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses any answer of a comment API: header lines up to an empty line, then a body. Only comments
 * with our marker and our author are found, each once and in the order of their numbers; the number
 * of a page is above 0; an author is only a name.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ci/comment/comment_list.h"
#include "ci/comment/comment_text.h"
#include "ci/comment/url.h"
#include "engine/base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MARKER "<!-- weir:gate key=main v1 -->"

static void check_list(const struct weir_comment_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct weir_found_comment *comment = &list->comment[i];

		if (comment->id < 1 || (i > 0 && list->comment[i - 1].id >= comment->id))
			abort();
		if (!weir_comment_is_marked(comment->body, MARKER) ||
		    !weir_comment_same(comment->body, comment->body))
			abort();
		(void)weir_comment_verdict_of(comment->body);
	}
}

static void read_body(const struct weir_provider *provider, const char *body, size_t len)
{
	const struct weir_comment_sign sign = {provider, "me", MARKER};
	struct weir_comment_list list = {0};
	struct weir_text author = {0};
	struct weir_error err = {0};

	/* Reads the page twice: the second time must add nothing. */
	for (int i = 0; i < 2; i++)
		if (weir_comment_list_add(&list, &sign, body, len, &err) && err.message[0] == '\0')
			abort(); /* a refusal has a message */
	check_list(&list);
	if (weir_comment_read(provider, body, len, &author) < 0)
		abort();
	weir_comment_user(provider, body, len, &author);
	if (weir_pull_of_commit("c0ffee", body, len) < 0)
		abort();
	weir_comment_list_release(&list);
	weir_text_release(&author);
}

static void read_head(const struct weir_http_answer *answer)
{
	const char *location = weir_http_answer_header(answer, WEIR_HTTP_LOCATION);
	struct weir_text url = {0};

	for (size_t i = 0; weir_providers[i]; i++)
		if (weir_providers[i]->next_page(answer) < -1)
			abort();
	if (weir_url_resolve("https://api.example.org/v3", location, &url) &&
	    !weir_url_is_valid(url.data))
		abort();
	if (*location == '/' && url.data &&
	    !weir_url_same_origin("https://api.example.org", url.data))
		abort();
	weir_text_release(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_http_answer answer = {0};
	const char *at = (const char *)data, *end = at + size;

	while (at < end && *at != '\n') {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		stop = stop ? stop + 1 : end;
		weir_http_answer_head_line(&answer, at, (size_t)(stop - at));
		at = stop;
	}
	at += at < end;
	read_head(&answer);
	for (size_t i = 0; weir_providers[i]; i++)
		read_body(weir_providers[i], at, (size_t)(end - at));
	weir_http_answer_release(&answer);
	return 0;
}
