/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts lists that usually are in order. */
#ifndef WEIR_BASE_SORT_H
#define WEIR_BASE_SORT_H

#include <stddef.h>

/*
 * Sorts like qsort(), but stably, and in one linear pass if the items are in order, as profilers
 * usually write events: it merges the ascending runs of the list. Its buffer lies in huge pages if
 * it is large, unlike that of qsort().
 */
void weir_sort(void *items, size_t count, size_t size,
               int (*compare)(const void *left, const void *right));

#endif
