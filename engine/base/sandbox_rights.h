/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes rights from one thread, for sandbox.c alone. */
#ifndef WEIR_BASE_SANDBOX_RIGHTS_H
#define WEIR_BASE_SANDBOX_RIGHTS_H

/* Takes the rights of sandbox.h from this thread for ever, by each of the layers (enum
 * weir_sandbox_layer) that the kernel has. Returns those that took effect. */
unsigned weir_rights_drop(unsigned layers);

#endif
