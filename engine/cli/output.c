/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/regions.h"
#include "engine/cli/new_file.h"
#include "engine/cli/output.h"
#include "engine/report/plain/escape.h"

struct weir_output {
	int fd;
	char *name;                /* in messages; owned */
	struct weir_new_file file; /* has the same fd, or -1 if the output is written in place */
	mode_t mode;               /* of the file */
	bool stops;                /* the reader, such as head, has what it wants */
};

static enum weir_status fail_write(const struct weir_output *output, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", output->name, strerror(errno));
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

static enum weir_status open_new(struct weir_output *output, const struct stat *old,
                                 struct weir_error *err)
{
	output->mode = wanted_mode(old);
	if (!weir_new_file_open(&output->file, output->name))
		return fail_write(output, err);
	output->fd = output->file.fd;
	return WEIR_OK;
}

/* Opens a file. A symbolic link stays, and the file it points to is replaced. */
static enum weir_status open_file(struct weir_output *output, struct weir_error *err)
{
	struct stat info;
	char *resolved;

	if (stat(output->name, &info) != 0)
		return open_new(output, NULL, err);
	if (S_ISDIR(info.st_mode))
		return weir_fail(err, WEIR_E_USAGE, "cannot write %s: it is a folder",
		                 output->name);
	if (!S_ISREG(info.st_mode)) {
		output->fd = open(output->name, O_WRONLY | O_CLOEXEC);
		return output->fd < 0 ? fail_write(output, err) : WEIR_OK;
	}
	resolved = realpath(output->name, NULL);
	if (resolved) {
		free(output->name);
		output->name = resolved;
	}
	return open_new(output, &info, err);
}

/* Checks the folder in which a new file appears, also in the place of an old one. */
static enum weir_status check_folder(const char *path, struct weir_error *err)
{
	char *copy = weir_alloc_text(path);
	const char *folder = dirname(copy);
	struct stat info;
	enum weir_status status = WEIR_OK;

	if (stat(folder, &info) != 0)
		status = weir_fail(err, WEIR_E_USAGE,
		                   "cannot write %s: there is no folder %s; make it first", path,
		                   folder);
	else if (!S_ISDIR(info.st_mode))
		status = weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s is not a folder", path,
		                   folder);
	else if (access(folder, W_OK | X_OK) != 0)
		status = weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", path, strerror(errno));
	free(copy);
	return status;
}

enum weir_status weir_output_check(const char *path, struct weir_error *err)
{
	struct stat info;
	char *resolved;
	enum weir_status status;

	if (!path || strcmp(path, "-") == 0)
		return WEIR_OK;
	if (stat(path, &info) != 0)
		return check_folder(path, err);
	if (S_ISDIR(info.st_mode))
		return weir_fail(err, WEIR_E_USAGE, "cannot write %s: it is a folder", path);
	if (!S_ISREG(info.st_mode) && access(path, W_OK) != 0)
		return weir_fail(err, WEIR_E_USAGE, "cannot write %s: %s", path, strerror(errno));
	if (!S_ISREG(info.st_mode))
		return WEIR_OK;
	resolved = realpath(path, NULL);
	status = check_folder(resolved ? resolved : path, err);
	free(resolved);
	return status;
}

static void release(struct weir_output *output)
{
	free(output->name);
	free(output);
}

enum weir_status weir_output_open(const char *path, struct weir_output **out,
                                  struct weir_error *err)
{
	bool standard = !path || strcmp(path, "-") == 0;
	struct weir_output *output = weir_alloc(sizeof *output);
	enum weir_status status = WEIR_OK;

	*output = (struct weir_output){.fd = STDOUT_FILENO, .file.fd = -1};
	output->name = weir_alloc_text(standard ? "standard output" : path);
	if (!standard)
		status = open_file(output, err);
	else if (fflush(stdout) != 0)
		status = fail_write(output, err);
	if (status)
		release(output);
	else
		*out = output;
	return status;
}

enum weir_status weir_output_add(struct weir_output *output, const struct weir_text *text,
                                 struct weir_error *err)
{
	size_t done = 0;

	while (done < text->length && !output->stops) {
		ssize_t count = write(output->fd, text->data + done, text->length - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0 && errno == EPIPE)
			output->stops = true;
		else if (count < 0)
			return fail_write(output, err);
		else
			done += (size_t)count;
	}
	return WEIR_OK;
}

bool weir_output_stops(const struct weir_output *output)
{
	return output->stops;
}

enum weir_status weir_output_close(struct weir_output *output, bool complete,
                                   struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	bool done = true;

	if (output->file.fd < 0)
		done = output->fd == STDOUT_FILENO || close(output->fd) == 0;
	else if (complete)
		done = weir_new_file_publish(&output->file, output->mode);
	else
		weir_new_file_discard(&output->file);
	if (complete && !done)
		status = fail_write(output, err);
	release(output);
	return status;
}

enum weir_status weir_output_write(const char *path, const struct weir_text *text,
                                   struct weir_error *err)
{
	struct weir_output *output;
	enum weir_status status = weir_output_open(path, &output, err);
	enum weir_status closed;

	if (status)
		return status;
	status = weir_output_add(output, text, err);
	closed = weir_output_close(output, !status, err);
	return status ? status : closed;
}

void weir_say(const char *remark)
{
	struct weir_text line = {0};

	weir_text_puts(&line, "weir: ");
	weir_escape_plain(&line, remark);
	fprintf(stderr, "%s\n", line.data);
	weir_text_release(&line);
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
