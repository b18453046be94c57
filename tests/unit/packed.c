/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "engine/base/arena.h"
#include "tests/unit/near.h"
#include "tests/unit/packed.h"

static char folder[64];
static char path[512];

struct bytes plain_bytes(const void *data, size_t len)
{
	struct bytes bytes = {weir_alloc(len), len};

	if (len > 0)
		memcpy(bytes.data, data, len);
	return bytes;
}

struct bytes gzip_bytes(const void *data, size_t len)
{
	struct bytes bytes = {weir_alloc(len * 2 + 1000), 0};
	struct isal_zstream stream;
	uint8_t *input = weir_alloc(len);

	memcpy(input, data, len);
	isal_deflate_init(&stream);
	stream.gzip_flag = IGZIP_GZIP;
	stream.end_of_stream = 1;
	stream.next_in = input;
	stream.avail_in = (uint32_t)len;
	stream.next_out = bytes.data;
	stream.avail_out = (uint32_t)(len * 2 + 1000);
	assert_int_equal(isal_deflate(&stream), COMP_OK);
	assert_int_equal(stream.internal_state.state, ZSTATE_END);
	bytes.len = stream.total_out;
	free(input);
	return bytes;
}

struct bytes zstd_bytes(const void *data, size_t len)
{
	struct bytes bytes = {weir_alloc(ZSTD_compressBound(len)), 0};
	ZSTD_CCtx *context = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	bytes.len = ZSTD_compress2(context, bytes.data, ZSTD_compressBound(len), data, len);
	assert_false(ZSTD_isError(bytes.len));
	ZSTD_freeCCtx(context);
	return bytes;
}

struct bytes joined_bytes(struct bytes a, struct bytes b)
{
	a.data = weir_realloc(a.data, a.len + b.len);
	memcpy(a.data + a.len, b.data, b.len);
	a.len += b.len;
	free(b.data);
	return a;
}

struct bytes event_text(size_t len)
{
	struct bytes bytes = {weir_alloc(len + 256), 0};
	uint64_t seed = len;

	while (bytes.len < len) {
		uint64_t number = next_number(&seed);

		bytes.len += (size_t)snprintf((char *)bytes.data + bytes.len, 256,
		                              "{\"ph\": \"X\", \"name\": \"kernel_%" PRIu64
		                              "\", \"ts\": %" PRIu64 ".%03" PRIu64 "},\n",
		                              number % 50, number >> 20, number % 1000);
	}
	return bytes;
}

const char *make_folder(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%.40s/weir-test-XXXXXX", parent ? parent : "/tmp");
	assert_non_null(mkdtemp(folder));
	return folder;
}

const char *path_in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

void remove_folder(void)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			assert_int_equal(unlink(path_in_folder(entry->d_name)), 0);
	}
	closedir(dir);
	assert_int_equal(rmdir(folder), 0);
}

const char *write_file(const char *name, const void *data, size_t len)
{
	FILE *file = fopen(path_in_folder(name), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	return path;
}
