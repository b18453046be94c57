/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <strings.h>

#include "ci/comment/url.h"

static const char letters_and_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

static bool is_plain(const char *url)
{
	for (const unsigned char *at = (const unsigned char *)url; *at; at++)
		if (*at <= ' ' || *at >= 0x7f || strchr("\\\"<>^`{|}", *at))
			return false;
	return true;
}

static bool split_scheme(const char *url, struct weir_url *out)
{
	static const char *const schemes[] = {"http", "https"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t len = strlen(schemes[i]);

		if (strncasecmp(url, schemes[i], len) == 0 && strncmp(url + len, "://", 3) == 0) {
			out->scheme = (struct weir_slice){url, len};
			return true;
		}
	}
	return false;
}

/* "[::1]:80", "example.org": `authority` of `len` bytes. */
static bool split_authority(const char *authority, size_t len, struct weir_url *out)
{
	const char *end = authority + len, *host_end = authority;

	if (*authority == '[') {
		host_end += strspn(authority + 1, "0123456789abcdefABCDEF:.") + 1;
		if (host_end == authority + 1 || *host_end++ != ']')
			return false;
	} else {
		while (host_end < end &&
		       (strchr(letters_and_digits, *host_end) || strchr(".-_", *host_end)))
			host_end++;
	}
	out->host = (struct weir_slice){authority, (size_t)(host_end - authority)};
	out->port = (struct weir_slice){end, 0};
	if (out->host.length == 0 || host_end == end)
		return out->host.length > 0;
	out->port = (struct weir_slice){host_end + 1, (size_t)(end - host_end) - 1};
	return *host_end == ':' && out->port.length > 0 &&
	       strspn(out->port.data, "0123456789") >= out->port.length;
}

bool weir_url_split(const char *url, struct weir_url *out)
{
	const char *authority;
	size_t len;

	if (!is_plain(url) || !split_scheme(url, out))
		return false;
	authority = url + out->scheme.length + 3;
	len = strcspn(authority, "/?#");
	out->rest = weir_slice_of(authority + len);
	return len > 0 && split_authority(authority, len, out);
}

static bool same_text(struct weir_slice a, struct weir_slice b)
{
	return a.length == b.length && strncasecmp(a.data, b.data, a.length) == 0;
}

static struct weir_slice port_of(const struct weir_url *url)
{
	if (url->port.length)
		return url->port;
	return weir_slice_of(url->scheme.length == 4 ? "80" : "443");
}

bool weir_url_same_origin(const char *a, const char *b)
{
	struct weir_url left, right;

	return weir_url_split(a, &left) && weir_url_split(b, &right) &&
	       same_text(left.scheme, right.scheme) && same_text(left.host, right.host) &&
	       same_text(port_of(&left), port_of(&right));
}

bool weir_url_resolve(const char *url, const char *location, struct weir_text *out)
{
	struct weir_url parts;

	if (weir_url_split(location, &parts)) {
		weir_text_puts(out, location);
		return true;
	}
	if (location[0] != '/' || location[1] == '/' || !is_plain(location) ||
	    !weir_url_split(url, &parts))
		return false;
	weir_text_add(out, url, (size_t)(parts.rest.data - url));
	weir_text_puts(out, location);
	return true;
}

void weir_url_encode(const char *text, struct weir_text *out)
{
	for (; *text; text++) {
		if (strchr(letters_and_digits, *text) || strchr("-._~", *text))
			weir_text_add(out, text, 1);
		else
			weir_text_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
	}
}
