/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fetches a file from a web server. No credentials are sent: neither those of .netrc nor cookies,
 * and an address with a password is refused. Certificates are checked, and a redirect never leaves
 * https. The proxy comes from the environment, as for curl.
 */
#ifndef WEIR_BASE_DOWNLOAD_H
#define WEIR_BASE_DOWNLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/spool.h"

#define WEIR_DOWNLOAD_MAX_BYTES     (UINT64_C(16) << 30)
#define WEIR_DOWNLOAD_MAX_SECONDS   3600
#define WEIR_DOWNLOAD_CONNECT_S     30
#define WEIR_DOWNLOAD_SLOW_BYTES_S  1024 /* a slower transfer is given up ... */
#define WEIR_DOWNLOAD_SLOW_S        60   /* ... after this time */
#define WEIR_DOWNLOAD_MAX_REDIRECTS 5

struct weir_download {
	const char *url;
	uint64_t max_bytes; /* 0: WEIR_DOWNLOAD_MAX_BYTES */
	/* Called with the bytes that have arrived and their total (0: unknown); may be NULL. */
	void (*report)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/* Returns true for an address of http or https, in any case of letters. */
bool weir_download_takes(const char *path);
/* Returns true for an address of any scheme: "s3://bucket/key". */
bool weir_download_is_address(const char *path);
/* Fails with one line that says how to read an address that weir does not fetch. */
enum weir_status weir_download_refuse(const char *path, struct weir_error *err);

/* Appends the address as it may be shown: without the part behind "?" or "#", which may hold a
 * signature, and without a user or password. */
void weir_download_label(struct weir_text *out, const char *url);

/* Fetches the file into an empty spool, which the caller releases. Fails with WEIR_E_IO, with
 * WEIR_E_LIMIT beyond the number of bytes, and with WEIR_E_USAGE for a bad address. */
enum weir_status weir_download(const struct weir_download *request, struct weir_spool *out,
                               struct weir_error *err);

#endif
