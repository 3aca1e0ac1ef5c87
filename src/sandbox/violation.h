/* violation.h: telling a refusal of the sandbox from an ordinary failure, by what a command wrote. Pure but for the
 * host. */
#ifndef SANDBOX_VIOLATION_H
#define SANDBOX_VIOLATION_H

#include <helve/host.h>

#include "sandbox/plan.h"

struct violation_facts {
    const struct hv_host *host; /* looks whether a folder is there that is offered; NULL: it is */
    const struct sandbox_plan *plan;
    struct hv_str command;   /* its text; may be absent */
    struct hv_str output;    /* what the command wrote, or the end of it */
    struct hv_str directory; /* where it ran, for relative names; … */
    struct hv_str ended_in;  /* … and where it went to; may be absent */
    struct hv_str home, temporary;
    struct hv_str refusals; /* of the proxy, one a line, or absent */
    bool only_reads;        /* it was let run because it only reads, and could not do more */
    bool failed;            /* the command did */
    bool asks;              /* somebody may be asked about connections */
    unsigned machine_port;  /* a port of the machine's loopback that it did not reach, and no rule speaks of; 0: none */
};

/*
 * A few sentences that say what the sandbox refused and which setting would allow it; absent when nothing looks like
 * it. A refused path is believed only where the plan says that it would be refused. In arena.
 */
struct hv_str violation_describe(const struct violation_facts *facts, struct hv_arena *arena);

#endif
