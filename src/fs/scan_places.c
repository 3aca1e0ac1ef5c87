/* scan_places.c: see scan_places.h. */
#include "fs/scan_places.h"

#include "base/cleanup.h"

enum { NAMED_PATH_MAX = 1 << 16 };

void scan_places_init(struct scan_places *places)
{
    *places = (struct scan_places){0};
    pthread_mutex_init(&places->lock, NULL);
}

/* Does a come before b where each directory is followed by those below it, those of one directory by name? */
static bool is_before(struct hv_str a, struct hv_str b)
{
    size_t same = 0;
    while (same < a.len && same < b.len && a.ptr[same] == b.ptr[same])
        same++;
    if (same == a.len || same == b.len)
        return a.len < b.len;
    if (a.ptr[same] == '/' || b.ptr[same] == '/')
        return a.ptr[same] == '/';
    return (unsigned char)a.ptr[same] < (unsigned char)b.ptr[same];
}

/* Where a path is put: behind the others as long as there is room, then in place of the last one. NULL: nowhere. */
static struct fs_scan_place *find_room(struct scan_places *places, struct hv_str path)
{
    if (places->count < FS_SCAN_NAMES_MAX)
        return &places->items[places->count++];
    struct fs_scan_place *last = &places->items[0];
    for (size_t i = 1; i < places->count; i++)
        if (is_before(last->path, places->items[i].path))
            last = &places->items[i];
    if (!is_before(path, last->path))
        return NULL;
    free((void *)last->path.ptr);
    return last;
}

void scan_places_add(struct scan_places *places, const struct scan_directory *directory, int sys_errno)
{
    size_t length = scan_directory_path_length(directory, NULL);
    if (length > NAMED_PATH_MAX)
        return;
    char *path = hv_malloc(length + 2);
    scan_directory_path_write(directory, NULL, path + length);
    path[length] = '\0';
    LOCK_SCOPE(&places->lock);
    struct fs_scan_place *room = find_room(places, hv_str_of(path, length));
    if (room)
        *room = (struct fs_scan_place){{path, length}, sys_errno};
    else
        free(path);
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
        list[i].path = hv_arena_str(arena, places->items[i].path.len ? places->items[i].path : HV_STR("."));
        free((void *)places->items[i].path.ptr);
    }
    if (places->count)
        qsort(list, places->count, sizeof *list, compare_places);
    *count = places->count;
    pthread_mutex_destroy(&places->lock);
    return list;
}
