/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ci/comment/provider.h"
#include "ci/comment/url.h"

static void each_provider_has_its_paths(void **state)
{
	const struct weir_place hub = {"owner/name", 7}, lab = {"group%2Fname", 8};
	struct weir_text text = {0};

	(void)state;
	weir_provider_github.list_path(&hub, 2, &text);
	assert_string_equal(text.data, "/repos/owner/name/issues/7/comments?per_page=100&page=2");
	weir_text_clear(&text);
	weir_provider_github.comment_path(&hub, 3000000001, &text);
	assert_string_equal(text.data, "/repos/owner/name/issues/comments/3000000001");
	weir_text_clear(&text);
	weir_provider_gitlab.list_path(&lab, 1, &text);
	assert_string_equal(text.data, "/projects/group%2Fname/merge_requests/8/notes"
	                               "?sort=asc&order_by=created_at&per_page=100&page=1");
	weir_text_clear(&text);
	weir_provider_gitlab.comment_path(&lab, 5, &text);
	assert_string_equal(text.data, "/projects/group%2Fname/merge_requests/8/notes/5");
	weir_text_release(&text);
}

static void the_next_page_is_found_in_a_link(void **state)
{
	static const struct {
		const char *link;
		int64_t page;
	} table[] = {
		{"", 0},
		{"<https://h/c?per_page=100&page=2>; rel=\"next\", <https://h/c?page=9>; "
	         "rel=\"last\"",
	         2},
		{"<https://h/c?page=1>; rel=\"prev\", <https://h/c?page=3&per_page=9>; "
	         "rel=\"next\"",
	         3},
		{"<https://h/c?page=1>; rel=\"first\"", 0},
		{"<https://h/c?per_page=100>; rel=\"next\"", -1},
		{"<https://h/c?page=x>; rel=\"next\"", -1},
		{"<https://h/c?page=0>; rel=\"next\"", -1},
		{"<https://h/c?page=99999999999999999999>; rel=\"next\"", -1},
		{"<https://h/c?page=", 0},
		{"<>; rel=\"next\"", -1},
		{"rel=\"next\"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_int_equal(weir_link_next_page(table[i].link), table[i].page);
}

static int64_t gitlab_page(const char *head)
{
	struct weir_http_answer answer = {0};
	int64_t page;

	weir_http_answer_head_line(&answer, head, strlen(head));
	page = weir_provider_gitlab.next_page(&answer);
	weir_http_answer_release(&answer);
	return page;
}

static void gitlab_says_its_next_page_in_a_header_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(gitlab_page("X-Next-Page: 4\r\n"), 4);
	assert_int_equal(gitlab_page("x-next-page:\r\n"), 0);
	assert_int_equal(gitlab_page("X-Next-Page: -1\r\n"), -1);
	assert_int_equal(gitlab_page("Link: <https://h/n?page=6>; rel=\"next\"\r\n"), 6);
}

static void a_status_line_forgets_the_head_before_it(void **state)
{
	struct weir_http_answer answer = {0};

	(void)state;
	weir_http_answer_head_line(&answer, "Link: a\r\n", 9);
	weir_http_answer_head_line(&answer, "HTTP/1.1 200 OK\r\n", 17);
	assert_string_equal(weir_http_answer_header(&answer, WEIR_HTTP_LINK), "");
	weir_http_answer_release(&answer);
}

static void only_plain_addresses_are_urls(void **state)
{
	static const char *const good[] = {"http://h", "https://h.example:8443/a?b#c",
	                                   "HTTPS://[::1]:80", "http://127.0.0.1:1/",
	                                   "https://a_b-c"};
	static const char *const bad[] = {
		"",
		"http",
		"http:",
		"http://",
		"ftp://h",
		"http://:1",
		"http://u@h",
		"http://h:",
		"http://u:p@h/",
		"http://h:1x",
		"//h",
		"http://h\\@i",
		"http://h i",
		"http://h\n",
		"http://[::1",
		"http://[]",
		"http://\xc3h",
		"http://h\t/",
		"http:///x",
		"http://[::1]x",
		"http:/h",
		"http:////h",
		"http://h%41",
		"http://@h",
		"http:/a://h",
		"http:h",
		"http://[fe80::1%25eth0]",
		"http://h:99999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(weir_url_is_valid(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (weir_url_is_valid(bad[i]))
			print_error("taken for an URL: %s\n", bad[i]);
		assert_false(weir_url_is_valid(bad[i]));
	}
}

static void plain_http_is_exposed_beyond_this_machine(void **state)
{
	(void)state;
	assert_true(weir_url_is_exposed("http://git.example/api"));
	assert_true(weir_url_is_exposed("HTTP://127.0.0.1.example"));
	assert_true(weir_url_is_exposed("http://10.0.0.1:8080"));
	assert_false(weir_url_is_exposed("https://git.example/api"));
	assert_false(weir_url_is_exposed("http://127.0.0.1:8080/api"));
	assert_false(weir_url_is_exposed("http://[::1]:8080"));
	assert_false(weir_url_is_exposed("http://LocalHost"));
}

static void an_origin_is_scheme_host_and_port(void **state)
{
	(void)state;
	assert_true(weir_url_same_origin("https://h/a", "HTTPS://H:443/b"));
	assert_true(weir_url_same_origin("http://h:80", "http://h"));
	assert_false(weir_url_same_origin("https://h", "http://h"));
	assert_false(weir_url_same_origin("https://h", "https://h.evil"));
	assert_false(weir_url_same_origin("https://h", "https://h:80"));
	assert_false(weir_url_same_origin("https://h", "h"));
}

static void a_location_is_an_url_or_a_path_on_the_same_host(void **state)
{
	static const struct {
		const char *location, *resolved;
	} table[] = {
		{"/v4/x?page=2", "https://h:8443/v4/x?page=2"},
		{"http://other/x", "http://other/x"},
		{"//other/x", NULL},
		{"x", NULL},
		{"", NULL},
		{"?page=2", NULL},
		{"/a b", NULL},
		{"/\\other", NULL},
		{"https://u@h/x", NULL},
		{"file:///x", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct weir_text out = {0};
		bool resolved = weir_url_resolve("https://h:8443/v3?q", table[i].location, &out);

		assert_int_equal(resolved, table[i].resolved != NULL);
		if (resolved)
			assert_string_equal(out.data, table[i].resolved);
		weir_text_release(&out);
	}
}

static void everything_but_plain_letters_is_encoded(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_url_encode("a/b c~._-\xc3&", &text);
	assert_string_equal(text.data, "a%2Fb%20c~._-%C3%26");
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_provider_has_its_paths),
		cmocka_unit_test(the_next_page_is_found_in_a_link),
		cmocka_unit_test(gitlab_says_its_next_page_in_a_header_of_its_own),
		cmocka_unit_test(a_status_line_forgets_the_head_before_it),
		cmocka_unit_test(only_plain_addresses_are_urls),
		cmocka_unit_test(plain_http_is_exposed_beyond_this_machine),
		cmocka_unit_test(an_origin_is_scheme_host_and_port),
		cmocka_unit_test(a_location_is_an_url_or_a_path_on_the_same_host),
		cmocka_unit_test(everything_but_plain_letters_is_encoded),
	};

	return cmocka_run_group_tests_name("provider", tests, NULL, NULL);
}
