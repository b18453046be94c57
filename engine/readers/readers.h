/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the readers of readers.def. */
#ifndef WEIR_READERS_READERS_H
#define WEIR_READERS_READERS_H

#include "engine/readers/reader.h"

#define READER(name, sample) extern const struct weir_reader weir_reader_##name;
#include "engine/readers/readers.def"
#undef READER

#endif
