/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What benchmarks of `weir classify` measure; each time is the best of three. */
#ifndef WEIR_TESTS_BENCH_MEASURE_H
#define WEIR_TESTS_BENCH_MEASURE_H

double megabytes(const char *path);    /* size of the file; 0: there is none */
double pass_seconds(const char *path); /* one look at every byte, and nothing else */
/* Of `PROGRAM classify --format=json PATH`; negative where the program fails. */
double classify_seconds(char *program, char *path);
/* Most memory that any program run so far took. */
double peak_megabytes(void);

#endif
