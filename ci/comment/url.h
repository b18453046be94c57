/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks and compares URLs with libcurl's parser, which also makes the requests: the host that is
 * checked is the host that is called. Refuses URLs that another program could read differently:
 * user names, backslashes, blanks, control bytes, percent signs in the host, anything beyond ASCII.
 */
#ifndef WEIR_CI_COMMENT_URL_H
#define WEIR_CI_COMMENT_URL_H

#include <stdbool.h>

#include "engine/base/text.h"

/* Returns true if url is http://HOST[:PORT][/...] or https://..., without a user name. */
bool weir_url_is_valid(const char *url);

/* Returns true if requests travel unencrypted over a network: http, and a host that is not this
 * machine. */
bool weir_url_is_exposed(const char *url);

/* Returns true if scheme, host and port are the same; false if either URL is invalid. */
bool weir_url_same_origin(const char *a, const char *b);

/*
 * Appends the URL that `location`, the header of an answer from `url`, leads to: a valid URL, or a
 * path on the same host. Returns false for any other form.
 */
bool weir_url_resolve(const char *url, const char *location, struct weir_text *out);

/* Appends text with every byte but letters, digits, "-", ".", "_" and "~" as %XX (RFC 3986, 2.3).
 */
void weir_url_encode(const char *text, struct weir_text *out);

#endif
