/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/regions.h"
#include "engine/cli/output.h"

static enum weir_status write_all(int fd, const char *name, const struct weir_text *text,
                                  struct weir_error *err)
{
	size_t done = 0;

	while (done < text->length) {
		ssize_t count = write(fd, text->data + done, text->length - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0 && errno == EPIPE)
			return WEIR_OK; /* the reader, such as head, has what it wants */
		if (count < 0)
			return weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", name,
			                 strerror(errno));
		done += (size_t)count;
	}
	return WEIR_OK;
}

static enum weir_status write_in_place(const char *path, const struct weir_text *text,
                                       struct weir_error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	enum weir_status status;

	if (fd < 0)
		return weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", path, strerror(errno));
	status = write_all(fd, path, text, err);
	if (close(fd) != 0 && !status)
		status = weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", path, strerror(errno));
	return status;
}

/* Returns the permissions of the file that is replaced, or those of a new file. */
static mode_t wanted_mode(const struct stat *old)
{
	mode_t mask;

	if (old)
		return old->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static enum weir_status fill(int fd, const char *path, mode_t mode, const struct weir_text *text,
                             struct weir_error *err)
{
	enum weir_status status = write_all(fd, path, text, err);

	if (!status && fchmod(fd, mode) != 0)
		status = weir_fail(err, WEIR_E_USAGE, "cannot set the permissions of %s: %s", path,
		                   strerror(errno));
	if (close(fd) != 0 && !status)
		status = weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", path, strerror(errno));
	return status;
}

static enum weir_status replace(const char *path, const struct stat *old,
                                const struct weir_text *text, struct weir_error *err)
{
	struct weir_text beside = {0};
	enum weir_status status;
	int fd;

	weir_text_printf(&beside, "%s.XXXXXX", path);
	fd = mkstemp(beside.data);
	if (fd < 0) {
		status = weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", path, strerror(errno));
		goto out;
	}
	status = fill(fd, path, wanted_mode(old), text, err);
	if (!status && rename(beside.data, path) != 0)
		status = weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", path, strerror(errno));
	if (status)
		unlink(beside.data);
out:
	weir_text_release(&beside);
	return status;
}

/* Writes a file. A symbolic link stays, and the file it points to is replaced. */
static enum weir_status write_file(const char *path, const struct weir_text *text,
                                   struct weir_error *err)
{
	struct stat info;
	enum weir_status status;
	char *resolved;

	if (stat(path, &info) != 0)
		return replace(path, NULL, text, err);
	if (S_ISDIR(info.st_mode))
		return weir_fail(err, WEIR_E_USAGE, "cannot write %s: it is a folder", path);
	if (!S_ISREG(info.st_mode))
		return write_in_place(path, text, err);
	resolved = realpath(path, NULL);
	status = replace(resolved ? resolved : path, &info, text, err);
	free(resolved);
	return status;
}

enum weir_status weir_output_write(const char *path, const struct weir_text *text,
                                   struct weir_error *err)
{
	if (path && strcmp(path, "-") != 0)
		return write_file(path, text, err);
	if (fflush(stdout) != 0)
		return weir_fail(err, WEIR_E_USAGE, "cannot write standard output: %s",
		                 strerror(errno));
	return write_all(STDOUT_FILENO, "standard output", text, err);
}

void weir_say(const char *remark)
{
	fputs("weir: ", stderr);
	for (; *remark; remark++) {
		unsigned char byte = (unsigned char)*remark;

		fputc(byte < 0x20 || byte == 0x7F ? '?' : byte, stderr);
	}
	fputc('\n', stderr);
}

static void say_untraced(const struct weir_error *err)
{
	struct weir_text text = {0};

	weir_text_printf(&text, "WEIR_TRACE: %s", err->message);
	weir_say(text.data);
	weir_text_release(&text);
}

void weir_trace_start(void)
{
	const char *path = getenv("WEIR_TRACE");
	struct weir_error err = {0};

	if (path && *path && weir_regions_open(path, &err))
		say_untraced(&err);
}

void weir_trace_finish(void)
{
	struct weir_error err = {0};

	if (weir_regions_close(&err))
		say_untraced(&err);
}
