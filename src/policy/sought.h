/*
 * sought.h: credentials among names that one part of a command prints and another one opens: `cat $(ls i*)`, `git
 * ls-files | xargs cat`, `find . -name 'id*' -exec cat {} +`. Inner to src/policy.
 */
#ifndef POLICY_SOUGHT_H
#define POLICY_SOUGHT_H

#include "policy/led_out.h"

struct policy_command;

/*
 * The first one, absolute, in arena; absent: there is none, or none among what could be looked at. What a whole tree
 * holds (`find . | xargs cat`) is not asked about, as a search through it is not. command has its parts. Blocks: looks
 * at the directories, with the bounds of leading; where these did not suffice, leading->too_many is set.
 */
struct hv_str sought_credential(struct leading *leading, struct hv_arena *arena, const struct path_classes *classes,
                                const struct policy_command *command, struct hv_str home);

#endif
