/* test_thread.c: no signal that is meant for the host program is delivered on a thread of helve's own. */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/aside.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

static bool blocks_signals(void)
{
    sigset_t set;
    if (pthread_sigmask(SIG_SETMASK, NULL, &set))
        return false;
    return sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGTERM) == 1 && sigismember(&set, SIGCHLD) == 1 &&
           sigismember(&set, SIGUSR1) == 1;
}

static void *look(void *data)
{
    *(bool *)data = blocks_signals();
    return NULL;
}

static void look_aside(void *data)
{
    *(bool *)data = blocks_signals();
}

static void *tell(void *data)
{
    char byte = blocks_signals() ? 'y' : 'n';
    (void)!write(*(int *)data, &byte, 1);
    return NULL;
}

static void signals_are_blocked_on_it_and_not_where_it_was_started(void **state)
{
    (void)state;
    pthread_t thread;
    struct aside aside;
    bool joinable = false;
    bool beside = false;
    assert_true(!blocks_signals());
    assert_int_equal(thread_start(&thread, 0, look, &joinable), 0);
    pthread_join(thread, NULL);
    assert_true(joinable);
    aside_begin(&aside, look_aside, &beside);
    aside_end(&aside);
    assert_true(beside);
    assert_true(!blocks_signals());
}

static void one_that_nobody_waits_for_is_no_different(void **state)
{
    (void)state;
    int ends[2];
    char byte = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(thread_start_detached(256 << 10, tell, &ends[1]), 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_true(!blocks_signals());
    close(ends[0]);
    close(ends[1]);
}

/* The descriptor is closed on a thread, soon. */
static void a_descriptor_is_closed_beside(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    aside_close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

static void what_cannot_be_started_says_so(void **state)
{
    (void)state;
    pthread_t thread;
    assert_true(thread_start(&thread, 1, look, NULL) != 0); /* a stack of one byte */
    assert_true(thread_start_detached(1, look, NULL) != 0);
    assert_true(!blocks_signals());
}

static uint64_t read_slice(void)
{
    uint64_t attributes[6] = {0}; /* the kernel's struct sched_attr: the slice is its fourth word */
    return syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0) == 0 ? attributes[3] : UINT64_MAX;
}

static bool kernel_has_slices(void)
{
    struct utsname name;
    char *rest;
    if (uname(&name) != 0 || sched_getscheduler(0) != SCHED_OTHER)
        return false;
    long major = strtol(name.release, &rest, 10), minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
    return major > 6 || (major == 6 && minor >= 12);
}

static void *compare_slices(void *data)
{
    bool *differs = data;
    uint64_t before = read_slice();
    thread_want_short_waits();
    *differs = read_slice() < before;
    pid_t child = fork();
    int status = 1;
    if (child == 0)
        _exit(read_slice() != before);
    waitpid(child, &status, 0);
    *differs = *differs && status == 0;
    return data;
}

static void short_waits_are_of_one_thread_and_not_of_its_children(void **state)
{
    (void)state;
    pthread_t thread;
    bool differs = false;
    uint64_t before = read_slice();
    if (!kernel_has_slices() || before == UINT64_MAX)
        skip();
    assert_int_equal(thread_start(&thread, 0, compare_slices, &differs), 0);
    pthread_join(thread, NULL);
    assert_true(differs);
    assert_true(read_slice() == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_blocked_on_it_and_not_where_it_was_started),
        cmocka_unit_test(one_that_nobody_waits_for_is_no_different),
        cmocka_unit_test(a_descriptor_is_closed_beside),
        cmocka_unit_test(what_cannot_be_started_says_so),
        cmocka_unit_test(short_waits_are_of_one_thread_and_not_of_its_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
