/*
 * git_condition.h: whether the condition of a section [includeIf "…"] of git's configuration holds, as git-config(1)
 * has it under "Conditional includes". Pure; any thread.
 */
#ifndef FS_GIT_CONDITION_H
#define FS_GIT_CONDITION_H

#include <helve/str.h>

/* Where the question is asked. What is absent makes no condition hold. */
struct git_situation {
    struct hv_str directories[2]; /* of the repository: with links resolved, and as it was found */
    struct hv_str home;           /* of the person, with links resolved */
    struct hv_str configuration;  /* the directory of the file that has the section, with links resolved */
    struct hv_str branch;         /* without refs/heads/ */
    const struct hv_str *urls;    /* of the remotes */
    size_t url_count;
};

/*
 * condition is what stands between the quotes, decoded: gitdir:, gitdir/i:, onbranch: or hasconfig:remote.*.url: and a
 * pattern. Any other condition does not hold. arena is for patterns that are made whole.
 */
bool git_condition_holds(struct hv_arena *arena, struct hv_str condition, const struct git_situation *situation);

#endif
