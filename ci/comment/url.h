/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The little of URLs that a client of one API needs. Strict on purpose: what two parsers could read
 * differently (user names, backslashes, blanks, control bytes, anything beyond ASCII) is no URL
 * here, so that the host that is checked is the host that is called.
 */
#ifndef WEIR_CI_COMMENT_URL_H
#define WEIR_CI_COMMENT_URL_H

#include <stdbool.h>

#include "engine/base/slice.h"
#include "engine/base/text.h"

/* Borrowed from the URL. */
struct weir_url {
	struct weir_slice scheme; /* "http" or "https", as written */
	struct weir_slice host;   /* "[::1]" with its brackets */
	struct weir_slice port;   /* empty: the scheme's own */
	struct weir_slice rest;   /* path, query and fragment; may be empty */
};

/* False for anything but http://HOST[:PORT][/...] and https://...; out is then undefined. */
bool weir_url_split(const char *url, struct weir_url *out);

/* Scheme, host and port are the same; false where one of them is no URL. */
bool weir_url_same_origin(const char *a, const char *b);

/*
 * Appends where a Location leads to that came with `url`: an URL of its own, or a path on the same
 * host. False for any other form.
 */
bool weir_url_resolve(const char *url, const char *location, struct weir_text *out);

/* Appends text with every byte but letters, digits, "-", ".", "_" and "~" as %XX (RFC 3986, 2.3).
 */
void weir_url_encode(const char *text, struct weir_text *out);

#endif
