/* scan_warm.c: see scan_warm.h. Records are found by their key in one of several tables with a lock each. */
#include "fs/scan_warm.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <string.h>

enum { STEADY_SECONDS = 2, SLOT_COST = 4 * sizeof(struct map_slot) };

void fs_warm_init(void *data)
{
    struct fs_warm *warm = data;
    *warm = (struct fs_warm){.bytes_max = FS_WARM_BYTES_MAX, .steady_ns = STEADY_SECONDS * (int64_t)CLOCK_SECOND};
    for (size_t i = 0; i < FS_WARM_SHARDS; i++)
        pthread_mutex_init(&warm->shards[i].lock, NULL);
    marks_init(&warm->marks);
    scan_rooms_init(&warm->rooms);
}

void fs_warm_release(void *data)
{
    struct fs_warm *warm = data;
    sketches_end(&warm->marks.sketches);
    for (size_t i = 0; i < FS_WARM_SHARDS; i++) {
        struct warm_shard *shard = &warm->shards[i];
        for (size_t at = 0; at < shard->records.capacity; at++)
            warm_unref(shard->records.slots[at].value);
        map_release(&shard->records);
        pthread_mutex_destroy(&shard->lock);
    }
    marks_release(&warm->marks);
    scan_rooms_release(&warm->rooms);
}

static struct hv_str key_of(const struct warm_record *record)
{
    return hv_str_of(record->data, record->key_len);
}

struct hv_str warm_path(const struct warm_record *record)
{
    return hv_str_slice(key_of(record), 1, record->key_len); /* behind the options */
}

struct hv_str warm_bytes(const struct warm_record *record)
{
    return hv_str_of(record->data + record->key_len, record->bytes_len);
}

static size_t cost_of(const struct warm_record *record)
{
    return sizeof *record + record->file_count * sizeof record->memories[0] + record->key_len + record->bytes_len +
           SLOT_COST;
}

static struct warm_shard *shard_of(struct fs_warm *warm, struct hv_str key)
{
    return &warm->shards[(hv_str_hash(key) >> 56) % FS_WARM_SHARDS]; /* other bits than those the table goes by */
}

uint64_t warm_begin(struct fs_warm *warm)
{
    return atomic_fetch_add(&warm->scans, 1) + 1;
}

struct warm_record *warm_ref(struct warm_record *record)
{
    atomic_fetch_add(&record->references, 1);
    return record;
}

void warm_unref(struct warm_record *record)
{
    if (!record || atomic_fetch_sub(&record->references, 1) != 1)
        return;
    for (size_t i = 0; i < record->file_count; i++)
        marks_free_memory(record->marks, &record->memories[i]);
    free(record);
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool warm_is_same(const struct warm_record *record, const struct stat *status)
{
    return record->inode == status->st_ino && record->device == status->st_dev &&
           same_time(record->changed, status->st_mtim) && same_time(record->status_changed, status->st_ctim);
}

struct warm_record *warm_find(struct fs_warm *warm, uint64_t scan, struct hv_str key, const struct stat *status)
{
    struct warm_shard *shard = shard_of(warm, key);
    LOCK_SCOPE(&shard->lock);
    struct warm_record *record = map_get(&shard->records, key);
    if (!record || !warm_is_same(record, status))
        return NULL;
    atomic_store(&record->used, scan);
    return warm_ref(record);
}

static bool is_before(struct timespec time, int64_t limit_ns)
{
    int64_t seconds = limit_ns / (int64_t)CLOCK_SECOND;
    return time.tv_sec < seconds || (time.tv_sec == seconds && time.tv_nsec < limit_ns % (int64_t)CLOCK_SECOND);
}

bool warm_is_steady(const struct fs_warm *warm, const struct stat *status, int64_t now_ns)
{
    int64_t limit_ns = now_ns - warm->steady_ns;
    return is_before(status->st_mtim, limit_ns) && is_before(status->st_ctim, limit_ns);
}

/* Forget what this scan has not used. */
static void forget(struct fs_warm *warm, uint64_t scan)
{
    for (size_t i = 0; i < FS_WARM_SHARDS; i++) {
        struct warm_shard *shard = &warm->shards[i];
        LOCK_SCOPE(&shard->lock);
        struct map kept = {0};
        for (size_t at = 0; at < shard->records.capacity; at++) {
            struct warm_record *record = shard->records.slots[at].value;
            if (record && atomic_load(&record->used) == scan) {
                (void)map_set(&kept, key_of(record), record);
            } else if (record) {
                atomic_fetch_sub(&warm->bytes, cost_of(record));
                warm_unref(record);
            }
        }
        map_release(&shard->records);
        shard->records = kept;
    }
}

/* Take up room for a record. False when there is none. */
static bool take_room(struct fs_warm *warm, uint64_t scan, size_t cost)
{
    size_t max = atomic_load(&warm->bytes_max);
    if (atomic_load(&warm->full_for) == scan)
        return false;
    if (atomic_fetch_add(&warm->bytes, cost) + cost <= max)
        return true;
    forget(warm, scan);
    if (atomic_load(&warm->bytes) <= max)
        return true;
    atomic_fetch_sub(&warm->bytes, cost);
    atomic_store(&warm->full_for, scan);
    return false;
}

struct warm_record *warm_store(struct fs_warm *warm, uint64_t scan, struct hv_str key, const struct stat *status,
                               const struct warm_record *learnt, struct hv_str bytes)
{
    size_t memories = learnt->file_count * sizeof(struct fs_memory);
    struct warm_record *record = hv_malloc(sizeof *record + memories + key.len + bytes.len);
    *record = (struct warm_record){.device = status->st_dev,
                                   .inode = status->st_ino,
                                   .changed = status->st_mtim,
                                   .status_changed = status->st_ctim,
                                   .rules_id = learnt->rules_id,
                                   .files = learnt->files,
                                   .visited = learnt->visited,
                                   .ignored = learnt->ignored,
                                   .file_count = learnt->file_count,
                                   .marks = &warm->marks,
                                   .data = (char *)record->memories + memories,
                                   .key_len = key.len,
                                   .bytes_len = bytes.len};
    atomic_init(&record->references, 2); /* the list's and the caller's */
    atomic_init(&record->used, scan);
    for (size_t i = 0; i < record->file_count; i++)
        record->memories[i] = (struct fs_memory){0};
    memcpy(record->data, key.ptr, key.len);
    if (bytes.len)
        memcpy(record->data + key.len, bytes.ptr, bytes.len);
    if (!take_room(warm, scan, cost_of(record))) {
        free(record);
        return NULL;
    }
    struct warm_shard *shard = shard_of(warm, key);
    LOCK_SCOPE(&shard->lock);
    struct warm_record *before = map_set(&shard->records, key_of(record), record);
    if (before)
        atomic_fetch_sub(&warm->bytes, cost_of(before));
    warm_unref(before);
    return record;
}

static void for_each_file(struct fs_warm *warm,
                          void (*act)(struct fs_warm *warm, struct fs_memory *file, uint64_t what), uint64_t what)
{
    for (size_t i = 0; i < FS_WARM_SHARDS; i++) {
        struct warm_shard *shard = &warm->shards[i];
        LOCK_SCOPE(&shard->lock);
        for (size_t at = 0; at < shard->records.capacity; at++) {
            struct warm_record *record = shard->records.slots[at].value;
            for (size_t file = 0; record && file < record->file_count; file++)
                act(warm, &record->memories[file], what);
        }
    }
}

static void clear_marks(struct fs_warm *warm, struct fs_memory *file, uint64_t marks)
{
    (void)warm;
    atomic_fetch_and_explicit(&file->marks, ~(unsigned)marks, memory_order_relaxed);
}

void warm_clear_marks(struct fs_warm *warm, uint32_t marks)
{
    for_each_file(warm, clear_marks, marks);
}

static void forget_text(struct fs_warm *warm, struct fs_memory *file, uint64_t search)
{
    struct fs_text *text = atomic_load_explicit(&file->text, memory_order_relaxed);
    if (!text || atomic_load_explicit(&text->used, memory_order_relaxed) == search)
        return;
    atomic_store_explicit(&file->text, NULL, memory_order_relaxed);
    marks_free_text(&warm->marks, text);
}

void warm_forget_texts(struct fs_warm *warm, uint64_t search)
{
    for_each_file(warm, forget_text, search);
}
