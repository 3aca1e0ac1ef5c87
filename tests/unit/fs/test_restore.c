/*
 * test_restore.c: files, links and directories of all kinds go back to what they were, with everything that belongs to
 * them, all or none: at a fault, and when the process is killed at each of its system calls and the next one looks
 * after what it left.
 */
#include "folder.h"
#include "killing.h"

#include "base/cleanup.h"
#include "base/sha256.h"
#include "fs/image_store.h"
#include "fs/restore.h"
#include "fs/transaction.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { CALLS_MAX = 20000, TEXT_MAX = 1 << 20 };

/* ---- two states of a tree ---------------------------------------------------------------------------------------- */

/* Every path that is in one of them, in the folder "w". */
static const char *const places[] = {
    "w/bytes",      "w/mode",       "w/gone",         "w/made",     "w/link",          "w/link gone",
    "w/link made",  "w/shared",     "w/shared too",   "w/cut",      "w/cut too",       "w/lost",
    "w/lost too",   "w/empty gone", "w/empty made",   "w/tree",     "w/tree/deep",     "w/tree/deep/f",
    "w/closed",     "w/closed/f",   "w/new",          "w/new/deep", "w/new/deep/f",    "w/was file",
    "w/was file/f", "w/was folder", "w/was folder/f", "w/was link", "w/odd\n\xff\xfe",
};
enum { PLACES = sizeof places / sizeof *places };

struct world {
    struct folder folder;
    struct hv_str store, journal;
    struct fs_image_store kept;
    struct hv_str before, after;    /* what the tree looks like, in words */
    struct fs_image wanted[PLACES]; /* in keep */
    struct hv_arena keep;
    bool has_attributes, is_root;
};

static const char *at(struct world *world, const char *name)
{
    return folder_cpath(&world->folder, name);
}

static void put(struct world *world, const char *name, const char *text, mode_t mode, time_t time)
{
    folder_put(&world->folder, name, text);
    const struct timespec times[2] = {{.tv_sec = time}, {.tv_sec = time, .tv_nsec = 123456789}};
    assert_int_equal(chmod(at(world, name), mode), 0);
    assert_int_equal(utimensat(AT_FDCWD, at(world, name), times, 0), 0);
}

static void mark(struct world *world, const char *name, const char *attribute, const char *value)
{
    if (world->has_attributes)
        assert_int_equal(setxattr(at(world, name), attribute, value, strlen(value), 0), 0);
}

static void own(struct world *world, const char *name, uid_t uid)
{
    if (world->is_root)
        assert_int_equal(chown(at(world, name), uid, uid), 0);
}

/* rwx for one other user: 20 bytes of header and entries. */
static void give_acl(struct world *world, const char *name, const char *kind)
{
    static const unsigned char acl[] = {2, 0, 0,   0,   1,   0,   7,  0, 255, 255, 255, 255, 2,   0,  7,
                                        0, 1, 0,   0,   0,   4,   0,  5, 0,   255, 255, 255, 255, 16, 0,
                                        7, 0, 255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
    if (world->has_attributes && setxattr(at(world, name), kind, acl, sizeof acl, 0))
        assert_int_equal(errno, ENOTSUP);
}

static void make_before(struct world *world)
{
    put(world, "w/bytes", "as it was\n", 0640, 1500000000);
    own(world, "w/bytes", 1);
    mark(world, "w/bytes", "user.mark", "one");
    put(world, "w/mode", "the same bytes\n", 0600, 1500000001);
    mark(world, "w/mode", "user.kept", "yes");
    put(world, "w/gone", "gone\n", 0600, 1500000002);
    mark(world, "w/gone", "user.mark", "gone");
    give_acl(world, "w/gone", "system.posix_acl_access");
    own(world, "w/gone", 2);
    assert_int_equal(symlink("bytes", at(world, "w/link")), 0);
    assert_int_equal(symlink("nowhere", at(world, "w/link gone")), 0);
    put(world, "w/shared", "a text of two names that is long\n", 0644, 1500000003);
    assert_int_equal(link(at(world, "w/shared"), at(world, "w/shared too")), 0);
    put(world, "w/cut", "one file\n", 0644, 1500000004);
    assert_int_equal(link(at(world, "w/cut"), at(world, "w/cut too")), 0);
    put(world, "w/lost", "two names, both lost\n", 0644, 1500000005);
    assert_int_equal(link(at(world, "w/lost"), at(world, "w/lost too")), 0);
    put(world, "w/tree/deep/f", "deep\n", 0444, 1500000006);
    put(world, "w/closed/f", "closed\n", 0400, 1500000007);
    put(world, "w/was file", "a file\n", 0755, 1500000008);
    put(world, "w/was folder/f", "in it\n", 0644, 1500000009);
    put(world, "w/was link", "a file that becomes a link\n", 0644, 1500000010);
    put(world, "w/odd\n\xff\xfe", "odd\n", 0644, 1500000011);
    folder_make(&world->folder, "w/empty gone");
    give_acl(world, "w/tree", "system.posix_acl_default");
    mark(world, "w/tree", "user.mark", "tree");
    assert_int_equal(chmod(at(world, "w/closed"), 0500), 0);
    assert_int_equal(chmod(at(world, "w/empty gone"), 01777), 0);
}

static void lose(struct world *world, const char *name)
{
    assert_int_equal(unlink(at(world, name)), 0);
}

static void make_after(struct world *world)
{
    put(world, "w/bytes", "other bytes, and more of them\n", 0755, 1600000000);
    own(world, "w/bytes", 3);
    mark(world, "w/bytes", "user.mark", "two");
    mark(world, "w/bytes", "user.more", "more");
    assert_int_equal(chmod(at(world, "w/mode"), 0777), 0);
    if (world->has_attributes)
        assert_int_equal(removexattr(at(world, "w/mode"), "user.kept"), 0);
    lose(world, "w/gone");
    put(world, "w/made", "made\n", 0600, 1600000001);
    lose(world, "w/link");
    assert_int_equal(symlink("../elsewhere", at(world, "w/link")), 0);
    lose(world, "w/link gone");
    assert_int_equal(symlink("made", at(world, "w/link made")), 0);
    put(world, "w/shared", "short\n", 0644, 1600000002);
    lose(world, "w/cut");
    put(world, "w/cut", "a file of its own\n", 0644, 1600000003);
    lose(world, "w/lost");
    lose(world, "w/lost too");
    lose(world, "w/tree/deep/f");
    assert_int_equal(rmdir(at(world, "w/tree/deep")) | rmdir(at(world, "w/tree")), 0);
    assert_int_equal(chmod(at(world, "w/closed"), 0700), 0);
    put(world, "w/closed/f", "changed\n", 0600, 1600000004);
    put(world, "w/new/deep/f", "new\n", 0600, 1600000005);
    assert_int_equal(chmod(at(world, "w/new"), 0500), 0);
    lose(world, "w/was file");
    put(world, "w/was file/f", "in what was a file\n", 0644, 1600000006);
    lose(world, "w/was folder/f");
    assert_int_equal(rmdir(at(world, "w/was folder")), 0);
    put(world, "w/was folder", "now a file\n", 0644, 1600000007);
    lose(world, "w/was link");
    assert_int_equal(symlink("bytes", at(world, "w/was link")), 0);
    put(world, "w/odd\n\xff\xfe", "even\n", 0644, 1600000008);
    assert_int_equal(rmdir(at(world, "w/empty gone")), 0);
    folder_make(&world->folder, "w/empty made");
}

/* ---- looking at the tree ----------------------------------------------------------------------------------------- */

/* The first place that is the same file. */
static const char *first_name(struct hv_arena *arena, struct world *world, const struct fs_image *image)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct fs_image other = {.path = folder_path(&world->folder, places[i])};
        fs_image_look(&other, arena);
        if (other.kind == FS_IMAGE_FILE && other.inode == image->inode)
            return places[i];
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

/* All that there is to say of the tree, in words; of which its own directory has no time. */
static struct hv_str describe(struct world *world, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX};
    size_t count = 0;
    for (size_t i = 0; i < PLACES; i++) {
        struct fs_image image = {.path = folder_path(&world->folder, places[i])};
        fs_image_look(&image, arena);
        if (image.kind == FS_IMAGE_NOTHING)
            continue;
        count++;
        hv_buf_addf(&text, "%s: %s %o %u:%u %lld", places[i], fs_image_kind_name(image.kind), image.mode, image.uid,
                    image.gid, (long long)image.mtime_ns);
        if (image.kind == FS_IMAGE_FILE) {
            assert_true(fs_image_sum(&image, arena));
            hv_buf_addf(&text, " %.*s as %s", HV_STR_ARG(image.hash), first_name(arena, world, &image));
        }
        hv_buf_addf(&text, " %.*s %.*s\n", HV_STR_ARG(image.target), HV_STR_ARG(image.attributes));
    }
    hv_buf_addf(&text, "%zu of %zu\n", count, count_below(at(world, "w")));
    return hv_arena_str(arena, hv_buf_str(&text));
}

static void take_images(struct world *world, struct hv_arena *arena, struct fs_image images[PLACES])
{
    for (size_t i = 0; i < PLACES; i++) {
        images[i] = (struct fs_image){.path = hv_arena_str(arena, folder_path(&world->folder, places[i]))};
        fs_image_store_keep(&world->kept, &images[i], arena);
        fs_image_find_twin(&images[i], arena);
        assert_null(images[i].unsaved.ptr);
    }
}

static int world_setup(void **state)
{
    struct world *world = hv_calloc(1, sizeof *world);
    folder_open(&world->folder);
    world->store = hv_arena_str(&world->keep, folder_path(&world->folder, "store"));
    world->journal = hv_arena_str(&world->keep, folder_path(&world->folder, "changes"));
    world->is_root = geteuid() == 0;
    folder_put(&world->folder, "probe", "");
    world->has_attributes = setxattr(at(world, "probe"), "user.probe", "x", 1, 0) == 0;
    lose(world, "probe");
    assert_int_equal(fs_image_store_open(&world->kept, world->store, UINT64_MAX, UINT64_MAX, NULL), HV_OK);
    folder_make(&world->folder, "w");
    make_before(world);
    take_images(world, &world->keep, world->wanted);
    world->before = describe(world, &world->keep);
    make_after(world);
    world->after = describe(world, &world->keep);
    *state = world;
    return 0;
}

/* In memory, where syncing costs nothing: hundreds of runs would be felt on a disk. */
static int quick_world_setup(void **state)
{
    bool is_own = !getenv("TMPDIR") && access("/dev/shm", W_OK | X_OK) == 0 && setenv("TMPDIR", "/dev/shm", 1) == 0;
    int result = world_setup(state);
    if (is_own)
        unsetenv("TMPDIR");
    return result;
}

static int world_teardown(void **state)
{
    struct world *world = *state;
    fs_image_store_release(&world->kept);
    folder_close(&world->folder);
    hv_arena_release(&world->keep);
    free(world);
    return 0;
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

/* The name that a file is to share: the first place that was the same file. */
static struct hv_str twin_of(const struct fs_image wanted[PLACES], size_t index)
{
    for (size_t i = 0; i < PLACES && wanted[index].links > 1; i++)
        if (wanted[i].kind == FS_IMAGE_FILE && wanted[i].inode == wanted[index].inode)
            return i == index ? wanted[index].twin : wanted[i].path;
    return (struct hv_str){0};
}

static enum hv_code restore(struct world *world, const struct fs_image wanted[PLACES],
                            const struct fs_image present[PLACES], size_t *incomplete, struct hv_error *err)
{
    struct fs_restore_step steps[PLACES];
    size_t count = 0;
    for (size_t i = 0; i < PLACES; i++)
        if (!fs_image_same(&wanted[i], &present[i]))
            steps[count++] = (struct fs_restore_step){&wanted[i], &present[i], twin_of(wanted, i)};
    return fs_restore(steps, count, world->store, world->journal, incomplete, err);
}

static void assert_stands(struct world *world, struct hv_str wanted, const char *when)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str now = describe(world, &arena), is, should;
    if (hv_str_eq(now, wanted))
        return;
    while (hv_str_split(&now, '\n', &is) && hv_str_split(&wanted, '\n', &should))
        if (!hv_str_eq(is, should))
            print_message("%.*s\ninstead of\n%.*s\n", HV_STR_ARG(is), HV_STR_ARG(should));
    fail_msg("%s", when);
}

static void everything_goes_back_and_forth(void **state)
{
    struct world *world = *state;
    for (int round = 0; round < 2; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct fs_image after[PLACES], again[PLACES];
        struct hv_error err = {0};
        size_t incomplete;
        take_images(world, &arena, after);
        if (restore(world, world->wanted, after, &incomplete, &err) != HV_OK)
            fail_msg("%s", err.message);
        assert_int_equal(incomplete, 0);
        assert_stands(world, world->before, "back");
        take_images(world, &arena, again);
        assert_int_equal(restore(world, after, again, &incomplete, NULL), HV_OK);
        assert_int_equal(incomplete, 0);
        assert_stands(world, world->after, "forth");
        assert_int_equal(folder_count(&world->folder, "changes"), 0);
    }
}

static void a_fault_in_the_middle_undoes_all(void **state)
{
    struct world *world = *state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_image after[PLACES];
    struct hv_error err;
    size_t incomplete;
    take_images(world, &arena, after);
    /* The copy that is needed last is gone. */
    struct hv_str copy =
        hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(world->store), HV_STR_ARG(world->wanted[PLACES - 1].hash));
    CLEANUP_BUF struct hv_buf bytes = {.max = 100};
    hv_buf_add_cstr(&bytes, "ODD\n");
    FILE *file = fopen(copy.ptr, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(restore(world, world->wanted, after, &incomplete, &err), HV_EINVAL);
    assert_stands(world, world->after, "after a damaged copy");
    assert_int_equal(unlink(copy.ptr), 0);
    assert_int_equal(restore(world, world->wanted, after, &incomplete, &err), HV_ENOTFOUND);
    assert_stands(world, world->after, "after a lost copy");
    assert_int_equal(folder_count(&world->folder, "changes"), 0);
}

static void what_somebody_changed_meanwhile_stays_and_nothing_else_happens(void **state)
{
    struct world *world = *state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_image after[PLACES];
    struct hv_error err;
    size_t incomplete;
    take_images(world, &arena, after);
    put(world, "w/odd\n\xff\xfe", "somebody else's\n", 0644, 1700000000);
    struct hv_str now = describe(world, &arena);
    assert_int_equal(restore(world, world->wanted, after, &incomplete, &err), HV_ECONFLICT);
    assert_stands(world, now, "after a conflict");
    assert_int_equal(folder_count(&world->folder, "changes"), 0);
}

/* ---- killing ----------------------------------------------------------------------------------------------------- */

struct going_back {
    struct world *world;
    const struct fs_image *present;
};

static int go_back(void *data)
{
    const struct going_back *going = data;
    size_t incomplete;
    return restore(going->world, going->world->wanted, going->present, &incomplete, NULL) != HV_OK;
}

/* All of the old or all of the new stands there, and nothing was left. Back to the new for the next one. */
static bool settle(struct world *world, struct hv_arena *arena, size_t calls)
{
    char when[60];
    struct hv_str now = describe(world, arena);
    bool is_back = hv_str_eq(now, world->before);
    snprintf(when, sizeof when, "killed before change %zu", calls);
    if (!is_back)
        assert_stands(world, world->after, when);
    assert_true(!folder_has(&world->folder, "changes") || folder_count(&world->folder, "changes") == 0);
    return is_back;
}

static void forth(struct world *world, struct hv_arena *arena, const struct fs_image after[PLACES])
{
    struct fs_image again[PLACES];
    size_t incomplete;
    take_images(world, arena, again);
    assert_int_equal(restore(world, after, again, &incomplete, NULL), HV_OK);
}

static void a_kill_at_any_system_call_leaves_all_or_none(void **state)
{
    struct world *world = *state;
    size_t undone = 0, stayed = 0, kills = 0;
    int status = 0;
    for (size_t calls = 1; calls < CALLS_MAX; calls++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct fs_image after[PLACES];
        struct fs_recovery recovery;
        take_images(world, &arena, after);
        bool killed = kill_before_change(go_back, &(struct going_back){world, after}, calls, &status);
        fs_recover_changes(world->journal, &recovery);
        assert_int_equal(recovery.conflicts, 0);
        bool is_back = settle(world, &arena, calls);
        if (is_back)
            forth(world, &arena, after);
        if (!killed)
            break;
        undone += recovery.undone;
        stayed += is_back;
        kills++;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == KILLING_NOT_POSSIBLE) {
        print_message("this machine lets nobody trace: no kill was tried\n");
        return;
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    print_message("%zu kills, %zu undone, %zu done\n", kills, undone, stayed);
    assert_true(kills > 100 && undone > 50 && stayed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_goes_back_and_forth, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_fault_in_the_middle_undoes_all, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(what_somebody_changed_meanwhile_stays_and_nothing_else_happens, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_kill_at_any_system_call_leaves_all_or_none, quick_world_setup,
                                        world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
