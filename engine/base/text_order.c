/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders texts that hold numbers, such as the names of files of ranks. */
#include <string.h>

#include "engine/base/text.h"

static size_t digits_at(const char *text)
{
	return strspn(text, "0123456789");
}

/* Compares the texts with numbers by their values; 0 for texts that differ in leading zeros only.
 */
static int compare_with_numbers(const char *a, const char *b)
{
	while (*a && *b) {
		size_t digits_a = digits_at(a), digits_b = digits_at(b);
		int order;

		if (!digits_a || !digits_b) {
			if (*a != *b)
				return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
			a++;
			b++;
			continue;
		}
		for (; digits_a > 1 && *a == '0'; digits_a--)
			a++;
		for (; digits_b > 1 && *b == '0'; digits_b--)
			b++;
		if (digits_a != digits_b)
			return digits_a < digits_b ? -1 : 1;
		order = memcmp(a, b, digits_a);
		if (order != 0)
			return order;
		a += digits_a;
		b += digits_b;
	}
	return (*a != '\0') - (*b != '\0');
}

int weir_text_compare_numbered(const char *a, const char *b)
{
	int order = compare_with_numbers(a, b);

	return order != 0 ? order : strcmp(a, b);
}
