/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What nvidia-smi writes besides tables of samples. */
#ifndef WEIR_READERS_SMI_H
#define WEIR_READERS_SMI_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/slice.h"

/* A line in which nvidia-smi says that it failed, in our words; else NULL. */
const char *weir_smi_failure(struct weir_slice line);

/* Why an output of nvidia-smi holds no samples of devices: it lists processes or links, or only an
 * error. NULL: it may hold some, or is not of nvidia-smi. */
const char *weir_smi_refusal(const char *head, size_t len);

#endif
