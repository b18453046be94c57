/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>

#include "engine/cli/interruption.h"
#include "engine/cli/output.h"

void weir_end_if_interrupted(struct weir_signals *signals)
{
	if (weir_signals_came(signals)) {
		struct weir_text line = {0};

		weir_text_printf(&line, "interrupted by signal %d", signals->taken);
		weir_say(line.data);
		weir_text_release(&line);
		weir_trace_finish();
		signal(signals->taken, SIG_DFL);
		raise(signals->taken);
	}
	weir_signals_release(signals);
}
