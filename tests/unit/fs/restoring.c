/* restoring.c: see restoring.h. */
#include "restoring.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20 };

/* ---- making a tree ----------------------------------------------------------------------------------------------- */

const char *world_at(struct world *world, const char *name)
{
    return folder_cpath(&world->folder, name);
}

void world_put(struct world *world, const char *name, const char *text, mode_t mode, time_t time)
{
    folder_put(&world->folder, name, text);
    const struct timespec times[2] = {{.tv_sec = time}, {.tv_sec = time, .tv_nsec = 123456789}};
    assert_int_equal(chmod(world_at(world, name), mode), 0);
    assert_int_equal(utimensat(AT_FDCWD, world_at(world, name), times, 0), 0);
}

void world_mark(struct world *world, const char *name, const char *attribute, const char *value)
{
    if (world->has_attributes)
        assert_int_equal(setxattr(world_at(world, name), attribute, value, strlen(value), 0), 0);
}

void world_own(struct world *world, const char *name, uid_t uid)
{
    if (world->is_root)
        assert_int_equal(chown(world_at(world, name), uid, uid), 0);
}

/* 20 bytes of header and entries. */
void world_give_acl(struct world *world, const char *name, const char *kind)
{
    static const unsigned char acl[] = {2, 0, 0,   0,   1,   0,   7,  0, 255, 255, 255, 255, 2,   0,  7,
                                        0, 1, 0,   0,   0,   4,   0,  5, 0,   255, 255, 255, 255, 16, 0,
                                        7, 0, 255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
    if (world->has_attributes && setxattr(world_at(world, name), kind, acl, sizeof acl, 0))
        assert_int_equal(errno, ENOTSUP);
}

void world_lose(struct world *world, const char *name)
{
    assert_int_equal(unlink(world_at(world, name)), 0);
}

/* ---- looking at the tree ----------------------------------------------------------------------------------------- */

/* The first place that is the same file. */
static const char *first_name(struct hv_arena *arena, struct world *world, const struct fs_image *image)
{
    for (size_t i = 0; i < world->count; i++) {
        struct fs_image other = {.path = folder_path(&world->folder, world->places[i])};
        fs_image_look(&other, arena);
        if (other.kind == FS_IMAGE_FILE && other.inode == image->inode)
            return world->places[i];
    }
    return "";
}

static size_t count_below(const char *path)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        return 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char inner[4096];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        count += 1 + (entry->d_type == DT_DIR ? count_below(inner) : 0);
    }
    closedir(directory);
    return count;
}

static struct hv_str describe(struct world *world, bool is_whole, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX};
    size_t count = 0;
    for (size_t i = 0; i < world->count; i++) {
        struct fs_image image = {.path = folder_path(&world->folder, world->places[i])};
        fs_image_look(&image, arena);
        if (image.kind == FS_IMAGE_NOTHING)
            continue;
        count++;
        hv_buf_addf(&text, "%s: %s", world->places[i], fs_image_kind_name(image.kind));
        if (is_whole)
            hv_buf_addf(&text, " %o %u:%u %lld %.*s", image.mode, image.uid, image.gid, (long long)image.mtime_ns,
                        HV_STR_ARG(image.attributes));
        if (image.kind == FS_IMAGE_FILE) {
            assert_true(fs_image_sum(&image, arena));
            hv_buf_addf(&text, " %.*s as %s", HV_STR_ARG(image.hash), first_name(arena, world, &image));
        }
        hv_buf_addf(&text, " %.*s\n", HV_STR_ARG(image.target));
    }
    hv_buf_addf(&text, "%zu of %zu\n", count, count_below(world_at(world, "w")));
    return hv_arena_str(arena, hv_buf_str(&text));
}

struct hv_str world_describe(struct world *world, struct hv_arena *arena)
{
    return describe(world, true, arena);
}

struct hv_str world_describe_content(struct world *world, struct hv_arena *arena)
{
    return describe(world, false, arena);
}

void world_take_images(struct world *world, struct hv_arena *arena, struct fs_image *images)
{
    for (size_t i = 0; i < world->count; i++) {
        images[i] = (struct fs_image){.path = hv_arena_str(arena, folder_path(&world->folder, world->places[i]))};
        fs_image_store_keep(&world->kept, &images[i], arena);
        fs_image_find_twin(&images[i], arena);
        assert_null(images[i].unsaved.ptr);
    }
}

struct world *world_open(const char *const *places, size_t count, world_maker *before, world_maker *after)
{
    struct world *world = hv_calloc(1, sizeof *world);
    assert_in_range(count, 1, WORLD_PLACES_MAX);
    world->places = places;
    world->count = count;
    folder_open(&world->folder);
    world->store = hv_arena_str(&world->keep, folder_path(&world->folder, "store"));
    world->journal = hv_arena_str(&world->keep, folder_path(&world->folder, "changes"));
    world->is_root = geteuid() == 0;
    folder_put(&world->folder, "probe", "");
    world->has_attributes = setxattr(world_at(world, "probe"), "user.probe", "x", 1, 0) == 0;
    world_lose(world, "probe");
    assert_int_equal(fs_image_store_open(&world->kept, world->store, UINT64_MAX, UINT64_MAX, NULL), HV_OK);
    folder_make(&world->folder, "w");
    before(world);
    world_take_images(world, &world->keep, world->wanted);
    world->before = world_describe(world, &world->keep);
    world->before_content = world_describe_content(world, &world->keep);
    after(world);
    world->after = world_describe(world, &world->keep);
    return world;
}

void world_close(struct world *world)
{
    fs_image_store_release(&world->kept);
    folder_close(&world->folder);
    hv_arena_release(&world->keep);
    free(world);
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

/* The name that a file is to share: the first place that was the same file. */
static struct hv_str twin_of(const struct world *world, const struct fs_image *wanted, size_t index)
{
    for (size_t i = 0; i < world->count && wanted[index].links > 1; i++)
        if (wanted[i].kind == FS_IMAGE_FILE && wanted[i].inode == wanted[index].inode)
            return i == index ? wanted[index].twin : wanted[i].path;
    return (struct hv_str){0};
}

enum hv_code world_restore(struct world *world, const struct fs_image *wanted, const struct fs_image *present,
                           size_t *incomplete, struct hv_error *err)
{
    struct fs_restore_step steps[WORLD_PLACES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < world->count; i++)
        if (!fs_image_same(&wanted[i], &present[i]))
            steps[count++] = (struct fs_restore_step){&wanted[i], &present[i], twin_of(world, wanted, i)};
    return fs_restore(steps, count, world->store, world->journal, incomplete, err);
}

void world_assert_stands(struct world *world, struct hv_str wanted, const char *when)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str now = world_describe(world, &arena), is, should;
    if (hv_str_eq(now, wanted))
        return;
    while (hv_str_split(&now, '\n', &is) && hv_str_split(&wanted, '\n', &should))
        if (!hv_str_eq(is, should))
            print_message("%.*s\ninstead of\n%.*s\n", HV_STR_ARG(is), HV_STR_ARG(should));
    fail_msg("%s", when);
}
