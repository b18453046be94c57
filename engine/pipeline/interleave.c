/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/pipeline/classify.h"
#include "engine/pipeline/interleave.h"

size_t weir_interleave_side(size_t measurement)
{
	return (measurement + 1) / 2 % 2;
}

static enum weir_status make_folder(const char *path, bool may_exist, struct weir_error *err)
{
	if (mkdir(path, 0777) == 0 || (may_exist && errno == EEXIST))
		return WEIR_OK;
	if (errno == EEXIST)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s exists; remove it, or name another folder with --output",
		                 path);
	return weir_fail(err, WEIR_E_USAGE, "cannot make the folder %s: %s", path, strerror(errno));
}

static enum weir_status make_folders(const char *folder, char **full, struct weir_error *err)
{
	enum weir_status status = make_folder(folder, true, err);
	struct weir_text path = {0};

	for (size_t side = 0; !status && side < 2; side++) {
		weir_text_clear(&path);
		weir_text_printf(&path, "%s/%c", folder, "ab"[side]);
		status = make_folder(path.data, false, err);
	}
	weir_text_release(&path);
	if (status)
		return status;
	*full = realpath(folder, NULL);
	return *full ? WEIR_OK
	             : weir_fail(err, WEIR_E_USAGE, "cannot open the folder %s: %s", folder,
	                         strerror(errno));
}

static enum weir_status measure(const struct weir_interleave *interleave, const char *full,
                                size_t side, size_t number, struct weir_error *err)
{
	const char *const words[] = {"sh", "-c", interleave->commands[side], NULL};
	const char *const settings[] = {side ? "WEIR_SIDE=b" : "WEIR_SIDE=a", NULL};
	struct weir_text path = {0};
	enum weir_status status;

	weir_text_printf(&path, "%s/%c/run-%02zu.json", full, "ab"[side], number);
	status = weir_measurement_run(
		&(struct weir_measurement){
			.name = path.data + strlen(full) + 1,
			.words = words,
			.settings = settings,
			.path = path.data,
			.say = interleave->say,
			.context = interleave->context,
		},
		interleave->signals, NULL, err);
	if (!status && number == 1)
		status = weir_check_run(path.data, err);
	if (!status)
		interleave->say(interleave->context, path.data + strlen(full) + 1);
	weir_text_release(&path);
	return status;
}

enum weir_status weir_interleave_run(const struct weir_interleave *interleave,
                                     struct weir_error *err)
{
	size_t done[2] = {0};
	char *full;
	enum weir_status status = make_folders(interleave->folder, &full, err);

	if (status)
		return status;
	for (size_t i = 0; !status && i < 2 * interleave->runs; i++) {
		size_t side = weir_interleave_side(i);

		status = measure(interleave, full, side, ++done[side], err);
	}
	free(full);
	return status;
}
