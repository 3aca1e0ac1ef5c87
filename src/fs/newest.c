/* newest.c: see newest.h. */
#include "fs/newest.h"

#include "base/vec.h"

#include <stdlib.h>

/* a comes before b in the answer. */
static bool is_before(const struct fs_newest_file *a, const struct fs_newest_file *b)
{
    if (a->mtime_ns != b->mtime_ns)
        return a->mtime_ns > b->mtime_ns;
    return hv_str_compare(hv_str_of(a->path, a->len), hv_str_of(b->path, b->len)) < 0;
}

static void swap_files(struct fs_newest_file *a, struct fs_newest_file *b)
{
    struct fs_newest_file held = *a;
    *a = *b;
    *b = held;
}

static void sift_up(struct fs_newest *newest, size_t at)
{
    for (; at && is_before(&newest->items[(at - 1) / 2], &newest->items[at]); at = (at - 1) / 2)
        swap_files(&newest->items[(at - 1) / 2], &newest->items[at]);
}

static void sift_down(struct fs_newest *newest)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < newest->count; at = child) {
        if (child + 1 < newest->count && is_before(&newest->items[child], &newest->items[child + 1]))
            child++;
        if (!is_before(&newest->items[at], &newest->items[child]))
            break;
        swap_files(&newest->items[at], &newest->items[child]);
    }
}

/* Keep file or free it. */
static void take_file(struct fs_newest *newest, struct fs_newest_file file)
{
    if (newest->count < newest->max) {
        *vec_push(newest) = file;
        sift_up(newest, newest->count - 1);
        return;
    }
    if (newest->count && is_before(&file, &newest->items[0])) {
        swap_files(&file, &newest->items[0]);
        sift_down(newest);
    }
    free(file.path);
}

void fs_newest_add(struct fs_newest *newest, struct hv_str path, int64_t mtime_ns)
{
    struct fs_newest_file file = {.path = (char *)path.ptr, .len = path.len, .mtime_ns = mtime_ns};
    newest->total++;
    if (newest->count == newest->max && !is_before(&file, &newest->items[0]))
        return;
    char *copy = hv_malloc(path.len + 1);
    if (path.len)
        memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    file.path = copy;
    take_file(newest, file);
}

void fs_newest_merge(struct fs_newest *newest, struct fs_newest *from)
{
    newest->total += from->total;
    for (size_t i = 0; i < from->count; i++)
        take_file(newest, from->items[i]);
    from->count = from->total = 0;
    fs_newest_release(from);
}

static int compare_files(const void *a, const void *b)
{
    return is_before(a, b) ? -1 : is_before(b, a);
}

void fs_newest_sort(struct fs_newest *newest)
{
    if (newest->count)
        qsort(newest->items, newest->count, sizeof *newest->items, compare_files);
}

void fs_newest_release(struct fs_newest *newest)
{
    for (size_t i = 0; i < newest->count; i++)
        free(newest->items[i].path);
    vec_release(newest);
}
