/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/archive_calls.h"

WEIR_LIBRARY_DEFINE(libarchive, WEIR_LIBARCHIVE_CALLS, "libarchive.so.13", "libarchive13")
