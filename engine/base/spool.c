/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/sandbox.h"
#include "engine/base/spool.h"

static const char *folder(void)
{
	const char *given = getenv("TMPDIR");

	return given && *given ? given : "/tmp";
}

static enum weir_status fail_file(struct weir_error *err)
{
	return weir_fail(err, WEIR_E_IO,
	                 "cannot keep it in a temporary file in %s: %s; set TMPDIR to a folder "
	                 "with room, or write it to a file first",
	                 folder(), strerror(errno));
}

static enum weir_status write_all(int fd, const char *data, size_t len, struct weir_error *err)
{
	while (len > 0) {
		ssize_t done = write(fd, data, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail_file(err);
		data += done;
		len -= (size_t)done;
	}
	return WEIR_OK;
}

/* Moves the bytes from memory to a file whose name is removed at once. */
static enum weir_status open_file(struct weir_spool *spool, struct weir_error *err)
{
	struct weir_text path = {0};
	enum weir_status status;

	weir_text_printf(&path, "%s/weir.XXXXXX", folder());
	spool->fd = weir_sandbox_temporary(path.data);
	weir_text_release(&path);
	if (spool->fd < 0)
		return fail_file(err);
	status = write_all(spool->fd, spool->memory.data, spool->memory.length, err);
	weir_text_release(&spool->memory);
	return status;
}

static void unmap(struct weir_spool *spool)
{
	if (spool->map)
		munmap(spool->map, (size_t)spool->length);
	spool->map = NULL;
}

enum weir_status weir_spool_add(struct weir_spool *spool, const char *data, size_t len,
                                struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	unmap(spool);
	if (spool->fd < 0 && len > WEIR_SPOOL_IN_MEMORY - spool->memory.length)
		status = open_file(spool, err);
	if (!status && spool->fd >= 0)
		status = write_all(spool->fd, data, len, err);
	else if (!status)
		weir_text_add(&spool->memory, data, len);
	spool->length += status ? 0 : len;
	return status;
}

enum weir_status weir_spool_bytes(struct weir_spool *spool, char **data, size_t *len,
                                  struct weir_error *err)
{
	static char nothing[1];
	void *map;

	*len = (size_t)spool->length;
	*data = spool->memory.length > 0 ? spool->memory.data : nothing;
	if (spool->fd < 0)
		return WEIR_OK;
	if (!spool->map) {
		/* Changes stay in this process. Nobody else can shrink a file without a name. */
		map = mmap(NULL, *len, PROT_READ | PROT_WRITE, MAP_PRIVATE, spool->fd, 0);
		if (map == MAP_FAILED)
			return fail_file(err);
		spool->map = map;
	}
	*data = spool->map;
	return WEIR_OK;
}

void weir_spool_release(struct weir_spool *spool)
{
	unmap(spool);
	if (spool->fd >= 0)
		close(spool->fd);
	weir_text_release(&spool->memory);
	*spool = (struct weir_spool)WEIR_SPOOL_EMPTY;
}
