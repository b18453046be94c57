/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ci/comment/comment.h"
#include "ci/comment/comment_list.h"
#include "ci/comment/url.h"

#define MAX_CREATES 3 /* attempts where it stays unknown whether one succeeded */

/* What posting needs at hand. */
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

/* Sends one call to a path that is freed here. */
static enum weir_ci_outcome call(struct posting *posting, const char *method,
                                 struct weir_text *path, const char *comment, bool once)
{
	const struct weir_api_call what = {method, path->data, comment, once};
	enum weir_ci_outcome outcome =
		weir_api_call(posting->api, &what, &posting->answer, posting->err);

	weir_text_release(path);
	return outcome;
}

/* --- who we are --- */

static enum weir_ci_outcome identify(struct posting *posting)
{
	const struct weir_provider *provider = posting->api->provider;
	const struct weir_http_answer *answer = &posting->answer;
	struct weir_text path = {0};
	enum weir_ci_outcome outcome;

	weir_text_puts(&path, "/user");
	outcome = call(posting, "GET", &path, NULL, false);
	if (outcome == WEIR_CI_DONE) {
		weir_comment_user(provider, body_of(answer), answer->body.length, &posting->author);
		if (posting->author.length)
			return WEIR_CI_DONE;
		outcome = weir_ci_fail(posting->err, WEIR_CI_NETWORK,
		                       "%s does not say whose the token is", provider->title);
	}
	/* The token of a workflow is valid and may not ask. */
	if (!provider->anonymous || (answer->status != 403 && answer->status != 404))
		return outcome;
	weir_text_puts(&posting->author, provider->anonymous);
	return WEIR_CI_DONE;
}

/* --- what is there --- */

static enum weir_ci_outcome take_page(struct posting *posting)
{
	const struct weir_provider *provider = posting->api->provider;
	const struct weir_comment_sign sign = {provider, posting->author.data,
	                                       posting->marker.data};
	struct weir_error why = {0};

	if (weir_comment_list_add(&posting->found, &sign, body_of(&posting->answer),
	                          posting->answer.body.length, &why))
		return weir_ci_fail(posting->err, WEIR_CI_NETWORK, "%s's list of comments: %s",
		                    provider->title, why.message);
	return WEIR_CI_DONE;
}

static enum weir_ci_outcome list(struct posting *posting)
{
	const struct weir_provider *provider = posting->api->provider;
	int64_t page = 1;

	weir_comment_list_release(&posting->found);
	for (size_t pages = 0; page > 0 && pages < WEIR_COMMENT_MAX_PAGES; pages++) {
		struct weir_text path = {0};
		enum weir_ci_outcome outcome;

		provider->list_path(posting->place, page, &path);
		outcome = call(posting, "GET", &path, NULL, false);
		if (!outcome)
			outcome = take_page(posting);
		if (outcome)
			return outcome;
		page = provider->next_page(&posting->answer);
	}
	if (page != 0)
		return weir_ci_fail(
			posting->err, WEIR_CI_NETWORK, "%s's list of comments %s", provider->title,
			page < 0 ? "goes on in a way that weir does not know" : "does not end");
	return WEIR_CI_DONE;
}

/* --- what is done about it --- */

static enum weir_ci_outcome update(struct posting *posting, int64_t id)
{
	struct weir_text path = {0};

	posting->api->provider->comment_path(posting->place, id, &path);
	return call(posting, posting->api->provider->update_method, &path, posting->comment->body,
	            false);
}

/* The oldest stays. One that is gone already was removed by the other job. */
static enum weir_ci_outcome remove_duplicates(struct posting *posting)
{
	for (size_t i = 1; i < posting->found.count; i++) {
		struct weir_text path = {0};
		enum weir_ci_outcome outcome;

		posting->api->provider->comment_path(posting->place, posting->found.comment[i].id,
		                                     &path);
		outcome = call(posting, "DELETE", &path, NULL, false);
		if (outcome && posting->answer.status != 404 && posting->answer.status != 410)
			return outcome;
		posting->done->removed += outcome == WEIR_CI_DONE;
	}
	return WEIR_CI_DONE;
}

/* After creating: one comment remains, and it says what we say. */
static enum weir_ci_outcome settle(struct posting *posting)
{
	enum weir_ci_outcome outcome = list(posting);
	const struct weir_found_comment *oldest = posting->found.comment;

	if (outcome || posting->found.count == 0)
		return outcome; /* an empty list may lag behind */
	posting->done->id = oldest->id;
	outcome = remove_duplicates(posting);
	if (!outcome && !weir_comment_same(oldest->body, posting->comment->body))
		outcome = update(posting, oldest->id);
	return outcome;
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

/* Never twice blindly: where it is unknown whether the first one got there, the list tells. */
static enum weir_ci_outcome create(struct posting *posting)
{
	for (unsigned attempt = 1;; attempt++) {
		struct weir_text path = {0};
		enum weir_ci_outcome outcome, listed;

		posting->api->provider->create_path(posting->place, &path);
		outcome = call(posting, "POST", &path, posting->comment->body, true);
		if (outcome == WEIR_CI_DONE) {
			take_created(posting);
			return settle(posting);
		}
		if (outcome != WEIR_CI_UNSURE)
			return outcome;
		if (attempt == MAX_CREATES ||
		    !weir_api_wait(
			    posting->api, attempt,
			    weir_http_answer_header(&posting->answer, WEIR_HTTP_RETRY_AFTER)))
			return WEIR_CI_NETWORK; /* err holds what the last attempt ended with */
		listed = list(posting);
		if (listed)
			return listed;
		if (posting->found.count > 0)
			return settle(posting);
	}
}

/* An edit notifies nobody. At most once, and without harm where it fails: the comment itself is
 * right. */
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
	posting->done->announced = call(posting, "POST", &path, text.data, true) == WEIR_CI_DONE;
	posting->done->not_announced = !posting->done->announced;
	posting->err = err;
	weir_text_release(&text);
}

/* The oldest of what was found gets the body. */
static enum weir_ci_outcome edit(struct posting *posting)
{
	const struct weir_found_comment *oldest = posting->found.comment;
	enum weir_ci_outcome outcome = WEIR_CI_DONE;

	posting->done->id = oldest->id;
	if (weir_comment_same(oldest->body, posting->comment->body))
		return remove_duplicates(posting);
	posting->done->action = WEIR_COMMENT_UPDATED;
	outcome = update(posting, oldest->id);
	if (outcome)
		return outcome;
	outcome = remove_duplicates(posting);
	if (!outcome)
		announce(posting, weir_comment_verdict_of(oldest->body));
	return outcome;
}

static enum weir_ci_outcome post(struct posting *posting)
{
	enum weir_ci_outcome outcome = list(posting);

	if (!outcome && posting->found.count > 0) {
		outcome = edit(posting);
		if (outcome != WEIR_CI_FORBIDDEN || posting->answer.status != 404)
			return outcome;
		/* Deleted since it was listed; or we may not: the list tells. */
		outcome = list(posting);
		if (!outcome && posting->found.count > 0)
			return edit(posting);
	}
	if (outcome)
		return outcome;
	posting->done->action = WEIR_COMMENT_CREATED;
	return create(posting);
}

enum weir_ci_outcome weir_comment_post(struct weir_api *api, const struct weir_place *place,
                                       const struct weir_comment *comment,
                                       struct weir_comment_done *done, struct weir_error *err)
{
	struct posting posting = {
		.api = api, .place = place, .comment = comment, .done = done, .err = err};
	size_t characters = weir_comment_characters(comment->body);
	enum weir_ci_outcome outcome;

	*done = (struct weir_comment_done){.action = WEIR_COMMENT_UNCHANGED};
	if (characters > api->provider->max_characters)
		return weir_ci_fail(err, WEIR_CI_REFUSED, "%zu characters, %s takes %zu",
		                    characters, api->provider->title,
		                    api->provider->max_characters);
	weir_comment_marker(comment->key, &posting.marker);
	outcome = identify(&posting);
	if (!outcome)
		outcome = post(&posting);
	weir_comment_list_release(&posting.found);
	weir_http_answer_release(&posting.answer);
	weir_text_release(&posting.author);
	weir_text_release(&posting.marker);
	if (!outcome && err)
		*err = (struct weir_error){WEIR_OK, ""}; /* of what was tried on the way */
	return outcome;
}

enum weir_ci_outcome weir_comment_find_pull(struct weir_api *api, const struct weir_ci_head *head,
                                            struct weir_place *place, struct weir_error *err)
{
	struct weir_http_answer answer = {0};
	struct weir_text path = {0};
	struct weir_api_call what = {.method = "GET"};
	enum weir_ci_outcome outcome;

	weir_text_printf(&path, "/repos/%s/pulls?state=open&per_page=100&head=", place->project);
	weir_url_encode(head->owner, &path);
	weir_text_puts(&path, ":");
	weir_url_encode(head->branch, &path);
	what.path = path.data;
	outcome = weir_api_call(api, &what, &answer, err);
	if (!outcome)
		place->number =
			weir_pull_of_commit(head->commit, body_of(&answer), answer.body.length);
	if (!outcome && !place->number)
		outcome = weir_ci_fail(err, WEIR_CI_NO_PULL_REQUEST,
		                       "no open pull request has the commit %.40s as its head: it "
		                       "was closed or has moved on",
		                       head->commit);
	weir_text_release(&path);
	weir_http_answer_release(&answer);
	return outcome;
}
