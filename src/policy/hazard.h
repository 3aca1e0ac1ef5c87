/*
 * hazard.h: the gravest thing about a command, whatever the rules say: what is never run, what a person confirms each
 * time. Joins the dangers of src/shell with the classes of paths, and, where a command was not understood, with what
 * its text suggests. Pure.
 */
#ifndef POLICY_HAZARD_H
#define POLICY_HAZARD_H

#include "policy/match.h"
#include "policy/parts.h"

/* call has a command. Texts in arena, or where the command was judged. */
struct hazard hazard_find(const struct match_call *call, struct hv_arena *arena);

/* Of one part of the command alone: its paths and its dangers. */
struct hazard hazard_of_part(const struct policy *policy, const struct policy_command *command,
                             const struct policy_part *part, struct hv_arena *arena);

/* Find them once for all who ask in the same policy: the command's mentions are there, and its parts are complete. In
 * arena, that the command lives in. */
void hazard_keep(const struct match_call *call, struct policy_command *command, struct hv_arena *arena);

#endif
