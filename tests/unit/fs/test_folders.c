/*
 * test_folders.c: while files go back, or the next start looks after what a kill left, their folder is exchanged before
 * every third system call: for a link to another folder, or for that folder itself, in which files of the same names
 * have the same bytes. Nothing in it changes, and it is told.
 */
#include "folder.h"
#include "killing.h"

#include "base/cleanup.h"
#include "fs/image_store.h"
#include "fs/restore.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS_MAX = 2000, FILES = 4 };
/* How the child ended. */
enum { DONE = 0, REFUSED = 3, HALF_DONE = 4, UNTOLD = 5 };

/* In each state of the folder "w/sub"; absent: there is none. */
static const struct {
    const char *name, *before, *after;
} files[FILES] = {
    {"changed", "old\n", "new and longer\n"},
    {"gone", "gone\n", NULL},
    {"last", "1\n", "2\n"},
    {"made", NULL, "made\n"},
};

struct exchange {
    struct folder *folder;
    struct fs_image wanted[FILES], present[FILES];
    struct hv_str store, journal; /* the journal: of one run */
    size_t runs;
    bool by_link, had_begun;
};

static struct hv_str path_in(struct exchange *exchange, const char *directory, size_t i)
{
    char name[60];
    snprintf(name, sizeof name, "%s/%s", directory, files[i].name);
    return folder_path(exchange->folder, name);
}

static void fill(struct exchange *exchange, const char *directory, bool after)
{
    folder_make(exchange->folder, directory);
    for (size_t i = 0; i < FILES; i++) {
        char name[60];
        const char *text = after ? files[i].after : files[i].before;
        snprintf(name, sizeof name, "%s/%s", directory, files[i].name);
        (void)unlink(folder_cpath(exchange->folder, name));
        if (text)
            folder_put(exchange->folder, name, text);
    }
}

/* The files are as in one of the states, and nothing is beside them. */
static bool stands(struct exchange *exchange, const char *directory, bool after)
{
    size_t count = 0;
    for (size_t i = 0; i < FILES; i++) {
        char name[60];
        const char *text = after ? files[i].after : files[i].before;
        snprintf(name, sizeof name, "%s/%s", directory, files[i].name);
        if (text && (!folder_has(exchange->folder, name) || !hv_str_is(folder_get(exchange->folder, name), text)))
            return false;
        count += text != NULL;
    }
    return folder_count(exchange->folder, directory) == count;
}

/* The folder stands aside, and the other in its place. */
static void meddle(void *data)
{
    struct exchange *exchange = data;
    struct folder *folder = exchange->folder;
    assert_int_equal(rename(folder_cpath(folder, "w/sub"), folder_cpath(folder, "w/aside")), 0);
    int result = exchange->by_link ? symlink("../other", folder_cpath(folder, "w/sub"))
                                   : rename(folder_cpath(folder, "other"), folder_cpath(folder, "w/sub"));
    assert_int_equal(result, 0);
}

static void undo_meddling(struct exchange *exchange)
{
    struct folder *folder = exchange->folder;
    if (!folder_has(folder, "w/aside"))
        return;
    int result = exchange->by_link ? unlink(folder_cpath(folder, "w/sub"))
                                   : rename(folder_cpath(folder, "w/sub"), folder_cpath(folder, "other"));
    assert_int_equal(result, 0);
    assert_int_equal(rename(folder_cpath(folder, "w/aside"), folder_cpath(folder, "w/sub")), 0);
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

static void take_images(struct exchange *exchange, struct hv_arena *arena, struct fs_image *images)
{
    struct fs_image_store store;
    assert_int_equal(fs_image_store_open(&store, exchange->store, UINT64_MAX, UINT64_MAX, NULL), HV_OK);
    for (size_t i = 0; i < FILES; i++) {
        images[i] = (struct fs_image){.path = hv_arena_str(arena, path_in(exchange, "w/sub", i))};
        fs_image_store_keep(&store, &images[i], arena);
    }
    fs_image_store_release(&store);
}

static void begin(struct exchange *exchange, struct hv_arena *arena)
{
    char name[40];
    snprintf(name, sizeof name, "changes-%zu", exchange->runs++);
    exchange->journal = hv_arena_str(arena, folder_path(exchange->folder, name));
    exchange->store = hv_arena_str(arena, folder_path(exchange->folder, "store"));
    fill(exchange, "w/sub", false);
    take_images(exchange, arena, exchange->wanted);
    fill(exchange, "w/sub", true);
    take_images(exchange, arena, exchange->present);
    fill(exchange, "other", true);
}

static int go_back(void *data)
{
    struct exchange *exchange = data;
    struct fs_restore_step steps[FILES];
    struct hv_error err = {0};
    size_t incomplete;
    for (size_t i = 0; i < FILES; i++)
        steps[i] = (struct fs_restore_step){.wanted = &exchange->wanted[i], .present = &exchange->present[i]};
    if (fs_restore(steps, FILES, exchange->store, exchange->journal, &incomplete, &err) == HV_OK)
        return DONE;
    bool is_told = hv_str_find(hv_str_from(err.message), HV_STR("w/sub"), 0) != SIZE_MAX;
    bool is_whole = hv_str_starts(hv_str_from(err.message), HV_STR("nothing was changed: "));
    return !is_told ? UNTOLD : is_whole ? REFUSED : HALF_DONE;
}

/* Of a folder that is exchanged before it is held, nobody could know. */
static void meddle_when_begun(void *data)
{
    struct exchange *exchange = data;
    if (exchange->by_link || access(exchange->journal.ptr, F_OK) == 0)
        meddle(data);
}

static void going_back_keeps_to_its_folder(struct exchange *exchange)
{
    int status = 0;
    size_t refused = 0;
    for (size_t call = 1; call < CALLS_MAX; call += 3) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        begin(exchange, &arena);
        if (!meddle_before_change(go_back, meddle_when_begun, exchange, call, &status))
            break;
        assert_true(WIFEXITED(status));
        int said = WEXITSTATUS(status);
        undo_meddling(exchange);
        if (!stands(exchange, "other", true) || (said != DONE && said != REFUSED) ||
            !stands(exchange, "w/sub", said != DONE) ||
            (access(exchange->journal.ptr, F_OK) == 0 && rmdir(exchange->journal.ptr)))
            fail_msg("exchanged before call %zu: said %d", call, said);
        refused += said == REFUSED;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == KILLING_NOT_POSSIBLE)
        print_message("this machine lets nobody trace: nothing was exchanged\n");
    else
        assert_true(refused > 10);
}

/* ---- the next start ---------------------------------------------------------------------------------------------- */

static int change(void *data)
{
    struct exchange *exchange = data;
    struct hv_file_change changes[FILES];
    for (size_t i = 0; i < FILES; i++)
        changes[i] = (struct hv_file_change){
            .path = path_in(exchange, "w/sub", i),
            .bytes = files[i].before ? hv_str_from(files[i].before) : (struct hv_str){0},
        };
    return fs_change_files(changes, FILES, exchange->journal, NULL) != HV_OK;
}

static int recover(void *data)
{
    struct exchange *exchange = data;
    struct fs_recovery recovery;
    fs_recover_changes(exchange->journal, &recovery);
    return recovery.conflicts ? REFUSED : recovery.undone ? DONE : HALF_DONE;
}

static bool is_half_done(struct exchange *exchange)
{
    return hv_str_is(folder_get(exchange->folder, "w/sub/changed"), files[0].before) &&
           hv_str_is(folder_get(exchange->folder, "w/sub/last"), files[2].before);
}

static void meddle_and_note(void *data)
{
    struct exchange *exchange = data;
    exchange->had_begun = !is_half_done(exchange);
    meddle(data);
}

/* Killed where both files are changed, and all is to be taken back. False: it was not killed. */
static bool leave_half_done(struct exchange *exchange, struct hv_arena *arena, int (*function)(void *data),
                            size_t *call)
{
    int status;
    for (;; ++*call) {
        begin(exchange, arena);
        if (!kill_before_change(function, exchange, *call, &status))
            return false;
        if (is_half_done(exchange))
            return true;
        (void)recover(exchange);
    }
}

static void recovery_keeps_to_its_folder(struct exchange *exchange, int (*function)(void *data))
{
    size_t kill_call = 1, begun = 0;
    bool is_meddled = true;
    for (size_t call = 1; is_meddled; call += 3) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        int status;
        if (!leave_half_done(exchange, &arena, function, &kill_call)) {
            print_message("this machine lets nobody trace: nothing was exchanged\n");
            return;
        }
        exchange->had_begun = false;
        is_meddled = meddle_before_change(recover, meddle_and_note, exchange, call, &status);
        undo_meddling(exchange);
        int said = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        bool is_back = stands(exchange, "w/sub", true), must_be_back = exchange->had_begun || said == DONE;
        if (!stands(exchange, "other", true) || (said != DONE && said != REFUSED) || (must_be_back && !is_back))
            fail_msg("exchanged before call %zu: said %d", call, said);
        begun += exchange->had_begun && said == REFUSED;
    }
    assert_in_range(begun, 3, SIZE_MAX);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void going_back_beside_a_link(void **state)
{
    going_back_keeps_to_its_folder(&(struct exchange){.folder = *state, .by_link = true});
}

static void going_back_beside_another_folder(void **state)
{
    going_back_keeps_to_its_folder(&(struct exchange){.folder = *state});
}

static void a_start_after_a_killed_restoration(void **state)
{
    recovery_keeps_to_its_folder(&(struct exchange){.folder = *state, .by_link = true}, go_back);
}

static void a_start_after_a_killed_change(void **state)
{
    recovery_keeps_to_its_folder(&(struct exchange){.folder = *state, .by_link = true}, change);
}

int main(void)
{
    /* Hundreds of runs that wait for the disk would take long; in memory the system calls are the same. */
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(going_back_beside_a_link, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(going_back_beside_another_folder, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_start_after_a_killed_restoration, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_start_after_a_killed_change, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
