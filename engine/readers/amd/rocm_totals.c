/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/text.h"
#include "engine/readers/amd/rocm_totals.h"
#include "engine/readers/parts/figures.h"

void weir_rocm_add_call(struct weir_run *run, const char *name, double total_ns, int64_t calls)
{
	struct weir_text path = {0};

	weir_text_printf(&path, "calls/%s/total_ns", name);
	weir_figure_add(run, path.data, "ns", false, total_ns);
	weir_text_clear(&path);
	weir_text_printf(&path, "calls/%s/mean_ns", name);
	if (calls > 0)
		weir_figure_add(run, path.data, "ns", false, total_ns / (double)calls);
	weir_text_release(&path);
}

bool weir_rocm_add_work(struct weir_run *run, const char *name, double total_ns, int64_t calls)
{
	if (weir_series_find(&run->operators, name))
		return false;
	weir_series_push(weir_series_get(&run->operators, name), total_ns);
	weir_series_push(weir_series_get(&run->calls, name), (double)calls);
	return true;
}
