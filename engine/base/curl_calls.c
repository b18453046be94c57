/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/curl_calls.h"

WEIR_LIBRARY_DEFINE(libcurl, WEIR_LIBCURL_CALLS, "libcurl.so.4", "libcurl4")
