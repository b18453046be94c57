/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "baselines/pq_calls.h"

WEIR_LIBRARY_DEFINE(libpq, WEIR_LIBPQ_CALLS, "libpq.so.5", "libpq5")
