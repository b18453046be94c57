/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/archive.h"
#include "engine/base/archive_calls.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

#define READ_SIZE 65536

struct weir_archive {
	struct archive *handle;
	struct weir_source *source; /* borrowed */
	struct weir_archive_budget *budget;
	uint64_t at;  /* offset in a source that seeks */
	char *buffer; /* READ_SIZE bytes of such a source; else NULL */
	enum weir_status
		status; /* the failure of the source, which libarchive passes on as its own */
	struct weir_error err;
	bool inside; /* in a member: the rest of its content is to be passed over */
	bool began;  /* a member was found */
	bool ended;
	const char *block; /* content that libarchive gave and nobody took yet */
	size_t block_len;
	uint64_t block_at;  /* its offset in the member; before it is a hole of zeros */
	uint64_t member_at; /* bytes of the member that were taken */
	struct weir_text name;
	char damage[256]; /* "": none */
	bool damaged;     /* in the current member */
};

/* ---- recognition ---- */

static bool begins_with(const char *head, size_t len, const char *magic, size_t size)
{
	return len >= size && memcmp(head, magic, size) == 0;
}

static bool is_xz(const char *head, size_t len)
{
	return begins_with(head, len, "\xfd\x37zXZ\0", 6);
}

static bool is_bzip2(const char *head, size_t len)
{
	return begins_with(head, len, "BZh", 3) && len >= 10 && head[3] >= '1' && head[3] <= '9' &&
	       (begins_with(head + 4, len - 4, "1AY&SY", 6) ||
	        begins_with(head + 4, len - 4, "\x17rE8P\x90", 6));
}

static bool is_zip(const char *head, size_t len)
{
	return begins_with(head, len, "PK\x03\x04", 4) || begins_with(head, len, "PK\x05\x06", 4);
}

static bool is_tar(const char *head, size_t len)
{
	return len >= 512 && memcmp(head + 257, "ustar", 5) == 0;
}

bool weir_archive_begins(const char *head, size_t len)
{
	return is_xz(head, len) || is_bzip2(head, len) || is_zip(head, len) || is_tar(head, len);
}

/* ---- the dictionary of xz ---- */

static bool take_number(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 63 && *at < end; shift += 7) {
		unsigned char byte = *(*at)++;

		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Returns the bytes that the first block of an xz stream looks back, for which the decoder
 * allocates memory; 0 if its header does not say. The .xz file format, version 1.1, 3.1 and 5.3.1.
 */
static uint64_t window_of(const char *head, size_t len)
{
	enum { BLOCK_AT = 12, COMPRESSED_SIZE = 0x40, UNCOMPRESSED_SIZE = 0x80, LZMA2 = 0x21 };
	const unsigned char *at = (const unsigned char *)head + BLOCK_AT, *end;
	uint64_t number, id, size;
	unsigned flags;

	if (len < BLOCK_AT + 2 || at[0] == 0)
		return 0;
	end = at + ((size_t)at[0] + 1) * 4;
	if (end > (const unsigned char *)head + len)
		return 0;
	flags = at[1];
	at += 2;
	if ((flags & COMPRESSED_SIZE && !take_number(&at, end, &number)) ||
	    (flags & UNCOMPRESSED_SIZE && !take_number(&at, end, &number)))
		return 0;
	for (unsigned filters = (flags & 3) + 1; filters > 0; filters--) {
		if (!take_number(&at, end, &id) || !take_number(&at, end, &size) ||
		    size > (uint64_t)(end - at))
			return 0;
		if (id == LZMA2 && size == 1)
			return (UINT64_C(2) | (*at & 1)) << ((*at & 0x3f) / 2 + 11);
		at += size;
	}
	return 0;
}

/* ---- limits ---- */

struct weir_archive_budget weir_archive_budget_of(const struct weir_source *stored)
{
	return (struct weir_archive_budget){
		.stored = stored,
		.max_bytes = WEIR_ARCHIVE_MAX_BYTES,
		.max_ratio = WEIR_ARCHIVE_MAX_RATIO,
		.ratio_from = WEIR_ARCHIVE_RATIO_FROM,
		.max_members = WEIR_ARCHIVE_MAX_MEMBERS,
	};
}

/* Returns the stored bytes of the outermost file: its size, or the bytes read so far. */
static uint64_t stored_bytes(const struct weir_archive_budget *budget)
{
	uint64_t size = weir_source_stored_size(budget->stored);

	return size ? size : weir_source_stored_bytes(budget->stored);
}

static enum weir_status spend_bytes(struct weir_archive_budget *budget, uint64_t bytes,
                                    struct weir_error *err)
{
	static const char advice[] = "unpack it yourself, and name the profiles in it";
	uint64_t stored = stored_bytes(budget);

	budget->bytes = bytes > UINT64_MAX - budget->bytes ? UINT64_MAX : budget->bytes + bytes;
	if (budget->bytes > budget->max_bytes)
		return weir_fail(err, WEIR_E_LIMIT, "it unpacks to more than %llu bytes: %s",
		                 (unsigned long long)budget->max_bytes, advice);
	if (budget->bytes > budget->ratio_from && stored < UINT64_MAX / budget->max_ratio &&
	    budget->bytes > stored * budget->max_ratio)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "it unpacks to more than %llu times its size, as a decompression "
		                 "bomb does: %s",
		                 (unsigned long long)budget->max_ratio, advice);
	return WEIR_OK;
}

static enum weir_status spend_member(struct weir_archive_budget *budget, struct weir_error *err)
{
	if (budget->members < budget->max_members) {
		budget->members++;
		return WEIR_OK;
	}
	return weir_fail(err, WEIR_E_LIMIT,
	                 "the archive holds more than %llu members: unpack it, and name the "
	                 "profiles in it",
	                 (unsigned long long)budget->max_members);
}

/* ---- the bytes of the archive ---- */

static la_ssize_t give(struct archive *handle, void *context, const void **out)
{
	struct weir_archive *archive = context;
	const char *data = archive->buffer;
	size_t len = 0;

	if (data)
		archive->status = weir_source_read_at(archive->source, archive->at, archive->buffer,
		                                      READ_SIZE, &len, &archive->err);
	else
		archive->status = weir_source_next(archive->source, &data, &len, &archive->err);
	if (archive->status) {
		archive_set_error(handle, EIO, "cannot read");
		return -1;
	}
	archive->at += len;
	*out = data;
	return (la_ssize_t)len;
}

/* Moves to an offset of a source that seeks. */
static la_int64_t seek(struct archive *handle, void *context, la_int64_t offset, int whence)
{
	struct weir_archive *archive = context;
	int64_t size = (int64_t)weir_source_stored_size(archive->source);
	int64_t base = whence == SEEK_END ? size : whence == SEEK_CUR ? (int64_t)archive->at : 0;

	if (offset < -base || offset > size - base) {
		archive_set_error(handle, EINVAL, "an offset outside the file");
		return ARCHIVE_FATAL;
	}
	archive->at = (uint64_t)(base + offset);
	return base + offset;
}

/* Ends the call if libarchive lacked memory, which it reports as damage, or as the end of a file.
 */
static void check_memory(const struct weir_archive *archive)
{
	if (archive_errno(archive->handle) == ENOMEM)
		weir_out_of_memory();
}

/* Returns libarchive's reason for its last error. */
static const char *reason_of(const struct weir_archive *archive)
{
	const char *reason = archive_error_string(archive->handle);

	check_memory(archive);
	return reason ? reason : "libarchive gives no reason";
}

static enum weir_status choose_formats(struct weir_archive *archive, const char *head, size_t len,
                                       struct weir_error *err)
{
	struct archive *handle = archive->handle;
	bool stream = is_xz(head, len) || is_bzip2(head, len);
	bool ready = archive_read_support_format_tar(handle) >= ARCHIVE_WARN &&
	             archive_read_support_format_zip(handle) >= ARCHIVE_WARN;

	if (stream)
		ready = ready && archive_read_support_filter_xz(handle) == ARCHIVE_OK &&
		        archive_read_support_filter_bzip2(handle) == ARCHIVE_OK &&
		        archive_read_support_format_raw(handle) == ARCHIVE_OK;
	if (!ready)
		return weir_fail(err, WEIR_E_INTERNAL, "libarchive lacks a format: %s",
		                 reason_of(archive));
	if (is_xz(head, len) && window_of(head, len) > WEIR_ARCHIVE_MAX_WINDOW)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "its xz stream needs %llu bytes of memory, more than %llu: unpack "
		                 "it first",
		                 (unsigned long long)window_of(head, len),
		                 (unsigned long long)WEIR_ARCHIVE_MAX_WINDOW);
	return WEIR_OK;
}

/* Fails with the reason of the source, or with that of libarchive. */
static enum weir_status fail_archive(const struct weir_archive *archive, struct weir_error *err)
{
	if (archive->status) {
		if (err)
			*err = archive->err;
		return archive->status;
	}
	return weir_fail(err, WEIR_E_FORMAT, "the archive is damaged or cut off: %s",
	                 reason_of(archive));
}

enum weir_status weir_archive_open(struct weir_source *source, struct weir_archive_budget *budget,
                                   struct weir_archive **out, struct weir_error *err)
{
	struct weir_archive *archive = weir_alloc(sizeof *archive);
	const char *head;
	size_t len;
	enum weir_status status = weir_libarchive_load(err);

	if (!status)
		status = weir_source_head(source, &head, &len, err);
	if (status) {
		free(archive);
		return status;
	}
	archive->source = source;
	archive->budget = budget;
	archive->handle = archive_read_new();
	if (!archive->handle)
		weir_out_of_memory();
	status = choose_formats(archive, head, len, err);
	if (!status && weir_source_seeks(source)) {
		archive->buffer = weir_alloc(READ_SIZE);
		archive_read_set_seek_callback(archive->handle, seek);
	}
	if (!status && archive_read_open(archive->handle, archive, NULL, give, NULL) < ARCHIVE_WARN)
		status = fail_archive(archive, err);
	if (status)
		weir_archive_free(archive);
	else
		*out = archive;
	return status;
}

void weir_archive_free(struct weir_archive *archive)
{
	if (!archive)
		return;
	archive_read_free(archive->handle);
	weir_text_release(&archive->name);
	free(archive->buffer);
	free(archive);
}

/* ---- the content of a member ---- */

static void note_damage(struct weir_archive *archive)
{
	const char *reason = reason_of(archive);

	if (!archive->damage[0])
		snprintf(archive->damage, sizeof archive->damage,
		         "the archive is damaged or cut off here (%s)", reason);
	archive->damaged = true;
}

/* Gets the next block of the member; without one, the member has ended. */
static enum weir_status next_block(struct weir_archive *archive, struct weir_error *err)
{
	const void *block = NULL;
	la_int64_t at = 0;
	size_t len = 0;
	int code = archive_read_data_block(archive->handle, &block, &len, &at);

	archive->block_len = 0;
	if (code == ARCHIVE_EOF) {
		archive->inside = false;
		return WEIR_OK;
	}
	if (archive->status)
		return fail_archive(archive, err);
	if (code != ARCHIVE_OK)
		note_damage(archive);
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
		archive->inside = false;
		archive->ended = code == ARCHIVE_FATAL;
		return WEIR_OK;
	}
	archive->block = block;
	archive->block_len = len;
	archive->block_at = at > 0 ? (uint64_t)at : 0;
	return WEIR_OK;
}

/* Takes bytes of the member, at most `room`: a hole before the block, then the block. */
static size_t take_bytes(struct weir_archive *archive, char *to, size_t room)
{
	size_t len = room;

	if (archive->member_at < archive->block_at) {
		uint64_t hole = archive->block_at - archive->member_at;

		len = hole < room ? (size_t)hole : room;
		memset(to, 0, len);
	} else {
		len = archive->block_len < room ? archive->block_len : room;
		memcpy(to, archive->block, len);
		archive->block += len;
		archive->block_len -= len;
	}
	archive->member_at += len;
	return len;
}

static enum weir_status fill(void *context, char *to, size_t room, size_t *len, const char **damage,
                             struct weir_error *err)
{
	struct weir_archive *archive = context;
	enum weir_status status = WEIR_OK;

	*len = 0;
	while (!status && archive->inside && archive->block_len == 0)
		status = next_block(archive, err);
	if (!status && archive->inside && room > 0) {
		*len = take_bytes(archive, to, room);
		status = spend_bytes(archive->budget, *len, err);
	}
	if (archive->damaged)
		*damage = archive->damage;
	return status;
}

struct weir_source_supply weir_archive_supply(struct weir_archive *archive)
{
	return (struct weir_source_supply){.fill = fill, .context = archive};
}

/* Passes over the rest of a member. libarchive could skip it, but would decompress it without a
 * limit. */
static enum weir_status drain(struct weir_archive *archive, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	while (!status && archive->inside) {
		uint64_t left = archive->block_len;

		if (archive->block_at > archive->member_at)
			left += archive->block_at - archive->member_at;
		archive->member_at += left;
		status = spend_bytes(archive->budget, left, err);
		if (!status)
			status = next_block(archive, err);
	}
	return status;
}

/* ---- the members ---- */

/* Returns true if a path leads out of the folder that it is relative to. */
static bool leads_out(const char *path)
{
	if (*path == '/')
		return true;
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || !part[2]))
			return true;
	}
	return false;
}

/* Sets the name of a member, without "./" before it. */
static void set_name(struct weir_archive *archive, struct archive_entry *entry)
{
	const char *path = archive_entry_pathname_utf8(entry);

	if (!path) /* not UTF-8 */
		path = archive_entry_pathname(entry);
	while (path && path[0] == '.' && path[1] == '/')
		path += 2;
	weir_text_clear(&archive->name);
	weir_text_puts(&archive->name, path && *path ? path : "?");
	if (archive->name.length > WEIR_ARCHIVE_MAX_NAME)
		archive->name.data[WEIR_ARCHIVE_MAX_NAME] = '\0';
}

/* Returns a few words why a member is not used; NULL if it is. */
static const char *unusable(const struct weir_archive *archive, struct archive_entry *entry)
{
	if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK)
		return "a link";
	if (archive_entry_filetype(entry) != AE_IFREG)
		return "a device or pipe";
	if (archive->name.length > WEIR_ARCHIVE_MAX_NAME)
		return "a path that is too long";
	if (leads_out(archive->name.data))
		return "a path that leads out of the archive";
	return archive_entry_is_data_encrypted(entry) == 1 ? "encrypted" : NULL;
}

/* Describes the current member; returns false for a folder. */
static bool describe(struct weir_archive *archive, struct archive_entry *entry,
                     struct weir_archive_member *member)
{
	*member = (struct weir_archive_member){.name = ""};
	if (archive_format(archive->handle) == ARCHIVE_FORMAT_RAW)
		return true;
	if (archive_entry_filetype(entry) == AE_IFDIR)
		return false;
	set_name(archive, entry);
	member->name = archive->name.data;
	member->unusable = unusable(archive, entry);
	return true;
}

/* Goes to the next header; *found becomes true if it is of a member that is no folder. */
static enum weir_status next_header(struct weir_archive *archive,
                                    struct weir_archive_member *member, bool *found,
                                    struct weir_error *err)
{
	struct archive_entry *entry = NULL;
	int code = archive_read_next_header(archive->handle, &entry);

	if (code == ARCHIVE_EOF) {
		check_memory(archive);
		archive->ended = true;
		return WEIR_OK;
	}
	if (archive->status || (code != ARCHIVE_OK && code != ARCHIVE_WARN && !archive->began))
		return fail_archive(archive, err);
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
		note_damage(archive);
		archive->ended = true;
		return WEIR_OK;
	}
	archive->began = true;
	archive->damaged = false;
	archive->block_len = 0;
	archive->block_at = archive->member_at = 0;
	*found = describe(archive, entry, member);
	/* Without its key, the content of a member cannot even be passed over. */
	archive->inside = archive_entry_is_data_encrypted(entry) != 1;
	return spend_member(archive->budget, err);
}

enum weir_status weir_archive_next(struct weir_archive *archive, struct weir_archive_member *member,
                                   struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	bool found = false;

	while (!status && !found && !archive->ended) {
		status = drain(archive, err);
		if (!status && !archive->ended)
			status = next_header(archive, member, &found, err);
	}
	if (status || !found)
		*member = (struct weir_archive_member){0};
	return status;
}

const char *weir_archive_damage(const struct weir_archive *archive)
{
	return archive->damage[0] ? archive->damage : NULL;
}
