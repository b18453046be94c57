#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the finder of mutants on a small source, and equivalent.txt against the sources."""

import sys
import unittest

import mutate
import sites

SOURCE = """#include <stdio.h>
#define LIMIT 8
/* a < b */
static const int table[] = {1, 2};
static int f(int a, double b)
{
	char buffer[64];
	const char *text = "a < b && 7";

	if (a < 3 &&
	    b > 0.5)
		a += 2;
	assert(a < 9);
	g(text);
	weir_text_release(buffer);
	pthread_mutex_lock(&lock);
	pthread_mutex_destroy(&lock);
	return a * 2;
}
"""

EXPECTED = {
    ("constant", "#define LIMIT 8", "#define LIMIT 9"),
    ("constant", "#define LIMIT 8", "#define LIMIT 7"),
    ("comparison", "if (a < 3 &&", "if (a <= 3 &&"),
    ("constant", "if (a < 3 &&", "if (a < 4 &&"),
    ("constant", "if (a < 3 &&", "if (a < 2 &&"),
    ("logic", "if (a < 3 &&", "if (a < 3 ||"),
    ("condition", "if (a < 3 && b > 0.5)", "if (!(a < 3 && b > 0.5))"),
    ("comparison", "b > 0.5)", "b >= 0.5)"),
    ("constant", "b > 0.5)", "b > (1.1 * 0.5))"),
    ("arithmetic", "a += 2;", "a -= 2;"),
    ("constant", "a += 2;", "a += 3;"),
    ("constant", "a += 2;", "a += 1;"),
    ("removal", "a += 2;", ";"),
    ("removal", "g(text);", ";"),
    ("removal", "pthread_mutex_lock(&lock);", ";"),
    ("return", "return a * 2;", "return 0;"),
    ("arithmetic", "return a * 2;", "return a / 2;"),
    ("constant", "return a * 2;", "return a * 3;"),
    ("constant", "return a * 2;", "return a * 1;"),
}


class Finder(unittest.TestCase):
    def test_finds_each_kind_and_nothing_else(self):
        self.assertEqual({(site.kind, *sites.describe(SOURCE, site)) for site in sites.find(SOURCE)}, EXPECTED)

    def test_knows_lines_that_lock(self):
        locking = {before for _, before, _ in EXPECTED if mutate.LOCKING.search(before)}
        self.assertEqual(locking, {"pthread_mutex_lock(&lock);"})

    def test_keeps_the_number_of_lines(self):
        for site in sites.find(SOURCE):
            self.assertEqual(sites.apply(SOURCE, site).count("\n"), SOURCE.count("\n"))

    def test_draws_the_same_for_the_same_seed(self):
        texts = [[m.after for m in mutate.draw(mutate.all_mutants(["rules"]), seed, 9)] for seed in (1, 1, 2)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])


class List(unittest.TestCase):
    def test_matches_the_sources(self):
        self.assertEqual(mutate.stale_lines(), [])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
