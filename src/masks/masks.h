/*
 * masks.h: the one list of what commands must not read or change, of paths that exist: what deny rules speak of, what
 * the settings of the sandbox deny by a pattern, the journals of sessions, credentials in the workspace that git does
 * not track, and further names there of the home's start-up files. A sandbox hides it (src/sandbox/plan.c adds what is
 * secret by its fixed place); where there is none that can, a person is asked before a command opens whatever it finds
 * (src/policy).
 */
#ifndef MASKS_MASKS_H
#define MASKS_MASKS_H

#include "policy/policy.h"
#include "sandbox/plan.h"

struct masks;

/* All is copied, but for host and settings, which must outlive the masks. */
struct masks_options {
    const struct hv_host *host; /* resolves the roots */
    const struct settings *settings;
    struct hv_str home;
    struct hv_str results; /* the session's own stored results, which commands may read; or absent */
    const struct hv_str *roots;
    size_t root_count;
    bool once; /* what is found first is not looked for again */
};

/* Does no I/O. */
struct masks *masks_new(const struct masks_options *options);
void masks_free(struct masks *masks); /* NULL is fine */

/* What holds now, under the rules of policy, in arena. Blocks: the first time, and where denials have changed, on a
 * walk through the workspace; else for microseconds (fs/marked.h). Any thread. */
void masks_find(struct masks *masks, const struct policy *policy, struct hv_arena *arena, struct sandbox_masks *out);

/* The workspaces in which that list holds all credentials but those that git tracks, in arena: a full sandbox shows no
 * other. None where some may have been missed, or the settings show some again. Blocks like masks_find. */
const struct hv_str *masks_places(struct masks *masks, const struct policy *policy, struct hv_arena *arena,
                                  size_t *count);

#endif
