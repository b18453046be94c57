/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libcurl against a server in a child process: it accepts one connection, writes the request to
 * a pipe, and answers with fixed bytes. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ci/comment/http.h"
#include "engine/base/arena.h"

struct server {
	pid_t pid;
	int asked; /* the request is read from here */
	char url[64];
};

/* Reads until the head is complete, and a body of 4 bytes if one is announced. */
static void answer_one(int listener, int asked, const char *bytes, size_t repeats)
{
	char request[4096] = "";
	size_t got = 0;
	int peer = accept(listener, NULL, NULL);
	const char *end = NULL;

	while (got < sizeof(request) - 1) {
		ssize_t count = read(peer, request + got, sizeof(request) - 1 - got);

		if (count <= 0)
			break;
		got += (size_t)count;
		if (request[0] == 0x16) /* a TLS handshake */
			break;
		end = strstr(request, "\r\n\r\n");
		if (end && (!strstr(request, "Content-Length: 4") || strlen(end) >= 8))
			break;
	}
	if (write(asked, request, got) < 0)
		_exit(1);
	if (!bytes)
		poll(NULL, 0, 20000); /* never answers */
	for (size_t i = 0; bytes && i < repeats; i++)
		if (write(peer, bytes, strlen(bytes)) < 0)
			break;
	_exit(0);
}

static struct server serve(const char *bytes, size_t repeats)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), ends[2];
	struct server server;

	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(pipe(ends), 0);
	snprintf(server.url, sizeof(server.url), "http://127.0.0.1:%u/x",
	         (unsigned)ntohs(address.sin_port));
	server.asked = ends[0];
	server.pid = fork();
	assert_true(server.pid >= 0);
	if (server.pid == 0) {
		signal(SIGPIPE, SIG_IGN);
		answer_one(listener, ends[1], bytes, repeats);
	}
	close(ends[1]);
	close(listener);
	return server;
}

/* Returns the request that the server received, and ends the server. */
static char *end_server(struct server *server)
{
	static char asked[4096];
	ssize_t count;

	kill(server->pid, SIGTERM);
	waitpid(server->pid, NULL, 0);
	count = read(server->asked, asked, sizeof(asked) - 1);
	asked[count > 0 ? count : 0] = '\0';
	close(server->asked);
	return asked;
}

static enum weir_http_result send_to(const char *url, const char *method, const char *body,
                                     struct weir_http_answer *answer)
{
	const char *const headers[] = {"X-Token: t", NULL};
	const struct weir_http_request request = {method, url, headers, body, 1500};
	struct weir_http *http = weir_http_new();
	struct weir_transport transport;
	enum weir_http_result result;

	assert_non_null(http);
	transport = weir_http_transport(http);
	result = transport.send(transport.context, &request, answer);
	weir_http_free(http);
	return result;
}

static void an_answer_comes_with_its_headers_and_body(void **state)
{
	struct server server =
		serve("HTTP/1.1 201 Created\r\nLink:  <a>; rel=\"next\" \r\n"
	              "RETRY-AFTER: 3\r\nX-Other: 1\r\nContent-Length: 5\r\n\r\nhello",
	              1);
	struct weir_http_answer answer = {0};
	const char *asked;

	(void)state;
	assert_int_equal(send_to(server.url, "PATCH", "body", &answer), WEIR_HTTP_ANSWERED);
	asked = end_server(&server);
	assert_int_equal(answer.status, 201);
	assert_string_equal(answer.body.data, "hello");
	assert_string_equal(weir_http_answer_header(&answer, WEIR_HTTP_LINK), "<a>; rel=\"next\"");
	assert_string_equal(weir_http_answer_header(&answer, WEIR_HTTP_RETRY_AFTER), "3");
	assert_null(answer.header[WEIR_HTTP_NEXT_PAGE].data);
	assert_int_equal(strncmp(asked, "PATCH /x HTTP/1.1\r\n", 19), 0);
	assert_non_null(strstr(asked, "X-Token: t\r\n"));
	assert_non_null(strstr(asked, "User-Agent: weir/"));
	assert_non_null(strstr(asked, "\r\n\r\nbody"));
	weir_http_answer_release(&answer);
}

static void a_redirect_is_an_answer_and_is_not_followed(void **state)
{
	struct server server = serve("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
	                             "Content-Length: 0\r\n\r\n",
	                             1);
	struct weir_http_answer answer = {0};

	(void)state;
	assert_int_equal(send_to(server.url, "GET", NULL, &answer), WEIR_HTTP_ANSWERED);
	end_server(&server);
	assert_int_equal(answer.status, 302);
	assert_string_equal(weir_http_answer_header(&answer, WEIR_HTTP_LOCATION),
	                    "http://127.0.0.1:1/");
	weir_http_answer_release(&answer);
}

static void silence_ends_in_time(void **state)
{
	struct server server = serve(NULL, 1);
	struct weir_http_answer answer = {0};

	(void)state;
	assert_int_equal(send_to(server.url, "GET", NULL, &answer), WEIR_HTTP_UNSURE);
	end_server(&server);
	assert_int_equal(answer.status, 0);
	assert_non_null(answer.reason);
	weir_http_answer_release(&answer);
}

static void an_answer_cut_short_is_lost(void **state)
{
	struct server server = serve("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhel", 1);
	struct weir_http_answer answer = {0};

	(void)state;
	assert_int_equal(send_to(server.url, "GET", NULL, &answer), WEIR_HTTP_UNSURE);
	end_server(&server);
	weir_http_answer_release(&answer);
}

static void an_answer_above_the_limit_is_refused(void **state)
{
	struct weir_text block = {0};
	struct weir_http_answer answer = {0};
	struct server server;

	(void)state;
	weir_text_puts(&block, "HTTP/1.1 200 OK\r\n\r\n");
	weir_text_repeat(&block, "x", 1u << 20);
	server = serve(block.data, 40);
	assert_int_equal(send_to(server.url, "GET", NULL, &answer), WEIR_HTTP_UNFIT);
	end_server(&server);
	assert_true(answer.body.length <= WEIR_HTTP_MAX_BODY);
	weir_http_answer_release(&answer);
	weir_text_release(&block);
}

static void a_closed_port_is_not_reached(void **state)
{
	struct server server = serve("", 1);
	struct weir_http_answer answer = {0};

	(void)state;
	end_server(&server);
	assert_int_equal(send_to(server.url, "POST", "body", &answer), WEIR_HTTP_NOT_DONE);
	weir_http_answer_release(&answer);
}

static void only_http_is_spoken(void **state)
{
	struct weir_http_answer answer = {0};

	(void)state;
	assert_int_equal(send_to("file:///etc/hostname", "GET", NULL, &answer), WEIR_HTTP_UNFIT);
	assert_int_equal(answer.body.length, 0);
	weir_http_answer_release(&answer);
}

static void without_a_certificate_there_is_no_https(void **state)
{
	struct server server = serve("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1);
	struct weir_http_answer answer = {0};
	struct weir_text url = {0};

	(void)state;
	weir_text_printf(&url, "https%s", server.url + 4);
	assert_int_equal(send_to(url.data, "GET", NULL, &answer), WEIR_HTTP_UNFIT);
	assert_null(strstr(end_server(&server), "X-Token"));
	weir_http_answer_release(&answer);
	weir_text_release(&url);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_comes_with_its_headers_and_body),
		cmocka_unit_test(a_redirect_is_an_answer_and_is_not_followed),
		cmocka_unit_test(silence_ends_in_time),
		cmocka_unit_test(an_answer_cut_short_is_lost),
		cmocka_unit_test(an_answer_above_the_limit_is_refused),
		cmocka_unit_test(a_closed_port_is_not_reached),
		cmocka_unit_test(only_http_is_spoken),
		cmocka_unit_test(without_a_certificate_there_is_no_https),
	};

	/* A proxy of the machine is not used for loopback addresses. */
	setenv("no_proxy", "127.0.0.1", 1);
	return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
