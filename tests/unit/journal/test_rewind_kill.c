/*
 * test_rewind_kill.c: a rewind that is killed anywhere, before, in and after its restoration, or that fails at any of
 * its system calls, is done by running it again, and can be taken back as one that was not: files and journal agree.
 * So can one of more files than one event of the journal takes.
 */
#include "../fs/folder.h"
#include "../fs/killing.h"

#include "base/cleanup.h"
#include "fs/image_store.h"
#include "fs/transaction.h"
#include "journal/rewind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS_MAX = 5000, FILES = 4 };

static const struct {
    const char *name, *before, *after; /* NULL: nothing */
} files[FILES] = {
    {"w/changed", "old\n", "new and longer\n"},
    {"w/gone", "gone\n", NULL},
    {"w/made", NULL, "made\n"},
    {"w/other", "1\n", "2\n"},
};

/* A session that changed the files, in a folder of its own. */
struct world {
    struct folder folder;
    struct hv_str journal;
    struct rewind_places places;
};

static void put_file(struct world *world, size_t index, const char *text)
{
    if (text)
        folder_put(&world->folder, files[index].name, text);
    else
        (void)unlink(folder_cpath(&world->folder, files[index].name));
}

static void put_images(struct hv_buf *data, struct world *world, const char *phase, struct fs_image_store *store)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, data);
    hv_json_begin_object(&writer);
    hv_json_name(&writer, phase);
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < FILES; i++) {
        struct fs_image image = {.path = folder_path(&world->folder, files[i].name)};
        fs_image_store_keep(store, &image, &world->folder.arena);
        fs_image_write(&writer, &image);
    }
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
}

static void tell(struct world *world, struct journal_writer *journal, const char *phase, struct fs_image_store *store)
{
    CLEANUP_BUF struct hv_buf data = {.max = 1 << 20};
    put_images(&data, world, phase, store);
    journal_write(journal, &(struct hv_event){.type = HV_EVENT_CHECKPOINT,
                                              .name = hv_str_from(phase),
                                              .call_id = HV_STR("call"),
                                              .tool = HV_STR("Edit"),
                                              .data = hv_buf_str(&data)});
}

static void world_open(struct world *world)
{
    struct fs_image_store store;
    struct journal_writer *journal;
    folder_open(&world->folder);
    world->journal = folder_path(&world->folder, "s.jsonl");
    world->places = (struct rewind_places){folder_path(&world->folder, "store"), folder_path(&world->folder, "changes"),
                                           UINT64_MAX, UINT64_MAX};
    assert_int_equal(fs_image_store_open(&store, world->places.store, UINT64_MAX, UINT64_MAX, NULL), HV_OK);
    const struct journal_writer_options options = {.path = world->journal};
    assert_int_equal(journal_writer_open(&options, &journal, NULL), HV_OK);
    for (size_t i = 0; i < FILES; i++)
        put_file(world, i, files[i].before);
    journal_write(journal, &(struct hv_event){.type = HV_EVENT_SESSION_START, .data = HV_STR("{\"id\":\"s\"}")});
    journal_write(journal, &(struct hv_event){.type = HV_EVENT_MESSAGE,
                                              .name = HV_STR("user"),
                                              .json = HV_STR("[{\"type\":\"text\",\"text\":\"go\"}]"),
                                              .data = HV_STR("{\"prompt\":true}")});
    tell(world, journal, "before", &store);
    for (size_t i = 0; i < FILES; i++)
        put_file(world, i, files[i].after);
    tell(world, journal, "after", &store);
    journal_writer_close(journal);
    fs_image_store_release(&store);
}

static bool stands(struct world *world, bool after)
{
    for (size_t i = 0; i < FILES; i++) {
        const char *wanted = after ? files[i].after : files[i].before;
        if (folder_has(&world->folder, files[i].name) != (wanted != NULL) ||
            (wanted && !hv_str_is(folder_get(&world->folder, files[i].name), wanted)))
            return false;
    }
    return true;
}

/* ---- one run of the command -------------------------------------------------------------------------------------- */

/* As `helve rewind` does it: to message 1, or back from the last rewind. Nothing may be in doubt. */
static int rewind_now(struct world *world, bool undo)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct journal_writer *journal;
    struct fs_recovery recovery;
    struct timeline timeline;
    struct rewind_plan plan;
    size_t incomplete = 0;
    const struct journal_writer_options options = {.path = world->journal};
    if (journal_writer_open(&options, &journal, NULL) != HV_OK)
        return 2;
    fs_recover_changes(world->places.changes, &recovery);
    int result = timeline_read(&arena, world->journal, &timeline, NULL) != HV_OK ? 3 : 0;
    if (!result && undo && !timeline.rewind_count)
        result = 4;
    if (!result) {
        uint64_t moment = undo ? timeline.rewinds[timeline.rewind_count - 1].began : timeline.prompts[0].moment;
        struct hv_str call_id = hv_arena_format(&arena, "rewind-%zu", timeline.rewind_count + 1);
        rewind_collect(&arena, &timeline, moment, &plan);
        rewind_look(&arena, world->places.store, &plan);
        rewind_judge(&arena, &plan);
        rewind_close_attempt(journal, &timeline, call_id);
        if (plan.doubtful || plan.impossible || recovery.conflicts)
            result = 5;
        else if (plan.changes &&
                 rewind_apply(&plan, &world->places, journal, &timeline, call_id, &incomplete, NULL) != HV_OK)
            result = 6;
        else if (journal_writer_check(journal, NULL) == HV_OK)
            journal_write(journal, &(struct hv_event){.type = HV_EVENT_REWIND,
                                                      .call_id = call_id,
                                                      .name = HV_STR("code"),
                                                      .data = undo ? HV_STR("{\"undoes\":1}") : HV_STR("{\"to\":1}")});
    }
    if (!result && journal_writer_check(journal, NULL) != HV_OK)
        result = 7;
    journal_writer_close(journal);
    return result;
}

static bool is_recorded(struct world *world)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct timeline timeline;
    assert_int_equal(timeline_read(&arena, world->journal, &timeline, NULL), HV_OK);
    return timeline.rewind_count > 0;
}

static int go_back(void *data)
{
    return rewind_now(data, false);
}

static void a_killed_rewind_is_done_by_the_next_and_can_be_undone(void **state)
{
    (void)state;
    int status = 0;
    size_t kills = 0;
    bool killed = true;
    for (size_t number = 1; killed && number < CALLS_MAX; number++) {
        struct world world = {0};
        world_open(&world);
        killed = kill_before_change(go_back, &world, number, &status);
        kills += killed;
        /* It had said that it was done: then nobody runs it again. */
        int again = killed && !is_recorded(&world) ? rewind_now(&world, false) : 0;
        bool is_back = stands(&world, false);
        int undone = rewind_now(&world, true);
        bool is_forth = stands(&world, true);
        if (!killed && WIFEXITED(status) && WEXITSTATUS(status) == KILLING_NOT_POSSIBLE) {
            print_message("this machine lets nobody trace: no kill was tried\n");
            folder_close(&world.folder);
            return;
        }
        if (again || !is_back || undone || !is_forth)
            fail_msg("killed before change %zu: again %d, back %d, undone %d, forth %d", number, again, is_back, undone,
                     is_forth);
        assert_int_equal(folder_count(&world.folder, "changes"), 0);
        folder_close(&world.folder);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    print_message("%zu kills\n", kills);
    assert_true(kills > 40);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Returns whether there was such a call; *done: whether the rewind got through all the same. */
static bool fail_at(size_t number, int reason, bool is_for_good, bool *done)
{
    struct world world = {0};
    int status;
    world_open(&world);
    bool reached = fail_call(go_back, &world, number, reason, is_for_good, &status);
    int said = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    bool is_told = said != 0 || (stands(&world, false) && is_recorded(&world));
    int again = !is_recorded(&world) ? rewind_now(&world, false) : 0;
    bool is_back = stands(&world, false);
    int undone = rewind_now(&world, true);
    bool is_forth = stands(&world, true);
    if (said < 0 || !is_told || again || !is_back || undone || !is_forth)
        fail_msg("call %zu failed with %d: said %d, again %d, back %d, undone %d, forth %d", number, reason, said,
                 again, is_back, undone, is_forth);
    assert_int_equal(folder_count(&world.folder, "changes"), 0);
    folder_close(&world.folder);
    *done = !said;
    return reached && said != KILLING_NOT_POSSIBLE;
}

/* FAULTS_SHIFT=0 to 4 brings each call to each of the reasons. */
static size_t shift(void)
{
    const char *text = getenv("FAULTS_SHIFT");
    return text ? strtoul(text, NULL, 10) : 0;
}

/* Each call with one reason once, and with another for good: its neighbours bring the others. */
static void a_rewind_that_fails_anywhere_is_done_by_the_next(void **state)
{
    static const int reasons[] = {EIO, ENOSPC, EROFS, EMFILE, EACCES};
    enum { REASONS = sizeof reasons / sizeof *reasons };
    (void)state;
    size_t number = 1, faults = 0;
    bool done, done_then;
    const size_t offset = shift();
    while (number < CALLS_MAX && fail_at(number, reasons[(number + offset) % REASONS], false, &done) &&
           fail_at(number, reasons[(number / REASONS + number + offset) % REASONS], true, &done_then)) {
        faults += !done;
        number++;
    }
    print_message("%zu calls, %zu of them needed\n", number, faults);
    assert_true(number == 1 || faults > 40);
}

/* ---- many files -------------------------------------------------------------------------------------------------- */

enum { MANY = 700 };

/* Names that take much room in a journal. */
static const char *long_name(struct hv_arena *arena, size_t index)
{
    struct hv_str name = HV_STR("w");
    for (int i = 0; i < 14; i++)
        name = hv_arena_format(arena, "%.*s/%0*d", HV_STR_ARG(name), 240, i);
    return hv_arena_format(arena, "%.*s/%zu", HV_STR_ARG(name), index).ptr;
}

static size_t longest_line(struct world *world)
{
    struct hv_str rest = folder_get(&world->folder, "s.jsonl"), line;
    size_t longest = 0;
    while (hv_str_split(&rest, '\n', &line))
        longest = line.len > longest ? line.len : longest;
    return longest;
}

static void tell_image(struct journal_writer *journal, struct hv_str call, const char *phase,
                       const struct fs_image *image)
{
    CLEANUP_BUF struct hv_buf data = {.max = 1 << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_name(&writer, phase);
    hv_json_begin_array(&writer);
    fs_image_write(&writer, image);
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
    journal_write(journal, &(struct hv_event){.type = HV_EVENT_CHECKPOINT,
                                              .name = hv_str_from(phase),
                                              .call_id = call,
                                              .tool = HV_STR("Write"),
                                              .data = hv_buf_str(&data)});
}

static void make_one(struct world *world, struct journal_writer *journal, struct hv_arena *arena, size_t index)
{
    const char *name = long_name(arena, index);
    struct hv_str call = hv_arena_format(arena, "many-%zu", index);
    struct fs_image image = {.path = folder_path(&world->folder, name)};
    tell_image(journal, call, "before", &image);
    folder_put(&world->folder, name, "made\n");
    assert_int_equal(fs_image_look(&image, arena), 0);
    assert_true(fs_image_sum(&image, arena));
    tell_image(journal, call, "after", &image);
}

static void files_without_end_need_no_event_without_end(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct world world = {0};
    struct journal_writer *journal;
    world_open(&world);
    const struct journal_writer_options options = {.path = world.journal};
    assert_int_equal(journal_writer_open(&options, &journal, NULL), HV_OK);
    for (size_t i = 0; i < MANY; i++)
        make_one(&world, journal, &arena, i);
    journal_writer_close(journal);
    assert_int_equal(rewind_now(&world, false), 0);
    assert_true(stands(&world, false));
    assert_false(folder_has(&world.folder, long_name(&arena, 0)));
    assert_false(folder_has(&world.folder, long_name(&arena, MANY - 1)));
    assert_in_range(longest_line(&world), 2 << 20, 3 << 20); /* so that there were two of them */
    assert_int_equal(rewind_now(&world, true), 0);
    assert_true(stands(&world, true));
    for (size_t i = 0; i < MANY; i++)
        assert_true(hv_str_is(folder_get(&world.folder, long_name(&arena, i)), "made\n"));
    folder_close(&world.folder);
}

int main(void)
{
    /* In memory, where syncing costs nothing. */
    if (!getenv("TMPDIR") && access("/dev/shm", W_OK | X_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_rewind_is_done_by_the_next_and_can_be_undone),
        cmocka_unit_test(a_rewind_that_fails_anywhere_is_done_by_the_next),
        cmocka_unit_test(files_without_end_need_no_event_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
