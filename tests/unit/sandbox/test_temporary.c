/* test_temporary.c: the folder for a session's temporary files, when many sessions begin and end at once. */
#include "sandbox/temporary.h"

#include "proc/guard_sweep.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

enum { SESSIONS = 6, ROUNDS = 80 };

static bool begin_and_end(void)
{
    static const struct sweeper no_sweeper = {.fd = -1};
    struct temporary temporary = {.lock = -1};
    struct hv_error err;
    if (temporary_make(&temporary, &no_sweeper, &err)) {
        print_message("%s\n", err.message);
        return false;
    }
    bool there = access(temporary.files, W_OK | X_OK) == 0 && access(temporary.locked, F_OK) == 0;
    temporary_remove(&temporary);
    return there;
}

/* Whoever kills helve at any moment leaves nothing: not even one that could not be made is untold. */
static void the_sweeper_is_told_of_the_folder_before_it_is_there(void **state)
{
    static const char *const bases[] = {"/tmp", "/proc"}; /* there, nothing can be made */
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct temporary temporary = {.lock = -1};
        char said[256] = {0};
        int ends[2];
        assert_int_equal(setenv("TMPDIR", bases[i], 1), 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        struct sweeper sweeper = {.process = 1, .fd = ends[0]};
        enum hv_code code = temporary_make(&temporary, &sweeper, NULL);
        assert_true(recv(ends[1], said, sizeof said - 1, MSG_DONTWAIT) > 2);
        assert_int_equal(said[0], SWEEP_FOLDER);
        if (code == HV_OK)
            assert_string_equal(said + 1, temporary.folder);
        else
            assert_int_equal(strncmp(said + 1, "/proc/helve-sandbox-", strlen("/proc/helve-sandbox-")), 0);
        temporary_remove(&temporary);
        close(ends[0]);
        close(ends[1]);
    }
}

/* Each that begins looks for what killed ones left: it takes none away from one that is just beginning, too. */
static void sessions_that_begin_at_once_leave_each_other_alone(void **state)
{
    (void)state;
    char base[] = "/tmp/helve-unit-temporary-XXXXXX";
    pid_t children[SESSIONS];
    assert_non_null(mkdtemp(base));
    assert_int_equal(setenv("TMPDIR", base, 1), 0);
    for (int i = 0; i < SESSIONS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            int round = 0;
            while (round < ROUNDS && begin_and_end())
                round++;
            _exit(round != ROUNDS);
        }
    }
    for (int i = 0; i < SESSIONS; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    assert_int_equal(rmdir(base), 0); /* nothing is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sweeper_is_told_of_the_folder_before_it_is_there),
        cmocka_unit_test(sessions_that_begin_at_once_leave_each_other_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
