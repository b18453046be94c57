/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/regions.h"
#include "engine/cli/output.h"

struct weir_output {
	int fd;
	char *name;   /* in messages; owned */
	char *beside; /* temporary file that gets the name in the end; NULL: written in place */
	mode_t mode;  /* of a file that is replaced */
	bool stops;   /* the reader, such as head, has what it wants */
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

static enum weir_status open_beside(struct weir_output *output, const struct stat *old,
                                    struct weir_error *err)
{
	struct weir_text beside = {0};

	weir_text_printf(&beside, "%s.XXXXXX", output->name);
	output->mode = wanted_mode(old);
	output->fd = mkstemp(beside.data);
	if (output->fd >= 0)
		output->beside = weir_alloc_text(beside.data);
	weir_text_release(&beside);
	return output->fd < 0 ? fail_write(output, err) : WEIR_OK;
}

/* Opens a file. A symbolic link stays, and the file it points to is replaced. */
static enum weir_status open_file(struct weir_output *output, struct weir_error *err)
{
	struct stat info;
	char *resolved;

	if (stat(output->name, &info) != 0)
		return open_beside(output, NULL, err);
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
	return open_beside(output, &info, err);
}

static void release(struct weir_output *output)
{
	free(output->name);
	free(output->beside);
	free(output);
}

enum weir_status weir_output_open(const char *path, struct weir_output **out,
                                  struct weir_error *err)
{
	bool standard = !path || strcmp(path, "-") == 0;
	struct weir_output *output = weir_alloc(sizeof *output);
	enum weir_status status = WEIR_OK;

	*output = (struct weir_output){.fd = STDOUT_FILENO};
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

	if (complete && output->beside && fchmod(output->fd, output->mode) != 0)
		status = weir_fail(err, WEIR_E_USAGE, "cannot set the permissions of %s: %s",
		                   output->name, strerror(errno));
	if (output->fd != STDOUT_FILENO && close(output->fd) != 0 && complete && !status)
		status = fail_write(output, err);
	if (complete && output->beside && !status && rename(output->beside, output->name) != 0)
		status = fail_write(output, err);
	if (output->beside && (!complete || status))
		unlink(output->beside);
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
