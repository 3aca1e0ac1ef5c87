/* rule_path.h: the path patterns of rules: `//` absolute, `~/` home, `/` from the settings' root, else from cwd. */
#ifndef POLICY_RULE_PATH_H
#define POLICY_RULE_PATH_H

#include "policy/rule.h"

/* Compile rule->specifier into rule->paths, in arena. A pattern that can never match has no readings. */
void rule_path_parse(const struct rule_bases *bases, struct hv_arena *arena, struct rule *rule, struct hv_str root);

/* path is base or lies below it, by whole components. */
bool rule_path_below(struct hv_str path, struct hv_str base, bool ignores_case);

#endif
