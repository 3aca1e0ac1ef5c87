/* line_index.c: see line_index.h. The places of a file ascend, at least a stride apart, so that their number is bounded
 * whatever is asked. */
#include "tools/line_index.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "fs/open.h"

#include <string.h>

enum { FILES_MAX = 16, PLACES_MAX = 4096, STRIDE_MIN = 64 << 10 };

struct indexed_file {
    char *path; /* on the heap */
    size_t path_len;
    uint64_t used, total;
    struct hv_file_stat stat;
    VEC(struct line_place) places;
};

struct line_index {
    pthread_mutex_t mutex;
    struct indexed_file files[FILES_MAX];
    size_t count;
    uint64_t clock;
};

static void index_init(void *index)
{
    pthread_mutex_init(&((struct line_index *)index)->mutex, NULL);
}

static void index_release(void *pointer)
{
    struct line_index *index = pointer;
    for (size_t i = 0; i < index->count; i++) {
        free(index->files[i].path);
        vec_release(&index->files[i].places);
    }
    pthread_mutex_destroy(&index->mutex);
}

static const struct hv_state_key index_key = {
    .name = "lines", .size = sizeof(struct line_index), .init = index_init, .release = index_release};

/* The file as stat says it is; what is known of it as it was before is forgotten. NULL when it is not there. */
static struct indexed_file *find(struct line_index *index, struct hv_str key, const struct hv_file_stat *stat)
{
    for (size_t i = 0; i < index->count; i++) {
        struct indexed_file *file = &index->files[i];
        if (!hv_str_eq(hv_str_of(file->path, file->path_len), key))
            continue;
        file->used = ++index->clock;
        if (!fs_stat_untouched(&file->stat, stat)) {
            file->stat = *stat;
            file->total = file->places.count = 0;
        }
        return file;
    }
    return NULL;
}

static struct indexed_file *find_or_add(struct line_index *index, struct hv_str key, const struct hv_file_stat *stat)
{
    struct indexed_file *file = find(index, key, stat);
    if (file)
        return file;
    file = index->files;
    if (index->count < FILES_MAX) {
        file = &index->files[index->count++];
    } else {
        for (size_t i = 1; i < FILES_MAX; i++)
            if (index->files[i].used < file->used)
                file = &index->files[i];
        free(file->path);
        vec_release(&file->places);
    }
    *file = (struct indexed_file){
        .path = hv_malloc(key.len + 1), .path_len = key.len, .used = ++index->clock, .stat = *stat};
    memcpy(file->path, key.ptr, key.len);
    file->path[key.len] = '\0';
    return file;
}

/* How many places are at or before the beginning of this line. */
static size_t places_before(const struct indexed_file *file, uint64_t line)
{
    size_t from = 0, to = file->places.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (file->places.items[middle].line <= line)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct line_place line_index_find(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                                  uint64_t line, uint64_t *total)
{
    struct line_index *index = hv_state(context, &index_key);
    LOCK_SCOPE(&index->mutex);
    const struct indexed_file *file = find(index, key, stat);
    if (total)
        *total = file ? file->total : 0;
    size_t before = file ? places_before(file, line) : 0;
    return before ? file->places.items[before - 1] : (struct line_place){.line = 1};
}

static void add_place(struct indexed_file *file, struct line_place place)
{
    uint64_t stride = file->stat.size / PLACES_MAX;
    if (stride < STRIDE_MIN)
        stride = STRIDE_MIN;
    size_t at = places_before(file, place.line);
    uint64_t before = at ? file->places.items[at - 1].offset : 0;
    if (place.offset < before + stride || file->places.count >= PLACES_MAX)
        return;
    if (at < file->places.count && file->places.items[at].offset < place.offset + stride)
        return;
    (void)vec_push(&file->places);
    memmove(&file->places.items[at + 1], &file->places.items[at],
            (file->places.count - 1 - at) * sizeof *file->places.items);
    file->places.items[at] = place;
}

void line_index_note(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                     struct line_place place, uint64_t total)
{
    struct line_index *index = hv_state(context, &index_key);
    LOCK_SCOPE(&index->mutex);
    struct indexed_file *file = find_or_add(index, key, stat);
    if (total)
        file->total = total;
    add_place(file, place);
}
