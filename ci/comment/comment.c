/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ci/comment/comment.h"
#include "ci/comment/comment_list.h"
#include "ci/comment/url.h"

#define MAX_CREATES 3 /* attempts while it is unknown if one succeeded */

/* State of one weir_comment_post(). */
struct posting {
	struct weir_api *api;
	const struct weir_place *place;
	const struct weir_comment *comment;
	struct weir_comment_done *done;
	struct weir_text author, marker;
	struct weir_comment_list found;
	struct weir_http_answer answer;
	struct weir_error *err;
};

static const char *body_of(const struct weir_http_answer *answer)
{
	return answer->body.data ? answer->body.data : "";
}

/* Makes one call and releases the path. */
static enum weir_status call(struct posting *posting, const char *method, struct weir_text *path,
                             const char *comment, bool once)
{
	const struct weir_api_call what = {method, path->data, comment, once};
	enum weir_status status =
		weir_api_call(posting->api, &what, &posting->answer, posting->err);

	weir_text_release(path);
	return status;
}

/* Finds the login of the token's user. */
static enum weir_status identify(struct posting *posting)
{
	const struct weir_provider *provider = posting->api->provider;
	const struct weir_http_answer *answer = &posting->answer;
	struct weir_text path = {0};
	enum weir_status status;

	weir_text_puts(&path, "/user");
	status = call(posting, "GET", &path, NULL, false);
	if (status == WEIR_OK) {
		weir_comment_user(provider, body_of(answer), answer->body.length, &posting->author);
		if (posting->author.length)
			return WEIR_OK;
		status = weir_fail(posting->err, WEIR_E_NETWORK,
		                   "%s does not name the user of the token", provider->title);
	}
	/* The token of a workflow is valid, but does not permit /user. */
	if (!provider->anonymous || (answer->status != 403 && answer->status != 404))
		return status;
	weir_text_puts(&posting->author, provider->anonymous);
	return WEIR_OK;
}

static enum weir_status take_page(struct posting *posting)
{
	const struct weir_provider *provider = posting->api->provider;
	const struct weir_comment_sign sign = {provider, posting->author.data,
	                                       posting->marker.data};
	struct weir_error why = {0};

	if (weir_comment_list_add(&posting->found, &sign, body_of(&posting->answer),
	                          posting->answer.body.length, &why))
		return weir_fail(posting->err, WEIR_E_NETWORK, "%s's list of comments: %s",
		                 provider->title, why.message);
	return WEIR_OK;
}

/* Lists our comments of all pages, the oldest first. */
static enum weir_status list(struct posting *posting)
{
	const struct weir_provider *provider = posting->api->provider;
	int64_t page = 1;

	weir_comment_list_release(&posting->found);
	for (size_t pages = 0; page > 0 && pages < WEIR_COMMENT_MAX_PAGES; pages++) {
		struct weir_text path = {0};
		enum weir_status status;

		provider->list_path(posting->place, page, &path);
		status = call(posting, "GET", &path, NULL, false);
		if (!status)
			status = take_page(posting);
		if (status)
			return status;
		page = provider->next_page(&posting->answer);
	}
	if (page != 0)
		return weir_fail(posting->err, WEIR_E_NETWORK, "%s's list of comments %s",
		                 provider->title,
		                 page < 0 ? "continues with an address without a page number"
		                          : "has too many pages");
	return WEIR_OK;
}

static enum weir_status update(struct posting *posting, int64_t id)
{
	struct weir_text path = {0};

	posting->api->provider->comment_path(posting->place, id, &path);
	return call(posting, posting->api->provider->update_method, &path, posting->comment->body,
	            false);
}

/* Deletes all but the oldest comment. Another job may have deleted one already. */
static enum weir_status remove_duplicates(struct posting *posting)
{
	for (size_t i = 1; i < posting->found.count; i++) {
		struct weir_text path = {0};
		enum weir_status status;

		posting->api->provider->comment_path(posting->place, posting->found.comment[i].id,
		                                     &path);
		status = call(posting, "DELETE", &path, NULL, false);
		if (status && posting->answer.status != 404 && posting->answer.status != 410)
			return status;
		posting->done->removed += status == WEIR_OK;
	}
	return WEIR_OK;
}

/* Leaves one comment after a creation, with our body. */
static enum weir_status settle(struct posting *posting)
{
	enum weir_status status = list(posting);
	const struct weir_found_comment *oldest = posting->found.comment;

	if (status || posting->found.count == 0)
		return status; /* an empty list may lag behind */
	posting->done->id = oldest->id;
	status = remove_duplicates(posting);
	if (!status && !weir_comment_same(oldest->body, posting->comment->body))
		status = update(posting, oldest->id);
	return status;
}

/* Takes number and author of our new comment from the service's answer. That author replaces an
 * assumed one. */
static void take_created(struct posting *posting)
{
	struct weir_text author = {0};

	posting->done->id = weir_comment_read(posting->api->provider, body_of(&posting->answer),
	                                      posting->answer.body.length, &author);
	if (author.length) {
		weir_text_release(&posting->author);
		posting->author = author;
	} else {
		weir_text_release(&author);
	}
}

/* Creates the comment. If it is unknown if an attempt succeeded, looks at the list before the next
 * one. */
static enum weir_status create(struct posting *posting)
{
	for (unsigned attempt = 1;; attempt++) {
		struct weir_text path = {0};
		enum weir_status status, listed;

		posting->api->provider->create_path(posting->place, &path);
		status = call(posting, "POST", &path, posting->comment->body, true);
		if (status == WEIR_OK) {
			take_created(posting);
			return settle(posting);
		}
		if (status != WEIR_E_UNSURE)
			return status;
		if (attempt == MAX_CREATES ||
		    !weir_api_wait(posting->api, attempt, &posting->answer))
			return WEIR_E_NETWORK; /* err has the reason of the last attempt */
		listed = list(posting);
		if (listed)
			return listed;
		if (posting->found.count > 0)
			return settle(posting);
	}
}

/* Posts a short comment about a change of the verdict, because an edit notifies nobody. Tries once;
 * a failure is no error, because the comment itself is up to date. */
static void announce(struct posting *posting, enum weir_comment_verdict before)
{
	const enum weir_comment_verdict now = posting->comment->verdict;
	struct weir_error *const err = posting->err;
	struct weir_text path = {0}, text = {0};

	if (before == now || before == WEIR_COMMENT_UNKNOWN || now == WEIR_COMMENT_UNKNOWN)
		return;
	weir_comment_announce(posting->comment->key, now, &text);
	posting->api->provider->create_path(posting->place, &path);
	posting->err = NULL;
	posting->done->announced = call(posting, "POST", &path, text.data, true) == WEIR_OK;
	posting->done->not_announced = !posting->done->announced;
	posting->err = err;
	weir_text_release(&text);
}

/* Updates the oldest comment found and deletes the others. */
static enum weir_status edit(struct posting *posting)
{
	const struct weir_found_comment *oldest = posting->found.comment;
	enum weir_status status = WEIR_OK;

	posting->done->id = oldest->id;
	if (weir_comment_same(oldest->body, posting->comment->body))
		return remove_duplicates(posting);
	posting->done->action = WEIR_COMMENT_UPDATED;
	status = update(posting, oldest->id);
	if (status)
		return status;
	status = remove_duplicates(posting);
	if (!status)
		announce(posting, weir_comment_verdict_of(oldest->body));
	return status;
}

static enum weir_status post(struct posting *posting)
{
	enum weir_status status = list(posting);

	if (!status && posting->found.count > 0) {
		status = edit(posting);
		if (status != WEIR_E_FORBIDDEN || posting->answer.status != 404)
			return status;
		/* It was deleted after it was listed, or the token may not edit it: list again. */
		status = list(posting);
		if (!status && posting->found.count > 0)
			return edit(posting);
	}
	if (status)
		return status;
	posting->done->action = WEIR_COMMENT_CREATED;
	return create(posting);
}

enum weir_status weir_comment_post(struct weir_api *api, const struct weir_place *place,
                                   const struct weir_comment *comment,
                                   struct weir_comment_done *done, struct weir_error *err)
{
	struct posting posting = {
		.api = api, .place = place, .comment = comment, .done = done, .err = err};
	size_t characters = weir_comment_characters(comment->body);
	enum weir_status status;

	*done = (struct weir_comment_done){.action = WEIR_COMMENT_UNCHANGED};
	if (characters > api->provider->max_characters)
		return weir_fail(err, WEIR_E_REFUSED,
		                 "the comment has %zu characters; %s accepts %zu", characters,
		                 api->provider->title, api->provider->max_characters);
	weir_comment_marker(comment->key, &posting.marker);
	status = identify(&posting);
	if (!status)
		status = post(&posting);
	weir_comment_list_release(&posting.found);
	weir_http_answer_release(&posting.answer);
	weir_text_release(&posting.author);
	weir_text_release(&posting.marker);
	if (!status && err)
		*err = (struct weir_error){WEIR_OK, ""}; /* failed attempts left a message */
	return status;
}

enum weir_status weir_comment_find_pull(struct weir_api *api, const struct weir_ci_head *head,
                                        struct weir_place *place, struct weir_error *err)
{
	struct weir_http_answer answer = {0};
	struct weir_text path = {0};
	struct weir_api_call what = {.method = "GET"};
	enum weir_status status;

	weir_text_printf(&path, "/repos/%s/pulls?state=open&per_page=100&head=", place->project);
	weir_url_encode(head->owner, &path);
	weir_text_puts(&path, ":");
	weir_url_encode(head->branch, &path);
	what.path = path.data;
	status = weir_api_call(api, &what, &answer, err);
	if (!status)
		place->number =
			weir_pull_of_commit(head->commit, body_of(&answer), answer.body.length);
	if (!status && !place->number)
		status = weir_fail(err, WEIR_E_NO_PULL_REQUEST,
		                   "no open pull request has the commit %.40s as its head: it "
		                   "was closed or has moved on",
		                   head->commit);
	weir_text_release(&path);
	weir_http_answer_release(&answer);
	return status;
}
