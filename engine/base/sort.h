/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts lists that usually are in order. */
#ifndef WEIR_BASE_SORT_H
#define WEIR_BASE_SORT_H

#include <stddef.h>

/*
 * Sorts like qsort(), but leaves items that are in order, as profilers usually write events, after
 * one linear pass. qsort() is not stable: if the order of equal items matters, `compare` must
 * decide it.
 */
void weir_sort(void *items, size_t count, size_t size,
               int (*compare)(const void *left, const void *right));

#endif
