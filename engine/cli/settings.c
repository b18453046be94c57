/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/cli/settings.h"

struct weir_settings weir_settings_of(const struct weir_arguments *arguments,
                                      const struct weir_policy *policy)
{
	struct weir_settings settings = {
		.cost_per_gpu_hour = policy->usd_per_gpu_hour,
		.cost_source = isnan(policy->usd_per_gpu_hour) ? NULL : policy->path,
		.aliases = {policy->stages, policy->stage_count},
		.slos = policy->slos,
		.slo_count = policy->slo_count,
	};

	if (weir_option_given(arguments, "cost-per-gpu-hour")) {
		settings.cost_per_gpu_hour =
			weir_option_number(arguments, "cost-per-gpu-hour", NAN);
		settings.cost_source = "--cost-per-gpu-hour";
	}
	return settings;
}
