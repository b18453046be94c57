/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/model/settings.h"

const struct weir_settings weir_no_settings = {.cost_per_gpu_hour = NAN};
