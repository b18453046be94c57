/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of libcurl. */
#ifndef WEIR_BASE_CURL_CALLS_H
#define WEIR_BASE_CURL_CALLS_H

#include <curl/curl.h>

#include "engine/base/library.h"

/* clang-format off */
#define WEIR_LIBCURL_CALLS(call) \
	call(curl_easy_cleanup) \
	call(curl_easy_getinfo) \
	call(curl_easy_init) \
	call(curl_easy_perform) \
	call(curl_easy_reset) \
	call(curl_easy_setopt) \
	call(curl_easy_strerror) \
	call(curl_free) \
	call(curl_global_cleanup) \
	call(curl_global_init) \
	call(curl_slist_append) \
	call(curl_slist_free_all) \
	call(curl_url) \
	call(curl_url_cleanup) \
	call(curl_url_get) \
	call(curl_url_set) \
	call(curl_url_strerror)
/* clang-format on */

struct weir_libcurl_calls {
	WEIR_LIBCURL_CALLS(WEIR_CALL_POINTER)
};

/* Loads the library. Fails with WEIR_E_IO. */
enum weir_status weir_libcurl_load(struct weir_error *err);
/* Returns the calls, for the macros below. Valid after weir_libcurl_load() returned WEIR_OK. */
const struct weir_libcurl_calls *weir_libcurl(void);

/* NOLINTBEGIN(readability-identifier-naming): these are the names of the library. */
#undef curl_easy_getinfo
#undef curl_easy_setopt
#define curl_easy_cleanup   (weir_libcurl()->curl_easy_cleanup)
#define curl_easy_getinfo   (weir_libcurl()->curl_easy_getinfo)
#define curl_easy_init      (weir_libcurl()->curl_easy_init)
#define curl_easy_perform   (weir_libcurl()->curl_easy_perform)
#define curl_easy_reset     (weir_libcurl()->curl_easy_reset)
#define curl_easy_setopt    (weir_libcurl()->curl_easy_setopt)
#define curl_easy_strerror  (weir_libcurl()->curl_easy_strerror)
#define curl_free           (weir_libcurl()->curl_free)
#define curl_global_cleanup (weir_libcurl()->curl_global_cleanup)
#define curl_global_init    (weir_libcurl()->curl_global_init)
#define curl_slist_append   (weir_libcurl()->curl_slist_append)
#define curl_slist_free_all (weir_libcurl()->curl_slist_free_all)
#define curl_url            (weir_libcurl()->curl_url)
#define curl_url_cleanup    (weir_libcurl()->curl_url_cleanup)
#define curl_url_get        (weir_libcurl()->curl_url_get)
#define curl_url_set        (weir_libcurl()->curl_url_set)
#define curl_url_strerror   (weir_libcurl()->curl_url_strerror)
/* NOLINTEND(readability-identifier-naming) */

#endif
