/* SPDX-License-Identifier: GPL-3.0-or-later */
/* weir.json to a policy. Private to ci/policy/policy.c. */
#ifndef WEIR_CI_POLICY_POLICY_PARSE_H
#define WEIR_CI_POLICY_POLICY_PARSE_H

#include "ci/policy/policy.h"
#include "engine/base/json.h"

/* Overwrites what the document states. A fault leaves its reason in err. */
void weir_policy_read(struct weir_policy *policy, const cJSON *document, struct weir_error *err);

#endif
