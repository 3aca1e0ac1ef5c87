/* test_temporary.c: the folder for a session's temporary files, when many sessions begin and end at once. */
#include "sandbox/temporary.h"

#include <stdlib.h>
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
    struct temporary temporary = {.lock = -1};
    struct hv_error err;
    if (temporary_make(&temporary, &err)) {
        print_message("%s\n", err.message);
        return false;
    }
    bool there = access(temporary.files, W_OK | X_OK) == 0 && access(temporary.locked, F_OK) == 0;
    temporary_remove(&temporary);
    return there;
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
        cmocka_unit_test(sessions_that_begin_at_once_leave_each_other_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
