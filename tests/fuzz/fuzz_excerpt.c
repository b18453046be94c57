/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches any page for excerpts: each lies inside the page, and no line is counted twice. Then
 * reads the page as a named file: inputs, or an error with a message. */
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/parts/excerpt.h"
#include "engine/readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check(struct weir_slice page, const struct weir_excerpt *excerpt)
{
	size_t margin = weir_excerpt_margin(excerpt->text);
	struct weir_text cut = {0};

	require(excerpt->text.data >= page.data &&
	        excerpt->text.data + excerpt->text.length <= page.data + page.length);
	require(excerpt->left_out <= page.length);
	require(margin <= excerpt->text.length);
	weir_excerpt_cut(excerpt->text, margin, &cut);
	require(cut.length <= excerpt->text.length);
	weir_text_release(&cut);
}

static void check_places(struct weir_slice page)
{
	struct weir_excerpt excerpt = {page, 0};

	check(page, &excerpt);
	for (size_t i = 0; i < WEIR_EXCERPT_BLOCKS && weir_excerpt_block(page, i, &excerpt); i++)
		check(page, &excerpt);
	for (size_t i = 1; i <= WEIR_EXCERPT_LINES && weir_excerpt_behind(page, i, &excerpt); i++)
		check(page, &excerpt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_read_options options = {0};
	struct weir_error err = {0};
	enum weir_status status;

	check_places((struct weir_slice){(const char *)data, size});
	status = weir_read_memory(profile, "fuzz", data, size, &options, &err);
	require(!status == !err.message[0]);
	require(status || profile->input_count);
	weir_profile_free(profile);
	return 0;
}
