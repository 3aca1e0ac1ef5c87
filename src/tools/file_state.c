/* file_state.c: see file_state.h. */
#include "tools/file_state.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "fs/open.h"

#include <string.h>

enum { MARK_MAX = 4 }; /* bytes of a file that is nothing but a byte order mark */

struct range {
    size_t first, last; /* lines, from 1, both included */
};

/* What a Read asked for. */
struct request {
    int64_t offset, limit;
};

struct record {
    char *path; /* on the heap */
    size_t path_len;
    uint64_t path_hash, used;
    struct hv_file_stat stat;
    uint64_t hash; /* of all bytes */
    bool has_hash, whole;
    struct request requests[FILE_REQUESTS_MAX]; /* of the last Reads since the bytes are as they are */
    size_t request_count;                       /* ever; the ring holds the last ones */
    VEC(struct range) ranges;                   /* ascending, disjoint, not adjacent; not kept when whole */
};

struct file_state {
    pthread_mutex_t mutex;
    VEC(struct record) records;
    uint64_t clock;
};

static void state_init(void *state)
{
    pthread_mutex_init(&((struct file_state *)state)->mutex, NULL);
}

static void record_release(struct record *record)
{
    free(record->path);
    vec_release(&record->ranges);
}

static void state_release(void *pointer)
{
    struct file_state *state = pointer;
    for (size_t i = 0; i < state->records.count; i++)
        record_release(&state->records.items[i]);
    vec_release(&state->records);
    pthread_mutex_destroy(&state->mutex);
}

static const struct hv_state_key state_key = {
    .name = "files", .size = sizeof(struct file_state), .init = state_init, .release = state_release};

struct hv_str file_state_key(struct hv_context *context, struct hv_str path)
{
    struct hv_str resolved;
    return context->host->resolve(context->host, context->arena, path, &resolved, NULL) ? path : resolved;
}

/* ---- records -------------------------------------------------------------------------------------------- */

static struct record *find(struct file_state *state, struct hv_str key)
{
    uint64_t hash = hv_str_hash(key);
    for (size_t i = 0; i < state->records.count; i++) {
        struct record *record = &state->records.items[i];
        if (record->path_hash == hash && hv_str_eq(hv_str_of(record->path, record->path_len), key)) {
            record->used = ++state->clock;
            return record;
        }
    }
    return NULL;
}

static void forget_oldest(struct file_state *state)
{
    struct record *oldest = state->records.items;
    for (size_t i = 1; i < state->records.count; i++)
        if (state->records.items[i].used < oldest->used)
            oldest = &state->records.items[i];
    record_release(oldest);
    *oldest = state->records.items[--state->records.count];
}

static struct record *find_or_add(struct file_state *state, struct hv_str key)
{
    struct record *record = find(state, key);
    if (record)
        return record;
    if (state->records.count >= FILE_STATE_MAX)
        forget_oldest(state);
    record = vec_push(&state->records);
    *record = (struct record){.path = hv_malloc(key.len + 1), .path_len = key.len, .used = ++state->clock};
    memcpy(record->path, key.ptr, key.len);
    record->path[key.len] = '\0';
    record->path_hash = hv_str_hash(key);
    return record;
}

static void add_range(struct record *record, size_t first, size_t last)
{
    size_t at = 0;
    while (at < record->ranges.count && record->ranges.items[at].last + 1 < first)
        at++;
    size_t end = at;
    for (; end < record->ranges.count && record->ranges.items[end].first <= last + 1; end++) {
        first = first < record->ranges.items[end].first ? first : record->ranges.items[end].first;
        last = last > record->ranges.items[end].last ? last : record->ranges.items[end].last;
    }
    if (end == at) {
        if (record->ranges.count == FILE_RANGES_MAX)
            return; /* not remembered: asks for one more Read, never for less */
        (void)vec_push(&record->ranges);
        end = at + 1;
        memmove(&record->ranges.items[end], &record->ranges.items[at],
                (record->ranges.count - end) * sizeof *record->ranges.items);
    } else if (end > at + 1) {
        memmove(&record->ranges.items[at + 1], &record->ranges.items[end],
                (record->ranges.count - end) * sizeof *record->ranges.items);
        record->ranges.count -= end - at - 1;
    }
    record->ranges.items[at] = (struct range){first, last};
}

static bool covers(const struct record *record, size_t first, size_t last)
{
    for (size_t i = 0; !record->whole && i < record->ranges.count; i++)
        if (record->ranges.items[i].first <= first && last <= record->ranges.items[i].last)
            return true;
    return record->whole;
}

static void set_contents(struct record *record, const struct hv_file_stat *stat, uint64_t hash)
{
    record->stat = *stat;
    record->has_hash = true;
    record->hash = hash;
    record->request_count = 0;
}

static void set_whole(struct record *record)
{
    record->whole = true;
    vec_release(&record->ranges);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static bool has_request(const struct record *record, const struct file_view *view)
{
    size_t count = record->request_count < FILE_REQUESTS_MAX ? record->request_count : FILE_REQUESTS_MAX;
    for (size_t i = 0; i < count; i++)
        if (record->requests[i].offset == view->offset && record->requests[i].limit == view->limit)
            return true;
    return false;
}

static bool has_bytes(const struct record *record, const struct file_view *view)
{
    return view->is_whole && record->has_hash && record->stat.size == view->size && record->hash == view->hash;
}

void file_state_note_read(struct hv_context *context, struct hv_str key, const struct file_view *view)
{
    struct file_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->mutex);
    struct record *record = find_or_add(state, key);
    bool by_bytes = view->is_whole && record->has_hash;
    if (by_bytes ? !has_bytes(record, view) : !fs_stat_same(&record->stat, &view->stat)) {
        record->whole = record->has_hash = false;
        record->ranges.count = record->request_count = 0;
    } else if (!by_bytes && !fs_stat_untouched(&record->stat, &view->stat)) {
        record->request_count = 0;
    }
    record->stat = view->stat;
    if (view->is_whole) {
        record->has_hash = true;
        record->hash = view->hash;
    }
    if (!has_request(record, view))
        record->requests[record->request_count++ % FILE_REQUESTS_MAX] = (struct request){view->offset, view->limit};
    bool empty = view->is_whole && view->size <= MARK_MAX && !view->total;
    if (view->last && !record->whole)
        add_range(record, view->first, view->last);
    if (empty || (view->total && covers(record, 1, view->total)))
        set_whole(record);
}

bool file_state_already_shown(struct hv_context *context, struct hv_str key, const struct file_view *view)
{
    struct file_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->mutex);
    const struct record *record = find(state, key);
    return record && has_request(record, view) && fs_stat_untouched(&record->stat, &view->stat);
}

bool file_state_same_shown(struct hv_context *context, struct hv_str key, const struct file_view *view)
{
    struct file_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->mutex);
    struct record *record = find(state, key);
    if (!record || !has_request(record, view) || !has_bytes(record, view))
        return false;
    record->stat = view->stat;
    return true;
}

/* ---- before a change ------------------------------------------------------------------------------------ */

static enum hv_code fail_unread(struct hv_str key, const struct record *record, struct hv_error *err)
{
    if (!record) {
        hv_fail(err, HV_EINVAL, "%.*s has not been read in this session", HV_STR_ARG(key));
        hv_error_hint(err, "Read the file first, then repeat the change");
    } else {
        hv_fail(err, HV_EINVAL, "Only a part of %.*s has been read", HV_STR_ARG(key));
        hv_error_hint(err, "Read the rest of the file, or change the part that was shown with Edit");
    }
    return HV_EINVAL;
}

/* All bytes of the file were seen. */
static bool is_hashed(struct file_state *state, struct hv_str key)
{
    LOCK_SCOPE(&state->mutex);
    const struct record *record = find(state, key);
    return record && record->has_hash;
}

enum hv_code file_state_fail_unread(struct hv_str key, struct hv_error *err)
{
    return fail_unread(key, NULL, err);
}

enum hv_code file_state_check(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                              struct hv_str bytes, enum file_need need, struct hv_error *err)
{
    struct file_state *state = hv_state(context, &state_key);
    uint64_t hash = is_hashed(state, key) ? hv_str_hash(bytes) : 0; /* may take a while: without the lock */
    LOCK_SCOPE(&state->mutex);
    const struct record *record = find(state, key);
    if (!record)
        return fail_unread(key, record, err);
    bool same_bytes = record->has_hash && record->stat.size == bytes.len && record->hash == hash;
    if (!same_bytes && (record->has_hash || !fs_stat_same(&record->stat, stat))) {
        hv_fail(err, HV_ECONFLICT, "%.*s was changed since it was read, by a person or another program",
                HV_STR_ARG(key));
        hv_error_hint(err, "Read the file again, then repeat the change");
        return HV_ECONFLICT;
    }
    return need == FILE_NEED_WHOLE && !record->whole ? fail_unread(key, record, err) : HV_OK;
}

enum hv_code file_state_check_lines(struct hv_context *context, struct hv_str key, const struct diff *changes,
                                    struct hv_error *err)
{
    struct file_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->mutex);
    const struct record *record = find(state, key);
    if (!record)
        return fail_unread(key, record, err);
    for (size_t i = 0; i < changes->count; i++) {
        const struct diff_change *change = &changes->changes[i];
        size_t first = change->old_start + 1;
        size_t last = change->old_start + (change->old_count ? change->old_count : 1);
        bool at_insertion = !change->old_count && change->old_start && covers(record, first - 1, first - 1);
        if (covers(record, first, last) || at_insertion)
            continue;
        hv_fail(err, HV_EINVAL, "The change touches lines %zu to %zu of %.*s, which have not been read", first, last,
                HV_STR_ARG(key));
        hv_error_hint(err, "Read these lines first (offset %zu, limit %zu)", first, last - first + 1);
        return HV_EINVAL;
    }
    return HV_OK;
}

/* ---- after a change ------------------------------------------------------------------------------------- */

void file_state_note_written(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                             uint64_t hash)
{
    struct file_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->mutex);
    struct record *record = find_or_add(state, key);
    set_contents(record, stat, hash);
    set_whole(record);
}

/* Where a line that no change touches stands afterwards. */
static size_t moved(const struct diff *changes, size_t line)
{
    size_t at = line;
    for (size_t i = 0; i < changes->count && changes->changes[i].old_start < line; i++)
        at = at - changes->changes[i].old_count + changes->changes[i].new_count;
    return at;
}

/* What was seen is cut at the changes, moved, and put together again with what was put in. */
static void move_ranges(struct record *record, const struct diff *changes)
{
    struct record after = {0};
    for (size_t i = 0; i < record->ranges.count; i++) {
        size_t first = record->ranges.items[i].first, last = record->ranges.items[i].last;
        for (size_t c = 0; c < changes->count && first <= last; c++) {
            const struct diff_change *change = &changes->changes[c];
            if (change->old_start + change->old_count < first || change->old_start >= last)
                continue;
            if (change->old_start >= first)
                add_range(&after, moved(changes, first), moved(changes, change->old_start));
            first = change->old_start + change->old_count + 1;
        }
        if (first <= last)
            add_range(&after, moved(changes, first), moved(changes, last));
    }
    for (size_t c = 0; c < changes->count; c++)
        if (changes->changes[c].new_count)
            add_range(&after, changes->changes[c].new_start + 1,
                      changes->changes[c].new_start + changes->changes[c].new_count);
    vec_release(&record->ranges);
    record->ranges.items = after.ranges.items;
    record->ranges.count = after.ranges.count;
    record->ranges.capacity = after.ranges.capacity;
}

void file_state_note_edited(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                            uint64_t hash, const struct diff *changes)
{
    struct file_state *state = hv_state(context, &state_key);
    LOCK_SCOPE(&state->mutex);
    struct record *record = find_or_add(state, key);
    set_contents(record, stat, hash);
    if (!record->whole)
        move_ranges(record, changes);
}
