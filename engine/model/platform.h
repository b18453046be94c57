/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The label of a trace whose program ran on the processor alone: a client of XLA for the CPU ran
 * it, and no device has work. */
#ifndef WEIR_MODEL_PLATFORM_H
#define WEIR_MODEL_PLATFORM_H

#define WEIR_LABEL_CPU_PLATFORM "cpu_platform"

#endif
