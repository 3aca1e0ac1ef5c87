/*
 * test_restore.c: files, links and directories of all kinds go back to what they were, with everything that belongs to
 * them, all or none: at a fault, and when the process is killed at each of its system calls and the next one looks
 * after what it left.
 */
#include "folder.h"
#include "killing.h"
#include "restoring.h"

#include "base/cleanup.h"
#include "base/sha256.h"
#include "fs/transaction.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { CALLS_MAX = 20000 };

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

static void make_before(struct world *world)
{
    world_put(world, "w/bytes", "as it was\n", 0640, 1500000000);
    world_own(world, "w/bytes", 1);
    world_mark(world, "w/bytes", "user.mark", "one");
    world_put(world, "w/mode", "the same bytes\n", 0600, 1500000001);
    world_mark(world, "w/mode", "user.kept", "yes");
    world_put(world, "w/gone", "gone\n", 0600, 1500000002);
    world_mark(world, "w/gone", "user.mark", "gone");
    world_give_acl(world, "w/gone", "system.posix_acl_access");
    world_own(world, "w/gone", 2);
    assert_int_equal(symlink("bytes", world_at(world, "w/link")), 0);
    assert_int_equal(symlink("nowhere", world_at(world, "w/link gone")), 0);
    world_put(world, "w/shared", "a text of two names that is long\n", 0644, 1500000003);
    assert_int_equal(link(world_at(world, "w/shared"), world_at(world, "w/shared too")), 0);
    world_put(world, "w/cut", "one file\n", 0644, 1500000004);
    assert_int_equal(link(world_at(world, "w/cut"), world_at(world, "w/cut too")), 0);
    world_put(world, "w/lost", "two names, both lost\n", 0644, 1500000005);
    assert_int_equal(link(world_at(world, "w/lost"), world_at(world, "w/lost too")), 0);
    world_put(world, "w/tree/deep/f", "deep\n", 0444, 1500000006);
    world_put(world, "w/closed/f", "closed\n", 0400, 1500000007);
    world_put(world, "w/was file", "a file\n", 0755, 1500000008);
    world_put(world, "w/was folder/f", "in it\n", 0644, 1500000009);
    world_put(world, "w/was link", "a file that becomes a link\n", 0644, 1500000010);
    world_put(world, "w/odd\n\xff\xfe", "odd\n", 0644, 1500000011);
    folder_make(&world->folder, "w/empty gone");
    world_give_acl(world, "w/tree", "system.posix_acl_default");
    world_mark(world, "w/tree", "user.mark", "tree");
    assert_int_equal(chmod(world_at(world, "w/closed"), 0500), 0);
    assert_int_equal(chmod(world_at(world, "w/empty gone"), 01777), 0);
}

static void make_after(struct world *world)
{
    world_put(world, "w/bytes", "other bytes, and more of them\n", 0755, 1600000000);
    world_own(world, "w/bytes", 3);
    world_mark(world, "w/bytes", "user.mark", "two");
    world_mark(world, "w/bytes", "user.more", "more");
    assert_int_equal(chmod(world_at(world, "w/mode"), 0777), 0);
    if (world->has_attributes)
        assert_int_equal(removexattr(world_at(world, "w/mode"), "user.kept"), 0);
    world_lose(world, "w/gone");
    world_put(world, "w/made", "made\n", 0600, 1600000001);
    world_lose(world, "w/link");
    assert_int_equal(symlink("../elsewhere", world_at(world, "w/link")), 0);
    world_lose(world, "w/link gone");
    assert_int_equal(symlink("made", world_at(world, "w/link made")), 0);
    world_put(world, "w/shared", "short\n", 0644, 1600000002);
    world_lose(world, "w/cut");
    world_put(world, "w/cut", "a file of its own\n", 0644, 1600000003);
    world_lose(world, "w/lost");
    world_lose(world, "w/lost too");
    world_lose(world, "w/tree/deep/f");
    assert_int_equal(rmdir(world_at(world, "w/tree/deep")) | rmdir(world_at(world, "w/tree")), 0);
    assert_int_equal(chmod(world_at(world, "w/closed"), 0700) | chmod(world_at(world, "w/closed/f"), 0600), 0);
    world_put(world, "w/closed/f", "changed\n", 0600, 1600000004);
    world_put(world, "w/new/deep/f", "new\n", 0600, 1600000005);
    assert_int_equal(chmod(world_at(world, "w/new"), 0500), 0);
    world_lose(world, "w/was file");
    world_put(world, "w/was file/f", "in what was a file\n", 0644, 1600000006);
    world_lose(world, "w/was folder/f");
    assert_int_equal(rmdir(world_at(world, "w/was folder")), 0);
    world_put(world, "w/was folder", "now a file\n", 0644, 1600000007);
    world_lose(world, "w/was link");
    assert_int_equal(symlink("bytes", world_at(world, "w/was link")), 0);
    world_put(world, "w/odd\n\xff\xfe", "even\n", 0644, 1600000008);
    assert_int_equal(rmdir(world_at(world, "w/empty gone")), 0);
    folder_make(&world->folder, "w/empty made");
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

static int world_setup(void **state)
{
    *state = world_open(places, PLACES, make_before, make_after);
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
    world_close(*state);
    return 0;
}

static void everything_goes_back_and_forth(void **state)
{
    struct world *world = *state;
    for (int round = 0; round < 2; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct fs_image after[PLACES], again[PLACES];
        struct hv_error err = {0};
        size_t incomplete;
        world_take_images(world, &arena, after);
        if (world_restore(world, world->wanted, after, &incomplete, &err) != HV_OK)
            fail_msg("%s", err.message);
        assert_int_equal(incomplete, 0);
        world_assert_stands(world, world->before, "back");
        world_take_images(world, &arena, again);
        assert_int_equal(world_restore(world, after, again, &incomplete, NULL), HV_OK);
        assert_int_equal(incomplete, 0);
        world_assert_stands(world, world->after, "forth");
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
    world_take_images(world, &arena, after);
    /* The copy that is needed last is gone. */
    struct hv_str copy =
        hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(world->store), HV_STR_ARG(world->wanted[PLACES - 1].hash));
    CLEANUP_BUF struct hv_buf bytes = {.max = 100};
    hv_buf_add_cstr(&bytes, "ODD\n");
    FILE *file = fopen(copy.ptr, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(world_restore(world, world->wanted, after, &incomplete, &err), HV_EINVAL);
    world_assert_stands(world, world->after, "after a damaged copy");
    assert_int_equal(unlink(copy.ptr), 0);
    assert_int_equal(world_restore(world, world->wanted, after, &incomplete, &err), HV_ENOTFOUND);
    world_assert_stands(world, world->after, "after a lost copy");
    assert_int_equal(folder_count(&world->folder, "changes"), 0);
}

static void what_somebody_changed_meanwhile_stays_and_nothing_else_happens(void **state)
{
    struct world *world = *state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_image after[PLACES];
    struct hv_error err;
    size_t incomplete;
    world_take_images(world, &arena, after);
    world_put(world, "w/odd\n\xff\xfe", "somebody else's\n", 0644, 1700000000);
    struct hv_str now = world_describe(world, &arena);
    assert_int_equal(world_restore(world, world->wanted, after, &incomplete, &err), HV_ECONFLICT);
    world_assert_stands(world, now, "after a conflict");
    assert_int_equal(folder_count(&world->folder, "changes"), 0);
}

static void an_attribute_of_any_size_comes_back(void **state)
{
    struct world *world = *state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    enum { SIZE = 60000 };
    CLEANUP_FREE char *value = hv_malloc(SIZE);
    CLEANUP_FREE char *again = hv_malloc(SIZE);
    size_t size = SIZE;
    memset(value, 'v', SIZE);
    folder_put(&world->folder, "marked", "x\n");
    if (world->has_attributes && setxattr(world_at(world, "marked"), "user.large", value, size, 0))
        size = 3000; /* file systems that keep them in one block */
    if (!world->has_attributes || setxattr(world_at(world, "marked"), "user.large", value, size, 0)) {
        print_message("there are no attributes here\n");
        return;
    }
    struct fs_image image = {.path = folder_path(&world->folder, "marked")};
    assert_int_equal(fs_image_look(&image, &arena), 0);
    assert_int_equal(removexattr(world_at(world, "marked"), "user.large"), 0);
    CLEANUP_FD int folder = open(world->folder.root, O_RDONLY | O_DIRECTORY);
    assert_int_equal(image_set_attributes(&image, folder, "marked"), 0);
    assert_int_equal(getxattr(world_at(world, "marked"), "user.large", again, SIZE), size);
    assert_memory_equal(value, again, size);
}

static void holes_are_kept_and_come_back_as_holes(void **state)
{
    struct world *world = *state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const off_t size = ((off_t)64 << 20) + 5;
    struct stat status;
    folder_put(&world->folder, "holes", "head\n");
    assert_int_equal(truncate(world_at(world, "holes"), size), 0);
    struct fs_image image = {.path = folder_path(&world->folder, "holes")};
    fs_image_store_keep(&world->kept, &image, &arena);
    assert_null(image.unsaved.ptr);
    struct hv_str copy = hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(world->store), HV_STR_ARG(image.hash));
    assert_int_equal(stat(copy.ptr, &status), 0);
    assert_int_equal(status.st_size, size);
    assert_in_range(status.st_blocks, 1, 4096);
    CLEANUP_FD int back = open(world_at(world, "back"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(fs_image_store_give(world->store, &image, back, NULL), HV_OK);
    assert_int_equal(fstat(back, &status), 0);
    assert_int_equal(status.st_size, size);
    assert_in_range(status.st_blocks, 1, 4096);
    struct fs_image again = {.path = folder_path(&world->folder, "back")};
    assert_int_equal(fs_image_look(&again, &arena), 0);
    assert_true(fs_image_sum(&again, &arena));
    assert_true(hv_str_eq(again.hash, image.hash));
    /* Over other bytes zeros are written. */
    char junk[4096];
    memset(junk, 'x', sizeof junk);
    assert_int_equal(pwrite(back, junk, sizeof junk, 1 << 20), sizeof junk);
    assert_int_equal(fs_image_store_give(world->store, &image, back, NULL), HV_OK);
    fs_image_look(&again, &arena);
    assert_true(fs_image_sum(&again, &arena));
    assert_true(hv_str_eq(again.hash, image.hash));
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
    return world_restore(going->world, going->world->wanted, going->present, &incomplete, NULL) != HV_OK;
}

/* All of the old or all of the new stands there, and nothing was left. Back to the new for the next one. */
static bool settle(struct world *world, struct hv_arena *arena, size_t calls)
{
    char when[60];
    struct hv_str now = world_describe(world, arena);
    bool is_back = hv_str_eq(now, world->before);
    snprintf(when, sizeof when, "killed before change %zu", calls);
    if (!is_back)
        world_assert_stands(world, world->after, when);
    assert_true(!folder_has(&world->folder, "changes") || folder_count(&world->folder, "changes") == 0);
    return is_back;
}

static void forth(struct world *world, struct hv_arena *arena, const struct fs_image after[PLACES])
{
    struct fs_image again[PLACES];
    size_t incomplete;
    world_take_images(world, arena, again);
    assert_int_equal(world_restore(world, after, again, &incomplete, NULL), HV_OK);
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
        world_take_images(world, &arena, after);
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
        cmocka_unit_test_setup_teardown(an_attribute_of_any_size_comes_back, quick_world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(holes_are_kept_and_come_back_as_holes, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_fault_in_the_middle_undoes_all, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(what_somebody_changed_meanwhile_stays_and_nothing_else_happens, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_kill_at_any_system_call_leaves_all_or_none, quick_world_setup,
                                        world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
