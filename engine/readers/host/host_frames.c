/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/host/host_frames.h"

const struct weir_csv_options weir_host_lines = {.separator = '\0'};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct weir_slice part(struct weir_slice text, size_t start, size_t end)
{
	return (struct weir_slice){text.data + start, end - start};
}

static bool ends_with(struct weir_slice text, const char *ending)
{
	size_t length = strlen(ending);

	return text.length >= length && !memcmp(text.data + text.length - length, ending, length);
}

/* Drops a colon and line number from the end. */
static struct weir_slice without_line(struct weir_slice file)
{
	size_t end = file.length;

	while (end && is_digit(file.data[end - 1]))
		end--;
	if (end && end < file.length && file.data[end - 1] == ':')
		file.length = end - 1;
	return file;
}

/* Splits "forward (model.py:44)" at the last " (". False if the parentheses hold no Python file. */
static bool split_behind(struct weir_slice text, struct weir_slice *function,
                         struct weir_slice *file)
{
	if (!ends_with(text, ")"))
		return false;
	for (size_t i = text.length - 1; i-- > 0;) {
		if (text.data[i] != ' ' || text.data[i + 1] != '(')
			continue;
		*file = without_line(part(text, i + 2, text.length - 1));
		*function = part(text, 0, i);
		return i > 0 && (ends_with(*file, ".py") || ends_with(*file, ".pyx"));
	}
	return false;
}

/* Splits "model.py(44): forward". */
static bool split_before(struct weir_slice text, struct weir_slice *function,
                         struct weir_slice *file)
{
	for (size_t i = 1; i + 2 < text.length; i++) {
		size_t end = i + 1;

		if (text.data[i] != '(')
			continue;
		while (end < text.length && is_digit(text.data[end]))
			end++;
		if (end == i + 1 || end + 3 >= text.length ||
		    memcmp(text.data + end, "): ", 3) != 0)
			continue;
		*file = part(text, 0, i);
		*function = part(text, end + 3, text.length);
		return true;
	}
	return false;
}

uint32_t weir_host_frame_of_text(struct weir_host_profile *profile, struct weir_slice text)
{
	struct weir_slice function, file;

	if (!split_behind(text, &function, &file) && !split_before(text, &function, &file)) {
		function = text;
		file = (struct weir_slice){"", 0};
	}
	return weir_host_frame(profile, function, file);
}

enum weir_status weir_host_settle(struct weir_host_profile *profile, struct weir_input *input,
                                  enum weir_status status, struct weir_error *err)
{
	if (!status && profile->total <= 0 && profile->idle <= 0)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no function has any time: the profile is empty");
	if (status)
		weir_host_profile_free(profile);
	else
		input->host_profile = profile;
	return status;
}
