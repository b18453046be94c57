/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads addresses, connects, and explains why a server cannot be used. */
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baselines/db_postgresql.h"
#include "baselines/pq_calls.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

#define PAUSE_MS     100  /* between two attempts to connect */
#define LOOK_MS      3000 /* longest attempt that only asks for the reason of a failure */
#define MOST_SECONDS 600  /* of connect_timeout; 0 means no limit to libpq */
#define STATE_SIZE   6    /* five characters of an SQLSTATE */

long long weir_postgresql_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void weir_postgresql_sleep_ms(int ms)
{
	const struct timespec pause = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&pause, NULL);
}

/* --- addresses --- */

/* True unless an "@", "/" or "?" of a password that was not percent-encoded would be taken for the
 * host or the port, which messages show. */
static bool is_plain_url(const char *address)
{
	const char *begin = strstr(address, "://");
	const char *end, *at;

	if (!begin)
		return true; /* key=value pairs */
	begin += strlen("://");
	end = begin + strcspn(begin, "/?");
	at = strchr(begin, '@');
	return !at || (at < end && !strchr(at + 1, '@'));
}

static bool is_port_list(const char *port)
{
	return !port || strspn(port, "0123456789,") == strlen(port);
}

static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
	for (; options && options->keyword; options++)
		if (strcmp(options->keyword, keyword) == 0)
			return options->val && *options->val ? options->val : NULL;
	return NULL;
}

/* NULL if the address is malformed. The caller frees it with PQconninfoFree(). */
static PQconninfoOption *parse(const char *address)
{
	char *reason = NULL; /* may repeat the password */
	PQconninfoOption *options =
		is_plain_url(address) ? PQconninfoParse(address, &reason) : NULL;

	PQfreemem(reason);
	if (options && is_port_list(value_of(options, "port")))
		return options;
	PQconninfoFree(options);
	return NULL;
}

static void add_encoded(struct weir_text *text, const char *value)
{
	weir_text_percent(text, value, "-._~/,");
}

/* Appends "?host=VALUE" or "&host=VALUE". */
static void add_parameter(struct weir_text *text, const char *name, const char *value)
{
	if (!value)
		return;
	weir_text_printf(text, "%c%s=", strchr(text->data, '?') ? '&' : '?', name);
	add_encoded(text, value);
}

/* A socket's folder, several hosts and IPv6 addresses stand behind the "?". */
static bool fits_authority(const char *host, const char *port)
{
	return host && !strpbrk(host, "/,:@") && !(port && strchr(port, ','));
}

char *weir_postgresql_label(const char *address)
{
	PQconninfoOption *options, *defaults;
	const char *part[4]; /* as in `names` */
	static const char *const names[] = {"user", "host", "port", "dbname"};
	const char *service;
	struct weir_text text = {0};

	if (weir_libpq_load(NULL))
		return weir_alloc_text("postgresql://...");
	options = parse(address);
	defaults = PQconndefaults();
	service = value_of(options, "service");
	for (size_t i = 0; i < 4; i++) {
		part[i] = value_of(options, names[i]);
		if (!part[i] && !service)
			part[i] = value_of(defaults, names[i]);
	}
	weir_text_puts(&text, "postgresql://");
	if (options) {
		bool inline_host = fits_authority(part[1], part[2]);

		if (part[0])
			add_encoded(&text, part[0]);
		weir_text_puts(&text, part[0] ? "@" : "");
		if (inline_host)
			add_encoded(&text, part[1]);
		if (inline_host && part[2])
			weir_text_printf(&text, ":%s", part[2]);
		weir_text_puts(&text, "/");
		if (part[3])
			add_encoded(&text, part[3]);
		add_parameter(&text, "host", inline_host ? NULL : part[1]);
		add_parameter(&text, "port", inline_host ? NULL : part[2]);
		add_parameter(&text, "service", service);
	} else {
		weir_text_puts(&text, "...");
	}
	PQconninfoFree(options);
	PQconninfoFree(defaults);
	return text.data;
}

/* --- connecting --- */

/* Values before `dbname` are defaults, values after it have priority. */
static const char *const keywords[] = {"fallback_application_name",
                                       "connect_timeout",
                                       "tcp_user_timeout",
                                       "keepalives_idle",
                                       "keepalives_interval",
                                       "keepalives_count",
                                       "dbname",
                                       "client_encoding",
                                       NULL};

static void fill_values(const char *address, const char *values[])
{
	const char *timeout = getenv("PGCONNECT_TIMEOUT");

	values[0] = "weir";
	values[1] = timeout && *timeout ? timeout : "10"; /* seconds, for each host */
	values[2] =
		"10000"; /* milliseconds without an acknowledgement; then the next host is tried */
	values[3] = "10";
	values[4] = "5";
	values[5] = "3";
	values[6] = address;
	values[7] = "UTF8";
	values[8] = NULL;
}

static void ignore_notice(void *context, const char *message)
{
	(void)context;
	(void)message;
}

/* Finishes a connection that was begun, in a limited time. */
static void poll_until(PGconn *connection, long long deadline_ms)
{
	PostgresPollingStatusType wants = PGRES_POLLING_WRITING;

	while (wants == PGRES_POLLING_WRITING || wants == PGRES_POLLING_READING) {
		long long left = deadline_ms - weir_postgresql_now_ms();
		struct pollfd socket = {.fd = PQsocket(connection),
		                        .events =
		                                wants == PGRES_POLLING_READING ? POLLIN : POLLOUT};

		if (left <= 0 || socket.fd < 0 || poll(&socket, 1, (int)left) == 0)
			return;
		wants = PQconnectPoll(connection);
	}
}

/* Begins a connection. libpq would print notices of the server. */
static PGconn *start(const char *address)
{
	const char *values[sizeof keywords / sizeof keywords[0]];
	PGconn *connection;

	fill_values(address, values);
	connection = PQconnectStartParams(keywords, values, 1);
	if (!connection)
		weir_out_of_memory();
	PQsetNoticeProcessor(connection, ignore_notice, NULL);
	return connection;
}

/* Returns the longest time that an attempt may take: connect_timeout for each host. */
static long long limit_of(PGconn *connection)
{
	PQconninfoOption *options = PQconninfo(connection);
	const char *timeout = value_of(options, "connect_timeout");
	const char *hosts = value_of(options, "host");
	int64_t seconds = 0, count = 1;

	if (!timeout || !weir_parse_i64(timeout, strlen(timeout), &seconds) || seconds < 1 ||
	    seconds > MOST_SECONDS)
		seconds = MOST_SECONDS;
	for (; hosts && *hosts; hosts++)
		count += *hosts == ',';
	PQconninfoFree(options);
	return 1000 * seconds * count;
}

/* Connects once more to read the SQLSTATE of the refusal, which libpq shows only at this verbosity:
 * messages of a server are in its language. "" if the server did not refuse. */
static void read_state(const char *address, char state[STATE_SIZE])
{
	PGconn *connection;
	const char *text;
	size_t length;

	*state = '\0';
	connection = start(address);
	PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE);
	poll_until(connection, weir_postgresql_now_ms() + LOOK_MS);
	text = PQerrorMessage(connection);
	length = strlen(text);
	while (length > 0 && strchr("\n\r ", text[length - 1]))
		length--;
	if (length > STATE_SIZE && text[length - STATE_SIZE] == ' ' &&
	    strspn(text + length - 5, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") >= 5)
		memcpy(state, text + length - 5, 5);
	state[5] = '\0';
	PQfinish(connection);
}

static const struct {
	const char *state, *words;
} refusals[] = {
	/* by SQLSTATE */
	{"28P01", "refuses the password: put the right one into PGPASSFILE or PGPASSWORD"},
	{"28000", "refuses this user: add it with createuser, or allow it in pg_hba.conf"},
	{"3D000", "has no such database: make it with createdb, or correct the name"},
	{"42501", "refuses to let this user into the database: grant it CONNECT"},
	{"53300", "has no free connection: try again, or raise max_connections"},
	{"57P01", "is shutting down: try again when it runs"},
	{"57P02", "is restarting after a crash: try again when it runs"},
	{"57P03", "is starting or stopping: try again when it runs"},
};

enum obstacle { REFUSED, STARTING, SILENT };

/* Explains a failed attempt. */
static enum weir_status explain(const char *address, const char *label, const PGconn *connection,
                                enum obstacle *obstacle, struct weir_error *err)
{
	const char *text = PQerrorMessage(connection);
	char state[STATE_SIZE];

	*obstacle = REFUSED;
	if (PQconnectionNeedsPassword(connection))
		return weir_fail(err, WEIR_E_STORE,
		                 "%s wants a password: put it into PGPASSFILE or PGPASSWORD",
		                 label);
	*state = '\0';
	if (*text) /* else no answer came in time */
		read_state(address, state);
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		if (strcmp(state, refusals[i].state) != 0)
			continue;
		if (strncmp(state, "57P", 3) == 0 || strncmp(state, "53", 2) == 0)
			*obstacle = STARTING;
		return weir_fail(err, WEIR_E_STORE, "%s %s", label, refusals[i].words);
	}
	if (*state)
		return weir_fail(err, WEIR_E_STORE, "%s refuses the connection (SQLSTATE %s)",
		                 label, state);
	*obstacle = SILENT;
	return weir_fail(err, WEIR_E_STORE,
	                 "%s does not answer: start the server, or correct host and port (%.*s)",
	                 label, *text ? (int)strcspn(text, "\n") : INT_MAX,
	                 *text ? text : "no answer in time");
}

/* Connects once. */
static enum weir_status attempt(const char *address, const char *label, PGconn **out,
                                enum obstacle *obstacle, struct weir_error *err)
{
	enum weir_status status;

	*out = start(address);
	if (PQstatus(*out) != CONNECTION_BAD)
		poll_until(*out, weir_postgresql_now_ms() + limit_of(*out));
	if (PQstatus(*out) == CONNECTION_OK)
		return WEIR_OK;
	status = explain(address, label, *out, obstacle, err);
	PQfinish(*out);
	*out = NULL;
	return status;
}

enum weir_status weir_postgresql_connect(const char *address, const char *label, int patience_ms,
                                         bool persistent, struct pg_conn **out,
                                         struct weir_error *err)
{
	long long deadline = weir_postgresql_now_ms() + patience_ms;
	PQconninfoOption *options;
	enum obstacle obstacle = SILENT;
	bool waits = true;
	enum weir_status status = weir_libpq_load(err);

	*out = NULL;
	if (status)
		return status;
	options = parse(address);
	if (!options)
		return weir_fail(err, WEIR_E_STORE,
		                 "the address of the store is malformed: expected "
		                 "postgresql://USER@HOST:PORT/DATABASE, with special characters "
		                 "percent-encoded");
	PQconninfoFree(options);
	do {
		status = attempt(address, label, out, &obstacle, err);
		waits = obstacle == STARTING || (obstacle == SILENT && persistent);
		if (status && waits)
			weir_postgresql_sleep_ms(PAUSE_MS);
	} while (status && waits && weir_postgresql_now_ms() < deadline);
	return status;
}
