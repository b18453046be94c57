/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements of `weir classify` for benchmarks; each time is the best of three. */
#ifndef WEIR_TESTS_BENCH_MEASURE_H
#define WEIR_TESTS_BENCH_MEASURE_H

double megabytes(const char *path);    /* size in MB of 10^6 bytes; 0 if there is no file */
double pass_seconds(const char *path); /* seconds of one bare pass over every byte */
/* Seconds of `PROGRAM classify --format=json PATH`; negative if the program fails. */
double classify_seconds(char *program, char *path);
/* Largest peak memory of the programs run so far, in MB of 10^6 bytes. */
double peak_megabytes(void);

#endif
