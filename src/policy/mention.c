/*
 * mention.c: where the words of a command lead. A rule and a path class speak of files, and a command may name one by a
 * link, or by "link/.." whose parent is not the one its text suggests. The judging is pure (match.c); this is the one
 * look at the file system before it.
 */
#include "policy/match.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"

#include <string.h>

/* A command that a rule can allow has fewer words: COMMAND_LENGTH_MAX. */
enum { LOOKED_AT_MAX = 10000 };

struct looking {
    const struct hv_host *host;
    struct hv_arena *arena;
    VEC(struct policy_path) found;
    size_t count;
};

bool mention_is_own_stream(struct hv_str path)
{
    static const struct hv_str streams[] = {HV_STR("/dev/stdin"), HV_STR("/dev/stdout"), HV_STR("/dev/stderr")};
    static const struct hv_str folders[] = {HV_STR("/dev/fd"), HV_STR("/proc/self/fd")};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (hv_str_eq(path, streams[i]))
            return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int64_t number;
        if (hv_str_eq(path, folders[i]) ||
            (hv_str_eq(path_parent(path), folders[i]) && hv_str_to_int64(path_name(path), &number)))
            return true;
    }
    return false;
}

static bool look(void *user, struct hv_str path, struct hv_str untidy)
{
    struct looking *looking = user;
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct hv_str resolved = {0};
    enum hv_code code = looking->host->resolve(looking->host, &scratch, untidy, &resolved, NULL);
    bool magic = code == HV_EUNSUPPORTED && !(hv_str_eq(path, untidy) && mention_is_own_stream(path));
    if (magic || (code == HV_OK && !hv_str_eq(resolved, path)))
        *vec_push(&looking->found) = (struct policy_path){
            .written = hv_arena_str(looking->arena, path),
            .resolved = magic ? (struct hv_str){0} : hv_arena_str(looking->arena, resolved),
            .kind = magic ? HV_FILE_SYMLINK : HV_FILE_UNKNOWN,
        };
    return ++looking->count == LOOKED_AT_MAX;
}

void policy_follow_words(const struct policy *policy, const struct hv_host *host, struct hv_arena *arena,
                         struct policy_facts *facts)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct looking looking = {.host = host, .arena = arena};
    struct match_call call;
    match_begin(policy, facts, &scratch, &call);
    if (!call.has_command)
        return;
    (void)match_each_word(&call, look, &looking);
    struct policy_path *linked = hv_arena_array(arena, struct policy_path, looking.found.count);
    if (looking.found.count)
        memcpy(linked, looking.found.items, looking.found.count * sizeof *linked);
    facts->linked = linked;
    facts->linked_count = looking.found.count;
    vec_release(&looking.found);
}
