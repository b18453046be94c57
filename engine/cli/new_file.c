/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled with _GNU_SOURCE: O_TMPFILE is not in POSIX. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/cli/new_file.h"

#define MOST_NAMES 100 /* temporary names that are tried */

struct link {
	char path[32]; /* by which linkat() finds an open file */
};

static struct link link_of(int fd)
{
	struct link link;

	snprintf(link.path, sizeof link.path, "/proc/self/fd/%d", fd);
	return link;
}

/* Opens a file without a name in the folder of `name`; -1: the system cannot. */
static int open_nameless(const char *name)
{
#ifdef O_TMPFILE
	char *copy = weir_alloc_text(name);
	int fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	free(copy);
	if (fd >= 0 && access(link_of(fd).path, F_OK) != 0) {
		close(fd);
		return -1;
	}
	return fd;
#else
	(void)name;
	return -1;
#endif
}

bool weir_new_file_open(struct weir_new_file *file, const char *name)
{
	struct weir_text beside = {0};
	int error;

	weir_text_printf(&beside, "%s.XXXXXX", name);
	*file = (struct weir_new_file){.name = weir_alloc_text(name), .beside = beside.data};
	file->fd = open_nameless(name);
	if (file->fd < 0) {
		file->fd = mkstemp(file->beside);
		file->is_named = file->fd >= 0;
	}
	error = errno;
	if (file->fd < 0)
		weir_new_file_discard(file);
	errno = error;
	return file->fd >= 0;
}

/* Gives a nameless file its name, or a temporary one if a file of that name exists. */
static bool give_name(struct weir_new_file *file)
{
	struct link link = link_of(file->fd);
	char *suffix = file->beside + strlen(file->name) + 1;

	if (linkat(AT_FDCWD, link.path, AT_FDCWD, file->name, AT_SYMLINK_FOLLOW) == 0)
		return true;
	for (unsigned i = 0; errno == EEXIST && i < MOST_NAMES; i++) {
		snprintf(suffix, sizeof "XXXXXX", "%06lu", ((unsigned long)getpid() + i) % 1000000);
		file->is_named =
			linkat(AT_FDCWD, link.path, AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) == 0;
		if (file->is_named)
			return true;
	}
	return false;
}

/* A power cut after the rename must not leave an empty file in place of the old one, so that the
 * bytes reach the disk first. */
bool weir_new_file_publish(struct weir_new_file *file, mode_t mode)
{
	bool done = fchmod(file->fd, mode) == 0 && fsync(file->fd) == 0 &&
	            (file->is_named || give_name(file)) &&
	            (!file->is_named || rename(file->beside, file->name) == 0);
	int error = errno;

	file->is_named = file->is_named && !done;
	weir_new_file_discard(file);
	errno = error;
	return done;
}

void weir_new_file_discard(struct weir_new_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->is_named)
		unlink(file->beside);
	free(file->name);
	free(file->beside);
	*file = (struct weir_new_file){.fd = -1};
}
