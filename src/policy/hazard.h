/*
 * hazard.h: the gravest thing about a command, whatever the rules say: what is never run, what a person confirms each
 * time. Joins the dangers of src/shell with the classes of paths, and, where a command was not understood, with what
 * its text suggests. Pure.
 */
#ifndef POLICY_HAZARD_H
#define POLICY_HAZARD_H

#include "policy/match.h"
#include "policy/parts.h"

struct hazard {
    enum shell_danger_level level;
    struct hv_str what;             /* a clause for people, in arena or static: "it acts as another user" */
    const struct policy_part *part; /* that it shows at; NULL: the command as a whole, or its text */
};

/* call has a command. */
struct hazard hazard_find(const struct match_call *call, struct hv_arena *arena);

/* Of one part alone: its paths and its dangers. */
struct hazard hazard_of_part(const struct policy *policy, const struct policy_part *part, struct hv_arena *arena);

#endif
