/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for libFuzzer in the other presets: runs a fuzz target once over each file of a
 * corpus, and over each file cut at every hundredth of its length, so that every build tests
 * truncation. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WEIR_REPLAY_CUTS 100

static bool read_file(const char *path, struct weir_text *text)
{
	FILE *file = fopen(path, "rb");
	char block[65536];
	size_t count;

	if (!file)
		return false;
	weir_text_clear(text);
	while ((count = fread(block, 1, sizeof(block), file)) > 0)
		weir_text_add(text, block, count);
	fclose(file);
	return true;
}

static void replay(const struct weir_text *text)
{
	for (size_t cut = 0; cut <= WEIR_REPLAY_CUTS; cut++) {
		size_t size = text->length / WEIR_REPLAY_CUTS * cut;
		/* A block of the exact size, so that the address sanitizer sees a read behind
		 * the end. */
		uint8_t *data = weir_alloc(size ? size : 1);

		if (size)
			memcpy(data, text->data, size);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	if (text->length)
		LLVMFuzzerTestOneInput((const uint8_t *)text->data, text->length);
}

static size_t replay_folder(const char *folder, DIR *dir)
{
	struct weir_text path = {0}, text = {0};
	const struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		weir_text_clear(&path);
		weir_text_printf(&path, "%s/%s", folder, entry->d_name);
		if (!read_file(path.data, &text))
			continue;
		replay(&text);
		count++;
	}
	weir_text_release(&path);
	weir_text_release(&text);
	return count;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	size_t count;

	if (!dir) {
		fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
		return 2;
	}
	count = replay_folder(argv[1], dir);
	closedir(dir);
	printf("%zu files, each whole and cut short %d times\n", count, WEIR_REPLAY_CUTS);
	return count ? 0 : 1;
}
