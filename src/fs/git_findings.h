/*
 * git_findings.h: what a configuration of git names that would make git run a program or reach the network, and that no
 * override in the environment stops: filters, text conversions, external diffs, aliases … . Pure: one text in, findings
 * out; git_probe.h finds the files.
 */
#ifndef FS_GIT_FINDINGS_H
#define FS_GIT_FINDINGS_H

#include <helve/str.h>

/* Which sub-commands a finding concerns. */
enum git_finding_kind {
    GIT_FINDING_ANY = 1,  /* every sub-command: what is configured cannot be told */
    GIT_FINDING_CONTENT,  /* those that look at the contents of files, now or in history */
    GIT_FINDING_OBJECTS,  /* those that need objects, which may be fetched */
    GIT_FINDING_ALIAS,    /* the sub-command `name` */
    GIT_FINDING_TRAILERS, /* interpret-trailers */
    GIT_FINDING_ARCHIVE,  /* archive */
    GIT_FINDING_HELP,     /* help */
};

struct git_finding {
    enum git_finding_kind kind;
    struct hv_str name; /* of an alias; empty: any */
    struct hv_str why;  /* a clause for people */
};

enum { GIT_FINDINGS_MAX = 32 };
struct git_findings {
    struct git_finding items[GIT_FINDINGS_MAX];
    size_t count; /* one more than fit are told by a last one of kind ANY */
};

/* Take one up. Both strings live as long as findings do. */
void git_findings_add(struct git_findings *findings, enum git_finding_kind kind, struct hv_str name, struct hv_str why);

/* The first finding that concerns the sub-command, or NULL. */
const struct git_finding *git_findings_for(const struct git_findings *findings, struct hv_str subcommand);

/* What the text of a configuration file says besides. */
struct git_findings_config {
    struct hv_str worktree; /* core.worktree, absent: not set */
    bool sha256;            /* extensions.objectFormat */
    /* Called for each file that is included, on whatever condition. */
    void (*include)(void *user, struct hv_str path);
    void *user;
};

/* Read the text of one file. Strings in arena. */
void git_findings_read(struct hv_arena *arena, struct hv_str text, struct git_findings *findings,
                       struct git_findings_config *config);

#endif
