/* scan_places.c: see scan_places.h. */
#include "fs/scan_places.h"

#include "base/cleanup.h"

enum { NAMED_PATH_MAX = 1 << 16 };

void scan_places_init(struct scan_places *places)
{
    *places = (struct scan_places){0};
    pthread_mutex_init(&places->lock, NULL);
}

void scan_places_add(struct scan_places *places, const struct scan_directory *directory, int sys_errno)
{
    size_t length = scan_directory_path_length(directory, NULL);
    LOCK_SCOPE(&places->lock);
    if (places->count == FS_SCAN_NAMES_MAX || length > NAMED_PATH_MAX)
        return;
    char *path = hv_malloc(length + 2);
    scan_directory_path_write(directory, NULL, path + length);
    if (!length)
        path[length++] = '.';
    path[length] = '\0';
    places->items[places->count++] = (struct fs_scan_place){{path, length}, sys_errno};
}

static int compare_places(const void *a, const void *b)
{
    const struct fs_scan_place *left = a, *right = b;
    return hv_str_compare(left->path, right->path);
}

struct fs_scan_place *scan_places_take(struct scan_places *places, struct hv_arena *arena, size_t *count)
{
    struct fs_scan_place *list = hv_arena_array(arena, struct fs_scan_place, places->count);
    for (size_t i = 0; i < places->count; i++) {
        list[i] = places->items[i];
        list[i].path = hv_arena_str(arena, places->items[i].path);
        free((void *)places->items[i].path.ptr);
    }
    if (places->count)
        qsort(list, places->count, sizeof *list, compare_places);
    *count = places->count;
    pthread_mutex_destroy(&places->lock);
    return list;
}
