/*
 * git_views.h: the configurations of git, as commands see them: writable, and without effect outside. In the place of
 * each a link is seen, to a copy that lies beside the folder for temporary files; git follows it when it writes. After
 * a command what it changed there is taken over where it is harmless (git_changes.h), and put back where it is not.
 */
#ifndef SANDBOX_GIT_VIEWS_H
#define SANDBOX_GIT_VIEWS_H

#include <helve/host.h>

#include "base/vec.h"
#include "sandbox/plan.h"
#include "sandbox/temporary.h"

/* Zeroed to begin with. Under the sandbox's lock. */
struct git_views {
    VEC(struct git_view) items;
};

/* Fill plan->views for the configurations in it: links that the helper shows in their place; a copy that no command has
 * changed is brought up to date. Blocks. */
void git_views_show(struct git_views *views, const struct hv_host *host, const struct temporary *temporary,
                    struct sandbox_plan *plan, struct hv_arena *arena);
/* After a command: take over or put back what was changed. Sentences for the model, in arena; absent: nothing. Blocks.
 */
struct hv_str git_views_take(struct git_views *views, const struct hv_host *host, struct hv_arena *arena);
void git_views_release(struct git_views *views);

#endif
