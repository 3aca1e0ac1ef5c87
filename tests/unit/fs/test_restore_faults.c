/*
 * test_restore_faults.c: fs_restore while each of its system calls fails in turn, once or for good. Whatever comes of
 * it is told: all is done, or nothing is, or the next start makes it nothing; where it says that nothing was changed,
 * nothing was.
 */
#include "killing.h"
#include "restoring.h"

#include "base/cleanup.h"
#include "fs/transaction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the child ended. */
enum { DONE = 0, DONE_BUT_ATTRIBUTES = 2, REFUSED = 3, REFUSED_WITH_RESTS = 4, MUTE = 5 };
enum { CALLS_MAX = 20000 };

/* One of each way to go: with as few system calls as can be, since each of them is a run. */
static const char *const replacing[] = {"w/bytes", "w/link", "w/mode"};
static const char *const making[] = {"w/gone", "w/gone/f", "w/made"};
static const char *const in_place[] = {"w/shared", "w/shared too"};
static const char *const parting[] = {"w/cut", "w/cut too"};
static const char *const turning[] = {"w/was folder", "w/was folder/f", "w/closed", "w/closed/f"};

static void before_replacing(struct world *world)
{
    world_put(world, "w/bytes", "as it was\n", 0640, 1500000000);
    world_own(world, "w/bytes", 1);
    world_mark(world, "w/bytes", "user.mark", "one");
    assert_int_equal(symlink("bytes", world_at(world, "w/link")), 0);
    world_put(world, "w/mode", "the same bytes\n", 0600, 1500000001);
    world_mark(world, "w/mode", "user.kept", "yes");
}

static void after_replacing(struct world *world)
{
    world_put(world, "w/bytes", "other bytes, and more of them\n", 0755, 1600000000);
    world_mark(world, "w/bytes", "user.mark", "two");
    world_lose(world, "w/link");
    assert_int_equal(symlink("../elsewhere", world_at(world, "w/link")), 0);
    world_mark(world, "w/mode", "user.kept", "no");
}

static void before_making(struct world *world)
{
    world_put(world, "w/gone/f", "in a folder\n", 0600, 1500000002);
    assert_int_equal(chmod(world_at(world, "w/gone"), 0750), 0);
}

static void after_making(struct world *world)
{
    world_lose(world, "w/gone/f");
    assert_int_equal(rmdir(world_at(world, "w/gone")), 0);
    world_put(world, "w/made", "made\n", 0600, 1600000001);
}

static void before_in_place(struct world *world)
{
    world_put(world, "w/shared", "a text of two names that is long\n", 0644, 1500000003);
    assert_int_equal(link(world_at(world, "w/shared"), world_at(world, "w/shared too")), 0);
}

static void after_in_place(struct world *world)
{
    world_put(world, "w/shared", "short\n", 0644, 1600000002);
}

static void before_parting(struct world *world)
{
    world_put(world, "w/cut", "one file\n", 0644, 1500000004);
    assert_int_equal(link(world_at(world, "w/cut"), world_at(world, "w/cut too")), 0);
}

static void after_parting(struct world *world)
{
    world_lose(world, "w/cut");
    world_put(world, "w/cut", "a file of its own\n", 0644, 1600000003);
}

static void before_turning(struct world *world)
{
    world_put(world, "w/was folder/f", "in it\n", 0644, 1500000009);
    world_put(world, "w/closed/f", "closed\n", 0400, 1500000007);
    assert_int_equal(chmod(world_at(world, "w/closed"), 0500), 0);
}

static void after_turning(struct world *world)
{
    world_lose(world, "w/was folder/f");
    assert_int_equal(rmdir(world_at(world, "w/was folder")), 0);
    world_put(world, "w/was folder", "now a file\n", 0644, 1600000007);
    assert_int_equal(chmod(world_at(world, "w/closed"), 0700) | chmod(world_at(world, "w/closed/f"), 0600), 0);
    world_put(world, "w/closed/f", "changed\n", 0600, 1600000004);
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

struct going_back {
    struct world *world;
    const struct fs_image *present;
};

static int go_back(void *data)
{
    const struct going_back *going = data;
    struct hv_error err = {0};
    size_t incomplete;
    enum hv_code code = world_restore(going->world, going->world->wanted, going->present, &incomplete, &err);
    if (!code)
        return incomplete ? DONE_BUT_ATTRIBUTES : DONE;
    if (!err.message[0])
        return MUTE;
    return hv_str_starts(hv_str_from(err.message), HV_STR("nothing was changed: ")) ? REFUSED : REFUSED_WITH_RESTS;
}

/* What was said is what stands there; then the next start, which must make it all or nothing. */
static void judge(struct world *world, struct hv_arena *arena, int status, int reason, const char *when)
{
    struct fs_recovery recovery;
    assert_true(WIFEXITED(status));
    int said = WEXITSTATUS(status);
    if (said == DONE)
        world_assert_stands(world, world->before, when);
    else if (said == REFUSED)
        world_assert_stands(world, world->after, when);
    else if (said == MUTE)
        fail_msg("%s: nothing was said", when);
    fs_recover_changes(world->journal, &recovery);
    if (recovery.conflicts || recovery.waiting)
        fail_msg("%s: the next start found %zu conflicts, and %zu are waiting", when, recovery.conflicts,
                 recovery.waiting);
    if (said == DONE_BUT_ATTRIBUTES) {
        if (reason != EACCES)
            fail_msg("%s: a fault was taken for a refusal", when);
        if (!hv_str_eq(world->before_content, world_describe_content(world, arena)))
            fail_msg("%s: not only attributes were missing", when);
    } else {
        world_assert_stands(world, said == DONE ? world->before : world->after, when);
    }
    if (folder_has(&world->folder, "changes") && folder_count(&world->folder, "changes"))
        fail_msg("%s: something is left", when);
}

struct scene {
    const char *const *places;
    size_t count;
    world_maker *before, *after;
};

static bool fail_at(const struct scene *scene, size_t number, int reason, bool is_for_good, int *said)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct world *world = world_open(scene->places, scene->count, scene->before, scene->after);
    struct fs_image present[WORLD_PLACES_MAX];
    char when[100];
    int status;
    world_take_images(world, &arena, present);
    bool reached = fail_call(go_back, &(struct going_back){world, present}, number, reason, is_for_good, &status);
    *said = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    snprintf(when, sizeof when, "call %zu failed with %s%s", number, strerrorname_np(reason),
             is_for_good ? " for good" : "");
    if (*said != KILLING_NOT_POSSIBLE)
        judge(world, &arena, status, reason, when);
    world_close(world);
    return reached;
}

/* FAULTS_SHIFT=0 to 4 brings each call to each of the reasons. */
static size_t shift(void)
{
    const char *text = getenv("FAULTS_SHIFT");
    return text ? strtoul(text, NULL, 10) : 0;
}

/* Each call with one reason once, and with another for good: its neighbours bring the others. */
static void fail_each_call(const struct scene *scene)
{
    static const int reasons[] = {ENOSPC, EIO, EACCES, EROFS, EMFILE};
    enum { REASONS = sizeof reasons / sizeof *reasons };
    size_t number = 1, refused = 0;
    int said = DONE, said_then;
    const size_t offset = shift();
    while (number < CALLS_MAX && fail_at(scene, number, reasons[(number + offset) % REASONS], false, &said) &&
           fail_at(scene, number, reasons[(number / REASONS + number + offset) % REASONS], true, &said_then)) {
        refused += said == REFUSED;
        number++;
    }
    if (said == KILLING_NOT_POSSIBLE) {
        print_message("no call can be made to fail here\n");
        return;
    }
    print_message("%zu calls, of which %zu had to be told of\n", number, refused);
    assert_in_range(number, 50, CALLS_MAX - 1);
    assert_true(refused > 20);
}

#define EACH(name)                                                                                                     \
    static void each_call_fails_while_##name(void **state)                                                             \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        fail_each_call(&(struct scene){name, sizeof name / sizeof *name, before_##name, after_##name});                \
    }
EACH(replacing)
EACH(making)
EACH(in_place)
EACH(parting)
EACH(turning)

int main(void)
{
    /* Thousands of runs that wait for the disk would take long; in memory the system calls are the same. */
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_fails_while_replacing), cmocka_unit_test(each_call_fails_while_making),
        cmocka_unit_test(each_call_fails_while_in_place),  cmocka_unit_test(each_call_fails_while_parting),
        cmocka_unit_test(each_call_fails_while_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
