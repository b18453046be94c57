/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting of what is in order more often than not. */
#ifndef WEIR_BASE_SORT_H
#define WEIR_BASE_SORT_H

#include <stddef.h>

/*
 * qsort() that looks first: what a profiler wrote in order of time is left as it is, after one
 * linear pass. The comparison orders all items, equal ones included where their order matters.
 */
void weir_sort(void *items, size_t count, size_t size,
               int (*compare)(const void *left, const void *right));

#endif
