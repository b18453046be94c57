/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses operator shapes and kernel names as a profile might hold them. The input has seven lines:
 * operator, dims, types, scalars, kernel, step, strides; a missing line is empty. A model gives
 * finite figures that are not negative, or reports that it has none; the traffic to DRAM is at
 * least the bytes of the operands.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/roofline/roofline.h"
#include "engine/analysis/roofline/shapes.h"
#include "engine/analysis/roofline/traffic.h"

#define LINES 7

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void split_lines(char *text, char *lines[LINES])
{
	for (size_t i = 0; i < LINES; i++) {
		char *end = strchr(text, '\n');

		lines[i] = text;
		text = end ? end + 1 : text + strlen(text);
		if (end)
			*end = '\0';
	}
}

static void check_work(const struct weir_work *work, const char *kernel)
{
	const struct weir_launch_shape launch = {kernel, 2048, 128};
	const struct weir_device device = {.sms = 132, .l2_bytes = 60e6};
	double traffic_bytes = weir_traffic_bytes(work, &launch, &device);
	struct weir_roofline_result result;

	if (work->confidence == WEIR_MODEL_NONE) {
		if (!isnan(work->flops) || !isnan(work->bytes))
			abort();
		return;
	}
	if (!isfinite(work->flops) || !isfinite(work->bytes) || work->flops < 0 || work->bytes < 0)
		abort();
	if (!isfinite(traffic_bytes) || traffic_bytes < work->bytes)
		abort();
	weir_roofline_judge(work, 1000, 1, NULL, &result);
}

static void check_kernel(const char *kernel)
{
	struct weir_text text = {0};

	weir_kernel_display(kernel, &text);
	/* A demangled name is longer by at most one character per part: "1a" becomes "::a". */
	if (text.length > 2 * strlen(kernel))
		abort();
	(void)weir_kernel_limit(kernel);
	weir_kernel_key(kernel, &text);
	if (text.length > 2 * strlen(kernel))
		abort();
	weir_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char *lines[LINES];
	struct weir_step_sums sums;
	struct weir_work work;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	split_lines(text, lines);
	work = weir_work_of_call(
		&(struct weir_call){.op = lines[0],
	                            .dims = lines[1],
	                            .types = lines[2],
	                            .scalars = lines[3],
	                            .kernel = lines[4],
	                            .sums = weir_step_sums_parse(lines[5], &sums) ? &sums : NULL});
	check_work(&work, lines[4]);
	check_kernel(lines[4]);
	free(text);
	return 0;
}
