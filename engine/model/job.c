/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/model/job.h"

WEIR_ENUM_TEXTS(weir_late_by, [WEIR_LATE_BY_UNKNOWN] = NULL, [WEIR_LATE_BY_DEVICE] = "device",
                [WEIR_LATE_BY_HOST] = "host")

WEIR_ENUM_TEXTS(weir_worst_kind, [WEIR_WORST_RANK] = "rank", [WEIR_WORST_NODE] = "node",
                [WEIR_WORST_GROUP] = "group", [WEIR_WORST_EXPERTS] = "experts")
