/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/source.h"
#include "engine/base/source_codec.h"

#define STORED_SIZE  (1u << 20) /* buffer for bytes of the file */
#define DECODED_SIZE (1u << 19) /* buffer for decoded bytes; holds a head */

_Static_assert(DECODED_SIZE >= WEIR_HEAD_SIZE && STORED_SIZE >= WEIR_HEAD_SIZE,
               "a head fits each buffer");

/*
 * `stored` is a window into the read buffer or the caller's memory. For a plain input it moves to
 * `ready`, whose bytes are returned; for a compressed input `ready` is a window into the decoded
 * buffer.
 */
struct window {
	const uint8_t *data;
	size_t len;
};

struct weir_source {
	char *name;
	int fd;                           /* -1: memory, or supplied */
	struct weir_source_supply supply; /* no function: the bytes come from `fd` */
	uint8_t *buffer;                  /* STORED_SIZE; NULL: memory */
	uint8_t *decoded;                 /* DECODED_SIZE; NULL: plain */
	const struct weir_codec *codec;   /* NULL: plain */
	void *decoder;
	enum weir_codec_state state;
	const char *damage;
	struct window stored; /* read, not yet decoded or returned */
	struct window ready;  /* decoded, not yet returned */
	bool stored_end;      /* the file has no byte after `stored` */
	bool ended;           /* the input has no byte after `ready` */
	uint64_t position, stored_bytes, stored_size;
	uint64_t decoded_bytes; /* by the codec */
	weir_source_feed feed;  /* NULL: the bytes come from the file or from memory */
	void *feed_context;
	struct weir_source_division division;
	void (*report)(void *context, uint64_t done, uint64_t total); /* may be NULL */
	void *report_context;
	struct weir_spool origin; /* the bytes of an input without a path */
	struct weir_spool spool;  /* the whole input, once it is held */
	bool held;
};

static const struct weir_codec *const codecs[] = {&weir_codec_gzip, &weir_codec_zstd,
                                                  &weir_codec_utf16, NULL};

static enum weir_status fail_errno(struct weir_error *err, const char *what, int code)
{
	char reason[128];

	if (strerror_r(code, reason, sizeof(reason)))
		snprintf(reason, sizeof(reason), "error %d", code);
	return weir_fail(err, WEIR_E_IO, "%s: %s", what, reason);
}

/* Reads stored bytes into a buffer; *len 0 is the end. */
static enum weir_status fetch(struct weir_source *source, void *to, size_t room, size_t *len,
                              struct weir_error *err)
{
	ssize_t got;

	if (source->supply.fill)
		return source->supply.fill(source->supply.context, to, room, len, &source->damage,
		                           err);
	do
		got = read(source->fd, to, room);
	while (got < 0 && errno == EINTR);
	*len = got > 0 ? (size_t)got : 0;
	return got < 0 ? fail_errno(err, "cannot read", errno) : WEIR_OK;
}

/* Reads until `stored` has at least `least` bytes or the file ends. */
static enum weir_status read_stored(struct weir_source *source, size_t least,
                                    struct weir_error *err)
{
	if (source->stored_end || source->stored.len >= least)
		return WEIR_OK;
	if (source->stored.len > 0)
		memmove(source->buffer, source->stored.data, source->stored.len);
	source->stored.data = source->buffer;
	while (source->stored.len < least && !source->stored_end) {
		size_t got = 0;
		enum weir_status status = fetch(source, source->buffer + source->stored.len,
		                                STORED_SIZE - source->stored.len, &got, err);

		if (status)
			return status;
		source->stored_end = got == 0;
		source->stored.len += got;
		source->stored_bytes += got;
	}
	return WEIR_OK;
}

/* Takes one step of the decoder. *more becomes false if the room is full or the stream has ended.
 */
static enum weir_status decode_step(struct weir_source *source, struct weir_codec_io *io,
                                    bool *more, struct weir_error *err)
{
	enum weir_status status;

	io->in = source->stored.data;
	io->in_len = source->stored.len;
	source->state = source->codec->decode(source->decoder, io, &source->damage);
	source->stored = (struct window){io->in, io->in_len};
	*more = false;
	if (source->state == WEIR_CODEC_DAMAGED || io->out_room == 0)
		return WEIR_OK;
	status = read_stored(source, 1, err);
	*more = status == WEIR_OK && source->stored.len > 0;
	return status;
}

static void note_end(struct weir_source *source, size_t room)
{
	if (source->state == WEIR_CODEC_DAMAGED) {
		source->ended = true;
	} else if (room > 0) {
		source->ended = true;
		if (source->state == WEIR_CODEC_INSIDE && !source->damage)
			source->damage = source->codec->cut ? source->codec->cut
			                                    : "it ends inside its compressed data";
	}
}

/* Fails for a decompression bomb. */
static enum weir_status check_ratio(const struct weir_source *source, struct weir_error *err)
{
	if (source->decoded_bytes <= WEIR_SOURCE_RATIO_FROM ||
	    source->decoded_bytes / WEIR_SOURCE_MAX_RATIO <= source->stored_bytes)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_LIMIT,
	                 "it decompresses to more than %d times its size, as a decompression bomb "
	                 "does: decompress it yourself, and pass that",
	                 WEIR_SOURCE_MAX_RATIO);
}

/* Decodes into `room` bytes as far as the input allows; *len is the number of bytes. If reading
 * fails, the bytes decoded before are dropped. */
static enum weir_status decode(struct weir_source *source, uint8_t *to, size_t room, size_t *len,
                               struct weir_error *err)
{
	struct weir_codec_io io = {.out = to, .out_room = room};
	enum weir_status status = WEIR_OK;
	bool more = true;

	*len = 0;
	while (more && !status)
		status = decode_step(source, &io, &more, err);
	if (status)
		return status;
	note_end(source, io.out_room);
	*len = room - io.out_room;
	source->decoded_bytes += *len;
	return check_ratio(source, err);
}

static enum weir_status decode_ready(struct weir_source *source, struct weir_error *err)
{
	size_t len;
	enum weir_status status = decode(source, source->decoded, DECODED_SIZE, &len, err);

	if (!status)
		source->ready = (struct window){source->decoded, len};
	return status;
}

/* Fills `ready` with at least `least` bytes if the input has them; it is empty at the end. */
static enum weir_status make_ready(struct weir_source *source, size_t least, struct weir_error *err)
{
	enum weir_status status;

	if (source->ended)
		return WEIR_OK;
	if (source->codec)
		return decode_ready(source, err);
	status = read_stored(source, least, err);
	if (status)
		return status;
	source->ready = source->stored;
	source->stored.len = 0;
	source->ended = source->stored_end;
	return WEIR_OK;
}

static void choose_codec(struct weir_source *source)
{
	for (size_t i = 0; codecs[i]; i++) {
		if (!codecs[i]->claims(source->stored.data, source->stored.len))
			continue;
		source->codec = codecs[i];
		source->decoder = codecs[i]->create();
		source->decoded = weir_realloc(NULL, DECODED_SIZE);
		return;
	}
}

static bool begins_with(const struct window *window, const char *prefix, size_t len)
{
	return window->len >= len && memcmp(window->data, prefix, len) == 0;
}

/* Skips a byte order mark of UTF-8 and refuses those of other encodings, which are decoded only
 * where no compression is around them. */
static enum weir_status check_byte_order_mark(struct weir_source *source, struct weir_error *err)
{
	static const struct {
		const char *mark;
		size_t length;
		const char *encoding;
	} others[] = {
		{"\xff\xfe\0\0", 4, "UTF-32LE"},
		{"\0\0\xfe\xff", 4, "UTF-32BE"},
		{"\xff\xfe", 2, "UTF-16LE"},
		{"\xfe\xff", 2, "UTF-16BE"},
	};

	if (begins_with(&source->ready, "\xef\xbb\xbf", 3)) {
		source->ready.data += 3;
		source->ready.len -= 3;
		return WEIR_OK;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (begins_with(&source->ready, others[i].mark, others[i].length))
			return weir_fail(err, WEIR_E_FORMAT,
			                 "is text in %s; convert it to UTF-8 first",
			                 others[i].encoding);
	}
	return WEIR_OK;
}

/* Reads the start of the input, which shows the encoding. An unreadable input fails here. */
static enum weir_status begin(struct weir_source *source, struct weir_error *err)
{
	enum weir_status status = read_stored(source, WEIR_HEAD_SIZE, err);

	if (status)
		return status;
	choose_codec(source);
	status = make_ready(source, WEIR_HEAD_SIZE, err);
	if (status)
		return status;
	return check_byte_order_mark(source, err);
}

static struct weir_source *new_source(const char *name)
{
	struct weir_source *source = weir_alloc(sizeof(*source));
	size_t size = strlen(name) + 1;

	source->name = weir_alloc(size);
	memcpy(source->name, name, size);
	source->fd = -1;
	source->origin = source->spool = (struct weir_spool)WEIR_SPOOL_EMPTY;
	source->stored.data = (const uint8_t *)"";
	source->ready.data = (const uint8_t *)"";
	return source;
}

/* Opens the file; refuses a directory. */
static enum weir_status open_file(struct weir_source *source, const char *path,
                                  struct weir_error *err)
{
	struct stat about;

	source->fd =
		strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (source->fd < 0)
		return fail_errno(err, "cannot open", errno);
	if (fstat(source->fd, &about))
		return fail_errno(err, "cannot open", errno);
	if (S_ISDIR(about.st_mode))
		return weir_fail(err, WEIR_E_IO, "cannot read: it is a directory");
	if (S_ISREG(about.st_mode) && source->fd != STDIN_FILENO)
		source->stored_size = (uint64_t)about.st_size;
	(void)posix_fadvise(source->fd, 0, 0,
	                    POSIX_FADV_SEQUENTIAL); /* a hint, which fails for pipes */
	source->buffer = weir_realloc(NULL, STORED_SIZE);
	return WEIR_OK;
}

enum weir_status weir_source_open(const char *path, struct weir_source **out,
                                  struct weir_error *err)
{
	struct weir_source *source = new_source(strcmp(path, "-") == 0 ? "standard input" : path);
	enum weir_status status = open_file(source, path, err);

	if (!status)
		status = begin(source, err);
	if (status) {
		weir_source_free(source);
		return status;
	}
	*out = source;
	return WEIR_OK;
}

enum weir_status weir_source_open_supply(const char *name, const struct weir_source_supply *supply,
                                         struct weir_source **out, struct weir_error *err)
{
	struct weir_source *source = new_source(name);
	enum weir_status status;

	source->supply = *supply;
	source->buffer = weir_realloc(NULL, STORED_SIZE);
	status = begin(source, err);
	if (status) {
		weir_source_free(source);
		return status;
	}
	*out = source;
	return WEIR_OK;
}

enum weir_status weir_source_open_memory(const char *name, const void *data, size_t len,
                                         struct weir_source **out, struct weir_error *err)
{
	struct weir_source *source = new_source(name);
	enum weir_status status;

	if (len > 0)
		source->stored = (struct window){data, len};
	source->stored_end = true;
	source->stored_bytes = source->stored_size = len;
	status = begin(source, err);
	if (status) {
		weir_source_free(source);
		return status;
	}
	*out = source;
	return WEIR_OK;
}

enum weir_status weir_source_open_spool(const char *name, struct weir_spool *spool,
                                        struct weir_source **out, struct weir_error *err)
{
	struct weir_source *source = new_source(name);
	enum weir_status status = WEIR_OK;

	source->origin = *spool;
	*spool = (struct weir_spool)WEIR_SPOOL_EMPTY;
	source->stored_size = source->origin.length;
	if (source->origin.fd < 0) {
		source->stored_end = true;
		source->stored_bytes = source->origin.length;
		if (source->origin.length > 0)
			source->stored =
				(struct window){(const uint8_t *)source->origin.memory.data,
			                        source->origin.memory.length};
	} else {
		source->fd = source->origin.fd;
		source->buffer = weir_realloc(NULL, STORED_SIZE);
		if (lseek(source->fd, 0, SEEK_SET) != 0)
			status = fail_errno(err, "cannot read", errno);
	}
	if (!status)
		status = begin(source, err);
	if (status) {
		weir_source_free(source);
		return status;
	}
	*out = source;
	return WEIR_OK;
}

struct weir_source *weir_source_new_fed(const char *name, weir_source_feed feed, void *context)
{
	struct weir_source *source = new_source(name);

	source->feed = feed;
	source->feed_context = context;
	return source;
}

void weir_source_skip(struct weir_source *source, uint64_t bytes)
{
	source->position += bytes;
}

void weir_source_note_damage(struct weir_source *source, const char *damage)
{
	source->damage = damage;
}

void weir_source_count_stored(struct weir_source *source, uint64_t bytes)
{
	source->stored_bytes = bytes;
}

void weir_source_free(struct weir_source *source)
{
	if (!source)
		return;
	if (source->decoder)
		source->codec->destroy(source->decoder);
	if (source->fd >= 0 && source->fd != STDIN_FILENO && source->fd != source->origin.fd)
		close(source->fd);
	weir_spool_release(&source->origin);
	weir_spool_release(&source->spool);
	free(source->buffer);
	free(source->decoded);
	free(source->name);
	free(source);
}

enum weir_status weir_source_head(struct weir_source *source, const char **head, size_t *len,
                                  struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	if (source->ready.len == 0)
		status = make_ready(source, WEIR_HEAD_SIZE, err);
	*head = (const char *)source->ready.data;
	*len = source->ready.len < WEIR_HEAD_SIZE ? source->ready.len : WEIR_HEAD_SIZE;
	return status;
}

enum weir_status weir_source_next(struct weir_source *source, const char **data, size_t *len,
                                  struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	if (source->feed) {
		status = source->feed(source->feed_context, data, len, err);
		source->position += status ? 0 : *len;
		return status;
	}
	if (source->ready.len == 0)
		status = make_ready(source, 1, err);
	*data = (const char *)source->ready.data;
	*len = source->ready.len;
	source->position += source->ready.len;
	source->ready.len = 0;
	if (source->report)
		source->report(source->report_context, source->stored_bytes, source->stored_size);
	return status;
}

/* Takes bytes that are ready, at most `room`. */
static size_t take_ready(struct weir_source *source, char *to, size_t room)
{
	size_t len = source->ready.len < room ? source->ready.len : room;

	if (len > 0)
		memcpy(to, source->ready.data, len);
	source->ready.data += len;
	source->ready.len -= len;
	return len;
}

/* Reads bytes of a plain file without a copy in between; *len 0 is the end. */
static enum weir_status read_plain(struct weir_source *source, char *to, size_t room, size_t *len,
                                   struct weir_error *err)
{
	enum weir_status status = fetch(source, to, room, len, err);

	source->stored_bytes += *len;
	if (!status && *len == 0)
		source->stored_end = source->ended = true;
	return status;
}

enum weir_status weir_source_read(struct weir_source *source, char *to, size_t room, size_t *len,
                                  struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	*len = take_ready(source, to, room);
	while (!status && *len < room && !source->ended) {
		size_t more = 0;

		if (source->codec) {
			status = decode(source, (uint8_t *)to + *len, room - *len, &more, err);
		} else if (source->stored.len > 0 || source->stored_end) {
			status = make_ready(source, 1, err);
			more = take_ready(source, to + *len, room - *len);
		} else {
			status = read_plain(source, to + *len, room - *len, &more, err);
		}
		*len += more;
	}
	source->position += *len;
	if (source->report)
		source->report(source->report_context, source->stored_bytes, source->stored_size);
	return status;
}

void weir_source_divide(struct weir_source *source, struct weir_source_division division)
{
	source->division = division;
}

struct weir_source_division weir_source_division(const struct weir_source *source)
{
	return (struct weir_source_division){
		.threads = source->division.threads ? source->division.threads : 1,
		.block = source->division.block ? source->division.block : WEIR_SOURCE_BLOCK,
	};
}

void weir_source_watch(struct weir_source *source,
                       void (*report)(void *context, uint64_t done, uint64_t total), void *context)
{
	source->report = report;
	source->report_context = context;
}

const char *weir_source_name(const struct weir_source *source)
{
	return source->name;
}

uint64_t weir_source_position(const struct weir_source *source)
{
	return source->position;
}

uint64_t weir_source_stored_bytes(const struct weir_source *source)
{
	return source->stored_bytes;
}

uint64_t weir_source_stored_size(const struct weir_source *source)
{
	return source->stored_size;
}

uint64_t weir_source_expected_bytes(const struct weir_source *source)
{
	uint64_t used = source->stored_bytes - source->stored.len;

	if (!source->codec || !used)
		return source->stored_size;
	return (uint64_t)((double)source->decoded_bytes / (double)used *
	                  (double)source->stored_size);
}

/* Reads the input to its end into the spool. */
static enum weir_status fill_spool(struct weir_source *source, uint64_t limit,
                                   struct weir_error *err)
{
	const char *data;
	size_t len;
	enum weir_status status;

	while (!(status = weir_source_next(source, &data, &len, err)) && len > 0) {
		if (len > limit - source->spool.length)
			return weir_fail(err, WEIR_E_LIMIT,
			                 "more than %llu bytes that cannot be read in place: write "
			                 "them to a plain file first",
			                 (unsigned long long)limit);
		status = weir_spool_add(&source->spool, data, len, err);
		if (status)
			break;
	}
	return status;
}

enum weir_status weir_source_hold(struct weir_source *source, uint64_t limit, char **data,
                                  size_t *len, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	if (!source->held)
		status = fill_spool(source, limit, err);
	if (!status)
		status = weir_spool_bytes(&source->spool, data, len, err);
	if (status)
		return status;
	source->held = true;
	source->ended = true;
	source->position = 0;
	source->ready = (struct window){(const uint8_t *)*data, *len};
	return WEIR_OK;
}

const char *weir_source_take_file(struct weir_source *source)
{
	if (!weir_source_file(source) || source->codec)
		return NULL;
	source->ready.len = source->stored.len = 0;
	source->ended = source->stored_end = true;
	source->stored_bytes = source->position = source->stored_size;
	return source->name;
}

const char *weir_source_file(const struct weir_source *source)
{
	bool named = source->fd >= 0 && source->fd != STDIN_FILENO && source->origin.fd < 0;

	return named && source->stored_size > 0 ? source->name : NULL;
}

bool weir_source_seeks(const struct weir_source *source)
{
	return source->fd >= 0 && !source->codec && source->stored_size > 0;
}

enum weir_status weir_source_read_at(struct weir_source *source, uint64_t offset, char *to,
                                     size_t room, size_t *len, struct weir_error *err)
{
	*len = 0;
	if (offset > source->stored_size)
		return WEIR_OK;
	while (*len < room) {
		ssize_t got = pread(source->fd, to + *len, room - *len, (off_t)(offset + *len));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_errno(err, "cannot read", errno);
		if (got == 0)
			break;
		*len += (size_t)got;
	}
	if (offset + *len > source->stored_bytes)
		source->stored_bytes = offset + *len;
	if (source->report)
		source->report(source->report_context, source->stored_bytes, source->stored_size);
	return WEIR_OK;
}

const char *weir_source_damage(const struct weir_source *source)
{
	return source->damage;
}
