/*
 * hides.c: which paths a call must not show, asked by tools that list what lies in a directory, for each entry and on
 * all their threads. Entries come directory by directory, so what is known of a directory (where its links lead, the
 * rules in force) is kept for the next entry, by each thread in a slot of its own.
 */
#include "base/cleanup.h"
#include "runtime/call.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 16, PATH_BYTES_MAX = 1 << 24 };

/* The directory that a thread asked about last. */
struct slot {
    _Atomic uintptr_t owner;         /* the thread; 0: none yet */
    pthread_mutex_t lock;            /* for when more threads ask than there are slots */
    struct hv_buf written, resolved; /* the latter empty: it leads nowhere */
    struct hv_buf path;              /* of the entry, resolved */
    struct policy *policy;           /* in force then; counted; NULL: none was asked about */
    const struct hv_tool *tool;      /* that asked */
    bool by_name;                    /* only suspect names can be hidden there */
    char apart[64];                  /* from the next one, whose thread locks it for each entry, too */
};

struct hides {
    struct slot slots[SLOTS];
};

struct hides *hides_new(void)
{
    struct hides *hides = hv_calloc(1, sizeof *hides);
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &hides->slots[i];
        pthread_mutex_init(&slot->lock, NULL);
        hv_buf_init(&slot->written, PATH_BYTES_MAX);
        hv_buf_init(&slot->resolved, PATH_BYTES_MAX);
        hv_buf_init(&slot->path, PATH_BYTES_MAX);
    }
    return hides;
}

void hides_free(struct hides *hides)
{
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &hides->slots[i];
        policy_unref(slot->policy);
        hv_buf_release(&slot->written);
        hv_buf_release(&slot->resolved);
        hv_buf_release(&slot->path);
        pthread_mutex_destroy(&slot->lock);
    }
    free(hides);
}

/* The slot of the thread, which takes a free one when it asks for the first time. */
static struct slot *slot_of_thread(struct hides *hides)
{
    uintptr_t self = (uintptr_t)pthread_self();
    for (size_t i = 0; i < SLOTS; i++) {
        uintptr_t owner = atomic_load_explicit(&hides->slots[i].owner, memory_order_relaxed);
        if (owner == self || (!owner && atomic_compare_exchange_strong(&hides->slots[i].owner, &owner, self)))
            return &hides->slots[i];
    }
    return &hides->slots[0];
}

/* How many bytes of the paths of two directories name directories that both lie in. */
static size_t common_length(struct hv_str a, struct hv_str b)
{
    size_t common = 0, at = 0;
    for (; at < a.len && at < b.len && a.ptr[at] == b.ptr[at]; at++)
        if (a.ptr[at] == '/')
            common = at;
    bool whole_a = at == a.len && (at == b.len || b.ptr[at] == '/');
    bool whole_b = at == b.len && at < a.len && a.ptr[at] == '/';
    return whole_a || whole_b ? at : common;
}

/*
 * No link leads to the directory, as none led to the one looked at last and there is none on the way from where their
 * paths part.
 */
static bool is_plain(const struct slot *slot, const struct hv_host *host, struct hv_str directory)
{
    struct hv_str last = hv_buf_str(&slot->written);
    struct hv_file_stat info;
    if (!slot->policy || !last.len || !hv_str_eq(last, hv_buf_str(&slot->resolved)))
        return false;
    for (size_t at = common_length(last, directory); at < directory.len;) {
        size_t slash = hv_str_find_byte(directory, '/', at + 1);
        at = slash == SIZE_MAX ? directory.len : slash;
        if (host->stat(host, hv_str_slice(directory, 0, at), false, &info, NULL) || info.kind != HV_FILE_DIRECTORY)
            return false;
    }
    return true;
}

/* Make the slot know the directory. */
static void look_at_directory(struct slot *slot, struct runtime *runtime, const struct hv_tool *tool,
                              struct hv_str directory)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct policy_path resolved = {.resolved = directory};
    if (slot->policy && slot->tool == tool && hv_str_eq(hv_buf_str(&slot->written), directory))
        return;
    if (!is_plain(slot, runtime->files, directory))
        policy_path_resolve(runtime->files, &arena, directory, &resolved);
    policy_unref(slot->policy);
    slot->policy = runtime_policy(runtime);
    hv_buf_clear(&slot->written);
    hv_buf_clear(&slot->resolved);
    hv_buf_add_str(&slot->written, directory);
    hv_buf_add_str(&slot->resolved, resolved.resolved);
    resolved.written = directory;
    slot->tool = tool;
    slot->by_name = policy_hides_by_name(slot->policy, tool, &resolved);
}

/* Where the entry is, when its directory's links are followed; absent when that leads nowhere. */
static struct hv_str resolved_path(struct slot *slot, struct hv_str path)
{
    struct hv_str directory = hv_buf_str(&slot->resolved);
    if (!directory.len || slot->resolved.failed)
        return (struct hv_str){0};
    if (hv_str_eq(directory, hv_buf_str(&slot->written)))
        return path;
    hv_buf_clear(&slot->path);
    hv_buf_add_str(&slot->path, hv_str_is(directory, "/") ? HV_STR("") : directory);
    hv_buf_add_str(&slot->path, hv_str_slice(path, slot->written.len, path.len));
    return slot->path.failed ? (struct hv_str){0} : hv_buf_str(&slot->path);
}

static bool hides_after_links(struct call *call, struct hv_str path)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct policy_path resolved;
    struct policy *policy = runtime_policy(call->runtime);
    policy_path_resolve(call->runtime->files, &arena, path, &resolved);
    bool hidden = policy_hides_path(policy, call->tool, &resolved);
    policy_unref(policy);
    return hidden;
}

bool hides_entry(struct hv_context *context, struct hv_str path, enum hv_file_kind kind)
{
    struct call *call = call_of(context);
    size_t slash = hv_str_rfind_byte(path, '/');
    if (slash == SIZE_MAX || slash == 0 || kind == HV_FILE_SYMLINK || kind == HV_FILE_UNKNOWN)
        return hides_after_links(call, path);
    struct slot *slot = slot_of_thread(call->hides);
    LOCK_SCOPE(&slot->lock);
    look_at_directory(slot, call->runtime, call->tool, hv_str_slice(path, 0, slash));
    if (slot->by_name && (kind == HV_FILE_REGULAR || kind == HV_FILE_DIRECTORY) &&
        !policy_suspects_name(slot->policy, hv_str_slice(path, slash + 1, path.len)))
        return false;
    struct policy_path resolved = {.written = path, .resolved = resolved_path(slot, path), .kind = kind};
    return policy_hides_path(slot->policy, call->tool, &resolved);
}

bool hides_by_rule(struct hv_context *context)
{
    struct call *call = call_of(context);
    struct policy *policy = runtime_policy(call->runtime);
    bool some = policy_denies_reading(policy, call->tool);
    policy_unref(policy);
    return some;
}

bool hides_path(struct hv_context *context, struct hv_str path)
{
    const struct hv_host *host = call_of(context)->runtime->files;
    struct hv_file_stat info;
    bool known = host->stat(host, path, false, &info, NULL) == HV_OK;
    return hides_entry(context, path, known ? info.kind : HV_FILE_UNKNOWN);
}
