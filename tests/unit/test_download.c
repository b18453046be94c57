/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/download.h"

/* ---- a server that gives one answer to one request ---- */

struct server {
	int fd;
	unsigned port;
	const char *answer;
	char request[4096];
	pthread_t thread;
};

static void *serve(void *context)
{
	struct server *server = context;
	int peer = accept(server->fd, NULL, NULL);
	size_t length = strlen(server->answer);

	if (peer < 0)
		return NULL;
	if (read(peer, server->request, sizeof server->request - 1) > 0)
		while (length > 0) {
			ssize_t done = write(peer, server->answer, length);

			if (done <= 0)
				break;
			server->answer += done;
			length -= (size_t)done;
		}
	close(peer);
	return NULL;
}

static void start(struct server *server, const char *answer)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t size = sizeof address;

	*server = (struct server){.answer = answer};
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(server->fd >= 0);
	assert_int_equal(bind(server->fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(server->fd, 1), 0);
	assert_int_equal(getsockname(server->fd, (struct sockaddr *)&address, &size), 0);
	server->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop(struct server *server)
{
	pthread_join(server->thread, NULL);
	close(server->fd);
}

static void note_report(void *context, uint64_t done, uint64_t total)
{
	uint64_t *seen = context;

	seen[0] = done > seen[0] ? done : seen[0];
	seen[1] = total;
}

/* Fetches the answer of a server into a spool. */
static enum weir_status fetch(const char *answer, uint64_t max_bytes, struct weir_spool *spool,
                              uint64_t seen[2], struct weir_error *err)
{
	struct server server;
	char url[64];
	struct weir_download request = {
		.url = url, .max_bytes = max_bytes, .report = note_report, .context = seen};
	enum weir_status status;

	start(&server, answer);
	snprintf(url, sizeof url, "http://127.0.0.1:%u/trace.json", server.port);
	status = weir_download(&request, spool, err);
	stop(&server);
	assert_null(strstr(server.request, "uthorization"));
	assert_null(strstr(server.request, "ookie"));
	assert_non_null(strstr(server.request, "User-Agent: weir/"));
	return status;
}

#define NINE "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nsome text"
#define OPEN "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome text"

static void a_file_is_fetched(void **state)
{
	struct weir_spool spool = WEIR_SPOOL_EMPTY;
	uint64_t seen[2] = {0};
	struct weir_error err = {0};
	char *data;
	size_t len;

	(void)state;
	if (fetch(NINE, 0, &spool, seen, &err))
		fail_msg("%s", err.message);
	assert_int_equal(weir_spool_bytes(&spool, &data, &len, NULL), WEIR_OK);
	assert_int_equal(len, 9);
	assert_memory_equal(data, "some text", 9);
	assert_int_equal(seen[0], 9);
	assert_int_equal(seen[1], 9);
	weir_spool_release(&spool);
}

static void the_size_has_a_limit(void **state)
{
	static const char *const answers[] = {NINE, OPEN};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_spool spool = WEIR_SPOOL_EMPTY;
		uint64_t seen[2] = {0};
		struct weir_error err = {0};

		assert_int_equal(fetch(answers[i], 9, &spool, seen, &err), WEIR_OK);
		assert_int_equal(spool.length, 9);
		weir_spool_release(&spool);
		assert_int_equal(fetch(answers[i], 8, &spool, seen, &err), WEIR_E_LIMIT);
		assert_non_null(strstr(err.message, "more than 8 bytes"));
		weir_spool_release(&spool);
	}
}

static void a_transfer_that_ends_early_is_an_error(void **state)
{
	struct weir_spool spool = WEIR_SPOOL_EMPTY;
	uint64_t seen[2] = {0};
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(fetch("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nsome text", 0, &spool,
	                       seen, &err),
	                 WEIR_E_IO);
	assert_int_equal(strncmp(err.message, "cannot fetch: ", 14), 0);
	weir_spool_release(&spool);
}

static void a_status_that_is_no_success_is_an_error(void **state)
{
	static const struct {
		const char *answer, *message;
	} cases[] = {
		{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
	         "asks for a sign-in (status "
	         "401)"},
		{"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
	         "asks for a sign-in (status 403)"},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "answers with status 404"},
		{"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops", "answers with status 500"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_spool spool = WEIR_SPOOL_EMPTY;
		uint64_t seen[2] = {0};
		struct weir_error err = {0};

		assert_int_equal(fetch(cases[i].answer, 0, &spool, seen, &err), WEIR_E_IO);
		assert_non_null(strstr(err.message, cases[i].message));
		assert_int_equal(spool.length, 0);
		weir_spool_release(&spool);
	}
}

static void addresses_are_told_from_paths(void **state)
{
	(void)state;
	assert_true(weir_download_takes("http://host/x"));
	assert_true(weir_download_takes("HTTPS://host/x"));
	assert_false(weir_download_takes("s3://bucket/x"));
	assert_false(weir_download_takes("http:/host/x"));
	assert_true(weir_download_is_address("s3://bucket/x"));
	assert_false(weir_download_is_address("a/b://c"));
	assert_false(weir_download_is_address("://c"));
	assert_false(weir_download_is_address("C://dir"));
	assert_false(weir_download_is_address("trace.json"));
	assert_false(weir_download_is_address("-"));
}

static void expect_label(const char *url, const char *label)
{
	struct weir_text text = {0};

	weir_download_label(&text, url);
	assert_string_equal(text.data, label);
	weir_text_release(&text);
}

static void a_label_holds_no_secret(void **state)
{
	(void)state;
	expect_label("https://host/a/b.json?X-Sig=secret", "https://host/a/b.json");
	expect_label("https://host/a/b.json#secret", "https://host/a/b.json");
	expect_label("https://me:secret@host/a@b", "https://host/a@b");
	expect_label("https://host?secret", "https://host");
	expect_label("http://host:80/", "http://host:80/");
}

static void a_password_is_not_sent(void **state)
{
	static const char *const urls[] = {"http://me:secret@127.0.0.1:1/",
	                                   "http://me@127.0.0.1:1/"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct weir_download request = {.url = urls[i]};
		struct weir_spool spool = WEIR_SPOOL_EMPTY;
		struct weir_error err = {0};

		assert_int_equal(weir_download(&request, &spool, &err), WEIR_E_USAGE);
		assert_null(strstr(err.message, "secret"));
	}
}

static void expect_refusal(const char *address, const char *message)
{
	struct weir_error err = {0};

	assert_int_equal(weir_download_refuse(address, &err), WEIR_E_USAGE);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
}

static void other_stores_have_a_command(void **state)
{
	(void)state;
	expect_refusal("s3://b/k", "aws s3 cp s3://b/k - | weir classify -");
	expect_refusal("S3://b/k", "aws s3 cp S3://b/k - | weir classify -");
	expect_refusal("s3://b/k k", "aws s3 cp 's3://b/k k' - | weir classify -");
	expect_refusal("s3://b/k'k", "aws s3 cp ADDRESS - | weir classify -");
	expect_refusal("gs://b/k", "gcloud storage cat gs://b/k | weir classify -");
	expect_refusal("hf://datasets/o/n/f",
	               "https://huggingface.co/REPOSITORY/resolve/main/FILE");
	expect_refusal("other://x", "pipe it into weir classify - (here other://x)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_fetched),
		cmocka_unit_test(the_size_has_a_limit),
		cmocka_unit_test(a_transfer_that_ends_early_is_an_error),
		cmocka_unit_test(a_status_that_is_no_success_is_an_error),
		cmocka_unit_test(addresses_are_told_from_paths),
		cmocka_unit_test(a_label_holds_no_secret),
		cmocka_unit_test(a_password_is_not_sent),
		cmocka_unit_test(other_stores_have_a_command),
	};

	setenv("no_proxy", "127.0.0.1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
